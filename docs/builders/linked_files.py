"""Files outside of docs that its pages link to: copied, so that the links lead there too."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

__all__ = ["FOLDER", "copy_linked_files", "links_within"]

FOLDER: Final = "linked"
_LINK: Final = re.compile(r"\]\(\.\./([^)#]+)")
_LOCAL: Final = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]+\)")
_ORPHAN: Final = "---\norphan: true\n---\n\n"


def links_within(text: str) -> str:
    """The text of a page, its links to files outside of docs leading to their copies."""
    return _LINK.sub(lambda found: f"]({FOLDER}/{_target(found[1])}", text)


def _target(path: str) -> str:
    """A folder is seen by what it says of itself."""
    return path if Path(path).suffix else f"{path}/README.md"


def copy_linked_files(docs: Path) -> None:
    """Copy what the pages of a folder link to.

    Raises:
        FileNotFoundError: a link leads nowhere.
    """
    folder, root = docs / FOLDER, docs.parent
    shutil.rmtree(folder, ignore_errors=True)
    wanted = [path for page in docs.glob("*.md") for path in _LINK.findall(page.read_text("utf-8"))]
    done: set[str] = set()
    while wanted:
        path = _target(wanted.pop())
        if path in done:
            continue
        done.add(path)
        source, copy = root / path, folder / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copyfile(source, copy)
            continue
        text = source.read_text("utf-8")
        # Its own links are text: what they name is not copied.
        copy.write_text(_ORPHAN + _LOCAL.sub(r"\1", text), "utf-8")

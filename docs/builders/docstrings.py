"""Docstrings as reStructuredText: they are plain text with a few marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["as_rst"]

_CODE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_MARKS: Final = re.compile(r"(?<!\\)([|*])")
_NAMES: Final = re.compile(r"^ +[a-z_]\w*(, \w+)*,$")
_IN_LINE: Final = re.compile(r"^(Definition|Cost): +(?=\S)")


def as_rst(lines: Sequence[str]) -> list[str]:
    """The lines of a docstring: `code` as code, bars and stars as themselves.

    Definition: and Cost: stand in their line. Examples are left alone.
    """
    return list(_converted(lines))


def _converted(lines: Sequence[str]) -> Iterator[str]:
    is_example = False
    for line in _joined(lines):
        if line.lstrip().startswith(">>>"):
            is_example = True
        elif not line.strip():
            is_example = False
        yield line if is_example else _IN_LINE.sub(r"**\1:** ", _text(line))


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Names of arguments that go on in the next line stand in one."""
    names = ""
    for line in lines:
        if _NAMES.match(line):
            names += line if not names else f" {line.strip()}"
        else:
            yield f"{names} {line.strip()}" if names else line
            names = ""


def _text(line: str) -> str:
    """Outside of ``code`` bars and stars are escaped."""
    line = _CODE.sub(r"``\1``", line)
    parts = re.split(r"(``[^`]*``)", line)
    return "".join(part if part.startswith("``") else _MARKS.sub(r"\\\1", part) for part in parts)

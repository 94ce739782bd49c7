"""Write made pages; one that stays the same keeps its time, so that it is not built again."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_changed"]


def write_changed(path: Path, text: str) -> None:
    """Write the text of a page, unless the page holds it already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")

"""Lines of a page between two marks, which a study writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def between(page: Path, first: str, last: str, lines: Sequence[str]) -> None:
    """Put lines into a page, between two marks."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(first)
    _, _, after = rest.partition(last)
    inside = "\n".join(lines)
    page.write_text(f"{before}{first}\n\n{inside}\n\n{last}{after}", encoding="utf-8")

"""The page of all codes of errors and doubts, from their catalogues."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from builders.written import write_changed
from karat.errors import CATALOGUE
from karat.errors.doubts import DOUBTS

__all__ = ["write_code_page"]

_FACT: Final = re.compile(r"\{(\w+)[^}]*\}")
_MARKS: Final = re.compile(r"([\\`*_<>|])")


def write_code_page(path: Path) -> None:
    """Write the page."""
    write_changed(path, "\n".join(_page()) + "\n")


def _page() -> Iterator[str]:
    yield from ("# Codes of errors and doubts", "")
    yield "The text of an error starts with its code, and `error.code` holds it. Words in italics"
    yield "stand for what was found. An error stops the call. A [doubt](../first-use.md) changes no"
    yield "number: `report.doubts` lists it."
    yield from ("", "## Errors", "")
    for code, entry in sorted(CATALOGUE.items()):
        yield from _entry(code, (entry.what, entry.found, entry.do))
    yield from ("## Doubts", "")
    for code, sentences in sorted(DOUBTS.items()):
        yield from _entry(code, sentences)


def _entry(code: str, sentences: Iterable[str]) -> Iterator[str]:
    # An entry of the index is what a search for the code shows first.
    yield from (f"```{{index}} ! single: {code}", "```")
    title, *rest = (_shown(each) for each in sentences)
    yield f"**{code}** {title}"
    # What is one fact alone depends on the call.
    yield from (f": {line}" for line in rest if re.search(r"\s", line.strip("*.")))
    yield ""


def _shown(template: str) -> str:
    """A template as Markdown, its facts in italics."""
    parts = _FACT.split(template)
    texts = [
        f"*{part.replace('_', ' ')}*" if place % 2 else _MARKS.sub(r"\\\1", part)
        for place, part in enumerate(parts)
    ]
    # Two facts side by side would be one emphasis.
    return "".join(texts).replace("**", "* *")

"""Docstrings with the arguments that records of options declare."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from textwrap import TextWrapper
from typing import Final

from karat.api.request.record import Option

_WIDTH: Final = 92
_WRAPPER: Final = TextWrapper(
    _WIDTH, initial_indent="    ", subsequent_indent="        ", break_long_words=False
)
_SECTIONS: Final = ("Returns:", "Errors:", "Cost:", "Example:")


def with_arguments(doc: str | None, options: Sequence[Option]) -> str | None:
    """A docstring with its section on arguments, before that on what is returned."""
    if doc is None or not options:  # python -OO; nothing to say
        return doc
    text = inspect.cleandoc(doc)
    lines = "\n".join(_WRAPPER.fill(f"{item.name}: {item.text}") for item in options)
    at = min(text.index(f"\n{each}") for each in _SECTIONS if f"\n{each}" in text)
    return f"{text[:at]}\nArgs:\n{lines}\n{text[at:]}"

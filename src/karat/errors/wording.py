"""Values as they stand in messages: one short line each, whatever their classes do."""

from __future__ import annotations

import reprlib
import string
from collections.abc import Mapping
from typing import Any

__all__ = ["filled", "short", "shown"]

_WIDTH = 200
_DIGITS_BITS = 4096
"""Bits of the largest whole number whose digits are written."""


def short(item: object, width: int = 60) -> str:
    """The repr of one value, cut to fit into a message: of any value, whatever its class does."""
    try:
        text = _BRIEF.repr(item)
    except Exception:  # the repr of a foreign class may raise anything
        text = f"<{type(item).__name__}>"
    return text if len(text) <= width else f"{text[: width - 1]}…"


def shown(values: Any, limit: int = 8) -> str:
    """A short list of values for a message: ``'a', 'b', 'c' … (12 in all)``."""
    items = list(values)
    text = ", ".join(short(item, _WIDTH) for item in items[:limit])
    return text if len(items) <= limit else f"{text} … ({len(items)} in all)"


def filled(template: str, facts: Mapping[str, Any]) -> str:
    """``template.format(**facts)``, where ``!r`` is brief and no fact fails to print."""
    return _FACTS.vformat(template, (), facts)


class _Brief(reprlib.Repr):
    """Reprs that stay short where nesting, length or a number of many digits would not."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxother, self.maxlong = 4, _WIDTH, _WIDTH
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 8

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, str):
            return repr(str.__str__(x)[: _WIDTH + 1])
        if isinstance(x, bytes):
            return repr(bytes(x[: _WIDTH + 1]))
        if isinstance(x, int) and int.bit_length(x) > _DIGITS_BITS:
            return f"<a whole number of {int.bit_length(x)} bits>"
        return super().repr1(x, level)


class _Facts(string.Formatter):
    """``str.format`` that survives facts whose class cannot be printed."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return (
            short(value, _WIDTH) if conversion == "r" else super().convert_field(value, conversion)
        )

    def format_field(self, value: Any, format_spec: str) -> Any:
        try:
            return super().format_field(value, format_spec)
        except Exception:  # as in `short`
            return short(value, _WIDTH)


_BRIEF = _Brief()
_FACTS = _Facts()

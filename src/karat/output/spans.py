"""Spans: pieces of a line with a style, before any renderer has seen them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from karat.output.document import Style

__all__ = ["Line", "Span", "line_text"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line.

    Attributes:
        text: without line ends and control characters.
        style: what it is.
        heat: 0 to 1 shades the background, for a share of a row; negative for wrong cells.
    """

    text: str
    style: Style = ""
    heat: float = 0.0


Line: TypeAlias = list[Span]


def line_text(line: Line) -> str:
    """The text of a line, without blanks at its end."""
    return "".join(span.text for span in line).rstrip()

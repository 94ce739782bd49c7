"""Colours, dashes and markers: told apart by each of them, also without seeing colour.

Colours are those of Okabe and Ito (2008) that stand out from white and from black alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

__all__ = ["DASHES", "FAINT", "MARKERS", "MUTED", "PALETTE", "SERIES", "Style", "style"]

PALETTE: Final[dict[str, str]] = {
    "ink": "#1a1a1a",
    "muted": "#757575",
    "faint": "#c4c4c4",
    "grid": "#e6e6e6",
    "paper": "#ffffff",
    "series-1": "#0072b2",
    "series-2": "#d55e00",
    "series-3": "#009e73",
    "series-4": "#cc79a7",
    "series-5": "#e69f00",
    "series-6": "#56b4e9",
}
"""Every colour of a picture by name; `karat.plot.svg.as_svg` can write others in their place."""

SERIES: Final = tuple(colour for name, colour in PALETTE.items() if name.startswith("series"))
MUTED: Final = PALETTE["muted"]
"""Of what is compared with: chance, right probabilities, no difference."""
FAINT: Final = PALETTE["faint"]
"""Of what is there and not named one by one."""

Dashes: TypeAlias = Any
DASHES: Final[tuple[Dashes, ...]] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True, slots=True)
class Style:
    """How one class or model is drawn, everywhere in a picture."""

    color: str
    linestyle: Dashes
    marker: str


def style(place: int, variant: int | None = None) -> Style:
    """The style of the series at a place.

    Args:
        place: which colour.
        variant: which dashes and marker, where colour says one thing and they another; without it
            all three go on together, so that the first 28 series differ in more than colour.

    Example:
        >>> style(0).color, style(6).color, style(0) == style(6)
        ('#0072b2', '#0072b2', False)
    """
    of = place if variant is None else variant
    # A second round of colours begins with other dashes than the first.
    dash = (of + of // len(SERIES)) if variant is None else of
    return Style(
        SERIES[place % len(SERIES)], DASHES[dash % len(DASHES)], MARKERS[of % len(MARKERS)]
    )

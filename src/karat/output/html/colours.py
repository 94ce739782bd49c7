"""The colors of a page: one name, a light and a dark value; steps of shade for the matrix.

Blue says right and orange says wrong: the pair that people with every kind of color vision tell
apart; the diagonal is also framed, and a number or a sentence always says the same.
"""

from __future__ import annotations

from typing import Final

COLOURS: Final = {
    "paper": ("#ffffff", "#12171d"),
    "panel": ("#f3f5f8", "#1b222b"),
    "ink": ("#16202c", "#e8edf3"),
    "quiet": ("#4e5a68", "#a9b5c2"),
    "line": ("#c6ced8", "#38434f"),
    "edge": ("#77838f", "#7d8a98"),
    "accent": ("#0b5cad", "#7cbcff"),
    "on-accent": ("#ffffff", "#0a1420"),
    "right": ("#0b5cad", "#7cbcff"),
    "wrong": ("#b04a00", "#ffab66"),
    "note": ("#fff4dc", "#33290f"),
    "muted": ("#6a7480", "#96a2af"),
    "faint": ("#b9c2cc", "#56626f"),
    "grid": ("#e4e8ed", "#2a333d"),
    "series-1": ("#0b5cad", "#7cbcff"),
    "series-2": ("#b04a00", "#ffab66"),
    "series-3": ("#007a58", "#4fd0a5"),
    "series-4": ("#a8437f", "#f0a3cd"),
    "series-5": ("#8a6500", "#f0cf66"),
    "series-6": ("#2a7f9e", "#8fe0f5"),
}
"""Name → color on a light page, and on paper, and on a dark page."""

N_SHADES: Final = 9
"""Shades of a cell that holds anything; 0 is that of an empty one."""

_FIRST: Final = 0.18
"""How far the first shade is from the page, so that one row among many is seen."""
_ENDS: Final = {
    "light": {"right": "#5b9fe0", "wrong": "#f0974f"},
    "dark": {"right": "#1c5f9f", "wrong": "#94500f"},
}
"""The strongest shades: text in ink is read on them."""


def palette(theme: str) -> dict[str, str]:
    """Every color of ``"light"`` or ``"dark"``, shades as ``right-1`` … ``wrong-9``.

    Example:
        >>> from karat.output.html.colours import palette
        >>> palette("light")["right-9"], len(palette("dark")) == len(palette("light"))
        ('#5b9fe0', True)
    """
    named = {name: pair[theme == "dark"] for name, pair in COLOURS.items()}
    shades = {}
    for kind, end in _ENDS[theme].items():
        for step in range(1, N_SHADES + 1):
            part = _FIRST + (1.0 - _FIRST) * (step - 1) / (N_SHADES - 1)
            start, stop = (bytes.fromhex(colour[1:]) for colour in (named["paper"], end))
            mixed = bytes(round(a + (b - a) * part) for a, b in zip(start, stop, strict=True))
            shades[f"{kind}-{step}"] = f"#{mixed.hex()}"
    return {**named, **shades}


def as_css() -> str:
    """The palettes as custom properties: dark where asked for or preferred, light on paper."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in palette(theme).items())
        for theme in ("light", "dark")
    )
    shades = "".join(
        f".{kind[0]}{step}{{background:var(--{kind}-{step})}}"
        for kind in ("right", "wrong")
        for step in range(1, N_SHADES + 1)
    )
    return (
        f":root{{color-scheme:light;{light}}}"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}"
        "@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}"
        f"@media print{{:root,:root[data-theme=dark]{{color-scheme:light;{light}}}}}"
        f"{shades}"
    )

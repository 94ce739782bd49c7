"""Class names and other foreign text on a terminal: made harmless, measured, shortened.

A class name is data. It may hold escape codes, line breaks, text that runs right to left,
or characters two cells wide; none of it may move the cursor or break a column.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

__all__ = ["cells", "distinct", "harmless", "padded", "safe", "shortened", "wrapped"]

_SHOWN_AS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Joiners are part of ordinary text (Persian, emoji), take no cell and move nothing.
_JOINERS = ("\u200c", "\u200d")
_HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ELLIPSIS = "…"


def safe(text: str, *, is_ascii: bool = False) -> str:
    r"""The text with every control, format and unassigned character written as an escape.

    Blank text, and text with blanks at its ends, is quoted, so that it can be seen.

    Example:
        >>> from karat.errors.foreign_text import safe
        >>> safe("\x1b[31mred\n")
        '\\x1b[31mred\\n'
    """
    shown = harmless(text, is_ascii=is_ascii)
    return shown if shown and shown == shown.strip() else f"'{shown}'"


def harmless(text: str, *, is_ascii: bool = False) -> str:
    """The text with escapes as `safe` writes them, never quoted: for running text."""
    shown = "".join(map(_visible, text))
    return shown.encode("ascii", "backslashreplace").decode("ascii") if is_ascii else shown


def _visible(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char in _SHOWN_AS:
        return _SHOWN_AS[char]
    if unicodedata.category(char) in _HARMFUL and char not in _JOINERS:
        code = ord(char)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return char


def cells(text: str) -> int:
    """How many terminal cells a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(_char_cells, text))


def _char_cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def padded(text: str, width: int, align: str = "left") -> str:
    """The text filled with blanks to that many cells."""
    blanks = " " * (width - cells(text))
    return blanks + text if align == "right" else text + blanks


def shortened(text: str, limit: int) -> str:
    """The text in at most `limit` cells; its middle is left out, since ends tell names apart."""
    if cells(text) <= limit:
        return text
    if limit < 3:
        return _start(text, limit - 1) + ELLIPSIS if limit > 1 else ELLIPSIS
    tail = (limit - 1) // 2
    end = _start(text[::-1], tail)[::-1]
    # A combining mark must not open the tail: it would sit on the ellipsis.
    end = end.lstrip("".join(char for char in set(end) if _char_cells(char) == 0))
    return _start(text, limit - 1 - cells(end)) + ELLIPSIS + end


def _start(text: str, limit: int) -> str:
    used = 0
    for place, char in enumerate(text):
        used += _char_cells(char)
        if used > limit:
            return text[:place]
    return text


def distinct(names: Sequence[str], limit: int) -> list[str]:
    """Each name in at most `limit` cells, and no two alike unless they are alike in full."""
    short = [shortened(name, limit) for name in names]
    first: dict[str, str] = {}
    count: dict[str, int] = {}
    result = []
    for name, text in zip(names, short, strict=True):
        candidate = text
        while first.setdefault(candidate, name) != name:
            count[text] = count.get(text, 1) + 1
            mark = f"~{count[text]}"
            candidate = shortened(name, limit - len(mark)) + mark
        result.append(candidate)
    return result


def wrapped(text: str, width: int, *, indent: int = 0, hang: int = 0) -> list[str]:
    """Running text as lines of at most `width` cells, broken at blanks where there are any.

    Args:
        indent: blanks before every line.
        hang: further blanks before all lines but the first.
    """
    lines: list[str] = []
    current = " " * indent
    is_blank = True
    for word in text.split(" "):
        joined = current + word if is_blank else f"{current} {word}"
        if cells(joined) > width and not is_blank:
            lines.append(current)
            current = " " * (indent + hang)
            joined = current + word
        while cells(joined) > width:
            head = _start(joined, width)
            lines.append(head)
            joined = " " * (indent + hang) + joined[len(head) :]
        current, is_blank = joined, False
    return [*lines, current]

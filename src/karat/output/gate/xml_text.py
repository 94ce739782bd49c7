"""Foreign text inside XML: escaped, and without the characters that XML has no way to write."""

from __future__ import annotations

__all__ = ["escaped"]

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def escaped(text: str) -> str:
    """The text as the content of an element or of an attribute."""
    return "".join(_ENTITIES.get(char) or _allowed(char) for char in text)


def _allowed(char: str) -> str:
    code = ord(char)
    if char in "\t\n\r":
        return f"&#{code};"
    is_char = 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code >= 0x10000
    return char if is_char and not 0x7F <= code < 0xA0 else f"\\u{code:04x}"

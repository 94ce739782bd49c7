"""Dicts, lists and scalars as YAML, so that no package is needed to write a model card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["yaml_of"]

_PLAIN: Final = re.compile(r"[A-Za-z][\w\-]*", re.ASCII)
# Words that readers of YAML 1.1 take for something else than text.
_WORDS: Final = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}


def yaml_of(content: Mapping[str, Any]) -> str:
    """The text of a dict, in block style, without a line end after the last line."""
    return "\n".join(_mapping(content, ""))


def _mapping(content: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in content.items():
        head = f"{indent}{_scalar(key)}:"
        if isinstance(value, Mapping) and value:
            yield head
            yield from _mapping(value, indent + "  ")
        elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            yield head
            for item in value:
                first, *rest = _mapping(item, indent + "  ")
                yield f"{indent}- {first.removeprefix(indent + '  ')}"
                yield from rest
        else:
            yield f"{head} {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_scalar, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        # 1e-05 without a point is text in YAML 1.1.
        text = repr(value)
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    if isinstance(value, int):
        return str(value)
    text = str(value)
    is_plain = _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS
    return text if is_plain else f'"{"".join(map(_quoted, text))}"'


def _quoted(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    # Half of a character is no code point that YAML can hold: its escape is shown as text.
    if 0xD800 <= code < 0xE000:
        return f"\\\\u{code:04x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\U{code:08x}"

"""The schema of a JSON text, before its kind of report is known."""

from __future__ import annotations

import json
from typing import Final

from karat.errors import KaratError
from karat.output.json.codec import parsed

_CLASSES: Final = "karat.report"
"""What is no text of a report is refused as one of these."""
_OTHERS: Final = ("karat.multilabel", "karat.judged")


def schema_of(text: object) -> str:
    """Return the schema that a text names, without its version; that of classes if unknown."""
    if not isinstance(text, str | bytes | bytearray):
        return _CLASSES
    words = text
    if not isinstance(text, str):
        words = bytes(text).decode(json.detect_encoding(bytes(text)), errors="replace")
    if not any(word in words for word in (*_OTHERS, "\\u")):
        return _CLASSES  # parsed once
    try:
        return str(
            parsed(text if isinstance(text, str) else bytes(text))["schema"].value
        ).partition("/")[0]
    except KaratError:
        return _CLASSES

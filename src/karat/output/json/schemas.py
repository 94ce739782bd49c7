"""The schema of a JSON text, before its kind of report is known."""

from __future__ import annotations

from typing import Final

from karat.output.json.codec import parsed

_OTHERS: Final = ("karat.multilabel", "karat.judged")


def schema_of(text: str | bytes) -> str:
    """Return the schema that a text names, without its version; that of classes if unknown.

    Errors:
        K205 it is no JSON text.
    """
    words = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    if not any(name in words for name in _OTHERS):
        return "karat.report"  # parsed once, or refused there
    return str(parsed(text)["schema"].value).partition("/")[0]

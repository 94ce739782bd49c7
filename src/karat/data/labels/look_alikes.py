"""Labels that differ as those do that are most often one label."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

from karat.data.sources.files.text_labels import is_number

N_REMARKS: Final = 3
"""Labels spelled oddly that are shown; there may be thousands."""


def look_alikes(labels: Iterable[str]) -> list[tuple[str, str, str, str]]:
    """Pairs of classes that differ as those do that are most often one, as shown, and how."""
    first: dict[str | Decimal, str] = {}
    found = []
    for label in labels:
        number = _number_in(label)
        key = _seen(label).strip().casefold() if number is None else number
        other = first.setdefault(key, label)
        if other != label:
            pair, how = f"{other!r} and {label!r}", "blanks or case"
            if number is not None:
                how = "how a number is written"
            elif other.strip().casefold() != label.strip().casefold():
                pair = f"{other!a} and {label!a}"
                how = "blanks, case, unseen characters or how letters are encoded"
            found.append((other, label, pair, how))
    return found[:N_REMARKS]


def _number_in(label: str) -> Decimal | None:
    """The number that a text is, to its last digit; None where it is none."""
    try:
        return Decimal(label.strip()) if is_number(label) else None
    except InvalidOperation:
        # Its exponent has twenty digits.
        return None


def _seen(label: str) -> str:
    """A text without what nobody sees: letters composed, plain blanks, no format characters."""
    if label.isascii():
        return label
    composed = unicodedata.normalize("NFC", label)
    categories = ((char, unicodedata.category(char)) for char in composed)
    return "".join(" " if kind == "Zs" else char for char, kind in categories if kind != "Cf")

"""Labels that differ as those do that are most often one label."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

N_REMARKS: Final = 3
"""Labels spelled oddly that are shown; there may be thousands."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


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


def slip_in(labels: Iterable[object]) -> str | None:
    """What to do where two classes are most often one; None where no two are."""
    for _, _, pair, how in look_alikes(x for x in labels if isinstance(x, str))[:1]:
        return f"Classes {pair} differ only in {how}: write each class the same way in every row."
    return None


def is_number(text: str) -> bool:
    """Whether a text is written as a number."""
    return _NUMBER.fullmatch(text.strip()) is not None


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

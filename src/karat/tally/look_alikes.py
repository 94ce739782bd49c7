"""Detection of labels that probably denote the same class."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

N_REMARKS: Final = 3
"""Number of odd labels shown; there may be thousands."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def look_alikes(labels: Iterable[str]) -> list[tuple[str, str, str, str]]:
    """Return pairs of classes that probably denote the same one, as shown, and the difference."""
    first: dict[str | Decimal, str] = {}
    found = []
    for label in labels:
        number = _number_in(label)
        other = first.setdefault(key_of(label), label)
        if other != label:
            pair, how = f"{other!r} and {label!r}", "blanks or case"
            if number is not None:
                how = "how a number is written"
            elif _seen(other).strip().casefold() != _seen(label).strip().casefold():
                how = "quotes, brackets, dashes, underscores or the punctuation at the end"
                if _bare(_seen(other).strip()) != _bare(_seen(label).strip()):
                    how = f"case, {how}"
            elif other.strip().casefold() != label.strip().casefold():
                pair = f"{other!a} and {label!a}"
                how = "blanks, case, unseen characters or how letters are encoded"
            found.append((other, label, pair, how))
    return found[:N_REMARKS]


def key_of(label: str) -> str | Decimal:
    """Return what all labels have in common that probably denote the same class."""
    number = _number_in(label)
    return _words_of(label) if number is None else number


def slip_in(labels: Iterable[object]) -> str | None:
    """Return the advice for two classes that probably are the same; None if there are none."""
    for _, _, pair, how in look_alikes(x for x in labels if isinstance(x, str))[:1]:
        return f"Classes {pair} differ only in {how}: write each class the same way in every row."
    return None


def is_number(text: str) -> bool:
    """Return whether a text is written as a number."""
    return _NUMBER.fullmatch(text.strip()) is not None


def _number_in(label: str) -> Decimal | None:
    """Return the exact number that a text represents; None if there is none."""
    try:
        return Decimal(label.strip()) if is_number(label) else None
    except InvalidOperation:
        # Its exponent has twenty digits.
        return None


_SINGLE_QUOTES: Final = str.maketrans(dict.fromkeys("‘’‛′`", "'"))
_BETWEEN = re.compile(r"(?<=\w)(?:[\s_]|[-‐-―])+(?=\w)")
_AT_THE_END: Final = ".,;:!"
_IN_BRACKETS: Final = re.compile(r"\(\s*([^()]*\w[^()]*?)\s*\)")
_OF_A_LIST: Final = re.compile(r"([^()]*\w)\s*\)")
"""A text in brackets, and one with a closing bracket alone: (A) and A) of a list of choices."""
_PAIRS_OF_QUOTES: Final = ("''", '""', "“”", "„“", "«»")


def _words_of(label: str) -> str:
    """Return a text without what the same words are often written with.

    Signs that mean something stay: C, C+, C++ and A- are four texts.

    Example:
        >>> [_words_of(text) for text in ("(A)", "A)", "a.", "f(x)", ":)")]
        ['a', 'a', 'a', 'f(x)', ':)']
    """
    return _bare(_seen(label).strip().casefold())


def _bare(text: str) -> str:
    """Return a text without quotes around it, signs between words and punctuation at its end."""
    if text.isalnum():
        return text
    text = text.translate(_SINGLE_QUOTES)
    if len(text) > 2 and text[0] + text[-1] in _PAIRS_OF_QUOTES:
        text = text[1:-1].strip()
    text = text.rstrip(_AT_THE_END) or text
    inner = _IN_BRACKETS.fullmatch(text) or _OF_A_LIST.fullmatch(text)
    return _BETWEEN.sub(" ", text if inner is None else inner[1])


def _seen(label: str) -> str:
    """Return a text in composed letters, with plain spaces and without format characters."""
    if label.isascii():
        return label
    composed = unicodedata.normalize("NFC", label)
    categories = ((char, unicodedata.category(char)) for char in composed)
    return "".join(" " if kind == "Zs" else char for char, kind in categories if kind != "Cf")

"""What the labels of a text file are, decided from all that occur.

A CSV field has no type. If every label of both columns is a whole number, the labels are numbers;
if every one is true or false, booleans; otherwise they are text exactly as written,
so that '007' stays '007' and 't' stays 't'. A JSON value says itself what it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from decimal import Decimal

from karat.tally.classes import Label

__all__ = ["NotLabelsError", "of_csv", "of_json"]

_WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.0*)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
_MISSING = {"nan", "na", "n/a", "null", "none", "nil", "<na>", "nat"}


class NotLabelsError(Exception):
    """Some texts cannot be labels.

    Attributes:
        code: entry of the error catalogue.
        texts: the texts at fault, as the file writes them.
    """

    def __init__(self, code: str, texts: Sequence[str]) -> None:
        super().__init__(code)
        self.code = code
        self.texts = tuple(texts)


def of_csv(texts: Sequence[str]) -> list[Label]:
    """The label of each text of a CSV.

    Errors:
        NotLabelsError: K407 for numbers that are not whole, K104 for 'nan' among numbers.
    """
    trimmed = [text.strip() for text in texts]
    if all(map(_WHOLE.fullmatch, trimmed)):
        return [int(text.partition(".")[0]) for text in trimmed]
    lowered = [text.lower() for text in trimmed]
    if all(text in _BOOLEANS for text in lowered):
        return [_BOOLEANS[text] for text in lowered]
    if all(text in _BOOLEANS or _WHOLE.fullmatch(text) is not None for text in lowered) and {
        text for text in lowered if text not in _BOOLEANS
    } <= {"0", "1"}:
        return [int(_BOOLEANS[t]) if t in _BOOLEANS else int(t) for t in lowered]
    if any(map(_NUMBER.fullmatch, trimmed)):
        others = [text for text in lowered if not _NUMBER.fullmatch(text)]
        if others and all(text in _MISSING for text in others):
            raise NotLabelsError("K104", [t for t in texts if t.strip().lower() in _MISSING])
        is_padded = any(re.match(r"[+-]?0[0-9]", text) for text in trimmed)
        if not others and not is_padded:
            broken = [text for text in texts if not _is_whole(text)]
            if broken:
                raise NotLabelsError("K407", broken)
            # Not through a double, which would make one class of two long numbers.
            return [int(Decimal(text)) for text in trimmed]
    return list(texts)


def _is_whole(text: str) -> bool:
    return float(text).is_integer() and Decimal(text.strip()) == int(Decimal(text.strip()))


def of_json(texts: Sequence[str]) -> list[Label]:
    """The label of each JSON value.

    Errors:
        NotLabelsError: K407 for numbers that are not whole, K106 for lists and objects.
    """
    labels: list[Label] = []
    for text in texts:
        value = json.loads(text)
        if isinstance(value, float):
            if not math.isfinite(value) or not value.is_integer():
                raise NotLabelsError("K407", [t for t in texts if _is_broken(t)])
            value = int(value)
        if not isinstance(value, str | int):
            raise NotLabelsError("K106", [text])
        labels.append(value)
    return labels


def _is_broken(text: str) -> bool:
    value = json.loads(text)
    return isinstance(value, float) and not (math.isfinite(value) and value.is_integer())

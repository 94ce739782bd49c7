"""Types of the labels in text files, determined from all that occur.

A CSV field has no type. If every label of both columns is a whole number, the labels are numbers;
if every one is true or false, booleans; otherwise they are text exactly as written, so that '007'
stays '007' and 't' stays 't'. So are '12e4', and numbers that one column writes in two ways, as
'250.0' and '250.00'. A JSON value has a type. If formats are mixed, each text has a mark of its
origin, and a CSV field takes the type of the others.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias

from karat.data.labels.column import Kind
from karat.tally.classes import Label
from karat.tally.look_alikes import is_number

Reading: TypeAlias = Literal["typed", "csv", "json", "marked"]
"""Representation of a label: a typed value, as the text of a CSV field or of a JSON value,
or as text behind a mark: ``c`` CSV, ``j`` JSON, ``s`` string, ``n`` number, ``d`` double."""

NULLS = ("", "nan", "-nan", "na", "n/a", "#n/a", "<na>", "null", "nat")
"""Usual CSV texts for a missing value, in any case; and Python's `None`."""

DIGITS_MAX = 1000
"""Characters of the longest text that is read as a number."""

_CODE = re.compile(r"\s*(?:[+-]?0[0-9].*|[+-]?[0-9]+[eE][0-9]+\s*)", re.DOTALL)
_POINT = re.compile(r"^([+-]?[0-9]+)\.0$")
_BOOLEANS = {"true": True, "false": False}
_NULLS_AMONG_NUMBERS = frozenset({*NULLS, "none", "nil", "missing", "?", "-"})


class NotLabelsError(Exception):
    """Texts that cannot be labels: lists, objects, numbers of too many digits (K106).

    Attributes:
        texts: the invalid texts, as the file writes them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(*texts)
        self.texts = tuple(texts)


class FractionsError(NotLabelsError):
    """Numbers that are not whole (K407)."""


class TextBesideNumbersError(NotLabelsError):
    """Texts of a CSV, where other files have numbers (K410)."""


def labels_of_texts(
    texts: Sequence[str],
    reading: Reading,
    columns: Sequence[Collection[str]] = (),
    *,
    kind: Kind | None = None,
    is_one_csv: bool = False,
) -> list[Label]:
    """Return the label of each text, none of which denotes a missing value.

    Args:
        columns, kind, is_one_csv: of a CSV, as in `of_csv`.

    Errors:
        NotLabelsError: K407 for numbers that are not whole, K106 for lists and objects and for
            numbers of too many digits, K410 for text of a CSV if other files have numbers.
    """
    if reading != "typed":
        endless = [
            text for text in texts if len(text) > DIGITS_MAX and is_number(text.lstrip("cj"))
        ]
        if endless:
            raise NotLabelsError(endless)
    if reading == "csv":
        return of_csv(texts, columns, kind=kind, is_one_csv=is_one_csv)
    if reading == "json":
        return of_json(texts)
    return _of_marked(texts) if reading == "marked" else list(texts)


def missing_texts(
    texts: Sequence[str], reading: Reading, named: Collection[object], *, are_written: bool = False
) -> set[str]:
    """Return the texts that denote a missing label.

    In a CSV, they are the usual spellings of null, and among numbers a few more; in JSON, NaN.
    Typed text is never missing.

    Args:
        named: the declared classes, which are never missing values.
        are_written: whether texts are no numbers, whatever they look like.
    """
    if reading == "csv":
        return _missing_of_csv(texts, named, are_written=are_written)
    if reading == "json":
        return {text for text in texts if text.lower() in ("nan", "-nan")}
    if reading == "typed":
        return set()
    fields = [text[1:] for text in texts if text[0] == "c"]
    found = {"c" + text for text in _missing_of_csv(fields, named, are_written=are_written)}
    return found | {text for text in texts if text.lower() in ("dnan", "jnan", "j-nan", "d-nan")}


def _missing_of_csv(
    texts: Sequence[str], named: Collection[object], *, are_written: bool
) -> set[str]:
    found = {text for text in texts if is_null_like(text) and text not in named}
    rest = [text for text in texts if text not in found]
    if are_written:
        return found
    others = [text for text in rest if text.strip().lower() in _NULLS_AMONG_NUMBERS]
    is_numeric = len(others) < len(rest) and all(
        is_number(text) for text in rest if text not in others
    )
    return found | {text for text in others if text not in named} if is_numeric else found


def are_codes(texts: Iterable[str]) -> bool:
    """Return whether digits are codes, not numbers: with leading zeros, or as in `12e4`."""
    return any(map(_CODE.fullmatch, texts))


def has_several_forms(texts: Iterable[str], *, is_one_csv: bool) -> bool:
    """Return whether a number is written in several ways, such as `250.0` and `250.00`.

    Args:
        is_one_csv: whether `1` beside `1.0` is another one: of several files, one may hold floats.
    """
    bare = {text.strip() for text in texts}
    if not is_one_csv:
        bare = {_POINT.sub(r"\1", text) for text in bare}
    return len({Decimal(text) for text in bare}) < len(bare)


def is_null_like(text: str) -> bool:
    """Return whether a text is a usual spelling of a missing value."""
    bare = text.strip()
    return bare.lower() in NULLS or bare == "None"


def of_csv(
    texts: Sequence[str],
    columns: Sequence[Collection[str]] = (),
    *,
    kind: Kind | None = None,
    is_one_csv: bool = False,
) -> list[Label]:
    """Return the label of each text of a CSV.

    Args:
        columns: the texts of the truth and of the prediction; default: one column with all.
        kind: kind of the declared classes: texts of strings stay text, and of whole numbers all
            forms of a number are one class.
        is_one_csv: as in `has_several_forms`.

    Errors:
        NotLabelsError: K407 for numbers that are not whole, unless most of those predicted are
            also true: then they are codes, such as 401.9.
    """
    if kind == "string" or are_codes(texts):
        return list(texts)
    columns = columns or [texts]
    trimmed = [text.strip() for text in texts]
    lowered = [text.lower() for text in trimmed]
    if all(text in _BOOLEANS or text in ("0", "1") for text in lowered):
        # True is 1 between columns and files; in one column of a CSV, they are two classes.
        sides = [{text.strip().lower() in _BOOLEANS for text in column} for column in columns]
        if not is_one_csv or all(len(side) < 2 for side in sides):
            is_boolean = all(text in _BOOLEANS for text in lowered)
            labels: list[bool] = [_BOOLEANS.get(text, text == "1") for text in lowered]
            return list(labels) if is_boolean else list(map(int, labels))
        return list(texts)
    if not all(map(is_number, trimmed)):
        return list(texts)
    broken = {text for text in texts if not _is_whole(text)}
    # Of an exponent that no double holds, a decimal is not made.
    are_finite = all(math.isfinite(float(text)) for text in trimmed)
    may_merge = kind is None and are_finite
    if may_merge and any(has_several_forms(x, is_one_csv=is_one_csv) for x in columns):
        return list(texts)
    if broken:
        if len(columns) > 1 and _are_shared(broken, *columns):
            return list(texts)
        raise FractionsError([text for text in texts if text in broken])
    # Not through a double, which would merge long numbers.
    return [int(Decimal(text)) for text in trimmed]


def _are_shared(broken: set[str], true: Collection[str], pred: Collection[str]) -> bool:
    """Return whether most of the predicted numbers that are not whole are also true."""
    predicted = broken & {*pred}
    return bool(broken & {*true}) and 2 * len(predicted & {*true}) >= len(predicted)


def _is_whole(text: str) -> bool:
    return float(text).is_integer() and Decimal(text.strip()) == int(Decimal(text.strip()))


def of_json(texts: Sequence[str]) -> list[Label]:
    """Return the label of each JSON value.

    Errors:
        NotLabelsError: K407 for numbers that are not whole, K106 for lists and objects.
    """
    return _of_each(texts, lambda text: _of_json_value(text, text))


def _of_each(texts: Sequence[str], label_of: Callable[[str], Label | None]) -> list[Label]:
    """Return the label of each text; K407 for all without one, if any."""
    labels: list[Label] = []
    for text in texts:
        label = label_of(text)
        if label is None:
            raise FractionsError([other for other in texts if _is_broken(other, label_of)])
        labels.append(label)
    return labels


def _is_broken(text: str, label_of: Callable[[str], Label | None]) -> bool:
    try:
        return label_of(text) is None
    except NotLabelsError:
        return False


def _of_json_value(value: str, text: str) -> Label | None:
    """Return the label of a JSON value, a text in messages; None for a number that is not whole."""
    found = json.loads(value)
    if isinstance(found, float):
        return int(found) if math.isfinite(found) and found.is_integer() else None
    if not isinstance(found, str | int):
        raise NotLabelsError([text])
    return found


def kind_marked(text: str) -> Literal["text", "number"] | None:
    """Return the type of a marked text; None for a field of a CSV."""
    if text[0] == "c":
        return None
    return "text" if text[0] == "s" or text.startswith('j"') else "number"


def _of_marked(texts: Sequence[str]) -> list[Label]:
    fields = [text[1:] for text in texts if text[0] == "c"]
    if "text" in map(kind_marked, texts):
        read: Sequence[Label] = fields
    else:
        read = of_csv(fields, kind="integer")
        if any(isinstance(label, str) for label in read):
            bad = [t for t in fields if not is_number(t) and t.strip().lower() not in _BOOLEANS]
            raise TextBesideNumbersError(["c" + text for text in bad or fields])
    of_fields = dict(zip(("c" + text for text in fields), read, strict=True))
    return _of_each(texts, lambda text: of_fields[text] if text[0] == "c" else _of_typed(text))


def _of_typed(text: str) -> Label | None:
    """Return the label of a marked value; None for a number that is not whole."""
    mark, value = text[0], text[1:]
    if mark == "s":
        return value
    if mark == "j":
        return _of_json_value(value, text)
    if mark == "n":
        if value in _BOOLEANS:
            return _BOOLEANS[value]
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else None
    # The value of the double, not of its printed digits.
    return int(float(value)) if float(value).is_integer() else None

"""The values of a description: numbers, choices, hints, costs; and the error of a wrong one."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, short

__all__ = [
    "as_average",
    "as_bool",
    "as_border",
    "as_class",
    "as_cost",
    "as_hints",
    "as_number",
    "as_type",
    "positive",
    "refused",
]

_BOOLS: Final = {
    word: value
    for value, words in (
        (True, ("true", "1", "yes", "on", "t", "y", "da")),
        (False, ("false", "0", "no", "off", "f", "n", "net")),
    )
    for word in words
}
_NUMBER: Final = re.compile(r" *[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ENUMS: Final = {
    "EF1AverageType": ("Micro", "Macro", "Weighted"),
    "EAucType": ("Classic", "Ranking", "Mu", "OneVsAll"),
    "EAccuracyType": ("Classic", "PerClass"),
}
_HINT_FORM: Final = (
    'Invalid hints description, it should be in the form "hints=key1~value1|...|keyN~valueN"'
)


def refused(metric: Any, found: str, do: str) -> KaratError:
    """K601: the description, what CatBoost says of it, and what helps."""
    return error("K601", metric=metric, found=found, do=do)


def as_bool(text: str, value: str) -> bool:
    """A boolean: true and false, 1 and 0, yes and no, in any case.

    Errors:
        K601 it is none.
    """
    found = _BOOLS.get(value.lower())
    if found is None:
        raise refused(text, f"Cannot parse bool({value})", "Write use_weights=true or =false.")
    return found


def as_number(text: str, key: str, value: str) -> float:
    """A finite number, rounded to float32 as CatBoost keeps it.

    Errors:
        K601 it is none.
    """
    if _NUMBER.fullmatch(value):
        with np.errstate(over="ignore", under="ignore"):
            number = float(np.float32(value))
        if math.isfinite(number):
            return number
    raise refused(text, f"cannot parse float({value})", f"Write {key}= a finite number like 0.5.")


def positive(text: str, key: str, number: float) -> float:
    """The number, which has to be above 0.

    Errors:
        K601 it is not: CatBoost takes it and gives NaN or the value of another beta.
    """
    if number > 0:
        return number
    raise refused(text, f"{key}={number:g} is not above 0", "Its range is (0; +∞).")


def as_border(text: str, value: str) -> float:
    """The least probability of class 1 that predicts it, of one column of scores.

    Errors:
        K601 it is not between 0 and 1.
    """
    border = as_number(text, "proba_border", value)
    if 0.0 <= border <= 1.0:
        return border
    raise refused(
        text, "Probability threshold must be in [0, 1] interval", "Write proba_border=0.5."
    )


def as_average(text: str, value: str) -> str:
    """Micro, Macro or Weighted.

    Errors:
        K601 it is none of these.
    """
    return _choice(text, "EF1AverageType", value)


def as_type(text: str, name: str, value: str) -> str:
    """The type of an AUC, a PRAUC or an accuracy.

    Errors:
        K601 there is no such type.
    """
    if name != "Accuracy":
        return _choice(text, "EAucType", value)
    if _choice(text, "EAccuracyType", value) == "PerClass":
        found = "PerClass accuracy is meaningfull for multilabel only"
        raise refused(text, found, "Recall is the accuracy of each class.")
    return value


def as_class(text: str, value: str) -> int:
    """The class of a name that CatBoost reports.

    Errors:
        K601 it is not a whole number.
    """
    if re.fullmatch("[0-9]{1,9}", value):
        return int(value)
    raise refused(text, f"class={value} is not a class", "Classes are 0, 1, 2 …")


def as_hints(text: str, value: str) -> tuple[tuple[str, str], ...]:
    """Hints, which change no value: ``skip_train~true``.

    Errors:
        K601 another hint, or another form.
    """
    hints: dict[str, str] = {}
    for part in value.split("|"):
        key, tilde, choice = part.partition("~")
        if not tilde:
            raise refused(text, _HINT_FORM, "Write hints=skip_train~true.")
        if key in hints:
            found = "Two similar keys in hints description are not allowed"
            raise refused(text, found, "Give each hint once.")
        if key != "skip_train":
            raise refused(text, f"No hint called {key}", "The only hint is skip_train.")
        if choice not in ("true", "false"):
            found = "skip_train hint value should be true or false"
            raise refused(text, found, "Write hints=skip_train~true, in lower case.")
        hints[key] = choice
    return tuple(hints.items())


def as_cost(text: str, value: str) -> npt.NDArray[np.float64]:
    """The matrix of costs, row by row: row decided, column true.

    Errors:
        K601 not square, a number that is none, or a cost of a right decision.
    """
    if "," in value:
        found = "CatBoost's page separates the costs by commas, its parser by slashes"
        raise refused(text, found, f"Write {short(value.replace(' ', '').replace(',', '/'), 60)}.")
    parts = value.split("/")
    size = math.isqrt(len(parts))
    if size * size != len(parts):
        found = "Size of Matrix should be a square of integer"
        raise refused(text, found, f"There are {len(parts)} costs; 3 classes take 9.")
    for part in parts:
        if not _NUMBER.fullmatch(part) or not math.isfinite(float(part)):
            found = f"Building matrix with size {size}, cannot parse {part!r} as a float"
            raise refused(text, found, "Write finite numbers like 0/0.5/1/0.")
    cost = np.array([float(part) for part in parts]).reshape(size, size)
    if np.diagonal(cost).any():
        found = "Diagonal elements of the misclass cost matrix should be equal to 0"
        raise refused(text, found, "A right decision costs nothing.")
    cost.setflags(write=False)
    return cost


def _choice(text: str, enum: str, value: str) -> str:
    options = _ENUMS[enum]
    if value in options:
        return value
    listed = ", ".join(map(repr, options))
    found = f"Key {value!r} not found in enum {enum}. Valid options are: {listed}"
    near = difflib.get_close_matches(value.strip().title(), options, 1)
    raise refused(text, found, f"Write {near[0] if near else options[-1]}: case counts.")

"""The parts of a JSON text that claims to be a report: each read as what it has to be.

Every refusal says where the part stands, what it is and what it should be.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.tally.serialization import each_once

__all__ = ["Part", "any_number_to_json", "parsed", "refused"]

_EXACT = 1 << 53
"""Up to here a whole number written as a float, 3.0, is that number."""
_LONGEST = 60
_NAMED = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_MOST_DIGITS = 300
"""Of whole numbers: more would be no number of float64."""


def refused(found: str, do: str = "Write the report again with to_json().") -> KaratError:
    """The error of a text that is not a whole report."""
    return error("K205", thing="report in JSON", found=found, do=do)


def any_number_to_json(x: float) -> float | str:
    """A number as it is; infinite ones and NaN, which JSON does not have, as text."""
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def parsed(text: str | bytes) -> Part:
    """The text as JSON in its strict form: no NaN, no number too large, no key twice.

    Errors:
        K205 it is not JSON.
    """
    try:
        return Part(
            json.loads(
                text,
                parse_constant=_no_constant,
                parse_float=_finite,
                parse_int=_countable,
                object_pairs_hook=each_once,
            )
        )
    except RecursionError:
        raise refused("It is nested too deeply to be a report") from None
    except ValueError as problem:
        raise refused(f"It is not JSON: {problem}") from None


@dataclass(frozen=True, slots=True)
class Part:
    """A value in a JSON text, and where it stands.

    Attributes:
        value: what `json` made of it.
        path: ``"tally.cells[3][2]"``; empty for the whole text.
    """

    value: Any
    path: str = ""

    def is_not(self, wanted: str) -> KaratError:
        """The error of a part that is something else."""
        kinds: dict[type, str] = {dict: "an object", list: "a list"}
        shown = kinds.get(type(self.value)) or json.dumps(self.value)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        return refused(f"{self.path or 'It'} is {shown}, not {wanted}")

    def __getitem__(self, key: str) -> Part:
        found = self.get(key)
        if found is None:
            raise refused(f"{self._below(key)} is missing")
        return found

    def get(self, key: str) -> Part | None:
        """The part of that name, or None where there is none."""
        if not isinstance(self.value, dict):
            raise self.is_not("an object")
        return Part(self.value[key], self._below(key)) if key in self.value else None

    def fields(self) -> Iterator[tuple[str, Part]]:
        """Name and part of an object."""
        if not isinstance(self.value, dict):
            raise self.is_not("an object")
        return ((key, self[key]) for key in self.value)

    def items(self) -> Iterator[Part]:
        """The parts of a list."""
        if not isinstance(self.value, list):
            raise self.is_not("a list")
        return (Part(item, f"{self.path}[{i}]") for i, item in enumerate(self.value))

    @property
    def is_null(self) -> bool:
        """Whether it is null."""
        return self.value is None

    @property
    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.is_not("true or false")
        return self.value

    @property
    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            raise self.is_not("a string")
        return self.value

    @property
    def texts(self) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(item.text for item in self.items())

    @property
    def label(self) -> str | int | bool:
        """The label of a class."""
        if not isinstance(self.value, str | int):
            raise self.is_not("a label (a string, a whole number, true or false)")
        return self.value

    @property
    def number(self) -> float:
        """A number."""
        if not _is_number(self.value):
            raise self.is_not("a number")
        return float(self.value)

    @property
    def number_or_nan(self) -> float:
        """A number; NaN of null."""
        if self.is_null:
            return math.nan
        if not _is_number(self.value):
            raise self.is_not("a number or null")
        return float(self.value)

    @property
    def any_number(self) -> float:
        """A number, an infinite one or NaN, as `any_number_to_json` writes them."""
        if isinstance(self.value, str) and self.value in _NAMED:
            return _NAMED[self.value]
        if not _is_number(self.value):
            raise self.is_not("a number, 'inf', '-inf' or 'nan'")
        return float(self.value)

    @property
    def count(self) -> int:
        """A whole number of at least 0 that 64 bits hold."""
        found = _as_whole(self.value)
        if found is None or not 0 <= found < 1 << 63:
            raise self.is_not("a whole number of at least 0")
        return found

    def counts(self) -> npt.NDArray[np.int64]:
        """Whole numbers int64[...] of a list of any depth."""
        numbers = self._numbers()
        if (
            numbers.dtype.kind == "f"
            and not ((numbers == np.floor(numbers)) & (np.abs(numbers) <= _EXACT)).all()
        ):
            raise self._first_wrong(lambda leaf: _as_whole(leaf) is None, "a whole number")
        return numbers.astype(np.int64)

    def amounts(self) -> npt.NDArray[np.float64]:
        """Numbers float64[...] of a list of any depth."""
        return self._numbers().astype(np.float64)

    def _numbers(self) -> npt.NDArray[Any]:
        if not isinstance(self.value, list):
            raise self.is_not("a list of numbers")
        try:
            numbers = np.array(self.value) if self.value else np.zeros(0, np.int64)
        except ValueError:
            raise refused(f"{self.path} has rows that differ in length") from None
        # numpy takes true for 1 where numbers stand beside it.
        if numbers.dtype.kind not in "if" or _holds_flags(self.value):
            raise self._first_wrong(lambda leaf: not _is_number(leaf), "a number")
        return numbers

    def _first_wrong(self, is_wrong: Any, wanted: str) -> KaratError:
        """The error of the first number of nested lists that is none."""
        for leaf in self._leaves():
            if is_wrong(leaf.value):
                return leaf.is_not(wanted)
        return refused(f"{self.path} holds numbers that are too large")

    def _leaves(self) -> Iterator[Part]:
        for item in self.items():
            if isinstance(item.value, list):
                yield from item._leaves()
            else:
                yield item

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _holds_flags(values: list[Any]) -> bool:
    kinds = set(map(type, values))
    return bool in kinds or (list in kinds and any(map(_holds_flags, values)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_whole(value: Any) -> int | None:
    """The whole number that a value is, 3 or 3.0; None for all else."""
    if not _is_number(value) or value != value // 1:
        return None
    return int(value) if isinstance(value, int) or abs(value) <= _EXACT else None


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:_LONGEST]} is larger than any number that is read")
    return number


def _countable(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{text[:20]}… has {len(text)} digits")
    return int(text)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON; a value that is not a finite number is null")

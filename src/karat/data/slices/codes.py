"""Which slice each row is in: values, bins of numbers, crosses of columns, rows without a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.clusters import encode_names
from karat.data.labels.column import Flags, resolved
from karat.data.slices.bins import (
    MOST_WHOLE,
    N_BINS,
    Binned,
    bins_of_numbers,
    bins_of_range,
    bins_of_whole,
    read_codes,
)
from karat.data.weights import as_weights
from karat.errors import KaratError, error, short
from karat.tally.axes import key_of

__all__ = [
    "MISSING",
    "MOST",
    "N_BINS",
    "Key",
    "SliceCodes",
    "as_slices",
    "coded_texts",
    "crossed",
    "in_order",
    "named_columns",
    "of_columns",
]

Codes: TypeAlias = npt.NDArray[np.int32]
Key: TypeAlias = tuple[str, ...]

MISSING: Final = "(missing)"
"""The slice of rows without a value."""
MOST: Final = 1000
"""Slices of a column; each costs a table of true × predicted classes."""
ALONE: Final = "by"
"""What an array is called that nobody named."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceCodes:
    """The slice of each row.

    Attributes:
        columns: the column, or the columns of a cross.
        codes: int32[n], from 0.
        keys: what each slice is called in each of the columns.
        bins: whether the slices of a single column are bins of its numbers.
    """

    columns: tuple[str, ...]
    codes: Codes
    keys: tuple[Key, ...]
    bins: bool = False

    def at(self, rows: npt.NDArray[Any] | None) -> SliceCodes:
        """Those of some rows: bool[n], or their places; slices without rows are left out."""
        if rows is None:
            return self
        codes = self.codes[rows]
        is_held = np.bincount(codes, minlength=len(self.keys)) > 0
        if is_held.all():
            return replace(self, codes=codes)
        lut = np.cumsum(is_held, dtype=np.int32) - 1
        keys = tuple(compress(self.keys, is_held.tolist()))
        return replace(self, codes=lut[codes].astype(np.int32), keys=keys)


def as_slices(by: Any, n: int) -> tuple[SliceCodes, ...]:
    """The slices of rows in memory.

    Args:
        by: one value a row, [n]; or a dict from name to such values, where a tuple of names has a
            tuple of as many columns: their cross.
        n: rows.

    Errors:
        K102 another number of rows; K106 values of several kinds; K181 it is no such thing;
        K182 too many slices.

    Example:
        >>> (found,) = as_slices({"country": ["NO", "SE", None]}, 3)
        >>> found.codes.tolist(), found.keys
        ([0, 1, 2], (('NO',), ('SE',), ('(missing)',)))
    """
    if isinstance(by, str):
        raise error(
            "K181",
            found=f"by={by!r} names a column, and there is no table",
            do="Give one value for each row, or a dict from name to values.",
        )
    if not isinstance(by, Mapping):
        name = getattr(by, "name", None)
        return (coded_values(by, name if isinstance(name, str) and name else ALONE, n),)
    if not by:
        raise error("K181", found="by= is empty", do="Give {'country': countries}, or leave it out")
    refuse_same_names(by)
    found = []
    for name, values in by.items():
        if not isinstance(name, tuple):
            found.append(coded_values(values, str(name), n))
            continue
        if not name or len({str(one) for one in name}) < len(name):
            raise error(
                "K181",
                found=f"The key {name!r} of by= names {'a column twice' if name else 'no column'}",
                do="A cross is of different columns: {('country', 'sex'): (a, b)}.",
            )
        if not isinstance(values, list | tuple) or len(values) != len(name):
            raise error(
                "K181",
                found=f"by[{name!r}] is {short(values)}",
                do="The cross of columns takes a tuple of them: {('country', 'sex'): (a, b)}.",
            )
        parts = [coded_values(x, str(one), n) for x, one in zip(values, name, strict=True)]
        found.append(crossed(parts))
    return tuple(found)


def refuse_same_names(by: Mapping[Any, Any]) -> None:
    """Refuse names that are the same as text: one would take the place of the other (K181)."""
    seen: dict[Key, Any] = {}
    for name in by:
        key = key_of(name)
        if key in seen:
            raise error(
                "K181",
                found=f"Its keys {seen[key]!r} and {name!r} are one name",
                do="Columns are known by the text of their names: give each a text of its own.",
            )
        seen[key] = name


def named_columns(by: Any) -> tuple[Key, ...]:
    """The columns of a table that make slices: a name, several, and crosses as tuples.

    Errors:
        K181 it is neither.

    Example:
        >>> named_columns(["country", ("country", "sex")])
        (('country',), ('country', 'sex'))
    """
    items = by if isinstance(by, list) else [by]
    found: list[Key] = []
    for item in items:
        names = item if isinstance(item, tuple) else (item,)
        is_name = [isinstance(name, str | int) and not isinstance(name, bool) for name in names]
        if not names or not all(is_name) or len(set(names)) < len(names):
            raise error(
                "K181",
                found=f"by= is {short(by)} ({type(by).__name__}), not names of columns",
                do="Name columns of the table: by='country', by=['country', ('country', 'sex')].",
            )
        found.append(tuple(str(name) for name in names))
    if not found:
        raise error("K181", found="by= is empty", do="Name a column, or leave it out.")
    return tuple(dict.fromkeys(found))


def of_columns(wanted: Iterable[Key], single: Mapping[str, SliceCodes]) -> tuple[SliceCodes, ...]:
    """The slices of each column and cross, from those of single columns (K182: too many)."""
    return tuple(crossed([single[name] for name in names]) for names in wanted)


def crossed(parts: Sequence[SliceCodes], most: int = MOST) -> SliceCodes:
    """The slices of all pairs of values of the columns that occur (K182: too many)."""
    found = parts[0]
    for part in parts[1:]:
        columns = (*found.columns, *part.columns)
        pairs = found.codes.astype(np.int64) * len(part.keys) + part.codes
        seen, codes = np.unique(pairs, return_inverse=True)
        _check_number(len(seen), " × ".join(columns), most)
        left, right = np.divmod(seen, len(part.keys))
        keys = tuple(
            (*found.keys[i], *part.keys[j])
            for i, j in zip(left.tolist(), right.tolist(), strict=True)
        )
        found = SliceCodes(columns, codes.reshape(-1).astype(np.int32), keys)
    return found


def coded_values(values: Any, name: str, n: int, *, beside: str = "y_true") -> SliceCodes:
    """The slices of one column of values in memory; `beside` has as many rows in messages."""
    argument = f"by[{name!r}]" if name != ALONE else "by"
    try:
        column = encode_names(values, argument, "keep")
    except KaratError as problem:
        if problem.code != "K105":
            raise
        numbers = as_weights(values, n, argument, beside=beside)
        gone = np.isnan(numbers)
        return _of_bins(bins_of_numbers(numbers, gone, name), gone if gone.any() else None, name)
    if len(column) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(column))
    missing = column.missing
    if missing is not None and missing.all():
        return SliceCodes((name,), np.zeros(n, np.int32), ((MISSING,),))
    if column.kind == "integer" and column.labels is None:
        return _of_bins(bins_of_range(column.codes, missing, name), missing, name)
    found = resolved(column)
    codes = (found.codes.astype(np.int64) - found.base).astype(np.int32)
    labels = found.labels or ()
    if column.kind == "integer":
        whole = [int(x or 0) for x in labels]
        return _of_bins(bins_of_whole(codes, whole, missing, name), missing, name)
    texts = ["" if label is None else str(label) for label in labels]
    if column.kind == "boolean":
        texts = [text.lower() for text in texts]
    return _of_texts(codes, texts, missing, name)


def coded_texts(
    codes: Codes,
    texts: Sequence[str],
    missing: Flags | None,
    name: str,
    *,
    is_number: bool,
    counts: npt.NDArray[np.int64] | None = None,
) -> SliceCodes:
    """The slices of a column that was read as text (K182: too many).

    Args:
        codes: int32[n], of the texts; they mean nothing where a row has no value.
        is_number: whether the texts are numbers.
        counts: int64[n], the rows that each row stands for; None: itself.
    """
    if is_number and texts:
        if all(map(_WHOLE.fullmatch, texts)):
            whole = [int(text) for text in texts]
            return _of_bins(bins_of_whole(codes, whole, missing, name, counts), missing, name)
        numbers = np.array([*map(_number, texts)])[read_codes(codes, missing)]
        # NaN in a column of numbers is no value either.
        gone = np.isnan(numbers) if missing is None else np.isnan(numbers) | missing
        missing = gone if gone.any() else None
        return _of_bins(bins_of_numbers(numbers, missing, name, counts), missing, name)
    return _of_texts(codes, texts, missing, name)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


_WHOLE: Final = re.compile("-?[0-9]{1,40}")
"""Of more digits it is a number like any other."""


def _of_texts(codes: Codes, texts: Sequence[str], missing: Flags | None, name: str) -> SliceCodes:
    """One slice a text, in the order of their names; the missing rows last."""
    held = codes if missing is None else codes[~missing]
    seen = np.flatnonzero(np.bincount(held, minlength=len(texts)))
    names = list(dict.fromkeys(texts[code] for code in seen.tolist()))
    _check_number(len(names) + (missing is not None), name)
    ordered = in_order(names)
    place = {text: i for i, text in enumerate(ordered)}
    lut = np.full(max(len(texts), 1), -1, np.int32)
    lut[seen] = [place[texts[code]] for code in seen.tolist()]
    return _with_missing(lut[read_codes(codes, missing)], ordered, missing, name)


def _of_bins(found: Binned, missing: Flags | None, name: str) -> SliceCodes:
    return replace(_with_missing(found.codes, found.names, missing, name), bins=found.bins)


def _with_missing(
    codes: npt.NDArray[Any], names: Sequence[str], missing: Flags | None, name: str
) -> SliceCodes:
    coded = codes.astype(np.int32)
    if missing is None:
        return SliceCodes((name,), coded, tuple((text,) for text in names))
    last = MISSING
    while last in names:
        last = f"({last})"
    coded = np.where(missing, len(names), coded).astype(np.int32)
    return SliceCodes((name,), coded, tuple((text,) for text in (*names, last)))


def _check_number(n: int, column: str, most: int = MOST) -> None:
    if n > most:
        raise error(
            "K182", column=f"by={column!r}", n=n, most=most, distinct=MOST_WHOLE, bins=N_BINS
        )


def in_order(names: Iterable[str]) -> list[str]:
    """Names of slices: by their size where all are numbers, else by their text.

    Example:
        >>> in_order(["1000", "900", "-3.5"]), in_order(["b", "10", "9"])
        (['-3.5', '900', '1000'], ['10', '9', 'b'])
    """
    listed = sorted(names)
    try:
        sizes = [float(name) for name in listed]
    except ValueError:
        return listed
    return sorted(listed, key=float) if np.isfinite(sizes).all() else listed

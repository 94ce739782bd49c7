"""Values of columns of tables in memory: shared ids, groups of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.arrow import ArrowColumn, numbers_of
from karat.data.checks import N_FIRST, N_PAIRS, are_groups, repeated_ids
from karat.data.clusters import encode_names
from karat.data.labels.column import Column
from karat.data.labels.containers import encode
from karat.data.roles import shown_column
from karat.data.sources.tables.frames import Frame
from karat.errors import KaratError, error
from karat.errors.doubts import Doubt
from karat.errors.reasons import NotLabelsError

_MOST_IDS: Final = 200_000
"""Number of rows above which detected ids are not compared, to limit the run time."""


def doubts_of_ids(
    frame: Frame, column: str | None, n_rows: int, values: Mapping[str, Any], *, is_named: bool
) -> list[Doubt]:
    """Return the warning about rows of a table that share an id; none without a column of ids.

    Ids that cannot be labels, such as numbers that are not whole, lists, or text mixed with
    numbers, are compared as text.

    Args:
        column: the column of ids, or None.
        values: columns that were read with the labels.
        is_named: whether the caller named the column. A detected one is ignored with more than
            200,000 rows, and if it is an Arrow column without one value for each row.

    Errors:
        K102 another number of ids than of rows; K106 the named column cannot be compared.

    Cost: the column is read and sorted once.
    """
    if column is None or (n_rows > _MOST_IDS and not is_named):
        return []
    try:
        if column not in values:
            values = frame.columns([column], ["the row ids"])
        ids = _coded(values[column], column)
    except KaratError as problem:
        if not is_named:
            # Not ids of rows after all: they are not needed for anything else.
            return []
        if not isinstance(problem, NotLabelsError):
            raise
        advice = "Ids are text, numbers or times; ids='' leaves them out."
        raise problem.but(advice=advice) from None
    if len(ids) != n_rows:
        if not is_named:
            return []
        left, right = "the table", f"column {column!r}"
        raise error("K102", left=left, n_left=n_rows, right=right, n_right=len(ids))
    return _repeated(ids, column)


def doubts_of_values(ids: Any) -> list[Doubt]:
    """Return the warning about ids that repeat, given as values; none if they cannot be read."""
    try:
        return _repeated(encode_names(ids, "ids", "keep"), None)
    except KaratError:
        return []


def _repeated(ids: Column, column: str | None) -> list[Doubt]:
    present = _present(ids)
    found, counts = np.unique(present, return_counts=True)
    n_repeated = int(counts[counts > 1].sum())
    if not n_repeated:
        return []
    label = ids.label_at(int(np.argmax(ids.codes == found[counts.argmax()])))
    return [repeated_ids(n_repeated, len(ids), column, label)]


@dataclass(frozen=True, slots=True)
class ValuesOfFrame:
    """Values of columns of a table: `columns.Values`."""

    frame: Frame

    def first(self, column: str) -> str | None:
        """Return the first value of a column as text; None without one."""
        ids = self._first_rows(column)
        is_there = None if ids is None or ids.missing is None else ~ids.missing
        if ids is None or (is_there is not None and not is_there.any()):
            return None
        return str(ids.label_at(0 if is_there is None else int(is_there.argmax())))

    def are_groups(self, column: str) -> bool:
        """Return whether values of a column repeat, and are not all equal; True if unknown."""
        ids = self._first_rows(column)
        if ids is None:
            return True
        present = _present(ids)
        found = are_groups(len(present), len(np.unique(present)), len(ids))
        if found is None:
            # All of them are equal: there are more rows than were examined.
            found = len(np.unique(_present(self._whole(column)))) > 1
        return found

    def distinct(self, column: str) -> set[str] | None:
        """Return the distinct values of the first rows as text; None if unknown."""
        ids = self._first_rows(column)
        return None if ids is None else set(_texts_of(ids)) - {""}

    def written(self, column: str) -> set[str]:
        """Return nothing: the columns have types."""
        del column
        return set()

    def rows(self, columns: Sequence[str]) -> list[tuple[str, ...]] | None:
        """Return the first rows of some columns as texts; None if unknown."""
        found = [self._first_rows(column, N_PAIRS) for column in columns]
        known = [_texts_of(ids) for ids in found if ids is not None]
        return list(zip(*known, strict=True)) if len(known) == len(found) else None

    def _first_rows(self, column: str, n: int = N_FIRST) -> Column | None:
        """Return the first rows as codes; None if they cannot be read separately."""
        read = self.frame.first_rows
        if read is None or self.frame.names.count(column) != 1:
            return None
        try:
            return _coded(read(column, n), column)
        except Exception:  # the class of the table may raise anything; the read itself reports it
            return None

    def _whole(self, column: str) -> Column:
        return _coded(self.frame.columns([column])[column], column)


def _texts_of(ids: Column) -> list[str]:
    """Return the values as text, "" for missing ones."""
    missing = np.zeros(len(ids), np.bool_) if ids.missing is None else ids.missing
    texts = {code: str(ids.label_at(i)) for code, i in _places(ids.codes, missing)}
    pairs = zip(ids.codes.tolist(), missing.tolist(), strict=True)
    return ["" if is_missing else texts[code] for code, is_missing in pairs]


def _places(codes: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return each code that is there, with a row of it."""
    there = np.flatnonzero(~missing)
    found, first = np.unique(codes[there], return_index=True)
    return list(zip(found.tolist(), there[first].tolist(), strict=True))


def _present(ids: Column) -> npt.NDArray[Any]:
    codes: npt.NDArray[Any] = ids.codes if ids.missing is None else ids.codes[~ids.missing]
    return codes


def _coded(values: Any, column: str) -> Column:
    """Return a column as codes of its values; values that are not labels as text (K106)."""
    argument = shown_column(column)
    try:
        return encode_names(values, argument, "keep")
    except KaratError as problem:
        texts = _texts(values)
        if texts is None:
            found = problem.context.get("found", "It holds no values that can be compared")
            raise error("K106", argument=argument, found=found) from None
    return encode(texts, argument, nulls="keep")


def _texts(values: Any) -> list[str | None] | None:
    """Return values of any class as text, whole numbers as files write them; None if missing."""
    try:
        if isinstance(values, ArrowColumn):
            numbers = numbers_of(values)
            if numbers is None:
                return None
            return list(map(_text, numbers.tolist()))
        named = ("to_list", "tolist")
        method = next((getattr(values, name) for name in named if hasattr(values, name)), None)
        return list(map(_text, list(values) if method is None else method()))
    except Exception:  # the class of a value may raise anything
        return None


def _text(value: Any) -> str | None:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)

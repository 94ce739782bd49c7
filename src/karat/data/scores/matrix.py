"""Matrix of the score columns of a stream, filled batch by batch in its own type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow import ArrowColumn, NotOneLengthError, lists_of, nulls_of, pieces_of
from karat.data.labels.column import Flags
from karat.data.percents import conversion_in_files, is_percent, reading_of_comma
from karat.data.scores.numbers import Array, Origin, real, with_comma
from karat.data.sources.files.row_blocks import Batch
from karat.errors import error
from karat.tally.row_sample import row_parts
from karat.tally.score_kind import Argument, ScoreKind

Floats: TypeAlias = npt.NDArray[np.float64]

_GROUP_BYTES = 128
_COPIED_BYTES = 1 << 25
"""Largest total size of copied columns."""


class Columns:
    """The columns of a matrix of scores, each contiguous.

    A row-major matrix is read once for several neighboring columns, which are cached until a column
    of another group is requested: at most 32 MiB. Request them in order. Longer columns are
    returned as views.

    Args:
        values: float32 or float64[n, k].
        fewest: number of columns below which they are not copied together.

    Example:
        >>> import numpy as np
        >>> columns = Columns(np.array([[0.9, 0.1], [0.3, 0.7]]))
        >>> columns[1].tolist()
        [0.1, 0.7]
    """

    def __init__(
        self, values: npt.NDArray[Any], n_threads: int | None = None, fewest: int = 2
    ) -> None:
        self._values = values
        self._n_threads = n_threads or 0
        most = min(_GROUP_BYTES, _COPIED_BYTES // max(len(values), 1)) // values.itemsize
        self._group = most if most >= fewest else 1
        self._kept: tuple[int, npt.NDArray[Any]] | None = None

    @property
    def n_together(self) -> int:
        """Number of neighboring columns copied at once; 1 if columns are returned as views."""
        return 1 if self._group < 2 or self._values[:, 0].flags.c_contiguous else self._group

    def __len__(self) -> int:
        """Return the number of columns."""
        width: int = self._values.shape[1]
        return width

    def __getitem__(self, i: int) -> npt.NDArray[Any]:
        """Return column i, float[n]; a view if it is contiguous, or very long."""
        column: npt.NDArray[Any] = self._values[:, i]
        if column.flags.c_contiguous or self._group < 2:
            return column
        first = i - i % self._group
        if self._kept is None or self._kept[0] != first:
            self._kept = None  # its memory is free for the next group
            count = min(self._group, len(self) - first)
            copy = _native.copy_columns(self._values, first, count, self._n_threads)
            self._kept = first, copy
        found: npt.NDArray[Any] = self._kept[1][i - first]
        return found


class Differences:
    """The columns of two scores a row as those of one: each less the other.

    What both columns share carries nothing about the class. In float64; a finite pair never gives
    an infinite difference.

    Args:
        values: float32 or float64[n, 2].

    Example:
        >>> import numpy as np
        >>> Differences(np.array([[5.0, 7.0], [1.0, 0.0]]))[1].tolist()
        [2.0, -1.0]
    """

    n_together = 1

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self._values = values
        self._last: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Return the number of columns."""
        return 2

    def __getitem__(self, i: int) -> npt.NDArray[np.float64]:
        """Return float64[n], the score of class i less that of the other."""
        if self._last is None:
            first, last = self._values[:, 0], self._values[:, 1]
            with np.errstate(over="ignore", invalid="ignore"):
                found = np.subtract(last, first, dtype=np.float64)
            self._last = _finite(found, self._values)
        return self._last if i == 1 else -self._last


class LogOdds:
    """The log-odds of each class against all others, of the logits of more than two classes.

    z[i] − log Σ exp z[j] over the other classes j, in float64. They order the rows as the
    probabilities do, also where these are 0 or 1 in every floating-point type. Rows whose logits
    differ by a constant, or by the order of the other classes, have equal log-odds; finite logits
    never give infinite ones.

    Args:
        values: float32 or float64[n, k].

    Example:
        >>> import numpy as np
        >>> LogOdds(np.array([[800.0, 0.0, 0.0], [0.0, 0.0, -800.0]]))[0].round(6).tolist()
        [799.306853, 0.0]
    """

    n_together = 1

    def __init__(self, values: npt.NDArray[Any], n_threads: int | None = None) -> None:
        self._values = values
        self._logits = Columns(values, n_threads)
        self._facts: _LargestTwo | None = None

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._logits)

    def __getitem__(self, i: int) -> Floats:
        """Return float64[n], the log-odds of class i."""
        if self._facts is None:
            self._facts = _LargestTwo.of(self._values)
        known, column = self._facts, self._logits[i]
        found = np.empty(len(column))
        for part in row_parts(len(column)):
            first, second = known.first[part], known.second[part]
            logit = column[part].astype(np.float64)
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                gap = logit - first
                # Both of the two largest are others, so that no digits cancel.
                odds = gap - np.log1p(known.rest[part] - np.exp(gap))
            odds = np.where(logit == second, known.of_second[part], odds)
            found[part] = np.where(logit == first, known.of_first[part], odds)
        return _finite(found, self._values)


class _LargestTwo(NamedTuple):
    """Of each row, [n]: the two largest logits as given, float64 of their log-odds, and the rest.

    `rest` is Σ exp(z − first) over all but the first. Sums go over sorted logits, so that the order
    of the classes does not change them.
    """

    first: npt.NDArray[Any]
    second: npt.NDArray[Any]
    of_first: Floats
    of_second: Floats
    rest: Floats

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> _LargestTwo:
        n = len(values)
        logits = (np.empty(n, values.dtype) for _ in range(2))
        found = cls(*logits, *(np.empty(n) for _ in range(3)))
        for part in row_parts(len(values)):
            block = np.sort(values[part].astype(np.float64), axis=1)
            first, second, others = block[:, -1], block[:, -2], block[:, :-2]
            with np.errstate(over="ignore", invalid="ignore"):
                gap = first - second
                below_first = np.exp(others - first[:, None]).sum(axis=1)
                below_second = np.exp(others - second[:, None]).sum(axis=1)
                found.first[part], found.second[part] = first, second
                found.of_first[part] = gap - np.log1p(below_second)
                found.of_second[part] = -gap - np.log1p(below_first)
                found.rest[part] = np.exp(-gap) + below_first
        return found


def ranked_columns(
    values: npt.NDArray[Any], kind: ScoreKind, n_threads: int | None = None, fewest: int = 2
) -> Columns | Differences | LogOdds:
    """Return what ranks the rows: probabilities, scores, differences of two, or log-odds."""
    if kind != "probabilities" and values.shape[1] == _PAIR:
        return Differences(values)
    if kind == "logits":
        return LogOdds(values, n_threads)
    return Columns(values, n_threads, fewest)


def _finite(found: Floats, values: npt.NDArray[Any]) -> Floats:
    """Limit numbers that overflowed, where the values that they come from are finite."""
    if np.isinf(found).any() and np.isfinite(values).all():
        np.clip(found, -_LARGEST, _LARGEST, out=found)
    return found


_PAIR = 2
_LARGEST = float(np.finfo(np.float64).max)

GROWTH_BYTES = 1 << 26
"""Largest growth of a matrix of unknown size; a small matrix doubles."""


@dataclass
class ScoreMatrix:
    """Numbers of score columns, row by row.

    Attributes:
        argument: ``"y_prob"``, ``"y_logit"`` or ``"y_score"``.
        names: the columns, for messages.
        n_expected: number of expected rows, if known.
        n_rows: number of rows so far, including dropped ones.
        n_bad: number of those without a number in every column.
        bad: the first such row, its column, and its item if the column has lists.
    """

    argument: Argument
    names: tuple[str, ...]
    n_expected: int | None = None
    n_rows: int = 0
    n_bad: int = 0
    bad: tuple[int, int, int | None] | None = None
    _width: int | None = None
    _filled: int = 0
    _flat: npt.NDArray[Any] = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def n_bytes(self) -> int:
        """Bytes of the numbers so far."""
        return self._filled * (self._width or 0) * self._flat.itemsize

    def add(self, batch: Batch) -> None:
        """Append the kept rows of a batch.

        After a row without a number, the rest is only checked, to count such rows.

        Errors:
            K130 a whole number that float64 cannot represent, lists of another length, or lists in
            one of several columns.
        """
        columns = [batch.columns[f"s{place}"] for place in range(len(self.names))]
        kept = batch.kept
        of_lists = [column.format.startswith("+") for column in columns]
        if len(columns) > 1 and any(of_lists):
            name = self.names[of_lists.index(True)]
            raise Origin(self.argument, name).refusal("It holds lists, beside other columns")
        is_list = of_lists[0]
        missing = []
        for column in columns:
            found = nulls_of(column)
            flags = np.zeros(len(column), np.bool_) if found is None else found
            missing.append(flags if kept is None else flags[kept])
        lists = None
        if is_list and not missing[0].any():
            lists = self._lists(columns[0], batch)
            if lists is not None:
                missing = [lists[1]]
        self._count(missing, batch)
        self.n_rows += batch.n
        n = batch.n if kept is None else int(np.count_nonzero(kept))
        if self.bad is not None or not n:
            return
        if lists is not None:
            matrix = self._converted(lists[0], 0, batch)
            self._next(n, matrix.shape[1], matrix.dtype)[:] = matrix
            return
        is_single = all(column.format == "f" for column in columns)
        dtype = np.dtype(np.float32 if is_single else np.float64)
        rows = self._next(n, len(columns), dtype)
        for place, column in enumerate(columns):
            pieces = pieces_of(column)
            assert pieces is not None, column.format
            values = pieces[0] if kept is None else pieces[0][kept]
            rows[:, place] = self._converted(values, place, batch)

    def _converted(self, values: npt.NDArray[Any], place: int, batch: Batch) -> Array:
        origin = Origin(self.argument, self.names[place], first_row=batch.first_row)
        return real(values, origin)

    def _count(self, missing: Sequence[Flags], batch: Batch) -> None:
        bad = np.logical_or.reduce([m.any(axis=1) if m.ndim == 2 else m for m in missing])
        n_bad = int(np.count_nonzero(bad))
        self.n_bad += n_bad
        if n_bad and self.bad is None:
            at = int(bad.argmax())
            column = next(place for place, flags in enumerate(missing) if flags[at].any())
            item = int(missing[column][at].argmax()) if missing[column].ndim == 2 else None
            self.bad = (_row_of(batch, at), column, item)

    def _lists(self, column: ArrowColumn, batch: Batch) -> tuple[npt.NDArray[Any], Flags] | None:
        """Return the lists of the kept rows and the null items; None without such a row."""
        name = self.names[0]
        try:
            matrices, nulls = lists_of(column, batch.kept)
        except NotOneLengthError as problem:
            row, length, width = problem.args
            raise self._ragged(_row_of(batch, row), length, width) from None
        if matrices is None:
            raise Origin(self.argument, name).refusal("It holds empty lists")
        if not matrices:
            return None
        matrix = matrices[0]
        if self._width is not None and matrix.shape[1] != self._width:
            raise self._ragged(_row_of(batch, 0), matrix.shape[1], self._width)
        return matrix, np.zeros(matrix.shape, np.bool_) if nulls is None else nulls

    def _ragged(self, row: int, length: int, width: int) -> Exception:
        found = f"Row {row} has length {length}, earlier rows have length {width}"
        return Origin(self.argument, self.names[0]).refusal(found)

    def _next(self, n: int, width: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return space for more rows: a view, valid until the next call."""
        if self._width is None:
            self._width = width
            self._flat = np.empty((self.n_expected or 0) * width, dtype)
        start, stop = self._filled * width, (self._filled + n) * width
        if stop > len(self._flat):
            size = len(self._flat)
            growth = max(min(GROWTH_BYTES // self._flat.itemsize, size), size // 8)
            # Moved by the operating system page by page, not copied.
            self._flat.resize(max(stop, size + growth), refcheck=False)
        self._filled += n
        return self._flat[start:stop].reshape(n, width)

    def values(self) -> Array:
        """Return the matrix, [n, k]; [n] for a single column of numbers.

        Call it once, at the end: unused memory is released.
        """
        width = self._width or len(self.names)
        self._flat.resize(self._filled * width, refcheck=False)
        matrix: Array = self._flat.reshape(self._filled, width)
        return matrix[:, 0] if width == 1 else matrix

    def refuse_bad(self, text: str | None, *, has_comma: bool = False) -> None:
        """Raise the error of the first row without a number, from its text (K130, K131).

        Args:
            has_comma: whether numbers were read with a decimal comma.
        """
        if self.bad is None:
            return
        row, column, item = self.bad
        name = self.names[column]
        if text is not None:
            place = "" if item is None else f", item {item},"
            told = f"{text[:60]!r}{with_comma(text)}"
            found = f"Row {row}{place} holds {told}; {self.n_bad} of {self.n_rows} rows"
            if text.strip().lstrip("+-").isdigit():
                found = f"Row {row}{place} holds {text[:60]}, which a float64 cannot represent"
            are_percent = self.n_bad == self.n_rows and is_percent(text.strip('"'))
            advice = conversion_in_files(name) if are_percent else None
            if with_comma(text) and not has_comma:
                advice = reading_of_comma()
            elif has_comma:
                found += ". Numbers are read with a decimal comma"
            raise Origin(self.argument, name).refusal(found, advice)
        raise error(
            "K131",
            argument=self.argument,
            row=row,
            place=f", column {name!r}" + ("" if item is None else f", item {item}"),
            value=None,
            count=self.n_bad,
            n=self.n_rows,
        )


def _row_of(batch: Batch, at: int) -> int:
    """Return the row number over the whole read, from its index among kept rows of a batch."""
    return batch.first_row + (at if batch.kept is None else int(np.flatnonzero(batch.kept)[at]))

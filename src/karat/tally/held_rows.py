"""`HeldRows`: rows with scores kept in memory, while they are few enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.tally.axes import axes_of_header, united_axes
from karat.tally.cached import cached_property
from karat.tally.cells import Axis
from karat.tally.classes import Classes
from karat.tally.score_kind import ScoreKind, kind_of_header
from karat.tally.serialization import (
    classes_of_facts,
    damaged,
    facts_of_axes,
    facts_of_classes,
    framed,
    read_tally,
    wrong_classes,
)
from karat.tally.shared import Numbers, check_weighting, if_any, recoding, taken

Codes: TypeAlias = npt.NDArray[np.int32]

_SPECIES: Final = "held_rows"
_CHUNK_ROWS: Final = 1 << 18
"""Largest number of rows of chunks that are joined."""
_TOGETHER: Final = 8
"""Number of chunks of about equal size that are joined."""
_ARRAYS: Final = ("codes", "values", "pred", "weights", "axes")


@dataclass(frozen=True, slots=True, eq=False)
class RowChunk:
    """Rows of one batch.

    Attributes:
        codes: int32[n], true classes.
        values: float32 or float64[n, k], or [n] of the positive class of two.
        pred: int32[n], predicted classes that were given, or None.
        weights: float64[n], or None.
        n_given: bytes of the batches that it was joined from; None: it was not joined.
        axes: int32[a, n], codes on the axes of the rows, or None.
    """

    codes: Codes
    values: Numbers
    pred: Codes | None = None
    weights: npt.NDArray[np.float64] | None = None
    n_given: int | None = None
    axes: Codes | None = None

    @property
    def n_bytes(self) -> int:
        """Bytes of the rows as given: float32 rows joined with float64 ones take more."""
        if self.n_given is not None:
            return self.n_given
        return _n_bytes((self.codes, self.values, self.pred, self.weights, self.axes))

    def at(self, rows: slice) -> RowChunk:
        """Return some of the rows, as views."""
        pred, weights = taken(self.pred, rows), taken(self.weights, rows)
        axes = taken(self.axes, (slice(None), rows))
        return RowChunk(self.codes[rows], self.values[rows], pred, weights, axes=axes)


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows with a true class and scores: immutable, combined by `merge`.

    Attributes:
        classes: the classes.
        chunks: the rows, in the order of arrival.
        kind: whether the scores are probabilities, logits or others.
        tolerance: tolerance of the sum of a row of probabilities from 1.
        axes: clusters, and columns of slices: name, and the text of each code.
    """

    classes: Classes
    chunks: tuple[RowChunk, ...]
    kind: ScoreKind
    tolerance: float
    axes: tuple[Axis, ...] = ()

    @property
    def is_prob(self) -> bool:
        """True if the scores are probabilities."""
        return self.kind == "probabilities"

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(len(chunk.codes) for chunk in self.chunks)

    @cached_property
    def n_bytes(self) -> int:
        """Bytes of the rows as given, the same for any order of batches."""
        return sum(chunk.n_bytes for chunk in self.chunks)

    @property
    def shape(self) -> tuple[int | None, bool, bool]:
        """Columns of scores (None if one represents both), whether predicted, whether weighted."""
        first = self.chunks[0]
        columns = None if first.values.ndim == 1 else int(first.values.shape[1])
        return columns, first.pred is not None, first.weights is not None

    def merge(self, other: HeldRows) -> HeldRows:
        """Return the rows of this, then those of the other.

        Errors:
            K201 other classes or columns; K202 the scores are of different kinds, or one has
            predictions; K203 only one is weighted.

        Cost: O(chunks).
        """
        check_alike(self, other)
        if self.classes.labels != other.classes.labels:
            raise error("K201", left=list(self.classes.labels), right=list(other.classes.labels))
        axes, tables = united_axes(self.axes, other.axes)
        moved: Any = other.chunks
        if axes:
            moved = (replace(x, axes=np.stack([*map(np.take, tables, x.axes)])) for x in moved)
        return replace(
            self,
            chunks=_compacted([*self.chunks, *moved]),
            tolerance=max(self.tolerance, other.tolerance),
            axes=axes,
        )

    def recoded(self, classes: Classes) -> HeldRows:
        """Return the same rows on an axis that has all of their classes; columns move with them."""
        to = recoding(self.classes, classes)
        if np.array_equal(to, np.arange(len(to))):
            return replace(self, classes=classes)
        order = np.argsort(to) if len(to) == self.shape[0] else slice(None)
        chunks = tuple(
            replace(
                chunk,
                codes=to[chunk.codes],
                values=chunk.values[..., order],
                pred=if_any(to.__getitem__, chunk.pred),
            )
            for chunk in self.chunks
        )
        return replace(self, classes=classes, chunks=chunks)

    def whole(self) -> RowChunk:
        """Return all rows as one chunk, float64 if any are."""
        return self.chunks[0] if len(self.chunks) == 1 else _joined(self.chunks)

    def to_bytes(self) -> bytes:
        """Return the rows as bytes that `from_bytes` of this and every later version reads."""
        whole = self.whole()
        header: dict[str, Any] = {
            "species": _SPECIES,
            **facts_of_classes(self.classes),
            "kind": self.kind,
            "tolerance": self.tolerance,
            "n_given": self.n_bytes,
        }
        if self.axes:
            header["axes"] = facts_of_axes(self.axes)
        return framed(header, {name: getattr(whole, name) for name in _ARRAYS})

    @classmethod
    def from_bytes(cls, data: bytes) -> HeldRows:
        """Read rows written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not rows; K206 a newer version wrote them.
        """
        # Contradictions are also found in facts that are not kept.
        return read_tally(data, _SPECIES, _ARRAYS, _assembled, lambda _: None, short=_ARRAYS)


def _n_bytes(arrays: Iterable[Numbers | None]) -> int:
    return sum(array.nbytes for array in arrays if array is not None)


def _joined(chunks: Sequence[RowChunk]) -> RowChunk:
    """Join chunks."""

    def parts(name: str) -> Any:
        each = [getattr(chunk, name) for chunk in chunks]
        return None if each[0] is None else np.concatenate(each, axis=-1 if name == "axes" else 0)

    n_given = sum(chunk.n_bytes for chunk in chunks)
    return RowChunk(
        parts("codes"), parts("values"), parts("pred"), parts("weights"), n_given, parts("axes")
    )


def _compacted(chunks: list[RowChunk]) -> tuple[RowChunk, ...]:
    """Join into few chunks: a row is copied at most once for each eightfold growth."""
    while len(chunks) >= _TOGETHER:
        size = _size(chunks[-1])
        first = len(chunks) - 1
        while first and _size(chunks[first - 1]) <= size:
            first -= 1
        tail = chunks[first:]
        if len(tail) < _TOGETHER or sum(len(chunk.codes) for chunk in tail) > _CHUNK_ROWS:
            break
        chunks[first:] = [_joined(tail)]
    return tuple(chunks)


def _size(chunk: RowChunk) -> int:
    """Number of rows of a chunk, by powers of 8."""
    return len(chunk.codes).bit_length() // 3


def check_alike(left: Any, right: Any) -> None:
    """Refuse parts whose rows cannot be combined.

    Args:
        left, right: with `kind` and `shape`.

    Errors:
        K201, K202, K203 as in `HeldRows.merge`.
    """
    if left.kind != right.kind:
        raise error("K202", axis="scores", left=left.kind, right=right.kind)
    a, b = left.shape, right.shape
    if a[0] != b[0]:
        columns = [f"{one[0]} columns of scores" if one[0] else "one column" for one in (a, b)]
        raise error("K201", left=columns[0], right=columns[1])
    if a[1] != b[1]:
        given = ["y_pred" if one[1] else "that of the scores" for one in (a, b)]
        raise error("K202", axis="prediction", left=given[0], right=given[1])
    check_weighting(a[2], b[2])


def _assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> HeldRows:
    classes = classes_of_facts(header)
    given = [arrays.get(name) for name in _ARRAYS]
    n_given = header.get("n_given")  # earlier versions did not write it
    chunk = RowChunk(arrays["codes"], arrays["values"], given[2], given[3], n_given, given[4])
    axes = axes_of_header(header.get("axes", []))
    problem = wrong_classes(classes) or _inconsistency(chunk, classes, axes)
    if n_given is not None and not (type(n_given) is int and 0 <= n_given <= _n_bytes(given)):
        problem = "Its rows were not of so many bytes"
    kind = kind_of_header(header)
    if not 0 <= header["tolerance"] <= 1:
        problem = "The tolerance of probabilities is missing"
    if problem is None:
        problem = impossible(chunk, header["tolerance"] if kind == "probabilities" else None)
    if problem:
        raise damaged(problem)
    return HeldRows(classes, (chunk,), kind, float(header["tolerance"]), axes)


def _inconsistency(chunk: RowChunk, classes: Classes, axes: Sequence[Axis]) -> str | None:
    """Return a contradiction in the data, or None."""
    n, k = len(chunk.codes), classes.k
    for codes in (chunk.codes, chunk.pred):
        if codes is None:
            continue
        if codes.shape != (n,) or codes.dtype != np.int32:
            return "The classes of the rows do not fit"
        if n and not 0 <= int(codes.min()) <= int(codes.max()) < k:
            return "A row has a class that is not one"
    shape = chunk.values.shape
    # Classes of some columns may not have occurred yet.
    is_shaped = len(shape) in (1, 2) and shape[0] == n and k <= (*shape, 2)[1]
    if chunk.values.dtype.kind != "f" or not is_shaped:
        return "The scores do not fit the rows and classes"
    weights = chunk.weights
    if weights is not None and (weights.shape != (n,) or weights.dtype != np.float64):
        return "The weights do not fit the rows"
    if (chunk.axes is not None) != bool(axes):
        return "There are axes without codes, or codes without axes"
    if chunk.axes is not None:
        if chunk.axes.shape != (len(axes), n) or chunk.axes.dtype != np.int32:
            return "The codes of the axes do not fit the rows"
        for codes, axis in zip(chunk.axes, axes, strict=True):
            if n and not 0 <= int(codes.min()) <= int(codes.max()) < len(axis.labels):
                return "A row has an unknown code on an axis"
    return None


def impossible(chunk: RowChunk, tolerance: float | None) -> str | None:
    """Return a reason why no rows could have these values, or None.

    Args:
        tolerance: tolerance of the sums of probabilities; None: they are scores.
    """
    if not len(chunk.codes):
        return None
    low, high = float(chunk.values.min()), float(chunk.values.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        return "A score is missing or infinite"
    if tolerance is not None and not 0 <= low <= high <= 1:
        return "A probability is not between 0 and 1"
    if tolerance is not None and chunk.values.ndim == 2:
        away = np.abs(chunk.values.sum(axis=1, dtype=np.float64) - 1)
        if not float(away.max()) <= tolerance + 1e-12:
            return "The probabilities of a row do not sum to 1"
    weights = chunk.weights
    if weights is not None and not (weights.min() >= 0 and weights.max() < np.inf):
        return "A weight is negative, missing or infinite"
    return None

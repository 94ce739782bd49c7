"""`ScoreHistogram`: scores of one column with the weight of every class, exact or in buckets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error
from karat.tally.serialization import framed, read_tally
from karat.tally.shared import Floats, Numbers, check_weighting, if_any, taken, wrong_numbers

EXACT: Final = 52
"""All bits of a float64: each bucket is one score."""
LEVELS: Final = (EXACT, 23, *range(20, -1, -1))
"""Possible precisions in bits; float32 has 23, bfloat16 7."""
BINS: Final = (10, 15, 20, 100)
"""Numbers of equal bins of [0, 1] whose edges no bucket crosses."""

_HIDDEN: Final = np.int64(0x7FFFFFFFFFFFFFFF)


@lru_cache(maxsize=1)
def ends_of_bins() -> Floats:
    """Return the bin edges that no bucket crosses, ascending, symmetric in sign."""
    ends = np.concatenate([np.arange(n + 1) / n for n in BINS])
    return np.unique(np.concatenate([ends, 0.0 - ends]))


def bucket_starts(scores: Floats, bits: int) -> npt.NDArray[np.intp]:
    """Return the indices where a new bucket begins in sorted scores, in either direction.

    Example:
        >>> bucket_starts(np.array([1.5, 1.25, 1.0, 0.75]), 1).tolist()
        [0, 1, 2, 3]
        >>> bucket_starts(np.array([1.5, 1.25, 1.0625, 1.03125]), 1).tolist()
        [0, 1]
    """
    if not len(scores):
        return np.empty(0, np.intp)
    is_new = np.ones(len(scores), bool)
    if bits == EXACT:
        np.not_equal(scores[1:], scores[:-1], out=is_new[1:])
        return np.flatnonzero(is_new)
    keys = _ordered(scores) >> np.int64(EXACT - bits)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    cuts = ends_of_bins()
    # The end of a bin is separate: it has more ends at or below it than below it.
    place = np.searchsorted(cuts, scores, "left") + np.searchsorted(cuts, scores, "right")
    is_new[1:] |= place[1:] != place[:-1]
    return np.flatnonzero(is_new)


def _ordered(scores: Floats) -> npt.NDArray[np.int64]:
    """Integers in the order of the scores, with the same leading bits."""
    words = np.ascontiguousarray(scores + 0.0).view(np.int64)
    return np.where(words < 0, words ^ _HIDDEN, words)


_SPECIES: Final = "score_table"
_FEW_CLASSES: Final = 8
_ADDED, _LOWEST, _HIGHEST = 0, 1, 2
_CLOSE: Final = 1e-9
"""Relative tolerance of sums of the same numbers in another order."""
_ARRAYS: Final = ("low", "high", "counts", "squares", "moments")


@dataclass(frozen=True, eq=False)
class ScoreHistogram:
    """Tally of one column of scores: immutable; made by `of`, combined by `merge`.

    Rows of weight 0 are ignored.

    Attributes:
        low, high: float64[u], the lowest and the highest score of each level, best level first; no
            two overlap. The same array if every score level is one score.
        counts: int64[u, k] counts, or float64[u, k] Σw, of each true class.
        squares: float64[u, k] Σw²; None when unweighted.
        moments: float64[u], Σw·score; None if every score level is one score.
        bits: number of bits after the first that the scores of a score level share; `EXACT`: all.
        n_rows: number of rows, including those of weight 0.
        is_summed: whether the moments are sums over the rows; not after `mapped`, which
            approximates the mean of a function by the function of the mean.
    """

    low: Floats
    high: Floats
    counts: Numbers
    squares: Floats | None
    moments: Floats | None
    bits: int
    n_rows: int
    is_summed: bool = True

    @classmethod
    def of(
        cls,
        scores: npt.ArrayLike,
        codes: npt.ArrayLike,
        k: int,
        weights: npt.ArrayLike | None = None,
        bits: int = EXACT,
    ) -> ScoreHistogram:
        """Make the histogram of finite scores float[n] and the class of each row, int[n] in [0, k).

        Args:
            weights: float[n], finite and at least 0.
            bits: precision of the buckets, see `karat.tally.score_histogram`.

        Cost: one sort.

        Example:
            >>> table = ScoreHistogram.of([0.9, 0.3, 0.9], [1, 0, 0], 2)
            >>> table.low.tolist(), table.counts.tolist()
            ([0.9, 0.3], [[1, 1], [1, 0]])
        """
        column = np.asarray(scores, np.float64) + 0.0  # −0.0 becomes 0.0
        rows, n = np.asarray(codes, np.int64), len(column)
        given = None if weights is None else np.asarray(weights, np.float64)
        if given is not None and not (given > 0).all():
            weighs = given > 0
            column, rows, given = column[weighs], rows[weighs], given[weighs]
        ordered = _native.sorted_numbers(column, 0)
        starts = bucket_starts(ordered, bits)[::-1]
        ends = np.concatenate([[len(ordered)], starts[:-1]]) if len(starts) else starts
        low = ordered[starts]
        rising = low[::-1]
        counts = np.empty((len(low), k), np.int64 if given is None else np.float64)
        squares = None if given is None else np.empty(counts.shape)
        for c, own in enumerate(_rows_of_classes(rows, k)):
            values = column[own]
            if given is None:
                # Sorted ones are found faster.
                counts[:, c] = _counted(rising, _native.sorted_numbers(values, 0))[::-1]
                continue
            assert squares is not None
            held = given[own]
            counts[:, c] = _counted(rising, values, held)[::-1]
            squares[:, c] = _counted(rising, values, held * held)[::-1]
        if bits == EXACT:
            return cls(low, low, counts, squares, None, EXACT, n)
        with np.errstate(over="ignore"):
            if given is None:
                moments = np.add.reduceat(ordered, starts[::-1])[::-1]
            else:
                moments = _counted(rising, column, given * column)[::-1]
        return cls(low, ordered[ends - 1], counts, squares, _finite(moments), bits, n)

    @classmethod
    def empty(cls, k: int, *, is_weighted: bool = False) -> ScoreHistogram:
        """Return the histogram of no rows: the identity of `merge`."""
        return cls.of([], [], k, [] if is_weighted else None)

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @property
    def n_levels(self) -> int:
        """Number of score levels."""
        return len(self.low)

    @property
    def is_weighted(self) -> bool:
        """True if the counts are sums of weights."""
        return self.squares is not None

    @property
    def is_exact(self) -> bool:
        """True if every score level is one score."""
        return self.bits == EXACT

    @property
    def means(self) -> Floats:
        """float64[u], mean score of each score level."""
        return self.means_of(slice(None))

    def means_of(self, part: slice) -> Floats:
        """Return the mean scores of some score levels."""
        low = np.asarray(self.low[part])
        if self.moments is None:
            return low
        found: Floats = self.moments[part] / self.counts[part].sum(axis=1)
        # Sums round: the mean of a score level is clipped to it.
        return np.clip(found, low, self.high[part])

    def merge(self, other: ScoreHistogram) -> ScoreHistogram:
        """Return the histogram of both data sets, with the precision of the coarser.

        Exact for counts; for weights, exact to one rounding for each score level.

        Errors:
            K201 the number of classes differs; K203 only one is weighted.

        Cost: O(score levels).
        """
        if self.k != other.k:
            raise error("K201", left=f"{self.k} classes", right=f"{other.k} classes")
        check_weighting(self.is_weighted, other.is_weighted)
        bits = min(self.bits, other.bits)
        return self.coarser(bits)._with(other.coarser(bits), EXACT - bits)

    def laid_over(self, other: ScoreHistogram) -> ScoreHistogram:
        """Combine histograms with different buckets; buckets that touch are joined.

        The result can be read, but not merged or written; otherwise as `merge`.
        """
        bits = min(self.bits, other.bits)
        return self.coarser(bits)._with(other.coarser(bits), 0).disjoint()

    def _with(self, other: ScoreHistogram, dropped: int) -> ScoreHistogram:
        """Combine both; levels whose lowest scores agree except for the last bits are joined."""
        n_rows = self.n_rows + other.n_rows
        if not (self.n_levels and other.n_levels):
            return replace(self if self.n_levels else other, n_rows=n_rows)
        left, right = np.ascontiguousarray(self.low), np.ascontiguousarray(other.low)
        levels = _native.take_levels(left, right, dropped, ends_of_bins())

        def both(name: str, join: int = _ADDED) -> Any:
            one, two = getattr(self, name), getattr(other, name)
            if one is None or two is None:
                return None
            one, two = np.ascontiguousarray(one), np.ascontiguousarray(two)
            return _native.join_levels(levels, one, two, join)

        low = both("low", _LOWEST)
        return ScoreHistogram(
            low,
            low if self.is_exact else both("high", _HIGHEST),
            both("counts"),
            both("squares"),
            if_any(_finite, both("moments")),
            self.bits,
            n_rows,
            self.is_summed and other.is_summed,
        )

    @property
    def _moments(self) -> Floats:
        if self.moments is not None:
            return self.moments
        with np.errstate(over="ignore"):
            return _finite(self.low * self.counts.sum(axis=1))

    def coarser(self, bits: int) -> ScoreHistogram:
        """Return the same rows in buckets of this precision; itself if it is not finer."""
        if bits >= self.bits:
            return self
        if not self.n_levels:
            return replace(self, moments=self._moments, bits=bits)
        starts = bucket_starts(self.low, bits)
        with np.errstate(over="ignore"):
            moments = _finite(np.add.reduceat(self._moments, starts))
        return replace(
            self,
            low=np.minimum.reduceat(self.low, starts),
            high=np.maximum.reduceat(self.high, starts),
            counts=np.add.reduceat(self.counts, starts, axis=0),
            squares=if_any(lambda each: np.add.reduceat(each, starts, axis=0), self.squares),
            moments=moments,
            bits=bits,
        )

    def within(self, limit: int) -> ScoreHistogram:
        """Return the same rows in the finest buckets that number at most `limit`.

        More rows never need finer buckets, so that the result does not depend on when it is called.
        """
        if self.n_levels <= limit:
            return self
        for bits in LEVELS:
            if bits < self.bits and len(bucket_starts(self.low, bits)) <= limit:
                return self.coarser(bits)
        return self.coarser(LEVELS[-1])

    def kept(self, is_kept: npt.NDArray[np.bool_]) -> ScoreHistogram:
        """Return some score levels, bool[u], with all rows still counted as read."""
        some: dict[str, Any] = {name: taken(getattr(self, name), is_kept) for name in _ARRAYS}
        if self.is_exact:
            some["high"] = some["low"]
        return replace(self, **some)

    def of_classes(self, order: Sequence[int]) -> ScoreHistogram:
        """Return the same score levels with the classes in another order."""
        at = (slice(None), order)
        return replace(self, counts=self.counts[at], squares=taken(self.squares, at))

    def mapped(self, rising: Callable[[Floats], Floats]) -> ScoreHistogram:
        """Return the histogram of a nondecreasing function of the scores, and of bucket means.

        Its buckets are those of the scores: it can be read, but not merged or written.
        """
        moments = None
        if self.moments is not None:
            with np.errstate(over="ignore"):
                moments = _finite(rising(self.means) * self.counts.sum(axis=1))
        found = self._joined(rising(self.low), rising(self.high), moments, 1)
        return replace(found, is_summed=self.is_exact)

    def complement(self) -> ScoreHistogram:
        """Return the histogram of 1 − score, the score of the other class of two.

        Example:
            >>> ScoreHistogram.of([0.75, 0.25], [1, 0], 2).complement().low.tolist()
            [0.75, 0.25]
        """
        moments = None if self.moments is None else self.counts.sum(axis=1) - self.moments
        return self._joined(1.0 - self.high, 1.0 - self.low, moments, -1)

    def negative(self) -> ScoreHistogram:
        """Return the histogram of −score."""
        moments = None if self.moments is None else -self.moments
        return self._joined(0.0 - self.high, 0.0 - self.low, moments, -1)

    def disjoint(self) -> ScoreHistogram:
        """Join score levels that touch: 1 − score puts bucket ends on the other side."""
        return self if self.is_exact else self._joined(self.low, self.high, self._moments, 1)

    def _joined(
        self, low: Floats, high: Floats, moments: Floats | None, step: Literal[1, -1]
    ) -> ScoreHistogram:
        """Return the levels at other scores, in order or reversed; equal levels are joined."""
        turned = slice(None, None, step)
        low, high = low[turned], high[turned]
        is_new = np.ones(len(low), bool)
        # Rounding may make neighbors equal: then so are the scores.
        above = np.maximum.accumulate(high[::-1])[::-1]
        np.greater(low[:-1], above[1:], out=is_new[1:])
        starts = np.flatnonzero(is_new)

        def added(numbers: Numbers | None) -> Any:
            if numbers is None or not len(starts):
                return numbers
            return np.add.reduceat(numbers[turned], starts, axis=0)

        counts, squares = added(self.counts), added(self.squares)
        if self.is_exact or not len(starts):
            one = low[starts]
            return replace(self, low=one, high=one, counts=counts, squares=squares)
        ends = np.append(starts[1:], len(low)) - 1
        assert moments is not None
        with np.errstate(over="ignore"):
            sums = _finite(np.add.reduceat(moments[turned], starts))
        return replace(
            self,
            low=low[ends],
            high=np.maximum.reduceat(high, starts),
            counts=counts,
            squares=squares,
            moments=sums,
        )

    def to_bytes(self) -> bytes:
        """Return the histogram as bytes that `from_bytes` of this and every later version reads.

        Cost: 8·(1 + k) bytes for each score level, 8·(3 + k) with buckets, 8·k more with weights.
        """
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        if self.is_exact:
            arrays["high"] = None
        header = {"species": _SPECIES, "bits": self.bits, "n_rows": int(self.n_rows)}
        return framed(header, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> ScoreHistogram:
        """Read a histogram written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not a histogram; K206 a newer version wrote
            them.
        """

        def assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> ScoreHistogram:
            parts = {"high": arrays["low"], "squares": None, "moments": None, **arrays}
            return cls(**parts, bits=header["bits"], n_rows=header["n_rows"])  # type: ignore[arg-type]

        return read_tally(data, _SPECIES, _ARRAYS, assembled, wrong_table, called="a score_table")


def _rows_of_classes(codes: npt.NDArray[np.int64], k: int) -> list[Numbers]:
    """Return the number of rows of each class."""
    if k <= _FEW_CLASSES:
        return [codes == c for c in range(k)]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(k + 1))
    return [order[first:last] for first, last in pairwise(ends.tolist())]


def _counted(low: Floats, values: Floats, weights: Floats | None = None) -> Numbers:
    """Sum counts on each score level, lowest first."""
    if not len(low):
        return np.zeros(0, np.int64 if weights is None else np.float64)
    return np.bincount(np.searchsorted(low, values, "right") - 1, weights, len(low))


def _finite(sums: Floats) -> Floats:
    """Clip sums of scores of one sign to the largest float64: the same in any order."""
    most = np.finfo(np.float64).max
    return np.clip(sums, -most, most)


def wrong_table(table: ScoreHistogram) -> str | None:
    """Return a contradiction in a histogram that was read, or None."""
    low, high, counts = table.low, table.high, table.counts
    if table.bits not in LEVELS or type(table.n_rows) is not int or table.n_rows < 0:
        return "Its precision or its number of rows is not one"
    if (table.moments is None) != table.is_exact:
        return "Buckets without their means, or means of single scores"
    for scores in (low, high):
        if scores.shape != low.shape or scores.ndim != 1 or scores.dtype.kind != "f":
            return "The scores do not fit each other"
        if not np.isfinite(scores).all():
            return "The scores are not finite numbers"
    if (low > high).any() or (low[:-1] <= high[1:]).any():
        return "The scores do not descend"
    if counts.ndim != 2 or counts.shape[0] != len(low) or not counts.shape[1]:
        return "The counts do not fit the scores"
    if (counts.dtype.kind == "f") != (table.squares is not None):
        return "Weights without their squares, or squares without weights"
    for numbers in (counts, table.squares):
        if numbers is None:
            continue
        if numbers.shape != counts.shape:
            return "The squares do not fit the counts"
        if wrong_numbers(numbers):
            return "A number is negative or not finite"
    if not (counts > 0).any(axis=1).all():
        return "A score level is empty"
    means = low if table.moments is None else table.moments
    if means.shape != low.shape or not np.isfinite(means).all():
        return "The means do not fit the scores"
    # First as floating-point numbers, whose sums do not wrap around beyond 2⁶³.
    if table.squares is None and (
        counts.sum(dtype=np.float64) > 2.0 * table.n_rows or int(counts.sum()) != table.n_rows
    ):
        return "The number of rows is not that of the counts"
    if table.n_levels and len(bucket_starts(low, table.bits)) != len(low):
        return "Two scores are in one bucket"
    ends = np.stack([high, low], axis=1).ravel()
    if len(bucket_starts(ends, table.bits)) != len(low):
        return "A score is in several buckets"
    if table.moments is not None and not _are_within(table.moments, low, high, counts):
        return "The mean of a score level is not in it"
    return None


def other_totals(held: npt.NDArray[Any], totals: npt.NDArray[Any]) -> bool:
    """Return whether a part has other class totals than the data that it belongs to.

    Args:
        held, totals: number[k], numbers of rows of each class, or sums of their weights, which
            round.
    """
    total = float(totals.sum(dtype=np.float64))
    if held.dtype.kind != "f" and total < 2.0**53:
        return not np.array_equal(held, totals)
    return not np.allclose(held, totals, rtol=_CLOSE, atol=_CLOSE * total)


def _are_within(
    moments: npt.NDArray[Any], low: npt.NDArray[Any], high: npt.NDArray[Any], counts: Any
) -> bool:
    """Return whether sums of scores, which round, are consistent with the score levels."""
    most, weight = np.finfo(np.float64).max, counts.sum(axis=1)
    with np.errstate(over="ignore"):
        least, largest = (np.clip(end * weight, -most, most) for end in (low, high))
        room = _CLOSE * np.maximum(np.abs(least), np.abs(largest)) + np.finfo(np.float64).tiny
        return bool(((least - room <= moments) & (moments <= largest + room)).all())

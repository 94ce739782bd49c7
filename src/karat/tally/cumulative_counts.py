"""`CumulativeCounts`: the distinct scores of one class, best first, with counts above each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.cached import cached_property
from karat.tally.score_histogram import EXACT, ScoreHistogram
from karat.tally.serialization import framed, read_tally
from karat.tally.shared import Floats, Numbers, taken, wrong_numbers

ThresholdPoints: TypeAlias = tuple[Floats, Floats, Floats]
"""Thresholds, true and false positives: float64[u + 1] each."""

_SPECIES: Final = "ladder"
_ARRAYS: Final = ("scores", "counts", "squares")


@dataclass(frozen=True, eq=False)
class CumulativeCounts:
    """Tally of the scores of one class: immutable; made by `of` or a source, combined by `merge`.

    Rows of weight 0 add no score level.

    Attributes:
        scores: float64[u], strictly descending.
        counts: int64[u, 2] counts, or float64[u, 2] Σw: of the rest, and of the own class.
        squares: float64[u, 2] Σw²; None when unweighted.
        n_rows: number of rows, including those of weight 0.
    """

    scores: Floats
    counts: Numbers
    squares: Floats | None
    n_rows: int

    @classmethod
    def of(
        cls, scores: npt.ArrayLike, is_positive: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> CumulativeCounts:
        """Compute the cumulative counts of finite scores float[n], in plain NumPy.

        Args:
            scores: float[n].
            is_positive: bool[n], whether the row is of the own class.
            weights: float[n], finite and at least 0.

        Cost: one sort; `data.scores.ranking.rank` is the fast implementation.

        Example:
            >>> CumulativeCounts.of([0.9, 0.3, 0.9], [True, False, False]).counts.tolist()
            [[1, 1], [1, 0]]
        """
        own = np.asarray(is_positive, bool)
        return cls._of_histogram(ScoreHistogram.of(scores, own, 2, weights))

    @classmethod
    def _of_histogram(cls, exact: ScoreHistogram) -> CumulativeCounts:
        return cls(exact.low, exact.counts, exact.squares, exact.n_rows)

    @classmethod
    def empty(cls, *, is_weighted: bool = False) -> CumulativeCounts:
        """Return the cumulative counts of no rows: the identity of `merge`."""
        return cls.of([], [], [] if is_weighted else None)

    @property
    def is_weighted(self) -> bool:
        """True if the counts are sums of weights."""
        return self.squares is not None

    @cached_property
    def _totals(self) -> list[int | float]:
        totals: list[int | float] = self.counts.sum(axis=0).tolist()
        return totals

    @property
    def n_pos(self) -> int | float:
        """Number of rows, or weight, of the own class."""
        return self._totals[1]

    @property
    def n_neg(self) -> int | float:
        """Number of rows, or weight, of the rest."""
        return self._totals[0]

    def blocks(self) -> Iterator[ScoreLevels]:
        """Yield the score levels, best first, a few thousand at once: nonempty views."""
        for first in range(0, len(self.scores), N_BLOCK):
            part = slice(first, first + N_BLOCK)
            yield ScoreLevels(self.scores[part], self.counts[part], taken(self.squares, part))

    def cumulated(self) -> tuple[Numbers, Numbers]:
        """Return true and false positives number[u] at each threshold.

        Example:
            >>> tps, fps = CumulativeCounts.of([0.9, 0.3, 0.9], [True, False, False]).cumulated()
            >>> tps.tolist(), fps.tolist()
            ([1, 1], [1, 2])
        """
        sums = np.cumsum(self.counts, axis=0)
        return sums[:, 1], sums[:, 0]

    @cached_property
    def _points(self) -> ThresholdPoints:
        tps, fps = (np.cumsum(self.counts[:, side], dtype=np.float64) for side in (1, 0))
        inf, none = np.array([np.inf]), np.zeros(1)
        return (
            np.concatenate([inf, self.scores]),
            np.concatenate([none, tps]),
            np.concatenate([none, fps]),
        )

    def points(self) -> ThresholdPoints:
        """Return thresholds, true and false positives float64[u + 1], after one above every score.

        Example:
            >>> thresholds, tps, fps = CumulativeCounts.of([0.9, 0.3], [True, False]).points()
            >>> thresholds.tolist(), tps.tolist(), fps.tolist()
            ([inf, 0.9, 0.3], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0])
        """
        return self._points

    def merge(self, other: CumulativeCounts) -> CumulativeCounts:
        """Return the cumulative counts of the two data sets read one after the other.

        Exact for counts; for weights, exact to one rounding for each score level.

        Errors:
            K203 only one is weighted.

        Cost: O(score levels) memory, one sort of both.
        """
        one, two = (
            ScoreHistogram(x.scores, x.scores, x.counts, x.squares, None, EXACT, x.n_rows)
            for x in (self, other)
        )
        return self._of_histogram(one.merge(two))

    def to_bytes(self) -> bytes:
        """Return the cumulative counts as bytes that `from_bytes` of this and later versions reads.

        Cost: 24 bytes for each score level, 40 with weights.
        """
        header = {"species": _SPECIES, "n_rows": int(self.n_rows)}
        return framed(header, {name: getattr(self, name) for name in _ARRAYS})

    @classmethod
    def from_bytes(cls, data: bytes) -> CumulativeCounts:
        """Read cumulative counts written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not such a tally; K206 a newer version wrote
            them.
        """

        def assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> CumulativeCounts:
            squares, n_rows = arrays.get("squares"), int(header["n_rows"])
            return cls(arrays["scores"], arrays["counts"], squares, n_rows)

        return read_tally(
            data, _SPECIES, _ARRAYS, assembled, _inconsistency, called="cumulative counts"
        )


def _inconsistency(cumulative: CumulativeCounts) -> str | None:
    """Return a contradiction in the data, or None."""
    scores, counts, squares = cumulative.scores, cumulative.counts, cumulative.squares
    if scores.ndim != 1 or scores.dtype.kind != "f" or not np.isfinite(scores).all():
        return "The scores are not finite numbers"
    if (scores[1:] >= scores[:-1]).any():
        return "The scores do not descend"
    if counts.shape != (len(scores), 2) or (squares is not None and squares.shape != counts.shape):
        return "The counts do not fit the scores"
    if (counts.dtype.kind == "f") != (squares is not None):
        return "Weights without their squares, or squares without weights"
    if wrong_numbers(counts, squares):
        return "A number is negative or not finite"
    if not (counts > 0).any(axis=1).all():
        return "A score level is empty"
    if (squares is None and int(counts.sum()) != cumulative.n_rows) or cumulative.n_rows < 0:
        return "The number of rows is not that of the counts"
    return None


N_BLOCK: Final = 1 << 14
"""Number of score levels in a block, small enough for the cache of a core."""


class ScoreLevels(NamedTuple):
    """Consecutive score levels.

    Attributes:
        scores: float64[u], strictly descending.
        counts: int64[u, 2] counts, or float64[u, 2] Σw: of the rest, and of the own class.
        squares: float64[u, 2] Σw²; None when unweighted.
    """

    scores: Floats
    counts: Numbers
    squares: Floats | None


class LevelSource(Protocol):
    """Distinct scores with the weight of own class and rest, in memory or from sorted rows.

    Attributes:
        n_rows: number of rows, including those of weight 0: at least the number of score levels.
        is_weighted: whether the counts are sums of weights.
    """

    @property
    def n_rows(self) -> int: ...
    @property
    def is_weighted(self) -> bool: ...

    def blocks(self) -> Iterator[ScoreLevels]:
        """Yield all score levels, best first, at most `N_BLOCK` at once; [rest, own class]."""
        ...


class Steps(NamedTuple):
    """Consecutive score levels, with the counts predicted positive at each threshold.

    Attributes:
        thresholds: float64[u], strictly descending.
        tps, fps: float64[u], weight of the true and of the false positives at or above each.
        tps_before, fps_before: the same for the score level before the first; 0 if there is none.
    """

    thresholds: Floats
    tps: Floats
    fps: Floats
    tps_before: float
    fps_before: float


def ends_of(blocks: Iterable[Steps]) -> Floats:
    """float64[b, 6]: last threshold, tps and fps of each block, tps_before, fps_before, levels."""
    if isinstance(blocks, HeldSteps | WalkedSteps):
        return blocks.ends
    return _read_ends(blocks)


def _read_ends(blocks: Iterable[Steps]) -> Floats:
    ends = [(*(part[-1] for part in at[:3]), *at[3:], len(at.tps)) for at in blocks]
    return np.array(ends, np.float64).reshape(-1, 6)


@dataclass(frozen=True, eq=False)
class HeldSteps:
    """Blocks of steps in memory.

    Attributes:
        blocks: all of them.
        ends: as `ends_of`.
    """

    blocks: tuple[Steps, ...]

    def __iter__(self) -> Iterator[Steps]:
        return iter(self.blocks)

    def __getitem__(self, i: int) -> Steps:
        return self.blocks[i]

    @cached_property
    def ends(self) -> Floats:
        return _read_ends(self)


class WalkedSteps:
    """Blocks of steps that are read from sorted rows without weights, again for each iteration.

    Args:
        read: maps the number of rows that are left, and of true positives above them, to
            thresholds, tps and fps of the next block, and to the same two numbers below it.
        n_rows: number of rows.

    Attributes:
        ends: as `ends_of`, from one walk.
    """

    def __init__(
        self, read: Callable[[int, int], tuple[Floats, Floats, Floats, int, int]], n_rows: int
    ) -> None:
        self._read, self._n_rows = read, n_rows

    def __iter__(self) -> Iterator[Steps]:
        left, own = self._n_rows, 0
        while left:
            above = float(own), float(self._n_rows - left - own)
            thresholds, tps, fps, left, own = self._read(left, own)
            yield Steps(thresholds, tps, fps, *above)

    @cached_property
    def ends(self) -> Floats:
        return _read_ends(self)

    def __getitem__(self, i: int) -> Steps:
        tps, fps = self.ends[i, 3:5].tolist()
        points = self._read(self._n_rows - int(tps + fps), int(tps))[:3]
        return Steps(*points, tps_before=tps, fps_before=fps)


def of_both(sides: Numbers) -> Numbers:
    """number[u]: sums of the rest and the own class, from number[u, 2]."""
    return np.asarray(sides[:, 0] + sides[:, 1])


def cumulated(source: LevelSource) -> Iterator[Steps]:
    """Yield the score levels of a source with cumulative counts.

    Example:
        >>> from karat.tally import CumulativeCounts
        >>> (steps,) = cumulated(CumulativeCounts.of([0.9, 0.3, 0.9], [True, False, False]))
        >>> steps.tps.tolist(), steps.fps.tolist()
        ([1.0, 1.0], [1.0, 2.0])
    """
    before: Numbers | None = None
    for scores, counts, _ in source.blocks():
        if before is None:
            before = np.zeros((1, 2), counts.dtype)
        # The sum continues from block to block.
        sums = np.cumsum(np.concatenate([before, counts]), axis=0)
        fps, tps = (np.ascontiguousarray(sums[:, side], np.float64) for side in (0, 1))
        yield Steps(scores, tps[1:], fps[1:], float(tps[0]), float(fps[0]))
        before = sums[-1:]

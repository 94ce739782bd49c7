"""Replicates of a sorted column of scores: every row is there a Poisson number of times.

Rows are sorted once, before: a replicate only counts anew what stands on each rung.
Columns of many distinct scores are put together in groups of neighbours first; `RungGroups`
says what that costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.inference.rung_groups import RungGroups
from karat.metrics import ClassProbabilities, ClassRanks, Confidences, Metric
from karat.tally import Ladder, Rungs, RungSource
from karat.tally.kept import cached_property

__all__ = [
    "AREA_GROUPS",
    "LADDER_GROUPS",
    "LadderDraw",
    "ReplicateColumn",
    "measures_of",
    "replicate_areas",
    "replicate_ladders",
    "replicate_measures",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[Any]
LadderDraw: TypeAlias = Literal["poisson", "bayesian"]
"""Poisson(1) copies of each row, or an exponential weight for each (Rubin 1981)."""

AREA_GROUPS: Final = 4096
"""Groups of neighbouring rungs that an area is drawn from."""
LADDER_GROUPS: Final = 16384
"""Groups that whole ladders are drawn from."""
_BLOCK_BYTES: Final = 1 << 23


@dataclass(frozen=True, eq=False)
class ReplicateColumn:
    """One replicate as a `RankedColumn` of two classes, so that the views of metrics read it.

    Attributes:
        rungs: the ladder of the replicate; rows of one rung tie.
        k, own: 2 classes, of which 1 is the own one.
    """

    rungs: Ladder
    k: int = 2
    own: int = 1

    @property
    def n_rows(self) -> int:
        """Rows of the replicate; of weighted ones, of the data."""
        return self.rungs.n_rows

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.rungs.is_weighted

    @cached_property
    def totals(self) -> Numbers:
        """number[2]: the weight of the rest and of the own class."""
        return np.asarray(self.rungs.counts.sum(axis=0))

    def ladder(self) -> Ladder:
        """The rungs."""
        return self.rungs

    def blocks(self) -> Iterator[Rungs]:
        """The rungs, best first, some thousand at once."""
        return self.rungs.blocks()

    def areas(self) -> Numbers:
        """number[2]: over pairs of own and rest, Σ w·w'·(2·[s > s'] + [s = s']), and 0."""
        tps, _ = self.rungs.cumulated()
        rest, own = self.rungs.counts[:, 0], self.rungs.counts[:, 1]
        return np.array([(rest * (2 * tps - own)).sum(), 0], self.rungs.counts.dtype)

    def step_area(self) -> float:
        """Σ over thresholds of (increase of true positives) × precision."""
        here, _ = self._share_sums
        return here

    def trapezoid_area(self) -> float:
        """Area under precision by the part of own found, straight lines between thresholds."""
        here, before = self._share_sums
        own = float(self.totals[1])
        return (here + before) / 2.0 / own if own > 0 else np.nan

    @cached_property
    def _share_sums(self) -> tuple[float, float]:
        """Σ own × the share of own at or above the rung, and above it; 1 where nothing is."""
        tps, fps = self.rungs.cumulated()
        own = np.asarray(self.rungs.counts[:, 1], np.float64)
        share = tps / (tps + fps)
        above = np.concatenate([[1.0], share[:-1]])[: len(share)]
        # Not `@`: several threads of BLAS for so little cost more than the sum.
        return float((own * share).sum()), float((own * above).sum())


def replicate_ladders(
    column: RungSource,
    n_replicates: int,
    seed: int,
    *,
    method: LadderDraw = "poisson",
    limit: int = LADDER_GROUPS,
    stream: int = 0,
    n_threads: int | None = None,
) -> Iterator[ReplicateColumn]:
    """Replicates of a ladder or of a sorted column.

    Of more than `limit` distinct scores neighbours are put together first: their rows tie, at their
    mean score.
    What a threshold or a bin would have divided then stands on one side of it, at most one row in
    `limit` for each.

    Args:
        column: a `Ladder`, or a `RankedColumn` of an engine.
        n_replicates: how many.
        seed: from 0 to 2^64 − 1.
        method: ``"poisson"``: each row is there a Poisson(1) number of times; of weighted rows that
            share a score Σw and Σw² are kept on average. ``"bayesian"``: weights of the exponential
            distribution.
        limit: distinct scores at most.
        stream: columns of different numbers are drawn independently.
        n_threads: nothing depends on it but time.

    Yields:
        One replicate after the other. It stays valid, and keeps its block alive.

    Cost: two walks over the rungs, then O(limit) time for each replicate.

    Example:
        >>> ladder = Ladder.of([0.9, 0.8, 0.3], [True, False, False])
        >>> sum(c.n_rows for c in replicate_ladders(ladder, 1000, seed=0)) / 1000
        2.965
    """
    groups = RungGroups.of(column, limit)
    is_gamma = method == "bayesian"
    u = len(groups.scores)
    step = max(1, _BLOCK_BYTES // (40 * max(u, 1)))
    for first in range(0, n_replicates, step):
        count = min(step, n_replicates - first)
        scores, counts, squares, lengths = _native.replicate_rungs(
            groups.scores,
            groups.sums,
            groups.squares,
            is_gamma,
            seed,
            stream,
            first,
            count,
            n_threads or 0,
        )
        for b, length in enumerate(lengths.tolist()):
            kept = counts[b, :length]
            yield ReplicateColumn(
                Ladder(
                    scores[b, :length],
                    kept,
                    None if squares is None else squares[b, :length],
                    int(kept.sum()) if squares is None else groups.n_rows,
                )
            )


def replicate_measures(
    metrics: Sequence[Metric],
    column: RungSource,
    n_replicates: int,
    seed: int,
    *,
    method: LadderDraw = "poisson",
    limit: int = LADDER_GROUPS,
    stream: int = 0,
    n_threads: int | None = None,
) -> dict[Metric, Floats]:
    """Metrics of scores that read one column, by their own bodies: float64[n_replicates] each.

    All of them see the same replicates. NaN where a replicate does not define one.

    Args:
        metrics: of views of one column: `ClassRanks`, `ClassProbabilities` or `Confidences`.
        column: what those views are of; the rest as `replicate_ladders`.
    """
    replicates = replicate_ladders(
        column,
        n_replicates,
        seed,
        method=method,
        limit=limit,
        stream=stream,
        n_threads=n_threads,
    )
    return measures_of(metrics, replicates)


def measures_of(
    metrics: Sequence[Metric], replicates: Iterable[ReplicateColumn]
) -> dict[Metric, Floats]:
    """The same of replicates that are at hand."""
    views = {metric.record.reads for metric in metrics}
    if not views <= {ClassRanks, ClassProbabilities, Confidences}:
        raise ValueError("a metric does not read one sorted column")
    found: dict[Metric, list[float]] = {metric: [] for metric in metrics}
    with np.errstate(all="ignore"):
        for replicate in replicates:
            made = {view: view(replicate) for view in views}
            for metric, values in found.items():
                view = made[metric.record.reads]
                try:
                    values.append(float(metric.record.formula(view, **dict(metric.params))))
                except (ZeroDivisionError, OverflowError):  # no row, or none of the class, is drawn
                    values.append(np.nan)
    return {metric: np.array(values, np.float64) for metric, values in found.items()}


def replicate_areas(
    column: RungSource,
    n_replicates: int,
    seed: int,
    *,
    method: LadderDraw = "poisson",
    limit: int = AREA_GROUPS,
    stream: int = 0,
    n_threads: int | None = None,
) -> Floats:
    """float64[n_replicates]: the chance that a row of the class scores above another row.

    Exact for at most `limit` distinct scores. Of more, neighbours are put together: how many rows
    of both sides a group has is drawn exactly, and of the pairs inside of it own stands above in
    the share that was observed. So a replicate differs from that of the same rows by less than the
    share of pairs inside of groups, some 1/limit.

    Args:
        column, n_replicates, seed, method, stream, n_threads: as `replicate_ladders`.
        limit: groups.

    Returns:
        NaN where a replicate has no row on one side.

    Cost: two walks over the rungs, then O(limit) time for each replicate.
    """
    groups = RungGroups.of(column, limit)
    doubled, weights = _native.replicate_areas(
        groups.sums,
        groups.squares,
        groups.within,
        method == "bayesian",
        seed,
        stream,
        0,
        n_replicates,
        n_threads or 0,
    )
    pairs = weights[:, 0] * weights[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, np.minimum(doubled / (2.0 * pairs), 1.0), np.nan)

"""Intervals from replicates: of columns that were kept, or drawn while the rows were there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import Confidence, Interval
from karat.inference.influence_variance import within_classes
from karat.inference.replicate_intervals import acceleration_of, interval_of_replicates
from karat.inference.resampling import replicate_rows
from karat.inference.score_replicates import (
    LevelGroups,
    measures_of,
    replicate_measures,
    replicate_row_ladders,
)
from karat.metrics import ClassProbabilities, ClassRanks, Confidences, Metric
from karat.metrics._influence.gather import influences, reason_without
from karat.metrics._measure import Views
from karat.metrics._views import Pairwise
from karat.tally import Ladder, RungSource, ScoredRows

__all__ = ["DRAWN", "Draws", "KeptColumns", "draw_rows", "interval_of_draws"]

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int64]

DRAWN: Final = ("bootstrap", "bca", "bayesian")
"""Methods that draw."""
N_GROUPS: Final = 1024
"""Groups of neighbouring scores that a kept column is put into."""
_AS_DRAWN: Final = "its replicates take the rows as drawn, not so many of each class"
_COLUMNS: Final[Mapping[type, str]] = {
    ClassRanks: "ranks",
    ClassProbabilities: "probabilities",
    Confidences: "confidences",
}


def interval_of_draws(
    metric: Metric, value: float, drawn: Floats, asked: Confidence, acceleration: float = 0.0
) -> Interval:
    """The interval of a value from its replicates; a percentile unless another is asked for."""
    method = asked.method if asked.method in DRAWN else "bootstrap"
    found = interval_of_replicates(
        drawn, value, asked.level, asked.side, method, acceleration, ends=metric.range
    )
    kept = drawn[np.isfinite(drawn)]
    with np.errstate(over="ignore"):
        error = float(kept.std(ddof=1)) if len(kept) > 1 else None
    if error is not None and not np.isfinite(error):
        error = None
    if found.reason:
        return Interval(standard_error=error, remark=found.reason)
    remark = None
    if not found.low <= value <= found.high:
        # Of absolute gaps and maxima replicates are larger than the value itself.
        remark = "its replicates lie on one side of it: it is biased"
    if found.n_undefined:
        remark = f"{found.n_undefined} of {len(drawn)} replicates do not define it"
    # What moves by its linear part may leave the range.
    ends = metric.range
    low, high = max(min(found.low, value), ends[0]), min(max(found.high, value), ends[1])
    return Interval(low, high, method, error, remark)


@dataclass(eq=False)
class Draws:
    """What replicates are drawn from when an interval is read, and what was drawn before.

    Attributes:
        ladders: columns by the view that reads them, in groups.
        listed: metrics of these columns that are drawn when they are read.
        drawn: float64[b] of other metrics.
        accelerations: of bias-corrected intervals; 0 where not known.
    """

    ladders: Mapping[str, Ladder] = field(default_factory=dict)
    listed: tuple[Metric, ...] = ()
    drawn: dict[Metric, Floats] = field(default_factory=dict)
    accelerations: Mapping[Metric, float] = field(default_factory=dict)

    def of(self, metric: Metric, value: float, asked: Confidence) -> Interval | None:
        """The interval of a metric; None where nothing was kept for it."""
        if metric not in self.drawn:
            if metric not in self.listed:
                return None
            self._draw(metric.record.reads, asked)
        found = interval_of_draws(
            metric, value, self.drawn[metric], asked, self.accelerations.get(metric, 0.0)
        )
        if asked.design == "case-control" and reason_without(metric) and found.remark is None:
            return replace(found, remark=_AS_DRAWN)
        return found

    def _draw(self, view: type, asked: Confidence) -> None:
        """Replicates of every metric that reads a column: they are drawn once."""
        metrics = [metric for metric in self.listed if metric.record.reads is view]
        self.drawn |= replicate_measures(
            metrics,
            self.ladders[_COLUMNS[view]],
            asked.n_replicates,
            asked.seed,
            method="bayesian" if asked.method == "bayesian" else "poisson",
            limit=N_GROUPS,
        )


class KeptColumns:
    """Columns kept in groups while they are sorted; see `_measure.Beside`.

    Args:
        metrics: of one column each, for which replicates will be drawn.
        positive: the class whose column they read.
    """

    names_rows = False

    def __init__(self, metrics: Iterable[Metric], positive: int | None) -> None:
        self.metrics = tuple(metrics)
        self._views = {metric.record.reads for metric in self.metrics}
        self._positive = positive
        self.ladders: dict[str, Ladder] = {}

    def column(self, i: int, views: Views) -> None:
        """Keep the column of the positive class."""
        if i != self._positive:
            return
        if ClassRanks in self._views:
            self._keep("ranks", views.ranks.ranked)
        if ClassProbabilities in self._views:
            self._keep("probabilities", views.probabilities.ranked)

    def confidences(self, view: Confidences) -> None:
        """Keep the probabilities of the predicted classes."""
        if Confidences in self._views:
            self._keep("confidences", view.ranked)

    def pooled(self, views: Views) -> None:
        """Nothing: no metric of all columns together is drawn from one."""

    def pairs(self, metric: Metric, view: Pairwise) -> None:
        """Nothing."""

    def _keep(self, name: str, column: RungSource) -> None:
        groups = LevelGroups.of(column, N_GROUPS)
        counts: npt.NDArray[Any] = groups.sums
        if groups.squares is None:
            counts = counts.astype(np.int64)
        self.ladders[name] = Ladder(groups.scores, counts, groups.squares, groups.n_rows)


def draw_rows(
    rows: ScoredRows, metrics: Iterable[Metric], asked: Confidence, clusters: Codes | None
) -> tuple[dict[Metric, Floats], dict[Metric, float]]:
    """Replicates of metrics by drawing rows, or whole clusters, and their accelerations.

    A metric with an influence moves by its linear part, which is all of it for a mean of losses;
    others are computed anew, column by column, on the same rows.

    Cost: O(n) for each replicate and metric.
    """
    wanted = list(metrics)
    smooth = [metric for metric in wanted if not reason_without(metric)]
    drawn, accelerations = _linear(rows, smooth, asked, clusters)
    for metric in wanted:
        if metric not in drawn:
            drawn[metric] = _anew(rows, metric, asked, clusters)
    return drawn, accelerations


def _linear(
    rows: ScoredRows, metrics: list[Metric], asked: Confidence, clusters: Codes | None
) -> tuple[dict[Metric, Floats], dict[Metric, float]]:
    """Moves of each metric in each replicate; the value itself is added by `moved`."""
    if not metrics:
        return {}, {}
    phi = influences(rows, metrics)
    if asked.design == "case-control":
        phi = {metric: within_classes(part[None], rows)[0] for metric, part in phi.items()}
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    known = {metric for metric in metrics if np.isfinite(phi[metric]).all()}
    parts: dict[Metric, list[Floats]] = {metric: [] for metric in metrics}
    method = "bayesian" if asked.method == "bayesian" else "poisson"
    for block in replicate_rows(
        rows.n_rows,
        asked.n_replicates,
        asked.seed,
        clusters=clusters,
        method=method,  # type: ignore[arg-type]
    ):
        for times in block:
            w = times * weights
            total = float(w.sum())
            for metric, found in parts.items():
                is_known = total > 0 and metric in known
                move = float((w * phi[metric]).sum()) / total if is_known else math.nan
                found.append(np.array([move]))
    moves = {metric: np.concatenate(found) for metric, found in parts.items()}
    summed: dict[Metric, Floats] = {metric: phi[metric] * weights for metric in known}
    if clusters is not None:
        summed = {
            metric: np.bincount(clusters, part).astype(np.float64)
            for metric, part in summed.items()
        }
    return moves, {metric: acceleration_of(part) for metric, part in summed.items()}


def _anew(rows: ScoredRows, metric: Metric, asked: Confidence, clusters: Codes | None) -> Floats:
    """Replicates of a metric of one column, or of its average over the columns of the classes."""
    method = "bayesian" if asked.method == "bayesian" else "multinomial"
    plain = Metric(metric.record, "plain", metric.params)

    def of_column(scores: Floats, is_own: npt.NDArray[np.bool_]) -> Floats:
        replicates = replicate_row_ladders(
            scores,
            is_own,
            asked.n_replicates,
            asked.seed,
            clusters=clusters,
            weights=rows.weights,
            method=method,  # type: ignore[arg-type]
            limit=N_GROUPS,
        )
        return measures_of([plain], replicates)[plain]

    if metric.record.reads is Confidences:
        return of_column(*rows.confidence_values())
    classes = range(rows.classes.k)
    if metric.lift == "plain":
        assert rows.classes.positive is not None
        classes = range(rows.classes.positive, rows.classes.positive + 1)
    is_prob = metric.record.reads is ClassProbabilities
    each = np.array(
        [of_column(rows.column_values(i, is_prob=is_prob), rows.codes == i) for i in classes]
    )
    if metric.lift == "plain":
        return np.asarray(each[0])
    share = np.bincount(rows.codes, rows.weights, len(each)).astype(np.float64)
    if metric.lift != "weighted":
        share = np.ones(len(each))
    measured = np.isfinite(each)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = (measured * share[:, None]).sum(axis=0)
        return np.asarray((np.where(measured, each, 0.0) * share[:, None]).sum(axis=0) / total)

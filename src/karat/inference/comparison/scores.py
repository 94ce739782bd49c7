"""Metrics of scores of several models, from the influence of each row on each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from karat.inference.comparison.contrasts import (
    Apart,
    Correlation,
    Distances,
    Limits,
    Pair,
    Paired,
    SamplingError,
    Units,
    correlation,
    least_variance,
    limits_together,
)
from karat.inference.comparison.judging import Measured
from karat.inference.comparison.records import Estimate
from karat.inference.confidence import Confidence, Interval
from karat.inference.limits import Floats
from karat.inference.score_intervals import measured_with_intervals
from karat.inference.variance import Sizes
from karat.metrics import Losses, Metric
from karat.metrics._influence.gather import influences, reason_without
from karat.metrics._lift import Policy
from karat.tally import ClusteredCells
from karat.tally.scored import ScoredRows

__all__ = ["scored_metrics"]


_DUST = 1e-14
"""Influences that differ by less of the value are the same."""
_NO_VARIANCE = "these rows do not show how much it varies: a class has one row, or none"


def row_influence(rows: ScoredRows, metrics: Sequence[Metric]) -> dict[Metric, Floats]:
    """float64[n]: influence of each row on metrics of scores; those without one are left out."""
    smooth = [metric for metric in metrics if not reason_without(metric)]
    with np.errstate(invalid="ignore"):  # an infinite loss has no influence
        found = influences(rows, smooth)
    if rows.weights is None:
        return found
    # Of a row without weight the loss may be infinite, and counts for nothing.
    return {metric: np.where(rows.weights > 0, phi, 0.0) for metric, phi in found.items()}


def estimates_of_scores(
    rows: ScoredRows,
    metrics: Sequence[Metric],
    policy: Policy,
    level: float,
    clusters: npt.NDArray[np.int64] | None,
) -> dict[Metric, Estimate]:
    """What every metric of scores gave for one model, with its interval."""
    values, sure = measured_with_intervals(
        rows, metrics, policy, Confidence(level), clusters=clusters
    )
    return {
        metric: Estimate.of(
            float(values[metric].value), sure.intervals.get(metric, Interval()), level
        )
        for metric in metrics
    }


def scored_metrics(
    scored: Mapping[str, ScoredRows],
    metrics: Sequence[Metric],
    policy: Policy,
    clusters: Mapping[str, npt.NDArray[np.int64] | None],
    *,
    level: float,
    is_paired: bool,
) -> list[tuple[Measured, dict[str, Estimate]]]:
    """Every metric of scores of models, and what is known of each model alone."""
    values = {
        name: estimates_of_scores(rows, metrics, policy, level, clusters[name])
        for name, rows in scored.items()
    }
    each = {name: row_influence(rows, metrics) for name, rows in scored.items()}
    return [
        _of_metric(metric, scored, values, each, clusters, is_paired=is_paired)
        for metric in metrics
    ]


def _of_metric(
    metric: Metric,
    scored: Mapping[str, ScoredRows],
    values: Mapping[str, Mapping[Metric, Estimate]],
    influence: Mapping[str, Mapping[Metric, Floats]],
    clusters: Mapping[str, npt.NDArray[np.int64] | None],
    *,
    is_paired: bool,
) -> tuple[Measured, dict[str, Estimate]]:
    phi = {
        name: _without_dust(found.get(metric), values[name][metric].value)
        for name, found in influence.items()
    }
    units = {name: _units(rows, metric, clusters[name]) for name, rows in scored.items()}
    variances = {name: _variance(phi[name], units[name]) for name in scored}
    estimates = {name: values[name][metric] for name in scored}
    first = next(iter(units.values()))
    spread: SamplingError | None = None
    known = [part for part in phi.values() if part is not None]
    if len(known) == len(phi):
        df = min(unit.df for unit in units.values())
        least = [
            least_variance(_distances(one), Confidence(one.level).quantile(unit.df))
            for one, unit in zip(estimates.values(), units.values(), strict=True)
        ]
        apart = Apart(np.array(list(variances.values())), df, np.array(least))
        spread = Paired(np.array(known), first) if is_paired else apart
    reason = reason_without(metric)
    remark = f"it has no influence function: it is {reason}" if reason else None
    known_values = [name for name in scored if math.isfinite(estimates[name].value)]
    if not reason and not all(math.isfinite(variances[name]) for name in known_values):
        remark = _NO_VARIANCE
    of_models = [one.value for one in estimates.values()]
    n = [rows.n_rows for rows in scored.values()]
    is_area = metric.record.name in ("roc_auc", "gini") and metric.lift == "plain"
    method = "influence" if is_paired else "unpaired"
    method += " z" if math.isinf(first.df) else " t"
    if is_paired and is_area and first.clusters is None:
        method = "DeLong"
    limits = {}
    if spread is not None:
        limits = _limits_of_still(metric, list(estimates.values()), spread, first)
    found = Measured(metric, of_models, n, spread, method, limits=limits, remark=remark)
    return found, estimates


def _units(rows: ScoredRows, metric: Metric, clusters: npt.NDArray[np.int64] | None) -> Units:
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    squares = weights * weights
    if clusters is not None:
        by_cluster = ClusteredCells.of(clusters, np.arange(rows.n_rows), rows.weights)
        return Units(weights, squares, by_cluster, df=by_cluster.n_clusters - 1.0)
    factors = None if reason_without(metric) else Sizes.of(rows).factors(metric)[rows.codes]
    n = float(weights.sum()) ** 2 / float(squares.sum())
    df = max(n - 1.0, 1.0) if metric.record.reads is Losses else math.inf
    return Units(weights, squares, factors=factors, df=df)


def _variance(phi: Floats | None, units: Units) -> float:
    if phi is None or not np.isfinite(phi).all():
        return math.nan
    return float(units.covariance(phi[None])[0, 0])


def _without_dust(phi: Floats | None, value: float) -> Floats | None:
    """Influences; exactly 0 where they differ by no more than rounding errors."""
    if phi is None or not np.isfinite(phi).all():
        return phi
    scale = max(float(np.abs(phi).max(initial=0.0)), abs(value))
    return np.zeros_like(phi) if float(np.ptp(phi)) <= _DUST * scale else phi


def _limits_of_still(
    metric: Metric, estimates: Sequence[Estimate], spread: SamplingError, units: Units
) -> dict[Pair, tuple[str, Limits]]:
    """Limits of the pairs of equal values whose difference no row moves, from those of both."""
    found: dict[Pair, tuple[str, Limits]] = {}
    for a, b in permutations(range(len(estimates)), 2):
        sides = [_distances(estimates[model]) for model in (a, b)]
        is_still = estimates[a].value == estimates[b].value and spread.variance(a, b) == 0.0
        if is_still and sides[0] is not None and sides[1] is not None:
            errors = [estimates[model].standard_error or 0.0 for model in (a, b)]
            goes = correlation(np.outer(errors, errors), 0, 1, (units.n_effective, 0.5))
            limits = _scaled(metric, sides[0], sides[1], goes, estimates[a].level, spread.df)
            found[a, b] = "combined", limits
    return found


def _scaled(
    metric: Metric, of_a: Distances, of_b: Distances, goes: Correlation, level: float, df: float
) -> Limits:
    """Limits at other levels than that of the values lie as many times farther away."""
    at = Confidence(level).quantile(df)

    def limits(quantile: float) -> tuple[float, float]:
        times = quantile / at
        sides = [(times * down, times * up) for down, up in (of_a, of_b)]
        return limits_together(metric, 0.0, sides[0], sides[1], goes(quantile))

    return limits


def _distances(one: Estimate) -> Distances | None:
    if one.low is None or one.high is None:
        return None
    return one.value - one.low, one.high - one.value

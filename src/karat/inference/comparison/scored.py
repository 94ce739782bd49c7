"""Metrics of scores of several models, on the same rows or each on its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors.text import counted
from karat.inference.comparison.contrasts import (
    Apart,
    Correlation,
    Distances,
    Limits,
    Pair,
    Paired,
    ScoreLimits,
    Sides,
    Spread,
    Units,
    correlation,
    least_variance,
    limits_together,
)
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Estimate
from karat.inference.confidence import Confidence, Interval
from karat.inference.limits import Floats
from karat.inference.score_intervals import measured_with_influence
from karat.inference.variance import Sizes, is_of_classes
from karat.metrics import Losses, Metric
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics.reasons import undefined_reason
from karat.tally import ClusteredCells
from karat.tally.cached import cached_property
from karat.tally.scored import ScoredRows

FEW: Final = 30
"""With fewer rows of some class the p of an area is rough."""
_NO_VARIANCE = "these rows do not show how much it varies: a class has one row, or none"


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """A model with scores: what every metric gave, and how each row moves it.

    Attributes:
        rows: implements `tally.ScoredRows`.
        clusters: cluster of each row, or None.
        estimates: of each metric, with its interval.
        intervals: of each metric.
        influence_of: gives the influence of each row.
        is_of_looks: whether limits hold together with those of other looks or windows.
        undefined: why the rows do not define a metric.
    """

    rows: ScoredRows
    clusters: npt.NDArray[np.int64] | None
    estimates: Mapping[Metric, Estimate]
    intervals: Mapping[Metric, Interval]
    influence_of: Callable[[Metric], Floats]
    is_of_looks: bool = False
    undefined: Mapping[Metric, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: ScoredRows,
        metrics: Sequence[Metric],
        policy: Policy,
        level: float,
        clusters: npt.NDArray[np.int64] | None,
        look: Confidence | None = None,
    ) -> ScoredModel:
        """Compute it in one pass over the rows."""
        with np.errstate(invalid="ignore"):  # an infinite loss has no influence
            values, sure, influence = measured_with_influence(
                rows, metrics, policy, look or Confidence(level), clusters
            )
        undefined = {
            metric: undefined_reason(metric, rows.classes, values[metric].undefined) or ""
            for metric in metrics
            if values[metric].undefined.all() or not math.isfinite(values[metric].value)
        }
        estimates = {}
        for metric in metrics:
            value, interval = float(values[metric].value), sure.intervals.get(metric, Interval())
            estimates[metric] = Estimate.of(value, interval, level)
            if metric in undefined:
                estimates[metric] = Estimate.undefined(value, undefined[metric], level)
        is_of_looks = look is not None and look.is_of_looks
        return cls(rows, clusters, estimates, sure.intervals, influence, is_of_looks, undefined)

    def influence(self, metric: Metric) -> Floats | None:
        """float64[n]; None where it has none. Exactly 0 where the value has no sampling error."""
        if reason_without(metric):
            return None
        with np.errstate(invalid="ignore"):  # an infinite loss has no influence
            phi = self.influence_of(metric)
        if self.rows.weights is not None:
            # Of a row without weight the loss may be infinite, and counts for nothing.
            phi = np.where(self.rows.weights > 0, phi, 0.0)
        return settled_influence(phi, self.estimates[metric])

    def units(self, metric: Metric) -> Units:
        """The rows, as their parts in the variance of a metric count."""
        factors = None
        if self.clusters is None and not reason_without(metric):
            factors = self._sizes.factors(metric)
        is_mean = metric.record.reads is Losses
        is_by_class = factors is not None and is_of_classes(metric)
        key = None if factors is None else factors.tobytes(), is_mean, is_by_class
        if key not in self._units:
            self._units[key] = self._made(factors, is_mean=is_mean, is_by_class=is_by_class)
        return self._units[key]

    def _made(self, factors: Floats | None, *, is_mean: bool, is_by_class: bool) -> Units:
        rows = self.rows
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        squares = weights * weights
        if self.clusters is not None:
            by_cluster = ClusteredCells.of(self.clusters, np.arange(rows.n_rows), rows.weights)
            return Units(weights, squares, by_cluster, df=by_cluster.n_clusters - 1.0)
        n = float(weights.sum()) ** 2 / float(squares.sum())
        # Far out, the rows of a rare class decide how far a mean of losses may be.
        rows_of_mean = self._sizes.fewest if self.is_of_looks else n
        df = max(rows_of_mean - 1.0, 1.0) if is_mean else math.inf
        sides = None
        if is_by_class:
            sides = Sides(rows.codes, np.maximum(self._sizes.of_classes - 1.0, 0.0))
        of_rows = None if factors is None else factors[rows.codes]
        return Units(weights, squares, factors=of_rows, df=df, sides=sides)

    def growth(self, metric: Metric) -> float:
        """Amount to add to the variance, which few rows underestimate."""
        interval = self.intervals.get(metric)
        found = None if interval is None else interval.sampling
        if found is None or self.clusters is not None:
            return 0.0
        return max(found.shrunk - found.variance, 0.0)

    @property
    def fewest(self) -> int:
        """Effective rows of the rarest class."""
        return int(self._sizes.smallest)

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes.of(self.rows)

    @cached_property
    def _units(self) -> dict[Any, Units]:
        return {}


def scored_metrics(
    scored: Mapping[str, ScoredRows],
    metrics: Sequence[Metric],
    policy: Policy,
    clusters: Mapping[str, npt.NDArray[np.int64] | None],
    spec: ComparisonSpec,
    *,
    is_paired: bool,
) -> list[tuple[Measured, dict[str, Estimate]]]:
    """Every metric of scores of models, and what is known of each model alone."""
    models = {
        name: ScoredModel.of(rows, metrics, policy, spec.level, clusters[name], spec.look)
        for name, rows in scored.items()
    }
    return compared_models(models, metrics, spec, is_paired=is_paired)


def compared_models(
    models: Mapping[str, ScoredModel],
    metrics: Sequence[Metric],
    spec: ComparisonSpec,
    *,
    is_paired: bool,
) -> list[tuple[Measured, dict[str, Estimate]]]:
    """The same of models that were measured."""
    pairs = spec.pairs
    done = []
    k = next(iter(models.values())).rows.classes.k if models else 0
    for metric in (each.with_classes(k) for each in metrics):
        phi = {name: model.influence(metric) for name, model in models.items()}
        # Models on the same rows have the same classes and weights.
        shared = next(iter(models.values())).units(metric) if is_paired else None
        units = {name: shared or model.units(metric) for name, model in models.items()}
        variances = {name: _variance(phi[name], units[name]) for name in models}
        estimates = {name: model.estimates[metric] for name, model in models.items()}
        first = next(iter(units.values()))
        spread: Spread | None = None
        known = [part for part in phi.values() if part is not None]
        if len(known) == len(phi):
            alone = [units[name].df_alone(part) for name, part in zip(phi, known, strict=True)]
            least = [
                least_variance(distances_of(one), Confidence(one.level).quantile(df))
                for one, df in zip(estimates.values(), alone, strict=True)
            ]
            apart = Apart(np.array(list(variances.values())), min(alone), np.array(least))
            growth = [model.growth(metric) for model in models.values()]
            own = apart.variances
            spread = Paired.of(known, first, pairs, own, growth) if is_paired else apart
        reason = reason_without(metric)
        remark = f"it has no influence function: it is {reason}" if reason else None
        known_values = [name for name in models if math.isfinite(estimates[name].value)]
        if not reason and not all(math.isfinite(variances[name]) for name in known_values):
            remark = _NO_VARIANCE
        of_models = [one.value for one in estimates.values()]
        n = [model.rows.n_rows for model in models.values()]
        is_area = metric.record.name in ("roc_auc", "gini") and metric.lift == "plain"
        method = "influence" if is_paired else "unpaired"
        is_normal = math.isinf(first.df) and not (is_paired and first.sides)
        method += " z" if is_normal else " t"
        if is_paired and is_area and first.clusters is None:
            method = "DeLong"
        fewest = min(model.fewest for model in models.values())
        if remark is None and is_paired and first.sides and fewest < FEW:
            remark = f"the rarest class has {counted(fewest, 'row')}: p is rough"
        limits = {}
        if spread is not None:
            limits = limits_of_still(metric, list(estimates.values()), spread, first, pairs)
        facts = metric, of_models, n, spread, method
        of_each = _alone(metric, of_models, models.values())
        undefined = {
            i: model.undefined[metric]
            for i, model in enumerate(models.values())
            if metric in model.undefined
        }
        found = Measured(*facts, limits=limits, alone=of_each, remark=remark)
        found = replace(found, undefined=undefined)
        done.append((found, estimates))
    return done


def _alone(
    metric: Metric, values: Sequence[float], models: Iterable[ScoredModel]
) -> ScoreLimits | None:
    intervals = [model.intervals.get(metric, Interval()) for model in models]
    errors = [one.sampling for one in intervals if one.sampling is not None]
    return ScoreLimits(metric, values, errors) if len(errors) == len(values) else None


def _variance(phi: Floats | None, units: Units) -> float:
    if phi is None or not np.isfinite(phi).all():
        return math.nan
    return float(units.covariance(phi[None])[0, 0])


def settled_influence(phi: Floats, estimate: Estimate) -> Floats:
    """Influences; exactly 0 where all of them are rounding: the value has no sampling error."""
    return np.zeros_like(phi) if estimate.standard_error == 0.0 else phi


def limits_of_still(
    metric: Metric,
    estimates: Sequence[Estimate],
    spread: Spread,
    units: Units,
    pairs: Iterable[Pair],
) -> dict[Pair, tuple[str, Limits]]:
    """Limits of the pairs of equal values whose difference no row moves, from those of both."""
    found: dict[Pair, tuple[str, Limits]] = {}
    for a, b in pairs:
        sides = [distances_of(estimates[model]) for model in (a, b)]
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


def distances_of(one: Estimate) -> Distances | None:
    if one.low is None or one.high is None:
        return None
    return one.value - one.low, one.high - one.value

"""Metrics of scores of several models, on the same rows or each on its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.designs import Design, units_of
from karat.designs.units import Sample, SeparateClasses, Units
from karat.errors.text import counted
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import ModelValue
from karat.inference.comparison.sides import contrasted
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate, least_variance
from karat.inference.limits import Floats
from karat.inference.score_intervals import measured_with_influence
from karat.inference.value_limits import ScoreLevels
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
        values, intervals: of each metric.
        level: confidence level of the intervals.
        influence_of: gives the influence of each row.
        is_of_looks: whether limits hold together with those of other looks or windows.
        undefined: why the rows do not define a metric.
        design: how rows were drawn.
    """

    rows: ScoredRows
    clusters: npt.NDArray[np.int64] | None
    values: Mapping[Metric, float]
    intervals: Mapping[Metric, Interval]
    level: float
    influence_of: Callable[[Metric], Floats]
    is_of_looks: bool = False
    undefined: Mapping[Metric, str] = field(default_factory=dict)
    design: Design = "cohort"

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
        asked = look or Confidence(level)
        with np.errstate(invalid="ignore"):  # an infinite loss has no influence
            values, sure, influence = measured_with_influence(
                rows, metrics, policy, asked, clusters
            )
        undefined = {
            metric: undefined_reason(metric, rows.classes, values[metric].undefined) or ""
            for metric in metrics
            if values[metric].undefined.all() or not math.isfinite(values[metric].value)
        }
        numbers = {metric: float(values[metric].value) for metric in metrics}
        intervals = {
            metric: Interval() if metric in undefined else sure.intervals.get(metric, Interval())
            for metric in metrics
        }
        is_of_looks = look is not None and look.is_of_looks
        how = is_of_looks, undefined, asked.design
        return cls(rows, clusters, numbers, intervals, level, influence, *how)

    def influence(self, metric: Metric) -> Floats | None:
        """float64[n]; None where it has none. Exactly 0 where the value has no sampling error."""
        if reason_without(metric):
            return None
        with np.errstate(invalid="ignore"):  # an infinite loss has no influence
            phi = self.influence_of(metric)
        if self.rows.weights is not None:
            # Of a row without weight the loss may be infinite, and counts for nothing.
            phi = np.where(self.rows.weights > 0, phi, 0.0)
        return settled_influence(phi, self.intervals[metric])

    def estimate(self, metric: Metric, units: Units) -> Estimate:
        """The value of a metric, and how these units move it."""
        value, interval = self.values[metric], self.intervals[metric]
        sampling = interval.sampling
        estimate = Estimate(
            value,
            self.rows.n_rows,
            self.undefined.get(metric),
            levels=None if sampling is None else ScoreLevels(metric, value, sampling),
            interval=interval,
            level=self.level,
        )
        phi = self.influence(metric)
        if phi is None:
            return estimate
        is_finite = bool(np.isfinite(phi).all())
        df = units.degrees_of_value(phi)
        quantile = Confidence(self.level).quantile(df)
        return replace(
            estimate,
            influence=phi,
            variance=float(units.covariance(phi[None])[0, 0]) if is_finite else math.nan,
            df=df,
            least=least_variance(estimate.distances, quantile),
            growth=self.growth(metric),
            n_effective=units.n_effective,
        )

    def units(self, metric: Metric) -> Units:
        """The rows, as their parts in the variance of a metric count."""
        if self.clusters is not None:
            return self._clustered
        factors = None if reason_without(metric) else self._sizes.factors(metric)
        is_mean = metric.record.reads is Losses
        is_by_class = factors is not None and is_of_classes(metric)
        key = None if factors is None else factors.tobytes(), is_mean, is_by_class
        if key not in self._units:
            self._units[key] = self._made(factors, is_mean=is_mean, is_by_class=is_by_class)
        return self._units[key]

    def _made(self, factors: Floats | None, *, is_mean: bool, is_by_class: bool) -> Units:
        rows, sample = self.rows, self._sample
        n = float(sample.weights.sum()) ** 2 / float(sample.squares.sum())
        # Far out, the rows of a rare class decide how far a mean of losses may be.
        rows_of_mean = self._sizes.fewest if self.is_of_looks else n
        df = max(rows_of_mean - 1.0, 1.0) if is_mean else math.inf
        classes = None
        if is_by_class:
            classes = SeparateClasses(rows.codes, np.maximum(self._sizes.of_classes - 1.0, 0.0))
        of_rows = None if factors is None else factors[rows.codes]
        return units_of(self.design, replace(sample, factors=of_rows, df=df, classes=classes))

    @property
    def _sample(self) -> Sample:
        rows = self.rows
        sample = Sample.of_rows(rows.weights, rows.n_rows)
        return replace(sample, true=rows.codes, k=rows.classes.k)

    @cached_property
    def _clustered(self) -> Units:
        rows, clusters = self.rows, self.clusters
        assert clusters is not None
        by_cluster = ClusteredCells.of(clusters, np.arange(rows.n_rows), rows.weights)
        return units_of(self.design, self._sample, by_cluster)

    def growth(self, metric: Metric) -> float:
        """Amount to add to the variance, which few rows underestimate."""
        sampling = self.intervals[metric].sampling
        if sampling is None or self.clusters is not None:
            return 0.0
        return max(sampling.shrunk - sampling.variance, 0.0)

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
) -> list[tuple[Measured, dict[str, ModelValue]]]:
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
) -> list[tuple[Measured, dict[str, ModelValue]]]:
    """The same of models that were measured."""
    done = []
    k = next(iter(models.values())).rows.classes.k if models else 0
    method = "influence" if is_paired else "unpaired"
    for metric in (each.with_classes(k) for each in metrics):
        # Models on the same rows have the same classes and weights.
        first = next(iter(models.values())).units(metric)
        each = [
            model.estimate(metric, first if is_paired else model.units(metric))
            for model in models.values()
        ]
        is_area = metric.record.name in ("roc_auc", "gini") and metric.lift == "plain"
        is_normal = math.isinf(first.df) and not (is_paired and first.compares_classes)
        is_delong = is_paired and is_area and math.isinf(first.n_units)
        measured = contrasted(
            metric,
            each,
            spec.pairs,
            "DeLong" if is_delong else f"{method} {'z' if is_normal else 't'}",
            first if is_paired else None,
            kind_of_limits="still",
            remark=_remark(metric, each, list(models.values()), first, is_paired=is_paired),
        )
        done.append((measured, measured.model_values(tuple(models), Confidence(spec.level))))
    return done


def _remark(
    metric: Metric,
    estimates: Sequence[Estimate],
    models: Sequence[ScoredModel],
    units: Units,
    *,
    is_paired: bool,
) -> str | None:
    """Why differences have no p, or a rough one."""
    reason = reason_without(metric)
    if reason:
        return f"it has no influence function: it is {reason}"
    unknown = [math.isfinite(x.value) and not math.isfinite(x.variance or 0.0) for x in estimates]
    if any(unknown):
        return _NO_VARIANCE
    fewest = min(model.fewest for model in models)
    if is_paired and units.compares_classes and fewest < FEW:
        return f"the rarest class has {counted(fewest, 'row')}: p is rough"
    return None


def settled_influence(phi: Floats, interval: Interval | None) -> Floats:
    """Influences; exactly 0 where all of them are rounding: the value has no sampling error."""
    is_still = interval is not None and interval.standard_error == 0.0
    return np.zeros_like(phi) if is_still else phi

"""Differences of several systems under one judge, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from karat.designs.clusters import degrees_of_clusters
from karat.designs.judge import Both, RowsWithJudge, cost_of_tuning
from karat.designs.units import small_sample
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import ModelValue
from karat.inference.comparison.sides import contrasted
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate
from karat.inference.judge.estimates import JudgedLabels, Sample
from karat.inference.judge.labels import no_gold_label, powered
from karat.inference.judge.scores import ScoredMoves, Three, scored_moves
from karat.inference.limits import Floats
from karat.metrics import Metric
from karat.metrics._lift import Policy

METHOD = "prediction-powered t"


@dataclass(frozen=True, eq=False)
class JudgedModel:
    """Rows of one system.

    Attributes:
        sample: weights, clusters, and the rows with gold labels.
        labels: its labels, row by row.
        scores: its rows with scores, or None.
    """

    sample: Sample
    labels: JudgedLabels
    scores: Three | None = None
    _scored: dict[Metric, ScoredMoves] = field(default_factory=dict)

    @property
    def both(self) -> Both:
        """Weights of the rows in both means."""
        return self.labels.both

    def read(self, metrics: Sequence[Metric], confidence: Confidence, policy: Policy) -> None:
        """Measure metrics of scores, all in one pass."""
        if metrics and self.scores is not None:
            clusters = self.sample.clusters_of_gold
            found = scored_moves(metrics, self.scores, confidence, policy, clusters)
            self._scored.update(found)

    def moves(self, metric: Metric, policy: Policy) -> tuple[Floats, Floats, Floats]:
        """Influence on a metric: of gold rows by both labels, of reference rows by the judge's."""
        if metric.needs_scores:
            return self._scored[metric].moves
        return self.labels.table_of(metric).moves(metric, policy)

    def errors(self, metric: Metric, policy: Policy) -> Floats:
        """float64[2, n]: what each row adds to the error by gold rows, and to that of the judge."""
        moves, sample, both = self.moves(metric, policy), self.sample, self.both
        errors = np.zeros((2, len(sample.has_gold)))
        errors[0, sample.gold] = both.gold.moves(moves[0])
        errors[1, sample.gold] = -both.gold.moves(moves[1])
        errors[1, sample.reference] += both.reference.moves(moves[2])
        if sample.clusters is None:
            return errors
        return np.stack([np.bincount(sample.clusters, part) for part in errors])

    def influence(self, metric: Metric, policy: Policy, weight: float) -> Floats:
        """float64[2n]: influence on a metric, as `RowsWithJudge` reads it."""
        by_gold, by_judge, of_reference = self.moves(metric, policy)
        sample, both = self.sample, self.both
        parts = np.zeros((2, len(sample.has_gold)))
        parts[0, sample.gold] = both.gold.moves(by_gold - weight * by_judge)
        parts[1, sample.reference] = weight * both.reference.moves(of_reference)
        return parts.ravel()

    def units(self, factor: float, df: float) -> RowsWithJudge:
        """The rows, of variances that grow by a factor."""
        ones, sample = np.ones(2 * len(self.sample.has_gold)), self.sample
        return RowsWithJudge(ones, ones, factor, df, sample.clusters, sample.gold, self.both)

    def estimate(
        self, metric: Metric, weight: float, confidence: Confidence, policy: Policy
    ) -> ModelValue:
        """Return the estimate with that weight of the judge."""
        if metric.needs_scores:
            found = self._scored[metric].powered(self.both, confidence, weight)
        else:
            found = powered(metric, self.labels.table_of(metric), confidence, policy, weight)
        return ModelValue.of(found.value, found.interval, confidence.level)


def judged_differences(
    models: Mapping[str, JudgedModel],
    metrics: Sequence[Metric],
    spec: ComparisonSpec,
    policy: Policy,
) -> list[tuple[Measured, dict[str, ModelValue]]]:
    """Measure metrics of systems on the same rows.

    One λ for a metric makes the differences of all pairs together most precise.
    """
    confidence = Confidence(spec.level)
    for model in models.values():
        model.read([metric for metric in metrics if metric.needs_scores], confidence, policy)
    return [_measured(models, metric, spec, policy, confidence) for metric in metrics]


def _measured(
    models: Mapping[str, JudgedModel],
    metric: Metric,
    spec: ComparisonSpec,
    policy: Policy,
    confidence: Confidence,
) -> tuple[Measured, dict[str, ModelValue]]:
    each = list(models.values())
    errors = np.stack([model.errors(metric, policy) for model in each])
    n = min(model.both.gold.n for model in each)
    weight, factor = _weight(errors, spec, n)
    estimates = {
        name: model.estimate(metric, weight, confidence, policy) for name, model in models.items()
    }
    n_gold = [int(model.sample.has_gold.sum()) for model in each]
    values = [
        Estimate(shown.value, rows) for shown, rows in zip(estimates.values(), n_gold, strict=True)
    ]
    unseen = ""
    if not metric.needs_scores:
        names = (model.labels.table_of(metric).unseen(metric, policy) for model in each)
        unseen = next((name for name in names if name), "")
    total = errors[:, 0] + weight * errors[:, 1]
    df = 1.0
    if np.isfinite(total).all() and n > 2.0 and not unseen:
        df = _degrees(each[0], total, n - 1.0 - (weight > 0.0), spec)
        for i, model in enumerate(each):
            phi = model.influence(metric, policy, weight)
            variance = float(model.units(factor, df).variance(phi))
            values[i] = replace(values[i], influence=phi, variance=variance)
    remark = f"judge weight λ {weight:.2g}, {min(n_gold)} gold labels"
    units = each[0].units(factor, df)
    if any(not np.array_equal(model.sample.gold, each[0].sample.gold) for model in each):
        # Verdicts about each system may have gold rows of their own.
        units = replace(units, both=None)
    measured = contrasted(
        metric,
        values,
        spec.pairs,
        METHOD,
        units,
        kind_of_limits="none",
        remark=no_gold_label(unseen) if unseen else remark,
    )
    return measured, estimates


def _degrees(model: JudgedModel, errors: Floats, df: float, spec: ComparisonSpec) -> float:
    """Degrees of freedom of the variances of all differences, from errors float64[m, e]."""
    if model.sample.clusters is not None:
        apart = (np.abs(errors[a] - errors[b]) for a, b in spec.pairs)
        df = min(df, *(float(degrees_of_clusters(each)) for each in apart))
    return max(df, 1.0)


def _weight(errors: Floats, spec: ComparisonSpec, n: float) -> tuple[float, float]:
    """Weight of the judge that makes the differences most precise, and the factor of variances."""
    alone = float(small_sample(n)) if n > 1.0 else math.nan
    if not np.isfinite(errors).all() or n < 4.0:
        return 0.0, alone
    apart = np.stack([errors[a] - errors[b] for a, b in spec.pairs])
    square = float((apart[:, 1] ** 2).sum())
    if not square > 0.0:
        return 0.0, alone
    weight = min(max(-float((apart[:, 0] * apart[:, 1]).sum()) / square, 0.0), 1.0)
    cost = cost_of_tuning(n)
    before = alone * float((apart[:, 0] ** 2).sum())
    after = cost * float(((apart[:, 0] + weight * apart[:, 1]) ** 2).sum())
    return (weight, cost) if weight > 0.0 and after < before else (0.0, alone)

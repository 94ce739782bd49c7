"""Differences of several systems under one judge, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from karat.designs.clusters import degrees_of_clusters
from karat.designs.judge import Both, cost_of_tuning
from karat.designs.units import small_sample
from karat.inference.comparison.contrasts import Paired
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Estimate
from karat.inference.confidence import Confidence
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
        return self.labels.table.moves(metric, policy)

    def errors(self, metric: Metric, policy: Policy) -> Floats:
        """float64[2, n]: what each row adds to the error by gold rows, and to that of the judge."""
        moves = self.moves(metric, policy)
        sample, both = self.sample, self.both
        found = np.zeros((2, len(sample.has_gold)))
        found[0, sample.gold] = both.gold.moves(moves[0])
        found[1, sample.gold] = -both.gold.moves(moves[1])
        found[1, sample.reference] += both.reference.moves(moves[2])
        if sample.clusters is None:
            return found
        return np.stack([np.bincount(sample.clusters, one) for one in found])

    def estimate(
        self, metric: Metric, weight: float, confidence: Confidence, policy: Policy
    ) -> Estimate:
        """Return the estimate with that weight of the judge."""
        if metric.needs_scores:
            found = self._scored[metric].powered(self.both, confidence, weight)
        else:
            found = powered(metric, self.labels.table, confidence, policy, weight)
        return Estimate.of(found.value, found.interval, confidence.level)


def judged_differences(
    models: Mapping[str, JudgedModel],
    metrics: Sequence[Metric],
    spec: ComparisonSpec,
    policy: Policy,
) -> list[tuple[Measured, dict[str, Estimate]]]:
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
) -> tuple[Measured, dict[str, Estimate]]:
    errors = np.stack([model.errors(metric, policy) for model in models.values()])
    n, first = min(model.both.gold.n for model in models.values()), next(iter(models.values()))
    weight, factor = _weight(errors, spec, n)
    total = errors[:, 0] + weight * errors[:, 1]
    spread, unseen = None, ""
    if not metric.needs_scores:
        each = (model.labels.table.unseen(metric, policy) for model in models.values())
        unseen = next((name for name in each if name), "")
    if np.isfinite(total).all() and n > 2.0 and not unseen:
        apart = total[1:] - total[0]
        errors_of = _Errors(list(models.values()), metric, policy, weight, total)
        variances = {pair: factor * errors_of.variance(*pair) for pair in spec.pairs}
        covariance = factor * (apart @ apart.T)
        if not first.both.is_of_equal_rows:
            held = np.array([factor * errors_of.variance(0, a) for a in range(1, len(models))])
            covariance += np.diag(held - np.diag(covariance))
        own_variances = factor * np.array([errors_of.variance(a) for a in range(len(models))])
        df = n - 1.0 - (weight > 0.0)
        if first.sample.clusters is not None:
            own = [float(degrees_of_clusters(np.abs(total[a] - total[b]))) for a, b in spec.pairs]
            df = min(df, *own)
        spread = Paired(variances, covariance, max(df, 1.0), own=own_variances)
    values = {
        name: model.estimate(metric, weight, confidence, policy) for name, model in models.items()
    }
    n_gold = [int(model.sample.has_gold.sum()) for model in models.values()]
    numbers = [one.value for one in values.values()]
    remark = (
        no_gold_label(unseen)
        if unseen
        else f"judge weight λ {weight:.2g}, {min(n_gold)} gold labels"
    )
    return Measured(metric, numbers, n_gold, spread, METHOD, remark=remark), values


@dataclass(frozen=True, eq=False)
class _Errors:
    """Errors of the values of systems with one weight of the judge.

    Attributes:
        models: the systems.
        weight: λ.
        total: float64[m, e], what each row, or cluster, adds to the error of each value.
    """

    models: Sequence[JudgedModel]
    metric: Metric
    policy: Policy
    weight: float
    total: Floats

    def variance(self, a: int, b: int | None = None) -> float:
        """Return the variance of a difference, or of one value, without its factor."""
        model, error = self.models[a], self.total[a]
        gold, rest = self._values(model)
        if b is not None:
            error = error - self.total[b]
            if not np.array_equal(model.sample.gold, self.models[b].sample.gold):
                # Verdicts about each system may have gold rows of their own.
                return float((error**2).sum())
            others = self._values(self.models[b])
            gold, rest = gold - others[0], rest - others[1]
        of_rest = float((model.both.reference.moves(self.weight * rest) ** 2).sum())
        return model.both.held(float((error**2).sum()), gold, of_rest)

    def _values(self, model: JudgedModel) -> tuple[Floats, Floats]:
        by_gold, by_judge, of_reference = model.moves(self.metric, self.policy)
        return by_gold - self.weight * by_judge, of_reference


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

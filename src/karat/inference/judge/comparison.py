"""Differences of several systems under one judge, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from karat.inference.cluster_df import degrees_of_clusters
from karat.inference.comparison.contrasts import Paired
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Estimate
from karat.inference.confidence import Confidence
from karat.inference.judge.estimates import JudgedLabels, Sample
from karat.inference.judge.labels import powered
from karat.inference.judge.scores import ScoredMoves, Three, scored_moves
from karat.inference.judge.tuning import Both, cost_of_tuning
from karat.inference.limits import Floats
from karat.inference.variance import small_sample
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

    def errors(self, metric: Metric, policy: Policy) -> Floats:
        """float64[2, n]: what each row adds to the error by gold rows, and to that of the judge."""
        if metric.needs_scores:
            moves = self._scored[metric].moves
        else:
            moves = self.labels.table.moves(metric, policy)
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
    sizes = [model.both.gold.n for model in models.values()]
    n, first = min(sizes), next(iter(models.values()))
    if first.sample.clusters is None and first.sample.gold_weights is not None:
        n = min(n, float(first.sample.has_gold.sum()))
    weight, factor = _weight(errors, spec, n)
    total = errors[:, 0] + weight * errors[:, 1]
    spread = None
    if np.isfinite(total).all() and n > 2.0:
        apart = total[1:] - total[0]
        variances = {
            (a, b): factor * float(((total[a] - total[b]) ** 2).sum()) for a, b in spec.pairs
        }
        df = n - 1.0 - (weight > 0.0)
        if first.sample.clusters is not None:
            own = [float(degrees_of_clusters(np.abs(total[a] - total[b]))) for a, b in spec.pairs]
            df = max(min(df, *own), 1.0)
        own_variances = factor * (total**2).sum(axis=1)
        spread = Paired(variances, factor * (apart @ apart.T), df, own=own_variances)
    values = {
        name: model.estimate(metric, weight, confidence, policy) for name, model in models.items()
    }
    n_gold = [int(model.sample.has_gold.sum()) for model in models.values()]
    numbers = [one.value for one in values.values()]
    remark = f"λ of the judge: {weight:.2g}, {min(n_gold)} gold labels"
    return Measured(metric, numbers, n_gold, spread, METHOD, remark=remark), values


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

"""Random rows with scores, as the engine reads them and as the references do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.scores.containers import as_scores
from karat.data.scores.rows import InMemoryScores, tally_scores
from karat.inference.influence_variance import InfluenceVariances
from karat.inference.variance import Found
from karat.metrics import Metric, all_records
from karat.metrics._influence.gather import reason_without
from karat.metrics._measure import measure
from karat.metrics._metric import Values
from karat.testing import metrics_of
from tests.inference.reference_influence import Rows


@dataclass(frozen=True)
class Drawn:
    """Rows of k classes.

    Attributes:
        codes: int64[n].
        values: float[n, k].
        weights: float64[n], or None.
        is_prob: whether the values are probabilities.
    """

    codes: npt.NDArray[Any]
    values: npt.NDArray[Any]
    weights: npt.NDArray[Any] | None
    is_prob: bool

    @property
    def k(self) -> int:
        return int(self.values.shape[1])

    def take(self, rows: Any) -> Drawn:
        """These rows alone."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, codes=self.codes[rows], values=self.values[rows], weights=weights)

    def tallied(self, n_threads: int = 1) -> InMemoryScores:
        """As the engine offers them."""
        scores = as_scores(self.values, "y_prob" if self.is_prob else "y_score")
        return tally_scores(
            self.codes, scores, labels=range(self.k), weights=self.weights, n_threads=n_threads
        )

    def plain(self) -> Rows:
        """As the references take them."""
        weights = np.ones(len(self.codes)) if self.weights is None else self.weights
        positive = 1 if self.k == 2 else None
        return Rows(self.codes, self.values.astype(np.float64), weights, self.is_prob, positive)


def drawn(
    seed: int,
    n: int,
    k: int,
    *,
    is_prob: bool = True,
    ties: bool = False,
    weights: str = "none",
    dtype: Any = np.float64,
    lift: float = 1.0,
) -> Drawn:
    """Rows whose scores tell something.

    Args:
        ties: whether few scores are distinct.
        weights: "none", "any", or "sparse": many are 0.
        lift: by how much the score of the true class is raised.
    """
    rng = np.random.default_rng([seed, n, k])
    codes = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    z = rng.normal(size=(n, k)) + lift * (np.arange(k) == codes[:, None])
    if ties:
        z = np.round(z * 2) / 2
    if is_prob:
        z = np.exp(z - z.max(axis=1, keepdims=True))
        z /= z.sum(axis=1, keepdims=True)
    values = z.astype(dtype)
    if weights == "none":
        return Drawn(codes, values, None, is_prob)
    given = rng.uniform(0.25, 2.0, n)
    if weights == "sparse":
        given *= rng.random(n) < 0.4
    return Drawn(codes, values, given, is_prob)


def smooth_metrics(k: int) -> list[Metric]:
    """Every metric of scores for k classes that has an influence function."""
    found = []
    for record in all_records():
        if record.is_traced or record.least_classes > k:
            continue
        for metric in metrics_of(record, k):
            within = dict(metric.params).get("k", 1)
            if not reason_without(metric) and (not isinstance(within, int) or within <= k):
                found.append(metric)
    return found


def influence_variances(
    rows: InMemoryScores, metrics: Iterable[Metric], *clusters: Any, **more: Any
) -> dict[Metric, Found]:
    """The sampling error of metrics of scores; `more` as `InfluenceVariances` takes it."""
    wanted = list(metrics)
    return measured_with_variances(rows, wanted, wanted, *clusters, **more)[1]


def errors(rows: Drawn, metrics: Iterable[Metric], *clusters: Any, **more: Any) -> Any:
    """The sampling error of each metric of these rows."""
    return influence_variances(rows.tallied(), metrics, *clusters, **more)


def measured_with_variances(
    rows: InMemoryScores,
    metrics: Sequence[Metric],
    smooth: Sequence[Metric],
    *clusters: Any,
    **more: Any,
) -> tuple[dict[Metric, Values], dict[Metric, Found]]:
    """Values, and the sampling errors of those with an influence function, by one sort."""
    spreads = InfluenceVariances(rows, smooth, *clusters, **more)
    return measure(rows, metrics, beside=spreads), spreads.found()

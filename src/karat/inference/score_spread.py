"""Sampling error of metrics of scores, from the influence of each row, while columns are sorted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference._sizes import Sizes
from karat.inference._spread import Found, Spread
from karat.inference._spreads import Spreads, Whole
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics._measure import Along, measure
from karat.metrics._metric import Metric, Values
from karat.tally import ScoredRows

__all__ = [
    "Found",
    "Spread",
    "Spreads",
    "Whole",
    "measured_with_spreads",
    "row_factors",
    "score_spreads",
]

Floats: TypeAlias = npt.NDArray[np.float64]


def score_spreads(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    clusters: npt.NDArray[Any] | None = None,
    n_clusters: int = 0,
) -> dict[Metric, Found]:
    """The sampling error of metrics of scores.

    Args:
        rows: what an engine offers.
        metrics: with an influence function each.
        clusters: int[n], the cluster of each row, in [0, n_clusters). Rows of one cluster may
            depend on each other.
        n_clusters: how many there are; those without weight count for nothing.

    Returns:
        `Spread` of each metric, or one for each class.

    Errors:
        K311 a metric has no influence function.

    Cost: of a class against the rest one walk over its sorted column; of averages over classes, and
        with clusters, 8 bytes a row and metric.
    """
    wanted = list(dict.fromkeys(metrics))
    spreads = Spreads(rows, wanted, clusters, n_clusters)
    measure(rows, wanted, beside=spreads)
    return spreads.found()


def measured_with_spreads(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    policy: Policy = "zero",
    along: Along | None = None,
    clusters: npt.NDArray[Any] | None = None,
    n_clusters: int = 0,
) -> tuple[dict[Metric, Values], dict[Metric, Found]]:
    """Values as `measure` gives them, and the spreads of those with an influence function.

    Cost: each column is sorted once for both.
    """
    wanted = list(dict.fromkeys(metrics))
    smooth = [metric for metric in wanted if not reason_without(metric)]
    spreads = Spreads(rows, smooth, clusters, n_clusters)
    return measure(rows, wanted, policy, along, spreads), spreads.found()


def row_factors(rows: ScoredRows, metric: Metric) -> Floats:
    """What a square of φ is multiplied by so that few rows do not look too certain.

    The variance is Σ f·w²φ²/W², where f is that of the true class of the row; the covariance of two
    metrics, or of one of two models, Σ √(f·f')·w²φφ'/W². For areas of two classes that is DeLong's.

    Returns:
        float64[k]; float64[k, k] of a metric of each class. NaN for a class with one row.
    """
    return Sizes.of(rows).factors(metric)

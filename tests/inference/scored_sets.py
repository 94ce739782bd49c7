"""Rows with scores of sets for the tests by hand, and what rows move by their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data.scores.labels import LabelColumns
from karat.designs.clusters import degrees_of_clusters
from karat.inference.confidence import Confidence, Interval
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.metrics import Metric
from karat.metrics._of_set_scores import SetScores
from karat.tally import Classes
from karat.tally.cells import Axis
from karat.tally.label_scores import LabelScores
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets

N = 16
CLUSTERS = np.repeat([7, 2, 9, 4, 1], [1, 2, 3, 4, 6])
"""Of unequal sizes, and with codes that are no places."""
SMOOTH = ("roc_auc_ovr_macro", "roc_auc_ovr_weighted", "mean_average_precision", "d_prime")
OF_ROWS = ("label_ranking_loss", "label_ranking_average_precision", "coverage_error", "lwlrap")


def drawn(seed: int = 1, n: int = N, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which each label has true and false ones, with a few equal scores."""
    rng = np.random.default_rng([431, seed])
    true = (rng.random((n, k)) < 0.4).astype(int)
    true[:2], true[2:4], true[-2:] = 0, 1, np.eye(2, k, dtype=int)
    return true, np.round(0.7 * true + rng.normal(size=(n, k)), 1)


def weights(seed: int = 1, n: int = N) -> np.ndarray:
    """Weights that add up to less than 1; one is 0."""
    w = np.random.default_rng([17, seed]).random(n) / (2 * n) + 0.01
    w[5] = 0.0
    return w


def model(
    true: Any,
    scores: Any,
    w: Any = None,
    clusters: Any = None,
    known: Any = None,
    *,
    policy: Any = "zero",
    compares: bool = False,
    **asked: Any,
) -> SetScoreIntervals:
    sets, labels = Sets.of_matrix(true), Classes(tuple(range(np.shape(true)[1])), is_declared=True)
    codes = None if clusters is None else np.asarray(clusters, np.int32)[None]
    rows = SetRows(
        labels,
        sets,
        sets,
        None if known is None else Sets.of_matrix(~np.asarray(known, bool)),
        weights=None if w is None else np.asarray(w, float),
        scores=LabelScores(np.ascontiguousarray(scores, float), "scores"),
        axes=() if clusters is None else (Axis("clusters", tuple(range(10))),),
        codes=codes,
    )
    found = SetScores(LabelColumns.of(rows.known, 1), policy, 1)
    return SetScoreIntervals(found, Confidence(**asked), compares)


def limits(found: Interval) -> tuple[float | None, float | None, float | None, str | None]:
    return found.low, found.high, found.standard_error, found.method


def same(found: Interval, expected: Interval, rel: float = 1e-9) -> None:
    assert limits(found)[:3] == pytest.approx(limits(expected)[:3], rel=rel, abs=1e-12)
    assert (found.method, found.remark) == (expected.method, expected.remark)


def by_weight(metric: Metric, build: Any, w: np.ndarray) -> np.ndarray:
    """w · the derivative of the value by the weight of each row: what the row moves."""
    step, found = 1e-5, np.zeros(len(w))
    for i in np.flatnonzero(w > 0.0):
        ends = []
        for sign in (-1.0, 1.0):
            other = w.copy()
            other[i] *= 1.0 + sign * step
            ends.append(build(other).scores.value(metric))
        found[i] = (ends[1] - ends[0]) / (2.0 * step)
    return found


def variance_of(moves: np.ndarray, clusters: Any = None) -> float:
    """Σ of squares, of each row or of each cluster times G ÷ (G − 1)."""
    if clusters is None:
        return float(sum(x * x for x in moves))
    sums = [float(moves[clusters == c].sum()) for c in np.unique(clusters)]
    return sum(x * x for x in sums) * len(sums) / (len(sums) - 1)


def kish_of(w: np.ndarray) -> float:
    return float(w.sum()) ** 2 / float((w * w).sum())


def df_of(moves: np.ndarray, clusters: np.ndarray) -> float:
    sizes = [float(np.abs(moves[clusters == c]).sum()) for c in np.unique(clusters)]
    return float(degrees_of_clusters(np.array(sizes)))

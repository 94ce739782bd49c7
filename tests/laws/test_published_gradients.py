"""Traced gradients against the closed forms of the literature (shares p, truth i, prediction j)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat.metrics import Metric, get
from karat.metrics._interpret import gradient
from karat.tally import Fields

Array = npt.NDArray[np.float64]
TABLE = np.array([[22, 3, 5, 1], [4, 18, 1, 2], [2, 9, 31, 6], [3, 1, 4, 27]], float)
K = len(TABLE)
W = (1 - np.eye(K)) * np.array([[1, 2, 3, 4], [2, 1, 5, 3], [1, 4, 1, 2], [6, 2, 3, 1]], float)


class Shares:
    """Shares, margins and per-class rates, in the notation of the literature."""

    def __init__(self) -> None:
        self.p = TABLE / TABLE.sum()
        self.r, self.c = self.p.sum(1), self.p.sum(0)
        self.d = np.diag(self.p)
        self.recall, self.precision = self.d / self.r, self.d / self.c
        self.i, self.j = np.indices((K, K))

    def recall_gradient(self, k: int) -> Array:
        return (self.i == k) * ((self.j == k) - self.recall[k]) / self.r[k]

    def precision_gradient(self, k: int) -> Array:
        return (self.j == k) * ((self.i == k) - self.precision[k]) / self.c[k]

    def f_gradient(self, k: int, beta: float) -> Array:
        b2 = beta**2
        bottom = b2 * self.r[k] + self.c[k]
        f = (1 + b2) * self.d[k] / bottom
        row, col = self.i == k, self.j == k
        return row * col * (1 + b2) / bottom - row * b2 * f / bottom - col * f / bottom

    def jaccard_gradient(self, k: int) -> Array:
        union = self.r[k] + self.c[k] - self.d[k]
        jaccard = self.d[k] / union
        row, col = self.i == k, self.j == k
        return np.where(row & col, (1 - jaccard) / union, np.where(row | col, -jaccard / union, 0))


def mean(part: Callable[[int], Array]) -> Array:
    return np.mean([part(k) for k in range(K)], axis=0)


def specificity(s: Shares, k: int) -> Array:
    negatives = 1 - s.r[k]
    rate = (s.c[k] - s.d[k]) / negatives
    return np.where(s.i == k, 0.0, (rate - (s.j == k)) / negatives)


def f_of_averages(s: Shares) -> Array:
    p, r = s.precision.mean(), s.recall.mean()
    gp, gr = mean(s.precision_gradient), mean(s.recall_gradient)
    return (2 * r**2 * gp + 2 * p**2 * gr) / (p + r) ** 2


def weighted_f(s: Shares) -> Array:
    f = 2 * s.d / (s.r + s.c)
    return f[s.i] + np.sum([s.r[k] * s.f_gradient(k, 1.0) for k in range(K)], axis=0)


def weighted_kappa(weights: Array) -> Callable[[Shares], Array]:
    def closed(s: Shares) -> Array:
        observed, expected = (weights * s.p).sum(), s.r @ weights @ s.c
        spread = (weights @ s.c)[s.i] + (weights.T @ s.r)[s.j]
        return -weights / expected + observed / expected**2 * spread

    return closed


def matthews(s: Shares) -> Array:
    u, w = 1 - (s.r**2).sum(), 1 - (s.c**2).sum()
    value = (s.d.sum() - s.r @ s.c) / np.sqrt(u * w)
    raw = ((s.i == s.j) - s.c[s.i] - s.r[s.j]) / np.sqrt(u * w)
    return raw + value * (s.r[s.i] / u + s.c[s.j] / w)


def gwet(s: Shares) -> Array:
    pi = (s.r + s.c) / 2
    chance = (pi * (1 - pi)).sum() / (K - 1)
    slope = (2 - 2 * pi[s.i] - 2 * pi[s.j]) / (2 * (K - 1))
    return (s.i == s.j) / (1 - chance) - (1 - s.d.sum()) / (1 - chance) ** 2 * slope


def g_mean(s: Shares) -> Array:
    value = np.prod(s.recall) ** (1 / K)
    return value / K * sum(s.recall_gradient(k) / s.recall[k] for k in range(K))


CLOSED: dict[str, Callable[[Shares], Array]] = {
    "accuracy": lambda s: (s.i == s.j).astype(float),
    "macro_recall": lambda s: mean(s.recall_gradient),
    "balanced_accuracy": lambda s: mean(s.recall_gradient),
    "balanced_accuracy(adjusted=True)": lambda s: mean(s.recall_gradient) / (1 - 1 / K),
    "macro_precision": lambda s: mean(s.precision_gradient),
    "macro_specificity": lambda s: mean(lambda k: specificity(s, k)),
    "macro_jaccard": lambda s: mean(s.jaccard_gradient),
    "macro_f1": lambda s: mean(lambda k: s.f_gradient(k, 1.0)),
    "macro_f_beta(beta=2)": lambda s: mean(lambda k: s.f_gradient(k, 2.0)),
    "weighted_f1": weighted_f,
    "micro_f1": lambda s: (s.i == s.j).astype(float),
    "f1_of_macro_averages": f_of_averages,
    "g_mean": g_mean,
    "kappa": weighted_kappa(1 - np.eye(K)),
    "kappa_linear": weighted_kappa(np.abs(np.subtract.outer(np.arange(K), np.arange(K))) * 1.0),
    "kappa_quadratic": weighted_kappa(np.subtract.outer(np.arange(K), np.arange(K)) ** 2.0),
    f"kappa_weighted(disagreement={W.tolist()})": weighted_kappa(W),
    "matthews_correlation": matthews,
    "gwet_ac1": gwet,
    "macro_informedness": lambda s: mean(lambda k: s.recall_gradient(k) + specificity(s, k)),
    "macro_fowlkes_mallows": lambda s: mean(
        lambda k: (
            np.sqrt(s.recall[k] * s.precision[k])
            / 2
            * (s.recall_gradient(k) / s.recall[k] + s.precision_gradient(k) / s.precision[k])
        )
    ),
    "mutual_information": lambda s: np.log(s.p / np.outer(s.r, s.c)),
    f"expected_cost(costs={W.tolist()})": lambda s: W,
}


def traced(metric: Metric) -> Array:
    """∂T/∂p: the gradient by counts, times the number of rows."""
    fields = Fields.of_matrix(TABLE)
    found = gradient(metric.traced("zero").value, fields, dict(metric.params))
    return found.at_cells().reshape(K, K) * TABLE.sum()


def centred(g: Array) -> Array:
    """A gradient by shares is known up to a constant, since the shares add up to 1."""
    return g - (g * TABLE / TABLE.sum()).sum()


@pytest.mark.parametrize("name", CLOSED)
def test_gradient_equals_the_closed_form(name: str) -> None:
    expected = centred(CLOSED[name](Shares()))
    actual = centred(traced(get(name)))
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


def test_the_comparison_notices_a_wrong_closed_form() -> None:
    wrong = centred(CLOSED["macro_recall"](Shares()))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(centred(traced(get("macro_f1"))), wrong, rtol=1e-9, atol=1e-12)


def test_log_odds_ratio_has_the_variance_of_woolf() -> None:
    cells = np.array([[54.0, 32.0], [27.0, 231.0]])
    metric = get("diagnostic_odds_ratio")
    g = gradient(metric.traced("zero").value, Fields.of_matrix(cells, 1)).at_cells()
    value = 231 * 54 / (32 * 27)
    variance: Any = ((g / value) ** 2 * cells.reshape(-1)).sum()
    assert variance == pytest.approx((1 / cells).sum(), rel=1e-12)


def test_macro_f1_variance_of_takahashi() -> None:
    s = Shares()
    n = TABLE.sum()
    sums = s.r + s.c
    f = 2 * s.d / sums
    rest = (sums - 2 * s.d) / sums
    pairs = s.p * np.outer(f / sums, f / sums)
    takahashi = (
        2 / (K**2 * n) * ((f * rest / sums * (rest + f / 2)).sum() + pairs.sum() - np.trace(pairs))
    )
    g = traced(get("macro_f1"))
    ours = ((s.p * g**2).sum() - (s.p * g).sum() ** 2) / n
    assert ours == pytest.approx(takahashi, rel=1e-12)

"""Metrics of scores against scikit-learn, live, on thousands of random problems.

Known differences, each with its reason:

- log_loss: scikit-learn clips at the machine epsilon of the dtype, karat never: compared on
  probabilities above it.
- top_k_accuracy: of tied scores scikit-learn favours the later class, karat the earlier one (as the
  predicted class does): compared on columns turned round.
- roc_auc_ovo_*: scikit-learn takes no weights: compared unweighted.
- one-vs-rest with an absent class: NaN there; karat averages the classes that it can measure.
- average_precision without a positive row: 0 there; undefined here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import karat
from tests.optional import optional
from tests.same import assert_same

theirs = optional("sklearn.metrics")

N_PROBLEMS = 120


def problems(k: int, n_problems: int = N_PROBLEMS) -> Iterator[tuple[Any, Any, Any]]:
    """True labels, probabilities and weights: ties, heavy imbalance, few and many rows."""
    for number in range(n_problems):
        rng = np.random.default_rng([k, number])
        n = int(rng.choice([k + 5, 4 * k + 20, 8 * k + 60]))
        shares = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 30.0])))
        y = np.concatenate([np.arange(k), rng.choice(k, n - k, p=shares)])
        y = rng.permutation(y)
        z = rng.normal(size=(n, k)) + rng.uniform(0, 3) * (np.arange(k) == y[:, None])
        if number % 2:
            z = np.round(z * 2) / 2
        p = np.exp(z - z.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        weights = rng.lognormal(size=n) if number % 3 else None
        yield y, p, weights


def quietly(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


TWO: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "roc_auc": (karat.roc_auc, theirs.roc_auc_score),
    "partial roc_auc": (
        lambda y, **given: karat.roc_auc(y, max_fpr=0.3, **given),
        lambda y, p, **given: theirs.roc_auc_score(y, p, max_fpr=0.3, **given),
    ),
    "average_precision": (karat.average_precision, theirs.average_precision_score),
    "log_loss": (karat.log_loss, theirs.log_loss),
    "brier": (karat.brier, theirs.brier_score_loss),
    "d2_log_loss": (karat.d2_log_loss, theirs.d2_log_loss_score),
    "d2_brier": (karat.d2_brier, theirs.d2_brier_score),
    "pr_auc_trapezoid": (
        karat.pr_auc_trapezoid,
        lambda y, p, sample_weight: theirs.auc(
            *theirs.precision_recall_curve(y, p, sample_weight=sample_weight)[1::-1]
        ),
    ),
    "ks_statistic": (
        karat.ks_statistic,
        lambda y, p, sample_weight: np.abs(
            np.subtract(
                *theirs.roc_curve(y, p, sample_weight=sample_weight, drop_intermediate=False)[:2]
            )
        ).max(),
    ),
}
MANY: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    **{name: TWO[name] for name in ("log_loss", "brier", "d2_log_loss", "d2_brier")},
    "roc_auc_ovr_macro": (
        karat.roc_auc_ovr_macro,
        lambda y, p, **g: theirs.roc_auc_score(y, p, multi_class="ovr", **g),
    ),
    "roc_auc_ovr_weighted": (
        karat.roc_auc_ovr_weighted,
        lambda y, p, **g: theirs.roc_auc_score(y, p, multi_class="ovr", average="weighted", **g),
    ),
    "roc_auc_ovr_micro": (
        karat.roc_auc_ovr_micro,
        lambda y, p, **g: theirs.roc_auc_score(y, p, multi_class="ovr", average="micro", **g),
    ),
    "mean_average_precision": (karat.mean_average_precision, theirs.average_precision_score),
    "micro_average_precision": (
        karat.micro_average_precision,
        lambda y, p, **g: theirs.average_precision_score(y, p, average="micro", **g),
    ),
    "weighted_average_precision": (
        karat.weighted_average_precision,
        lambda y, p, **g: theirs.average_precision_score(y, p, average="weighted", **g),
    ),
}
UNWEIGHTED: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "roc_auc_ovo_macro": (
        karat.roc_auc_ovo_macro,
        lambda y, p: theirs.roc_auc_score(y, p, multi_class="ovo"),
    ),
    "roc_auc_ovo_weighted": (
        karat.roc_auc_ovo_weighted,
        lambda y, p: theirs.roc_auc_score(y, p, multi_class="ovo", average="weighted"),
    ),
}


@pytest.mark.parametrize("name", TWO)
def test_two_classes(name: str) -> None:
    ours, other = TWO[name]
    for y, p, weights in problems(2, 3 * N_PROBLEMS):
        wanted = quietly(lambda y=y, p=p, w=weights: other(y, p[:, 1], sample_weight=w))
        assert_same(ours(y, y_prob=p[:, 1], weights=weights), wanted, within=1e-12, about=name)
        assert_same(ours(y, y_prob=p, weights=weights), wanted, within=1e-12, about=name)


@pytest.mark.parametrize("k", [3, 5, 12])
@pytest.mark.parametrize("name", MANY)
def test_many_classes(name: str, k: int) -> None:
    ours, other = MANY[name]
    for y, p, weights in problems(k):
        wanted = quietly(lambda y=y, p=p, w=weights: other(y, p, sample_weight=w))
        assert_same(ours(y, y_prob=p, weights=weights), wanted, within=1e-12, about=name)


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("name", UNWEIGHTED)
def test_pairs_of_classes(name: str, k: int) -> None:
    ours, other = UNWEIGHTED[name]
    for y, p, _ in problems(k, N_PROBLEMS // 3):
        wanted = quietly(lambda y=y, p=p: other(y, p))
        assert_same(ours(y, y_prob=p), wanted, within=1e-12, about=name)


def test_a_hundred_classes() -> None:
    for y, p, weights in problems(100, 3):
        for name in ("roc_auc_ovr_macro", "mean_average_precision", "log_loss"):
            ours, other = MANY[name]
            wanted = quietly(lambda y=y, p=p, w=weights, f=other: f(y, p, sample_weight=w))
            assert_same(ours(y, y_prob=p, weights=weights), wanted, within=1e-12, about=name)


@pytest.mark.parametrize("k", [3, 5])
def test_top_k(k: int) -> None:
    for y, p, weights in problems(k):
        for top in range(1, k):
            wanted = theirs.top_k_accuracy_score(
                k - 1 - y, p[:, ::-1], k=top, sample_weight=weights, labels=np.arange(k)
            )
            found = karat.top_k_accuracy(y, y_prob=p, k=top, weights=weights)
            assert_same(found, wanted, within=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_hinge(k: int) -> None:
    for y, p, weights in problems(k):
        z = np.log(p)
        scores = z[:, 1] - z[:, 0] if k == 2 else z
        wanted = theirs.hinge_loss(y, scores, sample_weight=weights)
        assert_same(karat.hinge_loss(y, y_score=scores, weights=weights), wanted, within=1e-12)


def test_an_area_with_ties_is_an_exact_fraction() -> None:
    y = [0, 0, 1, 0, 1, 1, 0]
    s = [0.1, 0.4, 0.4, 0.8, 0.8, 0.9, 0.4]
    # 12 pairs; 0.4 beats 0.1 and ties two; 0.8 beats three and ties one; 0.9 beats all four.
    assert karat.roc_auc(y, y_score=s) == (1 + 1 + 3 + 0.5 + 4) / 12


def test_a_wrong_answer_is_noticed() -> None:
    """Each comparison can fail: half of one row's weight is enough."""
    y, p, _ = next(problems(3))
    ours, other = MANY["roc_auc_ovr_macro"]
    weights = np.ones(len(y))
    weights[0] = 0.5
    wanted = other(y, p, sample_weight=weights)
    with pytest.raises(AssertionError):
        assert_same(ours(y, y_prob=p), wanted, within=1e-12)

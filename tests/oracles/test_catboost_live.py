"""Metrics of scores against CatBoost itself, on random problems.

Scores are representable in float32 and weights are multiples of 1/64, since CatBoost rounds weights
and labels to float32. Known differences, which belong to an adapter:

- an absent class counts as 0 in its areas: every class is present here;
- scores closer than 1e-8 are one threshold of PRAUC: ties here are exact;
- AUC:type=OneVsAll orders by softmax: compared with karat on the softmax, of scores without ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import karat
from tests.optional import optional
from tests.same import assert_same

eval_metric = optional("catboost.utils").eval_metric

N_PROBLEMS = 60


def problems(k: int, *, ties: bool) -> Iterator[tuple[Any, Any, Any]]:
    """Labels of which every class occurs, scores and weights."""
    for number in range(N_PROBLEMS):
        rng = np.random.default_rng([k, number])
        n = int(rng.choice([k + 3, 40, 150]))
        y = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
        z = rng.normal(size=(n, k)) + (np.arange(k) == y[:, None])
        z = np.round(z * 4) / 4 if ties else np.float32(z).astype(np.float64)
        yield y, z, rng.integers(1, 200, n) / 64 if number % 2 else None


def softmax(z: Any) -> Any:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


Ours = Callable[[Any, Any, Any], Any]
COMPARED: dict[str, tuple[Ours, bool]] = {
    "MultiClass": (lambda y, z, w: karat.log_loss(y, y_logit=z, weights=w), True),
    "MultiClassOneVsAll": (
        lambda y, z, w: karat.binary_cross_entropy(np.eye(z.shape[1])[y], y_logit=z, weights=w),
        True,
    ),
    "HingeLoss": (lambda y, z, w: karat.hinge_loss(y, y_score=z, weights=w), True),
    "AUC:type=Mu": (lambda y, z, w: karat.roc_auc_mu(y, y_score=z, weights=w), True),
    "AUC:type=OneVsAll": (
        lambda y, z, w: karat.roc_auc(y, y_prob=softmax(z), weights=w, average=None),
        False,
    ),
    "PRAUC": (lambda y, z, w: karat.pr_auc_trapezoid(y, y_score=z, weights=w, average=None), True),
}


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("name", COMPARED)
def test_the_same_value(name: str, k: int) -> None:
    ours, ties = COMPARED[name]
    for y, scores, w in problems(k, ties=ties):
        # CatBoost ranks by each column; two scores rank rows by their difference.
        is_pair = k == 2 and name.startswith("PRAUC")
        z = scores - scores[:, ::-1] if is_pair else scores
        theirs = eval_metric(y, z, name, weight=w, thread_count=1)
        assert_same(np.atleast_1d(ours(y, z, w)), theirs, within=1e-12, about=name)


def test_costs_of_errors() -> None:
    for k in (3, 5):
        for y, z, w in problems(k, ties=True):
            cost = np.round((1 - np.eye(k)) * np.random.default_rng(k).uniform(0.25, 3, (k, k)) * 8)
            text = "/".join(repr(float(value)) for value in cost.ravel())
            name = f"AUC:type=Mu;misclass_cost_matrix={text}"
            theirs = eval_metric(y, z, name, weight=w, thread_count=1)[0]
            assert_same(karat.roc_auc_mu(y, y_score=z, weights=w, cost=cost), theirs, within=1e-12)


def test_a_wrong_answer_is_noticed() -> None:
    """The comparison can fail: labels of two rows exchanged are enough."""
    y, z, w = next(problems(3, ties=True))
    theirs = eval_metric(y, z, "AUC:type=Mu", weight=w, thread_count=1)[0]
    other = np.roll(y, 1)
    with pytest.raises(AssertionError):
        assert_same(karat.roc_auc_mu(other, y_score=z, weights=w), theirs, within=1e-12)

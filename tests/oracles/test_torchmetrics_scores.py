"""Metrics of scores against torchmetrics, on random problems of float64 probabilities.

Known differences, each with its reason:

- torchmetrics takes no weights: compared unweighted;
- its counts are float32 and so are its areas: compared to 2e-6;
- hinge_loss of scores outside 0 to 1 goes through softmax there: compared on probabilities;
- an average over absent classes counts them as 0 there: every class is present here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import karat
from tests.optional import optional
from tests.same import assert_same

torch = optional("torch")
theirs = optional("torchmetrics.functional.classification")

WITHIN = 2e-6


def problems(k: int, n_problems: int = 40) -> Iterator[tuple[Any, Any]]:
    """Labels of which every class occurs, and probabilities, half of them with ties."""
    for number in range(n_problems):
        rng = np.random.default_rng([k, number])
        n = int(rng.choice([k + 4, 60, 200]))
        y = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
        z = rng.normal(size=(n, k)) + (np.arange(k) == y[:, None])
        z = np.round(z * 2) / 2 if number % 2 else z
        p = np.exp(z)
        yield y, p / p.sum(axis=1, keepdims=True)


Function = Callable[[Any, Any, int], Any]
MANY: dict[str, tuple[Function, Function]] = {
    "roc_auc of each class": (
        lambda y, p, k: karat.roc_auc(y, y_prob=p, average=None),
        lambda p, y, k: theirs.multiclass_auroc(p, y, k, average=None),
    ),
    "roc_auc_ovr_macro": (
        lambda y, p, k: karat.roc_auc_ovr_macro(y, y_prob=p),
        theirs.multiclass_auroc,
    ),
    "roc_auc_ovr_weighted": (
        lambda y, p, k: karat.roc_auc_ovr_weighted(y, y_prob=p),
        lambda p, y, k: theirs.multiclass_auroc(p, y, k, average="weighted"),
    ),
    "mean_average_precision": (
        lambda y, p, k: karat.mean_average_precision(y, y_prob=p),
        theirs.multiclass_average_precision,
    ),
    "hinge_loss": (lambda y, p, k: karat.hinge_loss(y, y_prob=p), theirs.multiclass_hinge_loss),
}


def of_torch(function: Function, y: Any, p: Any, k: int) -> Any:
    return np.asarray(function(torch.tensor(p), torch.tensor(y), k), np.float64)


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("name", MANY)
def test_many_classes(name: str, k: int) -> None:
    ours, other = MANY[name]
    for y, p in problems(k):
        assert_same(ours(y, p, k), of_torch(other, y, p, k), within=WITHIN, about=name)


def test_two_classes() -> None:
    for y, p in problems(2, 80):
        target, score = torch.tensor(y), torch.tensor(p[:, 1])
        wanted = float(theirs.binary_auroc(score, target))
        assert_same(karat.roc_auc(y, y_prob=p[:, 1]), wanted, within=WITHIN)
        wanted = float(theirs.binary_auroc(score, target, max_fpr=0.4))
        assert_same(karat.roc_auc(y, y_prob=p[:, 1], max_fpr=0.4), wanted, within=WITHIN)
        wanted = float(theirs.binary_average_precision(score, target))
        assert_same(karat.average_precision(y, y_prob=p[:, 1]), wanted, within=WITHIN)


def test_tensors_are_taken_as_they_are() -> None:
    y, p = next(problems(4))
    tensor = torch.tensor(p)
    assert karat.roc_auc_mu(y, y_prob=tensor) == karat.roc_auc_mu(y, y_prob=p)
    halves = torch.tensor(p).to(torch.bfloat16)
    exact = halves.to(torch.float64).numpy()
    wanted = karat.roc_auc_ovr_macro(y, y_score=exact)
    assert karat.roc_auc_ovr_macro(y, y_prob=halves) == wanted


def test_a_wrong_answer_is_noticed() -> None:
    """The comparison can fail: labels moved by one row are enough."""
    y, p = next(problems(5))
    ours, other = MANY["roc_auc_ovr_macro"]
    with pytest.raises(AssertionError):
        assert_same(ours(np.roll(y, 1), p, 5), of_torch(other, y, p, 5), within=WITHIN)

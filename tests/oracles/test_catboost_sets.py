"""The CatBoost adapter on labels of several columns, beside CatBoost itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from karat.compat.catboost import eval_metric, objective_object, parse
from karat.errors import KaratError
from tests.optional import optional
from tests.same import assert_same
from tests.six_rows import TRUE, WEIGHTS

theirs = optional("catboost.utils").eval_metric

METRICS = (
    "MultiLogloss", "MultiCrossEntropy", "Accuracy", "Accuracy:type=Classic", "HammingLoss",
    "Accuracy:type=PerClass", "Precision", "Recall", "F1", "F:beta=2", "F:beta=0.5",
    "F1:proba_border=0.7",
)  # fmt: skip
SCORES = np.array(
    [[.9, .2, .4, .1], [.3, .8, .6, .1], [.2, .1, .3, .4], [.7, .4, .4, .6], [.5, .1, .3, .3],
     [.1, .7, .2, .2]]
)  # fmt: skip
RAW = np.log(SCORES / (1.0 - SCORES))


def problems(n: int, seed: int) -> Iterator[tuple[Any, Any, Any]]:
    for number in range(n):
        rng = np.random.default_rng([seed, number])
        shape = int(rng.choice([1, 2, 7, 30])), int(rng.choice([2, 3, 6]))
        labels = (rng.random(shape) < rng.choice([0.0, 0.2, 0.6])).astype(int)
        scores = np.round(rng.normal(size=shape) * 4) / 4 + labels * rng.choice([0, 1])
        weights = rng.integers(0, 9, shape[0]) / 4 if number % 2 else None
        yield labels, scores, weights


def differing(ours: Callable[..., list[float]], n: int, seed: int) -> set[str]:
    found = set()
    for labels, scores, weights in problems(n, seed):
        for name in METRICS:
            wanted = theirs(labels, scores, name, weight=weights, thread_count=1)
            if not np.allclose(ours(labels, scores, name, weights), wanted, rtol=1e-9, atol=1e-12):
                found.add(name)
    return found


def test_the_same_values() -> None:
    assert differing(eval_metric, 12, 1) == set()


@pytest.mark.parametrize("seed", range(2, 6))
def test_many_more_give_the_same_values(seed: int) -> None:
    assert differing(eval_metric, 210, seed) == set()


def test_a_wrong_answer_is_noticed() -> None:
    def wrong(labels: Any, scores: Any, name: str, weights: Any) -> list[float]:
        return [value + 1e-6 for value in eval_metric(labels, scores, name, weights)]

    assert differing(wrong, 3, 7) == set(METRICS)


def test_reference_values() -> None:
    assert_same(eval_metric(TRUE, RAW, "MultiLogloss"), [0.439875936766883], within=1e-12)
    weighted = eval_metric(TRUE, RAW, "MultiLogloss", WEIGHTS)
    assert_same(weighted, [0.46258366236230086], within=1e-12)
    assert eval_metric(TRUE, RAW, "Accuracy", WEIGHTS) == [0.1]
    assert_same(eval_metric(TRUE, RAW, "Accuracy:type=PerClass", WEIGHTS), [1, 0.5, 0.6, 1])
    soft = eval_metric(TRUE * 0.5, RAW, "MultiCrossEntropy")
    assert_same(soft, theirs(TRUE * 0.5, RAW, "MultiCrossEntropy"), within=1e-12)
    assert eval_metric(TRUE.tolist(), RAW.tolist(), "Recall:class=1") == [0.5]
    assert eval_metric(TRUE, RAW, "F1:use_weights=false", WEIGHTS) == [1.0, 0.5, 0.0, 1.0]


@pytest.mark.parametrize("name", ["MCC", "AUC", "Kappa", "TotalF1", "ZeroOneLoss", "MultiClass"])
def test_what_is_not_of_several_labels_is_refused(name: str) -> None:
    """CatBoost ends the process on most of these."""
    with pytest.raises(KaratError, match="K103"):
        eval_metric(TRUE, RAW, name)


def test_bad_input_is_refused() -> None:
    for label, approx in ((TRUE, RAW[:, :3]), (TRUE[:3], RAW), (TRUE[:, 0], RAW), (TRUE * 2, RAW)):
        with pytest.raises(KaratError, match="K601"):
            eval_metric(label, approx, "MultiLogloss")
    with pytest.raises(KaratError, match="K153"):
        eval_metric(np.where(TRUE > 0, np.nan, 0.0), RAW, "Recall")
    with pytest.raises(KaratError, match="K152"):
        eval_metric(TRUE, np.where(RAW > 1, np.nan, RAW), "Recall")
    for name in ("MultiLogloss", "MultiCrossEntropy"):
        assert objective_object(name).loss == "multilabel"
    for call in (lambda: objective_object("HammingLoss"), lambda: parse("MultiLogloss:beta=2")):
        with pytest.raises(KaratError, match="K601"):
            call()

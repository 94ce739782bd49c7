"""CatBoost trains the same trees with karat's objective as with its own."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from karat.objectives import CatBoostObjective, multiclass, multiclass_one_vs_all
from tests.objectives.digits import LOSSES, WEIGHTS, K, X, Y, farthest
from tests.optional import optional
from tests.same import assert_same

catboost = optional("catboost")

WITHIN = 1e-13
"""Raw scores, up to 10 in size, are sums of a few float64 leaf values."""

OWN = {"multiclass": "MultiClass", "multiclass_one_vs_all": "MultiClassOneVsAll"}
PARAMETERS = {
    "iterations": 4,
    "depth": 4,
    "learning_rate": 0.3,
    "thread_count": 1,
    "random_seed": 0,
    "verbose": 0,
    "allow_writing_files": False,
}


@dataclass(frozen=True)
class Bent(CatBoostObjective):
    """Sabotage: second derivatives one percent too large."""

    def calc_ders_multi(self, approxes: Any, target: float, weight: float | None) -> Any:
        first, second = super().calc_ders_multi(approxes, target, weight)
        return first, [[1.01 * value for value in row] for row in second]


@dataclass(frozen=True)
class Unweighted(CatBoostObjective):
    """Sabotage: weights left to CatBoost, which does not apply them."""

    def calc_ders_multi(self, approxes: Any, target: float, weight: float | None) -> Any:
        return super().calc_ders_multi(approxes, target, 1.0)


def scores(weights: Any, **parameters: Any) -> Any:
    model = catboost.CatBoostClassifier(**(PARAMETERS | parameters))
    model.fit(X, Y, sample_weight=weights)
    return model.predict(X, prediction_type="RawFormulaVal")


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
def test_predictions_are_those_of_its_own_objective(loss: Any, weights: str) -> None:
    objective, w = CatBoostObjective(loss), WEIGHTS[weights]
    own = scores(w, loss_function=OWN[loss])
    assert farthest(scores(w, **objective.parameters(K)), own) <= WITHIN
    assert farthest(scores(w, **Bent(loss).parameters(K)), own) > 1e-3
    if w is not None:
        assert farthest(scores(w, **Unweighted(loss).parameters(K)), own) > 1e-3


@pytest.mark.parametrize("loss", LOSSES)
def test_other_ways_to_estimate_leaves_are_the_same_too(loss: Any) -> None:
    for ways in (
        {"leaf_estimation_method": "Gradient"},
        {"leaf_estimation_iterations": 3, "bootstrap_type": "No"},
    ):
        ours = scores(None, **(CatBoostObjective(loss).parameters(K) | ways))
        newton = {"leaf_estimation_method": "Newton", "leaf_estimation_iterations": 1}
        own = scores(None, loss_function=OWN[loss], **(newton | ways))
        assert farthest(ours, own) <= WITHIN


@pytest.mark.parametrize("loss", LOSSES)
def test_a_row_is_the_row_of_the_matrix_uphill(loss: Any) -> None:
    rng = np.random.default_rng(2)
    z, t, w = rng.normal(0, 3, (50, 4)), rng.integers(0, 4, 50), rng.random(50)
    objective = {"multiclass": multiclass, "multiclass_one_vs_all": multiclass_one_vs_all}[loss]
    _, gradient, hessian = objective(z, t, w)
    ask = CatBoostObjective(loss).calc_ders_multi
    for i in range(50):
        first, second = ask(z[i], float(t[i]), float(w[i]))
        assert_same(first, -gradient[i])
        assert_same(second, -hessian[i])
        assert type(first) is type(second) is type(second[0]) is list
    assert ask(z[0], 1.0, None) == ask(z[0].tolist(), 1, 1.0) == ask(z[:1, ::-1][0, ::-1], 1.0, 1.0)


def test_an_error_in_training_reaches_the_caller() -> None:
    class Misled(CatBoostObjective):
        def calc_ders_multi(self, approxes: Any, target: float, weight: float | None) -> Any:
            return super().calc_ders_multi(approxes, target + K, weight)

    with pytest.raises(catboost.CatBoostError, match="K153"):
        scores(None, **Misled().parameters(K))


def test_an_objective_travels() -> None:
    objective = CatBoostObjective("multiclass_one_vs_all")
    assert pickle.loads(pickle.dumps(objective)) == copy.deepcopy(objective) == objective

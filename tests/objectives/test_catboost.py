"""CatBoost trains the same trees with karat's objective as with its own."""

from __future__ import annotations

import copy
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.objectives import CatBoostObjective, multiclass, multiclass_one_vs_all, multilabel
from tests.objectives import labels
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


def scores_of_labels(targets: Any, weights: Any, **parameters: Any) -> Any:
    model = catboost.CatBoostClassifier(**(PARAMETERS | parameters))
    model.fit(X, targets, sample_weight=weights)
    return model.predict(X, prediction_type="RawFormulaVal")


# CatBoost takes soft targets beside an object for no cross entropy of its own.
OWN_OF_LABELS = {
    "hard": ("MultiLogloss", {}),
    "soft": ("MultiCrossEntropy", {"eval_metric": "MultiRMSE"}),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", labels.TARGETS)
def test_several_labels_are_predicted_as_by_its_own_objective(kind: str, weights: str) -> None:
    targets, w = labels.TARGETS[kind], WEIGHTS[weights]
    name, more = OWN_OF_LABELS[kind]
    own = scores_of_labels(targets, w, loss_function=name)

    def distance(objective: CatBoostObjective) -> float:
        parameters = objective.parameters(labels.K) | more
        return labels.farthest(scores_of_labels(targets, w, **parameters), own)

    assert distance(CatBoostObjective("multilabel")) <= WITHIN
    assert distance(Bent("multilabel")) > 1e-4
    if w is not None:
        assert distance(Unweighted("multilabel")) > 1e-3


def test_few_columns_take_one_newton_step() -> None:
    targets = labels.TARGETS["hard"]
    objective = CatBoostObjective("multilabel")
    parameters = objective.parameters(labels.K) | {"leaf_estimation_iterations": 1}
    few, found = X[:, 20:39], []
    for more in ({"loss_function": "MultiLogloss"}, parameters):
        model = catboost.CatBoostClassifier(**(PARAMETERS | more)).fit(few, targets)
        found.append(model.predict(few, prediction_type="RawFormulaVal"))
    assert labels.farthest(*found) <= WITHIN


def test_weighted_losses_of_labels_are_the_metric_of_catboost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CatBoost writes a log where it evaluates.
    monkeypatch.chdir(tmp_path)
    # CatBoost 1.2.10 divides by a sum of weights that it keeps in an integer: whole ones alone.
    targets, w = labels.TARGETS["soft"], np.arange(len(X)) % 3 + 1.0
    data = catboost.Pool(X, targets, weight=w)
    model = catboost.CatBoostClassifier(**PARAMETERS, loss_function="MultiCrossEntropy").fit(data)
    values = model.eval_metrics(data, ["MultiCrossEntropy"])["MultiCrossEntropy"]
    z = model.predict(data, prediction_type="RawFormulaVal")
    mean = multilabel(z, targets, w, diagonal=True).loss.sum() / w.sum()
    assert_same(values[-1], mean, within=1e-12)
    assert abs(values[-1] - multilabel(z, targets, diagonal=True).loss.mean()) > 1e-6


def test_a_row_of_labels_is_the_row_of_the_matrix_uphill() -> None:
    rng = np.random.default_rng(2)
    z, y, w = rng.normal(0, 3, (20, 4)), rng.integers(0, 5, (20, 4)) / 4, rng.random(20)
    _, gradient, hessian = multilabel(z, y, w)
    ask = CatBoostObjective("multilabel").calc_ders_multi
    for i in range(20):
        for targets in (y[i], y[i].astype(np.float32), y[i].tolist()):
            first, second = ask(z[i], targets, float(w[i]))
            assert_same(first, -gradient[i])
            assert_same(second, -hessian[i])


def test_an_error_in_training_reaches_the_caller() -> None:
    class Misled(CatBoostObjective):
        def calc_ders_multi(self, approxes: Any, target: float, weight: float | None) -> Any:
            return super().calc_ders_multi(approxes, target + K, weight)

    with pytest.raises(catboost.CatBoostError, match="K153"):
        scores(None, **Misled().parameters(K))


def test_an_objective_travels() -> None:
    for objective in (
        CatBoostObjective("multiclass_one_vs_all"),
        CatBoostObjective("multilabel"),
        Bent("multilabel"),
    ):
        assert pickle.loads(pickle.dumps(objective)) == copy.deepcopy(objective) == objective
        is_of_several = isinstance(objective, catboost.MultiTargetCustomObjective)
        assert is_of_several == (objective.loss == "multilabel")


def test_an_objective_made_before_catboost_is_imported_is_one_of_several_targets_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "catboost")
        early = CatBoostObjective("multilabel")
        assert type(early.parameters(labels.K)["loss_function"]) is CatBoostObjective
    found = early.parameters(labels.K)["loss_function"]
    assert isinstance(found, catboost.MultiTargetCustomObjective)
    assert found == CatBoostObjective("multilabel") == found.parameters(labels.K)["loss_function"]

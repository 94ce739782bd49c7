"""XGBoost trains the same trees with karat's objective as with its own."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from karat.objectives import XGBoostObjective
from tests.objectives import labels
from tests.objectives.digits import LOSSES, WEIGHTS, K, N, X, Y, farthest
from tests.optional import optional
from tests.same import assert_same

xgboost = optional("xgboost")

ROUNDS = 8
PARAMETERS = {"max_depth": 4, "eta": 0.3, "nthread": 1, "seed": 0}


class Bent(XGBoostObjective):
    """Sabotage: second derivatives one percent too large."""

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        gradient, hessian = super().__call__(first, second, sample_weight)
        return gradient, hessian * np.float32(1.01)


def own_model(loss: str, weights: Any) -> Any:
    if loss == "multiclass":
        parameters = PARAMETERS | {"objective": "multi:softprob", "num_class": K}
        return xgboost.train(parameters, xgboost.DMatrix(X, Y, weight=weights), ROUNDS)
    # XGBoost's one-vs-all is the two-class objective on one column of labels for each class.
    data = xgboost.DMatrix(X, np.eye(K)[Y], weight=weights)
    return xgboost.train(PARAMETERS | {"objective": "binary:logistic"}, data, ROUNDS)


def scores(model: Any) -> Any:
    return model.predict(xgboost.DMatrix(X), output_margin=True)


def our_scores(objective: XGBoostObjective, weights: Any, **parameters: Any) -> Any:
    data = xgboost.DMatrix(X, Y, weight=weights)
    parameters = PARAMETERS | {"num_class": K} | parameters
    return scores(xgboost.train(parameters, data, ROUNDS, obj=objective))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
def test_predictions_are_those_of_its_own_objective(loss: Any, weights: str) -> None:
    objective, w = XGBoostObjective(loss), WEIGHTS[weights]
    start = objective.base_score(Y, K, w)
    own = scores(own_model(loss, w))
    # The same bits; the sums of these weights are exact.
    assert farthest(our_scores(objective, w, base_score=start), own) == 0
    # Controls: a wrong scale, a start from 0.5, and weights left out are all seen.
    assert farthest(our_scores(Bent(loss), w, base_score=start), own) > 1e-3
    assert farthest(our_scores(objective, w), own) > 1e-3
    if w is not None:
        assert farthest(our_scores(objective, None, base_score=start), own) > 1e-3


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", labels.TARGETS)
def test_several_labels_are_predicted_as_by_its_own_objective(kind: str, weights: str) -> None:
    targets, w = labels.TARGETS[kind], WEIGHTS[weights]
    data = xgboost.DMatrix(X, targets, weight=w)
    own_model = xgboost.train(PARAMETERS | {"objective": "binary:logistic"}, data, ROUNDS)
    own = scores(own_model)

    def distance(objective: XGBoostObjective, **parameters: Any) -> float:
        model = xgboost.train(PARAMETERS | parameters, data, ROUNDS, obj=objective)
        return labels.farthest(scores(model), own)

    objective = XGBoostObjective("multilabel")
    start = objective.base_score(targets, labels.K, w)
    assert distance(objective, base_score=start) == 0
    # Controls: a wrong scale, and a start from 0.5.
    assert distance(Bent("multilabel"), base_score=start) > 1e-3
    assert distance(objective) > 1e-3
    if kind == "hard":
        # Its classifier reads the start as probabilities.
        shares = (1 / (1 + np.exp(-np.array(start)))).tolist()
        parameters = PARAMETERS | {"objective": objective, "base_score": shares}
        ours = xgboost.XGBClassifier(n_estimators=ROUNDS, **parameters)
        ours.fit(X, targets, sample_weight=w)
        assert labels.farthest(ours.predict(X, output_margin=True), own) <= 1e-5


def test_predictions_of_its_classifier_are_the_same() -> None:
    objective = XGBoostObjective()
    for w in WEIGHTS.values():
        start = objective.base_score(Y, K, w)
        ours = xgboost.XGBClassifier(
            n_estimators=3, objective=objective, base_score=start, n_jobs=1
        )
        ours.fit(X, Y, sample_weight=w)
        own = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(X, Y, sample_weight=w)
        assert farthest(ours.predict_proba(X), own.predict_proba(X)) == 0


@pytest.mark.parametrize("k", [K, K + 1])
@pytest.mark.parametrize("weights", [*WEIGHTS, "uneven"])
def test_the_start_is_the_one_that_xgboost_finds(weights: str, k: int) -> None:
    # XGBoost adds weights in float32: uneven ones move the start by a unit of the last place.
    uneven = weights == "uneven"
    w = np.random.default_rng(1).lognormal(size=N) if uneven else WEIGHTS[weights]
    parameters = PARAMETERS | {"objective": "multi:softprob", "num_class": k}
    model = xgboost.train(parameters, xgboost.DMatrix(X, Y, weight=w), 1)
    found = json.loads(model.save_config())["learner"]["learner_model_param"]["base_score"]
    start = XGBoostObjective().base_score(Y, k, w)
    assert_same(start, np.float32(json.loads(found)), within=2e-6 if uneven else 0.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_class_that_never_occurs_is_learned_alike(loss: Any) -> None:
    few = Y < 3
    objective = XGBoostObjective(loss)
    data = xgboost.DMatrix(X[few], Y[few])
    parameters = PARAMETERS | {"num_class": 4}
    ours = xgboost.train(
        parameters | {"base_score": objective.base_score(Y[few], 4)}, data, 3, obj=objective
    )
    if loss == "multiclass":
        own = xgboost.train(parameters | {"objective": "multi:softprob"}, data, 3)
    else:
        data = xgboost.DMatrix(X[few], np.eye(4)[Y[few]])
        own = xgboost.train(PARAMETERS | {"objective": "binary:logistic"}, data, 3)
    assert_same(scores(ours), scores(own))


def test_second_derivatives_have_a_floor() -> None:
    z = np.array([[1000.0, -1000.0], [-1000.0, 1000.0], [-900.0, -800.0]], np.float32)
    weights = np.array([1.0, 0.0, 4.0])
    least = np.float32(1e-16)
    gradient, hessian = XGBoostObjective()(np.zeros(3), z, weights)
    assert gradient.dtype == hessian.dtype == np.float32
    assert gradient.flags.c_contiguous
    assert_same(hessian, np.full((3, 2), least))
    assert_same(gradient, [[0, 0], [0, 0], [-4, 4]])
    # One-vs-all: the floor is weighted.
    gradient, hessian = XGBoostObjective("multiclass_one_vs_all")(np.zeros(3), z, weights)
    assert_same(hessian, np.outer(weights, [least, least]).astype(np.float32))
    assert np.isfinite(gradient).all()


def test_derivatives_are_those_of_the_documented_formulas() -> None:
    rng = np.random.default_rng(1)
    z, t = rng.normal(0, 3, (300, 5)).astype(np.float32), rng.integers(0, 5, 300)
    hit = np.arange(5) == t[:, None]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    gradient, hessian = XGBoostObjective()(t, z)
    assert_same(gradient, p - hit, within=1e-6)
    assert_same(hessian, 2 * p * (1 - p), within=1e-6)


def test_an_objective_travels() -> None:
    objective = XGBoostObjective("multiclass_one_vs_all", n_threads=2)
    assert pickle.loads(pickle.dumps(objective)) == objective

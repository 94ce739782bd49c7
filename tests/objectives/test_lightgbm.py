"""LightGBM trains the same trees with karat's objective as with its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from karat.objectives import LightGBMObjective
from tests.objectives import labels
from tests.objectives.digits import LOSSES, WEIGHTS, K, N, X, Y, farthest
from tests.optional import optional
from tests.same import assert_same

lightgbm = optional("lightgbm")
sklearn_base = optional("sklearn.base")

WITHIN = 1e-13
"""Raw scores, up to 10 in size, are sums of a few float64 leaf values."""

ROUNDS = 8
OWN = {"multiclass": "multiclass", "multiclass_one_vs_all": "multiclassova"}
PARAMETERS = {
    "num_class": K,
    "num_leaves": 12,
    "learning_rate": 0.2,
    "num_threads": 1,
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
}


class Bent(LightGBMObjective):
    """Sabotage: second derivatives one percent too large."""

    def __call__(self, first: Any, second: Any, weight: Any = None) -> Any:
        gradient, hessian = super().__call__(first, second, weight)
        return gradient, hessian * np.float32(1.01)


def own_scores(objective: LightGBMObjective, weights: Any) -> Any:
    data = lightgbm.Dataset(X, Y, weight=weights)
    parameters = PARAMETERS | {"objective": OWN[objective.loss], "sigmoid": objective.sigmoid}
    return lightgbm.train(parameters, data, ROUNDS).predict(X, raw_score=True)


def our_scores(objective: LightGBMObjective, weights: Any, start: Any) -> Any:
    data = lightgbm.Dataset(X, Y, weight=weights, init_score=np.tile(start, (N, 1)))
    return lightgbm.train(PARAMETERS | {"objective": objective}, data, ROUNDS).predict(X) + start


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("loss", "sigmoid"), [(LOSSES[0], 1.0), (LOSSES[1], 1.0), (LOSSES[1], 0.6)]
)
def test_predictions_are_those_of_its_own_objective(
    loss: Any, sigmoid: float, weights: str
) -> None:
    objective, w = LightGBMObjective(loss, sigmoid=sigmoid), WEIGHTS[weights]
    start = objective.init_score(Y, K, w)
    own = own_scores(objective, w)
    assert farthest(our_scores(objective, w, start), own) <= WITHIN
    # Controls: a wrong scale, a start from 0, and weights left out are all seen.
    assert farthest(our_scores(Bent(loss, sigmoid=sigmoid), w, start), own) > 1e-3
    assert farthest(our_scores(objective, w, np.zeros(K)), own) > 1e-3
    if w is not None:
        assert farthest(our_scores(objective, None, start), own) > 1e-3


@pytest.mark.parametrize("loss", LOSSES)
def test_predictions_of_its_classifier_are_the_same(loss: Any) -> None:
    objective, w = LightGBMObjective(loss), WEIGHTS["weighted"]
    start = objective.init_score(Y, K, w)
    ours = lightgbm.LGBMClassifier(n_estimators=3, objective=objective, n_jobs=1, verbosity=-1)
    own = lightgbm.LGBMClassifier(n_estimators=3, objective=OWN[loss], n_jobs=1, verbosity=-1)
    ours.fit(X, Y, sample_weight=w, init_score=np.tile(start, (N, 1)))
    own.fit(X, Y, sample_weight=w)
    found = ours.booster_.predict(X) + start
    assert farthest(found, own.predict(X, raw_score=True)) <= WITHIN


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("kind", "sigmoid"), [("hard", 1.0), ("hard", 0.6), ("soft", 1.0)])
def test_several_labels_are_predicted_as_by_a_training_of_each(
    kind: str, sigmoid: float, weights: str
) -> None:
    targets, w = labels.TARGETS[kind], WEIGHTS[weights]
    name = {"hard": "binary", "soft": "cross_entropy"}[kind]
    parameters = PARAMETERS | {"num_class": 1, "objective": name, "sigmoid": sigmoid}
    own = np.empty((N, labels.K))
    for j in range(labels.K):
        model = lightgbm.train(parameters, lightgbm.Dataset(X, targets[:, j], weight=w), ROUNDS)
        own[:, j] = model.predict(X, raw_score=True)

    def distance(objective: LightGBMObjective, start: Any, given: Any = w) -> float:
        data = lightgbm.Dataset(X, np.zeros(N), weight=given, init_score=np.tile(start, (N, 1)))
        parameters = PARAMETERS | {"objective": objective, "num_class": labels.K}
        return labels.farthest(lightgbm.train(parameters, data, ROUNDS).predict(X) + start, own)

    objective = LightGBMObjective("multilabel", sigmoid=sigmoid, targets=targets)
    start = objective.init_score(targets, labels.K, w)
    assert distance(objective, start) <= WITHIN
    # Controls: a wrong scale, a start from 0, other targets, and weights left out are all seen.
    assert distance(Bent("multilabel", sigmoid=sigmoid, targets=targets), start) > 1e-3
    assert distance(objective, np.zeros(labels.K)) > 1e-3
    other = LightGBMObjective("multilabel", sigmoid=sigmoid, targets=targets[::-1])
    assert distance(other, start) > 1e-3
    if w is not None:
        assert distance(objective, start, None) > 1e-3


def test_a_class_that_never_occurs_keeps_its_start() -> None:
    few = Y < 3
    for loss in LOSSES:
        objective = LightGBMObjective(loss)
        start = objective.init_score(Y[few], 4)
        parameters = PARAMETERS | {"num_class": 4}
        data = lightgbm.Dataset(X[few], Y[few], init_score=np.tile(start, (few.sum(), 1)))
        ours = lightgbm.train(parameters | {"objective": objective}, data, 3).predict(X) + start
        data = lightgbm.Dataset(X[few], Y[few])
        own = lightgbm.train(parameters | {"objective": OWN[loss]}, data, 3)
        assert_same(ours, own.predict(X, raw_score=True), within=WITHIN)


def test_derivatives_are_float32_of_the_documented_formulas() -> None:
    rng = np.random.default_rng(1)
    z, t, w = rng.normal(0, 4, (300, 5)), rng.integers(0, 5, 300), rng.random(300)
    hit = np.arange(5) == t[:, None]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    gradient, hessian = LightGBMObjective()(t, z, w)
    assert gradient.dtype == hessian.dtype == np.float32
    assert gradient.flags.f_contiguous
    assert_same(gradient, ((p - hit) * w[:, None]).astype(np.float32), within=1e-6)
    assert_same(hessian, (5 / 4 * p * (1 - p) * w[:, None]).astype(np.float32), within=1e-6)
    p = 1 / (1 + np.exp(-0.3 * z))
    gradient, hessian = LightGBMObjective("multiclass_one_vs_all", sigmoid=0.3)(t, z, w)
    assert_same(gradient, 0.3 * (p - hit) * w[:, None], within=1e-6)
    assert_same(hessian, 0.09 * p * (1 - p) * w[:, None], within=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_scores_far_apart_give_numbers(loss: Any) -> None:
    z = np.array([[1000.0, -1000.0, 0.0], [-1000.0, 1000.0, 1000.0], [1e308, -1e308, 0.0]])
    gradient, hessian = LightGBMObjective(loss)(np.array([1, 1, 0]), z)
    assert np.isfinite(gradient).all()
    assert (hessian >= 0).all()
    assert_same(gradient[0], [1, -1, 0 if loss == "multiclass" else 0.5])


def test_an_objective_travels_and_is_cloned() -> None:
    targets = labels.TARGETS["soft"].tolist()
    several = pickle.loads(pickle.dumps(LightGBMObjective("multilabel", targets=targets)))
    assert_same(several.targets, np.array(targets, np.float32))
    objective = LightGBMObjective("multiclass_one_vs_all", sigmoid=0.5)
    assert pickle.loads(pickle.dumps(objective)) == objective
    model = lightgbm.LGBMClassifier(objective=objective)
    assert sklearn_base.clone(model).objective == objective

"""Objects for CatBoost's trainer: the history that CatBoost writes with its own metrics."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import karat
from karat.compat.catboost import metric_object, objective_object
from karat.errors import KaratError
from tests.optional import optional
from tests.same import assert_same

catboost = optional("catboost")

ITERATIONS = 5
COMMON = {
    "iterations": ITERATIONS,
    "learning_rate": 0.3,
    "verbose": 0,
    "allow_writing_files": False,
    "random_seed": 0,
    "thread_count": 2,
}
NAMES = {
    "Precision:class=1": "Precision:use_weights=true;class=1",
    "Recall:use_weights=false;class=2": "Recall:use_weights=false;class=2",
    "F:beta=2;class=0": "F:use_weights=true;beta=2;class=0",
    "TotalF1": "TotalF1:use_weights=true",
    "AUC": "AUC:type=Mu",
    "AUC:type=OneVsAll;class=2": "AUC:class=2",
    "MCC": "MCC:use_weights=true",
    "HingeLoss": "HingeLoss:use_weights=true",
}
"""Description of the object → the name of CatBoost's own metric in the history."""
OF_LABELS = ("MultiLogloss", "Accuracy", "HammingLoss")
THEIRS = [
    "Precision",
    "Recall",
    "F:beta=2",
    "TotalF1",
    "AUC:type=Mu",
    "AUC:type=OneVsAll",
    "MCC",
    "HingeLoss",
]


def pools() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    y = (x[:, :3] + rng.normal(size=(300, 3))).argmax(axis=1)
    w = rng.integers(1, 5, 300) / 2
    return tuple(
        catboost.Pool(x[part], y[part], weight=w[part]) for part in (slice(200), slice(200, None))
    )


def history(**options: Any) -> dict[str, list[float]]:
    train, valid = pools()
    model = catboost.CatBoostClassifier(**COMMON, **options)
    model.fit(train, eval_set=valid)
    return model.get_evals_result()["validation"]


@pytest.mark.parametrize("name", NAMES)
def test_an_object_writes_the_same_history(name: str) -> None:
    found = history(
        loss_function="MultiClass", eval_metric=metric_object(name), custom_metric=THEIRS
    )
    assert len(found[name]) == ITERATIONS
    assert_same(found[name], found[NAMES[name]], within=1e-12)


def test_an_object_of_two_classes_and_one_column() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    y = (x[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = catboost.CatBoostClassifier(
        **COMMON, loss_function="Logloss", eval_metric=metric_object("F1:class=1"),
        custom_metric=["F1"],
    )  # fmt: skip
    model.fit(x[:200], y[:200], eval_set=(x[200:], y[200:]))
    found = model.get_evals_result()["validation"]
    assert_same(found["F1:class=1"], found["F1"], within=1e-12)


def test_another_class_is_noticed() -> None:
    found = history(
        loss_function="MultiClass", eval_metric=metric_object("Precision:class=0"),
        custom_metric=THEIRS,
    )  # fmt: skip
    with pytest.raises(AssertionError):
        assert_same(found["Precision:class=0"], found[NAMES["Precision:class=1"]], within=1e-12)


def test_training_stops_early_by_one_class() -> None:
    train, valid = pools()
    model = catboost.CatBoostClassifier(
        **COMMON | {"iterations": 60}, loss_function="MultiClass",
        eval_metric=metric_object("Recall:class=1"),
    )  # fmt: skip
    model.fit(train, eval_set=valid, early_stopping_rounds=5)
    values = model.get_evals_result()["validation"]["Recall:class=1"]
    assert len(values) < 60
    assert model.get_best_iteration() == int(np.argmax(values))


@pytest.mark.parametrize("name", ["MultiClass", "MultiClassOneVsAll"])
def test_an_objective_trains_as_catboosts_own(name: str) -> None:
    ours = history(**objective_object(name).parameters(3) | {"boost_from_average": False})
    theirs = history(loss_function=name, bootstrap_type="Bayesian", boost_from_average=False)
    assert_same(ours[name], theirs[name], within=1e-9)


def of_labels(
    name: str, *, is_weighted: bool
) -> tuple[dict[str, list[float]], Any, dict[str, Any]]:
    """The history of a training on three labels a row; the labels and the scores at its end."""
    rng = np.random.default_rng(26)
    x = rng.normal(size=(300, 4))
    y = (x[:, :3] + rng.normal(size=(300, 3)) > [0.0, 0.4, 0.9]).astype(int)
    w = rng.integers(1, 4, 300).astype(float) if is_weighted else None
    train, valid = (
        catboost.Pool(x[at], y[at], weight=None if w is None else w[at])
        for at in (slice(200), slice(200, None))
    )
    options = COMMON | {"loss_function": "MultiLogloss", "use_best_model": False}
    metric = metric_object(name, of_labels=True)
    theirs = [name] if name in OF_LABELS else []
    model = catboost.CatBoost({**options, "eval_metric": metric, "custom_metric": theirs})
    model.fit(train, eval_set=valid)
    scores = model.predict(valid, prediction_type="RawFormulaVal")
    rows = {"y_score": scores, "weights": None if w is None else w[200:]}
    return model.get_evals_result()["validation"], y[200:], rows


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", OF_LABELS)
def test_an_object_of_several_labels_writes_the_same_history(name: str, is_weighted: bool) -> None:
    found, true, rows = of_labels(name, is_weighted=is_weighted)
    theirs = [key for key in found if key != name and key.startswith(name)]
    assert len(found[name]) == ITERATIONS
    # What is shown beside an object is called by its weights, where there are some.
    for key in theirs:
        if "use_weights=false" not in key:
            assert_same(found[name], found[key], within=1e-9)
    assert theirs or not is_weighted
    last = optional("catboost.utils").eval_metric(true, rows["y_score"], name, rows["weights"])
    assert_same(found[name][-1:], last, within=1e-6)
    # The control: weights count.
    if is_weighted:
        with pytest.raises(AssertionError):
            assert_same(found[name], of_labels(name, is_weighted=False)[0][name], within=1e-9)


@pytest.mark.parametrize("name", ["macro_f1", "mean_average_precision", "label_ranking_loss"])
def test_catboost_watches_metrics_of_sets(name: str) -> None:
    found, true, rows = of_labels(name, is_weighted=True)
    # CatBoost predicts a label where its value is above 0.
    last = karat.evaluate(true, **rows, threshold=0, metrics=[name])[name]
    assert found[name][-1] == pytest.approx(last.value, abs=1e-12)
    assert len(set(found[name])) > 3
    metric = metric_object(name, of_labels=True)
    assert isinstance(metric, catboost.MultiTargetCustomMetric)
    assert metric.is_max_optimal() is (last.better == "higher")
    again = pickle.loads(pickle.dumps(copy.deepcopy(metric)))
    assert (type(again).__name__, repr(again)) == (name, repr(metric))
    assert repr(metric) == f"metric_object({name!r}, of_labels=True)"


def test_metrics_of_several_labels_are_of_one_value() -> None:
    for text in ("Precision", "Accuracy:type=PerClass"):
        with pytest.raises(KaratError, match="class=0"):
            metric_object(text, of_labels=True)
    for text in ("MCC", "MultiClass", "label_cardinality", "MultiLogloss:beta=2"):
        with pytest.raises(KaratError, match="K601"):
            metric_object(text, of_labels=True)
    with pytest.raises(KaratError, match="K220"):
        metric_object("f1", of_labels=True)
    # The losses of several labels need no word for it.
    assert type(metric_object("MultiLogloss")).__name__ == "MultiLogloss"
    assert isinstance(metric_object("MultiLogloss"), catboost.MultiTargetCustomMetric)
    assert not isinstance(metric_object("Accuracy"), catboost.MultiTargetCustomMetric)


def test_an_object_travels() -> None:
    metric = metric_object("F1:class=0")
    for again in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert type(again).__name__ == "F1:class=0"
        assert again.is_max_optimal()
    assert not metric_object("HingeLoss").is_max_optimal()
    assert repr(metric) == "metric_object('F1:class=0')"


def test_what_catboost_cannot_stop_by_is_refused() -> None:
    for text in ("Precision", "F:beta=2", "AUC:type=OneVsAll", "PRAUC"):
        with pytest.raises(KaratError, match="class=0"):
            metric_object(text)
    for text in ("HingeLoss", "MultiClass:use_weights=false", "Logloss"):
        with pytest.raises(KaratError, match="K601"):
            objective_object(text)

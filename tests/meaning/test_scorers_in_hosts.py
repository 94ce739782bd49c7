"""`karat.scorer` and `karat.scorers` in what takes a scorer of scikit-learn, routing on and off."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import EstimatorError, KaratError
from tests.optional import optional
from tests.same import assert_same

optional("sklearn")

import sklearn  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.exceptions import UnsetMetadataPassedError  # noqa: E402
from sklearn.inspection import permutation_importance  # noqa: E402
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifier  # noqa: E402
from sklearn.metrics import get_scorer  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402
from sklearn.multioutput import MultiOutputClassifier  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402

X, Y = make_classification(
    160, 5, n_informative=3, n_classes=2, weights=[0.45], flip_y=0.2, random_state=4
)
WEIGHTS = np.random.default_rng(5).exponential(size=len(Y))
SAME: dict[str, str] = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "macro_f1": "f1_macro",
    "weighted_f1": "f1_weighted",
    "precision": "precision",
    "recall": "recall",
    "jaccard": "jaccard",
    "matthews_correlation": "matthews_corrcoef",
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "d2_log_loss": "d2_log_loss_score",
}
"""Scorers of karat → those of scikit-learn with the same values."""


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def model() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


def test_weights_that_nobody_requested_are_an_error(routing: None) -> None:
    for scoring in (karat.scorer("accuracy"), karat.scorers(["accuracy", "log_loss"]), "accuracy"):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(
                LogisticRegression().set_fit_request(sample_weight=False),
                X, Y, scoring=scoring, params={"sample_weight": WEIGHTS}, error_score="raise",
            )  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_weighted_scores_are_those_of_scikit_learn(name: str, routing: None) -> None:
    learner = GaussianNB().set_fit_request(sample_weight=True)
    found = [
        cross_val_score(
            learner, X, Y, params={"sample_weight": WEIGHTS}, cv=3, error_score="raise",
            scoring=made.set_score_request(sample_weight=True),
        )
        for made in (karat.scorer(name), get_scorer(SAME[name]))
    ]  # fmt: skip
    # scikit-learn clips probabilities in its log loss.
    assert_same(*found, within=1e-9)
    plain = cross_val_score(learner, X, Y, cv=3, scoring=karat.scorer(name))
    assert not np.allclose(plain, found[0], atol=1e-6)


def test_a_request_may_be_another_name_or_none(routing: None) -> None:
    learner = LogisticRegression().set_fit_request(sample_weight=False)
    score = karat.scorer("accuracy").set_score_request(sample_weight="rows")
    assert score.get_metadata_routing().score.requests == {"sample_weight": "rows"}
    given = {"scoring": score, "cv": 3}
    mine = cross_val_score(learner, X, Y, params={"rows": WEIGHTS}, **given)
    theirs = get_scorer("accuracy").set_score_request(sample_weight="rows")
    other = cross_val_score(learner, X, Y, params={"rows": WEIGHTS}, scoring=theirs, cv=3)
    assert_same(mine, other, within=1e-12)
    score.set_score_request(sample_weight=False)
    learner.set_fit_request(sample_weight=True)
    mine = cross_val_score(learner, X, Y, params={"sample_weight": WEIGHTS}, **given)
    theirs.set_score_request(sample_weight=False)
    other = cross_val_score(learner, X, Y, params={"sample_weight": WEIGHTS}, scoring=theirs, cv=3)
    assert_same(mine, other, within=1e-12)
    with pytest.raises(ValueError, match="valid identifier"):
        score.set_score_request(sample_weight="not a name")
    assert score.get_metadata_routing().score.requests == {"sample_weight": False}
    with pytest.raises(TypeError):
        score.set_score_request(groups=True)  # type: ignore[call-arg]


def test_without_routing_a_request_is_refused_and_weights_go_by_hand() -> None:
    for made in (karat.scorer("accuracy"), karat.scorers(["accuracy", "macro_f1"])):
        with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
            made.set_score_request(sample_weight=True)
    fitted = model().fit(X, Y)
    for name, theirs in SAME.items():
        mine = karat.scorer(name)(fitted, X, Y, sample_weight=WEIGHTS)
        other = get_scorer(theirs)(fitted, X, Y, sample_weight=WEIGHTS)
        assert_same(mine, other, within=1e-12)
    several = karat.scorers([*SAME])(fitted, X, Y, sample_weight=WEIGHTS)
    assert several == {
        name: karat.scorer(name)(fitted, X, Y, sample_weight=WEIGHTS) for name in SAME
    }
    with pytest.raises(KaratError, match="K126"):
        karat.scorers(["accuracy"])(fitted, X, Y, weights=WEIGHTS)


@pytest.mark.parametrize("is_routed", [False, True])
def test_a_search_weights_its_scores(is_routed: bool) -> None:
    """scikit-learn 1.9 passes weights of `fit` to scorers that accept them, without routing."""
    with sklearn.config_context(enable_metadata_routing=is_routed):
        found = []
        for made in (karat.scorer("log_loss"), get_scorer("neg_log_loss")):
            learner = LogisticRegression()
            if is_routed:
                made.set_score_request(sample_weight=True)
                learner.set_fit_request(sample_weight=True)
            search = GridSearchCV(learner, {"C": [1e-3, 1.0]}, scoring=made, cv=3)
            search.fit(X, Y, sample_weight=WEIGHTS)
            routed = {"sample_weight": WEIGHTS} if is_routed else {}
            found.append([*search.cv_results_["mean_test_score"], search.score(X, Y, **routed)])
        assert_same(*found, within=1e-12)


@pytest.mark.parametrize("kind", ["list", "dict", "callable"])
@pytest.mark.parametrize("is_routed", [False, True])
def test_several_scores_of_a_search(kind: str, is_routed: bool) -> None:
    names = ["macro_f1", "roc_auc", "log_loss"]
    several: Any = karat.scorers(names)
    if kind == "dict":
        several = {name: karat.scorer(name) for name in names}
    elif kind == "list":
        several = karat.scorers({name: karat.scorer(name) for name in names})
    with sklearn.config_context(enable_metadata_routing=is_routed):
        search = GridSearchCV(
            model(), {"logisticregression__C": [1e-3, 1.0]}, scoring=several, refit="roc_auc", cv=3
        ).fit(X, Y)
        found = cross_validate(search, X, Y, scoring=several, cv=3)
    theirs = cross_validate(search, X, Y, scoring={name: SAME[name] for name in names}, cv=3)
    for name in names:
        assert_same(found[f"test_{name}"], theirs[f"test_{name}"], within=1e-12)
        assert f"mean_test_{name}" in search.cv_results_
    assert clone(search).get_params()["scoring"] is not None


def test_several_scorers_may_request_different_weights(routing: None) -> None:
    both = karat.scorers(
        {
            "plain": karat.scorer("accuracy").set_score_request(sample_weight=False),
            "weighted": karat.scorer("accuracy").set_score_request(sample_weight="rows"),
        }
    )
    learner = LogisticRegression().set_fit_request(sample_weight=False)
    found = cross_validate(learner, X, Y, scoring=both, params={"rows": WEIGHTS}, cv=3)
    theirs = get_scorer("accuracy").set_score_request(sample_weight="rows")
    other = cross_val_score(learner, X, Y, scoring=theirs, params={"rows": WEIGHTS}, cv=3)
    assert_same(found["test_weighted"], other, within=1e-12)
    assert_same(found["test_plain"], cross_val_score(learner, X, Y, cv=3), within=1e-12)


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """GaussianNB that counts the calls of its methods."""

    def fit(self, X: Any, y: Any) -> Counting:  # noqa: N803
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_, self.calls_ = self.inner_.classes_, []
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        self.calls_.append("predict")
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        self.calls_.append("predict_proba")
        return self.inner_.predict_proba(X)


def test_several_scores_come_from_one_prediction() -> None:
    fitted = Counting().fit(X, Y)
    names = ["accuracy", "macro_f1", "f1", "log_loss", "roc_auc", "brier"]
    several = karat.scorers(names)
    found = several(fitted, X, Y)
    assert sorted(fitted.calls_) == ["predict", "predict_proba"]
    assert found == {name: karat.scorer(name)(fitted, X, Y) for name in names}


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("name", ["f1", "matthews_correlation", "error_rate"])
@pytest.mark.parametrize("is_routed", [False, True])
@pytest.mark.parametrize("learner", [LogisticRegression(), RidgeClassifier()])
def test_a_threshold_is_tuned(name: str, is_routed: bool, learner: Any) -> None:
    theirs = {"error_rate": "accuracy"}.get(name, SAME.get(name))
    with sklearn.config_context(enable_metadata_routing=is_routed):
        found = []
        for made in (karat.scorer(name), get_scorer(theirs)):
            given = {"cv": 3, "random_state": 0, "store_cv_results": True, "thresholds": 20}
            tuned = TunedThresholdClassifierCV(clone(learner), scoring=made, **given)
            if is_routed:
                made.set_score_request(sample_weight=True)
                tuned.estimator.set_fit_request(sample_weight=True)
                tuned.fit(X, Y, sample_weight=WEIGHTS)
            else:
                tuned.fit(X, Y)
            again = pickle.loads(pickle.dumps(tuned))
            assert np.array_equal(again.predict(X), tuned.predict(X))
            found.append((tuned.best_threshold_, tuned.cv_results_["scores"]))
    assert found[0][0] == found[1][0]
    # An error rate is 1 − accuracy, with the sign turned.
    assert_same(found[0][1] + (name == "error_rate"), found[1][1], within=1e-12)


def test_a_threshold_for_another_positive_class() -> None:
    words = np.array(["no", "yes"])[Y]
    score = karat.scorer("f1", positive="no")
    mine = TunedThresholdClassifierCV(LogisticRegression(), scoring=score, cv=3).fit(X, words)
    from sklearn.metrics import f1_score, make_scorer

    theirs = make_scorer(f1_score, pos_label="no")
    other = TunedThresholdClassifierCV(LogisticRegression(), scoring=theirs, cv=3).fit(X, words)
    assert mine.best_threshold_ == other.best_threshold_
    assert np.array_equal(mine.predict(X), other.predict(X))
    with pytest.raises(EstimatorError, match="Choose a metric of labels"):
        TunedThresholdClassifierCV(LogisticRegression(), scoring=karat.scorer("roc_auc")).fit(X, Y)


@pytest.mark.parametrize("name", ["log_loss", "brier", "expected_calibration_error", "d2_brier"])
def test_margins_are_no_probabilities(name: str) -> None:
    """They were passed through a sigmoid without a word."""
    fitted = make_pipeline(StandardScaler(), LinearSVC()).fit(X, Y)
    with pytest.raises(EstimatorError) as caught:
        karat.scorer(name)(fitted, X, Y)
    told = str(caught.value)
    assert "Pipeline has no predict_proba" in told
    assert "CalibratedClassifierCV" in told
    # scikit-learn's own scorer raises the same class.
    with pytest.raises(AttributeError):
        get_scorer("neg_log_loss")(fitted, X, Y)
    assert isinstance(caught.value, AttributeError)
    assert karat.scorer("roc_auc")(fitted, X, Y) == karat.roc_auc(
        Y, y_score=fitted.decision_function(X)
    )


HOSTS: dict[str, Callable[[Any], Any]] = {
    "cross_val_score": lambda scoring: cross_val_score(model(), X, Y, scoring=scoring, cv=3),
    "learning_curve": lambda scoring: learning_curve(
        model(), X, Y, scoring=scoring, cv=3, train_sizes=[0.5, 1.0]
    )[2],
    "permutation_importance": lambda scoring: permutation_importance(
        model().fit(X, Y), X, Y, scoring=scoring, n_repeats=2, random_state=0,
        sample_weight=WEIGHTS,
    ).importances,
    "LogisticRegressionCV": lambda scoring: LogisticRegressionCV(
        Cs=[0.01, 1.0], cv=3, scoring=scoring, l1_ratios=(0.0,), use_legacy_attributes=False
    ).fit(X, Y).scores_,
}  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "log_loss"])
@pytest.mark.parametrize("is_routed", [False, True])
def test_hosts(host: str, name: str, is_routed: bool) -> None:
    with sklearn.config_context(enable_metadata_routing=is_routed), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        mine, theirs = HOSTS[host](karat.scorer(name)), HOSTS[host](SAME[name])
    assert_same(mine, theirs, within=1e-9)


def test_importance_by_several_metrics() -> None:
    fitted = model().fit(X, Y)
    given = {"n_repeats": 2, "random_state": 0}
    found = permutation_importance(
        fitted, X, Y, scoring=karat.scorers(["log_loss", "roc_auc"]), **given
    )
    other = permutation_importance(fitted, X, Y, scoring=["neg_log_loss", "roc_auc"], **given)
    assert_same(found["log_loss"].importances, other["neg_log_loss"].importances, within=1e-9)


@pytest.mark.parametrize("made", [karat.scorer("macro_f1"), karat.scorers(["macro_f1", "brier"])])
def test_scorers_are_copied_and_pickled(made: Any, routing: None) -> None:
    made = copy.deepcopy(made).set_score_request(sample_weight=True)
    fitted = model().fit(X, Y)
    for again in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), clone(made, safe=False)):
        assert again == made
        assert repr(again) == repr(made)
        assert str(again.get_metadata_routing()) == str(made.get_metadata_routing())
        assert again(fitted, X, Y, sample_weight=WEIGHTS) == made(
            fitted, X, Y, sample_weight=WEIGHTS
        )


@pytest.mark.parametrize("name", ["roc_auc_ovr_macro", "macro_average_precision", "macro_f1"])
@pytest.mark.parametrize("is_listed", [True, False])
def test_sets_of_labels(name: str, is_listed: bool) -> None:
    """MultiOutputClassifier returns a list of arrays, OneVsRestClassifier a matrix."""
    marks = np.column_stack([Y, X[:, 0] > 0, X[:, 1] > 0.2]).astype(int)
    make = MultiOutputClassifier if is_listed else OneVsRestClassifier
    fitted = make(LogisticRegression()).fit(X, marks)
    theirs = {
        "roc_auc_ovr_macro": "roc_auc", "macro_average_precision": "average_precision",
        "macro_f1": "f1_macro",
    }  # fmt: skip
    for weights in (None, WEIGHTS):
        mine = karat.scorer(name)(fitted, X, marks, sample_weight=weights)
        other = get_scorer(theirs[name])(fitted, X, marks, sample_weight=weights)
        assert_same(mine, other, within=1e-12)


def test_what_scorers_take() -> None:
    both = karat.scorers({"yes": karat.scorer("f1", positive=1), "auc": "roc_auc"})
    assert list(both(model().fit(X, Y), X, Y)) == ["yes", "auc"]
    for given in ("macro_f1", [], {}):
        with pytest.raises(KaratError, match="a list of metrics or a dict"):
            karat.scorers(given)  # type: ignore[arg-type]
    with pytest.raises(KaratError, match="K312"):
        karat.scorers(["support"])

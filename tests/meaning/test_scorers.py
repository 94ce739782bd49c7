"""`karat.scorer` with estimators of scikit-learn: of labels, of probabilities, of other scores."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.optional import optional
from tests.same import assert_same

optional("sklearn")

from sklearn.datasets import load_breast_cancer, load_iris  # noqa: E402
from sklearn.linear_model import LogisticRegression, RidgeClassifier  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402

IRIS, SPECIES = load_iris(return_X_y=True)
CANCER, BENIGN = load_breast_cancer(return_X_y=True)


def scores(model: Any, features: Any, truth: Any, scoring: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return cross_val_score(model, features, truth, scoring=scoring, cv=3, error_score="raise")


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("roc_auc_ovr_macro", "roc_auc_ovr"),
        ("roc_auc_ovr_weighted", "roc_auc_ovr_weighted"),
        ("roc_auc_ovo_macro", "roc_auc_ovo"),
        ("log_loss", "neg_log_loss"),
        ("macro_f1", "f1_macro"),
        ("accuracy", "accuracy"),
    ],
)
@pytest.mark.parametrize("labels", [[0, 1, 2], ["c", "a", "b"]])
def test_scores_are_those_of_scikit_learn(name: str, theirs: str, labels: Any) -> None:
    truth = np.array(labels)[SPECIES]
    for model in (GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())):
        mine = scores(model, IRIS, truth, karat.scorer(name))
        assert_same(mine, scores(model, IRIS, truth, theirs), within=1e-12)
        other = scores(model, IRIS, truth, karat.scorer(name, labels=sorted(labels, reverse=True)))
        assert_same(mine, other, within=1e-12)


@pytest.mark.parametrize("kind", [int, float, bool, str])
@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression()])
def test_two_classes_of_any_kind(kind: Any, model: Any) -> None:
    truth = BENIGN.astype(kind)
    model = make_pipeline(StandardScaler(), model)
    mine = scores(model, CANCER, truth, karat.scorer("roc_auc"))
    assert_same(mine, scores(model, CANCER, BENIGN, "roc_auc"), within=1e-12)
    precision = scores(model, CANCER, truth, karat.scorer("average_precision"))
    assert_same(precision, scores(model, CANCER, BENIGN, "average_precision"), within=1e-12)


def test_one_column_of_scores_follows_the_positive_class() -> None:
    model = make_pipeline(StandardScaler(), RidgeClassifier()).fit(CANCER, BENIGN)
    column = model.decision_function(CANCER)
    for labels, positive in ((None, 0), ([0, 1], 0), ([1, 0], 0)):
        score = karat.scorer("average_precision", labels=labels, positive=positive)
        expected = karat.average_precision(1 - BENIGN, y_score=-column)
        assert score(model, CANCER, BENIGN) == expected
    for labels, positive in ((None, None), ([1, 0], None), ([1, 0], 1), ([0, 1], 1)):
        score = karat.scorer("average_precision", labels=labels, positive=positive)
        assert score(model, CANCER, BENIGN) == karat.average_precision(BENIGN, y_score=column)
    words = np.array(["malignant", "benign"])[BENIGN]
    model.fit(CANCER, words)
    for positive, sign in (("malignant", 1), ("benign", -1)):
        score = karat.scorer("average_precision", positive=positive)
        expected = karat.average_precision(
            words == positive, y_score=sign * model.decision_function(CANCER)
        )
        assert score(model, CANCER, words) == expected
    with pytest.raises(KaratError, match="K190"):
        karat.scorer("average_precision")(model, CANCER, words)
    macro = karat.scorer("roc_auc_ovr_macro")(model, CANCER, words)
    assert macro == karat.roc_auc(words == "malignant", y_score=model.decision_function(CANCER))


def test_losses_are_negated_and_parameters_kept() -> None:
    model = GaussianNB().fit(CANCER, BENIGN)
    prob = model.predict_proba(CANCER)
    for name in ("log_loss", "brier", "expected_calibration_error(bins=7)"):
        score = karat.scorer(name)
        assert repr(score) == f"karat.scorer({name!r})"
        assert score(model, CANCER, BENIGN) < 0
    with_parameter = karat.scorer("roc_auc(max_fpr=0.25)")(model, CANCER, BENIGN)
    assert with_parameter == karat.roc_auc(BENIGN, y_prob=prob, max_fpr=0.25)


def test_margins_come_from_the_decision_function() -> None:
    model = LogisticRegression(max_iter=5000).fit(IRIS, SPECIES)
    expected = karat.hinge_loss(SPECIES, y_score=model.decision_function(IRIS))
    assert karat.scorer("hinge_loss")(model, IRIS, SPECIES) == -expected


def test_weights_are_passed_on() -> None:
    model = GaussianNB().fit(IRIS, SPECIES)
    weights = np.linspace(0.0, 1.0, len(SPECIES))
    expected = karat.log_loss(SPECIES, y_prob=model.predict_proba(IRIS), weights=weights)
    assert karat.scorer("log_loss")(model, IRIS, SPECIES, weights) == -expected


def test_several_scorers_and_a_search() -> None:
    scoring = {name: karat.scorer(name) for name in ("roc_auc_ovr_macro", "macro_f1", "brier")}
    found = cross_validate(GaussianNB(), IRIS, SPECIES, scoring=scoring, cv=3)
    assert all(np.isfinite(found[f"test_{name}"]).all() for name in scoring)
    search = GridSearchCV(
        LogisticRegression(max_iter=1000), {"C": [1e-4, 1.0]}, scoring=karat.scorer("log_loss")
    )
    assert search.fit(IRIS, SPECIES).best_params_ == {"C": 1.0}
    assert karat.scorer("log_loss")(search, IRIS, SPECIES) == search.score(IRIS, SPECIES)


def test_a_class_that_was_never_learned_has_no_probability() -> None:
    known = SPECIES < 2
    model = GaussianNB().fit(IRIS[known], SPECIES[known])
    prob = np.column_stack([np.zeros(len(IRIS)), model.predict_proba(IRIS)[:, ::-1]])
    score = karat.scorer("brier", labels=[2, 1, 0])
    assert score(model, IRIS, SPECIES) == -karat.brier(SPECIES, y_prob=prob, labels=[2, 1, 0])
    assert karat.scorer("log_loss", labels=[0, 1, 2])(model, IRIS[known], SPECIES[known]) > -np.inf


class Silent:
    """An estimator that only predicts."""

    classes_ = np.array([0, 1])

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.zeros(len(X), int)


class Nameless:
    """An estimator that does not say which classes it learned."""

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        return np.tile([0.5, 0.25, 0.25], (len(X), 1))


def refused(name: str, model: Any, features: Any, truth: Any, **options: Any) -> str:
    with pytest.raises(KaratError) as caught:
        karat.scorer(name, **options)(model, features, truth)
    return str(caught.value)


def test_an_estimator_without_scores_is_refused() -> None:
    told = refused("roc_auc", Silent(), CANCER, BENIGN)
    assert told.startswith("K313")
    assert "Silent has neither predict_proba nor decision_function, and roc_auc reads" in told
    assert karat.scorer("accuracy")(Silent(), CANCER, BENIGN) == 1 - BENIGN.mean()


def test_an_estimator_without_classes_is_read_in_the_order_of_the_labels() -> None:
    mine = karat.scorer("log_loss")(Nameless(), IRIS, SPECIES)
    assert mine == -karat.log_loss(SPECIES, y_prob=Nameless().predict_proba(IRIS))
    told = refused("log_loss", Nameless(), CANCER, BENIGN)
    assert told.startswith("K134")


def test_classes_that_do_not_fit_are_refused() -> None:
    model = GaussianNB().fit(IRIS, SPECIES)
    told = refused("log_loss", model, IRIS, SPECIES, labels=[0, 1])
    assert "The estimator learned 0, 1, 2, and labels= are 0, 1." in told
    known = SPECIES < 2
    margins = LinearSVC().fit(IRIS[known], SPECIES[known])
    told = refused("roc_auc_ovr_macro", margins, IRIS[known], SPECIES[known], labels=[0, 1, 2])
    assert "Only predict_proba may lack a class" in told
    assert refused("log_loss", model, IRIS, SPECIES + 1).startswith("K109")


def test_scores_of_pairs_of_classes_are_refused() -> None:
    pairs = SVC(decision_function_shape="ovo").fit(IRIS, SPECIES)
    assert "scores pairs of classes" in refused("roc_auc_ovr_macro", pairs, IRIS, SPECIES)
    each = SVC().fit(IRIS, SPECIES)
    expected = karat.roc_auc_ovr_macro(SPECIES, y_score=each.decision_function(IRIS))
    assert karat.scorer("roc_auc_ovr_macro")(each, IRIS, SPECIES) == expected


def test_a_plain_ranking_of_many_classes_asks_for_an_average() -> None:
    model = GaussianNB().fit(IRIS, SPECIES)
    assert refused("roc_auc", model, IRIS, SPECIES).startswith("K121")


@pytest.mark.parametrize("name", ["f_beta_threshold", "cost_threshold", "spiegelhalter_z"])
def test_metrics_without_a_better_direction_cannot_rank_models(name: str) -> None:
    with pytest.raises(KaratError, match="Neither direction"):
        karat.scorer(name)

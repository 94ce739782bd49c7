"""What `karat.scorer` makes of an estimator: its classes, its columns, its labels, its failures."""

from __future__ import annotations

import re
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import EstimatorError, KaratError
from tests.optional import optional
from tests.same import assert_same

optional("sklearn")
pandas = optional("pandas")

import sklearn  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_iris  # noqa: E402
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import f1_score, make_scorer  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    KFold,
    LeaveOneOut,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402
from sklearn.multioutput import MultiOutputClassifier  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402

IRIS, SPECIES = load_iris(return_X_y=True)
IRIS = IRIS + np.random.default_rng(0).normal(0, 1.5, IRIS.shape)
NAMES = np.array(["a", "b", "c"])[SPECIES]
CANCER, BENIGN = load_breast_cancer(return_X_y=True)
CANCER = CANCER[:, :3]
WORDS = np.array(["no", "yes"])[BENIGN]
FEW, FEW_WORDS = CANCER[:25], WORDS[:25]


def refused(run: Any) -> str:
    with pytest.raises(KaratError) as caught:
        run()
    return str(caught.value)


def fitted(**methods: Any) -> Any:
    """An estimator that returns what is given."""
    facts = {"classes_": methods.pop("classes_")} if "classes_" in methods else {}
    each = {name: lambda _, values=values: values for name, values in methods.items()}
    return SimpleNamespace(**facts, **each)


# Classes.


@pytest.mark.parametrize("kind", [list, tuple, np.array, pandas.Index, pandas.Series])
def test_columns_follow_classes_of_any_container(kind: Any) -> None:
    model = GaussianNB().fit(IRIS, NAMES)
    turned = fitted(
        classes_=kind(["c", "a", "b"]), predict_proba=model.predict_proba(IRIS)[:, [2, 0, 1]]
    )
    for name in ("roc_auc_ovr_macro", "log_loss"):
        score = karat.scorer(name)
        assert score(turned, None, NAMES) == score(model, IRIS, NAMES)


@pytest.mark.parametrize(
    "classes", [["a", "a", "b"], ["a", 1, 2], "abc", {"a", "b", "c"}, [None, 1, 2], 3]
)
def test_classes_that_cannot_be_read_are_an_error(classes: Any) -> None:
    odd = fitted(classes_=classes, predict_proba=np.full((150, 3), 1 / 3))
    told = refused(lambda: karat.scorer("log_loss")(odd, None, NAMES))
    assert told.startswith("K314")
    assert "classes_ of SimpleNamespace is " in told
    assert "each class once" in told


@pytest.mark.parametrize(
    "wrap",
    [
        lambda svc: svc,
        make_pipeline,
        lambda svc: GridSearchCV(svc, {"C": [1.0]}, cv=2),
        lambda svc: GridSearchCV(make_pipeline(svc), {"svc__C": [1.0]}, cv=2),
        lambda svc: BaggingClassifier(svc, n_estimators=2, random_state=0),
    ],
)
def test_scores_of_pairs_are_refused_in_every_wrapper(wrap: Any) -> None:
    pairs = wrap(SVC(decision_function_shape="ovo")).fit(IRIS, SPECIES)
    each = wrap(SVC()).fit(IRIS, SPECIES)
    # Bagging has probabilities too, which areas read.
    for name in ("hinge_loss", *(() if hasattr(each, "predict_proba") else ["macro_roc_auc"])):
        score = karat.scorer(name)
        told = refused(lambda score=score: score(pairs, IRIS, SPECIES))
        assert told.startswith("K313")
        assert "scores pairs of classes" in told
        value = getattr(karat, name)(SPECIES, y_score=each.decision_function(IRIS))
        assert abs(score(each, IRIS, SPECIES)) == value


def test_one_against_the_rest_of_pairwise_models_scores_classes() -> None:
    model = OneVsRestClassifier(SVC(decision_function_shape="ovo")).fit(IRIS, SPECIES)
    expected = karat.roc_auc_ovr_macro(SPECIES, y_score=model.decision_function(IRIS))
    assert karat.scorer("roc_auc_ovr_macro")(model, IRIS, SPECIES) == expected


def test_pairs_of_four_classes_are_known_by_their_number() -> None:
    odd = fitted(classes_=np.arange(4), decision_function=np.zeros((4, 6)))
    told = refused(lambda: karat.scorer("roc_auc_ovr_macro")(odd, None, np.arange(4)))
    assert "scores pairs of classes" in told


# Columns.


@pytest.mark.parametrize("positive", ["no", "yes"])
@pytest.mark.parametrize("is_matrix", [False, True])
def test_one_column_is_of_the_second_class(positive: str, is_matrix: bool) -> None:
    model = LogisticRegression().fit(CANCER, WORDS)
    prob, margin = model.predict_proba(CANCER), model.decision_function(CANCER)
    shape = (-1, 1) if is_matrix else (-1,)
    for column in (prob[:, 1], prob[:, 1].astype(np.float32)):
        one = fitted(classes_=model.classes_, predict_proba=column.reshape(shape))
        for name in ("average_precision", "log_loss", "roc_auc_ovr_macro"):
            score = karat.scorer(name, positive=positive)
            assert_same(score(one, None, WORDS), score(model, CANCER, WORDS), within=1e-6)
    one = fitted(classes_=model.classes_, decision_function=margin.reshape(shape))
    signed = margin if positive == "yes" else -margin
    expected = karat.average_precision(positive == WORDS, y_score=signed)
    assert karat.scorer("average_precision", positive=positive)(one, None, WORDS) == expected


def test_a_column_of_probabilities_without_a_positive_class() -> None:
    model = LogisticRegression().fit(CANCER, WORDS)
    one = fitted(classes_=model.classes_, predict_proba=model.predict_proba(CANCER)[:, 1:])
    score = karat.scorer("log_loss")
    assert_same(score(one, None, WORDS), score(model, CANCER, WORDS), within=1e-12)


@pytest.mark.parametrize("shape", [(150,), (150, 1), (150, 2), (150, 4), (150, 3, 1), ()])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_another_number_of_columns_is_an_error(shape: Any, method: str) -> None:
    odd = fitted(classes_=["a", "b", "c"], **{method: np.full(shape, 0.25)})
    told = refused(lambda: karat.scorer("roc_auc_ovr_macro")(odd, None, NAMES))
    assert told.startswith("K314")
    assert f"{method} of SimpleNamespace returned " in told
    assert "classes_ has 3 classes: 'a', 'b', 'c'" in told


def test_rows_of_several_lengths_are_an_error() -> None:
    odd = fitted(classes_=["a", "b", "c"], predict_proba=[[0.5, 0.5], [1.0]])
    told = refused(lambda: karat.scorer("log_loss")(odd, None, ["a", "b"]))
    assert told.startswith("K314")
    assert "returned a list that is not a matrix" in told


# Labels of a fold.


@pytest.mark.parametrize(
    ("name", "theirs"),
    [("accuracy", "accuracy"), ("macro_f1", "f1_macro"), ("matthews_correlation", None)],
)
def test_a_fold_whose_rows_are_all_wrong_has_a_value(name: str, theirs: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        mine = cross_val_score(
            GaussianNB(), FEW, FEW_WORDS, scoring=karat.scorer(name), cv=LeaveOneOut()
        )
    assert 0.0 in mine
    if theirs is not None:
        other = cross_val_score(GaussianNB(), FEW, FEW_WORDS, scoring=theirs, cv=LeaveOneOut())
        assert_same(mine, other, within=0)


def test_a_fold_of_many_classes_that_is_all_wrong() -> None:
    for labels in (SPECIES, NAMES, pandas.Series(NAMES, dtype="category")):
        predicted = np.asarray(labels)[[149, 0]]
        rows = labels[[0, 50]] if isinstance(labels, np.ndarray) else labels.iloc[[0, 50]]
        model = fitted(classes_=np.unique(np.asarray(labels)), predict=predicted)
        assert karat.scorer("accuracy")(model, None, rows) == 0.0


def test_other_spellings_stay_an_error() -> None:
    for classes in (None, ["yes", "no"], ["YES", "NO"]):
        facts = {} if classes is None else {"classes_": classes}
        model = fitted(predict=["YES", "NO"], **facts)
        told = refused(lambda model=model: karat.scorer("accuracy")(model, None, ["yes", "no"]))
        assert told.startswith("K191")


def test_an_order_that_nobody_declared_is_not_taken_from_the_classes() -> None:
    model = fitted(classes_=np.array(["a", "b", "c"]), predict=["a", "b", "b"])
    told = refused(lambda: karat.scorer("kappa_linear")(model, None, ["b", "c", "c"]))
    assert told.startswith("K316")
    wrong = fitted(classes_=np.array(["a", "b", "c"]), predict=["a", "c"])
    told = refused(lambda: karat.scorer("kappa_linear")(wrong, None, ["b", "b"]))
    assert told.startswith("K316")


# Several scores.


def test_a_metric_that_fails_leaves_the_others() -> None:
    several = karat.scorers(["accuracy", "log_loss"])
    with pytest.warns(UserWarning, match=r"(?s)log_loss is nan.*LinearSVC has no predict_proba"):
        found = cross_validate(LinearSVC(), CANCER, BENIGN, scoring=several, cv=3)
    assert_same(
        found["test_accuracy"], cross_val_score(LinearSVC(), CANCER, BENIGN, cv=3), within=0
    )
    assert np.isnan(found["test_log_loss"]).all()
    with pytest.raises(EstimatorError, match="no predict_proba"):
        cross_validate(LinearSVC(), CANCER, BENIGN, scoring=several, cv=3, error_score="raise")
    with pytest.warns(UserWarning, match="log_loss is -9"):
        found = cross_validate(LinearSVC(), CANCER, BENIGN, scoring=several, cv=3, error_score=-9.0)
    assert found["test_log_loss"].tolist() == [-9.0] * 3


def test_a_fold_in_which_every_metric_fails_is_no_type_error() -> None:
    rare = np.repeat(["a", "b", "c"], [80, 60, 10])
    several = karat.scorers(["log_loss", "brier"])
    with pytest.warns(UserWarning, match="the classes that the estimator learned"):
        found = cross_validate(GaussianNB(), IRIS, rare, scoring=several, cv=KFold(10))
    for name in several.by_name:
        assert np.isnan(found[f"test_{name}"][-1])
        assert np.isfinite(found[f"test_{name}"][:7]).all()


def test_outside_of_a_search_one_value_is_enough() -> None:
    model = LinearSVC().fit(CANCER, BENIGN)
    with pytest.warns(UserWarning, match="Scoring failed"):
        found = karat.scorers(["accuracy", "log_loss"])(model, CANCER, BENIGN)
    assert found["accuracy"] == model.score(CANCER, BENIGN)
    assert np.isnan(found["log_loss"])
    assert list(found) == ["accuracy", "log_loss"]
    told = refused(lambda: karat.scorers(["log_loss", "brier"])(model, CANCER, BENIGN))
    assert told.startswith("K313")


# Several labels a row.


MARKS = np.column_stack([SPECIES == 0, SPECIES == 2, IRIS[:, 0] > 6, IRIS[:, 1] > 3]).astype(int)
FRAME = pandas.DataFrame(MARKS, columns=list("wxyz"))


@pytest.mark.parametrize("name", ["macro_f1", "subset_accuracy", "hamming_loss"])
def test_predictions_are_read_in_the_order_of_a_frame(name: str) -> None:
    model = MultiOutputClassifier(GaussianNB()).fit(IRIS, FRAME)
    score = karat.scorer(name)
    assert score(model, IRIS, FRAME) == score(model, IRIS, MARKS)
    found = cross_val_score(model, IRIS, FRAME, scoring=score, cv=KFold(3, shuffle=True))
    assert np.isfinite(found).all()


def test_a_frame_beside_a_matrix_is_read_by_position() -> None:
    pred = MARKS.copy()
    pred[::3, 1] ^= 1
    named = pandas.DataFrame(pred, columns=FRAME.columns)
    for true, other in ((FRAME, pred), (MARKS, named), (FRAME, pandas.DataFrame(pred).to_numpy())):
        assert karat.macro_f1(true, other) == karat.macro_f1(MARKS, pred)
        report = karat.evaluate(true, other)
        assert report["subset_accuracy"].value == karat.subset_accuracy(MARKS, pred)
        assert [each["label"] for each in report.per_class] == list("wxyz")
    with pytest.raises(KaratError, match="K199"):
        karat.macro_f1(FRAME, pred[:, :3])
    with pytest.raises(KaratError, match="K199"):
        karat.macro_f1(FRAME, named[["x", "w", "y", "z"]])


@pytest.mark.parametrize("is_true_named", [False, True])
def test_models_of_a_frame_are_compared_by_position(is_true_named: bool) -> None:
    pred = MARKS.copy()
    pred[::3, 1] ^= 1
    named = pandas.DataFrame(pred[::-1], columns=FRAME.columns)
    true: Any = FRAME if is_true_named else MARKS
    found = karat.compare(true, {"new": pred, "old": named})
    plain = karat.compare(MARKS, {"new": pred, "old": pred[::-1]})
    assert found["macro_f1"].difference == plain["macro_f1"].difference
    with pytest.raises(KaratError, match="K128"):
        karat.compare(FRAME, {"new": pred[:, :3], "old": pred[:, :3]})


@pytest.mark.parametrize("make", [MultiOutputClassifier, OneVsRestClassifier])
@pytest.mark.parametrize("name", ["label_ranking_loss", "macro_f1", "roc_auc_ovr_macro"])
@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
def test_listed_labels_name_the_columns_of_an_indicator(make: Any, name: str) -> None:
    model = make(GaussianNB()).fit(IRIS, MARKS)
    named = karat.scorer(name, labels=list("wxyz"))(model, IRIS, MARKS)
    assert named == karat.scorer(name)(model, IRIS, MARKS)


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(5, random_state=0), KNeighborsClassifier()]
)
@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
def test_a_label_that_training_rows_lack_or_always_have(model: Any, constant: int) -> None:
    marks = MARKS.copy()
    marks[:, 2] = constant
    model.fit(IRIS, marks)
    assert model.predict_proba(IRIS)[2].shape[1] == 1
    prob = np.column_stack(
        [np.full(150, float(constant)) if i == 2 else column[:, 1]
         for i, column in enumerate(model.predict_proba(IRIS))]
    )  # fmt: skip
    for name in ("label_ranking_loss", "micro_average_precision"):
        expected = getattr(karat, name)(MARKS, y_prob=prob)
        sign = -1 if name.endswith("loss") else 1
        assert karat.scorer(name)(model, IRIS, MARKS) == sign * expected


def test_one_output_is_read_as_one_class_a_row() -> None:
    model = MultiOutputClassifier(GaussianNB()).fit(IRIS, SPECIES[:, None])
    plain = GaussianNB().fit(IRIS, SPECIES)
    score = karat.scorer("log_loss")
    for truth in (SPECIES, SPECIES[:, None]):
        assert score(model, IRIS, truth) == score(plain, IRIS, SPECIES)


# Messages.


@pytest.mark.parametrize(
    ("run", "call"),
    [
        (lambda: karat.scorer("top_k_accuracy", k=2), 'karat.scorer("top_k_accuracy(k=2)")'),
        (lambda: karat.scorer(name="f_beta", beta=2), 'karat.scorer("f_beta(beta=2)")'),
        (lambda: karat.scorer("macro_f_beta", beta=2), 'karat.scorer("macro_f_beta(beta=2)")'),
        (lambda: karat.scorer("f_beta", beta=-2), 'karat.scorer("f_beta(beta=-2)")'),
        (
            lambda: karat.scorers(["accuracy", "f_beta"], beta=2),
            'karat.scorers(["f_beta(beta=2)", …])',
        ),
    ],
)
def test_a_parameter_is_part_of_the_name(run: Any, call: str) -> None:
    told = refused(run)
    assert told.startswith("K126")
    assert told.endswith(f"A parameter is part of the name: {call}.")


def test_a_parameter_that_a_metric_lacks_is_left_out() -> None:
    assert refused(lambda: karat.scorer("log_loss", k=2)).endswith("Leave it out.")
    assert refused(lambda: karat.scorer("no_such", k=2)).endswith("Leave it out.")
    assert refused(lambda: karat.scorers(None, k=2)).endswith("Leave it out.")


@pytest.mark.parametrize("name", ["f1", "roc_auc", "f_beta(beta=2)"])
def test_a_scorer_advises_the_name_of_an_average(name: str) -> None:
    model = GaussianNB().fit(IRIS, NAMES)
    told = refused(lambda: karat.scorer(name)(model, IRIS, NAMES))
    assert told.startswith("K121")
    assert "average=" not in told
    names = re.findall(r'karat\.scorer\("([^"]+)"\)', told)
    assert names
    for each in names:
        assert np.isfinite(karat.scorer(each)(model, IRIS, NAMES))


def test_a_scorer_of_two_classes_advises_what_it_takes() -> None:
    model = GaussianNB().fit(CANCER, WORDS)
    told = refused(lambda: karat.scorer("roc_auc")(model, CANCER, WORDS))
    assert told.startswith("K190")
    assert "average=" not in told


def test_a_class_that_was_not_learned_is_named() -> None:
    model = GaussianNB().fit(IRIS[SPECIES < 2], NAMES[SPECIES < 2])
    told = refused(lambda: karat.scorer("log_loss")(model, IRIS, NAMES))
    assert told.startswith("K109")
    assert "not among the classes that the estimator learned" in told
    assert "It learned 'a', 'b'." in told
    assert "karat.scorer('log_loss', labels=[…])" in told
    listed = refused(lambda: karat.scorer("accuracy", labels=["a", "b"])(model, IRIS, NAMES))
    assert "not among labels=" in listed


def test_labels_that_differ_in_case_or_punctuation_are_named() -> None:
    told = refused(lambda: karat.accuracy(["Positive.", "Negative"], ["positive", "positive"]))
    assert told.startswith("K191")
    assert "Labels 'Positive.' and 'positive' differ only in " in told
    assert "case" in told
    assert "punctuation" in told
    assert "each label the same way" in told
    case = refused(lambda: karat.accuracy(["Positive"] * 2, ["positive"] * 2))
    assert "differ only in blanks or case" in case
    assert "labels=" in refused(lambda: karat.accuracy(["a"] * 2, ["b"] * 2))


# Hosts.


def test_a_threshold_is_tuned_by_one_metric() -> None:
    several = karat.scorers(["f1", "accuracy"])
    with pytest.raises(EstimatorError, match=r"(?s)by one metric.*scoring=karat\.scorer\('f1'\)"):
        TunedThresholdClassifierCV(GaussianNB(), scoring=several).fit(CANCER, BENIGN)


def test_a_threshold_in_a_fold_whose_rows_are_all_wrong() -> None:
    score = karat.scorer("f1", positive="yes")
    given = {"thresholds": [0.0, 0.5, 1.0], "cv": [(np.arange(100), np.flatnonzero(BENIGN == 0))]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = TunedThresholdClassifierCV(
            GaussianNB(), scoring=score, store_cv_results=True, **given
        ).fit(CANCER, WORDS)
        other = TunedThresholdClassifierCV(
            GaussianNB(), scoring=make_scorer(f1_score, pos_label="yes"),
            store_cv_results=True, **given,
        ).fit(CANCER, WORDS)  # fmt: skip
    assert_same(mine.cv_results_["scores"], other.cv_results_["scores"], within=1e-12)


def test_the_truth_is_called_as_in_scikit_learn() -> None:
    model = GaussianNB().fit(CANCER, BENIGN)
    expected = model.score(CANCER, BENIGN)
    assert karat.scorer("accuracy")(model, CANCER, y_true=BENIGN) == expected
    assert karat.scorers(["accuracy"])(model, CANCER, y_true=BENIGN) == {"accuracy": expected}


def test_a_request_of_several_scorers_leaves_those_that_were_given() -> None:
    given = karat.scorer("accuracy")
    with sklearn.config_context(enable_metadata_routing=True):
        several = karat.scorers({"a": given}).set_score_request(sample_weight=True)
        assert several.by_name["a"].get_metadata_routing().score.requests["sample_weight"] is True
        assert given.get_metadata_routing().score.requests["sample_weight"] is None


def test_scorers_have_the_name_that_displays_show() -> None:
    assert karat.scorer("macro_f1").__name__ == "macro_f1"
    assert karat.scorer("log_loss").__name__ == "neg_log_loss"


class _Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities raise an error of another package."""

    def fit(self, X: Any, y: Any) -> _Odd:  # noqa: N803
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.resize(self.classes_, len(X))

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        raise OSError(f"no device for {len(X)} rows")


def test_an_error_of_the_estimator_leaves_the_metrics_of_labels() -> None:
    model = _Odd().fit(CANCER, BENIGN)
    with pytest.warns(UserWarning, match="no device for 569 rows"):
        found = karat.scorers(["accuracy", "log_loss"])(model, CANCER, BENIGN)
    assert found["accuracy"] == np.mean(model.predict(CANCER) == BENIGN)

"""Every metric as a plain function: what it takes, what it returns, when it warns."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError, UndefinedWarning, UnknownNameError
from tests.same import assert_same

RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 4, 200)
PRED = np.where(RNG.random(200) < 0.6, TRUE, RNG.integers(0, 4, 200))
NAMES = [
    "accuracy",
    "error_rate",
    "average_accuracy",
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "f1",
    "f_beta",
    "jaccard",
    "balanced_accuracy",
    "g_mean",
    "informedness",
    "markedness",
    "matthews_correlation",
    "mcc",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "f1_of_macro_averages",
    "f_beta_of_macro_averages",
    "expected_cost",
    "zero_one_loss",
    "hamming_loss",
    "average_error_rate",
    "fowlkes_mallows",
    "false_positive_rate",
    "false_negative_rate",
    "false_discovery_rate",
    "false_omission_rate",
    "prevalence",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
    "gwet_ac1",
    "no_information_rate",
    "mutual_information",
    "normalized_mutual_information",
    "true_positives",
    "false_positives",
    "false_negatives",
    "true_negatives",
    "support",
    "predicted_count",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_promised_name_is_a_documented_function(name: str) -> None:
    function = getattr(karat, name)
    assert callable(function)
    for part in ("Definition:", "Args:", "Returns:", "Cost:", "Example:"):
        assert part in function.__doc__, part
    assert list(inspect.signature(function).parameters)[:2] == ["y_true", "y_pred"]


@pytest.mark.parametrize("name", NAMES)
def test_a_confusion_matrix_gives_what_the_labels_give(name: str) -> None:
    function = getattr(karat, name)
    given: dict[str, Any] = {"costs": 1 - np.eye(4)} if name == "expected_cost" else {}
    if "average" in inspect.signature(function).parameters:
        given["average"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        from_labels = function(TRUE, PRED, **given)
        from_matrix = function(confusion=karat.confusion_matrix(TRUE, PRED), **given)
    assert_same(from_matrix, from_labels, within=1e-14)


def test_the_short_path_and_the_long_path_agree() -> None:
    for name in NAMES:
        function = getattr(karat, name)
        given: dict[str, Any] = {"costs": 1 - np.eye(4)} if name == "expected_cost" else {}
        averages: tuple[Any, ...] = ("",)
        if "average" in inspect.signature(function).parameters:
            averages = (None, *karat.metrics.get(name).record.averages)
        for average in averages:
            if average != "":
                given["average"] = average
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedWarning)
                short = function(TRUE, PRED, **given)
                long = function(TRUE.tolist(), PRED.tolist(), labels=[0, 1, 2, 3], **given)
            assert type(short) is type(long)
            assert_same(short, long, within=1e-14, about=f"{name} {average}")


def test_two_classes_give_the_positive_one() -> None:
    y_true, y_pred = np.array([0, 1, 1, 1, 0]), np.array([0, 1, 0, 1, 1])
    assert karat.recall(y_true, y_pred) == 2 / 3
    assert karat.recall(y_true, y_pred, positive=0) == 1 / 2
    assert karat.recall(y_true == 1, y_pred == 1) == 2 / 3
    assert karat.recall(["no", "yes", "yes"], ["no", "yes", "no"], positive="yes") == 1 / 2
    assert karat.recall(y_true, y_pred, labels=[1, 0]) == 2 / 3
    assert isinstance(karat.recall(y_true, y_pred), float)


@pytest.mark.parametrize("labels", [None, ["no", "yes"], ["yes", "no"]])
def test_two_words_need_a_positive_class_or_an_average(labels: Any) -> None:
    y_true, y_pred = ["no", "yes", "yes"], ["no", "yes", "no"]
    with pytest.raises(
        KaratError,
        match=r"K190  recall .*\n.*'(no|yes)', '(yes|no)'.*\n.*positive='(no|yes)'.*average= from",
    ):
        karat.recall(y_true, y_pred, labels=labels)
    assert karat.recall(y_true, y_pred, labels=labels, average="macro") == 3 / 4
    assert karat.recall(y_true, y_pred, labels=labels, positive="no") == 1
    with pytest.raises(KaratError, match="K190"):
        karat.recall([1, 2, 2], [1, 2, 1])


def test_more_classes_need_an_average() -> None:
    with pytest.raises(KaratError, match=r"K121.*\n.*\n.*None, 'macro', 'micro', 'weighted'"):
        karat.f1(TRUE, PRED)


def test_none_gives_one_value_a_class() -> None:
    values = karat.f1(TRUE, PRED, average=None)
    assert values.dtype == np.float64
    assert values.shape == (4,)
    assert np.mean(values) == pytest.approx(karat.macro_f1(TRUE, PRED), abs=1e-15)


def test_one_class_of_zeros_has_an_undefined_positive() -> None:
    zeros = np.zeros(3, int)
    with pytest.warns(UndefinedWarning, match="f1 is undefined"):
        assert karat.f1(zeros, zeros) == 0.0
    assert karat.f1(zeros + 1, zeros + 1) == 1.0
    assert karat.accuracy(zeros, zeros) == 1.0
    with pytest.raises(KaratError, match="K123"):
        karat.f1(["cat"], ["cat"])
    for label in (2, -1):
        with pytest.raises(KaratError, match="K123"):
            karat.f1([label], [label])


def test_one_warning_says_how_many_classes() -> None:
    with pytest.warns(UndefinedWarning) as caught:
        value = karat.precision([0, 1, 2], [0, 0, 0], average="macro")
    assert value == pytest.approx(1 / 9)
    assert len(caught) == 1
    assert "in 2 of 3 classes: '1', '2'" in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("undefined", "value"), [("zero", 1 / 9), ("exclude", 1 / 3), ("nan", np.nan)]
)
def test_policies_for_undefined_classes(undefined: str, value: float) -> None:
    with pytest.warns(UndefinedWarning):
        found = karat.precision([0, 1, 2], [0, 0, 0], average="macro", undefined=undefined)
    assert_same(found, value, within=1e-15)


def test_what_scikit_learn_does_not_set_to_zero_is_nan() -> None:
    with pytest.warns(UndefinedWarning):
        assert np.isnan(karat.kappa([1, 1], [1, 1]))
    with pytest.warns(UndefinedWarning):
        assert karat.mcc([1, 1], [1, 1]) == 0.0
    with pytest.warns(UndefinedWarning):
        assert karat.positive_likelihood_ratio([0, 1, 1], [0, 1, 1]) == np.inf


def test_parameters() -> None:
    assert karat.f_beta(TRUE, PRED, beta=1, average="macro") == karat.macro_f1(TRUE, PRED)
    costs = [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    assert karat.expected_cost(TRUE, PRED, costs=costs) == karat.error_rate(TRUE, PRED)
    adjusted = karat.balanced_accuracy(TRUE, PRED, adjusted=True)
    assert adjusted == pytest.approx((karat.balanced_accuracy(TRUE, PRED) - 1 / 4) / (3 / 4))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: karat.f_beta(TRUE, PRED, beta=0, average="macro"), "K302"),
        (lambda: karat.f_beta(TRUE, PRED, beta="2", average="macro"), "K302"),
        (lambda: karat.f_beta(TRUE, PRED, beta=np.nan, average="macro"), "K302"),
        (lambda: karat.f1(TRUE, PRED, beta=2, average="macro"), "K302"),
        (lambda: karat.expected_cost(TRUE, PRED), "K302"),
        (lambda: karat.expected_cost(TRUE, PRED, costs=np.eye(3)), "K302"),
        (lambda: karat.expected_cost(TRUE, PRED, costs=[1, 2]), "K302"),
        (lambda: karat.balanced_accuracy(TRUE, PRED, adjusted="yes"), "K302"),
        (lambda: karat.accuracy(TRUE, PRED, average="macro"), "K306"),
        (lambda: karat.f1(TRUE, PRED, average="median"), "K122"),
        (lambda: karat.f1(TRUE, PRED, average="samples"), "K221"),
        (lambda: karat.f1(TRUE, PRED, average="macro", undefined="ignore"), "K122"),
        (lambda: karat.f1(TRUE), "K128"),
        (lambda: karat.f1(y_pred=PRED), "K127"),
        (lambda: karat.accuracy(TRUE, PRED, confusion=[[1]]), "K141"),
        (lambda: karat.accuracy(TRUE, PRED[:-1]), "K102"),
        (lambda: karat.accuracy(TRUE[:0], PRED[:0]), "K101"),
        (lambda: karat.accuracy(TRUE, PRED + 0.5), "K105"),
    ],
)
def test_a_wrong_call_has_one_clear_error(call: Any, code: str) -> None:
    with pytest.raises(KaratError) as caught:
        call()
    assert caught.value.code == code


def test_unknown_names_are_attribute_errors_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="macro_f1"):
        _ = karat.mcroo_f1  # type: ignore[attr-defined]
    with pytest.raises(UnknownNameError, match="Nearest"):
        karat.metrics.get("presicion")
    with pytest.raises(KeyError):
        karat.metrics.get("presicion")


def test_names_in_other_dialects() -> None:
    get = karat.metrics.get
    assert get("f1_macro") == get("macro_f1") == get("f1(average=macro)")
    assert str(get("f_beta(beta=2.0, average='macro')")) == "macro_f_beta(beta=2)"
    assert str(get("balanced_accuracy")) == "balanced_accuracy"
    assert str(get("balanced_accuracy(adjusted=True)")) == "balanced_accuracy(adjusted=True)"
    for text in ("macro f1", "f1(", "f1(2)", "f1(beta)", "", "f1(**x)", "f1(beta=open('x'))"):
        with pytest.raises(KaratError):
            get(text)


def test_scorer_follows_the_protocol_of_scikit_learn() -> None:
    class Constant:
        def predict(self, features: Any) -> Any:
            return np.zeros(len(features), int)

    y = np.array([0, 0, 1])
    assert karat.scorer("accuracy")(Constant(), np.zeros((3, 1)), y) == pytest.approx(2 / 3)
    assert karat.scorer("error_rate")(Constant(), np.zeros((3, 1)), y) == pytest.approx(-1 / 3)
    weights = np.array([1.0, 1.0, 0.0])
    assert karat.scorer("accuracy")(Constant(), np.zeros((3, 1)), y, weights) == 1.0
    with pytest.raises(KaratError, match="K312"):
        karat.scorer("prevalence")

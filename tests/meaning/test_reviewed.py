"""Promises that once broke in review: each is a small fact."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import Metric, all_records
from karat.tally import Cells, Classes

RNG = np.random.default_rng(5)


class Intruder:
    """Calls karat when it is collected, in the middle of another call."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        karat.error_rate(np.array([0, 1, 1, 1, 1]), np.array([0, 0, 0, 0, 0]))


def test_a_call_inside_a_call_changes_nothing() -> None:
    y_true, y_pred = np.arange(5), np.array([0, 1, 2, 3, 0])
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        found = set()
        for _ in range(2000):
            Intruder()
            found.add(karat.accuracy(y_true, y_pred))
    finally:
        gc.set_threshold(*threshold)
    assert found == {0.8}


@pytest.mark.parametrize("data", [np.array([0, 1, 1]), [0, 1, 1]], ids=["array", "list"])
@pytest.mark.parametrize(
    ("name", "average", "code"),
    [
        ("macro_f1", "micro", "K306"),
        ("f1", "plain", "K122"),
        ("f1", "per_class", "K122"),
        ("accuracy", "plain", "K306"),
        ("accuracy", None, "K306"),
        ("macro_f1", "plain", "K306"),
        ("f1", ["macro"], "K122"),
        ("true_positives", "macro", "K122"),
    ],
)
def test_arrays_and_lists_refuse_the_same_averages(
    data: Any, name: str, average: Any, code: str
) -> None:
    with pytest.raises(KaratError) as caught:
        getattr(karat, name)(data, data, average=average)
    assert caught.value.code == code


def test_quadratic_kappa_of_a_single_grade_is_undefined_whatever_the_weights() -> None:
    for _ in range(300):
        grades, weights = [int(RNG.integers(12))] * 3, RNG.random(3)
        with pytest.warns(karat.UndefinedWarning):
            value = karat.kappa_quadratic(grades, grades, labels=range(12), weights=weights)
        assert np.isnan(value)


def exact_specificity(matrix: Any, k: int) -> Fraction:
    cells = [[Fraction(float(x)) for x in row] for row in matrix]
    others = [i for i in range(len(cells)) if i != k]
    negatives = sum(sum(cells[i]) for i in others)
    return sum((cells[i][j] for i in others for j in others), Fraction(0)) / negatives


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_heavy_class_does_not_drown_the_others(k: int) -> None:
    y_true, y_pred = RNG.integers(0, k, 60), RNG.integers(0, k, 60)
    y_true[:k], y_pred[:k] = np.arange(k), np.arange(k)
    weights = np.where(y_true == k - 1, 1e17, 1.0) * RNG.random(60)
    matrix = karat.confusion_matrix(y_true, y_pred, weights=weights)
    found = karat.specificity(y_true, y_pred, weights=weights, average=None)
    assert found[k - 1] == pytest.approx(float(exact_specificity(matrix, k - 1)), rel=1e-13)


def test_a_perfect_prediction_is_exactly_one_whatever_the_weights() -> None:
    for n in (2, 4, 9, 30):
        labels = np.arange(n)
        for _ in range(50):
            weights = RNG.random(n)
            assert karat.accuracy(labels, labels, weights=weights) == 1.0
            report = karat.evaluate(labels, labels, weights=weights)
            assert report.accuracy.value == 1.0
            assert report.micro_f1.value == 1.0


def test_a_function_and_a_report_give_the_same_bits_with_weights() -> None:
    y_true, y_pred, weights = RNG.integers(0, 4, 90), RNG.integers(0, 4, 90), RNG.random(90)
    report = karat.evaluate(y_true, y_pred, weights=weights)
    for name in ("accuracy", "macro_f1", "mcc", "kappa", "macro_specificity", "gwet_ac1"):
        assert getattr(karat, name)(y_true, y_pred, weights=weights) == report[name].value, name


def test_averages_of_averages_say_which_classes_are_undefined() -> None:
    y_true, y_pred = [0, 0, 1, 2], [0, 0, 1, 1]
    with pytest.warns(karat.UndefinedWarning, match="in 1 of 3 classes: '2'"):
        value = karat.f1_of_macro_averages(y_true, y_pred)
    p, r = (1 + 0.5 + 0) / 3, 2 / 3
    assert value == pytest.approx(2 * p * r / (p + r))
    assert "of 3 classes" in str(karat.evaluate(y_true, y_pred)["f1_of_macro_averages"].undefined)


def test_balanced_accuracy_itself_is_never_undefined() -> None:
    assert karat.metrics.get("balanced_accuracy").undefined_when == ""
    assert "rescale" in karat.metrics.get("balanced_accuracy(adjusted=True)").undefined_when
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert karat.balanced_accuracy([1, 1], [1, 1]) == 1.0


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.name)
def test_metrics_travel(record: karat.metrics.Record) -> None:
    metric = Metric(record, "plain", Metric.defaults(record))
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert copy.deepcopy(metric) == metric
    function = getattr(karat, record.name)
    assert pickle.loads(pickle.dumps(function)) is function


def test_reports_scorers_and_alias_functions_travel() -> None:
    report = karat.evaluate([0, 1, 2], [0, 1, 1], metrics=["mcc", "macro_f1"])
    assert pickle.loads(pickle.dumps(report)).to_json() == report.to_json()
    scorer = karat.scorer("macro_f1", labels=[0, 1, 2])
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert pickle.loads(pickle.dumps(karat.mcc)) is karat.mcc is karat.matthews_correlation


def test_a_scorer_with_labels_measures_every_fold_alike() -> None:
    class Constant:
        def predict(self, features: Any) -> Any:
            return np.array(["spam"] * len(features))

    score = karat.scorer("recall", labels=["ham", "spam"], positive="spam")
    assert score(Constant(), [[0], [0]], ["spam", "spam"]) == 1.0


def test_the_name_of_one_class_is_refused_by_name() -> None:
    report = karat.evaluate(["ham", "spam"] * 5, ["ham"] * 10, positive="spam")
    with pytest.raises(KaratError, match="K303") as caught:
        report["recall[spam]"]
    assert "report.per_class" in str(caught.value)
    with pytest.raises(KaratError, match="K303") as caught:
        report["recoll[spam]"]
    assert "report.per_class" not in str(caught.value)


def test_unfit_metrics_are_refused_before_anything_is_printed() -> None:
    for wrong, code in ((["f1"], "K307"), (5, "K303"), (["expected_cost"], "K302")):
        with pytest.raises(KaratError) as caught:
            karat.evaluate([0, 1, 2], [0, 1, 2], metrics=wrong)  # type: ignore[arg-type]
        assert caught.value.code == code
    with pytest.raises(KaratError, match="K117"):
        karat.evaluate([0, 1], [0, 1], labels=karat.Labels(names=5))  # type: ignore[arg-type]


@pytest.mark.parametrize("n_threads", [0, -3, 2.5, "x", 10**12, True])
def test_what_is_no_number_of_threads_is_refused(n_threads: Any) -> None:
    for call in (karat.accuracy, karat.confusion_matrix):
        with pytest.raises(KaratError, match="K122"):
            call([0, 1], [0, 1], n_threads=n_threads)
    with pytest.raises(KaratError, match="K122"):
        karat.evaluate([0, 1], [0, 1], reading=karat.Reading(n_threads=n_threads))


def test_the_matrix_of_a_report_cannot_be_changed() -> None:
    report = karat.evaluate([0, 1, 1], [0, 1, 0])
    with pytest.raises(ValueError, match="read-only"):
        report.confusion.matrix[0, 0] = 1000
    assert "mcc" in report
    assert "nonsense" not in report
    assert 5 not in report
    assert not hasattr(report, "expected_cost")
    assert report == report
    assert {report}


def test_huge_counts_in_a_matrix() -> None:
    assert karat.accuracy(confusion=[[1e19, 1], [1, 1e19]]) == pytest.approx(1.0)
    large = karat.accuracy(confusion=[[2**61, 2**60], [2**60, 2**61]])
    assert large == pytest.approx(4 / 6)
    with pytest.raises(KaratError, match="K119"):
        karat.accuracy(confusion=[[2**62, 2**60], [2**60, 2**62]])


def test_names_say_what_exists() -> None:
    with pytest.raises(KaratError, match="K122"):
        karat.metrics.get("f1(average=median)")
    with pytest.raises(KaratError, match="K303"):
        karat.metrics.get("f_beta(beta=2, beta=3)")
    with pytest.raises(KaratError, match=r"None, 'micro'"):
        karat.true_positives([0, 1, 2], [0, 1, 2])
    with pytest.raises(KaratError, match="not below"):
        karat.f_beta([0, 1], [0, 1], beta=1e200)


def test_an_empty_tally_of_many_classes_is_small() -> None:
    assert Cells.empty(Classes.of(range(100_000))).counts.nbytes == 0


def test_many_discovered_classes_are_counted_sparsely() -> None:
    y = RNG.integers(0, 3000, 200_000)
    assert karat.evaluate(y, y[::-1]).cells.storage == "sparse"


@pytest.mark.parametrize("beta", [b"2", 2 + 1j, np.complex128(2 + 1j), 10**400, "2", [2.0]])
def test_a_parameter_is_a_real_number(beta: Any) -> None:
    with pytest.raises(KaratError, match="K302"):
        karat.f_beta([0, 1, 1], [0, 1, 0], beta=beta)


@pytest.mark.parametrize(
    "costs",
    [
        [["0", "1"], ["1", "0"]],
        [[0, 1j], [1, 0]],
        np.ma.array([[0, 9], [1, 0]], mask=[[0, 1], [0, 0]]),
    ],
    ids=["text", "complex", "masked"],
)
def test_a_matrix_of_costs_is_real(costs: Any) -> None:
    with pytest.raises(KaratError, match="K302"):
        karat.expected_cost([0, 1, 1], [0, 1, 0], costs=costs)


def test_a_matrix_of_costs_that_is_none_or_holds_itself_is_refused() -> None:
    costs: list[Any] = [[0, 1]]
    costs.append(costs)
    for deep in (costs, [[[0, 9], [1, 0]]]):
        with pytest.raises(KaratError, match=r"K302(.|\n)*costs=.* is not numeric"):
            karat.expected_cost([0, 1, 1], [0, 1, 0], costs=deep)


@pytest.mark.parametrize(
    "diagonal", [(1, 1), (178, 11), (3, 5, 7), (10**6, 1, 17), (0.1, 0.7, 0.3)]
)
def test_a_perfect_prediction_correlates_exactly(diagonal: tuple[float, ...]) -> None:
    assert karat.matthews_correlation(confusion=np.diag(diagonal)) == 1.0
    if len(diagonal) == 2:
        assert karat.matthews_correlation(confusion=np.diag(diagonal)[::-1]) == -1.0

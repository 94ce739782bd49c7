"""Functions of one metric on sets of labels: values by hand, and scikit-learn's on random sets."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn import metrics as sklearn

import karat
from karat.errors import KaratError, UndefinedWarning
from karat.metrics import get
from karat.metrics._of_sets import values_on_sets
from karat.metrics._registry import metrics_of_sets, records_of_sets
from karat.tally import Classes
from karat.tally.set_tally import SetTally
from karat.tally.sets import Sets
from tests.six_rows import KNOWN, PRED, TRUE, WEIGHTS, bits

AVERAGES = ("micro", "macro", "weighted", "samples")
OF_RATES = {
    "precision": (0.666667, 0.625, 0.571429, 0.416667),
    "recall": (0.571429, 0.625, 0.571429, 0.361111),
    "f1": (0.615385, 0.625, 0.571429, 0.355556),
    "jaccard": (0.444444, 0.583333, 0.523810, 0.277778),
}
WITHOUT_EMPTY = {"precision": 0.625, "recall": 0.541667, "f1": 0.426667, "jaccard": 0.333333}
WEIGHTED = {"f1": (0.666667, 0.611111, 0.658730, 0.44), "jaccard": (0.5, 0.571429, 0.602041, 0.35)}


def quiet(name: str, *rows: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return getattr(karat, name)(*rows, **options)


@pytest.mark.parametrize("rate", OF_RATES)
def test_averages_by_hand(rate: str) -> None:
    for average, value in zip(AVERAGES, OF_RATES[rate], strict=True):
        assert quiet(f"{average}_{rate}", TRUE, PRED) == pytest.approx(value, abs=1e-6)
        assert quiet(rate, TRUE, PRED, average=average) == pytest.approx(value, abs=1e-6)
    found = quiet(f"samples_{rate}", TRUE, PRED, undefined="exclude")
    assert found == pytest.approx(WITHOUT_EMPTY[rate], abs=1e-6)
    assert np.isnan(quiet(f"samples_{rate}", TRUE, PRED, undefined="nan"))
    # The control: truth and prediction the other way round.
    assert quiet("samples_precision", PRED, TRUE) == pytest.approx(OF_RATES["recall"][3], abs=1e-6)


def test_f_beta_weights_and_each_label_by_hand() -> None:
    beta = {"beta": 2.0}
    for average, value in zip(AVERAGES, (0.588235, 0.625, 0.571429, 0.350529), strict=True):
        found = quiet("f_beta", TRUE, PRED, average=average, **beta)
        assert found == pytest.approx(value, abs=1e-6)
    for rate, values in WEIGHTED.items():
        for average, value in zip(AVERAGES, values, strict=True):
            found = quiet(f"{average}_{rate}", TRUE, PRED, weights=WEIGHTS)
            assert found == pytest.approx(value, abs=1e-6)
    assert quiet("f1", TRUE, PRED, average=None).tolist() == [1.0, 0.5, 0.0, 1.0]
    each = quiet("f1", TRUE, PRED, average=None, weights=WEIGHTS)
    assert each == pytest.approx([1, 0.444444, 0, 1], abs=1e-6)
    assert karat.f1_of_macro_averages(TRUE, PRED) == pytest.approx(0.625)


def test_agreement_of_labels_by_hand() -> None:
    each = karat.label_matthews_correlation(TRUE, PRED, average=None)
    assert each == pytest.approx([1, 0.25, -0.316228, 1], abs=1e-6)
    assert karat.macro_label_matthews_correlation(TRUE, PRED) == pytest.approx(0.483443, abs=1e-6)
    each = karat.label_kappa(TRUE, PRED, average=None)
    assert each == pytest.approx([1, 0.25, -0.285714, 1], abs=1e-6)
    each = karat.label_balanced_accuracy(TRUE, PRED, average=None)
    assert each == pytest.approx([1, 0.625, 0.375, 1])
    # Of all cells of the matrix.
    assert karat.matthews_correlation(TRUE, PRED) == pytest.approx(0.476331, abs=1e-6)
    assert karat.kappa(TRUE, PRED) == pytest.approx(0.473684, abs=1e-6)
    assert karat.kappa(TRUE.ravel(), PRED.ravel()) == pytest.approx(0.473684, abs=1e-6)


def test_averages_of_labels_that_occur() -> None:
    true, pred = bits("1000 0100 1000"), bits("1000 0110 0000")
    report = karat.evaluate(true, pred, labels=list("abcd"))
    each = [2 / 3, 1.0, 0.0, 0.0]
    assert report.of_labels("all")["macro_f1"].value == pytest.approx(np.mean(each))
    assert report.of_labels("either")["macro_f1"].value == pytest.approx(np.mean(each[:3]))
    assert report.of_labels("present")["macro_f1"].value == pytest.approx(np.mean(each[:2]))
    assert report.of_labels("present").labels == ("a", "b")
    with pytest.raises(KaratError, match="K122"):
        report.of_labels("seen")


def test_metrics_of_rows_by_hand() -> None:
    found = {name: getattr(karat, name)(TRUE, PRED) for name in (
        "subset_accuracy", "hamming_loss", "samples_hamming_loss", "label_cardinality",
        "predicted_cardinality", "label_density", "predicted_density", "average_accuracy",
    )}  # fmt: skip
    assert found == pytest.approx(
        {
            "subset_accuracy": 1 / 6,
            "hamming_loss": 5 / 24,
            "samples_hamming_loss": 5 / 24,
            "label_cardinality": 7 / 6,
            "predicted_cardinality": 1.0,
            "label_density": 7 / 24,
            "predicted_density": 0.25,
            "average_accuracy": 19 / 24,
        }
    )
    assert karat.subset_accuracy(TRUE, PRED, weights=WEIGHTS) == pytest.approx(0.1)
    assert karat.hamming_loss(TRUE, PRED, weights=WEIGHTS) == pytest.approx(0.225)
    assert karat.exact_match(TRUE, PRED) == karat.subset_accuracy(TRUE, PRED)


def test_unknown_cells_by_hand() -> None:
    true = np.where(KNOWN, TRUE, np.nan)
    assert karat.hamming_loss(true, PRED) == pytest.approx(4 / 18)
    assert karat.samples_hamming_loss(true, PRED) == pytest.approx(0.216667, abs=1e-6)
    assert karat.subset_accuracy(true, PRED) == pytest.approx(0.2)
    assert quiet("micro_f1", true, PRED) == pytest.approx(2 / 3)
    assert quiet("macro_f1", true, PRED) == pytest.approx(2 / 3)
    assert karat.subset_accuracy([{"a"}, None, {"b"}], [{"a"}, {"a"}, {"a"}]) == 0.5


def test_a_warning_says_in_how_many_rows_it_is_undefined() -> None:
    with pytest.warns(UndefinedWarning, match="samples_precision is undefined: .*in 2 of 6 rows"):
        karat.samples_precision(TRUE, PRED)
    with pytest.warns(UndefinedWarning, match="macro_precision is undefined: .*in 2 of 4 classes"):
        karat.macro_precision(bits("1000 0100"), bits("1000 0100"))


@pytest.mark.parametrize("seed", range(12))
def test_values_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng([26, seed])
    n, k = int(rng.integers(1, 60)), int(rng.integers(2, 9))
    share = rng.random(2)
    true, pred = (rng.random((n, k)) < share[0]) + 0, (rng.random((n, k)) < share[1]) + 0
    w = rng.integers(1, 5, n).astype(float) if seed % 2 else None
    form = (np.asarray, scipy.sparse.csr_matrix, np.asarray)[seed % 3]
    options: dict[str, Any] = {"weights": w}
    for name, function in (
        ("precision", sklearn.precision_score),
        ("recall", sklearn.recall_score),
        ("f1", sklearn.f1_score),
        ("jaccard", sklearn.jaccard_score),
    ):
        for average in (*AVERAGES, None):
            there = function(true, pred, average=average, sample_weight=w, zero_division=0)
            here = quiet(name, form(true), form(pred), average=average, **options)
            assert here == pytest.approx(there, rel=1e-12, abs=1e-15)
    assert karat.subset_accuracy(form(true), form(pred), **options) == pytest.approx(
        sklearn.accuracy_score(true, pred, sample_weight=w)
    )
    assert karat.hamming_loss(form(true), form(pred), **options) == pytest.approx(
        sklearn.hamming_loss(true, pred, sample_weight=w)
    )


def test_golden_cases_of_metrics_of_rows_hold() -> None:
    records = [record for record in records_of_sets() if record.is_of_rows]
    assert len(records) >= 9
    for record in records:
        for golden in record.cases:
            (tn, fp), (fn, tp) = ((int(cell) for cell in row) for row in golden.cells)
            true = [1] * tp + [0] * fp + [1] * fn + [0] * tn
            pred = [1] * (tp + fp) + [0] * (fn + tn)
            row = Sets.of_matrix([true]), Sets.of_matrix([pred])
            tally = SetTally.of(Classes(tuple(range(len(true)))), *row)
            value = float(values_on_sets(get(record.name), tally).value)
            assert value == pytest.approx(golden.value), record.name


def test_every_metric_of_sets_is_defined_on_rows_of_every_kind() -> None:
    tally = SetTally.of(Classes(tuple("abcd")), Sets.of_matrix(TRUE), Sets.of_matrix(PRED))
    of_labels = [metric for metric in metrics_of_sets() if not metric.needs_scores]
    found = {str(metric): float(values_on_sets(metric, tally).value) for metric in of_labels}
    assert len(found) >= 90
    assert {"samples_f1", "macro_f1", "hamming_loss", "subset_accuracy"} <= set(found)
    assert "accuracy" not in found
    for metric in of_labels:
        record = metric.record
        if record.is_of_rows or record.is_zero_when_undefined:
            assert np.isfinite(found[str(metric)]), metric


def test_lists_of_one_label_each_are_a_column_unless_the_other_side_is_sets() -> None:
    column = [["a"], ["b"], ["b"]]
    assert karat.accuracy(column, [["a"], ["b"], ["a"]]) == pytest.approx(2 / 3)
    assert karat.subset_accuracy(column, [["a"], [], ["b", "a"]]) == pytest.approx(1 / 3)
    assert karat.subset_accuracy([{"a"}, {"b"}, {"b"}], [["a"], ["b"], ["a"]]) == pytest.approx(
        2 / 3
    )


REFUSED: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], str]] = {
    "accuracy": ("accuracy", (TRUE, PRED), {}, "K219"),
    "kappa of grades": ("kappa_linear", (TRUE, PRED), {}, "K219"),
    "a count by rows": ("true_positives", (TRUE, PRED), {"average": "samples"}, "K122"),
    "no average": ("f1", (TRUE, PRED), {}, "K220"),
    "one side": ("macro_f1", (TRUE, [0, 1, 1, 0, 0, 1]), {}, "K103"),
    "the other side": ("macro_f1", ([0, 1, 1, 0, 0, 1], TRUE), {}, "K103"),
    "lists on one side": ("macro_f1", ([{"a"}, {"b"}], ["a", "b"]), {}, "K221"),
    "classes": ("subset_accuracy", ([0, 1], [1, 1]), {}, "K221"),
    "samples of classes": ("f1", ([0, 1], [1, 1]), {"average": "samples"}, "K221"),
    "positive": ("macro_f1", (TRUE, PRED), {"positive": 1}, "K221"),
    "weights": ("macro_f1", (TRUE, PRED), {"weights": [1, 2, -3, 1, 1, 1]}, "K113"),
    "other weights": ("macro_f1", (TRUE, PRED), {"weights": [1, 2]}, "K102"),
    "no weight": ("macro_f1", (TRUE, PRED), {"weights": [0] * 6}, "K115"),
    "labels": ("macro_f1", (TRUE, PRED), {"labels": ["a", "b"]}, "K198"),
    "average": ("f1", (TRUE, PRED), {"average": "sample"}, "K122"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_sets_do_not_have_is_refused(case: str) -> None:
    name, rows, options, code = REFUSED[case]
    with pytest.raises(KaratError) as caught:
        getattr(karat, name)(*rows, **options)
    assert caught.value.code == code

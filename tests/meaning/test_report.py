"""`evaluate` and `Report`: one tally, every metric, by any of its names."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.results import ClassReport
from karat.errors import KaratError, UnknownNameError
from karat.tally import Cells, Classes
from tests.same import assert_same

Y_TRUE = [0, 0, 1, 1, 1, 1, 1, 2, 2, 3]
Y_PRED = [0, 2, 1, 1, 2, 0, 0, 2, 2, 0]
MANY = karat.evaluate(Y_TRUE, Y_PRED)
TWO = karat.evaluate([0, 0, 1, 1, 1], [0, 1, 1, 1, 0])


def test_a_result_knows_what_it_is() -> None:
    result = replace(MANY, confidence=None)["macro_f1"]
    assert float(result) == pytest.approx(0.39285714285714285, abs=1e-16)
    assert (result.name, result.n, result.better, result.range) == (
        "macro_f1",
        10,
        "higher",
        (0.0, 1.0),
    )
    assert result.definition == "Mean over the classes: 2·TP / (2·TP + FP + FN)"
    assert str(result.signature) == f"macro_f1|classes:4|undefined:zero|karat:{karat.__version__}"
    assert (result.low, result.high, result.method, result.exact, result.bound) == (
        None,
        None,
        None,
        True,
        None,
    )
    assert f"{result:.3f}" == "0.393"
    assert str(result) == "macro_f1 0.392857"


def test_names_attributes_and_aliases_are_one() -> None:
    assert MANY.macro_f1 == MANY["macro_f1"] == MANY["f1_macro"] == MANY["f1(average=macro)"]
    assert MANY.mcc == MANY["matthews_correlation"]
    assert MANY["macro_f_beta(beta=2)"].name == "macro_f_beta(beta=2)"
    assert TWO.f1.value == TWO["f1"].value == 2 / 3


def test_a_multiclass_report_has_no_plain_names() -> None:
    assert "f1" not in MANY.metrics
    assert "accuracy" in MANY.metrics
    with pytest.raises(UnknownNameError, match="macro_f1, micro_f1, weighted_f1"):
        _ = MANY["f1"]
    with pytest.raises(AttributeError, match="K307"):
        _ = MANY.f1
    with pytest.raises(AttributeError, match="Nearest"):
        _ = MANY.macro_f2


def test_a_binary_report_has_plain_and_averaged_names() -> None:
    for name in ("f1", "macro_f1", "precision", "specificity", "true_positives"):
        assert name in TWO.metrics
    assert TWO["true_positives"].value == 2
    assert TWO["f1"].signature.positive == "1"


def test_every_listed_metric_equals_its_function() -> None:
    for report, data in ((MANY, (Y_TRUE, Y_PRED)), (TWO, ([0, 0, 1, 1, 1], [0, 1, 1, 1, 0]))):
        for name, result in report.metrics.items():
            function = getattr(karat, name)
            if result.undefined:
                with pytest.warns(karat.UndefinedWarning):
                    value = function(*data)
            else:
                value = function(*data)
            assert_same(result.value, value, within=1e-14, about=name)


def test_undefined_is_said_and_counted() -> None:
    assert MANY.macro_precision.value == 0.4375
    assert MANY.macro_precision.undefined == (
        "nothing was predicted as the class (TP + FP = 0) in 1 of 4 classes: '3'"
    )
    row = MANY.per_class[3]
    assert (row["precision"], row["support"], row["predicted_count"]) == (0.0, 1, 0)
    assert row["undefined"] == {"precision": "nothing was predicted as the class (TP + FP = 0)"}
    excluded = karat.evaluate(Y_TRUE, Y_PRED, undefined="exclude")
    assert excluded.macro_precision.value == pytest.approx((0.25 + 1 + 0.5) / 3)
    strict = karat.evaluate(Y_TRUE, Y_PRED, undefined="nan")
    assert math.isnan(strict.macro_precision.value)
    assert strict.to_dict()["metrics"]["macro_precision"]["value"] is None


def test_the_confusion_matrix() -> None:
    assert MANY.confusion.matrix.tolist() == [
        [1, 0, 1, 0],
        [2, 2, 1, 0],
        [0, 0, 2, 0],
        [1, 0, 0, 0],
    ]
    assert MANY.confusion.labels == (0, 1, 2, 3)
    assert np.asarray(MANY.confusion).tolist() == MANY.confusion.tolist()
    rows, cols, counts = MANY.confusion.occupied()
    assert counts.sum() == 10
    assert len(rows) == len(cols) == 7


def test_from_a_confusion_matrix() -> None:
    report = karat.evaluate(confusion=MANY.confusion.matrix, labels=["a", "b", "c", "d"])
    assert report.labels == ("a", "b", "c", "d")
    assert {name: r.value for name, r in report.metrics.items()} == pytest.approx(
        {name: r.value for name, r in MANY.metrics.items()}, nan_ok=True
    )


def test_declared_classes_keep_their_order_and_their_rows() -> None:
    report = karat.evaluate([2, 0], [2, 2], labels=[2, 1, 0])
    assert report.labels == (2, 1, 0)
    assert report.confusion.matrix.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_class_names_only_rename_on_display() -> None:
    named = karat.evaluate(Y_TRUE, Y_PRED, labels=karat.Labels(names=["cat", "dog", "owl", "elk"]))
    assert named.labels == (0, 1, 2, 3)
    assert named.confusion.names == ("cat", "dog", "owl", "elk")
    assert "'elk'" in str(named.macro_precision.undefined)
    by_label = karat.evaluate(Y_TRUE, Y_PRED, labels=karat.Labels(names={3: "elk"}))
    assert by_label.confusion.names == ("0", "1", "2", "elk")
    for wrong in (["cat"], {9: "elk"}, "cat"):
        with pytest.raises(KaratError, match="K117"):
            karat.evaluate(Y_TRUE, Y_PRED, labels=karat.Labels(names=wrong))


def test_positive_class() -> None:
    report = karat.evaluate(["no", "yes", "yes"], ["no", "no", "yes"], positive="no")
    assert report.recall.value == 1.0
    assert report.precision.value == 0.5


def test_weights_weigh() -> None:
    weights = np.array([1.0, 2.0, 0.5, 0.25, 4.0])
    report = karat.evaluate([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], weights=weights)
    assert report.accuracy.value == pytest.approx((1 + 0.5 + 0.25) / weights.sum())
    assert report.accuracy.n == 5
    assert "weighted:yes" in str(report.accuracy.signature)


def test_requested_metrics_only() -> None:
    report = karat.evaluate(Y_TRUE, Y_PRED, metrics=["mcc", "macro_f_beta(beta=0.5)"])
    assert list(report.metrics) == ["matthews_correlation", "macro_f_beta(beta=0.5)"]
    assert report.accuracy.value == 0.5
    with pytest.raises(UnknownNameError):
        karat.evaluate(Y_TRUE, Y_PRED, metrics=["nonsense"])


@pytest.mark.parametrize("report", [MANY, TWO], ids=["many", "two"])
def test_json_round_trip(report: karat.Report, tmp_path: Any) -> None:
    text = report.to_json(tmp_path / "report.json")
    assert (tmp_path / "report.json").read_text(encoding="utf-8") == text + "\n"
    assert karat.Report.from_json(text).to_json() == text
    assert json.loads(text)["metrics"]["accuracy"]["value"] == report.accuracy.value
    assert json.loads(text, parse_constant=pytest.fail)


def test_a_report_pickles() -> None:
    again = pickle.loads(pickle.dumps(MANY))
    assert again.to_json() == MANY.to_json()


def test_a_report_prints_without_colour_or_rich() -> None:
    text = str(MANY)
    assert "macro_f1" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_many_classes_are_reported_sparsely() -> None:
    k = 100_000
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, k, 300_000)
    y_pred = np.where(rng.random(y_true.size) < 0.7, y_true, rng.integers(0, k, y_true.size))
    report = karat.evaluate(y_true, y_pred)
    assert report.cells.storage == "sparse"
    assert report.accuracy.value == pytest.approx((y_true == y_pred).mean(), abs=1e-15)
    assert report.macro_f1.value == pytest.approx(karat.macro_f1(y_true, y_pred), abs=1e-12)
    assert 0 < report.mutual_information.value < np.log(k)
    with pytest.raises(KaratError, match="K207"):
        _ = report.confusion.matrix


def test_marginals_refuse_what_needs_cells() -> None:
    marginals = Cells.marginals([3, 4], [1, 2], [2, 1], classes=Classes.of(["a", "b"]))
    report = ClassReport(marginals)
    assert report.accuracy.value == 0.7
    assert "mutual_information" not in report.metrics
    with pytest.raises(KaratError, match="K204"):
        _ = report["mutual_information"]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: karat.evaluate(Y_TRUE, Y_PRED, y_true="label"), "K156"),
        (lambda: karat.evaluate(Y_TRUE, Y_PRED, reading=karat.Reading(nulls="drop")), "K144"),
        (lambda: karat.evaluate(Y_TRUE, Y_PRED, reading=karat.Reading(nulls="skip")), "K122"),
        (lambda: karat.evaluate(Y_TRUE, Y_PRED, undefined="skip"), "K122"),
        (lambda: karat.evaluate(Y_TRUE, Y_PRED, weights="w"), "K143"),
        (lambda: karat.evaluate(Y_TRUE, Y_PRED, positive=1), "K112"),
        (karat.evaluate, "K127"),
        (lambda: karat.evaluate("no/such/file.parquet"), "K401"),
        (lambda: karat.evaluate({"label": [0, 1]}), "K406"),
    ],
)
def test_a_wrong_call_has_one_clear_error(call: Any, code: str) -> None:
    with pytest.raises(KaratError) as caught:
        call()
    assert caught.value.code == code

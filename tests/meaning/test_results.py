"""How results, confusion matrices and reports behave at a prompt."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from karat.api.results import ClassReport
from karat.tally import to_marginals

REPORT = karat.evaluate(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"], positive="b")


def test_a_result_shows_its_value_and_why_it_has_none() -> None:
    assert repr(REPORT["f1"]) == "<karat.Result: f1 0.666667 [0.260929, 0.918896]>"
    bare = karat.evaluate(
        ["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"], level=None, positive="b"
    )
    assert repr(bare["f1"]) == "<karat.Result: f1 0.666667>"
    undefined = karat.evaluate([0, 0], [0, 0], labels=[0, 1])["recall"]
    assert repr(undefined).startswith("<karat.Result: recall 0 (undefined: no row is truly")


def test_a_result_compares_as_its_value() -> None:
    result = REPORT["accuracy"]
    assert result == 0.6
    assert result != 0.5
    assert result == np.float64(0.6)
    assert result > 0.5
    assert result >= 0.6
    assert result < np.float32(0.7)
    assert result <= 1
    assert not result < 0
    assert 0.5 < result < 1
    assert hash(result) == hash(0.6)
    assert {0.6: "found"}[result] == "found"  # type: ignore[index]
    assert round(result, 0) == 1.0
    assert round(result) == 1


def test_results_are_equal_in_all_or_not_at_all_and_have_no_order() -> None:
    again = karat.evaluate(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"], positive="b")
    assert REPORT["f1"] == again["f1"]
    assert REPORT["accuracy"] != REPORT["micro_f1"]
    assert REPORT["f1"] != "0.666667"
    with pytest.raises(TypeError):
        _ = REPORT["f1"] < REPORT["error_rate"]
    with pytest.raises(TypeError):
        _ = REPORT["f1"] > "0.5"


def test_a_value_that_is_none_compares_as_nothing() -> None:
    nothing = karat.evaluate([0, 0], [0, 0], labels=[0, 1], undefined="nan")["recall"]
    assert math.isnan(float(nothing))
    assert nothing != 0
    assert not nothing < 1
    assert not nothing > 0


def test_a_confusion_matrix_is_printed_as_in_the_report() -> None:
    text = str(REPORT.confusion)
    assert text.splitlines()[0] == "Confusion  rows true, columns predicted"
    assert text in str(REPORT)
    assert repr(REPORT.confusion) == "<karat.Confusion: 2 classes>"
    many = karat.evaluate(np.arange(50), np.arange(50))
    totals = ClassReport(to_marginals(REPORT.cells))
    assert str(many.confusion) == "<karat.Confusion: 50 classes>"
    assert str(totals.confusion) == "<karat.Confusion: 2 classes>"


def test_a_report_offers_its_metrics_by_name() -> None:
    listed = dir(REPORT)
    assert {"macro_f1", "f1", "to_json", "per_class"} <= set(listed)
    special = karat.evaluate([0, 1], [0, 1], metrics=["f_beta(beta=2)", "mcc"])
    assert "matthews_correlation" in dir(special)
    assert all(name.isidentifier() for name in dir(special))


def test_an_attribute_that_is_nothing_says_so() -> None:
    with pytest.raises(AttributeError, match="neither an attribute nor a metric") as caught:
        _ = REPORT.to_latecks
    assert "K301" in str(caught.value)

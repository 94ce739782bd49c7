"""Odd arguments beside a judge: an error with a code, or a result; never another exception."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.grouping import grouped

N = 200
GOLD = np.where(np.arange(N) < 60, np.arange(N) % 2, np.nan)
JUDGE = np.arange(N) // 3 % 2
PRED = np.arange(N) // 5 % 2
ROWS: dict[str, Any] = {"gold": GOLD, "judge": JUDGE, "y_pred": PRED, "gold_is_random": True}


@pytest.mark.parametrize("labels", [5, 0.5, np.zeros((2, 2)), [[1], [0]], object(), True])
def test_labels_that_are_no_list_are_refused(labels: Any) -> None:
    with pytest.raises(karat.KaratError):
        karat.evaluate(**grouped(ROWS), labels=labels)
    with pytest.raises(karat.KaratError):
        karat.compare(
            **grouped({**ROWS, "y_pred": {"a": PRED, "b": JUDGE}}, ("adjust",)), labels=labels
        )


@pytest.mark.parametrize("argument", ["gold_is_random", "paired", "label_strata"])
@pytest.mark.parametrize("value", [np.ones(N), "yes"])
def test_options_of_a_comparison_that_are_no_flags_are_refused(argument: str, value: Any) -> None:
    models = {"a": PRED, "b": JUDGE}
    with pytest.raises(karat.KaratError):
        karat.compare(**grouped({**ROWS, "y_pred": models, argument: value}, ("adjust",)))


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_gold_weights_of_any_size_give_the_same_intervals(scale: float) -> None:
    weights = np.where(np.isfinite(GOLD), 1.0 + np.arange(N) % 4, np.nan)
    given = {**ROWS, "gold_is_random": False}
    one = karat.evaluate(**grouped({"gold_weights": weights, **given}))["accuracy"]
    two = karat.evaluate(**grouped({"gold_weights": weights * scale, **given}))["accuracy"]
    assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-9)


def test_a_class_for_each_row_is_measured() -> None:
    report = karat.evaluate(**grouped({**ROWS, "y_pred": np.arange(N)}))
    assert "accuracy" in report.to_csv()
    assert report["accuracy"].n_effective < 1e15


@pytest.mark.parametrize("name", ["specificity", "precision", "f1", "recall"])
@pytest.mark.parametrize("only", [0, 1])
def test_where_one_class_occurs_the_other_is_known_by_its_name(name: str, only: int) -> None:
    same = np.full(8, only)
    gold = [only, only, None, only, None, only, None, only]
    plain = karat.evaluate(same, same, metrics=[name])[name].value
    judge = karat.Judge(same)
    assert karat.evaluate(gold, same, design=judge, metrics=[name])[name].value == plain
    models = {"a": same, "b": same}
    difference = karat.compare(gold, models, design=judge, metrics=[name])[name]
    assert (difference.value_a, difference.value_b, difference.difference) == (plain, plain, 0.0)


def test_one_class_of_another_name_is_refused_as_without_a_judge() -> None:
    same = ["cat"] * 8
    gold = ["cat", "cat", None, "cat", None, "cat", None, "cat"]
    for call in (
        lambda: karat.evaluate(gold, same, design=karat.Judge(same), metrics=["precision"]),
        lambda: karat.compare(
            gold, {"a": same, "b": same}, design=karat.Judge(same), metrics=["precision"]
        ),
    ):
        with pytest.raises(karat.KaratError, match="K123"):
            str(call())


@pytest.mark.parametrize("only", [0, 1])
def test_gold_labels_of_one_class_plan_as_its_table_does(only: int) -> None:
    judge = np.full(60, only)
    gold = np.where(np.arange(60) < 40, only, np.nan)
    verdicts = karat.evaluate(gold, design=karat.Judge(judge, is_random=True))
    systems = karat.evaluate(gold, judge, design=karat.Judge(judge, is_random=True))
    alone = karat.evaluate(np.full(40, only), np.full(40, only), metrics=["accuracy"])
    for pilot in (verdicts, systems):
        rows = karat.rows_needed("prevalence", pilot=pilot, half_width=0.05, gold=1000)
        assert rows == karat.rows_needed("prevalence", pilot=alone, half_width=0.05)

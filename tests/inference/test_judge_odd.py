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

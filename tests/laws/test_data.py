"""Laws about the rows, for every metric of a report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.metrics.plan import default_metrics
from tests.same import assert_same
from tests.strategies import rows

DUALS = {
    "recall": "false_negative_rate",
    "precision": "false_discovery_rate",
    "specificity": "false_positive_rate",
    "negative_predictive_value": "false_omission_rate",
}


def values(y_true: Any, y_pred: Any, k: int, **options: Any) -> dict[str, float]:
    report = karat.evaluate(y_true, y_pred, labels=list(range(k)), **options)
    return {name: result.value for name, result in report.metrics.items()}


def assert_same_values(left: dict[str, float], right: dict[str, float], within: float) -> None:
    assert left.keys() == right.keys()
    assert_same(list(left.values()), list(right.values()), within=within, about=str(list(left)))


def filled(pair: tuple[Any, Any]) -> bool:
    return bool(len(pair[0]))


sizes = pytest.mark.parametrize("k", [2, 3, 5])


@sizes
@given(data=st.data())
def test_row_order_does_not_matter(k: int, data: st.DataObject) -> None:
    y_true, y_pred = data.draw(rows(k).filter(filled))
    order = np.random.default_rng(len(y_true)).permutation(len(y_true))
    assert_same_values(values(y_true[order], y_pred[order], k), values(y_true, y_pred, k), 0.0)


@sizes
@settings(max_examples=40)
@given(data=st.data())
def test_a_repeated_row_is_a_row_of_weight_two(k: int, data: st.DataObject) -> None:
    y_true, y_pred = data.draw(rows(k).filter(filled))
    n = len(y_true)
    repeats = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    repeated = values(np.repeat(y_true, repeats), np.repeat(y_pred, repeats), k)
    weighted = values(y_true, y_pred, k, weights=repeats.astype(float))
    assert_same_values(weighted, repeated, 1e-12)


@sizes
@settings(max_examples=40)
@given(data=st.data())
def test_a_row_of_weight_zero_is_absent(k: int, data: st.DataObject) -> None:
    y_true, y_pred = data.draw(rows(k).filter(filled))
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(y_true), max_size=len(y_true))))
    if not keep.any():
        keep[0] = True
    weights = np.where(keep, 0.375, 0.0)
    there = values(y_true[keep], y_pred[keep], k, weights=weights[keep])
    assert_same_values(values(y_true, y_pred, k, weights=weights), there, 1e-12)


@given(data=st.data())
def test_complements_add_up_to_one(data: st.DataObject) -> None:
    y_true, y_pred = data.draw(rows(2).filter(filled))
    found = values(y_true, y_pred, 2, undefined="nan")
    for name, dual in DUALS.items():
        if np.isfinite(found[name]):
            assert found[name] + found[dual] == pytest.approx(1.0, abs=1e-15)
        assert np.isnan(found[name]) == np.isnan(found[dual])


@given(data=st.data())
def test_identities_between_metrics(data: st.DataObject) -> None:
    k = data.draw(st.integers(2, 5))
    y_true, y_pred = data.draw(rows(k).filter(filled))
    found = values(y_true, y_pred, k)
    accuracy = found["accuracy"]
    for name in ("micro_f1", "micro_precision", "micro_recall", "weighted_recall"):
        assert found[name] == pytest.approx(accuracy, abs=1e-15), name
    assert found["error_rate"] == found["zero_one_loss"] == found["hamming_loss"]
    assert found["average_error_rate"] == pytest.approx(2 * (1 - accuracy) / k, abs=1e-15)
    assert found["average_accuracy"] == pytest.approx(1 - 2 * (1 - accuracy) / k, abs=1e-15)
    assert found["correct_count"] == pytest.approx(accuracy * len(y_true), abs=1e-9)
    if k == 2 and len(set(y_true)) == 2:
        assert found["informedness"] == pytest.approx(2 * found["balanced_accuracy"] - 1)


@given(data=st.data())
def test_swapping_truth_and_prediction_swaps_precision_and_recall(data: st.DataObject) -> None:
    y_true, y_pred = data.draw(rows(4).filter(filled))
    there, back = values(y_true, y_pred, 4), values(y_pred, y_true, 4)
    for name in ("macro_f1", "macro_jaccard", "matthews_correlation", "kappa", "gwet_ac1",
                 "kappa_quadratic", "kappa_linear", "mutual_information", "accuracy"):  # fmt: skip
        assert_same(back[name], there[name], within=1e-12, about=name)
    assert back["macro_precision"] == there["macro_recall"]


def test_a_law_notices_a_metric_that_breaks_it() -> None:
    left = values([0, 1, 1], [0, 1, 0], 2)
    with pytest.raises(AssertionError):
        assert_same_values(left, values([0, 1, 1], [0, 1, 1], 2), 1e-12)


def test_the_laws_cover_the_catalogue() -> None:
    listed = values([0, 1, 1], [0, 1, 0], 2)
    assert set(listed) == {str(metric) for metric in default_metrics()}

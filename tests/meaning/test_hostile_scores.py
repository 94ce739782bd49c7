"""Odd arguments of scores: one error of karat or the right number, never a raw exception."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat
from karat.errors import KaratError

TRUE = np.array(list("abcabc"))
PROB = np.array(
    [
        [0.7, 0.2, 0.1],
        [0.2, 0.6, 0.2],
        [0.1, 0.4, 0.5],
        [0.5, 0.3, 0.2],
        [0.3, 0.3, 0.4],
        [0.2, 0.2, 0.6],
    ]
)
TWO = np.array([0, 1, 0, 1, 1, 0])
P = np.array([0.1, 0.9, 0.4, 0.35, 0.8, 0.2])


def refused(call: Any) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "max_f_beta", "roc_auc, brier"])
def test_a_metric_of_one_class_asked_of_three_is_an_error_that_names_its_averages(
    name: str,
) -> None:
    metrics = name.split(", ")
    assert refused(lambda: karat.evaluate(TRUE, y_prob=PROB, metrics=metrics)).startswith("K307")
    frame = pd.DataFrame(PROB, columns=["p_a", "p_b", "p_c"]).assign(label=TRUE)
    assert refused(lambda: karat.evaluate(frame, metrics=metrics)).startswith("K307")


@pytest.mark.parametrize("value", [10**400, -(10**400), 1 + 0j, "0.5", [0.5], True, float("nan")])
def test_a_threshold_that_is_no_finite_float_is_refused(value: Any) -> None:
    text = refused(lambda: karat.evaluate(TWO, y_prob=P, threshold=value))
    assert text.startswith("K136")


@pytest.mark.parametrize("value", [10**400, [10**400], [0.5 + 0j], np.array([0.5 + 1j]), [None]])
def test_thresholds_of_net_benefit_that_are_no_floats_are_refused(value: Any) -> None:
    text = refused(lambda: karat.curves.net_benefit(TWO, y_prob=P, thresholds=value))
    assert text.startswith("K122")


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3, -1.0, 1e20])
def test_equal_costs_of_all_errors_are_the_default(scale: float) -> None:
    cost = scale * (1 - np.eye(3))
    assert karat.roc_auc_mu(TRUE, y_prob=PROB, cost=cost) == karat.roc_auc_mu(TRUE, y_prob=PROB)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("prefix", ["", "p_"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_named_columns_of_y_prob_are_of_the_classes_that_they_name(
    make: Any, prefix: str, order: tuple[int, ...]
) -> None:
    table = make({f"{prefix}{'abc'[place]}": PROB[:, place] for place in order})
    expected = karat.evaluate(TRUE, y_prob=PROB)
    assert karat.evaluate(TRUE, y_prob=table).metrics == expected.metrics
    assert karat.log_loss(TRUE, y_prob=table) == karat.log_loss(TRUE, y_prob=PROB)
    curve = karat.curves.roc(TRUE, y_prob=table, average=None)["c"]
    assert curve.area == expected.curves.roc["c"].area


def test_named_columns_say_which_classes_there_are() -> None:
    table = pd.DataFrame(PROB, columns=list("cab"))
    report = karat.evaluate(list("ababab"), y_prob=table)
    assert report.classes.labels == ("a", "b", "c")


def test_two_columns_of_one_class_are_refused() -> None:
    table = pd.DataFrame(PROB, columns=list("aab"))
    assert refused(lambda: karat.evaluate(TRUE, y_prob=table)).startswith("K137")


@pytest.mark.parametrize("dtypes", [("f8", "f8", "f8"), ("f8", "f4", "f8")])
def test_columns_without_names_stand_in_the_order_of_the_classes(dtypes: tuple[str, ...]) -> None:
    table = pd.DataFrame({i: PROB[:, i].astype(kind) for i, kind in enumerate(dtypes)})
    numbers = np.searchsorted(list("abc"), TRUE) + 1
    assert karat.evaluate(numbers, y_prob=table).classes.labels == (1, 2, 3)


def test_two_named_columns_follow_positive() -> None:
    table = pd.DataFrame({"ham": 1 - P, "spam": P})
    true = np.where(TWO, "spam", "ham")
    for positive in ("ham", "spam"):
        expected = karat.evaluate(
            true, y_prob=np.stack([1 - P, P], axis=1), labels=["ham", "spam"], positive=positive
        )
        assert karat.evaluate(true, y_prob=table, positive=positive).metrics == expected.metrics
        turned = table[["spam", "ham"]]
        assert karat.evaluate(true, y_prob=turned, positive=positive).metrics == expected.metrics


@pytest.mark.parametrize("values", [P, P[:, None], list(P)])
def test_one_column_for_three_classes_is_told_what_it_would_be(values: Any) -> None:
    text = refused(lambda: karat.evaluate(TRUE, y_prob=values))
    assert text.startswith("K134")
    assert "a column for each class" in text


def test_truth_alone_and_probabilities_as_labels_are_told_the_right_arguments() -> None:
    assert "y_prob=, y_logit= or y_score=" in refused(lambda: karat.evaluate(TRUE))
    assert "y_prob=" in refused(lambda: karat.evaluate(TRUE, PROB))


ODD: dict[str, Any] = {
    "empty": [],
    "no rows": np.zeros((0, 2)),
    "three axes": PROB[None],
    "scalar": 0.5,
    "missing": np.array([0.1, None, 0.4, 0.3, 0.2, 0.1], object),
    "text": ["a"] * 6,
    "numbers as text": ["0.5"] * 6,
    "str": "abcdef",
    "bytes": b"abcdef",
    "complex": P + 0j,
    "masked": np.ma.array(P, mask=[0, 1, 0, 0, 0, 0]),
    "nan": np.where(P > 0.85, np.nan, P),
    "infinite": np.where(P > 0.85, -np.inf, P),
    "huge int": [10**400] * 6,
    "dates": np.arange(6).astype("M8[s]"),
    "ragged": [[0.5, 0.5]] * 5 + [[1.0]],
    "booleans": [False, True] * 3,
}


@pytest.mark.parametrize("argument", ["y_prob", "y_logit", "y_score"])
@pytest.mark.parametrize("name", ODD)
def test_what_is_no_matrix_of_finite_numbers_is_one_error(name: str, argument: str) -> None:
    given = {argument: ODD[name]}
    calls = [karat.evaluate, karat.roc_auc, karat.roc_auc_pairs, karat.curves.roc]
    calls += [karat.log_loss] * (argument != "y_score")
    for call in calls:
        assert refused(lambda call=call: call(TWO, **given)).startswith(
            ("K101", "K102", "K13", "K143")
        )


def test_layout_and_dtype_change_no_value() -> None:
    expected = karat.evaluate(TRUE, y_prob=PROB).metrics
    unaligned = np.frombuffer(b"\0" + PROB.tobytes(), offset=1).reshape(PROB.shape)
    frozen = PROB.copy()
    frozen.flags.writeable = False
    for values in (unaligned, frozen, PROB.astype(">f8"), PROB[::-1, ::-1][::-1, ::-1],
                   np.asfortranarray(PROB), PROB.astype(object), list(PROB)):  # fmt: skip
        assert karat.evaluate(TRUE, y_prob=values).metrics == expected
    assert karat.evaluate(TRUE, y_prob=(row for row in PROB)).metrics == expected


@pytest.mark.parametrize(
    "scores", [[1e308, -1e308, 1, 2, 3, 4], [5e-324 * i for i in range(6)], [-1.7e308] * 6]
)
def test_every_value_of_extreme_scores_is_finite_or_has_its_reason(scores: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = karat.evaluate(TWO, y_score=scores)
    for name, result in report.metrics.items():
        assert np.isfinite(result.value) or result.undefined, name
    assert karat.Report.from_json(report.to_json()).to_json() == report.to_json()

"""Rows with scores in memory: classes and columns, what is predicted, and every bad value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.scores.containers import as_scores
from karat.data.scores.rows import InMemoryScores, tally_scores
from karat.errors import KaratError
from karat.metrics import Metric, get
from karat.metrics._measure import measure
from tests.same import assert_same

THREE = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.5, 0.0]])
TRUTH = [0, 1, 2, 1]


def rows(y_true: Any, values: Any, argument: Any = "y_prob", **options: Any) -> InMemoryScores:
    return tally_scores(y_true, as_scores(values, argument), **options)


def looked(y_true: Any, values: Any, argument: Any, **options: Any) -> None:
    """Read rows, and compute what is computed first."""
    found = rows(y_true, values, argument, **options)
    found.check()
    found.column(found.classes.k - 1)


def failing(y_true: Any, values: Any, argument: Any = "y_prob", **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        looked(y_true, values, argument, **options)
    return caught.value


def value(found: InMemoryScores, name: str) -> float:
    metric: Metric = get(name)
    return float(measure(found, [metric])[metric].value)


@pytest.mark.parametrize("labels", [["a", "b", "c"], ["c", "a", "b"]])
def test_columns_follow_the_labels(labels: list[str]) -> None:
    truth = [sorted(labels)[code] for code in TRUTH]
    places = [sorted(labels).index(label) for label in labels]
    found = rows(truth, THREE[:, places], labels=labels)
    assert found.classes.labels == tuple(labels)
    assert [labels[code] for code in found.codes] == truth
    assert_same(value(found, "log_loss"), value(rows(TRUTH, THREE), "log_loss"), within=1e-15)


def test_without_labels_they_are_the_sorted_labels_of_the_truth() -> None:
    found = rows(["b", "a", "c", "a"], THREE)
    assert found.classes.labels == ("a", "b", "c")
    assert found.codes.tolist() == [1, 0, 2, 0]
    assert found.codes.dtype == np.int32


@pytest.mark.parametrize(
    ("observed", "classes"),
    [([1, 1], (0, 1)), ([0, 0], (0, 1)), ([True], (False, True)), ([False], (False, True))],
)
def test_one_of_zero_and_one_knows_the_other(observed: list[Any], classes: tuple[Any, Any]) -> None:
    found = rows(observed, np.full(len(observed), 0.25))
    assert found.classes.labels == classes
    assert [type(label) for label in found.classes.labels] == [type(label) for label in classes]
    assert found.codes.tolist() == [int(label) for label in observed]


@pytest.mark.parametrize("observed", [["cat"], [5], [-1]])
def test_one_other_class_needs_its_labels(observed: list[Any]) -> None:
    assert failing(observed, [0.5]).code == "K134"
    labels = [*observed, type(observed[0])(7)]
    assert failing(observed, [0.5], labels=labels).code == "K190"
    assert rows(observed, [0.5], labels=labels, positive=labels[1]).classes.k == 2


def test_the_first_of_the_largest_is_predicted() -> None:
    assert rows(TRUTH, THREE).predicted().tolist() == [0, 1, 2, 0]
    assert rows([0, 1], [0.5, 0.75]).predicted().tolist() == [0, 1]
    assert rows([0, 1], [0.0, 1e-300], "y_logit").predicted().tolist() == [0, 1]
    with pytest.raises(KaratError, match="K320"):
        rows([0, 1], [0.0, 1e-300], "y_score").predicted()


@pytest.mark.parametrize("positive", [None, 0, 1])
@pytest.mark.parametrize("shape", [1, 2])
def test_a_threshold_predicts_the_positive_class(positive: int | None, shape: int) -> None:
    column = np.array([0.0, 0.125, 0.25, 0.5, 1.0])
    place = 1 if positive is None else positive
    both = np.stack([1 - column, column] if place else [column, 1 - column], axis=1)
    given = column if shape == 1 else both
    found = rows([0, 1, 0, 1, 1], given, positive=positive, threshold=0.25)
    expected = [1 - place, 1 - place, place, place, place]
    assert found.predicted().tolist() == expected
    assert found.cells().matrix().sum() == 5


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_threshold_reads_the_scores_as_they_are(dtype: Any) -> None:
    """0.7 as float32 is less than 0.7 as float64, and is still not less than 0.7."""
    column = np.array([0.69, 0.7, 0.71], dtype)
    assert rows([0, 1, 1], column, threshold=float(column[1])).predicted().tolist() == [0, 1, 1]
    if dtype != np.float16:
        assert rows([0, 1, 1], column, threshold=0.7).predicted().tolist() == [0, 1, 1]


def test_given_predictions_make_the_matrix_and_scores_the_rest() -> None:
    found = rows(TRUTH, THREE, y_pred=[2, 2, 2, 2])
    assert found.cells().matrix().tolist() == [[0, 0, 1], [0, 0, 2], [0, 0, 1]]
    assert value(found, "log_loss") == value(rows(TRUTH, THREE), "log_loss")


def test_order_strides_and_type_do_not_matter() -> None:
    whole = rows(TRUTH, THREE)
    names = ["log_loss", "brier", "roc_auc_ovr_macro", "roc_auc_mu", "expected_calibration_error"]
    expected = [value(whole, name) for name in names]
    big = np.zeros((8, 7))
    big[::2, 1:7:2] = THREE
    for given in (np.asfortranarray(THREE), THREE[:, ::-1].copy()[:, ::-1], big[::2, 1:7:2],
                  THREE.astype(">f8"), THREE.astype(np.float32), THREE.tolist()):  # fmt: skip
        assert_same([value(rows(TRUTH, given), name) for name in names], expected, within=1e-15)
    # The control: one value that differs is seen.
    changed = THREE.copy()
    changed[0] = [0.25, 0.5, 0.25]
    assert value(rows(TRUTH, changed), "log_loss") != expected[0]


@pytest.mark.parametrize("positive", [0, 1])
def test_one_column_is_two(positive: int) -> None:
    rng = np.random.default_rng(0)
    truth, column = rng.integers(0, 2, 200), rng.integers(0, 1025, 200) / 1024
    both = np.stack([1 - column, column] if positive else [column, 1 - column], axis=1)
    for dtype in (np.float64, np.float32):
        one = rows(truth, column.astype(dtype), positive=positive)
        two = rows(truth, both.astype(dtype), positive=positive)
        for name in ("log_loss", "brier", "roc_auc", "average_precision", "roc_auc_ovr_micro",
                     "roc_auc_mu", "expected_calibration_error", "ks_statistic"):  # fmt: skip
            assert value(one, name) == value(two, name), name
        assert one.cells().matrix().tolist() == two.cells().matrix().tolist()


@pytest.mark.parametrize("argument", ["y_prob", "y_score"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_value_that_is_not_finite_is_named_by_row_and_column(
    argument: str, bad: float, dtype: Any
) -> None:
    values = np.tile(THREE, (30_000, 1)).astype(dtype)
    values[70_003, 2] = values[70_003, 1] = values[90_000, 0] = bad
    problem = failing(TRUTH * 30_000, values, argument)
    assert problem.code == "K131"
    assert f"First at row 70003, column 1: {bad!r}; 2 of 120000 rows." in str(problem)


@pytest.mark.parametrize("argument", ["y_prob", "y_score"])
@pytest.mark.parametrize("positive", [0, 1])
def test_one_column_names_only_the_row(argument: str, positive: int) -> None:
    problem = failing([0, 1, 1], [0.25, np.nan, 0.5], argument, positive=positive)
    assert problem.code == "K131"
    assert "First at row 1: nan; 1 of 3 rows." in str(problem)


@pytest.mark.parametrize(("bad", "shown"), [(-1e-9, "-1e-09"), (1.0000001, "1.0000001")])
def test_a_value_that_is_no_probability_is_named(bad: float, shown: str) -> None:
    values = THREE.copy()
    values[2] = [bad, 1 - bad, 0.0]
    problem = failing(TRUTH, values)
    assert problem.code == "K132"
    assert f"First at row 2, column 0: {shown}; 1 of 4 rows." in str(problem)
    assert rows(TRUTH, values, "y_score").column(0).n_rows == 4


@pytest.mark.parametrize(
    ("dtype", "away", "is_bad"),
    [
        (np.float64, 9.9e-4, False),
        (np.float64, 1.1e-3, True),
        (np.float32, 9.9e-4, False),
        (np.float32, 1.1e-3, True),
        (np.float16, 9e-3, False),
        (np.float16, 1.2e-2, True),
    ],
)
def test_rows_add_up_within_the_tolerance(dtype: Any, away: float, is_bad: bool) -> None:
    values = THREE.astype(dtype)
    values[1] = [0.25, 0.5 + away, 0.25]
    if not is_bad:
        rows(TRUTH, values).check()
        return
    problem = failing(TRUTH, values)
    assert problem.code == "K133"
    assert "First at row 1: its sum is 1.0" in str(problem)


@pytest.mark.parametrize(
    ("y_true", "values", "options", "code"),
    [
        ([], np.zeros((0, 2)), {}, "K101"),
        ([], [], {}, "K101"),
        ([0, 1], THREE, {}, "K102"),
        (TRUTH, THREE[:, :2], {}, "K134"),
        (TRUTH, [0.5] * 4, {}, "K134"),
        ([0, 1, 1, 0], THREE, {}, "K134"),
        (TRUTH, THREE, {"labels": [0, 1]}, "K109"),
        (TRUTH, THREE, {"labels": [0, 1, 2, 3]}, "K134"),
        (TRUTH, THREE, {"labels": [0, 1, 1]}, "K110"),
        (TRUTH, THREE, {"labels": "abc"}, "K110"),
        (TRUTH, THREE, {"positive": 1}, "K112"),
        ([0, 1], [0.5, 0.5], {"positive": 2}, "K111"),
        ([0, None], [0.5, 0.5], {}, "K104"),
        ([0.5, 1], [0.5, 0.5], {}, "K105"),
        ([0, 1], [0.5, 0.5], {"y_pred": [0]}, "K102"),
        ([0, 1], [0.5, 0.5], {"y_pred": [0, 2]}, "K109"),
        ([0, 1], [0.5, 0.5], {"y_pred": ["0", "1"]}, "K108"),
        ([0, 1], [0.5, 0.5], {"y_pred": [0, 1], "threshold": 0.5}, "K140"),
        ([0, 1], [0.5, 0.5], {"weights": [0, 0]}, "K115"),
        ([0, 1], [0.5, 0.5], {"weights": [1, -1]}, "K113"),
        ([0, 1], [0.5, 0.5], {"weights": [1, np.nan]}, "K114"),
        ([0, 1], [0.5, 0.5], {"weights": [1]}, "K102"),
        ([0, 1], [0.5, 0.5], {"weights": ["1", "1"]}, "K116"),
        ([0, 1], [0.5, 0.5], {"weights": [1e-320, 1e-320]}, "K125"),
        ([0, 1], [0.5, 0.5], {"weights": [1e200, 1e200]}, "K125"),
        ([0, 1], [0.5, 0.5], {"n_threads": -1}, "K122"),
        (TRUTH, THREE, {"threshold": 0.5}, "K136"),
        ([0, 1], [0.5, 0.5], {"threshold": np.nan}, "K136"),
        ([0, 1], [0.5, 0.5], {"threshold": -np.inf}, "K136"),
        ([0, 1], [0.5, 0.5], {"threshold": "0.5"}, "K136"),
        ([0, 1], [0.5, 0.5], {"threshold": True}, "K136"),
        ([0, 1], [0.5, 0.5], {"threshold": [0.5]}, "K136"),
    ],
)
def test_what_does_not_fit_is_refused(
    y_true: Any, values: Any, options: dict[str, Any], code: str
) -> None:
    for argument in ("y_prob", "y_score"):
        assert failing(y_true, values, argument, **options).code == code


@pytest.mark.parametrize("name", ["roc_auc", "roc_auc_ovr_micro", "roc_auc_mu", "log_loss",
                                  "expected_calibration_error", "ks_statistic"])  # fmt: skip
@pytest.mark.parametrize(("weights", "code"), [([0, 0, 0], "K115"), ([1, -1, 1], "K113"),
                                               ([1, np.inf, 1], "K114")])  # fmt: skip
def test_every_way_to_a_value_refuses_bad_weights(name: str, weights: Any, code: str) -> None:
    with pytest.raises(KaratError) as caught:
        value(rows([0, 1, 1], [0.25, 0.5, 0.75], weights=weights), name)
    assert caught.value.code == code


@pytest.mark.parametrize("name", ["roc_auc", "roc_auc_ovr_micro", "roc_auc_mu", "log_loss",
                                  "expected_calibration_error", "ks_statistic"])  # fmt: skip
def test_every_way_to_a_value_refuses_bad_scores(name: str) -> None:
    with pytest.raises(KaratError) as caught:
        value(rows([0, 1, 1], [0.25, np.nan, 0.75], "y_score"), name)
    assert "First at row 1: nan; 1 of 3 rows." in str(caught.value)


def test_scores_of_any_size_give_values() -> None:
    for size in (1e308, 5e-324, 0.0):
        found = rows([0, 1, 1, 0], np.array([-size, size, -size, size]), "y_score")
        assert value(found, "roc_auc") == 0.5
        assert value(found, "expected_calibration_error") >= 0
        matrix = np.where(np.eye(3)[[0, 1, 2]] > 0, size, -size)
        found = rows([0, 1, 2], matrix, "y_score")
        assert value(found, "log_loss") == pytest.approx(0.0 if size > 1 else np.log(3))


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("positive", [0, 1])
def test_the_positive_class_holds_where_only_one_class_occurs(label: int, positive: int) -> None:
    truth, values = [label] * 3, [0.9, 0.2, 0.1]
    p_of_truth = values if label == positive else [1.0 - p for p in values]
    wanted = -sum(map(math.log, p_of_truth)) / 3
    found = karat.evaluate(truth, y_prob=values, positive=positive)
    assert found.classes.labels[found.classes.positive or 0] == positive
    assert found["log_loss"].value == pytest.approx(wanted, rel=1e-12)

"""Which classes there are, in which order, and which one is positive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data.sources.arrays.labels import tally_labels
from karat.errors import KaratError
from karat.tally import Cells
from tests.data.hosts import pa, pd, pl
from tests.ids import named


def failing(*args: Any, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        tally_labels(*args, **options)
    return caught.value


def ordered(values: list[Any], categories: list[Any]) -> Any:
    return pd.Categorical(values, categories=categories, ordered=True)


def test_classes_are_the_sorted_union_of_both_sides() -> None:
    assert tally_labels(["b", "a"], ["d", "a"]).classes.labels == ("a", "b", "d")
    assert tally_labels([10, 9], [-1, 9]).classes.labels == (-1, 9, 10)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array, pd.Categorical])
def test_labels_keep_the_order_given_and_rows_of_classes_that_never_occur(make: Any) -> None:
    cells = tally_labels(make(["a", "b"]), make(["b", "b"]), labels=["c", "b", "a"])
    assert cells.classes.labels == ("c", "b", "a")
    assert cells.classes.is_declared
    assert cells.matrix().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "labels",
    [
        (3, 1, 2),
        np.array([3, 1, 2], np.uint8),
        [3.0, 1, True + 1],
        pd.Index([3, 1, 2]),
        pd.Series([3, 1, 2]),
        pl.Series([3, 1, 2]),
        {3: "x", 1: "y", 2: "z"}.keys(),
        (x for x in (3, 1, 2)),
    ],
    ids=named,
)
def test_labels_come_as_any_ordered_collection(labels: Any) -> None:
    cells = tally_labels([1, 2], [3, 1], labels=labels)
    assert cells.classes.labels == (3, 1, 2)
    assert {type(label) for label in cells.classes.labels} == {int}


@pytest.mark.parametrize(
    "labels",
    [
        [], (), [1, 1], [1, True], [1.0, 1], ["a", "a"], [1, "1"], [1, None], [0.5, 1], [(1, 2)],
        np.array([[1, 2]]), {1, 2}, {1: 2}, "12", b"12", 12, [1, float("nan")], [[1], [2]],
    ],
    ids=named,
)  # fmt: skip
def test_unusable_labels_are_refused(labels: Any) -> None:
    assert failing([1, 2], [1, 2], labels=labels).code == "K110"


@pytest.mark.parametrize(
    ("true", "labels", "row", "value", "count"),
    [
        ([1, 2, 9, 9], [1, 2], 2, 9, 2),
        ([1, 2, -5, 9], [1, 2], 2, -5, 2),
        ([1, 3, 4, 2], [1, 4, 2], 1, 3, 1),
        (np.array([1, 2, 200, 9], np.uint8), [1, 2, 1000], 2, 200, 2),
        (np.array([1, 2, -100, 9], np.int8), [1, 2, 127], 2, -100, 2),
        ([10**12, 1, 5, 10**12], [1, 10**12], 2, 5, 1),
        ([2**70, 1, 5, 1], [1, 2**70], 2, 5, 1),
        (["a", "b", "c", "c"], ["a", "b"], 2, "c", 2),
        (pd.Categorical(["a", "b", "c", "c"]), ["a", "b"], 2, "c", 2),
        (pa.array(["a", "b", "c", "c"]).dictionary_encode(), ["a", "b"], 2, "c", 2),
        ([True, False, True, False], [True], 1, False, 2),
    ],
    ids=named,
)
@pytest.mark.parametrize("cells", [True, False])
def test_labels_outside_the_declared_are_refused(
    true: Any, labels: list[Any], row: int, value: Any, count: int, cells: bool
) -> None:
    pred = [labels[0]] * 4
    for args, argument in (((true, pred), "y_true"), ((pred, true), "y_pred")):
        problem = failing(*args, labels=labels, cells=cells)
        assert problem.code == "K109"
        facts = problem.context
        assert (facts["argument"], facts["row"], facts["value"], facts["count"], facts["n"]) == (
            argument, row, value, count, 4,
        )  # fmt: skip


def test_labels_outside_are_refused_in_a_sparse_tally() -> None:
    true = np.arange(5000)
    assert failing(true, true, labels=np.arange(4999)).code == "K109"
    assert failing(true, true, labels=np.arange(4999) * 10**9).context["row"] == 1


@pytest.mark.parametrize("true", [[0, 1], [True, False]])
def test_declared_strings_match_no_number(true: Any) -> None:
    problem = failing(true, true, labels=["0", "1"])
    assert problem.code == "K108"
    assert problem.context["left"] == "labels="


def test_declared_kind_is_shown() -> None:
    assert tally_labels([0, 1], [1, 1], labels=[True, False]).classes.labels == (True, False)
    assert tally_labels([True], [True], labels=[0, 1]).classes.labels == (0, 1)


def test_integers_far_apart_are_classes() -> None:
    far = [-(10**15), 0, 10**15]
    cells = tally_labels(far, far, labels=far[::-1])
    assert cells.matrix().tolist() == np.eye(3).tolist()
    assert tally_labels(far, far).classes.labels == tuple(far)


def test_ordered_categories_keep_their_order_and_drop_those_that_never_occur() -> None:
    order = ["low", "mid", "high", "never"]
    true, pred = ordered(["low", "high"], order), ordered(["mid", "high"], order)
    cells = tally_labels(true, pred)
    assert cells.classes.labels == ("low", "mid", "high")
    assert not cells.classes.is_declared
    assert tally_labels(true, ["mid", "low"]).classes.labels == ("low", "mid", "high")
    assert tally_labels(["mid", "low"], pred).classes.labels == ("low", "mid", "high")


def test_ordered_numbers_keep_their_order() -> None:
    assert tally_labels(ordered([3, 1], [3, 1, 2]), [1, 1]).classes.labels == (3, 1)


def test_other_libraries_order_their_categories_too() -> None:
    values, order = ["low", "high"], ["low", "high"]
    enum = pl.Series(values, dtype=pl.Enum(order))
    arrow = pa.DictionaryArray.from_arrays(pa.array([0, 1]), order, ordered=True)
    for column in (enum, arrow):
        assert tally_labels(column, values).classes.labels == ("low", "high")
    assert tally_labels(arrow, enum).classes.labels == ("low", "high")


def test_unordered_categories_are_sorted() -> None:
    assert tally_labels(pd.Categorical(["b", "a"], ["b", "a"]), ["a", "a"]).classes.labels == (
        "a",
        "b",
    )


def test_an_order_that_contains_the_other_holds_for_both() -> None:
    true, pred = ordered(["a", "c"], ["c", "a"]), ordered(["b", "b"], ["c", "b", "a"])
    assert tally_labels(true, pred).classes.labels == ("c", "b", "a")
    assert tally_labels(pred, true).classes.labels == ("c", "b", "a")


def test_orders_that_differ_are_refused_until_labels_settle_them() -> None:
    true, pred = ordered(["a", "b"], ["a", "b"]), ordered(["a", "b"], ["b", "a"])
    assert failing(true, pred).code == "K118"
    assert tally_labels(true, pred, labels=["b", "a"]).classes.labels == ("b", "a")


def test_a_value_outside_the_ordered_categories_is_refused() -> None:
    problem = failing(ordered(["a", "b"], ["b", "a"]), ["a", "z"])
    assert problem.code == "K124"
    assert (problem.context["argument"], problem.context["row"]) == ("y_pred", 1)


@pytest.mark.parametrize(
    ("negative", "positive"),
    [(0, 1), (False, True), (-1, 1), ("0", "1"), ("-1", "1"), ("false", "true"), ("False", "True")],
)
def test_the_larger_of_the_usual_pairs_is_positive(negative: Any, positive: Any) -> None:
    pair = [negative, positive]
    for labels in (None, pair, pair[::-1]):
        classes = tally_labels(pair, [negative, negative], labels=labels).classes
        assert classes.positive is not None
        assert classes.labels[classes.positive] == positive


@pytest.mark.parametrize("pair", [["no", "yes"], [1, 2], [0, 2], ["0", "2"], ["f", "t"]])
def test_neither_class_of_another_pair_is_positive(pair: list[Any]) -> None:
    for labels in (None, pair, pair[::-1]):
        assert tally_labels(pair, [pair[0]] * 2, labels=labels).classes.positive is None
    assert tally_labels([0, 1, 2], [0, 0, 0]).classes.positive is None


def test_the_positive_class_is_the_one_named() -> None:
    assert tally_labels(["no", "yes"], ["no", "no"], positive="no").classes.positive == 0
    assert tally_labels([0, 1], [0, 0], positive=True).classes.positive == 1
    assert tally_labels([True, False], [True, True], positive=0.0).classes.positive == 0


@pytest.mark.parametrize("make", [list, np.array])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0]])
def test_one_observed_class_and_a_positive_that_never_occurs_are_two(
    make: Any, weights: Any
) -> None:
    for observed, positive in (("ham", "spam"), (7, 3), (False, True)):
        values = make([observed, observed])
        cells = tally_labels(values, values, positive=positive, weights=weights)
        assert cells.classes.labels == (observed, positive)
        assert cells.classes.positive == 1
        assert cells.matrix().tolist() == [[2 if weights is None else 3, 0], [0, 0]]


def test_one_observed_class_may_be_positive() -> None:
    for value in ("spam", 1, True):
        cells = tally_labels([value, value], [value, value], positive=value)
        assert (cells.k, cells.classes.positive) == (1, 0)
    assert tally_labels(["spam"], ["spam"]).classes.positive is None


@pytest.mark.parametrize(
    ("values", "positive", "code"),
    [
        ([0, 1], 2, "K111"),
        ([0, 1], "1", "K111"),
        (["0", "1"], 1, "K111"),
        ([1, 1], "1", "K111"),
        ([0, 1], 0.5, "K111"),
        ([0, 1], float("nan"), "K111"),
        ([0, 1], object(), "K111"),
        ([0, 1, 2], 2, "K112"),
    ],
    ids=named,
)
def test_unusable_positive_is_refused(values: Any, positive: Any, code: str) -> None:
    assert failing(values, values, positive=positive).code == code
    assert failing(np.array(values), np.array(values), positive=positive).code == code


def test_a_declared_single_class_takes_no_other_positive() -> None:
    assert failing([1], [1], labels=[1], positive=0).code == "K111"
    assert tally_labels([1], [1], labels=[1], positive=1).classes.positive == 0


def test_columns_of_different_lengths_are_refused() -> None:
    for make in (list, np.array, lambda v: np.array(v, float), pl.Series, pd.Categorical):
        problem = failing(make([1, 2, 1]), make([1, 2]))
        assert problem.code == "K102"
        assert (problem.context["n_left"], problem.context["n_right"]) == (3, 2)


def test_results_do_not_depend_on_how_classes_were_found() -> None:
    rng = np.random.default_rng(7)
    true, pred = rng.integers(-3, 40, 500), rng.integers(-3, 40, 500)

    def same(other: Cells) -> bool:
        return bool((other.matrix() == tally_labels(true, pred).matrix()).all())

    assert same(tally_labels(true, pred, labels=np.unique([*true, *pred])))
    assert same(tally_labels(true.tolist(), pred))
    assert same(tally_labels(true * 10**12, pred * 10**12))
    assert same(tally_labels(pd.Categorical(true), pl.Series(pred)))

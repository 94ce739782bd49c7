"""1 = 1.0 = True, a string equals no number, and whatever is no label is refused."""

from __future__ import annotations

import enum
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from karat.data.labels.containers import encode
from karat.data.sources.arrays.labels import tally_labels
from karat.errors import KaratError
from tests.data.hosts import Unwilling, pa, pd, pl
from tests.ids import named


class Size(enum.IntEnum):
    SMALL = 0
    LARGE = 1


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"

    def __str__(self) -> str:
        return "a colour"


class Plain(enum.Enum):
    ONE = 1


class Index:
    """An integer of another library."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Incomparable:
    def __ne__(self, other: object) -> bool:
        raise TypeError("not to be compared")

    __hash__ = object.__hash__


class Fickle:
    """No label when it is asked first, a label when it is asked again."""

    def __init__(self) -> None:
        self.n_asked = 0

    def __index__(self) -> int:
        self.n_asked += 1
        if self.n_asked == 1:
            raise TypeError("not yet")
        return 1


def labels(true: Any, pred: Any) -> tuple[Any, ...]:
    found = tally_labels(true, pred).classes.labels
    assert all(type(label) in (str, int, bool) for label in found)
    return found


def code(true: Any, pred: Any = (1, 2)) -> str:
    with pytest.raises(KaratError) as caught:
        tally_labels(true, pred)
    return caught.value.code


@pytest.mark.parametrize(
    "values",
    [
        [1, 0],
        [1.0, 0.0],
        [True, 0],
        [1, False],
        [np.float16(1), np.uint8(0)],
        [np.True_, 0],
        [Decimal(1), Fraction(0)],
        [Size.LARGE, Size.SMALL],
        [Index(1), Index(0)],
        [1, -0.0],
        np.array([1.0, -0.0]),
        np.array([1, 0.0], object),
        pd.Series([1.0, 0.0]),
        pl.Series([1, 0]),
    ],
    ids=named,
)
def test_equal_numbers_are_one_label(values: Any) -> None:
    cells = tally_labels(values, [1, 0])
    assert cells.matrix().tolist() == [[1, 0], [0, 1]]
    assert cells.classes.labels == (0, 1)
    assert [type(label) for label in cells.classes.labels] == [int, int]


@pytest.mark.parametrize("values", [["a", "b"], [b"a", b"b"], [np.str_("a"), "b"], [b"a", "b"]])
def test_equal_texts_are_one_label(values: Any) -> None:
    assert labels(values, ["a", "b"]) == ("a", "b")


def test_an_enumeration_of_text_is_its_text() -> None:
    assert labels([Colour.RED, Colour.BLUE], ["red", "blue"]) == ("blue", "red")


@pytest.mark.parametrize("values", [[True, 1, 0], [1, True, 0], [False, 1, 0]])
def test_booleans_beside_integers_are_integers_in_any_order(values: Any) -> None:
    assert labels(values, [True, True, False]) == (0, 1)
    assert [type(x) for x in labels(values, [True, True, False])] == [int, int]


@pytest.mark.parametrize(
    "values",
    [["1", 1], [1, "1"], [True, "True"], np.array([1, "1"], object), pd.Series([1, "1"])],
    ids=named,
)
def test_a_string_equals_no_number_within_an_argument(values: Any) -> None:
    assert code(values) == "K107"


def test_mixed_categories_are_refused_only_when_both_kinds_occur() -> None:
    mixed = pd.Categorical([1, "1"], categories=[1, "1"])
    assert code(mixed) == "K107"
    assert labels(mixed[:1], [1]) == (1,)


def test_mixed_kinds_beside_missing_rows_are_refused() -> None:
    mixed = pd.Categorical([None, 1, "1"], categories=[1, "1"])
    with pytest.raises(KaratError) as caught:
        encode(mixed, "y_true", nulls="keep")
    assert caught.value.code == "K107"
    assert (caught.value.context["row"], caught.value.context["other_row"]) == (2, 1)


def test_booleans_among_integer_categories_are_integers() -> None:
    found = labels(pd.Categorical([True, 2], categories=[True, 2]), [1, 2])
    assert [type(label) for label in found] == [int, int]


def test_a_value_that_changes_while_it_is_read_is_refused() -> None:
    assert code([Fickle(), 1]) == "K106"


def test_mixed_kinds_name_the_first_row_of_each() -> None:
    with pytest.raises(KaratError) as caught:
        tally_labels([3, 3, "x", 4, "y"], [3, 3, 3, 3, 3])
    assert caught.value.context == {
        "argument": "y_true", "row": 2, "value": "x", "other_row": 0, "other": 3,
    }  # fmt: skip


@pytest.mark.parametrize("true", [[0, 1], np.array([0, 1]), np.array([True, False]), [0.0, 1.0]])
@pytest.mark.parametrize("pred", [["0", "1"], np.array(["0", "1"]), pl.Series(["0", "1"])])
def test_a_string_equals_no_number_between_arguments(true: Any, pred: Any) -> None:
    assert code(true, pred) == "K108"
    assert code(pred, true) == "K108"


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 1.0],
        [1, float("inf")],
        [Decimal("0.5"), 1],
        [Fraction(1, 3), 1],
        np.array([0.5, 1.0]),
        np.array([1.0, -np.inf]),
        np.array([0.5, 1], np.float16),
        np.array([0.5, 1], np.longdouble),
        np.array([0.5, 1], object),
        pd.Series([0.5, 1.0]),
        pd.Series([0.5, 1.0], dtype="Float64"),
        pd.Series([0.5, 1.0], dtype="category"),
        pl.Series([0.5, 1.0]),
        pl.Series(["0.5", "1"]).cast(pl.Decimal(3, 1)),
        pa.array([Decimal("0.5"), Decimal(1)], pa.decimal128(38, 30)),
    ],
    ids=named,
)
def test_numbers_that_are_not_whole_are_refused(values: Any) -> None:
    assert code(values) == "K105"


@pytest.mark.parametrize(
    "values",
    [
        np.array([1j, 2j]),
        [1j, 2],
        [1, 1 + 0j],
        [1 + 0j, 1],
        np.array([1, 1 + 0j], object),
        np.array([1, 2], "m8[s]"),
        [np.timedelta64(1, "s"), np.datetime64("2020")],
        [(1, 2), (3, 4)],
        [object(), object()],
        [Incomparable(), 1],
        Unwilling(),
        [Plain.ONE, Plain.ONE],
        [1, [2]],
        [1, {}],
        np.zeros(2, [("a", int)]),
        np.array([b"\xff", b"a"]),
        [b"\xff", b"a"],
        {"a": 1},
        {1, 2},
        (x for x in (1, 2)),
        pl.Series([[1], [2]]),
        pa.array([b"\xff", b"a"]),
        pa.array([{"a": 1}, None]),
        pa.array([Decimal(1), Decimal(2)], pa.decimal64(5, 1)),
    ],
    ids=named,
)
def test_what_cannot_be_a_label_is_refused(values: Any) -> None:
    assert code(values) == "K106"


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        (np.zeros((2, 2), int), (2, 2)),
        (np.zeros((1, 2), int), (1, 2)),
        ([[1, 2], [3]], "(2, varying)"),
        ([[1], 2], "(2, varying)"),
        ([[[1]], [[2]]], "(2, 1, …)"),
        (np.zeros((2, 1, 1), int), (2, 1, 1)),
        (np.array(3), ()),
        (3, ()),
        ("ab", ()),
        ([[1, 2], [3, 4]], (2, 2)),
        ([np.zeros((2, 2)), np.zeros((2, 3))], "(2, varying)"),
        (pd.DataFrame({"a": [1, 2], "b": [1, 2]}), (2, 2)),
        (pl.DataFrame({"a": [1, 2], "b": [1, 2]}), (2, 2)),
        (pa.table({"a": [1, 2], "b": [1, 2]}), (2, 2)),
        (pa.array([{"a": 1, "b": 2}] * 2), "of several columns"),
    ],
    ids=named,
)
def test_labels_of_another_shape_are_refused(values: Any, shape: Any) -> None:
    with pytest.raises(KaratError) as caught:
        tally_labels(values, [1, 2])
    assert caught.value.code == "K103"
    assert caught.value.context["shape"] == shape


@pytest.mark.parametrize(
    "values",
    [
        [],
        (),
        np.array([]),
        np.empty((0, 1), int),
        np.array([], "U3"),
        pd.Series([], dtype=float),
        pd.Series([], dtype="category"),
        pl.Series([]),
        pa.array([], pa.string()),
        pa.chunked_array([], pa.int8()),
    ],
    ids=named,
)
def test_empty_labels_are_refused(values: Any) -> None:
    assert code(values, []) == "K101"


def test_the_error_names_the_first_bad_row_and_counts_the_rest() -> None:
    with pytest.raises(KaratError) as caught:
        tally_labels([1, 2, 3, 4], [1, 0.5, 2, 0.25])
    facts = caught.value.context
    assert (facts["argument"], facts["row"], facts["value"], facts["count"], facts["n"]) == (
        "y_pred", 1, 0.5, 2, 4,
    )  # fmt: skip


def test_codes_outside_their_dictionary_are_refused() -> None:
    broken = pa.DictionaryArray.from_arrays(pa.array([0, 5]), ["a", "b"], safe=False)
    other = pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["c", "d"])
    assert code(broken, ["a", "a"]) == "K106"
    assert code(pa.chunked_array([other, broken]), ["a", "a", "a", "a"]) == "K106"

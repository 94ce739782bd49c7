"""Values and containers made to mislead: a right answer or one clear error."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from karat.data.labels.containers import encode
from karat.data.sources.arrays.labels import tally_labels, tally_matrix
from karat.data.weights import as_weights
from karat.errors import KaratError, short, shown
from tests.data.hosts import pa, pd, pl
from tests.ids import named

LARGE = 2**60


class Mute:
    """Nothing can be asked of it, not even its repr."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise LookupError("no comparison")

    def __hash__(self) -> int:
        return 7

    def __float__(self) -> float:
        raise LookupError("no number")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise LookupError("no array")


class BrokenStream:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise LookupError("no stream")


class NoCapsule:
    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return 1, 2


def nested(depth: int) -> list[Any]:
    """A list of two of a list of two …: small to hold, endless to look through."""
    values: list[Any] = [1, 0]
    for _ in range(depth):
        values = [values, values]
    return values


def itself() -> list[Any]:
    values: list[Any] = []
    values += [values, values]
    return values


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    assert len(str(caught.value)) < 2000
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    return caught.value.code


def test_a_list_of_arrays_without_dimension_keeps_large_integers() -> None:
    found = encode([np.array(LARGE + 1), np.array(float(LARGE)), np.array(2**63)], "y_true")
    assert found.seen() == [LARGE + 1, LARGE, 2**63]
    assert encode([np.array("b"), "a", np.array("b")], "y_true").codes.tolist() == [0, 1, 0]
    assert encode([1, np.array(2), np.array(True)], "y_true").seen() == [1, 2]


def test_masked_items_are_missing() -> None:
    masked = np.ma.array([1, 0, 1], mask=[0, 1, 0])
    assert code_of(lambda: encode(list(masked), "y_true")) == "K104"
    assert np.isnan(as_weights(list(masked), 3)).tolist() == [False, True, False]
    objects = np.ma.array([1, 5, 2], mask=[0, 1, 0], dtype=object)
    assert np.isnan(as_weights(objects, 3)).tolist() == [False, True, False]
    assert code_of(lambda: tally_labels([0, 1, 1], [0, 1, 0], weights=objects)) == "K114"


@pytest.mark.parametrize("make", [itself, lambda: nested(60)])
@pytest.mark.parametrize("argument", ["y_true", "weights", "confusion", "labels"])
def test_lists_of_lists_without_end_are_refused_at_once(
    argument: str, make: Callable[[], list[Any]]
) -> None:
    calls: dict[str, tuple[Callable[[Any], object], str]] = {
        "y_true": (lambda x: tally_labels(x, x), "K103"),
        "weights": (lambda x: tally_labels([0, 1], [0, 1], weights=x), "K116"),
        "confusion": (tally_matrix, "K119"),
        "labels": (lambda x: tally_labels([0, 1], [0, 1], labels=x), "K110"),
    }
    call, code = calls[argument]
    assert code_of(lambda: call(make())) == code


@pytest.mark.parametrize(
    "values",
    [
        [1, np.timedelta64(1, "D")],
        [np.timedelta64(1, "s"), 1],
        [1, np.timedelta64(1, "s")],
        [Mute(), Mute(), 1],
        [1, Mute()],
        Mute(),
        BrokenStream(),
        NoCapsule(),
        np.array([65, 0x110000], np.uint32).view("U1"),
        np.array([65, 0x110000], ">u4").view(">U1"),
        bytearray(b"01"),
        [10**5000, 1],
        [2**4096, 1],
        np.array([2**4096, 1], object),
        np.array([np.longdouble("1e4900"), 1]) if np.finfo(np.longdouble).max > 1e308 else 1j,
    ],
    ids=named,
)
def test_what_cannot_be_a_label_has_one_error(values: Any) -> None:
    assert code_of(lambda: encode(values, "y_true")) in {"K103", "K106"}


def test_a_whole_number_of_4096_bits_is_a_label() -> None:
    largest = 2**4096 - 1
    assert tally_labels([largest, 1], [largest, 1]).classes.labels == (1, largest)
    assert code_of(lambda: tally_labels([1], [1], labels=[1, largest + 1])) == "K110"
    assert code_of(lambda: tally_labels([1], [1], positive=largest + 1)) == "K111"
    assert code_of(lambda: tally_labels([1], [2], labels=[largest])) == "K109"


def text_of(offsets: list[int]) -> Any:
    at = pa.array(offsets, pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), 3, [None, at, pa.py_buffer(b"abcdef")])


@pytest.mark.parametrize("offsets", [[0, 5, 3, 2], [0, 1, 20, 3], [0, -5, 2, 3]], ids=str)
def test_offsets_outside_the_text_are_refused(offsets: list[int]) -> None:
    assert code_of(lambda: encode(text_of(offsets), "y_true")) == "K106"


def misplaced(values: np.ndarray[Any, Any]) -> Any:
    raw = np.zeros(values.nbytes + 1, np.uint8)
    raw[1:] = values.view(np.uint8)
    return pa.py_buffer(raw[1:])


def test_arrow_buffers_that_are_not_aligned_are_read() -> None:
    text = pa.py_buffer(b"abc")
    at = np.array([0, 1, 2, 3])
    narrow = pa.Array.from_buffers(pa.string(), 3, [None, misplaced(at.astype(np.int32)), text])
    wide = pa.Array.from_buffers(pa.large_string(), 3, [None, misplaced(at), text])
    codes = pa.Array.from_buffers(pa.int32(), 3, [None, misplaced(at[:3].astype(np.int32))])
    dictionary = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b", "c"]), safe=False)
    for values in (narrow, wide, dictionary):
        assert tally_labels(values, ["a", "b", "c"]).matrix().tolist() == np.eye(3).tolist()
    numbers = pa.Array.from_buffers(pa.int64(), 3, [None, misplaced(at[:3])])
    assert tally_labels(numbers, [0, 1, 2], weights=numbers).matrix().trace() == 3


@pytest.mark.parametrize(
    "values",
    [
        pa.array([], pa.dictionary(pa.int8(), pa.string())),
        pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())),
        pd.Series([], dtype="category"),
        pl.Series([], dtype=pl.Categorical),
    ],
    ids=lambda values: type(values).__name__,
)
def test_an_empty_dictionary_is_empty(values: Any) -> None:
    assert code_of(lambda: encode(values, "y_true")) == "K101"


def test_codes_of_an_empty_dictionary_are_outside() -> None:
    codes, none = pa.array([0, 0], pa.int32()), pa.array([], pa.string())
    values = pa.DictionaryArray.from_arrays(codes, none, safe=False)
    assert code_of(lambda: encode(values, "y_true")) == "K106"


@pytest.mark.parametrize(
    ("weights", "code"),
    [
        (b"12", "K116"),
        (bytearray(b"12"), "K116"),
        ("12", "K116"),
        ([10**400, 1.0], "K125"),
        ([-(10**400), 1], "K125"),
        (np.array([10**400, 1], object), "K125"),
        ([Fraction(10**400), 1], "K125"),
        ([np.array("1"), np.array("2")], "K116"),
        (np.array([np.timedelta64(1, "s"), 1], object), "K116"),
        (np.array([np.complex64(1), 1], object), "K116"),
        ([Mute(), 1], "K116"),
        (Mute(), "K116"),
        (BrokenStream(), "K116"),
        ([[1, 2], [3, 4]], "K116"),
        ([[[1]], [[2]]], "K116"),
    ],
    ids=named,
)
def test_weights_that_are_no_numbers(weights: Any, code: str) -> None:
    assert code_of(lambda: tally_labels([0, 1], [0, 1], weights=weights)) == code


def test_rows_of_one_weight_are_weights() -> None:
    for rows in ([[1], [2.5]], [(1,), (2.5,)], [np.array([1]), np.array([2.5])], [1, [2.5]]):
        assert as_weights(rows, 2).tolist() == [1, 2.5]
    assert as_weights([2**70, 1], 2).tolist() == [2.0**70, 1]


@pytest.mark.parametrize("factor", [1e150, 1e200, 1e305, 1e308, 1e-150, 1e-200, 1e-310])
@pytest.mark.parametrize("labels", [[0, 1, 1, 0], ["a", "b", "b", "a"], [0, 3000, 1, 7000]])
@pytest.mark.parametrize("cells", [True, False])
def test_sums_of_weights_have_limits(factor: float, labels: list[Any], cells: bool) -> None:
    weights = np.array([1.0, 1.5, 1.25, 1.0]) * factor
    assert code_of(lambda: tally_labels(labels, labels, weights=weights, cells=cells)) == "K125"
    if cells and len(set(labels)) == 2:
        matrix = [[factor, factor], [factor, factor]]
        assert code_of(lambda: tally_matrix(matrix)) == "K125"


@pytest.mark.parametrize("factor", [1e139, 1e-139])
def test_sums_of_weights_within_the_limits_are_counted(factor: float) -> None:
    weights = np.array([1.0, 2.0, 3.0]) * factor
    assert tally_labels([0, 1, 1], [0, 1, 0], weights=weights).matrix()[1, 1] == 2 * factor


def test_a_small_weight_beside_a_large_one_is_no_error() -> None:
    cells = tally_labels([0, 1, 1], [0, 1, 1], weights=[1, 1, 1e-200])
    assert cells.matrix().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pl.LazyFrame({"cat": [5, 2], "dog": [1, 7]}),
        lambda: pa.table({"cat": [5, 2], "dog": [1, 7]}),
        lambda: pd.DataFrame({"cat": [5, 2], "dog": [1, 7]}, dtype="Int64"),
    ],
)
def test_a_confusion_matrix_in_any_frame_brings_its_labels(frame: Callable[[], Any]) -> None:
    cells = tally_matrix(frame())
    assert cells.classes.labels == ("cat", "dog")
    assert cells.matrix().tolist() == [[5, 1], [2, 7]]


@pytest.mark.parametrize(
    "matrix",
    [
        Mute(),
        [[Mute(), 1], [1, 1]],
        [[10**400, 1], [1, 1]],
        [[10**400, 1.5], [1, 1]],
        np.array([[1, None], [1, 1]], object),
        [["1", 1], [1, 1]],
        [[b"1", 1], [1, 1]],
        "12",
        b"12",
        {"a": [1, 2], "b": [3, 4]},
    ],
    ids=named,
)
def test_a_matrix_of_anything_else_is_refused(matrix: Any) -> None:
    assert code_of(lambda: tally_matrix(matrix)) == "K119"


@pytest.mark.parametrize(
    "labels",
    [Mute(), [Mute()], itself(), np.array([65, 0x110000], np.uint32).view("U1"), 5, "ab", b"ab"],
    ids=named,
)
def test_labels_that_are_no_list_of_classes(labels: Any) -> None:
    assert code_of(lambda: tally_labels(["a", "b"], ["a", "b"], labels=labels)) == "K110"


def test_labels_from_an_arrow_array() -> None:
    labels = pa.array(["b", "a"])
    assert tally_labels(["a", "b"], ["a", "b"], labels=labels).classes.labels == ("b", "a")


def test_messages_stay_short() -> None:
    assert short("x" * 10**6) == repr("x" * 10**6)[:59] + "…"
    assert short(b"x" * 10**6).endswith("…")
    assert short(10**5000) == "<a whole number of 16610 bits>"
    assert len(short(nested(60))) <= 60
    assert "Mute" in short(Mute())
    assert len(shown(["x" * 10**6] * 20)) < 2000
    assert code_of(lambda: tally_labels(["x" * 10**6], [1])) == "K108"


def test_scalars_of_arrow_are_their_values() -> None:
    assert encode(list(pa.array(["a", "b", None])), "y_true", nulls="keep").seen() == ["a", "b"]
    assert tally_labels([1, 0], [1, 0], positive=pa.scalar(0)).classes.positive == 0
    for alone in (pa.scalar("a"), pa.scalar(1)):
        assert code_of(lambda alone=alone: encode(alone, "y_true")) == "K103"
        assert code_of(lambda alone=alone: as_weights(alone, 1)) == "K116"


@pytest.mark.parametrize("labels", [["dog", "cat"], ("dog", "cat")])
def test_labels_in_another_order_do_not_rename_the_classes_of_a_frame(labels: Any) -> None:
    both = pd.DataFrame([[5, 1], [2, 7]], index=["cat", "dog"], columns=["cat", "dog"])
    crossed = pd.DataFrame([[5, 1], [2, 7]], index=["cat", "dog"], columns=["dog", "cat"])
    for frame in (both, crossed, pl.DataFrame({"cat": [5, 2], "dog": [1, 7]})):
        assert code_of(lambda frame=frame: tally_matrix(frame, labels=labels)) == "K149"
    assert tally_matrix(both, labels=["cat", "dog"]).classes.labels == ("cat", "dog")
    assert tally_matrix(both, labels=["Katze", "Hund"]).classes.labels == ("Katze", "Hund")
    named = pd.DataFrame([[5, 1], [2, 7]], index=["true a", "true b"], columns=["a", "b"])
    assert tally_matrix(named, labels=["a", "b"]).classes.labels == ("a", "b")
    assert tally_matrix(pd.DataFrame([[5, 1], [2, 7]]), labels=[1, 0]).classes.labels == (1, 0)


class SaysYes:
    """Equals whatever it is asked about."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize("values", [[1, SaysYes(), 3], [SaysYes(), 1, 3], [1, True, SaysYes()]])
def test_what_only_says_that_it_equals_a_label_is_none(values: list[Any]) -> None:
    assert code_of(lambda: encode(values, "y_true")) == "K106"


def test_times_that_are_missing_are_missing() -> None:
    values = [1, np.datetime64("NaT", "s"), np.timedelta64("NaT", "s"), 2]
    found = encode(values, "y_true", nulls="keep")
    assert found.missing is not None
    assert found.missing.tolist() == [False, True, True, False]

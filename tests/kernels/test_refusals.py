"""What the counting kernels refuse: bad weights, and arrays that they could misread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native

N = 5000


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize(
    ("weight", "kind"),
    [
        (-1.0, "negative_weight"),
        (-5e-324, "negative_weight"),
        (-np.inf, "bad_weight"),
        (np.nan, "bad_weight"),
        (np.inf, "bad_weight"),
    ],
)
@pytest.mark.parametrize("k", [2, 100])
def test_the_first_bad_weight_is_named(weight: float, kind: str, k: int) -> None:
    labels = np.arange(N) % k
    for row in (0, 7, 511, 512, 4998, 4999):
        weights = np.ones(N)
        weights[row] = weight
        weights[-1] = weight
        for cells in (True, False):
            for given in (weights, np.repeat(weights, 3)[::3]):
                with pytest.raises(_native.Rejected) as caught:
                    _native.count_integers(labels, labels, given, cells, 1)
                assert caught.value.args == (kind, 2, row)


def test_labels_are_refused_before_weights() -> None:
    weights = np.full(N, np.nan)
    codes = np.zeros(N, np.int32)
    codes[4000] = -1
    with pytest.raises(_native.Rejected) as caught:
        _native.count_codes(np.zeros(N, int), 0, None, codes, 0, None, 3, weights, True, 1)
    assert caught.value.args == ("range", 1, 4000)


def test_a_negative_zero_is_no_negative_weight() -> None:
    tally = _native.count_integers(np.zeros(3, int), np.zeros(3, int), np.full(3, -0.0), True, 1)
    assert tally is not None
    assert tally.marginal_rows()[0].tolist() == [0]


GOOD = np.zeros(8, np.int64)
BAD_COLUMNS = {
    "floats": np.zeros(8),
    "complex": np.zeros(8, np.complex128),
    "objects": np.zeros(8, object),
    "text": np.array(["a"] * 8),
    "dates": np.zeros(8, "M8[s]"),
    "records": np.zeros(8, [("a", "i4"), ("b", "i4")]),
    "byteswapped": np.zeros(8, ">i8" if np.little_endian else "<i8"),
    "two dimensions": np.zeros((8, 1), np.int64),
    "no dimension": np.int64(0),
    "not aligned": np.zeros(65, np.uint8)[1:].view(np.int64),
    "a list": [0] * 8,
    "none": None,
}


@pytest.mark.parametrize("name", BAD_COLUMNS)
def test_an_array_that_could_be_misread_is_refused(name: str) -> None:
    bad: Any = BAD_COLUMNS[name]
    for pair in ((bad, GOOD), (GOOD, bad)):
        with pytest.raises(TypeError):
            _native.count_integers(*pair, None, True, 1)
        with pytest.raises(TypeError):
            _native.count_codes(pair[0], 0, None, pair[1], 0, None, 3, None, True, 1)
    if name not in ("none", "floats"):
        with pytest.raises(TypeError):
            _native.count_integers(GOOD, GOOD, bad, True, 1)


@pytest.mark.parametrize("dtype", ["f4", "i8", "f2", "g"])
def test_weights_are_float64(dtype: str) -> None:
    with pytest.raises(TypeError):
        _native.count_integers(GOOD, GOOD, np.ones(8, dtype), True, 1)


@pytest.mark.parametrize("dtype", ["i8", "u4", "i2"])
def test_codes_and_tables_of_another_type_are_refused(dtype: str) -> None:
    other = np.zeros(8, dtype)
    with pytest.raises(TypeError):
        _native.count_codes(GOOD, 0, other, GOOD, 0, None, 3, None, True, 1)
    with pytest.raises(TypeError):
        _native.pack_pairs(other, other, 3)
    with pytest.raises(TypeError):
        _native.run_lengths(other)


def test_contiguous_arrays_are_contiguous() -> None:
    spread = np.zeros(16, np.int32)[::2]
    with pytest.raises(TypeError):
        _native.pack_pairs(spread, spread, 3)
    with pytest.raises(TypeError):
        _native.run_lengths(np.zeros(16, np.uint64)[::2])
    with pytest.raises(TypeError):
        _native.TextEncoder().encode_ucs4(np.zeros((4, 8), np.uint32)[:, ::2])
    with pytest.raises(TypeError):
        _native.TextEncoder().encode_views(np.zeros((4, 32), np.uint8)[:, :16], [])


def test_lengths_must_be_equal() -> None:
    with pytest.raises(ValueError, match="y_true has 8 rows, y_pred has 7"):
        _native.count_integers(GOOD, GOOD[:7], None, True, 1)
    with pytest.raises(ValueError, match="weights has 9"):
        _native.count_integers(GOOD, GOOD, np.ones(9), True, 1)
    with pytest.raises(ValueError, match="pred_codes has 7"):
        _native.count_codes(GOOD, 0, None, GOOD[:7], 0, None, 3, None, True, 1)
    with pytest.raises(ValueError, match="no rows"):
        _native.count_integers(GOOD[:0], GOOD[:0], None, True, 1)


def test_what_a_tally_does_not_hold_is_refused() -> None:
    bare = _native.count_integers(GOOD, GOOD, None, False, 1)
    assert bare is not None
    with pytest.raises(ValueError, match="no cells"):
        bare.cells()
    with pytest.raises(ValueError, match="weighted cells"):
        bare.squares()
    with pytest.raises(ValueError, match="no weights"):
        bare.marginal_squares()


def test_an_unknown_instruction_set_is_refused() -> None:
    before = _native.isa()
    with pytest.raises(ValueError, match="not usable here"):
        _native.use_isa("mmx")
    assert _native.isa() == before


def test_a_name_is_read_to_its_end() -> None:
    before = _native.isa()
    with pytest.raises(ValueError, match="NUL"):
        _native.use_isa("baseline\0of a name")
    assert _native.isa() == before


HANDLES = {
    "Tally": lambda tally: tally.cells(),
    "ScoreSums": lambda sums: sums.truth,
    "PackedScores": lambda packed: packed.words,
    "CutScores": lambda cut: cut.words,
}


@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")
@pytest.mark.parametrize("name", sorted(HANDLES))
def test_a_handle_that_was_never_made_is_refused(name: str) -> None:
    kind = getattr(_native, name)
    with pytest.raises(TypeError, match="never made"):
        HANDLES[name](kind.__new__(kind))


def test_a_parameter_that_is_no_number_is_refused() -> None:
    # One parameter, and the output is it.
    program = _native.Program(np.array([[2, 0, 0, 0, 0]], np.int32), [], [0], [0], [0])
    tally = _native.count_integers(GOOD, GOOD, None, True, 1)
    assert tally is not None
    assert program.run(tally, [0.5]) == (0.5,)
    with pytest.raises(TypeError, match="another type"):
        program.run(tally, ["text"])


def misplaced(values: Any, dtype: str) -> Any:
    """The same array, contiguous, one byte beside where its items belong."""
    array = np.array(values, dtype)
    memory = np.frombuffer(b"\0" + array.tobytes(), np.uint8)
    return memory[1:].view(dtype).reshape(array.shape)


ONES = [[1.0, 2.0]]
MISPLACED = {
    "Program": lambda: _native.Program(misplaced([[0, 0, 0, 0, 0]], "i4"), [], [1], [], [0]),
    "resample_counts": lambda: _native.resample_counts(misplaced([3, 4], "i8"), 0, 0, 0, 1, 1),
    "beta_quantiles": lambda: _native.beta_quantiles(misplaced([2.0], "f8"), np.ones(1), 0.5),
    "table_variances": lambda: _native.table_variances(np.ones(1), misplaced([ONES], "f8")),
    "evaluate": lambda: _native.Program(
        np.array([[0, 0, 0, 0, 0]], np.int32), [], [1], [], [0]
    ).evaluate(misplaced(ONES, "f8"), np.array(ONES), np.array(ONES), np.array(ONES)),
}


@pytest.mark.parametrize("name", sorted(MISPLACED))
def test_an_array_that_is_not_aligned_is_refused(name: str) -> None:
    with pytest.raises(TypeError):
        MISPLACED[name]()

"""Totals of the classes of two models that exchange rows, beside plain sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native


def given(r: int, k: int, n_bits: int, n_heads: int, most: int = 9) -> list[Any]:
    rng = np.random.default_rng([r, k, n_bits, n_heads])
    return [
        rng.integers(0, 256, (r, -(-n_bits // 8)), np.uint8),
        rng.integers(0, most, (r, n_heads)),
        *rng.integers(0, 2 * k, (2, n_bits + n_heads), np.int32),
        rng.integers(0, 1000, (2, 2 * k)).astype(float),
        rng.integers(0, 2000, k).astype(float),
    ]


def reference(bits: Any, heads: Any, out: Any, into: Any, totals: Any, rows: Any) -> Any:
    moved = np.zeros((len(heads), totals.shape[1]))
    drawn = np.unpackbits(bits, axis=1, count=len(out) - heads.shape[1])
    for i, n in enumerate(np.concatenate([drawn, heads], axis=1).T):
        moved[:, into[i]] += n
        moved[:, out[i]] -= n
    both = np.concatenate([totals[0] + moved, totals[1] - moved])
    hits, alarms = np.split(both, 2, axis=1)
    return np.array([hits, alarms, rows - hits])


SHAPES = [
    *((0, 3, 5, 2), (1, 1, 8, 0), (1, 4, 0, 6), (2, 3, 0, 0), (3, 5, 17, 4), (4, 200, 999, 300)),
    (5, 2, 64, 1),
]


@pytest.mark.parametrize(("r", "k", "n_bits", "n_heads"), SHAPES)
def test_exchanged_rows_are_taken_from_one_model_and_given_to_the_other(
    r: int, k: int, n_bits: int, n_heads: int
) -> None:
    arguments = given(r, k, n_bits, n_heads)
    assert (_native.exchange_totals(*arguments) == reference(*arguments)).all()


@pytest.mark.parametrize("n", [2**31 - 20, 2**31, 2**40])
def test_very_many_rows_of_a_cell_are_exchanged_exactly(n: int) -> None:
    """Two replicates share words of 64 bits where each has at most 31."""
    arguments = given(3, 2, 5, 2)
    arguments[1][:] = [[n, 0], [0, n], [7, 3]]
    assert (_native.exchange_totals(*arguments) == reference(*arguments)).all()


def test_a_bit_that_is_off_is_seen() -> None:
    arguments = given(2, 3, 9, 0)
    arguments[2][:], arguments[3][:] = 0, 1
    honest = _native.exchange_totals(*arguments)
    arguments[0][1, 1] ^= 128
    assert np.abs(_native.exchange_totals(*arguments) - honest).max() == 1.0


@pytest.mark.parametrize(
    ("place", "bad", "kind"),
    [
        (0, np.zeros((2, 3), np.uint8), ValueError),
        (0, np.zeros((3, 2), np.uint8), ValueError),
        (1, np.zeros((2, 20), np.int64), ValueError),
        (2, np.zeros(12, np.int32), ValueError),
        (2, np.full(13, 6, np.int32), ValueError),
        (3, np.full(13, -1, np.int32), ValueError),
        (4, np.zeros((2, 5)), ValueError),
        (4, np.zeros((1, 6)), ValueError),
        (0, np.zeros((2, 2), np.int8), TypeError),
        (1, np.zeros((2, 4)), TypeError),
        (2, np.zeros(13, np.int64), TypeError),
        (5, np.zeros(3, np.float32), TypeError),
    ],
)
def test_other_shapes_and_codes_are_refused(place: int, bad: Any, kind: type[Exception]) -> None:
    arguments = given(2, 3, 9, 4)
    arguments[place] = bad
    with pytest.raises(kind):
        _native.exchange_totals(*arguments)

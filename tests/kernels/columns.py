"""Columns of labels of every integer type, stride and length, and how they are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from karat import _native
from tests.kernels import reference
from tests.same import assert_same

DTYPES = ("bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")

# Around the lengths of a vector, of a block, of the samples and of several blocks.
LENGTHS = (1, 2, 3, 15, 16, 17, 33, 511, 512, 513, 2047, 2048, 2049, 6000)
STRIDES = (1, 1, 2, -1, -3)


def strided(values: Any, stride: int) -> Any:
    """The same values with another distance between them."""
    room = np.zeros(len(values) * abs(stride), values.dtype)
    view = room[::stride][: len(values)]
    view[...] = values
    return view


def integers(rng: np.random.Generator, dtype: str, n: int, low: int, width: int) -> Any:
    """Random values of [low, low + width), as far as the type holds them."""
    if dtype == "bool":
        return rng.integers(0, 2, n).astype(bool)
    info = np.iinfo(dtype)
    least = min(max(low, info.min), info.max)
    most = min(max(low + width - 1, info.min), info.max)
    return rng.integers(least, most, n, dtype=dtype, endpoint=True)


@st.composite
def columns(draw: st.DrawFn) -> tuple[Any, Any, np.random.Generator]:
    """Two columns of equal length, of any types, and a generator for the rest of the case."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from(LENGTHS))
    low = draw(st.sampled_from((0, 1, -1, -5, 100, -(2**31), 2**31 - 5, 2**40, -(2**63))))
    width = draw(st.sampled_from((1, 2, 3, 10, 64, 65, 130, 300)))
    made = [
        strided(
            integers(rng, draw(st.sampled_from(DTYPES)), n, low, width),
            draw(st.sampled_from(STRIDES)),
        )
        for _ in range(2)
    ]
    return made[0], made[1], rng


def sorted_labels(true: Any, pred: Any) -> list[int]:
    """The distinct values of both columns, ascending."""
    return sorted(set(map(int, true)) | set(map(int, pred)))


def check_counts(tally: _native.Tally, true: Any, pred: Any, labels: list[int]) -> None:
    """The tally is that of these rows, with the matrix or without."""
    expected = reference.confusion([int(v) for v in true], [int(v) for v in pred], labels)
    assert_same(tally.n_rows, len(true))
    assert_same(tally.k, len(labels))
    assert not tally.weighted
    if tally.has_cells:
        assert_same(tally.cells(), expected, about="cells")
    for got, want, name in zip(
        tally.marginals(), reference.marginals(expected), ("tp", "fp", "fn"), strict=True
    ):
        assert_same(got, want, about=name)


def check_weights(
    tally: _native.Tally, true: Any, pred: Any, labels: list[int], weights: Any
) -> None:
    """The weighted tally is that of these rows; sums may differ by their rounding."""
    rows = [int(v) for v in true], [int(v) for v in pred], labels
    positive = reference.weighted_confusion(*rows, [float(w > 0) for w in weights])
    sums = reference.weighted_confusion(*rows, weights)
    squares = reference.weighted_confusion(*rows, [w * w for w in weights])
    assert tally.weighted
    assert_same(tally.n_rows, len(true))
    assert_same(tally.k, len(labels))
    if tally.has_cells:
        assert_same(tally.cells(), sums, within=1e-12, about="cells")
        assert_same(tally.squares(), squares, within=1e-12, about="squares")
    triples = (
        (tally.marginals(), sums, 1e-12),
        (tally.marginal_squares(), squares, 1e-12),
        (tally.marginal_rows(), positive.astype(np.int64), 0.0),
    )
    for got, cells, within in triples:
        for array, want in zip(got, reference.marginals(cells), strict=True):
            assert_same(array, want, within=within)


def arrays_of(tally: _native.Tally) -> list[Any]:
    """Every array of a tally, to compare two of them bit by bit."""
    arrays: list[Any] = [*tally.marginals(), *tally.marginal_rows()]
    if tally.has_cells:
        arrays.append(tally.cells())
    if tally.weighted:
        arrays += tally.marginal_squares()
    if tally.weighted and tally.has_cells:
        arrays.append(tally.squares())
    return arrays

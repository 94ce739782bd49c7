"""Hypothesis strategies shared by the tests: labels, weights and tallies."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from karat.tally import Cells, Classes, to_marginals, to_sparse

STORAGES = ("dense", "sparse", "marginals")


@st.composite
def rows(draw: st.DrawFn, k: int = 4, max_size: int = 40) -> tuple[Any, Any]:
    """True and predicted class index of some rows, int64[n] each; n may be 0."""
    pairs = draw(
        st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), max_size=max_size)
    )
    array = np.array(pairs, np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def counted(y_true: Any, y_pred: Any, k: int, storage: str, weights: Any = None) -> Cells:
    """The tally of class indices, counted in plain NumPy."""
    classes = Classes.of(range(k))
    dense = np.zeros((k, k), np.int64 if weights is None else np.float64)
    squares = None if weights is None else np.zeros((k, k))
    for i, (t, p) in enumerate(zip(y_true, y_pred, strict=True)):
        dense[t, p] += 1 if weights is None else weights[i]
        if squares is not None:
            squares[t, p] += weights[i] ** 2
    cells = Cells.dense(dense, classes=classes, squares=squares, n_rows=len(y_true))
    return {"dense": lambda c: c, "sparse": to_sparse, "marginals": to_marginals}[storage](cells)


@st.composite
def tallies(draw: st.DrawFn, storage: str, k: int = 4, *, is_weighted: bool = False) -> Cells:
    """A tally of some rows in one storage; weights are dyadic, so that sums are exact."""
    y_true, y_pred = draw(rows(k))
    weights = None
    if is_weighted:
        eighths = st.integers(0, 64)
        drawn = draw(st.lists(eighths, min_size=len(y_true), max_size=len(y_true)))
        weights = np.array(drawn, np.float64) / 8
    return counted(y_true, y_pred, k, storage, weights)

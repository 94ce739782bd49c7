"""What a tally read from elsewhere may not say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from karat.errors import KaratError
from karat.tally import Cells, Classes, from_bytes, inconsistency, to_bytes, to_marginals, to_sparse

AB, ABC = Classes.of(["a", "b"]), Classes.of(["a", "b", "c"])
COUNTS = Cells.dense([[3, 1, 0], [2, 4, 1], [0, 0, 7]], classes=ABC)
WEIGHED = Cells.dense(
    [[3.5, 0.1], [2.0, 4.0]], classes=AB, squares=[[6.5, 0.01], [2.0, 4.0]], n_rows=9
)
TOTALS = to_marginals(WEIGHED)
HUGE = 2**62

SOUND = {
    "counts": COUNTS,
    "weighed": WEIGHED,
    "sparse": to_sparse(COUNTS),
    "totals": to_marginals(COUNTS),
    "weighed totals": TOTALS,
    "none": Cells.empty(ABC),
    "no weight": Cells.empty(AB, is_weighted=True),
    "tiny": Cells.dense(
        [[1e-200, 0.0], [0.0, 1e-160]], classes=AB, squares=[[0.0, 0.0], [0.0, 1e-320]], n_rows=2
    ),
}

UNSOUND = {
    "do not add up": [
        replace(COUNTS, n_rows=np.array(17)),
        replace(to_sparse(COUNTS), n_rows=np.array(17)),
        replace(to_marginals(COUNTS), n_rows=np.array(17)),
        Cells.dense([[HUGE, HUGE], [HUGE, HUGE]], classes=AB, n_rows=0),
    ],
    "more false positives": [
        Cells.marginals([5, 5], [1, 1], [1, 0], classes=AB, n_rows=11),
        replace(TOTALS, counts=TOTALS.counts + np.array([[0.0], [0.1], [0.0]])),
    ],
    "larger than the square": [replace(WEIGHED, squares=WEIGHED.counts**2 + 1)],
    "is not weighted": [
        replace(COUNTS, squares=np.zeros((3, 3))),
        replace(to_marginals(COUNTS), occupancy=np.ones((3, 3), np.int64)),
    ],
    "weight and no rows": [replace(TOTALS, occupancy=np.zeros((3, 2), np.int64))],
    "not a whole number": [replace(COUNTS, n_rows=np.array(18.0))],
    "one of 3 classes": [replace(COUNTS, classes=Classes(("a", "b", "c"), positive=1))],
    "none of two classes": [replace(WEIGHED, classes=Classes(("a", "b")))],
    "mix strings and numbers": [replace(WEIGHED, classes=Classes(("a", 1), 1))],
    "is not a string": [replace(WEIGHED, classes=Classes(("a", "b"), 1, ("x", 2)))],  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", SOUND)
def test_what_data_can_give_is_sound(name: str) -> None:
    assert inconsistency(SOUND[name]) is None


@pytest.mark.parametrize(
    ("told", "cells"), [(told, cells) for told, wrong in UNSOUND.items() for cells in wrong]
)
def test_what_no_data_can_give_is_named(told: str, cells: Cells) -> None:
    assert told in (inconsistency(cells) or "")
    with pytest.raises(KaratError, match="K205") as caught:
        from_bytes(to_bytes(cells))
    assert "to_bytes()" in str(caught.value)

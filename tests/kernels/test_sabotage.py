"""The comparisons of the kernel tests can fail: wrong references and wrong tallies are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.kernels import reference
from tests.kernels.columns import check_counts, check_weights

RIGHT = reference.confusion
RIGHT_WEIGHTED = reference.weighted_confusion


def first_row_lost(true: Any, pred: Any, labels: Any) -> Any:
    return RIGHT(true[1:], pred[1:], labels)


def last_row_twice(true: Any, pred: Any, labels: Any) -> Any:
    return RIGHT([*true, true[-1]], [*pred, pred[-1]], labels)


def transposed(true: Any, pred: Any, labels: Any) -> Any:
    return RIGHT(pred, true, labels)


def neighbour_cell(true: Any, pred: Any, labels: Any) -> Any:
    return np.roll(RIGHT(true, pred, labels), 1)


def unweighted(true: Any, pred: Any, labels: Any, weights: Any) -> Any:
    return RIGHT(true, pred, labels).astype(float)


def rounded_to_float32(true: Any, pred: Any, labels: Any, weights: Any) -> Any:
    return RIGHT_WEIGHTED(true, pred, labels, np.float32(weights).astype(float))


@pytest.fixture
def rows() -> tuple[Any, Any, list[int]]:
    rng = np.random.default_rng(3)
    return rng.integers(0, 4, 500), rng.integers(0, 4, 500), [0, 1, 2, 3]


@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("wrong", [first_row_lost, last_row_twice, transposed, neighbour_cell])
def test_a_wrong_reference_is_found(
    wrong: Callable[..., Any], cells: bool, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = _native.count_integers(rows[0], rows[1], None, cells, 1)
    assert tally is not None
    check_counts(tally, *rows)
    monkeypatch.setattr(reference, "confusion", wrong)
    with pytest.raises(AssertionError):
        check_counts(tally, *rows)


@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("wrong", [unweighted, rounded_to_float32])
def test_a_wrong_weighted_reference_is_found(
    wrong: Callable[..., Any], cells: bool, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.random.default_rng(4).random(500)
    tally = _native.count_integers(rows[0], rows[1], weights, cells, 1)
    assert tally is not None
    check_weights(tally, *rows, weights)
    monkeypatch.setattr(reference, "weighted_confusion", wrong)
    with pytest.raises(AssertionError):
        check_weights(tally, *rows, weights)


@pytest.mark.parametrize("part", ["cells", "marginals"])
def test_a_wrong_tally_is_found(part: str, rows: Any) -> None:
    tally = _native.count_integers(rows[0], rows[1], None, True, 1)
    assert tally is not None
    # The arrays are views of the tally's own memory.
    array = tally.cells() if part == "cells" else tally.marginals()[2]
    array.flat[1] += 1
    with pytest.raises(AssertionError):
        check_counts(tally, *rows)

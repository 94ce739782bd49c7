"""What programs and resampling refuse: tables, parameters and draws that do not belong together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from karat import _native

FIELD, PARAM, TOTAL, AT = 0, 2, 15, 24
TP, CELLS = 0, 5
K = 3
COUNTS = [np.full((2, K), 2.0) for _ in range(4)]
MATRIX = np.ones((K, K))


def made(code: list[list[int]], ranks: list[int], params: list[int] | None = None) -> Any:
    """A program whose output is its last slot."""
    table = np.array(code, np.int32)
    return _native.Program(table, [], ranks, params or [], [len(ranks) - 1])


def of_cells() -> Any:
    """The total of the cells."""
    return made([[FIELD, 0, CELLS, 0, 0], [TOTAL, 1, 0, 0, 0]], [2, 0])


def of_matrix() -> Any:
    """The total of a parameter of k by k."""
    return made([[PARAM, 0, 0, 0, 0], [TOTAL, 1, 0, 0, 0]], [2, 0], [2])


def of_positive() -> Any:
    """Hits of the positive class."""
    return made([[FIELD, 0, TP, 0, 0], [AT, 1, 0, 0, 0]], [1, 0])


def int32s(*values: int) -> Any:
    return np.array(values, np.int32)


def replaced(at: int, shape: tuple[int, int]) -> list[Any]:
    """The counts, one of them of another shape."""
    return [np.ones(shape) if i == at else part for i, part in enumerate(COUNTS)]


LISTED = np.ones((2, 2))
GOOD = {"cells": LISTED, "rows": int32s(0, 2), "cols": int32s(1, 2)}
CASES: dict[str, tuple[Callable[[], Any], list[Any], dict[str, Any], str]] = {
    **{
        f"{name} of another batch": (of_positive, replaced(at, (3, K)), {}, "different shapes")
        for at, name in ((1, "fp"), (2, "fn"), (3, "tn"))
    },
    **{
        f"{name} of other classes": (of_positive, replaced(at, (2, K + 1)), {}, "different shapes")
        for at, name in ((1, "fp"), (2, "fn"), (3, "tn"))
    },
    "no positive class": (of_positive, COUNTS, {}, "positive"),
    "a positive class after the last": (of_positive, COUNTS, {"positive": K}, "positive"),
    "no cells": (of_cells, COUNTS, {}, "none were given"),
    "cells of another batch": (of_cells, COUNTS, {"cells": np.ones((3, K * K))}, "match the batch"),
    "rows without columns": (of_cells, COUNTS, {**GOOD, "cols": None}, "come together"),
    "columns without rows": (of_cells, COUNTS, {**GOOD, "rows": None}, "come together"),
    "some cells in no order": (of_cells, COUNTS, {"cells": LISTED}, "k by k cells"),
    "rows of other cells": (of_cells, COUNTS, {**GOOD, "rows": int32s(0, 1, 2)}, "match the cells"),
    "columns of other cells": (of_cells, COUNTS, {**GOOD, "cols": int32s(0)}, "match the cells"),
    "a row before the first class": (of_cells, COUNTS, {**GOOD, "rows": int32s(0, -1)}, "outside"),
    "a row after the last class": (of_cells, COUNTS, {**GOOD, "rows": int32s(K, 0)}, "outside"),
    "a column before the first class": (
        of_cells, COUNTS, {**GOOD, "cols": int32s(-1, 0)}, "outside"
    ),
    "a column after the last class": (of_cells, COUNTS, {**GOOD, "cols": int32s(0, K)}, "outside"),
    "no parameter": (of_matrix, COUNTS, {}, "number of parameters"),
    "two parameters": (of_matrix, COUNTS, {"params": [MATRIX, MATRIX]}, "number of parameters"),
    "too many rows of a parameter": (
        of_matrix, COUNTS, {"params": [np.ones((K + 1, K))]}, "k by k"
    ),
    "too few columns of a parameter": (
        of_matrix, COUNTS, {"params": [np.ones((K, K - 1))]}, "k by k"
    ),
}  # fmt: skip


@pytest.mark.parametrize("method", ["evaluate", "differentiate"])
@pytest.mark.parametrize("name", CASES)
def test_tables_that_a_program_cannot_read_are_refused(name: str, method: str) -> None:
    program, counts, named, message = CASES[name]
    with pytest.raises(ValueError, match=message):
        getattr(program(), method)(*counts, **named)


def test_the_tables_they_differ_from_are_read() -> None:
    assert of_positive().evaluate(*COUNTS, positive=1)[0].tolist() == [2, 2]
    assert of_cells().evaluate(*COUNTS, **GOOD)[0].tolist() == [2, 2]
    assert of_cells().evaluate(*COUNTS, cells=np.ones((2, K * K)))[0].tolist() == [9, 9]
    # Of listed cells each has the cost of its place.
    costs = np.arange(9.0).reshape(K, K)
    assert of_matrix().evaluate(*COUNTS, **GOOD, params=[costs])[0].tolist() == [9, 9]


def test_a_tally_without_what_a_program_reads_is_refused() -> None:
    labels = np.arange(8) % K
    tally = _native.count_integers(labels, labels, None, False, 1)
    assert tally is not None
    with pytest.raises(ValueError, match="the tally has none"):
        of_cells().run(tally)
    with pytest.raises(ValueError, match="positive"):
        of_positive().run(tally)
    tally = _native.count_integers(labels, labels, None, True, 1)
    assert tally is not None
    with pytest.raises(ValueError, match="number of parameters"):
        of_matrix().run(tally)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_tally_gives_what_its_tables_give(is_weighted: bool) -> None:
    """Counts and cells of a tally, by weight too, beside the same numbers as arrays."""
    rng = np.random.default_rng(5)
    for k in (1, 2, 4):
        truth, pred = rng.integers(0, k, (2, 500))
        weights = rng.integers(1, 9, 500) / 4 if is_weighted else None
        tally = _native.count_integers(truth, pred, weights, True, 1)
        assert tally is not None
        cells = np.zeros((k, k))
        np.add.at(cells, (truth, pred), np.ones(500) if weights is None else weights)
        tp = np.diag(cells)
        counts = [tp, cells.sum(0) - tp, cells.sum(1) - tp]
        counts.append(cells.sum() - sum(counts))
        for field, want in enumerate(counts):
            program = made([[FIELD, 0, field, 0, 0]], [1])
            assert program.run(tally)[0].tolist() == want.tolist()
        assert of_cells().run(tally) == (cells.sum(),)


def pairs() -> Any:
    """Two rows of two classes."""
    return _native.PairScores(np.ones((2, 2)), int32s(0, 1), None)


CELLS_OF = (int32s(0, 1), int32s(0, 1))
DRAW = (False, 1, 0, 0, 2, 1)
SIDES = np.ones((4, 2))
DRAWS: dict[str, tuple[Callable[[], Any], str]] = {
    "a first replicate below zero": (
        lambda: _native.resample_counts(np.ones(2, np.int64), 1, 0, -1, 2, 1), "first replicate"
    ),
    "a first replicate above 2³¹": (
        lambda: _native.resample_counts(np.ones(2, np.int64), 1, 0, 2**31 + 1, 2, 1),
        "first replicate",
    ),
    "fewer than no replicates": (
        lambda: _native.resample_counts(np.ones(2, np.int64), 1, 0, 0, -1, 1), "first replicate"
    ),
    "more replicates than 2³¹": (
        lambda: _native.resample_counts(np.ones(2, np.int64), 1, 0, 0, 2**31 + 1, 1),
        "first replicate",
    ),
    "a stream above the last": (
        lambda: _native.resample_counts(np.ones(2, np.int64), 1, 2**24, 0, 1, 1), "stream"
    ),
    "replicates that fit no memory": (
        lambda: _native.row_weights(2**32, False, 1, 0, 0, 2**31, 1), "any memory"
    ),
    "fewer than no rows": (lambda: _native.row_weights(-1, *DRAW), "n is negative"),
    "more rows than 2³²": (lambda: _native.row_weights(2**32 + 1, *DRAW), "n is negative or above"),
    "squares of other sums": (
        lambda: _native.draw_totals(np.ones(2), np.ones(3), False, *DRAW), "match the sums"
    ),
    "sums of three sides": (
        lambda: _native.replicate_areas(np.ones((4, 3)), None, np.ones(4), *DRAW), "sums is not"
    ),
    "squares of other score levels": (
        lambda: _native.replicate_areas(SIDES, np.ones((3, 2)), np.ones(4), *DRAW), "match the sums"
    ),
    "squares of three sides": (
        lambda: _native.replicate_levels(np.ones(4), SIDES, np.ones((4, 3)), *DRAW),
        "match the sums",
    ),
    "chances of other score levels": (
        lambda: _native.replicate_areas(SIDES, None, np.ones(3), *DRAW), "within"
    ),
    "scores of other score levels": (
        lambda: _native.replicate_levels(np.ones(3), SIDES, None, *DRAW), "scores do not"
    ),
    "fewer than no cells": (
        lambda: _native.resample_clusters(*CELLS_OF, None, 2, -1, *DRAW), "cells is negative"
    ),
    "cells of other entries": (
        lambda: _native.resample_clusters(int32s(0), int32s(0, 1), None, 2, 2, *DRAW), "lengths"
    ),
    "weights of other entries": (
        lambda: _native.resample_clusters(*CELLS_OF, np.ones(3), 2, 2, *DRAW), "lengths"
    ),
    "fewer than no clusters": (
        lambda: _native.resample_clusters(*CELLS_OF, None, -1, 2, *DRAW), "number of clusters"
    ),
    "more clusters than 2³¹": (
        lambda: _native.resample_clusters(*CELLS_OF, None, 2**31, 2, *DRAW), "number of clusters"
    ),
    "a cluster below the first": (
        lambda: _native.resample_clusters(int32s(-1, 0), int32s(0, 1), None, 2, 2, *DRAW),
        "no such cluster",
    ),
    "a cluster above the last": (
        lambda: _native.resample_clusters(*CELLS_OF, None, 1, 2, *DRAW), "no such cluster"
    ),
    "a cell below the first": (
        lambda: _native.resample_clusters(int32s(0, 1), int32s(0, -1), None, 2, 2, *DRAW),
        "no such cell",
    ),
    "a cell above the last": (
        lambda: _native.resample_clusters(*CELLS_OF, None, 2, 1, *DRAW), "no such cell"
    ),
    **{
        f"a weight of {weight}": (
            lambda weight=weight: _native.resample_clusters(
                *CELLS_OF, np.array([1, weight]), 2, 2, *DRAW
            ),
            "a weight is negative or too large",
        )
        for weight in (-1.0, np.nan, 2.0**105)
    },
    "no class below the first": (
        lambda: pairs().differences(-1, 0), "classes"
    ),
    "no class above the last": (
        lambda: pairs().differences(0, 2), "classes"
    ),
    "costs of other classes": (
        lambda: _native.weigh_scores(np.ones((2, 2)), np.ones((2, 3))), "contiguous array"
    ),
    "costs of more classes": (
        lambda: _native.weigh_scores(np.ones((2, 2)), np.ones((3, 2))), "contiguous array"
    ),
    "costs by column": (
        lambda: _native.weigh_scores(np.ones((2, 2)), np.ones((2, 2)).T.copy("F")),
        "contiguous array",
    ),
    "costs of which every second counts": (
        lambda: _native.weigh_scores(np.ones((2, 2)), np.ones((4, 2))[::2]), "contiguous array"
    ),
    "a join of no number": (
        lambda: _native.join_levels(np.zeros(0, np.uint8), np.ones(0), np.ones(0), 3), "join"
    ),
    "a join of a number below zero": (
        lambda: _native.join_levels(np.zeros(0, np.uint8), np.ones(0), np.ones(0), -1), "join"
    ),
    "score levels of fewer on the left": (
        lambda: _native.join_levels(np.full(1, 3, np.uint8), np.ones(2), np.ones(1), 0), "taken"
    ),
    "score levels of fewer on the right": (
        lambda: _native.join_levels(np.full(1, 3, np.uint8), np.ones(1), np.ones(2), 0), "taken"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_draws_and_cumulative_that_cannot_be_are_refused(name: str) -> None:
    call, message = DRAWS[name]
    with pytest.raises((ValueError, IndexError), match=message):
        call()


def test_clusters_without_weights_may_be_weighed() -> None:
    """Exponential weights of clusters, each row 1: the cells of a cluster move together."""
    found = _native.resample_clusters(
        int32s(0, 0, 1), int32s(0, 1, 2), None, 2, 3, True, 7, 0, 0, 50, 1
    )
    assert found.dtype == np.float64
    assert (found[:, 0] == found[:, 1]).all()
    assert not (found[:, 0] == found[:, 2]).any()
    # The weights are those of as many rows, normed.
    weights = _native.row_weights(2, True, 7, 0, 0, 50, 1)
    wanted = weights * (2 / weights.sum(1, keepdims=True))
    np.testing.assert_allclose(found[:, [0, 2]], wanted, rtol=1e-15)

"""`ClusteredCells`: the weight of each cluster in each cell, however clusters are numbered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.tally import Cells, Classes, ClusteredCells
from karat.tally.axes import SlicedCells
from tests.same import assert_same

CLUSTERS, PLACES = [3, 1, 3, 0, 1, 3], [2, 0, 2, 1, 2, 0]
WEIGHTS = [0.5, 1.0, 2.0, 4.0, 0.0, 1.0]
VALUES = np.array([1.0, 10.0, 100.0])


def sums(clusters: Any, places: Any, weights: Any) -> list[float]:
    found = ClusteredCells.of(clusters, places, weights)
    values = np.zeros(int(found.place.max(initial=0)) + 1)
    known = dict(enumerate(VALUES.tolist()))
    for place in set(found.place.tolist()):
        values[place] = known[place]
    return found.sums(values).tolist()


@pytest.mark.parametrize(
    "number",
    [lambda c: c, lambda c: c - 7, lambda c: c * 10**15, lambda c: c + 18, lambda c: c * 8],
    ids=["as they are", "negative", "far apart", "large", "gaps"],
)
def test_clusters_are_summed_in_the_order_in_which_they_appear(number: Any) -> None:
    clusters = number(np.array(CLUSTERS))
    assert sums(clusters, PLACES, None) == [201.0, 101.0, 10.0]
    assert sums(clusters, PLACES, WEIGHTS) == [251.0, 1.0, 40.0]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["counts", "weights"])
def test_only_what_occurs_is_kept(weights: Any) -> None:
    found = ClusteredCells.of(CLUSTERS, PLACES, weights)
    assert found.n_clusters == 3
    pairs = list(zip(found.cluster.tolist(), found.place.tolist(), strict=True))
    weighed = [(0, 0), (0, 2), (1, 0), (2, 1)]
    assert pairs == (weighed if weights else sorted([*weighed, (1, 2)]))


def test_cells_that_no_key_holds_are_found_too() -> None:
    # 2 clusters of 2⁶¹ cells have no key of 62 bits.
    places = np.array([0, 2**61 - 1, 2**61 - 1, 0])
    found = ClusteredCells.of([5, 4, 4, 5], places, [0.5, 1.0, 2.0, 4.0])
    assert found.n_clusters == 2
    assert (found.cluster.tolist(), found.place.tolist()) == ([0, 1], [0, 2**61 - 1])
    assert_same(found.weight, [4.5, 3.0])


@pytest.mark.parametrize("rows", [([], [], None), ([4, 4], [0, 1], [0.0, 0.0])])
def test_no_rows_are_no_clusters(rows: Any) -> None:
    found = ClusteredCells.of(*rows)
    assert found.n_clusters == 0
    assert found.sums(VALUES).tolist() == []


def test_clusters_are_nested_where_none_has_rows_in_two_slices() -> None:
    cells = Cells.dense(np.ones((2, 2, 2), np.int64), classes=Classes.of("ab"))
    places = np.array([0, 3, 4, 7])  # two rows of either slice

    def of(clusters: list[int] | None) -> SlicedCells:
        groups = None if clusters is None else ClusteredCells.of(clusters, places, None)
        return SlicedCells(("by",), (("x",), ("y",)), cells, groups)

    assert of(None).is_nested is True
    assert of([5, 5, 6, 7]).is_nested is True
    assert of([5, 6, 6, 7]).is_nested is False

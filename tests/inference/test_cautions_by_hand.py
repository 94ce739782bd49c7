"""Sentences on what makes intervals of labels less sure: few rows, weights, clusters, no errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.inference.confidence import Confidence
from karat.inference.label_intervals import (
    TableIntervals,
    _few_differ,
    _of_weights,
    caution_on_few_rows,
    caution_on_no_error,
    of_few_rows,
)
from karat.inference.table_variance import TableVariance
from karat.tally import Classes, ClusteredCells
from tests.inference.tables import TABLE, cells_of, spread_of

ASKED = Confidence(0.9)


def test_labels_of_few_rows() -> None:
    """Fewer than 5; fewer than 10 where a third of those that occur are so few."""

    def few(*n: float) -> list[int]:
        return of_few_rows(np.array(n), np.array(n) > 0.0).tolist()

    assert few(4.9, 5.0, 9.9, 10.0, *[20.0] * 6) == [0]
    assert few(4.9, 5.0, 9.9, 10.0, *[20.0] * 5) == [0, 1, 2]
    assert few(9.9, 10.0, 20.0) == [0]
    assert few(9.9, 10.0, 20.0, 20.0) == []
    assert few(9.9, 9.9, 10.0, 20.0, 20.0, 20.0) == [0, 1]
    # Those that do not occur are not counted.
    assert few(9.9, 0.0, 10.0, 20.0, 0.0, 0.0) == [0]
    assert few(5.0, 20.0, 20.0, 20.0) == []
    assert few() == []


def test_sentences_on_labels_of_few_rows() -> None:
    labels = Classes.of(list("abcdefgh"))
    start, end = "Fewer than 10 true rows of ", (
        ": intervals of averages over the labels may cover the true value less often than stated."
    )  # fmt: skip
    assert caution_on_few_rows(np.arange(0), labels, "labels") == []
    assert caution_on_few_rows(np.array([6]), labels, "labels") == [f"{start}g{end}"]
    five = caution_on_few_rows(np.arange(1, 6), labels, "labels")
    assert five == [f"{start}b, c, d, e, f{end}"]
    seven = caution_on_few_rows(np.arange(1, 8), labels, "labels")
    assert seven == [f"{start}b, c, d, e, f and 2 more{end}"]


def test_sentences_on_no_error() -> None:
    found = [
        caution_on_no_error("row", Confidence(method=method))
        for method in ("default", "logit", "wald")
    ]
    start = "No row is predicted wrongly"
    default = "The default method takes the number of rows into account."
    assert found == [
        f"{start}: intervals depend on the number of rows alone.",
        f"{start}: by the method 'logit' there are no logit limits. {default}",
        f"{start}: by the method 'wald' limits have no width. {default}",
    ]


def test_remarks_on_few_rows_that_differ() -> None:
    plain = spread_of()
    assert _few_differ(1.5, plain) is None
    one = _few_differ(1.49, plain)
    assert one is not None
    assert one.endswith("at most one of them differs from the others")
    alike = TableVariance(cells_of(2.0 * TABLE, 4.0 * TABLE, n_rows=np.int64(100)))
    assert _few_differ(1.0, alike) == one
    uneven = TableVariance(cells_of(2.0 * TABLE, 5.0 * TABLE, n_rows=np.int64(100)))
    light = _few_differ(1.0, uneven)
    assert light is not None
    assert light.endswith("weigh less than two rows")


def test_weights_that_leave_few_rows() -> None:
    """Fewer than a fifth of the rows; and fewer than 25 wrong ones, heavier than others."""

    def cautions(table: Any, squares: Any, n_rows: float) -> list[str]:
        return _of_weights(spread_of(table, squares), n_rows)

    even = np.array([[40.0, 5.0], [5.0, 50.0]])
    assert cautions(even, even, 100.0) == []
    assert cautions(even, even, 500.0) == []
    (one,) = cautions(even, even, 501.0)
    assert one == "The weights differ so much that 501 rows are worth 100 of equal weight."
    # 10² ÷ 12.5 = 8 effective wrong rows. Of all 100² ÷ 102.5 = 97.6 effective rows 10 % would be
    # 9.76; 8 is below 0.85 of that.
    heavy = np.array([[40.0, 6.25], [6.25, 50.0]])
    (two,) = cautions(even, heavy, 100.0)
    assert "are worth 8.0 of equal weight: intervals may be too narrow." in two
    light = np.array([[40.0, 5.5], [5.5, 50.0]])
    # 9.09 rows, and 0.85 · 9.9 = 8.42 would be few.
    assert cautions(even, light, 100.0) == []
    right = np.diag([40.0, 50.0])
    assert cautions(right, right, 90.0) == []
    # 25 wrong rows are enough, however heavy: 60² ÷ 144 = 25.
    many = np.array([[400.0, 30.0], [30.0, 500.0]])
    enough = np.array([[400.0, 72.0], [72.0, 500.0]])
    assert cautions(many, enough, 960.0) == []
    assert len(cautions(many, enough * [[1.0, 1.01], [1.01, 1.0]], 960.0)) == 1


def clustered(table: np.ndarray, of_cells: list[list[float]]) -> TableIntervals:
    """Rows of each of four cells, in these clusters."""
    cluster = [i for i, each in enumerate(of_cells) for x in each if x]
    place = [j for each in of_cells for j, x in enumerate(each) if x]
    weight = np.array([x for each in of_cells for x in each if x], float)
    cells = ClusteredCells(len(of_cells), np.array(cluster), np.array(place), weight)
    return TableIntervals(cells_of(table), ASKED, cells)


def test_sentences_on_clusters() -> None:
    even = clustered(np.array([[20, 10], [10, 20]]), [[2, 1, 1, 2]] * 10)
    assert even.cautions == ()
    nine = clustered(np.array([[18, 9], [9, 18]]), [[2, 1, 1, 2]] * 9)
    assert nine.cautions == ("There are only 9 clusters: intervals may be inaccurate.",)
    most = [[2, 0, 0, 2]] * 10 + [[0, 30, 0, 0]]
    (found,) = clustered(np.array([[20, 30], [0, 20]]), most).cautions
    assert found.startswith("Of 11 clusters, one or two have most of the rows")


def test_sentences_on_tables() -> None:
    few = TableIntervals(cells_of([[30, 1], [1, 3]]), ASKED).cautions
    assert len(few) == 1
    assert few[0].startswith("Fewer than 10 true rows of 1: intervals of averages over the classes")
    perfect = TableIntervals(cells_of([[30, 0], [0, 30]]), ASKED).cautions
    assert perfect == (
        "No row is predicted wrongly: intervals depend on the number of rows alone.",
    )
    for table in ([[30, 1], [0, 30]], [[30, 0], [1, 30]]):
        assert TableIntervals(cells_of(table), ASKED).cautions == ()


def test_tables_of_nothing_have_no_doubts() -> None:
    nothing = np.zeros((2, 2))
    found = TableIntervals(cells_of(nothing, nothing), ASKED).cautions
    assert found == ("No row is predicted wrongly: intervals depend on the number of rows alone.",)


def test_sentences_on_replicates_of_clusters_of_fixed_classes() -> None:
    even = clustered(np.array([[20, 10], [10, 20]]), [[2, 1, 1, 2]] * 10)
    sentence = (
        "Replicates draw whole clusters, so they do not keep the number of rows of each class."
    )
    for design, method, is_doubtful in (
        ("case-control", "bootstrap", True),
        ("case-control", "default", False),
        ("cohort", "bootstrap", False),
    ):
        asked = Confidence(design=design, method=method)  # type: ignore[arg-type]
        found = TableIntervals(even.cells, asked, even.clusters).cautions
        assert (sentence in found) is is_doubtful
        assert sentence not in TableIntervals(even.cells, asked).cautions

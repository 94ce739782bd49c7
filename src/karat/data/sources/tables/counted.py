"""The engine for tables in memory: columns found by role, then counted like arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from karat.data.checks import check_unused_weights, remarks
from karat.data.roles import find_roles
from karat.data.rows import Counted, numbered
from karat.data.sources.arrays.labels import tally_columns
from karat.data.sources.tables.frames import open_frame
from karat.data.sources.tables.labels import FrameLabels, read_labels
from karat.tally.cells import Cells
from karat.tally.classes import Label

__all__ = ["count_labels", "tally_frame"]


def tally_frame(
    table: Any,
    *,
    true: str | None = None,
    pred: str | None = None,
    weights: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    cells: bool = True,
    nulls: Literal["error", "drop"] = "error",
    n_threads: int | None = None,
) -> Counted:
    """Tally of two columns of a table.

    Args:
        table: anything that `inputs.frames.open_frame` reads.
        true, pred: columns; found by their names when not given.
        weights: a column, or float[n]; a column is found by its name when not given;
            an empty name says that there is none.
        labels: the classes in order; default: the sorted labels that occur.
        positive: the positive class of two.
        cells: whether the confusion matrix is kept.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
        n_threads: threads of the count.

    Errors:
        K404 to K407 and K412 the table and its columns; else as `tally_labels`.
        Rows are those of the table, also where some were dropped.

    Cost: the columns needed are read once; other columns are not touched.
    """
    # An array of weights leaves no column of that role.
    named_weights = weights if weights is None or isinstance(weights, str) else ""
    frame = open_frame(table)
    mapping = find_roles(
        frame.names, frame.types, {"true": true, "pred": pred, "weights": named_weights}
    ).mapping
    found = {role: name for role, name in mapping.items() if name}
    if weights is None and "weights" not in found:
        check_unused_weights(frame.types.items(), found.values())
    rows = read_labels(frame, found, weights, None, nulls)
    tally = count_labels(rows, labels, positive, cells=cells, n_threads=n_threads)
    notes = (*rows.notes, *remarks(tally))
    return Counted(tally, mapping, rows.source, notes, rows.n_dropped)


def count_labels(
    rows: FrameLabels,
    labels: Sequence[Label] | None,
    positive: Label | None,
    *,
    cells: bool = True,
    n_threads: int | None = None,
) -> Cells:
    """The tally of labels that were read; errors name the rows of the table."""
    assert rows.pred is not None
    with numbered(rows.kept):
        return tally_columns(
            rows.true,
            rows.pred,
            labels=labels,
            positive=positive,
            weights=rows.weights,
            weights_argument=rows.weights_argument,
            cells=cells,
            n_threads=n_threads,
        )

"""Tables in memory: labels, weights and names of rows found by role, then counted like arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from karat.data.checks import check_unused_weights, remarks
from karat.data.clusters import encode_names, names_of_column
from karat.data.labels.column import Column, Flags, Nulls, drop_missing, taken_rows
from karat.data.labels.counting import tally_columns
from karat.data.roles import find_roles
from karat.data.rows import Counted, numbered
from karat.data.slices.codes import Key, SliceCodes, coded_values, of_columns
from karat.data.sources.tables.frames import Frame, encode_role, open_frame
from karat.data.weights import Weights, as_weights
from karat.errors import error
from karat.tally.cells import Cells
from karat.tally.classes import Label

__all__ = ["FrameLabels", "count_labels", "read_labels", "tally_frame"]


@dataclass(frozen=True, slots=True, eq=False)
class FrameLabels:
    """Rows of a table without those that are left out.

    Attributes:
        values: every column that was read, with every row.
        true, pred: the labels; `pred` is None where no column holds predictions.
        weights: float64[n], or None.
        weights_argument: what messages call them.
        names: clusters, ids and slices.
        kept: bool[m] of the rows of the table that were kept; None when all were.
        n_rows: rows of the table, m.
        source: whose table it was, and how many rows were dropped.
        by: the slices of the rows.
    """

    values: Mapping[str, Any]
    true: Column
    pred: Column | None
    weights: Weights | None
    weights_argument: str
    names: Mapping[str, Any]
    kept: Flags | None
    n_rows: int
    source: Mapping[str, Any]
    by: tuple[SliceCodes, ...] = ()

    @property
    def n_dropped(self) -> int:
        """Rows that were left out."""
        return self.n_rows - len(self.true)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell of rows that were left out."""
        n = self.n_dropped
        dropped = f"{n} of {self.n_rows} rows have a missing label and were dropped."
        return (dropped,) if n else ()


def read_labels(
    frame: Frame,
    found: Mapping[str, str],
    weights: Any,
    clusters: Any,
    nulls: Literal["error", "drop"],
    beside: Sequence[str] = (),
    role: str = "",
    groups: Sequence[Key] = (),
) -> FrameLabels:
    """Read these columns once, and leave out rows where that is allowed.

    Args:
        found: column by role: ``true``, maybe ``pred``, ``weights``, ``clusters``, ``id``, ``by``.
        weights, clusters: values of each row, where no column has the role; or None.
        nulls: ``"error"``, or ``"drop"`` to leave out rows where any of them is missing.
        beside: more columns to read.
        role: what those are for, in messages.
        groups: columns, and crosses of several, whose values and bins are slices.

    Errors:
        As `encode_role`, `as_weights` and `as_clusters`.
    """
    singles = list(dict.fromkeys(name for key in groups for name in key))
    roles = [*found, *[role] * len(beside), *["the slices"] * len(singles)]
    values = frame.columns([*found.values(), *beside, *singles], roles)
    marks: Nulls = "keep" if nulls == "drop" else "error"
    truth = encode_role(values[found["true"]], found["true"], is_prediction=False, nulls=marks)
    guess = None
    if "pred" in found:
        guess = encode_role(values[found["pred"]], found["pred"], is_prediction=True, nulls=marks)
    n_rows = len(truth)
    argument = f"Column {found['weights']!r}" if "weights" in found else "weights"
    given = values[found["weights"]] if "weights" in found else weights
    importance = None
    if given is not None and not isinstance(given, str):
        importance = as_weights(given, n_rows, argument, beside=truth.argument)
    names = _names(values, found, clusters, truth, marks)
    is_present = [~column.missing for column in names.values() if column.missing is not None]
    if importance is not None and nulls == "drop":
        is_present.append(~np.isnan(importance))
    also = np.logical_and.reduce(is_present) if is_present else None
    left, right, kept = drop_missing(truth, truth if guess is None else guess, also)
    if importance is not None and kept is not None:
        importance = importance[kept]
    return FrameLabels(
        values,
        left,
        None if guess is None else right,
        importance,
        argument,
        {role: names_of_column(taken_rows(column, kept)) for role, column in names.items()},
        kept,
        n_rows,
        {"table": frame.kind, **({} if kept is None else {"n_dropped": n_rows - len(left)})},
        tuple(
            one.at(kept)
            for one in of_columns(
                groups, {name: coded_values(values[name], name, n_rows) for name in singles}
            )
        ),
    )


def _names(
    values: Mapping[str, Any], found: Mapping[str, str], clusters: Any, truth: Column, marks: Nulls
) -> dict[str, Column]:
    given: dict[str, tuple[Any, str]] = {}
    if "clusters" in found:
        given["clusters"] = values[found["clusters"]], f"Column {found['clusters']!r}"
    elif clusters is not None and not isinstance(clusters, str):
        given["clusters"] = clusters, "clusters"
    for role, shown in (("id", "ids"), ("by", "slices")):
        if role in found:
            given[shown] = values[found[role]], f"Column {found[role]!r}"
    names = {}
    for role, (column, argument) in given.items():
        names[role] = encode_names(column, argument, marks)
        n = len(names[role])
        if n != len(truth):
            raise error("K102", left=truth.argument, n_left=len(truth), right=argument, n_right=n)
    return names


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
        table: anything that `data.sources.tables.frames.open_frame` reads.
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

"""The engine for tables in memory: columns found by role, then counted like arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from karat.engines.arrays import tally_columns
from karat.engines.checks import check_unused_weights, remarks
from karat.engines.table_rows import numbered
from karat.inputs.column import Nulls, drop_missing
from karat.inputs.frames import encode_role, open_frame
from karat.inputs.roles import find_roles
from karat.inputs.weights import as_weights
from karat.tally.cells import Cells
from karat.tally.classes import Label

__all__ = ["FrameTally", "tally_frame"]


@dataclass(frozen=True, slots=True)
class FrameTally:
    """What was counted, and from what.

    Attributes:
        cells: the tally.
        mapping: column by role: ``true``, ``pred``, ``weights``.
        source: whose table it was, and how many rows were dropped.
        warnings: sentences the reader should see.
        n_dropped: rows left out because a label or a weight was missing.
    """

    cells: Cells
    mapping: Mapping[str, str | None]
    source: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0

    def warned(self, *sentences: str) -> FrameTally:
        """The same with more for the reader to see."""
        return replace(self, warnings=(*self.warnings, *sentences))


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
) -> FrameTally:
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
    frame = open_frame(table)
    # An array of weights leaves no column of that role.
    named_weights = weights if weights is None or isinstance(weights, str) else ""
    mapping = find_roles(
        frame.names, frame.types, {"true": true, "pred": pred, "weights": named_weights}
    ).mapping
    found = {role: name for role, name in mapping.items() if name}
    if weights is None and "weights" not in found:
        check_unused_weights(frame.types.items(), found.values())
    values = frame.columns(list(found.values()), list(found))
    marks: Nulls = "keep" if nulls == "drop" else "error"
    truth = encode_role(values[found["true"]], found["true"], is_prediction=False, nulls=marks)
    guess = encode_role(values[found["pred"]], found["pred"], is_prediction=True, nulls=marks)
    n_rows = len(truth)
    argument = f"Column {found['weights']!r}" if "weights" in found else "weights"
    given = values[found["weights"]] if "weights" in found else weights
    importance = None
    if given is not None and not isinstance(given, str):
        importance = as_weights(given, n_rows, argument, beside=truth.argument)
    is_weighed = None if importance is None or nulls != "drop" else ~np.isnan(importance)
    truth, guess, kept = drop_missing(truth, guess, is_weighed)
    if importance is not None and kept is not None:
        importance = importance[kept]
    with numbered(kept):
        tally = tally_columns(
            truth,
            guess,
            labels=labels,
            positive=positive,
            weights=importance,
            weights_argument=argument,
            cells=cells,
            n_threads=n_threads,
        )
    n_dropped = n_rows - len(truth)
    source: dict[str, Any] = {"table": frame.kind}
    if not n_dropped:
        return FrameTally(tally, mapping, source, tuple(remarks(tally)))
    dropped = f"{n_dropped} of {n_rows} rows have a missing label and were dropped."
    notes = (dropped, *remarks(tally))
    return FrameTally(tally, mapping, {**source, "n_dropped": n_dropped}, notes, n_dropped)

"""Rows of a table or of files with probabilities or scores, in memory, on one class axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.engines.row_names import RowNames
from karat.errors import KaratError, error
from karat.inputs.align import align, refuse_outside
from karat.inputs.column import Column, Flags
from karat.inputs.score_columns import ScoreColumns
from karat.inputs.score_order import Placed, place_columns
from karat.inputs.scores import Scores
from karat.inputs.slice_codes import SliceCodes
from karat.inputs.weights import Weights
from karat.tally.classes import Classes

__all__ = [
    "TableRows",
    "coded_rows",
    "in_order",
    "not_scores",
    "numbered",
    "placed",
]

Codes = npt.NDArray[np.int32]

_OF_NAMES = ("K134", "K135", "K137", "K410")
_BLOCK_BYTES = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """Rows with a true class and scores.

    Attributes:
        classes: the classes, in the order of the columns of the scores.
        true: int32[n], true class of each row.
        pred: int32[n], predicted class, or None where no column holds predictions.
        scores: the matrix, its columns in the order of the classes.
        weights: float64[n], or None; not yet checked.
        mapping: column by role: ``true``, ``pred``, ``weights``; and for ``prob`` or ``score``
            the list of columns.
        source: where the rows came from.
        weights_argument: the name of the weights in messages.
        warnings: sentences the reader should see.
        n_dropped: rows left out because a label or a weight was missing.
        kept: bool[m] of the rows of the table that were kept; None when all were.
        clusters: which rows go together, or None.
        ids: what the rows are called, or None.
        slices: the slice that each row is in, or None.
        by: the slices of the rows by each column, and each cross, that was asked for.
    """

    classes: Classes
    true: Codes
    pred: Codes | None
    scores: Scores
    weights: Weights | None
    mapping: Mapping[str, str | list[str] | None]
    source: Mapping[str, Any]
    weights_argument: str = "weights"
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0
    kept: Flags | None = None
    clusters: RowNames | None = None
    ids: RowNames | None = None
    slices: RowNames | None = None
    by: tuple[SliceCodes, ...] = ()

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.true)

    def warned(self, *sentences: str) -> TableRows:
        """The same with more for the reader to see."""
        return replace(self, warnings=(*self.warnings, *sentences))


@contextmanager
def numbered(kept: Flags | None) -> Iterator[None]:
    """Errors within name the rows of the table, not of what was left of it.

    Args:
        kept: bool[m] of the rows of the table that were kept; None when all were.
    """
    try:
        yield
    except KaratError as problem:
        if kept is None or "row" not in problem.context:
            raise
        facts = {"row": int(np.flatnonzero(kept)[problem.context["row"]])}
        if "n" in problem.context:
            facts["n"] = len(kept)
        raise error(problem.code, **{**problem.context, **facts}) from None


def placed(
    chosen: ScoreColumns, k: int, true: Column, pred: Column | None, labels: Any, positive: Any
) -> Placed:
    """The classes of score columns; see `place_columns`.

    Args:
        k: the number of classes that the columns are for.
    """
    return place_columns(
        true,
        pred,
        k,
        argument=chosen.argument,
        names=chosen.names,
        endings=chosen.endings,
        how=chosen.how,
        are_places=chosen.are_places,
        labels=labels,
        positive=positive,
    )


def not_scores(problem: KaratError, chosen: ScoreColumns, *, has_pred: bool) -> str:
    """What to tell of columns that are called like scores and do not fit the classes or the files.

    Only what nobody asked for is left out, and only where predictions can be read instead.

    Errors:
        The problem itself, where it is the caller's.
    """
    if chosen.how != "found" or not has_pred or problem.code not in _OF_NAMES:
        raise problem
    lines = [line.strip() for line in str(problem).splitlines()]
    what = lines[0].partition("  ")[2]
    return f"{chosen.shown} was not read as {chosen.role}: {what} {lines[1]}"


def coded_rows(true: Column, pred: Column | None, classes: Classes) -> tuple[Codes, Codes | None]:
    """The class of each row.

    Errors:
        K109 a label is not one of the classes.
    """
    aligned = align(true, true if pred is None else pred, classes.labels)
    sides = (aligned.true,) if pred is None else (aligned.true, aligned.pred)
    codes = []
    for side in sides:
        indices = side.indices()
        if indices.min() < 0:
            raise refuse_outside(side, classes)
        codes.append(indices)
    return codes[0], codes[1] if len(codes) > 1 else None


def in_order(scores: Scores, order: tuple[int, ...] | None) -> Scores:
    """Scores with their columns in another order, moved within the matrix.

    Args:
        order: the place of each column; None when they stand in order.

    Cost: one pass, in blocks; the matrix must be owned.
    """
    if order is None:
        return scores
    values = scores.values
    places = np.array(order)
    n_block = max(1, _BLOCK_BYTES // max(1, values.itemsize * values.shape[1]))
    for start in range(0, len(values), n_block):
        block = values[start : start + n_block]
        block[:] = block[:, places]
    names = scores.columns
    if names is not None and len(names) == len(order):
        names = tuple(names[place] for place in order)
    return replace(scores, columns=names)

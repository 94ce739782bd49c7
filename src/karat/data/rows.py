"""`Rows`: the one container of rows; `Counted`: what a source counted without keeping rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.clusters import RowNames
from karat.data.labels.align import align, codes_within
from karat.data.labels.column import Column, Flags
from karat.data.scores.containers import Scores
from karat.data.slices.codes import SliceCodes
from karat.data.weights import Weights
from karat.errors import KaratError, error
from karat.tally import Cells, Classes, Label
from karat.tally.shared import if_any, recoding, taken

Codes: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Rows that a source counted without keeping them.

    Attributes:
        cells: their tally.
        mapping: column by role: ``true``, ``pred``, ``weights``.
        source: where the rows came from: files, format, table, query, filter.
        warnings: sentences the reader should see.
        n_dropped: rows left out because a label or a weight was missing.
    """

    cells: Cells
    mapping: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0

    @property
    def classes(self) -> Classes:
        """The class axis."""
        return self.cells.classes

    def warned(self, *sentences: str) -> Counted:
        """The same with more warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Rows that stand for several equal ones each; their weight is Σw.

    Attributes:
        n_rows: int64[n], how many.
        n_weighing: int64[n], how many of them have a weight above 0.
        squares: float64[n], Σw²; None without weights.
    """

    n_rows: npt.NDArray[np.int64]
    n_weighing: npt.NDArray[np.int64]
    squares: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows on one class axis; what the source does not have is absent.

    Attributes:
        classes: the classes; with scores in the order of their columns.
        true: int32[n], true class of each row.
        pred: int32[n], predicted class of each row, or None.
        scores: probabilities or scores, or None.
        weights: float64[n], or None.
        clusters: cluster of each row, or None.
        ids: name of each row, or None.
        slices: one slice of each row, or None.
        by: slices of the rows by each column, and each cross, that was requested.
        left_out: column → why it makes no slices, where a search was requested.
        cells: the tally of the labels, where there are no scores.
        name: what messages call the rows: a path, ``"the baseline"``.
        mapping: column by role: ``true``, ``pred``, ``weights``; for ``prob`` or ``score`` the
            list of columns; ``clusters`` if there are any.
        source: where the rows came from.
        warnings: sentences the reader should see.
        n_dropped: rows left out because a label or a weight was missing.
        kept: bool[m], the rows of the source that were kept; None when all were.
        weights_argument: the name of the weights in messages.
        is_owned: whether nobody else can change the arrays.
        columns: values of the columns of slices as text, of a part of the rows: they become slices
            when all have come.
        repeats: how many rows each row stands for; None: itself.
    """

    classes: Classes
    true: Codes
    pred: Codes | None = None
    scores: Scores | None = None
    weights: Weights | None = None
    clusters: RowNames | None = None
    ids: RowNames | None = None
    slices: RowNames | None = None
    by: tuple[SliceCodes, ...] = ()
    cells: Cells | None = None
    name: str = "the rows"
    mapping: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0
    kept: Flags | None = None
    weights_argument: str = "weights"
    is_owned: bool = False
    columns: Mapping[str, RowNames] = field(default_factory=dict)
    repeats: Repeats | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.true)

    @property
    def is_prob(self) -> bool:
        """Whether the scores are probabilities."""
        return self.scores is not None and self.scores.is_prob

    @property
    def values(self) -> npt.NDArray[Any] | None:
        """float[n, k], or float[n] of the positive class of two: the scores, or None."""
        return None if self.scores is None else self.scores.values

    @property
    def cluster_codes(self) -> npt.NDArray[np.int64] | None:
        """int64[n], the cluster of each row, or None."""
        return None if self.clusters is None else self.clusters.codes.astype(np.int64)

    def warned(self, *sentences: str) -> Rows:
        """The same with more warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))

    def differs(self, other: Rows) -> Flags:
        """bool[n]: rows of which the other, on the same classes, says another truth."""
        return np.asarray(self.true != other.true, np.bool_)

    def truth_at(self, row: int) -> Label:
        """The true label of a row."""
        return self.classes.labels[int(self.true[row])]

    def weighing(self, weights: Weights | None) -> Rows:
        """The same with other weights."""
        return replace(self, weights=weights)

    def at(self, rows: npt.NDArray[Any]) -> Rows:
        """Some of the rows: bool[n], or their places; no longer counted."""
        some: dict[str, Any] = {
            name: if_any(lambda values: values.at(rows), getattr(self, name))
            for name in ("scores", "clusters", "ids", "slices")
        }
        for name in ("true", "pred", "weights"):
            some[name] = taken(getattr(self, name), rows)
        by = tuple(one.at(rows) for one in self.by)
        return replace(self, **some, by=by, cells=None, kept=None)

    def on(self, classes: Classes) -> Rows:
        """The same rows on a class axis that holds every class of theirs."""
        if classes.labels == self.classes.labels:
            return replace(self, classes=classes)
        lut = recoding(self.classes, classes)
        pred = if_any(lut.__getitem__, self.pred)
        return replace(self, classes=classes, true=lut[self.true], pred=pred, cells=None)


@contextmanager
def numbered(kept: Flags | None) -> Iterator[None]:
    """Errors within name the rows of the source, not of what was left of it: bool[m], or None."""
    try:
        yield
    except KaratError as problem:
        if kept is None or "row" not in problem.context:
            raise
        facts = {"row": int(np.flatnonzero(kept)[problem.context["row"]])}
        if "n" in problem.context:
            facts["n"] = len(kept)
        raise error(problem.code, **{**problem.context, **facts}) from None


@contextmanager
def numbered_from(start: int) -> Iterator[None]:
    """Errors within name the rows of a source of which so many rows came before."""
    try:
        yield
    except KaratError as problem:
        if "row" not in problem.context or not start:
            raise
        facts = {**problem.context, "row": problem.context["row"] + start}
        facts["numbering"] = f"The count is of rows from {start} on."
        raise error(problem.code, **facts) from None


def coded_rows(true: Column, pred: Column | None, classes: Classes) -> tuple[Codes, Codes | None]:
    """The class of each row (K109: a label is not one of the classes)."""
    aligned = align(true, true if pred is None else pred, classes.labels)
    codes = codes_within(aligned.true, classes)
    return codes, None if pred is None else codes_within(aligned.pred, classes)

"""`Rows`: the container of rows; `Counted`: a tally of rows that were not kept."""

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
from karat.errors import KaratError
from karat.tally import Cells, Classes, Label
from karat.tally.folds import FoldColumns
from karat.tally.score_kind import ScoreKind
from karat.tally.shared import if_any, recoding, taken

Codes: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Rows that a source counted without keeping them.

    Attributes:
        cells: the tally of the rows.
        mapping: column by role: ``true``, ``pred``, ``weights``.
        source: origin of the rows: files, format, table, query, filter.
        warnings: sentences for the reader.
        n_dropped: number of rows left out because a label or a weight is missing.
        unverified: predicted label → number of rows left out because their truth is missing.
    """

    cells: Cells
    mapping: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0
    unverified: Mapping[Label, int] = field(default_factory=dict)

    @property
    def classes(self) -> Classes:
        """The class axis."""
        return self.cells.classes

    def warned(self, *sentences: str) -> Counted:
        """Return the same tally with more warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Multiplicities of rows that each represent several equal ones; their weight is Σw.

    Attributes:
        n_rows: int64[n], number of equal rows.
        n_weighing: int64[n], number of those with a weight above 0.
        squares: float64[n], Σw²; None without weights.
    """

    n_rows: npt.NDArray[np.int64]
    n_weighing: npt.NDArray[np.int64]
    squares: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows on one class axis, with optional fields.

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
        folds: the columns of folds, whose slices are among those of `by`; or None.
        left_out: column → why it has no slices, if a search was requested.
        cells: the tally of the labels, if there are no scores.
        name: name of the rows in messages: a path, ``"the baseline"``.
        mapping: column by role: ``true``, ``pred``, ``weights``; for ``prob``, ``logit`` or
            ``score`` the list of columns; ``clusters`` if there are any.
        source: origin of the rows.
        warnings: sentences for the reader.
        n_dropped: number of rows left out because a label or a weight is missing.
        unverified: predicted label → number of rows left out because their truth is missing.
        kept: bool[m], the kept rows of the source; None if all are kept.
        weights_argument: the name of the weights in messages.
        is_owned: whether no other code can change the arrays.
        columns: values of the columns of slices as text, for a part of the rows: they become slices
            after all are read.
        repeats: multiplicity of each row; None: 1.
        id_values: ids of the rows of the source, [m] in any container, of rows that are listed.
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
    id_values: Any = None
    folds: FoldColumns | None = None
    unverified: Mapping[Label, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.true)

    @property
    def has_predictions(self) -> bool:
        """True if a class is predicted for each row, once those of scores were settled."""
        return self.pred is not None or self.scores is None

    @property
    def kind(self) -> ScoreKind | None:
        """Whether the scores are probabilities, logits or others; None without any."""
        return None if self.scores is None else self.scores.kind

    @property
    def is_prob(self) -> bool:
        """True if the scores are probabilities."""
        return self.kind == "probabilities"

    @property
    def values(self) -> npt.NDArray[Any] | None:
        """float[n, k], or float[n] of the positive class of two: the scores, or None."""
        return None if self.scores is None else self.scores.values

    @property
    def cluster_codes(self) -> npt.NDArray[np.int64] | None:
        """int64[n], the cluster of each row, or None."""
        return None if self.clusters is None else self.clusters.codes.astype(np.int64)

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters of rows with a weight; None if each row is one of its own."""
        if self.clusters is None:
            return None
        codes = self.clusters.codes
        return len(np.unique(codes if self.weights is None else codes[self.weights > 0.0]))

    def warned(self, *sentences: str) -> Rows:
        """Return the same rows with more warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))

    def differs(self, other: Rows) -> Flags:
        """bool[n]: whether the true class differs from that of the other, on the same classes."""
        return np.asarray(self.true != other.true, np.bool_)

    def truth_at(self, row: int) -> Label:
        """Return the true label of a row."""
        return self.classes.labels[int(self.true[row])]

    def weighing(self, weights: Weights | None) -> Rows:
        """Return the same rows with other weights."""
        return replace(self, weights=weights)

    def at(self, rows: npt.NDArray[Any]) -> Rows:
        """Return some of the rows: bool[n], or their indices; without their tally."""
        some: dict[str, Any] = {
            name: if_any(lambda values: values.at(rows), getattr(self, name))
            for name in ("scores", "clusters", "ids", "slices")
        }
        for name in ("true", "pred", "weights"):
            some[name] = taken(getattr(self, name), rows)
        by = tuple(one.at(rows) for one in self.by)
        return replace(self, **some, by=by, cells=None, kept=None, id_values=None)

    def on(self, classes: Classes) -> Rows:
        """Return the same rows on a class axis that contains all of their classes."""
        if classes.labels == self.classes.labels:
            return replace(self, classes=classes)
        lut = recoding(self.classes, classes)
        pred = if_any(lut.__getitem__, self.pred)
        return replace(self, classes=classes, true=lut[self.true], pred=pred, cells=None)


@contextmanager
def numbered(kept: Flags | None) -> Iterator[None]:
    """Context in which errors number the rows of the source, given the kept ones: bool[m]."""
    try:
        yield
    except KaratError as problem:
        if kept is None or "row" not in problem.context:
            raise
        facts = {"row": int(np.flatnonzero(kept)[problem.context["row"]])}
        if "n" in problem.context:
            facts["n"] = len(kept)
        raise problem.but(**facts) from None


@contextmanager
def numbered_from(start: int) -> Iterator[None]:
    """Context in which errors number rows after this many earlier ones."""
    try:
        yield
    except KaratError as problem:
        if "row" not in problem.context or not start:
            raise
        numbering = f"The count is of rows from {start} on."
        raise problem.but(row=problem.context["row"] + start, numbering=numbering) from None


def coded_rows(true: Column, pred: Column | None, classes: Classes) -> tuple[Codes, Codes | None]:
    """Return the class of each row (K109: a label is not one of the classes)."""
    aligned = align(true, true if pred is None else pred, classes.labels)
    codes = codes_within(aligned.true, classes)
    return codes, None if pred is None else codes_within(aligned.pred, classes)

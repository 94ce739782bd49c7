"""Rows in memory: arguments of arrays, lists and columns, matched by position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from karat.data.arguments import check_threads
from karat.data.checks import doubts_of_order
from karat.data.clusters import RowNames, as_clusters
from karat.data.labels.align import align
from karat.data.labels.column import check_lengths
from karat.data.labels.containers import encode
from karat.data.labels.counting import tally_columns
from karat.data.rows import Rows
from karat.data.scores.classes import are_places, both_decide, coded_guess, matched
from karat.data.scores.containers import Scores
from karat.data.scores.order import unnamed_classes
from karat.data.slices.codes import SliceCodes, as_slices
from karat.data.slices.folds import folds_of_arrays
from karat.data.weights import as_weights
from karat.errors import error
from karat.tally.folds import FoldColumns


@dataclass(frozen=True, slots=True)
class RowArguments:
    """What is given beside the labels of rows in memory.

    Attributes:
        labels: the classes in order, with scores that of their columns; None: as they occur.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        weights: float[n], or None.
        clusters: one name or number for each row, or None.
        by: grouping for slices, see `as_slices`; or None.
        folds: fold of each row, see `folds_of_arrays`; or None.
        threshold: score at or above which the positive class of two is predicted; not with y_pred.
        n_threads: None means KARAT_NUM_THREADS, else all cores.
    """

    labels: Any = None
    positive: Any = None
    weights: Any = None
    clusters: Any = None
    by: Any = None
    folds: Any = None
    threshold: Any = None
    n_threads: int | None = None

    def beside(self) -> dict[str, Any]:
        """Values of each row, by argument."""
        return {name: getattr(self, name) for name in ("weights", "clusters", "by", "folds")}


NONE: Final = RowArguments()


def label_rows(y_true: Any, y_pred: Any, options: RowArguments = NONE) -> Rows:
    """Return true and predicted labels as rows on their class axis, with their tally.

    Errors:
        As `tally_labels`, `as_clusters`, `as_slices` and `folds_of_arrays`.
    """
    true, pred = encode(y_true, "y_true"), encode(y_pred, "y_pred")
    n = len(true)
    importance = None if options.weights is None else as_weights(options.weights, n)
    cells = tally_columns(
        true,
        pred,
        labels=options.labels,
        positive=options.positive,
        weights=importance,
        n_threads=options.n_threads,
    )
    aligned = align(true, pred, cells.classes.labels)
    columns, slices = _split(options.by, options.folds, n)
    return Rows(
        cells.classes,
        aligned.true.indices(),
        aligned.pred.indices(),
        weights=importance,
        clusters=None if options.clusters is None else clusters_of_rows(options.clusters, n),
        by=slices,
        folds=columns,
        cells=cells,
        warnings=tuple(doubts_of_order(y_true, "y_true", y_pred=y_pred, **options.beside())),
    )


def score_rows(
    y_true: Any, scores: Scores, y_pred: Any = None, options: RowArguments = NONE
) -> Rows:
    """Return rows with scores.

    Args:
        y_true: one label for each row.
        scores: the matrix, see `data.scores.containers.as_scores`.
        y_pred: predicted labels, if they differ from those of the scores.

    Errors:
        K101 to K124 labels, weights; K134, K135 classes and columns; K140 a threshold together with
        y_pred.
    """
    labels, threshold, n_threads = options.labels, options.threshold, options.n_threads
    check_threads(n_threads)
    true = encode(y_true, "y_true")
    n = len(true)
    if n != scores.n:
        raise error("K102", left="y_true", n_left=n, right=scores.argument, n_right=scores.n)
    given = {"y_pred": y_pred, scores.argument: scores}
    beside = {**given, **options.beside()}
    scores = replace(scores, index=None)
    scores, classes, codes = matched(true, scores, labels, options.positive, n_threads or 0)
    of_columns = []
    if labels is None and scores.columns is not None and not are_places(scores.columns):
        of_columns = unnamed_classes(scores.columns, classes, scores.kind)
    pred = None
    if y_pred is not None:
        if threshold is not None:
            raise both_decide("y_pred", threshold)
        guess = encode(y_pred, "y_pred")
        check_lengths(true, guess)
        pred = coded_guess(guess, classes, scores, is_declared=labels is not None)
    importance = None if options.weights is None else as_weights(options.weights, n)
    columns, slices = _split(options.by, options.folds, n)
    return Rows(
        classes,
        codes,
        pred,
        scores,
        importance,
        clusters=None if options.clusters is None else clusters_of_rows(options.clusters, n),
        by=slices,
        folds=columns,
        warnings=(*of_columns, *doubts_of_order(y_true, "y_true", **beside)),
    )


def _split(by: Any, folds: Any, n: int) -> tuple[FoldColumns | None, tuple[SliceCodes, ...]]:
    """Return the columns of folds, and the slices of rows; those of folds are the last."""
    slices = () if by is None else as_slices(by, n)
    if folds is None:
        return None, slices
    columns, codes = folds_of_arrays(folds, n)
    others = tuple(one for one in slices if one.columns != codes.columns)
    return replace(columns, is_slice=len(others) < len(slices)), (*others, codes)


def clusters_of_rows(clusters: Any, n: int) -> RowNames:
    """Return the cluster of each row as a number; errors as in `as_clusters`."""
    return RowNames("clusters", as_clusters(clusters, n).astype(np.int32), ())

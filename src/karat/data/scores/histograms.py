"""Conversion of in-memory rows with scores to `ScoreHistograms`, and of its sample to rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.scores.rows import InMemoryScores
from karat.errors import error
from karat.tally.row_sample import RowSample
from karat.tally.score_histogram import EXACT, ScoreHistogram
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.score_kind import ARGUMENTS
from karat.tally.sums import LOSSES

Floats: TypeAlias = npt.NDArray[np.float64]

_SAMPLE_BYTES: Final = 1 << 24
_SAMPLE_ROWS: Final = (64, 1 << 15)
"""Smallest (unless memory is short) and largest number of rows of each class in a sample."""
_LEAST_LEVELS: Final = 1 << 8
_USUAL_LEVELS: Final = 1 << 12
_LEAST_BYTES: Final = 1 << 24
"""Memory of histograms of `_USUAL_LEVELS`, if less memory is given."""


def room_of(
    k: int,
    *,
    is_prob: bool,
    is_single: bool,
    is_weighted: bool,
    n_bytes: int,
    keeps_columns: bool = True,
) -> tuple[int, int]:
    """Return the numbers of score levels, and of rows of each class, that fit into this memory.

    Half of the memory is used, since merging needs both histograms and their sum.

    Errors:
        K147 histograms of this size would have almost no information: there are too many classes.
    """
    if not (is_single or keeps_columns):
        return 1, 1
    n_tables = 1 if is_single else (k if is_prob else 2 * k) + 1
    level = 8 * (3 + (2 if is_weighted else 1) * k)
    rows = _SAMPLE_BYTES // (8 * k * ((1 if is_single else k) + 4))
    least, most = _SAMPLE_ROWS
    each = 2 * n_tables * level
    limit = max(n_bytes // each, min(_USUAL_LEVELS, _LEAST_BYTES // each))
    if limit < _LEAST_LEVELS:
        raise error("K147", k=k, given=n_bytes, needed=_LEAST_LEVELS * each)
    return limit, int(np.clip(rows, min(least, 8), most))


def histograms_of(
    rows: InMemoryScores,
    limit: int,
    n_sampled: int,
    like: ScoreHistograms | None = None,
    *,
    is_frequency: bool = False,
    keeps_columns: bool = True,
) -> ScoreHistograms:
    """Return the histograms of rows.

    Args:
        rows: the rows.
        limit: largest number of score levels of each histogram.
        n_sampled: largest number of rows of each class in the sample.
        like: histograms to be merged with, which limit the precision.
        is_frequency: whether a row of weight 3 stands for three independent rows.
        keeps_columns: whether there are histograms, or the counts and the losses alone.

    Errors:
        K13x a value is not a probability or not finite; K113 to K115, K125 invalid weights.

    Cost: a read, and a sort of each column.
    """
    names = (*LOSSES, "ranks")
    rows.read(names, predicted=True)
    k, weights = rows.classes.k, rows.weights
    is_single = rows.scores.values.ndim == 1
    levels = iter(like.histograms) if like is not None else None

    def table(column: Any, codes: Any, n_classes: int) -> ScoreHistogram:
        bits = EXACT if levels is None else next(levels).bits
        return ScoreHistogram.of(column, codes, n_classes, weights, bits).within(limit)

    def histograms(of: Sequence[int], *, is_prob: bool) -> tuple[ScoreHistogram, ...]:
        return tuple(table(rows.column_values(i, is_prob=is_prob), rows.codes, k) for i in of)

    positive = rows.classes.positive
    assert not is_single or positive is not None
    # In the order of `ScoreHistograms.histograms`.
    columns: Sequence[int] = [positive or 0] if is_single else range(k if keeps_columns else 0)
    ranks = histograms(columns, is_prob=False)
    probabilities = histograms(() if is_single or rows.is_prob else columns, is_prob=True)
    confidences = None
    if columns and not is_single:
        sure, is_right = rows.confidence_values()
        confidences = table(sure, is_right, 2)
    some = slice(None) if columns else slice(0)
    found = ScoreHistograms(
        rows.cells(),
        rows.sums(names),
        ranks,
        probabilities,
        confidences,
        RowSample.of(
            rows.scores.values[some],
            rows.codes[some],
            k,
            n_sampled,
            None if weights is None else weights[some],
        ),
        rows.kind,
        limit,
        rows.pred is not None,
    )
    return _as_rows(found, rows) if is_frequency and rows.is_weighted else found


def repeated(table: ScoreHistogram) -> ScoreHistogram:
    """Return the histogram of rows repeated by their weights: Σw² of each is its Σw."""
    return replace(table, squares=table.counts)


def _as_rows(found: ScoreHistograms, rows: InMemoryScores) -> ScoreHistograms:
    """Return histograms with the squares of repeated rows: Σw in place of Σw²."""
    assert rows.weights is not None
    # With square roots as weights, a sum of squares is a sum of weights.
    roots = replace(rows, rows=replace(rows.rows, weights=np.sqrt(rows.weights)))
    sums = found.sums
    squares = roots.sums(LOSSES).w2_loss2
    return replace(
        found,
        sums=replace(sums, weight2=sums.weight, w2_loss=sums.w_loss, w2_loss2=squares),
        ranks=tuple(map(repeated, found.ranks)),
        probabilities=tuple(map(repeated, found.probabilities)),
        confidences=None if found.confidences is None else repeated(found.confidences),
    )


def sampled_rows(
    histograms: ScoreHistograms, *, is_frequency: bool = False
) -> tuple[InMemoryScores, Floats]:
    """Return the rows of the sample, weighted by the rows that they represent, and Σw² of those."""
    sample, truth = histograms.sample, np.asarray(histograms.sums.truth, np.float64)
    each = np.ones(len(sample)) if sample.weights is None else sample.weights
    weights = sample.repeats * each
    kept = np.bincount(sample.codes, weights, histograms.classes.k)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(kept > 0, truth / kept, 0.0)[sample.codes]
    values = sample.values[:, 0] if sample.values.shape[1] == 1 else sample.values
    argument = ARGUMENTS[histograms.kind]
    scores = Scores(argument, np.ascontiguousarray(values), None, 1.0)
    codes = sample.codes.astype(np.int32)
    rows = Rows(histograms.classes, codes, None, scores, share * weights)
    return InMemoryScores(rows, n_threads=1), share * weights * (1.0 if is_frequency else each)

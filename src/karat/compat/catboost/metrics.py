"""CatBoost's metrics of the predicted class and of raw scores, with its conventions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat._counted import Counted, count
from karat.compat.catboost.description import Description, refused
from karat.compat.catboost.rows import Codes, Rows
from karat.data import rows as data_rows
from karat.data.scores.containers import Scores
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import rank
from karat.data.scores.rows import InMemoryScores
from karat.metrics import ClassRanks, PairRanks
from karat.metrics._lift import Lift
from karat.tally import Classes
from karat.tally.sums import READ_BITS

Value = Callable[[Counted, Description], Any]

_LIFTS: Final[dict[str, Lift]] = {"Macro": "macro", "Micro": "micro", "Weighted": "weighted"}


def of_predicted(rows: Rows, metric: Description) -> list[float]:
    """The values of a metric of the predicted class; of one column of scores, that of class 1."""
    if rows.n_columns is None:
        pred = (rows.scores > _logit(metric.border)).astype(np.int32)
    else:
        bits, n_threads = READ_BITS["predicted"], rows.n_threads
        sums = _native.read_scores(
            rows.scores, rows.codes, rows.k, None, False, 0.0, bits, n_threads
        )
        assert sums.predicted is not None
        pred = sums.predicted
    counted = count(rows.codes, pred, rows.k, weights=rows.weights, n_threads=rows.n_threads)
    is_micro = metric.name == "TotalF1" and metric.average != "Macro"
    if rows.weighs_nothing and (is_micro or metric.name in ("Kappa", "WKappa")):
        return [math.nan]  # as CatBoost
    value = ARGMAX[metric.name](counted, metric)
    if not metric.is_per_class:
        return [float(value)]
    each: list[float] = np.asarray(value).tolist()
    return each[1:] if rows.n_columns is None else each


def _logit(border: float) -> float:
    if border in (0.0, 1.0):
        return math.inf if border else -math.inf
    return math.log(border / (1.0 - border))


def _with(name: str, otherwise: float, lift: Lift = "plain") -> Value:
    """A metric of karat, with a value of CatBoost's where it is undefined."""
    return lambda counted, metric: _filled(counted.value(name, lift), otherwise)


def _filled(value: Any, otherwise: float) -> Any:
    return np.where(np.isnan(value), otherwise, value)


ARGMAX: Final[dict[str, Value]] = {
    "Accuracy": _with("accuracy", 0.0),
    "HammingLoss": _with("hamming_loss", 0.0),
    "ZeroOneLoss": _with("zero_one_loss", math.nan),
    "Precision": _with("precision", 0.0, "per_class"),
    "Recall": _with("recall", 1.0, "per_class"),
    "F": lambda counted, metric: _filled(
        counted.value("f_beta", "per_class", beta=metric.beta), 1.0
    ),
    "F1": _with("f1", 1.0, "per_class"),
    # A class that is neither true nor predicted counts as 0 here, though its F1 is 1.
    "TotalF1": lambda counted, metric: counted.value("f1", _LIFTS[metric.average], "zero"),
    "MCC": _with("matthews_correlation", 0.0),
    "Kappa": _with("kappa", -1.0),
    "WKappa": _with("kappa_quadratic", -1.0),
}
"""Name → its value, or one for each class, from the confusion matrix."""


Floats = npt.NDArray[np.float64]

_LOSSES: Final = {
    "MultiClass": "negative_log_probability",
    "MultiClassOneVsAll": "binary_negative_log_probability",
    "HingeLoss": "margin",
}
_LEAST_EXPONENT: Final = -708.39641853226408
_AT_A_TIME: Final = 4
"""Where CatBoost's exponential ends, and how many columns it takes at a time."""
_LAST_BITS: Final = (1 << 16) - 1
_TIED: Final = 1e-8
"""Neighboring scores closer than this are one threshold of PRAUC."""


def of_losses(rows: Rows, metric: Description) -> list[float]:
    """The mean of a loss over the rows; 0 when no row weighs anything."""
    if rows.weighs_nothing:
        return [0.0]
    name = _LOSSES[metric.name]
    return [_tally(rows).sums([name]).mean(name)]


def of_areas(rows: Rows, metric: Description) -> list[float]:
    """AUC or PRAUC: one value, or one for each class."""
    if metric.name == "PRAUC":
        return _pr_areas(rows, metric)
    if rows.n_columns is None:
        return [_area_of_one_column(rows, metric)]
    if metric.type != "OneVsAll":
        return [_mu(rows, metric)]
    if rows.weighs_nothing:
        return [math.nan if _has_both_sides(rows.codes, i) else 0.0 for i in range(rows.k)]
    return [_area(rows, column, i) for i, column in enumerate(_softmax(rows))]


def _tally(rows: Rows) -> InMemoryScores:
    classes = Classes.of(range(rows.k), is_declared=True)
    scores = Scores("y_score", rows.scores)
    found = data_rows.Rows(classes, rows.codes, None, scores, rows.weights)
    return InMemoryScores(found, n_threads=rows.n_threads)


def _area_of_one_column(rows: Rows, metric: Description) -> float:
    """AUC of class 1; a label between 0 and 1 is a row of either class with a share of weight."""
    labels = rows.labels
    assert labels is not None
    if labels.min() < 0.0 or labels.max() > 1.0:
        found = "All target values should be in the segment [0, 1]"
        raise refused(metric.text, found, "Give labels 0 and 1, or the probability of class 1.")
    if not ((labels == 0.0) | (labels == 1.0)).all():
        weights = np.ones(len(labels)) if rows.weights is None else rows.weights
        shares = np.concatenate([weights * labels, weights * (1.0 - labels)])
        kept = shares > 0.0
        codes = np.repeat(np.array([1, 0], np.int32), len(labels))[kept]
        scores = np.tile(rows.scores, 2)[kept]
        rows = replace(rows, scores=scores, codes=codes, weights=shares[kept])
    return _area(rows, rows.scores, 1)


def _area(rows: Rows, column: Floats, own: int) -> float:
    """Area of one class against the rest: 0 without rows of either, NaN without their weight."""
    return _ranks(rows, column, own).area if _has_both_sides(rows.codes, own) else 0.0


def _ranks(rows: Rows, column: Floats, own: int) -> ClassRanks:
    n_threads = rows.n_threads or None
    return ClassRanks(rank(column, rows.codes, own, rows.k, rows.weights, n_threads))


def _has_both_sides(codes: Codes, own: int) -> bool:
    return 0 < int(np.count_nonzero(codes == own)) < len(codes)


def _softmax(rows: Rows) -> Floats:
    """float64[k, n]: probabilities, added column by column.

    CatBoost's exponential takes four columns at a time and holds what is far below the largest
    score at its least value; in the columns that are left over it is 0 there. So rows whose
    probability is next to nothing tie in some columns and are ordered by their sum in others.
    """
    k = rows.k
    columns: Floats = _native.copy_columns(rows.scores, 0, k, rows.n_threads)
    with np.errstate(over="ignore"):  # a gap of more than any number is infinite
        columns -= columns.max(axis=0)
    held, left = columns[: k - k % _AT_A_TIME], columns[k - k % _AT_A_TIME :]
    np.maximum(held, _LEAST_EXPONENT, out=held)
    is_zero = left < _LEAST_EXPONENT
    np.exp(columns, out=columns)
    left[is_zero] = 0.0
    total = columns[0].copy()
    for column in columns[1:]:
        total += column
    columns /= total
    return columns


def _mu(rows: Rows, metric: Description) -> float:
    """Mean over all pairs of classes; one with an absent class counts as 0."""
    k = rows.k
    counts = np.bincount(rows.codes, minlength=k)
    i, j = np.triu_indices(k, 1)
    is_there = (counts[i] > 0) & (counts[j] > 0)
    if rows.weighs_nothing:
        return math.nan if is_there.any() else 0.0
    if metric.cost is None:
        rows = replace(rows, scores=_less_their_sum(rows.scores))
    try:
        areas, totals = _tally(rows).pair_areas(metric.cost)
    except _native.Rejected:
        found = "A cost times a score is larger than a float64"
        raise refused(metric.text, found, "Multiply the costs by one small constant.") from None
    chance = np.where(is_there, PairRanks(areas, totals).matrix[i, j], 0.0)
    return float(2.0 * chance.sum() / (k * (k - 1)))


def _less_their_sum(scores: Floats) -> Floats:
    """Scores less the sum of their row, added column by column.

    CatBoost orders a pair of classes by (Σa − a[j]) − (Σa − a[i]): which rows tie is decided by
    the rounding of these differences, not by a[i] − a[j].
    """
    total = scores[:, 0].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for column in scores.T[1:]:
            total += column
        less = scores - total[:, None]
    return less if np.isfinite(less).all() else scores


def _pr_areas(rows: Rows, metric: Description) -> list[float]:
    columns: Columns | dict[int, Floats]
    if rows.n_columns is None:
        classes, columns = [1], {1: rows.scores}
        # CatBoost takes a label of exactly 1 for positive here, and one above 0.5 elsewhere.
        assert rows.labels is not None
        rows = replace(rows, codes=(rows.labels == 1.0).astype(np.int32))
    else:
        classes, columns = list(range(rows.k)), Columns(rows.scores, rows.n_threads)
    weights = np.bincount(rows.codes, rows.weights, minlength=rows.k)
    absent = [i for i in classes if not weights[i] > 0.0]
    if absent:
        found = "No element of a positive class"
        do = f"Class {absent[0]} has no row with weight; CatBoost computes all classes or none."
        raise refused(metric.text, found, do)
    return [_ranks(rows, _without_near_ties(columns[i]), i).trapezoid_area for i in classes]


def _without_near_ties(column: Floats) -> Floats:
    """Scores, where each of a chain of near neighbors is the lowest of the chain.

    Rows of weight 0 are links of a chain as well.
    """
    ordered = _native.sorted_numbers(np.ascontiguousarray(column), 0)
    gaps = np.diff(ordered)
    if not ((gaps > 0.0) & (gaps < _TIED)).any():
        return column
    is_first = np.concatenate([[True], gaps >= _TIED])
    lowest = ordered[is_first][np.cumsum(is_first) - 1]
    is_moved = np.concatenate([[False], gaps > 0.0]) & (lowest != ordered)
    moved, targets = ordered[is_moved], lowest[is_moved]
    # Few scores move as a rule: rows are looked up only where their last bits are those of one.
    seen = np.zeros(_LAST_BITS + 1, bool)
    seen[moved.view(np.int64) & _LAST_BITS] = True
    rows = np.flatnonzero(seen[column.view(np.int64) & _LAST_BITS])
    place = np.minimum(np.searchsorted(moved, column[rows]), len(moved) - 1)
    is_found = moved[place] == column[rows]
    merged = column.copy()
    merged[rows[is_found]] = targets[place[is_found]]
    return merged

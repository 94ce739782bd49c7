"""True and false positives at every distinct score, best first: what all curves are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._arrays import as_column, check_lengths, refuse_infinite
from karat.compat.sklearn._rows import plain_classes, summed_weights
from karat.compat.sklearn._targets import as_weights, kind_of_target, positive_label
from karat.data.scores.ranking import Ranked, rank

__all__ = ["Steps", "plain_scores", "ranked", "same_kind", "steps_of", "steps_of_rows"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_EXACT = 1 << 53


@dataclass(slots=True)
class Steps:
    """Counts, or weights, at or above each distinct score.

    Attributes:
        fps, tps: float64[u], rows of the rest and of the positive class.
        thresholds: the scores, descending, in the dtype given.
        n_classes: distinct labels of the truth.
    """

    fps: Floats
    tps: Floats
    thresholds: Array
    n_classes: int


def steps_of(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, *, in_row_order: bool = False
) -> Steps:
    """Steps of a truth and its scores.

    Args:
        in_row_order: weights of equal scores are added one row after the other, to the last bit
            as scikit-learn adds them.

    Errors:
        ValueError a truth of more than two classes without a positive one; lengths that differ;
        NaN and infinity; weights that are all 0.
    """
    found = _plain(y_true, y_score, pos_label)
    if found is not None:
        codes, column, n_classes = found
        if in_row_order and sample_weight is not None:
            return steps_of_rows(codes, y_score, sample_weight, n_classes)
        made = ranked(column, codes, sample_weight)
        if made is not None:
            return _from_cumulative(made, y_score, n_classes)
    kind = kind_of_target(y_true, "y_true")
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise ValueError(f"{kind} format is not supported")
    pos_label = positive_label(pos_label, y_true)
    truth = np.asarray(y_true)
    is_positive = np.asarray(truth == pos_label, np.int32)
    return steps_of_rows(is_positive, y_score, sample_weight, len(np.unique(truth)))


def steps_of_rows(
    is_positive: Array, y_score: Any, sample_weight: Any, n_classes: int = 2
) -> Steps:
    """Steps of 0 and 1, after every check, added one row after the other."""
    check_lengths(is_positive, y_score, sample_weight)
    truth, scores = as_column(is_positive), as_column(y_score)
    refuse_infinite(truth)
    refuse_infinite(scores)
    weights: Any = 1.0
    if sample_weight is not None:
        weights = as_weights(as_column(sample_weight), truth, "weights")
        is_kept = weights != 0
        truth, scores, weights = truth[is_kept], scores[is_kept], weights[is_kept]
    order = np.argsort(scores[::-1], stable=True)[::-1]
    order = len(scores) - 1 - order
    truth, scores = truth[order].astype(np.float64), scores[order]
    if sample_weight is not None:
        weights = weights[order]
    last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    tps = np.cumsum(truth * weights, dtype=np.float64)[last]
    if sample_weight is None:
        fps = 1 + last.astype(np.float64) - tps
    else:
        fps = np.cumsum((1 - truth) * weights, dtype=np.float64)[last]
    return Steps(fps, tps, scores[last], n_classes)


def plain_scores(given: Any) -> Array | None:
    """Scores as a column of floats; None where a check may fail."""
    if isinstance(given, np.ndarray):
        scores: Array = given
    else:
        if not hasattr(given, "__array__") and not isinstance(given, list | tuple):
            return None
        try:
            scores = as_column(given)
        except Exception:  # the careful way says what is wrong
            return None
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1 or not len(scores):
        return None
    if scores.dtype in (np.float64, np.float32):
        return np.asarray(scores)
    if scores.dtype.kind == "f" and scores.dtype.itemsize < 4:
        return scores.astype(np.float32)
    if scores.dtype.kind in "iub" and abs(int(scores.max())) + abs(int(scores.min())) < _EXACT:
        return scores.astype(np.float64)
    return None


def ranked(
    column: Array, codes: Codes, sample_weight: Any, own: int = 1, k: int = 2
) -> Ranked | None:
    """Rows in the order of one column, sorted natively; None where a check may fail."""
    is_plain, weights = summed_weights(sample_weight, len(codes))
    if not is_plain or len(column) != len(codes):
        return None
    try:
        made = rank(column, codes, own, k, weights)
    except (ValueError, TypeError):
        return None
    return made if weights is None or made.totals.any() else None


def same_kind(classes: Array, label: Any) -> bool:
    """Whether a label can equal one of the classes without being converted."""
    is_text = classes.dtype.kind == "U"
    return isinstance(label, str) if is_text else isinstance(label, int | float | np.number)


def _plain(y_true: Any, y_score: Any, pos_label: Any) -> tuple[Codes, Array, int] | None:
    found = plain_classes(y_true)
    column = None if found is None else plain_scores(y_score)
    if found is None or column is None or len(found[0]) != len(column):
        return None
    codes, classes = found
    if pos_label is None:
        try:
            pos_label = positive_label(None, classes)
        except ValueError:
            return None
    elif not same_kind(classes, pos_label):
        return None
    is_own = classes == pos_label
    if len(classes) == 2 and is_own[1]:
        return codes, column, 2
    return is_own.astype(np.int32)[codes], column, len(classes)


def _from_cumulative(made: Ranked, y_score: Any, n_classes: int) -> Steps:
    cumulative = made.cumulative()
    counts, scores = cumulative.counts, cumulative.scores
    if cumulative.squares is not None:
        # Rows of weight 0 are no rows.
        is_kept = counts.any(axis=1)
        counts, scores = counts[is_kept], scores[is_kept]
    fps, tps = (np.cumsum(counts[:, i], dtype=np.float64) for i in (0, 1))
    dtype = getattr(y_score, "dtype", None)
    if not isinstance(dtype, np.dtype):
        dtype = np.asarray(y_score).dtype
    return Steps(fps, tps, scores.astype(dtype, copy=False), n_classes)

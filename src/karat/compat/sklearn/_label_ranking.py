"""Metrics of the order of the labels within each row: where the true ones stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._indicators import Indicator
from karat.compat.sklearn._parameters import drop_in, is_sparse
from karat.compat.sklearn._targets import (
    MULTILABEL,
    as_array,
    check_lengths,
    kind_of_target,
    refuse_infinite,
    refuse_small,
)
from karat.metrics._set_views import RankedLabels
from karat.tally.label_scores import LabelScores
from karat.tally.sets import Sets

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

_GRADED = (MULTILABEL, "continuous-multioutput", "multiclass-multioutput")
"""Kinds of targets that gains are."""


def ranked_labels(true: Sets, score: Array) -> RankedLabels:
    """Places of the true labels by score, largest first; scores float[n, k], finite."""
    if score.dtype not in (np.float64, np.float32):
        score = score.astype(np.float64)
    n, k = score.shape
    places = LabelScores(np.ascontiguousarray(score), "scores").places(true, None, k)
    return RankedLabels(true, places, np.full(n, k), k)


def _negated(score: Array) -> Array:
    """Scores in the order in which scikit-learn ranks −score: unsigned ones wrap round there."""
    if score.dtype.kind == "f":
        return score
    return -np.asarray(-score, np.float64)


def _checked(y_true: Any, y_score: Any, *, is_matrix: bool = False) -> tuple[Any, Array]:
    """A matrix of marks, dense or sparse, and scores."""
    if is_sparse(y_true) and not is_matrix:
        y_true = y_true.tocsr()
        refuse_infinite(y_true.data)
        refuse_small(y_true)
    else:
        y_true = as_array(y_true, is_matrix=is_matrix)
    return y_true, as_array(y_score, is_matrix=is_matrix)


def _refuse_kind(kind: str) -> ValueError:
    return ValueError(f"{kind} format is not supported")


def _refuse_shapes(true: Any, score: Array) -> None:
    if true.shape != score.shape:
        raise ValueError("y_true and y_score have different shape")


@drop_in
def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean rank of the last true label, as ``sklearn.metrics.coverage_error``.

    Equals `karat.coverage_error` where every row has a true label; a row without one counts 0.

    Example:
        >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
        1.5
    """
    true, score = _checked(y_true, y_score, is_matrix=True)
    check_lengths(true, score, sample_weight)
    kind = kind_of_target(true, "y_true")
    if kind != MULTILABEL:
        raise _refuse_kind(kind)
    _refuse_shapes(true, score)
    labels = ranked_labels(Indicator.of(true).sets, score)
    coverage = np.zeros(labels.n, np.int64)
    has_true, starts = labels.true.sizes > 0, labels.true.starts[:-1]
    if has_true.any():
        places = labels.places.above + labels.places.tied
        coverage[has_true] = np.maximum.reduceat(places, starts[has_true])
    return float(np.average(coverage, weights=sample_weight))


@drop_in
def label_ranking_average_precision_score(
    y_true: Any, y_score: Any, *, sample_weight: Any = None
) -> float:
    """Mean precision at true labels; ``sklearn.metrics.label_ranking_average_precision_score``.

    Equals `karat.label_ranking_average_precision` where every row has a true label; a row without
    one counts 1.

    Example:
        >>> y_true, y_score = [[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]
        >>> round(label_ranking_average_precision_score(y_true, y_score), 4)
        0.4167
    """
    check_lengths(y_true, y_score, sample_weight)
    true, score = _checked(y_true, y_score)
    _refuse_shapes(true, score)
    kind = kind_of_target(true, "y_true")
    if kind != MULTILABEL and not (kind == "binary" and true.ndim == 2):
        raise _refuse_kind(kind)
    labels = ranked_labels(Indicator.of(true).sets, _negated(score))
    found = labels.mean(labels.share_above)
    found[np.isnan(found)] = 1.0
    if sample_weight is None:
        return float(found.sum() / labels.n)
    weights = np.asarray(sample_weight)
    if weights.dtype.kind == "f":
        weights = weights.astype(np.float64)
    total = np.dot(found, weights)
    # Of a list the sum is a number of Python, whose division has another name in warnings.
    return float((float(total) if isinstance(sample_weight, list) else total) / np.sum(weights))


@drop_in
def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Share of pairs in the wrong order, as ``sklearn.metrics.label_ranking_loss``.

    Equals `karat.label_ranking_loss` but for equal scores, which are wrong here; a row without a
    pair counts 0.

    Example:
        >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
        0.75
    """
    true, score = _checked(y_true, y_score)
    check_lengths(true, score, sample_weight)
    kind = kind_of_target(true, "y_true")
    if kind != MULTILABEL:
        raise _refuse_kind(kind)
    _refuse_shapes(true, score)
    labels = ranked_labels(Indicator.of(true).sets, score)
    loss = labels.wrong_pairs / labels.n_pairs
    loss[np.isnan(loss)] = 0.0
    return float(np.average(loss, weights=sample_weight))


@drop_in
def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: Any = None,
    log_base: Any = 2,
    sample_weight: Any = None,
    ignore_ties: Any = False,
) -> float:
    """Gains added up, each less the lower it stands, as ``sklearn.metrics.dcg_score``.

    Equal scores share their places; with ``ignore_ties=True`` they stand as sorting leaves them.

    Example:
        >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
        9.4995
    """
    true, score = _checked(np.asarray(y_true) if is_sparse(y_true) else y_true, y_score)
    check_lengths(true, score, sample_weight)
    _check_gains(true)
    discount = _discount(true.shape[1], k, log_base)
    found = _gains(true, score, discount, ignore_ties=bool(ignore_ties))
    return float(np.average(found, weights=sample_weight))


@drop_in
def ndcg_score(
    y_true: Any, y_score: Any, *, k: Any = None, sample_weight: Any = None, ignore_ties: Any = False
) -> float:
    """Discounted gains as a share of the best possible, as ``sklearn.metrics.ndcg_score``.

    Equals `karat.ndcg` of marks where every row has a true label; a row without gains counts 0.

    Example:
        >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
        0.6957
    """
    true, score = _checked(np.asarray(y_true) if is_sparse(y_true) else y_true, y_score)
    check_lengths(true, score, sample_weight)
    if true.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if true.ndim > 1 and true.shape[1] <= 1:
        raise ValueError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got "
            f"{true.shape[1]} instead."
        )
    _check_gains(true)
    discount = _discount(true.shape[1], k, 2)
    found = _gains(true, score, discount, ignore_ties=bool(ignore_ties))
    best = np.sort(true, axis=1)[:, ::-1].astype(np.float64) @ discount
    with np.errstate(invalid="ignore"):
        found = np.where(best == 0, 0.0, found / np.where(best == 0, 1.0, best))
    return float(np.average(found, weights=sample_weight))


def _check_gains(true: Array) -> None:
    kind = kind_of_target(true, "y_true")
    if kind not in _GRADED:
        raise ValueError(f"Only {_GRADED} formats are supported. Got {kind} instead")


def _discount(width: int, k: int | None, log_base: float) -> Floats:
    """Discount of a gain at each place; 0 beyond place k."""
    discount: Floats = 1 / (np.log(np.arange(width) + 2) / np.log(log_base))
    if k is not None:
        discount[k:] = 0
    return discount


def _gains(true: Array, score: Array, discount: Floats, *, ignore_ties: bool) -> Floats:
    """Σ of the gains of each row by what their places count."""
    if ignore_ties:
        order = np.argsort(score)[:, ::-1]
        ranked = true[np.arange(order.shape[0])[:, np.newaxis], order]
        found: Floats = discount.dot(ranked.T)
        return found
    _, place, sizes = np.unique(-score[0], return_inverse=True, return_counts=True)
    np.add.at(np.zeros(len(sizes)), place, true[0])  # an error of other shapes, as there
    rows, columns = np.nonzero(true)
    labels = ranked_labels(Sets.of_pairs(rows, columns, len(true)), _negated(score))
    so_far = np.concatenate([np.zeros(1), np.cumsum(discount)])
    ends = so_far[labels.places.above + labels.places.tied] - so_far[labels.places.above]
    return labels.added(true[rows, columns] * (ends / labels.tied))

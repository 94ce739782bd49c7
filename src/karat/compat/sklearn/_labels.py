"""Metrics of true and predicted labels that one number or one matrix sums up."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._pairs import (
    SINGLE,
    Pair,
    confusion,
    kappa_of,
    matrix_of,
    measured,
    paired,
)
from karat.compat.sklearn._parameters import (
    LABELS,
    NAN,
    NONE,
    check_parameters,
    choice,
    drop_in,
    instance,
    interval,
    options,
    warn,
    warn_undefined,
)
from karat.compat.sklearn._rates import class_likelihoods
from karat.compat.sklearn._targets import averaged_weights, probe

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "cohen_kappa_score",
    "confusion_matrix",
    "hamming_loss",
    "matthews_corrcoef",
    "zero_one_loss",
]

Array = npt.NDArray[Any]

_KAPPA_WEIGHTS = (choice({"linear", "quadratic"}), NONE)
_KAPPA_UNDEFINED = (interval(Real, -1.0, 1.0, closed="both"), NAN)
_RATIO_UNDEFINED = (options(Real, {1.0, np.nan}), instance(dict))
_NORMALIZE = (choice({"true", "pred", "all"}), NONE)


@drop_in(y_true=LABELS, y_pred=LABELS)
def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: Any = True, sample_weight: Any = None
) -> float:
    """Share of the rows that are predicted right, as ``sklearn.metrics.accuracy_score``.

    Equals `karat.accuracy`; with ``normalize=False`` the number of rows, or their weight.

    Example:
        >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
        0.5
    """
    if sample_weight is None and normalize is True:
        value = measured("accuracy", y_true, y_pred)
        if value is not None:
            return value
    check_parameters("accuracy_score", y_true, y_pred, normalize, sample_weight)
    probe(y_true, y_pred)
    return _accuracy(paired(y_true, y_pred, averaged_weights(sample_weight)), bool(normalize))


def _accuracy(pair: Pair, normalize: bool) -> float:
    right = pair.tp.sum()
    if normalize:
        return float(_shared(right, pair))
    # Booleans are not added up there: whether any row counts.
    is_flag = pair.weights is not None and pair.weights.dtype.kind == "b"
    return float(right > 0 if is_flag else right)


def _shared(part: Any, pair: Pair) -> Any:
    """A part of the rows as a share of all.

    Errors:
        ZeroDivisionError the weights, some of them negative, sum to 0.
    """
    if pair.weights is None:
        return part / pair.n
    total = pair.true.sum()
    if pair.weights.dtype.kind == "f" and pair.weights.min() < 0:
        total = pair.weights.sum(dtype=np.float64)
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return part / total


@drop_in(y_true=LABELS, y_pred=LABELS)
def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: Any = True, sample_weight: Any = None
) -> float:
    """Share of the rows that are predicted wrong, as ``sklearn.metrics.zero_one_loss``.

    Equals `karat.error_rate`.

    Example:
        >>> zero_one_loss([2, 2, 3, 4], [1, 2, 3, 4])
        0.25
    """
    if sample_weight is None and normalize is True:
        value = measured("accuracy", y_true, y_pred)
        if value is not None:
            return 1 - value
    check_parameters("zero_one_loss", y_true, y_pred, normalize, sample_weight)
    probe(y_true, y_pred)
    pair = paired(y_true, y_pred, averaged_weights(sample_weight))
    score = _accuracy(pair, bool(normalize))
    if normalize:
        return 1 - score
    loss: float = (pair.n if sample_weight is None else np.sum(sample_weight)) - score
    return loss


@drop_in(y_true=LABELS, y_pred=LABELS)
def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of the labels that are wrong, as ``sklearn.metrics.hamming_loss``.

    Of one label a row it equals `karat.hamming_loss`.

    Example:
        >>> hamming_loss([2, 2, 3, 4], [1, 2, 3, 4])
        0.25
    """
    if sample_weight is None:
        value = measured("hamming_loss", y_true, y_pred)
        if value is not None:
            return value
    check_parameters("hamming_loss", y_true, y_pred, sample_weight)
    probe(y_true, y_pred)
    pair = paired(y_true, y_pred, averaged_weights(sample_weight))
    return float(_shared((pair.true - pair.tp).sum(), pair))


@drop_in(normalize=_NORMALIZE)
def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: Any = None,
) -> Array:
    """Matrix of counts, rows true, columns predicted, as ``sklearn.metrics.confusion_matrix``.

    Equals `karat.confusion_matrix`.

    Example:
        >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]).tolist()
        [[2, 0, 0], [0, 0, 1], [1, 0, 2]]
    """
    if labels is None and sample_weight is None and normalize is None:
        cells = matrix_of(y_true, y_pred)
        if cells is not None:
            return cells
    check_parameters("confusion_matrix", y_true, y_pred, labels, sample_weight, normalize)
    return confusion(y_true, y_pred, labels, sample_weight, normalize)


@drop_in()
def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: Any = False
) -> float:
    """Mean recall of the classes that are true, as ``sklearn.metrics.balanced_accuracy_score``.

    Equals `karat.balanced_accuracy`. With one class left, ``adjusted=True`` gives −inf here.

    Example:
        >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
        0.625
    """
    if sample_weight is None and adjusted is False:
        value = measured("macro_recall", y_true, y_pred, least=2)
        if value is not None:
            return value
    check_parameters("balanced_accuracy_score", y_true, y_pred, sample_weight, adjusted)
    matrix = confusion(y_true, y_pred, None, sample_weight, None)
    with np.errstate(divide="ignore", invalid="ignore"):
        per_class = np.diagonal(matrix) / matrix.sum(axis=1)
    if np.isnan(per_class).any():
        warn("y_pred contains classes not in y_true")
        per_class = per_class[~np.isnan(per_class)]
    score = np.mean(per_class)
    if adjusted:
        chance = 1 / len(per_class)
        score -= chance
        score /= 1 - chance
    return float(score)


@drop_in()
def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Matthews correlation coefficient, as ``sklearn.metrics.matthews_corrcoef``.

    Equals `karat.matthews_correlation`; 0.0 where that is undefined.

    Example:
        >>> round(matthews_corrcoef([1, 1, 1, -1], [1, -1, 1, 1]), 4)
        -0.3333
    """
    if sample_weight is None:
        value = measured("matthews_correlation", y_true, y_pred)
        if value is not None:
            return value
    check_parameters("matthews_corrcoef", y_true, y_pred, sample_weight)
    probe(y_true, y_pred)
    pair = paired(y_true, y_pred, averaged_weights(sample_weight))
    if len(pair.labels) == 1:
        warn(SINGLE)
    of_true, of_pred = pair.true.astype(np.float64), pair.pred.astype(np.float64)
    if np.count_nonzero(of_true) < 2 or np.count_nonzero(of_pred) < 2:
        return 0.0
    n, right = of_pred.sum(), float(pair.tp.sum())
    covariance = right * n - np.dot(of_true, of_pred)
    spread_pred, spread_true = n**2 - np.dot(of_pred, of_pred), n**2 - np.dot(of_true, of_true)
    spread = spread_pred * spread_true
    return 0.0 if spread == 0 else float(covariance / np.sqrt(spread))


@drop_in(weights=_KAPPA_WEIGHTS, replace_undefined_by=_KAPPA_UNDEFINED)
def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = np.nan,
) -> float:
    """Cohen's kappa of two annotators, as ``sklearn.metrics.cohen_kappa_score``.

    Equals `karat.kappa`, `karat.kappa_linear` and `karat.kappa_quadratic`.

    Example:
        >>> cohen_kappa_score([0, 1, 1, 0], [0, 1, 0, 0])
        0.5
    """
    if labels is None and sample_weight is None and weights is None:
        value = measured("kappa", y1, y2)
        if value is not None and replace_undefined_by is np.nan:  # noqa: PLW0177
            return value
    check_parameters(
        "cohen_kappa_score", y1, y2, labels, weights, sample_weight, replace_undefined_by
    )
    try:
        cells = confusion(y1, y2, labels, sample_weight, None).astype(np.float64)
    except ValueError as problem:
        if "At least one label specified must be in y_true" not in str(problem):
            raise
        raise ValueError(
            "At least one label in `labels` must be present in `y1` (even though "
            "`cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`)."
        ) from problem
    of_pred, of_true = cells.sum(axis=0), cells.sum(axis=1)
    total = of_pred.sum()
    if total == 0:
        warn_undefined(
            "`y2` contains no labels that are present in both `y1` and `labels`."
            "`cohen_kappa_score` is undefined and set to the value defined by the "
            f"`replace_undefined_by` param, which is set to {replace_undefined_by}."
        )
        return replace_undefined_by  # type: ignore[no-any-return]
    disagreement = _disagreement(len(cells), weights)
    expected = np.sum(disagreement * (np.outer(of_pred, of_true) / total))
    if expected == 0:
        warn_undefined(
            "`y1`, `y2` and `labels` have only one label in common. `cohen_kappa_score` is "
            "undefined and set to the value defined by the the `replace_undefined_by` param, "
            f"which is set to {replace_undefined_by}."
        )
        return replace_undefined_by  # type: ignore[no-any-return]
    if sample_weight is None:
        return kappa_of(cells, weights)
    # No count holds weights that are negative or huge.
    return float(1 - np.sum(disagreement * cells) / expected)


def _disagreement(k: int, weights: str | None) -> npt.NDArray[np.float64]:
    """What each cell of the matrix costs."""
    places = np.arange(k, dtype=np.float64)
    apart: npt.NDArray[np.float64] = np.abs(places[:, np.newaxis] - places)
    if weights is None:
        return np.minimum(apart, 1.0)
    return apart if weights == "linear" else np.square(apart)


@drop_in(y_true=LABELS, y_pred=LABELS, replace_undefined_by=_RATIO_UNDEFINED)
def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = np.nan,
) -> tuple[float, float]:
    """LR+ and LR− of the second class, as ``sklearn.metrics.class_likelihood_ratios``.

    Equal `karat.positive_likelihood_ratio` and `karat.negative_likelihood_ratio`.

    Example:
        >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
        (1.5, 0.75)
    """
    check_parameters(
        "class_likelihood_ratios", y_true, y_pred, labels, sample_weight, replace_undefined_by
    )
    return class_likelihoods(y_true, y_pred, labels, sample_weight, replace_undefined_by)

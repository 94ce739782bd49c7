"""Metrics of true and predicted labels that one number or one matrix sums up."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.compat._counted import Counted
from karat.compat.sklearn._pairs import (
    SINGLE,
    Pair,
    confusion,
    matrix_of,
    measured,
    not_supported,
    paired,
    sparsely_measured,
)
from karat.compat.sklearn._parameters import drop_in, warn, warn_undefined
from karat.compat.sklearn._targets import averaged_weights, probe, total_weight, weight_of
from karat.tally import Cells, Classes

Array = npt.NDArray[Any]


@drop_in
def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: Any = True, sample_weight: Any = None
) -> float:
    """Proportion of the rows that are predicted correctly, as ``sklearn.metrics.accuracy_score``.

    Equals `karat.accuracy`, and of indicator matrices `karat.subset_accuracy`; with
    ``normalize=False`` the number of rows, or their weight.

    Example:
        >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
        0.5
    """
    if sample_weight is None and normalize is True:
        value = measured("accuracy", y_true, y_pred)
        if value is not None:
            return value
    return _accuracy(_averaged(y_true, y_pred, sample_weight), normalize)


def _averaged(y_true: Any, y_pred: Any, sample_weight: Any) -> Pair:
    probe(y_true, y_pred)
    return paired(y_true, y_pred, averaged_weights(sample_weight))


def _accuracy(pair: Pair, normalize: Any) -> float:
    if pair.sets is not None:
        is_right = pair.sets.n_differing == 0
        if normalize:
            return float(np.average(is_right, weights=pair.weights))
        return float(is_right.sum() if pair.weights is None else weight_of(is_right, pair.weights))
    right = pair.tp.sum()
    if normalize:
        return float(_shared(right, pair))
    # Booleans are not added up there: whether any row counts.
    is_flag = pair.weights is not None and pair.weights.dtype.kind == "b"
    return float(right > 0 if is_flag else right)


def _shared(part: Any, pair: Pair) -> Any:
    """A part of the rows as a share of all."""
    if pair.weights is None:
        return part / pair.n
    total = pair.true.sum()
    if pair.weights.dtype.kind == "f" and pair.weights.min() < 0:
        total = pair.weights.sum(dtype=np.float64)
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return part / total


@drop_in
def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: Any = True, sample_weight: Any = None
) -> float:
    """Proportion of the rows that are predicted wrongly, as ``sklearn.metrics.zero_one_loss``.

    Equals `karat.error_rate`.

    Example:
        >>> zero_one_loss([2, 2, 3, 4], [1, 2, 3, 4])
        0.25
    """
    if sample_weight is None and normalize is True:
        value = measured("accuracy", y_true, y_pred)
        if value is not None:
            return 1 - value
    pair = _averaged(y_true, y_pred, sample_weight)
    score = _accuracy(pair, normalize)
    if normalize:
        return 1 - score
    loss: float = (pair.n if sample_weight is None else total_weight(sample_weight)) - score
    return loss


@drop_in
def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of the labels that are wrong, as ``sklearn.metrics.hamming_loss``.

    Equals `karat.hamming_loss`.

    Example:
        >>> hamming_loss([2, 2, 3, 4], [1, 2, 3, 4])
        0.25
    """
    value = measured("hamming_loss", y_true, y_pred) if sample_weight is None else None
    if value is not None:
        return value
    pair = _averaged(y_true, y_pred, sample_weight)
    if pair.sets is None:
        return float(_shared((pair.true - pair.tp).sum(), pair))
    differing, weights = pair.sets.n_differing, pair.weights
    total = differing.sum() if weights is None else np.dot(differing, weights.astype(np.float64))
    mean = 1.0 if weights is None else np.average(weights)
    loss: float = float(total) / (pair.n * pair.sets.true.k * mean)
    return loss


@drop_in
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
    return confusion(y_true, y_pred, labels, sample_weight, normalize)


@drop_in
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


@drop_in
def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Matthews correlation coefficient, as ``sklearn.metrics.matthews_corrcoef``.

    Equals `karat.matthews_correlation`; 0.0 where that is undefined.

    Example:
        >>> round(matthews_corrcoef([1, 1, 1, -1], [1, -1, 1, 1]), 4)
        -0.3333
    """
    value = measured("matthews_correlation", y_true, y_pred) if sample_weight is None else None
    if value is not None:
        return value
    pair = _averaged(y_true, y_pred, sample_weight)
    if pair.sets is not None:
        raise not_supported(pair.kind)
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


_FEW: Final = 256
"""So many classes have a matrix that the formula of arrays reads as fast as NumPy."""
_KAPPAS: Final = {None: "kappa", "linear": "kappa_linear", "quadratic": "kappa_quadratic"}


@drop_in
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
    name = _KAPPAS.get(weights) if isinstance(weights, str | None) else None
    if labels is None and sample_weight is None and name is not None:
        value = measured(name, y1, y2)
        if value is not None and replace_undefined_by is np.nan:  # noqa: PLW0177
            return value
    if labels is None and name is not None:
        value = sparsely_measured(name, y1, y2, sample_weight)
        if value is not None:
            return value
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
    places = np.arange(len(cells), dtype=np.float64)
    disagreement = np.abs(places[:, np.newaxis] - places)
    if weights is None:
        disagreement = np.minimum(disagreement, 1.0)
    elif weights == "quadratic":
        disagreement = np.square(disagreement)
    expected = np.sum(disagreement * (np.outer(of_pred, of_true) / total))
    if expected == 0:
        warn_undefined(
            "`y1`, `y2` and `labels` have only one label in common. `cohen_kappa_score` is "
            "undefined and set to the value defined by the the `replace_undefined_by` param, "
            f"which is set to {replace_undefined_by}."
        )
        return replace_undefined_by  # type: ignore[no-any-return]
    if sample_weight is None and name is not None and len(cells) <= _FEW:
        tally = Cells.dense(cells, classes=Classes.of(range(len(cells))))
        # The same formula as of arrays, to the last bit.
        return float(Counted(tally).value(name))
    # No count holds weights that are negative or huge.
    return float(1 - np.sum(disagreement * cells) / expected)


_HINT = (
    "Use the `replace_undefined_by` param to control this behavior. To suppress this warning or "
    "turn it into an error, see Python's `warnings` module and `warnings.catch_warnings()`."
)


@drop_in
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
    probe(y_true, y_pred)
    sample_weight = averaged_weights(sample_weight)
    kind = paired(y_true, y_pred, sample_weight).kind
    if kind != "binary":
        raise ValueError(
            "class_likelihood_ratios only supports binary classification problems, got targets "
            f"of type: {kind}"
        )
    if replace_undefined_by == 1.0:
        replace_undefined_by = {"LR+": 1.0, "LR-": 1.0}
    instead_pos = instead_neg = math.nan
    if isinstance(replace_undefined_by, dict):
        instead_pos, instead_neg = _replacements(replace_undefined_by)
    # Sums of whole numbers may leave 64 bits, and so may their products.
    if getattr(sample_weight, "dtype", None) in (np.int64, np.uint64):
        sample_weight = np.asarray(sample_weight, np.float64)
    cells = confusion(y_true, y_pred, labels, sample_weight, None).astype(np.float64)
    tn, fp, fn, tp = cells.ravel()
    pos, neg = tp + fn, tn + fp
    lr_pos: Any = math.nan
    lr_neg: Any = math.nan
    if pos == 0:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. "
            "`positive_likelihood_ratio` and `negative_likelihood_ratio` are both set to "
            f"`np.nan`. {_HINT}"
        )
    if fp == 0:
        begin = (
            "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
            if tp == 0
            else "`positive_likelihood_ratio` is ill-defined and "
        )
        # scikit-learn's own sentence ends here too.
        warn_undefined(f"{begin}set to `np.nan`. Use the `replace_undefined_by` param to ")
        lr_pos = instead_pos
    else:
        lr_pos = tp * neg / (fp * pos)
    if tn == 0:
        warn_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {_HINT}")
        lr_neg = instead_neg
    else:
        lr_neg = fn * neg / (tn * pos)
    return float(lr_pos), float(lr_neg)


def _replacements(given: dict[Any, Any]) -> tuple[Any, Any]:
    message = (
        "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': "
        "`value_1`, 'LR-': `value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or "
        "is `np.nan` and the value for `LR-` ranges from `0.0` to `1.0` or is `np.nan`; got "
        f"`{given}`."
    )
    pos, neg = given.get("LR+"), given.get("LR-")
    # Written so that NaN is neither too small nor too large.
    is_pos = isinstance(pos, Real) and not float(pos) < 1.0
    is_neg = isinstance(neg, Real) and not (float(neg) < 0.0 or float(neg) > 1.0)
    if not is_pos or not is_neg:
        raise ValueError(message)
    return pos, neg

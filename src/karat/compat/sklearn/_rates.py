"""Precision, recall, F, Jaccard and likelihood ratios, their averages, and what 0/0 counts as."""

from __future__ import annotations

import math
from collections.abc import Container
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._pairs import (
    Pair,
    class_counts,
    confusion,
    measured,
    paired,
    plain,
    positive_measured,
    tables,
)
from karat.compat.sklearn._parameters import (
    LABELS,
    check_parameters,
    choice,
    drop_in,
    instance,
    interval,
    options,
    warn,
    warn_undefined,
)
from karat.compat.sklearn._targets import averaged_weights, probe

__all__ = [
    "Rates",
    "class_likelihoods",
    "divided",
    "f1_score",
    "fbeta_score",
    "jaccard_score",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "rates_of",
    "recall_score",
]

Array = npt.NDArray[Any]
Rates = tuple[Any, Any, Any, Any]
"""Precision, recall, F and support."""


def rates_of(
    tp: Array,
    pred: Array,
    true: Array,
    beta: float,
    average: str | None,
    warn_for: Container[str],
    zero_division: Any,
) -> Rates:
    """Precision, recall, F and support from the counts of each label."""
    # A float where tp is one, as scikit-learn's sums of tp with the others are.
    pred, true = tp + (pred - tp), tp + (true - tp)
    if average == "micro":
        tp, pred, true = (np.reshape(np.sum(part), (1,)) for part in (tp, pred, true))
    shown = average, warn_for, zero_division
    precision = divided(tp, pred, "precision", "predicted", *shown)
    recall = divided(tp, true, "recall", "true", *shown)
    if np.isposinf(beta):
        f_score = recall
    elif beta == 0:
        f_score = precision
    else:
        squared = beta**2
        whole = squared * true.astype(np.float64) + pred.astype(np.float64)
        part = (1 + squared) * tp.astype(np.float64)
        f_score = divided(part, whole, "f-score", "true nor predicted", *shown)
    if average is None:
        return precision, recall, f_score, true
    support = true if average == "weighted" else None
    means = (_mean(rate, support) for rate in (precision, recall, f_score))
    return (*means, None)  # type: ignore[return-value]


def divided(
    part: Array,
    whole: Array,
    metric: str,
    modifier: str,
    average: str | None,
    warn_for: Container[str],
    zero_division: Any,
) -> npt.NDArray[np.float64]:
    """A part of a whole, with 0/0 as zero_division says, and the warning of scikit-learn."""
    is_empty = whole == 0
    divisor = np.array(whole, np.float64)
    divisor[is_empty] = 1
    found: npt.NDArray[np.float64] = np.asarray(part, np.float64) / divisor
    if not is_empty.any():
        return found
    is_warning = isinstance(zero_division, str)
    is_number = isinstance(zero_division, int | float) and zero_division in (0, 1)
    found[is_empty] = 0.0 if is_warning else float(zero_division) if is_number else np.nan
    if is_warning and metric in warn_for:
        axis = ("label", "sample") if average == "samples" else ("sample", "label")
        where = "due to" if len(found) == 1 else f"in {axis[1]}s with"
        warn_undefined(
            f"{metric.capitalize()} is ill-defined and being set to 0.0 {where} no {modifier} "
            f"{axis[0]}s. Use `zero_division` parameter to control this behavior."
        )
    return found


def _mean(rates: npt.NDArray[np.float64], support: Array | None) -> float:
    """The mean of the rates that are no NaN; weights that are all 0 count for nothing."""
    if not len(rates):
        return float("nan")
    is_known = ~np.isnan(rates)
    if not is_known.any():
        return float("nan")
    if support is None:
        return float(np.mean(rates[is_known]))
    rates, support = rates[is_known], support[is_known]
    try:
        return float(np.average(rates, weights=support))
    except ZeroDivisionError:
        return float(np.average(rates))


_HINT = (
    "Use the `replace_undefined_by` param to control this behavior. To suppress this warning or "
    "turn it into an error, see Python's `warnings` module and `warnings.catch_warnings()`."
)


def class_likelihoods(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, replace_undefined_by: Any
) -> tuple[float, float]:
    """LR+ and LR− of checked parameters.

    Errors:
        ValueError more than two classes, or a dict of other keys or values.
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
    tn, fp, fn, tp = confusion(y_true, y_pred, labels, sample_weight, None).ravel()
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
    if "LR+" not in given or "LR-" not in given:
        raise ValueError(message)
    pos, neg = given["LR+"], given["LR-"]
    # Written so that NaN is neither too small nor too large.
    is_pos = isinstance(pos, Real) and not float(pos) < 1.0
    is_neg = isinstance(neg, Real) and not (float(neg) < 0.0 or float(neg) > 1.0)
    if not is_pos or not is_neg:
        raise ValueError(message)
    return pos, neg


_BETA = (interval(Real, 0.0, None, closed="both"),)
_WARN_FOR = (instance(list), instance(tuple), instance(set))
_JACCARD_ZERO = (options(Real, {0, 1}), choice({"warn"}))
_AVERAGES = (None, "micro", "macro", "weighted", "samples")
_AVERAGED = ("macro", "micro", "weighted")


@drop_in(y_true=LABELS, y_pred=LABELS)
def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Share of the rows predicted as a class that are of it; ``sklearn.metrics.precision_score``.

    Equals `karat.precision`.

    Example:
        >>> precision_score([0, 1, 1, 1], [0, 1, 1, 0])
        1.0
    """
    options = labels, pos_label, average, sample_weight, zero_division
    value = _quick("precision", y_true, y_pred, *options)
    if value is not None:
        return value
    check_parameters("precision_score", y_true, y_pred, *options)
    return _rates(y_true, y_pred, 1.0, ("precision",), *options)[0]


@drop_in(y_true=LABELS, y_pred=LABELS)
def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Share of the rows of a class that are predicted as it; ``sklearn.metrics.recall_score``.

    Equals `karat.recall`.

    Example:
        >>> recall_score([0, 1, 1, 1], [0, 1, 1, 0])
        0.6666666666666666
    """
    options = labels, pos_label, average, sample_weight, zero_division
    value = _quick("recall", y_true, y_pred, *options)
    if value is not None:
        return value
    check_parameters("recall_score", y_true, y_pred, *options)
    return _rates(y_true, y_pred, 1.0, ("recall",), *options)[1]


@drop_in(y_true=LABELS, y_pred=LABELS)
def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Harmonic mean of precision and recall, as ``sklearn.metrics.f1_score``.

    Equals `karat.f1`.

    Example:
        >>> f1_score([0, 1, 1, 1], [0, 1, 1, 0])
        0.8
    """
    options = labels, pos_label, average, sample_weight, zero_division
    value = _quick("f1", y_true, y_pred, *options)
    if value is not None:
        return value
    check_parameters("f1_score", y_true, y_pred, *options)
    return _rates(y_true, y_pred, 1.0, ("f-score",), *options)[2]


@drop_in(y_true=LABELS, y_pred=LABELS, beta=_BETA)
def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: Any,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Weighted harmonic mean of precision and recall, as ``sklearn.metrics.fbeta_score``.

    Equals `karat.f_beta`.

    Example:
        >>> round(fbeta_score([0, 1, 1, 1], [0, 1, 1, 0], beta=2), 4)
        0.7143
    """
    options = labels, pos_label, average, sample_weight, zero_division
    check_parameters("fbeta_score", y_true, y_pred, beta, *options)
    return _rates(y_true, y_pred, beta, ("f-score",), *options)[2]


@drop_in(y_true=LABELS, y_pred=LABELS, beta=_BETA, warn_for=_WARN_FOR)
def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: Any = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = None,
    warn_for: Any = ("precision", "recall", "f-score"),
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Rates:
    """The three and the rows of each class; ``sklearn.metrics.precision_recall_fscore_support``.

    Equal `karat.precision`, `karat.recall`, `karat.f_beta` and `karat.support`.

    Example:
        >>> _, _, f, support = precision_recall_fscore_support([0, 1, 1], [0, 1, 0])
        >>> f.round(3).tolist(), support.tolist()
        ([0.667, 0.667], [1, 2])
    """
    options = labels, pos_label, average, sample_weight, zero_division
    given = beta, labels, pos_label, average, warn_for, sample_weight, zero_division
    check_parameters("precision_recall_fscore_support", y_true, y_pred, *given)
    return _rates(y_true, y_pred, beta, warn_for, *options)


@drop_in(y_true=LABELS, y_pred=LABELS, zero_division=_JACCARD_ZERO)
def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Overlap of truth and prediction, as ``sklearn.metrics.jaccard_score``.

    Equals `karat.jaccard`. ``zero_division=nan`` is refused, as there.

    Example:
        >>> jaccard_score([0, 1, 1, 1], [0, 1, 1, 0])
        0.6666666666666666
    """
    options = labels, pos_label, average, sample_weight, zero_division
    value = _quick("jaccard", y_true, y_pred, *options)
    if value is not None:
        return value
    check_parameters("jaccard_score", y_true, y_pred, *options)
    labels, pair = _chosen(y_true, y_pred, average, labels, pos_label, sample_weight)
    if average == "samples":
        raise _samplewise()
    _, tp, pred, true = class_counts(y_true, y_pred, labels, sample_weight, pair)
    part, whole = tp, true + (pred - tp)
    if average == "micro":
        part, whole = part.sum(keepdims=True), whole.sum(keepdims=True)
    found = divided(
        part, whole, "jaccard", "true or predicted", average, ("jaccard",), zero_division
    )
    if average is None:
        return found
    support = true if average == "weighted" and np.any(true) else None
    return float(np.average(found, weights=support))


@drop_in(y_true=LABELS, y_pred=LABELS)
def multilabel_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    samplewise: Any = False,
) -> Array:
    """[[TN, FP], [FN, TP]] of each class, as ``sklearn.metrics.multilabel_confusion_matrix``.

    Equals `karat.true_negatives`, `karat.false_positives` and so on, of each class.
    Multilabel input is refused.

    Example:
        >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "b", "a"]).tolist()
        [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]
    """
    check_parameters(
        "multilabel_confusion_matrix", y_true, y_pred, sample_weight, labels, samplewise
    )
    probe(y_true, y_pred)
    pair, tp, pred, true = class_counts(y_true, y_pred, labels, sample_weight)
    if samplewise:
        raise _samplewise()
    return tables(pair, tp, pred, true)


def _samplewise() -> ValueError:
    return ValueError("Samplewise metrics are not available outside of multilabel classification.")


def _quick(
    name: str,
    y_true: Any,
    y_pred: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
) -> float | None:
    """The value of a defined metric of plain arrays; None sends the call the careful way."""
    if labels is not None or sample_weight is not None or type(average) is not str:
        return None
    if type(pos_label) is not int or pos_label != 1:
        return None
    if type(zero_division) is not str or zero_division != "warn":
        return None
    if average == "binary":
        return positive_measured(name, y_true, y_pred)
    return measured(f"{average}_{name}", y_true, y_pred) if average in _AVERAGED else None


def _chosen(
    y_true: Any, y_pred: Any, average: Any, labels: Any, pos_label: Any, sample_weight: Any
) -> tuple[Any, Pair | None]:
    """The labels to score, and the counts of the pair.

    Errors:
        ValueError average="binary" of more than two classes, or a positive label that is none.
    """
    probe(y_true, y_pred)
    # Weights are checked only after the labels.
    weighted = None
    if sample_weight is not None:
        weighted = plain(y_true, y_pred, sample_weight, cells=False)
    pair = weighted or paired(y_true, y_pred)
    if average == "binary":
        if pair.kind != "binary":
            rest = [name for name in _AVERAGES if name != "samples"]
            raise ValueError(
                f"Target is {pair.kind} but average='binary'. Please choose another average "
                f"setting, one of {rest!r}."
            )
        if pos_label not in pair.labels and len(pair.labels) >= 2:
            raise ValueError(
                f"pos_label={pos_label} is not a valid label. It should be one of {pair.labels}"
            )
        labels = [pos_label]
    elif pos_label not in (None, 1):
        warn(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class."
        )
    if sample_weight is not None and weighted is None:
        weighted = paired(y_true, y_pred, sample_weight)
    return labels, pair if sample_weight is None else weighted


def _rates(
    y_true: Any,
    y_pred: Any,
    beta: float,
    warn_for: Container[str],
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
) -> Rates:
    labels, pair = _chosen(y_true, y_pred, average, labels, pos_label, sample_weight)
    if average == "samples":
        raise _samplewise()
    _, tp, pred, true = class_counts(y_true, y_pred, labels, sample_weight, pair)
    return rates_of(tp, pred, true, beta, average, warn_for, zero_division)

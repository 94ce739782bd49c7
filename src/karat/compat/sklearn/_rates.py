"""Precision, recall, F and Jaccard scores, with their averages and what 0/0 counts as."""

from __future__ import annotations

from collections.abc import Container
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._division import Rates, divided, rates_of
from karat.compat.sklearn._notices import warn
from karat.compat.sklearn._pairs import Pair, paired, plain
from karat.compat.sklearn._parameters import (
    LABELS,
    check_parameters,
    choice,
    drop_in,
    instance,
    interval,
    options,
)
from karat.compat.sklearn._quick import measured, positive_measured
from karat.compat.sklearn._tables import class_counts, tables
from karat.compat.sklearn._targets import probe

__all__ = [
    "f1_score",
    "fbeta_score",
    "jaccard_score",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]

Array = npt.NDArray[Any]

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

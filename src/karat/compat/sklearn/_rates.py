"""Precision, recall, F and Jaccard, their averages and report, and what 0/0 counts as."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._indicators import Indicators, wanted_columns
from karat.compat.sklearn._pairs import (
    Pair,
    careful,
    class_counts,
    measured,
    not_supported,
    paired,
    plain,
    plain_sets,
    positive_measured,
)
from karat.compat.sklearn._parameters import drop_in, warn, warn_undefined
from karat.compat.sklearn._targets import (
    MULTILABEL,
    as_column,
    distinct,
    labels_of,
    mixed_kinds,
    probe,
)

Array = npt.NDArray[Any]
Rates = tuple[Any, Any, Any, Any]
"""Precision, recall, F and support."""
_RATES = ("precision", "recall", "f-score")


def rates_of(
    tp: Array,
    pred: Array,
    true: Array,
    beta: float,
    average: str | None,
    warn_for: Container[str],
    zero_division: Any,
    weights: Array | None = None,
    wanted: Sequence[str] = _RATES,
) -> Rates:
    """Precision, recall, F and support from the counts of each label.

    Args:
        weights: of the rows, where the counts are those of each row.
        wanted: the rates that are computed; others are None.
    """
    # A float where tp is one, as scikit-learn's sums of tp with the others are.
    pred, true = tp + (pred - tp), tp + (true - tp)
    if average == "micro":
        tp, pred, true = (np.reshape(np.sum(part), (1,)) for part in (tp, pred, true))
    shown = average, warn_for, zero_division
    precision = recall = f_score = None
    if "precision" in wanted or beta == 0:
        precision = divided(tp, pred, "precision", "predicted", *shown)
    if "recall" in wanted or np.isposinf(beta):
        recall = divided(tp, true, "recall", "true", *shown)
    if np.isposinf(beta):
        f_score = recall
    elif beta == 0:
        f_score = precision
    elif "f-score" in wanted:
        squared = beta**2
        whole = squared * true.astype(np.float64) + pred.astype(np.float64)
        part = (1 + squared) * tp.astype(np.float64)
        f_score = divided(part, whole, "f-score", "true nor predicted", *shown)
    if average is None:
        return precision, recall, f_score, true
    support = true if average == "weighted" else weights
    each = precision, recall, f_score
    means = (None if rate is None else _mean(rate, support) for rate in each)
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
    """A part of a whole, 0/0 as zero_division says."""
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
    is_known = ~np.isnan(rates)
    if support is None and is_known.all():
        return float(rates.mean()) if len(rates) else math.nan
    if not is_known.any():
        return math.nan
    rates, support = rates[is_known], None if support is None else support[is_known]
    try:
        return float(np.average(rates, weights=support))
    except ZeroDivisionError:
        return float(np.average(rates))


_Arguments: TypeAlias = tuple[Any, Any, Any, Any, Any, Any, Any]
"""What functions of rates take: y_true, y_pred, labels, pos_label, average, weights, division."""
_AVERAGED = ("micro", "macro", "weighted")
_OF_ROWS = "samples"
_HEADERS = ("precision", "recall", "f1-score", "support")
_LAST = "weighted avg"


@drop_in
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
    """Proportion of correct predictions of a class, as ``sklearn.metrics.precision_score``.

    Equals `karat.precision`.

    Example:
        >>> precision_score([0, 1, 1, 1], [0, 1, 1, 0])
        1.0
    """
    arguments = (y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return _one_rate("precision", arguments)


@drop_in
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
    """Proportion of the rows of a class predicted as it, as ``sklearn.metrics.recall_score``.

    Equals `karat.recall`.

    Example:
        >>> recall_score([0, 1, 1, 1], [0, 1, 1, 0])
        0.6666666666666666
    """
    arguments = (y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return _one_rate("recall", arguments)


@drop_in
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
    arguments = (y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return _one_rate("f1", arguments)


@drop_in
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
    arguments = (y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return _rates(arguments, beta, ("f-score",), ("f-score",))[2]


@drop_in
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
    arguments = (y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return _rates(arguments, beta, warn_for)


@drop_in
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
    arguments = (y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    value = _quick("jaccard", arguments)
    if value is not None:
        return value
    counts, weights = _counts(y_true, y_pred, labels, pos_label, average, sample_weight)
    tp, pred, true = counts
    part, whole = tp, true + (pred - tp)
    if average == "micro":
        part, whole = part.sum(keepdims=True), whole.sum(keepdims=True)
    found = divided(
        part, whole, "jaccard", "true or predicted", average, ("jaccard",), zero_division
    )
    if average is None:
        return found
    support = true if average == "weighted" and np.any(true) else weights
    return float(np.average(found, weights=support))


@drop_in
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
    With ``samplewise=True`` it is of each row of indicator matrices.

    Example:
        >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "b", "a"]).tolist()
        [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]
    """
    probe(y_true, y_pred)
    pair, tp, pred, true = class_counts(y_true, y_pred, labels, sample_weight)
    whole: Any = pair.n if pair.weights is None else np.sum(pair.weights)
    if samplewise:
        if pair.sets is None:
            raise _samplewise()
        n_labels = len(tp)
        tp, pred, true = _row_counts(pair, labels)
        if pair.weights is None:
            whole = n_labels
        else:
            is_float = pair.weights.dtype.kind == "f"
            whole = (n_labels if is_float else np.int64(n_labels)) * pair.weights
    fp, fn = pred - tp, true - tp
    tn = whole - tp - fp - fn
    found = np.stack([tn, fp, fn, tp]).T.reshape(-1, 2, 2)
    return _as_counted(found, pair.sets) if samplewise else found


def _as_counted(counts: Array, sets: Indicators | None) -> Array:
    """Weighted counts of rows in the dtype of scikit-learn's sparse matrices, if it holds them."""
    if sets is None or sets.weights is None:
        return counts
    of_weights = np.dtype(np.int64) if sets.weights.dtype.kind == "b" else sets.weights.dtype
    dtype = np.result_type(sets.true.counted_in, sets.pred.counted_in, of_weights)
    fits = dtype.kind == "i" and np.abs(counts).max(initial=0) <= np.iinfo(dtype).max
    return counts.astype(dtype) if fits else counts


def _row_counts(pair: Pair, labels: Any) -> tuple[Array, Array, Array]:
    """Labels right, predicted and true of each row of indicator matrices."""
    assert pair.sets is not None
    return pair.sets.by_row(None if labels is None else wanted_columns(labels, pair.sets.true.k))


def _samplewise() -> ValueError:
    return ValueError("Samplewise metrics are not available outside of multilabel classification.")


def _one_rate(name: str, arguments: _Arguments) -> Any:
    """Precision, recall or F1, of the arguments of its function."""
    value = _quick(name, arguments)
    if value is not None:
        return value
    place = ("precision", "recall", "f1").index(name)
    only = (_RATES[place],)
    return _rates(arguments, 1.0, only, only)[place]


def _quick(name: str, arguments: _Arguments) -> float | None:
    """The value of a defined metric of plain arrays; None sends the call the careful way."""
    y_true, y_pred, labels, label, average, sample_weight, instead = arguments
    if labels is not None or sample_weight is not None:
        return None
    if getattr(y_true, "ndim", 1) != 1:  # sets of labels
        return None
    if type(average) is not str or type(label) is not int or type(instead) is not str:
        return None
    if label != 1 or instead != "warn":
        return None
    if average == "binary":
        return positive_measured(name, y_true, y_pred)
    is_averaged = average in _AVERAGED
    return measured(f"{average}_{name}", y_true, y_pred) if is_averaged else None


def _counts(
    y_true: Any, y_pred: Any, labels: Any, pos_label: Any, average: Any, sample_weight: Any
) -> tuple[tuple[Array, Array, Array], Array | None]:
    """Rows right, predicted and true of the labels to score; or of each row, and its weight."""
    probe(y_true, y_pred)
    # Weights are checked only after the labels.
    weighted = None
    if sample_weight is not None:
        weighted = plain(y_true, y_pred, sample_weight, cells=False)
        if weighted is None:
            weighted = plain_sets(y_true, y_pred, sample_weight)
    pair = weighted or paired(y_true, y_pred)
    if average == "binary":
        if pair.kind != "binary":
            rest = [None, *_AVERAGED, *([] if pair.sets is None else [_OF_ROWS])]
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
    if sample_weight is not None:
        pair = weighted or paired(y_true, y_pred, sample_weight)
    if average != _OF_ROWS:
        return class_counts(y_true, y_pred, labels, sample_weight, pair)[1:], None
    if pair.sets is None:
        raise _samplewise()
    return _row_counts(pair, labels), pair.weights


def _rates(
    arguments: _Arguments, beta: float, warn_for: Container[str], wanted: Sequence[str] = _RATES
) -> Rates:
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division = arguments
    counts, weights = _counts(y_true, y_pred, labels, pos_label, average, sample_weight)
    return rates_of(*counts, beta, average, warn_for, zero_division, weights, wanted)


@drop_in
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: Any = 2,
    output_dict: Any = False,
    zero_division: Any = "warn",
) -> Any:
    """Precision, recall, F1 and support of each class; ``sklearn.metrics.classification_report``.

    The text is the same to the byte. `karat.evaluate` gives intervals beside the numbers.

    Example:
        >>> print(classification_report([0, 1, 1], [0, 1, 0]))
                      precision    recall  f1-score   support
        <BLANKLINE>
                   0       0.50      1.00      0.67         1
                   1       1.00      0.50      0.67         2
        <BLANKLINE>
            accuracy                           0.67         3
           macro avg       0.75      0.75      0.67         3
        weighted avg       0.83      0.67      0.67         3
        <BLANKLINE>
    """
    probe(y_true, y_pred)
    if sample_weight is None:
        pair = paired(y_true, y_pred)
    else:
        # The text shows sums of weights with all of their digits.
        pair = plain_sets(y_true, y_pred, sample_weight) or careful(
            y_true, y_pred, sample_weight, in_row_order=True
        )
    wanted = pair.labels if labels is None else np.asarray(labels)
    is_whole = pair.sets is None and (labels is None or set(wanted) >= set(pair.labels))
    if target_names is not None and len(wanted) != len(target_names):
        if labels is None:
            raise ValueError(
                f"Number of classes, {len(wanted)}, does not match size of target_names, "
                f"{len(target_names)}. Try specifying the labels parameter"
            )
        warn(
            f"labels size, {len(wanted)}, does not match size of target_names, {len(target_names)}"
        )
    names = target_names
    if names is None:
        # A scalar of NumPy formats itself as Python's float does, not as its own text.
        shown = _signed(wanted, y_true, y_pred) if labels is None else wanted
        names = [str(label) for label in shown]
    if pair.sets is not None:
        _refuse_two_marks(pair.sets)
    counts = class_counts(y_true, y_pred, wanted, sample_weight, pair)[1:]
    width = 0 if output_dict else max(max(map(len, names)), len(_LAST), digits)  # noqa: PLW3301
    each, *means = (
        rates_of(*counts, 1.0, average, _RATES, zero_division) for average in (None, *_AVERAGED)
    )
    total = np.sum(each[3])
    titles = ["accuracy" if is_whole else "micro avg", "macro avg", _LAST]
    if pair.sets is not None:
        of_rows = _row_counts(pair, wanted)
        means.append(rates_of(*of_rows, 1.0, _OF_ROWS, _RATES, zero_division, pair.weights))
        titles.append("samples avg")
    lines = {title: (*mean[:3], total) for title, mean in zip(titles, means, strict=True)}
    rows = list(zip(names, *each, strict=False))
    if output_dict:
        report: dict[str, Any] = {
            name: dict(zip(_HEADERS, map(float, values), strict=True))
            for name, *values in (*rows, *((name, *line) for name, line in lines.items()))
        }
        if is_whole:
            report["accuracy"] = report["accuracy"]["precision"]
        return report
    start = f"{{:>{width}s}} "
    row_format = start + f" {{:>9.{digits}f}}" * 3 + " {:>9}\n"
    text = (start + " {:>9}" * 4).format("", *_HEADERS) + "\n\n"
    text += "".join(row_format.format(*row) for row in rows) + "\n"
    for name, values in lines.items():
        if name == "accuracy":
            only = start + f" {{:>9.{digits}}}" * 2 + f" {{:>9.{digits}f}} {{:>9}}\n"
            text += only.format(name, "", "", *values[2:])
        else:
            text += row_format.format(name, *values)
    return text


def _refuse_two_marks(sets: Indicators) -> None:
    """Refuse matrices of two values that are not 0, which a report reads as sparse ones."""
    kinds = [
        MULTILABEL
        if side.values is None or len(distinct(side.values[side.values != 0])) < 2
        else "multiclass-multioutput"
        for side in (sets.true, sets.pred)
    ]
    if kinds[0] != kinds[1]:
        raise mixed_kinds(kinds[0], kinds[1])
    if kinds[0] != MULTILABEL:
        raise not_supported(kinds[0])


def _signed(labels: Any, *columns: Any) -> Any:
    """The labels, 0 with the sign that it has in the columns: a count knows one zero only."""
    has_zero = labels.dtype.kind == "f" and np.any(labels == 0)
    arrays = [as_column(column) for column in columns] if has_zero else []
    is_signed = any(np.signbit(part[part == 0]).any() for part in arrays if part.dtype.kind == "f")
    return labels_of(*arrays) if is_signed else labels

"""`classification_report`: the rates of each class and their averages, as text or as a dict."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from karat.compat.sklearn._pairs import careful, class_counts, paired
from karat.compat.sklearn._parameters import LABELS, check_parameters, drop_in, interval, warn
from karat.compat.sklearn._rates import rates_of
from karat.compat.sklearn._targets import as_column, labels_of, probe

__all__ = ["classification_report"]

_HEADERS = ("precision", "recall", "f1-score", "support")
_WARN_FOR = ("precision", "recall", "f-score")
_LAST = "weighted avg"
_DIGITS = (interval(Integral, 0, None, closed="left"),)


@drop_in(y_true=LABELS, y_pred=LABELS, digits=_DIGITS)
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
    check_parameters(
        "classification_report",
        y_true,
        y_pred,
        labels,
        target_names,
        sample_weight,
        digits,
        output_dict,
        zero_division,
    )
    probe(y_true, y_pred)
    if sample_weight is None:
        pair = paired(y_true, y_pred)
    else:
        # The text shows sums of weights with all of their digits.
        pair = careful(y_true, y_pred, sample_weight, in_row_order=True)
    wanted = pair.labels if labels is None else np.asarray(labels)
    is_whole = labels is None or set(wanted) >= set(pair.labels)
    if target_names is not None and len(wanted) != len(target_names):
        if labels is None:
            raise ValueError(
                f"Number of classes, {len(wanted)}, does not match size of target_names, "
                f"{len(target_names)}. Try specifying the labels parameter"
            )
        warn(
            f"labels size, {len(wanted)}, does not match size of target_names, {len(target_names)}"
        )
    if target_names is None:
        shown = _signed(wanted, y_true, y_pred) if labels is None else wanted
        # A scalar of NumPy formats itself as Python's float does, not as its own text.
        names = [str(label) for label in shown]
    else:
        names = target_names
    _, tp, pred, true = class_counts(y_true, y_pred, wanted, sample_weight, pair)
    width = 0 if output_dict else max(max(map(len, names)), len(_LAST), digits)  # noqa: PLW3301
    rates = [
        rates_of(tp, pred, true, 1.0, average, _WARN_FOR, zero_division)
        for average in (None, "micro", "macro", "weighted")
    ]
    support = rates[0][3]
    averages = {
        "accuracy" if is_whole else "micro avg": rates[1],
        "macro avg": rates[2],
        _LAST: rates[3],
    }
    rows = list(zip(names, *rates[0], strict=False))
    lines = {name: (*found[:3], np.sum(support)) for name, found in averages.items()}
    if output_dict:
        return _as_dict(rows, lines)
    return _as_text(rows, lines, width, digits)


def _signed(labels: Any, *columns: Any) -> Any:
    """The labels, 0 with the sign that it has in the columns: a count knows one zero only."""
    if labels.dtype.kind != "f" or not np.any(labels == 0):
        return labels
    arrays = [as_column(column) for column in columns]
    if not any(np.signbit(array[array == 0]).any() for array in arrays if array.dtype.kind == "f"):
        return labels
    return labels_of(*arrays)


def _as_dict(rows: list[Any], lines: dict[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {row[0]: row[1:] for row in rows} | lines
    report: dict[str, Any] = {
        name: {header: float(value) for header, value in zip(_HEADERS, values, strict=False)}
        for name, values in named.items()
    }
    if "accuracy" in report:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(rows: list[Any], lines: dict[str, Any], width: int, digits: int) -> str:
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

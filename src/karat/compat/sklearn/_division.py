"""Rates from counts: what 0/0 counts as, whether it warns, and how classes are averaged."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._notices import warn_undefined

__all__ = ["Rates", "divided", "rates_of"]

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

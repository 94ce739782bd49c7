"""Why a value is undefined, in words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.errors import shown
from karat.metrics import Metric
from karat.tally import Classes

__all__ = ["undefined_reason"]


def undefined_reason(
    metric: Metric,
    classes: Classes,
    undefined: npt.NDArray[np.bool_],
    *,
    is_left_out: bool = False,
) -> str | None:
    """Why a value is undefined, in which classes; None when it is defined.

    Args:
        is_left_out: whether an average of scores was made of the other classes.
    """
    if not undefined.any():
        return None
    reason = metric.undefined_when
    if len(reason) > 160 or not reason:
        is_scored = metric.needs_scores
        other = "it is larger than any number" if is_scored else "the formula divides by zero"
        reason = metric.record.undefined or other
    if undefined.ndim == 0:
        return reason
    where = np.flatnonzero(undefined)
    display = classes.display
    some = shown([display[i] for i in where[:5]])
    rest = f" … ({len(where)} in all)" if len(where) > 5 else ""
    if metric.needs_scores:
        left_out = ", left out" if is_left_out else ""
        return f"{reason} ({len(where)} of {classes.k} classes{left_out}: {some}{rest})"
    return f"{reason} in {len(where)} of {classes.k} classes: {some}{rest}"

"""What is predicted where a threshold decides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.errors import KaratError, error, short
from karat.tally.classes import Classes

__all__ = ["both_decide", "checked_threshold"]


def checked_threshold(threshold: Any, classes: Classes) -> float | None:
    """A threshold as a float.

    Errors:
        K136 it is not a finite number, or there are not two classes.
    """
    if threshold is None:
        return None
    is_number = isinstance(threshold, int | float | np.integer | np.floating)
    try:
        is_finite = is_number and math.isfinite(threshold)
    except OverflowError:  # a whole number that no float64 holds
        is_finite = False
    if not is_finite or isinstance(threshold, bool):
        raise error("K136", threshold=threshold, found="It is not a finite number")
    if classes.positive is None:
        raise error("K136", threshold=threshold, found=f"There are {classes.k} classes")
    return float(threshold)


def both_decide(predictions: str, threshold: Any) -> KaratError:
    """The error of predictions that are given beside a threshold that makes others."""
    return error("K140", threshold=short(threshold), predictions=predictions)

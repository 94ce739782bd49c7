"""Two plain columns of integers, counted natively in one step: what short calls begin with.

Each function takes integer[n] twice and returns the native tally, or None for what it leaves to the
careful way, which says what is wrong, and where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from karat import _native

if TYPE_CHECKING:
    from karat._native import Tally

__all__ = ["Count", "agreement", "cells", "class_totals", "count_for"]

_Integers: TypeAlias = "npt.NDArray[Any]"
Count: TypeAlias = "Callable[[_Integers, _Integers], Tally | None]"


def cells(y_true: _Integers, y_pred: _Integers) -> Tally | None:
    """With the confusion matrix."""
    try:
        return _native.count_integers(y_true, y_pred, None, True, 0)
    except (ValueError, TypeError):
        return None


def class_totals(y_true: _Integers, y_pred: _Integers) -> Tally | None:
    """The totals of each class."""
    try:
        return _native.count_integers(y_true, y_pred, None, False, 0)
    except (ValueError, TypeError):
        return None


def agreement(y_true: _Integers, y_pred: _Integers) -> Tally | None:
    """The rows, and those of two labels alike; its two classes stand for no labels."""
    try:
        return _native.count_agreement(y_true, y_pred, 0)
    except (ValueError, TypeError):
        return None


def count_for(needs_cells: bool, needs_classes: bool) -> Count:
    """The least work that has what a formula reads."""
    if needs_cells:
        return cells
    return class_totals if needs_classes else agreement

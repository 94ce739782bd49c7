"""Rows with sets of labels for the tests by hand, and what rows move by their weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.metrics import Metric
from karat.metrics._of_sets import values_on_sets
from karat.tally import Classes
from karat.tally.cells import Axis
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets


def set_rows(
    true: Any, pred: Any, w: Any = None, codes: Any = None, known: Any = None, **more: Any
) -> SetRows:
    """Rows with matrices of labels, in clusters with codes below 6."""
    labels = Classes(tuple(range(np.shape(true)[1])), is_declared=True)
    given = {"classes": labels, **more}
    return SetRows(
        true=Sets.of_matrix(np.asarray(true)),
        pred=Sets.of_matrix(np.asarray(pred)),
        unknown=None if known is None else Sets.of_matrix(~known),
        weights=w,
        axes=() if codes is None else (Axis("clusters", tuple(range(6))),),
        codes=None if codes is None else codes.astype(np.int32)[None],
        **given,
    )


def value_on(metric: Metric, rows: SetRows, policy: Any = "zero") -> float:
    return float(values_on_sets(metric, rows.tally, policy).value)


def by_weight(metric: Metric, rows: SetRows, policy: Any = "zero") -> np.ndarray:
    """w · the derivative of the value by the weight of each row: what the row moves."""
    w = np.ones(rows.n) if rows.weights is None else rows.weights
    step, found = 1e-5, np.zeros(rows.n)
    for i in np.flatnonzero(w > 0.0):
        ends = []
        for sign in (-1.0, 1.0):
            other = w.copy()
            other[i] *= 1.0 + sign * step
            ends.append(value_on(metric, replace(rows, weights=other), policy))
        found[i] = (ends[1] - ends[0]) / (2.0 * step)
    return found

"""Derivatives as boosting hosts take them: float32, in the arithmetic of the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error
from karat.objectives.arguments import as_rows

__all__ = ["HostRule", "Singles", "host_steps"]

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HostRule:
    """How a host computes its derivatives."""

    is_one_vs_all: bool
    scale: Callable[[int], float]
    """Factor of the second derivative for k classes."""
    floor: float = 0.0
    """Least second derivative."""
    slope: float = 1.0
    """Slope of the sigmoid."""
    is_single: bool = False
    """Whether the host computes in float32 and stores rows; else in float64, storing columns."""


def host_steps(
    host: str, scores: Any, labels: Any, weights: Any, rule: HostRule, n_threads: int | None
) -> tuple[Singles, Singles]:
    """Gradient and second derivatives float32[n, k] of the rows a host gave.

    Errors:
        K155 the host gave one score for each row; others as `karat.objectives.multiclass`.
    """
    values = np.asarray(scores)
    if values.ndim != 2 or values.shape[1] < 2:
        raise error("K155", host=host, shape=values.shape)
    if rule.is_single:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32, copy=False)
    rows = as_rows(values, labels, weights, ("The scores", "label", "weight"))
    k = rows.scores.shape[1]
    try:
        return _native.objective_steps(
            rows.scores,
            rows.labels,
            rows.weights,
            rule.is_one_vs_all,
            rule.is_single,
            not rule.is_single,
            rule.slope,
            rule.scale(k),
            rule.floor,
            n_threads or 0,
        )
    except _native.Rejected as problem:
        rows.refuse(problem)

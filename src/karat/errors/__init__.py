"""Every error and warning that karat raises, with its code, its wording and its advice.

An error is raised by its code: ``raise error("K102", left="y_true", ...)``.
The message has four beats: what is wrong, where, what was found, what to do.
Every code is triggered by a test; the catalogue and the tested set are equal.
"""

from __future__ import annotations

from typing import Any

from karat.errors.adapters import ADAPTERS, PLOTS
from karat.errors.comparisons import COMPARISONS, GATES, SLICES
from karat.errors.files import FILES
from karat.errors.inputs import ARGUMENTS, LABELS, SCORES
from karat.errors.kinds import (
    CATALOGUE,
    Entry,
    InputError,
    KaratError,
    NotCoveredError,
    OneDALError,
    TorchMetricsError,
    UndefinedWarning,
    UnknownArgumentError,
    UnknownNameError,
)
from karat.errors.metrics import METRICS, TALLIES
from karat.errors.text import short, shown

__all__ = [
    "CATALOGUE",
    "Entry",
    "InputError",
    "KaratError",
    "NotCoveredError",
    "OneDALError",
    "TorchMetricsError",
    "UndefinedWarning",
    "UnknownArgumentError",
    "UnknownNameError",
    "error",
    "short",
    "shown",
]

_PARTS = (
    LABELS,
    ARGUMENTS,
    SCORES,
    COMPARISONS,
    GATES,
    SLICES,
    TALLIES,
    METRICS,
    FILES,
    ADAPTERS,
    PLOTS,
)
CATALOGUE.update({entry.code: entry for part in _PARTS for entry in part})


def error(code: str, **context: Any) -> KaratError:
    """Make the error of that code; the caller raises it."""
    return CATALOGUE[code].kind(code, **context)

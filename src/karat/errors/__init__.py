"""Every error and warning that karat raises, with its code, its wording and its advice.

An error is raised by its code: ``raise error("K102", left="y_true", ...)``.
The message has four beats: what is wrong, where, what was found, what to do.
Every code is triggered by a test; the catalogue and the tested set are equal.
"""

from __future__ import annotations

from typing import Any

from karat.errors.catalogue import ENTRIES
from karat.errors.kinds import (
    CATALOGUE,
    Entry,
    EstimatorError,
    InputError,
    KaratError,
    MissingFileError,
    NotCoveredError,
    OneDALError,
    TorchMetricsError,
    UndefinedWarning,
    UnknownArgumentError,
    UnknownNameError,
)
from karat.errors.reasons import (
    DamagedError,
    EmptyError,
    InfiniteWeightError,
    ManyClassesError,
    ManyColumnsError,
    ManySlicesError,
    MissingScoresError,
    MissingValuesError,
    MixedLabelsError,
    NegativeWeightError,
    NewerError,
    NoAverageError,
    NoColumnError,
    NoCommonLabelError,
    NoPositiveError,
    NoRowsError,
    NotAMatrixError,
    NotLabelsError,
    NotNumbersError,
    NotWeightsError,
    NotWholeError,
    ParametersError,
    ScoreColumnsError,
    SlicesError,
    UnknownColumnError,
    UnknownLabelError,
    UnknownMetricError,
    UnlikeLabelsError,
)
from karat.errors.text import short, shown

__all__ = [
    "CATALOGUE",
    "DamagedError",
    "EmptyError",
    "Entry",
    "EstimatorError",
    "InfiniteWeightError",
    "InputError",
    "KaratError",
    "ManyClassesError",
    "ManyColumnsError",
    "ManySlicesError",
    "MissingFileError",
    "MissingScoresError",
    "MissingValuesError",
    "MixedLabelsError",
    "NegativeWeightError",
    "NewerError",
    "NoAverageError",
    "NoColumnError",
    "NoCommonLabelError",
    "NoPositiveError",
    "NoRowsError",
    "NotAMatrixError",
    "NotCoveredError",
    "NotLabelsError",
    "NotNumbersError",
    "NotWeightsError",
    "NotWholeError",
    "OneDALError",
    "ParametersError",
    "ScoreColumnsError",
    "SlicesError",
    "TorchMetricsError",
    "UndefinedWarning",
    "UnknownArgumentError",
    "UnknownColumnError",
    "UnknownLabelError",
    "UnknownMetricError",
    "UnknownNameError",
    "UnlikeLabelsError",
    "error",
    "short",
    "shown",
]

CATALOGUE.update(ENTRIES)


def error(code: str, **context: Any) -> KaratError:
    """Make the error of that code; the caller raises it."""
    return CATALOGUE[code].kind(code, **context)

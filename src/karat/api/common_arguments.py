"""Arguments that several verbs take, checked in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any, Final, get_args

import numpy as np

from karat.api.functions import plain_text
from karat.api.results import Report
from karat.data.labels.names import display_names
from karat.errors import error, shown
from karat.inference.confidence import Confidence, WeightKind
from karat.tally import Cells, Classes

__all__ = [
    "MAX_MEMORY",
    "MIN_MEMORY",
    "are_numbers_of_rows",
    "checked_memory",
    "confidence_of",
    "dressed",
]

MAX_MEMORY: Final = 1 << 31
"""Bytes that the scores of files may take before they are put into tables."""
MIN_MEMORY: Final = 1 << 20


def checked_memory(max_memory: Any) -> int:
    """A number of bytes.

    Errors:
        K122 it is none, or fewer than rows of one batch need.
    """
    is_whole = isinstance(max_memory, Integral) and not isinstance(max_memory, bool)
    if not (is_whole and max_memory >= MIN_MEMORY):
        raise error(
            "K122",
            argument="max_memory",
            value=max_memory,
            choices=f"a whole number of bytes from {MIN_MEMORY}",
            do="It is how many bytes rows with scores may take.",
        )
    return int(max_memory)


def are_numbers_of_rows(weights_are: Any) -> bool:
    """Whether a weight is a number of rows.

    Errors:
        K122 it is neither "importance" nor "frequency".
    """
    kind = plain_text(weights_are)
    if kind not in get_args(WeightKind):
        raise error(
            "K122",
            argument="weights_are",
            value=weights_are,
            choices=shown(get_args(WeightKind)),
            do="'frequency' says that a row of weight 3 stands for three rows.",
        )
    return kind == "frequency"


def confidence_of(
    level: Any, side: Any, method: Any, design: Any, seed: Any, n_replicates: Any, weights_are: Any
) -> Confidence | None:
    """What is asked of the intervals; None: there are none.

    Errors:
        K122 one of them is not what it may be.
    """
    found = Confidence.of(level, side, method, design, seed, n_replicates)
    is_frequency = are_numbers_of_rows(weights_are)
    return replace(found, weights_are="frequency") if found is not None and is_frequency else found


def dressed(report: Report, class_names: Any, *, is_frequency: bool) -> Report:
    """The report with weights taken as numbers of rows, and classes with their display names.

    Errors:
        K117 unusable names; K150 weights that are not whole numbers.
    """
    if is_frequency:
        report = _changed(report, _counted_as_rows)
    if class_names is not None or report.classes.names is not None:
        names = display_names(class_names, report.classes)
        classes: Classes = report.classes.named(names)
        report = _changed(report, lambda cells: cells.with_classes(classes))
    return report


def _changed(report: Report, change: Callable[[Cells], Cells]) -> Report:
    """The same report with another table, and its slices with it."""
    whole = replace(report, cells=change(report.cells), kept_slices=None)
    slices = report.kept_slices
    return whole if slices is None else replace(whole, kept_slices=slices.changed(change, whole))


def _counted_as_rows(cells: Cells) -> Cells:
    """The table where a row of weight 3 stands for three rows.

    Errors:
        K150 the weights are not whole numbers.
    """
    if cells.squares is None:
        return cells
    if (cells.counts % 1 != 0).any() or (cells.squares % 1 != 0).any():
        raise error("K150", found="are not whole numbers")
    return replace(cells, squares=np.asarray(cells.counts, np.float64))

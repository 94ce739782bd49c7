"""The metrics of calibration among the results of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from karat.errors import error, shown
from karat.metrics import Metric, get
from karat.plan import default_metrics
from karat.result import Result

__all__ = ["calibration_results"]

_FAMILIES: Final = ("calibration", "recalibration", "decompositions")
"""Families of metrics that say how probabilities agree with what happened."""


def calibration_results(
    results: Mapping[str, Result], applies: Callable[[Metric], bool], *, has_scores: bool
) -> dict[str, Result]:
    """Every result of calibration by name.

    Args:
        results: of a report.
        applies: whether a metric can be computed of its classes.
        has_scores: whether there were probabilities or scores.

    Errors:
        K210 there were no scores; K211 only other metrics were asked for.
    """
    found = {name: results[name] for name in results if get(name).record.family in _FAMILIES}
    if not found:
        if not has_scores:
            raise error("K210", name="calibration")
        listed = default_metrics(of_scores=True)
        fitting = [item for item in listed if item.record.family in _FAMILIES]
        names = [str(item) for item in fitting if applies(item)]
        do = f"Name one or more in metrics=: {shown(names, 20)}."
        raise error("K211", name="a metric of calibration", do=do)
    return found

"""A baseline is believed only as far as its numbers agree with what it counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, get_args

from karat.errors import KaratError
from karat.gating.baselines import Baseline, damaged_baseline
from karat.gating.verdicts import Measured
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.report import Report

__all__ = ["checked_baseline"]

_CLOSE: Final = 1e-9
"""Two versions may add up in another order."""


def checked_baseline(baseline: Baseline) -> Baseline:
    """The same baseline, whose numbers may be compared.

    Metrics of labels are computed again from its tally. Of scores, and of slices, there is none:
    their numbers have to be possible.

    Errors:
        K205 a metric of labels is another by the tally; a value is outside the range of its metric,
        limits are the wrong way round, or of more rows than there are.
    """
    policy = baseline.settings.get("undefined", "zero")
    if policy not in get_args(Policy):
        raise damaged_baseline(f"Its settings say undefined={policy!r}")
    for found in (baseline.metrics, *baseline.slices.values()):
        for metric, measured in _known(found):
            _check_possible(metric, measured, baseline.n)
    of_labels = [(m, each) for m, each in _known(baseline.metrics) if not m.needs_scores]
    report = Report(baseline.cells, policy, tuple(metric for metric, _ in of_labels))
    for metric, measured in of_labels:
        try:
            value = report[metric].value
        except KaratError:
            # Weights beyond what formulas multiply: it had no value then either.
            value = math.nan
        if not _agree(measured.value, value):
            raise damaged_baseline(f"{metric} is {measured.value}, and {value} by its tally")
    return baseline


def _known(metrics: Mapping[str, Measured]) -> list[tuple[Metric, Measured]]:
    """What this version can measure; nothing else is ever compared."""
    found = []
    for name, measured in metrics.items():
        try:
            found.append((get(name), measured))
        except KaratError:
            continue
    return found


def _check_possible(metric: Metric, measured: Measured, n: int) -> None:
    low, high = metric.range
    for number in (measured.value, measured.low, measured.high):
        if number is None or not math.isfinite(number):
            continue
        if not low - _CLOSE <= number <= high + _CLOSE:
            raise damaged_baseline(f"{metric} is {number}, outside of {low:g} to {high:g}")
    if measured.low is not None and measured.high is not None and measured.low > measured.high:
        raise damaged_baseline(f"{metric} has limits from {measured.low} to {measured.high}")
    if measured.n > n:
        raise damaged_baseline(f"{metric} is of {measured.n} rows, and there are {n}")


def _agree(said: float | None, made: float) -> bool:
    if said is None or not math.isfinite(said) or not math.isfinite(made):
        return (said is None or not math.isfinite(said)) and not math.isfinite(made)
    return abs(said - made) <= _CLOSE * max(1.0, abs(made))

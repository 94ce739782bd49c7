"""A baseline is believed only as far as its numbers agree with what it counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, get_args

import numpy as np

from karat.api.results import Report
from karat.data.scores.containers import tolerance_of
from karat.errors import KaratError
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.output.gate.baselines import Baseline, BaselineRows, damaged_baseline
from karat.results.gate.verdicts import Measured
from karat.tally import Cells
from karat.tally.held_rows import Chunk, impossible

__all__ = ["checked_baseline"]

_CLOSE: Final = 1e-9
"""Two versions may add up in another order."""


def checked_baseline(baseline: Baseline) -> Baseline:
    """The same baseline, whose numbers may be compared.

    Metrics of labels are computed again from its tally, and its rows are counted again, where it
    has some. Of scores without rows, and of slices, there is nothing to compute from: their numbers
    have to be possible.

    Errors:
        K205 a metric of labels is another by the tally, or the tally another by the rows; a value
        is outside the range of its metric, limits do not hold it, or are of more rows than there
        are; a row has probabilities that are none.
    """
    if baseline.rows is not None:
        _check_rows(baseline.rows, baseline.cells)
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
    for found in (baseline.metrics, *baseline.slices.values()):
        for metric, measured in _known(found):
            _check_limits(metric, measured)
    return baseline


def _check_rows(rows: BaselineRows, cells: Cells) -> None:
    """Rows are compared where there are some: they have to be those of the tally."""
    if (rows.weights is not None) != cells.is_weighted:
        raise damaged_baseline("Its rows are weighted, or its tally is, and not both")
    if cells.storage == "marginals":
        raise damaged_baseline("It holds rows, and of their tally the totals only")
    k = cells.k
    at, where = np.unique(rows.true.astype(np.int64) * k + rows.pred, return_inverse=True)
    held = np.bincount(where.ravel(), rows.weights, len(at))
    true, pred, counts = cells.occupied()
    listed = true * k + pred
    filled = held > 0.0
    total = float(held.sum())
    if not np.array_equal(at[filled], listed) or not np.allclose(
        held[filled], counts, rtol=_CLOSE, atol=_CLOSE * total if cells.is_weighted else 0.0
    ):
        raise damaged_baseline("Its rows are not those of its tally")
    if rows.scores is None:
        return
    # A baseline does not say of how many digits its probabilities were.
    tolerance = tolerance_of(is_half=True) if rows.is_prob else None
    problem = impossible(Chunk(rows.true, rows.scores), tolerance)
    if problem is not None:
        raise damaged_baseline(problem)


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


def _check_limits(metric: Metric, measured: Measured) -> None:
    """Limits hold the value, where there are some."""
    value, low, high = measured.value, measured.low, measured.high
    if value is None or not math.isfinite(value):
        return
    slack = _CLOSE * max(1.0, abs(value))
    if (low is not None and low > value + slack) or (high is not None and high < value - slack):
        raise damaged_baseline(f"{metric} is {value}, and its limits are {low} to {high}")


def _agree(said: float | None, made: float) -> bool:
    if said is None or not math.isfinite(said) or not math.isfinite(made):
        return (said is None or not math.isfinite(said)) and not math.isfinite(made)
    return abs(said - made) <= _CLOSE * max(1.0, abs(made))

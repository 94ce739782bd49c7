"""Reasons why a value is undefined or absent, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.errors import KaratError, error, shown
from karat.metrics import Metric
from karat.metrics._lift import trace
from karat.metrics._metric import Flags
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._render import undefined_condition
from karat.tally import Classes
from karat.tally.set_tally import SetTally

CALIBRATION_FAMILIES = ("calibration", "recalibration", "decompositions")
"""Families of metrics of the agreement of probabilities with outcomes."""


def undefined_reason(
    metric: Metric, classes: Classes, undefined: Flags, *, is_left_out: bool = False
) -> str | None:
    """Return why a value is undefined, and in which classes; None when it is defined.

    Args:
        is_left_out: whether an average of scores leaves out these classes.
    """
    if not undefined.any():
        return None
    reason = metric.undefined_when
    if len(reason) > 160 or not reason:
        is_scored = metric.needs_scores
        other = (
            "the value is too large for a float64" if is_scored else "the formula divides by zero"
        )
        reason = metric.record.undefined or other
    if undefined.ndim == 0:
        return reason
    where = np.flatnonzero(undefined)
    # Not `display`: a text for each of a million labels takes longer than the metric.
    names = classes.labels if classes.names is None else classes.names
    some = shown([str(names[i]) for i in where[:5]])
    rest = f" … ({len(where)} in all)" if len(where) > 5 else ""
    if metric.needs_scores:
        left_out = ", left out" if is_left_out else ""
        return f"{reason} ({len(where)} of {classes.k} classes{left_out}: {some}{rest})"
    return f"{reason} in {len(where)} of {classes.k} classes: {some}{rest}"


def undefined_on_sets(metric: Metric, tally: SetTally, undefined: Flags) -> str | None:
    """Return why a value on rows with sets is undefined, in which labels or in how many rows."""
    metric = meant_on_sets(metric)
    if not metric.is_of_rows:
        return undefined_reason(metric, tally.classes, undefined)
    n = int(tally.n_rows[undefined].sum())
    if not n:
        return None
    of_one = trace(metric.record, "plain", "nan", dict(metric.params))
    condition = undefined_condition(of_one.raw)
    return f"no label of a row counts ({condition}), in {n} of {int(tally.n_rows.sum())} rows"


def undefined_of_scores(metric: Metric, classes: Classes, undefined: Flags) -> str | None:
    """Return why a value of scores of sets is undefined, in which labels or in how many rows."""
    if not (metric.record.is_of_label_scores or metric.lift == "samples"):
        is_left_out = metric.lift != "per_class" and not undefined.all()
        return undefined_reason(metric, classes, undefined, is_left_out=is_left_out)
    n = int(np.count_nonzero(undefined))
    if not n:
        return None
    of_row = metric.record.of_row is not None
    reason = "no pair of labels of a row can be compared" if of_row else metric.record.undefined
    return reason if undefined.ndim == 0 else f"{reason}, in {n} of {undefined.size} rows"


def no_calibration(metrics: Sequence[Metric]) -> KaratError:
    """K211: a report of scores has no calibration metric; name those that would be in `metrics`."""
    names = [str(item) for item in metrics if item.record.family in CALIBRATION_FAMILIES]
    do = f"Name one or more in metrics=: {shown(names, 20)}."
    return error("K211", name="a metric of calibration", do=do)


def not_computed(
    names: Sequence[str], *, can_be_named: bool = True, needs_rows: bool = False
) -> KaratError:
    """K211: a report does not contain these metrics of scores, nor can it compute them.

    Args:
        names: every metric that is missing.
        can_be_named: whether they can be requested by name for these classes.
        needs_rows: whether they cannot be computed from tables of scores.
    """
    them = "it" if len(names) == 1 else "them"
    do = f"Name {them}: karat.evaluate(..., metrics=[{shown(names)}])."
    if not can_be_named:
        do = "Leave metrics= out: karat.evaluate(...) computes them for each class."
    if needs_rows:
        do += " Where rows were too many to keep, give a larger karat.Reading(max_memory=) as well."
    return error("K211", name=", ".join(names), do=do)

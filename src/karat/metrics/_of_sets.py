"""Metrics on rows with sets of labels: values, and how they move with each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.metrics._formula import Node, walk
from karat.metrics._interpret import evaluate, sensitivities
from karat.metrics._lift import Policy, Traced, trace
from karat.tally.set_tally import SetTally

if TYPE_CHECKING:
    from karat.metrics._metric import Metric

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def meant_on_sets(metric: Metric) -> Metric:
    """The metric that this one is of sets: another one where its name means that there.

    Errors:
        K219 sets do not have it.
    """
    from karat.metrics._registry import get, has_samples

    record = metric.record
    if record.on_sets:
        return get(record.on_sets)
    is_of_labels = record.is_traced and (record.is_per_class or record.is_of_sets)
    has_lift = metric.lift != "samples" or has_samples(record)
    if not (record.is_of_rows or (is_of_labels and has_lift)):
        raise error("K219", name=str(metric))
    if record.is_per_class and metric.lift == "plain":
        names = [record.lifted(average) for average in (*record.averages, "samples")]
        raise error("K220", name=str(metric), averages=", ".join(names))
    return metric


def is_of_rows(metric: Metric) -> bool:
    """Whether a metric is a mean over the rows."""
    return metric.record.is_of_rows or metric.lift == "samples"


@dataclass(frozen=True, slots=True)
class OfRows:
    """A metric of each profile of rows.

    Attributes:
        value: float64[p]; what the policy makes of a row that does not define it, NaN where it is
            left out, or has none.
        undefined: bool[p], rows that do not define it.
    """

    value: Floats
    undefined: Flags


def of_rows(metric: Metric, tally: SetTally, policy: Policy) -> OfRows:
    """The metric of each profile, of a mean over rows."""
    traced = _traced_of_row(metric)
    raw = np.broadcast_to(
        evaluate(traced.raw, tally.fields_of_rows, dict(metric.params)), (len(tally.n_rows), 1)
    )[:, 0]
    undefined: Flags = ~np.isfinite(raw)
    value = np.where(undefined, np.nan, raw)
    if policy == "zero" and metric.record.is_zero_when_undefined:
        value = np.where(undefined, 0.0, value)
    return OfRows(value, undefined)


def _traced_of_row(metric: Metric) -> Traced:
    """The graph of one row, whose labels are added up already."""
    return trace(metric.record, "per_class", "nan", dict(metric.params), is_of_sets=True)


def mean_of_rows(found: OfRows, mass: npt.NDArray[Any], policy: Policy) -> float:
    """The mean of a metric of each profile, by the rows of each."""
    if policy == "exclude":
        kept = ~found.undefined & (mass > 0)
        value, mass = found.value[kept], mass[kept]
    else:
        value = np.where(mass > 0, found.value, 0.0)
    total = float(mass.sum())
    return float((value * mass).sum()) / total if total > 0 else np.nan


def traced_on_sets(metric: Metric, policy: Policy) -> Traced:
    """The graph of a metric that reads the tables of the labels."""
    return trace(metric.record, metric.lift, policy, dict(metric.params), is_of_sets=True)


@dataclass(frozen=True, slots=True)
class LabelSlopes:
    """How one number moves with one more row, by what the row is for each label.

    Attributes:
        tp, fp, fn, tn: float64[k].
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats


def label_slopes(metric: Metric, tally: SetTally, policy: Policy) -> LabelSlopes:
    """Derivative of one number with respect to the four counts of each label."""
    root = traced_on_sets(metric, policy).value
    leaves = [node for node in walk(root) if node.op == "field" and node.rank == 1]
    moved, _ = sensitivities(root, leaves, tally.fields, dict(metric.params))
    sums = {name: np.zeros(tally.k) for name in ("tp", "fp", "fn", "tn")}
    for leaf, slope in zip(leaves, moved, strict=True):
        _add(sums, leaf, slope)
    return LabelSlopes(**sums)


def _add(sums: dict[str, Floats], leaf: Node, slope: Floats) -> None:
    if leaf.value in sums:
        sums[leaf.value] += slope

"""Metrics on rows with sets of labels: values, and how they move with each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.metrics._formula import walk
from karat.metrics._interpret import evaluate, sensitivities
from karat.metrics._lift import Policy, Traced, trace
from karat.metrics._metric import Metric, Values, means_within_range, programs
from karat.metrics._program import batch_of
from karat.metrics._registry import get
from karat.tally.cells import Fields
from karat.tally.score_kind import undecided
from karat.tally.set_tally import SetTally

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def meant_on_sets(metric: Metric) -> Metric:
    """The metric that this one is of sets: another one where its name means that there.

    Errors:
        K219 sets do not have it; K220 it is of one label.
    """
    record = metric.record
    if record.on_sets:
        meant = get(record.on_sets)
        given = {k: v for k, v in metric.params if meant.record.parameter(k)}
        return Metric.of(meant.record, meant.lift, given)
    if not record.is_on_sets or (metric.lift == "samples" and not record.has_samples):
        raise error("K219", name=str(metric))
    if record.is_per_class and metric.lift == "plain":
        names = ", ".join(record.lifted(average) for average in record.averages_on_sets)
        raise error("K220", name=str(metric), averages=names or "it has none")
    return metric


def values_on_sets(metric: Metric, tally: SetTally, policy: Policy = "zero") -> Values:
    """Compute a metric on a tally of sets.

    Returns:
        float64 of one number, float64[k] of the lift per class. What is undefined is of each label,
        or of each profile where it is a mean over rows.

    Errors:
        K219, K220 sets do not have it; K210 it reads scores.

    Cost: O(labels), or O(profiles) of a mean over rows.
    """
    metric = meant_on_sets(metric)
    if metric.needs_scores:
        raise metric.no_scores()
    if metric.reads_predictions and not tally.has_predictions:
        raise undecided(str(metric), "a label")
    if metric.is_of_rows:
        found = of_rows(metric, tally.fields_of_rows, policy)
        mean = Values(np.asarray(mean_of_rows(found, tally.mass, policy)), found.undefined)
    else:
        mean = values_on_tables(metric, tally.fields, policy)
    return means_within_range(metric, mean, tally.n)


def values_on_tables(metric: Metric, fields: Fields, policy: Policy) -> Values:
    """A metric that sets have on tables of 2×2 of every label, float64[..., k] with any axes."""
    batch = fields.tp.shape[:-1]
    given = batch_of(fields, batch, needs_cells=False)
    program = programs(_traced(metric, policy))[1]
    value, raw = program.evaluate(*given, params=metric.arguments(policy))
    undefined = ~np.isfinite(raw)
    return Values(
        value.reshape((*batch, *value.shape[1:])), undefined.reshape((*batch, *raw.shape[1:]))
    )


@dataclass(frozen=True, slots=True)
class OfRows:
    """A metric of each row, or of each profile of rows.

    Attributes:
        value: float64[p]; what the policy makes of a row that does not define it, NaN where it is
            left out, or has none.
        undefined: bool[p], rows that do not define it.
    """

    value: Floats
    undefined: Flags


def of_rows(metric: Metric, fields: Fields, policy: Policy) -> OfRows:
    """The metric of each row, of a mean over rows.

    Args:
        fields: counts over the labels of each row or profile, float64[p, 1].
    """
    # The labels of a row are added up already.
    traced = trace(metric.record, "per_class", "nan", dict(metric.params), is_of_sets=True)
    raw = evaluate(traced.raw, fields, dict(metric.params))
    raw = np.broadcast_to(raw, fields.tp.shape)[:, 0]
    undefined: Flags = ~np.isfinite(raw)
    value = np.where(undefined, np.nan, raw)
    if policy == "zero" and metric.record.is_zero_when_undefined:
        value = np.where(undefined, 0.0, value)
    return OfRows(value, undefined)


def mean_of_rows(found: OfRows, mass: npt.NDArray[Any], policy: Policy) -> float:
    """The mean of a metric of each profile, by the rows of each."""
    if policy == "exclude":
        kept = ~found.undefined & (mass > 0)
        value, mass = found.value[kept], mass[kept]
    else:
        value = np.where(mass > 0, found.value, 0.0)
    total = float(mass.sum())
    return float((value * mass).sum()) / total if total > 0 else np.nan


def _traced(metric: Metric, policy: Policy) -> Traced:
    """The graph of a metric that reads the tables of the labels."""
    return trace(metric.record, metric.lift, policy, dict(metric.params), is_of_sets=True)


@dataclass(frozen=True, slots=True)
class LabelSlopes:
    """Derivatives of a number by the counts of each label.

    Attributes:
        tp, fp, fn, tn: float64[k].
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @property
    def sides(self) -> tuple[Floats, Floats, Floats, Floats]:
        """All of them, in this order."""
        return self.tp, self.fp, self.fn, self.tn


def label_slopes(metric: Metric, tally: SetTally, policy: Policy) -> LabelSlopes:
    """Derivative of one number with respect to the four counts of each label."""
    root = _traced(metric, policy).value
    leaves = [node for node in walk(root) if node.op == "field" and node.rank == 1]
    moved, _ = sensitivities(root, leaves, tally.fields, dict(metric.params))
    sums = {name: np.zeros(tally.k) for name in ("tp", "fp", "fn", "tn")}
    for leaf, slope in zip(leaves, moved, strict=True):
        if leaf.value in sums:
            sums[leaf.value] += slope
    return LabelSlopes(**sums)

"""Metrics of the rows of a gate, and their differences from the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final

import numpy as np

from karat.api.arguments import refuse_missing
from karat.api.comparing import check_metrics
from karat.api.measuring import Spec, report_of
from karat.api.models import models_of_rows
from karat.api.results import Report
from karat.data.accumulator import accumulate
from karat.data.labels.column import Column
from karat.data.rows import Rows
from karat.data.scores.storage import ScoreParts
from karat.data.sources.arrays.labels import tally_columns
from karat.errors import KaratError, error
from karat.inference.comparison.contrasts import distances_together
from karat.inference.comparison.judging import POWER, ComparisonSpec, judged
from karat.inference.confidence import Confidence
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.results.gate.verdicts import Change, Evidence, Measured
from karat.tally import Classes

__all__ = ["GateSpec", "change_apart", "changes_of", "gate_report", "measured_of", "values_of"]

_NAMES: Final = ("new", "old")


@dataclass(frozen=True)
class GateSpec:
    """The choices of a gate, beside its rules; see `karat.gate`."""

    evidence: Evidence = "value"
    level: float = 0.95
    adjust: str = "holm"
    min_n: int = 30
    policy: Policy = "zero"
    allow_mismatch: bool = False
    strict_inconclusive: bool = False
    warn_only: bool = False
    with_rows: bool = False


def gate_report(
    rows: Rows, metrics: Sequence[Metric] | None, spec: GateSpec, *, is_whole: bool = True
) -> Report:
    """The report of rows.

    Args:
        metrics: those wanted, or None for all.
        is_whole: whether these are all rows; in a slice only the classes that occur in it count.

    Errors:
        K210 a metric reads scores, and there are none.
    """
    of_scores = [metric for metric in metrics or () if metric.needs_scores]
    if of_scores and rows.scores is None:
        raise error("K210", name=str(of_scores[0]))
    if metrics is not None and not of_scores:
        rows = replace(rows, scores=None)
    if rows.scores is None:
        (rows,) = (rows,) if is_whole else _on_own_classes(rows)
        rows = _counted(rows)
    wanted = None if metrics is None else tuple(metrics)
    asked = Spec(wanted, spec.policy, Confidence(spec.level))
    report = report_of(accumulate(rows, ScoreParts(0)), asked)
    if wanted is not None:
        refuse_missing(report, wanted)
    return report


def _on_own_classes(*sides: Rows) -> tuple[Rows, ...]:
    """Rows of labels on the classes that occur in them; two or declared classes stay."""
    classes = sides[0].classes
    if classes.k <= 2 or classes.is_declared:
        return sides
    own = np.unique(np.concatenate([codes for rows in sides for codes in (rows.true, rows.pred)]))
    fewer = Classes.of([classes.labels[code] for code in own.tolist()])
    places = np.zeros(classes.k, np.int32)
    places[own] = np.arange(len(own), dtype=np.int32)
    return tuple(
        replace(rows, classes=fewer, true=places[rows.true], pred=places[rows.pred], cells=None)
        for rows in sides
    )


def _counted(rows: Rows) -> Rows:
    """Rows of labels with their tally."""
    if rows.cells is not None:
        return rows
    assert rows.pred is not None
    true, pred = (Column("y_true", rows.true, "integer"), Column("y_pred", rows.pred, "integer"))
    labels = list(range(rows.classes.k))
    cells = tally_columns(true, pred, labels=labels, weights=rows.weights)
    return replace(rows, cells=cells.with_classes(rows.classes))


def measured_of(
    rows: Rows, metrics: Sequence[Metric], spec: GateSpec, *, is_whole: bool
) -> dict[str, Measured]:
    """The result of each metric by name; no value depends on the other metrics."""
    found: dict[str, Measured] = {}
    for part in _parts(metrics):
        report = gate_report(rows, part, spec, is_whole=is_whole)
        found |= values_of(report, part)
    return found


def _parts(metrics: Sequence[Metric]) -> list[list[Metric]]:
    """Metrics of labels, and those of scores; none of them empty."""
    parts = [[m for m in metrics if m.needs_scores == of_scores] for of_scores in (False, True)]
    return [part for part in parts if part]


def _measured_in(report: Report, metric: Metric) -> Measured:
    """The result of a metric in a report, and why its rows do not define it."""
    result = report[metric]
    try:
        is_undefined = bool(report._values(metric, report.cells).undefined.all())
    except KaratError:
        is_undefined = not math.isfinite(result.value)
    why = result.undefined if is_undefined or not math.isfinite(result.value) else None
    return Measured(result.value, result.low, result.high, result.n, why, result.remark)


def values_of(
    report: Report, metrics: Iterable[Metric], *, skips_missing: bool = False
) -> dict[str, Measured]:
    """The results of metrics in a report, by name.

    Args:
        skips_missing: whether metrics that the report does not have are left out.

    Errors:
        As `Report.__getitem__`.
    """
    found = {}
    for metric in metrics:
        try:
            found[str(metric)] = _measured_in(report, metric)
        except KaratError:
            if not skips_missing:
                raise
    return found


def changes_of(
    new: Rows, old: Rows, metrics: Sequence[Metric], spec: GateSpec, *, is_whole: bool
) -> dict[str, tuple[Measured, Change]]:
    """The result of each metric, and its difference from that of the baseline on the same rows.

    Errors:
        K166 a metric reads scores that one of them lacks.
    """
    found: dict[str, tuple[Measured, Change]] = {}
    pair = ComparisonSpec(spec.level, "none", {}, ((0, 1),))
    for part in _parts(metrics):
        of_scores = part[0].needs_scores
        sides: tuple[Rows, ...] = (new, old)
        if not of_scores:
            sides = tuple(replace(side, scores=None) for side in sides)
        is_same = _is_same(new, old, of_scores=of_scores)
        if not is_whole and not of_scores:
            sides = _on_own_classes(*sides)
        models = models_of_rows(_NAMES, sides)
        check_metrics(part, models.classes, _NAMES, models.scored)
        alone = measured_of(new, part, spec, is_whole=is_whole)
        for metric, (measured, values) in zip(
            part, models.measured(part, pair, spec.policy), strict=True
        ):
            (one,) = judged(measured, _NAMES, pair)
            value = values["new"]
            now = replace(alone[str(metric)], value=value.value)
            if value.low is not None:
                now = replace(now, low=value.low, high=value.high)
            change = Change(
                one.value_b,
                one.difference,
                one.low,
                one.high,
                one.p,
                one.detectable,
                is_same=is_same,
                remark=one.remark,
            )
            found[str(metric)] = now, change
    return found


def _is_same(new: Rows, old: Rows, *, of_scores: bool) -> bool:
    """Whether both models predict the same on every row."""
    if not of_scores:
        return bool(np.all(new.pred == old.pred))
    if new.scores is None or old.scores is None or new.is_prob != old.is_prob:
        return False
    return np.array_equal(new.scores.values, old.scores.values)


def change_apart(now: Measured, before: Measured, level: float) -> Change:
    """The difference of two values of different rows, limits combined (Zou and Donner 2008)."""
    assert now.value is not None
    assert before.value is not None
    difference = now.value - before.value
    if not math.isfinite(difference):
        return Change(before.value, math.nan, is_paired=False, remark="a value is undefined")
    if now.low is None or now.high is None or before.low is None or before.high is None:
        remark = now.remark or before.remark
        return Change(before.value, difference, is_paired=False, remark=remark)
    down, up = distances_together(
        (now.value - now.low, now.high - now.value),
        (before.value - before.low, before.high - before.value),
    )
    normal = NormalDist()
    quantile = normal.inv_cdf((1.0 + level) / 2.0)
    error = (down + up) / (2.0 * quantile)
    # The side that faces 0 decides, so that p and the interval never disagree.
    facing = (up if difference < 0.0 else down) / quantile
    return Change(
        before.value,
        difference,
        difference - down,
        difference + up,
        math.erfc(abs(difference) / (facing * math.sqrt(2.0))) if facing > 0.0 else None,
        (quantile + normal.inv_cdf(POWER)) * error,
        is_paired=False,
    )

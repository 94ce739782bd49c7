"""What metrics give on the rows of a gate, and how that differs from the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from karat.api.comparing import compare
from karat.api.evaluation import evaluate
from karat.api.results import Report
from karat.data.rows import Rows
from karat.errors import KaratError, error
from karat.metrics import Metric
from karat.output.gate.baselines import Baseline
from karat.results.gate.verdicts import Change, Measured

__all__ = [
    "Asked", "change_apart", "changes_of", "measured_in", "measured_of", "report_of",
    "values_before",
]  # fmt: skip

POWER: Final = 0.8


@dataclass(frozen=True)
class Asked:
    """What is asked, beside the rules."""

    evidence: Any
    level: float
    undefined: str
    min_n: int


def report_of(
    rows: Rows, metrics: Sequence[Metric] | None, asked: Asked, *, is_whole: bool = True
) -> Report:
    """The report of rows whose classes are known.

    Args:
        metrics: those wanted, or None for all.
        is_whole: whether these are all rows; of a slice only the classes that occur in it count,
            as if its rows were all there are.

    Errors:
        K210 a metric reads scores, and there are none.
    """
    wants_scores = metrics is None or any(metric.needs_scores for metric in metrics)
    missing = [metric for metric in metrics or () if metric.needs_scores and rows.scores is None]
    if missing:
        raise error("K210", name=str(missing[0]))
    scores: dict[str, Any] = {}
    if wants_scores and rows.scores is not None:
        scores = {"y_prob" if rows.is_prob else "y_score": rows.values}
    true, pred, options = _coded(rows, rows.pred, has_every=is_whole or bool(scores))
    return evaluate(
        true,
        pred,
        metrics=metrics,
        clusters=None if rows.clusters is None else rows.clusters.codes,
        level=asked.level,
        undefined=asked.undefined,
        **options,
        **scores,
    )


def _coded(rows: Rows, pred: Any, *, has_every: bool) -> tuple[Any, Any, dict[str, Any]]:
    """Labels and options for rows that hold the places of their classes."""
    classes = rows.classes
    if classes.k == 1:
        # A place of 0 would be read as the label 0, beside which 1 is positive.
        only = np.full(rows.n, classes.labels[0])
        return only, only, {"weights": rows.weights}
    every = has_every or classes.k == 2 or classes.is_declared
    options = {
        "labels": list(range(classes.k)) if every else None,
        "positive": classes.positive,
        "weights": rows.weights,
    }
    return rows.true, pred, options


def measured_of(
    rows: Rows, metrics: Sequence[Metric], asked: Asked, *, is_whole: bool
) -> dict[Metric, Measured]:
    """What each metric gives; no value depends on which others are asked for."""
    found: dict[Metric, Measured] = {}
    for part in _parts(metrics):
        report = report_of(rows, part, asked, is_whole=is_whole)
        found |= {metric: measured_in(report, metric) for metric in part}
    return found


def _parts(metrics: Sequence[Metric]) -> list[list[Metric]]:
    """Metrics of labels, and those of scores; what there is."""
    parts = [[m for m in metrics if m.needs_scores == of_scores] for of_scores in (False, True)]
    return [part for part in parts if part]


def changes_of(
    new: Rows, old: Rows, metrics: Sequence[Metric], asked: Asked, *, is_whole: bool
) -> dict[Metric, tuple[Measured, Change]]:
    """What each metric gives, and how that differs on the same rows of the baseline.

    Errors:
        K166 a metric reads scores that one of them lacks.
    """
    found: dict[Metric, tuple[Measured, Change]] = {}
    for part in _parts(metrics):
        scores: dict[str, dict[str, Any]] = {}
        is_same = bool(np.all(new.pred == old.pred))
        if part[0].needs_scores:
            for name, rows in (("new", new), ("old", old)):
                if rows.scores is not None:
                    argument = "y_prob" if rows.is_prob else "y_score"
                    scores.setdefault(argument, {})[name] = rows.values
            is_same = _has_same_scores(new, old)
        true, said, options = _coded(new, new.pred, has_every=is_whole or bool(scores))
        arguments: dict[str, Any] = {**options, **scores}
        comparison = compare(
            true,
            {"new": said, "old": said if new.classes.k == 1 else old.pred},
            metrics=part,
            baseline="old",
            clusters=None if new.clusters is None else new.clusters.codes,
            level=asked.level,
            adjust="none",
            undefined=asked.undefined,
            **arguments,
        )
        measured = measured_of(new, part, asked, is_whole=is_whole)
        for metric in part:
            one = comparison[metric, "new", "old"]
            value = comparison.values[str(metric)]["new"]
            change = Change(
                one.value_b, one.difference, one.low, one.high, one.p, one.detectable, True,
                is_same, one.remark,
            )  # fmt: skip
            now = replace(measured[metric], value=value.value)
            if value.low is not None:
                now = replace(now, low=value.low, high=value.high)
            found[metric] = now, change
    return found


def _has_same_scores(new: Rows, old: Rows) -> bool:
    if new.scores is None or old.scores is None or new.is_prob != old.is_prob:
        return False
    return np.array_equal(new.scores.values, old.scores.values)


def measured_in(report: Report, metric: Metric) -> Measured:
    """What a report says of a metric, and whether its rows define it at all."""
    result = report[metric]
    try:
        is_undefined = bool(report._values(metric, report.cells).undefined.all())
    except KaratError:
        is_undefined = not math.isfinite(result.value)
    why = result.undefined if is_undefined or not math.isfinite(result.value) else None
    return Measured(result.value, result.low, result.high, result.n, why, result.remark)


def values_before(
    before: Baseline | Report | None, metrics: Sequence[Metric]
) -> Mapping[str, Measured] | None:
    """What the baseline says of every metric; None without one."""
    if before is None:
        return None
    if isinstance(before, Baseline):
        return before.metrics
    found = {}
    for metric in metrics:
        try:
            found[str(metric)] = measured_in(before, metric)
        except KaratError:
            continue
    return found


def change_apart(now: Measured, before: Measured, level: float) -> Change:
    """The difference of two values of different rows, limits combined (Zou and Donner 2008)."""
    assert now.value is not None
    assert before.value is not None
    difference = now.value - before.value
    if not math.isfinite(difference):
        return Change(before.value, math.nan, is_paired=False, remark="a value is undefined")
    limits = (now.low, now.high, before.low, before.high)
    if any(limit is None for limit in limits):
        remark = now.remark or before.remark
        return Change(before.value, difference, is_paired=False, remark=remark)
    low, high, low_before, high_before = (float(limit or 0.0) for limit in limits)
    down = math.hypot(now.value - low, high_before - before.value)
    up = math.hypot(high - now.value, before.value - low_before)
    normal = NormalDist()
    quantile = normal.inv_cdf((1.0 + level) / 2.0)
    step = (down + up) / (2.0 * quantile)
    # The side that faces 0 decides, so that p and the interval never disagree.
    facing = (up if difference < 0.0 else down) / quantile
    p = math.erfc(abs(difference) / (facing * math.sqrt(2.0))) if facing > 0.0 else None
    return Change(
        before.value, difference, difference - down, difference + up, p,
        (quantile + normal.inv_cdf(POWER)) * step, is_paired=False,
    )  # fmt: skip

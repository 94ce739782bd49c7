"""Doubts about the ranks that scores give to rows: in reverse, or those of the other class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np

from karat.data.rows import Rows
from karat.data.scores.rows import InMemoryScores
from karat.errors import shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import option
from karat.errors.text import counted, value
from karat.metrics import get
from karat.metrics._measure import measure
from karat.results.values import ReportValues
from karat.tally import Classes

AREAS: Final = {
    "roc_auc": 0.5,
    "roc_auc_ovr_macro": 0.5,
    "roc_auc_ovr_weighted": 0.5,
    "roc_auc_ovo_macro": 0.5,
    "roc_auc_ovo_weighted": 0.5,
    "roc_auc_mu": 0.5,
    "gini": 0.0,
    "macro_gini": 0.0,
    "weighted_gini": 0.0,
}
"""Metric → its value without information, of every metric that is the area under a whole ROC curve,
an average of such areas, or 2 × area − 1.

The area pooled over classes (micro) is none of them: it depends on the scales of the columns. Nor
is one with ``max_fpr=``, which is of a part of the curve.
"""
_MOST_NAMED: Final = 3
Limits: TypeAlias = tuple[float, float | None, float | None]
"""A value and the limits of its interval."""


def of_areas(
    limits: Mapping[str, Limits],
    classes: Classes,
    n_columns: int,
    of: str = "",
    *,
    is_prob: bool = True,
) -> Iterator[Doubt]:
    """Iterate over the doubt that scores rank the classes in reverse.

    The first of `AREAS` that has an interval decides.

    Args:
        limits: values with their limits, by the name of the metric.
        n_columns: scores of each row.
        of: the model, where there are several.
        is_prob: whether the scores are probabilities.
    """
    for name, chance in AREAS.items():
        number, low, high = limits.get(name, (0.0, None, None))
        if high is None:
            continue
        if high < chance:
            areas = _below(name, number, low, high, chance)
            do = order_of_scores(classes, n_columns, is_prob=is_prob)
            yield doubt("D103", of=whose(of), classes="the classes", areas=areas, do=do)
        return


def of_each_area(report: ReportValues) -> Iterator[Doubt]:
    """Iterate over the doubt that the scores of some of many classes rank their rows in reverse.

    Intervals are as wide as those that hold for all classes at once.
    """
    classes, confidence = report.classes, report.confidence
    limits = report.class_intervals.get("roc_auc")
    if limits is None or confidence is None or classes.k < 3:
        return
    (numbers,) = (
        result.value
        for metric, result in report.measured.items()
        if metric.record.name == "roc_auc" and metric.lift == "per_class"
    )
    lows, highs = limits
    confidence = confidence.at(report.n_rows)
    wider = NormalDist().inv_cdf(1.0 - confidence.tail / classes.k) / confidence.quantile()
    with np.errstate(invalid="ignore"):
        at = np.flatnonzero(numbers + (highs - numbers) * wider < 0.5).tolist()
    if not 0 < len(at) < classes.k:
        return
    names = [repr(classes.labels[i]) for i in at[:_MOST_NAMED]]
    more = f" and {len(at) - _MOST_NAMED} more" if len(at) > _MOST_NAMED else ""
    areas = "; ".join(
        _below(f"roc_auc of {name}", float(numbers[i]), float(lows[i]), float(highs[i]), 0.5)
        for name, i in zip(names, at, strict=False)
    )
    what = f"{'class' if len(at) == 1 else 'classes'} {', '.join(names)}{more}"
    yield doubt("D103", of="", classes=what, areas=areas, do=order_of_scores(classes, classes.k))


_MOST_ROWS: Final = 4096
"""Rows that are ranked in two ways."""
_LEAST_GAP: Final = 0.005


def of_logits(report: ReportValues, rows: Rows | None) -> Iterator[Doubt]:
    """Iterate over the doubt that columns of scores are logits: their areas differ by log-odds.

    Cost: two sorts of each column, of at most `_MOST_ROWS` rows.
    """
    metric = get("roc_auc_ovr_macro")
    scores = None if rows is None else rows.scores
    if rows is None or scores is None or scores.kind != "scores" or scores.values.ndim == 1:
        return
    if rows.classes.k <= 2 or metric not in report.measured:
        return
    some = rows.at(np.arange(0, rows.n, -(-rows.n // _MOST_ROWS)))
    assert some.scores is not None
    as_logits = replace(some, scores=replace(some.scores, argument="y_logit"))
    columns, odds = (
        float(measure(InMemoryScores.of(one, is_part=True), [metric])[metric].value)
        for one in (some, as_logits)
    )
    if not abs(columns - odds) > _LEAST_GAP:
        return
    sample = "" if some.n == rows.n else f", in {counted(some.n, 'row')}"
    facts = {"columns": value(columns), "odds": value(odds), "sample": sample, "of": ""}
    yield doubt("D159", name=str(metric), option=option("y_logit"), **facts)


def _below(name: str, number: float, low: float | None, high: float, chance: float) -> str:
    least = "-∞" if low is None else value(low)
    return (
        f"{name} is {value(number)}, and its interval [{least}, {value(high)}] "
        f"lies below {chance:g}"
    )


def order_of_scores(classes: Classes, n_columns: int, *, is_prob: bool = True) -> str:
    if classes.positive is None or n_columns != 1:
        listed = shown(classes.labels)
        order = f"they are read as those of {listed}; {option('labels')} lists another order"
        return f"Check the order of the columns: {order}."
    label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
    if not is_prob and classes.positive == 0:
        return (
            f"{sign_of_margins(classes)} If they are scores of the other class, give "
            f"{option('positive', other)}."
        )
    names = f"it is {label!r}; {option('positive', other)} names the other one"
    return f"Check which class is positive: {names}."


def sign_of_margins(classes: Classes) -> str:
    """Return the sentence on margins of the second class where the first one is positive."""
    label, other = map(repr, classes.labels)
    return (
        f"Scores are read as those of {label}. Margins of decision_function are those of {other}, "
        f"the second class: negate them, -scores."
    )


def whose(of: str) -> str:
    return f" of {of}" if of else ""

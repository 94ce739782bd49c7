"""Doubts that need rows or results: found once, from what was accumulated and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from karat.data.accumulator import Tallies
from karat.data.roles import how_to_name
from karat.data.scores.order import refuse_found_scores
from karat.errors import shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import option
from karat.errors.text import count, value
from karat.metrics import get
from karat.metrics._metric import positive_options
from karat.results.values import ReportValues
from karat.tally import Classes

_AREAS: Final = ("roc_auc", "roc_auc_ovr_macro")
ReportT = TypeVar("ReportT", bound=ReportValues)


def with_doubts(report: ReportT, found: Tallies) -> ReportT:
    """Return the report with the doubts about its rows and its results before its warnings."""
    doubts = (*doubts_of_rows(found, report.classes, report.mapping), *_of_results(report))
    return replace(report, warnings=(*doubts, *report.warnings)) if doubts else report


def doubts_of_rows(found: Tallies, classes: Classes, mapping: Mapping[str, Any]) -> Iterator[Doubt]:
    """Iterate over the doubts about classes and scores that were accumulated."""
    if classes.k == 2 and classes.positive is None:
        yield doubt("D101", labels=shown(classes.labels), options=positive_options(classes))
    limits = found.limits_of_scores
    if limits is not None and limits[0] >= 0.0 and limits[1] <= 1.0:
        columns = mapping.get("score")
        n = found.n_rows * found.n_columns_of_scores
        told = option("y_prob")
        if columns:
            told = how_to_name("prob", columns[0]) if len(columns) == 1 else option("prob")
        yield doubt("D102", what=f"All {count(n)} scores", option=told)


def _of_results(report: ReportValues) -> Iterator[Doubt]:
    """Iterate over the doubts that values and intervals raise."""
    for name in _AREAS:
        metric = get(name)
        interval = report.intervals.get(metric)
        high = None if interval is None else interval.high
        if interval is None or high is None or not high < 0.5:
            continue
        classes = report.classes
        do = f"Check the order of the columns: the classes are {shown(classes.labels)}."
        if classes.positive is not None:
            label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
            do = (
                f"Check which class is positive: it is {label!r}; {option('positive', other)} "
                "names the other one."
            )
        low = "-∞" if interval.low is None else value(interval.low)
        number = float(report.measured[metric].value)
        yield doubt("D103", metric=name, value=value(number), low=low, high=value(high), do=do)
        return


def check_found_scores(found: Tallies, named: Any) -> None:
    """Refuse scores that were found by their names and may be probabilities (K192).

    Args:
        named: the columns that the caller named as scores; None where they were looked for.
    """
    columns = found.origin.mapping.get("score")
    if columns and named is None:
        refuse_found_scores(columns, found.limits_of_scores, found.n_rows)

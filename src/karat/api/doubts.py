"""Doubts that need rows or results: found once, from what was accumulated and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from karat.data.accumulator import Tallies
from karat.data.checks import doubts_of_labels
from karat.data.roles import ending_of, how_to_name
from karat.data.scores.columns import named as place_of
from karat.data.scores.order import refuse_found_scores
from karat.errors import shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import each_option, option
from karat.errors.text import count, counted, value
from karat.metrics import get
from karat.results.values import ReportValues
from karat.tally import Classes

_AREAS: Final = ("roc_auc", "roc_auc_ovr_macro")
ReportT = TypeVar("ReportT", bound=ReportValues)


def with_doubts(report: ReportT, found: Tallies) -> ReportT:
    """Return the report with the doubts about its rows and its results before its warnings."""
    doubts = (
        *doubts_of_rows(found, report.classes, report.mapping),
        *doubts_of_labels(report.cells),
        *_of_results(report),
    )
    return replace(report, warnings=(*doubts, *report.warnings)) if doubts else report


def doubts_of_rows(found: Tallies, classes: Classes, mapping: Mapping[str, Any]) -> Iterator[Doubt]:
    """Iterate over the doubts about classes and scores that were accumulated."""
    yield from of_classes(classes)
    limits = found.limits_of_scores
    if limits is not None:
        columns = mapping.get("score")
        settles = option("y_prob")
        if columns:
            settles = how_to_name("prob", columns[0]) if len(columns) == 1 else option("prob")
        yield from of_limits(limits, found.n_rows * found.n_columns_of_scores, settles)


def of_classes(classes: Classes) -> Iterator[Doubt]:
    """Iterate over the doubt that neither of two classes is positive, where that is so."""
    if classes.k == 2 and classes.positive is None:
        yield doubt(
            "D101", labels=shown(classes.labels), options=each_option("positive", classes.labels)
        )


def of_limits(limits: tuple[float, float], n: int, settles: str, of: str = "") -> Iterator[Doubt]:
    """Iterate over the doubt that scores may be probabilities, where all lie in [0, 1].

    Args:
        limits: the smallest and the largest of n scores.
        settles: the option for probabilities.
        of: the model, where there are several.
    """
    if limits[0] >= 0.0 and limits[1] <= 1.0:
        whose = f" of {of}" if of else ""
        yield doubt("D102", what=f"All {count(n)} scores{whose}", option=settles)


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


def of_zeros(n: int | None, n_rows: int, of: str = "") -> tuple[Doubt, ...]:
    """Return the doubt about rows whose true class has probability 0; none without such rows.

    Args:
        n: how many they are; None: some, which were not counted.
        of: the model, where there are several.
    """
    if n == 0:
        return ()
    rows = f"{'Some' if n is None else count(n)} of {counted(n_rows, 'row')}"
    whose = f" of {of}" if of else ""
    return (doubt("D106", of=whose, rows=f"{rows} {'has' if n == 1 else 'have'}"),)


def with_order_of_columns(found: Tallies, named: Mapping[str, Any], labels: Any) -> Tallies:
    """Return what was accumulated, with the doubt about columns whose names name no class.

    Args:
        named: the columns that the caller named, or None, by role.
        labels: the classes that the caller listed, or None.
    """
    classes = found.classes
    for role in ("prob", "score"):
        columns = found.origin.mapping.get(role)
        if classes is None or not columns or labels is not None or named.get(role) is not None:
            continue
        texts = [str(label) for label in classes.labels]
        if len(columns) == 1 and found.n_columns_of_scores == 1:
            found_doubt = _of_one_column(columns[0], texts, classes, role)
        elif len(columns) == classes.k and any(place_of(x, texts) is None for x in columns):
            pairs = zip(columns[:4], classes.labels[:4], strict=True)
            shown_pairs = ", ".join(f"{column} is {label!r}" for column, label in pairs)
            more = " …" if len(columns) > 4 else ""
            what = "probabilities" if role == "prob" else "scores"
            listed = option("labels")
            found_doubt = doubt("D110", what=what, pairs=f"{shown_pairs}{more}", option=listed)
        else:
            found_doubt = None
        if found_doubt is not None:
            origin = replace(found.origin, warnings=(found_doubt, *found.origin.warnings))
            found = replace(found, origin=origin)
    return found


def _of_one_column(column: str, texts: list[str], classes: Classes, role: str) -> Doubt | None:
    if ending_of(column) is None or classes.positive is None or place_of(column, texts) is not None:
        return None
    label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
    return doubt(
        "D109",
        column=repr(column),
        label=label,
        labels=shown(classes.labels),
        option=option(role, column),
        other=option("positive", other),
    )


def check_found_scores(found: Tallies, named: Any) -> None:
    """Refuse scores that were found by their names and may be probabilities (K192).

    Args:
        named: the columns that the caller named as scores; None where they were looked for.
    """
    columns = found.origin.mapping.get("score")
    if columns and named is None:
        refuse_found_scores(columns, found.limits_of_scores, found.n_rows)

"""Doubts that need rows or results: found once, from what was accumulated and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypeVar

from karat.data.accumulator import Tallies
from karat.data.checks import doubts_of_labels
from karat.data.labels.names import named as place_of
from karat.data.roles import ending_of, how_to_name
from karat.data.rows import Rows
from karat.data.scores.order import refuse_found_scores
from karat.errors import shown
from karat.errors.doubts import Doubt, doubt, only_doubts
from karat.errors.options import each_option, option
from karat.errors.text import count, counted, value
from karat.metrics import Metric, get
from karat.metrics._measure import losses_of
from karat.results.values import ReportValues
from karat.tally import Classes, ScoredRows
from karat.tally.classes import usual_positive

_AREAS: Final = {
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
_LOG_LOSS: Final = "negative_log_probability"
Limits: TypeAlias = tuple[float, float | None, float | None]
"""A value and the limits of its interval."""
ReportT = TypeVar("ReportT", bound=ReportValues)


def with_doubts(report: ReportT, found: Tallies) -> ReportT:
    """Return the report with the doubts about its rows and its results before its warnings."""
    areas = {
        name: (float(report.measured[metric].value), interval.low, interval.high)
        for name, metric in zip(_AREAS, map(get, _AREAS), strict=True)
        if (interval := report.intervals.get(metric)) is not None
    }
    doubts = (
        *of_classes(report.classes),
        *of_scores(found, report.mapping),
        *doubts_of_labels(report.cells),
        *of_areas(areas, report.classes),
    )
    return replace(report, warnings=(*doubts, *report.warnings)) if doubts else report


def of_rows(rows: Rows, of: str = "") -> list[Doubt]:
    """Return the doubts about rows that were read, those of the reading first.

    Args:
        of: the side, where there are several.
    """
    read, labels = (
        [one.within(of) if of else one for one in found]
        for found in (only_doubts(rows.warnings), doubts_of_labels(rows))
    )
    return [*read, *of_classes(rows.classes), *of_scores(rows, of=of), *labels]


def of_classes(classes: Classes) -> Iterator[Doubt]:
    """Iterate over the doubt that neither of two classes is positive, where that is so."""
    if classes.k == 2 and classes.positive is None:
        yield doubt(
            "D101", labels=shown(classes.labels), options=each_option("positive", classes.labels)
        )


def of_scores(
    found: Tallies | Rows, mapping: Mapping[str, Any] | None = None, of: str = ""
) -> Iterator[Doubt]:
    """Iterate over the doubt that scores may be probabilities, where all lie in [0, 1].

    Args:
        mapping: the columns by role; None: those of the rows.
        of: the model, where there are several.
    """
    if isinstance(found, Rows):
        mapping = found.mapping if mapping is None else mapping
        found = Tallies(rows=found)
    limits = found.limits_of_scores
    if limits is None or limits[0] < 0.0 or limits[1] > 1.0:
        return
    columns = (mapping or {}).get("score")
    settles = option("y_prob")
    if columns:
        settles = how_to_name("prob", columns[0]) if len(columns) == 1 else option("prob")
    n = count(found.n_rows * found.n_columns_of_scores)
    yield doubt("D102", what=f"All {n} scores{_whose(of)}", option=settles)


def of_model(
    rows: ScoredRows, metrics: Sequence[Metric], found: Mapping[str, Limits], of: str
) -> Iterator[Doubt]:
    """Iterate over the doubts that the results of one of several models raise.

    Args:
        metrics: those that were measured.
        found: what they gave, by name.
        of: the model.
    """
    yield from of_areas(found, rows.classes, of)
    yield from of_zeros(impossible_rows(rows, metrics), rows.n_rows, of)


def of_areas(found: Mapping[str, Limits], classes: Classes, of: str = "") -> Iterator[Doubt]:
    """Iterate over the doubt that scores rank the classes in reverse.

    The first of `_AREAS` that has an interval decides.

    Args:
        found: values with their limits, by the name of the metric.
        of: the model, where there are several.
    """
    for name, chance in _AREAS.items():
        number, low, high = found.get(name, (0.0, None, None))
        if high is None:
            continue
        if high < chance:
            do = f"Check the order of the columns: the classes are {shown(classes.labels)}."
            if classes.positive is not None:
                label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
                do = (
                    f"Check which class is positive: it is {label!r}; "
                    f"{option('positive', other)} names the other one."
                )
            yield doubt(
                "D103",
                of=_whose(of),
                metric=name,
                value=value(number),
                low="-∞" if low is None else value(low),
                high=value(high),
                chance=f"{chance:g}",
                do=do,
            )
        return


def impossible_rows(rows: ScoredRows, metrics: Sequence[Metric]) -> int | None:
    """Rows that weigh something, whose true class has probability 0: a loss of them is infinite.

    0 where no metric reads that loss unclipped, or the scores are no probabilities; None where they
    were not counted.
    """
    if not rows.is_prob or not read_log_loss(metrics):
        return 0
    return rows.sums((_LOG_LOSS,)).infinite_rows


def read_log_loss(metrics: Sequence[Metric]) -> bool:
    """Whether a metric reads the unclipped log loss of each row."""
    return _LOG_LOSS in losses_of(metrics)


def of_zeros(n: int | None, n_rows: int, of: str = "") -> tuple[Doubt, ...]:
    """Return the doubt about rows whose true class has probability 0; none without such rows.

    Args:
        n: how many they are; None: some, which were not counted.
        of: the model, where there are several.
    """
    if n == 0:
        return ()
    rows = f"{'Some' if n is None else count(n)} of {counted(n_rows, 'row')}"
    return (doubt("D106", of=_whose(of), rows=f"{rows} {'has' if n == 1 else 'have'}"),)


def _whose(of: str) -> str:
    return f" of {of}" if of else ""


def with_order_of_columns(found: Tallies, named: Mapping[str, Any], labels: Any) -> Tallies:
    """Return what was accumulated, with the doubt about columns whose names name no class.

    Args:
        named: the columns that the caller named, or None, by role.
        labels: the classes that the caller listed, or None.
    """
    doubts = _of_columns(found, found.origin.mapping, named, labels)
    if not doubts:
        return found
    origin = replace(found.origin, warnings=(*doubts, *found.origin.warnings))
    return replace(found, origin=origin)


def with_order_of_rows(rows: Rows, named: Mapping[str, Any], labels: Any) -> Rows:
    """Return rows of a table, with the same doubt."""
    doubts = _of_columns(Tallies(rows=rows), rows.mapping, named, labels)
    return replace(rows, warnings=(*doubts, *rows.warnings)) if doubts else rows


def _of_columns(
    found: Tallies, mapping: Mapping[str, Any], named: Mapping[str, Any], labels: Any
) -> list[Doubt]:
    classes = found.classes
    doubts: list[Doubt] = []
    for role in ("prob", "score"):
        columns = mapping.get(role)
        if classes is None or not columns or labels is not None or named.get(role) is not None:
            continue
        texts = [str(label) for label in classes.labels]
        if len(columns) == 1 and found.n_columns_of_scores == 1:
            doubts += _of_one_column(columns[0], texts, classes, role)
        elif len(columns) == classes.k and any(place_of(x, texts) is None for x in columns):
            pairs = zip(columns[:4], classes.labels[:4], strict=True)
            shown_pairs = ", ".join(f"{column} is {label!r}" for column, label in pairs)
            more = " …" if len(columns) > 4 else ""
            what = "probabilities" if role == "prob" else "scores"
            listed = option("labels")
            doubts.append(doubt("D110", what=what, pairs=f"{shown_pairs}{more}", option=listed))
    return doubts


def _of_one_column(column: str, texts: list[str], classes: Classes, role: str) -> Iterator[Doubt]:
    # A positive class that is not the usual one was given: it is the one that the column is of.
    if ending_of(column) is None or usual_positive(classes.labels) is None:
        return
    if classes.positive is None or place_of(column, texts) is not None:
        return
    label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
    yield doubt(
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

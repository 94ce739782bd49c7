"""Arguments of several verbs: options, columns of a table, and which metrics a report has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from numbers import Integral
from os import PathLike
from typing import Any, Final

import numpy as np

from karat.api.options import plain_text, unknown_choice
from karat.api.request.request import Request
from karat.api.results import ClassReport
from karat.data.arguments import check_are_values
from karat.data.labels.matrices import display_names
from karat.data.sources.tables.frames import is_frame
from karat.errors import KaratError, error, short, shown
from karat.errors.doubts import WholeWeightsDoubt
from karat.errors.options import option
from karat.errors.reasons import MissingValuesError
from karat.inference.confidence import Confidence
from karat.metrics import Metric, get, n_records
from karat.metrics._applies import check_kind, suits
from karat.metrics.headlines import MANY_CLASSES, PLACES
from karat.metrics.plan import default_metrics
from karat.results.judged import JudgedReport
from karat.results.report import THRESHOLDS, lift_of_thresholds
from karat.results.values import PER_CLASS_OF_SCORES
from karat.tally import Cells, Classes
from karat.tally.score_kind import KINDS, ROLES, Argument, ScoreKind

MAX_MEMORY: Final = 1 << 31
"""Bytes that the scores of files may take before they are put into tables."""


def confidence_of(weights_are: Any, *asked: Any, **named: Any) -> Confidence | None:
    """Return how intervals are made; None for no intervals (K122)."""
    found = Confidence.of(*asked, **named)
    counts_rows = weights_are == "frequency"
    return replace(found, weights_are="frequency") if found is not None and counts_rows else found


def is_frequency(request: Request) -> bool:
    """True if a weight of a request is a number of rows."""
    return request.weights_are == "frequency"


def intervals_of(request: Request) -> Confidence | None:
    """Return how the intervals of a request are made; None for no intervals (K122)."""
    return confidence_of(
        request.weights_are,
        request.level,
        request.side,
        request.method,
        request.sampling,
        request.seed,
        request.n_replicates,
        request.anytime,
    )


def confidence_required(level: float | None, do: str, **settings: Any) -> Confidence:
    """Return how intervals are made, where None is an error: K122, with looks K237."""
    confidence = Confidence.of(level, **settings)
    if confidence is None:
        choices = "a number between 0 and 1, as 0.95"
        raise unknown_choice("level", level, choices, do)
    return confidence


def dressed(report: ClassReport, class_names: Any, *, is_frequency: bool) -> ClassReport:
    """The report with weights taken as numbers of rows, and classes with their display names."""
    if is_frequency:
        report = _changed(report, _counted_as_rows)
        rest = tuple(x for x in report.warnings if not isinstance(x, WholeWeightsDoubt))
        report = replace(report, warnings=rest)
    if class_names is not None or report.classes.names is not None:
        names = display_names(class_names, report.classes)
        classes: Classes = report.classes.named(names)
        report = _changed(report, lambda cells: cells.with_classes(classes))
    return report


def _changed(report: ClassReport, change: Callable[[Cells], Cells]) -> ClassReport:
    """The same report with another table, and its slices with it."""
    whole = replace(report, cells=change(report.cells), kept_slices=None, kept_folds=None)
    slices, folds = report.kept_slices, report.kept_folds
    if slices is not None:
        whole = replace(whole, kept_slices=slices.changed(change, whole))
    return whole if folds is None else replace(whole, kept_folds=folds.changed(change, whole))


def _counted_as_rows(cells: Cells) -> Cells:
    """The table where a row of weight 3 stands for three rows; weights are whole (K150)."""
    if cells.squares is None:
        return cells
    if (cells.counts % 1 != 0).any() or (cells.squares % 1 != 0).any():
        raise error("K150", found="are not whole numbers")
    return replace(cells, squares=np.asarray(cells.counts, np.float64))


def column_name(argument: str, given: Any) -> str | None:
    """The name of a column as text: tables may name their columns by numbers (K158)."""
    if given is None or isinstance(given, str):
        return plain_text(given)
    if _is_name(given):
        return str(given)
    do = "Name a column of the table, or give the labels themselves as y_true and y_pred."
    raise _no_name(argument, given, wanted="the name of a column", do=do)


def scores_of_table(request: Request) -> dict[str, Any]:
    """The names of the columns of probabilities, logits and other scores, by their role (K158)."""
    return {
        role: score_columns(argument, getattr(request, role)) for argument, role in ROLES.items()
    }


def score_columns(argument: Argument, given: Any) -> str | list[str] | None:
    """The names of columns of one kind of scores; a tuple is a list of them (K158)."""
    if given is None or isinstance(given, str) or _is_number(given):
        return column_name(argument, given)
    try:
        names = [] if isinstance(given, Mapping | AbstractSet | bytes) else list(given)
    except Exception:  # the class of the container may raise anything
        names = []
    named = [column_name(argument, name) for name in names if _is_name(name)]
    if not names or len(named) < len(names):
        do = f"Name columns of the table; or give the {KINDS[argument]} themselves beside y_true."
        raise _no_name(argument, given, wanted="names of columns", do=do)
    return [name for name in named if name is not None]


def _no_name(argument: str, given: Any, **told: str) -> KaratError:
    return error("K158", argument=argument, value=short(given), kind=type(given).__name__, **told)


def _is_name(given: object) -> bool:
    return isinstance(given, str | tuple) or _is_number(given)


def _is_number(given: object) -> bool:
    return isinstance(given, Integral) and not isinstance(given, bool | np.bool_)


def of_table(argument: str, given: Any, where: str | None) -> Any:
    """The weights or the clusters of a table: the name of a column, or values.

    Rows that are not in memory have no order, so that there values are refused (K421); `where`
    names their place.
    """
    if isinstance(given, str):
        return plain_text(given)
    if _is_number(given) and where != "files":
        return str(given)
    if where is not None and given is not None:
        raise error("K421", argument=argument, kind=type(given).__name__, where=where)
    return given


def ids_of_table(ids: Any, where: str | None) -> Any:
    """The ids of a table: the name of a column, or values of rows in memory (K421, K451)."""
    check_are_values("ids", ids, may_name=True)
    return column_name("ids", ids) if ids is None or _is_name(ids) else of_table("ids", ids, where)


def refuse_judged(value: object) -> None:
    """Refuse a report with a judge where rows or another report are expected (K450)."""
    if isinstance(value, JudgedReport):
        raise error("K450")


def refuse_table_alone(y_true: Any) -> None:
    """Refuse a table, or a file of one, as y_true= without predictions (K128)."""
    is_file = isinstance(y_true, str | PathLike)
    if is_file or is_frame(y_true):
        what = "a file" if is_file else "a table"
        do = f"Give {what} of columns as first argument, without a name: its columns have roles."
        raise error("K128", found=f"y_true= was given {what} alone", do=do)


def given_alone(y_true: Any) -> KaratError:
    """K128: there are no predictions."""
    refuse_judged(y_true)
    refuse_table_alone(y_true)
    do = "Give predictions as y_pred=, y_prob=, y_logit= or y_score=."
    found = "y_true was given alone"
    record = next(iter(y_true), None) if isinstance(y_true, list | tuple) else None
    if isinstance(record, Mapping):
        keys = [str(key) for key in record]
        found += f"; it is a list of records with {shown(keys)}"
        do = "If it is a table, give it as one: pandas.DataFrame(records)."
    return error("K128", found=found, do=do)


def wanted_of_scores(
    classes: Classes, requested: Sequence[Metric] | None, kind: ScoreKind
) -> list[Metric]:
    """Metrics of scores to compute: those asked for, else those of a report.

    Errors:
        K319 one that was asked for reads probabilities, and there are scores of any kind.
    """
    if requested is not None:
        found = [metric for metric in requested if metric.needs_scores]
        for metric in found:
            check_kind(metric, kind)
        return found
    return list(_listed(classes.k, classes.positive is not None, kind, n_records()))


@lru_cache(maxsize=64)
def _listed(k: int, has_positive: bool, kind: ScoreKind, _: int) -> tuple[Metric, ...]:
    """The metrics of scores of a report of k classes."""
    listed = [
        metric
        for metric in default_metrics(of_scores=True)
        if k >= metric.record.least_classes
        and suits(metric.record, kind)
        and not (metric.record.is_per_class and metric.lift == "plain" and not has_positive)
    ]
    if k >= MANY_CLASSES:
        listed.append(get(f"top_{PLACES}_accuracy"))
    each = [Metric.of(get(name).record, "per_class", {}) for name in PER_CLASS_OF_SCORES]
    lift = lift_of_thresholds(has_positive=has_positive)
    points = [
        Metric.of(get(name).record, lift, {}) for pair in THRESHOLDS.values() for name in pair
    ]
    return tuple(dict.fromkeys([*listed, *each, *points]))


def refuse_missing(report: ClassReport, wanted: Sequence[Metric]) -> None:
    """Refuse metrics that a report cannot give; nothing is computed where it surely can."""
    if report.confidence is not None or not all(_is_there(metric, report) for metric in wanted):
        _ = report.metrics


def _is_there(metric: Metric, report: ClassReport) -> bool:
    """True if the metric can be read without an error."""
    if metric.record.is_per_class and metric.lift == "plain" and not report.is_binary:
        return False
    if metric.needs_scores:
        return metric in report.measured
    has_matrix = any(isinstance(value, tuple) for _, value in metric.params)
    return report.cells.storage == "dense" and not has_matrix


def refuse_without_judge(request: Request) -> None:
    """Refuse options of a judge without its labels (K242)."""
    for name in ("gold_weights", "gold_is_random"):
        if request.judge is None and request.is_given(name):
            found = f"{option(name)} was given without a judge's labels"
            do = f"Give {option('judge')} too, or leave it out."
            raise error("K242", given=option(name), lacking=option("judge"), found=found, do=do)


@contextmanager
def naming_judges(source: Any) -> Iterator[None]:
    """Context in which errors about missing truth name a column that may hold a judge's labels."""
    try:
        yield
    except MissingValuesError as problem:
        from karat.data.judged import naming_judge

        raise naming_judge(problem, source) from problem.__cause__

"""A `Report` as a document: the sections that are shown, and counts of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.errors.doubts import without_doubts
from karat.errors.options import argument_as_typed, is_command_line, option
from karat.errors.text import amounts, count, counted, interval, value
from karat.metrics import get
from karat.metrics.headlines import by_family, same_by_definition
from karat.output.document import Cell, Document, Notes, Table, TableColumn, doubts_section
from karat.output.finding import clauses_of, first_sentence
from karat.output.folds import folds_section
from karat.output.sections import (
    N_NAMED,
    confusion_section,
    inexact_notes,
    marked_rate,
    marked_value,
    missing_intervals,
    notes_on_mix,
    pairs_section,
    slice_metric,
    slice_sections,
    some_of,
    thresholds_section,
)
from karat.results.headlines import headline_names, lists_all
from karat.results.values import ReportValues
from karat.tally.decision import decides
from karat.tally.folds import OF_FOLDS, folds_by_name
from karat.tally.score_kind import ARGUMENTS, NO_PREDICTIONS, UNITS

if TYPE_CHECKING:
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport

COLUMNS = "Columns"
"""Title of the section that shows which column has which role."""
N_CLASSES_IN_FULL = 24
"""Up to here the table lists every class; above, the worst ones."""
N_WORST = 10
N_REASONS = 6

_ALL = "--metrics all (in Python report.metrics)"
"""How to see the rest, on the command line and in Python."""


def describe(report: ClassReport, *, metrics: Literal["headline", "all"] = "headline") -> Document:
    """The document of a report."""
    # The matrix is drawn only where a person can read it: at 10⁵ classes it is never made.
    headline = listed_names(report, metrics)
    told = (*without_doubts(report.warnings), *report.cautions)
    sections = [
        columns_section(report),
        doubts_section(report.doubts),
        *(_every(report) if metrics == "all" else [headline_table(report, headline)]),
        classes_table(report),
        # The metric whose tests a report that was read from JSON holds.
        *(slice_sections(report, slice_metric(report)) if report.metrics else ()),
        folds_section(report, headline),
        thresholds_section(report),
        confusion_section(report.confusion),
        pairs_section(report),
        undefined_notes(report, headline),
        inexact_notes(report, [*headline, *_averages()], _ALL),
        Notes("Warnings", told, "warning") if told else None,
    ]
    found = tuple(one for one in sections if one is not None)
    finding = first_sentence(clauses_of(report))
    return Document("karat report", facts(report), found, finding=finding)


def shown_columns(names: Sequence[str]) -> str:
    """``proba_0…proba_9 (10)``; a single name as it is."""
    return names[0] if len(names) == 1 else f"{names[0]}…{names[-1]} ({len(names)})"


def shown_mapping(
    mapping: Mapping[str, Any],
    threshold: float | None = None,
    *,
    of_sets: bool = False,
    has_predictions: bool = False,
) -> str:
    """``y_prob=proba_0…proba_9 (10), y_true=label, y_pred=pred, weights=none``.

    Args:
        has_predictions: whether rows are known to have some: sets with a threshold of each label.
    """
    parts = []
    columns = {role: mapping.get(role) or "none" for role in ("y_true", "y_pred", "weights")}
    for kind, role in ARGUMENTS.items():
        if mapping.get(role):
            parts.append(f"{shown_role(role)}={shown_columns(mapping[role])}")
            if threshold is not None or not mapping.get("y_pred"):
                shape = {"is_single": len(mapping[role]) == 1, "of_sets": of_sets}
                is_decided = decides(kind, threshold, **shape) or has_predictions
                text = shown_prediction(UNITS[kind], threshold, of_sets=of_sets)
                columns["y_pred"] = text if is_decided else "none"
    if mapping.get("clusters"):
        columns["clusters"] = str(mapping["clusters"])
    if "folds" in mapping and not of_sets:
        columns["folds"] = mapping["folds"] or f"none ({folds_by_name()})"
        columns |= {role: str(mapping[role]) for role in OF_FOLDS if mapping.get(role)}
    shown = (f"{shown_role(role)}={column}" for role, column in columns.items())
    return ", ".join([*parts, *shown])


def shown_role(role: str) -> str:
    """``y_true``; ``true`` on the command line, where the option is ``--true``."""
    return role.removeprefix("y_") if is_command_line() else role


def shown_prediction(kind: str, threshold: float | None, *, of_sets: bool) -> str:
    """Return the rule that makes predictions from scores: ``largest probability``.

    Args:
        kind: ``"probability"`` or ``"score"``.
        threshold: the one number that was given; None where there is none, or one for each label.
        of_sets: whether rows have sets of labels.
    """
    if threshold is not None:
        return f"{kind} ≥ {threshold:g}"
    return "each label at its threshold" if of_sets else f"largest {kind}"


def columns_section(report: ReportValues) -> Notes | None:
    """Return the columns that a report was read from, by role; None where there are none."""
    if not report.mapping:
        return None
    shown = shown_mapping(report.mapping, report.threshold, has_predictions=report.has_predictions)
    return Notes(COLUMNS, (shown,), "dim")


def listed_names(report: ClassReport, which: str = "headline") -> list[str]:
    """Return `headline_names`, each number once; every name where metrics were requested.

    Errors:
        K122 it is neither ``"headline"`` nor ``"all"``.
    """
    names = headline_names(report, which)
    return names if lists_all(report, which) else without_same(names, report)


def without_same(names: Sequence[str], report: ClassReport) -> list[str]:
    """Return the names without those that are another of them by definition."""
    same = same_by_definition(names, all_true=all(row["support"] for row in report.per_class))
    return [name for name in names if name not in same]


def facts(report: ClassReport) -> tuple[str, ...]:
    """Source, number of rows and classes, and the kind of scores."""
    source = report.source
    names = [str(name) for name in source.get("files") or ()]
    where = names[0] if names else "SQL query" if source.get("query") else ""
    if len(names) > 1:
        where += f" and {count(len(names) - 1)} more"
    k = report.classes.k
    found = [where, counted(report.n_rows, "row"), counted(k, "class")]
    if report.classes.positive is not None:
        found.append(f"positive class {report.classes.display[report.classes.positive]}")
    if report.scores is not None:
        found.append(report.scores)
    if not report.has_predictions:
        found.append("no class predicted")
    if report.threshold is not None:
        found.append(f"predicted at {UNITS[report.scores]} ≥ {report.threshold:g}")
    weights = report.mapping.get("weights")
    if weights or (report.cells.is_weighted and report.population is None):
        found.append(f"weighted by {weights}" if weights else "weighted")
    found.append(sampled(report))
    if report.confidence is not None:
        found.append(report.confidence.looks)
    return tuple(fact for fact in found if fact)


def sampled(report: ReportValues) -> str:
    """The design in words, unless rows and classes were sampled together."""
    if report.design == "cohort":
        return ""
    shares = report.population
    if shares is None:
        return f"{report.design} sample"
    classes = report.classes
    names = dict(zip(classes.labels, classes.display, strict=True))
    if classes.positive is not None:
        share = shares[classes.labels[classes.positive]]
        return f"{report.design} sample at a prevalence of {share:g}"
    listed = some_of([f"{names[label]} {share:g}" for label, share in shares.items()], N_NAMED)
    return f"{report.design} sample at the prevalences {listed}"


def headline_table(report: ClassReport | SetReport, names: Sequence[str]) -> Table:
    """Metrics with their intervals, and the number of metrics that are not shown."""
    results = report.metrics
    columns = [TableColumn("metric", "left"), TableColumn("value")]
    asked = report.confidence
    has_interval = asked is not None and any(results[name].level is not None for name in names)
    rows: list[tuple[Cell, ...]] = [
        (Cell(name), Cell(marked_value(results[name]), "strong")) for name in names
    ]
    if asked is not None and has_interval:
        columns.append(TableColumn(f"{asked.text} interval", "left", rank=1))
        limits = [interval(results[name].low, results[name].high) for name in names]
        rows = [(*row, Cell(text, "dim")) for row, text in zip(rows, limits, strict=True)]
    n_more = len(results) - len(names)
    notes = notes_on_mix(results, names)
    notes += [f"{counted(n_more, 'more metric')}: {_ALL}"] if n_more else []
    if not report.has_predictions and not report.requested:
        options = " or ".join(map(option, ("threshold", "y_pred")))
        notes.append(f"{NO_PREDICTIONS}: accuracy, precision, recall and others need {options}")
    if report.scores == "scores" and not report.requested:
        scores, logits = argument_as_typed("y_score"), option("y_logit")
        notes.append(f"No losses: {scores} has no probabilities; logits are {logits}")
    notes += _without_interval(report, names)
    return Table("Metrics", tuple(columns), tuple(rows), tuple(notes), is_compact=not has_interval)


def _without_interval(report: ClassReport | SetReport, names: Iterable[str]) -> list[str]:
    """Return reasons why metrics have no interval; none where none were requested."""
    if report.confidence is None:
        return []
    return missing_intervals((name, report.metrics[name]) for name in names)


def _every(report: ClassReport) -> list[Table]:
    """Every metric: a list of those of all classes, a table of the averages of the others."""
    if any(result.low is not None for result in report.metrics.values()):
        return [headline_table(report, list(report.metrics))]
    whole: list[str] = []
    averaged: dict[str, dict[str, Cell]] = {}
    for name, result in report.metrics.items():
        metric = get(name)
        if metric.record.is_per_class:
            row = str(replace(metric, lift="plain"))
            averaged.setdefault(row, {})[metric.lift] = Cell(marked_value(result))
        else:
            whole.append(name)
    whole = by_family(whole)
    averaged = {name: averaged[name] for name in by_family(averaged)}
    tables = [headline_table(report, whole)] if whole else []
    if averaged:
        used = {lift for row in averaged.values() for lift in row}
        lifts = [lift for lift in _LIFTS if lift in used]
        columns = [TableColumn("metric", "left"), *(TableColumn(_LIFTS[lift]) for lift in lifts)]
        rows = [
            (Cell(name), *(row.get(lift, Cell("")) for lift in lifts))
            for name, row in averaged.items()
        ]
        tables.append(Table("Metrics of one class", tuple(columns), tuple(rows)))
    *others, last = [replace(table, notes=()) for table in tables]
    return [*others, replace(last, notes=tuple(_without_interval(report, report.metrics)))]


_LIFTS = {"plain": "positive", "macro": "macro", "micro": "micro", "weighted": "weighted"}


_AVERAGES = ("macro", "weighted")
_RATES = {"precision": 2, "recall": 1, "specificity": 4, "f1": 0}
_OF_SCORES = {"roc_auc": 3, "average_precision": 5}
"""Columns of the table of classes, and which are left out first where space is short."""


def classes_table(
    report: ClassReport | SetReport,
    title: str = "Classes",
    word: tuple[str, str] = ("class", "classes"),
) -> Table:
    """Counts and rates of every class, or of the worst ones; averages below them.

    Args:
        word: name of one of them, and of several.
    """
    rows = report.per_class
    keys = {key: rank for key, rank in (_RATES | _OF_SCORES).items() if key in rows[0]}
    k = len(rows)
    listed, notes = rows, []
    if k > N_CLASSES_IN_FULL:
        # Undefined first: a class that is never predicted is the worst.
        key = "f1" if "f1" in keys else next(iter(keys), "support")
        ranked = sorted(rows, key=lambda row: (_number(row, key), -row["support"]))
        listed, rest = ranked[:N_WORST], ranked[N_WORST:]
        notes.append(f"{count(len(rest))} {word[1]} not listed: {_spread(rest, key)}")
        title += f"  worst {len(listed)} of {count(k)} by {key}"
    predicted = [
        (TableColumn(title_of, rank=3), amounts([row[key] for row in listed]))
        for title_of, key in (("predicted", "predicted_count"),)
        if key in rows[0]
    ]
    table = Table.by_column(
        title,
        (TableColumn(word[0], "left", is_name=True), [str(row["name"]) for row in listed]),
        (TableColumn("support"), amounts([row["support"] for row in listed])),
        *predicted,
        *(
            (TableColumn(key, rank=rank), [marked_rate(row, key) for row in listed])
            for key, rank in keys.items()
        ),
        notes=tuple(notes),
    )
    body = list(table.rows)
    for average in _AVERAGES:
        names = {key: _lifted(key, average) for key in keys}
        if keys and all(names[key] in report.metrics for key in keys if key in _RATES):
            cells = [
                Cell(marked_value(report.metrics[name]) if name in report.metrics else "")
                for name in names.values()
            ]
            body.append((Cell(average, "dim"), Cell(""), *[Cell("")] * len(predicted), *cells))
    rule_before = len(listed) if len(body) > len(listed) else None
    return replace(table, rows=tuple(body), rule_before=rule_before)


def _spread(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    """Least, largest and median value of the classes that are not listed."""
    values = np.array([_number(row, key) for row in rows])
    known = values[values >= 0]
    undefined = f"{count(len(values) - len(known))} undefined" if len(known) < len(values) else ""
    if not len(known):
        return f"{key} {undefined}"
    low, high, middle = (value(float(x)) for x in (known.min(), known.max(), np.median(known)))
    return ", ".join(filter(None, [f"{key} {low} to {high}", f"median {middle}", undefined]))


def _number(row: Mapping[str, Any], key: str) -> float:
    found = row.get(key)
    return -1.0 if found is None or float(found) != float(found) else float(found)


POLICIES = {
    "zero": "a {} without a value counts as 0 in an average",
    "exclude": "a {} without a value is left out of an average",
    "nan": "a {} without a value makes its average undefined",
}


def undefined_notes(
    report: ClassReport | SetReport, headline: Sequence[str], word: str = "class"
) -> Notes | None:
    """Return the shown values that are undefined, by reason; None where there are none."""
    shown = [*headline, *_averages()]
    by_reason: dict[str, list[str]] = {}
    has_policy = False
    for name, reason in report.undefined_metrics.items():
        if name in shown:
            by_reason.setdefault(reason, []).append(name)
            has_policy |= not get(name).needs_scores
    lines = [f"{some_of(names)}: {reason}" for reason, names in by_reason.items()]
    of_classes = _undefined_classes(report)
    lines += of_classes
    if len(lines) > N_REASONS:
        lines = [*lines[:N_REASONS], f"{len(lines) - N_REASONS} more reasons: {_ALL}"]
    if not lines:
        return None
    title = "Undefined (*)"
    if has_policy or of_classes:
        # Averages of rankings leave such classes out, and their reasons say so.
        title += f"  {POLICIES[report.undefined].format(word)}"
    return Notes(title, tuple(lines))


def _averages() -> list[str]:
    """The metrics under the table of classes."""
    return [_lifted(key, a) for a in _AVERAGES for key in (*_RATES, *_OF_SCORES)]


def _lifted(key: str, average: str) -> str:
    return get(key).record.lifted(average)


def _undefined_classes(report: ClassReport | SetReport) -> list[str]:
    """The undefined entries of the table of classes that no average explains."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in report.per_class:
        for key, reason in row["undefined"].items():
            is_shown = key in _RATES or key in _OF_SCORES
            if is_shown and _lifted(key, "macro") not in report.metrics:
                found.setdefault((key, reason), []).append(str(row["name"]))
    return [f"{key} of {some_of(names)}: {reason}" for (key, reason), names in found.items()]

"""The report of rows with sets of labels as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.errors.doubts import without_doubts
from karat.errors.text import amounts, count, counted, interval, short, value
from karat.output.describe import (
    COLUMNS,
    N_CLASSES_IN_FULL,
    N_WORST,
    classes_table,
    headline_table,
    shown_mapping,
    undefined_notes,
)
from karat.output.document import Document, Notes, Table, TableColumn, doubts_section
from karat.output.finding import finding_of_sets, first_sentence
from karat.output.sections import marked_rate, slice_metric, slice_section
from karat.results.headlines import headline_of_sets
from karat.tally import Label

if TYPE_CHECKING:
    from karat.results.sets import SetReport

N_TRANSFERS = 8
N_PATTERNS = 5
_FIRST = 8
"""Labels of a set that shows how text was split."""
_WIDTH = 60


def describe_sets(
    report: SetReport, *, metrics: Literal["headline", "all"] = "headline"
) -> Document:
    """The document of a report of sets."""
    names = headline_of_sets(report, metrics)
    warnings = (*without_doubts(report.warnings), *report.cautions)
    sections = [
        columns_of_sets(report),
        doubts_section(report.doubts),
        headline_table(report, names),
        classes_table(report, "Labels", ("label", "labels")) if report.classes.k else None,
        scores_of_labels(report) if metrics == "all" else None,
        *slices_of_sets(report),
        transfers_of(report),
        *patterns_of(report),
        undefined_notes(report, names, "label or a row"),
        Notes("Warnings", warnings, "warning") if warnings else None,
    ]
    found = tuple(section for section in sections if section is not None)
    finding = first_sentence(finding_of_sets(report))
    return Document("karat multilabel report", facts_of_sets(report), found, finding=finding)


def slices_of_sets(report: SetReport) -> Iterator[Table]:
    """One table for each column of slices."""
    if (report.encoded is None and report.kept_slices is None) or not report.metrics:
        return
    for table in report.slices.values():
        yield slice_section(table, slice_metric(report))


def columns_of_sets(report: SetReport) -> Notes | None:
    """The columns by role, and how text was split; None where the rows do not come from a table."""
    if not report.mapping:
        return None
    facts = {"of_sets": True, "has_predictions": report.has_predictions}
    shown = shown_mapping(report.mapping, report.threshold, **facts)
    return Notes(COLUMNS, (shown, *split_of(report.source)), "dim")


def split_of(source: Mapping[str, Any]) -> tuple[str, ...]:
    """Description of how text was split; empty where none was."""
    if "separator" not in source:
        return ()
    rows = source.get("first_sets")
    first = map(_said, rows if isinstance(rows, list | tuple) else ())
    what = f"separator {short(source['separator'])}: true labels of the first rows"
    return (f"{what}: {'; '.join(first)}",)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _said(row: Any) -> str:
    """The first labels of a set, each shortened."""
    if not isinstance(row, list | tuple):
        return short(row)
    words = [_cut(str(label)) for label in row[:_FIRST]]
    rest = f" … ({len(row)} in all)" if len(row) > _FIRST else ""
    return (" and ".join(words) or "none") + rest


def facts_of_sets(report: SetReport) -> tuple[str, ...]:
    """Number of rows and labels, and the mean number of labels per row."""
    facts = report.label_counts
    found = [counted(report.n_rows, "row"), counted(report.classes.k, "label")]
    if report.n_rows > report.n_unknown:
        sides = {"true": "true_labels_per_row", "predicted": "predicted_labels_per_row"}
        counts = [f"{facts[key]:.2f} {side}" for side, key in sides.items() if key in facts]
        found.append(f"{' and '.join(counts)} labels per row")
    if not report.has_predictions:
        found.append("no label predicted")
    if report.n_unknown:
        found.append(f"{counted(report.n_unknown, 'row')} without known labels left out")
    if report.tally.is_weighted:
        found.append("weighted")
    if report.is_clustered:
        found.append("clustered rows")
    return tuple(found)


def scores_of_labels(report: SetReport) -> Table | None:
    """Best threshold and calibration error of each label; None without scores."""
    rows = report.per_class
    if not rows or "max_f_beta" not in rows[0]:
        return None
    listed, notes = rows, []
    if len(rows) > N_CLASSES_IN_FULL:
        key = "f1" if "f1" in rows[0] else "max_f_beta"
        listed = sorted(rows, key=lambda row: row[key] if row[key] is not None else -1.0)
        listed = listed[:N_WORST]
        notes = [f"{count(len(rows) - len(listed))} labels with larger {key} not listed"]
    notes.append("The best threshold is chosen on these rows, so its f1 is optimistic.")

    def column(key: str) -> list[str]:
        return [marked_rate(row, key) for row in listed]

    return Table.by_column(
        "Thresholds and calibration of labels",
        (TableColumn("label", "left", is_name=True), [str(row["name"]) for row in listed]),
        *(
            (TableColumn(shown, rank=rank), column(key))
            for key, shown, rank in (
                ("f1", "f1", 1),
                ("max_f_beta", "best f1", 0),
                ("f_beta_threshold", "best threshold", 0),
                ("class_calibration_error", "calibration error", 2),
            )
            if key in rows[0]
        ),
        notes=tuple(notes),
    )


def patterns_of(report: SetReport) -> Iterator[Table]:
    """The most common wrong sets, and labels that are predicted together too often."""
    found = report.patterns
    if found is None:
        return
    names = dict(zip(report.classes.labels, report.classes.display, strict=True))

    def text(labels: Sequence[Label]) -> str:
        return ", ".join(names[label] for label in labels) or "none"

    if found.wrong_sets:
        listed = found.wrong_sets[:N_PATTERNS]
        yield Table.by_column(
            "Most common wrong sets",
            (TableColumn("true labels", "left", is_name=True), [text(x.true) for x in listed]),
            (TableColumn("predicted", "left", is_name=True), [text(x.predicted) for x in listed]),
            (TableColumn("rows"), amounts([x.rows for x in listed])),
        )
    if found.pairs:
        pairs = found.pairs[:N_PATTERNS]
        yield Table.by_column(
            "Predicted together more often than true together",
            (TableColumn("labels", "left", is_name=True), [text(x.labels) for x in pairs]),
            (TableColumn("predicted"), amounts([x.predicted_together for x in pairs])),
            (TableColumn("true"), amounts([x.true_together for x in pairs])),
            (TableColumn("odds ratio", rank=1), [value(x.odds_ratio) for x in pairs]),
            (
                TableColumn(f"{100 * found.level:g} % interval", rank=2),
                [interval(x.low, x.high) for x in pairs],
            ),
        )


def transfers_of(report: SetReport) -> Table | None:
    """Table of the labels missed most, with the labels predicted instead of them."""
    found = report.transfers
    if found is None:
        return None
    k = report.classes.k
    off = found.copy()
    np.fill_diagonal(off, 0.0)
    order = np.argsort(-off, axis=None, kind="stable")[: N_TRANSFERS + 1]
    places = [divmod(int(place), k + 1) for place in order if off.reshape(-1)[place] > 0.0]
    if not places:
        return None
    names = [*report.classes.display, "none"]
    shown = places[:N_TRANSFERS]
    n_all = int((off > 0.0).sum())
    notes: Sequence[str] = (f"{count(n_all - len(shown))} more",) if n_all > len(shown) else ()
    return Table.by_column(
        "Missed and added in the same row",
        (TableColumn("true label", "left", is_name=True), [names[i] for i, _ in shown]),
        (TableColumn("predicted instead", "left", is_name=True), [names[j] for _, j in shown]),
        (TableColumn("rows"), amounts([float(off[i, j]) for i, j in shown])),
        notes=tuple(notes),
    )

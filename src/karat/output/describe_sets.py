"""The report of rows with sets of labels as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from karat.errors.doubts import without_doubts
from karat.errors.text import amounts, count, counted
from karat.metrics.headlines import HEADLINE_OF_SETS
from karat.output.describe import classes_table, headline_table, lists_all, undefined_notes
from karat.output.document import Document, Notes, Table, TableColumn

if TYPE_CHECKING:
    from karat.results.sets import SetReport

N_TRANSFERS = 8


def describe_sets(
    report: SetReport, *, metrics: Literal["headline", "all"] = "headline"
) -> Document:
    """The document of a report of sets."""
    names = list(report.metrics)
    if not lists_all(report, metrics):
        names = [name for name in HEADLINE_OF_SETS if name in report.metrics]
    warnings = (*without_doubts(report.warnings), *report.cautions)
    sections = [
        headline_table(report, names),
        classes_table(report, "Labels", ("label", "labels")) if report.classes.k else None,
        _transfers(report),
        undefined_notes(report, names, "label or a row"),
        Notes("Warnings", warnings, "warning") if warnings else None,
    ]
    found = tuple(section for section in sections if section is not None)
    return Document("karat multilabel report", _facts(report), found)


def _facts(report: SetReport) -> tuple[str, ...]:
    facts = report.label_counts
    found = [counted(report.n_rows, "row"), counted(report.classes.k, "label")]
    if report.n_rows > report.n_unknown:
        found.append(
            f"{facts['true_labels_per_row']:.2f} true and "
            f"{facts['predicted_labels_per_row']:.2f} predicted labels a row"
        )
    if report.n_unknown:
        found.append(f"{counted(report.n_unknown, 'row')} of unknown truth left out")
    if report.tally.is_weighted:
        found.append("weighted")
    if report.is_clustered:
        found.append("rows of a cluster go together")
    return tuple(found)


def _transfers(report: SetReport) -> Table | None:
    """Which labels are missed most, and what is predicted instead of them."""
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

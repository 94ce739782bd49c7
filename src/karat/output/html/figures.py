"""The drawings of a page, each with its table: what is seen can also be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import KaratError
from karat.errors.text import amounts, count, value
from karat.output.document import Cell, Table, TableColumn
from karat.output.plots._series import MOST_SERIES, N_WORST

if TYPE_CHECKING:
    from karat.curves._curve import Curve, Reliability
    from karat.results.report import Report

__all__ = ["Figure", "drawn", "figures_of"]

N_ROWS: Final = 40
"""Rows of the table of a curve, of all classes together."""
MOST_POINTS: Final = 21
"""Points of one curve in its table."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing.

    Attributes:
        id: where links lead.
        title: what it is.
        caption: how it is read.
        svg: the drawing, as markup.
        table: its numbers.
    """

    id: str
    title: str
    caption: str
    svg: str
    table: Table | None


INKS: Final = {
    name: f"var(--{name})"
    for name in ("paper", "ink", "muted", "faint", "grid", *(f"series-{i}" for i in range(1, 7)))
}
"""Name of a colour of `karat.plot.PALETTE` → the custom property of the page."""

_TRACED: Final = {
    "roc": (
        "ROC",
        "How much of a class is found, at what price in false alarms; dotted: chance.",
        {"fpr": "false positive rate", "tpr": "true positive rate"},
    ),
    "precision_recall": (
        "Precision and recall",
        "How pure what is found is, as more of the class is found.",
        {"recall": "recall", "precision": "precision"},
    ),
    "gain": (
        "Gain",
        "How much of the class is among the rows with the highest scores.",
        {"share": "share of rows", "gain": "share of the class found"},
    ),
}
"""Name of a curve → title, caption, columns of its table."""


def figures_of(report: Report) -> list[Figure]:
    """The drawings of a report; none where it keeps no curves.

    Errors:
        K501 matplotlib is not installed.
    """
    try:
        curves = report.curves
    except KaratError:
        return []
    from karat.output.plots._reliability import reliability, scores
    from karat.output.plots._threshold import threshold
    from karat.output.plots._traced import gain, precision_recall, roc

    which, _ = _listed(report)
    # Hundreds of curves would be heavy, and none could be told from another.
    is_many = report.classes.k > MOST_SERIES
    options: dict[str, Any] = {"classes": [report.labels[i] for i in which]} if is_many else {}

    def traced(name: str, draw: Any) -> Figure:
        title, caption, columns = _TRACED[name]
        table = _points_table(report, title, getattr(curves, name), columns)
        return Figure(name, title, caption, drawn(draw, report, **options), table)

    bins = _bins_table(report, "Probabilities in bins")
    by_threshold = []
    if report.is_binary:
        title = "Metrics by threshold"
        said = "What other thresholds would give; the slider above tells each in numbers."
        columns = {"precision": "precision", "recall": "recall"}
        table = _points_table(report, title, curves.precision_recall, columns)
        drawing = drawn(threshold, report)
        by_threshold.append(Figure("metrics-by-threshold", title, said, drawing, table))
    return [
        traced("roc", roc),
        traced("precision_recall", precision_recall),
        Figure(
            "reliability",
            "Reliability",
            "How often a probability came true; on the dotted line it is right (calibrated).",
            drawn(reliability, report, **options),
            bins,
        ),
        Figure(
            "scores",
            "Scores",
            "How the scores of a class lie in the rows that are of it and in those that are not.",
            drawn(scores, report, **options),
            bins,
        ),
        traced("gain", gain),
        *by_threshold,
    ]


def drawn(
    draw: Callable[..., Any],
    report: Report,
    width: float = 4.8,
    height: float = 3.8,
    **options: Any,
) -> str:
    """A drawing of `karat.plot` as markup whose colours are those of the page."""
    from karat.output.plots._axes import axes_of
    from karat.output.plots.svg import as_svg

    def on_axes(ax: Any) -> None:
        with axes_of(ax) as axes:
            draw({"": report}, axes, **options)

    return as_svg(on_axes, width, height, colors=INKS)


def _listed(report: Report) -> tuple[list[int], tuple[str, ...]]:
    """The classes of a table, and a note where not all are there."""
    k = report.classes.k
    if report.classes.positive is not None:
        return [report.classes.positive], ()
    if k <= MOST_SERIES:
        return list(range(k)), ()
    areas = [row.get("roc_auc") for row in report.per_class]
    known = np.array([np.inf if area is None else area for area in areas])
    worst = sorted(np.argsort(known, kind="stable")[:N_WORST].tolist())
    return worst, (f"the {N_WORST} of {count(k)} classes with the smallest area under the ROC",)


def _points_table(report: Report, title: str, curves: Any, columns: dict[str, str]) -> Table:
    """Some of the points of each curve that are kept, from strict to lenient."""
    which, notes = _listed(report)
    n_each = min(MOST_POINTS, max(3, N_ROWS // len(which)))
    rows: list[tuple[Cell, ...]] = []
    for i in which:
        curve = curves[report.labels[i]]
        rows += _points(report.classes.display[i], curve, columns, n_each)
    heads = (
        TableColumn("class", "left", is_name=True),
        TableColumn("threshold"),
        *map(TableColumn, columns.values()),
    )
    return Table(title, heads, tuple(rows), notes)


def _points(
    name: str, curve: Curve, columns: dict[str, str], n_each: int
) -> Iterator[tuple[Cell, ...]]:
    kept = curve.columns()
    places = np.unique(np.linspace(0, len(curve) - 1, n_each).round().astype(np.intp))
    for place in places.tolist():
        numbers = (kept[column][place] for column in ("thresholds", *columns))
        yield Cell(name), *(Cell(value(float(number))) for number in numbers)


def _bins_table(report: Report, title: str) -> Table:
    """Every bin that holds rows, of each class."""
    which, notes = _listed(report)
    rows: list[tuple[Cell, ...]] = []
    for i in which:
        rows += _bins(report.classes.display[i], report.curves.reliability[report.labels[i]])
    heads = (
        TableColumn("class", "left", is_name=True),
        TableColumn("from"),
        TableColumn("to"),
        TableColumn("weight" if report.cells.is_weighted else "rows"),
        TableColumn("mean probability"),
        TableColumn("share truly of the class"),
    )
    return Table(title, heads, tuple(rows), notes)


def _bins(name: str, table: Reliability) -> Iterator[tuple[Cell, ...]]:
    places = np.flatnonzero(table.weight)
    texts = amounts(table.weight[places].tolist()) if len(places) else []
    for place, text in zip(places.tolist(), texts, strict=True):
        yield (
            Cell(name),
            Cell(value(float(table.edges[place]))),
            Cell(value(float(table.edges[place + 1]))),
            Cell(text),
            Cell(value(float(table.mean_confidence[place]))),
            Cell(value(float(table.share[place]))),
        )

"""The drawings of a page, each with its table: what is seen can also be read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from karat.errors import KaratError
from karat.errors.text import amounts, count, harmless, value
from karat.output.document import Cell, Table, TableColumn
from karat.output.html.decisions import LEAST_POINTS, class_to_json
from karat.output.plots._axes import PALETTE, names_on_plots
from karat.output.plots._panels import FEWEST_PANELS, Panel
from karat.output.plots._reliability import reliability, scores
from karat.output.plots._series import MOST_SERIES, N_WORST
from karat.output.plots._threshold import threshold
from karat.output.plots._traced import gain, precision_recall, roc
from karat.output.plots.svg import as_svg, panels_as_svg
from karat.results.sets import SetReport

if TYPE_CHECKING:
    from karat.curves._band import Band
    from karat.curves._curve import Reliability
    from karat.results.report import ClassReport
    from karat.tally import Label

N_ROWS: Final = 40
"""Rows of the table of a curve, of all classes together."""
MOST_POINTS: Final = 21
"""Points of one curve in its table."""

INKS: Final = {name: f"var(--{name})" for name in PALETTE}
"""Name of a color of `karat.plot.PALETTE` → the custom property of the page."""


WIDTH: Final = 4.2
HEIGHT: Final = 3.4
"""Inches of a drawing: as wide as a phone, so that its text can be read there."""
PANEL_WIDTH: Final = 2.0
PANEL_HEIGHT: Final = 1.75
"""Inches of a panel, of which a phone shows two side by side."""

_ALL_POINTS: Final = 1_000
"""Points of all curves together whose values are shown, where there is no threshold to move."""
_OF_BINS: Final = "“Reliability as a table” lists its bins."
_OF_PANELS: Final = "Blue: the class; gray: the other classes."

_LIMITS: Final = ("lower limit", "upper limit")
"""Of a simultaneous band, at each point of a curve that is listed."""
_OF_BAND: Final = (
    "Shaded: simultaneous confidence band of the whole curve of the population; "
    "pointwise limits would be narrower."
)


class Figure(NamedTuple):
    """A drawing.

    Attributes:
        draw: a function of `karat.plot`, on given axes.
        id: where links lead.
        title: what it is.
        caption: how it is read.
        curve, columns: the curve that its table lists, and which columns of it; none: the bins.
    """

    draw: Callable[..., Any]
    id: str
    title: str
    caption: str
    curve: str = ""
    columns: Mapping[str, str] = {}


_FIGURES: Final = (
    Figure(
        roc,
        "roc",
        "ROC",
        "True positive rate (up) against false positive rate (across); dotted: chance.",
        "roc",
        {"fpr": "false positive rate", "tpr": "true positive rate"},
    ),
    Figure(
        precision_recall,
        "precision_recall",
        "Precision and recall",
        "Precision (up) against recall (across) over all thresholds; dotted: chance.",
        "precision_recall",
        {"recall": "recall", "precision": "precision"},
    ),
    Figure(
        reliability,
        "reliability",
        "Reliability",
        "Observed proportion (up) against predicted probability (across); dotted: perfect "
        "calibration.",
    ),
    Figure(
        scores,
        "scores",
        "Scores",
        "Distribution of the scores of a class in its rows and in all other rows.",
    ),
    Figure(
        gain,
        "gain",
        "Gain",
        "Proportion of the class among the rows with the highest scores.",
        "gain",
        {"share": "proportion of rows", "gain": "proportion of the class found"},
    ),
    Figure(
        threshold,
        "metrics-by-threshold",
        "Metrics by threshold",
        "Metrics at other thresholds; the slider shows each in numbers.",
        "precision_recall",
        {"precision": "precision", "recall": "recall"},
    ),
)


def figures_of(report: ClassReport | SetReport) -> list[dict[str, Any]]:
    """The drawings of a report with their tables; none where it keeps no curves.

    Errors:
        K501 matplotlib is not installed.
    """
    try:
        curves = report.curves
    except KaratError:
        return []
    which, notes = _listed(report)
    # Hundreds of curves would be heavy, and none could be distinguished.
    is_many = report.classes.k > MOST_SERIES
    options: dict[str, Any] = {"panels": False, "heading": False}
    options |= {"classes": [report.labels[i] for i in which]} if is_many else {}
    unit = "weight" if report.is_weighted else "rows"
    binned = ("from", "to", unit, "mean probability", "observed proportion of the class")
    found = []
    for one in _FIGURES:
        if one.draw is threshold and not report.is_binary:
            continue
        if one.draw in (reliability, scores) and not curves.has_probabilities:
            continue
        band = _band(report, which, one)
        drawn = dict(options)
        if one.draw in (roc, precision_recall, reliability):
            drawn["band"] = band is not None
        if one.draw in (roc, precision_recall, gain):
            drawn["mean"] = is_many
        is_divided = FEWEST_PANELS <= len(which) <= MOST_SERIES and not is_many
        svg, panels = "", []
        if is_divided and one.draw is not threshold:
            panels = _panels(report, which, one, drawn)
        else:
            draw = partial(one.draw, {"": report}, **drawn)
            svg = as_svg(draw, WIDTH, HEIGHT, title=one.title, colors=INKS, has_axes=True)
        limits = () if band is None else _LIMITS
        if one.curve:
            headings = ("threshold", *one.columns.values(), *limits)
            rows = _points(report, which, getattr(curves, one.curve), list(one.columns), band)
            table: Table | None = _table(one.title, headings, rows, notes)
        else:
            curve_of = _reliability_of if one.draw is reliability else _uniform_of
            rows = _bins(report, which, band, curve_of)
            table = _table(f"{one.title} in bins", (*binned, *limits), rows, notes)
            # Of several classes that table is long; of one the bins are at hand, rare or not.
            table = None if one.draw is scores and len(which) > 1 else table
        notes_ = [one.caption, _OF_BAND if band is not None else "", _OF_PANELS if panels else ""]
        notes_ += [_OF_BINS] if table is None else []
        notes_ += [] if panels or len(which) == 1 else _key(report, which)
        facts = {"svg": svg, "panels": panels, "table": table, "which": _drawn(report, which)}
        facts |= {"of": _of(report, which), "caption": " ".join(filter(None, notes_))}
        found.append(one._asdict() | facts)
    return found


def curves_of(report: ClassReport | SetReport) -> dict[str, Any] | None:
    """Thresholds and counts of the classes that are drawn, for the values at a point of a curve.

    For a report whose `decisions_of` has none: of scores in buckets, and of sets of labels.
    """
    try:
        kept = report.curves.kept
    except KaratError:
        return None
    which, _ = _listed(report)
    limit = max(LEAST_POINTS, _ALL_POINTS // len(which))
    classes = []
    for i in which:
        points = kept[i].points
        places = np.arange(len(points.thresholds))
        if len(places) > limit:
            places = np.unique(np.linspace(0, len(places) - 1, limit).astype(np.intp))
        found = np.stack([points.thresholds, points.tps, points.fps])[:, places]
        is_whole = bool((found[1:] == np.rint(found[1:])).all())
        classes.append(class_to_json(report, i, found, is_weighted=not is_whole))
    return {"classes": classes, "approximate": bool(getattr(report, "bounds", ()))}


def _key(report: ClassReport | SetReport, which: Sequence[int]) -> list[str]:
    """The classes of a legend that are not there in full."""
    display = report.classes.display
    texts, full = names_on_plots(display), names_on_plots(display, sys.maxsize)
    names = [display[i] for i in which]
    cut = [f"{texts[name]} = {full[name]}" for name in names if texts[name] != full[name]]
    return [f"{'; '.join(cut)}."] if cut else []


def _drawn(report: ClassReport | SetReport, which: Sequence[int]) -> str:
    """Places of the drawn classes among those that the script has points of."""
    is_listed_alone = isinstance(report, SetReport) or bool(report.bounds)
    if is_listed_alone or report.classes.positive is not None:
        return " ".join(map(str, range(len(which))))
    return " ".join(map(str, which))


def _of(report: ClassReport | SetReport, which: Sequence[int]) -> str:
    """The class that is drawn, or how many are."""
    if len(which) == 1:
        return report.classes.display[which[0]]
    k = report.classes.k
    if len(which) == k:
        return f"{count(k)} classes"
    return f"the {len(which)} of {count(k)} classes with the smallest area under the ROC"


def _panels(
    report: ClassReport | SetReport, which: Sequence[int], figure: Figure, drawn: Mapping[str, Any]
) -> list[dict[str, str]]:
    """One drawing for each class, all on the same axes."""
    panel: Panel = figure.draw.panel  # type: ignore[attr-defined]
    options: dict[str, Any] = {**panel.options, **drawn, "legend": False}
    labels = [report.labels[i] for i in which]
    names = [harmless(report.classes.display[i]) for i in which]
    areas = [panel.under({"": report}, label) for label in labels]
    svgs = panels_as_svg(
        [partial(figure.draw, {"": report}, classes=[label], **options) for label in labels],
        PANEL_WIDTH,
        PANEL_HEIGHT,
        titles=[
            f"{figure.title}: {name} {area}".strip()
            for name, area in zip(names, areas, strict=True)
        ],
        colors=INKS,
        has_context=panel.has_context,
    )
    return [
        {"name": name, "area": area, "svg": svg}
        for name, area, svg in zip(names, areas, svgs, strict=True)
    ]


def _band(report: ClassReport | SetReport, which: Sequence[int], figure: Figure) -> Band | None:
    """The band of one curve alone that has one, at the level of the intervals of the report."""
    if figure.draw not in (roc, precision_recall, reliability) or len(which) > 1:
        return None
    if report.confidence is None or report.confidence.anytime is not None:
        return None
    label = report.labels[which[0]]
    curve = getattr(report.curves, figure.id)[label]
    if figure.draw is reliability:
        curve = _reliability_of(report, label, which)
    try:
        found: Band = curve.band(report.confidence.level)
    except KaratError:
        return None
    return found


def _listed(report: ClassReport | SetReport) -> tuple[Sequence[int], tuple[str, ...]]:
    """The classes of a table, and a note where not all are there."""
    k = report.classes.k
    if report.classes.positive is not None:
        return [report.classes.positive], ()
    if k <= MOST_SERIES:
        return range(k), ()
    areas = [row.get("roc_auc") for row in report.per_class]
    known = np.array([np.inf if area is None else area for area in areas])
    worst = sorted(np.argsort(known, kind="stable")[:N_WORST].tolist())
    return worst, (f"the {N_WORST} of {count(k)} classes with the smallest area under the ROC",)


def _table(
    title: str, headings: Iterable[str], rows: Iterable[Sequence[str]], notes: tuple[str, ...]
) -> Table:
    columns = (TableColumn("class", "left", is_name=True), *map(TableColumn, headings))
    return Table(title, columns, tuple(tuple(map(Cell, row)) for row in rows), notes)


def _points(
    report: ClassReport | SetReport,
    which: Sequence[int],
    curves: Any,
    columns: list[str],
    band: Band | None,
) -> Iterator[Sequence[str]]:
    """Some of the points of each curve that are kept, from strict to lenient."""
    n_each = min(MOST_POINTS, max(3, N_ROWS // len(which)))
    for i in which:
        kept = curves[report.labels[i]].columns()
        at = np.linspace(0, len(kept["thresholds"]) - 1, n_each).round().astype(np.intp)
        for place in np.unique(at).tolist():
            numbers = [float(kept[name][place]) for name in ("thresholds", *columns)]
            if band is not None:
                x = numbers[1]
                numbers += [float(np.interp(x, band.x, one)) for one in (band.low, band.high)]
            yield report.classes.display[i], *map(value, numbers)


def _uniform_of(report: ClassReport | SetReport, label: Label, _: Sequence[int]) -> Reliability:
    return report.curves.reliability[label]


def _reliability_of(
    report: ClassReport | SetReport, label: Label, which: Sequence[int]
) -> Reliability:
    """Return the bins that are drawn of a class."""
    by_quantile = report.curves.reliability_by_quantile if len(which) == 1 else {}
    return by_quantile.get(label) or report.curves.reliability[label]


def bins_of(report: ClassReport) -> dict[str, list[tuple[int, int, Any]]]:
    """By drawing, of each row of its table of bins: its class, its place among the edges, those."""
    try:
        curves = report.curves
    except KaratError:
        return {}
    which, _ = _listed(report)
    found: dict[str, list[tuple[int, int, Any]]] = {}
    if not curves.has_probabilities:
        return found
    for name, curve_of in (("reliability", _reliability_of), ("scores", _uniform_of)):
        each = [(i, curve_of(report, report.labels[i], which)) for i in which]
        found[name] = [
            (i, place, one.edges)
            for i, one in each
            for place in np.flatnonzero(one.weight).tolist()
        ]
    return found


def _bins(
    report: ClassReport | SetReport,
    which: Sequence[int],
    band: Band | None,
    curve_of: Callable[[ClassReport | SetReport, Label, Sequence[int]], Reliability],
) -> Iterator[Sequence[str]]:
    """Every bin that holds rows, of each class."""
    for i in which:
        one = curve_of(report, report.labels[i], which)
        places = np.flatnonzero(one.weight)
        texts = amounts(one.weight[places].tolist()) if len(places) else []
        columns = [one.edges[:-1], one.edges[1:], one.mean_confidence, one.share]
        if band is not None:
            columns += [band.low, band.high]
        numbers = np.stack([column[places] for column in columns], axis=1).tolist()
        for text, row in zip(texts, numbers, strict=True):
            start, end, *rest = map(value, row)
            yield report.classes.display[i], start, end, text, *rest

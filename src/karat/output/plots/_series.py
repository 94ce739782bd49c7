"""Which classes of which reports a picture shows one by one, and how each is called."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from karat.errors import KaratError, error, short, shown
from karat.errors.text import count
from karat.metrics import Metric
from karat.output.plots._axes import NAME_LIMIT, Style, names_on_plots, style
from karat.results.slices import SliceTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.results.report import ClassReport

Reports: TypeAlias = Mapping[str, "ClassReport"]
"""Reports by name; one alone has the name ``""``."""

MOST_SERIES: Final = 12
"""Up to here every class has its line and its entry in the legend."""
_MOST_MODELS: Final = 3
"""Models that a heading names; of more it says how many."""
N_WORST: Final = 5
"""Of more classes, so many stand for themselves: the worst."""


@dataclass(frozen=True, slots=True)
class Series:
    """One class of one report.

    Attributes:
        report: the report.
        place: of the class among its classes.
        name: how the legend calls it.
        style: how it is drawn.
    """

    report: ClassReport
    place: int
    name: str
    style: Style

    @property
    def label(self) -> Any:
        """The class, as `y_true` writes it."""
        return self.report.labels[self.place]

    @property
    def row(self) -> dict[str, Any]:
        """Its row in the table of classes."""
        return self.report.per_class[self.place]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a picture shows: lines of their own, and classes too many for that, worst first."""

    series: list[Series]
    others: list[Series]


def names_in(reports: Reports) -> list[str]:
    """Every name that a picture of reports may show: of models and of classes."""
    names = [*filter(None, reports)]
    drawn: list[Any] = list(reports.values())
    for item in drawn:
        names += item.names if isinstance(item, SliceTable) else item.classes.display
    return list(dict.fromkeys(names))


def class_of(shown: Shown, reports: Reports) -> str:
    """The class that is drawn, or how many are."""
    every = [*shown.series, *shown.others]
    labels = {one.label: one for one in every}
    if len(labels) == 1:
        one = every[0]
        return names_on_plots(names_in(reports))[one.report.classes.display[one.place]]
    return f"{count(len(labels))} classes"


def headed(what: str, reports: Reports, limit: int = NAME_LIMIT) -> list[str]:
    """What a picture is called, of which models, and of how many rows, where all have as many."""
    texts = names_on_plots(names_in(reports), limit)
    models = [texts[name] for name in reports if name]
    named = ", ".join(models) if len(models) <= _MOST_MODELS else f"{count(len(models))} models"
    rows = {f"{count(report.n_rows)} rows" for report in reports.values()}
    return [what, named, rows.pop() if len(rows) == 1 else ""]


def area_badness(report: ClassReport, place: int) -> float:
    """A class is the worse, the smaller the area under its ROC curve."""
    return -float(report.curves.roc[report.labels[place]].area)


def series_of(
    reports: Reports,
    classes: Any,
    badness: Callable[[ClassReport, int], float],
    *,
    has_positive: bool = True,
    most: int = MOST_SERIES,
    n_worst: int = N_WORST,
) -> Shown:
    """Every class that is asked for; of too many the worst ones, and the others apart.

    Of no `classes` all are taken, of two the positive one alone unless it has no say. What has the
    largest badness is worst, NaN comes last. Of more than `most` lines `n_worst` are left.

    Errors:
        K122 none is asked for; K309 no such class.
    """
    of = list(reports.values())
    chosen = [
        (at, i)
        for at, one in enumerate(of)
        for i in places_of(one, classes, has_positive=has_positive)
    ]
    n_classes = max((sum(at == one for one, _ in chosen) for at in range(len(of))), default=0)
    if len(chosen) <= most:
        return Shown(_styled(reports, chosen, n_classes), [])

    def worst_first(item: tuple[int, int]) -> tuple[bool, float]:
        found = badness(of[item[0]], item[1])
        return math.isnan(found), -found

    ordered = sorted(chosen, key=worst_first)
    # Each model shows its worst, so that they can be compared.
    each = max(1, n_worst // len(of))
    kept = [
        item for at in range(len(of)) for item in [one for one in ordered if one[0] == at][:each]
    ]
    others = [item for item in ordered if item not in set(kept)]
    return Shown(_styled(reports, kept, each), _styled(reports, others, n_classes))


def draw_bands(
    ax: Axes, shown: Shown, curve_of: Callable[[ClassReport, int], Any], band: bool | None
) -> None:
    """Shade the band of each curve that is defined, at the level of the intervals of its report.

    Without a word on it (None), of one curve alone, whose report has intervals and which has one.

    Errors:
        K122 a level that bands do not have; K315 a curve has no band.
    """
    if band is False or (band is None and len(shown.series) + len(shown.others) != 1):
        return
    is_asked, named = bool(band), set[str]()
    for one in shown.series:
        curve, confidence = curve_of(one.report, one.place), one.report.confidence
        # Bands hold for one look.
        has_level = confidence is not None and confidence.anytime is None
        if curve.undefined or not (has_level or is_asked):
            continue
        try:
            found = curve.band() if confidence is None else curve.band(confidence.level)
        except KaratError:
            if is_asked:
                raise
            continue
        # One entry of the legend stands for all bands of a level.
        name = f"{100 * found.level:g} % simultaneous band"
        label = f"_{name}" if name in named else name
        named.add(name)
        look: dict[str, Any] = {"color": one.style.color, "alpha": 0.15, "linewidth": 0}
        has_rows = ~np.isnan(found.x)
        x, low, high = (part[has_rows] for part in (found.x, found.low, found.high))
        ax.fill_between(x, low, high, **look, zorder=0.8, label=label)


def places_of(report: ClassReport, classes: Any, *, has_positive: bool = True) -> Sequence[int]:
    """The classes of a report that are asked for; of two the positive one, if it has a say.

    Errors:
        K122 none is asked for; K309 no such class.
    """
    known = {label: place for place, label in enumerate(report.labels)}
    if classes is None:
        positive = report.classes.positive
        return [positive] if has_positive and positive is not None else range(len(known))
    is_one = isinstance(classes, str | Integral) or not isinstance(classes, Iterable)
    wanted = [classes] if is_one else list(classes)
    places = []
    for label in wanted:
        try:
            places.append(known[label])
        except (KeyError, TypeError):
            what = f"class {short(label)}"
            raise error("K309", what=what, labels=shown(report.labels)) from None
    if not places:
        do = f"Give some of them: {shown(report.labels)}."
        raise error("K122", argument="classes", value=classes, choices="labels of classes", do=do)
    return list(dict.fromkeys(places))


def _styled(reports: Reports, chosen: Iterable[tuple[int, int]], n_classes: int) -> list[Series]:
    names, of = list(reports), list(reports.values())
    texts = names_on_plots(names_in(reports))
    is_one = len(of) == 1
    series: list[Series] = []
    seen: dict[Any, int] = {}
    for place, (at, i) in enumerate(chosen):
        variant = seen.setdefault(of[at].labels[i], len(seen))
        # Of several models the colour is the model, the dashes are the class.
        look = style(place) if is_one else style(at, at if n_classes == 1 else variant)
        parts = [] if is_one else [texts[names[at]]]
        if is_one or n_classes > 1:
            parts.append(texts[of[at].classes.display[i]])
        series.append(Series(of[at], i, " · ".join(parts), look))
    return series


def requested_metrics(picture: str, metrics: Any) -> list[Any]:
    """What `metrics=` lists: names, or one.

    Errors:
        K702 it is no list, or empty.
    """
    if isinstance(metrics, str | Metric):
        return [metrics]
    try:
        found = list(metrics)
    except TypeError:
        told = f"metrics= is {short(metrics)} ({type(metrics).__name__}), not names of metrics"
        do = "Name some, metrics=['precision', 'recall'], or one."
        raise error("K702", name=picture, found=told, do=do) from None
    if not found:
        raise error("K702", name=picture, found="metrics= is empty", do="Name one.")
    return found

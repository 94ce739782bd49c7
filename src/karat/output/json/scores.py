"""JSON of scores: the metrics that were computed from them, with bounds, and the curves.

Values are kept, since the rows are gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat.curves._curve import Points, Reliability
from karat.curves._kept import ClassCurves, Curves
from karat.curves._traced import TRACED
from karat.metrics import get
from karat.metrics._lift import Lift
from karat.metrics._registry import find
from karat.output.json import codec as js
from karat.output.json.codec import Kind, Part, Scope, require
from karat.results.report import ClassReport
from karat.tally.score_kind import ARGUMENTS

Floats: TypeAlias = npt.NDArray[np.float64]

_AREAS: Final = {
    "roc": ("points.roc_area", "roc_auc"),
    "average_precision": ("points.step_area", "average_precision"),
    "precision_recall": ("points.trapezoid_area", "pr_auc_trapezoid"),
    "cost": ("cost_area", None),
}
"""Name of an area in JSON → attribute of the curves, and the metric that it is."""
_BINS: Final = ("mean_confidence", "share", "weight", "spread", "edges", "closed")
_CLOSE: Final = 1e-9
"""Sums of the same weights in another order agree to this part."""


def _measured(report: ClassReport) -> list[Any]:
    """Return the metrics that were measured; a bound is omitted where a value is exact."""
    alone = {x: limits for x, limits in report.bounds.items() if x not in report.class_bounds}
    return [
        SimpleNamespace(
            metric=replace(metric, lift="plain"),
            lift=metric.lift,
            value=values.value,
            undefined=values.undefined,
            bound=alone.get(metric, js.OMITTED),
            bounds=report.class_bounds.get(metric, js.OMITTED),
        )
        for metric, values in report.measured.items()
    ]


def _one_or_each(kind: Kind) -> Kind:
    """One value, or one a class, in an array."""
    of_classes = js.each(kind, lambda s: int(s.classes.k))
    return Kind(
        lambda part, s: np.array(
            (of_classes if isinstance(part.value, list) else kind).read(part, s)
        ),
        lambda value, s: (of_classes if value.ndim else kind).write(value.tolist(), s),
    )


def _is_in_range(value: Floats, s: Scope) -> bool:
    """True if every number lies in the range of the metric, up to rounding."""
    low, high = s.metric.range
    slack = _CLOSE * np.maximum(1.0, np.abs(value))
    return not (np.isfinite(value) & ((value < low - slack) | (value > high + slack))).any()


def _marks_each(undefined: Any, s: Scope) -> bool:
    """True if a metric of each class is marked as undefined where its value is not finite."""
    if s.lift not in ("plain", "per_class") or not s.metric.record.is_per_class:
        return True
    return undefined.shape == s.value.shape and bool((undefined != np.isfinite(s.value)).all())


def _contains(limits: tuple[float, float] | None, value: Any) -> bool:
    """True if a value lies within limits, if there are any."""
    low, high = limits or (math.nan, math.nan)
    return (math.isnan(low) and math.isnan(high)) or bool(low <= value <= high)


_LIMITS: Final = js.or_null(js.each(js.ANY_NUMBER, lambda _: 2).into(tuple))
"""Of the exact value; endless ones, and those that nothing could be measured of, as text."""
_CONTAINING: Final = "two limits that contain the value"
_MEASURED: Final = js.record(
    js.itself,
    metric=Kind(lambda part, s: get(js.TEXT.read(part, s)), lambda metric, _: str(metric)).where(
        lambda metric, _: metric.needs_scores, "a metric of scores: it is one which reads labels"
    ),
    lift=js.choice(*get_args(Lift))
    .where(
        lambda lift, s: lift == "plain" or s.metric.record.is_per_class,
        "plain, which is all that this metric has",
    )
    .where(
        lambda lift, s: lift in ("plain", "per_class", *s.metric.record.averages),
        "an average that this metric has",
    ),
    value=_one_or_each(js.ANY_NUMBER)
    .where(
        lambda value, s: (value.ndim == 1) == (s.lift == "per_class"),
        "one number a class for lift per_class, else one number",
    )
    .where(_is_in_range, lambda s: "between {:g} and {:g}".format(*s.metric.range)),
    undefined=_one_or_each(js.FLAG)
    .where(_marks_each, "true where the value is not a number, and only there")
    .where(
        lambda undefined, s: np.isfinite(s.value).all() or undefined.any(),
        "true somewhere, as the value is not a number",
    ),
    bound=_LIMITS.where(lambda _, s: s.lift != "per_class", "left out of a metric of each class")
    .where(lambda limits, s: _contains(limits, s.value), _CONTAINING)
    .or_absent(js.OMITTED),
    bounds=js.each(
        _LIMITS.where(lambda limits, s: _contains(limits, s.value.flat[s.place]), _CONTAINING),
        lambda s: int(s.value.size),
    )
    .where(lambda _, s: s.lift == "per_class", "limits of the value of each class")
    .or_absent(js.OMITTED),
)


def _read_measured(part: Part, s: Scope) -> Any:
    """Read the metrics that this version of karat has; another version may have written more."""
    if not s.is_own:
        name, lift = js.TEXT.read(part["metric"], s), js.TEXT.read(part["lift"], s)
        metric = find(name)
        if metric is None or lift not in ("plain", "per_class", *metric.record.averages):
            return js.OMITTED
    return _MEASURED.read(part, s)


def _rows(name: str, of: str, *, rises: bool = False) -> Kind:
    """Declare weights of rows at or above thresholds, from 0 to all rows of a kind.

    Args:
        name: ``"tp"`` or ``"fp"``, of which there are `scope.totals` rows.
        of: the thresholds in the scope.
        rises: whether the thresholds fall, and the last is below every score.
    """

    def read(part: Part, s: Scope) -> Floats:
        x = part.amounts() if s.cells.is_weighted else part.counts().astype(np.float64)
        size, total, slack = len(getattr(s, of)), s.totals[name], s.slack
        part.must(x.shape == (size,), f"{size} numbers")
        is_within = not ((x < 0) | (x > total + slack)).any()
        require(is_within, f"{part.path} is not within 0 to {total:g}, the rows there are")
        is_rising = not rises or ((np.diff(x) >= 0).all() and abs(x[-1] - total) <= slack)
        require(is_rising, f"{part.path} does not rise to {total:g}, the rows there are")
        return x

    return Kind(read, lambda x, s: js.listed(x if s.cells.is_weighted else x.astype(np.int64)))


def _curves_of_class(s: Scope) -> ClassCurves:
    starts = ((np.inf, s.thresholds), (0, s.tp), (0, s.fp))
    thresholds, tps, fps = (np.concatenate([[start], rest]) for start, rest in starts)
    roc, step, trapezoid, cost = s.areas.values()
    points = Points(thresholds, tps, fps, s.n_points, roc, step, trapezoid)
    return ClassCurves(points, s.errors, cost, s.n_cost, s.reliability, s.decisions, s.quantiles)


def _has_probabilities(kept: ClassCurves) -> bool:
    """True if a class has the curves that only probabilities have."""
    return kept.reliability is not None and kept.decided is not None


def _table(kind: Kind, **fields: str | Callable[[Any], Any]) -> Kind:
    """Declare an object of one kind of values, by the attribute that each is."""
    return js.record(None, **{name: kind.of(get) for name, get in fields.items()})


_PROPORTION: Final = js.NUMBER_OR_NAN.where(
    lambda x, _: math.isnan(x) or 0 <= x <= 1 + _CLOSE, "a number from 0 to 1, or null"
)
_PROPORTIONS: Final = replace(
    js.each(_PROPORTION, lambda s: len(s.weight), "is a list, not {1} numbers").into(np.array),
    write=lambda x, _: js.plain(x.tolist()),
)

_AT_LEAST_0: Final = js.scalar(lambda x: js.is_number(x) and x >= 0, "a number of at least 0").into(
    float
)
_BINNED: Final = js.record(
    lambda s: Reliability(
        label=s.cells.classes.labels[s.place],
        n_pos=s.totals["tp"],
        n_neg=s.totals["fp"],
        undefined=None,
        squares=s.squares if s.cells.is_weighted else s.weight,
        **{name: getattr(s, name) for name in _BINS},
    ),
    closed=js.choice("right", "left", words="right or left"),
    edges=js.AMOUNTS.where(
        lambda x, _: (
            x.ndim == 1 and len(x) > 1 and (np.diff(x) >= 0).all() and x[0] >= 0 and x[-1] <= 1
        ),
        "two or more numbers from 0 to 1 that ascend",
    ),
    weight=js.AMOUNTS.where(
        lambda x, s: x.shape == (len(s.edges) - 1,) and not (x < 0).any(),
        lambda s: f"{len(s.edges) - 1} numbers of at least 0",
    ).where(
        lambda x, s: abs(x.sum() - sum(s.totals.values())) <= s.slack,
        "does not add up to the rows there are",
        is_sentence=True,
    ),
    mean_confidence=_PROPORTIONS,
    share=_PROPORTIONS,
    spread=_PROPORTIONS,
    # Of rows without weights these are the rows.
    squares=js.AMOUNTS.where(
        lambda x, s: x.shape == s.weight.shape and not (x < 0).any(),
        lambda s: f"{len(s.weight)} numbers of at least 0",
    )
    .of(lambda curve: js.OMITTED if curve.squares is None else curve.squares)
    .or_absent(None),
)


def _write_reliability(curve: Reliability, s: Scope) -> Any:
    is_written = s.cells.is_weighted and curve.squares is not None
    is_written = is_written and bool(np.isfinite(curve.squares).all())
    return _BINNED.write(curve if is_written else replace(curve, squares=None), s)


_RELIABILITY: Final = replace(_BINNED, write=_write_reliability)


def _held(name: str) -> Callable[[ClassCurves], Any]:
    """Return the reader of what some curves lack."""

    def read(kept: ClassCurves) -> Any:
        value = getattr(kept, name)
        return js.OMITTED if value is None else value

    return read


_CLASS: Final = js.record(
    _curves_of_class,
    n_pos=js.given(lambda s: float(s.n_true[s.place])),
    # Rows of the class, and all others.
    totals=js.given(lambda s: {"tp": s.n_pos, "fp": float(s.n_true.sum()) - s.n_pos}),
    slack=js.given(lambda s: _CLOSE * sum(s.totals.values())),
    # The point above every score, threshold infinite, is not written.
    thresholds=js.AMOUNTS.where(
        lambda x, _: x.ndim == 1 and len(x) and (np.diff(x) < 0).all(),
        "a list of numbers that descend",
    ).of(lambda kept: kept.points.thresholds[1:]),
    tp=_rows("tp", "thresholds", rises=True).of(lambda kept: kept.points.tps[1:]),
    fp=_rows("fp", "thresholds", rises=True).of(lambda kept: kept.points.fps[1:]),
    n_points=js.COUNT.where(
        lambda n, s: n > len(s.thresholds),
        lambda s: f"at least {len(s.thresholds) + 1}, the points that are there",
    ).of("points.n_full"),
    errors=_table(_AT_LEAST_0, **{kind.name: itemgetter(kind.name) for kind in TRACED}),
    areas=_table(_PROPORTION, **{name: get for name, (get, _) in _AREAS.items()}).of(js.itself),
    n_cost=js.COUNT,
    # Scores have no curves of probabilities.
    reliability=_RELIABILITY.of(_held("reliability")).or_absent(None),
    decisions=js.record(
        lambda s: np.stack([s.tp, s.fp], axis=1),
        tp=_rows("tp", "decisions").of(lambda decided: decided[:, 0]),
        fp=_rows("fp", "decisions").of(lambda decided: decided[:, 1]),
    )
    .of(_held("decided"))
    .or_absent(None),
    quantiles=_RELIABILITY.of(_held("quantiles")).or_absent(None),
)
_CURVES: Final = js.record(
    lambda s: Curves(
        s.cells.classes,
        tuple(s.classes),
        s.decisions,
        has_probabilities=all(kept.reliability is not None for kept in s.classes),
    ),
    n_true=js.given(lambda s: s.cells.fields.tp + s.cells.fields.fn),
    decisions=js.AMOUNTS.where(
        lambda x, _: x.ndim == 1 and ((x >= 0) & (x < 1)).all(),
        "a list of numbers from 0 to below 1",
    ),
    classes=js.each(_CLASS, lambda s: int(s.cells.k), "describes {} of {} classes")
    .where(
        lambda kept, s: s.kind == "scores" or all(map(_has_probabilities, kept)),
        "classes that all have reliability and decisions",
    )
    .of("kept"),
)
SCORES: Final = js.record(
    js.itself,
    kind=js.choice(*ARGUMENTS).of("scores"),
    threshold=js.or_null(
        js.NUMBER.where(lambda _, s: s.cells.k == 2, "a number for two classes, or null")
    ),
    decision=js.TEXT.of(lambda s: s.decision or js.OMITTED).or_absent(""),
    measured=js.each(replace(_MEASURED, read=_read_measured))
    .where(
        lambda items, _: len({(item.metric, item.lift) for item in items}) == len(items),
        "of different metrics: one occurs twice",
    )
    .of(_measured),
    curves=js.or_null(_CURVES).of("kept_curves"),
)
"""Read after the classes and the tally."""


def stated_twice(report: ClassReport) -> tuple[list[Any], list[Any]]:
    """Return what follows from the metrics of each class: what was measured, and the areas.

    Of the positive class a metric is measured alone as well, and areas under curves are metrics.
    """
    positive = report.classes.positive
    of_classes: dict[Any, dict[int | None, float]] = {}
    for metric, values in report.measured.items():
        found = of_classes.setdefault((metric.record, metric.params), {})
        if metric.lift == "per_class":
            found |= dict(enumerate(values.value.tolist()))
        elif metric.lift == "plain" and positive is not None:
            found.setdefault(positive, float(values.value))
    measured: list[dict[str, float]] = []
    for metric in report.measured:
        value = of_classes[metric.record, metric.params].get(positive, math.nan)
        is_alone = metric.lift == "plain" and math.isfinite(value)
        measured.append({"value": value} if is_alone else {})
    known = {
        name: of_classes.get((metric.record, metric.params), {})
        for name, metric in ((name, get(metric)) for name, (_, metric) in _AREAS.items() if metric)
    }
    places = range(0 if report.kept_curves is None else report.classes.k)
    areas = [
        {"areas": {name: js.plain(x[place]) for name, x in known.items() if place in x}}
        for place in places
    ]
    return measured, areas

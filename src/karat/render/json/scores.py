"""What scores gave: the metrics that were measured of them, with their bounds, and the curves.

Values are kept, since the rows are gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat.curves import Curves, Reliability
from karat.curves._kept import ClassCurves
from karat.curves._points import Points
from karat.curves._traced import TRACED
from karat.metrics import Metric, get
from karat.metrics._bounds import Limits
from karat.metrics._lift import Lift
from karat.metrics._metric import Values
from karat.metrics._registry import find
from karat.render.json.codec import (
    AMOUNTS,
    ANY_NUMBER,
    COUNT,
    FLAG,
    OMITTED,
    TEXT,
    Field,
    Kind,
    Scope,
    choice,
    each,
    given,
    itself,
    or_null,
    plain,
    record,
    scalar,
    table,
)
from karat.render.json.parts import Part, is_number

if TYPE_CHECKING:
    from karat.report import Report

__all__ = ["AREAS", "SCORES"]

Floats: TypeAlias = npt.NDArray[np.float64]

AREAS: Final = {
    "roc": ("roc_area", "roc_auc"),
    "average_precision": ("step_area", "average_precision"),
    "precision_recall": ("trapezoid_area", "pr_auc_trapezoid"),
}
"""Name of an area in JSON → attribute of the points, and the metric that it is."""
_CLOSE: Final = 1e-9
"""Sums of the same weights in another order agree to this part."""


class Measured(NamedTuple):
    """A metric of scores.

    Attributes:
        metric: what was measured.
        values: what it gave.
        bound: limits of the exact value, None if not known; omitted where it is exact.
        bounds: the same of a metric of each class.
    """

    metric: Metric
    values: Values
    bound: Any
    bounds: Any


def _measured(report: Report) -> list[Measured]:
    return [
        Measured(
            metric,
            values,
            OMITTED if metric in report.class_bounds else report.bounds.get(metric, OMITTED),
            report.class_bounds.get(metric, OMITTED),
        )
        for metric, values in report.measured.items()
    ]


def _one_or_each(kind: Kind) -> Kind:
    """One value, or one a class."""
    of_classes = each(kind, lambda s: int(s.classes.k))

    def read(part: Part, s: Scope) -> npt.NDArray[Any]:
        return np.array((of_classes if isinstance(part.value, list) else kind).read(part, s))

    def write(value: npt.NDArray[Any], s: Scope) -> Any:
        plain_value = value.tolist()
        return (of_classes if value.ndim else kind).write(plain_value, s)

    return Kind(read, write)


def _is_in_range(value: Floats, s: Scope) -> bool:
    """Whether every number lies in the range of the metric, but for rounding."""
    low, high = s.metric.range
    slack = _CLOSE * np.maximum(1.0, np.abs(value))
    return not (np.isfinite(value) & ((value < low - slack) | (value > high + slack))).any()


def _marks_each(undefined: Any, s: Scope) -> bool:
    """Whether a metric of each class is marked exactly where its value is no number."""
    if s.lift not in ("plain", "per_class") or not s.metric.record.is_per_class:
        return True
    is_same = undefined.shape == s.value.shape
    return bool(is_same and (undefined != np.isfinite(s.value)).all())


def _contain(limits: Limits | None, value: float) -> bool:
    if limits is None or all(map(math.isnan, limits)):
        return True
    return limits[0] <= value <= limits[1]


_PAIR: Final = each(ANY_NUMBER, lambda _: 2)
_LIMITS: Final = or_null(Kind(lambda part, s: tuple(_PAIR.read(part, s)), _PAIR.write))
"""Of the exact value; endless ones, and those that nothing could be measured of, as text."""
_CONTAINING: Final = "two limits that contain the value"
_MEASURED: Final = record(
    Field(
        "metric",
        Kind(lambda part, s: get(TEXT.read(part, s)), lambda metric, _: str(metric)).unless(
            lambda metric, _: not metric.needs_scores, lambda _: "is a metric which reads labels"
        ),
        lambda item: replace(item.metric, lift="plain"),
    ),
    Field(
        "lift",
        choice(*get_args(Lift))
        .where(
            lambda lift, s: lift == "plain" or s.metric.record.is_per_class,
            "plain, which is all that this metric has",
        )
        .where(
            lambda lift, s: lift in ("plain", "per_class", *s.metric.record.averages),
            "an average that this metric has",
        ),
        "metric.lift",
    ),
    Field(
        "value",
        _one_or_each(ANY_NUMBER)
        .where(
            lambda value, s: (value.ndim == 1) == (s.lift == "per_class"),
            "one number a class for lift per_class, else one number",
        )
        .where(_is_in_range, lambda s: "between {:g} and {:g}".format(*s.metric.range)),
        "values.value",
    ),
    Field(
        "undefined",
        _one_or_each(FLAG)
        .where(_marks_each, "true where the value is no number, and only there")
        .where(
            lambda undefined, s: np.isfinite(s.value).all() or undefined.any(),
            "true somewhere, as the value is no number",
        ),
        "values.undefined",
    ),
    Field(
        "bound",
        _LIMITS.where(
            lambda limits, s: s.lift != "per_class" and _contain(limits, float(s.value)),
            _CONTAINING,
        ),
        absent=OMITTED,
    ),
    Field(
        "bounds",
        each(
            _LIMITS.where(
                lambda limits, s: _contain(limits, float(s.value.flat[s.place])), _CONTAINING
            ),
            lambda s: int(s.value.size),
            lambda *_: "does not have limits of the value of each class",
        ).where(lambda _, s: s.lift == "per_class", "limits of the value of each class"),
        absent=OMITTED,
    ),
    make=lambda s: Measured(
        replace(s.metric, lift=s.lift), Values(s.value, s.undefined), s.bound, s.bounds
    ),
)


def _is_known(part: Part, s: Scope) -> bool:
    """Whether this karat has a metric; the version that wrote the text may have had more."""
    if s.is_own:
        return True
    name, lift = TEXT.read(part["metric"], s), TEXT.read(part["lift"], s)
    return lift in get_args(Lift) and find(name) is not None


def _rows(
    name: str, get_rows: Callable[[Any], Floats], of: str, *, is_rising: bool = False
) -> Field:
    """Declare weights of rows at or above thresholds, from 0 to all rows of a kind.

    Args:
        name: ``"tp"`` or ``"fp"``, of which there are `scope.totals` rows.
        get_rows: the weights of the object that is written.
        of: the thresholds in the scope.
        is_rising: whether the thresholds fall, and the last is below every score.
    """

    def read(part: Part, s: Scope) -> Floats:
        return part.amounts() if s.cells.is_weighted else part.counts().astype(np.float64)

    def write(weights: Floats, s: Scope) -> list[Any]:
        found: list[Any] = (weights if s.cells.is_weighted else weights.astype(np.int64)).tolist()
        return found

    def is_outside(found: Floats, s: Scope) -> bool:
        return bool(((found < 0) | (found > s.totals[name] + s.slack)).any())

    def is_not_rising(found: Floats, s: Scope) -> bool:
        ends_at_total = abs(found[-1] - s.totals[name]) <= s.slack
        return bool((np.diff(found) < 0).any() or not ends_at_total)

    kind = (
        Kind(read, write)
        .where(
            lambda found, s: found.shape == (len(getattr(s, of)),),
            lambda s: f"{len(getattr(s, of))} numbers",
        )
        .unless(is_outside, lambda s: f"is not within 0 to {s.totals[name]:g}, the rows there are")
    )
    if is_rising:
        kind = kind.unless(
            is_not_rising, lambda s: f"does not rise to {s.totals[name]:g}, the rows there are"
        )
    return Field(name, kind, get_rows)


def _totals(s: Scope) -> dict[str, float]:
    """Rows of the class, and all others."""
    n_pos = float(s.n_true[s.place])
    return {"tp": n_pos, "fp": float(s.n_true.sum()) - n_pos}


def _reliability(s: Scope) -> Reliability:
    columns = {name: np.array(getattr(s, name)) for name in _BINS}
    return Reliability(
        label=s.cells.classes.labels[s.place], n_pos=s.totals["tp"], n_neg=s.totals["fp"],
        undefined=None, weight=s.weight, edges=s.edges, closed=s.closed, **columns,
    )  # fmt: skip


def _curves_of_class(s: Scope) -> ClassCurves:
    zero = [0.0]
    return ClassCurves(
        Points(
            np.concatenate([[np.inf], s.thresholds]),
            np.concatenate([zero, s.tp]),
            np.concatenate([zero, s.fp]),
            s.n_points,
            **{attribute: s.areas[name] for name, (attribute, _) in AREAS.items()},
        ),
        s.errors,
        s.areas["cost"],
        s.n_cost,
        s.reliability,
        s.decisions,
    )


_AT_LEAST_0: Final = scalar(lambda x: is_number(x) and x >= 0, "a number of at least 0", float)
_PROPORTION: Final = scalar(
    lambda x: x is None or (is_number(x) and 0 <= x <= 1 + _CLOSE),
    "a number from 0 to 1, or null",
    lambda x: math.nan if x is None else float(x),
    plain,
)
_BINS: Final = ("mean_confidence", "share", "spread")
_RELIABILITY: Final = record(
    Field("closed", choice("right", "left", wanted="right or left")),
    Field(
        "edges",
        AMOUNTS.where(
            lambda x, _: x.ndim == 1 and len(x) > 1 and (np.diff(x) >= 0).all()
            and x[0] >= 0 and x[-1] <= 1,
            "two or more numbers from 0 to 1 that ascend",
        ),
    ),
    Field(
        "weight",
        AMOUNTS.where(
            lambda x, s: x.shape == (len(s.edges) - 1,) and not (x < 0).any(),
            lambda s: f"{len(s.edges) - 1} numbers of at least 0",
        ).unless(
            lambda x, s: abs(x.sum() - sum(s.totals.values())) > s.slack,
            lambda _: "does not add up to the rows there are",
        ),
    ),
    *(
        Field(
            name,
            each(_PROPORTION, lambda s: len(s.weight)),
            lambda bins, name=name: getattr(bins, name).tolist(),
        )
        for name in _BINS
    ),
    make=_reliability,
)  # fmt: skip
_CLASS: Final = record(
    given("totals", _totals),
    given("slack", lambda s: _CLOSE * sum(s.totals.values())),
    Field(
        "thresholds",
        AMOUNTS.where(
            lambda x, _: x.ndim == 1 and len(x) and (np.diff(x) < 0).all(),
            "a list of numbers that descend",
        ),
        # The point above every score, threshold infinite, is not written.
        lambda kept: kept.points.thresholds[1:],
    ),
    _rows("tp", lambda kept: kept.points.tps[1:], "thresholds", is_rising=True),
    _rows("fp", lambda kept: kept.points.fps[1:], "thresholds", is_rising=True),
    Field(
        "n_points",
        COUNT.where(
            lambda n, s: n > len(s.thresholds),
            lambda s: f"at least {len(s.thresholds) + 1}, the points that are there",
        ),
        "points.n_full",
    ),
    Field(
        "errors",
        table(*(Field(kind.name, _AT_LEAST_0, itemgetter(kind.name)) for kind in TRACED)),
    ),
    Field(
        "areas",
        table(
            *(Field(name, _PROPORTION, f"points.{where}") for name, (where, _) in AREAS.items()),
            Field("cost", _PROPORTION, "cost_area"),
        ),
        itself,
    ),
    Field("n_cost", COUNT),
    Field("reliability", _RELIABILITY),
    Field(
        "decisions",
        record(
            _rows("tp", lambda decided: decided[:, 0], "decisions"),
            _rows("fp", lambda decided: decided[:, 1], "decisions"),
            make=lambda s: np.stack([s.tp, s.fp], axis=1),
        ),
        "decided",
    ),
    make=_curves_of_class,
)
_CURVES: Final = record(
    given("n_true", lambda s: s.cells.fields.tp + s.cells.fields.fn),
    Field(
        "decisions",
        AMOUNTS.where(
            lambda x, _: x.ndim == 1 and ((x >= 0) & (x < 1)).all(),
            "a list of numbers from 0 to below 1",
        ),
    ),
    Field(
        "classes",
        each(
            _CLASS,
            lambda s: int(s.cells.k),
            lambda s, n: f"describes {n} of {s.cells.k} classes",
        ),
        "kept",
    ),
    make=lambda s: Curves(s.cells.classes, tuple(s.classes), s.decisions),
)
SCORES: Final = record(
    Field("kind", choice("probabilities", "scores"), "scores"),
    Field(
        "threshold",
        or_null(
            scalar(is_number, "a number for two classes, or null", float).where(
                lambda _, s: s.cells.k == 2, "a number for two classes, or null"
            )
        ),
    ),
    Field(
        "measured",
        each(_MEASURED, is_read=_is_known).unless(
            lambda items, _: len({item.metric for item in items}) < len(items),
            lambda _: "lists a metric for a second time",
        ),
        _measured,
    ),
    Field("curves", or_null(_CURVES), "kept_curves"),
)
"""Read after the classes and the tally."""

"""Curves over falling thresholds, and the costs and net benefits of decisions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from karat.curves._curve import Curve, Floats, Points, WithBand
from karat.curves._simplify import Places, corners, simplified, upper_hull
from karat.errors import error as karat_error
from karat.metrics import ClassProbabilities
from karat.tally import Label
from karat.tally.shared import reached_levels

NONE_TRUE = "no row is truly of the class"
NONE_FALSE = "every row is truly of the class"

T = TypeVar("T", bound="Traced")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Traced(Curve, ABC):
    """Curve with a point for each distinct score, best first.

    Attributes:
        thresholds: float64[t], descending: rows that score at least this are predicted positive.
            The first is infinite: no row is.
        n_full: number of points of the whole curve, of which these may be a subset.
        error: largest distance between the whole curve and this one, in both directions, in units
            of the axes; 0 if only points on straight lines were dropped, or none.
    """

    name: ClassVar[str]
    needs_neg: ClassVar[bool] = False
    """True if it is undefined without rows of other classes."""
    is_affine: ClassVar[bool] = False
    """True if straight lines between counts are always straight on its axes."""
    read_areas: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Its areas, and the attributes of `Points` that they equal."""

    thresholds: Floats
    n_full: int
    error: float

    @staticmethod
    @abstractmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        """Return the axes from the weights of true and false positives; see `_simplify.Plane`."""

    @classmethod
    def areas(cls, points: Points) -> dict[str, float]:
        """Return the areas under the whole curve, by attribute."""
        return {name: getattr(points, source) for name, source in cls.read_areas}

    def _facts(self) -> Iterator[str]:
        if len(self) < self.n_full:
            yield f"from {self.n_full}" + (f" within {self.error:.2g}" if self.error else "")
        area = getattr(self, "area", None)
        if area is not None and math.isfinite(area):
            yield f"area {area:.6g}"
        yield from super()._facts()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Roc(WithBand, Traced):
    """ROC curve: true positive rate by false positive rate.

    Attributes:
        fpr: float64[t], proportion of the rows of other classes predicted positive; NaN without
            any.
        tpr: float64[t], proportion of the rows of the class predicted positive; NaN without any.
        area: area under the whole curve: `karat.roc_auc`.
    """

    name: ClassVar[str] = "roc"
    axes: ClassVar[tuple[str, str]] = ("fpr", "tpr")
    needs_neg: ClassVar[bool] = True
    is_affine: ClassVar[bool] = True
    read_areas: ClassVar[tuple[tuple[str, str], ...]] = (("area", "roc_area"),)

    fpr: Floats
    tpr: Floats
    area: float

    @staticmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        return _share(fps, n_neg), _share(tps, n_pos)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PrecisionRecall(WithBand, Traced):
    """Precision-recall curve.

    Attributes:
        precision: float64[t], proportion of the class among the rows predicted positive; 1 if there
            are none.
        recall: float64[t], proportion of the rows of the class predicted positive; NaN without any.
        area: area under the whole curve by straight lines: `karat.pr_auc_trapezoid`.
        average_precision: area under the whole curve by steps: `karat.average_precision`.
    """

    name: ClassVar[str] = "precision_recall"
    axes: ClassVar[tuple[str, str]] = ("recall", "precision")
    read_areas: ClassVar[tuple[tuple[str, str], ...]] = (
        ("area", "trapezoid_area"),
        ("average_precision", "step_area"),
    )

    precision: Floats
    recall: Floats
    area: float
    average_precision: float

    @staticmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        del n_neg
        called = tps + fps
        precision = np.divide(tps, called, out=np.ones(len(tps)), where=called > 0)
        return _share(tps, n_pos), precision


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Det(Traced):
    """DET curve: false negative rate by false positive rate, usually on normal-deviate axes.

    Attributes:
        fpr: float64[t], proportion of the rows of other classes predicted positive; NaN without
            any.
        fnr: float64[t], proportion of the rows of the class not predicted positive; NaN without
            any.
    """

    name: ClassVar[str] = "det"
    axes: ClassVar[tuple[str, str]] = ("fpr", "fnr")
    needs_neg: ClassVar[bool] = True

    fpr: Floats
    fnr: Floats

    @staticmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        return _share(fps, n_neg), _share(n_pos - tps, n_pos)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gain(Traced):
    """Cumulative gain: proportion of the class found by proportion of all rows, best first.

    Attributes:
        share: float64[t], proportion of all rows predicted positive.
        gain: float64[t], proportion of the rows of the class predicted positive; NaN without any.
        area: area under the whole curve; a random order gives 0.5.
    """

    name: ClassVar[str] = "gain"
    axes: ClassVar[tuple[str, str]] = ("share", "gain")
    is_affine: ClassVar[bool] = True

    share: Floats
    gain: Floats
    area: float

    @staticmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        return _share(tps + fps, n_pos + n_neg), _share(tps, n_pos)

    @classmethod
    def areas(cls, points: Points) -> dict[str, float]:
        n_pos, n_neg = points.n_pos, points.n_neg
        # share = π·TPR + (1 − π)·FPR, and the gain is the TPR.
        inner = n_neg * points.roc_area if n_neg and n_pos else 0.0
        return {"area": (n_pos / 2 + inner) / (n_pos + n_neg) if n_pos else math.nan}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Lift(Traced):
    """Lift curve: precision ÷ prevalence by proportion of all rows, best first.

    Attributes:
        share: float64[t], proportion of all rows predicted positive.
        lift: float64[t], precision ÷ prevalence; at proportion 0 that of the next point, its limit.
            NaN without rows of the class.
    """

    name: ClassVar[str] = "lift"
    axes: ClassVar[tuple[str, str]] = ("share", "lift")

    share: Floats
    lift: Floats

    @staticmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        called, total = tps + fps, n_pos + n_neg
        pure = np.divide(tps, called, out=np.full(len(tps), np.nan), where=called > 0)
        if len(pure) > 1 and called[0] == 0:
            pure[0] = pure[1]
        return _share(called, total), _share(pure, n_pos / total)


TRACED: tuple[type[Traced], ...] = (Roc, PrecisionRecall, Det, Gain, Lift)


def trace(
    kind: type[T],
    points: Points,
    label: Label | None,
    *,
    drop_intermediate: bool = False,
    limit: int | None = None,
    error: float = 0.0,
) -> T:
    """Return the curve of a kind through points, which may be a subset.

    Args:
        drop_intermediate: drop points on straight lines.
        limit: largest number of points to keep.
        error: distance of the curve through `points` from the whole one.
    """
    n_pos, n_neg = points.n_pos, points.n_neg
    x, y = kind.plane(points.tps, points.fps, n_pos, n_neg)
    if drop_intermediate:
        is_affine = kind.is_affine
        places = corners(
            *((points.fps, points.tps) if is_affine else (np.nan_to_num(x), np.nan_to_num(y))),
            axis_parallel=not is_affine,
        )
        points, x, y = points.at(places), x[places], y[places]
    if limit is not None and len(points) > limit:
        places, errors = simplified(points, {kind.name: kind.plane}, [kind.name], limit)
        points, x, y = points.at(places), x[places], y[places]
        error = max(error, errors[kind.name])
    undefined = NONE_TRUE if not n_pos else NONE_FALSE if kind.needs_neg and not n_neg else None
    return kind(
        label=label,
        n_pos=n_pos,
        n_neg=n_neg,
        undefined=undefined,
        thresholds=points.thresholds,
        n_full=points.n_full,
        error=error,
        **dict(zip(kind.axes, (x, y), strict=True)),
        **kind.areas(points),
    )


def _share(part: Floats, whole: float) -> Floats:
    if not whole:
        return np.full(len(part), np.nan)
    return np.asarray(part / whole, np.float64)


DECISIONS: Floats = np.arange(1, 100) / 100
"""Default threshold probabilities of a net-benefit curve."""
DECISIONS.setflags(write=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Cost(Curve):
    """Cost curve: smallest normalized expected cost by probability-cost.

    With p the prevalence, C(−|+) the cost of a false negative and C(+|−) that of a false positive,
    the probability-cost is p·C(−|+) ÷ (p·C(−|+) + (1 − p)·C(+|−)), the expected cost is divided by
    its largest possible value, and each threshold is a straight line from its false positive rate
    at 0 to its false negative rate at 1. The curve is the lower envelope of these lines. Line i is
    the lowest one from corner i to corner i + 1.

    Attributes:
        probability_cost: float64[c + 1], ascending from 0 to 1: the corners of the envelope.
        cost: float64[c + 1], normalized expected cost at each corner.
        thresholds: float64[c], descending: the best threshold from each corner to the next;
            infinite: no row is predicted positive.
        fpr, fnr: float64[c], the two ends of each line.
        area: area under the envelope of all lines: the mean over all probability-costs.
        n_full: number of corners of the whole envelope, of which these may be a subset.
        error: largest difference by which the whole envelope is lower; it is never higher.
    """

    name: ClassVar[str] = "cost"
    axes: ClassVar[tuple[str, str]] = ("probability_cost", "cost")
    unit: ClassVar[str] = "corners"

    probability_cost: Floats
    cost: Floats
    thresholds: Floats
    fpr: Floats
    fnr: Floats
    area: float
    n_full: int
    error: float

    def _facts(self) -> Iterator[str]:
        if len(self) < self.n_full:
            yield f"from {self.n_full} within {self.error:.2g}"
        if math.isfinite(self.area):
            yield f"area {self.area:.6g}"
        yield from super()._facts()


def cost_curve(
    points: Points,
    label: Label | None,
    *,
    limit: int | None = None,
    area: float | None = None,
    n_full: int | None = None,
    error: float = 0.0,
    places: Places | None = None,
) -> Cost:
    """Return the lower envelope of the lines of all points, or at most `limit` corners of it.

    If `points` is a subset, area, n_full and error describe the whole envelope. `places` are the
    indices of the corners of the hull, if known.
    """
    hull = points.at(upper_hull(points.fps, points.tps) if places is None else places)
    corners, cost, lines = _envelope(hull)
    if area is None:
        area = float(np.trapezoid(cost, corners))
    n_full = len(corners) if n_full is None else n_full
    if limit is not None and len(corners) > limit:
        # A line between two kept ones is lower by at most the distance of its point from theirs.
        places, errors = simplified(hull, {"roc": Roc.plane}, ["roc"], limit - 1)
        error = max(error, errors["roc"])
        hull = hull.at(places)
        corners, cost, lines = _envelope(hull)
    n_pos, n_neg = points.n_pos, points.n_neg
    fpr, fnr = Det.plane(hull.tps[lines], hull.fps[lines], n_pos, n_neg)
    return Cost(
        label=label,
        n_pos=n_pos,
        n_neg=n_neg,
        undefined=NONE_TRUE if not n_pos else None if n_neg else NONE_FALSE,
        probability_cost=corners,
        cost=cost,
        thresholds=hull.thresholds[lines],
        fpr=fpr,
        fnr=fnr,
        area=area,
        n_full=n_full,
        error=error,
    )


def _envelope(hull: Points) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Return corners from 0 to 1, their costs, and the index of the line from each to the next."""
    n_pos, n_neg = hull.n_pos, hull.n_neg
    if not (n_pos and n_neg):
        return np.array([0.0, 1.0]), np.full(2, np.nan), np.zeros(1, np.intp)
    fpr, fnr = Det.plane(hull.tps, hull.fps, n_pos, n_neg)
    run, fall = np.diff(fpr), -np.diff(fnr)
    # Points that differ only by a negligible weight are merged.
    either = run + fall
    crossings = np.divide(run, either, out=np.zeros_like(run), where=either > 0)
    crossings = np.maximum.accumulate(crossings)
    borders = np.concatenate([[0.0], crossings, [1.0]])
    lines = np.flatnonzero(borders[:-1] < borders[1:])
    corners = np.append(borders[lines], 1.0)
    own = np.append(lines, lines[-1])
    return corners, fnr[own] * corners + fpr[own] * (1.0 - corners), lines


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NetBenefit(Curve):
    """Net benefit of acting on a prediction, by threshold probability.

    The net benefit is TP/n − FP/n · t/(1 − t), where threshold t weighs a false positive as t/(1 −
    t) true positives. Treating none has net benefit 0.

    Attributes:
        thresholds: float64[t], threshold probabilities t: rows with at least this probability are
            treated.
        benefit: float64[t], net benefit of treating according to the prediction.
        treat_all: float64[t], net benefit of treating all.
        treat_none: float64[t], net benefit of treating none: 0.
    """

    name: ClassVar[str] = "net_benefit"
    axes: ClassVar[tuple[str, str]] = ("thresholds", "benefit")

    thresholds: Floats
    benefit: Floats
    treat_all: Floats
    treat_none: Floats


def counts_at(view: ClassProbabilities, thresholds: Floats) -> Floats:
    """float64[2, t]: true and false positives at or above each threshold, in any order.

    Cost: one walk over the score levels.
    """
    found = np.zeros((2, len(thresholds)))
    for steps in view.steps():
        scores = steps.thresholds
        n_above = reached_levels(scores, thresholds)
        is_here = n_above > 0
        last = n_above[is_here] - 1
        found[:, is_here] = steps.tps[last], steps.fps[last]
    return found


def net_benefit_curve(
    tps: Floats, fps: Floats, n_pos: float, n_neg: float, thresholds: Floats, label: Label | None
) -> NetBenefit:
    """Return the net benefit from the weights of true and false positives at each threshold."""
    total = n_pos + n_neg
    odds = thresholds / (1.0 - thresholds)
    return NetBenefit(
        label=label,
        n_pos=n_pos,
        n_neg=n_neg,
        undefined=None,
        thresholds=thresholds,
        benefit=np.asarray(tps / total - fps / total * odds),
        treat_all=n_pos / total - n_neg / total * odds,
        treat_none=np.zeros(len(thresholds)),
    )


def checked_thresholds(given: Any) -> Floats:
    """Return threshold probabilities float64[t] as given.

    Errors:
        K122 they are not numbers in [0, 1).
    """
    if given is None:
        return DECISIONS
    try:
        # Complex numbers would lose their imaginary part.
        is_real = not np.iscomplexobj(given)
        found = np.array(given if is_real else math.nan, np.float64)
    except (OverflowError, TypeError, ValueError):
        found = np.array(math.nan)
    if found.ndim != 1 or not len(found) or not ((found >= 0) & (found < 1)).all():
        raise karat_error(
            "K122",
            argument="thresholds",
            value=given,
            choices="one or more numbers from 0 to below 1",
            do="None: 0.01, 0.02, … 0.99.",
        )
    return found

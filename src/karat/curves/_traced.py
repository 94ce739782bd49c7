"""Curves that a falling threshold traces, and what decisions cost or earn at its points."""

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

NONE_TRUE = "no row is truly of the class"
NONE_FALSE = "every row is truly of the class"

T = TypeVar("T", bound="Traced")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Traced(Curve, ABC):
    """A curve with a point for each distinct score, best first.

    Attributes:
        thresholds: float64[t], descending: what scores at least this is called positive.
            The first is infinite: nothing is called positive.
        n_full: points of the whole curve, of which these may be some.
        error: no point of the whole curve is further than this from the one drawn here, nor the
            other way round, in units of the axes; 0 when only points on straight lines were left
            out, or none.
    """

    name: ClassVar[str]
    needs_neg: ClassVar[bool] = False
    """Whether it is undefined without rows of other classes."""
    is_affine: ClassVar[bool] = False
    """Whether straight lines between counts are straight on its axes, however they lie."""
    read_areas: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Its areas, and those of `Points` that they are."""

    thresholds: Floats
    n_full: int
    error: float

    @staticmethod
    @abstractmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        """The axes from the weights of true and false positives; see `_simplify.Plane`."""

    @classmethod
    def areas(cls, points: Points) -> dict[str, float]:
        """Areas under the whole curve, by attribute."""
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
    """True positive rate by false positive rate: how much of the class is found, at what price.

    Attributes:
        fpr: float64[t], share of the other rows that is called positive; NaN without any.
        tpr: float64[t], share of the class that is called positive; NaN without any.
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
    """Precision by recall: how pure the rows found are, as more of the class is found.

    Attributes:
        precision: float64[t], share of the class among what is called positive; 1 where nothing is.
        recall: float64[t], share of the class that is called positive; NaN without any.
        area: area under the whole curve with straight lines: `karat.pr_auc_trapezoid`.
        average_precision: area under the whole curve with steps: `karat.average_precision`.
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
    """Misses by false alarms, usually drawn on normal-deviate axes (``scipy.special.ndtri``).

    Attributes:
        fpr: float64[t], share of the other rows that is called positive; NaN without any.
        fnr: float64[t], share of the class that is not called positive; NaN without any.
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
    """Share of the class that is found by the share of all rows that is looked at, best first.

    Attributes:
        share: float64[t], share of all rows that is called positive.
        gain: float64[t], share of the class that is called positive; NaN without any.
        area: area under the whole curve; half of it is what a random order gives.
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
    """How many times more of the class the best rows hold than a random choice would.

    Attributes:
        share: float64[t], share of all rows that is called positive.
        lift: float64[t], precision ÷ prevalence; at share 0 that of the next point, its limit.
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
    """The curve of a kind through points, which may be fewer than all.

    Args:
        drop_intermediate: leave out points on straight lines.
        limit: the most points to keep.
        error: how far the curve through `points` is from the whole one.
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
"""Threshold probabilities of a net-benefit curve unless others are given."""
DECISIONS.setflags(write=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Cost(Curve):
    """Smallest expected cost by probability-cost: which threshold is best, and what it costs.

    With p the share of the class, C(−|+) the cost of a miss and C(+|−) that of a false alarm, the
    probability-cost is p·C(−|+) ÷ (p·C(−|+) + (1 − p)·C(+|−)), the expected cost is divided by its
    largest possible value, and a threshold is a straight line: from its false positive rate at 0
    to its false negative rate at 1. The curve is the lower envelope of these lines.
    Line i is the lowest one from corner i to corner i + 1.

    Attributes:
        probability_cost: float64[c + 1], ascending from 0 to 1: the corners of the envelope.
        cost: float64[c + 1], normalised expected cost there.
        thresholds: float64[c], descending: the best threshold from each corner to the next;
            infinite: nothing is called positive.
        fpr, fnr: float64[c], the two ends of each line.
        area: area under the envelope of all lines: the mean over all probability-costs.
        n_full: corners of the whole envelope, of which these may be some.
        error: the most by which the whole envelope is lower; never higher.
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
    """The lower envelope of the lines of all points, or of at most `limit` corners of it.

    Where `points` are not all, area, n_full and error are facts about the whole envelope. `places`
    are those of the corners of the hull, where they are known.
    """
    hull = points.at(upper_hull(points.fps, points.tps) if places is None else places)
    corners, cost, lines = _envelope(hull)
    if area is None:
        area = float(np.trapezoid(cost, corners))
    n_full = len(corners) if n_full is None else n_full
    if limit is not None and len(corners) > limit:
        # A line between two that are kept is at most as much lower as its point is far from theirs.
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
    """Corners from 0 to 1, the cost there, and the place of the line from each to the next."""
    n_pos, n_neg = hull.n_pos, hull.n_neg
    if not (n_pos and n_neg):
        return np.array([0.0, 1.0]), np.full(2, np.nan), np.zeros(1, np.intp)
    fpr, fnr = Det.plane(hull.tps, hull.fps, n_pos, n_neg)
    run, fall = np.diff(fpr), -np.diff(fnr)
    # Points that only a weight too small to be seen divides are one.
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
    """What acting on a prediction gains, by the probability from which on one acts.

    In true positives for each row: TP/n − FP/n · t/(1 − t), where acting at t says that a false
    alarm is worth t/(1 − t) of a hit. Treating nobody gains 0.

    Attributes:
        thresholds: float64[t], threshold probabilities t: who has at least this is treated.
        benefit: float64[t], net benefit of treating by the prediction.
        treat_all: float64[t], of treating everybody.
        treat_none: float64[t], of treating nobody: 0.
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
        n_above = len(scores) - np.searchsorted(scores[::-1], thresholds, side="left")
        is_here = n_above > 0
        last = n_above[is_here] - 1
        found[:, is_here] = steps.tps[last], steps.fps[last]
    return found


def net_benefit_curve(
    tps: Floats, fps: Floats, n_pos: float, n_neg: float, thresholds: Floats, label: Label | None
) -> NetBenefit:
    """Net benefit from the weights of true and false positives at each threshold."""
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
    """Threshold probabilities float64[t] as given.

    Errors:
        K122 they are not numbers from 0 to below 1.
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

"""Curves that a falling threshold traces: ROC, precision-recall, DET, gain and lift."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from karat.curves._curve import Curve, Floats, Points
from karat.curves._simplify import corners, simplified
from karat.tally import Label

__all__ = [
    "NONE_FALSE",
    "NONE_TRUE",
    "TRACED",
    "Det",
    "Gain",
    "Lift",
    "PrecisionRecall",
    "Roc",
    "Traced",
    "trace",
]

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
class Roc(Traced):
    """True positive rate by false positive rate: how much of the class is found, at what price.

    Attributes:
        fpr: float64[t], share of the other rows that is called positive; NaN without any.
        tpr: float64[t], share of the class that is called positive; NaN without any.
        area: area under the whole curve: `karat.roc_auc`.
    """

    name = "roc"
    axes = ("fpr", "tpr")
    needs_neg = True
    is_affine = True
    read_areas = (("area", "roc_area"),)

    fpr: Floats
    tpr: Floats
    area: float

    @staticmethod
    def plane(tps: Floats, fps: Floats, n_pos: float, n_neg: float) -> tuple[Floats, Floats]:
        return _share(fps, n_neg), _share(tps, n_pos)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PrecisionRecall(Traced):
    """Precision by recall: how pure the rows found are, as more of the class is found.

    Attributes:
        precision: float64[t], share of the class among what is called positive; 1 where nothing is.
        recall: float64[t], share of the class that is called positive; NaN without any.
        area: area under the whole curve with straight lines: `karat.pr_auc_trapezoid`.
        average_precision: area under the whole curve with steps: `karat.average_precision`.
    """

    name = "precision_recall"
    axes = ("recall", "precision")
    read_areas = (("area", "trapezoid_area"), ("average_precision", "step_area"))

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

    name = "det"
    axes = ("fpr", "fnr")
    needs_neg = True

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

    name = "gain"
    axes = ("share", "gain")
    is_affine = True

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

    name = "lift"
    axes = ("share", "lift")

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

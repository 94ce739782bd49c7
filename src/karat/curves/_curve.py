"""Base classes of curves, operating points of one class, and reliability diagrams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat.curves._band import Band
from karat.errors import error, short, shown
from karat.metrics import ClassRanks
from karat.metrics._reliability import reliability
from karat.tally import Bins, Classes, Label

Floats: TypeAlias = npt.NDArray[np.float64]
C_co = TypeVar("C_co", bound="Curve", covariant=True)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Curve:
    """One class against the rest, as read-only arrays for plotting.

    Attributes:
        label: the class; None if all classes are pooled.
        n_pos, n_neg: number or weight of the rows of the class, and of the others.
        undefined: why some of the numbers are NaN, or None.
    """

    axes: ClassVar[tuple[str, str]]
    """Names of the arrays on the horizontal and the vertical axis."""
    unit: ClassVar[str] = "points"
    """Plural noun for the elements of the curve."""

    label: Label | None
    n_pos: float
    n_neg: float
    undefined: str | None

    def __post_init__(self) -> None:
        for name, value in self._arrays():
            view = value.view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(getattr(self, self.axes[0]))

    def columns(self) -> dict[str, Floats]:
        """Return the arrays of the curve by name, as columns of a table of its points.

        Example:
            >>> import karat
            >>> list(karat.curves.roc([0, 1], y_score=[0.2, 0.7]).columns())
            ['thresholds', 'fpr', 'tpr']
        """
        return {name: value for name, value in self._arrays() if len(value) == len(self)}

    def _arrays(self) -> Iterator[tuple[str, Any]]:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                yield item.name, value

    def __repr__(self) -> str:
        whose = "" if self.label is None else f" of {short(self.label)}"
        facts = "".join(f", {fact}" for fact in self._facts())
        return f"<karat.curves.{type(self).__name__}{whose}: {len(self)} {self.unit}{facts}>"

    def _facts(self) -> Iterator[str]:
        """Yield the facts after the number of points in the repr."""
        if self.undefined:
            yield f"undefined: {self.undefined}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class WithBand(Curve):
    """Curve with a simultaneous confidence band.

    Attributes:
        squares: Σw² of the rows of the class and of the others, for a reliability diagram
            float64[b] of the rows in each bin. It determines the effective number of rows. None:
            unknown.
        no_band: why there is no band; None if there is one.
    """

    squares: Any = None
    no_band: str | None = None

    make_band: ClassVar[Callable[[Any, Any], Band]]
    """Function that makes the band of a curve, at a level; set by the package."""

    def band(self, level: float = 0.95) -> Band:
        """Return the simultaneous confidence band, which contains the whole population curve.

        Rows are assumed to be sampled independently, so that the prevalence is random, too. For ROC
        and precision-recall curves, limits of the true and the false positive rate at each
        threshold are joined by lines. Their width is calibrated by simulating samples of such a
        curve, with a fixed seed. For a reliability diagram, the bins have Jeffreys intervals,
        adjusted for all bins together. Weights count as effective rows, (Σw)² ÷ Σw².

        Args:
            level: the simultaneous confidence level, 0.5 to 0.999.

        Errors:
            K122 the level is out of range; K315 there is no band: rows are clustered, the curve
            pools the classes, Σw² is unknown, or the curve is undefined.

        Cost: up to 0.1 seconds for each curve at 95 %, for any number of rows; more at higher
        levels.

        Example:
            >>> import karat
            >>> y_true, p = [0, 0, 1, 0, 1, 1] * 20, [0.1, 0.4, 0.35, 0.8, 0.8, 0.9] * 20
            >>> band = karat.curves.roc(y_true, y_prob=p).band()
            >>> band
            <karat.curves.Band of 1: 95 % simultaneous, 8 places>
            >>> float(band.low[0]), float(band.high[-1])
            (0.0, 1.0)

        References:
            Brown, Cai, DasGupta (2001). Interval estimation for a proportion. Statistical Science.
            Macskassy, Provost, Rosset (2005). ROC confidence bands: an empirical evaluation. ICML.
        """
        return type(self).make_band(self, level)


class ByClass(Mapping[Label, C_co]):
    """Curves by the label of their class, in the order of the classes.

    Example:
        >>> import karat
        >>> curves = karat.curves.roc([0, 1], y_score=[0.2, 0.7], average=None)
        >>> list(curves), curves[1].area, curves.positive is curves[1]
        ([0, 1], 1.0, True)
    """

    def __init__(self, curves: Mapping[Label, C_co], classes: Classes) -> None:
        self._curves = dict(curves)
        self._classes = classes

    def __getitem__(self, label: Label) -> C_co:
        """Return the curve of a class.

        Errors:
            K309 there is no such class.
        """
        try:
            return self._curves[label]
        except (KeyError, TypeError):
            raise error("K309", what=f"class {short(label)}", labels=shown(self._curves)) from None

    def __iter__(self) -> Iterator[Label]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    @property
    def positive(self) -> C_co:
        """The curve of the positive class of two.

        Errors:
            K309 there are not two classes, or that curve was not requested.
        """
        place = self._classes.positive
        if place is None:
            what = f"a positive class among {self._classes.k}"
            raise error("K309", what=what, labels=shown(self._curves))
        return self[self._classes.labels[place]]

    def __getattr__(self, name: str) -> Any:
        told = f"{type(self).__name__!r} object has no attribute {name!r}"
        for label, curve in self.__dict__.get("_curves", {}).items():
            if hasattr(curve, name):
                told = f"There is a curve of each class: take [{label!r}].{name} of one"
                if self._classes.positive is not None:
                    told += f", or .positive.{name}"
            break
        raise AttributeError(told)

    def __repr__(self) -> str:
        names = {type(curve).__name__ for curve in self._curves.values()}
        return f"<karat.curves.{'/'.join(names)} of {len(self)} classes: {shown(self._curves)}>"


@dataclass(frozen=True, eq=False)
class Points:
    """Operating points of the thresholds on the score of one class, best first.

    The first point is above every score: threshold inf, nothing is predicted positive.

    Attributes:
        thresholds: float64[t], descending.
        tps, fps: float64[t], weight of the true and of the false positives at or above it.
        n_full: number of points of the whole cumulative counts, of which these may be a subset.
        roc_area: area under the ROC curve of the whole cumulative counts.
        step_area: area under the precision-recall curve, by steps.
        trapezoid_area: area under the precision-recall curve, by straight lines.
    """

    thresholds: Floats
    tps: Floats
    fps: Floats
    n_full: int
    roc_area: float
    step_area: float
    trapezoid_area: float

    @classmethod
    def of(cls, ranks: ClassRanks) -> Points:
        """Return every point of a sorted column.

        Cost: O(score levels), and three walks over the sorted rows for the areas.
        """
        return cls.some(ranks, ranks.points, len(ranks.points[0]))

    @classmethod
    def some(cls, ranks: ClassRanks, columns: Iterable[Floats], n_full: int) -> Points:
        """Return thresholds and counts of some points, with the areas of the whole curve."""
        thresholds, tps, fps = columns
        areas = ranks.area, ranks.step_area, ranks.trapezoid_area
        return cls(thresholds, tps, fps, n_full, *areas)

    @property
    def n_pos(self) -> float:
        """Weight of the rows of the class."""
        return float(self.tps[-1])

    @property
    def n_neg(self) -> float:
        """Weight of the other rows."""
        return float(self.fps[-1])

    def __len__(self) -> int:
        return len(self.thresholds)

    def at(self, places: npt.NDArray[np.intp]) -> Points:
        thresholds, tps, fps = self.thresholds[places], self.tps[places], self.fps[places]
        return replace(self, thresholds=thresholds, tps=tps, fps=fps)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reliability(WithBand):
    """Observed frequency of the class by its predicted probability.

    On the diagonal, probabilities are calibrated.

    Attributes:
        mean_confidence: float64[b], mean probability in each bin; NaN for an empty bin.
        share: float64[b], proportion of rows of the class in each bin; NaN for an empty bin.
        weight: float64[b], number of rows, or their weight.
        spread: float64[b], standard deviation of `share` if the probabilities are calibrated.
        edges: float64[b + 1], from 0 to 1.
        closed: edge that belongs to a bin: ``"right"``, (lo, hi], or ``"left"``, [lo, hi).
    """

    name: ClassVar[str] = "reliability"
    axes: ClassVar[tuple[str, str]] = ("mean_confidence", "share")
    unit: ClassVar[str] = "bins"

    mean_confidence: Floats
    share: Floats
    weight: Floats
    spread: Floats
    edges: Floats
    closed: str

    def columns(self) -> dict[str, Floats]:
        """Return the numbers of each bin by name, as columns of a table."""
        found = super().columns()
        found.pop("squares", None)
        return found

    def _facts(self) -> Iterator[str]:
        n_empty = int((self.weight == 0).sum())
        if n_empty:
            yield f"{n_empty} of them empty"
        yield from super()._facts()


def reliability_curve(bins: Bins, label: Label | None) -> Reliability:
    table = reliability(bins)
    n_pos = float(bins.hits.sum())
    return Reliability(
        label=label,
        n_pos=n_pos,
        n_neg=float(bins.weight.sum()) - n_pos,
        undefined=None,
        mean_confidence=table.mean_confidence,
        share=table.share,
        weight=table.n,
        spread=table.spread,
        edges=bins.edges,
        closed=bins.closed,
        squares=bins.squares if bins.is_weighted else bins.weight,
    )

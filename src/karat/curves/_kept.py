"""`Curves`: compact curves of every class in a report, with known approximation errors.

All threshold curves use one set of operating points, and thus the same thresholds. Areas are those
of the whole curves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from karat.curves._curve import ByClass, Curve, Floats, Points, Reliability, reliability_curve
from karat.curves._sampling import Sampling
from karat.curves._simplify import pooled_hull, simplified, sparse_points
from karat.curves._traced import (
    DECISIONS,
    TRACED,
    Cost,
    Det,
    Gain,
    Lift,
    NetBenefit,
    PrecisionRecall,
    Roc,
    Traced,
    cost_curve,
    counts_at,
    net_benefit_curve,
    trace,
)
from karat.errors import KaratError, error
from karat.metrics import ClassProbabilities, ClassRanks
from karat.metrics._applies import refuse_without_probabilities
from karat.metrics._measure import Later
from karat.metrics._reliability import binned
from karat.tally import Classes, Label
from karat.tally.cached import cached_property

MOST_POINTS: Final = 256
"""Number of operating points kept for a class."""
RARE: Final = 0.05
"""Proportion of one of two classes below which reliability is also kept in bins of equal weight."""
_N_BINS: Final = 15
"""The bins of calibration errors by default, which are computed once for both."""
_N_QUANTILES: Final = 10
MOST_CLASSES: Final = 100
"""Number of classes above which no curve is kept."""

C = TypeVar("C", bound=Curve)
T = TypeVar("T", bound=Traced)


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """Curve data of one class: at most `MOST_POINTS` points.

    `errors` maps the name of a traced curve to its distance from the whole curve. `decided` [t, 2]
    has the true and false positives at or above each threshold probability of `Curves.decisions`.
    `quantiles` is the reliability in bins of equal weight, for a rare class of two; else None.
    Scores that are no probabilities have none of `reliability`, `decided` and `quantiles`.
    """

    points: Points
    errors: Mapping[str, float]
    cost_area: float
    n_cost: int
    reliability: Reliability | None
    decided: Floats | None
    quantiles: Reliability | None = None

    @classmethod
    def of(
        cls,
        label: Any,
        ranks: ClassRanks,
        probabilities: ClassProbabilities | None,
        *,
        is_of_two: bool,
    ) -> ClassCurves:
        """Return the curve data of a column by score and by probability, while it is sorted.

        Cost: some walks over the score levels, not all of which are in memory.
        """
        points = Points.of(ranks) if ranks.is_held else sparse_points(ranks, MOST_POINTS)
        cost = cost_curve(points, label, places=pooled_hull(ranks) if ranks.is_held else None)
        errors = {kind.name: 0.0 for kind in TRACED}
        if len(points) > MOST_POINTS:
            planes = {kind.name: kind.plane for kind in TRACED}
            guides = (Roc.name, PrecisionRecall.name)
            places, errors = simplified(points, planes, guides, MOST_POINTS)
            points = points.at(places)
        if probabilities is None:
            return cls(points, errors, cost.area, cost.n_full, None, None)
        reliability = reliability_curve(
            probabilities.made(binned, _N_BINS, "uniform", "right"), label
        )
        decided = counts_at(probabilities, DECISIONS).T
        quantiles = None
        if is_of_two and 0.0 < points.n_pos < RARE * (points.n_pos + points.n_neg):
            # For a rare class, nearly all rows are in the first bin of equal width.
            bins = probabilities.made(binned, _N_QUANTILES, "quantile", "right")
            quantiles = reliability_curve(bins, label)
        return cls(points, errors, cost.area, cost.n_full, reliability, decided, quantiles)


class Keeper:
    """Collects the curves of the column of each class, in any order, on any thread."""

    def __init__(self, classes: Classes, kind: str) -> None:
        self._classes, self._has_probabilities = classes, kind != "scores"
        self._kept: dict[int, ClassCurves] = {}

    def take(self, i: int, ranks: ClassRanks, probabilities: ClassProbabilities) -> None:
        label, is_of_two = self._classes.labels[i], self._classes.k == 2
        known = probabilities if self._has_probabilities else None
        self._kept[i] = ClassCurves.of(label, ranks, known, is_of_two=is_of_two)

    def curves(self) -> Curves:
        kept = tuple(self._kept[i] for i in range(self._classes.k))
        return Curves(self._classes, kept, has_probabilities=self._has_probabilities)


class CurvesLater(Sequence[ClassCurves]):
    """Curve data of each class, made at first read."""

    def __init__(self, classes: Classes, later: Later, kind: str) -> None:
        self._classes, self._later, self._kind = classes, later, kind
        self._kept: list[ClassCurves | None] = [None] * classes.k

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[at] for at in range(*i.indices(len(self)))]
        found = self._kept[i]
        if found is not None:
            return found
        with self._later.lock:
            found = self._kept[i]  # another thread may have been faster
            if found is None:
                label, is_of_two = self._classes.labels[i], self._classes.k == 2
                ranks, probabilities = self._later.views(i)
                known = None if self._kind == "scores" else probabilities
                found = ClassCurves.of(label, ranks, known, is_of_two=is_of_two)
                self._kept[i] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the curves, not the rows."""
        return tuple, (tuple(self),)


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of a report, each by the label of its class: ``report.curves.roc["cat"]``.

    With two classes, ``report.curves.roc.positive`` is that of the positive one.

    Attributes:
        classes: the classes.
        kept: the curve data of each.
        decisions: float64[t], threshold probabilities of the net benefit.
        sampling: facts about the rows; None if unknown.
        has_probabilities: whether there are curves of probabilities, not of scores alone.

    Example:
        >>> import karat
        >>> report = karat.evaluate([0, 1, 1], y_prob=[0.2, 0.1, 0.9])
        >>> report.curves.roc[1].tpr.tolist()
        [0.0, 0.5, 0.5, 1.0]
        >>> report.curves.roc.positive.area == report["roc_auc"].value
        True
    """

    classes: Classes
    kept: Sequence[ClassCurves]
    decisions: Floats = field(default_factory=lambda: DECISIONS)
    sampling: Sampling | None = None
    has_probabilities: bool = True

    @cached_property
    def roc(self) -> ByClass[Roc]:
        """ROC curves; see `karat.curves.roc`."""
        return self._traced(Roc)

    @cached_property
    def precision_recall(self) -> ByClass[PrecisionRecall]:
        """Precision-recall curves; see `karat.curves.precision_recall`."""
        return self._traced(PrecisionRecall)

    @cached_property
    def det(self) -> ByClass[Det]:
        """Detection error tradeoff curves; see `karat.curves.det`."""
        return self._traced(Det)

    @cached_property
    def gain(self) -> ByClass[Gain]:
        """Cumulative gain curves; see `karat.curves.gain`."""
        return self._traced(Gain)

    @cached_property
    def lift(self) -> ByClass[Lift]:
        """Lift curves; see `karat.curves.lift`."""
        return self._traced(Lift)

    @cached_property
    def reliability(self) -> ByClass[Reliability]:
        """Reliability diagrams with 15 bins; see `karat.curves.reliability`."""

        def made(kept: ClassCurves, _: Any) -> Reliability:
            assert kept.reliability is not None
            return kept.reliability

        self._need_probabilities(Reliability.name)
        return self._each(made)

    def _need_probabilities(self, name: str) -> None:
        """Refuse a curve of probabilities of other scores (K319)."""
        if not self.has_probabilities:
            refuse_without_probabilities(f"curves.{name}", "scores")

    @cached_property
    def reliability_by_quantile(self) -> Mapping[Label, Reliability]:
        """Reliability diagrams with 10 bins of equal weight, for a rare class of two.

        With a proportion below 5 %, nearly all rows are in the first of 15 bins of equal width.
        Empty if no class is rare, or if there are more than two.
        """
        found = {}
        for i, (label, kept) in enumerate(zip(self.classes.labels, self.kept, strict=True)):
            if (curve := kept.quantiles) is not None:
                found[label] = curve if self.sampling is None else self.sampling.on(curve, i)
        return found

    @cached_property
    def cost(self) -> ByClass[Cost]:
        """Cost curves; see `karat.curves.cost`."""

        def made(kept: ClassCurves, label: Any) -> Cost:
            area, n_full, error = kept.cost_area, kept.n_cost, kept.errors[Roc.name]
            return cost_curve(kept.points, label, area=area, n_full=n_full, error=error)

        return self._each(made)

    @cached_property
    def net_benefit(self) -> ByClass[NetBenefit]:
        """Net benefit at 0.01, 0.02, … 0.99; see `karat.curves.net_benefit`."""

        def made(kept: ClassCurves, label: Any) -> NetBenefit:
            assert kept.decided is not None
            tps, fps = kept.decided.T
            n_pos, n_neg = kept.points.n_pos, kept.points.n_neg
            return net_benefit_curve(tps, fps, n_pos, n_neg, self.decisions, label)

        self._need_probabilities(NetBenefit.name)
        return self._each(made)

    def _traced(self, kind: type[T]) -> ByClass[T]:
        return self._each(
            lambda kept, label: trace(kind, kept.points, label, error=kept.errors[kind.name])
        )

    def _each(self, made: Callable[[ClassCurves, Any], C]) -> ByClass[C]:
        curves = {}
        for i, (label, kept) in enumerate(zip(self.classes.labels, self.kept, strict=True)):
            curve = made(kept, label)
            curves[label] = curve if self.sampling is None else self.sampling.on(curve, i)
        return ByClass(curves, self.classes)

    def __repr__(self) -> str:
        return f"<karat.curves.Curves of {self.classes.k} classes: {', '.join(self)}>"

    def __iter__(self) -> Iterator[str]:
        """The names of the curves."""
        yield from (kind.name for kind in TRACED)
        names = (Reliability.name, Cost.name, NetBenefit.name)
        yield from names if self.has_probabilities else (Cost.name,)


def no_curves(scores: str | None, k: int, *, is_whole: bool) -> KaratError:
    """Return why a report has no curves; scores is None without any."""
    ask = "Ask for them: karat.curves.roc(y_true, y_prob=..., classes=[...])."
    if scores is None:
        found = "It was made from labels, without probabilities or scores"
        return error("K308", found=found, do="Give y_prob=, y_logit= or y_score=.")
    if not is_whole:
        found = "Some metrics were asked for, not the whole report"
        return error("K308", found=found, do=f"Leave metrics= out. {ask}")
    return error("K308", found=f"They are not kept for {k} classes", do=ask)

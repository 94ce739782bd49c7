"""Public names of karat.curves. Written by `make stub`; do not edit."""

from collections.abc import Iterable
from typing import Any, Literal, overload

from karat.curves._band import Band as Band
from karat.curves._curve import ByClass as ByClass
from karat.curves._curve import Curve as Curve
from karat.curves._curve import Reliability as Reliability
from karat.curves._curve import WithBand as WithBand
from karat.curves._kept import Curves as Curves
from karat.curves._traced import Cost as Cost
from karat.curves._traced import Det as Det
from karat.curves._traced import Gain as Gain
from karat.curves._traced import Lift as Lift
from karat.curves._traced import NetBenefit as NetBenefit
from karat.curves._traced import PrecisionRecall as PrecisionRecall
from karat.curves._traced import Roc as Roc
from karat.curves._traced import Traced as Traced
from karat.tally import Label

@overload
def roc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Roc]: ...
@overload
def roc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Roc]: ...
@overload
def roc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> Roc:
    """ROC curve: true positive rate by false positive rate.

    Equals ``sklearn.metrics.roc_curve(…, drop_intermediate=False)`` in numbers and order.
    ``drop_intermediate`` goes further than scikit-learn's, which keeps points on straight lines
    that are not equally far apart.
    """

@overload
def precision_recall(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[PrecisionRecall]: ...
@overload
def precision_recall(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[PrecisionRecall]: ...
@overload
def precision_recall(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> PrecisionRecall:
    """Precision-recall curve: precision against recall over all thresholds.

    Equals ``sklearn.metrics.precision_recall_curve`` turned round, so that the best score comes
    first; theirs has no threshold for the point (recall 0, precision 1), which is infinite here.
    Without rows of the class recall is NaN here and 1 there. ``drop_intermediate`` leaves out what
    theirs does, and points of equal precision.
    """

@overload
def det(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Det]: ...
@overload
def det(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Det]: ...
@overload
def det(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> Det:
    """Detection error tradeoff curve: misses against false alarms.

    Equals ``sklearn.metrics.det_curve(…, drop_intermediate=False)`` turned round, so that the best
    score comes first. Theirs begins at the last point without a false alarm and ends at the first
    without a miss; here every point is given. ``drop_intermediate`` leaves out points on horizontal
    and vertical lines, which are straight on normal-deviate axes too.
    """

@overload
def gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Gain]: ...
@overload
def gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Gain]: ...
@overload
def gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> Gain:
    """Cumulative gain curve: how much of the class is found by the share of rows looked at.

    Rows that tie are one step, in which a straight line counts them in proportion, as
    `karat.gain_at` does. scikit-learn has no such curve.
    """

@overload
def lift(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Lift]: ...
@overload
def lift(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Lift]: ...
@overload
def lift(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    drop_intermediate: bool = False,
    limit: int | None = None,
    n_threads: int | None = None,
) -> Lift:
    """Lift curve: ratio of the proportion of the class in the best rows to that in all rows.

    At a point it equals `karat.lift_at` of its share. Points of equal lift are the only ones that
    ``drop_intermediate`` leaves out. scikit-learn has no such curve.
    """

@overload
def reliability(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    n_threads: int | None = None,
) -> ByClass[Reliability]: ...
@overload
def reliability(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    n_threads: int | None = None,
) -> ByClass[Reliability]: ...
@overload
def reliability(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    n_threads: int | None = None,
) -> Reliability:
    """Reliability diagram: how often a probability came true.

    Scores count as their softmax. Equals ``sklearn.calibration.calibration_curve``, whose bins are
    ``closed="right"`` too, where a bin holds rows: scikit-learn leaves empty ones out, here they
    are NaN with weight 0. Edges are the numbers nearest to i ÷ bins, so that 0.3 lies on one of
    ten; theirs may be off by a rounding.
    """

@overload
def cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Cost]: ...
@overload
def cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    limit: int | None = None,
    n_threads: int | None = None,
) -> ByClass[Cost]: ...
@overload
def cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    limit: int | None = None,
    n_threads: int | None = None,
) -> Cost:
    """Cost curve: the smallest expected cost for every ratio of costs and share of the class.

    Drummond and Holte's, with the best threshold for each probability-cost: the lower envelope of
    all thresholds, those that call nothing or everything positive included. It is the dual of the
    convex hull of the ROC curve. scikit-learn has no such curve.
    """

@overload
def net_benefit(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    classes: Iterable[Label] | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    thresholds: Any = None,
    n_threads: int | None = None,
) -> ByClass[NetBenefit]: ...
@overload
def net_benefit(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: Iterable[Label],
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    thresholds: Any = None,
    n_threads: int | None = None,
) -> ByClass[NetBenefit]: ...
@overload
def net_benefit(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    classes: None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    thresholds: Any = None,
    n_threads: int | None = None,
) -> NetBenefit:
    """Net benefit (decision curve): the gain of acting on a probability over treating no one.

    Vickers and Elkin's, exact at each threshold: those with at least that probability are treated.
    Scores count as their softmax. scikit-learn has no such curve.
    """

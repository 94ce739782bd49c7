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
    """ROC curve: true positive rate against false positive rate.

    Equals ``sklearn.metrics.roc_curve(…, drop_intermediate=False)`` in numbers and order.
    ``drop_intermediate`` omits all points on straight lines; scikit-learn keeps those at unequal
    distances.
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

    Equals ``sklearn.metrics.precision_recall_curve`` in reverse order, best score first. The point
    (recall 0, precision 1) has an infinite threshold here and none in scikit-learn. Without rows of
    the class, recall is NaN here and 1 there. ``drop_intermediate`` omits what scikit-learn omits,
    and points of equal precision.
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
    """Detection error tradeoff curve: false negative rate against false positive rate.

    Equals ``sklearn.metrics.det_curve(…, drop_intermediate=False)`` in reverse order, best score
    first. scikit-learn's curve begins at the last point without a false positive and ends at the
    first without a false negative; here it has every point. ``drop_intermediate`` omits points on
    horizontal and vertical lines, which are straight on normal-deviate axes, too.
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
    """Cumulative gain curve: proportion of the class found by proportion of rows, best first.

    Tied rows are one step. A straight line over it counts them in proportion, as `karat.gain_at`
    does. scikit-learn has no such curve.
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

    A point equals `karat.lift_at` for its proportion of rows. ``drop_intermediate`` omits points of
    equal lift only. scikit-learn has no such curve.
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
    """Reliability diagram: observed proportion of the class against its predicted probability.

    Scores are converted by softmax. Bins with rows equal those of
    ``sklearn.calibration.calibration_curve``, which are ``closed="right"``, too. scikit-learn omits
    empty bins; here they are NaN with weight 0. Edges are the floating-point numbers nearest to i ÷
    bins, so that 0.3 is an edge of ten bins; scikit-learn's may differ by a rounding error.
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
    """Cost curve: the smallest expected cost for each ratio of costs and prevalence.

    The curve of Drummond and Holte has the best threshold for each probability-cost: the lower
    envelope of all thresholds, including those that predict nothing or everything positive. It is
    the dual of the convex hull of the ROC curve. scikit-learn has no such curve.
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

    The definition is that of Vickers and Elkin. It is exact at each threshold: rows with at least
    that probability are treated. Scores are converted by softmax. scikit-learn has no such curve.
    """

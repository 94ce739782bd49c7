"""The functions of `karat.curves`: each body draws the curve of one sorted column."""

from __future__ import annotations

from typing import Any

from karat.api.curve_calls import drawn
from karat.curves._decisions import Cost, NetBenefit, cost_curve, counts_at, net_benefit_curve
from karat.curves._points import Points
from karat.curves._reliability import Reliability, reliability_curve
from karat.curves._traced import Det, Gain, Lift, PrecisionRecall, Roc, T, trace
from karat.metrics import ClassProbabilities, ClassRanks
from karat.metrics._reliability import binned
from karat.tally import Label

__all__ = ["cost", "det", "gain", "lift", "net_benefit", "precision_recall", "reliability", "roc"]


@drawn
def roc(
    view: ClassRanks,
    label: Label | None,
    *,
    drop_intermediate: bool = False,
    limit: int | None = None,
) -> Roc:
    """ROC curve: true positive rate by false positive rate.

    Equals ``sklearn.metrics.roc_curve(…, drop_intermediate=False)`` in numbers and order.
    ``drop_intermediate`` goes further than scikit-learn's, which keeps points on straight lines
    that are not equally far apart.

    Example:
        >>> import karat
        >>> y_true, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.8, 0.9]
        >>> curve = karat.curves.roc(y_true, y_score=scores)
        >>> for point in zip(curve.thresholds, curve.fpr, curve.tpr):
        ...     print("{:5.2f}  {:.2f}  {:.2f}".format(*point))
          inf  0.00  0.00
         0.90  0.00  0.33
         0.80  0.33  0.67
         0.40  0.67  0.67
         0.35  0.67  1.00
         0.10  1.00  1.00
        >>> curve.area == karat.roc_auc(y_true, y_score=scores)
        True
    """
    return _traced(Roc, view, label, drop_intermediate, limit)


@drawn
def precision_recall(
    view: ClassRanks,
    label: Label | None,
    *,
    drop_intermediate: bool = False,
    limit: int | None = None,
) -> PrecisionRecall:
    """Precision-recall curve: how pure what is found is, as more is found.

    Equals ``sklearn.metrics.precision_recall_curve`` turned round, so that the best score comes
    first; theirs has no threshold for the point (recall 0, precision 1), which is infinite here.
    Without rows of the class recall is NaN here and 1 there. ``drop_intermediate`` leaves out what
    theirs does, and points of equal precision.

    Example:
        >>> import karat
        >>> curve = karat.curves.precision_recall([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.recall.tolist(), curve.precision.round(2).tolist()
        ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.67, 0.5])
        >>> round(curve.average_precision, 4), round(curve.area, 4)
        (0.8333, 0.7917)
    """
    return _traced(PrecisionRecall, view, label, drop_intermediate, limit)


@drawn
def det(
    view: ClassRanks,
    label: Label | None,
    *,
    drop_intermediate: bool = False,
    limit: int | None = None,
) -> Det:
    """Detection error tradeoff curve: misses by false alarms.

    Equals ``sklearn.metrics.det_curve(…, drop_intermediate=False)`` turned round, so that the best
    score comes first. Theirs begins at the last point without a false alarm and ends at the first
    without a miss; here every point is given. ``drop_intermediate`` leaves out points on
    horizontal and vertical lines, which are straight on normal-deviate axes too.

    Example:
        >>> import karat
        >>> curve = karat.curves.det([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.fpr.tolist(), curve.fnr.tolist()
        ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    return _traced(Det, view, label, drop_intermediate, limit)


@drawn
def gain(
    view: ClassRanks,
    label: Label | None,
    *,
    drop_intermediate: bool = False,
    limit: int | None = None,
) -> Gain:
    """Cumulative gain curve: how much of the class is found by the share of rows looked at.

    Rows that tie are one step, in which a straight line counts them in proportion, as
    `karat.gain_at` does. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> curve = karat.curves.gain([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.share.tolist(), curve.gain.tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    return _traced(Gain, view, label, drop_intermediate, limit)


@drawn
def lift(
    view: ClassRanks,
    label: Label | None,
    *,
    drop_intermediate: bool = False,
    limit: int | None = None,
) -> Lift:
    """Lift curve: how many times more of the class the best rows hold than a random choice would.

    At a point it equals `karat.lift_at` of its share. Points of equal lift are the only ones that
    ``drop_intermediate`` leaves out. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> curve = karat.curves.lift([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.share.tolist(), curve.lift.round(2).tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [2.0, 2.0, 1.0, 1.33, 1.0])
    """
    return _traced(Lift, view, label, drop_intermediate, limit)


@drawn
def reliability(
    view: ClassProbabilities,
    label: Label,
    *,
    bins: int = 15,
    scheme: str = "uniform",
    closed: str = "right",
) -> Reliability:
    """Reliability diagram: how often a probability came true.

    Scores count as their softmax. Equals ``sklearn.calibration.calibration_curve``, whose bins are
    ``closed="right"`` too, where a bin holds rows: scikit-learn leaves empty ones out, here they
    are NaN with weight 0. Edges are the numbers nearest to i ÷ bins, so that 0.3 lies on one of
    ten; theirs may be off by a rounding.

    Example:
        >>> import karat
        >>> curve = karat.curves.reliability([0, 1, 1], y_prob=[0.2, 0.3, 0.9], bins=2)
        >>> curve.mean_confidence.tolist(), curve.share.tolist(), curve.weight.tolist()
        ([0.25, 0.9], [0.5, 1.0], [2.0, 1.0])
    """
    return reliability_curve(view.made(binned, bins, scheme, closed), label)


@drawn
def cost(view: ClassRanks, label: Label | None, *, limit: int | None = None) -> Cost:
    """Cost curve: the smallest expected cost for every ratio of costs and share of the class.

    Drummond and Holte's, with the best threshold for each probability-cost: the lower envelope of
    all thresholds, those that call nothing or everything positive included. It is the dual of the
    convex hull of the ROC curve. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> curve = karat.curves.cost([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.probability_cost.tolist(), curve.cost.tolist(), curve.thresholds.tolist()
        ([0.0, 0.5, 1.0], [0.0, 0.25, 0.0], [0.8, 0.35])

    References:
        Drummond, Holte (2006). Cost curves. Machine Learning 65.
    """
    return cost_curve(Points.of(view), label, limit=limit)


@drawn
def net_benefit(view: ClassProbabilities, label: Label, *, thresholds: Any = None) -> NetBenefit:
    """Net benefit (decision curve): what acting on a probability gains over treating nobody.

    Vickers and Elkin's, exact at each threshold: whoever has at least that probability is treated.
    Scores count as their softmax. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
        >>> curve = karat.curves.net_benefit(y_true, y_prob=p, thresholds=[0.2, 0.5])
        >>> curve.benefit.tolist(), curve.treat_all.tolist()
        ([0.4375, 0.25], [0.375, 0.0])

    References:
        Vickers, Elkin (2006). Decision curve analysis. Medical Decision Making 26.
    """
    tps, fps = counts_at(view, thresholds)
    return net_benefit_curve(tps, fps, view.n_pos, view.n_neg, thresholds, label)


def _traced(
    kind: type[T], view: ClassRanks, label: Label | None, drop_intermediate: bool, limit: int | None
) -> T:
    return trace(kind, Points.of(view), label, drop_intermediate=drop_intermediate, limit=limit)

"""Public names of karat.plot. Written by `make stub`; do not edit."""

from typing import Any, Final

from matplotlib.axes import Axes

from karat.plot import svg as svg

PALETTE: Final[dict[str, str]]
"""Every color of a picture by name; `karat.plot.svg.as_svg` can write others in their place."""

def confusion(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    normalize: str | None = None,
    shade: str | None = None,
    sort: str = "class",
    annotate: bool | None = None,
    totals: bool | None = None,
    colorbar: bool = True,
    heading: bool = True,
    **image: Any,
) -> Axes:
    """Heat map of the confusion matrix: rows true, columns predicted.

    Cells are colored by the proportion of the true class. Up to 20 classes they are labeled: with
    the count and, if it fits, the proportion in percent, or with a proportion alone (`normalize`).
    Totals of rows and columns are outside the map. A row or column without samples has no
    proportions and stays blank.
    """

def compare(
    comparison: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    metrics: Any = None,
    heading: bool = True,
    legend: bool = True,
    **errorbar: Any,
) -> Axes:
    """Differences of models in each metric with their intervals, one row each.

    Marker and color show the verdict: whether the first model of a row is better than the second.
    Dotted lines stand at the margin, where all metrics have one.
    """

def intervals(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    metrics: Any = None,
    classes: Any = None,
    heading: bool = True,
    legend: bool = True,
    **errorbar: Any,
) -> Axes:
    """Metrics with their intervals, one row each; or one metric of each class.

    By default, the metrics at the top of a printed report whose range is within −1 to 1. One metric
    of the table of classes, for example ``"recall"``, has a row for each class if there are more
    than two or with `classes`, and a line at its mean. Of more than 40 classes, the lowest have
    rows and all others are points in one row. Of the slices by one column,
    ``report.slices["country"]``, one metric has a row for each slice, and a line at the value of
    all rows. A hollow point has no interval; an undefined metric has the reason in its row.
    """

def reliability(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    bins: str | None = None,
    band: bool | None = None,
    spread: bool = True,
    histogram: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """Reliability diagram: observed proportion against mean predicted probability, by bin.

    Calibrated probabilities lie on the diagonal. Bins of less than 10 rows have a small marker. A
    class of two with a proportion below 5 % has 10 bins of equal weight, on logarithmic axes;
    `bins="uniform"` draws 15 of equal width. `spread` draws, for a single series, two standard
    deviations of calibrated probabilities; `histogram` shades the distribution of the rows below;
    `band` shades limits that contain the proportions of all bins in the population at the stated
    level.
    """

def scores(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    shares: bool | None = None,
    log: bool | None = None,
    heading: bool = True,
    legend: bool = True,
    **patch: Any,
) -> Axes:
    """Histograms of the probability of a class: of the rows of the class, and of the others.

    The bins are those of the reliability diagram. With several classes on the same axes, each
    histogram has the rows of its class. Heights are rows or their weight; with several classes or
    `shares`, proportions. Scores are converted by softmax. The scale is logarithmic with `log`; by
    default if the highest bar is more than 20 times the highest of the class.
    """

def threshold(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    metrics: Any = None,
    classes: Any = None,
    panels: bool | None = None,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """Metrics of a class against its decision threshold.

    Values are exact at each stored point; lines between points are straight. A single class has
    precision, recall and F1, and a mark at the largest F1. Several classes on the same axes have F1
    of each against the rest. A thin line marks the threshold of the report.
    """

def det(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    mean: bool | None = None,
    chance: bool = True,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """Detection error tradeoff: misses against false alarms, on normal-deviate axes.

    If the scores of both sides are normal, the curve is a straight line. Rates of 0 and 1 lie at
    infinity: a curve leaves the picture toward them.
    """

def gain(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    mean: bool | None = None,
    chance: bool = True,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """Cumulative gain: proportion of a class found by proportion of rows, best first."""

def lift(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    mean: bool | None = None,
    chance: bool = True,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """Lift: ratio of the proportion of a class in the best rows to that in all rows.

    Between the points of a curve rows count in proportion, as `karat.lift_at` counts them.
    """

def precision_recall(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    band: bool | None = None,
    mean: bool | None = None,
    chance: bool = True,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """Precision-recall curves: precision against recall over all thresholds.

    The legend shows the average precision of each whole curve with its interval. Chance is the
    proportion of the class. A curve is a step function where every point of it is kept. Otherwise
    it is linear between points, within `error` of the whole curve. `band` shades limits that
    contain the whole curve of the population at the stated level.
    """

def roc(
    report: Any = None,
    y_pred: Any = None,
    *,
    ax: Axes | None = None,
    classes: Any = None,
    panels: bool | None = None,
    band: bool | None = None,
    mean: bool | None = None,
    chance: bool = True,
    decision: bool = True,
    heading: bool = True,
    legend: bool = True,
    **line: Any,
) -> Axes:
    """ROC curves: true positive rate against false positive rate.

    The legend shows the area under each whole curve with its interval; the diagonal is chance.
    `band` shades limits that contain the whole curve of the population at the stated level.
    """

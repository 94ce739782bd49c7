"""Operating points: metrics at the best or at a given threshold."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from karat.errors import error
from karat.metrics import ClassRanks, Parameter, equal, score_metric
from karat.metrics._bounds import argmax_of, at_precision, between_orders
from karat.metrics._equal import ALL_TRUE, TWO_ALL_TRUE
from karat.metrics._influence.forms import MAXIMUM, QUANTILE, THRESHOLD
from karat.metrics._rounding import LARGEST_COST, NEARBY, linear
from karat.metrics._scored import higher_is_better, lower_is_better
from karat.metrics._views import Floats, gain_of_share, largest, weight_within
from karat.metrics.costs import ELKAN_2001
from karat.metrics.ranking import ONE_SIDED, tied
from karat.metrics.rates import NONE_TRUE, YOUDEN_1950
from karat.tally import Steps

KOLMOGOROV_SMIRNOV = "Conover (1999). Practical Nonparametric Statistics, chapter 6."
MARTIN_1997 = "Martin et al. (1997). The DET curve in assessment of detection task performance."
LING_LI_1998 = "Ling, Li (1998). Data mining for direct marketing. KDD."
MANNING_2008 = "Manning, Raghavan, Schütze (2008). Introduction to Information Retrieval."
LIPTON_2014 = "Lipton, Elkan, Naryanaswamy (2014). Optimal thresholding to maximize F1. ECML PKDD."

_REAL = (-math.inf, math.inf)
_best_rows = partial(
    score_metric,
    averages=("macro", "weighted"),
    better="higher",
    undefined=NONE_TRUE,
    since="0.2",
    in_report=False,
    no_influence=QUANTILE,
    bounds=between_orders,
)
_maximum = partial(
    higher_is_better,
    averages=("macro", "weighted"),
    undefined=NONE_TRUE,
    in_report=False,
    no_influence=MAXIMUM,
    is_extreme=True,
    bounds=between_orders,
)
_threshold = partial(
    score_metric,
    range=_REAL,
    since="0.2",
    in_report=False,
    no_influence=THRESHOLD,
    is_threshold=True,
)


def _gaps(c: ClassRanks) -> tuple[float, float]:
    """Return the largest TPR − FPR over thresholds, and the largest |TPR − FPR|."""

    def gap(at: Steps) -> Floats:
        return at.tps / c.n_pos - at.fps / c.n_neg

    def gap_below(at: Steps) -> Floats:
        return at.fps / c.n_neg - at.tps / c.n_pos

    most, _ = largest(c, gap)
    return most, max(most, largest(c, gap_below, rises=False, at_least=most)[0])


@_maximum(
    formula="largest difference between the true and the false positive rate over all thresholds",
    latex=r"\max_t |\mathrm{TPR}(t) - \mathrm{FPR}(t)|",
    aliases=("ks", "kolmogorov_smirnov"),
    undefined=ONE_SIDED,
    cases=[tied(gives="1/3")],
    references=(KOLMOGOROV_SMIRNOV,),
    rounding=linear(absolute=(1, 4)),
    in_report=True,
    is_within_classes=True,
)
def ks_statistic(c: ClassRanks) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    It is a maximum over thresholds on the same rows, so it is optimistic on few rows.
    """
    if not (c.n_pos and c.n_neg):
        return math.nan
    return c.kept(_gaps)[1]


@lower_is_better(
    formula="the rate at which false positive rate and false negative rate are equal",
    latex=r"\mathrm{FPR}(t^*) = 1 - \mathrm{TPR}(t^*)",
    aliases=("eer",),
    averages=("macro", "weighted"),
    undefined=ONE_SIDED,
    cases=[tied(gives="1/3")],
    references=(MARTIN_1997,),
    no_influence="read at a threshold that depends on the rows",
    bounds=between_orders,
    rounding=linear(absolute=(4, 32)),
    is_within_classes=True,
)
def equal_error_rate(c: ClassRanks) -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Interpolated linearly on the ROC curve between thresholds.
    """
    if not (c.n_pos and c.n_neg):
        return math.nan
    for steps in c.steps():
        if steps.fps[-1] / c.n_neg + steps.tps[-1] / c.n_pos - 1.0 < 0.0:
            continue
        tpr = np.concatenate([[steps.tps_before], steps.tps]) / c.n_pos
        fpr = np.concatenate([[steps.fps_before], steps.fps]) / c.n_neg
        gap = fpr + tpr - 1.0
        after = int(np.argmax(gap >= 0.0))
        if gap[after] >= 0.0:
            part = -gap[after - 1] / (gap[after] - gap[after - 1])
            return float(fpr[after - 1] + part * (fpr[after] - fpr[after - 1]))
    raise AssertionError("both rates end at 1")


_SHARE = Parameter(
    "share",
    "Proportion of the rows with the highest scores: above 0, at most 1.",
    default=0.1,
    above=0.0,
    most=1.0,
)


@_best_rows(
    formula="fraction of the class among the best rows ÷ fraction of the class among all",
    latex=r"\frac{\mathrm{TP}(q) / (q n)}{P / n}",
    aliases=("lift",),
    range=(0.0, math.inf),
    parameters=(_SHARE,),
    cases=[tied(gives="1.5/2/(1/2)", share=1 / 3), tied(gives="1", share=1.0)],
    references=(LING_LI_1998,),
    rounding=linear(absolute=(2, 8), scale="all rows ÷ those of the class ÷ share"),
)
def lift_at(c: ClassRanks, *, share: float) -> float:
    """Ratio of the class proportion among the highest-scoring rows to that among all rows.

    Rows tied at the cutoff count in proportion.
    """
    return gain_of_share(c, share) / share


@_best_rows(
    formula="rows of the class among the best rows ÷ rows of the class",
    latex=r"\mathrm{TP}(q) / P",
    aliases=("cumulative_gain", "gain"),
    parameters=(_SHARE,),
    cases=[tied(gives="1.5/3", share=1 / 3), tied(gives="1", share=1.0)],
    references=(LING_LI_1998,),
    rounding=linear(absolute=(2, 8), scale="all rows ÷ those of the class"),
)
def gain_at(c: ClassRanks, *, share: float) -> float:
    """Proportion of the class that is found in a given proportion of top-scored rows.

    Rows tied at the cutoff count in proportion.
    """
    return gain_of_share(c, share)


_K = Parameter(
    "k", "Number of rows with the highest scores (or their weight).", kind="count", default=10
)


@_best_rows(
    formula="rows of the class among the k best rows ÷ k",
    latex=r"\mathrm{TP}_k / k",
    undefined="there are fewer than k rows",
    parameters=(_K,),
    depends_on_rows=True,
    cases=[tied(gives="1.5/2", k=2), tied(gives="2/3", k=3)],
    references=(MANNING_2008,),
    rounding=linear(absolute=(2, 16)),
)
def precision_at_k(c: ClassRanks, *, k: int) -> float:
    """Proportion of the class among the k rows with the highest scores.

    Rows tied at the cutoff count in proportion.
    """
    # Sums of weights may differ from a whole number in their last bit.
    is_enough = k <= (c.n_pos + c.n_neg) * (1.0 + 1e-12)
    return weight_within(c, float(k)) / k if is_enough else math.nan


@_best_rows(
    formula="rows of the class among the k best rows ÷ rows of the class",
    latex=r"\mathrm{TP}_k / P",
    parameters=(_K,),
    depends_on_rows=True,
    cases=[tied(gives="1.5/3", k=2), tied(gives="2/3", k=3)],
    references=(MANNING_2008,),
    rounding=linear(absolute=(2, 8), scale="the larger of 1 and k ÷ rows of the class"),
)
def recall_at_k(c: ClassRanks, *, k: int) -> float:
    """Proportion of the class that is found among the k rows with the highest scores.

    Rows tied at the cutoff count in proportion.
    """
    return weight_within(c, float(k)) / c.n_pos if c.n_pos else math.nan


@_maximum(
    formula="largest recall over the thresholds whose precision is at least min_precision",
    latex=r"\max_{t: P(t) \ge p} R(t)",
    parameters=(
        Parameter("min_precision", "Smallest allowed precision.", default=0.9, above=0.0, most=1.0),
    ),
    cases=[tied(gives="1/3", min_precision=0.9), tied(gives="1", min_precision=0.6)],
    equals=[
        equal(
            "torchmetrics",
            "BinaryRecallAtFixedPrecision(min_precision=min_precision)[0]",
            where=TWO_ALL_TRUE,
        ),
        equal(
            "torchmetrics",
            "MulticlassRecallAtFixedPrecision(min_precision=min_precision)[0]",
            where=ALL_TRUE,
            average=None,
        ),
    ],
    references=(MANNING_2008,),
    bounds=at_precision,
    rounding=linear(relative=(1, 4), absolute=(1, 4), scale=NEARBY),
)
def recall_at_precision(c: ClassRanks, *, min_precision: float) -> float:
    """Largest recall over the thresholds whose precision is at least min_precision.

    It is 0 if no threshold reaches this precision.
    """
    if not c.n_pos:
        return math.nan

    def found(at: Steps) -> Floats:
        is_enough = at.tps >= min_precision * (at.tps + at.fps)
        return np.where(is_enough, at.tps / c.n_pos, 0.0)

    return largest(c, found)[0]


_BETA = Parameter("beta", "Weight of recall relative to precision.", default=1.0, above=0.0)


def _f_beta_of(c: ClassRanks, beta: float) -> Callable[[Steps], Floats]:
    return lambda at: (1.0 + beta**2) * at.tps / (beta**2 * c.n_pos + at.tps + at.fps)


def _f_beta(c: ClassRanks, beta: float) -> tuple[float, float]:
    """Return the largest F-beta, and its threshold."""
    return largest(c, _f_beta_of(c, beta)) if c.n_pos else (math.nan, math.nan)


@_maximum(
    formula="largest F-beta over all thresholds",
    latex=r"\max_t F_\beta(t)",
    aliases=("best_f_beta",),
    parameters=(_BETA,),
    cases=[tied(gives="2*3/(3 + 5)", beta=1.0), tied(gives="5*3/(4*3 + 5)", beta=2.0)],
    references=(LIPTON_2014,),
    rounding=linear(relative=(1, 8)),
)
def max_f_beta(c: ClassRanks, *, beta: float) -> float:
    """Largest F-beta over all thresholds on these rows, which is an optimistic estimate."""
    return c.kept(_f_beta, beta)[0]


def _informedness_of(c: ClassRanks) -> Callable[[Steps], Floats]:
    # Products of counts: equal gaps are equal numbers, and the highest threshold wins.
    return lambda at: at.tps * c.n_neg - at.fps * c.n_pos


@_threshold(
    formula="the highest threshold at which F-beta is largest",
    latex=r"\arg\max_t F_\beta(t)",
    undefined=NONE_TRUE,
    parameters=(_BETA,),
    cases=[tied(gives="0.35", beta=1.0)],
    references=(LIPTON_2014,),
    bounds=argmax_of(_f_beta_of),
    rounding=linear(absolute=(1, 8), scale=NEARBY),
)
def f_beta_threshold(c: ClassRanks, *, beta: float) -> float:
    """Threshold that maximizes F-beta on these rows: predict the class at or above it."""
    return c.kept(_f_beta, beta)[1]


@_threshold(
    formula="the highest threshold at which TPR − FPR is largest",
    latex=r"\arg\max_t \mathrm{TPR}(t) - \mathrm{FPR}(t)",
    undefined=ONE_SIDED,
    cases=[tied(gives="0.9")],
    references=(YOUDEN_1950,),
    bounds=argmax_of(_informedness_of),
    rounding=linear(absolute=(1, 8), scale=NEARBY),
    is_within_classes=True,
)
def informedness_threshold(c: ClassRanks) -> float:
    """Threshold that maximizes informedness on these rows: predict the class at or above it."""
    if not (c.n_pos and c.n_neg):
        return math.nan
    return largest(c, _informedness_of(c))[1]


@_maximum(
    formula="largest TPR − FPR over all thresholds",
    latex=r"\max_t \mathrm{TPR}(t) - \mathrm{FPR}(t)",
    undefined=ONE_SIDED,
    cases=[tied(gives="1/3")],
    references=(YOUDEN_1950,),
    rounding=linear(absolute=(1, 4)),
    is_within_classes=True,
)
def max_informedness(c: ClassRanks) -> float:
    """Largest informedness over all thresholds on these rows, which is an optimistic estimate."""
    if not (c.n_pos and c.n_neg):
        return math.nan
    return max(c.kept(_gaps)[0], 0.0)


_COSTS = Parameter(
    "costs",
    "Cost of each outcome, float[2, 2]: rows true (rest, class), columns predicted (rest, class), "
    "the transpose of cost= of roc_auc_mu. None: every error costs 1.",
    kind="matrix",
)
_DEAR_MISSES = [[0.0, 1.0], [5.0, 0.0]]


def _cost_of(c: ClassRanks, costs: Any) -> Callable[[Any, Any], Any]:
    """Return the total cost of these counts of true and false positives."""
    cost = np.array([[0.0, 1.0], [1.0, 0.0]] if costs is None else costs, np.float64)
    if cost.shape != (2, 2):
        raise error(
            "K302",
            metric="The cost at a threshold",
            found=f"costs has shape {cost.shape}; a class against the rest has 2 × 2 outcomes",
            parameters=_COSTS.text.rstrip("."),
        )
    (true_negative, false_positive), (false_negative, true_positive) = cost

    def total(tps: Any, fps: Any) -> Any:
        return (
            true_positive * tps
            + false_negative * (c.n_pos - tps)
            + false_positive * fps
            + true_negative * (c.n_neg - fps)
        )

    return total


def _saving_of(c: ClassRanks, costs: Any) -> Callable[[Steps], Floats]:
    total = _cost_of(c, costs)
    return lambda at: np.asarray(-total(at.tps, at.fps))


def _saving_of_none(c: ClassRanks, costs: Any) -> float:
    return -float(_cost_of(c, costs)(0.0, 0.0))


def _least_cost(c: ClassRanks, costs: Any) -> tuple[float, float]:
    """Return the smallest total cost of a threshold, and the highest threshold that has it."""
    none = -_saving_of_none(c, costs)
    saved, threshold = largest(c, _saving_of(c, costs), rises=_is_usual(costs))
    return (-saved, threshold) if -saved < none else (none, math.inf)


def _is_usual(costs: Any) -> Literal[True] | None:
    """True where no cost is negative and every error costs at least as much as a right decision."""
    if costs is None:
        return True
    cost = np.array(costs, np.float64)
    is_usual = (cost >= 0.0).all() and cost[0, 0] <= cost[0, 1] and cost[1, 1] <= cost[1, 0]
    return True if is_usual else None


def _kept_cost(c: ClassRanks, costs: Any) -> tuple[float, float]:
    """Cache the result of `_least_cost` for the usual costs."""
    return c.kept(_least_cost, None) if costs is None else _least_cost(c, costs)


@score_metric(
    formula="smallest mean cost over all thresholds, predicting nothing included",
    latex=r"\min_t \frac{1}{W} \sum_{ij} C_{ij} \, n_{ij}(t)",
    averages=("macro", "weighted"),
    range=_REAL,
    better="lower",
    parameters=(_COSTS,),
    cases=[tied(gives="2/6"), tied(gives="2/6", costs=_DEAR_MISSES)],
    references=(ELKAN_2001,),
    since="0.2",
    in_report=False,
    no_influence="a minimum over thresholds",
    is_extreme=True,
    bounds=between_orders,
    rounding=linear(absolute=(4, 16), scale=LARGEST_COST),
)
def min_cost(c: ClassRanks, *, costs: Any) -> float:
    """Smallest mean cost over all thresholds on these rows, which is an optimistic estimate."""
    return _kept_cost(c, costs)[0] / (c.n_pos + c.n_neg)


@_threshold(
    formula="the highest threshold at which the mean cost is smallest",
    latex=r"\arg\min_t \sum_{ij} C_{ij} \, n_{ij}(t)",
    undefined="predicting no row as the class is cheapest: the threshold is infinite",
    parameters=(_COSTS,),
    cases=[tied(gives="0.9"), tied(gives="0.35", costs=_DEAR_MISSES)],
    references=(ELKAN_2001,),
    bounds=argmax_of(_saving_of, _saving_of_none),
    rounding=linear(absolute=(4, 16), scale=NEARBY),
)
def cost_threshold(c: ClassRanks, *, costs: Any) -> float:
    """Threshold that minimizes the mean cost on these rows: predict the class at or above it."""
    return _kept_cost(c, costs)[1]

"""Calibration errors of binned probabilities."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from karat.errors import error, short
from karat.metrics import ClassProbabilities, Confidences, Parameter, equal, score_metric
from karat.metrics._bounds import in_bins
from karat.metrics._influence.forms import CROSSED, DEGENERATE, KINK
from karat.metrics._reliability import MOST_BINS, Floats, Scheme, binned, chance_gaps
from karat.metrics._rounding import ROUNDING_UNIT, debiased, linear
from karat.metrics._scored import by_hand, lower_is_better
from karat.tally import Bins
from karat.tally.bins import Closed

NAEINI_2015 = "Naeini, Cooper, Hauskrecht (2015). Obtaining well calibrated probabilities. AAAI."
GUO_2017 = "Guo, Pleiss, Sun, Weinberger (2017). On calibration of modern neural networks. ICML."
NGUYEN_OCONNOR_2015 = (
    "Nguyen, O'Connor (2015). Posterior calibration and exploratory analysis for NLP. EMNLP."
)
NIXON_2019 = "Nixon et al. (2019). Measuring calibration in deep learning. CVPR workshops."
KULL_2019 = "Kull et al. (2019). Beyond temperature scaling. NeurIPS 32."
KUMAR_2019 = "Kumar, Liang, Ma (2019). Verified uncertainty calibration. NeurIPS 32."
BROCKER_2012 = "Bröcker (2012). Estimating reliability and resolution. Climate Dynamics 39."
FERRO_FRICKER_2012 = (
    "Ferro, Fricker (2012). A bias-corrected decomposition of the Brier score. QJRMS 138."
)

_BINS = Parameter("bins", "Number of bins: 1 to 10 000.", kind="count", default=15)
_SCHEME = Parameter(
    "scheme",
    'Edges of the bins: "uniform", at i/bins; "quantile", so that bins have equal weight.',
    kind="choice",
    default="uniform",
    choices=("uniform", "quantile"),
)
_CLOSED = Parameter(
    "closed",
    'Closed edge of the bins: "right", (lo, hi], or "left", [lo, hi). The outer bins hold 0 and 1.',
    kind="choice",
    default="right",
    choices=("right", "left"),
)
_NORM = Parameter(
    "norm",
    'Average of the gaps: "l1", mean absolute value; "l2", root mean square.',
    kind="choice",
    default="l1",
    choices=("l1", "l2"),
)


# Confidences 0.6 and 0.7 right, 0.65 wrong, 0.8 wrong, 0.9 right. Of five bins, the third, the
# fourth and the last contain them.
five = partial(by_hand, y_true=(1, 1, 0, 0, 1), y_prob=(0.9, 0.7, 0.8, 0.4, 0.35))
# Three classes: confidences 0.5 right, 0.7 wrong, 0.8 right.
three = partial(
    by_hand, y_true=(0, 2, 2), y_prob=((0.5, 0.25, 0.25), (0.2, 0.7, 0.1), (0.1, 0.1, 0.8))
)
_error = partial(
    lower_is_better,
    bounds=in_bins,
    rounding=linear(absolute=(2, 32)),
    no_influence=KINK,
    is_extreme=True,
)


def _bins_of(
    c: Confidences | ClassProbabilities, name: str, bins: int, scheme: Scheme, closed: Closed
) -> Bins:
    if bins > MOST_BINS:
        raise error(
            "K302",
            metric=name,
            found=f"bins={short(bins)} is above {MOST_BINS}",
            parameters=_BINS.text.rstrip("."),
        )
    return c.made(binned, bins, scheme, closed)


def _mean_gap(of: Bins, *, norm: str = "l1", **_: Any) -> Floats:
    """float64[...]: the weighted mean over the bins of |proportion − mean confidence|."""
    weight = of.weight
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.where(weight.any(axis=-1), weight.sum(axis=-1), math.nan)
        # Σ|hits − confidence| ÷ Σw: the division by the weight of the bin cancels.
        miss = np.abs(of.hits - of.confidence)
        if norm == "l2":
            squares = np.where(weight > 0, (miss / weight) ** 2 * weight, 0.0)
            return np.asarray(np.sqrt(squares.sum(axis=-1) / total))
        return np.asarray(miss.sum(axis=-1) / total)


def _largest_gap(of: Bins, **_: Any) -> Floats:
    """float64[...]: the largest |proportion − mean confidence| of a nonempty bin."""
    gap = np.where(of.is_occupied, np.abs(of.gap), -1.0).max(axis=-1)
    return np.where(gap < 0.0, math.nan, gap)


@_error(
    formula="mean over the bins, by weight, of |accuracy − mean confidence|",
    latex=r"\sum_b \frac{W_b}{W} \big| \bar y_b - \bar p_b \big|",
    aliases=("ece", "top_label_calibration_error"),
    parameters=(_BINS, _SCHEME, _CLOSED, _NORM),
    cases=[
        five(gives="(0.4 + 1.15 + 0.1)/5", bins=5),
        three(gives="(0.5 + 0.7 + 0.2)/3"),
        five(gives="(0.05 + 0.7)/5", bins=5, closed="left"),
        five(gives="(0.25 + 0.4)/5", bins=2, scheme="quantile", closed="left"),
        five(gives="sqrt((0.4**2 + 1.15**2/3 + 0.1**2)/5)", bins=5, norm="l2"),
        five(gives="(2*0.4 + 0.1 + 0.1)/7", bins=5, weights=(1, 3, 1, 2, 0)),
    ],
    equals=[
        equal(
            "torchmetrics",
            "MulticlassCalibrationError(n_bins=bins)",
            "MulticlassCalibrationError(n_bins=bins, norm=norm)",
            where="no probability is 1",
            closed="left",
        )
    ],
    references=(NAEINI_2015, GUO_2017),
    headline=("plain",),
    of_bins=_mean_gap,
)
def expected_calibration_error(
    c: Confidences, *, bins: int, scheme: Scheme, closed: Closed, norm: str
) -> float:
    """Mean absolute difference between the accuracy and the confidence of the bins.

    Uses the probability of the predicted class (top label) and whether the prediction is right.
    Chance alone makes it larger than 0: compare it with expected_calibration_error_if_calibrated.
    """
    found = _bins_of(c, "expected_calibration_error", bins, scheme, closed)
    return float(_mean_gap(found, norm=norm))


@_error(
    formula="largest |accuracy − mean confidence| of a bin",
    latex=r"\max_{b: W_b > 0} \big| \bar y_b - \bar p_b \big|",
    aliases=("mce",),
    parameters=(_BINS, _SCHEME, _CLOSED),
    cases=[
        five(gives="0.4", bins=5),
        three(gives="0.7"),
        five(gives="0.35", bins=5, closed="left"),
        five(gives="0.35", bins=2, scheme="quantile"),
    ],
    equals=[
        equal(
            "torchmetrics",
            "MulticlassCalibrationError(n_bins=bins, norm='max')",
            where="no probability is 1",
            closed="left",
        )
    ],
    references=(NAEINI_2015,),
    no_influence="a maximum over bins",
    is_extreme=True,
    of_bins=_largest_gap,
)
def maximum_calibration_error(
    c: Confidences, *, bins: int, scheme: Scheme, closed: Closed
) -> float:
    """Largest absolute difference between the accuracy and the confidence of a bin.

    Usually the bin with the fewest rows decides, even if it has a single row.
    """
    return float(_largest_gap(_bins_of(c, "maximum_calibration_error", bins, scheme, closed)))


@_error(
    formula="expected_calibration_error with bins of equal weight",
    latex=r"\sum_b \frac{W_b}{W} \big| \bar y_b - \bar p_b \big|, \quad W_b \approx W / B",
    aliases=("adaptive_ece", "equal_mass_calibration_error"),
    parameters=(_BINS, _CLOSED, _NORM),
    cases=[
        five(gives="(0.05 + 0.7)/5", bins=2),
        five(gives="(0.25 + 0.4)/5", bins=2, closed="left"),
        five(gives="sqrt((0.05**2/3 + 0.7**2/2)/5)", bins=2, norm="l2"),
    ],
    references=(NGUYEN_OCONNOR_2015, NIXON_2019),
    in_report=False,
    bounds=None,
)
def adaptive_calibration_error(c: Confidences, *, bins: int, closed: Closed, norm: str) -> float:
    """Calibration error of the predicted class in bins of equal numbers of rows.

    Equal confidences are never split between bins. The ACE of Nixon et al. uses the probabilities
    of every class: classwise_calibration_error(scheme='quantile').
    """
    found = _bins_of(c, "adaptive_calibration_error", bins, "quantile", closed)
    return float(_mean_gap(found, norm=norm))


@_error(
    formula="mean over the bins of the probability of the class, by weight, of "
    "|fraction of rows of the class − mean probability|",
    latex=r"\sum_b \frac{W_b}{W} \big| \bar y_b - \bar p_b \big|",
    aliases=("binary_calibration_error",),
    averages=("macro",),
    lift_names={"macro": "classwise_calibration_error"},
    parameters=(_BINS, _SCHEME, _CLOSED, _NORM),
    cases=[
        five(gives="(0.25 + 0.5 + 0.1)/5", bins=5),
        five(gives="(0.65 + 0.4 + 0.3 + 0.8 + 0.1)/5", bins=10, closed="left"),
        five(gives="sqrt((0.25**2/2 + 0.5**2/2 + 0.1**2)/5)", bins=5, norm="l2"),
        three(gives="(0.8 + 1.05 + 1.35)/9", lift="macro"),
    ],
    equals=[
        equal(
            "torchmetrics",
            "BinaryCalibrationError(n_bins=bins, norm=norm)",
            where="two classes, no probability is 1",
            closed="left",
        )
    ],
    references=(NAEINI_2015, KULL_2019, NIXON_2019),
    of_bins=_mean_gap,
)
def class_calibration_error(
    c: ClassProbabilities, *, bins: int, scheme: Scheme, closed: Closed, norm: str
) -> float:
    """Mean absolute difference between the probability of a class and its observed frequency.

    Uses the probability of the class on every row, not only where it is predicted. With two classes
    this is the binary calibration error of the positive class; the mean over the classes is the
    static or class-wise calibration error.
    """
    found = _bins_of(c, "class_calibration_error", bins, scheme, closed)
    return float(_mean_gap(found, norm=norm))


@score_metric(
    formula="mean over the bins, by weight, of the mean of (y − p)·(y' − p') over pairs of rows",
    latex=r"\sum_b \frac{W_b}{W} \cdot \frac{\big(\sum_{i \in b} w_i (y_i - p_i)\big)^2"
    r" - \sum_{i \in b} w_i^2 (y_i - p_i)^2}{W_b^2 - \sum_{i \in b} w_i^2}",
    aliases=("debiased_squared_calibration_error",),
    range=(-1.0, 1.0),
    better="lower",
    undefined="no bin holds two rows",
    parameters=(_BINS, _SCHEME, _CLOSED),
    cases=[
        five(gives="((-0.65)**2 - 1.3225)/20", bins=2),
        five(gives="3/5*(1.15**2 - 1.1525)/6", bins=5),
        five(
            gives="((0.1 + 0.9 - 0.8 + 0.8)**2 - (0.01 + 0.81 + 0.64 + 0.64))/(49 - 15)",
            bins=1,
            weights=(1, 3, 1, 2, 0),
        ),
    ],
    references=(BROCKER_2012, FERRO_FRICKER_2012, KUMAR_2019),
    since="0.2",
    weights_are_rows=False,
    no_influence=DEGENERATE,
    rounding=debiased,
)
def debiased_calibration_error(
    c: Confidences, *, bins: int, scheme: Scheme, closed: Closed
) -> float:
    """Bias-corrected mean squared calibration error of the bins.

    It is unbiased for any number of rows and has mean 0 for a calibrated classifier. About half of
    the samples of a calibrated classifier therefore give a negative value. It is a square, since a
    square root would be biased again. Where a bin holds one distinct confidence p this is (ȳ − p)²
    − ȳ(1 − ȳ)/(n − 1), the estimator of Bröcker, of Ferro and Fricker, and of Kumar et al. A bin of
    one row counts as 0: its error cannot be separated from chance.
    """
    found = _bins_of(c, "debiased_calibration_error", bins, scheme, closed)
    pairs = found.weight**2 - found.squares
    # One row, or one that outweighs the others beyond the precision of float64.
    held = pairs > 1e-9 * found.weight**2
    if not held.any():
        return math.nan
    miss = (found.hits - found.confidence) ** 2 - found.scatter
    return float(found.weight[held] @ (miss[held] / pairs[held]) / found.weight.sum())


@score_metric(
    formula="the mean of expected_calibration_error if every row is right with the probability "
    "that its confidence says",
    latex=r"\frac{1}{W} \sum_b \operatorname{E} \Big| \sum_{i \in b} w_i (Y_i - p_i) \Big|,"
    r" \quad Y_i \sim \operatorname{Bernoulli}(p_i)",
    aliases=("ece_if_calibrated",),
    parameters=(_BINS, _SCHEME, _CLOSED),
    cases=[
        five(gives="(0.48 + 0.18 + 0.85*0.364 + 0.15*0.443 + 1.15*0.172 + 2.15*0.021)/5", bins=5),
        three(gives="2*(0.5*0.5 + 0.7*0.3 + 0.8*0.2)/3"),
    ],
    references=(BROCKER_2012,),
    since="0.2",
    weights_are_rows=False,
    no_influence=CROSSED,
    is_estimate=False,
    rounding=linear(relative=(0, 1e-3 / ROUNDING_UNIT)),
)
def expected_calibration_error_if_calibrated(
    c: Confidences, *, bins: int, scheme: Scheme, closed: Closed
) -> float:
    """Expected value of expected_calibration_error if the confidences are right.

    Computed, not simulated. An expected_calibration_error that is no larger gives no evidence of
    miscalibration. Accurate to 0.1 %. Of weighted rows that share a confidence, only the sums of
    their weights and of the squares are known, so that it is less accurate on few such rows.
    """
    name = "expected_calibration_error_if_calibrated"
    found = _bins_of(c, name, bins, scheme, closed)
    total = float(found.weight.sum())
    return float(chance_gaps(c.levels, found).sum()) / total if total else math.nan

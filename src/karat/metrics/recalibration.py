"""Calibration without bins: Spiegelhalter's test and logistic recalibration."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from karat.metrics import ClassProbabilities, Confidences, ScoreCase, score_case, score_metric
from karat.metrics._influence.forms import LineInfluence
from karat.metrics._regression import line_of, shift_of
from karat.metrics._rounding import ROUNDING_UNIT, fitted_line, linear
from karat.metrics._views import dot
from karat.metrics.calibration import five
from karat.tally import LevelSource, of_both

SPIEGELHALTER_1986 = (
    "Spiegelhalter (1986). Probabilistic prediction in patient management. Stat. in Medicine 5."
)
COX_1958 = "Cox (1958). Two further applications of a model for binary regression. Biometrika 45."
VAN_CALSTER_2019 = "Van Calster et al. (2019). Calibration: the Achilles heel. BMC Medicine 17."

_REAL = (-math.inf, math.inf)
CERTAIN = (
    "a probability is 0 or 1, no row is truly of the class or every row is, or the probabilities "
    "separate the class from the others"
)


def two_groups(of_low: int, of_high: int, n_high: int, *, gives: str, **params: Any) -> ScoreCase:
    """Some of four rows true at probability 0.2, some of n rows true at 0.8."""
    low = [1] * of_low + [0] * (4 - of_low)
    high = [1] * of_high + [0] * (n_high - of_high)
    return score_case(
        y_true=[*low, *high],
        y_prob=[0.2] * 4 + [0.8] * n_high,
        gives=gives,
        source="arithmetic by hand: two distinct probabilities, so that the line meets both shares",
        **params,
    )


_coefficient = partial(
    score_metric, range=_REAL, undefined=CERTAIN, since="0.2", rounding=fitted_line
)
_test = partial(
    score_metric,
    undefined="every confidence is 0.5 or 1",
    references=(SPIEGELHALTER_1986,),
    since="0.2",
    weights_are_rows=False,
    is_estimate=False,
)
_Z = "0.395/sqrt(0.0576 + 0.0336 + 0.0576 + 0.0096 + 0.020475)"


@_test(
    formula="Σ(y − p)(1 − 2p) ÷ √Σ(1 − 2p)²·p(1 − p), p: the confidence, y: whether it was right",
    latex=r"\frac{\sum_i w_i (y_i - p_i)(1 - 2 p_i)}"
    r"{\sqrt{\sum_i w_i^2 (1 - 2 p_i)^2 p_i (1 - p_i)}}",
    range=_REAL,
    cases=[
        five(gives=_Z),
        five(
            gives="(-0.08 - 3*0.12 + 0.48 - 2*0.08)/sqrt(0.0576 + 9*0.0336 + 0.0576 + 4*0.0096)",
            weights=(1, 3, 1, 2, 0),
        ),
    ],
    no_influence="a test statistic, whose distribution is known if the confidences are right",
    rounding=linear(relative=(1, 16), absolute=(1, 16), scale="Σ|terms| ÷ standard deviation"),
)
def spiegelhalter_z(c: Confidences) -> float:
    """Standardized difference between the squared error and its expectation under the confidences.

    Positive values indicate over-confident predictions, negative ones under-confident predictions.
    With two classes it is Spiegelhalter's statistic, and does not depend on which class is
    positive; with more it is that of the predicted class.
    """
    return c.made(_z)


@_test(
    formula="probability of a |z| at least as large, if the confidences are right: erfc(|z| ÷ √2)",
    latex=r"\operatorname{erfc}\big(|z| / \sqrt 2\big)",
    cases=[five(gives="0.35033118760201587", source="scipy.stats.norm: 2·sf(0.395 ÷ √0.178875)")],
    no_influence="a p-value",
    rounding=linear(relative=(4, 64), per_log=(4, 64)),
)
def spiegelhalter_p(c: Confidences) -> float:
    """Two-sided p-value of Spiegelhalter's test of calibration.

    A small value is evidence of miscalibration. A large value is not evidence of calibration: the
    test misses errors that cancel.
    """
    return math.erfc(abs(c.made(_z)) / math.sqrt(2.0))


def _z(confidences: LevelSource) -> float:
    excess = variance = 0.0
    for p, counts, squares in confidences.blocks():
        lean = 1.0 - 2.0 * p
        squared = of_both(counts if squares is None else squares)
        variance += dot(squared * (p * (1.0 - p)), lean * lean)
        excess += dot(counts[:, 1] * (1.0 - p) - counts[:, 0] * p, lean)
    return excess / math.sqrt(variance) if variance > 0 else math.nan


@_coefficient(
    formula="b of the logistic regression logit P(class) = a + b·logit p",
    latex=r"\hat b: \ \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p",
    aliases=("cox_slope",),
    cases=[
        two_groups(1, 4, 5, gives="(log(4) + log(3))/(2*log(4))"),
        two_groups(1, 2, 4, gives="log(3)/(2*log(4))", weights=[1.0] * 4 + [0.5] * 4),
    ],
    references=(COX_1958, VAN_CALSTER_2019),
    influence=LineInfluence("slope"),
)
def calibration_slope(c: ClassProbabilities) -> float:
    """Slope of the logistic regression of the class on the log-odds of its probability.

    It is 1 when calibrated. Below 1, probabilities are too extreme, as with an overfitted model;
    above 1, not extreme enough.
    """
    return line_of(c)[1]


@_coefficient(
    formula="a of the logistic regression logit P(class) = a + b·logit p",
    latex=r"\hat a: \ \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p",
    aliases=("cox_intercept",),
    cases=[
        two_groups(1, 4, 5, gives="(log(4) - log(3))/2"),
        two_groups(1, 2, 4, gives="-log(3)/2", weights=[1.0] * 4 + [0.5] * 4),
    ],
    references=(COX_1958,),
    influence=LineInfluence("intercept"),
)
def calibration_intercept(c: ClassProbabilities) -> float:
    """Intercept of the logistic regression of the class on the log-odds of its probability.

    It is 0 when calibrated, and fitted together with calibration_slope. The calibration intercept
    of clinical studies, with the slope fixed at 1, is calibration_in_the_large.
    """
    return line_of(c)[0]


@_coefficient(
    formula="a of the logistic regression logit P(class) = a + logit p",
    latex=r"\hat a: \ \operatorname{logit} P(y = 1) = a + \operatorname{logit} p",
    aliases=("calibration_intercept_of_slope_one",),
    undefined="a probability is 0 or 1, no row is truly of the class, or every row is",
    cases=[
        # The odds e of the line solve 16e² − e − 20 = 0, and 2e² − 8.5e − 6 = 0.
        two_groups(1, 4, 5, gives="log((1 + sqrt(1281))/32)"),
        two_groups(2, 4, 4, gives="log((8.5 + sqrt(120.25))/4)"),
    ],
    references=(VAN_CALSTER_2019,),
    influence=LineInfluence("shift"),
    rounding=linear(relative=(0, 1e-9 / ROUNDING_UNIT), absolute=(0, 1e-9 / ROUNDING_UNIT)),
)
def calibration_in_the_large(c: ClassProbabilities) -> float:
    """Shift of the log-odds that makes the probabilities right on average: 0 when they are.

    Negative values mean that the probabilities overestimate the class.
    """
    return shift_of(c)

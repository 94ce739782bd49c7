"""The bound stated of a metric is the roundings of its formula, counted here a second time.

Whether values keep to the bounds the other tests of this folder see.

s roundings are in a sum of rows (none in a count), c in a sum over the classes, d in one over the
cells. An operation passes on what it reads and adds one rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest

from karat.metrics import Metric, all_metrics, all_records, error_bound, get
from karat.metrics._error_bound import ErrorBound, _of_power, _relative
from karat.metrics._formula import field, where
from karat.metrics._rounding import ROUNDING_UNIT, DataSize

COSTS, GAINS = "costs=[[0, 1], [5, 0]]", "costs=[[0, 1], [5, -2]]"
DISAGREEMENT, AGREEMENT = "disagreement=[[0, 1], [3, 0]]", "disagreement=[[0, 1], [3, -1]]"
NEWTON = 1e-9 / ROUNDING_UNIT
UNDERFLOW = 1e-300 / ROUNDING_UNIT


class Given(NamedTuple):
    """Rows, classes, and all weight over the smallest; what sums of them come to."""

    n: float
    k: int
    spread: float | None

    @property
    def s(self) -> float:
        if self.spread is not None:
            return self.n + 2 * self.k
        return 0 if self.n < 2**53 else 1

    @property
    def c(self) -> float:
        return self.k / 8 + 4

    @property
    def d(self) -> float:
        return self.k * self.k / 8 + 4

    @property
    def area(self) -> float:
        return 4 if self.spread is None else 3 * self.n + 8


Wanted = Callable[[Given], tuple[float, float]]
"""Units of rounding: relative to the value, and absolute."""


def relative(units: Callable[[Given], float]) -> Wanted:
    return lambda g: (units(g), 0)


def absolute(units: Callable[[Given], float]) -> Wanted:
    return lambda g: (0, units(g))


def both(units: Callable[[Given], float]) -> Wanted:
    return lambda g: (units(g), units(g))


RATE = relative(lambda g: 2 * g.s + 2)  # a ÷ (a + b)
LIKELIHOOD_RATIO = relative(lambda g: 4 * g.s + 5)  # a·(b + c) ÷ (d·(e + f))
SHARE_OF_ROWS = relative(lambda g: 2 * g.s + 2 * g.c + 1)  # a sum over the classes ÷ n
SHARE_OF_DECISIONS = relative(lambda g: 2 * g.s + 2 * g.c + 3)  # the same of a + b, ÷ k·n
COUNT = relative(lambda g: g.s)
MARGIN = relative(lambda g: g.s + 1)
SUBTRACTED = absolute(lambda g: 4 * g.s + 2 * g.c + 12)
KAPPA = both(lambda g: 4 * g.s + g.d + 4 * g.k + 16)


def of_loss(g: Given) -> tuple[float, float]:
    """A difference of scores is rounded before its exponential is taken."""
    return g.n + 2 * g.k + 800, UNDERFLOW


SKILL = both(lambda g: 2 * g.n + 900)
TWO_SUMS = absolute(lambda g: 2 * g.n + 8)
BINS = absolute(lambda g: 2 * g.n + 32)
DIFFERENCE = absolute(lambda g: g.n + 4)
GAIN = absolute(lambda g: 4 * g.n + 16)
PLACE = absolute(lambda g: g.n + 8)
OF_PAIRS = relative(lambda g: g.area + g.k**2)
LINE = absolute(lambda g: NEWTON if g.spread is None or g.spread <= 1e9 else math.inf)

WANTED: dict[str, Wanted] = {
    "precision": RATE,
    "recall": RATE,
    "specificity": RATE,
    "negative_predictive_value": RATE,
    "false_positive_rate": RATE,
    "false_negative_rate": RATE,
    "false_discovery_rate": RATE,
    "false_omission_rate": RATE,
    "prevalence": relative(lambda g: 2 * g.s + g.c + 2),
    "precision_lift": relative(lambda g: 4 * g.s + g.c + 5),
    "positive_likelihood_ratio": LIKELIHOOD_RATIO,
    "negative_likelihood_ratio": LIKELIHOOD_RATIO,
    "diagnostic_odds_ratio": relative(lambda g: 4 * g.s + 3),
    "fowlkes_mallows": relative(lambda g: (4 * g.s + 5) / 2 + 1),
    "f1": relative(lambda g: 2 * g.s + 5),
    "f_beta": relative(lambda g: 2 * g.s + 9),
    "jaccard": relative(lambda g: 2 * g.s + 3),
    # With m of a macro average: the mean of a ÷ (a + b) is 2s + c + 3.
    "f1_of_macro_averages": relative(lambda g: 3 * (2 * g.s + g.c + 3) + 4),
    "f_beta_of_macro_averages": relative(lambda g: 3 * (2 * g.s + g.c + 3) + 8),
    "accuracy": SHARE_OF_ROWS,
    "error_rate": SHARE_OF_ROWS,
    "zero_one_loss": SHARE_OF_ROWS,
    "hamming_loss": SHARE_OF_ROWS,
    "average_accuracy": SHARE_OF_DECISIONS,
    "average_error_rate": SHARE_OF_DECISIONS,
    "balanced_accuracy": SHARE_OF_DECISIONS,
    # Roots of degree k of recalls, multiplied: ln of what 1/k is of, 44 of counts, 650 of weights.
    "g_mean": relative(
        lambda g: g.k * ((2 * g.s + 2 + (44 if g.spread is None else 650)) / g.k + 4)
    ),
    "no_information_rate": relative(lambda g: 2 * g.s + g.c + 2),
    "true_positives": COUNT,
    "false_positives": COUNT,
    "false_negatives": COUNT,
    "true_negatives": COUNT,
    "support": MARGIN,
    "predicted_count": MARGIN,
    "correct_count": relative(lambda g: g.s + g.c),
    "macro_f1": relative(lambda g: 2 * g.s + g.c + 6),
    "micro_f1": relative(lambda g: 2 * g.s + 2 * g.c + 5),
    "weighted_f1": relative(lambda g: 4 * g.s + 2 * g.c + 9),
    "informedness": SUBTRACTED,
    "markedness": SUBTRACTED,
    "matthews_correlation": SUBTRACTED,
    "kappa": SUBTRACTED,
    "label_matthews_correlation": SUBTRACTED,
    "label_kappa": SUBTRACTED,
    "label_balanced_accuracy": relative(lambda g: 2 * g.s + 4),
    "gwet_ac1": SUBTRACTED,
    "kappa_linear": KAPPA,
    "kappa_quadratic": KAPPA,
    f"kappa_weighted({DISAGREEMENT})": KAPPA,
    f"kappa_weighted({AGREEMENT})": absolute(lambda g: math.inf),
    "mutual_information": absolute(lambda g: 8 * g.s + g.d + 16),
    "normalized_mutual_information": both(lambda g: 8 * g.s + 2 * g.d + 48),
    f"expected_cost({COSTS})": relative(lambda g: 2 * g.s + g.d + g.c + 2),
    f"expected_cost({GAINS})": absolute(lambda g: g.s + g.d + 4),
    "log_loss": of_loss,
    "one_vs_all_log_loss": of_loss,
    "brier": of_loss,
    "hinge_loss": relative(lambda g: g.n + 8),
    "top_k_accuracy": relative(lambda g: g.n + 4),
    "d2_log_loss": SKILL,
    "d2_brier": SKILL,
    "roc_auc": relative(lambda g: g.area),
    "roc_auc_ovo_macro": OF_PAIRS,
    "roc_auc_ovo_weighted": relative(lambda g: g.area + g.n + g.k**2 + 4),
    "roc_auc_mu": OF_PAIRS,
    "gini": absolute(lambda g: 2 * g.area + 2),
    "average_precision": relative(lambda g: g.n + 8),
    "pr_auc_trapezoid": relative(lambda g: 2 * g.n + 8),
    "ks_statistic": DIFFERENCE,
    "max_informedness": DIFFERENCE,
    "equal_error_rate": absolute(lambda g: 4 * (g.n + 8)),
    "gain_at": TWO_SUMS,
    "lift_at": TWO_SUMS,
    "precision_at_k": absolute(lambda g: 2 * (g.n + 8)),
    "recall_at_k": TWO_SUMS,
    "recall_at_precision": both(lambda g: g.n + 4),
    "max_f_beta": relative(lambda g: g.n + 8),
    "f_beta_threshold": PLACE,
    "informedness_threshold": PLACE,
    "min_cost": GAIN,
    "cost_threshold": GAIN,
    "expected_calibration_error": BINS,
    "adaptive_calibration_error": BINS,
    "class_calibration_error": BINS,
    "maximum_calibration_error": BINS,
    "debiased_calibration_error": absolute(
        lambda g: (16 if g.spread is None else 1e9) * (g.n + 16)
    ),
    "expected_calibration_error_if_calibrated": relative(lambda g: 1e-3 / ROUNDING_UNIT),
    "brier_miscalibration": absolute(lambda g: 4 * (g.n + 16)),
    "brier_discrimination": absolute(lambda g: 4 * (g.n + 16)),
    "brier_uncertainty": relative(lambda g: 2 * g.n + 8),
    "log_loss_miscalibration": lambda g: (g.n + 16, 2 * g.n + 32),
    "log_loss_discrimination": BINS,
    "log_loss_uncertainty": relative(lambda g: 3 * g.n + 16),
    "spiegelhalter_z": both(lambda g: g.n + 16),
    "spiegelhalter_p": relative(lambda g: 4 * (g.n + 16)),
    "calibration_slope": LINE,
    "calibration_intercept": LINE,
    "calibration_in_the_large": both(lambda g: NEWTON),
}
CASES = [Given(1000, 2, None), Given(1000, 2, 1e6), Given(2**60, 2, None), Given(50, 2, 1e12)]
CASES += [Given(2**53 - 1, 2, None), Given(2**53, 2, None), Given(50, 2, 1e9)]
OF_MORE_CLASSES = [Given(1000, 3, None), Given(1000, 5, 1e6)]


def is_of_any_classes(name: str) -> bool:
    """Whether a bound is that of three classes too: of no matrix, and no true negatives."""
    return "(" not in name and name not in {
        "specificity", "negative_predictive_value", "false_positive_rate", "false_omission_rate",
        "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio",
        "true_negatives", "average_accuracy", "informedness", "markedness", "kappa",
        "matthews_correlation", "label_matthews_correlation", "label_kappa",
        "label_balanced_accuracy",
    }  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_a_bound_is_the_roundings_of_the_formula(name: str) -> None:
    metric = get(name)
    for given in CASES + OF_MORE_CLASSES * is_of_any_classes(name):
        found = error_bound(metric, given.n, given.k, spread=given.spread)
        units = (found.relative / ROUNDING_UNIT, found.absolute / ROUNDING_UNIT)
        assert units == pytest.approx(WANTED[name](given), rel=1e-12), given


def test_every_metric_is_here() -> None:
    here, there = {get(name).record.name for name in WANTED}, {r.name for r in all_records()}
    assert not there - here, "state in WANTED what their formulas round"
    assert not here - there


@pytest.mark.parametrize("name", ["specificity", "diagnostic_odds_ratio", "average_accuracy"])
def test_what_is_of_other_classes_is_known_to_the_rounding_of_all_weight(name: str) -> None:
    # Of two classes it is summed itself; of more it is what the others leave.
    plain, spread = error_bound(get(name), 1000, 3), 1e6
    weighted = error_bound(get(name), 1000, 3, spread=spread)
    of_two = error_bound(get(name), 1000, 2, spread=spread)
    more = {"specificity": 2 * 2, "diagnostic_odds_ratio": 4 * 2, "average_accuracy": 2 * 2 + 0.25}
    units = of_two.relative / ROUNDING_UNIT + more[name]
    assert weighted.relative / ROUNDING_UNIT == pytest.approx(units * spread)
    assert plain.relative < 1e-14


def test_averages_of_what_is_stated_add_a_sum_over_the_classes() -> None:
    for name, more in (("informedness", 3 / 8 + 4), ("roc_auc", 3 + 4), ("gini", 3 + 4)):
        of_one, of_all = (error_bound(get(x), 1000, 3) for x in (name, f"macro_{name}"))
        added = of_all.absolute - of_one.absolute, of_all.relative - of_one.relative
        units = [part / ROUNDING_UNIT for part in added]
        wanted = {"informedness": [more, more], "roc_auc": [0, more], "gini": [more, more]}[name]
        assert units == pytest.approx(wanted), name


def test_an_error_is_its_parts_added() -> None:
    bound = error_bound(get("spiegelhalter_p"), 84)
    assert bound.per_log == 400 * ROUNDING_UNIT
    assert bound.at(math.exp(-7)) == pytest.approx(400 * 8 * ROUNDING_UNIT * math.exp(-7))
    assert bound.at(0.0) == 0.0
    bound = error_bound(get("recall_at_precision"), 96)
    assert bound.at(-0.5, 3.0) == 100 * ROUNDING_UNIT * (0.5 + 3.0)
    assert "parameter" in bound.scale


def test_every_metric_states_what_it_rounds_and_one_that_does_not_has_no_bound() -> None:
    for metric in all_metrics():
        found = error_bound(metric, 1000, 3)
        assert math.isfinite(found.relative), metric
        assert math.isfinite(found.absolute), metric
    silent = replace(get("roc_auc").record, rounding=None)
    found = error_bound(Metric.of(silent, "plain", {}), 1000)
    assert (found.relative, found.absolute) == (0.0, math.inf)
    assert found.scale == "none is stated"


def test_a_bound_that_grows_with_the_logarithm_does_so_on_both_sides_of_one() -> None:
    bound = ErrorBound(1e-15, 0.0, per_log=1e-15)
    for exact in (math.exp(-2.0), math.exp(2.0), -math.exp(2.0)):
        assert bound.at(exact) == pytest.approx(3e-15 * abs(exact), rel=1e-12)
    assert bound.at(0.0) == 0.0


def test_a_square_is_a_product_and_another_power_rounds_more() -> None:
    data = DataSize(n=100.0, k=2, spread=None)
    tp = field("tp")
    assert _of_power(tp**2, 1.0, data) == 3.0
    assert _of_power(tp**3, 1.0, data) == 6.0


def test_a_choice_rounds_as_what_it_chooses_from_and_not_as_what_decides() -> None:
    data, tp = DataSize(n=100.0, k=2, spread=None), field("tp")
    product = tp * tp
    assert _relative(product, data) == 1.0
    assert _relative(where(product, tp, 0.0), data) == 0.0
    assert _relative(where(tp, product, 0.0), data) == 1.0
    assert _relative(where(tp, 0.0, product), data) == 1.0

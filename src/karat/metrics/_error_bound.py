"""How far a computed value may be from the exact one, in units of rounding.

Formulas on counts that only add, multiply and divide have a bound that follows from the trace:
each operation passes on the errors of what it reads and adds one rounding.  Where something is
subtracted, and for metrics of scores, it is stated here, by the name of the metric.
`make numerics` prints these bounds beside the worst errors that were seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from karat.errors import error
from karat.metrics._formula import Node, walk

if TYPE_CHECKING:
    from karat.metrics._metric import Metric

__all__ = ["ROUNDING_UNIT", "ErrorBound", "error_bound"]

ROUNDING_UNIT: Final = 2.0**-53
"""The largest relative error of one operation on float64."""
_EXACT_COUNTS: Final = 2**53
_LOG_COUNTS: Final = 44.0
_LOG_WEIGHTS: Final = 650.0
"""The largest logarithm of a ratio of two counts of 64 bits, and of two sums of weights."""


_MOST: Final = 1e300
_UNDERFLOW: Final = 1e-300 / ROUNDING_UNIT
"""Exponentials below e⁻⁷⁰⁸ are 0."""


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """|computed − exact| ≤ relative·|exact| + absolute·scale.

    Attributes:
        relative, absolute: as they are, not in units of rounding.
        scale: what the absolute part is a part of; ``"1"``, or words.
        per_log: further relative error for each unit of |ln exact|.
    """

    relative: float
    absolute: float
    scale: str = "1"
    per_log: float = 0.0

    def at(self, exact: float, scale: float = 1.0) -> float:
        """The largest error of a value.

        Example:
            >>> ErrorBound(2.0**-50, 0.0).at(0.5) == 2.0**-51
            True
        """
        logs = self.per_log * abs(math.log(abs(exact))) if exact and self.per_log else 0.0
        return (self.relative + logs) * abs(exact) + self.absolute * scale


@dataclass(frozen=True, slots=True)
class _Data:
    """What a bound depends on: rows, classes, the largest over the smallest weight, parameters.

    Costs below zero are gains: a sum with both loses its digits.
    """

    n: float
    k: int
    spread: float | None
    has_gains: bool = False

    @property
    def of_sum(self) -> float:
        """Roundings in a sum of weights of the rows; counts are exact below 2⁵³."""
        if self.spread is not None:
            return self.n + 2.0 * self.k
        return 0.0 if self.n < _EXACT_COUNTS else 1.0

    @property
    def of_classes(self) -> float:
        """Roundings in a sum over the classes, in eight running sums."""
        return self.k / 8.0 + 4.0

    @property
    def of_cells(self) -> float:
        return self.k**2 / 8.0 + 4.0


Units: TypeAlias = tuple[float, float, str]
"""Relative and absolute error in units of rounding, and the scale of the latter."""
_Rule: TypeAlias = Callable[[_Data], Units]


def error_bound(metric: Metric, n: int, k: int = 2, *, spread: float | None = None) -> ErrorBound:
    """How far the value of a metric may be from that of exact arithmetic on the same inputs.

    Args:
        metric: any metric of the catalogue: `karat.metrics.get` of its text, which says its
            parameters, ``"expected_cost(costs=[[0, 1], [5, 0]])"``.
        n: how many rows there are, or how much they count.
        k: how many classes.
        spread: the largest sum of weights over the smallest weight; None without weights.

    Returns:
        The bound; infinite where none is stated. Inputs are taken as the float64 or float32
        numbers that they are.

    Errors:
        K122 it is no metric; fewer than no rows, less than one class, a spread below 1.

    Example:
        >>> import karat
        >>> from karat.metrics import error_bound
        >>> bound = error_bound(karat.metrics.get("accuracy"), 10**6)
        >>> bound.relative < 2e-15, bound.absolute
        (True, 0.0)
    """
    _check(metric, n, k, spread)
    given = [np.asarray(value) for _, value in metric.params]
    has_gains = any((value < 0).any() for value in given if value.dtype.kind in "if")
    record, data = metric.record, _Data(float(n), k, spread, has_gains)
    if record.is_traced:
        root = metric.traced("zero").value
        units = None if has_gains else _relative(root, data)
        relative, absolute, scale = (
            _stated(record.name)(data) if units is None else (units, 0.0, "1")
        )
        if units is None and metric.lift != "plain":
            relative, absolute = relative + data.of_classes, absolute + data.of_classes
        if spread is not None and k > 2 and _reads_far(root):
            # What is neither truly nor predictedly of a class is known to the rounding of all rest.
            relative, absolute = relative * spread, absolute * spread
    else:
        relative, absolute, scale = _stated(record.name)(data)
        if metric.lift != "plain":
            relative, absolute = relative + k + 4.0, absolute + (k + 4.0 if absolute else 0.0)
    logs = 4.0 * (data.n + 16.0) if record.name == "spiegelhalter_p" else 0.0
    u = ROUNDING_UNIT
    return ErrorBound(relative * u, absolute * u, scale, logs * u)


def _check(metric: Any, n: Any, k: Any, spread: Any) -> None:
    """Refuse arguments that say nothing, of which a bound would be one of nothing."""
    rows, classes = _number(n), _number(k)
    is_distributed = spread is None or 1 <= _number(spread) < _MOST
    wanted = [
        ("metric", metric, hasattr(metric, "record"), "a metric, as karat.metrics.get('f1')"),
        ("n", n, 0 <= rows < _MOST, "a number from 0 to 1e300"),
        ("k", k, 1 <= classes < _MOST and classes.is_integer(), "a whole number from 1"),
        ("spread", spread, is_distributed, "a number from 1, or None"),
    ]
    for argument, value, is_well, choices in wanted:
        if not is_well:
            do = "n counts rows, k classes; spread is all weight over the smallest."
            raise error("K122", argument=argument, value=value, choices=choices, do=do)


def _number(value: Any) -> float:
    """The value as a float; NaN where it is no number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | np.number):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _reads_far(root: Node) -> bool:
    """Whether a formula reads true negatives."""
    return any(node.op == "field" and node.value == "tn" for node in walk(root))


def _relative(root: Node, data: _Data) -> float | None:
    """Relative error in units of rounding; None where a formula subtracts or takes logarithms."""
    found: dict[int, float] = {}
    for node in walk(root):
        a = [found[id(arg)] for arg in node.args]
        if node.op == "field":
            is_sum = node.value in ("tp", "fp", "fn", "tn", "cells", "n")
            added = data.of_classes if node.value == "n" else 0.0
            found[id(node)] = data.of_sum + added if is_sum else 0.0
        elif node.op in ("const", "param", "greater", "defined"):
            found[id(node)] = 0.0
        elif node.op == "add":
            found[id(node)] = max(a) + 1.0
        elif node.op in ("mul", "div"):
            found[id(node)] = a[0] + a[1] + 1.0
        elif node.op == "sqrt":
            found[id(node)] = a[0] / 2.0 + 1.0
        elif node.op == "pow":
            found[id(node)] = _of_power(node, a[0], data)
        elif node.op in ("total", "over_predicted", "over_true", "cumulative", "later"):
            is_matrix = node.args[0].rank == 2
            found[id(node)] = a[0] + (data.of_cells if is_matrix else data.of_classes)
        elif node.op == "product":
            found[id(node)] = data.k * (a[0] + 1.0)
        elif node.op == "where":
            found[id(node)] = max(a[1:])
        elif node.op in ("fill", "at", "rows", "cols", "maximum"):
            found[id(node)] = a[0]
        else:
            return None
    return found[id(root)]


def _of_power(node: Node, base: float, data: _Data) -> float:
    exponent = node.args[1]
    if exponent.op == "const" and exponent.value == 2.0:
        return 2.0 * base + 1.0
    if exponent.op == "div":
        # A root of degree k: the rounding of 1/k counts by the logarithm of what it is of.
        logs = _LOG_COUNTS if data.spread is None else _LOG_WEIGHTS
        return (base + logs) / data.k + 3.0
    return 2.0 * base + 4.0


def _stated(name: str) -> _Rule:
    """What is stated for a metric; of one that is not named here, what holds for most."""
    return _STATED.get(name, _absolute_rule(32.0, 4.0))


def _relative_rule(more: float) -> _Rule:
    """Sums of n terms of one sign."""
    return lambda d: (d.n + more, 0.0, "1")


def _absolute_rule(more: float, times: float = 1.0) -> _Rule:
    """Differences of such sums, of numbers up to `times`."""
    return lambda d: (0.0, times * (d.n + more), "1")


def _skill(d: _Data) -> Units:
    """1 less a quotient."""
    return 2.0 * d.n + 2.0 * d.k + 16.0, 2.0 * d.n + 2.0 * d.k + 16.0, "1"


def _kappa(d: _Data) -> Units:
    units = 4.0 * d.of_sum + d.of_cells + 4.0 * d.k + 16.0
    return units, units, "1"


def _kappa_weighted(d: _Data) -> Units:
    if d.has_gains:
        return 0.0, math.inf, "none is stated where disagreements are below zero"
    return _kappa(d)


def _subtracted(d: _Data) -> Units:
    return 0.0, 4.0 * d.of_sum + 2.0 * d.of_classes + 12.0, "1"


def _area(d: _Data) -> Units:
    """Pairs are counted in whole numbers without weights, and summed with them."""
    return (4.0 if d.spread is None else 3.0 * d.n + 8.0), 0.0, "1"


def _gini(d: _Data) -> Units:
    return 0.0, 2.0 * _area(d)[0] + 2.0, "1"


def _softmax_loss(d: _Data) -> Units:
    # A difference of scores is rounded before its exponential is taken: up to 709 times a unit.
    return d.n + 2.0 * d.k + 800.0, _UNDERFLOW, "1"


def _information(d: _Data) -> Units:
    return 0.0, 8.0 * d.of_sum + d.of_cells + 16.0, "1"


def _normalized(d: _Data) -> Units:
    # Beside a class that holds nearly all rows the entropies are small.
    units = 8.0 * d.of_sum + 2.0 * d.of_cells + 48.0
    return units, units, "all rows ÷ those outside the commonest classes"


def _share(d: _Data) -> Units:
    return 0.0, 2.0 * d.n + 8.0, "all rows ÷ those of the class"


def _line(d: _Data) -> Units:
    # Newton's method ends after a step of 1e-9.  What very light rows decide it may not reach.
    is_known = d.spread is None or d.spread <= 1e9
    return 0.0, 1e-9 / ROUNDING_UNIT if is_known else math.inf, _LINE


_LINE: Final = "(1 + |slope| + |intercept|) × condition of the information"


_LARGEST: Final = "the largest cost, without its sign"
_NEARBY: Final = "its parameter or the gain of the threshold"

_STATED: Final[dict[str, _Rule]] = {
    "informedness": _subtracted,
    "markedness": _subtracted,
    "balanced_accuracy": _subtracted,
    "matthews_correlation": _subtracted,
    "kappa": _subtracted,
    "gwet_ac1": _subtracted,
    "kappa_linear": _kappa,
    "kappa_quadratic": _kappa,
    "kappa_weighted": _kappa_weighted,
    "mutual_information": _information,
    "normalized_mutual_information": _normalized,
    "expected_cost": lambda d: (0.0, d.of_sum + d.of_cells + 4.0, _LARGEST),
    "log_loss": _softmax_loss,
    "one_vs_all_log_loss": _softmax_loss,
    "brier": _softmax_loss,
    "hinge_loss": _relative_rule(8.0),
    "top_k_accuracy": _relative_rule(4.0),
    "d2_log_loss": lambda d: (2.0 * d.n + 900.0, 2.0 * d.n + 900.0, "1"),
    "d2_brier": lambda d: (2.0 * d.n + 900.0, 2.0 * d.n + 900.0, "1"),
    "roc_auc": _area,
    "roc_auc_ovo_macro": lambda d: (_area(d)[0] + d.k**2, 0.0, "1"),
    "roc_auc_ovo_weighted": lambda d: (_area(d)[0] + d.n + d.k**2 + 4.0, 0.0, "1"),
    "roc_auc_mu": lambda d: (_area(d)[0] + d.k**2, 0.0, "1"),
    "gini": _gini,
    "average_precision": _relative_rule(8.0),
    "pr_auc_trapezoid": lambda d: (2.0 * d.n + 8.0, 0.0, "1"),
    "ks_statistic": _absolute_rule(4.0),
    "equal_error_rate": _absolute_rule(8.0, 4.0),
    "gain_at": _share,
    "lift_at": lambda d: (0.0, 2.0 * d.n + 8.0, "all rows ÷ those of the class ÷ share"),
    "precision_at_k": _absolute_rule(8.0, 2.0),
    "recall_at_k": lambda d: (0.0, 2.0 * d.n + 8.0, "the larger of 1 and k ÷ rows of the class"),
    "recall_at_precision": lambda d: (d.n + 4.0, d.n + 4.0, _NEARBY),
    "max_f_beta": _relative_rule(8.0),
    "max_informedness": _absolute_rule(4.0),
    "min_cost": lambda d: (0.0, 4.0 * d.n + 16.0, _LARGEST),
    "f_beta_threshold": lambda d: (0.0, d.n + 8.0, _NEARBY),
    "informedness_threshold": lambda d: (0.0, d.n + 8.0, _NEARBY),
    "cost_threshold": lambda d: (0.0, 4.0 * d.n + 16.0, _NEARBY),
    "expected_calibration_error": _absolute_rule(16.0, 2.0),
    "adaptive_calibration_error": _absolute_rule(16.0, 2.0),
    "class_calibration_error": _absolute_rule(16.0, 2.0),
    "maximum_calibration_error": _absolute_rule(16.0, 2.0),
    "debiased_calibration_error": lambda d: (
        0.0,
        (16.0 if d.spread is None else 1e9) * (d.n + 16.0),
        "1",
    ),
    "expected_calibration_error_if_calibrated": lambda d: (1e-3 / ROUNDING_UNIT, 0.0, "1"),
    "brier_miscalibration": _absolute_rule(16.0, 4.0),
    "brier_discrimination": _absolute_rule(16.0, 4.0),
    "brier_uncertainty": lambda d: (2.0 * d.n + 8.0, 0.0, "1"),
    "log_loss_miscalibration": lambda d: (d.n + 16.0, 2.0 * d.n + 32.0, "the log-loss, at least 1"),
    "log_loss_discrimination": _absolute_rule(16.0, 2.0),
    "log_loss_uncertainty": lambda d: (3.0 * d.n + 16.0, 0.0, "1"),
    "spiegelhalter_z": lambda d: (d.n + 16.0, d.n + 16.0, "Σ|terms| ÷ standard deviation"),
    "spiegelhalter_p": lambda d: (4.0 * (d.n + 16.0), 0.0, "1"),
    "calibration_slope": _line,
    "calibration_intercept": _line,
    "calibration_in_the_large": lambda d: (1e-9 / ROUNDING_UNIT, 1e-9 / ROUNDING_UNIT, "1"),
}

"""Bounds on the rounding error of computed values.

Formulas on counts that only add, multiply and divide have a bound that follows from the trace: each
operation passes on the errors of what it reads and adds one rounding.  For formulas with
subtraction, and for metrics of scores, the record states the bound: `Record.rounding`. `make
numerics` prints these bounds next to the largest observed errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from karat.errors import error
from karat.metrics._formula import Node, walk
from karat.metrics._rounding import ROUNDING_UNIT, DataSize, Units

_LOG_COUNTS: Final = 44.0
_LOG_WEIGHTS: Final = 650.0
"""Largest logarithm of a ratio of two counts of 64 bits, and of two sums of weights."""
_MOST: Final = 1e300


class HasFormula(Protocol):
    """A `Metric`: what the bound of its rounding error follows from."""

    @property
    def record(self) -> Any: ...
    @property
    def lift(self) -> str: ...
    @property
    def params(self) -> tuple[tuple[str, Any], ...]: ...
    def traced(self, policy: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """|computed − exact| ≤ relative·|exact| + absolute·scale.

    Attributes:
        relative, absolute: plain numbers, not units of rounding.
        scale: the unit of the absolute part; ``"1"``, or words.
        per_log: further relative error for each unit of |ln exact|.
    """

    relative: float
    absolute: float
    scale: str = "1"
    per_log: float = 0.0

    def at(self, exact: float, scale: float = 1.0) -> float:
        """Return the largest error of a value.

        Example:
            >>> ErrorBound(2.0**-50, 0.0).at(0.5) == 2.0**-51
            True
        """
        logs = self.per_log * abs(math.log(abs(exact))) if exact and self.per_log else 0.0
        return (self.relative + logs) * abs(exact) + self.absolute * scale


def error_bound(
    metric: HasFormula, n: int, k: int = 2, *, spread: float | None = None
) -> ErrorBound:
    """Bound on the difference between a computed metric and its exact value on the same inputs.

    Args:
        metric: any metric of the catalog, from `karat.metrics.get` and its text with parameters,
            such as ``"expected_cost(costs=[[0, 1], [5, 0]])"``.
        n: number of rows, or their total count.
        k: number of classes.
        spread: the largest sum of weights over the smallest weight; None without weights.

    Returns:
        The bound; infinite if none is stated. Inputs count as exact float64 or float32 numbers.

    Errors:
        K122 not a metric; a negative number of rows, fewer than one class, or a spread below 1.

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
    record, data = metric.record, DataSize(float(n), k, spread, has_gains)
    stated = (
        Units(0.0, math.inf, "none is stated") if not record.rounding else record.rounding(data)
    )
    relative, absolute, scale, per_log = stated
    if record.is_traced:
        root = metric.traced("zero").value
        units = None if has_gains else _relative(root, data)
        if units is not None:
            relative, absolute, scale = units, 0.0, "1"
        elif metric.lift != "plain":
            relative, absolute = relative + data.of_classes, absolute + data.of_classes
        reads_far = any(node.op == "field" and node.value == "tn" for node in walk(root))
        if spread is not None and k > 2 and reads_far:
            # Rows neither of a class nor predicted as it: as accurate as the rounding of the total.
            relative, absolute = relative * spread, absolute * spread
    elif metric.lift != "plain":
        relative, absolute = relative + k + 4.0, absolute + (k + 4.0 if absolute else 0.0)
    u = ROUNDING_UNIT
    return ErrorBound(relative * u, absolute * u, scale, per_log * u)


def _check(metric: Any, n: Any, k: Any, spread: Any) -> None:
    """Check the arguments: raise an error if the bound would be meaningless."""
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
    """Convert the value to a float; NaN where it is not a number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | np.number):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _relative(root: Node, data: DataSize) -> float | None:
    """Relative error in units of rounding; None where a formula subtracts or takes logarithms."""
    found: dict[int, float] = {}
    for node in walk(root):
        rule = _RELATIVE.get(node.op)
        if rule is None:
            return None
        found[id(node)] = rule(node, [found[id(arg)] for arg in node.args], data)
    return found[id(root)]


def _of_field(node: Node, _: list[float], d: DataSize) -> float:
    is_sum = node.value in ("tp", "fp", "fn", "tn", "cells", "n")
    return d.of_sum + (d.of_classes if node.value == "n" else 0.0) if is_sum else 0.0


def _of_power(node: Node, base: float, data: DataSize) -> float:
    exponent = node.args[1]
    if exponent.op == "const" and exponent.value == 2.0:
        return 2.0 * base + 1.0
    if exponent.op == "div":
        # A root of degree k has 1/k of the rounding, in counts by the logarithm of its argument.
        logs = _LOG_COUNTS if data.spread is None else _LOG_WEIGHTS
        return (base + logs) / data.k + 3.0
    return 2.0 * base + 4.0


_Rule: TypeAlias = Callable[[Node, list[float], DataSize], float]


def _rules(ops: str, rule: _Rule) -> dict[str, _Rule]:
    return dict.fromkeys(ops.split(), rule)


_RELATIVE: Final[dict[str, _Rule]] = {
    "field": _of_field,
    "pow": lambda node, a, d: _of_power(node, a[0], d),
    "add": lambda node, a, d: max(a) + 1.0,
    "sqrt": lambda node, a, d: a[0] / 2.0 + 1.0,
    "product": lambda node, a, d: d.k * (a[0] + 1.0),
    "where": lambda node, a, d: max(a[1:]),
    **_rules("const param greater defined", lambda node, a, d: 0.0),
    **_rules("mul div", lambda node, a, d: a[0] + a[1] + 1.0),
    **_rules("fill at rows cols maximum", lambda node, a, d: a[0]),
    **_rules(
        "total over_predicted over_true cumulative later",
        lambda node, a, d: a[0] + (d.of_cells if node.args[0].rank == 2 else d.of_classes),
    ),
}

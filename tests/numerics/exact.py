"""Metrics of labels in exact arithmetic: the traced formula on fractions.

Numbers stay fractions until a root, a logarithm or a broken power, which is computed with 1500 bits
and stays in that arithmetic.  0/0 and what follows from it is NaN, as IEEE has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

import mpmath

from karat.metrics import Metric, Node
from karat.metrics._formula import walk

BITS = 1500
Number: TypeAlias = Any
Table = Sequence[Sequence[Number]]
Cell: TypeAlias = tuple[int, int]


def is_finite(x: Number) -> bool:
    return not isinstance(x, float)


def high(x: Number) -> Any:
    """A fraction in the arithmetic of roots and logarithms."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def both(a: Number, b: Number, of: Any) -> Number:
    if not (is_finite(a) and is_finite(b)):
        return of(float(a), float(b))
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return of(a, b)
    return of(high(a), high(b))


def divided(a: Number, b: Number) -> Number:
    if is_finite(b) and b == 0:
        if not is_finite(a):
            return a
        return math.nan if a == 0 else math.copysign(math.inf, a)
    return both(a, b, lambda x, y: x / y)


def power(a: Number, b: Number) -> Number:
    if not is_finite(a):
        return a
    if b.denominator == 1:
        return a ** int(b) if isinstance(a, Fraction) else mpmath.power(a, int(b))
    return Fraction(0) if a == 0 else mpmath.power(high(a), high(b))


def root(a: Number) -> Number:
    if not is_finite(a) or a == 0:
        return a
    return mpmath.sqrt(high(a))


def logarithm(a: Number) -> Number:
    if not is_finite(a):
        return a
    if a == 1:
        return Fraction(0)
    return -math.inf if a == 0 else mpmath.log(high(a))


def added(items: Sequence[Number]) -> Number:
    """The sum; that of many fractions by halves, whose denominators stay short."""
    if len(items) > 8:
        half = len(items) // 2
        return both(added(items[:half]), added(items[half:]), lambda x, y: x + y)
    total: Number = Fraction(0)
    for item in items:
        total = both(total, item, lambda x, y: x + y)
    return total


class Exact:
    """A confusion matrix of fractions, and what formulas read of it.

    Args:
        cells: the occupied cells, by true and predicted class.
        k: number of classes.
        positive: the positive class, or None.
    """

    def __init__(self, cells: Mapping[Cell, Number], k: int, positive: int | None = None) -> None:
        self.cells = {at: Fraction(x) for at, x in cells.items() if x}
        self.k, self.positive = k, positive
        zero = Fraction(0)
        true, pred, hits = ([zero] * k for _ in range(3))
        for (i, j), x in self.cells.items():
            true[i] += x
            pred[j] += x
            if i == j:
                hits[i] += x
        self.n = sum(true, zero)
        self.leaves = {
            "tp": hits,
            "fp": [p - h for p, h in zip(pred, hits, strict=True)],
            "fn": [t - h for t, h in zip(true, hits, strict=True)],
            "tn": [self.n - t - p + h for t, p, h in zip(true, pred, hits, strict=True)],
            "index": [Fraction(i) for i in range(k)],
            "n": self.n,
            "k": Fraction(k),
        }

    @classmethod
    def of(cls, table: Table, positive: int | None = None) -> Exact:
        cells = {(i, j): x for i, row in enumerate(table) for j, x in enumerate(row)}
        k = len(table)
        return cls(cells, k, k - 1 if positive is None and k == 2 else positive)

    def measure(self, metric: Metric) -> Number:
        """The value of a metric: a number, or one for each class."""
        with mpmath.workprec(BITS):
            return self._value(metric.traced("zero").value, dict(metric.params))

    def scale_of(self, words: str, metric: Metric) -> float:
        """The number that the words of a bound of a metric stand for."""
        if words == "the largest cost, without its sign":
            return float(max(abs(x) for row in dict(metric.params)["costs"] for x in row))
        if words == "all rows ÷ those outside the commonest classes":
            true = [h + f for h, f in zip(self.leaves["tp"], self.leaves["fn"], strict=True)]
            pred = [h + f for h, f in zip(self.leaves["tp"], self.leaves["fp"], strict=True)]
            outside = 2 * self.n - max(true) - max(pred)
            return float(self.n / outside) if outside else 1.0
        return 1.0

    def _value(self, top: Node, params: Mapping[str, Any]) -> Number:
        places = list(self.cells)
        if any(node.op == "total" and node.args[0].rank == 2 for node in walk(top)):
            from karat.metrics._formula import needs_dense

            if needs_dense(top):
                places = [(i, j) for i in range(self.k) for j in range(self.k)]
        values: dict[int, Any] = {}
        size = {0: 1, 1: self.k, 2: len(places)}
        for node in walk(top):
            args = [values[id(arg)] for arg in node.args]
            values[id(node)] = self._node(node, args, places, params, size)
        return values[id(top)]

    def _node(
        self, node: Node, args: list[Any], places: list[Cell], params: Any, size: dict[int, int]
    ) -> Any:
        op = node.op
        if op == "field":
            if node.value == "cells":
                return [self.cells.get(at, Fraction(0)) for at in places]
            return self.leaves[node.value]
        if op == "const":
            return Fraction(node.value)
        if op == "param":
            given = params[node.value]
            return [Fraction(given[i][j]) for i, j in places] if node.rank else Fraction(given)
        if op == "total":
            return added(args[0])
        if op == "product":
            found: Number = Fraction(1)
            for item in args[0]:
                found = both(found, item, lambda x, y: x * y)
            return found
        if op == "maximum":
            return max(args[0])
        if op == "at":
            return args[0][self.positive]
        if op == "cumulative":
            return list(accumulate(args[0]))
        if op == "later":
            return [sum(args[0][i + 1 :], Fraction(0)) for i in range(self.k)]
        if op in ("rows", "cols"):
            return [args[0][at[op == "cols"]] for at in places]
        if op in ("over_predicted", "over_true"):
            sums = [Fraction(0)] * self.k
            for at, x in zip(places, args[0], strict=True):
                side = at[op == "over_true"]
                sums[side] = both(sums[side], x, lambda a, b: a + b)
            return sums
        if node.rank:
            spread = [
                [arg] * size[node.rank] if not of.rank else arg
                for arg, of in zip(args, node.args, strict=True)
            ]
            return [self._one(node, each) for each in zip(*spread, strict=True)]
        return self._one(node, tuple(args))

    def _one(self, node: Node, a: tuple[Number, ...]) -> Number:
        op = node.op
        if op == "add":
            return both(*a, lambda x, y: x + y)
        if op == "sub":
            return both(*a, lambda x, y: x - y)
        if op == "mul":
            return both(*a, lambda x, y: x * y)
        if op == "div":
            return divided(*a)
        if op == "pow":
            return power(*a)
        if op == "greater":
            return Fraction(int(a[0] > a[1]))
        if op == "where":
            return a[1] if a[0] > 0 else a[2]
        if op == "fill":
            return Fraction(node.value) if is_nan(a[0]) and not math.isnan(node.value) else a[0]
        if op == "defined":
            return Fraction(int(is_finite(a[0])))
        return {"sqrt": root, "log": logarithm}[op](a[0])


def is_nan(x: Number) -> bool:
    return isinstance(x, float) and math.isnan(x)

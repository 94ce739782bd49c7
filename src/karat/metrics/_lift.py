"""Inputs of formulas, and lifts of per-class metrics to one number for all classes.

A lift is defined once here and applies to every metric: per class, positive class, macro, micro,
weighted. Lifts are traced too, so that averages have formulas and derivatives like other metrics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from karat.metrics._formula import Node, Value, at, const, defined, field, fill, mean, param, total

Average: TypeAlias = Literal["macro", "micro", "weighted", "samples"]
Lift: TypeAlias = Literal["plain", "per_class", "macro", "micro", "weighted", "samples"]
Policy: TypeAlias = Literal["zero", "exclude", "nan"]
ZERO: Final[Policy] = "zero"
"""The default policy, compared by identity: an array would compare element by element."""
"""Value of an undefined class in an average; see docs/undefined-values.md."""


Formula: TypeAlias = Any
"""A `Record`, whose module imports this one."""


class OneVsRest:
    """The four counts of one class against the rest, as symbols.

    Attributes:
        tp, fp, fn, tn: true positives, false positives, false negatives, true negatives.
        pos, neg: rows of the class, rows of other classes.
        pred_pos, pred_neg: predicted as the class, predicted as another.
        n: all rows.
    """

    def __init__(self, tp: Node, fp: Node, fn: Node, tn: Node, n: Node) -> None:
        self.tp: Node = tp
        self.fp: Node = fp
        self.fn: Node = fn
        self.tn: Node = tn
        self.n: Node = n
        self.pos: Node = tp + fn
        self.neg: Node = tn + fp
        self.pred_pos: Node = tp + fp
        self.pred_neg: Node = tn + fn


class LabelsOfRow(OneVsRest):
    """The four counts of the labels of one row against its predicted labels, as symbols.

    A metric that reads them is a metric of sets of labels: one value for each row, averaged over
    the rows.
    """


class Table(OneVsRest):
    """A whole confusion matrix, as symbols: the counts of every class, float[k], and the cells.

    Attributes:
        k: number of classes.
        index: 0, 1, … k−1, float[k].
        cells: float[k, k], rows true, columns predicted.
    """

    def __init__(self, policy: Policy = "zero", *, is_of_sets: bool = False) -> None:
        tp, fp, fn, tn = (field(name) for name in ("tp", "fp", "fn", "tn"))
        n = total(tp + fp + fn + tn) / field("k") if is_of_sets else field("n")
        super().__init__(tp, fp, fn, tn, n)
        self.k: Node = field("k")
        self.index: Node = field("index")
        self.cells: Node = field("cells")
        self._policy = policy
        self.averaged: list[Node] = []
        self.parts: list[Part] = []

    def per_class(self, record: Formula) -> Node:
        """float[k]: a metric of one class, evaluated for every class."""
        values: Node = record(_counts())
        self.parts.append(Part(record, values))
        return values

    def macro(self, record: Formula) -> Node:
        """Mean over the classes of a metric of one class."""
        values = record(_counts())
        self.averaged.append(values)
        mean_of, counted = _averaged(values, const(1.0), _filler(record), self._policy)
        self.parts.append(Part(record, counted))
        return mean_of


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The values of a metric of one class within the formula of a metric of all classes.

    Attributes:
        record: the metric of one class.
        values: float[k], as the formula uses them, with undefined ones resolved.
    """

    record: Formula
    values: Node


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A metric as an expression graph.

    Attributes:
        parts: the metrics of one class that it is composed of, if any.
        value: the published value: rank 0, or rank 1 for every class.
        raw: the value before undefined values are resolved; of one class for averages.
        checked: what must be finite for the value to be defined, rank 0 or rank 1 (each class):
            the raw value, and the class values that a formula of all classes averages.
        n_undefined: the number of undefined classes (or 1 for a single value).
    """

    value: Node
    raw: Node
    checked: Node
    n_undefined: Node
    parts: tuple[Part, ...] = ()


def _each(counts: Node) -> Node:
    return counts


def _counts(reduce: Callable[[Node], Node] = _each, *, is_of_sets: bool = False) -> OneVsRest:
    """Return the counts of every class, the positive class (`at`) or all added up (`total`).

    Args:
        is_of_sets: whether a row may have several labels: each label has its own number of known
            rows.
    """
    # Summed over the classes, every row counts k times.
    n = field("k") * field("n") if reduce is total else field("n")
    tp, fp, fn, tn = (reduce(field(name)) for name in ("tp", "fp", "fn", "tn"))
    return OneVsRest(tp, fp, fn, tn, tp + fp + fn + tn if is_of_sets else n)


def _filler(record: Formula) -> float:
    return 0.0 if record.is_zero_when_undefined else math.nan


def _averaged(x: Node, weight: Node, filler: float, policy: Policy) -> tuple[Node, Node]:
    """Weighted mean over the classes under a policy for undefined classes, and its terms."""
    if policy == "exclude":
        kept = defined(x)
        finite = Node("where", (kept, x, const(0.0)), rank=1)
        return total(weight * finite) / total(weight * kept), x
    values = _resolved(x, filler, policy)
    if weight.rank == 0:
        return mean(values), values
    return total(weight * values) / total(weight), values


def _resolved(x: Node, filler: float, policy: Policy) -> Node:
    return fill(x, filler) if policy == "zero" else x


_REDUCED: Final[Mapping[Lift, tuple[Callable[[Node], Node]]]] = {"plain": (at,), "micro": (total,)}


@cache
def _trace(
    record: Formula,
    lift: Lift,
    policy: Policy,
    flags: tuple[tuple[str, Any], ...],
    is_of_sets: bool = False,
) -> Traced:
    params: dict[str, Value | bool] = dict(flags)
    for item in record.parameters:
        if item.kind != "flag":
            params[item.name] = param(item.name, 2 if item.kind == "matrix" else 0)
    filler = _filler(record)
    if not record.is_per_class:
        table = Table(policy, is_of_sets=is_of_sets)
        # The counts of one row, summed over its labels, have no class.
        is_of_one = record.is_of_rows and lift == "plain"
        raw = record.formula(_counts(at) if is_of_one else table, **params)
        checked = raw
        for part in table.averaged:
            checked = checked + part
        n_undefined = total(1 - defined(checked)) if checked.rank else 1 - defined(checked)
        return Traced(_resolved(raw, filler, policy), raw, checked, n_undefined, tuple(table.parts))
    counts = _counts(*_REDUCED.get(lift, ()), is_of_sets=is_of_sets)
    raw = record.formula(counts, **params)
    if lift not in _REDUCED:
        if raw.rank == 0:
            raw = raw + 0.0 * field("tp")
        n_undefined = field("k") - total(defined(raw))
        if lift == "per_class":
            return Traced(_resolved(raw, filler, policy), raw, raw, n_undefined)
        weight = _counts().pos if lift == "weighted" else const(1.0)
        value, counted = _averaged(raw, weight, filler, policy)
        if is_of_sets:
            # If no label is true in any row, no label has a weight.
            value = _resolved(value, filler, policy)
        return Traced(value, raw, raw, n_undefined, (Part(record, counted),))
    return Traced(_resolved(raw, filler, policy), raw, raw, const(1.0) - defined(raw))


def trace(
    record: Formula,
    lift: Lift,
    policy: Policy,
    params: Mapping[str, Any],
    *,
    is_of_sets: bool = False,
) -> Traced:
    """Trace the graph of a metric, once for each lift, policy and choice of flags.

    Args:
        is_of_sets: whether it reads tables of 2×2, one for each label.
    """
    flags = tuple(
        (item.name, params[item.name])
        for item in record.parameters
        if item.kind == "flag" and item.name in params
    )
    return _trace(record, lift, policy, flags, is_of_sets)

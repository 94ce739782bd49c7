"""The tracer: runs a metric's body once on symbols to build a small expression graph.

The rest of karat knows a formula only by its graph. `_program` compiles it for the native
evaluator, `_interpret` evaluates and differentiates it with NumPy, `_render` prints it as text and
LaTeX, and `testing.mutants` mutates it.

Ranks are fixed while tracing: 0 is one number, 1 is float[k] over classes, 2 is float[k, k] over
true × predicted. Only `rows` and `cols` combine a float[k] with a float[k, k]. Axes before the
class axes are batch axes (slices, folds, replicates) and do not appear here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final, TypeAlias

from karat.errors import error

FIELDS: Final = {"tp": 1, "fp": 1, "fn": 1, "tn": 1, "n": 0, "cells": 2, "k": 0, "index": 1}
"""Leaf name → rank.  `k` is the number of classes, `index` is 0, 1, … k−1."""

Value: TypeAlias = "Node | float | int"
_Operator: TypeAlias = "Callable[[Node, Value], Node]"


def _operator(op: str, *, is_reflected: bool = False) -> _Operator:
    if is_reflected:
        return lambda node, other: _elementwise(op, other, node)
    return lambda node, other: _elementwise(op, node, other)


class Node:
    """One operation of a formula; immutable, compared by identity.

    Attributes:
        op: the operation, one of the keys of `_program.OPCODES`.
        args: the nodes that it reads.
        value: name of a field or parameter, or the number of a const or fill.
        rank: 0, 1 or 2.
    """

    __slots__ = ("args", "op", "rank", "value")

    def __init__(
        self, op: str, args: tuple[Node, ...] = (), value: Any = None, rank: int = 0
    ) -> None:
        self.op: str = op
        self.args: tuple[Node, ...] = args
        self.value: Any = value
        self.rank: int = rank

    __add__: _Operator = _operator("add")
    __radd__: _Operator = _operator("add", is_reflected=True)
    __sub__: _Operator = _operator("sub")
    __rsub__: _Operator = _operator("sub", is_reflected=True)
    __mul__: _Operator = _operator("mul")
    __rmul__: _Operator = _operator("mul", is_reflected=True)
    __truediv__: _Operator = _operator("div")
    __rtruediv__: _Operator = _operator("div", is_reflected=True)
    __gt__: _Operator = _operator("greater")
    __lt__: _Operator = _operator("greater", is_reflected=True)
    __pow__: _Operator = _operator("pow")

    def __neg__(self) -> Node:
        return _elementwise("sub", 0.0, self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise error("K305", found="It compares a value of the data with == or !=")

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __bool__(self) -> bool:
        raise error("K305", found="It branches on a value of the data (if, and, or, while)")

    def __float__(self) -> float:
        raise error("K305", found="It turns a traced value into a number")

    def __iter__(self) -> Iterator[Node]:
        raise error("K305", found="It loops over the classes")

    def __repr__(self) -> str:
        inner = ", ".join(repr(arg) for arg in self.args)
        label = self.op if self.value is None else f"{self.op}:{self.value}"
        return f"{label}({inner})" if inner else label


def _lift(value: Value) -> Node:
    if isinstance(value, Node):
        return value
    is_number: object = isinstance(value, int | float)
    if is_number and math.isfinite(value):
        return const(value)
    raise error("K305", found=f"It uses {value!r}, which is not a traced value or a finite number")


def _elementwise(op: str, *values: Value) -> Node:
    args = tuple(_lift(value) for value in values)
    ranks = {arg.rank for arg in args if arg.rank}
    if len(ranks) > 1:
        raise error(
            "K305", found=f"In {op!r} a float[k] meets a float[k, k] without rows() or cols()"
        )
    return Node(op, args, rank=max(ranks, default=0))


def _reduced(op: str, x: Node, takes: int, gives: int, value: Any = None) -> Node:
    if x.rank != takes:
        raise error("K305", found=f"{op} takes a value of rank {takes}, this one has {x.rank}")
    return Node(op, (x,), value, gives)


def field(name: str) -> Node:
    """A leaf of the tally: `tp`, `fp`, `fn`, `tn` float[k], `n`, `k`, `cells`, `index`."""
    return Node("field", value=name, rank=FIELDS[name])


def param(name: str, rank: int = 0) -> Node:
    """A parameter of the metric: a number, or a float[k, k] matrix (rank 2)."""
    return Node("param", value=name, rank=rank)


def const(value: float) -> Node:
    """A number written in the formula."""
    return Node("const", value=float(value))


def where(condition: Node, then: Value, otherwise: Value) -> Node:
    """`then` where the condition is above 0, else `otherwise`; the other side is ignored."""
    return _elementwise("where", condition, then, otherwise)


def sqrt(x: Node) -> Node:
    """Square root."""
    return _elementwise("sqrt", x)


def log(x: Node) -> Node:
    """Natural logarithm; undefined at 0."""
    return _elementwise("log", x)


def exp(x: Node) -> Node:
    """Exponential."""
    return _elementwise("exp", x)


def fill(x: Node, value: float) -> Node:
    """`value` where x is NaN (0/0), x elsewhere; infinities are kept."""
    return Node("fill", (x,), float(value), x.rank)


def defined(x: Node) -> Node:
    """1 where x is finite, else 0."""
    return Node("defined", (x,), rank=x.rank)


def total(x: Node) -> Node:
    """Sum over every class axis."""
    if x.rank == 0:
        raise error("K305", found="total() of a value that has no class axis")
    return Node("total", (x,))


def mean(x: Node) -> Node:
    """Mean over the classes."""
    return total(x) / field("k")


def product(x: Node) -> Node:
    """Product over the classes."""
    return _reduced("product", x, 1, 0)


def maximum(x: Node) -> Node:
    """Largest over the classes."""
    return _reduced("maximum", x, 1, 0)


def rows(x: Node) -> Node:
    """float[k] broadcast to float[k, k]: the value of the true class of each cell."""
    return _reduced("rows", x, 1, 2)


def cols(x: Node) -> Node:
    """float[k] broadcast to float[k, k]: the value of the predicted class of each cell."""
    return _reduced("cols", x, 1, 2)


def over_predicted(x: Node) -> Node:
    """float[k, k] summed over the predicted classes: one value for each true class."""
    return _reduced("over_predicted", x, 2, 1)


def over_true(x: Node) -> Node:
    """float[k, k] summed over the true classes: one value for each predicted class."""
    return _reduced("over_true", x, 2, 1)


def cumulative(x: Node) -> Node:
    """Running sum over the classes in their order."""
    return _reduced("cumulative", x, 1, 1)


def later(x: Node) -> Node:
    """Sum over the classes that come after each one, added without subtraction."""
    return _reduced("later", x, 1, 1)


def at(x: Node) -> Node:
    """The value of the positive class."""
    return _reduced("at", x, 1, 0)


@lru_cache(maxsize=1024)
def walk(*roots: Node) -> tuple[Node, ...]:
    """Return every node below the roots once, arguments before their users."""
    return _down_to(roots, frozenset())


def _down_to(roots: Sequence[Node], ends: AbstractSet[int]) -> tuple[Node, ...]:
    """Return the nodes as `walk` does, without descending below nodes with these ids."""
    seen: set[int] = set()
    order: list[Node] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if id(node) not in ends:
                stack.extend((arg, False) for arg in reversed(node.args))
    return tuple(order)


def is_sparse(x: Node) -> bool:
    """Return whether a float[k, k] is 0 in every empty cell, so that occupied cells suffice."""
    if x.op == "field":
        return bool(x.value == "cells")
    if x.op == "mul":
        return any(arg.rank == 2 and is_sparse(arg) for arg in x.args)
    if x.op in {"div", "sqrt", "fill"}:
        return x.args[0].rank == 2 and is_sparse(x.args[0])
    if x.op in {"add", "sub"}:
        return all(arg.rank == 2 and is_sparse(arg) for arg in x.args)
    if x.op == "where":
        test, then, otherwise = x.args
        is_guarded = test.op == "greater" and test.args[0].rank == 2 and is_sparse(test.args[0])
        is_zero = otherwise.op == "const" and otherwise.value == 0.0
        return (is_guarded and is_zero) or all(
            arg.rank == 2 and is_sparse(arg) for arg in (then, otherwise)
        )
    return False


def needs_dense(root: Node) -> bool:
    """Return whether the formula sums a float[k, k] that does not vanish on empty cells."""
    return any(
        node.args[0].rank == 2 and not is_sparse(node.args[0])
        for node in walk(root)
        if node.op in {"total", "over_predicted", "over_true"}
    )


def needs_cells(root: Node) -> bool:
    """Return whether the formula reads the matrix; otherwise the class totals suffice."""
    return any(node.rank == 2 for node in walk(root))


def needs_classes(*roots: Node) -> bool:
    """Return whether the formulas read more than the rows and the totals of `tp`, `fp` and `fn`.

    If not, the number of rows with two equal labels suffices for any classes.

    Example:
        >>> needs_classes(total(field("tp")) / field("n")), needs_classes(mean(field("tp")))
        (False, True)
    """
    for node in walk(*roots):
        if node.op == "field" and node.value not in {"n", "tp", "fp", "fn"}:
            return True
        if any(arg.rank and (node.op != "total" or arg.op != "field") for arg in node.args):
            return True
    return any(root.rank for root in roots)


def is_linear_in(root: Node, parts: Sequence[Node]) -> bool:
    """Return whether a formula is linear in its parts.

    Example:
        >>> x = field("tp")
        >>> is_linear_in(mean(x), [x]), is_linear_in(mean(x * x), [x])
        (True, False)
    """
    ends = {id(part) for part in parts}
    depends: dict[int, bool] = {}
    for node in _down_to((root,), ends):
        is_part = id(node) in ends
        of = [] if is_part else [depends[id(arg)] for arg in node.args]
        if not is_part and any(of):
            is_kept = node.op in {"add", "sub", "total"} or (
                (node.op == "mul" and not all(of)) or (node.op == "div" and not of[1])
            )
            if not is_kept:
                return False
        elif not is_part and node.op == "field" and node.value != "k":
            return False
        depends[id(node)] = is_part or any(of)
    return depends[id(root)]

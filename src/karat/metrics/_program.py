"""Compiler of a traced formula to the native program that computes values and derivatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._formula import FIELDS, Node, walk
from karat.metrics._interpret import Gradient

if TYPE_CHECKING:
    from karat._native import Program
    from karat.tally import Fields

_OPS = (
    "field const param add sub mul div pow greater where sqrt log exp fill defined total product "
    "maximum rows cols over_predicted over_true cumulative later at"
)
OPCODES: Final = {op: code for code, op in enumerate(_OPS.split())}
"""Operation → number, in the order of `Op` in native/kernels/evaluate.hpp."""

_FIELD_CODES: Final = {name: code for code, name in enumerate(FIELDS)}


@cache
def param_names(*roots: Node) -> tuple[tuple[str, int], ...]:
    """Parameters that a formula reads, in the order of its program: (name, rank)."""
    found = {node.value: node.rank for node in walk(*roots) if node.op == "param"}
    return tuple(sorted(found.items()))


def compile_program(roots: Sequence[Node], *, keeps_slots: bool = False) -> Program:
    """Compile the program whose outputs are the given nodes (each of rank 0 or 1).

    Equal operations on equal arguments are computed once; a slot is reused after the last read of
    its value, unless `keeps_slots`, which derivatives need.
    """
    from karat._native import Program

    order, twin = _deduplicated(roots)
    last_use = {id(twin[id(arg)]): i for i, node in enumerate(order) for arg in node.args}
    last_use |= {id(twin[id(root)]): len(order) for root in roots}
    params = [name for name, _ in param_names(*roots)]
    constants: list[float] = []
    slot_rank: list[int] = []
    free: dict[int, list[int]] = {0: [], 1: [], 2: []}
    slot: dict[int, int] = {}
    code: list[list[int]] = []
    for i, node in enumerate(order):
        args = [twin[id(arg)] for arg in node.args]
        reads = [slot[id(arg)] for arg in args]
        if free[node.rank]:
            to = free[node.rank].pop()
        else:
            to = len(slot_rank)
            slot_rank.append(node.rank)
        slot[id(node)] = to
        if node.op == "field":
            reads = [_FIELD_CODES[node.value]]
        elif node.op == "param":
            reads = [params.index(node.value)]
        elif node.op in {"const", "fill"}:
            if node.value not in constants:
                constants.append(node.value)
            reads = [*reads, constants.index(node.value)]
        code.append([OPCODES[node.op], to, *reads, *[0] * (3 - len(reads))])
        for arg in {id(arg): arg for arg in args}.values():
            if last_use[id(arg)] == i and not keeps_slots:
                free[arg.rank].append(slot[id(arg)])
    return Program(
        np.array(code, np.int32).reshape(-1, 5),
        constants,
        slot_rank,
        [rank for _, rank in param_names(*roots)],
        [slot[id(twin[id(root)])] for root in roots],
    )


def first_of_each(nodes: Sequence[Node]) -> list[bool]:
    """Return whether a node is the first with the same operations on the same leaves."""
    _, twin = _deduplicated(nodes)
    places = [id(twin[id(node)]) for node in nodes]
    return [place not in places[:i] for i, place in enumerate(places)]


def _deduplicated(roots: Sequence[Node]) -> tuple[list[Node], dict[int, Node]]:
    """Return the distinct operations in order, and the representative of every node."""
    held: dict[tuple[object, ...], Node] = {}
    twin: dict[int, Node] = {}
    order = []
    for node in walk(*roots):
        # repr keeps nan equal to itself and distinguishes 0.0 from -0.0.
        key = (node.op, repr(node.value), *(id(twin[id(arg)]) for arg in node.args))
        if key not in held:
            held[key] = node
            order.append(node)
        twin[id(node)] = held[key]
    return order, twin


Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]
Batch: TypeAlias = tuple[
    Floats, Floats, Floats, Floats, Floats | None, Codes | None, Codes | None, int
]
"""tp, fp, fn, tn float64[size, k], cells float64[size, m], rows and cols int32[m], positive."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """A value of rank 0 and its derivatives.

    Attributes:
        value: float64[...].
        gradient: its derivative with respect to the cells; if it stops at the parts, without the
            paths through them.
        parts: float64[..., k], the values of the requested inner nodes.
        of_parts: float64[..., k], the partial derivative of the value with respect to each of them.
    """

    value: Floats
    gradient: Gradient
    parts: tuple[Floats, ...]
    of_parts: tuple[Floats, ...]


def slopes_of(
    root: Node,
    parts: tuple[Node, ...],
    fields: Fields,
    batch: tuple[int, ...],
    arguments: list[Any] | None,
    *,
    needs_cells: bool,
    stops_at_parts: bool = False,
) -> Slopes:
    """Compute value and derivatives of a rank-0 node on every table of a batch."""
    if root.rank != 0:
        raise ValueError("only a rank-0 formula has one gradient")
    values, adjoints, constant, true, pred, same, cells = _program(root, parts).differentiate(
        *batch_of(fields, batch, needs_cells=needs_cells), params=arguments, stops=stops_at_parts
    )

    def shaped(array: Floats) -> Floats:
        return array.reshape((*batch, *array.shape[1:]))

    gradient = Gradient(*map(shaped, (constant, true, pred, same)), fields=fields)
    gradient.cells = None if cells is None else shaped(cells)
    parts_of = [tuple(shaped(array) for array in arrays[1:]) for arrays in (values, adjoints)]
    return Slopes(shaped(values[0]), gradient, *parts_of)


def batch_of(fields: Fields, batch: tuple[int, ...], *, needs_cells: bool) -> Batch:
    size = math.prod(batch)
    tp, fp, fn, tn = (
        np.ascontiguousarray(part.reshape(size, fields.k))
        for part in (fields.tp, fields.fp, fields.fn, fields.tn)
    )
    positive = -1 if fields.positive is None else fields.positive
    cells = rows = cols = None
    if needs_cells:
        assert fields.cells is not None
        cells = np.ascontiguousarray(fields.cells.reshape(size, -1))
        if not fields.is_complete:
            rows, cols = fields.rows.astype(np.int32), fields.cols.astype(np.int32)
    return tp, fp, fn, tn, cells, rows, cols, positive


@cache
def _program(root: Node, parts: tuple[Node, ...]) -> Program:
    return compile_program([root, *parts], keeps_slots=True)

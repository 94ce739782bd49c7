"""Damaged copies of a formula: each differs by one field, one operation or one constant.

A record's golden cases must tell every mutant from the formula, except those that are equal by an
identity of the counts, which the record lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from karat.metrics import Case, Record
from karat.metrics._formula import Node, const, field
from karat.metrics._interpret import evaluate
from karat.metrics._lift import trace
from karat.tally import Fields

__all__ = ["equivalent", "mutants", "survivors", "unlisted"]

_FIELDS: Final = {
    "tp": ("fp", "fn", "tn"),
    "fp": ("tp", "fn", "tn"),
    "fn": ("tp", "fp", "tn"),
    "tn": ("tp", "fp", "fn"),
}
_SCALARS: Final = {"n": ("k",), "k": ("n",)}
_OPERATIONS: Final = {
    "add": ("sub", "mul"),
    "sub": ("add",),
    "mul": ("div", "add"),
    "div": ("mul",),
    "pow": ("mul",),
    "exp": ("sqrt",),
    "rows": ("cols",),
    "cols": ("rows",),
    "total": ("maximum",),
    "maximum": ("total",),
    "product": ("total",),
    "sqrt": ("log",),
    "log": ("sqrt",),
    "later": ("cumulative",),
}


def formula_of(record: Record, params: Mapping[str, Any]) -> Node:
    """The record's own formula, of the positive class or of all classes."""
    return trace(record, "plain", "nan", params).raw


def mutants(root: Node) -> Iterator[tuple[str, Node]]:
    """Every one-step change of a formula, at one place at a time, with its description."""
    for name, changed in _changes(root):
        yield name, changed
    for place, arg in enumerate(root.args):
        for name, changed in mutants(arg):
            args = (*root.args[:place], changed, *root.args[place + 1 :])
            yield name, Node(root.op, args, root.value, root.rank)


def _changes(node: Node) -> Iterator[tuple[str, Node]]:
    if node.op == "field":
        for other in (*_FIELDS.get(node.value, ()), *_SCALARS.get(node.value, ())):
            yield f"field {node.value} → {other}", field(other)
    elif node.op == "const":
        yield f"const {node.value:g} → {node.value + 1:g}", const(node.value + 1)
    for other in _OPERATIONS.get(node.op, ()):
        if other == "maximum" and node.args[0].rank != 1:
            continue
        yield f"{node.op} → {other}", Node(other, node.args, node.value, node.rank)
    if node.op == "where":
        test, then, otherwise = node.args
        yield "where swapped", Node("where", (test, otherwise, then), rank=node.rank)
    if node.op in {"sub", "div", "greater", "pow"}:
        yield f"{node.op} swapped", Node(node.op, node.args[::-1], node.value, node.rank)


Flags: TypeAlias = tuple[tuple[str, Any], ...]


def survivors(record: Record) -> list[tuple[str, Node, Flags]]:
    """Mutants that give the golden value in every case: the cases cannot tell them apart.

    Returns:
        (description, damaged formula, flags that chose the formula).
    """
    alive: list[tuple[str, Node, Flags]] = []
    for flags in {_flags(record, golden.params): None for golden in record.cases}:
        of_flags = [golden for golden in record.cases if _flags(record, golden.params) == flags]
        for name, mutant in mutants(formula_of(record, dict(flags))):
            if all(_gives(mutant, record, golden) for golden in of_flags):
                alive.append((name, mutant, flags))
    return alive


def _gives(root: Node, record: Record, golden: Case) -> bool:
    cells = np.asarray(golden.cells)
    fields = Fields.of_matrix(cells, 1 if len(cells) == 2 else None)
    found = np.asarray(evaluate(root, fields, _numbers(record, golden.params))).reshape(-1)[0]
    return bool(abs(found - golden.value) <= 1e-9 * max(1.0, abs(golden.value)))


def _numbers(record: Record, given: Mapping[str, Any]) -> dict[str, Any]:
    return {item.name: given.get(item.name, item.default) for item in record.parameters}


def _flags(record: Record, params: Mapping[str, Any]) -> Flags:
    return tuple(
        (item.name, params.get(item.name, item.default))
        for item in record.parameters
        if item.kind == "flag"
    )


def unlisted(record: Record) -> list[str]:
    """Surviving mutants that no identity of the record explains, or that are not equal by it."""
    return [
        name
        for name, mutant, flags in survivors(record)
        if name not in record.identities or not equivalent(record, mutant, flags)
    ]


def equivalent(record: Record, mutant: Node, flags: Flags, n_tables: int = 200) -> bool:
    """Whether a mutant equals the formula on random tables, as an identity would make it."""
    rng = np.random.default_rng(0)
    golden = record.cases[0]
    k = len(golden.cells)
    tables = rng.integers(1, 60, size=(n_tables, k, k)) * (rng.random((n_tables, k, k)) > 0.2)
    tables[:, 0, 0] += 1
    fields = Fields.of_matrix(tables, 1 if k == 2 else None)
    params = _numbers(record, golden.params)
    wanted = evaluate(formula_of(record, dict(flags)), fields, params)
    return bool(np.allclose(evaluate(mutant, fields, params), wanted, rtol=1e-9, equal_nan=True))

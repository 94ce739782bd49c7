"""Derivatives of a traced formula, natively: the value, its gradient, and that of inner nodes.

`_interpret.gradient` is the oracle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._formula import Node
from karat.metrics._interpret import Gradient
from karat.metrics._program import compile_program

if TYPE_CHECKING:
    from karat._native import Program
    from karat.tally import Fields

__all__ = ["Slopes", "batch_of", "slopes_of"]

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]
Batch: TypeAlias = tuple[
    Floats, Floats, Floats, Floats, Floats | None, Codes | None, Codes | None, int
]
"""tp, fp, fn, tn float64[size, k], cells float64[size, m], rows and cols int32[m], positive."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """A value of rank 0 and how it moves.

    Attributes:
        value: float64[...].
        gradient: its derivative with respect to the cells; where the way stops at the parts, what
            does not pass through them.
        parts: float64[..., k], the values of the inner nodes that were asked for.
        of_parts: float64[..., k], the derivative of the value with respect to each of them, as if
            nothing else moved.
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
    """Value and derivatives of a rank-0 node, on every table of a batch."""
    if root.rank != 0:
        raise ValueError("only a rank-0 formula has one gradient")
    values, adjoints, constant, true, pred, same, cells = _program(root, parts).differentiate(
        *batch_of(fields, batch, needs_cells=needs_cells), params=arguments, stops=stops_at_parts
    )

    def shaped(array: Floats) -> Floats:
        return array.reshape((*batch, *array.shape[1:]))

    gradient = Gradient(
        shaped(constant),
        shaped(true),
        shaped(pred),
        shaped(same),
        None if cells is None else shaped(cells),
        fields=fields,
    )
    parts_of = [tuple(shaped(array) for array in arrays[1:]) for arrays in (values, adjoints)]
    return Slopes(shaped(values[0]), gradient, *parts_of)


def batch_of(fields: Fields, batch: tuple[int, ...], *, needs_cells: bool) -> Batch:
    """Fields as a native program takes them."""
    size = 1
    for length in batch:
        size *= length
    tp, fp, fn, tn = (
        np.ascontiguousarray(part.reshape(size, fields.k))
        for part in (fields.tp, fields.fp, fields.fn, fields.tn)
    )
    positive = -1 if fields.positive is None else fields.positive
    if not needs_cells:
        return tp, fp, fn, tn, None, None, None, positive
    assert fields.cells is not None
    listed = np.ascontiguousarray(fields.cells.reshape(size, -1))
    if fields.is_complete:
        return tp, fp, fn, tn, listed, None, None, positive
    rows, cols = fields.rows.astype(np.int32), fields.cols.astype(np.int32)
    return tp, fp, fn, tn, listed, rows, cols, positive


@cache
def _program(root: Node, parts: tuple[Node, ...]) -> Program:
    return compile_program([root, *parts], keeps_slots=True)

"""NumPy evaluation and differentiation of a traced formula, over any leading axes.

The native evaluator (`_program`) computes the published values. This interpreter is its reference
in tests, finds undefined values from the trace, and computes gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.metrics._formula import Node, walk
from karat.tally.cells import Fields, summed_by

Array = npt.NDArray[np.float64]
Params = Mapping[str, Any]


def evaluate(root: Node, fields: Fields, params: Params | None = None) -> Array:
    """Value of the formula: float[...] for rank 0, float[..., k] for rank 1."""
    return _forward(root, fields, params or {})[id(root)]


def _forward(root: Node, fields: Fields, params: Params) -> dict[int, Array]:
    values: dict[int, Array] = {}
    with np.errstate(all="ignore"):
        for node in walk(root):
            args = [_spread(values[id(arg)], arg.rank, node) for arg in node.args]
            values[id(node)] = _VALUE[node.op](node, args, fields, params)
    return values


_ELEMENTWISE = {"add", "sub", "mul", "div", "pow", "greater", "where", "sqrt", "log", "exp"}


def _spread(value: Array, rank: int, user: Node) -> Array:
    if user.op in _ELEMENTWISE and rank == 0 and user.rank:
        return value[..., None]
    return value


def _param(node: Node, fields: Fields, params: Params) -> Array:
    value = np.asarray(params[node.value], np.float64)
    return value[fields.rows, fields.cols] if node.rank == 2 else value


def _leaf(node: Node, fields: Fields) -> Array:
    if node.value == "k":
        return np.asarray(float(fields.k))
    if node.value == "index":
        return np.arange(fields.k, dtype=np.float64)
    leaf: Array = getattr(fields, node.value)
    return leaf


def _at(x: Array, fields: Fields) -> Array:
    if fields.positive is None:
        raise ValueError("no positive class")
    return np.asarray(x[..., fields.positive])


def _later(x: Array) -> Array:
    sums = np.zeros_like(x)
    np.cumsum(x[..., :0:-1], axis=-1, out=sums[..., -2::-1])
    return sums


Rule = Callable[[Node, list[Array], Fields, Params], Array]
_VALUE: dict[str, Rule] = {
    "field": lambda node, a, f, p: _leaf(node, f),
    "param": lambda node, a, f, p: _param(node, f, p),
    "const": lambda node, a, f, p: np.asarray(node.value),
    "add": lambda node, a, f, p: a[0] + a[1],
    "sub": lambda node, a, f, p: a[0] - a[1],
    "mul": lambda node, a, f, p: a[0] * a[1],
    "div": lambda node, a, f, p: a[0] / a[1],
    "pow": lambda node, a, f, p: a[0] ** a[1],
    "greater": lambda node, a, f, p: (a[0] > a[1]).astype(np.float64),
    "where": lambda node, a, f, p: np.where(a[0] > 0, a[1], a[2]),
    "sqrt": lambda node, a, f, p: np.sqrt(a[0]),
    "log": lambda node, a, f, p: np.log(a[0]),
    "exp": lambda node, a, f, p: np.exp(a[0]),
    "fill": lambda node, a, f, p: np.where(np.isnan(a[0]), node.value, a[0]),
    "defined": lambda node, a, f, p: np.isfinite(a[0]).astype(np.float64),
    "total": lambda node, a, f, p: a[0].sum(axis=-1),
    "product": lambda node, a, f, p: a[0].prod(axis=-1),
    "maximum": lambda node, a, f, p: a[0].max(axis=-1),
    "rows": lambda node, a, f, p: a[0][..., f.rows],
    "cols": lambda node, a, f, p: a[0][..., f.cols],
    "over_predicted": lambda node, a, f, p: summed_by(f.rows, a[0], f.k),
    "over_true": lambda node, a, f, p: summed_by(f.cols, a[0], f.k),
    "cumulative": lambda node, a, f, p: np.cumsum(a[0], axis=-1),
    "later": lambda node, a, f, p: _later(a[0]),
    "at": lambda node, a, f, p: _at(a[0], f),
}


def undefined_mask(
    root: Node, fields: Fields, params: Params | None = None
) -> npt.NDArray[np.bool_]:
    """Mask of undefined values by the trace: a zero divisor or log 0 on a path that is used.

    Derived from the operations, not from NaN in the result: the law tests compare the two.
    """
    values = _forward(root, fields, params or {})
    masks: dict[int, npt.NDArray[np.bool_]] = {}
    for node in walk(root):
        value = values[id(node)]
        below = [
            m[..., None] if node.op in _ELEMENTWISE and arg.rank == 0 and node.rank else m
            for arg, m in ((arg, masks[id(arg)]) for arg in node.args)
        ]
        at_zero: npt.NDArray[np.bool_] = np.zeros(value.shape, bool)
        mask: npt.NDArray[np.bool_]
        if node.op == "div":
            divisor = _spread(values[id(node.args[1])], node.args[1].rank, node)
            at_zero = np.asarray(divisor == 0.0, np.bool_)
        elif node.op == "log":
            at_zero = values[id(node.args[0])] <= 0
        if node.op == "where":
            chosen = _spread(values[id(node.args[0])], node.args[0].rank, node) > 0
            mask = below[0] | np.where(chosen, below[1], below[2])
        elif node.op in {"fill", "defined"}:
            mask = np.isinf(value)
        elif node.op in _ELEMENTWISE or not node.args:
            mask = at_zero
            for part in below:
                mask = mask | part
        else:
            # A product or a sum is undefined where one of its terms is.
            rule = _VALUE["total" if node.op == "product" else node.op]
            mask = rule(node, [below[0].astype(np.float64)], fields, {}) > 0
        masks[id(node)] = np.broadcast_to(mask, value.shape)
    return masks[id(root)]


@dataclass(slots=True)
class Gradient:
    """∂T/∂(cell i, j) = constant + true[i] + pred[j] + (i = j) · same[i] + cells[i, j].

    It is kept in parts: with many classes, only the occupied cells are evaluated.

    Attributes:
        constant: float[...].
        true, pred, same: float[..., k].
        cells: float[..., m] at the occupied cells, or None when the formula reads no cells.
    """

    constant: Array
    true: Array
    pred: Array
    same: Array
    cells: Array | None = None
    fields: Fields = field(repr=False, kw_only=True)

    def at_cells(self) -> Array:
        """float[..., m]: the gradient at the cells of the fields."""
        rows, cols = self.fields.rows, self.fields.cols
        same = np.where(rows == cols, self.same[..., rows], 0.0)
        # Infinite slopes of opposite signs have no sum.
        with np.errstate(invalid="ignore"):
            g = self.constant[..., None] + self.true[..., rows] + self.pred[..., cols] + same
            return g if self.cells is None else g + self.cells


def gradient(root: Node, fields: Fields, params: Params | None = None) -> Gradient:
    """Derivative of a rank-0 formula with respect to every cell (counts, not proportions).

    Source: reverse accumulation over the trace; checked against finite differences and the
    closed forms of the literature in `tests/laws`.
    Cost: O(nodes · k) and O(occupied cells) for formulas that read cells.
    """
    return sensitivities(root, (), fields, params)[1]


def sensitivities(
    root: Node, parts: Sequence[Node], fields: Fields, params: Params | None = None
) -> tuple[list[Array], Gradient]:
    """Derivative of a rank-0 formula with respect to inner nodes, and the rest of its gradient.

    Args:
        parts: rank-1 nodes of the formula, none of them below another.

    Returns:
        float[..., k] for each part; and the gradient with respect to the cells along all paths that
        bypass the parts, which is 0 if the formula depends on the parts alone.
    """
    if root.rank != 0:
        raise ValueError("only a rank-0 formula has one gradient")
    values = _forward(root, fields, params or {})
    batch = np.broadcast_shapes(values[id(root)].shape, fields.n.shape)
    k = fields.k
    adjoint: dict[int, Array] = {id(root): np.ones(batch)}
    rest = Gradient(
        np.zeros(batch),
        np.zeros((*batch, k)),
        np.zeros((*batch, k)),
        np.zeros((*batch, k)),
        fields=fields,
    )
    found = {id(node): np.zeros((*batch, k)) for node in parts}
    with np.errstate(all="ignore"):
        for node in reversed(walk(root)):
            g = adjoint.pop(id(node), None)
            if g is None:
                continue
            if id(node) in found:
                found[id(node)] = np.broadcast_to(g, (*batch, k))
            elif node.op == "field":
                _collect(node.value, g, rest)
            elif node.args:
                args = [_spread(values[id(arg)], arg.rank, node) for arg in node.args]
                pieces = _PULL[node.op](g, values[id(node)], args, fields)
                for arg, piece in zip(node.args, pieces, strict=True):
                    if piece is None:
                        continue
                    # Where `where` chose the other side: adjoint 0, slope maybe infinite, 0·∞ = 0.
                    is_kept = node.op not in _ELEMENTWISE or g != 0.0
                    kept = np.where(is_kept, piece, 0.0)
                    if node.op in _ELEMENTWISE and arg.rank == 0 and node.rank:
                        kept = kept.sum(axis=-1)
                    held = adjoint.get(id(arg))
                    adjoint[id(arg)] = kept if held is None else held + kept
    return [found[id(node)] for node in parts], rest


def _collect(name: str, g: Array, parts: Gradient) -> None:
    """Chain rule from the one-vs-rest counts to the cells; sums are total derivatives."""
    if name == "tp":
        parts.same += g
    elif name == "fn":
        parts.true += g
        parts.same -= g
    elif name == "fp":
        parts.pred += g
        parts.same -= g
    elif name == "tn":
        parts.constant += g.sum(axis=-1)
        parts.true -= g
        parts.pred -= g
        parts.same += g
    elif name == "n":
        parts.constant += g
    elif name == "cells":
        parts.cells = g if parts.cells is None else parts.cells + g


def _is_first_maximum(x: Array) -> Any:
    return np.arange(x.shape[-1]) == x.argmax(axis=-1)[..., None]


Pull = Callable[[Array, Array, list[Array], Fields], tuple[Array | None, ...]]
_PULL: dict[str, Pull] = {
    "add": lambda g, y, a, f: (g, g),
    "sub": lambda g, y, a, f: (g, -g),
    "mul": lambda g, y, a, f: (g * a[1], g * a[0]),
    "div": lambda g, y, a, f: (g / a[1], -g * y / a[1]),
    # Exponents are parameters and constants: only the base depends on the data.
    "pow": lambda g, y, a, f: (g * a[1] * a[0] ** (a[1] - 1.0), None),
    "where": lambda g, y, a, f: (None, np.where(a[0] > 0, g, 0.0), np.where(a[0] > 0, 0.0, g)),
    "sqrt": lambda g, y, a, f: (g / (2.0 * y),),
    "log": lambda g, y, a, f: (g / a[0],),
    "exp": lambda g, y, a, f: (g * y,),
    "fill": lambda g, y, a, f: (np.where(np.isnan(a[0]), 0.0, g),),
    "total": lambda g, y, a, f: (np.broadcast_to(g[..., None], (*g.shape, a[0].shape[-1])),),
    "product": lambda g, y, a, f: (g[..., None] * _product_of_others(a[0]),),
    "maximum": lambda g, y, a, f: (g[..., None] * _is_first_maximum(a[0]),),
    # rows copies x[i] along j; over_true sums along i: each is the transpose of the other.
    "rows": lambda g, y, a, f: (summed_by(f.rows, g, f.k),),
    "over_true": lambda g, y, a, f: (g[..., f.cols],),
    "cols": lambda g, y, a, f: (summed_by(f.cols, g, f.k),),
    "over_predicted": lambda g, y, a, f: (g[..., f.rows],),
    "cumulative": lambda g, y, a, f: (np.cumsum(g[..., ::-1], axis=-1)[..., ::-1],),
    "at": lambda g, y, a, f: (g[..., None] * (np.arange(f.k) == f.positive),),
    "later": lambda g, y, a, f: (np.cumsum(g, axis=-1) - g,),
    "greater": lambda g, y, a, f: (None, None),
    "defined": lambda g, y, a, f: (None,),
}
"""Operation → adjoints of its arguments, from that of its value y."""


def _product_of_others(x: Array) -> Array:
    """Product over the other classes, without dividing by a class that is 0."""
    ones = np.ones((*x.shape[:-1], 1))
    before = np.concatenate([ones, np.cumprod(x[..., :-1], axis=-1)], axis=-1)
    after = np.concatenate([ones, np.cumprod(x[..., :0:-1], axis=-1)], axis=-1)[..., ::-1]
    return np.asarray(before * after)

"""Algebra of tallies: merge (⊕), subtract (⊖), union and removal of discovered classes.

These laws are tested for every storage and weight: merge has an identity, is associative and
commutative (bitwise for counts; weights to one rounding for each cell), and ``tally(a ++ b) ==
merge(tally(a), tally(b))``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.tally.cells import Cells, RowCounts, summed_by
from karat.tally.classes import Classes, usual_positive
from karat.tally.shared import Numbers, check_weighting, common_labels, if_any, recoding


def merge(left: Cells, right: Cells) -> Cells:
    """Return the tally of the two data sets read one after the other.

    Args:
        left, right: tallies of the same classes in the same order, on the same axes.

    Returns:
        Cells on the same axes: dense if both are dense, marginals if either is, else sparse.
        Exact for counts; for weights, exact to one rounding for each cell.

    Errors:
        K201 the classes differ; K202 the axes differ; K203 only one is weighted; K213 the total
        number of rows exceeds 64 bits.

    Cost: O(cells).

    Example:
        >>> from karat.tally import Cells, Classes, merge
        >>> one = Cells.dense([[2, 1], [0, 3]], classes=Classes.of(["cat", "dog"]))
        >>> merge(one, one).matrix().tolist()
        [[4, 2], [0, 6]]
    """
    # Class order is compared before shape: two 3 × 3 tallies with different label order
    # add up to a plausible, wrong matrix.
    _check_same_frame(left, right)
    if left.has_predictions != right.has_predictions:
        left, right = left.without_predictions(), right.without_predictions()
    if "marginals" in (left.storage, right.storage):
        left, right = to_marginals(left), to_marginals(right)
    elif left.storage != right.storage:
        left, right = to_sparse(left), to_sparse(right)
    n_rows = left.n_rows + right.n_rows
    # No cell exceeds the number of rows: if that fits, all sums do.
    is_negative = n_rows < 0
    if is_negative.any() and ((left.n_rows >= 0) & (right.n_rows >= 0) & is_negative).any():
        raise error("K213", left=int(left.n_rows.max()), right=int(right.n_rows.max()))
    if left.storage == "sparse":
        return _merge_sparse(left, right, n_rows)
    squares = _add_known(left.squares, right.squares)
    occupancy = _add_known(left.occupancy, right.occupancy)
    counts = left.counts + right.counts
    return replace(left, counts=counts, n_rows=n_rows, squares=squares, occupancy=occupancy)


def subtract(whole: Cells, part: Cells) -> Cells:
    """Return the tally that merged with `part` gives `whole`: exact for counts.

    Errors:
        K201, K202, K203 as in `merge`; K208 a count would be negative; K217 weighted tallies, whose
        float sums cannot be subtracted exactly.
    """
    _check_same_frame(whole, part)
    if whole.is_weighted:
        raise error("K217", found="A weighted tally was given to subtract()")
    rest = merge(whole, replace(part, counts=-part.counts, n_rows=-part.n_rows))
    bad = np.argwhere(rest.counts < 0)
    if bad.size:
        where = bad[0]
        if rest.storage == "sparse":
            rows, cols = rest.coordinates()
            i, j = int(rows[where[-1]]), int(cols[where[-1]])
        else:
            i, j = (int(where[-2]), int(where[-1])) if rest.storage == "dense" else (-1, where[-1])
        labels = rest.classes.labels
        raise error("K208", true=labels[i] if i >= 0 else "any", pred=labels[j])
    return rest


def scaled_by_truth(cells: Cells, factors: npt.NDArray[np.float64]) -> Cells:
    """Return the tally whose rows of each true class weigh a factor more, float64[k].

    Errors:
        K204 only the totals of the classes are kept.
    """
    rows, _ = cells.coordinates()
    each = factors[rows].reshape(-1, cells.k) if cells.storage == "dense" else factors[rows]
    squares = cells.squares if cells.is_weighted else cells.counts
    return replace(
        cells, counts=cells.counts * each, squares=None if squares is None else squares * each**2
    )


def union(left: Cells, right: Cells) -> Cells:
    """Merge tallies whose classes were discovered from the data, on the sorted union of classes.

    Errors:
        K108 one has strings and the other numbers; K201 declared classes differ.
    """
    a, b = left.classes, right.classes
    if not (a.is_declared or b.is_declared):
        if not (a.k and b.k):
            return left if a.k else right
        both = common_labels(a, b)
        if both is not a:
            both = replace(both, positive=usual_positive(both.labels))
        left, right = (x if x.classes == both else reorder(x, both) for x in (left, right))
    return merge(left, right)


def occurring(cells: Cells) -> Cells:
    """Drop the classes that do not occur, true or predicted, if classes are discovered.

    The result of `subtract` then has the classes of the remaining rows. Without rows, it is
    unchanged.
    """
    if cells.classes.is_declared:
        return cells
    if cells.storage == "marginals":
        kept = np.flatnonzero(_is_held(cells.counts))
        if not len(kept):
            return cells
        some = cells.classes.some(kept.tolist())
        return _each(cells, lambda values: values[..., kept], classes=some)
    rows, cols = cells.coordinates()
    is_held = _is_held(cells.flat())
    kept = np.union1d(rows[is_held], cols[is_held])
    if not len(kept):
        return cells
    classes = cells.classes.some(kept.tolist())
    if cells.storage == "dense":
        return _each(cells, lambda values: values[..., kept[:, None], kept], classes=classes)
    rows, cols = (np.searchsorted(kept, places[is_held]) for places in (rows, cols))
    return _each(cells, lambda each: each[..., is_held], classes=classes, rows=rows, cols=cols)


def _each(cells: Cells, change: Callable[[Numbers], Numbers], **facts: Any) -> Cells:
    """Return the tally with its numbers transformed, and other facts."""
    for name in ("counts", "squares", "occupancy"):
        facts[name] = if_any(change, getattr(cells, name))
    return replace(cells, **facts)


def _is_held(counts: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether there is a nonzero value along the last axis."""
    return np.asarray(counts.any(axis=tuple(range(counts.ndim - 1))))


def reorder(cells: Cells, classes: Classes) -> Cells:
    """Return the same tally on other classes: a permutation, or more classes (new ones are empty).

    Errors:
        K201 a class of the tally is missing from `classes`.
    """
    if set(cells.classes.labels) - set(classes.labels):
        raise error("K201", left=shown(cells.classes.labels), right=shown(classes.labels))
    to, k = recoding(cells.classes, classes).astype(np.int64), classes.k
    if cells.storage == "sparse":
        rows, cols = (to[places] for places in cells.coordinates())
        order = np.argsort(rows * k + cols, kind="stable")
        facts = {"classes": classes, "rows": rows[order], "cols": cols[order]}
        return _each(cells, lambda values: values[..., order], **facts)
    is_dense = cells.storage == "dense"
    here = (..., to[:, None], to) if is_dense else (..., to)

    def spread(values: Numbers) -> Numbers:
        tail = (k, k) if is_dense else (3, k)
        out = np.zeros((*values.shape[:-2], *tail), values.dtype)
        out[here] = values
        return out

    return _each(cells, spread, classes=classes)


def to_marginals(cells: Cells) -> Cells:
    """Keep only tp, fp and fn of each class."""
    if cells.storage == "marginals":
        return cells
    if cells.storage == "dense" and not cells.is_weighted:
        counts = cells.counts
        tp = np.diagonal(counts, axis1=-2, axis2=-1)
        parts = tp, counts.sum(axis=-2) - tp, counts.sum(axis=-1) - tp
        kept = np.stack(parts, axis=-2)
        return replace(cells, storage="marginals", counts=kept)
    rows, cols = cells.coordinates()
    is_hit = rows == cols

    def totals(values: Numbers) -> Numbers:
        parts = (
            summed_by(rows[is_hit], values[..., is_hit], cells.k),
            summed_by(cols[~is_hit], values[..., ~is_hit], cells.k),
            summed_by(rows[~is_hit], values[..., ~is_hit], cells.k),
        )
        return np.stack(parts, axis=-2)

    flat = cells.flat()
    return replace(
        cells,
        storage="marginals",
        counts=totals(flat),
        squares=if_any(lambda squares: totals(cells.flat(squares)), cells.squares),
        rows=None,
        cols=None,
        # Occupied cells represent rows: only whether they are zero is read.
        occupancy=totals((flat > 0).astype(np.int64)) if cells.is_weighted else None,
    )


def to_sparse(cells: Cells) -> Cells:
    """Keep only the occupied cells."""
    if cells.storage == "sparse":
        return cells
    rows, cols, counts = cells.occupied()
    at = (..., rows * cells.k + cols)
    squares = if_any(lambda values: cells.flat(values)[at], cells.squares)
    return replace(cells, storage="sparse", counts=counts, squares=squares, rows=rows, cols=cols)


def _merge_sparse(left: Cells, right: Cells, n_rows: RowCounts) -> Cells:
    k = left.k
    keys = [cells.coordinates()[0] * k + cells.coordinates()[1] for cells in (left, right)]
    both = np.union1d(*keys)
    places = [np.searchsorted(both, key) for key in keys]

    def added(a: Numbers | None, b: Numbers | None) -> Any:
        if a is None or b is None:
            return None
        out = np.zeros((*a.shape[:-1], both.size), a.dtype)
        out[..., places[0]] = a
        out[..., places[1]] += b
        return out

    rows, cols = np.divmod(both, max(k, 1))
    counts, squares = added(left.counts, right.counts), added(left.squares, right.squares)
    return replace(left, counts=counts, squares=squares, rows=rows, cols=cols, n_rows=n_rows)


def _check_same_frame(left: Cells, right: Cells) -> None:
    if left.classes.labels != right.classes.labels:
        raise error("K201", left=shown(left.classes.labels), right=shown(right.classes.labels))
    if left.axes != right.axes or left.batch_shape != right.batch_shape:
        raise error(
            "K202",
            axis=", ".join(dict.fromkeys(axis.name for axis in (*left.axes, *right.axes)))
            or "shape",
            left=[axis.labels for axis in left.axes] or left.batch_shape,
            right=[axis.labels for axis in right.axes] or right.batch_shape,
        )
    check_weighting(left.is_weighted, right.is_weighted)


def _add_known(left: Numbers | None, right: Numbers | None) -> Numbers | None:
    return None if left is None or right is None else left + right

"""The algebra of tallies: merge (⊕), subtract (⊖), union of discovered classes, and those left.

Laws, tested for every storage and weight: merge has an identity, is associative and commutative
(bit for bit on counts; weights to one rounding a cell), and
``tally(a ++ b) == merge(tally(a), tally(b))``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.tally.cells import Cells, Numbers, summed_by
from karat.tally.classes import Classes

__all__ = ["merge", "occurring", "reorder", "subtract", "to_marginals", "to_sparse", "union"]


def merge(left: Cells, right: Cells) -> Cells:
    """Tally of the two data sets read one after the other.

    Args:
        left, right: tallies of the same classes in the same order, on the same axes.

    Returns:
        Cells on the same axes: dense if both are dense, marginals if either is, else sparse.
        Exact for counts; for weights, exact to one rounding a cell.

    Errors:
        K201 the classes differ; K202 the axes differ; K203 only one is weighted; K213 together they
        count more rows than 64 bits can.

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
    if "marginals" in (left.storage, right.storage):
        left, right = to_marginals(left), to_marginals(right)
    elif left.storage != right.storage:
        left, right = to_sparse(left), to_sparse(right)
    n_rows = left.n_rows + right.n_rows
    # No cell counts more than the rows: where they fit, all sums do.
    if np.any((left.n_rows >= 0) & (right.n_rows >= 0) & (n_rows < 0)):
        raise error("K213", left=int(left.n_rows.max()), right=int(right.n_rows.max()))
    if left.storage == "sparse":
        return _merge_sparse(left, right, n_rows)
    return Cells(
        left.classes,
        left.storage,
        left.counts + right.counts,
        n_rows,
        squares=_add_known(left.squares, right.squares),
        occupancy=_add_known(left.occupancy, right.occupancy),
        axes=left.axes,
    )


def subtract(whole: Cells, part: Cells) -> Cells:
    """The tally that merged with `part` gives `whole`: exact, for counts.

    Errors:
        K201, K202, K203 as in `merge`; K208 a count would be negative; K217 weighted tallies,
        whose float sums cannot be undone exactly.
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


def union(left: Cells, right: Cells) -> Cells:
    """Merge tallies whose classes were discovered from the data: the classes are united, sorted.

    Errors:
        K108 one has strings and the other numbers; K201 declared classes differ.
    """
    a, b = left.classes, right.classes
    if a.labels != b.labels and not (a.is_declared or b.is_declared):
        if not a.k:
            return right
        if not b.k:
            return left
        if isinstance(a.labels[0], str) != isinstance(b.labels[0], str):
            raise error(
                "K108",
                left="one part of the data",
                left_kind=_kind(a),
                left_value=a.labels[0],
                right="another part",
                right_kind=_kind(b),
                right_value=b.labels[0],
            )
        both = Classes.of(sorted({*a.labels, *b.labels}))
        left, right = reorder(left, both), reorder(right, both)
    return merge(left, right)


def occurring(cells: Cells) -> Cells:
    """The same counts on the classes that occur, true or predicted, where classes are discovered.

    What `subtract` leaves then has the classes that the rows left have. Without rows there are
    none to choose by, and it stays as it is.
    """
    if cells.classes.is_declared:
        return cells
    if cells.storage == "marginals":
        kept = np.flatnonzero(_is_held(cells.counts))
        if not len(kept):
            return cells
        return replace(
            cells,
            classes=_some_of(cells, kept),
            counts=cells.counts[..., kept],
            squares=None if cells.squares is None else cells.squares[..., kept],
            occupancy=None if cells.occupancy is None else cells.occupancy[..., kept],
        )
    rows, cols = cells.coordinates()
    is_held = _is_held(cells.flat())
    kept = np.union1d(rows[is_held], cols[is_held])
    if not len(kept):
        return cells
    classes, squares = _some_of(cells, kept), cells.squares
    if cells.storage == "dense":
        here = (..., kept[:, None], kept)
        squares = None if squares is None else squares[here]
        return replace(cells, classes=classes, counts=cells.counts[here], squares=squares)
    return replace(
        cells,
        classes=classes,
        rows=np.searchsorted(kept, rows[is_held]),
        cols=np.searchsorted(kept, cols[is_held]),
        counts=cells.counts[..., is_held],
        squares=None if squares is None else squares[..., is_held],
    )


def _some_of(cells: Cells, kept: npt.NDArray[np.intp]) -> Classes:
    classes = cells.classes
    some = Classes.of([classes.labels[i] for i in kept.tolist()])
    names = classes.names
    return some if names is None else some.named([names[i] for i in kept.tolist()])


def _is_held(counts: Numbers) -> npt.NDArray[np.bool_]:
    """Along the last axis: whether anything is there."""
    return np.asarray(counts.any(axis=tuple(range(counts.ndim - 1))))


def reorder(cells: Cells, classes: Classes) -> Cells:
    """The same tally on other classes: a permutation, or more classes (new ones are empty).

    Errors:
        K201 a class of the tally is missing from `classes`.
    """
    position = {label: i for i, label in enumerate(classes.labels)}
    if any(label not in position for label in cells.classes.labels):
        raise error("K201", left=shown(cells.classes.labels), right=shown(classes.labels))
    to = np.array([position[label] for label in cells.classes.labels], np.int64)
    k = classes.k
    if cells.storage == "dense":
        return replace(
            cells,
            classes=classes,
            counts=_scattered(cells.counts, to, k),
            squares=None if cells.squares is None else _scattered(cells.squares, to, k),
        )
    if cells.storage == "marginals":
        return replace(
            cells,
            classes=classes,
            counts=_spread_last(cells.counts, to, k),
            squares=None if cells.squares is None else _spread_last(cells.squares, to, k),
            occupancy=None if cells.occupancy is None else _spread_last(cells.occupancy, to, k),
        )
    rows, cols = cells.coordinates()
    new_rows, new_cols = to[rows], to[cols]
    order = np.argsort(new_rows * k + new_cols, kind="stable")
    return replace(
        cells,
        classes=classes,
        rows=new_rows[order],
        cols=new_cols[order],
        counts=cells.counts[..., order],
        squares=None if cells.squares is None else cells.squares[..., order],
    )


def to_marginals(cells: Cells) -> Cells:
    """Keep tp, fp and fn of each class only."""
    if cells.storage == "marginals":
        return cells
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
    return Cells(
        cells.classes,
        "marginals",
        totals(flat),
        cells.n_rows,
        None if cells.squares is None else totals(cells.flat(cells.squares)),
        # Occupied cells stand for rows: all that is read of it is whether it is zero.
        occupancy=totals((flat > 0).astype(np.int64)) if cells.is_weighted else None,
        axes=cells.axes,
    )


def to_sparse(cells: Cells) -> Cells:
    """Keep the occupied cells only."""
    if cells.storage == "sparse":
        return cells
    rows, cols, counts = cells.occupied()
    squares = cells.squares
    if squares is not None:
        squares = cells.flat(squares)[..., rows * cells.k + cols]
    return replace(cells, storage="sparse", counts=counts, squares=squares, rows=rows, cols=cols)


def _merge_sparse(left: Cells, right: Cells, n_rows: npt.NDArray[np.int64]) -> Cells:
    k = left.k
    keys = [cells.coordinates()[0] * k + cells.coordinates()[1] for cells in (left, right)]
    both = np.union1d(*keys)
    places = [np.searchsorted(both, key) for key in keys]

    def added(a: Numbers, b: Numbers) -> Numbers:
        out = np.zeros((*a.shape[:-1], both.size), a.dtype)
        out[..., places[0]] = a
        out[..., places[1]] += b
        return out

    squares = None
    if left.squares is not None and right.squares is not None:
        squares = added(left.squares, right.squares)
    rows, cols = np.divmod(both, max(k, 1))
    return replace(
        left,
        counts=added(left.counts, right.counts),
        squares=squares,
        rows=rows,
        cols=cols,
        n_rows=n_rows,
    )


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
    if left.is_weighted != right.is_weighted:
        kinds = ["weighted" if cells.is_weighted else "unweighted" for cells in (left, right)]
        raise error("K203", left=kinds[0], right=kinds[1])


def _add_known(left: Numbers | None, right: Numbers | None) -> Numbers | None:
    return None if left is None or right is None else left + right


def _scattered(values: Numbers, to: npt.NDArray[np.int64], k: int) -> Numbers:
    out = np.zeros((*values.shape[:-2], k, k), values.dtype)
    out[..., to[:, None], to[None, :]] = values
    return out


def _spread_last(values: Numbers, to: npt.NDArray[np.int64], k: int) -> Numbers:
    out = np.zeros((*values.shape[:-1], k), values.dtype)
    out[..., to] = values
    return out


def _kind(classes: Classes) -> str:
    return "strings" if isinstance(classes.labels[0], str) else "numbers"

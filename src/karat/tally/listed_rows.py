"""`ListedRows`: the rows behind a number: of each cell, bin and slice, the most wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.row_sample import row_parts
from karat.tally.shared import Floats, taken

Places: TypeAlias = npt.NDArray[np.int64]
Kind: TypeAlias = Literal["cell", "bin", "slice"]

MOST_LISTED: Final = 20_000
"""Rows kept for all groups together; with more groups, fewer are kept of each."""
_PENDING: Final = 1 << 16
"""Candidates that are gathered before they are ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups of rows, one for each row.

    Attributes:
        kind: ``"cell"``: true class × k + predicted class; ``"bin"``: by the probability of a
            class; ``"slice"``: by the values of columns.
        of: the class of bins, or the columns of slices; empty for cells.
        names: name of each slice in each column; the edges of bins; empty for cells.
        codes: int64[m], group of each row.
        groups: int64[g], groups that have rows, ascending.
        counts: int64[g], their rows, listed or not.
    """

    kind: Kind
    of: tuple[Any, ...]
    names: tuple[Any, ...]
    codes: Places
    groups: Places
    counts: Places

    @classmethod
    def whole(
        cls, kind: Kind, of: tuple[Any, ...], names: Sequence[Any], codes: npt.NDArray[Any]
    ) -> Grouping:
        """Return the groups of all rows."""
        each = np.asarray(codes, np.int64)
        if len(each) and int(each.max()) <= max(len(each), _PENDING):
            of_all = np.bincount(each)
            groups = np.flatnonzero(of_all)
            return cls(kind, of, tuple(names), each, groups, of_all[groups].astype(np.int64))
        groups, counts = np.unique(each, return_counts=True)
        return cls(kind, of, tuple(names), each, groups, counts.astype(np.int64))

    def at(self, rows: Places) -> Grouping:
        """Return some of the rows; counts stay."""
        return replace(self, codes=self.codes[rows])

    def merge(self, other: Grouping) -> Grouping:
        """Return the rows of this, then those of the other; slices are matched by name."""
        names, moved = self.names, np.arange(len(other.names))
        if self.kind == "slice":
            names = tuple(dict.fromkeys((*self.names, *other.names)))
            place = {name: i for i, name in enumerate(names)}
            moved = np.array([place[name] for name in other.names], np.int64)
        is_moved = self.kind == "slice"
        codes = moved[other.codes] if is_moved else other.codes
        added = moved[other.groups] if is_moved else other.groups
        groups, at = np.unique(np.concatenate([self.groups, added]), return_inverse=True)
        counts = np.zeros(len(groups), np.int64)
        np.add.at(counts, at, np.concatenate([self.counts, other.counts]))
        both = np.concatenate([self.codes, codes])
        return replace(self, names=names, codes=both, groups=groups, counts=counts)


@dataclass(frozen=True, eq=False)
class ListedRows:
    """Rows by number, up to a limit of each group: immutable; made by `of`, combined by `merge`.

    Rows are ordered: wrong before right ones, then by margin, ascending, then by number. The margin
    is the score of the true class less the largest of the others, so the most confident errors come
    first, and the right rows that were nearly wrong before the others. The first rows of a group
    depend on the rows alone, not on batches or threads.

    Attributes:
        limit: rows kept of a group.
        rows: int64[m], number of each row in its source, from 0; in the order above.
        true, pred: int64[m], its classes.
        margins: float64[m]; 0 without scores.
        values: float64[m, 1], the score of the positive class; or float64[m, 2], of the true and
            the predicted class; None without scores.
        weights: float64[m], or None.
        groupings: the cells, then bins and slices.
        k: number of classes.
        most: rows kept for all groups together.
        ids: name of each row, or None: their numbers are their names.
    """

    limit: int
    rows: Places
    true: Places
    pred: Places
    margins: Floats
    values: Floats | None
    weights: Floats | None
    groupings: tuple[Grouping, ...]
    k: int
    most: int = MOST_LISTED
    ids: tuple[int | str | None, ...] | None = None

    @property
    def n(self) -> int:
        """Number of rows, listed or not."""
        return int(self.groupings[0].counts.sum())

    @property
    def limit_of_each(self) -> int:
        """Rows kept of each group: the limit, or fewer where groups are many; 0: of some groups."""
        counts = np.concatenate([one.counts for one in self.groupings])
        return _limit_within(counts, self.limit, self.most)

    def merge(self, other: ListedRows) -> ListedRows:
        """Return the rows of both, whose numbers are those of one source; in any order.

        Cost: a sort of the listed rows.
        """
        pairs = zip(self.groupings, other.groupings, strict=True)
        merged: dict[str, Any] = {
            name: _joined(getattr(self, name), getattr(other, name))
            for name in ("rows", "true", "pred", "margins", "values", "weights")
        }
        groupings = tuple(left.merge(right) for left, right in pairs)
        return replace(self, **merged, groupings=groupings)._pruned()

    def within(self, most: int) -> ListedRows:
        """Return fewer rows: at most this many, the first of each group."""
        return replace(self, most=min(most, self.most))._pruned()

    def at(self, places: Places) -> ListedRows:
        """Return some of the listed rows; counts stay."""
        arrays: dict[str, Any] = {
            name: taken(getattr(self, name), places)
            for name in ("rows", "true", "pred", "margins", "values", "weights")
        }
        ids = None if self.ids is None else tuple(self.ids[i] for i in places.tolist())
        groupings = tuple(one.at(places) for one in self.groupings)
        return replace(self, **arrays, groupings=groupings, ids=ids)

    def _pruned(self) -> ListedRows:
        """Return the first rows of each group, in their order."""
        order = np.lexsort((self.rows, self.margins, self.true == self.pred))
        found, limit = self.at(order), self.limit_of_each
        ranks = [_ranks(one.codes) for one in found.groupings]
        if limit:
            kept = reduce(np.logical_or, (rank < limit for rank in ranks))
            return found.at(np.flatnonzero(kept))
        # More groups than rows may be kept: the first row of those with the most wrong ones.
        firsts = np.sort(np.concatenate([np.flatnonzero(rank == 0) for rank in ranks]))
        return found.at(np.unique(firsts[: self.most]))


def listed_rows(
    true: npt.NDArray[Any],
    pred: npt.NDArray[Any],
    margins: Floats | None,
    groupings: Sequence[Grouping],
    *,
    k: int,
    limit: int,
    most: int = MOST_LISTED,
) -> tuple[ListedRows, Places]:
    """List the rows of groups, and return the places of the listed rows.

    Args:
        true, pred: integer[n], classes.
        margins: float64[n]: the score of the true class less the largest of the others; or None.
        groupings: bins and slices, of all rows.

    Cost: some passes over the rows, and sorts of what may be listed.

    Example:
        >>> import numpy as np
        >>> true, pred = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0])
        >>> found, _ = listed_rows(true, pred, np.array([0.5, -0.1, -0.2, -0.9]), [], k=2, limit=1)
        >>> found.rows.tolist(), found.n
        ([3, 1, 0], 4)
    """
    cells = np.asarray(true, np.int64) * k + pred
    every = [Grouping.whole("cell", (), (), cells), *groupings]
    limit_of_each = max(1, _limit_within(np.concatenate([x.counts for x in every]), limit, most))
    is_right = np.asarray(true == pred)
    none = np.zeros(0, np.int64)
    places = none
    for one in every:
        places = np.union1d(places, _candidates(one, margins, is_right, limit_of_each))
    found = ListedRows(
        limit,
        places,
        np.asarray(true[places], np.int64),
        np.asarray(pred[places], np.int64),
        np.zeros(len(places)) if margins is None else margins[places],
        None,
        None,
        tuple(one.at(places) for one in every),
        k,
        most,
    )._pruned()
    return found, found.rows


def _candidates(
    grouping: Grouping, margins: Floats | None, is_right: npt.NDArray[np.bool_], limit: int
) -> Places:
    """Return rows among which are the first `limit` of each group."""
    codes, n_groups = grouping.codes, int(grouping.groups.max(initial=-1)) + 1
    if n_groups > max(len(codes), _PENDING):
        codes, n_groups = np.searchsorted(grouping.groups, codes), len(grouping.groups)
    last = np.full(2 * n_groups, np.inf)
    kept = np.zeros(0, np.int64)
    pending: list[Places] = []
    n_pending = 0
    for part in row_parts(len(codes)):
        # Wrong and right rows of a group apart: one comparison of margins decides.
        own = 2 * codes[part] + is_right[part]
        of_part = 0.0 if margins is None else margins[part]
        some = np.flatnonzero(of_part < last[own]) + part.start
        if len(some):
            pending.append(some)
            n_pending += len(some)
        if n_pending > max(_PENDING // 8, len(kept) // 2) or part.stop == len(codes):
            both = np.concatenate([kept, *pending])
            pending, n_pending = [], 0
            groups = 2 * codes[both] + is_right[both]
            of_both = np.zeros(len(both)) if margins is None else margins[both]
            order = np.lexsort((both, of_both, groups))
            ranks = _ranks(groups[order])
            kept = both[order[ranks < limit]]
            full = order[ranks == limit - 1]
            last[groups[full]] = of_both[full]
    return kept


def _ranks(codes: Places) -> Places:
    """int64[m]: the number of earlier rows of the same group."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    is_first = np.ones(len(codes), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    place = np.arange(len(codes))
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = place - starts[np.cumsum(is_first) - 1] if len(codes) else place
    return ranks


def _limit_within(counts: Places, limit: int, most: int) -> int:
    """Return the largest limit of a group with which no more rows than `most` are kept."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(counts, middle).sum()) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _joined(left: npt.NDArray[Any] | None, right: npt.NDArray[Any] | None) -> Any:
    return None if left is None or right is None else np.concatenate([left, right])

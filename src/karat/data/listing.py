"""Rows that are listed behind a number: chosen from a batch of rows, and named by their ids."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.arguments import check_are_values
from karat.data.arrow import ArrowColumn
from karat.data.clusters import encode_names
from karat.data.labels.column import is_missing
from karat.data.rows import Rows
from karat.data.scores.rows import InMemoryScores
from karat.errors import error
from karat.errors.reasons import MixedLabelsError, NotLabelsError, NotWholeError
from karat.tally.bins import uniform_edges
from karat.tally.listed_rows import Grouping, ListedRows, listed_rows
from karat.tally.row_sample import row_parts
from karat.tally.shared import Floats, taken

N_BINS: Final = 15
"""Bins of a class, as in reliability diagrams: (lo, hi]."""
MOST_BINNED: Final = 10
"""With more classes, no bins are listed."""
KEPT_ROWS: Final = 20
"""Rows kept of each group where rows are listed and no number is given."""
MOST_KEPT: Final = 10_000
"""Rows kept of a group, at most."""


def listed_of(
    rows: Rows,
    limit: int,
    *,
    scores: InMemoryScores | None = None,
    first_row: int = 0,
    edges: Sequence[Floats] = (),
) -> ListedRows:
    """List the most wrong rows of each cell, bin and slice.

    Args:
        rows: the rows; with predictions, unless there are scores.
        limit: rows kept of each group.
        scores: the same rows, as metrics read them.
        first_row: number of the first row in its source.
        edges: further bins of the positive class of two.

    Cost: two passes over the scores, and one for each class with bins and each column of slices.
    """
    pred = rows.pred if scores is None else scores.predicted()
    assert pred is not None
    k = rows.classes.k
    slices = [Grouping.whole("slice", one.columns, one.keys, one.codes) for one in rows.by]
    margins = None if scores is None else margins_of(scores)
    bins = [] if scores is None else list(_bins(scores, edges))
    found, at = listed_rows(rows.true, pred, margins, [*bins, *slices], k=k, limit=limit)
    if scores is not None:
        found = replace(found, values=shown_scores(scores, np.asarray(pred), at))
    source = at if rows.kept is None else np.flatnonzero(rows.kept)[at]
    return replace(found, rows=source + first_row, weights=taken(rows.weights, at))


def margins_of(scores: InMemoryScores) -> Floats:
    """float64[n]: the score of the true class less the largest of the others."""
    values, codes = scores.scores.values, scores.codes
    found = np.empty(scores.n_rows)
    if values.ndim == 1:
        sign = np.where(codes == scores.classes.positive, 1.0, -1.0)
        wide = values.astype(np.float64)
        return np.asarray(sign * (2.0 * wide - 1.0 if scores.is_prob else wide))
    for part in row_parts(scores.n_rows):
        block = values[part].astype(np.float64)
        at = np.arange(len(block)), codes[part]
        own = block[at]
        block[at] = -np.inf
        found[part] = own - block.max(axis=1)
    return found


def shown_scores(scores: InMemoryScores, pred: npt.NDArray[Any], at: npt.NDArray[Any]) -> Floats:
    """float64[m, 1], the scores of the positive class; or [m, 2], of the true and predicted one."""
    values, positive = scores.scores.values, scores.classes.positive
    if values.ndim == 1:
        return np.asarray(values[at, None], np.float64)
    if scores.classes.k == 2 and positive is not None:
        column = scores.column_values(positive, is_prob=False)
        return np.asarray(column[at, None], np.float64)
    pairs = [values[at, scores.codes[at]], values[at, pred[at]]]
    return np.stack(pairs, axis=1).astype(np.float64)


def _bins(scores: InMemoryScores, edges: Sequence[Floats]) -> Iterable[Grouping]:
    """The bins of the positive class, or of each class."""
    k, positive = scores.classes.k, scores.classes.positive
    if k > MOST_BINNED or k < 2:
        return
    for i in range(k) if positive is None else [positive]:
        values = np.empty(scores.n_rows)
        for part in row_parts(scores.n_rows):
            values[part] = scores.probabilities(i, part)
        for each in (uniform_edges(N_BINS), *edges):
            codes = np.searchsorted(each[1:-1], values, side="left")
            yield Grouping.whole("bin", (i,), tuple(each.tolist()), codes)


def named(found: ListedRows, ids: Any) -> ListedRows:
    """Return the rows with their ids.

    Args:
        ids: one id for each row of the source, in any container.
    """
    try:
        return replace(found, ids=tuple(ids_at(ids, found.rows)))
    except (NotWholeError, NotLabelsError, MixedLabelsError):
        # A column that was found by its name may hold what names no row.
        return found


def ids_at(ids: Any, places: npt.NDArray[np.int64]) -> list[int | str | None]:
    """Return the ids of some rows: whole numbers and text as they are, others as text.

    Example:
        >>> import numpy as np
        >>> ids_at(["a", "b", None], np.array([2, 0]))
        [None, 'a']
    """
    if isinstance(ids, ArrowColumn):
        column = encode_names(ids, "ids", "keep", "ids")
        gone = np.zeros(len(column), np.bool_) if column.missing is None else column.missing
        return [None if gone[place] else column.label_at(place) for place in places.tolist()]
    if not hasattr(ids, "take") and hasattr(ids, "__array__") and not hasattr(ids, "to_list"):
        ids = np.asarray(ids)
    if hasattr(ids, "take"):
        some = ids.take(places)  # by position, also of pandas
        values = some.tolist() if hasattr(some, "tolist") else list(some)
    else:
        values = [ids[i] for i in places.tolist()]
    return list(map(_id, values))


def _id(value: Any) -> int | str | None:
    value = value.as_py() if hasattr(value, "as_py") else value
    if is_missing(value):
        return None
    is_whole = isinstance(value, float) and value.is_integer()
    is_whole |= isinstance(value, numbers.Integral) and type(value).__name__ != "bool"
    return int(value) if is_whole else str(value)


def checked_ids(ids: Any, n: int) -> Any:
    """Return ids of rows in memory, one for each row.

    Errors:
        K102 another number of them; K103 several columns; K451 they are no values.
    """
    check_are_values("ids", ids)
    if getattr(ids, "ndim", 1) != 1 or isinstance(ids, Mapping):
        raise error("K103", argument="ids", shape=getattr(ids, "shape", "of several columns"))
    values = ids if hasattr(ids, "__getitem__") or hasattr(ids, "take") else list(ids)
    if len(values) != n:
        raise error("K102", left="y_true", n_left=n, right="ids", n_right=len(values))
    return values


def limit_of_rows(keep_rows: int | None, ids: Any) -> int:
    """Return how many rows are kept of each group; without a number, some if rows have ids."""
    if keep_rows is not None:
        return keep_rows
    return KEPT_ROWS if ids is not None and not (isinstance(ids, str) and not ids) else 0


def checked_limit(keep_rows: Any) -> int:
    """Return a number of rows to keep of each group (K232)."""
    is_number = isinstance(keep_rows, numbers.Integral) and not isinstance(keep_rows, bool)
    if not is_number or not 0 <= int(keep_rows) <= MOST_KEPT:
        raise error("K232", value=keep_rows, most=MOST_KEPT)
    return int(keep_rows)

"""The rows behind the numbers of a report in JSON: columns of the listed rows, and their groups."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from karat.output.json import codec as js
from karat.output.json.codec import Kind, Scope, require
from karat.tally.listed_rows import Grouping, ListedRows

_ID: Final = js.or_null(
    js.scalar(lambda x: isinstance(x, str | int) and not isinstance(x, bool), "text or a number")
)
_COLUMN: Final = js.COUNTS.where(
    lambda x, _: x.ndim == 1 and (x >= 0).all(), "a list of whole numbers of at least 0"
)
_AMOUNTS: Final = js.AMOUNTS.where(lambda x, _: x.ndim == 1, "a list of numbers")
_NAME: Final = Kind(
    lambda part, s: tuple(js.TEXTS.read(part, s)) if isinstance(part.value, list) else part.value,
    js.plain,
)


def _grouping(s: Scope) -> Grouping:
    codes = s.true * s.classes.k + s.pred if s.kind == "cell" else s.codes
    n_groups = {"cell": s.classes.k**2, "bin": len(s.names) - 1, "slice": len(s.names)}[s.kind]
    what = f"rows.groupings[{s.place}]"
    require(len(codes) == len(s.rows), f"{what}.codes is not one number for each row")
    require(len(s.groups) == len(s.counts), f"{what}.counts is not one number for each group")
    is_ascending = bool((np.diff(s.groups) > 0).all()) and (s.groups < n_groups).all()
    require(is_ascending, f"{what}.groups are not groups of it, ascending")
    at = np.searchsorted(s.groups, codes)
    is_in = (at < len(s.groups)) & (s.groups[np.minimum(at, len(s.groups) - 1)] == codes)
    require(is_in.all(), f"{what}.codes has a group without rows")
    n_listed = np.bincount(at, minlength=len(s.groups))
    require((n_listed <= s.counts).all(), f"{what}.counts are fewer than the rows that are listed")
    require(int(s.counts.sum()) == s.n_rows, f"{what}.counts do not add up to n_rows")
    if s.kind == "bin":
        (label,) = s.of if len(s.of) == 1 else (None,)
        is_class = isinstance(label, int) and 0 <= label < s.classes.k
        is_edge = all(map(js.is_number, s.names)) and bool((np.diff(s.names) >= 0).all())
        require(is_class and is_edge, f"{what} is not of bins of a class")
    if s.kind == "slice":
        is_key = all(isinstance(name, tuple) and len(name) == len(s.of) for name in s.names)
        require(is_key and all(isinstance(x, str) for x in s.of), f"{what} is not of slices")
    return Grouping(s.kind, tuple(s.of), tuple(s.names), codes, s.groups, s.counts)


_GROUPING: Final = js.record(
    _grouping,
    kind=js.choice("cell", "bin", "slice"),
    of=js.each(js.RAW),
    names=js.each(_NAME),
    codes=_COLUMN.of(lambda one: js.OMITTED if one.kind == "cell" else one.codes).or_absent(()),
    groups=_COLUMN,
    counts=_COLUMN,
)


def _check_columns(s: Scope) -> None:
    """Refuse columns that do not fit each other, before groups are read by them."""
    m = len(s.rows)
    columns: dict[str, Any] = {x: getattr(s, x) for x in ("true", "pred", "margins")}
    columns |= {"ids": s.ids, "values": s.values, "weights": s.weights}
    for name, column in columns.items():
        require(column is None or len(column) == m, f"rows.{name} is not one for each row")
    for name in ("true", "pred"):
        require((columns[name] < s.classes.k).all(), f"rows.{name} has an unknown class")
    is_shaped = s.values is None or (s.values.ndim == 2 and 1 <= s.values.shape[1] <= 2)
    require(is_shaped, "rows.values are not one or two scores of each row")
    require(len(np.unique(s.rows)) == m, "rows.rows has a row twice")


def _rows(s: Scope) -> ListedRows:
    m = len(s.rows)
    kinds = [one.kind for one in s.groupings]
    require(kinds[:1] == ["cell"] and kinds.count("cell") == 1, "rows.groupings lack the cells")
    order = np.lexsort((s.rows, s.margins, s.true == s.pred))
    require((order == np.arange(m)).all(), "rows.rows are not in their order")
    ids = None if s.ids is None else tuple(s.ids)
    facts = (s.limit, s.rows, s.true, s.pred, s.margins, s.values, s.weights)
    return ListedRows(*facts, tuple(s.groupings), s.classes.k, ids=ids)


def _optional(kind: Kind, name: str) -> Kind:
    def get(listed: ListedRows) -> Any:
        found = getattr(listed, name)
        return js.OMITTED if found is None else found

    return kind.of(get).or_absent(None)


ROWS: Final = js.record(
    _rows,
    limit=js.COUNT,
    rows=_COLUMN,
    ids=_optional(js.each(_ID), "ids"),
    true=_COLUMN,
    pred=_COLUMN,
    margins=_AMOUNTS,
    values=_optional(js.AMOUNTS, "values"),
    weights=_optional(_AMOUNTS, "weights"),
    columns=js.given(_check_columns),
    groupings=js.each(_GROUPING),
)
"""Read after the classes and the number of rows."""

"""The rows that a page lists behind a cell, a bin and a slice: as many as fit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors.text import harmless
from karat.output.html.figures import bins_of
from karat.results.row_list import score_titles

if TYPE_CHECKING:
    from karat.results.report import ClassReport
    from karat.tally.listed_rows import Grouping, ListedRows

LARGEST: Final = 297_000
"""Bytes of a page with rows, at most."""
_ROOM: Final = 40_000
"""Bytes of its rows, at most."""
MOST: Final = 4_000
"""Rows of a page, at most."""
_LEAST: Final = 5
"""Rows of each cell; where fewer fit, bins list none."""


def rows_on_page(
    report: ClassReport, places: Sequence[int] | None, n_bytes: int
) -> dict[str, Any] | None:
    """The rows that the script of a page lists; None where none were kept.

    Args:
        places: of each class, its place in the matrix of the page; None: there is no matrix.
        n_bytes: what the page takes without them.
    """
    listed = report.kept_rows
    if listed is None:
        return None
    room = min(_ROOM, LARGEST - n_bytes)
    found = _fitting(report, listed, places, room)
    if found is None or found["limit"] < _LEAST:
        # Of many classes the bins are most of the groups, and cells come first.
        others = tuple(one for one in listed.groupings if one.kind != "bin")
        found = _fitting(report, replace(listed, groupings=others), places, room) or found
    return found


def _fitting(
    report: ClassReport, listed: ListedRows, places: Sequence[int] | None, room: int
) -> dict[str, Any] | None:
    """As many rows as fit into these bytes; None where none do."""
    bins = bins_of(report) if any(one.kind == "bin" for one in listed.groupings) else {}
    low, high, found = 0, MOST, None
    while low < high:
        middle = (low + high + 1) // 2
        tried = _written(report, listed.within(middle), places, bins)
        if len(json.dumps(tried, ensure_ascii=False, separators=(",", ":")).encode()) <= room:
            low, found = middle, tried
        else:
            high = middle - 1
    return found


def _written(
    report: ClassReport,
    listed: ListedRows,
    places: Sequence[int] | None,
    bins: Mapping[str, Sequence[tuple[int, int, Any]]],
) -> dict[str, Any]:
    names = listed.rows.tolist() if listed.ids is None else map(_id, listed.ids)
    values = [] if listed.values is None else listed.values.T.tolist()
    of_class = np.arange(listed.k) if places is None else np.asarray(places)
    by_kind: dict[str, list[Grouping]] = {"bin": [], "slice": []}
    for one in listed.groupings[1:]:
        by_kind[one.kind].append(one)
    limit = listed.limit_of_each or 1
    is_whole = places is not None and len({*places}) == listed.k
    figures = {name: [*_bins(by_kind["bin"], each, limit)] for name, each in bins.items()}
    of_columns = {one.of if len(one.of) > 1 else one.of[0]: one for one in by_kind["slice"]}
    return {
        "limit": limit,
        "head": "row" if listed.ids is None else "id",
        "ids": list(names),
        # Of a matrix that shows every class, they are those of the matrix.
        "names": None if is_whole else [harmless(name) for name in report.classes.display],
        "place": None if is_whole else of_class.tolist(),
        "true": listed.true.tolist(),
        "pred": listed.pred.tolist(),
        "scores": [
            [title, [_short(x, k=listed.k) for x in column]]
            for title, column in zip(score_titles(len(values), report.scores), values, strict=False)
        ],
        "weights": None
        if listed.weights is None
        else [float(f"{x:.6g}") for x in listed.weights.tolist()],
        "counts": _counts(listed, of_class) if report.is_weighted else None,
        "slices": [
            _slices(of_columns[key]) if key in of_columns else None for key in report.slices
        ],
        "figures": {
            name: "reliability" if name == "scores" and each == figures["reliability"] else each
            for name, each in figures.items()
        },
    }


def _short(x: float, k: int) -> float:
    """A score in four digits; of several classes, in ten thousandths."""
    found = float(f"{x:.4g}") if k == 2 else round(x, 4)
    return int(found) if found == int(found) else found


def _id(name: int | str | None) -> int | str | None:
    return harmless(name) if isinstance(name, str) else name


def _counts(listed: ListedRows, places: Any) -> list[list[int]]:
    """Rows of each cell, where the matrix shows weights."""
    cells = listed.groupings[0]
    row, column = (places[x] for x in np.divmod(cells.groups, listed.k))
    columns = (row.tolist(), column.tolist(), cells.counts.tolist())
    return [list(one) for one in zip(*columns, strict=True)]


def _slices(one: Grouping) -> dict[str, Any]:
    counts = np.zeros(len(one.names), np.int64)
    counts[one.groups] = one.counts
    return {
        "of": harmless(" × ".join(one.of)),
        "alone": len(one.of) == 1,
        "names": [harmless(", ".join(name)) for name in one.names],
        "codes": one.codes.tolist(),
        "counts": counts.tolist(),
    }


def _bins(
    groupings: Sequence[Grouping], edges_of: Sequence[tuple[int, int, Any]], limit: int
) -> Iterator[list[Any] | None]:
    """Iterate over the bins of a table: the number of rows and the listed rows of each."""
    for label, place, edges in edges_of:
        found: list[Any] | None = None
        for one in groupings:
            is_it = one.of == (label,) and len(one.names) == len(edges)
            if is_it and np.allclose(one.names, edges, rtol=0, atol=1e-12):
                n = int(one.counts[one.groups == place].sum())
                found = [n, np.flatnonzero(one.codes == place)[:limit].tolist()]
        yield found

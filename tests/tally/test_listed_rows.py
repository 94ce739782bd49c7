"""Listed rows are the first of each group, whatever the batches and the order of merging."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from karat.tally.listed_rows import Grouping, ListedRows, listed_rows

K = 3
Rows = dict[str, Any]


def rows_of(rng: np.random.Generator, n: int) -> Rows:
    """Rows with many equal margins, and slices."""
    true, pred = rng.integers(0, K, n), rng.integers(0, K, n)
    margins = np.where(true == pred, 1, -1) * rng.integers(0, 6, n) / 6
    return {"true": true, "pred": pred, "margins": margins, "by": rng.integers(0, 2, n)}


def listed(rows: Rows, part: slice, limit: int, most: int, names: Any = ("a", "b")) -> ListedRows:
    by = rows["by"][part] if names == ("a", "b") else 1 - rows["by"][part]
    slices = Grouping.whole("slice", ("x",), names, by)
    sides = (rows[name][part] for name in ("true", "pred", "margins"))
    found, at = listed_rows(*sides, [slices], k=K, limit=limit, most=most)
    assert found.rows.tolist() == at.tolist()
    return replace(found, rows=found.rows + part.start)


def slowly(rows: Rows, limit: int) -> list[int]:
    """The same by sorting all rows."""
    key = list(zip(rows["true"] == rows["pred"], rows["margins"], range(10_000), strict=False))
    kept: set[int] = set()
    for codes in (rows["true"] * K + rows["pred"], rows["by"]):
        for code in set(codes.tolist()):
            kept |= {*sorted(np.flatnonzero(codes == code).tolist(), key=key.__getitem__)[:limit]}
    return sorted(kept, key=key.__getitem__)


def test_the_first_rows_of_each_group_are_kept_for_any_batches_and_order() -> None:
    rng = np.random.default_rng(0)
    n_overfull = 0
    for _ in range(150):
        n, limit, most = (int(rng.integers(1, top)) for top in (60, 4, 30))
        rows = rows_of(rng, n)
        cuts = [0, *sorted(rng.integers(0, n + 1, 3).tolist()), n]
        # Slices are matched by their names, and not by their codes.
        names = [("a", "b"), ("b", "a")]
        parts = [
            listed(rows, slice(a, b), limit, most, names[int(rng.integers(0, 2))])
            for a, b in pairwise(cuts)
        ]
        whole = listed(rows, slice(0, n), limit, most)
        merged = reduce(ListedRows.merge, [parts[i] for i in rng.permutation(len(parts))])
        assert merged.rows.tolist() == whole.rows.tolist()
        assert merged.n == whole.n == n
        assert len(whole.rows) <= most
        each = whole.limit_of_each
        n_overfull += not each
        if each:
            assert whole.rows.tolist() == slowly(rows, each)
    assert n_overfull, "no case has more groups than rows may be kept"


@pytest.mark.parametrize("wrong", ["order", "limit"])
def test_another_order_or_limit_is_seen(wrong: str) -> None:
    """The sabotage of the test above."""
    rows = rows_of(np.random.default_rng(1), 60)
    changed = dict(rows)
    if wrong == "order":
        changed["margins"] = -rows["margins"]
    found = listed(changed, slice(0, 60), 2 + (wrong == "limit"), 1000)
    assert found.rows.tolist() != slowly(rows, 2)
    assert listed(rows, slice(0, 60), 2, 1000).rows.tolist() == slowly(rows, 2)


def test_rows_in_several_blocks_are_those_of_one_sort() -> None:
    rng = np.random.default_rng(2)
    rows = rows_of(rng, 200_000)
    rows["margins"] = np.where(rows["true"] == rows["pred"], 1, -1) * rng.random(200_000)
    found = listed(rows, slice(0, 200_000), 3, 1000)
    key = np.lexsort((np.arange(200_000), rows["margins"], rows["true"] == rows["pred"]))
    cells = (rows["true"] * K + rows["pred"])[key]
    first = {*np.concatenate([key[cells == c][:3] for c in range(K * K)]).tolist()}
    first |= {*np.concatenate([key[rows["by"][key] == s][:3] for s in range(2)]).tolist()}
    assert {*found.rows.tolist()} == first


def test_labels_alone_keep_the_order_of_the_source() -> None:
    true, pred = np.zeros(10, int), np.array([0, 1] * 5)
    found, _ = listed_rows(true, pred, None, [], k=2, limit=2)
    assert found.rows.tolist() == [1, 3, 0, 2]

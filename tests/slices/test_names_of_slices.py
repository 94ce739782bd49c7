"""What tells slices and columns apart: names that are one as text, numbers that no float holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat

N = 60
TRUE = np.tile([0, 1, 1], N // 3)
PRED = np.tile([0, 1], N // 2)
FIRST, SECOND = ["a", "b"] * (N // 2), ["x", "y", "z"] * (N // 3)


def slices_by(values: Any) -> dict[str, int]:
    table = karat.evaluate(TRUE, PRED, by=values, metrics=["accuracy"]).slices["by"]
    return {one.name: one.n_rows for one in table.values()}


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ({1: FIRST, "1": SECOND}, "1 and '1' are one name"),
        ({("a",): (FIRST,), "a": SECOND}, "('a',) and 'a' are one name"),
        ({("a", 1): (FIRST, SECOND), ("a", "1"): (SECOND, FIRST)}, "are one name"),
        ({(): ()}, "names no column"),
        ({("a", "a"): (FIRST, SECOND)}, "names a column twice"),
        ({("1", 1): (FIRST, SECOND)}, "names a column twice"),
    ],
)
def test_names_that_are_one_are_refused(by: Any, told: str) -> None:
    with pytest.raises(karat.KaratError, match=re.escape(told)) as caught:
        karat.evaluate(TRUE, PRED, by=by)
    assert caught.value.code == "K181"


def test_two_columns_of_one_name_are_refused_among_many() -> None:
    with pytest.raises(karat.KaratError, match="are one name"):
        karat.find_weak_slices(
            TRUE, PRED, by={1: FIRST, "1": SECOND}, interval=karat.Interval(n_replicates=99)
        )


@pytest.mark.parametrize(
    "values",
    [
        [2**60 + 1, 2**60 + 2, 2**60 + 3],
        [2**70, 2**70 + 1, -(2**70)],
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 3], np.uint64),
        [-(2**63), 2**63 - 1, 0],
    ],
)
def test_large_whole_numbers_stay_values(values: Any) -> None:
    kind = values.dtype if isinstance(values, np.ndarray) else None
    column = np.tile(values, N // 3) if kind else list(values) * (N // 3)
    assert slices_by(column) == {str(int(x)): N // 3 for x in sorted(map(int, values))}


@pytest.mark.parametrize("start", [2**53, 2**60, 2**70, -(2**60)])
@pytest.mark.parametrize("step", [1, 10**6])
def test_bins_of_large_whole_numbers_have_names_of_their_own(start: int, step: int) -> None:
    values = [start + step * i for i in range(N)]
    found = slices_by(values)
    assert len(found) == 5
    assert set(found.values()) == {N // 5}
    low, high = next(iter(found)).strip("[]").split(", ")
    assert (int(low), int(high)) == (values[0], values[N // 5 - 1])


def test_large_whole_numbers_with_missing_ones() -> None:
    assert slices_by([None, 2**60, 2**60 + 1] * (N // 3)) == {
        str(2**60): N // 3, str(2**60 + 1): N // 3, "(missing)": N // 3,
    }  # fmt: skip
    found = slices_by([None, *(2**60 + i for i in range(N - 1))])
    assert found.pop("(missing)") == 1
    assert sum(found.values()) == N - 1


def test_large_whole_numbers_of_a_file_stay_values(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [f"{t},{p},{2**60 + 1 + i % 3}" for i, (t, p) in enumerate(zip(TRUE, PRED, strict=True))]
    path.write_text("\n".join(["true,pred,account", *rows]))
    table = karat.evaluate(str(path), by="account").slices["account"]
    assert list(table) == [str(2**60 + i) for i in (1, 2, 3)]


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\nb", "\u202eabc", "\ud800", "a\x00b", "\r"])
@pytest.mark.parametrize("width", [40, 100])
def test_the_name_of_a_column_moves_no_cursor(name: str, width: int) -> None:
    report = karat.evaluate(TRUE, PRED, by={name: FIRST, (name, "c"): (FIRST, SECOND)})
    text = report.text(width)
    text.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    headings = [line for line in text.splitlines() if line.startswith("Slices by")]
    assert len(headings) == 2
    assert all("\\" in line for line in headings)

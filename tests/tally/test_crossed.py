"""`CrossedCells`: rows by true class, predicted class and further axes, against a count by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.errors import KaratError
from karat.tally import Axis, Classes, CrossedCells
from karat.tally.axes import axes_of_header, keys_of, united_axes

CLASSES = Classes.of(["no", "yes", "maybe"])
SITES, WEEKS = ("a", "b", "c", "d"), ("1", "2")
AXES = (Axis("site", SITES), Axis("week", WEEKS))


def drawn(n: int, *, seed: int = 0, is_weighted: bool = False) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, m, n) for m in (3, 3, 4, 2)])
    # Weights whose sums are exact, some of them 0.
    return codes, rng.integers(0, 5, n) / 4.0 if is_weighted else None


def by_hand(codes: Any, weights: Any) -> dict[tuple[int, ...], list[float]]:
    """Combination → rows, weighing rows, Σw, Σw², in the order of the first row of each."""
    found: dict[tuple[int, ...], list[float]] = {}
    for i, column in enumerate(np.asarray(codes).T.tolist()):
        w = 1.0 if weights is None else float(weights[i])
        sums = found.setdefault(tuple(column), [0, 0, 0.0, 0.0])
        sums[:] = [a + b for a, b in zip(sums, (1, w > 0, w, w * w), strict=True)]
    return found


def listed(rows: CrossedCells) -> dict[tuple[int, ...], list[float]]:
    sums = (rows.n_weighing, rows.weight, rows.squares)
    columns = [rows.n_rows, *(rows.n_rows if one is None else one for one in sums)]
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(map(tuple, rows.codes.T.tolist()), map(list, numbers), strict=True))


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n", [0, 1, 7, 500])
def test_rows_are_counted_by_combination_in_the_order_of_the_first(
    n: int, is_weighted: bool
) -> None:
    codes, weights = drawn(n, is_weighted=is_weighted)
    rows = CrossedCells.of(CLASSES, AXES, codes, weights)
    wanted = by_hand(codes, weights)
    assert listed(rows) == wanted
    assert list(listed(rows)) == list(wanted)
    assert rows.n == len(wanted)
    assert rows.is_weighted is is_weighted
    assert rows.n_bytes == rows.n * (4 * 4 + 8 + (3 * 8 if is_weighted else 0))
    assert rows.codes.dtype == np.int32
    assert rows.n_rows.dtype == np.int64


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 120, 300])
def test_parts_merge_to_the_whole(cut: int, is_weighted: bool) -> None:
    codes, weights = drawn(300, is_weighted=is_weighted)
    whole = CrossedCells.of(CLASSES, AXES, codes, weights)
    left, right = (
        CrossedCells.of(CLASSES, AXES, codes[:, at], None if weights is None else weights[at])
        for at in (slice(cut), slice(cut, None))
    )
    merged = left.merge(right)
    assert list(listed(merged).items()) == list(listed(whole).items())


def test_codes_of_the_other_become_those_of_the_first() -> None:
    left = CrossedCells.of(CLASSES, AXES, [[0, 1], [0, 2], [0, 3], [0, 1]])
    others = (Axis("site", ("z", "d", "a")), Axis("week", ("2", "3")))
    right = CrossedCells.of(CLASSES, others, [[0, 1, 2], [0, 2, 2], [2, 1, 0], [1, 0, 1]])
    found = left.merge(right)
    assert found.axes == (Axis("site", (*SITES, "z")), Axis("week", ("1", "2", "3")))
    assert listed(found) == {
        (0, 0, 0, 0): [1, 1, 1, 1],
        (1, 2, 3, 1): [2, 2, 2, 2],
        (0, 0, 0, 2): [1, 1, 1, 1],
        (2, 2, 4, 2): [1, 1, 1, 1],
    }


def test_axes_are_united_by_name_and_label() -> None:
    axes, tables = united_axes(AXES, (Axis("site", ("d", "e")), Axis("week", WEEKS)))
    assert axes == (Axis("site", (*SITES, "e")), AXES[1])
    assert [table.tolist() for table in tables] == [[3, 4], [0, 1]]
    assert all(table.dtype == np.int32 for table in tables)


@pytest.mark.parametrize("others", [(), AXES[:1], AXES[::-1], (Axis("x", SITES), AXES[1])])
def test_other_axes_are_refused(others: Any) -> None:
    left = CrossedCells.of(CLASSES, AXES, drawn(5)[0])
    right = CrossedCells.of(CLASSES, others, np.zeros((2 + len(others), 1), int))
    with pytest.raises(KaratError, match="K201"):
        left.merge(right)


def test_other_classes_and_half_weights_are_refused() -> None:
    codes, weights = drawn(9, is_weighted=True)
    rows = CrossedCells.of(CLASSES, AXES, codes)
    with pytest.raises(KaratError, match="K201"):
        rows.merge(CrossedCells.of(Classes.of(["no", "yes", "x"]), AXES, codes))
    weighted = CrossedCells.of(CLASSES, AXES, codes, weights)
    for one, other, words in (
        (rows, weighted, "unweighted.*weighted"),
        (weighted, rows, "weighted.*unweighted"),
    ):
        with pytest.raises(KaratError, match=f"(?s)K203.*{words}"):
            one.merge(other)


def test_rows_on_an_axis_with_more_classes() -> None:
    rows = CrossedCells.of(CLASSES, AXES, [[0, 1, 2], [2, 1, 0], [0, 1, 2], [0, 1, 0]])
    larger = Classes.of(["yes", "maybe", "never", "no"])
    found = rows.on(larger)
    assert found.classes is larger
    assert found.codes.tolist() == [[3, 0, 1], [1, 0, 3], [0, 1, 2], [0, 1, 0]]
    same = rows.on(Classes.of(["no", "yes", "maybe"]))
    assert same.codes is rows.codes


@pytest.mark.parametrize("sizes", [[3, 4, 5], [2**31, 2**31, 7], [2**31, 2**31, 2**31]])
def test_keys_tell_combinations_apart_whatever_the_sizes(sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    low = rng.integers(0, 3, (3, 400)).astype(np.int64)
    top = np.array([[size - 1] for size in sizes])
    codes = np.where(low == 2, top, low)
    keys, _ = keys_of(codes, sizes)
    assert keys.min() >= 0
    distinct = {tuple(column) for column in codes.T.tolist()}
    assert len({*keys.tolist()}) == len(distinct)
    assert len({(*column, key) for *column, key in zip(*codes, keys, strict=True)}) == len(distinct)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_bytes_bring_it_back(is_weighted: bool) -> None:
    classes = replace(CLASSES, is_declared=True)
    codes, weights = drawn(50, is_weighted=is_weighted)
    rows = CrossedCells.of(classes, AXES, codes, weights)
    found = CrossedCells.from_bytes(rows.to_bytes())
    assert (found.classes, found.axes) == (rows.classes, AXES)
    assert list(listed(found).items()) == list(listed(rows).items())
    assert found.is_weighted is is_weighted
    assert found.to_bytes() == rows.to_bytes()
    header = [{"name": axis.name, "labels": list(axis.labels)} for axis in AXES]
    assert axes_of_header(header) == AXES


def weighted() -> CrossedCells:
    codes, weights = drawn(50, is_weighted=True)
    return CrossedCells.of(CLASSES, AXES, codes, weights)


def put(name: str, value: Any, place: int = 0) -> CrossedCells:
    rows = weighted()
    array = getattr(rows, name).copy()
    array[..., place] = value
    return replace(rows, **{name: array})


DAMAGED = {
    "one axis less": (lambda: replace(weighted(), axes=AXES[:1]), "do not fit the axes"),
    "codes of another type": (
        lambda: replace(weighted(), codes=weighted().codes.astype(np.int64)),
        "do not fit the axes",
    ),
    "a class that is none": (lambda: put("codes", [3, 0, 0, 0]), "an unknown code"),
    "a code below 0": (lambda: put("codes", -1), "an unknown code"),
    "a site that is none": (lambda: put("codes", [0, 0, 4, 0]), "an unknown code"),
    "no row": (lambda: put("n_rows", 0), "numbers of rows do not fit"),
    "rows of another length": (
        lambda: replace(weighted(), n_rows=weighted().n_rows[1:]),
        "numbers of rows do not fit",
    ),
    "rows as floats": (
        lambda: replace(weighted(), n_rows=weighted().n_rows.astype(float)),
        "numbers of rows do not fit",
    ),
    "weights in part": (lambda: replace(weighted(), squares=None), "Only some weights are there"),
    "weights of another length": (
        lambda: replace(weighted(), weight=weighted().weight[1:]),  # type: ignore[index]
        "weights do not fit",
    ),
    "weights as numbers of rows": (
        lambda: replace(weighted(), n_weighing=weighted().weight),
        "weights do not fit",
    ),
    "a weight below 0": (lambda: put("weight", -1.0), "negative, missing or infinite"),
    "a square below 0": (lambda: put("squares", -1e-9), "negative, missing or infinite"),
    "a missing weight": (lambda: put("weight", np.nan), "negative, missing or infinite"),
    "an infinite weight": (lambda: put("squares", np.inf), "negative, missing or infinite"),
    "more weighing rows than rows": (lambda: put("n_weighing", 99), "More rows weigh"),
    "a combination twice": (lambda: put("codes", weighted().codes[:, 1]), "occurs twice"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_bytes_that_contradict_themselves_are_refused(damage: str) -> None:
    make, words = DAMAGED[damage]
    with pytest.raises(KaratError, match=f"(?s)K205.*{words}"):
        CrossedCells.from_bytes(make().to_bytes())


def test_a_weight_and_a_number_of_rows_of_zero_or_one_are_right() -> None:
    rows = CrossedCells.of(CLASSES, AXES, [[0, 1]] * 2 + [[0, 0]] * 2, np.array([0.0, 1.0]))
    found = CrossedCells.from_bytes(rows.to_bytes())
    assert found.n_weighing is not None
    assert found.n_weighing.tolist() == [0, 1]
    assert found.weight is not None
    assert found.weight.tolist() == [0.0, 1.0]


def test_bytes_of_another_tally_are_refused() -> None:
    from karat.tally import CumulativeCounts

    data = CumulativeCounts.of([0.5, 0.25], [True, False]).to_bytes()
    with pytest.raises(KaratError, match="K205"):
        CrossedCells.from_bytes(data)

"""The laws of bins: which bin a confidence is in, merge, bytes."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally import (
    Bins,
    Cells,
    Classes,
    CumulativeCounts,
    quantile_edges,
    to_bytes,
    uniform_edges,
)
from tests.same import assert_same

STORED = Path(__file__).with_name("stored")
SUMS = ("weight", "confidence", "hits", "variance", "scatter", "squares")
SIDES = ("right", "left")

both_kinds = pytest.mark.parametrize("is_weighted", [False, True], ids=["counts", "weights"])
both_sides = pytest.mark.parametrize("closed", SIDES)


@st.composite
def binned_rows(draw: st.DrawFn, *, is_weighted: bool, max_size: int = 30) -> tuple[Any, Any, Any]:
    """Confidences in 32nds and weights in eighths, so that sums are exact; hits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, max_size))
    p = rng.integers(0, 33, n) / 32
    weights = rng.integers(0, 16, n) * rng.integers(0, 2, n) / 8 if is_weighted else None
    return p, rng.random(n) < 0.5, weights


def bins_of(rows: tuple[Any, Any, Any], b: int, closed: Any) -> Bins:
    return Bins.of(CumulativeCounts.of(*rows), uniform_edges(b), closed)


def place_of(p: float, edges: Any, closed: str) -> int:
    """The bin of a confidence, by the words of the definition."""
    for i in range(len(edges) - 1):
        lo, hi = edges[i], edges[i + 1]
        if (lo < p <= hi) if closed == "right" else (lo <= p < hi):
            return i
    return 0 if closed == "right" else len(edges) - 2


def assert_equal(left: Bins, right: Bins) -> None:
    assert (left.closed, left.n_rows, left.is_weighted) == (
        right.closed, right.n_rows, right.is_weighted
    )  # fmt: skip
    for name in ("edges", *SUMS):
        assert_same(getattr(left, name), getattr(right, name), about=name)


@both_sides
@both_kinds
@given(data=st.data(), b=st.integers(1, 40))
def test_bins_hold_their_rows(is_weighted: bool, closed: Any, data: st.DataObject, b: int) -> None:
    p, y, weights = data.draw(binned_rows(is_weighted=is_weighted))
    bins = bins_of((p, y, weights), b, closed)
    w = np.ones(len(p)) if weights is None else weights
    place = np.array([place_of(one, bins.edges, closed) for one in p], np.intp)
    rows = [w, w * p, w * y, w**2 * p * (1 - p), w**2 * (y - p) ** 2, w**2]
    for name, part in zip(SUMS, rows, strict=True):
        assert_same(getattr(bins, name), np.bincount(place, part, minlength=b), about=name)
    assert bins.n_rows == len(p)


@both_sides
@pytest.mark.parametrize("b", [2, 3, 5, 7, 10, 15, 20, 100, 1000])
def test_a_confidence_that_is_an_edge_goes_where_its_side_says(b: int, closed: Any) -> None:
    # Literals like 0.3 are the doubles nearest to i/b; so are the edges.
    p = np.array([float(repr(i / b)) for i in range(b + 1)])
    bins = bins_of((p, p > 0.5, None), b, closed)
    wanted = np.ones(b)
    wanted[0 if closed == "right" else -1] = 2
    assert_same(bins.weight, wanted)


def test_edges_of_added_steps_would_put_it_elsewhere() -> None:
    cumulative = CumulativeCounts.of([0.3], [True])
    assert Bins.of(cumulative, uniform_edges(10), "left").weight.tolist().index(1) == 3
    assert Bins.of(cumulative, np.linspace(0, 1, 11), "left").weight.tolist().index(1) == 2


def test_neighbours_of_an_edge_are_told_apart() -> None:
    below, above = np.nextafter(0.2, [0, 1])
    for p, wanted in ((below, (0, 0)), (0.2, (0, 1)), (above, (1, 1))):
        found = [int(bins_of(([p], [1], None), 5, side).weight.argmax()) for side in SIDES]
        assert tuple(found) == wanted


@both_sides
@both_kinds
@given(data=st.data(), b=st.integers(1, 12))
def test_quantile_edges_are_what_their_rule_says(
    is_weighted: bool, closed: Any, data: st.DataObject, b: int
) -> None:
    p, y, weights = data.draw(binned_rows(is_weighted=is_weighted))
    edges = quantile_edges(CumulativeCounts.of(p, y, weights), b, closed)
    w = np.ones(len(p)) if weights is None else weights
    p, w = p[w > 0], w[w > 0]
    if not len(p):
        assert_same(edges, uniform_edges(b))
        return
    assert (edges[0], edges[-1], len(edges)) == (0.0, 1.0, b + 1)
    for i in range(1, b):
        if closed == "right":
            wanted = min(v for v in p if w[p <= v].sum() * b >= i * w.sum())
        else:
            wanted = max(v for v in p if w[p >= v].sum() * b >= (b - i) * w.sum())
        assert edges[i] == wanted


@both_sides
@given(n=st.integers(1, 60), b=st.integers(1, 12))
def test_quantile_bins_of_distinct_confidences_differ_by_one_row(
    closed: Any, n: int, b: int
) -> None:
    p = np.random.default_rng(n).permutation(np.arange(1, n + 1)) / (n + 1)
    cumulative = CumulativeCounts.of(p, p > 0.5)
    weight = Bins.of(cumulative, quantile_edges(cumulative, b, closed), closed).weight
    assert weight.max() - weight.min() <= 1


def test_equal_weights_that_add_up_unevenly_divide_as_rows_do() -> None:
    p = np.arange(1, 61) / 61
    for b in (2, 3, 4, 5, 6, 10, 12, 15, 20, 30):
        for closed in SIDES:
            plain = quantile_edges(CumulativeCounts.of(p, p > 0.5), b, closed)  # type: ignore[arg-type]
            for w in (0.1, 0.3, 1 / 3, 0.7, 1e-100, 1e100):
                cumulative = CumulativeCounts.of(p, p > 0.5, np.full(60, w))
                assert_same(quantile_edges(cumulative, b, closed), plain)  # type: ignore[arg-type]


def test_equal_confidences_stay_in_one_bin() -> None:
    p = [0.25] * 2 + [0.5] * 7 + [1.0] * 3
    cumulative = CumulativeCounts.of(p, np.zeros(12))
    right = Bins.of(cumulative, quantile_edges(cumulative, 4), "right")
    assert right.edges.tolist() == [0.0, 0.5, 0.5, 0.5, 1.0]
    assert right.weight.tolist() == [9.0, 0.0, 0.0, 3.0]
    left = Bins.of(cumulative, quantile_edges(cumulative, 4, "left"), "left")
    assert left.edges.tolist() == [0.0, 0.5, 0.5, 1.0, 1.0]
    assert left.weight.tolist() == [2.0, 0.0, 7.0, 3.0]


@both_kinds
@given(data=st.data())
def test_merge_equals_concatenation(is_weighted: bool, data: st.DataObject) -> None:
    first, second = (data.draw(binned_rows(is_weighted=is_weighted)) for _ in range(2))
    whole = tuple(
        None if a is None or b is None else np.concatenate([a, b])
        for a, b in zip(first, second, strict=True)
    )
    for closed in SIDES:
        merged = bins_of(first, 5, closed).merge(bins_of(second, 5, closed))
        assert_equal(merged, bins_of(whole, 5, closed))  # type: ignore[arg-type]


@both_kinds
@given(data=st.data())
def test_merge_is_associative_and_commutative(is_weighted: bool, data: st.DataObject) -> None:
    rows = [data.draw(binned_rows(is_weighted=is_weighted)) for _ in range(3)]
    # Sixteenths: every sum is exact, so that the order of additions is the only question.
    a, b, c = (bins_of(part, 16, "right") for part in rows)
    assert_equal(a.merge(b).merge(c), a.merge(b.merge(c)))
    assert_equal(a.merge(b), b.merge(a))


@both_kinds
@given(data=st.data())
def test_empty_is_the_identity(is_weighted: bool, data: st.DataObject) -> None:
    bins = bins_of(data.draw(binned_rows(is_weighted=is_weighted)), 7, "left")
    nothing = Bins.empty(bins.edges, "left", is_weighted=is_weighted)
    assert_equal(nothing.merge(bins), bins)
    assert_equal(bins.merge(nothing), bins)


@both_kinds
@given(data=st.data())
def test_bytes_bring_the_bins_back(is_weighted: bool, data: st.DataObject) -> None:
    bins = bins_of(data.draw(binned_rows(is_weighted=is_weighted)), 6, "left")
    assert_equal(Bins.from_bytes(bins.to_bytes()), bins)
    assert_equal(pickle.loads(pickle.dumps(bins)), bins)


def test_bins_of_other_edges_do_not_merge() -> None:
    edges = uniform_edges(4)
    with pytest.raises(KaratError, match="K202"):
        Bins.empty(edges).merge(Bins.empty(uniform_edges(5)))
    with pytest.raises(KaratError, match="K202"):
        Bins.empty(edges).merge(Bins.empty(edges, "left"))
    with pytest.raises(KaratError, match="K203"):
        Bins.empty(edges).merge(Bins.empty(edges, is_weighted=True))


@pytest.mark.parametrize(
    "edges", [[0.5], [], [0, 0.7, 0.3, 1], [0, np.nan, 1], [-0.1, 1], [0, 1.1], [[0, 1]]]
)
def test_edges_that_are_none_are_refused(edges: Any) -> None:
    with pytest.raises(KaratError, match="K214"):
        Bins.of(CumulativeCounts.of([0.5], [True]), edges)


@pytest.mark.parametrize("score", [-0.1, 1.5, 2000.0])
def test_scores_outside_the_edges_are_refused(score: float) -> None:
    with pytest.raises(KaratError, match="K214"):
        Bins.of(CumulativeCounts.of([0.5, score], [True, False]), uniform_edges(5))


def test_empty_bins_have_no_means() -> None:
    bins = bins_of(([0.25, 0.25], [True, False], None), 2, "right")
    assert bins.is_occupied.tolist() == [True, False]
    for means, wanted in ((bins.mean_confidence, 0.25), (bins.hit_share, 0.5), (bins.gap, 0.25)):
        assert_same(means, [wanted, np.nan])


BINS = bins_of(([0.9, 0.5, 0.5, 0.0], [1, 1, 0, 0], [1.0, 0.5, 2.0, 0.25]), 2, "right")


@given(cut=st.integers(0, len(BINS.to_bytes()) - 1))
def test_truncated_bytes_are_refused(cut: int) -> None:
    with pytest.raises(KaratError, match="K205"):
        Bins.from_bytes(BINS.to_bytes()[:cut])


def rewritten(change: Any) -> bytes:
    """The bytes with another header and a right checksum."""
    data = BINS.to_bytes()
    magic, version, size = struct.unpack_from("<8sHI", data)
    header = json.loads(data[14 : 14 + size])
    change(header)
    text = json.dumps(header).encode()
    whole = struct.pack("<8sHI", magic, version, len(text)) + text + data[14 + size : -4]
    return whole + struct.pack("<I", zlib.crc32(whole))


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="ladder"),
        lambda header: header.update(closed="both"),
        lambda header: header.update(n_rows=-1),
        lambda header: header.update(is_weighted=False),
        lambda header: header.pop("n_rows"),
        lambda header: header["arrays"][0].update(shape=[10**15]),
        lambda header: header["arrays"][0].update(dtype="<i8"),
        lambda header: header["arrays"][0].update(name="rows"),
        lambda header: header["arrays"][1].update(shape=[1, 2]),
        lambda header: header["arrays"][1].update(dtype="<i8"),
        lambda header: header["arrays"].pop(),
        lambda header: header.update(arrays=[]),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        Bins.from_bytes(rewritten(change))


def test_an_unchanged_header_is_read() -> None:
    assert_equal(Bins.from_bytes(rewritten(lambda header: None)), BINS)


def test_other_species_are_refused() -> None:
    cells = Cells.dense([[1, 2], [3, 4]], classes=Classes.of([0, 1]))
    with pytest.raises(KaratError, match="K205"):
        Bins.from_bytes(to_bytes(cells))


def test_bins_that_cannot_be_are_refused() -> None:
    for name, values in (("hits", [9.0, 0.0]), ("weight", [-1.0, 1.0]), ("scatter", [np.nan, 0]),
                         ("scatter", [-1.0, 1.0])):  # fmt: skip
        parts = {each: getattr(BINS, each) for each in SUMS} | {name: np.array(values)}
        bad = Bins(BINS.edges, "right", **parts, n_rows=4, is_weighted=True)
        with pytest.raises(KaratError, match="K205"):
            Bins.from_bytes(bad.to_bytes())


def test_bins_written_by_an_earlier_version_are_read() -> None:
    path = STORED / "v1-bins.karat-bins"
    assert_equal(Bins.from_bytes(path.read_bytes()), BINS)


@pytest.mark.parametrize(
    ("scores", "told"), [([0.75, 0.5, -0.25, 1.0], "-0.25"), ([0.5, 0.25, 1.5, 0.0], "1.5")]
)
def test_a_refusal_names_the_score_that_lies_outside(scores: list[float], told: str) -> None:
    cumulative = CumulativeCounts.of(np.array(scores), np.array([True, False, True, False]))
    with pytest.raises(KaratError, match="K214") as caught:
        Bins.of(cumulative, uniform_edges(4), "right")
    assert f"The score {told} lies outside the edges 0.0 to 1.0" in str(caught.value)

"""The laws of a table of scores: what it holds, merge, buckets, other scores, bytes."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.tally import ScoreHistogram, Sums
from karat.tally.score_histogram import BINS, EXACT, bucket_starts, other_totals
from tests.same import assert_same
from tests.tally.score_tables import BITS, assert_equal, at, joined, rewritten, table_rows

STORED = Path(__file__).with_name("stored")

both_kinds = pytest.mark.parametrize("is_weighted", [False, True], ids=["counts", "weights"])
some_bits = st.sampled_from(BITS)


def weighed(rows: tuple[Any, Any, int, Any]) -> tuple[Any, Any, Any]:
    """Scores, classes and weights of the rows that weigh something."""
    scores, codes, _, weights = rows
    w = np.ones(len(scores)) if weights is None else weights
    return scores[w > 0], codes[w > 0], w[w > 0]


@both_kinds
@given(data=st.data())
def test_a_table_holds_its_rows(is_weighted: bool, data: st.DataObject) -> None:
    rows = data.draw(table_rows(is_weighted=is_weighted))
    table, k = ScoreHistogram.of(*rows), rows[2]
    scores, codes, w = weighed(rows)
    assert_same(table.low, np.unique(scores)[::-1])
    assert table.n_rows == len(rows[0])
    assert (table.high is table.low, table.moments, table.is_exact) == (True, None, True)
    for level, score in enumerate(table.low):
        for c in range(k):
            here = w[(scores == score) & (codes == c)]
            assert table.counts[level, c] == here.sum()
            if table.squares is not None:
                assert table.squares[level, c] == (here**2).sum()


@both_kinds
@given(data=st.data(), bits=some_bits)
def test_a_bucket_holds_scores_that_begin_alike(
    is_weighted: bool, data: st.DataObject, bits: int
) -> None:
    rows = data.draw(table_rows(is_weighted=is_weighted))
    table = ScoreHistogram.of(*rows, bits=bits)
    scores, codes, w = weighed(rows)
    assert (table.low[:-1] > table.high[1:]).all()
    assert (table.means >= table.low).all()
    assert (table.means <= table.high).all()
    if bits < EXACT:
        assert (table.high - table.low <= np.maximum(2.0**-bits * np.abs(table.low),
                2.0**-bits * np.abs(table.high)) + 2.0 ** -(1022 + bits)).all()  # fmt: skip
    for low, high, counts in zip(table.low, table.high, table.counts, strict=True):
        inside = (scores >= low) & (scores <= high)
        assert (scores[inside].min(), scores[inside].max()) == (low, high)
        assert_same(counts, [w[inside & (codes == c)].sum() for c in range(rows[2])])
    assert table.counts.sum() == w.sum()


@given(scores=st.lists(st.floats(0, 1), min_size=2, max_size=30), bits=st.integers(0, 23))
def test_no_bucket_goes_across_the_end_of_a_bin(scores: list[float], bits: int) -> None:
    edges = np.unique(np.concatenate([np.arange(n + 1) / n for n in BINS]))
    near = np.concatenate([edges, np.nextafter(edges, 2), np.nextafter(edges, -1), scores])
    table = ScoreHistogram.of(near, np.zeros(len(near), int), 1, bits=bits)
    for count in (np.less, np.less_equal):
        low, high = (count.outer(edges, ends).sum(axis=0) for ends in (table.low, table.high))
        assert_same(low, high)


@both_kinds
@given(data=st.data(), bits=some_bits)
def test_merge_equals_concatenation(is_weighted: bool, data: st.DataObject, bits: int) -> None:
    first, second = (data.draw(table_rows(is_weighted=is_weighted)) for _ in range(2))
    merged = ScoreHistogram.of(*first, bits=bits).merge(ScoreHistogram.of(*second, bits=bits))
    assert_equal(merged, ScoreHistogram.of(*joined(first, second), bits=bits))


@both_kinds
@given(data=st.data())
def test_merge_is_associative_and_commutative(is_weighted: bool, data: st.DataObject) -> None:
    a, b, c = (
        ScoreHistogram.of(
            *data.draw(table_rows(is_weighted=is_weighted)), bits=data.draw(some_bits)
        )
        for _ in range(3)
    )
    assert_equal(a.merge(b).merge(c), a.merge(b.merge(c)))
    assert_equal(a.merge(b), b.merge(a))


@both_kinds
@given(data=st.data(), bits=some_bits)
def test_empty_is_the_identity(is_weighted: bool, data: st.DataObject, bits: int) -> None:
    table = ScoreHistogram.of(*data.draw(table_rows(is_weighted=is_weighted)), bits=bits)
    nothing = ScoreHistogram.empty(3, is_weighted=is_weighted)
    assert_equal(nothing.merge(table), table)
    assert_equal(table.merge(nothing), table)


@both_kinds
@given(data=st.data(), fine=some_bits, coarse=some_bits)
def test_coarser_tables_are_those_of_the_rows(
    is_weighted: bool, data: st.DataObject, fine: int, coarse: int
) -> None:
    first, second = (data.draw(table_rows(is_weighted=is_weighted)) for _ in range(2))
    a, b = (ScoreHistogram.of(*rows, bits=fine) for rows in (first, second))
    assert_equal(a.coarser(coarse), ScoreHistogram.of(*first, bits=min(fine, coarse)))
    assert_equal(a.coarser(coarse).merge(b.coarser(coarse)), a.merge(b).coarser(coarse))
    # The coarser of two decides, whichever it is.
    assert_equal(a.coarser(coarse).merge(b), a.merge(b).coarser(coarse))


@both_kinds
@settings(max_examples=60)
@given(data=st.data())
def test_any_order_of_merges_fits_a_limit_alike(is_weighted: bool, data: st.DataObject) -> None:
    rows = data.draw(table_rows(is_weighted=is_weighted, max_n=120))
    limit = data.draw(st.sampled_from((1, 3, 10, 30, 60, 200)))
    whole = ScoreHistogram.of(*rows).within(limit)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    order = rng.permutation(len(rows[0]))
    cuts = np.sort(rng.integers(0, len(order) + 1, data.draw(st.integers(0, 6))))
    parts = []
    for part in np.split(order, cuts):
        weights = None if rows[3] is None else rows[3][part]
        parts.append(ScoreHistogram.of(rows[0][part], rows[1][part], 3, weights).within(limit))
    while len(parts) > 1:
        one, other = (parts.pop(int(rng.integers(len(parts)))) for _ in range(2))
        parts.append(one.merge(other).within(limit))
    assert_equal(parts[0], whole)
    finest = [bits for bits in (EXACT, 23, *range(20, -1, -1))
              if len(bucket_starts(np.unique(weighed(rows)[0]), bits)) <= limit]  # fmt: skip
    assert whole.bits == (finest or [0])[0]


def other_scores(table: ScoreHistogram, which: str) -> tuple[ScoreHistogram, Any]:
    """A table of other scores of the same rows, and how a row has it."""
    return {
        "negative": lambda: (table.negative(), lambda x: 0.0 - x),
        "complement": lambda: (table.complement(), lambda x: 1.0 - x),
        "logistic": lambda: (table.mapped(logistic), logistic),
        "rounded": lambda: (table.mapped(np.round), np.round),
    }[which]()


def logistic(scores: Any) -> Any:
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-scores))


@both_kinds
@pytest.mark.parametrize("which", ["negative", "complement", "logistic", "rounded"])
@given(data=st.data())
def test_tables_of_other_scores(is_weighted: bool, which: str, data: st.DataObject) -> None:
    rows = data.draw(table_rows(is_weighted=is_weighted))
    found, other = other_scores(ScoreHistogram.of(*rows), which)
    # Rounding joins neighbours, in the table as in the rows.
    assert_equal(found, ScoreHistogram.of(other(rows[0]), *rows[1:]))


@both_kinds
@pytest.mark.parametrize("which", ["negative", "complement", "logistic", "rounded"])
@given(data=st.data(), bits=st.integers(0, 23))
def test_buckets_of_other_scores_hold_them(
    is_weighted: bool, which: str, data: st.DataObject, bits: int
) -> None:
    rows = data.draw(table_rows(is_weighted=is_weighted))
    found, other = other_scores(ScoreHistogram.of(*rows, bits=bits), which)
    assert (found.low[:-1] > found.high[1:]).all()
    assert (found.low <= found.high).all()
    assert found.is_summed == (which in ("negative", "complement"))
    scores, codes, w = weighed(rows)
    scores = other(scores)
    for low, high, counts in zip(found.low, found.high, found.counts, strict=True):
        inside = (scores >= low) & (scores <= high)
        assert_same(counts, [w[inside & (codes == c)].sum() for c in range(3)])
    if found.is_summed and found.moments is not None:
        w, scores = w / 64, np.clip(scores, -1e300, 1e300)  # sums that no float64 holds
        sums = [(w * scores)[(scores >= low) & (scores <= high)].sum()
                for low, high in zip(found.low, found.high, strict=True)]  # fmt: skip
        size = np.maximum(np.maximum(np.abs(found.low), np.abs(found.high)), 1.0)
        far = np.abs(found.moments / 64 - sums) / size
        assert (far[size < 1e300] <= 1e-12 * found.counts[size < 1e300].sum(axis=1)).all()


def test_the_bins_that_people_ask_for_are_kept() -> None:
    # The default of the calibration error is 15; 10, 20 and 100 are what other libraries take.
    assert {10, 15, 20, 100} == set(BINS)
    for n in BINS:
        for edge in np.arange(1, n) / n:
            assert bucket_starts(np.array([edge, np.nextafter(edge, 0.0)]), 0).tolist() == [0, 1]
    assert bucket_starts(np.array([0.609, 0.605]), 0).tolist() == [0]


def test_what_a_function_maps_has_no_sums_after_a_merge_either() -> None:
    table = ScoreHistogram.of([0.9, 0.51, 0.52], [1, 1, 0], 2, bits=3)
    mapped, _ = other_scores(table, "logistic")
    assert not mapped.is_summed
    assert not mapped.merge(table).is_summed
    assert not table.merge(mapped).is_summed
    assert table.merge(table).is_summed


def test_the_mean_of_a_bucket_is_mapped_with_it() -> None:
    table = ScoreHistogram.of([0.511, 0.512, 0.512, 0.514], [1, 0, 1, 0], 2, bits=3)
    assert table.n_levels == 1
    assert_same(table.mapped(logistic).means, logistic(np.array([0.51225])), within=1e-14)


@given(data=st.data(), bits=some_bits)
def test_some_levels_and_another_order_of_classes(data: st.DataObject, bits: int) -> None:
    table = ScoreHistogram.of(*data.draw(table_rows(is_weighted=True)), bits=bits)
    kept = np.arange(table.n_levels) % 2 == 0
    both = table.kept(kept).merge(replace(table.kept(~kept), n_rows=0))
    assert_equal(both, table)
    assert_same(table.of_classes([2, 0, 1]).counts, table.counts[:, [2, 0, 1]])
    assert_equal(table.of_classes([2, 0, 1]).of_classes([1, 2, 0]), table)


@both_kinds
@given(data=st.data(), bits=some_bits)
def test_bytes_bring_the_table_back(is_weighted: bool, data: st.DataObject, bits: int) -> None:
    table = ScoreHistogram.of(*data.draw(table_rows(is_weighted=is_weighted)), bits=bits)
    again = ScoreHistogram.from_bytes(table.to_bytes())
    assert_equal(again, table)
    assert again.to_bytes() == table.to_bytes()
    assert_equal(pickle.loads(pickle.dumps(table)), table)


def test_bytes_hold_of_one_score_one_number_and_of_a_bucket_its_ends_and_its_sum() -> None:
    scores, k = np.arange(1, 10) / 16.0, 3
    for bits, numbers in ((EXACT, 1 + k), (20, 3 + k)):
        some, more = (
            ScoreHistogram.of(s, [0] * len(s), k, bits=bits) for s in (scores[:4], scores)
        )
        assert len(more.to_bytes()) - len(some.to_bytes()) == 8 * numbers * 5


def test_other_rows_of_a_class_are_noticed_of_any_counts_and_of_weights_but_for_rounding() -> None:
    rows = np.array([10**13, 5])
    assert not other_totals(rows, rows.copy())
    assert other_totals(rows, rows + np.array([0, 1]))
    weights = np.array([0.1 + 0.2, 5.0])
    assert not other_totals(weights, np.array([0.3, 5.0]))
    assert other_totals(weights, np.array([0.3, 5.1]))


def test_many_classes_are_counted() -> None:
    rng = np.random.default_rng(3)
    scores, codes = np.round(rng.random(500), 1), rng.integers(0, 40, 500)
    table = ScoreHistogram.of(scores, codes, 40)
    wanted = [[np.sum((scores == s) & (codes == c)) for c in range(40)] for s in table.low]
    assert_same(table.counts, wanted)


def test_zeros_of_both_signs_are_one_level() -> None:
    table = ScoreHistogram.of([-0.0, 0.0, -0.0], [0, 1, 0], 2)
    assert table.counts.tolist() == [[2, 1]]
    assert not np.signbit(table.low).any()
    assert not np.signbit(table.negative().low).any()


def test_what_does_not_go_together_is_not_merged() -> None:
    with pytest.raises(KaratError, match="K203"):
        ScoreHistogram.empty(2).merge(ScoreHistogram.empty(2, is_weighted=True))
    with pytest.raises(KaratError, match="Left is weighted, right is unweighted"):
        ScoreHistogram.empty(2, is_weighted=True).merge(ScoreHistogram.empty(2))
    with pytest.raises(KaratError, match="K201"):
        ScoreHistogram.empty(2).merge(ScoreHistogram.empty(3))


EXACT_TABLE = ScoreHistogram.of([0.9, 0.5, 0.5, -1.0], [1, 1, 0, 0], 2)
WEIGHTED = ScoreHistogram.of([0.9, 0.5, 0.5, -1.0], [1, 1, 0, 0], 2, [1.0, 0.5, 2.0, 0.25])
BUCKETS = ScoreHistogram.of([0.9, 0.51, 0.52, -1.0], [1, 1, 0, 0], 2, [1.0, 0.5, 2.0, 0.25], bits=3)
TABLES = {"exact": EXACT_TABLE, "weighted": WEIGHTED, "buckets": BUCKETS}


@pytest.mark.parametrize("name", TABLES)
def test_every_damaged_byte_is_refused(name: str) -> None:
    data = TABLES[name].to_bytes()
    for place in range(len(data)):
        for bit in (1, 128):
            damaged = bytearray(data)
            damaged[place] ^= bit
            with pytest.raises(KaratError, match=r"K205|K206"):
                ScoreHistogram.from_bytes(bytes(damaged))
        with pytest.raises(KaratError, match="K205"):
            ScoreHistogram.from_bytes(data[:place])


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="ladder"),
        lambda header: header.update(n_rows=-1),
        lambda header: header.update(n_rows=3.5),
        lambda header: header.update(bits=22),
        lambda header: header.update(bits=52),
        lambda header: header.update(bits="3"),
        lambda header: header.pop("bits"),
        lambda header: header.update(arrays=[]),
        lambda header: header["arrays"].pop(),
        at("low", shape=[10**15]),
        at("low", shape=[1, 3]),
        at("low", dtype="<i8"),
        at("high", name="low"),
        at("counts", shape=[2, 3]),
        at("counts", dtype="<i8"),
        at("squares", dtype="<f4"),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        ScoreHistogram.from_bytes(rewritten(BUCKETS.to_bytes(), change))


def test_columns_of_nothing_that_would_be_large_are_refused() -> None:
    """Sums of no rows over very many classes would need memory that no file has paid for."""
    empty = ScoreHistogram.empty(3).to_bytes()
    for k in (5, 1 << 20):
        assert ScoreHistogram.from_bytes(rewritten(empty, at("counts", shape=[0, k]))).k == k
    for k in ((1 << 20) + 1, 1 << 21):
        with pytest.raises(KaratError, match="holds nothing"):
            ScoreHistogram.from_bytes(rewritten(empty, at("counts", shape=[0, k])))


def test_an_unchanged_header_is_read() -> None:
    assert_equal(
        ScoreHistogram.from_bytes(rewritten(BUCKETS.to_bytes(), lambda header: 0)), BUCKETS
    )


@pytest.mark.parametrize(
    "bad",
    [
        replace(EXACT_TABLE, low=np.array([0.5, 0.9, -1.0])),
        replace(EXACT_TABLE, low=np.array([0.5, 0.5, -1.0])),
        replace(EXACT_TABLE, low=np.array([np.inf, 0.5, -1.0])),
        replace(EXACT_TABLE, low=np.array([np.nan, 0.5, -1.0])),
        replace(EXACT_TABLE, counts=np.array([[5, -1], [0, 0], [0, 0]])),
        replace(EXACT_TABLE, counts=np.array([[4, 0], [0, 0], [0, 0]])),
        replace(EXACT_TABLE, n_rows=5),
        replace(WEIGHTED, squares=None),
        replace(WEIGHTED, counts=np.full((3, 2), np.nan)),
        replace(WEIGHTED, counts=WEIGHTED.counts - np.array([[0.5, 0.0], [0.0, 0.0], [0.0, 0.0]])),
        replace(WEIGHTED, squares=np.full((3, 2), np.inf)),
        replace(BUCKETS, moments=None),
        replace(BUCKETS, moments=np.array([np.inf, 0, 0])),
        replace(BUCKETS, moments=np.array([0.0, 0.0])),
        replace(BUCKETS, high=BUCKETS.low - 0.1),
        replace(BUCKETS, high=BUCKETS.low + 1.0),
        replace(BUCKETS, high=BUCKETS.high + np.array([0.4, 0.0, 0.0, 0.0])),
        replace(BUCKETS, moments=BUCKETS.moments + np.array([0.0, 1e-6, 0.0, 0.0])),
        replace(BUCKETS, moments=BUCKETS.moments - np.array([1e9, 0.0, 0.0, 0.0])),
        replace(BUCKETS, low=np.array([0.53, 0.51, -1]), high=np.array([0.9, 0.52, -1.0])),
    ],
)
def test_levels_that_cannot_be_are_refused(bad: ScoreHistogram) -> None:
    with pytest.raises(KaratError, match="K205"):
        ScoreHistogram.from_bytes(bad.to_bytes())


def test_other_species_are_refused() -> None:
    with pytest.raises(KaratError, match="K205"):
        ScoreHistogram.from_bytes(Sums.empty(["negative_log_probability"], 2).to_bytes())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_written_by_an_earlier_version_is_read(name: str) -> None:
    data = (STORED / f"v1-{name}.karat-score-table").read_bytes()
    assert_equal(ScoreHistogram.from_bytes(data), TABLES[name])


def test_the_first_and_the_last_level_are_the_ends() -> None:
    for low, high in pairwise([-np.finfo(float).max, -1.0, 0.0, 5e-324, 1.0, np.finfo(float).max]):
        for bits in BITS:
            table = ScoreHistogram.of([low, high], [0, 1], 2, bits=bits)
            assert (table.low.min(), table.high.max()) == (low, high)

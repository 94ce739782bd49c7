"""The laws of histograms of rows with scores: merge, limits, bytes, what they say of rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.scores.histograms import histograms_of, room_of, sampled_rows
from karat.data.scores.rows import InMemoryScores
from karat.errors import KaratError
from karat.tally import Classes, HistogramColumn, HistogramRows, ScoreHistogram, ScoreHistograms
from karat.tally.score_histograms import _inconsistency
from karat.tally.score_kind import ARGUMENT_OF_ROLE, ScoreRole
from tests.same import assert_same
from tests.tally import score_tables, test_row_sample
from tests.tally.score_tables import at, rewritten

STORED = Path(__file__).with_name("stored")
KINDS = (
    *("prob", "score", "one_prob", "one_score", "two_prob", "first_prob", "first_score"),
    *("logit", "one_logit", "two_logit", "first_logit"),
)
LOSSES = ("weight", "weight2", "w_loss", "w2_loss", "w2_loss2", "truth", "ranks")


def _role_of(kind: str) -> ScoreRole:
    return next(role for role in ARGUMENT_OF_ROLE if kind.endswith(role))


def rows_of(
    kind: str, n: int, *, is_weighted: bool = False, has_pred: bool = False, seed: int = 0
) -> InMemoryScores:
    """Rows with ties; of one column the positive class is the first where the kind says so."""
    rng = np.random.default_rng([seed, n])
    is_prob = kind.endswith("prob")
    k = 3 if kind in ("prob", "logit", "score") else 2
    values = np.round(rng.normal(size=(n, k)), 1)
    if is_prob:
        values = np.exp(values)
        values /= values.sum(axis=1, keepdims=True)
    if kind.startswith(("one", "first")):
        values = np.ascontiguousarray(values[:, 1])
    classes = Classes(tuple(range(k)), None if k == 3 else int(not kind.startswith("first")))
    codes, pred = (rng.integers(0, k, n).astype(np.int32) for _ in range(2))
    weights = rng.integers(0, 5, n) / 4.0 if is_weighted else None
    scores = Scores(ARGUMENT_OF_ROLE[_role_of(kind)], values, None, 1e-3)
    rows = Rows(classes, codes, pred if has_pred else None, scores, weights)
    return InMemoryScores(rows, n_threads=1, is_part=True)


def part_of(rows: InMemoryScores, part: Any) -> InMemoryScores:
    found = rows.rows.at(part)
    scores = replace(rows.scores, values=np.ascontiguousarray(rows.scores.values[part]))
    return replace(rows, rows=replace(found, true=np.ascontiguousarray(found.true), scores=scores))


def assert_equal(left: ScoreHistograms, right: ScoreHistograms) -> None:
    assert (left.kind, left.limit, left.n_rows, left.bits) == (
        right.kind, right.limit, right.n_rows, right.bits,
    )  # fmt: skip
    assert_same(left.cells.matrix(), right.cells.matrix())
    for name in LOSSES:
        assert_same(getattr(left.sums, name), getattr(right.sums, name), within=1e-12, about=name)
    assert len(left.histograms) == len(right.histograms)
    for one, other in zip(left.histograms, right.histograms, strict=True):
        score_tables.assert_equal(one, other)
    test_row_sample.assert_equal(left.sample, right.sample)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_partition_order_and_tree_of_merges(kind: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 60))
    limit = data.draw(st.sampled_from((4, 20, 1000)))
    how = {name: data.draw(st.booleans(), label=name) for name in ("is_weighted", "has_pred")}
    rows = rows_of(kind, n, **how)
    whole = histograms_of(rows, limit, 10)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    cuts = np.unique(rng.integers(1, n + 1, data.draw(st.integers(0, 5))))
    groups = [group for group in np.split(rng.permutation(n), cuts) if len(group)]
    parts = [histograms_of(part_of(rows, group), limit, 10) for group in groups]
    while len(parts) > 1:
        one, other = (parts.pop(int(rng.integers(len(parts)))) for _ in range(2))
        parts.append(ScoreHistograms.from_bytes(one.to_bytes()).merge(other))
    assert_equal(parts[0], whole)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_tables_as_precise_as_others_merge_to_the_same(kind: str, is_weighted: bool) -> None:
    rows = rows_of(kind, 400, is_weighted=is_weighted)
    first, second = (part_of(rows, part) for part in (slice(0, 300), slice(300, 400)))
    before = histograms_of(first, 12, 10)
    assert not before.is_exact
    both = before.merge(histograms_of(second, 12, 10, before))
    assert_equal(both, histograms_of(rows, 12, 10))
    assert all(table.n_levels <= 12 or table.bits == 0 for table in both.histograms)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_exact_tables_say_what_the_rows_say(kind: str, is_weighted: bool) -> None:
    rows = rows_of(kind, 200, is_weighted=is_weighted)
    tabled = HistogramRows(histograms_of(rows, 10_000, 10))
    for i in range(rows.classes.k):
        for of in ("column", "probability_column"):
            found, wanted = getattr(tabled, of)(i).cumulative(), getattr(rows, of)(i).cumulative()
            assert_same(found.scores, wanted.scores, within=1e-15)
            assert_same(found.counts, wanted.counts, within=1e-12)
    for of in ("confidences", "pooled"):
        found, wanted = getattr(tabled, of)().cumulative(), getattr(rows, of)().cumulative()
        # Of one column the confidence is computed otherwise, to the last bit or two.
        near = np.round(found.scores, 12), np.round(wanted.scores, 12)
        assert_same(np.unique(near[0]), np.unique(near[1]))
        for side in (0, 1):
            sums = [np.bincount(np.unique(scores, return_inverse=True)[1], one.counts[:, side])
                    for scores, one in zip(near, (found, wanted), strict=True)]  # fmt: skip
            assert_same(*sums, within=1e-12)
    assert_same(tabled.class_squares(), rows.class_squares(), within=1e-12)


@pytest.mark.parametrize("kind", ["one_prob", "one_score", "first_prob", "first_score"])
def test_confidences_of_buckets_hold_those_of_rows(kind: str) -> None:
    """Score levels do not overlap and stand in order: means descend, and each holds its rows."""
    for seed in range(20):
        rows = rows_of(kind, 2000, seed=seed)
        noise = np.random.default_rng(seed).normal(size=2000) * 1e-3
        values = rows.scores.values
        values = values + noise * (values > 0.1) * (values < 0.9)
        scores = replace(rows.scores, values=values)
        rows = replace(rows, rows=replace(rows.rows, scores=scores))
        tabled = HistogramRows(histograms_of(rows, 40, 10))
        column = tabled.confidences()
        assert not column.is_exact
        table = column.table
        assert table.n_rows == 2000
        assert (table.low[:-1] >= table.high[1:]).all()
        assert (np.diff(table.means) < 0).all()
        sure, is_right = rows.confidence_values()
        for own in (0, 1):
            exact = np.sort(np.asarray(sure, float)[is_right == bool(own)])
            ends = [np.repeat(end, table.counts[:, own])[::-1] for end in (table.low, table.high)]
            assert (ends[0] <= exact + 1e-15).all()
            assert (exact <= ends[1] + 1e-15).all()


@pytest.mark.parametrize("is_straight", [False, True])
def test_lifts_do_not_depend_on_how_many_score_levels_are_held(
    is_straight: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    table = ScoreHistogram.of(np.round(rng.random(90), 1), rng.integers(0, 2, 90), 2)
    wanted = HistogramColumn(table, 1).lift_squares(is_straight=is_straight)
    for held in (1, 3, 4):
        monkeypatch.setattr("karat.tally.histogram_views.N_BLOCK", held)
        found = HistogramColumn(table, 1).lift_squares(is_straight=is_straight)
        assert_same(found, wanted, within=1e-12, about=str(held))


def test_what_needs_rows_is_refused() -> None:
    tabled = HistogramRows(histograms_of(rows_of("prob", 20), 100, 10))
    calls: list[Any] = [
        lambda: tabled.codes,
        lambda: tabled.weights,
        lambda: tabled.row_losses("negative_log_probability", slice(0, 3)),
        lambda: tabled.probabilities(0, slice(0, 3)),
        lambda: tabled.column_values(0, is_prob=True),
        tabled.confidence_values,
        lambda: tabled.pair_areas(None),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="hold no rows"):
            call()


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_rows_of_a_sample_stand_for_all(is_weighted: bool) -> None:
    rows = rows_of("prob", 3000, is_weighted=is_weighted)
    histograms = histograms_of(rows, 100, 200)
    some, squares = sampled_rows(histograms)
    assert some.weights is not None
    for each, weights in ((some.codes, some.weights),):
        assert_same(np.bincount(each, weights), histograms.sums.truth, within=1e-12)
    wanted = histograms.sums.weight2
    assert abs(squares.sum() - wanted) < 0.1 * wanted
    # A sample with room for all holds all.
    some, squares = sampled_rows(histograms_of(rows, 100, 3000))
    assert_same(squares.sum(), wanted, within=1e-12)


def test_a_tally_may_have_other_names() -> None:
    histograms = histograms_of(rows_of("prob", 9), 8, 4)
    named = histograms.named(histograms.classes.named(["x", "y", "z"]))
    assert named.classes.names == ("x", "y", "z")
    assert_equal(named.named(histograms.classes), histograms)


def test_rooms_fit() -> None:
    how = {"is_prob": False, "is_single": False, "is_weighted": True}
    for k, n_bytes in ((2, 1 << 20), (3, 1 << 20), (25, 1 << 20), (100, 1 << 28), (1000, 1 << 35)):
        limit, n_sampled = room_of(k, **how, n_bytes=n_bytes)
        assert limit >= (4096 if k < 4 else 256)
        assert 8 <= n_sampled <= 1 << 15
        taken = 2 * (2 * k + 1) * 8 * (3 + 2 * k) * limit
        assert taken <= max(n_bytes, 1 << 24)
    for k, n_bytes in ((50, 1 << 20), (1000, 1 << 28)):
        with pytest.raises(KaratError, match="K147"):
            room_of(k, **how, n_bytes=n_bytes)


@pytest.mark.parametrize(
    ("other", "code"),
    [
        (rows_of("score", 9), "K202"),
        (rows_of("one_prob", 9), "K201"),
        (rows_of("two_prob", 9), "K201"),
        (rows_of("prob", 9, is_weighted=True), "K203"),
    ],
)
def test_what_does_not_go_together_is_not_merged(other: InMemoryScores, code: str) -> None:
    with pytest.raises(KaratError, match=code):
        histograms_of(rows_of("prob", 9), 100, 10).merge(histograms_of(other, 100, 10))


def stored(kind: str) -> ScoreHistograms:
    """What was written to a file."""
    return histograms_of(rows_of(kind, 30, is_weighted=kind == "score"), 8, 4)


def test_tables_of_probabilities_written_by_an_earlier_version_are_read() -> None:
    data = (STORED / "v1-prob.karat-scored-tables").read_bytes()
    assert_equal(rounded(ScoreHistograms.from_bytes(data)), rounded(stored("prob")))


@pytest.mark.parametrize("kind", ["score", "one_score"])
def test_tables_of_scores_written_by_an_earlier_version_are_refused_by_name(kind: str) -> None:
    data = (STORED / f"v1-{kind}.karat-scored-tables").read_bytes()
    with pytest.raises(KaratError, match=r"Version 0\.2 wrote it, where logits and other scores"):
        ScoreHistograms.from_bytes(data)


def rounded(histograms: ScoreHistograms) -> ScoreHistograms:
    """The same without the last bits of the softmax, which differ between processors."""

    def of(table: Any) -> Any:
        return replace(table, low=np.round(table.low, 14), high=np.round(table.high, 14))

    return replace(
        histograms,
        probabilities=tuple(map(of, histograms.probabilities)),
        confidences=None if histograms.confidences is None else of(histograms.confidences),
    )


@pytest.mark.parametrize("kind", ["prob", "one_score"])
def test_every_damaged_byte_is_refused(kind: str) -> None:
    data = histograms_of(rows_of(kind, 4), 8, 1).to_bytes()
    for place in range(0, len(data), 3):
        damaged = bytearray(data)
        damaged[place] ^= 32
        with pytest.raises(KaratError, match=r"K205|K206"):
            ScoreHistograms.from_bytes(bytes(damaged))
        with pytest.raises(KaratError, match="K205"):
            ScoreHistograms.from_bytes(data[:place])


def moved(header: Any) -> None:
    header["sizes"]["cells"][0] += 1
    header["sizes"]["sums"][0] -= 1


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="ladder"),
        lambda header: header.update(kind=0),
        lambda header: header.update(kind="logits"),
        lambda header: header.pop("kind"),
        lambda header: header.update(limit=0),
        lambda header: header.update(limit=1.5),
        lambda header: header.pop("limit"),
        lambda header: header["sizes"].pop("ranks"),
        lambda header: header["sizes"].update(ranks=[]),
        lambda header: header["sizes"].update(cells=[]),
        lambda header: header["sizes"].update(sample=[-3]),
        lambda header: header["sizes"].update(sample=[-1]),
        lambda header: header["sizes"].update(sums=[True]),
        lambda header: header["sizes"].update(ranks=header["sizes"]["ranks"][:2]),
        moved,
        at("parts", dtype="<i8"),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        ScoreHistograms.from_bytes(rewritten(stored("prob").to_bytes(), change))


FOUND, OTHER = stored("prob"), histograms_of(rows_of("prob", 31), 8, 4)
TWO, HEAVY = stored("one_score"), histograms_of(rows_of("prob", 30, is_weighted=True), 8, 4)


@pytest.mark.parametrize(
    "bad",
    [
        replace(FOUND, ranks=FOUND.ranks[:2]),
        replace(FOUND, ranks=FOUND.ranks[:1]),
        replace(FOUND, ranks=(*FOUND.ranks[:2], OTHER.ranks[2])),
        replace(FOUND, ranks=(*FOUND.ranks[:2], HEAVY.ranks[2])),
        replace(FOUND, probabilities=FOUND.ranks),
        replace(FOUND, confidences=None),
        replace(FOUND, confidences=FOUND.ranks[0]),
        replace(FOUND, sums=OTHER.sums),
        replace(FOUND, sums=TWO.sums),
        replace(FOUND, sums=HEAVY.sums),
        replace(FOUND, sums=replace(FOUND.sums, names=("other", *FOUND.sums.names[1:]))),
        replace(FOUND, sums=replace(FOUND.sums, ranks=None)),
        replace(FOUND, cells=OTHER.cells),
        replace(FOUND, cells=HEAVY.cells),
        replace(FOUND, cells=TWO.cells),
        replace(FOUND, sample=HEAVY.sample),
        replace(FOUND, sample=TWO.sample),
        replace(TWO, confidences=FOUND.confidences),
        replace(TWO, sample=FOUND.sample),
    ],
)
def test_parts_that_contradict_each_other_are_refused(bad: ScoreHistograms) -> None:
    with pytest.raises(KaratError, match="K205"):
        ScoreHistograms.from_bytes(bad.to_bytes())


def with_counts(table: ScoreHistogram, change: Any) -> ScoreHistogram:
    """The same scores, of other rows."""
    squares = None if table.squares is None else np.ascontiguousarray(change(table.squares))
    return replace(table, counts=np.ascontiguousarray(change(table.counts)), squares=squares)


def turned(counts: Any) -> Any:
    return np.roll(counts, 1, axis=1)


def of_one(counts: Any) -> Any:
    """Every row is of the last class."""
    return np.concatenate([0 * counts[:, 1:], counts.sum(axis=1, keepdims=True)], axis=1)


@pytest.mark.parametrize("change", [turned, of_one])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_other_rows_than_the_confusion_matrix_are_refused(
    kind: str, is_weighted: bool, change: Any
) -> None:
    """Swapped classes would turn an area around."""
    honest = histograms_of(rows_of(kind, 33, is_weighted=is_weighted, seed=2), 1 << 20, 8)
    assert ScoreHistograms.from_bytes(honest.to_bytes()).to_bytes() == honest.to_bytes()
    ranks = with_counts(honest.ranks[-1], change)
    lies = [replace(honest, ranks=(*honest.ranks[:-1], ranks))]
    if honest.probabilities:
        last = with_counts(honest.probabilities[-1], change)
        lies.append(replace(honest, probabilities=(*honest.probabilities[:-1], last)))
    if honest.confidences is not None:
        lies.append(replace(honest, confidences=with_counts(honest.confidences, change)))
    lies.append(replace(honest, sums=replace(honest.sums, truth=np.roll(honest.sums.truth, 1))))
    for lie in lies:
        with pytest.raises(KaratError, match=r"other (rows of the classes|right rows)"):
            ScoreHistograms.from_bytes(lie.to_bytes())


def test_counts_that_begin_anew_beyond_the_largest_number_are_refused() -> None:
    honest = histograms_of(rows_of("one_prob", 33), 1 << 20, 8).ranks[0]
    counts = honest.counts.copy()
    counts[:4, 0] += 2**62
    assert counts.sum() == honest.n_rows, "a control: they add up to 2⁶⁴ and the rows"
    with pytest.raises(KaratError, match="The number of rows is not that of the counts"):
        ScoreHistogram.from_bytes(replace(honest, counts=counts).to_bytes())


def test_tables_of_another_number_of_rows_are_named_first() -> None:
    found, more = (histograms_of(rows_of("prob", n), 100, 10) for n in (20, 21))
    bad = replace(found, ranks=(more.ranks[0], *found.ranks[1:]))
    assert _inconsistency(found) is None
    assert _inconsistency(bad) == "The parts are not of the same number of rows"


def test_bytes_that_do_not_speak_of_predictions_have_none() -> None:
    read = ScoreHistograms.from_bytes(
        rewritten(stored("prob").to_bytes(), lambda header: header.pop("has_pred", None))
    )
    assert read.has_pred is False
    assert_equal(read, stored("prob"))

"""Models of rows with sets by loops: whole sets that are exchanged, and what goes into a test."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karat.inference.comparison import set_swaps
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.comparison.set_swaps import SwappedSets, n_replicates, swap_p_values_of_sets
from karat.inference.comparison.set_swaps import tests_of_labels as labels_tested
from karat.inference.comparison.sets import (
    _right_rows,
    _shares,
    estimate_of_sets,
    estimate_of_sets_apart,
    on_own_labels,
    paired_sets,
    sets_apart,
    units_of_sets,
)
from karat.inference.comparison.sides import DIFFERENT_ROWS
from karat.inference.confidence import Confidence
from karat.inference.set_intervals import SetIntervals
from karat.metrics import Metric, get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Classes
from karat.tally.label_scores import LabelScores
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.inference.set_rows import by_weight, set_rows

N, K = 9, 3
CODES = np.array([4, 4, 0, 0, 0, 2, 2, 5, 5])
WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25, 1.0, 3.0, 1.5, 0.75, 1.0])
COUNTS = np.array([1.0, 2.0, 0.0, 3.0, 1.0, 2.0, 1.0, 1.0, 4.0])


def drawn(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, and what two models predict; of the last two rows they predict the same."""
    rng = np.random.default_rng([91, seed])
    true = rng.random((N, K)) < 0.5
    a, b = (np.where(rng.random((N, K)) < 0.35, ~true, true) for _ in range(2))
    a[-2:] = b[-2:]
    return true, a, b


def both(w: Any = None, codes: Any = None, **more: Any) -> tuple[SetRows, SetRows]:
    true, a, b = drawn()
    return set_rows(true, a, w, codes, **more), set_rows(true, b, w, codes, **more)


def value(metric: Metric, true: np.ndarray, pred: np.ndarray, w: Any = None) -> Any:
    found = values_on_sets(metric, set_rows(true, pred, w).tally).value
    return found.tolist() if found.ndim else float(found)


def occurring(metric: Metric, true: np.ndarray, pred: np.ndarray) -> float:
    at = (true | pred).any(axis=0)
    return float(value(metric, true[:, at], pred[:, at]))


def test_numbers_of_replicates() -> None:
    """2³² products at most; fewer than 499 are too few, unless as many are wanted."""
    assert n_replicates(4999, 10) == 4999
    assert n_replicates(4999, 2**32 // 499) == 499
    assert n_replicates(4999, 2**32 // 499 + 9_000) == 0
    assert n_replicates(4999, 2**22) == 1024
    assert n_replicates(100, 2**25) == 100
    assert n_replicates(100, 2**26) == 0
    assert n_replicates(499, 2**32) == 0
    assert n_replicates(7, 0) == 7
    assert n_replicates(2**40, 0) == 2**32
    assert n_replicates(2**40, 1) == 2**32


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters", "frequency", "counted clusters"])
def test_what_an_exchange_moves(kind: str) -> None:
    """True and false positives of each label that the first model gains, of rows that differ."""
    true, a, b = drawn()
    w = {"weights": WEIGHTS, "frequency": COUNTS, "counted clusters": COUNTS}.get(kind)
    codes = CODES if "clusters" in kind else None
    is_counted = kind in ("frequency", "counted clusters")
    swapped = SwappedSets.of(*both(w, codes, is_frequency=is_counted), 99)
    assert swapped is not None
    own = np.ones(N) if w is None or kind == "frequency" else w
    units = np.arange(N) if codes is None else codes
    differing = sorted({int(units[i]) for i in range(N) if (a[i] != b[i]).any()})
    expected = np.zeros((len(differing), 2 * K))
    for i in range(N):
        if (a[i] != b[i]).any():
            gained = b[i].astype(float) - a[i]
            row = expected[differing.index(int(units[i]))]
            row[:K] += own[i] * gained * true[i]
            row[K:] += own[i] * gained * ~true[i]
    np.testing.assert_allclose(swapped.moved, expected, rtol=1e-12, atol=1e-15)
    assert swapped.n_drawn == 99
    assert not swapped.are_occurring
    if kind == "frequency":
        assert swapped.times is not None
        assert swapped.times.tolist() == COUNTS[differing].tolist()
        assert swapped.times.dtype == np.int64
    else:
        assert swapped.times is None
    assert swapped.none().tolist() == [[0.0] * len(differing)]


@pytest.mark.parametrize("are_occurring", [False, True])
def test_differences_of_every_exchange(are_occurring: bool) -> None:
    """Values of both models with the rows exchanged, counted anew; each on the labels it has."""
    true, a, b = drawn()
    true, a, b = (np.column_stack([side, np.zeros(N, bool)]) for side in (true, a, b))
    # The last label is true in no row, and predicted by the first model in one.
    a[1, K] = True
    swapped = SwappedSets.of(set_rows(true, a), set_rows(true, b), 99)
    assert swapped is not None
    swapped = replace(swapped, are_occurring=are_occurring)
    differing = np.flatnonzero((a != b).any(axis=1))
    drawn_rows = np.random.default_rng(0).integers(0, 2, (12, len(differing))).astype(float)
    drawn_rows[0] = 0.0
    for name in ("macro_f1", "macro_recall", "micro_f1", "weighted_f1"):
        metric = get(name)
        found = swapped.differences(metric, "zero", drawn_rows)
        of_each = occurring if are_occurring else value
        for one, row in zip(found, drawn_rows, strict=True):
            left, right = a.copy(), b.copy()
            at = differing[row > 0.0]
            left[at], right[at] = b[at], a[at]
            expected = of_each(metric, true, left) - of_each(metric, true, right)
            assert one == pytest.approx(expected, abs=1e-12)


def test_endless_values_do_not_differ() -> None:
    true = np.array([[1], [0], [1], [0]])
    a, b = np.array([[1], [0], [1], [0]]), np.array([[1], [0], [0], [0]])
    metric = replace(get("macro_positive_likelihood_ratio"), lift="per_class")
    swapped = SwappedSets.of(set_rows(true, a), set_rows(true, b), 9)
    assert swapped is not None
    assert swapped.differences(metric, "zero", swapped.none()).tolist() == [[0.0]]


def test_draws_exchange_half_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with probability ½, of rows that stand for several each of these; in any blocks."""
    plain = SwappedSets.of(*both(), 40)
    counted = SwappedSets.of(*both(COUNTS, is_frequency=True), 40)
    assert plain is not None
    assert counted is not None
    d = len(plain.moved)
    rng = np.random.default_rng([7, 2])
    whole = rng.integers(0, 2, (40, d)).astype(float)
    (found,) = plain.draws((7, 2))
    np.testing.assert_array_equal(found, whole)
    rng = np.random.default_rng([7, 2])
    (often,) = counted.draws((7, 2))
    assert counted.times is not None
    np.testing.assert_array_equal(often, rng.binomial(counted.times, 0.5, (40, d)))
    monkeypatch.setattr(set_swaps, "_BLOCK", 3 * max(plain.moved.shape))
    parts = list(plain.draws((7, 2)))
    assert [len(part) for part in parts] == [3] * 13 + [1]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    monkeypatch.setattr(set_swaps, "_BLOCK", 1)
    np.testing.assert_array_equal(np.concatenate(list(plain.draws((7, 2)))), whole)


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_p_values_count_replicates(level: float) -> None:
    """(1 + those at least as far) ÷ (1 + all), and a replicate that the level is not above."""
    true, a, b = drawn()
    metrics = [get(name) for name in ("macro_f1", "macro_recall")]
    swapped = SwappedSets.of(*both(), 49)
    assert swapped is not None
    differing = np.flatnonzero((a != b).any(axis=1))
    (rows,) = swapped.draws((3,))
    found = swap_p_values_of_sets(both(), metrics, 49, (3,), level=level)
    assert found is not None
    for metric, p, most in zip(metrics, *found, strict=True):
        differences = []
        for row in rows:
            left, right = a.copy(), b.copy()
            at = differing[row > 0.0]
            left[at], right[at] = b[at], a[at]
            differences.append(abs(value(metric, true, left) - value(metric, true, right)))
        seen = abs(value(metric, true, a) - value(metric, true, b))
        beyond = sum(each >= seen - 1e-9 for each in differences)
        assert p == pytest.approx((1.0 + beyond) / 50.0, rel=1e-12)
        # The index level·(n − 1) of 49 replicates, rounded up.
        place = math.ceil(level * 48.0 - 1e-9)
        assert most == pytest.approx(sorted(differences)[place], rel=1e-9)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_swaps, "_MOST_PRODUCTS", 50)
        assert swap_p_values_of_sets(both(), metrics, 49, (3,)) is None
    on_all = swap_p_values_of_sets(both(), metrics, 49, (3,), level=level, are_occurring=True)
    assert on_all == found


def test_tests_of_every_label() -> None:
    """Of each alone, and of the largest of all in standard deviations (Westfall and Young 1993)."""
    true, a, b = drawn()
    # A label that both predict alike.
    true, a, b = (np.column_stack([side, true[:, 0]]) for side in (true, a, b))
    metric = replace(get("macro_f1"), lift="per_class")
    swapped = SwappedSets.of(set_rows(true, a), set_rows(true, b), 59)
    assert swapped is not None
    found = labels_tested(swapped, metric, "zero", (5,), 0.8)
    differing = np.flatnonzero((a != b).any(axis=1))
    (rows,) = swapped.draws((5,))
    each = []
    for row in rows:
        left, right = a.copy(), b.copy()
        at = differing[row > 0.0]
        left[at], right[at] = b[at], a[at]
        each.append(np.abs(np.subtract(value(metric, true, left), value(metric, true, right))))
    seen = np.abs(np.subtract(value(metric, true, a), value(metric, true, b)))
    deviations = [math.sqrt(sum(x[label] ** 2 for x in each) / 59.0) for label in range(K + 1)]
    largest = [max(x[label] / deviations[label] for label in range(K)) for x in each]
    for label in range(K):
        beyond = sum(x[label] >= seen[label] - 1e-9 for x in each)
        p = (1.0 + beyond) / 60.0
        assert found.p[label] == pytest.approx(p, rel=1e-12)
        far = sum(x >= seen[label] / deviations[label] - 1e-9 for x in largest)
        assert found.p_adjusted[label] == pytest.approx(max(p, (1.0 + far) / 60.0), rel=1e-12)
    assert deviations[K] == 0.0
    assert (found.p[K], found.p_adjusted[K]) == (1.0, 1.0)
    assert found.quantile == pytest.approx(float(np.quantile(largest, 0.8)), rel=1e-9)


def test_labels_whose_ratio_is_endless_do_not_count() -> None:
    true = np.array([[1, 1], [0, 0], [1, 1], [0, 0], [1, 0], [0, 1]])
    a = np.array([[1, 1], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]])
    b = np.array([[0, 0], [0, 0], [1, 1], [0, 1], [1, 0], [0, 1]])
    metric = replace(get("macro_positive_likelihood_ratio"), lift="per_class")
    swapped = SwappedSets.of(set_rows(true, a), set_rows(true, b), 39)
    assert swapped is not None
    found = labels_tested(swapped, metric, "nan", (1,), 0.9)
    # The first label has no false positive in any replicate; the ratios of the second are 3 and 2.
    assert (found.p[0], found.p_adjusted[0]) == (1.0, 1.0)
    assert value(metric, true, a) == [math.inf, 3.0]
    assert value(metric, true, b) == [math.inf, 2.0]
    (rows,) = swapped.draws((1,))
    each = []
    for row in rows:
        left, right = a.copy(), b.copy()
        # They differ in rows 0, 1 and 3.
        at = np.array([0, 1, 3])[row > 0.0]
        left[at], right[at] = b[at], a[at]
        difference = abs(value(metric, true, left)[1] - value(metric, true, right)[1])
        each.append(difference if math.isfinite(difference) else 0.0)
    assert 0 < sum(x == 0.0 for x in each) < 39
    p = (1.0 + sum(x >= 1.0 - 1e-9 for x in each)) / 40.0
    assert (found.p[1], found.p_adjusted[1]) == pytest.approx((p, p), rel=1e-12)
    # The largest of both labels is that of the second.
    deviation = math.sqrt(sum(x * x for x in each) / 39.0)
    assert found.quantile == pytest.approx(float(np.quantile(each, 0.9)) / deviation, rel=1e-9)


def test_differences_that_are_no_numbers_count_nothing() -> None:
    found = set_swaps._finite(np.array([1.5, math.inf, -math.inf, math.nan, -2.0]))
    assert found.tolist() == [1.5, 0.0, 0.0, 0.0, -2.0]


def model(rows: SetRows, **asked: Any) -> SetIntervals:
    policy = asked.pop("policy", "zero")
    return SetIntervals(rows.tally, Confidence(**asked), rows, policy)


def spec(**more: Any) -> ComparisonSpec:
    given = {"level": 0.9, "adjust": "none", "margin": {}, "pairs": ((0, 1),), **more}
    return ComparisonSpec(seed=3, n_permutations=99, **given)


def test_values_of_a_model() -> None:
    true, a, _ = drawn()
    missing = np.zeros(N, bool)
    missing[4] = True
    rows, metric = set_rows(true, a, missing=missing), get("macro_f1")
    one = model(rows)
    found = estimate_of_sets(metric, one)
    assert found.value == value(metric, true[~missing], a[~missing])
    assert (found.n, found.undefined, found.variance) == (N - 1, None, None)
    assert found.levels is not None
    assert found.interval_at(Confidence(0.8)) == replace(one, asked=Confidence(0.8)).of(
        metric, found.value
    )
    apart = estimate_of_sets_apart(metric, one)
    error = one.of(metric, found.value).standard_error
    assert error is not None
    assert apart.variance == pytest.approx(error**2, rel=1e-12)
    alone = model(rows.at(np.array([0])))
    assert math.isnan(estimate_of_sets_apart(metric, alone).variance or 0.0)
    nothing = model(set_rows(0 * true, 0 * true), policy="exclude")
    for name in ("samples_f1", "macro_f1"):
        assert estimate_of_sets(get(name), nothing).undefined
    # Rows that are undefined may count as a number, which is none of theirs.
    counted = model(set_rows(0 * true, 0 * true))
    assert math.isfinite(estimate_of_sets(get("samples_f1"), counted).value)
    assert estimate_of_sets(get("samples_f1"), counted).undefined
    some = model(set_rows(true, a), policy="nan")
    assert estimate_of_sets(get("hamming_loss"), some).undefined is None


def test_rows_on_the_labels_that_occur() -> None:
    true, pred, known = (np.zeros((3, 5), int) for _ in range(3))
    true[0, 4] = pred[1, 1] = known[2, 3] = 1
    labels = Classes(tuple("abcde"))
    rows = set_rows(true, pred, classes=labels)
    found = on_own_labels(rows)
    assert found.classes.labels == ("b", "e")
    assert found.true.matrix(2).tolist() == [[False, True], [False] * 2, [False] * 2]
    assert found.pred.matrix(2).tolist() == [[False] * 2, [True, False], [False] * 2]
    assert found.classes.is_declared is False
    partly = replace(rows, unknown=Sets.of_matrix(known))
    assert on_own_labels(partly).classes.labels == ("b", "d", "e")
    declared = replace(rows, classes=replace(labels, is_declared=True))
    assert on_own_labels(declared) is declared
    scored = replace(rows, scores=LabelScores(np.zeros((3, 5)), "scores"))
    assert on_own_labels(scored) is scored
    none = set_rows(0 * true, 0 * true, classes=labels)
    assert on_own_labels(none) is none
    full = set_rows(np.ones((2, 5), int), np.zeros((2, 5), int), classes=labels)
    assert on_own_labels(full) is full


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_differences_on_the_same_rows(is_weighted: bool, is_clustered: bool) -> None:
    """n ÷ (n − 1) · Σ of the squares of what rows move, of clusters G ÷ (G − 1)."""
    w, codes = WEIGHTS if is_weighted else None, CODES if is_clustered else None
    sides = both(w, codes)
    models, metrics = [model(rows) for rows in sides], [get("micro_f1"), get("samples_f1")]
    found = paired_sets(models, metrics, spec(), sides)
    own = np.ones(N) if w is None else w
    for metric, one in zip(metrics, found, strict=True):
        moves = by_weight(metric, sides[0]) - by_weight(metric, sides[1])
        n = float(own.sum()) ** 2 / float((own**2).sum())
        square = float((moves**2).sum()) * n / (n - 1.0)
        if codes is not None:
            sums = [moves[codes == code].sum() for code in (0, 2, 4, 5)]
            square = sum(x * x for x in sums) * 4.0 / 3.0
        assert one.spread is not None
        assert one.spread.variance(0, 1) == pytest.approx(square, rel=1e-6)
        assert (one.metric, one.method, one.same) == (metric, "influence t", frozenset())
        assert [each.value for each in one.estimates] == [
            float(values_on_sets(metric, rows.tally).value) for rows in sides
        ]
        assert (0, 1) in one.limits
    units = units_of_sets(models[0])
    n = float(own.sum()) ** 2 / float((own**2).sum())
    assert units.df == pytest.approx(3.0 if is_clustered else max(n - 1.0, 1.0), rel=1e-12)


def test_models_that_predict_the_same() -> None:
    true, a, b = drawn()
    other = a.copy()
    # As many labels, but others.
    assert a[0].tolist() == [True, False, False]
    other[0] = np.roll(a[0], 1)
    for pred, is_same in ((a, True), (b, False), (other, False)):
        sides = set_rows(true, a), set_rows(true, pred)
        models = [model(rows) for rows in sides]
        (found,) = paired_sets(models, [get("micro_f1")], spec(), sides)
        assert ((0, 1) in found.same) == is_same
    # On other labels they do not.
    wide = set_rows(true, a, classes=Classes((0, 1, 7), is_declared=True))
    models = [model(set_rows(true, a)), model(wide)]
    (found,) = paired_sets(models, [get("micro_f1")], spec(), (set_rows(true, a), wide))
    assert found.same == frozenset()


def test_shares_of_rows_are_tested_as_pairs() -> None:
    """The rows that one model alone has right; limits of plain rows are those of shares."""
    true, a, b = drawn()
    sides = both()
    right = [(pred == true).all(axis=1) for pred in (a, b)]
    (found,) = paired_sets([model(x) for x in sides], [get("subset_accuracy")], spec(), sides)
    one = found.discordant[0, 1]
    assert one.b == float((right[0] & ~right[1]).sum())
    assert one.c == float((right[1] & ~right[0]).sum())
    assert found.tests[0, 1][0] == "mid-p McNemar"
    assert found.spread is not None
    assert found.spread.df == math.inf
    for given in ({"w": WEIGHTS}, {"codes": CODES}):
        sides = both(**given)
        models = [model(x) for x in sides]
        (found,) = paired_sets(models, [get("subset_accuracy")], spec(), sides)
        assert not found.tests
        assert found.spread is not None
        assert found.spread.df < N
    (part,) = paired_sets([model(x) for x in both()], [get("samples_f1")], spec(), both())
    assert not part.discordant
    assert part.spread is not None
    assert part.spread.df == N - 1.0


@pytest.mark.parametrize("n_true", [19, 20])
def test_averages_of_rare_labels_are_guarded_by_permutations(n_true: int) -> None:
    """Where a label has fewer than twenty true rows; plain rows only."""
    rng = np.random.default_rng(4)
    true = rng.random((60, 2)) < 0.6
    true[:, 1] = np.arange(60) < n_true
    a, b = (np.where(rng.random((60, 2)) < 0.2, ~true, true) for _ in range(2))
    sides, metrics = (set_rows(true, a), set_rows(true, b)), [get("macro_f1"), get("micro_f1")]
    found = paired_sets([model(x, level=0.9) for x in sides], metrics, spec(), sides)
    assert not found[1].guards
    assert found[1].remark is None
    if n_true == 20:
        assert not found[0].guards
        return
    drawn_p = swap_p_values_of_sets(sides, metrics[:1], 99, (3,), "zero", 0.9)
    assert drawn_p is not None
    assert found[0].guards == {(0, 1): ("swap permutation", drawn_p[0][0])}
    assert found[0].critical == {(0, 1): drawn_p[1][0]}
    assert found[0].remark == "the rarest label has 19 rows"
    for given in ({"w": np.full(60, 2.0)}, {"codes": np.arange(60) % 6}):
        sides = set_rows(true, a, **given), set_rows(true, b, **given)
        (one,) = paired_sets([model(x) for x in sides], metrics[:1], spec(), sides)
        assert not one.guards


def test_models_that_count_other_labels_are_guarded() -> None:
    rng = np.random.default_rng(5)
    true = np.column_stack([rng.random((50, 2)) < 0.6, np.zeros((50, 2), bool)])
    # Twenty true rows are enough.
    true[:, 1] = np.arange(50) < 20
    a, b = (np.where(rng.random((50, 4)) < 0.1, ~true, true) for _ in range(2))
    a[:, 2] = b[:, 3] = a[:, 3] = False
    whole = [set_rows(true, x, classes=Classes((0, 1, 2, 3))) for x in (a, b)]
    models = [model(on_own_labels(x), level=0.9) for x in whole]
    assert [x.tally.k for x in models] == [2, 3]
    (found,) = paired_sets(models, [get("macro_f1")], spec(), whole)
    places = np.array([0, 1, 2])
    sides = whole[0].only(places), whole[1].only(places)
    drawn_p = swap_p_values_of_sets(
        sides, [get("macro_f1")], 99, (3,), "zero", 0.9, are_occurring=True
    )
    assert drawn_p is not None
    assert found.guards == {(0, 1): ("swap permutation", drawn_p[0][0])}
    assert found.critical == {(0, 1): drawn_p[1][0]}
    assert found.remark is None
    # Of three models only pairs that count other labels are guarded.
    three = [*models, models[0]]
    rows = [*whole, whole[0]]
    (found,) = paired_sets(three, [get("macro_f1")], spec(pairs=((0, 1), (0, 2))), rows)
    assert set(found.guards) == {(0, 1)}


@pytest.mark.parametrize("n_true", [1, 3])
def test_the_rarest_label_is_one_that_occurs(n_true: int) -> None:
    """A label that no row has is not rare, though models predict it."""
    true = np.zeros((8, 3), bool)
    true[:n_true, 0] = true[2 : 2 + n_true, 1] = True
    a, b = true.copy(), true.copy()
    a[7, 2] = b[6, 0] = b[5, 1] = True
    sides = set_rows(true, a), set_rows(true, b)
    (found,) = paired_sets([model(x) for x in sides], [get("macro_f1")], spec(), sides)
    assert found.remark == f"the rarest label has {n_true} row{'s' if n_true > 1 else ''}"
    assert set(found.guards) == {(0, 1)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_swaps, "_MOST_PRODUCTS", 50)
        (found,) = paired_sets([model(x) for x in sides], [get("macro_f1")], spec(), sides)
    assert (found.guards, found.remark) == ({}, None)
    # Without a true label none is rare.
    sides = set_rows(0 * true, a), set_rows(0 * true, b)
    (found,) = paired_sets([model(x) for x in sides], [get("macro_f1")], spec(), sides)
    assert not found.guards


@pytest.mark.parametrize("is_declared", [False, True])
def test_labels_of_other_models_do_not_count_in_a_pair(is_declared: bool) -> None:
    """Of labels that are not declared those of the two models count, of declared ones all."""
    true, a, b = drawn()
    true, a, b = (np.column_stack([side, np.zeros(N, bool)]) for side in (true, a, b))
    third = a.copy()
    third[3, K] = True
    labels = Classes((0, 1, 2, 3), is_declared=is_declared)
    whole = [set_rows(true, x, classes=labels) for x in (a, b, third)]
    models = [model(on_own_labels(x), level=0.9) for x in whole]
    (found,) = paired_sets(models, [get("macro_f1")], spec(), whole)
    own = whole if is_declared else [x.only(np.arange(K)) for x in whole]
    drawn_p = swap_p_values_of_sets((own[0], own[1]), [get("macro_f1")], 99, (3,), "zero", 0.9)
    assert drawn_p is not None
    assert found.guards[0, 1] == ("swap permutation", drawn_p[0][0])
    assert found.critical[0, 1] == pytest.approx(drawn_p[1][0], rel=1e-12)


def test_models_on_rows_of_their_own() -> None:
    sides = both()
    models, metric = [model(x) for x in sides], get("micro_f1")
    (found,) = sets_apart(models, [metric], spec())
    errors = [one.of(metric, each.value).standard_error for one, each in zip(
        models, found.estimates, strict=True)]  # fmt: skip
    assert found.remark == DIFFERENT_ROWS
    assert found.method == "unpaired t"
    assert found.spread is not None
    square = sum((error or 0.0) ** 2 for error in errors)
    assert found.spread.variance(0, 1) == pytest.approx(square, rel=1e-9)


def test_a_cluster_alone_has_no_spread() -> None:
    sides = both(codes=np.zeros(N, int))
    (found,) = paired_sets([model(x) for x in sides], [get("micro_f1")], spec(), sides)
    assert found.spread is None
    assert [each.influence for each in found.estimates] == [None, None]


def test_values_that_no_row_moves_have_no_spread() -> None:
    nothing = np.zeros((6, 2), int)
    sides = set_rows(nothing, nothing), set_rows(nothing, nothing)
    models = [model(x, policy="exclude") for x in sides]
    (found,) = paired_sets(models, [get("samples_f1")], spec(), sides)
    assert found.spread is None
    assert [each.influence for each in found.estimates] == [None, None]
    some = np.column_stack([drawn()[0], np.zeros(N, bool)])
    assert estimate_of_sets(get("macro_f1"), model(set_rows(some, some))).undefined is None


def test_shares_of_rows_with_one_label() -> None:
    """Each row is right or wrong; those that define no value are right by no model."""
    true, a, b = (side[:, :1] for side in drawn())
    sides = set_rows(true, a), set_rows(true, b)
    models = [model(x) for x in sides]
    loss = _shares(get("samples_hamming_loss"), models)
    assert loss is not None
    np.testing.assert_array_equal(loss.right, [(a == true)[:, 0], (b == true)[:, 0]])
    assert loss.ends[0] == (1.0, 0.5, 0.0)
    f1 = _shares(get("samples_f1"), models)
    assert f1 is not None
    np.testing.assert_array_equal(f1.right, [(a & true)[:, 0], (b & true)[:, 0]])
    assert f1.ends[0] == (0.0, 0.5, 1.0)
    assert not (true | a).all()
    assert _shares(get("samples_f1"), [model(x, policy="exclude") for x in sides]) is None
    assert _shares(get("micro_f1"), models) is None
    assert _shares(get("samples_f1"), [model(x) for x in both()]) is None
    pred = drawn()[1]
    right = (pred == drawn()[0]).all(axis=1)
    np.testing.assert_array_equal(_right_rows(model(both()[0])), right)

"""Intervals of metrics of sets by hand: influence of rows, errors, limits, replicates, cautions."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from karat.designs.clusters import degrees_of_clusters
from karat.inference.class_limits import NO_SLOPE, class_limits
from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.label_intervals import A_COUNT
from karat.inference.set_intervals import (
    ONE_CLUSTER,
    SetIntervals,
    SetLevels,
    _Counted,
    _sides,
    _squared,
)
from karat.inference.value_limits import interval_of_rows, within
from karat.metrics import get
from karat.tally import Classes
from karat.tally.cells import Axis
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.inference.scored_sets import df_of, kish_of, same, variance_of
from tests.inference.set_rows import by_weight, set_rows, value_on

N, K = 18, 3
LABEL = Classes(("x",), is_declared=True)
CODES = np.repeat([3, 0, 5, 1, 4], [2, 3, 1, 5, 7])
WEIGHTS = np.random.default_rng(1).random(N) / 8.0 + 0.02
WEIGHTS[7] = 0.0
OF_LABELS = ("micro_f1", "weighted_f1", "hamming_loss", "macro_f1")
OF_ROWS = ("samples_f1", "samples_jaccard", "subset_accuracy")


def drawn(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, predictions, and which cells are known; two rows have no label and none predicted."""
    rng = np.random.default_rng([83, seed])
    true, known = rng.random((N, K)) < 0.4, rng.random((N, K)) < 0.85
    pred = np.where(rng.random((N, K)) < 0.3, ~true, true)
    true[[0, 11]] = pred[[0, 11]] = False
    return true, pred, known


def rows_of(
    w: Any = None, codes: Any = None, *, seed: int = 1, is_known: bool = True, **more: Any
) -> SetRows:
    true, pred, known = drawn(seed)
    labels = Classes(("x", "y", "z"), is_declared=True)
    return set_rows(
        true, pred, w, codes, None if is_known else known, **{"classes": labels, **more}
    )


def intervals(rows: SetRows, policy: Any = "zero", **asked: Any) -> SetIntervals:
    return SetIntervals(rows.tally, Confidence(**asked), rows, policy)


@pytest.mark.parametrize("name", [*OF_LABELS, *OF_ROWS])
@pytest.mark.parametrize("policy", ["zero", "exclude"])
@pytest.mark.parametrize("is_known", [True, False])
def test_influence_is_the_derivative_by_the_weights(name: str, policy: Any, is_known: bool) -> None:
    rows, metric = rows_of(WEIGHTS, is_known=is_known), get(name)
    one = intervals(rows, policy)
    phi = one.influence(metric, value_on(metric, rows, policy))
    assert phi is not None
    expected = by_weight(metric, rows, policy)
    np.testing.assert_allclose(WEIGHTS * phi / WEIGHTS.sum(), expected, rtol=1e-5, atol=1e-8)
    assert phi[7] == 0.0
    assert (WEIGHTS * phi).sum() == pytest.approx(0.0, abs=1e-12)


def test_what_has_no_influence() -> None:
    rows, metric = rows_of(), get("samples_f1")
    kept = intervals(rows)
    assert replace(kept, rows=None).influence(metric, 0.5) is None
    nothing = intervals(rows_of(np.zeros(N)))
    assert nothing.influence(metric, 0.5) is None
    assert nothing.influence(get("macro_f1"), 0.5) is None
    empty = SetRows(Classes(("x",)), Sets.empty(3), Sets.empty(3))
    assert intervals(empty, "exclude").influence(metric, math.nan) is None


@pytest.mark.parametrize("name", ["micro_f1", "weighted_f1", *OF_ROWS])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_limits_from_the_errors_of_rows(name: str, is_weighted: bool, is_clustered: bool) -> None:
    """n ÷ (n − 1) · Σ of squares with n − 1 degrees of freedom; of clusters G ÷ (G − 1)."""
    w, codes = WEIGHTS if is_weighted else np.ones(N), CODES if is_clustered else None
    rows, metric = rows_of(w if is_weighted else None, codes), get(name)
    one, value = intervals(rows, level=0.8), value_on(metric, rows)
    moves = by_weight(metric, rows)
    n, square = kish_of(w), variance_of(moves, codes)
    df, is_share = n - 1.0, name == "subset_accuracy" and not is_clustered
    if codes is None:
        square *= n / (n - 1.0)
    else:
        df = df_of(moves, codes)
    assert one.df_of_limits(metric, value) == pytest.approx(math.inf if is_share else df, rel=1e-6)
    assert one.growth == pytest.approx(1.0 if is_clustered else n / (n - 1.0), rel=1e-12)
    n = min(n, 5.0) if is_clustered else n
    expected = interval_of_rows(
        Confidence(0.8), metric, value, math.sqrt(square), n, df, is_share=is_share
    )
    same(one.of(metric, value), expected)
    levels = SetLevels(metric, value, one)
    assert levels.df == one.df_of_limits(metric, value)
    same(levels.interval(Confidence(0.95)), intervals(rows).of(metric, value), 1e-12)


@pytest.mark.parametrize("is_clustered", [False, True])
def test_rows_that_do_not_define_a_mean_are_left_out(is_clustered: bool) -> None:
    codes, metric = CODES if is_clustered else None, get("samples_f1")
    rows = rows_of(WEIGHTS, codes)
    one, value = intervals(rows, "exclude"), value_on(get("samples_f1"), rows, "exclude")
    true, pred, _ = drawn()
    kept = (true | pred).any(axis=1) & (WEIGHTS > 0.0)
    moves, n = by_weight(metric, rows, "exclude"), kish_of(WEIGHTS[kept])
    square, df = variance_of(moves, codes), n - 1.0
    if codes is None:
        square *= n / (n - 1.0)
    else:
        n, df = min(n, 5.0), df_of(moves, codes)
    expected = interval_of_rows(Confidence(), metric, value, math.sqrt(square), n, df)
    same(one.of(metric, value), expected)
    assert one.df_of_limits(metric, value) == pytest.approx(df, rel=1e-6)


@pytest.mark.parametrize("policy", ["zero", "exclude"])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_limits_of_labels_are_combined_as_they_go_together(policy: Any, is_clustered: bool) -> None:
    """Σ over the labels of the distance of a limit ÷ its error · what a row moves in the label."""
    codes, metric = CODES if is_clustered else None, get("macro_f1")
    true, pred, _ = drawn()
    # A label that is always predicted rightly, and one that counts as 0 though no row has it.
    columns = [[side, true[:, 0]] for side in (true, pred)]
    if policy == "zero":
        columns = [[*each, np.zeros(N, bool)] for each in columns]
    sides = [np.column_stack(each) for each in columns]
    k = sides[0].shape[1]
    labels, sets = Classes(tuple(range(k)), is_declared=True), [*map(Sets.of_matrix, sides)]
    rows = replace(rows_of(WEIGHTS, codes), classes=labels, true=sets[0], pred=sets[1])
    one, value = intervals(rows, policy, level=0.9), value_on(metric, rows, policy)
    each = one.of_classes(metric)
    assert each is not None
    expected = class_limits(get("f1"), one.spread, Confidence(0.9))
    np.testing.assert_array_equal([each.low, each.high], [expected.low, expected.high])
    distances, alone, whole = np.zeros((2, N)), np.zeros(2), np.zeros(N)
    for label in range(k):
        columns = [side[:, [label]] for side in sides]
        own = SetRows(LABEL, *map(Sets.of_matrix, columns), weights=WEIGHTS)
        moves = by_weight(metric, own)
        away = np.array([each.value[label] - each.low[label], each.high[label] - each.value[label]])
        whole += moves
        if label < K:
            distances += np.outer(away, moves) / math.sqrt(variance_of(moves, codes))
        else:
            alone += away**2
    below, above = (
        math.sqrt(variance_of(side, codes) + own) / k
        for side, own in zip(distances, alone, strict=True)
    )
    found = one.of(metric, value)
    assert found.low == pytest.approx(value - below, rel=1e-5)
    assert found.high == pytest.approx(value + above, rel=1e-5)
    n = kish_of(WEIGHTS)
    growth = 1.0 if is_clustered else n / (n - 1.0)
    error = math.sqrt(variance_of(whole, codes) * growth) / k
    assert found.standard_error == pytest.approx(error, rel=1e-5)
    assert (found.method, found.remark) == ("mover", "labels have few rows")


@pytest.mark.parametrize("name", [*OF_LABELS, *OF_ROWS])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_a_row_that_stands_for_three_is_three_rows(name: str, is_clustered: bool) -> None:
    w, metric = np.arange(N) % 3 + 1.0, get(name)
    once = rows_of(w, CODES if is_clustered else None, is_frequency=True)
    often = once.repeated()
    value = value_on(metric, often)
    same(*(intervals(rows).of(metric, value) for rows in (once, often)), 1e-9)
    degrees = [intervals(rows).df_of_limits(metric, value) for rows in (once, often)]
    assert degrees[0] == pytest.approx(degrees[1], rel=1e-9)


def test_degrees_of_freedom_of_limits() -> None:
    """Of combined limits each label has its own; of textbook ones as of rows; at least 1."""
    rows, metric = rows_of(), get("macro_f1")
    assert intervals(rows).df_of_limits(metric, 0.5) == math.inf
    for method in ("wald", "logit"):
        assert intervals(rows, method=method).df_of_limits(metric, 0.5) == N - 1.0
    assert intervals(rows).df_of_limits(get("micro_f1"), 0.5) == N - 1.0
    w = np.full(N, 1e-3)
    w[3] = 1.0
    heavy = rows_of(w)
    assert intervals(heavy).df_of_limits(get("micro_f1"), 0.5) == 1.0
    assert intervals(heavy).df_of_limits(get("samples_f1"), 0.5) == 1.0
    assert intervals(heavy).units.df == 1.0
    grouped = intervals(rows_of(None, CODES))
    value = value_on(get("micro_f1"), rows)
    grouped.df_of_limits(get("micro_f1"), value)
    grouped.kept["df", get("micro_f1")] = 2.5
    assert grouped.df_of_limits(get("micro_f1"), value) == 2.5
    lost = intervals(SetRows(Classes(("x",), is_declared=True), *(Sets.empty(4) for _ in "ab"),
                             axes=(Axis("clusters", (0, 1)),),
                             codes=np.array([[0, 0, 0, 1]], np.int32)), "exclude")  # fmt: skip
    assert lost.df_of_limits(get("samples_f1"), math.nan) == math.inf


def test_what_was_found_is_kept() -> None:
    one = intervals(rows_of(WEIGHTS, CODES))
    metric = get("macro_f1")
    assert one.units is one.units
    assert one.spread is one.spread
    assert one.clusters is one.clusters
    assert one.slopes(metric) is one.slopes(metric)
    assert intervals(rows_of()).clusters is None
    assert replace(one, rows=None, kept={}).clusters is None
    value = value_on(metric, rows_of(WEIGHTS))
    one.of(metric, value)
    one.kept["variance", metric] = 0.04
    assert one.of(metric, value).standard_error == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize("method", ["wald", "logit"])
@pytest.mark.parametrize("name", ["macro_f1", "micro_f1"])
def test_textbook_limits(name: str, method: Any) -> None:
    rows, metric = rows_of(), get(name)
    value = value_on(metric, rows)
    error = math.sqrt(float((by_weight(metric, rows) ** 2).sum()) * N / (N - 1.0))
    expected = interval_of_rows(
        Confidence(0.9, method=method), metric, value, error, float(N), N - 1.0
    )
    same(intervals(rows, level=0.9, method=method).of(metric, value), expected)


def test_what_has_no_interval() -> None:
    rows = rows_of()
    one = intervals(rows)
    assert one.of(get("micro_f1"), math.nan) == Interval()
    assert one.of(get("micro_f1"), math.inf) == Interval()
    assert one.of(get("micro_tp"), 3.0) == Interval(remark=A_COUNT)
    assert one.of_classes(get("micro_tp")) is None
    some = [rows.at(np.arange(n)) for n in (1, 2)]
    assert intervals(some[0]).of(get("micro_f1"), 0.5) == Interval(remark="there is one row")
    assert intervals(some[1]).of(get("micro_f1"), 0.5).low is not None
    # Of a row of whose truth nothing is known nothing counts.
    lost = replace(some[1], missing=np.array([False, True]))
    assert intervals(lost).of(get("micro_f1"), 0.5) == Interval(remark="there is one row")
    w = np.array([1.0, 0.2])
    light = intervals(replace(some[1], weights=w))
    assert light.of(get("samples_f1"), 0.5) == Interval(remark="there is one row")
    even = intervals(replace(some[1], weights=np.array([3.0, 3.0])))
    assert even.of(get("samples_f1"), 0.5).low is not None
    three = intervals(replace(rows.at(np.arange(1, 4)), weights=np.array([1.0, 1.0, 0.4])))
    assert three.of(get("samples_f1"), 0.5).low is not None
    for n, is_known in ((1, False), (2, True)):
        grouped = intervals(rows_of(None, np.arange(N) % n))
        assert (grouped.has_spread, grouped.of_classes(get("macro_f1")) is not None) == (
            is_known,
            is_known,
        )
        found = grouped.of(get("micro_f1"), 0.5)
        assert (found == Interval(remark=ONE_CLUSTER)) is not is_known


def test_tallies_without_rows() -> None:
    """What moves every label the same needs no rows; other averages need them, or a sample."""
    for rows in (rows_of(WEIGHTS), rows_of()):
        whole = intervals(rows)
        alone = replace(whole, rows=None, kept={})
        for name in ("micro_f1", "hamming_loss", *OF_ROWS):
            value = value_on(get(name), rows)
            same(alone.of(get(name), value), whole.of(get(name), value), 1e-9)
        value = value_on(get("macro_f1"), rows)
        found = alone.of(get("macro_f1"), value)
        assert "the dependence between labels is not known" in str(found.remark)
        sampled = replace(alone, sample=rows, kept={})
        same(sampled.of(get("macro_f1"), value), whole.of(get("macro_f1"), value), 1e-9)
        drawn_again = replace(alone, asked=Confidence(method="bootstrap"), kept={})
        found = drawn_again.of(get("micro_f1"), value_on(get("micro_f1"), rows))
        assert "the dependence between labels is not known" in str(found.remark)


@pytest.mark.parametrize("kind", ["rows", "weights", "frequency"])
def test_a_sample_says_how_labels_go_together(kind: str) -> None:
    """What labels vary alone in all rows, times how they vary together and alone in the sample."""
    w = {"rows": None, "weights": WEIGHTS, "frequency": np.arange(N) % 3 + 1.0}[kind]
    rows = rows_of(w, is_frequency=kind == "frequency")
    some = rows.at(np.arange(N) % 2 == 0)
    one = SetIntervals(rows.tally, Confidence(), None, "zero", some)
    metric = get("macro_f1")
    own = np.ones(N) if w is None else w
    parts, squares = by_label(rows), own if kind == "frequency" else own**2
    alone = [
        float((squares[at, None] * parts[at] ** 2).sum()) for at in (slice(None), slice(0, N, 2))
    ]
    parts, squares, total = parts[::2], squares[::2], float(own.sum())
    together = float((squares * parts.sum(axis=1) ** 2).sum())
    n = total if kind == "frequency" else kish_of(own)
    expected = together * alone[0] / alone[1] / total**2 * n / (n - 1.0)
    found = one.of(metric, value_on(metric, rows))
    assert found.standard_error == pytest.approx(math.sqrt(expected), rel=1e-5)
    assert "9 rows of " in one.cautions[-1]


def by_label(rows: SetRows) -> np.ndarray:
    """float64[n, k]: W · the derivative of the mean F1 by the weight of each cell."""
    w = np.ones(rows.n) if rows.weights is None else np.asarray(rows.weights, float)
    true, pred, _ = drawn()
    hits, either = w @ (true & pred), w @ true + w @ pred
    f1 = 2.0 * hits / either
    # F1 is 2·tp ÷ (true + predicted).
    slopes = (2.0 * (true & pred) - f1 * (true.astype(float) + pred)) / either
    return np.asarray(w.sum() * slopes / K)


def replicates(n: int, asked: Confidence, odds: Any = None) -> list[np.ndarray]:
    """How often each of n units is drawn."""
    rng, found = np.random.default_rng(asked.seed), []
    for _ in range(asked.n_replicates):
        if asked.method == "bayesian":
            found.append(rng.exponential(size=n) if odds is None else rng.gamma(odds * n))
        elif odds is None:
            drawn_units = rng.integers(0, n, n)
            found.append(np.array([float((drawn_units == i).sum()) for i in range(n)]))
        else:
            found.append(rng.multinomial(n, odds).astype(float))
    return found


@pytest.mark.parametrize("kind", ["rows", "weights", "frequency", "clusters", "both"])
@pytest.mark.parametrize("method", ["bootstrap", "bca", "bayesian"])
def test_replicates_are_of_whole_rows(kind: str, method: Any) -> None:
    """Rows, or clusters of them, with all of their labels; of rows that stand for several each."""
    w = {"weights": WEIGHTS, "frequency": np.arange(N) % 3 + 1.0, "both": WEIGHTS}.get(kind)
    codes = CODES if kind in ("clusters", "both") else None
    rows = rows_of(w, codes, is_frequency=kind == "frequency")
    asked = Confidence(0.8, method=method, n_replicates=12, seed=4)
    own = np.ones(N) if w is None else w
    if kind == "frequency":
        drawn_rows = replicates(36, asked, own / 36.0)
    elif codes is None:
        drawn_rows = [own * times for times in replicates(N, asked)]
    else:
        places = [list(dict.fromkeys(CODES.tolist())).index(code) for code in CODES.tolist()]
        drawn_rows = [own * times[places] for times in replicates(5, asked)]
    plain = replace(rows, is_frequency=False)
    for name in ("macro_f1", "micro_f1", "samples_f1"):
        metric, value = get(name), value_on(get(name), rows)
        values = [value_on(metric, replace(plain, weights=times)) for times in drawn_rows]
        moves = by_weight(metric, plain)
        if codes is not None:
            moves = np.array([moves[code == CODES].sum() for code in np.unique(CODES)])
        elif kind == "frequency":
            moves = np.repeat(moves / own, own.astype(int))
        made = interval_of_draws(metric, value, np.array(values), asked, acceleration_of(moves))
        expected = within(made, value, metric.range, asked)
        error = intervals(rows).of(metric, value).standard_error
        found = SetIntervals(rows.tally, asked, rows).of(metric, value)
        assert error is not None
        same(found, replace(expected, standard_error=error))


def test_acceleration_leaves_out_rows_without_a_value() -> None:
    rows, metric = rows_of(), get("samples_f1")
    asked = Confidence(method="bca", n_replicates=60)
    value = value_on(metric, rows, "exclude")
    found = SetIntervals(rows.tally, asked, rows, "exclude").of(metric, value)
    true, pred, _ = drawn()
    kept = (true | pred).any(axis=1)
    values = [
        value_on(metric, replace(rows, weights=times), "exclude") for times in replicates(N, asked)
    ]
    moves = by_weight(metric, rows, "exclude")[kept]
    made = interval_of_draws(metric, value, np.array(values), asked, acceleration_of(moves))
    assert (found.low, found.high) == pytest.approx((made.low, made.high), rel=1e-9)


def test_numbers_of_rows_that_count() -> None:
    one = _Counted(np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([2.0, 0.5]))
    assert (one.n, one.is_share) == (9.0 / 2.5, True)
    for values in ((0.0, 0.5), (2.0, 1.0), (-1.0, 0.0), (1.0, 1.0 - 1e-9)):
        assert not replace(one, value=np.array(values)).is_share
    assert _Counted(*(np.zeros(2) for _ in range(3))).n == 0.0


def test_sides_and_squares_of_tables() -> None:
    partials = np.arange(8.0).reshape(2, 2, 2)
    found = [side.tolist() for side in _sides(partials)]
    # Truth by prediction: true positives are last, true negatives first.
    assert found == [[3.0, 7.0], [1.0, 5.0], [2.0, 6.0], [0.0, 4.0]]
    phi = np.arange(1.0, N + 1.0)
    w = np.arange(N) % 3 + 1.0
    squares = [sum(x * x for x in phi), sum((v * x) ** 2 for v, x in zip(w, phi, strict=True))]
    assert _squared(rows_of(), phi) == pytest.approx(squares[0], rel=1e-12)
    assert _squared(rows_of(w), phi) == pytest.approx(squares[1], rel=1e-12)
    often = sum(v * x * x for v, x in zip(w, phi, strict=True))
    assert _squared(rows_of(w, is_frequency=True), phi) == pytest.approx(often, rel=1e-12)


def test_what_makes_intervals_less_sure() -> None:
    """Labels of few true rows that occur, nothing that is wrong, and rows that were not kept."""
    true = np.zeros((30, 5), int)
    true[:20, 0] = true[:5, 1] = true[:10, 2] = true[:12, 4] = 1
    sets = Sets.of_matrix(true)
    labels = Classes(tuple("abcde"), is_declared=True)

    def cautions(w: Any = None, pred: Any = sets, **more: Any) -> tuple[str, ...]:
        rows = SetRows(labels, sets, pred, weights=w)
        return SetIntervals(rows.tally, Confidence(), rows, **more).cautions

    nothing_wrong = "No label is predicted wrongly: intervals depend on the number of rows alone."
    assert cautions() == (nothing_wrong,)
    for cell in ((0, 3), (0, 0)):
        other = true.copy()
        other[cell] = 1 - other[cell]
        assert cautions(pred=Sets.of_matrix(other)) == ()
    # (4 + ½)² ÷ (4 + ¼) = 4.76 true rows of the second label, and 9.7 of the third of four.
    w = np.where(np.arange(30) == 4, 0.5, 1.0)
    few = cautions(w)
    assert len(few) == 2
    assert "true rows of b, c: intervals of averages over the labels" in few[0]
    assert cautions(0.1 * w)[0] == few[0]
    rows = SetRows(labels, sets, sets)
    sampled = SetIntervals(rows.tally, Confidence(), None, sample=rows.at(np.arange(7)))
    assert sampled.cautions[-1].startswith("7 rows of 30 were kept: intervals of averages over")
    unsaid = replace(rows.tally, decision=replace(rows.tally.decision, rule="none"))
    assert SetIntervals(unsaid, Confidence(), rows).cautions == ()


def test_edges_of_errors() -> None:
    """One row, one label, a formula without a slope, and a sample in which nothing varies."""
    rows, metric = rows_of(), get("macro_f1")
    assert intervals(rows.at(np.array([1]))).growth == 1.0
    true, pred, _ = drawn()
    sides = [Sets.of_matrix(side[:, :1]) for side in (true, pred)]
    lone = SetRows(LABEL, *sides)
    error = intervals(lone).of(get("micro_f1"), value_on(get("micro_f1"), lone)).standard_error
    moves = by_weight(get("micro_f1"), lone)
    assert error == pytest.approx(math.sqrt(float((moves**2).sum()) * N / (N - 1.0)), rel=1e-6)
    for place in range(4):
        one = intervals(rows)
        parts = [np.zeros(K) for _ in range(4)]
        parts[place][1] = math.inf
        one.kept["slopes", metric] = SimpleNamespace(sides=tuple(parts))
        assert one.of(metric, 0.5) == Interval(remark=NO_SLOPE)
        assert one.influence(metric, 0.5) is None
    # Rows without a label, and none predicted, move no F1.
    still = SetIntervals(rows.tally, Confidence(), None, "zero", rows.at(np.array([0, 11])))
    assert still.of(metric, value_on(metric, rows)).standard_error == 0.0


def test_rounding_in_clusters_is_no_error() -> None:
    """Clusters weigh as much as their rows where these are all alike."""
    w = np.array([0.1, 0.3, 0.7, 0.2, 0.6, 0.4, 0.9])
    codes = np.array([[0, 0, 0, 0, 1, 2, 3]], np.int32)
    sides = [Sets.of_matrix(np.tile(row, (7, 1))) for row in ([1, 1, 0], [1, 0, 1])]
    labels, axis = Classes((0, 1, 2), is_declared=True), Axis("clusters", (0, 1, 2, 3))
    rows = SetRows(labels, *sides, weights=w, axes=(axis,), codes=codes)
    metric = get("samples_jaccard")
    one, value = intervals(rows), value_on(metric, rows) * (1.0 + 2e-16)
    df = float(degrees_of_clusters(np.array([1.3, 0.6, 0.4, 0.9])))
    assert one.df_of_limits(metric, value) == pytest.approx(df, rel=1e-9)
    expected = interval_of_rows(Confidence(), metric, value, 0.0, min(4.0, kish_of(w)), df)
    same(one.of(metric, value), expected)


def test_remarks_on_limits_of_many_rows() -> None:
    true = np.tile(np.array([[1, 0], [0, 1], [1, 1]]), (20, 1))
    pred = true.copy()
    pred[::7] = 1 - pred[::7]
    rows = SetRows(Classes((0, 1), is_declared=True), *map(Sets.of_matrix, (true, pred)))
    found = intervals(rows).of(get("macro_f1"), value_on(get("macro_f1"), rows))
    assert (found.method, found.remark) == ("mover", None)

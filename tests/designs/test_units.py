"""Units of designs: variances, degrees of freedom and effective rows against loops over rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from karat.designs import DRAWINGS, units_of
from karat.designs.classes import RowsOfClasses
from karat.designs.clusters import RowClusters, degrees_of_clusters
from karat.designs.folds import FoldUnits
from karat.designs.judge import Both, RowsWithJudge, Weighed
from karat.designs.looks import boundary, mixture_variance, p_of_look, tail_of_look
from karat.designs.rows import IndependentRows
from karat.designs.units import Sample, SeparateClasses, kish, small_sample
from karat.inference.comparison.contrasts import Paired
from karat.tally import ClusteredCells

N = 40


def rows(seed: int = 3) -> tuple[Any, Any, Any, Any]:
    """Influences [2, n], weights, true classes and clusters; some rows weigh nothing."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, N) / 2.0
    return rng.normal(size=(2, N)), weights, rng.integers(0, 3, N), rng.integers(0, 9, N)


def centred(phi: Any, weights: Any, groups: Any | None = None) -> Any:
    """Less the weighted mean of all rows, or of the rows of each group."""
    found = np.array(phi, np.float64)
    for group in [None] if groups is None else sorted(set(groups.tolist())):
        inside = np.ones(N, bool) if group is None else groups == group
        total = sum(weights[inside])
        if total:
            mean = sum(w * x for w, x in zip(weights[inside], phi[inside], strict=True)) / total
            found[inside] -= mean
    return found


def parts_of(name: str, phi: Any) -> list[float]:
    """The independent parts of the error of a number, row by row."""
    _, weights, true, clusters = rows()
    total = sum(weights)
    by_class = "classes" in name
    kept = centred(phi, weights, true if by_class else None)
    each = [w * x / total for w, x in zip(weights, kept, strict=True)]
    if "clusters" not in name:
        return each
    names = sorted(set(clusters[weights > 0].tolist()))
    growth = math.sqrt(len(names) / (len(names) - 1))
    return [
        growth * sum(x for x, c in zip(each, clusters, strict=True) if c == one) for one in names
    ]


def units(name: str) -> Any:
    _, weights, true, clusters = rows()
    design: Any = "case-control" if "classes" in name else "cohort"
    by_cluster = None
    if "clusters" in name:
        by_cluster = ClusteredCells.of(clusters, np.arange(N), weights)
    return units_of(design, Sample(weights, weights**2, true, 3), by_cluster)


NAMES = ("rows", "classes", "clusters", "classes and clusters")


@pytest.mark.parametrize("name", NAMES)
def test_variances_are_sums_of_squares_of_parts(name: str) -> None:
    phi = rows()[0]
    made = units(name)
    a, b = (parts_of(name, part) for part in phi)
    expected = [[sum(x * y for x, y in zip(p, q, strict=True)) for q in (a, b)] for p in (a, b)]
    assert made.covariance(phi) == pytest.approx(np.array(expected), rel=1e-12)
    assert made.variance(phi) == pytest.approx([expected[0][0], expected[1][1]], rel=1e-12)
    assert made.variance(phi[1]) == pytest.approx(expected[1][1], rel=1e-12)
    squares = sorted(x * x for x in a if x)
    assert sorted((made.errors(phi[0]) ** 2).tolist())[-len(squares) :] == pytest.approx(squares)


def test_a_variance_that_forgets_the_design_is_noticed() -> None:
    phi = rows()[0]
    for name in NAMES[1:]:
        assert units("rows").variance(phi[0]) != pytest.approx(
            units(name).variance(phi[0]), rel=1e-3
        )


@pytest.mark.parametrize("name", NAMES)
def test_constants_do_not_vary(name: str) -> None:
    assert units(name).variance(np.full(N, 7.0)) == pytest.approx(0.0, abs=1e-28)


def test_classes_alone_do_not_vary_where_their_sizes_are_fixed() -> None:
    phi = rows()[2].astype(np.float64)
    assert units("classes").variance(phi) == pytest.approx(0.0, abs=1e-28)
    assert units("rows").variance(phi) > 1e-3


def test_effective_rows_are_those_of_kish_and_at_most_the_clusters() -> None:
    _, weights, _, clusters = rows()
    expected = sum(weights) ** 2 / sum(weights**2)
    assert units("rows").n_effective == pytest.approx(expected)
    assert math.isinf(units("rows").n_units)
    n = len(set(clusters[weights > 0].tolist()))
    assert units("clusters").n_units == n
    assert units("clusters").n_effective == min(expected, n)
    assert units("clusters").df == n - 1
    empty = IndependentRows(np.zeros(2), np.zeros(2))
    assert empty.n_effective == 0.0


def test_degrees_of_clusters_are_those_of_their_sizes() -> None:
    phi, weights, _, clusters = rows()
    kept = np.abs(centred(phi[0], weights))
    names = sorted(set(clusters[weights > 0].tolist()))
    sizes = [sum((weights * kept)[clusters == one]) for one in names]
    expected = sum(s**2 for s in sizes) ** 2 / sum(s**4 for s in sizes)
    assert units("clusters").degrees(phi[0]) == pytest.approx(min(expected, len(names) - 1))
    still = [sum(weights[clusters == one]) for one in names]
    expected = sum(s**2 for s in still) ** 2 / sum(s**4 for s in still)
    assert units("clusters").degrees(np.zeros(N)) == pytest.approx(min(expected, len(names) - 1))
    both = units("clusters").degrees_of_each(np.stack([centred(phi[0], weights), np.zeros(N)]), 1.0)
    assert both == pytest.approx([units("clusters").degrees(phi[0]), min(expected, len(names) - 1)])
    assert units("rows").degrees_of_each(phi, 1.0).tolist() == [math.inf, math.inf]
    assert units("clusters").degrees(np.full(N, np.nan)) == len(names) - 1
    weight_of_each = [sum(weights[clusters == one]) for one in names]
    assert units("clusters").n_of_rounding == pytest.approx(
        sum(weight_of_each) ** 2 / sum(w**2 for w in weight_of_each)
    )
    assert units("clusters").degrees_of_value(phi[0]) == units("clusters").degrees(phi[0])


def test_clusters_of_rows_add_up_as_sorted_ones() -> None:
    phi, weights, _, clusters = rows()
    sums = RowClusters.of(clusters, 9, weights, N).sums(phi[0])
    expected = [sum((weights * phi[0])[clusters == one]) for one in range(9)]
    assert sums == pytest.approx(expected)
    assert RowClusters.of(clusters, 12, weights, N).n_clusters == len(set(clusters[weights > 0]))
    assert RowClusters.of(clusters, 9, None, N).sums(np.ones(N)) == pytest.approx(
        np.bincount(clusters, minlength=9)
    )


@pytest.mark.parametrize(
    ("codes", "n", "message"),
    [
        (np.zeros(3, np.int64), 1, "clusters has shape"),
        (np.full(N, 5), 5, "between 0 and 4"),
        (np.full(N, -1), 5, "between 0 and 4"),
    ],
)
def test_clusters_that_do_not_fit_are_refused(codes: Any, n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RowClusters.of(codes, n, None, N)


def test_one_cluster_has_no_variance() -> None:
    one = ClusteredCells.of(np.zeros(N, np.int64), np.arange(N), None)
    made = units_of("cohort", Sample(np.ones(N), np.ones(N)), one)
    assert math.isnan(made.variance(rows()[0][0]))
    assert made.df == 0.0


def test_moves_become_influences_and_rows_without_weight_have_none() -> None:
    phi, weights, _, _ = rows()
    made = units("rows")
    moves = weights * phi[0] / sum(weights)
    found = made.influence_of(moves)
    assert found[weights > 0] == pytest.approx(phi[0][weights > 0])
    assert not found[weights == 0].any()
    even = moves - moves.sum() * weights / sum(weights)
    for name in NAMES:
        expected = units(name).variance(units(name).influence_of(even))
        assert units(name).variance_of_moves(even) == pytest.approx(expected)
    grown = IndependentRows(weights, weights**2, np.full(N, 2.0))
    assert grown.variance_of_moves(even) == pytest.approx(2.0 * sum(even**2))


def test_rows_of_clusters_still_have_an_error_of_their_own() -> None:
    phi = rows()[0][0]
    assert units("clusters").errors_of_rows(phi) == pytest.approx(units("rows").errors(phi))
    assert units("classes").errors_of_rows(phi) == pytest.approx(units("classes").errors(phi))


def test_factors_grow_the_square_of_each_row() -> None:
    phi, weights, _, _ = rows()
    factors = np.linspace(1.0, 2.0, N)
    made = IndependentRows(weights, weights**2, factors)
    kept = centred(phi[0], weights)
    expected = sum(f * (w * x / sum(weights)) ** 2
                   for f, w, x in zip(factors, weights, kept, strict=True))  # fmt: skip
    assert made.variance(phi[0]) == pytest.approx(expected)
    assert made.covariance(phi)[0, 0] == pytest.approx(expected)


def test_few_rows_of_a_class_grow_by_their_own_number() -> None:
    phi, weights, true, _ = rows()
    grown = units_of("case-control", Sample(weights, weights**2, true, 4, grows=True))
    expected = 0.0
    kept = centred(phi[0], weights, true)
    for one in range(3):
        w = weights[true == one]
        n = sum(w) ** 2 / sum(w**2)
        expected += n / (n - 1) * sum((w * kept[true == one] / sum(weights)) ** 2)
    assert grown.variance(phi[0]) == pytest.approx(expected)
    lone = units_of(
        "case-control", Sample(np.ones(3), np.ones(3), np.array([0, 0, 1]), 2, grows=True)
    )
    assert lone.variance(np.array([0.0, 1.0, 5.0])) == pytest.approx(2 * (0.25 + 0.25) / 9)


def test_classes_that_are_compared_have_degrees_of_their_own() -> None:
    codes, df = np.array([0, 0, 1, 1, 2]), np.array([4.0, 9.0, 0.0])
    squares = np.array([1.0, 2.0, 3.0, 4.0, 99.0])
    assert SeparateClasses(codes, df).degrees(squares) == pytest.approx(
        1 / ((3 / 109) ** 2 / 4 + (7 / 109) ** 2 / 9)
    )
    assert SeparateClasses(codes, df).degrees(np.zeros(5)) == 13.0
    assert SeparateClasses(codes, np.zeros(3)).degrees(squares) == 1.0
    assert SeparateClasses(codes, np.zeros(3)).degrees(np.zeros(5)) == 1.0
    made = IndependentRows(np.ones(5), np.ones(5), None, 7.0, SeparateClasses(codes, df))
    assert made.compares_classes
    assert not IndependentRows(np.ones(5), np.ones(5)).compares_classes
    assert made.degrees(np.sqrt(squares)) == SeparateClasses(codes, df).degrees(squares)
    assert made.degrees_of_value(np.sqrt(squares)) == 7.0
    assert IndependentRows(np.ones(5), np.ones(5), df=7.0).degrees(squares) == 7.0


def test_rows_that_move_to_one_side_have_a_least_tail() -> None:
    made = IndependentRows(np.ones(8), np.ones(8))
    assert made.least_tail(np.arange(8) < 5) == 2.0**-5
    assert made.least_tail(np.zeros(8, bool)) == 1.0
    assert units("clusters").least_tail(np.ones(N, bool)) == 0.0


def test_sizes_of_clusters_that_are_alike() -> None:
    assert degrees_of_clusters(np.ones(5)) == 4.0
    assert degrees_of_clusters(np.zeros(5)) == 4.0
    assert degrees_of_clusters(np.array([[3.0, 4.0], [0.0, 1.0]])) == pytest.approx([1.0, 1.0])


def test_kish_and_small_samples() -> None:
    assert kish(6.0, 12.0) == 3.0
    assert kish(0.0, 0.0) == 0.0
    assert small_sample([2.0, 5.0]) == pytest.approx([2.0, 1.25])
    assert np.isnan(small_sample(1.0))


def test_every_drawing_says_what_it_fixes() -> None:
    assert DRAWINGS["cohort"].is_plain
    assert not DRAWINGS["cohort"].fixes_classes
    assert DRAWINGS["case-control"].fixes_classes
    assert not DRAWINGS["case-control"].is_plain
    assert isinstance(units("classes"), RowsOfClasses)
    assert DRAWINGS["case-control"].varies_less
    assert not DRAWINGS["cohort"].varies_less


def judged(weights: Any, clusters: Any = None) -> tuple[Any, Any]:
    """Rows of which the first ten have gold labels, and their influence on two values."""
    gold, rest = np.arange(10), np.arange(10, N)
    both = Both(Weighed.of(weights[gold]), Weighed.of(weights[rest]))
    ones = np.ones(2 * N)
    made = RowsWithJudge(ones, ones, 1.5, 6.0, clusters, gold, both)
    rng = np.random.default_rng(8)
    phi = np.zeros((2, 2 * N))
    for part in phi:
        part[:10] = both.gold.moves(rng.normal(size=10))
        part[N + 10 :] = both.reference.moves(rng.normal(size=30))
    return made, phi


def test_a_judge_adds_the_errors_of_both_means_by_row() -> None:
    made, phi = judged(np.ones(N))
    parts = [[x + y for x, y in zip(part[:N], part[N:], strict=True)] for part in phi]
    expected = 1.5 * sum(x * x for x in parts[0])
    assert made.variance(phi)[0] == pytest.approx(expected)
    assert made.covariance(phi)[0, 0] == pytest.approx(expected)
    assert made.covariance(phi)[0, 1] == pytest.approx(
        1.5 * sum(x * y for x, y in zip(*parts, strict=True))
    )
    assert (made.errors(phi[0]) ** 2).sum() == pytest.approx(expected)
    assert made.degrees(phi[0]) == made.df == 6.0
    assert made.least_tail(np.ones(2 * N, bool)) == 0.0
    assert made.centred(phi) is phi


def test_a_judge_adds_up_clusters() -> None:
    clusters = rows()[3]
    made, phi = judged(np.ones(N), clusters)
    both = phi[0][:N] + phi[0][N:]
    expected = 1.5 * sum(sum(both[clusters == one]) ** 2 for one in range(9))
    assert made.variance(phi[0]) == pytest.approx(expected)
    assert (made.errors(phi[0]) ** 2).sum() == pytest.approx(expected)
    assert (made.errors(phi) ** 2).sum(axis=-1)[0] == pytest.approx(expected)


def test_a_judge_with_uneven_gold_rows_holds_its_variance_up() -> None:
    weights = np.where(np.arange(N) < 2, 30.0, 1.0)
    made, phi = judged(weights)
    phi[:, :2] = 0.0
    alone = 1.5 * float(((phi[0][:N] + phi[0][N:]) ** 2).sum())
    assert made.variance(phi[0]) > 1.01 * alone
    assert made.covariance(phi)[0, 0] == pytest.approx(made.variance(phi[0]))


@pytest.mark.parametrize(("n", "is_judged"), [(3, False), (4, True)])
def test_a_judge_counts_from_four_gold_rows_on(n: int, is_judged: bool) -> None:
    both = Both(Weighed.of(np.ones(n)), Weighed.of(np.ones(400)))
    by_gold = np.array([0.1, 0.8, 0.9, 0.2])[:n]
    tuned = both.tuned(by_gold, by_gold + 1e-3 * np.arange(n), np.tile([0.1, 0.9], 200))
    assert (tuned.weight > 0.0) == is_judged


def test_differences_of_influences_by_rounding_alone_are_still() -> None:
    rng = np.random.default_rng(2)
    phi = rng.normal(size=(2, 50))
    units = units_of("cohort", Sample.of_rows(None, 50))
    own = np.diag(units.covariance(np.stack([phi[0], phi[1], phi[0]])))
    dust, small = phi[0] * (1.0 + 1e-16 * rng.normal(size=50)), phi[0] * (1.0 + 1e-9 * phi[1])
    assert (dust != phi[0]).any()
    pairs = [(0, 1), (1, 2), (0, 3)]
    paired = Paired.of([phi[0], dust, phi[1], small], units, pairs, own[[0, 0, 1, 0]])
    assert paired.variance(0, 1) == 0.0
    assert (paired.contrasts()[0] == 0.0).all()
    assert paired.variance(0, 3) > 0.0
    assert paired.variance(1, 2) == pytest.approx(paired.contrasts()[1, 1])
    # Without the values' variances there is nothing to compare it with.
    assert Paired.of([phi[0], dust], units, [(0, 1)]).variance(0, 1) > 0.0


def test_edges_of_small_samples_and_of_degrees() -> None:
    assert np.isnan(small_sample([0.0, 1.0, 1.0 + 1e-9])).all()
    assert small_sample(1.0 + 3e-9) == pytest.approx(1 / 3e-9, rel=1e-3)
    separate = SeparateClasses(np.array([0, 0, 1]), np.array([3.0, 2.0]))
    # Of an infinite sum there are all degrees of freedom.
    assert separate.degrees(np.array([1.0, math.inf, 1.0])) == 5.0
    assert IndependentRows(np.ones(2), np.ones(2)).compares_classes is False


def test_classes_without_weight_have_no_mean() -> None:
    phi = np.array([[1.0, 3.0, 5.0, 9.0]])
    weights = np.array([0.0, 0.0, 1.0, 1.0])
    sample = Sample(weights, weights, np.array([0, 0, 1, 1]), 2)
    centred = units_of("case-control", sample).centred(phi)
    assert centred.tolist() == [[1.0, 3.0, -2.0, 2.0]]
    some = Sample(np.array([0.0, 1.0, 1.0, 1.0]), weights, np.array([0, 0, 1, 1]), 2)
    # A row without weight counts for nothing in the mean of its class, whatever it is.
    odd = np.array([[math.inf, 3.0, 5.0, 9.0]])
    with np.errstate(invalid="ignore"):
        assert units_of("case-control", some).centred(odd)[0, 1:].tolist() == [0.0, -2.0, 2.0]


def test_influences_of_moves_and_of_rows_without_weight() -> None:
    units = IndependentRows(np.array([0.0, 0.5, 2.0]), np.array([0.0, 0.25, 4.0]))
    moves = np.array([7.0, 0.1, -0.1])
    assert units.influence_of(moves).tolist() == [0.0, 0.5, -0.125]


def test_clusters_of_infinite_influences_have_all_degrees() -> None:
    codes = np.array([0, 0, 1, 1, 2, 2])
    clusters = RowClusters.of(codes, 3, None, 6)
    units = units_of("cohort", Sample.of_rows(None, 6), clusters)
    assert units.degrees(np.array([1.0, math.inf, 0, 0, 0, 0])) == 2.0
    # All rows of all clusters alike: clusters weigh as much as their rows.
    uneven = RowClusters.of(np.array([0, 0, 0, 0, 1, 2]), 3, None, 6)
    of_uneven = units_of("cohort", Sample.of_rows(None, 6), uneven)
    assert of_uneven.degrees(np.full(6, 2.0)) == pytest.approx((16 + 1 + 1) ** 2 / (256 + 2))


@pytest.mark.parametrize("df", [3.0, 50.0])
def test_capped_spreads_have_fewer_degrees(df: float) -> None:
    codes, rng = np.arange(20) // 2, np.random.default_rng(5)
    units = units_of("cohort", Sample.of_rows(None, 20), RowClusters.of(codes, 10, None, 20))
    paired = Paired.of(rng.normal(size=(3, 20)), units, [(0, 1), (1, 2)])
    capped = paired.capped(df)
    assert capped.df == min(paired.df, df)
    for pair in ((0, 1), (1, 2)):
        assert capped.degrees(*pair) == min(paired.degrees(*pair), df)
        assert capped.variance(*pair) == paired.variance(*pair)


def test_folds_have_no_tail_of_signs() -> None:
    units = FoldUnits.of(3, 0.5)
    assert units.least_tail(np.ones(3, bool)) == 0.0
    assert units.centred(np.array([1.0, 2.0, 6.0])).tolist() == [-2.0, -1.0, 3.0]
    assert units.variance(np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 6.0]])) == pytest.approx(
        [0.0, (1 / 3 + 0.5) * 7.0]
    )


def test_one_cluster_is_a_number_of_clusters() -> None:
    assert RowClusters.of(np.zeros(3, int), 1, None, 3).n_clusters == 1
    assert RowClusters.of(np.zeros(0, int), 0, None, 0).n_clusters == 0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_rounding_is_beside_all_weights(scale: float) -> None:
    """Where nothing but rounding varies, clusters weigh as much as their rows, in any unit."""
    rng = np.random.default_rng(3)
    weights = scale * rng.uniform(1.0, 2.0, 12)
    codes = np.array([0] * 7 + [1] * 3 + [2] * 2)
    units = units_of("cohort", Sample.of_rows(weights, 12), RowClusters.of(codes, 3, weights, 12))
    dust = 0.1 * (1.0 + 1e-16 * rng.normal(size=12))
    assert (units.centred(dust) != 0.0).any()
    sums = np.bincount(codes, weights)
    expected = (sums**2).sum() ** 2 / (sums**4).sum()
    assert units.degrees(dust) == pytest.approx(expected)
    assert units.degrees(rng.normal(size=12)) != pytest.approx(expected)


def test_uneven_reference_rows_hold_a_variance_up() -> None:
    rng = np.random.default_rng(6)
    gold, reference = np.arange(10), 30
    w = rng.uniform(0.5, 3.0, 10)
    both = Both(Weighed.of(w), Weighed.of(np.ones(reference)))
    parts = np.zeros((2, 40))
    parts[0, :10] = both.gold.moves(rng.normal(size=10)) * 0.1
    parts[1, 10:] = rng.normal(size=reference)
    units = RowsWithJudge(np.ones(80), np.ones(80), 2.0, gold=gold, both=both)
    values = parts[0, :10] / both.gold.roots
    square = ((parts[0] + parts[1]) ** 2).sum()
    expected = 2.0 * both.held(float(square), values, float((parts[1] ** 2).sum()))
    assert units.variance(parts.ravel()) == pytest.approx(expected)
    assert expected > 2.0 * square


def test_values_at_looks_without_a_p_value() -> None:
    assert p_of_look(0.0, 500.0, 1000, 0.05) == 0.0
    spread = 500.0 * mixture_variance(1000, 0.05)
    for p in (1.0, 1.5):
        assert p_of_look(p, 500.0, 1000, 0.05) == pytest.approx(min(math.sqrt(spread + 1.0), 1.0))
    assert p_of_look(1e-300, 500.0, 1000, 0.05) < 1e-200
    # Before the first unit a look has one.
    assert tail_of_look(0.0, 1000, 0.05) == tail_of_look(1.0, 1000, 0.05)
    assert tail_of_look(1e12, 10, 0.05) == pytest.approx(
        math.erfc(boundary(1e12, 10, 0.05) / math.sqrt(2.0)) / 2.0
    )

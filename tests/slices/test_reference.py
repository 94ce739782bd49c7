"""Rows permuted: the tables, what metrics are on them, and the p-values they give."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.inference.slices import permuted
from karat.inference.slices.permuted import AtOnce, PermutedTables, Reference, n_permutations_of
from karat.metrics import get
from karat.output.json import report_schema
from karat.results.slices import SliceDifference
from karat.tally import Axis, Cells, Classes
from simulations.equal_slices import POPULATIONS, PREVALENCES, drawn
from tests.optional import optional
from tests.same import assert_same

jsonschema = optional("jsonschema")

TABLES = np.array([[[30, 4, 0], [3, 12, 1], [1, 0, 5]], [[20, 1, 1], [2, 9, 0], [0, 2, 7]],
                   [[61, 9, 2], [4, 33, 3], [2, 1, 8]]])  # fmt: skip


def cells(tables: np.ndarray) -> Cells:
    names = tuple(f"s{i}" for i in range(len(tables)))
    return Cells.dense(tables, classes=Classes.of(range(3)), axes=(Axis("slice", names),))


def sliced(n: int = 900, k: int = 3, seed: int = 3, **more: Any) -> Any:
    rng = np.random.default_rng(seed)
    true, by = rng.integers(0, k, n), rng.integers(0, 4, n)
    pred = np.where(rng.random(n) < 0.8, true, rng.integers(0, k, n))
    return karat.evaluate(true, pred, by={"by": by}, **more).slices["by"]


@pytest.mark.parametrize("steps", [0, 10**6], ids=["drawn", "shuffled"])
def test_deals_keep_rows_of_slices_and_of_cells(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permuted, "_STEPS_OF_DRAW", steps)
    monkeypatch.setattr(permuted, "_BUDGET", 10**12)
    found = PermutedTables.of(cells(TABLES), 0.95, 11)
    assert found is not None
    assert found.n == 1000
    full = found.full(found.tables)
    assert_same(full[0], TABLES)
    assert_same(full.sum(axis=1), np.broadcast_to(TABLES.sum(axis=0), (1001, 3, 3)))
    assert_same(full.sum(axis=(2, 3)), np.broadcast_to(TABLES.sum(axis=(1, 2)), (1001, 3)))
    # Each cell of each slice is hypergeometric: mean and variance within five standard errors.
    n, pooled, sizes = TABLES.sum(), TABLES.sum(axis=0), TABLES.sum(axis=(1, 2))
    for i, size in enumerate(sizes):
        law = stats.hypergeom(n, pooled, size)
        far = (full[1:, i].mean(axis=0) - law.mean()) / np.sqrt(law.var() / 1000 + 1e-300)
        assert np.abs(far).max() < 5.0
        assert np.abs(full[1:, i].var(axis=0) / law.var() - 1.0).max() < 0.35
    # Cells of a slice take rows from each other.
    first = full[1:, 0].reshape(1000, 9)
    share = pooled.ravel() / n
    expected = -share[0] * share[4] * sizes[0] * (n - sizes[0]) / (n - 1)
    assert np.cov(first[:, 0], first[:, 4])[0, 1] == pytest.approx(expected, rel=0.25)


def test_so_many_rows_that_dealing_them_is_dear_are_drawn_by_cells() -> None:
    assert n_permutations_of(0.95, (5, 9, 3), 10**12) == 1000
    assert n_permutations_of(0.95, (1000, 40_000, 3), 1000) == 781, "few rows of many cells"
    # Each deal takes so many rows, and 7 steps for each of 2 · 4 cells.
    for steps, n in ((250_000, 200), (251_000, 0)):
        assert n_permutations_of(0.95, (2, 10**6, 2), steps - 56) == n


def placed(*tables: list[list[int]]) -> PermutedTables:
    """Tables of two classes as they were observed, and no deals."""
    return PermutedTables(np.array([tables], np.int64).reshape(1, -1, 4), np.arange(4), 2)


def test_a_slice_without_rows_has_no_value_even_of_what_counts_rows() -> None:
    observed = placed([[5, 2], [1, 8]], [[0, 0], [0, 0]])
    found = Reference(get("correct_count"), observed, Classes.of([0, 1]), "zero", 0).slices
    assert found.is_defined.tolist() == found.is_known.tolist() == [[True, False]]


def test_a_metric_that_hardly_varies_has_the_rows_that_its_variance_says() -> None:
    right, wrong = 10**13, 2
    observed = placed([[9 * right, 0], [wrong, right]])
    found = Reference(get("f1"), observed, Classes.of([0, 1]), "zero", 0).slices
    # 1 − f1 is wrong ÷ 2·right, whose slope in the share that is wrong is 1 ÷ (2 · 0.1).
    n, share = 10.0 * right, wrong / (10.0 * right)
    variance = 25.0 * share
    assert variance < 1e-12, "less than a relative rounding error beside 1"
    assert found.rows[0, 0] == pytest.approx(n * 5.0 * share / variance, rel=0.02)


def test_a_slice_with_few_true_rows_of_one_class_is_not_compared() -> None:
    observed = placed([[50, 2], [1, 8]], [[50, 2], [0, 3]], [[1, 2], [2, 40]])
    found = Reference(get("f1"), observed, Classes.of([0, 1]), "zero", 5).slices
    assert found.is_defined.tolist() == [[True, True, True]]
    assert found.is_known.tolist() == [[True, False, False]]


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of the deals: as exact, and sooner done."""
    monkeypatch.setattr(permuted, "n_permutations_of", lambda *_: 200)


@pytest.mark.usefixtures("few_deals")
def test_a_metric_of_every_slice_is_that_of_its_result_with_the_same_standard_error() -> None:
    for table in (sliced(k=2), sliced(k=4)):
        n_compared = 0
        for name, result in ((name, table.whole[name]) for name in table.whole):
            metric = get(name)
            reference = table.tests(metric).reference
            if metric.needs_scores or result.low is None:
                continue
            found = reference.slices
            x, rows = found.x[0], found.rows[0]
            error = np.sqrt(found.variance_at(x) / rows) * found.scale
            for i, part in enumerate(table.values()):
                if not found.is_known[0, i]:
                    continue
                n_compared += 1
                assert_same(found.value_of(x[i]), part[name].value, within=1e-9, about=name)
                expected = part[name].standard_error
                # Variances are those of a table with five rows more.
                if expected:
                    assert error[i] == pytest.approx(expected, rel=0.25), name
        assert n_compared > 100


def test_two_slices_have_the_p_value_of_all_their_tables() -> None:
    right, sizes = np.array([25, 16]), np.array([30, 24])
    names = np.repeat(["a", "b"], sizes)
    is_right = np.concatenate([np.arange(n) < r for n, r in zip(sizes, right, strict=True)])
    true = np.tile([0, 1], len(names))[: len(names)]
    pred = np.where(is_right, true, 1 - true)
    table = karat.evaluate(true, pred, by=names, level=0.995).slices["by"]
    test = table.heterogeneity("accuracy")
    assert (test.method, test.n_draws) == ("permutation", 10_000)
    # Of all tables with these margins: how often χ² is at least as large (Fisher 1935).
    law = stats.hypergeom(sizes.sum(), right.sum(), sizes[0])
    x = np.arange(law.support()[0], law.support()[1] + 1)
    far = np.abs(x - law.mean())
    exact = law.pmf(x)[far >= far[x == right[0]] - 1e-9].sum()
    error = math.sqrt(exact * (1 - exact) / 10_000)
    assert abs(test.p - exact) < 4 * error
    assert abs(stats.chi2.sf(test.statistic, 1) - exact) > 4 * error
    both = [right, sizes - right]
    assert_same(
        test.statistic, stats.chi2_contingency(both, correction=False).statistic, within=1e-9
    )
    assert table.gap("accuracy").p == pytest.approx(exact, abs=0.03)
    one = table.difference("accuracy")["a"]
    assert one.p_adjusted == max(one.p, test.p)


@pytest.mark.usefixtures("few_deals")
def test_chi_square_on_a_rare_class_is_the_control_that_fails() -> None:
    n, alpha, chi_square = 120, 0.05, 0
    found = {"test": 0, "gap": 0, "slice": 0}
    shares = POPULATIONS["k = 2, 98 % right, 10 % positive"]
    for table in drawn(shares, (200,) * 5, n, seed=77):
        test = table.heterogeneity("macro_recall")
        found["test"] += test.is_shown
        found["gap"] += table.gap("macro_recall").p < alpha
        at_once = table.tests("macro_recall").reference.at_once(range(5))
        found["slice"] += at_once.p.min() < alpha
        chi_square += stats.chi2.sf(test.statistic, test.df) < alpha
    most = stats.binom.ppf(0.999, n, alpha)
    for name, times in found.items():
        assert times <= most, name
    assert chi_square > most


@pytest.mark.usefixtures("few_deals")
def test_slices_that_differ_in_all_but_the_metric_are_not_called_different() -> None:
    n, alpha = 100, 0.05
    found, of_accuracy = 0, 0
    for table in drawn(PREVALENCES, (400,) * 5, n, seed=78):
        found += table.heterogeneity("balanced_accuracy").is_shown
        of_accuracy += table.heterogeneity("prevalence").is_shown
    assert found <= stats.binom.ppf(0.999, n, alpha)
    assert of_accuracy == n


@pytest.mark.usefixtures("few_deals")
def test_the_gap_of_few_slices_is_not_held_against_that_of_fewer() -> None:
    # Of a rare class a slice of 50 rows has five or less: many deals have fewer to compare.
    n, alpha, found = 100, 0.05, 0
    for table in drawn(POPULATIONS["k = 3, 60 : 30 : 10"], (50,) * 5, n, seed=79):
        gap = table.gap("macro_f1")
        found += gap.p is not None and gap.p < alpha
    assert found <= stats.binom.ppf(0.999, n, alpha)


def test_limits_at_once_lie_where_p_says() -> None:
    rng = np.random.default_rng(0)
    for n in (200, 1000, 1001):
        largest = np.sort(rng.integers(0, 400, n).astype(float))
        for level in (0.9, 0.95):
            quantile = AtOnce(np.empty(0), largest).quantile(level)
            for z in np.unique(largest):
                p = np.mean(largest >= z)
                assert (p < 1.0 - level - 1e-12) == (z > quantile)


def test_a_difference_is_shown_if_both_say_so() -> None:
    def one(p: float, low: float | None, high: float | None) -> SliceDifference:
        return SliceDifference(
            "accuracy", "a", 9, 0.8, 0.9, -0.1, low, high, low, high, 0.95, 0.01, p, "x"
        )

    assert one(0.04, -0.2, -0.01).is_shown
    assert one(0.04, None, None).is_shown
    assert not one(0.04, -0.2, 0.01).is_shown
    assert not one(0.051, -0.2, -0.01).is_shown


def test_what_is_too_dear_is_told_by_chi_square(monkeypatch: pytest.MonkeyPatch) -> None:
    assert n_permutations_of(0.95, (5, 9, 3), 1000) == 1000
    assert n_permutations_of(0.95, (1000, 400, 20), 10**7) == 0
    assert n_permutations_of(0.9999, (5, 9, 3), 1000) == 0
    monkeypatch.setattr(permuted, "_BUDGET", 10)
    table = sliced()
    assert table.heterogeneity("accuracy").method == "chi-square"
    assert table.gap("accuracy").n_draws == 20_000


@pytest.mark.parametrize("given", ["weights", "clusters"])
def test_rows_that_are_not_alike_are_not_dealt(given: str) -> None:
    values = np.random.default_rng(1).integers(1, 90, 900)
    table = sliced(**{given: values})
    test = table.heterogeneity("accuracy")
    assert test.n_draws == 0
    assert test.method == ("chi-square" if given == "weights" else "F")
    one = table.difference("accuracy")["0"]
    assert one.p_adjusted == pytest.approx(1 - (1 - one.p) ** 4) or given == "clusters"


def test_classes_that_few_slices_have_are_counted_where_they_occur() -> None:
    rng = np.random.default_rng(4)
    true, by = rng.integers(0, 3, 600), rng.integers(0, 3, 600)
    pred = np.where(rng.random(600) < 0.85, true, (true + 1) % 3)
    pred[np.flatnonzero(by == 1)[:2]] = 3  # a class that is predicted in one slice, never true
    table = karat.evaluate(true, pred, by=by).slices["by"]
    for name in ("macro_f1", "gwet_ac1", "kappa_quadratic"):
        reference = table.tests(name).reference
        assert isinstance(reference, Reference)
        found = reference.slices
        values = [found.value_of(x) for x in found.x[0]]
        assert_same(values, [part[name].value for part in table.values()], within=1e-9)
        assert table.heterogeneity(name).p > 0.001


def test_json_and_pickle_give_the_same_p_values_again() -> None:
    import json

    table = sliced(seed=9)
    report = karat.evaluate(
        [0, 1] * 300,
        [0, 1, 1, 1, 0, 1] * 100,
        by=list("abc") * 200,
        interval=karat.Interval(seed=5),
    )
    text = report.to_json()
    jsonschema.validate(json.loads(text), report_schema())
    for again in (karat.Report.from_json(text), pickle.loads(pickle.dumps(report))):
        one, other = report.slices["by"], again.slices["by"]
        assert one.heterogeneity("accuracy") == other.heterogeneity("accuracy")
        assert one.gap("accuracy") == other.gap("accuracy")
        assert one.difference("f1") == other.difference("f1")
    size = len(pickle.dumps(table))
    assert table.heterogeneity("accuracy").n_draws
    assert len(pickle.dumps(table)) < size + 20_000

"""Metrics of labels against fractions, on tables that are hard to compute with."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from karat.metrics import Metric, all_metrics, error_bound, get
from karat.tally import Cells, Classes
from tests.numerics import errors, inputs
from tests.numerics.errors import Seen, of_cells, of_matrices, of_tables
from tests.numerics.exact import BITS, Exact, high

MANY_CLASSES = ("macro_f1", "accuracy", "matthews_correlation", "kappa", "mutual_information")


@pytest.fixture(scope="module")
def seen() -> list[Seen]:
    return list(of_tables(inputs.tables(), all_metrics()))


def test_every_metric_of_labels_is_within_its_bound(seen: list[Seen]) -> None:
    outside = [str(each) for each in seen if not each.is_within]
    assert not outside, "\n".join(outside[:20])
    of_labels = {metric for metric in all_metrics() if metric.record.is_traced}
    assert {each.metric for each in seen if math.isfinite(each.expected)} == of_labels


def test_metrics_of_a_matrix_are_within_their_bounds() -> None:
    found = list(of_matrices(inputs.tables()))
    outside = [str(each) for each in found if not each.is_within]
    assert not outside, "\n".join(outside[:20])
    assert {each.metric.record.name for each in found if math.isfinite(each.expected)} == {
        "expected_cost", "kappa_weighted"
    }  # fmt: skip


def test_costs_and_gains_that_cancel_are_outside_of_a_bound_of_the_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That of costs alone, as it was stated of both."""
    costs = get("expected_cost(costs=[[0, 1], [1, 0]])")
    monkeypatch.setattr(
        errors, "error_bound", lambda _, *n, **spread: error_bound(costs, *n, **spread)
    )
    outside = [each for each in of_matrices(inputs.tables()) if not each.is_within]
    assert {each.metric.record.name for each in outside} >= {"expected_cost"}


def test_disagreements_below_zero_have_no_bound() -> None:
    bound = error_bound(get("kappa_weighted(disagreement=[[0, -1], [3, 0]])"), 1000)
    assert (bound.relative, bound.absolute) == (0.0, math.inf)


def test_bounds_of_counts_are_a_few_roundings() -> None:
    for metric in all_metrics():
        if metric.record.is_traced:
            bound = error_bound(metric, 10**9)
            assert bound.relative <= 1e-13, metric
            assert bound.absolute <= 1e-13, metric


def test_a_thousand_classes() -> None:
    cells = inputs.wide_table()
    table = [inputs.Table("1000 classes", cells)]
    found = list(of_tables(table, [get(name) for name in MANY_CLASSES]))
    assert [str(each) for each in found if not each.is_within] == []


def textbook(name: str, table: Any) -> Any:
    """Definitions as they stand in books, in fractions and logarithms of 1500 bits."""
    k = len(table)
    c = [[Fraction(x) for x in row] for row in table]
    true, pred = [sum(row) for row in c], [sum(column) for column in zip(*c, strict=True)]
    n, right = sum(true), sum(c[i][i] for i in range(k))
    chance = sum(t * p for t, p in zip(true, pred, strict=True))
    if name == "kappa":
        return (right / n - chance / n**2) / (1 - chance / n**2)
    if name.startswith("kappa_"):
        power = {"kappa_linear": 1, "kappa_quadratic": 2}[name]
        off = {(i, j): Fraction(abs(i - j) ** power) for i, j in product(range(k), repeat=2)}
        seen = sum(off[at] * c[at[0]][at[1]] for at in off)
        return 1 - n * seen / sum(off[i, j] * true[i] * pred[j] for i, j in off)
    if name == "matthews_correlation":
        sides = (n * n - sum(t * t for t in true)) * (n * n - sum(p * p for p in pred))
        return high(n * right - chance) / mpmath.sqrt(high(sides))
    assert name == "mutual_information"
    return sum(
        high(c[i][j] / n) * mpmath.log(high(c[i][j] * n / (true[i] * pred[j])))
        for i, j in product(range(k), repeat=2)
        if c[i][j]
    )


@pytest.mark.parametrize(
    "name",
    ["kappa", "kappa_linear", "kappa_quadratic", "matthews_correlation", "mutual_information"],
)
def test_the_reference_says_what_books_say(name: str) -> None:
    table = np.random.default_rng(0).integers(1, 1000, (4, 4)).tolist()
    with mpmath.workprec(BITS):
        found = high(Exact.of(table).measure(get(name))) - high(textbook(name, table))
        assert abs(found) < mpmath.mpf(10) ** -200


def plainly(metric: Metric, cells: Cells) -> Any:
    """What a formula that subtracts from 1, or from all rows, gives."""
    table = cells.counts.astype(np.float64)
    n, right = table.sum(), np.trace(table)
    true, pred = table.sum(axis=1), table.sum(axis=0)
    chance = (true * pred).sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "error_rate": 1.0 - right / n,
            "matthews_correlation": (n * right - chance)
            / np.sqrt((n * n - (true**2).sum()) * (n * n - (pred**2).sum())),
            "kappa": (right / n - chance / n**2) / (1.0 - chance / n**2),
        }[metric.record.name]


def in_single_precision(metric: Metric, cells: Cells) -> Any:
    return np.float32(of_cells(metric, cells))


@pytest.mark.parametrize("name", ["error_rate", "matthews_correlation", "kappa"])
def test_a_formula_that_loses_digits_is_outside(name: str) -> None:
    found = of_tables(inputs.tables(), [get(name)], plainly)
    assert any(not each.is_within for each in found)


def test_single_precision_is_outside_for_nearly_every_metric() -> None:
    table = [inputs.Table("counts", np.array([[977, 31, 5], [12, 883, 7], [3, 29, 761]]))]
    chosen = [m for m in all_metrics() if m.record.is_traced and m.record.family != "counts"]
    seen = list(of_tables(table, chosen, in_single_precision))
    assert [str(each.metric) for each in seen if each.is_within] == []


def test_a_heavy_grade_leaves_the_kappas_of_the_others() -> None:
    """n less what lies below a grade would be rounding dust here."""
    cells = np.array([[1e12, 3e-9, 1e-9], [2e-9, 5e-9, 1e-9], [1e-9, 1e-9, 4e-9]])
    tally = Cells.dense(cells, classes=Classes.of(range(3)), n_rows=9)
    for name in ("kappa_linear", "kappa_quadratic"):
        right = float(Exact.of(cells.tolist()).measure(get(name)))
        assert float(get(name).values(tally).value) == pytest.approx(right, rel=1e-14)

"""Limits and standard errors against published formulas and numbers, written out a second time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import karat
from tests.inference.slow_intervals import mixed, score_limits
from tests.same import assert_same

Z = 1.959963984540054
TABLE = np.array([[40, 7, 3], [5, 61, 14], [2, 9, 29]])


def report(table: Any, **asked: Any) -> karat.Report:
    return karat.evaluate(confusion=np.asarray(table), **asked)


def takahashi_macro_f1(table: Any) -> float:
    """Variance of macro-F1, Takahashi et al. (2022), Statistics in Medicine, equation for maF1."""
    p = np.asarray(table, float)
    n, k = p.sum(), len(p)
    p = p / n
    truth, pred, hit = p.sum(1), p.sum(0), np.diag(p)
    sums = truth + pred
    f1 = 2 * hit / sums
    first = sum(
        f1[i] * (sums[i] - 2 * hit[i]) / sums[i] ** 2
        * ((sums[i] - 2 * hit[i]) / sums[i] + f1[i] / 2)
        for i in range(k)
    )  # fmt: skip
    second = sum(
        p[i, j] * f1[i] * f1[j] / (sums[i] * sums[j]) for i in range(k) for j in range(k) if i != j
    )
    return float(2 / (k**2 * n) * (first + second))


def confidenceinterval_macro_f1(table: Any) -> float:
    """The formula of the package confidenceinterval 1.0.5: it adds where the paper multiplies."""
    c = np.asarray(table, float)
    k, n = len(c), c.sum()
    both = c.sum(1) + c.sum(0)
    f1 = 2 * np.diag(c) / both
    rest = both - 2 * np.diag(c)
    first = sum(f1[i] * rest[i] / both[i] ** 2 + (f1[i] / 2 + rest[i] / both[i]) for i in range(k))
    second = sum(
        c[i, j] * f1[i] * f1[j] / (both[i] + both[j]) for i in range(k) for j in range(k) if i != j
    )
    return float(2 / (k**2 * n) * (first + second))


@pytest.mark.parametrize("table", [TABLE, [[90, 8], [3, 20]], np.arange(1, 26).reshape(5, 5)])
def test_macro_and_micro_f1_of_takahashi(table: Any) -> None:
    found = report(table)
    assert found["macro_f1"].standard_error ** 2 == pytest.approx(takahashi_macro_f1(table))
    n, share = np.sum(table), np.trace(table) / np.sum(table)
    # Of all classes together F1 is the share of right rows.
    assert found["micro_f1"].standard_error ** 2 == pytest.approx(share * (1 - share) / n)
    faulty = confidenceinterval_macro_f1(table)
    assert faulty != pytest.approx(found["macro_f1"].standard_error ** 2, rel=0.1), "a control"


def fleiss_cohen_everitt(table: Any, agreement: Any = None) -> tuple[float, float]:
    """Kappa with weights of agreement, and its variance: Fleiss, Cohen, Everitt (1969)."""
    p = np.asarray(table, float)
    n, k = p.sum(), len(p)
    p = p / n
    w = np.eye(k) if agreement is None else np.asarray(agreement, float)
    r, c = p.sum(1), p.sum(0)
    observed = sum(w[i, j] * p[i, j] for i in range(k) for j in range(k))
    chance = sum(w[i, j] * r[i] * c[j] for i in range(k) for j in range(k))
    of_row = [sum(w[i, j] * c[j] for j in range(k)) for i in range(k)]
    of_col = [sum(w[i, j] * r[i] for i in range(k)) for j in range(k)]
    kappa = (observed - chance) / (1 - chance)
    total = sum(
        p[i, j] * (w[i, j] * (1 - chance) - (of_row[i] + of_col[j]) * (1 - observed)) ** 2
        for i in range(k)
        for j in range(k)
    )
    spread = total - (observed * chance - 2 * chance + observed) ** 2
    return kappa, spread / (n * (1 - chance) ** 4)


def test_kappa_of_fleiss_cohen_and_everitt() -> None:
    """Their diagnoses of 200 subjects: kappa 0.429, standard error 0.054; weighted 0.348 (0.078).

    Fleiss, Levin, Paik (2003), Statistical Methods for Rates and Proportions, 18.1 hold a table of
    100 subjects, 75 1 4 / 5 4 1 / 0 0 10, with kappa 0.68 and standard error 0.087.
    """
    fleiss = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
    found = report(fleiss)["kappa"]
    assert found.value == pytest.approx(0.676, abs=5e-4)
    assert found.standard_error == pytest.approx(0.0877, abs=1e-3)
    for table in (fleiss, TABLE, np.arange(1, 17).reshape(4, 4)):
        k = len(table)
        gap = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
        whole = report(table)
        for name, weights in (
            ("kappa", None),
            ("kappa_linear", 1 - gap),
            ("kappa_quadratic", 1 - gap**2),
        ):
            value, variance = fleiss_cohen_everitt(table, weights)
            assert whole[name].value == pytest.approx(value)
            assert whole[name].standard_error ** 2 == pytest.approx(variance), name
        # The simple formula takes agreement by chance for known.
        p = np.asarray(table) / np.sum(table)
        chance = float(p.sum(1) @ p.sum(0))
        simple = np.trace(p) * (1 - np.trace(p)) / np.sum(table) / (1 - chance) ** 2
        assert simple != pytest.approx(whole["kappa"].standard_error ** 2, rel=1e-3), "a control"


def test_kappa_of_a_matrix_is_kappa() -> None:
    whole = report(
        TABLE, metrics=["kappa", "kappa_weighted(disagreement=[[0,1,1],[1,0,1],[1,1,0]])"]
    )
    plain, weighted = whole.metrics.values()
    assert_same([weighted.low, weighted.high], [plain.low, plain.high], within=1e-12)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_wilson_limits_of_newcombe(hits: int, n: int, low: float, high: float) -> None:
    """Newcombe (1998), Statistics in Medicine 17, table I, method 3, to its four places."""
    table = [[0, 0], [n - hits, hits]]
    found = karat.evaluate(confusion=table, positive=1)["recall"]
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    error = math.sqrt(hits / n * (1 - hits / n) / n)
    assert round(hits / n + Z * error, 4) != high, "a control: Wald's limits are others"


def test_jeffreys_limits_are_those_of_scipy() -> None:
    from karat.inference.limits import beta_limits

    for hits, n in ((3, 17), (16, 17), (250, 1000)):
        found = beta_limits(hits / n, n, 0.025)
        wanted = stats.beta(hits + 0.5, n - hits + 0.5).ppf([0.025, 0.975])
        assert_same(np.array(found), wanted, within=1e-10)
        uniform = stats.beta(hits + 1, n - hits + 1).ppf([0.025, 0.975])
        assert np.abs(np.array(found) - uniform).max() > 1e-4, "a control: another prior"
    assert beta_limits(0.0, 5, 0.025)[0] == 0.0
    assert beta_limits(1.0, 5, 0.025)[1] == 1.0


def test_log_odds_ratio_of_agresti() -> None:
    """Agresti (2013), 3.1: aspirin and heart attacks, 189 of 11034 and 104 of 11037.

    His odds ratio is 1.83, from 1.44 to 2.33, by the standard error of Woolf. The limits here are
    Jeffreys' of both shares, combined on the scale of the log-odds (MOVER).
    """
    table = np.array([[10933, 104], [10845, 189]])
    found = report(table)["diagnostic_odds_ratio"]
    assert found.value == pytest.approx(1.832, abs=5e-4)
    error = math.sqrt((1 / table).sum())
    assert found.standard_error / found.value == pytest.approx(error)
    published = np.round(found.value * np.exp(np.array([-Z, Z]) * error), 2)
    assert published.tolist() == [1.44, 2.33]
    assert_same([found.low, found.high], published, within=0.005)
    odds = []
    for hits, n in ((189, 11034), (104, 11037)):
        low, high = stats.beta.ppf([0.025, 0.975], hits + 0.5, n - hits + 0.5)
        odds.append([math.log(p / (1 - p)) for p in (low, hits / n, high)])
    (low1, at1, high1), (low2, at2, high2) = odds
    below, above = math.hypot(at1 - low1, high2 - at2), math.hypot(high1 - at1, at2 - low2)
    wanted = [math.exp(at1 - at2 - below), math.exp(at1 - at2 + above)]
    assert_same([found.low, found.high], wanted, within=1e-9)
    assert abs(math.exp(at1 - at2 - max(below, above)) - wanted[0]) > 1e-4, "a control"


def hanley_mcneil(area: float, n_pos: float, n_neg: float) -> float:
    """Variance of an area, Hanley and McNeil (1982), for exponential scores."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    own, rest = (n_pos - 1) * (q1 - area**2), (n_neg - 1) * (q2 - area**2)
    return (area * (1 - area) + own + rest) / (n_pos * n_neg)


def test_areas_of_exponential_scores_vary_as_hanley_and_mcneil_say() -> None:
    """What few rows are shrunk towards: the leading terms of their formula."""
    from karat.inference.variance import of_own, of_rest

    area, m, n = 0.893, 51, 58
    leading = float(of_own(area)) / m + float(of_rest(area)) / n
    # What is left out is of the order of 1 ÷ (m·n).
    assert abs(leading - hanley_mcneil(area, m, n)) < 1 / (m * n)
    assert leading == pytest.approx(hanley_mcneil(area, 1e6 * m, 1e6 * n) * 1e6, rel=1e-4)
    assert leading != pytest.approx(float(of_rest(area)) / m + float(of_own(area)) / n, rel=1e-3)


def newcombe(area: float, m: int, n: int, end: float, q: float = Z) -> float:
    """The limit of Newcombe (2006), method 5, by a solver of its own."""
    rows = (m + n) / 2

    def gap(theta: float) -> float:
        chance = (rows - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (theta - area) ** 2 - q**2 * theta * (1 - theta) * (1 + chance) / (m * n)

    return float(optimize.brentq(gap, min(area, 1 - 1e-6), end, xtol=1e-14))


@pytest.mark.parametrize(("area", "m", "n"), [(0.8, 20, 30), (0.6, 8, 5), (0.97, 40, 400)])
def test_newcombe_limits_of_an_area(area: float, m: int, n: int) -> None:
    from karat.inference.limits import newcombe_limits

    found = newcombe_limits(area, m, n, Z)
    wanted = [newcombe(area, m, n, 1e-9), newcombe(area, m, n, 1 - 1e-9)]
    assert_same(np.array(found), np.array(wanted), within=1e-8)
    wald = area - Z * math.sqrt(hanley_mcneil(area, m, n))
    assert found[0] != pytest.approx(wald, abs=1e-3), "a control: Wald's limit is another"
    separated = newcombe_limits(1.0, m, n, Z)
    assert separated[1] == 1.0
    assert separated[0] == pytest.approx(newcombe(1.0, m, n, 1e-9), abs=1e-8)


def test_an_area_of_a_report_is_that_of_newcombe_or_delong() -> None:
    rng = np.random.default_rng(2)
    y_true = np.repeat([0, 1], [30, 20])
    scores = rng.normal(size=50) + y_true
    found = karat.evaluate(y_true, y_score=scores)["roc_auc"]
    own, rest = scores[30:], scores[:30]
    above = (own[:, None] > rest).astype(float)
    delong = above.mean(1).var(ddof=1) / 20 + above.mean(0).var(ddof=1) / 30
    assert found.standard_error**2 == pytest.approx(delong, rel=1e-12)
    assert above.mean(1).var() / 20 + above.mean(0).var() / 30 < 0.97 * delong, "a control"
    away = np.repeat([0.0, 1.0], [30, 20]) + 0.1 * rng.random(50)
    separated = karat.evaluate(y_true, y_score=away)["roc_auc"]
    assert (separated.method, separated.high) == ("newcombe", 1.0)
    t = stats.t(20 - 1).ppf(0.975)
    assert separated.low == pytest.approx(newcombe(1.0, 20, 30, 1e-9, t), abs=1e-8)


def by_score(value: float, at: float, phi: Any, shares: Any) -> tuple[float, float]:
    """Limits of a metric of TABLE by the score test, from the influence of its rows."""
    z = float(stats.norm.ppf(0.975))
    return score_limits(value, at, phi, shares, float(TABLE.sum()), (0.0, 1.0), z)


def test_mover_by_hand() -> None:
    """Macro-recall of 40/50, 61/80 and 29/40: rows of different classes are independent.

    recall  value   Jeffreys low  high     distances
      1     0.8     0.67476       0.89310  0.12524  0.09310
      2     0.7625  0.66058       0.84611  0.10192  0.08361
      3     0.725   0.57442       0.84437  0.15058  0.11937
    The combined limit is the mean less √(0.12524² + 0.10192² + 0.15058²) ÷ 3 = 0.22070 ÷ 3. Three
    classes are more than two: Wilson's limits of the mean are mixed in, with the skewness of rows.
    """
    found = report(TABLE)["macro_recall"]
    hits, n = np.array([40, 61, 29]), np.array([50, 80, 40])
    share = hits / n
    low, high = stats.beta.ppf([[0.025], [0.975]], hits + 0.5, n - hits + 0.5)
    by_hand = [share.mean() - math.sqrt(((share - low) ** 2).sum()) / 3,
               share.mean() + math.sqrt(((high - share) ** 2).sum()) / 3]  # fmt: skip
    assert found.method == "mover"
    smooth = TABLE + 0.5 / 3
    of_rows = np.diag(smooth) / smooth.sum(1)
    phi = (np.eye(3) - of_rows[:, None]) / (smooth.sum(1) / smooth.sum())[:, None] / 3
    whole = by_score(share.mean(), of_rows.mean(), phi, smooth / smooth.sum())
    by_hand = mixed(tuple(by_hand), whole, high - low, (0.0, 1.0))
    assert_same([found.low, found.high], by_hand, within=1e-10)
    naive = np.mean(low)
    assert found.low != pytest.approx(naive, abs=1e-3), "a control: the mean of limits is no limit"


def test_mover_with_classes_that_go_together() -> None:
    """Macro-precision: columns are independent; macro-F1: correlations from the influence."""
    found = report(TABLE)["macro_f1"]
    p = TABLE / TABLE.sum()
    sums, hit = p.sum(1) + p.sum(0), np.diag(p)
    f1 = 2 * hit / sums
    grads = []
    for i in range(3):
        g = np.zeros((3, 3))
        g[i] -= f1[i] / sums[i]
        g[:, i] -= f1[i] / sums[i]
        g[i, i] += 2 / sums[i]
        grads.append(g.ravel())
    cov = np.array(grads) * p.ravel() @ np.array(grads).T / TABLE.sum()
    sigma = np.sqrt(np.diag(cov))
    # F1 is 2J ÷ (1 + J) of the share J of hits among hits, misses and false alarms.
    inside = TABLE.sum(1) + TABLE.sum(0) - np.diag(TABLE)
    j = stats.beta.ppf([[0.025], [0.975]], np.diag(TABLE) + 0.5, inside - np.diag(TABLE) + 0.5)
    low, high = 2 * j / (1 + j)
    rho = cov / np.outer(sigma, sigma)
    below, above = (math.sqrt(d @ rho @ d) / 3 for d in (f1 - low, high - f1))
    smooth = (TABLE + 0.5 / 3) / (TABLE + 0.5 / 3).sum()
    sums = smooth.sum(1) + smooth.sum(0)
    of_smooth = 2 * np.diag(smooth) / sums
    phi = np.diag(2 / sums) - (of_smooth / sums)[:, None] - (of_smooth / sums)[None]
    whole = by_score(f1.mean(), of_smooth.mean(), phi / 3, smooth)
    limits = mixed((f1.mean() - below, f1.mean() + above), whole, high - low, (0.0, 1.0))
    assert_same([found.low, found.high], limits, within=1e-9)
    apart = math.sqrt(((f1 - low) ** 2).sum()) / 3
    assert below != pytest.approx(apart, rel=0.01), "a control: without correlations it is another"

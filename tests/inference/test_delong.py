"""Areas: DeLong's variances and covariances by all pairs, shrinkage and degrees of freedom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.inference.variance import SamplingError, Sizes
from karat.metrics import get
from karat.metrics._influence.gather import influences
from karat.metrics._metric import Metric
from tests.inference.rows import Drawn, drawn, influence_variances
from tests.same import assert_same

AREA = get("roc_auc")


def placements(rows: Drawn, own: int = 1) -> tuple[Any, Any]:
    """V10 of the own rows and V01 of the others, from the matrix of all pairs."""
    s = rows.values[:, own].astype(np.float64)
    if rows.k == 2 and not rows.is_prob:
        s = s - rows.values[:, 1 - own]
    x, y = s[rows.codes == own], s[rows.codes != own]
    psi = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    return psi.mean(axis=1), psi.mean(axis=0)


def delong(*models: Drawn) -> Any:
    """DeLong's covariance matrix of the areas of models on the same rows."""
    v10, v01 = (np.stack(part) for part in zip(*map(placements, models), strict=True))
    m, n = v10.shape[1], v01.shape[1]
    return np.atleast_2d(np.cov(v10)) / m + np.atleast_2d(np.cov(v01)) / n


def two_models(seed: int, n: int, **given: Any) -> tuple[Drawn, Drawn]:
    """The second sees half of what the first sees."""
    first = drawn(seed, n, 2, is_prob=False, **given)
    noise = np.random.default_rng(seed).normal(size=first.values.shape)
    values = first.values + noise
    if given.get("ties"):
        values = np.round(values)
    return first, Drawn(first.codes, values, None, False)


def covariance(left: Drawn, right: Drawn) -> float:
    """Σ f·φφ'/W²."""
    phi = [influences(rows.tallied(), [AREA])[AREA] for rows in (left, right)]
    factors = Sizes.of(left.tallied()).factors(AREA)[left.codes]
    return float((factors * phi[0] * phi[1]).sum()) / len(left.codes) ** 2


def check_delong(models: tuple[Drawn, Drawn], *, biased: bool = False) -> None:
    wanted = delong(*models) * (1.001 if biased else 1.0)
    for i, rows in enumerate(models):
        found = influence_variances(rows.tallied(), [AREA])[AREA]
        assert isinstance(found, SamplingError)
        assert_same(found.variance, wanted[i, i], within=1e-12, about="variance")
    assert_same(covariance(*models), wanted[0, 1], within=1e-12, about="covariance")
    both = [influences(rows.tallied(), [AREA])[AREA] for rows in models]
    factors = Sizes.of(models[0].tallied()).factors(AREA)[models[0].codes]
    paired = float((factors * (both[0] - both[1]) ** 2).sum()) / len(factors) ** 2
    difference = wanted[0, 0] + wanted[1, 1] - 2 * wanted[0, 1]
    assert_same(paired, difference, within=1e-12, about="difference")


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [5, 40, 700])
def test_variance_and_covariance_are_delongs(n: int, ties: bool) -> None:
    check_delong(two_models(31, n, ties=ties))


def test_another_reference_is_noticed() -> None:
    with pytest.raises(AssertionError, match="variance"):
        check_delong(two_models(31, 40), biased=True)


def test_each_class_against_the_rest_is_delongs() -> None:
    rows = drawn(32, 90, 4, ties=True)
    metric = Metric.of(AREA.record, "per_class", {})
    found = influence_variances(rows.tallied(), [metric])[metric]
    assert isinstance(found, tuple)
    for i, one in enumerate(found):
        v10, v01 = placements(rows, i)
        wanted = v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01)
        assert_same(one.variance, wanted, within=1e-12, about=f"class {i}")


def shrunk_reference(rows: Drawn) -> tuple[float, float, float]:
    """The shrunk variance, its degrees of freedom, and the informative rows."""
    v10, v01 = placements(rows)
    m, n, area = len(v10), len(v01), v10.mean()
    s10 = (m * v10.var(ddof=1) + 5 * (2 * area**2 / (1 + area) - area**2)) / (m + 5)
    s01 = (n * v01.var(ddof=1) + 5 * (area / (2 - area) - area**2)) / (n + 5)
    variance = s10 / m + s01 / n
    gaps = np.abs(v10 - area)
    with np.errstate(invalid="ignore"):  # classes that are apart
        df = variance**2 / ((s10 / m) ** 2 / (m - 1) + (s01 / n) ** 2 / (n - 1))
        if area in (0.0, 1.0):
            df = min(m, n) - 1.0  # nothing varies: those of the smaller side
        return variance, df, gaps.sum() ** 2 / (gaps**2).sum()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [12, 60, 5000])
@pytest.mark.parametrize("lift", [0.0, 1.0, 4.0])
def test_shrinkage_degrees_of_freedom_and_informative_rows(lift: float, n: int, ties: bool) -> None:
    rows = drawn(33, n, 2, ties=ties, lift=lift)
    for weights in (None, np.full(n, 3.0)):
        weighted = Drawn(rows.codes, rows.values, weights, rows.is_prob)
        found = influence_variances(weighted.tallied(), [AREA])[AREA]
        assert isinstance(found, SamplingError)
        mine = (found.shrunk, found.df, found.n_informative)
        assert_same(mine, shrunk_reference(rows), within=1e-9)


def test_separated_classes_have_no_variance_and_no_informative_row() -> None:
    values = np.array([[4.0, 0.0], [3.0, 1.0], [1.0, 3.0], [0.0, 4.0]])
    rows = Drawn(np.array([0, 0, 1, 1]), values, None, False)
    found = influence_variances(rows.tallied(), [AREA])[AREA]
    assert isinstance(found, SamplingError)
    assert found.variance == found.shrunk == 0.0
    assert np.isnan(found.n_informative)
    assert found.missing == ""


def test_averages_over_classes_are_shrunk_by_their_classes() -> None:
    rows = drawn(34, 120, 3)
    each_metric = Metric.of(AREA.record, "per_class", {})
    each = influence_variances(rows.tallied(), [each_metric])[each_metric]
    assert isinstance(each, tuple)
    counts = np.bincount(rows.codes)
    for lift, shares in (("macro", np.full(3, 1 / 3)), ("weighted", counts / counts.sum())):
        metric = Metric.of(AREA.record, lift, {})
        found = influence_variances(rows.tallied(), [metric])[metric]
        assert isinstance(found, SamplingError)
        gaps = np.array([one.shrunk - one.variance for one in each])
        assert_same(found.shrunk - found.variance, (shares**2 * gaps).sum(), within=1e-12)
        assert found.df == counts.min() - 1
        assert found.n_effective == counts.min()


@pytest.mark.parametrize("name", ["roc_auc_ovo_macro", "roc_auc_ovo_weighted", "roc_auc_mu"])
def test_means_over_pairs_are_shrunk_upwards_where_few_rows_look_alike(name: str) -> None:
    rows = drawn(35, 24, 3, lift=1.5)
    metric = get(name)
    found = influence_variances(rows.tallied(), [metric])[metric]
    assert isinstance(found, SamplingError)
    assert found.shrunk > found.variance
    many = drawn(35, 20_000, 3, lift=1.0)
    likely = influence_variances(many.tallied(), [metric])[metric]
    assert isinstance(likely, SamplingError)
    assert_same(likely.shrunk / likely.variance, 1.0, within=1e-2)


def test_two_classes_have_one_area() -> None:
    """Hand and Till's mean of two classes with one column is the area itself."""
    rows = drawn(36, 80, 2)
    macro = Metric.of(AREA.record, "macro", {})
    both = influence_variances(rows.tallied(), [AREA, get("roc_auc_ovo_macro"), macro])
    variances = [one.variance for one in both.values() if isinstance(one, SamplingError)]
    assert_same(variances, [variances[0]] * 3, within=1e-9)

"""Simultaneous bands: facts of any curve, what has none, and an alarm of their coverage."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri

import karat
from karat.curves import Band
from karat.errors import KaratError
from karat.inference.bands import _n_replicates, _population, _rising, _spread
from karat.inference.limits import beta_limits, quick_beta_high, quick_beta_low
from tests.same import assert_same

KINDS = ("roc", "precision_recall", "reliability")


def rows(n_pos: int, n_neg: int, seed: int, shift: float = 1.5) -> tuple[Any, Any]:
    """Truth and probabilities of two normal scores."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    return y, ndtr(rng.normal(size=len(y)) + shift * y - shift / 2)


def cases() -> Iterator[tuple[Any, Any]]:
    for i, (n_pos, n_neg) in enumerate([(1, 1), (3, 40), (40, 3), (60, 60), (200, 700)]):
        y, p = rows(n_pos, n_neg, i)
        yield y, p
        yield y, p.round(1)
        yield y, 1 - p
    yield [0, 1] * 10, [0.5] * 20
    yield [0] * 10 + [1] * 10, np.arange(20) / 20
    yield [1] * 10 + [0] * 10, np.arange(20) / 20


def limits(band: Band, x: Any) -> tuple[Any, Any]:
    return np.interp(x, band.x, band.low), np.interp(x, band.x, band.high)


@pytest.mark.parametrize("kind", KINDS)
def test_a_band_contains_its_curve_between_0_and_1(kind: str) -> None:
    for y, p in cases():
        curve = getattr(karat.curves, kind)(y, y_prob=p)
        band = curve.band()
        x, height = (getattr(curve, axis) for axis in curve.axes)
        held = ~np.isnan(x)
        at = band.x[~np.isnan(band.x)]
        assert (np.diff(at) >= 0).all()
        assert list(band.columns()) == [curve.axes[0], "low", "high"]
        low, high = (one[~np.isnan(band.x)] for one in (band.low, band.high))
        assert ((low >= 0) & (low <= high) & (high <= 1)).all()
        below, above = (np.interp(x[held], at, one) for one in (low, high))
        assert ((below <= height[held] + 1e-9) & (height[held] <= above + 1e-9)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_higher_level_is_wider_and_more_rows_are_narrower(kind: str) -> None:
    grid = np.linspace(0.02, 0.98, 49)

    def widths(n: int, level: float) -> Any:
        y, p = rows(n, 3 * n, 5)
        band = getattr(karat.curves, kind)(y, y_prob=p).band(level)
        assert band.level == level
        low, high = limits(band, grid)
        return high - low

    assert (widths(100, 0.9) <= widths(100, 0.99) + 1e-9).all()
    assert widths(400, 0.95).mean() < 0.6 * widths(100, 0.95).mean()


def test_the_band_of_a_roc_curve_never_falls() -> None:
    for y, p in cases():
        band = karat.curves.roc(y, y_prob=p).band()
        assert (np.diff(band.low) >= 0).all()
        assert (np.diff(band.high) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_bands_are_the_same_each_time_and_read_only(kind: str) -> None:
    y, p = rows(50, 90, 1)
    curve = getattr(karat.curves, kind)(y, y_prob=p)
    first, again = curve.band(), pickle.loads(pickle.dumps(curve)).band()
    for name in ("x", "low", "high"):
        assert_same(getattr(first, name), getattr(again, name))
        with pytest.raises(ValueError, match="read-only"):
            getattr(first, name)[0] = 0
    assert repr(first) == f"<karat.curves.Band of 1: 95 % simultaneous, {len(first)} places>"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_equal_weights_are_no_weights(kind: str, weight: float) -> None:
    y, p = rows(40, 60, 2)
    plain = getattr(karat.curves, kind)(y, y_prob=p).band()
    weighted = getattr(karat.curves, kind)(y, y_prob=p, weights=np.full(100, weight)).band()
    for name in ("x", "low", "high"):
        assert_same(getattr(plain, name), getattr(weighted, name), within=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_unequal_weights_are_wider(kind: str) -> None:
    y, p = rows(100, 100, 3)
    weights = np.where(np.arange(200) % 4 == 0, 10.0, 0.5)
    plain = getattr(karat.curves, kind)(y, y_prob=p).band()
    weighted = getattr(karat.curves, kind)(y, y_prob=p, weights=weights).band()
    wide, narrow = (np.nanmean(one.high - one.low) for one in (weighted, plain))
    assert wide > 1.1 * narrow


@pytest.mark.parametrize("weights", [None, "equal", "unequal"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_read_from_json_has_the_same_band(kind: str, weights: str | None) -> None:
    y, p = rows(120, 260, 4)
    given = {None: None, "equal": np.ones(380), "unequal": 1.0 + np.arange(380) % 3}[weights]
    report = karat.evaluate(y, y_prob=p, weights=given)
    text = report.to_json()
    assert ('"squares"' in text.partition('"reliability"')[2].partition("}")[0]) is (
        given is not None
    )
    again = karat.Report.from_json(text)
    for label in (0, 1):
        one, other = (getattr(each.curves, kind)[label].band(0.9) for each in (report, again))
        for name in ("x", "low", "high"):
            assert_same(getattr(one, name), getattr(other, name), within=1e-12)


def test_a_report_without_the_squares_of_weights_has_no_band() -> None:
    y, p = rows(30, 30, 6)
    report = karat.evaluate(y, y_prob=p, weights=1.0 + np.arange(60) % 3)
    kept = report.kept_curves
    assert kept is not None
    bare = [
        dataclasses.replace(one, reliability=dataclasses.replace(one.reliability, squares=None))
        for one in kept.kept
    ]
    report = dataclasses.replace(report, kept_curves=dataclasses.replace(kept, kept=bare))
    again = karat.Report.from_json(report.to_json())
    assert again.curves.roc.positive.no_band is None
    with pytest.raises(KaratError, match="sums of their squares are not kept") as caught:
        again.curves.reliability.positive.band()
    assert caught.value.code == "K315"


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_clusters_have_no_band(kind: str) -> None:
    y, p = rows(60, 60, 7)
    report = karat.evaluate(y, y_prob=p, clusters=np.arange(120) // 3)
    for one in (report, karat.Report.from_json(report.to_json())):
        with pytest.raises(KaratError, match="rows of a cluster depend") as caught:
            getattr(one.curves, kind).positive.band()
        assert caught.value.code == "K315"
        # A curve of the rows alone does not know the clusters, and its band would be too narrow.
        assert "karat.curves" not in str(caught.value)


def test_pooled_and_undefined_curves_and_those_of_a_user_have_no_band() -> None:
    curve = karat.curves.roc([0, 1, 2], y_prob=np.eye(3), average="micro")
    with pytest.raises(KaratError, match="pools the classes"):
        curve.band()
    with pytest.warns(karat.UndefinedWarning):
        curve = karat.curves.roc([1, 1], y_prob=[0.2, 0.7], labels=[0, 1])
    with pytest.raises(KaratError, match="every row is truly of the class"):
        curve.band()
    curve = karat.curves.precision_recall([1, 1], y_prob=[0.2, 0.7], labels=[0, 1])
    with pytest.raises(KaratError, match="Every row is truly of the class"):
        curve.band()
    bare = dataclasses.replace(karat.curves.roc([0, 1], y_prob=[0.2, 0.7]), squares=None)
    with pytest.raises(KaratError, match="not known"):
        bare.band()


@pytest.mark.parametrize("level", [None, 0, 1, 0.4, 0.9999, 95, "0.95", True])
def test_a_level_that_cannot_be_simulated_is_refused(level: Any) -> None:
    with pytest.raises(KaratError) as caught:
        karat.curves.roc([0, 1], y_prob=[0.2, 0.7]).band(level)
    assert caught.value.code == "K122"
    assert "a number from 0.5 to 0.999, as 0.95.\n" in str(caught.value)


def test_a_curve_with_few_points_of_many_has_nearly_the_band_of_all() -> None:
    y, p = rows(3_000, 9_000, 8)
    whole = karat.curves.roc(y, y_prob=p)
    fewer = karat.curves.roc(y, y_prob=p, limit=256)
    grid = np.linspace(0.01, 0.99, 99)
    assert fewer.error > 0
    for one, other in zip(limits(whole.band(), grid), limits(fewer.band(), grid), strict=True):
        assert_same(one, other, within=0.02)


def test_the_quick_limits_are_nearly_those_of_the_beta_distribution() -> None:
    for n in (1.0, 7.0, 40.5, 1000.0):
        hits = np.linspace(0, n, 30)
        for z in (1.0, 2.0, 2.5):
            exact = beta_limits(hits / n, n, NormalDist().cdf(-z))
            quick = quick_beta_low(hits / n, n, z), quick_beta_high(hits / n, n, z)
            for one, other in zip(exact, quick, strict=True):
                assert_same(one, other, within=0.03 if n < 5 else 0.008)


def test_proportions_made_to_rise_are_those_of_isotonic_regression() -> None:
    rng = np.random.default_rng(3)
    for n_bins in (1, 2, 7, 15):
        y, weight = rng.random((40, n_bins)), rng.integers(1, 9, n_bins).astype(float)
        for found, row in zip(_rising(y, weight), y, strict=True):
            assert_same(found, isotonic_regression(row, weights=weight).x, within=1e-12)


def test_the_population_of_a_curve_is_concave_and_keeps_its_ties() -> None:
    """Rows without ties are spread evenly, whatever their number; a tie is one step."""
    for n_pos, n_neg in ((3, 40), (60, 60), (3000, 9000)):
        y, p = rows(n_pos, n_neg, 12)
        curve = karat.curves.roc(y, y_prob=p)
        others, own = _population(curve.fpr, curve.tpr, is_whole=True)
        assert 90 <= len(own) <= 100
        assert_same([others.sum(), own.sum()], [1, 1], within=1e-9)
        assert (np.diff(np.arctan2(own, others)) <= 1e-6).all()
        corners = np.concatenate([[0.0], np.cumsum(others)])
        heights = np.concatenate([[0.0], np.cumsum(own)])
        assert (np.interp(curve.fpr, corners, heights) >= curve.tpr - 0.02).all()
    tied = karat.curves.roc([0] * 10 + [1] * 10, y_score=[1, 1, 1, 1, 1, 1, 2, 2, 2, 3] * 2)
    others, own = _population(tied.fpr, tied.tpr, is_whole=True)
    assert_same(others, [0.1, 0.3, 0.6], within=1e-12)
    assert_same(own, [0.1, 0.3, 0.6], within=1e-12)
    assert len(_population(tied.fpr, tied.tpr, is_whole=False)[0]) > 40


N_SAMPLES = 100
LEAST = 0.87
"""Of 100 bands with a coverage of 94 % fewer contain the curve once in 200 runs."""


def held(kind: str, *parts: float) -> list[float]:
    """How often a band contains the curve of the population, shrunk to parts of its width."""
    rng, found = np.random.default_rng(9), np.zeros(len(parts))
    t = np.linspace(6, -5, 600)
    fpr, tpr = ndtr(-t), ndtr(1.5 - t)
    borders = ndtri(np.arange(16) / 15)
    own, others = (np.diff(ndtr(borders + side)) for side in (-0.75, 0.75))
    for seed in rng.integers(1 << 31, size=N_SAMPLES):
        n_pos = 40 if kind == "roc" else int(np.clip(rng.binomial(160, 0.25), 5, 155))
        y, p = rows(n_pos, 160 - n_pos, int(seed))
        curve = getattr(karat.curves, kind)(y, y_prob=p)
        band = curve.band()
        if kind == "reliability":
            truth, low, high, middle = own / (own + 3 * others), band.low, band.high, curve.share
        else:
            x, truth = (fpr, tpr) if kind == "roc" else (tpr, tpr / (tpr + 3 * fpr))
            low, high = limits(band, x)
            middle = np.interp(x, *(getattr(curve, axis) for axis in curve.axes))
        for i, part in enumerate(parts):
            below, above = middle - part * (middle - low), middle + part * (high - middle)
            is_in = (truth >= below - 1e-9) & (truth <= above + 1e-9)
            found[i] += (is_in | np.isnan(low)).all()
    return (found / N_SAMPLES).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_bands_contain_the_curve_of_the_population_and_narrower_ones_are_found_out(
    kind: str,
) -> None:
    whole, part = held(kind, 1.0, 0.7)
    assert whole >= LEAST
    assert part < LEAST - 0.05


def test_bands_of_one_or_two_levels_allow_for_levels_that_were_not_seen() -> None:
    constant = karat.curves.roc([0, 1] * 200, y_score=np.zeros(400)).band()
    # Replicates of one level are all the same: without a least quantile the band is the diagonal.
    assert constant.quantile == pytest.approx(NormalDist().inv_cdf(0.95), abs=1e-6)
    held = 0
    for seed in range(60):
        rng = np.random.default_rng([4, seed])
        y = np.arange(30) % 2
        fires = rng.random(30) < np.where(y == 1, 0.03, 0.01)
        found = karat.curves.roc(y, y_score=fires.astype(float)).band()
        truth = np.interp(found.x, [0.0, 0.01, 1.0], [0.0, 0.03, 1.0])
        held += bool(((found.low <= truth + 1e-9) & (truth <= found.high + 1e-9)).all())
    assert held >= 56


def test_limits_of_single_points_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.inference.bands._simulated", lambda *_, **__: 1.645)
    assert held("roc", 1.0)[0] < LEAST
    monkeypatch.setattr("karat.inference.bands._tail_of_bins", lambda *_: 0.025)
    assert held("reliability", 1.0)[0] < LEAST


def test_a_band_of_precisions_is_near_a_good_curve_and_ends_at_the_share_of_the_class() -> None:
    y, p = rows(150, 450, 3, shift=3.0)
    curve = karat.curves.precision_recall(y, y_prob=p)
    band = curve.band(0.8)
    low, high = limits(band, np.array([0.3, 0.6, 1.0]))
    at = [curve.precision[curve.recall >= x].max() for x in (0.3, 0.6)]
    assert (low[:2] > np.array(at) - 0.1).all()
    assert (low[:2] < at).all()
    assert (high[:2] >= at).all()
    # Every row is predicted for a recall of 1: the precision is at least nearly 150 ÷ 600.
    assert 0.2 < low[2] < 0.25
    # Nothing is known of the precision of no row.
    assert (band.low[0], band.high[0]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("level", "n"), [(0.9, 500), (0.95, 500), (0.98, 1250), (0.99, 2500), (0.999, 5000)]
)
def test_replicates_leave_so_many_outside_a_band(level: float, n: int) -> None:
    assert _n_replicates(level) == n


def test_points_of_a_curve_are_thinned_in_standard_errors() -> None:
    line = np.linspace(0.0, 1.0, 400)
    assert _spread(line[:6], line[:6], 3).tolist() == [0, 1, 2, 3, 4, 5]
    # Beyond two points for each step: sin² of equal steps of both rates.
    kept = _spread(line, line**2, 3)
    assert kept.tolist() == sorted({0, 200, 283, 399})

"""Draws have the distribution that they claim, and depend on their place alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from karat import _native
from tests.same import assert_same

N = 100_000


def chance(found: npt.NDArray[Any], wanted: Any) -> float:
    """p-value of χ² for whole numbers against a distribution of scipy, in its usual cells."""
    values = np.arange(int(found.min()), int(found.max()) + 1)
    expected = wanted.pmf(values) * len(found)
    observed = np.bincount(found.astype(np.int64) - values[0], minlength=len(values))
    usual = expected >= 8
    observed = np.append(observed[usual], observed[~usual].sum())
    expected = np.append(expected[usual], len(found) - expected[usual].sum())
    if expected[-1] < 8:
        observed, expected = observed[:-1], expected[:-1] * (observed[:-1].sum() / len(found))
        expected *= observed.sum() / expected.sum()
    return float(stats.chisquare(observed, expected).pvalue)


def totals(mean: float, square: float | None, *, is_gamma: bool, seed: int = 1) -> Any:
    squares = None if square is None else np.array([square])
    return _native.draw_totals(np.array([mean]), squares, is_gamma, False, seed, 0, 0, N, 0)[:, 0]


def test_the_generator_gives_the_published_words() -> None:
    """Known answers of Random123 (Salmon et al. 2011): kat_vectors, philox4x32 of 10 rounds."""
    ones = 2**32 - 1
    known: list[tuple[list[int], int, list[int]]] = [
        ([0, 0, 0, 0], 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([ones] * 4, 2**64 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            0x299F31D0A4093822,
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ]
    for counter, key, words in known:
        assert _native.philox(counter, key) == words
    assert _native.philox([1, 0, 0, 0], 0) != known[0][2]


@pytest.mark.parametrize("rate", [0.3, 1.0, 2.5, 9.9, 10.0, 17.0, 120.0, 511.0, 600.5, 1e4])
def test_poisson(rate: float) -> None:
    assert chance(totals(rate, None, is_gamma=False), stats.poisson(rate)) > 1e-3


@pytest.mark.parametrize(
    ("n", "hits"), [(5, 2), (30, 3), (1000, 5), (40, 20), (1000, 20), (100_000, 30_000), (60, 58)]
)
def test_binomial(n: int, hits: int) -> None:
    found = _native.resample_counts(np.array([hits, n - hits]), 4, 0, 0, N, 0)
    assert (found.sum(axis=1) == n).all()
    assert chance(found[:, 0], stats.binom(n, hits / n)) > 1e-3


@pytest.mark.parametrize("shape", [0.4, 1.0, 3.5, 100.0])
def test_gamma(shape: float) -> None:
    found = totals(shape, None, is_gamma=True)
    assert stats.kstest(found, stats.gamma(shape).cdf).pvalue > 1e-3


def test_weights_of_rows() -> None:
    counts = _native.row_weights(N, False, 3, 0, 0, 1, 0)[0]
    assert chance(counts, stats.poisson(1)) > 1e-3
    assert abs(np.corrcoef(counts[1:], counts[:-1])[0, 1]) < 6 / np.sqrt(N)
    weights = _native.row_weights(N, True, 3, 0, 0, 1, 0)[0]
    assert stats.kstest(weights, stats.expon.cdf).pvalue > 1e-3


def test_a_distribution_that_is_slightly_wrong_is_noticed() -> None:
    """The control: 2 % more of the rate, of the shape, of the chance."""
    assert chance(totals(10.2, None, is_gamma=False), stats.poisson(10.0)) < 1e-6
    assert stats.kstest(totals(3.57, None, is_gamma=True), stats.gamma(3.5).cdf).pvalue < 1e-6
    found = _native.resample_counts(np.array([204, 796]), 4, 0, 0, N, 0)[:, 0]
    assert chance(found, stats.binom(1000, 0.2)) < 1e-6


def test_multinomial_counts_vary_together() -> None:
    counts = np.array([500, 0, 30, 70, 400])
    found = _native.resample_counts(counts, 2, 0, 0, N, 0).astype(np.float64)
    p = counts / 1000
    wanted = 1000 * (np.diag(p) - np.outer(p, p))
    assert_same(found.mean(axis=0), counts.astype(float), within=2e-3)
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted))) + 1e-9
    assert np.abs((np.cov(found.T) - wanted) / scale).max() < 0.02
    assert (found[:, 1] == 0).all()


def test_weighted_sums_keep_mean_and_variance() -> None:
    for is_gamma in (False, True):
        for mean, square in ((5.0, 8.0), (0.2, 0.3), (300.0, 77.0)):
            found = totals(mean, square, is_gamma=is_gamma)
            assert (found >= 0).all()
            assert abs(found.mean() - mean) < 6 * np.sqrt(square / N)
            assert_same(found.var(), np.float64(square), within=0.08 * max(1.0, 1.0 / square))


DRAWS: dict[str, Callable[..., Any]] = {
    "counts": lambda seed, stream, first, count, threads: _native.resample_counts(
        np.arange(50), seed, stream, first, count, threads
    ),
    "totals": lambda *at: _native.draw_totals(np.linspace(0, 40, 50), None, False, False, *at),
    "normed": lambda *at: _native.draw_totals(np.linspace(0, 40, 50), None, True, True, *at),
    "clusters": lambda *at: _native.resample_clusters(
        np.arange(90, dtype=np.int32) % 30,
        np.arange(90, dtype=np.int32) % 7,
        None,
        30,
        7,
        False,
        *at,
    ),
    "areas": lambda *at: np.stack(
        [
            part.sum(axis=-1) if part.ndim > 1 else part
            for part in _native.replicate_areas(
                np.full((40, 2), 3.0), None, np.full(40, 0.5), False, *at
            )
        ],
        axis=1,
    ),
    "levels": lambda *at: _native.replicate_levels(
        np.arange(40.0)[::-1].copy(), np.full((40, 2), 30.0), None, False, *at
    )[1],
    "rows": lambda *at: _native.row_weights(101, False, *at),
    "smooth rows": lambda *at: _native.row_weights(101, True, *at),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_depends_on_its_place_alone(name: str) -> None:
    draw = DRAWS[name]
    whole = draw(7, 3, 0, 2000, 1)
    for threads in (2, 3):
        assert_same(draw(7, 3, 0, 2000, threads), whole, about=f"{threads} threads")
    assert_same(draw(7, 3, 1500, 100, 2), whole[1500:1600], about="a part of the replicates")
    for other in (draw(8, 3, 0, 2000, 1), draw(7, 4, 0, 2000, 1), draw(7, 3, 1, 2000, 1)):
        assert not np.array_equal(other, whole)


SEED, STREAM, REPLICATE = 0x9E3779B97F4A7C15, 5, 11
WHOLE_ROWS, OF_ROWS = 2, 5  # what words are drawn for: the highest byte of the last number


def words(purpose: int, n: int) -> list[int]:
    """The first words of n items, four to a place, one by one."""
    places = [[0, i, REPLICATE, purpose << 24 | STREAM] for i in range(-(-n // 4))]
    return [word for place in places for word in _native.philox(place, SEED)][:n]


def counts(rates: npt.NDArray[Any], drawn: list[int]) -> list[int]:
    """Poisson numbers by inversion: a word is a chance of 32 bits."""
    found = []
    for rate, word in zip(rates, drawn, strict=True):
        k, chance = 0, math.exp(-rate)
        total = chance
        while rate and word > int(total * 2**32) - 1 and k < 200:
            k += 1
            chance *= rate / k
            total += chance
        found.append(k)
    return found


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)


@pytest.mark.parametrize("n", [1, 4, 63, 64, 65, 1000])
@pytest.mark.parametrize("kinds", [[1], [0, 1], [3], [0, 1, 1, 2], [0, 9, 40]])
def test_counts_follow_from_the_words_of_their_places(n: int, kinds: list[int], isa: str) -> None:
    rates = np.random.default_rng(n).choice(np.array(kinds, np.float64), n)
    drawn = _native.draw_totals(rates, None, False, False, SEED, STREAM, REPLICATE, 1, 1)[0]
    assert drawn.tolist() == counts(rates, words(WHOLE_ROWS, n)), isa
    # Rows of half the weight: the same numbers of them.
    halves = _native.draw_totals(rates / 2, rates / 4, False, False, SEED, STREAM, REPLICATE, 1, 1)[
        0
    ]
    assert (halves * 2).tolist() == drawn.tolist()


@pytest.mark.parametrize("n", [1, 64, 101])
def test_weights_of_rows_follow_from_the_words_of_their_places(n: int, isa: str) -> None:
    drawn = _native.row_weights(n, False, SEED, STREAM, REPLICATE, 1, 1)[0]
    assert drawn.tolist() == counts(np.ones(n), words(OF_ROWS, n)), isa
    assert n == 1 or drawn.tolist() != counts(np.ones(n), words(WHOLE_ROWS, n))


def test_seeds_use_all_of_their_bits() -> None:
    draws = [_native.row_weights(50, False, seed, 0, 0, 1, 1).tobytes() for seed in (0, 1, 2**32)]
    assert len(set(draws)) == 3


def one() -> npt.NDArray[np.float64]:
    return np.ones(2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _native.resample_counts(np.array([1, -1]), 0, 0, 0, 1, 1),
        lambda: _native.resample_counts(np.array([2**53, 1]), 0, 0, 0, 1, 1),
        lambda: _native.resample_counts(np.array([1]), 0, 2**24, 0, 1, 1),
        lambda: _native.resample_counts(np.array([1]), 0, 0, 0, -1, 1),
        lambda: _native.resample_counts(np.array([1]), 0, 0, 2**40, 1, 1),
        lambda: _native.draw_totals(-one(), None, False, False, 0, 0, 0, 1, 1),
        lambda: _native.draw_totals(one() * np.nan, None, False, False, 0, 0, 0, 1, 1),
        lambda: _native.draw_totals(one(), one() * np.inf, False, False, 0, 0, 0, 1, 1),
        lambda: _native.draw_totals(one(), one() * 0, False, False, 0, 0, 0, 1, 1),
        lambda: _native.draw_totals(one(), np.ones(3), False, False, 0, 0, 0, 1, 1),
        lambda: _native.draw_totals(one() * 2**53, None, False, False, 0, 0, 0, 1, 1),
        lambda: _native.draw_totals(one(), one() * 1e-300, False, False, 0, 0, 0, 1, 1),
        lambda: _native.row_weights(-1, False, 0, 0, 0, 1, 1),
        lambda: _native.row_weights(2**40, False, 0, 0, 0, 2**30, 1),
        lambda: clusters([0, 2], [0, 0]),
        lambda: clusters([0, -1], [0, 0]),
        lambda: clusters([0, 1], [0, 5]),
        lambda: clusters([0, 1], [0]),
        lambda: clusters([0, 1], [0, 0], np.array([1.0, -1.0])),
        lambda: _native.replicate_areas(np.ones((3, 2)), None, one(), False, 0, 0, 0, 1, 1),
        lambda: _native.replicate_areas(np.ones((2, 3)), None, one(), False, 0, 0, 0, 1, 1),
        lambda: _native.replicate_levels(one(), np.ones((3, 2)), None, False, 0, 0, 0, 1, 1),
    ],
)
def test_what_cannot_be_drawn_from_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call()


def clusters(ids: list[int], cells: list[int], weights: Any = None) -> object:
    return _native.resample_clusters(
        np.array(ids, np.int32), np.array(cells, np.int32), weights, 2, 5, False, 0, 0, 0, 1, 1
    )


def test_arrays_of_another_kind_are_refused() -> None:
    with pytest.raises(TypeError):
        _native.resample_counts(np.ones(3), 0, 0, 0, 1, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _native.draw_totals(np.ones(4)[::2], None, False, False, 0, 0, 0, 1, 1)
    with pytest.raises(TypeError):
        _native.row_weights(3, False, -1, 0, 0, 1, 1)

"""Orders of many rows: the same bits from half keys, in any number of threads, in forks."""

from __future__ import annotations

import multiprocessing
import threading
from typing import Any

import numpy as np
import pytest

import karat
from karat import _native
from karat.data.scores.ranking import rank
from tests.kernels import reference
from tests.ranks import KINDS, column
from tests.same import assert_same

MANY = 600_000


def rows_of(kind: str, n: int, k: int, dtype: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + k)
    return column(rng, n, kind, dtype), rng.integers(0, k, n).astype(np.int32)


def plain_areas(scores: Any, codes: Any, own: int, k: int) -> Any:
    """Rows of own above and beside each row, by two searches."""
    mine = np.sort(scores[codes == own])
    above = 2 * len(mine) - np.searchsorted(mine, scores) - np.searchsorted(mine, scores, "right")
    areas = np.zeros(k, np.int64)
    np.add.at(areas, codes, above)
    areas[own] = 0
    return areas


def test_the_searches_count_pairs() -> None:
    scores, codes = rows_of("rounded", 40, 3, "f8")
    expected = [int(area) for area in reference.areas(scores, codes, 1, 3)]
    assert_same(plain_areas(scores, codes, 1, 3), expected)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("k", [2, 3, 150])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_areas_of_half_keys(dtype: str, kind: str, k: int) -> None:
    scores, codes = rows_of(kind, 9_000, k, dtype)
    # Some begin with the same bits.
    scores[::50] = np.asarray(2 + np.arange(180) % 9 * np.finfo(dtype).eps, dtype)
    assert_same(rank(scores, codes, 1, k).areas(), plain_areas(scores, codes, 1, k))


def test_half_keys_are_for_unlike_scores() -> None:
    scores, codes = rows_of("uniform", 9_000, 2, "f8")
    made = _native.pack_scores(scores, codes, 1, 2, None, 1)
    cut = made.cut()
    assert cut is not None
    with pytest.raises(ValueError, match="asked"):
        cut.areas()
    with pytest.raises(ValueError, match="asked"):
        made.areas()
    cut.sort()
    made.sort()
    assert_same(cut.areas(), made.areas())
    assert cut.words.dtype == np.uint32
    assert made.cut() is None
    for other in (np.round(scores, 3), scores.astype("f4"), scores[:100]):
        assert _native.pack_scores(other, codes[: len(other)], 1, 2, None, 1).cut() is None
    # A third of the rows in a hundred places: too many to look at again.
    crowded = np.where(codes == 1, 1 + np.round(scores, 2) * 1e-12, scores)
    words = _native.pack_scores(crowded, codes, 1, 2, None, 1)
    assert_same(rank(crowded, codes, 1, 2).areas(), plain_areas(crowded, codes, 1, 2))
    assert words.cut() is None


def test_scores_that_change_are_noticed() -> None:
    scores, codes = rows_of("uniform", 9_000, 2, "f8")
    scores[:20] = 2 + np.arange(20) * 1e-15
    cut = _native.pack_scores(scores, codes, 1, 2, None, 1).cut()
    assert cut is not None
    cut.sort()
    scores[:20] = 0.5
    with pytest.raises(RuntimeError, match="changed"):
        cut.areas()


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("kind", ["uniform", "rounded", "signed", "equal", "close"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_number_of_threads_gives_the_same_bits(dtype: str, kind: str, k: int) -> None:
    scores, codes = rows_of(kind, MANY, k, dtype)
    weights = np.random.default_rng(0).random(MANY)
    found = []
    for n_threads in (1, 2, 3, 7):
        ranked = rank(scores, codes, 1, k, None, n_threads)
        weighed = rank(scores, codes, 1, k, weights, n_threads)
        found.append(
            [
                [each.areas(), each.step_area(), each.trapezoid_area(), each.totals]
                for each in (ranked, weighed)
            ]
        )
        cumulatives = [
            rank(scores, codes, 1, k, None, n_threads).cumulative() for n_threads in (1, 3)
        ]
    assert_same(found[0][0][0], plain_areas(scores, codes, 1, k))
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                assert_same(a, b)
    assert_same(cumulatives[0].scores, cumulatives[1].scores)
    assert_same(cumulatives[0].counts, cumulatives[1].counts)


def test_threads_of_python_sort_at_the_same_time() -> None:
    scores, codes = rows_of("uniform", MANY, 2, "f8")
    expected = karat.roc_auc(codes, y_score=scores, n_threads=1)
    precision = karat.average_precision(codes, y_score=scores, n_threads=1)
    found: list[tuple[float, float]] = []

    def work() -> None:
        for _ in range(3):
            area = karat.roc_auc(codes, y_score=scores, n_threads=3)
            found.append((area, karat.average_precision(codes, y_score=scores, n_threads=3)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(expected, precision)] * 12


def _area(n_threads: int) -> float:
    scores, codes = rows_of("uniform", MANY, 2, "f8")
    return float(karat.roc_auc(codes, y_score=scores, n_threads=n_threads))


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="there are no forks here"
)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_sorts_with_threads_of_its_own() -> None:
    expected = _area(2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_area, [2, 3, 1]) == [expected] * 3

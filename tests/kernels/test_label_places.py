"""Where true labels stand among the scores of their row, against plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.kernels.test_label_sets import ITEMS, STARTS, lists, some_sets


def plainly(scores: np.ndarray, true: np.ndarray, known: np.ndarray) -> list[list[int]]:
    """Above, tied, above and true, tied and true, tied and before: of each true label.

    A label without a score is NaN.
    """
    found: list[list[int]] = []
    for row, is_true, is_known in zip(scores, true, known, strict=True):
        ranked = is_known & ~np.isnan(row)
        for j in np.flatnonzero(is_true):
            if np.isnan(row[j]):
                found.append([int(ranked.sum()), 0, int((ranked & is_true).sum()), 0, 0])
                continue
            above, tied = ranked & (row > row[j]), ranked & (row == row[j])
            sums = [above, tied, above & is_true, tied & is_true, tied[:j]]
            found.append([int(each.sum()) for each in sums])
    return found


def placed(
    scores: np.ndarray, true: np.ndarray, unknown: np.ndarray | None, n_threads: int = 1
) -> Any:
    gone = (None, None) if unknown is None else lists(unknown)
    return _native.place_labels(scores, *lists(true), *gone, n_threads)


# Of 300 labels half are true: they are sorted; else each is compared.
SHAPES = [(0, 3), (1, 1), (40, 5), (30, 100), (12, 300), (2, 0)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n_values", [2, 1000])
@pytest.mark.parametrize(("n", "k"), SHAPES)
def test_places_are_those_of_a_loop(n: int, k: int, n_values: int, dtype: str) -> None:
    true, other, unknown, _ = some_sets(5, n, k)
    true = (true | other) & ~unknown
    scores = np.random.default_rng([n, k]).integers(0, n_values, (n, k)).astype(dtype)
    for gone in (None, unknown):
        known = np.ones((n, k), bool) if gone is None else ~gone
        found, ranked = placed(scores, true, gone)
        wanted = np.array(plainly(scores, true, known), np.int32).reshape(-1, 5)
        assert found.dtype == ranked.dtype == np.int32
        assert np.array_equal(found.T, wanted)
        assert np.array_equal(ranked, known.sum(axis=1))


@pytest.mark.parametrize("share", [0.1, 0.9])
@pytest.mark.parametrize(("n", "k"), SHAPES)
def test_places_among_listed_labels_are_those_of_a_loop(n: int, k: int, share: float) -> None:
    true, other, unknown, _ = some_sets(6, n, k)
    true = (true | other) & ~unknown
    rng = np.random.default_rng([n, k, 7])
    scores = rng.integers(0, 5, (n, k)).astype(float)
    listed = rng.random((n, k)) < share
    for gone in (None, unknown):
        of_gone = (None, None) if gone is None else lists(gone)
        found, ranked = _native.place_listed(
            *lists(listed), scores[listed], *lists(true), *of_gone, k, 1
        )
        known = np.ones((n, k), bool) if gone is None else ~gone
        wanted = plainly(np.where(listed, scores, np.nan), true, known)
        assert np.array_equal(found.T, np.array(wanted, np.int32).reshape(-1, 5))
        assert np.array_equal(ranked, (known & listed).sum(axis=1))


def test_a_score_that_differs_is_seen() -> None:
    true, _, _, _ = some_sets(8, 40, 5)
    scores = np.random.default_rng(8).random((40, 5))
    honest = placed(scores, true, None)[0]
    scores[7] = scores[7, ::-1]
    true[7] = [True, True, False, False, False]
    assert not np.array_equal(placed(scores, true, None)[0], honest)


def test_threads_place_the_same() -> None:
    true, _, unknown, _ = some_sets(9, 20_000, 30)
    scores = np.random.default_rng(9).integers(0, 9, (20_000, 30)).astype(float)
    one = placed(scores, true, unknown)
    for n_threads in (2, 5):
        more = placed(scores, true, unknown, n_threads)
        assert all(np.array_equal(a, b) for a, b in zip(one, more, strict=True))


SCORES = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("scores", "sides", "kind"),
    [
        (np.where(SCORES == 5, np.nan, SCORES), (STARTS, ITEMS, None, None), ValueError),
        (SCORES.astype(np.int64), (STARTS, ITEMS, None, None), TypeError),
        (SCORES.astype(np.float16), (STARTS, ITEMS, None, None), TypeError),
        (np.asfortranarray(SCORES), (STARTS, ITEMS, None, None), ValueError),
        (SCORES[:1], (STARTS, ITEMS, None, None), ValueError),
        (SCORES[:, :2].copy(), (STARTS, ITEMS, None, None), ValueError),
        (SCORES, (STARTS, ITEMS.astype(np.int64), None, None), TypeError),
        (SCORES, (np.array([0, 2, 4]), ITEMS, None, None), ValueError),
        (SCORES, (STARTS, ITEMS, STARTS, ITEMS), ValueError),
        (SCORES, (STARTS, ITEMS, STARTS[:2], ITEMS[:2]), ValueError),
        (SCORES, (STARTS, ITEMS, STARTS, np.array([3, 1, 0], np.int32)), ValueError),
    ],
)
def test_what_cannot_be_placed_is_refused(scores: Any, sides: Any, kind: type[Exception]) -> None:
    _native.place_labels(SCORES, STARTS, ITEMS, None, None, 1)
    with pytest.raises(kind):
        _native.place_labels(scores, *sides, 1)


@pytest.mark.parametrize(
    ("listed", "scores", "k", "kind"),
    [
        ((STARTS, ITEMS), np.array([1.0, np.nan, 2.0]), 3, ValueError),
        ((STARTS, ITEMS), np.ones(2), 3, ValueError),
        ((STARTS, ITEMS), np.ones(3, np.float32), 3, TypeError),
        ((STARTS, ITEMS), np.ones(3), 2, ValueError),
        ((STARTS, ITEMS), np.ones(3), -1, ValueError),
        ((STARTS, np.array([2, 0, 1], np.int32)), np.ones(3), 3, ValueError),
        ((STARTS[:2], ITEMS[:2]), np.ones(2), 3, ValueError),
    ],
)
def test_lists_that_cannot_be_placed_are_refused(
    listed: Any, scores: Any, k: int, kind: type[Exception]
) -> None:
    given = STARTS, ITEMS, np.ones(3), STARTS, ITEMS, None, None, 3, 1
    _native.place_listed(*given)
    with pytest.raises(kind):
        _native.place_listed(*listed, scores, STARTS, ITEMS, None, None, k, 1)

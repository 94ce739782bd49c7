"""What thresholds call positive, and walks that leave blocks out: against the whole walk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.curves._simplify import pooled_hull, upper_hull
from karat.data.scores.ranking import rank
from karat.metrics import ClassRanks
from karat.metrics._views import largest
from karat.tally import CumulativeCounts, Steps
from tests.same import assert_same

KINDS = ["different", "few", "one", "close", "none"]


def column(kind: str, n: int, dtype: str = "f8") -> tuple[Any, Any]:
    """Scores of which many, few or none are equal, and 0 or 1; close: but for the last bits."""
    rng = np.random.default_rng(n)
    n = 0 if kind == "none" else n
    y = rng.integers(0, 2, n).astype(np.int32)
    scores = {
        "different": rng.random(n) + 0.3 * y,
        "few": np.round(rng.random(n), 2),
        "one": np.full(n, 0.5),
        "close": 0.5 + rng.integers(0, 4, n) * 2.0**-52,
        "none": np.empty(0),
    }[kind]
    return scores.astype(dtype), y


@pytest.mark.parametrize("names_rows", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [1, 5, 2048, 2049, 30_011])
@pytest.mark.parametrize("kind", KINDS)
def test_points_are_those_of_cumulative_counts(
    kind: str, n: int, dtype: str, *, names_rows: bool
) -> None:
    scores, y = column(kind, n, dtype)
    wanted = CumulativeCounts.of(scores, y)
    made = rank(scores, y, 1, 2, names_rows=names_rows)
    for found, want in zip(made.points(), wanted.points(), strict=True):
        assert_same(found, want)
    held = rank(scores, y, 1, 2, names_rows=names_rows).cumulative()
    assert_same(held.scores, wanted.scores)
    assert_same(held.counts, wanted.counts)


def test_points_of_weighted_rows_are_sums_of_weights() -> None:
    scores, y = column("few", 500)
    weights = np.random.default_rng(1).random(500)
    found = rank(scores, y, 1, 2, weights).points()
    for one, other in zip(found, CumulativeCounts.of(scores, y, weights).points(), strict=True):
        assert_same(one, other, within=1e-12)
    packed = _native.pack_scores(scores, y, 1, 2, weights, 1, True)
    packed.sort()
    with pytest.raises(ValueError, match="no counts"):
        packed.points(wants_counts=True)
    with pytest.raises(ValueError, match="no counts"):
        packed.steps(500, 0, 10)


def test_steps_begin_within_the_words() -> None:
    scores, y = column("different", 500)
    packed = _native.pack_scores(scores, y, 1, 2, None, 1, False)
    packed.sort()
    for last, own, limit in (
        (501, 0, 1),
        (-1, 0, 1),
        (500, 1, 1),
        (400, 101, 1),
        (9, -1, 1),
        (9, 0, 0),
    ):
        with pytest.raises(IndexError, match="last must be a number of words"):
            packed.steps(last, own, limit)


GAINS: dict[str, tuple[Any, bool]] = {
    "difference": (lambda at: at.tps - at.fps, True),
    "opposite": (lambda at: at.fps - at.tps, False),
    "f1": (lambda at: 2.0 * at.tps / (4000.0 + at.tps + at.fps), True),
    "precise enough": (lambda at: np.where(at.tps >= 0.7 * (at.tps + at.fps), at.tps, 0.0), True),
}


@pytest.mark.parametrize("n_held", [-1, 1 << 21])
@pytest.mark.parametrize("kind", ["different", "few", "close"])
@pytest.mark.parametrize("name", GAINS)
def test_the_largest_gain_is_that_of_the_whole_walk(
    name: str, kind: str, n_held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.metrics._views.N_BLOCK", 64)
    monkeypatch.setattr("karat.data.scores.ranking.N_BLOCK", 64)
    monkeypatch.setattr("karat.metrics._views.N_HELD", n_held)
    gain, rises = GAINS[name]
    view, seen = ClassRanks(rank(*column(kind, 20_000), 1, 2)), []

    def watched(at: Steps) -> Any:
        seen.append(len(at.tps))
        return gain(at)

    assert largest(view, watched, rises=rises) == largest(view, gain, rises=None)
    if kind == "different":
        assert sum(seen) < 20_000 / 2, "few blocks were skipped"
    # A gain that does not rise as it is said to is found wrong: the bound is read.
    if (name, kind) == ("difference", "different"):
        assert largest(view, gain, rises=False) != largest(view, gain, rises=None)


def test_gains_below_what_is_enough_need_not_be_found() -> None:
    view = ClassRanks(rank(*column("different", 40_000), 1, 2))
    gain, _ = GAINS["difference"]
    most = largest(view, gain)[0]
    assert largest(view, gain, at_least=most)[0] == most
    assert largest(view, gain, at_least=most + 1.0)[0] < most + 1.0


@pytest.mark.parametrize("n", [2, 50, 4097, 30_011])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_of_the_isotonic_regression_are_edges_of_the_hull(kind: str, n: int) -> None:
    view = ClassRanks(rank(*column(kind, n), 1, 2))
    _, tps, fps = view.points
    assert_same(pooled_hull(view), upper_hull(fps, tps))


def test_weighted_rows_have_no_pooled_hull() -> None:
    assert pooled_hull(ClassRanks(rank(*column("few", 50), 1, 2, np.ones(50)))) is None

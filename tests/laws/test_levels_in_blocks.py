"""Long columns are walked in blocks: they give what held ones give."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.scores.ranking import Ranked, rank
from karat.errors import UndefinedWarning
from karat.metrics import all_records
from karat.metrics._views import PER_CLASS_VIEWS, ClassProbabilities, ClassRanks, Confidences
from karat.tally import Bins, CumulativeCounts, WalkedSteps, cumulated, quantile_edges
from karat.tally.cumulative_counts import ends_of
from tests.same import assert_same

N = 30_000


@contextmanager
def walked(monkeypatch: pytest.MonkeyPatch, n_block: int) -> Iterator[None]:
    """No column is held, and blocks have so many score levels."""
    with monkeypatch.context() as patched:
        patched.setattr("karat.metrics._views.N_HELD", -1)
        patched.setattr("karat.metrics._views.N_BLOCK", n_block)
        patched.setattr("karat.tally.cumulative_counts.N_BLOCK", n_block)
        patched.setattr("karat.data.scores.ranking.N_BLOCK", n_block)
        yield


def problem(k: int, kind: str, *, n: int, is_weighted: bool) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    y_true = rng.integers(0, k, n)
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), y_true] += 1.5
    if kind == "ties":
        scores = np.round(scores, 1)
    if kind == "rare":
        y_true = np.where(rng.random(n) < 0.001, y_true, 0)
        y_true[:k] = np.arange(k)
    prob = np.exp(scores)
    prob /= prob.sum(axis=1, keepdims=True)
    weights = None
    if is_weighted:
        weights = rng.integers(0, 3, n) / 2 * rng.random(n)
    return {"y_true": y_true, "y_prob": prob, "weights": weights}


def every_metric(call: dict[str, Any]) -> dict[str, Any]:
    """Each metric that walks cumulative counts, of each class where it can be."""
    found = {}
    for record in all_records():
        if record.reads not in (*PER_CLASS_VIEWS, Confidences):
            continue
        average: dict[str, Any] = {"average": None} if record.is_per_class else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            found[record.name] = getattr(karat, record.name)(**call, **average)
    return found


CASES = [
    pytest.param(k, kind, w, id=f"{k}-{kind}-{'weighted' if w else 'rows'}")
    for k in (2, 3)
    for kind in ("plain", "ties", "rare")
    for w in (False, True)
]


@pytest.mark.parametrize(("k", "kind", "is_weighted"), CASES)
def test_metrics_of_walked_columns(
    k: int, kind: str, is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = problem(k, kind, n=3000, is_weighted=is_weighted)
    held = every_metric(call)
    assert len(held) > 25
    for n_block in (1, 7, 1000, 1 << 14):
        if n_block == 1 and kind != "ties":
            continue  # a block a row takes minutes
        with walked(monkeypatch, n_block):
            for name, value in every_metric(call).items():
                assert_same(value, held[name], within=2e-9, about=f"{name}, blocks of {n_block}")


def ranked_of(kind: str, *, is_weighted: bool) -> Ranked:
    call = problem(2, kind, n=3000, is_weighted=is_weighted)
    y, p, weights = call["y_true"].astype(np.int32), call["y_prob"][:, 1], call["weights"]
    return rank(p, y, 1, 2, weights)


def assert_same_blocks(found: Iterable[Any], expected: Iterable[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        for part, known in zip(one, other, strict=True):
            assert np.asarray(part).dtype == np.asarray(known).dtype
            assert_same(part, known)


@pytest.mark.parametrize("n_block", [1, 100, 2048, 1 << 14])
@pytest.mark.parametrize("kind", ["plain", "ties", "rare"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_steps_of_sorted_rows_are_cumulated_levels(
    kind: str, n_block: int, is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked = ranked_of(kind, is_weighted=is_weighted)
    with walked(monkeypatch, n_block):
        view = ClassRanks(ranked)
        assert view.levels is ranked
        assert ClassProbabilities.beside(view).levels is ranked
        expected = list(cumulated(ranked))
        for _ in range(2):  # they can be read again
            assert_same_blocks(view.steps(), expected)
        ends = ends_of(view.steps())
        assert_same(ends, ends_of(iter(expected)))
        assert ends[:, -1].sum() == len(ranked.cumulative().scores)
        if not is_weighted:
            steps = view.steps()
            assert isinstance(steps, WalkedSteps)
            backwards = [steps[i] for i in reversed(range(len(expected)))]
            assert_same_blocks(backwards, expected[::-1])


def test_a_walk_from_another_count_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = ranked_of("plain", is_weighted=False)._sorted
    with walked(monkeypatch, 100):
        _, tps, fps, left, own = packed.steps(3000, 0, 100)
        assert (own, left) == (tps[-1], 3000 - tps[-1] - fps[-1])
        below, other = packed.steps(left, own, 100), packed.steps(left, own - 1, 100)
    assert_same(below[1], other[1] + 1.0)
    assert_same(below[2], other[2] - 1.0)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("roc_auc", {"max_fpr": 0.1}),
        ("gain_at", {"share": 1.0}),
        ("gain_at", {"share": 0.3}),
        ("precision_at_k", {"k": 500}),
        ("recall_at_precision", {"min_precision": 0.97}),
        ("f_beta_threshold", {"beta": 2.0}),
        ("cost_threshold", {"costs": [[0.0, 1.0], [5.0, 0.0]]}),
        ("min_cost", {"costs": [[0.0, 1.0], [0.001, 0.0]]}),
        ("adaptive_calibration_error", {"closed": "left", "bins": 7}),
        ("expected_calibration_error", {"scheme": "quantile", "bins": 40}),
        ("expected_calibration_error_if_calibrated", {"bins": 500}),
        ("debiased_calibration_error", {"closed": "left"}),
    ],
)
def test_parameters_of_walked_columns(
    name: str, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_weighted in (False, True):
        call = problem(2, "plain", n=3000, is_weighted=is_weighted)
        held = getattr(karat, name)(**call, **params)
        with walked(monkeypatch, 64):
            assert_same(getattr(karat, name)(**call, **params), held, within=1e-12)


@pytest.mark.parametrize(("k", "kind", "is_weighted"), CASES)
def test_curves_of_walked_columns(
    k: int, kind: str, is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = problem(k, kind, n=N, is_weighted=is_weighted)
    held = karat.evaluate(**call).curves
    with walked(monkeypatch, 500):
        found = karat.evaluate(**call).curves
    for of_class, expected in zip(found.kept, held.kept, strict=True):
        assert of_class.points.n_full == expected.points.n_full
        for part in ("thresholds", "tps", "fps"):
            assert_same(getattr(of_class.points, part), getattr(expected.points, part))
        assert of_class.errors == expected.errors
        assert of_class.cost_area == expected.cost_area
        assert of_class.n_cost == expected.n_cost
        assert_same(of_class.decided, expected.decided)


def test_one_level_less_in_a_block_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    call = problem(2, "plain", n=3000, is_weighted=False)
    held = every_metric(call)
    blocks = CumulativeCounts.blocks

    def lossy(cumulative: CumulativeCounts) -> Iterator[Any]:
        for i, levels in enumerate(blocks(cumulative)):
            yield levels if i else type(levels)(levels.scores[:-1], levels.counts[:-1], None)

    monkeypatch.setattr(CumulativeCounts, "blocks", lossy)
    changed = [
        name for name, value in every_metric(call).items() if not np.array_equal(value, held[name])
    ]
    assert len(changed) > 10


def test_bins_and_edges_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    for weights in (None, rng.integers(0, 4, 5000) / 4):
        cumulative = CumulativeCounts.of(
            np.round(rng.random(5000), 3), rng.random(5000) < 0.4, weights
        )
        for closed in ("left", "right"):
            edges = quantile_edges(cumulative, 13, closed)
            bins = Bins.of(cumulative, edges, closed)
            with walked(monkeypatch, 17):
                assert len(list(cumulated(cumulative))) > 50
                assert_same(quantile_edges(cumulative, 13, closed), edges)
                again = Bins.of(cumulative, edges, closed)
            for name in ("weight", "confidence", "hits", "variance", "scatter", "squares"):
                assert_same(getattr(again, name), getattr(bins, name), within=1e-12, about=name)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_metrics_of_a_few_rows_in_blocks(
    is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = problem(2, "plain", n=40, is_weighted=is_weighted)
    held = every_metric(call)
    for n_block in (1, 7):
        with walked(monkeypatch, n_block):
            blocks = every_metric(call)
        for name, value in held.items():
            assert_same(blocks[name], value, within=1e-9, about=name)

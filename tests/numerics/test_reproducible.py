"""The same bits whatever the threads, the instruction set, the batches and their order."""

from __future__ import annotations

from typing import Any

import pytest

import karat
from karat import _native
from karat.metrics import Losses, error_bound, get
from tests.numerics.reproduce import (
    Values,
    asked,
    differing,
    instructions,
    merged,
    of_stream,
    rows,
    streamed,
    values,
)

THREADS = {True: (2, 3, 7, 16, 100), False: (3, 100)}
KINDS = [(2, False), (2, True), (3, False), (3, True)]


@pytest.mark.parametrize(("k", "weighted"), KINDS)
def test_threads_and_instructions_change_no_bit(k: int, weighted: bool) -> None:
    """Rows enough for every native pass to have threads."""
    call = rows(210_000 // (k - 1), k, weighted=weighted)
    alone = values(call, k, reading=karat.Reading(n_threads=1))
    assert {get(name) for name in alone} >= set(asked(k))
    for n_threads in THREADS[weighted]:
        assert (
            differing(alone, values(call, k, reading=karat.Reading(n_threads=n_threads))) == []
        ), n_threads
    for isa in _native.isas():
        with instructions(isa):
            assert differing(alone, values(call, k, reading=karat.Reading(n_threads=2))) == [], isa


def test_sums_in_another_order_would_be_seen() -> None:
    """The control: rows turned round are the same rows, and their sums other bits."""
    call = rows(20_000, 3, weighted=True)
    turned = {name: part[::-1].copy() for name, part in call.items()}
    changed = differing(values(call, 3), values(turned, 3))
    assert {"accuracy", "log_loss", "macro_f1"} & set(changed)


def within_bounds(found: Values, right: Values, call: Any, k: int) -> list[str]:
    """Names of the values that differ by more than twice what rounding may do."""
    weights = call.get("weights")
    spread = None if weights is None else float(weights.sum() / weights.min())
    far = []
    for name in differing(found, right):
        bound = error_bound(get(name), len(call["y_true"]), k, spread=spread)
        scale = 1e3 if bound.scale != "1" else 1.0
        if not abs(found[name] - right[name]) <= 2 * bound.at(right[name], scale):
            far.append(name)
    return far


@pytest.mark.parametrize(("k", "weighted"), KINDS)
def test_batches_in_their_order_change_no_bit(k: int, weighted: bool) -> None:
    call = rows(3000, k, weighted=weighted)
    at_once = values(call, k)
    for sizes in ([3000], [1000], [1, 7, 500], [37]):
        assert differing(of_stream(streamed(call, k, sizes)), at_once) == [], sizes
    assert differing(of_stream(merged(call, k, range(5), 5)), at_once) == []


@pytest.mark.parametrize(("k", "weighted"), KINDS)
def test_merges_in_another_order_change_rounding_alone(k: int, weighted: bool) -> None:
    """Without weights of means of losses alone: all else is counted before it is divided."""
    call = rows(3000, k, weighted=weighted)
    at_once = values(call, k)
    for order in ([4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        found = of_stream(merged(call, k, order, 5))
        assert within_bounds(found, at_once, call, k) == [], order
        if not weighted:
            changed = differing(found, at_once)
            assert {get(name).record.reads for name in changed} <= {Losses}, order


def test_a_batch_that_is_lost_would_be_seen() -> None:
    call = rows(3000, 3, weighted=False)
    short = {name: part[:-1] for name, part in call.items()}
    found = of_stream(streamed(short, 3, [37]))
    assert "accuracy" in within_bounds(found, values(call, 3), call, 3)

"""The sort of words: against NumPy's, of every kind and size, in threads, and ended by Ctrl-C."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.ranks import KINDS, column
from tests.same import assert_same

EXAMPLES = settings(max_examples=200, deadline=None)
SIZES = (0, 1, 2, 32, 33, 256, 1000, 4096, 4097, 33_000, 120_000)

SHAPES: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "any": lambda rng, n: rng.integers(0, 2**64, n, np.uint64),
    "few": lambda rng, n: rng.integers(0, 9, n).astype(np.uint64) << np.uint64(29),
    "ends": lambda rng, n: rng.choice(np.array([0, 2**64 - 1], np.uint64), n),
    "every size": lambda rng, n: (
        rng.integers(0, 2**64, n, np.uint64) >> rng.integers(0, 64, n).astype(np.uint64)
    ),
    "sorted": lambda rng, n: np.sort(rng.integers(0, 2**64, n, np.uint64)),
    "reversed": lambda rng, n: np.sort(rng.integers(0, 2**20, n, np.uint64))[::-1],
    "nearly": lambda rng, n: np.arange(n, dtype=np.uint64) ^ (rng.random(n) < 0.01),
    "two runs": lambda rng, n: np.arange(n, dtype=np.uint64) % np.uint64(max(n // 2, 1)),
    "crowded": lambda rng, n: np.where(
        rng.random(n) < 0.95, rng.integers(0, 5000, n), rng.integers(0, 2**62, n)
    ).astype(np.uint64),
    "a digit in two": lambda rng, n: (
        rng.integers(0, 40, n).astype(np.uint64) << np.uint64(50)
        | rng.integers(0, 300, n).astype(np.uint64)
    ),
}


@given(
    st.sampled_from(sorted(SHAPES)),
    st.sampled_from(SIZES) | st.integers(0, 6000),
    st.integers(0, 2**32),
    st.integers(1, 3),
)
@EXAMPLES
def test_keys_come_in_their_order(shape: str, n: int, seed: int, n_threads: int) -> None:
    keys = np.ascontiguousarray(SHAPES[shape](np.random.default_rng(seed), n))
    given = keys.copy()
    assert_same(_native.sorted_keys(keys, n_threads), np.sort(keys))
    assert_same(keys, given)


@pytest.mark.parametrize("n", [0, 1, 33, 5000, 130_000])
@pytest.mark.parametrize("kind", ["unit", "wide", "both sides", "few", "ends"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_numbers_come_in_their_order(kind: str, n: int, n_threads: int) -> None:
    rng = np.random.default_rng(n)
    ends = np.array([-np.inf, np.inf, -0.0, 0.0, 5e-324, -5e-324, 1.7e308, -1.7e308])
    made = {
        "unit": rng.random(n),
        "wide": np.exp(rng.normal(0, 100, n)),
        "both sides": rng.normal(size=n),
        "few": rng.integers(-3, 3, n) / 2,
        "ends": rng.choice(ends, n),
    }[kind]
    before = made.copy()
    found = _native.sorted_numbers(made, n_threads)
    assert found.tolist() == np.sort(made).tolist()
    assert np.signbit(found).sum() == np.signbit(made).sum()
    assert_same(made, before)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (np.array([1.0, np.nan]), ValueError),
        (np.array([-np.nan, 1.0]), ValueError),
        (np.arange(4), TypeError),
        (np.zeros((2, 2)), TypeError),
        (np.zeros(9)[::2], TypeError),
        (None, TypeError),
    ],
)
def test_what_has_no_order_is_refused(given: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _native.sorted_numbers(given, 1)


@pytest.mark.parametrize("n", [0, 1, 33, 4095, 5000, 130_000])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_words_of_scores_come_in_their_order(dtype: str, kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    scores, codes = column(rng, n, kind, dtype), rng.integers(0, 3, n).astype(np.int32)
    for weights in (None, rng.random(n)):
        expected = np.sort(_native.pack_scores(scores, codes, 1, 3, weights, 1).words)
        for n_threads in (1, 2, 3):
            made = _native.pack_scores(scores, codes, 1, 3, weights, n_threads)
            made.sort()
            # Those that were asked for before are sorted where they were seen.
            seen = _native.pack_scores(scores, codes, 1, 3, weights, n_threads)
            words = seen.words
            seen.sort()
            # Equal scores without room for all bits get another order when they are settled.
            settled = _native.pack_scores(scores, codes, 1, 3, weights, n_threads)
            settled.words[:] = expected
            settled.settle()
            for each in (made.words, words):
                assert_same(each, settled.words)


def sort_on(words: Any) -> None:
    while True:
        words.sort()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_interrupt_ends_a_long_sort(n_threads: int) -> None:
    scores = np.random.default_rng(0).random(1 << 24, np.float32)
    codes = (scores > 0.4).astype(np.int32)
    made = _native.pack_scores(scores, codes, 1, 2, None, n_threads)
    start = time.perf_counter()
    made.sort()
    whole = time.perf_counter() - start

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for part in (0.1, 0.3, 0.6):
            ended = _native.pack_scores(scores, codes, 1, 2, None, n_threads)
            signal.setitimer(signal.ITIMER_REAL, whole * part)
            with pytest.raises(KeyboardInterrupt):
                sort_on(ended)
            ended.sort()
            assert_same(ended.areas(), made.areas())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

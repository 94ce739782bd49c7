"""Objects of the native core that several threads use at once: the others wait for their turn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from karat import _native

N, N_THREADS, ROUNDS = 400_000, 4, 8


def together(*works: Callable[[], Any]) -> list[Any]:
    """What each of them returns, begun at the same time."""
    start = threading.Barrier(len(works))

    def begun(work: Callable[[], Any]) -> Any:
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begun, works))


@pytest.fixture(scope="module")
def pack() -> Callable[[], Any]:
    """Makes columns of the same rows, not sorted."""
    rng = np.random.default_rng(0)
    values, codes = rng.random(N), rng.integers(0, 2, N).astype(np.int32)
    return lambda: _native.pack_scores(values, codes, 1, 2, None, 2, False)


def test_a_column_that_many_threads_sort_is_sorted_once_after_the_other(
    pack: Callable[[], Any],
) -> None:
    alone = pack()
    alone.sort()
    right = alone.areas()
    for _ in range(ROUNDS):
        column = pack()
        together(*[column.sort] * N_THREADS)
        np.testing.assert_array_equal(column.areas(), right)
        cut = pack().cut()
        together(*[cut.sort] * N_THREADS)
        np.testing.assert_array_equal(cut.areas(), right)


def test_columns_of_several_calls_are_sorted_once_after_the_other(pack: Callable[[], Any]) -> None:
    first, second = pack(), pack()
    calls = [
        lambda: _native.areas_together([first, second], 2),
        lambda: _native.areas_together([second, first], 2),
        lambda: (first.sort(), first.areas())[1],
    ]
    for found in together(*calls, *calls):
        np.testing.assert_array_equal(np.ravel(found)[:2], first.areas())


def test_labels_are_whole_while_another_thread_adds_some() -> None:
    numbers = np.arange(180_000).astype("S40")
    texts = np.split(np.char.add(b"label-", numbers).astype("S56"), 3)
    encoder, is_done = _native.TextEncoder(), threading.Event()

    def add() -> None:
        for each in texts:
            encoder.encode_bytes(each.view(np.uint8).reshape(len(each), -1))
        is_done.set()

    def read() -> int:
        n_reads = 0
        while not is_done.is_set():
            assert len(encoder) <= 180_000
            assert all(label.startswith("label-") for label in encoder.labels())
            n_reads += 1
        return n_reads

    together(add, read, read)
    assert len(encoder.labels()) == len(encoder) == 180_000

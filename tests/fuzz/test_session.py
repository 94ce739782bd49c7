"""The fuzzer's own reading of what an input takes."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fuzz import session


def test_counters_that_threads_still_change_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    counters, ends = np.zeros(1 << 16, np.uint8), threading.Event()

    def count_on() -> None:
        while not ends.is_set():
            counters[1::2] ^= 1

    def run(*_: Any) -> None:
        counters[::2] = 1

    monkeypatch.setattr(session, "run", run)
    native: Any = SimpleNamespace(fuzz_counters=lambda _: counters)
    thread = threading.Thread(target=count_on)
    thread.start()
    try:
        for _ in range(300):
            assert len(session.edges_of(native, lambda _: None, b"")) >= len(counters) // 2
    finally:
        ends.set()
        thread.join()

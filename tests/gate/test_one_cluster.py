"""Rows of one cluster say nothing about others: verdicts wait for a second."""

from __future__ import annotations

import numpy as np
import pytest

import karat


def test_a_first_batch_of_one_cluster_is_inconclusive() -> None:
    rng = np.random.default_rng(0)
    monitor = karat.Monitor(
        min={"accuracy": 0.3}, max_drop={"accuracy": 0.5}, design=karat.Looks(200)
    )
    for day in range(10):
        y = rng.integers(0, 2, 40)
        pred, old = (np.where(rng.random(40) < 0.9, y, 1 - y) for _ in range(2))
        found = monitor.add(y, pred, baseline=old, clusters=[f"day {day}"] * 40)
        assert ("D135" in [one.code for one in found.doubts]) is (day < 9)
        is_first = day == 0
        for rule in found.rules:
            assert ("one cluster so far" in rule.reason) is is_first
            assert (rule.low is None) is is_first
        if is_first:
            assert found.verdict == "INCONCLUSIVE"
            # It goes on from its bytes.
            monitor = karat.Monitor.from_bytes(monitor.to_bytes())
            assert monitor.result.rules == found.rules
    assert found.verdict == "PASS"


def test_a_gate_of_one_cluster_is_refused() -> None:
    y = np.arange(40) % 2
    with pytest.raises(karat.InputError, match="K145"):
        karat.gate(y, y, clusters=["one day"] * 40, min={"accuracy": 0.5})

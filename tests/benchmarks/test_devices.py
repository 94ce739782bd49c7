"""The benchmark of devices runs, and its answers hold, on tensors of the host."""

from __future__ import annotations

import pytest

from tests.optional import optional

optional("torchmetrics")

from benchmarks import devices  # noqa: E402


def test_the_benchmark_of_devices_runs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--labels", "20000", "--rows", "30000", "--rounds", "1"]
    assert devices.main(words) == 0
    told = capsys.readouterr().out
    assert "20000 labels of int64, 10 classes" in told
    assert told.count("karat, every table and loss") == 2

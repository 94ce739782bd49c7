"""Streams of two processes of torch.distributed become one, in both of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat.errors import KaratError
from tests.architecture.tracked import ROOT
from tests.devices.ranks import streams
from tests.devices.rows import differences

N_RANKS = 2


def test_every_process_holds_the_whole(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.devices.ranks", str(rank), str(N_RANKS),
             str(tmp_path)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for rank in range(N_RANKS)
    ]  # fmt: skip
    try:
        said = [run.communicate(timeout=120)[0] for run in runs]
    finally:
        for run in runs:
            run.kill()
    assert [run.returncode for run in runs] == [0] * N_RANKS, "\n".join(said)
    whole = streams(None)
    for i, (name, expected) in enumerate(whole.items()):
        digests = {(tmp_path / f"{rank}-{i}.sha").read_text() for rank in range(N_RANKS)}
        assert len(digests) == 1, name
        found = karat.Stream.from_bytes((tmp_path / f"{i}.stream").read_bytes())
        assert found.n_rows == expected.n_rows, name
        if expected.n_rows:
            assert differences(found.report(), expected.report()) == [], name
    of_one, of_other = ((tmp_path / f"{rank}.said").read_text() for rank in range(N_RANKS))
    assert "The process of rank 1 could not hand over its stream" in of_one
    assert "y_true has labels that are not among" in of_other


def test_without_processes_there_is_nothing_to_reduce() -> None:
    with pytest.raises(KaratError, match="without a group of processes") as found:
        karat.Stream().all_reduce()
    assert found.value.code == "K216"

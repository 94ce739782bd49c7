"""Memory of a read with scores is the matrix and little more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.sources.writing import write_rows

PROGRAM = """
import sys
from pathlib import Path

def peak_kb():
    # A child's ru_maxrss starts at its parent's; the high-water mark of /proc is its own.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])

from karat.data.sources.files.rows import rows_of_files
rows = rows_of_files(sys.argv[1], where=sys.argv[3] or None, labels=range(9, -1, -1))
assert rows.scores.values.shape == (int(sys.argv[2]), 10), rows.scores.values.shape
print(peak_kb() // 1024)
"""
N_ROWS = (100_000, 3_000_000)
MATRIX_MB = N_ROWS[1] * 10 * 8 // 2**20
BESIDE_MB = 150
"""Labels and kept rows, what the matrix grew too far by, and DuckDB's own buffers."""


def peak_mb(path: Path, n_rows: int, where: str) -> int:
    """Peak memory of a process that does nothing but read the rows."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(n_rows), where],
        capture_output=True,
        check=True,
        text=True,
    )
    return int(run.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("where", ["", "proba_0 >= 0"], ids=["rows known", "rows not known"])
def test_peak_memory_is_the_matrix_and_a_constant(where: str, tmp_path: Path) -> None:
    columns = ", ".join(f"(hash(i + {j}) % 1000) / 10000 AS proba_{j}" for j in range(10))
    peaks = []
    for n_rows in N_ROWS:
        rows = f"SELECT (hash(i) % 10)::BIGINT AS label, {columns} FROM range({n_rows}) AS t(i)"
        path = write_rows(tmp_path / f"{n_rows}.parquet", rows)
        peaks.append(peak_mb(path, n_rows, where))
    assert abs(peaks[1] - peaks[0] - MATRIX_MB) < BESIDE_MB, (peaks, MATRIX_MB)


REPORT = """
import json
import sys
from pathlib import Path

import numpy as np

def kb(name):
    return int(Path("/proc/self/status").read_text().split(name)[1].split()[0])

import karat
y, scores = (np.load(Path(sys.argv[1]) / f"{name}.npy") for name in ("y", "scores"))
given = {sys.argv[2]: scores, **json.loads(sys.argv[3])}
# What is imported when it is first needed is no memory of the rows.
karat.evaluate(y[:5000], **given | {sys.argv[2]: scores[:5000]})
before = kb("VmRSS:")
karat.evaluate(y, **given)
print((kb("VmHWM:") - before) * 1024 / len(y))
"""


def bytes_a_row(folder: Path, argument: str, **more: object) -> float:
    """Most memory of a report beside its inputs: 3 million rows of 4 classes, float32.

    Two threads on every machine: each one more has a column of its own.
    """
    rng = np.random.default_rng(0)
    n, k = 3_000_000, 4
    scores = rng.random((n, k), dtype=np.float32)
    scores /= scores.sum(axis=1, keepdims=True)
    np.save(folder / "y.npy", rng.integers(0, k, n))
    np.save(folder / "scores.npy", scores)
    run = subprocess.run(
        [sys.executable, "-c", REPORT, str(folder), argument, json.dumps(more)],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"KARAT_NUM_THREADS": "2"},
    )
    return float(run.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize(("argument", "most"), [("y_prob", 40), ("y_score", 72)])
def test_a_report_holds_one_packed_column_beside_its_inputs(
    argument: str, most: int, tmp_path: Path
) -> None:
    """Bytes a row: 8 of the packed column, 8 of classes, and what confidences or a softmax take.

    A score level has 24, the score levels and sums of all metrics of a column had 200.
    """
    assert bytes_a_row(tmp_path, argument, level=None) < most


AVERAGES = 9
"""Averages over the classes in a report of scores that no other shares its influence with."""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize(("argument", "most"), [("y_prob", 40), ("y_logit", 112), ("y_score", 72)])
def test_intervals_hold_one_number_a_row_for_each_average(
    argument: str, most: int, tmp_path: Path
) -> None:
    """Averages over the classes add up the influence of a row over all columns.

    The log-odds of logits take 40 bytes more: their column, and the two largest logits of a row.
    """
    assert bytes_a_row(tmp_path, argument) < most + 8 * (AVERAGES + 1)
    few = ["accuracy", "roc_auc_ovr_macro"]
    few += ["log_loss"] if argument != "y_score" else []
    assert bytes_a_row(tmp_path, argument, metrics=few) < most + 8

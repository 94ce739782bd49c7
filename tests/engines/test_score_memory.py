"""Memory of a read with scores is the matrix and little more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.writing import write_rows

PROGRAM = """
import sys
from pathlib import Path

def peak_kb():
    # A child's ru_maxrss starts at its parent's; the high-water mark of /proc is its own.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])

from karat.engines.file_rows import rows_of_files
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

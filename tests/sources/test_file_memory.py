"""Memory of a read does not grow with the number of rows."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from karat.data.sources.files.duck import connected
from tests.sources.writing import write_rows

PROGRAM = """
import sys
from pathlib import Path

def peak_kb():
    # A child's ru_maxrss starts at its parent's; the high-water mark of /proc is its own.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])

from karat.data.sources.files.rows import rows_of_files
cells = rows_of_files(sys.argv[1]).cells
assert int(cells.n_rows) == int(sys.argv[2]), cells.n_rows
assert cells.k == 10
print(peak_kb() // 1024)
"""
LIMIT_MB = 320
GROWTH_MB = 80


def peak_mb(path: Path, n_rows: int) -> int:
    """Peak memory of a process that does nothing but tally the file."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(n_rows)],
        capture_output=True,
        check=True,
        text=True,
    )
    return int(run.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("label", ["(hash(i) % 10)::BIGINT", "'class ' || (hash(i) % 10)"])
def test_peak_memory_is_bounded(label: str, tmp_path: Path) -> None:
    peaks = []
    for n_rows in (1_000_000, 10_000_000):
        rows = f"SELECT {label} AS label, {label.replace('(i)', '(i + 1)')} AS pred"
        path = write_rows(tmp_path / f"{n_rows}.parquet", f"{rows} FROM range({n_rows}) AS t(i)")
        peaks.append(peak_mb(path, n_rows))
    assert peaks[1] < LIMIT_MB
    assert peaks[1] - peaks[0] < GROWTH_MB, peaks


@pytest.mark.skipif(os.name != "posix", reason="owners of files are those of POSIX")
def test_what_is_spilled_is_for_its_owner_alone() -> None:
    with connected() as connection:
        row = connection.execute("SELECT current_setting('temp_directory')").fetchone()
        assert row is not None
        folder = Path(row[0])
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        connection.execute("SET memory_limit = '60MB'")
        query = "SELECT count(*) FROM (SELECT random() AS r FROM range(6000000) ORDER BY r)"
        assert connection.execute(query).fetchone() == (6_000_000,)
    assert not folder.exists()

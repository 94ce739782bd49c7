"""The bounded-memory case: `karat report` on ten, then on a hundred million rows of Parquet."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import duckdb

SMALL, LARGE = 10_000_000, 100_000_000
K = 10
MOST_BYTES = 1 << 30
"""The peak must stay below this; the two columns alone would fill 1.6 GB as int64 arrays."""

MOST_GROWTH = 1.5
"""Ten times the rows may cost this much more memory: buffers, not rows."""


@dataclass(frozen=True)
class Peak:
    """One report on a file of many rows: its cost, or the reason why there is none."""

    n_rows: int
    file_bytes: int
    peak_bytes: int
    wall_seconds: float
    cpu_seconds: float
    disagreement: str | None = None


def write_labels(path: Path, n_rows: int, connection: duckdb.DuckDBPyConnection) -> None:
    """Write label (int32) and pred (int8) as Parquet, streamed; about four in five are right."""
    connection.execute(
        f"""
        COPY (
            SELECT CAST(hash(i) % {K} AS INTEGER) AS label,
                   CAST(CASE WHEN hash(i + {n_rows}) % 5 < 4 THEN hash(i) % {K}
                        ELSE hash(i + {2 * n_rows}) % {K} END AS TINYINT) AS pred
            FROM range({n_rows}) AS numbers(i)
        ) TO '{path}' (FORMAT parquet)
        """
    )


def expected_cells(path: Path, connection: duckdb.DuckDBPyConnection) -> list[list[int]]:
    """The confusion matrix as SQL counts it."""
    cells = np.zeros((K, K), dtype=np.int64)
    query = f"SELECT label, pred, count(*) FROM '{path}' GROUP BY ALL"
    for label, pred, count in connection.execute(query).fetchall():
        cells[label, pred] = count
    found: list[list[int]] = cells.tolist()
    return found


def measure(n_rows: int) -> Peak:
    """Write the file, report on it in a child process, compare its cells, return its peak."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "labels.parquet"
        connection.execute("SET enable_progress_bar = false")
        write_labels(path, n_rows, connection)
        cells = expected_cells(path, connection)
        karat = str(Path(sys.executable).parent / "karat")
        command = [karat, "report", str(path), "--format", "json"]
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.launch", *command],
            capture_output=True,
            check=True,
            text=True,
        )
        text, _, last = run.stdout.rstrip().rpartition("\n")
        facts = json.loads(last)
        counted = json.loads(text)["confusion"]
        return Peak(
            n_rows=n_rows,
            file_bytes=path.stat().st_size,
            peak_bytes=facts["peak_bytes"],
            wall_seconds=facts["wall_seconds"],
            cpu_seconds=facts["cpu_seconds"],
            disagreement=None if counted == cells else "the report and SQL count different cells",
        )


def is_bounded(small: Peak, large: Peak) -> bool:
    """Whether both reports are right and memory does not grow with the rows."""
    return (
        small.disagreement is None
        and large.disagreement is None
        and large.peak_bytes <= MOST_BYTES
        and large.peak_bytes <= MOST_GROWTH * small.peak_bytes
    )

"""Clusters and slices of a Parquet file under max_memory: `python -m benchmarks.axes`.

Of `clusters=` (100,000 users) or of `by=` (two columns). Answers first: counts, values, limits of
intervals and slices equal those of the rows in memory.
Then the peak memory of a process of its own for each way to read them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import karat

CLUSTERS = 100_000
MAX_MEMORY = 64 << 20
AXES: dict[str, dict[str, Any]] = {
    "clusters": {"clusters": "user"},
    "by": {"by": ["country", "age"]},
}
WAYS = ("in memory", "file", "file, max_memory=64 MiB", "Dask", "Spark")


def write(path: Path, n: int) -> None:
    """A file of rows with labels, clusters, and columns of text and of many numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    countries = np.array(["NO", "SE", "DK", "FI", "IS", "DE", "NL", "FR", "ES", "PT", "IT", "AT"])
    schema = None
    with tempfile.TemporaryDirectory():
        writer = None
        for start in range(0, n, 1_000_000):
            m = min(1_000_000, n - start)
            label = rng.integers(0, 2, m)
            table = pa.table(
                {
                    "label": label.astype(np.int8),
                    "pred": np.where(rng.random(m) < 0.9, label, 1 - label).astype(np.int8),
                    "user": rng.integers(0, CLUSTERS, m).astype(np.int32),
                    "country": pa.array(countries[rng.integers(0, len(countries), m)]),
                    "age": rng.integers(18, 90, m).astype(np.int16),
                }
            )
            schema = schema or table.schema
            writer = writer or pq.ParquetWriter(path, schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def read(way: str, path: Path, options: dict[str, Any]) -> karat.Report:
    """The report of the file, read in one of the ways."""
    if way == "in memory":
        import pyarrow.parquet as pq

        return karat.evaluate(pq.read_table(path), **options)
    if way == "Dask":
        import dask.dataframe as dd

        return karat.evaluate(
            dd.read_parquet(path), reading=karat.Reading(max_memory=MAX_MEMORY), **options
        )
    if way == "Spark":
        os.environ["PYSPARK_PYTHON"] = sys.executable
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .getOrCreate()
        )
        return karat.evaluate(
            session.read.parquet(str(path)), reading=karat.Reading(max_memory=MAX_MEMORY), **options
        )
    more = {"reading": karat.Reading(max_memory=MAX_MEMORY)} if "max_memory" in way else {}
    return karat.evaluate(path, **options, **more)


def numbers(report: karat.Report) -> dict[str, Any]:
    """What has to be equal: everything but where the rows came from."""
    found = report.to_dict()
    for name in ("source", "mapping", "warnings"):
        del found[name]
    return found


def same(a: Any, b: Any) -> bool:
    """Equal, floats to 1e-12 of the larger."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return bool(a == b)


def main() -> int:
    """Print a row for each way; the exit code says whether all answers are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--axis", choices=AXES, default="clusters")
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--file", type=Path)
    given = parser.parse_args()
    if given.way:
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        report = read(given.way, given.file, AXES[given.axis])
        spent = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        facts = {"base": base, "peak": peak, "workers": workers, "seconds": spent}
        print(json.dumps({"facts": facts, "numbers": numbers(report)}))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(path, given.rows)
        size = path.stat().st_size / 2**20
        print(f"{given.axis}= of {given.rows:,} rows, {size:.0f} MiB")
        wanted, wrong = None, 0
        print(f"{'way':<26}{'before MiB':>11}{'peak MiB':>10}{'seconds':>9}  answer")
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.axes", "--way", way, "--file", str(path)]
            command += ["--axis", given.axis]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode:
                print(f"{way:<26}{run.stderr.strip().splitlines()[-1]}")
                wrong += 1
                continue
            found = json.loads(run.stdout.strip().splitlines()[-1])
            wanted = wanted or found["numbers"]
            is_same = same(found["numbers"], wanted)
            wrong += not is_same
            facts = found["facts"]
            print(
                f"{way:<26}{facts['base'] / 1024:>11.0f}{facts['peak'] / 1024:>10.0f}"
                f"{facts['seconds']:>9.1f}  {'equal' if is_same else 'DIFFERENT'}",
                flush=True,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

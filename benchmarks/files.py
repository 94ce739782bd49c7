"""A file of probabilities to a full report, beside reading it: `python -m benchmarks.files`.

A Parquet file of labels and ten columns of probabilities is written. Answers first: counts,
log-loss and an area of the report are those of SQL. Then three commands take turns, each in a
process of its own: DuckDB reads all columns as batches and drops them; `karat report` prints one
loss, for which the same is read, checked and kept, and no column sorted; and it prints everything.
Of each the least time of the rounds counts, on the clock and of the processors. `--rows 10000000`
has the figures of docs/speed/files.csv; `--type double` writes float64.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

K: Final = 10
COLUMNS: Final = ("y_true", *(f"p_{c}" for c in range(K)))
FLOOR, STRETCH = 3.0, 1.5
"""Wall time of the report over that of the read: asked for, and hoped for."""
_BATCH: Final = 1 << 17


@dataclass(frozen=True)
class Cost:
    """What one command took, at least: seconds of the clock and of processors; bytes, at most."""

    wall: float
    cpu: float
    peak: int

    @classmethod
    def least(cls, costs: list[Cost]) -> Cost:
        """The least times of some rounds, and the largest peak."""
        return cls(
            min(cost.wall for cost in costs),
            min(cost.cpu for cost in costs),
            max(cost.peak for cost in costs),
        )

    def __str__(self) -> str:
        peak = f"{self.peak / 2**20:,.0f} MiB"
        return f"{self.wall:.2f} s, {self.cpu:.2f} s of processors, {peak} at most"


def ratios(read: Cost, other: Cost) -> str:
    """How many times as long as the read it took."""
    return f"{other.wall / read.wall:.1f} on the clock, {other.cpu / read.cpu:.1f} of processors"


def verdict(read: Cost, report: Cost) -> str:
    """The ratios of the report, and what that of the clock reaches."""
    ratio = report.wall / read.wall
    reached = "stretch reached" if ratio <= STRETCH else "floor met"
    if ratio > FLOOR:
        reached = "below floor"
    return (
        f"report ÷ read: {ratios(read, report)} (floor {FLOOR:g}, stretch {STRETCH:g}): {reached}"
    )


def write(path: Path, n_rows: int, kind: str) -> None:
    """Rows of ten classes; the scores of the true one are drawn higher, and softmax follows."""
    import duckdb

    scores = ", ".join(
        # Of uniform numbers: a logistic draw, which is as long-tailed as scores are.
        f"u{c} / (1 - u{c}) * CASE WHEN y = {c} THEN 4.5 ELSE 1 END AS s{c}"
        for c in range(K)
    )
    draws = ", ".join(f"(hash(i, {c}) >> 11) / 9007199254740993.0 AS u{c}" for c in range(K))
    total = " + ".join(f"s{c}" for c in range(K))
    columns = ", ".join(f"CAST(s{c} / ({total}) AS {kind}) AS p_{c}" for c in range(K))
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"COPY (SELECT y AS y_true, {columns} FROM (SELECT y, {scores} FROM (SELECT "
            f"CAST(hash(i, {K}) % {K} AS INTEGER) AS y, {draws} FROM range({n_rows}) AS t(i)))) "
            f"TO '{path}' (FORMAT parquet)"
        )


def read(path: Path) -> int:
    """All columns, batch by batch, as a program would that does nothing with them."""
    import duckdb

    with duckdb.connect() as connection:
        relation = connection.sql(f"SELECT {', '.join(COLUMNS)} FROM read_parquet('{path}')")
        return sum(batch.num_rows for batch in relation.to_arrow_reader(_BATCH))


def by_sql(path: Path) -> dict[str, Any]:
    """Rows of each class, the log-loss, and the area of class 0 against the rest."""
    import duckdb

    loss = " ".join(f"WHEN {c} THEN ln(CAST(p_{c} AS DOUBLE))" for c in range(K))
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        of_classes = connection.execute(
            f"SELECT count(*) FROM '{path}' GROUP BY y_true ORDER BY y_true"
        ).fetchall()
        ((log_loss, area),) = connection.execute(
            f"""
            WITH ranked AS (
                SELECT y_true = 0 AS own, rank() OVER (ORDER BY p_0) AS low,
                       count(*) OVER (PARTITION BY p_0) AS n_equal FROM '{path}'
            ), sums AS (
                SELECT sum(low + (n_equal - 1) / 2.0) FILTER (own) AS ranks,
                       count(*) FILTER (own) AS n_own, count(*) FILTER (NOT own) AS n_rest
                FROM ranked
            )
            SELECT (SELECT -avg(CASE y_true {loss} END) FROM '{path}'),
                   (ranks - n_own * (n_own + 1) / 2.0) / n_own / n_rest FROM sums
            """
        ).fetchall()
    return {"support": [n for (n,) in of_classes], "log_loss": log_loss, "roc_auc": area}


def check(path: Path) -> None:
    """The numbers of the report are those of SQL."""
    expected = by_sql(path)
    command = [sys.executable, "-m", "karat", "report", str(path), "--format", "json"]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    found = json.loads(run.stdout)
    support = [sum(row) for row in found["confusion"]]
    if support != expected["support"]:
        raise AssertionError(f"rows of classes: {support}, not {expected['support']}")
    values = {
        "log_loss": found["metrics"]["log_loss"]["value"],
        "roc_auc": found["per_class"][0]["roc_auc"],
    }
    for name, value in values.items():
        if abs(value - expected[name]) > 1e-9 * abs(expected[name]):
            raise AssertionError(f"{name}: {value}, not {expected[name]}")


def cost_of(*command: str) -> Cost:
    """What a command takes in a process of its own."""
    launcher = [sys.executable, "-m", "benchmarks.launch", sys.executable, *command]
    run = subprocess.run(launcher, capture_output=True, check=True, text=True)
    facts = json.loads(run.stdout.rstrip().rpartition("\n")[2])
    return Cost(facts["wall_seconds"], facts["cpu_seconds"], facts["peak_bytes"])


def measure(path: Path, n_rounds: int) -> dict[str, Cost]:
    """The least times of reading the file, of a report of one loss and of all, by turns."""
    karat = ("-m", "karat", "report", str(path))
    commands = {
        "DuckDB reads": ("-m", "benchmarks.files", "--read", str(path)),
        "karat report --metrics log_loss": (*karat, "--metrics", "log_loss"),
        "karat report": karat,
    }
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(n_rounds):
        for name, command in commands.items():
            found[name].append(cost_of(*command))
    return {name: Cost.least(costs) for name, costs in found.items()}


def main(arguments: list[str]) -> int:
    """Write, check, time and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--type", choices=("float", "double"), default="float")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--read", type=Path, help="a file to read and drop, which is all")
    options = parser.parse_args(arguments)
    if options.read:
        return 0 if read(options.read) else 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probabilities.parquet"
        write(path, options.rows, options.type)
        check(path)
        costs = measure(path, options.rounds)
        size = path.stat().st_size / 2**20
    print(f"{options.rows:,} rows × {K} probabilities ({options.type}), {size:,.0f} MiB of Parquet")
    for name, cost in costs.items():
        print(f"  {name}: {cost}")
    read_alone, loss, report = costs.values()
    print(f"  log_loss ÷ read: {ratios(read_alone, loss)}")
    print(f"  {verdict(read_alone, report)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

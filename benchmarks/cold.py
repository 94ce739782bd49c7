"""Time from nothing: imports and commands, each in a new process, the files warm in memory."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

N_ROUNDS: Final = 15
N_ROWS: Final = 100_000
K: Final = 10
N_FEW: Final = 1000


@dataclass(frozen=True)
class Start:
    """Medians of a new process, and what it may take beyond another one.

    Attributes:
        name: what it does.
        cpu_seconds, wall_seconds: from its start to its end.
        beyond: the process without it, whose time is taken off; empty for none.
        most_seconds: most wall seconds beyond that; None: no goal.
        beyond_seconds: wall seconds beyond it.
    """

    name: str
    cpu_seconds: float
    wall_seconds: float
    beyond: str = ""
    most_seconds: float | None = None
    beyond_seconds: float = 0.0

    @property
    def is_met(self) -> bool:
        """Whether the goal is reached, if there is one."""
        return self.most_seconds is None or self.beyond_seconds <= self.most_seconds


BARE, NUMPY = "bare Python", "import numpy"
INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Modules are compiled once, as in an install; the round that warms the files compiles them."""

FIRST: Final = "import numpy as np; y = np.arange(1000) % 3; import karat; karat.{}"
"""A first call: what is imported when it is needed counts too."""


def measure(n_rounds: int = N_ROUNDS, n_rows: int = N_ROWS) -> list[Start]:
    """Each process in turn, for several rounds."""
    python, karat = [sys.executable, "-c"], str(Path(sys.executable).parent / "karat")
    with tempfile.TemporaryDirectory() as folder:
        names = "l.parquet", "p.parquet", "l.csv", "a.csv", "b.csv"
        labels, probs, csv, few, others = (Path(folder) / name for name in names)
        _write(labels, probs, csv, n_rows)
        for path, seed in ((few, 0), (others, 1)):
            _write_few(path, seed)
        rows = f"{n_rows:.0e}".replace("e+0", "e")
        commands: dict[str, tuple[list[str], str, float | None]] = {
            BARE: ([*python, "pass"], "", None),
            NUMPY: ([*python, "import numpy"], "", None),
            "import numpy, karat": ([*python, "import numpy, karat"], NUMPY, 0.030),
            "first accuracy of arrays": ([*python, FIRST.format("accuracy(y, y)")], NUMPY, None),
            "first roc_auc of arrays": (
                [*python, FIRST.format("roc_auc(y > 0, y_score=y / 2.0)")],
                NUMPY,
                None,
            ),
            "karat --help": ([karat, "--help"], BARE, 0.100),
            "karat --version": ([karat, "--version"], BARE, 0.100),
            f"karat report, {N_FEW} rows, CSV": ([karat, "report", str(few)], "", None),
            f"karat gate, {N_FEW} rows, CSV": (
                [karat, "gate", str(few), "--min", "accuracy=0.1"],
                "",
                None,
            ),
            f"karat compare, {N_FEW} rows, CSV": (
                [karat, "compare", str(few), str(others)],
                "",
                None,
            ),
            f"karat report, {rows} labels, Parquet": ([karat, "report", str(labels)], "", 1.0),
            f"karat report, {rows} labels, CSV": ([karat, "report", str(csv)], "", 1.0),
            f"karat report, {rows} rows, probabilities of {K} classes": (
                [karat, "report", str(probs)],
                "",
                1.0,
            ),
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(n_rounds + 1):  # the first warms the files
            for name, (command, _, _) in commands.items():
                times[name].append(_timed(command))
    medians = {
        name: tuple(statistics.median(side) for side in zip(*found[1:], strict=True))
        for name, found in times.items()
    }
    return [
        Start(
            name,
            medians[name][0],
            medians[name][1],
            beyond,
            most,
            medians[name][1] - (medians[beyond][1] if beyond else 0.0),
        )
        for name, (_, beyond, most) in commands.items()
    ]


def _timed(command: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a process.

    Raises:
        RuntimeError: it failed.
    """
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, INSTALLED, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{command} ended with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, wall


def _write_few(path: Path, seed: int) -> None:
    from benchmarks.cases.data import two_classes

    y, p = two_classes(N_FEW)
    p = p + 0.05 * seed * np.random.default_rng(seed).random(N_FEW) * (1.0 - p)
    lines = [f"{label},{chance!r}" for label, chance in zip(y.tolist(), p.tolist(), strict=True)]
    path.write_text("\n".join(["label,prob", *lines, ""]), encoding="utf-8")


def _write(labels: Path, probs: Path, csv: Path, n: int) -> None:
    import polars as pl

    from benchmarks.cases.data import many_classes

    y, p = many_classes(n, K)
    table = pl.DataFrame({"label": y, "pred": p.argmax(axis=1).astype(np.int64)})
    table.write_parquet(labels)
    table.write_csv(csv)
    wide = pl.DataFrame({"label": y, **{f"prob_{j}": p[:, j] for j in range(K)}})
    wide.write_parquet(probs)

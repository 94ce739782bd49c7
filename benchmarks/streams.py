"""Streams of more rows than memory holds: `python -m benchmarks.streams`.

Rows are drawn batch by batch, added to a stream, and added up in another way beside it: labels by
a count of pairs, scores by one sort of all of them. Answers first; then processor and wall time of
the updates alone, and the most memory that the process had. `--labels 1000000000 --rows 100000000`
are the figures of docs/scale.md, `--small` those of updates in docs/speed.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Self

os.environ.setdefault("KARAT_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

import karat

BATCH = 1 << 20
CLASSES = 10
_POSITIVE = 0.01


class Clock:
    """Processor and wall time of what runs within."""

    cpu = wall = 0.0

    def __enter__(self) -> Self:
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall


def most_memory() -> int:
    """The most bytes that this process had in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def labels(n: int) -> None:
    """Ten classes, predicted rightly in seven of ten rows."""
    rng, stream, clock = np.random.default_rng(1), karat.Stream(), Clock()
    pairs = np.zeros(CLASSES**2, np.int64)
    before = most_memory()
    for first in range(0, n, BATCH):
        m = min(BATCH, n - first)
        y = rng.integers(0, CLASSES, m, dtype=np.uint8)
        p = np.where(rng.integers(0, 10, m, dtype=np.uint8) < 7, y, (y + 1) % CLASSES)
        with clock:
            stream.update(y, p)
        pairs += np.bincount(y.astype(np.intp) * CLASSES + p, minlength=CLASSES**2)
    with clock:
        report = stream.report()
        macro_f1 = report["macro_f1"]
    table = pairs.reshape(CLASSES, CLASSES)
    assert report.confusion.matrix.tolist() == table.tolist()
    f1 = 2 * table.diagonal() / (table.sum(axis=0) + table.sum(axis=1))
    assert abs(macro_f1.value - f1.mean()) < 1e-12
    told("labels", n, clock, before)
    print(f"  {macro_f1}")


def fraud(
    rng: np.random.Generator, m: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """One row of a hundred is positive; scores from 1e-6 to 1."""
    y = (rng.random(m, np.float32) < _POSITIVE).astype(np.uint8)
    exponent = rng.random(m, np.float32) * 6.0 - 6.0
    exponent += np.where(y, 0.5 * (-exponent) * rng.random(m, np.float32), 0.0).astype(np.float32)
    return y, np.minimum(10.0**exponent, 1.0).astype(np.float32)


def scores(n: int, max_memory: int) -> None:
    """Two classes; the exact area is that of one sort of all rows."""
    rng, clock = np.random.default_rng(2), Clock()
    stream = karat.Stream(labels=[0, 1], reading=karat.Reading(max_memory=max_memory), level=0.95)
    before = most_memory()
    for first in range(0, n, BATCH):
        y, p = fraud(rng, min(BATCH, n - first))
        with clock:
            stream.update(y, y_prob=p)
    with clock:
        report = stream.report()
        area = report["roc_auc"]
    memory = most_memory()
    auc, loss = reference(n)
    low, high = area.bound or (area.value, area.value)
    assert low <= auc <= high, (low, auc, high)
    assert abs(report["log_loss"].value - loss) < 1e-9 * loss
    told("scores", n, clock, before, memory)
    print(f"  {area}, bound ±{(high - low) / 2:.2g}, error {area.value - auc:.2g}")


def reference(n: int) -> tuple[float, float]:
    """The area of all rows, and their loss, from the same draws held in memory."""
    rng = np.random.default_rng(2)
    sides: list[list[npt.NDArray[np.float32]]] = [[], []]
    loss = 0.0
    for first in range(0, n, BATCH):
        y, p = fraud(rng, min(BATCH, n - first))
        for side in (0, 1):
            sides[side].append(p[y == side])
        own = np.where(y, p.astype(np.float64), 1.0 - p.astype(np.float64))
        loss -= float(np.log(own).sum())
    rest, own = (np.sort(np.concatenate(side)) for side in sides)
    below = np.searchsorted(rest, own, "left").sum() + np.searchsorted(rest, own, "right").sum()
    return float(below) / 2.0 / (len(rest) * float(len(own))), loss / n


def small(n: int, n_updates: int = 2000, n_runs: int = 7) -> None:
    """Processor time of one update of a few rows of two classes, the least of several runs.

    Beside it, what scikit-learn takes to count the same rows once.
    """
    from sklearn.metrics import confusion_matrix

    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, (2, n))
    counts = confusion_matrix(y, p, labels=[0, 1])
    least: dict[str, float] = {}
    for name, rest in (("labels", {"y_pred": p}), ("probabilities", {"y_prob": rng.random(n)})):
        for _ in range(n_runs):
            stream, update, count = karat.Stream(labels=[0, 1]), Clock(), Clock()
            with update:
                for _ in range(n_updates):
                    stream.update(y, **rest)
            with count:
                for _ in range(n_updates // 10):
                    confusion_matrix(y, p, labels=[0, 1])
            report = stream.report()
            if name == "labels":
                assert (report.confusion.matrix == n_updates * counts).all()
            else:
                assert report.n_rows == n * n_updates
                area = karat.roc_auc(y, y_score=rest["y_prob"])
                assert abs(report["roc_auc"].value - area) < 1e-12
            for what, each in (
                (name, update.cpu / n_updates),
                ("sklearn", 10 * count.cpu / n_updates),
            ):
                least[what] = min(least.get(what, each), each)
        times = least[name] / least["sklearn"]
        print(f"update of {n:,} rows with {name}: {1e6 * least[name]:.0f} µs, {times:.3f} of one")
    print(f"confusion_matrix of scikit-learn, {n:,} rows: {1e6 * least['sklearn']:.0f} µs")


def told(what: str, n: int, clock: Clock, before: int, memory: int | None = None) -> None:
    """Print what the rows took."""
    peak = memory or most_memory()
    print(
        f"{n:,} rows of {what}: {clock.wall:.1f} s, {clock.cpu:.1f} s of processor, "
        f"{1e9 * clock.cpu / n:.1f} ns a row; {peak / 2**20:.0f} MiB at most, "
        f"{(peak - before) / 2**20:.0f} MiB more than before",
        flush=True,
    )


def main(arguments: list[str]) -> int:
    """Run both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--labels", type=int, default=100_000_000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--max-memory", type=int, default=1 << 26, help="bytes; 64 MiB by default")
    parser.add_argument("--small", action="store_true", help="only updates of few rows")
    options = parser.parse_args(arguments)
    if options.small:
        small(32)
        small(1000)
        return 0
    if options.labels:
        labels(options.labels)
    if options.rows:
        scores(options.rows, options.max_memory)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

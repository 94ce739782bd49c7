"""Many classes beside torchmetrics, time and memory: `python -m benchmarks.torchmetrics_classes`.

Answers first, then updates of both in turn, one thread, the best of many rounds: processor time,
and wall time beside it; the ratio also with ``validate_args=False``. Peak memory is that of a
process of its own for each side, above what the imports and the batch take. A peer that would need
more than `MOST_BYTES` is left out by name.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

os.environ["KARAT_NUM_THREADS"] = "1"

import torch

HOMES: Final = {"karat": "karat.compat.torchmetrics", "torchmetrics": "torchmetrics"}
METRICS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "accuracy, micro": ("Accuracy", {"average": "micro"}),
    "accuracy, macro": ("Accuracy", {"average": "macro"}),
    "accuracy, weighted": ("Accuracy", {"average": "weighted"}),
    "F1, micro": ("F1Score", {"average": "micro"}),
    "F1, macro": ("F1Score", {"average": "macro"}),
    "F1, weighted": ("F1Score", {"average": "weighted"}),
    "kappa, quadratic": ("CohenKappa", {"weights": "quadratic"}),
    "AUROC, 50 thresholds": ("AUROC", {"thresholds": 50}),
}
CLASSES: Final = (100, 5_000, 20_000, 1_000_000)
ROWS: Final = (64, 512, 4_096)
MOST_BYTES: Final = 1 << 30
_MOST_SCORES: Final = 1 << 19
"""Scores of a batch of areas, which torchmetrics compares with every threshold."""
_SECONDS: Final = 0.1
_N_UPDATES: Final = 5


def is_micro(name: str) -> bool:
    return name.endswith("micro")


def cases() -> Iterator[tuple[str, int, int]]:
    """The metric, the number of classes and the rows of a batch."""
    for name in METRICS:
        for k in CLASSES:
            for n in ROWS:
                if name.startswith("AUROC") and n * k > _MOST_SCORES:
                    continue
                yield name, k, n


def bytes_of_peer(name: str, k: int) -> int:
    """What torchmetrics needs at least: a count of k² cells for each batch, but for micro."""
    return 0 if is_micro(name) or name.startswith("AUROC") else 8 * k * k


def metric(side: str, name: str, k: int, **options: Any) -> Any:
    bare, own = METRICS[name]
    home = import_module(f"{HOMES[side]}.classification")
    return getattr(home, f"Multiclass{bare}")(k, **own, **options)


def batch(name: str, k: int, n: int) -> tuple[Any, Any]:
    """Predictions, of which seven tenths are right, or probabilities; and targets."""
    made = torch.Generator().manual_seed(1)
    target = torch.randint(0, k, (n,), generator=made)
    if name.startswith("AUROC"):
        return torch.randn((n, k), generator=made).softmax(1), target
    is_right = torch.rand(n, generator=made) < 0.7
    return target.where(is_right, torch.randint(0, k, (n,), generator=made)), target


def rounds(metrics: dict[str, Any], preds: Any, target: Any) -> dict[str, tuple[float, float]]:
    """Side → the least processor and wall time of an update, in seconds."""
    best = dict.fromkeys(metrics, (float("inf"), float("inf")))
    stop = time.perf_counter() + _SECONDS * len(metrics)
    while True:
        for side, own in metrics.items():
            cpu, wall = time.process_time(), time.perf_counter()
            n = 0
            while n < 1 or (n < 20 and time.perf_counter() - wall < 0.01):
                own.update(preds, target)
                n += 1
            took = (time.process_time() - cpu) / n, (time.perf_counter() - wall) / n
            best[side] = min(best[side][0], took[0]), min(best[side][1], took[1])
        if time.perf_counter() > stop:
            return best


def peak(side: str, name: str, k: int, n: int) -> float:
    """MB that a process of its own needs for updates and the value."""
    arguments = [sys.executable, "-W", "ignore", "-m", __spec__.name, side, name, str(k), str(n)]
    found = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return float(found.stdout)


def print_peak(side: str, name: str, k: int, n: int) -> None:
    torch.set_num_threads(1)
    metric(side, name, 3).update(*batch(name, 3, 8))  # imports, and what is made once
    preds, target = batch(name, k, n)
    before = highest()
    own = metric(side, name, k)
    for _ in range(_N_UPDATES):
        own.update(preds, target)
    own.compute()
    print(highest() - before)


def highest() -> float:
    """Peak memory of this process, in MB; that of its parent is no part of it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main(arguments: list[str]) -> int:
    """Print the table; the exit status is 1 where an answer differs or karat is slower."""
    if arguments:
        side, name, k, n = arguments
        print_peak(side, name, int(k), int(n))
        return 0
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    slower = []
    print("metric, classes, rows: µs an update (wall), ratio, peak memory")
    for name, k, n in cases():
        preds, target = batch(name, k, n)
        needs = bytes_of_peer(name, k)
        sides = ["karat"] if needs > MOST_BYTES else list(HOMES)
        made = {side: metric(side, name, k) for side in sides}
        values = []
        for own in made.values():
            own.update(preds, target)
            values.append(own.compute())
        assert all(abs(float(one) - float(values[0])) < 1e-5 for one in values), (name, k, n)
        best = rounds(made, preds, target)
        del made
        shown = [f"{side} {1e6 * best[side][0]:.0f} ({1e6 * best[side][1]:.0f})" for side in sides]
        if len(sides) > 1:
            bare = {side: metric(side, name, k, validate_args=False) for side in sides}
            unchecked = rounds(bare, preds, target)
            ratios = [one["torchmetrics"][0] / one["karat"][0] for one in (best, unchecked)]
            shown.append(f"{ratios[0]:.1f} times as fast; {ratios[1]:.1f} without checks")
            if ratios[0] < 1.0:
                slower.append((name, k, n))
        else:
            shown.append(f"torchmetrics left out: {needs / 1e9:.1f} GB for each batch")
        if n == ROWS[0]:
            shown += [f"{side} {peak(side, name, k, n):.0f} MB" for side in sides]
        print(f"{name}, {k}, {n}: {'; '.join(shown)}", flush=True)
    print(f"slower: {slower}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Peak memory of calls on long and on wide arrays, beyond the arrays: karat beside scikit-learn.

    python -m benchmarks.peaks CASE SIDE     # one line of JSON on stdout

Each call runs in a process of its own, since a peak never falls: the arrays are made, then the
call is made, and what the peak rose by is told, with its answer.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from benchmarks.case import KARAT, PEER
from benchmarks.cases.data import many_classes, two_classes
from benchmarks.launch import BYTES_PER_UNIT

WITHIN: Final = 1e-10
Sides = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class ArrayPeak:
    """What a call took on arrays of many rows, by side; without figures when the answers differ."""

    name: str
    input_bytes: int
    peak_bytes: dict[str, int]
    wall_seconds: dict[str, float]
    disagreement: str | None = None


def confusion(n: int) -> tuple[int, Sides]:
    rng = np.random.default_rng(0)
    y_true = np.resize(rng.integers(0, 10, 1 << 20), n)
    y_pred = np.resize(rng.integers(0, 10, (1 << 20) + 1), n)

    def theirs() -> Any:
        from sklearn.metrics import confusion_matrix

        return confusion_matrix(y_true, y_pred)

    def ours() -> Any:
        import karat

        return karat.confusion_matrix(y_true, y_pred)

    return y_true.nbytes + y_pred.nbytes, {KARAT: ours, PEER: theirs}


def roc_auc(n: int) -> tuple[int, Sides]:
    y, s = two_classes(n)

    def theirs() -> Any:
        from sklearn.metrics import roc_auc_score

        return roc_auc_score(y, s)

    def ours() -> Any:
        import karat

        return karat.roc_auc(y, y_score=s)

    return y.nbytes + s.nbytes, {KARAT: ours, PEER: theirs}


def log_loss(n: int, k: int) -> tuple[int, Sides]:
    y, p = many_classes(n, k)

    def theirs() -> Any:
        from sklearn.metrics import log_loss

        return log_loss(y, p)

    def ours() -> Any:
        import karat

        return karat.log_loss(y, y_prob=p)

    return y.nbytes + p.nbytes, {KARAT: ours, PEER: theirs}


def one_vs_rest(n: int, k: int) -> tuple[int, Sides]:
    y, p = many_classes(n, k)

    def theirs() -> Any:
        from sklearn.metrics import roc_auc_score

        return roc_auc_score(y, p, multi_class="ovr")

    def ours() -> Any:
        import karat

        return karat.roc_auc_ovr_macro(y, y_prob=p)

    return y.nbytes + p.nbytes, {KARAT: ours, PEER: theirs}


CASES: Final[dict[str, Callable[[], tuple[int, Sides]]]] = {
    "confusion, int64, n=1e8, K=10": lambda: confusion(100_000_000),
    "ROC AUC, float64, n=1e7": lambda: roc_auc(10_000_000),
    "log-loss, float64, n=1e4, K=10": lambda: log_loss(10_000, 10),
    "log-loss, float64, n=1e5, K=1000": lambda: log_loss(100_000, 1000),
    "ROC AUC one-vs-rest, float64, n=1e5, K=1000": lambda: one_vs_rest(100_000, 1000),
}


def measure(names: tuple[str, ...] = tuple(CASES)) -> list[ArrayPeak]:
    """Each case once on each side, one process after the other."""
    return [_measured(name) for name in names]


def _measured(name: str) -> ArrayPeak:
    told = {side: _told(name, side) for side in (KARAT, PEER)}
    answers = [np.asarray(told[side]["answer"]) for side in (KARAT, PEER)]
    n_bytes = told[KARAT]["input_bytes"]
    if answers[0].shape != answers[1].shape or not np.allclose(*answers, rtol=WITHIN, atol=0):
        return ArrayPeak(name, n_bytes, {}, {}, f"{KARAT} and {PEER} differ")
    peaks, seconds = (
        {side: told[side][fact] for side in told} for fact in ("peak_bytes", "wall_seconds")
    )
    return ArrayPeak(name, n_bytes, peaks, seconds)


def _told(name: str, side: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.peaks", name, side],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "KARAT_NUM_THREADS": "1"},
    )
    told: dict[str, Any] = json.loads(run.stdout.rstrip().rpartition("\n")[2])
    return told


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_UNIT


def main(name: str, side: str) -> int:
    import sklearn.metrics  # noqa: F401  neither side pays for what it imports

    import karat

    karat.accuracy([0, 1], [0, 1])
    karat.roc_auc([0, 1], y_score=[0.1, 0.2])
    n_bytes, sides = CASES[name]()
    # Making the data took more than the data: what it has freed is not the call's.
    before = _resident()
    floor = _peak()
    filler = np.ones(max(0, floor - before) // 8)
    start = time.perf_counter()
    answer = np.asarray(sides[side]()).tolist()
    seconds = time.perf_counter() - start
    rise = max(0, _peak() - floor)
    del filler
    facts = {"answer": answer, "input_bytes": n_bytes, "peak_bytes": rise, "wall_seconds": seconds}
    print(json.dumps(facts))
    return 0


def _resident() -> int:
    """Bytes of memory held now."""
    import psutil

    found: int = psutil.Process().memory_info().rss
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

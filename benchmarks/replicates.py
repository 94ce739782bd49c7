"""Bootstrap replicates of the area under the ROC curve, beside a loop over scikit-learn.

    python -m benchmarks.replicates [n]      # one line of JSON on stdout

The answers come first: the area itself to 12 digits, and on 2000 rows the standard error of both
ways from 1000 replicates, within what 1000 replicates tell. Then the times of one run: all 1000
replicates of karat with the sort before them, and 3 replicates of the loop, times 1000 ÷ 3.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

import karat
from karat.engines.ranking import rank
from karat.uncertainty.ladder_replicates import replicate_areas

N_REPLICATES = 1000
N_LOOPED = 3
N_CHECKED = 2000

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]


def problem(n: int) -> tuple[Labels, Floats]:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(np.int32)
    return y, rng.normal(size=n) + y


def native(y: Labels, scores: Floats) -> Floats:
    """1000 replicates, from unsorted rows."""
    return replicate_areas(rank(scores, y, 1, 2), N_REPLICATES, seed=1)


def looped(y: Labels, scores: Floats, n_replicates: int) -> Floats:
    """Rows drawn with replacement, and the area of each drawing."""
    rng, n = np.random.default_rng(1), len(y)
    draws = (rng.integers(n, size=n) for _ in range(n_replicates))
    return np.array([roc_auc_score(y[rows], scores[rows]) for rows in draws])


def timed(call: Callable[[], Any], rounds: int) -> dict[str, float]:
    """Least wall and CPU seconds of some calls."""
    wall, cpu = [], []
    for _ in range(rounds):
        starts = time.perf_counter(), time.process_time()
        call()
        wall.append(time.perf_counter() - starts[0])
        cpu.append(time.process_time() - starts[1])
    return {"wall_seconds": min(wall), "cpu_seconds": min(cpu)}


def main(n: int) -> int:
    y, scores = problem(n)
    area = float(karat.roc_auc(y, y_score=scores))
    if abs(area - roc_auc_score(y, scores)) > 1e-12:
        print("the areas differ", file=sys.stderr)
        return 1
    few = problem(N_CHECKED)
    spreads = native(*few).std(), looped(*few, N_REPLICATES).std()
    # A standard deviation of 1000 numbers has a standard error of 2.2 %: four of the difference.
    if abs(spreads[0] / spreads[1] - 1) > 0.126:
        print(f"the standard errors differ: {spreads}", file=sys.stderr)
        return 1
    ours = timed(lambda: native(y, scores), 5)
    theirs = timed(lambda: looped(y, scores, N_LOOPED), 3)
    theirs = {name: seconds * N_REPLICATES / N_LOOPED for name, seconds in theirs.items()}
    ratios = {name: round(theirs[name] / ours[name]) for name in ours}
    facts = {"n": n, "replicates": N_REPLICATES, "karat": ours, "loop": theirs, "ratio": ratios}
    print(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))

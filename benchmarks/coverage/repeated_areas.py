"""Coverage of the pooled area under the ROC curve over repeats, beside a bootstrap of the ids.

Run ``python -m benchmarks.coverage.repeated_areas``. Each row has ten scores that differ by noise;
the scores of both classes are normal, so that the area is known.
"""

from __future__ import annotations

import argparse
import math
import os
import sys

os.environ.setdefault("KARAT_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

import karat
from benchmarks.coverage.splits import Floats, map_jobs

DESIGNS = ((200, 1.5, 0.3), (500, 3.5, 0.3), (200, 3.5, 0.3), (200, 4.0, 0.3), (500, 3.5, 1.0))
"""Rows, distance of the classes and standard deviation of the noise of a repeat."""
N_REPEATS = 10
HEAD = "| area | rows | noise | over repeats | bootstrap of ids | first repeat |\n|---:|---:|---:|"


def area(y: Floats, scores: Floats) -> float:
    """Area under the ROC curve."""
    n = int(y.sum())
    return float((rankdata(scores)[y == 1].sum() - n * (n + 1) / 2) / (n * (len(y) - n)))


def design(task: tuple[int, int, int, int]) -> str:
    """Simulate one design; return its line: coverage in percent, and median width."""
    seed, number, n_samples, n_resamples = task
    n, distance, noise = DESIGNS[number]
    rng = np.random.default_rng([seed, 5, number])
    truth = float(ndtr(distance / math.sqrt(2 * (1 + noise**2))))
    limits = np.empty((n_samples, 3, 2))
    for i in range(n_samples):
        y = rng.integers(0, 2, n)
        own = rng.normal(size=n) + distance * y
        scores = own + noise * rng.normal(size=(N_REPEATS, n))
        every, ids = np.tile(y, N_REPEATS), np.tile(np.arange(n), N_REPEATS)
        pooled = karat.evaluate(every, y_score=scores.ravel(), clusters=ids, metrics=["roc_auc"])
        single = karat.evaluate(y, y_score=scores[0], metrics=["roc_auc"])
        drawn = rng.integers(0, n, size=(n_resamples, n))
        again = [area(np.tile(y[rows], N_REPEATS), scores[:, rows].ravel()) for rows in drawn]
        limits[i, 1] = np.quantile(again, [0.025, 0.975])
        for place, report in ((0, pooled), (2, single)):
            limits[i, place] = report["roc_auc"].low, report["roc_auc"].high
    low, high = np.moveaxis(limits, 2, 0)
    covered = 100 * ((low <= truth) & (truth <= high)).mean(axis=0)
    width = np.median(high - low, axis=0)
    cells = [f"{a:.1f} ({b:.3f})" for a, b in zip(covered, width, strict=True)]
    return f"| {truth:.4f} | {n} | {noise:g} | {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.repeated_areas")
    parser.add_argument("--replicates", type=int, default=500, help="samples of each design")
    parser.add_argument("--resamples", type=int, default=300, help="resamples of each sample")
    parser.add_argument("--seed", type=int, default=43)
    parser.add_argument("--jobs", type=int, default=1, help="processes; results are the same")
    options = parser.parse_args(arguments)
    how = options.replicates, options.resamples
    tasks = [(options.seed, number, *how) for number in range(len(DESIGNS))]
    print(f"{HEAD}{'---:|' * 3}")
    print("\n".join(map_jobs(design, tasks, options.jobs)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Search of a caution for intervals over folds that cover too little.

Run ``python -m benchmarks.coverage.fold_cautions``. A caution is of use if it appears in at least
90 % of the samples of designs that are covered in less than 93 %, and in at most 10 % of those of
designs at 94 to 96 %. Each statistic of a report over repeats gets the threshold that appears in
10 % of the latter; printed is the proportion of the former that it catches.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("KARAT_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from benchmarks import machine
from benchmarks.coverage.folds import LEARNERS, N_FRESH, POPULATIONS, SEED, limits_of, neighbors
from benchmarks.coverage.splits import Floats, Splits, map_jobs
from karat.designs.folds import FoldUnits, nested_estimate

RESULTS = Path(__file__).parents[1] / "results" / "folds" / "cautions.json"
INTERVALS = {"Nadeau–Bengio": "Nadeau–Bengio, all repeats", "nested": "nested"}
STATISTICS = (
    "variance of the means of repeats ÷ variance of folds",
    "variance of the means of repeats ÷ variance of independent rows",
    "variance of a row's loss over repeats ÷ variance of losses",
    "variance of folds ÷ variance of independent rows",
    "nested standard error ÷ standard error of independent rows",
    "nested standard error ÷ Nadeau–Bengio standard error",
)
BELOW, RIGHT, FALSE_ALARMS = 0.93, (0.94, 0.96), 0.10


def statistics(losses: Floats, repeat: Floats, fold: Floats, other: Floats, n: int) -> list[float]:
    """Return the statistics of one sample, in the order of `STATISTICS`."""
    k, r = int(fold.max()) + 1, int(repeat.max()) + 1
    is_outer = other < 0
    outer = losses[is_outer]
    at = (repeat * k + fold)[is_outer]
    values = np.bincount(at, outer, k * r) / np.bincount(at, minlength=k * r)
    variance = np.nan_to_num(FoldUnits.of(k * r, 1 / (k - 1)).variance(values))
    of_repeats = values.reshape(r, k).mean(axis=1).var(ddof=1)
    of_losses = max(float(outer.var()), 1e-12)
    of_folds = max(float(values.var(ddof=1)), 1e-12)
    nested = nested_estimate(losses, repeat, fold, other, n)
    return [
        of_repeats / (of_folds / k),
        of_repeats / (of_losses / n),
        np.nan,
        of_folds / (of_losses / n * k),
        nested.inflation,
        nested.standard_error / max(float(np.sqrt(variance)), 1e-12),
    ]


def design(task: tuple[int, int, int, int, int]) -> tuple[Floats, Floats]:
    """Simulate one learner on one population.

    Returns:
        bool[samples, intervals, 2], whether the error of the procedure and of the model is covered;
        float64[samples, statistics].
    """
    seed, number, n_samples, n_folds, n_repeats = task
    place, learner = divmod(number, len(LEARNERS))
    population, fit = POPULATIONS[place], list(LEARNERS.values())[learner]
    rng, n = np.random.default_rng([seed, 4, place, learner]), population.n
    x_fresh, y_fresh = population.draw(rng, N_FRESH // (5 if fit is neighbors else 1))
    truth, limits, found = np.empty(n_samples), [], np.empty((n_samples, len(STATISTICS)))
    for i in range(n_samples):
        x, y = population.draw(rng, n)
        splits = Splits.of(rng, n, n_folds, n_repeats)
        whole = fit(np.ones((1, n), bool), x, y, x_fresh)[0]
        truth[i] = np.mean(whole != (y_fresh == 1))
        losses = (fit(splits.kept, x, y, x) != (y == 1)).astype(np.float64)
        tested = splits.tested(losses)
        found[i] = statistics(*tested, n)
        is_outer = splits.second < 0
        of_rows = np.empty((n_repeats, n))
        for r in range(n_repeats):
            own = is_outer & (splits.repeat == r)
            out = ~splits.kept[own]
            of_rows[r] = (losses[own] * out).sum(axis=0)
        found[i, 2] = of_rows.var(axis=0, ddof=1).mean() / max(of_rows.var(), 1e-12)
        each = limits_of(*tested, n)
        limits.append([each[name] for name in INTERVALS.values()])
    low, high = np.moveaxis(np.array(limits), 2, 0)
    goals = np.column_stack([np.full(n_samples, truth.mean()), truth])[:, None, :]
    covered = (low[:, :, None] <= goals) & (goals <= high[:, :, None])
    return covered, found


def searched(designs: list[tuple[Floats, Floats]]) -> dict[str, Any]:
    """Return what each statistic catches, for both intervals and both errors."""
    content: dict[str, Any] = {}
    for j, name in enumerate(INTERVALS):
        for goal, error in enumerate(("Err", "Err_XY")):
            rates = np.array([covered[:, j, goal].mean() for covered, _ in designs])
            low = [d for (_, d), rate in zip(designs, rates, strict=True) if rate < BELOW]
            right = [
                d for (_, d), x in zip(designs, rates, strict=True) if RIGHT[0] <= x <= RIGHT[1]
            ]
            one: dict[str, Any] = {"below 93 %": len(low), "94 to 96 %": len(right)}
            if low and right:
                bad, good = np.concatenate(low), np.concatenate(right)
                cut = np.quantile(good, 1 - FALSE_ALARMS, axis=0)
                one["caught"] = dict(
                    zip(STATISTICS, (bad > cut).mean(axis=0).tolist(), strict=True)
                )
                to_catch = np.quantile(bad, 0.1, axis=0)
                alarms = (good >= to_catch).mean(axis=0).tolist()
                one["false alarms at 90 % caught"] = dict(zip(STATISTICS, alarms, strict=True))
            content[f"{name}, {error}"] = one
    return content


def main(arguments: list[str]) -> int:
    """Run the search and write its results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.fold_cautions")
    parser.add_argument("--replicates", type=int, default=1000, help="samples of each design")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1, help="processes; results are the same")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file to write")
    options = parser.parse_args(arguments)
    settings = (options.replicates, options.folds, options.repeats)
    numbers = range(len(LEARNERS) * len(POPULATIONS))
    tasks = [(options.seed, number, *settings) for number in numbers]
    content = searched(map_jobs(design, tasks, options.jobs))
    facts = {"seed": options.seed, "replicates": settings[0]}
    facts |= {"folds": settings[1], "repeats": settings[2]}
    content["facts"] = machine.facts() | facts
    options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({k: v for k, v in content.items() if k != "facts"}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

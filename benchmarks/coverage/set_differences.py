"""How often differences of metrics of sets are found, and their intervals hold the true ones.

Twenty labels as in `benchmarks.coverage.sets`, with a correlation of 0.3 between the labels of a
row. The scores of two models share most of their errors. Of equal models p is below 0.05 in 5 % of
the samples; where the second one is better the interval holds the difference in 95 %. The true
difference is that of 200,000 rows; with ``--mean`` that of the samples, which does not have the
bias of means over labels with few rows.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Final

import numpy as np
from scipy.stats import norm

import karat
from benchmarks.coverage.sets import SHARES

OF_SCORES: Final = (
    "label_ranking_average_precision",
    "ndcg",
    "roc_auc_ovr_macro",
    "mean_average_precision",
    "binary_cross_entropy",
)
OF_LABELS: Final = ("macro_f1", "macro_recall")
METRICS: Final = (*OF_SCORES, *OF_LABELS)
TRUTH: Final = 200_000
BETTER: Final = 0.3
TOGETHER: Final = 0.3


def drawn(rng: np.random.Generator, n: int, better: float) -> tuple[Any, dict[str, Any]]:
    """True labels of n rows, and the scores of two models, [n, 20] each."""

    def numbers() -> np.ndarray[Any, np.dtype[np.float64]]:
        of_row, own = rng.normal(size=(n, 1)), rng.normal(size=(n, len(SHARES)))
        return np.sqrt(TOGETHER) * of_row + np.sqrt(1.0 - TOGETHER) * own

    true = (numbers() < norm.ppf(SHARES)).astype(int)
    both = 2.0 * true + 0.8 * numbers() - 1.2
    models = {"a": both + 0.6 * numbers(), "b": both + 0.6 * numbers()}
    models["b"] += better * (2.0 * true - 1.0)
    return true, models


def compared(n: int, better: float, n_samples: int, seed: int, *, is_mean: bool) -> list[Any]:
    """Of each metric the percent of p below 0.05, and of intervals that hold the difference."""
    found = np.zeros((n_samples, len(METRICS), 4))
    for sample in range(n_samples):
        rng = np.random.default_rng([seed, n, sample])
        true, models = drawn(rng, n, better)
        each = karat.compare(true, y_score=models, metrics=METRICS, threshold=0.3,
                             interval=karat.Interval(n_replicates=999))  # fmt: skip
        found[sample] = [(x.difference, x.low, x.high, x.p) for x in each]
    truth = found[:, :, 0].mean(axis=0)
    if not is_mean and not better:
        truth = np.zeros(len(METRICS))
    elif not is_mean:
        true, models = drawn(np.random.default_rng(seed), TRUTH, better)
        whole = {
            name: karat.evaluate(true, y_score=x, metrics=METRICS, threshold=0.3, level=None)
            for name, x in models.items()
        }
        truth = np.array([whole["b"][m].value - whole["a"][m].value for m in METRICS])
    difference, low, high, p = np.moveaxis(found, -1, 0)
    del difference
    shown, held = 100.0 * (p < 0.05).mean(axis=0), (low <= truth) & (truth <= high)
    return [shown, 100.0 * held.mean(axis=0)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage.set_differences", description=__doc__
    )
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--mean", action="store_true")
    options = parser.parse_args(arguments)
    columns, names = [], []
    for n in options.sizes:
        for better in (0.0, BETTER):
            columns += compared(n, better, options.samples, options.seed, is_mean=options.mean)
            kind = "better" if better else "equal"
            names += [f"n={n}, {kind}: p < 0.05", f"n={n}, {kind}: held"]
    print(f"| metric | {' | '.join(names)} |")
    print(f"|---|{'---:|' * len(names)}")
    for i, metric in enumerate(METRICS):
        print(f"| `{metric}` | {' | '.join(f'{each[i]:.1f}' for each in columns)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the variance of an area adds to the area: `python -m benchmarks.spread_cost`.

Answers first, then processor time of both in turn; the best and the median of many.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping

os.environ["KARAT_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.score_cases import two_classes
from karat.data.scores.containers import as_scores
from karat.data.scores.ranking import rank
from karat.data.scores.rows import tally_scores
from karat.inference.influence_variance import InfluenceVariances
from karat.inference.variance import SamplingError
from karat.metrics import get
from karat.metrics._measure import measure

MOST = 1.3
"""An area with its variance may cost so many times the area alone."""
_ROUNDS = 400
Pair = Mapping[str, Callable[[], tuple[float, float]]]


def sorted_alone(n: int) -> Pair:
    """Pack, sort and walk, without reading labels or checking scores."""
    y, s = two_classes(n, np.float64)
    codes = y.astype(np.int32)

    def area() -> tuple[float, float]:
        return float(rank(s, codes, 1, 2, n_threads=1).areas()[0]), np.nan

    def both() -> tuple[float, float]:
        ranked = rank(s, codes, 1, 2, n_threads=1)
        found = ranked.placements()
        m = found.weight
        return float(ranked.areas()[0]), float((found.spread / m / (m - 1.0)).sum())

    return {"area": area, "both": both}


def whole_call(n: int) -> Pair:
    """From labels and scores to the value."""
    y, s = two_classes(n, np.float64)
    metric = get("roc_auc")

    def area() -> tuple[float, float]:
        rows = tally_scores(y, as_scores(s, "y_score"), n_threads=1)
        return float(measure(rows, [metric])[metric].value), np.nan

    def both() -> tuple[float, float]:
        rows = tally_scores(y, as_scores(s, "y_score"), n_threads=1)
        spreads = InfluenceVariances(rows, [metric])
        values, found = measure(rows, [metric], beside=spreads), spreads.found()[metric]
        assert isinstance(found, SamplingError)
        return float(values[metric].value), found.variance

    return {"area": area, "both": both}


def delong(n: int) -> float:
    """The variance from placements found by bisection; no score occurs twice."""
    y, s = two_classes(n, np.float64)
    own, rest = np.sort(s[y == 1]), np.sort(s[y == 0])
    v10 = np.searchsorted(rest, own) / len(rest)
    v01 = 1.0 - np.searchsorted(own, rest) / len(own)
    return float(v10.var(ddof=1) / len(own) + v01.var(ddof=1) / len(rest))


def main() -> int:
    """Print both ratios; the exit status is 1 when an answer differs or one is too large."""
    n, is_met = 100_000, True
    for name, made in (("pack, sort, walk", sorted_alone(n)), ("whole call", whole_call(n))):
        value, variance = made["both"]()
        assert value == made["area"]()[0]
        assert abs(variance / delong(n) - 1.0) < 1e-11
        times: dict[str, list[int]] = {key: [] for key in made}
        for _ in range(_ROUNDS):
            for key, call in made.items():
                start = time.process_time_ns()
                call()
                times[key].append(time.process_time_ns() - start)
        best, median = (
            {key: take(t) for key, t in times.items()} for take in (min, statistics.median)
        )
        ratios = [found["both"] / found["area"] for found in (best, median)]
        print(
            f"{name}: area {best['area'] / 1e6:.3f} ms, with its variance "
            f"{best['both'] / 1e6:.3f} ms; ratio {ratios[0]:.2f} at best, "
            f"{ratios[1]:.2f} in the median"
        )
        is_met = is_met and ratios[0] <= MOST
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())

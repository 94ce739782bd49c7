"""What intervals add to the metrics of labels: `python -m benchmarks.interval_cost`.

Answers first, then processor time of both in turn; the best and the median of many.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

os.environ["KARAT_NUM_THREADS"] = "1"

import numpy as np

import karat
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import TableIntervals
from karat.metrics import get

_K = 10
_ROUNDS = 300
Calls = Mapping[str, Callable[[], Any]]


def labels(n: int, k: int) -> tuple[Any, Any]:
    """True and predicted classes int64[n]; four fifths are right, and some by chance."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < 0.8, true, rng.integers(0, k, n))


def interval_of_counted(n: int) -> Calls:
    """The macro F1 of a table that is counted, and the same with its interval."""
    cells = karat.evaluate(*labels(n, _K), metrics="macro_f1").cells
    metric, asked = get("macro_f1"), Confidence()

    def value() -> float:
        return float(metric.values(cells).value)

    def both() -> Any:
        return TableIntervals(cells, asked).of(metric, value())

    return {"value": value, "with interval": both}


def call(n: int, **options: Any) -> Calls:
    """A whole call from labels to results, without intervals and with them."""
    true, pred = labels(n, _K)

    def without() -> Any:
        return karat.evaluate(true, pred, level=None, **options).metrics

    def both() -> Any:
        return karat.evaluate(true, pred, **options).metrics

    return {"without": without, "with intervals": both}


def check_answers(n: int) -> None:
    """The interval is that of the report, and its standard error the spread of resampled tables."""
    true, pred = labels(n, _K)
    result = karat.evaluate(true, pred).macro_f1
    found = interval_of_counted(n)["with interval"]()
    assert (found.low, found.high) == (result.low, result.high)
    assert found.low < result.value < found.high
    shares = karat.confusion_matrix(true, pred) / n
    tables = np.random.default_rng(1).multinomial(n, shares.ravel(), 2000).reshape(-1, _K, _K)
    hits = np.diagonal(tables, axis1=1, axis2=2)
    f1 = (2 * hits / (tables.sum(axis=1) + tables.sum(axis=2))).mean(axis=1)
    assert abs(float(f1.std()) / found.standard_error - 1.0) < 0.06


def times_of(calls: Calls, rounds: int) -> dict[str, list[int]]:
    """Nanoseconds of processor time of each call, one after the other."""
    times: dict[str, list[int]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, made in calls.items():
            start = time.process_time_ns()
            made()
            times[name].append(time.process_time_ns() - start)
    return times


def main() -> int:
    """Print what each adds, and the ratio; the answers are asserted."""
    n = 100_000
    check_answers(n)
    measured = {
        f"macro F1 of a counted table, k = {_K}": (interval_of_counted(n), 10 * _ROUNDS),
        f"evaluate(metrics='macro_f1'), n = {n}": (call(n, metrics="macro_f1"), _ROUNDS),
        f"evaluate(), every metric, n = {n}": (call(n), _ROUNDS // 5),
    }
    for about, (calls, rounds) in measured.items():
        times = times_of(calls, rounds)
        for take, word in ((min, "best"), (statistics.median, "median")):
            without, both = (take(found) / 1e3 for found in times.values())
            print(
                f"{about}, {word}: {without:.1f} µs without, {both:.1f} µs with: "
                f"{both - without:.1f} µs more, ratio {both / without:.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Many threads beside one: wall time, only where a probe shows as many free cores right then."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

import karat
from benchmarks.cases.data import labels, many_classes, two_classes, weights
from benchmarks.limits import FREE, free_cores

LEAST: Final = 1.5
N_ROUNDS: Final = 9
LEAST_S: Final = 0.25
"""Short calls take turns until they have run so long: a thread that wakes late is most of one."""
N_TRIES: Final = 6


@dataclass(frozen=True)
class Shared:
    """One call on one thread and on more of them.

    Attributes:
        name: what is computed on which data.
        threads: how many, ascending from 1.
        seconds: median wall time of each, alternated; none: there were not as many free cores, or
            the answers differ.
        free_cores: what the probes around it saw, the least of both.
        disagreement: that the answers are not the same bits.
    """

    name: str
    threads: Sequence[int]
    seconds: Sequence[float]
    free_cores: float
    disagreement: str | None = None

    @property
    def is_limit(self) -> bool:
        """Whether it is no case of karat."""
        return self.name.startswith("limit: ")

    @property
    def ratios(self) -> list[float]:
        """The time of one thread over that of each."""
        return [self.seconds[0] / each for each in self.seconds]


def confusion(n: int) -> Callable[[int], Any]:
    y_true, y_pred = labels(n, 10)
    return lambda threads: karat.confusion_matrix(y_true, y_pred, n_threads=threads)


def weighted_confusion(n: int) -> Callable[[int], Any]:
    y_true, y_pred = labels(n, 10)
    w = weights(n)
    return lambda threads: karat.confusion_matrix(y_true, y_pred, weights=w, n_threads=threads)


def log_loss(n: int, k: int) -> Callable[[int], Any]:
    y, p = many_classes(n, k)
    return lambda threads: karat.log_loss(y, y_prob=p, n_threads=threads)


def logits_log_loss(n: int, k: int) -> Callable[[int], Any]:
    y, p = many_classes(n, k)
    z = np.log(p)
    return lambda threads: karat.log_loss(y, y_logit=z, n_threads=threads)


def roc_auc(n: int, dtype: Any) -> Callable[[int], Any]:
    y, s = two_classes(n, dtype)
    return lambda threads: karat.roc_auc(y, y_score=s, n_threads=threads)


def average_precision(n: int) -> Callable[[int], Any]:
    y, s = two_classes(n)
    return lambda threads: karat.average_precision(y, y_score=s, n_threads=threads)


def one_vs_rest(n: int, k: int) -> Callable[[int], Any]:
    y, p = many_classes(n, k)
    return lambda threads: karat.roc_auc_ovr_macro(y, y_prob=p, n_threads=threads)


def one_vs_one(n: int, k: int) -> Callable[[int], Any]:
    y, p = many_classes(n, k)
    return lambda threads: karat.roc_auc_ovo_macro(y, y_prob=p, n_threads=threads)


def report(n: int, k: int) -> Callable[[int], Any]:
    y, p = two_classes(n) if k == 2 else many_classes(n, k)
    return lambda threads: str(
        karat.evaluate(y, y_prob=p, reading=karat.Reading(n_threads=threads))
    )


def sorted_apart(n: int, dtype: Any) -> Callable[[int], Any]:
    """Keys of one column a thread, copied and sorted by NumPy: what karat's sorts are made of."""
    keys = np.random.default_rng(0).random(n).astype(dtype)
    columns = [keys[::step].copy() for step in (1, -1)]
    buffers = [np.empty_like(keys) for _ in columns]

    def sort(i: int) -> None:
        np.copyto(buffers[i], columns[i])
        buffers[i].sort()

    return _spread(sort, len(columns))


def read_apart(n_bytes: int) -> Callable[[int], Any]:
    """Half of the memory a thread, read once."""
    halves = [np.arange(n_bytes // 16) for _ in range(2)]
    return _spread(lambda i: halves[i].max(), len(halves))


def _spread(task: Callable[[int], Any], n_tasks: int) -> Callable[[int], Any]:
    """All tasks on so many Python threads; NumPy gives up the GIL."""
    pool = ThreadPoolExecutor(n_tasks)

    def call(threads: int) -> Any:
        if threads == 1:
            return [task(i) for i in range(n_tasks)] and 0
        return list(pool.map(task, range(n_tasks))) and 0

    return call


MILLION = 1_000_000
LIMITS: dict[str, Callable[[], Callable[[int], Any]]] = {
    "limit: two columns of 1e6 32-bit keys, sorted": partial(sorted_apart, MILLION, np.float32),
    "limit: 16 MB read": partial(read_apart, 16 * MILLION),
    "limit: 160 MB read": partial(read_apart, 160 * MILLION),
}
"""What two threads gain that have nothing to do with each other: no more than that is to be had."""
CASES: dict[str, Callable[[], Callable[[int], Any]]] = {
    "confusion, int64, n=1e6, K=10": partial(confusion, MILLION),
    "confusion, int64, n=1e7, K=10": partial(confusion, 10 * MILLION),
    "weighted confusion, int64, n=1e7, K=10": partial(weighted_confusion, 10 * MILLION),
    "log-loss, float64, n=1e6, K=10": partial(log_loss, MILLION, 10),
    "logits log-loss, float64, n=1e6, K=10": partial(logits_log_loss, MILLION, 10),
    "ROC AUC, float64, n=1e6": partial(roc_auc, MILLION, np.float64),
    "ROC AUC, float32, n=1e6": partial(roc_auc, MILLION, np.float32),
    "ROC AUC, float64, n=1e7": partial(roc_auc, 10 * MILLION, np.float64),
    "average precision, float64, n=1e6": partial(average_precision, MILLION),
    "ROC AUC one-vs-rest, float64, n=1e6, K=10": partial(one_vs_rest, MILLION, 10),
    "ROC AUC one-vs-one, float64, n=1e6, K=10": partial(one_vs_one, MILLION, 10),
    "report, printed, n=1e6, K=2": partial(report, MILLION, 2),
    "report, printed, n=1e6, K=10": partial(report, MILLION, 10),
}


def measure(n_rounds: int = N_ROUNDS, n_tries: int = N_TRIES) -> list[Shared]:
    """Every case; one whose cores were busy is tried again a few times, then told without times."""
    return [_measured(name, make(), n_rounds, n_tries) for name, make in CASES.items()]


def measure_limits(n_rounds: int = N_ROUNDS, n_tries: int = N_TRIES) -> list[Shared]:
    """The same of what two threads gain at most on this machine."""
    return [_measured(name, make(), n_rounds, n_tries) for name, make in LIMITS.items()]


def counts() -> tuple[int, ...]:
    """Numbers of threads to measure: 1, 2, 4, … up to the cores; 2 at least."""
    most = max(2, os.cpu_count() or 1)
    return tuple(1 << power for power in range(most.bit_length()) if 1 << power <= most)


def _measured(name: str, call: Callable[[int], Any], n_rounds: int, n_tries: int) -> Shared:
    threads = counts()
    answers = {np.asarray(call(each)).tobytes() for each in threads}
    if len(answers) > 1:
        return Shared(name, threads, [], 0.0, "the bits depend on the number of threads")
    cores = 0.0
    for _ in range(n_tries):
        before = free_cores(threads[-1])
        times: dict[int, list[float]] = {each: [] for each in threads}
        turn, spent = 0, 0.0
        while turn < n_rounds or spent < LEAST_S:
            for each in threads if turn % 2 else threads[::-1]:
                start = time.perf_counter()
                call(each)
                times[each].append(time.perf_counter() - start)
                spent += times[each][-1]
            turn += 1
        cores = min(before, free_cores(threads[-1]))
        if cores >= FREE * threads[-1]:
            return Shared(
                name, threads, [statistics.median(times[each]) for each in threads], cores
            )
    return Shared(name, threads, [], cores)

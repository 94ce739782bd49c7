"""Two threads beside one: wall time, only where a probe shows two free cores then and there."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

import karat
from benchmarks.cases.data import labels, many_classes, two_classes, weights
from benchmarks.limits import TWO_CORES, free_cores

LEAST: Final = 1.5
N_ROUNDS: Final = 9
N_TRIES: Final = 6


@dataclass(frozen=True)
class Pair:
    """One call on one and on two threads.

    Attributes:
        name: what is computed on which data.
        one_seconds, two_seconds: median wall time, alternated; None: no two free cores were seen,
            or the answers differ.
        free_cores: what the probes around it saw, the least of both.
        disagreement: that the answers are not the same bits.
    """

    name: str
    one_seconds: float | None
    two_seconds: float | None
    free_cores: float
    disagreement: str | None = None

    @property
    def ratio(self) -> float | None:
        """The time of one thread over that of two."""
        if self.one_seconds is None or self.two_seconds is None:
            return None
        return self.one_seconds / self.two_seconds


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
    return lambda threads: karat.log_loss(y, y_score=z, n_threads=threads)


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


MILLION = 1_000_000
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
}


def measure(n_rounds: int = N_ROUNDS, n_tries: int = N_TRIES) -> list[Pair]:
    """Every case; one whose cores were busy is tried again a few times, then told without times."""
    return [_measured(name, make(), n_rounds, n_tries) for name, make in CASES.items()]


def _measured(name: str, call: Callable[[int], Any], n_rounds: int, n_tries: int) -> Pair:
    one, two = (np.asarray(call(threads)).tobytes() for threads in (1, 2))
    if one != two:
        return Pair(name, None, None, 0.0, "two threads give other bits than one")
    cores = 0.0
    for _ in range(n_tries):
        before = free_cores()
        times: dict[int, list[float]] = {1: [], 2: []}
        for turn in range(n_rounds):
            for threads in (1, 2) if turn % 2 else (2, 1):
                start = time.perf_counter()
                call(threads)
                times[threads].append(time.perf_counter() - start)
        cores = min(before, free_cores())
        if cores >= TWO_CORES:
            return Pair(name, statistics.median(times[1]), statistics.median(times[2]), cores)
    return Pair(name, None, None, cores)

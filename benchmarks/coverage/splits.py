"""Left-out folds of studies of cross-validation, and their simulations on several processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

Floats = np.ndarray


@dataclass(frozen=True)
class Splits:
    """Left-out folds of nested cross-validation.

    Attributes:
        fold: int[r, n], fold of each row in each repeat.
        kept: bool[b, n], training rows of each model.
        repeat, first, second: int[b], the repeat and the left-out folds of it; −1: one fold alone.
    """

    fold: Floats
    kept: Floats
    repeat: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, rng: np.random.Generator, n: int, n_folds: int, n_repeats: int) -> Splits:
        fold = np.stack([rng.permutation(np.arange(n) % n_folds) for _ in range(n_repeats)])
        sets = [(k, -1) for k in range(n_folds)] + list(combinations(range(n_folds), 2))
        first, second = np.tile(np.array(sets), (n_repeats, 1)).T
        repeat = np.repeat(np.arange(n_repeats), len(sets))
        rows = fold[repeat]
        kept = (rows != first[:, None]) & (rows != second[:, None])
        return cls(fold, kept, repeat, first, second)

    def tested(self, losses: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Loss, repeat, fold and other left-out fold of each prediction."""
        model, row = np.nonzero(~self.kept)
        fold = self.fold[self.repeat[model], row]
        other = np.where(fold == self.first[model], self.second[model], self.first[model])
        other = np.where(self.second[model] < 0, -1, other)
        return losses[model, row], self.repeat[model], fold, other


def map_jobs(work: Callable[[Any], Any], tasks: Iterable[Any], n_jobs: int) -> list[Any]:
    """Results of the tasks in their order; each task has its own seed, so `n_jobs` alters none."""
    if n_jobs <= 1:
        return [work(task) for task in tasks]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, mp_context=context) as pool:
        return list(pool.map(work, tasks))

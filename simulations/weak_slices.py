"""Weak slices among 20 columns of 10⁴ rows: false findings in noise, and one that is planted.

``python -m simulations.weak_slices [data sets]`` prints both rates; those of crosses and of other
designs are in `benchmarks/weak_slices.py`.
"""

from __future__ import annotations

import sys

import numpy as np

import karat
from karat.inference.limits import wilson_limits
from karat.inference.slices.weak import WeakSlices

__all__ = ["columns", "noise", "planted"]


def columns(rng: np.random.Generator, n: int, n_columns: int) -> dict[str, np.ndarray]:
    """Half of them of 2 to 20 values of different frequency, half of real numbers."""
    found = {}
    for i in range(n_columns):
        if i % 2:
            found[f"x{i}"] = rng.normal(size=n)
        else:
            k = int(rng.integers(2, 20))
            found[f"c{i}"] = rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0)))
    return found


def noise(seed: int, n: int = 10_000, n_columns: int = 20, n_permutations: int = 199) -> WeakSlices:
    """10 % of the rows are wrong, whatever the columns hold."""
    rng = np.random.default_rng(seed)
    wrong = (rng.random(n) < 0.1).astype(float)
    how = karat.Interval(n_replicates=n_permutations, seed=seed)
    return karat.find_weak_slices(by=columns(rng, n, n_columns), loss=wrong, interval=how)


def planted(
    seed: int, n: int = 10_000, n_columns: int = 20, n_permutations: int = 199
) -> tuple[bool, WeakSlices]:
    """A slice of 5 % of the rows is wrong in 20 %; whether it is found, as the surest of all."""
    rng = np.random.default_rng(seed)
    table = columns(rng, n, n_columns)
    table["site"] = np.where(rng.random(n) < 0.05, 0, 1 + rng.integers(0, 9, n))
    wrong = (rng.random(n) < np.where(table["site"] == 0, 0.2, 0.1)).astype(float)
    how = karat.Interval(n_replicates=n_permutations, seed=seed)
    found = karat.find_weak_slices(by=table, loss=wrong, interval=how)
    return any((one.columns, one.key) == (("site",), ("0",)) for one in found), found


def main(n: int) -> None:
    """Print both rates."""
    for name, hits in (
        ("pure noise: some weak slice", sum(bool(noise(seed)) for seed in range(n))),
        ("planted slice found", sum(planted(seed)[0] for seed in range(n))),
    ):
        low, high = (100 * float(x) for x in wilson_limits(hits / n, n, 1.96))
        told = f"{100 * hits / n:.1f} % [{low:.1f}, {high:.1f}]"
        print(f"{name}: {hits} of {n}, {told} (seeds 0 to {n - 1})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)

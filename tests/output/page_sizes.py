"""How large the page of a report is, and how long it takes to write.

python -m tests.output.page_sizes
"""

from __future__ import annotations

import time

import numpy as np

import karat

LIMIT = 300_000
"""Bytes that a page has at most."""

CASES = ((150, 3), (150, 2), (1_797, 10), (1_000_000, 2), (1_000_000, 10), (1_000_000, 100))


def size_of(n: int, k: int) -> tuple[int, float]:
    """Bytes of the page of n rows with probabilities of k classes, and seconds to write it."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    prob = rng.random((n, k))
    prob[np.arange(n), truth] += 0.6
    prob /= prob.sum(axis=1, keepdims=True)
    names = [f"class number {i}" for i in range(k)]
    report = karat.evaluate(truth, y_prob=prob, labels=karat.Labels(list(range(k)), names=names))
    start = time.perf_counter()
    text = report.to_html()
    return len(text.encode()), time.perf_counter() - start


def main() -> None:
    size_of(150, 2)
    for n, k in CASES:
        n_bytes, seconds = size_of(n, k)
        print(f"n = {n:>9,}  K = {k:>3}: {n_bytes / 1000:6.1f} kB, {seconds:5.2f} s")


if __name__ == "__main__":
    main()

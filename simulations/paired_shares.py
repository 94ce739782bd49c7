"""Levels of the tests of paired recall and specificity, by enumeration of all samples.

``python -m simulations.paired_shares`` prints the largest probability of p < 5 % and p < 1 % of two
models with the same recall, over all probabilities that they differ on a row.
"""

from __future__ import annotations

import numpy as np

import karat

__all__ = ["largest_levels", "p_values"]


def p_values(n: int, metric: str = "recall") -> dict[tuple[int, int], float]:
    """The p-value of every number of rows that a and b alone have right, of n rows of a class.

    On the other rows of the class three of four have both right, and one has neither.
    """
    is_recall = metric == "recall"
    true = np.repeat([1, 0], [n, 50]) if is_recall else np.repeat([0, 1], [n, 50])
    found = {}
    for b in range(n + 1):
        for c in range(min(b, n - b) + 1):
            wrong_a, wrong_b = (np.zeros(n + 50, bool) for _ in range(2))
            wrong_b[:b] = wrong_a[b : b + c] = True
            neither = (n - b - c) // 4
            wrong_a[b + c : b + c + neither] = wrong_b[b + c : b + c + neither] = True
            models = {
                "b": np.where(wrong_b, 1 - true, true),
                "a": np.where(wrong_a, 1 - true, true),
            }
            p = karat.compare(true, models, metrics=[metric])[metric].p
            assert p is not None
            found[b, c] = found[c, b] = p
    return found


def largest_levels(p: dict[tuple[int, int], float], levels: tuple[float, ...]) -> list[float]:
    """The largest probability of a p-value below each level."""
    from scipy.stats import binom

    n = max(b + c for b, c in p)
    found = np.zeros(len(levels))
    rejects = np.zeros((len(levels), n + 1))
    for (b, c), value in p.items():
        rejects[:, b + c] += np.less(value, levels) * binom.pmf(b, b + c, 0.5)
    for apart in np.linspace(0.005, 1.0, 200):
        found = np.maximum(found, rejects @ binom.pmf(np.arange(n + 1), n, apart))
    return found.tolist()


def main() -> None:
    """Print the largest level of each metric and number of rows."""
    for metric in ("recall", "specificity"):
        for n in (20, 30, 40):
            of_5, of_1 = largest_levels(p_values(n, metric), (0.05, 0.01))
            print(f"{metric}, {n} rows: {100 * of_5:.2f} % at 5 %, {100 * of_1:.2f} % at 1 %")


if __name__ == "__main__":
    main()

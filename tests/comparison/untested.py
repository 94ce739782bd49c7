"""Count the metrics of a report that `compare` tests: ``python -m tests.comparison.untested``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

import karat


def comparisons(n: int = 400) -> Iterator[tuple[str, Any]]:
    """Comparisons of two models by every metric of their reports."""
    for k in (2, 10):
        rng = np.random.default_rng(k)
        true = rng.integers(0, k, n)
        models = {}
        for name, strength in (("old", 1.0), ("new", 1.6)):
            z = rng.normal(size=(n, k))
            z[np.arange(n), true] += strength
            e = np.exp(z)
            models[name] = e / e.sum(axis=1, keepdims=True)
        yield f"K = {k}", karat.compare(true, y_prob=models, metrics="all")
    rng = np.random.default_rng(3)
    true = (rng.random((n, 6)) < 0.3).astype(int)
    z = true + rng.normal(size=(2, n, 6))
    models = {"old": 1 / (1 + np.exp(-z[0])), "new": 1 / (1 + np.exp(0.5 - 1.4 * z[1]))}
    yield "sets of 6 labels", karat.compare(true, y_prob=models, metrics="all")


def counts(comparison: Any) -> tuple[int, int, int, Counter[str]]:
    """Metrics; those with interval and p; those not tested; these by their reason."""
    each = list(comparison)
    tested = [one for one in each if one.p is not None and one.low is not None]
    untested = [one for one in each if one.verdict == "not tested"]
    return len(each), len(tested), len(untested), Counter(str(one.remark) for one in untested)


def main() -> None:
    for name, comparison in comparisons():
        n, n_tested, n_untested, reasons = counts(comparison)
        print(f"{name}: {n} metrics, {n_tested} with interval and p, {n_untested} not tested")
        for reason, n_metrics in reasons.most_common():
            print(f"  {n_metrics}: {reason}")
        rest = [
            x for x in comparison if x.verdict != "not tested" and (x.p is None or x.low is None)
        ]
        for one in rest:
            print(f"  without interval: {one}")


if __name__ == "__main__":
    main()

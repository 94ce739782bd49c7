"""A million labels: time and memory of the metrics of extreme classification.

    python -m benchmarks.many_labels --rows 100000 --labels 1000000

Five true and up to a hundred listed labels a row, three of the true ones listed. The answers of a
thousand rows are compared with plain NumPy first. Memory is the peak of the process, data included.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from typing import Any, Final

import numpy as np
import scipy.sparse
from sklearn.metrics import f1_score

import karat
from karat.metrics import Metric, get

LISTED, TRUE, FOUND = 100, 5, 3
"""Listed labels of a row, true ones, and those of them that are listed."""
PLACES: Final = (1, 3, 5)
CHECKED: Final = 1000


def rows(n: int, k: int, seed: int = 26) -> tuple[Any, Any, Any]:
    """Truth and listed scores as sparse matrices [n, k], and counts of the training data [k]."""
    rng = np.random.default_rng(seed)
    at = np.repeat(np.arange(n), LISTED)
    # Rounded to thousandths: some scores of a row tie.
    values = 1.0 + rng.integers(0, 1000, n * LISTED) / 1000
    listed = scipy.sparse.coo_matrix((values, (at, rng.integers(0, k, n * LISTED))), (n, k))
    scores = listed.tocsr()
    scores.data = np.minimum(scores.data, 2.0)  # of a label that was drawn twice
    own = scores.indices[(scores.indptr[:-1, None] + rng.integers(0, 90, (n, FOUND))).reshape(-1)]
    others = rng.integers(0, k, n * (TRUE - FOUND))
    labels = np.concatenate([own, others])
    at = np.concatenate([np.repeat(np.arange(n), FOUND), np.repeat(np.arange(n), TRUE - FOUND)])
    true = scipy.sparse.csr_matrix((np.ones(len(labels), np.int8), (at, labels)), (n, k))
    true.data[:] = 1
    return true, scores, rng.integers(1, 1000, k)


def wanted(counts: Any, n_train: int) -> list[Metric]:
    """P@k, nDCG@k and PSP@k of the first, three and five labels, and macro F1."""
    found = []
    for k in PLACES:
        found += [get(f"samples_precision_at_{k}"), get(f"ndcg(k={k})")]
        given = {"k": k, "label_counts": counts, "n_train": n_train}
        record = get("propensity_scored_precision_at_k").record
        found.append(Metric.of(record, "plain", given))
    return [*found, get("macro_f1")]


def measured(true: Any, scores: Any, counts: Any, level: float | None) -> dict[str, float]:
    metrics = wanted(counts, 10 * true.shape[0])
    report = karat.evaluate(true, y_score=scores, threshold=1.9, metrics=metrics, level=level)
    found = {}
    for metric in metrics:
        result = report[metric]
        # Without the counts of a million labels.
        found[str(metric) if metric.record.numbered else metric.full] = result.value
    return found


def plainly(true: Any, scores: Any, counts: Any) -> dict[str, float]:
    """P@k and PSP@k by the chance of each label to stand among the first k; macro F1."""
    n = true.shape[0]
    n_train = 10 * n
    c = (np.log(n_train) - 1.0) * 2.5**0.55
    weight = 1.0 + c * (counts + 1.5) ** -0.55
    found: dict[str, float] = {}
    for at in PLACES:
        hits = own = best = 0.0
        for i in range(n):
            listed, s = scores[i].indices, scores[i].data
            mine = true[i].indices
            for label in mine[np.isin(mine, listed)]:
                score = s[listed == label][0]
                chance = np.clip((at - np.sum(s > score)) / np.sum(s == score), 0.0, 1.0)
                hits += chance
                own += chance * weight[label]
            best += np.sort(weight[mine])[::-1][:at].sum()
        found[f"samples_precision_at_{at}"] = hits / (at * n)
        found[f"propensity_scored_precision_at_{at}"] = own / best
    occurs = scores.copy()
    occurs.data = (occurs.data >= 1.9).astype(np.int8)
    occurs.eliminate_zeros()
    found["macro_f1"] = float(f1_score(true, occurs, average="macro", zero_division=0))
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_labels", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    few = rows(CHECKED, 5000)
    here, there = measured(*few, None), plainly(*few)
    for name, value in there.items():
        assert abs(here[name] - value) <= 1e-10, (name, here[name], value)
    print(f"{len(there)} answers of {CHECKED} rows are those of NumPy and scikit-learn")
    true, scores, counts = rows(options.rows, options.labels)
    print(f"{options.rows:,} rows, {options.labels:,} labels, data {_peak():.2f} GB")
    for level in (None, 0.95):
        clock, cpu = time.perf_counter(), time.process_time()
        found = measured(true, scores, counts, level)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        told = "with intervals" if level else "without intervals"
        print(f"{len(found)} metrics {told}: {clock:.2f} s ({cpu:.2f} s CPU), {_peak():.2f} GB")
    return 0


def _peak() -> float:
    """GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

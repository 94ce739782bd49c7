"""What an update costs beside torchmetrics: `python -m benchmarks.torchmetrics_cost`.

Answers first, then processor time of both in turn, one thread; the best and the median of many.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ["KARAT_NUM_THREADS"] = "1"

import torch
import torchmetrics
import torchmetrics.classification

import karat.compat.torchmetrics as ours

theirs = torchmetrics.classification
K, N = 10, 1024
MOST = {
    "10 metrics of labels": 0.5,
    "10 metrics of probabilities": 0.5,
    "AUROC(thresholds=200)": 0.1,
}
"""An update may cost so many times that of torchmetrics, at best."""
_ROUNDS = 30
_UPDATES = {"AUROC(thresholds=200)": 5}


def counts(home: Any) -> dict[str, Any]:
    """Ten metrics that read one confusion matrix."""
    return {
        "accuracy": home.MulticlassAccuracy(K),
        "hits": home.MulticlassAccuracy(K, average="micro"),
        "f1": home.MulticlassF1Score(K),
        "f2": home.MulticlassFBetaScore(2.0, K, average="weighted"),
        "precision": home.MulticlassPrecision(K),
        "recall": home.MulticlassRecall(K, average=None),
        "specificity": home.MulticlassSpecificity(K),
        "cells": home.MulticlassConfusionMatrix(K),
        "kappa": home.MulticlassCohenKappa(K),
        "matthews": home.MulticlassMatthewsCorrCoef(K),
    }


def area(home: Any) -> dict[str, Any]:
    return {"area": home.MulticlassAUROC(K, thresholds=200)}


def cases() -> dict[str, tuple[Callable[[Any], dict[str, Any]], Any, Any]]:
    """Name → the metrics, predictions and targets of one batch."""
    made = torch.Generator().manual_seed(1)
    target = torch.randint(0, K, (N,), generator=made)
    labels = torch.randint(0, K, (N,), generator=made)
    scores = torch.randn((N, K), generator=made).softmax(1)
    return {
        "10 metrics of labels": (counts, labels, target),
        "10 metrics of probabilities": (counts, scores, target),
        "AUROC(thresholds=200)": (area, scores, target),
    }


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(torch.allclose(a[n].double(), b[n].double(), atol=1e-6) for n in a) and len(
        a
    ) == len(b)


def main() -> int:
    """Print the ratios; the exit status is 1 when an answer differs or one is too large."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    is_met = True
    for name, (metrics, preds, target) in cases().items():
        made = {
            "karat": ours.MetricCollection(metrics(ours)),
            "torchmetrics": torchmetrics.MetricCollection(metrics(theirs)),
        }
        for collection in made.values():
            for _ in range(3):
                collection.update(preds, target)
        assert same(made["karat"].compute(), made["torchmetrics"].compute()), name
        times: dict[str, list[float]] = {key: [] for key in made}
        n_updates = _UPDATES.get(name, 50)
        for _ in range(_ROUNDS):
            for key, collection in made.items():
                start = time.process_time_ns()
                for _ in range(n_updates):
                    collection.update(preds, target)
                times[key].append((time.process_time_ns() - start) / n_updates / 1e3)
        best, median = (
            {key: take(found) for key, found in times.items()} for take in (min, statistics.median)
        )
        ratio = best["karat"] / best["torchmetrics"]
        print(
            f"{name}, {N} rows, {K} classes, per update: karat {best['karat']:.0f} µs, "
            f"torchmetrics {best['torchmetrics']:.0f} µs; ratio {ratio:.4f} at best, "
            f"{median['karat'] / median['torchmetrics']:.4f} in the median"
        )
        is_met = is_met and ratio <= MOST[name]
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())

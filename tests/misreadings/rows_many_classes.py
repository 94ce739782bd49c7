"""Section 5: many classes in the drop-in for torchmetrics and in `compare`, names of hosts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import karat
from tests.misreadings.table import row


def _state(name: str, **options: Any) -> str:
    """Numbers in the state of a metric after a batch of 100 rows, and its value."""
    import torch

    import karat.compat.torchmetrics as home

    metric = getattr(home, name)(**options)
    target = torch.arange(100)
    metric.update(target.where(target < 80, target - 1), target)
    state = metric.metric_state.values()
    parts = [one for own in state for one in (own if isinstance(own, list) else [own])]
    return f"{sum(one.numel() for one in parts)} numbers: {metric.compute():.4f}"


@row(5, "torchmetrics drop-in: micro accuracy of 1,000,000 classes", r"2 numbers: 0\.8000")
def micro_of_a_million_classes() -> object:
    return _state("MulticlassAccuracy", num_classes=10**6, average="micro")


@row(5, "torchmetrics drop-in: weighted accuracy of 1,000,000 classes", r"3000000 numbers: 0\.8000")
def weighted_of_a_million_classes() -> object:
    return _state("MulticlassAccuracy", num_classes=10**6, average="weighted")


@row(5, "torchmetrics drop-in: macro F1 of 20,000 classes", r"60000 numbers: 0\.7967")
def macro_of_many_classes() -> object:
    return _state("MulticlassF1Score", num_classes=20_000)


@row(5, "torchmetrics drop-in: weighted kappa of 20,000 classes", r"200 numbers: 0\.9999")
def weighted_kappa_of_many_classes() -> object:
    return _state("MulticlassCohenKappa", num_classes=20_000, weights="quadratic")


@row(
    5,
    'hasattr(karat.compat.torchmetrics, "BLEUScore")',
    r"False; K622 .* use the metric of torchmetrics, .*",
)
def name_of_another_field() -> object:
    import karat.compat.torchmetrics as home

    try:
        from karat.compat.torchmetrics import BLEUScore  # type: ignore[attr-defined]
    except ImportError as problem:
        return f"{hasattr(home, 'BLEUScore')}; {problem}"
    return BLEUScore


@row(5, "compare: p bounded by the number of replicates", r"<0\.0020 p < 0\.002 0\.002")
def p_bounded_by_replicates() -> object:
    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat(np.arange(60), 5))
    bad, good = (np.where(rng.random(300) < part, y, rng.integers(0, 60, 300)) for part in (0.5, 1))
    models = {"bad": bad, "good": good}
    found = karat.compare(
        y, models, metrics=["macro_f1"], interval=karat.Interval(n_replicates=499)
    )
    one = found.differences[0]
    shown = next(word for word in str(found).split() if word.startswith("<"))
    return f"{shown} {re.findall(r'p [<=] [0-9.]+', str(one))[0]} {one.p:g}"

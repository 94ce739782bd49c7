"""Log-loss of logits beside torch's cross entropy, on one thread."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

import karat
from benchmarks.case import KARAT, LIMIT, TORCH, Candidates, Case, Goal
from benchmarks.cases.data import labels, logits
from benchmarks.limits import read_once

ROUNDED_64, ROUNDED_32 = 1e-10, 2e-5
"""Of float32, torch also adds up in float32; karat in float64."""


def cross_entropy(n: int, k: int, dtype: Any, order: str = "C") -> Candidates:
    torch.set_num_threads(1)
    y, z = logits(n, k, dtype, order)
    target, scores = torch.from_numpy(y), torch.from_numpy(z)
    return {
        KARAT: lambda: karat.log_loss(y, y_logit=z),
        TORCH: lambda: torch.nn.functional.cross_entropy(scores, target).item(),
        LIMIT: read_once(y, z),
    }


def confusion(n: int, k: int) -> Candidates:
    torch.set_num_threads(1)
    y_true, y_pred = labels(n, k)
    true, pred = torch.from_numpy(y_true), torch.from_numpy(y_pred)
    return {
        KARAT: lambda: karat.confusion_matrix(true, pred),
        TORCH: lambda: torch.bincount(true * k + pred, minlength=k * k).reshape(k, k).numpy(),
        LIMIT: read_once(y_true, y_pred),
    }


CASES = (
    *(
        Case(
            f"logits log-loss, {np.dtype(dtype).name}, {order} order, n={n:.0e}, K={k}".replace(
                "e+0", "e"
            ),
            partial(cross_entropy, n, k, dtype, order),
            goal,
            ROUNDED_64 if dtype is np.float64 else ROUNDED_32,
            peer=TORCH,
        )
        for n, k, dtype, order, goal in (
            (1_000_000, 10, np.float32, "C", Goal(5, 8.4)),
            (200_000, 100, np.float32, "C", Goal(5, 7.7)),
            (20_000, 1000, np.float32, "C", Goal(5, 11)),
            (1_000_000, 10, np.float64, "C", Goal(5, 8)),
            (1_000_000, 10, np.float64, "F", Goal(5, 12)),
            (200_000, 100, np.float64, "C", Goal(5, 8)),
            (20_000, 1000, np.float64, "C", Goal(5, 8.2)),
        )
    ),
    Case(
        "confusion of tensors, int64, n=1e7, K=10", partial(confusion, 10_000_000, 10), peer=TORCH
    ),
)

"""Functions of torchmetrics on CPU tensors, beside karat on the same tensors; one thread."""

from __future__ import annotations

from functools import partial

import torch
from torchmetrics import functional as peer

import karat
from benchmarks.case import KARAT, LIMIT, TORCHMETRICS, Candidates, Case
from benchmarks.cases.data import labels, many_classes, two_classes
from benchmarks.limits import read_once, sort_once

ROUNDED = 2e-6
"""torchmetrics divides in float32."""


def macro_f1(n: int, k: int) -> Candidates:
    torch.set_num_threads(1)
    y_true, y_pred = labels(n, k)
    true, pred = torch.from_numpy(y_true), torch.from_numpy(y_pred)
    return {
        KARAT: lambda: karat.f1(true, pred, average="macro"),
        TORCHMETRICS: lambda: peer.classification.multiclass_f1_score(
            pred, true, k, average="macro"
        ).item(),
        LIMIT: read_once(y_true, y_pred),
    }


def confusion(n: int, k: int) -> Candidates:
    torch.set_num_threads(1)
    y_true, y_pred = labels(n, k)
    true, pred = torch.from_numpy(y_true), torch.from_numpy(y_pred)
    return {
        KARAT: lambda: karat.confusion_matrix(true, pred),
        TORCHMETRICS: lambda: peer.classification.multiclass_confusion_matrix(
            pred, true, k
        ).numpy(),
        LIMIT: read_once(y_true, y_pred),
    }


def roc_auc(n: int) -> Candidates:
    torch.set_num_threads(1)
    y, s = two_classes(n)
    true, score = torch.from_numpy(y), torch.from_numpy(s)
    return {
        KARAT: lambda: karat.roc_auc(true, y_score=score),
        TORCHMETRICS: lambda: peer.classification.binary_auroc(score, true).item(),
        LIMIT: sort_once(s),
    }


def roc_auc_of_classes(n: int, k: int) -> Candidates:
    torch.set_num_threads(1)
    y, p = many_classes(n, k)
    true, score = torch.from_numpy(y), torch.from_numpy(p)
    return {
        KARAT: lambda: karat.roc_auc_ovr_macro(true, y_prob=score),
        TORCHMETRICS: lambda: peer.classification.multiclass_auroc(score, true, k).item(),
        LIMIT: sort_once(p[:, 0].copy(), k),
    }


CASES = (
    Case(
        "macro F1 of tensors, n=1000, K=10", partial(macro_f1, 1000, 10),
        within=ROUNDED, peer=TORCHMETRICS,
    ),
    Case(
        "macro F1 of tensors, n=1e6, K=10", partial(macro_f1, 1_000_000, 10),
        within=ROUNDED, peer=TORCHMETRICS,
    ),
    Case(
        "confusion of tensors, n=1e6, K=10", partial(confusion, 1_000_000, 10),
        peer=TORCHMETRICS,
    ),
    Case(
        "ROC AUC of tensors, n=1e6", partial(roc_auc, 1_000_000),
        within=1e-4, peer=TORCHMETRICS,
    ),
    Case(
        "ROC AUC one-vs-rest of tensors, n=1e5, K=10", partial(roc_auc_of_classes, 100_000, 10),
        within=1e-4, peer=TORCHMETRICS,
    ),
)  # fmt: skip

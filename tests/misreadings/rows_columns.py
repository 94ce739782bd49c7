"""Section 1: the meaning of a column or number."""

from __future__ import annotations

import numpy as np

import karat
from tests.misreadings.table import row


def _logits(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and two columns c ∓ z whose level c carries nothing."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, n)
    z = y_true - 0.5 + rng.normal(0.0, 0.5, n)
    c = rng.normal(0.0, 2.0, n)
    return y_true, np.column_stack([c - z, c + z])


@row(1, "two columns of logits, c−z and c+z: ROC AUC", r"0\.9\d+")
def two_columns_of_logits() -> object:
    y_true, logits = _logits()
    return round(karat.roc_auc(y_true, y_score=logits), 4)

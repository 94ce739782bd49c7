"""A pytest plugin: scikit-learn's own tests run on the scorers of karat.

Wherever a test asks for a scorer by name (``get_scorer("f1_macro")``, ``scoring="f1_macro"``), it
gets `karat.scorer` of the same metric. SHIPPED_RESULTS names the file for what was seen: of each
test the names that it asked for, its outcome, and why it failed.
With SHIPPED_DAMAGE the scores are slightly wrong.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest
from sklearn.metrics import _scorer

import karat
from karat.api.scorer import Scorer
from tests.oracles.shipped import current, pytest_runtest_logreport, pytest_sessionfinish, recorded

__all__ = ["pytest_runtest_logreport", "pytest_sessionfinish"]

NAMES = {
    "accuracy": "accuracy",
    "average_precision": "average_precision",
    "balanced_accuracy": "balanced_accuracy",
    "d2_log_loss_score": "d2_log_loss",
    "matthews_corrcoef": "matthews_correlation",
    "neg_log_loss": "log_loss",
    "roc_auc": "roc_auc",
    "roc_auc_ovo": "roc_auc_ovo_macro",
    "roc_auc_ovo_weighted": "roc_auc_ovo_weighted",
    "roc_auc_ovr": "roc_auc_ovr_macro",
    "roc_auc_ovr_weighted": "roc_auc_ovr_weighted",
    **{name: name for name in ("f1", "jaccard", "precision", "recall")},
    **{
        f"{name}_{average}": f"{average}_{name}"
        for name in ("f1", "jaccard", "precision", "recall")
        for average in ("macro", "micro", "samples", "weighted")
    },
}
"""Scorers of scikit-learn → the metrics of karat with the same values."""


class Recorded(dict[str, Any]):
    """The table of scorers, which notes the test that looks a name up."""

    def __getitem__(self, name: str) -> Any:
        if current and name in NAMES:
            current[-1]["names"].add(name)
        return super().__getitem__(name)


def pytest_configure(config: pytest.Config) -> None:
    made = {name: karat.scorer(metric) for name, metric in NAMES.items()}
    _scorer._SCORERS = Recorded(_scorer._SCORERS | made)
    if os.environ.get("SHIPPED_DAMAGE"):
        exact = Scorer._value

        def damaged(self: Scorer, *args: Any) -> float:
            return exact(self, *args) * 0.98 + 0.0137

        Scorer._value = damaged  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with recorded(item):
        return (yield)

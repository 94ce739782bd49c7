"""A pytest plugin: scikit-learn's own tests run on the scorers of karat.

Wherever a test asks for a scorer by name (``get_scorer("f1_macro")``, ``scoring="f1_macro"``), it
gets `karat.scorer` of the same metric. SHIPPED_RESULTS names the file for what was seen: of each
test the names that it asked for, its outcome, and why it failed.
With SHIPPED_DAMAGE the scores are slightly wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import _scorer

import karat
from karat.api.scorer import Scorer

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

seen: dict[str, dict[str, Any]] = {}
current: list[dict[str, Any]] = []


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
    record: dict[str, Any] = {"names": set(), "outcome": "passed", "why": ""}
    seen[item.nodeid] = record
    current.append(record)
    try:
        return (yield)
    finally:
        current.pop()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    record = seen[report.nodeid]
    if report.outcome != "passed":
        record["outcome"] = report.outcome
        why = report.longrepr
        record["why"] = str(why[2] if isinstance(why, tuple) else why)[-3000:]


def pytest_sessionfinish() -> None:
    path = os.environ.get("SHIPPED_RESULTS")
    if path:
        plain = {key: value | {"names": sorted(value["names"])} for key, value in seen.items()}
        Path(path).write_text(json.dumps(plain), encoding="utf-8")

"""`karat.rows_needed`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import karat
from tests.corpus.calls import Call
from tests.corpus.comparisons import _compared
from tests.corpus.rows import animals, binary
from tests.corpus.wanted import FAST
from tests.grouping import grouped

MATRIX = [[80, 20], [10, 90]]
THREE = [[30, 2, 5], [1, 40, 3], [0, 6, 20]]


def calls() -> Iterator[Call]:
    goals: dict[str, dict[str, Any]] = {
        "half width": {"half_width": 0.02},
        "wide": {"half_width": 0.2},
        "difference": {"difference": 0.05},
        "power": {"difference": 0.05, "power": 0.95},
        "level": {"half_width": 0.05, "level": 0.8},
        "one side": {"half_width": 0.05, "side": "low"},
        "a test of one side": {"difference": 0.05, "side": "high"},
        "both": {"half_width": 0.05, "difference": 0.05},
        "neither": {},
        "impossible": {"half_width": 2.0},
    }
    for metric in ("accuracy", "macro_f1", "matthews_correlation", "kappa", "recall"):
        for name, goal in goals.items():
            matrix = MATRIX if metric == "recall" else THREE
            yield _call(f"{metric}, {name}", "confusion", metric, matrix, goal)
    for metric in ("roc_auc", "log_loss", "brier", "f1", "average_precision", "no_such_metric"):
        for name in ("half width", "difference", "one side"):
            yield _call(f"{metric} of a report, {name}", "report", metric, "scores", goals[name])
    for name in ("half width", "difference", "power"):
        for metric in ("accuracy", "macro_f1"):
            yield _call(
                f"{metric} of a comparison, {name}", "comparison", metric, "comparison", goals[name]
            )
            yield _call(f"{metric} of labels, {name}", "report", metric, "labels", goals[name])


def _call(name: str, source: str, metric: str, pilot: Any, goal: dict[str, Any]) -> Call:
    def run() -> Any:
        two, text = binary(), animals()
        made = pilot
        if pilot == "scores":
            made = karat.evaluate(two["label"], y_prob=two["p_yes"], **grouped(FAST))
        elif pilot == "labels":
            made = karat.evaluate(text["label"], text["pred"])
        elif pilot == "comparison":
            made = _compared()["accuracy", "new", "old"] if metric == "accuracy" else _compared()
        return karat.rows_needed(metric, pilot=made, **grouped(goal))

    return Call(name, "rows_needed", source, run)

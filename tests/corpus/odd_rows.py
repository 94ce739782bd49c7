"""`karat.evaluate` where something is undefined, tied or extreme: every metric, every policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import odd
from tests.corpus.wanted import FAST
from tests.grouping import grouped

ASKED: dict[str, dict[str, Any]] = {
    "zero": {},
    "exclude": {"undefined": "exclude", "level": None},
    "nan": {"undefined": "nan", "level": None},
    "wald": {"method": "wald", "level": 0.9},
    "low": {"side": "low"},
    "bootstrap": {"method": "bootstrap"},
}
FEW = [
    "accuracy",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "balanced_accuracy",
    "matthews_correlation",
    "kappa",
    "g_mean",
    "normalized_mutual_information",
    "micro_f1",
]


def calls() -> Iterator[Call]:
    for name, rows in odd().items():
        given = {"y_true": rows["label"]}
        for column, argument in (("pred", "y_pred"), ("prob", "y_prob"), ("score", "y_score")):
            if column in rows:
                given[argument] = rows[column]
        given |= {name: rows[name] for name in ("labels", "positive") if name in rows}
        for asked, options in ASKED.items():
            metrics = {} if asked in ("zero", "nan") else {"metrics": FEW}
            yield _call(f"{name}, {asked}", {**given, **options, **metrics})
        n = len(rows["label"])
        weights = [0.5] + [0.0] * (n - 1) if n > 1 else [2.0]
        yield _call(f"{name}, one row weighs", {**given, "weights": weights, "metrics": FEW})
        yield _call(
            f"{name}, by halves", {**given, "by": [i < n / 2 for i in range(n)], "metrics": FEW}
        )
        yield _call(
            f"{name}, clusters of two",
            {**given, "clusters": [i // 2 for i in range(n)], "metrics": FEW},
        )


def _call(name: str, given: dict[str, Any]) -> Call:
    return Call(name, "evaluate", "list", lambda: karat.evaluate(**grouped({**FAST, **given})))

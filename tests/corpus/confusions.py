"""`karat.evaluate` on confusion matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import karat
from tests.corpus.calls import Call
from tests.corpus.wanted import FAST, LABELS
from tests.grouping import grouped

TWO = [[90, 10], [4, 46]]
THREE = [[30, 2, 5], [1, 40, 3], [0, 6, 20]]
MATRICES: dict[str, Any] = {
    "list": TWO,
    "array": np.array(TWO),
    "float array": np.array(TWO, float),
    "fractions": [[3.5, 1.0], [2.25, 4.0]],
    "int32": np.array(THREE, np.int32),
    "pandas": pd.DataFrame(THREE),
    "polars": pl.DataFrame(THREE),
    "three": THREE,
    "diagonal": [[5, 0, 0], [0, 7, 0], [0, 0, 9]],
    "empty class": [[5, 0, 1], [0, 0, 0], [2, 0, 9]],
    "one column": [[5, 0], [7, 0]],
    "huge": [[2**40, 3], [5, 2**41]],
    "fifteen": (np.arange(225).reshape(15, 15) * 7 % 23).tolist(),
}


def calls() -> Iterator[Call]:
    asked: dict[str, dict[str, Any]] = {
        "plain": {},
        "wald": {"method": "wald"},
        "logit": {"method": "logit"},
        "bootstrap": {"method": "bootstrap"},
        "bca": {"method": "bca"},
        "bayesian": {"method": "bayesian"},
        "high": {"side": "high"},
        "no level": {"level": None},
        "case-control": {"design": karat.CaseControl()},
        "exclude": {"undefined": "exclude"},
    }
    for name, matrix in MATRICES.items():
        for option, given in asked.items():
            if option in ("bca", "bayesian") and name in ("huge", "fifteen", "float array"):
                continue
            metrics = None if option == "plain" else LABELS
            yield _call(f"{name}, {option}", confusion=matrix, metrics=metrics, **given)
    named = {
        "labels": karat.Labels(
            ["cat", "dog", "eel"], names={"cat": "Cat", "dog": "Dog", "eel": "Eel"}
        )
    }
    yield _call("named", confusion=THREE, metrics=LABELS, **named)
    yield _call("labels", confusion=TWO, metrics=LABELS, labels=["no", "yes"])
    yield _call("positive", confusion=TWO, labels=["no", "yes"], positive="no")


def _call(name: str, **given: Any) -> Call:
    return Call(name, "evaluate", "confusion", lambda: karat.evaluate(**grouped({**FAST, **given})))

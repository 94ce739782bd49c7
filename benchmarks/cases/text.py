"""Labels that are no integers: text, categories, dictionaries; of arrays and of frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import text_labels

N, K = 1_000_000, 10
LEAST = Goal(40)


def text_confusion(n: int, k: int, dtype: Any) -> Candidates:
    y_true, y_pred = text_labels(n, k, dtype)
    return _confusion(y_true, y_pred)


def held_confusion(n: int, k: int, hold: Callable[[npt.NDArray[Any]], Any]) -> Candidates:
    """Text in a container: of scikit-learn, which reads them all, the confusion matrix too."""
    y_true, y_pred = text_labels(n, k, object)
    return _confusion(hold(y_true), hold(y_pred))


def _confusion(y_true: Any, y_pred: Any) -> Candidates:
    return {
        KARAT: lambda: karat.confusion_matrix(y_true, y_pred),
        PEER: lambda: sklearn.confusion_matrix(y_true, y_pred),
    }


HELD: dict[str, Callable[[npt.NDArray[Any]], Any]] = {
    "pandas str": lambda text: pd.Series(text, dtype="str"),
    "pandas objects": lambda text: pd.Series(text, dtype=object),
    "pandas string[python]": lambda text: pd.Series(text, dtype="string[python]"),
    "pandas categories": lambda text: pd.Series(text, dtype="category"),
    "Polars text": lambda text: pl.Series(text.tolist()),
    "Polars categories": lambda text: pl.Series(text.tolist(), dtype=pl.Categorical),
    "Arrow text": pa.array,
    "Arrow dictionary": lambda text: pa.array(text).dictionary_encode(),
    "list of str": lambda text: text.tolist(),
}

CASES = (
    Case(
        "confusion, fixed-width strings, n=1e6, K=10",
        partial(text_confusion, N, K, np.str_),
        Goal(50, 80),
        rounds=3,
    ),
    Case(
        "confusion, object strings, n=1e6, K=10",
        partial(text_confusion, N, K, object),
        Goal(40, 100),
        rounds=2,
    ),
    *(
        Case(
            f"confusion, {name}, n=1e6, K=10",
            partial(held_confusion, N, K, hold),
            Goal() if name == "list of str" else LEAST,
            rounds=2,
        )
        for name, hold in HELD.items()
    ),
)

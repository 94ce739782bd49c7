"""Predictions as frames, and the comparison of a report with that of the collected rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import karat
from tests.same import assert_same

CLASSES = ("cat", "dog", "eel")


def predictions(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """Rows with labels as text and numbers, probabilities, scores, weights and lists."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    logits = rng.normal(0, 1, (n, 3))
    logits[np.arange(n), true] += 1
    prob = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    guess = np.where(rng.random(n) < 0.8, prob.argmax(axis=1), rng.integers(0, 3, n))
    positive = rng.random(n)
    return pd.DataFrame(
        {
            "animal": np.array(CLASSES)[true],
            "guess": np.array(CLASSES)[guess],
            "label": true.astype(np.int32),
            "answer": guess.astype(np.int64),
            "proba_eel": prob[:, 2],
            "proba_cat": prob[:, 0],
            "proba_dog": prob[:, 1].astype(np.float64),
            "z_cat": logits[:, 0],
            "z_dog": logits[:, 1],
            "z_eel": logits[:, 2],
            "all_probs": list(prob),
            "is_spam": rng.random(n) < positive,
            "spam": positive.astype(np.float32),
            "importance": rng.gamma(2.0, 1.0, n),
        }
    )


CALLS: dict[str, dict[str, Any]] = {
    "text": {"y_true": "animal", "y_pred": "guess", "y_prob": ""},
    "numbers": {"y_true": "label", "y_pred": "answer", "y_prob": "", "labels": [2, 1, 0, 7]},
    "weighted": {"y_true": "animal", "y_pred": "guess", "y_prob": "", "weights": "importance"},
    "columns": {"y_true": "animal", "y_prob": "proba_*", "weights": "importance"},
    "columns and predictions": {"y_true": "animal", "y_pred": "guess", "y_prob": "proba_*"},
    "scores": {"y_true": "animal", "y_score": ["z_cat", "z_dog", "z_eel"], "labels": CLASSES},
    "lists": {"y_true": "label", "y_prob": "all_probs"},
    "one column": {
        "y_true": "is_spam", "y_prob": "spam", "threshold": 0.3, "metrics": ["f1", "brier"],
    },
    "names": {
        "y_true": "animal", "y_pred": "guess", "y_prob": "", "level": None, "metrics": "macro_f1",
        "labels": karat.Labels(names={"cat": "Cat", "dog": "Dog", "eel": "Eel"}),
    },
}  # fmt: skip
"""Arguments of `karat.evaluate`, by what they try."""


def check_call(frame: Any, collected: pd.DataFrame, *, within: float, **call: Any) -> karat.Report:
    """Evaluate both; the reports are the same, counts and rows that are kept to the last bit."""
    found, expected = karat.evaluate(frame, **call), karat.evaluate(collected, **call)
    assert_same_reports(found, expected, within=within)
    return found


def assert_same_reports(found: karat.Report, expected: karat.Report, *, within: float) -> None:
    """Every number of two reports; sources and their number of partitions may differ."""
    one, other = found.to_dict(), expected.to_dict()
    for name in other.keys() - {"source"}:
        _assert_same(one[name], other[name], within, name)
    assert one["source"].get("n_dropped") == other["source"].get("n_dropped")


def _assert_same(found: Any, expected: Any, within: float, about: str) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), about
        for name, value in expected.items():
            _assert_same(found[name], value, within, f"{about}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), about
        for place, value in enumerate(expected):
            _assert_same(found[place], value, within, f"{about}[{place}]")
    elif isinstance(expected, float) and isinstance(found, float | int):
        assert_same(found, expected, within=within, about=about)
    else:
        assert found == expected, about

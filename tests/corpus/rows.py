"""Rows of the corpus: seeded, and made by integer arithmetic and division alone.

No logarithm or exponential is taken, so that the rows are the same bits on every machine.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

Columns = dict[str, Any]
ANIMALS = np.array(["cat", "dog", "eel"])
COUNTRIES = np.array(["NO", "SE", "DK", "FI"])


def _shared(rng: np.random.Generator, n: int) -> Columns:
    """Columns that say nothing about the labels: ids, weights, clusters, slices."""
    return {
        "key": np.array([f"row {i:04d}" for i in range(n)]),
        "mass": rng.integers(0, 9, n) / 4.0,
        "copies": rng.integers(0, 4, n),
        "team": np.array([f"t{i}" for i in rng.integers(0, 40, n)]),
        "country": COUNTRIES[rng.integers(0, 4, n)],
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "age": rng.integers(180, 900, n) / 10.0,
    }


def proportions(rng: np.random.Generator, truth: Any, k: int, pull: int = 500) -> Any:
    """Probabilities [n, k] that favor the true class."""
    parts = rng.integers(1, 1000, (len(truth), k))
    parts[np.arange(len(truth)), truth] += pull
    return parts / parts.sum(axis=1, keepdims=True)


@cache
def binary(n: int = 240, seed: int = 1) -> Columns:
    """Two classes 0 and 1 with a prediction, a probability and a score."""
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.4).astype(np.int64)
    score = (rng.integers(-400, 400, n) + 250 * label) / 64.0
    prob = np.clip(rng.integers(1, 128, n) + 60 * label - 20, 1, 127) / 128.0
    pred = np.where(rng.random(n) < 0.8, label, 1 - label)
    columns = {"label": label, "pred": pred, "p_yes": prob, "z": score}
    return {**columns, **_shared(rng, n)}


@cache
def animals(n: int = 240, seed: int = 2) -> Columns:
    """Three classes named by text."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, n)
    prob = proportions(rng, code, 3)
    guess = np.where(rng.random(n) < 0.75, code, rng.integers(0, 3, n))
    score = (rng.integers(-300, 300, (n, 3)) + 200 * np.eye(3, dtype=int)[code]) / 32.0
    columns = {"label": ANIMALS[code], "pred": ANIMALS[guess]}
    columns |= {f"proba_{name}": prob[:, i] for i, name in enumerate(ANIMALS)}
    columns |= {f"z_{name}": score[:, i] for i, name in enumerate(ANIMALS)}
    return {**columns, **_shared(rng, n)}


@cache
def digits(n: int = 300, k: int = 6, seed: int = 3) -> Columns:
    """Classes 0 … k − 1 with probabilities and scores as matrices."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.7, label, rng.integers(0, k, n))
    score = (rng.integers(-300, 300, (n, k)) + 200 * np.eye(k, dtype=int)[label]) / 32.0
    columns = {"label": label, "pred": pred, "prob": proportions(rng, label, k), "score": score}
    return {**columns, **_shared(rng, n)}


@cache
def other_models(seed: int = 4) -> dict[str, Any]:
    """Three models that predict the rows of `animals`: labels, probabilities, scores."""
    rng = np.random.default_rng(seed)
    truth = np.searchsorted(ANIMALS, animals()["label"])
    found: dict[str, Any] = {"labels": {}, "prob": {}, "score": {}}
    for name, right in (("old", 0.7), ("new", 0.8), ("big", 0.74)):
        code = np.where(rng.random(len(truth)) < right, truth, rng.integers(0, 3, len(truth)))
        found["labels"][name] = ANIMALS[code]
        found["prob"][name] = proportions(rng, truth, 3, int(900 * right))
        lift = 200 * np.eye(3, dtype=int)[truth]
        found["score"][name] = (rng.integers(-300, 300, (len(truth), 3)) + lift) / 32.0
    return found


@cache
def two_class_models(seed: int = 5) -> dict[str, Any]:
    """Three models that predict the rows of `binary`: labels, probabilities, scores."""
    rng = np.random.default_rng(seed)
    truth = binary()["label"]
    n = len(truth)
    found: dict[str, Any] = {"labels": {}, "prob": {}, "score": {}}
    for name, right in (("old", 0.75), ("new", 0.8), ("big", 0.78)):
        found["labels"][name] = np.where(rng.random(n) < right, truth, 1 - truth)
        lift = int(80 * right)
        prob = np.clip(rng.integers(1, 128, n) + lift * truth - 20, 1, 127) / 128.0
        found["prob"][name] = prob
        found["score"][name] = (rng.integers(-400, 400, n) + 300 * truth) / 64.0
    return found


def with_nulls(columns: Columns) -> Columns:
    """The rows with some labels and predictions missing, as lists."""
    found = {name: values.tolist() for name, values in columns.items()}
    for row in (3, 17, 90):
        found["label"][row] = None
    found["pred"][17] = found["pred"][41] = None
    return found


def pick(columns: Columns, *names: str) -> Columns:
    """Some columns."""
    return {name: columns[name] for name in names}


@cache
def odd() -> dict[str, Columns]:
    """Small data sets in which something is undefined, tied or extreme: name → columns."""
    yes, no = [1] * 6 + [0] * 6, [0] * 12
    eighths = [i / 8 for i in range(9)]
    return {
        "perfect": {"label": [0, 1, 1, 0, 1] * 4, "pred": [0, 1, 1, 0, 1] * 4},
        "all wrong": {"label": [0, 1, 1, 0, 1] * 4, "pred": [1, 0, 0, 1, 0] * 4},
        "never predicted": {"label": yes, "pred": no},
        "never true": {"label": no, "pred": yes},
        "one class declared": {"label": [1] * 7, "pred": [1] * 7, "labels": [0, 1]},
        "one row": {"label": [1], "pred": [1], "labels": [0, 1]},
        "two rows": {"label": ["a", "b"], "pred": ["a", "a"], "positive": "b"},
        "a class without rows": {
            "label": [0, 1, 0, 1, 1] * 4,
            "pred": [0, 1, 1, 1, 0] * 4,
            "labels": [0, 1, 2],
        },
        "a class never true": {"label": ["a", "b", "b"] * 5, "pred": ["a", "c", "b"] * 5},
        "truth and lies": {"label": [True, False] * 8, "pred": [True, True, False, False] * 4},
        "negative labels": {"label": [-1, 1, 1, -1] * 6, "pred": [-1, 1, -1, -1, 1, 1] * 4},
        "nine ties": {"label": [0, 1, 1, 0, 1, 0, 0, 1, 1] * 4, "prob": eighths * 4},
        "certain and right": {"label": [0, 1, 1, 0] * 5, "prob": [0.0, 1.0, 1.0, 0.0] * 5},
        "certain and wrong": {"label": [0, 1, 1, 0] * 5, "prob": [0.0, 0.0, 1.0, 0.25] * 5},
        "all the same": {"label": [0, 1, 1, 0] * 5, "prob": [0.5] * 20},
        "scores of one sign": {"label": [0, 1, 1, 0] * 5, "score": [3.0, 5.0, 4.0, 4.5] * 5},
        "huge scores": {"label": [0, 1, 1, 0] * 5, "score": [-1e300, 1e300, 2.0, -5e-324] * 5},
        "whole scores": {"label": [0, 1, 1, 0, 0] * 5, "score": [-3, 7, 2, 2, -9] * 5},
        "certain of three": {
            "label": [0, 1, 2, 1] * 5,
            "prob": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0.5]] * 5,
        },
        "one true of three": {
            "label": [1] * 12,
            "labels": [0, 1, 2],
            "prob": [[0.25, 0.5, 0.25], [0.5, 0.5, 0]] * 6,
        },
    }

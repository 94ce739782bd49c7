"""Few rows of each kind and design: classes, sets, folds, repeats, gold labels and judges.

The truth of the second half is that of the first, so that the halves can be two repeats.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tests.corpus.rows import ANIMALS, COUNTRIES, Columns, proportions

TOPICS = ("sea", "sky", "sun", "ice")


def designs_of_rows(n: int, seed: int) -> Columns:
    """Columns that say how rows came to be: weights, clusters, folds, slices, ids."""
    rng = np.random.default_rng(seed)
    return {
        "id": np.array([f"r{i:03d}" for i in range(n)]),
        "mass": rng.integers(1, 9, n) / 4.0,
        "copies": rng.integers(1, 4, n),
        "team": np.array([f"t{i}" for i in rng.integers(0, 15, n)]),
        "country": COUNTRIES[rng.integers(0, 2, n)],
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "age": rng.integers(180, 900, n) / 10.0,
        "fold": np.arange(n) % 5,
        "has_gold": rng.random(n) < 0.5,
        "gold_weight": np.full(n, 2.0),
    }


def _changed(rng: np.random.Generator, labels: Any, choices: Any, right: float) -> Any:
    """The labels, some of which are replaced by any of the choices."""
    picked = choices[rng.integers(0, len(choices), len(labels))]
    return np.where(rng.random(len(labels)) < right, labels, picked)


def _gold(labels: Any, has_gold: Any) -> list[Any]:
    """The labels of rows that have a gold label, and None for the others."""
    return [label if there else None for label, there in zip(labels, has_gold, strict=True)]


@cache
def two_classes(n: int = 60, seed: int = 61) -> Columns:
    """Classes 0 and 1: three models, a probability, a score, a judge, gold labels."""
    rng = np.random.default_rng(seed)
    label = np.tile(rng.random(n // 2) < 0.45, 2).astype(np.int64)
    choices = np.array([0, 1])
    columns = {
        "label": label,
        "pred": _changed(rng, label, choices, 0.6),
        "old": _changed(rng, label, choices, 0.4),
        "prob": np.clip(rng.integers(1, 128, n) + 50 * label - 20, 1, 127) / 128.0,
        "old_prob": np.clip(rng.integers(1, 128, n) + 30 * label - 15, 1, 127) / 128.0,
        "z": (rng.integers(-400, 400, n) + 250 * label) / 64.0,
        "judge": _changed(rng, label, choices, 0.8),
    }
    shared = designs_of_rows(n, seed + 1)
    return {**columns, **shared, "gold": _gold(label.tolist(), shared["has_gold"])}


@cache
def three_classes(n: int = 60, seed: int = 63) -> Columns:
    """Classes named by text: models, probabilities, a judge, gold labels."""
    rng = np.random.default_rng(seed)
    code = np.tile(rng.integers(0, 3, n // 2), 2)
    label = ANIMALS[code]
    columns = {
        "label": label,
        "pred": _changed(rng, label, ANIMALS, 0.6),
        "old": _changed(rng, label, ANIMALS, 0.4),
        "prob": proportions(rng, code, 3),
        "old_prob": proportions(rng, code, 3, 200),
        "z": (rng.integers(-300, 300, (n, 3)) + 200 * np.eye(3, dtype=int)[code]) / 32.0,
        "judge": _changed(rng, label, ANIMALS, 0.8),
    }
    shared = designs_of_rows(n, seed + 1)
    return {**columns, **shared, "gold": _gold(label.tolist(), shared["has_gold"])}


@cache
def topics(n: int = 60, seed: int = 65) -> Columns:
    """Rows with sets of labels: indicators, lists, texts, models, probabilities, a judge."""
    rng = np.random.default_rng(seed)
    half = rng.random((n // 2, 4)) < np.array([0.5, 0.4, 0.3, 0.2])
    truth = np.tile(half.astype(np.int64), (2, 1))
    flips = {"pred": 0.15, "old": 0.25, "judge": 0.08}
    models = {
        name: np.where(rng.random((n, 4)) < share, 1 - truth, truth)
        for name, share in flips.items()
    }
    prob = np.clip(rng.integers(1, 128, (n, 4)) + 50 * truth - 20, 1, 127) / 128.0
    old_prob = np.clip(rng.integers(1, 128, (n, 4)) + 30 * truth - 15, 1, 127) / 128.0
    shared = designs_of_rows(n, seed + 1)
    return {
        "truth": truth,
        **models,
        "prob": prob,
        "old_prob": old_prob,
        "label_sets": sets(truth),
        "pred_sets": sets(models["pred"]),
        "old_sets": sets(models["old"]),
        "judge_sets": sets(models["judge"]),
        "gold_sets": _gold(sets(truth), shared["has_gold"]),
        "label_text": texts(truth),
        "pred_text": texts(models["pred"]),
        **shared,
    }


def sets(indicators: Any) -> list[list[str]]:
    """The rows of an indicator matrix as lists of names."""
    return [[TOPICS[j] for j in np.flatnonzero(row)] for row in indicators]


def texts(indicators: Any) -> list[str]:
    """The rows of an indicator matrix as texts with a separator."""
    return ["|".join(names) for names in sets(indicators)]


@cache
def repeats(n: int = 30, n_repeats: int = 2) -> Columns:
    """Repeat, fold and id of rows that were tested once in each repeat."""
    rng = np.random.default_rng(67)
    fold = np.concatenate([rng.permutation(np.arange(n) % 5) for _ in range(n_repeats)])
    return {"repeat": np.repeat(np.arange(n_repeats), n), "fold": fold, "id": [*range(n)] * 2}

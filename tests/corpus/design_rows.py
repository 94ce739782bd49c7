"""Rows of designs: gold labels and a judge, folds and repeats, batches that follow each other.

They are made by integer arithmetic, division and clipping, as those of `rows`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.files import written
from tests.corpus.rows import ANIMALS, Columns, proportions

VERDICTS = np.array(["bad", "good"])


def _noisy(rng: np.random.Generator, codes: Any, k: int, right: float) -> Any:
    """The codes, with another class in some rows."""
    other = (codes + rng.integers(1, k, len(codes))) % k
    return np.where(rng.random(len(codes)) < right, codes, other)


def _some(rng: np.random.Generator, n: int, n_some: int) -> Any:
    """bool[n]: a random part."""
    chosen = np.zeros(n, np.bool_)
    chosen[rng.permutation(n)[:n_some]] = True
    return chosen


def masked(labels: Any, has_label: Any) -> list[Any]:
    """Labels as a list, None where there is none."""
    return [x if has else None for x, has in zip(labels.tolist(), has_label.tolist(), strict=True)]


def _beside(rng: np.random.Generator, n: int) -> Columns:
    """Columns that say nothing about the labels."""
    return {
        "mass": rng.integers(1, 9, n) / 4.0,
        "team": np.array([f"t{i}" for i in rng.integers(0, 60, n)]),
        "country": np.array(["NO", "SE", "DK"])[rng.integers(0, 3, n)],
    }


def _outputs_of_two(rng: np.random.Generator, truth: Any) -> Columns:
    """Predictions of two classes: labels, probabilities, scores."""
    n = len(truth)
    return {
        "pred": _noisy(rng, truth, 2, 0.8),
        "p_yes": np.clip(rng.integers(1, 128, n) + 60 * truth - 20, 1, 127) / 128.0,
        "z": (rng.integers(-400, 400, n) + 250 * truth) / 64.0,
    }


@cache
def judged(n: int = 300, n_gold: int = 100, seed: int = 21) -> Columns:
    """Two classes 0 and 1: gold labels of a random part, and those of a judge."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    gold = masked(truth, _some(rng, n, n_gold))
    return {
        "id": np.array([f"q{i:03d}" for i in range(n)]),
        "gold": gold,
        "judge": _noisy(rng, truth, 2, 0.9),
        **_outputs_of_two(rng, truth),
        "confidence": rng.integers(32, 64, n) / 64.0,
        **_beside(rng, n),
    }


@cache
def judged_animals(n: int = 300, n_gold: int = 110, seed: int = 22) -> Columns:
    """Three classes named by text: gold labels of a random part, and those of a judge."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, n)
    gold = masked(ANIMALS[code], _some(rng, n, n_gold))
    prob = proportions(rng, code, 3)
    return {
        "gold": gold,
        "judge": ANIMALS[_noisy(rng, code, 3, 0.88)],
        "pred": ANIMALS[_noisy(rng, code, 3, 0.75)],
        **{f"proba_{name}": prob[:, i] for i, name in enumerate(ANIMALS)},
        **_beside(rng, n),
    }


@cache
def judged_by_design(n: int = 300, seed: int = 23) -> Columns:
    """Gold labels of half of the rows that the judge calls 1, and of a quarter of the others."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    judge = _noisy(rng, truth, 2, 0.9)
    quarter = rng.integers(0, 4, n)
    has_gold = np.where(judge == 1, quarter < 2, quarter < 1)
    weight = np.where(judge == 1, 2.0, 4.0)
    return {
        "gold": masked(truth, has_gold),
        "judge": judge,
        **_outputs_of_two(rng, truth),
        "gold_weight": np.where(has_gold, weight, np.nan),
        **_beside(rng, n),
    }


@cache
def judged_systems(seed: int = 24) -> dict[str, Columns]:
    """Three systems on the rows of `judged`: labels, probabilities, scores."""
    rng = np.random.default_rng(seed)
    columns = judged()
    base = columns["judge"]
    n = len(base)
    systems: dict[str, Columns] = {"pred": {}, "prob": {}, "score": {}}
    for name, right in (("old", 0.75), ("new", 0.86), ("big", 0.8)):
        systems["pred"][name] = _noisy(rng, base, 2, right)
        lift = int(90 * right)
        systems["prob"][name] = np.clip(rng.integers(1, 128, n) + lift * base - 20, 1, 127) / 128.0
        systems["score"][name] = (rng.integers(-400, 400, n) + 5 * lift * base) / 64.0
    return systems


@cache
def verdicts(n: int = 260, n_gold: int = 90, seed: int = 25) -> dict[str, Columns]:
    """Verdicts about two systems: the labels of people and of a judge, "good" or "bad"."""
    rng = np.random.default_rng(seed)
    has_gold = _some(rng, n, n_gold)
    both: dict[str, Columns] = {"gold": {}, "judge": {}}
    for name, share in (("old", 0.6), ("new", 0.75)):
        truth = (rng.random(n) < share).astype(np.int64)
        both["gold"][name] = masked(VERDICTS[truth], has_gold)
        both["judge"][name] = VERDICTS[_noisy(rng, truth, 2, 0.9)]
    return both


@cache
def folded(n: int = 200, k: int = 5, seed: int = 31) -> Columns:
    """Two classes, each row tested in one of k folds."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    return {
        "id": np.array([f"r{i:03d}" for i in range(n)]),
        "fold": rng.permutation(np.arange(n) % k),
        "label": truth,
        **_outputs_of_two(rng, truth),
        "other": _noisy(rng, truth, 2, 0.88),
        "p_other": np.clip(rng.integers(1, 128, n) + 70 * truth - 20, 1, 127) / 128.0,
        "z_other": (rng.integers(-400, 400, n) + 300 * truth) / 64.0,
        **_beside(rng, n),
    }


@cache
def folded_animals(n: int = 210, k: int = 4, seed: int = 32) -> Columns:
    """Three classes named by text, each row tested in one fold, which text names."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, n)
    prob = proportions(rng, code, 3)
    folds = np.array([f"part {i}" for i in range(k)])
    return {
        "fold": folds[rng.permutation(np.arange(n) % k)],
        "label": ANIMALS[code],
        "pred": ANIMALS[_noisy(rng, code, 3, 0.75)],
        **{f"proba_{name}": prob[:, i] for i, name in enumerate(ANIMALS)},
        "other": ANIMALS[_noisy(rng, code, 3, 0.85)],
        **_beside(rng, n),
    }


@cache
def repeated(n: int = 80, k: int = 4, repeats: int = 3, seed: int = 33) -> Columns:
    """A long table: each row is tested once in every repeat."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.45).astype(np.int64)
    ease = rng.integers(-30, 30, n)
    parts: dict[str, list[Any]] = {name: [] for name in ("repeat", "fold", "pred", "other", "p")}
    for repeat in range(repeats):
        parts["repeat"].append(np.full(n, repeat))
        parts["fold"].append(rng.permutation(np.arange(n) % k))
        parts["pred"].append(_noisy(rng, truth, 2, 0.8))
        parts["other"].append(_noisy(rng, truth, 2, 0.85))
        prob = rng.integers(1, 128, n) + ease + 60 * truth - 20
        parts["p"].append(np.clip(prob, 1, 127) / 128.0)
    table = {name: np.concatenate(part) for name, part in parts.items()}
    size = np.full(n * repeats, n - n // k)
    ids = np.tile(np.array([f"r{i:02d}" for i in range(n)]), repeats)
    return {"id": ids, "label": np.tile(truth, repeats), **table, "train_size": size}


@cache
def held_out(n: int = 60, k: int = 4, repeats: int = 2, seed: int = 34) -> Columns:
    """A long table of nested folds: `holdout` names the other fold that was left out, or none."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.5).astype(np.int64)
    parts: dict[str, list[Any]] = {name: [] for name in ("id", "repeat", "fold", "label", "pred")}
    others: list[int | None] = []
    for repeat in range(repeats):
        fold = rng.permutation(np.arange(n) % k)
        for left_out in (-1, *range(k)):
            rows = np.flatnonzero(fold != left_out)
            parts["id"].append(rows)
            parts["repeat"].append(np.full(len(rows), repeat))
            parts["fold"].append(fold[rows])
            parts["label"].append(truth[rows])
            parts["pred"].append(_noisy(rng, truth[rows], 2, 0.8))
            others += [None if left_out < 0 else left_out] * len(rows)
    table = {name: np.concatenate(part) for name, part in parts.items()}
    prob = np.clip(rng.integers(1, 128, len(others)) + 60 * table["label"] - 20, 1, 127) / 128.0
    return {**table, "holdout": others, "p": prob}


@cache
def batches(n_batches: int = 4, n: int = 120, right: float = 0.85, seed: int = 41) -> list[Columns]:
    """Rows of two models that come in batches: two classes, and the same rows for both."""
    rng = np.random.default_rng(seed)
    parts = []
    for i in range(n_batches):
        truth = (rng.random(n) < 0.45).astype(np.int64)
        old = np.clip(rng.integers(1, 128, n) + 80 * truth - 30, 1, 127) / 128.0
        parts.append(
            {
                "id": np.array([f"b{i}-{row:03d}" for row in range(n)]),
                "label": truth,
                "pred": _noisy(rng, truth, 2, right),
                "p_yes": np.clip(rng.integers(1, 128, n) + 60 * truth - 20, 1, 127) / 128.0,
                "z": (rng.integers(-400, 400, n) + 250 * truth) / 64.0,
                "older": _noisy(rng, truth, 2, 0.9),
                "p_older": old,
                **_beside(rng, n),
            }
        )
    return parts


@cache
def animal_batches(n_batches: int = 3, n: int = 90, seed: int = 42) -> list[Columns]:
    """Rows of three classes named by text that come in batches, with another model's labels."""
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(n_batches):
        code = rng.integers(0, 3, n)
        prob = proportions(rng, code, 3)
        parts.append(
            {
                "label": ANIMALS[code],
                "pred": ANIMALS[_noisy(rng, code, 3, 0.8)],
                **{f"proba_{name}": prob[:, i] for i, name in enumerate(ANIMALS)},
                "older": ANIMALS[_noisy(rng, code, 3, 0.85)],
                **_beside(rng, n),
            }
        )
    return parts


def together(parts: list[Columns]) -> Columns:
    """The rows of several batches."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def matrix(columns: Columns) -> Any:
    """float[n, 3]: the probabilities of animals."""
    return np.column_stack([columns[f"proba_{name}"] for name in ANIMALS])


def lists(columns: Columns) -> Columns:
    """Columns as lists."""
    return {name: x if isinstance(x, list) else x.tolist() for name, x in columns.items()}


CONTAINERS: dict[str, Any] = {
    "dict of arrays": lambda columns, name: columns,
    "dict of lists": lambda columns, name: lists(columns),
    "pandas": lambda columns, name: pd.DataFrame(columns),
    "pandas nullable": lambda columns, name: pd.DataFrame(columns).convert_dtypes(),
    "polars": lambda columns, name: pl.DataFrame(lists(columns), nan_to_null=True),
    "arrow": lambda columns, name: pa.table(lists(columns)),
    "parquet": lambda columns, name: written("parquet", columns, name),
    "csv": lambda columns, name: written("csv", columns, name),
    "jsonl": lambda columns, name: written("jsonl", columns, name),
}


# What a report with a judge refuses: ten options and what else does not fit.
REFUSED_WITH_A_JUDGE: dict[str, dict[str, Any]] = {
    "a class that is not declared": {"labels": [0]},
    "the plain name of an average": {"labels": [0, 1, 2], "metrics": ["accuracy", "f1"]},
    "by": {"by": {"country": ["NO"] * 300}},
    "folds": {"folds": [0, 1] * 150},
    "ids": {"ids": list(range(300))},
    "keep_rows": {"keep_rows": 5},
    "separator": {"labels": karat.Labels(separator="|")},
    "checkpoint": {"checkpoint": "run.karat"},
    "max_memory": {"max_memory": 2_000_000},
    "exact": {"exact": True},
    "anytime": {"anytime": 1000},
    "confusion": {"confusion": [[3, 1], [2, 4]]},
    "nulls": {"nulls": "drop"},
    "frequency weights": {"weights": karat.Frequency([1.0] * 300)},
    "no level": {"level": None},
    "bootstrap": {"method": "bootstrap"},
    "bca": {"method": "bca"},
    "bayesian": {"method": "bayesian"},
    "case-control": {"sampling": "case-control"},
    "a count": {"metrics": ["accuracy", "support"]},
    "a metric of a class": {"metrics": "per_class_recall"},
    "no such metric": {"metrics": ["acuracy"]},
    "level of a wrong kind": {"level": 95},
    "undefined of a wrong kind": {"undefined": "one"},
    "random of a wrong kind": {"gold_is_random": "yes"},
    "names of no class": {"labels": karat.Labels(names=["no", "yes", "maybe"])},
    "a positive class that is none": {"positive": 7},
    "short weights": {"weights": [1.0] * 20},
    "short clusters": {"clusters": ["a"] * 20},
    "negative weights": {"weights": [-1.0] + [1.0] * 299},
}

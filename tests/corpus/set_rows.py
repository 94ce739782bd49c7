"""Rows with sets of labels: matrices, lists, text, tables, models, files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import karat
from tests.corpus.rows import Columns, binary, pick

NAMES = ("ant", "bee", "cow", "doe")
BESIDE = ("mass", "copies", "team", "country", "sex", "age")
# The metrics of most calls, so that the corpus stays small.
FEW = ["micro_f1", "macro_f1", "samples_f1", "subset_accuracy", "hamming_loss"]
RANKED = [
    "label_ranking_average_precision",
    "ndcg",
    "roc_auc_ovr_macro",
    "mean_average_precision",
    "binary_cross_entropy",
]
MODELS = {"old": 75, "new": 84, "big": 80}


@cache
def photos(n: int = 120, seed: int = 41) -> Columns:
    """Truth, predictions, probabilities and scores of four labels, [n, 4], and other columns."""
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 3, (n, 1)) == 0
    true = (rng.integers(0, 100, (n, 4)) < np.array([45, 35, 25, 10])) | (
        common & (rng.integers(0, 2, (n, 4)) == 0)
    )
    true[rng.integers(0, 6, n) == 0] = False
    wrong = rng.integers(0, 100, (n, 4)) < np.where(common, 28, 10)
    true_cells = true.astype(np.int64)
    return {
        "true": true_cells,
        "pred": (true ^ wrong).astype(np.int64),
        "prob": np.clip(rng.integers(1, 128, (n, 4)) + 70 * true_cells - 35, 1, 127) / 128.0,
        "score": (rng.integers(-256, 256, (n, 4)) + 180 * (2 * true_cells - 1)) / 64.0,
        **pick(binary(n, seed), "key", *BESIDE),
    }


@cache
def photo_models(n: int = 120, seed: int = 42) -> dict[str, Any]:
    """Three models that predict the rows of `photos`: cells, probabilities, scores."""
    rng = np.random.default_rng(seed)
    true = photos(n)["true"]
    shared = rng.integers(0, 100, (n, 4))
    models: dict[str, Any] = {"pred": {}, "prob": {}, "score": {}}
    for name, right in MODELS.items():
        noise = (shared + rng.integers(0, 60, (n, 4))) % 100
        models["pred"][name] = np.where(noise < right, true, 1 - true)
        lift = right * (2 * true - 1) // 2
        models["prob"][name] = np.clip(shared + lift + rng.integers(0, 28, (n, 4)), 1, 127) / 128.0
        models["score"][name] = (4 * (shared - 50 + lift) + rng.integers(-40, 40, (n, 4))) / 64.0
    return models


def lists(cells: Any) -> list[list[str]]:
    """The labels of each row."""
    return [[NAMES[j] for j in np.flatnonzero(row)] for row in cells]


def sets(cells: Any) -> list[set[str]]:
    return [set(row) for row in lists(cells)]


def texts(cells: Any, separator: str = "|") -> list[str]:
    return [separator.join(row) for row in lists(cells)]


def objects(rows: list[Any]) -> Any:
    """An array of objects, one for each row."""
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


def beside() -> Columns:
    """The columns of `photos` that say nothing of labels, as lists."""
    return {"id": photos()["key"].tolist()} | {name: photos()[name].tolist() for name in BESIDE}


def list_table(pred: str = "") -> Columns:
    """A table with columns of lists; predictions of `photos`, or of one of its models."""
    cells = photo_models()["pred"][pred] if pred else photos()["pred"]
    return {"true": lists(photos()["true"]), "pred": lists(cells), **beside()}


def text_table(pred: str = "", separator: str = "|") -> Columns:
    table = list_table(pred)
    split = {side: [separator.join(row) for row in table[side]] for side in ("true", "pred")}
    return {**table, **split}


def wide_table(pred: str = "", kind: Any = int) -> Columns:
    """One column for each label: ``true_ant`` …, ``pred_ant`` …."""
    cells = photo_models()["pred"][pred] if pred else photos()["pred"]
    columns = {
        f"{side}_{name}": matrix[:, place].astype(kind).tolist()
        for side, matrix in (("true", photos()["true"]), ("pred", cells))
        for place, name in enumerate(NAMES)
    }
    return {**columns, **beside()}


def scored_table(kind: str = "prob", model: str = "") -> Columns:
    """Columns of lists for the truth, and a column of scores for each label, in another order."""
    held = photo_models()[kind][model] if model else photos()[kind]
    begin = {"prob": "proba", "score": "logit"}[kind]
    order = (2, 0, 3, 1)
    columns = {f"{begin}_{NAMES[j]}": held[:, j].tolist() for j in order}
    return {"true": lists(photos()["true"]), **columns, **beside()}


def frame(kind: str, columns: Columns) -> Any:
    """The columns as a table of a library."""
    if kind == "pandas":
        return pd.DataFrame(columns)
    if kind == "polars":
        return pl.DataFrame(columns)
    if kind == "arrow":
        return pa.table(columns)
    return dict(columns)


def written(kind: str, columns: Columns, name: str) -> str:
    """A file of the columns in the working folder; columns of lists are not for CSV."""
    path = Path(f"{name}.{kind}")
    if kind == "parquet":
        pq.write_table(pa.table(columns), path, row_group_size=50)
    elif kind == "csv":
        pl.DataFrame(columns).write_csv(path)
    else:
        rows = pa.table(columns).to_pylist()
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def text_file(name: str, text: str) -> str:
    """A file of this text in the working folder."""
    Path(name).write_text(text)
    return name


def models_of(names: tuple[str, ...] = ("old", "new", "big"), form: Any = lists) -> dict[str, Any]:
    return {name: form(photo_models()["pred"][name]) for name in names}


def reports() -> dict[str, Any]:
    truth = lists(photos()["true"])
    return {name: karat.evaluate(truth, pred) for name, pred in models_of().items()}


COLUMNS: dict[str, dict[str, Any]] = {
    "plain": {"metrics": FEW},
    "weights": {"metrics": FEW, "weights": "mass"},
    "frequency weights": {"metrics": FEW, "weights": karat.Frequency("copies")},
    "clusters": {"metrics": FEW, "clusters": "team"},
    "clusters and weights": {"metrics": FEW, "clusters": "team", "weights": "mass"},
    "clusters and bootstrap": {
        "metrics": FEW,
        "clusters": "team",
        "method": "bootstrap",
        "n_replicates": 100,
    },
    "by": {"metrics": FEW, "by": "country"},
    "by two columns": {"metrics": ["micro_f1"], "by": ["sex", "country"]},
    "by a cross": {"metrics": ["micro_f1"], "by": ("sex", "country")},
    "by numbers": {"metrics": ["micro_f1"], "by": "age"},
    "by and clusters": {"metrics": ["micro_f1"], "by": "sex", "clusters": "team"},
    "by and weights": {"metrics": ["micro_f1"], "by": "sex", "weights": "mass"},
    "named columns": {"metrics": FEW, "y_true": "true", "y_pred": "pred", "ids": "id"},
    "by a set": {"metrics": FEW, "by": "pred"},
    "no such column": {"metrics": FEW, "y_true": "truth"},
    "folds": {"metrics": FEW, "design": karat.Folds("sex")},
    "a checkpoint": {"metrics": FEW, "checkpoint": "read.karat"},
}

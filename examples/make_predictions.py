"""Make the prediction files of `examples/predictions` with scikit-learn.

    python examples/make_predictions.py

Every row is predicted by a model that was fitted without it:
five stratified folds, shuffled with a fixed seed.
Needs scikit-learn and pyarrow (`pip install -e ".[test]"`).
"""

from __future__ import annotations

import argparse
import csv
import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn
from pyarrow.types import is_floating
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
PREDICTIONS = HERE / "predictions"
DEMO_DATA = HERE.parent / "src" / "karat" / "cli" / "demo_data"
"""Package data of `karat demo`: copies of two of the files."""

DEMO_SETS = ("digits_logreg", "digits_rf")
SEED = 0
N_FOLDS = 5
CSV_MAX_ROWS = 1000
CSV_DECIMALS = 6


@dataclass(frozen=True)
class DataSet:
    """One of scikit-learn's bundled data sets."""

    load: Callable[..., Any]
    has_names: bool
    title: str
    origin: str


DATA_SETS = {
    "digits": DataSet(
        load_digits,
        False,
        "Optical Recognition of Handwritten Digits (test part)",
        "E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, "
        "https://doi.org/10.24432/C50P49",
    ),
    "breast_cancer": DataSet(
        load_breast_cancer,
        True,
        "Breast Cancer Wisconsin (Diagnostic)",
        "W. Wolberg, O. Mangasarian, N. Street and W. Street, UCI Machine Learning Repository, "
        "https://doi.org/10.24432/C5DW2B",
    ),
    "wine": DataSet(
        load_wine,
        True,
        "Wine",
        "S. Aeberhard and M. Forina, UCI Machine Learning Repository, "
        "https://doi.org/10.24432/C5PC7J",
    ),
    "iris": DataSet(
        load_iris,
        True,
        "Iris",
        "R. A. Fisher, UCI Machine Learning Repository, https://doi.org/10.24432/C56C76",
    ),
}

MODELS: dict[str, tuple[str, Callable[[], Any]]] = {
    "logreg": (
        "StandardScaler, then LogisticRegression(max_iter=1000)",
        lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    ),
    "rf": (
        f"RandomForestClassifier(n_estimators=100, random_state={SEED})",
        lambda: RandomForestClassifier(n_estimators=100, random_state=SEED),
    ),
    "nb": ("GaussianNB()", GaussianNB),
}


def predict(data_name: str, model_name: str) -> pa.Table:
    """Predict every row of a data set out of fold.

    Returns:
        A table of n rows: id, fold, label, pred, and proba_<label> (float32) for each class.
    """
    data_set = DATA_SETS[data_name]
    bunch = data_set.load()
    label = bunch.target_names[bunch.target] if data_set.has_names else bunch.target
    classes = np.unique(label)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED)
    fold = np.empty(len(label), dtype=np.int8)
    for number, (_, held_out) in enumerate(folds.split(bunch.data, label)):
        fold[held_out] = number
    proba = cross_val_predict(
        MODELS[model_name][1](), bunch.data, label, cv=folds, method="predict_proba"
    ).astype(np.float32)
    # The prediction is the first maximum of the probabilities as stored, not of the float64 ones:
    # rounding can tie two classes, and a file must tell one story.
    pred = classes[proba.argmax(axis=1)]
    columns: dict[str, Any] = {
        "id": np.arange(len(label), dtype=np.int32),
        "fold": fold,
        "label": label,
        "pred": pred,
    }
    columns |= {f"proba_{name}": proba[:, j] for j, name in enumerate(classes)}
    return pa.table(columns)


def accuracy(table: pa.Table) -> float:
    """Share of rows whose prediction is the label."""
    return float(np.mean(table["label"].to_numpy() == table["pred"].to_numpy()))


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as CSV, probabilities rounded to six decimals without trailing zeros."""
    columns = []
    for column in table.columns:
        values = column.to_pylist()
        columns.append([short(x) for x in values] if is_floating(column.type) else values)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(zip(*columns, strict=True))


def short(value: float) -> str:
    """A probability in at most six decimals: 0.25, 0.999987, 1, 0."""
    return f"{value:.{CSV_DECIMALS}f}".rstrip("0").rstrip(".")


def provenance(rows: list[str]) -> str:
    """Return the text of PROVENANCE.md."""
    sets = "\n".join(
        f"- `{name}`: {item.title}. {item.origin}." for name, item in DATA_SETS.items()
    )
    models = "\n".join(f"- `{name}`: {text}" for name, (text, _) in MODELS.items())
    table = "\n".join(rows)
    return f"""# Origin of the predictions

`python examples/make_predictions.py` creates the predictions and this page, with
Python {platform.python_version()}, scikit-learn {sklearn.__version__}, \
NumPy {np.__version__}, pyarrow {pa.__version__}.

Every row is predicted by a model that was fitted without it:
`cross_val_predict(..., method="predict_proba")` over
`StratifiedKFold({N_FOLDS}, shuffle=True, random_state={SEED})`.

## Columns

| column | meaning |
|---|---|
| `id` | row number in the data set, from 0 |
| `fold` | the fold that contains the row as test data, 0 to {N_FOLDS - 1} |
| `label` | the true class: a string, for digits an integer |
| `pred` | the first class with the largest stored probability |
| `proba_<label>` | probability of that class (Parquet: float32; CSV: {CSV_DECIMALS} decimals) |

Data sets below {CSV_MAX_ROWS} rows are also written as CSV, from the same predictions.
The files contain only labels and predictions, not the features.

## Data

Bundled with scikit-learn (BSD-3-Clause); the data sets themselves are licensed CC BY 4.0.

{sets}

## Models

{models}

## Files

| file | rows | classes | correct | accuracy |
|---|---:|---:|---:|---:|
{table}
"""


def write_all(out: Path) -> None:
    """Write every data set under every model, and the page of provenance, into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for data_name in DATA_SETS:
        for model_name in MODELS:
            stem = f"{data_name}_{model_name}"
            table = predict(data_name, model_name)
            pq.write_table(table, out / f"{stem}.parquet", compression="zstd")
            if table.num_rows < CSV_MAX_ROWS:
                write_csv(table, out / f"{stem}.csv")
            n_classes = table.num_columns - 4
            n_correct = round(accuracy(table) * table.num_rows)
            rows.append(
                f"| `{stem}` | {table.num_rows} | {n_classes} | {n_correct} "
                f"| {accuracy(table):.4f} |"
            )
            print(rows[-1])
    (out / "PROVENANCE.md").write_text(provenance(rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the prediction files with scikit-learn.")
    parser.add_argument("--out", type=Path, default=PREDICTIONS, help="folder to write into")
    out: Path = parser.parse_args().out
    write_all(out)
    if out.resolve() == PREDICTIONS:
        DEMO_DATA.mkdir(parents=True, exist_ok=True)
        for stem in DEMO_SETS:
            shutil.copyfile(out / f"{stem}.parquet", DEMO_DATA / f"{stem}.parquet")


if __name__ == "__main__":
    main()

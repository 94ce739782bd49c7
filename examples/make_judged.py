"""Make prediction files with gold labels for a random part of the rows, and a judge's for all.

    python examples/make_judged.py

The judge is `rf`; the model is the weaker `nb` of the digits, and `logreg` of the breast cancer
data: all from the files that `make_predictions.py` writes. The true label is kept on rows drawn
with a fixed seed, and empty on the others. Needs NumPy and pyarrow.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

PREDICTIONS = Path(__file__).resolve().parent / "predictions"
GOLD = {"digits": 300, "breast_cancer": 120}
"""Data set → number of rows that keep their true label."""
MODELS = {"digits": "nb", "breast_cancer": "logreg"}
SEED = 28
DECIMALS = 6


def columns_of(name: str) -> dict[str, list[Any]]:
    """Columns of the file of one data set."""
    model = pq.read_table(PREDICTIONS / f"{name}_{MODELS[name]}.parquet").to_pydict()
    judge = pq.read_table(PREDICTIONS / f"{name}_rf.parquet").to_pydict()
    assert model["id"] == judge["id"]
    n = len(model["id"])
    chosen = np.random.default_rng(SEED).permutation(n)[: GOLD[name]]
    has_gold = np.isin(np.arange(n), chosen)
    largest = np.max([judge[x] for x in judge if x.startswith("proba_")], axis=0)
    columns = {
        "id": model["id"],
        "gold": [label if has else "" for label, has in zip(model["label"], has_gold, strict=True)],
        "judge": judge["pred"],
        "judge_confidence": [f"{value:.{DECIMALS}f}" for value in largest],
        "pred": model["pred"],
    }
    if name == "breast_cancer":
        names = [x for x in model if x.startswith("proba_")]
        columns |= {x: [f"{value:.{DECIMALS}f}" for value in model[x]] for x in names}
    return columns


def main() -> None:
    """Write one file for each data set."""
    for name in GOLD:
        columns = columns_of(name)
        path = PREDICTIONS / f"{name}_judged.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    main()

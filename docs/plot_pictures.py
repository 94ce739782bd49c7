"""Draw the pictures of docs/plots.md: python docs/plot_pictures.py docs/plots.

Run from the folder of the project: the predictions are those of examples/predictions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import karat
from karat.output.plots.svg import as_svg
from karat.plot import PALETTE

FOLDER = Path("examples/predictions")
WIDTH, HEIGHT = 4.4, 3.5


def pictures() -> dict[str, Callable[..., Any]]:
    """Name of the file without its ending → what draws it on given axes."""
    plot = karat.plot
    digits = karat.evaluate(FOLDER / "digits_nb.parquet")
    cancer, forest = (
        karat.evaluate(FOLDER / f"breast_cancer_{name}.parquet", positive="malignant")
        for name in ("logreg", "rf")
    )
    return {
        "confusion": partial(plot.confusion, digits),
        "roc": partial(plot.roc, digits),
        "precision_recall": partial(plot.precision_recall, {"logreg": cancer, "forest": forest}),
        "band": partial(plot.precision_recall, forest, band=True),
        "many": partial(plot.roc, many_classes()),
        "reliability": partial(plot.reliability, cancer),
        "scores": partial(plot.scores, cancer),
        "threshold": partial(plot.threshold, cancer),
        "intervals": partial(plot.intervals, digits, metrics="recall"),
        "compare": partial(plot.compare, three_models()),
    }


def many_classes() -> karat.Report:
    """A hundred classes, some of them hard."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 100, 5_000)
    scores = rng.normal(size=(5_000, 100))
    scores[np.arange(5_000), y_true] += np.linspace(0.8, 4, 100)[y_true]
    return karat.evaluate(y_true, y_score=scores)


def three_models() -> karat.Comparison:
    """Three models of the same rows."""
    read = {name: rows_of(f"digits_{name}") for name in ("logreg", "rf", "nb")}
    y_pred = {name: rows["pred"] for name, rows in read.items()}
    return karat.compare(read["nb"]["label"], y_pred, metrics=["accuracy", "macro_f1", "kappa"])


def rows_of(name: str) -> dict[str, Any]:
    """Columns of a file of predictions."""
    return duckdb.sql(f"SELECT label, pred FROM '{FOLDER / name}.parquet'").fetchnumpy()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures().items():

        def on_paper(ax: Any, draw: Callable[..., Any] = draw) -> None:
            ax.figure.set_facecolor(PALETTE["paper"])
            draw(ax=ax)

        text = as_svg(on_paper, WIDTH, HEIGHT)
        (folder / f"{name}.svg").write_text(text + "\n", encoding="utf-8")
        print(folder / f"{name}.svg", len(text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

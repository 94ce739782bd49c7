"""Quality of a three-class classifier, as in oneDAL's batch example: one import changed.

python examples/onedal_multiclass_batch.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from karat.compat.onedal import MulticlassConfusionMatrix, Result

PREDICTIONS = Path(__file__).parent / "predictions" / "wine_nb.csv"
CLASSES = ("class_0", "class_1", "class_2")


def labels_of(column: str) -> list[int]:
    """Classes by their number, as oneDAL wants them."""
    with PREDICTIONS.open(encoding="utf-8", newline="") as lines:
        return [CLASSES.index(row[column]) for row in csv.DictReader(lines)]


def measure() -> Result:
    quality_metric = MulticlassConfusionMatrix(n_classes=len(CLASSES), fptype="double")
    return quality_metric.compute(labels_of("pred"), labels_of("label"))


def main() -> None:
    result = measure()
    print("Confusion matrix:")
    for row in result.confusion_matrix:
        print("  ".join(f"{count:6.0f}" for count in row))
    for name, value in result.metrics.items():
        print(f"{name + ':':<17}{value:.6f}")


if __name__ == "__main__":
    main()

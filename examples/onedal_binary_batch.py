"""Quality of a two-class classifier, batch by batch as in oneDAL's example: one import changed.

python examples/onedal_binary_batch.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from karat.compat.onedal import BinaryConfusionMatrix, Result

PREDICTIONS = Path(__file__).parent / "predictions" / "breast_cancer_logreg.csv"


def labels_of(column: str) -> list[int]:
    """1 for a malignant tumour, -1 for a benign one."""
    with PREDICTIONS.open(encoding="utf-8", newline="") as lines:
        return [1 if row[column] == "malignant" else -1 for row in csv.DictReader(lines)]


def measure() -> Result:
    quality_metric = BinaryConfusionMatrix(beta=1.0, fptype="double")
    return quality_metric.compute(labels_of("pred"), labels_of("label"))


def main() -> None:
    result = measure()
    print("Confusion matrix:")
    for row in result.confusion_matrix:
        print("  ".join(f"{count:6.0f}" for count in row))
    for name, value in result.metrics.items():
        print(f"{name + ':':<13}{value:.6f}")


if __name__ == "__main__":
    main()

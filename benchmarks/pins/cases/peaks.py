"""Peak memory of a new process that reports on a file of a million rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import karat
from benchmarks.pins.rows import file, label_columns, probability_columns

Call = Callable[[], Any]


def report_of_file(name: str, columns: Callable[[int], Any]) -> Callable[[Path], Call]:
    def make(folder: Path) -> Call:
        path = file(folder, name, columns)

        def call() -> list[float]:
            report = karat.evaluate(path)
            str(report)
            return [report["accuracy"].value, report["macro_f1"].value]

        return call

    return make


CASES: Final[dict[str, Callable[[Path], Call]]] = {
    "memory: report of a Parquet file, labels, 1e6 rows": report_of_file(
        "labels.parquet", label_columns
    ),
    "memory: report of a Parquet file, probabilities, 1e6 rows": report_of_file(
        "probabilities.parquet", probability_columns
    ),
}

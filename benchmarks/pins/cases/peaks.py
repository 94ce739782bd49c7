"""Peak memory of a call in a new process, beyond the peak before that call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.pins.rows import file, label_columns, probability_columns

Call = Callable[[], Any]
FEW: Final = 1000


def reported(path: str) -> list[float]:
    import karat

    report = karat.evaluate(path)
    str(report)
    return [report["accuracy"].value, report["macro_f1"].value]


def report_of_file(name: str, columns: Callable[[int], Any]) -> Callable[[Path], Call]:
    def make(folder: Path) -> Call:
        path = file(folder, name, columns)
        # Without it, the peak is that of the imports, and the memory of the rows vanishes in it.
        reported(file(folder, f"few-{name}", columns, FEW))
        return lambda: reported(path)

    return make


def first_report(folder: Path) -> Call:
    path = file(folder, "few-labels.parquet", label_columns, FEW)
    return lambda: reported(path)


CASES: Final[dict[str, Callable[[Path], Call]]] = {
    "memory: import karat and a first report of a file, 1e3 rows": first_report,
    "memory beyond imports: Parquet file, labels, 1e6 rows": report_of_file(
        "labels.parquet", label_columns
    ),
    "memory beyond imports: Parquet file, probabilities, 1e6 rows": report_of_file(
        "probabilities.parquet", probability_columns
    ),
}

"""Imports in a new process, where nothing of karat is imported before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

Call = Callable[[], Any]


def imported(_: Path) -> Call:
    # NumPy takes more than fifty times as long: together with it, no slowdown of karat shows.
    import numpy as np

    def call() -> list[str]:
        import karat

        return [np.__name__, karat.__name__]

    return call


def imported_with_numpy(_: Path) -> Call:
    def call() -> list[str]:
        import numpy as np

        import karat

        return [np.__name__, karat.__name__]

    return call


def first_f1(_: Path) -> Call:
    from benchmarks.cases.data import labels

    y_true, y_pred = labels(100, 2)

    def call() -> float:
        import karat

        return karat.f1(y_true, y_pred)

    return call


def first_report(_: Path) -> Call:
    from benchmarks.cases.data import labels

    y_true, y_pred = labels(1000, 10)

    def call() -> list[float]:
        import karat

        report = karat.evaluate(y_true, y_pred)
        str(report)
        return [report["accuracy"].value, report["macro_f1"].value]

    return call


CASES: Final[dict[str, Callable[[Path], Call]]] = {
    "import karat, NumPy imported before": imported,
    "import NumPy and karat": imported_with_numpy,
    "import karat and a first f1": first_f1,
    "import karat and a first report": first_report,
}

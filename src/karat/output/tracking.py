"""A report for trackers of experiments: flat dicts of numbers under keys that they take."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from karat.output.describe import describe, headline_names
from karat.output.json import report_to_json
from karat.output.markdown import markdown_of
from karat.output.tidy import (
    REPORT_COLUMNS,
    Row,
    csv_of,
    csv_of_lists,
    rows_of_classes,
    rows_of_metrics,
    writable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from karat.results.report import Report

__all__ = ["MlflowLog", "Which", "confusion_csv", "mlflow_of", "wandb_of"]

Which: TypeAlias = Literal["headline", "all"]

_LONGEST: Final = 100
"""Bytes of a class name in a key: a key is at most 250 characters, and may become a file name."""


class MlflowLog(NamedTuple):
    """What a run of MLflow logs.

    Attributes:
        metrics: key → number, for ``mlflow.log_metrics``.
        artifacts: file → text, for ``mlflow.log_text``.
    """

    metrics: dict[str, float]
    artifacts: dict[str, str]


def mlflow_of(report: Report, *, metrics: Which, per_class: bool, prefix: str) -> MlflowLog:
    """See `karat.Report.to_mlflow`."""
    # Of the letters of any script: \w, as in MLflow.
    names = _Names(re.compile(r"[^\w.\- ]+"), "/")
    numbers = _numbers(report, names, metrics, per_class=per_class, prefix=prefix)
    classes = csv_of(rows_of_classes(report), REPORT_COLUMNS)
    texts = {
        "karat/report.json": report_to_json(report),
        "karat/report.md": markdown_of(describe(report)),
        "karat/metrics.csv": csv_of(rows_of_metrics(report), REPORT_COLUMNS),
        "karat/per_class.csv": classes,
    }
    if report.cells.storage != "marginals":
        texts["karat/confusion.csv"] = confusion_csv(report)
    return MlflowLog(numbers, {name: text + "\n" for name, text in texts.items()})


def wandb_of(report: Report, *, metrics: Which, per_class: bool, prefix: str) -> dict[str, float]:
    """See `karat.Report.to_wandb`."""
    names = _Names(re.compile(r"[^A-Za-z0-9_]+"), "__")
    return _numbers(report, names, metrics, per_class=per_class, prefix=prefix)


def confusion_csv(report: Report) -> str:
    """The cells that hold rows: ``true,predicted,count``."""
    labels = [writable(str(label)) for label in report.labels]
    rows, cols, totals = report.confusion.occupied()
    listed = zip(rows.tolist(), cols.tolist(), totals.tolist(), strict=True)
    return csv_of_lists(
        ("true", "predicted", "count"), ((labels[i], labels[j], total) for i, j, total in listed)
    )


def _numbers(
    report: Report, names: _Names, metrics: Which, *, per_class: bool, prefix: str
) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in rows_of_metrics(report, headline_names(report, metrics)):
        for ending, number in _finite(row):
            found[f"{prefix}{names.of_metric(row)}{ending}"] = number
    if per_class:
        rows = rows_of_classes(report)
        labels = dict.fromkeys(str(row["label"]) for row in rows)
        keys = dict(zip(labels, names.of_classes(labels), strict=True))
        for row in rows:
            for ending, number in _finite(row):
                # The class stands last: one may be called as another with the ending.
                path = (f"{prefix}per_class", f"{names.of_metric(row)}{ending}")
                found[names.joint.join((*path, keys[str(row["label"])]))] = number
    return found


def _finite(row: Row) -> Iterator[tuple[str, float]]:
    """The value and its limits; what is not a finite number is left out: trackers lose it."""
    for ending, name in (("", "value"), ("_low", "low"), ("_high", "high")):
        number = row[name]
        if isinstance(number, float) and math.isfinite(number):
            yield ending, number


class _Names:
    """Keys of one tracker.

    Attributes:
        refused: what may not stand in a key.
        joint: what stands between a metric and a class.
    """

    def __init__(self, refused: re.Pattern[str], joint: str) -> None:
        self.refused = refused
        self.joint = joint

    def of_metric(self, row: Row) -> str:
        """``macro_f_beta(beta=2)`` is ``macro_f_beta_beta_2``."""
        return re.sub(r"[^A-Za-z0-9]+", "_", str(row["metric"])).strip("_")

    def of_classes(self, labels: Iterable[str]) -> list[str]:
        """A key for each class, no two alike: a name that says nothing is its number."""
        used: set[str] = set()
        keys = []
        for number, label in enumerate(labels, start=1):
            key = self.refused.sub("_", label).encode()[:_LONGEST].decode("utf-8", "ignore")
            # No path: neither a folder above nor a name that another one resolves to.
            key = key.strip("_. ") or f"class_{number}"
            if key in used:
                key = f"{key}_{number}"
            while key in used:
                key += "_"
            used.add(key)
            keys.append(key)
        return keys

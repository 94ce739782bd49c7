"""Calls that are repeated in a process: functions, reports, comparisons, gates, files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import karat
from benchmarks.cases.data import labels, many_classes, two_classes
from benchmarks.pins.rows import (
    MILLION,
    file,
    indicators,
    label_columns,
    probability_columns,
    three_models,
    two_versions,
)

Call = Callable[[], Any]
Maker = Callable[[Path], Call]

OF_LABELS: Final = ("accuracy", "macro_f1", "matthews_correlation")
OF_TWO: Final = (*OF_LABELS, "roc_auc", "log_loss", "brier")
OF_MANY: Final = (*OF_LABELS, "roc_auc_ovr_macro", "log_loss", "brier")
OF_SETS: Final = ("subset_accuracy", "macro_f1", "micro_f1", "samples_f1", "hamming_loss")


def printed(report: Any, names: tuple[str, ...]) -> dict[str, list[float]]:
    """Some values of a report and their limits, once the whole of it is computed and printed."""
    str(report)
    return {name: [report[name].value, report[name].low, report[name].high] for name in names}


def function(name: str, n: int, k: int, as_list: bool, **options: Any) -> Maker:
    def make(_: Path) -> Call:
        y_true, y_pred = labels(n, k)
        if as_list:
            y_true, y_pred = y_true.tolist(), y_pred.tolist()
        return partial(getattr(karat, name), y_true, y_pred, **options)

    return make


def report_of_labels(n: int, k: int) -> Maker:
    def make(_: Path) -> Call:
        y_true, y_pred = labels(n, k)
        return lambda: printed(karat.evaluate(y_true, y_pred), OF_LABELS)

    return make


def report_of_probabilities(n: int, k: int) -> Maker:
    def make(_: Path) -> Call:
        y_true, y_prob = two_classes(n) if k == 2 else many_classes(n, k)
        names = OF_TWO if k == 2 else OF_MANY
        return lambda: printed(karat.evaluate(y_true, y_prob=y_prob), names)

    return make


def report_of_sets(n: int, k: int) -> Maker:
    def make(_: Path) -> Call:
        y_true, y_pred = indicators(n, k)
        return lambda: printed(karat.evaluate(y_true, y_pred), OF_SETS)

    return make


def report_of_file(
    name: str, columns: Callable[[int], Any], names: tuple[str, ...], n: int = MILLION
) -> Maker:
    def make(folder: Path) -> Call:
        path = file(folder, name, columns, n)
        return lambda: printed(karat.evaluate(path), names)

    return make


def compared(result: Any) -> list[list[Any]]:
    """The differences of a comparison, once the whole of it is computed and printed."""
    str(result)
    return [
        [pair.metric, pair.a, pair.b, pair.difference, pair.low, pair.high, pair.p, pair.verdict]
        for pair in result.differences
    ]


def comparison_of_labels(n: int, k: int) -> Maker:
    def make(_: Path) -> Call:
        y_true, y_prob = many_classes(n, k)
        models = {name: prob.argmax(axis=1) for name, prob in three_models(y_prob).items()}
        return lambda: compared(karat.compare(y_true, models))

    return make


def comparison_of_probabilities(n: int) -> Maker:
    def make(_: Path) -> Call:
        y_true, y_prob = two_classes(n)
        models = three_models(y_prob)
        return lambda: compared(karat.compare(y_true, y_prob=models))

    return make


def gate(n: int) -> Maker:
    def make(_: Path) -> Call:
        now, before = two_versions(n)

        def printed_gate() -> list[Any]:
            result = karat.gate(
                now,
                baseline=before,
                min={"accuracy": 0.5},
                max_drop={"accuracy": 0.01, "macro_f1": 0.02},
            )
            str(result)
            rules = [
                [rule.metric, rule.value, rule.low, rule.high, rule.difference, rule.verdict]
                for rule in result.rules
            ]
            return [result.verdict, *rules]

        return printed_gate

    return make


CASES: Final[dict[str, Maker]] = {
    "f1, 100 rows, K=2": function("f1", 100, 2, as_list=False),
    "f1 macro, 100 rows, K=10": function("f1", 100, 10, as_list=False, average="macro"),
    "f1 of lists, 10 rows, K=2": function("f1", 10, 2, as_list=True),
    "accuracy, 100 rows, K=10": function("accuracy", 100, 10, as_list=False),
    "report of labels, 1e3 rows, K=2": report_of_labels(1000, 2),
    "report of labels, 1e3 rows, K=10": report_of_labels(1000, 10),
    "report of labels, 1e6 rows, K=2": report_of_labels(MILLION, 2),
    "report of labels, 1e6 rows, K=10": report_of_labels(MILLION, 10),
    "report of probabilities, 1e3 rows, K=2": report_of_probabilities(1000, 2),
    "report of probabilities, 1e3 rows, K=10": report_of_probabilities(1000, 10),
    "report of probabilities, 1e6 rows, K=2": report_of_probabilities(MILLION, 2),
    "report of probabilities, 2e5 rows, K=10": report_of_probabilities(200_000, 10),
    "report of sets, 1e3 rows, 10 labels": report_of_sets(1000, 10),
    "report of sets, 2e4 rows, 10 labels": report_of_sets(20_000, 10),
    "compare of 3 models, labels, 1e4 rows, K=10": comparison_of_labels(10_000, 10),
    "compare of 3 models, probabilities, 1e3 rows, K=2": comparison_of_probabilities(1000),
    "gate, baseline matched by id, 1e4 rows": gate(10_000),
    "report of a Parquet file, labels, 1e6 rows": report_of_file(
        "labels.parquet", label_columns, OF_LABELS
    ),
    "report of a CSV file, labels, 1e6 rows": report_of_file(
        "labels.csv", label_columns, OF_LABELS
    ),
    "report of a Parquet file, probabilities, 2e5 rows": report_of_file(
        "fewer-probabilities.parquet", probability_columns, OF_TWO, 200_000
    ),
}

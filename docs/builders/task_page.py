"""The page of the API by task: each task with its pages, its metrics and its names."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import karat
from builders.api_pages import public_names
from builders.written import write_changed
from karat import metrics
from karat.metrics._registry import every_record

__all__ = ["TASKS", "Task", "names_of_tasks", "write_task_page"]


@dataclass(frozen=True, slots=True)
class Task:
    """What a reader wants to do, and what karat has for it.

    Attributes:
        names: public names of `karat`; a module stands for all of its public names.
        families: families of metrics, each the subject of one task.
        also: metrics of other families that this task needs.
        pages: title → page.
    """

    title: str
    what: str
    pages: dict[str, str]
    names: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


TASKS: Final = (
    Task(
        "Evaluate predictions",
        "All metrics of a file, a table, arrays or tensors in one pass.",
        {"Tour": "tour", "Reports": "reports", "Files and columns": "files-and-columns"},
        names=(
            *(
                "evaluate",
                "read",
                "Data",
                "Report",
                "Result",
                "Signature",
                "Plan",
                "confusion_matrix",
            ),
            *("Labels", "Interval", "Frequency", "Reading", "CaseControl"),
        ),
    ),
    Task(
        "Check the data before a metric is computed",
        "What the columns mean, and what is unusual about them.",
        {"Doubts": "first-use", "Labels and classes": "labels-and-classes"},
        names=("check", "Check"),
    ),
    Task(
        "Measure how often a model is right",
        "The proportion of right rows, and agreement beyond chance.",
        {"LLM judge": "cookbook/llm-judge-labels", "1000 classes": "cookbook/ranking"},
        families=("accuracy", "agreement"),
        also=("top_k_accuracy",),
    ),
    Task(
        "Measure one class: positives, also rare ones",
        "Rates of the positive class, or of each class, and their averages.",
        {"Fraud": "cookbook/fraud", "Medical screening": "cookbook/screening"},
        families=("rates", "fscores", "counts"),
        also=("average_precision", "matthews_correlation", "precision_at_k"),
    ),
    Task(
        "Choose a threshold, or work within a budget",
        "The best threshold for a goal or for costs, and what the highest scores contain.",
        {"Choosing a threshold": "howto/threshold", "Fraud": "cookbook/fraud"},
        families=("thresholds", "costs"),
        also=("expected_cost",),
    ),
    Task(
        "Measure how well scores rank",
        "Areas under curves: they use the order of the scores alone.",
        {"Probabilities and scores": "scores", "1000 classes": "cookbook/ranking"},
        names=("roc_auc_pairs",),
        families=("ranking",),
        also=("ks_statistic", "equal_error_rate"),
    ),
    Task(
        "Check probabilities",
        "Losses of probabilities, calibration, and what recalibration would remove.",
        {"Calibration": "calibration", "Reliability diagrams": "howto/reliability"},
        families=("probability", "calibration", "recalibration", "decompositions"),
    ),
    Task(
        "Evaluate rows with several labels",
        "Sets of labels: rows, labels, the order within a row, many rare labels.",
        {"Multilabel": "multilabel"},
        names=("MultilabelReport",),
        families=("sets", "label_ranking", "label_scores", "propensity"),
    ),
    Task(
        "Compare models",
        "Whether one model is better, and the best of several.",
        {"Comparing models": "comparing", "Notebook": "cookbook/notebook"},
        names=("compare", "Comparison"),
    ),
    Task(
        "Measure with few labels of people and a judge's",
        "Gold labels of a part of the rows, labels of an LLM or a weak rater of all.",
        {"Gold labels and a judge": "judge", "LLM judge": "cookbook/llm-judge"},
        names=("JudgedReport", "Judge", "rows_to_label"),
    ),
    Task(
        "Include training in an interval",
        "Folds and repeats of cross-validation, nested or not.",
        {"Folds and repeats": "folds", "Cross-validation": "cookbook/cross-validation"},
        names=("Folds", "NestedFolds", "from_cross_validate", "fold_of_rows"),
    ),
    Task(
        "Stop a bad release",
        "Bounds and comparisons with a baseline, as an exit code.",
        {"Gates": "gate", "GitHub Actions and GitLab": "cookbook/ci-gate"},
        names=("gate", "GateResult", "Rules"),
    ),
    Task(
        "Look every day at rows that keep coming",
        "Intervals, tests and gates that hold at every look: `anytime=`, and rules with a state.",
        {"Monitoring": "monitoring", "Streaming": "cookbook/streaming"},
        names=("Monitor", "MonitorResult", "Looks"),
    ),
    Task(
        "Find where a model is bad",
        "Slices of the rows: `by=` of `karat.evaluate`, and a search through all columns.",
        {"Slices and fairness": "slices", "The rows behind a number": "reports"},
        names=("find_weak_slices",),
    ),
    Task(
        "Plan the size of a test set",
        "Rows for an interval of a given width, or for a difference to be found.",
        {"Size of a test set": "howto/test-set"},
        names=("rows_needed",),
    ),
    Task(
        "Evaluate batches, large files and clusters",
        "Streams that merge, and tallies as bytes.",
        {"Streaming": "cookbook/streaming", "Streams": "streams", "Spark": "cookbook/spark"},
        names=("Stream", "tally"),
    ),
    Task(
        "Draw curves and pictures",
        "Curves as data, pictures with matplotlib.",
        {"Gallery": "gallery", "Plots": "plots", "Curves": "curves"},
        names=("curves", "plot"),
    ),
    Task(
        "Train and select models",
        "Losses with derivatives, and scorers for the searches of scikit-learn.",
        {"Objectives": "objectives", "scikit-learn": "compat-sklearn"},
        names=("objectives", "scorer", "scorers"),
    ),
    Task(
        "Look up a metric or an error",
        "The catalogue of metrics, the classes of errors and their codes.",
        {"Metrics": "metrics/index", "Codes": "reference/codes", "Undefined": "undefined-values"},
        names=(
            *("metrics", "errors", "KaratError", "InputError", "UnknownNameError"),
            "UndefinedWarning",
        ),
    ),
    Task(
        "Extend karat",
        "Laws that metrics, intervals and sources of third parties can run.",
        {"Trust": "trust"},
        names=("testing",),
    ),
)


def names_of_tasks() -> list[str]:
    """The names of all tasks, without those of metrics."""
    return [name for task in TASKS for name in task.names]


def write_task_page(path: Path) -> None:
    """Write the page."""
    write_changed(path, "\n".join(_page()) + "\n")


def _page() -> Iterator[str]:
    yield from ("# API by task", "")
    yield "Every metric and every public name of karat, by what it is for."
    yield from (
        "The [cookbook](cookbook/index.md) has twelve tasks from the data to the decision.",
        "",
    )
    for task in TASKS:
        yield from (f"## {task.title}", "", task.what, "")
        yield ", ".join(f"[{title}]({page}.md)" for title, page in task.pages.items())
        yield from ("", "| name | what it is |", "|---|---|")
        for name in task.names:
            yield from _rows_of_name(name)
        records = [one for one in every_record() if one.family in task.families]
        yield from map(_row_of_metric, records)
        known = {one.name for one in records}
        yield from (
            _row_of_metric(metrics.get(name).record) for name in task.also if name not in known
        )
        yield ""


def _rows_of_name(name: str) -> Iterator[str]:
    value = getattr(karat, name)
    if not inspect.ismodule(value):
        yield _row(f"{{py:obj}}`karat.{name}`", value)
        return
    module = importlib.import_module(f"karat.{name}")
    for each in public_names(module):
        yield _row(f"{{py:obj}}`karat.{name}.{each}`", getattr(module, each))


def _row(link: str, value: Any) -> str:
    return f"| {link} | {_cell(_first_sentence(value))} |"


def _row_of_metric(record: metrics.Record) -> str:
    return f"| [{record.name}](metrics/{record.name}.md) | {_cell(record.summary)} |"


def _first_sentence(value: Any) -> str:
    paragraph = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

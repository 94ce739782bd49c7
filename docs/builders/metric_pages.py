"""A page for each metric, and their index: from the records, with an example that is run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final

import karat
from build import facts_of
from builders.written import write_changed
from karat import metrics
from karat.api.report import Report
from karat.api.results import Result
from karat.metrics._registry import every_record

__all__ = ["search_terms", "write_metric_pages"]

ROOT: Final = Path(__file__).resolve().parents[2]
SHOWN: Final[Mapping[str, str | None]] = {
    "examples/predictions/breast_cancer_rf.csv": "malignant",
    "examples/predictions/iris_rf.csv": None,
}
"""Files whose reports show a metric → their positive class: of two classes, and of three."""
FAMILIES: Final = {
    "accuracy": "Accuracy",
    "rates": "Rates of one class",
    "fscores": "F scores and overlaps",
    "agreement": "Agreement beyond chance",
    "costs": "Costs",
    "counts": "Counts",
    "ranking": "Ranking: areas and orders",
    "probability": "Losses of probabilities",
    "calibration": "Calibration errors",
    "recalibration": "Recalibration",
    "decompositions": "Parts of a loss",
    "thresholds": "Thresholds and operating points",
    "sets": "Sets of labels",
    "label_ranking": "Sets of labels: the order within a row",
    "label_scores": "Sets of labels: losses and areas",
    "propensity": "Sets of labels: many rare labels",
}
"""Headings that differ from the name of the family."""
_PARTS: Final = ("class_stat", "overall_stat", "BinaryConfusionMatrix", "MulticlassConfusionMatrix")
"""What other libraries name many metrics by: no name of one."""


def write_metric_pages(folder: Path) -> None:
    """Write `index.md` and a page for each record."""
    folder.mkdir(parents=True, exist_ok=True)
    reports = {
        name: karat.evaluate(str(ROOT / name), positive=positive)
        for name, positive in SHOWN.items()
    }
    wanted = {"index.md": "\n".join(_index()) + "\n"}
    for record in every_record():
        wanted[f"{record.name}.md"] = "\n".join(_page(record, reports)) + "\n"
    for old in folder.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        write_changed(folder / name, text)


def _index() -> Iterator[str]:
    yield from ("# Metrics", "")
    yield f"{len(every_record())} metrics, and their averages, a page each."
    yield from ("`karat metrics NAME` prints the same in a terminal.", "")
    for family, records in groupby(every_record(), key=lambda record: record.family):
        listed = list(records)
        heading = FAMILIES.get(family, family.capitalize())
        yield from (f"## {heading}", "", "| metric | what it is |", "|---|---|")
        yield from (f"| [{r.name}]({r.name}.md) | {_cell(r.summary)} |" for r in listed)
        yield from ("", "```{toctree}", ":hidden:", "", *(r.name for r in listed), "```", "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _page(record: metrics.Record, reports: dict[str, Report]) -> Iterator[str]:
    plain = metrics.Metric(record, "plain", metrics.Metric.defaults(record))
    yield from (f"# {record.name}", "")
    for term in search_terms(record):
        yield from ("```{index} ! single: " + term, "```")
    yield from ("", record.summary, "")
    if record.description:
        yield from (record.description, "")
    if plain.latex:
        yield from ("```{math}", plain.latex, "```", "")
    facts = facts_of(record)
    for name in ("References", "Equals"):
        facts.pop(name, None)
    yield from ("| what | is |", "|---|---|")
    yield from (f"| {name} | {_cell(text)} |" for name, text in facts.items())
    yield ""
    yield from _called_elsewhere(record)
    yield from _example(record, reports)
    yield from (
        "## The function",
        "",
        "```{eval-rst}",
        f".. autofunction:: karat.{record.name}",
        "```",
        "",
    )
    if record.references:
        yield from ("## References", "", *(f"- {each}" for each in record.references), "")


def search_terms(record: metrics.Record) -> list[str]:
    """Further names of a metric that a search finds: words, aliases, names in other libraries."""
    calls = [re.match(r"[A-Za-z]\w+", each.text) for each in record.equals]
    named = [record.name.replace("_", " "), *record.aliases, *(call[0] for call in calls if call)]
    # A search ignores case.
    unlike = {name.lower(): name for name in reversed(named)}
    return [name for name in reversed(unlike.values()) if name not in (record.name, *_PARTS)]


def _called_elsewhere(record: metrics.Record) -> Iterator[str]:
    if not record.equals:
        return
    yield from ("## Who calls it what", "", "| library | call |", "|---|---|")
    for each in record.equals:
        call, _, where = each.text.partition("; ")
        yield f"| {each.library} | `{_cell(call)}`{f': {_cell(where)}' if where else ''} |"
    yield ""


def _example(record: metrics.Record, reports: dict[str, Report]) -> Iterator[str]:
    """What a report of real predictions says of it, and of its averages."""
    for file, report in reports.items():
        names = [name for name in _names(record) if name in report.metrics]
        if not names:
            continue
        yield from ("## An example", "", "```python", ">>> import karat")
        positive = "" if SHOWN[file] is None else f', positive="{SHOWN[file]}"'
        yield f'>>> report = karat.evaluate("{file}"{positive})'
        for name in names:
            yield f'>>> print(report["{name}"])'
            yield _printed(report[name])
        yield from ("```", "")
        return


def _names(record: metrics.Record) -> list[str]:
    return [record.name, *(record.lifted(average) for average in record.averages)]


def _printed(result: Result) -> str:
    text = str(result)
    assert not math.isnan(result.value) or result.undefined
    return text

"""A report that was read back from JSON is exported as the one that was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from karat.api.report import Report
from tests.optional import optional
from tests.output.hostile_names import hostile_report
from tests.output.reports import REPORTS

pandas = optional("pandas")

EXPORTS: dict[str, Callable[[Report], Any]] = {
    "json": lambda report: report.to_json(),
    "text": str,
    "markdown": lambda report: report.to_markdown(metrics="all"),
    "latex": lambda report: report.to_latex(metrics="all"),
    "csv": lambda report: report.to_csv(),
    "frame": lambda report: report.to_frame("polars").to_dicts(),
    "model index": lambda report: report.to_model_index(model_name="m", dataset="d").to_yaml(),
    "mlflow": lambda report: report.to_mlflow(metrics="all", per_class=True),
    "wandb": lambda report: report.to_wandb(metrics="all", per_class=True),
    "notebook": lambda report: report._repr_html_(),
    "matrix": lambda report: report.confusion._repr_html_(),
    "result": lambda report: [one._repr_html_() for one in report.metrics.values()],
}
ALL = {**REPORTS, "hostile names": hostile_report}


def differing(report: Report, again: Report) -> list[str]:
    """The exports that are not the same."""
    return [name for name, export in EXPORTS.items() if export(report) != export(again)]


@pytest.mark.parametrize("name", ALL)
def test_every_export_of_a_report_survives_json(name: str) -> None:
    report = ALL[name]()
    assert differing(report, Report.from_json(report.to_json())) == []


def test_another_report_differs_in_every_export() -> None:
    report = REPORTS["two"]()
    counts = report.cells.counts.copy()
    counts[0, 0] += 1
    other = replace(report, cells=replace(report.cells, counts=counts))
    assert differing(report, other) == list(EXPORTS)

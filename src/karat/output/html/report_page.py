"""A `Report` as one page that opens anywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat._version import __version__
from karat.output.describe import facts
from karat.output.document import Notes, Table
from karat.output.html.confusion import PLAIN, matrix_of
from karat.output.html.decisions import decisions_of
from karat.output.html.figures import figures_of
from karat.output.html.page import page
from karat.output.html.tables import (
    class_table,
    definitions,
    headline_and_rest,
    metric_table,
    signatures,
    undefined_reasons,
)
from karat.output.sections import inexact_notes, pairs_section, slice_sections, thresholds_section

if TYPE_CHECKING:
    from karat.results.report import Report

__all__ = ["report_to_html"]

_POLICIES = {
    "zero": "A class without a value counts as 0 in an average.",
    "exclude": "A class without a value is left out of an average.",
    "nan": "A class without a value leaves its average without one.",
}


def report_to_html(report: Report) -> str:
    """The page of a report, as text.

    Errors:
        K501 jinja2 or matplotlib is not installed.

    Cost: the drawings take most of it, about a second; nothing depends on the number of rows.
    """
    first, rest = headline_and_rest(report)
    matrix = matrix_of(report.confusion)
    decisions, about_decisions = decisions_of(report)
    shown: dict[str, Any] = {
        "title": "karat report",
        "version": __version__,
        "facts": facts(report),
        "warnings": (*report.warnings, *report.cautions),
        "level": _level(report),
        "metrics": metric_table(report, first),
        "more_metrics": metric_table(report, rest),
        "inexact": inexact_notes(report, list(report.metrics), ""),
        "matrix": matrix,
        "is_plain": matrix is not None and len(matrix.names) <= PLAIN,
        "decisions": decisions,
        "about_decisions": about_decisions,
        "best_thresholds": thresholds_section(report),
        "classes": class_table(report),
        "slices": list(slice_sections(report, first[0])) if first else [],
        "figures": figures_of(report),
        "pairs": _pairs(report),
        "undefined": undefined_reasons(report),
        "policy_of_undefined": _POLICIES[report.undefined],
        "definitions": list(definitions(report)),
        "mapping": _pairs_of(report.mapping),
        "source": _pairs_of(report.source),
        "signatures": signatures(report, first),
    }
    data = {"matrix": None if matrix is None else matrix.to_json(), "decisions": decisions}
    return page("report.html", shown, data)


def _level(report: Report) -> str:
    return "" if report.confidence is None else report.confidence.told


def _pairs(report: Report) -> Table | None:
    """The most confused pairs; of few classes the matrix says them."""
    found = pairs_section(report)
    if isinstance(found, Notes):
        return Table(found.title, (), (), found.lines)
    # The matrix stands above, also where a terminal would not draw it.
    return None if found is None else replace(found, notes=found.notes[:1])


def _pairs_of(facts_: Any) -> list[tuple[str, str]]:
    """Name and text of each fact that is there."""
    found = []
    for name, item in facts_.items():
        if item is None:
            continue
        is_list = isinstance(item, list | tuple)
        found.append((str(name), ", ".join(map(str, item)) if is_list else str(item)))
    return found

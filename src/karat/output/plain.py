"""A report as plain text: what `print(report)` shows. Needs no other package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from karat.output.describe import describe
from karat.output.document import Document
from karat.output.layout import lay_out, line_text
from karat.output.sections import confusion_section

if TYPE_CHECKING:
    from karat.results.confusion import Confusion
    from karat.results.report import Report

__all__ = ["confusion_as_text", "report_as_text"]


def report_as_text(
    report: Report,
    width: int = 80,
    *,
    is_ascii: bool = False,
    metrics: Literal["headline", "all"] = "headline",
) -> str:
    """The text of a report, at most `width` cells wide, without a line end after the last line.

    Args:
        report: a `karat.Report`.
        width: cells across; below 30 counts as 30.
        is_ascii: whether to use ASCII characters only.
        metrics: ``"headline"``, or ``"all"`` to list every one.
    """
    lines = lay_out(describe(report, metrics=metrics), width, is_ascii=is_ascii)
    return "\n".join(map(line_text, lines))


def confusion_as_text(confusion: Confusion, width: int = 80) -> str:
    """The text of a confusion matrix; of many classes, or without cells, what it is."""
    section = confusion_section(confusion)
    if section is None:
        return repr(confusion)
    lines = lay_out(Document("", (), (section,)), width)
    return "\n".join(map(line_text, lines)).strip("\n")

"""Which of the values shown are not exact, and how far from exact they can be."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from karat.errors.numbers import at_most, counted, value
from karat.output.document import Notes

if TYPE_CHECKING:
    from karat.results.report import Report
    from karat.results.result import Result

__all__ = ["inexact_notes"]

_MOST: Final = 8
_TITLE: Final = "Not exact (~)  scores were counted in buckets; the exact value lies within"
_UNKNOWN: Final = "how far from exact is not known"


def inexact_notes(report: Report, shown: Collection[str], rest: str) -> Notes | None:
    """Values that are not exact, each with its bound; those that are not shown are counted.

    Args:
        report: a `karat.Report`.
        shown: names of the metrics that a reader sees.
        rest: where the others are found.
    """
    if not report.bounds:
        return None
    open_ones = {name: result for name, result in report.metrics.items() if not result.exact}
    seen = [name for name in open_ones if name in shown]
    if not open_ones:
        return None
    lines = [f"{name}: {_within(open_ones[name])}" for name in seen if open_ones[name].bound]
    unknown = [name for name in seen if not open_ones[name].bound]
    if unknown:
        lines.append(f"{', '.join(unknown)}: {_UNKNOWN}")
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], f"{len(lines) - _MOST} more bounds: {rest}"]
    if len(open_ones) > len(seen):
        lines.append(f"{counted(len(open_ones) - len(seen), 'metric')} not listed here: {rest}")
    return Notes(_TITLE, tuple(lines))


def _within(result: Result) -> str:
    """``0.9123 ± 2.4e-06``."""
    assert result.bound is not None
    far = max(result.value - result.bound[0], result.bound[1] - result.value)
    return f"{value(result.value)} ± {at_most(far)}"

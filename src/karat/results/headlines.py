"""The metrics that open a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from karat.errors import error
from karat.metrics.headlines import HEADLINE_OF_SETS, headline
from karat.tally.score_kind import UNITS

if TYPE_CHECKING:
    from karat.results.values import ReportValues


class Listed(Protocol):
    """A report that lists metrics."""

    @property
    def requested(self) -> Any:
        """The metrics of metrics=, or None for all."""

    @property
    def metrics(self) -> Mapping[str, Any]:
        """The result of each metric that it lists."""


def lists_all(report: Listed, which: str) -> bool:
    """True if every metric of a report is at its top: requested metrics always are.

    Errors:
        K122 it is neither ``"headline"`` nor ``"all"``.
    """
    if which not in ("headline", "all"):
        do = "To list others: report.to_frame(), or karat.evaluate(..., metrics=[...])."
        raise error("K122", argument="metrics", value=which, choices="'headline', 'all'", do=do)
    return which == "all" or report.requested is not None


def headline_names(report: ReportValues, which: str = "headline") -> list[str]:
    """Return the metrics at the top: the requested ones, else those for this kind of problem.

    Errors:
        K122 it is neither ``"headline"`` nor ``"all"``.
    """
    if lists_all(report, which):
        return list(report.metrics)
    names = headline(
        report.classes.k,
        has_positive=report.is_binary,
        prevalence=prevalence_of(report),
        has_probabilities=UNITS.get(report.scores) == "probability",
        has_scores=report.scores == "scores",
    )
    return [name for name in names if name in report.metrics] or list(report.metrics)


def headline_of_sets(report: Listed, which: str = "headline") -> list[str]:
    """Return the metrics at the top: the requested ones, else those of sets.

    Errors:
        K122 it is neither ``"headline"`` nor ``"all"``.
    """
    if lists_all(report, which):
        return list(report.metrics)
    return [name for name in HEADLINE_OF_SETS if name in report.metrics]


def prevalence_of(report: ReportValues) -> float | None:
    """Weighted proportion of positive rows; None without a positive class."""
    return report["prevalence"].value if report.is_binary else None

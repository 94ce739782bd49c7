"""From rows and the slice of each to the slices of their report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.engines.few_rows import owned
from karat.engines.label_rows import LabelRows
from karat.engines.scores import ScoreTally
from karat.engines.sliced import SlicedRows
from karat.inputs.slice_codes import SliceCodes
from karat.metrics import Metric
from karat.metrics._influence.gather import influences
from karat.metrics._lift import Policy
from karat.report import Report
from karat.slices import Slices, SliceTable
from karat.uncertainty.confidence import Confidence

__all__ = ["with_slices", "with_slices_of_labels", "with_slices_of_scores"]

Flags: TypeAlias = npt.NDArray[np.bool_]


def with_slices(
    report: Report, rows: SlicedRows, by: Sequence[SliceCodes], scored: RowsWithScores | None = None
) -> Report:
    """The same report with the slices of its rows.

    Args:
        rows: all of them.
        by: the slice of each row, by each column.
        scored: the rows with their scores, where there are any.

    Cost: one pass over the rows for each column.
    """
    tables = {}
    for codes in by:
        of_rows = None if scored is None else codes.codes
        tables[codes.columns] = SliceTable(rows.by(codes), report, of_rows, scored)
    return replace(report, kept_slices=Slices(tables))


def with_slices_of_labels(report: Report, found: LabelRows, by: Sequence[SliceCodes]) -> Report:
    """The same report of rows that were read, with labels alone."""
    clusters = None
    if found.clusters is not None and report.is_clustered:
        clusters = found.clusters.codes.astype(np.int64)
    rows = SlicedRows(report.cells, found.true, found.pred, found.weights, clusters)
    return with_slices(report, rows, by)


def with_slices_of_scores(
    report: Report,
    rows: ScoreTally,
    by: Sequence[SliceCodes],
    requested: tuple[Metric, ...] | None,
    policy: Policy,
    confidence: Confidence | None,
    *,
    is_owned: bool,
) -> Report:
    """The same report of rows with scores.

    Args:
        is_owned: whether nobody else can change the rows; else they are copied.
    """
    kept = replace(rows if is_owned else owned(rows), pred=np.asarray(rows.predicted()).copy())
    clusters = rows.clusters if report.is_clustered else None
    scored = RowsWithScores(replace(kept, threshold=None), requested, policy, confidence, clusters)
    of_labels = SlicedRows(report.cells, kept.codes, kept.predicted(), kept.weights, clusters)
    return with_slices(report, of_labels, by, scored)


@dataclass(eq=False)
class RowsWithScores:
    """Rows with scores, kept to measure some of them; see `slices.ScoredSlices`.

    Attributes:
        rows: all of them, with their predicted classes.
        requested: the metrics of the report, or None for all.
        policy, confidence: of the report.
        clusters: int64[n], which rows go together, or None.
    """

    rows: ScoreTally
    requested: tuple[Metric, ...] | None
    policy: Policy
    confidence: Confidence | None
    clusters: npt.NDArray[np.int64] | None = None

    @property
    def weights(self) -> Any:
        """float64[n], or None."""
        return self.rows.weights

    def report(self, rows: Flags) -> Report:
        """The report of some of the rows."""
        from karat.measuring import report_of_scores

        part = self._some(rows)
        if part.clusters is not None and not np.ptp(part.clusters[_held(part)]):
            # Of one cluster there is a value, and no interval.
            return report_of_scores(
                replace(part, clusters=None), self._wanted, self.policy, None, keeps_curves=False
            )
        return report_of_scores(
            part, self._wanted, self.policy, self.confidence, keeps_curves=False
        )

    @property
    def _wanted(self) -> tuple[Metric, ...] | None:
        if self.requested is None:
            return None
        return tuple(metric for metric in self.requested if metric.needs_scores)

    def influence(self, rows: Flags, metric: Metric) -> npt.NDArray[np.float64]:
        """The influence of each of these rows on a metric of them."""
        return influences(self._some(rows), [metric])[metric]

    def _some(self, rows: Flags) -> ScoreTally:
        of_all = self.rows
        assert of_all.pred is not None
        return replace(
            of_all,
            codes=of_all.codes[rows],
            scores=of_all.scores.at(rows),
            weights=None if of_all.weights is None else of_all.weights[rows],
            pred=of_all.pred[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
        )


def _held(rows: ScoreTally) -> Any:
    return slice(None) if rows.weights is None else rows.weights > 0

"""From tallies to a report with its slices: the last step of the one path from rows to numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.api.measuring import Spec, labels_of, report_of_scores, whole_report, with_axes
from karat.api.results import Report
from karat.data.accumulator import Tallies
from karat.data.rows import Rows
from karat.data.scores.few_rows import owned
from karat.data.scores.rows import ScoreTally
from karat.data.slices.counted import by_slice
from karat.metrics import Metric
from karat.metrics._influence.gather import influences
from karat.results.slices import Slices, SliceTable

__all__ = ["report_of"]

Flags: TypeAlias = npt.NDArray[np.bool_]


def report_of(found: Tallies, spec: Spec) -> Report:
    """The report of what was accumulated, with the slices that its rows have.

    Errors:
        As `whole_report`; K102, K181, K182 slices.

    Cost: beside `whole_report` one pass over the rows for each column of slices.
    """
    found = with_axes(found)
    report, tally = whole_report(found, spec)
    rows = found.rows
    if found.sliced:
        return _with_slices(report, found.sliced)
    if rows is None or not rows.by:
        return report
    if tally is None:
        return _with_slices(report, [rows])
    # The rows are kept as they are: nobody else may change them.
    kept = tally if rows.is_owned else owned(tally)
    kept = replace(kept, pred=np.asarray(tally.predicted()).copy(), threshold=None)
    clusters = tally.clusters if report.is_clustered else None
    labels = replace(labels_of(kept), by=rows.by)
    return _with_slices(report, [labels], SliceMeasure(kept, spec, clusters))


def _with_slices(
    report: Report, sliced: Sequence[Rows], measure: SliceMeasure | None = None
) -> Report:
    tables = {}
    for rows in sliced:
        for codes in rows.by:
            of_rows = None if measure is None else codes.codes
            counted = by_slice(report.cells, rows, codes, is_clustered=report.is_clustered)
            tables[codes.columns] = SliceTable(counted, report, of_rows, measure)
    return replace(report, kept_slices=Slices(tables))


@dataclass(eq=False)
class SliceMeasure:
    """Measures some of the rows with scores; see `slices.ScoredSlices`.

    Attributes:
        rows: all of them, with their predicted classes.
        spec: what their report holds.
        clusters: int64[n], the cluster of each row, or None.
    """

    rows: ScoreTally
    spec: Spec
    clusters: npt.NDArray[np.int64] | None = None

    @property
    def weights(self) -> Any:
        """float64[n], or None."""
        return self.rows.weights

    def report(self, rows: Flags) -> Report:
        """The report of some of the rows."""
        part, wanted = self._some(rows), self.spec.wanted
        if wanted is not None:
            wanted = tuple(metric for metric in wanted if metric.needs_scores)
        spec = replace(self.spec, wanted=wanted, keeps_curves=False)
        if part.clusters is not None and not np.ptp(part.clusters[_weighing(part)]):
            # Of one cluster there is a value, and no interval.
            part, spec = replace(part, clusters=None), replace(spec, confidence=None)
        return report_of_scores(part, spec)

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


def _weighing(rows: ScoreTally) -> Any:
    return slice(None) if rows.weights is None else rows.weights > 0

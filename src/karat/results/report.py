"""`Report` as data: the metrics of one tally, its classes, thresholds, curves and slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.errors import error
from karat.metrics import get
from karat.metrics.plan import default_metrics
from karat.metrics.reasons import CALIBRATION_FAMILIES, no_calibration
from karat.results.class_table import rows_of_classes
from karat.results.confusion import Confusion
from karat.results.operating_points import best_thresholds
from karat.results.result import Result
from karat.results.slices.columns import Slices
from karat.results.values import ReportValues
from karat.tally.kept import cached_property

if TYPE_CHECKING:
    from karat.curves._kept import Curves

__all__ = ["Report"]


@dataclass(frozen=True, eq=False)
class Report(ReportValues):
    """All metrics of one data set, as data; `karat.Report` lists the attributes, and shows them."""

    kept_slices: Slices | None = None

    @cached_property
    def per_class(self) -> list[dict[str, Any]]:
        """One row a class: label, name, counts and rates; undefined rates carry their reason.

        Each row also holds ``"undefined"``: metric name → reason, for that class; and
        ``"intervals"``: metric name → (low, high). Of scores in buckets also ``"bounds"``: metric
        name → limits of the exact value, None if not known, of each rate that is not exact.
        """
        return rows_of_classes(self, self._tables if self.confidence else None)

    @cached_property
    def thresholds(self) -> dict[str, Any] | list[dict[str, Any]]:
        """The thresholds that are best on these rows: for F1, informedness and equal costs.

        Of two classes ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for the positive one;
        of more, one such dict a class with its ``"label"`` and ``"name"``.
        Chosen on the rows that they are measured on, so their values are optimistic. Of scores in
        buckets what is not exact has its limits under ``"bounds"``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        return best_thresholds(self)

    @cached_property
    def calibration(self) -> Mapping[str, Result]:
        """Every metric of calibration by name; diagrams are ``report.curves.reliability``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        listed = [name for name in self.metrics if get(name).record.family in CALIBRATION_FAMILIES]
        if not listed and self.scores is None:
            raise error("K210", name="calibration")
        if not listed:
            raise no_calibration(list(filter(self._applies, default_metrics(of_scores=True))))
        return {name: self.metrics[name] for name in listed}

    @property
    def curves(self) -> Curves:
        """Every curve of every class: ``report.curves.roc["cat"]``, ``.roc.positive`` of two.

        Of a curve 256 points are kept at most, and it says how far it is from the whole one.

        Errors:
            K308 none were kept: there were no scores, some metrics only, or more than 100 classes.
        """
        if self.kept_curves is None:
            from karat.curves._kept import no_curves

            raise no_curves(self.scores, self.classes.k, is_whole=self.requested is None)
        return self.kept_curves

    @property
    def slices(self) -> Slices:
        """Column, or tuple of crossed columns → its slices: ``report.slices["country"]["NO"]``.

        Empty where ``by=`` was not given.
        """
        return Slices() if self.kept_slices is None else self.kept_slices

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix: ``.matrix``, ``.labels``, ``.names``, ``.occupied()``."""
        return Confusion(self.cells)

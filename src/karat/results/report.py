"""`Report` as data: the metrics of one tally, its classes, thresholds, curves and slices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import error
from karat.errors.doubts import no_scores
from karat.metrics import Metric, get
from karat.metrics._applies import refuse_without_probabilities
from karat.metrics._lift import Lift
from karat.metrics.plan import default_metrics
from karat.metrics.reasons import CALIBRATION_FAMILIES, no_calibration, not_computed
from karat.results.result import Confusion, Result
from karat.results.values import ReportValues, open_bounds, rows_of_classes
from karat.tally.cached import cached_property

if TYPE_CHECKING:
    from karat.curves._kept import Curves
    from karat.curves._sampling import Sampling
    from karat.results.folds import Folds
    from karat.results.slices import Slices
    from karat.tally.listed_rows import ListedRows

THRESHOLDS = {
    "f1": ("f_beta_threshold", "max_f_beta"),
    "informedness": ("informedness_threshold", "max_informedness"),
    "cost": ("cost_threshold", "min_cost"),
}
"""What a threshold can be best for → the metrics of the threshold and of what it gives."""
_VALUES: Final = ("threshold", "value")


def lift_of_thresholds(*, has_positive: bool) -> Lift:
    """Return the lift of thresholds: those of the positive class, or of each class without one."""
    return "plain" if has_positive else "per_class"


def _points(report: ReportValues, metrics: list[Metric]) -> list[dict[str, Any]]:
    """Threshold and value, of the positive class or of each."""
    threshold, value = (report.measured[metric].value.reshape(-1).tolist() for metric in metrics)
    points: list[dict[str, Any]] = []
    for pair in zip(threshold, value, strict=True):
        point: dict[str, Any] = {
            name: None if math.isnan(number) else number
            for name, number in zip(_VALUES, pair, strict=True)
        }
        unfit = [m for m, number in zip(metrics, pair, strict=True) if not math.isfinite(number)]
        point |= {"undefined": unfit[0].undefined_when} if unfit else {}
        bounds = open_bounds(report, dict(zip(_VALUES, metrics, strict=True)), len(points))
        points.append(point | ({"bounds": bounds} if bounds else {}))
    return points


@dataclass(frozen=True, eq=False)
class ClassReport(ReportValues):
    """All metrics of one data set, as data; `karat.Report` lists the attributes, and shows them."""

    kept_slices: Slices | None = None
    """The slices, if ``by=`` was given; read them as `slices`."""
    kept_rows: ListedRows | None = None
    """The rows behind the numbers, if they were kept; read them as `rows`."""
    kept_folds: Folds | None = None
    """The folds, with ``design=karat.Folds``; read them as `folds`."""

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

        With a positive class ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for that one;
        without, one such dict a class with its ``"label"`` and ``"name"``.
        Chosen on the rows that they are measured on, so their values are optimistic. Of scores in
        buckets what is not exact has its limits under ``"bounds"``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        lift = lift_of_thresholds(has_positive=self.is_binary)
        found: dict[str, list[dict[str, Any]]] = {}
        missing: list[str] = []
        if self.scores is None:
            raise no_scores("thresholds", self.warnings)
        for purpose, names in THRESHOLDS.items():
            metrics = [Metric.of(get(name).record, lift, {}) for name in names]
            missing += [str(metric) for metric in metrics if metric not in self.measured]
            if all(metric in self.measured for metric in metrics):
                found[purpose] = _points(self, metrics)
        if not found:
            raise not_computed(missing, can_be_named=lift == "plain")
        if lift == "plain":
            return {purpose: points[0] for purpose, points in found.items()}
        each = zip(self.classes.labels, self.classes.display, strict=True)
        return [
            {"label": label, "name": name, **{what: found[what][i] for what in found}}
            for i, (label, name) in enumerate(each)
        ]

    @cached_property
    def calibration(self) -> Mapping[str, Result]:
        """Every metric of calibration by name; diagrams are ``report.curves.reliability``.

        Errors:
            K210 there were no scores; K211 only other metrics were asked for.
        """
        listed = [name for name in self.metrics if get(name).record.family in CALIBRATION_FAMILIES]
        if not listed and self.scores is None:
            raise no_scores("calibration", self.warnings, of_probabilities=True)
        if not listed:
            refuse_without_probabilities("calibration", self.scores)
            raise no_calibration(list(filter(self._applies, default_metrics(of_scores=True))))
        return {name: self.metrics[name] for name in listed}

    @cached_property
    def curves(self) -> Curves:
        """Every curve of every class: ``report.curves.roc["cat"]``, ``.roc.positive`` of two.

        Of a curve 256 points are kept at most, and it says how far it is from the whole one.
        ``report.curves.roc["cat"].band()`` gives limits of the whole curve.

        Errors:
            K308 none were kept: there were no scores, some metrics only, or more than 100 classes.
        """
        if self.kept_curves is None:
            from karat.curves._kept import no_curves

            raise no_curves(self.scores, self.classes.k, is_whole=self.requested is None)
        return replace(self.kept_curves, sampling=self._sampling)

    @property
    def _sampling(self) -> Sampling:
        """Sampling of the rows, as the bands of curves need it."""
        from karat.curves._sampling import OF_CLUSTERS, Sampling

        cells, square = self.cells, self.cells.class_squares
        is_known = square is not None and bool(np.isfinite(square).all())
        no_band = OF_CLUSTERS if self.is_clustered else None
        return Sampling(cells.is_weighted, square if is_known else None, no_band)

    @property
    def slices(self) -> Slices:
        """Column, or tuple of crossed columns → its slices; empty where ``by=`` was not given."""
        from karat.results.slices import Slices

        return Slices() if self.kept_slices is None else self.kept_slices

    @property
    def folds(self) -> Folds:
        """Metrics over the folds of cross-validation: ``report.folds["accuracy"].fold_mean``.

        Errors:
            K250 without ``design=karat.Folds``.
        """
        if self.kept_folds is None:
            raise error(
                "K250",
                found="The report has no folds",
                do="Give karat.evaluate design=karat.Folds(…): the fold of each row, or a column.",
            )
        return self.kept_folds

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix: ``.matrix``, ``.labels``, ``.names``, ``.occupied()``."""
        return Confusion(self.cells)

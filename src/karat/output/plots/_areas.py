"""What a legend tells of a curve: a metric of its class or of all classes, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from karat.errors import KaratError
from karat.errors.numbers import MISSING, interval, value

if TYPE_CHECKING:
    from karat.output.plots._series import Series
    from karat.results.report import Report

__all__ = ["AVERAGE_PRECISION", "ROC_AUC", "Area", "area_of_class", "area_of_mean", "told"]


@dataclass(frozen=True, slots=True)
class Area:
    """The metric that a legend tells.

    Attributes:
        metric: of one class.
        mean: of all.
        title: over the entries of the legend.
    """

    metric: str
    mean: str
    title: str


ROC_AUC: Final = Area("roc_auc", "roc_auc_ovr_macro", "area under the curve")
AVERAGE_PRECISION: Final = Area("average_precision", "mean_average_precision", "average precision")


def area_of_class(area: Area | None, one: Series) -> str:
    """``0.9881 [0.9803, 0.9942]`` of a class; nothing where the report holds no such value."""
    row = one.row
    if area is None or row.get(area.metric) is None:
        return ""
    low, high = row["intervals"].get(area.metric, (None, None))
    bounds = row.get("bounds", {})
    return told(row[area.metric], low, high, exact=area.metric not in bounds)


def area_of_mean(area: Area | None, report: Report) -> str:
    """The same of the mean of all classes."""
    if area is None:
        return ""
    try:
        found = report[area.mean]
    except KaratError:
        return ""
    return told(found.value, found.low, found.high, exact=found.exact)


def told(number: Any, low: float | None, high: float | None, *, exact: bool = True) -> str:
    """A value with its interval; a wave where it is not exact."""
    if number is None:
        return MISSING
    return f"{'' if exact else '≈ '}{value(number)} {interval(low, high)}".rstrip()

"""What tests of slices read: parts of the rows of a report, whatever these rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat.designs.units import Units
from karat.errors import KaratError, error, shown
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate, Levels
from karat.inference.limits import Flags, Floats
from karat.inference.slices.permuted import Reference
from karat.metrics import Metric
from karat.results.result import Result

Key: TypeAlias = tuple[str, ...]

NO_WEIGHT: Final = "its rows have weight 0"
ONE_CLUSTER: Final = "its rows are in one cluster"
NO_INTERVALS: Final = "no intervals were asked for (level=None)"
SHARED: Final = "a cluster has rows inside and outside of it, so limits are not known"
OF_OTHERS: Final = "of the other rows: "
FEW_OF: Final = 5
"""With fewer rows of some class an average over the classes is no better than a guess."""


ResultsT_co = TypeVar("ResultsT_co", covariant=True)


class Part(Protocol[ResultsT_co]):
    """A slice, or all other rows."""

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric."""

    @property
    def n_rows(self) -> int:
        """Its rows."""

    @property
    def results(self) -> ResultsT_co:
        """What users read of it."""

    @property
    def weight(self) -> float:
        """Weight of its rows; without weights their number."""

    @property
    def weight_effective(self) -> float:
        """Kish's number of rows."""

    @property
    def n_clusters(self) -> int | None:
        """Clusters of positive weight; None where rows are independent."""

    @property
    def rows_of_classes(self) -> Floats:
        """float64[k]: rows that are truly of each class or label; effective ones."""

    def value(self, metric: Metric) -> float:
        """The value of a metric; NaN where its rows weigh nothing."""

    def remark_on(self, metric: Metric) -> str | None:
        """Remark on a difference of this value, in place of that on the contrast."""

    def why_untested(self, metric: Metric) -> str | None:
        """Reason why it is left out of the tests of all slices, or None."""

    def distances(self, metric: Metric) -> tuple[float, float] | None:
        """Distances from a value to its lower and its upper limit, in quantiles; or None."""

    def levels(self, metric: Metric) -> Levels | None:
        """Limits of a value at any level; None where they are not known."""

    def estimate(self, metric: Metric) -> Estimate:
        """The value as one of two independent ones, with its variance."""

    def df(self, metric: Metric) -> float:
        """Degrees of freedom of the variance of a value in a contrast."""

    def influence(self, metric: Metric) -> Floats | None:
        """float64[e]: of each unit of all rows on the value; None where it is not known."""


class Sliced(Protocol[ResultsT_co]):
    """Rows of a report, split by a column or by a cross of columns."""

    @property
    def columns(self) -> Key:
        """The column, or the columns of a cross."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """Name of each slice in each column."""

    @property
    def whole(self) -> Any:
        """The report of all rows."""

    @property
    def parts(self) -> Sequence[Part[ResultsT_co]]:
        """The slices."""

    @property
    def rests(self) -> Sequence[Part[ResultsT_co]]:
        """All other rows of each."""

    @property
    def unit(self) -> str:
        """What averages are over: a class, or a label."""

    @property
    def headline(self) -> list[str]:
        """The metrics that open the report."""

    @property
    def is_marked(self) -> bool:
        """True if a mark shows significant differences, beside their color."""

    @property
    def lacks_clusters(self) -> bool:
        """True if rows have clusters which are not known."""

    def metric_of(self, metric: Metric) -> Metric:
        """The metric with its range on these rows.

        Errors:
            As the report.
        """

    def values_of(self, metric: Metric) -> Floats:
        """float64[s]: the value of each slice."""

    def why_not(self, metric: Metric, i: int) -> str | None:
        """Reason why a slice is not compared with the other rows, or None."""

    def shared_units(self, metric: Metric, i: int | None = None) -> Units | None:
        """All rows by cluster, where a slice, or any, is compared by clusters that others share."""

    def reference(self, metric: Metric) -> Reference | None:
        """Reference distribution of rows permuted across the slices, or None."""

    def is_over_classes(self, metric: Metric) -> bool:
        """True if each class or label adds a value of its own, which needs rows of it."""


def that_share(clusters: npt.NDArray[Any], codes: npt.NDArray[np.int32], n_slices: int) -> Flags:
    """bool[s]: the slices that share a cluster with others, from the rows of both [n]."""
    _, cluster = np.unique(clusters, return_inverse=True)
    cluster, place = np.divmod(np.unique(cluster.astype(np.int64) * n_slices + codes), n_slices)
    is_in_several = np.bincount(cluster)[cluster] > 1
    return np.asarray(np.bincount(place[is_in_several], minlength=n_slices) > 0)


def fields_of(record: Any) -> dict[str, Any]:
    """The state of a record that is stored, without what is computed from it again."""
    return {item.name: getattr(record, item.name) for item in fields(record)}


def level_of(whole: Any) -> float:
    """Confidence level of tests: that of the intervals of a report."""
    return (whole.confidence or Confidence()).level


def distances_of_result(
    result: Result, confidence: Confidence | None
) -> tuple[float, float] | None:
    """Distances of the limits of a result in quantiles; else its standard error, or None."""
    if result.standard_error is None:
        return None
    if confidence is None or result.low is None or result.high is None or confidence.side != "both":
        return result.standard_error, result.standard_error
    quantile = Confidence(confidence.level).quantile()
    return (result.value - result.low) / quantile, (result.high - result.value) / quantile


def why_few(rows: Floats, occurs: Flags, names: Sequence[str]) -> str | None:
    """The classes or labels that occur but have almost no rows [k] in a part; or None."""
    few = np.flatnonzero(occurs & (rows < FEW_OF)).tolist()
    if not few:
        return None
    return f"fewer than {FEW_OF} rows of it are truly of {shown([names[c] for c in few], 3)}"


def no_slice(what: str, known: str) -> KaratError:
    """K183: there is no slice of that name, or by that column."""
    do = "Name one of them; a cross of two columns is named by a tuple, as ('NO', 'f')."
    return error("K183", what=f"slice {what}", known=known, do=do)


def name_of(value: object) -> str:
    """Name of the slice of a value: 1.0 is 1, and True true."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    is_whole = isinstance(value, float | np.floating) and value.is_integer()
    return f"{value:.0f}" if is_whole else str(value)

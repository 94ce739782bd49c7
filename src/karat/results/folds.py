"""`Folds`: metrics of a report over the folds of cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from karat.designs.folds import NADEAU_BENGIO, NESTED, SAME_VALUE, FoldUnits, nested_estimate
from karat.errors import error
from karat.errors.doubts import Doubt
from karat.errors.text import counted, interval, value
from karat.inference.combined_limits import is_combined
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.inference.json_record import JsonRecord
from karat.inference.limits import Floats
from karat.inference.value_limits import NOTHING_SEEN, mean_of_units
from karat.metrics import Metric, get
from karat.metrics._influence.forms import LossInfluence, PlaceInfluence
from karat.results.slices.classes import ClassSlices
from karat.results.values import ReportValues
from karat.tally import Cells
from karat.tally.cached import cached_property
from karat.tally.folds import FoldAxis, HeldOut

FEW_FOLDS: Final = 5
"""With fewer values, Student's t has so few degrees of freedom that limits say little."""
_MEANS_OF_LABELS: Final = {"accuracy": 1.0, "error_rate": -1.0}
"""Metrics of labels that are means over rows → sign of a right row."""
COVERS: Final[Mapping[str, str]] = {
    "pooled": "all test rows together; its interval covers the sampling of test rows, given the "
    "fitted models, and not another training set",
    "fold_mean": "mean of the folds; its interval (Nadeau-Bengio) covers test rows and training "
    "sets: another data set of this size, for models trained on as many rows as those of a fold",
    "repeats": "further repeats of the same rows make the interval of the fold mean narrower; in "
    "simulations with ten repeats it covered 87 to 99 % instead of 95 %, least for models that "
    "change much with the training rows",
    "nested": "bias-corrected mean; its interval (nested cross-validation) covers the error of the "
    "model trained on all rows, with the dependence of folds on shared training rows; in "
    "simulations it covered 91 to 98 % instead of 95 %",
}
"""Randomness that each interval covers, and how often it did (docs/folds.md)."""


@dataclass(frozen=True, slots=True)
class NestedResult(JsonRecord):
    """A mean over rows by nested cross-validation (Bates, Hastie & Tibshirani 2024).

    Attributes:
        value: mean of the inner losses less the estimated bias.
        low, high: limits of the value of the model that was trained on all rows; None: none.
        standard_error: of the value.
        bias: difference to models trained on fewer rows, which was subtracted.
        inflation: standard error ÷ that of independent losses, kept in [1, √K].
        n_folds, n_repeats: folds of each repeat, and repeats.
        method: ``"nested cross-validation"``.
    """

    value: float
    low: float | None
    high: float | None
    standard_error: float
    bias: float
    inflation: float
    n_folds: int
    n_repeats: int
    method: str = NESTED

    @property
    def remark(self) -> str | None:
        """Why no limits are known, or None."""
        return None if self.standard_error > 0.0 else NOTHING_SEEN

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, slots=True)
class FoldResult(JsonRecord):
    """A metric over folds.

    Attributes:
        metric: its canonical name.
        fold_mean: mean of the values of the folds; NaN where a fold has none.
        sd: standard deviation of the values.
        low, high: limits of the mean (Nadeau & Bengio 2003), or None.
        level: confidence level of the limits, or None.
        standard_error: √((1/J + n₂/n₁)·s²).
        values: value of each fold.
        n_folds: number of values, J: folds × repeats.
        n_repeats: number of repeats.
        test_train_ratio: test rows for each training row, n₂/n₁.
        pooled: value of all test rows together, ``report[metric].value``.
        undefined: reason why the mean is undefined, or None.
        remark: caution about the limits, or None.
        nested: the result of nested cross-validation, or None.
        method: ``"Nadeau-Bengio"``.
    """

    metric: str
    fold_mean: float
    sd: float
    low: float | None
    high: float | None
    level: float | None
    standard_error: float
    values: tuple[float, ...]
    n_folds: int
    n_repeats: int
    test_train_ratio: float
    pooled: float
    undefined: str | None = None
    remark: str | None = None
    nested: NestedResult | None = None
    method: str = NADEAU_BENGIO

    @property
    def value(self) -> float:
        """Alias of `fold_mean`, as every estimate has one."""
        return self.fold_mean

    def __float__(self) -> float:
        return self.fold_mean

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON types; null for numbers that are not finite."""
        # In a class with slots, `super()` without arguments names the class of before.
        found = super(FoldResult, self).to_dict()
        return {**found, "values": [x if math.isfinite(x) else None for x in self.values]}

    def __str__(self) -> str:
        limits = f" {interval(self.low, self.high)}" if self.low is not None else ""
        why = f" (undefined: {self.undefined})" if self.undefined else ""
        repeats = "" if self.n_repeats == 1 else f" of {self.n_repeats} repeats"
        folds = f"{self.n_folds} folds{repeats}"
        return f"{self.metric}: fold mean {value(self.fold_mean)}{limits}, {folds}{why}"


def mean_of_folds(
    metric: Metric, values: Sequence[float], ratio: float, undefined: str | None
) -> Estimate:
    """The mean of at least two folds as an estimate.

    Args:
        ratio: test rows for each training row.
        undefined: why the mean is undefined, or None.
    """
    if undefined is not None:
        return Estimate(math.nan, len(values), undefined)
    return mean_of_units(metric, np.asarray(values, np.float64), FoldUnits.of(len(values), ratio))


@dataclass(frozen=True, slots=True, eq=False)
class NestedRows:
    """Predictions of nested cross-validation.

    Attributes:
        held_out: the folds that each model was trained without.
        is_right: bool[m], whether each prediction is right.
        losses: function of a metric of scores that is a mean: the term of each row, float64[m].
    """

    held_out: HeldOut
    is_right: npt.NDArray[np.bool_]
    losses: Callable[[Metric], Floats] | None = None

    def terms(self, metric: Metric) -> Floats | None:
        """Return the terms float64[m] that a metric is the mean of; None if it is no mean."""
        if not metric.needs_scores:
            sign = _MEANS_OF_LABELS.get(metric.record.name)
            if sign is None:
                return None
            return np.asarray(self.is_right if sign > 0 else ~self.is_right, np.float64)
        is_mean = isinstance(metric.record.influence, LossInfluence | PlaceInfluence)
        return self.losses(metric) if is_mean and self.losses is not None else None

    def result(self, metric: Metric, asked: Confidence | None) -> NestedResult | None:
        """Return the result of a metric; None if it is no mean over rows."""
        terms = self.terms(metric)
        if terms is None or not np.isfinite(terms).all():
            return None
        held = self.held_out
        found = nested_estimate(terms, held.repeat, held.fold, held.held_out, held.n_rows)
        low = high = None
        if asked is not None and found.standard_error > 0.0:
            limits = found.limits(asked.quantile())
            low, high = _within(limits, metric, asked)
        return NestedResult(
            found.value,
            low,
            high,
            found.standard_error,
            found.bias,
            found.inflation,
            found.n_folds,
            found.n_repeats,
        )


def _within(limits: tuple[float, float], metric: Metric, asked: Confidence) -> tuple[float, float]:
    """Return limits inside the range of a metric, one or both of them."""
    low, high = (float(np.clip(limit, *metric.range)) for limit in limits)
    return asked.one_sided(low, high, metric.range)


class FoldValues(Protocol):
    """Values of the folds of a report."""

    def of(self, metric: Metric) -> tuple[Sequence[float], str | None]:
        """Return the value of each fold, and why their mean is undefined or None."""
        ...


@dataclass(frozen=True, eq=False)
class MeasuredFolds:
    """Values of folds, computed from their tables and rows when they are read.

    Attributes:
        axis: the folds.
        sliced: the folds as slices, without intervals.
    """

    axis: FoldAxis
    sliced: ClassSlices

    def of(self, metric: Metric) -> tuple[Sequence[float], str | None]:
        """Return the value of each fold, and why their mean is undefined or None."""
        values = self.sliced.values_of(metric)
        why = self._missing_class(metric)
        for name, part in zip(self.axis.names, self.sliced.parts, strict=True) if not why else ():
            reason = part.why_undefined(metric)
            if reason is not None:
                why = f"fold {name}: {reason}"
                break
        return tuple(values.tolist()), why

    def _missing_class(self, metric: Metric) -> str | None:
        """Reason why an average over classes is of other classes in some fold, or None."""
        if metric.needs_scores or not is_combined(metric, self.sliced.whole.undefined):
            return None
        cells = self.sliced.counted.cells
        support = cells.fields.tp + cells.fields.fn
        lacks = (support == 0) & (support.sum(axis=0) > 0)
        if not lacks.any():
            return None
        fold, of_class = (int(x[0]) for x in np.nonzero(lacks))
        name = cells.classes.display[of_class]
        return f"fold {self.axis.names[fold]}: no row is truly of {name}"


@dataclass(frozen=True, eq=False)
class KeptFolds:
    """Values of folds that were read from JSON."""

    kept: Mapping[Metric, tuple[Sequence[float], str | None]] = field(default_factory=dict)

    def of(self, metric: Metric) -> tuple[Sequence[float], str | None]:
        """Return the value of each fold, and why their mean is undefined or None."""
        if metric not in self.kept:
            do = "JSON holds the folds of the first metrics only: ask for more before writing it."
            raise error("K211", name=f"{metric} over folds", do=do)
        return self.kept[metric]


@dataclass(frozen=True, eq=False, repr=False)
class Folds(Mapping[str, FoldResult]):
    """Metrics of a report over folds: ``report.folds["accuracy"].fold_mean``.

    The pooled value, ``report["accuracy"]``, and the mean of the folds are different numbers. What
    their intervals cover differs too: see `covers`.

    Attributes:
        axis: the folds: ``axis.names``, ``axis.n_rows``, ``axis.ratio``.
        whole: the report of all test rows.
        measured: values of the folds.
        nested: predictions of nested cross-validation, or None.
        nested_kept: results of nested cross-validation that were read from JSON.
        doubts: those about the folds of these rows.
    """

    axis: FoldAxis
    whole: ReportValues
    measured: FoldValues
    nested: NestedRows | None = None
    nested_kept: Mapping[Metric, NestedResult] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that state the folds."""
        return self.axis.columns.key

    @property
    def has_nested(self) -> bool:
        """True if there are predictions of nested cross-validation."""
        return self.nested is not None or bool(self.nested_kept)

    @property
    def covers(self) -> Mapping[str, str]:
        """Randomness that the interval of each value covers, in words; what repeats change."""
        is_left_out = {"repeats": self.axis.n_repeats == 1, "nested": not self.has_nested}
        return {name: text for name, text in COVERS.items() if not is_left_out.get(name)}

    def __getitem__(self, name: str | Metric) -> FoldResult:
        """The result of a metric, by any of its names.

        Errors:
            As `Report`.
        """
        metric = get(name)
        if metric not in self._results:
            self._results[metric] = self._result(metric)
        return self._results[metric]

    @cached_property
    def _results(self) -> dict[Metric, FoldResult]:
        return {}

    def _result(self, metric: Metric) -> FoldResult:
        metric, pooled = metric.with_classes(self.whole.cells.k), self.whole[metric].value
        values, why = self.measured.of(metric)
        if why is None and not np.isfinite(values).all():
            why = "a fold has a value that is not finite"
        estimate = mean_of_folds(metric, values, self.axis.ratio, why)
        asked, is_known = self.whole.confidence, why is None
        limits = Interval() if asked is None else estimate.interval_at(asked)
        error = math.sqrt(np.nan_to_num(estimate.variance or 0.0)) if is_known else math.nan
        nested = self.nested_kept.get(metric)
        if self.nested is not None:
            nested = self.nested.result(metric, asked)
        return FoldResult(
            str(metric),
            estimate.value,
            float(np.std(values, ddof=1)) if is_known else math.nan,
            limits.low,
            limits.high,
            None if limits.low is None or asked is None else asked.level,
            error,
            tuple(values),
            estimate.n,
            self.axis.n_repeats,
            self.axis.ratio,
            pooled,
            why,
            SAME_VALUE if is_known and not error > 0.0 else self._remark,
            nested,
        )

    @property
    def _remark(self) -> str | None:
        n = len(self.axis.folds)
        return f"there are only {n} folds" if n < FEW_FOLDS else None

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole.metrics)

    def __len__(self) -> int:
        return len(self.whole.metrics)

    def __repr__(self) -> str:
        return f"<karat folds: {counted(len(self.axis.folds), 'fold')}>"

    def changed(self, change: Callable[[Cells], Cells], whole: ReportValues) -> Folds:
        """Return the folds of a report whose table was changed in the same way."""
        measured = self.measured
        if isinstance(measured, MeasuredFolds):
            sliced = measured.sliced.changed(change, without_intervals(whole))
            measured = MeasuredFolds(measured.axis, sliced)
        return Folds(self.axis, whole, measured, self.nested, self.nested_kept)


def without_intervals(report: Any) -> Any:
    """Return a report that measures values alone, as those of folds."""
    none: dict[str, Any] = {"confidence": None, "clusters": None, "is_clustered": False}
    return replace(report, **none, kept_slices=None)

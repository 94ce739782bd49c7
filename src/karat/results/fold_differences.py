"""`FoldDifferences`: differences of models over the folds that tested both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from karat.designs.folds import SAME_VALUE, FoldUnits
from karat.errors import error, shown
from karat.errors.text import interval, value
from karat.inference.comparison.contrasts import Pair
from karat.inference.comparison.families import tail_of
from karat.inference.comparison.judging import ComparisonSpec, judged
from karat.inference.comparison.records import Difference, Verdict, direction
from karat.inference.comparison.sides import contrasted
from karat.inference.json_record import JsonRecord
from karat.metrics import Metric, get
from karat.results.folds import FoldResult, Folds, mean_of_folds
from karat.results.named_values import only_pair

CORRECTED_T: Final = "corrected resampled t-test"


@dataclass(frozen=True, slots=True, repr=False)
class FoldDifference(JsonRecord):
    """The difference a − b of two models in a metric, over the same folds.

    Attributes:
        metric: its canonical name.
        a, b: the models.
        fold_mean: mean of the differences of the folds; NaN where a fold has none.
        sd: standard deviation of the differences.
        low, high: limits of the mean, or None.
        level: confidence level of the limits.
        standard_error: √((1/J + n₂/n₁)·s²), Nadeau & Bengio (2003).
        p: two-sided p-value of no difference, Student's t with J − 1 degrees of freedom; None where
            the mean is undefined.
        p_adjusted: p-value for all pairs of models in the metric (Holm), or the same.
        values: difference of each fold.
        n_folds: number of values, J: folds × repeats.
        n_repeats: number of repeats.
        test_train_ratio: test rows for each training row, n₂/n₁.
        undefined: reason why the mean is undefined, or None.
        method: ``"corrected resampled t-test"``.
    """

    metric: str
    a: str
    b: str
    fold_mean: float
    sd: float
    low: float | None
    high: float | None
    level: float
    standard_error: float
    p: float | None
    p_adjusted: float | None
    values: tuple[float, ...]
    n_folds: int
    n_repeats: int
    test_train_ratio: float
    undefined: str | None = None
    method: str = CORRECTED_T

    @property
    def value(self) -> float:
        """Alias of `fold_mean`, as every estimate has one."""
        return self.fold_mean

    @property
    def remark(self) -> str | None:
        """Alias of `undefined`."""
        return self.undefined

    @property
    def verdict(self) -> Verdict:
        """Verdict of a against b by its p-value for all pairs; without a margin."""
        if self.p_adjusted is None:
            return "not tested"
        if not self.p_adjusted < 1.0 - self.level:
            return "inconclusive"
        return direction(self.fold_mean, get(self.metric).better)

    def p_of_drop(self, bound: float) -> float:
        """One-sided p-value of a being worse than b by at most `bound`."""
        drop = self.fold_mean if get(self.metric).better == "lower" else -self.fold_mean
        half = tail_of((drop - bound) / self.standard_error, self.n_folds - 1.0) / 2.0
        return half if drop > bound else 1.0 - half

    def __float__(self) -> float:
        return self.fold_mean

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON types; null for numbers that are not finite."""
        # In a class with slots, `super()` without arguments names the class of before.
        found = super(FoldDifference, self).to_dict()
        return {**found, "values": [x if math.isfinite(x) else None for x in self.values]}

    def turned(self) -> FoldDifference:
        """Return the difference b − a."""
        low, high = (None if x is None else -x for x in (self.high, self.low))
        values = tuple(-x for x in self.values)
        mean = -self.fold_mean
        turned = replace(self, fold_mean=mean, low=low, high=high, values=values)
        return replace(turned, a=self.b, b=self.a)

    def __str__(self) -> str:
        text = f"{self.metric}: {self.a} − {self.b} over {self.n_folds} folds"
        if self.undefined is not None or self.p_adjusted is None:
            return f"{text}: undefined: {self.undefined}"
        sign = "-" if self.fold_mean < 0 else "+"
        limits = interval(self.low, self.high)
        return f"{text} = {sign}{value(abs(self.fold_mean))} {limits}, p = {self.p_adjusted:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class FoldDifferences(Mapping[tuple[str, str, str], FoldDifference]):
    """Metric, model a and model b → `FoldDifference`; a metric alone is enough for one pair.

    Attributes:
        models: model → its metrics over folds.
        differences: every metric and pair of models.
    """

    models: Mapping[str, Folds]
    differences: Sequence[FoldDifference] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        models: Mapping[str, Folds],
        metrics: Sequence[Metric],
        pairs: Sequence[tuple[int, int]],
        level: float,
        *,
        is_adjusted: bool,
    ) -> FoldDifferences:
        """Make it from the folds of each model, which are the same.

        Args:
            pairs: places of the models a and b.
            is_adjusted: whether p-values allow for all pairs of a metric.
        """
        names, found = list(models), []
        for metric in metrics:
            results = [folds[metric] for folds in models.values()]
            found += fold_differences(names, results, pairs, level, is_adjusted=is_adjusted)
        return cls(models, found)

    def __getitem__(self, key: Any) -> FoldDifference:
        """A difference by metric and models; by a metric alone, of the only pair.

        Errors:
            K301 no such metric; K168 it was not compared, or the models were not, or there are
            several pairs and none is named.
        """
        name, *pair = key if isinstance(key, tuple) else (key,)
        metric = str(get(name))
        of_metric = [one for one in self.differences if one.metric == metric]
        if of_metric and not pair:
            return only_pair(metric, of_metric)
        for one in of_metric:
            if (one.a, one.b) == tuple(pair):
                return one
            if (one.b, one.a) == tuple(pair):
                return one.turned()
        known = shown(dict.fromkeys(one.metric for one in self.differences))
        what = " − ".join(map(str, pair)) if of_metric else metric
        if of_metric:
            known = shown([f"{one.a} − {one.b}" for one in of_metric])
        raise error("K168", what=what, known=known)

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return ((one.metric, one.a, one.b) for one in self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __repr__(self) -> str:
        return f"<karat fold differences: {shown(self.models)}>"


def fold_differences(
    names: Sequence[str],
    results: Sequence[FoldResult],
    pairs: Sequence[Pair],
    level: float,
    *,
    is_adjusted: bool,
) -> list[FoldDifference]:
    """The difference of each pair of models in one metric over the same folds.

    Args:
        results: the metric of each model.
        pairs: places of the models a and b.
        is_adjusted: whether p-values allow for all pairs.
    """
    metric, first = get(results[0].metric), results[0]
    estimates = [mean_of_folds(metric, x.values, x.test_train_ratio, x.undefined) for x in results]
    units = FoldUnits.of(first.n_folds, first.test_train_ratio)
    measured = contrasted(metric, estimates, pairs, CORRECTED_T, units, kind_of_limits="none")
    spec = ComparisonSpec(level, "holm" if is_adjusted else "none", {}, tuple(pairs))
    return [
        _of_folds(difference, results[a], results[b])
        for difference, (a, b) in zip(judged(measured, names, spec), pairs, strict=True)
    ]


def _of_folds(difference: Difference, a: FoldResult, b: FoldResult) -> FoldDifference:
    undefined = a.undefined or b.undefined
    values = np.full(a.n_folds, math.nan)
    if undefined is None:
        # The mean of differences, and not the difference of means: it is 0 where all are.
        values = np.subtract(a.values, b.values)
        undefined = SAME_VALUE if difference.p is None else None
    low, high = difference.low, difference.high
    if undefined is None and low is None:
        # Models that do not differ in any fold.
        low = high = 0.0
    return FoldDifference(
        difference.metric,
        difference.a,
        difference.b,
        float(values.mean()),
        float(np.std(values, ddof=1)),
        low,
        high,
        difference.level,
        math.nan if a.undefined or b.undefined else difference.standard_error or 0.0,
        difference.p,
        difference.p_adjusted,
        tuple(values.tolist()),
        a.n_folds,
        a.n_repeats,
        a.test_train_ratio,
        undefined,
    )

"""`FoldDifferences`: differences of models over the folds that tested both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from karat.designs.folds import SAME_VALUE, MeanOfFolds
from karat.errors import error, shown
from karat.errors.text import interval, value
from karat.inference.comparison.families import holm
from karat.inference.confidence import Confidence
from karat.inference.json_record import JsonRecord
from karat.metrics import Metric, get
from karat.results.folds import FoldResult, Folds
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

    @classmethod
    def of(
        cls, names: tuple[str, str], a: FoldResult, b: FoldResult, level: float
    ) -> FoldDifference:
        """Make it from the results of both models on the same folds."""
        why = a.undefined or b.undefined
        values = np.subtract(a.values, b.values) if why is None else np.full(a.n_folds, np.nan)
        found = MeanOfFolds(math.nan, math.nan, a.n_folds, a.test_train_ratio)
        low = high = p = None
        if why is None:
            found = MeanOfFolds.of(values, a.test_train_ratio)
            if found.is_constant and found.mean:
                why = SAME_VALUE
            else:
                low, high = found.limits(Confidence(level).quantile(found.df))
                ends = get(a.metric).ends
                low, high = max(low, ends[0] - ends[1]), min(high, ends[1] - ends[0])
                p = found.p
        return cls(
            a.metric,
            *names,
            found.mean,
            found.sd,
            low,
            high,
            level,
            found.standard_error,
            p,
            p,
            tuple(values.tolist()),
            found.n,
            a.n_repeats,
            found.ratio,
            why,
        )

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
            results = {name: folds[metric] for name, folds in models.items()}
            each = []
            for i, j in pairs:
                a, b = names[i], names[j]
                each.append(FoldDifference.of((a, b), results[a], results[b], level))
            known = [one for one in each if one.p is not None]
            adjusted = holm([one.p or 0.0 for one in known]) if is_adjusted else None
            if adjusted is not None:
                by_pair = {(x.a, x.b): p for x, p in zip(known, adjusted, strict=True)}
                each = [replace(x, p_adjusted=by_pair.get((x.a, x.b))) for x in each]
            found += each
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

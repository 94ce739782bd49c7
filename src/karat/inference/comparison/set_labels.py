"""The difference of two models in every label of rows with sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from karat import errors
from karat.inference.class_limits import ClassLimits
from karat.inference.comparison.contrasts import limits_together
from karat.inference.comparison.families import false_discoveries, holm_of_many, tail_of
from karat.inference.comparison.records import Verdict, direction
from karat.inference.comparison.set_swaps import LabelTests, SwappedSets
from karat.inference.confidence import Confidence
from karat.inference.json_record import JsonRecord
from karat.inference.limits import Floats
from karat.inference.p_values import least_or_more, p_text
from karat.inference.set_intervals import SetIntervals
from karat.metrics import Metric, get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Label
from karat.tally.set_tally import SetRows

_SWAPS: Final = "swap permutation, combined interval"
_NORMAL: Final = "influence z, combined interval"
_LEAST_TAIL: Final = 1e-12
_OUTSIDE: Final = 1e-4
"""Part of a difference that was shown, between 0 and its nearer limit."""
_Side: TypeAlias = tuple[SetIntervals, ClassLimits]


@dataclass(frozen=True, slots=True, repr=False)
class LabelDifference(JsonRecord):
    """The difference of two models in one label: a − b.

    Attributes:
        metric: canonical name, of one label.
        label: the label.
        a, b: the models.
        value_a, value_b: what the metric gave; NaN where it is undefined.
        difference: value_a − value_b; NaN where either is undefined.
        n: rows that truly have the label, or their weight.
        low, high: limits of the difference at `level`; None where none are known.
        low_simultaneous, high_simultaneous: limits that hold for all labels at once.
        level: of both.
        p: two-sided p-value of no difference, of this label alone.
        p_adjusted: the same for all labels at once: whole sets of rows are exchanged between the
            models, and the largest difference of any label, in standard deviations, decides
            (Westfall and Young 1993); Holm's where that would be too dear.
        q: the share of false discoveries among labels with so small a p (Benjamini and Hochberg).
        method: what made p and the limits.
    """

    metric: str
    label: Label
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    n: float
    low: float | None = None
    high: float | None = None
    low_simultaneous: float | None = None
    high_simultaneous: float | None = None
    level: float = 0.95
    p: float | None = None
    p_adjusted: float | None = None
    q: float | None = None
    method: str = ""

    @property
    def value(self) -> float:
        """Alias of `difference`, as every estimate has one."""
        return self.difference

    @property
    def remark(self) -> str | None:
        """Why there is no difference, or None."""
        return "undefined for a model" if math.isnan(self.difference) else None

    def __float__(self) -> float:
        return self.difference

    @property
    def verdict(self) -> Verdict:
        """Verdict of a against b for all labels at once: better, worse or inconclusive.

        Of a metric of which neither direction is better: higher or lower. Of a label that is
        undefined for a model: not tested.
        """
        p = self.p_adjusted
        if p is None:
            return "not tested"
        if not p < 1.0 - self.level or not self.difference:
            return "inconclusive"
        return direction(self.difference, get(self.metric).better)

    def __str__(self) -> str:
        low, high = self.low_simultaneous, self.high_simultaneous
        limits = "" if low is None else f" [{low:+.4g}, {high:+.4g}]"
        p = "" if self.p_adjusted is None else f", p {p_text(self.p_adjusted)}"
        what = f"{self.metric} of {self.label!r}: {self.a} − {self.b}"
        if self.remark is not None:
            return f"{what}: {self.verdict}, {self.remark}"
        return f"{what} = {self.difference:+.4g}{limits}{p} (all labels at once): {self.verdict}"


def label_differences(
    models: tuple[SetIntervals, SetIntervals],
    metric: Metric,
    names: tuple[str, str],
    seed: int,
    n_permutations: int,
) -> list[LabelDifference]:
    """Every label of two models on the same rows, in the order of the labels.

    Cost: replicates × rows in which the models differ × labels, or O(labels of all rows).
    """
    plain, each = of_one_label(metric), models[0]
    level, policy, k = each.asked.level, each.policy, each.tally.k
    of_labels = replace(plain, lift="per_class")
    computed = [values_on_sets(of_labels, one.tally, policy) for one in models]
    # What an undefined value counts as is no value to compare.
    values = [np.where(one.undefined, math.nan, one.value) for one in computed]
    with np.errstate(invalid="ignore"):
        difference = values[0] - values[1]
    swapped = SwappedSets.of(_rows(models[0]), _rows(models[1]), n_permutations)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Of a label that is undefined on one side nothing is known.
        goes, error = _together(models, plain)
    if swapped is not None:
        tests = LabelTests.of(swapped, of_labels, policy, (seed,), level)
        p, adjusted, quantile, method = tests.p, tests.p_adjusted, tests.quantile, _SWAPS
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(error > 0.0, np.abs(difference) / error, 0.0)
        p = np.array([tail_of(float(one)) for one in z])
        adjusted, method = holm_of_many(p), _NORMAL
        quantile = Confidence(1.0 - (1.0 - level) / max(k, 1)).quantile()
    alone = Confidence(level)
    wide = Confidence(1.0 - max(tail_of(max(quantile, alone.quantile())), _LEAST_TAIL))
    with np.errstate(invalid="ignore", divide="ignore"):
        limits = [_limits(models, plain, difference, goes, asked) for asked in (alone, wide)]
    false = false_discoveries(p)
    support = each.tally.fields.tp + each.tally.fields.fn
    found = []
    for i, label in enumerate(each.tally.classes.labels):
        known = math.isfinite(float(difference[i]))
        one = LabelDifference(
            *(str(plain), label, names[0], names[1]),
            *(float(values[0][i]), float(values[1][i]), float(difference[i])),
            n=float(support[i]),
            level=level,
            method=method,
        )
        if known:
            n = 0 if swapped is None else swapped.n_drawn
            raw, at_once = (least_or_more(float(each[i]), n) for each in (p, adjusted))
            one = replace(one, p=raw, p_adjusted=at_once, q=float(false[i]))
        sides = [float(side[i]) for pair in limits for side in pair]
        if known and all(map(math.isfinite, sides)):
            one = with_limits(one, (sides[0], sides[1]), (sides[2], sides[3]))
        found.append(one)
    return found


def with_limits(
    one: LabelDifference, alone: tuple[float, float], together: tuple[float, float]
) -> LabelDifference:
    """The difference with its limits, which contain 0 where its p-values do not exclude it.

    Limits are those of the standard error, p-values those of permutations: these decide.
    """
    low, high = _agreeing(alone, one.p, one)
    lowest, highest = _agreeing(together, one.p_adjusted, one)
    lowest, highest = min(lowest, low), max(highest, high)
    return replace(one, low=low, high=high, low_simultaneous=lowest, high_simultaneous=highest)


def _agreeing(
    limits: tuple[float, float], p: float | None, one: LabelDifference
) -> tuple[float, float]:
    low, high = limits
    if p is None or not p < 1.0 - one.level:
        return min(low, 0.0), max(high, 0.0)
    near = _OUTSIDE * one.difference
    return (max(low, near), high) if one.difference > 0.0 else (low, min(high, near))


def of_one_label(metric: Metric) -> Metric:
    """The metric of one label (K219: there is none)."""
    record = get(metric.record.on_sets).record if metric.record.on_sets else metric.record
    if not (record.is_per_class and record.is_on_sets):
        raise errors.error("K219", name=f"{metric} of each label")
    return Metric.of(record, "plain", dict(metric.params))


def _rows(model: SetIntervals) -> SetRows:
    assert model.rows is not None
    return model.rows


def _together(models: tuple[SetIntervals, SetIntervals], plain: Metric) -> tuple[Floats, Floats]:
    """float64[k] each: how the values of a label go together, and the error of their difference.

    How they go together is that of rows; how far each varies is that of clusters where there are.
    """
    a, b = (model.of_classes(plain) for model in models)
    k = models[0].tally.k
    if a is None or b is None:
        return np.zeros(k), np.full(k, np.nan)
    first, second = (models[0], a), (models[1], b)
    both = _covariance(first, second)
    scale = np.sqrt(_covariance(first, first) * _covariance(second, second))
    goes = np.clip(np.where(scale > 0.0, both / np.where(scale > 0.0, scale, 1.0), 0.0), -1.0, 1.0)
    together = goes * np.sqrt(a.variance * b.variance)
    return goes, np.sqrt(np.maximum(a.variance + b.variance - 2.0 * together, 0.0))


def _covariance(a: _Side, b: _Side) -> Floats:
    """float64[k]: Σ w²·φ_a·φ_b ÷ (Σw)² over the rows, of every label."""
    rows, k = [_rows(model).known for model, _ in (a, b)], a[0].tally.k
    centred = [model.spread.centred(limits.partials) for model, limits in (a, b)]
    n, total = rows[0].n, float(a[0].tally.mass.sum())
    squares = np.ones(n) if rows[0].squares is None else rows[0].squares
    # A row is all true negatives of both where no set of it has the label.
    true, keys = rows[0].true, [one.pred.keys(k) for one in rows]
    found = np.unique(np.concatenate([true.keys(k), *keys]))
    row, label = np.divmod(found, max(k, 1))
    is_true = np.isin(found, true.keys(k), assume_unique=True).astype(int)
    said = [np.isin(found, one, assume_unique=True).astype(int) for one in keys]
    phi = [one[label, is_true, pred] for one, pred in zip(centred, said, strict=True)]
    known = np.full(k, float(squares.sum()))
    if rows[0].unknown is not None:
        gone = rows[0].unknown
        known -= np.bincount(gone.items, squares[gone.rows], k)
    elsewhere = known - np.bincount(label, squares[row], k)
    sums = np.bincount(label, squares[row] * phi[0] * phi[1], k)
    return np.asarray((sums + elsewhere * centred[0][:, 0, 0] * centred[1][:, 0, 0]) / total**2)


def _limits(
    models: tuple[SetIntervals, SetIntervals],
    plain: Metric,
    difference: Floats,
    goes: Floats,
    asked: Confidence,
) -> tuple[Floats, Floats]:
    """float64[k] each: limits of the difference from those of both values (Newcombe 1998)."""
    a, b = (replace(model, asked=asked).of_classes(plain) for model in models)
    if a is None or b is None:
        return np.full(len(goes), np.nan), np.full(len(goes), np.nan)
    parts = difference, a.value - a.low, a.high - a.value, b.value - b.low, b.high - b.value, goes
    ends = [
        limits_together(plain, between, (down_a, up_a), (down_b, up_b), together)
        for between, down_a, up_a, down_b, up_b, together in np.stack(parts, axis=1).tolist()
    ]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return low, high

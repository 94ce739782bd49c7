"""The difference of two models in every label of rows with sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from karat import errors
from karat.inference.comparison.contrasts import limits_together
from karat.inference.comparison.families import ManyTests, false_discoveries, tail_of
from karat.inference.comparison.records import Verdict, direction
from karat.inference.comparison.set_swaps import SwappedSets, tests_of_labels
from karat.inference.confidence import Confidence
from karat.inference.json_record import JsonRecord
from karat.inference.limits import Floats
from karat.inference.p_values import least_or_more, p_text
from karat.inference.set_intervals import SetIntervals
from karat.inference.set_variance import correlations_of_labels
from karat.metrics import Metric, get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Label
from karat.tally.set_tally import SetRows

_SWAPS: Final = "swap permutation, combined interval"
_NORMAL: Final = "influence z, combined interval"
_OUTSIDE: Final = 1e-4
"""Part of a difference that was shown, between 0 and its nearer limit."""


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
    plain, first = of_one_label(metric), models[0]
    level, policy, fields = first.asked.level, first.policy, first.tally.fields
    of_labels = replace(plain, lift="per_class")
    computed = [values_on_sets(of_labels, model.tally, policy) for model in models]
    # What an undefined value counts as is no value to compare.
    values = [np.where(each.undefined, math.nan, each.value) for each in computed]
    # Of a label that is undefined on one side nothing is known.
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = values[0] - values[1]
        goes, error = _together(models, plain)
        z = np.where(error > 0.0, np.abs(difference) / error, 0.0)
    swapped = SwappedSets.of(_rows(models[0]), _rows(models[1]), n_permutations)
    if swapped is None:
        method = _NORMAL
        tests = ManyTests.by_holm(np.array([tail_of(float(each)) for each in z]), level)
    else:
        method = _SWAPS
        tests = tests_of_labels(swapped, of_labels, policy, (seed,), level)
    alone, wide = (
        _limits(models, plain, difference, goes, Confidence(each, design=first.asked.design))
        for each in (level, tests.level_of_all(level))
    )
    measured = []
    parts = (first.tally.classes.labels, *values, difference, fields.tp + fields.fn, tests.p)
    for label, value_a, value_b, between, n, p in zip(*parts, strict=True):
        facts = (float(value_a), float(value_b), float(between), float(n))
        known = least_or_more(float(p), tests.n_drawn) if math.isfinite(between) else None
        measured.append(
            LabelDifference(str(plain), label, *names, *facts, level=level, p=known, method=method)
        )
    return judged_labels(measured, tests, alone, wide)


def judged_labels(
    measured: Sequence[LabelDifference],
    tests: ManyTests,
    alone: Sequence[tuple[float, float] | None],
    wide: Sequence[tuple[float, float] | None],
) -> list[LabelDifference]:
    """The same with p-values and limits that hold for all labels at once, tested or not.

    Args:
        measured: with the p-value of each alone; None of labels that are not tested.
        alone, wide: limits of each at the level, and those that hold for all.
    """
    done = []
    parts = zip(measured, tests.p_adjusted, false_discoveries(tests.p), alone, wide, strict=True)
    for difference, p, q, limits, limits_of_all in parts:
        judged = difference
        if difference.p is not None:
            p_adjusted = least_or_more(float(p), tests.n_drawn)
            judged = replace(difference, p_adjusted=p_adjusted, q=float(q))
            if limits is not None and limits_of_all is not None:
                judged = _with_limits(judged, limits, limits_of_all)
        done.append(judged)
    return done


def _with_limits(
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
    phi = [model.spread.centred(each.partials) for model, each in zip(models, (a, b), strict=True)]
    goes = correlations_of_labels((_rows(models[0]), _rows(models[1])), (phi[0], phi[1]))
    together = goes * np.sqrt(a.variance * b.variance)
    return goes, np.sqrt(np.maximum(a.variance + b.variance - 2.0 * together, 0.0))


def _limits(
    models: tuple[SetIntervals, SetIntervals],
    plain: Metric,
    difference: Floats,
    goes: Floats,
    asked: Confidence,
) -> list[tuple[float, float] | None]:
    """Limits of each difference from those of both values (Newcombe 1998); None: not known."""
    a, b = (replace(model, asked=asked).of_classes(plain) for model in models)
    if a is None or b is None:
        return [None] * len(goes)
    with np.errstate(invalid="ignore"):
        sides = a.value - a.low, a.high - a.value, b.value - b.low, b.high - b.value
    ends = [
        limits_together(plain, between, (down_a, up_a), (down_b, up_b), together)
        for between, down_a, up_a, down_b, up_b, together in zip(
            *(part.tolist() for part in (difference, *sides, goes)), strict=True
        )
    ]
    return [pair if all(map(math.isfinite, pair)) else None for pair in ends]

"""Parts of a comparison: a difference, a value, a test of all models, flipped rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors.text import interval
from karat.errors.text import value as number
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.inference.json_record import JsonRecord
from karat.inference.p_values import p_text

Verdict: TypeAlias = Literal[
    "better", "worse", "equivalent", "identical", "higher", "lower", "inconclusive", "not tested"
]
"""Of a against b. Of a metric without a better direction it is higher or lower."""


def direction(difference: float, better: str | None) -> Verdict:
    """Return the verdict on a difference that is not 0 by chance.

    Args:
        better: the better direction of the metric, ``"higher"`` or ``"lower"``; None: neither.
    """
    if better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (better == "higher") else "worse"


_TURNED: dict[str, Verdict] = {
    "better": "worse",
    "worse": "better",
    "higher": "lower",
    "lower": "higher",
}


@dataclass(frozen=True, slots=True)
class Discordant:
    """Rows, or weight of rows, on which one of two models alone is right.

    Attributes:
        b: only a is right.
        c: only b is right.
        odds: b ÷ c; infinite where c is 0, NaN where both are.
        error_ratio: error rate of a ÷ error rate of b.
        n: rows, or their weight, of the class that the metric reads; None: all rows.
    """

    b: float
    c: float
    odds: float
    error_ratio: float
    n: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Difference(JsonRecord):
    """The difference of two models in one metric: a − b.

    Attributes:
        metric: canonical name.
        a, b: the models.
        value_a, value_b: what the metric gave; NaN where it is undefined.
        difference: value_a − value_b; NaN where either is undefined.
        low, high: limits of the difference at `level`; None where none are known.
        level: confidence level.
        p: two-sided p-value of no difference; None where none is known.
        p_adjusted: the same for all pairs of models in this metric.
        method: what made p and the limits.
        verdict: ``"better"``, ``"worse"``, ``"equivalent"``, ``"identical"`` (in all that the
            metric reads), ``"inconclusive"`` or ``"not tested"`` (`remark` has the reason), of a
            against b; of a metric without a better direction ``"higher"`` or ``"lower"``.
        standard_error: of the difference; None where unknown.
        detectable: the smallest true difference that as many rows show in 80 % of samples, tested
            alone at `level`.
        rows_needed: rows with which the difference seen is shown in 80 % of samples, with limits
            `low` and `high` (see `karat.rows_needed`) for the likely differences; of models on
            different rows, of the smaller set.
        n: rows.
        margin: differences smaller than this do not matter, or None.
        p_equivalent: p-value of a difference as large as the margin (two one-sided tests).
        not_inferior: whether a is shown not to be worse by the margin; None without one.
        discordant: of metrics of right rows, on how many rows one model alone is right.
        remark: what the reader should know of it.
    """

    metric: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    p: float | None = None
    p_adjusted: float | None = None
    method: str = ""
    verdict: Verdict = "inconclusive"
    standard_error: float | None = None
    detectable: float | None = None
    rows_needed: int | None = None
    n: int = 0
    margin: float | None = None
    p_equivalent: float | None = None
    not_inferior: bool | None = None
    discordant: Discordant | None = None
    remark: str | None = None

    def turned(self) -> Difference:
        """The same difference seen from the other model: b − a.

        Whether b is not inferior does not follow from whether a is; it is left open.
        """
        found = self.discordant
        if found is not None:
            found = Discordant(
                *(found.c, found.b, ratio(found.c, found.b), ratio(1.0, found.error_ratio)), found.n
            )
        return replace(
            self,
            a=self.b,
            b=self.a,
            value_a=self.value_b,
            value_b=self.value_a,
            difference=-self.difference if self.difference else self.difference,
            low=None if self.high is None else -self.high,
            high=None if self.low is None else -self.low,
            verdict=_TURNED.get(self.verdict, self.verdict),
            not_inferior=None,
            discordant=found,
        )

    @property
    def value(self) -> float:
        """Alias of `difference`, as every estimate has one."""
        return self.difference

    def __float__(self) -> float:
        return self.difference

    def __str__(self) -> str:
        limits = "" if self.low is None else f" [{self.low:+.4g}, {self.high:+.4g}]"
        p = "" if self.p is None else f", p {p_text(self.p)}"
        if self.p_adjusted is not None and self.p_adjusted != self.p:
            p += f", for all pairs p {p_text(self.p_adjusted)}"
        what = f"{self.metric}: {self.a} − {self.b}"
        if not math.isnan(self.difference):
            what += f" = {self.difference:+.4g}"
        why = f", {self.remark}" if self.verdict == "not tested" and self.remark else ""
        return f"{what}{limits}{p}: {self.verdict}{why}"


def ratio(above: float, below: float) -> float:
    """Their quotient; infinite over 0, NaN where both are 0."""
    if below:
        return above / below
    return math.inf if above else math.nan


@dataclass(frozen=True, slots=True, repr=False)
class ModelValue(JsonRecord):
    """Value of one metric for one model, and its precision.

    Attributes:
        value: the number; NaN where undefined.
        low, high: limits at `level`; None where none are known.
        level: confidence level.
        method: of the limits.
        standard_error: None where unknown.
        remark: why there are no limits.
    """

    value: float
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    method: str | None = None
    standard_error: float | None = None
    remark: str | None = None

    @classmethod
    def of(cls, value: float, found: Interval, level: float) -> ModelValue:
        return cls(
            value, found.low, found.high, level, found.method, found.standard_error, found.remark
        )

    @classmethod
    def of_estimate(cls, estimate: Estimate, confidence: Confidence) -> ModelValue:
        """The value of an estimate with its interval, unless it is undefined."""
        if estimate.undefined is not None:
            return cls.undefined(estimate.value, estimate.undefined, confidence.level)
        return cls.of(estimate.value, estimate.interval_at(confidence), confidence.level)

    @classmethod
    def undefined(cls, value: float, reason: str, level: float) -> ModelValue:
        """An undefined value: infinite, else NaN; what it counts as is not a value to compare."""
        found = math.nan if math.isfinite(value) else value
        return cls(found, level=level, remark=f"undefined: {reason}")

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        limits = interval(self.low, self.high)
        reason = "" if limits or not self.remark else f"({self.remark})"
        return " ".join(filter(None, [number(self.value), limits, reason]))


@dataclass(frozen=True, slots=True, repr=False)
class BestModel(JsonRecord):
    """The best of several models by one metric, corrected for having been chosen.

    The largest of several values is too large on average: chance helped it to be the largest. The
    corrected value is right on average of equal models, of any number and correlation, and the
    value itself where one model is clearly the best. The interval keeps its level for the model
    that was chosen, whatever the models are worth: its limit on the better side is that of the
    value, the other one is farther away, the more so the more models may be the best.

    Sources: Andrews, Kitagawa and McCloskey (2024), Inference on winners; Fuentes, Casella and
    Wells (2018), Confidence intervals for the means of the selected populations; Oliveira, Lei and
    Tibshirani (2024), Unbiased risk estimation via coupled bootstrap techniques; Rink and Brannath
    (2022), Post-selection confidence bounds for prediction performance.

    Attributes:
        metric: canonical name.
        model: the best, of equal ones the first; None where the metric has no better direction.
        value: as measured; NaN where there is none.
        n_models: of how many.
        corrected: the value less what the choice adds to it on average; None where `remark` says
            why it is not known.
        low, high: limits at `level`; None where none are known.
        level: confidence level.
        method: of the correction and of the limits.
        remark: why nothing is corrected, which other models gave the same value, or that the
            corrected value is worse than every measured one.
    """

    metric: str
    model: str | None
    value: float
    n_models: int
    corrected: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    method: str | None = None
    remark: str | None = None

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.model is None:
            return f"Best of {self.n_models} by {self.metric}: none, {self.remark}"
        what = f"Best of {self.n_models} by {self.metric}: {self.model} {number(self.value)}"
        if self.corrected is None:
            return f"{what}; not corrected for selection: {self.remark}"
        limits = "" if self.low is None else f" {interval(self.low, self.high)}"
        remark = "" if self.remark is None else f"; {self.remark}"
        return f"{what}; corrected for selection {number(self.corrected)}{limits}{remark}"


@dataclass(frozen=True, slots=True)
class Omnibus(JsonRecord):
    """One test that all models are equally good in one metric.

    Attributes:
        metric: canonical name.
        statistic: Wald's, from the joint covariance of the models.
        df: its degrees of freedom: differences that vary.
        p: p-value.
    """

    metric: str
    statistic: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class FlipGroup:
    """Rows with the same true label and the same predictions, on which one model alone is right.

    Attributes:
        true, said_a, said_b: the labels, or frozensets of labels.
        gained: whether a is the one that is right.
        n: number of rows.
    """

    true: Any
    said_a: Any
    said_b: Any
    gained: bool
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Flips:
    """Rows on which one of two models alone is right.

    Attributes:
        a, b: the models.
        rows: int64[f], numbers of the rows.
        true, said_a, said_b: the labels of those rows, [f] each.
        gained: bool[f], whether a is the one that is right.
        groups: the rows counted by true label and predictions, most rows first.
    """

    a: str
    b: str
    rows: npt.NDArray[np.int64]
    true: npt.NDArray[Any]
    said_a: npt.NDArray[Any]
    said_b: npt.NDArray[Any]
    gained: npt.NDArray[np.bool_]
    groups: tuple[FlipGroup, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

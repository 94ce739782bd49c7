"""From what was measured to a verdict on each rule.

A rule fails by its evidence. What the rows cannot tell is inconclusive; where a rule asks that
something be shown, that does not pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

from karat.errors.foreign_text import harmless
from karat.inference.comparison.families import holm
from karat.inference.comparison.records import json_value
from karat.results.gate.rules import Rule

__all__ = [
    "Case", "Change", "Evidence", "Measured", "RuleResult", "Verdict", "judged", "with_limits",
]  # fmt: skip

Verdict: TypeAlias = Literal["PASS", "FAIL", "INCONCLUSIVE"]
Evidence: TypeAlias = Literal["value", "low"]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a metric gave on some rows.

    Attributes:
        value: the number; not finite where it is undefined, None where it was not computed.
        low, high: its limits, or None.
        n: rows.
        undefined: why the rows do not define it, or None.
        remark: why there are no limits.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    undefined: str | None = None
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """How a metric differs from the baseline: new − baseline.

    Attributes:
        before: what it gave there.
        difference: not finite where either is undefined.
        low, high: its limits, or None.
        p: two-sided p-value of no difference, or None.
        detectable: the smallest difference that so many rows show in 80 % of samples.
        is_paired: whether the same rows were compared.
        is_same: whether both predict the same on every row.
        remark: what the reader should know of it.
    """

    before: float
    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    detectable: float | None = None
    is_paired: bool = True
    is_same: bool = False
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule and what came of it.

    Attributes:
        rule: the rule in words.
        kind, metric, bound: of what it asks.
        verdict: ``"PASS"``, ``"FAIL"`` or ``"INCONCLUSIVE"``.
        reason: why, in a few words.
        slice: the rows it is about: ``"country=NO"``; None for all.
        is_blocking: whether the gate fails by it though it is inconclusive.
        value, low, high, n: what was measured.
        before, difference, difference_low, difference_high: against the baseline.
        p: one-sided p-value of being worse than the rule allows.
        p_adjusted: the same for all such rules together.
        n_tests: how many rules it allows for.
        detectable: the smallest drop that so many rows show in 80 % of samples.
    """

    rule: str
    kind: str
    metric: str
    bound: float
    verdict: Verdict
    reason: str
    slice: str | None = None
    is_blocking: bool = False
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    before: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    n_tests: int = 1
    detectable: float | None = None

    @property
    def fails(self) -> bool:
        """Whether the gate fails by it."""
        return self.verdict == "FAIL" or self.is_blocking

    @property
    def shown_p(self) -> float | None:
        """The adjusted p-value, where what was measured is worse than the rule allows."""
        is_beyond = self.p is not None and self.p < 0.5
        return self.p_adjusted if is_beyond else None

    @property
    def facts(self) -> str:
        """Value, interval, difference, p, n and the smallest drop that would show."""
        parts = []
        if self.value is not None:
            parts.append(with_limits(self.value, self.low, self.high))
        if self.before is not None:
            parts.append(f"baseline {_shown(self.before)}")
        if self.difference is not None:
            found = (self.difference, self.difference_low, self.difference_high)
            parts.append(f"difference {with_limits(*found, sign='+')}")
        if self.shown_p is not None:
            how = f" (Holm, {self.n_tests} rules)" if self.n_tests > 1 else ""
            parts.append(f"one-sided p = {self.shown_p:.2g}{how}")
        if self.n is not None:
            parts.append(f"n = {self.n}")
        if self.detectable is not None:
            parts.append(f"detectable {_shown(self.detectable)}")
        return ", ".join(parts)

    @property
    def name(self) -> str:
        """The rule with the rows it is about."""
        return self.rule if self.slice is None else f"{self.rule} where {self.slice}"

    @property
    def line(self) -> str:
        """One line: verdict, rule, what was found and why."""
        return f"{self.verdict:<12}  {harmless(self.name)}: {self.told}"

    @property
    def told(self) -> str:
        """What was found and why."""
        return "; ".join(part for part in (self.facts, harmless(self.reason)) if part)

    def to_dict(self) -> dict[str, Any]:
        """As JSON types; null for what is not a finite number."""
        return {name: json_value(value) for name, value in asdict(self).items()}


def with_limits(value: float | None, low: float | None, high: float | None, sign: str = "") -> str:
    """``0.93 [0.92, 0.94]``; nothing where there is no value."""
    return "" if value is None else f"{_shown(value, sign)}{_limits(low, high, sign)}"


def _shown(value: float, sign: str = "") -> str:
    return format(value, f"{sign}.4g")


def _limits(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f" [{_shown(low, sign)}, {_shown(high, sign)}]"


@dataclass(frozen=True, slots=True)
class Case:
    """A rule with what was found of it.

    Attributes:
        rule: the rule.
        measured: what the metric gave.
        change: how it differs from the baseline, where there is one.
        slice: the rows it is about, or None.
        settled: a verdict that needs no numbers, as of too few rows: verdict, reason, blocking.
    """

    rule: Rule
    measured: Measured | None = None
    change: Change | None = None
    slice: str | None = None
    settled: tuple[Verdict, str, bool] | None = None


def judged(
    cases: Sequence[Case], *, level: float, evidence: Evidence, adjust: str
) -> tuple[RuleResult, ...]:
    """The verdict on every rule, p-values adjusted for those that compare with the baseline.

    Rules of all rows are one family and those of slices another: asking for slices must not make
    a rule of all rows easier to pass.

    Args:
        level: of the intervals; a drop counts where its one-sided p is below half of 1 − level.
        evidence: whether a bound is asked of the value, or of the limit on its side.
        adjust: ``"holm"`` or ``"none"``.
    """
    alpha = (1.0 - level) / 2.0
    p_values = [_p_of(case, level) for case in cases]
    shared: dict[int, float] = {}
    n_tests: dict[int, int] = {}
    for of_slices in (False, True):
        known = [
            i
            for i, p in enumerate(p_values)
            if p is not None and (cases[i].slice is not None) == of_slices
        ]
        raw = [float(p_values[i] or 0.0) for i in known]
        shared |= zip(known, holm(raw) if adjust == "holm" else raw, strict=True)
        n_tests |= dict.fromkeys(known, len(known) if adjust == "holm" else 1)
    done = []
    for i, case in enumerate(cases):
        found = replace(_bare(case), n_tests=n_tests.get(i, 1))
        if case.settled is not None:
            verdict, reason, is_blocking = case.settled
            found = replace(found, verdict=verdict, reason=reason, is_blocking=is_blocking)
        elif case.rule.needs_baseline:
            found = _of_change(case, replace(found, p=p_values[i], p_adjusted=shared.get(i)), alpha)
        else:
            found = _of_bound(case, found, evidence)
        done.append(found)
    return tuple(done)


def _bare(case: Case) -> RuleResult:
    rule, measured, change = case.rule, case.measured, case.change
    found = RuleResult(
        rule.text, rule.kind, str(rule.metric), rule.bound, "INCONCLUSIVE", "", case.slice
    )
    if measured is not None:
        found = replace(
            found, value=measured.value, low=measured.low, high=measured.high, n=measured.n
        )
    if change is not None and rule.needs_baseline:
        found = replace(
            found,
            before=change.before,
            difference=change.difference,
            difference_low=change.low,
            difference_high=change.high,
            detectable=change.detectable,
        )
    return found


def _of_bound(case: Case, found: RuleResult, evidence: Evidence) -> RuleResult:
    measured, rule = case.measured, case.rule
    assert measured is not None
    undefined = _undefined(measured)
    if undefined:
        return replace(found, verdict="FAIL", reason=f"undefined: {undefined}")
    is_min = rule.kind == "min"

    def clears(number: float | None) -> bool:
        assert number is not None
        return number >= rule.bound if is_min else number <= rule.bound

    if evidence == "value":
        return replace(found, verdict="PASS" if clears(measured.value) else "FAIL")
    near, far = (measured.low, measured.high) if is_min else (measured.high, measured.low)
    if near is None or far is None:
        reason = f"no interval: {measured.remark or 'none is known'}"
        return replace(found, reason=reason, is_blocking=True)
    side, other = ("lower", "upper") if is_min else ("upper", "lower")
    if clears(near):
        return replace(found, verdict="PASS", reason=f"the {side} limit clears it")
    if not clears(far):
        return replace(found, verdict="FAIL", reason=f"even the {other} limit does not clear it")
    return replace(found, reason="the interval holds the bound")


def _undefined(measured: Measured) -> str:
    if measured.undefined is not None:
        return measured.undefined
    value = math.nan if measured.value is None else measured.value
    return "" if math.isfinite(value) else f"it is {value}"


def _worse(case: Case) -> tuple[float, float, float] | None:
    """How much worse it is than the baseline: drop, and its limits; None where unknown."""
    change = case.change
    if change is None or change.low is None or change.high is None:
        return None
    if not math.isfinite(change.difference):
        return None
    if case.rule.metric.better == "lower":
        return change.difference, change.low, change.high
    return -change.difference, -change.high, -change.low


def _p_of(case: Case, level: float) -> float | None:
    """One-sided p-value of being worse than the rule allows.

    Where no test is at hand, the limit on that side says how far the drop is from the bound.
    """
    if case.settled is not None or not case.rule.needs_baseline:
        return None
    if case.change is not None and case.change.is_same and math.isfinite(case.change.difference):
        return 1.0
    worse = _worse(case)
    if worse is None or case.change is None:
        return None
    drop, low, _ = worse
    if case.rule.kind == "not-worse" and case.change.p is not None:
        half = case.change.p / 2.0
        return half if drop > 0 else 1.0 - half
    step = (drop - low) / NormalDist().inv_cdf((1.0 + level) / 2.0)
    beyond = drop - case.rule.bound
    if step <= 0.0:
        return 0.0 if beyond > 0 else 1.0
    return NormalDist().cdf(-beyond / step)


def _of_change(case: Case, found: RuleResult, alpha: float) -> RuleResult:
    rule, change, measured = case.rule, case.change, case.measured
    undefined = "" if measured is None else _undefined(measured)
    if undefined:
        return replace(found, verdict="FAIL", reason=f"undefined: {undefined}")
    if change is None:
        return replace(found, verdict="FAIL", reason="the baseline does not hold this metric")
    if change.is_same and math.isfinite(change.difference):
        return replace(found, verdict="PASS", reason="both predict the same on every row")
    worse = _worse(case)
    if worse is None or found.p_adjusted is None:
        # What could not be compared must not read as a pass.
        reason = f"not compared: {change.remark or 'no interval of the difference is known'}"
        return replace(found, reason=reason, is_blocking=True)
    drop, _, high = worse
    told = "" if change.is_paired else "unpaired"
    bound = f"{rule.bound:.10g}"
    if found.p_adjusted < alpha:
        reason = (
            "significantly worse" if rule.kind == "not-worse" else f"worse by more than {bound}"
        )
        return replace(found, verdict="FAIL", reason=_joined(reason, told))
    if rule.kind == "not-worse":
        reason = "not significantly worse" if drop > 0 else "not worse"
        if found.p is not None and found.p < alpha:
            reason = f"worse alone (p = {found.p:.2g}), not with all {found.n_tests} rules"
        return replace(found, verdict="PASS", reason=_joined(reason, told))
    if high < rule.bound or (rule.kind == "max-drop" and high <= rule.bound):
        return replace(found, verdict="PASS", reason=_joined(f"worse by {bound} is excluded", told))
    reason = "neither shown nor excluded"
    if rule.kind == "no-worse-than":
        return replace(found, reason=_joined("not shown", told), is_blocking=True)
    return replace(found, reason=_joined(reason, told))


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)

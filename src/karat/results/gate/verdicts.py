"""`Rule`: one requirement of a gate on one metric; and from measurements to a verdict on each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Final, Literal, TypeAlias, cast

from karat.errors import KaratError, error, short
from karat.errors.options import is_command_line, option
from karat.inference.comparison.families import holm
from karat.inference.confidence import Confidence
from karat.metrics import Metric, get
from karat.results.gate.result import Inconclusive, RuleResult, Verdict

Kind: TypeAlias = Literal["min", "max", "max-drop", "no-worse-than", "not-worse"]
_DEFAULTS: Final = ("accuracy", "macro_f1")
PREDICT_THE_SAME: Final = "both predict the same on every row"


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement on a metric.

    Attributes:
        kind: ``"min"`` or ``"max"``: a bound of its value; ``"max-drop"``: it fails where a larger
            drop than the bound is shown; ``"no-worse-than"``: it passes where such a drop is
            excluded; ``"not-worse"``: it fails where it is significantly worse.
        metric: canonical name and formula.
        bound: the number; 0 for ``"not-worse"``.
    """

    kind: Kind
    metric: Metric
    bound: float = 0.0

    @property
    def needs_baseline(self) -> bool:
        """True if the rule compares with a baseline."""
        return self.kind not in ("min", "max")

    @property
    def text(self) -> str:
        """The rule in a few words."""
        return self.worded(str(self.metric))

    def worded(self, name: str) -> str:
        """The rule in a few words, about a number of this name."""
        bound = f"{self.bound:.10g}"
        word = "rise" if self.metric.better == "lower" else "drop"
        return {
            "min": f"{name} ≥ {bound}",
            "max": f"{name} ≤ {bound}",
            "max-drop": f"{word} of {name} ≤ {bound}",
            "no-worse-than": f"{name} less than {bound} worse than the baseline",
            "not-worse": f"{name} not worse than the baseline",
        }[self.kind]


def default_rules(names: Iterable[str] = _DEFAULTS) -> list[Rule]:
    """The rules of a baseline where none compares with it."""
    return [Rule("not-worse", get(name)) for name in names]


def rules_of(**given: Any) -> list[Rule]:
    """Rules by kind, each a dict from metric to number or texts ``metric=number``.

    Args:
        given: ``min``, ``max``, ``max_drop`` and ``no_worse_than``.

    Errors:
        K176 a rule that cannot be, or a drop of a metric without a better direction; K301 to K303
        there is no such metric.
    """
    found: list[Rule] = []
    for argument, values in given.items():
        kind = cast("Kind", argument.replace("_", "-"))
        for name, number in _pairs(argument, values):
            rule = Rule(kind, get(name), _number(argument, name, number))
            _check(argument, rule)
            found.append(rule)
    keys = [(rule.kind, str(rule.metric)) for rule in found]
    twice = next((key for i, key in enumerate(keys) if key in keys[:i]), None)
    if twice is not None:
        do = "Give one number for each metric."
        raise refused(f"There are two rules {twice[0]} of {twice[1]}", do)
    return found


def _check(argument: str, rule: Rule) -> None:
    """Refuse a drop that has no direction, and a bound that every model keeps, or none.

    Errors:
        K176.
    """
    metric, bound = rule.metric, rule.bound
    low, high = metric.range
    least, most = (0.0, high - low) if rule.needs_baseline else (low, high)
    if rule.needs_baseline and metric.better is None:
        found = f"{option(argument)} asks for a drop of {metric}, which has no better direction"
        raise refused(found, f"Give bounds of its value: {option('min')} or {option('max')}.")
    if rule.needs_baseline and bound < 0:
        do = "Give how much worse it may be: a number of at least 0."
        raise refused(f"{option(argument)} of {metric} is {bound:g}", do)
    # No drop is larger than the whole range: such a rule would pass whatever comes.
    if not least <= bound <= most or (rule.needs_baseline and bound == most):
        do = f"Give a number between {least:g} and {most:g}: a proportion, not a percentage."
        raise refused(f"{option(argument)} of {metric} is {bound:g}, which no model can reach", do)


def _pairs(argument: str, values: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(values, Mapping):
        return list(values.items())
    try:
        listed = [values] if isinstance(values, str) else list(() if values is None else values)
    except TypeError:
        listed = [values]
    pairs = []
    for item in listed:
        # The last sign: macro_f_beta(beta=2)=0.8 holds another.
        name, sign, number = item.rpartition("=") if isinstance(item, str) else ("", "", "")
        if not sign or not name.strip():
            raise refused(f"{option(argument)} has {short(item)}", _how(argument, item))
        pairs.append((name.strip(), number.strip()))
    return pairs


def _number(argument: str, name: Any, given: Any) -> float:
    try:
        number = math.nan if isinstance(given, bool | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        found = f"{option(argument)} of {name} is {short(given)}, not a number"
        raise refused(found, _how(argument, name))
    return number


def example_rule(argument: str, name: Any = None) -> Any:
    """A rule that users can copy: a bound that models miss, of a metric that it fits.

    Args:
        argument: ``"min"``, ``"max"``, ``"max_drop"`` or ``"no_worse_than"``.
        name: the metric as it was typed; None, or what does not fit, gives another one.

    Example:
        >>> from karat.results.gate.verdicts import example_rule
        >>> example_rule("max_drop", "recall"), example_rule("min"), example_rule("max")
        ({'recall': 0.02}, {'macro_f1': 0.8}, {'error_rate': 0.2})
    """
    better = {"min": ("higher",), "max": ("lower",)}.get(argument, ("higher", "lower"))
    number = {"min": 0.8, "max": 0.2}.get(argument, 0.02)
    try:
        fits = get(name).better in better and get(name).record.family != "counts"
    except KaratError:
        fits = False
    word = str(name).strip() if fits else "error_rate" if argument == "max" else "macro_f1"
    return f"{word}={number}" if is_command_line() else {word: number}


def _how(argument: str, name: Any = None) -> str:
    """Instruction that shows the form of a rule."""
    form = "Write METRIC=X" if is_command_line() else "Give a dict from metric to number"
    return f"{form}: {option(argument, example_rule(argument, name))}."


def refused(found: str, do: str) -> KaratError:
    """K176: rules and a baseline that cannot be used."""
    return error("K176", found=found, do=do)


Evidence: TypeAlias = Literal["value", "low"]
Settled: TypeAlias = tuple[Verdict, str, bool]
"""Verdict, reason, and whether an inconclusive rule keeps the gate from passing by default."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a metric on some rows.

    Attributes:
        value: the number; not finite where it is undefined, None where it was not computed.
        low, high: its limits, or None.
        n: rows.
        undefined: why the rows do not define it, or None.
        remark: why there are no limits.
        is_of_folds: whether it is a mean over folds.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    undefined: str | None = None
    remark: str | None = None
    is_of_folds: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of a metric from the baseline: new − baseline.

    Attributes:
        before: its value there.
        difference: not finite where either is undefined.
        low, high: its limits, or None.
        p: two-sided p-value of no difference, or None.
        p_beyond: from the bound of a rule to the one-sided p-value of a drop of at most that; None:
            it follows from the limits.
        detectable: the smallest difference that so many rows show in 80 % of samples.
        is_paired: whether the same rows were compared.
        is_same: whether both are identical in all that the metric reads.
        remark: for the reader.
        look: settings of limits and p that hold at every look; None: they hold for one look.
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
    look: Confidence | None = None
    p_beyond: Callable[[float], float] | None = None

    @property
    def is_settled(self) -> bool:
        """True if both are identical, and no rows are to come.

        At a look, predictions that are the same so far exclude nothing: the limits decide.
        """
        return self.is_same and self.look is None and math.isfinite(self.difference)


@dataclass(frozen=True, slots=True)
class Case:
    """A rule, measurements of some rows, None for all, and a verdict that needs no numbers."""

    rule: Rule
    measured: Measured | None = None
    change: Change | None = None
    slice: str | None = None
    settled: Settled | None = None


def judged(
    cases: Sequence[Case],
    *,
    level: float,
    evidence: Evidence,
    adjust: str,
    inconclusive: Inconclusive | None = None,
    undefined_fails: bool = True,
) -> tuple[RuleResult, ...]:
    """The verdict on every rule, p-values adjusted for those that compare with the baseline.

    Rules of all rows are one family and those of slices another: rules of slices must not make a
    rule of all rows easier to pass.

    Args:
        level: of the intervals; a drop counts where its one-sided p is below half of 1 − level.
        evidence: whether a bound holds for the value, or for the limit on its side.
        adjust: ``"holm"`` or ``"none"``.
        inconclusive: what every inconclusive rule does; None for the default of each.
        undefined_fails: whether a rule fails whose metric the rows do not define; else it is
            inconclusive, since rows to come may define it.
    """
    alpha = (1.0 - level) / 2.0
    found = [_bare(case, _p_of(case, level)) for case in cases]
    tested = [i for i, one in enumerate(found) if one.p is not None]
    for of_slices in (False, True):
        family = [i for i in tested if (found[i].slice is not None) == of_slices]
        raw = [found[i].p or 0.0 for i in family]
        adjusted, n_tests = (holm(raw), len(raw)) if adjust == "holm" else (raw, 1)
        for i, p in zip(family, adjusted, strict=True):
            found[i] = replace(found[i], p_adjusted=p, n_tests=n_tests)
    for i, (case, one) in enumerate(zip(cases, found, strict=True)):
        settled = case.settled
        if settled is None and not undefined_fails and case.measured is not None:
            undefined = _undefined(case.measured)
            settled = ("INCONCLUSIVE", undefined, case.rule.needs_baseline) if undefined else None
        if settled is None and case.rule.needs_baseline:
            settled = _of_change(case, one, alpha)
        verdict, reason, is_blocking = settled or _of_bound(case, evidence)
        if inconclusive is not None and verdict == "INCONCLUSIVE":
            is_blocking = inconclusive == "fail"
        found[i] = replace(one, verdict=verdict, reason=reason, is_blocking=is_blocking)
    return tuple(found)


def _bare(case: Case, p: float | None) -> RuleResult:
    rule, now, change = case.rule, case.measured, case.change
    name, text = str(rule.metric), rule.text
    if now is not None and now.is_of_folds:
        text = rule.worded(f"fold mean of {name}")
    result = RuleResult(text, rule.kind, name, rule.bound, "INCONCLUSIVE", "", case.slice, p=p)
    if now is not None:
        result = replace(result, value=now.value, low=now.low, high=now.high, n=now.n)
        result = replace(result, is_of_folds=now.is_of_folds)
    if change is None or not rule.needs_baseline:
        return result
    return replace(
        result,
        before=change.before,
        difference=change.difference,
        difference_low=change.low,
        difference_high=change.high,
        detectable=change.detectable,
    )


def _of_bound(case: Case, evidence: Evidence) -> Settled:
    measured, rule = case.measured, case.rule
    assert measured is not None
    undefined = _undefined(measured)
    if undefined:
        return "FAIL", undefined, False
    is_min = rule.kind == "min"

    def clears(number: float | None) -> bool:
        assert number is not None
        return number >= rule.bound if is_min else number <= rule.bound

    if evidence == "value":
        return "PASS" if clears(measured.value) else "FAIL", "", False
    near, far = (measured.low, measured.high) if is_min else (measured.high, measured.low)
    if near is None or far is None:
        return "INCONCLUSIVE", f"no interval: {measured.remark or 'none is known'}", True
    side, other = ("lower", "upper") if is_min else ("upper", "lower")
    if clears(near):
        return "PASS", f"the {side} limit meets the bound", False
    if not clears(far):
        return "FAIL", f"even the {other} limit misses the bound", False
    return "INCONCLUSIVE", "the interval contains the bound", False


def _undefined(measured: Measured) -> str:
    """Reason why there is no value; empty where there is one."""
    if measured.undefined:
        return f"undefined: {measured.undefined}"
    value = math.nan if measured.value is None else measured.value
    return "" if math.isfinite(value) else f"undefined: the value is {value}"


def _worse(case: Case) -> tuple[float, float, float] | None:
    """The drop from the baseline, and its limits; None where unknown."""
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

    Where there is no test, it follows from the distance of the limit on that side.
    """
    change = case.change
    if case.settled is not None or not case.rule.needs_baseline or change is None:
        return None
    if change.is_settled:
        return 1.0
    worse = _worse(case)
    if worse is None:
        return None
    drop, low, _ = worse
    if case.rule.kind == "not-worse" and change.p is not None:
        half = change.p / 2.0
        return half if drop > 0 else 1.0 - half
    if change.p_beyond is not None:
        return change.p_beyond(case.rule.bound)
    look = change.look
    quantile = NormalDist().inv_cdf((1.0 + level) / 2.0) if look is None else look.quantile()
    step = (drop - low) / quantile
    beyond = drop - case.rule.bound
    if step <= 0.0:
        return 0.0 if beyond > 0 else 1.0
    p = NormalDist().cdf(-beyond / step)
    return p if look is None or beyond <= 0.0 else look.p_value(2.0 * p) / 2.0


def _of_change(case: Case, one: RuleResult, alpha: float) -> Settled:
    rule, change, measured = case.rule, case.change, case.measured
    undefined = "" if measured is None else _undefined(measured)
    if undefined:
        return "FAIL", undefined, False
    if change is None:
        where = "" if case.slice is None else " of this slice: write it with this rule"
        return "FAIL", f"the baseline does not contain this metric{where}", False
    if change.is_settled:
        return "PASS", change.remark or PREDICT_THE_SAME, False
    worse = _worse(case)
    if worse is None or one.p is None or one.p_adjusted is None:
        # Without a comparison a rule must not pass.
        why = change.remark or "no interval of the difference is known"
        return "INCONCLUSIVE", f"not compared: {why}", True
    drop, _, high = worse
    bound = f"{rule.bound:.10g}"
    unpaired = "" if change.is_paired else ", unpaired"
    if one.p_adjusted < alpha:
        is_any = rule.kind == "not-worse"
        reason = "significantly worse" if is_any else f"worse by more than {bound}"
        return "FAIL", reason + unpaired, False
    if rule.kind == "not-worse":
        reason = "not significantly worse" if drop > 0 else "not worse"
        if one.p < alpha:
            reason = (
                f"worse if tested alone (p = {one.p:.2g}), not after correction for {one.n_tests} "
                "rules"
            )
        return "PASS", reason + unpaired, False
    if high < rule.bound or (rule.kind == "max-drop" and high <= rule.bound):
        fall = "rise" if rule.metric.better == "lower" else "drop"
        than = "more than " if rule.kind == "max-drop" else ""
        return "PASS", f"a {fall} of {than}{bound} is ruled out{unpaired}", False
    reason = "not shown" if rule.kind == "no-worse-than" else "neither shown nor ruled out"
    return "INCONCLUSIVE", reason + unpaired, True

"""`GateResult`, the result of `karat.gate`: every rule with its verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from karat._version import __version__
from karat.errors import error
from karat.errors.doubts import Doubt, only_doubts, without_doubts
from karat.errors.habits import names_its_arguments
from karat.errors.text import harmless
from karat.inference.confidence import of_looks
from karat.inference.json_record import JsonRecord
from karat.metrics import get
from karat.results.result import JsonDocument

Verdict: TypeAlias = Literal["PASS", "FAIL", "INCONCLUSIVE"]
Inconclusive: TypeAlias = Literal["pass", "fail"]

_EXIT_CODES: Final[dict[Verdict | None, int]] = {None: 3, "PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}


def p_text(p: float) -> str:
    """A p-value with its relation: ``"= 0.015"``, or ``"< 1e-16"`` where it underflows."""
    return f"= {p:.2g}" if p else "< 1e-16"


@dataclass(frozen=True, slots=True)
class RuleResult(JsonRecord):
    """One rule and its verdict.

    Attributes:
        rule: the rule in words.
        kind, metric, bound: of the rule.
        verdict: ``"PASS"``, ``"FAIL"`` or ``"INCONCLUSIVE"``.
        reason: of the verdict, in a few words.
        slice: its rows: ``"country=NO"``; None for all.
        is_blocking: whether it is inconclusive and keeps the gate from passing.
        value, low, high, n: of the metric.
        before, difference, difference_low, difference_high: against the baseline.
        p: one-sided p-value of being worse than the rule allows.
        p_adjusted: the same for all such rules together.
        n_tests: how many rules it allows for.
        detectable: the smallest drop that so many rows show in 80 % of samples.
        is_of_folds: whether it is about means over folds; the rule in words says so, too.
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
    is_of_folds: bool = field(default=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON types; null for numbers that are not finite."""
        return {name: x for name, x in JsonRecord.to_dict(self).items() if name != "is_of_folds"}

    @property
    def fails(self) -> bool:
        """True if the rule keeps the gate from passing."""
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
            parts.append(f"baseline {self.before:.4g}")
        if self.difference is not None:
            found = (self.difference, self.difference_low, self.difference_high)
            parts.append(f"difference {with_limits(*found, sign='+')}")
        if self.shown_p is not None:
            how = f" (Holm, {self.n_tests} rules)" if self.n_tests > 1 else ""
            parts.append(f"one-sided p {p_text(self.shown_p)}{how}")
        if self.n is not None:
            parts.append(f"n = {self.n}")
        if self.detectable is not None:
            parts.append(f"detectable {self.detectable:.4g}")
        return ", ".join(parts)

    @property
    def name(self) -> str:
        """The rule with the rows it is about."""
        return self.rule if self.slice is None else f"{self.rule} where {self.slice}"

    @property
    def line(self) -> str:
        """One line: verdict, rule, facts and reason."""
        return f"{self.verdict:<12}  {harmless(self.name)}: {self.summary}"

    @property
    def n_deciding(self) -> int | None:
        """Rows that would decide an inconclusive rule, if what was measured stays; None: unknown.

        A limit lies nearer to what was measured as 1 ÷ √rows: it is decided where it is at the
        bound. Limits of means over folds follow from the folds, too.
        """
        measured, low, high, bound = self.value, self.low, self.high, self.bound
        if self.difference is not None:
            measured, low, high = self.difference, self.difference_low, self.difference_high
            bound = bound if get(self.metric).better == "lower" else -bound
        if self.verdict != "INCONCLUSIVE" or not self.n or measured is None or self.is_of_folds:
            return None
        if low is None or high is None or measured == bound:
            return None
        distance = measured - low if measured > bound else high - measured
        n = self.n * (distance / (measured - bound)) ** 2
        return math.ceil(n) if self.n < n < _MOST_ROWS else None

    @property
    def next_step(self) -> str:
        """The rows that would decide, in words; empty where unknown."""
        n = self.n_deciding
        if n is None:
            return ""
        return f"about {float(f'{n:.2g}'):,.0f} rows would decide it at these values"

    @property
    def summary(self) -> str:
        """Facts, reason and next step."""
        parts = (self.facts, harmless(self.reason), self.next_step)
        return "; ".join(part for part in parts if part)


_MOST_ROWS: Final = 1e9


def with_limits(value: float | None, low: float | None, high: float | None, sign: str = "") -> str:
    """``0.93 [0.92, 0.94]``; nothing where there is no value."""
    if value is None:
        return ""
    form = f"{sign}.4g"
    limits = "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"
    return f"{value:{form}}{limits}"


@dataclass(frozen=True, eq=False)
class GateResult(JsonDocument):
    """The verdict of a gate: true where it passed, with one line for each rule.

    Attributes:
        rules: every rule, with its verdict.
        n: rows.
        level: of the intervals.
        adjust: how p-values allow for many rules: ``"holm"`` or ``"none"``.
        baseline: what was compared with: a path, or ``"the baseline"``; None without one.
        is_paired: whether the rows were those of the baseline; None without one.
        notes: sentences the reader should see, doubts first.
        inconclusive: what inconclusive rules do: ``"pass"`` or ``"fail"``; None for the default,
            where only a slice that cannot be judged by its own rows passes.
        warns_only: whether the exit code is 0 for every verdict.
        mapping: the column of each role, where the rows came from a table.
        has_sets: whether rows have sets of labels.
        updated_baseline: the path of the baseline that was written; None without one.
        anytime: planned number of rows of limits and p-values for every look; None: they hold for
            one look.
        writer: writes the next baseline for `save_baseline`; None: it does not hold the rows.
    """

    title: ClassVar[str] = "karat gate"
    rules: tuple[RuleResult, ...]
    n: int
    level: float
    adjust: str
    baseline: str | None = None
    is_paired: bool | None = None
    notes: tuple[str, ...] = ()
    inconclusive: Inconclusive | None = None
    warns_only: bool = False
    mapping: Mapping[str, Any] | None = None
    has_sets: bool = False
    updated_baseline: str | None = None
    anytime: int | None = None
    writer: Callable[[str | PathLike[str]], tuple[str, tuple[str, ...]]] | None = field(
        default=None, repr=False
    )

    def __getstate__(self) -> dict[str, Any]:
        # The rows do not travel with their verdict.
        return {**vars(self), "writer": None}

    @property
    def why_not(self) -> str | None:
        """Why these rows are no baseline of the next gate; None: they may be one."""
        if self.writer is None:
            return "the result does not contain its rows"
        if self.verdict == "FAIL":
            return "the gate failed"
        return "the gate is inconclusive" if self.verdict == "INCONCLUSIVE" else None

    @names_its_arguments
    def save_baseline(self, path: str | PathLike[str]) -> Self:
        """Write what was measured as the baseline of the next gate.

        It is a file for ``karat.gate(..., baseline=path)``, with the rows if the gate had
        ``reading=karat.Reading(keep_rows=True)``. A gate without rules writes the first baseline.

        Args:
            path: of the file; one that is there is replaced.

        Returns:
            The same result with `updated_baseline` and a note.

        Errors:
            K178 the gate did not pass, or its result was pickled; K413 the file cannot be written.

        Example:
            >>> import karat, tempfile, pathlib
            >>> path = pathlib.Path(tempfile.mkdtemp()) / "baseline.json"
            >>> truth, predicted = ["cat", "dog"] * 50, ["cat", "dog"] * 45 + ["dog", "cat"] * 5
            >>> first = karat.gate(truth, predicted, positive="dog").save_baseline(path)
            >>> karat.gate(truth, predicted, positive="dog", baseline=path).verdict
            'PASS'
        """
        if self.writer is None or self.why_not is not None:
            why = str(self.why_not)
            raise error("K178", found=f"{why[0].upper()}{why[1:]}")
        target, notes = self.writer(path)
        # Without a rule the headline says it.
        wrote = (f"Wrote {harmless(target)}.",) if self.rules else ()
        return replace(self, notes=(*notes, *wrote), updated_baseline=target)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Unusual properties of the input, each with the option that settles it.

        A doubt changes neither a number nor a verdict. The sentences are among the `notes` too.
        """
        return only_doubts(self.notes)

    @property
    def verdict(self) -> Verdict | None:
        """``"FAIL"`` where a rule fails, else ``"INCONCLUSIVE"`` or ``"PASS"``; None of no rule."""
        if not self.rules:
            return None
        if self.count("FAIL"):
            return "FAIL"
        return "INCONCLUSIVE" if any(rule.is_blocking for rule in self.rules) else "PASS"

    @property
    def passed(self) -> bool:
        """True if the verdict is ``"PASS"``, or a first baseline was written without a rule."""
        return self.verdict == "PASS" or (not self.rules and self.updated_baseline is not None)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 inconclusive or without a rule; 0 with `warns_only`."""
        return 0 if self.warns_only or self.passed else _EXIT_CODES[self.verdict]

    def count(self, verdict: str) -> int:
        """Number of rules with this verdict."""
        return sum(rule.verdict == verdict for rule in self.rules)

    @property
    def headline(self) -> str:
        """``FAIL: 1 of 3 rules failed``, in one line; without a rule what was written."""
        n = len(self.rules)
        if not n and self.updated_baseline is None:
            return "no verdict: there is no rule and no baseline"
        if not n:
            return f"baseline written: {harmless(self.updated_baseline or '')}"
        rules = "rule" if n == 1 else "rules"
        unsure = self.count("INCONCLUSIVE")
        if self.verdict == "INCONCLUSIVE":
            return f"INCONCLUSIVE: {unsure} of {n} {rules} not decided"
        tail = f", {unsure} inconclusive" if unsure else ""
        if self.verdict == "FAIL":
            return f"FAIL: {self.count('FAIL')} of {n} {rules} failed{tail}"
        return f"PASS: {n - unsure} of {n} {rules} passed{tail}"

    def __str__(self) -> str:
        lines = [
            f"{self.title}  {self.headline}",
            *(f"  Doubt {harmless(doubt.coded)}" for doubt in self.doubts),
            *(f"  {rule.line}" for rule in self.rules),
            *(f"  Note: {harmless(note)}" for note in without_doubts(self.notes)),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<karat.GateResult: {self.headline}>"

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON types, in the schema ``karat.gate/2``."""
        return {
            "schema": "karat.gate/2",
            "karat": __version__,
            "verdict": self.verdict,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "inconclusive": self.inconclusive,
            "n": self.n,
            "level": self.level,
            **of_looks(self.anytime),
            "adjust": self.adjust,
            "baseline": self.baseline,
            "paired": self.is_paired,
            "rules": [rule.to_dict() for rule in self.rules],
            "doubts": [one.to_dict() for one in self.doubts],
            "notes": list(self.notes),
            "updated_baseline": self.updated_baseline,
        }

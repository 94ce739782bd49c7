"""`GateResult`: what `karat.gate` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, Final

from karat._version import __version__
from karat.errors.foreign_text import harmless
from karat.results.gate.verdicts import RuleResult

__all__ = ["FAILED", "INCONCLUSIVE", "PASSED", "GateResult"]

PASSED: Final = 0
FAILED: Final = 1
INCONCLUSIVE: Final = 3


@dataclass(frozen=True, eq=False)
class GateResult:
    """The verdict of a gate: true where it passed, with one line for each rule.

    Attributes:
        rules: every rule, with its verdict.
        n: rows.
        level: of the intervals.
        adjust: how p-values allow for many rules: ``"holm"`` or ``"none"``.
        baseline: what was compared with: a path, or ``"the baseline"``; None without one.
        is_paired: whether the rows were those of the baseline; None without one.
        notes: sentences the reader should see.
        is_strict: whether what is inconclusive has an exit code of its own.
        warns_only: whether the exit code is 0 whatever was found.
        mapping: the column of each role, where the rows came from a table.
    """

    rules: tuple[RuleResult, ...]
    n: int
    level: float
    adjust: str
    baseline: str | None = None
    is_paired: bool | None = None
    notes: tuple[str, ...] = ()
    is_strict: bool = False
    warns_only: bool = False
    mapping: Mapping[str, Any] | None = None

    @property
    def passed(self) -> bool:
        """Whether no rule fails; what is inconclusive passes unless the rule asks for more."""
        return not any(rule.fails for rule in self.rules)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 inconclusive where that was asked for."""
        if self.warns_only:
            return PASSED
        if not self.passed:
            return FAILED
        if self.is_strict and self.count("INCONCLUSIVE"):
            return INCONCLUSIVE
        return PASSED

    def count(self, verdict: str) -> int:
        """How many rules have this verdict."""
        return sum(rule.verdict == verdict for rule in self.rules)

    @property
    def headline(self) -> str:
        """``FAIL: 1 of 3 rules failed``, in one line."""
        n_fail = sum(rule.fails for rule in self.rules)
        n = len(self.rules)
        if not n:
            return "PASS: no rule was asked"
        rules = "rule" if n == 1 else "rules"
        if n_fail:
            return f"FAIL: {n_fail} of {n} {rules} failed"
        unsure = self.count("INCONCLUSIVE")
        if unsure and self.is_strict:
            return f"INCONCLUSIVE: {unsure} of {n} {rules} could not be told"
        tail = f", {unsure} inconclusive" if unsure else ""
        return f"PASS: {n - unsure} of {n} {rules} passed{tail}"

    def __str__(self) -> str:
        lines = [f"karat gate  {self.headline}", *(f"  {rule.line}" for rule in self.rules)]
        return "\n".join([*lines, *(f"  Note: {harmless(note)}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<karat.GateResult: {self.headline}>"

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON types, in the schema ``karat.gate/1``."""
        return {
            "schema": "karat.gate/1",
            "karat": __version__,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "n": self.n,
            "level": self.level,
            "adjust": self.adjust,
            "baseline": self.baseline,
            "paired": self.is_paired,
            "rules": [rule.to_dict() for rule in self.rules],
            "notes": list(self.notes),
        }

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The result as JSON text with sorted keys; written to `path` too, when given."""
        from karat.data.writing import write_text

        text = json.dumps(
            self.to_dict(), ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False
        )
        if path is not None:
            write_text(path, text + "\n")
        return text

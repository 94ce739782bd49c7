"""`MonitorResult`: the verdicts of a monitor at one look, and when each rule was decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from karat._version import __version__
from karat.designs.looks import share_of_window
from karat.errors import shown
from karat.errors.text import count, counted
from karat.metrics import Metric
from karat.results.gate.result import GateResult, RuleResult, Verdict

_MOST_LISTED: Final = 8


@dataclass(frozen=True, slots=True)
class Look:
    """One look of a monitor.

    Attributes:
        n: rows until then.
        n_new: rows of its batch.
        digest: of the content of its batch.
        verdicts: of each rule by the rows until then alone.
        values, lows, highs: of the metric of each rule; None where there is none.
    """

    n: int
    n_new: int
    digest: str
    verdicts: tuple[Verdict, ...]
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """The look as JSON types."""
        return {
            "n": self.n,
            "n_new": self.n_new,
            "digest": self.digest,
            "verdicts": list(self.verdicts),
            "values": list(self.values),
            "lows": list(self.lows),
            "highs": list(self.highs),
        }


@dataclass(frozen=True, eq=False)
class MonitorResult(GateResult):
    """The verdicts of a monitor at one look: true where no rule has failed, and none blocks.

    A rule that failed at some look stays failed; one that passed stays passed unless it fails
    later. With `windows`, verdicts are those of this window alone.

    Attributes:
        rules: every rule, with its verdict of all looks, and the numbers of this one.
        n: rows of all batches.
        windows: whether each batch is judged alone.
        level: of all rules and looks together.
        looks: every look so far, the last one included.
        anytime: planned number of rows; None with `windows`.
    """

    title: ClassVar[str] = "karat monitor"
    looks: tuple[Look, ...] = ()
    windows: bool = False

    @property
    def look(self) -> int:
        """Number of this look, from 1."""
        return len(self.looks)

    @property
    def verdict(self) -> Verdict:
        """``"FAIL"`` where a rule failed, ``"PASS"`` where all passed, else ``"INCONCLUSIVE"``."""
        if self.count("FAIL"):
            return "FAIL"
        return "INCONCLUSIVE" if self.count("INCONCLUSIVE") else "PASS"

    @property
    def passed(self) -> bool:
        """True if no rule failed, and none that is not decided blocks."""
        return not any(rule.fails for rule in self.rules)

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 a rule that is not decided blocks."""
        if self.count("FAIL"):
            return 1
        return 0 if self.passed else 3

    def decided(self, rule: int) -> tuple[int, int] | None:
        """Look and number of rows at which a rule had its verdict first; None: not decided.

        Of windows, it is the last one, which the verdict is about.

        Args:
            rule: its place among the rules.
        """
        if self.windows:
            is_open = self.rules[rule].verdict == "INCONCLUSIVE"
            return None if is_open else (self.look, self.looks[-1].n)
        return first_look(self.looks, rule, self.rules[rule].verdict)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON types, in the schema ``karat.monitor/2``."""
        of_gate = super().to_dict()
        rules = []
        for i, rule in enumerate(of_gate["rules"]):
            found = self.decided(i)
            at = None if found is None else {"look": found[0], "n": found[1]}
            rules.append({**rule, "decided": at})
        for only_of_gates in ("baseline", "paired", "updated_baseline", "adjust"):
            of_gate.pop(only_of_gates)
        return {
            **of_gate,
            "schema": "karat.monitor/2",
            "karat": __version__,
            **({"windows": True} if self.windows else {}),
            "look": self.look,
            "rules": rules,
            "looks": [one.to_dict() for one in self.looks],
        }


def first_look(looks: Sequence[Look], rule: int, verdict: Verdict) -> tuple[int, int] | None:
    """Look and number of rows at which a rule had this verdict first; None if it never had."""
    if verdict == "INCONCLUSIVE":
        return None
    for i, look in enumerate(looks, 1):
        if look.verdicts[rule] == verdict:
            return i, look.n
    return None


def of_all_looks(now: RuleResult, looks: Sequence[Look], rule: int) -> RuleResult:
    """The rule with its verdict of all looks, of which `now` is that of the last one."""
    failed, passed = (first_look(looks, rule, verdict) for verdict in ("FAIL", "PASS"))
    if failed is not None:
        reason = f"failed {_at(failed, looks)}"
        if passed is not None and passed < failed:
            reason += f", after it passed {_at(passed, looks)}: the metric has changed over time"
        return replace(now, verdict="FAIL", reason=_joined(now, "FAIL", reason), is_blocking=False)
    if passed is not None:
        reason = _joined(now, "PASS", f"passed {_at(passed, looks)}")
        return replace(now, verdict="PASS", reason=reason, is_blocking=False)
    return now


def _at(found: tuple[int, int], looks: Sequence[Look]) -> str:
    look, n = found
    return f"at look {look}, " + ("this one" if look == len(looks) else f"of {count(n)} rows")


def _joined(now: RuleResult, verdict: Verdict, reason: str) -> str:
    # The reason of this look says nothing about the verdict of an earlier one.
    return f"{now.reason}, {reason}" if now.verdict == verdict and now.reason else reason


def notes_on_looks(
    looks: Sequence[Look], each: float, planned: int | None, n_rules: int
) -> list[str]:
    """Sentences on this look and on what limits hold for."""
    assert planned is not None
    last = looks[-1]
    rules = "" if n_rules == 1 else f" and for all {n_rules} rules: each at {100 * each:.4g} %"
    return [
        f"Look {len(looks)}: {counted(last.n_new, 'new row')}, {counted(last.n, 'row')} in all.",
        f"Limits hold at every look{rules}; planned for {count(planned)} rows.",
    ]


def of_window(now: RuleResult, looks: Sequence[Look], rule: int) -> RuleResult:
    """The rule with its verdict of the last window, and earlier ones in which it failed."""
    failed = [i for i, look in enumerate(looks[:-1], 1) if look.verdicts[rule] == "FAIL"]
    if not failed:
        return now
    windows = f"window{'' if len(failed) == 1 else 's'} {shown(failed)}"
    if len(failed) > _MOST_LISTED:
        windows = f"{count(len(failed))} windows, last in window {failed[-1]}"
    reason = f"it failed in {windows}, too" if now.verdict == "FAIL" else f"it failed in {windows}"
    return replace(now, reason=", ".join(filter(None, (now.reason, reason))))


def notes_on_windows(looks: Sequence[Look], each: float, n_rules: int) -> list[str]:
    """Sentences on this window and on what limits hold for."""
    last, j = looks[-1], len(looks)
    rules = "" if n_rules == 1 else f" and for all {n_rules} rules"
    error_rate = (1.0 - each) * share_of_window(j)
    here = (
        "an interval of this window misses the true value with a probability of at most "
        f"{error_rate:.2g}"
    )
    return [
        f"Window {j}: {counted(last.n_new, 'row')}; {counted(last.n, 'row')} in all windows.",
        f"Intervals hold for all windows together{rules}: {here}.",
    ]


def looks_of(found: Sequence[Mapping[str, Any]], metrics: Sequence[Metric]) -> tuple[Look, ...]:
    """Read looks from JSON types (ValueError, LookupError or TypeError for anything else).

    Args:
        metrics: the metric of each rule.
    """
    looks = []
    n = 0
    for one in found:
        verdicts, *numbers = (tuple(one[name]) for name in ("verdicts", "values", "lows", "highs"))
        if any(len(each) != len(metrics) for each in (verdicts, *numbers)):
            raise ValueError("a look has another number of rules")
        if not {*verdicts} <= {"PASS", "FAIL", "INCONCLUSIVE"}:
            raise ValueError("a look has an unknown verdict")
        n_new = one["n_new"]
        if (
            type(n_new) is not int
            or type(one["n"]) is not int
            or n_new < 1
            or one["n"] != n + n_new
        ):
            raise ValueError("the rows of the looks do not add up")
        n += n_new
        for metric, value, low, high in zip(metrics, *numbers, strict=True):
            _check_numbers(metric, value, low, high)
        if type(one["digest"]) is not str:
            raise ValueError("a look has no digest")
        looks.append(Look(n, n_new, one["digest"], verdicts, *numbers))
    return tuple(looks)


def _check_numbers(metric: Metric, *numbers: float | None) -> None:
    """Refuse numbers of a look that no value, difference and limits of a metric are."""
    given = [x for x in numbers if x is not None]
    if not all(type(x) in (int, float) and math.isfinite(x) for x in given):
        raise ValueError(f"a number of {metric} is not valid")
    least, most = metric.range
    width = most - least
    # The difference of two values is at most the width of their range.
    room = 1e-9 * max(1.0, *map(abs, given), 0.0)
    if not all(min(least, -width) - room <= x <= max(most, width) + room for x in given):
        raise ValueError(f"a number of {metric} lies outside of its range")
    _, low, high = numbers
    if low is not None and high is not None and low > high:
        raise ValueError(f"the limits of {metric} are in reverse")

"""The choices of a gate, and the difference of values of different rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

from karat.api.gate.baseline import Baseline
from karat.data.rows import Rows
from karat.errors.options import option
from karat.inference.comparison.contrasts import distances_together
from karat.inference.comparison.judging import POWER, ComparisonSpec
from karat.inference.confidence import Confidence
from karat.metrics._lift import Policy
from karat.results.gate.result import Inconclusive
from karat.results.gate.verdicts import Change, Evidence, Measured, refused
from karat.results.report import ClassReport

_ROWS_OF_LOOKS: Final = "at every look, only models on the same rows are compared"


@dataclass(frozen=True)
class GateSpec:
    """The choices of a gate, beside its rules; see `karat.gate`."""

    evidence: Evidence = "value"
    level: float = 0.95
    adjust: str = "holm"
    min_n: int = 30
    undefined: Policy = "zero"
    allow_mismatch: bool = False
    inconclusive: Inconclusive | None = None
    warn_only: bool = False
    with_rows: bool = False
    anytime: int | None = None
    window: int | None = None

    @property
    def confidence(self) -> Confidence:
        """Settings of the intervals of values."""
        return Confidence(self.level, anytime=self.anytime, window=self.window)

    @property
    def pair(self) -> ComparisonSpec:
        """Settings of the difference of two models."""
        look = self.confidence if self.confidence.is_of_looks else None
        return ComparisonSpec(self.level, "none", {}, ((0, 1),), look=look)


def change_apart(now: Measured, before: Measured, spec: GateSpec) -> Change:
    """The difference of two values of different rows, limits combined (Zou and Donner 2008)."""
    assert now.value is not None
    assert before.value is not None
    difference = now.value - before.value
    if not math.isfinite(difference):
        return Change(before.value, math.nan, is_paired=False, remark="a value is undefined")
    if spec.confidence.is_of_looks:
        return Change(before.value, difference, is_paired=False, remark=_ROWS_OF_LOOKS)
    if now.low is None or now.high is None or before.low is None or before.high is None:
        remark = now.remark or before.remark
        return Change(before.value, difference, is_paired=False, remark=remark)
    down, up = distances_together(
        (now.value - now.low, now.high - now.value),
        (before.value - before.low, before.high - before.value),
    )
    normal = NormalDist()
    quantile = normal.inv_cdf((1.0 + spec.level) / 2.0)
    error = (down + up) / (2.0 * quantile)
    # The side that faces 0 decides, so that p and the interval never disagree.
    facing = (up if difference < 0.0 else down) / quantile
    return Change(
        before.value,
        difference,
        difference - down,
        difference + up,
        math.erfc(abs(difference) / (facing * math.sqrt(2.0))) if facing > 0.0 else None,
        (quantile + normal.inv_cdf(POWER)) * error,
        is_paired=False,
    )


def check_level(spec: GateSpec, asked: Confidence | None, what: str) -> None:
    """Refuse intervals of another kind than those of the gate (K176)."""
    if asked is None:
        return
    # Limits of a baseline of other rows are not read in a gate for every look.
    reads_looks = what == "The report" or spec.anytime is None
    if reads_looks and asked.anytime != spec.anytime:
        kind = "one look" if asked.anytime is None else asked.looks
        do = f"Give both the same {option('anytime')}, or none."
        raise refused(f"{what} has limits for other looks than the gate: {kind}", do)
    if asked.level == spec.level and asked.side == "both":
        return
    is_both = asked.side == "both"
    kind = f"has intervals at {asked.level}" if is_both else "has limits on one side"
    do = f"Give both the same {option('level')}"
    if not is_both:
        do = f"Evaluate the report with {option('side', 'both')} and the same {option('level')}"
    found = f"{what} {kind}; the gate asks for both limits at {spec.level:g}"
    raise refused(found, f"{do}.")


def population_of(side: Rows | Baseline | ClassReport) -> dict[str, Any]:
    """``population`` of rows that are weighted to known proportions of the classes, as in JSON."""
    if isinstance(side, Baseline):
        return {name: x for name, x in side.settings.items() if name == "population"}
    found = side.population if isinstance(side, ClassReport) else None
    return {} if found is None else {"population": [list(pair) for pair in found.items()]}


def check_population(
    current: Rows | Baseline | ClassReport, before: Rows | Baseline | ClassReport
) -> None:
    """Refuse values of populations with different proportions of the classes (K176)."""
    now, then = (population_of(side).get("population") for side in (current, before))
    if now == then:
        return
    texts = [
        "none" if each is None else ", ".join(f"{label!r}: {share:g}" for label, share in each)
        for each in (now, then)
    ]
    raise refused(
        f"The prevalence is {texts[0]}, that of the baseline {texts[1]}",
        "Evaluate both at the same prevalence, or both without.",
    )

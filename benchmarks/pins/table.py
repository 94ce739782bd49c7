"""Outcomes of the pins as a Markdown table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks.pins.ratios import SLOWER, UNCLEAR, Ratio
from benchmarks.timing import duration

DIFFERS, FAILS, NOT_IN_BASE = "answers differ", "fails in HEAD", "not in BASE"
FAILURES: Final = (SLOWER, DIFFERS, FAILS)
NOT_COMPARED: Final = (UNCLEAR, NOT_IN_BASE)

HEADER: Final = (
    "| case | BASE | HEAD | ratio | interval | of the least | wall clock | pairs | verdict |",
    "|---|---:|---:|---:|---|---:|---:|---:|---|",
)


@dataclass(frozen=True)
class Outcome:
    """What the pairs of one case came to.

    Attributes:
        case: its name.
        verdict: a verdict of `Ratio`, or why there are no pairs.
        reason: what differs or fails.
        unit: "ns" of processor time, or "bytes" of peak memory.
        base, head: medians of the cost of one call.
        ratio: HEAD over BASE; None without pairs.
        wall: median ratio of the time on the clock.
    """

    case: str
    verdict: str
    reason: str = ""
    unit: str = "ns"
    base: float | None = None
    head: float | None = None
    ratio: Ratio | None = None
    wall: float | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def row(self) -> str:
        """A line of the table."""
        if self.ratio is None or self.base is None or self.head is None or self.wall is None:
            reason = " ".join(self.reason.split()).replace("|", "\\|")
            return f"| {self.case} | | | | | | | 0 | **{self.verdict}**: {reason} |"
        ratio = self.ratio
        cells = [
            self.case,
            _amount(self.base, self.unit),
            _amount(self.head, self.unit),
            f"{ratio.middle:.3f}",
            f"{ratio.low:.3f} to {ratio.high:.3f}",
            f"{ratio.least:.3f}",
            f"{self.wall:.3f}",
            str(ratio.n_pairs),
            f"**{self.verdict}**" if self.verdict in (*FAILURES, *NOT_COMPARED) else self.verdict,
        ]
        return f"| {' | '.join(cells)} |"


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """1 where a case fails; else 3 where one was not compared or is unclear; else 0."""
    verdicts = {outcome.verdict for outcome in outcomes}
    if verdicts.intersection(FAILURES):
        return 1
    return 3 if verdicts.intersection(NOT_COMPARED) else 0


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many cases have which verdict, and the largest difference."""
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.verdict] = counts.get(outcome.verdict, 0) + 1
    text = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    ratios = [(outcome.ratio.middle, outcome.case) for outcome in outcomes if outcome.ratio]
    if not ratios:
        return f"{len(outcomes)} cases: {text}."
    middle, case = max(ratios, key=lambda item: max(item[0], 1.0 / item[0]))
    return f"{len(outcomes)} cases: {text}. Largest difference: {middle - 1.0:+.1%} ({case})."


def _amount(cost: float, unit: str) -> str:
    return duration(cost) if unit == "ns" else f"{cost / 1e6:.1f} MB"

"""`Page`: everything that one run of the benchmark found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.case import Row
from benchmarks.cold import Start
from benchmarks.memory import Peak
from benchmarks.peaks import ArrayPeak
from benchmarks.scaling import Curve
from benchmarks.threads import Shared


@dataclass
class Page:
    """What was measured; a part that did not run is empty.

    Attributes:
        facts: the machine, the versions, the limits.
        rows: cases beside their peers.
        threads: many threads beside one.
        starts: imports and commands from nothing.
        peaks: reports on files of many rows.
        array_peaks: calls on long and wide arrays.
        curves: time over size.
    """

    facts: Mapping[str, str | int]
    rows: list[Row] = field(default_factory=list)
    threads: list[Shared] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    peaks: list[Peak] = field(default_factory=list)
    array_peaks: list[ArrayPeak] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    @property
    def n_differing(self) -> int:
        """How many answers differ."""
        parts = (self.rows, self.threads, self.peaks, self.array_peaks, self.curves)
        return sum(one.disagreement is not None for part in parts for one in part)

    @property
    def verdict(self) -> str:
        """How many goals are met, in a sentence."""
        with_goal = [row for row in self.rows if row.has_goal]
        n_met = sum(row.is_met for row in with_goal)
        stretched = [row for row in with_goal if row.goal.stretch]
        n_stretched = sum(row.is_met and row.is_stretched for row in stretched)
        return (
            f"{n_met} of {len(with_goal)} floors met, {n_stretched} of {len(stretched)} "
            f"stretches reached, {self.n_differing} answers differ"
        )

    def to_json(self) -> dict[str, Any]:
        """The same facts for a program; times in nanoseconds where no other unit is named."""
        return {
            "schema": "karat.bench/2",
            "machine": dict(self.facts),
            "cases": [row.to_json() for row in self.rows],
            "threads": [{**asdict(one), "ratios": one.ratios} for one in self.threads],
            "starts": [{**asdict(start), "is_met": start.is_met} for start in self.starts],
            "memory": [asdict(peak) for peak in self.peaks],
            "array_memory": [asdict(peak) for peak in self.array_peaks],
            "curves": [asdict(curve) for curve in self.curves],
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Page:
        """The page that `to_json` told."""
        return cls(
            told["machine"],
            [Row.from_json(case) for case in told["cases"]],
            [Shared(**_without(one, "ratios")) for one in told["threads"]],
            [Start(**_without(start, "is_met")) for start in told["starts"]],
            [Peak(**peak) for peak in told["memory"]],
            [ArrayPeak(**peak) for peak in told["array_memory"]],
            [Curve(**curve) for curve in told["curves"]],
        )

    def check_like(self, before: Page) -> None:
        """Refuse an earlier page whose figures may not stand beside those of this one.

        Raises:
            ValueError: it is of another day, of another machine or of other versions.
        """
        differing = [
            name
            for name in self.facts
            if not name.startswith("one core") and self.facts[name] != before.facts.get(name)
        ]
        if differing:
            raise ValueError(f"the earlier page is of another {', '.join(differing)}")

    def keep(self, before: Page) -> None:
        """Take from an earlier page what was not measured again.

        Raises:
            ValueError: as `check_like` does.
        """
        self.check_like(before)
        again = {(row.peer, row.name): row for row in self.rows}
        known = {(row.peer, row.name) for row in before.rows}
        new = [row for row in self.rows if (row.peer, row.name) not in known]
        self.rows = [again.get((row.peer, row.name), row) for row in before.rows] + new
        for part in ("threads", "starts", "peaks", "array_peaks", "curves"):
            if not getattr(self, part):
                setattr(self, part, getattr(before, part))


def _without(told: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key != name}

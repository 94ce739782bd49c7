"""A case: who computes what, how equal the answers must be, and how fast karat has to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from benchmarks.timing import Time, alternate

KARAT: Final = "karat"
PEER: Final = "scikit-learn"
TORCH: Final = "torch"
TORCHMETRICS: Final = "torchmetrics"
CATBOOST: Final = "CatBoost"
INTELEX: Final = "scikit-learn-intelex"
PYCM: Final = "PyCM"
SCORS: Final = "scors"
POLARBEARINGS: Final = "polarbearings"
NATIVE: Final = "karat's own function"
"""The peer of the drop-in for scikit-learn: the ratio is its time over that of the drop-in."""

REPORTS: Final = "one report"
"""The peer of comparisons: the ratio is the time of one report over that of comparing models."""

BINCOUNT: Final = "np.bincount"
"""The plainest counting there is: no checks, no labels, known number of classes."""

LIMIT: Final = "limit"
"""Nothing but to read the memory once, or to sort the whole keys once. No answer."""

Candidates = Mapping[str, Callable[[], object]]


@dataclass(frozen=True)
class Goal:
    """What a case has to reach.

    Attributes:
        floor: least ratio of the peer's CPU time to karat's.
        stretch: the ratio that a prototype reached.
        most_us: most CPU microseconds of one call, for small calls.
    """

    floor: float | None = None
    stretch: float | None = None
    most_us: float | None = None


@dataclass(frozen=True)
class Case:
    """One line of the benchmark.

    Attributes:
        name: what is computed on which data.
        make: builds the data and returns the candidates by name; karat and the peer are among them.
        goal: what has to be reached.
        within: largest relative difference of two answers; 0 means equal to the last bit.
        rounds: how often the candidates take turns.
        peer: whose answer and time karat's are compared with.
        repeats: how many calls one call of the peer stands for, where all would take hours.
    """

    name: str
    make: Callable[[], Candidates]
    goal: Goal = field(default_factory=Goal)
    within: float = 0.0
    rounds: int = 7
    peer: str = PEER
    repeats: int = 1


@dataclass(frozen=True)
class Row:
    """What came out of a case: times, or the reason why there are none.

    Invariant: a row whose answers differ holds no times, so nothing can print a ratio of them.
    """

    name: str
    goal: Goal
    times: Mapping[str, Time]
    disagreement: str | None = None
    peer: str = PEER
    repeats: int = 1

    @property
    def ratio(self) -> float | None:
        """The peer's CPU time over karat's."""
        if KARAT not in self.times or self.peer not in self.times:
            return None
        return self.times[self.peer].cpu_ns * self.repeats / self.times[KARAT].cpu_ns

    @property
    def over_limit(self) -> float | None:
        """Karat's CPU time over that of the limit."""
        if KARAT not in self.times or LIMIT not in self.times:
            return None
        return self.times[KARAT].cpu_ns / self.times[LIMIT].cpu_ns

    @property
    def microseconds(self) -> float | None:
        """CPU microseconds of one call of karat."""
        return self.times[KARAT].cpu_ns / 1e3 if KARAT in self.times else None

    @property
    def has_goal(self) -> bool:
        """Whether there is anything to reach; a stretch alone is a wish."""
        return self.goal.floor is not None or self.goal.most_us is not None

    @property
    def is_met(self) -> bool:
        """Whether the answers agree and every goal is reached."""
        if self.disagreement is not None or self.ratio is None or self.microseconds is None:
            return False
        goal = self.goal
        return (goal.floor is None or self.ratio >= goal.floor) and (
            goal.most_us is None or self.microseconds <= goal.most_us
        )

    @property
    def is_stretched(self) -> bool:
        """Whether karat is as much faster as the prototype was."""
        return self.goal.stretch is not None and (self.ratio or 0) >= self.goal.stretch

    def to_json(self) -> dict[str, Any]:
        """The row, its ratio and verdict; times in nanoseconds."""
        return {
            "name": self.name,
            "peer": self.peer,
            "disagreement": self.disagreement,
            "ratio": self.ratio,
            "over_limit": self.over_limit,
            "goal": asdict(self.goal),
            "is_met": self.is_met,
            "repeats": self.repeats,
            "times": {name: asdict(time) for name, time in self.times.items()},
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Row:
        """The row that `to_json` told."""
        times = {name: Time(**time) for name, time in told["times"].items()}
        goal = Goal(**told["goal"])
        return cls(told["name"], goal, times, told["disagreement"], told["peer"], told["repeats"])


def run(case: Case) -> Row:
    """Check the answers of a case; when they agree, time its candidates."""
    candidates = case.make()
    disagreement = disagreement_of(candidates, case.within, case.peer)
    if disagreement is not None:
        return Row(case.name, case.goal, {}, disagreement, case.peer, case.repeats)
    times = alternate(candidates, case.rounds)
    return Row(case.name, case.goal, times, peer=case.peer, repeats=case.repeats)


def disagreement_of(candidates: Candidates, within: float, peer: str = PEER) -> str | None:
    """Compare every candidate's answer with the peer's; None when all agree."""
    expected = np.asarray(candidates[peer]())
    for name, call in candidates.items():
        if name in (peer, LIMIT):
            continue
        answer = np.asarray(call())
        if answer.shape != expected.shape:
            return f"{name} gives shape {answer.shape}, {peer} {expected.shape}"
        if not np.allclose(answer, expected, rtol=within, atol=0.0):
            worst = np.abs(answer - expected).max()
            return f"{name} and {peer} differ by up to {worst:.3g}"
    return None

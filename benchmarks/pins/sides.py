"""Pairs of measurements of two commits, by turns, so that a noisy moment hits both."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Final

from benchmarks.pins.answers import difference
from benchmarks.pins.trees import ROOT, Tree
from benchmarks.worker import ONE_THREAD

BASE, HEAD = "BASE", "HEAD"
ENOUGH_NS: Final = 40_000_000
"""A measurement repeats a call until it takes about this much processor time."""

ENOUGH_STARTS_NS: Final = 10_000_000
"""A measurement of a start takes as many new processes as take about this together."""

MOST_STARTS: Final = 11
"""New processes of a measurement of a start, at most."""


class CannotCompareError(Exception):
    """A side that gives no answer, or another one; `side` is empty where both answer."""

    def __init__(self, side: str, reason: str) -> None:
        super().__init__(reason)
        self.side = side


@dataclass(frozen=True)
class Pair:
    """Costs of a call on both sides, by the name of the cost: cpu, wall (ns), peak (bytes)."""

    base: dict[str, float]
    head: dict[str, float]


@dataclass(frozen=True)
class Case:
    """A case, and the kind of its file: calls repeat, starts and peaks are new processes."""

    kind: str
    name: str

    @property
    def cost(self) -> str:
        """The cost that decides."""
        return "peak" if self.kind == "peaks" else "cpu"


KINDS: Final = ("calls", "starts", "peaks")


@dataclass(frozen=True)
class Bench:
    """Two trees, and a folder for the rows that both read."""

    base: Tree
    head: Tree
    folder: Path

    def cases(self) -> list[Case]:
        """Every case that one of both trees has.

        Raises:
            RuntimeError: a file of cases cannot be imported.
        """
        names: dict[Case, None] = {}
        for kind in KINDS:
            for side in (HEAD, BASE):
                file, *_ = self._files(kind, side)
                with closing(Worker(side, self._tree(side), {"files": [file]})) as worker:
                    if "error" in worker.first:
                        raise RuntimeError(f"{file} of {side}: {worker.first['error']}")
                    names |= dict.fromkeys(Case(kind, name) for name in worker.first["names"])
        return list(names)

    def pairs(self, case: Case) -> Iterator[Pair]:
        """Pairs of a case, without end, each of new processes; the side that begins alternates.

        Addresses and layouts differ by process, so pairs of the same processes would be correlated.

        Raises:
            CannotCompareError: a side fails, or the answers differ.
        """
        return self._repeated(case) if case.kind == "calls" else self._anew(case)

    def start(self, case: Case, side: str) -> Worker:
        """A process of a side that makes its first call."""
        job = {"name": case.name, "files": self._files(case.kind, side), "folder": str(self.folder)}
        return Worker(side, self._tree(side), job)

    def _tree(self, side: str) -> Tree:
        return self.base if side == BASE else self.head

    def _files(self, kind: str, side: str) -> list[str]:
        """A side's own cases before those of the other: each is written for its commit's face."""
        trees = (self.base, self.head) if side == BASE else (self.head, self.base)
        return [str(tree.cases / f"{kind}.py") for tree in trees]

    def _repeated(self, case: Case) -> Iterator[Pair]:
        n_calls = 0
        for turn in count():
            order = _order(turn)
            # First calls are not measured here: both sides may make theirs at the same time.
            with (
                closing(self.start(case, order[0])) as first_worker,
                closing(self.start(case, order[1])) as second_worker,
            ):
                workers = dict(zip(order, (first_worker, second_worker), strict=True))
                _check_answers(workers[BASE].answered(), workers[HEAD].answered())
                n_calls = n_calls or _calls_per_measurement(workers[BASE])
                batches: tuple[str, ...] = order
                if n_calls > 1:
                    for worker in workers.values():
                        worker.cost(n_calls)
                    batches = (*order, *reversed(order))
                costs: dict[str, list[dict[str, float]]] = {BASE: [], HEAD: []}
                for side in batches:
                    costs[side].append(workers[side].cost(n_calls))
            yield Pair(_middle(costs[BASE]), _middle(costs[HEAD]))

    def _anew(self, case: Case) -> Iterator[Pair]:
        self._starts(case, BASE, HEAD)  # compiles modules and writes rows
        n_starts = 1
        if case.kind == "starts":
            slowest = max(cost["cpu"] for cost in self._starts(case, BASE, HEAD).values())
            n_starts = min(max(math.ceil(ENOUGH_STARTS_NS / slowest), 1), MOST_STARTS)
        for turn in count():
            starts = [self._starts(case, *_order(turn + i)) for i in range(n_starts)]
            base, head = ([costs[side] for costs in starts] for side in (BASE, HEAD))
            yield Pair(_lower_quartile(base), _lower_quartile(head))

    def _starts(self, case: Case, *order: str) -> dict[str, dict[str, float]]:
        """What the first calls of two new processes cost, one after the other."""
        first = {}
        for side in order:
            with closing(self.start(case, side)) as worker:
                first[side] = worker.answered()
        _check_answers(first[BASE], first[HEAD])
        return {side: {cost: first[side][cost] for cost in COSTS} for side in order}


COSTS: Final = ("cpu", "wall", "peak")


class Worker:
    """A process that runs one case of one side.

    Attributes:
        side: BASE or HEAD.
    """

    def __init__(self, side: str, tree: Tree, job: dict[str, Any]) -> None:
        self.side = side
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-S", "-m", "benchmarks.pins.worker", json.dumps(job)],
            env=environment(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._site = tree.site

    @cached_property
    def first(self) -> dict[str, Any]:
        """The names of the cases, or the first answer with its costs, or why there is none.

        Raises:
            RuntimeError: the process imported another karat.
        """
        message = self._hear()
        for file in message.get("modules", []):
            if not Path(file).is_relative_to(self._site):
                raise RuntimeError(f"{self.side} imports {file} instead of {self._site}")
        return message

    def answered(self) -> dict[str, Any]:
        """The first answer with its costs.

        Raises:
            CannotCompareError: there is none.
        """
        if "error" in self.first:
            raise CannotCompareError(self.side, self.first["error"])
        return self.first

    def cost(self, n_calls: int) -> dict[str, float]:
        """Nanoseconds of one call, from some calls.

        Raises:
            CannotCompareError: a call failed.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{n_calls}\n")
        self._process.stdin.flush()
        message = self._hear()
        if "error" in message:
            raise CannotCompareError(self.side, message["error"])
        return {name: taken / n_calls for name, taken in message.items()}

    def close(self) -> None:
        """End the process and wait for it."""
        self._process.communicate()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            return {"error": f"the process ended with status {status}"}
        message: dict[str, Any] = json.loads(line)
        return message


def environment(tree: Tree) -> dict[str, str]:
    """One thread, one hash seed, and the karat of a tree before every other."""
    installed = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    return {
        **{name: value for name, value in os.environ.items() if name not in UNWANTED},
        **dict.fromkeys(ONE_THREAD, "1"),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([str(tree.site), *installed, str(ROOT)]),
    }


UNWANTED: Final = ("PYTHONDONTWRITEBYTECODE", "PYTHONOPTIMIZE", "PYTHONPROFILEIMPORTTIME")


def _middle(costs: list[dict[str, float]]) -> dict[str, float]:
    """The median of each cost; of two measurements their mean."""
    return {name: statistics.median(cost[name] for cost in costs) for name in costs[0]}


def _lower_quartile(costs: list[dict[str, float]]) -> dict[str, float]:
    """The lower quartile of each cost: under load, a third of the starts take half as long again.

    For 11 imports of karat its ratios vary by 3 %, those of medians by 15 %.
    """
    rank = (len(costs) - 1) // 4
    return {name: sorted(cost[name] for cost in costs)[rank] for name in costs[0]}


def _order(turn: int) -> tuple[str, str]:
    return (HEAD, BASE) if turn % 2 else (BASE, HEAD)


def _check_answers(base: dict[str, Any], head: dict[str, Any]) -> None:
    reason = difference(base["answer"], head["answer"])
    if reason:
        raise CannotCompareError("", reason)


def _calls_per_measurement(worker: Worker) -> int:
    """Calls that take about `ENOUGH_NS` together."""
    n_calls = 1
    while (cost := worker.cost(n_calls)["cpu"]) * n_calls < ENOUGH_NS:
        n_calls = min(10 * n_calls, round(1.2 * ENOUGH_NS / max(cost, 1.0)) + 1)
    return n_calls

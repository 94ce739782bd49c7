"""Pairs of measurements of two commits, by turns, so that a noisy moment hits both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.pins.answers import difference
from benchmarks.pins.trees import ROOT, Tree
from benchmarks.worker import ONE_THREAD

BASE, HEAD = "BASE", "HEAD"
ENOUGH_NS: Final = 40_000_000
"""A measurement repeats a call until it takes about this much processor time."""

PER_PROCESS: Final = 5
"""Pairs that two processes take before two new ones: addresses and layouts differ by process."""


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
        """Pairs of a case, without end; the side that begins alternates.

        Raises:
            CannotCompareError: a side fails, or the answers differ.
        """
        return self._repeated(case) if case.kind == "calls" else self._anew(case)

    def start(self, case: Case, side: str) -> Worker:
        """A process of a side that has made its first call."""
        job = {"name": case.name, "files": self._files(case.kind, side), "folder": str(self.folder)}
        worker = Worker(side, self._tree(side), job)
        if "error" in worker.first:
            worker.close()
            raise CannotCompareError(side, worker.first["error"])
        return worker

    def _tree(self, side: str) -> Tree:
        return self.base if side == BASE else self.head

    def _files(self, kind: str, side: str) -> list[str]:
        """A side's own cases before those of the other: each is written for its commit's face."""
        trees = (self.base, self.head) if side == BASE else (self.head, self.base)
        return [str(tree.cases / f"{kind}.py") for tree in trees]

    def _repeated(self, case: Case) -> Iterator[Pair]:
        turn, n_calls = 0, 0
        while True:
            first, second = _order(turn)
            with (
                closing(self.start(case, first)) as first_worker,
                closing(self.start(case, second)) as second_worker,
            ):
                workers = {first: first_worker, second: second_worker}
                _check_answers(workers[BASE].first, workers[HEAD].first)
                n_calls = n_calls or _calls_per_measurement(workers[BASE])
                if n_calls > 1:
                    for worker in workers.values():
                        worker.cost(n_calls)
                for _ in range(PER_PROCESS):
                    costs = {side: workers[side].cost(n_calls) for side in _order(turn)}
                    yield Pair(costs[BASE], costs[HEAD])
                    turn += 1

    def _anew(self, case: Case) -> Iterator[Pair]:
        turn = -1  # the first pair compiles modules and writes rows
        while True:
            first = {}
            for side in _order(turn):
                with closing(self.start(case, side)) as worker:
                    first[side] = worker.first
            _check_answers(first[BASE], first[HEAD])
            if turn >= 0:
                yield Pair(*({cost: first[side][cost] for cost in COSTS} for side in (BASE, HEAD)))
            turn += 1


COSTS: Final = ("cpu", "wall", "peak")


class Worker:
    """A process that runs one case of one side.

    Attributes:
        side: BASE or HEAD.
        first: what it says first: its answer and what that took, or why there is none.
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
        self.first = self._hear()
        for file in self.first.get("modules", []):
            if not Path(file).is_relative_to(tree.site):
                self.close()
                raise RuntimeError(f"{side} imports {file} instead of {tree.site}")

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

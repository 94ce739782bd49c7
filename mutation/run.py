"""Runs mutants against their tests, several at a time, and keeps what was found on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mutation.child import FEW, PROFILE, Child, Chosen, start
from mutation.choice import Attempt, Choice
from mutation.operators import Key, Mutant, mutated

PASSED, FAILED, NOTHING_RAN, BROKEN = 0, 1, 5, 70
ALIVE = {"survived", "not run"}
SLACK_SECONDS = 20.0
TIMES_BASELINE = 10.0


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    state: str
    """killed, timeout, survived, or not run: no measured test runs its line."""
    by: str
    """The first test that failed."""
    n_tests: int
    """How many tests it was run against at most."""
    seconds: float


@dataclass
class Trial:
    """A mutant under way."""

    mutant: Mutant
    attempts: list[Attempt]
    n_tests: int = 0
    seconds: float = 0.0
    child: Child | None = None
    at: int = 0


class Runner:
    """Gives each mutant its verdict."""

    def __init__(
        self,
        root: Path,
        choice: Choice,
        folder: Path,
        jobs: int,
        slack_seconds: float = SLACK_SECONDS,
    ) -> None:
        """Run in the checkout `root`, and keep files in `folder`."""
        self.root, self.choice, self.folder, self.jobs = root, choice, folder, jobs
        self.slack_seconds = slack_seconds
        folder.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        mutants: Sequence[Mutant],
        log: Path,
        without: Iterable[str] = (),
        *,
        again: bool = False,
        explained: Container[Key] = (),
    ) -> dict[Mutant, Verdict]:
        """The verdict of each mutant; those that the log holds are not run again.

        With `again` those of them that survived are, since tests may have been added. What is
        explained is run up to the cap of seconds: no test is expected to kill it.
        """
        known = read_log(log, mutants)
        if again:
            known = {m: v for m, v in known.items() if v.state not in ALIVE}
        waiting = [mutant for mutant in mutants if mutant not in known]
        running: list[Trial] = []
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop(0)
                attempts = self.choice.attempts(mutant, without)
                if mutant.key in explained:
                    attempts = [attempt for attempt in attempts if not attempt.is_beyond_cap]
                running.append(Trial(mutant, attempts))
                self._begin(running[-1])
            for trial in list(running):
                verdict = self._verdict(trial)
                if verdict is not None:
                    running.remove(trial)
                    known[trial.mutant] = verdict
                    with log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([_name(trial.mutant), asdict(verdict)]) + "\n")
                    told = f"{len(known)}/{len(mutants)} {verdict.state} in {verdict.seconds:.0f} s"
                    print(f"{told}  {trial.mutant}", flush=True)
            time.sleep(0.01)
        return known

    def failing(self, tests: Iterable[str]) -> set[str]:
        """Which of these tests fail in a child although nothing is mutated, file by file."""
        by_file: dict[str, list[str]] = {}
        for test in tests:
            by_file.setdefault(test.partition("::")[0], []).append(test)
        failing: set[str] = set()
        for ids in by_file.values():
            left = ids
            while left:
                child = self._start(Attempt(tuple(left), 60.0), None, PROFILE)
                while (outcome := child.ended()) is None:
                    time.sleep(0.02)
                if outcome.status in (PASSED, NOTHING_RAN):
                    break
                failed = outcome.text.partition(" (")[0]
                gone = {failed} if failed in left else set(left)
                failing |= gone
                left = [test for test in left if test not in gone]
        return failing

    def _begin(self, trial: Trial) -> None:
        """Start the next attempt, if there is one."""
        trial.child = None
        if trial.at < len(trial.attempts):
            attempt = trial.attempts[trial.at]
            profile = PROFILE if trial.at == len(trial.attempts) - 1 else FEW
            trial.child = self._start(attempt, trial.mutant, profile)
            trial.n_tests += len(attempt.tests)

    def _start(self, attempt: Attempt, mutant: Mutant | None, profile: str) -> Child:
        module = None
        if mutant is not None:
            path = self.root / mutant.file
            code = mutated(path.read_text(encoding="utf-8"), mutant.number, str(path))
            module = (module_name(mutant.file), code)
        return start(
            self.root,
            ["-x", *attempt.files],
            cpu_seconds=self.slack_seconds + TIMES_BASELINE * attempt.seconds,
            folder=self.folder,
            plugins=lambda report: [Chosen(attempt.tests, report)],
            module=module,
            profile=profile,
        )

    def _verdict(self, trial: Trial) -> Verdict | None:
        """The verdict once an attempt notices the mutant or none is left."""
        if trial.child is None:
            state = "survived" if trial.n_tests else "not run"
            return Verdict(state, "", trial.n_tests, trial.seconds)
        outcome = trial.child.ended()
        if outcome is None:
            return None
        trial.seconds += outcome.seconds
        if outcome.status in (PASSED, NOTHING_RAN):
            trial.at += 1
            self._begin(trial)
            return None
        if outcome.status == BROKEN:
            raise RuntimeError(f"A child broke while it ran {trial.mutant}.")
        state = "timeout" if outcome.status is None else "killed"
        return Verdict(state, outcome.text, trial.n_tests, trial.seconds)


def module_name(file: str) -> str:
    """The dotted name of a file of src."""
    parts = list(Path(file).with_suffix("").parts)
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_log(log: Path, mutants: Sequence[Mutant]) -> dict[Mutant, Verdict]:
    """The verdicts that a log holds; of several of a mutant, the last."""
    if not log.exists():
        return {}
    stored = {
        name: Verdict(**verdict)
        for name, verdict in map(json.loads, log.read_text(encoding="utf-8").splitlines())
    }
    return {mutant: stored[_name(mutant)] for mutant in mutants if _name(mutant) in stored}


def _name(mutant: Mutant) -> str:
    """What a log calls a mutant; a log belongs to one state of the sources."""
    return f"{mutant.file}#{mutant.number}"

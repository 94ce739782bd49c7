"""A process for each target, forked from one that has loaded everything; see `__main__`.

It runs with the sanitizers loaded before Python. A child writes its log, and two numbers that are
kept while it runs, since libFuzzer ends it without a word to Python: inputs tried, and inputs of
which the binding was called.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from fuzz import corpus
from fuzz.case import Case, run
from fuzz.outcome import Outcome, outcome_of
from fuzz.targets import Body, load

CONTROLS = {"overrun": "heap-buffer-overflow", "overflow": "signed integer overflow"}
"""Deliberate mistakes of the instrumented module, and what has to be said of them."""

CONTROL_RUNS = 5_000_000
LIMITS = (
    "-print_funcs=0",
    "-max_len=256",
    "-timeout=240",
    "-rss_limit_mb=3000",
    "-malloc_limit_mb=2900",
)


def control(name: str) -> Body:
    """Bytes to a deliberate mistake: a fuzzer that does not find it proves nothing."""

    def body(case: Case) -> None:
        data = case.arrays.copy(np.frombuffer(case.source.data, np.uint8))
        case.call(case.native.fuzz_control, data, name == "overrun")

    return body


def forked(work: Callable[[], None], log: Path) -> int:
    """Do the work in a child whose output is the log; returns its process id."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        work()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 0)
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def fuzzing(
    native: ModuleType, name: str, body: Body, folder: Path, options: list[str]
) -> Callable[[], None]:
    """The work of a child: fuzz one target until libFuzzer ends the process."""

    def work() -> None:
        import atheris

        counts = np.memmap(folder / "counts", np.int64, "w+", shape=2)

        def one(data: bytes) -> None:
            counts[0] += 1
            try:
                counts[1] += run(body, data, native).n_reached > 0
            except Exception:
                # The fuzzer itself keeps only inputs that end the process.
                (folder / "crash-raised").write_bytes(data)
                raise

        arguments = [name, *LIMITS, f"-artifact_prefix={folder}/", *options, str(folder / "found")]
        atheris.Setup(arguments, one, enable_python_coverage=False)
        atheris.Fuzz()

    return work


def edges_of(native: ModuleType, body: Body, data: bytes) -> NDArray[np.int64]:
    """The edges of the native code that an input takes."""
    counters = native.fuzz_counters(native)
    counters[:] = 0
    run(body, data, native)
    # A copy: threads of the pool count on while they look for work, and NumPy counts twice.
    return np.flatnonzero(counters.copy())


def minimising(native: ModuleType, name: str, body: Body, folder: Path) -> Callable[[], None]:
    """The work of a child: of the inputs, smallest first, keep those with a new edge."""

    def work() -> None:
        inputs = {path.read_bytes() for path in (folder / "found").iterdir()}
        seen: set[int] = set()
        kept = []
        for data in sorted(inputs, key=lambda data: (len(data), data)):
            edges = set(edges_of(native, body, data).tolist())
            if not edges <= seen:
                seen |= edges
                kept.append(data)
        corpus.write(name, kept)
        np.array(sorted(seen), np.int64).tofile(folder / "edges")

    return work


class Session:
    """Targets being fuzzed, so many at a time."""

    def __init__(self, native: ModuleType, options: list[str], jobs: int) -> None:
        self.native, self.options, self.jobs = native, options, jobs
        self.targets = load()
        self.edges: set[int] = set()
        self.n_edges = len(native.fuzz_counters(native))

    def prove(self) -> None:
        """End unless the fuzzer finds each deliberate mistake."""
        for name, message in CONTROLS.items():
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                (folder / "found").mkdir()
                options = [f"-atheris_runs={CONTROL_RUNS}", "-seed=1"]
                work = fuzzing(self.native, name, control(name), folder, options)
                _, status = os.waitpid(forked(work, folder / "log"), 0)
                log = (folder / "log").read_text(errors="replace")
            if status == 0 or message not in log:
                sys.exit(
                    f"the deliberate {name} was not found: the fuzzer is of no use\n{log[-2000:]}"
                )
            print(f"deliberate {name}: found", flush=True)

    def fuzz(self, names: list[str]) -> Iterator[Outcome]:
        """Fuzz the targets; what became of each, as it ends."""
        waiting, running = list(reversed(names)), {}
        while waiting or running:
            while waiting and len(running) < self.jobs:
                name = waiting.pop()
                made = tempfile.TemporaryDirectory()
                running[self.start(name, Path(made.name))] = (name, made, time.monotonic())
            pid, status = os.wait()
            name, made, begin = running.pop(pid)
            with made:
                outcome = self.end(name, status, Path(made.name))
            outcome.seconds = int(time.monotonic() - begin)
            print(outcome.line(), flush=True)
            yield outcome

    def start(self, name: str, folder: Path) -> int:
        """Fork a child that fuzzes from the committed inputs."""
        (folder / "found").mkdir()
        for at, data in enumerate(corpus.read(name)):
            (folder / "found" / f"committed-{at}").write_bytes(data)
        work = fuzzing(self.native, name, self.targets[name], folder, self.options)
        return forked(work, folder / "log")

    def end(self, name: str, status: int, folder: Path) -> Outcome:
        """Figures of a child that has ended; its inputs are kept where nothing was found."""
        log = (folder / "log").read_text(errors="replace")
        counts = (
            np.fromfile(folder / "counts", np.int64) if (folder / "counts").exists() else [0, 0]
        )
        code = os.waitstatus_to_exitcode(status)
        outcome = outcome_of(name, code, log, np.asarray(counts), folder)
        if not outcome.finding:
            work = minimising(self.native, name, self.targets[name], folder)
            _, status = os.waitpid(forked(work, folder / "minimised"), 0)
            if status == 0:
                self.edges |= set(np.fromfile(folder / "edges", np.int64).tolist())
            else:
                said = (folder / "minimised").read_text(errors="replace").rstrip()
                # The last line of a traceback says what it was.
                last = (said.splitlines() or [f"status {status}"])[-1]
                outcome.finding = f"{last}\n{said}"
            outcome.n_inputs = len(corpus.read(name))
        return outcome


def open_session(native: ModuleType, options: list[str], jobs: int) -> Session:
    """A session with everything loaded that a child needs."""
    warnings.simplefilter("ignore")
    import atheris  # noqa: F401

    return Session(native, options, jobs)

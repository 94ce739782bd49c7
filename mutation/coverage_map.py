"""Which test runs which line: each file of tests once, alone, under coverage.

A file alone, since much is computed once and kept: the first test that reads a metric traces its
formula, and every later test of the process uses what it left behind.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coverage
import pytest

from mutation.child import FEW, Child, start

SECONDS = 12
"""A file of tests is measured for so long; the tests that it did not reach are left out."""
SECONDS_OF = {"tests/corpus/test_corpus.py": 150}
"""Recorded calls are few tests, each of which is long."""


class Measured:
    """Plugin: the lines and the seconds of each test, written when the session ends."""

    def __init__(
        self, report: Path, root: Path, folders: Iterable[Path], seconds: float = SECONDS
    ) -> None:
        """Measure the sources in `folders`."""
        self.root = root
        self.limit = seconds
        self.report = report
        self.coverage = coverage.Coverage(
            data_file=None,
            config_file=False,
            source=[str(folder) for folder in folders],
            messages=False,
        )
        # A file of tests may run nothing of these sources.
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.began = time.process_time()
        self.coverage.start()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Some of every kind come first, since not all may be reached."""
        random.Random(0).shuffle(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """A context for each test; none is begun that the limit would end."""
        if time.process_time() - self.began > self.limit:
            item.session.shouldstop = "measured for long enough"
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()
        try:
            return (yield)  # type: ignore[return-value]
        finally:
            self.seconds[item.nodeid] = round(time.process_time() - began, 4)
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails or is skipped as things are tells nothing of a mutant."""
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was seen."""
        self.coverage.stop()
        data = self.coverage.get_data()
        tests = sorted(set(self.seconds) - self.failed)
        number = {test: index for index, test in enumerate(tests)}
        lines = {
            Path(name).relative_to(self.root).as_posix(): {
                line: sorted(number[c] for c in contexts if c in number)
                for line, contexts in data.contexts_by_lineno(name).items()
            }
            for name in data.measured_files()
        }
        total = time.process_time() - self.began
        seen = {"tests": [[test, self.seconds[test]] for test in tests], "lines": lines}
        setup = round(total - sum(self.seconds.values()), 3)
        self.report.write_text(json.dumps({**seen, "setup": setup}), encoding="utf-8")


@dataclass
class Seen:
    """What one file of tests runs."""

    name: str
    setup: float
    """Seconds to import it and karat."""
    tests: list[tuple[str, float]]
    lines: dict[str, dict[int, list[int]]] = field(repr=False)
    """Source file → line → tests; a line that only an import runs has none."""

    @classmethod
    def read(cls, name: str, stored: dict[str, Any]) -> Seen:
        """What was stored of a file of tests."""
        lines = {
            source: {int(line): tests for line, tests in of_source.items()}
            for source, of_source in stored["lines"].items()
        }
        return cls(name, stored["setup"], [tuple(test) for test in stored["tests"]], lines)


def measure(
    root: Path,
    files: list[Path],
    folders: list[Path],
    cache: Path,
    jobs: int,
    *,
    seconds_of_a_file: int | None = None,
) -> list[Seen]:
    """What each file of tests runs; measured again only when the file or a source has changed.

    Files with seconds of their own are no files of `tests`, and have no tiers.
    """
    cache.mkdir(parents=True, exist_ok=True)
    tiers = [path for path in (root / "tests/tiers.py", root / "tests/costs.json") if path.exists()]
    read = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    sources = digest([*read, *tiers])
    stored = {path: cache / f"{digest([path])}-{sources}.json" for path in files}
    waiting = [path for path in files if not stored[path].exists()]
    running: dict[Path, Child] = {}
    tier = ["--tier=test"] if tiers and seconds_of_a_file is None else []
    while waiting or running:
        while waiting and len(running) < jobs:
            path = waiting.pop(0)
            name = path.relative_to(root).as_posix()
            seconds = seconds_of_a_file or SECONDS_OF.get(name, SECONDS)
            running[path] = start(
                root,
                [*tier, name],
                cpu_seconds=15 * SECONDS + seconds,
                folder=cache,
                plugins=lambda report, limit=seconds: [Measured(report, root, folders, limit)],
                profile=FEW,
            )
        for path, child in list(running.items()):
            outcome = child.ended()
            if outcome is not None:
                del running[path]
                text = outcome.text or json.dumps({"tests": [], "lines": {}, "setup": 0})
                stored[path].write_text(text, encoding="utf-8")
                n_tests = len(json.loads(text)["tests"])
                name = path.relative_to(root)
                print(f"{name}: {n_tests} tests in {outcome.seconds:.0f} s", flush=True)
        time.sleep(0.02)
    return [
        Seen.read(path.relative_to(root).as_posix(), json.loads(stored[path].read_text("utf-8")))
        for path in files
    ]


def digest(paths: Iterable[Path]) -> str:
    """A name for the contents of files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(str(path).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]

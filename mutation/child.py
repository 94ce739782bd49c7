"""One run of pytest in a fork of a warm process, which has imported what every run needs."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
import pytest

WARM = ("numpy.testing", "numpy.random", "scipy.special", "_hypothesis_pytestplugin")
"""What nearly every test imports; never karat itself, which each child imports for itself."""

PROFILE = "mutants"
FEW = "mutants-measured"
GIBIBYTE = 1 << 30
MEMORY = 24 * GIBIBYTE  # of addresses, which the libraries of the oracles reserve generously
QUIET = [
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "_hypothesis_pytestplugin",
    "--tb=line",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
]


def warm_up() -> None:
    """Import what children share, and settle how they draw examples.

    The same examples on every run, none kept on disk, and none made smaller once a test fails.
    """
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = False
    for name in WARM:
        importlib.import_module(name)
    settings = hypothesis.settings(
        deadline=None,
        database=None,
        derandomize=True,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.register_profile(PROFILE, settings, max_examples=25)
    hypothesis.settings.register_profile(FEW, settings, max_examples=5)


class Loaded(importlib.abc.MetaPathFinder):
    """Finds one module where Python finds it, and runs other code in it."""

    def __init__(self, name: str, code: types.CodeType) -> None:
        """Have `code` run as the module `name`."""
        self.name, self.code = name, code

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """The specification of the other finders, with the code replaced."""
        if fullname != self.name:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                spec.loader.exec_module = self._run  # type: ignore[union-attr, method-assign]
                return spec
        return None

    def _run(self, module: types.ModuleType) -> None:
        exec(self.code, module.__dict__)  # noqa: S102


@dataclass
class Outcome:
    """How a child ended."""

    status: int | None
    """Exit status of pytest; None where a limit ended it."""
    seconds: float
    text: str
    """The first failure, as the child wrote it."""


class Chosen:
    """Plugin: of the collected files it runs the chosen tests, in their order."""

    def __init__(self, ids: Sequence[str], report: Path) -> None:
        """Run the tests with these ids; the failing one is written into `report`."""
        self.order = {test: number for number, test in enumerate(ids)}
        self.report = report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen tests, the most telling first."""
        kept = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(kept, key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed."""
        if report.failed:
            self.report.write_text(f"{report.nodeid} ({report.when})", encoding="utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note which file could not be imported."""
        if report.failed:
            self.report.write_text(f"{report.nodeid} (collected)", encoding="utf-8")


@dataclass
class Child:
    """A fork that runs pytest."""

    pid: int
    started: float
    patience: float
    report: Path

    def ended(self) -> Outcome | None:
        """How it ended; None while it runs within its patience."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        seconds = time.monotonic() - self.started
        if not pid:
            if seconds < self.patience:
                return None
            self.stop()
            return self._outcome(None, seconds)
        self._sweep()
        by_limit = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
            signal.SIGXCPU,
            signal.SIGKILL,
        )
        return self._outcome(None if by_limit else os.waitstatus_to_exitcode(status), seconds)

    def stop(self) -> None:
        """End it and all that it started."""
        self._sweep()
        os.waitpid(self.pid, 0)

    def _sweep(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _outcome(self, status: int | None, seconds: float) -> Outcome:
        text = self.report.read_text(encoding="utf-8") if self.report.exists() else ""
        self.report.unlink(missing_ok=True)
        return Outcome(status, seconds, text)


def start(
    root: Path,
    arguments: Sequence[str],
    *,
    cpu_seconds: float,
    folder: Path,
    plugins: Callable[[Path], list[Any]],
    module: tuple[str, types.CodeType] | None = None,
    profile: str = PROFILE,
) -> Child:
    """Fork, and run pytest on `arguments` in the child, with `module` replaced where one is given.

    The child has so many seconds of the processor and, for a lock that none ever opens, six
    times as many of the clock.
    """
    handle, name = tempfile.mkstemp(dir=folder, prefix="child-")
    report = Path(name)
    os.close(handle)
    report.unlink()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return Child(pid, time.monotonic(), 30 + 6 * cpu_seconds, report)
    status = 70
    try:
        os.setsid()
        _limit(cpu_seconds)
        _silence(report.with_suffix(".log"))
        os.chdir(root)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
        if module is not None:
            sys.meta_path.insert(0, Loaded(*module))
        status = int(
            pytest.main([*QUIET, f"--hypothesis-profile={profile}", *arguments], plugins(report))
        )
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        report.with_suffix(".log").unlink(missing_ok=True)
        os._exit(status)


def _limit(cpu_seconds: float) -> None:
    """End the child where it takes far more than its tests do, and before it takes all memory."""
    whole = int(cpu_seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _silence(log: Path) -> None:
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(target, 1)
    os.dup2(target, 2)
    os.close(target)

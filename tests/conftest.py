"""Settings of every test: skips that may not happen, and which tests a tier runs."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any, TypeVar

import hypothesis
import pytest

from tests.ids import named
from tests.optional import REQUIRED, is_required
from tests.tiers import TIERS, chosen

# Machines are shared: how long one example takes says nothing about the library.
hypothesis.settings.register_profile("karat", deadline=None)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=2000)
hypothesis.settings.load_profile("karat")

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, default=TIERS[-1], help="tests that are run")
    parser.addoption("--costs", metavar="FOLDER", help="write what every test costs into it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = chosen(items, config.getoption("tier"))
    if len(kept) < len(items):
        of_tier = set(map(id, kept))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in of_tier])
        items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    folder = item.config.getoption("costs")
    start = _processor_time()
    result = yield
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        file = Path(folder) / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.tsv"
        with file.open("a", encoding="utf-8") as costs:
            costs.write(f"{_processor_time() - start:.3f}\t{item.nodeid!r}\n")
    return result


def _processor_time() -> float:
    """Seconds of this process and of its children that ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return without_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return without_skip((yield))


def without_skip(report: Report) -> Report:
    """Turn a skip into a failure where KARAT_REQUIRE_OPTIONAL forbids it."""
    if is_required() and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped although {REQUIRED} is set: {reason(report.longrepr)}"
    return report


def reason(longrepr: Any) -> str:
    """Why a test was skipped: the last part of pytest's (file, line, reason)."""
    return str(longrepr[-1] if isinstance(longrepr, tuple) else longrepr)


def pytest_make_parametrize_id(config: pytest.Config, val: object) -> str | None:
    """An id without an address, so that every run collects the same names."""
    return named(val) if " at 0x" in repr(val) else None

"""Settings of every test: skips that may not happen, and which tests a tier runs."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

import hypothesis
import pytest

from tests.ids import named
from tests.optional import REQUIRED, is_required
from tests.tiers import TIERS, tier_of

# Machines are shared: how long one example takes says nothing about the library.
hypothesis.settings.register_profile("karat", deadline=None)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=2000)
hypothesis.settings.load_profile("karat")

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, default=TIERS[-1], help="tests that are run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    most = TIERS.index(config.getoption("tier"))
    kept = [item for item in items if TIERS.index(tier_of(item)) <= most]
    left_out = set(items).difference(kept)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = kept


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

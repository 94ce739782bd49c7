"""scikit-learn's own tests in a process of their own, and the records that a plugin keeps of them.

The hooks of pytest here are imported by each plugin. SHIPPED_RESULTS names the file for the
records: of each test the names it asked for, its outcome, and why it failed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.tracked import ROOT

Results = Mapping[str, Mapping[str, Any]]

seen: dict[str, dict[str, Any]] = {}
current: list[dict[str, Any]] = []


@contextmanager
def recorded(item: pytest.Item, **facts: Any) -> Iterator[None]:
    """Keep a record of a test while it runs; it is the last of `current`."""
    record: dict[str, Any] = {"names": set(), "outcome": "passed", "why": "", **facts}
    seen[item.nodeid] = record
    current.append(record)
    try:
        yield
    finally:
        current.pop()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    record = seen[report.nodeid]
    if report.outcome != "passed":
        record["outcome"] = report.outcome
        why = report.longrepr
        record["why"] = str(why[2] if isinstance(why, tuple) else why)[-3000:]


def pytest_sessionfinish() -> None:
    path = os.environ.get("SHIPPED_RESULTS")
    if path:
        plain = {key: value | {"names": sorted(value["names"])} for key, value in seen.items()}
        Path(path).write_text(json.dumps(plain), encoding="utf-8")


def run_shipped(folder: Path, plugin: str, files: Sequence[str], **settings: str) -> Results:
    """Run tests of scikit-learn with a plugin of this folder; the record of each by its id."""
    import sklearn

    (folder / "empty.ini").touch()
    results = folder / "results.json"
    package = Path(sklearn.__file__).parents[1]
    command = [
        sys.executable, "-m", "pytest", "-c", str(folder / "empty.ini"), "--rootdir", str(package),
        "-p", f"tests.oracles.{plugin}", "-p", "no:cacheprovider", "-q", "--tb=line",
        "-W", "ignore::pytest.PytestUnknownMarkWarning", "--pyargs", *files,
    ]  # fmt: skip
    paths = {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "SHIPPED_RESULTS": str(results)}
    run = subprocess.run(
        command, cwd=folder, env=os.environ | paths | settings, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert results.exists(), run.stdout + run.stderr
    records: Results = json.loads(results.read_text(encoding="utf-8"))
    return records

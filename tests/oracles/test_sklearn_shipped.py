"""scikit-learn's own tests, run on `karat.compat.sklearn` in its place.

A test counts when it called a replaced name, or was parametrized with one. It is excluded only
for one of REASONS, which is seen while it runs: nothing is excluded by name.
The control runs tests of each name again with its answers slightly wrong; some have to fail.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from tests.optional import optional
from tests.oracles.shipped import Results, run_shipped

sklearn = optional("sklearn")

from tests.oracles.shipped_plugin import NAMES  # noqa: E402

PLUGIN = "shipped_plugin"
FILES = (
    "sklearn.metrics.tests.test_classification",
    "sklearn.metrics.tests.test_ranking",
    "sklearn.metrics.tests.test_common",
    "sklearn.metrics.tests.test_score_objects",
    "sklearn.tests.test_calibration",
)
LEAST_COUNTED = 1912
CONTROLS = 40
"""Tests of one name that the control runs, at most."""

REASONS = {
    "array API": "scikit-learn skips it unless SCIPY_ARRAY_API is set: arrays on devices",
    "skipped": "scikit-learn skips it itself: the metric does not support the case",
}


def reason(record: Mapping[str, Any]) -> str | None:
    """Why a test is excluded; None if it counts."""
    if record["outcome"] != "skipped":
        return None
    return "array API" if "array" in record["why"].lower() else "skipped"


@pytest.fixture(scope="module")
def touching(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Every shipped test that touches a replaced name."""
    seen = run_shipped(tmp_path_factory.mktemp("shipped"), PLUGIN, FILES)
    return {test: record for test, record in seen.items() if record["names"]}


@pytest.fixture(scope="module")
def control(touching: Results, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Tests that passed, each with the answers of one of the names that it touches damaged."""
    passed = {
        test: record["names"] for test, record in touching.items()
        if record["outcome"] == "passed" and reason(record) is None
    }  # fmt: skip
    # Tests of one name first, and those of test_common last: most of them compare no values.
    order = sorted(passed, key=lambda test: (len(passed[test]), "test_common" in test))
    rarest = sorted(NAMES, key=lambda name: sum(name in names for names in passed.values()))
    to_damage: dict[str, str] = {}
    for name in rarest:
        free = [test for test in order if name in passed[test] and test not in to_damage]
        to_damage.update(dict.fromkeys(free[:CONTROLS], name))
    folder = tmp_path_factory.mktemp("control")
    (folder / "tests.json").write_text(json.dumps(to_damage), encoding="utf-8")
    return run_shipped(folder, PLUGIN, FILES, SHIPPED_TESTS=str(folder / "tests.json"))


def test_every_counted_test_passes(touching: Results) -> None:
    counted = {test: record for test, record in touching.items() if reason(record) is None}
    excluded = Counter(reason(record) for record in touching.values())
    del excluded[None]
    print(f"{len(counted)} counted, excluded: {dict(excluded)}")
    failed = {
        test: record["why"] for test, record in counted.items() if record["outcome"] != "passed"
    }
    assert failed == {}
    assert len(counted) >= LEAST_COUNTED


def test_every_exclusion_has_a_reason(touching: Results) -> None:
    excluded = Counter(reason(record) for record in touching.values())
    assert set(excluded) - {None} <= set(REASONS)
    unknown = [
        record["why"] for record in touching.values()
        if record["outcome"] == "skipped" and not record["why"].startswith("Skipped:")
    ]  # fmt: skip
    assert unknown == []


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_tested(name: str, touching: Results) -> None:
    assert any(name in record["names"] and reason(record) is None for record in touching.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_slightly_wrong_answer_fails(name: str, control: Results) -> None:
    outcomes = Counter(
        record["outcome"] for record in control.values() if record["damaged"] == name
    )
    assert outcomes["failed"] > 0, outcomes

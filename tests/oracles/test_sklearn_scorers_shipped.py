"""scikit-learn's own tests of scorers, run on `karat.scorer` in place of its own.

A test counts when it asked for a scorer by a name that karat has too. It is excluded only for one
of REASONS, which is seen in how it fails: nothing is excluded by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.optional import optional
from tests.oracles.shipped import Results, run_shipped

sklearn = optional("sklearn")

PLUGIN = "shipped_scorers_plugin"
FILES = (
    "sklearn.metrics.tests.test_score_objects",
    "sklearn.model_selection.tests.test_classification_threshold",
)
LEAST_COUNTED = 150

REASONS = {
    "asks for scikit-learn's own class": r"isinstance\(karat\.scorer\(.*, _Scorer\)",
    "caches predictions for its own class only: karat.scorers predicts once": (
        r"_expected_predict(_proba)?_count|assert 2 == 1$"
    ),
    "another message about the same missing method": (
        r"Expected regex: '\w+ has none of the following attributes'\s+"
        r"Actual message: .K313"
    ),
    "an average of areas ranks by margins too": r"DID NOT RAISE AttributeError",
    "an average over labels is part of the name": r"K220 .* is a metric|K220  \w+ is ",
    "log loss is never clipped": r"scorer d2_log_loss_score behaves identically .*-inf",
}


def _asked(records: Results) -> Results:
    """Those of the tests that asked for a scorer of karat."""
    return {test: record for test, record in records.items() if record["names"]}


def reason(record: Mapping[str, Any]) -> str | None:
    """Why a test that failed is excluded; None if it counts."""
    if record["outcome"] == "passed":
        return None
    found = (name for name, why in REASONS.items() if re.search(why, record["why"], re.DOTALL))
    return next(found, None)


@pytest.fixture(scope="module")
def touching(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return _asked(run_shipped(tmp_path_factory.mktemp("shipped"), PLUGIN, FILES))


def test_every_counted_test_passes(touching: Results) -> None:
    excluded = Counter(filter(None, map(reason, touching.values())))
    counted = [test for test, record in touching.items() if reason(record) is None]
    print(f"{len(counted)} counted, excluded: {dict(excluded)}")
    failed = {test: touching[test]["why"] for test in counted}
    failed = {test: why for test, why in failed.items() if touching[test]["outcome"] != "passed"}
    assert failed == {}
    assert len(counted) >= LEAST_COUNTED
    assert excluded.keys() == REASONS.keys()


def test_slightly_wrong_scores_fail(touching: Results, tmp_path: Path) -> None:
    wrong = _asked(run_shipped(tmp_path, PLUGIN, FILES, SHIPPED_DAMAGE="1"))
    passed = [test for test, record in touching.items() if record["outcome"] == "passed"]
    assert sum(wrong[test]["outcome"] == "failed" for test in passed) >= 20

"""The recorded calls as tests, one for each call: what the corpus alone notices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus import store
from tests.corpus.calls import CLUSTERS, GROUPS, Call, calls_of, in_a_folder
from tests.corpus.check import tolerance_here
from tests.corpus.differences import compare
from tests.corpus.outcome import outcome_of

PACKAGES = ("inference", "api", "data", "results")
"""Where the redesign moves code."""
SECONDS = 300
"""A group is measured for so long, which is enough for every call of it."""
CAP_SECONDS = 40.0
"""A mutant is run against calls that take so long together, and not against the rest."""
FILE = '''"""The calls of {group}."""

import pytest
from mutation.recorded_calls import test_of

pytestmark = pytest.mark.filterwarnings("ignore")
test_call = test_of({group!r})
'''


def files(root: Path, folder: Path) -> list[Path]:
    """Write a file of tests for each group, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"test_{group}.py" for group in GROUPS if group not in CLUSTERS]
    for path in paths:
        group = path.stem.removeprefix("test_")
        digest = _digest_of(root, group)
        path.write_text(FILE.format(group=group) + f"# {digest}\n", encoding="utf-8")
    return paths


def _digest_of(root: Path, group: str) -> str:
    """Name the calls and outcomes of a group, so that changed ones are measured again."""
    from mutation.coverage_map import digest

    folder = root / "tests" / "corpus"
    return digest([*sorted(folder.glob("*.py")), folder / "recorded" / f"{group}.xz"])


def test_of(group: str) -> Callable[[Call], None]:
    """Return a test of each call of a group, made alone in an empty folder."""
    recorded, tolerance = store.read(group), tolerance_here(group)

    @pytest.mark.parametrize("call", calls_of(group), ids=lambda call: call.id)
    def test_call(call: Call) -> None:
        with in_a_folder():
            outcome = outcome_of(call.run)
        comparison = compare(recorded[call.id], outcome, tolerance)
        assert not comparison.differences, comparison.differences[:3]

    return test_call

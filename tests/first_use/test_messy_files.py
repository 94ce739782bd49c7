"""`karat report FILE` without an option on messy files: the intended number, or a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.api import table_reports
from tests.first_use.messy import CASES, run
from tests.optional import optional

optional("click")
optional("duckdb")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_messy_file_is_right_or_asked(case: object, tmp_path: Path) -> None:
    found = run(case, tmp_path)  # type: ignore[arg-type]
    assert found.verdict in ("right", "asked"), found


def test_there_are_twenty_and_most_give_a_number() -> None:
    assert len(CASES) == 20
    assert sum(case.wanted is not None for case in CASES) >= 12


def test_a_number_that_is_not_intended_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = next(case for case in CASES if case.name == "score.csv")
    assert run(case, tmp_path).verdict == "asked"
    monkeypatch.setattr(table_reports, "check_found_scores", lambda *_: None)
    assert run(case, tmp_path).verdict == "wrong"

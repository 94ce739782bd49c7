"""What is kept of fuzzing: runs add up, and a finding asks for all of them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import record
from fuzz.outcome import Outcome


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, path in (("FOLDER", "."), ("RUNS", "runs.jsonl"), ("PAGE", "README.md")):
        monkeypatch.setattr(record, name, tmp_path / path)


def ended(name: str, n: int, finding: str = "") -> None:
    record.add(Outcome(name, n, n - 1, 7, 1, finding))


def test_runs_add_up() -> None:
    assert record.rest(["a", "b"], 100) == ["a", "b"]
    ended("a", 60)
    ended("b", 100)
    assert record.rest(["a", "b", "c"], 100) == ["a", "c"]
    ended("a", 40)
    assert record.rest(["a", "b", "c"], 100) == ["c"]
    page = record.page(["a", "b"])
    assert "2 targets, 200\nexecutions, the fewest of a target 100; 0 findings" in page
    assert "| a | 100 | 100 | 98 | 7 | 0 | 0 |" in page


def test_a_finding_begins_anew() -> None:
    ended("a", 500)
    ended("a", 20, "AddressSanitizer: heap\nmore")
    assert record.rest(["a"], 100) == ["a"]
    assert "| a | 520 | 520 | 518 | 7 | AddressSanitizer: heap | 0 |" in record.page(["a"])
    ended("a", 100)
    assert record.rest(["a"], 100) == []
    page = record.page(["a"])
    assert "0 findings" in page
    assert "\n1 in earlier runs" in page
    assert "| a | 620 | 620 | 617 | 7 | 0 | 1 |" in page


def test_what_never_ran_is_said() -> None:
    assert "| a | 0 | 0 | 0 | 0 | never run | 0 |" in record.page(["a"])
    assert "the fewest of a target 0" in record.page(["a"])


def test_runs_of_other_native_code_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(record.native()) == 12
    ended("a", 100)
    monkeypatch.setattr(record, "native", lambda: "other")
    assert "| a | 100 | 0 |" in record.page(["a"])


def test_the_input_of_a_finding_is_kept() -> None:
    ended("a", 20, "ERROR: libFuzzer: timeout\ninput CLwBlDe8CLw=\n#0 stack")
    ended("b", 20)
    assert [run.input for run in record.read()] == ["CLwBlDe8CLw=", ""]


def test_a_finding_that_is_gone_though_nothing_changed_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended("a", 20, "AddressSanitizer: heap")
    assert "Gone" not in record.page(["a"])
    monkeypatch.setattr(record, "native", lambda: "mended")
    ended("a", 100)
    assert "mended since. `runs" in record.page(["a"])
    ended("a", 30, "Traceback")
    ended("a", 100)
    page = record.page(["a"])
    assert "mended since but for those below the table. `runs" in page
    assert page.endswith(f"not\nexplained:\n\n- a, {record.read()[0].day}: Traceback\n")

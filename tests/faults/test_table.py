"""The table of `make faults`: a fault of any kind is a line of it, and the end is status 1."""

from __future__ import annotations

import sys

import pytest

from tests.faults import __main__ as table
from tests.faults import cases, interrupts


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> str:
    """The only work that is interrupted; nothing else goes wrong."""
    monkeypatch.setattr(sys, "argv", ["faults", "--n", "12", "--only", "interrupt"])
    monkeypatch.setattr(cases, "faults", lambda folder, n: iter(()))
    monkeypatch.setattr(interrupts, "WORK", {"a query": (0, "", "")})
    return "a query"


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was printed below the head of the table, with single spaces."""
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()[1:]]


def test_interrupts_that_end_well_are_counted(
    work: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(interrupts, "interrupted", lambda name, after: after)
    assert table.main() == 0
    assert shown(capsys) == [f"interrupt {work}: 270 ms at most 3 3"]


def test_an_interrupt_that_ends_badly_is_a_line_of_the_table(
    work: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def once(name: str, after: float) -> float:
        if after > 0.2:
            raise AssertionError(f"{name}: it was\na segmentation fault")
        return after

    monkeypatch.setattr(interrupts, "interrupted", once)
    assert table.main() == 1
    assert shown(capsys) == [
        f"{work}: it was a segmentation fault", f"interrupt {work}: 160 ms at most 3 2",
    ]  # fmt: skip


def test_interrupts_that_all_end_badly_have_no_time(
    work: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(name: str, after: float) -> float:
        raise TimeoutError("it did not end")

    monkeypatch.setattr(interrupts, "interrupted", never)
    assert table.main() == 1
    assert shown(capsys) == [*["it did not end"] * 3, f"interrupt {work} 3 0"]


def test_a_fault_that_is_not_survived_is_a_line_of_the_table(
    work: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise OSError

    one = cases.Fault("interrupted", "here", [fails, lambda: None])
    monkeypatch.setattr(cases, "faults", lambda folder, n: iter([one]))
    monkeypatch.setattr(interrupts, "interrupted", lambda name, after: after)
    assert table.main() == 1
    assert shown(capsys)[:2] == ["OSError", "interrupted here 2 1"]

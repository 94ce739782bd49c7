"""`python -m benchmarks`: what it refuses before it measures, and what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.optional import optional

optional("sklearn")
optional("matplotlib")
optional("polars")
optional("psutil")

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import docs_page, limits, machine, render  # noqa: E402
from benchmarks.case import CATBOOST, KARAT, PEER, Goal, Row  # noqa: E402
from benchmarks.page import Page  # noqa: E402
from benchmarks.timing import Time  # noqa: E402


@pytest.fixture(autouse=True)
def nothing_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def rows(peer: str, text: str) -> list[Row]:
        return [row("some case", 80, Goal(70))] if peer == PEER and text in "some case" else []

    monkeypatch.setattr(command, "rows_beside", rows)
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(machine, "facts", lambda: {"date": "2026-01-01"})
    monkeypatch.setattr(limits, "facts", dict)


def row(name: str, ratio: float, goal: Goal, peer: str = PEER) -> Row:
    return Row(name, goal, {KARAT: Time(1000, 1, 1), peer: Time(1000 * ratio, 1, 1)}, peer=peer)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "nosuch"], "no case is named 'nosuch'"),
        (["--only", "some", "--part", "threads"], "--only and --peer choose cases"),
        (["--peer", "torch", "--part", "cold"], "--only and --peer choose cases"),
        (["--only", "some", "--page", "speed.md"], "--page replaces every table"),
        (["--part", "cases", "--page", "speed.md"], "--page replaces every table"),
    ],
)
def test_what_cannot_be_run_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_what_does_not_fit_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*given: object) -> list[Row]:
        raise AssertionError("it was measured")

    monkeypatch.setattr(command, "rows_beside", measured)
    page = tmp_path / "speed.md"
    page.write_text("no mark")
    with pytest.raises(ValueError, match="no line"):
        command.main(["--page", str(page)])
    render.write(tmp_path, Page({"date": "2025-12-31"}))
    with pytest.raises(ValueError, match="of another date"):
        command.main(["--only", "some", "--keep", str(tmp_path / "2025-12-31.json")])


def test_a_few_cases_leave_the_results_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--only", "some"]) == 0
    assert "| some case |" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()
    assert command.main(["--only", "some", "--out", str(tmp_path / "few")]) == 0
    few = tmp_path / "few" / "2026-01-01.json"
    assert few.exists()
    assert command.main(["--only", "some", "--keep", str(few)]) == 0
    assert (tmp_path / "results" / "2026-01-01.md").exists()


def test_the_page_of_docs_says_what_is_below_its_floor(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text(docs_page.MARK)
    rows = [
        row("fast", 120, Goal(70, 105)),
        row("fair", 80, Goal(70, 105)),
        row("slow", 17.9, Goal(18), CATBOOST),
        row("free", 3, Goal()),
    ]
    docs_page.refresh(page, Page({"date": "2026-01-01"}, rows))
    text = page.read_text()
    assert "Below their floor: slow (CatBoost)." in text
    assert "| 120x | 70x | 105x |  | stretch reached |" in text
    assert "| 80x | 70x | 105x |  | floor met |" in text
    assert "| **17.9x** | 18x |  |  | **below floor** |" in text
    assert "| 3x |  |  |  |  |" in text


def test_a_ratio_shows_the_digits_that_its_floor_needs() -> None:
    assert [render.ratio(x) for x in (4.382, 17.87, 75, 254.3)] == [
        "4.38x", "17.9x", "75x", "254x",
    ]  # fmt: skip

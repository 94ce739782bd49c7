"""`python -m benchmarks`: what it refuses before it measures, and what it writes."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.architecture.tracked import ROOT
from tests.optional import optional

optional("sklearn")
optional("matplotlib")
optional("polars")
optional("psutil")

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import docs_page, limits, machine, render, scaling  # noqa: E402
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
        row("confusion, fast", 120, Goal(70, 105)),
        row("accuracy, fair", 80, Goal(70, 105)),
        row("slow", 17.9, Goal(18), CATBOOST),
        row("free", 3, Goal(), CATBOOST),
    ]
    docs_page.refresh(page, Page({"date": "2026-01-01"}, rows))
    text = page.read_text()
    assert "Below their floor: slow (CatBoost)." in text
    counts = "scikit-learn: counts and averages of labels"
    assert f"| {counts} | 2 | 100x | 80x | accuracy, fair | 2 of 2 |" in text
    assert "| CatBoost | 2 | 10.4x | 3x | free | 0 of 1 |" in text


RESULTS = ROOT / "benchmarks" / "results"
SPEED = ROOT / "docs" / "speed.md"


def refreshed(result: Page, out: Path) -> str:
    """The page of docs with the summary of a result."""
    page = out / "speed.md"
    page.write_text(SPEED.read_text(encoding="utf-8"), encoding="utf-8")
    docs_page.refresh(page, result)
    return page.read_text(encoding="utf-8")


def test_the_page_of_docs_is_that_of_the_newest_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaling, "figures", lambda curves: {"rows": "<svg/>"} if curves else {})
    monkeypatch.setattr(scaling, "figure_of_threads", lambda found: None)
    result, page = docs_page.newest(RESULTS), SPEED.read_text(encoding="utf-8")
    assert refreshed(result, tmp_path) == page
    for part in ("rows", "threads", "starts", "peaks", "array_peaks", "curves"):
        assert refreshed(replace(result, **{part: []}), tmp_path) != page, part
    other = replace(result.rows[-1], peer=CATBOOST)
    assert refreshed(replace(result, rows=[*result.rows[:-1], other]), tmp_path) != page


def test_every_case_is_counted_once() -> None:
    result = docs_page.newest(RESULTS)
    lines = [line.removeprefix("| ").split(" | ") for line in docs_page.short(result)]
    known = {docs_page.kind(one) for one in result.rows}
    counted = {cells[0]: int(cells[1]) for cells in lines if cells[0] in known}
    assert counted.keys() == known
    assert sum(counted.values()) == len(result.rows)
    small = [one.name for one in result.rows if "at most 1000" in docs_page.kind(one)]
    assert all(name.startswith("small: ") for name in small)


def test_the_page_of_all_cases_has_every_stored_figure() -> None:
    result = docs_page.newest(RESULTS)
    text = docs_page.every_case(result, SPEED.with_suffix(""))
    lines = Counter(text.splitlines())
    assert all(lines[render.markdown_row(one)] for one in result.rows)
    for told in render.sections(result).values():
        assert all(lines[line] for line in told)
    for path in SPEED.with_suffix("").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for cells in csv.reader(file):
                assert lines[f"| {' | '.join(cells)} |"] == 1, cells
    assert {"files", "comparisons"} <= set(docs_page.TABLES)
    fewer = docs_page.every_case(replace(result, rows=result.rows[1:]), SPEED.with_suffix(""))
    assert render.markdown_row(result.rows[0]) not in fewer.splitlines()


def test_a_ratio_shows_the_digits_that_its_floor_needs() -> None:
    assert [render.ratio(x) for x in (4.382, 17.87, 75, 254.3)] == [
        "4.38x", "17.9x", "75x", "254x",
    ]  # fmt: skip

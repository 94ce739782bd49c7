"""The benchmark of files compares with SQL before it times, and says what a ratio reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import files
from benchmarks.files import Cost


def test_a_small_run_prints_every_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert files.main(["--rows", "3000", "--rounds", "1", "--type", "double"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3,000 rows × 10 probabilities (double)")
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "DuckDB reads",
        "karat report --metrics log_loss",
        "karat report",
        "log_loss ÷ read",
        "report ÷ read",
    ]


@pytest.mark.parametrize("name", ["support", "log_loss", "roc_auc"])
def test_another_answer_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.parquet"
    files.write(path, 3000, "FLOAT")
    files.check(path)
    assert files.read(path) == 3000
    by_sql = files.by_sql

    def other(path: Path) -> dict[str, Any]:
        found = by_sql(path)
        if name == "support":
            found[name] = [*found[name][1:], found[name][0]]
        else:
            found[name] *= 1.0 + 1e-8
        return found

    monkeypatch.setattr(files, "by_sql", other)
    with pytest.raises(AssertionError, match="rows of classes" if name == "support" else name):
        files.check(path)


@pytest.mark.parametrize(
    ("seconds", "reached"),
    [(1.5, "stretch reached"), (1.6, "floor met"), (3.0, "floor met"), (3.1, "below floor")],
)
def test_what_a_ratio_reaches(seconds: float, reached: str) -> None:
    said = files.verdict(Cost(1.0, 1.0, 0), Cost(seconds, 2.0, 0))
    assert said.endswith(reached)


def test_times_are_the_least_of_the_rounds() -> None:
    found = Cost.least([Cost(2.0, 5.0, 7), Cost(3.0, 4.0, 9)])
    assert found == Cost(2.0, 4.0, 9)

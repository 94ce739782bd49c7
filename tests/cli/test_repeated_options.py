"""Options of one value that are given twice, files that are given twice, one file to compare."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat as library
from tests.cli.running import Karat


@pytest.fixture
def karat(capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.csv"
    lines = [f"{i % 2},{(i // 2) % 2},{i % 2}" for i in range(40)]
    path.write_text("\n".join(["y_true,old,new", *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["compare", "a.csv", "b.csv", "--pred", "x", "--pred", "y"], "--pred"),
        (["report", "a.csv", "--true", "y", "--pred", "x", "--true=z"], "--true"),
        (["report", "a.csv", "-o", "a.json", "--output", "b.json"], "--output"),
        (["gate", "a.csv", "--level", "0.9", "--level", "0.95"], "--level"),
        (["columns", "a.csv", "--weights", "w", "--weights", "v"], "--weights"),
        (["monitor", "s.json", "--undefined", "nan", "--undefined", "zero"], "--undefined"),
    ],
)
def test_an_option_of_one_value_is_not_given_twice(
    karat: Karat, words: list[str], name: str
) -> None:
    ran = karat(*words)
    assert ran.code == 2
    assert f"{name} takes one value and was given 2 times" in ran.err


def test_an_option_that_lists_values_says_how(karat: Karat) -> None:
    ran = karat("report", "a.csv", "--prob", "a", "--prob", "b")
    assert "Give it once, its values with commas between." in ran.err
    assert "SELECT * RENAME" in karat("compare", "a", "b", "--pred", "x", "--pred", "y").err


def test_options_that_are_lists_and_switches_are_repeated(karat: Karat, two: Path) -> None:
    ran = karat(
        *("report", two, "--pred", "new", "--metrics", "accuracy", "--metrics", "kappa"),
        *("--by", "old", "--by", "new"),
    )
    assert ran.code == 0
    assert "kappa" in ran.out


def test_the_same_file_beside_itself_is_a_doubt(karat: Karat, two: Path, tmp_path: Path) -> None:
    ran = karat("compare", two, two, "--pred", "new")
    assert ran.code == 0
    assert "D162" in ran.out
    other = tmp_path / "other.csv"
    other.write_text(two.read_text())
    assert "D162" not in karat("compare", two, other, "--pred", "new").out
    same = library.compare({"a": two, "b": two}, y_true="y_true", y_pred="new")
    assert [one.code for one in same.doubts] == ["D162"]
    columns = {"a": library.read(two, y_pred="old"), "b": library.read(two, y_pred="new")}
    assert [one.code for one in library.compare(columns).doubts] == []


def test_one_file_to_compare_leads_to_a_command_that_works(karat: Karat, two: Path) -> None:
    ran = karat("compare", two)
    assert ran.code == 2
    assert "--pred NAME,NAME" in ran.err
    told = karat("compare", two, "--pred", "old,new").err
    queries = [
        f"SELECT * EXCLUDE (old, new), {name} AS pred FROM '{two}'" for name in ("old", "new")
    ]
    assert all(query in told for query in queries)
    assert karat("compare", *queries).code == 0
    renamed = [f"SELECT * RENAME ({name} AS pred) FROM '{two}'" for name in ("old", "new")]
    assert karat("compare", *renamed).code == 0

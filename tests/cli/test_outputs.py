"""No output takes the place of what is read, however the command line names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Karat

ROWS = "id,y_true,y_pred\n1,1,1\n2,0,1\n3,0,0\n4,1,1\n"
TOLD = "is one of the files to read"
QUERIES = (
    "SELECT * FROM 'i1.csv'",
    "FROM 'i1.csv'",
    'SELECT * FROM "i1.csv"',
    "SELECT * FROM i1.csv",
    "SELECT * FROM i1 . csv",
    'SELECT * FROM "i1"."csv"',
    "SELECT * FROM './i1.csv'",
    "SELECT * FROM './/runs/../i1.csv'",
    "SELECT * FROM 'file://{folder}/i1.csv'",
    "SELECT * FROM '{folder}/i1.csv' AS a WHERE a.id < 9",
    "SELECT * FROM 'i?.csv'",
    "SELECT * FROM '*.csv'",
    "SELECT * FROM '**/i1.csv'",
    "SELECT * FROM 'link.csv'",
    "SELECT * FROM 'hard.csv'",
    "SELECT * FROM 'linked/*.csv'",
    "SELECT * FROM read_csv('i1.csv')",
    "SELECT * FROM read_csv(['i2.csv', 'i1.csv'])",
    "SELECT * FROM read_csv('.')",
    "SELECT a.* FROM 'i2.csv' AS a JOIN 'i1.csv' AS b USING (id)",
    "SELECT * FROM i2.csv UNION ALL SELECT * FROM i1.csv",
    "WITH t AS (SELECT * FROM 'i1.csv') SELECT * FROM t",
    "SELECT /* don't */ * FROM 'i1.csv'",
    "SELECT * -- don't\nFROM 'i1.csv'",
    "SELECT *, 'it''s' AS name FROM 'i1.csv'",
    "SELECT *, '--' AS name FROM 'i1.csv'",
)
OUTPUTS = (
    ("report", "-o"),
    ("report", "--checkpoint"),
    ("gate", "--junit"),
    ("gate", "--markdown"),
    ("gate", "--update-baseline"),
    ("compare", "-o"),
    ("compare", "--flips"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    for name in ("i1.csv", "i2.csv"):
        (tmp_path / name).write_text(ROWS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "linked").mkdir()
    (tmp_path / "link.csv").symlink_to("i1.csv")
    (tmp_path / "linked" / "a.csv").symlink_to("../i1.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "i1.csv")
    return tmp_path


@pytest.fixture
def karat(folder: Path, capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


def line(command: str, *sources: str) -> list[str]:
    """A command with what it needs."""
    if command == "compare":
        return [command, *sources, *(["i2.csv"] if len(sources) < 2 else []), "--ids", "id"]
    return [command, *sources, *(["--min", "accuracy=0.1"] if command == "gate" else [])]


def named(command: str, option: str, path: str) -> list[str]:
    """An output and, where its ending does not say it, the format."""
    has_format = option == "-o" and command in ("report", "compare")
    return [option, path, *(["--format", "json"] if has_format else [])]


@pytest.mark.parametrize("query", QUERIES)
def test_a_report_never_replaces_what_its_query_reads(
    karat: Karat, folder: Path, query: str
) -> None:
    text = query.format(folder=folder)
    ran = karat("report", text, *named("report", "-o", "i1.csv"))
    assert (folder / "i1.csv").read_text() == ROWS
    assert (ran.code, ran.out) == (2, "")
    assert f"-o i1.csv {TOLD}" in ran.err


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
@pytest.mark.parametrize(
    "sources",
    [
        ["SELECT * FROM 'i1.csv'"],
        ["i2.csv", "--where", "id IN (SELECT id FROM 'i1.csv')"],
        ["i2.csv", "--where", "id IN (FROM i1.csv SELECT id)"],
        ["i[1].csv"],
        ["linked"],
        ["linked/*.csv"],
        ["i1.csv"],
    ],
)
def test_no_output_replaces_what_is_read(
    karat: Karat, folder: Path, command: str, option: str, sources: list[str]
) -> None:
    first, *others = sources
    if command == "compare" and others:
        others = ["i2.csv", *others]
    call = [*line(command, first), *others[command == "compare" and bool(others) :]]
    ran = karat(*call, *named(command, option, "i1.csv"))
    assert (folder / "i1.csv").read_text() == ROWS
    assert (ran.code, ran.out) == (2, "")
    assert f"{option} i1.csv {TOLD}" in ran.err


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--update-baseline"])
def test_the_query_of_a_baseline_is_read_too(karat: Karat, folder: Path, option: str) -> None:
    query = "SELECT * FROM 'i1.csv'"
    ran = karat(*line("gate", "i2.csv"), "--baseline", query, option, "i1.csv")
    assert (folder / "i1.csv").read_text() == ROWS
    assert f"{option} i1.csv {TOLD}" in ran.err


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM 'i1.csv'",
        "SELECT *, 'a*b' AS name FROM 'i1.csv' WHERE id < 9",
        "SELECT * FROM read_csv('i1.csv') AS old",
        "SELECT *, split_part('a/b.c', '/', 1) AS u, split_part('a.b', '.', 1) AS v FROM i1.csv",
    ],
)
def test_what_a_query_does_not_read_is_replaced(karat: Karat, folder: Path, query: str) -> None:
    for name in ("new.html", "old.html"):
        (folder / "old.html").write_text("earlier")
        ran = karat("report", query, "-o", name)
        assert (ran.code, ran.err.endswith(f"Wrote {name}.\n")) == (0, True), ran.err
        assert (folder / name).read_text().startswith("<!")


def test_a_report_beside_the_files_of_a_folder_is_replaced(karat: Karat, folder: Path) -> None:
    (folder / "runs" / "a.csv").write_text(ROWS)
    for source in ("runs", "runs/*", "runs/*.csv"):
        for _ in range(2):
            assert karat("report", source, "-o", "runs/report.html").code == 0


def test_the_checkpoint_is_no_other_output(karat: Karat) -> None:
    ran = karat("report", "i1.csv", "-o", "new.json", "--checkpoint", "new.json")
    assert ran.code == 2
    assert "-o and --checkpoint name one file, new.json." in ran.err

"""Every bad file, column and label gives one clear error, and nothing is left open or behind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.data.sources.files import duck, row_blocks
from karat.data.sources.files.counted import survey_files
from karat.errors import KaratError
from tests.sources.counting import tally_files
from tests.sources.writing import TEN, duckdb, write_csv, write_json, write_parquet, write_rows


def refused(source: Any, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        tally_files(source, **options)
    return caught.value


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


BAD_FILES: Mapping[str, tuple[str, str | bytes, str, str]] = {
    "empty csv": ("p.csv", "", "K402", "0 bytes"),
    "empty parquet": ("p.parquet", "", "K402", "0 bytes"),
    "header only": ("p.csv", "label,pred\n", "K402", "0 rows"),
    "blank first line": ("p.csv", "\nlabel,pred\n", "K402", "no header"),
    "not parquet": ("p.parquet", "label,pred\n0,1\n", "K403", "with 'label,pr'"),
    "not gzip": ("p.csv.gz", "label,pred\n0,1\n", "K403", "it is not gzip"),
    "half a gzip": ("p.csv.gz", b"\x1f\x8b\x08\x00\x00", "K403", "end-of-stream"),
    "too many fields": ("p.csv", "label,pred\n0,1\n1,0,1\n", "K403", "line 3 has 3 fields"),
    "too few fields": ("p.csv", "label,pred\n0,1\n1\n", "K403", "line 3 has 1 fields"),
    "open quote": ("p.csv", 'label,pred\n"0,1\n1,0\n', "K403", "line 2 opens a quote"),
    "latin-1": ("p.csv", b"label,pred\n\xe9,a\n", "K403", "line 2 is not UTF-8 text"),
    "utf-16": ("p.csv", "label,pred\n0,1\n".encode("utf-16"), "K403", "not UTF-8"),
    "mixed line ends": ("p.csv", "label,pred\r\n0,1\n1,1\r\n", "K403", "line endings are mixed"),
    "half a json": ("p.jsonl", '{"label": 1, "pred": 1}\n{"label": 1, "pr\n', "K403", "malformed"),
    "numbers in json": ("p.json", "[1, 2]", "K403", "no objects with columns"),
    "spreadsheet": ("p.xlsx", "PK", "K411", "p.xlsx"),
    "compressed parquet": ("p.parquet.gz", "x", "K411", "p.parquet.gz"),
    "no such columns": ("p.csv", "a,b\n0,1\n", "K406", "Columns: 'a', 'b'"),
    "two truths": ("p.csv", "pred,label,y\n0,1,1\n", "K405", "'label', 'y'"),
    "two predictions": ("p.csv", "pred,label,y_pred\n0,1,1\n", "K405", "'pred', 'y_pred'"),
    "two weights": (
        "p.csv",
        "pred,label,sample_weight,case_weight\n0,1,1,1\n",
        "K405",
        "'sample_weight', 'case_weight'",
    ),
    "same column twice": ("p.csv", "pred,label,label\n0,1,1\n", "K405", "'label', 'label'"),
    "scores": ("p.csv", "label,prediction\n0,0.25\n1,1\n", "K407", "row 0: 0.25"),
    "text weights": (
        "p.csv",
        "label,pred,case_weight\n0,1,1\n1,0,x\n",
        "K116",
        "Its type is VARCHAR",
    ),
    "negative weight": (
        "p.csv",
        "label,pred,sample_weight\n0,1,1\n1,0,-1\n0,0,-2\n",
        "K113",
        "row 1: -1.0; 2",
    ),
    "missing weight": (
        "p.csv",
        "label,pred,sample_weight\n0,1,1\n1,0,\n0,0,nan\n",
        "K114",
        "1: nan; 2 of 3",
    ),
    "weights of zero": ("p.csv", "label,pred,sample_weight\n0,1,0\n1,0,0\n", "K115", "All 2 rows"),
    "missing truth": ("p.csv", "label,pred\n0,1\n,0\n,1\n", "K104", "row 1; 2 of 3 rows"),
    "missing prediction": ("p.csv", "label,pred\na,\nb,b\n", "K104", "Column 'pred'"),
    "json null": ("p.jsonl", '{"label": 1, "pred": null}\n{"label": 1}\n', "K104", "row 0; 2 of 2"),
    "json list": ("p.jsonl", '{"label": 1, "pred": [1]}\n{"label": 1, "pred": 1}', "K106", "[1]"),
    "json mixed": ("p.jsonl", '{"label": 1, "pred": 1}\n{"label": "1", "pred": 1}', "K107", "w 1"),
    "json kinds": ("p.jsonl", '{"label": 1, "pred": "1"}', "K108", "strings ('1')"),
    "json fraction": ("p.jsonl", '{"label": 1, "pred": 0.5}', "K407", "row 0: 0.5"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_clear_error(name: str, tmp_path: Path) -> None:
    file_name, content, code, told = BAD_FILES[name]
    problem = refused(written(tmp_path / file_name, content))
    assert problem.code == code, problem
    assert told in str(problem)


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        (slice(0, 100), "cut off"),
        (slice(0, -100), "cut off"),
        (slice(5000, None), "does not start as Parquet"),
    ],
)
def test_a_part_of_a_parquet_file(cut: slice, told: str, tmp_path: Path) -> None:
    rows = "SELECT (random() * 9)::INT AS label, (random() * 9)::INT AS pred FROM range(20000)"
    whole = write_rows(tmp_path / "whole.parquet", rows).read_bytes()
    problem = refused(written(tmp_path / "p.parquet", whole[cut]))
    assert problem.code == "K403"
    if told == "cut off":
        assert told in str(problem)


def test_a_parquet_file_with_a_hole(tmp_path: Path) -> None:
    rows = "SELECT (random() * 9)::INT AS label, (random() * 9)::INT AS pred FROM range(20000)"
    whole = write_rows(tmp_path / "whole.parquet", rows).read_bytes()
    problem = refused(written(tmp_path / "p.parquet", whole[:1000] + whole[3000:]))
    assert problem.code == "K403"
    assert "p.parquet" in str(problem)


def test_what_does_not_exist(tmp_path: Path) -> None:
    assert refused(tmp_path / "p.csv").code == "K401"
    assert refused([str(tmp_path / "p.csv")]).code == "K401"
    assert refused(str(tmp_path / "*.csv")).code == "K409"
    assert refused(tmp_path).code == "K409"
    assert refused([]).code == "K409"
    assert "not on this machine" in str(refused("s3://bucket/p.parquet"))


def test_a_file_named_twice_would_count_twice(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    os.symlink(path, tmp_path / "q.csv")
    assert "named twice" in str(refused([path, path]))
    assert "named twice" in str(refused(tmp_path))


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "permission denied" in str(refused(path))


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT label, pred FROM nothing", "nothing"),
        ("SELECT label, pred FORM range(3)", "syntax error"),
        ("SELECT 1 AS label, 2 AS pred; SELECT 3", "2 statements"),
        ("WITH a AS (SELECT 1) INSERT INTO b SELECT 1", "It is INSERT"),
        ("FROM 'https://example.org/p.parquet'", "httpfs"),
        ("SELECT error('broken ' || range) AS label, 1 AS pred FROM range(3)", "broken 0"),
    ],
)
def test_a_query_that_fails(query: str, told: str) -> None:
    problem = refused(query)
    assert problem.code == "K408"
    assert told in str(problem)


def test_a_query_with_no_rows_or_among_files(tmp_path: Path) -> None:
    assert refused("SELECT 1 AS label, 1 AS pred WHERE false").code == "K402"
    assert refused([str(tmp_path), "SELECT 1 AS label, 1 AS pred"]).code == "K422"


def test_a_query_cannot_see_the_caller() -> None:
    hidden = {"label": [1], "pred": [1]}
    assert refused("SELECT * FROM hidden").code == "K408"
    assert hidden


def test_a_filter_that_fails_or_keeps_nothing(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    problem = refused(path, where="lable > 0")
    assert problem.code == "K408"
    assert "The condition 'lable > 0' fails: Referenced column \"lable\" not found" in str(problem)
    assert "LINE" not in str(problem)
    assert refused(path, where="label > ").code == "K408"
    problem = refused(path, where="label > 7")
    assert problem.code == "K402"
    assert "no row where label > 7" in str(problem)


def test_all_rows_dropped(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "label,pred\n,1\n0,\n")
    assert "2 rows, and all have a missing label" in str(refused(path, nulls="drop"))


def test_files_that_do_not_agree(tmp_path: Path) -> None:
    a = write_csv(tmp_path / "a.csv", {"label": [1], "pred": [1]})
    b = write_csv(tmp_path / "b.csv", {"label": [1], "guess": [1]})
    problem = refused([a, b])
    assert problem.code == "K410"
    assert "has no column 'pred'" in str(problem)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"label": ["1"], "pred": [1]}, "Column 'label' is"),
        ({"pred": [1]}, "has no column 'label'"),
    ],
)
def test_parquet_files_that_do_not_agree(
    columns: Mapping[str, Any], told: str, tmp_path: Path
) -> None:
    a = write_parquet(tmp_path / "a.parquet", {"label": [1], "pred": [1]})
    b = write_parquet(tmp_path / "b.parquet", columns)
    problem = refused([a, b])
    assert problem.code == "K410"
    assert told in str(problem)


def test_kinds_of_columns_that_do_not_agree(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "p.parquet", {"label": ["7"], "pred": [7]})
    assert "'label' holds strings ('7')" in str(refused(path))
    dates = write_parquet(
        tmp_path / "d.parquet", {"label": ["2026-01-01"], "pred": [7]}, label="DATE"
    )
    assert "'label' holds strings ('2026-01-01')" in str(refused(dates))
    mixed = [write_csv(tmp_path / "a.csv", {"label": ["x"], "pred": [1]}), path]
    assert refused(mixed).code in ("K108", "K410")


def test_wrong_names_of_columns(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", TEN)
    assert "Nearest: 'label'" in str(refused(path, true="lable"))
    assert refused(path, true="label", pred="label").code == "K157"


def test_labels_outside_are_found_wherever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_blocks, "N_BLOCK", 3)
    path = write_csv(tmp_path / "p.csv", TEN)
    assert "Column 'label'" in str(refused(path, labels=[0, 1, 2]))
    assert "row 9: 3; 1 of 10 rows" in str(refused(path, labels=[0, 1, 2]))
    swapped = refused(path, true="pred", pred="label", labels=[0, 1, 2])
    assert (swapped.context["argument"], swapped.context["row"]) == ("column 'label'", 9)
    # Labels of text say that a CSV holds text.
    texts = ("3", "0", "1", "2")
    assert tally_files(path, labels=texts).cells.classes.labels == texts
    assert refused(path, labels=[0, 0]).code == "K110"
    assert refused(path, positive=1).code == "K112"


def test_rows_of_errors_count_over_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_blocks, "N_BLOCK", 4)
    a = write_csv(tmp_path / "a.csv", {**TEN, "sample_weight": [1.0] * 10})
    b = written(tmp_path / "b.csv", "label,pred,sample_weight\n1,1,1\n1,,1\n1,1,-1\n,1,1\n1,1,-3\n")
    assert "Column 'pred' has missing labels.\n      First at row 11; 1 of 15" in str(
        refused([a, b], weights="")
    )
    c = written(
        tmp_path / "c.csv", "label,pred,sample_weight\n1,1,1\n1,0,1\n1,1,-1\n0,1,1\n1,1,-3\n"
    )
    assert "First at row 12: -1.0; 2 of 15" in str(refused([a, c]))
    d = written(tmp_path / "d.csv", "label,pred,sample_weight\n1,1,1\n1,0.5,1\n")
    assert "First at row 11: 0.5" in str(refused([a, d], weights=""))


def test_late_surprises_in_a_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.data.sources.files.readers.N_SAMPLE", 2)
    path = written(tmp_path / "p.csv", "label,pred\n1,1\n0,0\n1,0.5\n")
    assert "First at row 2: 0.5" in str(refused(path))
    path = written(tmp_path / "q.csv", "label,pred\n1,1\n0,0\n1,nan\n")
    assert refused(path).code == "K104"
    path = written(tmp_path / "r.csv", "label,pred\n1,1\n0,0\n1,none of them\n")
    assert tally_files(path).cells.classes.labels == ("0", "1", "none of them")
    path = written(tmp_path / "s.csv", "label,pred\n1.0,1\n0,0\nx,1\n")
    found = tally_files(path)
    assert found.cells.classes.labels == ("0", "1", "1.0", "x")
    assert (
        "'1' and '1.0' differ only in how a number is written" in karat.evaluate(path).warnings[0]
    )


def test_interruption_is_passed_on_and_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    connect = duckdb.connect

    class Watched:
        def __init__(self, **options: Any) -> None:
            self.real = connect(**options)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        def close(self) -> None:
            closed.append("closed")
            self.real.close()

    monkeypatch.setattr(duckdb, "connect", Watched)
    path = write_csv(tmp_path / "p.csv", TEN)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tally_files(path, progress=interrupt)
    assert closed == ["closed"]
    refused(path, labels=[0, 1])
    survey_files(path)
    assert closed == ["closed"] * 3


def test_an_interrupted_query_is_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt), duck.explaining((), has_sql=True):
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="something else"), duck.explaining((), has_sql=True):
        raise RuntimeError("something else")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    path = write_json(tmp_path / "p.jsonl", TEN)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    import threading

    writer = threading.Thread(target=pipe.write_bytes, args=(path.read_bytes(),))
    writer.start()
    assert refused(pipe, true="lable").code == "K404"
    writer.join()
    tally_files(
        "SELECT range % 3 AS label, range % 2 AS pred FROM range(100000) ORDER BY hash(range)"
    )
    assert list((tmp_path / "tmp").iterdir()) == []
    assert sorted(item.name for item in tmp_path.iterdir()) == ["p.jsonl", "pipe", "tmp"]


def test_memory_and_threads_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "SELECT current_setting('memory_limit'), current_setting('threads')"
    with duck.connected(64) as connection:
        assert connection.execute(sql).fetchall() == [("953.6 MiB", duck.N_THREADS_MAX)]
    monkeypatch.setenv("KARAT_NUM_THREADS", "1")
    with duck.connected() as connection:
        assert connection.execute(sql).fetchall() == [("953.6 MiB", 1)]

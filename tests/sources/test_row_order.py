"""Rows come in one order: of the files and in them, whatever the filter and the threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import karat
from karat.data.sources.files.duck import connected
from karat.data.sources.files.sql import keep_order
from karat.errors import KaratError
from tests.sources.counting import tally_files

N = 400_000
STEP = 199
BAD = 1507 * STEP
LONG_LIST = ", ".join(f"'{i}'" for i in range(0, N, STEP))


def threads_after(sql: str) -> int:
    with connected(4) as connection:
        keep_order(connection, sql)
        return int(connection.execute("SELECT current_setting('threads')").fetchall()[0][0])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("ordered")
    y = np.ones(N, np.int64)
    table = pa.table(
        {"id": np.arange(N).astype(str), "label": y, "pred": y, "sample_weight": y * 1.0}
    )
    bad = table.set_column(3, "sample_weight", pa.array(np.where(np.arange(N) == BAD, -1.0, 1.0)))
    pq.write_table(table, folder / "a.parquet", row_group_size=20_000)
    pq.write_table(bad, folder / "b.parquet", row_group_size=20_000)
    rows = [f"{i},1,1,{w}\n" for i, w in enumerate(bad["sample_weight"].to_numpy())]
    text = "id,label,pred,sample_weight\n" + "".join(rows)
    pq.write_table(table, folder / "b2.parquet")
    (folder / "c.csv").write_text(text)
    return {
        "a": folder / "a.parquet",
        "b": folder / "b.parquet",
        "b2": folder / "b2.parquet",
        "c": folder / "c.csv",
    }


@pytest.mark.parametrize(
    ("sql", "is_kept"),
    [
        ("SELECT i + 1 FROM range(9) t(i) WHERE i > 3", True),
        ("SELECT i FROM range(9) t(i) UNION ALL SELECT i FROM range(3) t(i)", True),
        ("SELECT * FROM (SELECT i FROM range(9) t(i) ORDER BY i DESC) LIMIT 3", True),
        ("SELECT i FROM range(9) t(i) WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)", False),
        ("SELECT i FROM range(9) t(i) JOIN range(3) s(j) ON i = j", False),
        ("SELECT DISTINCT i FROM range(9) t(i)", False),
        ("SELECT i FROM range(9) t(i) USING SAMPLE 3", False),
        ("SELECT i FROM range(9) t(i) JOIN range(3) s(j) ON i = j ORDER BY i", False),
    ],
)  # fmt: skip
def test_plans_that_only_scan_and_compute_keep_their_threads(sql: str, is_kept: bool) -> None:
    assert threads_after(sql) == (4 if is_kept else 1)


def test_own_reads_keep_their_threads(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[int] = []

    def watched(connection: object, sql: str) -> None:
        seen.append(threads_after(sql))

    monkeypatch.setattr("karat.data.sources.files.counted.keep_order", watched)
    monkeypatch.setattr("karat.data.sources.files.reader.keep_order", watched)
    scored = tmp_path / "s.csv"
    scored.write_text("label,p_1,p_2,sample_weight\n1,0.5,0.5,1\n2,0.5,0.5,2\n")
    lines = tmp_path / "s.jsonl"
    lines.write_text('{"label": 1, "pred": 1, "sample_weight": 2}\n')
    karat.evaluate(str(scored), weights="sample_weight")
    tally_files(str(lines))
    tally_files([str(lines), str(files["a"])])
    tally_files(str(files["a"]), where="id > '5'")
    tally_files([str(files["a"]), str(files["b2"])], unique="")
    tally_files(str(files["c"]), where="sample_weight > 0")
    assert seen == [4] * 6


def refused(source: list[Path], where: str | None) -> str:
    with pytest.raises(KaratError) as caught:
        tally_files([str(path) for path in source], where=where, n_threads=4, unique="")
    return str(caught.value)


@pytest.mark.parametrize("last", ["b", "c"])
def test_rows_are_numbered_alike_whatever_the_filter(files: dict[str, Path], last: str) -> None:
    source = [files["a"], files[last]]
    assert f"First at row {N + BAD}: -1.0; 1 of {2 * N}" in refused(source, None)
    long_list = f"id IN ({LONG_LIST})"
    if last == "c":
        long_list = f"id::VARCHAR IN ({LONG_LIST})"
    n_kept = len(range(0, N, STEP))
    at = n_kept + BAD // STEP
    for _ in range(5):
        assert f"First at row {at}: -1.0; 1 of {2 * n_kept}" in refused(source, long_list)

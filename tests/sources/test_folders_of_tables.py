"""Folders as lakes and clusters leave them: logs of current files, damaged parts, wide files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.data.sources.files.counted import families, opened
from karat.data.sources.files.duck import connected
from karat.errors import KaratError
from tests.optional import optional

pa, pq = optional("pyarrow"), optional("pyarrow.parquet")
LOGS = {
    "Delta Lake": "_delta_log/00000000000000000000.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Iceberg": "metadata/v1.metadata.json",
}
ROWS = {"label": np.arange(3000) % 2, "pred": np.arange(3000) % 3 % 2, "p": np.arange(3000) / 3000}


def table_of(folder: Path, kind: str) -> Path:
    log = folder / "table" / LOGS[kind]
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    for name in ("data", "day=1"):
        part = folder / "table" / name / "a.parquet"
        part.parent.mkdir()
        pq.write_table(pa.table(ROWS), part)
    return folder / "table"


@pytest.mark.parametrize("kind", LOGS)
@pytest.mark.parametrize("part", ["", "data", "day=1", "data/*.parquet", "**/*.parquet", ".."])
def test_a_table_with_a_log_is_no_folder_of_files(kind: str, part: str, tmp_path: Path) -> None:
    table = table_of(tmp_path, kind)
    with pytest.raises(KaratError, match="K433") as caught:
        karat.evaluate(str(table / part))
    assert kind in str(caught.value)
    # The current files can be listed.
    assert karat.evaluate([str(table / "data" / "a.parquet")]).n_rows == 3000


def test_a_folder_that_is_called_metadata_is_one_of_files(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    pq.write_table(pa.table(ROWS), tmp_path / "metadata" / "a.parquet")
    assert karat.evaluate(str(tmp_path)).n_rows == 3000


@pytest.mark.parametrize("compression", ["gzip", "snappy", "zstd", "none"])
@pytest.mark.parametrize("where", [None, "p >= 0"])
def test_a_damaged_part_of_a_folder_is_named(
    compression: str, where: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from karat.cli import main

    for i in range(3):
        pq.write_table(pa.table(ROWS), tmp_path / f"part{i}.parquet", compression=compression)
    damaged = tmp_path / "part1.parquet"
    data = bytearray(damaged.read_bytes())
    # The pages of the first two columns.
    data[4:400] = np.random.default_rng(1).integers(0, 256, 396, np.uint8).tobytes()
    damaged.write_bytes(data)
    code = main(["report", str(tmp_path), *(["--where", where] if where else [])])
    told = capsys.readouterr().err
    assert code == 2
    assert "K403" in told
    assert str(damaged) in told


def test_unsigned_labels_beyond_int64_are_read_as_from_arrow(tmp_path: Path) -> None:
    label = np.array([2**63, 2**63 + 5, 7, 2**64 - 1] * 5, np.uint64)
    table = pa.table({"label": label, "pred": np.where(np.arange(20) % 3, label, label[::-1])})
    pq.write_table(table, tmp_path / "a.parquet")
    read, given = karat.evaluate(str(tmp_path / "a.parquet")), karat.evaluate(table)
    assert read.labels == given.labels == (7, 2**63, 2**63 + 5, 2**64 - 1)
    assert read.confusion.matrix.tolist() == given.confusion.matrix.tolist()


def test_columns_of_a_wide_file_are_described_in_linear_time(tmp_path: Path) -> None:
    path, k = tmp_path / "wide.csv", 20_000
    names = ",".join(f"x{i}" for i in range(k))
    path.write_text(f"label,pred,{names}\n0,1,{'1,' * (k - 1)}1\n", "utf-8")
    with opened(str(path), None) as relation:
        begun = time.process_time()
        found = families(relation)
        took = time.process_time() - begun
    assert len(found) == k + 2
    assert took < 3, took  # by pairs of columns it takes a minute


_SPILL = """
import sys, time
from karat.data.sources.files.duck import connected
with connected(1):
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot tell what was left behind")
def test_the_empty_folder_of_a_killed_process_goes_with_the_next_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", _SPILL], env=environment, stdout=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        run.stdout.readline()
        assert len(list(tmp_path.glob("karat-spill-*"))) == 1
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with connected(1):
            # That of a process that runs stays.
            assert len(list(tmp_path.glob("karat-spill-*"))) == 2
        run.kill()
        run.wait()
    with connected(1):
        assert len(list(tmp_path.glob("karat-spill-*"))) == 1
    assert list(tmp_path.glob("karat-spill-*")) == []

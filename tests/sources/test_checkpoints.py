"""Checkpoints of a long read: resumed, refused, written whole."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karat
from karat.data.sources.files import large as checkpoints
from karat.data.sources.files import paths
from karat.data.sources.files import units as unit_cuts
from karat.data.sources.files.units import FileUnits
from karat.errors import KaratError
from karat.tally.serialization import framed, unframed
from tests.grouping import grouped
from tests.sources.big_sets import LEAST, write_files


def test_a_checkpoint_answers_again_and_refuses_another_read(tmp_path: Path) -> None:
    files, path = write_files(tmp_path, n=20_000), tmp_path / "read.checkpoint"
    first = karat.evaluate(files, reading=karat.Reading(max_memory=LEAST, checkpoint=path))
    again = karat.evaluate(files, reading=karat.Reading(max_memory=LEAST, checkpoint=path))
    assert again.to_json() == first.to_json()
    for changed in ({"max_memory": 2 * LEAST}, {"weights": "w"}, {"labels": [2, 1, 0]}):
        with pytest.raises(KaratError) as problem:
            karat.evaluate(files, **grouped({"max_memory": LEAST, "checkpoint": path, **changed}))
        assert problem.value.code == "K414", changed
    data = path.read_bytes()
    path.write_bytes(data[:-7])
    with pytest.raises(KaratError) as problem:
        karat.evaluate(files, reading=karat.Reading(max_memory=LEAST, checkpoint=path))
    assert problem.value.code == "K414"
    path.write_bytes(data)
    # Another time alone is no change.
    os.utime(tmp_path / "part_1.parquet", (1, 1))
    assert (
        karat.evaluate(files, reading=karat.Reading(max_memory=LEAST, checkpoint=path)).to_json()
        == first.to_json()
    )


def test_a_file_that_changed_is_named(tmp_path: Path) -> None:
    files, path = write_files(tmp_path), tmp_path / "read.checkpoint"
    karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    changed = tmp_path / "part_2.parquet"
    before, times = changed.read_bytes(), (changed.stat().st_atime_ns, changed.stat().st_mtime_ns)
    # The last byte before the footer is one of a column.
    place = len(before) - 9 - int.from_bytes(before[-8:-4], "little")
    changed.write_bytes(before[:place] + bytes([before[place] ^ 1]) + before[place + 1 :])
    os.utime(changed, ns=times)
    with pytest.raises(KaratError, match=r"(?s)K414.*part_2.parquet has changed: it has as many"):
        karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    pl.read_parquet(io.BytesIO(before)).with_columns(more=1).write_parquet(changed)
    with pytest.raises(KaratError, match=r"(?s)K414.*part_2.parquet has changed: it had .* bytes"):
        karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    changed.unlink()
    with pytest.raises(KaratError, match=r"(?s)K414.*made with .*part_2.parquet, which is not"):
        karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    changed.write_bytes(before)
    pl.read_parquet(io.BytesIO(before)).reverse().write_parquet(tmp_path / "part_9.parquet")
    with pytest.raises(KaratError, match=r"(?s)K414.*part_9.parquet was not among its files"):
        karat.evaluate(files, reading=karat.Reading(checkpoint=path))


def test_the_content_of_large_files_is_that_of_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large"
    monkeypatch.setattr(paths, "_BLOCK", 4)
    monkeypatch.setattr(paths, "_BLOCKS", 4)
    monkeypatch.setattr(paths, "_LEAST_BLOCKS", 4)
    data = bytes(range(100))

    def content(changed: int | None) -> str:
        altered = bytearray(data)
        if changed is not None:
            altered[changed] ^= 255
        path.write_bytes(altered)
        ((_, size, found),) = paths.contents([str(path)])
        assert size == 100
        return found

    whole = content(None)
    read = {i for first in (0, 32, 64, 96) for i in range(first, first + 4)}
    assert {i for i in range(100) if content(i) != whole} == read
    monkeypatch.setattr(paths, "_BLOCKS", 25)
    whole = content(None)
    assert all(content(i) != whole for i in range(100))


def test_a_checkpoint_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints, "write_bytes", full)
    with pytest.raises(KaratError, match="No space left") as problem:
        karat.evaluate(
            write_files(tmp_path, 1), reading=karat.Reading(checkpoint=tmp_path / "read.karat")
        )
    assert problem.value.code == "K413"


def refused(files: str, path: Path) -> str:
    """What is said of a file that is no checkpoint of this read; it stays as it is."""
    before = path.read_bytes()
    with pytest.raises(KaratError) as problem:
        karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    assert problem.value.code == "K414"
    assert path.read_bytes() == before
    assert str(path) in str(problem.value)
    return str(problem.value)


def test_a_file_that_is_no_checkpoint_is_refused_and_kept(tmp_path: Path) -> None:
    files, path = write_files(tmp_path, 1), tmp_path / "read.karat"
    for data in (b"", b"hello", (tmp_path / "part_0.parquet").read_bytes(), b"KARATALY" * 9):
        path.write_bytes(data)
        told = refused(files, path)
        assert "to_bytes" not in told
        assert ("Name another file" in told) == (not data.startswith(b"KARATALY")), told
    stream = karat.Stream()
    stream.update([0, 1], [0, 1])
    path.write_bytes(stream.to_bytes())
    assert "not a checkpoint" in refused(files, path)
    newer = bytearray(framed({}, {"parts": np.empty(0, np.uint8)}))
    newer[8] = 99
    path.write_bytes(newer)
    assert "Upgrade karat" in refused(files, path)


def test_a_checkpoint_knows_where_units_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that cuts files otherwise would count rows twice, or not at all."""
    files, path = write_files(tmp_path, 1, 20_000), tmp_path / "read.karat"
    monkeypatch.setattr(unit_cuts, "N_UNIT", 7000)
    karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    monkeypatch.setattr(unit_cuts, "N_UNIT", 5000)
    assert "another version" in refused(files, path)


def test_a_checkpoint_knows_its_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, path = write_files(tmp_path, 1), tmp_path / "read.karat"
    karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    monkeypatch.setattr(checkpoints, "_FORMAT", 99)
    assert "another version" in refused(files, path)


def test_a_checkpoint_of_other_sources_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, 1)
    query = f"FROM '{tmp_path / 'part_0.parquet'}'"
    table = {"label": [0, 1], "pred": [0, 1]}
    for source in (query, table):
        with pytest.raises(KaratError) as problem:
            karat.evaluate(source, reading=karat.Reading(checkpoint=tmp_path / "x"))
        assert problem.value.code == "K415"


def n_units(path: Path) -> int:
    """How many units a checkpoint has."""
    if not path.exists():
        return 0
    data = path.read_bytes()
    return int(unframed(data, ("parts",), lambda header, _: header["n_units"], ("parts",)))


@pytest.mark.parametrize("metrics", [[], ["--metrics", "macro_f1", "--prob", ""]])
def test_a_killed_read_goes_on_where_it_was(metrics: list[str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write_files(data, 24, 8000)
    # Distinct scores beyond the limit of score levels, so that what resumes are buckets.
    path, out = tmp_path / "read.checkpoint", tmp_path / "report.json"
    # A unit a file: small files would be read together.
    program = (
        "import sys; from karat.data.sources.files import units; units.N_UNIT = 8000; "
        "from karat.cli import main; sys.exit(main())"
    )
    words = [
        sys.executable, "-c", program, "report", str(data), "--max-memory", "1MiB",
        "--format", "json", *metrics,
    ]  # fmt: skip
    whole = subprocess.run(words, capture_output=True, check=True, text=True)
    resumed = [*words, "--checkpoint", str(path), "-o", str(out)]
    # The read waits after each unit, so that it is never done before it is killed.
    resumed[2] = (
        "import time; from karat.data.sources.files.large import ReadingUnits as R; done = R.done; "
        f"R.done = lambda self, *a: (done(self, *a), time.sleep(0.2)); {program}"
    )
    kills = []
    for target in (1, 9, 17):
        run = subprocess.Popen(resumed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while n_units(path) < target and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL
        kills.append(n_units(path))
        assert not out.exists()
        # What the read before left was removed.
        assert not list(tmp_path.glob(".karat-*"))[1:]
    assert kills == sorted(kills)
    assert 0 < kills[0] < kills[2] < 24
    subprocess.run(resumed, capture_output=True, check=True)
    assert not list(tmp_path.glob(".karat-*"))
    found, expected = json.loads(out.read_text()), json.loads(whole.stdout)
    assert found == expected


@pytest.mark.skipif(os.name == "nt", reason="nothing asks there whether a process runs")
def test_what_a_killed_write_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    files, path = write_files(tmp_path, 1), tmp_path / "read.karat"
    karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    write = (
        "import os, sys; from karat.tally import writing; "
        "os.fsync = lambda _: os.kill(os.getpid(), 9); writing.write_bytes(sys.argv[1], b'x')"
    )
    for name in ("read.karat", "other.karat"):
        subprocess.run([sys.executable, "-c", write, str(tmp_path / name)], check=False)
    mine, others = sorted(tmp_path.glob(".karat-*"), key=lambda left: left.stat().st_mtime_ns)
    start = mine.name.rpartition("-")[0].rpartition("-")[0]
    running = tmp_path / f"{start}-{os.getppid()}-0123456789abcdef.tmp"
    running.touch()
    karat.evaluate(files, reading=karat.Reading(checkpoint=path))
    assert set(tmp_path.glob(".karat-*")) == {others, running}


def test_a_checkpoint_knows_the_order_of_files_and_of_many_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, 3)
    files = [str(tmp_path / f"part_{i}.parquet") for i in range(3)]
    path, labels = tmp_path / "read.checkpoint", np.arange(1200)
    given: dict[str, Any] = {"y_pred": "pred", "y_prob": "", "metrics": ["accuracy"], "level": None}
    karat.evaluate(
        files, labels=labels, **grouped({"reading": karat.Reading(checkpoint=path), **given})
    )
    swapped = labels.copy()
    swapped[[500, 501]] = 501, 500
    for others, of_them in ((files[::-1], labels), (files, swapped)):
        with pytest.raises(KaratError, match="K414"):
            karat.evaluate(
                others,
                labels=of_them,
                **grouped({"reading": karat.Reading(checkpoint=path), **given}),
            )
    again = karat.evaluate(
        files,
        labels=labels.tolist(),
        **grouped({"reading": karat.Reading(checkpoint=path), **given}),
    )
    assert again.n_rows == 3 * 6000


@pytest.mark.parametrize("path", [5, b"read", "a\0b", 1.5])
def test_what_is_no_path_of_a_checkpoint_is_told(path: Any, tmp_path: Path) -> None:
    with pytest.raises(KaratError, match="K413"):
        karat.evaluate(write_files(tmp_path, 1), reading=karat.Reading(checkpoint=path))


@pytest.mark.parametrize("change", ["written", "gone"])
@pytest.mark.parametrize("when", ["first read", "second read"])
def test_files_that_change_meanwhile_are_told(
    change: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of two states of a file are never in one report."""
    rng = np.random.default_rng(0)
    files = [tmp_path / f"{name}.parquet" for name in "ab"]
    for file in files:
        scores = rng.random(70_000)
        pl.DataFrame({"label": (scores > 0.5).astype(int), "prob": scores}).write_parquet(file)
    read, n_read = FileUnits.batch, 0

    def changing(self: FileUnits, place: int) -> Any:
        nonlocal n_read
        n_read += 1
        if n_read == (1 if when == "first read" else 3):
            if change == "gone":
                files[1].unlink()
            else:
                pl.DataFrame({"label": [0, 1], "prob": [0.75, 0.5]}).write_parquet(files[1])
        return read(self, place)

    monkeypatch.setattr(FileUnits, "batch", changing)
    monkeypatch.setattr(unit_cuts, "N_UNIT", 50_000)
    with pytest.raises(KaratError, match="K417") as found:
        karat.evaluate(
            list(map(str, files)),
            y_prob="prob",
            reading=karat.Reading(max_memory=LEAST, exact=True),
            level=None,
        )
    assert "b.parquet" in str(found.value)

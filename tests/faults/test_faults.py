"""Full disks, denied writes, kills, changed files, missing memory; `make faults` tries more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

import karat
from karat.data.sources.files import duck
from karat.data.sources.files.duck import DataFile
from karat.errors import KaratError
from karat.tally.writing import write_text
from tests.faults import monitors, reads, writes
from tests.faults.cases import full_device, memory_ends, scored, temporary_is_full
from tests.faults.interrupts import WORK, interrupted
from tests.optional import optional

duckdb = optional("duckdb")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and signals of Linux")

WRITES = list(writes.failed_writes())


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    for i, (name, check) in enumerate(WRITES):
        folder = tmp_path / str(i)
        folder.mkdir()
        check(folder)
        assert name
    assert len(WRITES) == 140


def test_the_check_of_failed_writes_can_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(path: str, data: bytes) -> None:
        Path(path).write_bytes(data[:10])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("karat.tally.writing.write_bytes", careless)
    with pytest.raises(AssertionError):
        WRITES[0][1](tmp_path)


def test_results_that_do_not_fit_into_a_file_are_told(tmp_path: Path) -> None:
    data, parquet = reads.written(tmp_path, "csv"), scored(tmp_path, 2000)
    for name, check in writes.full_files(tmp_path, data, parquet):
        check()
        assert name


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device_is_told(tmp_path: Path) -> None:
    full_device(("report", reads.written(tmp_path, "csv"), "--format", "json"))


@pytest.mark.parametrize("n", [2, 6])
@pytest.mark.parametrize("inside", [(), monitors.NAMESPACES])
def test_no_batch_of_monitors_at_once_is_lost(
    n: int, inside: tuple[str, ...], tmp_path: Path
) -> None:
    if inside and not monitors.has_namespaces():
        pytest.skip("needs name spaces")
    monitors.monitors_at_once(tmp_path, n, inside)


@pytest.mark.parametrize("after", [0.0, 0.03, 0.11])
def test_a_monitor_whose_writer_is_killed_is_whole_and_not_locked(
    after: float, tmp_path: Path
) -> None:
    monitors.killed_monitor(tmp_path, after)


@pytest.mark.parametrize("most", [5, 100])
def test_a_monitor_that_does_not_fit_stays_and_is_not_locked(most: int, tmp_path: Path) -> None:
    monitors.full_monitor(tmp_path, most)


@pytest.mark.skipif(not monitors.has_namespaces("--mount"), reason="needs name spaces")
def test_a_monitor_on_a_full_disk_stays_and_is_not_locked(tmp_path: Path) -> None:
    monitors.full_disk(tmp_path)


@pytest.mark.parametrize("way", ["exact", "pipe"])
def test_a_full_temporary_folder_is_told(way: str, tmp_path: Path) -> None:
    temporary_is_full(tmp_path, scored(tmp_path, 200_000), way)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('Could not write file "/tmp/x": No space left on device', "K418"),
        ("failed to offload data block (max_temp_directory_size)", "K418"),
        ("failed to allocate block of 1 bytes (bad allocation)", "K419"),
        ("std::bad_alloc", "K419"),
        ("arrowBuffer: failed to allocate 1048576 bytes", "K419"),
        ("Out of Memory Error: could not allocate block of size 256.0 KiB", "K419"),
        ("Could not read", "K403"),
    ],
)
def test_what_the_reader_lacks_is_no_fault_of_the_file(text: str, code: str) -> None:
    file = DataFile("a.parquet", "a.parquet", "parquet", "none", 9)
    with pytest.raises(KaratError) as caught, duck.explaining([file]):
        raise duckdb.IOException(text)
    assert caught.value.code == code


@pytest.mark.parametrize("kind", ["report", "checkpoint", "baseline"])
def test_a_killed_write_leaves_a_whole_file(kind: str, tmp_path: Path) -> None:
    for i, after in enumerate((0.0, 0.013, 0.05)):
        folder = tmp_path / str(i)
        folder.mkdir()
        writes.killed_writes(folder, kind, after)


@pytest.mark.parametrize("change", reads.CHANGES)
@pytest.mark.parametrize("kind", reads.FORMATS)
def test_a_file_that_changes_under_its_reader_is_told(
    kind: str, change: str, tmp_path: Path
) -> None:
    reads.changed_read(tmp_path, kind, change)


def test_a_file_that_does_not_change_is_read(tmp_path: Path) -> None:
    path = reads.written(tmp_path, "csv")
    os.utime(path, (1, 1))
    assert karat.evaluate(str(path), level=None, metrics=["accuracy"]).n_rows == reads.N


def test_missing_memory_is_told_and_leaves_no_file(tmp_path: Path) -> None:
    data, out = scored(tmp_path, 1_000_000), tmp_path / "out.json"
    found = [memory_ends(data, out, most << 20) for most in (1, 16, 4096)]
    assert found[-1] == "report"
    assert found[:-1] == ["told", "told"]


def test_missing_memory_of_the_core_is_a_memory_error_beside_another_library() -> None:
    """DuckDB is built with nanobind too; where they share its state, it translates for karat."""
    code = """
import resource, duckdb, numpy as np
from karat import _native
a = np.ones(1 << 23)
with open("/proc/self/statm") as file:
    most = int(file.read().split()[0]) * resource.getpagesize() + (16 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    _native.beta_quantiles(a, a, 0.5)
except MemoryError as problem:
    print(type(problem).__name__)
"""
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "MemoryError\n"), run.stderr


def test_missing_memory_of_python_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    from karat.cli import main

    with mock.patch("karat.data.sources.files.rows.read_files", side_effect=MemoryError):
        assert main(["report", "examples/predictions/iris_rf.csv"]) == 2
    assert capsys.readouterr().err.startswith("K419  There is not enough memory.")


@pytest.mark.parametrize("name", ["counting labels", "a query", "a report with intervals"])
def test_an_interrupt_is_a_keyboard_interrupt(name: str) -> None:
    assert name in WORK
    # Asked for is less than a tenth of it; machines are shared.
    assert interrupted(name, 0.3) < 5.0


def test_a_disk_that_is_full_or_read_only(tmp_path: Path) -> None:
    """A real one. Where none may be mounted, the writes above that fail so stand for it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return
    try:
        path = disk / "report.json"
        path.write_text(writes.OLD)
        with pytest.raises(OSError, match=r"No space left on device: .*report\.json"):
            write_text(path, "x" * 100_000)
        assert path.read_text() == writes.OLD
        assert writes.leftovers(disk) == []
        again = ["mount", "-o", "remount,ro", str(disk)]
        subprocess.run(again, capture_output=True, check=True)
        with pytest.raises(OSError, match="Read-only file system"):
            write_text(path, "new")
        assert path.read_text() == writes.OLD
    finally:
        subprocess.run(["umount", str(disk)], capture_output=True, check=True)

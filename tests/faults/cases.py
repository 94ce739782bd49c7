"""Every fault, where it is injected, and the checks of what it leaves."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

import karat
from tests.faults import monitors, reads, writes
from tests.faults.children import ROOT, limited
from tests.optional import optional

__all__ = ["Fault", "faults", "full_device", "memory_ends", "scored", "temporary_is_full"]

MIB: Final = 1 << 20


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        name: what goes wrong.
        where: what it is injected into.
        checks: each injects it once, and fails where something is not as it has to be.
    """

    name: str
    where: str
    checks: Sequence[Callable[[], None]]


def scored(folder: Path, n: int = 20_000) -> Path:
    """Rows with probabilities of two classes, every one another number."""
    rng = np.random.default_rng(3)
    score = rng.random(n)
    path = folder / "scored.parquet"
    columns = {"label": (rng.random(n) < score).astype(int), "prob": score}
    optional("polars").DataFrame(columns).write_parquet(path)
    return path


def memory_ends(data: Path, out: Path, most: int) -> str:
    """Read with so much more memory: a report, or one message and no file.

    Returns:
        ``"report"``, ``"told"``, or ``"died"`` where DuckDB itself did not survive.
    """
    out.unlink(missing_ok=True)
    ended = limited("memory", most, "report", data, "-o", out)
    assert writes.leftovers(out.parent) == []
    if ended.code == 0:
        karat.Report.from_json(out.read_text("utf-8"))
        return "report"
    assert not out.exists()
    if ended.code < 0 or (ended.code == 127 and "cannot allocate memory" in ended.err):
        # DuckDB ends the process where its threads, or their allocator, get nothing; the system
        # does where a thread has no room for its own variables.
        return "died"
    assert ended.code == 2, ended
    assert "Traceback" not in ended.err, ended.err
    assert "K419  There is not enough memory." in ended.err, ended.err
    return "told"


def temporary_is_full(folder: Path, data: Path, way: str) -> None:
    """Fill what karat writes into the temporary folder: K418, and nothing is left there."""
    words: dict[str, tuple[object, ...]] = {
        "exact": ("report", data, "--exact", "--max-memory", "1MiB", "-o", folder / "out.json"),
        "pipe": ("report", folder / "pipe"),
    }
    before = set(os.listdir(tempfile.gettempdir()))
    if way == "pipe":
        os.mkfifo(folder / "pipe")
        with subprocess.Popen(
            [sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('label,p\\n' * 9999)",
             str(folder / "pipe")], stderr=subprocess.DEVNULL,
        ) as writer:  # fmt: skip
            ended = limited("file", 5000, *words[way])
            writer.kill()
        (folder / "pipe").unlink()
    else:
        ended = limited("file", 1000, *words[way])
    assert ended.code == 2, ended
    assert "K418" in ended.err, ended.err
    assert not (folder / "out.json").exists()
    new = set(os.listdir(tempfile.gettempdir())) - before
    assert not [name for name in new if name.startswith("karat-exact")], new


def full_device(command: Sequence[object]) -> None:
    """Write a result to a device that is full: exit code 2, one message."""
    run = subprocess.run(
        [sys.executable, "-m", "karat.cli", *map(str, command), "-o", "/dev/full"],
        cwd=ROOT, capture_output=True, check=False, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 2, run.stderr
    assert "No space left on device" in run.stderr
    assert "Traceback" not in run.stderr


def _folders(folder: Path) -> Iterator[Path]:
    while True:
        yield Path(tempfile.mkdtemp(dir=folder))


def faults(folder: Path, n: int) -> Iterator[Fault]:
    """Every fault.

    Args:
        folder: where files may be written.
        n: how often what is random is tried.
    """
    new = _folders(folder)
    csv, parquet = reads.written(next(new), "csv"), scored(next(new), 200_000)
    failing = [partial(check, next(new)) for _, check in writes.failed_writes()]
    yield Fault("a write fails", "7 results × 4 calls of the system × 5 reasons", failing)
    full = [check for _, check in writes.full_files(next(new), csv, parquet)]
    yield Fault("a file gets full", "results, checkpoint, baseline of the command line", full)
    if Path("/dev/full").exists():
        commands = [("report", csv, "--format", kind) for kind in ("json", "html")]
        yield Fault("a full device", "-o /dev/full", [partial(full_device, c) for c in commands])
    ways = [partial(temporary_is_full, next(new), parquet, way) for way in ("exact", "pipe")]
    yield Fault("no temporary room", "--exact, a named pipe", ways)
    rng = np.random.default_rng(n)
    for kind in ("report", "checkpoint", "baseline"):
        moments = (rng.random(n) * 0.2).tolist()
        kills = [partial(writes.killed_writes, next(new), kind, after) for after in moments]
        yield Fault("killed", f"while a {kind} is written again and again", kills)
    moments = (rng.random(5 * n) * 0.2).tolist()
    kills = [partial(monitors.killed_monitor, next(new), after) for after in moments]
    yield Fault("killed", "while a monitor adds batch after batch", kills)
    inside = [(), monitors.NAMESPACES] if monitors.has_namespaces() else [()]
    writers = [partial(monitors.monitors_at_once, next(new), k, x) for k in (2, 6) for x in inside]
    yield Fault("writers at once", "2 and 6 through links, each process 1 of one host", writers)
    limits = [partial(monitors.full_monitor, next(new), most) for most in (5, 100, 700)]
    disks = [partial(monitors.full_disk, next(new))] if monitors.has_namespaces("--mount") else []
    yield Fault("a full disk", "the state of a monitor", limits + disks)
    for kind in reads.FORMATS:
        changes = [partial(reads.changed_read, next(new), kind, how) for how in reads.CHANGES]
        yield Fault(
            "a file changes", f"{kind} while it is read: {', '.join(reads.CHANGES)}", changes
        )
    sizes = [int(MIB * 1.7**i) for i in range(max(2, n // 2))]
    yield Fault("memory ends", "a report of Parquet, from 1 MiB more on", [
        partial(_of_memory, parquet, next(new) / "out.json", most) for most in sizes
    ])  # fmt: skip


def _of_memory(data: Path, out: Path, most: int) -> None:
    memory_ends(data, out, most)

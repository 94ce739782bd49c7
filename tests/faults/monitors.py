"""Several writers of one monitor, kills and full disks: no batch is lost, no state stays locked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import karat
from karat.api.monitors.monitor import locked_state
from tests.faults.children import ROOT, killed, limited
from tests.faults.writes import leftovers

__all__ = [
    "NAMESPACES",
    "full_disk",
    "full_monitor",
    "has_namespaces",
    "killed_monitor",
    "monitors_at_once",
]

NAMESPACES: Final = ("unshare", "--pid", "--uts", "--fork", "--mount-proc")
"""A command in process and host name spaces of its own: each writer is process 1 of one host."""


def has_namespaces(*more: str) -> bool:
    """Whether this system and this user may make them."""
    try:
        run = subprocess.run([*NAMESPACES, *more, "true"], check=False, capture_output=True)
    except OSError:
        return False
    return run.returncode == 0


def _batch(folder: Path, i: int, n: int = 5) -> Path:
    path = folder / f"batch{i}.csv"
    rows = [f"{i * n + row},{row % 2},{(row + i) % 2}\n" for row in range(n)]
    path.write_text("id,label,pred\n" + "".join(rows), "utf-8")
    return path


def _command(state: Path, batch: Path, *more: object) -> list[str]:
    words = ("monitor", state, batch, "--min", "accuracy=0.1", *more)
    return [sys.executable, "-m", "karat.cli", *map(str, words)]


def monitors_at_once(folder: Path, n: int, inside: Sequence[str] = ()) -> None:
    """Add a batch by each of several processes at once, each through a link of its own.

    Args:
        inside: a command that runs another command.
    """
    (folder / "real").mkdir()
    state = folder / "real" / "state.karat"
    runs = []
    for i in range(n):
        link = folder / f"link{i}.karat"
        link.symlink_to(state)
        words = _command(link if i else state, _batch(folder, i), "--wait", 120)
        runs.append(
            subprocess.Popen([*inside, *words], cwd=ROOT, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        )  # fmt: skip
    for run in runs:
        _, err = run.communicate(timeout=300)
        assert run.returncode == 0, err.decode()
    monitor = karat.Monitor.load(state)
    assert (len(monitor.looks), monitor.n_rows) == (n, 5 * n)
    assert [path.name for path in state.parent.iterdir()] == [state.name]


_LOOP: Final = """
import os, sys
import karat
from karat.api.monitors.monitor import locked_state
path = sys.argv[1]
karat.Monitor(min={"accuracy": 0.1}).save(path)
print("ready", flush=True)
for i in range(1 << 40):
    with locked_state(path):
        monitor = karat.Monitor.load(path)
        monitor.add([i % 2] * 5, [1] * 5, ids=range(5 * i, 5 * i + 5))
        monitor.save_locked(path)
    with open(sys.argv[2], "a") as file:
        file.write("x")
"""


def killed_monitor(folder: Path, after: float) -> None:
    """Kill a process that adds batches: what it reported is there, and the next one writes."""
    state, log = folder / "state.karat", folder / "log"
    log.unlink(missing_ok=True)
    assert killed(_LOOP, after, state, log).code == -9
    n_reported = log.stat().st_size if log.exists() else 0
    monitor = karat.Monitor.load(state)
    assert n_reported <= len(monitor.looks) <= n_reported + 1
    with locked_state(state):
        monitor.add([0, 1], [0, 1])
        monitor.save_locked(state)
    assert karat.Monitor.load(state).n_rows == 5 * (len(monitor.looks) - 1) + 2
    assert not list(folder.glob("*.lock"))


def full_monitor(folder: Path, most: int) -> None:
    """Add a batch where no file may have so many bytes: the state stays, and is not locked."""
    state = folder / "state.karat"
    command = _command(state, _batch(folder, 0))[3:]
    run = subprocess.run([sys.executable, "-m", "karat.cli", *command], cwd=ROOT, check=False)
    assert run.returncode == 0
    before = state.read_bytes()
    ended = limited("file", most, *command[:2], _batch(folder, 1))
    assert ended.code == 2, ended
    assert "too large" in ended.err.lower(), ended.err
    assert state.read_bytes() == before
    assert leftovers(folder) == []
    assert subprocess.run(_command(state, _batch(folder, 1)), cwd=ROOT, check=False).returncode == 0
    assert karat.Monitor.load(state).n_rows == 10


_ON_A_DISK: Final = """
set -e
mount -t tmpfs -o size=64k karat "$1"
add() { "$2" -m karat.cli monitor "$1/state.karat" "$3" --min accuracy=0.1; }
add "$1" "$2" "$3"
cp "$1/state.karat" "$5"
dd if=/dev/zero of="$1/filler" bs=1k 2>/dev/null || true
code=0; add "$1" "$2" "$4" || code=$?
test "$code" = 2
cmp "$1/state.karat" "$5"
rm "$1/filler"
add "$1" "$2" "$4"
cp "$1/state.karat" "$5"
test "$(ls -A "$1")" = state.karat
"""


def full_disk(folder: Path) -> None:
    """Add a batch on a disk without a free byte: the state stays, and the next run writes."""
    disk, after = folder / "disk", folder / "after.karat"
    disk.mkdir()
    words = [disk, sys.executable, _batch(folder, 0), _batch(folder, 1), after]
    script = ["sh", "-c", _ON_A_DISK, "sh", *map(str, words)]
    run = subprocess.run([*NAMESPACES, "--mount", *script], cwd=ROOT, check=False,
                         capture_output=True, text=True, env={**os.environ})  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "No space left on device" in run.stderr
    assert karat.Monitor.load(after).n_rows == 10

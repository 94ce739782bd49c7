"""Sections 6 and 8: states, stored forms, folders and gates as a platform meets them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import karat
from tests.misreadings.table import command, error, row


def _csv(folder: str, name: str, first: int, n: int = 6, *, step: int = 1) -> Path:
    """Rows with the ids from `first`."""
    path = Path(folder) / name
    rows = [f"r{i},{i % 2},{i // 2 % 2}\n" for i in range(first, first + n)][::step]
    path.write_text("id,label,pred\n" + "".join(rows), "utf-8")
    return path


_RULE = ("--min", "accuracy=0.1", "--format", "json")


@row(6, "a lock file that another container or a killed process left", r"exit 0: .*")
def lock_that_outlived_its_process() -> object:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "s.karat.lock").write_text("1 another-host")
        return command("monitor", f"{folder}/s.karat", _csv(folder, "a.csv", 0), *_RULE)


_HOLD = """
import sys, time
import karat.api.monitors.monitor as monitor
from karat.tally import writing
only_writer = getattr(monitor, "locked_state", None) or writing.only_writer
with only_writer(sys.argv[1]):
    print("ready", flush=True)
    sys.stdin.read()
"""


@row(6, "two writers on one state, one through a symbolic link", r"exit 2: K239 .* is in use\. .*")
def writer_through_a_link() -> object:
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "link.karat"
        link.symlink_to(Path(folder) / "s.karat")
        words = [sys.executable, "-c", _HOLD, f"{folder}/s.karat"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            answer = command("monitor", link, _csv(folder, "a.csv", 0), *_RULE)
            holder.communicate(b"")
        return answer


@row(8, "karat monitor --positive 1 of numeric classes, second call", r"exit 0: .*")
def monitor_with_a_positive_number() -> object:
    with tempfile.TemporaryDirectory() as folder:
        state, recall = Path(folder) / "s.karat", ("--min", "recall=0.1")
        command("monitor", state, _csv(folder, "a.csv", 0), *recall, "--positive", 1)
        return command("monitor", state, _csv(folder, "b.csv", 10))


@row(8, "--threshold in the line of columns of a second call", r".*pred=probability [≥>] 0\.25.*")
def threshold_of_a_second_call() -> object:
    with tempfile.TemporaryDirectory() as folder:
        for name, p in (("a", 0.3), ("b", 0.4)):
            (Path(folder) / f"{name}.csv").write_text(f"label,prob\n0,0.2\n1,{p}\n", "utf-8")
        state = Path(folder) / "s.karat"
        command("monitor", state, f"{folder}/a.csv", *_RULE[:2], "--threshold", 0.25)
        return command("monitor", state, f"{folder}/b.csv")


@row(8, "a monitor's batch delivered again in another order", r"K241 .*")
def batch_in_another_order() -> object:
    y, pred = np.arange(20) % 2, np.arange(20) // 3 % 2
    monitor = karat.Monitor(min={"accuracy": 0.1})
    monitor.add(y, pred)
    return error(lambda: monitor.add(y[::-1].copy(), pred[::-1].copy()))


@row(8, "half of a monitor's batch delivered again, with ids", r"exit 2: K430 .*'r0', 'r2', 'r4'.*")
def half_of_a_batch() -> object:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "s.karat"
        command("monitor", state, _csv(folder, "a.csv", 0), *_RULE)
        return command("monitor", state, _csv(folder, "half.csv", 0, step=2))


@row(6, "Monitor state with a right checksum and weights of 1e200", r"K205 .*monitor.*")
def monitor_of_impossible_weights() -> object:
    from karat.tally.serialization import framed, unframed

    monitor = karat.Monitor(min={"accuracy": 0.1})
    monitor.add([0, 1, 1], [0, 1, 0], weights=[1.0, 2.0, 3.0])
    names = ("new_true", "new_pred", "new_weights")

    def altered(header: Any, arrays: Any) -> bytes:
        del header["arrays"]
        return framed(header, {**arrays, "new_weights": arrays["new_weights"] * 1e200})

    data = unframed(monitor.to_bytes(), names, altered, names)
    return error(lambda: karat.Monitor.from_bytes(data).result.rules[0].line)


@row(6, 'Monitor.load("nowhere")', r"K431 There is no monitor\. .*nowhere.*")
def monitor_that_does_not_exist() -> object:
    return error(lambda: karat.Monitor.load(os.path.join(os.sep, "nowhere", "nowhere.karat")))

"""Sections 6 and 8: states, stored forms, folders and gates as a platform meets them."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
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


def _sets(n: int = 40) -> tuple[list[set[str]], list[set[str]]]:
    truth = [{"a"} if i % 3 else {"a", "b"} for i in range(n)]
    return truth, [{"b"} if i % 7 == 0 else one for i, one in enumerate(truth)]


def _altered_sets(**numbers: float) -> object:
    report = karat.evaluate(*_sets())
    document = json.loads(report.to_json())
    document["metrics"]["macro_f1"].update(numbers)
    found = karat.MultilabelReport.from_json(json.dumps(document))["macro_f1"]
    return found.low, found.high


@row(6, "MultilabelReport.from_json with limits of ±1e30", r"K205 .*between 0 and 1.*")
def stored_sets_beyond_their_range() -> object:
    return error(lambda: _altered_sets(low=-1e30, high=1e30))


@row(6, "MultilabelReport.from_json with low above high", r"K205 .*interval that holds.*")
def stored_sets_with_limits_in_reverse() -> object:
    return error(lambda: _altered_sets(low=0.9, high=0.1))


@row(6, "a report with frequency weights and slices, read back", r"40")
def report_of_numbers_of_rows() -> object:
    y, w = np.arange(40) % 2, 1 + np.arange(40) % 30
    slices = {"group": np.arange(40) % 4 // 2}
    report = karat.evaluate(y, y, weights=karat.Frequency(w), by=slices)
    return error(lambda: karat.Report.from_json(report.to_json()).n_rows)


@row(6, "a pickle of a comparison of sets", r"\[\('a', 0\.\d+\), \('b', 0\.0\)\]")
def pickle_of_a_comparison_of_sets() -> object:
    truth, pred = _sets()
    compared = karat.compare(truth, {"old": pred, "new": truth})
    found = pickle.loads(pickle.dumps(compared)).per_label("recall")
    return [(one.label, round(one.difference, 3)) for one in found]


@row(6, "python -OO", r"0\.6666666666666666")
def python_without_docstrings() -> object:
    program = "import karat; print(karat.f1([0, 1, 1], [0, 1, 0]))"
    words = [sys.executable, *(["-S"] if sys.flags.no_site else []), "-OO", "-c", program]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    return run.stdout or run.stderr


@row(8, "a gate whose baseline has a class that the new truth lacks", r"FAIL .*class 'c'.*")
def gate_without_a_class_of_the_baseline() -> object:
    truth = np.array(["a", "b", "c"] * 40)
    kept = truth != "c"
    now = np.where(np.arange(80) == 3, "c", truth[kept])
    base = karat.evaluate(truth, truth)
    found = karat.gate(truth[kept], now, baseline=base, max_drop={"accuracy": 0.2})
    return f"{found.rules[0].verdict} {found.rules[0].reason}"


@row(8, "a folder of a Delta table with a removed file", r"K433 .*Delta Lake.*file_uris.*")
def folder_of_a_delta_table() -> object:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "_delta_log").mkdir()
        _csv(folder, "old.csv", 0)
        _csv(folder, "new.csv", 10)
        return error(lambda: karat.evaluate(folder).n_rows)


def _wide(k: int) -> float:
    """Processor time of reading k columns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        names = ",".join(f"x{i}" for i in range(k))
        path.write_text(f"label,pred,{names}\n" + f"0,1,{'1,' * (k - 1)}1\n" * 4, "utf-8")
        begun = time.process_time()
        karat.evaluate(str(path))
        return time.process_time() - begun


@row(6, "eight times as many columns of a CSV take more than 24 times as long", r"False")
def time_of_wide_files() -> object:
    _wide(50)
    return _wide(4000) > 24 * _wide(500)


@row(8, "a damaged part of a folder, read with --where", r"exit 2: K403 .*part1\.parquet.*")
def damaged_part_of_a_folder() -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"label": np.arange(3000) % 2, "pred": np.arange(3000) % 3 % 2, "p": np.ones(3000)}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"part{i}.parquet" for i in range(3)]
        for path in paths:
            pq.write_table(pa.table(rows), path, compression="gzip")
        data = bytearray(paths[1].read_bytes())
        data[4:300] = bytes(range(1, 149)) * 2
        paths[1].write_bytes(data)
        return command("report", folder, "--where", "p > 0", "--format", "json")


@row(6, "Parquet uint64 labels of 2**63 and more", r"\(7, 9223372036854775808\)")
def unsigned_labels_of_a_file() -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    label = np.array([2**63, 7] * 5, np.uint64)
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(pa.table({"label": label, "pred": label}), f"{folder}/a.parquet")
        return error(lambda: karat.evaluate(f"{folder}/a.parquet").labels)


@row(8, "karat monitor --positive TRUE of booleans in a CSV, second call", r"exit 0: .*")
def monitor_with_a_typed_boolean() -> object:
    with tempfile.TemporaryDirectory() as folder:
        for name, n in (("a.csv", 40), ("b.csv", 60)):
            rows = "True,True\nFalse,True\n" * n
            (Path(folder) / name).write_text("label,pred\n" + rows, "utf-8")
        call = ("monitor", f"{folder}/s.karat", *_RULE, "--positive", "TRUE")
        command(*call, f"{folder}/a.csv")
        return command(*call, f"{folder}/b.csv")


@row(8, "a class of 300 light rows of a gate's baseline that the new truth lacks", r"FAIL .*")
def gate_without_a_light_class() -> object:
    then = np.repeat([0, 1, 2], [100, 100, 300])
    given = {"labels": [0, 1, 2]}
    base = karat.evaluate(then, then, weights=np.where(then == 2, 0.01, 1.0), **given)
    now = np.array([0, 1] * 100)
    found = karat.gate(
        now, now, weights=np.ones(200), baseline=base, max_drop={"accuracy": 0.05}, **given
    )
    return f"{found.rules[0].verdict} {found.rules[0].reason}"


@row(
    8,
    "a checkpoint, a file changed in place with the same size and mtime",
    r"K414 .*rows\.parquet has changed.*",
)
def file_of_a_checkpoint_changed_in_place() -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        path, checkpoint = Path(folder) / "rows.parquet", Path(folder) / "read.karat"
        label = np.arange(4000) % 2
        pred = np.where(np.arange(4000) % 3, label, 1 - label)
        for one in (label, pred):
            rows = {"label": label, "pred": one}
            pq.write_table(pa.table(rows), path, compression="none", use_dictionary=False)
            os.utime(path, ns=(1, 1))
            answer = error(
                lambda: karat.evaluate(str(path), reading=karat.Reading(checkpoint=checkpoint))[
                    "accuracy"
                ]
            )
        return answer


@row(8, "a checkpoint, files touched", r"accuracy 1 .*")
def files_of_a_checkpoint_touched() -> object:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        path, checkpoint = Path(folder) / "rows.parquet", Path(folder) / "read.karat"
        label = np.arange(4000) % 2
        pq.write_table(pa.table({"label": label, "pred": label}), path)
        karat.evaluate(str(path), reading=karat.Reading(checkpoint=checkpoint))
        os.utime(path, (1, 1))
        return error(
            lambda: karat.evaluate(str(path), reading=karat.Reading(checkpoint=checkpoint))[
                "accuracy"
            ]
        )

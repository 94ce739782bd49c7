"""Faults while a file is written: afterwards it is the old one or the new one, whole."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import numpy as np

import karat
from karat.api.gate.baseline import read_baseline
from karat.data.accumulator import Tallies
from karat.data.scores.storage import ScoreParts
from karat.data.sources.files.large import Checkpoint
from karat.errors import KaratError
from karat.tally import Cells, Classes
from karat.tally.writing import remove_leftovers
from tests.faults.children import killed, limited

__all__ = ["OLD", "failed_writes", "full_files", "killed_writes", "leftovers"]

OLD: Final = "the old one"
Y: Final = np.arange(60) % 2
P: Final = np.where(np.arange(60) % 7 == 0, 1 - Y, Y)


def leftovers(folder: Path) -> list[str]:
    """Temporary files of writes that are still there."""
    return sorted(path.name for path in folder.glob(".karat-*"))


def _checkpoint(path: Path) -> None:
    cells = Cells.dense([[3, 1], [2, 4]], classes=Classes.of([0, 1]))
    Checkpoint(path, "these files").save(1, Tallies(cells), is_last=True)


def _writers() -> dict[str, Callable[[Path], object]]:
    report = karat.evaluate(Y, P)
    compared = karat.compare(Y, {"a": P, "b": P[::-1].copy()})
    gated = karat.gate(Y, P, min={"accuracy": 0.1})
    return {
        "report.json": report.to_json,
        "report.html": report.to_html,
        "report.md": report.to_markdown,
        "comparison.json": compared.to_json,
        "gate.json": gated.to_json,
        "read.karat": _checkpoint,
        "baseline.json": lambda path: karat.gate(
            {"label": Y, "pred": P}, min={"accuracy": 0.1}
        ).save_baseline(path),
    }


_CALLS: Final = ("os.open", "os.fsync", "os.replace", "shutil.copymode")
_WHY: Final = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO)


@contextmanager
def _failing(call: str, why: int, path: Path) -> Iterator[None]:
    """Make a call of the system fail where it is about a file of this folder."""
    module, _, name = call.partition(".")
    real = getattr({"os": os, "shutil": __import__("shutil")}[module], name)

    def fails(first: Any, *rest: Any, **options: Any) -> Any:
        if isinstance(first, int) or str(path.parent) in os.fspath(first):
            raise OSError(why, os.strerror(why))
        return real(first, *rest, **options)

    with mock.patch(call, fails):
        yield


def failed_writes() -> Iterator[tuple[str, Callable[[Path], None]]]:
    """What is written × which call of the system fails × why; each checks what is left."""
    for name, write in _writers().items():
        for call in _CALLS:
            for why in _WHY:

                def check(
                    folder: Path, name: str = name, write: Any = write, call: str = call,
                    why: int = why,
                ) -> None:  # fmt: skip
                    path = folder / name
                    path.write_text(OLD)
                    told = ""
                    with _failing(call, why, path):
                        try:
                            write(path)
                        except (OSError, KaratError) as problem:
                            told = str(problem).lower()
                    assert os.strerror(why).lower() in told, told
                    assert path.name in told, told
                    assert path.read_text() == OLD
                    assert leftovers(folder) == []

                yield f"{name}: {call} {errno.errorcode[why]}", check


def full_files(folder: Path, data: Path, parquet: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Commands whose results do not fit into a file: exit code 2, one message, the old file."""
    outputs: dict[str, tuple[str, ...]] = {
        "full.json": ("report", str(data), "-o"),
        "full.html": ("report", str(data), "-o"),
        "full.txt": ("report", str(data), "-o"),
        "full.karat": ("report", str(parquet), "--max-memory", "1MiB", "--checkpoint"),
        "full.xml": ("gate", str(data), "--min", "accuracy=0.1", "--junit"),
        "base.json": ("gate", str(data), "--min", "accuracy=0.1", "--update-baseline"),
    }
    for name, words in outputs.items():

        def check(name: str = name, words: tuple[str, ...] = words) -> None:
            path = folder / name
            is_checkpoint = path.suffix == ".karat"
            if not is_checkpoint:
                path.write_text(OLD)
            ended = limited("file", 100, *words, path)
            assert ended.code == 2, ended
            assert "too large" in ended.err.lower(), ended.err
            assert "Traceback" not in ended.err, ended.err
            assert not path.exists() if is_checkpoint else path.read_text() == OLD
            assert leftovers(folder) == []

        yield f"{words[0]} {words[-1]} {name}", check


_LOOP: Final = """
import sys
from pathlib import Path
from tests.faults.writes import rewriting
rewriting(sys.argv[1], Path(sys.argv[2]))
"""


def rewriting(kind: str, path: Path) -> None:
    """Write one of two whole files again and again, until somebody ends it."""
    reports = [karat.evaluate(Y, one) for one in (P, Y)]
    progressed = [
        Tallies(Cells.dense(np.full((2, 2), 3 + i), classes=Classes.of([0, 1]))) for i in range(2)
    ]
    writers: dict[str, Callable[[int], object]] = {
        "report": lambda i: reports[i].to_json(path),
        "checkpoint": lambda i: Checkpoint(path, "read").save(i, progressed[i], is_last=True),
        "baseline": lambda i: karat.gate(
            {"label": Y, "pred": (P, Y)[i]}, min={"accuracy": 0.1}
        ).save_baseline(path),
    }
    writers[kind](0)
    print("ready", flush=True)
    for i in range(1, 1 << 40):
        writers[kind](i % 2)


def killed_writes(folder: Path, kind: str, after: float) -> None:
    """Kill a process that writes: what is there is whole, and what it left is known."""
    path = folder / f"{kind}.json"
    assert killed(_LOOP, after, kind, path).code == -9
    if kind == "report":
        report = karat.Report.from_json(path.read_text("utf-8"))
        assert report.accuracy.value in (1.0, float(np.mean(P == Y)))
        json.loads(path.read_text("utf-8"))
    elif kind == "baseline":
        assert read_baseline(path).n == len(Y)
    else:
        found = Checkpoint(path, "read").load(ScoreParts(1 << 20, None, None, False))
        assert found[0] in (0, 1)
    left = leftovers(folder)
    assert len(left) <= 1, left
    assert all(name.endswith(".tmp") for name in left), left
    assert {item.name for item in folder.iterdir()} <= {path.name, *left}
    remove_leftovers(path)
    assert leftovers(folder) == []

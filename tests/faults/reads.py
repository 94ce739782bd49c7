"""Files that change under their reader: told, never half of one state and half of another."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

import karat
from karat.errors import KaratError
from tests.optional import optional
from tests.sources.writing import write_csv, write_json

__all__ = ["CHANGES", "FORMATS", "changed_read", "table", "written"]

N: Final = 30_000


def table(seed: int = 0, n: int = N) -> dict[str, list[int]]:
    """Rows of three classes."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    pred = np.where(rng.random(n) < 0.8, true, (true + 1) % 3)
    return {"label": true.tolist(), "pred": pred.tolist()}


def _parquet(path: Path, columns: dict[str, list[int]]) -> None:
    optional("polars").DataFrame(columns).write_parquet(path, row_group_size=2048)


FORMATS: Final[dict[str, Callable[[Path, dict[str, list[int]]], object]]] = {
    "parquet": _parquet,
    "csv": write_csv,
    "jsonl": write_json,
}


def written(folder: Path, kind: str, seed: int = 0) -> Path:
    """A file of that kind."""
    path = folder / f"rows_{seed}.{kind}"
    FORMATS[kind](path, table(seed))
    return path


def _truncate(path: Path, kind: str) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _append(path: Path, kind: str) -> None:
    with path.open("ab") as file:
        file.write(b"1,2\n")


def _rewrite(path: Path, kind: str) -> None:
    """Other rows in the same file."""
    FORMATS[kind](path, table(7))


def _replace(path: Path, kind: str) -> None:
    """Another file of the same size and time takes the name."""
    before = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def _remove(path: Path, kind: str) -> None:
    path.unlink()


CHANGES: Final[dict[str, Callable[[Path, str], None]]] = {
    "truncated": _truncate, "appended": _append, "rewritten": _rewrite, "replaced": _replace,
    "removed": _remove,
}  # fmt: skip


def changed_read(folder: Path, kind: str, change: str) -> None:
    """Change a file at the first word of its reader: K417 and nothing else."""
    path, is_done = written(folder, kind), False

    def meanwhile(*_: object) -> None:
        nonlocal is_done
        if not is_done:
            is_done = True
            CHANGES[change](path, kind)

    from tests.sources.counting import tally_files

    told = refused(lambda: tally_files(str(path), progress=meanwhile))
    assert is_done
    assert told is not None, "rows of two states were counted"
    assert told.code == "K417", told
    assert path.name in str(told), told
    # What is there now is read as what it is, or refused as what it is.
    told = refused(lambda: karat.evaluate(str(path), level=None, metrics=["accuracy"]))
    assert told is None or told.code in ("K104", "K401", "K402", "K403"), told


def refused(read: Callable[[], object]) -> KaratError | None:
    """What is said instead of reading, or None."""
    try:
        read()
    except KaratError as problem:
        return problem
    return None

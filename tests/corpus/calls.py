"""A call of the corpus, and the groups of calls."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Modules of this folder, each of which yields the calls of one subject.
GROUPS = (
    "arrays",
    "odd_rows",
    "confusions",
    "tables",
    "files",
    "big_files",
    "functions",
    "curve_calls",
    "comparisons",
    "gates",
    "streams",
    "devices",
    "slices",
    "sizes",
    "losses",
    "outputs",
    "sklearn_calls",
    "torchmetrics_calls",
    "catboost_calls",
    "commands",
    "bad_input",
    "bad_files",
    "sets",
    "set_scores",
    "set_models",
    "set_streams",
    "set_dropins",
    "judges",
    "folds",
    "looks",
    "monitors",
    "row_lists",
    "strata",
    "checks",
    "refusals",
    "stored",
    "dask_frames",
    "spark_frames",
)
# They start processes, and are left out unless named.
CLUSTERS = ("dask_frames", "spark_frames")


@dataclass(frozen=True)
class Call:
    """One call of a public name: its id, its verb, the kind of its source, and the call itself."""

    id: str
    verb: str
    source: str
    run: Callable[[], Any]


def calls_of(group: str) -> list[Call]:
    """The calls of a group; an id occurs once.

    They expect to be made in the folder of `in_a_folder`, one after the other.
    """
    module = importlib.import_module(f"tests.corpus.{group}")
    found: list[Call] = list(module.calls())
    seen: set[str] = set()
    for call in found:
        assert call.id not in seen, f"two calls are named {group}/{call.id}"
        seen.add(call.id)
    return found


@contextmanager
def in_a_folder() -> Iterator[None]:
    """Work in an empty folder, so that paths are relative and the same everywhere."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)

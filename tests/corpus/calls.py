"""A call of the corpus, and the groups of calls."""

from __future__ import annotations

import importlib
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

_OPTION: Final = re.compile(r"(?<!\S)--[a-z][\w-]*")

# Modules of this folder, each of which yields the calls of one subject.
GROUPS = (
    "arrays",
    "odd_rows",
    "confusions",
    "tables",
    "described",
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
    "odd_sources",
    "objects",
    "unnoticed",
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

    They expect to be made in the folder of `in_a_folder`, one after the other. An id that is a
    command line is written without the names of its options, which may get other names.
    """
    module = importlib.import_module(f"tests.corpus.{group}")
    calls: list[Call] = []
    seen: Counter[str] = Counter()
    names: set[str] = set()
    for call in module.calls():
        assert call.id not in names, f"two calls are named {group}/{call.id}"
        names.add(call.id)
        plain = _OPTION.sub("--", call.id)
        seen[plain] += 1
        number = f" ({seen[plain]})" if seen[plain] > 1 else ""
        calls.append(replace(call, id=plain + number))
    return calls


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

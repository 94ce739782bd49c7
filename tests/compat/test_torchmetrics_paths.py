"""Import paths of `karat.compat.torchmetrics`: what is covered stands where torchmetrics has it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

from tests.optional import optional

theirs = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")
names = optional("karat.compat.torchmetrics.names")

PATHS = ("", ".classification", ".functional", ".functional.classification")
COVERED = {"Metric", "MetricCollection", *names.CLASSES, *names.FUNCTIONS}


def exported(path: str) -> set[str]:
    """What torchmetrics exports at a path."""
    return set(optional(f"torchmetrics{path}").__all__)


def ours(path: str) -> Any:
    return import_module(f"karat.compat.torchmetrics{path}")


@pytest.mark.parametrize("path", PATHS)
def test_what_is_covered_is_imported_from_where_torchmetrics_has_it(path: str) -> None:
    wanted = sorted(exported(path) & COVERED)
    assert len(wanted) >= 15
    found: dict[str, Any] = {}
    exec(f"from {ours(path).__name__} import {', '.join(wanted)}", found)
    for name in wanted:
        assert found[name] is getattr(karat_torchmetrics, name), name
        assert found[name].__name__ == name
    assert set(wanted) <= set(ours(path).__all__) & set(dir(ours(path)))


def test_every_function_and_class_is_at_its_longest_path() -> None:
    assert sorted(ours(".classification").__all__) == sorted(names.CLASSES)
    assert sorted(ours(".functional.classification").__all__) == sorted(names.FUNCTIONS)
    assert sorted(ours(".functional").__all__) == sorted(names.FUNCTIONS)
    assert sorted(ours("").__all__) == sorted(COVERED)
    assert set(names.CLASSES) <= exported(".classification")
    assert set(names.FUNCTIONS) <= exported(".functional.classification")


def test_modules_are_attributes_as_there() -> None:
    """`import torchmetrics` and dots, in a process that has imported nothing else."""
    script = (
        "import karat.compat.torchmetrics as torchmetrics\n"
        "torchmetrics.functional.classification.multiclass_accuracy\n"
        "torchmetrics.classification.Accuracy(task='multiclass', num_classes=3)\n"
        "from karat.compat.torchmetrics.metric import Metric\n"
        "from karat.compat.torchmetrics.collections import MetricCollection\n"
        "assert torchmetrics.collections.MetricCollection is torchmetrics.MetricCollection\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert theirs.collections.MetricCollection is theirs.MetricCollection
    assert theirs.metric.Metric is theirs.Metric

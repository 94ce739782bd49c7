"""Metrics by task of `karat.compat.torchmetrics`: the class of the task, its defaults."""

from __future__ import annotations

import inspect
import warnings
from functools import partial
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.test_torchmetrics_differences import KNOWN, difference, outcome_of
from tests.compat.torchmetrics_calls import CLASSES, Call, call_of
from tests.compat.torchmetrics_sets import CURVES, ORDERED, needed
from tests.optional import optional

torch = optional("torch")
theirs = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")
names = optional("karat.compat.torchmetrics.table")

FUNCTIONS = sorted([*CLASSES, *CURVES])
METRICS = sorted([*CLASSES.values(), *CURVES.values()])


@pytest.mark.parametrize("name", [*FUNCTIONS, *METRICS])
def test_signatures_are_those_of_torchmetrics(name: str) -> None:
    def parameters(of: Any) -> list[tuple[str, Any]]:
        found = inspect.signature(of).parameters.values()
        return [(p.name, p.default) for p in found if p.kind is not p.KEYWORD_ONLY]

    if name in METRICS:
        expected = parameters(getattr(theirs.classification, name).__new__)[1:]
    else:
        expected = parameters(getattr(theirs.functional.classification, name))
    assert parameters(getattr(karat_torchmetrics, name)) == expected
    assert names.MEASURES == {**CLASSES, **ORDERED, **CURVES}


def by_function(home: Any, call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return getattr(home, call.measure)(preds, target, task=call.task, **options)


def by_metric(home: Any, call: Call, preds: Any, target: Any, **options: Any) -> Any:
    metric = getattr(home, CLASSES[call.measure])(task=call.task, **options)
    metric.update(preds, target)
    return metric.compute()


@pytest.mark.parametrize("block", range(3))
def test_random_calls_give_what_torchmetrics_gives(block: int) -> None:
    unknown = []
    for seed in range(500):
        call = call_of(3_000_000 + 1000 * block + seed)
        if seed % 2:  # torchmetrics' own defaults
            kept = ("num_classes", "thresholds", "beta")
            call.options = {name: call.options[name] for name in kept if name in call.options}
            if ((call.target < 0) | (call.target >= call.k)).any():
                continue
        for way, home in ((by_function, theirs.functional), (by_metric, theirs)):
            ours = karat_torchmetrics.functional if way is by_function else karat_torchmetrics
            name = difference(
                call,
                outcome_of(partial(way, ours, call), call),
                outcome_of(partial(way, home, call), call),
            )
            if name is not None and name not in KNOWN:
                unknown.append(name)
    assert unknown == []


def test_the_class_is_that_of_the_task() -> None:
    made = karat_torchmetrics.Accuracy("multiclass", num_classes=3, sync_on_compute=False)
    assert type(made) is karat_torchmetrics.MulticlassAccuracy
    assert (made.average, made.sync_on_compute) == ("micro", False)
    assert type(karat_torchmetrics.AUROC(task="BINARY")) is karat_torchmetrics.BinaryAUROC


@pytest.mark.parametrize("task", ["multilabel", "regression", None, "multiclass"])
@pytest.mark.parametrize("name", METRICS)
def test_other_tasks_and_absent_classes_are_refused(name: str, task: Any) -> None:
    others = {own: value for own, value in needed(name).items() if own != "beta"}
    with pytest.raises(KaratError, match="K122"), warnings.catch_warnings():
        getattr(karat_torchmetrics, name)(task=task, **others)

"""A pytest plugin: scikit-learn's own tests run on the functions of `karat.compat.sklearn`.

The names are replaced before pytest imports the tests, because tables and partials bind then;
after collection scikit-learn's own modules get their functions back, so that nothing of theirs
runs on a replacement that the tests did not ask for.
Each replacement records who called it. SHIPPED_RESULTS names the file for what was seen;
SHIPPED_TESTS may name a file with the tests to run, each with the one function whose answers are
made slightly wrong in it.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat.compat.sklearn as replacement
from tests.oracles.shipped import current, pytest_runtest_logreport, pytest_sessionfinish, recorded

__all__ = ["pytest_runtest_logreport", "pytest_sessionfinish"]

MODULES = (
    "sklearn.metrics",
    "sklearn.metrics._classification",
    "sklearn.metrics._ranking",
    "sklearn.calibration",
)
NAMES = tuple(name for name in replacement.__all__ if callable(getattr(replacement, name)))
NAMES = tuple(name for name in NAMES if name[0].islower() and "install" not in name)

originals: list[tuple[Any, str, Any]] = []
recorders: dict[int, str] = {}
to_damage: dict[str, str] = {}


def recorder(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which notes the test that calls it."""

    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if current:
            current[-1]["names"].add(name)
        answer = function(*args, **kwargs)
        if not current or current[-1]["damaged"] != name:
            return answer
        # The error changes from call to call: many tests only compare two answers.
        current[-1]["calls"] += 1
        return damaged(answer, 1 + current[-1]["calls"] % 3)

    recorders[id(noted)] = name
    # Where it can be found again by its name, as pickling does.
    noted.__module__ = "sklearn.metrics"
    return noted


def damaged(answer: Any, by: int) -> Any:
    """The answer, slightly wrong: floats by 0.0137, counts by 1, a text by one digit; or more."""
    if isinstance(answer, str):
        place = next(i for i, letter in enumerate(answer) if letter.isdigit())
        return f"{answer[:place]}{(int(answer[place]) + by) % 10}{answer[place + 1 :]}"
    if isinstance(answer, dict):
        return {key: damaged(value, by) for key, value in answer.items()}
    if isinstance(answer, tuple):
        return tuple(None if part is None else damaged(part, by) for part in answer)
    if isinstance(answer, np.ndarray):
        return answer + by * (1 if answer.dtype.kind in "iu" else 0.0137)
    return answer + by * 0.0137


def pytest_configure(config: pytest.Config) -> None:
    loaded = [importlib.import_module(module) for module in MODULES]
    for name in NAMES:
        made = recorder(name, getattr(replacement, name))
        for module in loaded:
            if hasattr(module, name):
                originals.append((module, name, getattr(module, name)))
                setattr(module, name, made)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out other tests than those asked for; give scikit-learn its functions back.

    Of the tests of calibration only those of the curve are of a metric.
    """
    wanted = os.environ.get("SHIPPED_TESTS")
    if wanted:
        to_damage.update(json.loads(Path(wanted).read_text(encoding="utf-8")))
    kept, left = [], []
    for item in items:
        is_other = "test_calibration.py" in item.nodeid and "calibration_curve" not in item.name
        is_kept = item.nodeid in to_damage if to_damage else not is_other
        (kept if is_kept else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)
    for module, name, original in originals:
        if module.__name__ != "sklearn.metrics":
            setattr(module, name, original)


def names_in(value: Any) -> set[str]:
    """The replaced functions in a parameter of a test."""
    if isinstance(value, functools.partial):
        return names_in(value.func)
    if isinstance(value, list | tuple):
        return set().union(*map(names_in, value)) if value else set()
    return {recorders[id(value)]} if id(value) in recorders else set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    params = getattr(item, "callspec", None)
    values = params.params.values() if params is not None else ()
    facts = {"damaged": to_damage.get(item.nodeid), "calls": 0}
    with recorded(item, names=set().union(*map(names_in, values)), **facts):
        return (yield)

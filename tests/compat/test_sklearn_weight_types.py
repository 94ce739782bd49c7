"""Random calls of `karat.compat.sklearn` with weights of every type: scikit-learn's answers.

Where scikit-learn's sums leave the type of the weights (its NumPy overflows), karat's are those of
the same weights in 64 bits: every other difference fails.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat.compat.sklearn as karat_sklearn
from tests.compat.sklearn_calls import DRAWN, Call
from tests.compat.sklearn_inputs import Drawer
from tests.compat.sklearn_sets import DRAWN as OF_SETS
from tests.compat.sklearn_sets import SetDrawer
from tests.compat.test_sklearn_differences import (
    Outcome,
    difference,
    is_narrow,
    is_same_value,
    outcome_of,
    theirs,
)
from tests.optional import optional

SEEDS = range(8)
CALLS = 2600
"""Calls of each seed: 20 800 in all."""

TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f2", ">i2", ">f2")
CONTAINERS: tuple[Callable[[Any], Any], ...] = (
    lambda values: values,
    lambda values: values,
    lambda values: values,
    pd.Series,
    lambda values: np.repeat(values, 2)[::2],
    lambda values: values.tolist(),
)


def typed(draw: Drawer) -> Any:
    """Weights of one of the types, small or up to the end of the type."""
    dtype = np.dtype(draw.one(*TYPES))
    if dtype.kind == "f":
        values = draw.rng.random(draw.n) * draw.one(1, 10, 1000, 60_000)
    else:
        largest = min(int(np.iinfo(dtype).max), 1 << 62)
        most = min(largest, draw.one(1, 3, 10, 100, 1 << 30, largest))
        values = draw.rng.integers(0, most, draw.n, endpoint=True)
    if dtype.kind == "i" and draw.is_odd and draw.chance(0.3):
        values = -values
    return draw.one(*CONTAINERS)(values.astype(dtype))


def call_of(seed: int, number: int) -> Call:
    """One of the calls of a seed; every function that takes weights has its turn."""
    made = [(name, draw, Drawer) for name, draw in sorted(DRAWN.items())]
    made += [(name, draw, SetDrawer) for name, draw in sorted(OF_SETS.items())]
    name, draw, kind = made[number % len(made)]
    drawer: Any = type(f"Typed{kind.__name__}", (kind,), {"weights": typed})
    return draw(drawer([seed, number, 7]), name)


HALF = 2


def leaves_its_type(call: Call) -> bool:
    """True if the weights are halves, in another byte order, or their sums may leave their type."""
    weights = np.asarray(call.kwargs.get("sample_weight"))
    if weights.ndim != 1 or weights.dtype.kind not in "iuf":
        return False
    if not weights.dtype.isnative or weights.dtype.kind == "f":
        return not weights.dtype.isnative or weights.dtype.itemsize == HALF
    total, limit = sum(map(abs, weights.tolist())), np.iinfo(weights.dtype).max
    if call.name == "class_likelihood_ratios":  # multiplies two sums
        total, limit = total**2, np.iinfo(np.int64).max
    return total * LABELS > limit


def is_right(call: Call, ours: Outcome) -> bool:
    """True if karat's answer is that of scikit-learn for the same weights in 64 bits."""
    weights = np.asarray(call.kwargs["sample_weight"]).astype(float)
    wide = Call(call.name, call.args, {**call.kwargs, "sample_weight": weights})
    right = outcome_of(theirs(call.name), wide)
    if ours.error != right.error or ours.warned != right.warned:
        return False
    if isinstance(right.value, str):  # whole supports have no point
        return (
            re.sub(r"(?<=\d)\.0\b", "", ours.value).split()
            == re.sub(r"(?<=\d)\.0\b", "", right.value).split()
        )
    values = in_floats(ours.value), in_floats(right.value)
    floats = Outcome(values[0], None, ()), Outcome(values[1], None, ())
    return is_same_value(*values, 1e-9) or is_narrow(wide, *floats)


def is_whole(call: Call) -> bool:
    """True if the weights are whole numbers of 64 bits, whose sums wrap around in both."""
    return np.asarray(call.kwargs["sample_weight"]).dtype in (np.int64, np.uint64)


LABELS = 40
"""A sum over the labels of all rows has as many terms, at most, for each row."""


def in_floats(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(in_floats, value))
    if isinstance(value, Mapping):
        return {key: in_floats(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.astype(float) if value.dtype.kind in "iuf" else value
    return float(value) if isinstance(value, int | float | np.number) else value


def verdict(call: Call) -> str:
    """ "the same", the name of a known difference, or what differs."""
    function = getattr(karat_sklearn, call.name)
    shown = difference(call, function)
    if leaves_its_type(call):
        if is_right(call, outcome_of(function, call)):
            return "the same" if shown is None else "sums of scikit-learn leave the type"
        if shown is None and is_whole(call):
            return "both leave 64 bits"
        return shown or f"{call}\n  karat and scikit-learn differ from the weights in 64 bits"
    return shown or "the same"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_weights_of_every_type(seed: int) -> None:
    found = Counter(verdict(call_of(seed, number)) for number in range(CALLS))
    unexplained = [shown for shown in found if "\n" in shown]
    for shown in unexplained:
        del found[shown]
    print(f"seed {seed}: {CALLS} calls, {dict(found)}, {len(unexplained)} unexplained")
    assert not unexplained, "\n".join(unexplained[:3])
    assert found["sums of scikit-learn leave the type"] > 0


metrics = optional("sklearn.metrics")
SETS = np.random.default_rng(3).random((2, 60, 3)) < 0.4
TWO = np.random.default_rng(4).integers(0, 2, (2, 60))
OVERFLOWS = (
    ("f1_score", SETS, {"average": "samples"}, "int32"),
    ("jaccard_score", SETS, {"average": "samples"}, "int32"),
    ("precision_recall_fscore_support", SETS, {"average": "samples"}, "int32"),
    ("class_likelihood_ratios", TWO, {}, "int32"),
    ("class_likelihood_ratios", TWO, {}, "uint64"),
    ("matthews_corrcoef", TWO, {}, "uint64"),
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "rows", "options", "kind"), OVERFLOWS)
def test_sums_that_overflow_there_are_those_of_floats(
    name: str, rows: Any, options: dict[str, Any], kind: str
) -> None:
    largest = np.iinfo(kind).max // 4 if kind == "uint64" else np.iinfo(kind).max
    weights = (np.random.default_rng(5).random(60) * largest).astype(kind)
    theirs, ours = (getattr(module, name) for module in (metrics, karat_sklearn))
    right = in_floats(theirs(*rows.astype(int), sample_weight=weights.astype(float), **options))
    found = in_floats(ours(*rows.astype(int), sample_weight=weights, **options))
    if isinstance(right, tuple):
        right, found = right[:3], found[:3]
    np.testing.assert_allclose(found, right, rtol=1e-9)
    wrong = in_floats(theirs(*rows.astype(int), sample_weight=weights, **options))
    wrong = wrong[:3] if isinstance(wrong, tuple) else wrong
    assert not np.allclose(wrong, right), "scikit-learn does not overflow: strike it from the page"


@pytest.mark.filterwarnings("ignore")
def test_long_doubles_are_read_as_doubles() -> None:
    weights = np.random.default_rng(6).random(60)
    for average in ("samples", "weighted", "micro"):
        values = {
            karat_sklearn.f1_score(
                *SETS.astype(int), average=average, sample_weight=weights.astype(kind)
            )
            for kind in ("longdouble", "float64")
        }
        assert max(values) - min(values) < 1e-15, average

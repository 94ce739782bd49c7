"""Random calls of `karat.compat.sklearn` and of scikit-learn: same answers, warnings and errors.

Values are equal, with 1e-12 for floats that are summed in another order; types, dtypes, the
category and text of warnings, the type and text of errors are the same.
Every difference that is not in KNOWN fails; each entry there says why it is one.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import karat.compat.sklearn as karat_sklearn
from tests.compat.sklearn_calls import DRAWN, Call, call_of
from tests.compat.sklearn_sets import DRAWN as OF_SETS
from tests.optional import optional
from tests.oracles.shipped_plugin import damaged

metrics = optional("sklearn.metrics")
calibration = optional("sklearn.calibration")

SEEDS = range(8)
CALLS = 2600
"""Calls of each seed: 20 800 in all."""

ROUNDED = 1e-12

OPTIONS = re.compile(r"(?<=among \{)[^}]*(?=\})")
"""A set of options in a message: its order differs from one process to the next."""


def sorted_options(found: re.Match[str]) -> str:
    return ", ".join(sorted(found[0].split(", ")))


@dataclass(frozen=True)
class Outcome:
    """What a call did: its warnings, and its value or its error."""

    value: Any
    error: tuple[str, str] | None
    warned: tuple[tuple[str, str], ...]


def outcome_of(function: Callable[..., Any], call: Call) -> Outcome:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, error = None, None
        try:
            value = function(*call.args, **call.kwargs)
        except Exception as problem:  # whatever it is, both have to raise it
            error = type(problem).__name__, OPTIONS.sub(sorted_options, str(problem))
    return Outcome(value, error, tuple((w.category.__name__, str(w.message)) for w in caught))


def theirs(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(metrics, name, None) or getattr(calibration, name)
    return found


def is_same_value(ours: Any, other: Any, within: float) -> bool:
    if type(ours) is not type(other):
        return False
    if isinstance(ours, tuple):
        return len(ours) == len(other) and all(
            is_same_value(a, b, within) for a, b in zip(ours, other, strict=True)
        )
    if isinstance(ours, dict):
        return list(ours) == list(other) and all(
            is_same_value(ours[key], other[key], within) for key in other
        )
    if isinstance(ours, np.ndarray):
        is_alike = ours.dtype == other.dtype and ours.shape == other.shape
        return is_alike and is_close(ours, other, within)
    if isinstance(ours, float | np.floating):
        return is_close(ours, other, within)
    return bool(ours == other)


def is_close(ours: Any, other: Any, within: float) -> bool:
    if getattr(ours, "dtype", np.dtype(float)).kind != "f":
        return bool(np.array_equal(ours, other))
    largest = np.max(np.abs(other), initial=1.0, where=np.isfinite(other))
    return bool(np.allclose(ours, other, rtol=within, atol=within * largest, equal_nan=True))


def is_narrow(call: Call, ours: Outcome, other: Outcome) -> bool:
    names = (
        "log", "brier", "d2", "hinge", "roc_auc", "average", "accuracy", "zero", "top_k", "label",
    )  # fmt: skip
    given = (call.args[1], call.kwargs.get("sample_weight"))
    dtypes = {getattr(values, "dtype", None) for values in given}
    if not call.name.startswith(names) or not dtypes & {np.dtype("f4"), np.dtype("f2")}:
        return False
    within = 3e-2 if np.dtype("f2") in dtypes else 2e-5
    is_alike = ours.error == other.error and ours.warned == other.warned
    return is_alike and is_same_value(ours.value, other.value, within)


def is_one_class(call: Call, ours: Outcome, other: Outcome) -> bool:
    is_of_rounding = call.name == "d2_brier_score" and isinstance(other.value, float)
    return is_of_rounding and abs(other.value) > 1e12 and not np.isfinite(ours.value)


def is_masked(call: Call, ours: Outcome, other: Outcome) -> bool:
    given = (*call.args, *call.kwargs.values())
    return any(isinstance(values, np.ma.MaskedArray) for values in given)


def has_odd_weights(call: Call, ours: Outcome, other: Outcome) -> bool:
    weights = call.kwargs.get("sample_weight")
    return weights is not None and np.asarray(weights).dtype.kind in "USO"


KNOWN: dict[str, Callable[[Call, Outcome, Outcome], bool]] = {
    "float32 and float16 are summed in float64, scikit-learn sums them in their type": is_narrow,
    "one class in y_true has D² of −inf, scikit-learn may divide by a rounding error": is_one_class,
    "masks are not read; if scikit-learn fails on a mask, its error differs": is_masked,
    "weights of text or objects fail inside NumPy, at another step": has_odd_weights,
}
"""Every known difference, and how a call shows it."""


def difference(call: Call, function: Callable[..., Any]) -> str | None:
    """None where both do the same; the name of a known difference; else what differs."""
    ours, other = outcome_of(function, call), outcome_of(theirs(call.name), call)
    if (
        ours.error == other.error
        and ours.warned == other.warned
        and is_same_value(ours.value, other.value, ROUNDED)
    ):
        return None
    for name, shows in KNOWN.items():
        if shows(call, ours, other):
            return name
    return f"{call}\n  karat:        {ours}\n  scikit-learn: {other}"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_call_does_what_scikit_learn_does(seed: int) -> None:
    found: Counter[str | None] = Counter()
    for number in range(CALLS):
        call = call_of(seed, number)
        found[difference(call, getattr(karat_sklearn, call.name))] += 1
    same = found.pop(None)
    known = {name: found.pop(name, 0) for name in KNOWN}
    print(f"seed {seed}: {CALLS} calls, {same} the same, known differences {known}")
    assert not found, f"seed {seed}: {len(found)} differ\n" + "\n".join(map(str, [*found][:3]))


WARNS_OF_NOTHING = {"auc", "calibration_curve", "multilabel_confusion_matrix"}

CONTROLS = 400
"""Calls of one function, in which its wrong answers have to be found."""


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_a_wrong_answer_is_found(name: str) -> None:
    function = getattr(karat_sklearn, name)
    wrong: dict[str, Callable[..., Any]] = {
        "value": lambda *args, **kwargs: damaged(function(*args, **kwargs), 1),
        "silent": lambda *args, **kwargs: silent(function, *args, **kwargs),
        "text": lambda *args, **kwargs: reworded(function, *args, **kwargs),
    }
    step = len(DRAWN)
    calls = [call_of(0, sorted(DRAWN).index(name) + step * turn) for turn in range(CONTROLS)]
    found = dict.fromkeys(wrong, False)
    for call in calls:
        for kind, sabotaged in wrong.items():
            if not found[kind]:
                shown = difference(call, sabotaged)
                found[kind] = shown is not None and shown not in KNOWN
    if name in WARNS_OF_NOTHING:
        del found["silent"]
    assert all(found.values()), found


def silent(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return function(*args, **kwargs)


def reworded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except ValueError as problem:
        raise type(problem)(f"{problem}!") from None


def test_every_function_has_its_turn() -> None:
    functions = {name for name in karat_sklearn.__all__ if name[0].islower()}
    assert {*DRAWN, *OF_SETS} == functions - {"install", "uninstall"}

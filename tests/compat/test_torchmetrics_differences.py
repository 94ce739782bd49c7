"""Random calls of `karat.compat.torchmetrics` and of torchmetrics: same values, types and shapes.

Values are equal within a rounding of the type that they come in; what torchmetrics refuses is
refused. Every difference that is not in KNOWN fails; each entry there says why it is one.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.torchmetrics_calls import Call, call_of
from tests.optional import optional

torch = optional("torch")
functional = optional("torchmetrics.functional.classification")
classes = optional("torchmetrics.classification")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

BLOCKS = range(8)
CALLS = 1500
"""Calls of functions in each block: 12 000 in all."""
FED = 300
"""Calls of classes, batch by batch, in each block."""

ROUNDED = {torch.float16: 5e-3, torch.bfloat16: 4e-2}
"""What torchmetrics loses by computing in half precision; all else is held to 2e-6."""


@dataclass(frozen=True)
class Outcome:
    """What a call gave: a tensor, or an error."""

    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Known:
    """A difference on purpose.

    Attributes:
        why: the reason, as in docs/torchmetrics.md.
        holds: whether it explains how two outcomes of a call differ.
    """

    why: str
    holds: Callable[[Call, Outcome, Outcome], bool]


def only_ours(ours: Outcome, theirs: Outcome) -> bool:
    return theirs.error is not None and ours.error is None


def only_theirs(ours: Outcome, theirs: Outcome) -> bool:
    return ours.error is not None and theirs.error is None


def is_same_value(ours: Outcome, theirs: Outcome) -> bool:
    """Equal but for the type of the tensor."""
    if ours.value is None or theirs.value is None:
        return False
    return is_close(ours.value, theirs.value)


def is_outside(call: Call) -> bool:
    """Whether some label is outside; hinge losses do not look whether an index is one to ignore."""
    is_unread = call.measure == "hinge_loss" and "option" in call.flaws
    return bool(call.flaws & {"target", "preds"}) or is_unread


def n_counted(call: Call) -> int:
    """Items that are not ignored in the batch with the fewest."""
    batches = [call.target[rows] for rows in call.batches]
    return min(
        (int((t != call.options.get("ignore_index", t - 1)).sum()) for t in batches), default=0
    )


KNOWN = {
    "labels": Known(
        "a label outside the declared classes is an error, also where torchmetrics gives a number",
        lambda call, a, b: is_outside(call) and only_theirs(a, b),
    ),
    "ignored": Known(
        "predictions of ignored rows are not checked",
        lambda call, a, b: call.flaws == {"preds"} and only_ours(a, b),
    ),
    "nan": Known(
        "a score that is NaN is an error",
        lambda call, a, b: "nan" in call.flaws and only_theirs(a, b),
    ),
    "ignored nan": Known(
        "a NaN in an ignored row does not make the other scores logits",
        lambda call, a, b: (
            "nan" in call.flaws
            and "ignore_index" in call.options
            and a.value is not None
            and b.value is not None
        ),
    ),
    "empty": Known(
        "a batch without rows that count adds nothing, where torchmetrics fails in a reshape",
        lambda call, a, b: not n_counted(call) and only_ours(a, b),
    ),
    "one sample": Known(
        "tp, fp, tn, fn of a single sample",
        lambda call, a, b: (
            call.function == "binary_stat_scores"
            and call.options.get("multidim_average") == "samplewise"
            and len(call.target) == 1
            and only_ours(a, b)
        ),
    ),
    "int32": Known(
        "targets of any integer type are accepted with thresholds; torchmetrics accepts only int64",
        lambda call, a, b: (
            call.target.dtype != torch.int64
            and call.options.get("thresholds") is not None
            and only_ours(a, b)
        ),
    ),
    "matthews": Known(
        "−1, 0 and 1 are float32, not int64",
        lambda call, a, b: (
            call.measure == "matthews_corrcoef"
            and call.k == 2
            and is_same_value(a, b)
            and (a.value.dtype, b.value.dtype) == (torch.float32, torch.int64)
        ),
    ),
    "one side": Known(
        "an area of classes with rows of one side only is float32, whatever the scores are",
        lambda call, a, b: (
            call.measure == "auroc"
            and is_same_value(a, b)
            and a.value.dtype == torch.float32
            and b.value.dtype == call.preds.dtype
        ),
    ),
    "calibration": Known(
        "a calibration error of 0 with norm l2 is a float; without rows it is NaN",
        lambda call, a, b: (
            call.options.get("norm") == "l2"
            and b.value is not None
            and b.value.dtype == torch.int64
            and a.value is not None
            and (a.value == 0 or (a.value.isnan() and not n_counted(call)))
        ),
    ),
}


def outcome_of(function: Callable[..., Any], call: Call) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Outcome(function(call.preds.clone(), call.target.clone(), **call.options))
        except Exception as problem:  # whatever it is, both have to raise
            return Outcome(error=problem)


def types_of(value: Any) -> Any:
    """The type of a tensor; of sequences, which they are and of what."""
    if isinstance(value, list | tuple):
        return type(value), [types_of(own) for own in value]
    return value.dtype


def is_close(ours: Any, theirs: Any, dtype: Any = None) -> bool:
    """Equal within the rounding of the type that scores or values have, in sequences too."""
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(
            is_close(a, b, dtype) for a, b in zip(ours, theirs, strict=True)
        )
    if ours.shape != theirs.shape:
        return False
    within = max(ROUNDED.get(kind, 2e-6) for kind in (dtype, theirs.dtype))
    return bool(
        torch.allclose(ours.double(), theirs.double(), rtol=within, atol=within, equal_nan=True)
    )


def difference(
    call: Call, ours: Outcome, theirs: Outcome, known_ones: dict[str, Known] = KNOWN
) -> str | None:
    """The name of a known difference, a description of an unknown one, or None."""
    if ours.error is not None and not isinstance(ours.error, KaratError):
        return f"{call}: {ours.error!r} is no error of karat"
    if ours.error is not None and theirs.error is not None:
        return None
    if ours.error is None and theirs.error is None:
        is_alike = types_of(ours.value) == types_of(theirs.value)
        if is_alike and is_close(ours.value, theirs.value, call.preds.dtype):
            return None
    for name, known in known_ones.items():
        if known.holds(call, ours, theirs):
            return name
    return f"{call}: karat {ours}, torchmetrics {theirs}"


def differences(calls: list[Call], ours: Callable[..., Any]) -> Counter[str]:
    """What `ours` does otherwise than torchmetrics' functions."""
    found: Counter[str] = Counter()
    for call in calls:
        theirs = outcome_of(getattr(functional, call.function), call)
        name = difference(call, outcome_of(partial(ours, call), call), theirs)
        if name is not None:
            found[name] += 1
    return found


def called(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return getattr(karat_torchmetrics, call.function)(preds, target, **options)


def drawn(block: int, n: int) -> list[Call]:
    return [call_of(seed) for seed in range(block * 100_000, block * 100_000 + n)]


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("block", BLOCKS)
def test_random_calls_give_what_torchmetrics_gives(block: int) -> None:
    found = differences(drawn(block, CALLS), called)
    assert sorted(set(found) - set(KNOWN)) == []


@pytest.mark.parametrize("block", BLOCKS[:3])
def test_random_calls_on_the_way_of_devices_give_it_too(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    found = differences(drawn(block + 50, CALLS), called)
    assert sorted(set(found) - set(KNOWN)) == []


def fed(home: Any, call: Call, preds: Any, target: Any, **options: Any) -> Any:
    """The value of the class, after batches of uneven length."""
    metric = getattr(home, call.metric)(**options)
    for rows in call.batches:
        metric.update(preds[rows], target[rows])
    return metric.compute()


@pytest.mark.parametrize("block", BLOCKS)
def test_random_batches_give_what_torchmetrics_gives(block: int) -> None:
    unknown = []
    for call in drawn(block + 20, FED):
        call.is_fed = True
        theirs = outcome_of(partial(fed, classes, call), call)
        ours = outcome_of(partial(fed, karat_torchmetrics, call), call)
        name = difference(call, ours, theirs)
        if name is not None and name not in KNOWN:
            unknown.append(name)
    assert unknown == []


def test_every_known_difference_occurs() -> None:
    found = differences([call for block in (0, 1, 2, 3) for call in drawn(block, CALLS)], called)
    assert sorted(found) == sorted(KNOWN)


def test_most_calls_have_a_value() -> None:
    calls = drawn(0, CALLS)
    outcomes = [outcome_of(getattr(functional, call.function), call) for call in calls]
    assert sum(found.error is None for found in outcomes) > 0.9 * len(calls)
    names = karat_torchmetrics.functional.__all__
    drawn_names = {call.function for call in calls}
    assert drawn_names == {name for name in names if name.startswith(("binary", "multiclass"))}


def shifted(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds, target, **options) + 1e-4


def widened(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds, target, **options).double()


def stacked(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds, target, **options)[None]


def unignoring(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    options.pop("ignore_index", None)
    return called(call, preds, target, **options)


def averaged(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    if options.get("average") == "macro":
        options["average"] = "weighted"
    return called(call, preds, target, **options)


def turned(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    is_turned = preds.shape == target.shape and not preds.is_floating_point()
    return called(call, target, preds, **options) if is_turned else called(call, preds, target)


def half_blind(call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds[::2], target[::2], **options)


@pytest.mark.parametrize(
    "sabotaged", [shifted, widened, stacked, unignoring, averaged, turned, half_blind]
)
def test_a_wrong_implementation_is_found(sabotaged: Callable[..., Any]) -> None:
    found = differences(drawn(90, 300), sabotaged)
    assert len(set(found) - set(KNOWN)) > 5

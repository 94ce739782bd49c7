"""Random multilabel calls of `karat.compat.torchmetrics` and of torchmetrics: the same outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.compat.test_torchmetrics_differences import KNOWN as OF_CLASSES
from tests.compat.test_torchmetrics_differences import (
    Known,
    difference,
    fed,
    is_same_value,
    one_thread,  # noqa: F401
    only_theirs,
    outcome_of,
)
from tests.compat.torchmetrics_sets import MEASURES, LabelCall, label_call_of
from tests.optional import optional

torch = optional("torch")
functional = optional("torchmetrics.functional.classification")
classes = optional("torchmetrics.classification")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

BLOCKS = range(8)
CALLS = 1250
"""Calls of functions in each block: 10 000 in all."""
FED = 250
"""Calls of classes, batch by batch, in each block."""
QUICK = 2 * len(MEASURES)


def has_one_sample(call: LabelCall) -> bool:
    is_each = call.options.get("multidim_average") == "samplewise"
    return is_each and min(len(call.target[rows]) for rows in call.batches) == 1


KNOWN = {
    **{name: OF_CLASSES[name] for name in ("labels", "ignored", "nan", "ignored nan", "one side")},
    "one sample": Known(
        "a batch of a single sample with multidim_average=\"samplewise\"",
        lambda call, a, b: has_one_sample(call) and a.error is None,
    ),
    "matthews": Known(
        "−1, 0 and 1 are float32, not int64",
        lambda call, a, b: (
            call.measure == "matthews_corrcoef"
            and is_same_value(a, b)
            and (a.value.dtype, b.value.dtype) == (torch.float32, torch.int64)
        ),
    ),
    "unchecked": Known(
        "values other than 0 and 1 are an error even without validate_args",
        lambda call, a, b: bool(call.flaws) and only_theirs(a, b),
    ),
}  # fmt: skip


def differences(calls: list[LabelCall], ours: Callable[..., Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for call in calls:
        theirs = outcome_of(getattr(functional, call.function), call)
        name = difference(call, outcome_of(partial(ours, call), call), theirs, KNOWN)
        if name is not None:
            found[name] += 1
    return found


def called(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return getattr(karat_torchmetrics, call.function)(preds, target, **options)


def drawn(block: int, n: int) -> list[LabelCall]:
    return [label_call_of(seed) for seed in range(block * 100_000, block * 100_000 + n)]


def unknown_of_batches(block: int, n: int) -> list[str]:
    unknown = []
    for seed in range(block * 100_000 + 50_000, block * 100_000 + 50_000 + n):
        call = label_call_of(seed, is_fed=True)
        theirs = outcome_of(partial(fed, classes, call), call)
        ours = outcome_of(partial(fed, karat_torchmetrics, call), call)
        name = difference(call, ours, theirs, KNOWN)
        if name is not None and name not in KNOWN:
            unknown.append(name)
    return unknown


def test_some_calls_give_what_torchmetrics_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [label_call_of(seed, MEASURES[seed % len(MEASURES)]) for seed in range(QUICK)]
    assert sorted(set(differences(calls, called)) - set(KNOWN)) == []
    assert unknown_of_batches(30, QUICK) == []
    monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    assert sorted(set(differences(calls, called)) - set(KNOWN)) == []


@pytest.mark.parametrize("block", BLOCKS)
def test_random_calls_give_what_torchmetrics_gives(block: int) -> None:
    assert sorted(set(differences(drawn(block, CALLS), called)) - set(KNOWN)) == []


@pytest.mark.parametrize("block", BLOCKS)
def test_random_batches_give_what_torchmetrics_gives(block: int) -> None:
    assert unknown_of_batches(block, FED) == []


@pytest.mark.parametrize("block", BLOCKS[:2])
def test_random_calls_on_the_way_of_devices_give_it_too(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    found = differences(drawn(block + 50, CALLS), called)
    assert sorted(set(found) - set(KNOWN)) == []


def shifted(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds, target, **options) + 1e-4


def unignoring(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    options.pop("ignore_index", None)
    return called(call, preds, target, **options)


def averaged(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    if options.get("average") == "macro":
        options["average"] = "weighted"
    return called(call, preds, target, **options)


def half_blind(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds[:, :, ...][::2], target[::2], **options)


@pytest.mark.parametrize("sabotaged", [shifted, unignoring, averaged, half_blind])
def test_a_wrong_implementation_is_found(sabotaged: Callable[..., Any]) -> None:
    assert len(set(differences(drawn(90, 150), sabotaged)) - set(KNOWN)) > 3


@pytest.mark.parametrize("native", [True, False])
def test_weight_two_is_a_row_twice_and_weight_zero_none(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not native:
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    n_compared = 0
    for seed in range(5 * len(MEASURES)):
        call = label_call_of(9000 + seed, MEASURES[seed % len(MEASURES)])
        scores = call.preds.float()
        is_each = call.options.get("multidim_average") == "samplewise"
        if call.flaws or is_each or len(scores) < 2 or scores.min() < 0 or scores.max() > 1:
            continue
        times = torch.arange(len(scores)) % 3
        rows = torch.arange(len(scores)).repeat_interleave(times)
        weights = times.double()
        ours = outcome_of(partial(called, call, weights=weights), call).value
        call.preds, call.target = call.preds[rows], call.target[rows]
        other = outcome_of(partial(called, call), call).value
        if other is None:  # no label that counts is left
            continue
        assert ours.shape == other.shape
        assert torch.allclose(ours.double(), other.double(), atol=1e-5, equal_nan=True), call
        n_compared += 1
    assert n_compared > len(MEASURES)


def test_peers_of_wrong_numbers_are_followed() -> None:
    """Where torchmetrics is wrong the drop-in is too, and karat's own metrics are not."""
    scores = torch.tensor([[0.9, 0.2, 0.4, 0.1]])
    truth = torch.tensor([[1, 0, 0, -1]])
    given = {"num_labels": 4, "ignore_index": -1}
    assert karat_torchmetrics.multilabel_coverage_error(scores, truth, **given) == 4.0
    other = torch.tensor([[0.5, 0.9, 0.4, 0.1]])
    loss = karat_torchmetrics.multilabel_ranking_loss(other, truth, **given)
    assert loss.item() == pytest.approx(1 / 3)
    gone = torch.full((1, 4), -1)
    assert karat_torchmetrics.multilabel_exact_match(scores, gone, **given) == 1.0

"""Random calls of the curves of several labels, in `karat.compat.torchmetrics` and torchmetrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.test_torchmetrics_differences import (
    Known,
    fed,
    one_thread,  # noqa: F401
    outcome_of,
)
from tests.compat.test_torchmetrics_sets import KNOWN as OF_LABELS
from tests.compat.test_torchmetrics_sets import called, classes, difference, functional
from tests.compat.torchmetrics_sets import CURVES, LabelCall, label_call_of, needed
from tests.optional import optional

torch = optional("torch")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

PAGE = Path(__file__).parents[2] / "docs" / "torchmetrics.md"
BLOCKS = range(4)
CALLS = 1250
"""Calls of functions in each block: 5 000 in all."""
FED = 250
QUICK = 2 * len(CURVES)

KNOWN = {
    **{name: OF_LABELS[name] for name in ("labels", "ignored nan", "nan", "unchecked")},
    "no positives": Known(
        "recall at a precision of 0 of a label that no row has is 0 at NaN",
        lambda call, a, b: (
            call.options.get("min_precision") == 0
            and isinstance(b.error, IndexError)
            and a.error is None
        ),
    ),
    "no negatives": Known(
        "LogAUC of float64 scores of a label that every row has is a number",
        lambda call, a, b: (
            call.measure == "logauc"
            and call.preds.dtype == torch.float64
            and isinstance(b.error, IndexError)
            and a.error is None
        ),
    ),
}


def drawn(block: int, n: int, *, is_fed: bool = False) -> list[LabelCall]:
    names = sorted(CURVES)
    start = 40_000_000 + block * 100_000
    return [label_call_of(start + i, names[i % len(names)], is_fed=is_fed) for i in range(n)]


def unknown(calls: list[LabelCall], ours: Callable[..., Any]) -> list[str]:
    """What `ours` does otherwise than torchmetrics' functions."""
    found = []
    for call in calls:
        theirs = outcome_of(getattr(functional, call.function), call)
        name = difference(call, outcome_of(partial(ours, call), call), theirs, KNOWN)
        if name is not None and name not in KNOWN:
            found.append(name)
    return found


def forwarded(home: Any, call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    """Values of batches and of all, after a reset."""
    metric = getattr(home, call.metric)(**options)
    metric.update(preds, target)
    metric.reset()
    batches = [metric(preds[rows], target[rows]) for rows in call.batches]
    return [*batches, metric.compute()]


def unknown_of_batches(calls: list[LabelCall], way: Callable[..., Any] = fed) -> list[str]:
    found = []
    for call in calls:
        theirs = outcome_of(partial(way, classes, call), call)
        name = difference(
            call, outcome_of(partial(way, karat_torchmetrics, call), call), theirs, KNOWN
        )
        if name is not None and name not in KNOWN:
            found.append(name)
    return found


def test_some_calls_give_what_torchmetrics_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = drawn(30, QUICK)
    assert unknown(calls, called) == []
    for way in (fed, forwarded):
        assert unknown_of_batches(drawn(31, QUICK, is_fed=True), way) == []
    monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    assert unknown(calls, called) == []


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("block", BLOCKS)
def test_random_calls_give_what_torchmetrics_gives(
    block: int, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not native:
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    assert unknown(drawn(block, CALLS), called) == []


@pytest.mark.parametrize("way", [fed, forwarded])
@pytest.mark.parametrize("block", BLOCKS)
def test_random_batches_give_what_torchmetrics_gives(block: int, way: Callable[..., Any]) -> None:
    assert unknown_of_batches(drawn(block + 10, FED, is_fed=True), way) == []


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same change of every tensor."""
    if isinstance(value, list | tuple):
        return type(value)(changed(own, change) for own in value)
    return change(value)


def shifted(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return changed(called(call, preds, target, **options), lambda own: own + 1e-4)


def widened(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return changed(called(call, preds, target, **options), lambda own: own.double())


def turned(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return changed(called(call, preds, target, **options), lambda own: own.flip(0))


def unlisted(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    value = called(call, preds, target, **options)
    return list(value) if isinstance(value, tuple) else [value]


def unignoring(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    options.pop("ignore_index", None)
    return called(call, preds, target, **options)


def half_blind(call: LabelCall, preds: Any, target: Any, **options: Any) -> Any:
    return called(call, preds[::2], target[::2], **options)


@pytest.mark.parametrize("sabotaged", [shifted, widened, turned, unlisted, unignoring, half_blind])
def test_a_wrong_implementation_is_found(sabotaged: Callable[..., Any]) -> None:
    assert len(unknown(drawn(90, 80), sabotaged)) > 8


def test_known_differences_occur_and_are_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [known.why for known in KNOWN.values() if known.why not in text] == []
    given = {"num_labels": 2, "thresholds": 5}
    scores, truth = torch.tensor([[0.9, 0.2], [0.3, 0.8]]), torch.tensor([[1, 0], [0, 0]])
    own = karat_torchmetrics.multilabel_recall_at_fixed_precision
    recall, thresholds = own(scores, truth, min_precision=0.0, **given)
    assert recall.tolist() == [1.0, 0.0]
    assert thresholds.isnan().tolist() == [False, True]
    with pytest.raises(IndexError):
        functional.multilabel_recall_at_fixed_precision(scores, truth, min_precision=0.0, **given)
    with pytest.raises(KaratError, match="K122  min_precision"):
        own(scores, truth, min_precision=1.5, **given)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("measure", sorted(CURVES))
def test_weight_two_is_a_row_twice_and_weight_zero_none(
    measure: str, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not native:
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    made = torch.Generator().manual_seed(7)
    scores, truth = (torch.rand((30, 3), generator=made), torch.rand((30, 3), generator=made) < 0.4)
    times = torch.arange(30) % 3
    rows = torch.arange(30).repeat_interleave(times)
    function = getattr(karat_torchmetrics, f"multilabel_{measure}")
    given = {"num_labels": 3, **needed(measure)}
    for thresholds in (None, 10):
        ours = function(
            scores, truth.long(), thresholds=thresholds, weights=times.double(), **given
        )
        other = function(scores[rows], truth[rows].long(), thresholds=thresholds, **given)
        torch.testing.assert_close(ours, other, rtol=0, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("thresholds", [None, 20])
def test_a_collection_counts_once_and_merges(thresholds: Any) -> None:
    made = torch.Generator().manual_seed(8)
    scores, truth = (torch.rand((40, 3), generator=made), torch.rand((40, 3), generator=made) < 0.3)
    truth = truth.long()

    def collection(home: Any) -> Any:
        given = {"num_labels": 3, "thresholds": thresholds}
        names = ["MultilabelAUROC", *(f"Multilabel{name}" for name in CURVES.values())]
        made = [getattr(home.classification, n)(**given, **needed(n)) for n in names]
        return home.MetricCollection(made)

    ours = collection(karat_torchmetrics)
    assert len(ours.compute_groups) == 1
    other = collection(optional("torchmetrics"))
    for rows in (slice(0, 15), slice(15, 40)):
        ours.update(scores[rows], truth[rows])
        other.update(scores[rows], truth[rows])
    torch.testing.assert_close(ours.compute(), other.compute(), rtol=0, atol=2e-6, equal_nan=True)
    first, second = (ours["MultilabelROC"].clone() for _ in range(2))
    first.merge_state(second)
    first.merge_state(second.metric_state)
    assert first.update_count == 5
    torch.testing.assert_close(first.compute()[:2], ours["MultilabelROC"].compute()[:2])


def test_by_task_there_are_curves_of_labels_only() -> None:
    scores, truth = torch.tensor([[0.9, 0.2], [0.3, 0.8]]), torch.tensor([[1, 0], [0, 1]])
    for measure, name in CURVES.items():
        given = {"task": "multilabel", "num_labels": 2, **needed(measure)}
        made = getattr(karat_torchmetrics, name)(**given)
        assert type(made) is getattr(karat_torchmetrics, f"Multilabel{name}")
        ours = getattr(karat_torchmetrics, measure)(scores, truth, **given)
        theirs = getattr(functional, measure)(scores, truth, **given)
        torch.testing.assert_close(ours, theirs, equal_nan=True)
        with pytest.raises(KaratError, match=r"(?s)K122  task.*Where a row has one class: .*karat"):
            getattr(karat_torchmetrics, name)(**{**given, "task": "binary"})

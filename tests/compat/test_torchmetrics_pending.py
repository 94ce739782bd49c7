"""Small batches of few classes wait to be counted: no state, value or refusal shows that."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from karat.errors import KaratError
from tests.optional import optional

torch = optional("torch")

from karat.compat.torchmetrics import pending  # noqa: E402
from karat.compat.torchmetrics.classification import (  # noqa: E402
    MulticlassCohenKappa,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
)

K = (3, 150, 201, 300)
METRICS: dict[str, Callable[[int], Any]] = {
    "matrix": MulticlassConfusionMatrix,
    "kappa": lambda k: MulticlassCohenKappa(k, weights="quadratic"),
    "classes": MulticlassF1Score,
}


def batches(k: int, n: int, rows: int = 64) -> list[tuple[Any, Any]]:
    made = torch.Generator().manual_seed(k)
    return [tuple(torch.randint(0, k, (2, rows), generator=made)) for _ in range(n)]


def at_once(metric: Any, given: list[tuple[Any, Any]]) -> Any:
    """The metric after all rows in one batch, which is too large to wait."""
    metric.update(*(torch.cat(side) for side in zip(*given, strict=True)))
    return metric


def states(metric: Any) -> list[Any]:
    found = metric.metric_state.values()
    return [torch.cat(value) if isinstance(value, list) else value for value in found]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Rows are counted every few batches, and batches of more than 100 rows at once."""
    monkeypatch.setattr(pending, "_LEAST", 200)
    monkeypatch.setattr(pending, "_MOST_ROWS", 100)
    return


@pytest.mark.parametrize("k", K)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.usefixtures("few")
def test_small_batches_have_the_state_and_the_value_of_one(name: str, k: int) -> None:
    make, given = METRICS[name], batches(k, 30)
    one, other = at_once(make(k), given), make(k)
    assert one.tally._pending is None
    for preds, target in given:
        other.update(preds, target)
        assert other.tally._pending is None or other.tally._pending.n < max(200, 4 * k * k)
    copies = [deepcopy(other), pickle.loads(pickle.dumps(other))]
    merged = make(k)
    merged.merge_state(other.metric_state)
    for metric in (other, *copies, merged):
        assert torch.equal(metric.compute(), one.compute())
        assert all(map(torch.equal, states(metric), states(one)))


def test_rows_are_those_of_the_call_though_its_tensors_are_changed() -> None:
    metric = MulticlassConfusionMatrix(150)
    preds, target = torch.zeros(5, dtype=torch.int16), torch.zeros(5, dtype=torch.int16)
    metric.update(preds, target)
    preds += 7
    assert metric.compute()[0, 0] == 5


@pytest.mark.parametrize("bad", [-1, 150, 1 << 40, -(1 << 63)])
@pytest.mark.parametrize("side", [0, 1])
def test_a_label_that_is_no_class_is_refused_at_once(bad: int, side: int) -> None:
    metric = MulticlassConfusionMatrix(150, validate_args=False)
    metric.update(*batches(150, 1)[0])
    given = batches(150, 2)[1]
    given[side][5] = bad
    with pytest.raises(KaratError, match="K621"):
        metric.update(*given)
    assert metric.compute().sum() == 64
    assert metric.update_count == 1


@pytest.mark.parametrize("k", K)
def test_rows_that_wait_and_weighted_rows_add_up(k: int) -> None:
    given = batches(k, 3)
    for make in (MulticlassConfusionMatrix, MulticlassF1Score):
        mixed, weighted = make(k), make(k)
        mixed.update(*given[0])
        mixed.update(*given[1], weights=torch.full((64,), 2.0))
        mixed.update(*given[2])
        for each, w in zip(given, (1.0, 2.0, 1.0), strict=True):
            weighted.update(*each, weights=torch.full((64,), w))
        assert torch.equal(mixed.compute(), weighted.compute())


def test_each_batch_has_a_value_of_its_own() -> None:
    metric, given = MulticlassConfusionMatrix(201), batches(201, 3)
    for preds, target in given:
        assert torch.equal(
            metric(preds, target),
            at_once(MulticlassConfusionMatrix(201), [(preds, target)]).compute(),
        )
    assert metric.compute().sum() == 3 * 64
    metric.reset()
    metric.update(*given[0])
    assert metric.compute().sum() == 64


def mixed(k: int) -> list[tuple[Any, Any]]:
    """Small and large batches by turns."""
    large = k * k // 16 + 8200
    return [pair for n in (64, large, 90, large) for pair in batches(k, 1, n)]


@pytest.mark.parametrize("k", [201, 500, 1024, 1025])
@pytest.mark.parametrize("name", ["matrix", "kappa"])
def test_large_batches_of_many_classes_are_a_table_on_their_way(name: str, k: int) -> None:
    given, one, other = mixed(k), METRICS[name](k), METRICS[name](k)
    for preds, target in given:
        one.update(preds, target)
        if len(preds) > 8192:
            assert (one.tally._pending is not None) == (k <= 1024)
        copied = deepcopy(one)
        other(preds, target)  # its value of the batch leaves the state as it is
    theirs = torch.zeros(k * k, dtype=torch.int64)
    for preds, target in given:
        theirs += torch.bincount(target * k + preds, minlength=k * k)
    whole = MulticlassConfusionMatrix(k)
    for preds, target in given:
        whole.update(preds, target)
    assert torch.equal(whole.compute().reshape(-1), theirs)
    assert torch.equal(one.compute(), other.compute())
    copied.update(*given[1])
    again = METRICS[name](k)
    again.merge_state(one.metric_state)
    again.update(*given[1])
    assert torch.equal(copied.compute(), again.compute())
    assert torch.equal(one.compute(), other.compute()), "a copy changed what it was made from"


@pytest.mark.parametrize("label", [-1, 300])
def test_a_large_batch_with_another_label_is_refused(label: int) -> None:
    metric = MulticlassConfusionMatrix(300, validate_args=False)
    ((preds, target),) = batches(300, 1, 20_000)
    metric.update(preds, target)
    before = metric.compute()
    target[7] = label
    with pytest.raises(KaratError, match="K621"):
        metric.update(preds, target)
    assert torch.equal(metric.compute(), before)

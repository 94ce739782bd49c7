"""Arithmetic on metrics of `karat.compat.torchmetrics`, step by step beside torchmetrics."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from karat.errors import KaratError
from tests.optional import optional

torch = optional("torch")
torchmetrics = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")

K = 3
HOMES = {"karat": karat_torchmetrics, "torchmetrics": torchmetrics}


def batches(n: int = 3) -> list[tuple[Any, Any]]:
    made = torch.Generator().manual_seed(23)
    return [
        (torch.rand((20, K), generator=made).softmax(1), torch.randint(0, K, (20,), generator=made))
        for _ in range(n)
    ]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a // b,
    lambda a, b: a % b,
    lambda a, b: a**b,
    lambda a, b: 1 + a,
    lambda a, b: 1 - a,
    lambda a, b: 2.0 * a,
    lambda a, b: 1 / a,
    lambda a, b: 2**a,
    lambda a, b: torch.tensor(2.0) + a,
    lambda a, b: a + torch.tensor([1.0, 2.0]),
    lambda a, b: a < b,
    lambda a, b: a >= 0.4,
    lambda a, b: (a > 0.1) & (b > 0.9),
    lambda a, b: (a > 0.1) | (b > 0.9),
    lambda a, b: (a > 0.1) ^ (b > 0.9),
    lambda a, b: ~(a > 0.1),
    lambda a, b: abs(a),
    lambda a, b: -a,
    lambda a, b: (a + b) / 2 * a,
]


@pytest.mark.parametrize("index", range(len(OPERATIONS)))
def test_metrics_can_be_reckoned_with(index: int) -> None:
    logs: list[list[Any]] = []
    for home in HOMES.values():
        c, log = home.classification, []
        parts = c.MulticlassAccuracy(K), c.MulticlassCohenKappa(K)
        made = OPERATIONS[index](*parts)
        assert isinstance(made, home.Metric)
        log += [made(*batches()[0])]
        made.update(*batches()[1])
        log += [made.compute()]
        parts[0].update(*batches()[2])
        log += [made.compute()]
        copy, within = made.clone(), home.MetricCollection({"own": made.clone()})
        log += [copy(*batches()[0]), copy.compute()]
        log += [within(*batches()[0])["own"], within.compute()["own"]]
        made.reset()
        logs.append([*log, torch.tensor(parts[0].update_called)])
    for mine, other in zip(*logs, strict=True):
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
        assert torch.allclose(mine.double(), other.double(), rtol=1e-4, atol=1e-6)


def test_small_print_of_compositions() -> None:
    t = karat_torchmetrics
    cells = t.MulticlassConfusionMatrix(K)
    first_row, twice, minus = cells[0], cells + cells, -t.BinaryMatthewsCorrCoef()
    twice.update(*batches()[0])
    assert int(twice.compute().sum()) == 40  # each batch is counted once
    assert first_row.compute().tolist() == cells.compute()[0].tolist()
    assert minus(torch.tensor([0, 1]), torch.tensor([1, 0])) == 1
    assert "add" in repr(twice)
    for metric in (twice, first_row):
        assert type(pickle.loads(pickle.dumps(metric))) is type(twice)
        assert list(metric.state_dict()) == []
        with pytest.raises(KaratError, match="merge_state"):
            metric.merge_state(metric)
    with pytest.raises(TypeError):
        list(cells)
    with pytest.raises(KaratError, match=r"(?s)A part of 'twice'.*clone\(\)"):
        t.MetricCollection({"twice": twice, "cells": cells})
    assert (cells == cells) is True
    for other in ("1", None, torchmetrics.SumMetric()):
        with pytest.raises(KaratError, match=r"(?s)K621  MulticlassConf.* \(add\).*a number"):
            cells + other

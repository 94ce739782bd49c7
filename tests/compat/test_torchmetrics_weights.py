"""Weights of `karat.compat.torchmetrics`: weight 2 is a row twice, weight 0 no row at all."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.compat.torchmetrics_calls import MEASURES, Call, call_of
from tests.optional import optional

torch = optional("torch")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

SEEDS = range(25)


def keyword(call: Call) -> str:
    return "row_weights" if call.measure == "cohen_kappa" else "weights"


def shape_of(call: Call) -> tuple[int, ...]:
    """Of weights: a weight for each item, or for each row where no item counts by itself."""
    return tuple(call.target.shape[:1] if call.measure == "exact_match" else call.target.shape)


def close(ours: Any, other: Any) -> bool:
    within = {torch.float16: 2e-3, torch.bfloat16: 1e-2}.get(ours.dtype, 1e-5)
    return ours.shape == other.shape and bool(
        torch.allclose(ours.double(), other.double(), rtol=within, atol=within, equal_nan=True)
    )


@pytest.fixture(params=["kernels", "device"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both ways of counting."""
    if request.param == "device":
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield request.param


@pytest.mark.parametrize("measure", MEASURES)
def test_weight_two_is_a_row_twice_and_weight_zero_none(measure: str, way: str) -> None:
    for seed in SEEDS:
        call = call_of(5000 + seed, measure, sound=True)
        if len(call.target) < 2:
            continue
        times = np.random.default_rng(seed).integers(0, 4, len(call.target))
        times[:2] = 2, 1
        rows = torch.from_numpy(np.repeat(np.arange(len(times)), times))
        is_each = call.options.get("multidim_average") == "samplewise"
        function = getattr(karat_torchmetrics, call.function)
        if is_each:  # a weight for each item: twice as much of every sample
            double = {keyword(call): torch.full(shape_of(call), 2.0)}
            ours = function(call.preds, call.target, **call.options, **double)
            both = torch.cat([call.preds, call.preds], -1), torch.cat([call.target] * 2, -1)
            assert close(ours, function(*both, **call.options)), call
            continue
        weights = {keyword(call): torch.from_numpy(times.astype(float))}
        ours = function(call.preds, call.target, **call.options, **weights)
        other = function(call.preds[rows], call.target[rows], **call.options)
        assert close(ours, other), (call, ours, other)


@pytest.mark.parametrize("measure", MEASURES)
def test_weights_of_batches_with_and_without_them_add_up(measure: str, way: str) -> None:
    for seed in SEEDS[:6]:
        call = call_of(8000 + seed, measure, sound=True)
        is_each = call.options.get("multidim_average") == "samplewise"
        ones = torch.ones(shape_of(call))
        metric = getattr(karat_torchmetrics, call.metric)(**call.options)
        plain = getattr(karat_torchmetrics, call.metric)(**call.options)
        metric.update(call.preds, call.target)
        metric.update(call.preds, call.target, weights=None if is_each else 2 * ones)
        for _ in range(2 if is_each else 3):
            plain.update(call.preds, call.target)
        assert close(metric.compute(), plain.compute()), call


def test_weighted_values_are_those_of_karat() -> None:
    numbers = np.random.default_rng(3)
    y, p, w = numbers.integers(0, 3, 200), numbers.integers(0, 3, 200), numbers.random(200)
    t = karat_torchmetrics
    given = torch.from_numpy(p), torch.from_numpy(y)
    ours = t.multiclass_matthews_corrcoef(*given, 3, weights=torch.from_numpy(w))
    assert math.isclose(ours, karat.matthews_correlation(y, p, weights=w), rel_tol=1e-6)
    scores = numbers.random(200)
    area = t.binary_auroc(torch.from_numpy(scores), torch.from_numpy(y == 1).int(), weights=w)
    expected = karat.roc_auc((y == 1).astype(int), y_score=scores, weights=w)
    assert math.isclose(area, expected, rel_tol=1e-6)


def test_a_collection_hands_weights_to_every_metric(way: str) -> None:
    t = karat_torchmetrics
    both = t.MetricCollection([t.BinaryCohenKappa(), t.BinaryConfusionMatrix(), t.BinaryAUROC()])
    preds, target = torch.tensor([0.9, 0.2, 0.6]), torch.tensor([1, 0, 0])
    found = both(preds, target, weights=[1.0, 0.5, 0.0])
    assert found["BinaryConfusionMatrix"].tolist() == [[0.5, 0.0], [0.0, 1.0]]
    assert found["BinaryConfusionMatrix"].dtype == torch.float64
    assert (found["BinaryCohenKappa"], found["BinaryAUROC"]) == (1.0, 1.0)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_no_weight_is_refused(measure: str, weight: float, way: str) -> None:
    call = call_of(6000, measure, sound=True)
    weights = torch.ones(shape_of(call))
    weights.reshape(-1)[0] = weight
    metric = getattr(karat_torchmetrics, call.metric)(**{**call.options, "validate_args": True})
    with pytest.raises(KaratError, match="K621  weights"):
        metric.update(call.preds, call.target, weights=weights)
    assert not metric.update_called


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(KaratError, match=r"weights has shape \(2,\), target \(3,\)"):
        karat_torchmetrics.binary_accuracy(torch.ones(3), torch.ones(3), weights=[1.0, 2.0])

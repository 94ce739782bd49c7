"""State of metrics of many classes: as small as the metric allows, with the values of a table."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from karat.errors import KaratError
from tests.optional import optional

torch = optional("torch")
t = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

RATES = (
    "Accuracy",
    "F1Score",
    "HammingDistance",
    "NegativePredictiveValue",
    "Precision",
    "Recall",
    "Specificity",
    "StatScores",
)
AVERAGES = ("micro", "macro", "weighted", None)
MADE: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"{name} {average}": (name, {"average": average}) for name in RATES for average in AVERAGES},
    **{f"JaccardIndex {average}": ("JaccardIndex", {"average": average}) for average in AVERAGES},
    "JaccardIndex micro, ignored": ("JaccardIndex", {"average": "micro", "ignore_index": 3}),
    "MatthewsCorrCoef": ("MatthewsCorrCoef", {}),
    "CohenKappa": ("CohenKappa", {}),
    "CohenKappa linear": ("CohenKappa", {"weights": "linear"}),
    "CohenKappa quadratic": ("CohenKappa", {"weights": "quadratic"}),
    "ConfusionMatrix": ("ConfusionMatrix", {}),
    "ConfusionMatrix true": ("ConfusionMatrix", {"normalize": "true"}),
    "top 2": ("Accuracy", {"average": "macro", "top_k": 2}),
}
N = 400


def metric(name: str, k: int) -> Any:
    bare, options = MADE[name]
    return getattr(t, f"Multiclass{bare}")(k, **options)


def rows(k: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Scores of some classes, targets that they often hit, and whole weights, some of them 0."""
    made = torch.Generator().manual_seed(seed)
    target = torch.randint(0, k, (N,), generator=made)
    scores = torch.rand((N, k), generator=made)
    scores[torch.arange(0, N, 2), target[::2]] = 2.0
    return scores.softmax(1), target, torch.randint(0, 4, (N,), generator=made)


def n_numbers(state: dict[str, Any]) -> int:
    tensors = [
        own for part in state.values() for own in (part if isinstance(part, list) else [part])
    ]
    return sum(own.numel() for own in tensors)


def detail(name: str) -> str:
    bare, options = MADE[name]
    if bare == "ConfusionMatrix" or options.get("weights"):
        return "cells"
    is_total = options.get("average") == "micro" and "ignore_index" not in options
    return "hits" if is_total else "classes"


@pytest.mark.filterwarnings("ignore:.*NaN values found in confusion matrix")
@pytest.mark.parametrize("name", MADE)
def test_the_state_is_as_small_as_the_metric_allows(name: str) -> None:
    k = 300
    scores, target, _ = rows(k)
    made = metric(name, k)
    most = {"hits": 2, "classes": 3 * k, "cells": 2 * 3 * N}[detail(name)]
    assert n_numbers(made.metric_state) <= most
    for _ in range(3):
        made.update(scores, target)
    made.persistent(True)
    saved = made.state_dict()
    assert n_numbers(made.metric_state) <= most
    assert n_numbers(saved) == n_numbers(made.metric_state)
    other = metric(name, k)
    other.load_state_dict(saved)
    torch.testing.assert_close(other.compute(), made.compute(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.filterwarnings("ignore:.*NaN values found in confusion matrix")
@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize("k", [2, 5, 60])
@pytest.mark.parametrize("name", MADE)
def test_values_are_those_of_a_table(
    name: str, k: int, is_native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches with and without weights; weight w is the row w times, in the same bits."""
    monkeypatch.setattr(reading, "_DENSE_CLASSES", 30)
    scores, target, weights = rows(k, seed=k)
    shared = t.MetricCollection({"own": metric(name, k), "table": t.MulticlassConfusionMatrix(
        k, ignore_index=MADE[name][1].get("ignore_index"))})  # fmt: skip
    if not is_native:
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    plain, weighted, listed = (metric(name, k) for _ in range(3))
    for part in (slice(0, 150), slice(150, 151), slice(151, N)):
        plain.update(scores[part], target[part])
        shared.update(scores[part], target[part])
        is_plain = part.start == 150
        repeats = torch.ones_like(weights[part]) if is_plain else weights[part]
        weighted.update(scores[part], target[part], weights=None if is_plain else repeats)
        listed.update(scores[part].repeat_interleave(repeats, 0),
                      target[part].repeat_interleave(repeats))  # fmt: skip
    same = {"rtol": 0, "atol": 0, "equal_nan": True}
    copied = pickle.loads(pickle.dumps(plain))
    torch.testing.assert_close(copied.compute(), plain.compute(), **same)
    if "top 2" not in name:
        torch.testing.assert_close(plain.compute(), shared.compute()["own"], **same)
    torch.testing.assert_close(
        weighted.compute().double(), listed.compute().double(), rtol=1e-6, atol=0, equal_nan=True
    )
    merged = metric(name, k)
    merged.merge_state(plain)
    merged.merge_state(weighted.metric_state)
    both = metric(name, k)
    for own in (plain, weighted):
        both._tally.add(own._tally.copy())
    torch.testing.assert_close(merged.compute(), both.compute(), **same)


def test_a_zero_of_weights_is_exact() -> None:
    """No row is neither of class 0 nor predicted as it: its NPV is 0 / 0, not 1e-17 / 1e-17."""
    weights = torch.tensor([0.1, 0.2, 0.3, 0.7])
    preds, target = torch.zeros(4).long(), torch.tensor([1, 2, 1, 2])
    for name in ("NegativePredictiveValue", "Specificity"):
        made = getattr(t, f"Multiclass{name}")(3, average=None)
        for row in range(4):
            made.update(preds[[row]], target[[row]], weights=weights[[row]])
        assert made.compute()[0] == 0.0


def test_a_million_classes_take_the_memory_of_the_answer() -> None:
    k = 10**6
    made = torch.Generator().manual_seed(1)
    target = torch.randint(0, k, (500,), generator=made)
    preds = target.where(torch.arange(500) % 4 > 0, (target + 1) % k)
    metrics = {
        "micro": (t.MulticlassAccuracy(k, average="micro"), 0.75, 2),
        "recall": (t.MulticlassRecall(k, average="weighted"), 0.75, 3 * k),
        "kappa": (t.MulticlassCohenKappa(k, weights="quadratic"), 1.0, 2 * 1000),
    }
    for name, (metric, value, most) in metrics.items():
        metric.update(preds, target)
        metric.update(preds, target)
        assert metric.compute() == pytest.approx(value, abs=1e-6), name
        assert n_numbers(metric.metric_state) <= most, name


def test_occupied_cells_do_not_grow_with_the_rows() -> None:
    k = 300
    made = t.MulticlassCohenKappa(k, weights="linear")
    target = torch.arange(100)
    for shift in range(50):
        made.update((target + shift % 2) % k, target)
    pairs = [len(part) for part in made.metric_state["pairs"]]
    assert sum(pairs) <= 2 * 200
    assert sum(int(part.sum()) for part in made.metric_state["counts"]) == 5000


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("k", [5, 300])
@pytest.mark.parametrize("bad", [-1, 300])
@pytest.mark.parametrize("side", ["preds", "target"])
def test_labels_outside_the_classes_are_refused(average: str, k: int, bad: int, side: str) -> None:
    sides = {"preds": torch.tensor([0, 1, 2]), "target": torch.tensor([0, 1, 1])}
    sides[side][1] = bad
    for made in (
        t.MulticlassAccuracy(k, average=average),
        t.MulticlassCohenKappa(k, weights="linear"),
    ):
        with pytest.raises(KaratError, match=rf"K621[\s\S]*Item 1 of {side} is {bad}"):
            made.update(**sides)
        assert made.update_count == 0


def test_a_collection_shares_the_largest_state_that_one_needs() -> None:
    k = 6
    narrow = t.MetricCollection(
        {"micro": t.MulticlassAccuracy(k, average="micro"), "f1": t.MulticlassF1Score(k)}
    )
    assert list(narrow["micro"].metric_state) == ["classes"]
    narrow["table"] = t.MulticlassConfusionMatrix(k)
    assert {name: list(own) for name, own in narrow.metric_state.items()} == {
        name: ["cells"] for name in ("f1", "micro", "table")
    }
    assert narrow.compute_groups == {0: ["f1", "micro", "table"]}
    narrow.update(torch.tensor([0, 1, 2]), torch.tensor([0, 1, 1]))
    alone = t.MulticlassF1Score(k)
    alone.merge_state(narrow["f1"].clone())
    assert list(alone.metric_state) == ["classes"]
    assert torch.equal(alone.compute(), narrow.compute()["f1"])
    with pytest.raises(KaratError, match="keeps no less"):
        t.MulticlassConfusionMatrix(k).merge_state(alone)


def test_the_page_has_the_right_number_beside_each_defect_that_is_kept() -> None:
    page = (Path(__file__).parents[2] / "docs" / "torchmetrics.md").read_text(encoding="utf-8")
    part = page.partition("are not what their names promise")[2].partition("## ")[0]
    assert "karat.roc_auc" in part
    assert "karat.balanced_accuracy" in part

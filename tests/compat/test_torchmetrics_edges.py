"""Edges of `karat.compat.torchmetrics`: search between thresholds, devices, the page, no torch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.test_torchmetrics_differences import KNOWN
from tests.compat.torchmetrics_sets import needed
from tests.optional import optional

torch = optional("torch")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")
scored = optional("karat.compat.torchmetrics.scores")
ours = optional("karat.compat.torchmetrics.classification")
MetricCollection = karat_torchmetrics.MetricCollection

FUNCTIONS = [n for n in karat_torchmetrics.functional.__all__ if n.startswith(("binary", "multi"))]
PAGE = Path(__file__).parents[2] / "docs" / "torchmetrics.md"


def test_every_known_difference_is_on_the_page() -> None:
    text = re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))
    assert [known.why for known in KNOWN.values() if known.why not in text] == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("n", [2, 3, 7, 10, 49, 50, 200, 999, 1000, 4097, 100_003])
def test_even_thresholds_are_found_as_by_a_search(n: int, dtype: Any) -> None:
    thresholds = scored.thresholds_of(n)
    edges = torch.tensor(thresholds.values, dtype=thresholds.dtype)
    near = torch.cat([edges, edges.nextafter(edges + 1), edges.nextafter(edges - 1)]).clamp(0, 1)
    tiny = torch.rand(100) * 1e-30
    scores = torch.cat(
        [near.to(dtype), torch.rand(1000, dtype=torch.float64).to(dtype), tiny.to(dtype)]
    )
    binned = scored.BinnedScores(None, None, "sigmoid", thresholds)
    wide = torch.promote_types(dtype, torch.float32)
    expected = torch.bucketize(scores.to(wide), edges.to(wide), right=True)
    assert torch.equal(binned._reached(scores), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tensors_of_any_stride_are_read(name: str) -> None:
    """Every second row and column, without a warning, which torch gives once a process."""
    k = () if name.startswith("binary") else (3,)
    is_of_labels = name.startswith("multilabel")
    options: dict[str, Any] = {**needed(name)}
    scores, target = (
        torch.rand((40, 6), dtype=torch.float64),
        torch.randint(0, 2, (40, 3)) if is_of_labels else torch.randint(0, 3 if k else 2, (40,)),
    )
    preds = scores[::2, ::2] if k else scores[::2, 1]
    weight = {"row_weights" if "kappa" in name else "weights": torch.rand(40).double()[::2]}
    function = getattr(karat_torchmetrics, name)
    if k:
        options["num_labels" if is_of_labels else "num_classes"] = 3
    torch.set_warn_always(True)
    try:
        ours = function(preds, target[::2], **options, **weight)
    finally:
        torch.set_warn_always(False)
    whole = {key: value.clone() for key, value in weight.items()}
    other = function(preds.clone(), target[::2].clone(), **options, **whole)
    # Where no threshold is precise enough there is none.
    torch.testing.assert_close(ours, other, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("kept", [False, True])
def test_both_ways_count_alike_for_many_classes(
    kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    preds, target = torch.randint(0, 300, (5000,)), torch.randint(0, 300, (5000,))
    options = {"ignore_index": 7} if kept else {}
    ours = karat_torchmetrics.multiclass_confusion_matrix(preds, target, 300, **options)
    monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    other = karat_torchmetrics.multiclass_confusion_matrix(preds, target, 300, **options)
    assert torch.equal(ours, other)
    rows = target != 7 if kept else torch.ones(5000, dtype=torch.bool)
    assert torch.equal(
        ours, torch.bincount(target[rows] * 300 + preds[rows], minlength=90_000).reshape(300, 300)
    )


def test_counts_beyond_what_float32_holds_stay_whole() -> None:
    metric = karat_torchmetrics.BinaryAccuracy()
    metric.tally.sums["cells"] = torch.tensor([[2**40, 1], [0, 2**40]])
    metric.tally.n_batches = 1
    assert metric.metric_state["cells"].tolist() == [[2**40, 1], [0, 2**40]]
    other = metric.clone()
    other.merge_state(metric)
    assert other.metric_state["cells"].tolist() == [[2**41, 2], [0, 2**41]]


def test_an_area_of_no_rows_is_an_error() -> None:
    for name in ("binary_auroc", "binary_average_precision"):
        with pytest.raises(KaratError, match="No row was counted"):
            getattr(karat_torchmetrics, name)(torch.rand(0), torch.zeros(0).long())
    metric = karat_torchmetrics.MulticlassAUROC(3)
    with pytest.warns(UserWarning, match="before"), pytest.raises(KaratError, match="No row"):
        metric.compute()


def test_a_curve_that_ends_before_max_fpr_is_an_error() -> None:
    scores, target = torch.tensor([0.9, 0.2, 0.6]), torch.tensor([1, 0, 0])
    with pytest.raises(KaratError, match="below max_fpr"):
        karat_torchmetrics.binary_auroc(scores, target, max_fpr=0.8, thresholds=[0.5, 0.9])


@pytest.mark.parametrize(
    ("preds", "target", "options"),
    [
        (torch.rand(4, 3), torch.zeros(5).long(), {}),
        (torch.rand(4, 2), torch.zeros(4).long(), {}),
        (torch.rand(4, 3).long(), torch.zeros(4).long(), {}),
        (torch.zeros(4).long(), torch.zeros(4, 2).long(), {}),
        (torch.zeros(4).long(), torch.zeros(4).long(), {"multidim_average": "samplewise"}),
        (torch.zeros(4).long(), torch.zeros(4).long(), {"top_k": 2}),
    ],
)
def test_shapes_that_do_not_fit_are_refused(preds: Any, target: Any, options: Any) -> None:
    with pytest.raises(KaratError, match="K621"):
        karat_torchmetrics.multiclass_accuracy(preds, target, 3, **options)
    with pytest.raises(KaratError, match="K621"):
        karat_torchmetrics.multiclass_auroc(preds, target[..., None], 3)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import karat.compat.torchmetrics as home
for ask in (lambda: home.MulticlassAccuracy, lambda: home.functional.binary_f1_score):
    try:
        ask()
    except ImportError as problem:
        assert str(problem).endswith("works on tensors: pip install torch"), problem
    else:
        raise AssertionError
assert not hasattr(home, "MulticlassAccurracy")
assert "MetricCollection" in dir(home)
"""


def test_without_torch_it_is_said_what_to_install() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize("multidim", ["global", "samplewise"])
@pytest.mark.parametrize(
    ("dtype", "k"), [("uint8", 255), ("uint8", 256), ("uint8", 300), ("int8", 128), ("int8", 9000)]
)
def test_more_classes_than_a_narrow_type_has_numbers(
    dtype: str, k: int, multidim: str, is_native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_native:
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    most = min(k, torch.iinfo(getattr(torch, dtype)).max + 1)
    wide = torch.arange(2 * most).reshape(2, most) % most
    pred = wide.roll(1, 0).where(wide % 3 == 0, wide.roll(1, 1))
    function = karat_torchmetrics.functional.multiclass_accuracy
    options: dict[str, Any] = {"num_classes": k, "multidim_average": multidim, "average": "micro"}
    found = function(pred.to(getattr(torch, dtype)), wide.to(getattr(torch, dtype)), **options)
    assert torch.equal(found, function(pred, wide, **options))


def test_what_is_ignored_is_a_number_not_what_it_becomes_in_a_narrow_type() -> None:
    target = torch.tensor([44, 255, 3], dtype=torch.uint8)
    pred = torch.tensor([44, 0, 3], dtype=torch.uint8)
    function = karat_torchmetrics.functional.multiclass_accuracy
    for ignored in (-1, 300):
        found = function(pred, target, num_classes=256, average="micro", ignore_index=ignored)
        assert float(found) == pytest.approx(2 / 3)
    found = function(pred, target, num_classes=256, average="micro", ignore_index=255)
    assert float(found) == 1.0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"weights": "95"}, "K621"), ({"weights": {"a": 1}}, "K621"), ({"weights": 2**63}, "K621"),
        ({"ignore_index": 10**400}, "K122"), ({"ignore_index": 0.5}, "K122"),
        ({"multidim_average": torch.zeros(3)}, "K122"), ({"multidim_average": None}, "K122"),
    ],
    ids=str,
)  # fmt: skip
def test_options_of_any_kind_are_refused(options: dict[str, Any], code: str) -> None:
    preds, target = torch.tensor([0.25, 0.75]), torch.tensor([0, 1])
    with pytest.raises(KaratError) as found:
        karat_torchmetrics.functional.binary_accuracy(preds, target, **options)
    assert found.value.code == code


MANY = 300
P, Y = torch.arange(60) % 7, torch.arange(60) % 5


@pytest.mark.parametrize("k", [5, MANY])
@pytest.mark.parametrize("weights", [None, torch.ones(60)])
def test_a_batch_of_which_no_row_counts_adds_nothing(k: int, weights: Any) -> None:
    ignored = torch.full_like(Y, -1)
    options = {} if weights is None else {"weights": weights}
    for metric in (
        ours.MulticlassConfusionMatrix(num_classes=k, ignore_index=-1),
        ours.MulticlassAccuracy(num_classes=k, ignore_index=-1),
        ours.MulticlassAccuracy(num_classes=k, ignore_index=-1, average="micro"),
        ours.MulticlassCohenKappa(num_classes=k, ignore_index=-1, weights="linear"),
    ):
        value = metric(P % k, ignored, **options)
        assert not torch.nan_to_num(value).any()
        metric.update(P % 5, Y, **options)
        alone = type(metric)(
            num_classes=k,
            ignore_index=-1,
            **({"average": "micro"} if getattr(metric, "average", None) == "micro" else {}),
        )
        if "Kappa" not in type(metric).__name__ and value.numel() > 1:
            alone.update(P % 5, Y, **options)
            assert torch.equal(metric.compute(), alone.compute())


@pytest.mark.parametrize("kind", [torch.uint8, torch.uint16, torch.uint32, torch.uint64])
@pytest.mark.parametrize("k", [7, MANY])
def test_labels_of_unsigned_types(kind: Any, k: int) -> None:
    for make in (
        lambda: ours.MulticlassAccuracy(num_classes=k, average="micro"),
        lambda: ours.MulticlassConfusionMatrix(num_classes=k),
        lambda: ours.MulticlassF1Score(num_classes=k),
    ):
        plain, unsigned = make(), make()
        plain.update(P, Y)
        unsigned.update(P.to(kind), Y.to(kind))
        assert torch.equal(plain.compute(), unsigned.compute())


def test_only_rates_take_any_number_of_classes() -> None:
    for make in (
        ours.MulticlassConfusionMatrix,
        ours.MulticlassJaccardIndex,
        ours.MulticlassCohenKappa,
        ours.MulticlassExactMatch,
        ours.MulticlassAUROC,
    ):
        with pytest.raises(KaratError, match="K122"):
            make(num_classes=None)
    accuracy = ours.MulticlassAccuracy(num_classes=None, average="micro")
    with pytest.raises(KaratError, match="K621"):
        accuracy.update(P * float("nan"), Y)
    assert torch.isclose(accuracy(P.float(), Y), (P == Y).float().mean())


@pytest.mark.parametrize("k", [7, MANY])
def test_states_of_a_collection_are_read_by_a_metric_alone(k: int) -> None:
    pair = MetricCollection(
        {"f": ours.MulticlassF1Score(k), "cells": ours.MulticlassConfusionMatrix(k)}
    )
    pair.persistent(True)
    pair.update(P, Y)
    wanted = ours.MulticlassF1Score(k)
    wanted.update(P, Y)
    loaded = MetricCollection({"f": ours.MulticlassF1Score(k)})
    loaded.persistent(True)
    loaded.load_state_dict({x: own for x, own in pair.state_dict().items() if x.startswith("f.")})
    assert torch.equal(loaded.compute()["f"], wanted.compute())
    merged = ours.MulticlassF1Score(k)
    merged.merge_state(pair["f"])
    assert torch.equal(merged.compute(), wanted.compute())
    micro = ours.MulticlassAccuracy(k, average="micro")
    micro.merge_state(pair["f"].metric_state)
    assert torch.isclose(micro.compute(), (P == Y).float().mean())
    with pytest.raises(KaratError, match=r"K621(?s:.*)keeps no less"):
        ours.MulticlassConfusionMatrix(k).merge_state(wanted)
    with pytest.raises(KaratError, match="K621"):
        ours.MulticlassF1Score(k).merge_state(ours.MulticlassF1Score(k + 1))

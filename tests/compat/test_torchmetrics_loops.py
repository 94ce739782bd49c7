"""`karat.compat.torchmetrics` in loops of training, step by step beside torchmetrics itself."""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.torchmetrics_sets import needed, task_of
from tests.optional import optional

torch = optional("torch")
torchmetrics = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

K = 3
HOMES = {"karat": karat_torchmetrics, "torchmetrics": torchmetrics}


def batches(n: int = 3) -> list[tuple[Any, Any]]:
    made = torch.Generator().manual_seed(11)
    return [
        (torch.rand((20, K), generator=made).softmax(1), torch.randint(0, K, (20,), generator=made))
        for _ in range(n)
    ]


def collection(home: Any, **around: Any) -> Any:
    c = home.classification
    metrics = {
        "acc": c.MulticlassAccuracy(num_classes=K),
        "f1": c.F1Score(task="multiclass", num_classes=K, average=None),
        "auroc": c.MulticlassAUROC(num_classes=K),
        "cells": c.MulticlassConfusionMatrix(num_classes=K),
    }
    return home.MetricCollection(metrics, **around)


def model(home: Any) -> Any:
    """A module that holds metrics, as those of Lightning do."""
    made = torch.nn.Module()
    made.linear = torch.nn.Linear(2, K)
    made.accuracy = home.classification.MulticlassAccuracy(num_classes=K)
    made.train_metrics = collection(home, prefix="train_")
    made.val_metrics = made.train_metrics.clone(prefix="val_")
    return made


def plain(value: Any) -> Any:
    """Values without tensors, rounded."""
    if isinstance(value, torch.Tensor):
        return f"{value.dtype} {value.double().mul(1e5).round().tolist()}"
    if isinstance(value, dict):
        return {name: plain(own) for name, own in value.items()}
    return [plain(own) for own in value] if isinstance(value, (list, tuple)) else value


def epochs(home: Any) -> list[Any]:
    """Two epochs: what each step gives and what each epoch logs."""
    net, log = model(home), []
    for _ in range(2):
        for preds, target in batches():
            log += [net.accuracy(preds, target), net.train_metrics(preds, target)]
            net.val_metrics.update(preds, target)
        log += [net.accuracy.compute(), net.train_metrics.compute(), net.val_metrics.compute()]
        log += [{f"{name}/epoch": metric.compute() for name, metric in net.val_metrics.items()}]
        log += [net.val_metrics["acc"].compute(), net.val_metrics["val_acc"].compute()]
        for metric in (net.accuracy, net.train_metrics, net.val_metrics):
            metric.reset()
    return log


def saved_and_loaded(home: Any) -> list[Any]:
    first, second = model(home), model(home)
    log = [list(first.state_dict()), [name for name, _ in first.named_parameters()]]
    first.accuracy.persistent(True)
    second.accuracy.persistent(True)
    first.accuracy.update(*batches()[0])
    log += [str(second.load_state_dict(first.state_dict())), str(second.accuracy.device)]
    second.accuracy.update(*batches()[1])
    first.val_metrics.update(*batches()[2])
    buffer = io.BytesIO()
    torch.save(first, buffer)
    buffer.seek(0)
    third = torch.load(buffer, weights_only=False)
    log += [second.accuracy.compute(), third.accuracy.compute(), third.val_metrics.compute()]
    log += [pickle.loads(pickle.dumps(first.val_metrics)).compute()]
    log += [
        str(second.half().accuracy.compute().dtype),
        str(model(home).to("meta").accuracy.device),
    ]
    return log


def shown(home: Any) -> list[Any]:
    made = collection(home, prefix="val_", postfix="_ema")
    copies = [made.clone(), made.clone(prefix="test_"), made.clone(prefix="")]
    found = [repr(made), repr(collection(home)), [repr(c) for c in copies]]
    return [*found, len(made), [list(c) for c in copies], "acc" in made, "val_acc_ema" in made]


@pytest.mark.parametrize("steps", [epochs, saved_and_loaded, shown])
def test_a_loop_gives_what_it_gives_with_torchmetrics(steps: Callable[[Any], list[Any]]) -> None:
    ours, theirs = (plain(steps(home)) for home in HOMES.values())
    assert len(ours) == len(theirs) > 5
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == other


@pytest.mark.parametrize("name", karat_torchmetrics.classification.__all__)
def test_computing_before_the_first_batch(name: str) -> None:
    """A warning and the same number, or an error of both; karat's calibration errors are NaN."""
    found: dict[str, Any] = {}
    for home, module in HOMES.items():
        of_task = {} if name.startswith(("Binary", "Multi")) else {"task": task_of(name)}
        is_of_labels = "Multilabel" in name or "multilabel" in of_task.values()
        argument = "num_labels" if is_of_labels else "num_classes"
        given = {} if name.startswith("Binary") else {argument: K}
        metric = getattr(module.classification, name)(**of_task, **given, **needed(name))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                found[home] = plain(metric.compute())
            except ValueError:
                found[home] = "error"
        assert "before the ``update`` method" in str(told[0].message)
    if "CalibrationError" in name:
        assert found["karat"] == "torch.float32 nan"
        assert found["torchmetrics"] == "error"
    else:
        assert found["karat"] == found["torchmetrics"]


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "name", ["BinaryAccuracy", "BinaryAUROC", "BinaryCalibrationError", "BinaryHingeLoss"]
)
def test_float_targets_of_a_loss_are_labels(
    name: str, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`BCEWithLogitsLoss` asks for float targets, so loops have them at hand."""
    made = torch.Generator().manual_seed(5)
    scores, target = torch.rand(50, generator=made), torch.randint(0, 2, (50,), generator=made)
    if not native:
        monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    ours = getattr(karat_torchmetrics, name)()
    assert torch.allclose(ours(scores, target.float()), ours(scores, target))
    other = getattr(torchmetrics.classification, name)()
    assert torch.allclose(ours(scores, target.float()), other(scores, target.long()))
    with pytest.raises(KaratError, match="target"):
        ours(scores, target * 0.5)


@pytest.mark.parametrize("name", ["binary_accuracy", "binary_auroc", "binary_hinge_loss"])
def test_what_is_no_tensor_is_told(name: str) -> None:
    function = getattr(karat_torchmetrics, name)
    scores, target = torch.rand(4), torch.tensor([0, 1, 1, 0])
    for preds, labels, text in (
        (scores.numpy(), target, "preds is a numpy.ndarray"),
        (scores, target.tolist(), "target is a builtins.list"),
    ):
        with pytest.raises(KaratError, match=f"{text}.\n *Give a tensor"):
            function(preds, labels)
    with pytest.raises(KaratError, match=r"preds is a builtins.list"):
        collection(karat_torchmetrics).update([0, 1], target)


def test_bad_rows_say_where_they_are_and_leave_the_metric_as_it_was() -> None:
    (preds, target), broken = batches(1)[0], batches(1)[0][0].clone()
    broken[4, 1] = float("nan")
    made = collection(karat_torchmetrics)
    made.update(preds, target)
    before = plain(made.compute())
    for p, t, text in (
        (preds[:5], target, r"preds has shape \(5, 3\), target \(20,\)"),
        (preds[:, :2], target, "num_classes is 3"),
        (preds, torch.where(target == 2, 7, target), "Item [0-9]+ of target is 7"),
        (preds, torch.where(target == 2, -1, target), "Item [0-9]+ of target is -1"),
        (broken, target, "Item 4 of preds is a score that is NaN; 1 of 20"),
        (broken, target, "Correct them, or give their targets a value to skip"),
    ):
        with pytest.raises(KaratError, match=text):
            made.update(p, t)
    assert plain(made.compute()) == before


def test_metrics_leave_a_collection_and_are_free() -> None:
    made = collection(karat_torchmetrics, prefix="val_")
    made.update(*batches()[0])
    gone = made.pop("f1")
    del made["val_auroc"]
    made.update(*batches()[1])
    gone.update(*batches()[2])
    assert list(made.compute()) == ["val_acc", "val_cells"]
    assert made.compute_groups == {0: ["acc", "cells"]}
    assert (made["cells"].compute().sum(), gone.update_count) == (40, 2)
    made.clear()
    assert made.compute() == {}


def test_texts_around_names_are_texts() -> None:
    for wrong in ({"prefix": 3}, {"postfix": ["_"]}):
        with pytest.raises(KaratError, match="K122"):
            collection(karat_torchmetrics, **wrong)
        with pytest.raises(KaratError, match="K122"):
            collection(karat_torchmetrics).clone(**wrong)


def test_a_task_of_torchmetrics_own_kind_is_a_task() -> None:
    task = torchmetrics.utilities.enums.ClassificationTask.MULTICLASS
    made = karat_torchmetrics.Accuracy(task=task, num_classes=K)
    assert type(made).__name__ == "MulticlassAccuracy"

"""Metrics of `karat.compat.torchmetrics` in batches: any split, merge or copy is one call."""

from __future__ import annotations

import gc
import inspect
import pickle
import warnings
import weakref
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.torchmetrics_calls import CLASSES, Call, call_of
from tests.compat.torchmetrics_sets import CURVES, ORDERED, label_call_of, needed, task_of
from tests.optional import optional

torch = optional("torch")
karat_torchmetrics = optional("karat.compat.torchmetrics")
reading = optional("karat.compat.torchmetrics.reading")

NAMES = sorted(
    n for n in karat_torchmetrics.classification.__all__ if n.startswith(("Binary", "Multi"))
)
FUNCTIONS = [n for n in karat_torchmetrics.functional.__all__ if n.startswith(("binary", "multi"))]
SEEDS = range(150)


def sound_call(seed: int) -> Call:
    """A call that has a value, fed in batches; scores are probabilities or plainly logits."""
    for salt in range(100):
        call = call_of(1_000_000 + 1000 * seed + salt, sound=True)
        if len(call.target) >= 8 and call.options.get("ignore_index") is None:
            return call
    raise AssertionError


def sound_label_call(measure: str) -> Call:
    """The same of several labels a row."""
    for seed in range(1000):
        call = label_call_of(2_000_000 + seed, measure)
        is_whole = not call.flaws and call.options.get("ignore_index") is None
        is_scored = call.preds.is_floating_point() and len(call.target) >= 8
        if is_whole and is_scored and call.preds.min() >= 0 and call.preds.max() <= 1:
            return call
    raise AssertionError


@cache
def of_each() -> list[Call]:
    """One call of each class of metrics."""
    found: dict[str, Call] = {}
    for measure, bare in {**CLASSES, **ORDERED, **CURVES}.items():
        if f"Multilabel{bare}" in NAMES:
            found[f"Multilabel{bare}"] = sound_label_call(measure)
    for seed in range(3000):
        call = sound_call(seed)
        if call.preds.is_floating_point():
            found.setdefault(call.metric, call)
        if len(found) == len(NAMES):
            break
    return [found[name] for name in NAMES]


def made(call: Call) -> Any:
    return getattr(karat_torchmetrics, call.metric)(**call.options)


def same(ours: Any, other: Any) -> bool:
    if isinstance(ours, list | tuple):
        return len(ours) == len(other) and all(map(same, ours, other))
    return bool(
        ours.shape == other.shape
        and ours.dtype == other.dtype
        and torch.allclose(ours.double(), other.double(), rtol=1e-6, atol=1e-7, equal_nan=True)
    )


def tensors_of(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [own for part in value for own in tensors_of(part)]
    return [value]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("seed", SEEDS)
def test_any_split_is_one_call(seed: int) -> None:
    call = sound_call(seed)
    whole, split = made(call), made(call)
    whole.update(call.preds, call.target)
    call.is_fed = True
    values = [split(call.preds[rows], call.target[rows]) for rows in call.batches]
    assert same(split.compute(), whole.compute())
    assert split.update_count == len(call.batches)
    for rows, value in zip(call.batches, values, strict=True):
        alone = made(call)
        alone.update(call.preds[rows], call.target[rows])
        assert same(value, alone.compute())


@pytest.mark.parametrize("seed", SEEDS[:60])
def test_merged_pickled_cloned_and_reset_metrics_are_one_call(seed: int) -> None:
    call = sound_call(seed)
    call.is_fed = True
    whole, parts = made(call), []
    whole.update(call.preds, call.target)
    for rows in call.batches:
        parts.append(made(call))
        parts[-1].update(call.preds[rows], call.target[rows])
    first = parts[0].clone()
    for part in parts[1:-1]:
        first.merge_state(pickle.loads(pickle.dumps(part)))
    first.merge_state(parts[-1].metric_state)
    assert same(first.compute(), whole.compute())
    assert parts[0].update_count == 1  # the clone shared nothing
    first.reset()
    assert not first.update_called
    first.update(call.preds, call.target)
    assert same(first.compute(), whole.compute())


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_a_state_dict_holds_the_tally_when_asked_to(call: Call) -> None:
    metric, other = made(call), made(call)
    metric.update(call.preds, call.target)
    assert metric.state_dict() == {}
    metric.persistent(True)
    other.load_state_dict(metric.state_dict(), strict=False)
    assert same(other.compute(), metric.compute())


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_torchmetrics(name: str) -> None:
    theirs = getattr(optional("torchmetrics.classification"), name)
    ours = getattr(karat_torchmetrics, name)
    assert ours.is_differentiable is False  # a number, not a loss
    assert ours.higher_is_better is theirs.higher_is_better

    def parameters(of: Any) -> list[tuple[str, Any]]:
        found = inspect.signature(of).parameters.values()
        return [(p.name, p.default) for p in found if p.kind is not p.VAR_KEYWORD]

    extra = [("normalization", "sigmoid")]  # a keyword that torchmetrics hands on unnamed
    expected = parameters(theirs)
    assert parameters(ours) in (expected, expected + extra)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_of_functions_are_those_of_torchmetrics(name: str) -> None:
    theirs = getattr(optional("torchmetrics.functional.classification"), name)
    ours = inspect.signature(getattr(karat_torchmetrics, name)).parameters.values()
    weights = "row_weights" if name.endswith("kappa") else "weights"
    assert [(p.name, p.default) for p in ours if p.kind is not p.KEYWORD_ONLY] == [
        (p.name, p.default) for p in inspect.signature(theirs).parameters.values()
    ]
    assert [p.name for p in ours if p.kind is p.KEYWORD_ONLY] == [weights]


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_no_graph_is_kept(call: Call) -> None:
    metric = made(call)
    preds = call.preds.float().requires_grad_()
    scaled = preds * 1.0
    value = metric(scaled, call.target)
    assert not any(own.requires_grad for own in tensors_of(value))
    node, kept = weakref.ref(scaled), metric.metric_state
    tensors = [t for part in kept.values() for t in (part if isinstance(part, list) else [part])]
    assert not any(tensor.requires_grad for tensor in tensors)
    del scaled, value
    gc.collect()
    assert node() is None


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_inference_mode_gives_the_same(call: Call) -> None:
    metric, plain = made(call), made(call)
    with torch.inference_mode():
        metric.update(call.preds, call.target)
    metric.update(call.preds, call.target)
    for _ in range(2):
        plain.update(call.preds, call.target)
    assert same(metric.compute(), plain.compute())
    assert same(deepcopy(metric).compute(), plain.compute())


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_what_is_done_to_a_batch_afterwards_does_not_matter(call: Call) -> None:
    metric, preds = made(call), call.preds.clone()
    target = call.target.clone()
    metric.update(preds, target)
    preds.zero_()
    target.zero_()
    plain = made(call)
    plain.update(call.preds, call.target)
    assert same(metric.compute(), plain.compute())


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_memory_grows_only_where_rows_are_kept(call: Call) -> None:
    keeps = call.options.get("multidim_average") == "samplewise" or (
        call.measure in ("auroc", "average_precision", *CURVES)
        and call.options.get("thresholds") is None
    )
    metric = made(call)

    def kept() -> int:
        state = metric.metric_state.values()
        tensors = [t for part in state for t in (part if isinstance(part, list) else [part])]
        return sum(t.numel() for t in tensors)

    metric.update(call.preds, call.target)
    before = kept()
    for _ in range(5):
        metric.update(call.preds, call.target)
    assert kept() == (6 * before if keeps else before)


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_a_device_is_not_waited_for_in_update(call: Call) -> None:
    """Tensors without data refuse whatever has to see it."""
    call.options.update(validate_args=False)
    metric = made(call).to("meta")
    metric.update(call.preds.to("meta"), call.target.to("meta"))
    metric.update(call.preds.to("meta"), call.target.to("meta"))
    assert str(metric.device) == "meta"
    state = metric.metric_state.values()
    assert all(t.is_meta for part in state for t in (part if isinstance(part, list) else [part]))


@pytest.mark.parametrize("call", of_each(), ids=NAMES)
def test_rows_that_a_device_could_not_refuse_are_refused_on_compute(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "NATIVE_DEVICES", set())
    target = call.target.clone()
    target.reshape(-1)[0] = call.k + 3
    call.options.update(validate_args=False)
    late = made(call)
    late.update(call.preds, target)
    with pytest.raises(KaratError, match=r"(?s)K621  target.*1 row holds a class outside"):
        late.compute()
    other = made(call)
    other.merge_state(late.metric_state)
    with pytest.raises(KaratError, match="K621  target"):
        other.compute()
    call.options.update(validate_args=True)
    soon = made(call)
    with pytest.raises(KaratError, match="K621  target"):
        soon.update(call.preds, target)
    assert not soon.update_called


@pytest.mark.parametrize("seed", range(4))
def test_a_refused_batch_adds_nothing(seed: int) -> None:
    metric = karat_torchmetrics.MulticlassAccuracy(3)
    metric.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    before = metric.compute()
    for bad in (torch.tensor([0, 3]), torch.tensor([0, -1]), torch.tensor([0.5, 1.0])):
        with pytest.raises(KaratError, match="K621  target"):
            metric.update(torch.tensor([0, 1]), bad)
    assert metric.update_count == 1
    assert same(metric.compute(), before)


def test_an_error_is_of_the_kinds_that_torchmetrics_raises() -> None:
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="Item 1 of target is 7"):
            karat_torchmetrics.multiclass_accuracy(
                torch.tensor([0, 1]), torch.tensor([0, 7]), num_classes=3
            )


def test_the_type_of_a_module_does_not_round_counts() -> None:
    metric = karat_torchmetrics.MulticlassConfusionMatrix(2)
    metric.update(torch.ones(3000).long(), torch.ones(3000).long())
    for cast in (metric.half, metric.float, metric.double, lambda: metric.to(torch.bfloat16)):
        cast()
        assert metric.compute().tolist() == [[0, 0], [0, 3000]]
        assert metric.compute().dtype == torch.int64


def test_a_metric_moves_with_the_model_that_holds_it() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)
            self.accuracy = karat_torchmetrics.MulticlassAccuracy(3)

    model = Model()
    assert sorted(model.state_dict()) == ["linear.bias", "linear.weight"]
    model.to("meta")
    assert str(model.accuracy.device) == "meta"


def test_computing_before_any_batch_warns_and_logits_are_judged_batch_by_batch() -> None:
    metric = karat_torchmetrics.BinaryAccuracy()
    with pytest.warns(UserWarning, match="before the ``update`` method"):
        assert metric.compute() == 0
    # 0.2 alone is a probability below 0.5; beside 3.0 it is a logit above 0.
    metric.update(torch.tensor([0.2]), torch.tensor([1]))
    assert metric.compute() == 0
    metric.update(torch.tensor([0.2, 3.0]), torch.tensor([1, 1]))
    assert metric.tally.sums["cells"].tolist() == [[0, 0], [1, 2]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"dist_sync_on_step": True},
        {"dist_sync_fn": print},
        {"distributed_available_fn": print},
        {"compute_on_cpu": 1},
    ],
)
def test_keywords_with_another_value_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(KaratError, match="K122"):
        karat_torchmetrics.MulticlassAccuracy(3, **wrong)
    for name in set(wrong) & {"dist_sync_fn", "distributed_available_fn"}:
        karat_torchmetrics.MulticlassAccuracy(3, **{name: None})


@pytest.mark.parametrize("name", sorted(karat_torchmetrics.classification.__all__))
def test_keywords_that_nobody_knows_name_the_nearest(name: str) -> None:
    made = getattr(karat_torchmetrics, name)
    is_by_task = not name.startswith(("Binary", "Multi"))
    given: dict[str, Any] = {"task": task_of(name)} if is_by_task else {}
    if is_by_task or name.startswith("Multiclass"):
        given["num_classes"] = 3
    if name.startswith("Multilabel") or task_of(name) == "multilabel":
        given["num_labels"] = 3
    given |= needed(name)
    for typo, nearest in (("ignor_index", "ignore_index"), ("sync_on_computed", "sync_on_compute")):
        with pytest.raises(KaratError, match=f"Nearest: {nearest}=") as caught:
            made(**given, **{typo: 1})
        assert caught.value.code == "K126"
        assert isinstance(caught.value, TypeError)
        called = f"{task_of(name).capitalize()}{name}" if is_by_task else name
        assert f"{called}() got an unexpected keyword argument '{typo}'" in str(caught.value)


def test_keywords_of_another_metric_are_not_known() -> None:
    t = karat_torchmetrics
    with pytest.raises(KaratError, match="K126"):
        t.BinaryAccuracy(beta=2.0)
    with pytest.raises(KaratError, match="Nearest: zero_division="):
        t.BinaryPrecision(zero_divsion=1)
    assert t.BinaryPrecision(zero_division=1).zero_division == 1
    assert t.BinaryFBetaScore(2.0, zero_division=1).zero_division == 1


WORKER = """
import sys, torch, torch.distributed as dist
from karat.compat.torchmetrics import MetricCollection, MulticlassAUROC, MulticlassConfusionMatrix
rank, home = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{home}", rank=rank, world_size=2)
metrics = MetricCollection([MulticlassConfusionMatrix(2), MulticlassAUROC(2)])
scores = torch.tensor([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.8, 0.2]])
target = torch.tensor([0, 1, 1, 1])
if rank == 0:  # the other process sees no batch at all for the second half of them
    metrics.update(scores[:3], target[:3])
    metrics.update(scores[3:], target[3:])
else:
    metrics.update(scores[:1], target[:1])
found = metrics.compute()
assert found["MulticlassConfusionMatrix"].tolist() == [[2, 0], [1, 2]], found
assert abs(float(found["MulticlassAUROC"]) - 1.0) < 1e-6, found
assert metrics["MulticlassConfusionMatrix"].metric_state["cells"].sum() == (4 if rank == 0 else 1)
dist.barrier()  # who leaves first would take the connection away from who still reads
dist.destroy_process_group()
"""


def test_processes_are_added_up_however_many_batches_each_has(tmp_path: Any) -> None:
    import subprocess
    import sys

    arguments = [sys.executable, "-c", WORKER]
    runs = [
        subprocess.Popen([*arguments, str(rank), str(tmp_path / "meet")], stderr=subprocess.PIPE)
        for rank in (0, 1)
    ]
    errors = [run.communicate(timeout=120)[1].decode() for run in runs]
    assert [run.returncode for run in runs] == [0, 0], errors

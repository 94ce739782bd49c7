"""What only a GPU can show, beside the tests of this folder: `make gpu`.

Not collected by `make test`: torch refuses to wait for the device here, memory is that of the GPU,
arrays are those of CuPy and JAX, and torchmetrics reads the same tensors as the drop-in.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import karat
from karat.compat import torchmetrics as karat_torchmetrics
from tests.compat import test_torchmetrics_differences as random_calls
from tests.compat.torchmetrics_calls import CLASSES as MEASURES
from tests.compat.torchmetrics_calls import Call, call_of
from tests.compat.torchmetrics_sets import AREAS, CURVES, ORDERS, LabelCall, label_call_of
from tests.compat.torchmetrics_sets import MEASURES as OF_LABELS
from tests.devices.rows import differences, labels, on_the_device, scores, torch, weights
from tests.devices.test_waiting import batches, stream
from tests.optional import optional

BLOCKS, DRAWN, FED = range(70, 80), 500, 60
LARGE = 2_000_000


@contextmanager
def refusing() -> Iterator[None]:
    """Whatever waits for the device raises."""
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def there(given: dict[str, Any]) -> dict[str, Any]:
    return {name: item.cuda() for name, item in given.items()}


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, Any]]:
    """Large batches of every kind, on the device."""
    true, pred = labels(LARGE, 5)
    _, prob = scores(LARGE, 5, "y_prob", torch.float32)
    _, logits = scores(LARGE, 5, "y_score", torch.bfloat16)
    w = weights(LARGE)
    return {
        "labels": there({"y_true": true, "y_pred": pred}),
        "weighted": there({"y_true": true, "y_pred": pred, "weights": w}),
        "prob": there({"y_true": true, "y_prob": prob}),
        "score": there({"y_true": true, "y_score": logits}),
        "score, weighted": there({"y_true": true, "y_score": logits, "weights": w}),
    }


def test_the_guard_sees_who_waits() -> None:
    column = torch.ones(3, device="cuda")
    with refusing(), pytest.raises(RuntimeError, match="synchronizing"):
        column.sum().item()


@pytest.mark.parametrize("kind", sorted(batches()))
@pytest.mark.parametrize("declared", [range(3), [2, 0, 1]])
def test_no_update_waits(kind: str, declared: Any) -> None:
    given = there(batches()[kind])
    tallied, expected = stream(labels=list(declared)), stream(labels=list(declared))
    tallied.update(**given)  # what is loaded once may wait
    with refusing():
        for _ in range(3):
            tallied.update(**given)
        with torch.inference_mode(), torch.autocast("cuda", dtype=torch.bfloat16):
            tallied.update(**given)
    for _ in range(5):
        expected.update(**batches()[kind])
    assert differences(tallied.report(), expected.report()) == []


@pytest.mark.parametrize("max_memory", [1 << 22, 1 << 30])
@pytest.mark.parametrize("kind", ["labels", "weighted", "prob", "score", "score, weighted"])
def test_large_batches_give_the_report_of_the_host(
    kind: str, max_memory: int, rows: dict[str, dict[str, Any]]
) -> None:
    given = rows[kind]
    on_host = karat.Stream(
        labels=range(5), level=None, reading=karat.Reading(max_memory=max_memory)
    )
    on_host.update(**{name: item.cpu() for name, item in given.items()})
    found = karat.Stream(labels=range(5), level=None, reading=karat.Reading(max_memory=max_memory))
    found.update(**given)
    again = karat.Stream(labels=range(5), level=None, reading=karat.Reading(max_memory=max_memory))
    again.update(**given)
    # Ranks of softmax may meet ties that are rounded otherwise: see docs/devices.md.
    within = 1e-7 if kind.startswith("score") else 1e-12
    assert differences(found.report(), on_host.report(), within) == []
    assert found.to_bytes() == again.to_bytes()


def test_labels_need_the_memory_of_one_batch(rows: dict[str, dict[str, Any]]) -> None:
    given, tallied = rows["labels"], karat.Stream(labels=range(5))
    tallied.update(**given)
    before = torch.cuda.memory_allocated()
    for _ in range(20):
        tallied.update(**given)
    assert torch.cuda.memory_allocated() - before < 1 << 16


def test_rows_on_another_stream_of_the_device(rows: dict[str, dict[str, Any]]) -> None:
    given, side = rows["labels"], torch.cuda.Stream()
    tallied = karat.Stream(labels=range(5), level=None)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            tallied.update(**given)
    expected = 5 * int((given["y_true"] == given["y_pred"]).sum())
    assert tallied.report()["accuracy"].value == expected / (5 * LARGE)


def test_rows_of_the_host_beside_those_of_a_device() -> None:
    given = batches()["prob"]
    tallied, expected = stream(), stream()
    for one in (given, there(given), {**there(given), "y_true": given["y_true"].numpy()}):
        tallied.update(**one)
        expected.update(**given)
    assert differences(tallied.report(), expected.report()) == []


@pytest.mark.parametrize("home", ["cupy", "jax.numpy"])
def test_arrays_of_other_libraries(home: str) -> None:
    library = optional(home)
    for name in ("labels", "prob"):
        given = batches()[name]
        held = {}
        for key, item in given.items():
            held[key] = library.asarray(item.numpy())
        tallied, expected = stream(), stream()
        tallied.update(**held)
        assert tallied._devices.n_rows == len(given["y_true"])
        expected.update(**given)
        assert differences(tallied.report(), expected.report()) == [], name


def test_one_process_of_nccl(tmp_path: Any) -> None:
    torch.distributed.init_process_group(
        "nccl", init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1
    )
    try:
        given, tallied, expected = batches()["prob"], stream(), stream()
        tallied.update(**there(given))
        expected.update(**given)
        assert differences(tallied.all_reduce().report(), expected.report()) == []
    finally:
        torch.distributed.destroy_process_group()


def moved(call: Call) -> Call:
    call.preds, call.target = call.preds.cuda(), call.target.cuda()
    for name, option in call.options.items():
        if isinstance(option, torch.Tensor):
            call.options[name] = option.cuda()
    return call


def unknown(call: Call, ours: Any, theirs: Any) -> list[str]:
    """What the drop-in does on the device otherwise than torchmetrics, and nobody listed.

    torchmetrics reads the host: a class outside the declared ones ends its process on a GPU. Which
    of equal scores are the best k is up to the device, and so are probabilities of logits, which
    may round to equal ones: both read these there.
    """
    both = [call, moved(copy.deepcopy(call))]
    preds = call.preds
    is_logits = preds.is_floating_point() and not bool(((preds >= 0) & (preds <= 1)).all())
    is_there = (is_logits or call.options.get("top_k", 1) > 1) and "target" not in call.flaws
    outcomes = [
        random_calls.outcome_of(partial(function, one), one)
        for function, one in ((ours, both[1]), (theirs, both[is_there]))
    ]
    of_host = [
        replace(one, value=None if one.value is None else one.value.cpu()) for one in outcomes
    ]
    name = random_calls.difference(call, *of_host)
    return [] if name is None or name in random_calls.KNOWN else [name]


def called(home: Any, call: Call, preds: Any, target: Any, **options: Any) -> Any:
    return getattr(home, call.function)(preds, target, **options)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_drop_in_gives_what_torchmetrics_gives(block: int) -> None:
    ours, theirs = (partial(called, home) for home in (karat_torchmetrics, random_calls.functional))
    calls = random_calls.drawn(block, DRAWN)
    assert [name for call in calls for name in unknown(call, ours, theirs)] == []


def fed(home: Any, call: Call, preds: Any, target: Any, **options: Any) -> Any:
    metric = getattr(home, call.metric)(**options).to(preds.device)
    for part in call.batches:
        metric.update(preds[part], target[part])
    return metric.compute()


@pytest.mark.parametrize("block", BLOCKS)
def test_batches_of_the_drop_in(block: int) -> None:
    ours, theirs = (partial(fed, home) for home in (karat_torchmetrics, random_calls.classes))
    found = []
    for call in random_calls.drawn(block + 20, FED):
        call.is_fed = True
        found += unknown(call, ours, theirs)
    assert found == []


@pytest.mark.parametrize(
    ("task", "measure"),
    [
        (task, measure)
        for task in ("binary", "multiclass")
        for measure in sorted(MEASURES)
        if (task, measure) != ("binary", "exact_match")  # there is none
    ],
)
def test_no_update_of_the_drop_in_waits(task: str, measure: str) -> None:
    seeds = (seed for seed in range(10_000))
    call = next(
        call for call in (call_of(seed, measure, sound=True) for seed in seeds) if call.task == task
    )
    call = moved(call)
    call.options.update(validate_args=False)
    metric = getattr(karat_torchmetrics, call.metric)(**call.options).to("cuda")
    metric.update(call.preds, call.target)
    with refusing():
        metric.update(call.preds, call.target)
    assert str(metric.compute().device).startswith("cuda")


def tensors_of(value: Any) -> list[Any]:
    """The tensors of a value, which a curve has several of."""
    return (
        [own for item in value for own in tensors_of(item)]
        if isinstance(value, list | tuple)
        else [value]
    )


def rounded_as_there(call: LabelCall, there: Call, batches: Any) -> LabelCall:
    """Return the call with the probabilities of logits as the device rounds them, ties and all."""
    own = copy.deepcopy(call)
    for rows in batches:
        part = there.preds[rows]
        if part.is_floating_point() and not ((part >= 0) & (part <= 1)).all():
            own.preds[rows] = part.sigmoid().cpu()
    return own


@pytest.mark.parametrize("measure", sorted({*OF_LABELS, *CURVES}))
def test_the_drop_in_of_several_labels_gives_what_it_gives_on_the_host(measure: str) -> None:
    n_compared = 0
    for seed in range(60):
        call = label_call_of(seed, measure, is_fed=True)
        if call.flaws:
            continue
        there = moved(copy.deepcopy(call))
        for in_batches in (False, True):
            on_host = rounded_as_there(call, there, call.batches if in_batches else [slice(None)])
            function = fed if in_batches else called
            found = random_calls.outcome_of(partial(function, karat_torchmetrics, there), there)
            # Interpolation on a logarithmic axis has other results there, of torchmetrics, too.
            home, own = (
                (random_calls.classes if in_batches else random_calls.functional, there)
                if measure == "logauc"
                else (karat_torchmetrics, on_host)
            )
            expected = random_calls.outcome_of(partial(function, home, own), own)
            if isinstance(expected.error, IndexError):
                continue  # torchmetrics has no value of a label that every row has
            assert type(found.error) is type(expected.error)
            if expected.error is not None:
                continue
            for one, other in zip(tensors_of(found.value), tensors_of(expected.value), strict=True):
                assert one.device.type == "cuda"
                torch.testing.assert_close(
                    one.cpu(), other.cpu(), rtol=1e-5, atol=1e-6, equal_nan=True
                )
                n_compared += 1
    assert n_compared > 50


@pytest.mark.parametrize("measure", sorted({*OF_LABELS} - {*AREAS, *ORDERS}))
def test_no_update_of_the_drop_in_of_several_labels_waits(measure: str) -> None:
    seeds = (label_call_of(seed, measure, is_fed=True) for seed in range(10_000))
    call: LabelCall = moved(next(call for call in seeds if not call.flaws))
    call.options.update(validate_args=False)
    metric = getattr(karat_torchmetrics, call.metric)(**call.options).to("cuda")
    metric.update(call.preds, call.target)
    with refusing():
        metric.update(call.preds, call.target)
    assert tensors_of(metric.compute())[0].device.type == "cuda"


@pytest.mark.parametrize("scored", [False, True])
def test_sets_of_labels_on_the_device_give_the_report_of_the_host(scored: bool) -> None:
    random = np.random.default_rng(8)
    marks = random.random((20_000, 6)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
    prob = np.clip(0.35 * marks + 0.65 * random.random(marks.shape), 0.0, 1.0)
    given: dict[str, Any] = {"y_true": torch.from_numpy(marks.astype(np.int64))}
    given |= (
        {"y_prob": torch.from_numpy(prob.astype(np.float32))}
        if scored
        else {"y_pred": torch.from_numpy((prob > 0.5).astype(np.int64))}
    )
    expected = karat.evaluate(**given, level=None)
    assert differences(karat.evaluate(**there(given), level=None), expected) == []
    tallied = karat.Stream(labels=list(range(6)), level=None)
    for rows in np.array_split(np.arange(len(marks)), 4):
        at = torch.from_numpy(rows).cuda()
        tallied.update(**{name: item[at] for name, item in there(given).items()})
    assert differences(tallied.report(), expected) == []


def test_the_device_is_the_one_that_is_tested() -> None:
    """Tests of this folder put their tensors on the GPU, not on the way of one."""
    true, pred = labels(100, 3)
    tallied = stream()
    with on_the_device():
        tallied.update(true, pred)
    (device,) = tallied._devices._devices
    assert device.type == "cuda"

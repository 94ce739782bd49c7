"""Tallies of tensors where they live, beside torchmetrics: `python -m benchmarks.devices`.

Both read the same tensors of one device. Answers first; then the time until the device is done,
the best and the median of some, and which share of the memory's bandwidth it is to have read every
input once: the bandwidth is that of a copy on the same device. `--device cuda --labels 100000000
--rows 10000000` are sizes for a GPU. Tensors of the host take the way of those of a device.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("KARAT_NUM_THREADS", "1")

import torch
from torchmetrics.functional.classification import (
    multiclass_auroc,
    multiclass_average_precision,
    multiclass_confusion_matrix,
)

import karat
from karat.data.sources.torch.tensors import even_on_the_host

CLASSES = 10
_COPIED: int = 1 << 28


def main(words: Sequence[str] | None = None) -> int:
    """Print the times of both sides; an answer that differs ends the run."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--device", default="cpu")
    given.add_argument("--labels", type=int, default=4_000_000)
    given.add_argument("--rows", type=int, default=400_000)
    given.add_argument("--max-memory", type=int, default=1 << 25)
    given.add_argument("--rounds", type=int, default=5)
    sizes = given.parse_args(words)
    torch.set_num_threads(1)
    device = torch.device(sizes.device)
    clock = Clock(device, sizes.rounds)
    what = torch.cuda.get_device_name(device) if device.type == "cuda" else f"{device}, one thread"
    print(f"{what}; torch {torch.__version__}; a copy moves {clock.bandwidth / 1e9:.1f} GB/s")
    with even_on_the_host():
        labels(clock, sizes.labels)
        weighted(clock, sizes.labels // 10)
        batches(clock)
        for dtype in (torch.float32, torch.bfloat16):
            scores(clock, sizes.rows, dtype, sizes.max_memory)
    return 0


class Clock:
    """Times of calls on one device, until the device is done."""

    def __init__(self, device: torch.device, rounds: int) -> None:
        self.device = device
        self._rounds = rounds
        source = torch.zeros(_COPIED if device.type != "cpu" else _COPIED >> 2, device=device)
        target = torch.empty_like(source)
        self.bandwidth = 2.0 * source.nbytes / self.seconds(lambda: target.copy_(source))[0]

    def wait(self) -> None:
        """Wait until the device is done."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def seconds(self, call: Callable[[], Any], n_calls: int = 1) -> tuple[float, float]:
        """The best and the median time of a call."""
        found = []
        for _ in range(self._rounds + 1):
            self.wait()
            start = time.perf_counter()
            for _ in range(n_calls):
                call()
            self.wait()
            found.append((time.perf_counter() - start) / n_calls)
        return min(found[1:]), statistics.median(found[1:])

    def tell(self, name: str, call: Callable[[], Any], n_bytes: int = 0, n_calls: int = 1) -> None:
        """Print the times of a call that reads so many bytes of input."""
        best, median = self.seconds(call, n_calls)
        share = f", {n_bytes / best / self.bandwidth:.1%} of the bandwidth" if n_bytes else ""
        print(f"  {name}: {best * 1e3:.3f} ms at best, {median * 1e3:.3f} in the median{share}")


def label_rows(n: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Ten classes, predicted rightly in seven of ten rows."""
    random = torch.Generator(device).manual_seed(0)
    made: dict[str, Any] = {"generator": random, "device": device}
    true = torch.randint(CLASSES, (n,), **made)
    other = torch.randint(CLASSES, (n,), **made)
    return true, torch.where(torch.rand(n, **made) < 0.7, true, other)


def stream(**settings: Any) -> karat.Stream:
    """An empty stream whose classes are given."""
    return karat.Stream(labels=range(CLASSES), level=None, **settings)


def labels(clock: Clock, n: int) -> None:
    """Counts of pairs."""
    true, pred = label_rows(n, clock.device)
    n_bytes = true.nbytes + pred.nbytes

    def ours() -> None:
        one = stream()
        one.update(true, pred)
        one.to_bytes()

    def theirs(*, validate: bool) -> torch.Tensor:
        return multiclass_confusion_matrix(pred, true, CLASSES, validate_args=validate)

    one = stream()
    one.update(true, pred)
    expected = torch.bincount(true * CLASSES + pred, minlength=CLASSES**2)
    assert one.report().confusion.matrix.ravel().tolist() == expected.tolist()
    assert theirs(validate=False).ravel().tolist() == expected.tolist()
    print(f"{n} labels of int64, {CLASSES} classes")
    clock.tell("karat, checked", ours, n_bytes)
    clock.tell("torchmetrics, checked", lambda: theirs(validate=True), n_bytes)
    clock.tell("torchmetrics, unchecked", lambda: theirs(validate=False), n_bytes)
    clock.tell("torch.bincount alone", lambda: torch.bincount(true * CLASSES + pred), n_bytes)


def weighted(clock: Clock, n: int) -> None:
    """Sums of weights, which torchmetrics has not."""
    true, pred = label_rows(n, clock.device)
    w = torch.rand(n, device=clock.device, dtype=torch.float64) + 0.5

    def ours() -> karat.Stream:
        one = stream()
        one.update(true, pred, weights=w)
        return one.merge(stream())

    expected = float(w[true == pred].sum() / w.sum())
    assert abs(ours().report()["accuracy"].value / expected - 1.0) < 1e-12
    print(f"{n} labels with weights of float64")
    clock.tell("karat, checked", ours, true.nbytes + pred.nbytes + w.nbytes)


def batches(clock: Clock) -> None:
    """What one update of a training loop costs."""
    true, pred = label_rows(1024, clock.device)
    one = stream()
    confusion = torch.zeros((CLASSES, CLASSES), dtype=torch.int64, device=clock.device)

    def theirs() -> None:
        confusion.add_(multiclass_confusion_matrix(pred, true, CLASSES, validate_args=False))

    print("1024 labels in one update, not waited for")
    clock.tell("karat, checked", lambda: one.update(true, pred), n_calls=100)
    clock.tell("torchmetrics, unchecked", theirs, n_calls=100)
    assert one.report()["accuracy"].value == float((true == pred).double().mean())


def scores(clock: Clock, n: int, dtype: torch.dtype, max_memory: int) -> None:
    """Tables of the scores of ten classes: every area, loss and bin can be read from them."""
    random = torch.Generator(clock.device).manual_seed(0)
    made: dict[str, Any] = {"generator": random, "device": clock.device}
    true = torch.randint(CLASSES, (n,), **made)
    logits = torch.randn((n, CLASSES), **made) + 1.5 * torch.nn.functional.one_hot(true, CLASSES)
    prob = logits.softmax(dim=1).to(dtype)
    n_bytes = true.nbytes + prob.nbytes
    # Less than the rows take: so they are put into tables.
    max_memory = max(min(max_memory, n_bytes // 2), 1 << 20)

    def ours() -> karat.Stream:
        one = stream(reading=karat.Reading(max_memory=max_memory))
        one.update(true, y_prob=prob)
        return one.merge(stream(reading=karat.Reading(max_memory=max_memory)))

    def areas() -> torch.Tensor:
        return multiclass_auroc(prob.float(), true, CLASSES, validate_args=False)

    def binned() -> torch.Tensor:
        return multiclass_auroc(prob.float(), true, CLASSES, thresholds=200, validate_args=False)

    def precisions() -> torch.Tensor:
        return multiclass_average_precision(prob.float(), true, CLASSES, validate_args=False)

    report = ours().report(["roc_auc_ovr_macro", "mean_average_precision", "log_loss"])
    found = [report[name] for name in ("roc_auc_ovr_macro", "mean_average_precision")]
    for one, theirs in zip(found, (areas(), precisions()), strict=True):
        # They add up in float32.
        low, high = one.bound or (one.value, one.value)
        assert low - 1e-4 < float(theirs) < high + 1e-4
    loss = -prob.double().gather(1, true[:, None]).log().mean()
    assert abs(report["log_loss"].value / float(loss) - 1.0) < 1e-11
    shown = ", ".join(f"{one.name} {one.value:.9f} bound {one.bound}" for one in found)
    print(f"{n} rows of {CLASSES} scores of {dtype}, tables of {max_memory >> 20} MiB: {shown}")
    clock.tell("karat, every table and loss", ours, n_bytes)
    clock.tell("torchmetrics, areas", areas, n_bytes)
    clock.tell("torchmetrics, average precisions", precisions, n_bytes)
    if n * CLASSES <= 1 << 22 or clock.device.type == "cuda":
        clock.tell("torchmetrics, areas of 200 bins", binned, n_bytes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

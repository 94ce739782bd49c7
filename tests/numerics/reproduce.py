"""The same rows computed in many ways: threads, instruction sets, batches, orders of merging."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import karat
from karat import _native
from karat.metrics import Metric, all_metrics

Values = dict[str, float]


def rows(n: int, k: int, *, weighted: bool, seed: int = 0) -> dict[str, Any]:
    """Rows with ties, and weights whose sums round."""
    rng = np.random.default_rng(seed)
    p = rng.random((n, k)) + 0.01
    p[: n // 2] = np.round(p[: n // 2], 2)
    p /= p.sum(axis=1, keepdims=True)
    truth = (rng.random((n, 1)) > np.cumsum(p, axis=1)).sum(axis=1).clip(0, k - 1)
    call = {"y_true": truth, "y_prob": p}
    return call | {"weights": rng.random(n) + 1e-3} if weighted else call


def asked(k: int) -> list[Metric]:
    """Every metric that rows of k classes have."""
    return [
        metric
        for metric in all_metrics()
        if k == 2 or metric.lift != "plain" or not metric.record.is_per_class
    ]


def values(call: dict[str, Any], k: int, **options: Any) -> Values:
    """Every metric, by its canonical text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        report = karat.evaluate(
            **call, labels=list(range(k)), metrics=asked(k), level=None, **options
        )
        return {name: result.value for name, result in report.metrics.items()}


@contextmanager
def instructions(name: str) -> Iterator[None]:
    before = _native.isa()
    _native.use_isa(name)
    try:
        yield
    finally:
        _native.use_isa(before)


def streamed(call: dict[str, Any], k: int, sizes: Sequence[int]) -> karat.Stream:
    """The rows in batches of these sizes, again and again."""
    stream = karat.Stream(labels=list(range(k)), metrics=asked(k), level=None)
    first = turn = 0
    while first < len(call["y_true"]):
        last = first + sizes[turn % len(sizes)]
        stream.update(**{name: part[first:last] for name, part in call.items()})
        first, turn = last, turn + 1
    return stream


def merged(call: dict[str, Any], k: int, order: Sequence[int], n_parts: int) -> karat.Stream:
    """Parts of the rows, each a stream, merged in this order."""
    cuts = np.array_split(np.arange(len(call["y_true"])), n_parts)
    parts = [
        streamed({name: part[cut] for name, part in call.items()}, k, [len(cut)]) for cut in cuts
    ]
    whole, *others = [parts[i] for i in order]
    for part in others:
        whole.merge(part)
    return whole


def of_stream(stream: karat.Stream) -> Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        return {name: result.value for name, result in stream.report().metrics.items()}


def differing(one: Values, other: Values) -> list[str]:
    """Names of the values whose bits differ."""
    assert one.keys() == other.keys()
    return [
        name for name in one if np.float64(one[name]).tobytes() != np.float64(other[name]).tobytes()
    ]

"""Rows as tensors, two streams of them, and whether two reports are the same.

KARAT_TEST_DEVICE=cuda puts what is tested on a GPU; else tensors of the host go its way.
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import karat
from karat.data.sources.torch.tensors import even_on_the_host
from tests.optional import optional

torch = optional("torch")
torch.set_num_threads(1)

DEVICE = os.environ.get("KARAT_TEST_DEVICE", "cpu")
CLOSE = 1e-12
SEARCHED = 1e-9
BATCH = 1700


def on_the_device() -> AbstractContextManager[None]:
    """Tensors of the host are tallied on the device, inside a with statement."""
    return even_on_the_host(DEVICE)


def labels(n: int, k: int, seed: int = 0) -> tuple[Any, Any]:
    """True labels and predictions that are often right."""
    random = np.random.default_rng(seed)
    true = random.integers(0, k, n)
    pred = np.where(random.random(n) < 0.7, true, random.integers(0, k, n))
    return torch.from_numpy(true), torch.from_numpy(pred)


def scores(n: int, k: int, kind: str, dtype: Any, seed: int = 0) -> tuple[Any, Any]:
    """True labels and scores [n, k] that tell of them."""
    random = np.random.default_rng(seed)
    true = random.integers(0, k, n)
    made = torch.from_numpy(random.normal(size=(n, k)) + 1.5 * np.eye(k)[true])
    if kind == "y_prob":
        made = torch.softmax(made, dim=1)
    return torch.from_numpy(true), made.to(dtype)


def weights(n: int, seed: int = 1) -> Any:
    """Weights, some of them 0."""
    random = np.random.default_rng(seed)
    return torch.from_numpy(np.where(random.random(n) < 0.1, 0.0, random.random(n) + 0.1))


def add(stream: karat.Stream, y_true: Any, y_pred: Any = None, **given: Any) -> karat.Stream:
    """Add rows in batches."""
    for first in range(0, len(y_true), BATCH):
        part = slice(first, first + BATCH)
        of_part = {name: _part(item, part) for name, item in given.items() if item is not None}
        stream.update(y_true[part], None if y_pred is None else y_pred[part], **of_part)
    return stream


def _part(item: Any, part: slice) -> Any:
    if isinstance(item, karat.Frequency):
        return karat.Frequency(item.weights[part])
    return item[part]


def both(y_true: Any, y_pred: Any = None, *, given: Any, **settings: Any) -> tuple[Any, Any]:
    """The stream of the host and that of the device; of the latter every row was on the device."""
    on_host = add(karat.Stream(**settings), y_true, y_pred, **given)
    on_device = karat.Stream(**settings)
    with on_the_device():
        add(on_device, y_true, y_pred, **given)
    return on_host, on_device


def differences(left: Any, right: Any, within: float = CLOSE) -> list[Any]:
    """Where two reports differ: floats by more than a part of themselves, all else at all."""
    found: list[Any] = []

    def walk(a: Any, b: Any, path: tuple[Any, ...]) -> None:
        if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b):
            for key in a:
                walk(a[key], b[key], (*path, key))
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for i, pair in enumerate(zip(a, b, strict=True)):
                walk(*pair, (*path, i))
        elif isinstance(a, float) and isinstance(b, int | float):
            # Ends of intervals that are searched for are found to so many digits.
            part = max(within, SEARCHED) if path[-1] in ("low", "high") else within
            if not (a == b or abs(a - b) <= part * max(abs(a), abs(b))):
                found.append((path, a, b))
        elif a != b:
            found.append((path, a, b))

    walk(json.loads(left.to_json()), json.loads(right.to_json()), ())
    return found

"""Arrays of booleans take the short path; all is as in the long one, which lists take."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import karat
from karat.api import functions

Bools = npt.NDArray[np.bool_]

CALLS: dict[str, Any] = {
    "f1": karat.f1,
    "precision": karat.precision,
    "macro f1": lambda y, p: karat.f1(y, p, average="macro"),
    "f1 of classes": lambda y, p: karat.f1(y, p, average=None),
    "accuracy": karat.accuracy,
    "kappa": karat.kappa,
    "matthews": karat.matthews_correlation,
    "confusion": karat.confusion_matrix,
}


def pairs() -> list[tuple[Bools, Any]]:
    """Booleans beside booleans, whole numbers, one class alone, none, too few."""
    rng = np.random.default_rng(0)
    y, p = rng.random(50) < 0.4, rng.random(50) < 0.3
    ones, zeros = np.ones(5, bool), np.zeros(5, bool)
    return [
        (y, p), (y, p.astype(np.int64)), (y, p.astype(np.uint8)), (y, p * np.int32(2)),
        (ones, ones), (zeros, zeros), (ones, zeros), (zeros, ones), (y[::2], p[::-2]),
        (y[:, None], p), (y[:0], p[:0]), (y, p[:-1]),
    ]  # fmt: skip


def told(call: Any, y: Any, p: Any) -> tuple[object, ...]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            value = np.asarray(call(y, p))
        except karat.KaratError as problem:
            return (problem.code,)
    return value.tobytes(), value.dtype, value.shape, [str(each.message) for each in seen]


@pytest.mark.parametrize("name", CALLS)
def test_booleans_give_what_lists_give(name: str) -> None:
    for y, p in pairs():
        assert told(CALLS[name], y, p) == told(CALLS[name], y.tolist(), p.tolist())


def test_booleans_are_counted_without_the_arrays_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the long way")

    monkeypatch.setattr(functions, "tally_labels", refused)
    y, p = np.array([True, False, True]), np.array([True, True, True])
    assert karat.f1(y, p) == 0.8
    assert karat.confusion_matrix(y, p).tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize("name", CALLS)
def test_any_byte_but_zero_is_true_in_short_calls_too(name: str) -> None:
    mask = np.array([0, 255, 2, 0, 1], np.uint8).view(bool)
    other = np.array([False, True, True, True, False])
    clean = mask.view(np.uint8) != 0
    for y, p in ((mask, other), (other, mask), (mask, mask)):
        plain = [clean if each is mask else each for each in (y, p)]
        assert told(CALLS[name], y, p) == told(CALLS[name], *plain)
    scores = np.array([0.1, 0.7, 0.6, 0.8, 0.2])
    assert karat.roc_auc(mask, y_score=scores) == karat.roc_auc(clean, y_score=scores)

"""What fails in the middle was not added: memory that is missing, at each place where it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

import karat
from karat.data.sources.torch import held_scores as row_choice
from karat.data.sources.torch import label_tally, score_losses
from karat.data.sources.torch import score_histograms as histograms
from karat.data.sources.torch import score_histograms as score_levels
from tests.devices.rows import add, differences, labels, on_the_device, scores, torch, weights

SMALL = 1 << 20
N = 40_000


@contextmanager
def failing(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, after: int
) -> Iterator[list[int]]:
    """A function that works so many times, then finds no memory."""
    right: Callable[..., Any] = getattr(module, name)
    calls = [0]

    def fails(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] > after:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return right(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, fails)
        yield calls


OF_LABELS = [(label_tally, "counted"), (label_tally, "summed")]
OF_SCORES = [
    (score_losses, "facts_of"),
    (score_losses, "counted"),
    (score_losses, "summed"),
    (label_tally, "counted"),
    (label_tally, "summed"),
    (score_levels, "_starts_within"),
    (score_levels, "counted"),
    (row_choice, "_first_of_each"),
    (histograms, "_reduced"),
]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_labels(is_weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_tally, "_BLOCK", 1000)
    true, pred = labels(5000, 5)
    w = weights(5000) if is_weighted else None
    module, name = OF_LABELS[is_weighted]
    for after in range(5):
        found = karat.Stream(labels=range(5), level=None)
        with on_the_device():
            found.update(true, pred, weights=w)
            with failing(monkeypatch, module, name, after), pytest.raises(torch.OutOfMemoryError):
                found.update(true, pred, weights=w)
            assert found.n_rows == 5000
            found.update(true, pred, weights=w)
        expected = karat.Stream(labels=range(5), level=None)
        for _ in range(2):
            expected.update(true, pred, weights=w)
        assert differences(found.report(), expected.report()) == []


@pytest.mark.parametrize(
    ("module", "name"), OF_SCORES, ids=lambda item: getattr(item, "__name__", item)
)
def test_scores(module: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.data.sources.torch import held_scores

    monkeypatch.setattr(held_scores, "_GROUP_VALUES", 30_000)
    monkeypatch.setattr(score_losses, "_BLOCK_VALUES", 9_000)
    is_weighted = name == "summed"
    true, columns = scores(N, 3, "y_prob", torch.float32)
    given = {"y_prob": columns, "weights": weights(N) if is_weighted else None}
    parts = [slice(0, N // 4), slice(N // 4, N)]
    n_failed = 0
    for after in (0, 2):
        found, expected = (
            karat.Stream(labels=range(3), level=None, reading=karat.Reading(max_memory=SMALL))
            for _ in range(2)
        )
        first, rest = (
            {key: None if item is None else item[part] for key, item in given.items()}
            for part in parts
        )
        n_added = 0
        with on_the_device():
            for part in (slice(0, 900), slice(900, 2500), slice(2500, N // 4)):
                cut = {key: None if item is None else item[part] for key, item in first.items()}
                found.update(true[parts[0]][part], **cut)
            with failing(monkeypatch, module, name, after) as calls:
                try:
                    for _ in range(5):  # until they no longer fit as rows
                        found.update(true[parts[1]], **rest)
                        n_added += 1
                except torch.OutOfMemoryError:
                    n_failed += 1
                    # Which fails too, unless the rows that are held still fit.
                    with suppress(torch.OutOfMemoryError):
                        found.report(["accuracy"])
            assert calls[0]
            found.update(true[parts[1]], **rest)
        add(expected, true[parts[0]], **first)
        for _ in range(n_added + 1):
            add(expected, true[parts[1]], **rest)
        assert found.n_rows == expected.n_rows
        assert differences(found.report(), expected.report()) == []
    assert n_failed

"""Rows tallied as on a device give the report of the host: counts exactly, floats to 1e-12."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.devices.rows import add, both, differences, labels, on_the_device, scores, torch, weights

HALF = {"float16", "bfloat16"}
DTYPES = ("float16", "bfloat16", "float32", "float64")
SMALL, LARGE = 1 << 20, 1 << 28
TABLED = 70_000


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("is_declared", [False, True])
def test_labels(k: int, is_weighted: bool, is_declared: bool) -> None:
    true, pred = labels(5000, k)
    given = {"weights": weights(5000) if is_weighted else None}
    declared = range(k) if is_declared else None
    on_host, on_device = both(true, pred, given=given, labels=declared)
    assert on_device.n_rows == 5000
    assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("kind", ["bool", "uint8", "int8", "int16", "int32", "float32", "bfloat16"])
def test_labels_of_every_dtype(kind: str) -> None:
    true, pred = (column.to(getattr(torch, kind)) for column in labels(3000, 2))
    for declared in (None, [0, 1], [False, True], [1, 0]):
        on_host, on_device = both(true, pred, given={}, labels=declared)
        assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("declared", [[3, 4, 5, 6], [10, -7, 1 << 40, 0], [6, 5, 4, 3]])
def test_labels_that_are_no_places(declared: list[int]) -> None:
    codes = labels(3000, 4)
    true, pred = (torch.tensor(declared)[column] for column in codes)
    on_host, on_device = both(true, pred, given={}, labels=declared)
    assert differences(on_device.report(), on_host.report()) == []


def test_many_classes() -> None:
    true, pred = labels(6000, 5000)
    for given in ({}, {"weights": weights(6000)}):
        settings: dict[str, Any] = {"labels": range(5000), "metrics": ["macro_f1", "kappa"]}
        on_host, on_device = both(true, pred, given=given, **settings)
        assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["y_prob", "y_score"])
@pytest.mark.parametrize("max_memory", [SMALL, LARGE])
def test_scores(kind: str, dtype: str, max_memory: int) -> None:
    n = TABLED if max_memory == SMALL else 3000
    true, columns = scores(n, 3, kind, getattr(torch, dtype))
    given = {kind: columns}
    on_host, on_device = both(
        true, given=given, labels=range(3), reading=karat.Reading(max_memory=max_memory)
    )
    assert on_device._devices.has_scores
    assert differences(on_device.report(), on_host.report()) == []
    has_tables = on_host._tallies.scores.histograms is not None
    assert has_tables == (on_device._tallies.scores.histograms is not None)
    assert has_tables == (max_memory == SMALL)


@pytest.mark.parametrize("kind", ["y_prob", "y_score"])
@pytest.mark.parametrize("positive", [None, 0])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
def test_one_column_of_two_classes(kind: str, positive: Any, dtype: str) -> None:
    true, columns = scores(TABLED * 2, 2, kind, getattr(torch, dtype))
    for n, max_memory in ((2000, LARGE), (len(true), SMALL)):
        given = {kind: columns[:n, 1 if positive is None else 0]}
        settings: dict[str, Any] = {"labels": [0, 1], "positive": positive}
        settings["reading"] = karat.Reading(max_memory=max_memory)
        on_host, on_device = both(true[:n], given=given, **settings)
        assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("kind", ["y_prob", "y_score"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_weights_of_scores(kind: str, dtype: str) -> None:
    true, columns = scores(TABLED, 3, kind, getattr(torch, dtype))
    for n, max_memory in ((2000, LARGE), (TABLED, SMALL)):
        given = {kind: columns[:n], "weights": weights(n)}
        settings: dict[str, Any] = {
            "labels": range(3),
            "reading": karat.Reading(max_memory=max_memory),
        }
        on_host, on_device = both(true[:n], given=given, **settings)
        assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("max_memory", [SMALL, LARGE])
@pytest.mark.parametrize("kind", ["y_prob", "y_score"])
def test_weights_that_are_numbers_of_rows(kind: str, max_memory: int) -> None:
    n = TABLED if max_memory == SMALL else 2000
    true, columns = scores(n, 3, kind, torch.float32)
    given = {kind: columns, "weights": karat.Frequency(torch.arange(n) % 4)}
    settings: dict[str, Any] = {"labels": range(3), "reading": karat.Reading(max_memory=max_memory)}
    on_host, on_device = both(true, given=given, **settings)
    assert differences(on_device.report(), on_host.report()) == []


def test_scores_that_occur_often_stay_exact() -> None:
    true, columns = scores(TABLED, 3, "y_prob", torch.float32)
    first, second = (columns[:, i].mul(32).floor() / 32 for i in (0, 1))
    columns = torch.stack([first, second, 1 - first - second], dim=1)
    given = {"y_prob": columns, "weights": weights(TABLED)}
    settings: dict[str, Any] = {
        "labels": range(3),
        "reading": karat.Reading(max_memory=SMALL),
        "level": None,
    }
    for of in (given, {"y_prob": columns}):
        on_host, on_device = both(true, given=of, **settings)
        assert differences(on_device.report(), on_host.report()) == []
        assert on_device._tallies.scores.histograms.ranks[0].is_exact


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("max_memory", [SMALL, LARGE])
def test_thresholds(dtype: str, max_memory: int) -> None:
    """A threshold is compared in the arithmetic of the scores, also where it is one of them."""
    true, columns = scores(TABLED * 2, 2, "y_prob", getattr(torch, dtype))
    threshold = float(np.float32(columns[7, 1].float()))
    for at in (threshold, 0.1, 0.3):
        given = {"y_prob": (columns[:, 1] * 10).round() / 10 if at == 0.1 else columns[:, 1]}
        settings: dict[str, Any] = {"labels": [0, 1], "threshold": at, "level": None}
        settings["reading"] = karat.Reading(max_memory=max_memory)
        on_host, on_device = both(true, given=given, **settings)
        assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("max_memory", [SMALL, LARGE])
def test_predictions_beside_scores(max_memory: int) -> None:
    true, columns = scores(TABLED, 3, "y_prob", torch.float32)
    _, pred = labels(TABLED, 3, seed=5)
    given = {"y_prob": columns}
    settings: dict[str, Any] = {
        "labels": range(3),
        "reading": karat.Reading(max_memory=max_memory),
        "level": None,
    }
    on_host, on_device = both(true, pred, given=given, **settings)
    assert differences(on_device.report(), on_host.report()) == []


def test_classes_of_scores_that_were_not_given() -> None:
    true, columns = scores(5000, 3, "y_prob", torch.float32)
    # The first batches have two of the three classes, so that the host must keep them.
    order = torch.argsort(true == 2, stable=True)
    for rows in (torch.arange(5000), order):
        for pred in (None, true[rows]):
            given = {"y_prob": columns[rows]}
            on_host, on_device = both(true[rows], pred, given=given)
            assert on_device._devices.has_scores
            assert differences(on_device.report(), on_host.report()) == []


@pytest.mark.parametrize("is_weighted", [False, True])
def test_one_call(is_weighted: bool) -> None:
    true, columns = scores(3000, 3, "y_score", torch.bfloat16)
    w = weights(3000) if is_weighted else None
    with on_the_device():
        report = karat.evaluate(true, y_score=columns, weights=w)
        of_labels = karat.evaluate(true, columns.argmax(1), weights=w, positive=None)
    on_host = karat.evaluate(true, y_score=columns, weights=w)
    # The doubt that scores may be logits takes the rows, which stay on the device.
    assert [doubt.code for doubt in on_host.doubts] == ["D159"]
    assert {path[0] for path, _, _ in differences(report, on_host)} == {"doubts", "warnings"}
    expected = karat.evaluate(true, columns.argmax(1), weights=w)
    assert differences(of_labels, expected) == []


def test_what_a_tensor_cannot_hold_is_read_by_the_host() -> None:
    true, columns = scores(300, 2, "y_prob", torch.float32)
    names = np.array(["cat", "dog"])[true.numpy()]
    with on_the_device():
        of_text = karat.evaluate(names, y_prob=columns)
        of_lists = karat.evaluate(true.tolist(), y_prob=columns)
        clustered = karat.evaluate(true, y_prob=columns, clusters=true.tolist())
    assert differences(of_text, karat.evaluate(names, y_prob=columns)) == []
    assert differences(of_lists, karat.evaluate(true, y_prob=columns)) == []
    assert clustered.is_clustered


def test_reports_between_batches_change_nothing() -> None:
    true, columns = scores(TABLED, 3, "y_prob", torch.float32)
    settings: dict[str, Any] = {
        "labels": range(3),
        "reading": karat.Reading(max_memory=SMALL),
        "level": None,
    }
    on_host, read = karat.Stream(**settings), karat.Stream(**settings)
    with on_the_device():
        for part in torch.arange(TABLED).chunk(5):
            add(read, true[part], y_prob=columns[part])
            _ = read.report(["accuracy"])
    add(on_host, true, y_prob=columns)
    assert differences(read.report(), on_host.report()) == []


def test_streams_of_host_and_device_merge() -> None:
    true, columns = scores(TABLED, 3, "y_prob", torch.float32)
    settings: dict[str, Any] = {
        "labels": range(3),
        "reading": karat.Reading(max_memory=SMALL),
        "level": None,
    }
    whole = add(karat.Stream(**settings), true, y_prob=columns)
    for n in (1000, 20_000, 40_000):
        first = add(karat.Stream(**settings), true[:n], y_prob=columns[:n])
        with on_the_device():
            rest = add(karat.Stream(**settings), true[n:], y_prob=columns[n:])
            # A device that holds rows takes in those of the host, and the other way round.
            again = add(karat.Stream(**settings), true[n:], y_prob=columns[n:])
        copy = karat.Stream.from_bytes(rest.to_bytes())
        assert differences(first.merge(copy).report(), whole.report()) == []
        half = add(karat.Stream(**settings), true[:n], y_prob=columns[:n])
        assert differences(again.merge(half).report(), whole.report()) == []


def test_labels_merge_and_subtract() -> None:
    true, pred = labels(3000, 4)
    on_host, on_device = both(true, pred, given={}, labels=range(4))
    twice = karat.Stream(labels=range(4)).merge(on_device).merge(on_host)
    assert differences(twice.subtract(on_device).report(), on_host.report()) == []
    assert on_device.n_rows == 3000


def test_rows_of_weight_zero_everywhere_in_a_batch() -> None:
    true, columns = scores(TABLED, 3, "y_prob", torch.float32)
    w = weights(TABLED)
    w[:5000] = 0.0
    columns[:10] = torch.tensor([1.0, 0.0, 0.0])  # of infinite loss, where they are wrong
    given = {"y_prob": columns, "weights": w}
    settings: dict[str, Any] = {
        "labels": range(3),
        "reading": karat.Reading(max_memory=SMALL),
        "level": None,
    }
    on_host, on_device = both(true, given=given, **settings)
    assert differences(on_device.report(), on_host.report()) == []


def test_a_wrong_tally_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Controls: each of these broken parts must show in a report."""
    from karat.data.sources.torch import score_histograms as histograms
    from karat.data.sources.torch import score_histograms as score_levels
    from karat.data.sources.torch import score_losses, tallies

    true, columns = scores(TABLED, 3, "y_score", torch.float32)
    given = {"y_score": columns}
    settings: dict[str, Any] = {"labels": range(3), "reading": karat.Reading(max_memory=SMALL)}

    def is_noticed(module: Any, name: str, broken: Any) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, broken)
            on_host, on_device = both(true, given=given, **settings)
            return differences(on_device.report(), on_host.report()) != []

    right = score_losses._margins
    assert is_noticed(score_losses, "_margins", lambda own, other: right(own, other) * (1 + 1e-9))
    count = histograms.counted
    assert is_noticed(score_levels, "counted", lambda at, m: count(at, m).roll(6))
    apart = score_levels._digits_apart
    assert is_noticed(
        score_levels, "_digits_apart", lambda values: (apart(values) - 1).clamp(min=0)
    )
    code = tallies.whole
    assert is_noticed(tallies, "whole", lambda given: code(given).clamp(max=1))

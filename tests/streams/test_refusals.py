"""A batch or a stream that does not fit is refused whole: the bytes of the stream stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.grouping import grouped

LABELS = {"y_true": ["a", "b", "a"], "y_pred": ["a", "b", "b"]}
PROB = {"y_true": ["0", "1", "0"], "y_prob": [0.25, 0.5, 0.75]}
WIDE = {"y_true": ["a", "b", "c"], "y_prob": np.eye(3)}
TWO_OF_THREE = {"y_true": ["a", "b"], "y_prob": np.eye(3)[:2]}


def weighted(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, "weights": [1.0, 2.0, 0.0]}


def guessed(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, "y_pred": ["0", "0", "1"]}


def scored(batch: dict[str, Any]) -> dict[str, Any]:
    return {"y_true": batch["y_true"], "y_score": batch["y_prob"]}


def changed(batch: dict[str, Any], **columns: Any) -> dict[str, Any]:
    return {**batch, **columns}


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = {
    "scores after labels": ({}, LABELS, PROB, "K180"),
    "labels after scores": ({}, PROB, LABELS, "K180"),
    "weights after none": ({}, LABELS, weighted(LABELS), "K203"),
    "none after weights": ({}, weighted(LABELS), LABELS, "K203"),
    "weights after none, scores": ({}, PROB, weighted(PROB), "K203"),
    "none after weights, scores": ({}, weighted(PROB), PROB, "K203"),
    "predictions after none": ({}, PROB, guessed(PROB), "K202"),
    "none after predictions": ({}, guessed(PROB), PROB, "K202"),
    "scores after probabilities": ({}, PROB, scored(PROB), "K202"),
    "probabilities after scores": ({}, scored(PROB), PROB, "K202"),
    "two columns after one": ({}, PROB, changed(PROB, y_prob=np.full((3, 2), 0.5)), "K201"),
    "two columns after three": ({}, TWO_OF_THREE, {"y_true": ["a", "b"],
                                                   "y_prob": np.full((2, 2), 0.5)},
                                "K201"),
    "a third class of one column": ({}, PROB, changed(PROB, y_true=["0", "1", "2"]), "K134"),
    "a fourth class of three": ({}, WIDE, changed(WIDE, y_true=["a", "b", "d"]), "K134"),
    "a class that was not declared": ({"labels": ["0", "1"]}, PROB,
                                      changed(PROB, y_true=["0", "1", "2"]), "K109"),
    "a label that was not declared": ({"labels": ["a", "b"]}, LABELS,
                                      changed(LABELS, y_pred=["a", "b", "c"]), "K109"),
    "numbers after strings": ({}, LABELS, {"y_true": [1, 2], "y_pred": [1, 2]}, "K108"),
    "numbers after strings, scores": ({}, PROB, changed(PROB, y_true=[0, 1, 1]), "K108"),
    "strings after numbers, scores": ({}, changed(PROB, y_true=[0, 1, 1]), PROB, "K108"),
    "predictions of another kind": ({}, {"y_true": ["a", "b", "b"], "y_pred": ["a", "a", "b"],
                                         "y_prob": np.eye(3)},
                                    changed(WIDE, y_pred=[0, 1, 2]), "K108"),
    "a predicted class without a column": ({}, guessed(PROB),
                                           changed(guessed(PROB), y_pred=["0", "x", "y"]), "K109"),
    "more classes by predictions than columns": ({}, {"y_true": ["0"], "y_pred": ["1"],
                                                      "y_prob": [0.5]},
                                                 {"y_true": ["0"], "y_pred": ["2"],
                                                  "y_prob": [0.5]}, "K109"),
    "a probability above 1": ({}, PROB, changed(PROB, y_prob=[0.5, 0.5, 1.5]), "K13"),
    "a probability that is missing": ({}, PROB, changed(PROB, y_prob=[0.5, 0.5, None]), "K131"),
    "a score that is missing": ({}, scored(PROB), {"y_true": ["0"], "y_score": [np.nan]}, "K131"),
    "rows that do not add up": ({}, WIDE, changed(WIDE, y_prob=np.full((3, 3), 0.4)), "K13"),
    "a missing label": ({}, LABELS, changed(LABELS, y_true=["a", None, "b"]), "K10"),
    "a missing label, scores": ({}, PROB, changed(PROB, y_true=["0", None, "1"]), "K10"),
    "other lengths": ({}, LABELS, changed(LABELS, y_pred=["a"]), "K102"),
    "other lengths, scores": ({}, PROB, changed(PROB, y_prob=[0.5]), "K102"),
    "other lengths, weights": ({}, weighted(PROB), changed(PROB, weights=[1.0]), "K102"),
    "other lengths, predictions": ({}, guessed(PROB), changed(PROB, y_pred=["0"]), "K102"),
    "a negative weight": ({}, weighted(LABELS), changed(LABELS, weights=[1, -1, 1]), "K113"),
    "a negative weight, scores": ({}, weighted(PROB), changed(PROB, weights=[1, -1, 1]), "K113"),
    "a missing weight": ({}, weighted(PROB), changed(PROB, weights=[1, np.nan, 1]), "K114"),
    "no true rows": ({}, LABELS, {"y_true": [], "y_pred": ["a"]}, "K101"),
    "no true rows, scores": ({}, PROB, {"y_true": [], "y_prob": [0.5]}, "K10"),
    "y_true alone": ({}, LABELS, {"y_true": ["a"]}, "K128"),
    "both kinds of scores": ({}, PROB, {**PROB, "y_score": [1, 2, 3]}, "K129"),
    "predictions beside a threshold": ({"threshold": 0.5}, PROB, guessed(PROB), "K140"),
    "labels under a threshold": ({"threshold": 0.5}, PROB, LABELS, "K136"),
    "three columns under a threshold": ({"threshold": 0.5}, PROB, WIDE, "K136"),
}  # fmt: skip


@pytest.mark.parametrize("batch", [LABELS, PROB], ids=["labels", "scores"])
def test_a_batch_without_rows_adds_nothing(batch: dict[str, Any]) -> None:
    empty = {name: np.asarray(values)[:0] for name, values in batch.items()}
    stream = karat.Stream()
    stream.update(**empty)
    assert stream.n_rows == 0
    stream.update(**batch)
    before = stream.to_bytes()
    stream.update(**empty)
    stream.update(**{name: [] for name in batch})
    assert stream.to_bytes() == before


@pytest.mark.parametrize("name", REFUSED)
def test_a_batch_that_does_not_fit_changes_nothing(name: str) -> None:
    options, first, second, code = REFUSED[name]
    stream = karat.Stream(**grouped(options))
    for batches in (0, 1, 2):
        before = stream.to_bytes()
        if batches:
            with pytest.raises(KaratError, match=code):
                stream.update(**second)
            assert stream.to_bytes() == before
            # Neither is a stream that holds it, where it may stand alone.
            other = karat.Stream(**grouped(options))
            try:
                other.update(**second)
            except KaratError:
                pass
            else:
                held = other.to_bytes()
                with pytest.raises(KaratError, match=r"K1\d\d|K20[123]"):
                    stream.merge(other)
                assert (stream.to_bytes(), other.to_bytes()) == (before, held)
        stream.update(**first)


@pytest.mark.parametrize(
    "batch",
    [
        {"y_true": ["a"], "y_prob": [np.nan]},
        {"y_true": ["a"], "y_score": [np.inf]},
        {"y_true": ["a", "a"], "y_prob": [[0.5, 0.5, 0.5]] * 2},
        {"y_true": ["a"], "y_prob": [0.5], "weights": [-1.0]},
    ],
)
def test_bad_values_are_refused_before_all_classes_came(batch: dict[str, Any]) -> None:
    stream = karat.Stream()
    with pytest.raises(KaratError, match=r"K1[13]\d"):
        stream.update(**batch)
    assert (stream.n_rows, stream.to_bytes()) == (0, karat.Stream().to_bytes())


def test_tables_refuse_what_does_not_fit_too() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 100_000), rng.random(100_000)
    guess = rng.integers(0, 2, 100_000)
    for first in ({"y_pred": guess}, {}, {"weights": p}):
        stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
        stream.update(y, y_prob=p, **first)
        again = karat.Stream.from_bytes(stream.to_bytes())
        for one in (stream, again):
            before = one.to_bytes()
            other = {"y_pred": [0, 1]} if "y_pred" not in first else {}
            bad: list[dict[str, Any]] = [
                {"y_true": [0, 1], "y_prob": [0.5, 0.5], **other},
                {"y_true": [0, 2], "y_prob": [0.5, 0.5], **({} if other else {"y_pred": [0, 1]})},
                {"y_true": [0, 1], "y_score": [0.5, 0.5]},
                {"y_true": [0, 1], "y_prob": [[0.5, 0.5]] * 2},
            ]
            if "weights" in first:
                bad.append({"y_true": [0, 1], "y_prob": [0.5, 0.5]})
            for batch in bad:
                with pytest.raises(KaratError, match=r"K134|K20[123]"):
                    one.update(**batch)
                assert one.to_bytes() == before
            good = {name: [column[0]] for name, column in first.items()}
            one.update([1], y_prob=[0.25], **good)
            assert one.n_rows == 100_001


def test_more_rows_than_are_kept_before_all_classes_came() -> None:
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    rows = {"y_true": np.zeros(20_000, int), "y_prob": np.tile([0.5, 0.25, 0.25], (20_000, 1))}
    stream.update(**rows)
    before = stream.to_bytes()
    with pytest.raises(KaratError, match="K146"):
        stream.update(**{name: np.tile(column, (3,) + (1,) * (column.ndim - 1))
                         for name, column in rows.items()})  # fmt: skip
    assert stream.to_bytes() == before
    with pytest.raises(KaratError, match="K146"):
        stream.merge(karat.Stream.from_bytes(before))
    assert stream.to_bytes() == before
    # With the others it is all right.
    stream = karat.Stream.from_bytes(before)
    stream.update([1, 2], y_prob=np.full((2, 3), 1 / 3))
    stream.merge(stream).merge(stream)
    assert stream.report(["accuracy"]).n_rows == 4 * 20_002


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"max_memory": 1000}, "K122"),
        ({"max_memory": "1 GB"}, "K122"),
        ({"max_memory": True}, "K122"),
        ({"metrics": "no_such_metric"}, "K301"),
        ({"level": 2}, "K122"),
        ({"side": "left"}, "K122"),
        ({"method": "magic"}, "K122"),
        ({"design": "magic"}, "K122"),
        ({"undefined": "magic"}, "K122"),
        ({"n_threads": 0}, "K122"),
        ({"seed": -1}, "K122"),
        ({"n_replicates": 3}, "K122"),
        ({"threshold": np.nan}, "K136"),
        ({"threshold": "high"}, "K136"),
        ({"threshold": True}, "K136"),
        ({"labels": ["a", "a"]}, "K1"),
        ({"labels": ["a", 1]}, "K1"),
        ({"labels": ["a", "b"], "positive": "c"}, "K111"),
    ],
)
def test_a_choice_that_is_none_is_refused_at_once(options: dict[str, Any], code: str) -> None:
    with pytest.raises(KaratError, match=code):
        karat.Stream(**grouped(options))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"labels": ["a", "b"]}, {}),
        ({"labels": ["a", "b"]}, {"labels": ["b", "a"]}),
        ({"positive": "a"}, {"positive": "b"}),
        ({"threshold": 0.5}, {"threshold": 0.25}),
        (
            {"reading": karat.Reading(max_memory=1 << 20)},
            {"reading": karat.Reading(max_memory=1 << 21)},
        ),
        ({"weights": karat.Frequency([1, 2])}, {"weights": [1, 2]}),
    ],
)
def test_streams_that_read_rows_otherwise_are_not_merged(left: Any, right: Any) -> None:
    for one, other in ((left, right), (right, left)):
        a, b = (_of_settings(**grouped(settings)) for settings in (one, other))
        for call in (a.merge, a.subtract):
            with pytest.raises(KaratError, match="K202"):
                call(b)


def _of_settings(weights: Any = None, **settings: Any) -> karat.Stream:
    """A stream; weights come with a batch."""
    stream = karat.Stream(**settings)
    if weights is not None:
        stream.update([0, 1], [0, 1], weights=weights)
    return stream


@pytest.mark.parametrize("call", ["merge", "subtract"])
@pytest.mark.parametrize("value", [None, 3, b"x", [karat.Stream()]])
def test_only_streams_are_merged(call: str, value: Any) -> None:
    with pytest.raises(KaratError, match="K215"):
        getattr(karat.Stream(), call)(value)


def test_a_stream_without_rows_has_no_report() -> None:
    used = karat.Stream()
    used.update(["a"], ["a"])
    used.subtract(used)
    for stream in (karat.Stream(), karat.Stream(labels=[0, 1], metrics="f1"), used):
        with pytest.raises(KaratError, match="K101"):
            stream.report()
        assert stream.n_rows == 0


def test_what_the_report_cannot_say_is_refused_then() -> None:
    calls: list[tuple[Callable[[karat.Stream], object], str]] = [
        (lambda s: s.update(["a"], y_prob=[0.5]), "K134"),
        (lambda s: s.update(**TWO_OF_THREE), "K134"),
        (lambda s: s.update([0, 1], [0, 1], weights=[0, 0]), "K115"),
        (lambda s: s.update([0, 1], y_prob=[0, 1], weights=[0, 0]), "K115"),
    ]
    for call, code in calls:
        stream = karat.Stream()
        call(stream)
        with pytest.raises(KaratError, match=code):
            stream.report()
        with pytest.raises(KaratError, match=code):
            karat.Stream.from_bytes(stream.to_bytes()).report()
    stream = karat.Stream()
    stream.update(["a", "b"], ["a", "b"])
    for metrics, code in (("roc_auc", "K210"), ("nothing", "K301"), ("macro_accuracy", "K306")):
        with pytest.raises(KaratError, match=code):
            stream.report(metrics)
    stream.update(["c"], ["c"])
    with pytest.raises(KaratError, match="K307"):
        stream.report("f1")


def test_pairs_of_columns_need_the_rows() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60_000) % 3
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), level=None)
    stream.update(y, y_score=rng.normal(size=(60_000, 3)))
    with pytest.raises(KaratError, match="K211"):
        stream.report("roc_auc_mu")
    report = stream.report()
    assert "roc_auc_mu" not in report
    assert any("roc_auc_mu" in line and "rows" in line for line in report.warnings)

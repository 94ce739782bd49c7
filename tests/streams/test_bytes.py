"""Bytes of a stream: its settings travel with them, old ones are read, damaged ones refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.tally.serialization import framed
from tests.grouping import grouped
from tests.streams.batches import assert_reports
from tests.tally.score_tables import rewritten

STORED = Path(__file__).with_name("stored")


SETTINGS: list[dict[str, Any]] = [
    {},
    {"labels": np.array([1, 0]), "positive": np.int64(1)},
    {"labels": karat.Labels(["ç", "\ud800"], names={"ç": "one", "\ud800": "two"})},
    {
        "labels": karat.Labels([False, True], names=np.array(["no", "yes"])),
        "positive": np.bool_(False),
    },
    {
        "threshold": np.float32(0.5),
        "level": np.float64(0.9),
        "interval": karat.Interval(seed=np.int64(3)),
    },
    {
        "interval": karat.Interval(n_replicates=np.int32(200)),
        "reading": karat.Reading(n_threads=np.int64(1), max_memory=np.int64(1 << 20)),
    },
    {
        "metrics": ["f1", "macro_f_beta(beta=2)"],
        "interval": karat.Interval(method="wald", side="low"),
    },
    {"design": karat.CaseControl(), "undefined": "nan", "level": None},
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_settings_travel_with_the_bytes(options: dict[str, Any]) -> None:
    stream = karat.Stream(**grouped(options))
    again = karat.Stream.from_bytes(stream.to_bytes())
    assert again._settings == stream._settings
    assert again.to_bytes() == stream.to_bytes()
    assert pickle.loads(pickle.dumps(stream))._settings == stream._settings
    assert stream.merge(again).n_rows == 0


def test_weights_that_count_rows_travel_with_the_bytes() -> None:
    stream = karat.Stream(design=karat.CaseControl(), undefined="nan", level=None)
    stream.update([0, 1], [0, 1], weights=karat.Frequency([1, 2]))
    again = karat.Stream.from_bytes(stream.to_bytes())
    assert again._settings.is_frequency
    assert again._settings == stream._settings
    assert again.to_bytes() == stream.to_bytes()
    assert pickle.loads(pickle.dumps(stream))._settings == stream._settings
    assert stream.merge(again).n_rows == 4


def held(kind: str) -> karat.Stream:
    """What was written to a file."""
    rng = np.random.default_rng(9)
    stream = karat.Stream(
        reading=karat.Reading(max_memory=1 << 20),
        labels=karat.Labels(["a", "b"], names=["A", "ß"]),
        positive="b",
    )
    y = np.array(["a", "b"])[np.arange(40) % 2]
    scores = {"y_prob": np.round(rng.random(40), 2)}
    if kind == "empty":
        return stream
    if kind == "labels":
        stream.update(y, y[::-1])
    elif kind == "weighted":
        stream.update(y, np.roll(y, 3), weights=np.arange(40) / 8)
    else:
        stream.update(y, np.roll(y, 1), **scores)
    if kind in ("tables", "both"):
        stream._tallies = replace(stream._tallies, scores=stream._tallies.scores.in_histograms())
    if kind == "both":
        scores = replace(stream._tallies.scores, held=held("rows")._tallies.scores.held)
        stream._tallies = replace(stream._tallies, scores=scores)
    return stream


STORES = ("empty", "labels", "weighted", "rows", "tables", "both")


@pytest.mark.parametrize("kind", STORES)
def test_streams_written_by_an_earlier_version_are_read(kind: str) -> None:
    stream = karat.Stream.from_bytes((STORED / f"v1-{kind}.karat-stream").read_bytes())
    wanted = held(kind)
    assert stream.n_rows == wanted.n_rows
    # An earlier version took the last class as positive, and its tallies say so.
    assert stream._settings == replace(wanted._settings, positive=None)
    if kind != "empty":
        assert_reports(stream.report(), wanted.report())
        assert stream.report().classes.display == ("A", "ß")


@pytest.mark.parametrize("kind", STORES)
def test_damaged_bytes_are_refused(kind: str) -> None:
    data = held(kind).to_bytes()
    for place in range(0, len(data), max(1, len(data) // 400)):
        damaged = bytearray(data)
        damaged[place] ^= 8
        with pytest.raises(KaratError, match=r"K205|K206"):
            karat.Stream.from_bytes(bytes(damaged))
        with pytest.raises(KaratError, match="K205"):
            karat.Stream.from_bytes(data[:place])


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="cells"),
        lambda header: header.pop("settings"),
        lambda header: header["settings"].pop("labels"),
        lambda header: header["settings"].update(labels=3),
        lambda header: header["settings"].update(max_memory=-1),
        lambda header: header["settings"].update(threshold="x"),
        lambda header: header["settings"].update(undefined="x"),
        lambda header: header["settings"].update(n_threads=1e308),
        lambda header: header["settings"]["confidence"].update(level=7),
        lambda header: header["settings"].update(labels=["a", "c"]),
        lambda header: header["settings"].update(labels=["a", "b", "c"]),
        lambda header: header["sizes"].update(held=3),
        lambda header: header["sizes"].update(cells=0),
        lambda header: header["sizes"].pop("tables"),
        lambda header: header["settings"].update(positive="c"),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        karat.Stream.from_bytes(rewritten(held("both").to_bytes(), change))


@pytest.mark.parametrize("kind", ["labels", "three", "tables of three"])
def test_a_threshold_of_other_than_two_classes_is_refused(kind: str) -> None:
    stream = karat.Stream(labels=[0, 1, 2], reading=karat.Reading(max_memory=1 << 20))
    if kind == "labels":
        stream.update([0, 1], [1, 2])
    else:
        n = 70_000 if kind == "tables of three" else 3
        truth = np.arange(n) % 3
        stream.update(truth, y_prob=np.eye(3)[truth])
    data = rewritten(stream.to_bytes(), lambda header: header["settings"].update(threshold=0.5))
    with pytest.raises(KaratError, match="K205"):
        karat.Stream.from_bytes(data)


def test_metrics_that_are_not_registered_are_named() -> None:
    data = rewritten(
        karat.Stream(metrics="f1").to_bytes(),
        lambda header: header["settings"].update(metrics=["of_another_package"]),
    )
    with pytest.raises(KaratError, match="K301"):
        karat.Stream.from_bytes(data)


def test_scores_of_an_earlier_version_are_read_from_the_rows_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = karat.Stream()
    stream.update([0, 1, 1], y_score=[-1.0, 2.0, 1.5])

    def as_before(header: dict[str, Any], arrays: Any) -> bytes:
        return framed(
            {**{x: y for x, y in header.items() if x != "kind"}, "is_prob": False}, arrays
        )

    with monkeypatch.context() as patched:
        patched.setattr("karat.tally.held_rows.framed", as_before)
        data = stream.to_bytes()
    with pytest.raises(KaratError, match="K205") as found:
        karat.Stream.from_bytes(data)
    assert "to_bytes()" not in str(found.value)
    assert "Update a new stream from the rows, with y_logit=" in str(found.value)
    with pytest.raises(KaratError, match=r"Write the stream again with to_bytes\(\)"):
        karat.Stream.from_bytes(data[:-3])


def test_it_says_what_it_is() -> None:
    assert repr(held("rows")) == "<karat.Stream: 40 rows>"


@pytest.mark.parametrize("given", ["karat", None, 3])
def test_what_is_no_bytes_is_refused(given: Any) -> None:
    with pytest.raises(KaratError, match="not bytes"):
        karat.Stream.from_bytes(given)

"""Stored bytes: states of monitors and streams, tallies, checkpoints; and JSON in short."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import karat
from tests.corpus.calls import Call
from tests.corpus.files import written
from tests.corpus.more_rows import three_classes, topics, two_classes
from tests.corpus.outcome import Prose, text_digest
from tests.grouping import grouped

TWO, THREE, SETS = two_classes(), three_classes(), topics()
TRUTHS_OF_MODELS: dict[str, Any] = {
    "two classes": TWO["label"],
    "classes": THREE["label"],
    "probabilities": TWO["label"],
    "sets": SETS["label_sets"],
    "scores of sets": SETS["truth"],
}


def calls() -> Iterator[Call]:
    yield from _monitors()
    yield from _streams()
    yield from _tallies()
    yield from _checkpoints()


def json_in_short(text: str) -> dict[str, Any]:
    """JSON by its length, digest and keys, as far as two levels."""
    tree = json.loads(text)
    keys = {
        key: sorted(value) if isinstance(value, dict) else type(value).__name__
        for key, value in tree.items()
    }
    return {"text": Prose(text_digest(text)), "keys": keys}


def _monitor(windows: bool = False) -> Any:
    planned = None if windows else 500
    monitor = karat.Monitor(min={"accuracy": 0.5}, design=karat.Looks(planned), windows=windows)
    monitor.add(TWO["label"], TWO["pred"])
    monitor.add(TWO["label"], TWO["old"])
    return monitor


def _monitors() -> Iterator[Call]:
    for windows in (False, True):
        name = "windows" if windows else "all rows"
        yield Call(
            f"bytes of a monitor of {name}",
            "Monitor",
            "bytes",
            lambda w=windows: _monitor(w).to_bytes(),
        )
        yield Call(
            f"JSON of a monitor of {name}",
            "Monitor",
            "result",
            lambda w=windows: json_in_short(_monitor(w).result.to_json()),
        )
        yield Call(
            f"a monitor of {name} and back", "Monitor", "bytes", lambda w=windows: _monitor_back(w)
        )
    for name, damage in BYTES.items():
        yield Call(
            f"a monitor with damage: {name}",
            "Monitor",
            "bytes",
            lambda d=damage: karat.Monitor.from_bytes(d(_monitor().to_bytes())).n_rows,
        )
    yield Call("a monitor of no file", "Monitor", "path", lambda: karat.Monitor.load("nowhere"))
    yield Call(
        "a monitor of bytes of a stream",
        "Monitor",
        "bytes",
        lambda: karat.Monitor.from_bytes(_stream("two classes").to_bytes()),
    )


def _monitor_back(windows: bool) -> Any:
    path = Path("stored.karat")
    _monitor(windows).save(path)
    again = karat.Monitor.load(path)
    again.add(TWO["label"], TWO["judge"])
    return {
        "same bytes": karat.Monitor.load(path).to_bytes() == path.read_bytes(),
        "result": again.result,
        "n": again.n_rows,
    }


BYTES: dict[str, Callable[[bytes], Any]] = {
    "nothing": lambda _: b"",
    "noise": lambda _: b"noise" * 40,
    "cut": lambda data: data[: len(data) // 2],
    "cut at the end": lambda data: data[:-1],
    "more at the end": lambda data: data + b"\0",
    "a flipped bit at the start": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "a flipped bit in the middle": lambda data: _flipped(data, len(data) // 2),
    "a flipped bit at the end": lambda data: _flipped(data, len(data) - 1),
    "text": lambda data: data.hex(),
    "None": lambda _: None,
}


def _flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]


STREAMED: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": TWO["pred"]},
    "classes": {"y_pred": THREE["pred"]},
    "probabilities": {"y_prob": TWO["prob"]},
    "sets": {"y_pred": SETS["pred_sets"]},
    "scores of sets": {"y_prob": SETS["prob"]},
}


def _stream(kind: str) -> Any:
    stream = karat.Stream(level=None)
    stream.update(TRUTHS_OF_MODELS[kind], **STREAMED[kind])
    return stream


def _streams() -> Iterator[Call]:
    for kind in STREAMED:
        yield Call(
            f"bytes of a stream of {kind}", "Stream", "bytes", lambda k=kind: _stream(k).to_bytes()
        )
        yield Call(
            f"a stream of {kind} and back",
            "Stream",
            "bytes",
            lambda k=kind: (
                karat.Stream.from_bytes(_stream(k).to_bytes()).report().to_json()
                == _stream(k).report().to_json()
            ),
        )
        for name, damage in BYTES.items():
            if kind in ("two classes", "scores of sets"):
                yield Call(
                    f"a stream of {kind} with damage: {name}",
                    "Stream",
                    "bytes",
                    lambda k=kind, d=damage: (
                        karat.Stream.from_bytes(d(_stream(k).to_bytes())).n_rows
                    ),
                )
    yield Call(
        "a stream of bytes of a monitor",
        "Stream",
        "bytes",
        lambda: karat.Stream.from_bytes(_monitor().to_bytes()),
    )


def _cells(kind: str) -> Any:
    classes = karat.tally.Classes.of(["a", "b", "c"])
    if kind == "dense":
        return karat.tally.Cells.dense([[3, 1, 0], [2, 4, 1], [0, 0, 5]], classes=classes)
    if kind == "weighted":
        weights = [[1.5, 0.25, 0], [0.5, 2.0, 1], [0, 0, 0.75]]
        return karat.tally.Cells.dense(weights, classes=classes)
    if kind == "sparse":
        return karat.tally.Cells.sparse([0, 1, 2], [0, 1, 1], [5, 6, 7], classes=classes)
    if kind == "marginals":
        return karat.tally.Cells.marginals([3, 4, 5], [2, 1, 1], [1, 3, 0], classes=classes)
    return karat.tally.Cells.empty(classes)


def _tallies() -> Iterator[Call]:
    for kind in ("dense", "weighted", "sparse", "marginals", "empty"):
        yield Call(
            f"bytes of a tally, {kind}",
            "tally",
            "bytes",
            lambda k=kind: karat.tally.to_bytes(_cells(k)),
        )
        yield Call(
            f"a tally and back, {kind}",
            "tally",
            "bytes",
            lambda k=kind: _tally_in_short(karat.tally.from_bytes(karat.tally.to_bytes(_cells(k)))),
        )
        yield Call(
            f"a tally merged with itself, {kind}",
            "tally",
            "tally",
            lambda k=kind: _tally_in_short(karat.tally.merge(_cells(k), _cells(k))),
        )
    for name, damage in BYTES.items():
        yield Call(
            f"a tally with damage: {name}",
            "tally",
            "bytes",
            lambda d=damage: _tally_in_short(
                karat.tally.from_bytes(d(karat.tally.to_bytes(_cells("dense"))))
            ),
        )


def _tally_in_short(cells: Any) -> Any:
    return {
        "storage": cells.storage,
        "labels": list(cells.classes.labels),
        "counts": cells.counts,
        "n_rows": cells.n_rows,
        "squares": cells.squares,
        "bytes": karat.tally.to_bytes(cells),
    }


CHECKPOINT = Path("stored-run.karat")
READING: dict[str, dict[str, Any]] = {
    "labels": {"y_true": "label", "y_pred": "pred", "y_prob": "", "metrics": ["accuracy", "f1"]},
    "probabilities": {"y_true": "label", "y_prob": "prob", "y_pred": "", "metrics": ["roc_auc"]},
    "clusters": {
        "y_true": "label",
        "y_pred": "pred",
        "y_prob": "",
        "clusters": "team",
        "metrics": ["accuracy"],
    },
    "slices": {
        "y_true": "label",
        "y_pred": "pred",
        "y_prob": "",
        "by": "country",
        "metrics": ["accuracy"],
    },
    "sets": {"y_true": "label_sets", "y_pred": "pred_sets", "metrics": ["micro_f1"]},
    "ids": {"y_true": "label", "y_pred": "pred", "y_prob": "", "ids": "id"},
    "folds": {"y_true": "label", "y_pred": "pred", "y_prob": "", "design": karat.Folds("fold")},
}


def _files(kind: str) -> Any:
    """Parquet files of the rows."""
    rows = SETS if kind == "sets" else TWO
    names = ["label_sets", "pred_sets"] if kind == "sets" else ["label", "pred", "prob"]
    columns = {name: rows[name] for name in (*names, "id", "team", "country", "fold")}
    name = f"stored-{'sets' if kind == 'sets' else 'two'}"
    parts = sorted(str(part) for part in Path(f"parquet-list/{name}.parts").glob("*"))
    # Files that are written again are others to a checkpoint.
    return parts or written("parquet list", columns, name)


def _with_checkpoint(kind: str) -> Any:
    CHECKPOINT.unlink(missing_ok=True)
    return karat.evaluate(
        _files(kind), **grouped({"reading": karat.Reading(checkpoint=CHECKPOINT), **READING[kind]})
    )


def _checkpoints() -> Iterator[Call]:
    for kind in READING:
        yield Call(
            f"a checkpoint of {kind}", "evaluate", "parquet", lambda k=kind: _resumed(k, bytes)
        )
    for name, damage in BYTES.items():
        if name not in ("text", "None"):
            yield Call(
                f"a checkpoint with damage: {name}",
                "evaluate",
                "parquet",
                lambda d=damage: _resumed("labels", d),
            )
    yield Call("a checkpoint of other options", "evaluate", "parquet", _other_options)
    yield Call("a checkpoint of other rows", "evaluate", "parquet", _other_rows)


def _resumed(kind: str, damage: Callable[[bytes], bytes]) -> Any:
    """The report of a second read that starts from the checkpoint of the first."""
    first = _with_checkpoint(kind)
    is_kept = CHECKPOINT.exists()
    if is_kept:
        CHECKPOINT.write_bytes(damage(CHECKPOINT.read_bytes()))
    else:
        CHECKPOINT.write_bytes(damage(_monitor().to_bytes()))
    again = karat.evaluate(
        _files(kind), **grouped({"reading": karat.Reading(checkpoint=CHECKPOINT), **READING[kind]})
    )
    return {
        "is kept": is_kept,
        "same metrics": [again[name] == first[name] for name in [*first.metrics][:2]],
        "doubts": [doubt.code for doubt in again.doubts],
    }


def _other_options() -> Any:
    _with_checkpoint("labels")
    files = _files("labels")
    return karat.evaluate(
        files,
        **grouped({"reading": karat.Reading(checkpoint=CHECKPOINT), **READING["probabilities"]}),
    ).n_rows


def _other_rows() -> Any:
    _with_checkpoint("labels")
    return karat.evaluate(
        _files("sets"),
        **grouped({"reading": karat.Reading(checkpoint=CHECKPOINT), **READING["sets"]}),
    ).n_rows

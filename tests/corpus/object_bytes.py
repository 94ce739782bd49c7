"""Baselines, streams and monitors whose stored form was edited, with the checksum that fits."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import karat
from tests.corpus.calls import Call
from tests.corpus.more_rows import sets, three_classes, topics, two_classes
from tests.corpus.object_streams import beyond_memory, filled

TWO = two_classes()
THREE = three_classes()
SETS = topics()
TABLE = {"label": THREE["label"], "pred": THREE["pred"], "mass": THREE["mass"]}
FRAME = "<8sHI"


def calls() -> Iterator[Call]:
    yield from _baselines()
    yield from _damaged_streams()
    yield from _mixed_streams()
    yield from _damaged_monitors()


def _gate(name: str, run: Callable[[], Any]) -> Call:
    return Call(f"gate, {name}", "gate", "baseline", run)


def _baselines() -> Iterator[Call]:
    """Stored baselines: other thresholds, other slices, and files that contradict themselves."""
    for then, now in ((0.5, 0.3), (None, 0.25), (0.25, None), (0.5, None)):
        yield _gate(
            f"a baseline at threshold {then}, rows at {now}",
            lambda then=then, now=now: _at_thresholds(then, now, with_rows=True),
        )
    yield _gate(
        "a baseline at another threshold, values", lambda: _at_thresholds(0.5, 0.3, with_rows=False)
    )
    yield _gate("a baseline without slices", lambda: _by(None, "sex"))
    yield _gate("a baseline of other slices", lambda: _by("country", "sex"))
    yield _gate("a baseline of the same slices", lambda: _by("sex", "sex"))
    for name, change in CHANGES.items():
        yield _gate(f"an edited baseline, {name}", lambda change=change: _edited(change))
    yield _gate("a baseline that holds NaN", lambda: _with_text('"n":60', '"n":NaN'))
    yield _gate("a baseline with a key twice", lambda: _with_text('"n":60', '"n":60,"n":60'))


def _at_thresholds(then: Any, now: Any, *, with_rows: bool) -> Any:
    rows = {"label": TWO["label"], "prob": TWO["prob"], "id": TWO["id"]}
    path = Path("thresholds.json")
    karat.gate(
        {**rows, "prob": TWO["old_prob"]},
        threshold=then,
        min={"accuracy": 0.1},
        reading=karat.Reading(keep_rows=with_rows),
    ).save_baseline(path)
    return karat.gate(rows, threshold=now, baseline=path, max_drop={"accuracy": 0.2})


def _by(then: str | None, now: str) -> Any:
    rows = {**TABLE, "sex": THREE["sex"], "country": THREE["country"]}
    path = Path("slices.json")
    karat.gate(rows, by=then, min={"accuracy": 0.1}).save_baseline(path)
    return karat.gate(rows, by=now, baseline=path, max_drop={"accuracy": 0.2})


def _stored() -> str:
    path = Path("edited.json")
    rows = {"label": THREE["label"], "pred": THREE["pred"], "id": THREE["id"]}
    karat.gate(rows, min={"accuracy": 0.1}, reading=karat.Reading(keep_rows=True)).save_baseline(
        path
    )
    return path.read_text()


def _edited(change: Callable[[dict[str, Any]], None]) -> Any:
    """Change what a baseline holds, with the checksum that belongs to it."""
    held = json.loads(_stored())
    held.pop("sha256")
    change(held)
    text = json.dumps(held, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    held["sha256"] = hashlib.sha256(text.encode("ascii")).hexdigest()
    Path("edited.json").write_text(json.dumps(held))
    return karat.gate(THREE["label"], THREE["pred"], baseline="edited.json")


def _with_text(old: str, new: str) -> Any:
    Path("edited.json").write_text(_stored().replace(old, new))
    return karat.gate(THREE["label"], THREE["pred"], baseline="edited.json")


def _set(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(held: dict[str, Any]) -> None:
        place: Any = held
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


def _packed(values: Any, kind: str) -> str:
    return base64.b64encode(zlib.compress(np.asarray(values, kind).tobytes())).decode("ascii")


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "nothing": lambda _: None,
    "labels": _set("classes", "labels", to=["cat", "dog", "fox"]),
    "positive": _set("classes", "positive", to=1),
    "rows": _set("n", to=59),
    "no number of rows": _set("n", to=-1),
    "slices of no name": _set("by", to=3),
    "settings": _set("settings", to=[]),
    "policy": _set("settings", "undefined", to="guess"),
    "threshold": _set("settings", "threshold", to="half"),
    "a value": _set("metrics", "accuracy", "value", to=0.125),
    "a value of text": _set("metrics", "accuracy", "value", to="high"),
    "a limit": _set("metrics", "accuracy", "low", to=0.99),
    "a reason": _set("metrics", "accuracy", "undefined", to=5),
    "too many rows of a metric": _set("metrics", "accuracy", "n", to=61),
    "another number of rows": _set("rows", "n", to=59),
    "a short array": _set("rows", "true", to=_packed([0, 1], "<i4")),
    "no array": _set("rows", "true", to=7),
    "an array that is no base64": _set("rows", "true", to="§"),
    "a row of no class": _set("rows", "true", to=_packed([7] * 60, "<i4")),
    "other rows": _set("rows", "true", to=_packed([0] * 60, "<i4")),
    "weights": _set("rows", "weights", to=_packed([1.0] * 60, "<f8")),
    "weights below zero": _set("rows", "weights", to=_packed([-1.0] * 60, "<f8")),
    "scores": _set("rows", "scores", to=_packed([0.5] * 60, "<f4")),
    "no tally": _set("tally", to="AAAA"),
    "a newer version": _set("schema", to="karat.baseline/2"),
    "no metrics": _set("metrics", to=3),
}


def _parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of stored bytes, and what follows it."""
    size = struct.unpack_from(FRAME, data)[2]
    start = struct.calcsize(FRAME)
    return json.loads(data[start : start + size]), data[start + size : -4]


def _framed(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    data = struct.pack(FRAME, b"KARATALY", 1, len(text)) + text + body
    return data + struct.pack("<I", zlib.crc32(data))


def _reframed(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Change the header of bytes, with the checksum that belongs to it."""
    header, body = _parts(data)
    change(header)
    return _framed(header, body)


def _damaged_streams() -> Iterator[Call]:
    kinds: dict[str, Callable[[], bytes]] = {
        "labels": lambda: filled(THREE["label"], y_pred=THREE["pred"]).to_bytes(),
        "scores": lambda: filled(TWO["label"], y_prob=TWO["prob"]).to_bytes(),
        "sets": lambda: filled(sets(SETS["truth"]), y_pred=sets(SETS["pred"])).to_bytes(),
        "histograms": lambda: beyond_memory().to_bytes(),
    }
    changes: dict[str, Callable[[dict[str, Any]], None]] = {
        "nothing": lambda _: None,
        "species": _set("species", to="cells"),
        "labels": _set("settings", "labels", to=["x", "y"]),
        "threshold": _set("settings", "threshold", to=0.5),
        "an unknown metric": _set("settings", "metrics", to=["no_such"]),
        "level": _set("settings", "confidence", "level", to=7),
        "settings": _set("settings", to=3),
        "a part of another name": _set("sizes", "odd", to=4),
        "a part too long": _set("sizes", "cells", to=4),
        "a doubt": _set("doubts", to=[3]),
    }
    kept_names = ("nothing", "labels", "threshold")
    for kind, make in kinds.items():
        for name, change in changes.items():
            if kind != "labels" and name not in kept_names:
                continue
            yield Call(
                f"bytes of a stream of {kind}, {name}",
                "Stream",
                "bytes",
                lambda make=make, change=change: repr(
                    karat.Stream.from_bytes(_reframed(make(), change))
                ),
            )


def _mixed(first: Callable[[], Any], second: Callable[[], Any]) -> bytes:
    """The bytes of a stream that holds the parts of two."""
    headers, bodies = [], []
    for data in (first().to_bytes(), second().to_bytes()):
        header, body = _parts(data)
        headers.append(header)
        bodies.append(body)
    header = headers[0]
    header["sizes"] |= headers[1]["sizes"]
    header["arrays"][0]["shape"] = [len(bodies[0]) + len(bodies[1])]
    return _framed(header, bodies[0] + bodies[1])


def _mixed_streams() -> Iterator[Call]:
    kinds: dict[str, Callable[[], Any]] = {
        "labels": lambda: filled(TWO["label"], y_pred=TWO["pred"]),
        "labels of text": lambda: filled(THREE["label"], y_pred=THREE["pred"]),
        "probabilities": lambda: filled(TWO["label"], y_prob=TWO["prob"]),
        "scores": lambda: filled(TWO["label"], y_score=TWO["z"]),
        "scores of three": lambda: filled(THREE["label"], y_score=THREE["z"]),
        "weighted probabilities": lambda: filled(
            TWO["label"], y_prob=TWO["prob"], weights=TWO["mass"]
        ),
        "sets": lambda: filled(SETS["truth"], y_pred=SETS["pred"]),
        "histograms": beyond_memory,
    }
    pairs = (
        ("labels", "probabilities"),
        ("labels of text", "sets"),
        ("probabilities", "sets"),
        ("probabilities", "histograms"),
        ("scores", "histograms"),
        ("scores of three", "histograms"),
        ("weighted probabilities", "histograms"),
        ("labels", "histograms"),
        ("sets", "histograms"),
    )
    for first, second in pairs:
        yield Call(
            f"bytes of a stream of {first} and {second}",
            "Stream",
            "bytes",
            lambda pair=(first, second): repr(
                karat.Stream.from_bytes(_mixed(*(kinds[kind] for kind in pair)))
            ),
        )


def _damaged_monitors() -> Iterator[Call]:
    changes: dict[str, Callable[[dict[str, Any]], None]] = {
        "nothing": lambda _: None,
        "species": _set("species", to="stream"),
        "no looks": _set("looks", to=[]),
        "no rules": _set("settings", "rules", to=[]),
        "a level of text": _set("settings", "level", to="high"),
        "an odd rule": _set("settings", "rules", to=[["min", "no_such", 0.5]]),
        "no rows": _set("rows", "new", to=None),
        "labels twice": _set("rows", "new", "labels", to=[0, 0]),
        "no label": _set("rows", "new", "labels", to=[None, 1]),
        "one label": _set("rows", "new", "labels", to=[0]),
        "no such positive class": _set("rows", "new", "positive", to=7),
        "scores that are missing": _set("rows", "new", "argument", to="y_prob"),
        "no clusters": _set("rows", "new", "clusters", to=[]),
        "rows before": _set("rows", "old", to={"labels": [0, 1]}),
        "a look of no rows": _set("looks", 0, "n", to=-1),
        "a verdict": _set("looks", 0, "verdicts", to=["MAYBE"]),
        "values": _set("looks", 0, "values", to=[]),
        "digest": _set("looks", 0, "digest", to=3),
    }
    for name, change in changes.items():
        yield Call(
            f"bytes of a monitor, {name}",
            "Monitor",
            "bytes",
            lambda change=change: repr(karat.Monitor.from_bytes(_reframed(_monitor(), change))),
        )


def _monitor() -> bytes:
    monitor = karat.Monitor(min={"accuracy": 0.5}, design=karat.Looks(200))
    monitor.add(TWO["label"], TWO["pred"], weights=TWO["mass"], clusters=TWO["team"])
    return monitor.to_bytes()

"""`karat.Stream`: batches, merges, windows, bytes, tables of scores."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits
from tests.corpus.wanted import FAST, LABELS, SCORES, TWO_LABELS, TWO_SCORES
from tests.grouping import grouped


def _columns(kind: str) -> dict[str, Any]:
    """The arguments of `update`, as arrays."""
    two, many, text = binary(), digits(), animals()
    return {
        "labels": {"y_true": text["label"], "y_pred": text["pred"]},
        "two labels": {"y_true": two["label"], "y_pred": two["pred"]},
        "weighted labels": {
            "y_true": text["label"],
            "y_pred": text["pred"],
            "weights": text["mass"],
        },
        "probabilities": {"y_true": many["label"], "y_prob": many["prob"]},
        "two probabilities": {"y_true": two["label"], "y_prob": two["p_yes"]},
        "logits": {"y_true": many["label"], "y_logit": many["score"]},
        "weighted probabilities": {
            "y_true": two["label"],
            "y_prob": two["p_yes"],
            "weights": two["mass"],
        },
        "float32": {"y_true": many["label"], "y_logit": many["score"].astype(np.float32)},
        "labels and probabilities": {
            "y_true": two["label"],
            "y_pred": two["pred"],
            "y_prob": two["p_yes"],
        },
    }[kind]


KINDS = {
    "labels": LABELS,
    "two labels": TWO_LABELS,
    "weighted labels": LABELS,
    "probabilities": SCORES,
    "two probabilities": TWO_SCORES,
    "logits": SCORES,
    "weighted probabilities": TWO_SCORES,
    "float32": SCORES,
    "labels and probabilities": TWO_SCORES,
}
BATCHES: dict[str, list[int]] = {
    "one batch": [],
    "three batches": [70, 150],
    "many batches": list(range(9, 300, 13)),
}


def _parts(columns: dict[str, Any], cuts: list[int]) -> list[dict[str, Any]]:
    n = len(columns["y_true"])
    rows = np.split(np.arange(n), [cut for cut in cuts if cut < n])
    return [{name: values[part] for name, values in columns.items()} for part in rows]


def _stream(kind: str, cuts: list[int], **settings: Any) -> Any:
    stream = karat.Stream(metrics=KINDS[kind], **grouped({**FAST, **settings}))
    for part in _parts(_columns(kind), cuts):
        stream.update(**part)
    return stream


def _merged(kind: str, **settings: Any) -> Any:
    """Three streams of a part each, the last of which goes through bytes."""
    streams = []
    for part in _parts(_columns(kind), [70, 150]):
        stream = karat.Stream(metrics=KINDS[kind], **grouped({**FAST, **settings}))
        stream.update(**part)
        streams.append(stream)
    streams[1].merge(karat.Stream.from_bytes(streams[2].to_bytes()))
    return streams[0].merge(streams[1])


def calls() -> Iterator[Call]:
    for kind in KINDS:
        classes = sorted(set(_columns(kind)["y_true"].tolist()))
        for name, cuts in BATCHES.items():
            yield _call(f"{kind}, {name}", lambda k=kind, c=cuts: _stream(k, c).report())
            yield _call(
                f"{kind}, {name}, labels",
                lambda k=kind, c=cuts, known=classes: _stream(k, c, labels=known).report(),
            )
        yield _call(f"{kind}, merged", lambda k=kind: _merged(k).report())
        yield _call(
            f"{kind}, merged with labels",
            lambda k=kind, known=classes: _merged(k, labels=known).report(),
        )
        yield _call(f"{kind}, bytes", lambda k=kind: _stream(k, [70]).to_bytes(), "bytes")
        yield _call(
            f"{kind}, bytes with labels",
            lambda k=kind, known=classes: _stream(k, [70], labels=known).to_bytes(),
            "bytes",
        )
        yield _call(
            f"{kind}, back from bytes",
            lambda k=kind: karat.Stream.from_bytes(_stream(k, [70]).to_bytes()).report(),
            "bytes",
        )
        yield _call(
            f"{kind}, pickled",
            lambda k=kind: pickle.loads(pickle.dumps(_stream(k, [70]))).report(),
            "bytes",
        )
        for name, settings in SETTINGS.items():
            if name != "threshold" or kind == "two probabilities":
                yield _call(
                    f"{kind}, {name}", lambda k=kind, s=settings: _stream(k, [99], **s).report()
                )
    yield from _windows()
    yield from _large()
    yield from _refused()


SETTINGS: dict[str, dict[str, Any]] = {
    "no level": {"level": None},
    "low": {"side": "low", "level": 0.9},
    "bootstrap": {"method": "bootstrap"},
    "case-control": {"design": karat.CaseControl()},
    "threshold": {"threshold": 0.3},
    "nan": {"undefined": "nan"},
    "two threads": {"reading": karat.Reading(n_threads=2)},
}


def _call(name: str, run: Any, source: str = "array") -> Call:
    return Call(name, "Stream", source, run)


def _windows() -> Iterator[Call]:
    def window(kind: str) -> Any:
        parts = _parts(_columns(kind), [70, 150])
        whole, first = karat.Stream(metrics=KINDS[kind]), karat.Stream(metrics=KINDS[kind])
        for part in parts:
            whole.update(**part)
        first.update(**parts[0])
        return [whole.subtract(first).report(), whole.n_rows]

    def again(kind: str) -> Any:
        stream = _stream(kind, [70])
        stream.reset()
        n = stream.n_rows
        stream.update(**_parts(_columns(kind), [40])[0])
        return [n, stream.n_rows, stream.report()]

    def asked(kind: str) -> Any:
        stream = karat.Stream()
        stream.update(**_columns(kind))
        return stream.report(["accuracy"]), stream.n_rows

    for kind in ("labels", "two labels", "weighted labels", "probabilities"):
        yield _call(f"{kind}, subtracted", lambda k=kind: window(k))
        yield _call(f"{kind}, reset", lambda k=kind: again(k))
        yield _call(f"{kind}, asked in the end", lambda k=kind: asked(k))
    yield _call(
        "more is subtracted than was there",
        lambda: _stream("two labels", []).subtract(_stream("labels", [])),
    )
    hosts = {"pandas": pd.Series, "polars": pl.Series, "list": list}
    for host, made in hosts.items():

        def update(made: Any = made) -> Any:
            stream = karat.Stream(metrics=TWO_LABELS)
            for part in _parts(_columns("two labels"), [100]):
                stream.update(**{name: made(values.tolist()) for name, values in part.items()})
            return stream.report()

        yield _call(f"batches of {host}", update, host)


def _large() -> Iterator[Call]:
    """More rows than memory: tables of scores."""

    def rows(kind: str) -> dict[str, Any]:
        rng, n = np.random.default_rng(77), 60_000
        if kind == "three":
            label = rng.integers(0, 3, n)
            parts = rng.integers(1, 10**6, (n, 3)) + 300_000 * np.eye(3, dtype=int)[label]
            return {"y_true": label, "y_prob": parts / parts.sum(axis=1, keepdims=True)}
        label = rng.integers(0, 2, n)
        top = 2**30 if kind == "two" else 64
        return {
            "y_true": label,
            "y_prob": np.clip(rng.integers(1, top, n) + label * (top // 5), 1, top - 1) / top,
        }

    def stream(kind: str, cuts: list[int], weights: bool = False, **settings: Any) -> Any:
        columns = rows(kind)
        if weights:
            columns["weights"] = np.random.default_rng(78).integers(0, 5, 60_000) / 4.0
        metrics = SCORES if kind == "three" else TWO_SCORES
        found = karat.Stream(
            labels=[0, 1, 2][: 3 if kind == "three" else 2],
            metrics=metrics,
            **grouped({"reading": karat.Reading(max_memory=1 << 20), **FAST, **settings}),
        )
        for part in _parts(columns, cuts):
            found.update(**part)
        return found

    for kind in ("two", "few", "three"):
        yield _call(f"large {kind}", lambda k=kind: stream(k, [20_000, 40_000]).report())
        yield _call(
            f"large {kind}, weighted", lambda k=kind: stream(k, [30_000], weights=True).report()
        )
        yield _call(f"large {kind}, bytes", lambda k=kind: stream(k, [20_000]).to_bytes(), "bytes")
        yield _call(
            f"large {kind}, merged",
            lambda k=kind: stream(k, [30_000]).merge(stream(k, [10_000])).report(),
        )
        yield _call(
            f"large {kind}, two threads", lambda k=kind: stream(k, [20_000], n_threads=2).report()
        )


def _refused() -> Iterator[Call]:
    def half() -> Any:
        stream = karat.Stream(metrics=TWO_LABELS)
        stream.update([0, 1], [0, 1])
        found = []
        for bad in (([0], [0, 1]), (["a"], ["a"]), ([None], [0])):
            try:
                stream.update(*bad)
            except karat.KaratError as problem:
                found.append(problem.code)
        return [found, stream.report()]

    pairs: dict[str, tuple[Any, Any]] = {
        "labels": (karat.Stream(labels=[0, 1]), karat.Stream(labels=[1, 0])),
        "thresholds": (karat.Stream(threshold=0.5), karat.Stream(threshold=0.25)),
        "memory": (karat.Stream(), karat.Stream(reading=karat.Reading(max_memory=1 << 21))),
    }
    yield _call("bad batches are left out whole", half)
    for name, (one, other) in pairs.items():
        yield _call(f"merge of unlike {name}", lambda one=one, other=other: one.merge(other))
    yield _call(
        "merge of unlike rows", lambda: _stream("labels", []).merge(_stream("weighted labels", []))
    )
    yield _call(
        "merge of labels and scores",
        lambda: _stream("two labels", []).merge(_stream("two probabilities", [])),
    )
    yield _call("an empty stream", lambda: karat.Stream().report())
    yield _call("bytes of an empty stream", lambda: karat.Stream(labels=[0, 1]).to_bytes(), "bytes")
    for name, data in {"nothing": b"", "noise": b"noise" * 30, "cut": None}.items():
        yield _call(
            f"from bytes of {name}",
            lambda data=data: karat.Stream.from_bytes(
                _stream("labels", []).to_bytes()[:-9] if data is None else data
            ),
            "bytes",
        )
    for name, settings in {
        "max_memory": {"max_memory": 10},
        "level": {"level": 2},
        "metrics": {"metrics": "no_such"},
        "side": {"side": "left"},
    }.items():
        yield _call(f"a bad {name}", lambda settings=settings: karat.Stream(**grouped(settings)))

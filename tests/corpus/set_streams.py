"""`karat.Stream` of rows with sets of labels, sources of batches, and stored forms."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

import karat
from tests.corpus.calls import Call
from tests.corpus.set_rows import (
    FEW,
    NAMES,
    list_table,
    lists,
    photos,
    scored_table,
    sets,
    texts,
    wide_table,
)
from tests.grouping import grouped

SCORED = ["ndcg", "label_ranking_average_precision", "macro_f1", "roc_auc_ovr_macro"]
CUTS = {"one batch": [], "three batches": [40, 90], "many batches": list(range(7, 120, 11))}
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"metrics": FEW},
    "all metrics": {"level": None},
    "labels": {"metrics": FEW, "labels": [*NAMES, "elk"]},
    "labels in another order": {"metrics": FEW, "labels": ["doe", "cow", "bee", "ant"]},
    "level": {"metrics": FEW, "level": 0.8, "interval": karat.Interval(side="low")},
    "bootstrap": {
        "metrics": FEW[:3],
        "interval": karat.Interval(method="bootstrap", n_replicates=100, seed=2),
    },
    "exclude": {"metrics": [*FEW, "samples_precision"], "undefined": "exclude"},
    "nan": {"metrics": [*FEW, "samples_precision"], "undefined": "nan"},
    "two threads": {"metrics": FEW, "reading": karat.Reading(n_threads=2)},
    "display names": {"metrics": FEW, "labels": karat.Labels(names=["A", "B", "C", "D"])},
    "a threshold": {"metrics": FEW, "threshold": 0.5},
    "case-control": {"metrics": FEW, "design": karat.CaseControl()},
    "positive": {"metrics": FEW, "positive": "ant"},
    "labels that do not occur": {"metrics": FEW, "labels": ["elk", "fox"]},
}
SCORE_SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"metrics": SCORED, "labels": NAMES},
    "threshold": {"metrics": FEW, "labels": NAMES, "threshold": 0.25},
    "no level": {"labels": NAMES, "level": None},
    "exclude": {"metrics": SCORED, "labels": NAMES, "undefined": "exclude"},
    "without labels": {"metrics": SCORED},
}
# What each form of rows passes to `update`, besides weights.
FORMS: dict[str, Callable[[Any], Any]] = {
    "cells": lambda m: m,
    "cells of booleans": lambda m: m.astype(bool),
    "sparse": scipy.sparse.csr_matrix,
    "lists": lists,
    "sets": sets,
    "arrow lists": lambda m: pa.array(lists(m), pa.list_(pa.string())),
    "polars lists": lambda m: pl.Series(lists(m), dtype=pl.List(pl.String)),
    "pandas lists": lambda m: pd.Series(lists(m)),
    "pandas cells": lambda m: pd.DataFrame(m, columns=list(NAMES)),
}
SCORE_FORMS: dict[str, Callable[[Any], Any]] = {
    "matrix": lambda m: m,
    "float32": lambda m: m.astype(np.float32),
    "sparse": scipy.sparse.csr_matrix,
    "dicts": lambda m: [dict(zip(NAMES, row, strict=True)) for row in m.tolist()],
    "named columns": lambda m: pl.DataFrame({f"proba_{NAMES[j]}": m[:, j] for j in (2, 0, 3, 1)}),
}


def _parts(cuts: list[int], *columns: Any) -> list[tuple[Any, ...]]:
    rows = np.split(np.arange(len(columns[0])), cuts)
    return [tuple(values[part] for values in columns) for part in rows]


def _fed(stream: Any, form: Any = lists, cuts: Any = (40, 90), weights: bool = False) -> Any:
    held = photos()
    for true, pred, mass in _parts(list(cuts), held["true"], held["pred"], held["mass"]):
        stream.update(form(true), form(pred), weights=mass if weights else None)
    return stream


def _scored(stream: Any, form: Any, cuts: Any = (40, 90), kind: str = "prob") -> Any:
    held = photos()
    for true, values, mass in _parts(list(cuts), held["true"], held[kind], held["mass"]):
        if kind == "prob":
            stream.update(lists(true), y_prob=form(values), weights=mass)
        else:
            stream.update(lists(true), y_logit=form(values), weights=mass)
    return stream


def _stream(**settings: Any) -> Any:
    return _fed(karat.Stream(**grouped(settings)))


def calls() -> Iterator[Call]:
    for name, settings in SETTINGS.items():
        yield _call(
            f"settings, {name}", lambda s=settings: _fed(karat.Stream(**grouped(s))).report()
        )
        yield _call(
            f"settings, {name}, weights and bytes",
            lambda s=settings: karat.Stream.from_bytes(
                _fed(karat.Stream(**grouped(s)), weights=True).to_bytes()
            ).report(),
        )
    for name, cuts in CUTS.items():
        yield _call(name, lambda c=cuts: _fed(karat.Stream(metrics=FEW), cuts=c).report())
        yield _call(
            f"{name}, bytes",
            lambda c=cuts: _fed(karat.Stream(metrics=FEW, labels=NAMES), cuts=c).to_bytes(),
            "bytes",
        )
    for name, form in FORMS.items():
        yield _call(
            f"batches of {name}",
            lambda f=form: _fed(karat.Stream(metrics=FEW, labels=NAMES), f).report(),
        )
        yield _call(
            f"bytes of {name}",
            lambda f=form: _fed(karat.Stream(metrics=FEW[:2], labels=NAMES), f).to_bytes(),
            "bytes",
        )
    for name, settings in SCORE_SETTINGS.items():
        yield _call(
            f"scores, {name}",
            lambda s=settings: _scored(karat.Stream(**grouped(s)), SCORE_FORMS["matrix"]).report(),
        )
    for name, form in SCORE_FORMS.items():
        for kind in ("prob", "score"):
            yield _call(
                f"{kind}, {name}",
                lambda f=form, k=kind: _scored(
                    karat.Stream(metrics=SCORED[:3], labels=NAMES), f, kind=k
                ).report(),
            )
        yield _call(
            f"bytes of scores, {name}",
            lambda f=form: _scored(karat.Stream(metrics=SCORED[:3], labels=NAMES), f).to_bytes(),
            "bytes",
        )
    yield from _moved()
    yield from _beyond()
    yield from _sources()
    yield from _refused()
    yield from _stored()


def _call(name: str, run: Callable[[], Any], source: str = "array") -> Call:
    return Call(name, "Stream", source, run)


def _moved() -> Iterator[Call]:
    held = photos()

    def parts(form: Any = lists) -> list[Any]:
        streams = []
        for true, pred in _parts([40, 90], held["true"], held["pred"]):
            stream = karat.Stream(metrics=FEW)
            stream.update(form(true), form(pred))
            streams.append(stream)
        return streams

    def merged() -> Any:
        first, second, third = parts()
        second.merge(karat.Stream.from_bytes(third.to_bytes()))
        return first.merge(second)

    def again() -> Any:
        stream = _stream(metrics=FEW)
        stream.reset()
        n = stream.n_rows
        stream.update(sets(held["true"][:30]), sets(held["pred"][:30]))
        return [n, stream.n_rows, stream.report()]

    def unlike() -> Any:
        stream = karat.Stream(metrics=["macro_f1"])
        stream.update([["a"], ["b"]], [["a"], ["a"]])
        first = type(stream.report()).__name__
        stream.update([["a", "b"]], [["b"]])
        return [first, stream.report()]

    def unknown() -> Any:
        stream = _stream(metrics=FEW)
        stream.update([["ant"], None], [["ant"], ["bee"]])
        return stream.report().n_unknown, stream.report()

    yield _call("merged", lambda: merged().report())
    yield _call("merged, bytes", lambda: merged().to_bytes(), "bytes")
    yield _call(
        "merged sets and cells", lambda: parts()[0].merge(parts(FORMS["pandas cells"])[1]).report()
    )
    yield _call("merged with an empty stream", lambda: karat.Stream().merge(_stream()).report(FEW))
    yield _call(
        "an empty stream merged",
        lambda: _stream(metrics=FEW).merge(karat.Stream(metrics=FEW)).report(),
    )
    yield _call("pickled", lambda: pickle.loads(pickle.dumps(_stream(metrics=FEW))).report())
    yield _call("reset", again)
    yield _call("lists of one label, then sets", unlike)
    yield _call("unknown rows", unknown)
    yield _call("subtracted", lambda: _stream().subtract(_stream()))
    yield _call("metrics of the report", lambda: _stream().report(["kappa", "macro_recall"]))
    yield _call("metrics of scores", lambda: _stream().report("ndcg"))
    yield _call("anytime", lambda: _stream().report(design=karat.Looks(500)))
    yield _call(
        "texts", lambda: [str(_stream(metrics=FEW[:2]).report()), repr(_stream(metrics=FEW[:2]))]
    )
    yield _call("wrong rows", lambda: [_stream().report().wrong_rows(limit=3), _stream().n_rows])
    yield _call("facts", lambda: _facts(_stream(metrics=FEW).report()))
    yield _call(
        "text is not split", lambda: _fed(karat.Stream(metrics=["micro_f1"]), texts).report()
    )


def _facts(report: Any) -> dict[str, Any]:
    return {
        "cautions": report.cautions,
        "warnings": report.warnings,
        "doubts": [str(doubt) for doubt in report.doubts],
        "transfers": report.transfers,
        "patterns": report.patterns,
        "counts": report.label_counts,
        "source": report.source,
    }


def _many(n: int = 60_000) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(43)
    true = (rng.integers(0, 10, (n, 4)) < 3).astype(np.int64)
    prob = np.clip(rng.integers(1, 128, (n, 4)) + 40 * true - 20, 1, 127) / 128.0
    return true, (rng.integers(0, 10, (n, 4)) < 1).astype(np.int64) ^ true, prob


def _beyond() -> Iterator[Call]:
    """More rows than `max_memory` holds."""

    def labels(cuts: list[int]) -> Any:
        true, pred, _ = _many()
        stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), metrics=FEW)
        for part in _parts(cuts, true, pred):
            stream.update(*part)
        return stream

    def scores() -> Any:
        true, _, prob = _many()
        stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), metrics=FEW[:2])
        for part, values in _parts([20_000, 40_000], true, prob):
            stream.update(part, y_prob=values)
        return stream

    yield _call("beyond the memory", lambda: labels([30_000]).report())
    yield _call("beyond the memory, facts", lambda: _facts(labels([30_000]).report()))
    yield _call("beyond the memory, bytes", lambda: labels([10_000, 50_000]).to_bytes(), "bytes")
    yield _call(
        "beyond the memory, merged", lambda: labels([20_000]).merge(labels([40_000])).report()
    )
    yield _call("beyond the memory, rows", lambda: labels([]).report().wrong_rows())
    yield _call("scores beyond the memory", lambda: scores().report())
    yield _call("scores beyond the memory, warnings", lambda: scores().report().warnings)
    yield _call("scores beyond the memory, ranks", lambda: scores().report("ndcg"))


class Batches:
    """A source that yields tables of consecutive rows."""

    def __init__(self, columns: Any, kind: str) -> None:
        self.columns = columns
        self.kind = kind
        self.column_names = list(columns)

    def read_batches(self, columns: Any) -> Iterator[Any]:
        for start, stop in ((0, 50), (50, 51), (51, 120)):
            part = {name: self.columns[name][start:stop] for name in columns}
            yield {"dict": dict, "arrow": pa.table, "pandas": pd.DataFrame}[self.kind](part)


SOURCES: dict[str, dict[str, Any]] = {
    "plain": {"metrics": FEW},
    "weights and clusters": {"metrics": FEW, "weights": "mass", "clusters": "team"},
    "slices": {"metrics": FEW[:1], "by": "sex"},
    "labels": {"metrics": FEW, "labels": ["doe", "cow", "bee", "ant"]},
}


def _sources() -> Iterator[Call]:
    def source(name: str, run: Callable[[], Any]) -> Call:
        return Call(f"batches, {name}", "evaluate", "batches", run)

    for name, options in SOURCES.items():
        for kind in ("dict", "arrow", "pandas"):
            yield source(
                f"{kind}, {name}",
                lambda o=options, k=kind: karat.evaluate(Batches(list_table(), k), **grouped(o)),
            )
    yield source(
        "cells",
        lambda: karat.evaluate(
            Batches(wide_table(), "arrow"), y_true="true_*", y_pred="pred_*", metrics=FEW
        ),
    )
    yield source(
        "probabilities",
        lambda: karat.evaluate(Batches(scored_table(), "arrow"), y_prob="proba_*", metrics=SCORED),
    )
    yield Call(
        "gate of batches",
        "gate",
        "batches",
        lambda: karat.gate(Batches(list_table(), "arrow"), min={"micro_f1": 0.7}),
    )


def _labels() -> Any:
    stream = karat.Stream()
    stream.update(["a", "b"], ["a", "a"])
    return stream


def _after(stream: Any, *rows: Any, **columns: Any) -> Any:
    """What a batch that does not fit raises."""
    stream.update(*rows, **columns)
    return stream.report()


def _refused() -> Iterator[Call]:
    held = photos()
    pair = [{"ant"}, {"bee", "ant"}]
    true, prob = held["true"], held["prob"]

    def scored() -> Any:
        stream = karat.Stream(labels=NAMES)
        stream.update(true, y_prob=prob)
        return stream

    def whole() -> Any:
        """Bad batches are left out whole."""
        stream = _stream(metrics=FEW)
        codes = []
        for bad in (([["ant"]], [["ant"], []]), ([["ant", "ant"]], [[]]), ([[1]], [[2]])):
            try:
                stream.update(*bad)
            except karat.KaratError as problem:
                codes.append(problem.code)
        return [codes, stream.report()]

    yield _call("bad batches", whole)
    yield _call("labels after sets", lambda: _after(_stream(), [1, 0], [0, 1]))
    yield _call("sets after labels", lambda: _after(_labels(), pair, pair))
    yield _call("a merge with labels", lambda: _labels().merge(_stream()))
    yield _call("weights after none", lambda: _after(_stream(), pair, pair, weights=[1.0, 2.0]))
    yield _call("weights of 0", lambda: _after(karat.Stream(), pair, pair, weights=[0.0, 0.0]))
    yield _call("numbers after text", lambda: _after(_stream(), [{1}, {2, 1}], [{2}, {1}]))
    yield _call("a label beyond labels", lambda: _after(karat.Stream(labels=["ant"]), pair, pair))
    yield _call("no label at all", lambda: _after(karat.Stream(), [set()], [set()]))
    yield _call("an unknown prediction", lambda: _after(karat.Stream(), pair, [{"ant"}, None]))
    yield _call("labels after scores", lambda: _after(scored(), pair, pair))
    yield _call("another kind of scores", lambda: _after(scored(), true, y_score=prob))
    yield _call(
        "another form of scores",
        lambda: _after(scored(), true, y_prob=scipy.sparse.csr_matrix(prob)),
    )
    yield _call("fewer columns", lambda: _after(scored(), true, y_prob=prob[:, :3]))
    yield _call("fewer rows", lambda: _after(scored(), true, y_prob=prob[:5]))
    yield _call("probabilities above 1", lambda: _after(scored(), true, y_prob=2.0 * prob))
    yield _call("one class a row", lambda: _after(scored(), [0, 1], y_prob=[0.25, 0.75]))
    yield _call(
        "a merge of unlike labels",
        lambda: _stream(labels=NAMES).merge(_stream(labels=["doe", "cow", "bee", "ant"])),
    )
    yield _call(
        "a merge of weights and none", lambda: _stream().merge(_fed(karat.Stream(), weights=True))
    )
    for name, change in {
        "cut": lambda data: data[:-9],
        "noise at the end": lambda data: data + b"noise",
        "a bit of the numbers": lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
        "a byte of the start": lambda data: b"X" + data[1:],
    }.items():
        yield _call(
            f"damaged bytes, {name}",
            lambda c=change: karat.Stream.from_bytes(c(_stream(metrics=FEW).to_bytes())).report(),
            "bytes",
        )


def _stored() -> Iterator[Call]:
    def stored(name: str, change: Callable[[Any], Any]) -> Call:
        def run() -> Any:
            kept = json.loads(_stream(metrics=FEW[:3]).report().to_json())
            change(kept)
            report = karat.MultilabelReport.from_json(json.dumps(kept))
            return [report, str(report)]

        return Call(f"json, {name}", "MultilabelReport", "json", run)

    yield stored("as it was", lambda kept: None)
    yield stored("another schema", lambda kept: kept.update(schema="karat.multilabel/9"))
    for part in ("schema", "tally", "metrics", "per_class", "transfers", "karat", "cautions"):
        yield stored(f"without {part}", lambda kept, name=part: kept.pop(name, None))
    yield stored("another value", _other_value)
    yield stored("a metric that is unknown", _renamed)
    yield stored("something more", lambda kept: kept.update(color="red"))
    yield Call(
        "json, keys",
        "MultilabelReport",
        "json",
        lambda: sorted(json.loads(_stream(metrics=FEW[:3]).report().to_json())),
    )
    for name, text in {"no text": "", "a list": "[]", "bytes": b"\xff\xfe"}.items():
        yield Call(
            f"json, {name}",
            "MultilabelReport",
            "json",
            lambda t=text: karat.MultilabelReport.from_json(t),
        )


def _other_value(kept: Any) -> None:
    kept["metrics"]["micro_f1"]["value"] = 0.125


def _renamed(kept: Any) -> None:
    kept["settings"]["metrics"][0] = "no_such_metric"

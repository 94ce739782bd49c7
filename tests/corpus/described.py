"""Values beside a table, data that `karat.read` described, and tables as batches of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import polars as pl

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals
from tests.corpus.wanted import FAST
from tests.grouping import grouped

FEW = {"metrics": ["accuracy", "macro_f1", "log_loss"]}
LABELS = {"metrics": ["accuracy", "macro_f1"]}
ROWS = animals()
FRAME = pd.DataFrame(ROWS)
TRUTH, PRED = FRAME["label"].to_numpy(), FRAME["pred"].to_numpy()
OLD = FRAME["pred"].where(FRAME.index % 5 > 0, "cat")
# Roles and options of described data, by what they try.
ROLES: dict[str, dict[str, Any]] = {
    "labels": {"y_true": "label", "y_pred": "pred", "y_prob": ""},
    "probabilities": {"y_true": "label", "y_prob": "proba_*", "y_pred": ""},
    "weights": {"y_pred": "pred", "y_prob": "", "weights": "mass"},
    "clusters": {"y_pred": "pred", "y_prob": "", "clusters": "team"},
    "slices": {"y_pred": "pred", "y_prob": "", "by": "country"},
    "labels in order": {"y_pred": "pred", "y_prob": "", "labels": ["eel", "dog", "cat"]},
}
VALUES: dict[str, Any] = {
    "truth": {"y_true": TRUTH, "y_pred": "pred", "y_prob": ""},
    "predictions": {"y_true": "label", "y_pred": FRAME["pred"], "y_prob": ""},
    "probabilities": {"y_true": "label", "y_pred": "", "y_prob": FRAME.filter(like="proba_")},
    "weights": {"y_pred": "pred", "y_prob": "", "weights": FRAME["mass"].to_numpy()},
    "clusters": {"y_pred": "pred", "y_prob": "", "clusters": FRAME["team"]},
    "slices": {"y_pred": "pred", "y_prob": "", "by": {"land": FRAME["country"]}},
    "folds": {"y_pred": "pred", "y_prob": "", "folds": FRAME.index % 4},
    "ids": {"y_pred": "pred", "y_prob": "", "ids": FRAME.index + 50},
    "too few": {"y_true": "label", "y_pred": PRED[:-1]},
    "another index": {"y_true": "label", "y_pred": FRAME["pred"].set_axis(FRAME.index + 1)},
    "a list of text": {"y_true": "label", "y_pred": list(PRED)},
}


def _stream(*parts: Any, **roles: Any) -> karat.Report:
    stream = karat.Stream()
    for part in parts:
        stream.update(part, **roles)
    return stream.report()


def _monitor(data: Any) -> Any:
    return karat.Monitor(min={"accuracy": 0.3}, labels=["cat", "dog", "eel"]).add(data).to_dict()


VERBS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda data: karat.evaluate(data, **grouped({**FAST, **LABELS})),
    "check": karat.check,
    "gate": lambda data: karat.gate(data, min={"accuracy": 0.3}).to_dict(),
    "find_weak_slices": lambda data: karat.find_weak_slices(
        data, interval=karat.Interval(n_replicates=99)
    ).to_dict(),
    "Monitor": _monitor,
    "Stream": _stream,
    "compare": lambda data: karat.compare(
        {"new": data, "old": FRAME.assign(pred=OLD)}, **grouped(LABELS, ("adjust",))
    ),
}


def calls() -> Iterator[Call]:
    for name, roles in VALUES.items():
        metrics = FEW if name == "probabilities" else LABELS
        for kind, made in (("pandas", pd.DataFrame), ("polars", pl.from_pandas)):
            yield Call(
                f"{name} beside {kind}",
                "evaluate",
                kind,
                lambda r=roles, m=made, w=metrics: karat.evaluate(
                    m(FRAME), **grouped({**r, **FAST, **w})
                ),
            )
    yield Call("values beside files", "evaluate", "parquet", _beside_files)
    for verb, call in VERBS.items():
        for name, roles in ROLES.items():
            yield Call(
                f"{verb} of data, {name}",
                verb,
                "read",
                lambda c=call, r=roles: c(karat.read(FRAME, **grouped(r))),
            )
    for name, roles in ROLES.items():
        yield Call(f"what is read, {name}", "read", "read", lambda r=roles: _facts(r))
    yield Call("a role twice", "evaluate", "read", _twice)
    yield Call("no such column", "read", "pandas", lambda: karat.read(FRAME, y_true="lable"))
    yield Call("no data", "read", "list", lambda: karat.read([1, 2]))
    yield Call(
        "a baseline of data",
        "gate",
        "read",
        lambda: karat.gate(
            karat.read(FRAME, **grouped(ROLES["labels"])),
            baseline=karat.read(FRAME.assign(answer=OLD), y_true="label", y_pred="answer"),
        ).to_dict(),
    )
    yield from _models()
    batches = (FRAME[:70].reset_index(drop=True), FRAME[70:].reset_index(drop=True))
    for name in ("labels", "probabilities", "weights"):
        for kind, made in (("pandas", pd.DataFrame), ("polars", pl.from_pandas)):
            yield Call(
                f"batches of {kind}, {name}",
                "Stream",
                kind,
                lambda m=made, r=ROLES[name]: _stream(*map(m, batches), **r),
            )
    yield Call(
        "an indicator alone",
        "evaluate",
        "pandas",
        lambda: karat.evaluate(pd.DataFrame({"a": [0, 1], "b": [1, 0]}), y_prob=[[0.5] * 2] * 2),
    )


def _models() -> Iterator[Call]:
    both = FRAME.assign(new=FRAME["pred"], old=OLD, fold=FRAME.index % 4)
    named = {"y_true": "label", "y_pred": ["old", "new"]}
    options: dict[str, dict[str, Any]] = {
        "columns": named,
        "folds": {**named, "folds": "auto", "metrics": "accuracy"},
        "values": {"y_true": TRUTH, "y_pred": {"old": OLD, "new": "new"}},
        "probabilities": {"y_prob": {"a": "proba_*", "b": FRAME.filter(like="proba_")}},
        "no columns": {},
    }
    for name, given in options.items():
        yield Call(
            f"models of one table, {name}",
            "compare",
            "pandas",
            lambda g=given: karat.compare(both, **grouped({**LABELS, **g}, ("adjust",))),
        )
    yield Call(
        "models matched by ids",
        "compare",
        "pandas",
        lambda: karat.compare(
            {
                "new": FRAME.assign(key=FRAME.index),
                "old": FRAME.assign(pred=OLD, key=FRAME.index)[::-1],
            },
            y_pred="pred",
            ids="key",
            **grouped(LABELS, ("adjust",)),
        ),
    )
    yield Call(
        "ids of weak slices",
        "find_weak_slices",
        "pandas",
        lambda: karat.find_weak_slices(
            FRAME.assign(pred=FRAME["pred"].where(FRAME["country"] != FRAME["country"][0], "eel")),
            y_pred="pred",
            y_prob="",
            by=["country"],
            ids=FRAME.index,
            interval=karat.Interval(n_replicates=99),
        ).to_dict(),
    )


def _facts(roles: dict[str, Any]) -> Any:
    data = karat.read(FRAME, **grouped(roles))
    return {
        "columns": data.columns,
        "text": repr(data),
        "same": data == karat.read(FRAME, **grouped(roles)),
    }


def _twice() -> Any:
    return karat.evaluate(karat.read(FRAME, y_true="label"), y_true="label")


def _beside_files() -> Any:
    FRAME.to_parquet("rows.parquet")
    return karat.evaluate("rows.parquet", y_true="label", y_pred=PRED)

"""`karat.compare`: models by labels, probabilities, scores, reports and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, other_models, two_class_models
from tests.corpus.wanted import FAST
from tests.grouping import grouped

QUICK = {"interval": karat.Interval(n_replicates=199)}
OF_LABELS = [
    "accuracy",
    "macro_f1",
    "balanced_accuracy",
    "matthews_correlation",
    "kappa",
    "macro_recall",
]
OF_SCORES = ["accuracy", "log_loss", "brier", "roc_auc_ovr_macro", "mean_average_precision"]
OF_TWO = ["accuracy", "f1", "roc_auc", "log_loss", "brier", "average_precision"]


def calls() -> Iterator[Call]:
    text, two = animals(), binary()
    models, pairs = other_models(), two_class_models()
    asked: dict[str, dict[str, Any]] = {
        "plain": {},
        "baseline": {"baseline": "old"},
        "weights": {"weights": "mass"},
        "frequency weights": {"weights": "copies", "weights_are": "frequency"},
        "clusters": {"clusters": "team"},
        "weighted clusters": {"clusters": "team", "weights": "mass"},
        "margin": {"margin": 0.05},
        "margins": {"margin": {"accuracy": 0.03}},
        "maxt": {"adjust": "maxt"},
        "no adjustment": {"adjust": "none"},
        "not paired": {"paired": False},
        "level": {"level": 0.8},
        "nan": {"undefined": "nan"},
        "one thread": {"n_threads": 1},
        "two threads": {"n_threads": 2},
    }
    for name, options in asked.items():
        for columns, truth, held, tag in (
            (text, "text", models, OF_LABELS),
            (two, "two", pairs, OF_LABELS[:4]),
        ):
            given = {
                k: columns[v] if k in ("weights", "clusters") else v for k, v in options.items()
            }
            yield _call(
                f"{truth} labels, {name}", columns["label"], held["labels"], metrics=tag, **given
            )
            some = {m: held["prob"][m] for m in ("old", "new")}
            metrics = OF_SCORES if truth == "text" else OF_TWO
            yield _call(
                f"{truth} probabilities, {name}",
                columns["label"],
                y_prob=some,
                metrics=metrics,
                **given,
            )
            metrics = (
                ["roc_auc_ovr_macro", "accuracy"]
                if truth == "text"
                else ["roc_auc", "ks_statistic"]
            )
            yield _call(
                f"{truth} scores, {name}",
                columns["label"],
                y_score=held["score"],
                metrics=metrics,
                **given,
            )
    yield _call("whole of labels", text["label"], models["labels"])
    yield _call("whole of probabilities", text["label"], y_prob=models["prob"])
    yield _call("whole of two", two["label"], y_prob=pairs["prob"])
    yield _call(
        "class names",
        text["label"],
        models["labels"],
        labels=karat.Labels(names={"cat": "Cat", "dog": "Dog", "eel": "Eel"}),
    )
    yield _call("labels", text["label"], models["labels"], labels=["eel", "dog", "cat", "fox"])
    yield _call("positive", two["label"], pairs["labels"], positive=0, metrics=["f1", "precision"])
    yield _call(
        "labels and probabilities",
        text["label"],
        models["labels"],
        y_prob=models["prob"],
        metrics=OF_SCORES,
    )
    yield _call("tiny", [0, 1, 1, 0], {"a": [0, 1, 0, 0], "b": [1, 1, 1, 0]})
    yield _call("the same model", text["label"], {"a": text["pred"], "b": text["pred"]})
    yield _call("perfect and wrong", [0, 1] * 20, {"a": [0, 1] * 20, "b": [1, 0] * 20})
    tables = {
        "pandas": lambda: pd.DataFrame(models["labels"]),
        "polars": lambda: pl.DataFrame({k: v.tolist() for k, v in models["labels"].items()}),
        "arrow": lambda: pa.table({k: v.tolist() for k, v in models["labels"].items()}),
        "dict": lambda: {k: v.tolist() for k, v in models["labels"].items()},
    }
    for kind, made in tables.items():
        yield Call(
            f"a table of models in {kind}",
            "compare",
            kind,
            lambda made=made: karat.compare(
                text["label"], made(), metrics=OF_LABELS, **grouped(QUICK, ("adjust",))
            ),
        )
    different = {name: text["label"][: 100 + 40 * i] for i, name in enumerate(models["labels"])}
    said = {name: models["labels"][name][: len(rows)] for name, rows in different.items()}
    yield _call("different rows", different, said, metrics=OF_LABELS)
    weights = {name: text["mass"][: len(rows)] for name, rows in different.items()}
    yield _call("different rows with weights", different, said, weights=weights, metrics=OF_LABELS)
    for kind in ("labels", "prob"):
        yield Call(
            f"reports of {kind}",
            "compare",
            "report",
            lambda kind=kind: karat.compare(_reports(kind), **grouped(QUICK, ("adjust",))),
        )
    for method in ("text", "to_csv", "to_json", "to_markdown", "to_latex", "to_html"):
        yield Call(f"as {method}", "compare", "report", lambda method=method: _rendered(method))
    yield Call("as a frame", "compare", "report", lambda: _compared().to_frame("pandas"))
    yield Call("as a Polars frame", "compare", "report", lambda: _compared().to_frame("polars"))
    yield Call(
        "one difference",
        "compare",
        "report",
        lambda: [_compared()["accuracy", "new", "old"], str(_compared()["accuracy", "big", "old"])],
    )
    yield Call("flips", "compare", "report", lambda: _compared().flips)


def _call(name: str, *rows: Any, **options: Any) -> Call:
    return Call(
        name,
        "compare",
        "array",
        lambda: karat.compare(*rows, **grouped({**QUICK, **options}, ("adjust",))),
    )


def _compared() -> Any:
    return karat.compare(
        animals()["label"], other_models()["labels"], **grouped(QUICK, ("adjust",))
    )


def _rendered(method: str) -> Any:
    return getattr(_compared(), method)()


def _reports(kind: str) -> Any:
    truth, held = animals()["label"], other_models()
    name = "y_pred" if kind == "labels" else "y_prob"
    return {m: karat.evaluate(truth, **grouped({name: held[kind][m], **FAST})) for m in held[kind]}

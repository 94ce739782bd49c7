"""Folds and repeats: reports of every source, what they show, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus import fold_models, fold_splits
from tests.corpus.calls import Call
from tests.corpus.design_rows import (
    CONTAINERS,
    folded,
    folded_animals,
    held_out,
    lists,
    matrix,
    repeated,
)
from tests.corpus.files import written
from tests.grouping import grouped

OF_TWO = ["accuracy", "f1", "matthews_correlation"]
OF_SCORES = ["accuracy", "roc_auc", "log_loss", "brier"]
OF_MANY = ["accuracy", "macro_f1", "kappa"]

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "level": {"level": 0.8},
    "no level": {"level": None},
    "low": {"interval": karat.Interval(side="low")},
    "high": {"interval": karat.Interval(side="high")},
    "wald": {"interval": karat.Interval(method="wald")},
    "bootstrap": {"interval": karat.Interval(method="bootstrap", n_replicates=100)},
    "case-control": {"sampling": "case-control"},
    "nan": {"undefined": "nan"},
    "positive": {"positive": 0},
    "labels": {"labels": [0, 1, 2], "metrics": OF_MANY},
    "class names": {"labels": karat.Labels(names=["no", "yes"])},
    "one thread": {"reading": karat.Reading(n_threads=1)},
    "two threads": {"reading": karat.Reading(n_threads=2)},
}
OF_TABLES: dict[str, dict[str, Any]] = {
    "labels": {"design": karat.Folds("fold"), "y_pred": "pred", "y_prob": "", "metrics": OF_TWO},
    "auto": {"design": karat.Folds(), "y_pred": "pred", "y_prob": "", "metrics": OF_TWO},
    "probabilities": {
        "design": karat.Folds("fold"),
        "y_prob": "p_yes",
        "y_pred": "",
        "metrics": OF_SCORES,
    },
    "scores": {
        "design": karat.Folds("fold"),
        "y_score": "z",
        "y_pred": "",
        "metrics": ["accuracy", "roc_auc"],
    },
    "threshold": {
        "design": karat.Folds("fold"),
        "y_prob": "p_yes",
        "y_pred": "",
        "threshold": 0.35,
        "metrics": OF_SCORES,
    },
    "weights": {
        "design": karat.Folds("fold"),
        "y_prob": "p_yes",
        "y_pred": "",
        "weights": "mass",
        "metrics": OF_SCORES,
    },
    "clusters": {
        "design": karat.Folds("fold"),
        "y_pred": "pred",
        "y_prob": "",
        "clusters": "team",
        "metrics": OF_TWO,
    },
    "slices too": {
        "design": karat.Folds("fold"),
        "y_pred": "pred",
        "y_prob": "",
        "by": "country",
        "metrics": OF_TWO[:1],
    },
    "another column": {
        "design": karat.Folds("country"),
        "y_pred": "pred",
        "y_prob": "",
        "metrics": OF_TWO,
    },
}
WHOLLY = ("pandas", "arrow", "parquet", "csv")


def calls() -> Iterator[Call]:
    yield from _arrays()
    yield from _repeats()
    yield from _tables()
    yield from _refused()
    yield from _outputs()
    yield from fold_models.calls()
    yield from fold_splits.calls()


def facts_of(report: Any) -> dict[str, Any]:
    """What a report states about its metrics and their folds."""
    folds = report.folds
    return {
        "pooled": dict(report.metrics),
        "clustered": report.is_clustered,
        "n": report.n_rows,
        "folds": {name: folds[name] for name in report.metrics},
        "covers": dict(folds.covers),
        "columns": folds.columns,
        "nested": folds.has_nested,
        "names": folds.axis.names,
        "rows": folds.axis.n_rows,
        "ratio": folds.axis.ratio,
        "mapping": dict(report.mapping),
        "doubts": [[doubt.code, str(doubt)] for doubt in report.doubts],
    }


def _call(name: str, source: str, run: Any) -> Call:
    return Call(name, "evaluate", source, lambda: facts_of(run()))


def _arrays() -> Iterator[Call]:
    two, many = folded(), folded_animals()
    truth, pred, fold = two["label"], two["pred"], two["fold"]
    for name, options in OPTIONS.items():
        yield _call(
            f"two labels, {name}",
            "array",
            lambda options=options: karat.evaluate(
                truth, pred, **grouped({"design": karat.Folds(fold), "metrics": OF_TWO, **options})
            ),
        )
        if name in ("plain", "level", "no level", "low", "two threads"):
            yield _call(
                f"two probabilities, {name}",
                "array",
                lambda options=options: karat.evaluate(
                    truth,
                    y_prob=two["p_yes"],
                    metrics=OF_SCORES,
                    **grouped({"design": karat.Folds(fold), **options}),
                ),
            )
            yield _call(
                f"animals, {name}",
                "array",
                lambda options=options: karat.evaluate(
                    many["label"],
                    many["pred"],
                    metrics=OF_MANY,
                    **grouped({"design": karat.Folds(many["fold"]), **options}),
                ),
            )
    forms: dict[str, Any] = {
        "a list": lambda: list(fold.tolist()),
        "text": lambda: [f"fold {x}" for x in fold],
        "floats": lambda: fold.astype(float),
        "truth values": lambda: fold < 2,
        "a pandas column": lambda: pd.Series(fold),
        "categories": lambda: pd.Categorical([f"fold {x}" for x in fold]),
        "a Polars column": lambda: pl.Series(fold.tolist()),
        "an Arrow column": lambda: pa.array(fold),
        "a dict": lambda: {"fold": fold},
        "a table of one column": lambda: pd.DataFrame({"fold": fold}),
        "forty": lambda: np.arange(200) % 40,
        "of unequal size": lambda: [0] * 120 + [1] * 50 + [2] * 30,
        "a dict with sizes": lambda: {"fold": fold, "train_size": np.full(200, 160)},
    }
    for name, form in forms.items():
        yield _call(
            f"folds as {name}",
            "array",
            lambda form=form: karat.evaluate(
                truth, pred, design=karat.Folds(form()), metrics=OF_TWO[:2]
            ),
        )
    singles: dict[str, Any] = {
        "scores": lambda: karat.evaluate(
            truth, y_score=two["z"], design=karat.Folds(fold), metrics=["accuracy", "roc_auc"]
        ),
        "probabilities of animals": lambda: karat.evaluate(
            many["label"],
            y_prob=matrix(many),
            design=karat.Folds(many["fold"]),
            metrics=["accuracy", "log_loss", "top_k_accuracy(k=2)", "roc_auc_ovr_macro"],
        ),
        "weights": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold), weights=two["mass"], metrics=OF_TWO
        ),
        "frequency weights": lambda: karat.evaluate(
            truth,
            pred,
            design=karat.Folds(fold),
            weights=karat.Frequency((two["mass"] * 4).astype(int)),
            metrics=OF_TWO,
        ),
        "clusters": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold), clusters=two["team"], metrics=OF_TWO
        ),
        "ids": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold), ids=two["id"], metrics=OF_TWO
        ),
        "slices too": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold), by={"country": two["country"]}, metrics=OF_TWO
        ),
        "a fold that lacks a class": lambda: karat.evaluate(
            ["a", "b"] * 30 + ["a", "c"] * 30,
            ["a", "b", "b", "a"] * 15 + ["a", "c", "c"] * 20,
            design=karat.Folds([0] * 60 + [1] * 60),
            metrics=["accuracy", "macro_f1", "weighted_f1"],
        ),
        "a fold without a rank": lambda: karat.evaluate(
            [0, 1] * 20 + [1] * 20,
            y_prob=[i / 64 for i in range(60)],
            design=karat.Folds([0] * 40 + [1] * 20),
            metrics=["roc_auc", "brier"],
        ),
        "folds of one value": lambda: karat.evaluate(
            [0, 1] * 30, [0, 1] * 30, design=karat.Folds([0, 1, 2] * 20), metrics=["accuracy"]
        ),
        "two folds": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold % 2), metrics=OF_TWO
        ),
        "labels and probabilities": lambda: karat.evaluate(
            truth, pred, y_prob=two["p_yes"], design=karat.Folds(fold), metrics=OF_SCORES
        ),
        "rows kept": lambda: karat.evaluate(
            truth,
            pred,
            design=karat.Folds(fold),
            ids=two["id"],
            reading=karat.Reading(keep_rows=2),
            metrics=OF_TWO[:1],
        ),
    }
    for name, run in singles.items():
        yield _call(name, "array", run)


def _repeats() -> Iterator[Call]:
    table, nested = repeated(), held_out()
    keys = {"repeat": table["repeat"], "fold": table["fold"]}
    inner = {name: nested[name] for name in ("repeat", "fold", "holdout")}
    arrays: dict[str, Any] = {
        "labels": lambda: karat.evaluate(
            table["label"], table["pred"], design=karat.Folds(keys), ids=table["id"], metrics=OF_TWO
        ),
        "probabilities": lambda: karat.evaluate(
            table["label"],
            y_prob=table["p"],
            design=karat.Folds(keys),
            ids=table["id"],
            metrics=OF_SCORES,
        ),
        "clusters": lambda: karat.evaluate(
            table["label"],
            table["pred"],
            design=karat.Folds(keys),
            clusters=table["id"],
            metrics=OF_TWO,
        ),
        "a pandas table": lambda: karat.evaluate(
            table["label"],
            table["pred"],
            design=karat.Folds(pd.DataFrame(keys)),
            ids=table["id"],
            metrics=OF_TWO,
        ),
        "a Polars table": lambda: karat.evaluate(
            table["label"],
            table["pred"],
            design=karat.Folds(pl.DataFrame(lists(keys))),
            ids=table["id"],
            metrics=OF_TWO,
        ),
        "sizes": lambda: karat.evaluate(
            table["label"],
            table["pred"],
            design=karat.Folds({**keys, "train_size": table["train_size"]}),
            ids=table["id"],
            metrics=OF_TWO,
        ),
        "nested": lambda: karat.evaluate(
            nested["label"],
            nested["pred"],
            design=karat.Folds(inner),
            ids=nested["id"],
            metrics=OF_TWO,
        ),
        "nested probabilities": lambda: karat.evaluate(
            nested["label"],
            y_prob=nested["p"],
            design=karat.Folds(inner),
            ids=nested["id"],
            metrics=OF_SCORES,
        ),
        "nested, one limit": lambda: karat.evaluate(
            nested["label"],
            nested["pred"],
            design=karat.Folds(inner),
            ids=nested["id"],
            metrics=["error_rate"],
            interval=karat.Interval(side="high"),
            level=0.9,
        ),
        "nested without a level": lambda: karat.evaluate(
            nested["label"], nested["pred"], design=karat.Folds(inner), ids=nested["id"], level=None
        ),
    }
    for name, run in arrays.items():
        yield _call(f"repeats: {name}", "array", run)
    for kind in ("dict of lists", "pandas", "polars", "arrow", "parquet", "csv"):
        container = CONTAINERS[kind]
        yield _call(
            f"repeats in {kind}",
            kind.partition(" ")[0],
            lambda container=container: karat.evaluate(
                container(repeated(), "repeated"),
                design=karat.Folds("fold"),
                y_prob="p",
                y_pred="",
                metrics=OF_SCORES,
            ),
        )
        yield _call(
            f"nested folds in {kind}",
            kind.partition(" ")[0],
            lambda container=container: karat.evaluate(
                container(held_out(), "held-out"),
                design=karat.Folds(),
                y_prob="p",
                y_pred="",
                metrics=OF_SCORES,
            ),
        )
    yield _call(
        "repeats of labels by clusters",
        "pandas",
        lambda: karat.evaluate(
            pd.DataFrame(repeated()).rename(columns={"id": "patient"}),
            design=karat.Folds("fold"),
            y_pred="pred",
            y_prob="",
            clusters="patient",
            metrics=OF_TWO,
        ),
    )
    yield _call(
        "random splits with sizes",
        "pandas",
        lambda: karat.evaluate(
            pd.DataFrame({**repeated(), "fold": 0}).query("p < 0.7"),
            design=karat.Folds("fold"),
            y_prob="p",
            y_pred="",
            metrics=OF_TWO,
        ),
    )


def _tables() -> Iterator[Call]:
    for kind, container in CONTAINERS.items():
        for name, options in OF_TABLES.items():
            if kind in WHOLLY or name in ("auto", "probabilities"):
                yield _call(
                    f"{kind}, {name}",
                    kind.partition(" ")[0],
                    lambda container=container, options=options: karat.evaluate(
                        container(folded(), "folded"), **grouped(options)
                    ),
                )
        yield _call(
            f"{kind}, animals",
            kind.partition(" ")[0],
            lambda container=container: karat.evaluate(
                container(folded_animals(), "folded-animals"),
                design=karat.Folds("fold"),
                y_prob="proba_*",
                y_pred="",
                metrics=["accuracy", "log_loss"],
            ),
        )
    yield Call(
        "a column that is not read",
        "evaluate",
        "csv",
        lambda: karat.evaluate(
            written("csv", folded(), "folded"), y_pred="pred", y_prob="", metrics=OF_TWO[:1]
        ),
    )
    yield _call(
        "little memory",
        "parquet",
        lambda: karat.evaluate(
            written("parquet", folded(), "folded"),
            design=karat.Folds("fold"),
            y_prob="p_yes",
            y_pred="",
            metrics=OF_SCORES,
            reading=karat.Reading(max_memory=2_000_000),
        ),
    )
    yield _call(
        "several files",
        "parquet",
        lambda: karat.evaluate(
            written("parquet list", folded(), "folded"),
            design=karat.Folds("fold"),
            y_pred="pred",
            y_prob="",
            metrics=OF_TWO,
        ),
    )
    yield _call(
        "a query",
        "sql",
        lambda: karat.evaluate(
            f"SELECT label, pred, fold % 3 AS part FROM '{written('csv', folded(), 'folded')}'",
            design=karat.Folds("part"),
            metrics=OF_TWO,
        ),
    )


def _refused() -> Iterator[Call]:
    two, table = folded(), repeated()
    truth, pred, fold = two["label"], two["pred"], two["fold"]
    label, guess = table["label"], table["pred"]
    keys = {"repeat": table["repeat"], "fold": table["fold"]}
    frame = pd.DataFrame(two)
    nested = pd.DataFrame(held_out())
    small = pd.DataFrame(
        {"label": [0, 1] * 6, "pred": [0, 1] * 6, "fold": [0, 1, 2] * 4, "id": [*range(6)] * 2}
    ).assign(repeat=[0] * 6 + [1] * 6)
    wrong: dict[str, Any] = {
        "a column without a table": lambda: karat.evaluate(truth, pred, design=karat.Folds("fold")),
        "a number": lambda: karat.evaluate(truth, pred, design=karat.Folds(5)),
        "short": lambda: karat.evaluate(truth, pred, design=karat.Folds(fold[:9])),
        "missing": lambda: karat.evaluate(
            truth, pred, design=karat.Folds([None, *fold[1:].tolist()])
        ),
        "one fold": lambda: karat.evaluate(truth, pred, design=karat.Folds([3] * 200)),
        "no keys": lambda: karat.evaluate(truth, pred, design=karat.Folds({})),
        "another key": lambda: karat.evaluate(
            truth, pred, design=karat.Folds({"fold": fold, "part": fold})
        ),
        "no fold": lambda: karat.evaluate(truth, pred, design=karat.Folds({"repeat": fold})),
        "values beside a table": lambda: karat.evaluate(frame, design=karat.Folds(fold)),
        "no such column": lambda: karat.evaluate(frame, design=karat.Folds("part")),
        "no column is found": lambda: karat.evaluate(
            frame.drop(columns="fold"), design=karat.Folds()
        ),
        "repeats without ids": lambda: karat.evaluate(label, guess, design=karat.Folds(keys)),
        "a table of repeats without ids": lambda: karat.evaluate(
            pd.DataFrame(table).drop(columns="id"), design=karat.Folds("fold")
        ),
        "a row twice in a repeat": lambda: karat.evaluate(
            small.assign(id=[0, 0, 2, 3, 4, 5] * 2), design=karat.Folds("fold")
        ),
        "ids that repeat": lambda: karat.evaluate(
            small.drop(columns="repeat"), design=karat.Folds("fold")
        ),
        "repeats of other sizes": lambda: karat.evaluate(
            small.assign(repeat=[0] * 5 + [1] * 7), design=karat.Folds("fold")
        ),
        "repeats of other rows": lambda: karat.evaluate(
            small.assign(id=[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 9]), design=karat.Folds("fold")
        ),
        "single folds without sizes": lambda: karat.evaluate(
            small.assign(fold=0), design=karat.Folds("fold")
        ),
        "one fold of one repeat": lambda: karat.evaluate(
            small.assign(repeat=0, id=range(12), fold=3), design=karat.Folds("fold")
        ),
        "sizes that are no numbers": lambda: karat.evaluate(
            truth, pred, design=karat.Folds({"fold": fold, "train_size": ["many"] * 200})
        ),
        "sizes of 0": lambda: karat.evaluate(
            truth, pred, design=karat.Folds({"fold": fold, "train_size": [0] * 200})
        ),
        "several sizes in a fold": lambda: karat.evaluate(
            truth, pred, design=karat.Folds({"fold": fold, "train_size": range(200)})
        ),
        "a pair that is missing": lambda: karat.evaluate(
            nested[nested.holdout != 2], design=karat.Folds("fold")
        ),
        "held-out folds that are none": lambda: karat.evaluate(
            nested.assign(holdout=nested.holdout.replace(2, 7)), design=karat.Folds("fold")
        ),
        "folds that name themselves": lambda: karat.evaluate(
            nested.assign(holdout=nested.fold), design=karat.Folds("fold")
        ),
        "folds of one row": lambda: karat.evaluate(
            {"label": [0, 1, 0], "pred": [0, 1, 1], "fold": [0, 1, 2], "holdout": [1, 2, None]},
            design=karat.Folds("fold"),
        ),
        "a matrix": lambda: karat.evaluate(confusion=[[3, 1], [2, 4]], design=karat.Folds([0, 1])),
        "sets": lambda: karat.evaluate(
            [{"a"}, {"b"}] * 6, [{"a"}, {"a"}] * 6, design=karat.Folds([0, 1] * 6)
        ),
        "looks": lambda: karat.evaluate(truth, pred, design=[karat.Folds(fold), karat.Looks(1000)]),
        "a report without folds": lambda: karat.evaluate(truth, pred, metrics=["accuracy"]).folds,
        "no such metric": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold), metrics=["accuracy"]
        ).folds["acuracy"],
        "a metric of scores": lambda: karat.evaluate(
            truth, pred, design=karat.Folds(fold), metrics=["accuracy"]
        ).folds["roc_auc"],
        "a function": lambda: karat.accuracy(truth, pred, folds=fold),
        "a stream": lambda: karat.Stream(design=karat.Folds("fold")),
    }
    for name, run in wrong.items():
        yield Call(f"refused: {name}", "evaluate", "array", run)


def _report(folds: Any = None, **options: Any) -> Any:
    two = folded()
    return karat.evaluate(
        two["label"],
        two["pred"],
        **grouped({"design": karat.Folds(two["fold"] if folds is None else folds), **options}),
    )


def _some() -> Any:
    return _report(metrics=OF_TWO)


def _nested() -> Any:
    return karat.evaluate(
        pd.DataFrame(held_out()),
        design=karat.Folds("fold"),
        y_prob="p",
        y_pred="",
        metrics=OF_SCORES,
    )


def _outputs() -> Iterator[Call]:
    shown: dict[str, Any] = {
        "whole": _some,
        "every metric": lambda: _report(interval=karat.Interval(n_replicates=100)),
        "nested, whole": _nested,
        "as text": lambda: str(_some()),
        "nested as text": lambda: str(_nested()),
        "as narrow text": lambda: _some().text(width=50),
        "as JSON": lambda: _some().to_json(),
        "as Markdown": lambda: _some().to_markdown(),
        "as CSV": lambda: _some().to_csv(),
        "as LaTeX": lambda: _some().to_latex(),
        "as HTML": lambda: _nested().to_html(),
        "as a frame": lambda: _some().to_frame("pandas"),
        "one metric": lambda: [str(_some().folds["accuracy"]), repr(_some().folds["accuracy"])],
        "an alias": lambda: _some().folds["mcc"],
        "a metric that is not listed": lambda: _some().folds["kappa"],
        "a nested metric": lambda: [_nested().folds["accuracy"].nested, _nested().folds],
        "facts": lambda: [list(_some().folds), len(_some().folds), repr(_some().folds)],
        "read from JSON": lambda: _read_back(_some()),
        "nested, read from JSON": lambda: _read_back(_nested()),
        "a metric that JSON lacks": lambda: karat.Report.from_json(_some().to_json()).folds[
            "kappa"
        ],
        "a damaged report": lambda: karat.Report.from_json(
            _some().to_json().replace('"fold_mean": 0.', '"fold_mean": 0.9', 1)
        ),
        "weak slices beside folds": lambda: karat.find_weak_slices(_some()),
        "a check of folds": lambda: karat.check(
            folded()["label"], folded()["pred"], design=karat.Folds(folded()["fold"])
        ),
    }
    for name, run in shown.items():
        yield Call(f"output: {name}", "Report.folds", "report", run)


def _read_back(report: Any) -> dict[str, Any]:
    text = report.to_json()
    again = karat.Report.from_json(text)
    return {
        "same": again.to_json() == text,
        "text": str(again) == str(report),
        "folds": again.folds["accuracy"],
        "covers": dict(again.folds.covers),
        "nested": again.folds.has_nested,
        "page": again.to_html() == report.to_html(),
    }

"""`karat.evaluate` and functions of one metric on rows with sets of labels, without scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

import karat
from tests.corpus.calls import Call
from tests.corpus.set_refusals import doubts, refusals
from tests.corpus.set_rows import (
    COLUMNS,
    FEW,
    NAMES,
    frame,
    list_table,
    lists,
    objects,
    photos,
    sets,
    text_file,
    text_table,
    texts,
    wide_table,
    written,
)
from tests.grouping import grouped
from tests.optional import optional

torch = optional("torch")
NAN = float("nan")
ARROW_LISTS = pa.list_(pa.string())

# Forms of rows whose labels are columns of a matrix.
MATRICES: dict[str, Callable[[Any], Any]] = {
    "int64": lambda m: m,
    "uint8": lambda m: m.astype(np.uint8),
    "bool": lambda m: m.astype(bool),
    "float32": lambda m: m.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "objects": lambda m: m.astype(object),
    "csr": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_matrix,
    "coo": scipy.sparse.coo_matrix,
    "csr array of booleans": lambda m: scipy.sparse.csr_array(m.astype(bool)),
    "pandas frame": lambda m: pd.DataFrame(m, columns=list(NAMES)),
    "pandas frame of booleans": lambda m: pd.DataFrame(m.astype(bool), columns=list(NAMES)),
    "torch int64": lambda m: torch.tensor(m, dtype=torch.int64),
    "torch bool": lambda m: torch.tensor(m.astype(bool)),
    "torch float32": lambda m: torch.tensor(m.astype(np.float32)),
}
# Forms of rows that list their labels.
LISTED: dict[str, Callable[[Any], Any]] = {
    "lists": lists,
    "tuples": lambda m: tuple(tuple(row) for row in lists(m)),
    "sets": sets,
    "frozensets": lambda m: [frozenset(row) for row in lists(m)],
    "arrays": lambda m: [np.array(row, dtype="U3") for row in lists(m)],
    "object array of lists": lambda m: objects(lists(m)),
    "object array of sets": lambda m: objects(sets(m)),
    "pandas lists": lambda m: pd.Series(lists(m)),
    "pandas sets": lambda m: pd.Series(sets(m)),
    "pandas Arrow lists": lambda m: pd.Series(lists(m), dtype=pd.ArrowDtype(ARROW_LISTS)),
    "polars lists": lambda m: pl.Series(lists(m)),
    "arrow lists": lambda m: pa.array(lists(m), ARROW_LISTS),
    "arrow large lists": lambda m: pa.array(lists(m), pa.large_list(pa.string())),
    "arrow chunks": lambda m: pa.chunked_array([lists(m)[:50], lists(m)[50:]]),
    "arrow dictionaries": lambda m: pa.array(lists(m)).cast(
        pa.list_(pa.dictionary(pa.int32(), pa.string()))
    ),
    "numbers": lambda m: [np.flatnonzero(row).tolist() for row in m],
    "sets of numbers": lambda m: [set(np.flatnonzero(row).tolist()) for row in m],
    "arrow numbers": lambda m: pa.array([np.flatnonzero(row).tolist() for row in m]),
}
# Options that every kind of rows takes.
OPTIONS: dict[str, dict[str, Any]] = {
    "all metrics": {},
    "all metrics by name": {"metrics": "all", "level": None},
    "no level": {"metrics": FEW, "level": None},
    "level 0.8": {"metrics": FEW, "level": 0.8},
    "low": {"metrics": FEW, "side": "low"},
    "high": {"metrics": FEW, "side": "high", "level": 0.9},
    "wald": {"metrics": FEW, "method": "wald"},
    "logit": {"metrics": FEW, "method": "logit"},
    "bootstrap": {"metrics": FEW, "method": "bootstrap", "n_replicates": 100},
    "bca": {"metrics": FEW, "method": "bca", "n_replicates": 100, "seed": 3},
    "bayesian": {"metrics": FEW, "method": "bayesian", "n_replicates": 100},
    "exclude": {"metrics": [*FEW, "samples_precision"], "undefined": "exclude"},
    "nan": {"metrics": [*FEW, "samples_precision"], "undefined": "nan"},
    "labels in another order": {"metrics": FEW, "labels": ["doe", "cow", "bee", "ant"]},
    "a label that never occurs": {"metrics": FEW, "labels": [*NAMES, "elk"]},
    "display names": {"metrics": FEW, "labels": NAMES, "class_names": ["A", "B", "C", "D"]},
    "a dict of display names": {
        "metrics": FEW,
        "labels": karat.Labels(NAMES, names={"ant": "Ant"}),
    },
    "one metric": {"metrics": "macro_jaccard"},
    "beta": {"metrics": ["macro_f_beta(beta=2)", "samples_f_beta(beta=0.5)"]},
    "two threads": {"metrics": FEW, "n_threads": 2},
    "small memory": {"metrics": FEW, "max_memory": 1 << 20},
    "case-control": {"metrics": FEW, "design": karat.CaseControl()},
    "positive": {"metrics": FEW, "positive": "ant"},
    "a threshold": {"metrics": FEW, "threshold": 0.5},
    "anytime": {"metrics": ["subset_accuracy", "samples_f1"], "anytime": 500},
    "an unknown method": {"metrics": FEW, "method": "exact"},
    "an unknown policy": {"metrics": FEW, "undefined": "one"},
    "a metric of classes": {"metrics": ["accuracy"]},
    "a metric of scores": {"metrics": ["ndcg"]},
}
# Options that name columns of a table.
MOSTLY = ("plain", "weights", "clusters", "by")


def calls() -> Iterator[Call]:
    yield from _forms()
    for name, options in OPTIONS.items():
        yield _call(
            f"lists, {name}",
            "list",
            lambda o=options: karat.evaluate(
                lists(photos()["true"]), lists(photos()["pred"]), **grouped(o)
            ),
        )
    yield from _arrays()
    yield from _tables()
    yield from _results()
    yield from _functions()
    yield from doubts()
    yield from refusals()


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "evaluate", source, run)


def _forms() -> Iterator[Call]:
    held = photos()
    for name, form in MATRICES.items():
        yield _call(
            f"matrix, {name}",
            "array",
            lambda f=form: karat.evaluate(f(held["true"]), f(held["pred"]), metrics=FEW[:3]),
        )
    for name, form in LISTED.items():
        yield _call(
            f"rows, {name}",
            "list",
            lambda f=form: karat.evaluate(f(held["true"]), f(held["pred"]), metrics=FEW[:3]),
        )
    for true, pred in (("sets", "arrow lists"), ("polars lists", "tuples"), ("lists", "sets")):
        yield _call(
            f"{true} beside {pred}",
            "list",
            lambda t=LISTED[true], p=LISTED[pred]: karat.evaluate(
                t(held["true"]), p(held["pred"]), metrics=FEW[:3]
            ),
        )
    for separator in ("|", ", ", ";;"):
        yield _call(
            f"text split at {separator}",
            "list",
            lambda s=separator: karat.evaluate(
                texts(held["true"], s),
                texts(held["pred"], s),
                labels=karat.Labels(separator=s),
                metrics=FEW[:3],
            ),
        )
    for name, form in {"pandas": pd.Series, "polars": pl.Series, "arrow": pa.array}.items():
        yield _call(
            f"text in {name}",
            name,
            lambda f=form: karat.evaluate(
                f(texts(held["true"])),
                f(texts(held["pred"])),
                labels=karat.Labels(separator="|"),
                metrics=FEW[:3],
            ),
        )
    escaped = ["a\\|b|c", " c | a\\|b ", "", "x\\\\|c", "  "]
    yield _call(
        "escaped separators",
        "list",
        lambda: karat.evaluate(
            escaped, escaped[::-1], labels=karat.Labels(separator="|"), metrics=FEW[:3]
        ),
    )


def _arrays() -> Iterator[Call]:
    held = photos()
    true, pred = held["true"], held["pred"]
    yield _call(
        "weights",
        "array",
        lambda: karat.evaluate(true, pred, labels=NAMES, weights=held["mass"], metrics=FEW),
    )
    yield _call(
        "frequency weights",
        "array",
        lambda: karat.evaluate(true, pred, weights=karat.Frequency(held["copies"]), metrics=FEW),
    )
    yield _call(
        "clusters",
        "array",
        lambda: karat.evaluate(true, pred, clusters=held["team"], metrics=FEW, level=0.9),
    )
    yield _call(
        "slices by values",
        "array",
        lambda: karat.evaluate(true, pred, by=held["country"], metrics=["micro_f1"]),
    )
    yield _call(
        "slices by two columns",
        "array",
        lambda: karat.evaluate(
            true, pred, by={"sex": held["sex"], "age": held["age"]}, metrics=["micro_f1"]
        ),
    )
    unknown = true.astype(float)
    unknown[::7, 1] = NAN
    unknown[5] = NAN
    yield _call(
        "unknown cells", "array", lambda: karat.evaluate(unknown, pred, labels=NAMES, metrics=FEW)
    )
    missing = [None if i % 9 == 4 else row for i, row in enumerate(lists(true))]
    yield _call("unknown rows", "list", lambda: karat.evaluate(missing, lists(pred), metrics=FEW))
    yield _call(
        "null lists of Arrow",
        "arrow",
        lambda: karat.evaluate(pa.array(missing), pa.array(lists(pred)), metrics=FEW),
    )
    yield _call(
        "stored zeros",
        "array",
        lambda: karat.evaluate(
            scipy.sparse.csr_matrix(([1, 0, 1], ([0, 0, 1], [0, 2, 1])), shape=(3, 3)),
            np.eye(3, dtype=int),
            metrics=FEW,
        ),
    )
    for name, cells in {
        "no labels at all": (np.zeros((6, 3), int), np.zeros((6, 3), int)),
        "every label": (np.ones((6, 3), int), np.ones((6, 3), int)),
        "nothing right": (np.eye(3, dtype=int), 1 - np.eye(3, dtype=int)),
        "two rows": (np.array([[1, 0], [0, 0]]), np.array([[1, 1], [0, 0]])),
    }.items():
        yield _call(f"odd rows, {name}", "array", lambda c=cells: karat.evaluate(*c, metrics=FEW))
    yield _call(
        "one label a row on both sides",
        "list",
        lambda: karat.evaluate([["a"], ["b"], ["b"]], [["a"], ["a"], ["b"]], metrics=["accuracy"]),
    )
    yield _call(
        "0 and 1 as labels",
        "list",
        lambda: karat.evaluate([[0, 1], [1], []], [[0], [1], [0]], labels=[0, 1], metrics=FEW),
    )
    yield _call(
        "many labels",
        "array",
        lambda: karat.evaluate(
            np.array([[(i * j) % 5 == 1 for j in range(60)] for i in range(40)]),
            np.array([[(i * j + j // 7) % 5 == 1 for j in range(60)] for i in range(40)]),
            metrics=FEW[:2],
        ),
    )


def _tables() -> Iterator[Call]:
    for kind in ("dict", "pandas", "polars", "arrow"):
        for name, options in COLUMNS.items():
            if kind == "arrow" or name in MOSTLY:
                yield _call(
                    f"{kind} of lists, {name}",
                    kind,
                    lambda k=kind, o=options: karat.evaluate(frame(k, list_table()), **grouped(o)),
                )
        yield _call(
            f"{kind} of text",
            kind,
            lambda k=kind: karat.evaluate(
                frame(k, text_table()), labels=karat.Labels(separator="|"), metrics=FEW
            ),
        )
        yield _call(
            f"{kind} of cells",
            kind,
            lambda k=kind: karat.evaluate(
                frame(k, wide_table()), y_true="true_*", y_pred="pred_*", metrics=FEW
            ),
        )
        yield _call(
            f"{kind} of cells, detected",
            kind,
            lambda k=kind: karat.evaluate(frame(k, wide_table(kind=bool)), metrics=FEW[:3]),
        )
    table = list_table()
    shown = pd.DataFrame({**table, "true": sets(photos()["true"]), "pred": sets(photos()["pred"])})
    yield _call("pandas of sets", "pandas", lambda: karat.evaluate(shown, metrics=FEW))
    yield _call(
        "lazy polars", "polars", lambda: karat.evaluate(pl.DataFrame(table).lazy(), metrics=FEW)
    )
    yield _call(
        "duckdb",
        "duckdb",
        lambda: karat.evaluate(duckdb.from_arrow(pa.table(list_table())), metrics=FEW),
    )
    for kind in ("parquet", "jsonl"):
        for name, options in COLUMNS.items():
            if kind == "parquet" or name in MOSTLY:
                yield _call(
                    f"{kind} of lists, {name}",
                    kind,
                    lambda k=kind, o=options: karat.evaluate(
                        written(k, list_table(), "lists"), **grouped(o)
                    ),
                )
    for kind in ("parquet", "jsonl", "csv"):
        yield _call(
            f"{kind} of text",
            kind,
            lambda k=kind: karat.evaluate(
                written(k, text_table(), "texts"), labels=karat.Labels(separator="|"), metrics=FEW
            ),
        )
        yield _call(
            f"{kind} of cells",
            kind,
            lambda k=kind: karat.evaluate(
                written(k, wide_table(), "wide"), y_true="true_*", y_pred="pred_*", metrics=FEW
            ),
        )
    yield _call(
        "csv of text, weights, clusters, slices",
        "csv",
        lambda: karat.evaluate(
            written("csv", text_table(), "texts"),
            labels=karat.Labels(separator="|"),
            metrics=["micro_f1"],
            weights="mass",
            clusters="team",
            by="sex",
        ),
    )
    yield _call(
        "a query",
        "sql",
        lambda: karat.evaluate(
            'SELECT "true", pred FROM '
            f"'{written('parquet', list_table(), 'lists')}' WHERE sex = 'f'",
            metrics=FEW,
        ),
    )
    yield _call("more rows than memory", "parquet", _beyond)
    nulls = {**list_table(), "pred": [None, *list_table()["pred"][1:]]}
    for kind in ("arrow", "parquet"):
        for rule in ("drop", "error"):
            yield _call(
                f"{kind} with nulls, {rule}",
                kind,
                lambda k=kind, r=rule: karat.evaluate(
                    frame(k, nulls) if k == "arrow" else written(k, nulls, "nulls"),
                    reading=karat.Reading(nulls=r, n_threads=1),
                    metrics=FEW,
                ),
            )
    blanks = "true,pred\na|b,a\n,b\nNA,a\nnull,\n2|b,2\n"
    yield _call(
        "blank fields and NA",
        "csv",
        lambda: karat.evaluate(
            text_file("blank.csv", blanks), labels=karat.Labels(separator="|"), metrics=FEW
        ),
    )
    yield _call(
        "labels that are numbers",
        "csv",
        lambda: karat.evaluate(
            text_file("numbers.csv", "true,pred\n0|2,0\n1,1 | 2\n,\n"),
            labels=karat.Labels(separator="|"),
            metrics=FEW,
        ),
    )


def _beyond() -> Any:
    """More rows than `max_memory` holds: counts are exact, averages take a sample of rows."""
    n = 20_000
    true = [[name for j, name in enumerate(NAMES) if i * (j + 3) % 7 < 2] for i in range(n)]
    pred = [[name for j, name in enumerate(NAMES) if i * (j + 3) % 9 < 2] for i in range(n)]
    path = written("parquet", {"true": true, "pred": pred}, "beyond")
    report = karat.evaluate(path, reading=karat.Reading(max_memory=1 << 20), metrics=FEW)
    return {"report": report, "cautions": report.cautions, "transfers": report.transfers}


def _report(**options: Any) -> Any:
    held = photos()
    return karat.evaluate(
        lists(held["true"]),
        lists(held["pred"]),
        by={"country": held["country"]},
        ids=held["key"],
        **grouped(options),
    )


def _results() -> Iterator[Call]:
    def result(name: str, run: Callable[[Any], Any]) -> Call:
        return Call(name, "MultilabelReport", "report", lambda: run(_report(metrics=FEW)))

    yield result("text", str)
    yield result("narrow text", lambda report: report.text(60))
    yield result("repr", lambda report: [repr(report), repr(report["micro_f1"])])
    yield result("markdown", lambda report: report.to_markdown())
    yield result("latex", lambda report: report.to_latex())
    yield result("csv", lambda report: report.to_csv())
    yield result("html", lambda report: report.to_html())
    yield result("frame", lambda report: report.to_frame())
    yield result("polars frame", lambda report: report.to_frame("polars"))
    yield result("json", lambda report: report.to_json())
    yield result("read from json", _read)
    yield result("text read from json", lambda report: str(_read(report)))
    yield result("what json does not hold", lambda report: _read(report).of_labels(["ant"]))
    yield result("rows that json does not hold", lambda report: _read(report).wrong_rows())
    yield result("damaged json", lambda report: karat.MultilabelReport.from_json("{}"))
    yield result("json of classes", lambda report: karat.Report.from_json(report.to_json()))
    yield result("html of all metrics", lambda report: _report(level=None).to_html())
    yield result("counts", lambda report: report.label_counts)
    yield result("transfers", lambda report: report.transfers)
    yield result("patterns", lambda report: report.patterns)
    yield result("labels", lambda report: report.per_class)
    yield result("facts", _facts)
    yield result("results by name", lambda report: [report["macro_f1"], report.micro_f1])
    yield result("a metric that was not asked for", lambda report: report["kappa"])
    yield result("a metric of scores", lambda report: report["ndcg"])
    yield result("no confusion matrix", lambda report: report.confusion)
    for labels in (["ant", "doe"], ["bee"], "present", "either", "all", "most", ["elk"]):
        yield result(f"of labels {labels}", lambda report, w=labels: report.of_labels(w))
    yield result("slices", _sliced)
    yield result("slices that are not there", lambda report: report.slices["sex"])
    yield from _wrong_rows()


def _read(report: Any) -> Any:
    return karat.MultilabelReport.from_json(report.to_json())


def _facts(report: Any) -> dict[str, Any]:
    return {
        "doubts": [str(doubt) for doubt in report.doubts],
        "cautions": report.cautions,
        "warnings": report.warnings,
        "undefined": dict(report.undefined_metrics),
        "rows": [report.n_rows, report.n_unknown],
        "kinds": [report.is_weighted, report.is_binary, report.scores],
        "labels": report.classes.labels,
    }


def _sliced(report: Any) -> dict[str, Any]:
    table = report.slices["country"]
    return {
        "names": list(table),
        "values": table.values_of("macro_f1"),
        "differences": dict(table.difference("micro_f1")),
        "heterogeneity": [table.heterogeneity("micro_f1"), str(table.heterogeneity("samples_f1"))],
        "gap": [table.gap("micro_f1"), str(table.gap("samples_f1"))],
        "worst": table.worst("micro_f1"),
        "slice": table["NO"],
        "rest": table.rest["NO"]["subset_accuracy"],
        "text": [str(table["SE"]), repr(table)],
    }


def _wrong_rows() -> Iterator[Call]:
    def rows(name: str, run: Callable[[Any], Any]) -> Call:
        return Call(f"wrong rows, {name}", "wrong_rows", "report", lambda: run(_report(level=None)))

    yield rows("all", lambda report: report.wrong_rows())
    yield rows("missed", lambda report: report.wrong_rows(missed="bee", limit=5))
    yield rows("added", lambda report: report.wrong_rows(added="cow").ids)
    yield rows("missed and added", lambda report: report.wrong_rows("ant", "bee"))
    yield rows("of no such label", lambda report: report.wrong_rows(missed="elk"))
    yield rows("text", lambda report: str(report.wrong_rows(limit=4)))
    yield rows("csv", lambda report: report.wrong_rows(limit=4).to_csv())
    yield rows("markdown", lambda report: report.wrong_rows(limit=4).to_markdown())
    yield rows("frame", lambda report: report.wrong_rows(limit=4).to_frame())
    yield rows(
        "without ids",
        lambda report: karat.evaluate([{"a"}, {"b"}, set()], [{"b"}, {"b"}, {"a"}]).wrong_rows(),
    )
    yield rows(
        "of a file",
        lambda report: karat.evaluate(
            written("parquet", list_table(), "lists"), ids="id", metrics=FEW
        ).wrong_rows(limit=3),
    )
    yield rows(
        "kept by number",
        lambda report: karat.evaluate(
            lists(photos()["true"]),
            lists(photos()["pred"]),
            reading=karat.Reading(keep_rows=3),
            metrics=FEW,
        ),
    )


RATES = (
    "precision",
    "recall",
    "specificity",
    "f1",
    "jaccard",
    "negative_predictive_value",
    "fowlkes_mallows",
    "label_matthews_correlation",
    "label_kappa",
    "label_balanced_accuracy",
)
PLAIN = (
    "subset_accuracy",
    "all_true_found",
    "no_false_label",
    "any_true_found",
    "hamming_loss",
    "samples_hamming_loss",
    "label_cardinality",
    "label_density",
    "predicted_cardinality",
    "predicted_density",
    "f1_of_macro_averages",
    "matthews_correlation",
    "kappa",
    "average_accuracy",
    "macro_jaccard",
    "samples_f1",
    "micro_support",
    "accuracy",
    "error_rate",
    "macro_accuracy",
)


def _functions() -> Iterator[Call]:
    held = photos()
    true, pred = held["true"], held["pred"]

    def call(name: str, run: Callable[[], Any]) -> Call:
        return Call(name, "function", "array", run)

    for name in RATES:
        metric = getattr(karat, name)
        yield call(
            f"{name} by every average",
            lambda m=metric: [
                m(true, pred, average=None),
                m(true, pred, average="micro"),
                m(true, pred, average="macro"),
                m(true, pred, average="weighted"),
                m(true, pred, average="samples"),
            ],
        )
    for name in PLAIN:
        yield call(
            f"{name} of sets",
            lambda n=name: [
                getattr(karat, n)(lists(true), lists(pred)),
                getattr(karat, n)(true, pred, weights=held["mass"]),
            ],
        )
    yield call("f_beta", lambda: karat.f_beta(true, pred, beta=2, average="samples"))
    yield call("f1 without an average", lambda: karat.f1(true, pred))
    yield call("samples of classes", lambda: karat.f1([0, 1], [1, 1], average="samples"))
    yield call("excluded", lambda: karat.samples_precision(true, pred, undefined="exclude"))
    yield call("undefined", lambda: karat.samples_precision(true, pred, undefined="nan"))
    yield call(
        "labels of lists",
        lambda: karat.f1(lists(true), lists(pred), average=None, labels=[*NAMES, "elk"]),
    )
    yield call("separated text", lambda: karat.micro_f1(texts(true), texts(pred), separator="|"))
    yield call("confusion_matrix of sets", lambda: karat.confusion_matrix(true, pred))
    yield call("unlike shapes", lambda: karat.micro_f1(true, pred[:, :3]))

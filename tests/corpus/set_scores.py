"""`karat.evaluate` and functions of one metric on the scores of sets of labels."""

from __future__ import annotations

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
    RANKED,
    frame,
    lists,
    photos,
    scored_table,
    sets,
    text_table,
    wide_table,
    written,
)
from tests.grouping import grouped
from tests.optional import optional

torch, NAN = optional("torch"), float("nan")
SCORED = [*RANKED[:4], "macro_f1"]
PATTERNS = {"y_true": "true_*", "y_pred": "pred_*", "y_prob": "proba_*"}
BY_LABELS = ["micro_f1", "macro_f1", "subset_accuracy"]


def _named(values: Any, begin: str = "proba_", order: tuple[int, ...] = (2, 0, 3, 1)) -> Any:
    """Columns by the label that they are of, in another order."""
    return {f"{begin}{NAMES[j]}": values[:, j] for j in order}


MATRICES: dict[str, Callable[[Any], Any]] = {
    "float64": lambda m: m,
    "float32": lambda m: m.astype(np.float32),
    "float16": lambda m: m.astype(np.float16),
    "Fortran order": np.asfortranarray,
    "nested lists": lambda m: m.tolist(),
    "pandas frame": lambda m: pd.DataFrame(_named(m)),
    "pandas frame of labels": lambda m: pd.DataFrame(_named(m, "")),
    "polars frame": lambda m: pl.DataFrame(_named(m)),
    "arrow table": lambda m: pa.table(_named(m)),
    "torch float64": lambda m: torch.tensor(m, dtype=torch.float64),
    "torch float32": lambda m: torch.tensor(m, dtype=torch.float32),
}
# Those that each row lists.
LISTED: dict[str, Callable[[Any], Any]] = {
    "sparse": scipy.sparse.csr_matrix,
    "dicts": lambda m: [dict(zip(NAMES, row, strict=True)) for row in m.tolist()],
    "pairs": lambda m: [list(zip(NAMES, row, strict=True))[::-1] for row in m.tolist()],
    "the three best as dicts": lambda m: [
        {NAMES[j]: row[j] for j in np.argsort(-row, kind="stable")[:3].tolist()} for row in m
    ],
    "the two best as pairs": lambda m: [
        [(NAMES[j], row[j]) for j in np.argsort(-row, kind="stable")[:2].tolist()] for row in m
    ],
}
OPTIONS: dict[str, dict[str, Any]] = {
    "ranks": {"metrics": SCORED},
    "no level": {"metrics": SCORED, "level": None},
    "level 0.8": {"metrics": SCORED, "level": 0.8, "side": "low"},
    "high": {"metrics": SCORED, "side": "high"},
    "wald": {"metrics": SCORED, "method": "wald"},
    "logit": {"metrics": SCORED, "method": "logit"},
    "bootstrap": {"metrics": SCORED[:3], "method": "bootstrap", "n_replicates": 100},
    "bca": {"metrics": ["macro_max_f_beta", "fmax"], "method": "bca", "n_replicates": 100},
    "bayesian": {"metrics": SCORED[:3], "method": "bayesian", "n_replicates": 100},
    "exclude": {"metrics": [*SCORED, "mean_reciprocal_rank"], "undefined": "exclude"},
    "nan": {"metrics": [*SCORED, "mean_reciprocal_rank"], "undefined": "nan"},
    "labels": {"metrics": SCORED, "labels": NAMES},
    "display names": {"metrics": FEW[:2], "labels": NAMES, "class_names": ["A", "B", "C", "D"]},
    "threshold": {"metrics": BY_LABELS, "threshold": 0.25},
    "threshold of each label": {"metrics": BY_LABELS, "threshold": [0.25, 0.5, 0.75, 0.9]},
    "a dict of thresholds": {"metrics": BY_LABELS, "threshold": {"ant": 0.25}},
    "too few thresholds": {"metrics": BY_LABELS, "threshold": [0.25, 0.5]},
    "one thread": {"metrics": SCORED, "n_threads": 1},
    "two threads": {"metrics": SCORED, "n_threads": 2},
    "parameters": {
        "metrics": ["ndcg(k=2)", "samples_precision_at_k(k=3)", "macro_recall_at_precision", "fmax"]
    },
    "calibration": {
        "metrics": ["classwise_calibration_error", "micro_calibration_slope", "multilabel_brier"]
    },
    "best thresholds": {"metrics": ["macro_max_f_beta", "micro_f_beta_threshold", "d_prime"]},
    "a metric of pairs of classes": {"metrics": ["roc_auc_ovo_macro"]},
}
COLUMNS: dict[str, dict[str, Any]] = {
    "detected": {"metrics": SCORED},
    "a pattern": {"metrics": SCORED, "y_prob": "proba_*"},
    "names": {"metrics": SCORED, "y_prob": ["proba_ant", "proba_bee", "proba_cow", "proba_doe"]},
    "threshold": {"metrics": BY_LABELS, "threshold": 0.25},
    "weights": {"metrics": SCORED, "weights": "mass"},
    "frequency weights": {"metrics": SCORED, "weights": karat.Frequency("copies")},
    "clusters": {"metrics": SCORED, "clusters": "team"},
    "by": {"metrics": SCORED[:3], "by": "sex"},
    "by and clusters": {"metrics": SCORED[:3], "by": "country", "clusters": "team"},
    "labels in another order": {"metrics": SCORED, "labels": ["doe", "cow", "bee", "ant"]},
    "one column": {"metrics": SCORED, "y_prob": "proba_ant"},
    "as scores": {"metrics": SCORED[:3], "y_score": "proba_*"},
}
MOSTLY = ("detected", "a pattern", "threshold", "weights", "by")


def calls() -> Iterator[Call]:
    yield from _forms()
    yield from _options()
    yield from _tables()
    yield from _results()
    yield from _functions()
    yield from _refusals()


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "evaluate", source, run)


def _forms() -> Iterator[Call]:
    held = photos()
    rows, cells = sets(held["true"]), held["true"]
    for name, form in MATRICES.items():
        yield _call(
            f"probabilities, {name}",
            "array",
            lambda f=form: karat.evaluate(rows, y_prob=f(held["prob"]), metrics=SCORED[:3]),
        )
    for name in ("float64", "float32", "polars frame", "torch float32"):
        yield _call(
            f"logits, {name}",
            "array",
            lambda f=MATRICES[name]: karat.evaluate(
                rows, y_logit=f(held["score"]), metrics=[*SCORED[:2], "binary_cross_entropy"]
            ),
        )
    for name, form in LISTED.items():
        yield _call(
            f"listed scores, {name}",
            "list",
            lambda f=form: karat.evaluate(
                rows, y_score=f(held["score"]), labels=NAMES, metrics=[*RANKED[:2], "one_error"]
            ),
        )
        yield _call(
            f"listed probabilities, {name}",
            "list",
            lambda f=form: karat.evaluate(rows, y_prob=f(held["prob"]), labels=NAMES),
        )
    yield _call(
        "tensors on both sides",
        "torch",
        lambda: karat.evaluate(
            torch.tensor(cells), y_prob=torch.tensor(held["prob"]), labels=NAMES, metrics=SCORED
        ),
    )
    yield _call(
        "a frame on both sides",
        "pandas",
        lambda: karat.evaluate(
            y_true=pd.DataFrame(cells, columns=list(NAMES)),
            y_prob=pd.DataFrame(_named(held["prob"])),
            metrics=SCORED,
        ),
    )
    yield _call(
        "sparse truth",
        "array",
        lambda: karat.evaluate(scipy.sparse.csc_matrix(cells), y_prob=held["prob"], metrics=SCORED),
    )
    unknown = cells.astype(float)
    unknown[::7, 1] = NAN
    unknown[5] = NAN
    yield _call(
        "unknown cells",
        "array",
        lambda: karat.evaluate(unknown, y_prob=held["prob"], labels=NAMES, metrics=SCORED),
    )
    yield _call(
        "a label of which nothing is known",
        "array",
        lambda: karat.evaluate(
            np.where([1, 0, 0, 0], NAN, cells), y_prob=held["prob"], metrics=SCORED
        ),
    )


def _options() -> Iterator[Call]:
    held = photos()
    rows, cells = lists(held["true"]), held["true"]
    for name, options in OPTIONS.items():
        yield _call(
            f"probabilities of lists, {name}",
            "list",
            lambda o=options: karat.evaluate(rows, y_prob=held["prob"], **grouped(o)),
        )
    for name in ("no level", "level 0.8", "exclude", "threshold of each label", "calibration"):
        yield _call(
            f"logits of lists, {name}",
            "list",
            lambda o=OPTIONS[name]: karat.evaluate(rows, y_logit=held["score"], **grouped(o)),
        )
    yield _call(
        "all metrics of probabilities",
        "array",
        lambda: karat.evaluate(cells, y_prob=held["prob"], labels=NAMES),
    )
    yield _call(
        "all metrics of logits",
        "array",
        lambda: karat.evaluate(cells, y_logit=held["score"], metrics="all", level=None),
    )
    yield _call(
        "predictions beside probabilities",
        "array",
        lambda: karat.evaluate(cells, held["pred"], y_prob=held["prob"], metrics=SCORED),
    )
    yield _call(
        "weights",
        "array",
        lambda: karat.evaluate(cells, y_prob=held["prob"], weights=held["mass"], metrics=SCORED),
    )
    yield _call(
        "frequency weights",
        "array",
        lambda: karat.evaluate(
            cells, y_prob=held["prob"], weights=karat.Frequency(held["copies"]), metrics=SCORED
        ),
    )
    yield _call(
        "clusters",
        "array",
        lambda: karat.evaluate(cells, y_prob=held["prob"], clusters=held["team"], metrics=SCORED),
    )
    yield _call(
        "clusters and bootstrap",
        "array",
        lambda: karat.evaluate(
            cells,
            y_prob=held["prob"],
            clusters=held["team"],
            metrics=["ndcg", "macro_max_f_beta"],
            interval=karat.Interval(method="bootstrap", n_replicates=100),
        ),
    )
    for name, (true, prob) in {
        "certain and right": ([[1, 0], [0, 1]] * 6, [[1.0, 0.0], [0.0, 1.0]] * 6),
        "certain and wrong": ([[1, 0], [0, 1]] * 6, [[0.0, 0.0], [0.5, 1.0]] * 6),
        "all the same": ([[1, 0], [0, 1], [0, 0]] * 6, [[0.5, 0.5]] * 18),
        "no labels": ([[0, 0]] * 6, [[0.5, 0.25]] * 6),
        "one row": ([[1, 0]], [[0.75, 0.25]]),
    }.items():
        yield _call(
            f"odd rows, {name}",
            "array",
            lambda t=true, p=prob: karat.evaluate(
                np.array(t), y_prob=np.array(p), metrics=[*SCORED, "binary_cross_entropy"]
            ),
        )


def _tables() -> Iterator[Call]:
    for kind in ("dict", "pandas", "polars", "arrow"):
        for name, options in COLUMNS.items():
            if kind == "pandas" or name in MOSTLY[:2]:
                yield _call(
                    f"{kind}, {name}",
                    kind,
                    lambda k=kind, o=options: karat.evaluate(
                        frame(k, scored_table()), **grouped(o)
                    ),
                )
    for kind in ("parquet", "csv", "jsonl"):
        for name, options in COLUMNS.items():
            if kind == "parquet" or name in MOSTLY:
                yield _call(f"{kind}, {name}", kind, lambda k=kind, o=options: _of_file(k, o))
    yield _call(
        "scores of a file",
        "parquet",
        lambda: karat.evaluate(
            written("parquet", scored_table("score"), "logits"), y_logit="logit_*", metrics=SCORED
        ),
    )
    listed = {"true": lists(photos()["true"]), "prob": photos()["prob"].tolist()}
    for kind in ("arrow", "polars"):
        yield _call(
            f"{kind}, a column of lists of probabilities",
            kind,
            lambda k=kind: karat.evaluate(
                frame(k, listed), y_prob="prob", labels=NAMES, metrics=SCORED
            ),
        )
    yield _call(
        "parquet, a column of lists of probabilities",
        "parquet",
        lambda: karat.evaluate(
            written("parquet", listed, "listed"), y_prob="prob", labels=NAMES, metrics=SCORED
        ),
    )
    yield _call(
        "a column of lists without labels",
        "arrow",
        lambda: karat.evaluate(frame("arrow", listed), y_prob="prob", metrics=SCORED),
    )
    both = {**wide_table(), **{name: values.tolist() for name, values in _probs().items()}}
    yield _call(
        "cells, predictions and probabilities",
        "dict",
        lambda: karat.evaluate(both, metrics=SCORED, **grouped(PATTERNS)),
    )
    yield _call(
        "truth in cells and probabilities",
        "dict",
        lambda: karat.evaluate(
            {name: both[name] for name in both if not name.startswith("pred_")},
            y_true="true_*",
            metrics=SCORED,
        ),
    )
    yield _call("more scores than memory", "parquet", _beyond)


def _of_file(kind: str, options: dict[str, Any]) -> Any:
    if kind == "csv":
        table = {**scored_table(), "true": text_table()["true"]}
        return karat.evaluate(
            written(kind, table, "scored"), **grouped(options), labels=karat.Labels(separator="|")
        )
    return karat.evaluate(written(kind, scored_table(), "scored"), **grouped(options))


def _probs() -> dict[str, Any]:
    return {f"proba_{name}": photos()["prob"][:, j] for j, name in enumerate(NAMES)}


def _beyond() -> Any:
    """More rows than `max_memory` holds: they are counted, and metrics of scores are left out."""
    n = 12_000
    true = [[name for j, name in enumerate(NAMES) if i * (j + 3) % 7 < 2] for i in range(n)]
    columns = {
        f"proba_{name}": [i * (j + 3) % 9 / 8 for i in range(n)] for j, name in enumerate(NAMES)
    }
    path = written("parquet", {"true": true, **columns}, "beyond")
    report = karat.evaluate(
        path, reading=karat.Reading(max_memory=1 << 20), metrics=["micro_f1", "macro_f1"]
    )
    return {"report": report, "cautions": report.cautions, "warnings": report.warnings}


def _report() -> Any:
    held = photos()
    return karat.evaluate(
        lists(held["true"]),
        y_prob=held["prob"],
        metrics=[*SCORED, "binary_cross_entropy"],
        by={"sex": held["sex"]},
        ids=held["key"],
    )


def _results() -> Iterator[Call]:
    def result(name: str, run: Callable[[Any], Any]) -> Call:
        return Call(name, "MultilabelReport", "report", lambda: run(_report()))

    yield result("text", str)
    yield result("markdown", lambda report: report.to_markdown())
    yield result("latex", lambda report: report.to_latex())
    yield result("csv", lambda report: report.to_csv())
    yield result("html", lambda report: report.to_html())
    yield result("frame", lambda report: report.to_frame())
    yield result("json", lambda report: report.to_json())
    yield result(
        "read from json", lambda report: karat.MultilabelReport.from_json(report.to_json())
    )
    yield result(
        "html read from json",
        lambda report: karat.MultilabelReport.from_json(report.to_json()).to_html(),
    )
    yield result("labels", lambda report: report.per_class)
    yield result("of labels", lambda report: report.of_labels(["ant", "doe"]))
    yield result("wrong rows", lambda report: report.wrong_rows(limit=4))
    yield result("wrong rows of a label", lambda report: report.wrong_rows(missed="bee", limit=4))
    yield result("kinds", lambda report: [report.scores, report.threshold, report.cautions])
    yield result(
        "slices",
        lambda report: [
            dict(report.slices["sex"].difference("ndcg")),
            dict(report.slices["sex"].difference("roc_auc_ovr_macro")),
            report.slices["sex"]["f"]["mean_average_precision"],
            report.slices["sex"].heterogeneity("label_ranking_average_precision"),
        ],
    )
    for curve in ("roc", "precision_recall", "det", "gain", "lift", "reliability", "net_benefit"):
        yield result(
            f"{curve} of two labels",
            lambda report, name=curve: {
                label: getattr(report.curves, name)[label] for label in ("ant", "doe")
            },
        )
    yield result("the curve of no such label", lambda report: report.curves.roc["elk"])
    held = photos()
    yield Call(
        "roc of sets",
        "curves",
        "array",
        lambda: karat.curves.roc(held["true"], y_prob=held["prob"], average=None),
    )


RANKS = (
    "coverage_error",
    "label_ranking_average_precision",
    "label_ranking_loss",
    "one_error",
    "ndcg",
    "samples_r_precision",
    "mean_reciprocal_rank",
    "lwlrap",
    "samples_roc_auc",
    "samples_average_precision",
    "mean_d_prime",
    "d_prime",
    "fmax",
    "mean_average_precision",
    "micro_average_precision",
    "roc_auc_ovr_macro",
    "roc_auc_ovr_micro",
    "roc_auc_ovr_weighted",
)
LOSSES = (
    "binary_cross_entropy",
    "binary_cross_entropy_of_a_row",
    "multilabel_brier",
    "multilabel_brier_of_a_row",
    "log_loss",
    "brier",
    "classwise_calibration_error",
    "micro_class_calibration_error",
    "micro_calibration_slope",
)
OF_LABELS = (
    "roc_auc",
    "average_precision",
    "pr_auc_trapezoid",
    "gini",
    "ks_statistic",
    "equal_error_rate",
    "max_f_beta",
    "f_beta_threshold",
    "max_informedness",
    "class_calibration_error",
    "lift_at",
)
AT_K = ("samples_precision_at_k", "samples_recall_at_k", "ndcg")
PROPENSITY = (
    "propensity_scored_precision_at_k",
    "propensity_scored_ndcg_at_k",
    "propensity_scored_recall_at_k",
)


def _functions() -> Iterator[Call]:
    held = photos()
    cells, prob, score, mass = held["true"], held["prob"], held["score"], held["mass"]
    rows = sets(cells)

    def call(name: str, run: Callable[[], Any]) -> Call:
        return Call(name, "function", "array", run)

    for name in RANKS:
        metric = getattr(karat, name)
        yield call(f"{name}, probabilities", lambda m=metric: m(cells, y_prob=prob))
        yield call(
            f"{name}, scores, weights, undefined",
            lambda m=metric: m(rows, y_score=score, weights=mass, undefined="exclude"),
        )
    for name in LOSSES:
        metric = getattr(karat, name)
        yield call(f"{name}, probabilities", lambda m=metric: m(cells, y_prob=prob))
        yield call(f"{name}, logits", lambda m=metric: m(cells, y_logit=score, weights=mass))
    for name in OF_LABELS:
        metric = getattr(karat, name)
        yield call(f"{name} of every label", lambda m=metric: m(cells, y_prob=prob, average=None))
        for average in ("micro", "macro", "weighted", "samples"):
            yield call(
                f"{name}, {average}", lambda m=metric, a=average: m(cells, y_prob=prob, average=a)
            )
    for name in AT_K:
        metric = getattr(karat, name)
        yield call(f"{name}, k = 2", lambda m=metric: m(rows, y_prob=prob, k=2))
        yield call(
            f"{name}, ties by order", lambda m=metric: m(rows, y_prob=prob, k=3, ties="order")
        )
    for name in ("precision_at_k", "recall_at_k"):
        metric = getattr(karat, name)
        yield call(f"{name} of labels", lambda m=metric: m(rows, y_prob=prob, k=9, average=None))
    for name in PROPENSITY:
        metric = getattr(karat, name)
        yield call(
            f"{name}, counts of training",
            lambda m=metric: m(cells, y_score=score, k=2, label_counts=[50, 20, 5, 1], n_train=100),
        )
        yield call(
            f"{name}, propensities",
            lambda m=metric: m(cells, y_score=score, k=2, propensities=[0.9, 0.75, 0.5, 0.25]),
        )
        yield call(
            f"{name}, a and b",
            lambda m=metric: m(
                cells, y_score=score, label_counts=[50, 20, 5, 1], n_train=100, a=0.5, b=0.4
            ),
        )
        yield call(f"{name}, nothing of training", lambda m=metric: m(cells, y_score=score))
    listed = LISTED["the two best as pairs"](score)
    yield call(
        "listed scores, samples_precision_at_k",
        lambda: karat.samples_precision_at_k(rows, y_score=listed, labels=NAMES, k=2),
    )
    yield call(
        "listed scores between limits",
        lambda: karat.label_ranking_loss(rows, y_score=listed, labels=NAMES),
    )
    yield call(
        "listed probabilities, a loss",
        lambda: karat.binary_cross_entropy(
            rows, y_prob=LISTED["the two best as pairs"](prob), labels=NAMES
        ),
    )
    yield call("clipped", lambda: karat.binary_cross_entropy(cells, y_prob=prob, eps=0.25))
    yield call("ndcg of classes", lambda: karat.ndcg([0, 1], y_score=[0.5, 0.5]))
    yield call("brier has no averages", lambda: karat.brier(cells, y_prob=prob, average="macro"))
    yield call(
        "part of an area of rows",
        lambda: karat.roc_auc(cells, y_prob=prob, average="samples", max_fpr=0.5),
    )


def _refusals() -> Iterator[Call]:
    held = photos()
    cells, prob = held["true"], held["prob"]
    for name, values in {
        "a column less": prob[:, :3],
        "missing probabilities": np.where(prob > 0.9, NAN, prob),
        "probabilities above 1": 2 * prob,
        "fewer rows": prob[:50],
        "one column": prob[:, 0],
        "other labels": pd.DataFrame(prob, columns=list("wxyz")),
        "text": prob.astype(str),
    }.items():
        yield _call(f"refused, {name}", "array", lambda v=values: karat.evaluate(cells, y_prob=v))
    for name, values in {
        "a label twice": [[("a", 1.0), ("a", 2.0)], []],
        "a label that is not there": [{"a": 1.0, "b": 2.0}, {"c": 3.0}],
        "an infinite score": [{"a": float("inf")}, {"b": 2.0}],
        "a number": [{"a": 1.0}, 2],
    }.items():
        yield _call(
            f"refused, listed, {name}",
            "list",
            lambda v=values: karat.evaluate([{"a"}, {"b"}], y_score=v),
        )
    yield _call(
        "refused, both kinds",
        "array",
        lambda: karat.evaluate(cells, y_prob=prob, y_score=held["score"]),
    )
    yield _call(
        "refused, a threshold beside predictions",
        "array",
        lambda: karat.evaluate(cells, held["pred"], y_prob=prob, threshold=0.25),
    )
    of_cells = {"y_prob": prob, "threshold": 1.5}
    yield _call(
        "refused, a threshold above 1", "array", lambda: karat.evaluate(cells, **grouped(of_cells))
    )
    yield _call(
        "refused, truth in cells that is not named",
        "dict",
        lambda: karat.evaluate(
            {"true_a": [0, 1], "true_b": [1, 0], "proba_a": [0.1, 0.8], "proba_b": [0.7, 0.2]}
        ),
    )
    for name, pair in {
        "scores that may be probabilities": (None, prob),
        "ranks in reverse": (None, 1 - prob),
        "predictions that do not follow": (held["pred"][::-1], prob),
    }.items():
        yield Call(f"doubt, {name}", "evaluate", "array", lambda p=pair: _doubted(cells, *p))


def _doubted(*rows: Any) -> list[str]:
    options = {"level": None, "metrics": ["ndcg"]}
    return [*map(str, karat.evaluate(*rows[:2], y_score=rows[2], **grouped(options)).doubts)]

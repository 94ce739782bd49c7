"""`karat.evaluate` on tables in memory: pandas, Polars, Arrow, DuckDB, a dict of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits, with_nulls
from tests.corpus.wanted import FAST, LABELS, SCORES, TWO_LABELS, TWO_SCORES
from tests.grouping import grouped


def _lists(columns: dict[str, Any]) -> dict[str, Any]:
    return {n: v if isinstance(v, list) else v.tolist() for n, v in columns.items()}


def _relation(columns: dict[str, Any]) -> Any:
    table = pa.table(_lists(columns))
    return duckdb.connect().from_arrow(table)


def _categories(columns: dict[str, Any]) -> Any:
    frame = pd.DataFrame(columns)
    text = [name for name in frame if isinstance(frame[name].iloc[0], str)]
    return frame.astype(dict.fromkeys(text, "category"))


KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict of arrays": lambda c: c,
    "dict of lists": _lists,
    "pandas": pd.DataFrame,
    "pandas with an index": lambda c: pd.DataFrame(c).set_axis(range(900, 900 + len(c["label"]))),
    "pandas nullable": lambda c: pd.DataFrame(c).convert_dtypes(),
    "pandas pyarrow": lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": _categories,
    "polars": lambda c: pl.DataFrame(_lists(c)),
    "polars categories": lambda c: pl.DataFrame(_lists(c)).cast({pl.String: pl.Categorical}),
    "polars in parts": lambda c: pl.concat(
        [pl.DataFrame(_lists(c))[:77], pl.DataFrame(_lists(c))[77:]], rechunk=False
    ),
    "arrow": lambda c: pa.table(_lists(c)),
    "arrow in parts": lambda c: pa.concat_tables(
        [pa.table(_lists(c)).slice(0, 100), pa.table(_lists(c)).slice(100)]
    ),
    "arrow batch": lambda c: pa.table(_lists(c)).combine_chunks().to_batches()[0],
    "duckdb": _relation,
}
# What is asked of a table, by what it tries. Columns are named as in `rows`.
TWO: dict[str, dict[str, Any]] = {
    "found": {"y_true": "label", "y_prob": "", "metrics": TWO_LABELS},
    "probability": {"y_prob": "p_yes", "metrics": TWO_SCORES},
    "logit": {"y_logit": "z", "metrics": TWO_SCORES},
    "logit and prediction": {"y_logit": "z", "y_pred": "pred", "metrics": TWO_SCORES},
    "threshold": {"y_prob": "p_yes", "y_pred": "", "threshold": 0.35, "metrics": TWO_SCORES},
    "weights": {"y_prob": "p_yes", "weights": "mass", "metrics": TWO_SCORES},
    "clusters": {"y_prob": "p_yes", "clusters": "team", "metrics": TWO_SCORES},
    "by": {"y_prob": "p_yes", "by": "country", "metrics": TWO_SCORES[:8]},
    "by a cross": {
        "y_pred": "pred",
        "by": ["country", ("country", "sex"), "age"],
        "metrics": ["accuracy", "f1"],
    },
    "everything": {
        "y_prob": "p_yes",
        "weights": "mass",
        "clusters": "team",
        "by": "sex",
        "level": 0.9,
        "metrics": TWO_SCORES[:8],
    },
    "positive": {
        "y_pred": "pred",
        "positive": 0,
        "labels": karat.Labels(names={0: "no", 1: "yes"}),
        "metrics": TWO_LABELS,
    },
    "only a report": {"y_pred": "pred"},
}
THREE: dict[str, dict[str, Any]] = {
    "labels": {"y_pred": "pred", "y_prob": "", "metrics": LABELS},
    "pattern": {"y_prob": "proba_*", "y_pred": "", "metrics": SCORES},
    "found": {"metrics": SCORES},
    "listed": {
        "y_logit": ["z_cat", "z_dog", "z_eel"],
        "labels": ["cat", "dog", "eel"],
        "metrics": SCORES,
    },
    "weights": {"y_prob": "proba_*", "weights": "mass", "metrics": SCORES},
    "clusters": {"y_pred": "pred", "y_prob": "", "clusters": "team", "metrics": LABELS},
    "clusters and scores": {"y_prob": "proba_*", "clusters": "team", "metrics": SCORES},
    "weighted clusters": {
        "y_pred": "pred",
        "y_prob": "",
        "clusters": "team",
        "weights": "mass",
        "metrics": LABELS,
    },
    "by": {"y_pred": "pred", "y_prob": "", "by": "country", "metrics": LABELS},
    "by and scores": {"y_prob": "proba_*", "by": ["sex", "age"], "metrics": SCORES[:7]},
    "bootstrap": {"y_pred": "pred", "y_prob": "", "method": "bootstrap", "metrics": LABELS[:5]},
    "case-control": {"y_prob": "proba_*", "design": karat.CaseControl(), "metrics": SCORES},
    "no level": {"y_prob": "proba_*", "level": None, "metrics": SCORES},
    "exclude": {
        "y_pred": "pred",
        "y_prob": "",
        "labels": ["cat", "dog", "eel", "fox"],
        "undefined": "exclude",
        "metrics": LABELS,
    },
}

# Kinds of which everything is asked, and what is asked of the others.
WHOLLY = ("dict of lists", "pandas", "polars", "arrow", "duckdb")
PARTLY = ("threshold", "everything", "by", "pattern", "weighted clusters")


def calls() -> Iterator[Call]:
    for kind, made in KINDS.items():
        for asked, options in TWO.items():
            if kind in WHOLLY or asked in PARTLY:
                yield _call(f"two classes in {kind}, {asked}", kind, made, binary, options)
        for asked, options in THREE.items():
            if kind in WHOLLY or asked in PARTLY:
                yield _call(f"animals in {kind}, {asked}", kind, made, animals, options)
        if kind not in ("dict of arrays", "pandas pyarrow"):
            for nulls in ("drop", "error"):
                options = {
                    "y_pred": "pred",
                    "y_prob": "",
                    "reading": karat.Reading(nulls=nulls),
                    "metrics": LABELS[:5],
                }
                yield _call(
                    f"nulls in {kind}, {nulls}", kind, made, lambda: with_nulls(animals()), options
                )
            options = {
                "y_prob": "proba_*",
                "y_pred": "",
                "reading": karat.Reading(nulls="drop"),
                "metrics": SCORES,
            }
            yield _call(
                f"nulls beside probabilities in {kind}",
                kind,
                made,
                lambda: with_nulls(animals()),
                options,
            )
    lists = {"y_prob": "prob", "y_pred": "", "metrics": SCORES}
    for kind in ("dict of lists", "polars", "arrow", "duckdb"):
        yield _call(f"lists of probabilities in {kind}", kind, KINDS[kind], digits, lists)


def _call(
    name: str,
    kind: str,
    made: Callable[[Any], Any],
    rows: Callable[[], Any],
    options: dict[str, Any],
) -> Call:
    return Call(
        name,
        "evaluate",
        kind.partition(" ")[0],
        lambda: karat.evaluate(made(rows()), **grouped({**FAST, **options})),
    )

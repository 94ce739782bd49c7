"""`karat.find_weak_slices`, and the slices of reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, pick
from tests.corpus.tables import _relation
from tests.grouping import grouped

QUICK = {"n_permutations": 99, "min_n": 20}


def table() -> dict[str, Any]:
    """Rows of which those of one country and sex are predicted badly."""
    columns = pick(binary(), "label", "country", "sex", "age", "mass")
    rng = np.random.default_rng(8)
    weak = (columns["country"] == "SE") & (columns["sex"] == "m")
    wrong = rng.random(len(weak)) < np.where(weak, 0.7, 0.1)
    return {**columns, "pred": np.where(wrong, 1 - columns["label"], columns["label"])}


def _lists() -> dict[str, Any]:
    return {name: values.tolist() for name, values in table().items()}


KINDS = {
    "dict": table,
    "pandas": lambda: pd.DataFrame(table()),
    "polars": lambda: pl.DataFrame(_lists()),
    "arrow": lambda: pa.table(_lists()),
    "duckdb": lambda: _relation(table()),
}
ASKED: dict[str, dict[str, Any]] = {
    "plain": {},
    "by": {"by": ["country", "sex"]},
    "no crosses": {"crosses": False},
    "weights": {"weights": "mass"},
    "level": {"level": 0.5},
    "seed": {"seed": 5},
    "loss": {"loss": "age", "by": ["country", "sex"]},
    "unknown column": {"by": ["town"]},
}


def calls() -> Iterator[Call]:
    for kind, made in KINDS.items():
        for name, options in ASKED.items():
            given = {
                **({} if "loss" in options else {"y_true": "label", "y_pred": "pred"}),
                **QUICK,
                **options,
            }
            yield _call(
                f"{kind}, {name}",
                kind,
                lambda m=made, g=given: karat.find_weak_slices(m(), **grouped(g, ("min_n",))),
            )
    held = table()
    by = pick(held, "country", "age")
    yield _call(
        "arrays",
        "array",
        lambda: karat.find_weak_slices(
            held["label"], held["pred"], by=by, **grouped(QUICK, ("min_n",))
        ),
    )
    yield _call(
        "losses",
        "array",
        lambda: karat.find_weak_slices(by=by, loss=held["mass"], **grouped(QUICK, ("min_n",))),
    )
    yield _call(
        "a frame of columns",
        "array",
        lambda: karat.find_weak_slices(
            held["label"], held["pred"], by=pd.DataFrame(by), **grouped(QUICK, ("min_n",))
        ),
    )
    yield _call(
        "text",
        "array",
        lambda: str(
            karat.find_weak_slices(held["label"], held["pred"], by=by, **grouped(QUICK, ("min_n",)))
        ),
    )
    yield _call(
        "nothing weak",
        "array",
        lambda: karat.find_weak_slices(
            held["label"], held["label"], by=by, **grouped(QUICK, ("min_n",))
        ),
    )
    yield _call("a file", "path", lambda: karat.find_weak_slices("rows.csv"))
    yield _call(
        "no columns", "array", lambda: karat.find_weak_slices(held["label"], held["pred"], by={})
    )
    yield _call(
        "a negative loss", "array", lambda: karat.find_weak_slices(by=by, loss=-held["mass"])
    )
    yield _call(
        "labels and losses",
        "array",
        lambda: karat.find_weak_slices(held["label"], held["pred"], by=by, loss=held["mass"]),
    )
    for name in ("country", "sex", "town"):
        yield Call(
            f"slices of a report by {name}", "slices", "report", lambda name=name: _of_report(name)
        )
    yield Call("text of slices", "slices", "report", lambda: str(_report()))


def _call(name: str, source: str, run: Any) -> Call:
    def kept() -> Any:
        found = run()
        if isinstance(found, str):
            return found
        names = (
            "slices",
            "level",
            "n_explained",
            "n_permutations",
            "n_tested",
            "p",
            "seed",
            "left_out",
        )
        return {"found": bool(found), **{own: getattr(found, own) for own in names}}

    return Call(name, "find_weak_slices", source, kept)


def _report() -> Any:
    columns = animals()
    return karat.evaluate(
        columns["label"],
        columns["pred"],
        by=pick(columns, "country", "sex"),
        metrics=["accuracy", "macro_f1"],
    )


def _of_report(name: str) -> Any:
    found = _report().slices[name]
    return {"keys": list(found), "text": str(found)}

"""Doubts about rows with sets of labels, and rows that are refused; the group `sets` has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.set_rows import (
    NAMES,
    beside,
    list_table,
    lists,
    photos,
    text_file,
    text_table,
    wide_table,
    written,
)

NAN = float("nan")


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "evaluate", source, run)


def doubts() -> Iterator[Call]:
    classes = np.eye(3, dtype=int)[np.arange(30) % 3]
    others = np.eye(3, dtype=int)[(np.arange(30) * 2) % 3]
    held = photos()
    pairs: dict[str, tuple[Any, Any]] = {
        "one class a row": (classes, others),
        "labels spelled alike": ([["Cat"], ["dog", "cat"], []] * 4, [["cat"], ["dog"], []] * 4),
        "labels on one side": ([["a", "b"], ["b"], []] * 30, [["c"], ["b", "c"], []] * 30),
        "text that looks split": (["a|b", "b|a", "a", "b"], ["a|b", "a", "a", "b"]),
        "lists as text": (["['a']", "['a', 'b']", "[]"], ["['a']", "['a']", "[]"]),
        "below chance": (held["true"], 1 - held["pred"]),
        "null truth": ([["a"], None, ["b", "a"]] * 4, [["a"], ["b"], ["a"]] * 4),
        "frames in another order": (
            pd.DataFrame(held["true"], columns=list(NAMES)),
            pd.DataFrame(held["pred"], columns=list(NAMES)).iloc[::-1],
        ),
    }
    for name, pair in pairs.items():
        yield Call(f"doubt, {name}", "evaluate", "array", lambda p=pair: _doubted(*p))
        yield Call(f"check, {name}", "check", "array", lambda p=pair: _checked(*p))
    yield Call(
        "check of a file",
        "check",
        "csv",
        lambda: _shown(
            karat.check(written("csv", text_table(), "texts"), labels=karat.Labels(separator="|"))
        ),
    )
    yield Call(
        "check of columns of cells",
        "check",
        "dict",
        lambda: _shown(karat.check(wide_table(), weights="mass", by="sex")),
    )
    yield Call(
        "check of sets that are refused", "check", "list", lambda: _checked([["a", "a"]], [["a"]])
    )
    yield Call(
        "groups that are not used",
        "evaluate",
        "arrow",
        lambda: _doubted(pa.table({**list_table(), "user_id": beside()["team"]})),
    )


def _doubted(true: Any, pred: Any = None) -> Any:
    report = karat.evaluate(true, pred, level=None)
    return [str(doubt) for doubt in report.doubts], report.warnings


def _checked(true: Any, pred: Any) -> Any:
    return _shown(karat.check(true, pred))


def _shown(checked: Any) -> dict[str, Any]:
    return {
        "passes": bool(checked),
        "has sets": checked.has_sets,
        "problem": None if checked.problem is None else checked.problem.code,
        "doubts": [str(doubt) for doubt in checked.doubts],
        "text": str(checked),
    }


FINE = {"true": ["a"], "pred": ["a"]}
CELLS = "true_a,true_b,pred_a,pred_b\n1,0,1,0\n1,2,1,0\n"


def refusals() -> Iterator[Call]:
    for name, pair in {
        "a label twice": ([["a", "a"], []], [["a"], []]),
        "an indicator beside lists": (np.eye(2, dtype=int), [["a"], ["b", "a"]]),
        "lists of 0 and 1": ([[0, 1], [1, 0]], [[0, 1], [0, 1]]),
        "a cell of 2": (np.array([[0, 2], [1, 0]]), np.array([[0, 1], [1, 0]])),
        "unlike columns": (np.eye(3, dtype=int), np.eye(3, dtype=int)[:, :2]),
        "unlike rows": ([["a"], ["b", "c"]], [["a"]]),
        "an unknown prediction": ([["a"], ["b", "a"]], [["a"], None]),
        "an unknown cell": (np.eye(2), np.array([[0, NAN], [1, 0]])),
        "text and numbers": ([["a"], ["b", 1]], [["a"], []]),
        "other kinds": ([["a"], ["b", "a"]], [[1], [1, 2]]),
        "nothing known": ([set(), set()], [set(), set()]),
        "a text beside lists": ([["a"], ["b", "a"]], ["a", "b"]),
        "no rows": (np.zeros((0, 3), int), np.zeros((0, 3), int)),
        "three axes": (np.zeros((2, 2, 2), int), np.zeros((2, 2, 2), int)),
        "several classes a column": (
            np.array([["red", "big"], ["blue", "big"]]),
            np.array([["red", "big"], ["red", "big"]]),
        ),
    }.items():
        yield _call(f"refused, {name}", "array", lambda p=pair: karat.evaluate(*p))
    yield _call(
        "refused, a label that is not listed",
        "list",
        lambda: karat.evaluate([["a"], ["b", "c"]], [["a"], ["b"]], labels=["a", "b"]),
    )
    yield _call(
        "refused, weights below 0",
        "list",
        lambda: karat.evaluate([["a"], ["b", "c"]], [["a"], ["b"]], weights=[1.0, -1.0]),
    )
    yield _call(
        "refused, weights of 0",
        "list",
        lambda: karat.evaluate([["a"], ["b", "c"]], [["a"], ["b"]], weights=[0.0, 0.0]),
    )
    yield _call(
        "refused, one cluster",
        "list",
        lambda: karat.evaluate([["a"], ["b", "c"]], [["a"], ["b"]], clusters=["x", "x"]),
    )
    yield _call(
        "refused, a confusion matrix",
        "list",
        lambda: karat.evaluate([["a"], ["b", "c"]], [["a"], ["b"]], confusion=[[1, 0], [0, 1]]),
    )
    for name, rows in {
        "a null prediction": [FINE, {"true": ["b"], "pred": None}],
        "a null label": [FINE, {"true": ["b", None], "pred": []}],
        "an object": [FINE, {"true": [{"q": 1}], "pred": []}],
        "half a label": [{"true": [1], "pred": [1]}, {"true": [1.5], "pred": []}],
        "no list": [FINE, {"true": "b", "pred": []}],
    }.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        yield _call(
            f"refused in a file, {name}",
            "jsonl",
            lambda t=text: karat.evaluate(text_file("refused.jsonl", t)),
        )
    for name, text in {
        "an empty label": "true,pred\na,a\nb||c,b\n",
        "no labels": "true,pred\n,\n,\n",
        "numbers written twice": "true,pred\n1|2,1.0\n",
        "a fraction": "true,pred\n1|2,1\n1.5,2\n",
    }.items():
        yield _call(
            f"refused in a file, {name}",
            "csv",
            lambda t=text: karat.evaluate(
                text_file("refused.csv", t), labels=karat.Labels(separator="|")
            ),
        )
    for name, text in {
        "one side alone": "true_a,true_b,pred_a\n1,0,1\n",
        "a cell of 2": CELLS,
        "no match": "label_a,pred_a\n1,0\n",
        "a null cell": "true_a,pred_a\n1,0\n1,\n",
    }.items():
        yield _call(
            f"refused in columns, {name}",
            "csv",
            lambda t=text: karat.evaluate(
                text_file("refused.csv", t), y_true="true_*", y_pred="pred_*"
            ),
        )
    yield _call(
        "lists with a separator",
        "dict",
        lambda: karat.evaluate(list_table(), labels=karat.Labels(separator="|")),
    )
    yield _call(
        "refused, a pattern on one side",
        "dict",
        lambda: karat.evaluate(wide_table(), y_true="true_*"),
    )
    yield _call(
        "refused, weak slices of sets",
        "dict",
        lambda: karat.find_weak_slices(
            lists(photos()["true"]), lists(photos()["pred"]), by={"sex": photos()["sex"]}
        ),
    )

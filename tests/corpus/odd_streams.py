"""Streams, matrices, sets and tensors of the device on ways that everyday rows do not take."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import karat
from tests.corpus.calls import Call
from tests.corpus.odd_source_rows import PRED, TRUE
from tests.corpus.rows import digits
from tests.devices.rows import on_the_device
from tests.grouping import grouped
from tests.optional import optional

torch = optional("torch")

FEW = ("accuracy", "macro_f1")
LEAST = 1 << 20


def calls() -> Iterator[Call]:
    yield from _matrices()
    yield from _sets()
    yield from _named_columns()
    yield from _streams()
    yield from _tensors()
    yield from _long_tensors()


def _matrices() -> Iterator[Call]:
    cells = [[5, 1, 0], [2, 7, 1], [0, 3, 4]]
    names = ["a", "b", "c"]
    matrices: dict[str, Callable[[], Any]] = {
        "pandas without names": lambda: pd.DataFrame(cells),
        "pandas with equal names": lambda: pd.DataFrame(cells, names, names),
        "pandas with names of rows": lambda: pd.DataFrame(cells, names),
        "pandas with names of columns": lambda: pd.DataFrame(cells, columns=names),
        "pandas with unlike names": lambda: pd.DataFrame(cells, names, names[::-1]),
        "pandas with numbers of rows in another order": lambda: pd.DataFrame(cells, [2, 0, 1]),
        "pandas with other numbers": lambda: pd.DataFrame(cells, [1, 2, 3], [1, 2, 3]),
        "pandas with numbers as text": lambda: pd.DataFrame(cells, list("012"), list("012")),
        "pandas of floats": lambda: pd.DataFrame(cells, names, names, dtype=float),
        "Polars": lambda: pl.DataFrame(cells, names, orient="row"),
        "Arrow": lambda: pa.table([list(row) for row in zip(*cells, strict=True)], names),
        "lists of floats": lambda: [[float(x) for x in row] for row in cells],
        "an array of objects": lambda: np.array(cells, object),
        "SciPy sparse": lambda: sp.csr_array(np.array(cells)),
        "crosstab": lambda: pd.crosstab(pd.Series(TRUE), pd.Series(PRED)),
        "a dict of dicts": lambda: {"a": {"a": 5, "b": 1}, "b": {"a": 2, "b": 7}},
        "a tensor": lambda: torch.tensor(cells),
    }
    for name, make in matrices.items():
        yield _call(
            f"matrix: {name}",
            "confusion",
            lambda m=make: karat.evaluate(confusion=m(), metrics=FEW, level=None),
        )
        yield _call(
            f"matrix with labels: {name}",
            "confusion",
            lambda m=make: karat.evaluate(
                confusion=m(), labels=["c", "b", "a"], metrics=FEW, level=None
            ),
        )


def _sets() -> Iterator[Call]:
    cells = np.array([[t, p, 1 - t] for t, p in zip(TRUE, PRED, strict=True)])
    other = np.array([[p, p, 1 - t] for t, p in zip(TRUE, PRED, strict=True)])
    names = ["sea", "sky", "cat"]
    repeated = sp.csr_matrix(([1, 0, 1, 1], [0, 1, 2, 0], [0, 2, 3, 4]), shape=(3, 3))
    twice = sp.csr_matrix(([1, 1, 1], [0, 0, 2], [0, 2, 2, 3]), shape=(3, 3))
    sides: dict[str, Callable[[], Any]] = {
        "pandas frames": lambda: (pd.DataFrame(cells, columns=names), pd.DataFrame(other)),
        "Polars frames": lambda: (pl.DataFrame(cells, names), pl.DataFrame(other, names)),
        "Arrow tables": lambda: tuple(pa.table([*side.T], names) for side in (cells, other)),
        "frames with equal names": lambda: (
            pd.DataFrame(cells, columns=["a", "b", "a"]),
            pd.DataFrame(other, columns=["a", "b", "a"]),
        ),
        "sparse with stored zeros": lambda: (repeated, repeated),
        "sparse with repeated cells": lambda: (twice, repeated),
        "sparse of booleans": lambda: (sp.csc_array(cells > 0), sp.coo_array(other > 0)),
        "sparse without rows": lambda: (sp.csr_matrix((0, 3)), sp.csr_matrix((0, 3))),
        "sparse of twos": lambda: (sp.csr_array(cells * 2), sp.csr_array(other)),
        "tensors": lambda: (torch.tensor(cells), torch.tensor(other)),
        "tensors of booleans": lambda: (torch.tensor(cells > 0), torch.tensor(other > 0)),
        "sparse tensors": lambda: (torch.tensor(cells).to_sparse(), torch.tensor(other)),
        "tensors without data": lambda: (torch.empty((24, 3), device="meta"), torch.tensor(other)),
        "lists with a repeated label": lambda: ([["a", "a"], ["b"]], [["a"], ["b"]]),
        "lists of numbers and texts": lambda: ([["a", 1], ["b"]], [["a"], ["b"]]),
        "lists with None": lambda: ([["a", None], ["b"]], [["a"], ["b"]]),
        "None for a set": lambda: ([["a"], None], [["a"], ["b"]]),
        "frozen sets": lambda: ([frozenset("ab"), frozenset()], [{"a"}, {"b"}]),
        "lists of lists": lambda: ([[["a"]], [["b"]]], [[["a"]], [["b"]]]),
        "Arrow lists": lambda: (pa.array([["a", "b"], []]), pa.array([["a"], ["b"]])),
        "arrays of objects": lambda: tuple(
            pd.Series([["a", "b"], ["b"], []]).to_numpy() for _ in range(2)
        ),
    }
    for name, make in sides.items():
        yield _call(
            f"sets: {name}",
            "sets",
            lambda m=make: karat.evaluate(*m(), metrics=["micro_f1"], level=None),
        )
    texts = {
        "two bars": (["a||b", "b", "a|||b"], "||"),
        "two bars that overlap": (["a||||b", "b||", "|||a"], "||"),
        "blanks": (["a  b", "b", " a "], " "),
        "a comma and a blank": (["a, b", "b", "a,b"], ", "),
        "an escaped bar": (["a\\|b", "b|c", "c"], "|"),
        "an empty label": (["a||b", "b", "a"], "|"),
        "a repeated label": (["a|a", "b", "a"], "|"),
        "a text of nothing": (["", "b", "a"], "|"),
    }
    for name, (true, separator) in texts.items():
        for kind, make in (("lists", list), ("Arrow", pa.array), ("pandas", pd.Series)):
            yield _call(
                f"separator: {name}, {kind}",
                "sets",
                lambda t=true, s=separator, m=make: karat.evaluate(
                    m(t),
                    m(t[::-1]),
                    labels=karat.Labels(separator=s),
                    metrics=["micro_f1"],
                    level=None,
                ),
            )
    yield _call(
        "separator: numbers",
        "sets",
        lambda: karat.evaluate(
            [1, 2], [1, 2], labels=karat.Labels(separator="|"), metrics=["micro_f1"]
        ),
    )
    wide = {f"t_{name}": cells[:, i] for i, name in enumerate(names)}
    wide |= {f"p_{name}": other[:, i] for i, name in enumerate(names)}
    yield _call(
        "stars: labels in another order",
        "dict",
        lambda: karat.evaluate(wide, y_true="t_*", y_pred="p_*", labels=names[::-1], level=None),
    )
    yield _call(
        "stars: other labels",
        "dict",
        lambda: karat.evaluate(wide, y_true="t_*", y_pred="p_*", labels=["sea", "fox"], level=None),
    )
    yield _call("stars: two", "dict", lambda: karat.evaluate(wide, y_true="t_*_*", y_pred="p_*"))
    yield _call(
        "stars: one side", "dict", lambda: karat.evaluate(wide, y_true="t_*", y_pred="p_sea")
    )
    lists = {"label": [["a"], ["b"], None, ["a", "b"]], "pred": [["a"], [], ["b"], ["b"]]}
    yield _call(
        "sets: a negative weight beside a missing set",
        "dict",
        lambda: karat.evaluate(
            {**lists, "w": [1.0, 2.0, 1.0, -1.0]},
            weights="w",
            reading=karat.Reading(nulls="drop"),
            metrics=["micro_f1"],
        ),
    )
    yield _call(
        "sets: one label beside lists",
        "dict",
        lambda: karat.evaluate({**lists, "pred": ["a", "b", "a", "b"]}, metrics=["micro_f1"]),
    )


def _named_columns() -> Iterator[Call]:
    """Columns of scores whose names say which class they are of, or seem to."""
    many = digits(60, 3, 41)
    label, prob = many["label"], many["prob"]
    texts = np.array(["cat", "dog", "eel"])[label]
    names: dict[str, tuple[str, ...]] = {
        "from 0": ("0", "1", "2"),
        "from 1": ("1", "2", "3"),
        "from 1 in another order": ("2", "1", "3"),
        "from 0 in another order": ("2", "0", "1"),
        "with zeros in front": ("p_00", "p_01", "p_02"),
        "of texts": ("p_cat", "p_dog", "p_eel"),
        "of texts in another order": ("p_eel", "p_cat", "p_dog"),
        "of texts in capitals": ("p_CAT", "p_DOG", "p_EEL"),
        "of other texts": ("p_fox", "p_dog", "p_eel"),
        "of no class": ("x", "y", "z"),
        "equal": ("p", "p", "p"),
        "whole numbers with a point": ("p_0.0", "p_1.0", "p_2.0"),
    }
    for name, columns in names.items():
        for kind, true in (("numbers", label), ("texts", texts)):
            frame = lambda c=columns: pd.DataFrame(prob, columns=list(c))  # noqa: E731
            yield _call(
                f"columns {name} beside {kind}",
                "pandas",
                lambda f=frame, t=true: karat.evaluate(t, y_prob=f(), metrics=FEW, level=None),
            )
            yield _call(
                f"columns {name} in a table beside {kind}",
                "pandas",
                lambda f=frame, t=true, c=columns: karat.evaluate(
                    f().assign(label=t), y_prob=list(c), metrics=FEW, level=None
                ),
            )
            yield Call(
                f"columns {name} in a stream beside {kind}",
                "Stream",
                "pandas",
                lambda f=frame, t=true: _added({"metrics": FEW}, (t, f())).report(),
            )
    yield _call(
        "a prediction without a column",
        "pandas",
        lambda: karat.evaluate(
            texts, np.where(label == 2, "fox", texts), y_prob=prob, metrics=FEW, level=None
        ),
    )
    yield _call(
        "a prediction that is not declared",
        "arrays",
        lambda: karat.evaluate(
            texts,
            np.where(label == 2, "fox", texts),
            y_prob=prob,
            labels=["cat", "dog", "eel"],
            metrics=FEW,
        ),
    )
    yield _call(
        "a prediction without a named column",
        "pandas",
        lambda: karat.evaluate(
            pd.DataFrame(prob, columns=names["of texts"]).assign(
                label=texts, pred=np.where(label == 2, "fox", texts)
            ),
            metrics=FEW,
        ),
    )
    yield _call(
        "a clipped loss",
        "arrays",
        lambda: karat.evaluate(
            label, y_prob=prob, weights=many["mass"], metrics=["log_loss(eps=0.3)", "log_loss"]
        ),
    )
    yield _call(
        "two threads",
        "arrays",
        lambda: karat.evaluate(
            label,
            y_prob=prob,
            reading=karat.Reading(n_threads=2),
            metrics=["roc_auc_ovr_macro", "roc_auc_ovr_micro", "roc_auc_ovo_macro", "auc_mu"],
        ),
    )
    two = (label > 0).astype(int)
    for name in ("p_yes", "p_no", "yes", "p_1", "p_0", "score"):
        column = lambda n=name: pd.DataFrame({n: prob[:, 1]})  # noqa: E731
        yield _call(
            f"a single column {name}",
            "pandas",
            lambda c=column: karat.evaluate(
                np.array(["no", "yes"])[two], y_prob=c(), metrics=FEW, level=None
            ),
        )
        yield Call(
            f"a single column {name} in a stream",
            "Stream",
            "pandas",
            lambda c=column: _added(
                {"metrics": FEW, "level": None}, (np.array(["no", "yes"])[two], c())
            ).report(),
        )

    yes, no = pd.DataFrame({"p_yes": [0.75, 0.5]}), pd.DataFrame({"p_no": [0.75, 0.5]})
    yield Call(
        "a single column before its other class",
        "Stream",
        "pandas",
        lambda: _added(
            {"metrics": FEW, "level": None}, (["no", "no"], yes), (["yes", "no"], yes)
        ).report(),
    )
    yield Call(
        "a single column of the other class",
        "Stream",
        "pandas",
        lambda: _added(
            {"metrics": FEW, "level": None}, (["no", "no"], yes), (["yes", "no"], no)
        ).report(),
    )
    yield _call(
        "an odd matrix of labels",
        "confusion",
        lambda: karat.evaluate(
            confusion=pd.DataFrame([[1, 2], [3, 4]], [0.5, 1.5], ["a", "a"]),
            labels=["a", "b"],
            metrics=FEW,
        ),
    )
    yield _call(
        "sets beside a struct",
        "arrow",
        lambda: karat.evaluate(
            pa.table({"label": [["a"], ["b"]], "pred": pa.array([{"a": 1}, {"a": 2}])})
        ),
    )


def _added(settings: dict[str, Any], *batches: tuple[Any, Any]) -> Any:
    """A stream of probabilities."""
    stream = karat.Stream(**grouped(settings))
    for true, prob in batches:
        stream.update(true, y_prob=prob)
    return stream


def _streams() -> Iterator[Call]:
    labels: dict[str, tuple[Any, ...]] = {
        "texts after numbers": ([0, 1], ["0", "1"]),
        "numbers after texts": (["0", "1"], [0, 1]),
        "booleans after numbers": ([0, 1], [True, False]),
        "floats after numbers": ([0, 1], [1.0, 2.0]),
        "a new class": ([0, 1], [0, 7]),
        "decimals in Arrow": (pa.array([0, 1], pa.decimal128(5)), [0, 1]),
        "categories in another order": (
            pd.Categorical(["a", "b"], categories=["b", "a"], ordered=True),
            pd.Categorical(["a", "b"], categories=["a", "b"], ordered=True),
        ),
    }
    for name, (first, second) in labels.items():
        yield Call(f"stream: {name}", "Stream", "batches", lambda a=first, b=second: _counted(a, b))
        yield Call(
            f"stream of probabilities: {name}",
            "Stream",
            "batches",
            lambda a=first, b=second: _added(
                {"metrics": FEW, "level": None}, (a, [0.25, 0.75]), (b, [0.5, 0.75])
            ).report(),
        )
    yield Call("stream: all_reduce", "Stream", "group of one", _reduced)
    yield Call(
        "stream: all_reduce without a group",
        "Stream",
        "group of one",
        lambda: _counted_stream([0, 1], [1, 1]).all_reduce(),
    )


def _counted_stream(*batches: Any) -> Any:
    stream = karat.Stream(metrics=FEW, level=None)
    for batch in batches:
        stream.update(batch, batch)
    return stream


def _counted(*batches: Any) -> Any:
    return _counted_stream(*batches).report()


def _reduced() -> Any:
    """The sum over a group of one process."""
    hook, store = sys.excepthook, torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        labels = _counted_stream([0, 1], [1, 1]).all_reduce()
        scores = _added({"metrics": FEW, "level": None}, ([0, 1], [0.25, 0.75])).all_reduce()
        return [labels.report(), scores.report()]
    finally:
        torch.distributed.destroy_process_group()
        sys.excepthook = hook  # PyTorch replaces it for good


def _tensors() -> Iterator[Call]:
    """Labels of the device that are rare."""
    true, pred = torch.tensor(TRUE), torch.tensor(PRED)
    spread = torch.tensor([7, -2, 900])
    half = torch.tensor([0.5])
    runs: dict[str, Callable[[], Any]] = {
        "labels in no order": lambda: karat.evaluate(
            spread[true], spread[pred], labels=[900, 7, -2], metrics=FEW, level=None
        ),
        "labels beyond those declared": lambda: karat.evaluate(
            spread[true], spread[pred], labels=[900, 7], metrics=FEW
        ),
        "whole floats": lambda: karat.evaluate(
            true.double(), pred.half(), labels=[0, 1], metrics=FEW, level=None
        ),
        "floats that are not whole": lambda: karat.evaluate(
            torch.cat([half, true[1:]]), pred, labels=[0, 1], metrics=FEW
        ),
        "floats that are NaN": lambda: karat.evaluate(
            torch.cat([half * float("nan"), true[1:]]), pred, labels=[0, 1], metrics=FEW
        ),
        "floats that are infinite": lambda: karat.evaluate(
            torch.cat([half * float("inf"), true[1:]]), pred, labels=[0, 1], metrics=FEW
        ),
        "floats beyond those declared": lambda: karat.evaluate(
            torch.cat([half * 6, true[1:]]), pred, labels=[0, 1], metrics=FEW
        ),
        "booleans": lambda: karat.evaluate(true > 0, pred > 0, metrics=FEW, level=None),
        "booleans beyond those declared": lambda: karat.evaluate(
            true > 0, pred > 0, labels=[1, 2], metrics=FEW
        ),
        "complex numbers": lambda: karat.evaluate(true + 0j, pred, metrics=FEW),
        "a column": lambda: karat.evaluate(true[:, None], pred, metrics=FEW, level=None),
        "a million rows, one of them wrong": lambda: karat.evaluate(
            torch.ones(1 << 20, dtype=torch.uint8),
            torch.cat([torch.ones((1 << 20) - 3), torch.tensor([2, 1, 3])]).to(torch.uint8),
            labels=[0, 1],
            metrics=FEW,
        ),
    }
    for name, run in runs.items():
        yield _call_there(f"device: {name}", run)
    places = torch.arange(400)
    declared = {"labels": range(3000), "metrics": FEW}
    yield _call_there(
        "device: 3000 classes",
        lambda: _values(karat.evaluate(places * 7, places * 7 % 900, **grouped(declared))),
    )
    yield _call_there(
        "device: 3000 classes, weights",
        lambda: _values(
            karat.evaluate(
                places * 7, places * 7 % 900, weights=places % 4 / 2, **grouped(declared)
            )
        ),
    )


def _values(report: Any) -> Any:
    return {name: [report[name].value, report[name].low, report[name].high] for name in FEW}


# Rows of a batch, classes, and the type of the numbers.
_OF_SCORES = ("accuracy", "log_loss", "roc_auc_ovr_macro")
LONG: dict[str, tuple[int, int, str]] = {
    "probabilities": (20_000, 3, "float64"),
    "half probabilities": (30_000, 3, "float16"),
    "scores": (20_000, 3, "float64"),
    "brain scores": (30_000, 3, "bfloat16"),
    "single probabilities": (36_000, 2, "float64"),
    "single scores": (50_000, 2, "float32"),
}


@cache
def _long(name: str, part: int, *, is_weighted: bool, has_pred: bool) -> dict[str, Any]:
    n, k, dtype = LONG[name]
    rng = np.random.default_rng(700 + part)
    true = rng.integers(0, k, n)
    parts = rng.integers(1, 10**6, (n, k)) + 500_000 * np.eye(k, dtype=int)[true]
    if "probabilities" in name:
        values = torch.tensor(parts / parts.sum(axis=1, keepdims=True))
    else:
        values = torch.tensor((parts - 700_000) / 65536)
    values = values[:, 1] if k == 2 else values
    role = "y_prob" if "probabilities" in name else "y_score"
    rows = {"y_true": torch.tensor(true), role: values.to(getattr(torch, dtype))}
    if is_weighted:
        rows["weights"] = torch.tensor(rng.integers(0, 4, n).astype(float))
    if has_pred:
        rows["y_pred"] = torch.tensor(np.where(rng.random(n) < 0.5, true, 0))
    return rows


def _long_tensors() -> Iterator[Call]:
    """Scores of the device that take more than the memory."""
    settings: dict[str, dict[str, Any]] = {
        "nothing else": {},
        "weights": {},
        "frequency weights": {"weights_are": "frequency"},
        "predictions": {},
    }
    for name in LONG:
        k = LONG[name][1]
        for variant, options in settings.items():
            if variant == "nothing else" or name == "scores":
                setting = {
                    "labels": range(k),
                    "reading": karat.Reading(max_memory=LEAST),
                    "metrics": _OF_SCORES,
                    **options,
                }
                if k == 2:
                    setting["metrics"] = ("accuracy", "log_loss", "roc_auc")
                rows = lambda part, n=name, a=variant: _long(  # noqa: E731
                    n, part, is_weighted="weights" in a, has_pred=a == "predictions"
                )
                yield _call_there(
                    f"device beyond memory: {name}, {variant}",
                    lambda r=rows, g=setting: _report(_streamed(g, r, 3)),
                    "Stream",
                )
    few = {"labels": range(3), "reading": karat.Reading(max_memory=LEAST), "metrics": _OF_SCORES}
    rows = lambda part: _long("scores", part, is_weighted=False, has_pred=False)  # noqa: E731
    yield _call_there(
        "device beyond memory: bytes", lambda: _streamed(few, rows, 3).to_bytes(), "Stream"
    )
    yield _call_there(
        "device beyond memory: merged",
        lambda: _report(_streamed(few, rows, 3).merge(_streamed(few, rows, 2))),
        "Stream",
    )
    yield _call_there(
        "device beyond memory: a threshold",
        lambda: _report(
            _streamed(
                {
                    "labels": range(2),
                    "threshold": 0.25,
                    "reading": karat.Reading(max_memory=LEAST),
                    "metrics": ["f1"],
                },
                lambda part: _long("single probabilities", part, is_weighted=False, has_pred=False),
                3,
            )
        ),
        "Stream",
    )


def _report(stream: Any) -> Any:
    report = stream.report()
    return {"report": report, "doubts": list(report.doubts)}


def _streamed(settings: dict[str, Any], rows: Callable[[int], Any], n_parts: int) -> Any:
    stream = karat.Stream(**grouped(settings))
    counted = {"weights_are": settings["weights_are"]} if "weights_are" in settings else {}
    for part in range(n_parts):
        stream.update(**grouped({**rows(part), **counted}))
    return stream


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "evaluate", source, run)


def _call_there(name: str, run: Callable[[], Any], verb: str = "evaluate") -> Call:
    def there() -> Any:
        with on_the_device():
            return run()

    return Call(name, verb, "device", there)

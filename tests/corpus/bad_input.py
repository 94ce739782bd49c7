"""Bad input of every kind, given as arguments: every code that public calls can raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import binary
from tests.grouping import grouped

NAN = float("nan")
TWO_MODELS = {"old": [0, 1], "new": [1, 0]}
ROWS = {"label": [0, 1], "pred": [0, 1], "id": ["a", "b"]}


def _ordered(categories: list[str], codes: list[int]) -> Any:
    return pd.Series(pd.Categorical.from_codes(codes, categories, ordered=True))


# Positional and keyword arguments of evaluate.
EVALUATE: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "no rows": (([], []), {}),
    "no rows of arrays": ((np.array([], int), np.array([], int)), {}),
    "no rows of probabilities": (([],), {"y_prob": np.zeros((0, 2))}),
    "nothing": ((), {}),
    "truth alone": (([0, 1],), {}),
    "unlike lengths": (([0, 1, 1], [0, 1]), {}),
    "unlike lengths of weights": (([0, 1, 1], [0, 1, 1]), {"weights": [1.0, 2.0]}),
    "unlike lengths of clusters": (([0, 1, 1], [0, 1, 1]), {"clusters": [1, 2]}),
    "unlike lengths of slices": (([0, 1, 1], [0, 1, 1]), {"by": [1, 2]}),
    "unlike lengths of scores": (([0, 1, 1],), {"y_prob": [0.5, 0.25]}),
    "a matrix of labels": ((np.zeros((4, 3), int), np.zeros(4, int)), {}),
    "missing labels": (([0, 1, None, 1, None], [0, 1, 1, 1, 0]), {}),
    "missing predictions": (([0, 1, 1], [0, NAN, 1]), {}),
    "missing text": ((["a", None], ["a", "b"]), {}),
    "missing in pandas": ((pd.Series([0, None, 1]), pd.Series([0, 1, 1])), {}),
    "missing in Polars": ((pl.Series([0, None, 1]), pl.Series([0, 1, 1])), {}),
    "missing in Arrow": ((pa.array([0, None, 1]), pa.array([0, 1, 1])), {}),
    "numbers that are not whole": (([0, 1, 1], [0.25, 1.0, 0.75]), {}),
    "complex labels": ((np.array([1j, 2j]), [1, 2]), {}),
    "dates": ((np.array(["2020-01-01"], "M8[D]"), [1]), {}),
    "infinite labels": (([0.0, np.inf], [0, 1]), {}),
    "objects": (([object(), object()], [0, 1]), {}),
    "a dict of labels": (({"a": 1}, [0]), {}),
    "a number": ((3, 4), {}),
    "text and numbers": (([0, 1, 1], [0, "1", 1]), {}),
    "numbers against text": (([0, 1], ["0", "1"]), {}),
    "beyond labels": ((["a", "b", "b"], ["a", "a", "c"]), {"labels": ["a", "b"]}),
    "labels that repeat": (([0, 1], [1, 0]), {"labels": [0, 1, True]}),
    "labels that mix": (([0, 1], [1, 0]), {"labels": [0, "1"]}),
    "labels that are no list": (([0, 1], [1, 0]), {"labels": 2}),
    "labels of nothing": (([0, 1], [1, 0]), {"labels": []}),
    "one label": (([0, 0], [0, 0]), {"labels": [0]}),
    "no such positive": ((["no", "yes"], ["no", "no"]), {"positive": "maybe"}),
    "positive of three": (([0, 1, 2], [0, 1, 2]), {"positive": 2}),
    "negative weights": (([0, 1, 1], [0, 1, 0]), {"weights": [1.0, -0.5, -2.0]}),
    "missing weights": (([0, 1, 1], [0, 1, 0]), {"weights": [1.0, NAN, 2.0]}),
    "infinite weights": (([0, 1, 1], [0, 1, 0]), {"weights": [1.0, np.inf, 2.0]}),
    "weights of zero": (([0, 1, 1], [0, 1, 0]), {"weights": [0.0, 0.0, 0.0]}),
    "weights of text": (([0, 1, 1], [0, 1, 0]), {"weights": ["1", "2", "3"]}),
    "a matrix of weights": (([0, 1], [0, 1]), {"weights": [[1.0], [2.0]]}),
    "weights too large": (([0, 1, 1], [0, 1, 0]), {"weights": [1e200, 1e200, 1e200]}),
    "weights too small": (([0, 1, 1], [0, 1, 0]), {"weights": [1e-300, 1e-300, 1e-300]}),
    "frequencies that are not whole": (
        ([0, 1], [0, 1]),
        {"weights": [0.5, 1.0], "weights_are": "frequency"},
    ),
    "one class name": (([0, 1], [0, 1]), {"class_names": ["one"]}),
    "class names that repeat": (([0, 1], [0, 1]), {"class_names": ["one", "one"]}),
    "class names of others": (([0, 1], [0, 1]), {"class_names": {7: "seven"}}),
    "two orders": ((_ordered(["low", "high"], [0, 1]), _ordered(["high", "low"], [0, 1])), {}),
    "beyond ordered categories": (
        (_ordered(["low", "high"], [0, 1]), pd.Series(["medium", "low"]).astype("category")),
        {},
    ),
    "a negative cell": ((), {"confusion": [[5, -1], [2, 3]]}),
    "a matrix that is not square": ((), {"confusion": [[5, 1, 2], [2, 3, 4]]}),
    "a matrix of text": ((), {"confusion": [["a", "b"], ["c", "d"]]}),
    "an empty matrix": ((), {"confusion": [[0, 0], [0, 0]]}),
    "a matrix beside rows": (([0, 1], [0, 1]), {"confusion": [[5, 1], [2, 3]]}),
    "a matrix with weights": ((), {"confusion": [[5, 1], [2, 3]], "weights": [1.0]}),
    "a matrix with labels that do not fit": (
        (),
        {"confusion": [[5, 1], [2, 3]], "labels": [0, 1, 2]},
    ),
    "a matrix with slices": ((), {"confusion": [[5, 1], [2, 3]], "by": ["a"]}),
    "a matrix with clusters": ((), {"confusion": [[5, 1], [2, 3]], "clusters": ["a"]}),
    "text scores": (([0, 1],), {"y_prob": [[0.25, 0.75], [0.5, "0.5"]]}),
    "missing scores": (([0, 1, 1],), {"y_prob": [[0.25, 0.75], [0.5, None], [0.0, 1.0]]}),
    "infinite scores": (([0, 1],), {"y_score": [1.0, np.inf]}),
    "below zero": (([0, 1],), {"y_prob": [[0.25, 0.75], [-1.5, 2.5]]}),
    "above one": (([0, 1],), {"y_prob": [0.5, 1.5]}),
    "rows that do not add up": (([0, 1],), {"y_prob": [[0.25, 0.75], [0.5, 0.25]]}),
    "three columns for two classes": (
        (["a", "b"],),
        {"y_prob": [[0.2, 0.3, 0.5], [0.5, 0.25, 0.25]]},
    ),
    "one column for three classes": (([0, 1, 2],), {"y_prob": [0.2, 0.3, 0.5]}),
    "scores of three dimensions": (([0, 1],), {"y_score": np.zeros((2, 2, 2))}),
    "probabilities and scores": (([0, 1],), {"y_prob": [0.5, 0.5], "y_score": [0.5, 0.5]}),
    "a threshold of three": (([0, 1, 2],), {"y_prob": np.eye(3), "threshold": 0.5}),
    "a threshold of labels": (([0, 1], [0, 1]), {"threshold": 0.5}),
    "an infinite threshold": (([0, 1],), {"y_prob": [0.5, 0.5], "threshold": np.inf}),
    "a threshold of text": (([0, 1],), {"y_prob": [0.5, 0.5], "threshold": "half"}),
    "one cluster": (([0, 1, 1], [0, 1, 0]), {"clusters": ["ann", "ann", "ann"]}),
    "missing clusters": (([0, 1, 1], [0, 1, 0]), {"clusters": ["ann", None, "bob"]}),
    "a column of no table": (([0, 1], [0, 1]), {"by": "country"}),
    "weights of no table": (([0, 1], [0, 1]), {"weights": "mass"}),
    "columns of no table": (([0, 1], [0, 1]), {"y_true": "label"}),
    "many slices": (([0, 1] * 501, [0, 1] * 501), {"by": [f"id {i}" for i in range(1002)]}),
    "an unknown argument": (([0, 1], [0, 1]), {"sample_weight": [1, 2]}),
    "another unknown argument": (([0, 1], [0, 1]), {"average": "macro"}),
    "an unknown metric": (([0, 1], [0, 1]), {"metrics": "macro_f2"}),
    "a metric of scores": (([0, 1], [0, 1]), {"metrics": "roc_auc"}),
    "no metrics": (([0, 1], [0, 1]), {"metrics": []}),
    "metrics that are numbers": (([0, 1], [0, 1]), {"metrics": [3]}),
    "level 2": (([0, 1], [0, 1]), {"level": 2}),
    "level text": (([0, 1], [0, 1]), {"level": "high"}),
    "no such method": (([0, 1], [0, 1]), {"method": "guess"}),
    "no such side": (([0, 1], [0, 1]), {"side": "left"}),
    "no such design": (([0, 1], [0, 1]), {"design": "none"}),
    "no such undefined": (([0, 1], [0, 1]), {"undefined": "one"}),
    "no such nulls": (([0, 1], [0, 1]), {"nulls": "keep"}),
    "nulls of arrays": (([0, None], [0, 1]), {"nulls": "drop"}),
    "a seed of text": (([0, 1], [0, 1]), {"method": "bootstrap", "seed": "x"}),
    "few replicates": (([0, 1], [0, 1]), {"method": "bootstrap", "n_replicates": 3}),
    "no threads": (([0, 1], [0, 1]), {"n_threads": 0}),
    "max_memory of arrays": (([0, 1], [0, 1]), {"max_memory": 1 << 20}),
    "exact of arrays": (([0, 1], [0, 1]), {"exact": True}),
    "checkpoint of arrays": (([0, 1], [0, 1]), {"checkpoint": "read.karat"}),
    "checkpoint of a table": ((ROWS,), {"checkpoint": "read.karat"}),
    "exact of a table": ((ROWS,), {"exact": True}),
    "clusters with bayesian": (
        ([0, 1, 1], [0, 1, 0]),
        {"clusters": [1, 2, 2], "method": "bayesian"},
    ),
    "bootstrap of case-control": (
        ([0, 1, 1], [0, 1, 0]),
        {"design": "case-control", "method": "bootstrap"},
    ),
    "a table beside predictions": ((ROWS, [0, 1]), {}),
    "an odd table": ((object(),), {}),
    "a table without columns": (({},), {}),
    "a table without truth": (({"size": [1, 2], "pred": [0, 1]},), {}),
    "a table without predictions": (({"id": [1, 2], "label": [0, 1]},), {}),
    "two columns of truth": (({"label": [0, 1], "target": [0, 1], "pred": [0, 1]},), {}),
    "two columns of predictions": (({"label": [0, 1], "pred": [0, 1], "prediction": [0, 1]},), {}),
    "no such column": ((ROWS,), {"y_true": "lable"}),
    "no such weights": ((ROWS,), {"weights": "mass"}),
    "no such clusters": ((ROWS,), {"clusters": "mass"}),
    "no such slices": ((ROWS,), {"by": "mass"}),
    "no such pattern": ((ROWS,), {"y_prob": "p_*"}),
    "scores as predictions": (({"label": [0, 1], "prediction": [0.1, 0.9]},), {}),
    "columns of unlike length": (({"label": [0, 1], "pred": [0, 1, 1]},), {}),
    "columns in another order": (
        ({"label": ["a", "b"], "proba_b": [0.5, 0.25], "proba_a": [0.5, 0.75]},),
        {"y_prob": ["proba_b", "proba_a"], "labels": ["a", "b"]},
    ),
    "columns of other classes": (
        ({"label": ["a", "b"], "proba_a": [0.5, 0.25], "proba_c": [0.5, 0.75]},),
        {"y_prob": "proba_*"},
    ),
    "missing scores of a table": (({"label": [0, 1], "prob": [0.5, None]},), {}),
    "negative weights of a table": (({**ROWS, "sample_weight": [1, -1]},), {}),
}


def _crowded() -> None:
    """More rows than are kept, of one class of three."""
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    stream.update(np.zeros(50_000, int), y_prob=np.tile([1.0, 0.0, 0.0], (50_000, 1)))


def _of_many_classes() -> None:
    """More rows of 200 classes than are kept."""
    stream = karat.Stream(labels=range(200), reading=karat.Reading(max_memory=1 << 20))
    stream.update(np.arange(3_000) % 200, y_prob=np.eye(200)[np.arange(3_000) % 200])


def _gated(baseline: dict[str, Any]) -> Callable[[], Any]:
    return lambda: karat.gate(ROWS, baseline=baseline)


def _weighed() -> Any:
    new = {**ROWS, "sample_weight": [1.0, 2.0]}
    return karat.gate(new, baseline={**new, "sample_weight": [1.0, 3.0]})


# Other verbs: name → verb and call.
OTHERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "no average": ("function", lambda: karat.f1([0, 1, 2], [0, 1, 2])),
    "an average that is none": ("function", lambda: karat.f1([0, 1], [0, 1], average="samples")),
    "one class": ("function", lambda: karat.f1(["cat"], ["cat"])),
    "two text labels": ("function", lambda: karat.f1(["a", "b"], ["a", "b"])),
    "a function of nothing": ("function", karat.accuracy),
    "a function with an unknown argument": (
        "function",
        lambda: karat.f1([0, 1], [0, 1], zero_division=0),
    ),
    "labels for scores": ("function", lambda: karat.roc_auc([0, 1], [0, 1])),
    "scores for labels": ("function", lambda: karat.accuracy([0, 1], [0.5, 0.25])),
    "no such metric": ("function", lambda: karat.macro_f2),
    "a bad parameter": ("function", lambda: karat.f_beta([0, 1], [0, 1], beta=-1)),
    "an undefined value": ("function", lambda: karat.precision([0, 1], [0, 0])),
    "an undefined curve": (
        "curves",
        lambda: karat.curves.roc([1, 1], y_score=[0.5, 0.25], labels=[0, 1]).area,
    ),
    "no such curve": (
        "curves",
        lambda: karat.curves.roc(["ant", "bee"], y_score=[0, 1], positive="bee", average=None)[
            "cat"
        ],
    ),
    "an unbounded stream": ("Stream", _crowded),
    "a stream of many classes": ("Stream", _of_many_classes),
    "an ambiguous name": ("Report", lambda: karat.evaluate([0, 1, 2], [0, 1, 2])["f1"]),
    "no curves": ("Report", lambda: karat.evaluate([0, 1], [0, 1]).curves),
    "no such metric of a report": ("Report", lambda: karat.evaluate([0, 1], [0, 1])["macro_f2"]),
    "a metric of scores of a report": ("Report", lambda: karat.evaluate([0, 1], [0, 1])["roc_auc"]),
    "a metric that was not computed": (
        "Report",
        lambda: karat.evaluate([0, 1], y_prob=[0.5, 0.5])["roc_auc(max_fpr=0.5)"],
    ),
    "squares that are not known": (
        "Report",
        lambda: karat.evaluate(confusion=[[0.5, 1], [1, 2.5]]).covariance(["accuracy"]),
    ),
    "no such slice": (
        "Report",
        lambda: karat.evaluate([0, 1], [0, 1], by={"sex": ["f", "m"]}).slices["sex"]["x"],
    ),
    "no slices": ("Report", lambda: karat.evaluate([0, 1], [0, 1]).slices),
    "an attribute": ("Report", lambda: karat.evaluate([0, 1], [0, 1]).no_such_thing),
    "a file that cannot be written": (
        "Report",
        lambda: karat.evaluate([0, 1], [0, 1]).to_json("no folder/r.json"),
    ),
    "a figure of numbers": ("plot", lambda: karat.plot.roc([0, 1], y_prob=[0.25, 0.75], ax=[1, 2])),
    "a figure of labels": (
        "plot",
        lambda: karat.plot.roc({"old": karat.evaluate([0, 1], [0, 1]), "new": [0, 1]}),
    ),
    "one score a row": ("objectives", lambda: karat.objectives.multiclass([0.5, 1.5], [0, 1])),
    "infinite loss": (
        "objectives",
        lambda: karat.objectives.multiclass([[0.5, 1.5], [0.5, np.inf]], [0, 1]),
    ),
    "no such class": (
        "objectives",
        lambda: karat.objectives.multiclass([[0.5, 1.5], [1.5, 0.5]], [1, 2]),
    ),
    "a negative sigmoid": (
        "objectives",
        lambda: karat.objectives.LightGBMObjective("multiclass_one_vs_all", sigmoid=-1.0),
    ),
    "no such loss": ("objectives", lambda: karat.objectives.LightGBMObjective("no such")),
    "a trainer of two classes": (
        "objectives",
        lambda: karat.objectives.LightGBMObjective()(np.zeros(3), np.zeros(3)),
    ),
    "one model": ("compare", lambda: karat.compare([0, 1], {"old": [0, 1]})),
    "models without names": (
        "compare",
        lambda: karat.compare([0, 1], np.array([[0.5, 0.5], [0.25, 0.75]])),
    ),
    "models of other names": (
        "compare",
        lambda: karat.compare({"old": [0, 1], "other": [1, 0]}, TWO_MODELS),
    ),
    "no such baseline": ("compare", lambda: karat.compare([0, 1], TWO_MODELS, baseline="best")),
    "a negative margin": ("compare", lambda: karat.compare([0, 1], TWO_MODELS, margin=-0.01)),
    "a metric of scores of labels": (
        "compare",
        lambda: karat.compare([0, 1], TWO_MODELS, metrics="roc_auc"),
    ),
    "a count": ("compare", lambda: karat.compare([0, 1], TWO_MODELS, metrics="support")),
    "no such difference": (
        "compare",
        lambda: karat.compare([0, 1], TWO_MODELS)["accuracy", "old", "best"],
    ),
    "no such adjustment": (
        "compare",
        lambda: karat.compare([0, 1], TWO_MODELS, adjust="bonferroni"),
    ),
    "models of unlike length": (
        "compare",
        lambda: karat.compare([0, 1], {"old": [0, 1], "new": [0]}),
    ),
    "reports of other classes": (
        "compare",
        lambda: karat.compare(
            {"a": karat.evaluate([0, 1], [0, 1]), "b": karat.evaluate([0, 2], [0, 2])}
        ),
    ),
    "an interval that is too wide": (
        "rows_needed",
        lambda: karat.rows_needed("accuracy", pilot=[[9, 1], [2, 8]], half_width=0.75),
    ),
    "a pilot of text": (
        "rows_needed",
        lambda: karat.rows_needed("accuracy", pilot="many", half_width=0.1),
    ),
    "a power of 2": (
        "rows_needed",
        lambda: karat.rows_needed("accuracy", pilot=[[9, 1], [2, 8]], difference=0.1, power=2),
    ),
    "a metric without direction": ("scorer", lambda: karat.scorer("support")),
    "no metric": ("scorer", lambda: karat.scorer("no_such")),
    "labels that repeat in a scorer": ("scorer", lambda: karat.scorer("f1", labels=[0, 0])),
    "a positive beyond the labels": (
        "scorer",
        lambda: karat.scorer("f1", labels=[0, 1], positive=2),
    ),
    "ids that repeat": ("gate", _gated({**ROWS, "id": ["a", "a"]})),
    "other ids": ("gate", _gated({**ROWS, "id": ["a", "c"]})),
    "another truth": ("gate", _gated({**ROWS, "label": [0, 0]})),
    "other classes": ("gate", _gated({**ROWS, "label": [0, 2]})),
    "other rows": ("gate", _gated({"label": [0, 1, 1], "pred": [0, 1, 1]})),
    "other weights": ("gate", _weighed),
    "a bound of text": ("gate", lambda: karat.gate([0, 1], [0, 1], min={"accuracy": "high"})),
    "no rules": ("gate", lambda: karat.gate([0, 1], [0, 1])),
    "a rule of no metric": ("gate", lambda: karat.gate([0, 1], [0, 1], min={"no_such": 0.5})),
    "a drop without a baseline": (
        "gate",
        lambda: karat.gate([0, 1], [0, 1], max_drop={"accuracy": 0.1}),
    ),
    "a negative drop": (
        "gate",
        lambda: karat.gate(ROWS, baseline=ROWS, max_drop={"accuracy": -0.1}),
    ),
    "no such evidence": (
        "gate",
        lambda: karat.gate(
            [0, 1], [0, 1], min={"accuracy": 0.1}, rules=karat.Rules(evidence="high")
        ),
    ),
    "a baseline that cannot be written": (
        "gate",
        lambda: karat.gate([0, 1], [0, 1]).save_baseline("no folder/base.json"),
    ),
    "a column of a gate": ("gate", lambda: karat.gate(ROWS, min={"accuracy": 0.1}, by="town")),
    "tallies of other classes": ("tally", lambda: karat.tally.merge(_cells("ab"), _cells("ba"))),
    "tallies with other axes": ("tally", lambda: karat.tally.merge(_folds(1, 2), _folds(1, 3))),
    "weighted tallies": ("tally", lambda: karat.tally.merge(_cells("ab"), _cells("ab", 0.5))),
    "a cut tally": (
        "tally",
        lambda: karat.tally.from_bytes(karat.tally.to_bytes(_cells("ab"))[:-7]),
    ),
    "bytes of a tally": ("tally", lambda: karat.tally.to_bytes(_cells("ab"))),
    "a tally and back": (
        "tally",
        lambda: karat.tally.from_bytes(karat.tally.to_bytes(_cells("ab"))).matrix(),
    ),
    "marginals": (
        "tally",
        lambda: karat.metrics.get("mutual_information").values(
            karat.tally.to_marginals(_cells("ab"))
        ),
    ),
    "too many classes": (
        "tally",
        lambda: karat.tally.Cells.sparse(
            [0], [0], [1], classes=karat.tally.Classes.of(range(100_000))
        ).matrix(),
    ),
    "subtracting too much": (
        "tally",
        lambda: karat.tally.subtract(
            _cells("ab"),
            karat.tally.Cells.dense([[0, 0], [5, 0]], classes=karat.tally.Classes.of(["a", "b"])),
        ),
    ),
    "more rows than 64 bits": (
        "tally",
        lambda: karat.tally.merge(
            *[
                karat.tally.Cells.dense(
                    [[2**62, 0], [0, 0]], classes=karat.tally.Classes.of(["a", "b"])
                )
            ]
            * 2
        ),
    ),
}


def _cells(labels: str, more: float = 0) -> Any:
    classes = karat.tally.Classes.of(list(labels))
    return karat.tally.Cells.dense([[3 + more, 1], [2, 4]], classes=classes)


def _folds(*labels: int) -> Any:
    classes = karat.tally.Classes.of(["a", "b"])
    axes = (karat.tally.Axis("fold", labels),)
    return karat.tally.Cells.dense(np.ones((2, 2, 2), int), classes=classes, axes=axes)


def calls() -> Iterator[Call]:
    for name, (rows, options) in EVALUATE.items():
        yield Call(
            f"evaluate {name}",
            "evaluate",
            "bad input",
            lambda rows=rows, options=options: karat.evaluate(*rows, **grouped(options)),
        )
        if (
            "y_prob" not in options
            and len(rows) == 2
            and set(options) <= {"weights", "labels", "positive", "confusion"}
        ):
            yield Call(
                f"accuracy {name}",
                "function",
                "bad input",
                lambda rows=rows, options=options: karat.accuracy(*rows, **options),
            )
            yield Call(
                f"stream {name}",
                "Stream",
                "bad input",
                lambda rows=rows, options=options: _streamed(rows, options),
            )
            yield Call(
                f"gate {name}",
                "gate",
                "bad input",
                lambda rows=rows, options=options: karat.gate(
                    *rows, min={"accuracy": 0.1}, **grouped(options)
                ),
            )
            yield Call(
                f"compare {name}",
                "compare",
                "bad input",
                lambda rows=rows, options=options: karat.compare(
                    rows[0], {"a": rows[1], "b": rows[1]}, **grouped(options, ("adjust",))
                ),
            )
    for name, (verb, run) in OTHERS.items():
        yield Call(f"{verb} {name}", verb, "bad input", run)
    two = binary()
    for name in ("roc_auc", "log_loss", "average_precision"):
        for kind, prob in (
            ("short", two["p_yes"][:-1]),
            ("text", ["x"] * 240),
            ("missing", [NAN] * 240),
            ("three columns", np.ones((240, 3)) / 3),
        ):
            yield Call(
                f"{name} of {kind} scores",
                "function",
                "bad input",
                lambda name=name, prob=prob: getattr(karat, name)(two["label"], y_prob=prob),
            )


def _streamed(rows: Any, options: dict[str, Any]) -> Any:
    update = {name: options[name] for name in ("weights",) if name in options}
    stream = karat.Stream(
        **grouped({name: value for name, value in options.items() if name not in update})
    )
    stream.update(*rows, **update)
    return stream.report()["accuracy"]

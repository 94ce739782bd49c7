"""`karat.evaluate` on arrays of every kind and dtype."""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits, pick
from tests.corpus.wanted import FAST, LABELS, SCORES, TWO_LABELS, TWO_SCORES
from tests.grouping import grouped
from tests.optional import optional

torch = optional("torch")
ml_dtypes = optional("ml_dtypes")

Kinds = dict[str, Callable[[Any], Any]]
OF_NUMBERS: Kinds = {
    "list": lambda v: v.tolist(),
    "tuple": lambda v: tuple(v.tolist()),
    **{
        name: lambda v, name=name: v.astype(name)
        for name in (
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
            "longdouble",
            ">i4",
            ">f8",
            "object",
        )
    },
    "column [n, 1]": lambda v: v[:, None],
    "every other": lambda v: np.repeat(v, 2)[::2],
    "backwards": lambda v: v[::-1].copy()[::-1],
    "read only": lambda v: np.frombuffer(v.tobytes(), v.dtype),
    "array.array": lambda v: array.array("q", v.tolist()),
    "memoryview": lambda v: memoryview(v.copy()),
    "masked": np.ma.array,
    "pandas": lambda v: pd.Series(v, index=np.arange(len(v)) * 3),
    "pandas Int64": lambda v: pd.Series(v).astype("Int64"),
    "pandas category": lambda v: pd.Series(v).astype("category"),
    "pandas pyarrow": lambda v: pd.Series(v).astype("int64[pyarrow]"),
    "pandas Index": pd.Index,
    "polars": pl.Series,
    "polars Int8": lambda v: pl.Series(v).cast(pl.Int8),
    "arrow": pa.array,
    "arrow int16": lambda v: pa.array(v).cast(pa.int16()),
    "arrow chunked": lambda v: pa.chunked_array([v[:50], v[50:]]),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "torch": torch.tensor,
    "torch int32": lambda v: torch.tensor(v, dtype=torch.int32),
    "torch uint8": lambda v: torch.tensor(v, dtype=torch.uint8),
}
OF_TWO_NUMBERS: Kinds = {
    "bool": lambda v: v.astype(bool),
    "list of bool": lambda v: v.astype(bool).tolist(),
    "bool objects": lambda v: v.astype(bool).astype(object),
    "pandas boolean": lambda v: pd.Series(v).astype("boolean"),
    "polars Boolean": lambda v: pl.Series(v.astype(bool)),
    "arrow bool": lambda v: pa.array(v.astype(bool)),
    "torch bool": lambda v: torch.tensor(v.astype(bool)),
}
OF_TEXT: Kinds = {
    "list": lambda v: v.tolist(),
    "str": lambda v: v,
    "str object": lambda v: v.astype(object),
    "StringDType": lambda v: v.astype(np.dtypes.StringDType()),
    "bytes": lambda v: v.astype("S"),
    "pandas": lambda v: pd.Series(v.astype(object)),
    "pandas string": lambda v: pd.Series(v).astype("string"),
    "pandas category": lambda v: pd.Series(v).astype("category"),
    "pandas ordered": lambda v: pd.Series(
        pd.Categorical(v, categories=["eel", "cat", "dog"], ordered=True)
    ),
    "polars": lambda v: pl.Series(v.tolist()),
    "polars Categorical": lambda v: pl.Series(v.tolist()).cast(pl.Categorical),
    "polars Enum": lambda v: pl.Series(v.tolist()).cast(pl.Enum(["dog", "eel", "cat"])),
    "arrow": lambda v: pa.array(v.tolist()),
    "arrow large": lambda v: pa.array(v.tolist(), pa.large_string()),
    "arrow view": lambda v: pa.array(v.tolist(), pa.string_view()),
    "arrow dictionary": lambda v: pa.array(v.tolist()).dictionary_encode(),
}
OF_SCORES: Kinds = {
    "list": lambda v: v.tolist(),
    **{
        name: lambda v, name=name: v.astype(name)
        for name in ("float16", "float32", "float64", "longdouble", ">f4", "object")
    },
    "bfloat16": lambda v: v.astype(ml_dtypes.bfloat16),
    "Fortran": np.asfortranarray,
    "every other": lambda v: np.repeat(v, 2, axis=0)[::2],
    "wider": lambda v: np.hstack([v, v])[:, : v.shape[1]] if v.ndim == 2 else v,
    "pandas": lambda v: pd.DataFrame(v) if v.ndim == 2 else pd.Series(v),
    "polars": lambda v: pl.DataFrame(v) if v.ndim == 2 else pl.Series(v),
    "arrow": lambda v: pa.array(v.tolist()),
    "torch": torch.tensor,
    "torch float32": lambda v: torch.tensor(v, dtype=torch.float32),
    "torch bfloat16": lambda v: torch.tensor(v).to(torch.bfloat16),
}
# What is asked of labels, by what it tries.
ASKED: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": "mass"},
    "frequency weights": {"weights": "copies", "weights_are": "frequency"},
    "clusters": {"clusters": "team"},
    "weights and clusters": {"weights": "mass", "clusters": "team"},
    "by": {"by": "country"},
    "by two": {"by": ("country", "sex")},
    "by a number": {"by": "age"},
    "by with clusters": {"by": "sex", "clusters": "team"},
    "by with weights": {"by": "sex", "weights": "mass"},
    "no level": {"level": None},
    "level 0.8": {"level": 0.8},
    "low side": {"side": "low"},
    "high side": {"side": "high", "level": 0.9},
    "case-control": {"design": karat.CaseControl()},
    "wald": {"method": "wald"},
    "logit": {"method": "logit"},
    "bootstrap": {"method": "bootstrap", "n_replicates": 100},
    "bootstrap of clusters": {"method": "bootstrap", "n_replicates": 100, "clusters": "team"},
    "bca": {"method": "bca", "n_replicates": 100},
    "bayesian": {"method": "bayesian", "n_replicates": 100, "seed": 7},
    "exclude": {"undefined": "exclude"},
    "nan": {"undefined": "nan"},
    "one thread": {"reading": karat.Reading(n_threads=1)},
    "two threads": {"reading": karat.Reading(n_threads=2)},
}


def filled(asked: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with columns in place of their names."""
    found = dict(asked)
    for name in ("weights", "clusters"):
        if name in found:
            found[name] = columns[found[name]]
    if "by" in found:
        names = found["by"] if isinstance(found["by"], tuple) else (found["by"],)
        found["by"] = {name: columns[name] for name in names}
    return found


def calls() -> Iterator[Call]:
    yield from _labels()
    yield from _scores()
    yield from _asked()
    yield from _whole()


def _evaluate(name: str, source: str, *rows: Any, **options: Any) -> Call:
    given = {**FAST, **options}
    return Call(name, "evaluate", source, lambda: karat.evaluate(*rows, **grouped(given)))


def _labels() -> Iterator[Call]:
    two, many, text = binary(), digits(), animals()
    for kind, made in {**OF_NUMBERS, **OF_TWO_NUMBERS}.items():
        rows = _late(made, two["label"], two["pred"])
        yield _made(f"two classes as {kind}", kind, rows, metrics=TWO_LABELS)
    for kind, made in OF_NUMBERS.items():
        rows = _late(made, many["label"] - 2, many["pred"] - 2)
        if not kind.startswith("uint") and kind != "torch uint8":
            yield _made(f"negative labels as {kind}", kind, rows, metrics=LABELS)
        rows = _late(made, many["label"], many["pred"])
        yield _made(f"declared classes as {kind}", kind, rows, metrics=LABELS, labels=range(8))
    for kind, made in OF_TEXT.items():
        rows = _late(made, text["label"], text["pred"])
        yield _made(f"text as {kind}", kind, rows, metrics=LABELS)
        ordered = ["eel", "dog", "cat", "fox"]
        yield _made(f"text with labels= as {kind}", kind, rows, metrics=LABELS, labels=ordered)
    mixed = (
        ("int8 and float64", lambda v: v.astype("int8"), lambda v: v.astype(float)),
        ("list and pandas", lambda v: v.tolist(), pd.Series),
        ("bool and int64", lambda v: v.astype(bool), lambda v: v),
        ("polars and arrow", pl.Series, pa.array),
        ("torch and list", torch.tensor, lambda v: v.tolist()),
    )
    for kind, left, right in mixed:
        rows = _late(lambda v: v, left(two["label"]), right(two["pred"]))
        yield _made(f"mixed {kind}", kind, rows, metrics=TWO_LABELS)
    for kind, made in {**OF_NUMBERS, "float of thirds": lambda v: v / 3.0}.items():
        options = {"metrics": TWO_LABELS, "weights": (made, two["mass"].astype(np.int64))}
        yield _made(
            f"weights as {kind}", kind, _late(np.copy, two["label"], two["pred"]), **options
        )
    for kind, made in OF_TEXT.items():
        options = {"metrics": LABELS[:4], "clusters": (made, animals()["label"])}
        yield _made(
            f"clusters as {kind}", kind, _late(np.copy, text["pred"], text["label"]), **options
        )


def _late(made: Callable[[Any], Any], *rows: Any) -> Callable[[], list[Any]]:
    return lambda: [made(row) for row in rows]


def _made(name: str, kind: str, rows: Callable[[], list[Any]], **options: Any) -> Call:
    """A call whose rows are made when it is made; an option may be such a pair too."""

    def run() -> Any:
        given = {key: v[0](v[1]) if isinstance(v, tuple) else v for key, v in options.items()}
        return karat.evaluate(*rows(), **grouped({**FAST, **given}))

    return Call(name, "evaluate", kind.partition(" ")[0], run)


def _scores() -> Iterator[Call]:
    two, many = binary(), digits()
    both = np.column_stack([1 - two["p_yes"], two["p_yes"]])
    for kind, made in OF_SCORES.items():
        for name, rows, metrics in (
            ("y_prob of two", (two["label"], "y_prob", two["p_yes"]), TWO_SCORES),
            ("y_prob [n, 2]", (two["label"], "y_prob", both), TWO_SCORES),
            ("y_logit of two", (two["label"], "y_logit", two["z"]), TWO_SCORES),
            ("y_prob of six", (many["label"], "y_prob", many["prob"]), SCORES),
            ("y_logit of six", (many["label"], "y_logit", many["score"]), SCORES),
        ):
            truth, argument, values = rows

            def run(
                truth: Any = truth,
                argument: str = argument,
                values: Any = values,
                metrics: Any = metrics,
                made: Any = made,
                kind: str = kind,
            ) -> Any:
                level = 0.95 if kind in ("list", "float16", "float32") else None
                return karat.evaluate(
                    truth, **grouped({argument: made(values), **FAST}), metrics=metrics, level=level
                )

            yield Call(f"{name} as {kind}", "evaluate", kind.partition(" ")[0], run)


def _asked() -> Iterator[Call]:
    two, many, text = binary(), digits(), animals()
    names = {"cat": "Cat", "dog": "Dog", "eel": "Eel"}
    more: dict[str, dict[str, Any]] = {
        "positive 0": {"positive": 0},
        "threshold": {"threshold": 0.3},
        "class names": {"labels": karat.Labels(names=["no", "yes"])},
        "reversed labels": {"labels": [1, 0], "positive": 0},
    }
    for asked, options in {**ASKED, **more}.items():
        given = filled(options, two)
        if asked != "threshold":
            yield _evaluate(
                f"two labels, {asked}",
                "int64",
                two["label"],
                two["pred"],
                metrics=TWO_LABELS,
                **given,
            )
        yield _evaluate(
            f"two probabilities, {asked}",
            "float64",
            two["label"],
            y_prob=two["p_yes"],
            metrics=TWO_SCORES,
            **given,
        )
        if asked not in ("bca", "reversed labels"):
            yield _evaluate(
                f"two logits, {asked}",
                "float64",
                two["label"],
                y_logit=two["z"],
                metrics=TWO_SCORES,
                **given,
            )
    for asked, options in {**ASKED, "class names": {"labels": karat.Labels(names=names)}}.items():
        given = filled(options, text)
        prob = np.column_stack([text[f"proba_{name}"] for name in names])
        yield _evaluate(
            f"text labels, {asked}", "str", text["label"], text["pred"], metrics=LABELS, **given
        )
        if asked != "bca":
            yield _evaluate(
                f"text with probabilities, {asked}",
                "float64",
                text["label"],
                text["pred"],
                y_prob=prob,
                metrics=SCORES,
                **given,
            )
    for asked, options in ASKED.items():
        if "by" in options or "method" in options:
            continue
        yield _evaluate(
            f"six logits, {asked}",
            "float64",
            many["label"],
            y_logit=many["score"],
            metrics=SCORES,
            **filled(options, many),
        )
    slices = {"cross": many["country"], "flag": many["label"] > 2, "few": many["label"].tolist()}
    missing = [None if c == "NO" else c for c in many["country"].tolist()]
    for name, by in {**slices, "with missing": missing}.items():
        yield _evaluate(
            f"six labels by {name}", "int64", many["label"], many["pred"], by=by, metrics=LABELS
        )


def _whole() -> Iterator[Call]:
    """Reports of every metric."""
    two, many, text = binary(), digits(), animals()
    prob = np.column_stack([text[f"proba_{name}"] for name in ("cat", "dog", "eel")])
    rows: dict[str, tuple[Any, ...]] = {
        "two labels": (two, (two["label"], two["pred"]), {}),
        "two probabilities": (two, (two["label"],), {"y_prob": two["p_yes"]}),
        "two logits": (two, (two["label"],), {"y_logit": two["z"]}),
        "text labels": (text, (text["label"], text["pred"]), {}),
        "text probabilities": (text, (text["label"],), {"y_prob": prob}),
        "six labels": (many, (many["label"], many["pred"]), {}),
        "six logits": (many, (many["label"],), {"y_logit": many["score"]}),
    }
    tried = ("plain", "weights", "clusters", "by", "no level", "nan")
    for name, (columns, given, scores) in rows.items():
        for asked in tried:
            options = filled(ASKED[asked], columns)
            yield _evaluate(
                f"whole report of {name}, {asked}", "int64", *given, **scores, **options
            )
    for name in ("roc_auc", "average_precision", "log_loss"):
        yield _evaluate(
            f"one name {name}", "float64", two["label"], y_prob=two["p_yes"], metrics=name
        )
    yield _evaluate(
        "whole report of 1000 replicates",
        "float64",
        two["label"],
        y_prob=two["p_yes"],
        n_replicates=1000,
    )
    yield Call("metrics of a report by attribute", "evaluate", "int64", _attributes)


def _attributes() -> Any:
    columns = pick(binary(), "label", "p_yes")
    report = karat.evaluate(columns["label"], y_prob=columns["p_yes"])
    return {
        "by name": report["mcc"],
        "by attribute": report.roc_auc,
        "n": report.n_rows,
        "labels": report.labels,
        "confusion": report.confusion,
        "binary": report.is_binary,
        "calibration": report.calibration,
        "thresholds": report.thresholds,
        "undefined": report.undefined,
        "undefined metrics": report.undefined_metrics,
        "covariance": report.covariance(["accuracy", "f1"]),
        "scores": report.scores,
        "per class": report.per_class,
        "cautions": report.cautions,
        "warnings": report.warnings,
        "signature": report["accuracy"].signature,
    }

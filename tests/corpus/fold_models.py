"""Folds and repeats: models compared, gates, and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import karat
from tests.corpus.calls import Call
from tests.corpus.design_lines import run_lines
from tests.corpus.design_rows import CONTAINERS, folded, folded_animals, held_out, matrix, repeated
from tests.corpus.files import written
from tests.grouping import grouped

OF_TWO = ["accuracy", "f1", "matthews_correlation"]
OF_SCORES = ["accuracy", "roc_auc", "log_loss", "brier"]
OF_MANY = ["accuracy", "macro_f1", "kappa"]
COMPARE: dict[str, dict[str, Any]] = {
    "plain": {},
    "level": {"level": 0.8},
    "baseline": {"baseline": "pred"},
    "no adjustment": {"adjust": "none"},
    "maxt": {"adjust": "maxt", "interval": karat.Interval(n_replicates=199)},
    "margin": {"margin": 0.05},
    "nan": {"undefined": "nan"},
    "two threads": {"reading": karat.Reading(n_threads=2)},
}


def calls() -> Iterator[Call]:
    yield from _compared()
    yield from _gates()
    yield from _lines()


def _compared() -> Iterator[Call]:
    two, many, table = folded(), folded_animals(), repeated()
    truth, fold = two["label"], two["fold"]
    pair = {name: two[name] for name in ("pred", "other")}
    three = {**pair, "none": np.zeros(200, int)}
    prob = {"a": two["p_yes"], "b": two["p_other"]}
    keys = {"repeat": table["repeat"], "fold": table["fold"]}
    for name, options in COMPARE.items():
        yield _compare(
            f"labels, {name}",
            lambda options=options: karat.compare(
                truth,
                three,
                metrics=OF_TWO[:2],
                **grouped({"design": karat.Folds(fold), **options}, ("adjust",)),
            ),
        )
    singles: dict[str, Any] = {
        "probabilities": lambda: karat.compare(
            truth, y_prob=prob, design=karat.Folds(fold), metrics=OF_SCORES
        ),
        "scores": lambda: karat.compare(
            truth,
            y_score={"a": two["z"], "b": two["z_other"]},
            design=karat.Folds(fold),
            metrics=["accuracy", "roc_auc"],
        ),
        "labels and probabilities": lambda: karat.compare(
            truth,
            pair,
            y_prob={"pred": two["p_yes"], "other": two["p_other"]},
            design=karat.Folds(fold),
        ),
        "animals": lambda: karat.compare(
            many["label"],
            {name: many[name] for name in ("pred", "other")},
            design=karat.Folds(many["fold"]),
            metrics=OF_MANY,
        ),
        "weights": lambda: karat.compare(
            truth, pair, design=karat.Folds(fold), weights=two["mass"], metrics=OF_TWO
        ),
        "clusters": lambda: karat.compare(
            truth, pair, design=karat.Folds(fold), clusters=two["team"], metrics=OF_TWO
        ),
        "repeats": lambda: karat.compare(
            table["label"],
            {name: table[name] for name in ("pred", "other")},
            design=karat.Folds(keys),
            clusters=table["id"],
            metrics=OF_TWO,
        ),
        "a table of models": lambda: karat.compare(
            truth, pd.DataFrame(pair), design=karat.Folds(pd.Series(fold)), metrics=OF_TWO
        ),
        "the same model": lambda: karat.compare(
            truth, {"a": two["pred"], "b": two["pred"]}, design=karat.Folds(fold), metrics=OF_TWO
        ),
        "refused: repeats without clusters": lambda: karat.compare(
            table["label"],
            {name: table[name] for name in ("pred", "other")},
            design=karat.Folds(keys),
        ),
        "refused: a name": lambda: karat.compare(truth, pair, design=karat.Folds("fold")),
        "refused: short": lambda: karat.compare(truth, pair, design=karat.Folds(fold[:9])),
        "refused: looks": lambda: karat.compare(
            truth, pair, design=[karat.Folds(fold), karat.Looks(500)]
        ),
        "refused: different rows": lambda: karat.compare(
            {"pred": truth, "other": truth[:100]},
            {"pred": two["pred"], "other": two["other"][:100]},
            design=karat.Folds(fold),
        ),
        "refused: reports": lambda: karat.compare(
            {name: karat.evaluate(truth, x) for name, x in pair.items()}, design=karat.Folds(fold)
        ),
        "refused: sets": lambda: karat.compare(
            [{"a"}, {"b"}], {"x": [{"a"}, {"b"}], "y": [{"a"}, {"a"}]}, design=karat.Folds([0, 1])
        ),
    }
    for name, run in singles.items():
        yield _compare(name, run)
    shown: dict[str, Any] = {
        "as text": lambda: str(_three()),
        "as Markdown": lambda: _three().to_markdown(),
        "as CSV": lambda: _three().to_csv(),
        "as LaTeX": lambda: _three().to_latex(),
        "as HTML": lambda: _three().to_html(),
        "as a frame": lambda: _three().to_frame("pandas"),
        "one difference": lambda: [
            _three().folds["accuracy", "other", "pred"],
            str(_three().folds["accuracy", "none", "pred"]),
            _three().folds["accuracy", "pred", "other"],
        ],
        "its models": lambda: _three().folds.models["pred"],
        "repr": lambda: [repr(_three().folds), len(_three().folds), list(_three().folds)],
        "a pair that is none": lambda: _three().folds["accuracy", "pred", "big"],
        "a metric that was not compared": lambda: _three().folds["kappa"],
        "no such metric": lambda: _three().folds["acuracy"],
        "without folds": lambda: karat.compare(truth, pair, metrics=OF_TWO).folds,
    }
    for name, run in shown.items():
        yield Call(f"comparison: {name}", "compare", "report", run)


def _compare(name: str, run: Any) -> Call:
    return Call(f"compare: {name}", "compare", "array", run)


def _three() -> Any:
    two = folded()
    models = {"pred": two["pred"], "other": two["other"], "none": np.zeros(200, int)}
    return karat.compare(two["label"], models, design=karat.Folds(two["fold"]), metrics=OF_TWO)


BOUNDS: dict[str, dict[str, Any]] = {
    "min": {"min": {"accuracy": 0.7}},
    "fails": {"min": {"accuracy": 0.95}},
    "low": {"min": {"accuracy": 0.7}, "rules": karat.Rules(evidence="low")},
    "max": {"max": {"error_rate": 0.3}, "rules": karat.Rules(evidence="low")},
    "level": {"min": {"accuracy": 0.7}, "rules": karat.Rules(evidence="low"), "level": 0.8},
    "strict": {"min": {"accuracy": 0.8}, "rules": karat.Rules(evidence="low", inconclusive="fail")},
}
DROPS: dict[str, dict[str, Any]] = {
    "default": {},
    "max drop": {"max_drop": {"accuracy": 0.01, "f1": 0.02}},
    "no worse": {"no_worse_than": {"accuracy": 0.05}},
    "no adjustment": {
        "max_drop": {"accuracy": 0.01, "f1": 0.02},
        "rules": karat.Rules(adjust="none"),
    },
    "a bound too": {"min": {"accuracy": 0.5}, "max_drop": {"accuracy": 0.02}},
}


def _gates() -> Iterator[Call]:
    two, many = folded(), folded_animals()
    truth, pred, fold = two["label"], two["pred"], two["fold"]
    for name, rules in BOUNDS.items():
        yield _gate(
            name,
            lambda rules=rules: karat.gate(
                truth, pred, **grouped({"design": karat.Folds(fold), **rules})
            ),
        )
    for name, rules in DROPS.items():
        yield _gate(
            f"better, {name}",
            lambda rules=rules: karat.gate(
                truth,
                two["other"],
                baseline=pred,
                **grouped({"design": karat.Folds(fold), **rules}),
            ),
        )
        yield _gate(
            f"worse, {name}",
            lambda rules=rules: karat.gate(
                truth,
                pred,
                baseline=two["other"],
                **grouped({"design": karat.Folds(fold), **rules}),
            ),
        )
    for kind in ("dict of lists", "pandas", "polars", "arrow", "parquet", "csv", "jsonl"):
        container = CONTAINERS[kind]
        yield _gate(
            f"{kind} with a bound",
            lambda container=container: karat.gate(
                container(folded(), "folded"),
                design=karat.Folds("fold"),
                y_pred="pred",
                y_prob="",
                min={"accuracy": 0.7},
            ),
        )
        yield _gate(
            f"{kind} with a baseline",
            lambda container=container: karat.gate(
                container(_model_table("pred"), "folded-new"),
                baseline=container(_model_table("other"), "folded-old"),
                design=karat.Folds(),
                max_drop={"accuracy": 0.01},
            ),
        )
    shifted = {**_model_table("other"), "fold": (fold + 1) % 5}
    other_folds = {**_model_table("other"), "fold": np.arange(200) % 4}
    singles: dict[str, Any] = {
        "probabilities": lambda: karat.gate(
            truth,
            y_prob=two["p_yes"],
            design=karat.Folds(fold),
            min={"roc_auc": 0.6},
            max={"log_loss": 0.6},
        ),
        "probabilities against others": lambda: karat.gate(
            truth,
            y_prob=two["p_yes"],
            baseline=two["p_other"],
            design=karat.Folds(fold),
            max_drop={"roc_auc": 0.01, "brier": 0.01},
        ),
        "scores": lambda: karat.gate(
            truth,
            y_score=two["z"],
            design=karat.Folds(fold),
            min={"roc_auc": 0.6},
            rules=karat.Rules(evidence="low"),
        ),
        "animals": lambda: karat.gate(
            many["label"], many["pred"], design=karat.Folds(many["fold"]), min={"macro_f1": 0.5}
        ),
        "probabilities of animals": lambda: karat.gate(
            many["label"],
            y_prob=matrix(many),
            design=karat.Folds(many["fold"]),
            max={"log_loss": 2.0},
        ),
        "weights": lambda: karat.gate(
            truth, pred, design=karat.Folds(fold), weights=two["mass"], min={"accuracy": 0.7}
        ),
        "clusters": lambda: karat.gate(
            truth, pred, design=karat.Folds(fold), clusters=two["team"], min={"accuracy": 0.7}
        ),
        "repeats": lambda: karat.gate(
            pd.DataFrame(repeated()),
            design=karat.Folds("fold"),
            ids="id",
            y_pred="pred",
            y_prob="",
            min={"accuracy": 0.7},
        ),
        "repeats against others": lambda: karat.gate(
            pd.DataFrame(repeated()).drop(columns=["other", "p"]),
            baseline=pd.DataFrame(repeated())
            .drop(columns=["pred", "p"])
            .rename(columns={"other": "pred"}),
            design=karat.Folds("fold"),
            max_drop={"accuracy": 0.05},
        ),
        "nested": lambda: karat.gate(
            pd.DataFrame(held_out()),
            design=karat.Folds("fold"),
            y_pred="pred",
            y_prob="",
            min={"accuracy": 0.5},
        ),
        "folds of one value": lambda: karat.gate(
            [0, 1] * 30,
            [0, 1] * 30,
            design=karat.Folds([0, 1, 2] * 20),
            min={"accuracy": 0.9},
            rules=karat.Rules(evidence="low"),
        ),
        "the same predictions": lambda: karat.gate(
            truth, pred, baseline=pred, design=karat.Folds(fold), max_drop={"accuracy": 0.0}
        ),
        "a baseline without rows": lambda: _stored(with_rows=False),
        "a baseline with rows": lambda: _stored(with_rows=True),
        "a report as a baseline": lambda: karat.gate(
            pd.DataFrame(_model_table("pred")),
            baseline=karat.evaluate(truth, two["other"], metrics=["accuracy", "macro_f1"]),
            design=karat.Folds("fold"),
        ),
        "as text": lambda: str(
            karat.gate(
                truth,
                pred,
                baseline=two["other"],
                design=karat.Folds(fold),
                max_drop={"accuracy": 0.05},
            )
        ),
        "refused: other folds": lambda: karat.gate(
            pd.DataFrame(_model_table("pred")),
            baseline=pd.DataFrame(shifted),
            design=karat.Folds("fold"),
        ),
        "refused: another number of folds": lambda: karat.gate(
            pd.DataFrame(_model_table("pred")),
            baseline=pd.DataFrame(other_folds),
            design=karat.Folds("fold"),
        ),
        "refused: repeats without ids": lambda: karat.gate(
            pd.DataFrame(repeated()).drop(columns="id"),
            design=karat.Folds("fold"),
            y_pred="pred",
            y_prob="",
            min={"accuracy": 0.7},
        ),
        "refused: slices": lambda: karat.gate(
            truth, pred, design=karat.Folds(fold), by=two["country"], min={"accuracy": 0.5}
        ),
        "refused: looks": lambda: karat.gate(
            truth, pred, min={"accuracy": 0.5}, design=[karat.Folds(fold), karat.Looks(1000)]
        ),
        "refused: a report": lambda: karat.gate(
            karat.evaluate(truth, pred, design=karat.Folds(fold)),
            design=karat.Folds(fold),
            min={"accuracy": 0.5},
        ),
        "refused: a number": lambda: karat.gate(
            truth, pred, design=karat.Folds(4), min={"accuracy": 0.5}
        ),
        "refused: sets": lambda: karat.gate(
            [{"a"}, {"b"}], [{"a"}, {"a"}], design=karat.Folds([0, 1]), min={"subset_accuracy": 0.5}
        ),
    }
    for name, run in singles.items():
        yield _gate(name, run)


def _gate(name: str, run: Any) -> Call:
    return Call(f"gate: {name}", "gate", "array", run)


def _model_table(name: str) -> dict[str, Any]:
    two = folded()
    return {"id": two["id"], "fold": two["fold"], "label": two["label"], "pred": two[name]}


def _stored(*, with_rows: bool) -> Any:
    path = Path("folds-baseline.json")
    karat.gate(
        pd.DataFrame(_model_table("other")),
        min={"accuracy": 0.1},
        reading=karat.Reading(keep_rows=with_rows),
    ).save_baseline(path)
    return karat.gate(
        pd.DataFrame(_model_table("pred")),
        baseline=path,
        design=karat.Folds("fold"),
        max_drop={"accuracy": 0.05},
    )


LINES = """
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy,f1
report folded.csv --folds auto --prob p_yes --pred '' --metrics roc_auc,brier --format json
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy --format markdown
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy --format csv
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy --format latex
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy -o folded.html
report folded.csv --pred pred --prob '' --metrics accuracy
report repeated.csv --folds fold --pred pred --prob '' --metrics accuracy,f1
report repeated.csv --folds fold --prob p --pred '' --metrics brier --level 0.8 --format json
report held-out.csv --folds auto --pred pred --prob '' --metrics accuracy
report animals.csv --folds fold --prob 'proba_*' --pred '' --metrics log_loss --side low
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy --by country
report folded.csv --folds fold --pred pred --prob '' --metrics accuracy --where "fold < 3"
report folded.csv --folds part
report without.csv --folds auto
report folded.csv --folds fold --anytime 1000
report repeated.csv --folds fold --pred pred --prob '' --ids ''
report folded.csv --folds fold --where "fold = 2" --pred pred --prob ''
columns folded.csv
columns repeated.csv
compare pred.csv other.csv --folds fold --metrics accuracy,f1
compare pred.csv other.csv --folds auto --metrics accuracy --format json
compare pred.csv other.csv --folds fold --metrics accuracy -o compared-folds.html
compare pred.csv other.csv third.csv --folds fold --metrics accuracy --against-first
compare pred.csv other.csv --folds fold --anytime 1000
compare pred.csv shifted.csv --folds fold
compare pred.csv without.csv --folds fold
gate pred.csv --folds fold --min accuracy=0.7
gate pred.csv --folds fold --min accuracy=0.99 --format json
gate pred.csv --folds fold --baseline other.csv --format markdown
gate pred.csv --folds auto --baseline other.csv --max-drop accuracy=0.01 --evidence low
gate other.csv --folds fold --baseline pred.csv --no-worse-than accuracy=0.02 --format json
gate repeated.csv --folds fold --pred pred --prob '' --ids id --min accuracy=0.5
gate pred.csv --folds fold --by country --min accuracy=0.5
gate pred.csv --folds fold --baseline shifted.csv
gate pred.csv --folds fold --anytime 1000 --min accuracy=0.5
"""


def _lines() -> Iterator[Call]:
    for line in LINES.strip().splitlines():
        verb = line.partition(" ")[0]
        yield Call(line, f"karat {verb}", "command", lambda line=line: _in_folder(line))


def _in_folder(line: str) -> Any:
    _files()
    return run_lines(line)[0]


def _files() -> None:
    if Path("pred.csv").exists():
        return
    two = folded()
    country = {"country": two["country"]}
    tables: dict[str, Any] = {
        "folded": two,
        "repeated": repeated(),
        "held-out": held_out(),
        "animals": folded_animals(),
        "pred": {**_model_table("pred"), **country},
        "other": {**_model_table("other"), **country},
        "third": {**_model_table("other"), "pred": np.zeros(200, int)},
        "shifted": {**_model_table("other"), "fold": (two["fold"] + 1) % 3},
        "without": {name: two[name] for name in ("id", "label", "pred")},
    }
    for name, columns in tables.items():
        Path(written("csv", columns, f"of-lines-{name}")).rename(f"{name}.csv")

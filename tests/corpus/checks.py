"""`karat.check`, `karat columns`, doubts of every verb, `karat explain`, `karat metrics`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.commands import _ran
from tests.corpus.files import written
from tests.corpus.more_rows import repeats, three_classes, topics, two_classes
from tests.corpus.source_cells import Batches, table_of
from tests.grouping import grouped

N = 60
TWO, THREE, SETS, AGAIN = two_classes(), three_classes(), topics(), repeats()
ZEROS = [i % 2 for i in range(N)]
CHANGED = [1 - y if i % 5 == 0 else y for i, y in enumerate(ZEROS)]
WORDS = [("ok", "fraud")[y] for y in ZEROS]
WORDS_PRED = [("ok", "fraud")[y] for y in CHANGED]
P = [(8 * y + i % 7 + 1) / 17 for i, y in enumerate(CHANGED)]
REVERSED = [1 - p for p in P]
THREE_P = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625]] * 20
SEA = ["sea|sky", "sea", "sky|sun", "sun|sea", "sky", "sun"] * 10

# Truth, outputs and options of arrays: a doubt or a question each, by its code.
TRUTHS: dict[str, Any] = {
    "nothing unusual": ZEROS,
    "D101 no positive class": WORDS,
    "D101 settled": WORDS,
    "D102 scores in [0, 1]": ZEROS,
    "D103 ranks in reverse": ZEROS,
    "D105 repeated ids": ZEROS,
    "D106 infinite log loss": ZEROS,
    "D111 classes that look alike": ["Spam", "spam", "ham", "ham"] * 15,
    "D111 white space": ["spam ", "spam", "ham", "ham"] * 15,
    "D111 numbers": ["1", "1.0", "2", "2"] * 15,
    "D112 like a missing value": ["NA", "b", "c"] * 20,
    "D113 index in another order": pd.Series(ZEROS),
    "D114 other coding": [1 + y for y in ZEROS],
    "D115 predictions and scores differ": ZEROS,
    "D115 of three classes": [0, 1, 2] * 20,
    "D116 kappa below 0": ZEROS,
    "D119 separators": SEA,
    "D119 settled": SEA,
    "D120 one label a row": np.eye(3, dtype=int)[[0, 1, 2] * 20],
    "D120 with probabilities": np.eye(3, dtype=int)[[0, 1, 2] * 20],
    "D121 null truths of sets": [None if i % 6 == 0 else [t] for i, t in enumerate("abc" * 20)],
    "K190 a column needs a class": WORDS,
    "K191 nothing in common": ["1", "2"] * 30,
    "K136 threshold": ZEROS,
    "K101 no rows": [],
    "K102 other lengths": ZEROS,
    "K104 missing labels": [None, *ZEROS[1:]],
    "K109 a label not declared": ZEROS,
    "K112 positive of three": [0, 1, 2] * 20,
    "K132 outside [0, 1]": ZEROS,
    "K131 NaN": ZEROS,
    "one class": [1] * N,
    "K134 two columns": [0, 1, 2] * 20,
    "no output": ZEROS,
    "sets": SETS["label_sets"],
    "scores of sets": SETS["truth"],
    "clusters, folds, slices": ZEROS,
    "weights below 0": ZEROS,
    "folds with an error": ZEROS,
    "repeats without ids": TWO["label"],
    "repeats": TWO["label"],
}
INPUTS: dict[str, dict[str, Any]] = {
    "nothing unusual": {"y_pred": CHANGED},
    "D101 no positive class": {"y_pred": WORDS_PRED},
    "D101 settled": {"y_pred": WORDS_PRED, "positive": "fraud"},
    "D102 scores in [0, 1]": {"y_score": P},
    "D103 ranks in reverse": {"y_prob": REVERSED},
    "D105 repeated ids": {"y_pred": CHANGED, "ids": [i // 2 for i in range(N)]},
    "D106 infinite log loss": {"y_prob": [0.0 if i % 9 == 1 else p for i, p in enumerate(P)]},
    "D111 classes that look alike": {"y_pred": ["spam", "spam", "ham", "spam"] * 15},
    "D111 white space": {"y_pred": ["spam", "spam", "ham", "spam"] * 15},
    "D111 numbers": {"y_pred": ["1", "1", "2", "1"] * 15},
    "D112 like a missing value": {"y_pred": ["NA", "b", "b"] * 20},
    "D113 index in another order": {"y_pred": pd.Series(CHANGED).sort_index(ascending=False)},
    "D114 other coding": {"y_pred": CHANGED},
    "D115 predictions and scores differ": {"y_pred": CHANGED, "y_prob": REVERSED},
    "D115 of three classes": {"y_pred": [1, 2, 0] * 20, "y_prob": THREE_P},
    "D116 kappa below 0": {"y_pred": [1 - y for y in CHANGED]},
    "D119 separators": {"y_pred": SEA[1:] + SEA[:1]},
    "D119 settled": {"y_pred": SEA[1:] + SEA[:1], "labels": karat.Labels(separator="|")},
    "D120 one label a row": {"y_pred": np.eye(3, dtype=int)[[0, 1, 1] * 20]},
    "D120 with probabilities": {"y_prob": THREE_P},
    "D121 null truths of sets": {"y_pred": [[t] for t in "abb" * 20]},
    "K190 a column needs a class": {"y_prob": P},
    "K191 nothing in common": {"y_pred": ["1.0", "2.0"] * 30},
    "K136 threshold": {"y_prob": P, "threshold": 2},
    "K101 no rows": {"y_pred": []},
    "K102 other lengths": {"y_pred": CHANGED[:9]},
    "K104 missing labels": {"y_pred": CHANGED},
    "K109 a label not declared": {"y_pred": CHANGED, "labels": [0, 2]},
    "K112 positive of three": {"y_pred": [0, 1, 1] * 20, "positive": 1},
    "K132 outside [0, 1]": {"y_prob": [2 * p for p in P]},
    "K131 NaN": {"y_prob": [float("nan"), *P[1:]]},
    "one class": {"y_pred": [1] * N},
    "K134 two columns": {"y_prob": [[p, 1 - p] for p in P]},
    "no output": {},
    "sets": {"y_pred": SETS["pred_sets"]},
    "scores of sets": {"y_prob": SETS["prob"], "threshold": 0.4},
    "clusters, folds, slices": {
        "y_pred": CHANGED,
        "clusters": TWO["team"],
        "design": karat.Folds(TWO["fold"]),
        "by": {"country": TWO["country"]},
    },
    "weights below 0": {"y_pred": CHANGED, "weights": [-1.0] * N},
    "folds with an error": {"y_pred": CHANGED, "design": karat.Folds([0] * N)},
    "repeats without ids": {
        "y_pred": TWO["pred"],
        "design": karat.Folds({"repeat": AGAIN["repeat"], "fold": AGAIN["fold"]}),
    },
    "repeats": {
        "y_pred": TWO["pred"],
        "design": karat.Folds({"repeat": AGAIN["repeat"], "fold": AGAIN["fold"]}),
        "ids": AGAIN["id"],
    },
}

# Columns of tables, and the options with which they are read.
COLUMNS: dict[str, dict[str, Any]] = {
    "usual names": {"y_true": ZEROS, "y_pred": CHANGED, "y_prob": P},
    "other names": {"ground_truth": ZEROS, "yhat": CHANGED, "probability": P},
    "names with blanks": {"True Label": ZEROS, "Predicted Label": CHANGED},
    "D104 like a role": {"label": ZEROS, "prob": P, "model_pred": CHANGED},
    "D105 repeated ids": {"id": [i // 3 for i in range(N)], "label": ZEROS, "pred": CHANGED},
    "D107 a column of persons": {"user_id": TWO["team"], "label": ZEROS, "pred": CHANGED},
    "D107 settled": {"user_id": TWO["team"], "label": ZEROS, "pred": CHANGED},
    "D107 without repetition": {"user_id": TWO["id"], "label": ZEROS, "pred": CHANGED},
    "D108 text as probabilities": {"label": ZEROS, "pred": CHANGED, "prob": ["90%"] * N},
    "D109 no class in the name": {"label": ZEROS, "proba_risk": P},
    "D110 no classes in the names": {"label": ZEROS, "proba_a": REVERSED, "proba_b": P},
    "numbered columns": {"label": ZEROS, "p0": REVERSED, "p1": P},
    "columns of a pattern": {"label": ZEROS, "a_x": REVERSED, "a_y": P},
    "a class in the name": {"label": WORDS, "proba_fraud": P},
    "a class each": {"label": WORDS, "proba_ok": REVERSED, "proba_fraud": P},
    "K192 probabilities or scores": {"label": ZEROS, "score": P},
    "K192 settled as scores": {"label": ZEROS, "score": P},
    "K192 settled as probabilities": {"label": ZEROS, "score": P},
    "K405 two truths": {"label": ZEROS, "y_true": ZEROS, "pred": CHANGED},
    "K405 two predictions": {"label": ZEROS, "pred": CHANGED, "yhat": CHANGED},
    "K406 no truth": {"colour": ZEROS, "pred": CHANGED},
    "K406 no output": {"label": ZEROS, "colour": CHANGED},
    "K404 no such column": {"label": ZEROS, "pred": CHANGED},
    "weights found": {"label": ZEROS, "pred": CHANGED, "weight": TWO["mass"]},
    "weights ignored": {"label": ZEROS, "pred": CHANGED, "weight": TWO["mass"]},
    "folds seen": {"label": ZEROS, "pred": CHANGED, "fold": TWO["fold"]},
    "folds found": {"label": ZEROS, "pred": CHANGED, "fold": TWO["fold"]},
    "lists of labels": {"label": SETS["label_sets"], "pred": SETS["pred_sets"]},
    "texts of labels": {"label": SETS["label_text"], "pred": SETS["pred_text"]},
    "texts of labels, settled": {"label": SETS["label_text"], "pred": SETS["pred_text"]},
    "null truths": {"label": [None, *ZEROS[1:]], "pred": CHANGED},
    "null truths dropped": {"label": [None, *ZEROS[1:]], "pred": CHANGED},
    "D112 NA": {"label": ["NA", "b", "c"] * 20, "pred": ["NA", "b", "b"] * 20},
    "everything": {
        "id": TWO["id"],
        "label": ZEROS,
        "pred": CHANGED,
        "weight": TWO["mass"],
        "user": TWO["team"],
        "country": TWO["country"],
        "fold": TWO["fold"],
    },
}
READING: dict[str, dict[str, Any]] = {
    "D107 settled": {"clusters": "user_id"},
    "columns of a pattern": {"y_prob": "a_*"},
    "K192 settled as scores": {"y_score": "score"},
    "K192 settled as probabilities": {"y_prob": "score"},
    "K404 no such column": {"y_true": "colour"},
    "weights ignored": {"weights": ""},
    "folds found": {"design": karat.Folds()},
    "texts of labels, settled": {"labels": karat.Labels(separator="|")},
    "null truths dropped": {"reading": karat.Reading(nulls="drop")},
    "everything": {"clusters": "user", "by": "country", "design": karat.Folds("fold"), "ids": "id"},
}
NO_OPTIONS: dict[str, Any] = {}


def _lists(columns: dict[str, Any]) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in columns.items()}


SOURCES: dict[str, Callable[[str], Any]] = {
    "dict": lambda name: COLUMNS[name],
    "pandas": lambda name: pd.DataFrame(_lists(COLUMNS[name])),
    "polars": lambda name: pl.DataFrame(_lists(COLUMNS[name])),
    "arrow": lambda name: pa.table(_lists(COLUMNS[name])),
    "batches": lambda name: Batches(_lists(COLUMNS[name])),
    "parquet": lambda name: written("parquet", _lists(COLUMNS[name]), f"check {name}"),
}
FEW_SOURCES = ("dict", "parquet")


def calls() -> Iterator[Call]:
    yield from _arrays()
    yield from _tables()
    yield from _verbs()
    yield from _lines()


def _arrays() -> Iterator[Call]:
    for name in TRUTHS:
        yield Call(
            f"check: {name}",
            "check",
            "array",
            lambda n=name: _check_in_full(karat.check(TRUTHS[n], **grouped(INPUTS[n]))),
        )
        yield Call(
            f"evaluate: {name}",
            "evaluate",
            "array",
            lambda n=name: _doubts(karat.evaluate(TRUTHS[n], **grouped(INPUTS[n]))),
        )


def _tables() -> Iterator[Call]:
    for source, make in SOURCES.items():
        for name in COLUMNS:
            if source in FEW_SOURCES or name.startswith(("D105", "D107", "K192", "lists", "every")):
                options = READING.get(name, NO_OPTIONS)
                yield Call(
                    f"check of {source}: {name}",
                    "check",
                    source,
                    lambda m=make, n=name, o=options: _check_in_full(
                        karat.check(m(n), **grouped(o))
                    ),
                )
        for name in COLUMNS:
            if source == "dict":
                options = READING.get(name, NO_OPTIONS)
                yield Call(
                    f"evaluate of {source}: {name}",
                    "evaluate",
                    source,
                    lambda m=make, n=name, o=options: _doubts(karat.evaluate(m(n), **grouped(o))),
                )


def _check_in_full(check: Any) -> Any:
    return {
        "check": check.to_dict(),
        "text": str(check),
        "true": bool(check),
        "problem": check.problem and check.problem.code,
    }


def _doubts(result: Any) -> Any:
    records = [
        {name: getattr(doubt, name) for name in ("code", "noticed", "evidence", "option")}
        for doubt in result.doubts
    ]
    head = str(result).splitlines()[:6]
    return {"doubts": records, "head": "\n".join(head), "warnings": list(_warnings(result))}


def _warnings(result: Any) -> Any:
    return getattr(result, "warnings", ())


def _verbs() -> Iterator[Call]:
    """Doubts of comparisons, gates, weak slices, judged rows."""
    runs: dict[str, Callable[[], Any]] = {
        "compare": lambda: karat.compare(WORDS, {"old": WORDS_PRED, "new": WORDS}),
        "compare of scores in [0, 1]": lambda: karat.compare(
            ZEROS, y_score={"old": P, "new": REVERSED}
        ),
        "compare in reverse": lambda: karat.compare(ZEROS, y_prob={"old": P, "new": REVERSED}),
        "compare of infinite losses": lambda: karat.compare(
            ZEROS, y_prob={"old": P, "new": [0.0, *P[1:-1], 0.0]}
        ),
        "gate": lambda: karat.gate(WORDS, WORDS_PRED, min={"accuracy": 0.5}),
        "gate of another threshold D117": _other_threshold,
        "gate of a bound of a loss D118": lambda: karat.gate(
            ZEROS, y_prob=P, min={"log_loss": 0.1}, max={"roc_auc": 0.9}
        ),
        "gate of a bound of a rate D118": lambda: karat.gate(
            ZEROS, CHANGED, min={"error_rate": 0.1}, max={"accuracy": 0.9}
        ),
        "gate against a baseline in reverse": lambda: karat.gate(
            ZEROS, y_prob=P, baseline=REVERSED, max_drop={"roc_auc": 0.1}
        ),
        "weak slices": lambda: karat.find_weak_slices(
            {"user_id": TWO["team"], "label": ZEROS, "pred": CHANGED, "c": TWO["country"]},
            interval=karat.Interval(n_replicates=99),
        ),
        "a judge D124": lambda: karat.evaluate(
            y_pred=WORDS_PRED,
            y_true=["nan" if i % 3 else w for i, w in enumerate(WORDS)],
            design=karat.Judge(WORDS),
        ),
        "a judge D125": lambda: karat.evaluate(
            y_pred=CHANGED,
            y_true=[y if i < 30 else None for i, y in enumerate(ZEROS)],
            design=karat.Judge(
                CHANGED, weights=[2.0 if i < 40 else float("nan") for i in range(N)]
            ),
        ),
        "a judge whose gold rows are not random": lambda: karat.evaluate(
            y_pred=CHANGED,
            y_true=[y if y or i < 20 else None for i, y in enumerate(ZEROS)],
            design=karat.Judge(ZEROS),
        ),
        "a monitor": lambda: karat.Monitor(min={"accuracy": 0.5}).add(WORDS, WORDS_PRED),
    }
    for name, run in runs.items():
        yield Call(f"doubts: {name}", name.split(" ")[0], "array", lambda run=run: _doubts(run()))


def _other_threshold() -> Any:
    path = Path("other-threshold.json")
    karat.gate(ZEROS, y_prob=P, min={"accuracy": 0.1}, threshold=0.3).save_baseline(path)
    return karat.gate(ZEROS, y_prob=P, baseline=path, threshold=0.6, max_drop={"accuracy": 0.1})


LINES = """
columns two.parquet --true label --pred pred
columns two.csv --true label --pred pred
columns two.tsv --true label --pred pred
columns two.csv.gz --true label --pred pred
columns two.jsonl --true label --pred pred
columns two.json --true label --pred pred
columns two.parquet
columns two.csv --weights mass --clusters team --by country --ids id
columns two.csv --prob prob --pred '' --threshold 0.3
columns two.csv --prob prob --pred '' --threshold 3
columns two.csv --score z --pred ''
columns two.csv --folds fold
columns two.csv --folds auto
columns two.csv --folds nowhere
columns two.csv --true gold --judge judge
columns two.csv --where "country = 'NO'"
columns two.csv --where "nonsense"
columns two.csv --true nowhere
columns two.csv --by nowhere
columns two.csv --by country,sex
columns two.csv --positive 1
columns two.csv --positive 5
columns two.csv --labels 0,1
columns two.csv --nulls drop
columns three.parquet --true label --prob 'p_*'
columns three.parquet --true label --prob p_cat,p_dog,p_eel --labels cat,dog,eel
columns sets.parquet --true label_sets --pred pred_sets
columns text.csv --true label_text --pred pred_text --separator '|'
columns text.csv --true label_text --pred pred_text
columns wide.parquet --true 'true_*' --prob 'p_*' --threshold 0.4
columns wide.parquet --true 'true_*' --pred 'true_*'
columns two.csv two.parquet --true label --pred pred
columns two.csv two.csv --true label --pred pred --ids ''
columns "SELECT label, pred FROM 'two.parquet'"
columns fraud.csv
columns fraud.csv --positive fraud
columns score.csv
columns score.csv --prob score
columns score.csv --score score
columns users.csv
columns users.csv --clusters user_id
columns users.csv --clusters ''
columns several.csv
columns empty.csv
columns nowhere.csv
report score.csv
report several.csv
report users.csv --metrics accuracy
report fraud.csv --metrics roc_auc
report two.csv two.parquet --true label --pred pred --metrics accuracy --prob ''
explain accuracy
explain roc_auc
explain log_loss brier
explain micro_f1 subset_accuracy
explain label_ranking_average_precision
explain macro_f_beta(beta=2)
explain no_such
explain macro_f1 no_such
metrics f1
metrics subset_accuracy
metrics label_ranking_average_precision
metrics log_loss
metrics brier
metrics top_k_accuracy
metrics sensitivity
metrics calibration error
metrics area under curve
metrics F1
metrics f_beta(beta=2)
metrics zzzz
"""


def _lines() -> Iterator[Call]:
    for line in LINES.strip().splitlines():
        verb = f"karat {line.split(' ')[0]}"
        yield Call(line, verb, "command", lambda line=line: _line(line))


def _written() -> None:
    if Path("two.csv").exists():
        return
    names = ("id", "label", "pred", "prob", "z", "mass", "team", "country", "sex", "age", "fold")
    two = {name: TWO[name].tolist() for name in names}
    users = {"user_id": two["team"], "label": two["label"], "pred": two["pred"]}
    tables = {
        "two.parquet": two,
        "two.csv": two,
        "two.tsv": two,
        "two.jsonl": two,
        "two.json": two,
        "three.parquet": _lists(table_of("probabilities")),
        "sets.parquet": _lists(table_of("sets of lists")),
        "wide.parquet": _lists(table_of("scores of sets")),
        "text.csv": {name: SETS[name] for name in ("label_text", "pred_text")},
        "fraud.csv": {"label": WORDS, "prob": P},
        "score.csv": {"label": ZEROS, "score": P},
        "users.csv": users,
        "several.csv": {"label": ZEROS, "y_true": ZEROS, "pred": CHANGED, "yhat": CHANGED},
    }
    for name, columns in tables.items():
        stem, _, ending = name.partition(".")
        Path(written(ending, columns, stem)).rename(name)
    Path("empty.csv").write_text("label,pred\n")
    Path("two.csv.gz").write_bytes(gzip.compress(Path("two.csv").read_bytes(), mtime=0))


def _line(line: str) -> Any:
    _written()
    return _ran(line)

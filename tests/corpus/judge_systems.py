"""Gold labels and a judge: systems compared, rows needed, rows to label, the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.design_lines import run_lines
from tests.corpus.design_rows import (
    judged,
    judged_animals,
    judged_by_design,
    judged_systems,
    lists,
    verdicts,
)
from tests.corpus.files import written
from tests.grouping import grouped

OF_LABELS = ["accuracy", "f1", "kappa"]
OF_SCORES = ["accuracy", "roc_auc", "log_loss", "brier"]

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "baseline": {"baseline": "old"},
    "level": {"level": 0.8},
    "margin": {"margin": 0.05},
    "margins": {"margin": {"accuracy": 0.03, "f1": 0.1}},
    "maxt": {"adjust": "maxt"},
    "no adjustment": {"adjust": "none"},
    "seed": {"adjust": "maxt", "interval": karat.Interval(seed=7)},
    "nan": {"undefined": "nan"},
    "positive": {"positive": 0},
    "labels": {"labels": [0, 1]},
    "class names": {"labels": karat.Labels(names=["no", "yes"])},
    "stated to be random": {"gold_is_random": True},
    "two threads": {"reading": karat.Reading(n_threads=2)},
}
REFUSED: dict[str, dict[str, Any]] = {
    "not paired": {"paired": False},
    "frequency weights": {"weights": karat.Frequency([1.0] * 300)},
    "label strata": {"label_strata": {"all": [0, 1]}},
    "threshold": {"threshold": 0.4},
    "separator": {"labels": karat.Labels(separator="|")},
    "anytime": {"anytime": 1000},
    "folds": {"folds": [0, 1] * 150},
    "a count": {"metrics": ["support"]},
    "scores that are missing": {"metrics": ["roc_auc"]},
    "no such metric": {"metrics": ["acuracy"]},
    "no such baseline": {"baseline": "first"},
    "a margin of no metric": {"margin": {"acuracy": 0.1}},
    "adjust of a wrong kind": {"adjust": "bonferroni"},
    "random of a wrong kind": {"gold_is_random": 1},
}


def calls() -> Iterator[Call]:
    yield from _systems()
    yield from _verdicts()
    yield from _refused()
    yield from _outputs()
    yield from _sizes()
    yield from _rows_to_label()
    yield from _lines()


def _call(name: str, source: str, run: Any) -> Call:
    return Call(f"compare: {name}", "compare", source, run)


def _systems() -> Iterator[Call]:
    two, systems, many = judged(), judged_systems(), judged_animals()
    gold, judge, pred = two["gold"], two["judge"], systems["pred"]
    pair = {name: pred[name] for name in ("old", "new")}
    for name, options in OPTIONS.items():
        yield _call(
            f"labels, {name}",
            "array",
            lambda options=options: karat.compare(
                y_true=gold,
                y_pred=pred,
                metrics=OF_LABELS[:2],
                **grouped({"design": karat.Judge(judge), **options}, ("adjust",)),
            ),
        )
    frames: dict[str, Any] = {
        "pandas": lambda: pd.DataFrame(pair),
        "polars": lambda: pl.DataFrame(lists(pair)),
        "arrow": lambda: pa.table(lists(pair)),
        "lists": lambda: lists(pair),
    }
    for kind, frame in frames.items():
        yield _call(
            f"{kind} of systems",
            kind,
            lambda frame=frame: karat.compare(
                y_true=gold, design=karat.Judge(judge), y_pred=frame(), metrics=OF_LABELS
            ),
        )
    chosen = judged_by_design()
    guesses = {"a": chosen["pred"], "b": chosen["judge"]}
    singles: dict[str, Any] = {
        "two systems": lambda: karat.compare(y_true=gold, design=karat.Judge(judge), y_pred=pair),
        "truth with missing labels": lambda: karat.compare(gold, pair, design=karat.Judge(judge)),
        "probabilities": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), y_prob=systems["prob"], metrics=OF_SCORES
        ),
        "probabilities by default": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_prob={n: systems["prob"][n] for n in ("old", "big")},
        ),
        "scores": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_score=systems["score"],
            metrics=["roc_auc", "accuracy"],
        ),
        "labels of one and probabilities of another": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"old": pred["old"]},
            y_prob={"new": systems["prob"]["new"]},
            metrics=["accuracy"],
        ),
        "weights": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred=pair,
            weights=two["mass"],
            metrics=OF_LABELS,
        ),
        "clusters": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred=pair,
            clusters=two["team"],
            metrics=OF_LABELS,
        ),
        "gold weights": lambda: karat.compare(
            y_true=chosen["gold"],
            design=karat.Judge(chosen["judge"], weights=chosen["gold_weight"]),
            y_pred=guesses,
            metrics=OF_LABELS,
        ),
        "every metric": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), y_pred=pair, metrics="all"
        ),
        "animals": lambda: karat.compare(
            y_true=many["gold"],
            design=karat.Judge(many["judge"], is_random=True),
            y_pred={"model": many["pred"], "judge": many["judge"]},
            metrics=["accuracy", "macro_f1"],
        ),
        "the same system twice": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"a": pred["old"], "b": pred["old"]},
            metrics=OF_LABELS,
        ),
    }
    for name, run in singles.items():
        yield _call(name, "array", run)


def _verdicts() -> Iterator[Call]:
    both = verdicts()
    gold, judge = both["gold"], both["judge"]
    forms: dict[str, Any] = {
        "dicts of verdicts": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), positive="good"
        ),
        "pandas verdicts": lambda: karat.compare(
            y_true=pd.DataFrame(gold), design=karat.Judge(pd.DataFrame(judge)), positive="good"
        ),
        "polars verdicts": lambda: karat.compare(
            y_true=pl.DataFrame(lists(gold)),
            design=karat.Judge(pl.DataFrame(lists(judge))),
            positive="good",
        ),
        "arrow verdicts": lambda: karat.compare(
            y_true=pa.table(lists(gold)),
            design=karat.Judge(pa.table(lists(judge))),
            positive="good",
        ),
        "verdicts without a positive class": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge)
        ),
        "verdicts and another metric": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), positive="good", metrics=["accuracy"]
        ),
        "verdicts of other systems": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge({"old": judge["old"], "x": judge["new"]}),
            positive="good",
        ),
        "verdicts about one system": lambda: karat.compare(
            y_true={"old": gold["old"]}, design=karat.Judge({"old": judge["old"]}), positive="good"
        ),
        "verdicts of different rows": lambda: karat.compare(
            y_true={"old": gold["old"], "new": gold["new"][:200]},
            design=karat.Judge({"old": judge["old"], "new": judge["new"][:200]}),
            positive="good",
        ),
    }
    for name, run in forms.items():
        yield _call(name, "array", run)


def _refused() -> Iterator[Call]:
    two, pred = judged(), judged_systems()["pred"]
    gold, judge = two["gold"], two["judge"]
    pair = {name: pred[name] for name in ("old", "new")}
    whole = pd.DataFrame({"gold": gold, "judge": judge, **pair})
    for name, options in REFUSED.items():
        yield _call(
            f"refused: {name}",
            "array",
            lambda options=options: karat.compare(
                y_true=gold,
                y_pred=pair,
                **grouped({"design": karat.Judge(judge), **options}, ("adjust",)),
            ),
        )
    only = np.where(judge == 1, judge, np.nan)
    only[:9] = 0
    wrong: dict[str, Any] = {
        "one system": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), y_pred={"old": pred["old"]}
        ),
        "no system": lambda: karat.compare(y_true=gold, design=karat.Judge(judge)),
        "gold without a judge": lambda: karat.compare(y_true=gold, y_pred=pair),
        "a judge without gold": lambda: karat.compare(design=karat.Judge(judge), y_pred=pair),
        "gold and truth": lambda: karat.compare(
            judge, pair, y_true=gold, design=karat.Judge(judge)
        ),
        "a whole table": lambda: karat.compare(whole, y_true="gold", design=karat.Judge("judge")),
        "names of columns": lambda: karat.compare(
            y_pred=pair, y_true="gold", design=karat.Judge("judge")
        ),
        "a file": lambda: karat.compare("rows.csv", design=karat.Judge("judge")),
        "tables of systems": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), y_pred={"a": whole, "b": whole}
        ),
        "files of systems": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), y_pred={"a": "a.csv", "b": "b.csv"}
        ),
        "a table of probabilities": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge), y_prob=pd.DataFrame(judged_systems()["prob"])
        ),
        "short predictions": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"old": pred["old"], "new": pred["new"][:9]},
        ),
        "rows that the judge chose": lambda: karat.compare(
            y_true=only, design=karat.Judge(judge), y_pred=pair
        ),
        "every gold label": lambda: karat.compare(
            y_true=judge, design=karat.Judge(judge), y_pred=pair
        ),
        "a gold weight of 0": lambda: karat.compare(
            y_true=gold, design=karat.Judge(judge, weights=[0.0] * 300), y_pred=pair
        ),
        "a label that is no class": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"old": pred["old"], "new": pred["new"] + 5},
            labels=[0, 1],
        ),
    }
    for name, run in wrong.items():
        yield _call(f"refused: {name}", "array", run)


def _compared() -> Any:
    two = judged()
    return karat.compare(
        y_true=two["gold"],
        design=karat.Judge(two["judge"]),
        y_pred=judged_systems()["pred"],
        metrics=OF_LABELS,
    )


def _outputs() -> Iterator[Call]:
    shown: dict[str, Any] = {
        "as text": lambda: str(_compared()),
        "as Markdown": lambda: _compared().to_markdown(),
        "as CSV": lambda: _compared().to_csv(),
        "as LaTeX": lambda: _compared().to_latex(),
        "as HTML": lambda: _compared().to_html(),
        "as JSON": lambda: _compared().to_json(),
        "as a frame": lambda: _compared().to_frame("pandas"),
        "a difference": lambda: [
            _compared()["accuracy", "new", "old"],
            str(_compared()["accuracy", "big", "old"]),
        ],
        "the best": lambda: _compared().best("accuracy"),
        "flips": lambda: _compared().flips,
        "folds": lambda: _compared().folds,
        "verdicts as text": lambda: str(
            karat.compare(**grouped(verdicts(), ("adjust",)), positive="good")
        ),
    }
    for name, run in shown.items():
        yield Call(f"comparison: {name}", "compare", "report", run)


def _pilot() -> Any:
    two = judged()
    return karat.evaluate(
        y_true=two["gold"],
        design=karat.Judge(two["judge"]),
        y_pred=two["pred"],
        metrics=["accuracy", "f1"],
    )


def _judged_verdicts(**options: Any) -> Any:
    return karat.evaluate(
        y_true=judged()["gold"], **grouped({"design": karat.Judge(judged()["judge"]), **options})
    )


def _sizes() -> Iterator[Call]:
    sizes: dict[str, Any] = {
        "an interval": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), half_width=0.05, gold=20_000
        ),
        "an interval of as many rows": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), half_width=0.06
        ),
        "F1": lambda: karat.rows_needed("f1", pilot=_pilot(), half_width=0.05, gold=20_000),
        "one limit": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), half_width=0.05, side="low", level=0.9, gold=20_000
        ),
        "a difference": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), difference=0.05, gold=20_000
        ),
        "a difference and power": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), difference=0.05, power=0.9, gold=20_000
        ),
        "the gold rows alone": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot().gold, half_width=0.05
        ),
        "a proportion of verdicts": lambda: karat.rows_needed(
            "prevalence", pilot=_judged_verdicts(), half_width=0.04, gold=5000
        ),
        "a comparison": lambda: karat.rows_needed(
            "accuracy", pilot=_compared()["accuracy", "new", "old"], half_width=0.05
        ),
        "too few rows": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), half_width=0.01, gold=400
        ),
        "gold without a judge": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot().gold, half_width=0.05, gold=1000
        ),
        "gold of a wrong kind": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), half_width=0.05, gold="many"
        ),
        "another metric of verdicts": lambda: karat.rows_needed(
            "accuracy", pilot=_judged_verdicts(), half_width=0.05
        ),
        "a pilot with clusters": lambda: karat.rows_needed(
            "prevalence", pilot=_judged_verdicts(clusters=judged()["team"]), half_width=0.05
        ),
        "both sizes": lambda: karat.rows_needed(
            "accuracy", pilot=_pilot(), half_width=0.05, difference=0.05
        ),
    }
    for name, run in sizes.items():
        yield Call(f"rows needed: {name}", "rows_needed", "report", lambda run=run: _size(run()))


def _size(rows: Any) -> dict[str, Any]:
    return {"rows": int(rows), "low": rows.low, "high": rows.high, "repr": repr(rows)}


def _rows_to_label() -> Iterator[Call]:
    two, many = judged(), judged_animals()
    judge, sure = two["judge"], two["confidence"]
    drawn: dict[str, Any] = {
        "by classes": lambda: karat.rows_to_label(judge, 40),
        "by confidence": lambda: karat.rows_to_label(judge, 40, confidence=sure),
        "another seed": lambda: karat.rows_to_label(judge, 40, confidence=sure, seed=3),
        "ids": lambda: karat.rows_to_label(judge, 12, confidence=sure, ids=two["id"], seed=1),
        "text": lambda: karat.rows_to_label(many["judge"], 30, seed=2),
        "a pandas column": lambda: karat.rows_to_label(pd.Series(many["judge"]), n=20),
        "a Polars column": lambda: karat.rows_to_label(
            pl.Series(many["judge"].tolist()), 20, ids=pl.Series(range(300))
        ),
        "every row": lambda: karat.rows_to_label([0, 1, 1, 0], 4),
        "equal confidences": lambda: karat.rows_to_label(judge, 20, confidence=[1.0] * 300),
        "too many": lambda: karat.rows_to_label(judge, 301),
        "fewer than strata": lambda: karat.rows_to_label(judge, 1),
        "none": lambda: karat.rows_to_label(judge, 0),
        "a number of a wrong kind": lambda: karat.rows_to_label(judge, 2.5),
        "confidences above 1": lambda: karat.rows_to_label(judge, 40, confidence=sure + 1),
        "short confidences": lambda: karat.rows_to_label(judge, 40, confidence=sure[:9]),
        "short ids": lambda: karat.rows_to_label(judge, 40, ids=two["id"][:9]),
        "missing labels": lambda: karat.rows_to_label(two["gold"], 40),
        "a wrong seed": lambda: karat.rows_to_label(judge, 40, seed=-1),
    }
    for name, run in drawn.items():
        yield Call(f"rows to label: {name}", "rows_to_label", "array", run)
    yield Call("rows to label: as CSV", "rows_to_label", "array", _file_of_rows)
    yield Call("rows to label: estimates", "rows_to_label", "array", _labeled)


def _file_of_rows() -> dict[str, Any]:
    two = judged()
    rows = karat.rows_to_label(two["judge"], 9, ids=two["id"])
    path = Path("rows-to-label.csv")
    text = rows.to_csv(path)
    without_ids = karat.rows_to_label(two["judge"], 9).to_csv()
    return {
        "same": path.read_text() == text,
        "text": text,
        "without ids": without_ids,
        "repr": repr(rows),
        "n": len(rows),
        "weights": rows.gold_weights,
    }


def _labeled() -> Any:
    two = judged()
    rows = karat.rows_to_label(two["judge"], 80, confidence=two["confidence"], seed=4)
    gold = np.full(300, np.nan)
    gold[rows.rows] = two["pred"][rows.rows]
    report = karat.evaluate(
        y_true=gold, design=karat.Judge(two["judge"], weights=rows.gold_weights), positive=1
    )
    return report.shares


REPORTS = """
report judged.csv --true gold --judge judge --metrics accuracy,f1
report judged.csv --true gold --judge judge --metrics accuracy,f1 --format markdown
report judged.csv --true gold --judge judge --metrics accuracy,f1 --format csv
report judged.csv --true gold --judge judge --metrics accuracy --format latex
report judged.parquet --true gold --judge judge --prob p_yes --pred '' --metrics roc_auc,brier
report judged.jsonl --true gold --judge judge --pred '' --prob '' --score '' --positive 1
report judged.csv --true gold --judge judge --pred pred --prob '' --metrics accuracy --level 0.8
report judged.csv --true gold --judge judge --pred pred --prob '' --metrics f1 --positive 0
report judged.csv --true gold --judge judge --metrics f1 --weights mass --clusters team
report judged.csv --true gold --judge judge --metrics f1 --where "country = 'NO'" --gold-is-random
report judged.csv --true gold --judge judge --metrics f1 --side low --method wald
report animals.csv --true gold --judge judge --pred pred --prob '' --metrics macro_f1
report animals.csv --true gold --judge judge --prob 'proba_*' --pred '' --metrics log_loss
report design.csv --true gold --judge judge --gold-weights gold_weight --metrics accuracy
report design.csv --true gold --judge judge --metrics accuracy
report "SELECT * FROM 'judged.csv' WHERE mass > 1" --true gold --judge judge --metrics f1
report judged.csv --true gold --judge judge --metrics accuracy -o judged-report.html
report judged.csv --true gold --judge judge --metrics accuracy -o judged-report.md
report judged.csv --true gold
report judged.csv --gold-weights mass
report judged.csv --judge judge
report judged.csv --true judge --judge judge
report judged.csv --true judge --judge gold
report judged.csv --true pred --judge judge
report judged.csv --true gold --judge llm
report judged.csv --true gold --judge judge --by country
report judged.csv --true gold --judge judge --folds country
report judged.csv --true gold --judge judge --keep-rows 5
report judged.csv --true gold --judge judge --errors wrong.csv
report judged.csv --true gold --judge judge --nulls drop
report judged.csv --true gold --judge judge --method bootstrap
report judged.csv --true gold --judge judge --level none
report judged.csv --true gold --judge judge --design case-control
report judged.csv --true gold --judge judge --anytime 1000
report judged.csv --true gold --judge judge --separator '|'
report judged.csv --true gold --judge judge --checkpoint run.karat
report judged.csv --true gold --judge judge --exact
report judged.csv --true gold --judge judge --max-memory 2MB
report judged.csv --true gold --judge judge --metrics support
report 'judged.csv' 'judged.csv' --true gold --judge judge --where "mass > 1"
report both.csv --true old --pred new --gold-weights mass --metrics accuracy
report both.csv --true old --pred new --gold-is-random --metrics accuracy
report label.csv
report label.csv --judge judge --metrics accuracy
"""
COMPARISONS = """
compare old.csv new.csv --true gold --judge judge
compare old.csv new.csv --true gold --judge judge --metrics accuracy,f1 --format json
compare old.csv new.csv big.csv --true gold --judge judge --metrics accuracy --adjust maxt
compare old.csv new.csv big.csv --true gold --judge judge --metrics accuracy --against-first
compare old.csv new.csv --true gold --judge judge --metrics accuracy --margin 0.05 --level 0.9
compare old.csv new.csv --true gold --judge judge --metrics f1 --clusters team --weights mass
compare old.csv new.csv --true gold --judge judge --metrics f1 --where "mass > 1" --gold-is-random
compare old.csv new.csv --true gold --judge judge --metrics accuracy --format markdown
compare old.csv new.csv --judge judge
compare old.csv new.csv --true gold
compare old.csv new.csv --true gold --judge judge --flips flips.csv
compare old.csv new.csv --true gold --judge judge --folds country
compare old.csv new.csv --true gold --judge judge --anytime 1000
compare old.csv new.csv --true gold --judge judge --nulls drop
compare old.csv new.csv --true gold --judge judge --separator '|'
compare old.csv new.csv --true gold --judge judge --metrics support
compare old.csv short.csv --true gold --judge judge
compare old.csv --true gold --judge judge
compare both.csv --pred old,new --true gold --judge judge
"""
LABELS = """
label judged.csv --judge judge -n 9
label judged.csv --judge judge --confidence confidence -n 9 --seed 1
label judged.parquet --judge judge -n 9 --ids id
label animals.csv --judge judge -n 9
label judged.csv --judge judge -n 9 -o to_label.csv
label animals.csv --judge judge -n 9 -o to_label.csv
label "SELECT * FROM 'judged.csv' WHERE mass > 1" --judge judge -n 9 -o to_label.csv
label judged.csv --judge judge -n 9 -o judged.csv
label judged.csv --judge judge -n 9 -o animals.csv
label judged.csv --judge judge -n 1
label judged.csv --judge judge -n 999
label judged.csv --judge judge --confidence mass -n 9
label judged.csv --judge llm -n 9
label judged.csv --judge judge --ids nope -n 9
label judged.csv -n 9
label judged.csv --judge judge
label nowhere.csv --judge judge -n 9
label --help
gate judged.csv --true gold --judge judge --min accuracy=0.5
"""


def _lines() -> Iterator[Call]:
    for line in (REPORTS + COMPARISONS + LABELS).split("\n"):
        if line:
            verb = line.partition(" ")[0]
            yield Call(line, f"karat {verb}", "command", lambda line=line: _in_folder(line))


def _in_folder(line: str) -> Any:
    _files()
    return run_lines(line)[0]


def _files() -> None:
    if Path("old.csv").exists():
        return
    two = judged()
    shared = {name: two[name] for name in ("id", "gold", "judge", "mass", "team", "country")}
    pred = judged_systems()["pred"]
    tables: dict[str, Any] = {
        "judged.csv": two,
        "judged.parquet": two,
        "judged.jsonl": two,
        "animals.csv": judged_animals(),
        "design.csv": judged_by_design(),
        "label.csv": {"label": two["gold"], "judge": two["judge"], "pred": two["pred"]},
        "short.csv": {name: x[:250] for name, x in {**shared, "pred": pred["new"]}.items()},
        "both.csv": {**shared, "old": pred["old"], "new": pred["new"]},
    }
    tables |= {f"{name}.csv": {**shared, "pred": labels} for name, labels in pred.items()}
    for name, columns in tables.items():
        kind = name.rpartition(".")[2]
        Path(written(kind, columns, f"of-lines-{Path(name).stem}")).rename(name)

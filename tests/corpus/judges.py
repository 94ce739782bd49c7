"""Gold labels and a judge: reports of every source, and what a judge refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus import judge_outputs, judge_systems
from tests.corpus.calls import Call
from tests.corpus.design_rows import (
    CONTAINERS,
    REFUSED_WITH_A_JUDGE,
    judged,
    judged_animals,
    judged_by_design,
    masked,
    matrix,
)
from tests.corpus.files import written
from tests.grouping import grouped

OF_LABELS = ["accuracy", "macro_f1", "kappa"]
OF_TWO = ["accuracy", "f1", "matthews_correlation", "recall"]
OF_SCORES = ["accuracy", "roc_auc", "log_loss", "brier"]
OF_MANY = ["accuracy", "roc_auc_ovr_macro", "log_loss"]
RANDOM = {"gold_is_random": True}

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "level": {"level": 0.8},
    "low": {"side": "low"},
    "high": {"side": "high"},
    "wald": {"method": "wald"},
    "logit": {"method": "logit"},
    "nan": {"undefined": "nan"},
    "exclude": {"undefined": "exclude"},
    "stated to be random": {"gold_is_random": True},
    "seed": {"seed": 5},
    "one thread": {"n_threads": 1},
    "two threads": {"n_threads": 2},
}
OF_CLASSES: dict[str, dict[str, Any]] = {
    "positive": {"positive": 0},
    "labels": {"labels": [0, 1]},
    "labels in another order": {"labels": [1, 0], "positive": 1},
    "class names": {"labels": karat.Labels(names={0: "no", 1: "yes"})},
    "class names as a list": {"labels": karat.Labels(names=["no", "yes"])},
    "a column named beside arrays": {"y_true": "label"},
}
OF_TABLES: dict[str, dict[str, Any]] = {
    "labels": {"y_prob": "", "y_score": "", "metrics": OF_TWO},
    "probabilities": {"y_prob": "p_yes", "y_pred": "", "metrics": OF_SCORES},
    "scores": {"y_score": "z", "y_pred": "", "metrics": ["accuracy", "roc_auc"]},
    "threshold": {"y_prob": "p_yes", "y_pred": "", "threshold": 0.4, "metrics": OF_SCORES},
    "weights and clusters": {
        "y_prob": "",
        "weights": "mass",
        "clusters": "team",
        "metrics": OF_TWO[:2],
    },
    "verdicts": {"y_pred": "", "y_prob": "", "y_score": ""},
}
WHOLLY = ("pandas", "polars", "arrow", "parquet")


def calls() -> Iterator[Call]:
    yield from _arrays()
    yield from _tables()
    yield from _missing()
    yield from _refused()
    yield from judge_outputs.calls()
    yield from judge_systems.calls()


def facts_of(report: Any) -> dict[str, Any]:
    """A report with a judge; of the judge and of the gold rows some numbers alone.

    Their whole reports are most of its JSON, which few calls record.
    """
    gold = report.gold
    return {
        "is": type(report).__name__,
        "classes": [report.classes.labels, report.classes.display, report.classes.positive],
        "counts": [report.n_rows, report.n_gold, report.level],
        "flags": [report.is_clustered, report.has_gold_weights],
        "metrics": dict(report.metrics),
        "shares": report.shares,
        "judge": [report.judge["accuracy"], report.judge["kappa"]],
        "gold": None if gold is None else [gold["accuracy"], gold.n_rows],
        "mapping": dict(report.mapping),
        "source": dict(report.source),
        "warnings": list(report.warnings),
        "doubts": [doubt.code for doubt in report.doubts],
    }


def _call(name: str, source: str, run: Any) -> Call:
    return Call(name, "evaluate", source, lambda: facts_of(run()))


def _arrays() -> Iterator[Call]:
    two, many, chosen = judged(), judged_animals(), judged_by_design()
    gold, judge = two["gold"], two["judge"]
    for name, options in {**OPTIONS, **OF_CLASSES}.items():
        yield _call(
            f"two labels, {name}",
            "array",
            lambda options=options: karat.evaluate(
                y_true=gold,
                y_pred=two["pred"],
                metrics=OF_TWO,
                **grouped({"design": karat.Judge(judge), **options}),
            ),
        )
    for name, options in OPTIONS.items():
        if name in ("plain", "level", "low", "wald", "nan", "two threads"):
            yield _call(
                f"two probabilities, {name}",
                "array",
                lambda options=options: karat.evaluate(
                    y_true=gold,
                    y_prob=two["p_yes"],
                    metrics=OF_SCORES,
                    **grouped({"design": karat.Judge(judge), **options}),
                ),
            )
            yield _call(
                f"animals, {name}",
                "array",
                lambda options=options: karat.evaluate(
                    y_true=many["gold"],
                    y_pred=many["pred"],
                    metrics=OF_LABELS,
                    **grouped({"design": karat.Judge(many["judge"]), **options}),
                ),
            )
            yield _call(
                f"probabilities of animals, {name}",
                "array",
                lambda options=options: karat.evaluate(
                    y_true=many["gold"],
                    y_prob=matrix(many),
                    metrics=OF_MANY,
                    **grouped({"design": karat.Judge(many["judge"]), **options}),
                ),
            )
            yield _call(
                f"verdicts, {name}",
                "array",
                lambda options=options: karat.evaluate(
                    y_true=gold, **grouped({"design": karat.Judge(judge), **options})
                ),
            )
    singles: dict[str, Any] = {
        "truth with missing labels": lambda: karat.evaluate(
            gold, two["pred"], design=karat.Judge(judge), metrics=OF_TWO
        ),
        "one metric": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge), y_pred=two["pred"], metrics="f1"
        ),
        "scores": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_score=two["z"],
            metrics=["accuracy", "roc_auc"],
        ),
        "threshold": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_prob=two["p_yes"],
            threshold=0.3,
            metrics=OF_SCORES,
        ),
        "labels and probabilities": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred=two["pred"],
            y_prob=two["p_yes"],
            metrics=OF_SCORES,
        ),
        "weights": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred=two["pred"],
            weights=two["mass"],
            metrics=OF_TWO,
        ),
        "clusters": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred=two["pred"],
            clusters=two["team"],
            metrics=OF_TWO,
        ),
        "weighted clusters of probabilities": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_prob=two["p_yes"],
            weights=two["mass"],
            clusters=two["team"],
            metrics=OF_SCORES,
        ),
        "gold weights": lambda: karat.evaluate(
            y_true=chosen["gold"],
            design=karat.Judge(chosen["judge"], weights=chosen["gold_weight"]),
            y_pred=chosen["pred"],
            metrics=OF_TWO,
        ),
        "gold weights of verdicts": lambda: karat.evaluate(
            y_true=chosen["gold"],
            design=karat.Judge(chosen["judge"], weights=chosen["gold_weight"]),
        ),
        "gold weights of probabilities": lambda: karat.evaluate(
            y_true=chosen["gold"],
            design=karat.Judge(chosen["judge"], weights=chosen["gold_weight"]),
            y_prob=chosen["p_yes"],
            metrics=OF_SCORES,
        ),
        "gold weights and weights": lambda: karat.evaluate(
            y_true=chosen["gold"],
            design=karat.Judge(chosen["judge"], weights=chosen["gold_weight"]),
            y_pred=chosen["pred"],
            weights=chosen["mass"],
            clusters=chosen["team"],
            metrics=OF_TWO,
        ),
        "drawn rows that nobody labeled": lambda: karat.evaluate(
            y_true=[None if i % 5 == 0 else x for i, x in enumerate(chosen["gold"])],
            design=karat.Judge(chosen["judge"], weights=chosen["gold_weight"]),
            y_pred=chosen["pred"],
            metrics=OF_TWO,
        ),
        "few gold labels": lambda: karat.evaluate(
            y_true=_first(20),
            y_pred=two["pred"],
            metrics=OF_TWO,
            **grouped({"design": karat.Judge(judge), **RANDOM}),
        ),
        "two gold labels": lambda: karat.evaluate(
            y_true=_first(2),
            y_pred=two["pred"],
            metrics=["accuracy"],
            **grouped({"design": karat.Judge(judge), **RANDOM}),
        ),
        "no gold label of a class": lambda: karat.evaluate(
            y_true=[x if x == 0 else None for x in gold],
            y_pred=two["pred"],
            metrics=OF_TWO,
            **grouped({"design": karat.Judge(judge), **RANDOM}),
        ),
        "a judge that is always right": lambda: karat.evaluate(
            y_true=_first(80, judge.tolist()),
            design=karat.Judge(judge),
            y_pred=two["pred"],
            metrics=OF_TWO,
        ),
        "a judge that says one class": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge([1] * 300), y_pred=two["pred"], metrics=OF_TWO
        ),
        "a model that is the judge": lambda: karat.evaluate(
            y_true=gold,
            y_pred=judge,
            metrics=OF_TWO,
            **grouped({"design": karat.Judge(judge), **RANDOM}),
        ),
        "a class without rows": lambda: karat.evaluate(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred=two["pred"],
            labels=[0, 1, 2],
            metrics=OF_LABELS,
        ),
        "truth and lies": lambda: karat.evaluate(
            y_true=[None if x is None else bool(x) for x in gold],
            design=karat.Judge(judge.astype(bool)),
            y_pred=two["pred"].astype(bool),
            metrics=OF_TWO,
        ),
        "frames of one column": lambda: karat.evaluate(
            y_true=pd.Series(gold, dtype="Int64"),
            design=karat.Judge(pd.Series(judge)),
            y_pred=pl.Series(two["pred"].tolist()),
            metrics=OF_TWO,
        ),
        "arrow columns": lambda: karat.evaluate(
            y_true=pa.array(gold),
            design=karat.Judge(pa.array(judge)),
            y_pred=pa.array(two["pred"]),
            metrics=OF_TWO,
        ),
        "every metric of many labels": lambda: karat.evaluate(
            y_true=many["gold"],
            design=karat.Judge(many["judge"]),
            y_pred=many["pred"],
            interval=karat.Interval(n_replicates=100),
        ),
    }
    for name, run in singles.items():
        yield _call(name, "array", run)


def _first(n: int, labels: Any = None) -> list[Any]:
    """Gold labels of the first rows alone; by default those of `judged`, else by the judge."""
    rows = judged()
    known = rows["judge"].tolist() if labels is None else labels
    wanted = [g if g is not None else x for g, x in zip(rows["gold"], known, strict=True)]
    wanted = wanted if labels is None else known
    return [x if i < n else None for i, x in enumerate(wanted)]


def _tables() -> Iterator[Call]:
    for kind, container in CONTAINERS.items():
        for name, options in OF_TABLES.items():
            if kind in WHOLLY or name in ("labels", "verdicts"):
                yield _call(
                    f"{kind}, {name}",
                    kind.partition(" ")[0],
                    lambda container=container, options=options: karat.evaluate(
                        container(judged(), "judged"),
                        y_true="gold",
                        **grouped({"design": karat.Judge("judge"), **options}),
                    ),
                )
        yield _call(
            f"{kind}, gold weights",
            kind.partition(" ")[0],
            lambda container=container: karat.evaluate(
                container(judged_by_design(), "by-design"),
                y_true="gold",
                design=karat.Judge("judge", weights="gold_weight"),
                y_prob="",
                metrics=OF_TWO[:2],
            ),
        )
        yield _call(
            f"{kind}, animals",
            kind.partition(" ")[0],
            lambda container=container: karat.evaluate(
                container(judged_animals(), "judged-animals"),
                y_true="gold",
                design=karat.Judge("judge"),
                y_prob="proba_*",
                y_pred="",
                metrics=OF_MANY,
            ),
        )
    yield _call(
        "the truth holds the gold labels",
        "pandas",
        lambda: karat.evaluate(
            pd.DataFrame(judged()).rename(columns={"gold": "label"}),
            design=karat.Judge("judge"),
            metrics=OF_TWO,
        ),
    )
    yield _call(
        "the truth is named",
        "csv",
        lambda: karat.evaluate(
            written("csv", judged(), "judged"),
            y_true="gold",
            design=karat.Judge("judge"),
            metrics=OF_TWO,
        ),
    )
    yield _call(
        "a query",
        "sql",
        lambda: karat.evaluate(
            f"SELECT * FROM '{written('parquet', judged(), 'judged')}' WHERE country <> 'NO'",
            y_true="gold",
            design=karat.Judge("judge"),
            metrics=OF_TWO,
        ),
    )
    yield _call(
        "several files",
        "parquet",
        lambda: karat.evaluate(
            written("parquet list", judged(), "judged"),
            y_true="gold",
            design=karat.Judge("judge"),
            metrics=OF_TWO,
        ),
    )


def _missing() -> Iterator[Call]:
    """Gold labels that are missing in every form."""
    two, many = judged(), judged_animals()
    gold, text = two["gold"], many["gold"]
    blank = ["" if x is None else x for x in text]
    forms: dict[str, Any] = {
        "NaN": lambda: np.array([np.nan if x is None else x for x in gold]),
        "objects with NaN": lambda: np.array([np.nan if x is None else x for x in gold], object),
        "pandas NA": lambda: pd.array(gold, dtype="Int64"),
        "a tuple": lambda: tuple(gold),
        "a masked array": lambda: np.ma.masked_equal([-1 if x is None else x for x in gold], -1),
    }
    for name, form in forms.items():
        yield _call(
            f"missing as {name}",
            "array",
            lambda form=form: karat.evaluate(
                y_true=form(),
                design=karat.Judge(two["judge"]),
                y_pred=two["pred"],
                metrics=OF_TWO[:2],
            ),
        )
    texts: dict[str, Any] = {
        "blank text": lambda: blank,
        "spaces": lambda: [x or "  " for x in blank],
        "text of nan": lambda: np.array([x or "nan" for x in blank]),
        "text of NA": lambda: [x or "NA" for x in blank],
        "categories": lambda: pd.Categorical(text),
        "a Polars column": lambda: pl.Series(text),
        "an Arrow dictionary": lambda: pa.array(text).dictionary_encode(),
        "a question mark": lambda: [x or "?" for x in blank],
    }
    for name, form in texts.items():
        yield _call(
            f"missing as {name}",
            "array",
            lambda form=form: karat.evaluate(
                y_true=form(),
                design=karat.Judge(many["judge"]),
                y_pred=many["pred"],
                metrics=OF_LABELS[:2],
            ),
        )
    yield _call(
        "a class named nan",
        "array",
        lambda: karat.evaluate(
            y_true=np.array([x or "nan" for x in blank]),
            design=karat.Judge(many["judge"]),
            y_pred=many["pred"],
            labels=["cat", "dog", "eel", "nan"],
            metrics=OF_LABELS[:2],
        ),
    )


def _frame() -> Any:
    return pd.DataFrame(judged())


def _refused() -> Iterator[Call]:
    two, many = judged(), judged_animals()
    gold, judge, pred = two["gold"], two["judge"], two["pred"]
    for name, options in REFUSED_WITH_A_JUDGE.items():
        yield _call(
            f"refused: {name}",
            "array",
            lambda options=options: karat.evaluate(
                y_true=gold, y_pred=pred, **grouped({"design": karat.Judge(judge), **options})
            ),
        )
    few = np.arange(300) < 9
    by_judge = masked(judge, (judge == 1) | few)
    by_pred = masked(judge, (pred == 1) | few)
    by_both = masked(judge, (pred != judge) | few)
    by_score = masked(judge, np.maximum(two["p_yes"], 1 - two["p_yes"]) < 0.7)
    wrong: dict[str, Any] = {
        "gold without a judge": lambda: karat.evaluate(y_true=gold, y_pred=pred),
        "a judge without gold": lambda: karat.evaluate(design=karat.Judge(judge), y_pred=pred),
        "gold of a table without a judge": lambda: karat.evaluate(_frame(), y_true="gold"),
        "gold and truth": lambda: karat.evaluate(
            judge, pred, y_true=gold, design=karat.Judge(judge)
        ),
        "scores that are missing": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge), y_pred=pred, metrics=["roc_auc"]
        )["roc_auc"],
        "weights of gold without a judge": lambda: karat.evaluate(
            judge, pred, gold_weights=two["mass"]
        ),
        "random without a judge": lambda: karat.evaluate(judge, pred, gold_is_random=True),
        "values beside a table": lambda: karat.evaluate(
            _frame(), y_true=gold, design=karat.Judge("judge")
        ),
        "a judge of values beside a table": lambda: karat.evaluate(
            _frame(), y_true="gold", design=karat.Judge(judge)
        ),
        "weights of values beside a table": lambda: karat.evaluate(
            _frame(), y_true="gold", design=karat.Judge("judge", weights=two["mass"])
        ),
        "a column without a table": lambda: karat.evaluate(
            y_true="gold", design=karat.Judge(judge), y_pred=pred
        ),
        "a judge's column without a table": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge("judge"), y_pred=pred
        ),
        "the same column": lambda: karat.evaluate(
            _frame(), y_true="judge", design=karat.Judge("judge")
        ),
        "no such column": lambda: karat.evaluate(
            _frame(), y_true="human", design=karat.Judge("judge")
        ),
        "no such column of the judge": lambda: karat.evaluate(
            _frame(), y_true="gold", design=karat.Judge("llm")
        ),
        "no such column of weights": lambda: karat.evaluate(
            _frame(), y_true="gold", design=karat.Judge("judge", weights="w")
        ),
        "no gold labels": lambda: karat.evaluate(
            y_true=[None] * 300, design=karat.Judge(judge), y_pred=pred
        ),
        "one gold label": lambda: karat.evaluate(
            y_true=_first(1), design=karat.Judge(judge), y_pred=pred
        ),
        "every gold label": lambda: karat.evaluate(
            y_true=judge, design=karat.Judge(judge), y_pred=pred
        ),
        "a label for missing ones": lambda: karat.evaluate(
            y_true=[x or "unknown" for x in many["gold"]],
            design=karat.Judge(many["judge"]),
            y_pred=many["pred"],
        ),
        "a judge with missing labels": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge([None, *judge[1:].tolist()]), y_pred=pred
        ),
        "a judge's column with missing labels": lambda: karat.evaluate(
            _frame(), y_true="judge", design=karat.Judge("gold")
        ),
        "a short judge": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge[:200]), y_pred=pred
        ),
        "short predictions": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge), y_pred=pred[:200]
        ),
        "labels of two kinds": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(many["judge"]), y_pred=many["pred"]
        ),
        "a label of the judge that is none": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge([7, *judge[1:].tolist()]), y_pred=pred, labels=[0, 1]
        ),
        "rows that the judge chose": lambda: karat.evaluate(
            y_true=by_judge, design=karat.Judge(judge), y_pred=pred
        ),
        "verdicts that the judge chose": lambda: karat.evaluate(
            y_true=by_judge, design=karat.Judge(judge)
        ),
        "rows that the prediction chose": lambda: karat.evaluate(
            y_true=by_pred, design=karat.Judge(judge), y_pred=pred
        ),
        "rows that disagreement chose": lambda: karat.evaluate(
            y_true=by_both, design=karat.Judge(judge), y_pred=pred
        ),
        "rows that the score chose": lambda: karat.evaluate(
            y_true=by_score, design=karat.Judge(judge), y_prob=two["p_yes"]
        ),
        "rows by design without weights": lambda: karat.evaluate(
            y_true=judged_by_design()["gold"],
            design=karat.Judge(judged_by_design()["judge"]),
            y_pred=judged_by_design()["pred"],
        ),
        "a gold weight of 0": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge, weights=[0.0] * 300), y_pred=pred
        ),
        "a gold weight that is missing": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge, weights=[np.nan] * 300), y_pred=pred
        ),
        "short gold weights": lambda: karat.evaluate(
            y_true=gold, design=karat.Judge(judge, weights=[1.0] * 5), y_pred=pred
        ),
        "one heavy row": lambda: karat.evaluate(
            y_true=_first(30), design=karat.Judge(judge, weights=[1e6] + [1.0] * 299), y_pred=pred
        ),
        "a gate with a judge": lambda: karat.gate(
            y_true=gold, y_pred=pred, min={"accuracy": 0.5}, design=karat.Judge(judge)
        ),
        "a function with a judge": lambda: karat.accuracy(gold=gold, judge=judge, y_pred=pred),
    }
    for name, run in wrong.items():
        yield Call(f"refused: {name}", "evaluate", "array", run)

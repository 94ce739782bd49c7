"""Strata of labels in comparisons, and weak slices in forms that `slices` lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl

import karat
from tests.corpus.calls import Call
from tests.corpus.commands import _ran
from tests.corpus.files import written
from tests.corpus.more_rows import TOPICS, three_classes, topics, two_classes
from tests.corpus.source_cells import Batches
from tests.grouping import grouped

SETS, TWO, THREE = topics(90, 81), two_classes(120, 83), three_classes(120, 85)
FEW = {"interval": karat.Interval(n_replicates=99)}
SOME: dict[str, Any] = {"metrics": ["subset_accuracy", "micro_f1", "macro_f1", "hamming_loss"]}
RANKED: dict[str, Any] = {"metrics": ["micro_f1", "label_ranking_average_precision"]}
BY_NAME: dict[str, dict[str, Any]] = {
    "two strata": {"label_strata": {"head": ["sea", "sky"], "tail": ["ice", "sun"]}},
    "three of four": {"label_strata": {"most": ["sea", "sky", "sun"]}},
    "one label": {"label_strata": {"sea alone": ["sea"]}},
    "all labels": {"label_strata": {"all": [*TOPICS]}},
    "strata that overlap": {"label_strata": {"a": ["sea", "sky"], "b": ["sky", "sun"]}},
    "a tuple": {"label_strata": {"head": ("sea", "sky")}},
    "weights": {"label_strata": {"head": ["sea", "sky"]}, "weights": SETS["mass"]},
    "frequency": {
        "label_strata": {"head": ["sea", "sky"]},
        "weights": karat.Frequency(SETS["copies"]),
    },
    "clusters": {"label_strata": {"head": ["sea", "sky"]}, "clusters": SETS["team"]},
    "margin": {"label_strata": {"head": ["sea", "sky"]}, "margin": 0.2},
    "baseline": {"label_strata": {"head": ["sea", "sky"]}, "baseline": "new"},
    "maxt": {"label_strata": {"head": ["sea", "sky"]}, "adjust": "maxt"},
    "level": {"label_strata": {"head": ["sea", "sky"]}, "level": 0.8},
    "unpaired": {"label_strata": {"head": ["sea", "sky"]}, "paired": False},
    "undefined": {"label_strata": {"head": ["sea", "sky"]}, "undefined": "exclude"},
    "labels": {"label_strata": {"head": ["sea"]}, "labels": ["sea", "sky", "sun", "ice"]},
    "class names": {
        "label_strata": {"head": ["Sea"]},
        "labels": karat.Labels(names={"sea": "Sea", "sky": "Sky", "sun": "Sun", "ice": "Ice"}),
    },
    "unknown label": {"label_strata": {"head": ["sea", "moon"]}},
    "a label twice": {"label_strata": {"head": ["sea", "sea"]}},
    "no labels": {"label_strata": {"head": []}},
    "no strata": {"label_strata": {}},
    "a list": {"label_strata": ["sea", "sky"]},
    "a text": {"label_strata": {"head": "sea"}},
    "a number as a name": {"label_strata": {1: ["sea", "sky"]}},
    "an empty name": {"label_strata": {"": ["sea", "sky"]}},
    "looks": {"label_strata": {"head": ["sea", "sky"]}, "design": karat.Looks(1000)},
    "folds": {"label_strata": {"head": ["sea", "sky"]}, "design": karat.Folds(SETS["fold"])},
}
BY_PLACE: dict[str, dict[str, Any]] = {
    "two strata": {"label_strata": {"head": [0, 1], "tail": [2, 3]}},
    "one label": {"label_strata": {"first": [0]}},
    "named": {
        "label_strata": {"head": ["sea", "sky"], "tail": ["sun", "ice"]},
        "labels": [*TOPICS],
    },
    "threshold": {"label_strata": {"head": [0, 1]}, "threshold": 0.3},
    "thresholds": {"label_strata": {"head": [0, 1]}, "threshold": [0.3, 0.4, 0.5, 0.6]},
    "thresholds of models": {
        "label_strata": {"tail": [2, 3]},
        "threshold": {"old": 0.4, "new": 0.6},
    },
    "clusters": {"label_strata": {"head": [0, 1]}, "clusters": SETS["team"]},
    "weights": {"label_strata": {"head": [0, 1]}, "weights": SETS["mass"]},
    "unknown": {"label_strata": {"head": [0, 9]}},
}
ONE_CLASS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": {"old": TWO["old"], "new": TWO["pred"]}, "label_strata": {"a": [1]}},
    "classes": {
        "y_pred": {"old": THREE["old"], "new": THREE["pred"]},
        "label_strata": {"a": ["cat", "dog"]},
    },
}
LABELS_OF = {"two classes": TWO["label"], "classes": THREE["label"]}


def calls() -> Iterator[Call]:
    yield from _compared()
    yield from _reports()
    yield from _weak()
    yield from _forms()
    yield from _designed()
    yield from _lines()


def _compare(name: str, run: Callable[[], Any], source: str = "array") -> Call:
    return Call(name, "compare", source, run)


def _with_strata(comparison: Any) -> Any:
    return {"all": comparison, "strata": comparison.strata}


def _by_name(**options: Any) -> Any:
    """The comparison of two models of sets."""
    models = {"old": SETS["old_sets"], "new": SETS["pred_sets"]}
    return karat.compare(
        SETS["label_sets"], models, **grouped({**SOME, **FEW, **options}, ("adjust",))
    )


def _by_place(**options: Any) -> Any:
    """The comparison of two models of scores of sets."""
    scores = {"old": SETS["old_prob"], "new": SETS["prob"]}
    return karat.compare(
        SETS["truth"], y_prob=scores, **grouped({**RANKED, **FEW, **options}, ("adjust",))
    )


def _compared() -> Iterator[Call]:
    for name, options in BY_NAME.items():
        yield _compare(
            f"sets, {name}",
            lambda o=options: _strata_in_short(
                karat.compare(
                    SETS["label_sets"],
                    {"old": SETS["old_sets"], "new": SETS["pred_sets"]},
                    **grouped({**SOME, **FEW, **o}, ("adjust",)),
                )
            ),
        )
    for name, options in BY_PLACE.items():
        yield _compare(
            f"scores of sets, {name}",
            lambda o=options: _strata_in_short(
                karat.compare(
                    SETS["truth"],
                    y_prob={"old": SETS["old_prob"], "new": SETS["prob"]},
                    **grouped({**RANKED, **FEW, **o}, ("adjust",)),
                )
            ),
        )
    for kind, options in ONE_CLASS.items():
        yield _compare(
            f"{kind}, one class each",
            lambda k=kind, o=options: karat.compare(LABELS_OF[k], **grouped(o, ("adjust",))),
        )
    two = {"head": ["sea", "sky"], "tail": ["ice", "sun"]}
    yield _compare("sets, whole", lambda: _with_strata(_by_name(label_strata=two)))
    yield _compare(
        "scores of sets, whole", lambda: _with_strata(_by_place(label_strata={"head": [0, 1]}))
    )
    forms: dict[str, Callable[[Any], Any]] = {
        "text": str,
        "wide text": lambda comparison: comparison.text(140),
        "markdown": lambda comparison: comparison.to_markdown(),
        "LaTeX": lambda comparison: comparison.to_latex(),
        "CSV": lambda comparison: comparison.to_csv(),
        "frame": lambda comparison: comparison.to_frame("pandas"),
        "JSON": lambda comparison: comparison.to_json(),
        "page": lambda comparison: comparison.to_html(),
        "text of a stratum": lambda comparison: str(comparison.strata["tail"]),
        "difference of a stratum": lambda comparison: comparison.strata["head"]["micro_f1"],
        "best of a stratum": lambda comparison: comparison.strata["head"].best("micro_f1"),
        "unknown stratum": lambda comparison: str(comparison.strata.get("body")),
        "per label": lambda comparison: comparison.per_label,
        "flips": lambda comparison: {
            str(pair): len(flips) for pair, flips in comparison.flips.items()
        },
    }
    for name, form in forms.items():
        yield _compare(f"form: {name}", lambda f=form: f(_by_name(label_strata=two)), "comparison")
    yield _compare("without strata", lambda: str(_by_name().strata), "comparison")
    three = {"old": SETS["old_sets"], "new": SETS["pred_sets"], "judge": SETS["judge_sets"]}
    yield _compare(
        "sets, three models",
        lambda: _strata_in_short(
            karat.compare(
                SETS["label_sets"], three, label_strata=two, **grouped({**SOME, **FEW}, ("adjust",))
            )
        ),
    )
    yield _compare("reports", lambda: _strata_in_short(_compared_reports(two)), "report")
    yield _compare(
        "models on different rows",
        lambda: _strata_in_short(
            karat.compare(
                {"old": SETS["label_sets"][:40], "new": SETS["label_sets"][40:]},
                {"old": SETS["old_sets"][:40], "new": SETS["pred_sets"][40:]},
                label_strata=two,
                **grouped({**SOME, **FEW}, ("adjust",)),
            )
        ),
    )
    texts = {"old": SETS["label_text"], "new": SETS["pred_text"]}
    yield _compare(
        "texts with a separator",
        lambda: _strata_in_short(
            karat.compare(
                SETS["label_text"],
                texts,
                labels=karat.Labels(separator="|"),
                label_strata=two,
                **grouped({**SOME, **FEW}, ("adjust",)),
            )
        ),
    )


def _compared_reports(strata: dict[str, list[str]]) -> Any:
    old = karat.evaluate(SETS["label_sets"], SETS["old_sets"])
    new = karat.evaluate(SETS["label_sets"], SETS["pred_sets"])
    return karat.compare(
        {"old": old, "new": new}, label_strata=strata, **grouped(SOME, ("adjust",))
    )


def _strata_in_short(comparison: Any) -> Any:
    """Differences of all labels and of each stratum."""
    parts = {"all labels": comparison, **(comparison.strata or {})}
    names = ("difference", "low", "high", "p", "p_adjusted", "method", "verdict", "remark")
    return {
        str(part): {
            f"{x.metric}: {x.a} − {x.b}": {name: getattr(x, name) for name in names}
            for x in whole.differences
        }
        for part, whole in parts.items()
    }


def _reports() -> Iterator[Call]:
    """Strata of labels are reports of their own."""
    strata: dict[str, list[Any]] = {
        "two labels": ["sea", "sky"],
        "one label": ["ice"],
        "all": [*TOPICS],
        "none": [],
        "unknown": ["moon"],
    }
    for name, labels in strata.items():
        yield Call(
            f"a report of {name}",
            "report",
            "report",
            lambda labels=labels: karat.evaluate(
                SETS["label_sets"], SETS["pred_sets"], **grouped(SOME)
            ).of_labels(labels),
        )
    yield Call(
        "a report of two labels with scores",
        "report",
        "report",
        lambda: karat.evaluate(SETS["truth"], y_prob=SETS["prob"], **grouped(RANKED)).of_labels(
            [0, 2]
        ),
    )


# Weak slices.
RULES: dict[str, dict[str, Any]] = {
    "metric": {"metric": "accuracy"},
    "macro metric": {"metric": "macro_f1"},
    "metric of a class": {"metric": "recall"},
    "metric of scores": {"metric": "log_loss"},
    "rank metric": {"metric": "roc_auc"},
    "brier": {"metric": "brier"},
    "unknown metric": {"metric": "no_such"},
    "depth 1": {"depth": 1},
    "depth 3": {"depth": 3},
    "depth 4": {"depth": 4},
    "clusters": {"clusters": TWO["team"]},
    "weights": {"weights": TWO["mass"]},
    "weights and clusters": {"weights": TWO["mass"], "clusters": TWO["team"]},
    "weights of 0": {"weights": TWO["fold"]},
    "labels": {"labels": [0, 1, 2]},
    "positive": {"positive": 0},
    "seed": {"seed": 3},
    "threshold": {"threshold": 0.3},
    "gold": {"gold": TWO["gold"], "judge": TWO["judge"]},
    "looks": {"anytime": 1000},
    "folds": {"folds": TWO["fold"]},
}
WHOLE_RULES: dict[str, dict[str, Any]] = {
    "few rows": {"min_n": 100, "interval": karat.Interval(n_replicates=99)},
    "min_n of 0": {"min_n": 0, "interval": karat.Interval(n_replicates=99)},
    "level of 0": {"level": 0, "interval": karat.Interval(n_replicates=99)},
    "few permutations": {"interval": karat.Interval(n_replicates=10)},
}
"""Rules that set what `QUICK` sets."""
WEAK: dict[str, dict[str, Any]] = {
    "labels": {"y_pred": TWO["pred"]},
    "probabilities": {"y_prob": TWO["prob"]},
    "scores": {"y_score": TWO["z"]},
}
BY: dict[str, Any] = {name: TWO[name] for name in ("country", "sex", "age")}
QUICK: dict[str, Any] = {"n_permutations": 99, "min_n": 20, "level": 0.5}


def _weak() -> Iterator[Call]:
    for kind in WEAK:
        for name, rules in RULES.items():
            if kind == "labels" or name in ("metric of scores", "rank metric", "brier", "clusters"):
                yield Call(
                    f"weak slices of {kind}, {name}",
                    "find_weak_slices",
                    "array",
                    lambda k=kind, r=rules: _searched(
                        karat.find_weak_slices(
                            TWO["label"], **grouped({**WEAK[k], **QUICK, **r}, ("min_n",)), by=BY
                        )
                    ),
                )
    for name, rules in WHOLE_RULES.items():
        yield Call(
            f"weak slices of labels, {name}",
            "find_weak_slices",
            "array",
            lambda r=rules: _searched(
                karat.find_weak_slices(TWO["label"], TWO["pred"], by=BY, **grouped(r, ("min_n",)))
            ),
        )
    sets: dict[str, dict[str, Any]] = {
        "sets": {"y_pred": SETS["pred_sets"]},
        "scores of sets": {"y_prob": SETS["prob"]},
    }
    truths = {"sets": SETS["label_sets"], "scores of sets": SETS["truth"]}
    for kind, outputs in sets.items():
        yield Call(
            f"weak slices of {kind}",
            "find_weak_slices",
            "array",
            lambda k=kind, o=outputs: karat.find_weak_slices(
                truths[k], **grouped({**o, **QUICK}, ("min_n",)), by={"country": SETS["country"]}
            ),
        )
    by: dict[str, Any] = {
        "text": {"country": TWO["country"]},
        "numbers": {"age": TWO["age"]},
        "whole numbers": {"fold": TWO["fold"]},
        "booleans": {"is f": TWO["sex"] == "f"},
        "one value": {"all": ["same"] * 120},
        "every row another": {"id": TWO["id"]},
        "missing values": {"c": [None if i % 5 == 0 else c for i, c in enumerate(TWO["country"])]},
        "numbers with NaN": {
            "a": [float("nan") if i % 5 == 0 else a for i, a in enumerate(TWO["age"].tolist())]
        },
        "pandas": pd.DataFrame({"country": TWO["country"], "age": TWO["age"]}),
        "polars": pl.DataFrame({"country": TWO["country"].tolist(), "age": TWO["age"].tolist()}),
        "categories": pd.DataFrame({"c": pd.Categorical(TWO["country"])}),
        "short": {"country": TWO["country"][:50]},
        "an array": TWO["country"],
        "names without a table": ["country"],
        "nothing": None,
    }
    for name, columns in by.items():
        yield Call(
            f"weak slices by {name}",
            "find_weak_slices",
            "array",
            lambda c=columns: _searched(
                karat.find_weak_slices(
                    TWO["label"], TWO["pred"], by=c, **grouped(QUICK, ("min_n",))
                )
            ),
        )
    losses: dict[str, Any] = {
        "numbers": TWO["mass"],
        "whole numbers": TWO["copies"],
        "zeros": TWO["mass"] * 0,
        "booleans": TWO["has_gold"],
        "a list": TWO["mass"].tolist(),
        "short": TWO["mass"][:9],
        "with NaN": [float("nan"), *TWO["mass"][1:].tolist()],
        "a name": "mass",
    }
    for name, loss in losses.items():
        yield Call(
            f"weak slices by losses of {name}",
            "find_weak_slices",
            "array",
            lambda x=loss: _searched(
                karat.find_weak_slices(loss=x, by=BY, **grouped(QUICK, ("min_n",)))
            ),
        )


def _searched(weak: Any) -> Any:
    return {**weak.to_dict(), "doubts": [doubt.code for doubt in weak.doubts]}


TABLES: dict[str, dict[str, Any]] = {
    "all columns": {"y_true": "label", "y_pred": "pred"},
    "by names": {"y_true": "label", "y_pred": "pred", "by": ["country", "sex"]},
    "by one name": {"y_true": "label", "y_pred": "pred", "by": "country"},
    "by a cross": {"y_true": "label", "y_pred": "pred", "by": [("country", "sex")]},
    "probabilities": {"y_true": "label", "y_prob": "prob", "metric": "log_loss"},
    "clusters": {"y_true": "label", "y_pred": "pred", "clusters": "team"},
    "weights": {"y_true": "label", "y_pred": "pred", "weights": "mass"},
    "no weights": {"y_true": "label", "y_pred": "pred", "weights": ""},
    "a loss": {"loss": "mass", "by": ["country", "sex"]},
    "unknown": {"y_true": "label", "y_pred": "no_such"},
}


def table() -> dict[str, Any]:
    """Rows of two classes with columns to look at."""
    names = ("id", "label", "pred", "prob", "mass", "team", "country", "sex", "age")
    return {name: TWO[name].tolist() for name in names}


SOURCES: dict[str, Callable[[], Any]] = {
    "dict": table,
    "parquet": lambda: written("parquet", table(), "weak"),
    "csv": lambda: written("csv", table(), "weak"),
    "jsonl": lambda: written("jsonl", table(), "weak"),
    "parquet folder": lambda: written("parquet folder", table(), "weak"),
    "sql": lambda: f"SELECT * FROM '{written('parquet', table(), 'weak')}' WHERE age > 20",
    "batches": lambda: Batches(table()),
}


def _forms() -> Iterator[Call]:
    for source, make in SOURCES.items():
        for name, options in TABLES.items():
            if source in ("dict", "parquet") or name in ("all columns", "by names", "clusters"):
                yield Call(
                    f"weak slices of {source}, {name}",
                    "find_weak_slices",
                    source,
                    lambda m=make, o=options: _searched(
                        karat.find_weak_slices(m(), **grouped({**o, **QUICK}, ("min_n",)))
                    ),
                )
    forms: dict[str, Callable[[Any], Any]] = {
        "text": str,
        "frame": lambda weak: weak.to_frame("pandas"),
        "polars": lambda weak: weak.to_frame("polars"),
        "dict": lambda weak: weak.to_dict(),
        "notes": lambda weak: [weak.notes, weak.measure, weak.n_clusters, weak.rows],
        "doubts": lambda weak: [[x.code, x.noticed] for x in weak.doubts],
        "repr": repr,
    }
    for name, form in forms.items():
        yield Call(
            f"form of weak slices: {name}",
            "find_weak_slices",
            "dict",
            lambda f=form: f(
                karat.find_weak_slices(
                    table(), y_true="label", y_pred="pred", weights="", **grouped(QUICK, ("min_n",))
                )
            ),
        )


DESIGNS: dict[str, dict[str, Any]] = {
    "weights": {"weights": TWO["mass"]},
    "frequency": {"weights": karat.Frequency(TWO["copies"])},
    "clusters": {"clusters": TWO["team"]},
    "case-control": {"design": karat.CaseControl()},
    "folds": {"design": karat.Folds(TWO["fold"])},
    "looks": {"design": karat.Looks(1000)},
    "bootstrap": {"interval": karat.Interval(method="bootstrap", n_replicates=100)},
    "bayesian": {"interval": karat.Interval(method="bayesian", n_replicates=100)},
    "low side": {"interval": karat.Interval(side="low")},
    "no level": {"level": None},
    "exclude": {"undefined": "exclude"},
}


def _designed() -> Iterator[Call]:
    """Slices of reports under designs: values, differences from the rest, heterogeneity."""
    by = {"country": TWO["country"], "age": TWO["age"]}
    for name, design in DESIGNS.items():
        yield Call(
            f"slices under {name}",
            "slices",
            "array",
            lambda d=design: _slices(
                karat.evaluate(
                    TWO["label"], TWO["pred"], by=by, metrics=["accuracy", "f1"], **grouped(d)
                )
            ),
        )
        yield Call(
            f"slices of probabilities under {name}",
            "slices",
            "array",
            lambda d=design: _slices(
                karat.evaluate(
                    TWO["label"],
                    y_prob=TWO["prob"],
                    by=by,
                    metrics=["roc_auc", "brier"],
                    **grouped(d),
                )
            ),
        )
        yield Call(
            f"slices of sets under {name}",
            "slices",
            "array",
            lambda d=design: _slices(
                karat.evaluate(
                    TOPICS_OF_SLICES["truth"],
                    TOPICS_OF_SLICES["pred"],
                    by=by,
                    metrics=["micro_f1", "subset_accuracy"],
                    **grouped(d),
                )
            ),
        )


TOPICS_OF_SLICES = topics(120, 87)


def _slices(report: Any) -> Any:
    return {"slices": report.to_dict().get("slices"), "text": str(report.slices["country"])}


LINES = """
compare old.csv new.csv --true label --pred pred --separator '|' --label-strata head=sea,sky
compare old.csv new.csv --true label --pred pred --separator '|' --label-strata head=sea,sky \
--label-strata tail=ice,sun --format json --metrics micro_f1
compare old.csv new.csv --true label --pred pred --separator '|' --label-strata head
compare old.csv new.csv --true label --pred pred --separator '|' --label-strata head=moon
compare old.csv new.csv --true label --pred pred --separator '|' --label-strata a=sea \
--label-strata a=sky
compare classes.csv classes.csv --true label --pred pred --label-strata a=1
"""


def _lines() -> Iterator[Call]:
    for line in LINES.strip().splitlines():
        yield Call(line, "karat compare", "command", lambda line=line: _line(line))


def _line(line: str) -> Any:
    files = {
        "old": {"id": SETS["id"], "label": SETS["label_text"], "pred": SETS["label_text"]},
        "new": {"id": SETS["id"], "label": SETS["label_text"], "pred": SETS["pred_text"]},
        "classes": table(),
    }
    for name, columns in files.items():
        if not Path(f"{name}.csv").exists():
            Path(written("csv", columns, name)).rename(f"{name}.csv")
    return _ran(line)

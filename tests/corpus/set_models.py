"""`karat.compare`, `karat.gate` and `karat.rows_needed` on rows with sets of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.set_commands import line_calls
from tests.corpus.set_gates import gate_calls
from tests.corpus.set_rows import (
    FEW,
    NAMES,
    RANKED,
    lists,
    models_of,
    photo_models,
    photos,
    reports,
    sets,
    texts,
)
from tests.grouping import grouped

FAST: dict[str, Any] = {"n_permutations": 199}
PERMUTED: dict[str, dict[str, Any]] = {
    "defaults": {},
    "named metrics": {"metrics": ["macro_f1", "samples_jaccard", "micro_recall"]},
    "one metric": {"metrics": "subset_accuracy"},
    "beta": {"metrics": ["macro_f_beta(beta=2)", "weighted_f1"]},
    "baseline": {"metrics": FEW, "baseline": "old"},
    "level": {"metrics": FEW, "level": 0.8},
    "margin": {"metrics": FEW[:2], "margin": 0.05},
    "a margin of a metric": {"metrics": FEW, "margin": {"micro_f1": 0.02, "macro_f1": 0.1}},
    "no adjustment": {"metrics": FEW, "adjust": "none"},
    "maxt": {"metrics": FEW[:3], "adjust": "maxt"},
    "seed": {"metrics": FEW[:3], "seed": 7},
    "exclude": {"metrics": FEW, "undefined": "exclude"},
    "labels in another order": {"metrics": FEW, "labels": ["doe", "cow", "bee", "ant"]},
    "display names": {
        "metrics": FEW[:2],
        "labels": karat.Labels(NAMES, names=["A", "B", "C", "D"]),
    },
    "strata": {"metrics": FEW[:2], "label_strata": {"head": ["ant", "bee"], "tail": ["doe"]}},
    "a stratum of no such label": {"metrics": FEW[:2], "label_strata": {"tail": ["elk"]}},
    "no strata": {"metrics": FEW[:2], "label_strata": {}},
    "a metric of classes": {"metrics": ["accuracy"]},
    "a metric of scores": {"metrics": ["ndcg"]},
    "no such baseline": {"metrics": FEW, "baseline": "best"},
    "anytime": {"metrics": ["subset_accuracy"], "design": karat.Looks(500)},
    "positive": {"metrics": FEW, "positive": "ant"},
}
OF_SCORES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "ranks": {"metrics": [*RANKED, "one_error", "roc_auc_ovr_micro"]},
    "without limits": {"metrics": ["fmax", "macro_max_f_beta"]},
    "baseline": {"metrics": RANKED[:2], "baseline": "old"},
    "margin": {"metrics": RANKED[:3], "margin": 0.02, "level": 0.9},
    "threshold": {"metrics": FEW[:2], "threshold": 0.25},
    "threshold of each label": {"metrics": FEW[:2], "threshold": [0.25, 0.5, 0.75, 0.5]},
    "threshold of each model": {
        "metrics": FEW[:2],
        "threshold": {"old": 0.25, "new": 0.5, "big": [0.25, 0.5, 0.75, 0.5]},
    },
    "strata": {"metrics": RANKED[:3], "label_strata": {"tail": ["doe", "cow"]}},
    "one thread": {"metrics": RANKED[:3], "reading": karat.Reading(n_threads=1)},
}


def calls() -> Iterator[Call]:
    yield from _comparisons()
    yield from _comparisons_of_scores()
    yield from _comparison_results()
    yield from gate_calls()
    yield from line_calls()
    yield from _sizes()


def _compare(name: str, run: Callable[[], Any], source: str = "list") -> Call:
    return Call(name, "compare", source, run)


def _comparisons() -> Iterator[Call]:
    held = photos()
    truth = lists(held["true"])
    for name, options in PERMUTED.items():
        yield _compare(
            f"three models, {name}",
            lambda o=options: karat.compare(
                truth, models_of(), **grouped({**FAST, **o}, ("adjust",))
            ),
        )
    for name, form in {
        "cells": lambda m: m,
        "sets": sets,
        "arrow lists": lambda m: pa.array(lists(m)),
        "polars lists": lambda m: pl.Series(lists(m)),
        "pandas cells": lambda m: pd.DataFrame(m, columns=list(NAMES)),
    }.items():
        yield _compare(
            f"two models, {name}",
            lambda f=form: karat.compare(
                f(held["true"]),
                models_of(("old", "new"), f),
                metrics=FEW[:3],
                **grouped(FAST, ("adjust",)),
            ),
            "array",
        )
    yield _compare(
        "two models, text",
        lambda: karat.compare(
            texts(held["true"]),
            models_of(("old", "new"), texts),
            labels=karat.Labels(separator="|"),
            metrics=FEW[:3],
            **grouped(FAST, ("adjust",)),
        ),
    )
    yield _compare(
        "a table of models",
        lambda: karat.compare(
            truth,
            pd.DataFrame(models_of(("old", "new"))),
            metrics=FEW[:3],
            **grouped(FAST, ("adjust",)),
        ),
        "pandas",
    )
    two = ("old", "new")
    yield _compare(
        "weights",
        lambda: karat.compare(
            truth, models_of(two), weights=held["mass"], metrics=FEW, **grouped(FAST, ("adjust",))
        ),
    )
    yield _compare(
        "frequency weights",
        lambda: karat.compare(
            truth,
            models_of(two),
            weights=karat.Frequency(held["copies"]),
            metrics=FEW,
            **grouped(FAST, ("adjust",)),
        ),
    )
    yield _compare(
        "clusters",
        lambda: karat.compare(
            truth, models_of(two), clusters=held["team"], metrics=FEW, **grouped(FAST, ("adjust",))
        ),
    )
    yield _compare(
        "clusters and weights",
        lambda: karat.compare(
            truth,
            models_of(two),
            clusters=held["team"],
            weights=held["mass"],
            metrics=FEW[:3],
            **grouped(FAST, ("adjust",)),
        ),
    )
    yield _compare(
        "not paired", lambda: karat.compare(truth, models_of(), paired=False, metrics=FEW)
    )
    yield _compare(
        "rows of each model",
        lambda: karat.compare(
            {"old": truth[:70], "new": truth},
            {"old": models_of()["old"][:70], "new": models_of()["new"]},
            metrics=FEW,
        ),
    )
    yield _compare("reports", lambda: karat.compare(reports(), metrics=FEW), "report")
    yield _compare(
        "reports read from json",
        lambda: karat.compare(
            {
                name: karat.MultilabelReport.from_json(report.to_json())
                for name, report in reports().items()
            }
        ),
        "report",
    )
    yield _compare(
        "a report of classes beside one of sets",
        lambda: karat.compare({**reports(), "classes": karat.evaluate([0, 1], [0, 1])}),
        "report",
    )
    yield _compare(
        "equal models",
        lambda: karat.compare(
            truth, {"a": models_of()["old"], "b": models_of()["old"]}, **grouped(FAST, ("adjust",))
        ),
    )
    yield _compare("fewer rows", lambda: karat.compare(truth, {"a": truth, "b": truth[1:]}))
    yield _compare(
        "folds", lambda: karat.compare(truth, models_of(two), design=karat.Folds(held["sex"]))
    )
    yield _compare("strata of classes", _strata_of_classes)


def _strata_of_classes() -> Any:
    return karat.compare(
        ["a", "b"] * 9, {"old": ["a"] * 18, "new": ["b"] * 18}, label_strata={"head": ["a"]}
    )


def _comparisons_of_scores() -> Iterator[Call]:
    held, models = photos(), photo_models()
    truth = sets(held["true"])
    for name, options in OF_SCORES.items():
        yield _compare(
            f"probabilities, {name}",
            lambda o=options: karat.compare(
                truth, y_prob=models["prob"], **grouped({**FAST, **o}, ("adjust",))
            ),
        )
    for name in ("defaults", "ranks", "strata"):
        yield _compare(
            f"scores, {name}",
            lambda o=OF_SCORES[name]: karat.compare(
                truth, y_logit=models["score"], **grouped({**FAST, **o}, ("adjust",))
            ),
        )
    yield _compare(
        "scores, weights and clusters",
        lambda: karat.compare(
            held["true"],
            y_prob=models["prob"],
            weights=held["mass"],
            clusters=held["team"],
            metrics=RANKED[:3],
            **grouped(FAST, ("adjust",)),
        ),
        "array",
    )
    yield _compare(
        "scores, not paired",
        lambda: karat.compare(
            held["true"], y_prob=models["prob"], paired=False, metrics=RANKED[:3]
        ),
        "array",
    )
    yield _compare(
        "labels of one model, probabilities of another",
        lambda: karat.compare(
            truth,
            {"old": lists(models["pred"]["old"])},
            y_prob={"new": models["prob"]["new"]},
            metrics=FEW[:2],
            **grouped(FAST, ("adjust",)),
        ),
    )
    yield _compare(
        "ranks of a model without scores",
        lambda: karat.compare(
            truth,
            {"old": lists(models["pred"]["old"])},
            y_prob={"new": models["prob"]["new"]},
            metrics=["ndcg"],
        ),
    )
    yield _compare(
        "probabilities and scores",
        lambda: karat.compare(
            truth,
            y_prob={"new": models["prob"]["new"]},
            y_score={"old": models["score"]["old"]},
            metrics=RANKED[:2],
            **grouped(FAST, ("adjust",)),
        ),
    )
    yield _compare(
        "a threshold beside labels",
        lambda: karat.compare(truth, models_of(("old", "new")), threshold=0.5),
    )
    yield _compare(
        "per label of scores",
        lambda: karat.compare(
            truth, y_prob=models["prob"], metrics="ndcg", **grouped(FAST, ("adjust",))
        ).per_label("roc_auc", "new", "old"),
    )


def _comparison_results() -> Iterator[Call]:
    truth = lists(photos()["true"])

    def result(name: str, run: Callable[[Any], Any], *models: str) -> Call:
        def call() -> Any:
            return run(
                karat.compare(
                    truth,
                    models_of(models or ("old", "new")),
                    metrics=FEW,
                    label_strata={"tail": ["doe"]},
                    **grouped(FAST, ("adjust",)),
                )
            )

        return Call(f"comparison, {name}", "Comparison", "comparison", call)

    three = ("old", "new", "big")
    yield result("text", str)
    yield result("text of three models", str, *three)
    yield result("markdown", lambda comparison: comparison.to_markdown())
    yield result("latex", lambda comparison: comparison.to_latex())
    yield result("csv", lambda comparison: comparison.to_csv(), *three)
    yield result("html", lambda comparison: comparison.to_html(), *three)
    yield result("frame", lambda comparison: comparison.to_frame())
    yield result("json", lambda comparison: comparison.to_json())
    yield result("a difference as text", lambda comparison: str(comparison["micro_f1"]))
    yield result("a difference of two", lambda c: c["macro_f1", "big", "old"], *three)
    yield result("discordant rows", lambda c: c["subset_accuracy"].discordant)
    yield result("the best model", lambda c: [c.best("micro_f1"), c.best("macro_f1")], *three)
    yield result("strata", lambda c: [dict(c.strata), str(c.strata["tail"]["macro_f1"])])
    yield result("flips", lambda c: list(c.flips.items()))
    yield result("doubts", lambda c: [[str(doubt) for doubt in c.doubts], c.notes])
    for metric in ("f1", "recall", "precision", "label_kappa"):
        yield result(
            f"per label, {metric}",
            lambda c, m=metric: [c.per_label(m), [str(line) for line in c.per_label(m)]],
        )
    yield result("per label of a pair", lambda c: c.per_label("f1", "big", "new"), *three)
    yield result("per label of no such model", lambda c: c.per_label("f1", "big", "best"))
    yield result("per label of an average", lambda c: c.per_label("macro_f1"))
    yield result("per label of scores that are not there", lambda c: c.per_label("roc_auc"))
    yield Call(
        "per label of other rows",
        "Comparison",
        "comparison",
        lambda: karat.compare(reports()).per_label("f1"),
    )


def _sizes() -> Iterator[Call]:
    def size(name: str, run: Callable[[], Any]) -> Call:
        return Call(f"rows needed, {name}", "rows_needed", "report", lambda: _sized(run()))

    for metric in ("subset_accuracy", "macro_f1", "micro_f1", "samples_f1", "recall", "f1"):
        yield size(
            f"a half width, {metric}",
            lambda m=metric: karat.rows_needed(m, pilot=reports()["new"], half_width=0.04),
        )
    for metric in ("subset_accuracy", "micro_f1", "macro_f1"):
        yield size(
            f"a difference, {metric}",
            lambda m=metric: karat.rows_needed(
                m,
                pilot=reports()["new"],
                difference=0.05,
                power=0.9,
                interval=karat.Interval(side="low"),
            ),
        )
        yield size(
            f"a difference of two models, {metric}",
            lambda m=metric: karat.rows_needed(m, pilot=_pilot(), difference=0.03, level=0.9),
        )
        yield size(
            f"a half width of two models, {metric}",
            lambda m=metric: karat.rows_needed(m, pilot=_pilot(), half_width=0.03),
        )
    yield size("scores", lambda: karat.rows_needed("ndcg", pilot=_scored_report(), half_width=0.03))
    yield size(
        "areas",
        lambda: karat.rows_needed("roc_auc_ovr_macro", pilot=_scored_report(), half_width=0.03),
    )
    yield size(
        "a metric that the pilot lacks",
        lambda: karat.rows_needed("ndcg", pilot=reports()["new"], half_width=0.03),
    )
    yield size(
        "a metric of classes",
        lambda: karat.rows_needed("accuracy", pilot=reports()["new"], half_width=0.03),
    )
    yield size(
        "a pilot read from JSON",
        lambda: karat.rows_needed(
            "macro_f1",
            pilot=karat.MultilabelReport.from_json(reports()["new"].to_json()),
            half_width=0.03,
        ),
    )


def _sized(rows: Any) -> Any:
    return [int(rows), rows.low, rows.high, str(rows)]


def _pilot() -> Any:
    return karat.compare(
        lists(photos()["true"]),
        models_of(("old", "new")),
        metrics=FEW,
        **grouped(FAST, ("adjust",)),
    )


def _scored_report() -> Any:
    return karat.evaluate(photos()["true"], y_prob=photos()["prob"], metrics=RANKED)

"""Intervals that hold at every look (`anytime=`): reports, comparisons, gates, streams, lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import karat
from tests.corpus.calls import Call
from tests.corpus.design_lines import run_lines
from tests.corpus.design_rows import CONTAINERS, animal_batches, batches, matrix, together
from tests.corpus.files import written
from tests.grouping import grouped

OF_TWO = ["accuracy", "f1", "matthews_correlation", "recall"]
OF_SCORES = ["accuracy", "roc_auc", "log_loss", "brier"]
OF_MANY = ["accuracy", "macro_f1", "kappa"]

OPTIONS: dict[str, dict[str, Any]] = {
    "true": {"design": karat.Looks()},
    "false": {"anytime": False},
    "none": {"anytime": None},
    "a number": {"anytime": 1000},
    "few planned rows": {"anytime": 10},
    "many planned rows": {"anytime": 10_000_000},
    "a NumPy number": {"design": karat.Looks(np.int64(1000))},
    "level": {"anytime": 1000, "level": 0.8},
    "low": {"anytime": 1000, "side": "low"},
    "high": {"anytime": 1000, "side": "high"},
    "wald": {"anytime": 1000, "method": "wald"},
    "logit": {"anytime": 1000, "method": "logit"},
    "case-control": {"anytime": 1000, "sampling": "case-control"},
    "nan": {"anytime": 1000, "undefined": "nan"},
    "positive": {"anytime": 1000, "positive": 0},
    "class names": {"anytime": 1000, "labels": karat.Labels(names=["no", "yes"])},
    "one thread": {"anytime": 1000, "n_threads": 1},
    "two threads": {"anytime": 1000, "n_threads": 2},
}
REFUSED: dict[str, dict[str, Any]] = {
    "bootstrap": {"anytime": 1000, "method": "bootstrap"},
    "bca": {"anytime": 1000, "method": "bca"},
    "bayesian": {"anytime": 1000, "method": "bayesian"},
    "no level": {"anytime": 1000, "level": None},
    "too few planned rows": {"anytime": 9},
    "a negative number": {"anytime": -5},
    "a fraction": {"anytime": 1000.5},
    "text": {"anytime": "soon"},
    "a number as text": {"anytime": "1000"},
    "a level that is too low": {"anytime": 1000, "level": 0.2},
    "a level in percent": {"anytime": 1000, "level": 95},
}
OF_TABLES: dict[str, dict[str, Any]] = {
    "labels": {"y_pred": "pred", "y_prob": "", "anytime": 1000, "metrics": OF_TWO[:2]},
    "probabilities": {
        "y_prob": "p_yes",
        "y_pred": "",
        "design": karat.Looks(),
        "metrics": OF_SCORES,
    },
    "weighted clusters": {
        "y_prob": "p_yes",
        "y_pred": "",
        "weights": "mass",
        "clusters": "team",
        "anytime": 200,
        "metrics": OF_SCORES,
    },
    "slices": {
        "y_pred": "pred",
        "y_prob": "",
        "by": "country",
        "anytime": 1000,
        "metrics": OF_TWO[:2],
    },
}
WHOLLY = ("pandas", "parquet", "csv")


def calls() -> Iterator[Call]:
    yield from _reports()
    yield from _tables()
    yield from _streams()
    yield from _comparisons()
    yield from _gates()
    yield from _outputs()
    yield from _lines()


def _call(name: str, run: Any, verb: str = "evaluate", source: str = "array") -> Call:
    return Call(name, verb, source, run)


def _reports() -> Iterator[Call]:
    two, many = together(batches()), together(animal_batches())
    truth, pred = two["label"], two["pred"]
    for name, options in OPTIONS.items():
        yield _call(
            f"two labels, {name}",
            lambda options=options: karat.evaluate(truth, pred, metrics=OF_TWO, **grouped(options)),
        )
        if name in ("true", "a number", "level", "low", "wald", "two threads"):
            yield _call(
                f"two probabilities, {name}",
                lambda options=options: karat.evaluate(
                    truth, y_prob=two["p_yes"], metrics=OF_SCORES, **grouped(options)
                ),
            )
            yield _call(
                f"animals, {name}",
                lambda options=options: karat.evaluate(
                    many["label"], many["pred"], metrics=OF_MANY, **grouped(options)
                ),
            )
    for name, options in REFUSED.items():
        yield _call(
            f"refused: {name}",
            lambda options=options: karat.evaluate(truth, pred, **grouped(options)),
        )
    for n in (12, 60, 120, 240, 480):
        yield _call(
            f"a look at {n} rows",
            lambda n=n: karat.evaluate(
                truth[:n], y_prob=two["p_yes"][:n], metrics=OF_SCORES, design=karat.Looks(480)
            ),
        )
    singles: dict[str, Any] = {
        "scores": lambda: karat.evaluate(
            truth, y_score=two["z"], metrics=["accuracy", "roc_auc"], design=karat.Looks(1000)
        ),
        "probabilities of animals": lambda: karat.evaluate(
            many["label"],
            y_prob=matrix(many),
            metrics=["accuracy", "log_loss", "roc_auc_ovr_macro"],
            design=karat.Looks(1000),
        ),
        "threshold": lambda: karat.evaluate(
            truth, y_prob=two["p_yes"], threshold=0.4, metrics=OF_SCORES, design=karat.Looks(1000)
        ),
        "weights": lambda: karat.evaluate(
            truth, pred, weights=two["mass"], metrics=OF_TWO, design=karat.Looks(1000)
        ),
        "frequency weights": lambda: karat.evaluate(
            truth,
            pred,
            weights=karat.Frequency((two["mass"] * 4).astype(int)),
            metrics=OF_TWO,
            design=karat.Looks(1000),
        ),
        "clusters": lambda: karat.evaluate(
            truth, pred, clusters=two["team"], metrics=OF_TWO, design=karat.Looks(60)
        ),
        "clusters of probabilities": lambda: karat.evaluate(
            truth,
            y_prob=two["p_yes"],
            clusters=two["team"],
            metrics=OF_SCORES,
            design=karat.Looks(60),
        ),
        "slices": lambda: karat.evaluate(
            truth, pred, by={"country": two["country"]}, metrics=OF_TWO, design=karat.Looks(1000)
        ),
        "a matrix": lambda: karat.evaluate(
            confusion=[[80, 20], [10, 90]], metrics=OF_TWO, design=karat.Looks(1000)
        ),
        "metrics without such intervals": lambda: karat.evaluate(
            truth,
            y_prob=two["p_yes"],
            metrics=["expected_calibration_error", "ks_statistic", "max_f_beta", "brier"],
            design=karat.Looks(1000),
        ),
        "no errors": lambda: karat.evaluate(
            [0, 1] * 20, [0, 1] * 20, metrics=OF_TWO, design=karat.Looks(1000)
        ),
        "something undefined": lambda: karat.evaluate(
            [0, 0, 1] * 9,
            [0, 0, 0] * 9,
            metrics=["accuracy", "precision"],
            design=karat.Looks(1000),
        ),
        "every metric of labels": lambda: karat.evaluate(truth, pred, design=karat.Looks(1000)),
        "refused: weak slices": lambda: karat.find_weak_slices(
            truth, pred, by={"country": two["country"]}, design=karat.Looks(1000)
        ),
        "refused: a function": lambda: karat.accuracy(truth, pred, anytime=1000),
        "refused: folds": lambda: karat.evaluate(
            truth, pred, design=[karat.Folds(np.arange(480) % 5), karat.Looks(1000)]
        ),
        "refused: sets": lambda: karat.evaluate(
            [{"a"}, {"b"}], [{"a"}, {"a"}], design=karat.Looks(1000)
        ),
    }
    for name, run in singles.items():
        yield _call(name, run)


def _tables() -> Iterator[Call]:
    for kind, container in CONTAINERS.items():
        for name, options in OF_TABLES.items():
            if kind in WHOLLY or name == "probabilities":
                yield _call(
                    f"{kind}, {name}",
                    lambda container=container, options=options: karat.evaluate(
                        container(together(batches()), "looks"), **grouped(options)
                    ),
                    source=kind.partition(" ")[0],
                )
    yield _call(
        "little memory",
        lambda: karat.evaluate(
            written("parquet", together(batches()), "looks"),
            y_prob="p_yes",
            y_pred="",
            metrics=OF_SCORES,
            design=karat.Looks(1000),
            reading=karat.Reading(max_memory=2_000_000),
        ),
        source="parquet",
    )


def _streams() -> Iterator[Call]:
    def labels(**options: Any) -> Any:
        stream = karat.Stream(metrics=OF_TWO, **grouped(options))
        reports = []
        for batch in batches():
            stream.update(batch["label"], batch["pred"])
            reports.append(stream.report(design=karat.Looks(1000)))
        return [report.metrics for report in reports]

    def probabilities() -> Any:
        stream = karat.Stream(metrics=OF_SCORES)
        reports = []
        for batch in batches():
            stream.update(batch["label"], y_prob=batch["p_yes"])
            reports.append(stream.report(design=karat.Looks(480)))
        return [report.metrics for report in reports]

    def weighted() -> Any:
        stream = karat.Stream(metrics=OF_TWO)
        for batch in batches():
            stream.update(batch["label"], batch["pred"], weights=batch["mass"])
        return stream.report(design=karat.Looks())

    def animals() -> Any:
        stream = karat.Stream(metrics=OF_MANY)
        for batch in animal_batches():
            stream.update(batch["label"], batch["pred"])
        return [
            stream.report(design=karat.Looks(1000)),
            stream.report(),
            stream.report(design=karat.Looks(False)),
        ]

    def filled(**options: Any) -> Any:
        stream = karat.Stream(**grouped(options))
        stream.update(batches()[0]["label"], batches()[0]["pred"])
        return stream

    def sets_report() -> Any:
        stream = karat.Stream()
        stream.update([{"a"}, {"b"}], [{"a"}, {"a"}])
        return stream.report(design=karat.Looks(1000))

    streams: dict[str, Any] = {
        "labels at every look": labels,
        "one limit at every look": lambda: labels(interval=karat.Interval(side="low"), level=0.9),
        "probabilities at every look": probabilities,
        "weights": weighted,
        "animals": animals,
        "some metrics": lambda: filled().report(["kappa"], design=karat.Looks(1000)),
        "after bytes": lambda: karat.Stream.from_bytes(filled(metrics=OF_TWO).to_bytes()).report(
            design=karat.Looks(1000)
        ),
        "refused: no level": lambda: filled(level=None).report(design=karat.Looks(1000)),
        "refused: bootstrap": lambda: filled(interval=karat.Interval(method="bootstrap")).report(
            design=karat.Looks(1000)
        ),
        "refused: text": lambda: filled().report(design=karat.Looks("soon")),
        "refused: no rows": lambda: karat.Stream().report(design=karat.Looks(1000)),
        "refused: sets": sets_report,
        "refused: at the start": lambda: karat.Stream(design=karat.Looks(1000)),
    }
    for name, run in streams.items():
        yield _call(f"stream: {name}", run, "Stream", "stream")


COMPARE: dict[str, dict[str, Any]] = {
    "plain": {"anytime": 1000},
    "true": {"design": karat.Looks()},
    "level": {"anytime": 1000, "level": 0.8},
    "baseline": {"anytime": 1000, "baseline": "old"},
    "margin": {"anytime": 1000, "margin": 0.05},
    "no adjustment": {"anytime": 1000, "adjust": "none"},
    "nan": {"anytime": 1000, "undefined": "nan"},
    "two threads": {"anytime": 1000, "n_threads": 2},
    "refused: maxt": {"anytime": 1000, "adjust": "maxt"},
    "refused: not paired": {"anytime": 1000, "paired": False},
    "refused: few planned rows": {"anytime": 3},
    "refused: text": {"anytime": "soon"},
    "refused: a level that is too low": {"anytime": 1000, "level": 0.2},
}


def _comparisons() -> Iterator[Call]:
    two, many = together(batches()), together(animal_batches())
    truth = two["label"]
    models = {"new": two["pred"], "old": two["older"], "none": np.zeros(480, int)}
    pair = {name: models[name] for name in ("new", "old")}
    prob = {"new": two["p_yes"], "old": two["p_older"]}
    for name, options in COMPARE.items():
        yield _call(
            f"compare: labels, {name}",
            lambda options=options: karat.compare(
                truth, models, metrics=OF_TWO[:2], **grouped(options, ("adjust",))
            ),
            "compare",
        )
    for n in (40, 120, 480):
        yield _call(
            f"compare: a look at {n} rows",
            lambda n=n: karat.compare(
                truth[:n],
                {m: x[:n] for m, x in pair.items()},
                metrics=OF_TWO,
                design=karat.Looks(480),
            ),
            "compare",
        )
    singles: dict[str, Any] = {
        "probabilities": lambda: karat.compare(
            truth, y_prob=prob, metrics=OF_SCORES, design=karat.Looks(1000)
        ),
        "scores": lambda: karat.compare(
            truth,
            y_score={"new": two["z"], "old": two["z"][::-1].copy()},
            metrics=["roc_auc"],
            design=karat.Looks(1000),
        ),
        "animals": lambda: karat.compare(
            many["label"],
            {"new": many["pred"], "old": many["older"]},
            metrics=OF_MANY,
            design=karat.Looks(1000),
        ),
        "weights": lambda: karat.compare(
            truth, pair, weights=two["mass"], metrics=OF_TWO, design=karat.Looks(1000)
        ),
        "clusters": lambda: karat.compare(
            truth, pair, clusters=two["team"], metrics=OF_TWO, design=karat.Looks(60)
        ),
        "the same model": lambda: karat.compare(
            truth, {"a": two["pred"], "b": two["pred"]}, metrics=OF_TWO, design=karat.Looks(1000)
        ),
        "as text": lambda: str(
            karat.compare(truth, pair, metrics=OF_TWO, design=karat.Looks(1000))
        ),
        "as Markdown": lambda: karat.compare(
            truth, pair, metrics=OF_TWO, design=karat.Looks(1000)
        ).to_markdown(),
        "one difference": lambda: str(
            karat.compare(truth, pair, metrics=OF_TWO, design=karat.Looks(1000))["accuracy"]
        ),
        "refused: the best": lambda: karat.compare(
            truth, models, metrics=["accuracy"], design=karat.Looks(1000)
        ).best("accuracy"),
        "refused: different rows": lambda: karat.compare(
            {"new": truth, "old": truth[:300]},
            {"new": two["pred"], "old": two["older"][:300]},
            design=karat.Looks(1000),
        ),
        "refused: reports": lambda: karat.compare(
            {name: karat.evaluate(truth, x, design=karat.Looks(1000)) for name, x in pair.items()},
            design=karat.Looks(1000),
        ),
        "reports of every look compared once": lambda: karat.compare(
            {name: karat.evaluate(truth, x, design=karat.Looks(1000)) for name, x in pair.items()}
        ),
        "refused: folds": lambda: karat.compare(
            truth, pair, design=[karat.Folds(np.arange(480) % 5), karat.Looks(1000)]
        ),
        "refused: sets": lambda: karat.compare(
            [{"a"}, {"b"}], {"x": [{"a"}, {"b"}], "y": [{"a"}, {"a"}]}, design=karat.Looks(1000)
        ),
    }
    for name, run in singles.items():
        yield _call(f"compare: {name}", run, "compare")


BOUNDS: dict[str, dict[str, Any]] = {
    "min": {"min": {"accuracy": 0.7}, "anytime": 1000},
    "fails": {"min": {"accuracy": 0.97}, "anytime": 1000},
    "undecided": {"min": {"accuracy": 0.84}, "anytime": 1000},
    "undecided blocks": {
        "min": {"accuracy": 0.84},
        "anytime": 1000,
        "rules": karat.Rules(inconclusive="fail"),
    },
    "value": {"min": {"accuracy": 0.84}, "anytime": 1000, "rules": karat.Rules(evidence="value")},
    "max": {"max": {"error_rate": 0.3}, "design": karat.Looks()},
    "level": {"min": {"accuracy": 0.8}, "anytime": 1000, "level": 0.8},
    "slices": {"min": {"accuracy": 0.7}, "anytime": 1000, "rules": karat.Rules(min_n=20)},
    "refused: few planned rows": {"min": {"accuracy": 0.8}, "anytime": 5},
    "refused: text": {"min": {"accuracy": 0.8}, "anytime": "soon"},
    "refused: no level": {"min": {"accuracy": 0.8}, "anytime": 1000, "level": None},
}
DROPS: dict[str, dict[str, Any]] = {
    "default": {"anytime": 1000},
    "max drop": {"max_drop": {"accuracy": 0.01, "f1": 0.02}, "anytime": 1000},
    "no worse": {"no_worse_than": {"accuracy": 0.1}, "anytime": 1000},
    "no adjustment": {
        "max_drop": {"accuracy": 0.01},
        "rules": karat.Rules(adjust="none"),
        "anytime": 1000,
    },
}


def _gates() -> Iterator[Call]:
    two, many = together(batches()), together(animal_batches())
    truth, pred, older = two["label"], two["pred"], two["older"]
    for name, rules in BOUNDS.items():
        by = {"country": two["country"]} if name == "slices" else None
        yield _call(
            f"gate: {name}",
            lambda rules=rules, by=by: karat.gate(truth, pred, by=by, **grouped(rules)),
            "gate",
        )
    for name, rules in DROPS.items():
        yield _call(
            f"gate: worse, {name}",
            lambda rules=rules: karat.gate(truth, pred, baseline=older, **grouped(rules)),
            "gate",
        )
        yield _call(
            f"gate: better, {name}",
            lambda rules=rules: karat.gate(truth, older, baseline=pred, **grouped(rules)),
            "gate",
        )
    report = karat.evaluate
    singles: dict[str, Any] = {
        "probabilities": lambda: karat.gate(
            truth,
            y_prob=two["p_yes"],
            baseline=two["p_older"],
            max={"log_loss": 0.9},
            max_drop={"roc_auc": 0.01},
            design=karat.Looks(1000),
        ),
        "animals": lambda: karat.gate(
            many["label"],
            many["pred"],
            baseline=many["older"],
            min={"macro_f1": 0.5},
            max_drop={"accuracy": 0.1},
            design=karat.Looks(500),
        ),
        "weights": lambda: karat.gate(
            truth, pred, weights=two["mass"], min={"accuracy": 0.7}, design=karat.Looks(1000)
        ),
        "clusters": lambda: karat.gate(
            truth, pred, clusters=two["team"], min={"accuracy": 0.7}, design=karat.Looks(60)
        ),
        "a table": lambda: karat.gate(
            pd.DataFrame(two),
            y_pred="pred",
            y_prob="",
            min={"accuracy": 0.7},
            design=karat.Looks(1000),
        ),
        "a file": lambda: karat.gate(
            written("csv", two, "looks"),
            y_pred="pred",
            y_prob="",
            min={"f1": 0.7},
            design=karat.Looks(1000),
        ),
        "a report": lambda: karat.gate(
            report(truth, pred, metrics=OF_TWO, design=karat.Looks(1000)),
            min={"accuracy": 0.7},
            design=karat.Looks(1000),
        ),
        "a report as a baseline": lambda: karat.gate(
            truth, pred, baseline=report(truth, older, metrics=OF_MANY), design=karat.Looks(1000)
        ),
        "the same predictions": lambda: karat.gate(
            truth, pred, baseline=pred, max_drop={"accuracy": 0.01}, design=karat.Looks(1000)
        ),
        "as text": lambda: str(
            karat.gate(truth, pred, baseline=older, min={"accuracy": 0.7}, design=karat.Looks(1000))
        ),
        "refused: a report of one look": lambda: karat.gate(
            report(truth, pred, metrics=OF_TWO), min={"accuracy": 0.7}, design=karat.Looks(1000)
        ),
        "refused: a report of every look": lambda: karat.gate(
            report(truth, pred, metrics=OF_TWO, design=karat.Looks(1000)), min={"accuracy": 0.7}
        ),
        "refused: a report of another number": lambda: karat.gate(
            report(truth, pred, metrics=OF_TWO, design=karat.Looks(2000)),
            min={"accuracy": 0.7},
            design=karat.Looks(1000),
        ),
        "refused: folds": lambda: karat.gate(
            truth,
            pred,
            min={"accuracy": 0.7},
            design=[karat.Folds(np.arange(480) % 5), karat.Looks(1000)],
        ),
        "refused: sets": lambda: karat.gate(
            [{"a"}, {"b"}], [{"a"}, {"a"}], min={"subset_accuracy": 0.5}, design=karat.Looks(1000)
        ),
    }
    for name, run in singles.items():
        yield _call(f"gate: {name}", run, "gate")


def _some() -> Any:
    two = together(batches())
    return karat.evaluate(
        two["label"], y_prob=two["p_yes"], metrics=[*OF_SCORES, "f1"], design=karat.Looks(1000)
    )


def _outputs() -> Iterator[Call]:
    shown: dict[str, Any] = {
        "as text": lambda: str(_some()),
        "as JSON": lambda: _some().to_json(),
        "as Markdown": lambda: _some().to_markdown(),
        "as CSV": lambda: _some().to_csv(),
        "as LaTeX": lambda: _some().to_latex(),
        "as HTML": lambda: _some().to_html(),
        "as a frame": lambda: _some().to_frame("pandas"),
        "one metric": lambda: [_some()["f1"], str(_some()["f1"])],
        "a metric that is not listed": lambda: _some()["kappa"],
        "per class": lambda: _some().per_class,
        "read from JSON": lambda: _read_back(_some()),
    }
    for name, run in shown.items():
        yield _call(f"output: {name}", run, "Report", "report")


def _read_back(report: Any) -> dict[str, Any]:
    text = report.to_json()
    again = karat.Report.from_json(text)
    return {
        "same": again.to_json() == text,
        "text": str(again) == str(report),
        "kappa": again["kappa"],
        "gate": karat.gate(again, min={"accuracy": 0.5}, design=karat.Looks(1000)),
    }


LINES = """
report looks.csv --anytime 1000 --pred pred --prob '' --metrics accuracy,f1
report looks.csv --anytime 1000 --prob p_yes --pred '' --metrics roc_auc,brier --format json
report looks.csv --anytime 1000 --prob p_yes --pred '' --metrics roc_auc --format markdown
report looks.csv --anytime 60 --pred pred --prob '' --clusters team --weights mass --metrics f1
report looks.csv --anytime 1000 --pred pred --prob '' --metrics accuracy --by country
report looks.csv --anytime 1000 --pred pred --prob '' --metrics accuracy --side low --level 0.9
report looks.csv --anytime 1000 --pred pred --prob '' --metrics accuracy -o looks.html
report looks.csv --anytime 1000 --pred pred --prob '' --method bootstrap
report looks.csv --anytime 1000 --pred pred --prob '' --level none
report looks.csv --anytime 5 --pred pred --prob ''
report looks.csv --anytime soon --pred pred --prob ''
report looks.csv --anytime --pred pred --prob ''
compare new.csv old.csv --anytime 1000 --metrics accuracy,f1
compare new.csv old.csv --anytime 1000 --metrics accuracy --format json
compare new.csv old.csv new.csv --anytime 1000 --metrics accuracy --against-first
compare new.csv old.csv --anytime 1000 --metrics accuracy --margin 0.1 --level 0.9
compare new.csv old.csv --anytime 1000 --adjust maxt
compare new.csv old.csv --anytime 3
gate new.csv --anytime 1000 --min accuracy=0.7
gate new.csv --anytime 1000 --min accuracy=0.84 --format json
gate new.csv --anytime 1000 --min accuracy=0.97 --format markdown
gate new.csv --anytime 1000 --baseline old.csv --max-drop accuracy=0.01
gate new.csv --anytime 1000 --baseline old.csv --no-worse-than accuracy=0.2 --format json
gate new.csv --anytime 1000 --min accuracy=0.7 --by country
gate new.csv --anytime 2 --min accuracy=0.7
"""


def _lines() -> Iterator[Call]:
    for line in LINES.strip().splitlines():
        verb = line.partition(" ")[0]
        yield _call(line, lambda line=line: _in_folder(line), f"karat {verb}", "command")


def _in_folder(line: str) -> Any:
    if not Path("looks.csv").exists():
        two = together(batches())
        shared = {name: two[name] for name in ("id", "label", "country")}
        tables = {"looks": two, "new": {**shared, "pred": two["pred"]}}
        tables["old"] = {**shared, "pred": two["older"]}
        for name, columns in tables.items():
            Path(written("csv", columns, f"of-lines-{name}")).rename(f"{name}.csv")
    return run_lines(line)[0]

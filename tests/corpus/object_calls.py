"""Rare turns of the verbs: names of columns, doubts, the catalog, gates of reports, streams."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import karat
from tests.corpus import object_bytes, object_models, object_streams
from tests.corpus.calls import Call
from tests.corpus.more_rows import three_classes, topics, two_classes
from tests.corpus.object_rows import labels
from tests.corpus.outcome import Prose

TWO = two_classes()
THREE = three_classes()
SETS = topics()
TABLE = {"label": THREE["label"], "pred": THREE["pred"], "mass": THREE["mass"]}


def calls() -> Iterator[Call]:
    yield from _tables()
    yield from _doubts()
    yield from _functions()
    yield from _catalog()
    yield from _laws()
    yield from _gates()
    yield from object_streams.calls()
    yield from object_bytes.calls()
    yield from object_models.calls()


def _tables() -> Iterator[Call]:
    names: dict[str, Callable[[], Any]] = {
        "a float": lambda: karat.evaluate(TABLE, y_true=1.5, y_pred="pred"),
        "a truth value": lambda: karat.evaluate(TABLE, y_true="label", y_pred=True),
        "a list": lambda: karat.evaluate(TABLE, y_true=["label"], y_pred="pred"),
        "a number": lambda: karat.evaluate(
            pd.DataFrame({0: THREE["label"], 1: THREE["pred"]}), y_true=0, y_pred=1, level=None
        ),
        "a pair": lambda: karat.evaluate(
            pd.DataFrame({("a", 1): THREE["label"], ("a", 2): THREE["pred"]}),
            y_true=("a", 1),
            y_pred=("a", 2),
            level=None,
        ),
        "scores by a dict": lambda: karat.evaluate(TABLE, y_true="label", y_prob={"p": "mass"}),
        "scores by floats": lambda: karat.evaluate(TABLE, y_true="label", y_prob=[1.5]),
        "scores by nothing": lambda: karat.evaluate(TABLE, y_true="label", y_score=[]),
        "scores by bytes": lambda: karat.evaluate(TABLE, y_true="label", y_score=b"p"),
        "weights by a number": lambda: karat.evaluate(TABLE, y_pred="pred", weights=2),
        "folds by a float": lambda: karat.evaluate(TABLE, y_pred="pred", design=karat.Folds(2.5)),
        "ids by a truth value": lambda: karat.evaluate(TABLE, y_pred="pred", ids=False),
        "weak slices by a float": lambda: karat.find_weak_slices(TABLE, y_true=1.5, y_pred="pred"),
        "a check by a float": lambda: karat.check(TABLE, y_true=1.5, y_pred="pred"),
    }
    for name, run in names.items():
        yield Call(f"columns named by {name}", "evaluate", "dict", run)


def _doubts() -> Iterator[Call]:
    """Scores and predictions that look reversed."""
    rng = np.random.default_rng(73)
    label = (rng.random(80) < 0.5).astype(np.int64)
    low = np.clip(rng.integers(1, 128, 80) - 50 * label + 20, 1, 127) / 128.0
    text = np.array(["no", "yes"])[label]
    both = np.column_stack([1.0 - low, low])
    code = np.searchsorted(["cat", "dog", "eel"], THREE["label"])
    turned = THREE["prob"][:, [1, 2, 0]]
    reversed_rows: dict[str, Callable[[], Any]] = {
        "one column": lambda: karat.evaluate(label, y_prob=low, metrics=["roc_auc"]),
        "one column of text": lambda: karat.evaluate(
            text, y_prob=low, positive="yes", metrics=["roc_auc"]
        ),
        "scores": lambda: karat.evaluate(label, y_score=-8.0 * low, metrics=["roc_auc"]),
        "two columns": lambda: karat.evaluate(text, y_prob=both, metrics=["roc_auc_ovr_macro"]),
        "two columns, kappa": lambda: karat.evaluate(label, y_prob=both, metrics=["kappa"]),
        "one column, kappa": lambda: karat.evaluate(label, y_prob=low, metrics=["kappa"]),
        "three columns": lambda: karat.evaluate(
            THREE["label"], y_prob=turned, metrics=["roc_auc_ovr_macro", "kappa"]
        ),
        "labels": lambda: karat.evaluate(label, 1 - label, metrics=["kappa"]),
        "codes": lambda: karat.evaluate(code, (code + 1) % 3, metrics=["kappa"]),
        "two models": lambda: karat.compare(
            label, y_prob={"a": low, "b": 1.0 - low}, metrics=["roc_auc"]
        ),
        "a gate": lambda: karat.gate(label, y_prob=low, min={"roc_auc": 0.1}),
    }
    for name, run in reversed_rows.items():
        yield Call(f"reversed {name}", "doubts", "array", lambda run=run: _doubtful(run()))


def _doubtful(result: Any) -> Any:
    return [item.to_dict() for item in result.doubts]


def _functions() -> Iterator[Call]:
    for weights in ("quadratic", "linear", "none"):
        yield Call(
            f"kappa by {weights} weights",
            "kappa",
            "array",
            lambda weights=weights: karat.kappa([0, 1, 2, 1], [0, 2, 2, 1], weights=weights),
        )
    yield Call(
        "weights by a name", "f1", "array", lambda: karat.f1([0, 1], [0, 1], weights="quadratic")
    )
    functions = {"f1": karat.f1, "roc_auc": karat.roc_auc, "roc": karat.curves.roc}
    for name, function in functions.items():
        yield Call(
            f"defaults of {name}", "help", "name", lambda function=function: _defaults(function)
        )
    many = THREE["label"], THREE["prob"]
    yield Call(
        "micro areas with intervals",
        "evaluate",
        "array",
        lambda: karat.evaluate(
            many[0], y_prob=many[1], metrics=["roc_auc_ovr_micro", "micro_average_precision"]
        ),
    )
    yield Call(
        "micro areas of two models",
        "compare",
        "array",
        lambda: karat.compare(
            many[0],
            y_prob={"new": many[1], "old": THREE["old_prob"]},
            metrics=["roc_auc_ovr_micro", "roc_auc_ovr_macro"],
        ),
    )
    yield Call("results of many metrics", "evaluate", "array", _long_text)
    for design in ("cohort", "case-control"):
        yield Call(
            f"many classes in few cells, {design}",
            "evaluate",
            "array",
            lambda design=design: _many_classes(design),
        )


def _defaults(function: Any) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [repr(item.default) for item in parameters if item.default is not item.empty]


def _long_text() -> Any:
    report = karat.evaluate(TWO["label"], TWO["pred"], level=None)
    return Prose(repr(report.metrics)[:900])


def _many_classes(design: str) -> Any:
    label = np.arange(700) % 350
    pred = np.where(np.arange(700) % 3 == 0, (label + 1) % 350, label)
    sampled = karat.CaseControl() if design == "case-control" else None
    report = karat.evaluate(
        label, pred, metrics=["accuracy", "kappa", "matthews_correlation"], design=sampled
    )
    return {"report": report.metrics, "covariance": report.covariance(["accuracy", "kappa"])}


def _catalog() -> Iterator[Call]:
    metrics = karat.metrics
    for text in ("recall", "calibration", "area under the curve", "xyzzy", "", "MCC"):
        yield Call(
            f"search {text!r}",
            "metrics",
            "name",
            lambda text=text: [str(result) for result in metrics.search(text)][:12],
        )
    for text in ("f1", "macro_f1", "F1", "f_beta(beta=2)", "top_k_accuracy(k=3)", "mcc", "nothing"):
        yield Call(
            f"get {text}",
            "metrics",
            "name",
            lambda text=text: [str(metrics.get(text)), metrics.get(text).definition],
        )
    for text in ("f_beta(beta=0)", "f_beta(beta=x)", "f_beta(gamma=1)", "f_beta(", 7):
        yield Call(f"get {text!r}", "metrics", "name", lambda text=text: str(metrics.get(text)))
    for wanted in (["accuracy"], ["roc_auc", "log_loss"], "macro_f1", None, ["no_such"], []):
        yield Call(
            f"plan of {wanted!r}",
            "Plan",
            "name",
            lambda wanted=wanted: [karat.Plan.of(wanted), Prose(str(karat.Plan.of(wanted)))],
        )
    yield Call("a tally as bytes", "tally", "report", _tally_back)
    for name in ("Ladder", "Rungs", "ScoreTable", "Nothing"):
        yield Call(f"tally and {name}", "tally", "name", lambda name=name: _called(name))
    yield Call(
        "edges",
        "tally",
        "array",
        lambda: [karat.tally.uniform_edges(4), karat.tally.Classes((0, 1))],
    )


def _called(name: str) -> str:
    return str(getattr(karat.tally, name).__name__)


def _tally_back() -> Any:
    cells = labels().confusion.cells
    again = karat.tally.from_bytes(karat.tally.to_bytes(cells))
    both = karat.tally.merge(cells, again)
    return {
        "bytes": karat.tally.to_bytes(cells),
        "counts": again.counts,
        "merged": both.counts,
        "subtracted": karat.tally.subtract(both, cells).counts,
        "marginals": karat.tally.to_marginals(cells).counts,
        "sparse": karat.tally.to_sparse(cells).counts,
    }


def _laws() -> Iterator[Call]:
    """What third parties check their metrics and sources with."""
    # The order of the differences is that of a set: another one in each process.
    laws, get = karat.testing, karat.metrics.get
    checks: dict[str, Callable[[], Any]] = {
        "equal reports": lambda: list(laws.differences(labels(), labels())),
        "other reports": lambda: sorted(laws.differences(labels(), _other_report())),
        "other reports within 0.5": lambda: sorted(
            laws.differences(labels(), _other_report(), within=0.5)
        ),
        "reports without a metric": lambda: sorted(
            laws.differences(_other_report(), labels(), left_out=["kappa"])
        ),
        "random tables": lambda: laws.random_tables(3, 6),
        "random tables by a seed": lambda: laws.random_tables(2, 4, seed=5, gaps=0.1),
        "survivors of recall": lambda: [name for name, *_ in laws.survivors(get("recall").record)],
        "unlisted ones of F": lambda: laws.unlisted(get("f_beta").record),
        "metrics of F": lambda: [str(item) for item in laws.metrics_of(get("f_beta").record, 3)],
        "metrics of accuracy": lambda: [
            str(item) for item in laws.metrics_of(get("accuracy").record, 2)
        ],
    }
    for name, run in checks.items():
        yield Call(f"laws, {name}", "testing", "name", run)
    for subject in ("weights", "slices", "nulls"):
        yield Call(
            f"samples about {subject}",
            "testing",
            "name",
            lambda subject=subject: [
                [item.name, len(item.roles), item.reference.n_rows]
                for item in karat.testing.samples(n_rows=24, subjects=[subject])
            ],
        )
    yield Call(
        "samples about nothing",
        "testing",
        "name",
        lambda: list(karat.testing.samples(subjects=["nothing"])),
    )


def _other_report() -> Any:
    return karat.evaluate(THREE["label"], THREE["old"], metrics=["accuracy", "macro_f1"])


def _gate(name: str, run: Callable[[], Any]) -> Call:
    return Call(f"gate, {name}", "gate", "report", run)


def _gates() -> Iterator[Call]:
    label, pred, old = THREE["label"], THREE["pred"], THREE["old"]
    few = partial(karat.evaluate, label, pred, metrics=["accuracy"])
    before = partial(karat.evaluate, label, old, metrics=["accuracy"])
    rule, drop = {"accuracy": 0.3}, {"accuracy": 0.1}
    yield _gate("a report at another level", lambda: karat.gate(few(level=0.9), min=rule))
    yield _gate(
        "a report of one side",
        lambda: karat.gate(few(interval=karat.Interval(side="low")), min=rule),
    )
    yield _gate("a report without level", lambda: karat.gate(few(level=None), min=rule))
    yield _gate("a report of looks", lambda: karat.gate(few(design=karat.Looks(200)), min=rule))
    yield _gate("a report for looks", lambda: karat.gate(few(), min=rule, design=karat.Looks(200)))
    yield _gate(
        "reports of looks",
        lambda: karat.gate(few(design=karat.Looks(200)), min=rule, design=karat.Looks(200)),
    )
    yield _gate(
        "a baseline at another level",
        lambda: karat.gate(few(), baseline=before(level=0.8), max_drop=drop),
    )
    yield _gate(
        "a baseline of one side",
        lambda: karat.gate(
            few(), baseline=before(interval=karat.Interval(side="high")), max_drop=drop
        ),
    )
    yield _gate(
        "a baseline of looks",
        lambda: karat.gate(few(), baseline=before(design=karat.Looks(99)), max_drop=drop),
    )
    yield _gate(
        "rows and a report of slices",
        lambda: karat.gate(label, pred, baseline=before(), by=THREE["sex"], max_drop=drop),
    )
    yield _gate(
        "a table and a report of slices",
        lambda: karat.gate(
            {"label": label, "pred": pred, "sex": THREE["sex"]},
            baseline=before(),
            by="sex",
            max_drop=drop,
        ),
    )
    yield _gate(
        "weights and a report without",
        lambda: karat.gate(label, pred, weights=THREE["mass"], baseline=before(), max_drop=drop),
    )
    yield _gate(
        "a table of weights and a report without",
        lambda: karat.gate(TABLE, weights="mass", baseline=before(), max_drop=drop),
    )
    yield _gate(
        "a report without weights and one with",
        lambda: karat.gate(few(), baseline=before(weights=THREE["mass"]), max_drop=drop),
    )
    yield _gate(
        "a report of weights",
        lambda: karat.gate(few(weights=THREE["mass"]), baseline=before(), max_drop=drop),
    )
    yield _gate("a folder as the next baseline", _to_a_folder)
    yield _gate(
        "a name with a zero as the next baseline",
        lambda: karat.gate(label, pred, min=rule).save_baseline("next\0.json"),
    )
    for name, path in (("a number", 7), ("nowhere", "nowhere/next.json")):
        yield _gate(
            f"the next baseline at {name}",
            lambda path=path: karat.gate(label, pred, min=rule).save_baseline(path),
        )
    yield _gate("two columns of slices", lambda: karat.gate(label, pred, min=rule, by={}))


def _to_a_folder() -> Any:
    Path("folder.json").mkdir(exist_ok=True)
    return karat.gate(THREE["label"], THREE["pred"], min={"accuracy": 0.3}).save_baseline(
        "folder.json"
    )

"""One small object of every public kind, and what a reader can do with any object."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from typing import Any

import karat
from tests.corpus.more_rows import three_classes, topics, two_classes
from tests.corpus.outcome import Prose, cleaned, text_digest
from tests.corpus.rows import odd

FEW = ["accuracy", "macro_f1", "kappa"]
SCORED = ["accuracy", "roc_auc", "log_loss", "expected_calibration_error"]
OF_SETS = ["subset_accuracy", "micro_f1", "hamming_loss"]


@cache
def labels() -> Any:
    """Report of three classes without scores, with slices."""
    rows = three_classes()
    by = {"sex": rows["sex"], "country": rows["country"]}
    return karat.evaluate(rows["label"], rows["pred"], by=by, metrics=FEW)


@cache
def scores() -> Any:
    """Report of two classes with probabilities, with slices."""
    rows = two_classes()
    return karat.evaluate(
        rows["label"],
        y_prob=rows["prob"],
        by={"sex": rows["sex"]},
        metrics=SCORED,
        interval=karat.Interval(n_replicates=100),
    )


@cache
def whole_scores() -> Any:
    """Report of two classes with probabilities that has every metric, and curves."""
    rows = two_classes()
    return karat.evaluate(
        rows["label"], y_prob=rows["prob"], interval=karat.Interval(n_replicates=100)
    )


@cache
def many_scores() -> Any:
    """Report of three classes with probabilities that has every metric, and curves."""
    rows = three_classes()
    return karat.evaluate(
        rows["label"], y_prob=rows["prob"], interval=karat.Interval(n_replicates=100)
    )


@cache
def listing() -> Any:
    """Report that knows its rows."""
    rows = three_classes()
    return karat.evaluate(rows["label"], rows["pred"], ids=rows["id"], metrics=FEW)


@cache
def weighted() -> Any:
    """Report of weighted rows in clusters."""
    rows = two_classes()
    return karat.evaluate(
        rows["label"],
        rows["pred"],
        weights=rows["mass"],
        clusters=rows["team"],
        metrics=["accuracy", "f1"],
    )


@cache
def undefined() -> Any:
    """Report in which precision is undefined."""
    rows = odd()["never predicted"]
    return karat.evaluate(rows["label"], rows["pred"], metrics=["precision"], undefined="nan")


@cache
def set_labels() -> Any:
    """Report of rows with sets of labels, with slices."""
    rows = topics()
    return karat.evaluate(
        rows["truth"],
        rows["pred"],
        by={"sex": rows["sex"]},
        metrics=OF_SETS,
        interval=karat.Interval(n_replicates=100),
    )


@cache
def judged() -> Any:
    """Report of gold labels and a judge."""
    rows = two_classes()
    return karat.evaluate(
        y_true=rows["gold"],
        design=karat.Judge(rows["judge"]),
        y_pred=rows["pred"],
        metrics=["accuracy", "f1"],
    )


@cache
def compared() -> Any:
    """Comparison of three models."""
    rows = three_classes()
    models = {"new": rows["pred"], "old": rows["old"], "judge": rows["judge"]}
    return karat.compare(rows["label"], models, metrics=["accuracy", "macro_f1"])


@cache
def in_folds() -> Any:
    """Report with folds."""
    rows = three_classes()
    return karat.evaluate(
        rows["label"], rows["pred"], design=karat.Folds(rows["fold"]), metrics=FEW
    )


@cache
def folds_compared() -> Any:
    """Comparison with folds."""
    rows = three_classes()
    models = {"new": rows["pred"], "old": rows["old"]}
    return karat.compare(
        rows["label"], models, design=karat.Folds(rows["fold"]), metrics=["accuracy"]
    )


@cache
def gated() -> Any:
    """Gate with a rule that passes and one that fails."""
    rows = three_classes()
    return karat.gate(rows["label"], rows["pred"], min={"accuracy": 0.5, "macro_f1": 0.95})


@cache
def monitored() -> Any:
    """Monitor after two looks."""
    rows = three_classes()
    monitor = karat.Monitor(min={"accuracy": 0.5}, design=karat.Looks(200))
    for part in (slice(0, 30), slice(30, 60)):
        monitor.add(rows["label"][part], rows["pred"][part])
    return monitor


@cache
def checked() -> Any:
    """Check of usable rows."""
    rows = three_classes()
    return karat.check(rows["label"], rows["pred"])


@cache
def weak() -> Any:
    """Weak slices, one of which is significant."""
    rows = two_classes()
    loss = (rows["country"] == "NO") * 3 + (rows["label"] == rows["pred"]) * 1
    return karat.find_weak_slices(
        by={"country": rows["country"], "sex": rows["sex"]},
        loss=loss,
        interval=karat.Interval(n_replicates=99),
        min_n=10,
    )


@cache
def filled_stream() -> Any:
    """Stream of two batches."""
    rows = three_classes()
    stream = karat.Stream(metrics=FEW)
    stream.update(rows["label"][:20], rows["pred"][:20])
    stream.update(rows["label"][20:], rows["pred"][20:])
    return stream


OBJECTS: dict[str, Any] = {
    "a report of labels": labels,
    "a report of scores": scores,
    "a whole report": many_scores,
    "a report of weighted clusters": weighted,
    "a report of sets": set_labels,
    "a judged report": judged,
    "a report with folds": in_folds,
    "a result": lambda: labels()["accuracy"],
    "an undefined result": lambda: undefined()["precision"],
    "a result of sets": lambda: set_labels()["micro_f1"],
    "a judged result": lambda: judged()["f1"],
    "a judged share": lambda: judged().shares[0],
    "results by name": lambda: labels().metrics,
    "a signature": lambda: labels()["accuracy"].signature,
    "a confusion matrix": lambda: labels().confusion,
    "a weighted confusion matrix": lambda: weighted().confusion,
    "thresholds": lambda: whole_scores().thresholds,
    "thresholds of classes": lambda: many_scores().thresholds,
    "calibration": lambda: scores().calibration,
    "calibration of classes": lambda: many_scores().calibration,
    "slices by column": lambda: labels().slices,
    "no slices": lambda: many_scores().slices,
    "a table of slices": lambda: labels().slices["sex"],
    "a slice": lambda: labels().slices["sex"]["f"],
    "a slice of scores": lambda: scores().slices["sex"]["f"],
    "a slice of sets": lambda: set_labels().slices["sex"]["f"],
    "a difference of slices": lambda: labels().slices["sex"].difference("accuracy")["f"],
    "a test of slices": lambda: labels().slices["sex"].heterogeneity("accuracy"),
    "a gap of slices": lambda: labels().slices["sex"].gap("accuracy"),
    "the worst slice": lambda: labels().slices["sex"].worst("accuracy"),
    "curves": lambda: whole_scores().curves,
    "a ROC curve": lambda: whole_scores().curves.roc.positive,
    "curves by class": lambda: many_scores().curves.roc,
    "a reliability curve": lambda: whole_scores().curves.reliability.positive,
    "a band": lambda: whole_scores().curves.roc.positive.band(0.8),
    "folds": lambda: in_folds().folds,
    "a result over folds": lambda: in_folds().folds["accuracy"],
    "a comparison": compared,
    "a difference": lambda: compared()["accuracy", "old", "new"],
    "a value of a model": lambda: compared().values["accuracy"]["new"],
    "an omnibus test": lambda: compared().omnibus["accuracy"],
    "the best model": lambda: compared().best("accuracy"),
    "differences over folds": lambda: folds_compared().folds,
    "a difference over folds": lambda: folds_compared().folds["accuracy"],
    "a gate": gated,
    "a rule of a gate": lambda: gated().rules[0],
    "a monitor": monitored,
    "a result of a monitor": lambda: monitored().result,
    "a look": lambda: monitored().looks[0],
    "a check": checked,
    "a check of nothing": lambda: karat.check([1, 0], [1]),
    "weak slices": weak,
    "a weak slice": lambda: weak().slices[0],
    "rows of a report": lambda: listing().rows(limit=3),
    "rows of sets": lambda: set_labels().wrong_rows(limit=3),
    "a stream": filled_stream,
    "an empty stream": karat.Stream,
    "a plan": lambda: karat.Plan.of(["accuracy", "roc_auc"]),
    "a scorer": lambda: karat.scorer("macro_f1"),
    "a metric": lambda: karat.metrics.get("macro_f_beta(beta=2)"),
    "a tally": lambda: labels().confusion.cells,
    "classes": lambda: labels().classes,
    "nested folds": lambda: karat.NestedFolds(3, n_repeats=2),
}


def hashed(text: Any) -> Any:
    """Markup as its length and hash; None where there is none."""
    if text is None:
        return None
    return Prose(text_digest(text))


def words_of(thing: Any) -> dict[str, Any]:
    """What is printed, and what a notebook shows."""
    shows = getattr(thing, "_repr_html_", None)
    return {
        "repr": Prose(cleaned(repr(thing))[:1_500]),
        "text": Prose(cleaned(str(thing))[:1_500]),
        "notebook": hashed(shows()) if shows else "no form",
    }


def facts_of(thing: Any) -> dict[str, Any]:
    """Length, truth, number, order and items of an object; what it has not is left out.

    Some of the names that completion offers are metrics: those are listed.
    """
    wanted: dict[str, Any] = {
        "length": lambda: len(thing),
        "truth": lambda: bool(thing),
        "number": lambda: float(thing),
        "rounded": lambda: round(thing, 2),
        "is itself": lambda: bool(thing == thing),
        "is text": lambda: bool(thing == "text"),
        "is below 0.9": lambda: thing < 0.9,
        "is at least 0.9": lambda: thing >= 0.9,
        "items": lambda: [_item(part) for part in list(thing)[:5]],
        "has accuracy": lambda: "accuracy" in thing,
        "metrics in dir": lambda: sorted(set(dir(thing)) & set(karat.metrics.names())),
    }
    facts = {name: _or_kind(call) for name, call in wanted.items()}
    return {name: fact for name, fact in facts.items() if fact != {"raised": "TypeError"}}


def _item(part: Any) -> Any:
    return part if isinstance(part, str | int | float | dict | tuple) else type(part).__name__


def travels(thing: Any) -> dict[str, Any]:
    """What pickle, copy and deepcopy give: the kind, and whether it says the same."""
    columns: dict[str, Any] = {
        "pickled": lambda: pickle.loads(pickle.dumps(thing)),
        "copied": lambda: copy.copy(thing),
        "copied deeply": lambda: copy.deepcopy(thing),
    }
    return {
        name: _or_kind(lambda make=make: _same(thing, make())) for name, make in columns.items()
    }


def _or_kind(call: Any) -> Any:
    try:
        return call()
    except Exception as problem:
        return {"raised": type(problem).__name__}


def _same(thing: Any, other: Any) -> dict[str, Any]:
    said = {"kind": type(other).__name__, "text": cleaned(str(other)) == cleaned(str(thing))}
    if hasattr(thing, "to_json"):
        said["JSON"] = other.to_json() == thing.to_json()
    elif hasattr(thing, "to_dict"):
        said["JSON"] = other.to_dict() == thing.to_dict()
    if hasattr(thing, "to_bytes"):
        said["bytes"] = other.to_bytes() == thing.to_bytes()
    return said

"""Objects of every public kind: what they print, hold and compare with; pickle and copies."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

import karat
from tests.corpus import object_calls, object_pictures
from tests.corpus.calls import Call
from tests.corpus.more_rows import three_classes, topics, two_classes
from tests.corpus.object_rows import (
    FEW,
    OBJECTS,
    OF_SETS,
    compared,
    facts_of,
    folds_compared,
    hashed,
    judged,
    labels,
    listing,
    many_scores,
    scores,
    set_labels,
    travels,
    undefined,
    weighted,
    whole_scores,
    words_of,
)


def calls() -> Iterator[Call]:
    for name, make in OBJECTS.items():
        yield _call(f"{name}, shown", lambda make=make: words_of(make()))
        yield _call(f"{name}, used", lambda make=make: facts_of(make()) | travels(make()))
    yield from _results()
    yield from _matrices()
    yield from _parts()
    yield from _slices()
    yield from _kept_slices()
    yield from _errors()
    yield from object_pictures.calls()
    yield from object_calls.calls()


def _call(name: str, run: Any) -> Call:
    return Call(name, "object", "report", run)


def _results() -> Iterator[Call]:
    for sign in ("lt", "le", "gt", "ge", "eq", "ne"):
        yield _call(
            f"results by {sign}",
            lambda sign=sign: [
                getattr(operator, sign)(labels()["accuracy"], bound) for bound in (0.5, 0.7, 1)
            ],
        )
    for sign in ("lt", "le", "gt", "ge"):
        yield _call(
            f"two results by {sign}",
            lambda sign=sign: getattr(operator, sign)(labels()["accuracy"], labels()["kappa"]),
        )
    yield _call("a result below text", lambda: labels()["accuracy"] < "text")
    yield _call("two equal results", lambda: labels()["accuracy"] == labels()["accuracy"])
    yield _call("two different results", lambda: labels()["accuracy"] == labels()["kappa"])
    yield _call("results rounded", lambda: [round(labels()["kappa"], n) for n in (0, 1, 5)])
    yield _call("a result rounded to a whole number", lambda: round(labels()["kappa"]))
    yield _call(
        "results as keys",
        lambda: {
            "as a number": labels()["accuracy"] in {0.7, 2},
            "hash": hash(labels()["accuracy"]) == hash(0.7),
            "in a set": len({labels()["accuracy"], labels()["accuracy"], labels()["kappa"]}),
        },
    )
    yield _call(
        "results formatted",
        lambda: [f"{labels()['accuracy']:{spec}}" for spec in ("", ".2f", ".1%", "8.3g")],
    )
    yield _call("a result formatted wrongly", lambda: f"{labels()['accuracy']:q}")
    yield _call("results sorted", lambda: sorted(map(float, labels().metrics.values())))
    yield _call("results in an array", lambda: np.array([float(labels()[name]) for name in FEW]))
    for name in ("mean", "ci", "interval", "confidence_interval", "std", "p_value", "score"):
        yield _call(f"a result and {name}", lambda name=name: getattr(labels()["accuracy"], name))
    yield _call("an undefined result as JSON", lambda: [undefined()["precision"].to_dict()])
    yield _call("signatures", lambda: [str(labels()[name].signature) for name in FEW])
    yield _call(
        "a signature of weighted clusters",
        lambda: [str(weighted()["f1"].signature), weighted()["f1"].signature.to_dict()],
    )
    yield _call("a signature of replicates", lambda: str(scores()["log_loss"].signature))
    yield _call(
        "covariance", lambda: labels().covariance(["accuracy", "macro_f1", "kappa", "error_rate"])
    )
    yield _call(
        "covariance of weighted clusters", lambda: weighted().covariance(["accuracy", "f1"])
    )
    yield _call("covariance of clusters", lambda: _of_clusters().covariance(["accuracy", "kappa"]))
    yield _call("covariance of nothing", lambda: labels().covariance([]))
    yield _call("covariance of scores", lambda: scores().covariance(["accuracy", "roc_auc"]))


def _of_clusters() -> Any:
    rows = three_classes()
    return karat.evaluate(rows["label"], rows["pred"], clusters=rows["team"], metrics=FEW)


def _matrices() -> Iterator[Call]:
    kinds = {"counts": labels, "weights": weighted}
    for name, make in kinds.items():
        yield _call(
            f"a matrix of {name}",
            lambda make=make: {
                "labels": make().confusion.labels,
                "names": make().confusion.names,
                "lists": make().confusion.tolist(),
                "array": np.asarray(make().confusion),
                "floats": np.asarray(make().confusion, dtype=np.float32),
                "copy": np.array(make().confusion, copy=True),
                "occupied": make().confusion.occupied(),
                "is read only": not make().confusion.matrix.flags.writeable,
            },
        )
    yield _call("a matrix as a copy that changes", _changed_copy)
    yield _call(
        "two matrices of one report", lambda: labels().confusion.matrix is labels().confusion.matrix
    )


def _changed_copy() -> Any:
    held = np.array(labels().confusion, copy=True)
    held[0, 0] += 100
    return [held, labels().confusion.tolist()]


def _parts() -> Iterator[Call]:
    for name, make in {"of two": whole_scores, "of three": many_scores}.items():
        yield _call(f"thresholds {name}", lambda make=make: make().thresholds)
        yield _call(f"calibration {name}", lambda make=make: make().calibration)
        yield _call(
            f"thresholds {name}, pickled",
            lambda make=make: pickle.loads(pickle.dumps(make().thresholds)),
        )
        yield _call(
            f"calibration {name}, pickled",
            lambda make=make: sorted(pickle.loads(pickle.dumps(make().calibration))),
        )
        for part in ("max_f_beta", "nonsense"):
            yield _call(
                f"thresholds {name} and {part}",
                lambda make=make, part=part: getattr(make().thresholds, part),
            )
        for part in ("expected_calibration_error", "nonsense"):
            yield _call(
                f"calibration {name} and {part}",
                lambda make=make, part=part: getattr(make().calibration, part),
            )
    yield _call("copied thresholds", lambda: type(copy.copy(whole_scores().thresholds)).__name__)
    for name in ("accurracy", "auc", "confusion_matrix", "summary", "classification_report", "_x"):
        yield _call(f"a report and {name}", lambda name=name: getattr(labels(), name))
    yield _call("a report has metrics", lambda: [x in labels() for x in (*FEW, "f1", "mcc", 3)])
    yield _call("metrics of a report", lambda: dict(labels().metrics))
    yield _call("classes of a report", lambda: labels().per_class)
    yield _call(
        "a comparison as a list",
        lambda: [[item.metric, item.a, item.b] for item in compared()] + [len(compared())],
    )
    yield _call("a difference turned", lambda: compared()["accuracy", "new", "old"])
    yield _call("a difference as listed", lambda: compared()["accuracy", "old", "new"])
    yield _call("a difference turned, as text", lambda: str(compared()["macro_f1", "new", "old"]))
    yield _call("a difference of one model", lambda: compared()["accuracy", "new", "new"])
    yield _call("a difference not compared", lambda: compared()["kappa"])
    yield _call(
        "a difference of folds turned", lambda: folds_compared().folds["accuracy", "new", "old"]
    )
    yield _call(
        "flips of a comparison",
        lambda: [len(flips) for flips in compared().flips.values()] + [len(compared().flips)],
    )
    yield _call("a comparison without folds", lambda: compared().folds)
    yield _call("a report without folds", lambda: labels().folds)
    yield _call("a listed row", lambda: [listing().rows()[0], listing().rows()[-1]])
    yield _call("listed rows", lambda: [len(listing().rows()[2:5]), listing().rows().ids])
    for limit in (0, 1, -1, 2.5, True, "many", None):
        yield _call(f"rows, limit {limit!r}", lambda limit=limit: len(listing().rows(limit=limit)))
    yield _call("wrong rows, limit -1", lambda: set_labels().wrong_rows(limit=-1))
    yield _call("judged proportions", lambda: [share.to_dict() for share in judged().shares])


def _slices() -> Iterator[Call]:
    by_sex = {"labels": lambda: labels().slices["sex"], "sets": lambda: set_labels().slices["sex"]}
    for name, make in by_sex.items():
        metric = {"labels": "accuracy", "sets": "micro_f1"}[name]
        yield _call(
            f"a table of slices of {name}",
            lambda make=make: {
                "names": list(make()),
                "rows": make().n_rows,
                "weight": make().weight,
                "level": make().level,
                "columns": make().columns,
                "has": ["f" in make(), "x" in make(), ("f",) in make(), 3 in make()],
            },
        )
        yield _call(
            f"tests of slices of {name}",
            lambda make=make, metric=metric: {
                "values": make().values_of(metric),
                "numbers": [float(item) for item in make().difference(metric).values()],
                "rest": [float(part[metric]) for part in make().rest.values()],
                "test": str(make().heterogeneity(metric)),
                "gap": float(make().gap(metric)),
                "worst": [str(make().worst(metric)), bool(make().worst(metric))],
            },
        )
        yield _call(f"no such slice of {name}", lambda make=make: make()["x"])
    yield _call(
        "a slice as a report",
        lambda: {
            "metrics": labels().slices["sex"]["f"].metrics,
            "classes": labels().slices["sex"]["f"].classes.labels,
            "effective": labels().slices["sex"]["f"].weight_effective,
            "metric not listed": labels().slices["sex"]["f"]["error_rate"],
        },
    )
    yield _call(
        "slices by column",
        lambda: [list(labels().slices), len(labels().slices), "sex" in labels().slices],
    )
    yield _call("a column without slices", lambda: labels().slices["age"])
    yield _call("a report without slices", lambda: many_scores().slices["age"])
    for name, build in _ODD_SLICES.items():
        yield _call(f"slices, {name}", lambda build=build: _described_slices(build()))
    yield _call("a clear worst slice", lambda: _described_slices(_clear()))


def _clear() -> Any:
    part = np.repeat(["a", "b"], 60)
    truth = np.arange(120) % 2
    pred = np.where((part == "b") & (np.arange(120) % 3 > 0), 1 - truth, truth)
    return karat.evaluate(truth, pred, by={"part": part}, metrics=["accuracy"])


def _described_slices(report: Any) -> Any:
    (table,) = report.slices.values()
    (metric,) = list(report)[:1]
    return {
        "slices": {name: part[metric] for name, part in table.items()},
        "difference": table.difference(metric),
        "test": table.heterogeneity(metric),
        "test as text": str(table.heterogeneity(metric)),
        "gap": table.gap(metric),
        "worst": str(table.worst(metric)),
        "text": repr(table),
    }


def _weightless(metric: str) -> Any:
    rows = two_classes()
    weights = np.where(rows["sex"] == "f", 0.0, rows["mass"])
    return karat.evaluate(
        rows["label"],
        y_prob=rows["prob"],
        weights=weights,
        by={"sex": rows["sex"]},
        metrics=[metric],
        interval=karat.Interval(n_replicates=100),
    )


def _one_cluster(metric: str) -> Any:
    rows = three_classes()
    return karat.evaluate(
        rows["label"],
        rows["pred"],
        clusters=np.where(rows["sex"] == "f", "all", rows["team"]),
        by={"sex": rows["sex"]},
        metrics=[metric],
    )


def _without_a_class(metric: str) -> Any:
    rows = three_classes()
    part = np.where((rows["label"] == "eel") | (rows["pred"] == "eel"), "with", rows["sex"])
    return karat.evaluate(
        rows["label"], rows["pred"], clusters=rows["team"], by={"part": part}, metrics=[metric]
    )


def _sets_of_one_cluster() -> Any:
    rows = topics()
    return karat.evaluate(
        rows["truth"],
        rows["pred"],
        clusters=np.where(rows["sex"] == "f", "all", rows["team"]),
        by={"sex": rows["sex"]},
        metrics=["micro_f1"],
    )


_ODD_SLICES: dict[str, Any] = {
    "one weighs nothing": lambda: _weightless("accuracy"),
    "one weighs nothing, scores": lambda: _weightless("roc_auc"),
    "one is of one cluster": lambda: _one_cluster("accuracy"),
    "one is of one cluster, average": lambda: _one_cluster("macro_f1"),
    "some lack a class, clusters": lambda: _without_a_class("macro_recall"),
    "sets of one cluster": _sets_of_one_cluster,
}


def _kept_slices() -> Iterator[Call]:
    """Slices of reports that were read from JSON."""
    clustered = lambda: karat.Report.from_json(_without_a_class("accuracy").to_json())  # noqa: E731
    yield _call(
        "slices of JSON, rest of sets",
        lambda: {name: part["micro_f1"] for name, part in _sets_again().slices["sex"].rest.items()},
    )
    yield _call("slices of JSON, sets", lambda: _described_slices(_sets_again()))
    yield _call(
        "slices of JSON, another metric of sets",
        lambda: _sets_again().slices["sex"].difference("macro_f1"),
    )
    yield _call(
        "slices of JSON, clusters", lambda: clustered().slices["part"].difference("accuracy")
    )
    yield _call(
        "slices of JSON, another metric of clusters",
        lambda: clustered().slices["part"].difference("kappa"),
    )
    yield _call(
        "slices of JSON, another metric of a slice",
        lambda: clustered().slices["part"]["with"]["kappa"],
    )
    again = lambda: karat.Report.from_json(scores().to_json())  # noqa: E731
    yield _call("slices of JSON, scores", lambda: again().slices["sex"]["f"]["roc_auc"])
    yield _call("slices of JSON, other scores", lambda: again().slices["sex"]["f"]["brier"])
    yield _call("slices of JSON, labels", lambda: again().slices["sex"]["f"]["kappa"])
    yield _call("notebook of JSON", lambda: hashed(again()._repr_html_()))


def _sets_again() -> Any:
    return karat.MultilabelReport.from_json(set_labels().to_json())


def _errors() -> Iterator[Call]:
    problems: dict[str, Any] = {
        "an input": lambda: karat.evaluate([1, 0], [1]),
        "a name": lambda: karat.evaluate([1, 0], [1, 0], metrics=["no_such"]),
        "sets": lambda: karat.evaluate([["a"]], [["a"]], metrics=OF_SETS, level=7),
    }
    for name, call in problems.items():
        yield Call(f"an error about {name}", "error", "report", lambda call=call: _problem(call))
    yield Call(
        "a raised code",
        "error",
        "code",
        lambda: karat.errors.error("K122", argument="level", value=7, choices="0 to 1", do="Ask."),
    )
    yield Call("an unknown code", "error", "code", lambda: karat.errors.error("K999"))
    yield Call(
        "values in messages",
        "error",
        "code",
        lambda: [
            karat.errors.short("a" * 300),
            karat.errors.short(np.arange(90)),
            karat.errors.shown(range(40)),
            karat.errors.shown([]),
            karat.errors.shown(["a", "b"], 1),
        ],
    )
    yield Call("codes", "error", "code", lambda: sorted(karat.errors.CATALOGUE))
    yield Call("dir of the errors", "error", "module", lambda: sorted(karat.errors.__all__))


def _problem(call: Any) -> Any:
    try:
        call()
    except karat.KaratError as problem:
        again, copied = pickle.loads(pickle.dumps(problem)), copy.copy(problem)
        return {
            "code": problem.code,
            "context": sorted(problem.context),
            "pickled": [type(again).__name__, again.code, str(again) == str(problem)],
            "copied": [type(copied).__name__, copied.code, str(copied) == str(problem)],
            "text": str(problem),
            "short": repr(problem)[:60],
            "is a value error": isinstance(problem, ValueError),
        }
    return "no error"

"""`karat.Monitor` and `karat monitor`: rules at every look and in windows, states, verdicts."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus import monitor_lines
from tests.corpus.calls import Call
from tests.corpus.design_lines import only_for_now, state_facts
from tests.corpus.design_rows import CONTAINERS, animal_batches, batches, matrix, together
from tests.grouping import grouped

RULES: dict[str, dict[str, Any]] = {
    "min": {"min": {"accuracy": 0.7}},
    "min fails": {"min": {"accuracy": 0.97}},
    "undecided": {"min": {"accuracy": 0.84}},
    "undecided blocks": {"min": {"accuracy": 0.84}, "rules": karat.Rules(inconclusive="fail")},
    "undecided passes": {"min": {"accuracy": 0.84}, "rules": karat.Rules(inconclusive="pass")},
    "max": {"max": {"error_rate": 0.3}},
    "several rules": {"min": {"accuracy": 0.6, "f1": 0.5}, "max": {"error_rate": 0.02}},
    "rules as text": {"min": "accuracy=0.7"},
    "level": {"min": {"accuracy": 0.7}, "level": 0.8},
    "planned rows": {"min": {"accuracy": 0.7}, "design": karat.Looks(480)},
    "planned by true": {"min": {"accuracy": 0.7}, "design": karat.Looks()},
    "positive": {"min": {"recall": 0.5}, "positive": 0},
    "labels": {"min": {"macro_f1": 0.5}, "labels": [0, 1, 2]},
    "nan": {"min": {"macro_f1": 0.5}, "labels": [0, 1, 2], "undefined": "nan"},
    "windows": {"min": {"accuracy": 0.7}, "windows": True},
    "windows fail": {"min": {"accuracy": 0.97}, "windows": True},
    "windows undecided": {
        "min": {"accuracy": 0.84},
        "windows": True,
        "rules": karat.Rules(inconclusive="fail"),
    },
    "windows of several rules": {
        "min": {"accuracy": 0.6, "recall": 0.5},
        "max": {"error_rate": 0.4},
        "windows": True,
        "level": 0.9,
    },
}
OF_SCORES: dict[str, dict[str, Any]] = {
    "every look": {"min": {"roc_auc": 0.6}, "max": {"log_loss": 0.9, "brier": 0.4}},
    "windows": {"min": {"roc_auc": 0.6}, "max": {"brier": 0.4}, "windows": True},
    "threshold": {"min": {"recall": 0.5}, "threshold": 0.3},
    "without such limits": {"max": {"expected_calibration_error": 0.5, "brier": 0.5}},
}
DROPS: dict[str, dict[str, Any]] = {
    "max drop": {"max_drop": {"accuracy": 0.01, "f1": 0.02}},
    "no worse": {"no_worse_than": {"accuracy": 0.3}},
    "both and a bound": {
        "min": {"accuracy": 0.5},
        "max_drop": {"accuracy": 0.02},
        "no_worse_than": {"f1": 0.3},
    },
    "undecided passes": {"max_drop": {"accuracy": 0.05}, "rules": karat.Rules(inconclusive="pass")},
    "windows": {"max_drop": {"accuracy": 0.01}, "windows": True},
}
# What no monitor is container of.
REFUSED: dict[str, dict[str, Any]] = {
    "no rule": {},
    "empty rules": {"min": {}},
    "no such metric": {"min": {"acuracy": 0.5}},
    "a bound that is none": {"min": {"accuracy": "high"}},
    "a bound that is not finite": {"min": {"accuracy": float("nan")}},
    "a bound outside": {"min": {"accuracy": 1.5}},
    "a negative drop": {"max_drop": {"accuracy": -0.1}},
    "few planned rows": {"min": {"accuracy": 0.5}, "design": karat.Looks(3)},
    "no planned rows": {"min": {"accuracy": 0.5}, "design": karat.Looks(False)},
    "planned windows": {"min": {"accuracy": 0.5}, "windows": True, "design": karat.Looks(500)},
    "windows of a wrong kind": {"min": {"accuracy": 0.5}, "windows": "week"},
    "no level": {"min": {"accuracy": 0.5}, "level": None},
    "a level that is too low": {"min": {"accuracy": 0.5}, "level": 0.3},
    "inconclusive of a wrong kind": {"min": {"accuracy": 0.5}, "inconclusive": "warn"},
    "undefined of a wrong kind": {"min": {"accuracy": 0.5}, "undefined": "one"},
    "labels that repeat": {"min": {"accuracy": 0.5}, "labels": [0, 0]},
    "an unknown option": {"min": {"accuracy": 0.5}, "by": "country"},
}


def calls() -> Iterator[Call]:
    yield from _labels()
    yield from _scores()
    yield from _drops()
    yield from _tables()
    yield from _refused()
    yield from _states()
    yield from _outputs()
    yield from monitor_lines.calls()


def _call(name: str, run: Any, source: str = "array") -> Call:
    return Call(name, "Monitor", source, run)


def every_look(monitor: Any, results: list[Any]) -> dict[str, Any]:
    """The verdicts after each batch, and the whole result of the last."""
    last = results[-1]
    return {
        "verdicts": [[x.verdict, x.passed, x.exit_code, x.look] for x in results],
        "lines": [[rule.line for rule in x.rules] for x in results],
        "decided": [last.decided(i) for i in range(len(last.rules))],
        "last": last,
        "repr": repr(monitor),
    }


def _labels() -> Iterator[Call]:
    for name, rules in RULES.items():
        yield _call(f"labels, {name}", lambda rules=rules: _looks_at_labels(rules))
    singles: dict[str, Any] = {
        "animals": lambda: _looks_at_animals(windows=False),
        "windows of animals": lambda: _looks_at_animals(windows=True),
        "weights": lambda: _weighted(windows=False),
        "windows of weights": lambda: _weighted(windows=True),
        "clusters": lambda: _clustered(windows=False),
        "windows of clusters": lambda: _clustered(windows=True),
        "ids": _with_ids,
        "a failure stays": _changing,
        "a window that fails": lambda: _changing(windows=True),
        "few rows": lambda: _looks_at_a_batch({"min": {"accuracy": 0.9}}, [0, 1], [0, 1]),
        "something undefined": lambda: _looks_at_a_batch(
            {"min": {"recall": 0.9}, "labels": [0, 1], "positive": 1}, [0, 0, 0], [0, 0, 0]
        ),
        "something undefined that blocks": lambda: _looks_at_a_batch(
            {
                "min": {"recall": 0.9},
                "labels": [0, 1],
                "positive": 1,
                "rules": karat.Rules(inconclusive="fail"),
            },
            [0, 0, 0],
            [0, 0, 0],
        ),
        "the same batch again": _again,
        "a window without a class": _without_a_class,
        "a new class in a batch": _new_class,
        "nulls of arrays": lambda: karat.Monitor(min={"accuracy": 0.5}).add(
            batches()[0]["label"], batches()[0]["pred"], reading=karat.Reading(nulls="drop")
        ),
    }
    for name, run in singles.items():
        yield _call(name, run)


def _looks_at_labels(rules: dict[str, Any]) -> dict[str, Any]:
    monitor = karat.Monitor(**grouped(rules))
    results = [monitor.add(batch["label"], batch["pred"]) for batch in batches()]
    return every_look(monitor, results)


def _looks_at_a_batch(rules: dict[str, Any], truth: Any, pred: Any) -> dict[str, Any]:
    monitor = karat.Monitor(**grouped(rules))
    return every_look(monitor, [monitor.add(truth, pred)])


def _looks_at_animals(*, windows: bool) -> dict[str, Any]:
    monitor = karat.Monitor(min={"macro_f1": 0.6, "accuracy": 0.9}, windows=windows)
    results = [monitor.add(batch["label"], batch["pred"]) for batch in animal_batches()]
    return every_look(monitor, results)


def _weighted(*, windows: bool) -> dict[str, Any]:
    monitor = karat.Monitor(min={"accuracy": 0.7}, windows=windows)
    results = [
        monitor.add(batch["label"], batch["pred"], weights=batch["mass"]) for batch in batches()
    ]
    return every_look(monitor, results)


def _clustered(*, windows: bool) -> dict[str, Any]:
    monitor = karat.Monitor(min={"accuracy": 0.7, "f1": 0.7}, windows=windows)
    results = [
        monitor.add(batch["label"], batch["pred"], clusters=batch["team"]) for batch in batches()
    ]
    return every_look(monitor, results)


def _with_ids() -> dict[str, Any]:
    monitor = karat.Monitor(max_drop={"accuracy": 0.2})
    results = [
        monitor.add(batch["label"], batch["pred"], baseline=batch["older"], ids=batch["id"])
        for batch in batches()
    ]
    return every_look(monitor, results)


def _changing(*, windows: bool = False) -> dict[str, Any]:
    monitor = karat.Monitor(
        min={"accuracy": 0.7}, design=karat.Looks(None if windows else 500), windows=windows
    )
    results = []
    for i, right in enumerate((0.95, 0.95, 0.3, 0.3, 0.3, 0.99, 0.99)):
        batch = batches(1, 150, right, 60 + i)[0]
        results.append(monitor.add(batch["label"], batch["pred"]))
    return every_look(monitor, results)


def _again() -> dict[str, Any]:
    monitor = karat.Monitor(min={"accuracy": 0.7})
    batch = batches()[0]
    results = [monitor.add(batch["label"], batch["pred"], again=True) for _ in range(3)]
    return every_look(monitor, results)


def _without_a_class() -> dict[str, Any]:
    monitor = karat.Monitor(min={"macro_f1": 0.5}, windows=True)
    truth = np.arange(150) % 3
    results = [monitor.add(truth, truth), monitor.add(truth % 2, truth % 2)]
    return every_look(monitor, results)


def _new_class() -> dict[str, Any]:
    monitor = karat.Monitor(min={"macro_f1": 0.5})
    truth = np.arange(150) % 2
    results = [monitor.add(truth, truth), monitor.add(np.arange(60) % 4, np.arange(60) % 4)]
    return every_look(monitor, results)


def _scores() -> Iterator[Call]:
    for name, rules in OF_SCORES.items():
        yield _call(f"probabilities, {name}", lambda rules=rules: _looks_at_probabilities(rules))
    yield _call("scores", _looks_at_scores)
    yield _call("probabilities of animals", _looks_at_matrices)
    yield _call("labels and probabilities", _looks_at_both)


def _looks_at_probabilities(rules: dict[str, Any]) -> dict[str, Any]:
    monitor = karat.Monitor(**grouped(rules))
    results = [monitor.add(batch["label"], y_prob=batch["p_yes"]) for batch in batches()]
    return every_look(monitor, results)


def _looks_at_scores() -> dict[str, Any]:
    monitor = karat.Monitor(min={"roc_auc": 0.6})
    results = [monitor.add(batch["label"], y_score=batch["z"]) for batch in batches()]
    return every_look(monitor, results)


def _looks_at_matrices() -> dict[str, Any]:
    monitor = karat.Monitor(min={"roc_auc_ovr_macro": 0.5}, max={"log_loss": 1.5})
    results = [monitor.add(batch["label"], y_prob=matrix(batch)) for batch in animal_batches()]
    return every_look(monitor, results)


def _looks_at_both() -> dict[str, Any]:
    monitor = karat.Monitor(min={"accuracy": 0.5, "roc_auc": 0.5})
    results = [
        monitor.add(batch["label"], batch["pred"], y_prob=batch["p_yes"]) for batch in batches()
    ]
    return every_look(monitor, results)


def _drops() -> Iterator[Call]:
    for name, rules in DROPS.items():
        yield _call(
            f"two models, {name}", lambda rules=rules: _looks_at_two_models(rules, "pred", "older")
        )
        yield _call(
            f"two models, better, {name}",
            lambda rules=rules: _looks_at_two_models(rules, "older", "pred"),
        )
    yield _call("two models of probabilities", lambda: _looks_at_two_probabilities(windows=False))
    yield _call("windows of two models", lambda: _looks_at_two_probabilities(windows=True))
    yield _call(
        "the same predictions",
        lambda: _looks_at_two_models({"max_drop": {"accuracy": 0.01}}, "pred", "pred"),
    )


def _looks_at_two_models(rules: dict[str, Any], new: str, old: str) -> dict[str, Any]:
    monitor = karat.Monitor(**grouped(rules))
    results = [monitor.add(batch["label"], batch[new], baseline=batch[old]) for batch in batches()]
    return every_look(monitor, results)


def _looks_at_two_probabilities(*, windows: bool) -> dict[str, Any]:
    monitor = karat.Monitor(max_drop={"roc_auc": 0.01, "brier": 0.01}, windows=windows)
    results = [
        monitor.add(batch["label"], y_prob=batch["p_yes"], baseline=batch["p_older"])
        for batch in batches()
    ]
    return every_look(monitor, results)


def _model(batch: dict[str, Any], pred: str) -> dict[str, Any]:
    shared = {name: batch[name] for name in ("id", "label", "mass", "team")}
    return {**shared, "pred": batch[pred]}


def _tables() -> Iterator[Call]:
    for kind, container in CONTAINERS.items():
        source = kind.partition(" ")[0]
        yield _call(
            f"{kind} of batches", lambda container=container: _looks_at_tables(container), source
        )
        if kind in ("pandas", "polars", "parquet", "csv"):
            yield _call(
                f"{kind} of two models",
                lambda container=container: _looks_at_two_tables(container),
                source,
            )
            yield _call(
                f"{kind} of weights",
                lambda container=container: _looks_at_weights(container),
                source,
            )
    columns: dict[str, Any] = {
        "pandas": pd.Series,
        "polars": lambda values: pl.Series(values.tolist()),
        "arrow": pa.array,
        "lists": lambda values: values.tolist(),
    }
    for kind, column in columns.items():
        yield _call(f"columns of {kind}", lambda column=column: _looks_at_columns(column), kind)


def _looks_at_tables(container: Any) -> dict[str, Any]:
    monitor = karat.Monitor(min={"roc_auc": 0.6, "accuracy": 0.6})
    results = [
        monitor.add(container(batch, f"monitored-{i}"), y_prob="p_yes", y_pred="")
        for i, batch in enumerate(batches()[:3])
    ]
    return {**every_look(monitor, results), "mapping": results[-1].mapping}


def _looks_at_two_tables(container: Any) -> dict[str, Any]:
    monitor = karat.Monitor(max_drop={"accuracy": 0.05}, min={"f1": 0.5})
    results = [
        monitor.add(
            container(_model(batch, "pred"), f"monitored-new-{i}"),
            baseline=container(_model(batch, "older"), f"monitored-old-{i}"),
            ids="id",
        )
        for i, batch in enumerate(batches()[:3])
    ]
    return every_look(monitor, results)


def _looks_at_weights(container: Any) -> dict[str, Any]:
    monitor = karat.Monitor(min={"accuracy": 0.5}, design=karat.Looks(60))
    results = [
        monitor.add(
            container(_model(batch, "pred"), f"monitored-new-{i}"),
            y_true="label",
            y_pred="pred",
            weights="mass",
            clusters="team",
        )
        for i, batch in enumerate(batches()[:2])
    ]
    return every_look(monitor, results)


def _looks_at_columns(column: Any) -> dict[str, Any]:
    monitor = karat.Monitor(min={"accuracy": 0.6})
    results = [monitor.add(column(batch["label"]), column(batch["pred"])) for batch in batches()]
    return every_look(monitor, results)


def _refused() -> Iterator[Call]:
    for name, rules in REFUSED.items():
        yield _call(f"refused: {name}", lambda rules=rules: karat.Monitor(**grouped(rules)))
    batch, other = batches()[0], batches()[1]
    truth, pred = other["label"], other["pred"]
    many = animal_batches()[0]
    sets = [{"a"}, {"b"}]
    wrong: dict[str, Any] = {
        "no rows": lambda monitor: monitor.result,
        "an empty batch": lambda monitor: monitor.add([], []),
        "the same batch": lambda monitor: monitor.add(batch["label"], batch["pred"]),
        "the same rows as a table": lambda monitor: monitor.add(
            {"label": batch["label"], "pred": batch["pred"]}
        ),
        "weights later": lambda monitor: monitor.add(truth, pred, weights=other["mass"]),
        "clusters later": lambda monitor: monitor.add(truth, pred, clusters=other["team"]),
        "probabilities later": lambda monitor: monitor.add(truth, y_prob=other["p_yes"]),
        "labels of another kind": lambda monitor: monitor.add(many["label"], many["pred"]),
        "sets": lambda monitor: monitor.add(sets, sets),
        "a baseline without a rule": lambda monitor: monitor.add(
            truth, pred, baseline=other["older"]
        ),
        "short predictions": lambda monitor: monitor.add(truth, pred[:9]),
        "missing labels": lambda monitor: monitor.add([None, *truth[1:].tolist()], pred),
        "no predictions": lambda monitor: monitor.add(truth),
        "no such file": lambda monitor: monitor.add("nowhere.csv"),
        "a report": lambda monitor: monitor.add(karat.evaluate(truth, pred, metrics=["accuracy"])),
        "folds": lambda monitor: monitor.add(truth, pred, folds=truth),
    }
    for name, run in wrong.items():
        yield _call(f"refused batch: {name}", lambda name=name, run=run: _unchanged(name, run))
    drops: dict[str, Any] = {
        "no baseline": lambda monitor: monitor.add(truth, pred),
        "a report as a baseline": lambda monitor: monitor.add(
            truth, pred, baseline=karat.evaluate(truth, other["older"], metrics=["accuracy"])
        ),
        "a short baseline": lambda monitor: monitor.add(truth, pred, baseline=other["older"][:9]),
        "a baseline of other rows": lambda monitor: monitor.add(
            _model(other, "pred"), baseline=_model(batch, "older")
        ),
        "a baseline of another truth": lambda monitor: monitor.add(
            _model(other, "pred"), baseline={**_model(other, "older"), "label": truth[::-1]}
        ),
    }
    for name, run in drops.items():
        yield _call(
            f"refused batch: {name}",
            lambda run=run: run(karat.Monitor(max_drop={"accuracy": 0.05})),
        )
    yield _call("refused: scores of other classes", _other_classes)


def _unchanged(name: str, run: Any) -> Any:
    """What a batch raised, unless it changed the monitor."""
    monitor = karat.Monitor(min={"accuracy": 0.8})
    if name != "no rows":
        monitor.add(batches()[0]["label"], batches()[0]["pred"])
    before = monitor.to_bytes()
    try:
        return run(monitor)
    except karat.KaratError:
        if monitor.to_bytes() != before:
            return "a batch that was refused changed the monitor"
        raise


def _other_classes() -> Any:
    monitor = karat.Monitor(max={"log_loss": 2.0})
    first, second = animal_batches()[:2]
    monitor.add(first["label"], y_prob=matrix(first))
    return monitor.add(second["label"], y_prob=matrix(second)[:, :2])


def _filled(**rules: Any) -> Any:
    monitor = karat.Monitor(**grouped({"min": {"accuracy": 0.7}, **rules}))
    for batch in batches()[:3]:
        monitor.add(batch["label"], batch["pred"])
    return monitor


def _compared() -> Any:
    monitor = karat.Monitor(max_drop={"brier": 0.02}, min={"roc_auc": 0.5}, design=karat.Looks(500))
    for batch in batches()[:2]:
        monitor.add(
            batch["label"],
            y_prob=batch["p_yes"],
            baseline=batch["p_older"],
            weights=batch["mass"],
            clusters=batch["team"],
        )
    return monitor


def _states() -> Iterator[Call]:
    filled: dict[str, Any] = {
        "labels": _filled,
        "windows": lambda: _filled(windows=True),
        "two models with weights and clusters": _compared,
        "no batch": lambda: karat.Monitor(min={"accuracy": 0.7}, labels=["a", "b"], positive="b"),
    }
    for name, build in filled.items():
        yield _call(
            f"state of {name}", lambda build=build: state_facts(build().to_bytes()), "state"
        )
        if name != "no batch":
            yield _call(f"state read: {name}", lambda build=build: _read_back(build()), "state")
    yield _call("a batch after a state", _goes_on, "state")
    yield _call("a state in a file", _in_a_file, "state")
    broken: dict[str, Any] = {
        "no bytes": lambda data: b"",
        "a text": lambda data: "state",
        "truncated": lambda data: data[:-20],
        "an altered byte": lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        "more bytes": lambda data: data + b"more",
        "other bytes": lambda data: b"x" * 200,
        "an edited bound": lambda data: data.replace(b'"accuracy",0.7', b'"accuracy",0.1'),
        "a newer version": lambda data: data[:8] + b"\xff\x00" + data[10:],
        "a stream": lambda data: karat.Stream().to_bytes(),
    }
    for name, change in broken.items():
        yield _call(
            f"damaged state: {name}",
            lambda change=change: karat.Monitor.from_bytes(change(_filled().to_bytes())),
            "state",
        )
    edits: dict[str, tuple[bytes, bytes]] = {
        "another bound": (b'"accuracy",0.7', b'"accuracy",0.1'),
        "a level of 1.95": (b'"level":0.95', b'"level":1.95'),
        "an unknown metric": (b'"accuracy"', b'"acuracyy"'),
        "an unknown verdict": (b'"PASS"', b'"PASX"'),
        "a look of other rows": (b'"n_new":120', b'"n_new":121'),
        "another species": (b'"species":"monitor"', b'"species":"monitox"'),
        "no planned rows": (b'"anytime":10000', b'"anytime":    3'),
    }
    for name, (old, new) in edits.items():
        yield _call(f"edited state: {name}", lambda old=old, new=new: _edited(old, new), "state")
    yield _call(
        "a stream of a monitor", lambda: karat.Stream.from_bytes(_filled().to_bytes()), "state"
    )
    yield _call("no such state", lambda: karat.Monitor.load("nowhere.karat"), "state")


def _edited(old: bytes, new: bytes) -> Any:
    """A state whose header was edited, with a checksum that fits."""
    data = _filled().to_bytes()
    assert old in data
    body = data.replace(old, new)[:-4]
    monitor = karat.Monitor.from_bytes(body + struct.pack("<I", zlib.crc32(body)))
    return [repr(monitor), monitor.result]


def _read_back(monitor: Any) -> dict[str, Any]:
    again = karat.Monitor.from_bytes(monitor.to_bytes())
    return {
        "same": again.to_bytes() == monitor.to_bytes(),
        "looks": again.looks == monitor.looks,
        "n": again.n_rows,
        "text": str(again.result),
        "result": again.result,
    }


def _goes_on() -> dict[str, Any]:
    """A monitor that was read goes on as the one that was written."""
    monitor = _filled()
    again = karat.Monitor.from_bytes(monitor.to_bytes())
    last = batches()[3]
    results = [x.add(last["label"], last["pred"]) for x in (monitor, again)]
    return {
        "same": results[0].to_dict() == results[1].to_dict(),
        "result": results[1],
        "bytes": monitor.to_bytes() == again.to_bytes(),
    }


def _in_a_file() -> dict[str, Any]:
    path = Path("in-a-file.karat")
    with only_for_now():
        _filled().save(path)
        first = karat.Monitor.load(path)
        first.save(str(path))
        return {
            "files": sorted(str(x) for x in Path().glob("in-a-file*")),
            "state": state_facts(path.read_bytes()),
            "repr": repr(karat.Monitor.load(str(path))),
        }


def _result(**rules: Any) -> Any:
    return _filled(**rules).result


def _outputs() -> Iterator[Call]:
    shown: dict[str, Any] = {
        "as text": lambda: str(_result(min={"accuracy": 0.7, "f1": 0.99})),
        "windows as text": lambda: str(_result(windows=True)),
        "two models as text": lambda: str(_compared().result),
        "as JSON": lambda: _result().to_json(),
        "as a form": lambda: _result()._repr_html_(),
        "truth": lambda: [bool(_result()), bool(_result(min={"accuracy": 0.99}))],
        "facts": lambda: {
            "n": _result().n,
            "look": _result().look,
            "windows": _result().windows,
            "anytime": _result().anytime,
            "level": _result().level,
            "title": _result().title,
            "notes": _result().notes,
            "count": _result().count("PASS"),
            "doubts": [doubt.code for doubt in _result().doubts],
        },
        "looks": lambda: list(_result().looks),
        "a rule": lambda: [_result().rules[0], str(_result().rules[0]), _result().rules[0].line],
        "a monitor": lambda: [repr(_filled()), _filled().n_rows, _filled().looks],
        "whole rows in one batch": lambda: _looks_at_a_batch(
            {"min": {"accuracy": 0.7}}, together(batches())["label"], together(batches())["pred"]
        ),
    }
    for name, run in shown.items():
        yield Call(f"output: {name}", "MonitorResult", "report", run)

"""Reports as JSON with one part changed: read alike, or refused; never believed by half."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.api.results import ClassReport
from karat.errors import KaratError
from karat.output.json import report_schema
from karat.tally import Cells, Classes, to_marginals, to_sparse
from tests.optional import optional
from tests.output.reports import REPORTS

jsonschema = optional("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(report_schema())

Path_ = tuple[str | int, ...]
DELETED = object()
REPLACEMENTS = (None, -1, 0.5, "x", [], {}, math.nan, math.inf, True, DELETED)
DERIVED = {"metrics", "per_class", "karat", "thresholds", "cautions"}
FACTS = {"source", "mapping", "warnings"}
INNER_FACTS = {
    ("tally", "squares"), ("tally", "occupancy"), ("tally", "is_weighted"),
    ("classes", "is_declared"),
}  # fmt: skip
"""What nothing else in the text says: another value is another report."""
N_LONG = 12
"""Of a longer list, and of all metrics, the first and the last part stand for all."""
OF_INTERVALS = {"low", "high", "method", "standard_error", "remark"}
OF_SCORES = ["log_loss", "roc_auc", "roc_auc_ovo_macro"]


def read_from_files() -> Report:
    return replace(
        REPORTS["two"](),
        source={"files": ["a.csv"], "format": ["csv"], "n_bytes": 7, "n_dropped": 1, "where": "1"},
        warnings=("One row was dropped.",),
    )


def named() -> Report:
    return karat.evaluate(
        [False, True, True],
        [False, False, True],
        labels=karat.Labels(names=["no", "yes"]),
        metrics=["f1", "mcc"],
    )


def weighted_sparse() -> Report:
    rng = np.random.default_rng(5)
    report = karat.evaluate(
        rng.integers(0, 30, 90), rng.integers(0, 30, 90), weights=rng.random(90), metrics=["mcc"]
    )
    return replace(report, cells=to_sparse(report.cells))


def many_dense() -> Report:
    """A dense tally of so many classes that its cells are listed."""
    matrix = np.eye(1100) * np.linspace(0.1, 0.9, 1100)
    cells = Cells.dense(matrix, classes=Classes.of(range(1100)), squares=matrix**2, n_rows=1100)
    return ClassReport(cells, requested=(karat.metrics.get("accuracy"),))


def scored() -> Report:
    """Two classes by probabilities, one of which makes the log-loss infinite."""
    return karat.evaluate([0, 1, 1], y_prob=[0.25, 0.5, 0.0], threshold=0.5, metrics=OF_SCORES)


def scored_classes() -> Report:
    """Three classes by scores, one of them absent."""
    return karat.evaluate([0, 1, 1, 0], y_score=np.eye(4, 3), labels=range(3))


MADE = {
    "scored": scored,
    "scored_classes": scored_classes,
    "read_from_files": read_from_files,
    "weighted": REPORTS["weighted"],
    "weighted_totals": lambda: ClassReport(to_marginals(REPORTS["weighted"]().cells)),
    "totals": REPORTS["totals"],
    "named": named,
    "weighted_sparse": weighted_sparse,
    "many_dense": many_dense,
    "sparse": lambda: replace(REPORTS["sparse"](), requested=(karat.metrics.get("macro_f1"),)),
}


def parts(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The path of every part, of long lists and large objects of some."""
    if not isinstance(value, dict | list):
        return
    keys: list[Any] = sorted(value) if isinstance(value, dict) else list(range(len(value)))
    for key in keys if len(keys) <= N_LONG or not path else [keys[0], keys[-1]]:
        yield (*path, key)
        yield from parts(value[key], (*path, key))


def changed(document: dict[str, Any], path: Path_, value: object) -> dict[str, Any]:
    """The document with one part replaced or deleted."""
    copied: dict[str, Any] = {**document, path[0]: copy.deepcopy(document[path[0]])}
    holder: Any = copied
    for key in path[:-1]:
        holder = holder[key]
    if value is DELETED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copied


def text_of(document: dict[str, Any]) -> str:
    # JSON has no infinity: a number too large for a double becomes one.
    return json.dumps(document).replace("Infinity", "1e400")


def read(text: str) -> Report | None:
    """The report, or None where it is refused."""
    try:
        return Report.from_json(text)
    except KaratError:
        return None


def expected(
    document: dict[str, Any], wrong: dict[str, Any], path: Path_, found: dict[str, Any]
) -> dict[str, Any]:
    """What a report of a changed document may be, once it is taken."""
    if path[0] == "metrics" and path[-1] in OF_INTERVALS and path[1] in OF_SCORES:
        # The rows are gone: what is said of the interval is believed where it holds the value.
        is_there = path[-1] in wrong["metrics"][path[1]]
        believed = wrong if is_there else changed(document, path, None)
        return document if found == document else believed
    if path[0] in DERIVED:
        return document
    if path[0] in ("doubts", "warnings") and document["doubts"]:
        # A doubt is one of the warnings, word for word; what is none of them is left out.
        stated = wrong.get("doubts", [])
        without_one = [stated[:i] + stated[i + 1 :] for i in range(len(stated))]
        assert found["doubts"] in ([], stated, *without_one), path
        assert {doubt["noticed"] for doubt in found["doubts"]} <= {
            doubt["noticed"] for doubt in document["doubts"]
        }
        return wrong | {"doubts": found["doubts"]}
    if path[0] == "doubts":
        return document
    if path[0] in FACTS or path[:2] in INNER_FACTS:
        return wrong
    if path[0] == "settings" and path[1:2] in (("interval",), ("design",), ("clustered",)):
        assert found["settings"] == wrong["settings"], path
        return found
    if path[0] == "scores":  # the rows are gone: what they gave is believed where it can be
        scores = wrong.get("scores")
        if scores is not None and scores.get("decision") == "":  # as if it were absent
            scores = {name: value for name, value in scores.items() if name != "decision"}
        assert found["scores"] == scores, path
        return found
    if path == ("tally", "storage"):  # of many classes: listed cells are sparse ones
        return wrong | {"tally": wrong["tally"] | {"storage": found["tally"]["storage"]}}
    if path == ("confusion",) and "cells" in document["tally"]:
        return document
    if path[:2] == ("tally", "cells") and len(path) == 4 and path[3] == 3:
        return wrong  # the squares of a cell
    raise AssertionError(f"{path} was taken")


def without_orders(document: dict[str, Any]) -> dict[str, Any]:
    metrics = {
        name: value for name, value in document["metrics"].items() if not name.startswith("kappa_")
    }
    return {**document, "metrics": metrics}


@pytest.mark.parametrize("name", MADE)
def test_a_changed_part_is_refused_or_does_not_matter(name: str) -> None:
    document = json.loads(MADE[name]().to_json())
    is_large = len(document["classes"]["labels"]) > 1000
    n_refused = 0
    for path in parts(document):
        if is_large and path[0] not in ("tally", "confusion", "n_rows"):
            continue
        for value in REPLACEMENTS:
            wrong = changed(document, path, value)
            if wrong == document:
                continue
            where = f"{path}: {'deleted' if value is DELETED else value}"
            report = read(text_of(wrong))
            if report is None:
                n_refused += 1
                continue
            again = report.to_dict()
            if path == ("settings", "metrics"):
                assert document["metrics"].items() <= again["metrics"].items(), where
                continue
            if path == ("tally", "occupancy"):  # without it, zeros are no longer exact
                assert document["metrics"].keys() == again["metrics"].keys(), where
                continue
            wanted = expected(document, wrong, path, again)
            if path[0] == "classes":
                # Declared classes have an order, which these metrics read.
                again, wanted = without_orders(again), without_orders(wanted)
            assert again == wanted, where
            if path[0] not in DERIVED and not is_large:
                VALIDATOR.validate(again)
                assert str(report)
    assert n_refused > 50


@pytest.mark.parametrize("name", MADE)
def test_the_storage_is_kept_and_every_number_with_it(name: str) -> None:
    report = MADE[name]()
    again = Report.from_json(report.to_json())
    assert again.cells.storage == report.cells.storage
    assert again.to_json() == report.to_json()
    assert (again.cells.counts == report.cells.counts).all()
    VALIDATOR.validate(report.to_dict())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d["confusion"][0].__setitem__(1, 6.5), "confusion[0][1] is 6.5, not a whole"),
        (lambda d: d["confusion"][0].__setitem__(1, 7), "do not add up to the number of rows"),
        (lambda d: d["confusion"][0].__setitem__(1, True), "confusion[0][1] is true"),
        (lambda d: d["confusion"][0].__setitem__(1, "6"), 'confusion[0][1] is "6", not a number'),
        (lambda d: d["confusion"][0].__setitem__(1, 1 << 70), "too large"),
        (lambda d: d["confusion"].reverse(), "per_class[0].support is 357, not 212"),
        (lambda d: d["confusion"][0].append(1), "rows that differ in length"),
        (lambda d: d.update(n_rows=570), "do not add up to the number of rows"),
        (lambda d: d.update(source=5), "source is 5, not an object"),
        (lambda d: d["source"].update(files=5), "source.files is 5, not a list"),
        (lambda d: d["classes"].update(positive=1), "classes.positive is 1, not one of"),
        (lambda d: d["classes"].update(positive=None), ", and nothing else in it gives that"),
        (lambda d: d["classes"].update(labels=[1, "malignant"]), "mix strings and numbers"),
        (lambda d: d["classes"].update(names=["a", "b"]), 'per_class[0].name is "benign"'),
        (lambda d: d["mapping"].update(weights="w"), "the tally is not weighted"),
        (lambda d: d["settings"].update(metrics=["mcc"]), "metrics differs from settings.metrics"),
        (lambda d: d["settings"].update(undefined="one"), "not one of zero, exclude, nan"),
        (lambda d: d["tally"].update(cells=[], totals={}), "both cells and totals"),
        (lambda d: d["tally"].update(squares=[[1, 1], [1, 1]]), "is not weighted"),
        (lambda d: d["tally"].update(storage="sparse"), 'tally.storage is "sparse", not dense'),
        (lambda d: d.update(warnings="gone"), 'warnings is "gone", not a list'),
    ],
)
def test_the_refusal_says_where(change: Any, told: str) -> None:
    document = json.loads(read_from_files().to_json())
    change(document)
    with pytest.raises(KaratError) as caught:
        Report.from_json(json.dumps(document))
    assert caught.value.code == "K205"
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda s: s.update(kind="odds"), "not one of probabilities, logits, scores"),
        (lambda s: s.update(threshold=True), "scores.threshold is true"),
        (lambda s: s["measured"][0].update(value="much"), "not a number"),
        (lambda s: s["measured"][0].update(value=-0.5), "not between 0 and inf"),
        (lambda s: s["measured"][0].update(undefined=False), "not true somewhere"),
        (lambda s: s["measured"][0].update(metric="f1"), "which reads labels"),
        (lambda s: s["measured"][0].update(metric="roc_acu"), "K301"),
        (lambda s: s["measured"][1].update(value=1.25), "not between 0 and 1"),
        (lambda s: s["measured"][1].update(undefined=True), "and only there"),
        (lambda s: s["measured"][1].update(lift="median"), "not one of plain"),
        (lambda s: s["measured"][2].update(lift="macro"), "which is all"),
        (lambda s: s["measured"].pop(), "K211"),
    ],
)
def test_the_refusal_of_scores_says_where(change: Any, told: str) -> None:
    document = json.loads(scored().to_json())
    change(document["scores"])
    with pytest.raises(KaratError) as caught:
        Report.from_json(json.dumps(document))
    assert told in str(caught.value)


def test_metrics_of_scores_without_scores_are_refused() -> None:
    document = json.loads(scored_classes().to_json())
    document["scores"] = None
    with pytest.raises(KaratError, match="metrics lists some of scores, and scores is null"):
        Report.from_json(json.dumps(document))


def test_thresholds_are_read_back_as_they_were() -> None:
    report = karat.evaluate([0, 0, 0], y_prob=[0.1, 0.2, 0.3], labels=[0, 1], threshold=0.25)
    again = Report.from_json(report.to_json())
    assert (again.threshold, again.thresholds) == (0.25, report.thresholds)
    assert again.thresholds["cost"]["threshold"] == math.inf
    written = json.loads(report.to_json())["thresholds"]
    assert written["cost"] == {
        "threshold": None,
        "value": 0.0,
        "undefined": "predicting no row as the class is cheapest: the threshold is infinite",
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "It is a NoneType, not text"),
        (Path("report.json"), "not text"),
        ({}, "It is a dict, not text"),
        ("runs/report.json", "looks like the name of a file"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"n_rows": NaN}', "NaN is not JSON"),
        ('{"n_rows": 1e400}', "larger than any number"),
        ('{"n_rows": 1, "n_rows": 2}', "'n_rows' occurs twice"),
        ('{"schema": "karat.report/0"}', "Its schema is"),
        ('{"schema": "karat.report/²"}', "Its schema is"),
        (b"\xff\xfe\x00", "It is not JSON"),
        ("1" * 5000, "It is not JSON"),
    ],
)
def test_what_is_no_text_of_a_report(text: Any, told: str) -> None:
    with pytest.raises(KaratError) as caught:
        Report.from_json(text)
    assert caught.value.code == "K205"
    assert told in str(caught.value)
    assert "to_bytes" not in str(caught.value)


def test_whole_numbers_written_as_floats_are_whole() -> None:
    document = json.loads(read_from_files().to_json())
    as_floats = document | {"confusion": [[float(x) for x in row] for row in document["confusion"]]}
    assert Report.from_json(json.dumps(as_floats)).to_dict() == document


def test_a_metric_that_does_not_exist_is_named() -> None:
    document = json.loads(named().to_json())
    document["settings"]["metrics"] = ["accurracy"]
    with pytest.raises(KaratError, match="K301"):
        Report.from_json(json.dumps(document))
    document = json.loads(REPORTS["weighted"]().to_json())
    document["settings"]["metrics"] = ["f1"]
    with pytest.raises(KaratError, match="K307"):
        Report.from_json(json.dumps(document))


def test_facts_nested_without_end_are_refused() -> None:
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    text = replace(read_from_files(), source={"other": deep}).to_json()
    with pytest.raises(KaratError, match="nested too deeply"):
        Report.from_json(text)
    kept = {"other": {"a": [1, None, {"b": "c"}]}}
    text = replace(read_from_files(), source=kept).to_json()
    assert Report.from_json(text).to_dict()["source"] == kept

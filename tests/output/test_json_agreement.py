"""A number that the text of a report says twice has to be the same in both places."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.errors import KaratError
from tests.output.reports import REPORTS

TWO, PROB = [0, 1, 1, 0, 1, 0], [0.25, 0.75, 0.5, 0.5, 0.875, 0.125]
THREE = ["ant", "bee", "cat", "ant", "cat"]
MATRIX = np.array(
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
)
SCORED = {
    "two": lambda: karat.evaluate(TWO, y_prob=PROB),
    "three": lambda: karat.evaluate(THREE, y_prob=MATRIX),
    "scores": lambda: karat.evaluate(THREE, y_score=np.log(MATRIX + 0.5)),
    "absent": lambda: karat.evaluate(TWO, y_score=np.eye(6, 3), labels=range(3)),
    "weighted": lambda: karat.evaluate(TWO, y_prob=PROB, weights=[1, 2, 0.5, 3, 1, 0.25]),
}


def document(made: Any) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(made().to_json())
    return loaded


def refusal(changed: dict[str, Any]) -> str:
    with pytest.raises(KaratError) as caught:
        Report.from_json(json.dumps(changed))
    assert caught.value.code == "K205"
    return str(caught.value)


def other(value: float | None) -> float | None:
    """A number near enough to be believed, if it were not compared; of null, a number."""
    return 0.25 if value is None else value * (1 + 1e-6) if value else 1e-6


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@pytest.mark.parametrize("name", [*REPORTS, *SCORED])
def test_every_metric_has_the_value_that_it_is_made_of(name: str) -> None:
    text = document((REPORTS | SCORED)[name])
    names = sorted(text["metrics"])
    for metric in names[:: max(1, len(names) // 40)]:
        changed = copy.deepcopy(text)
        value = text["metrics"][metric]["value"]
        if value and abs(value) < 1e-8:
            continue  # a millionth of it may be what a difference leaves
        changed["metrics"][metric]["value"] = other(value)
        told = refusal(changed)
        assert f"metrics.{metric}.value is " in told
        assert "which the tally" in told
    changed = copy.deepcopy(text)
    changed["metrics"][names[0]]["n"] += 1
    assert f"metrics.{names[0]}.n is " in refusal(changed)


@pytest.mark.parametrize("name", ["two", "three", "absent", "weighted"])
def test_every_number_of_the_table_of_classes_is_compared(name: str) -> None:
    text = document(SCORED[name])
    for key, value in text["per_class"][-1].items():
        if is_number(value) and key != "label":
            changed = copy.deepcopy(text)
            changed["per_class"][-1][key] = other(value)
            assert f"per_class[{len(text['per_class']) - 1}]" in refusal(changed)


@pytest.mark.parametrize("name", SCORED)
def test_every_area_is_the_metric_of_its_class(name: str) -> None:
    text = document(SCORED[name])
    is_two = len(text["classes"]["labels"]) == 2
    for i, kept in enumerate(text["scores"]["curves"]["classes"]):
        areas = ["roc", "average_precision"] + ["precision_recall"] * (is_two and i == 1)
        for area in areas:
            changed = copy.deepcopy(text)
            value = kept["areas"][area]
            near = 0.25 if value is None else value * (1 - 1e-6) if value else 1e-6
            changed["scores"]["curves"]["classes"][i]["areas"][area] = near
            told = refusal(changed)
            assert f"scores.curves.classes[{i}].areas.{area} is " in told
            assert "of the class" in told


@pytest.mark.parametrize("name", SCORED)
def test_what_was_measured_is_what_the_metrics_say(name: str) -> None:
    text = document(SCORED[name])
    for i, item in enumerate(text["scores"]["measured"]):
        if item["lift"] == "per_class" or not is_number(item["value"]):
            continue
        changed = copy.deepcopy(text)
        changed["scores"]["measured"][i]["value"] = item["value"] * (1 - 1e-6) or 1e-6
        refusal(changed)


def test_measured_of_the_positive_class_is_that_of_it_among_the_classes() -> None:
    text = document(SCORED["two"])
    measured = text["scores"]["measured"]
    at = next(
        i
        for i, item in enumerate(measured)
        if (item["metric"], item["lift"]) == ("roc_auc", "plain")
    )
    measured[at]["value"] = text["metrics"]["roc_auc"]["value"] = 0.5
    assert f"scores.measured[{at}].value is 0.5" in refusal(text)


def test_thresholds_are_those_that_were_measured() -> None:
    for name in ("two", "three"):
        text = document(SCORED[name])
        changed = copy.deepcopy(text)
        rows = changed["thresholds"]
        row = rows if isinstance(rows, dict) else rows[1]
        row["f1"]["threshold"] = other(row["f1"]["threshold"])
        assert "f1.threshold is " in refusal(changed)
        changed = copy.deepcopy(text)
        changed["thresholds"] = None
        assert "thresholds is null" in refusal(changed)


def test_a_metric_that_is_measured_twice_is_refused() -> None:
    text = document(SCORED["two"])
    text["scores"]["measured"].append(text["scores"]["measured"][0])
    assert "one occurs twice" in refusal(text)


def test_roundings_and_words_are_no_contradictions() -> None:
    text = document(SCORED["three"])
    for item in text["metrics"].values():
        if is_number(item["value"]):
            item["value"] *= 1 + 1e-12
        item["undefined"] = "in other words" if item["undefined"] else None
    for kept in text["scores"]["curves"]["classes"]:
        kept["areas"]["roc"] *= 1 - 1e-12
    text["metrics"]["of_a_later_karat"] = {"value": 1, "n": 5}
    del text["metrics"]["macro_f1"]
    assert Report.from_json(json.dumps(text))["macro_f1"].n == 5


@pytest.mark.parametrize("seed", range(30))
def test_every_report_that_is_written_is_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 6)), int(rng.integers(1, 60))
    truth = rng.integers(0, k, n)
    scores = rng.normal(size=(n, k)).round(int(rng.integers(0, 4)))
    scale = 10.0 ** rng.integers(-60, 60)
    given: dict[str, Any] = {
        "labels": range(k),
        "undefined": ["zero", "exclude", "nan"][seed % 3],
        "weights": None if seed % 2 else scale * rng.random(n),
    }
    if seed % 5 == 0:
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        given["y_prob"] = (exps / exps.sum(axis=1, keepdims=True)).astype(np.float32)
    elif seed % 5 < 4:
        given["y_score"] = scores
    else:
        given["y_pred"] = rng.integers(0, k, n)
    report = karat.evaluate(truth, **given)
    assert Report.from_json(report.to_json()).to_json() == report.to_json()


def test_a_text_of_another_version_is_read_by_its_tally() -> None:
    report = karat.evaluate([0, 1, 1, 0], [0, 1, 0, 0])
    text = json.loads(report.to_json())
    text["metrics"]["accuracy"]["value"] = 0.1
    with pytest.raises(KaratError, match="K205"):
        karat.Report.from_json(json.dumps(text))
    text["karat"] = "0.0.9"
    assert karat.Report.from_json(json.dumps(text))["accuracy"].value == 0.75


def test_limits_that_another_version_wrote_and_this_one_computes_otherwise_are_named() -> None:
    report = karat.evaluate([0, 1, 1, 0], [0, 1, 0, 0])
    text = json.loads(report.to_json())
    text["karat"] = "0.0.9"
    assert Report.from_json(json.dumps(text)).warnings == ()
    text["metrics"]["accuracy"]["low"] = 0.5
    text["metrics"]["kappa"]["high"] -= 1e-6
    read = Report.from_json(json.dumps(text))
    (found,) = read.warnings
    assert found == (
        "karat 0.0.9 wrote the JSON that this report was read from. "
        f"karat {karat.__version__} computes other limits for 2 metrics, and those are shown: "
        "'accuracy', 'kappa'."
    )
    assert read["accuracy"].low == report["accuracy"].low
    assert Report.from_json(read.to_json()).warnings == (found,)
    # Limits of scores stand nowhere else: those of the text stay.
    text = document(SCORED["two"])
    text["karat"] = "0.0.9"
    text["metrics"]["roc_auc"]["low"] -= 1e-3
    read = Report.from_json(json.dumps(text))
    assert read.warnings == ()
    assert read["roc_auc"].low == text["metrics"]["roc_auc"]["low"]


def test_metrics_that_this_karat_does_not_list_are_named() -> None:
    report = karat.evaluate(TWO, y_prob=PROB)
    text = document(lambda: report)
    for name in ("sharpness", "tact"):
        text["metrics"][name] = text["metrics"]["kappa"]
    read = Report.from_json(json.dumps(text))
    (said,) = read.warnings
    assert said == (
        f"The JSON that this report was read from lists 2 metrics that karat {karat.__version__} "
        "does not list for such a report: 'sharpness', 'tact'. Left out here."
    )
    assert said in read.to_markdown()
    again = Report.from_json(read.to_json())
    assert again.warnings == (said,)
    assert list(again.metrics) == list(report.metrics)
    assert Report.from_json(report.to_json()).warnings == ()


@pytest.mark.parametrize("name", ["roc_auc", "brier", "calibration_slope"])
def test_a_listed_metric_that_was_not_measured_is_refused(name: str) -> None:
    text = document(SCORED["two"])
    measured = text["scores"]["measured"]
    text["scores"]["measured"] = [item for item in measured if item["metric"] != name]
    assert f"metrics lists '{name}'" in refusal(text)
    # Another version may have measured less, and lists what this one does not.
    text["karat"] = "0.9.0"
    read = Report.from_json(json.dumps(text))
    assert f"'{name}'" in read.warnings[-1]
    assert name not in read.metrics

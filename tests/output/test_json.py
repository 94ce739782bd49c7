"""Reports as JSON: valid against the schema, sorted, finite, and the same when read back."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.api.results import ClassReport
from karat.errors import KaratError
from karat.output.json import SCHEMA, report_schema, report_to_json
from karat.tally import to_marginals
from tests.grouping import grouped
from tests.optional import optional
from tests.output.reports import REPORTS, confident

jsonschema = optional("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(report_schema())


def no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


def parsed(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report.to_json(), parse_constant=no_constant)
    return found


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    assert report_schema()["title"] == SCHEMA


@pytest.mark.parametrize("name", REPORTS)
def test_reports_are_valid_and_read_back(name: str) -> None:
    report = REPORTS[name]()
    document = parsed(report)
    VALIDATOR.validate(document)
    assert document == report.to_dict()
    text = report.to_json()
    assert text.isascii()
    again = Report.from_json(text)
    assert again.to_json() == text
    assert again.cells.storage in (report.cells.storage, "dense")


def bucketed_logits() -> Report:
    """Logits of three classes, in buckets."""
    truth, prob = confident(3, 60_000, sharp=1.5)
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), level=None)
    stream.update(truth, y_logit=np.log(prob))
    return stream.report()


BUCKETED = {
    "bucketed": REPORTS["bucketed"],
    "three_bucketed": REPORTS["three_bucketed"],
    "bucketed_logits": bucketed_logits,
}


@pytest.mark.parametrize("name", BUCKETED)
def test_bounds_read_back(name: str) -> None:
    report = BUCKETED[name]()
    VALIDATOR.validate(parsed(report))
    again = Report.from_json(report.to_json())
    # Losses are exact; what ranks rows is known in buckets.
    has_losses = report.scores != "scores"
    assert {limits is None for limits in report.bounds.values()} == {has_losses, False}
    assert again.bounds == report.bounds
    for metric, result in report.metrics.items():
        for fact in ("exact", "bound", "remark"):
            assert getattr(again[metric], fact) == getattr(result, fact), metric


def without_bounds(document: dict[str, Any]) -> dict[str, Any]:
    """The text as a version that knew no bounds would have written it."""
    for item in document["scores"]["measured"]:
        item.pop("bound", None)
    for result in document["metrics"].values():
        result.update(exact=True, bound=None)
    return document


def test_a_text_without_bounds_is_of_exact_values() -> None:
    document = without_bounds(parsed(REPORTS["bucketed"]()))
    VALIDATOR.validate(document)
    again = Report.from_json(json.dumps(document))
    assert not again.bounds
    assert all(result.exact for result in again.metrics.values())


@pytest.mark.parametrize(
    "bound",
    [[0.0, 0.1], [0.99, 1.0], [0.1], [0.1, 0.2, 0.99], ["nan", 1.0], [True, 1.0], "wide", 3, {}],
    ids=str,
)
def test_a_bound_that_cannot_be_is_refused(bound: Any) -> None:
    document = parsed(REPORTS["bucketed"]())
    items = {(item["metric"], item["lift"]): item for item in document["scores"]["measured"]}
    items["roc_auc", "plain"]["bound"] = bound
    with pytest.raises(KaratError, match="K205"):
        Report.from_json(json.dumps(document))


def test_a_bound_of_each_class_is_refused() -> None:
    document = parsed(REPORTS["bucketed"]())
    items = {(item["metric"], item["lift"]): item for item in document["scores"]["measured"]}
    items["roc_auc", "per_class"]["bound"] = [0.0, 1.0]
    with pytest.raises(KaratError, match="K205"):
        Report.from_json(json.dumps(document))


@pytest.mark.parametrize("change", [{"exact": True}, {"bound": None}, {"bound": [0.0, 1.0]}])
def test_a_result_that_says_otherwise_than_what_was_measured_is_refused(change: Any) -> None:
    document = parsed(REPORTS["bucketed"]())
    document["metrics"]["roc_auc"].update(change)
    with pytest.raises(KaratError, match="K205"):
        Report.from_json(json.dumps(document))


def test_infinite_limits_read_back() -> None:
    report = REPORTS["bucketed"]()
    metric = karat.metrics.get("cost_threshold")
    bounds = {**report.bounds, metric: (-math.inf, math.inf)}
    again = Report.from_json(replace(report, bounds=bounds).to_json())
    assert again.bounds == bounds
    assert again[metric].bound == (-math.inf, math.inf)


def test_weighted_totals_read_back() -> None:
    whole = REPORTS["weighted"]()
    report = ClassReport(to_marginals(whole.cells))
    assert Report.from_json(report_to_json(report)).to_json() == report.to_json()
    VALIDATOR.validate(parsed(report))


def test_weighted_sparse_cells_read_back() -> None:
    k, rng = 2500, np.random.default_rng(3)
    true, pred = rng.integers(0, k, 5000), rng.integers(0, k, 5000)
    report = karat.evaluate(true, pred, weights=rng.random(5000), metrics=["macro_f1", "kappa"])
    assert report.cells.storage == "sparse"
    again = Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    VALIDATOR.validate(parsed(report))


def test_every_value_is_finite_or_null_with_a_reason() -> None:
    document = parsed(REPORTS["one_class"]())
    values = document["metrics"].values()
    assert any(found["value"] is None for found in values)
    for found in values:
        assert found["value"] is None or math.isfinite(found["value"])
        assert found["value"] is not None or found["undefined"]


def test_labels_keep_their_kind() -> None:
    for labels in ([False, True], ["0", "1"], [0, 1]):
        report = karat.evaluate(labels, labels, metrics=["accuracy"])
        assert parsed(report)["classes"]["labels"] == labels
        again = Report.from_json(report.to_json()).labels
        assert [type(label) for label in again] == [type(label) for label in labels]


def test_names_requested_metrics_and_policy_are_kept() -> None:
    report = karat.evaluate(
        [0, 1, 1],
        [0, 0, 0],
        labels=karat.Labels([0, 1], names=["no", "yes"]),
        positive=0,
        metrics=["f_beta(beta=2)", "mcc"],
        undefined="nan",
    )
    again = Report.from_json(report.to_json())
    assert list(again.metrics) == ["f_beta(beta=2)", "matthews_correlation"]
    assert (again.undefined, again.classes) == (report.undefined, report.classes)


def test_keys_are_sorted_and_rows_are_lines() -> None:
    text = REPORTS["two"]().to_json()
    keys = [line.split('"')[1] for line in text.splitlines() if line.startswith('  "')]
    assert keys == sorted(keys)
    assert "[351, 6]" in text
    assert report_to_json(REPORTS["two"]()) == text


def test_a_file_is_written(tmp_path: Path) -> None:
    report = REPORTS["two"]()
    path = tmp_path / "report.json"
    assert report.to_json(path) + "\n" == path.read_text(encoding="utf-8")


def test_values_that_are_not_finite_in_facts_are_null() -> None:
    report = replace(REPORTS["two"](), source={"level": math.nan, "when": Path("a"), "n": (1, 2)})
    assert parsed(report)["source"] == {"level": None, "when": "a", "n": [1, 2]}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "K205"),
        ("[]", "K205"),
        ("{}", "K205"),
        ('{"schema": "karat.gate/1"}', "K205"),
        ('{"schema": "karat.report/2"}', "K205"),
        ('{"schema": "karat.report/3"}', "K206"),
    ],
)
def test_what_is_no_report_is_refused(text: str, code: str) -> None:
    with pytest.raises(KaratError) as caught:
        Report.from_json(text)
    assert caught.value.code == code


@pytest.mark.parametrize("part", sorted(report_schema()["required"]))
def test_a_report_that_lacks_a_part_is_refused_by_the_schema(part: str) -> None:
    document = parsed(REPORTS["two"]())
    del document[part]
    assert not VALIDATOR.is_valid(document)


def test_the_schema_refuses_what_is_wrong() -> None:
    document = parsed(REPORTS["two"]())
    result = document["metrics"]["accuracy"]
    for wrong in ({"value": None}, {"value": "0.5"}, {"n": -1}, {"bound": [0]}, {"extra": 1}):
        changed = document | {"metrics": {"accuracy": result | wrong}}
        assert not VALIDATOR.is_valid(changed), wrong
    assert VALIDATOR.is_valid(document | {"metrics": {"accuracy": result}})


def test_cells_outside_the_classes_are_refused() -> None:
    document = parsed(REPORTS["two"]())
    for cells in ([[0, 2, 5]], [[-1, 0, 5]], [[0, 1, -5]], [[1, 0, 5], [0, 1, 5]]):
        changed = document | {"confusion": None, "tally": {"is_weighted": False, "cells": cells}}
        with pytest.raises(KaratError, match="K205"):
            Report.from_json(json.dumps(changed))


def test_a_matrix_of_the_wrong_shape_is_refused() -> None:
    document = parsed(REPORTS["two"]())
    document["confusion"] = [[1, 2]]
    with pytest.raises(KaratError, match="K205"):
        Report.from_json(json.dumps(document))


@pytest.mark.parametrize(
    "rows", [{"y_pred": np.arange(40) // 3 % 2}, {"y_prob": np.arange(40) / 40}]
)
@pytest.mark.parametrize("more", [{}, {"clusters": np.arange(40) // 2}])
def test_weights_that_are_numbers_of_rows_read_back(rows: Any, more: Any) -> None:
    weights, slices = 1 + np.arange(40) % 30, {"group": np.arange(40) % 4 // 2}
    options = {"weights": karat.Frequency(weights), "by": slices, **more}
    report = karat.evaluate(np.arange(40) % 2, **grouped({**rows, **options}))
    assert karat.Report.from_json(report.to_json()).to_json() == report.to_json()

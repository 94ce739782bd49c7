"""What a gate writes is valid against its schema, and what is altered is not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api import monitors
from karat.api.gate.baseline import SCHEMA, baseline_schema, gate_schema
from tests.gate.rows import table, two_models
from tests.optional import optional

jsonschema = optional("jsonschema")
GATE = jsonschema.Draft202012Validator(gate_schema())
MONITOR_SCHEMA = json.loads(
    (Path(monitors.__file__).with_name("monitor.schema.json")).read_text(encoding="utf-8")
)
MONITOR = jsonschema.Draft202012Validator(MONITOR_SCHEMA)
BASELINE = jsonschema.Draft202012Validator(baseline_schema())

TRUE, OLD, NEW = two_models(300, lost=12)
PROB = np.where(OLD[:, None] == np.arange(3), 0.7, 0.15)
COUNTRY = np.array(["NO", "SE", "DK"])[np.arange(300) % 3]
BINARY = TRUE > 0

RESULTS: dict[str, Callable[[], Any]] = {
    "bounds": lambda: karat.gate(TRUE, NEW, min={"accuracy": 0.5}, max={"error_rate": 0.01}),
    "limits": lambda: karat.gate(
        TRUE, NEW, min={"accuracy": 0.9}, rules=karat.Rules(evidence="low")
    ),
    "paired": lambda: karat.gate(TRUE, NEW, baseline=OLD),
    "unpaired": lambda: karat.gate(
        TRUE, NEW, baseline=karat.evaluate(TRUE, OLD), rules=karat.Rules(adjust="none")
    ),
    "slices": lambda: karat.gate(TRUE, NEW, baseline=OLD, by=COUNTRY, rules=karat.Rules(min_n=1)),
    "undefined": lambda: karat.gate([0, 1], [0, 0], min={"precision": 0.5}),
    "no interval": lambda: karat.gate(
        TRUE,
        y_prob=PROB,
        baseline=PROB[::-1].copy(),
        max_drop={"expected_calibration_error": 0.1, "log_loss": 0.5},
    ),
    "infinite": lambda: karat.gate(TRUE, y_prob=np.eye(3)[NEW], max={"log_loss": 5.0}),
    "undecided": lambda: karat.gate(TRUE, NEW, baseline=OLD, max_drop={"accuracy": 0.04}),
    "undecided passes": lambda: karat.gate(
        TRUE, NEW, baseline=OLD, max_drop={"accuracy": 0.04}, rules=karat.Rules(inconclusive="pass")
    ),
}
BASELINES: dict[str, Any] = {
    "labels": (table(TRUE, OLD), {}),
    "rows": (table(TRUE, OLD), {"reading": karat.Reading(keep_rows=True)}),
    "slices": (table(TRUE, OLD, country=COUNTRY), {"by": "country", "undefined": "nan"}),
    "weights and scores": (
        table(TRUE, OLD, w=np.linspace(0.5, 2, 300), **{f"p_{i}": PROB[:, i] for i in range(3)}),
        {"reading": karat.Reading(keep_rows=True), "weights": "w", "y_prob": ["p_0", "p_1", "p_2"]},
    ),
    "text": (
        {"label": np.where(BINARY, "yes", "no"), "pred": np.where(OLD > 0, "yes", "no")},
        {"positive": "yes", "reading": karat.Reading(keep_rows=True)},
    ),
}


def written(name: str, path: Path) -> dict[str, Any]:
    source, options = BASELINES[name]
    made = karat.gate(source, **options).save_baseline(path / "base.json")
    GATE.validate(json.loads(made.to_json()))
    found: dict[str, Any] = json.loads((path / "base.json").read_text("utf-8"))
    return found


def test_the_schemas_are_schemas() -> None:
    for schema, title in (
        (gate_schema(), "karat.gate/2"),
        (baseline_schema(), SCHEMA),
        (MONITOR_SCHEMA, "karat.monitor/2"),
    ):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["title"] == title == schema["properties"]["schema"]["const"]


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_gates_are_valid(name: str) -> None:
    GATE.validate(json.loads(RESULTS[name]().to_json()))


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_are_valid(name: str, tmp_path: Path) -> None:
    BASELINE.validate(written(name, tmp_path))


@pytest.mark.parametrize("part", sorted(gate_schema()["required"]))
def test_a_result_without_a_part_is_not_valid(part: str) -> None:
    whole = RESULTS["paired"]().to_dict()
    del whole[part]
    assert not GATE.is_valid(whole)


@pytest.mark.parametrize("part", sorted(baseline_schema()["required"]))
def test_a_baseline_without_a_part_or_with_one_more_is_not_valid(part: str, tmp_path: Path) -> None:
    whole = written("rows", tmp_path)
    more = {**copy.deepcopy(whole), f"other {part}": 1}
    del whole[part]
    assert not BASELINE.is_valid(whole)
    assert not BASELINE.is_valid(more)


def monitored(**settings: Any) -> Any:
    monitor = karat.Monitor(**settings)
    for half in (slice(0, 150), slice(150, 300)):
        compared = {"baseline": OLD[half]} if "max_drop" in settings else {}
        result = monitor.add(TRUE[half], NEW[half], **compared)
    return result


MONITORED: dict[str, dict[str, Any]] = {
    "bounds": {"min": {"accuracy": 0.5}, "max": {"error_rate": 0.01}},
    "windows": {"min": {"accuracy": 0.99}, "windows": True},
    "compared": {"max_drop": {"accuracy": 0.04, "macro_f1": 0.1}},
}


@pytest.mark.parametrize("name", MONITORED)
def test_results_of_monitors_are_valid(name: str) -> None:
    whole = json.loads(monitored(**MONITORED[name]).to_json())
    MONITOR.validate(whole)
    for part in MONITOR_SCHEMA["required"]:
        assert not MONITOR.is_valid({key: x for key, x in whole.items() if key != part})
    assert not MONITOR.is_valid({**whole, "other": 1})
    assert not GATE.is_valid(whole)


def test_rules_and_doubts_of_a_monitor_are_those_of_a_gate() -> None:
    own, of_gate = (schema["$defs"] for schema in (MONITOR_SCHEMA, gate_schema()))
    assert {name: own[name] for name in ("doubt", "finite")} == {
        name: of_gate[name] for name in ("doubt", "finite")
    }
    rule = own["rule"]["properties"]
    assert {*rule} - {"decided"} == {*of_gate["rule"]["properties"]}
    assert {*own["rule"]["required"]} - {"decided"} == {*of_gate["rule"]["required"]}

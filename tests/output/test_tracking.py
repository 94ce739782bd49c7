"""Trackers of experiments and model cards: keys that they take, values that are the report's."""

from __future__ import annotations

import csv
import io
import json
import math
import posixpath
import re
from collections.abc import Mapping
from typing import Any

import pytest

import karat
from karat.api.report import Report
from karat.errors import KaratError
from karat.output.model_index import yaml_of
from tests.optional import optional
from tests.output.hostile_names import NAMES, hostile_report
from tests.output.reports import REPORTS

yaml = optional("yaml")

# As in mlflow.utils.validation of MLflow 2 and 3 (colons came later).
MLFLOW = re.compile(r"^[/\w.\- ]*$")
WANDB = re.compile(r"^[_a-zA-Z][_a-zA-Z0-9]*$")


def mlflow_refuses(keys: Mapping[str, float]) -> list[str]:
    """Keys that MLflow refuses, or whose file another key needs as its folder."""
    folders = {posixpath.dirname(key) for key in keys}
    return [
        key
        for key in keys
        if not MLFLOW.match(key)
        or posixpath.normpath(key) != key
        or key.startswith(("/", ".."))
        or len(key) > 250
        or max(len(part.encode()) for part in key.split("/")) > 255
        or key in folders
    ]


@pytest.mark.parametrize("metrics", ["headline", "all"])
@pytest.mark.parametrize("name", REPORTS)
def test_keys_are_what_the_trackers_take(name: str, metrics: Any) -> None:
    report = REPORTS[name]()
    of_mlflow = report.to_mlflow(metrics=metrics, per_class=True).metrics
    of_wandb = report.to_wandb(metrics=metrics, per_class=True)
    assert mlflow_refuses(of_mlflow) == []
    assert [key for key in of_wandb if not WANDB.match(key)] == []
    assert len(of_mlflow) == len(of_wandb)
    assert all(
        type(x) is float and math.isfinite(x) for x in (*of_mlflow.values(), *of_wandb.values())
    )


def test_values_and_limits_are_those_of_the_report() -> None:
    report = REPORTS["ten_prob"]()
    found = report.to_mlflow(prefix="test/").metrics
    result = report.macro_f1
    assert found["test/macro_f1"] == result.value
    assert (found["test/macro_f1_low"], found["test/macro_f1_high"]) == (result.low, result.high)
    assert report.to_wandb(prefix="test_")["test_log_loss"] == report.log_loss.value
    headline = report.to_mlflow().metrics
    assert not [key for key in headline if key.startswith("per_class")]
    assert "macro_jaccard" not in headline
    assert len(report.to_mlflow(metrics="all").metrics) > 2 * len(report.metrics)
    assert len(report.to_mlflow(metrics="all").metrics) <= 1000  # of one batch
    asked = karat.evaluate([0, 1], [0, 1], metrics=["f_beta(beta=2)", "mcc"], level=None)
    assert list(asked.to_mlflow().metrics) == ["f_beta_beta_2", "matthews_correlation"]


def test_classes_have_keys_of_their_own() -> None:
    report = karat.evaluate(["cat", "cat_low", "dog"], ["cat", "dog", "dog"])
    found = report.to_mlflow(per_class=True).metrics
    rows = {row["label"]: row for row in report.per_class}
    for label in ("cat", "cat_low", "dog"):
        assert found[f"per_class/recall/{label}"] == rows[label]["recall"]
        assert (
            report.to_wandb(per_class=True)[f"per_class__recall__{label}"] == rows[label]["recall"]
        )
    assert found["per_class/recall_low/cat"] == rows["cat"]["intervals"]["recall"][0]


def test_hostile_names_are_keys_and_no_two_are_one() -> None:
    report = hostile_report()
    found = report.to_mlflow(per_class=True).metrics
    assert mlflow_refuses(found) == []
    keys = [key.rpartition("/")[2] for key in found if key.startswith("per_class/support/")]
    assert len(set(keys)) == len(NAMES) == len(keys)
    assert [found[f"per_class/support/{key}"] for key in keys] == [
        row["support"] for row in report.per_class
    ]
    wandb = report.to_wandb(per_class=True)
    assert sum(key.startswith("per_class__support__") for key in wandb) == len(NAMES)
    assert [key for key in wandb if not WANDB.match(key)] == []
    assert {"a_b", "a_b_30", "a b"} <= set(keys)


def test_a_key_that_no_tracker_takes_is_found() -> None:
    bad = {
        "f_beta(beta=2)": 1.0,
        "a/../b": 1.0,
        "/x": 1.0,
        "x" * 300: 1.0,
        "f1": 1.0,
        "f1/cat": 1.0,
    }
    assert mlflow_refuses(bad) == [key for key in bad if key != "f1/cat"]
    assert [key for key in bad if WANDB.match(key)] == ["x" * 300, "f1"]


def test_artifacts_hold_everything() -> None:
    report = hostile_report(NAMES[:6])
    metrics, artifacts = report.to_mlflow()
    assert metrics
    assert set(artifacts) == {
        f"karat/{name}"
        for name in ("report.json", "report.md", "metrics.csv", "per_class.csv", "confusion.csv")
    }
    again = Report.from_json(artifacts["karat/report.json"])
    assert again.to_json() == report.to_json()
    rows = list(csv.DictReader(io.StringIO(artifacts["karat/confusion.csv"], newline="")))
    labels = list(map(str, report.labels))
    assert sum(int(row["count"]) for row in rows) == report.n_rows
    for row in rows:
        i, j = labels.index(row["true"]), labels.index(row["predicted"])
        assert int(row["count"]) == report.confusion.matrix[i, j]
    listed = csv.DictReader(io.StringIO(artifacts["karat/metrics.csv"], newline=""))
    assert [row["metric"] for row in listed] == list(report.metrics)
    assert artifacts["karat/report.md"] == report.to_markdown() + "\n"
    assert "karat/confusion.csv" not in REPORTS["totals"]().to_mlflow().artifacts


def test_a_model_index_has_what_the_hub_requires() -> None:
    report = REPORTS["ten_prob"]()
    index = report.to_model_index(
        model_name="digits", dataset="Digits", dataset_type="org/digits", split="test",
        config="en", revision="abc", task="image-classification",
    )  # fmt: skip
    ((model,), keys) = index["model-index"], list(index)
    assert keys == ["model-index"]
    (result,) = model["results"]
    assert model["name"] == "digits"
    assert result["task"] == {"type": "image-classification"}
    assert result["dataset"] == {
        "type": "org/digits", "name": "Digits", "config": "en", "split": "test", "revision": "abc",
    }  # fmt: skip
    found = {entry["name"]: entry for entry in result["metrics"]}
    f1 = report.macro_f1
    assert found["macro_f1"] == {
        "type": "f1", "value": f1.value, "name": "macro_f1",
        "args": {"average": "macro", "interval": [f1.low, f1.high], "level": 0.95, "n_rows": 2000},
    }  # fmt: skip
    assert found["roc_auc_ovo_macro"]["type"] == "roc_auc"
    assert found["roc_auc_ovo_macro"]["args"]["multi_class"] == "ovo"
    assert found["brier"]["type"] == "brier_score"
    json.dumps(index, allow_nan=False)


def test_a_model_index_lists_what_is_asked_for_and_has_a_number() -> None:
    report = karat.evaluate(["a", "b"], y_prob=[[0.0, 1.0], [0.2, 0.8]])
    asked = report.to_model_index(model_name="m", dataset="d", metrics=["log_loss", "mcc"])
    (entry,) = asked["model-index"][0]["results"][0]["metrics"]
    assert entry["type"] == "matthews_correlation"
    assert "throughout" in entry["args"]["undefined"]
    with pytest.raises(KaratError, match="K301"):
        report.to_model_index(model_name="m", dataset="d", metrics=["makro_f2"])


@pytest.mark.parametrize("name", ["two", "ten_prob", "undefined", "weighted", "totals", "logits"])
def test_yaml_is_read_back(name: str, tmp_path: Any) -> None:
    index = REPORTS[name]().to_model_index(model_name="m: [1]", dataset="d # e", split="no")
    text = index.to_yaml(tmp_path / "card.yaml")
    assert yaml.safe_load(text) == index
    assert (tmp_path / "card.yaml").read_text(encoding="utf-8") == text + "\n"
    assert not text.endswith("\n")


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_are_read_back_from_yaml(name: str) -> None:
    index = REPORTS["two"]().to_model_index(model_name=name, dataset=name, task=name)
    told = name.replace("\ud800", "\\ud800")
    found = yaml.safe_load(index.to_yaml())["model-index"][0]
    assert (found["name"], found["results"][0]["task"]["type"]) == (told, told)
    assert yaml.safe_load(yaml_of({name: [name, 1e-5, None, True], "b": {}})) == {
        told: [told, 1e-5, None, True],
        "b": {},
    }


def test_words_and_numbers_keep_their_kind() -> None:
    content: dict[str, Any] = {
        "a": ["yes", "1", "null", "", "1e3", "~", "y", "0x1", "2020-01-01"],
        "b": [1e300, 2.5e-17, 0.1, -3, 10**20],
    }
    assert yaml.safe_load(yaml_of(content)) == content
    assert yaml.safe_load("a: [yes, 1e-05]") == {"a": [True, "1e-05"]}

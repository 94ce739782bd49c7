"""Metrics whose name carries a parameter: ``top_5_accuracy``, in results, texts and files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import parse
from karat.metrics._registry import find

RNG = np.random.default_rng(5)
TRUE = np.arange(300) % 30
PROB = RNG.dirichlet(np.ones(30), 300) * 0.7
PROB[np.arange(300), TRUE] += 0.3 * RNG.random(300)
PROB /= PROB.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("text", "name", "k"),
    [
        ("top_5_accuracy", "top_5_accuracy", 5),
        ("top_k_accuracy(k=5)", "top_5_accuracy", 5),
        ("top_k_accuracy", "top_2_accuracy", 2),
        ("top_k_accuracy_score(k=12)", "top_12_accuracy", 12),
        (" top_3_accuracy () ", "top_3_accuracy", 3),
    ],
)
def test_the_name_holds_the_number(text: str, name: str, k: int) -> None:
    metric = parse(text)
    assert str(metric) == name
    assert dict(metric.params) == {"k": k}
    assert parse(str(metric)) == metric
    assert find(text) == metric


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("top_0_accuracy", "K302", "k=0 is not a whole number of at least 1"),
        ("top_5_accuracy(k=3)", "K302", "k is in the name top_5_accuracy and was given again"),
        ("top_five_accuracy", "K301", "no metric named"),
        ("top__accuracy", "K301", "no metric named"),
        ("macro_top_5_accuracy", "K301", "no metric named"),
    ],
)
def test_other_names_are_refused(text: str, code: str, told: str) -> None:
    with pytest.raises(KaratError, match=told) as caught:
        parse(text)
    assert caught.value.code == code


def test_a_report_lists_it_by_that_name_and_finds_the_default_by_its_record() -> None:
    report = karat.evaluate(
        TRUE, y_prob=PROB, labels=karat.Labels(names=[f"c{i}" for i in range(30)])
    )
    assert "top_k_accuracy" not in report.metrics
    assert {"top_2_accuracy", "top_5_accuracy"} < set(report.metrics)
    for k in (2, 5):
        wanted = karat.top_k_accuracy(TRUE, y_prob=PROB, k=k)
        assert report[f"top_{k}_accuracy"].value == wanted
        assert report[f"top_{k}_accuracy"].name == f"top_{k}_accuracy"
    assert report["top_k_accuracy"] == report["top_2_accuracy"] == report.top_2_accuracy
    assert "top_k_accuracy" in report
    assert report.top_k_accuracy.name == "top_2_accuracy"


def test_json_tables_and_texts_have_that_name(tmp_path: Path) -> None:
    report = karat.evaluate(TRUE, y_prob=PROB, metrics=["top_k_accuracy(k=3)", "top_5_accuracy"])
    found = json.loads(report.to_json())
    assert set(found["metrics"]) == {"top_3_accuracy", "top_5_accuracy"}
    assert found["settings"]["metrics"] == ["top_3_accuracy", "top_5_accuracy"]
    again = karat.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert again["top_5_accuracy"].low == report["top_5_accuracy"].low
    assert "top_3_accuracy" in str(report)
    assert "top_k_accuracy" not in str(report)
    frame = report.to_frame()
    assert list(frame["metric"])[:2] == ["top_3_accuracy", "top_5_accuracy"]
    old = report.to_json().replace("top_3_accuracy", "top_k_accuracy(k=3)")
    assert karat.Report.from_json(old)["top_3_accuracy"].value == report["top_3_accuracy"].value


def test_a_stream_and_a_comparison_name_it_alike() -> None:
    stream = karat.Stream(labels=range(30), metrics=["top_3_accuracy"])
    stream.update(TRUE, y_prob=PROB)
    stream = karat.Stream.from_bytes(stream.to_bytes())
    assert list(stream.report()) == ["top_3_accuracy"]
    models = {"a": PROB, "b": np.roll(PROB, 1, axis=0)}
    compared = karat.compare(TRUE, y_prob=models, metrics="top_k_accuracy(k=5)")
    assert compared.metrics == ("top_5_accuracy",)
    assert compared["top_5_accuracy"].difference == compared["top_k_accuracy(k=5)"].difference


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("f1", "Parameters: average: macro, micro, weighted. karat.f1 also takes labels, positive"),
        ("accuracy", "Parameters: karat.accuracy also takes labels, positive, weights"),
        ("log_loss", "Parameters: eps: Clip the probability of the true class"),
    ],
)
def test_an_unknown_parameter_is_answered_with_those_that_there_are(name: str, told: str) -> None:
    with pytest.raises(KaratError, match="There is no parameter 'beta'") as caught:
        parse(f"{name}(beta=2)")
    assert told in str(caught.value)
    assert "Parameters: none" not in str(caught.value)
    assert "labels, positive, weights, undefined and n_threads" in str(caught.value)

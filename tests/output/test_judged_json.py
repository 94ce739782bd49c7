"""Reports with a judge as JSON: read back, and refused where a text contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema
import numpy as np
import pytest

import karat
from karat.output.json import report_schema
from tests.grouping import grouped


def rows() -> dict[str, Any]:
    rng = np.random.default_rng(21)
    truth = rng.integers(0, 2, 400)
    score = 2 * truth - 1 + rng.normal(size=400)
    gold = np.where(np.arange(400) < 120, truth, np.nan)
    judge = np.where(rng.random(400) < 0.9, truth, 1 - truth)
    found: dict[str, Any] = {"gold": gold, "judge": judge, "gold_is_random": True}
    return found | {"y_prob": 1.0 / (1.0 + np.exp(-2.0 * score))}


WEIGHTS = np.linspace(0.5, 2.0, 400)
KINDS: dict[str, dict[str, Any]] = {
    "probabilities": {},
    "labels": {"y_prob": None, "y_pred": np.arange(400) // 9 % 2},
    "verdicts": {"y_prob": None},
    "clusters": {"clusters": np.arange(400) // 2},
    "weights": {"weights": WEIGHTS},
    "gold weights": {"gold_weights": WEIGHTS, "gold_is_random": False},
    "settings": {
        "level": 0.9,
        "interval": karat.Interval(side="low"),
        "undefined": "nan",
        "threshold": 0.3,
    },
    "metrics": {
        "metrics": ["kappa", "accuracy", "log_loss"],
        "labels": karat.Labels(names=["bad", "good"]),
    },
}


@cache
def report(kind: str) -> karat.JudgedReport:
    return karat.evaluate(**grouped({**rows(), **KINDS[kind]}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_read_back(kind: str) -> None:
    one = report(kind)
    text = one.to_json()
    again = karat.JudgedReport.from_json(text)
    assert again.to_json() == text
    assert again.text() == one.text()
    assert again.to_csv() == one.to_csv()
    assert again.to_markdown() == one.to_markdown()
    assert again.to_html() == one.to_html()
    assert list(again) == list(one)
    assert again.shares == one.shares
    assert (again.requested, again.doubts) == (one.requested, one.doubts)
    assert (again.is_clustered, again.has_gold_weights) == (one.is_clustered, one.has_gold_weights)
    assert again.judge.to_json() == one.judge.to_json()
    jsonschema.validate(json.loads(text), report_schema("judged"))


def test_infinite_numbers_are_read_back() -> None:
    given = rows()
    # The model is never wrong: ratios are infinite.
    del given["y_prob"]
    pred = np.where(np.isnan(given["gold"]), given["judge"], given["gold"]).astype(int)
    one = karat.evaluate(**grouped(given), y_pred=pred)
    again = karat.JudgedReport.from_json(one.to_json())
    assert one["positive_likelihood_ratio"].value == np.inf
    assert again.to_csv() == one.to_csv()


def test_metrics_that_the_text_does_not_hold() -> None:
    again = karat.JudgedReport.from_json(report("metrics").to_json())
    assert again["kappa"].value == report("metrics")["kappa"].value
    with pytest.raises(karat.KaratError, match="K247"):
        _ = again["f1"]
    # Those of the gold rows follow from their tally.
    assert again.gold is not None
    assert again.gold["f1"].value == report("probabilities").gold["f1"].value


@cache
def few_metrics() -> str:
    return karat.evaluate(**grouped(rows()), metrics=["accuracy", "kappa"]).to_json()


Damage = Callable[[dict[str, Any]], object]
DAMAGES: dict[str, tuple[Damage, str]] = {
    "schema": (lambda d: d.update(schema="karat.judge/1"), "schema is"),
    "version": (lambda d: d.update(karat="x"), "not a version of karat"),
    "no gold": (lambda d: d.pop("gold"), "gold is missing"),
    "null gold": (lambda d: d.update(gold=None), "gold is null"),
    "gold count": (lambda d: d.update(n_gold=119), "judge is of other rows"),
    "few rows": (lambda d: d.update(n=120), "more than the 120 gold labels"),
    "level": (lambda d: d.update(level=0.9), "judge has another level than 0.9"),
    "no level": (lambda d: d.update(level=95), "not a level between 0 and 1"),
    "clusters": (lambda d: d.update(clustered=True), "clustered and judge differ"),
    "labels": (lambda d: d["labels"].reverse(), "labels[0] is 1, not 0"),
    "positive": (lambda d: d.update(positive=0), "positive is 0, not 1"),
    "value": (
        lambda d: d["metrics"]["accuracy"].update(value=0.01),
        "metrics.accuracy has the value and limits",
    ),
    "gold value": (
        lambda d: d["metrics"]["accuracy"].update(gold_value=0.5),
        "metrics.accuracy.gold_value is 0.5, not",
    ),
    "gold limit": (
        lambda d: d["metrics"]["kappa"].update(gold_low=-0.5),
        "metrics.kappa.gold_low is -0.5, not",
    ),
    "weight": (
        lambda d: d["metrics"]["kappa"].update(judge_weight=1.5),
        "judge_weight is 1.5, not a number from 0 to 1",
    ),
    "name": (lambda d: d["metrics"]["kappa"].update(name="f1"), "name is \"f1\", not 'kappa'"),
    "rows of metric": (
        lambda d: d["metrics"]["kappa"].update(n_gold=3),
        "metrics.kappa.n_gold is 3, not 120",
    ),
    "level of metric": (
        lambda d: d["metrics"]["kappa"].update(level=0.5),
        "metrics.kappa.level is 0.5",
    ),
    "other metric": (
        lambda d: d["metrics"].update(nothing=d["metrics"]["kappa"] | {"name": "nothing"}),
        "metrics.nothing.name",
    ),
    "share": (lambda d: d["shares"][0].update(value=1.5), "shares[0].value is 1.5"),
    "limits of a share": (
        lambda d: d["shares"][0].update(gold_high=0.0, gold_low=0.0),
        "shares[0] has the value and limits",
    ),
    "judge alone": (
        lambda d: d["shares"][0].update(judge_value=0.9),
        "shares have judge_values that add to",
    ),
    "class of a share": (lambda d: d["shares"].reverse(), "shares are not those of labels"),
    "confusion": (
        lambda d: d["judge"]["confusion"][0].__setitem__(0, 0),
        "do not add up to the number of rows",
    ),
    "number of the judge": (
        lambda d: d["judge"]["metrics"]["accuracy"].update(value=0.2),
        "judge.metrics.accuracy",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_text_that_contradicts_itself_is_refused(damage: str) -> None:
    document = json.loads(few_metrics())
    change, shown = DAMAGES[damage]
    change(document)
    with pytest.raises(karat.KaratError, match="K205") as raised:
        karat.JudgedReport.from_json(json.dumps(document))
    assert shown in str(raised.value)


def test_texts_of_other_reports_name_their_reader() -> None:
    one = report("labels")
    assert one.gold is not None
    assert type(karat.Report.from_json(one.to_json())) is karat.JudgedReport
    with pytest.raises(karat.KaratError, match=r"Read it with karat\.JudgedReport\.from_json"):
        type(one.gold).from_json(one.to_json())
    with pytest.raises(karat.KaratError, match=r"Read it with karat\.Report\.from_json"):
        karat.JudgedReport.from_json(one.gold.to_json())
    with pytest.raises(karat.KaratError, match="K205"):
        karat.JudgedReport.from_json("{}")
    with pytest.raises(karat.KaratError, match="not JSON"):
        karat.JudgedReport.from_json("report.json")

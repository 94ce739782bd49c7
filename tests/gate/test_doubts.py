"""A gate reports the doubts about its rows and those of its baseline; none changes its verdict."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors.doubts import without_doubts
from karat.output.gate import junit_of_gate, markdown_of_gate
from tests.cli.running import Karat

N = 200
_RNG = np.random.default_rng(3)
TRUE = _RNG.integers(0, 2, N)
GOOD = np.clip(0.5 + 0.3 * (2 * TRUE - 1) * _RNG.random(N), 0.01, 0.99)
REVERSED = 1.0 - GOOD
ZEROS = np.where(np.arange(N) < 3, np.where(TRUE == 1, 0.0, 1.0), GOOD)
WORDS = np.where(TRUE == 1, "fraud", "ok")


def codes(found: karat.GateResult) -> list[str]:
    return [one.code for one in found.doubts]


def of_baseline(found: karat.GateResult) -> list[str]:
    return [one.code for one in found.doubts if "the baseline" in one.noticed + one.evidence]


@pytest.mark.parametrize(
    ("given", "rules", "expected"),
    [
        ({"y_true": WORDS, "y_pred": WORDS}, {"min": {"accuracy": 0.5}}, ["D101"]),
        ({"y_true": TRUE, "y_score": GOOD, "threshold": 0.5}, {"min": {"accuracy": 0.1}}, ["D102"]),
        ({"y_true": TRUE, "y_score": GOOD}, {"min": {"roc_auc": 0.5}}, ["D102"]),
        ({"y_true": TRUE, "y_prob": REVERSED}, {"min": {"roc_auc": 0.0}}, ["D103"]),
        ({"y_true": TRUE, "y_prob": REVERSED}, {"min": {"accuracy": 0.0}}, ["D116"]),
        ({"y_true": TRUE, "y_prob": ZEROS}, {"max": {"log_loss": 9.0}}, ["D106"]),
        ({"y_true": TRUE, "y_prob": GOOD}, {"min": {"roc_auc": 0.5}}, []),
    ],
)
def test_a_gate_has_the_doubts_of_its_rows_and_results(
    given: dict[str, Any], rules: dict[str, Any], expected: list[str]
) -> None:
    assert codes(karat.gate(**given, **rules)) == expected


def test_the_doubts_are_those_of_the_report() -> None:
    options: dict[str, Any] = {"y_true": TRUE, "y_score": REVERSED}
    report = karat.evaluate(**options, metrics=["roc_auc"])
    assert [one.code for one in report.doubts] == ["D102", "D103"]
    assert karat.gate(**options, min={"roc_auc": 0.0}).doubts == report.doubts
    assert karat.gate(report, min={"roc_auc": 0.0}).doubts == report.doubts


def test_doubts_about_columns_are_those_of_a_table(tmp_path: Path) -> None:
    rows = {"id": np.arange(N) // 2, "label": TRUE, "pred": TRUE, "user_id": np.arange(N) // 4}
    rules = {"min": {"accuracy": 0.5}}
    assert codes(karat.gate(rows, **rules)) == ["D107", "D105"]
    path = tmp_path / "rows.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    assert sorted(codes(karat.gate(path, **rules))) == ["D105", "D107"]
    assert codes(karat.gate(rows, **rules, clusters="user_id", ids="")) == []
    one = {"label": TRUE, "proba_bad": GOOD}
    assert codes(karat.gate(one, **rules)) == ["D109"]
    assert karat.gate(one, **rules).doubts == karat.evaluate(one, metrics=["accuracy"]).doubts
    assert codes(karat.gate(one, **rules, y_prob="proba_bad")) == []
    both = {"label": TRUE, "proba_0": 1 - GOOD, "proba_1": GOOD}
    assert codes(karat.gate(both, **rules)) == []


@pytest.mark.parametrize("rules", [{"max_drop": {"roc_auc": 0.3}}, {"min": {"roc_auc": 0.0}}])
def test_a_baseline_of_predictions_has_its_doubts_under_its_name(rules: dict[str, Any]) -> None:
    found = karat.gate(TRUE, y_score=GOOD, baseline=REVERSED, **rules)
    # Where no rule compares, the areas are compared: scores without a threshold rank alone.
    assert codes(found) == ["D102", "D102", "D103"]
    assert of_baseline(found) == codes(found)[1:]
    assert "All 200 scores of the baseline lie in [0, 1]." in str(found)
    assert "The scores of the baseline rank the classes in reverse." in str(found)


def test_an_infinite_loss_is_said_of_the_side_that_has_it() -> None:
    rules = {"max_drop": {"log_loss": 0.1}}
    now = karat.gate(TRUE, y_prob=ZEROS, baseline=GOOD, **rules)
    assert (codes(now), of_baseline(now)) == (["D106"], [])
    before = karat.gate(TRUE, y_prob=GOOD, baseline=ZEROS, **rules)
    assert (codes(before), of_baseline(before)) == (["D106"], ["D106"])
    assert before.doubts[0].evidence == "3 of 200 rows have p = 0 for the true class."


def test_doubts_about_the_classes_are_said_once() -> None:
    found = karat.gate(WORDS, WORDS, baseline=WORDS)
    assert (codes(found), of_baseline(found)) == (["D101"], [])


def test_a_report_as_a_baseline_keeps_its_doubts(tmp_path: Path) -> None:
    report = karat.evaluate(TRUE, y_score=GOOD)
    path = tmp_path / "report.json"
    report.to_json(path)
    for baseline in (report, path):
        found = karat.gate(TRUE, y_prob=GOOD, baseline=baseline)
        assert [str(one) for one in found.doubts] == [f"In the baseline: {report.doubts[0]}"]


def test_a_stored_baseline_with_rows_has_doubts_and_one_of_values_has_none(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    for with_rows, expected in ((True, ["D102"]), (False, [])):
        made = karat.gate(
            TRUE, y_score=GOOD, reading=karat.Reading(keep_rows=with_rows)
        ).save_baseline(path)
        assert codes(made) == ["D102"]
        assert of_baseline(karat.gate(TRUE, y_score=GOOD, baseline=path)) == expected


def test_a_gate_that_writes_a_baseline_has_the_doubts_of_its_report(tmp_path: Path) -> None:
    made = karat.gate(TRUE, y_prob=REVERSED).save_baseline(tmp_path / "base.json")
    assert codes(made) == ["D103"]
    assert made.doubts == karat.evaluate(TRUE, y_prob=REVERSED).doubts


def test_a_doubt_changes_no_verdict() -> None:
    by_words = karat.gate(WORDS, WORDS, min={"accuracy": 0.5})
    by_class = karat.gate(WORDS, WORDS, min={"accuracy": 0.5}, positive="fraud")
    assert (by_words.verdict, by_words.exit_code) == ("PASS", 0)
    assert by_class.doubts == ()
    assert by_words.rules == by_class.rules


def test_every_form_of_a_gate_shows_its_doubts_above_its_rules() -> None:
    found = karat.gate(WORDS, WORDS, min={"accuracy": 0.5}, baseline=karat.evaluate(WORDS, WORDS))
    (doubt,) = found.doubts
    for text in (str(found), markdown_of_gate(found), found._repr_html_()):  # type: ignore[attr-defined]
        plain = text.replace("\\", "")
        assert plain.count(doubt.noticed) == 1
        assert plain.index(doubt.noticed) < plain.index("accuracy")
        # A note, which is no doubt, stays below.
        assert plain.index("Unpaired") > plain.rindex("accuracy")
    assert str(found).splitlines()[1] == f"  Doubt {doubt.coded}"
    suite = ET.fromstring(junit_of_gate(found))[0]
    assert f"Doubt {doubt.coded}" in str(suite.findtext("system-out"))
    content = json.loads(found.to_json())
    assert content["doubts"] == [doubt.to_dict()]
    assert content["notes"] == [doubt, *without_doubts(found.notes)]


def test_hostile_labels_in_doubts_stay_text() -> None:
    true = np.where(TRUE == 1, "a\n::error::x", "<b>|`c`")
    found = karat.gate(true, true, min={"accuracy": 0.5})
    assert codes(found) == ["D101"]
    for text in (str(found), markdown_of_gate(found)):
        assert not any(line.startswith("::") for line in text.splitlines())
    assert "<b>" not in markdown_of_gate(found)
    assert "<b>" not in found._repr_html_()  # type: ignore[attr-defined]


def test_messages_name_options_of_one_face(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Karat(capsys)
    path, report = tmp_path / "rows.csv", tmp_path / "report.json"
    pd.DataFrame({"label": TRUE, "pred": TRUE, "channel": WORDS}).to_csv(path, index=False)
    assert run("report", path, "-o", report).code == 0
    rule = ("--min", "accuracy=0.5")
    cases: tuple[tuple[tuple[Any, ...], dict[str, Any], str, str], ...] = (
        (("--max-drop", "accuracy=0.1"), {"max_drop": {"accuracy": 0.1}},
         "--baseline,", "baseline=,"),
        (("--min", "accuracy=9"), {"min": {"accuracy": 9}}, "--min of", "min= of"),
        ((*rule, "--baseline", report, "--level", "0.9"),
         {"min": {"accuracy": 0.5}, "baseline": report, "level": 0.9}, "--level", "level="),
        (("--baseline", report, "--by", "channel"), {"baseline": report, "by": "channel"},
         "--update-baseline and --by channel", "save_baseline() and by='channel'"),
        (("--min", "roc_auc=0.5"), {"min": {"roc_auc": 0.5}},
         "--prob, --logit or --score", "y_prob="),
    )  # fmt: skip
    # A first baseline is an option of the command, and a method of a gate without rules.
    done = run("gate", path)
    assert done.code == 2
    assert "--update-baseline" in done.err
    assert "save_baseline" not in done.err
    assert not karat.gate(path).passed
    for typed, given, option, argument in cases:
        done = run("gate", path, *typed)
        assert done.code == 2, typed
        assert option in done.err, done.err
        assert argument not in done.err
        with pytest.raises(karat.KaratError) as caught:
            karat.gate(path, **given)
        assert argument in str(caught.value)
        assert "--" not in str(caught.value)

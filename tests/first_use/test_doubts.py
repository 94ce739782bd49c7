"""Doubts stand on top of every form of a report; `check` and `karat columns` find them too."""

from __future__ import annotations

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors.doubts import DOUBTS, Doubt, doubt
from karat.errors.options import as_typed, on_the_command_line, option
from tests.cli.running import Karat

TRUE = ["ok", "fraud", "ok", "ok", "fraud", "ok"]
PRED = ["ok", "fraud", "fraud", "ok", "ok", "ok"]


def test_a_doubt_has_what_was_noticed_the_evidence_and_the_option() -> None:
    (found,) = karat.evaluate(TRUE, PRED).doubts
    assert (found.code, found.noticed) == ("D101", "No class is named as the positive one.")
    assert "'fraud', 'ok'" in found.evidence
    assert "positive='fraud'" in found.option
    assert str(found) == f"{found.noticed} {found.evidence} {found.option}"
    assert found.to_dict().keys() == {"code", "noticed", "evidence", "option"}
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert copied == found
        assert copied.to_dict() == found.to_dict()


def test_every_form_of_a_report_begins_with_its_doubts() -> None:
    report = karat.evaluate(TRUE, PRED)
    noticed = report.doubts[0].noticed
    forms = (str(report), report.to_markdown(), report.to_html(), report._repr_html_())
    for text in forms:
        assert f"D101: {noticed}" in text
    for text in (str(report), report.to_markdown(), report._repr_html_()):
        assert text.index(noticed) < text.index("accuracy")
    page = forms[2]
    assert page.index(noticed) < page.index('id="summary"')
    plain = karat.evaluate(TRUE, PRED, positive="fraud")
    assert plain.doubts == ()
    assert all("Doubts" not in text for text in (str(plain), plain.to_markdown(), plain.to_html()))


def test_doubts_are_kept_in_json() -> None:
    report = karat.evaluate(TRUE, PRED)
    stored = json.loads(report.to_json())
    assert stored["doubts"] == [one.to_dict() for one in report.doubts]
    again = karat.Report.from_json(report.to_json())
    assert [one.to_dict() for one in again.doubts] == stored["doubts"]
    assert again.warnings == report.warnings
    del stored["doubts"]
    assert karat.Report.from_json(json.dumps(stored)).doubts == ()


@pytest.mark.parametrize(
    "command", [("report",), ("gate", "--min", "accuracy=0.1"), ("compare", "b.csv")]
)
def test_the_command_line_says_doubts_on_standard_error(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    karat_ = Karat(capsys)
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        pd.DataFrame({"label": TRUE, "pred": PRED}).to_csv(name, index=False)
    done = karat_(*command, "a.csv")
    assert done.code == 0
    assert done.err.count("Doubt D101: No class is named") == 1
    assert "--positive fraud or --positive ok" in done.err
    assert "positive=" not in done.err.replace("--positive", "")
    assert "No class is named" in done.out
    stored = karat_(*command, "a.csv", "--format", "json")
    assert [one["code"] for one in json.loads(stored.out)["doubts"]] == ["D101"]
    assert "Doubt D101: No class is named" in stored.err


def test_a_check_measures_nothing_and_finds_the_same(tmp_path: Path) -> None:
    found = karat.check(TRUE, PRED)
    assert not found
    assert found.doubts == karat.evaluate(TRUE, PRED).doubts
    assert found.problem is None
    assert karat.check([0, 1, 1], [0, 1, 0])
    able = {one.what: one for one in found.abilities}
    assert not able["metrics of one positive class"].is_there
    assert able["metrics of one positive class"].needs == "positive="
    asked = karat.check(TRUE, y_prob=np.linspace(0.1, 0.9, 6))
    assert asked.problem is not None
    assert asked.problem.code == "K190"
    assert "positive='fraud'" in str(asked)
    assert json.dumps(asked.to_dict())
    path = tmp_path / "rows.csv"
    rows = pd.DataFrame({"id": [1, 2, 2], "label": [0, 1, 1], "score": [0.2, 0.7, 0.4]})
    rows.to_csv(path, index=False)
    of_file = karat.check(path)
    assert of_file.problem is not None
    assert of_file.problem.code == "K192"
    assert [one.code for one in of_file.doubts] == ["D105"]
    rows.assign(label=["no", "yes", "yes"]).to_csv(path, index=False)
    both = karat.check(path)
    assert [one.code for one in both.problems] == ["K190", "K192"]
    assert all(one.code in str(both) for one in both.problems)


def test_the_doctor_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    karat_ = Karat(capsys)
    path = tmp_path / "rows.csv"
    pd.DataFrame({"label": TRUE, "yhat": PRED, "lr_pred": PRED}).to_csv(path, index=False)
    done = karat_("columns", path)
    assert done.code == 0
    for text in ("Doubts", "--positive", "--pred lr_pred", "Available results", "truth"):
        assert text in done.out
    pd.DataFrame({"label": [0, 1], "score": [0.2, 0.7]}).to_csv(path, index=False)
    asked = karat_("columns", path)
    assert asked.code == 2
    assert "--prob score or --score score" in asked.out
    assert "prob=" not in asked.out


ROLES = {
    "id": [1, 2, 3, 4],
    "label": [0, 1, 0, 1],
    "pred": [0, 1, 1, 1],
    "other": [0, 0, 1, 1],
    "proba_0": [0.9, 0.2, 0.4, 0.3],
    "proba_1": [0.1, 0.8, 0.6, 0.7],
    "fold": [0, 0, 1, 1],
}


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ((), {"pred": "prediction"}),
        # Once the predictions are named, names that begin like scores may be anything.
        (("--pred", "other"), {"other": "prediction", "proba_0 … proba_1": ""}),
        (("--pred", "other", "--prob", ""), {"other": "prediction", "proba_0 … proba_1": ""}),
        (("--ids", "other"), {"pred": "prediction", "id": "row id", "other": "row id"}),
        (("--prob", "none"), {"pred": "prediction", "proba_0 … proba_1": ""}),
        (("--prob", "proba_1"), {"pred": "prediction", "proba_0": "", "proba_1": "probabilities"}),
    ],
)
def test_columns_that_nobody_named_keep_their_roles_beside_those_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, ...],
    taken: dict[str, str],
) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(ROLES).to_csv(path, index=False)
    done = Karat(capsys)("columns", path, *given)
    lines = done.out.partition("role\n")[2].partition("\n\n")[0].splitlines()
    cells = [re.split(r"\s{2,}", line.strip()) for line in lines]
    found = {cell[0]: "".join(cell[2:]) for cell in cells}
    family = {} if "proba_1" in found else {"proba_0 … proba_1": "probabilities proba_* (2)"}
    always = {"label": "truth", "fold": "fold", "id": "row id"}
    assert {name: text for name, text in found.items() if text} == {
        name: text for name, text in {**always, **family, **taken}.items() if text
    }


def test_a_family_of_one_column_is_shown_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    rows = {"label": ["ok", "fraud", "ok"], "proba_fraud": [0.2, 0.9, 0.1]}
    pd.DataFrame(rows).to_csv(path, index=False)
    done = Karat(capsys)("columns", path)
    assert re.search(r"^  proba_fraud +DOUBLE +probabilities$", done.out, re.MULTILINE)
    assert "…" not in done.out


@pytest.mark.parametrize("code", sorted(DOUBTS))
def test_every_doubt_has_three_parts(code: str) -> None:
    noticed, evidence, settles = DOUBTS[code]
    assert noticed.endswith(".")
    assert evidence.endswith(".")
    assert settles.endswith((".", "{do}"))


def test_a_doubt_is_filled_from_its_facts() -> None:
    found = doubt("D108", what="Column 'x' was", found="It holds text", do="Write numbers.")
    assert isinstance(found, Doubt)
    assert found == "Column 'x' was not read. It holds text. Write numbers."


def test_options_are_written_as_the_user_types_them() -> None:
    text = "Give nulls='drop', y_prob= or weights='', and metrics={value!r}; not y_pred[0]."
    assert as_typed(text) == text.replace("nulls='drop'", "reading=karat.Reading(nulls='drop')")
    with on_the_command_line():
        assert as_typed(text) == (
            "Give --nulls drop, --prob or --weights '', and --metrics {value!r}; not y_pred[0]."
        )
        assert option("clusters", "user id") == "--clusters 'user id'"
        assert option("average") == "average="
    assert option("clusters", "user id") == "clusters='user id'"


def test_errors_of_the_command_line_name_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    karat_ = Karat(capsys)
    path = tmp_path / "rows.csv"
    pd.DataFrame({"label": TRUE, "pred": PRED}).to_csv(path, index=False)
    done = karat_("report", path, "--positive", "spam")
    assert done.code == 2
    assert "K111  --positive is not one of the classes." in done.err
    assert "--positive 'spam'" in done.err


YES = ["Yes", "no", "yes", "no"]
SPELLED = ["yes", "no", "yes", "no"]


@pytest.mark.parametrize(
    ("true", "pred", "noticed", "evidence"),
    [
        (
            YES,
            SPELLED,
            "Classes 'Yes' and 'yes' differ only in blanks or case.",
            (
                "'Yes' is true 1 time and predicted 0 times; "
                "'yes' is true 1 time and predicted 2 times."
            ),
        ),
        (
            ["1", "2", "1.0", "3"],
            ["1", "2", "1", "3"],
            "Classes '1' and '1.0' differ only in how a number is written.",
            (
                "'1' is true 1 time and predicted 2 times; "
                "'1.0' is true 1 time and predicted 0 times."
            ),
        ),
        (
            ["NA", "a", "b"],
            ["NA", "a", "a"],
            "Class 'NA' is spelled like a missing value.",
            "'NA' is true 1 time and predicted 1 time.",
        ),
    ],
)
def test_labels_of_arrays_and_tables_that_are_most_often_a_slip(
    true: list[str], pred: list[str], noticed: str, evidence: str
) -> None:
    table = pd.DataFrame({"label": true, "pred": pred})
    for report in (
        karat.evaluate(true, pred),
        karat.evaluate(np.array(true, object), np.array(pred, object)),
        karat.evaluate(table),
    ):
        (found,) = [one for one in report.doubts if one.code in ("D111", "D112")]
        assert (found.noticed, found.evidence) == (noticed, evidence)
    # The option that it names settles it, and the numbers are the same.
    listed = karat.evaluate(true, pred, labels=list(report.classes.labels))
    assert not [one for one in listed.doubts if one.code in ("D111", "D112")]
    assert listed["accuracy"].value == report["accuracy"].value


def test_counts_of_a_slip_are_those_of_the_weights() -> None:
    report = karat.evaluate(YES, SPELLED, weights=[0.5, 1, 1.25, 1])
    (found,) = [one for one in report.doubts if one.code == "D111"]
    assert "'yes' is true 1.25 times and predicted 1.75 times by weight" in found.evidence


@pytest.mark.parametrize("labels", [["cat", "dog"], [1, 2], ["x1", "x²"], ["0.1", "0.10000001"]])
def test_labels_that_are_no_slip_raise_no_doubt(labels: list[object]) -> None:
    report = karat.evaluate(labels * 3, labels * 3)
    assert not [one for one in report.doubts if one.code in ("D111", "D112")]


@pytest.mark.parametrize(
    ("labels", "given", "is_list"),
    [
        (["low", "mid", "high", "NA"], {}, False),
        (["low", "mid", "high", "NA"], {"labels": ["NA", "low", "mid", "high"]}, None),
        (["yes", "NA"], {}, True),
        (["a", "a ", "b"], {}, False),
    ],
)
def test_a_hint_lists_no_classes_in_an_order_that_was_not_declared(
    labels: list[str], given: dict[str, Any], is_list: bool | None
) -> None:
    report = karat.evaluate(labels * 10, labels * 10, level=None, **given)
    hints = [one.option for one in report.doubts if one.code in ("D111", "D112")]
    assert bool(hints) is (is_list is not None)
    for hint in hints:
        assert (re.search(r"labels=\['", hint) is not None) is is_list
        assert all(repr(label) in hint for label in labels)


def test_a_hint_keeps_the_order_of_ordered_categories() -> None:
    order = ["NA", "low", "mid", "high"]
    column = pd.Series(pd.Categorical(order[::-1] * 5, categories=order, ordered=True))
    doubts = karat.evaluate(column, column, level=None).doubts
    (hint,) = (one.option for one in doubts if one.code == "D112")
    assert hint.endswith(f"labels={order}.")

"""Reports of sets in every form: text, Markdown, LaTeX, CSV, frames, HTML and JSON and back."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.six_rows import PRED, TRUE

LABELS = np.array(["sea", "sky", "sand", "people"])


def sets(seed: int, n: int = 80) -> tuple[list[set[str]], list[set[str]]]:
    rng = np.random.default_rng([262, seed])
    true = rng.random((n, 4)) < [0.5, 0.4, 0.3, 0.1]
    pred = np.where(rng.random((n, 4)) < 0.15, ~true, true)
    return [set(LABELS[row].tolist()) for row in true], [set(LABELS[row].tolist()) for row in pred]


def report(seed: int = 0, **options: Any) -> Any:
    return karat.evaluate(*sets(seed), **options)


def test_the_text_has_metrics_labels_transfers_and_what_is_undefined() -> None:
    text = str(report())
    for part in (
        "80 rows · 4 labels",
        "subset_accuracy",
        "samples_f1",
        "Labels",
        "people",
        "macro",
    ):
        assert part in text
    assert "Missed and added in the same row" in text
    assert "no label of a row counts (2·TP + FP + FN = 0), in" in text
    assert "a label or a row without a value counts as 0 in an average" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    only = str(report(metrics=["micro_f1"], level=None))
    assert "subset_accuracy" not in only
    assert "interval" not in only


def test_other_forms_hold_the_same_numbers() -> None:
    found = report()
    value = found["macro_f1"].value
    assert f"{value:.4f}" in found.to_markdown()
    assert f"{value:.4f}" in found.to_latex()
    assert f"{value:.4f}" in found.to_html()
    assert f"{value:.4f}" in found._repr_html_()
    frame = found.to_frame("pandas")
    (row,) = frame[frame.metric == "macro_f1"].to_dict("records")
    assert (row["value"], row["low"], row["average"]) == (value, found.macro_f1.low, "macro")
    assert set(frame[frame.label == "sky"].metric) >= {"precision", "recall", "support"}
    assert found.to_csv().startswith("metric,average,label")


def test_html_is_one_page_in_which_labels_are_text() -> None:
    true = [{"<b>sea</b>"}, {"sky"}, {"sky", "<b>sea</b>"}]
    found: Any = karat.evaluate(true, true[::-1])
    page = found.to_html()
    assert page.startswith("<!doctype html>")
    assert "<b>sea" not in page
    assert "Content-Security-Policy" in page


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"undefined": "exclude"}, {"level": None}, {"interval": karat.Interval(side="low")}],
)
def test_json_gives_the_report_back(is_weighted: bool, options: dict[str, Any]) -> None:
    weights = np.random.default_rng(1).random(80) if is_weighted else None
    found = report(weights=weights, **options)
    text = found.to_json()
    back = karat.MultilabelReport.from_json(text)
    assert back.to_json() == text
    assert str(back) == str(found)
    assert back["macro_f1"].low == found["macro_f1"].low
    assert back.encoded is None
    of_any_kind = karat.Report.from_json(text)
    assert (type(of_any_kind), of_any_kind.to_json()) == (karat.MultilabelReport, text)
    with pytest.raises(karat.KaratError, match=r"Path\(file\)\.read_text"):
        karat.MultilabelReport.from_json("report.json")
    chosen = report(metrics=["samples_f1", "macro_f_beta(beta=2)"])
    assert list(karat.MultilabelReport.from_json(chosen.to_json()).metrics) == list(chosen.metrics)


DAMAGED: dict[str, Any] = {
    "schema": lambda d: d.update(schema="karat.report/2"),
    "a count": lambda d: d["tally"]["counts"][0].__setitem__(0, 1000),
    "a profile": lambda d: d["tally"]["profiles"][0].__setitem__(2, 9),
    "rows": lambda d: d["tally"]["n_rows"].pop(),
    "labels": lambda d: d["tally"]["labels"]["labels"].pop(),
    "a value": lambda d: d["metrics"]["micro_f1"].update(value=0.5),
    "half an interval": lambda d: d["metrics"]["micro_f1"].update(low=None),
    "a label's rate": lambda d: d["per_class"][0].update(recall=0.123),
    "transfers": lambda d: d["transfers"].pop(),
    "a policy": lambda d: d["settings"].update(undefined="skip"),
    "a level": lambda d: d["settings"]["interval"].update(level=7.0),
    "no tally": lambda d: d.pop("tally"),
    "limits in reverse": lambda d: d["metrics"]["micro_f1"].update(low=0.99, high=0.01),
    "limits beside the value": lambda d: d["metrics"]["micro_f1"].update(low=0.001, high=0.002),
    "limits beyond the range": lambda d: d["metrics"]["micro_f1"].update(low=-1e30, high=1e30),
    "a standard error": lambda d: d["metrics"]["micro_f1"].update(standard_error=-1.0),
    "an unknown metric": lambda d: d["metrics"].update(nonsense=d["metrics"]["micro_f1"]),
    "no such metric": lambda d: d["metrics"].pop("micro_f1"),
    "a transfer": lambda d: d["transfers"][0].__setitem__(0, -3.0),
    "a version": lambda d: d.update(karat=7),
    "a level of patterns": lambda d: d["patterns"].update(level=95),
    "a wrong set": lambda d: d["patterns"]["wrong_sets"][0].update(rows=-1),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_text_is_refused(what: str) -> None:
    facts = report().to_dict()
    assert karat.MultilabelReport.from_json(json.dumps(facts)).n_rows == 80
    DAMAGED[what](facts)
    with pytest.raises(KaratError) as caught:
        karat.MultilabelReport.from_json(json.dumps(facts))
    assert caught.value.code == "K205"


def test_a_report_of_a_newer_schema_is_refused_as_newer() -> None:
    text = report().to_json().replace("karat.multilabel/2", "karat.multilabel/3")
    with pytest.raises(KaratError, match="K206"):
        karat.MultilabelReport.from_json(text)


def test_a_comparison_of_sets_survives_pickling() -> None:
    compared = karat.compare(TRUE, {"old": PRED, "new": TRUE})
    again = pickle.loads(pickle.dumps(compared))
    assert str(again) == str(compared)
    assert again.per_label("recall") == compared.per_label("recall")


def test_transfers_by_hand() -> None:
    found: Any = karat.evaluate(TRUE, PRED)
    # Rows true a b c d none, columns predicted; from the specification of sets.
    assert found.transfers.tolist() == [
        [2, 0, 0, 0, 0],
        [0, 1, 0, 0, 1],
        [0, 0, 0, 0, 2],
        [0, 0, 0, 1, 0],
        [0, 1, 1, 0, 0],
    ]
    shared: Any = karat.evaluate([{"a", "b"}], [{"c", "d"}])
    assert shared.transfers[:2, 2:4].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert shared.transfers.sum(axis=1)[:2].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"y_prob": np.zeros((80, 3))}, "K134"),
        ({"clusters": np.zeros(80)}, "K145"),
        ({"threshold": 0.5}, "K136"),
        ({"design": karat.CaseControl()}, "K222"),
        ({"weights": karat.Frequency(np.full(80, 0.5))}, "K150"),
        ({"positive": "sea"}, "K221"),
        ({"metrics": "accuracy"}, "K219"),
        ({"metrics": "f1"}, "K220"),
        ({"metrics": "roc_auc_ovr_macro"}, "K210"),
        ({"labels": ["sea", "sky"]}, "K109"),
    ],
)
def test_what_sets_do_not_take_is_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(KaratError) as caught:
        report(**options)
    assert caught.value.code == code


def test_one_label_a_row_is_the_report_of_classes() -> None:
    assert isinstance(karat.evaluate([["a"], ["b"]], [["a"], ["a"]]), karat.Report)
    assert isinstance(karat.evaluate([{"a"}, {"b"}], [["a"], ["a"]]), karat.MultilabelReport)


def test_a_check_says_what_sets_have() -> None:
    found = karat.check(*sets(0))
    assert found
    assert "80 rows · 4 labels" in str(found)
    assert "subset accuracy" in str(found)
    assert "kappa" not in str(found)
    assert "kappa" in str(karat.check([0, 1, 1], [0, 1, 0]))


def test_rows_that_define_nothing_have_no_interval() -> None:
    found: Any = karat.evaluate([set(), set()], [set(), set()], labels=["a", "b"])
    assert found["subset_accuracy"].low is not None
    assert found["hamming_loss"].value == 0.0
    for name in ("micro_f1", "samples_f1", "macro_f1"):
        assert found[name].low is None
        assert "do not define" in found[name].remark

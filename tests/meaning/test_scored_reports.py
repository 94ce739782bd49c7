"""Reports of rows with probabilities or scores: what they list, and what they say is missing."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.errors import KaratError
from karat.metrics import get
from karat.output.json import report_schema
from karat.results.report import THRESHOLDS
from karat.results.values import PER_CLASS_OF_SCORES
from tests.optional import optional
from tests.same import assert_same

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
jsonschema = optional("jsonschema")

TWO, PROB = [0, 1, 1, 0, 1], [0.25, 0.75, 0.5, 0.5, 0.875]
THREE = ["ant", "bee", "cat", "ant", "cat"]
MATRIX = np.array(
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
)
LISTED = ["roc_auc_ovr_macro", "roc_auc_ovr_weighted", "roc_auc_ovo_macro", "roc_auc_mu",
          "mean_average_precision", "log_loss", "brier", "top_k_accuracy", "d2_log_loss",
          "expected_calibration_error", "macro_ks_statistic"]  # fmt: skip


def failing(call: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value


def test_a_report_lists_rankings_losses_and_calibration() -> None:
    report = karat.evaluate(THREE, y_prob=MATRIX)
    assert report.scores == "probabilities"
    for name in LISTED:
        metric = get(name)
        options = dict(metric.params)
        if metric.lift != "plain":
            options["average"] = metric.lift
        function = getattr(karat, metric.record.name)
        assert report[name].value == function(THREE, y_prob=MATRIX, **options), name
        assert report[name].definition == metric.definition
        assert report[name].n == 5
    assert report["auc_ovo"].name == "hand_till" or report["hand_till"].name == "roc_auc_ovo_macro"
    assert "hinge_loss" not in report
    assert "hinge_loss" in karat.evaluate(THREE, y_score=MATRIX)
    assert dir(report).count("roc_auc_ovr_macro") == 1


def test_two_classes_have_plain_names() -> None:
    report = karat.evaluate(TWO, y_prob=PROB)
    for name in ("roc_auc", "average_precision", "ks_statistic", "gini", "equal_error_rate"):
        assert report[name].value == getattr(karat, name)(TWO, y_prob=PROB)
    assert report.roc_auc.signature.positive == "1"
    turned = karat.evaluate(TWO, y_prob=[1 - p for p in PROB], positive=0)
    assert turned.roc_auc.value == report.roc_auc.value
    assert turned.average_precision.value != report.average_precision.value


def test_one_column_and_two_give_the_same_report() -> None:
    both = np.stack([1 - np.array(PROB), PROB], axis=1)
    whole = karat.evaluate(TWO, y_prob=PROB).to_dict()
    assert karat.evaluate(TWO, y_prob=both).to_dict() == whole
    for dtype in (np.float16, np.float32, ">f8"):
        assert karat.evaluate(TWO, y_prob=both.astype(dtype)).to_dict() == whole
        assert karat.evaluate(TWO, y_prob=np.array(PROB, dtype)).to_dict() == whole
    assert karat.evaluate(TWO, y_prob=np.asfortranarray(both)).to_dict() == whole
    for host in (pd.DataFrame(both), pl.DataFrame(both), pa.table({"0": both[:, 0], "1": PROB})):
        assert karat.evaluate(TWO, y_prob=host).to_dict() == whole
    changed = both.copy()
    changed[0] = [0.5, 0.5]
    assert karat.evaluate(TWO, y_prob=changed).to_dict() != whole


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_report_does_not_depend_on_threads(n_threads: int) -> None:
    rng = np.random.default_rng(0)
    truth, prob = rng.integers(0, 4, 5000), rng.dirichlet(np.ones(4), 5000)
    weights = rng.random(5000)
    expected = karat.evaluate(
        truth, y_prob=prob, weights=weights, reading=karat.Reading(n_threads=3)
    ).to_json()
    assert (
        karat.evaluate(
            truth, y_prob=prob, weights=weights, reading=karat.Reading(n_threads=n_threads)
        ).to_json()
        == expected
    )


def test_the_table_of_classes_gains_rankings() -> None:
    report = karat.evaluate(THREE, y_prob=MATRIX)
    for name in PER_CLASS_OF_SCORES:
        each = getattr(karat, name)(THREE, y_prob=MATRIX, average=None)
        assert_same([row[name] for row in report.per_class], each)
        assert name not in karat.evaluate(THREE, THREE).per_class[0]
    absent = karat.evaluate(THREE[:2], y_prob=MATRIX[:2], labels=["ant", "bee", "cat"]).per_class[2]
    assert absent["roc_auc"] is None
    assert absent["undefined"]["roc_auc"] == "no row is truly of the class, or every row is"


def test_label_metrics_are_of_the_largest_of_the_threshold_or_as_given() -> None:
    assert karat.evaluate(THREE, y_prob=MATRIX).confusion.tolist() == [
        [1, 1, 0],
        [0, 1, 0],
        [0, 1, 1],
    ]
    report = karat.evaluate(TWO, y_prob=PROB)
    assert report.confusion.tolist() == [[2, 0], [1, 2]]
    assert report.threshold is None
    lower = karat.evaluate(TWO, y_prob=PROB, threshold=0.5)
    assert (lower.confusion.tolist(), lower.threshold) == ([[1, 1], [0, 3]], 0.5)
    given = karat.evaluate(TWO, [1, 1, 1, 1, 1], y_prob=PROB)
    assert given.confusion.tolist() == [[0, 2], [0, 3]]
    for name in ("roc_auc", "log_loss", "brier"):
        assert given[name].value == lower[name].value == report[name].value
    assert given["accuracy"].value == 0.6


def test_metrics_are_chosen_and_others_have_to_be_named() -> None:
    names = ["roc_auc(max_fpr=0.5)", "f1", "roc_auc_ovr_micro"]
    report = karat.evaluate(TWO, y_prob=PROB, metrics=names)
    assert list(report.metrics) == names
    assert report[names[0]].value == karat.roc_auc(TWO, y_prob=PROB, max_fpr=0.5)
    assert report["roc_auc_ovr_micro"].value == karat.roc_auc(TWO, y_prob=PROB, average="micro")
    assert report["recall"].value == 2 / 3
    problem = failing(lambda: report["log_loss"])
    assert (problem.code, isinstance(problem, KeyError)) == ("K211", True)
    assert "metrics=['log_loss']" in str(problem)
    assert "log_loss" not in report
    with pytest.raises(AttributeError, match="K211"):
        _ = report.log_loss
    whole = karat.evaluate(TWO, y_prob=PROB)
    assert failing(lambda: whole["roc_auc(max_fpr=0.5)"]).code == "K211"
    assert failing(lambda: karat.evaluate(TWO, TWO)["log_loss"]).code == "K210"
    assert failing(lambda: karat.evaluate(TWO, TWO, metrics="log_loss")).code == "K210"
    assert failing(lambda: karat.evaluate(THREE, y_prob=MATRIX)["roc_auc"]).code == "K307"
    assert failing(lambda: karat.evaluate(THREE, y_prob=MATRIX, metrics="roc_auc")).code == "K307"


def test_thresholds_of_two_classes() -> None:
    report = karat.evaluate(TWO, y_prob=PROB)
    assert report.thresholds == {
        "f1": {"threshold": 0.5, "value": 6 / 7},
        "informedness": {"threshold": 0.75, "value": 2 / 3},
        "cost": {"threshold": 0.75, "value": 0.2},
    }
    for point, name in (("f1", "f1"), ("informedness", "informedness")):
        threshold = report.thresholds[point]["threshold"]
        chosen = karat.evaluate(TWO, y_prob=PROB, threshold=threshold)
        assert chosen[name].value == pytest.approx(report.thresholds[point]["value"], rel=1e-15)
        for other in PROB:
            assert (
                karat.evaluate(TWO, y_prob=PROB, threshold=other)[name].value <= chosen[name].value
            )
    assert list(report.thresholds) == list(THRESHOLDS)


def test_thresholds_of_more_classes_are_a_list() -> None:
    report = karat.evaluate(THREE, y_prob=MATRIX, labels=karat.Labels(names=["a", "b", "c"]))
    found = report.thresholds
    assert [(row["label"], row["name"]) for row in found] == [
        ("ant", "a"),
        ("bee", "b"),
        ("cat", "c"),
    ]
    for i, row in enumerate(found):
        truth = np.array([label == row["label"] for label in THREE])
        alone = karat.evaluate(truth, y_score=MATRIX[:, i]).thresholds
        assert {key: row[key] for key in THRESHOLDS} == alone
    assert karat.evaluate(THREE, y_prob=MATRIX, metrics="log_loss").scores == "probabilities"
    limited = karat.evaluate(THREE, y_prob=MATRIX, metrics="log_loss")
    assert failing(lambda: limited.thresholds).code == "K211"
    assert failing(lambda: karat.evaluate(THREE, THREE).thresholds).code == "K210"


def test_thresholds_that_there_are_none_of() -> None:
    report = karat.evaluate([0, 0], y_prob=[0.25, 0.5])
    assert report.thresholds["f1"] == {
        "threshold": None, "value": None, "undefined": "no row is truly of the class",
    }  # fmt: skip
    assert report.thresholds["cost"]["threshold"] == math.inf
    assert "infinite" in report.thresholds["cost"]["undefined"]


def test_absent_classes_are_said_not_hidden() -> None:
    labels = ["ant", "bee", "cat", "dog"]
    four = np.column_stack([MATRIX, np.zeros(5)])
    report = karat.evaluate(THREE, y_prob=four, labels=labels)
    three = karat.evaluate(THREE, y_prob=MATRIX)
    reason = "no row is truly of the class, or every row is (1 of 4 classes, left out: 'dog')"
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_weighted", "macro_ks_statistic"):
        assert report[name].value == three[name].value
        assert report[name].undefined == reason
    assert report["roc_auc_ovo_macro"].value == three["roc_auc_ovo_macro"].value
    assert "left out: 'dog'" in str(report["roc_auc_ovo_macro"].undefined)
    strict = karat.evaluate(THREE, y_prob=four, labels=labels, undefined="nan")
    assert math.isnan(strict["roc_auc_ovr_macro"].value)
    assert "left out" not in str(strict["roc_auc_ovr_macro"].undefined)
    assert three["roc_auc_ovr_macro"].undefined is None


def test_many_absent_classes_are_counted() -> None:
    prob = np.full((4, 12), 1 / 12)
    report = karat.evaluate([0, 1, 2, 1], y_prob=prob, labels=range(12))
    reason = str(report["mean_average_precision"].undefined)
    assert "(9 of 12 classes, left out: '3', '4', '5', '6', '7' … (9 in all))" in reason


@pytest.mark.parametrize("truth", [[0, 0, 0], [1, 1, 1]])
def test_one_observed_class_has_a_report(truth: list[int]) -> None:
    report = karat.evaluate(truth, y_prob=[0.25, 0.5, 0.75])
    assert report.labels == (0, 1)
    for name in ("roc_auc", "roc_auc_ovr_macro", "roc_auc_mu", "gini", "ks_statistic"):
        assert math.isnan(report[name].value)
        assert report[name].undefined
    assert math.isfinite(report["log_loss"].value)
    assert math.isfinite(report["expected_calibration_error"].value)
    document = json.loads(report.to_json())
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    assert document["metrics"]["roc_auc"]["value"] is None
    assert str(Report.from_json(report.to_json())) == str(report)


def test_an_infinite_loss_is_null_with_its_reason() -> None:
    report = karat.evaluate([0, 1], y_prob=[1.0, 0.5])
    assert report["log_loss"].value == math.inf
    found = report.to_dict()["metrics"]["log_loss"]
    assert found["value"] is None
    assert (
        found["undefined"] == "the true class of a row has probability 0, so the loss is infinite"
    )
    assert "∞*" in str(report)
    assert math.isfinite(report["brier"].value)


def test_every_value_is_finite_or_has_a_reason() -> None:
    rng = np.random.default_rng(3)
    for k in (2, 3, 7):
        for n in (1, 2, 5, 40):
            truth = rng.integers(0, k, n)
            prob = np.round(rng.dirichlet(np.full(k, 0.3), n), 1)
            prob[:, 0] += 1 - prob.sum(axis=1)
            prob = np.clip(prob, 0, 1)
            for argument in ("y_prob", "y_score"):
                if argument == "y_prob" and (np.abs(prob.sum(axis=1) - 1) > 1e-3).any():
                    continue
                options: dict[str, Any] = {argument: prob, "weights": rng.integers(0, 3, n) + 0.5}
                report = karat.evaluate(truth, labels=range(k), **options)
                for name, found in report.metrics.items():
                    low, high = found.range
                    is_fine = low - 1e-9 <= found.value <= high + 1e-9
                    assert is_fine or found.undefined, (name, found.value)
                assert str(report)
                assert Report.from_json(report.to_json()).to_json() == report.to_json()


def test_reports_travel() -> None:
    report = karat.evaluate(TWO, y_prob=PROB, threshold=0.5)
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report), copy.copy(report)):
        assert again.to_json() == report.to_json()
        assert again.thresholds == report.thresholds


def test_tables_name_their_columns() -> None:
    frame = pd.DataFrame({"label": THREE, "p_cat": MATRIX[:, 2], "p_ant": MATRIX[:, 0],
                          "p_bee": MATRIX[:, 1]})  # fmt: skip
    whole = {
        name: found.value for name, found in karat.evaluate(THREE, y_prob=MATRIX).metrics.items()
    }
    names = ["p_cat", "p_bee", "p_ant"]
    for prob in (None, "p_*", names, tuple(names), np.array(names), frame.columns[1:]):
        report = karat.evaluate(frame, y_prob=prob)
        assert {name: found.value for name, found in report.metrics.items()} == whole
        assert report.mapping["y_prob"] == ["p_ant", "p_bee", "p_cat"]
    assert karat.evaluate(frame, y_score="p_*").scores == "scores"
    assert karat.evaluate(frame, threshold=None, y_prob="p_*").threshold is None


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        ({"y_prob": PROB, "y_score": PROB}, "K129", "Both y_prob and y_score were given"),
        ({"y_prob": PROB, "confusion": [[1, 2], [3, 4]]}, "K141", "given with confusion="),
        ({"y_prob": PROB, "y_score": "p"}, "K143", "without data"),
        ({"y_prob": PROB, "y_true": "y"}, "K143", "without data"),
        (
            {"y_prob": PROB, "reading": karat.Reading(nulls="drop")},
            "K144",
            "karat.Reading(nulls='drop') was given with arrays",
        ),
        ({"y_prob": PROB, "y_pred": TWO, "threshold": 0.5}, "K140", "was given with y_pred"),
        ({"y_pred": TWO, "threshold": 0.5}, "K136", "There are no probabilities or scores"),
        ({"y_prob": PROB, "threshold": math.nan}, "K136", "threshold=nan"),
        ({"y_prob": PROB, "threshold": "0.5"}, "K136", "threshold='0.5'"),
        ({"y_prob": PROB, "labels": karat.Labels(names=["a"])}, "K117", "1 names for 2 classes"),
        ({"y_prob": PROB, "metrics": {"roc_auc"}}, "K310", "which has no order"),
        ({"y_prob": PROB, "metrics": "roc_acu"}, "K301", "roc_auc"),
        ({"y_prob": PROB, "metrics": "top_k_accuracy(k=3)"}, "K302", "k=3 is larger"),
        (
            {"y_prob": PROB, "metrics": "roc_auc_mu(cost=[[0,1,1],[1,0,1],[1,1,0]])"},
            "K302",
            "(3, 3)",
        ),
        ({"y_prob": PROB, "weights": "w"}, "K143", "without a table"),
        ({"y_prob": PROB, "weights": [0] * 5}, "K115", "All 5 rows have weight 0"),
        ({"y_prob": PROB, "weights": [1e-320] * 5}, "K125", "less than"),
        ({"y_prob": PROB, "labels": [0]}, "K109", "labels=0"),
        ({"y_prob": PROB, "positive": 2}, "K111", "positive=2"),
        ({"y_prob": PROB[:4]}, "K102", "y_prob has 4"),
    ],
)
def test_arguments_that_do_not_go_together(options: dict[str, Any], code: str, told: str) -> None:
    problem = failing(lambda: karat.evaluate(TWO, **options))
    assert problem.code.startswith(code)
    assert told in str(problem)


def test_a_missing_truth_is_told() -> None:
    problem = failing(lambda: karat.evaluate(y_prob=PROB))
    assert "y_true was not given" in str(problem)


FRAME = {"label": TWO, "pred": TWO, "p": PROB, "z": PROB}


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        ({"y_prob": PROB[:-1]}, "K102", "y_prob has"),
        ({"y_score": PROB[:-1]}, "K102", "y_score has"),
        ({"y_pred": list(map(str, TWO))}, "K158", "give values as an array or a Series"),
        ({"y_prob": "p", "y_score": "z"}, "K129", "for the probabilities and for the scores"),
        ({"y_prob": "q"}, "K404", "no column 'q'"),
        ({"y_prob": "q_*"}, "K404", "no column 'q_*'"),
        ({"y_prob": ["p", "p"]}, "K157", "named twice"),
        ({"y_prob": "label", "y_true": "label"}, "K157", "'label'"),
        ({"y_prob": []}, "K158", "y_prob= is [] (list), not names of columns"),
        ({"y_prob": 0.5}, "K158", "y_prob= is 0.5 (float)"),
        ({"y_prob": {"p"}}, "K158", "(set), not names of columns"),
        ({"y_prob": np.array(PROB), "y_score": "z"}, "K129", "for the scores"),
        ({"y_prob": "p", "y_pred": "pred", "threshold": 0.5}, "K140", "a column of predictions"),
        ({"y_prob": "", "y_score": "", "threshold": 0.5}, "K136", "There are no probabilities"),
    ],
)
def test_arguments_that_do_not_go_with_a_table(
    options: dict[str, Any], code: str, told: str
) -> None:
    problem = failing(lambda: karat.evaluate(FRAME, **options))
    assert problem.code == code
    assert told in str(problem)


def test_columns_that_are_places_are_taken_in_their_order() -> None:
    table = pd.DataFrame([["a", 0.25, 0.75], ["b", 0.375, 0.625]])
    report = karat.evaluate(table, y_true=0, y_prob=[1, 2])
    expected = karat.log_loss(["a", "b"], y_prob=[[0.25, 0.75], [0.375, 0.625]])
    assert report["log_loss"].value == expected
    numbers = pd.DataFrame([[0, 0.25, 0.75], [1, 0.375, 0.625]])
    assert karat.evaluate(numbers, y_true=0, y_prob=[1, 2])["log_loss"].value == expected


def test_two_words_without_a_positive_class_are_reported_as_many_classes() -> None:
    truth, prob = ["no", "yes", "yes", "no"] * 5, np.array([[0.8, 0.2], [0.3, 0.7]] * 10)
    report = karat.evaluate(truth, y_prob=prob)
    named = karat.evaluate(truth, y_prob=prob, positive="yes")
    assert [one.code for one in report.doubts] == ["D101"]
    assert named.doubts == ()
    assert "positive='no' or positive='yes'" in report.doubts[0].option
    for name in ("macro_f1", "log_loss", "roc_auc_ovr_macro"):
        assert repr(report[name]) == repr(named[name])
    # Thresholds and curves are those of each class.
    thresholds: Any = report.thresholds
    best: Any = named.thresholds
    assert (thresholds[1]["label"], thresholds[1]["f1"]) == ("yes", best["f1"])
    assert report.curves.roc["yes"].area == named["roc_auc"].value
    for name in ("f1", "roc_auc"):
        problem = failing(lambda name=name: report[name])
        assert problem.code == "K194"
        assert name not in report
    again = karat.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert again.doubts == report.doubts
    assert "No class is named as the positive one." in report.to_html()

"""The metrics that open a report, by the kind of problem: rule by rule, and in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics import all_records, get
from karat.metrics.headlines import MANY_CLASSES, RARE, headline, same_by_definition
from karat.output.describe import headline_names, listed_names, slice_metric

RARE_FIRST = ["prevalence", "no_information_rate", "average_precision", "recall", "precision"]
PLAIN = [
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1",
    "matthews_correlation", "kappa",
]  # fmt: skip
OF_PROBABILITIES = ["log_loss", "brier", "expected_calibration_error"]


def two(n_pos: int, n: int, seed: int = 0) -> tuple[Any, Any]:
    """True labels, of which so many are 1, and probabilities."""
    true = (np.arange(n) < n_pos).astype(np.int64)
    noise = np.random.default_rng(seed).random(n)
    return true, np.clip(0.35 * true + 0.6 * noise, 0.01, 0.99)


def many(k: int, n: int = 400) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    true = np.arange(n) % k
    prob = rng.dirichlet(np.ones(k), n)
    prob[np.arange(n), true] += 0.3
    return true, prob / prob.sum(axis=1, keepdims=True)


def test_two_balanced_classes_open_with_accuracy() -> None:
    assert list(headline(2, has_positive=True, prevalence=0.5)) == PLAIN
    found = headline(2, has_positive=True, prevalence=0.5, has_probabilities=True)
    assert list(found) == [*PLAIN, "roc_auc", "average_precision", *OF_PROBABILITIES]


def test_rare_positives_open_with_what_they_are_compared_to() -> None:
    of_labels = headline(2, has_positive=True, prevalence=0.01)
    assert list(of_labels[:5]) == [*RARE_FIRST[:2], "recall", "precision", "precision_lift"]
    of_probabilities = headline(2, has_positive=True, prevalence=0.01, has_probabilities=True)
    assert list(of_probabilities[:6]) == [*RARE_FIRST, "precision_lift"]
    assert set(of_probabilities) - set(of_labels) == {
        "roc_auc", "average_precision", *OF_PROBABILITIES,
    }  # fmt: skip
    assert of_labels.index("accuracy") == 5


@pytest.mark.parametrize(
    ("prevalence", "is_rare"),
    [(0.0, True), (0.0499, True), (5 / 100, False), (0.05, False), (0.0501, False), (None, False)],
)
def test_exactly_five_percent_is_not_rare(prevalence: float | None, is_rare: bool) -> None:
    assert RARE == 0.05
    first = headline(2, has_positive=True, prevalence=prevalence)[0]
    assert first == ("prevalence" if is_rare else "accuracy")
    unknown = headline(2, has_positive=True, prevalence=float("nan"))[0]
    assert unknown == "accuracy"


@pytest.mark.parametrize(("n_pos", "first"), [(49, "prevalence"), (50, "accuracy")])
def test_a_report_counts_its_rows(n_pos: int, first: str) -> None:
    true, prob = two(n_pos, 1000)
    assert headline_names(karat.evaluate(true, prob > 0.5))[0] == first
    assert headline_names(karat.evaluate(true, y_prob=prob))[0] == first


def test_the_prevalence_is_that_of_the_weights() -> None:
    true, prob = two(100, 200)
    weights = np.where(true == 1, 1.0, 99.0)
    assert headline_names(karat.evaluate(true, y_prob=prob))[0] == "accuracy"
    assert headline_names(karat.evaluate(true, y_prob=prob, weights=weights))[0] == "prevalence"
    # 19 rows of weight 1 beside one of 361: 5 % of all weight.
    even = karat.evaluate([1] * 19 + [0], [1] * 20, weights=[1.0] * 19 + [361.0])
    assert even["prevalence"].value == 0.05
    assert headline_names(even)[0] == "accuracy"
    less = karat.evaluate([1] * 19 + [0], [1] * 20, weights=[1.0] * 19 + [362.0])
    assert headline_names(less)[0] == "prevalence"


def test_the_rare_class_is_the_positive_one() -> None:
    true, prob = two(30, 1000)
    names = np.array(["ok", "fraud"])[true]
    rare = karat.evaluate(names, y_prob=prob, labels=["ok", "fraud"], positive="fraud")
    common = karat.evaluate(names, y_prob=1 - prob, labels=["ok", "fraud"], positive="ok")
    assert headline_names(rare)[0] == "prevalence"
    assert headline_names(common)[0] == "accuracy"


@pytest.mark.parametrize(("k", "first"), [(19, "accuracy"), (20, "balanced_accuracy")])
def test_many_classes_open_with_what_holds_for_all_of_them(k: int, first: str) -> None:
    assert MANY_CLASSES == 20
    true, prob = many(k)
    report = karat.evaluate(true, y_prob=prob)
    names = headline_names(report)
    assert names[0] == first
    assert ("top_5_accuracy" in report) == ("top_5_accuracy" in names) == (k == 20)
    if k == 20:
        assert names[:3] == ["balanced_accuracy", "macro_f1", "top_5_accuracy"]
        of_labels = headline_names(karat.evaluate(true, prob.argmax(axis=1)))
        assert of_labels[:3] == ["balanced_accuracy", "macro_f1", "accuracy"]
    assert not {"precision", "recall", "f1"} & set(names)


def test_scores_open_with_rankings_and_leave_out_what_is_of_probabilities() -> None:
    true, prob = two(400, 1000)
    names = headline_names(karat.evaluate(true, y_score=4 * prob - 2, threshold=0))
    assert names == ["roc_auc", "average_precision", *PLAIN]
    bare = headline_names(karat.evaluate(true, y_score=4 * prob - 2))
    assert bare == ["roc_auc", "average_precision"]
    true, prob = many(4)
    names = headline_names(karat.evaluate(true, y_score=np.log(prob)))
    assert names[:4] == [
        "roc_auc_ovr_macro", "roc_auc_ovr_weighted", "roc_auc_ovo_macro", "mean_average_precision",
    ]  # fmt: skip
    assert not set(OF_PROBABILITIES) & set(names)
    both = headline(2, has_positive=True, has_probabilities=True, has_scores=True)
    assert both[0] == "accuracy"
    assert set(OF_PROBABILITIES) < set(both)


def test_rare_positives_come_before_scores_and_many_classes_before_scores() -> None:
    rare = headline(2, has_positive=True, prevalence=0.02, has_scores=True)
    assert list(rare[:7]) == [*RARE_FIRST, "precision_lift", "roc_auc"]
    of_many = headline(30, has_positive=False, has_scores=True)
    assert list(of_many[:4]) == [
        "balanced_accuracy", "macro_f1", "top_5_accuracy", "roc_auc_ovr_macro",
    ]  # fmt: skip


def test_two_classes_without_a_positive_one_open_as_many_do() -> None:
    names = headline(2, has_positive=False)
    assert "macro_f1" in names
    assert names == headline(3, has_positive=False)
    assert not {"precision", "recall", "f1", "roc_auc"} & set(names)
    assert headline(2, has_positive=False, prevalence=0.01) == names


def test_every_name_is_canonical_and_stands_once() -> None:
    for k, has_positive in ((2, True), (2, False), (5, False), (50, False)):
        for given in ({}, {"has_scores": True}, {"has_probabilities": True}):
            found = headline(k, has_positive=has_positive, prevalence=0.01, **given)
            assert [str(get(name)) for name in found] == list(found)
            assert len(set(found)) == len(found)


def test_what_needs_probabilities_is_what_the_catalogue_reads_of_them() -> None:
    needing = {record.name for record in all_records() if record.reads_probabilities}
    assert {"log_loss", "brier", "expected_calibration_error", "d2_brier"} <= needing
    assert not {"roc_auc", "average_precision", "hinge_loss", "top_k_accuracy", "f1"} & needing


def test_metrics_that_were_asked_for_keep_their_order() -> None:
    true, prob = two(20, 1000)
    report = karat.evaluate(true, y_prob=prob, metrics=["accuracy", "prevalence"])
    assert headline_names(report) == ["accuracy", "prevalence"]
    assert slice_metric(report) == "accuracy"


@pytest.mark.parametrize(("n_pos", "name"), [(30, "recall"), (300, "accuracy")])
def test_slices_are_compared_by_what_rare_positives_need(n_pos: int, name: str) -> None:
    true, prob = two(n_pos, 1000)
    groups = np.array(["a", "b"])[np.arange(1000) % 2]
    report = karat.evaluate(true, y_prob=prob, by={"group": groups})
    assert slice_metric(report) == name
    tests = report.to_dict()["slices"][0]["tests"]
    assert list(tests) == [name]
    again = karat.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()


def test_every_form_opens_alike() -> None:
    true, prob = two(30, 1000)
    report = karat.evaluate(true, y_prob=prob)
    for text in (str(report), report.to_markdown(), report.to_latex(), report._repr_html_()):
        places = [text.index(name.replace("_", sep)) for name, sep in _names(text)]
        assert places == sorted(places)


def _names(text: str) -> list[tuple[str, str]]:
    sep = r"\_" if r"average\_precision" in text else "_"
    return [(name, sep) for name in ("prevalence", "average_precision", "precision_lift")]


@pytest.mark.parametrize("k", [2, 4])
def test_a_section_of_what_is_undefined_has_content(k: int) -> None:
    # A report whose shown values are all defined, some of the others not.
    true = np.arange(200) % k
    report = karat.evaluate(true, true)
    assert report.undefined_metrics
    for text in (str(report), report.to_markdown(), report.to_latex()):
        assert "Undefined" not in text
        assert "not listed here" not in text
    one = karat.evaluate([0, 1, 1, 0], [0, 0, 0, 0])
    assert "Undefined (*)" in str(one)
    assert "nothing was predicted as the class" in str(one)
    assert "not listed here" not in str(one)


def test_precision_lift_is_precision_over_prevalence() -> None:
    report = karat.evaluate(confusion=[[960, 10], [12, 18]])
    lift = report["precision_lift"]
    wanted = report["precision"].value / report["prevalence"].value
    assert lift.value == pytest.approx(wanted, rel=1e-14) == pytest.approx(18 / 28 / 0.03)
    assert lift.low is not None
    assert lift.high is not None
    assert 1 < lift.low < lift.value < lift.high <= 1 / 0.03
    assert np.isnan(karat.evaluate([0, 1], [0, 0])["precision_lift"].value)


@pytest.mark.parametrize("undefined", ["zero", "exclude", "nan"])
@pytest.mark.parametrize("absent", [0, 1])
def test_what_is_the_same_by_definition_is_the_same_number(undefined: Any, absent: int) -> None:
    rng = np.random.default_rng(absent)
    for k in (2, 3, 7):
        labels = list(range(k + absent))
        # The class that is absent from the true labels is predicted.
        true = np.concatenate([np.arange(k), rng.integers(0, k, 60)])
        pred = np.concatenate([labels, rng.integers(0, k, true.size - len(labels))])
        weights = rng.random(true.size)
        report = karat.evaluate(true, pred, labels=labels, weights=weights, undefined=undefined)
        same = same_by_definition(report.metrics, all_true=not absent)
        assert {"micro_f1", "micro_precision", "micro_recall"} <= set(same)
        assert ("macro_recall" in same) is not absent
        for name, other in same.items():
            assert report[name].value == pytest.approx(report[other].value, rel=1e-12), name


def test_a_number_is_listed_under_one_name_unless_it_was_asked_for() -> None:
    true, prob = many(4)
    report = karat.evaluate(true, y_prob=prob)
    opening, listed = headline_names(report), listed_names(report)
    assert [name for name in opening if name not in listed] == ["macro_recall", "micro_f1"]
    for text in (report.text(), report.to_markdown()):
        assert "micro_f1" not in text
        assert "macro_recall" not in text
    assert listed_names(report, "all") == list(report.metrics)
    assert {"macro_recall", "micro_f1"} < set(report.metrics)
    asked = karat.evaluate(true, y_prob=prob, metrics=["accuracy", "micro_f1"])
    assert listed_names(asked) == ["accuracy", "micro_f1"]
    # Balanced accuracy leaves out a class without rows; macro recall counts it as 0.
    fewer = karat.evaluate(true[true < 3], y_prob=prob[true < 3], labels=range(4))
    assert "macro_recall" in listed_names(fewer)


def test_a_report_with_a_judge_lists_a_number_once() -> None:
    true = np.random.default_rng(0).integers(0, 4, 400)
    gold = [int(y) if i % 2 else None for i, y in enumerate(true)]
    report = karat.evaluate(gold, np.where(true, true, 1), design=karat.Judge(true))
    text = report.text(120)
    assert "micro_f1" not in text
    assert "macro_recall" not in text
    assert text.splitlines()[2].startswith("Accuracy is ")

"""The finding of a page: every sentence follows from the numbers of the report."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors.text import value
from karat.output.describe_judged import finding_of_judged
from karat.output.finding import (
    Clause,
    finding_of,
    finding_of_comparison,
    finding_of_sets,
    first_sentence,
    tiles_of,
    title_of,
    title_of_comparison,
)
from tests.output.reports import ten

RNG = np.random.default_rng(27)
N = 4000
FRAUD = (RNG.random(N) < 0.02).astype(int)
PROB = 1 / (1 + np.exp(-(RNG.normal(size=N) + 2.5 * FRAUD - 4.5)))
NAMES = np.array(["ok", "fraud"])


def texts(clauses: Any) -> str:
    return " ".join(one.text for one in clauses)


def rare(**given: Any) -> karat.Report:
    options = {"positive": "fraud", "labels": ["ok", "fraud"], **given}
    return karat.evaluate(NAMES[FRAUD], y_prob=PROB, **options)


def test_a_rare_class_opens_with_its_recall_and_precision() -> None:
    report = rare(threshold=0.2)
    story = texts(finding_of(report))
    recall, precision = report["recall"], report["precision"]
    assert story.startswith(f"Recall of fraud {recall.value:.4f} [{recall.low:.4f}, ")
    assert f" at threshold 0.2. Precision {precision.value:.4f} [" in story
    assert "Accuracy" not in story
    names = [one.name for one in tiles_of(report)]
    assert names == ["recall", "precision", "average_precision", "roc_auc", "f1", "log_loss"]
    (note,) = (one.note for one in tiles_of(report) if one.name == "average_precision")
    assert note == f"by chance: {value(FRAUD.mean())}"


def test_where_nothing_is_predicted_it_says_so_and_names_a_threshold() -> None:
    report = rare(threshold=1.0)
    story = texts(finding_of(report))
    missed = FRAUD.sum()
    assert f"No row is predicted fraud at threshold 1: all {missed} rows are missed." in story
    best = report.thresholds["f1"]["threshold"]
    is_called = best <= PROB
    recall = (is_called & (FRAUD == 1)).sum() / missed
    precision = (is_called & (FRAUD == 1)).sum() / is_called.sum()
    told = f"chosen on these rows, recall is {recall:.4f} and precision {precision:.4f}."
    assert told in story
    # Where the report predicts from that threshold on, there is none to name.
    assert "chosen on these rows" not in texts(finding_of(rare(threshold=best)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: p, "No miscalibration found (p = "),
        (lambda p: p**1.5, "on average they are too low"),
        (lambda p: p**0.6, "on average they are too high"),
        (lambda p: 1 / (1 + (p / (1 - p)) ** -3), "they are too extreme"),
        (lambda p: 1 / (1 + (p / (1 - p)) ** -0.4), "they are too close to the mean"),
    ],
)
def test_calibration_is_tested_and_its_direction_named(change: Any, told: str) -> None:
    p = RNG.random(N)
    y = (RNG.random(N) < p).astype(int)
    assert told in texts(finding_of(karat.evaluate(y, y_prob=change(p))))


def test_slices_are_worse_or_not_shown_to_be() -> None:
    channel = np.where(np.random.default_rng(1).random(N) < 0.5, "web", "app")
    report = rare(threshold=0.2, by={"channel": channel})
    (one,) = (one for one in finding_of(report) if one.target == "slices")
    assert one.text.startswith("No channel is shown to be worse in recall; a drop would show from")
    # A slice is shown to be worse where the upper limit of its difference is below 0.
    limits = report.slices["channel"].difference("recall").values()
    reach = min(x.high_simultaneous - x.difference for x in limits)
    assert f" from {value(reach)} on " in one.text
    # Where that is more than there is to lose, nothing could show.
    few = rare(threshold=0.9, by={"channel": channel})
    (one,) = (one for one in finding_of(few) if one.target == "slices")
    limits = few.slices["channel"].difference("recall").values()
    assert min(x.high_simultaneous - x.difference for x in limits) > few["recall"].value
    assert one.text.endswith("these rows are too few for any drop to show.")
    report = rare(threshold=0.2, by={"channel": channel})
    losses = rare(metrics=["log_loss"], by={"channel": channel})
    (one,) = (one for one in finding_of(losses) if one.target == "slices")
    assert "; a rise would show from " in one.text
    worse = np.where(channel == "web", PROB / 50, PROB)
    report = karat.evaluate(
        NAMES[FRAUD], y_prob=worse, positive="fraud", threshold=0.2, by={"channel": channel}
    )
    (one,) = (one for one in finding_of(report) if one.target == "slices")
    web = report.slices["channel"]["web"]["recall"].value
    assert one.text.startswith(f"Recall is worst for channel web: {value(web)}, ")


def test_classes_show_the_worst_and_the_most_frequent_error() -> None:
    report = ten()
    story = texts(finding_of(report))
    matrix = report.confusion.matrix
    base = matrix.sum(axis=1).max() / matrix.sum()
    told = f"Accuracy {report['accuracy'].value:.4f} over 10 classes."
    assert f"{told} Predicting the largest class for every row gives {base:.4f}." in story
    worst = min(report.per_class, key=lambda row: row["recall"])
    told = f"Lowest recall: class {worst['name']} {worst['recall']:.4f} ({worst['support']} rows)."
    assert told in story
    matrix = report.confusion.matrix - np.diag(np.diag(report.confusion.matrix))
    true, pred = np.unravel_index(matrix.argmax(), matrix.shape)
    whole = report.confusion.matrix[true].sum()
    error = f"{matrix.max()} of {whole} rows of class {true} are predicted class {pred}"
    assert f"Most frequent error: {error} (" in story


def test_nothing_is_claimed_that_was_not_computed() -> None:
    assert texts(finding_of(karat.evaluate(["a", "b", "c"], ["a", "b", "c"]))).endswith(
        "No row is predicted wrongly."
    )
    few = karat.evaluate([0, 1, 1, 0], [0, 0, 1, 1], metrics=["f1", "kappa"], level=None)
    assert texts(finding_of(few)) == "F1 0.5000. Kappa 0.0000."
    assert [one.name for one in tiles_of(few)] == ["f1", "kappa"]
    read = karat.Report.from_json(rare(threshold=0.2).to_json())
    assert finding_of(read) == finding_of(rare(threshold=0.2))


@pytest.mark.parametrize("options", [{}, {"metrics": ["kappa"]}, {"threshold": 0.2}])
def test_a_text_opens_with_the_first_sentence_of_the_page(options: dict[str, Any]) -> None:
    report = rare(**options)
    (first, *_) = finding_of(report)
    facts, finding = report.text(200).splitlines()[1:3]
    assert facts.startswith("4 000 rows")
    assert finding == first.text
    assert first.text in html.unescape(report.to_html())
    for text in (report.to_markdown().replace("\\", ""), report._repr_html_()):
        assert first.text in text
        assert text.index(first.text) < text.index("Metrics")


def test_a_doubt_is_no_finding() -> None:
    doubts = [Clause("A doubt about the input: rows repeat.", "doubts")]
    assert first_sentence(doubts) == first_sentence([]) == ""
    assert first_sentence([*doubts, Clause("F1 0.5.", "summary"), *doubts]) == "F1 0.5."


def test_no_row_is_missed_where_none_is_true() -> None:
    report = karat.evaluate([0, 0, 0], y_prob=[0.1, 0.2, 0.3], labels=[0, 1], positive=1)
    assert texts(finding_of(report)).startswith("No row is predicted class 1 at threshold 0.5. ")


def test_sets_of_labels() -> None:
    true = [{"sea", "sky"}, {"sand"}, set(), {"sea"}] * 10
    report = karat.evaluate(true, [{"sea"}, {"sea"}, set(), {"sea"}] * 10)
    story = texts(finding_of_sets(report))
    assert "Proportion of rows with every label correct 0.5000 [" in story
    assert "Never predicted: sand, sky." in story
    assert "Most frequent wrong set: sea predicted instead of sand (10 rows)." in story
    assert title_of(report) == "sand, sea, sky"
    assert report.text(120).splitlines()[2] == finding_of_sets(report)[0].text
    assert [one.name for one in tiles_of(report)][:2] == ["subset_accuracy", "micro_f1"]


def _of_sets() -> Any:
    true = [{"sea", "sky"}, {"sand"}, set(), {"sea"}] * 10
    return finding_of_sets(karat.evaluate(true, [{"sea"}, {"sea"}, set(), {"sea"}] * 10))


def _of_models() -> Any:
    y = RNG.integers(0, 3, 900)
    models = {
        name: np.where(RNG.random(900) < right, y, (y + 1) % 3)
        for name, right in (("a", 0.9), ("b", 0.88), ("c", 0.6), ("d", 0.6))
    }
    return finding_of_comparison(karat.compare(y, models))


def _of_judge() -> Any:
    judge = RNG.integers(0, 2, 800)
    gold = np.where(np.arange(800) < 200, judge ^ (RNG.random(800) < 0.1), -1)
    truth = [None if x < 0 else int(x) for x in gold]
    report = karat.evaluate(truth, judge ^ (RNG.random(800) < 0.2), design=karat.Judge(judge))
    return finding_of_judged(report, list(report.metrics)[:3])


NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d ]*(?:\.\d+)?(?:e-?\d+)?(?![\w])")


@pytest.mark.parametrize(
    "finding",
    [
        lambda: finding_of(rare(threshold=0.2)),
        lambda: finding_of(rare(threshold=0.2, by={"c": np.where(PROB > 0.1, "x", "y")})),
        lambda: finding_of(ten()),
        lambda: finding_of(
            karat.evaluate(NAMES[FRAUD], y_prob=(PROB > 0.5).astype(float), positive="fraud")
        ),
        lambda: finding_of(rare(metrics=["f1", "recall", "precision", "roc_auc"])),
        lambda: finding_of(karat.evaluate("examples/predictions/digits_rf.parquet")),
        _of_sets,
        _of_models,
        _of_judge,
    ],
)
def test_a_sentence_has_at_most_four_numbers(finding: Any) -> None:
    clauses = finding()
    assert len(clauses) > 1
    for clause in clauses:
        # The name of a class may be a number, and a doubt states what it found.
        text = re.sub(r"class \d+", "class", clause.text)
        if clause.target != "doubts":
            assert len(NUMBER.findall(text)) <= 4, clause.text
            assert text.count(". ") == 0, clause.text


def test_numbers_of_a_sentence_are_counted() -> None:
    assert len(NUMBER.findall("Recall of fraud 0.2 [0.1, 0.3] at threshold 0.2, of 1 200.")) == 5
    assert not NUMBER.findall("f1, top_5_accuracy and class a2")


@pytest.mark.parametrize(
    ("report", "title"),
    [
        (rare, "fraud or ok"),
        (lambda: karat.evaluate([0, 1], [0, 1]), "2 classes"),
        (lambda: karat.evaluate(list("abcdab"), list("abcdab")), "a, b, c and 1 more class"),
        (lambda: karat.evaluate("examples/predictions/iris_rf.csv"), "iris_rf.csv"),
    ],
)
def test_a_page_is_called_after_its_file_or_its_classes(report: Any, title: str) -> None:
    assert title_of(report()) == title


def test_a_comparison_says_which_model_is_better_and_what_is_open() -> None:
    y = RNG.integers(0, 2, 600)
    old, new = (np.where(RNG.random(600) < share, y, 1 - y) for share in (0.7, 0.85))
    found = karat.compare(y, {"old": old, "new": new}, metrics=["accuracy", "f1"])
    assert title_of_comparison(found) == "new against old"
    clauses = finding_of_comparison(found)
    one = found["accuracy"]
    assert clauses[0].text == "new is better than old in accuracy and f1."
    told = f"+{100 * one.difference:.2f} percentage points [{100 * one.low:.2f}, "
    assert clauses[1].text.startswith(f"The difference in accuracy is {told}")
    assert [clause.target for clause in clauses[:2]] == ["pair-0", "pair-0"]
    losses = karat.compare(y, y_prob={"a": y * 0.8 + 0.1, "b": y * 0.4 + 0.3}, metrics="log_loss")
    log_loss = losses["log_loss"].difference
    assert f"log loss is +{log_loss:.4f} [" in texts(finding_of_comparison(losses))
    same = karat.compare(y, {"old": new, "new": np.roll(new, 0)}, metrics=["accuracy"])
    assert "new is identical to old in accuracy" in texts(finding_of_comparison(same))
    rng = np.random.default_rng(7)
    probs = {name: (y + 2 * rng.random(600)) / 3 for name in ("old", "new")}
    open_ones = karat.compare(y, y_prob=probs, metrics=["brier", "ks_statistic"])
    told = texts(finding_of_comparison(open_ones))
    assert "1 of 2 metrics is inconclusive; with these rows a difference in brier of" in told
    assert "1 of 2 metrics is not tested." in told
    # Of three models or more also which is best, by how many metrics.
    assert not any("Best measured" in one.text for one in clauses)
    models = {"old": old, "new": new, "other": 1 - new}
    several = karat.compare(y, models, metrics=["accuracy", "f1"])
    assert [one.model for one in several.best_of_several.values()] == ["new", "new"]
    assert finding_of_comparison(several)[0].text == (
        "new is better than old and other in at least one metric."
    )
    alone = karat.compare(y, models, metrics="accuracy")
    assert finding_of_comparison(alone)[0].text == "new is better than old and other in accuracy."
    equal = karat.compare(y, {"a": new, "b": new, "c": new}, metrics="accuracy")
    told = "No model is shown to be better than another."
    assert finding_of_comparison(equal)[0].text == told
    (best,) = (one for one in finding_of_comparison(several) if one.target == "best")
    assert best.text.startswith("Best measured of 3: new by 2 metrics;")

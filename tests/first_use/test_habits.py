"""What a new user tries first: words of other libraries, labels as keys, counts as weights."""

from __future__ import annotations

import pydoc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.cli.running import Karat

TRUE = ["stays", "churned", "stays", "churned"] * 5
PRED = ["stays", "churned", "churned", "churned"] * 5
COUNTS = [1, 2, 1, 3] * 5


def told(call: Callable[[], Any]) -> str:
    with pytest.raises((KaratError, AttributeError)) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("word", ["counts", "freq", "frequency", "sample_counts"])
def test_words_for_counts_lead_to_frequency(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    given: Any = {word: COUNTS}
    for verb in (karat.evaluate, karat.gate, karat.compare, karat.check):
        assert "weights=karat.Frequency(…)" in told(lambda verb=verb: verb(TRUE, PRED, **given))
    assert "in karat it is weights=" in told(lambda: karat.accuracy(TRUE, PRED, **given))
    ran = Karat(capsys)("report", "a.csv", f"--{word}", "n")
    assert "--weights COLUMN --weights-are frequency" in ran.err


def codes(**given: Any) -> list[str]:
    rows = {"y": TRUE, "p": PRED, "count": COUNTS, "age": COUNTS, "Freq": [0.5 * x for x in COUNTS]}
    return [one.code for one in karat.evaluate(rows, y_true="y", y_pred="p", **given).doubts]


def test_a_column_of_counts_as_weights_is_a_doubt() -> None:
    assert "D128" in codes(weights="count")
    # The controls: another name, numbers that are not whole, and the answer.
    assert "D128" not in codes(weights="age")
    assert "D128" not in codes(weights="Freq")
    assert "D128" not in codes(weights=karat.Frequency("count"))


def test_a_row_of_classes_is_found_by_its_label() -> None:
    report = karat.evaluate(TRUE, PRED)
    assert report.per_class["churned"] == report.per_class[0]
    assert report.per_class["churned"]["recall"] == 1.0
    assert "'churned', 'stays'" in told(lambda: report.per_class["gone"])
    with pytest.raises(KeyError):
        report.per_class["gone"]
    named = karat.evaluate([0, 1, 7] * 4, [0, 1, 7] * 4, labels=karat.Labels(names=["a", "b", "c"]))
    assert named.per_class["7"] == named.per_class["c"] == named.per_class[2]
    with pytest.raises(IndexError):
        named.per_class[7]
    assert [row["label"] for row in named.per_class[:2]] == [0, 1]
    sets = karat.evaluate([["sea"], ["sky"], ["sea", "sky"]], [["sea"], ["sea"], ["sky"]])
    assert sets.per_class["sea"]["label"] == "sea"
    assert "no label 'land'" in told(lambda: sets.per_class["land"])


def test_a_metric_with_the_name_of_a_class_says_how_it_is_read() -> None:
    report = karat.evaluate(TRUE, PRED)
    for call in (lambda: report["recall_churned"], lambda: report.recall_churned):
        assert "report.per_class['churned']['recall']" in told(call)
    assert "per_class" not in told(lambda: report["recall_gone"])


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("acc", "accuracy"),
        ("logloss", "log_loss"),
        ("NLL", "log_loss"),
        ("mAP", "mean_average_precision"),
    ],
)
def test_short_names_of_metrics_lead_to_theirs(short: str, name: str) -> None:
    assert f"Nearest: {name}." in told(lambda: karat.evaluate(TRUE, PRED)[short])


def test_labels_of_tokens_are_flattened() -> None:
    labels = np.arange(96).reshape(8, 12) % 5
    assert "flatten both sides" in told(lambda: karat.evaluate(labels, labels))
    assert "flatten" not in told(lambda: karat.evaluate(labels * 0.5, labels * 0.5))


def test_weights_by_class_are_mapped_to_rows() -> None:
    by_class: Any = {"stays": 1, "churned": 5}
    message = told(lambda: karat.evaluate(TRUE, PRED, weights=by_class))
    assert "look up the weight of the class of each row" in message
    assert karat.evaluate(TRUE, PRED, weights=[by_class[y] for y in TRUE]).n_rows == 20


def test_groups_name_their_arguments() -> None:
    given: Any = ("fold", "repeat")
    assert "karat.Folds('fold', repeat='repeat')" in told(lambda: karat.Folds(*given))
    one: Any = (0.9,)
    assert "karat.Interval(level=0.9)" in told(lambda: karat.Interval(*one))


@pytest.mark.parametrize("group", [karat.Folds, karat.Labels, karat.Interval, karat.Reading])
def test_help_of_groups_lists_no_internals(group: Any) -> None:
    text = pydoc.plain(pydoc.render_doc(group)).partition("Method resolution order")[2]
    for name in ("texts", "parts", "later", "implied", "n_places", "options_at", "of_options"):
        assert name not in text
        assert name not in dir(group())
    assert "given" in text


def test_streams_name_what_they_have() -> None:
    stream: Any = karat.Stream()
    assert "stream.report()" in told(lambda: stream.compute)
    assert "'Stream' object has no attribute 'other'" in told(lambda: stream.other)


def test_a_column_that_is_searched_is_not_used_as_weights(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = {"y": rng.integers(0, 2, 400), "p": rng.integers(0, 2, 400), "weight": rng.random(400)}
    found = karat.find_weak_slices(rows, y_true="y", y_pred="p")
    notes = " ".join(map(str, found.notes))
    assert "Column 'weight' is not used as weights" in notes


@pytest.mark.parametrize(
    ("name", "value", "answer"),
    [
        ("ignore_index", -100, "eave these rows out of every argument: keep = y_true != -100"),
        ("num_classes", 3, "abels=range(k) names classes 0 to k − 1"),
        ("target", TRUE, "n karat it is y_true="),
        ("preds", PRED, "n karat it is y_pred="),
        ("top_k", 5, "of a metric: top_5_accuracy"),
        ("from_logits", True, "ogits are y_logit=, probabilities y_prob="),
    ],
)
def test_words_of_torch_are_answered(name: str, value: Any, answer: str) -> None:
    given = {name: value}
    for verb in (karat.evaluate, karat.accuracy, karat.gate):
        assert answer in told(lambda verb=verb: verb(TRUE, PRED, **given))


def test_a_level_of_confidence_is_answered() -> None:
    assert "In karat it is level=." in told(
        lambda: karat.evaluate(TRUE, PRED, confidence_level=0.9)
    )

"""`threshold=0` of probabilities is a doubt; sets of labels take a dict from label to threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import InputError

RNG = np.random.default_rng(1)
TRUE = RNG.integers(0, 2, 40)
PROB = np.clip(TRUE * 0.4 + RNG.random(40) * 0.6, 0.01, 0.99)
LOGIT = np.log(PROB / (1.0 - PROB))
TWO = {"y": TRUE, "p": PROB, "q": PROB}
SETS = RNG.integers(0, 2, (40, 3))
OF_SETS = np.clip(SETS * 0.4 + RNG.random((40, 3)) * 0.6, 0.01, 0.99)
LABELS = ["beach", "sea", "sky"]
BY_LABEL = {"sky": 0.6, "beach": 0.4, "sea": 0.5}
FRAME = {
    **{f"true_{name}": SETS[:, i] for i, name in enumerate(LABELS)},
    **{f"p_{name}": OF_SETS[:, i] for i, name in enumerate(LABELS)},
}
COLUMNS: dict[str, Any] = {"y_true": "true_*", "y_prob": "p_*"}


def zeros(result: Any) -> list[Any]:
    return [one for one in result.doubts if one.code == "D161"]


def stream() -> Any:
    made = karat.Stream(threshold=0)
    made.update(TRUE, y_logit=LOGIT)
    return made.report()


@pytest.mark.parametrize(
    "call",
    [
        lambda: karat.evaluate(TRUE, y_logit=LOGIT, threshold=0),
        lambda: karat.evaluate(TRUE, y_prob=PROB, threshold=0.0),
        lambda: karat.evaluate({"y": TRUE, "p": PROB}, y_true="y", y_prob="p", threshold=0),
        lambda: karat.check(TRUE, y_logit=LOGIT, threshold=0),
        lambda: karat.gate(TRUE, y_logit=LOGIT, threshold=0, min={"accuracy": 0.2}),
        lambda: karat.compare(TRUE, y_logit={"a": LOGIT, "b": LOGIT + 1}, threshold=0),
        lambda: karat.compare(TWO, y_true="y", y_prob=["p", "q"], threshold=0),
        lambda: karat.evaluate(SETS, y_prob=OF_SETS, threshold=0),
        lambda: karat.evaluate(SETS, y_prob=OF_SETS, threshold=[0, 0, 0]),
        stream,
    ],
)  # fmt: skip
def test_a_threshold_of_0_is_one_doubt(call: Any) -> None:
    (found,) = zeros(call())
    assert "is cut at a probability" in found.evidence
    assert "threshold=0.5" in found.option


@pytest.mark.parametrize(
    "call",
    [
        lambda: karat.evaluate(TRUE, y_score=LOGIT, threshold=0),
        lambda: karat.evaluate(TRUE, y_logit=LOGIT, threshold=0.01),
        lambda: karat.evaluate(TRUE, y_logit=LOGIT),
        lambda: karat.evaluate(SETS, y_score=OF_SETS, threshold=0),
        lambda: karat.evaluate(SETS, y_prob=OF_SETS, threshold=[0, 0.5, 0]),
    ],
)
def test_other_thresholds_are_none(call: Any) -> None:
    assert zeros(call()) == []


def test_a_threshold_of_0_predicts_the_positive_class_in_every_row() -> None:
    report = karat.evaluate(TRUE, y_logit=LOGIT, threshold=0)
    assert report["recall"] == 1.0
    assert report.confusion.matrix[:, 0].sum() == 0


def test_thresholds_by_label_are_those_in_the_order_of_the_labels() -> None:
    listed = karat.evaluate(SETS, y_prob=OF_SETS, labels=LABELS, threshold=[0.4, 0.5, 0.6])
    by_label = karat.evaluate(SETS, y_prob=OF_SETS, labels=LABELS, threshold=BY_LABEL)
    of_table = karat.evaluate(FRAME, **COLUMNS, threshold=BY_LABEL)
    within = karat.evaluate(FRAME, **COLUMNS, labels=karat.Labels(threshold=BY_LABEL))
    for report in (by_label, of_table, within):
        assert report["macro_f1"].value == listed["macro_f1"].value
    # The control: in the order of the dict they are others.
    other = karat.evaluate(SETS, y_prob=OF_SETS, labels=LABELS, threshold=list(BY_LABEL.values()))
    assert other["macro_f1"].value != listed["macro_f1"].value
    assert not karat.check(FRAME, **COLUMNS, threshold=BY_LABEL).doubts


def test_compare_takes_a_dict_by_label_for_a_model() -> None:
    probs = {"a": OF_SETS, "b": OF_SETS * 0.9}
    found = karat.compare(
        SETS, y_prob=probs, labels=LABELS, threshold={"a": BY_LABEL, "b": 0.5}, metrics="macro_f1"
    )
    alone = karat.evaluate(SETS, y_prob=OF_SETS, labels=LABELS, threshold=BY_LABEL)
    assert found.values["macro_f1"]["a"].value == alone["macro_f1"].value


def test_other_labels_are_listed() -> None:
    in_memory: dict[str, Any] = {"y_prob": OF_SETS, "labels": LABELS}
    for data, named in ((SETS, in_memory), (FRAME, COLUMNS)):
        with pytest.raises(InputError) as caught:
            karat.evaluate(data, **named, threshold={"beach": 0.4, "see": 0.5, "sky": 0.6})
        assert caught.value.code == "K136"
        assert "it names 'see' and it lacks 'sea'" in str(caught.value)
    with pytest.raises(InputError, match="nor one for each label"):
        karat.evaluate(SETS, y_prob=OF_SETS, labels=LABELS, threshold=BY_LABEL | {"sea": "high"})

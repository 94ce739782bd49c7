"""Names of a comparison that are not there, pairs that are not named, models in two forms."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError

TRUE = ["yes", "no", "no"] * 20
RIGHT = list(TRUE)
HALF = ["yes", "no", "yes"] * 20


def refused(call: Any) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    return str(caught.value)


def test_of_several_pairs_one_is_named() -> None:
    two = karat.compare(TRUE, {"a": RIGHT, "b": HALF})
    assert (two["accuracy"].a, two["accuracy"].b) == ("b", "a")
    three = karat.compare(TRUE, {"a": RIGHT, "b": HALF, "c": HALF})
    text = refused(lambda: three["accuracy"])
    assert text.startswith("K168")
    for pair in ("('accuracy', 'b', 'a')", "('accuracy', 'c', 'a')", "('accuracy', 'c', 'b')"):
        assert pair in text
    assert three["accuracy", "b", "a"].difference == two["accuracy"].difference
    folds = np.arange(len(TRUE)) % 3
    over = karat.compare(TRUE, {"a": RIGHT, "b": HALF, "c": HALF}, design=karat.Folds(folds)).folds
    assert "('accuracy', 'c', 'b')" in refused(lambda: over["accuracy"])
    assert over["accuracy", "b", "a"].a == "b"


def test_a_pilot_of_several_pairs_is_its_first() -> None:
    first = karat.compare(TRUE, {"a": RIGHT, "b": HALF})
    every = karat.compare(TRUE, {"a": RIGHT, "b": HALF, "c": HALF})
    wanted = [karat.rows_needed("accuracy", pilot=x, difference=0.05) for x in (first, every)]
    assert wanted[0] == wanted[1]


def test_values_answer_to_every_name_of_a_metric() -> None:
    values: Any = karat.compare(TRUE, {"a": RIGHT, "b": HALF}).values
    assert values["mcc"] is values["matthews_correlation"]
    assert "mcc" not in values
    for twin in (pickle.loads(pickle.dumps(values)), copy.deepcopy(values)):
        assert twin == values
        assert twin["mcc"]["a"].value == values["mcc"]["a"].value
    assert refused(lambda: values["macro_recall"]).startswith("K168")
    assert "'a', 'b'" in refused(lambda: values["accuracy"]["c"])
    assert refused(lambda: values["accurracy"]).startswith("K301")
    with pytest.raises(KeyError):
        values["macro_recall"]


def test_the_model_and_the_row_of_a_third_class_are_named() -> None:
    said = list(RIGHT)
    said[7] = "maybe"
    text = refused(lambda: karat.compare(TRUE, {"a": RIGHT, "llm": said}, positive="yes"))
    assert text.startswith("K112")
    assert "y_pred['llm'] has 'maybe', first at row 7 ('maybe'; 1 of 60 rows)" in text
    assert "np.where(pred == 'maybe', 'no', pred)" in text
    numbers = [int(label == "yes") for label in TRUE]
    other = [*numbers[:-1], 5]
    text = refused(lambda: karat.compare(numbers, {"a": numbers, "b": other}, positive=1))
    assert "y_pred['b'] has 5, first at row 59 (5; 1 of 60 rows)" in text
    assert "np.where(pred == 5, 0, pred)" in text


def test_columns_of_scores_beside_probabilities_are_a_doubt() -> None:
    rng = np.random.default_rng(1)
    true = rng.integers(0, 4, 300)
    logits = rng.normal(size=(300, 4)) + 2.0 * np.eye(4)[true] + 4.0 * rng.normal(size=(300, 1))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)

    def codes(**given: Any) -> list[str]:
        return [one.code for one in karat.compare(true, **given).doubts]

    found = karat.compare(true, y_prob={"softmax": p}, y_score={"logits": logits})
    (one,) = found.doubts
    assert one.code == "D158"
    assert "'logits'" in one.evidence
    assert "'softmax'" in one.evidence
    assert "y_logit=" in one.option
    assert found["roc_auc_ovr_macro"].verdict == "worse"
    assert codes(y_prob={"softmax": p, "other": p}) == []
    assert codes(y_score={"logits": logits, "other": logits}) == []
    given: Any = {"y_prob": {"softmax": p}, "y_score": {"logits": logits}}
    assert codes(**given, metrics=["accuracy", "top_2_accuracy"]) == []
    # Softmax does not change the ranks of two columns, which are ranked by their difference.
    two = (true > 1).astype(int)
    pair = {"y_prob": {"p": p[:, 1]}, "y_score": {"s": logits[:, :2]}}
    assert [x.code for x in karat.compare(two, **pair).doubts if x.code == "D158"] == []

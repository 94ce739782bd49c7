"""Log-probabilities given as logits, and probabilities of a softmax given for sets, are doubts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

RNG = np.random.default_rng(4)
N = 200
TRUE = RNG.integers(0, 2, N)
LOGITS = RNG.normal(2.0 * (2 * TRUE - 1), 2.0)
PROB = 1.0 / (1.0 + np.exp(-LOGITS))
SETS = RNG.integers(0, 2, (N, 3))
SET_LOGITS = RNG.normal(2.0 * SETS - 1.0, 1.0)
SOFTMAX = np.exp(SET_LOGITS) / np.exp(SET_LOGITS).sum(axis=1, keepdims=True)
SIGMOID = 1.0 / (1.0 + np.exp(-SET_LOGITS))


def codes(result: Any) -> list[str]:
    return [each.code for each in result.doubts if each.code in ("D163", "D164")]


def stream(y_logit: Any) -> Any:
    rows = karat.Stream()
    rows.update(TRUE[:50], y_logit=y_logit[:50])
    rows.update(TRUE[50:], y_logit=y_logit[50:])
    return rows.report()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: karat.evaluate(TRUE, y_logit=np.log(PROB)), ["D163"]),
        (lambda: karat.evaluate(TRUE, y_logit=LOGITS), []),
        (lambda: stream(np.log(PROB)), ["D163"]),
        (lambda: stream(LOGITS), []),
        (lambda: karat.compare(TRUE, y_logit={"a": np.log(PROB), "b": LOGITS}), ["D163"]),
        (lambda: karat.evaluate(SETS, y_logit=np.log(SIGMOID)), ["D163"]),
        (lambda: karat.evaluate(SETS, y_logit=SET_LOGITS), []),
        (lambda: karat.evaluate(SETS, y_prob=SOFTMAX), ["D164"]),
        (lambda: karat.evaluate(SETS, y_prob=SIGMOID), []),
        # The softmax of logarithms of probabilities is the probabilities: nothing is misread.
        (lambda: karat.evaluate(TRUE, y_logit=np.log(np.c_[1.0 - PROB, PROB])), []),
        (lambda: karat.evaluate(TRUE, y_score=np.log(PROB)), []),
        # A model of a rare class predicts it nowhere, and is far from certain.
        (lambda: karat.evaluate(TRUE, y_logit=np.log(PROB) - 0.2), []),
    ],
)
def test_the_doubt_is_raised_where_numbers_may_be_meant_otherwise(call: Any, expected: Any) -> None:
    assert codes(call()) == expected


def test_what_each_doubt_advises_removes_it_and_mends_the_number() -> None:
    misread = karat.evaluate(TRUE, y_logit=np.log(PROB))
    mended = karat.evaluate(TRUE, y_prob=np.exp(np.log(PROB)))
    assert "y_prob=" in misread.doubts[0].option
    assert mended.doubts == ()
    assert float(mended["log_loss"]) == pytest.approx(
        float(karat.log_loss(TRUE, y_prob=PROB)), rel=1e-12
    )
    assert float(misread["log_loss"]) > 1.5 * float(mended["log_loss"])
    softmax = karat.evaluate(SETS, y_prob=SOFTMAX)
    assert "y_logit=" in softmax.doubts[0].option
    assert codes(karat.evaluate(SETS, y_logit=SET_LOGITS)) == []


def test_the_error_about_minus_infinity_names_the_exponential() -> None:
    with pytest.raises(karat.KaratError, match=r"y_prob=np\.exp") as caught:
        karat.evaluate(TRUE, y_logit=np.where(TRUE == 0, -np.inf, 0.0))
    assert caught.value.code == "K131"


def test_binary_masks_may_be_places_and_not_labels() -> None:
    masks = RNG.integers(0, 2, (32, 32))
    report = karat.evaluate(masks, masks[::-1])
    assert [each.code for each in report.doubts if each.code == "D129"] == ["D129"]
    # Many labels of which few are true are usual.
    sparse = (RNG.random((100, 60)) < 0.05).astype(int)
    assert "D129" not in [each.code for each in karat.evaluate(sparse, sparse[::-1]).doubts]


def test_probabilities_given_as_labels_are_named_so() -> None:
    for more in ({}, {"positive": 1}):
        with pytest.raises(karat.KaratError, match="Give probabilities as y_prob=") as caught:
            karat.evaluate(TRUE, np.c_[1.0 - PROB, PROB], **more)
        assert caught.value.code == "K103"

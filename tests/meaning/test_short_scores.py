"""Functions of scores on plain arrays give what the long path gives: value, error and warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.api import functions
from karat.api import score_functions as short_scores
from karat.metrics import all_records
from karat.metrics._metric import Metric
from karat.metrics._record import Record

SCORED = [
    record
    for record in all_records()
    if not record.is_traced and not any(item.is_required for item in record.parameters)
]
SHORT = [record for record in SCORED if short_scores.short_path(record, "plain")]
HARM = ("", "", "", "nan", "infinite", "below", "above", "sum", "length", "class", "one", "ndim")


def outcome(call: Any) -> tuple[str, list[str]]:
    """The exact value or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
            text = np.asarray(value, np.float64).tobytes().hex()
            text = f"{type(value).__name__} {text}"
        except (ValueError, OverflowError) as problem:
            text = f"{type(problem).__name__} {problem}"
    return text, [str(one.message) for one in caught]


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """Labels and scores, as they should be or with something wrong."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from((2, 3, 7, 40, 300, 3000)))
    k = draw(st.sampled_from((2, 2, 2, 3, 5, 10)))
    kind = draw(st.sampled_from(("i8", "i4", "u1", "u8", "?" if k == 2 else "i2")))
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n)]).astype(kind)
    rng.shuffle(truth)
    if kind != "?":
        truth = (truth + draw(st.sampled_from((0, 1, 100)))).astype(kind)
    weights = rng.gamma(0.5, size=(len(truth), k)) + 1e-3
    if draw(st.booleans()):
        weights = np.ceil(weights * 2)  # many ties
    values = weights / weights.sum(axis=1, keepdims=True)
    argument = draw(st.sampled_from(("y_prob", "y_logit", "y_score")))
    if argument != "y_prob":
        values = np.log(values) * draw(st.sampled_from((1.0, 50.0)))
    values = np.asarray(values, draw(st.sampled_from(("f4", "f8", "f8", "f2", ">f8"))))
    if draw(st.booleans()):
        values = np.asfortranarray(values)
    if k == 2 and draw(st.booleans()):
        values = values[:, 1]
    return harmed(truth, values, draw(st.sampled_from(HARM)), argument)


def harmed(truth: Any, values: Any, harm: str, argument: str) -> tuple[Any, dict[str, Any]]:
    values = values.copy()
    bad = {"nan": np.nan, "infinite": np.inf, "below": -0.25, "above": 1.5}
    if harm in bad:
        values.reshape(-1)[-1:] = bad[harm]
        values[-1] = bad[harm]
    elif harm == "sum":
        values[1] = values[1] / 2
    elif harm == "length":
        values = values[:-1]
    elif harm == "class":
        truth = np.where(truth == truth.max(), truth.min(), truth)
    elif harm == "one":
        values = values.reshape(len(values), -1)[:, :1]
    elif harm == "ndim":
        truth = truth[:, None]
    return truth, {argument: values}


def agree(function: Any, truth: Any, given: dict[str, Any]) -> None:
    # Naming the number of threads changes nothing but the path.
    long = outcome(lambda: function(truth, **given, n_threads=1))
    assert outcome(lambda: function(truth, **given)) == long


@pytest.mark.parametrize("record", SCORED, ids=lambda record: record.name)
@settings(max_examples=15, deadline=None)
@given(problem=problems())
def test_plain_arrays_give_what_the_long_path_gives(record: Record, problem: Any) -> None:
    truth, scores = problem
    lifted = (record.lifted(lift) for lift in record.averages)
    for name in (record.name, *lifted):
        agree(functions.function_of(name), truth, scores)
    for average in ("macro", "weighted", "micro", "plain", None, 3):
        agree(functions.function_of(record.name), truth, {**scores, "average": average})


def test_the_usual_metrics_have_a_short_path() -> None:
    names = {"log_loss", "brier", "roc_auc", "average_precision", "top_k_accuracy"}
    assert names <= {record.name for record in SHORT}
    record = Metric.of(next(one for one in SHORT if one.name == "log_loss"), "plain", {}).record
    run = short_scores.short_path(record, "plain")
    assert run is not None
    truth, prob = np.array([0, 1, 1]), np.array([0.25, 0.5, 0.75])
    assert run(truth, prob, None, None) == karat.log_loss([0, 1, 1], y_prob=[0.25, 0.5, 0.75])
    # What the long path has to look at.
    assert run([0, 1, 1], prob, None, None) is None
    assert run(truth, prob.tolist(), None, None) is None
    assert run(truth, prob, None, prob) is None
    assert run(truth, prob, prob, None) is None
    assert run(truth, None, None, prob) is None  # scores have no probabilities
    assert run(truth, None, prob, None) == karat.log_loss([0, 1, 1], y_logit=[0.25, 0.5, 0.75])
    assert run(truth, None, None, None) is None
    assert run(truth, prob + 1, None, None) is None
    assert run(truth, np.array([0.25, 0.5, 0.0]), None, None) is None  # an infinite loss is told


def test_values_past_the_end_of_the_range_are_at_its_end() -> None:
    truth = np.array([0, 1, 2])
    perfect = np.eye(3)
    assert karat.log_loss(truth, y_prob=perfect) == 0.0
    assert karat.brier(truth, y_prob=np.roll(perfect, 1, axis=1)) == 2.0


@pytest.mark.parametrize("average", ["macro", "weighted", "plain", "per_class"])
@pytest.mark.parametrize(
    "name", [record.lifted(lift) for record in SHORT for lift in record.averages]
)
def test_a_name_that_carries_an_average_takes_no_other(name: str, average: str) -> None:
    truth = np.array([0, 1, 2, 2])
    scores = np.random.default_rng(0).random((4, 3))
    with pytest.raises(ValueError, match=r"K30\d"):
        functions.function_of(name)(truth, y_score=scores, average=average)

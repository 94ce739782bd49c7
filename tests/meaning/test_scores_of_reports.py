"""A report of scores: the numbers of the plain functions, whatever way it travelled."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics import Metric, all_metrics, get
from tests.same import assert_same

SHAPES = [(2, "one column"), (2, "two columns"), (3, "matrix"), (5, "matrix")]
KINDS = ("y_prob", "y_score")


def problem(k: int, shape: str, kind: str, *, is_weighted: bool) -> dict[str, Any]:
    """Rows with ties and, of five classes, one that never occurs."""
    rng = np.random.default_rng(100 * k + 10 * is_weighted + len(shape))
    n = 301
    y_true = rng.integers(0, min(k, 4), n)
    scores = np.round(rng.normal(size=(n, k)) + np.eye(k)[y_true], 1)
    if kind == "y_prob":
        scores = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    values = scores[:, 1] if shape == "one column" else scores
    weights = rng.random(n) * (rng.random(n) > 0.1) if is_weighted else None
    return {"y_true": y_true, kind: values, "labels": list(range(k)), "weights": weights}


def of_function(metric: Metric, call: dict[str, Any], undefined: str) -> Any:
    """What the plain function gives for a metric of a report."""
    params = dict(metric.params)
    if metric.record.averages and metric.record.is_per_class:
        params["average"] = None if metric.lift == "per_class" else metric.lift
        if metric.lift == "plain":
            del params["average"]
    return getattr(karat, metric.record.name)(**call, **params, undefined=undefined)


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("is_weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "shape"), SHAPES)
@pytest.mark.parametrize("undefined", ["zero", "exclude", "nan"])
def test_a_report_gives_what_the_functions_give(
    k: int, shape: str, kind: str, is_weighted: bool, undefined: str
) -> None:
    call = problem(k, shape, kind, is_weighted=is_weighted)
    report = karat.evaluate(**call, undefined=undefined)
    assert any(metric.lift == "per_class" for metric in report.measured)
    for metric, values in report.measured.items():
        if metric.lift == "per_class" and not metric.record.averages:
            continue  # a column of the page, which no function has
        assert_same(values.value, of_function(metric, call, undefined), about=str(metric))
    for name, result in report.metrics.items():
        metric = get(name)
        if metric.needs_scores:
            assert_same(result.value, of_function(metric, call, undefined), about=name)


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("is_weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "shape"), SHAPES)
def test_every_metric_by_name_gives_what_the_functions_give(
    k: int, shape: str, kind: str, is_weighted: bool
) -> None:
    call = problem(k, shape, kind, is_weighted=is_weighted)
    wanted = [
        metric
        for metric in all_metrics()
        if metric.needs_scores
        and k >= metric.record.least_classes
        and not (metric.lift == "plain" and metric.record.is_per_class and k > 2)
        and metric.lift != "per_class"
    ]
    if kind == "y_score":
        # Scores of any kind have no probabilities (K319).
        wanted = [metric for metric in wanted if not metric.record.reads_probabilities]
    report = karat.evaluate(**call, metrics=wanted)
    assert len(report.metrics) == len(wanted)
    for metric in wanted:
        assert_same(report[metric].value, of_function(metric, call, "zero"), about=str(metric))


@pytest.mark.parametrize("is_weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "shape"), SHAPES)
def test_a_report_of_scores_travels(k: int, shape: str, kind: str, is_weighted: bool) -> None:
    call = problem(k, shape, kind, is_weighted=is_weighted)
    report = karat.evaluate(**call)
    text = report.to_json()
    for other in (karat.Report.from_json(text), pickle.loads(pickle.dumps(report))):
        assert other.to_json() == text
        assert other.to_dict() == report.to_dict()
        assert str(other) == str(report)
        assert list(other.metrics) == list(report.metrics)
        for name, result in report.metrics.items():
            assert other[name].undefined == result.undefined, name
            assert_same(other[name].value, result.value, about=name)
        assert other.thresholds == report.thresholds
        assert other.per_class == report.per_class


@pytest.mark.parametrize("is_weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_of_scores_does_not_depend_on_threads(kind: str, is_weighted: bool) -> None:
    rng = np.random.default_rng(3)
    n = 40_000
    scores = rng.random((n, 3))
    values = scores / scores.sum(axis=1, keepdims=True) if kind == "y_prob" else scores
    call = {"y_true": rng.integers(0, 3, n), kind: values}
    call["weights"] = rng.random(n) if is_weighted else None
    texts = {
        karat.evaluate(**call, reading=karat.Reading(n_threads=count)).to_json()
        for count in (1, 2, 5)
    }
    assert len(texts) == 1


def test_one_column_is_two() -> None:
    """float[n] of the positive class, first or second, and float[n, 2] are one thing."""
    rng = np.random.default_rng(11)
    y_true = rng.integers(0, 2, 200)
    p = np.round(rng.random(200), 2) ** 3
    for positive, columns in ((1, [1 - p, p]), (0, [p, 1 - p])):
        one = karat.evaluate(y_true, y_prob=p, positive=positive)
        two = karat.evaluate(y_true, y_prob=np.stack(columns, axis=1), positive=positive)
        assert one.to_json() == two.to_json()


def test_a_small_probability_of_the_first_class_is_kept() -> None:
    p = np.array([1e-20, 0.3, 1e-300, 0.5])
    one = karat.log_loss([0, 1, 0, 1], y_prob=p, positive=0)
    assert one == karat.log_loss([0, 1, 0, 1], y_prob=np.stack([p, 1 - p], axis=1))
    assert np.isfinite(one)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = karat.log_loss([0, 1], y_prob=[1e-20, 1e-20], positive=0)
    assert_same(found, 10 * np.log(10), within=1e-15)

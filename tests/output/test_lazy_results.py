"""A report computes what is read of it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import karat
from karat.output.layout import report_as_text


def scored(n: int = 400, k: int = 3) -> karat.Report:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(k), n)
    return karat.evaluate(rng.integers(0, k, n), y_prob=p)


def test_results_are_made_when_they_are_read_and_only_once() -> None:
    metrics = scored().metrics
    assert "macro_f1" in metrics
    assert "no such metric" not in metrics
    assert len(list(metrics)) == len(metrics) == len(dict(metrics))
    assert metrics["macro_f1"] is metrics["macro_f1"]
    with pytest.raises(KeyError):
        metrics["no such metric"]


def test_the_text_says_the_same_whether_all_was_read_before() -> None:
    whole = scored()
    assert whole.to_json()
    assert report_as_text(scored()) == report_as_text(whole)
    assert report_as_text(scored(), metrics="all") == report_as_text(whole, metrics="all")


def test_a_report_can_be_pickled_before_and_after_it_is_read() -> None:
    report = scored()
    assert len(report.metrics)
    again = pickle.loads(pickle.dumps(report))
    assert again.metrics["macro_f1"] == report.metrics["macro_f1"]
    assert pickle.loads(pickle.dumps(report)).to_json() == report.to_json()


def test_undefined_metrics_are_those_whose_result_says_so() -> None:
    report = karat.evaluate([0, 0, 1, 1], [0, 0, 0, 0], labels=[0, 1, 2])
    said = {name: one.undefined for name, one in report.metrics.items() if one.undefined}
    assert said
    assert dict(report.undefined_metrics) == said

"""Reports of few rows compute what is read: the same numbers, of rows of their own."""

from __future__ import annotations

import copy
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import karat
from karat.api import measuring
from karat.metrics._measure import Later

KINDS = ("two", "three", "one class absent", "scores of two", "scores of three", "ties", "float32")


def problem(kind: str) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    k = 3 if "three" in kind or kind in ("ties", "float32", "one class absent") else 2
    truth = np.concatenate([np.arange(k), rng.integers(0, k, 90)])
    prob = rng.dirichlet(np.ones(k), len(truth))
    if kind == "ties":
        prob = np.round(prob * 4 + 0.5)
        prob /= prob.sum(axis=1, keepdims=True)
    if kind == "float32":
        prob = prob.astype(np.float32)
    values = prob[:, 1] if k == 2 else prob
    if kind.startswith("scores"):
        return {"y_true": truth, "y_score": np.log(values)}
    if kind == "one class absent":
        return {"y_true": truth % 2, "y_prob": values, "labels": [0, 1, 2]}
    return {"y_true": truth, "y_prob": values}


def at_once(monkeypatch: pytest.MonkeyPatch, **given: Any) -> karat.Report:
    """The report of rows that are too many to keep."""
    with monkeypatch.context() as few:
        few.setattr(measuring, "_FEW", 0)
        return karat.evaluate(level=None, **given)


@pytest.mark.parametrize("undefined", ["zero", "exclude", "nan"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_is_what_all_at_once_gives(
    monkeypatch: pytest.MonkeyPatch, kind: str, undefined: str
) -> None:
    given = {**problem(kind), "undefined": undefined}
    later, whole = karat.evaluate(level=None, **given), at_once(monkeypatch, **given)
    assert isinstance(later.measured, Later)
    assert isinstance(whole.measured, dict)
    assert list(later.measured) == list(whole.measured)
    # In an order of its own: what was read before changes nothing.
    for metric in reversed(list(whole.measured)):
        for part in ("value", "undefined"):
            found, expected = (getattr(one.measured[metric], part) for one in (later, whole))
            assert found.tobytes() == expected.tobytes(), str(metric)
    assert later.to_json() == whole.to_json()
    assert str(later) == str(whole)


@pytest.mark.parametrize("kind", ["two", "scores of three"])
def test_arrays_that_change_afterwards_change_nothing(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    given = problem(kind)
    expected = at_once(monkeypatch, **copy.deepcopy(given)).to_json()
    report = karat.evaluate(level=None, **given)
    for array in given.values():
        array[:] = array[::-1].copy()
    assert report.to_json() == expected


def test_nothing_is_computed_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    report = karat.evaluate(level=None, **problem("three"))
    calls = []
    original = karat.metrics._measure.measure
    monkeypatch.setattr(
        karat.metrics._measure,
        "measure",
        lambda rows, metrics, *rest, **more: (
            calls.extend(metrics) or original(rows, metrics, *rest, **more)
        ),
    )
    asked = karat.metrics.get("roc_auc_ovr_macro")
    assert asked in report.measured
    assert "macro_f1" in report
    assert not calls
    first, again = report.roc_auc_ovr_macro.value, report["roc_auc_ovr_macro"].value
    assert first == again
    assert calls == [asked]


def test_a_report_travels_with_its_values_alone() -> None:
    report = karat.evaluate(level=None, **problem("three"))
    for made in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert type(made.measured) is dict
        assert type(made.curves.kept) is tuple
        assert made.to_json() == report.to_json()


def test_threads_may_read_one_report() -> None:
    expected = karat.evaluate(level=None, **problem("three")).to_json()
    for _ in range(3):
        report = karat.evaluate(level=None, **problem("three"))
        with ThreadPoolExecutor(8) as threads:
            texts = list(threads.map(lambda _, one=report: one.to_json(), range(8)))
        assert set(texts) == {expected}


def test_threads_that_read_at_once_compute_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    original = karat.metrics._measure.measure

    def slow(rows: Any, metrics: Any, *rest: Any, **more: Any) -> Any:
        calls.extend(metrics)
        time.sleep(0.05)
        return original(rows, metrics, *rest, **more)

    monkeypatch.setattr(karat.metrics._measure, "measure", slow)
    report = karat.evaluate(level=None, **problem("three"))
    asked = karat.metrics.get("roc_auc_ovr_macro")
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: report.measured[asked], range(4)))
        curves = list(threads.map(lambda _: report.curves.kept[0], range(4)))
    assert calls == [asked]
    assert all(one is found[0] for one in found)
    assert all(one is curves[0] for one in curves)


def test_large_scores_are_measured_at_once() -> None:
    # Their differences may be no number, and whoever reads a value is not to be told that.
    given = problem("scores of three")
    given["y_score"] = given["y_score"] * 1e40
    assert isinstance(karat.evaluate(level=None, **given).measured, dict)


def test_curves_of_a_class_are_made_when_they_are_read() -> None:
    kept = karat.evaluate(level=None, **problem("three")).curves.kept
    assert len(kept) == 3
    assert kept[0] is kept[0]
    assert [one.points.n_pos for one in kept[1:]] == [kept[1].points.n_pos, kept[-1].points.n_pos]
    with pytest.raises(IndexError):
        kept[3]

"""What the threshold of a page moves: every point exact, formulas those of the records."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.api.request.checks import MIN_MEMORY
from karat.metrics import all_records, get
from karat.output.html.decisions import METRICS, MOST_POINTS, OPERATIONS, decisions_of, tree
from tests.output.reports import two

K = 4


def rows(n: int = 500, k: int = 2, digits: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Truth and probabilities, with many ties."""
    rng = np.random.default_rng(9)
    truth = rng.integers(0, k, n)
    truth[:k] = np.arange(k)
    prob = rng.random((n, k)).round(digits) + 0.5 * np.eye(k)[truth] + 0.01
    return truth, prob / prob.sum(axis=1, keepdims=True)


def points(one: dict[str, Any]) -> np.ndarray:
    """float64[3, t]: thresholds, true and false positives, as the script unpacks them."""

    def unpacked(packed: str | list[int]) -> np.ndarray:
        if isinstance(packed, str):
            return np.frombuffer(base64.b64decode(packed), "<f8")
        return np.cumsum(packed).astype(float)

    return np.stack([unpacked(one[name]) for name in ("thresholds", "tp", "fp")])


def wrong_points(
    found: np.ndarray, truth: np.ndarray, scores: np.ndarray, weights: np.ndarray
) -> list[float]:
    """The thresholds whose counts are not those of the rows."""
    wrong = []
    for threshold, tp, fp in found.T:
        is_called = scores >= threshold
        own = weights[is_called & truth].sum(), weights[is_called & ~truth].sum()
        if not np.allclose(own, (tp, fp), rtol=1e-12, atol=0):
            wrong.append(float(threshold))
    return wrong


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("k", [2, K, 60])
def test_every_point_is_exact(k: int, is_weighted: bool) -> None:
    truth, prob = rows(3000, k, digits=6)
    rng = np.random.default_rng(1)
    weights = rng.random(len(truth)) if is_weighted else np.ones(len(truth))
    report = karat.evaluate(
        truth, y_prob=prob, weights=weights if is_weighted else None, level=None
    )
    data, said = decisions_of(report)
    assert data is not None
    assert "the counts at each are exact" in said
    assert len(data["classes"]) == (1 if k == 2 else k)
    for i, one in enumerate(data["classes"]):
        c = 1 if k == 2 else i
        found = points(one)
        assert 20 <= found.shape[1] <= MOST_POINTS
        assert (np.diff(found[0]) < 0).all()
        assert wrong_points(found, truth == c, prob[:, c], weights) == []
        assert found[1, -1] + found[2, -1] == pytest.approx(weights.sum())
        damaged = found.copy()
        damaged[1, 7] += 1
        assert wrong_points(damaged, truth == c, prob[:, c], weights) == [found[0, 7]]


def test_of_few_scores_every_threshold_is_there() -> None:
    truth, prob = rows(150, 2, digits=1)
    data, said = decisions_of(karat.evaluate(truth, y_prob=prob))
    assert data is not None
    assert said == "The slider has every threshold at which the counts change."
    assert set(np.unique(prob[:, 1])) <= set(points(data["classes"][0])[0])


def test_of_more_scores_than_are_kept_that_is_said() -> None:
    # 300 distinct scores: fewer than the points of a page, more than those that curves keep.
    truth, _ = rows(3000)
    score = np.random.default_rng(3).integers(1, 301, 3000) / 301
    data, said = decisions_of(karat.evaluate(truth, y_prob=score))
    assert data is not None
    assert points(data["classes"][0]).shape[1] > 301
    assert said.endswith("and the counts change at 301; the counts at each are exact.")


def test_the_threshold_of_the_report_is_a_point_and_the_start() -> None:
    truth, prob = rows(4000, 2, digits=7)
    report = karat.evaluate(truth, y_prob=prob, threshold=0.123456)
    data, _ = decisions_of(report)
    assert data is not None
    one = data["classes"][0]
    threshold, tp, fp = points(one)[:, one["start"]]
    assert threshold == 0.123456
    assert [tp, fp] == report.confusion.matrix[[1, 0], 1].tolist()


def test_scores_start_where_they_predict() -> None:
    truth, _ = rows(200)
    score = np.random.default_rng(0).normal(size=200) + truth
    report = karat.evaluate(truth, y_score=score)
    data, _ = decisions_of(report)
    assert data is not None
    assert data["unit"] == "score"
    one = data["classes"][0]
    found = points(one)
    assert wrong_points(found, truth == 1, score, np.ones(200)) == []
    assert abs(found[0, one["start"]]) == np.abs(found[0]).min()


def test_without_scores_there_is_nothing_to_move_and_nothing_is_said() -> None:
    assert decisions_of(two()) == (None, "")


def test_why_there_is_nothing_to_move_is_said() -> None:
    truth, prob = rows()
    few = karat.evaluate(truth, y_prob=prob, metrics=["roc_auc"])
    assert decisions_of(few) == (
        None,
        "There is no threshold to move: some metrics were asked for, not the whole report.",
    )


def test_scores_in_buckets_have_no_exact_point() -> None:
    truth, prob = rows(200_000, 2, digits=12)
    stream = karat.Stream(labels=[0, 1], reading=karat.Reading(max_memory=MIN_MEMORY))
    stream.update(truth, y_prob=prob)
    report: Report = stream.report()
    assert report.bounds
    data, said = decisions_of(report)
    assert data is None
    assert "not exact" in said
    assert "not exact" in report.to_html()


# Formulas.


def evaluated(node: Any, fields: dict[str, Any]) -> Any:
    """What the script makes of a formula, in Python."""
    if isinstance(node, float):
        return node
    if isinstance(node, str):
        return fields[node]
    operation, *args = node[0], *(evaluated(part, fields) for part in node[1:])
    each = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sqrt": np.sqrt,
        "greater": lambda a, b: np.where(np.greater(a, b), 1.0, 0.0),
        "where": lambda test, a, b: np.where(np.greater(test, 0), a, b),
        "total": np.sum, "at": lambda pair: pair[1],
    }  # fmt: skip
    assert set(each) == OPERATIONS
    with np.errstate(all="ignore"):
        return each[operation](*args)


@pytest.mark.parametrize("name", METRICS)
def test_a_formula_gives_what_the_metric_gives(name: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        tp, fp, fn, tn = map(float, rng.integers(0, 5, 4))
        if tp + fp + fn + tn == 0:
            continue
        fields = {
            "tp": np.array([tn, tp]), "fp": np.array([fn, fp]), "fn": np.array([fp, fn]),
            "tn": np.array([tp, tn]), "n": tp + fp + fn + tn, "k": 2.0,
        }  # fmt: skip
        raw = float(evaluated(tree(get(name).traced("zero").raw), fields))
        own = karat.evaluate(confusion=[[int(tn), int(fp)], [int(fn), int(tp)]], level=None)[name]
        assert math.isfinite(raw) == (own.undefined is None)
        if own.undefined is None:
            assert raw == pytest.approx(own.value, rel=1e-14, abs=1e-15)


def test_a_formula_with_another_operation_is_refused() -> None:
    others = [
        record.name
        for record in all_records()
        if record.is_traced and record.name == "mutual_information"
    ]
    for name in others:
        with pytest.raises(AssertionError):
            tree(get(name).traced("zero").raw)
    assert others

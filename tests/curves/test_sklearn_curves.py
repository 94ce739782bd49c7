"""Curves against scikit-learn, live, on random problems; the differences are conventions:

- precision_recall_curve and det_curve come worst score first.
- precision_recall_curve has no threshold for the point (recall 0, precision 1); karat's is inf.
- det_curve begins at the last point without a false alarm and ends at the first without a miss.
- drop_intermediate: scikit-learn keeps, of roc_curve, points on straight lines that are not equally
  far apart; of precision_recall_curve, points of equal precision; karat's points are a subset.
- calibration_curve leaves out empty bins, and its edges may be off by a rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat
from tests.curves.problems import binary, problems
from tests.optional import optional
from tests.same import assert_same

theirs = optional("sklearn.metrics")
calibration = optional("sklearn.calibration")

CLOSE = 1e-12


def compare_roc(y: Any, s: Any, w: Any, curve: Any) -> None:
    fpr, tpr, thresholds = theirs.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    assert_same(curve.fpr, fpr, within=CLOSE)
    assert_same(curve.tpr, tpr, within=CLOSE)
    assert_same(curve.thresholds, thresholds)


def compare_precision_recall(y: Any, s: Any, w: Any, curve: Any) -> None:
    precision, recall, thresholds = theirs.precision_recall_curve(y, s, sample_weight=w)
    assert_same(curve.precision, precision[::-1], within=CLOSE)
    assert_same(curve.recall, recall[::-1], within=CLOSE)
    assert_same(curve.thresholds, np.append(thresholds, np.inf)[::-1])


def compare_det(y: Any, s: Any, w: Any, curve: Any) -> None:
    fpr, fnr, thresholds = theirs.det_curve(y, s, sample_weight=w)
    first = int(np.flatnonzero(curve.fpr == 0)[-1])
    last = int(np.flatnonzero(curve.fnr == 0)[0])
    part = slice(first, last + 1)
    assert_same(curve.fpr[part], fpr[::-1], within=CLOSE)
    assert_same(curve.fnr[part], fnr[::-1], within=CLOSE)
    assert_same(curve.thresholds[part], thresholds[::-1])


COMPARISONS: dict[str, Callable[[Any, Any, Any, Any], None]] = {
    "roc": compare_roc,
    "precision_recall": compare_precision_recall,
    "det": compare_det,
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_two_classes(name: str) -> None:
    function = getattr(karat.curves, name)
    for y, s, w in binary(200):
        COMPARISONS[name](y, s, w, function(y, y_score=s, weights=w))


@pytest.mark.parametrize("k", [3, 4, 6])
@pytest.mark.parametrize("name", COMPARISONS)
def test_each_of_many_classes(name: str, k: int) -> None:
    function = getattr(karat.curves, name)
    for problem in problems(k, 25):
        curves = function(problem.y_true, average=None, **problem.given)
        assert list(curves) == list(range(k))
        for c, curve in curves.items():
            is_own = (problem.y_true == c).astype(int)
            COMPARISONS[name](is_own, problem.scores[:, c], problem.weights, curve)


def test_micro() -> None:
    for problem in problems(4, 20):
        is_own = (problem.y_true[:, None] == np.arange(4)).astype(int).ravel()
        weights = None if problem.weights is None else np.repeat(problem.weights, 4)
        curve = karat.curves.roc(problem.y_true, average="micro", **problem.given)
        compare_roc(is_own, problem.scores.ravel(), weights, curve)
        assert curve.label is None


def test_the_counts_at_every_threshold() -> None:
    for y, s, w in binary(60):
        tn, fp, fn, tp, thresholds = theirs.confusion_matrix_at_thresholds(y, s, sample_weight=w)
        roc, det = (f(y, y_score=s, weights=w) for f in (karat.curves.roc, karat.curves.det))
        assert_same(roc.thresholds[1:], thresholds)
        assert_same(roc.tpr[1:] * roc.n_pos, tp, within=CLOSE)
        assert_same(roc.fpr[1:] * roc.n_neg, fp, within=CLOSE)
        assert_same(det.fnr[1:] * det.n_pos, fn, within=1e-10)
        assert_same((1 - roc.fpr[1:]) * roc.n_neg, tn, within=1e-10)


@pytest.mark.parametrize(("name", "function"), [
    ("roc", theirs.roc_curve),
    ("precision_recall", theirs.precision_recall_curve),
    ("det", theirs.det_curve),
])  # fmt: skip
def test_what_is_dropped_includes_what_scikit_learn_drops(name: str, function: Any) -> None:
    n_less = 0
    for y, s, w in binary(100):
        curve = getattr(karat.curves, name)(y, y_score=s, weights=w, drop_intermediate=True)
        kept = set(function(y, s, sample_weight=w, drop_intermediate=True)[2].tolist())
        if name == "det":
            # Theirs leaves out the ends too: compare what lies between them.
            inside = (curve.thresholds <= max(kept)) & (curve.thresholds >= min(kept))
        else:
            inside = np.isfinite(curve.thresholds)
        ours = set(curve.thresholds[inside].tolist())
        assert ours <= kept
        n_less += len(kept) - len(ours)
    assert n_less > 0 or name == "det"


def test_reliability() -> None:
    for y, s, _ in binary(100):
        p = 1 / (1 + np.exp(-s))
        n_bins = 8  # eighths are exact, so that the edges are the same
        share, mean = calibration.calibration_curve(y, p, n_bins=n_bins)
        curve = karat.curves.reliability(y, y_prob=p, bins=n_bins)
        occupied = curve.weight > 0
        assert_same(curve.share[occupied], share, within=CLOSE)
        assert_same(curve.mean_confidence[occupied], mean, within=CLOSE)
        assert np.isnan(curve.share[~occupied]).all()


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_wrong_curve_is_noticed(name: str) -> None:
    """One row of the other class, or the curve the other way round."""
    y, s, _ = next(binary(1))
    function = getattr(karat.curves, name)
    wrong = y.copy()
    wrong[0] = 1 - wrong[0]
    with pytest.raises(AssertionError):
        COMPARISONS[name](y, s, None, function(wrong, y_score=s))
    with pytest.raises(AssertionError):
        COMPARISONS[name](y, s, None, function(y, y_score=-s))

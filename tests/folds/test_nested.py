"""Nested cross-validation: against the algorithm in plain loops, and its splits and tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.designs.folds import FoldUnits, nested_estimate
from karat.errors import KaratError
from karat.inference.limits import student_quantile
from tests.optional import optional

sklearn = optional("sklearn")
from sklearn.datasets import load_breast_cancer, load_iris  # noqa: E402
from sklearn.linear_model import RidgeClassifier  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB  # noqa: E402

KEPT = {"return_indices": True, "return_estimator": True}


def validated(cv: Any, model: Any = None) -> tuple[dict[str, Any], Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    X, y = X[::4], y[::4]  # noqa: N806
    return cross_validate(model or GaussianNB(), X, y, cv=cv, **KEPT), X, y


def by_loops(
    results: dict[str, Any], rows_of: Any, y: Any, k: int, repeats: int
) -> tuple[float, float, float]:
    """Algorithm 1 of Bates, Hastie & Tibshirani (2024), with the bias of their section 4.3."""
    tests, models = results["indices"]["test"], results["estimator"]
    per = k + k * (k - 1) // 2
    a, b, inner_all, outer_all = [], [], [], []
    for r in range(repeats):
        part = [(frozenset(t.tolist()), m) for t, m in zip(tests, models, strict=True)]
        part = part[r * per : (r + 1) * per]
        folds = [rows for rows, _ in part[:k]]
        by_rows = dict(part)
        for i, fold in enumerate(folds):
            rows = sorted(fold)
            outer = (by_rows[fold].predict(rows_of[rows]) != y[rows]).astype(float)
            inner = []
            for j, other in enumerate(folds):
                if j != i:
                    model = by_rows[fold | other]
                    inner += (model.predict(rows_of[sorted(other)]) != y[sorted(other)]).tolist()
            a.append((np.mean(inner) - outer.mean()) ** 2)
            b.append(outer.var(ddof=1) / len(outer))
            inner_all += inner
            outer_all += outer.tolist()
    naive = np.std(inner_all, ddof=1) / math.sqrt(len(y))
    error = math.sqrt(max(np.mean(a) - np.mean(b), 0) * (k - 1) / k)
    error = min(max(error, naive), math.sqrt(k) * naive)
    bias = (1 + (k - 2) / k) * (np.mean(inner_all) - np.mean(outer_all))
    return float(np.mean(inner_all) - bias), error, bias


@pytest.mark.parametrize("k", [3, 5])
def test_the_report_gives_the_algorithm_of_the_paper(k: int) -> None:
    results, X, y = validated(karat.NestedFolds(k, n_repeats=4, seed=1))  # noqa: N806
    report = karat.evaluate(karat.from_cross_validate(results, X, y), design=karat.Folds("fold"))
    value, error, bias = by_loops(results, X, y, k, 4)
    found = report.folds["error_rate"].nested
    assert found is not None
    assert (found.value, found.standard_error, found.bias) == pytest.approx((value, error, bias))
    assert found.high == pytest.approx(value + 1.959963984540054 * error)
    right = report.folds["accuracy"].nested
    assert right is not None
    assert (right.value, right.standard_error) == pytest.approx((1 - value, error))
    # Inner predictions count in the nested result alone.
    assert report.n_rows == 4 * len(y)
    assert report.folds["accuracy"].n_folds == 4 * k
    # Rank metrics are no means of rows.
    assert report.folds["roc_auc"].nested is None
    assert report.folds["brier"].nested is not None


def test_wrong_held_out_folds_give_another_error() -> None:
    """Sabotage: the pairing of inner and outer folds is what the estimate rests on."""
    rng = np.random.default_rng(3)
    k, n, repeats = 5, 100, 20
    losses, repeat, fold, other = [], [], [], []
    for r in range(repeats):
        of_row = rng.permutation(np.arange(n) % k)
        level = 0.2 * rng.normal(size=k)  # of the rows of a fold, which all models share
        for h in (-1, *range(k)):
            rows = of_row != h
            losses.append(level[of_row[rows]] + rng.normal(size=rows.sum()))
            repeat.append(np.full(rows.sum(), r))
            fold.append(of_row[rows])
            other.append(np.full(rows.sum(), h))
    given = [np.concatenate(x) for x in (losses, repeat, fold, other)]
    right = nested_estimate(*given, n)
    inner = given[3] >= 0
    shuffled = given[3].copy()
    shuffled[inner] = (given[3][inner] + 1 + (given[3][inner] + 1 == given[2][inner])) % k
    wrong = nested_estimate(given[0], given[1], given[2], shuffled, n)
    assert 1.2 < right.inflation < 2.1
    assert abs(wrong.inflation / right.inflation - 1) > 0.02


def test_the_error_stays_between_its_limits() -> None:
    rng = np.random.default_rng(4)
    k, n = 4, 80
    fold = np.tile(np.arange(n) % k, k + 1)
    other = np.repeat(np.arange(-1, k), n)
    keep = fold != other
    equal = nested_estimate(
        rng.random(keep.sum()), np.zeros(keep.sum(), int), fold[keep], other[keep], n
    )
    assert equal.inflation >= 1.0
    apart = np.where(fold == 0, 10.0, 0.0)[keep] + rng.random(keep.sum())
    far = nested_estimate(apart, np.zeros(keep.sum(), int), fold[keep], other[keep], n)
    assert far.inflation == pytest.approx(math.sqrt(k))


def test_means_of_folds_are_covered_and_the_naive_test_is_not() -> None:
    """A quick study: normal values of folds with the correlation n₂/n₁ ÷ (1 + n₂/n₁)."""
    rng = np.random.default_rng(5)
    k, ratio, n = 10, 1 / 9, 4000
    rho = ratio / (1 + ratio)
    common = rng.normal(size=(n, 1)) * math.sqrt(rho)
    values = common + rng.normal(size=(n, k)) * math.sqrt(1 - rho)
    t = student_quantile(k - 1.0, 0.025)

    def limits_of(ratio: float) -> np.ndarray:
        far = t * np.sqrt(FoldUnits.of(k, ratio).variance(values))
        return np.stack([values.mean(axis=1) - far, values.mean(axis=1) + far], axis=1)

    limits = limits_of(ratio)
    covered = ((limits[:, 0] < 0) & (limits[:, 1] > 0)).mean()
    # The corrected error overstates a little: s² estimates (1 − ρ)σ².
    assert 0.94 <= covered <= 0.97
    naive = limits_of(0.0)
    assert ((naive[:, 0] < 0) & (naive[:, 1] > 0)).mean() < 0.88


def test_repeats_and_random_splits_are_recognized() -> None:
    results, X, y = validated(RepeatedStratifiedKFold(n_splits=4, n_repeats=3))  # noqa: N806
    table = karat.from_cross_validate(results, X, y, ids=[f"r{i}" for i in range(len(y))])
    assert sorted({*zip(table["repeat"].tolist(), table["fold"].tolist(), strict=True)}) == [
        (r, f) for r in range(3) for f in range(4)
    ]
    scores = karat.evaluate(table, design=karat.Folds("fold")).folds["accuracy"].values
    assert scores == pytest.approx(results["test_score"])
    random, X, y = validated(ShuffleSplit(6, test_size=0.25, random_state=0))  # noqa: N806
    found = karat.evaluate(
        karat.from_cross_validate(random, X, y), design=karat.Folds("fold")
    ).folds["accuracy"]
    assert found.values == pytest.approx(random["test_score"])
    n_test, n_train = (len(random["indices"][x][0]) for x in ("test", "train"))
    assert found.test_train_ratio == pytest.approx(n_test / n_train)
    decided, X, y = validated(KFold(4), RidgeClassifier())  # noqa: N806
    table = karat.from_cross_validate(decided, X, y)
    assert "score" in table
    assert karat.evaluate(table, y_score="score", design=karat.Folds("fold")).folds[
        "accuracy"
    ].values == pytest.approx(decided["test_score"])


def test_predictions_in_the_order_of_rows_take_the_folds_of_the_splits() -> None:
    X, y = load_iris(return_X_y=True)  # noqa: N806
    cv = KFold(5, shuffle=True, random_state=0)
    predicted = cross_val_predict(GaussianNB(), X, y, cv=cv)
    report = karat.evaluate(
        y, predicted, design=karat.Folds(karat.fold_of_rows(cv.split(X, y), len(y)))
    )
    results = cross_validate(GaussianNB(), X, y, cv=cv)
    assert report.folds["accuracy"].values == pytest.approx(results["test_score"])
    with pytest.raises(KaratError, match="K257"):
        karat.fold_of_rows(ShuffleSplit(3).split(X, y), len(y))


def test_results_that_lack_something_are_refused() -> None:
    results, X, y = validated(KFold(3))  # noqa: N806
    for given in (
        {"test_score": results["test_score"]},
        {**results, "estimator": None},
        {
            **results,
            "indices": {"train": results["indices"]["test"], "test": results["indices"]["test"]},
        },
        "results",
    ):
        with pytest.raises(KaratError, match="K257"):
            karat.from_cross_validate(given, X, y)
    ordered, X, y = validated(TimeSeriesSplit(4))  # noqa: N806
    with pytest.raises(KaratError, match="time series"):
        karat.from_cross_validate(ordered, X, y)
    nested, X, y = validated(karat.NestedFolds(3))  # noqa: N806
    table = karat.from_cross_validate(nested, X, y)
    keep = [h != 2 for h in table["holdout"]]
    part = {
        name: [x for x, kept in zip(column, keep, strict=True) if kept]
        for name, column in table.items()
    }
    with pytest.raises(KaratError, match="K255"):
        karat.evaluate(part, design=karat.Folds("fold"))


def test_stratified_folds_have_the_proportions_of_the_classes() -> None:
    y = np.repeat([0, 1], [80, 20])
    splitter = karat.NestedFolds(4, stratified=True)
    tests = [test for _, test in splitter.split(np.zeros((100, 1)), y)]
    assert len(tests) == splitter.get_n_splits() == 10
    assert [int(y[test].sum()) for test in tests[:4]] == [5] * 4

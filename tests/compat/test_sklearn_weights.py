"""Weights at the edges of their types: `karat.compat.sklearn` does what scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat.compat.sklearn as karat_sklearn
from tests.compat.sklearn_calls import Call
from tests.compat.test_sklearn_differences import (
    ROUNDED,
    difference,
    is_same_value,
    outcome_of,
    theirs,
)
from tests.optional import optional

pandas = optional("pandas")
pyarrow = optional("pyarrow")

TRUE, PRED = [0, 1, 2, 1, 0, 1], [0, 1, 1, 1, 0, 2]
TWO_TRUE, TWO_PRED = [0, 1, 0, 1, 1, 0], [0, 1, 1, 1, 0, 0]
SCORES = [0.1, 0.6, 0.6, 0.9, 0.4, 0.3]


def assert_same(name: str, *args: Any, **kwargs: Any) -> None:
    """Value, warnings and errors are those of scikit-learn."""
    found = difference(Call(name, args, kwargs), getattr(karat_sklearn, name))
    assert found is None, found


SIGNED = {
    "negative": [-1.0] * 6,
    "mixed": [1.0, -2.0, 0.5, 3.0, -0.25, 1.0],
    "summing to 0": [1.0, -1.0, 2.0, -2.0, 3.0, -3.0],
    "whole": [-1, 2, -3, 4, -5, 6],
    "huge whole": np.array([4 * 10**18, 1, 2, 3, 4, 5]),
    "huger than int64": np.array([4 * 10**18] * 6),
    "huge": [1e155, 1.0, 2.0, 1e155, 1e160, 3.0],
    "tiny": [1e-200] * 6,
}


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("given", SIGNED)
def test_kappa_of_signed_and_huge_weights(given: str, weights: str | None) -> None:
    assert_same("cohen_kappa_score", TRUE, PRED, weights=weights, sample_weight=SIGNED[given])


def test_kappa_of_negative_weights_is_that_of_positive_ones() -> None:
    ours = karat_sklearn.cohen_kappa_score(TRUE, PRED, sample_weight=[-1.0] * 6)
    assert ours == pytest.approx(karat_sklearn.cohen_kappa_score(TRUE, PRED))


EXTREME = {
    "tiny": [1e-200, 2e-200, 3e-200, 1e-200, 4e-200, 1e-200],
    "huge": [1e200, 2e200, 3e200, 1e200, 4e200, 1e200],
    "tiny and huge": [1e200, 1e-200, 3e200, 2e-200, 3e-200, 2e200],
    "subnormal": [5e-324, 1e-323, 5e-324, 5e-324, 1e-323, 5e-324],
    "some are 0": [0.0, 1e-170, 1e-180, 1e-170, 0.0, 1e-180],
}


@pytest.mark.parametrize("given", EXTREME)
def test_areas_of_tiny_and_huge_weights(given: str) -> None:
    weights = EXTREME[given]
    assert_same("roc_auc_score", TWO_TRUE, SCORES, sample_weight=weights)
    assert_same("average_precision_score", TWO_TRUE, SCORES, sample_weight=weights)
    matrix = np.random.default_rng(3).dirichlet([1, 1, 1], 6)
    for average in ("macro", "weighted", "micro", None):
        kwargs = {"multi_class": "ovr", "average": average, "sample_weight": weights}
        assert_same("roc_auc_score", TRUE, matrix, **kwargs)


@pytest.mark.parametrize("dtype", ["uint64", "int64"])
def test_matrices_of_weights_beyond_2_to_53_are_exact(dtype: str) -> None:
    weights = np.array([2**53 + 1, 2**54 + 3, 5, 2**55 + 7, 1, 2], dtype)
    assert_same("confusion_matrix", TRUE, PRED, sample_weight=weights)
    assert_same("confusion_matrix", TRUE, PRED, sample_weight=weights, labels=[2, 1])


FLAGS = [True, False, True, True, True, False]
NULLABLE = {
    "NumPy": np.array(FLAGS),
    "list": FLAGS,
    "series": pandas.Series(FLAGS),
    "nullable": pandas.array(FLAGS, dtype="boolean"),
    "nullable series": pandas.Series(FLAGS, dtype="boolean"),
    "nullable Int8": pandas.array([1, 0, 2, 1, 3, 1], dtype="Int8"),
    "Arrow": pandas.Series(FLAGS, dtype="bool[pyarrow]"),
}


@pytest.mark.parametrize("given", NULLABLE)
def test_only_booleans_of_numpy_are_not_added_up(given: str) -> None:
    weights = NULLABLE[given]
    for normalize in (False, True):
        for name in ("accuracy_score", "zero_one_loss"):
            assert_same(name, TRUE, PRED, normalize=normalize, sample_weight=weights)
        matrix = np.random.default_rng(3).dirichlet([1, 1, 1], 6)
        for scores, truth in ((matrix, TRUE), (SCORES, TWO_TRUE)):
            kwargs = {"k": 1, "normalize": normalize, "sample_weight": weights}
            assert_same("top_k_accuracy_score", truth, scores, **kwargs)
    assert_same("hamming_loss", TRUE, PRED, sample_weight=weights)
    assert_same("confusion_matrix", TRUE, PRED, sample_weight=weights)
    assert_same("multilabel_confusion_matrix", TRUE, PRED, sample_weight=weights)
    assert_same("classification_report", TRUE, PRED, sample_weight=weights)


AVERAGED = (
    "accuracy_score", "hamming_loss", "zero_one_loss", "matthews_corrcoef",
    "class_likelihood_ratios", "confusion_matrix", "cohen_kappa_score", "balanced_accuracy_score",
)  # fmt: skip


@pytest.mark.parametrize("name", AVERAGED)
def test_weights_that_are_objects(name: str) -> None:
    function = getattr(karat_sklearn, name)
    for given in (
        [1.5, 2, 1, 3, 0.5, 2],
        [True, False, True, True, True, True],
        [1, 2, 3, 4, 5, 6],
    ):
        weights = np.array(given, object)
        call = Call(name, (TWO_TRUE, TWO_PRED), {"sample_weight": weights})
        ours, other = outcome_of(function, call), outcome_of(theirs(name), call)
        assert other.error is None
        assert ours.error is None, ours
        assert ours.warned == other.warned
        assert is_same_value(ours.value, other.value, ROUNDED), (ours, other)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_kappa_of_many_classes_makes_no_matrix(
    weights: str | None, is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    true = rng.permutation(np.r_[np.arange(3000), rng.integers(0, 3000, 3000)])
    pred = np.where(rng.random(6000) < 0.6, true, rng.integers(0, 3000, 6000))
    given = {"sample_weight": rng.random(6000)} if is_weighted else {}
    right = theirs("cohen_kappa_score")(true, pred, weights=weights, **given)

    def no_matrix(*args: Any) -> Any:
        raise AssertionError("a matrix of 3000 classes was counted")

    monkeypatch.setattr("karat.compat.sklearn._labels.confusion", no_matrix)
    ours = karat_sklearn.cohen_kappa_score(true, pred, weights=weights, **given)
    assert ours == pytest.approx(right, rel=1e-12)

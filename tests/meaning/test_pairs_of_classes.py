"""`karat.roc_auc_pairs`: the matrix behind the means over pairs of classes."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.data.scores.matrix import ranked_columns
from karat.tally.score_kind import ARGUMENTS
from karat.testing.score_laws import problems
from tests.same import assert_same


@pytest.mark.parametrize("k", [2, 3, 6])
def test_each_entry_is_the_area_of_two_classes(k: int) -> None:
    for problem in problems(k):
        argument = ARGUMENTS[problem.kind]
        columns = ranked_columns(problem.values, problem.kind)
        found = karat.roc_auc_pairs(
            problem.y_true, weights=problem.weights, **{argument: problem.values}
        )
        for i in range(k):
            for j in range(k):
                both = (problem.y_true == i) | (problem.y_true == j)
                if i == j:
                    assert np.isnan(found[i, j])
                    continue
                weights = None if problem.weights is None else problem.weights[both]
                wanted = karat.roc_auc(
                    problem.y_true[both] == i, y_score=columns[i][both], weights=weights
                )
                assert_same(found[i, j], wanted, within=1e-12)
        mean = karat.roc_auc_ovo_macro(
            problem.y_true, weights=problem.weights, **{argument: problem.values}
        )
        assert_same(np.nanmean(found), mean, within=1e-12)


def test_an_absent_class_has_no_entry() -> None:
    found = karat.roc_auc_pairs([0, 1], y_score=[[1, 0, 0], [0, 1, 0]], labels=[0, 1, 2])
    assert np.isnan(found[2]).all()
    assert np.isnan(found[:, 2]).all()
    assert found[0, 1] == found[1, 0] == 1.0


def test_costs_of_nothing_tell_no_rows_apart() -> None:
    rng = np.random.default_rng(0)
    y_true, scores = rng.integers(0, 3, 60), rng.random((60, 3))
    nothing, one = np.zeros((3, 3)), 1.0 - np.eye(3)
    assert karat.roc_auc_mu(y_true, y_score=scores, cost=nothing) == 0.5
    alike = karat.roc_auc_mu(y_true, y_score=scores)
    assert alike != 0.5
    for size in (1.0, 0.3):
        assert karat.roc_auc_mu(y_true, y_score=scores, cost=size * one) == alike


def test_equal_costs_of_any_size_tell_no_other_rows_apart_than_none_given() -> None:
    # Of scores of one digit many differences are alike but for rounding.
    rng = np.random.default_rng(0)
    y_true, scores = rng.integers(0, 3, 60), np.round(rng.random((60, 3)), 1)
    alike = karat.roc_auc_mu(y_true, y_score=scores)
    for size in (1.0, 0.3):
        cost = size * (1.0 - np.eye(3))
        assert karat.roc_auc_mu(y_true, y_score=scores, cost=cost) == alike

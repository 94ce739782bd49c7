"""CatBoost's own leaf values follow from the derivatives of each row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.objectives import CatBoostObjective, multiclass, multiclass_one_vs_all
from tests.same import assert_same

STORED = json.loads(Path(__file__).with_name("catboost_derivatives.json").read_text("utf-8"))
CASES = STORED["cases"]
OBJECTIVES = {"MultiClass": multiclass, "MultiClassOneVsAll": multiclass_one_vs_all}
LOSSES: dict[str, Any] = {"MultiClass": "multiclass", "MultiClassOneVsAll": "multiclass_one_vs_all"}
WITHIN = 1e-12


def check_leaves(case: Any, downhill: Any, hessian: Any) -> None:
    """Both leaf estimations, from steps downhill [n, k] and Hessians [n, k, k] of the loss."""
    weights, leaf = np.array(case["weights"]), np.array(case["leaf"])
    penalty = case["l2_leaf_reg"] * weights.mean()
    for value in np.unique(leaf):
        rows = leaf == value
        step = downhill[rows].sum(axis=0)
        bend = penalty * np.eye(case["k"]) + hessian[rows].sum(axis=0)
        gradient = step / (weights[rows].sum() + penalty)
        assert_same(gradient, case["leaf_value_gradient"][value], within=WITHIN)
        newton = np.linalg.solve(bend, step)
        assert_same(newton, case["leaf_value_newton"][value], within=WITHIN)


def test_there_are_cases_of_both_objectives() -> None:
    assert [case["objective"] for case in CASES] == [name for name in OBJECTIVES for _ in range(3)]
    assert {case["k"] for case in CASES} == {2, 3, 5}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_leaf_values_follow_from_the_rows(case: Any) -> None:
    found = OBJECTIVES[case["objective"]](case["approx"], case["labels"], case["weights"])
    check_leaves(case, -found.gradient, found.hessian)
    for downhill, hessian in (
        (found.gradient, found.hessian),
        (-found.gradient, found.hessian * 1.000001),
        (-found.gradient / case["k"], found.hessian / case["k"]),
    ):
        with pytest.raises(AssertionError):
            check_leaves(case, downhill, hessian)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_leaf_values_follow_from_the_object_for_catboost(case: Any) -> None:
    ask = CatBoostObjective(LOSSES[case["objective"]]).calc_ders_multi
    rows = zip(case["approx"], case["labels"], case["weights"], strict=True)
    uphill = [ask(np.array(z), float(t), w) for z, t, w in rows]
    first, second = (np.array(part) for part in zip(*uphill, strict=True))
    check_leaves(case, first, -second)
    # CatBoost reads the upper triangle.
    upper = np.triu(second)
    assert_same(upper + np.triu(second, 1).transpose(0, 2, 1), second)

"""Values of CatBoost's own metrics of scores, reproduced from karat's metrics."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from tests.same import assert_same

CASES = json.loads((Path(__file__).parent / "data" / "catboost.json").read_text("utf-8"))["cases"]


def one_vs_all(true: Any, *, y_logit: Any, labels: Any, weights: Any) -> Any:
    """A sigmoid of each class, as of sets with one label each."""
    return karat.binary_cross_entropy(np.eye(len(labels))[true], y_logit=y_logit, weights=weights)


LOSSES: dict[str, Any] = {
    "MultiClass": karat.log_loss,
    "MultiClassOneVsAll": one_vs_all,
    "HingeLoss": karat.hinge_loss,
}
DEGENERATE = {"error", "all_zero_weights", "degenerate", "near_ties_1e-8"}
"""What CatBoost answers with a convention of its own, which belongs to an adapter."""
OF_PAIRS = {"missing_class", "single_class", "N=1"}
"""An absent class counts as 0 in CatBoost's areas; karat leaves it out and says so."""


def is_comparable(case: dict[str, Any]) -> bool:
    name = case["metric"].split(":")[0]
    tags = set(case["tags"])
    if name not in {*LOSSES, "AUC", "PRAUC"} or tags & DEGENERATE:
        return False
    return name in LOSSES or not tags & OF_PAIRS


COMPARED = [case for case in CASES if is_comparable(case)]


def softmax(z: np.ndarray) -> np.ndarray:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def options_of(text: str) -> tuple[str, dict[str, str]]:
    name, _, rest = text.partition(":")
    return name, dict(item.split("=") for item in rest.split(";") if item)


def ours(case: dict[str, Any], *, wrong: bool = False) -> np.ndarray:
    """karat's value of a case; `wrong` orders the rows by another column."""
    name, options = options_of(case["metric"])
    scores = np.array(case["approx"], np.float64)
    if wrong:
        scores = np.roll(scores, 1, axis=-1)
    labels = list(range(case["k"]))
    weights = case["weights"]
    default = "false" if name in {"AUC", "PRAUC"} else "true"
    if weights is not None and options.get("use_weights", default) == "false":
        weights = None
    if weights is not None:
        weights = np.float32(weights).astype(np.float64)
    given: dict[str, Any] = {"labels": labels, "weights": weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        if name in LOSSES:
            return LOSSES[name](case["labels"], y_logit=scores, **given)
        if scores.ndim == 1:
            metric = karat.roc_auc if name == "AUC" else karat.pr_auc_trapezoid
            return metric(case["labels"], y_score=scores, **given)
        if name == "PRAUC":
            return karat.pr_auc_trapezoid(case["labels"], y_score=scores, average=None, **given)
        if options.get("type") == "OneVsAll":
            return karat.roc_auc(case["labels"], y_prob=softmax(scores), average=None, **given)
        cost = options.get("misclass_cost_matrix")
        if cost is not None:
            given["cost"] = np.array(cost.split("/"), float).reshape(case["k"], case["k"])
        return karat.roc_auc_mu(case["labels"], y_score=scores, **given)


def test_enough_is_compared() -> None:
    compared = {case["metric"].split(":")[0] for case in COMPARED}
    assert compared == {*LOSSES, "AUC", "PRAUC"}
    assert len(COMPARED) >= 25


@pytest.mark.parametrize("case", COMPARED, ids=lambda case: f"{case['id']}-{case['metric'][:30]}")
def test_value(case: dict[str, Any]) -> None:
    wanted = np.array([float(value) for value in case["expected_use_weights_honoured"]])
    assert_same(np.atleast_1d(ours(case)), wanted, within=1e-9)


def test_a_wrong_column_is_noticed() -> None:
    """The comparison can fail: another column's scores give other values."""
    case = next(case for case in COMPARED if case["metric"] == "AUC:type=OneVsAll")
    wanted = np.array([float(value) for value in case["expected_use_weights_honoured"]])
    with pytest.raises(AssertionError):
        assert_same(np.atleast_1d(ours(case, wrong=True)), wanted, within=1e-9)

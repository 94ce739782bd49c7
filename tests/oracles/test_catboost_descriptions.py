"""Descriptions: read and refused as by the installed CatBoost, value for value, text for text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.compat.catboost import eval_metric
from karat.errors import KaratError
from tests.optional import optional
from tests.same import assert_same

theirs = optional("catboost.utils").eval_metric
CatBoostError = optional("catboost").CatBoostError

DESCRIPTIONS = [
    "accuracy", "", " Accuracy", "Accuracy:", "Accuracy;use_weights=true",
    "Accuracy:use_weights=true;", "Accuracy:use_weights= true", "Accuracy:use_weights=2",
    "Accuracy:use_weights=DA", "Accuracy:a=b=c", "Accuracy:type=PerClass",
    "Accuracy:type=Classic", "Accuracy:type=classic", "Accuracy:proba_border=0.7",
    "Accuracy:hints=skip_train~true", "Accuracy:hints=foo~true", "Accuracy:hints=",
    "Accuracy:hints=skip_train", "Accuracy:hints=skip_train~true|skip_train~false",
    "MCC:hints=skip_train~TRUE", "AUC:type=Ranking", "AUC:type=mu", "AUC:type=Mu;type=Mu",
    "AUC:foo=1", "AUC:type=OneVsAll;foo=1", "AUC:misclass_cost_matrix=0,1,1,1,0,1,1,1,0",
    "AUC:misclass_cost_matrix=0/1/1", "AUC:misclass_cost_matrix=0/a/1/1",
    "AUC:misclass_cost_matrix=", "AUC:misclass_cost_matrix=0/1/1/0",
    "AUC:type=Mu;misclass_cost_matrix=0/.5/2/1/0/1e-1/0/0.5/0", "F", "F:beta=abc", "F:beta=inf",
    "F:beta=", "F:beta=+1", "F:beta= 1", "F:beta=1.", "F:beta=.5", "F:beta=1_0", "F:beta=1d",
    "F:beta=1;beta=2", "F:beta=2;foo=1", "F1:beta=2", "F1:use_weights=1;use_weights=1",
    "HingeLoss:border=0.5", "HingeLoss:foo=1", "HammingLoss:border=0.5",
    "MultiClass:proba_border=.5", "MultiClassOneVsAll:foo=1", "TotalF1:average=",
    "TotalF1:beta=2", "PRAUC:type=Ranking", "PRAUC:foo=1", "PRAUC:type=OneVsAll", "WKappa:x=1",
    "Kappa:use_weights=off", "Kappa:foo=1", "Recall:foo=1", "ZeroOneLoss:Use_weights=1",
    "Logloss", "BalancedAccuracy", "BrierScore",
]  # fmt: skip
STRICTER = {"F:beta=0", "F:beta=-1", "F:beta=1e400", "F:beta=1e-50", "F:beta=0x10"}
"""Descriptions that CatBoost reads and karat refuses: their values are NaN or of another beta."""
WIDER = {"Precision:class=0", "AUC:class=1", "F:beta=2;class=2"}
"""Names that CatBoost reports and does not read."""


@pytest.mark.parametrize("text", [*DESCRIPTIONS, *sorted(STRICTER), *sorted(WIDER)])
def test_a_description_is_refused_where_catboost_refuses_it(text: str) -> None:
    rng = np.random.default_rng(0)
    label, approx = np.array([0, 1, 2, 0, 1, 2, 1, 1]), rng.normal(size=(8, 3))
    try:
        wanted: Any = theirs(label, approx, text)
    except CatBoostError as problem:
        wanted = str(problem).partition(": ")[2].split(". Building")[-1].strip().rstrip(".")
    if text in STRICTER | WIDER:
        assert isinstance(wanted, str) == (text in WIDER)
        if text in WIDER:
            assert len(eval_metric(label, approx, text)) == 1
            return
        wanted = ""
    if not isinstance(wanted, str):
        assert_same(eval_metric(label, approx, text), wanted, within=1e-12)
        return
    with pytest.raises(KaratError) as caught:
        eval_metric(label, approx, text)
    own_words = ("Logloss", "BalancedAccuracy", "BrierScore", "misclass_cost_matrix=")
    if not any(word in text for word in own_words):
        assert wanted in str(caught.value).replace("\n      ", " ")

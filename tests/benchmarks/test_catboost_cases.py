"""The cases beside CatBoost compare equal answers, on few rows."""

from __future__ import annotations

import pytest

from tests.optional import optional

optional("sklearn")
optional("catboost")

from benchmarks import score_cases  # noqa: E402
from benchmarks.case import CATBOOST, disagreement_of  # noqa: E402


@pytest.mark.parametrize(
    "metric", ["MultiClass", "TotalF1:average=Macro", "AUC:type=OneVsAll", "PRAUC"]
)
def test_both_sides_give_the_same_answer(metric: str) -> None:
    candidates = score_cases.catboost_metric(2000, 5, metric)
    assert disagreement_of(candidates, score_cases.ROUNDED, CATBOOST) is None

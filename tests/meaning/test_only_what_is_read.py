"""A metric reads nothing of the rows but what its record says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.data.scores.rows import InMemoryScores

TRUE = np.array([0, 1, 1, 0, 1, 0])
SCORES = np.array([-1.0, 0.5, 2.0, 0.25, -0.5, -2.0])


@pytest.fixture
def no_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Softmax of all rows takes several times as long as an area."""

    def refused(*_: Any) -> None:
        raise AssertionError("probabilities were made of scores")

    monkeypatch.setattr(InMemoryScores, "_probability", refused)


@pytest.mark.usefixtures("no_probabilities")
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 7.0)])
@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "ks_statistic"])
def test_ranks_of_scores_make_no_probabilities(name: str, weights: Any) -> None:
    found = getattr(karat, name)(TRUE, y_score=SCORES, weights=weights)
    assert 0 < found < 1
    both = np.stack([-SCORES, SCORES], axis=1)
    average = {} if name == "ks_statistic" else {"average": "macro"}
    assert 0 < getattr(karat, name)(TRUE, y_score=both, weights=weights, **average) < 1


@pytest.mark.usefixtures("no_probabilities")
def test_a_metric_that_ranks_probabilities_makes_them() -> None:
    with pytest.raises(AssertionError, match="probabilities were made"):
        karat.evaluate(TRUE, y_logit=SCORES, metrics="calibration_slope")
    with pytest.raises(AssertionError, match="probabilities were made"):
        karat.evaluate(TRUE, y_logit=SCORES)

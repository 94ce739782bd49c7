"""Levels that no limit can have, and tables that no replicate can be drawn of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

TRUE, SAID = [0, 1, 1, 0] * 10, [0, 1, 0, 0] * 10


@pytest.mark.parametrize(
    ("level", "side"),
    [(1e-300, "both"), (1.0 - 1e-16, "both"), (0.5, "low"), (0.3, "high"), (1e-9, "low")],
)
def test_a_level_that_says_nothing_is_refused(level: float, side: Any) -> None:
    with pytest.raises(karat.errors.InputError, match="K122"):
        karat.evaluate(TRUE, SAID, level=level, interval=karat.Interval(side=side))["accuracy"]


@pytest.mark.parametrize("method", ["bootstrap", "bca", "bayesian"])
def test_more_rows_than_can_be_drawn_have_a_remark(method: str) -> None:
    one = karat.evaluate(
        confusion=[[10**18, 1], [1, 10**18]], interval=karat.Interval(method=method)
    )["accuracy"]
    assert one.low is None
    assert one.remark == "too many rows for replicates: use another method"


@pytest.mark.parametrize("method", [None, "bootstrap", "bca", "bayesian"])
def test_infinite_and_enormous_losses_give_no_warning(method: str | None) -> None:
    truth = np.array([0, 1] * 30)
    wrong = karat.evaluate(truth, y_prob=1.0 - truth, interval=karat.Interval(method=method))
    assert wrong["log_loss"].low is None
    scores = np.random.default_rng(0).random(60) * 1e300
    far = karat.evaluate(truth, y_logit=scores, interval=karat.Interval(method=method))["log_loss"]
    assert (far.low is None) == (far.remark is not None)


@pytest.mark.parametrize("level", [95, 1.0, 0.0, -0.5, "most"])
def test_a_level_that_is_no_share_is_told_what_a_level_is(level: Any) -> None:
    with pytest.raises(karat.errors.InputError, match=r"between 0 and 1, as 0\.95, or None"):
        karat.evaluate(TRUE, SAID, level=level)

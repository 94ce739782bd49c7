"""Whether gold rows are a random part of all rows: shares and p-values of their differences."""

from __future__ import annotations

import pytest
from scipy import stats

from karat.inference.judge.selection import imbalance_of_counts


def test_an_imbalance_of_counts_states_both_shares() -> None:
    found = imbalance_of_counts([90, 10], [300, 700])
    assert found is not None
    assert (found.what, found.place, found.of_gold, found.of_rest) == ("prediction", 1, 0.1, 0.7)
    # 710 of 1,100 rows are of the class: at most 10 of 100 are few. Two sides, and two classes.
    assert found.p == pytest.approx(4.0 * stats.binom.cdf(10, 100, 710 / 1100))
    assert imbalance_of_counts([9, 1], [900, 100]) is None

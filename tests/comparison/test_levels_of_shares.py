"""Level of the test of paired recall, by enumeration of all samples."""

from __future__ import annotations

import pytest

from simulations.paired_shares import largest_levels, p_values


@pytest.mark.parametrize("metric", ["recall", "specificity"])
def test_the_level_of_paired_shares_is_kept(metric: str) -> None:
    of_5, of_1 = largest_levels(p_values(20, metric), (0.05, 0.01))
    # Influence z reached 7.3 % and 1.4 %.
    assert 0.03 < of_5 < 0.051
    assert 0.004 < of_1 < 0.012

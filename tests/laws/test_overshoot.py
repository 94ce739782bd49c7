"""Rounding may take a value past the end of its range and is put back; anything more is shown."""

from __future__ import annotations

import numpy as np
import pytest

from karat.metrics import get
from karat.metrics._measure import _without_overshoot
from karat.metrics._metric import Values


@pytest.mark.parametrize("name", ["roc_auc", "brier"])
def test_only_rounding_is_put_back(name: str) -> None:
    low, high = get(name).record.range
    given = np.array([high + 5e-13, low - 5e-13, high + 1e-9, low - 1e-9, 0.5, np.nan])
    found = _without_overshoot(get(name), Values(given, np.isnan(given))).value
    np.testing.assert_array_equal(found, [high, low, high + 1e-9, low - 1e-9, 0.5, np.nan])

"""The one comparison that helpers use: it asserts, it never only computes."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_same(actual: Any, expected: Any, *, within: float = 0.0, about: str = "") -> None:
    """Equal in shape and value; NaN equals NaN; floats within a relative or absolute bound."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"{about}: shape {actual.shape}, not {expected.shape}"
    if within:
        np.testing.assert_allclose(
            actual, expected, rtol=within, atol=within, equal_nan=True, err_msg=about
        )
    else:
        np.testing.assert_array_equal(actual, expected, err_msg=about)

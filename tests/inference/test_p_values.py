"""p-values of replicates, and rounding errors of 0, at their borders."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.designs.units import ROUNDING
from karat.inference.p_values import LeastP, least_or_more, p_in_cell, p_of_replicates, p_text
from karat.inference.rounding import settled, settled_error, settled_variance, size_of
from karat.metrics import get


@pytest.mark.parametrize("n", [1, 19, 99, 499])
def test_a_p_value_counts_the_sample_among_its_replicates(n: int) -> None:
    """(1 + beyond) ÷ (1 + n); with none beyond, it is the least that they can show."""
    for beyond in range(n + 1):
        p = p_of_replicates(beyond, n)
        assert p == pytest.approx((beyond + 1) / (n + 1), rel=1e-15)
        assert isinstance(p, LeastP) == (beyond == 0)
    assert p_of_replicates(0.5, n) == pytest.approx(1.5 / (n + 1), rel=1e-15)


def test_a_p_value_is_the_least_up_to_rounding() -> None:
    """A billionth more than 1 ÷ (1 + n) is the same number; tests without replicates have none."""
    for n in (1, 3, 99):
        least = 1.0 / (1 + n)
        for p in (0.0, least / 2.0, least, least * (1.0 + 5e-10)):
            found = least_or_more(p, n)
            assert (type(found), found) == (LeastP, p)
        for p in (least * (1.0 + 2e-9), 2.0 * least, 1.0):
            assert type(least_or_more(p, n)) is float
    assert type(least_or_more((1.0 + 1e-9) / 2, 1)) is LeastP
    for p in (0.0, 0.001, 1.0):
        assert type(least_or_more(p, 0)) is float


@pytest.mark.parametrize(
    ("p", "form", "text"),
    [
        (0.002, ".3g", "< 0.002"),
        (1 / 301, ".2g", "< 0.0034"),
        (1 / 301, ".1g", "< 0.004"),
        (1 / 301, ".3f", "< 0.004"),
        (1 / 301, ".4f", "< 0.0034"),
        (0.05, ".1g", "< 0.05"),
        (0.051, ".1g", "< 0.06"),
        (0.1, ".2g", "< 0.1"),
        (0.0999, ".2g", "< 0.1"),
        (1.0, ".2g", "< 1"),
        (0.5, ".0f", "< 1"),
        # What is a billionth above a short number is that number.
        (0.002 * (1.0 + 5e-10), ".3g", "< 0.002"),
        (0.002 * (1.0 + 1e-8), ".3g", "< 0.00201"),
    ],
)
def test_a_bound_is_rounded_up_to_its_digits(p: float, form: str, text: str) -> None:
    assert p_text(LeastP(p), form) == text
    assert p_text(p, form) == f"= {p:{form}}"
    assert p_in_cell(LeastP(p), form) == text.replace(" ", "")
    assert p_in_cell(p, form) == f"{p:{form}}"


def test_forms_of_p_values_have_three_digits_and_two_in_a_table() -> None:
    assert p_text(0.0123456) == "= 0.0123"
    assert p_text(LeastP(0.0123456)) == "< 0.0124"
    assert (p_in_cell(0.0123456), p_in_cell(LeastP(0.0123456))) == ("0.012", "<0.013")
    assert (p_in_cell(None), p_in_cell(None, empty="–")) == ("", "–")


# Rounding.


def test_a_share_settles_on_0_or_1_within_its_rounding() -> None:
    """1e-12 from a whole number is that number, more is not; what has none stays."""
    for whole in (0.0, 1.0):
        for apart in (0.0, 9e-13, -9e-13):
            assert settled(whole + apart) == whole
        for apart in (1.1e-12, -1.1e-12, 0.4, -0.4):
            assert settled(whole + apart) == whole + apart
    assert settled(ROUNDING) == 0.0
    assert type(settled(1)) is float
    assert math.isnan(settled(math.nan))
    assert settled(math.inf) == math.inf
    assert settled(-math.inf) == -math.inf


def test_the_size_of_equal_numbers_is_their_square_over_the_rows() -> None:
    """Σ w²x² ÷ (Σ w)² of n rows of weight 1; there is no less than one row."""
    assert size_of(3.0) == 9.0
    for n in (1, 4, 10):
        w = np.ones(n)
        assert size_of(3.0, n) == pytest.approx(sum((w * 3.0) ** 2) / sum(w) ** 2, rel=1e-15)
    for n in (0.0, 0.25, 1.0):
        assert size_of(3.0, n) == 9.0
    assert size_of(1e200) == math.inf
    assert size_of(np.array([2, 3]), 2.0).tolist() == [2.0, 4.5]


def test_a_variance_is_0_up_to_the_rounding_of_its_size() -> None:
    """1e-12 squared of what each row is centred at, 1e-12 of what sums are."""
    for size in (1.0, 0.01, 1e6):
        for of_sums, least in ((False, ROUNDING**2), (True, ROUNDING)):
            given = np.array([-1.0, 0.0, 0.5 * least * size, least * size, 1.01 * least * size])
            found = settled_variance(given, size, of_sums=of_sums)
            assert found.tolist() == [0.0, 0.0, 0.0, 0.0, given[4]]
    default = settled_variance(1e-20, 1.0)
    assert default == 1e-20
    for size in (math.inf, math.nan):
        assert settled_variance(0.5, size) == 0.5
    assert math.isnan(settled_variance(math.nan, 1.0))


def test_an_error_is_0_beside_its_range_or_its_value() -> None:
    """Up to 1e-12 of the range ÷ √n; a range without end is no measure, and the value is."""
    accuracy, gini, loss = get("accuracy"), get("gini"), get("log_loss")
    for metric, value, span in ((accuracy, 0.5, 1.0), (gini, 0.5, 2.0), (loss, 7.0, 7.0)):
        for n in (1.0, 25.0):
            least = ROUNDING * span / math.sqrt(n)
            assert settled_error(metric, value, 0.99 * least, n) == 0.0
            assert settled_error(metric, value, 1.01 * least, n) == 1.01 * least
    assert settled_error(accuracy, 1e9, 2e-12, 1.0) == 2e-12

"""Numbers as text: honest at the ends of their range."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors.text import amount, amounts, count, counted, interval, share, value


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.93266, "0.9327"),
        (0.5, "0.5000"),
        (0.0, "0.0000"),
        (-0.25, "-0.2500"),
        (1.0, "1.0000"),
        (-1.0, "-1.0000"),
        (0.99996, "0.99996"),
        (0.999999999, "0.999999999"),
        (1 - 2**-53, "0.9999999999999999"),
        (1.00001, "1.00001"),
        (0.00004, "4.0e-05"),
        (0.0123, "0.0123"),
        (9.87654, "9.8765"),
        (45.678, "45.68"),
        (456.78, "456.8"),
        (12345.678, "12 346"),
        (1.5e9, "1.500e+09"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_a_value(number: float | None, text: str) -> None:
    assert value(number) == text


@given(st.floats(0, 1))
def test_only_the_ends_read_as_the_ends(number: float) -> None:
    text = value(number)
    assert (text == "1.0000") == (number == 1)
    assert (text == "0.0000") == (number == 0)


def test_counts_are_exact_and_grouped() -> None:
    assert count(1797) == "1 797"
    assert count(1_864_197_378) == "1 864 197 378"
    assert (counted(1, "row"), counted(0, "row")) == ("1 row", "0 rows")
    assert counted(2, "class") == "2 classes"


def test_amounts_of_a_column_have_the_same_decimals() -> None:
    assert amounts([3, 1200]) == ["3", "1 200"]
    assert amounts([0.5, 4.25, 0]) == ["0.500", "4.250", "0.000"]
    assert amounts([1234.5, 0.25]) == ["1 234", "2e-01"]
    assert amounts([0.0001]) == ["1.000e-04"]
    assert amounts([2e15, 1.5]) == ["2.000e+15", "1.500e+00"]
    assert amount(0.125) == "0.1250"


def test_shares_never_round_to_none_or_all() -> None:
    assert share(1, 14) == "7.1 %"
    assert (share(0, 5), share(5, 5)) == ("0.0 %", "100.0 %")
    assert (share(1, 100_000), share(99_999, 100_000)) == ("<0.1 %", ">99.9 %")
    assert share(0, 0) == "–"


def test_intervals() -> None:
    assert interval(0.91, 0.95) == "[0.9100, 0.9500]"
    assert interval(None, None) == ""

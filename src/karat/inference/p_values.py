"""p-values that a number of replicates bounds, and every p-value as text."""

from __future__ import annotations

import math
from typing import Final

_SLIGHTLY: Final = 1e-9


class LeastP(float):
    """The smallest p-value that the replicates of a test can show: the p-value is at most that."""

    __slots__ = ()


def p_of_replicates(beyond: float, n: int) -> float:
    """(1 + beyond) ÷ (1 + n), of n replicates of which so many are at least as extreme.

    Example:
        >>> p_of_replicates(0, 499), p_of_replicates(4, 499)
        (0.002, 0.01)
    """
    return least_or_more(float((1 + beyond) / (1 + n)), n)


def least_or_more(p: float, n: int) -> float:
    """The p-value of a test by n replicates, as a `LeastP` where they show no smaller one.

    Args:
        n: 0 for other tests, whose p-values nothing bounds.

    Example:
        >>> [type(least_or_more(p, n)).__name__ for p, n in ((0.01, 99), (0.02, 99), (0.01, 0))]
        ['LeastP', 'float', 'float']
    """
    is_least = n > 0 and p <= (1.0 + _SLIGHTLY) / (1 + n)
    return LeastP(p) if is_least else p


def p_text(p: float, form: str = ".3g") -> str:
    """A p-value with its relation: ``"= 0.015"``, or ``"< 0.002"`` where replicates bound it.

    A bound is rounded up.

    Args:
        form: how the number is written, as ``".3g"`` or ``".4f"``.

    Example:
        >>> p_text(0.002), p_text(LeastP(0.002)), p_text(LeastP(1 / 301), ".2g")
        ('= 0.002', '< 0.002', '< 0.0034')
    """
    if not isinstance(p, LeastP):
        return f"= {p:{form}}"
    digits = int(form[1:-1])
    if form.endswith("g"):
        digits -= math.floor(math.log10(p)) + 1
    above = math.ceil(p * (1.0 - _SLIGHTLY) * 10.0**digits) / 10.0**digits
    return f"< {above:{form}}"


def p_in_cell(p: float | None, form: str = ".2g", empty: str = "") -> str:
    """A p-value in a table: ``"0.015"`` or ``"<0.002"``; what stands for None.

    Example:
        >>> p_in_cell(0.015), p_in_cell(LeastP(0.125), ".2f"), p_in_cell(None, empty="–")
        ('0.015', '<0.13', '–')
    """
    return empty if p is None else p_text(p, form).removeprefix("= ").replace("< ", "<")

"""Numbers as text: as many digits as mean something, and never a rounded-up perfect score."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = [
    "amount",
    "amounts",
    "at_most",
    "count",
    "counted",
    "interval",
    "share",
    "threshold",
    "value",
]

MISSING = "–"


def count(n: float) -> str:
    """A whole number in full, in groups of three: ``1 797``."""
    return f"{int(n):,}".replace(",", " ")


def counted(n: float, noun: str) -> str:
    """A number of things: ``1 row``, ``2 classes``."""
    plural = noun if n == 1 else noun + ("es" if noun.endswith("s") else "s")
    return f"{count(n)} {plural}"


def amount(total: float) -> str:
    """A count in full, or a sum of weights in at least four significant digits."""
    return amounts([total])[0]


def amounts(totals: Sequence[float]) -> list[str]:
    """Counts in full; sums of weights with as many decimals as show four digits of the largest."""
    if all(float(total).is_integer() and abs(total) < 1e15 for total in totals):
        return [count(total) for total in totals]
    largest = max(map(abs, totals))
    if largest >= 1e15 or largest < 1e-3:
        return [f"{total:.3e}" for total in totals]
    digits = max(0, min(6, 3 - math.floor(math.log10(largest))))
    least = 0.5 * 10**-digits
    return [
        f"{total:.0e}" if 0 < abs(total) < least else f"{total:,.{digits}f}".replace(",", " ")
        for total in totals
    ]


def value(number: float | None) -> str:
    """A metric: four decimals below ten, four significant digits above, a dash for none.

    A value that is not 0 or 1 never reads 0.0000 or 1.0000: it gets the digits that show it.

    Example:
        >>> from karat.errors.numbers import value
        >>> value(0.93266), value(0.999996), value(12345.678)
        ('0.9327', '0.999996', '12 346')
    """
    if number is None or math.isnan(number):
        return MISSING
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    size = abs(number)
    if size >= 1e7:
        return f"{number:.3e}"
    if size >= 1000:
        return f"{number:,.0f}".replace(",", " ")
    if size >= 10:
        return f"{number:.{2 if size < 100 else 1}f}"
    text = f"{number:.4f}"
    if float(text) == number:
        return text
    if abs(float(text)) == 1 and abs(1 - size) < 5e-5:
        # The small part keeps 0.999999999 from a digit more than it has.
        digits = min(16, math.ceil(-math.log10(abs(1 - size)) - 1e-6))
        return f"{number:.{digits}f}"
    return text if size >= 0.001 else f"{number:.1e}"


def threshold(number: float | None) -> str:
    """A threshold in six digits or more, never above it: given again, it still calls its rows.

    Example:
        >>> from karat.errors.numbers import threshold
        >>> threshold(0.5), threshold(0.4871617), threshold(0.99999987)
        ('0.5', '0.4871617', '0.99999987')
    """
    if number is None or not math.isfinite(number):
        return value(number)
    for digits in range(6, 17):
        text = f"{number:.{digits}g}"
        if float(text) <= number:
            return text
    return repr(float(number))


def interval(low: float | None, high: float | None) -> str:
    """``[0.9204, 0.9434]``; nothing when there is none."""
    return "" if low is None or high is None else f"[{value(low)}, {value(high)}]"


def at_most(size: float) -> str:
    """A size in two digits, rounded up: ``2.4e-06``.

    Example:
        >>> from karat.errors.numbers import at_most
        >>> at_most(2.31e-6), at_most(0.25), at_most(0.0)
        ('2.4e-06', '0.25', '0')
    """
    if not size or math.isinf(size):
        return "∞" if size else "0"
    step = 10.0 ** (math.floor(math.log10(size)) - 1)
    rounded = step * math.ceil(size / step - 1e-9)
    return f"{rounded:.2g}" if rounded >= 0.001 else f"{rounded:.1e}"


def share(part: float, whole: float) -> str:
    """``6.9 %``; what is neither none nor all never reads 0.0 or 100.0."""
    if not whole or math.isnan(whole):
        return MISSING
    ratio = part / whole
    if 0 < ratio < 0.0005:
        return "<0.1 %"
    if 0.9995 <= ratio < 1:
        return ">99.9 %"
    return f"{100 * ratio:.1f} %"

"""Text of dates and times, the same for every container.

A day is `2024-01-31`, a time of day `09:30:00`, and a moment `2024-01-31 09:30:00`; a moment at
midnight is its day, as pandas stores days. Fractions of a second have as many digits as needed.
A moment with a time zone is that of UTC: `2024-01-31 08:30:00+00:00`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_FRACTION: Final = re.compile(r"(:[0-9]{2})\.([0-9]*?)0*(?=$|\+)")
_MIDNIGHT: Final = " 00:00:00"
_NAMES: Final = ("Interval", "Period")
"""Classes of pandas whose values are names: a bin of `pandas.cut`, a month."""


def text_of(item: object) -> str | None:
    """Return the text of a date, a time, or an interval or period of pandas; None for others."""
    if isinstance(item, np.datetime64):
        return texts_of(np.array([item]))[0]
    if isinstance(item, datetime):
        if item.tzinfo is None:
            return _plain(item.isoformat(" "))
        return _without_zeros(item.astimezone(UTC).isoformat(" "))
    if isinstance(item, time):
        return _without_zeros(item.isoformat())
    if isinstance(item, date):
        return item.isoformat()
    kind = type(item)
    if kind.__name__ in _NAMES and kind.__module__.partition(".")[0] == "pandas":
        return str(item)
    return None


def texts_of(moments: npt.NDArray[np.datetime64], *, has_zone: bool = False) -> list[str]:
    """Return the text of each moment, none of which is missing."""
    if np.datetime_data(moments.dtype)[0] in ("h", "m"):
        moments = moments.astype("M8[s]")
    elif np.datetime_data(moments.dtype)[0] == "W":
        moments = moments.astype("M8[D]")
    texts: Iterable[str] = (text.replace("T", " ") for text in moments.astype(str).tolist())
    if has_zone:
        return [_without_zeros(text + "+00:00") for text in texts]
    return [_plain(text) for text in texts]


def _plain(text: str) -> str:
    return _without_zeros(text).removesuffix(_MIDNIGHT)


def _without_zeros(text: str) -> str:
    """Return a time without the zeros that end a fraction of a second."""
    return _FRACTION.sub(lambda found: found[1] + (found[2] and f".{found[2]}"), text)


_UNITS: Final = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def texts_of_numbers(numbers: npt.NDArray[Any], kind: str) -> list[str]:
    """Return the text of stored numbers of Arrow.

    Args:
        kind: the format of the column: ``"tdD"``, ``"ttu"``, ``"tsn:Europe/Copenhagen"`` …
    """
    whole = numbers.astype(np.int64)
    if kind.startswith("td"):
        days = whole.view("M8[D]") if kind == "tdD" else whole.view("M8[ms]").astype("M8[D]")
        return texts_of(days)
    moments = whole.view(f"M8[{_UNITS[kind[2]]}]")
    if kind.startswith("ts"):
        return texts_of(moments, has_zone=bool(kind[4:]))
    # A time of day is stored as the time since midnight.
    return [_without_zeros(text.rpartition("T")[2]) for text in moments.astype(str).tolist()]

"""Texts of percent, such as 45%: their form, and how a column of them becomes numbers."""

from __future__ import annotations

import re
from typing import Any, Final

from karat.data.labels.column import resolved
from karat.data.labels.containers import encode, host_of
from karat.data.sources.files.duck import literal, quoted
from karat.errors.options import option

PERCENT: Final = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)\s*%\s*"
"""A number with a percent sign, in Python and in SQL."""


def is_percent(text: object) -> bool:
    """Return whether a value is a text of percent.

    Example:
        >>> is_percent("45 %"), is_percent("45")
        (True, False)
    """
    return isinstance(text, str) and re.fullmatch(PERCENT, text) is not None


def conversion(values: Any, shown: str) -> str | None:
    """Return how to convert values in memory, if all of them are texts of percent.

    Args:
        shown: the argument, or the column of a table as ``Column 'p'``.
    """
    try:
        texts = resolved(encode(values, shown, nulls="keep")).seen()
        if not all(map(is_percent, texts)):
            return None
        is_polars = host_of(values) == "polars"
    except Exception:  # values that are no labels either
        return None
    name = shown.removeprefix("Column ")
    call = f'{shown} = pandas.Series({shown}).str.rstrip("%").astype(float) / 100'
    if name != shown:
        call = f'df[{name}] = df[{name}].str.rstrip("%").astype(float) / 100'
        if is_polars:
            call = f'df.with_columns(pl.col({name}).str.strip_chars_end("% ").cast(float) / 100)'
    return f"{_DO}: {call}."


def conversion_in_files(column: str) -> str:
    """Return the query that reads a column of percent of a file with types."""
    name = quoted(column)
    sql = f"SELECT * REPLACE (rtrim({name}, {literal('% ')})::DOUBLE / 100 AS {name}) FROM 'FILE'"
    return f"{_DO}, in a query in place of the file: {sql}."


def reading_of_comma() -> str:
    """Return how to read numbers that have a decimal comma."""
    return f"Give {option('decimal', ',')} for a CSV; elsewhere write numbers with a decimal point."


_DO: Final = "Convert the percent to fractions"

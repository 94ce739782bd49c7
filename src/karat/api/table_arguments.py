"""Arguments of `evaluate` that name columns of a table, as text."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral
from os import PathLike
from typing import Any, Final

import numpy as np

from karat.api.functions import plain_text
from karat.data.sources.distributed.frames import COLLECT, spread_host
from karat.data.sources.tables.frames import is_frame
from karat.errors import KaratError, error, short

__all__ = ["column_name", "given_alone", "of_table", "score_columns"]

_VALUES: Final = {"prob": "probabilities", "score": "scores"}


def column_name(argument: str, given: Any) -> str | None:
    """The name of a column as text: tables may name their columns by numbers.

    Errors:
        K158 it is no name.
    """
    if given is None or isinstance(given, str):
        return plain_text(given)
    if _is_name(given):
        return str(given)
    raise error(
        "K158",
        argument=argument,
        value=short(given),
        kind=type(given).__name__,
        wanted="the name of a column",
        do="Name a column of the table, or give the labels themselves as y_true and y_pred.",
    )


def score_columns(argument: str, given: Any) -> str | list[str] | None:
    """The names of the columns of probabilities or scores; a tuple is a list of them.

    Errors:
        K158 they are no names.
    """
    if given is None or isinstance(given, str) or _is_number(given):
        return column_name(argument, given)
    try:
        names = [] if isinstance(given, Mapping | AbstractSet | bytes) else list(given)
    except Exception:  # the class of the container may raise anything
        names = []
    named = [column_name(argument, name) for name in names if _is_name(name)]
    if not names or len(named) < len(names):
        raise error(
            "K158",
            argument=argument,
            value=short(given),
            kind=type(given).__name__,
            wanted="names of columns",
            do=f"Name columns of the table; or give the {_VALUES[argument]} themselves as "
            f"y_{argument}=, with y_true.",
        )
    return [name for name in named if name is not None]


def _is_name(given: object) -> bool:
    return isinstance(given, str | tuple) or _is_number(given)


def _is_number(given: object) -> bool:
    return isinstance(given, Integral) and not isinstance(given, bool | np.bool_)


def of_table(argument: str, given: Any, where: str | None) -> Any:
    """The weights or the clusters of a table: the name of a column, or values.

    Args:
        where: where its rows are, if not in memory.

    Errors:
        K421 values beside rows that have no order.
    """
    if isinstance(given, str):
        return plain_text(given)
    if _is_number(given) and where != "files":
        return str(given)
    if where is not None and given is not None:
        raise error("K421", argument=argument, kind=type(given).__name__, where=where)
    return given


def given_alone(y_true: Any) -> KaratError:
    """K128: there are no predictions; K215: how a stream is given the columns of a table."""
    if isinstance(y_true, str | PathLike) or is_frame(y_true):
        host = spread_host(y_true)
        rows, first = "t", ""
        if host is not None:
            rows, first = "rows", f"Collect it first, rows = t.{COLLECT[host]}: "
        elif isinstance(y_true, str | PathLike):
            first = "karat.evaluate reads files; or read them first: "
        return error(
            "K215",
            call="update",
            wanted="columns of rows",
            found=f"A stream takes columns, and it was given a table ({type(y_true).__name__})",
            do=f"{first}stream.update({rows}['label'], {rows}['pred']).",
        )
    return error(
        "K128",
        found="y_true was given alone",
        do="Give predictions as y_pred=, y_prob= or y_score=.",
    )

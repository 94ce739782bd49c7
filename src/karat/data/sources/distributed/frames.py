"""Frames whose rows lie in partitions, maybe on many machines, and columns of them.

Spark and Dask are recognised by the names of their classes and never imported.
"""

from __future__ import annotations

from typing import Any, Final

from karat.data.sources.batches import is_batch_source
from karat.errors import KaratError, error

DISTRIBUTED_HOSTS: Final = {"pyspark": "Spark", "dask": "Dask"}
"""What each library is called."""
COLLECT: Final = {"pyspark": "toPandas()", "dask": "compute()"}
"""The method that brings all rows into memory."""
_MODULES: Final = {
    "pyspark.sql.": "pyspark",
    "pyspark.pandas.": "pyspark",
    "dask.dataframe.": "dask",
    "dask_expr.": "dask",
}


def distributed_host(table: object) -> str | None:
    """The library of a table whose rows lie in partitions, maybe on many machines; else None."""
    host, name = _found(table)
    if host == "pyspark":
        return host if name == "DataFrame" and hasattr(table, "mapInArrow") else None
    is_frame = host == "dask" and getattr(table, "ndim", 0) == 2 and hasattr(table, "to_delayed")
    return "dask" if is_frame else None


def pieces_of(table: object) -> str | None:
    """What the rows of a table come in, if they are not read at once: partitions or batches."""
    if distributed_host(table) is not None:
        return "partitions"
    return "batches" if is_batch_source(table) else None


def refuse_distributed(values: object, argument: str) -> None:
    """Refuse a column of a frame in partitions, or such a frame where a column is wanted.

    Each column would be computed by itself. Spark keeps no order between two queries, and Dask
    puts the rows of a shuffled frame in another order whenever it computes them.

    Errors:
        K416.
    """
    host, name = _found(values)
    if host is not None:
        raise without_order(argument, host, name)


def without_order(
    argument: str, host: str, name: str = "DataFrame", advice: str | None = None
) -> KaratError:
    """K416: what is in partitions cannot be matched with anything by position.

    Args:
        argument: what messages call it.
        host: its library, as `distributed_host` gives it.
        name: its class.
        advice: what to do, if not to give one frame.
    """
    told = {} if advice is None else {"advice": advice}
    kind = f"{DISTRIBUTED_HOSTS[host]} {name}"
    return error("K416", argument=argument, kind=kind, collected=f"frame.{COLLECT[host]}", **told)


def _found(values: Any) -> tuple[str | None, str]:
    """The library of what lies in partitions, and its class; None of anything else."""
    if isinstance(values, tuple):
        # A row of Spark is a tuple.
        return None, ""
    for base in type(values).__mro__:
        module = str(base.__module__)
        for start, host in _MODULES.items():
            if module.startswith(start):
                return host, base.__name__
        if module.startswith("dask.array.") and _is_of_unknown_length(values):
            return "dask", "Array of unknown length"
    return None, ""


def _is_of_unknown_length(values: Any) -> bool:
    """Whether an array of Dask was made of a frame: nobody has counted its rows yet."""
    lengths = getattr(values, "shape", ())
    return any(length != length for length in lengths)

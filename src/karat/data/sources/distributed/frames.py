"""Detection of partitioned frames, possibly on many machines, and their columns.

Spark and Dask are recognized by the names of their classes and never imported.
"""

from __future__ import annotations

from typing import Any, Final

from karat.data.sources.batches import is_batch_source
from karat.errors import KaratError, error

DISTRIBUTED_HOSTS: Final = {"pyspark": "Spark", "dask": "Dask"}
"""Name of each library."""
COLLECT: Final = {"pyspark": "toPandas()", "dask": "compute()"}
"""Method that brings all rows into memory."""
_MODULES: Final = {
    "pyspark.sql.": "pyspark",
    "pyspark.pandas.": "pyspark",
    "dask.dataframe.": "dask",
    "dask_expr.": "dask",
}


def distributed_host(table: object) -> str | None:
    """Return the library of a partitioned table, possibly on many machines; else None."""
    host, name = _found(table)
    if host == "pyspark":
        return host if name == "DataFrame" and hasattr(table, "mapInArrow") else None
    is_frame = host == "dask" and getattr(table, "ndim", 0) == 2 and hasattr(table, "to_delayed")
    return "dask" if is_frame else None


def pieces_of(table: object) -> str | None:
    """Return the parts in which the rows of a table are read: partitions or batches."""
    if distributed_host(table) is not None:
        return "partitions"
    return "batches" if is_batch_source(table) else None


def refuse_distributed(values: object, argument: str) -> None:
    """Refuse a column of a partitioned frame, or such a frame in place of a column.

    Each column would be computed separately. Spark does not keep the order between two queries, and
    Dask reorders the rows of a shuffled frame in each computation.

    Errors:
        K416.
    """
    host, name = _found(values)
    if host is not None:
        raise without_order(argument, host, name)


def without_order(
    argument: str, host: str, name: str = "DataFrame", advice: str | None = None
) -> KaratError:
    """K416: partitioned data cannot be matched by position.

    Args:
        argument: its name in messages.
        host: its library, from `distributed_host`.
        name: name of its class.
        advice: advice other than to pass one frame.
    """
    told = {} if advice is None else {"advice": advice}
    kind = f"{DISTRIBUTED_HOSTS[host]} {name}"
    return error("K416", argument=argument, kind=kind, collected=f"frame.{COLLECT[host]}", **told)


def _found(values: Any) -> tuple[str | None, str]:
    """Return the library and the class of partitioned data; None for other objects."""
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
    """Return whether a Dask array was made from a frame, so that its length is unknown."""
    lengths = getattr(values, "shape", ())
    return any(length != length for length in lengths)

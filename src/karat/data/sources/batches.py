"""Protocol for tables of other packages that are read batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import getattr_static
from itertools import chain
from typing import Any, Protocol, TypeGuard

import numpy as np


class BatchSource(Protocol):
    """Table of another package that karat reads batch by batch, under `max_memory`.

    Any object with these two members is a table for `karat.evaluate`: it needs no base class and no
    registration. Columns are detected by role, and weights, clusters, slices, missing values and
    every option work as for files. Functions that need all rows at once, such as `karat.gate`, read
    all batches into memory.

    Attributes:
        column_names: names of all columns.

    Example:
        >>> import karat
        >>> class Halves:
        ...     column_names = ("label", "pred")
        ...
        ...     def read_batches(self, columns):
        ...         yield {"label": [0, 1], "pred": [0, 1]}
        ...         yield {"label": [1, 0], "pred": [0, 0]}
        >>> karat.evaluate(Halves()).confusion.matrix.tolist()
        [[2, 0], [1, 1]]
    """

    @property
    def column_names(self) -> Sequence[str]: ...

    def read_batches(self, columns: Sequence[str]) -> Iterable[Any]:
        """Read the table from its first row.

        It may be called several times, also from several threads, and must return the same rows
        each time.

        Args:
            columns: the requested columns; batches may have more.

        Returns:
            Consecutive rows as tables: a dict from column to list or array (float[n, k] is one
            column of lists), an Arrow table or record batch, or a pandas or Polars frame. A column
            must have the same kind of values in every batch; batches without rows are skipped.
        """
        ...


def is_batch_source(values: object) -> TypeGuard[BatchSource]:
    """Return whether an object is a `BatchSource`; a frame with columns of these names is not."""
    if not callable(getattr(type(values), "read_batches", None)):
        return False
    # A property is not evaluated here: it may open a file, and its error must reach the caller.
    return getattr_static(values, "column_names", None) is not None


def length_of(batch: Any) -> int:
    """Return the number of rows of a batch."""
    if isinstance(batch, Mapping):
        return len(next(iter(batch.values()))) if batch else 0
    return len(batch)


def collected(source: BatchSource, columns: Sequence[str]) -> Any:
    """Read some columns of all batches as one table in memory."""
    batches = list(source.read_batches(columns))
    found = [batch for batch in batches if length_of(batch)] or batches[:1]
    if not found:
        return {name: [] for name in columns}
    if all(isinstance(batch, Mapping) for batch in found):
        return {name: _joined([batch[name] for batch in found]) for name in columns}
    import narwhals

    frames = [narwhals.from_native(_as_table(batch), eager_only=True) for batch in found]
    return narwhals.concat([frame.select(columns) for frame in frames]).to_native()


def _joined(parts: Sequence[Any]) -> Any:
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return list(chain.from_iterable(parts))


def _as_table(batch: Any) -> Any:
    """Return an Arrow record batch as a table, which narwhals supports."""
    if hasattr(batch, "num_rows") and not hasattr(batch, "to_batches"):
        import pyarrow as pa

        return pa.Table.from_batches([batch])
    return batch

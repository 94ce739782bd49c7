"""Encoding of names of rows, ids and clusters from any container as integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow import ArrowColumn
from karat.data.labels.arrays import encoded_texts, text_codes
from karat.data.labels.column import Column, Flags, Kind, Nulls, resolved
from karat.data.labels.containers import encode
from karat.errors import KaratError, error
from karat.errors.doubts import Doubt, doubt
from karat.errors.reasons import MissingValuesError
from karat.errors.text import count, counted
from karat.tally.classes import Label
from karat.tally.folds import FoldAxis

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class RowNames:
    """Names of the rows.

    Attributes:
        column: origin of the names, for messages.
        codes: int32[n].
        texts: the name of each code, as text: 1 of one file is '1' of another.
        hashes: hashes in place of the texts, if the other side has only hashes, or None.
        order: the texts of ordered categories in their order, also of those without rows, or None.
    """

    column: str
    codes: Codes
    texts: tuple[str, ...]
    hashes: tuple[str, ...] | None = None
    order: tuple[str, ...] | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys by which rows are matched."""
        return self.texts if self.hashes is None else self.hashes

    def at(self, rows: npt.NDArray[Any]) -> RowNames:
        """Return the names of some rows: bool[n], or their indices."""
        return replace(self, codes=self.codes[rows])

    def text(self, row: int) -> str:
        """Return the name of one row."""
        return self.texts[int(self.codes[row])]


@dataclass
class NameCodes:
    """Codes of one text column in a stream.

    Attributes:
        column: its name.
    """

    column: str
    _encoder: Any = field(default_factory=_native.TextEncoder, repr=False)
    _parts: list[Codes] = field(default_factory=list, repr=False)

    def add(self, column: ArrowColumn, kept: Flags | None) -> None:
        """Append the kept rows of a batch, which contain no null."""
        for chunk in column.chunks:
            codes = text_codes(self._encoder, chunk)
            self._parts.append(codes if kept is None else codes[kept])

    def names(self) -> RowNames:
        """Return the names that were read (K106: a name is not UTF-8 text)."""
        called = f"column {self.column!r}"
        texts = tuple(encoded_texts(self._encoder, called))
        codes = np.concatenate(self._parts) if self._parts else np.empty(0, np.int32)
        return RowNames(called, codes, texts)


def names_of_column(column: Column) -> RowNames:
    """Return the names in a column of a table, without missing rows."""
    found = resolved(column)
    codes = (found.codes.astype(np.int64) - found.base).astype(np.int32)
    return RowNames(column.argument, codes, texts_of(found.labels or (), column.kind))


def texts_of(labels: Sequence[Label | None], kind: Kind) -> tuple[str, ...]:
    """Return the name of each label, as files write it."""
    texts = ("" if label is None else str(label) for label in labels)
    return tuple(map(str.lower, texts) if kind == "boolean" else texts)


def as_clusters(
    values: Any, n: int, argument: str = "clusters", *, beside: str = "y_true"
) -> npt.NDArray[np.int64]:
    """int64[n]: the cluster of each row, numbered from 0.

    Args:
        values: names or whole numbers in any container of labels.
        n: the number of rows of the labels.
        beside: the name of the labels in messages.

    Errors:
        K101 to K107 as labels: empty, not one column, missing, not whole; K102 another number
        of rows.

    Cost: one pass; text is hashed once.

    Example:
        >>> as_clusters(["ann", "bob", "ann"], 3).tolist()
        [0, 1, 0]
    """
    column = encode_names(values, argument, "error")
    if len(column) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(column))
    if column.labels is not None:
        # Two codes may denote one value if a host stores it twice.
        return np.unique(column.codes, return_inverse=True)[1].astype(np.int64)
    codes, _ = _native.encode_integers(column.codes)
    return np.asarray(codes, np.int64)


def encode_names(values: Any, argument: str, nulls: Nulls, things: str = "values") -> Column:
    """Encode names of rows: labels of any kind (K101 to K107: as labels).

    Args:
        things: plural noun for the message about missing ones.
    """
    try:
        return encode(values, argument, nulls=nulls)
    except MissingValuesError as problem:
        raise problem.but(things=things) from None


def go_together(
    codes: npt.NDArray[Any], weights: npt.NDArray[np.float64] | None, *, is_frequency: bool
) -> bool:
    """Return whether rows are clustered; False if each row is its own cluster.

    Args:
        codes: integer[n], the cluster of each row.
        is_frequency: whether a row of weight 3 stands for three rows: then none is independent.

    Errors:
        K145 there is only one cluster.
    """
    weighing = codes if weights is None else codes[weights > 0]
    n_clusters = len(np.unique(weighing))
    if n_clusters == 1:
        raise one_cluster(len(codes))
    return is_frequency or n_clusters < len(weighing)


def one_cluster(n: int) -> KaratError:
    """K145 of n rows."""
    return error("K145", rows="1 row has" if n == 1 else f"{n} rows have")


def divided_clusters(
    axis: FoldAxis, codes: npt.NDArray[Any], clusters: RowNames | None
) -> Doubt | None:
    """Return the warning that folds divide clusters, or None.

    Args:
        codes: int[n], the fold of each row.
    """
    if clusters is None or len(clusters.codes) != len(codes):
        return None
    n = axis.n_divided(codes, clusters.codes.astype(np.int64))
    if not n:
        return None
    n_clusters = int(np.count_nonzero(np.bincount(clusters.codes)))
    return doubt("D165", clusters=counted(n, "cluster"), n=count(n_clusters))

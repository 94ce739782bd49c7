"""Cells by further axes of the rows: slices, clusters, or both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import KaratError, error
from karat.tally.cached import cached_property
from karat.tally.cells import Axis, Cells
from karat.tally.classes import Classes
from karat.tally.serialization import (
    classes_of_facts,
    facts_of_axes,
    facts_of_classes,
    framed,
    read_tally,
    wrong_classes,
)
from karat.tally.shared import (
    Floats,
    Numbers,
    check_weighting,
    if_any,
    recoding,
    taken,
    wrong_numbers,
)

MISSING: Final = "(missing)"
"""Name of the slice of rows without a value."""


@dataclass(frozen=True, eq=False)
class SlicedCells:
    """Tables of the slices by a column, or by a cross of columns.

    Every row is in one slice, so that the tables sum to that of all rows.

    Attributes:
        columns: the column, or the columns of a cross.
        keys: names of each slice in each column.
        cells: the tables, on one leading axis.
        clusters: the rows by cluster; the index of a cell is slice × stored cells + cell.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    cells: Cells
    clusters: ClusteredCells | None = None

    @property
    def n_stored(self) -> int:
        """Number of stored cells in each slice."""
        return int(self.cells.flat().shape[-1])

    def alone(self, i: int) -> Cells:
        """Return the table of one slice."""
        cells = self.cells
        return replace(
            cells,
            counts=cells.counts[i],
            squares=taken(cells.squares, i),
            n_rows=np.asarray(cells.n_rows)[i],
            axes=(),
        )

    def rest(self, i: int) -> Cells:
        """Return the table of all other slices: a sum, so that float weights are not subtracted."""
        cells = self.cells
        return replace(
            cells,
            counts=_others(self._sums, i),
            squares=if_any(lambda sums: _others(sums, i), self._squares),
            n_rows=np.asarray(cells.n_rows.sum() - np.asarray(cells.n_rows)[i]),
            axes=(),
        )

    @cached_property
    def _sums(self) -> tuple[Numbers, Numbers]:
        return _running(self.cells.counts)

    @cached_property
    def _squares(self) -> tuple[Numbers, Numbers] | None:
        return if_any(_running, self.cells.squares)

    def clusters_of(self, i: int, *, is_rest: bool = False) -> ClusteredCells | None:
        """Return the rows of one slice, or of all others, by cluster."""
        if self.clusters is None:
            return None
        slices, place = np.divmod(self.clusters.place, self.n_stored)
        kept = (slices != i) if is_rest else slices == i
        groups = self.clusters
        return ClusteredCells.of(groups.cluster[kept], place[kept], groups.weight[kept])

    @cached_property
    def is_nested(self) -> bool:
        """True if no cluster has rows in two slices."""
        if self.clusters is None:
            return True
        pairs = np.unique(
            np.stack([self.clusters.cluster, self.clusters.place // self.n_stored]), axis=1
        )
        return bool(pairs.shape[1] == self.clusters.n_clusters)


def key_of(name: object) -> tuple[str, ...]:
    """Return the column name as text, or those of a cross.

    Example:
        >>> key_of(3), key_of(("a", 1))
        (('3',), ('a', '1'))
    """
    return tuple(map(str, name)) if isinstance(name, tuple) else (str(name),)


def _running(values: Numbers) -> tuple[Numbers, Numbers]:
    """Sums of the slices before each one, and of those after it."""
    zero = np.zeros_like(values[:1])
    before = np.concatenate([zero, np.cumsum(values[:-1], axis=0)])
    after = np.concatenate([np.cumsum(values[:0:-1], axis=0)[::-1], zero])
    return before, after


def _others(sums: tuple[Numbers, Numbers], i: int) -> Numbers:
    before, after = sums
    return np.asarray(before[i] + after[i])


@dataclass(frozen=True, eq=False)
class ClusteredCells:
    """Weight by cluster and cell; only nonempty combinations are stored.

    Attributes:
        n_clusters: number of clusters with positive weight, G.
        cluster: int64[e], from 0 to G − 1.
        place: int64[e], the cell, as an index into the cells of the table.
        weight: float64[e], Σw.

    Example:
        >>> ClusteredCells.of([7, 7, 9], [0, 3, 3], None).sums(np.array([1.0, 0, 0, 5.0])).tolist()
        [6.0, 5.0]
    """

    n_clusters: int
    cluster: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    weight: Floats

    @classmethod
    def of(
        cls, clusters: npt.ArrayLike, places: npt.ArrayLike, weights: npt.ArrayLike | None
    ) -> ClusteredCells:
        """Make it from the cluster int[n], the cell int[n] and the weight float64[n] of each row.

        Rows of weight 0 are ignored, and so are clusters of such rows.

        Cost: one pass over n keys.
        """
        codes, cells = np.asarray(clusters, np.int64), np.asarray(places, np.int64)
        given = None if weights is None else np.asarray(weights, np.float64)
        if given is not None:
            kept = given > 0
            codes, cells, given = codes[kept], cells[kept], given[kept]
        codes, n_clusters = _by_appearance(codes)
        n_cells = int(cells.max(initial=0)) + 1
        if n_clusters * n_cells < 1 << 62:
            codes *= n_cells
            codes += cells
            if given is None:
                # Counts need no index of each row, hence no sort that moves the rows.
                keys, counts = np.unique(codes, return_counts=True)
                return cls(n_clusters, *np.divmod(keys, n_cells), counts.astype(np.float64))
            keys, place = np.unique(codes, return_inverse=True)
            cluster, cell = np.divmod(keys, n_cells)
        else:
            pairs, place = np.unique(np.stack([codes, cells]), axis=1, return_inverse=True)
            cluster, cell = pairs
        weight: Any = np.bincount(place.ravel(), given, len(cluster))
        return cls(n_clusters, cluster, cell, np.asarray(weight, np.float64))

    def sums(self, values: Floats) -> Floats:
        """float64[G]: Σ w·value over the rows of each cluster, from one value for each cell."""
        found = np.bincount(self.cluster, self.weight * values[self.place], self.n_clusters)
        return np.asarray(found, np.float64)


def _by_appearance(codes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], int]:
    """Return codes from 0 in order of appearance, so that sums do not depend on their values.

    Cost: one pass if the codes are not much larger than the number of rows, else a sort.
    """
    n = len(codes)
    if not n:
        return codes.copy(), 0
    if codes.min() < 0 or codes.max() > 4 * n:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    first = np.full(int(codes.max()) + 1, n, np.int64)
    # Written in reverse, so that the first row of each code is written last.
    first[codes[::-1]] = np.arange(n - 1, -1, -1)
    seen = np.flatnonzero(first < n)
    order = np.empty(len(first), np.int64)
    order[seen[np.argsort(first[seen])]] = np.arange(len(seen))
    return order[codes], len(seen)


Codes: TypeAlias = npt.NDArray[np.int32]
Counts: TypeAlias = npt.NDArray[np.int64]

_SPECIES: Final = "crossed_cells"
_ARRAYS: Final = ("codes", "n_rows", "n_weighing", "weight", "squares")


@dataclass(frozen=True, slots=True, eq=False)
class CrossedCells:
    """Combinations of true class, predicted class and further axes: immutable, combined by `merge`.

    Attributes:
        classes: the classes.
        axes: the further axes: name, and the text of each code.
        codes: int32[2 + a, e]: true class, predicted class, and the code on each further axis.
        n_rows: int64[e], number of rows of each combination.
        n_weighing: int64[e], number of those with a weight above 0; None without weights.
        weight, squares: float64[e], Σw and Σw²; None without weights.

    Example:
        >>> axes = (Axis("site", ("a", "b")),)
        >>> rows = CrossedCells.of(Classes.of([0, 1]), axes, [[0, 0, 1], [0, 0, 0], [1, 1, 0]])
        >>> rows.codes.tolist(), rows.n_rows.tolist()
        ([[0, 1], [0, 0], [1, 0]], [2, 1])
    """

    classes: Classes
    axes: tuple[Axis, ...]
    codes: Codes
    n_rows: Counts
    n_weighing: Counts | None = None
    weight: Floats | None = None
    squares: Floats | None = None

    @classmethod
    def of(
        cls,
        classes: Classes,
        axes: Sequence[Axis],
        codes: npt.ArrayLike,
        weights: Floats | None = None,
    ) -> CrossedCells:
        """Make it from the codes int32[2 + a, n] and the weight float64[n] of each row.

        Cost: one pass over n keys.
        """
        each = np.asarray(codes, np.int32)
        n = each.shape[1]
        rows = cls(classes, tuple(axes), each, np.ones(n, np.int64))
        if weights is not None:
            weighing = (weights > 0).astype(np.int64)
            rows = replace(rows, n_weighing=weighing, weight=weights, squares=weights**2)
        return rows._grouped()

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return self.weight is not None

    @property
    def n(self) -> int:
        """Number of combinations that occur."""
        return int(self.codes.shape[1])

    @property
    def n_bytes(self) -> int:
        """Bytes of the combinations, without the names of codes."""
        arrays = (self.codes, self.n_rows, self.n_weighing, self.weight, self.squares)
        return sum(array.nbytes for array in arrays if array is not None)

    def merge(self, *others: CrossedCells) -> CrossedCells:
        """Return the combinations of all, those of this tally first.

        Errors:
            K201 other axes or classes; K203 only some are weighted.

        Cost: one pass over the combinations, and one over the names.
        """
        axes, codes = self.axes, [self.codes]
        for other in others:
            check_weighting(self.is_weighted, other.is_weighted)
            if self.classes.labels != other.classes.labels:
                raise error("K201", left=str(self.classes.labels), right=str(other.classes.labels))
            axes, tables = united_axes(axes, other.axes)
            recoded = other.codes.copy()
            for place, lut in enumerate(tables):
                recoded[2 + place] = lut[recoded[2 + place]]
            codes.append(recoded)
        sums: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in (self, *others)])
            for name in _ARRAYS[1:]
            if getattr(self, name) is not None
        }
        return replace(self, axes=axes, codes=np.concatenate(codes, axis=1), **sums)._grouped()

    def on(self, classes: Classes) -> CrossedCells:
        """Return the same tally on an axis that contains all of its classes."""
        if classes.labels == self.classes.labels:
            return replace(self, classes=classes)
        codes = self.codes.copy()
        codes[:2] = recoding(self.classes, classes)[codes[:2]]
        return replace(self, classes=classes, codes=codes)

    def _grouped(self) -> CrossedCells:
        """Group equal combinations, in the order of their first occurrence."""
        k = self.classes.k
        keys, n_keys = keys_of(self.codes, [k, k, *(len(axis.labels) for axis in self.axes)])
        first, group = _native.group_keys(keys, n_keys)

        def added(values: Numbers) -> Any:
            found = np.bincount(group, values, len(first))
            return found.astype(np.int64) if values.dtype.kind == "i" else found

        sums: dict[str, Any] = {name: if_any(added, getattr(self, name)) for name in _ARRAYS[1:]}
        return replace(self, codes=np.ascontiguousarray(self.codes[:, first]), **sums)

    def to_bytes(self) -> bytes:
        """Return the tally as bytes that `from_bytes` of this and every later version reads."""
        header = {
            "species": _SPECIES,
            **facts_of_classes(self.classes),
            "axes": facts_of_axes(self.axes),
        }
        return framed(header, {name: getattr(self, name) for name in _ARRAYS})

    @classmethod
    def from_bytes(cls, data: bytes) -> CrossedCells:
        """Read a tally written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not such a tally; K206 a newer version wrote
            them.
        """

        def assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> CrossedCells:
            axes = axes_of_header(header["axes"])
            return cls(classes_of_facts(header), axes, **arrays)

        return read_tally(data, _SPECIES, _ARRAYS, assembled, _inconsistency, short=("codes",))


def united_axes(
    left: Sequence[Axis], right: Sequence[Axis]
) -> tuple[tuple[Axis, ...], tuple[Codes, ...]]:
    """Return axes with the codes of both, and the new code of each one on the right.

    Errors:
        K201 the axes differ.
    """
    names = [[axis.name for axis in axes] for axes in (left, right)]
    if names[0] != names[1]:
        raise error("K201", left=str(names[0]), right=str(names[1]))
    axes, tables = [], []
    for one, two in zip(left, right, strict=True):
        if one.labels == two.labels:
            axes.append(one)
            tables.append(np.arange(len(two.labels), dtype=np.int32))
            continue
        place = dict(zip(one.labels, range(len(one.labels)), strict=True))
        new = dict.fromkeys(label for label in two.labels if label not in place)
        place.update(zip(new, range(len(place), len(place) + len(new)), strict=True))
        tables.append(np.fromiter(map(place.__getitem__, two.labels), np.int32, len(two.labels)))
        axes.append(Axis(one.name, tuple(place)))
    return tuple(axes), tuple(tables)


def too_many(n: int, needed: int, given: int, axes: Sequence[Axis]) -> KaratError:
    """K148: rows with clusters or slices exceed the memory limit."""
    what = ", ".join(f"{axis.name} has {len(axis.labels)} values" for axis in axes)
    return error("K148", n=n, needed=needed, given=given, what=what)


SLICES: Final = "by "
CROSSES: Final = "across "
"""Prefix of the name of an axis of slices, and of the columns of a cross."""


def slice_axis(columns: tuple[str, ...], keys: Sequence[tuple[str, ...]]) -> Axis:
    """Return the axis of the slices by a column, or by a cross of columns.

    Example:
        >>> slice_axis(("country",), [("NO",), ("SE",)])
        Axis(name='by country', labels=('NO', 'SE'))
    """
    if len(columns) == 1:
        return Axis(f"{SLICES}{columns[0]}", tuple(key[0] for key in keys))
    return Axis(f"{CROSSES}{json.dumps(columns)}", tuple(map(json.dumps, keys)))


def slices_on(axis: Axis) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """Return the columns and the keys of an axis of `slice_axis`; None for another axis."""
    labels = tuple(map(str, axis.labels))
    if axis.name.startswith(SLICES):
        return (axis.name.removeprefix(SLICES),), tuple((label,) for label in labels)
    if axis.name.startswith(CROSSES):
        columns = tuple(json.loads(axis.name.removeprefix(CROSSES)))
        return columns, tuple(tuple(json.loads(label)) for label in labels)
    return None


def axes_of_header(given: Sequence[Any]) -> tuple[Axis, ...]:
    """Return axes from the header of their bytes."""
    return tuple(Axis(str(axis["name"]), tuple(map(str, axis["labels"]))) for axis in given)


def keys_of(codes: Sequence[Numbers] | Numbers, sizes: Sequence[int]) -> tuple[Counts, int]:
    """int64[n], an ordered number for each combination, and a number above all of them.

    They are ranks if the product of the sizes is too large.
    """
    keys: Counts = codes[0].astype(np.int64)
    n_keys = sizes[0]
    for row, size in zip(codes[1:], sizes[1:], strict=True):
        if n_keys * max(size, 1) >= 1 << 62:
            found, place = np.unique(keys, return_inverse=True)
            keys, n_keys = place.reshape(-1).astype(np.int64), len(found)
        keys = keys * max(size, 1) + row
        n_keys *= max(size, 1)
    return keys, n_keys


def _inconsistency(found: CrossedCells) -> str | None:
    """Return a contradiction in the data, or None."""
    if problem := wrong_classes(found.classes):
        return problem
    codes, sums = found.codes, (found.n_weighing, found.weight, found.squares)
    if codes.dtype != np.int32 or codes.ndim != 2 or len(codes) != 2 + len(found.axes):
        return "The combinations do not fit the axes"
    sizes = [found.classes.k, found.classes.k, *(len(axis.labels) for axis in found.axes)]
    for row, size in zip(codes, sizes, strict=True):
        if len(row) and not 0 <= int(row.min()) <= int(row.max()) < size:
            return "A combination has an unknown code"
    n = codes.shape[1]
    if found.n_rows.shape != (n,) or found.n_rows.dtype != np.int64 or (found.n_rows < 1).any():
        return "The numbers of rows do not fit the combinations"
    if len({array is None for array in sums}) > 1:
        return "Only some weights are there"
    for array, kind in zip(sums, "iff", strict=True):
        if array is None:
            continue
        if array.shape != (n,) or array.dtype.kind != kind:
            return "The weights do not fit the combinations"
        if wrong_numbers(array):
            return "A weight is negative, missing or infinite"
    if found.n_weighing is not None and (found.n_weighing > found.n_rows).any():
        return "More rows weigh something than there are"
    keys = np.sort(keys_of(codes, sizes)[0])
    if (keys[1:] == keys[:-1]).any():
        return "A combination occurs twice"
    return None

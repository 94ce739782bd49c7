"""`JointCells`: rows by true class and by the predicted classes of several models.

The cells of one model do not show which rows are right. Two models on the same rows are compared by
their predictions for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.tally.axes import keys_of
from karat.tally.cells import Cells
from karat.tally.classes import Classes
from karat.tally.serialization import damaged, framed, read_tally, wrong_classes, wrong_squares
from karat.tally.shared import Numbers, if_any, wrong_numbers

Codes = npt.NDArray[np.int64]

_SPECIES: Final = "joint cells"
_ARRAYS: Final = ("codes", "counts", "squares", "n_rows")
_DENSE: Final = 1 << 20
"""Number of possible cells up to which they are counted densely; more are sorted."""
_DENSE_K: Final = 64


@dataclass(frozen=True, eq=False)
class JointCells:
    """Tally of m models on the same rows: immutable; made by `of`, combined by `merge`.

    Attributes:
        classes: the class axis, k classes.
        names: the m models.
        codes: int64[1 + m, e], true class and predicted classes of the occupied cells, sorted.
        counts: int64[e] counts or float64[e] Σw.
        squares: float64[e] Σw²; None when unweighted.
        n_rows: number of rows, including those of weight 0.

    Example:
        >>> two = Classes.of(["cat", "dog"])
        >>> joint = JointCells.of(two, ["a", "b"], [0, 0, 1, 1], [[0, 1, 1, 1], [0, 0, 1, 1]])
        >>> joint.codes.T.tolist(), joint.counts.tolist()
        ([[0, 0, 0], [0, 1, 0], [1, 1, 1]], [1, 1, 2])
        >>> joint.cells(0).matrix().tolist()
        [[1, 1], [0, 2]]
    """

    classes: Classes
    names: tuple[str, ...]
    codes: Codes
    counts: Numbers
    n_rows: int
    squares: npt.NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        classes: Classes,
        names: Sequence[str],
        true: npt.ArrayLike,
        predicted: Sequence[npt.ArrayLike],
        weights: npt.ArrayLike | None = None,
    ) -> JointCells:
        """Make it from true classes int[n], the predictions of each model and weights.

        Cost: one pass for each model; a sort of n keys if there are many possible cells.
        """
        joint, _ = cls.placed(classes, names, true, predicted, weights)
        return joint

    @classmethod
    def placed(
        cls,
        classes: Classes,
        names: Sequence[str],
        true: npt.ArrayLike,
        predicted: Sequence[npt.ArrayLike],
        weights: npt.ArrayLike | None = None,
    ) -> tuple[JointCells, Codes]:
        """Return the tally, and the cell int64[n] of each row."""
        columns = [np.asarray(column, np.int64) for column in (true, *predicted)]
        codes, place = _ranked(columns, classes.k)
        w = None if weights is None else np.asarray(weights, np.float64)
        m = codes.shape[1]
        counts: Numbers = np.bincount(place, w, m)
        squares: Numbers | None = None if w is None else np.bincount(place, w * w, m)
        if w is None:
            counts = counts.astype(np.int64)
        return cls(classes, tuple(names), codes, counts, len(columns[0]), squares), place

    def counted_as_rows(self) -> JointCells:
        """Return the tally where a row of weight 3 stands for three rows.

        Errors:
            K150 the weights are not whole numbers.
        """
        if self.squares is None:
            return self
        if (self.counts % 1 != 0).any() or (self.squares % 1 != 0).any():
            raise error("K150", found="are not whole numbers")
        counts = np.asarray(self.counts, np.int64)
        return replace(self, counts=counts, squares=None, n_rows=int(counts.sum()))

    @property
    def is_weighted(self) -> bool:
        """True if the cells are sums of weights."""
        return self.squares is not None

    def cells(self, model: int) -> Cells:
        """Return the cells of one model."""
        k = self.classes.k
        at = self.codes[0] * k + self.codes[1 + model]
        if k <= _DENSE_K:
            listed, place = np.arange(k * k), at
        else:
            listed, place = np.unique(at, return_inverse=True)
        counts, squares = _both_added(place, self.counts, self.squares, len(listed))
        facts: dict[str, Any] = {"classes": self.classes, "n_rows": self.n_rows}
        if k <= _DENSE_K:
            squares = if_any(lambda values: values.reshape(k, k), squares)
            return Cells.dense(counts.reshape(k, k), squares=squares, **facts)
        return Cells.sparse(*np.divmod(listed, k), counts, squares=squares, **facts)

    def on_classes(self, places: Codes) -> JointCells:
        """Return the tally on some of its classes, among them all that occur, as discovered ones.

        Of more than two classes none is positive, also where two of them are left.
        """
        to = np.full(self.classes.k, -1, np.int64)
        to[places] = np.arange(len(places))
        fewer = replace(self.classes.some(places.tolist()), positive=self.classes.positive)
        return replace(self, classes=fewer, codes=to[self.codes])

    def of_models(self, models: Sequence[int]) -> JointCells:
        """Return the tally of some of the models, in this order."""
        if list(models) == list(range(len(self.names))):
            return self
        rows = [0, *(1 + model for model in models)]
        codes, place = _ranked(list(self.codes[rows]), self.classes.k)
        names = tuple(self.names[model] for model in models)
        counts, squares = _both_added(place, self.counts, self.squares, codes.shape[1])
        return replace(self, names=names, codes=codes, counts=counts, squares=squares)

    def merge(self, other: JointCells) -> JointCells:
        """Return the tally of both data sets read one after the other.

        Errors:
            K201 the classes differ; K202 the models differ; K203 only one is weighted.
        """
        if self.classes.labels != other.classes.labels:
            raise error("K201", left=shown(self.classes.labels), right=shown(other.classes.labels))
        if self.names != other.names:
            raise error("K202", axis="model", left=shown(self.names), right=shown(other.names))
        if self.is_weighted != other.is_weighted:
            kinds = ("counts", "weighted")
            raise error("K203", left=kinds[self.is_weighted], right=kinds[other.is_weighted])
        columns = list(np.concatenate([self.codes, other.codes], axis=1))
        codes, place = _ranked(columns, self.classes.k)
        squares = None
        if self.squares is not None and other.squares is not None:
            squares = np.concatenate([self.squares, other.squares])
        counts = np.concatenate([self.counts, other.counts])
        counts, squares = _both_added(place, counts, squares, codes.shape[1])
        n_rows = self.n_rows + other.n_rows
        return replace(self, codes=codes, counts=counts, squares=squares, n_rows=n_rows)

    def to_bytes(self) -> bytes:
        """Return the tally as bytes that `from_bytes` of this and every later version reads."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        arrays["n_rows"] = np.array([self.n_rows], np.int64)
        header = {
            "species": _SPECIES,
            "labels": list(self.classes.labels),
            "positive": self.classes.positive,
            "models": list(self.names),
        }
        return framed(header, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> JointCells:
        """Read a tally written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not such a tally; K206 a newer version wrote
            them.
        """
        called = "joint cells of several models"
        return read_tally(data, _SPECIES, _ARRAYS, _assembled, _inconsistency, called=called)


def _ranked(columns: list[Codes], k: int) -> tuple[Codes, Codes]:
    """Return the sorted distinct tuples int64[c, e], and the tuple index int64[n] of each row."""
    keys, size = keys_of(columns, [k] * len(columns))
    if size <= min(_DENSE, 16 * len(keys)):
        occupied = np.flatnonzero(np.bincount(keys, minlength=size))
        rank = np.zeros(size, np.int64)
        rank[occupied] = np.arange(len(occupied))
        place = rank[keys]
        first = np.zeros(len(occupied), np.int64)
        first[place] = np.arange(len(keys))
    elif size == k ** len(columns):
        # Without the first row of each key, which takes a slower sort.
        found, place = np.unique(keys, return_inverse=True)
        codes = []
        for _ in columns:
            found, code = np.divmod(found, k)
            codes.append(code)
        return np.array(codes[::-1]), place
    else:
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return np.array([column[first] for column in columns]), place


def _both_added(
    place: Codes, counts: Numbers, squares: Numbers | None, m: int
) -> tuple[Numbers, Numbers | None]:
    """Sum values by index; counts stay integers."""
    if squares is not None:
        return np.bincount(place, counts, m), np.bincount(place, squares, m)
    found = np.zeros(m, np.int64)
    np.add.at(found, place, counts)
    return found, None


def _assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> JointCells:
    names, labels = tuple(header["models"]), tuple(header["labels"])
    codes, counts, squares = arrays["codes"], arrays["counts"], arrays.get("squares")
    shapes = [codes.shape[1:], counts.shape, counts.shape if squares is None else squares.shape]
    is_fit = codes.ndim == 2 and len(codes) == 1 + len(names) and len(set(shapes)) == 1
    if not is_fit or arrays["n_rows"].shape != (1,) or codes.dtype != np.int64:
        raise damaged("The shapes of its parts do not fit each other")
    if codes.size and not (codes.min() >= 0 and codes.max() < len(labels)):
        raise damaged("A cell lies outside the classes")
    if (squares is None) != (counts.dtype == np.int64) or not (counts >= 0).all():
        raise damaged("The cells are neither counts nor sums of weights")
    classes = Classes(labels, header["positive"])
    return JointCells(classes, names, codes, counts, int(arrays["n_rows"][0]), squares)


def _inconsistency(joint: JointCells) -> str | None:
    """Return a contradiction in the cells, or None."""
    if problem := wrong_classes(joint.classes):
        return problem
    if any(not isinstance(name, str) for name in joint.names):
        return "A model has no name"
    if wrong_numbers(joint.counts, joint.squares):
        return "A number is negative or not finite"
    columns = joint.codes.T.tolist()
    if any(left >= right for left, right in pairwise(columns)):
        return "The cells are not in order"
    if joint.n_rows < 0:
        return "The number of rows is negative"
    if joint.squares is not None:
        return wrong_squares(joint.counts, joint.squares, joint.n_rows)
    is_whole = sum(joint.counts.tolist()) == joint.n_rows
    return None if is_whole else "The cells do not add up to the number of rows"

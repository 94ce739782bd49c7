"""Rows that one of two models alone has right, of each kind of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.inference.comparison.records import FlipGroup, Flips
from karat.tally import Classes
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets


@dataclass(frozen=True, eq=False)
class RowFlips:
    """The predictions of every row, from which flips are read."""

    classes: Classes
    true: npt.NDArray[np.int32]
    predicted: Mapping[str, npt.NDArray[np.int32]]

    def __call__(self, a: str, b: str) -> Flips:
        of_a, of_b = self.predicted[a], self.predicted[b]
        is_right = of_a == self.true
        rows = np.flatnonzero(is_right != (of_b == self.true))
        codes = [one[rows] for one in (self.true, of_a, of_b)]
        labels = np.array(self.classes.labels, dtype=object)
        true, by_a, by_b = (labels[one] for one in codes)
        return Flips(a, b, rows, true, by_a, by_b, is_right[rows], self._groups(codes))

    def _groups(self, codes: Sequence[npt.NDArray[np.int32]]) -> tuple[FlipGroup, ...]:
        """Count rows of equal labels; one of the two predictions is the true class."""
        true, of_a, of_b = (one.astype(np.int64) for one in codes)
        k, labels = self.classes.k, self.classes.labels
        gained = of_a == true
        keys = (true * k + np.where(gained, of_b, of_a)) * 2 + gained
        found, counts = np.unique(keys, return_counts=True)
        groups = []
        for at in np.argsort(-counts, kind="stable").tolist():
            pair, is_gained = divmod(int(found[at]), 2)
            right, wrong = (labels[code] for code in divmod(pair, k))
            said = (right, wrong) if is_gained else (wrong, right)
            groups.append(FlipGroup(right, *said, bool(is_gained), int(counts[at])))
        return tuple(groups)


@dataclass(frozen=True, eq=False)
class SetFlips:
    """The sets of every row, from which flips are read."""

    classes: Classes
    rows: Mapping[str, SetRows]

    def __call__(self, a: str, b: str) -> Flips:
        of_a, of_b = self.rows[a], self.rows[b]
        kept = np.flatnonzero(~of_a.gone)
        right = [(one.fields_of_rows.fp + one.fields_of_rows.fn)[:, 0] == 0 for one in (of_a, of_b)]
        differs = right[0] != right[1]
        rows = kept[differs]
        sides = (of_a.true, of_a.pred, of_b.pred)
        true, by_a, by_b = (self._labels(one.at(rows)) for one in sides)
        gained = right[0][differs]
        counted = Counter(zip(true, by_a, by_b, gained.tolist(), strict=True)).most_common()
        groups = tuple(FlipGroup(*labels, n) for labels, n in counted)
        return Flips(a, b, rows, true, by_a, by_b, gained, groups)

    def _labels(self, sets: Sets) -> Any:
        """object[n], a frozenset of labels for each row."""
        found = np.empty(len(sets), object)
        ends = zip(sets.starts[:-1].tolist(), sets.starts[1:].tolist(), strict=True)
        for row, (start, stop) in enumerate(ends):
            found[row] = frozenset(self.classes.labels[i] for i in sets.items[start:stop].tolist())
        return found

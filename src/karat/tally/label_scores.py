"""Scores of the labels of each row, and where its true labels stand among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error
from karat.tally.score_kind import ScoreKind, sigmoid
from karat.tally.sets import Sets
from karat.tally.shared import reaches

Places = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class LabelPlaces(NamedTuple):
    """Places of the true labels of rows among the labels of their row that have a score.

    Attributes:
        above: int32[m], labels that score more than each true label.
        tied: int32[m], labels that score the same, itself among them; 0 where it has no score.
        above_true, tied_true: int32[m], those of them that are true.
        before: int32[m], those of `tied` that come before it in the order of the labels.
        n_ranked: int32[n], labels of each row that have a score.
    """

    above: Places
    tied: Places
    above_true: Places
    tied_true: Places
    before: Places
    n_ranked: Places

    @property
    def is_whole(self) -> bool:
        """True if every true label has a score."""
        return bool(self.tied.all())

    def resolved(self, true: Sets, n_known: npt.NDArray[np.int64], *, is_best: bool) -> LabelPlaces:
        """True labels without a score put below those with one: right below, or last of all.

        Args:
            n_known: int64[n], known labels of each row.
        """
        gone = self.tied == 0
        rows = true.rows[gone]
        # The first, the second … of the row.
        so_far = np.cumsum(gone)
        before_row = np.concatenate([np.zeros(1, np.int64), so_far])[true.starts[:-1]]
        within = so_far[gone] - 1 - before_row[rows]
        n_gone = np.bincount(rows, minlength=len(true))
        first = self.n_ranked[rows] if is_best else (n_known - n_gone)[rows]
        above, tied = self.above.copy(), self.tied.copy()
        above_true, tied_true = self.above_true.copy(), self.tied_true.copy()
        above[gone], tied[gone], tied_true[gone] = first + within, 1, 1
        above_true[gone] += within.astype(np.int32)
        ranked = n_known.astype(np.int32)
        return LabelPlaces(above, tied, above_true, tied_true, self.before, ranked)


@dataclass(frozen=True, slots=True, eq=False)
class LabelScores:
    """A score of every label of each row.

    Attributes:
        values: float32 or float64 [n, k], finite, in contiguous rows.
        kind: whether they are probabilities, logits or others.
    """

    values: npt.NDArray[Any]
    kind: ScoreKind

    @property
    def is_prob(self) -> bool:
        """True if the scores are probabilities."""
        return self.kind == "probabilities"

    def at(self, rows: npt.NDArray[Any]) -> LabelScores:
        """Return the scores of some rows: bool[n], or their places."""
        return replace(self, values=self.values[rows])

    def only(self, places: npt.NDArray[np.int64], k: int) -> LabelScores:
        """Restrict the scores to some of k labels, by their places in order."""
        assert self.values.shape[1] == k
        return replace(self, values=np.ascontiguousarray(self.values[:, places]))

    def joined(self, other: LabelScores) -> LabelScores:
        """The rows of both, one after the other."""
        return replace(self, values=np.concatenate([self.values, other.values]))

    def places(self, true: Sets, unknown: Sets | None, k: int, n_threads: int = 0) -> LabelPlaces:
        """Places of true labels; unknown labels have none."""
        assert self.values.shape[1] == k
        found = _native.place_labels(
            self.values, true.starts, true.items, *_parts(unknown), n_threads
        )
        return _places(*found)

    def above(self, limits: Floats, *, is_strict: bool) -> Sets:
        """The labels whose score is above the limit of each, or at least there."""
        return Sets.of_matrix(_are_above(self, limits, is_strict=is_strict))


@dataclass(frozen=True, slots=True, eq=False)
class ListedScores:
    """Scores of the labels that each row lists; a label that is not listed is not ranked.

    Attributes:
        sets: the labels of each row.
        values: float64[m], the score of each, finite.
        kind: whether they are probabilities, logits or others.
    """

    sets: Sets
    values: Floats
    kind: ScoreKind

    @property
    def is_prob(self) -> bool:
        """True if the scores are probabilities."""
        return self.kind == "probabilities"

    def at(self, rows: npt.NDArray[Any]) -> ListedScores:
        """Return the scores of some rows: bool[n], or their places."""
        numbers = Sets(self.sets.starts, np.arange(len(self.values), dtype=np.int32))
        return replace(self, sets=self.sets.at(rows), values=self.values[numbers.at(rows).items])

    def only(self, places: npt.NDArray[np.int64], k: int) -> ListedScores:
        """Restrict the scores to some of k labels, by their places in order."""
        kept = np.isin(self.sets.items, places)
        return replace(self, sets=self.sets.only(places, k), values=self.values[kept])

    def joined(self, other: ListedScores) -> ListedScores:
        """The rows of both, one after the other."""
        values = np.concatenate([self.values, other.values])
        return replace(self, sets=self.sets.joined(other.sets), values=values)

    def places(self, true: Sets, unknown: Sets | None, k: int, n_threads: int = 0) -> LabelPlaces:
        """Places of true labels; unknown labels have none."""
        found = _native.place_listed(
            self.sets.starts,
            self.sets.items,
            self.values,
            true.starts,
            true.items,
            *_parts(unknown),
            k,
            n_threads,
        )
        return _places(*found)

    def above(self, limits: Floats, *, is_strict: bool) -> Sets:
        """The listed labels whose score is above the limit of each, or at least there."""
        least = limits[self.sets.items] if limits.ndim else limits
        return self.sets.some(_are_above(self, least, is_strict=is_strict))


ScoresOfSets: TypeAlias = LabelScores | ListedScores


def _are_above(scores: ScoresOfSets, limits: Floats, *, is_strict: bool) -> npt.NDArray[np.bool_]:
    """Return whether each score is above its limit, or at least there.

    A limit that need not be exceeded is a probability for logits, too.
    """
    if is_strict:
        return np.asarray(scores.values > limits)
    return reaches(sigmoid(scores.values) if scores.kind == "logits" else scores.values, limits)


def _places(of_labels: Places, of_rows: Places) -> LabelPlaces:
    above, tied, above_true, tied_true, before = of_labels
    return LabelPlaces(above, tied, above_true, tied_true, before, of_rows)


def _parts(unknown: Sets | None) -> tuple[Any, Any]:
    return (None, None) if unknown is None else (unknown.starts, unknown.items)


def joined_scores(left: ScoresOfSets | None, right: ScoresOfSets | None) -> ScoresOfSets | None:
    """The scores of both (K202: only one has them, or they are of other kinds)."""
    if left is None and right is None:
        return None
    if left is not None and right is not None and _kind_of(left) == _kind_of(right):
        if isinstance(left, LabelScores) and isinstance(right, LabelScores):
            return left.joined(right)
        if isinstance(left, ListedScores) and isinstance(right, ListedScores):
            return left.joined(right)
    raise error("K202", axis="scores", left=_kind_of(left), right=_kind_of(right))


def _kind_of(scores: ScoresOfSets | None) -> str:
    if scores is None:
        return "rows without scores"
    is_listed = isinstance(scores, ListedScores)
    return f"{scores.kind} of listed labels" if is_listed else scores.kind

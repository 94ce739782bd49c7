"""`SetTally`: rows with sets of labels, as a table of 2×2 for each label and the sums of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error
from karat.tally.axes import united_axes
from karat.tally.cached import cached_property
from karat.tally.cells import Axis, Fields
from karat.tally.classes import Classes
from karat.tally.decision import AS_GIVEN, Decision, of_both
from karat.tally.label_scores import ListedScores, ScoresOfSets, joined_scores
from karat.tally.serialization import classes_of_facts, facts_of_classes, framed, read_tally
from karat.tally.set_checks import ARRAYS_OF_SETS, inconsistency_of_sets
from karat.tally.sets import Sets
from karat.tally.shared import (
    ROWS_MOST,
    Floats,
    Numbers,
    after,
    check_same,
    check_weighting,
    common_labels,
    recoding,
    taken,
)

Counts = npt.NDArray[np.int64]

_SPECIES: Final = "label sets"
_SCORES_MOST: Final = 10**9
"""Scores of rows that are repeated: 8 GB."""
TP, FP, FN, UNKNOWN = range(4)
"""The rows of `counts`."""
CLUSTERS: Final = "clusters"
"""The axis of rows that go together."""
IDS: Final = "ids"
"""The axis of the names of rows, which are matched with others or listed."""
TRUE, PREDICTED, HITS, NOT_KNOWN = range(4)
"""The columns of `profiles`."""


@dataclass(frozen=True, eq=False)
class SetTally:
    """Tally of sets of labels: immutable; made by `of`, added by `merge`.

    Every metric of labels follows from a table of 2×2 for each label, and every metric of a row
    from how many labels it truly has, how many are predicted, and how many of these are right: its
    profile. Rows of one profile are counted together, so the tally takes O(labels + profiles).

    Attributes:
        classes: the labels, k of them.
        counts: int64[4, k], rows by label: true positives, false positives, false negatives, and
            rows where it is not known; the others are true negatives. Rows of weight 0 are none.
        weights: float64[4, k], the same as Σw; None when unweighted.
        squares: float64[4, k], the same as Σw²; None when unweighted.
        profiles: int64[p, 4], ascending: of a row the true labels, the predicted ones, those that
            are both, and those not known, which no other number counts.
        n_rows: int64[p], rows of each profile, whatever they weigh.
        n_unknown: rows of whose truth nothing is known: they count in nothing else.
        row_weights: float64[p], Σw; None when unweighted.
        row_squares: float64[p], Σw²; None when unweighted.
        decision: what says which labels are predicted. Where nothing says which labels
            are predicted, every row is counted as if its true ones were.

    Example:
        >>> abc = Classes.of(["a", "b", "c"])
        >>> true, pred = np.array([[1, 0, 1], [0, 1, 0]]), np.array([[1, 1, 0], [0, 1, 0]])
        >>> tally = SetTally.of(abc, Sets.of_matrix(true), Sets.of_matrix(pred))
        >>> tally.counts[:3].tolist(), tally.profiles.tolist()
        ([[1, 1, 0], [0, 1, 0], [0, 0, 1]], [[1, 1, 1, 0], [2, 2, 1, 0]])
    """

    classes: Classes
    counts: Counts
    profiles: Counts
    n_rows: Counts
    n_unknown: int = 0
    weights: Floats | None = None
    squares: Floats | None = None
    row_weights: Floats | None = None
    row_squares: Floats | None = None
    decision: Decision = AS_GIVEN

    @classmethod
    def of(
        cls,
        classes: Classes,
        true: Sets,
        pred: Sets,
        weights: npt.ArrayLike | None = None,
        unknown: Sets | None = None,
        missing: npt.NDArray[np.bool_] | None = None,
    ) -> SetTally:
        """Create them from the true and predicted labels of each row and the unknown cells.

        Args:
            true, pred: n rows of numbers below k; of unknown cells what they say does not count.
            weights: float64[n], finite and at least 0.
            unknown: labels of each row of which is not known whether it has them.
            missing: bool[n], rows of whose labels nothing is known.

        Cost: O(labels of all rows), and a sort of the profiles.
        """
        given = SetRows(classes, true, pred, unknown, missing, _floats(weights))
        rows = given.known
        true, pred, unknown, w = rows.true, rows.pred, rows.unknown, rows.weights
        counts, hits, sums, squares = _native.count_sets(
            true.starts,
            true.items,
            pred.starts,
            pred.items,
            None if unknown is None else unknown.starts,
            None if unknown is None else unknown.items,
            classes.k,
            w,
            0,
        )
        profiles = np.zeros((rows.n, 4), np.int64)
        profiles[:, TRUE], profiles[:, PREDICTED], profiles[:, HITS] = true.sizes, pred.sizes, hits
        if unknown is not None:
            profiles[:, NOT_KNOWN] = unknown.sizes
        profiles, n_rows, row_weights, row_squares = _native.group_profiles(
            profiles, np.ones(rows.n, np.int64), w, None if w is None else w * w
        )
        n_unknown = given.n - rows.n
        return cls(
            classes, counts, profiles, n_rows, n_unknown, sums, squares, row_weights, row_squares
        )

    @classmethod
    def empty(cls, classes: Classes, *, is_weighted: bool = False) -> SetTally:
        """The tally of no rows: the identity of `merge`."""
        none = Sets.empty(0)
        return cls.of(classes, none, none, [] if is_weighted else None)

    @property
    def k(self) -> int:
        """Number of labels."""
        return self.classes.k

    @property
    def has_predictions(self) -> bool:
        """True if labels are predicted for each row."""
        return self.decision.has_predictions

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return self.weights is not None

    @property
    def n(self) -> int:
        """Rows read, whatever they weigh."""
        return int(self.n_rows.sum()) + self.n_unknown

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the leading axes: there are none."""
        return ()

    @property
    def mass(self) -> Numbers:
        """number[p]: rows of each profile, by weight where there are weights."""
        return self.n_rows if self.row_weights is None else self.row_weights

    @cached_property
    def fields(self) -> Fields:
        """One-vs-rest counts of each label over the rows whose truth is known."""
        sums: Numbers = self.counts if self.weights is None else self.weights
        tp, fp, fn = sums[TP], sums[FP], sums[FN]
        tn = self.mass.sum() - sums.sum(axis=0)
        if self.weights is not None:
            # Sums of weights leave rounding dust where no row is.
            tn = np.where(self._n_weighing > self.counts.sum(axis=0), np.maximum(tn, 0.0), 0.0)
        return _fields(tp, fp, fn, tn)

    @property
    def _n_weighing(self) -> int:
        """Rows that weigh anything."""
        assert self.row_weights is not None
        return int(self.n_rows[self.row_weights > 0.0].sum())

    @cached_property
    def fields_of_rows(self) -> Fields:
        """The same over the labels of a row, float64[p, 1]: of each profile."""
        return _fields_of_profiles(self.profiles, self.k)

    def merge(self, other: SetTally) -> SetTally:
        """Tally of both data sets, whose labels are united where they were discovered.

        Errors:
            K108 one has strings and the other numbers; K201 declared labels differ; K203 only one
            is weighted.

        Cost: O(labels + profiles).
        """
        classes = common_labels(self.classes, other.classes)
        left, right = self.on(classes), other.on(classes)
        check_weighting(left.is_weighted, right.is_weighted)
        profiles, n_rows, row_weights, row_squares = _grouped(left, right)
        return replace(
            left,
            counts=left.counts + right.counts,
            weights=_sum(left.weights, right.weights),
            squares=_sum(left.squares, right.squares),
            profiles=profiles,
            n_rows=n_rows,
            n_unknown=left.n_unknown + right.n_unknown,
            row_weights=row_weights,
            row_squares=row_squares,
            decision=of_both(left.decision, right.decision),
        )

    def subtract(self, part: SetTally) -> SetTally:
        """The tally that merged with `part` gives this one: exact, of counts.

        Errors:
            K201 other labels; K208 a count would be negative; K217 weighted tallies.
        """
        if self.is_weighted or part.is_weighted:
            raise error("K217", found="A weighted tally was given to subtract()")
        check_same(self.classes, part.classes)
        counts = self.counts - part.counts
        profiles, n_rows, _, _ = _grouped(self, replace(part, n_rows=-part.n_rows))
        n_unknown = self.n_unknown - part.n_unknown
        if (counts < 0).any() or (n_rows < 0).any() or n_unknown < 0:
            few = (counts < 0).any(axis=0)
            label = self.classes.labels[int(np.argmax(few))] if few.any() else "any"
            raise error("K208", true=label, pred=label)
        kept = n_rows > 0
        return replace(
            self, counts=counts, profiles=profiles[kept], n_rows=n_rows[kept], n_unknown=n_unknown
        )

    def on(self, classes: Classes) -> SetTally:
        """The same on labels that hold every label of it; a new one is in no row."""
        if classes.labels == self.classes.labels:
            return replace(self, classes=classes)
        place = recoding(self.classes, classes)

        def moved(values: Numbers | None) -> Any:
            if values is None:
                return None
            wide = np.zeros((len(values), classes.k), values.dtype)
            wide[:, place] = values
            return wide

        weights, squares = moved(self.weights), moved(self.squares)
        counts = moved(self.counts)
        return replace(self, classes=classes, counts=counts, weights=weights, squares=squares)

    def to_bytes(self) -> bytes:
        """The tally as bytes that `from_bytes` of this and every later version reads."""
        facts = {"species": _SPECIES, **facts_of_classes(self.classes)}
        facts |= {"n_unknown": self.n_unknown}
        facts |= self.decision.facts
        return framed(facts, {name: getattr(self, name) for name in ARRAYS_OF_SETS})

    @classmethod
    def from_bytes(cls, data: bytes) -> SetTally:
        """Read a tally written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not such a tally; K206 a newer version.
        """

        def made(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> SetTally:
            n_unknown, decision = header["n_unknown"], Decision.of_facts(header)
            sums: dict[str, Any] = dict(arrays)
            return cls(classes_of_facts(header), n_unknown=n_unknown, decision=decision, **sums)

        arrays = ARRAYS_OF_SETS
        return read_tally(data, _SPECIES, arrays, made, inconsistency_of_sets, called="label sets")


def _fields(tp: Numbers, fp: Numbers, fn: Numbers, tn: Numbers) -> Fields:
    tp, fp, fn, tn = (np.asarray(each, np.float64) for each in (tp, fp, fn, tn))
    none, n = np.empty(0, np.intp), (tp + fp + fn + tn).sum(axis=-1)
    return Fields(tp, fp, fn, tn, n, tp.shape[-1], None, none, none)


def _fields_of_profiles(profiles: Counts, k: int) -> Fields:
    """One-vs-rest counts over the k labels of each row, float64[p, 1], from profiles."""
    true, predicted, hits, unknown = profiles.T
    fp, fn = predicted - hits, true - hits
    tn = k - unknown - hits - fp - fn
    return _fields(*(each[:, None] for each in (hits, fp, fn, tn)))


def _floats(values: npt.ArrayLike | None) -> Floats | None:
    return None if values is None else np.ascontiguousarray(values, np.float64)


def _sum(left: Floats | None, right: Floats | None) -> Floats | None:
    return None if left is None or right is None else left + right


def _grouped(
    left: SetTally, right: SetTally
) -> tuple[Counts, Counts, Floats | None, Floats | None]:
    """The profiles of both, equal ones as one, and what is counted of each."""
    return _native.group_profiles(
        np.concatenate([left.profiles, right.profiles], dtype=np.int64),
        np.concatenate([left.n_rows, right.n_rows], dtype=np.int64),
        after(left.row_weights, right.row_weights),
        after(left.row_squares, right.row_squares),
    )


@dataclass(frozen=True, eq=False)
class SetRows:
    """Rows with sets of labels, as they were read.

    Attributes:
        classes: the labels.
        true, pred: sets of each row.
        unknown: cells whose truth is not known, or None.
        missing: bool[n], rows of whose truth nothing is known, or None.
        weights: float64[n], or None.
        scores: scores of the labels, or None.
        is_frequency: whether a row of weight 3 stands for three rows.
        axes: clusters, and columns of slices: name, and what each code stands for.
        codes: int32[a, n], codes on the axes; None without axes.
        decision: what says which labels are predicted. Where nothing says which labels
            are predicted, `pred` are the true ones.
    """

    classes: Classes
    true: Sets
    pred: Sets
    unknown: Sets | None = None
    missing: npt.NDArray[np.bool_] | None = None
    weights: Floats | None = None
    scores: ScoresOfSets | None = None
    is_frequency: bool = False
    axes: tuple[Axis, ...] = ()
    codes: npt.NDArray[np.int32] | None = None
    decision: Decision = AS_GIVEN

    @property
    def has_predictions(self) -> bool:
        """True if labels are predicted for each row."""
        return self.decision.has_predictions

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.true)

    @property
    def n_bytes(self) -> int:
        """Bytes of the rows."""
        listed = self.scores.sets if isinstance(self.scores, ListedScores) else None
        every = (self.true, self.pred, self.unknown, listed)
        sides = [side for side in every if side is not None]
        scores = None if self.scores is None else self.scores.values
        arrays = (self.missing, self.weights, scores, self.codes)
        beside = [part.nbytes for part in arrays if part is not None]
        return sum(side.starts.nbytes + side.items.nbytes for side in sides) + sum(beside)

    @property
    def clusters(self) -> npt.NDArray[np.int32] | None:
        """int32[n], which rows go together; None: none do."""
        place = next((i for i, axis in enumerate(self.axes) if axis.name == CLUSTERS), None)
        return None if self.codes is None or place is None else self.codes[place]

    def with_axes(self, places: Sequence[int]) -> SetRows:
        """The same with some of its axes only, by their places."""
        codes = None if self.codes is None or not places else self.codes[list(places)]
        return replace(self, axes=tuple(self.axes[place] for place in places), codes=codes)

    def beside(self, axes: Sequence[tuple[Axis, npt.NDArray[np.int32]]]) -> SetRows:
        """The same with more axes: each with the codes of the rows on it, int32[n]."""
        if not axes:
            return self
        codes = np.stack([own for _, own in axes])
        if self.codes is not None:
            codes = np.concatenate([self.codes, codes])
        return replace(self, axes=(*self.axes, *(axis for axis, _ in axes)), codes=codes)

    def merge(self, other: SetRows) -> SetRows:
        """The rows of both, one after the other, on labels that are united as by `SetTally.merge`.

        Errors:
            K108, K201, K203 as of that, K201 also of clusters and columns of slices.

        Cost: a copy of both.
        """
        classes = common_labels(self.classes, other.classes)
        check_weighting(self.weights is not None, other.weights is not None)
        parts = [self.on(classes), other.on(classes)]
        unknown = [Sets.empty(p.n) if p.unknown is None else p.unknown for p in parts]
        axes, tables = united_axes(self.axes, other.axes)
        codes = None
        if self.codes is not None and other.codes is not None:
            moved = np.stack([*map(np.take, tables, other.codes)])
            codes = np.concatenate([self.codes, moved], axis=1)
        return SetRows(
            classes,
            parts[0].true.joined(parts[1].true),
            parts[0].pred.joined(parts[1].pred),
            unknown[0].joined(unknown[1]),
            np.concatenate([part.gone for part in parts]),
            after(self.weights, other.weights),
            joined_scores(parts[0].scores, parts[1].scores),
            self.is_frequency,
            axes,
            codes,
            of_both(self.decision, other.decision),
        )

    def on(self, classes: Classes) -> SetRows:
        """The same on labels that hold every label of it."""
        if classes.labels == self.classes.labels:
            return replace(self, classes=classes)
        if self.scores is not None:
            # The columns of scores are the labels: rows with other columns are of other labels.
            check_same(self.classes, classes)
        place = recoding(self.classes, classes)
        true, pred = (side.recoded(place, classes.k) for side in (self.true, self.pred))
        unknown = None if self.unknown is None else self.unknown.recoded(place, classes.k)
        # Of a row of which no label is known, no other one is.
        return replace(
            self, classes=classes, true=true, pred=pred, unknown=unknown, missing=self.gone
        )

    @cached_property
    def tally(self) -> SetTally:
        """Tally of the rows; a row with weight 3 counts as three rows."""
        found = SetTally.of(
            self.classes, self.true, self.pred, self.weights, self.unknown, self.missing
        )
        found = replace(found, decision=self.decision)
        if not self.is_frequency or found.weights is None or found.row_weights is None:
            return found
        assert self.weights is not None
        return SetTally(
            self.classes,
            found.weights.astype(np.int64),
            found.profiles,
            found.row_weights.astype(np.int64),
            int(self.weights[self.gone].sum()),
            decision=self.decision,
        )

    @cached_property
    def gone(self) -> npt.NDArray[np.bool_]:
        """bool[n]: rows of whose truth nothing is known."""
        gone = np.zeros(self.n, bool) if self.missing is None else self.missing
        if self.unknown is not None and self.classes.k:
            gone = gone | (self.unknown.sizes == self.classes.k)
        return gone

    def at(self, rows: npt.NDArray[Any]) -> SetRows:
        """Some of the rows: bool[n], or their places int[r] in any order."""
        return replace(
            self,
            true=self.true.at(rows),
            pred=self.pred.at(rows),
            unknown=None if self.unknown is None else self.unknown.at(rows),
            missing=taken(self.missing, rows),
            weights=taken(self.weights, rows),
            codes=taken(self.codes, (slice(None), rows)),
            scores=None if self.scores is None else self.scores.at(rows),
        )

    def only(self, places: npt.NDArray[np.int64]) -> SetRows:
        """The same on some of the labels, by their places in order; scores of others go, too."""
        classes, k = self.classes, self.classes.k
        named = None if classes.names is None else tuple(classes.names[i] for i in places)
        labels = [classes.labels[i] for i in places]
        return replace(
            self,
            classes=Classes(tuple(labels), None, named, is_declared=True),
            true=self.true.only(places, k),
            pred=self.pred.only(places, k),
            unknown=None if self.unknown is None else self.unknown.only(places, k),
            missing=self.gone,
            scores=None if self.scores is None else self.scores.only(places, k),
        )

    def repeated(self) -> SetRows:
        """The same, three rows instead of one that stands for three.

        Errors:
            K150 there would be more than 10⁸ rows, or 10⁹ scores.
        """
        if not self.is_frequency or self.weights is None:
            return self
        total = float(self.weights.sum())
        each = 1.0 if self.scores is None else self.scores.values.size / max(self.n, 1)
        if total > ROWS_MOST or total * each > _SCORES_MOST:
            advice = "With scores, rows are repeated: leave it out, or take a sample of them."
            raise error("K150", found=f"add up to {total:.3g} rows", advice=advice)
        at = np.repeat(np.arange(self.n), self.weights.astype(np.int64))
        return replace(self.at(at), weights=None, is_frequency=False)

    @property
    def squares(self) -> Floats | None:
        """float64[n]: what the square of each row counts; None without weights."""
        if self.weights is None or self.is_frequency:
            return self.weights
        return self.weights * self.weights

    @cached_property
    def known(self) -> SetRows:
        """Those of whose truth anything is known, their unknown cells in no set."""
        gone, k = self.gone, self.classes.k
        rows = self.at(~gone) if gone.any() else self
        if rows.unknown is not None and rows.unknown.items.size:
            true, pred = (side.without(rows.unknown, k) for side in (rows.true, rows.pred))
            rows = replace(rows, true=true, pred=pred)
        return rows

    @cached_property
    def matched(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Hits among the true labels of known rows, and among the predicted ones."""
        return self.known.true.matched(self.known.pred, self.classes.k)

    @cached_property
    def fields_of_rows(self) -> Fields:
        """One-vs-rest counts over the labels of each known row, float64[n, 1]."""
        rows = self.known
        profiles = np.zeros((rows.n, 4), np.int64)
        profiles[:, TRUE], profiles[:, PREDICTED] = rows.true.sizes, rows.pred.sizes
        profiles[:, HITS] = rows.true.some(self.matched[0]).sizes
        if rows.unknown is not None:
            profiles[:, NOT_KNOWN] = rows.unknown.sizes
        return _fields_of_profiles(profiles, self.classes.k)

    def added(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
        """float64[n]: Σ over the labels of a row of what its true and predicted state counts.

        Args:
            tp, fp, fn, tn: float64[k], what each label counts in each state. Unknown ones count 0.

        Cost: O(labels of all rows).
        """
        rows = self.known
        is_hit, is_right = self.matched
        found = np.full(rows.n, float(tn.sum()))
        for side, own, values in (
            (rows.true, is_hit, tp - tn),
            (rows.true, ~is_hit, fn - tn),
            (rows.pred, ~is_right, fp - tn),
        ):
            found += np.bincount(side.rows[own], values[side.items[own]], rows.n)
        if rows.unknown is not None:
            unknown = rows.unknown
            found -= np.bincount(unknown.rows, tn[unknown.items], rows.n)
        return found

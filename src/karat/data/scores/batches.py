"""Reading of in-memory batches of rows with scores, and rows that are kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.clusters import RowNames
from karat.data.labels.align import GivenClasses, align, check_kinds
from karat.data.labels.column import Column, Flags, check_lengths, coded, harmonized
from karat.data.labels.containers import encode
from karat.data.labels.counting import tally_columns
from karat.data.roles import ending_of
from karat.data.rows import Rows
from karat.data.scores.classes import (
    both_decide,
    checked_threshold,
    coded_guess,
    has_places,
    matched,
)
from karat.data.scores.containers import Scores
from karat.data.scores.order import (
    check_one_order,
    is_class,
    no_positive_of_scores,
    of_single,
    wrong_number,
)
from karat.data.scores.rows import InMemoryScores
from karat.data.scores.storage import classes_of_columns, discovered
from karat.data.sources.files.row_blocks import RowBlocks
from karat.data.weights import as_weights
from karat.errors import error
from karat.tally import Cells, Classes
from karat.tally.cached import cached_property
from karat.tally.classes import Label, usual_positive
from karat.tally.row_sample import row_parts
from karat.tally.shared import if_any, other_kinds, taken, united

_MODERATE: Final = 1e30
"""Half of the exponent range of float32."""


def owned(rows: InMemoryScores) -> InMemoryScores:
    """Return the same rows in memory that no other code changes."""
    scores = replace(rows.scores, values=rows.scores.values.copy(order="K"))
    weights, pred = if_any(np.copy, rows.weights), if_any(np.copy, rows.pred)
    own: dict[str, Any] = {"true": rows.codes.copy(), "scores": scores, "weights": weights}
    return replace(rows, rows=replace(rows.rows, pred=pred, **own))


def is_moderate(rows: InMemoryScores) -> bool:
    """Return whether no sum or difference of the finite scores can overflow."""
    return rows.is_prob or bool(np.abs(rows.scores.values).max() <= _MODERATE)


Codes: TypeAlias = npt.NDArray[np.int32]


@dataclass
class LabelCodes:
    """Codes of the labels of a stream; numbers are encoded here, text already is."""

    places: dict[int, int] = field(default_factory=dict)

    def codes(self, part: npt.NDArray[Any], *, is_text: bool) -> Codes:
        """int32[n]: the code of each row."""
        if is_text or not len(part):
            return np.array(part, np.int32)
        codes, values = _native.encode_integers(part)
        lut = [self.places.setdefault(value, len(self.places)) for value in values.tolist()]
        return np.take(np.array(lut, np.int32), codes)


@dataclass
class GatheredScores:
    """Rows that were read.

    Attributes:
        true, pred: int32[n], codes of the labels.
        weights: float64[n], or None.
        values: the scores, or None without any.
        kept: bool[m] of the rows of the source.
        numbers: the label of each code, if labels are numbers.
        names: ids and clusters, in the order of the read.
    """

    true: Codes
    pred: Codes
    weights: npt.NDArray[np.float64] | None
    values: npt.NDArray[Any] | None
    kept: Flags
    numbers: tuple[int, ...]
    names: tuple[RowNames, ...] = ()

    @property
    def n(self) -> int:
        """Number of rows of the source."""
        return len(self.kept)

    @property
    def is_single(self) -> bool:
        """True if there is one score for each row."""
        return self.values is not None and self.values.ndim == 1

    @property
    def width(self) -> int:
        """Number of classes of the scores."""
        return 2 if self.values is None or self.values.ndim == 1 else self.values.shape[1]

    def counted(self, rows: RowBlocks, n_threads: int | None) -> Cells:
        """Return the tally of the codes, as for `file_labels`: numbers are their own codes."""
        true, pred = (
            Column(f"column {name!r}", codes, "integer")
            for name, codes in zip(rows.names, (self.true, self.pred), strict=False)
        )
        found = tally_columns(true, pred, n_threads=n_threads)
        if rows.is_text:
            return found
        numbers = tuple(self.numbers[int(code)] for code in found.classes.labels)
        return found.with_classes(Classes(numbers))

    def drop(self, flags: Flags) -> None:
        """Drop rows; the scores move together within their own memory."""
        if not flags.any():
            return
        rows = np.flatnonzero(~flags)
        self.true, self.pred = self.true[rows], self.pred[rows]
        self.weights = taken(self.weights, rows)
        self.names = tuple(name.at(rows) for name in self.names)
        if self.values is not None:
            for part in row_parts(len(rows)):
                self.values[part] = self.values[rows[part]]
            self.values = self.values[: len(rows)]
        places = np.flatnonzero(self.kept)
        self.kept = np.zeros(len(self.kept), np.bool_)
        self.kept[places[rows]] = True


class BatchReader:
    """Reads batches of rows with scores, each after the previous ones.

    Args:
        labels: the classes in order, or None.
        positive: the positive class of two; None: that of 0/1, False/True, −1/1.
        threshold: score at or above which it is predicted.
    """

    def __init__(
        self, labels: tuple[Label, ...] | None, positive: Label | None, threshold: float | None
    ) -> None:
        self._labels, self._positive, self._threshold = labels, positive, threshold

    def rows(
        self, y_true: Any, scores: Scores, y_pred: Any, weights: Any, known: Classes | None
    ) -> Rows:
        """Return a batch on the classes so far, the known ones, in its own memory."""
        true = encode(y_true, "y_true")
        if len(true) != scores.n:
            raise error(
                "K102", left="y_true", n_left=len(true), right=scores.argument, n_right=scores.n
            )
        if y_pred is not None and self._threshold is not None:
            raise both_decide("y_pred", self._threshold)
        checked_threshold(self._threshold, classes_of_columns(scores.k), scores.kind)
        scores, classes, codes = self._placed(y_true, true, scores, known)
        pred = None
        if y_pred is not None:
            guess = encode(y_pred, "y_pred")
            check_lengths(true, guess)
            if classes.k < scores.k:
                # Labels that occur only in predictions are classes too.
                check_kinds(true, guess)
                classes = discovered((*classes.labels, *_labels_of(guess)), self._positive)
                codes = _codes_of(true, classes)
                _check_number(scores, classes)
            pred = coded_guess(guess, classes, scores, is_declared=self._labels is not None)
        # Arrays of the caller may change afterwards.
        given = None if weights is None else as_weights(weights, len(true)).copy()
        own = replace(scores, values=np.array(scores.values))
        return Rows(classes, codes, pred, own, given)

    def named_positive(self, scores: Scores, classes: Classes) -> Label | None:
        """Return the positive class by the name of a single column; None if it is already known.

        It applies to every batch: a later column named after the other class is refused.
        """
        if self._positive is not None or scores.columns is None or scores.values.ndim != 1:
            return None
        if classes.k == 2 and classes.positive is not None:
            is_usual = usual_positive(classes.labels) is not None
            return None if is_usual else classes.labels[classes.positive]
        # The other of two text classes has not occurred yet.
        return ending_of(scores.columns[0]) if isinstance(classes.labels[0], str) else None

    @cached_property
    def _given(self) -> GivenClasses | None:
        labels = self._labels
        return None if labels is None else GivenClasses.of(labels, self._positive)

    def _placed(
        self, y_true: Any, true: Column, scores: Scores, known: Classes | None
    ) -> tuple[Scores, Classes, Codes]:
        """Return the scores in class order, the classes so far, and those of the rows."""
        given = self._given
        is_settled = scores.values.ndim == 2 or (
            given is not None and given.classes.positive is not None
        )
        if (
            given is not None
            and is_settled
            and scores.columns is None
            and given.classes.k == scores.k
        ):
            codes = given.codes(y_true)
            if codes is not None:
                return scores, given.classes, codes
        if self._labels is not None:
            return matched(true, scores, self._labels, self._positive)
        both = _united(() if known is None else known.labels, true, self._positive)
        names = scores.columns
        if names is None or len(names) != scores.k or has_places(scores):
            if scores.values.ndim == 2 and both.k == scores.k:
                check_one_order(both, scores.argument, scores, _codes_of(true, both))
        else:
            now = align(true, true).classes
            ordered = now if known is None else united(known, now)
            order = None if ordered is None else ordered.categories
            column = coded("y_true", np.arange(both.k, dtype=np.int32), both.labels, order=order)
            scores, both, _ = matched(column, scores, None, self._positive)
        if scores.values.ndim == 1:
            name = names[0] if names is not None else scores.name
            if names is not None or is_class(name, both):
                ending = None if name is None else ending_of(name)
                both = of_single(both, name, ending, scores.argument)
        _check_number(scores, both)
        return scores, both, _codes_of(true, both)


def _check_number(scores: Scores, classes: Classes) -> None:
    is_single = scores.values.ndim == 1
    if classes.k > scores.k:
        raise wrong_number(scores.argument, scores.k, classes, is_single=is_single)
    if is_single and classes.k == 2 and classes.positive is None:
        raise no_positive_of_scores(classes, scores.argument)


def _united(before: tuple[Label, ...], true: Column, positive: Label | None) -> Classes:
    """Return the classes of earlier batches and of this one."""
    if before and isinstance(before[0], str) != (true.kind == "string"):
        label = true.label_at(0)
        assert label is not None
        raise other_kinds("y_true", label, "an earlier batch", before[0])
    return discovered((*before, *_labels_of(true)), positive)


def _codes_of(true: Column, classes: Classes) -> Codes:
    return align(true, true, classes.labels).true.indices()


def _labels_of(column: Column) -> tuple[Label, ...]:
    """Return the labels that occur."""
    if column.labels is not None:
        return tuple(column.seen())
    _, values = _native.encode_integers(column.codes)
    return harmonized(values.tolist(), column.kind)

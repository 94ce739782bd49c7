"""Batches of rows with scores in memory, each read after those before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.align import align, check_kinds, check_lengths
from karat.data.labels.column import Column, coded
from karat.data.labels.containers import encode
from karat.data.labels.given import GivenClasses
from karat.data.labels.identity import harmonized
from karat.data.rows import Rows
from karat.data.scores.classes import are_places, coded_guess, matched
from karat.data.scores.containers import Scores
from karat.data.scores.decided import both_decide, checked_threshold
from karat.data.scores.order import wrong_number
from karat.data.scores.storage import classes_of_columns, discovered
from karat.data.weights import as_weights
from karat.errors import error
from karat.tally.classes import Classes, Label
from karat.tally.kept import cached_property

__all__ = ["BatchReader"]

Codes: TypeAlias = npt.NDArray[np.int32]


class BatchReader:
    """Reads batches of rows with scores, each after those before it.

    Args:
        labels: the classes in order, or None.
        positive: the positive class of two; None: the last.
        threshold: from which score on it is predicted.
    """

    def __init__(
        self, labels: tuple[Label, ...] | None, positive: Label | None, threshold: float | None
    ) -> None:
        self._labels, self._positive, self._threshold = labels, positive, threshold

    def rows(
        self, y_true: Any, scores: Scores, y_pred: Any, weights: Any, known: tuple[Label, ...]
    ) -> Rows:
        """A batch on the classes that came so far, in memory of its own; see `Stream.update`.

        Args:
            known: the classes of the batches before it.
        """
        true = encode(y_true, "y_true")
        if len(true) != scores.n:
            raise error(
                "K102", left="y_true", n_left=len(true), right=scores.argument, n_right=scores.n
            )
        if y_pred is not None and self._threshold is not None:
            raise both_decide("y_pred", self._threshold)
        checked_threshold(self._threshold, classes_of_columns(scores.k))
        scores, classes, codes = self._placed(y_true, true, scores, known)
        pred = None
        if y_pred is not None:
            guess = encode(y_pred, "y_pred")
            check_lengths(true, guess)
            if classes.k < scores.k:
                # Labels that only predictions have are classes too.
                check_kinds(true, guess)
                classes = discovered((*classes.labels, *_labels_of(guess)), self._positive)
                codes = _codes_of(true, classes)
                if classes.k > scores.k:
                    is_single = scores.values.ndim == 1
                    raise wrong_number(scores.argument, scores.k, classes, is_single=is_single)
            pred = coded_guess(guess, classes, scores, is_declared=self._labels is not None)
        given = None if weights is None else as_weights(weights, len(true))
        # Arrays of the caller may change afterwards.
        own = replace(scores, values=np.array(scores.values))
        return Rows(classes, codes, pred, own, None if given is None else given.copy())

    @cached_property
    def _given(self) -> GivenClasses | None:
        labels = self._labels
        return None if labels is None else GivenClasses.of(labels, self._positive)

    def _placed(
        self, y_true: Any, true: Column, scores: Scores, known: tuple[Label, ...]
    ) -> tuple[Scores, Classes, Codes]:
        """Scores in the order of the classes, the classes as far as they came, those of rows."""
        given = self._given
        if given is not None and scores.columns is None and given.classes.k == scores.k:
            codes = given.codes(y_true)
            if codes is not None:
                return scores, given.classes, codes
        if self._labels is not None:
            return matched(true, scores, self._labels, self._positive)
        both = _united(known, true, self._positive)
        names = scores.columns
        if names is not None and len(names) == scores.k and not are_places(names):
            column = coded("y_true", np.arange(both.k, dtype=np.int32), both.labels)
            scores, both, _ = matched(column, scores, None, self._positive)
        if both.k > scores.k:
            is_single = scores.values.ndim == 1
            raise wrong_number(scores.argument, scores.k, both, is_single=is_single)
        return scores, both, _codes_of(true, both)


def _united(before: tuple[Label, ...], true: Column, positive: Label | None) -> Classes:
    """The classes of earlier batches and of this one."""
    if before and isinstance(before[0], str) != (true.kind == "string"):
        kinds = ["strings" if is_text else "numbers" for is_text in (True, False)]
        raise error(
            "K108",
            left="y_true",
            left_kind=kinds[true.kind != "string"],
            left_value=true.label_at(0),
            right="an earlier batch",
            right_kind=kinds[true.kind == "string"],
            right_value=before[0],
        )
    return discovered((*before, *_labels_of(true)), positive)


def _codes_of(true: Column, classes: Classes) -> Codes:
    return align(true, true, classes.labels).true.indices()


def _labels_of(column: Column) -> tuple[Label, ...]:
    """The labels that occur."""
    if column.labels is not None:
        return tuple(column.seen())
    _, values = _native.encode_integers(column.codes)
    return harmonized(values.tolist(), column.kind)

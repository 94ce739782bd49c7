"""Classes of an in-memory matrix of scores, the class of each row, and thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.align import align, classes_of, codes_within
from karat.data.labels.column import Column, harmonized
from karat.data.roles import ending_of
from karat.data.scores.containers import Scores
from karat.data.scores.order import (
    ColumnNames,
    check_one_order,
    is_class,
    of_single,
    place_classes,
    place_columns,
    sorted_pair,
    with_other,
    wrong_number,
)
from karat.errors import KaratError, error, short, shown
from karat.errors.options import argument_as_typed, each_option, option
from karat.errors.reasons import UnknownLabelError, UnlikeLabelsError
from karat.tally.classes import Classes
from karat.tally.score_kind import ScoreKind


def checked_threshold(
    threshold: Any, classes: Classes, kind: ScoreKind | None = None
) -> float | None:
    """Return a threshold as a float.

    Errors:
        K136 it is not a finite number, not a probability if it separates probabilities or logits,
        or there are not two classes; K190 neither of two classes is positive.
    """
    if threshold is None:
        return None
    is_number = isinstance(threshold, int | float | np.integer | np.floating)
    try:
        is_finite = is_number and math.isfinite(threshold)
    except OverflowError:  # an integer too large for float64
        is_finite = False
    if not is_finite or isinstance(threshold, bool):
        raise error("K136", threshold=threshold, found="It is not a finite number")
    if classes.k == 2 and classes.positive is None:
        options = each_option("positive", classes.labels)
        facts = {"labels": shown(classes.labels), "options": options, "or_else": ""}
        raise error("K190", what=option("threshold", threshold), **facts)
    if classes.positive is None:
        raise error("K136", threshold=threshold, found=f"There are {classes.k} classes")
    if kind in ("probabilities", "logits") and not 0.0 <= threshold <= 1.0:
        raise error("K136", threshold=threshold, found=outside_of(kind))
    return float(threshold)


def outside_of(kind: ScoreKind) -> str:
    """Return why a threshold outside of [0, 1] separates none."""
    if kind == "logits":
        return "A threshold of logits is a probability, from 0 to 1"
    return "Probabilities lie from 0 to 1"


def both_decide(predictions: str, threshold: Any) -> KaratError:
    """Return the error of predictions together with a threshold, which would replace them."""
    return error("K140", threshold=short(threshold), predictions=predictions)


Codes = npt.NDArray[np.int32]

_PREFIXES: Final = ("", "column_")
"""Columns without names are numbered by their container: 0, 1, … or column_0, column_1, …"""


def matched(
    true: Column, scores: Scores, labels: Any, positive: Any, n_threads: int = 1
) -> tuple[Scores, Classes, Codes]:
    """Return the scores in class order, the classes, and the class of each row.

    Columns of a table are assigned by class names at their ends, or else by their order.

    Errors:
        K134, K135, K137 columns and classes do not match; K108 to K112 invalid labels.
    """
    names, k, argument = scores.columns, scores.k, scores.argument
    if names is None or len(names) not in (1, k) or has_places(scores):
        classes, codes = coded_truth(true, scores, labels, positive, n_threads)
        if scores.values.ndim == 1:
            name = scores.name if is_class(scores.name, classes) else None
            classes = of_single(classes, name, None, argument)
        return scores, classes, codes
    if len(names) == 1:
        classes, codes = coded_truth(true, scores, labels, positive, n_threads)
        if scores.values.ndim == 1:
            classes = of_single(classes, names[0], ending_of(names[0]), argument)
        return scores, classes, codes
    options: dict[str, Any] = {"labels": labels, "positive": positive}
    if scores.are_classes:
        placed = place_classes(true, argument, names, **options)
    else:
        placed = place_columns(true, None, k, named=ColumnNames(argument, names), **options)
    classes = placed.classes
    if placed.order is not None:
        order = list(placed.order)
        ordered = tuple(names[place] for place in order)
        scores = replace(scores, values=scores.values[:, order], columns=ordered)
    codes = codes_within(align(true, true, classes.labels).true, classes)
    if labels is None and len(np.unique(codes)) == classes.k:
        # Names without more information than the rows declare nothing.
        classes = replace(classes, is_declared=False)
    return scores, classes, codes


def are_places(names: Sequence[str]) -> bool:
    """Return whether names only give the position of a column."""
    counted = range(len(names))
    return any(list(names) == [f"{prefix}{i}" for i in counted] for prefix in _PREFIXES)


def has_places(scores: Scores) -> bool:
    """Return whether the names of the columns only give their positions."""
    return not scores.are_classes and are_places(scores.columns or ())


def coded_guess(guess: Column, classes: Classes, scores: Scores, *, is_declared: bool) -> Codes:
    """int32[n]: the class of each predicted label (K108, K109: one is none of them)."""
    try:
        codes = codes_within(align(guess, guess, classes.labels).pred, classes)
    except (UnlikeLabelsError, UnknownLabelError) as problem:
        if is_declared:
            raise
        of_columns = {
            "left": "y_true",
            "among": f"the classes of {argument_as_typed(scores.argument)}",
            "classes": f"The {scores.kind} have columns for the classes "
            f"{shown(classes.labels)} only",
            "do": "A label needs a column of its own: add it, or remove those rows.",
        }
        raise problem.but(**of_columns) from None
    return codes


def coded_truth(
    true: Column, scores: Scores, labels: Any, positive: Any, n_threads: int = 1
) -> tuple[Classes, Codes]:
    """Return the classes of the columns, sorted unless given, and the class of each row (K134)."""
    if labels is None and true.labels is None and positive is None:
        codes, values = _native.encode_integers(true.codes, n_threads)
        classes = classes_of(harmonized(values.tolist(), true.kind))
    else:
        # Columns without names belong to sorted classes, the order of every classifier.
        true = replace(true, order=None)
        aligned = align(true, true, labels, positive)
        classes = sorted_pair(aligned.classes)
        codes = codes_within(aligned.true, aligned.classes)
        if classes.labels != aligned.classes.labels:
            codes = 1 - codes
    label, one = classes.labels[0], classes.k
    classes = with_other(classes, scores.k, labels, positive)
    if classes.k > one:
        codes = np.full_like(codes, int(label))
    if classes.k != scores.k:
        raise wrong_number(scores.argument, scores.k, classes, is_single=scores.values.ndim == 1)
    if labels is None and scores.values.ndim > 1:
        check_one_order(classes, scores.argument, scores, codes)
    return classes, codes

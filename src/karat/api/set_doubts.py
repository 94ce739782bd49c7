"""Doubts about rows with sets of labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from karat.data.checks import log_probabilities, n_beside_threshold, zero_threshold
from karat.data.label_doubts import doubts_of_labels
from karat.errors import short, shown
from karat.errors.doubts import CauseDoubt, Doubt, doubt, has_doubt
from karat.errors.options import as_typed, option
from karat.errors.text import count, counted, value
from karat.inference.confidence import Confidence
from karat.inference.set_intervals import SetIntervals
from karat.metrics import get
from karat.metrics._of_sets import values_on_sets
from karat.tally.label_scores import LabelScores
from karat.tally.set_tally import PREDICTED, TRUE, SetRows, SetTally

_MOST_ROWS: Final = 1 << 12
"""Scores are looked at in so many rows, evenly spaced."""
_MOST_LABELS: Final = 200
"""Likewise labels, where each is looked at alone."""
_LEAST_ROWS: Final = 10
"""In fewer rows that each has one label is no surprise."""
_OTHERWISE: Final = 0.05
"""The share of predicted labels that may be predicted otherwise than by their scores."""
_SURE: Final = 4.0
"""Standard errors below chance."""
_SUM: Final = 1e-3
"""How far the probabilities of one row may be from 1 together."""


def doubts_of_sets(rows: SetRows, tally: SetTally, mapping: Mapping[str, Any]) -> list[Doubt]:
    """Return the doubts about rows with sets of labels.

    Args:
        rows: the rows, or a sample of them.
        tally: of all rows.
        mapping: column by role, where the rows came from a table.

    Cost: O(labels), and of scores a pass over at most 4,096 rows; logits and scores are read once.
    """
    some = _some(rows)
    found = [
        *_of_unknown_rows(rows, tally),
        *_of_one_label(tally, some),
        *_of_softmax(tally, some),
        *_of_masks(tally),
        *_of_range(rows),
        *_of_threshold(rows),
        *_of_predictions(some, rows.known.n, mapping),
        *doubts_of_labels(tally),
        *_of_ranks(some),
    ]
    if tally.has_predictions and not has_doubt(found, CauseDoubt):
        found += _of_agreement(rows, tally)
    return found


def _some(rows: SetRows) -> SetRows:
    """Return rows whose truth is known, evenly spaced, at most `_MOST_ROWS`; their known cells."""
    step = -(-rows.known.n // _MOST_ROWS)
    return rows.known.with_axes(()).at(np.arange(0, rows.known.n, max(step, 1)))


def _of_threshold(rows: SetRows) -> Iterator[Doubt]:
    """Iterate over the doubt that every label is predicted, by a threshold of 0."""
    yield from zero_threshold(rows.decision.threshold, rows.decision.kind, is_set=True)


def _of_unknown_rows(rows: SetRows, tally: SetTally) -> Iterator[Doubt]:
    """Iterate over the doubt that rows whose truth is null have no label, where no row has none."""
    has_nulls = rows.missing is not None and bool(rows.missing.any())
    if has_nulls and len(tally.profiles) and (tally.profiles[:, TRUE] > 0).all():
        yield doubt("D121", missing=count(tally.n_unknown), n=count(tally.n))


def _of_one_label(tally: SetTally, some: SetRows) -> Iterator[Doubt]:
    """Iterate over the doubt that rows have one class each, as one-hot matrices say it."""
    true, predicted = tally.profiles[:, TRUE], tally.profiles[:, PREDICTED]
    n = int(tally.n_rows.sum())
    if n < _LEAST_ROWS or tally.k < 2 or (true != 1).any():
        return
    scores = some.scores
    if _add_to_one(some):
        fact = "its probabilities add up to 1"
    elif scores is not None and not scores.is_prob:
        fact = f"one score for each of the {tally.k} labels"
    elif (predicted == 1).all():
        fact = "exactly one predicted label"
    else:
        return
    yield doubt("D120", n=count(n), found=fact)


def _add_to_one(some: SetRows) -> bool:
    scores = some.scores
    if not isinstance(scores, LabelScores) or not scores.is_prob or not some.n:
        return False
    return bool((np.abs(scores.values.sum(axis=1) - 1.0) < _SUM).all())


def _of_softmax(tally: SetTally, some: SetRows) -> Iterator[Doubt]:
    """Iterate over the doubt that probabilities of labels exclude each other, as of a softmax."""
    n_several = int(tally.n_rows[tally.profiles[:, TRUE] > 1].sum())
    if n_several and some.n >= _LEAST_ROWS and _add_to_one(some):
        several = counted(n_several, "row")
        yield doubt("D164", n=count(some.n), several=several, option=option("y_logit"))


def _of_masks(tally: SetTally) -> Iterator[Doubt]:
    """Iterate over the doubt that labels without names are the pixels or tokens of masks."""
    if tally.classes.labels != tuple(range(tally.k)):
        return
    is_large = tally.k >= max(_LEAST_PLACES, _PLACES_OF_ROW * tally.n)
    is_wide = tally.k >= max(_FEW_PLACES, _WIDE * tally.n)
    if is_large or (is_wide and tally.profiles[:, TRUE].mean() >= _DENSE * tally.k):
        yield doubt("D129", n=counted(tally.n, "row"), k=count(tally.k))


_LEAST_PLACES: Final = 64
_FEW_PLACES: Final = 16
_WIDE: Final = 1
"""Labels of each row from which they may be places of a mask where many are true."""
_DENSE: Final = 0.25
"""Proportion of true labels from which fewer labels may be places of a mask, too."""
_PLACES_OF_ROW: Final = 4
"""Labels of each row from which they may be places of a mask."""


_WHY_RANGE: Final[Mapping[str, str]] = {
    "logits": "the sigmoid of logits is another probability, and labels are predicted above 0",
    "scores": "scores have no losses, no calibration and, without a threshold, no predictions",
}
"""Why numbers from 0 to 1 are in doubt."""


def _of_range(rows: SetRows) -> Iterator[Doubt]:
    """Iterate over the doubt that scores may be probabilities, where all lie in [0, 1]."""
    scores = rows.scores
    if scores is None or scores.is_prob or not scores.values.size:
        return
    values = scores.values
    limits = float(values.min()), float(values.max())
    yield from log_probabilities(scores.kind, limits, values.size)
    if limits[0] < 0.0 or limits[1] > 1.0:
        return
    settles = option("y_prob")
    what = f"All {count(values.size)} {scores.kind}"
    yield doubt("D102", what=what, option=settles, why=_WHY_RANGE[scores.kind])


def _of_ranks(some: SetRows) -> Iterator[Doubt]:
    """Iterate over the doubt that scores put false labels above the true ones of their row."""
    if some.scores is None or not some.n:
        return
    unknown = some.unknown
    places = some.scores.places(some.true, unknown, some.classes.k)
    n_true = some.true.sizes
    n_false = places.n_ranked - n_true
    if not places.is_whole:
        return
    above = places.above - places.above_true + (places.tied - places.tied_true) / 2.0
    wrong = np.bincount(some.true.rows, above, some.n)
    defined = (n_true > 0) & (n_false > 0)
    if some.weights is not None:
        defined &= some.weights > 0.0
    areas = 1.0 - wrong[defined] / (n_true * n_false)[defined]
    if len(areas) < 2:
        return
    mean, error = areas.mean(), areas.std(ddof=1) / np.sqrt(len(areas))
    if mean + _SURE * error >= 0.5:
        return
    fact = f"samples_roc_auc is {value(float(mean))} in {counted(len(areas), 'row')}"
    order = f"they are read as those of {shown(some.classes.labels)}; {option('labels')}"
    yield doubt(
        "D103",
        of="",
        classes="the labels of a row",
        areas=f"{fact}, and chance gives 0.5",
        do=f"Check that a higher score stands for a label, and the order of the columns: {order} "
        "lists another order.",
    )


def _of_predictions(some: SetRows, n_rows: int, mapping: Mapping[str, Any]) -> Iterator[Doubt]:
    """Iterate over the doubt that predictions given beside scores are not what these predict.

    A threshold of each label, or the best labels of a row, however many, are rules of the scores.
    """
    scores, k = some.scores, some.classes.k
    n = len(some.pred.items)
    if not isinstance(scores, LabelScores) or not n or not some.has_predictions:
        return
    places = scores.places(some.pred, None, k)
    if np.count_nonzero(places.above > places.above_true) <= _OTHERWISE * n:
        return
    labels = np.unique(np.linspace(0, k - 1, min(k, _MOST_LABELS)).astype(np.int64))
    n_other = n_own = 0
    is_on = np.zeros(some.n, np.int32)
    for label in labels.tolist():
        at = some.pred.rows[some.pred.items == label]
        is_on[at] = 1
        n_other += n_beside_threshold([(is_on, scores.values[:, label])], 1)
        n_own += len(at)
        is_on[at] = 0
    if n_other <= _OTHERWISE * n_own:
        return
    sample = "" if some.n == n_rows else f" in {counted(some.n, 'row')} that were examined"
    without = "without y_pred=, predictions come from the scores"
    if (column := mapping.get("pred")) is not None:
        without = f"if other columns than {short(column)} have the predictions, name them: y_pred="
    found = (
        f"There are {counted(n_own, 'predicted label')}{sample}; with any thresholds, at least "
        f"{count(n_other)} labels are on the wrong side"
    )
    yield doubt("D115", of="", found=found, option=as_typed(without))


def _of_agreement(rows: SetRows, tally: SetTally) -> Iterator[Doubt]:
    """Iterate over the doubt that predictions agree with the truth less than by chance."""
    metric = get("micro_label_kappa")
    number = float(values_on_sets(metric, tally, "nan").value)
    if not number < 0.0:
        return
    interval = SetIntervals(tally, Confidence(), rows, "nan").of(metric, number)
    if interval.low is None or interval.high is None or interval.high >= 0.0:
        return
    do = (
        f"Check that labels are the same on both sides, {shown(tally.classes.labels)}, and that "
        "their rows and columns are in the same order."
    )
    limits = {"low": value(interval.low), "high": value(interval.high)}
    yield doubt("D116", of="", value=value(number), do=do, **limits)

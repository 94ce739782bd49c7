"""Metrics of scores as plain functions: ``karat.roc_auc(y_true, y_score=s)`` → float."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.api.options import check_policy, lift_of
from karat.data.arguments import as_ndarray, check_threads
from karat.data.scores.containers import TOLERANCE, Scores, as_scores
from karat.data.scores.labels import LabelColumns
from karat.data.scores.matrix import ranked_columns
from karat.data.scores.ranking import AreasAhead, Ranked
from karat.data.scores.rows import InMemoryScores, tally_scores
from karat.data.sources.arrays.sets import hold_sets, set_rows
from karat.errors import KaratError, UndefinedWarning, error
from karat.errors.habits import names_its_arguments, unnamed_arguments, unnamed_scores
from karat.metrics._applies import check_kind, no_positive
from karat.metrics._lift import ZERO, Average, Lift, Policy
from karat.metrics._measure import ROUNDING, lifted, measure
from karat.metrics._metric import Metric
from karat.metrics._of_set_scores import SetScores, is_of_rows
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._record import Record
from karat.metrics._set_views import PooledLosses
from karat.metrics._views import ClassRanks, Losses, PairRanks
from karat.metrics.reasons import undefined_of_scores, undefined_reason
from karat.results.result import NOT_GIVEN
from karat.tally.classes import IGNORED, usual_positive
from karat.tally.score_kind import ScoreKind, argument_of_scores
from karat.tally.sums import ONE_VS_ALL, READ_BITS, ReadSums

Outputs: TypeAlias = Mapping[str, Any]
"""Values of each kind of scores."""
Short: TypeAlias = Callable[[Any, Any, Any, Any], float | None]
"""(y_true, y_prob, y_logit, y_score) → the value, or None."""
_Read: TypeAlias = Callable[[npt.NDArray[Any], npt.NDArray[Any], int, ScoreKind], float]


def short_path(record: Record, lift: Lift) -> Short | None:
    """Short path of a metric: a function of arrays alone; None where it has none."""
    if any(item.is_required for item in record.parameters):
        return None
    params = dict(Metric.defaults(record))
    if record.reads is Losses:
        read = _of_losses(record, params)
    elif record.reads is ClassRanks and lift == "plain":
        read = _of_two_classes(record, params)
    elif record.reads is ClassRanks and lift in ("macro", "weighted"):
        read = _of_each_class(record, params, lift)
    else:
        return None
    low, high = record.range

    def run(y_true: Any, y_prob: Any, y_logit: Any, y_score: Any) -> float | None:
        kind: ScoreKind = "probabilities"
        outputs = y_prob
        if y_prob is None:
            kind, outputs = ("scores", y_score) if y_logit is None else ("logits", y_logit)
        true, values = as_ndarray(y_true), as_ndarray(outputs)
        if (
            true is None
            or values is None
            or (y_prob is not None) + (y_logit is not None) + (y_score is not None) > 1
            or (kind == "scores" and record.reads_probabilities)
            or (kind == "logits" and (record.is_threshold or ONE_VS_ALL in record.needs))
            or true.dtype.kind not in "iub"
            or values.dtype.char not in "df"
        ):
            return None
        k = values.shape[1] if values.ndim == 2 else 2
        try:
            codes, labels = _native.encode_integers(true, 0)
            if len(labels) != k or k < 2:
                return None
            # Of other pairs than 0 and 1 the long path asks for the positive class.
            if k == 2 and usual_positive(labels.tolist()) is None:
                return None
            # The long path asks whether rows of -100 are to be left out.
            if labels[0] == IGNORED:
                return None
            # Any byte but 0 is true.
            if true.dtype.kind == "b" and labels[-1] != 1:
                return None
            value = read(codes, values, k, kind)
        except (ValueError, TypeError):
            return None
        # Rounding of sums may pass the end of the range.
        if isfinite(value) and low - ROUNDING <= value <= high + ROUNDING:
            return float(min(max(value, low), high))
        return None

    return run


def _of_losses(record: Record, params: dict[str, Any]) -> _Read:
    bits = sum(READ_BITS[name] for name in record.needs)

    def read(codes: Any, values: Any, k: int, kind: ScoreKind) -> float:
        is_prob = kind == "probabilities"
        sums = _native.read_scores(values, codes, k, None, is_prob, TOLERANCE, bits, 0)
        return float(record.formula(Losses(ReadSums(sums), k), **params))

    return read


def _of_two_classes(record: Record, params: dict[str, Any]) -> _Read:
    def read(codes: Any, values: Any, k: int, kind: ScoreKind) -> float:
        if k != 2:
            return np.nan
        is_prob = kind == "probabilities"
        if is_prob or values.ndim == 2:
            _native.read_scores(values, codes, 2, None, is_prob, TOLERANCE, 0, 0)
        column = values
        if values.ndim == 2:
            column = values[:, 1] if is_prob else ranked_columns(values, kind)[1]
        packed = _native.pack_scores(column, codes, 1, 2, None, 0)
        n_pos = int(np.count_nonzero(codes))
        view = ClassRanks.of_sides(Ranked(packed, 2, 1), len(codes) - n_pos, n_pos)
        return float(record.formula(view, **params))

    return read


def _of_each_class(record: Record, params: dict[str, Any], lift: Lift) -> _Read:
    def read(codes: Any, values: Any, k: int, kind: ScoreKind) -> float:
        if values.ndim == 1:
            return np.nan
        is_prob = kind == "probabilities"
        totals = _native.read_scores(values, codes, k, None, is_prob, TOLERANCE, 0, 0).truth
        each = np.empty(k)
        columns = ranked_columns(values, kind)
        ahead = AreasAhead(k, len(codes), 0, columns.n_together)

        def ranked(i: int) -> Ranked:
            return Ranked(_native.pack_scores(columns[i], codes, i, k, None, 0), k, i, totals)

        for i, n_pos in enumerate(totals.tolist()):
            view = ClassRanks.of_sides(ahead.column(i, ranked), len(codes) - n_pos, n_pos)
            each[i] = record.formula(view, **params)
        if not np.isfinite(each).all():
            return np.nan
        return float(lifted(each, lift, None, totals, "zero").value)

    return read


def scored_function(record: Record, fixed: Lift) -> Callable[..., Any]:
    """The public function of a metric of scores, with the average that its name carries."""
    own = [item.name for item in record.parameters]
    run_of_name = short_path(record, fixed)
    # A name that carries an average takes no other: the long path says so.
    runs = {lift: short_path(record, lift) for lift in record.averages if fixed == "plain"}

    def function(
        y_true: Any = None,
        y_pred: Any = None,
        *unnamed: Any,
        y_prob: Any = None,
        y_logit: Any = None,
        y_score: Any = None,
        average: Any = NOT_GIVEN,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: Any = ZERO,
        n_threads: int | None = None,
        **params: Any,
    ) -> Any:
        if unnamed:
            raise unnamed_arguments(record.name, unnamed, record.averages, own)
        if (
            y_pred is None
            and labels is None
            and positive is None
            and weights is None
            and undefined is ZERO
            and n_threads is None
            and not params
        ):
            run = None
            if average is NOT_GIVEN:
                run = run_of_name
            elif type(average) is str:
                run = runs.get(cast("Average", average))
            value = None if run is None else run(y_true, y_prob, y_logit, y_score)
            if value is not None:
                return value
        policy = check_policy(undefined)
        if y_pred is not None:
            raise no_predictions(record.name)
        are_sets = record.is_only_of_sets or hold_sets(y_true, None)
        lift = lift_of(record, fixed, average, is_of_sets=are_sets or average == "samples")
        metric = Metric.of(record, lift, params)
        if y_true is None:
            raise error("K127", others="y_prob=")
        outputs: Outputs = {"y_prob": y_prob, "y_logit": y_logit, "y_score": y_score}
        if argument_of_scores(outputs) is None:
            raise no_outputs(of_probabilities=record.reads_probabilities)
        if are_sets:
            given = {"labels": labels, "positive": positive, "weights": weights}
            scores = _scored_sets(y_true, outputs, given, policy, n_threads)
            return _of_sets(metric, scores)
        rows = scored_rows(
            y_true, outputs, labels=labels, positive=positive, weights=weights, n_threads=n_threads
        )
        metric.refuse_of_sets()
        check_kind(metric, rows.kind)
        if record.is_per_class and lift == "plain" and rows.classes.positive is None:
            raise no_positive(record.name, rows.classes, record.averages)
        values = measure(rows, [metric], undefined)[metric]
        is_left_out = lift != "per_class" and bool(np.isfinite(values.value))
        reason = undefined_reason(metric, rows.classes, values.undefined, is_left_out=is_left_out)
        if reason is not None:
            warnings.warn(f"{metric} is undefined: {reason}.", UndefinedWarning, stacklevel=2)
        return values.value if lift == "per_class" else float(values.value)

    return function


def _scored_sets(
    y_true: Any, outputs: Outputs, given: dict[str, Any], policy: Policy, n_threads: int | None
) -> SetScores:
    """Scores of rows with sets, as metrics read them."""
    check_threads(n_threads)
    rows = set_rows(y_true, None, predicts=False, **outputs, **given)
    return SetScores(LabelColumns.of(rows.known, n_threads or 0), policy, n_threads or 0)


def _of_sets(metric: Metric, scores: SetScores) -> Any:
    """The value of a metric of the scores of sets, with a warning where it is undefined.

    Errors:
        K225 rows list the scores of some labels only, so that the value is known within limits.
    """
    meant = meant_on_sets(metric)
    if is_of_rows(meant) and meant.record.reads is not PooledLosses and not scores.is_whole:
        low, high = scores.ends(meant)
        if low != high:
            raise error("K225", name=str(metric), low=low, high=high)
    computed = scores.values(metric)
    reason = undefined_of_scores(meant, scores.rows.classes, computed.undefined)
    # Rows or labels that were to be left out are no surprise where others remain.
    is_asked = scores.policy == "exclude" and bool(np.isfinite(computed.value).all())
    if reason is not None and not is_asked:
        warnings.warn(f"{metric} is undefined: {reason}.", UndefinedWarning, stacklevel=3)
    return computed.value if metric.lift == "per_class" else float(computed.value)


def scored_rows(y_true: Any, outputs: Outputs, **given: Any) -> InMemoryScores:
    """Rows with scores in memory, as the functions read them; `given` as of `tally_scores`."""
    return tally_scores(y_true, given_scores(outputs), **given)


@names_its_arguments
def roc_auc_pairs(
    y_true: Any,
    *,
    y_prob: Any = None,
    y_logit: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    n_threads: int | None = None,
) -> npt.NDArray[np.float64]:
    """Area under the ROC curve of each pair of classes: the matrix behind Hand & Till's mean.

    Args:
        y_true: true labels, one a row, [n].
        y_prob: probabilities, float[n, k] or float[n] of the positive class of two.
        y_logit: logits instead, of the same shapes.
        y_score: any other finite scores, of the same shapes.
        labels: the classes in the order of the columns. Default: the sorted labels of y_true.
        weights: float[n], importance of each row, finite and at least 0.
        n_threads: threads; the result does not depend on it.

    Returns:
        float64[k, k]: at (i, j) the chance that a row of class i scores above one of class j by the
        score of i, ties counting half. NaN on the diagonal and where either class has no row.

    Errors:
        K101-K124: the labels or weights cannot be used; K130-K139: the scores cannot be used.

    Cost: one sort of n keys a column.

    Example:
        >>> import karat
        >>> karat.roc_auc_pairs(
        ...     [0, 1, 2, 2],
        ...     y_prob=[[0.6, 0.2, 0.2], [0.3, 0.4, 0.3], [0.1, 0.3, 0.6], [0.5, 0.25, 0.25]],
        ... ).tolist()
        [[nan, 1.0, 1.0], [1.0, nan, 1.0], [1.0, 0.5, nan]]

    References:
        Hand, Till (2001). A simple generalisation of the area under the ROC curve. ML 45.
    """
    outputs: Outputs = {"y_prob": y_prob, "y_logit": y_logit, "y_score": y_score}
    rows = scored_rows(y_true, outputs, labels=labels, weights=weights, n_threads=n_threads)
    rows.check()
    areas, totals = [], np.empty(0)
    for i in range(rows.classes.k):
        ranked = rows.column(i)
        areas.append(ranked.areas())
        totals = ranked.totals
    return PairRanks(np.stack(areas), totals).matrix


def no_predictions(name: str) -> KaratError:
    """K138: a function that reads scores was given a second argument without a name."""
    return unnamed_scores(f"{name} was given y_pred: it reads probabilities or scores")


def no_outputs(*, of_probabilities: bool) -> KaratError:
    """K128: none of the outputs was given that a function reads."""
    do = "Give one: y_prob= for probabilities, y_logit= for logits, y_score= for other scores."
    if of_probabilities:
        do = "Give one: y_prob= for probabilities, y_logit= for logits."
    return error("K128", found="None of y_prob, y_logit and y_score was given", do=do)


def given_scores(outputs: Outputs, *, of_probabilities: bool = False) -> Scores:
    """The probabilities, logits or other scores that were given (K128, K129)."""
    argument = argument_of_scores(outputs)
    if argument is None:
        raise no_outputs(of_probabilities=of_probabilities)
    return as_scores(outputs[argument], argument)

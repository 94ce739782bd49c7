"""Metrics of scores as plain functions: ``karat.roc_auc(y_true, y_score=s)`` → float."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from karat.api.short_scores import short_path
from karat.data.scores.containers import as_scores
from karat.data.scores.rows import ScoreTally, tally_scores
from karat.errors import KaratError, UndefinedWarning, error
from karat.errors.habits import names_its_arguments
from karat.metrics._lift import ZERO, Average, Lift
from karat.metrics._measure import measure
from karat.metrics._metric import Metric
from karat.metrics._positive import no_positive
from karat.metrics._record import Record
from karat.metrics._views import PairRanks
from karat.metrics.reasons import undefined_reason
from karat.results.result import NOT_GIVEN

__all__ = ["given_scores", "no_predictions", "roc_auc_pairs", "scored_function", "scored_rows"]


def scored_function(
    record: Record, fixed: Lift, check_policy: Callable[[Any], object], lift_of: Callable[..., Lift]
) -> Callable[..., Any]:
    """The public function of a metric of scores.

    Args:
        record, fixed: the metric, and the average that its name carries.
        check_policy, lift_of: what every function checks alike.
    """
    run_of_name = short_path(record, fixed)
    # A name that carries an average takes no other: the long path says so.
    runs = {lift: short_path(record, lift) for lift in record.averages if fixed == "plain"}

    def function(
        y_true: Any = None,
        y_pred: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Any = NOT_GIVEN,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: Any = ZERO,
        n_threads: int | None = None,
        **params: Any,
    ) -> Any:
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
            value = None if run is None else run(y_true, y_prob, y_score)
            if value is not None:
                return value
        check_policy(undefined)
        if y_pred is not None:
            raise no_predictions(record.name)
        if y_true is None:
            raise error("K127", others="y_prob=")
        lift = lift_of(record, fixed, average)
        metric = Metric.of(record, lift, params)
        rows = scored_rows(
            y_true,
            y_prob,
            y_score,
            labels=labels,
            positive=positive,
            weights=weights,
            n_threads=n_threads,
        )
        if record.is_per_class and lift == "plain" and rows.classes.positive is None:
            raise no_positive(record.name, rows.classes, record.averages)
        values = measure(rows, [metric], undefined)[metric]
        is_left_out = lift != "per_class" and bool(np.isfinite(values.value))
        reason = undefined_reason(metric, rows.classes, values.undefined, is_left_out=is_left_out)
        if reason is not None:
            warnings.warn(f"{metric} is undefined: {reason}.", UndefinedWarning, stacklevel=2)
        return values.value if lift == "per_class" else float(values.value)

    return function


def scored_rows(y_true: Any, y_prob: Any, y_score: Any, **given: Any) -> ScoreTally:
    """Rows with scores in memory, as the functions read them.

    Args:
        y_true, y_prob, y_score: as every function of scores takes them.
        given: other arguments of `engines.scores.tally_scores`.
    """
    return tally_scores(y_true, given_scores(y_prob, y_score), **given)


@names_its_arguments
def roc_auc_pairs(
    y_true: Any,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    n_threads: int | None = None,
) -> npt.NDArray[np.float64]:
    """How well each class is told from each other one: the whole matrix behind Hand & Till's mean.

    Args:
        y_true: true labels, one a row, [n].
        y_prob: probabilities, float[n, k] or float[n] of the positive class of two.
        y_score: any finite scores instead, of the same shapes.
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
    rows = tally_scores(
        y_true, given_scores(y_prob, y_score), labels=labels, weights=weights, n_threads=n_threads
    )
    rows.check()
    areas, totals = [], np.empty(0)
    for i in range(rows.classes.k):
        ranked = rows.column(i)
        areas.append(ranked.areas())
        totals = ranked.totals
    return PairRanks(np.stack(areas), totals).matrix


def no_predictions(name: str) -> KaratError:
    """K138: a function that reads scores was given a second argument without a name."""
    return error("K138", found=f"{name} was given y_pred: it reads probabilities or scores")


def given_scores(y_prob: Any, y_score: Any) -> Any:
    """The one of the two that was given.

    Errors:
        K129 both were given; K128 neither was; K13x it cannot be read.
    """
    if y_prob is not None and y_score is not None:
        found = "Both y_prob and y_score were given"
        raise error("K129", found=found, prob="y_prob", score="y_score")
    if y_prob is not None:
        return as_scores(y_prob, "y_prob")
    if y_score is not None:
        return as_scores(y_score, "y_score")
    do = "Give one: y_prob= for probabilities, y_score= for any other scores."
    raise error("K128", found="Neither y_prob nor y_score was given", do=do)

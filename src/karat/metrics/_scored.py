"""Registration of metrics of scores as records, with a computed body.

The decorator has the facts, the docstring the meaning. The body is not traced: it takes a view of
`_views` and returns one number. `_measure` runs it and averages over classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from karat.metrics._bounds import Bounds
from karat.metrics._influence.forms import Influence
from karat.metrics._lift import Average
from karat.metrics._record import TEXTS, Facts, Formula, Oracle, number_of
from karat.metrics._rounding import Rounding
from karat.metrics._set_views import RowFormula
from karat.metrics._views import PER_CLASS_VIEWS, Confidences, Losses, PairRanks, Pairwise
from karat.tally.score_kind import KINDS, ScoreKind, argument_of_scores

_VIEWS: dict[type, bool] = {
    **dict.fromkeys((Losses, PairRanks, Pairwise, Confidences), False),
    **dict.fromkeys(PER_CLASS_VIEWS, True),
}


@dataclass(frozen=True, slots=True)
class ScoreCase:
    """A golden value of a metric of scores.

    Attributes:
        y_true: class of each row, 0 to k−1.
        scores: float[n] of the positive class or float[n, k].
        gives: the value as text, a fraction or an expression of numbers, sqrt and log.
        source: where the value comes from.
        kind: whether the scores are probabilities, logits or others.
        lift: the average that the value is of.
        weights: float[n], or None.
        params: parameters of the metric.
    """

    y_true: tuple[int, ...]
    scores: tuple[Any, ...]
    gives: str
    source: str
    kind: ScoreKind
    lift: str = "plain"
    weights: tuple[float, ...] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The numeric value of `gives`."""
        return number_of(self.gives)


def score_case(
    *,
    y_true: Sequence[int],
    y_prob: Sequence[Any] | None = None,
    y_logit: Sequence[Any] | None = None,
    y_score: Sequence[Any] | None = None,
    gives: str,
    source: str,
    lift: str = "plain",
    weights: Sequence[float] | None = None,
    **params: Any,
) -> ScoreCase:
    """Golden case, from probabilities, logits or scores."""
    outputs: dict[str, Any] = {"y_prob": y_prob, "y_logit": y_logit, "y_score": y_score}
    argument = argument_of_scores(outputs)
    if argument is None:
        raise ValueError("a case needs y_prob=, y_logit= or y_score=")
    scores = outputs[argument]
    rows = tuple(tuple(row) if isinstance(row, list | tuple) else row for row in scores)
    return ScoreCase(
        tuple(y_true),
        rows,
        gives,
        source,
        KINDS[argument],
        lift,
        None if weights is None else tuple(weights),
        params,
    )


@dataclass(kw_only=True, eq=False, repr=False)
class score_metric(Facts):  # noqa: N801  # read as the decorator that it is
    """Register the decorated body as a metric of probabilities, logits or scores.

    The type of its first parameter determines its input: `Losses`, `ClassRanks` or
    `ClassProbabilities` (one class against the rest: averages follow), `Confidences`, `PairRanks`
    or `Pairwise`.

    Args:
        formula, latex: the formula, which cannot be derived without a trace.
        needs: for `Losses`, the names of the losses that it reads.
        range_of_two: its range with two classes, if another one.
        clipped_by: the parameter at which the loss of probabilities is clipped, unless it is None.
        numbered: its name in results, with a parameter in it: ``"top_{k}_accuracy"``.
        lift_names: names of averages that are not the average followed by the name.
        is_within_classes: whether the sizes of two classes do not change the value, see `Record`.
        influence: the form of the influence of each row on the value, see `_influence.forms`.
        no_influence: why it has no influence function, in words.
        is_threshold: whether it is a threshold; see `Record`.
        is_extreme: whether it is a maximum, a minimum or a sum of absolute values; see `Record`.
        is_estimate: False for a p-value or test statistic, which has no interval.
        bounds: its bounds when scores are bucketed, see `_bounds`; None: unknown.
        rounding: rounding rule of the value, see `_rounding`; None: no bound is stated.
        of_row: its value on the labels of a row with a set; the mean over rows is an average.
        on_sets: the metric that its name means on rows with sets, if another one.

    Errors:
        K304 the record contradicts itself or lacks a docstring or a golden case.
    """

    views = _VIEWS
    no_view = "The type of its first parameter is no view of scores"
    attributes = TEXTS

    formula: str
    latex: str
    averages: Sequence[Average] = ()
    lift_names: Mapping[str, str] | None = None
    needs: Sequence[str] = ()
    range_of_two: tuple[float, float] | None = None
    clipped_by: str = ""
    numbered: str = ""
    cases: Sequence[ScoreCase] = ()
    oracle: Oracle | None = None
    least_classes: int = 2
    is_of_scores_only: bool = False
    depends_on_rows: bool = False
    is_within_classes: bool = False
    weights_are_rows: bool = True
    influence: Influence | None = None
    no_influence: str = ""
    is_threshold: bool = False
    is_extreme: bool = False
    is_estimate: bool = True
    bounds: Bounds | None = None
    rounding: Rounding | None = None
    of_bins: Formula | None = None
    of_row: RowFormula | None = None
    on_sets: str = ""


by_hand = partial(score_case, source="arithmetic by hand")
higher_is_better = partial(score_metric, better="higher", perfect=1.0, since="0.2")
lower_is_better = partial(score_metric, better="lower", perfect=0.0, since="0.2")
"""Decorators of the package for records whose best value is 1, and 0."""

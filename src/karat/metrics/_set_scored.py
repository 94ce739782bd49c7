"""A metric of the scores of sets as a record: facts in the decorator, meaning in the docstring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from karat.metrics._record import TEXTS, Facts, number_of
from karat.metrics._set_views import LabelAreas, PooledLosses, RankedCells, RankedLabels
from karat.tally.score_kind import ScoreKind


@dataclass(frozen=True, slots=True)
class SetCase:
    """A golden value of a metric of the scores of sets.

    Attributes:
        y_true: number[n, k] of 0 and 1.
        scores: float[n, k].
        gives: the value as text, a fraction or an expression of numbers, sqrt and log.
        source: where the value comes from.
        kind: whether the scores are probabilities, logits or others.
        params: parameters of the metric.
    """

    y_true: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...]
    gives: str
    source: str
    kind: ScoreKind = "scores"
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The value of `gives`."""
        return number_of(self.gives)


def set_case(
    y_true: Sequence[Sequence[int]],
    scores: Sequence[Sequence[float]],
    gives: str,
    source: str = "arithmetic by hand",
    *,
    kind: ScoreKind = "scores",
    **params: Any,
) -> SetCase:
    """A golden case."""
    true, rows = tuple(map(tuple, y_true)), tuple(map(tuple, scores))
    return SetCase(true, rows, gives, source, kind, params)


@dataclass(kw_only=True, eq=False, repr=False)
class set_metric(Facts):  # noqa: N801  # read as the decorator that it is
    """Register the decorated body as a metric of the scores of sets of labels.

    The type of its first parameter says what it reads: `RankedLabels` (one value a row, or one and
    how much the row counts), `PooledLosses`, `LabelAreas` or `RankedCells`.

    Args:
        of_undefined: what a row counts that does not define the metric; None: it is left out.

    Errors:
        K304 the record contradicts itself or lacks a docstring or a golden case.
    """

    views = dict.fromkeys((RankedLabels, PooledLosses, LabelAreas, RankedCells), False)
    no_view = "The type of its first parameter is no view of the scores of sets"
    attributes = TEXTS

    formula: str
    latex: str
    numbered: str = ""
    of_undefined: float | None = None
    cases: Sequence[SetCase] = ()
    since: str = "0.2"
    clipped_by: str = ""
    no_influence: str = ""
    is_extreme: bool = False


higher_is_better = partial(set_metric, better="higher", perfect=1.0)
lower_is_better = partial(set_metric, better="lower", perfect=0.0)
"""Records whose best value is 1, and 0."""

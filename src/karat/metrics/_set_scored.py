"""A metric of the scores of sets as a record: facts in the decorator, meaning in the docstring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from karat.metrics._equal import Equal
from karat.metrics._record import Better, Parameter, Record, number_of, recorded
from karat.metrics._set_views import LabelAreas, PooledLosses, RankedCells, RankedLabels


@dataclass(frozen=True, slots=True)
class SetCase:
    """A golden value of a metric of the scores of sets.

    Attributes:
        y_true: number[n, k] of 0 and 1.
        scores: float[n, k].
        gives: the value as text, a fraction or an expression of numbers, sqrt and log.
        source: where the value comes from.
        is_prob: whether the scores are probabilities.
        params: parameters of the metric.
    """

    y_true: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...]
    gives: str
    source: str
    is_prob: bool = False
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
    is_prob: bool = False,
    **params: Any,
) -> SetCase:
    """A golden case."""
    true, rows = tuple(map(tuple, y_true)), tuple(map(tuple, scores))
    return SetCase(true, rows, gives, source, is_prob, params)


def set_metric(
    *,
    formula: str,
    latex: str,
    aliases: Sequence[str] = (),
    numbered: str = "",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002  # the field's word for it
    better: Better = None,
    undefined: str = "",
    of_undefined: float | None = None,
    perfect: float | None = None,
    parameters: Sequence[Parameter] = (),
    cases: Sequence[SetCase] = (),
    equals: Sequence[Equal] = (),
    references: Sequence[str] = (),
    since: str = "0.2",
    in_report: bool = True,
    headline: Sequence[str] = (),
    clipped_by: str = "",
    no_influence: str = "",
    is_extreme: bool = False,
) -> Callable[[Callable[..., Any]], Record]:
    """Register the decorated body as a metric of the scores of sets of labels.

    The type of its first parameter says what it reads: `RankedLabels` (one value a row, or one and
    how much the row counts), `PooledLosses`, `LabelAreas` or `RankedCells`.

    Args:
        of_undefined: what a row counts that does not define the metric; None: it is left out.

    Errors:
        K304 the record contradicts itself or lacks a docstring or a golden case.
    """
    facts = locals()
    facts["formula_text"], facts["formula_latex"] = facts.pop("formula"), facts.pop("latex")
    facts["averages"] = ()
    views = dict.fromkeys((RankedLabels, PooledLosses, LabelAreas, RankedCells), False)
    no_view = "The type of its first parameter is no view of the scores of sets"
    return lambda body: recorded(body, views, no_view, facts)


higher_is_better = partial(set_metric, better="higher", perfect=1.0)
lower_is_better = partial(set_metric, better="lower", perfect=0.0)
"""Records whose best value is 1, and 0."""

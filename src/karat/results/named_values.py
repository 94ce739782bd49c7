"""Values of a comparison by name, and the difference of its only pair of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from karat.errors import error, shown
from karat.metrics import get


class OfPair(Protocol):
    """A difference of two models."""

    @property
    def a(self) -> str:
        """The first model."""

    @property
    def b(self) -> str:
        """The second model."""


DifferenceT = TypeVar("DifferenceT", bound=OfPair)


def only_pair(metric: str, differences: Sequence[DifferenceT]) -> DifferenceT:
    """Return the difference of the only pair of models in a metric (K168: there are several)."""
    if len(differences) == 1:
        return differences[0]
    pairs = shown([(metric, pair.a, pair.b) for pair in differences])
    raise error("K168", what=f"{metric} alone: there are {len(differences)} pairs", known=pairs)


class NamedValues(dict[str, Any]):
    """Values by the name of a model, or of a metric, which may be any of its names.

    Errors:
        K168 the name is not there; K301 no metric has it.
    """

    def __init__(self, values: Mapping[str, Any], *, are_metrics: bool = False) -> None:
        super().__init__(values)
        self._are_metrics = are_metrics

    def __missing__(self, key: Any) -> Any:
        name = str(get(key)) if self._are_metrics else key
        if name in self:
            return self[name]
        raise error("K168", what=str(name), known=shown(list(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _named_values, (dict(self), self._are_metrics)


def _named_values(values: Mapping[str, Any], are_metrics: bool) -> NamedValues:
    return NamedValues(values, are_metrics=are_metrics)

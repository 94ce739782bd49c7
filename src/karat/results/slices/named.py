"""`NamedSlices`: slices of rows of any kind by their names, and their tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from karat.errors import error, shown
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.metrics import Metric, get
from karat.results.result import Result
from karat.results.slices.differences import SliceDifference, SliceDifferences
from karat.results.slices.equality import Gap, Heterogeneity, Worst, worst_of
from karat.results.slices.parts import name_of, no_slice
from karat.tally.cached import cached_property

Key: TypeAlias = tuple[str, ...]


class Measurable(Protocol):
    """Mapping from names of metrics to results: a slice, or a report of rows."""

    @property
    def n_rows(self) -> int:
        """Its rows."""
        ...

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric."""
        ...


PartT = TypeVar("PartT", bound=Measurable)


class Tests(Protocol):
    """Tests of the slices of a table in one metric."""

    @property
    def differences(self) -> Mapping[Key, SliceDifference]:
        """Every slice less all other rows."""
        ...

    @property
    def heterogeneity(self) -> Heterogeneity:
        """One test that the metric is the same in all slices."""
        ...

    @property
    def gap(self) -> Gap:
        """The largest less the smallest value."""
        ...


@dataclass(frozen=True, eq=False)
class RecordedSlices:
    """Tests of the slices in one metric, as read from JSON."""

    differences: Mapping[Key, SliceDifference]
    heterogeneity: Heterogeneity
    gap: Gap


def not_kept(metric: Metric) -> Exception:
    """K211: how slices of clusters differ takes their rows, which JSON does not have."""
    return error(
        "K211",
        name=f"how slices differ in {metric}",
        do="JSON does not keep the clusters of the rows: ask before writing it.",
    )


class NamedSlices(Mapping[Any, PartT]):
    """The slices that one column, or a cross of columns, makes of the rows of a report."""

    if TYPE_CHECKING:
        # Of the classes below.
        @property
        def columns(self) -> Key: ...
        @property
        def slice_keys(self) -> tuple[Key, ...]: ...
        @property
        def whole(self) -> Any: ...
        @property
        def asked(self) -> Confidence: ...
        @property
        def _parts(self) -> tuple[PartT, ...]: ...
        @property
        def _rests(self) -> tuple[PartT, ...]: ...
        def tests(self, metric: str | Metric) -> Tests: ...
        # Of `karat.api.forms`.
        def to_frame(self, backend: str | None = None) -> Any: ...

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each slice."""
        return tuple(", ".join(key) for key in self.slice_keys)

    @cached_property
    def _places(self) -> Mapping[Key, int]:
        return {key: i for i, key in enumerate(self.slice_keys)}

    def _place(self, name: object) -> int | None:
        key = name if isinstance(name, tuple) else (name,)
        return self._places.get(tuple(map(name_of, key)))

    def __getitem__(self, name: Any) -> PartT:
        """A slice by its name.

        Errors:
            K183 there is none of that name.
        """
        place = self._place(name)
        if place is None:
            raise no_slice(repr(name), shown(list(self), 12))
        return self._parts[place]

    def __contains__(self, name: object) -> bool:
        return self._place(name) is not None

    def __iter__(self) -> Iterator[Any]:
        return (key if len(key) > 1 else key[0] for key in self.slice_keys)

    def __len__(self) -> int:
        return len(self.slice_keys)

    @property
    def rest(self) -> Mapping[Any, PartT]:
        """Results of the other rows, by slice: ``table.rest["NO"]["macro_f1"]``."""
        return dict(zip(self, self._rests, strict=True))

    @property
    def level(self) -> float:
        """Confidence level of the intervals, and 1 − the error rate of the tests."""
        return self.asked.level

    def values_of(self, metric: str | Metric) -> Floats:
        """float64[s]: what a metric gave on each slice."""
        wanted = get(metric)
        return np.array([one[wanted].value for one in self._parts])

    def difference(self, metric: str | Metric) -> SliceDifferences:
        """Every slice less all other rows, with intervals and p-values alone and all at once.

        Errors:
            As the report; K211 a metric of scores, or of rows that go together, of a report that
            was read from JSON without it.

        Example:
            >>> import karat
            >>> true, pred = [{"cat"}, {"dog"}] * 20, [{"cat"}, {"cat"}, {"cat"}, {"dog"}] * 10
            >>> report = karat.evaluate(true, pred, by=["a", "a", "b", "b"] * 10)
            >>> report.slices["by"].difference("subset_accuracy")["a"].difference
            -0.5
        """
        found = self.tests(metric).differences
        named = zip(self, self.slice_keys, strict=True)
        return SliceDifferences({name: found[key] for name, key in named})

    def heterogeneity(self, metric: str | Metric) -> Heterogeneity:
        """One test that the metric is the same in all slices.

        Slices without a value are left out, and named.
        """
        return self.tests(metric).heterogeneity

    def gap(self, metric: str | Metric) -> Gap:
        """The largest less the smallest value, beside the gap that equal slices would show."""
        return self.tests(metric).gap

    def worst(self, metric: str | Metric) -> Worst:
        """The worst slice, if the test says that slices differ and one is shown to be worse.

        Of those that are worse than the others at the simultaneous level, that of the worst value.
        """
        wanted = get(metric)
        return worst_of(wanted, self.heterogeneity(wanted), self.difference(wanted).values())

    def __repr__(self) -> str:
        return f"<karat slices by {' × '.join(self.columns)}: {len(self)}>"

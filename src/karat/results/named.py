"""Results by the names of their metrics: what every report is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from karat.errors import KaratError
from karat.errors.habits import of_a_report
from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.results.result import Result, Results
from karat.tally.cached import cached_property


class NamedResults:
    """Every metric of a report by name, listed or not.

    Attributes:
        requested: the metrics asked for, or None for all.
    """

    result_type: ClassVar[type[Result]] = Result
    """What a metric is given as."""

    requested: tuple[Metric, ...] | None

    def _every(self) -> Iterable[Metric]:
        """What is listed where nothing was asked for."""
        raise NotImplementedError

    def _result(self, metric: Metric) -> Result:
        """The result of a metric."""
        raise NotImplementedError

    @cached_property
    def metrics(self) -> Mapping[str, Result]:
        """Every listed metric by canonical name."""
        if self.requested is not None:
            # What these rows do not have is an error at once.
            return {name: self._result(metric) for name, metric in self._listed.items()}
        return Results(self._listed, self._result)

    @cached_property
    def _listed(self) -> Mapping[str, Metric]:
        if self.requested is not None:
            return {str(metric): metric for metric in self.requested}
        return {str(metric): metric for metric in self._every()}

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric, by any of its names.

        Errors:
            K301 no such metric; K307 a plain name where there are more than two classes; K194 where
            neither of two classes is positive; K123 where there is one, unless it is 0 or 1: then
            1 is positive, as in the functions; K219, K220 sets of labels do not have it.
        """
        return self._result(get(name))

    def __getattr__(self, name: str) -> Result:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KaratError as problem:
            if told := of_a_report(name):
                raise AttributeError(told) from None
            what = "A report has neither an attribute nor a metric of that name.\n"
            raise AttributeError(what * (problem.code == "K301") + str(problem)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._listed if name.isidentifier())]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def __contains__(self, name: object) -> bool:
        metric = find(name) if isinstance(name, str) else name
        return isinstance(metric, Metric) and str(metric) in self._listed

"""Results by the names of their metrics: what every report is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar

from karat._version import __version__
from karat.errors import KaratError
from karat.errors.doubts import Doubt, only_doubts
from karat.errors.habits import of_a_report
from karat.errors.reasons import UnknownMetricError
from karat.inference.confidence import Confidence, Interval
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._registry import all_names, find
from karat.results.parts import why_missing
from karat.results.result import Result, Results, Signature
from karat.tally import Classes, Fields
from karat.tally.cached import cached_property


def keys_of(listed: Iterable[str], answers: Callable[[Metric], bool]) -> list[str]:
    """What IPython and Jupyter complete in ``report["``: every name that a report answers to."""
    others = ((name, find(name)) for name in all_names())
    return [*dict.fromkeys([*listed, *(x for x, metric in others if metric and answers(metric))])]


class NamedResults(ABC):
    """Every metric of a report by name, listed or not.

    Attributes:
        undefined, requested, confidence, warnings: as of `karat.Report`.
    """

    result_type: ClassVar[type[Result]] = Result
    """Type of the results of metrics."""

    undefined: Policy
    requested: tuple[Metric, ...] | None
    confidence: Confidence | None
    warnings: tuple[str, ...]

    @property
    @abstractmethod
    def classes(self) -> Classes:
        """The classes, or the labels of sets."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Rows read."""

    @property
    @abstractmethod
    def is_weighted(self) -> bool:
        """True if rows have weights."""

    @property
    @abstractmethod
    def fields(self) -> Fields:
        """The counts of each class, or label, against the rest, float64[k] each."""

    @abstractmethod
    def _every(self) -> Iterable[Metric]:
        """Metrics that are listed where none were requested."""

    @abstractmethod
    def _answers(self, metric: Metric) -> bool:
        """True if the rows have a metric, listed or not."""

    @abstractmethod
    def _result(self, metric: Metric) -> Result:
        """The result of a metric."""

    @property
    def _drawn_from(self) -> tuple[str | None, tuple[tuple[str, float], ...]]:
        """How rows were sampled without intervals, and the population they are weighted to."""
        return None, ()

    @property
    def labels(self) -> tuple[str | int | bool, ...]:
        """The class labels in order."""
        return self.classes.labels

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Unusual properties of the input, each with the option that settles it.

        A doubt never changes a number. The sentences are among the `warnings` too.
        """
        return only_doubts(self.warnings)

    @cached_property
    def metrics(self) -> Mapping[str, Result]:
        """Every listed metric by canonical name."""
        found = Results(self._listed, self._result, self.__getitem__)
        if self.requested is not None:
            # What these rows do not have is an error at once.
            dict(found)
        return found

    @cached_property
    def _listed(self) -> Mapping[str, Metric]:
        if self.requested is not None:
            return {str(metric): metric for metric in self.requested}
        return {str(metric): metric for metric in self._every()}

    def _made(
        self,
        metric: Metric,
        value: float,
        interval: Interval,
        reason: str | None,
        *,
        classes: Classes,
        is_weighted: bool,
        is_clustered: bool = False,
        exact: bool = True,
        bound: tuple[float, float] | None = None,
    ) -> Result:
        """The result of a metric with its interval.

        Args:
            reason: why the value is undefined, or None.
            classes: those that it was computed on.
            bound: limits of the exact value where it is not `exact`.
        """
        confidence, positive = self.confidence, classes.positive
        return self.result_type(
            name=str(metric),
            value=value,
            n=self.n_rows,
            undefined=reason,
            definition=metric.definition,
            range=metric.with_classes(classes.k).range,
            better=metric.better,
            signature=Signature(
                str(metric) if metric.record.is_traced else metric.full,
                classes.k,
                None if positive is None else classes.display[positive],
                self.undefined,
                is_weighted,
                __version__,
                self._drawn_from[0] if confidence is None else confidence.design,
                is_clustered,
                confidence.seed if confidence is not None and interval.is_drawn else None,
                self._drawn_from[1],
            ),
            low=interval.low,
            high=interval.high,
            level=None if confidence is None or interval.low is None else confidence.level,
            method=interval.method,
            exact=exact,
            bound=bound,
            standard_error=interval.standard_error,
            remark=interval.remark,
        )

    def __getitem__(self, name: str | Metric) -> Result:
        """The result of a metric, by any of its names.

        Errors:
            K301 no such metric; K307 a plain name where there are more than two classes; K194 where
            neither of two classes is positive; K123 where there is one, unless it is 0 or 1: then
            1 is positive, as in the functions; K219, K220 sets of labels do not have it.
        """
        try:
            return self._result(get(name))
        except UnknownMetricError as problem:
            raise self._of_one_class(name, problem) from None

    def _of_one_class(self, name: object, problem: KaratError) -> KaratError:
        """The error of an unknown metric; of a metric with the name of a class, how it is read."""
        rows = getattr(self, "per_class", ()) if isinstance(name, str) else ()
        for row in rows:
            metric = str(name).removesuffix(f"_{row['name']}")
            if metric != name and metric in row:
                read = f"of one class it is report.per_class[{row['name']!r}][{metric!r}]"
                return problem.but(nearest=read)
        return problem

    def __getattr__(self, name: str) -> Result:
        if name.startswith("_"):
            raise AttributeError(name)
        if (reason := why_missing(self, name)) is not None:
            raise AttributeError(reason)
        try:
            return self[name]
        except KaratError as problem:
            if hint := of_a_report(name):
                raise AttributeError(hint) from None
            what = "A report has neither an attribute nor a metric of that name.\n"
            is_unknown = isinstance(problem, UnknownMetricError)
            raise AttributeError(what * is_unknown + str(problem)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._listed if name.isidentifier())]

    def _ipython_key_completions_(self) -> list[str]:
        return keys_of(self._listed, self._answers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def __contains__(self, name: object) -> bool:
        metric = find(name) if isinstance(name, str) else name
        return isinstance(metric, Metric) and str(metric) in self._listed

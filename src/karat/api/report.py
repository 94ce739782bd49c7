"""`Report`: what every report of `karat.evaluate` is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar, assert_type

from karat.api.report_methods import KindMethods
from karat.results.parts import CommonMethod, CommonPart, MissingPart, parts_of

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from karat.api.row_list import RowList
    from karat.api.shown import ClassRows
    from karat.curves._kept import Curves
    from karat.errors.doubts import Doubt
    from karat.metrics import Metric
    from karat.results.folds import Folds
    from karat.results.judged import JudgedShare
    from karat.results.report import ClassReport
    from karat.results.result import Confusion, Result
    from karat.results.set_patterns import SetPatterns
    from karat.results.slices import ByColumn
    from karat.tally import Cells, Classes
    from karat.tally.set_tally import SetTally

    Body = TypeVar("Body", bound=Callable[..., Any])
    common = property
    part = property

    def common_method(body: Body) -> Body: ...
else:
    common, part = CommonPart, MissingPart
    common_method = CommonMethod


_HOMES: Final = {
    "karat.report": ("karat.api.results", "Report"),
    "karat.multilabel": ("karat.api.sets", "MultilabelReport"),
    "karat.judged": ("karat.api.judging", "JudgedReport"),
}
"""Schema in JSON → module and name of its reports, which stand on this one."""


def _kind(schema: str) -> type[Report]:
    module, name = _HOMES.get(schema, _HOMES["karat.report"])
    kind: type[Report] = getattr(import_module(module), name)
    return kind


def _check_data(kind: type) -> None:
    if not hasattr(kind, "__dataclass_fields__"):
        fact = "karat.Report is what reports have in common, and holds no data"
        do = "derive from the type of a report: type(karat.evaluate(...))"
        raise TypeError(f"{kind.__name__} cannot be made: {fact}; {do}")


class Report(KindMethods):
    """All metrics of one data set: what `karat.evaluate` returns, whatever the rows are.

    Get a metric by item or attribute: ``report["macro_f1"]``, ``report.macro_f1``,
    ``report["macro_f_beta(beta=2)"]``; any metric that the rows support, listed or not.

    A report of rows with sets of labels is a `MultilabelReport`, one of gold labels and a judge a
    `JudgedReport`. Where a kind does not have an attribute, as sets have no confusion matrix, it is
    an AttributeError that says what the report has.

    Attributes:
        classes: the classes, or the labels of sets, with their order and display names.
        n_rows: rows read.
        requested: the requested metrics, or None for all.
        mapping: column of each role, if the rows come from a table.
        source: facts about the origin of the rows.
        warnings: sentences for the reader.
        is_clustered: True if intervals account for clusters.

    Example:
        >>> import karat
        >>> report = karat.evaluate([0, 1, 1, 1], [0, 1, 1, 0])
        >>> report["accuracy"].value, report.n_rows
        (0.75, 4)
        >>> isinstance(karat.evaluate([{"cat"}], [{"dog"}]), karat.Report)
        True
    """

    __slots__ = ()

    kind: ClassVar[str]
    """What the report is of, as the start of a sentence."""

    if TYPE_CHECKING:
        # Of the data, which come first among the bases of each kind.
        def __getitem__(self, name: str | Metric) -> Result: ...
        def __getattr__(self, name: str) -> Result: ...
        def __iter__(self) -> Iterator[str]: ...
        def __len__(self) -> int: ...
        def __contains__(self, name: object) -> bool: ...
        def _repr_html_(self) -> str: ...
    else:

        def __new__(cls, *values, **facts):
            """Of a tally of classes, as before there were other kinds."""
            if cls is Report:
                return _kind("karat.report")(*values, **facts)
            _check_data(cls)
            return super().__new__(cls)

    @common
    def classes(self) -> Classes:
        """The classes, or the labels of sets, with their order and display names."""
        raise AttributeError

    @common
    def labels(self) -> tuple[str | int | bool, ...]:
        """The class labels in order."""
        raise AttributeError

    @common
    def n_rows(self) -> int:
        """Rows read."""
        raise AttributeError

    @common
    def requested(self) -> tuple[Metric, ...] | None:
        """The requested metrics, or None for all."""
        raise AttributeError

    @common
    def mapping(self) -> Mapping[str, Any]:
        """Column of each role, if the rows come from a table."""
        raise AttributeError

    @common
    def source(self) -> Mapping[str, Any]:
        """Facts about the origin of the rows."""
        raise AttributeError

    @common
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the reader."""
        raise AttributeError

    @common
    def is_clustered(self) -> bool:
        """True if intervals account for clusters."""
        raise AttributeError

    @common
    def doubts(self) -> tuple[Doubt, ...]:
        """Unusual properties of the input, each with the option that settles it."""
        raise AttributeError

    @common
    def metrics(self) -> Mapping[str, Result]:
        """Every listed metric by canonical name."""
        raise AttributeError

    @common_method
    def text(self, width: int = 80) -> str:
        """Return the report as plain text of at most `width` columns."""
        raise AttributeError

    @common_method
    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        raise AttributeError

    @common_method
    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return the report as JSON text with sorted keys; write it to `path` too, if given."""
        raise AttributeError

    @common_method
    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Return the report as one HTML page; write it to `path` too, if given."""
        raise AttributeError

    def __dir__(self) -> list[str]:
        missing = {name for name, is_there in parts_of(type(self)).items() if not is_there}
        return [name for name in super().__dir__() if name not in missing]

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report of any kind from its JSON text: the same tally, and thus the same numbers.

        Estimates that take the rows, which JSON does not have, are read as they were written. A
        warning of the report names entries that this version of karat does not know.

        Errors:
            K205 it is not a whole report, or contradicts itself; K206 a newer schema wrote it;
            K211, K301, K302 it requests metrics that it or karat lacks.
        """
        from karat.output.json.schemas import schema_of

        if cls is not Report:
            _check_data(cls)
        report = _kind(schema_of(text)).from_json(text)
        assert isinstance(report, cls)
        return report

    @part
    def confusion(self) -> Confusion:
        """The confusion matrix: ``.matrix``, ``.labels``, ``.names``, ``.occupied()``."""
        raise AttributeError

    @part
    def per_class(self) -> ClassRows:
        """One row for each class: label, name, counts and rates; undefined rates have a reason.

        A list of dicts; a label as text finds its row, too. Each also has ``"undefined"``: metric
        name → reason, for that class; and ``"intervals"``: metric name → (low, high). For scores in
        buckets also ``"bounds"``: metric name → limits of the exact value, None if not known, of
        each rate that is not exact. It prints as a table, and ``.to_frame()`` is a data frame.

        Example:
            >>> import karat
            >>> report = karat.evaluate(["a", "b", "b"], ["a", "b", "a"])
            >>> report.per_class
            <karat.ClassRows: 2 classes>
            >>> report.per_class["a"]["precision"], report.per_class[0]["precision"]
            (0.5, 0.5)
        """
        raise AttributeError

    @part
    def thresholds(self) -> dict[str, Any] | list[dict[str, Any]]:
        """Best thresholds on these rows: for F1, informedness and equal costs.

        With two classes, ``{"f1": {"threshold": 0.41, "value": 0.83}, ...}`` for the positive one;
        with more, one such dict for each class with its ``"label"`` and ``"name"``. The thresholds
        are chosen on the rows that they are measured on, so their values are optimistic. If scores
        are bucketed, values that are not exact have their limits under ``"bounds"``.

        Errors:
            K210 there are no scores; K211 only other metrics were requested.
        """
        raise AttributeError

    @part
    def calibration(self) -> Mapping[str, Result]:
        """Every metric of calibration by name; diagrams are ``report.curves.reliability``.

        Errors:
            K210 there are no scores; K211 only other metrics were requested.
        """
        raise AttributeError

    @part
    def slices(self) -> ByColumn[Any]:
        """Column, or tuple of crossed columns → its slices: ``report.slices["country"]["NO"]``.

        Empty if ``by=`` was not given.
        """
        raise AttributeError

    @part
    def curves(self) -> Curves:
        """Every curve of every class: ``report.curves.roc["cat"]``, ``.roc.positive`` of two.

        Of a curve 256 points are kept at most, and it says how far it is from the whole one.
        ``report.curves.roc["cat"].band()`` gives limits of the whole curve.

        Errors:
            K308 none were kept: there were no scores, some metrics only, or more than 100 classes.
        """
        raise AttributeError

    @part
    def folds(self) -> Folds:
        """Metrics over the folds of cross-validation: ``report.folds["accuracy"].fold_mean``.

        Errors:
            K250 without ``design=karat.Folds``.
        """
        raise AttributeError

    @part
    def cells(self) -> Cells:
        """The tally of rows with one class each."""
        raise AttributeError

    @part
    def scores(self) -> str | None:
        """Kind of the scores: ``"probabilities"``, ``"logits"``, ``"scores"``; None without any."""
        raise AttributeError

    @part
    def threshold(self) -> float | None:
        """The number given as ``threshold=``, at or above which the positive class is predicted.

        None where none was given; `decision` says what decided.
        """
        raise AttributeError

    @part
    def decision(self) -> str:
        """How the predicted class of a row, or its labels, were decided, in words.

        Example:
            >>> import karat
            >>> karat.evaluate([0, 1, 1], y_prob=[0.2, 0.7, 0.9]).decision
            'most probable class (above 0.5; ties: first class)'
            >>> karat.evaluate([0, 1, 1], y_score=[20.0, 70.0, 90.0]).decision
            'none: one column of y_score without a threshold'
        """
        raise AttributeError

    @part
    def has_predictions(self) -> bool:
        """True if a class, or labels, are predicted for each row.

        One column of ``y_score=`` without ``threshold=`` predicts none: metrics of predicted
        classes are an error (K320).
        """
        raise AttributeError

    @part
    def tally(self) -> SetTally:
        """The tally of rows with sets of labels."""
        raise AttributeError

    @part
    def transfers(self) -> npt.NDArray[np.float64] | None:
        """Which label is predicted where another is missed; see `MultilabelReport.transfers`."""
        raise AttributeError

    @part
    def patterns(self) -> SetPatterns | None:
        """The most common wrong sets; see `MultilabelReport.patterns`."""
        raise AttributeError

    @part
    def n_gold(self) -> int:
        """Rows with a gold label, of a report with a judge."""
        raise AttributeError

    @part
    def level(self) -> float:
        """Confidence level of the intervals, of a report with a judge."""
        raise AttributeError

    @part
    def shares(self) -> tuple[JudgedShare, ...]:
        """Proportion of each class, of a report with a judge."""
        raise AttributeError

    @part
    def judge(self) -> ClassReport:
        """The judge against the gold labels, on the gold rows."""
        raise AttributeError

    @part
    def gold(self) -> ClassReport | None:
        """The predictions on the gold rows alone, of a report with a judge."""
        raise AttributeError


if TYPE_CHECKING:

    def _types_that_checkers_see(report: Report) -> None:
        assert_type(report.n_rows, int)
        assert_type(report.confusion, Confusion)
        assert_type(report["f1"], Result)
        assert_type(report.rows(), RowList)
        assert_type(report.to_json(), str)

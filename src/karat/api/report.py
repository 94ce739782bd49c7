"""`Report`: what every report of `karat.evaluate` is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeVar, assert_type

from karat.api.exports import Exports
from karat.results.parts import CommonMethod, CommonPart, MissingMethod, MissingPart, parts_of

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from karat.api.row_list import RowList
    from karat.api.shown import ClassRows
    from karat.curves._kept import Curves
    from karat.errors.doubts import Doubt
    from karat.metrics import Metric
    from karat.output.model_index import ModelIndex
    from karat.output.tidy import MlflowLog
    from karat.results.folds import Folds
    from karat.results.judged import JudgedShare
    from karat.results.report import ClassReport
    from karat.results.result import Confusion, Result
    from karat.results.set_patterns import SetPatterns
    from karat.results.slices import ByColumn
    from karat.tally import Cells, Classes, Label
    from karat.tally.set_tally import SetTally

    Body = TypeVar("Body", bound=Callable[..., Any])
    common = property
    part = property

    def method(body: Body) -> Body: ...
    def common_method(body: Body) -> Body: ...
else:
    common, part = CommonPart, MissingPart
    common_method, method = CommonMethod, MissingMethod


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


def _of_classes(report: object) -> ClassReport:
    """The report, as a type checker needs it in a method of reports of classes."""
    from karat.results.report import ClassReport

    assert isinstance(report, ClassReport)
    return report


class Report(Exports):
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
    methods: ClassVar[frozenset[str]] = frozenset()
    """Names of those methods below, of some kinds alone, that the kind has."""

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
    def to_html(self, path: str | PathLike[str] | None = None) -> str:
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

        A list of dicts. Each also has ``"undefined"``: metric name → reason, for that class; and
        ``"intervals"``: metric name → (low, high). For scores in buckets also ``"bounds"``: metric
        name → limits of the exact value, None if not known, of each rate that is not exact. It
        prints as a table, and ``.to_frame()`` is a data frame.

        Example:
            >>> import karat
            >>> report = karat.evaluate(["a", "b", "b"], ["a", "b", "a"])
            >>> report.per_class
            <karat.ClassRows: 2 classes>
            >>> report.per_class[0]["precision"]
            0.5
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
            K250 ``folds=`` was not given.
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
        """Threshold at or above which the positive class of two is predicted.

        None: the largest score decides, or predictions are given.
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

    @method
    def rows(
        self,
        true: Label | None = None,
        pred: Label | None = None,
        *,
        by: Mapping[str, Any] | None = None,
        between: tuple[float, float] | None = None,
        label: Label | None = None,
        wrong: bool = False,
        limit: int | None = None,
    ) -> RowList:
        """Return the rows behind a number, most wrong first: of a cell, a slice or a bin.

        They are kept by `karat.evaluate` if ``ids=`` or ``keep_rows=`` is given: the most wrong
        rows of each cell of the confusion matrix, of each slice, and of each of 15 bins of the
        probability of a class. The margin of a row is the score of the true class less the largest
        of the others. Wrong rows come first, by ascending margin: the most confident error is the
        first. Right rows follow, the one nearest to an error first. Ties keep the order of the
        source, as do rows of labels alone.

        Args:
            true: the true class, or its display name.
            pred: the predicted class.
            by: a slice by its columns: ``{"country": "NO"}``.
            between: two edges of bins of the probability of `label`, (low, high].
            label: class of the bins; default: the positive class of two.
            wrong: whether right rows are left out.
            limit: number of rows to list; default: as many as were kept of each.

        Returns:
            A `RowList`: records (dicts) in a sequence, with ``.n``, the number of rows that meet
            the conditions, ``.ids`` and ``.to_frame()``. If slices or bins are combined with other
            conditions, it has those of the kept rows that meet all, and ``n`` is None.

        Errors:
            K233 no rows were kept; K234 no such class, slice or bin; K235 the limit exceeds the
            number of rows that were kept.

        Example:
            >>> import karat
            >>> true, prob = ["ok", "fraud", "ok", "fraud"], [0.1, 0.2, 0.8, 0.4]
            >>> report = karat.evaluate(
            ...     true, y_prob=prob, positive="fraud", ids=["t1", "t2", "t3", "t4"]
            ... )
            >>> found = report.rows(true="fraud", pred="ok")
            >>> found.ids, found.n, found[0]["prob"]
            (['t2', 't4'], 2, 0.2)
        """
        from karat.api.row_list import RowList
        from karat.results.row_list import rows_of

        found = rows_of(
            _of_classes(self),
            true=true,
            pred=pred,
            by=by,
            between=between,
            label=label,
            wrong=wrong,
            limit=limit,
        )
        return RowList(found.records, found.columns, found.n)

    @method
    def to_model_index(
        self,
        *,
        model_name: str,
        dataset: str,
        dataset_type: str | None = None,
        config: str | None = None,
        split: str | None = None,
        revision: str | None = None,
        task: str = "text-classification",
        metrics: Iterable[str] | None = None,
    ) -> ModelIndex:
        """Return the ``model-index`` metadata of a model card on the Hugging Face Hub.

        Each metric has the Hub's ``type`` (``f1``), the value, karat's name (``macro_f1``), and as
        ``args`` its average, its interval with the level, and the number of rows. Nothing is
        uploaded.

        Args:
            model_name: name of the model.
            dataset: display name of the data set.
            dataset_type: its identifier on the Hub; None: the name.
            config, split, revision: the evaluated part and version of the data set.
            task: the Hub's identifier of the task: ``"image-classification"``, …
            metrics: names of the metrics; None: those that open the report.

        Returns:
            A dict; ``.to_yaml()`` is the text for the head of a README.

        Errors:
            K301 no such metric.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
            >>> index = report.to_model_index(
            ...     model_name="spam-1", dataset="Mails", metrics=["accuracy"]
            ... )
            >>> print(index.to_yaml())
            model-index:
            - name: spam-1
              results:
              - task:
                  type: text-classification
                dataset:
                  type: Mails
                  name: Mails
                metrics:
                - type: accuracy
                  value: 0.85
                  name: accuracy
                  args:
                    n_rows: 100

        Source: huggingface.co/docs/hub/model-cards, the specification in hub-docs/modelcard.md.
        """
        from karat.output.model_index import model_index_of

        return model_index_of(
            _of_classes(self),
            model_name=model_name,
            dataset=dataset,
            dataset_type=dataset_type,
            config=config,
            split=split,
            revision=revision,
            task=task,
            metrics=metrics,
        )

    @method
    def to_mlflow(
        self,
        *,
        metrics: Literal["headline", "all"] = "headline",
        per_class: bool = False,
        prefix: str = "",
    ) -> MlflowLog:
        """Return ``metrics`` for MLflow's log_metrics and ``artifacts`` for log_text.

        Keys are ``macro_f1``, ``macro_f1_low`` and ``macro_f1_high``, and ``per_class/f1/cat`` for
        a class; characters that MLflow does not allow become underscores. The average is part of
        the key. Values that are not finite are left out, with the reason in ``karat/metrics.csv``.

        Args:
            metrics: ``"headline"`` for those that open the report, or ``"all"``.
            per_class: whether to log those of each class, in addition to the artifact with all of
                them.
            prefix: prefix of every key: ``"test/"``.

        Returns:
            A pair ``(metrics, artifacts)``: key → float, file → text. The files are the report as
            JSON and Markdown, and the metrics, classes and confusion matrix as CSV.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]])
            >>> metrics, artifacts = report.to_mlflow()
            >>> metrics["accuracy"], round(metrics["accuracy_low"], 4)
            (0.85, 0.7672)

        Source: mlflow.utils.validation, for the characters of keys.
        """
        from karat.output.tidy import mlflow_of

        return mlflow_of(_of_classes(self), metrics=metrics, per_class=per_class, prefix=prefix)

    @method
    def to_wandb(
        self,
        *,
        metrics: Literal["headline", "all"] = "headline",
        per_class: bool = False,
        prefix: str = "",
    ) -> dict[str, float]:
        """Return a flat dict of numbers for ``run.log`` or ``run.summary.update`` of W&B.

        Keys have only letters, digits and underscores, so that they can be sorted and filtered by:
        ``macro_f1``, ``macro_f1_low``, ``macro_f1_high``, and ``per_class__f1__cat`` for a class.
        Values that are not finite are left out.

        Args:
            metrics: ``"headline"`` for those that open the report, or ``"all"``.
            per_class: whether to log those of each class.
            prefix: prefix of every key: ``"test_"``.

        Example:
            >>> import karat
            >>> report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
            >>> report.to_wandb()["accuracy"]
            0.85

        Source: docs.wandb.ai, metric naming constraints.
        """
        from karat.output.tidy import wandb_of

        return wandb_of(_of_classes(self), metrics=metrics, per_class=per_class, prefix=prefix)

    @method
    def of_labels(self, labels: Sequence[Label] | str) -> Self:
        """The report of some of the labels of sets; see `MultilabelReport.of_labels`."""
        raise AttributeError

    @method
    def wrong_rows(
        self, missed: Label | None = None, added: Label | None = None, *, limit: int | None = None
    ) -> RowList:
        """Rows whose predicted sets are wrong; see `MultilabelReport.wrong_rows`."""
        raise AttributeError


if TYPE_CHECKING:

    def _types_that_checkers_see(report: Report) -> None:
        assert_type(report.n_rows, int)
        assert_type(report.confusion, Confusion)
        assert_type(report["f1"], Result)
        assert_type(report.rows(), RowList)
        assert_type(report.to_json(), str)

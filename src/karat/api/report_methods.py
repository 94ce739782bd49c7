"""Methods of reports that only some kinds have: rows behind a number, exports, labels of sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from karat.api.exports import Exports
from karat.results.parts import MissingMethod

if TYPE_CHECKING:
    from karat.api.row_list import RowList
    from karat.output.model_index import ModelIndex
    from karat.output.tidy import MlflowLog
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport
    from karat.tally import Label

    Body = TypeVar("Body", bound=Callable[..., Any])

    def method(body: Body) -> Body: ...
else:
    method = MissingMethod


def _of_classes(report: object) -> ClassReport:
    """The report, as a type checker needs it in a method of reports of classes."""
    from karat.results.report import ClassReport

    assert isinstance(report, ClassReport)
    return report


def _of_sets(report: object) -> SetReport:
    """The report, as a type checker needs it in a method of reports of sets."""
    from karat.results.sets import SetReport

    assert isinstance(report, SetReport)
    return report


class KindMethods(Exports):
    """The methods of reports that a kind has if it names them."""

    __slots__ = ()

    methods: ClassVar[frozenset[str]] = frozenset()
    """Names of the methods below that the kind has."""

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

        They are kept by `karat.evaluate` with ``ids=`` or ``karat.Reading(keep_rows=)``: the most
        wrong rows of each cell of the confusion matrix, of each slice, and of each of 15 bins of
        the probability of a class. The margin of a row is the score of the true class less the
        largest of the others. Wrong rows come first, by ascending margin: the most confident error
        is the first. Right rows follow, the one nearest to an error first. Ties keep the order of
        the source, as do rows of labels alone.

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
        """Return the report of some of the labels of sets: of a stratum, such as the rare ones.

        With most labels absent from the rows, averages over the labels depend on what counts for
        those that are never true (Edin et al. 2023, arXiv 2304.10909): ``"present"`` leaves them
        out.

        Args:
            labels: any of those of the report; their order stays. Or ``"present"``: those that are
                true in some row; ``"either"``: true or predicted in some row; ``"all"``.

        Errors:
            K122 another word; K109 a label that is not one of them; K110 to K112 no list of
            labels; K211 the rows were not kept, as of a report that was read from JSON.

        Example:
            >>> import karat
            >>> report = karat.evaluate([{"cat"}, {"dog"}, {"cat"}], [{"cat"}, {"cat"}, {"cat"}])
            >>> report.of_labels(["dog"])["macro_f1"].value
            0.0
        """
        from karat.api.set_labels import of_some_labels

        kind = type(self)
        report: object = of_some_labels(_of_sets(self), labels)
        assert isinstance(report, kind)
        return report

    @method
    def wrong_rows(
        self, missed: Label | None = None, added: Label | None = None, *, limit: int | None = None
    ) -> RowList:
        """Return the rows whose predicted sets are wrong, the worst first.

        Rows of whose truth nothing is known are left out. Those with most wrong labels come first;
        of one label with scores, those where its score is most wrong.

        Args:
            missed: a label that is true and not predicted, or its display name.
            added: a label that is predicted and not true.
            limit: number of rows to list; default: 20.

        Returns:
            A `RowList`: records (dicts) in a sequence, with ``true``, ``pred``, ``missed`` and
            ``added`` as lists of labels; ``.n`` is the number of rows that meet the conditions.
            Frames and text have the labels of a set as one text, ``"sea|sky"``.

        Errors:
            K233 the rows were not kept, as of a report that was read from JSON; K234 no such
            label.

        Example:
            >>> import karat
            >>> sets = [{"cat"}, {"dog"}, {"cat", "dog"}]
            >>> report = karat.evaluate(sets, [{"cat"}, {"cat"}, {"cat"}], ids=["a", "b", "c"])
            >>> report.wrong_rows(missed="dog").ids
            ['b', 'c']
        """
        from karat.api.row_list import RowList
        from karat.results.set_row_list import wrong_rows_of

        found = wrong_rows_of(_of_sets(self), missed, added, limit)
        return RowList(found.records, found.columns, found.n)

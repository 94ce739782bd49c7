"""Several models on rows with sets of labels: the same rows, rows of each, or their reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from karat.api.arguments import is_frequency
from karat.api.flips import SetFlips
from karat.api.model_arguments import ModelArguments, thresholds_by_model
from karat.api.models import LabelSource, request_of_model, without_scores
from karat.api.request.request import Request
from karat.api.set_doubts import doubts_of_sets
from karat.api.sets import MultilabelReport
from karat.data.labels.matrices import display_names
from karat.data.scores.labels import LabelColumns
from karat.data.sources.arrays.sets import hold_sets, places_of, sets_of_models, with_scores
from karat.data.table_sets import TableSets, settled_clusters
from karat.errors import KaratError, error, short
from karat.errors.doubts import Doubt, LabelsDoubt
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import ModelValue
from karat.inference.comparison.set_labels import LabelDifference, label_differences
from karat.inference.comparison.set_scores import compared_scores, scored_label_differences
from karat.inference.comparison.sets import on_own_labels, paired_sets, sets_apart
from karat.inference.confidence import Confidence
from karat.inference.set_intervals import SetIntervals
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.metrics import Metric, get
from karat.metrics._applies import check_kind
from karat.metrics._lift import Policy
from karat.metrics._of_set_scores import SetScores, is_in_report
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._registry import metrics_of_sets
from karat.tally import Classes, Label
from karat.tally.label_scores import LabelScores
from karat.tally.score_kind import ScoreKind, undecided
from karat.tally.set_tally import SetRows
from karat.tally.shared import common_labels

DEFAULTS: Final = ("subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "macro_f1")
"""The metrics of a comparison of sets when none is named."""


"""Doubts about labels, which are those of all models."""


@dataclass(frozen=True, eq=False)
class SetModels:
    """Models of rows with sets of labels, ready to be measured.

    Attributes:
        rows: of each model, on one axis of labels.
        is_paired: whether these are the same rows, compared one by one.
        n_threads: threads of passes over scores; 0: the default.
    """

    classes: Classes
    names: tuple[str, ...]
    rows: tuple[SetRows, ...]
    is_paired: bool
    flip_source: SetFlips | None = None
    n_threads: int = 0

    @property
    def is_of_sets(self) -> bool:
        return True

    @property
    def n(self) -> Mapping[str, int]:
        return {name: rows.n for name, rows in zip(self.names, self.rows, strict=True)}

    @property
    def has_clusters(self) -> bool:
        return any(rows.clusters is not None for rows in self.rows)

    def named(self, class_names: Any) -> SetModels:
        return replace(self, classes=self.classes.named(display_names(class_names, self.classes)))

    def defaults(self) -> list[Metric]:
        names = list(DEFAULTS) if self.has_predictions else []
        if not self._without_scores:
            names.append("label_ranking_average_precision")
            if self._has_all:
                names.append("mean_average_precision")
                names += ["binary_cross_entropy"] if "scores" not in self._kinds else []
        return [get(name) for name in names]

    @property
    def has_predictions(self) -> bool:
        """True if labels are predicted for each row by every model."""
        return all(rows.has_predictions for rows in self.rows)

    @property
    def _without_scores(self) -> list[str]:
        """The models that have labels alone."""
        each = zip(self.names, self.rows, strict=True)
        return [name for name, rows in each if rows.scores is None]

    @property
    def _kinds(self) -> set[ScoreKind]:
        """Kinds of scores of the models."""
        return {rows.scores.kind for rows in self.rows if rows.scores is not None}

    @property
    def _has_all(self) -> bool:
        """True if every label of every row has a score, for each model."""
        return all(isinstance(rows.scores, LabelScores) for rows in self.rows)

    def every(self) -> list[Metric]:
        found = [m for m in metrics_of_sets() if m.record.in_report]
        if not self.has_predictions:
            found = [m for m in found if not m.reads_predictions]
        if self._without_scores:
            return [m for m in found if not m.needs_scores]

        def is_listed(metric: Metric) -> bool:
            each = (is_in_report(metric, kind, has_all=self._has_all) for kind in self._kinds)
            return not metric.needs_scores or all(each)

        return list(filter(is_listed, found))

    def check(self, wanted: Sequence[Metric]) -> None:
        """Refuse metrics that sets do not have, or that read missing scores (K166, K219, K220)."""
        missing = self._without_scores
        for metric in wanted:
            meant = meant_on_sets(metric)
            if meant.reads_predictions and not self.has_predictions:
                raise undecided(str(metric), "a label")
            if meant.needs_scores and missing:
                raise without_scores(metric, missing)
            for kind in self._kinds:
                check_kind(meant, kind)

    def check_labels(self) -> None:
        """Labels that are only predicted are legal."""

    def doubts(self) -> Iterator[Doubt]:
        """The doubts about each model; those about the labels once, with the first model."""
        labels: dict[str, Doubt] = {}
        for name, rows in zip(self.names, self.rows, strict=True):
            for one in doubts_of_sets(rows, rows.tally, {}):
                if isinstance(one, LabelsDoubt):
                    labels.setdefault(one.noticed, one.within(name))
                else:
                    yield one.within(name)
        yield from labels.values()

    def doubts_of(
        self,
        metrics: Sequence[Metric],
        values: Mapping[str, Mapping[str, ModelValue]],
        called: Mapping[str, str],
    ) -> Iterator[Doubt]:
        del metrics, values, called
        yield from ()

    def label_source(self, spec: ComparisonSpec, policy: Policy) -> LabelSource | None:
        """The difference of two models in every label, of the same rows."""
        if not self.is_paired:
            return None
        return partial(self._label_differences, spec, policy)

    def _label_differences(
        self, spec: ComparisonSpec, policy: Policy, metric: Metric, a: str, b: str
    ) -> list[LabelDifference]:
        rows = dict(zip(self.names, self.rows, strict=True))
        meant_on_sets(Metric(metric.record, "macro", metric.params))
        if metric.needs_scores:
            if self._without_scores:
                raise without_scores(metric, self._without_scores)
            pair = self._scored(rows[a], spec, policy), self._scored(rows[b], spec, policy)
            return scored_label_differences(pair, metric, (a, b), spec)
        first, second = (
            SetIntervals(rows[name].tally, Confidence(spec.level), rows[name], policy)
            for name in (a, b)
        )
        return label_differences((first, second), metric, (a, b), spec.seed, spec.n_permutations)

    def only(self, labels: Sequence[Label], name: str) -> SetModels:
        """The same models on some of the labels.

        Errors:
            K109 a label that rows do not have.
        """
        places = places_of(labels, self.classes, f"label_strata[{name!r}]")
        rows = tuple(one.only(places) for one in self.rows)
        return replace(self, classes=rows[0].classes, rows=rows, flip_source=None)

    def measured(
        self, wanted: Sequence[Metric], spec: ComparisonSpec, policy: Policy
    ) -> list[tuple[Measured, dict[str, ModelValue]]]:
        asked = Confidence(spec.level)
        of_scores = [m for m in wanted if meant_on_sets(m).needs_scores]
        of_labels = [m for m in wanted if m not in of_scores]
        own = [on_own_labels(rows) for rows in self.rows]
        models = [SetIntervals(rows.tally, asked, rows, policy) for rows in own]
        if self.is_paired:
            parts = paired_sets(models, of_labels, spec, self.rows)
        else:
            parts = sets_apart(models, of_labels, spec)
        done = {}
        for part in parts:
            done[part.metric] = part, part.model_values(self.names, asked)
        scored = [self._scored(rows, spec, policy) for rows in self.rows] if of_scores else []
        for part, found in compared_scores(scored, of_scores, spec, is_paired=self.is_paired):
            done[part.metric] = part, dict(zip(self.names, found, strict=True))
        return [done[metric] for metric in wanted]

    def _scored(self, rows: SetRows, spec: ComparisonSpec, policy: Policy) -> SetScoreIntervals:
        """Intervals of the metrics of scores of a model; a row with weight 3 is three rows."""
        columns = LabelColumns.of(rows.repeated().known, self.n_threads)
        scores = SetScores(columns, policy, self.n_threads)
        return SetScoreIntervals(scores, Confidence(spec.level), compares=True)


def are_models_of_sets(given: ModelArguments) -> bool:
    """True if the rows of models hold sets of labels."""
    if given.reports:
        return any(isinstance(report, MultilabelReport) for report in given.reports.values())
    trues = [given.trues[name] if given.trues else given.true for name in given.names]
    predicted = [given.predicted.get(name) for name in given.names]
    return any(hold_sets(*pair) for pair in zip(trues, predicted, strict=True))


def set_models(arguments: ModelArguments, request: Request) -> SetModels:
    """Models of arrays.

    Errors:
        K109, K130 to K137, K196 scores; K140 a threshold beside labels of every model; else as
        `sets_of_models`.
    """
    if arguments.reports:
        return _of_reports(arguments)
    n_threads = request.n_threads or 0
    thresholds = thresholds_by_model(arguments, request.threshold)
    if arguments.trues:
        rows = []
        for name in arguments.names:
            called = dict([_called(arguments, name)])
            (one,) = _sets(arguments.trues[name], called, request_of_model(request, name))
            rows.append(_with_scores(arguments, name, one, thresholds))
        return replace(_on_one_axis(arguments.names, rows), n_threads=n_threads)
    called = dict(_called(arguments, name) for name in arguments.names)
    each = zip(arguments.names, _sets(arguments.true, called, request), strict=True)
    rows = [_with_scores(arguments, name, one, thresholds) for name, one in each]
    return models_of_sets(
        arguments.names, rows, is_paired=bool(request.paired), n_threads=n_threads
    )


def _sets(true: Any, predictions: Mapping[str, Any], request: Request) -> Iterable[SetRows]:
    """The rows of each model, from its predictions by the names that messages give them."""
    return sets_of_models(
        true,
        predictions,
        weights=request.weights,
        clusters=request.clusters,
        labels=request.labels,
        positive=request.positive,
        separator=request.separator,
        is_frequency=is_frequency(request),
    ).values()


def _called(given: ModelArguments, name: str) -> tuple[str, Any]:
    """Name of the predictions of a model in messages, and these; None where scores predict."""
    if name in given.predicted:
        return f"y_pred[{name!r}]", given.predicted[name]
    return f"{given.scores[name][0]}[{name!r}]", None


def _with_scores(
    given: ModelArguments, name: str, rows: SetRows, thresholds: Mapping[str, Any]
) -> SetRows:
    """The rows of a model with its scores, where it has some."""
    if name not in given.scores:
        return rows
    argument, values = given.scores[name]
    predicts = name not in given.predicted
    try:
        return with_scores(rows, values, argument, thresholds.get(name), predicts=predicts)
    except KaratError as problem:
        places = {key: problem.context.get(key) for key in ("argument", "right", "what")}
        facts = {
            key: value.replace(argument, f"{argument}[{name!r}]")
            for key, value in places.items()
            if value is not None
        }
        raise problem.but(**facts) from None


def models_of_strata(found: Any, label_strata: Any) -> dict[str, SetModels]:
    """Stratum → the models on its labels (K122 it is no such dict; K221 rows have no sets)."""
    if not isinstance(found, SetModels):
        raise error("K221", found="label_strata= was given, and rows have one class each")
    if not isinstance(label_strata, Mapping) or not label_strata:
        choices = "a dict from stratum to labels"
        value, do = short(label_strata), "As {'head': ['cat'], 'tail': ['lynx']}."
        raise error("K122", argument="label_strata", value=value, choices=choices, do=do)
    return {str(name): found.only(labels, str(name)) for name, labels in label_strata.items()}


def models_of_sets(
    names: Sequence[str], rows: Sequence[SetRows], *, is_paired: bool = True, n_threads: int = 0
) -> SetModels:
    """Models of the same rows, in the same order, on one axis of labels."""
    classes = rows[0].classes
    are_predicted = all(each.has_predictions for each in rows)
    flips = SetFlips(classes, dict(zip(names, rows, strict=True))) if are_predicted else None
    return SetModels(classes, tuple(names), tuple(rows), is_paired, flips, n_threads)


def compared_rows(models: Sequence[TableSets]) -> list[SetRows]:
    """The rows of models of tables as they are compared, in their clusters.

    Scores of which not every model has some are left out.
    """
    rows = [settled_clusters(one.rows) for one in models]
    if any(one.scores is None for one in rows):
        rows = [replace(one, scores=None) for one in rows]
    return rows


def _of_reports(given: ModelArguments) -> SetModels:
    """Models of which there are only reports, made from rows."""
    rows = []
    for name, report in given.reports.items():
        if not isinstance(report, MultilabelReport):
            found = f"The report of {name!r} has rows with one class, others have sets of labels"
            raise error("K221", found=found)
        if report.encoded is None:
            raise error(
                "K166",
                metric=f"The report of {name!r}",
                found="It was read from JSON, and does not hold all that a variance needs",
                do="Evaluate the rows again, or give y_true and y_pred.",
            )
        rows.append(report.encoded)
    return _on_one_axis(given.names, rows)


def _on_one_axis(names: Sequence[str], rows: Sequence[SetRows]) -> SetModels:
    classes = rows[0].classes
    for one in rows[1:]:
        classes = common_labels(classes, one.classes)
    return SetModels(classes, tuple(names), tuple(one.on(classes) for one in rows), False)

"""The rows of several models, ready to be measured: the same rows, rows of each, or reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.api.arguments import is_frequency, wanted_of_scores
from karat.api.doubts import of_classes, of_labels, of_model
from karat.api.flips import RowFlips
from karat.api.model_arguments import ModelArguments, thresholds_by_model
from karat.api.options import refuse_threshold
from karat.api.request.request import Request
from karat.api.sources import row_arguments
from karat.data.accumulator import rows_in_memory
from karat.data.checks import check_in_common
from karat.data.clusters import one_cluster
from karat.data.labels.containers import encode
from karat.data.labels.matrices import display_names
from karat.data.models import aligned_models, encoded_model, scored_models
from karat.data.rows import Rows
from karat.data.scores.containers import as_scores
from karat.data.scores.rows import InMemoryScores, repeated
from karat.data.sources.arrays.rows import clusters_of_rows, score_rows
from karat.data.sources.tables.rows import predicted as with_predictions
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.designs import Design
from karat.errors import KaratError, error, shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import option, outputs_as_typed
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.models import Joint, apart, paired
from karat.inference.comparison.records import Flips, ModelValue
from karat.inference.comparison.scored import scored_metrics
from karat.inference.comparison.set_labels import LabelDifference
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, get
from karat.metrics._applies import (
    both_classes,
    check_applies,
    check_decided,
    check_kind,
    needs_both_classes,
)
from karat.metrics._lift import Policy
from karat.metrics._views import ClassRanks, PairRanks, Pairwise
from karat.results.values import listed_metrics
from karat.tally import Classes, ClusteredCells, JointCells
from karat.tally.cached import cached_property
from karat.tally.shared import united

Codes = npt.NDArray[np.int64]
_PAIR: Final = 2


LabelSource: TypeAlias = Callable[[Metric, str, str], list[LabelDifference]]


class Compared(Protocol):
    """Models whose rows were read: what a comparison asks of them."""

    @property
    def classes(self) -> Classes:
        """The classes, or the labels of sets."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""

    @property
    def is_paired(self) -> bool:
        """True if they are compared row by row."""

    @property
    def is_of_sets(self) -> bool:
        """True if rows have sets of labels."""

    @property
    def flip_source(self) -> Callable[[str, str], Flips] | None:
        """Function of two models that returns their flipped rows; None without paired rows."""

    @property
    def n(self) -> Mapping[str, int]:
        """Rows of each model."""

    @property
    def has_clusters(self) -> bool:
        """True if rows are clustered."""

    def named(self, class_names: Any) -> Self:
        """The same, classes with their display names (K117)."""

    def defaults(self) -> list[Metric]:
        """The metrics of a comparison when none is named."""

    def every(self) -> list[Metric]:
        """The metrics that the reports of all models list."""

    def check(self, wanted: Sequence[Metric]) -> None:
        """Refuse metrics that these models do not have."""

    def check_labels(self) -> None:
        """Refuse labels of a model of which the truth has none (K191)."""

    def doubts(self) -> Iterator[Doubt]:
        """The doubts about the rows, each once."""

    def doubts_of(
        self,
        metrics: Sequence[Metric],
        values: Mapping[str, Mapping[str, ModelValue]],
        called: Mapping[str, str],
    ) -> Iterator[Doubt]:
        """The doubts that the results of each model raise.

        Args:
            values: metric → model → what was measured.
            called: model → what its doubts call it.
        """

    def measured(
        self, wanted: Sequence[Metric], spec: ComparisonSpec, policy: Policy
    ) -> list[tuple[Measured, dict[str, ModelValue]]]:
        """Every metric in the order given, and the estimate of each model."""

    def label_source(self, spec: ComparisonSpec, policy: Policy) -> LabelSource | None:
        """Source of the difference of two models in every label; None where there is none."""


def _outputs_of(metric: Metric) -> str:
    """The options of the outputs that a metric reads."""
    return outputs_as_typed(of_probabilities=metric.record.reads_probabilities)


def without_scores(metric: Metric, names: Sequence[str]) -> KaratError:
    """K166: a metric reads scores, and these models have none."""
    return error(
        "K166",
        metric=str(metric),
        found=f"It reads probabilities or scores; there are none of {shown(names)}",
        do=f"Give them for every model as {_outputs_of(metric)}, or leave the metric out.",
    )


@dataclass(frozen=True, eq=False)
class Models:
    """Models of rows with one class each, ready to be measured.

    Attributes:
        joint: the models on the same rows, or None where they are apart.
        tables: of each model, on the classes that count for it: those of its own report.
        scored: the models with scores.
        clusters: cluster of each row of each model, or None.
        flip_source: where the rows that flipped are found.
        are_reports: whether only reports are given, which hold no rows.
    """

    classes: Classes
    names: tuple[str, ...]
    joint: Joint | None
    tables: tuple[TableVariance, ...]
    scored: Mapping[str, InMemoryScores]
    clusters: Mapping[str, Codes | None]
    flip_source: RowFlips | None = None
    are_reports: bool = False

    @property
    def is_paired(self) -> bool:
        return self.joint is not None

    @property
    def is_of_sets(self) -> bool:
        return False

    @property
    def n_units(self) -> float:
        """Number of rows, or of clusters where rows of one are not independent."""
        each = [
            (t.cells.n_rows if t.clusters is None else t.clusters.n_clusters) for t in self.tables
        ]
        return float(min(each))

    @property
    def n(self) -> Mapping[str, int]:
        counts = [int(table.cells.n_rows) for table in self.tables]
        return dict(zip(self.names, counts, strict=True))

    @property
    def has_clusters(self) -> bool:
        return any(table.clusters is not None for table in self.tables)

    def label_source(self, spec: ComparisonSpec, policy: Policy) -> None:
        del spec, policy

    def named(self, class_names: Any) -> Models:
        return replace(self, classes=self.classes.named(display_names(class_names, self.classes)))

    def defaults(self) -> list[Metric]:
        is_binary = self.classes.positive is not None
        if not self.has_predictions and len(self.scored) == len(self.names):
            return [get(name) for name in ("roc_auc", "average_precision")]
        names = ["accuracy", "f1" if is_binary else "macro_f1"]
        names += ["balanced_accuracy", "matthews_correlation"]
        if len(self.scored) == len(self.names):
            if self.classes.k > 1:
                names.append("roc_auc" if is_binary else "roc_auc_ovr_macro")
            if all(rows.kind != "scores" for rows in self.scored.values()):
                names += ["log_loss", "brier"]
        return [get(name) for name in names]

    @property
    def has_predictions(self) -> bool:
        """True if a class is predicted for each row by every model."""
        of_tables = all(table.cells.has_predictions for table in self.tables)
        return of_tables and all(rows.has_predictions for rows in self.scored.values())

    @cached_property
    def whole_tables(self) -> tuple[TableVariance, ...]:
        """The table of each model on the classes of all of them."""
        if self.joint is not None:
            return self.joint.whole.tables
        classes = replace(self.classes, names=None)
        return tuple(
            table if table.cells.k == classes.k else table.on(classes) for table in self.tables
        )

    def tables_of(self, metric: Metric) -> tuple[TableVariance, ...]:
        """The tables that a metric is measured on.

        Of all classes where it has a matrix of costs, which lists them, or reads the positive one.
        """
        is_of_one = metric.record.is_per_class and metric.lift == "plain"
        return self.whole_tables if is_of_one or metric.has_costs else self.tables

    def every(self) -> list[Metric]:
        cells, classes = self.whole_tables[0].cells, self.classes
        cells = cells if self.has_predictions else cells.without_predictions()
        if len(self.scored) < len(self.names):
            return listed_metrics(cells)
        kinds = dict.fromkeys(rows.kind for rows in self.scored.values())
        first, *others = (wanted_of_scores(classes, None, kind) for kind in kinds)
        return listed_metrics(cells, [m for m in first if all(m in each for each in others)])

    def check(self, wanted: Sequence[Metric]) -> None:
        """Refuse metrics that models, of which some are scored, do not have (K166, K221, K307)."""
        missing = [name for name in self.names if name not in self.scored]
        check_decided(wanted, has_predictions=self.has_predictions)
        for metric in wanted:
            check_applies(metric, self.classes, ())
            if metric.needs_scores and self.are_reports:
                raise error(
                    "K166",
                    metric=str(metric),
                    found="It reads probabilities or scores, and reports hold no rows",
                    do=f"Give the rows of every model as {_outputs_of(metric)}; of reports, "
                    "compare metrics of labels.",
                )
            if metric.needs_scores and missing:
                raise without_scores(metric, missing)
            metric.refuse_of_sets()
            for rows in self.scored.values():
                check_kind(metric, rows.kind)

    def check_labels(self) -> None:
        """Refuse labels of a model of which the truth has none (K191)."""
        for name, table in zip(self.names, self.tables, strict=True):
            if name not in self.scored:
                check_in_common(table.cells, "the truth", f"model {name!r}")

    def doubts(self) -> Iterator[Doubt]:
        """The doubts about the labels of the models, each once: with the counts of the first."""
        yield from of_classes(self.classes)
        first: dict[str, Doubt] = {}
        for name, table in zip(self.names, self.whole_tables, strict=True):
            if name in self.scored and not self.scored[name].has_predictions:
                continue
            for one in of_labels(table):
                first.setdefault(one.noticed, one.within(name))
        yield from first.values()

    def doubts_of(
        self,
        metrics: Sequence[Metric],
        values: Mapping[str, Mapping[str, ModelValue]],
        called: Mapping[str, str],
    ) -> Iterator[Doubt]:
        tables = dict(zip(self.names, self.whole_tables, strict=True))
        if len(called) == len(self.names):
            yield from self._of_two_forms(metrics)
        for name, of in called.items():
            estimates = {metric: each[name] for metric, each in values.items()}
            limits = {metric: (x.value, x.low, x.high) for metric, x in estimates.items()}
            yield from of_model(tables[name], self.scored.get(name), metrics, limits, of)

    def _of_two_forms(self, metrics: Sequence[Metric]) -> Iterator[Doubt]:
        """Iterate over the doubt that columns of scores are ranked beside probabilities."""
        scores, probs = (
            [name for name, rows in self.scored.items() if (rows.kind == "scores") == is_score]
            for is_score in (True, False)
        )
        ranked = {ClassRanks, PairRanks, Pairwise} & {metric.record.reads for metric in metrics}
        if self.classes.k > _PAIR and ranked and scores and probs:
            yield doubt(
                "D158",
                scores=shown(scores, 3),
                probs=shown(probs, 3),
                has="have" if len(scores) > 1 else "has",
                have="have" if len(probs) > 1 else "has",
                option=option("y_logit"),
            )

    def _on(self, classes: Classes) -> Models:
        """The same models on these classes, which hold those of before."""
        joint = None if self.joint is None else self.joint.on(classes)
        tables = joint.tables if joint else tuple(table.on(classes) for table in self.whole_tables)
        return replace(self, classes=classes, joint=joint, tables=tables)

    def measured(
        self, wanted: Sequence[Metric], spec: ComparisonSpec, policy: Policy
    ) -> list[tuple[Measured, dict[str, ModelValue]]]:
        """Every metric in the order given, and the estimate of each model."""
        done: dict[Metric, tuple[Measured, dict[str, ModelValue]]]
        of_labels = [metric for metric in wanted if not metric.needs_scores]
        of_scores = [metric for metric in wanted if metric.needs_scores]
        of_both = [metric for metric in of_labels if needs_both_classes(metric, self.classes)]
        if of_both:
            models = self._on(both_classes(self.classes, str(of_both[0])))
            others = [metric for metric in wanted if metric not in of_both]
            together = models.measured(of_both, spec, policy) + self.measured(others, spec, policy)
            done = {part.metric: (part, values) for part, values in together}
            return [done[metric] for metric in wanted]
        if self.joint is not None:
            parts = paired(self.joint, of_labels, spec, policy)
        else:
            parts = [x for m in of_labels for x in apart(self.tables_of(m), [m], spec, policy)]
        done = {}
        for part in parts:
            done[part.metric] = part, part.model_values(self.names, spec.asked)
        scored = {name: self.scored[name] for name in self.names} if of_scores else {}
        for part, each in scored_metrics(
            scored, of_scores, policy, self.clusters, spec, is_paired=self.is_paired
        ):
            done[part.metric] = part, each
        return [done[metric] for metric in wanted]


def models_of_rows(
    names: Sequence[str],
    rows: Sequence[Rows],
    n_threads: int | None = None,
    *,
    is_paired: bool = True,
    is_frequency: bool = False,
    keeps_all: Sequence[bool] | None = None,
) -> Models:
    """Models of the same rows, in the same order, on one class axis.

    Args:
        rows: of each model; weights and clusters are those of the first.
        is_paired: whether they are compared row by row.
        is_frequency: whether a row of weight 3 stands for three rows.
        keeps_all: of each model, whether all classes count; None: of those with scores.
    """
    if keeps_all is None:
        keeps_all = [one.scores is not None for one in rows]
    rows = [rows_in_memory(one) for one in rows]
    first = rows[0]
    weights = first.weights
    clusters = first.cluster_codes
    is_frequency = is_frequency and weights is not None
    if clusters is not None:
        clusters = _dependent(clusters, weights, is_frequency=is_frequency)
    scored: dict[str, InMemoryScores] = {}
    predicted = {}
    for name, one in zip(names, rows, strict=True):
        if one.scores is not None:
            own = replace(one, weights=weights, clusters=None)
            scored[name] = InMemoryScores.of(own, None, n_threads)
        if one.pred is not None:
            predicted[name] = one.pred
        elif scored[name].has_predictions:
            predicted[name] = scored[name].predicted()
    # Without predictions rows are counted by their true class.
    each = [predicted.get(name, first.true) for name in names]
    cells, place = JointCells.placed(first.classes, names, first.true, each, weights)
    if weights is not None:
        refuse_sums(cells.counts)
    clusters_of_scores = clusters
    if is_frequency:
        assert weights is not None
        cells = cells.counted_as_rows()
        scored = {name: repeated(rows) for name, rows in scored.items()}
        if clusters is not None and scored:
            clusters_of_scores = np.repeat(clusters, weights.astype(np.int64))
    by_cluster = None if clusters is None else ClusteredCells.of(clusters, place, weights)
    joint = Joint(cells, by_cluster, tuple(keeps_all))
    return Models(
        first.classes,
        tuple(names),
        joint if is_paired else None,
        joint.tables,
        scored,
        dict.fromkeys(names, clusters_of_scores),
        RowFlips(first.classes, first.true, predicted) if len(predicted) == len(names) else None,
    )


def models_of_arrays(arguments: ModelArguments, request: Request) -> Models:
    """Models that predicted the same rows, in arrays."""
    weights, clusters = request.weights, request.clusters
    for name, value in (("weights", weights), ("clusters", clusters)):
        if isinstance(value, str):
            found = f"karat.compare takes values, and {name}= is {value!r}"
            do = f"Give the values of the column: {name}=table[{value!r}]."
            raise error("K143", argument=name, found=found, do=do)
    true = encode(arguments.true, "y_true")
    n = len(true)
    w = None
    if weights is not None:
        w = as_weights(weights, n)
        refuse_weights(w)
    of_rows = None if clusters is None else clusters_of_rows(clusters, n)
    predicted = {
        name: encoded_model(values, "y_pred", name) for name, values in arguments.predicted.items()
    }
    scored = {}
    for name, (argument, values) in arguments.scores.items():
        guess, scores = arguments.predicted.get(name), as_scores(values, argument)
        beside = replace(row_arguments(request), weights=w, clusters=None, folds=None)
        scored[name] = score_rows(arguments.true, scores, guess, beside)
    if scored:
        others = {name: column for name, column in predicted.items() if name not in scored}
        rows = scored_models(scored, others, true)
        thresholds = thresholds_by_model(arguments, request.threshold)
        for name, at in thresholds.items():
            rows[name] = with_predictions(rows[name], at, request.n_threads)
    else:
        refuse_threshold(request.threshold)
        rows = aligned_models(true, predicted, request.labels, request.positive)
    each = [replace(rows[name], weights=w, clusters=of_rows) for name in arguments.names]
    return models_of_rows(
        arguments.names,
        each,
        request.n_threads,
        keeps_all=None,
        is_paired=bool(request.paired),
        is_frequency=is_frequency(request),
    )


def models_given(arguments: ModelArguments, request: Request) -> Models:
    """Models of rows with one class each: of reports, of rows of their own, or of the same rows."""
    if arguments.reports:
        return models_of_reports(arguments)
    if arguments.trues:
        return models_apart(arguments, request)
    return models_of_arrays(arguments, request)


def models_apart(arguments: ModelArguments, request: Request) -> Models:
    """Models that predicted rows of their own, in arrays."""
    each: dict[str, Models] = {}
    for name in arguments.names:
        alone = ModelArguments(
            (name,),
            arguments.trues[name],
            {key: value for key, value in arguments.predicted.items() if key == name},
            {key: value for key, value in arguments.scores.items() if key == name},
        )
        each[name] = models_of_arrays(alone, request_of_model(request, name))
    classes = _united([one.classes for one in each.values()])
    return Models(
        classes,
        arguments.names,
        None,
        tuple(one.tables[0] for one in each.values()),
        {name: rows for one in each.values() for name, rows in one.scored.items()},
        {name: one.clusters[name] for name, one in each.items()},
    )


def request_of_model(request: Request, name: str) -> Request:
    """The request with the weights and clusters of one model alone (K162, K163)."""
    return request.but(
        weights=_of_model_alone(request.weights, name, "weights"),
        clusters=_of_model_alone(request.clusters, name, "clusters"),
        paired=True,
    )


def _of_model_alone(values: Any, name: str, what: str) -> Any:
    """Value for one model in an argument that is a dict of models (K162, K163)."""
    if values is None:
        return None
    if not isinstance(values, Mapping):
        found = f"The models have rows of their own, and {what}= is not a dict of models"
        do = f"Give {what}= as a dict with the same names as y_true."
        raise error("K162", argument=f"{what}=", found=found, do=do)
    if name not in values:
        raise error(
            "K163", left="y_true", left_names=repr(name), right=what, right_names=str(list(values))
        )
    return values[name]


def models_of_reports(given: ModelArguments) -> Models:
    """Models of which there are only reports."""
    _check_positive(given)
    classes = _united([report.classes for report in given.reports.values()])
    kinds = {report.cells.is_weighted: name for name, report in given.reports.items()}
    if len(kinds) > 1:
        raise error(
            "K166",
            metric="A report of weighted rows with one of rows without weights",
            found=f"The rows of {kinds[True]!r} have weights, those of {kinds[False]!r} have none",
            do="Evaluate both with the same weights=, or both without.",
        )
    _check_population(given)
    tables = []
    for name, report in given.reports.items():
        cells, clusters = report.cells, report.clusters
        has_squares = not cells.is_weighted or cells.squares is not None
        has_clusters = clusters is not None or not report.is_clustered
        if cells.storage == "marginals" or not has_squares or not has_clusters:
            raise error(
                "K166",
                metric=f"The report of {name!r}",
                found="It does not hold all that a variance needs",
                do="Evaluate the rows again, or give y_true and y_pred.",
            )
        # Of rows weighted to a population, the proportions of the classes do not vary.
        design: Design = "cohort" if report.population is None else report.design
        tables.append(TableVariance(cells, design, clusters))
    clusters = dict.fromkeys(given.names)
    return Models(classes, given.names, None, tuple(tables), {}, clusters, are_reports=True)


def _check_positive(given: ModelArguments) -> None:
    """Refuse reports of different positive classes (K166)."""
    named: dict[object, str] = {}
    for name, report in given.reports.items():
        classes = report.classes
        if classes.positive is not None:
            named.setdefault(classes.labels[classes.positive], name)
    if len(named) > 1:
        (one, left), (other, right), *_ = named.items()
        raise error(
            "K166",
            metric="A report with one of another positive class",
            found=f"The positive class of {left!r} is {one!r}, that of {right!r} {other!r}",
            do="Evaluate both with the same positive=.",
        )


def _check_population(given: ModelArguments) -> None:
    """Refuse reports of populations with different proportions of the classes (K166)."""
    (left, first), *others = given.reports.items()
    for right in [name for name, report in others if report.population != first.population]:
        raise error(
            "K166",
            metric="A report with one at another prevalence",
            found=f"The population of {left!r} has other proportions of the classes than {right!r}",
            do="Evaluate both at the same prevalence, or both without.",
        )


def _united(found: Sequence[Classes]) -> Classes:
    """The classes of all: the same, or the sorted union, of one kind (K201)."""
    first = found[0]
    if all(classes.labels == first.labels for classes in found):
        return first
    if (ordered := united(*found)) is not None:
        return ordered
    labels = {label for classes in found for label in classes.labels}
    if len({isinstance(label, str) for label in labels}) > 1:
        raise error("K201", left=str(found[0].labels), right=str(found[1].labels))
    return Classes.of(sorted(labels))


def _dependent(
    codes: Codes, weights: npt.NDArray[np.float64] | None, *, is_frequency: bool = False
) -> Codes | None:
    """int64[n], the cluster of each row; None where each row is one of its own."""
    weighing = codes if weights is None else codes[weights > 0]
    n_clusters = len(np.unique(weighing))
    if n_clusters == 1:
        raise one_cluster(len(codes))
    # Of three rows that one row stands for, none is independent of the others.
    return None if n_clusters == len(weighing) and not is_frequency else codes

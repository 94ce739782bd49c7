"""The rows of several models, ready to be measured: the same rows, rows of each, or reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.api.comparison_arguments import ModelArguments
from karat.data.accumulator import rows_in_memory
from karat.data.clusters import one_cluster
from karat.data.labels.containers import encode
from karat.data.models import aligned_models, encoded_model, scored_models
from karat.data.rows import Rows
from karat.data.scores.containers import as_scores
from karat.data.scores.rows import InMemoryScores, repeated
from karat.data.sources.arrays.rows import clusters_of_rows, score_rows
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import error
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.models import Joint, apart, estimated, paired, scored_metrics
from karat.inference.comparison.records import Estimate, Flips
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Classes, ClusteredCells, JointCells, reorder

__all__ = ["Models", "models_apart", "models_of_arrays", "models_of_reports", "models_of_rows"]

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Models:
    """The models, ready to be measured.

    Attributes:
        classes: the class axis.
        names: of the models.
        joint: the models on the same rows, or None where they are apart.
        tables: the table of each model.
        scored: the models with scores.
        clusters: cluster of each row of each model, or None.
        flip_source: where the rows that flipped are found.
    """

    classes: Classes
    names: tuple[str, ...]
    joint: Joint | None
    tables: tuple[TableVariance, ...]
    scored: Mapping[str, InMemoryScores]
    clusters: Mapping[str, Codes | None]
    flip_source: _RowFlips | None = None

    @property
    def is_paired(self) -> bool:
        return self.joint is not None

    @property
    def has_clusters(self) -> bool:
        return any(table.clusters is not None for table in self.tables)

    @property
    def n(self) -> dict[str, int]:
        """Rows of each model."""
        rows = [int(table.cells.n_rows) for table in self.tables]
        return dict(zip(self.names, rows, strict=True))

    def measured(
        self, wanted: Sequence[Metric], spec: ComparisonSpec, policy: Policy
    ) -> list[tuple[Measured, dict[str, Estimate]]]:
        """Every metric in the order given, and the estimate of each model."""
        of_labels = [metric for metric in wanted if not metric.needs_scores]
        of_scores = [metric for metric in wanted if metric.needs_scores]
        if self.joint is not None:
            parts = paired(self.joint, of_labels, spec, policy)
        else:
            parts = apart(self.tables, of_labels, spec, policy)
        done: dict[Metric, tuple[Measured, dict[str, Estimate]]] = {}
        for part in parts:
            done[part.metric] = (
                part,
                {
                    name: estimated(part.metric, table, spec.level, policy)
                    for name, table in zip(self.names, self.tables, strict=True)
                },
            )
        scored = {name: self.scored[name] for name in self.names} if of_scores else {}
        for part, each in scored_metrics(
            scored, of_scores, policy, self.clusters, level=spec.level, is_paired=self.is_paired
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
) -> Models:
    """Models of the same rows, in the same order, on one class axis.

    Args:
        names: the models.
        rows: of each model; weights and clusters are those of the first.
        is_paired: whether they are compared row by row.
        is_frequency: whether a row of weight 3 stands for three rows.

    Errors:
        K13x a score that cannot be used; K125 weights that formulas cannot bear; K145 all rows are
        in one cluster.
    """
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
            tally = InMemoryScores.of(one, None, n_threads)
            scored[name] = replace(tally, weights=weights, clusters=None)
        predicted[name] = scored[name].predicted() if one.pred is None else one.pred
    each = list(predicted.values())
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
    joint = Joint(cells, by_cluster)
    return Models(
        first.classes,
        tuple(names),
        joint if is_paired else None,
        tuple(joint.table(model) for model in range(len(names))),
        scored,
        dict.fromkeys(names, clusters_of_scores),
        _RowFlips(first.classes, first.true, predicted),
    )


def models_of_arrays(
    given: ModelArguments,
    weights: Any,
    clusters: Any,
    options: Mapping[str, Any],
    *,
    is_paired: bool = True,
    is_frequency: bool = False,
) -> Models:
    """Models that predicted the same rows, in arrays.

    Args:
        options: ``labels``, ``positive`` and ``n_threads``.
        is_paired, is_frequency: as of `models_of_rows`.
    """
    true = encode(given.true, "y_true")
    n = len(true)
    w = None if weights is None else _checked_weights(weights, n)
    of_rows = None if clusters is None else clusters_of_rows(clusters, n)
    predicted = {
        name: encoded_model(values, "y_pred", name) for name, values in given.predicted.items()
    }
    scored = {}
    for name, (argument, values) in given.scores.items():
        scores = as_scores(values, argument)
        scored[name] = score_rows(
            given.true, scores, y_pred=given.predicted.get(name), weights=w, **options
        )
    if scored:
        others = {name: column for name, column in predicted.items() if name not in scored}
        rows = scored_models(scored, others, true)
    else:
        rows = aligned_models(true, predicted, options["labels"], options["positive"])
    each = [replace(rows[name], weights=w, clusters=of_rows) for name in given.names]
    return models_of_rows(
        given.names, each, options["n_threads"], is_paired=is_paired, is_frequency=is_frequency
    )


def models_apart(
    given: ModelArguments,
    weights: Any,
    clusters: Any,
    options: Mapping[str, Any],
    *,
    is_frequency: bool = False,
) -> Models:
    """Models that predicted rows of their own, in arrays."""
    each: dict[str, Models] = {}
    for name in given.names:
        alone = ModelArguments(
            (name,),
            given.trues[name],
            {key: value for key, value in given.predicted.items() if key == name},
            {key: value for key, value in given.scores.items() if key == name},
        )
        w, groups = _of_model(weights, name, "weights"), _of_model(clusters, name, "clusters")
        each[name] = models_of_arrays(alone, w, groups, options, is_frequency=is_frequency)
    classes = _united([one.classes for one in each.values()])
    tables = []
    for one in each.values():
        table = one.tables[0]
        if table.clusters is None and table.cells.classes.labels != classes.labels:
            table = TableVariance(reorder(table.cells, classes))
        tables.append(table)
    if len({table.cells.classes.labels for table in tables}) > 1:
        raise _lacks_classes()
    return Models(
        classes,
        given.names,
        None,
        tuple(tables),
        {name: rows for one in each.values() for name, rows in one.scored.items()},
        {name: one.clusters[name] for name, one in each.items()},
    )


def _of_model(values: Any, name: str, what: str) -> Any:
    """What one model was given of an argument that is a dict of them.

    Errors:
        K162 it is none; K163 it lacks the model.
    """
    if values is None:
        return None
    if not isinstance(values, Mapping):
        found = f"The models have rows of their own, and {what}= is no dict of them"
        do = f"Give {what}= as a dict with the same names as y_true."
        raise error("K162", argument=f"{what}=", found=found, do=do)
    if name not in values:
        raise error(
            "K163", left="y_true", left_names=repr(name), right=what, right_names=str(list(values))
        )
    return values[name]


def models_of_reports(given: ModelArguments) -> Models:
    """Models of which there are only reports."""
    classes = _united([report.classes for report in given.reports.values()])
    kinds = {report.cells.is_weighted: name for name, report in given.reports.items()}
    if len(kinds) > 1:
        raise error(
            "K166",
            metric="A report of weighted rows with one of rows without weights",
            found=f"The rows of {kinds[True]!r} have weights, those of {kinds[False]!r} have none",
            do="Evaluate both with the same weights=, or both without.",
        )
    tables = []
    for name, report in given.reports.items():
        cells, clusters = report.cells, report.clusters
        has_squares = not cells.is_weighted or cells.squares is not None
        has_clusters = clusters is not None or not report.is_clustered
        is_same = cells.classes.labels == classes.labels
        if cells.storage == "marginals" or not has_squares or not has_clusters:
            raise error(
                "K166",
                metric=f"The report of {name!r}",
                found="It does not hold all that a variance needs",
                do="Evaluate the rows again, or give y_true and y_pred.",
            )
        if not is_same and clusters is not None:
            raise _lacks_classes()
        tables.append(
            TableVariance(cells if is_same else reorder(cells, classes), clusters=clusters)
        )
    none = dict.fromkeys(given.names, None)
    return Models(classes, given.names, None, tuple(tables), {}, none)


def _lacks_classes() -> Exception:
    return error("K178")


def _united(found: Sequence[Classes]) -> Classes:
    """The classes of all: the same, or the sorted union.

    Errors:
        K201 one has strings and another numbers.
    """
    first = found[0]
    if all(classes.labels == first.labels for classes in found):
        return first
    labels = {label for classes in found for label in classes.labels}
    if len({isinstance(label, str) for label in labels}) > 1:
        raise error("K201", left=str(found[0].labels), right=str(found[1].labels))
    return Classes.of(sorted(labels))


def _checked_weights(weights: Any, n: int) -> npt.NDArray[np.float64]:
    """float64[n]: the weights of rows.

    Errors:
        K102, K113 to K116 they cannot be used.
    """
    found = as_weights(weights, n)
    refuse_weights(found)
    return found


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


@dataclass(frozen=True, eq=False)
class _RowFlips:
    """The predictions of every row, from which flips are read."""

    classes: Classes
    true: npt.NDArray[np.int32]
    predicted: Mapping[str, npt.NDArray[np.int32]]

    def __call__(self, a: str, b: str) -> Flips:
        of_a, of_b = self.predicted[a], self.predicted[b]
        is_right = of_a == self.true
        rows = np.flatnonzero(is_right != (of_b == self.true))
        labels = np.array(self.classes.labels, dtype=object)
        true_labels, labels_a, labels_b = (labels[codes[rows]] for codes in (self.true, of_a, of_b))
        return Flips(a, b, rows, true_labels, labels_a, labels_b, is_right[rows])

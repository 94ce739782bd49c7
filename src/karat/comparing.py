"""`compare`: several models on one test set, or each on its own, metric by metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.comparison.judging import Asked, Measured, judged, tested_at_once
from karat.comparison.labels import Joint, apart, estimated, paired
from karat.comparison.notes import notes_of
from karat.comparison.outcome import Comparison, FlipSource
from karat.comparison.records import Estimate, Flips
from karat.comparison_arguments import (
    Models,
    asked_of,
    check_models,
    defaults,
    models_of,
    wanted_of,
)
from karat.engines.arrays import check_threads
from karat.engines.models import (
    ModelColumns,
    aligned_models,
    cluster_codes,
    encoded_model,
    of_scored_models,
)
from karat.engines.scores import ScoreTally, tally_scores
from karat.errors import error
from karat.errors.habits import names_its_arguments
from karat.evaluation import display_names
from karat.functions import check_policy
from karat.inputs.labels import encode
from karat.inputs.scores import as_scores
from karat.inputs.weights import as_weights, refuse_sums, refuse_weights
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.scored_models import scored_metrics
from karat.tally import Classes, ClusteredCells, JointCells, Label, reorder
from karat.uncertainty.table_spread import TableSpread

__all__ = ["Comparison", "compare"]

Codes = npt.NDArray[np.int64]


@names_its_arguments
def compare(
    y_true: Any,
    y_pred: Mapping[str, Any] | None = None,
    *,
    y_prob: Mapping[str, Any] | None = None,
    y_score: Mapping[str, Any] | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    baseline: str | None = None,
    weights: Any = None,
    clusters: Any = None,
    labels: Sequence[Label] | None = None,
    class_names: Sequence[str] | Mapping[Label, str] | None = None,
    positive: Label | None = None,
    level: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    adjust: str = "holm",
    paired: bool = True,
    seed: int = 0,
    n_permutations: int = 4999,
    undefined: str = "zero",
    n_threads: int | None = None,
) -> Comparison:
    """Which model is better, by how much, and how sure that is.

    Models on the same rows are compared row by row, which shows differences that two separate
    intervals hide. A difference is a − b: of the models in the order given each later one against
    each earlier one, or each other one against `baseline`.

    Args:
        y_true: true labels, [n]; or a dict from model to true labels, for models that were
            measured on different rows; or, alone, a dict from model to `Report`.
        y_pred: a dict from model to predicted labels, [n].
        y_prob: a dict from model to probabilities, float[n, k] or float[n] of the positive class.
        y_score: a dict from model to any finite scores instead, of the same shapes. A model may
            have labels and scores; without labels the class of the largest is predicted.
        metrics: names to compare, or one name. Default: accuracy, F1 (macro of more than two
            classes), balanced accuracy and Matthews correlation; with scores of every model the
            area under the ROC curve, with probabilities log-loss and Brier score.
        baseline: the model that the others are compared with. Default: every pair.
        weights: float[n], importance of each row; of models on different rows a dict.
        clusters: a label for each row, [n]: rows with the same one are not independent.
        labels, class_names, positive: of the classes, as in `evaluate`.
        level: of the intervals; a difference counts where its p-value is below 1 − level.
        margin: differences smaller than this do not matter: one number for every metric, or a
            dict from metric to number. With it a verdict may be ``"equivalent"``.
        adjust: how p-values allow for many pairs of models: ``"holm"``; ``"maxt"``, with
            simultaneous intervals, from the joint distribution; or ``"none"``.
        paired: False takes the models to be independent though their rows are the same.
        seed: of permutations and of `maxt`.
        n_permutations: replicates of the permutation test, which small classes need.
        undefined: what an undefined class counts as in an average.
        n_threads: threads of the passes over scores.

    Returns:
        A `Comparison`: ``print``, ``comparison["macro_f1"]``, ``.differences``, ``.to_json()``.

    Errors:
        K161 to K166 models, baseline or margin cannot be used; K1xx the labels, scores or options
        cannot be; K3xx a metric name is wrong.

    Cost: one pass for each model, then the work is that of the distinct rows of predictions.

    Example:
        >>> import karat
        >>> truth = ["cat", "cat", "dog", "dog", "dog", "cat"] * 20
        >>> old = ["cat", "dog", "dog", "cat", "dog", "cat"] * 20
        >>> new = ["cat", "dog", "dog", "dog", "dog", "cat"] * 20
        >>> found = karat.compare(truth, {"old": old, "new": new})
        >>> print(found["accuracy"])
        accuracy: new − old = +0.1667 [+0.1106, +0.2435], p = 9.54e-07: better
    """
    policy = check_policy(undefined)
    check_threads(n_threads)
    asked = asked_of(level, adjust, seed, n_permutations, paired)
    given = models_of(y_true, y_pred, y_prob, y_score)
    check_models(given, baseline)
    options = {"labels": labels, "positive": positive, "n_threads": n_threads}
    if given.reports:
        found: _Sides = _of_reports(given)
    elif given.is_apart:
        found = _of_own_rows(given, weights, clusters, options)
    else:
        found = _of_same_rows(given, weights, clusters, options, is_paired=bool(paired))
    classes = found.classes.named(display_names(class_names, found.classes))
    kinds = [rows.is_prob for rows in found.scored.values()]
    has_all = len(kinds) == len(given.names)
    listed = defaults(classes, has_scores=has_all, has_probabilities=has_all and all(kinds))
    wanted, margins = wanted_of(metrics, listed, margin, classes, given, set(found.scored))
    places = {name: i for i, name in enumerate(given.names)}
    pairs = tuple((a, b) for a in range(len(places)) for b in range(a))
    if baseline is not None:
        pairs = tuple((a, places[baseline]) for a in places.values() if a != places[baseline])
    pairs = tuple(sorted(pairs, key=lambda pair: pair[::-1]))
    asked = replace(asked, margin=margins, pairs=pairs)
    measured = found.measured(wanted, asked, policy)
    differences = [one for part, _ in measured for one in judged(part, given.names, asked)]
    tests = {str(part.metric): tested_at_once(part) for part, _ in measured}
    values = {str(part.metric): each for part, each in measured}
    return Comparison(
        given.names,
        tuple(map(str, wanted)),
        differences,
        values,
        {name: test for name, test in tests.items() if test is not None},
        classes,
        found.n,
        asked.level,
        asked.adjust,
        baseline,
        found.is_paired,
        notes_of(differences, asked, found.is_paired, len(given.names), found.has_clusters),
        found.flip_source,
    )


@dataclass(frozen=True, eq=False)
class _Sides:
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
    tables: tuple[TableSpread, ...]
    scored: Mapping[str, ScoreTally]
    clusters: Mapping[str, Codes | None]
    flip_source: FlipSource | None = None

    @property
    def is_paired(self) -> bool:
        return self.joint is not None

    @property
    def has_clusters(self) -> bool:
        return any(codes is not None for codes in self.clusters.values())

    @property
    def n(self) -> dict[str, int]:
        """Rows of each model."""
        rows = [int(table.cells.n_rows) for table in self.tables]
        return dict(zip(self.names, rows, strict=True))

    def measured(
        self, wanted: Sequence[Metric], asked: Asked, policy: Policy
    ) -> list[tuple[Measured, dict[str, Estimate]]]:
        """Every metric, in the order asked for, and what is known of each model alone."""
        of_labels = [metric for metric in wanted if not metric.needs_scores]
        of_scores = [metric for metric in wanted if metric.needs_scores]
        if self.joint is not None:
            parts = paired(self.joint, of_labels, asked, policy)
        else:
            parts = apart(self.tables, of_labels, asked, policy)
        done: dict[Metric, tuple[Measured, dict[str, Estimate]]] = {}
        for part in parts:
            done[part.metric] = (
                part,
                {
                    name: estimated(part.metric, table, asked.level, policy)
                    for name, table in zip(self.names, self.tables, strict=True)
                },
            )
        scored = {name: self.scored[name] for name in self.names} if of_scores else {}
        for part, each in scored_metrics(
            scored, of_scores, policy, self.clusters, is_paired=self.is_paired
        ):
            done[part.metric] = part, each
        return [done[metric] for metric in wanted]


def _of_same_rows(
    given: Models, weights: Any, clusters: Any, options: Mapping[str, Any], *, is_paired: bool
) -> _Sides:
    true = encode(given.true, "y_true")
    n = len(true)
    w = _weights(weights, n)
    codes = _clusters(clusters, n, w)
    predicted = {
        name: encoded_model(values, "y_pred", name) for name, values in given.predicted.items()
    }
    scored = {
        name: tally_scores(
            given.true, as_scores(values, argument), y_pred=given.predicted.get(name),
            weights=w, **options,
        )
        for name, (argument, values) in given.scores.items()
    }  # fmt: skip
    if scored:
        others = {name: column for name, column in predicted.items() if name not in scored}
        columns = of_scored_models(scored, others, true)
    else:
        columns = aligned_models(true, predicted, options["labels"], options["positive"])
    said = [columns.predicted[name] for name in given.names]
    cells, place = JointCells.placed(columns.classes, given.names, columns.true, said, w)
    if w is not None:
        refuse_sums(cells.counts)
    joint = Joint(cells, None if codes is None else ClusteredCells.of(codes, place, w))
    tables = tuple(joint.table(model) for model in range(len(given.names)))
    return _Sides(
        columns.classes, given.names, joint if is_paired else None, tables, scored,
        dict.fromkeys(given.names, codes), _RowFlips(columns, given.names, w),
    )  # fmt: skip


def _of_own_rows(given: Models, weights: Any, clusters: Any, options: Mapping[str, Any]) -> _Sides:
    """Models that were measured each on rows of its own."""
    each: dict[str, _Sides] = {}
    for name in given.names:
        alone = Models(
            (name,),
            given.trues[name],
            {key: value for key, value in given.predicted.items() if key == name},
            {key: value for key, value in given.scores.items() if key == name},
        )
        parts = [_part(values, name, what) for values, what in
                 ((weights, "weights"), (clusters, "clusters"))]  # fmt: skip
        each[name] = _of_same_rows(alone, parts[0], parts[1], options, is_paired=True)
    classes = _united([side.classes for side in each.values()])
    tables = []
    for side in each.values():
        table = side.tables[0]
        if table.clusters is None and table.cells.classes.labels != classes.labels:
            table = TableSpread(reorder(table.cells, classes))
        tables.append(table)
    if len({table.cells.classes.labels for table in tables}) > 1:
        raise error(
            "K120",
            found="The rows of some models lack classes that others have",
            do="Give every class with labels=.",
        )
    return _Sides(
        classes,
        given.names,
        None,
        tuple(tables),
        {name: rows for side in each.values() for name, rows in side.scored.items()},
        {name: side.clusters[name] for name, side in each.items()},
    )


def _part(values: Any, name: str, what: str) -> Any:
    """What one model was given of an argument that is a dict of them.

    Errors:
        K120 it is none; K163 it lacks the model.
    """
    if values is None:
        return None
    if not isinstance(values, Mapping):
        raise error(
            "K120",
            found=f"The models have rows of their own, and {what}= is no dict of them",
            do=f"Give {what}= as a dict with the same names as y_true.",
        )
    if name not in values:
        raise error(
            "K163", left="y_true", left_names=repr(name), right=what, right_names=str(list(values))
        )
    return values[name]


def _of_reports(given: Models) -> _Sides:
    """Models of which only reports are at hand."""
    classes = _united([report.classes for report in given.reports.values()])
    tables = []
    for name, report in given.reports.items():
        cells = report.cells
        if cells.storage == "marginals" or (cells.is_weighted and cells.squares is None):
            raise error(
                "K166",
                metric=f"The report of {name!r}",
                found="It holds totals without what a variance needs",
                do="Evaluate the rows again, or give y_true and y_pred.",
            )
        tables.append(TableSpread(reorder(cells, classes)))
    clusters = dict.fromkeys(given.names, None)
    return _Sides(classes, given.names, None, tuple(tables), {}, clusters)


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


def _weights(weights: Any, n: int) -> npt.NDArray[np.float64] | None:
    if weights is None:
        return None
    found = as_weights(weights, n)
    refuse_weights(found)
    return found


def _clusters(clusters: Any, n: int, weights: npt.NDArray[np.float64] | None) -> Codes | None:
    """int64[n], the cluster of each row; None where each row is one of its own."""
    if clusters is None:
        return None
    codes = cluster_codes(clusters, n)
    seen = codes if weights is None else codes[weights > 0]
    n_clusters = len(np.unique(seen))
    if n_clusters == 1:
        raise error(
            "K120",
            found="clusters= has one cluster, which says nothing of how clusters vary",
            do="Give two clusters or more, or leave it out.",
        )
    return None if n_clusters == len(seen) else codes


@dataclass(frozen=True, eq=False)
class _RowFlips(FlipSource):
    """The predictions of every row, from which flips are read."""

    columns: ModelColumns
    names: tuple[str, ...]
    weights: npt.NDArray[np.float64] | None

    def flips(self, a: str, b: str) -> Flips:
        true, said = self.columns.true, self.columns.predicted
        is_right = said[a] == true
        rows = np.flatnonzero(is_right != (said[b] == true))
        labels = np.array(self.columns.classes.labels, dtype=object)
        return Flips(
            a, b, rows, labels[true[rows]], labels[said[a][rows]], labels[said[b][rows]],
            is_right[rows],
        )  # fmt: skip

"""The rows of several models, ready to be measured: the same rows, rows of each, or reports."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.api.options import plain_text
from karat.api.results import Report
from karat.data.accumulator import rows_in_memory
from karat.data.clusters import one_cluster
from karat.data.labels.containers import encode
from karat.data.models import aligned_models, encoded_model, scored_models
from karat.data.roles import find_roles
from karat.data.rows import Rows
from karat.data.scores.containers import as_scores
from karat.data.scores.rows import InMemoryScores, repeated
from karat.data.sources.arrays.rows import clusters_of_rows, score_rows
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.tables.frames import is_frame, open_frame
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import error, short, shown
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.models import Joint, apart, estimated, paired
from karat.inference.comparison.records import Estimate, Flips
from karat.inference.comparison.scored import scored_metrics
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Classes, ClusteredCells, JointCells, reorder

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ModelArguments:
    """What was given of each model, by its name.

    Attributes:
        true: the labels of the rows of all models; None where each has its own, `trues`.
        scores: model → (``"y_prob"`` or ``"y_score"``, values).
        reports: where these are all there is.
    """

    names: tuple[str, ...]
    true: Any = None
    predicted: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    trues: Mapping[str, Any] = field(default_factory=dict)
    reports: Mapping[str, Report] = field(default_factory=dict)


def model_arguments(y_true: Any, y_pred: Any, y_prob: Any, y_score: Any) -> ModelArguments:
    """The models of the arguments (K127 to K129, K162, K163, K416)."""
    _refuse_names(y_true, {"y_pred": y_pred, "y_prob": y_prob, "y_score": y_score})
    _refuse_whole_tables(y_true, y_pred, is_alone=y_prob is None and y_score is None)
    if not isinstance(y_pred, Mapping) and is_frame(y_pred):
        refuse_distributed(y_pred, "y_pred")
        frame = open_frame(y_pred)
        y_pred = frame.columns(frame.names)
    arguments = {"y_pred": y_pred, "y_prob": y_prob, "y_score": y_score}
    given = {name: values for name, values in arguments.items() if values is not None}
    if not given and isinstance(y_true, Mapping):
        if y_true and all(isinstance(value, Report) for value in y_true.values()):
            reports = _by_name("The reports", y_true)
            return ModelArguments(tuple(reports), reports=reports)
        found = "y_true is a dict that was given alone, and its values are no reports"
        do = "Give the true labels first: karat.compare(y_true, {'old': ..., 'new': ...})."
        raise error("K128", found=found, do=do)
    of_models = "a dict from model to predictions as y_pred=, y_prob= or y_score="
    if y_true is None:
        raise error("K127", others=of_models)
    if not given:
        raise error("K128", found="y_true was given alone", do=f"Give y_true and {of_models}.")
    by_name = {argument: _by_name(argument, values) for argument, values in given.items()}
    names = tuple(dict.fromkeys(name for each in by_name.values() for name in each))
    predicted = by_name.pop("y_pred", {})
    scores: dict[str, tuple[Any, Any]] = {}
    for argument, each in by_name.items():
        both = next((name for name in scores if name in each), None)
        if both is not None:
            found = f"{both!r} is in y_prob and in y_score"
            raise error("K129", found=found, prob="y_prob=", score="y_score=")
        scores |= {name: (argument, values) for name, values in each.items()}
    if not isinstance(y_true, Mapping):
        return ModelArguments(names, y_true, predicted, scores)
    trues = _by_name("y_true", y_true)
    if set(trues) != set(names):
        given_names = {"left_names": shown(trues), "right_names": shown(names)}
        raise error("K163", left="y_true", right="the predictions", **given_names)
    return ModelArguments(names, None, predicted, scores, trues)


def _refuse_names(y_true: Any, given: Mapping[str, Any]) -> None:
    """Refuse a table or a file beside names of its columns, where columns are wanted (K128)."""
    is_file = _is_path(y_true)
    if not is_file and not is_frame(y_true):
        return
    columns = () if is_file else open_frame(y_true).names
    calls, label = [], next(iter(find_roles(columns, needs=()).candidates["true"]), "TRUTH")
    for argument, models in given.items():
        if not isinstance(models, Mapping | list | tuple) or not models:
            continue
        is_dict = isinstance(models, Mapping)
        names = dict(models) if is_dict else {name: name for name in models if _is_path(name)}
        if len(names) < len(models) or not all(isinstance(name, str) for name in names.values()):
            return
        are_files = any("/" in name or Path(name).suffix for name in names.values())
        if are_files if is_file else not {*names.values()} <= {*columns}:
            return
        each = ", ".join(f"{model!r}: table[{name!r}]" for model, name in names.items())
        calls.append(f"{'' if argument == 'y_pred' else f'{argument}='}{{{each}}}")
    if calls:
        kind = "the name of a file" if is_file else f"a table ({type(y_true).__name__})"
        found = f"karat.compare takes columns, and it was given {kind} and names of columns"
        call = f"karat.compare(table[{label!r}], {', '.join(calls)})"
        do = f"Give the columns{' of the table that you read' if is_file else ''}: {call}."
        raise error("K128", found=found, do=do)


def _refuse_whole_tables(y_true: Any, y_pred: Any, *, is_alone: bool) -> None:
    """Refuse a table or a file of each model where its columns are wanted (K128)."""
    models = y_true if y_pred is None and is_alone else y_pred
    names, tables = ["old", "new"], [y_true, models]
    if isinstance(models, Mapping):
        names, tables = list(map(str, models)), list(models.values())
    elif isinstance(models, list | tuple) and models is y_true:
        tables = list(models)
    whole = [table for table in tables if _is_whole(table)]
    if isinstance(models, Mapping) and models is not y_true and _is_whole(y_true):
        whole, tables = [y_true, *whole], [y_true, *whole]
    if not tables or len(whole) < len(tables):
        return
    roles = find_roles(() if _is_path(whole[0]) else open_frame(whole[0]).names, needs=())
    usual = {"true": "label", "pred": "pred"}
    label, pred = ((*roles.candidates[x], usual[x])[0] for x in ("true", "pred"))
    names = [name if name.isidentifier() else f"model_{i}" for i, name in enumerate(names)][:2]
    each = ", ".join(f"{name!r}: {name}[{pred!r}]" for name in names)
    call = f"karat.compare({names[0]}[{label!r}], {{{each}}})"
    what, do = f"tables ({type(whole[0]).__name__})", f"Give their columns: {call}."
    if _is_path(whole[0]):
        files = " ".join(shlex.quote(fspath(path)) for path in whole if _is_path(path))
        what, do = (
            "files",
            f"Give columns, as {call}; the command reads files: karat compare {files}",
        )
    found = f"karat.compare takes columns, and it was given {what}"
    raise error("K128", found=found, do=do)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | PathLike)


def _is_whole(value: Any) -> bool:
    """Whether a value is a file, or a table of several columns; a dict may be one of models."""
    if isinstance(value, Mapping) or not is_frame(value):
        return _is_path(value)
    return len(open_frame(value).names) > 1


def _by_name(argument: str, values: Any) -> dict[str, Any]:
    """The values of the models of one argument, which is a dict of them (K162)."""
    if not isinstance(values, Mapping):
        floats = getattr(getattr(values, "dtype", None), "kind", "") == "f"
        do = f"Name models: karat.compare(y_true, {argument}={{'old': ..., 'new': ...}})."
        if isinstance(values, str):
            do = "karat.compare takes values; the command `karat compare A B` reads files. " + do
        also = "" if argument != "y_pred" or not floats else " Probabilities are y_prob=."
        raise error(
            "K162",
            argument=argument,
            found=f"It is a {type(values).__name__}, not a dict from model to values",
            do=f"{do}{also}",
        )
    found = {}
    for name, each in values.items():
        text = plain_text(name)
        if not text or not text.isprintable():
            do = "Names are text that can be printed."
            raise error("K162", argument=argument, found=f"A model is called {short(name)}", do=do)
        found[text] = each
    return found


@dataclass(frozen=True, eq=False)
class Models:
    """The models, ready to be measured.

    Attributes:
        joint: the models on the same rows, or None where they are apart.
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
        tables = dict(zip(self.names, self.tables, strict=True))
        done: dict[Metric, tuple[Measured, dict[str, Estimate]]] = {}
        for part in parts:
            values = {
                name: estimated(part.metric, value, table, spec.level, policy)
                for (name, table), value in zip(tables.items(), part.values, strict=True)
            }
            done[part.metric] = part, values
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
) -> Models:
    """Models of the same rows, in the same order, on one class axis.

    Args:
        rows: of each model; weights and clusters are those of the first.
        is_paired: whether they are compared row by row.
        is_frequency: whether a row of weight 3 stands for three rows.
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
            own = replace(one, weights=weights, clusters=None)
            scored[name] = InMemoryScores.of(own, None, n_threads)
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
        joint.tables,
        scored,
        dict.fromkeys(names, clusters_of_scores),
        _RowFlips(first.classes, first.true, predicted),
    )


def models_of_arrays(
    given: ModelArguments, weights: Any, clusters: Any, options: Mapping[str, Any], **kinds: bool
) -> Models:
    """Models that predicted the same rows, in arrays.

    Args:
        options: ``labels``, ``positive`` and ``n_threads``.
        kinds: ``is_paired`` and ``is_frequency`` of `models_of_rows`.
    """
    for name, value in (("weights", weights), ("clusters", clusters)):
        if isinstance(value, str):
            found = f"karat.compare takes values, and {name}= is {value!r}"
            do = f"Give the values of the column: {name}=table[{value!r}]."
            raise error("K143", argument=name, found=found, do=do)
    true = encode(given.true, "y_true")
    n = len(true)
    w = None
    if weights is not None:
        w = as_weights(weights, n)
        refuse_weights(w)
    of_rows = None if clusters is None else clusters_of_rows(clusters, n)
    predicted = {
        name: encoded_model(values, "y_pred", name) for name, values in given.predicted.items()
    }
    scored = {}
    for name, (argument, values) in given.scores.items():
        guess, scores = given.predicted.get(name), as_scores(values, argument)
        scored[name] = score_rows(given.true, scores, y_pred=guess, weights=w, **options)
    if scored:
        others = {name: column for name, column in predicted.items() if name not in scored}
        rows = scored_models(scored, others, true)
    else:
        rows = aligned_models(true, predicted, options["labels"], options["positive"])
    each = [replace(rows[name], weights=w, clusters=of_rows) for name in given.names]
    return models_of_rows(given.names, each, options["n_threads"], **kinds)


def models_apart(
    given: ModelArguments, weights: Any, clusters: Any, options: Mapping[str, Any], **kinds: bool
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
        each[name] = models_of_arrays(alone, w, groups, options, **kinds)
    classes = _united([one.classes for one in each.values()])
    return Models(
        classes,
        given.names,
        None,
        tuple(_on_classes(one.tables[0], classes) for one in each.values()),
        {name: rows for one in each.values() for name, rows in one.scored.items()},
        {name: one.clusters[name] for name, one in each.items()},
    )


def _of_model(values: Any, name: str, what: str) -> Any:
    """What one model was given of an argument that is a dict of them (K162, K163)."""
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
        if cells.storage == "marginals" or not has_squares or not has_clusters:
            raise error(
                "K166",
                metric=f"The report of {name!r}",
                found="It does not hold all that a variance needs",
                do="Evaluate the rows again, or give y_true and y_pred.",
            )
        tables.append(_on_classes(TableVariance(cells, clusters=clusters), classes))
    return Models(classes, given.names, None, tuple(tables), {}, dict.fromkeys(given.names))


def _on_classes(table: TableVariance, classes: Classes) -> TableVariance:
    """The table on the classes of all models; that of clusters has to be on them (K178)."""
    if table.cells.classes.labels == classes.labels:
        return table
    if table.clusters is not None:
        raise error("K178")
    return TableVariance(reorder(table.cells, classes))


def _united(found: Sequence[Classes]) -> Classes:
    """The classes of all: the same, or the sorted union, of one kind (K201)."""
    first = found[0]
    if all(classes.labels == first.labels for classes in found):
        return first
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

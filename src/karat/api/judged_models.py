"""Several systems with gold labels and a judge's: what a comparison asks of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from karat.api.arguments import wanted_of_scores
from karat.api.judging import (
    check_estimated,
    check_random,
    gold_of,
    judge_columns,
    listed_of,
    parts_with_scores,
    predictions_of,
)
from karat.api.model_arguments import judged_arguments, refuse_whole_tables_of_judges
from karat.api.request.request import Request
from karat.api.sources import columns_to_read, row_arguments
from karat.api.spec import Spec
from karat.data.judged import JudgedRows, judged_arrays, judged_table
from karat.data.labels.counting import count_codes
from karat.data.labels.matrices import display_names
from karat.data.scores.containers import as_scores
from karat.errors import error, shown
from karat.errors.doubts import Doubt
from karat.errors.options import option, outputs_as_typed
from karat.errors.together import refuse
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import ModelValue
from karat.inference.judge.comparison import JudgedModel, judged_differences
from karat.inference.judge.estimates import JudgedLabels, Sample
from karat.metrics import Metric, get
from karat.metrics._applies import check_applies, check_kind
from karat.metrics._lift import Policy
from karat.tally import Classes

_SHARE: Final = "prevalence"
"""Metric of verdicts: the proportion of the positive class."""


@dataclass(frozen=True, eq=False)
class JudgedModels:
    """Systems on the same rows; see `karat.api.models.Compared`.

    Attributes:
        classes: the classes.
        rows: the rows of each system.
        models: the systems, ready to be measured.
    """

    classes: Classes
    rows: Mapping[str, JudgedRows]
    models: Mapping[str, JudgedModel]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.rows)

    @property
    def is_paired(self) -> bool:
        return True

    @property
    def is_of_sets(self) -> bool:
        return False

    @property
    def flip_source(self) -> None:
        return None

    @property
    def n(self) -> Mapping[str, int]:
        return {name: one.rows.n for name, one in self.rows.items()}

    @property
    def n_units(self) -> float:
        """Number of gold rows, or of clusters with one."""
        return min(model.both.gold.n for model in self.models.values())

    @property
    def has_clusters(self) -> bool:
        return any(model.sample.clusters is not None for model in self.models.values())

    @property
    def has_predictions(self) -> bool:
        """True if systems are measured by their predictions; else by the verdicts about them."""
        return all(one.has_predictions for one in self.rows.values())

    def named(self, class_names: Any) -> JudgedModels:
        if class_names is None:
            return self
        return replace(self, classes=self.classes.named(display_names(class_names, self.classes)))

    def defaults(self) -> list[Metric]:
        if not self.has_predictions:
            return [get(_SHARE)]
        is_binary = self.classes.positive is not None
        names = ["accuracy", "f1" if is_binary else "macro_f1"]
        names += ["balanced_accuracy", "matthews_correlation"]
        if all(model.scores is not None for model in self.models.values()):
            names.append("roc_auc" if is_binary else "roc_auc_ovr_macro")
            if all(one.rows.kind != "scores" for one in self.rows.values()):
                names += ["log_loss", "brier"]
        return [get(name) for name in names]

    def every(self) -> list[Metric]:
        if not self.has_predictions:
            return self.defaults()
        one = next(iter(self.rows.values()))
        of_scores: list[Metric] = []
        if all(model.scores is not None for model in self.models.values()):
            assert one.rows.kind is not None
            of_scores = wanted_of_scores(self.classes, None, one.rows.kind)
        pred = predictions_of(one.rows, Spec())
        cells = count_codes(self.classes, one.rows.true, pred)
        return listed_of(cells, of_scores)

    def check(self, wanted: Sequence[Metric]) -> None:
        """Refuse metrics that these systems do not have (K166, K194, K247, K307)."""
        for metric in wanted:
            check_estimated(metric)
            check_applies(metric, self.classes, ())
            missing = [name for name, model in self.models.items() if model.scores is None]
            if metric.needs_scores and missing:
                found = f"It reads probabilities or scores; there are none of {shown(missing)}"
                outputs = outputs_as_typed(of_probabilities=metric.record.reads_probabilities)
                do = f"Give them for every model as {outputs}, or leave the metric out."
                raise error("K166", metric=str(metric), found=found, do=do)
            for one in self.rows.values():
                check_kind(metric, one.rows.kind)
            if not self.has_predictions and str(metric) != _SHARE:
                found = f"Without predictions, verdicts have a proportion: {_SHARE}"
                raise error("K247", name=str(metric), found=found, do="Give y_pred=.")

    def check_labels(self) -> None:
        """Do nothing: labels were aligned."""

    def doubts(self) -> Iterator[Doubt]:
        yield from ()

    def doubts_of(
        self,
        metrics: Sequence[Metric],
        values: Mapping[str, Mapping[str, ModelValue]],
        called: Mapping[str, str],
    ) -> Iterator[Doubt]:
        del metrics, values, called
        yield from ()

    def measured(
        self, wanted: Sequence[Metric], spec: ComparisonSpec, policy: Policy
    ) -> list[tuple[Measured, dict[str, ModelValue]]]:
        return judged_differences(self.models, wanted, spec, policy)

    def label_source(self, spec: ComparisonSpec, policy: Policy) -> None:
        del spec, policy


def judged_models(rows: Mapping[str, JudgedRows], spec: Spec, *, is_random: bool) -> JudgedModels:
    """Return systems, each with its rows (K163, K245)."""
    models = {}
    for name, found in rows.items():
        pred = predictions_of(found.rows, spec)
        if found.gold_weights is None and not is_random:
            check_random(found, pred if found.has_predictions else None)
        clusters = found.rows.cluster_codes
        sample = Sample(found.has_gold, found.rows.weights, found.gold_weights, clusters)
        sample.check_weights()
        labels = JudgedLabels.of(*_on_occurring(found, pred, sample), keeps_rows=True)
        three = None if found.rows.scores is None else parts_with_scores(found, sample, spec)
        models[name] = JudgedModel(sample, labels, three)
    first, *others = rows.values()
    for name, other in zip(list(rows)[1:], others, strict=True):
        if other.rows.n != first.rows.n:
            left, right = next(iter(rows)), name
            facts = {"left": left, "n_left": first.rows.n, "right": right, "n_right": other.rows.n}
            raise error("K102", **facts)
    return JudgedModels(first.classes, rows, models)


def _on_occurring(
    found: JudgedRows, pred: Any, sample: Sample
) -> tuple[Classes, Sample, Any, Any, Any]:
    """The rows of a system, on the classes that occur in them, as in a report of it alone.

    Two classes, declared ones and those of scores all count.
    """
    classes, columns = found.classes, (found.gold, found.judge, pred)
    if classes.k <= _PAIR or classes.is_declared or found.rows.scores is not None:
        return classes, sample, found.gold, found.judge, pred
    places = np.unique(np.concatenate([found.gold[found.has_gold], found.judge, pred]))
    to = np.full(classes.k + 1, -1, np.int64)
    to[places] = np.arange(len(places))
    fewer = replace(classes.some(places.tolist()), positive=None)
    gold, judge, said = (to[codes] for codes in columns)
    return fewer, sample, gold, judge, said


_PAIR: Final = 2


def judged_options(request: Request) -> Spec:
    """Return how systems are measured (K243: an argument that a judge does not have)."""
    refuse("compare", "judge", request.chosen)
    return Spec(policy=request.undefined, n_threads=request.n_threads)


def judged_models_of_arrays(request: Request, spec: Spec) -> JudgedModels:
    """Return the systems of the arguments of `karat.compare`."""
    refuse_whole_tables_of_judges(request)
    systems = judged_arguments(gold_of(request), request)
    names, gold, judge = systems.names, systems.gold, systems.judge
    if len(names) < 2:
        known = f"There is one, {names[0]!r}" if names else "There is none"
        raise error("K161", found=known)

    def of(name: str, labels: Any) -> JudgedRows:
        argument, values = systems.scores.get(name, ("", None))
        scores = None if values is None else as_scores(values, argument)
        return judged_arrays(
            _own(gold, name),
            _own(judge, name),
            systems.predicted.get(name),
            scores,
            gold_weights=request.gold_weights,
            options=replace(options, labels=labels),
        )

    options = row_arguments(request)
    labels = request.labels
    rows = {name: of(name, labels) for name in names}
    return judged_models(_on_one_axis(rows, of, labels), spec, is_random=request.gold_is_random)


def _own(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else values


def _on_one_axis(rows: Mapping[str, JudgedRows], of: Any, labels: Any) -> Mapping[str, JudgedRows]:
    """The rows of every system on the union of their classes."""
    axes = {one.classes.labels for one in rows.values()}
    if len(axes) == 1 or labels is not None:
        return rows
    if any(one.rows.scores is not None for one in rows.values()):
        left, right = sorted(axes, key=len)[-2:]
        raise error("K201", left=str(left), right=str(right))
    union: list[Any] = sorted({label for axis in axes for label in axis})
    united = {name: of(name, union) for name in rows}
    return {name: _discovered(one) for name, one in united.items()}


def _discovered(one: JudgedRows) -> JudgedRows:
    """The rows of a system on classes that were not declared."""
    classes = replace(one.classes, is_declared=False, is_ordered=False)
    return replace(one, rows=replace(one.rows, classes=classes))


def judged_models_of_files(
    sources: Mapping[str, Any], request: Request, spec: Spec
) -> JudgedModels:
    """Return systems whose predictions, or verdicts, are files with the same rows in one order."""

    def of(name: str, labels: Any) -> JudgedRows:
        columns = columns_to_read(request.but(labels=labels))
        return judged_table(sources[name], judge_columns(request), columns)

    rows = _on_one_axis({name: of(name, request.labels) for name in sources}, of, None)
    first, *others = rows.values()
    for name, one in zip(list(rows)[1:], others, strict=True):
        is_same = one.rows.n == first.rows.n and (one.gold == first.gold).all()
        if one.has_predictions and not is_same:
            found = f"The gold labels of {name} differ from those of {next(iter(rows))}"
            do = "Give files with the same rows in the same order: rows are matched by position."
            raise error("K243", argument=option("true"), found=found, do=do)
    return judged_models(rows, spec, is_random=request.gold_is_random)

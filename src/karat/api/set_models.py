"""Several models on rows with sets of labels: the same rows, rows of each, or their reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from karat.api.model_arguments import ModelArguments
from karat.api.models import LabelSource, of_model_alone, without_scores
from karat.api.sets import MultilabelReport, refuse_on_sets
from karat.data.labels.matrices import display_names
from karat.data.sources.arrays.sets import hold_sets, places_of, sets_of_models
from karat.data.table_sets import TableSets, settled_clusters
from karat.errors import error, short
from karat.errors.doubts import Doubt
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Estimate, Flips
from karat.inference.comparison.set_labels import LabelDifference, label_differences
from karat.inference.comparison.sets import estimated_of_sets, paired_sets, sets_apart
from karat.inference.confidence import Confidence
from karat.inference.set_intervals import SetIntervals
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._registry import metrics_of_sets
from karat.tally import Classes, Label
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from karat.tally.shared import common_labels

DEFAULTS: Final = ("subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "macro_f1")
"""The metrics of a comparison of sets when none is named."""


@dataclass(frozen=True, eq=False)
class SetModels:
    """Models of rows with sets of labels, ready to be measured.

    Attributes:
        rows: of each model, on one axis of labels.
        is_paired: whether these are the same rows, compared one by one.
    """

    classes: Classes
    names: tuple[str, ...]
    rows: tuple[SetRows, ...]
    is_paired: bool
    flip_source: _SetFlips | None = None

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
        return [get(name) for name in DEFAULTS]

    def every(self) -> list[Metric]:
        return [m for m in metrics_of_sets() if m.record.in_report and not m.needs_scores]

    def check(self, wanted: Sequence[Metric]) -> None:
        """Refuse metrics that sets do not have, or that read scores (K166, K219, K220)."""
        for metric in wanted:
            if meant_on_sets(metric).needs_scores:
                raise without_scores(metric, self.names)

    def check_labels(self) -> None:
        """Labels that are only predicted are legal."""

    def doubts(self) -> Iterator[Doubt]:
        yield from ()

    def doubts_of(
        self,
        metrics: Sequence[Metric],
        values: Mapping[str, Mapping[str, Estimate]],
        called: Mapping[str, str],
    ) -> Iterator[Doubt]:
        del metrics, values, called
        yield from ()

    def label_source(self, spec: ComparisonSpec, policy: Policy) -> LabelSource | None:
        """The difference of two models in every label, of the same rows."""
        if not self.is_paired:
            return None
        rows, asked = dict(zip(self.names, self.rows, strict=True)), Confidence(spec.level)

        def found(metric: Metric, a: str, b: str) -> list[LabelDifference]:
            meant_on_sets(Metric(metric.record, "macro", metric.params))
            if metric.needs_scores:
                raise without_scores(metric, self.names)
            first, second = (
                SetIntervals(rows[name].tally, asked, rows[name], policy) for name in (a, b)
            )
            n = spec.n_permutations
            return label_differences((first, second), metric, (a, b), spec.seed, n)

        return found

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
    ) -> list[tuple[Measured, dict[str, Estimate]]]:
        asked = Confidence(spec.level)
        models = [SetIntervals(rows.tally, asked, rows, policy) for rows in self.rows]
        parts = (paired_sets if self.is_paired else sets_apart)(models, wanted, spec)
        done = []
        for part in parts:
            each = zip(self.names, part.values, models, strict=True)
            estimates = {
                name: estimated_of_sets(part.metric, value, model) for name, value, model in each
            }
            done.append((part, estimates))
        return done


def are_models_of_sets(given: ModelArguments) -> bool:
    """Whether the rows of models hold sets of labels."""
    if given.reports:
        return any(isinstance(report, MultilabelReport) for report in given.reports.values())
    trues = [given.trues[name] if given.trues else given.true for name in given.names]
    predicted = [given.predicted.get(name) for name in given.names]
    return any(hold_sets(*pair) for pair in zip(trues, predicted, strict=True))


def set_models(
    given: ModelArguments,
    weights: Any,
    clusters: Any,
    options: Mapping[str, Any],
    *,
    is_paired: bool,
    is_frequency: bool,
) -> SetModels:
    """Models of arrays.

    Args:
        options: ``labels``, ``positive`` and ``separator``.

    Errors:
        K222 a model has scores; else as `sets_of_models`.
    """
    if given.reports:
        return _of_reports(given)
    refuse_on_sets(dict(given.scores.values()))
    options = {**options, "is_frequency": is_frequency}
    if given.trues:
        rows = [
            _alone(
                given.trues[name],
                given.predicted[name],
                name,
                weights=of_model_alone(weights, name, "weights"),
                clusters=of_model_alone(clusters, name, "clusters"),
                **options,
            )
            for name in given.names
        ]
        return _on_one_axis(given.names, rows)
    called = {f"y_pred[{name!r}]": values for name, values in given.predicted.items()}
    found = sets_of_models(given.true, called, weights=weights, clusters=clusters, **options)
    rows = [found[f"y_pred[{name!r}]"] for name in given.names]
    return models_of_sets(given.names, rows, is_paired=is_paired)


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
    names: Sequence[str], rows: Sequence[SetRows], *, is_paired: bool = True
) -> SetModels:
    """Models of the same rows, in the same order, on one axis of labels."""
    classes = rows[0].classes
    flips = _SetFlips(classes, dict(zip(names, rows, strict=True)))
    return SetModels(classes, tuple(names), tuple(rows), is_paired, flips)


def compared_rows(models: Sequence[TableSets]) -> list[SetRows]:
    """The rows of models of tables as they are compared: by their labels, in their clusters."""
    return [settled_clusters(replace(one.rows, scores=None)) for one in models]


def _alone(y_true: Any, y_pred: Any, name: str, **options: Any) -> SetRows:
    (rows,) = sets_of_models(y_true, {f"y_pred[{name!r}]": y_pred}, **options).values()
    return rows


def _of_reports(given: ModelArguments) -> SetModels:
    """Models of which there are only reports, made from rows."""
    rows = []
    for name, report in given.reports.items():
        if not isinstance(report, MultilabelReport):
            found = f"The report of {name!r} is of rows with one class, others are of sets"
            raise error("K221", found=found)
        if report.rows is None:
            raise error(
                "K166",
                metric=f"The report of {name!r}",
                found="It was read from JSON, and does not hold all that a variance needs",
                do="Evaluate the rows again, or give y_true and y_pred.",
            )
        rows.append(report.rows)
    return _on_one_axis(given.names, rows)


def _on_one_axis(names: Sequence[str], rows: Sequence[SetRows]) -> SetModels:
    classes = rows[0].classes
    for one in rows[1:]:
        classes = common_labels(classes, one.classes)
    return SetModels(classes, tuple(names), tuple(one.on(classes) for one in rows), False)


@dataclass(frozen=True, eq=False)
class _SetFlips:
    """The sets of every row, from which flips are read."""

    classes: Classes
    rows: Mapping[str, SetRows]

    def __call__(self, a: str, b: str) -> Flips:
        of_a, of_b = self.rows[a], self.rows[b]
        kept = np.flatnonzero(~of_a.gone)
        right = [(one.fields_of_rows.fp + one.fields_of_rows.fn)[:, 0] == 0 for one in (of_a, of_b)]
        differs = right[0] != right[1]
        rows = kept[differs]
        sides = (of_a.true, of_a.pred, of_b.pred)
        true, by_a, by_b = (self._labels(one.at(rows)) for one in sides)
        return Flips(a, b, rows, true, by_a, by_b, right[0][differs])

    def _labels(self, sets: Sets) -> Any:
        """object[n], a frozenset of labels for each row."""
        found = np.empty(len(sets), object)
        ends = zip(sets.starts[:-1].tolist(), sets.starts[1:].tolist(), strict=True)
        for row, (start, stop) in enumerate(ends):
            found[row] = frozenset(self.classes.labels[i] for i in sets.items[start:stop].tolist())
        return found

"""Folds of several models that were tested on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.api.measuring import report_of
from karat.api.model_arguments import ModelArguments
from karat.api.request.request import Request
from karat.api.sources import row_arguments
from karat.api.spec import Spec
from karat.data.accumulator import accumulate
from karat.data.rows import Rows
from karat.data.scores.containers import as_scores
from karat.data.scores.storage import ScoreParts
from karat.data.sources.arrays.rows import label_rows, score_rows
from karat.data.sources.tables.rows import predicted as predicted_rows
from karat.errors import error
from karat.errors.options import option
from karat.errors.together import refuse
from karat.inference.confidence import Confidence
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.tally import Classes

if TYPE_CHECKING:
    from karat.api.results import Comparison
    from karat.results.folds import Folds


def rows_with_folds(arguments: ModelArguments, request: Request) -> list[Rows]:
    """Return the rows of each model with their folds.

    Errors:
        K250 models of different rows, or reports; as `label_rows` and `score_rows`.
    """
    if arguments.trues or arguments.reports:
        what = "Models were measured on different rows" if arguments.trues else "Reports were given"
        do = "Give y_true and the predictions of each model for the same rows and folds."
        raise error("K250", found=what, do=do)
    options = row_arguments(request)
    each = []
    for name in arguments.names:
        predicted = arguments.predicted.get(name)
        if name not in arguments.scores:
            each.append(label_rows(arguments.true, predicted, options))
            continue
        argument, values = arguments.scores[name]
        rows = score_rows(arguments.true, as_scores(values, argument), predicted, options)
        each.append(predicted_rows(rows, None, request.n_threads))
    return each


def folds_of_models(
    names: Sequence[str],
    rows: Sequence[Rows],
    metrics: Sequence[Metric],
    policy: Policy,
    *,
    level: float | None = None,
    classes: Classes | None = None,
) -> dict[str, Folds]:
    """Return the metrics of each model over folds.

    Args:
        rows: the rows of each model, matched.
        level: of intervals of each mean; None for none.
        classes: the classes of all models, for rows of labels alone.

    Errors:
        K251 repeats without ids or clusters; K256 models have different folds.
    """
    first, *others = (_codes(one) for one in rows)
    for name, codes in zip(names[1:], others, strict=True):
        if codes[0] != first[0] or not np.array_equal(codes[1], first[1]):
            raise error("K256", found=f"{name} has other folds than {names[0]} on the same rows")
    confidence = None if level is None else Confidence(level)
    spec = Spec(tuple(metrics), policy, confidence, keeps_curves=False)
    needs_scores = any(metric.needs_scores for metric in metrics)
    found = {}
    for name, one in zip(names, rows, strict=True):
        # Matched rows have the clusters of the first model.
        each = replace(one, clusters=rows[0].clusters if one.clusters is None else one.clusters)
        each = each if needs_scores else replace(each, scores=None)
        if each.scores is None and classes is not None:
            each = replace(each.on(classes), cells=None)
        found[name] = report_of(accumulate(each, ScoreParts(0)), spec).folds
    return found


def _codes(rows: Rows) -> tuple[Any, Any]:
    """Return the names of the folds, and the fold of each row."""
    columns = rows.folds
    for codes in rows.by if columns is not None else ():
        if columns is not None and codes.columns == columns.key:
            return codes.keys, codes.codes
    raise error("K256", found=f"{rows.name} has no folds")


def with_folds(
    whole: Comparison, rows: Sequence[Rows], policy: Policy, *, has_clusters: bool
) -> Comparison:
    """Return the comparison with the differences of its models over folds.

    Args:
        rows: the rows of each model, matched, with their folds.
        has_clusters: whether rows of a cluster count together in the comparison.

    Errors:
        K237 intervals for every look; K251 repeats without clusters; as `folds_of_models`.
    """
    from karat.results.fold_differences import FoldDifferences

    if whole.anytime is not None:
        refuse("compare", "looks", {"folds": True})
    metrics = [get(name) for name in whole.metrics]
    models = folds_of_models(whole.models, rows, metrics, policy, classes=whole.classes)
    axis = next(iter(models.values())).axis
    if axis.n_repeats > 1 and not has_clusters:
        do = f"Name the ids of rows as clusters: {option('clusters', 'id')}."
        raise error("K251", repeat=axis.columns.repeat, n=axis.n_repeats, do=do)
    pairs = dict.fromkeys((one.a, one.b) for one in whole.differences)
    places = [(whole.models.index(a), whole.models.index(b)) for a, b in pairs]
    is_adjusted = whole.adjust != "none"
    found = FoldDifferences.of(models, metrics, places, whole.level, is_adjusted=is_adjusted)
    doubts = next(iter(models.values())).doubts
    return replace(whole, kept_folds=found, notes=(*whole.notes, *doubts))

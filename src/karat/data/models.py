"""Several models on the same rows: their predictions on one class axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.labels.align import align, refuse_outside
from karat.data.labels.column import Column, harmonized
from karat.data.labels.containers import encode
from karat.data.scores.rows import InMemoryScores
from karat.errors import error
from karat.tally import Classes

__all__ = ["ModelColumns", "aligned_models", "encoded_model", "of_scored_models"]

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ModelColumns:
    """True and predicted classes of the same rows.

    Attributes:
        classes: the class axis.
        true: int32[n].
        predicted: int32[n] of each model that predicts classes.
    """

    classes: Classes
    true: Codes
    predicted: dict[str, Codes]


def encoded_model(values: Any, argument: str, model: str) -> Column:
    """The column of one model, named in messages as ``y_pred['forest']``.

    Errors:
        K101 to K107 it holds no labels.
    """
    return encode(values, f"{argument}[{model!r}]")


def aligned_models(
    true: Column, predicted: Mapping[str, Column], labels: Any = None, positive: Any = None
) -> ModelColumns:
    """Every column on one class axis: `labels`, else the sorted union of what occurs in any.

    Errors:
        K102 lengths differ, K108 strings against numbers, K109 outside `labels`, K110 to K112
        unusable `labels` or `positive`, K118 and K124 ordered categories that do not fit.
    """
    columns = list(predicted.values())
    declared = labels
    if labels is None:
        found = [align(true, column).classes.labels for column in columns]
        united = {label for known in found for label in known}
        order = next((column.order for column in (true, *columns) if column.order), None)
        kinds = {column.kind for column in (true, *columns)}
        kind = true.kind if len(kinds) == 1 else "integer"
        if order is None or not united <= set(order):
            declared = harmonized(sorted(united), kind)
        else:
            declared = [label for label in order if label in united]
    sides = [align(true, column, declared, positive) for column in columns]
    classes = sides[0].classes
    if labels is None:
        classes = replace(classes, is_declared=False)
    for aligned in sides:
        for side in (aligned.true, aligned.pred):
            if side.indices().min() < 0:
                raise refuse_outside(side, classes)
    return ModelColumns(
        classes,
        sides[0].true.indices(),
        {name: side.pred.indices() for name, side in zip(predicted, sides, strict=True)},
    )


def of_scored_models(
    scored: Mapping[str, InMemoryScores], others: Mapping[str, Column], true: Column
) -> ModelColumns:
    """Classes are those of the columns of the scores; models without scores join them.

    Errors:
        K109 a prediction is none of those classes; K201 the models have different classes.
    """
    first = next(iter(scored.values()))
    classes, codes = first.classes, first.codes
    for rows in scored.values():
        if rows.classes.labels != classes.labels:
            raise error("K201", left=str(classes.labels), right=str(rows.classes.labels))
    predicted = {}
    if others:
        found = aligned_models(true, others, classes.labels)
        predicted = found.predicted
    predicted |= {name: rows.predicted() for name, rows in scored.items()}
    return ModelColumns(classes, codes, predicted)

"""Several models on the same rows, on one class axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karat.data.labels.align import align, classes_of, codes_within
from karat.data.labels.column import Column, harmonized, of_rows, resolved
from karat.data.labels.containers import encode
from karat.data.rows import Rows
from karat.errors import KaratError, error, shown
from karat.tally.classes import Label


def encoded_model(values: Any, argument: str, model: str) -> Column:
    """Encode the column of one model, named in messages as ``y_pred['forest']``."""
    return encode(values, f"{argument}[{model!r}]")


def aligned_models(
    true: Column, predicted: Mapping[str, Column], labels: Any = None, positive: Any = None
) -> dict[str, Rows]:
    """Return the rows of each model on one class axis: `labels`, else the sorted union.

    Errors:
        K102 lengths differ, K108 strings against numbers, K109 outside `labels`, K110 to K112
        invalid `labels` or `positive`, K118 and K124 ordered categories that do not fit.
    """
    columns = list(predicted.values())
    declared, order = labels, None
    if labels is None:
        found = [align(true, column).classes.labels for column in columns]
        united = {label for known in found for label in known}
        order = next((column.order for column in (true, *columns) if column.order), None)
        kinds = {column.kind for column in (true, *columns)}
        kind = true.kind if len(kinds) == 1 else "integer"
        if order is None or not united <= set(order):
            declared, order = harmonized(sorted(united), kind), None
        else:
            declared = [label for label in order if label in united]
        if len(declared) == 1:
            # The positive class may be the one that does not occur.
            declared = classes_of(tuple(declared), positive).labels
        if len(declared) > 2 and positive is not None:
            raise _three_classes(true, predicted, declared, positive)
    sides = [align(true, column, declared, positive) for column in columns]
    classes = sides[0].classes
    if labels is None:
        classes = replace(classes, is_declared=False).in_order(order)
    codes = [(codes_within(side.true, classes), codes_within(side.pred, classes)) for side in sides]
    return {
        name: Rows(classes, codes[0][0], pred)
        for name, (_, pred) in zip(predicted, codes, strict=True)
    }


def _three_classes(
    true: Column, predicted: Mapping[str, Column], labels: Sequence[Label], positive: Any
) -> KaratError:
    """K112: there is a positive class, and not two classes; the model that adds one is named."""
    try:
        classes_of(tuple(labels), positive)
    except KaratError as problem:
        known = set(resolved(true).seen())
        for column in map(resolved, predicted.values()) if len(known) <= 2 else ():
            others = [label for label in column.seen() if label not in known]
            if not others or len(known) + len(others) <= 2:
                continue
            bad = [i for i, label in enumerate(column.labels or ()) if label in others]
            rows = np.isin(column.codes, np.array(bad) + column.base)
            at = of_rows(rows)
            first = column.label_at(at["row"])
            where = (
                f"{column.argument} has {shown(others, 3)}, first at row {at['row']} ({first!r}; "
            )
            where += f"{at['count']} of {at['n']} rows)"
            facts = {**problem.context, "labels": f"{problem.context['labels']}. {where}"}
            do = "Recode the label there, as np.where(pred == {0!r}, {1!r}, pred), or leave those "
            do += "rows out of every argument. "
            others = [label for label in labels if label in known and label != positive]
            recoded = do.format(first, (others or [positive])[0])
            return error("K112", **{**facts, "do": recoded + str(problem.context["do"])})
        return problem
    raise AssertionError("three classes have no positive one")


def scored_models(
    scored: Mapping[str, Rows], others: Mapping[str, Column], true: Column
) -> dict[str, Rows]:
    """Return the rows of models with scores, and others on their classes (K109, K201)."""
    classes = next(iter(scored.values())).classes
    for rows in scored.values():
        if rows.classes.labels != classes.labels:
            raise error("K201", left=str(classes.labels), right=str(rows.classes.labels))
    return {**scored, **(aligned_models(true, others, classes.labels) if others else {})}

"""Known proportions of the true classes of a population, and rows that are weighted to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import Tallies
from karat.data.rows import Rows
from karat.data.scores.storage import ScoreParts
from karat.errors import KaratError, error, short, shown
from karat.errors.habits import meant_choice
from karat.errors.options import each_option, option
from karat.errors.together import refuse
from karat.tally import Classes, Label, scaled_by_truth
from karat.tally.held_rows import HeldRows

Prevalence: TypeAlias = float | Mapping[Label, float]
"""Proportion of the positive class, or of each class."""
Floats: TypeAlias = npt.NDArray[np.float64]

_SLACK: Final = 1e-6
"""How far a sum of proportions may be from 1: typed numbers are rounded."""
_CHOICES: Final = "a proportion between 0 and 1, as 0.02, or a dict from class to proportion"
_DO: Final = "It is the known proportion of the class in the population, not in these rows."


def checked_prevalence(name: str, value: Any) -> Prevalence:
    """Return proportions as plain numbers (K122)."""
    if not isinstance(value, Mapping):
        return _proportion(name, value)
    found = {_plain(label): _proportion(name, each, label) for label, each in value.items()}
    if len(found) < 2:
        do = "Give the proportion of every class; of two with a positive one, its proportion alone."
        raise error("K122", argument=name, value=value, choices="a dict of every class", do=do)
    total = math.fsum(found.values())
    if abs(total - 1.0) > _SLACK:
        do = f"They add up to {total:.9g}. Give the proportion of every class of the population."
        raise error("K122", argument=name, value=value, choices="proportions that sum to 1", do=do)
    return found


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _proportion(name: str, value: Any, label: Any = None) -> float:
    is_number = not isinstance(value, bool | np.bool_ | str | bytes) and np.ndim(value) == 0
    try:
        found = float(value) if is_number else math.nan
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if 0.0 < found < 1.0:
        return found
    do = _DO if label is None else f"That of {short(label)} is {short(value)}. {_DO}"
    if 1.0 < found < 100.0:
        do = f"Of {found:g} percent the proportion is {found / 100.0:g}. {do}"
    raise error("K122", argument=name, value=value, choices=_CHOICES, do=do)


def at_prevalence(found: Tallies, asked: Prevalence) -> tuple[Tallies, dict[Label, float]]:
    """Return the rows, weighted to these proportions of the true classes, and the proportions.

    The total weight stays, and rows of one true class keep their weights relative to each other.

    Errors:
        K263 the proportions are not those of the classes; K264 scores in buckets; K204 totals.
    """
    held = None
    if found.scores is not None:
        held = found.scores.settled().measured
        if held is None:
            refuse("any", "score histograms", {"prevalence": asked})
            raise AssertionError("score histograms have no losses of each class")
    classes = found.classes
    assert classes is not None
    weights = _weights_of_classes(found, held, classes)
    wanted = _of_classes(asked, classes, weights)
    shares = np.array([wanted.get(label, 0.0) for label in classes.labels])
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(weights > 0.0, shares * (weights.sum() / weights), 1.0)
    return _scaled(found, held, factors), wanted


def _weights_of_classes(found: Tallies, held: HeldRows | None, classes: Classes) -> Floats:
    """float64[k]: the weight of each true class."""
    if found.rows is not None:
        rows = found.rows
        each = rows.weights
        if each is None and rows.repeats is not None:
            each = rows.repeats.n_rows.astype(np.float64)
        return np.bincount(rows.true, each, classes.k).astype(np.float64)
    if held is not None:
        parts = [np.bincount(x.codes, x.weights, classes.k) for x in held.chunks]
        return np.asarray(sum(parts), np.float64)
    assert found.cells is not None
    fields = found.cells.fields
    return np.asarray(fields.tp + fields.fn, np.float64)


def _of_classes(asked: Prevalence, classes: Classes, weights: Floats) -> dict[Label, float]:
    """Return the proportion of each class that has one (K263)."""
    labels, name = classes.labels, option("prevalence")
    if not isinstance(asked, Mapping):
        if classes.positive is None:
            what = f"There are {classes.k} classes"
            do = f"Give the proportion of each class: {shown(labels)}."
            if classes.k == 2:
                what = "Neither of the two classes is named as positive"
                do = f"Name the positive class: {each_option('positive', labels)}."
            found = f"{what}, and one proportion was given"
            raise error("K263", argument=name, found=found, do=do)
        positive = labels[classes.positive]
        asked = {label: asked if label == positive else 1.0 - asked for label in labels}
    texts = {str(label): label for label in labels if not isinstance(label, str)}
    named = {label if label in labels else texts.get(str(label), label): p
             for label, p in asked.items()}  # fmt: skip
    for label in named:
        if label not in labels:
            raise _no_such_class(name, label, classes)
    for label, weight in zip(labels, weights.tolist(), strict=True):
        if weight and label not in named:
            found = f"The class {short(label)} has rows, and no proportion was given"
            raise error(
                "K263", argument=name, found=found, do="Give the proportion of every class."
            )
        if not weight and label in named:
            found = f"The class {short(label)} has a proportion of {named[label]:g}, and no rows"
            do = "Its rows are needed: metrics of the population count how they are predicted."
            raise error("K263", argument=name, found=found, do=do)
    total = math.fsum(named.values())
    return {label: named[label] / total for label in labels if label in named}


def _no_such_class(name: str, label: Any, classes: Classes) -> KaratError:
    found = f"{short(label)} is not one of the classes {shown(classes.labels)}"
    meant = meant_choice(str(label), list(map(str, classes.labels)))
    do = f"Did you mean {meant!r}?" if meant else "Give the proportion of each of these."
    return error("K263", argument=name, found=found, do=do)


def _scaled(found: Tallies, held: HeldRows | None, factors: Floats) -> Tallies:
    """Return every part with the weights of each true class times its factor."""
    changed: dict[str, Any] = {"sliced": tuple(_rows(rows, factors) for rows in found.sliced)}
    if found.cells is not None:
        changed["cells"] = scaled_by_truth(found.cells, factors)
    if found.rows is not None:
        changed["rows"] = _rows(found.rows, factors)
    if held is not None:
        assert found.scores is not None
        changed["scores"] = _scores(found.scores, held, factors)
    return replace(found, **changed)


def _rows(rows: Rows, factors: Floats) -> Rows:
    each, repeats = factors[rows.true], rows.repeats
    weights = each if rows.weights is None else rows.weights * each
    if repeats is not None:
        weights = each * repeats.n_rows if rows.weights is None else weights
        squares = repeats.n_rows if repeats.squares is None else repeats.squares
        repeats = replace(repeats, squares=squares * each**2)
    cells = None if rows.cells is None else scaled_by_truth(rows.cells, factors)
    return replace(rows, weights=weights, repeats=repeats, cells=cells)


def _scores(scores: ScoreParts, held: HeldRows, factors: Floats) -> ScoreParts:
    chunks = []
    for chunk in held.chunks:
        each = factors[chunk.codes]
        weights = each if chunk.weights is None else chunk.weights * each
        chunks.append(replace(chunk, weights=weights, n_given=chunk.n_bytes))
    weighted = replace(held, chunks=tuple(chunks))
    return replace(scores, held=weighted, histograms=None, shape=weighted.shape)

"""Metrics of several models on rows with sets of labels: by the influence of each row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.designs import units_of
from karat.designs.units import Sample, Units
from karat.errors.text import counted
from karat.inference.comparison.contrasts import Pair
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.models import RARE, SWAPS
from karat.inference.comparison.set_swaps import swap_p_values_of_sets
from karat.inference.comparison.shares import PairedShare, with_share
from karat.inference.comparison.sides import apart_by_limits, contrasted
from karat.inference.estimate import Estimate
from karat.inference.set_intervals import SetIntervals, SetLevels
from karat.metrics import Metric
from karat.metrics._of_sets import meant_on_sets, of_rows, values_on_sets
from karat.metrics.reasons import undefined_on_sets
from karat.tally.set_tally import SetRows

Floats: TypeAlias = npt.NDArray[np.float64]


def estimate_of_sets(metric: Metric, model: SetIntervals) -> Estimate:
    """The value of a metric on the rows of a model."""
    values = values_on_sets(metric, model.tally, model.policy)
    undefined = None
    if values.undefined.all() or not math.isfinite(values.value):
        undefined = undefined_on_sets(metric, model.tally, values.undefined) or ""
    value, n = float(values.value), model.tally.n - model.tally.n_unknown
    return Estimate(value, n, undefined, levels=SetLevels(metric, value, model))


def estimate_of_sets_apart(metric: Metric, model: SetIntervals) -> Estimate:
    """The same of rows of its own, with its variance."""
    estimate = estimate_of_sets(metric, model)
    error = model.of(metric, estimate.value).standard_error
    return replace(estimate, variance=math.nan if error is None else error**2)


def on_own_labels(rows: SetRows) -> SetRows:
    """The rows on the labels that occur in them, as in a report of them alone.

    Declared labels, and those of scores, all count.
    """
    k, is_fixed = rows.classes.k, rows.classes.is_declared or rows.scores is not None
    places = np.arange(k) if is_fixed else _occurring(rows)
    if len(places) in (0, k):
        return rows
    own = rows.only(places)
    return replace(own, classes=replace(own.classes, is_declared=False))


def _occurring(*models: SetRows) -> npt.NDArray[np.int64]:
    """int64[k'], labels that are true or predicted in some row; or not known."""
    each = (side for rows in models for side in (rows.true, rows.pred, rows.unknown))
    items = [side.items for side in each if side is not None]
    return np.unique(np.concatenate(items)).astype(np.int64)


def paired_sets(
    models: Sequence[SetIntervals],
    metrics: Sequence[Metric],
    spec: ComparisonSpec,
    rows: Sequence[SetRows],
) -> list[Measured]:
    """Every metric of models on the same rows.

    Args:
        models: their rows in the same order, with the same truth, weights and clusters; each on the
            labels that count for it.
        rows: the same rows of each model, on the labels of all of them.
    """
    units = units_of_sets(models[0])
    same = frozenset(pair for pair in spec.pairs if _predict_the_same(models, pair))
    right = [_right_rows(model) for model in models]
    found = [_paired(models, metric, spec, units, same, right) for metric in metrics]
    return _guarded(found, models, spec, rows)


def _guarded(
    found: list[Measured],
    models: Sequence[SetIntervals],
    spec: ComparisonSpec,
    whole: Sequence[SetRows],
) -> list[Measured]:
    """The same, means over labels of which some have few rows guarded by swap permutation.

    A label that counts for one of two models only is true in no row.
    """
    true = models[0].tally.fields.tp + models[0].tally.fields.fn
    rarest = int(true[true > 0.0].min(initial=math.inf)) if (true > 0.0).any() else RARE
    rare = [one.metric for one in found if meant_on_sets(one.metric).lift == "macro"]
    rows = models[0].rows
    is_simple = _is_plain(models[0]) and rows is not None and rows.weights is None
    is_alike = {(a, b): _has_same_labels(models, (a, b)) for a, b in spec.pairs}
    if (rarest >= RARE and all(is_alike.values())) or not rare or not is_simple:
        return found
    guards: dict[Metric, dict[Pair, tuple[str, float]]] = {metric: {} for metric in rare}
    critical: dict[Metric, dict[Pair, float]] = {metric: {} for metric in rare}
    remark = f"the rarest label has {counted(rarest, 'row')}" if rarest < RARE else None
    for a, b in spec.pairs:
        if rarest >= RARE and is_alike[a, b]:
            continue
        sides = whole[a], whole[b]
        if all(side.scores is None and not side.classes.is_declared for side in sides):
            places = _occurring(*sides)
            if len(places) < sides[0].classes.k:
                sides = sides[0].only(places), sides[1].only(places)
        meant = [meant_on_sets(metric) for metric in rare]
        drawn = swap_p_values_of_sets(
            (sides[0], sides[1]),
            meant,
            spec.n_permutations,
            (spec.seed,),
            models[a].policy,
            spec.level,
            are_occurring=not is_alike[a, b],
        )
        if drawn is None:
            return found
        for metric, p, most in zip(rare, *drawn, strict=True):
            guards[metric][a, b], critical[metric][a, b] = (SWAPS, p), most
    return [
        replace(one, guards=guards[one.metric], critical=critical[one.metric], remark=remark)
        if one.metric in guards
        else one
        for one in found
    ]


def _paired(
    models: Sequence[SetIntervals],
    metric: Metric,
    spec: ComparisonSpec,
    units: Units,
    same: frozenset[Pair],
    right: Sequence[npt.NDArray[np.bool_]],
) -> Measured:
    estimates = [estimate_of_sets(metric, model) for model in models]
    shares = _shares(metric, models)
    if models[0].has_spread:
        for i, (estimate, model) in enumerate(zip(estimates, models, strict=True)):
            phi = model.influence(metric, estimate.value)
            if phi is not None and np.isfinite(phi).all():
                estimates[i] = replace(estimate, influence=phi)
    is_share = shares is not None and _is_plain(models[0])
    if is_share:
        # Limits of shares hold without Student's quantile.
        units = units_of(models[0].asked.design, Sample(units.weights, units.squares))

    def agreeing(pair: Pair) -> tuple[float, float] | None:
        share = float(np.average(right[pair[0]], weights=units.weights))
        return (units.n_effective, share) if pair in same else None

    measured = contrasted(
        metric,
        estimates,
        spec.pairs,
        "influence t",
        units,
        kind_of_limits="none" if is_share else "combined",
        agreeing=agreeing,
        same=same,
    )
    if shares is None or measured.spread is None:
        return measured
    return with_share(measured, shares, units.weights, spec.pairs, is_plain=is_share)


def sets_apart(
    models: Sequence[SetIntervals], metrics: Sequence[Metric], spec: ComparisonSpec
) -> list[Measured]:
    """Every metric of models on rows of their own: independent, so that variances add up."""
    return [
        apart_by_limits(metric, [estimate_of_sets_apart(metric, model) for model in models], spec)
        for metric in metrics
    ]


def units_of_sets(model: SetIntervals) -> Units:
    """The known rows, as their parts in the variance of a difference count."""
    units = model.units
    if model.clusters is not None:
        return units
    factors = np.full(len(units.weights), model.growth)
    sample = Sample(units.weights, units.squares, factors=factors, df=units.df)
    return units_of(model.asked.design, sample)


def _is_plain(model: SetIntervals) -> bool:
    """True if rows are independent and have equal weights."""
    return not model.tally.is_weighted and model.clusters is None


def _right_rows(model: SetIntervals) -> npt.NDArray[np.bool_]:
    """bool[n], known rows of which every label is right."""
    assert model.rows is not None
    fields = model.rows.fields_of_rows
    found: npt.NDArray[np.bool_] = (fields.fp + fields.fn)[:, 0] == 0.0
    return found


def _has_same_labels(models: Sequence[SetIntervals], pair: Pair) -> bool:
    a, b = (models[i].tally.classes.labels for i in pair)
    return a == b


def _predict_the_same(models: Sequence[SetIntervals], pair: Pair) -> bool:
    if not _has_same_labels(models, pair):
        return False
    sides = [models[i].rows for i in pair]
    a, b = (one.known.pred for one in sides if one is not None)
    return np.array_equal(a.starts, b.starts) and np.array_equal(a.items, b.items)


def _shares(metric: Metric, models: Sequence[SetIntervals]) -> PairedShare | None:
    """The share of rows that a metric is; None of other metrics."""
    meant, right = meant_on_sets(metric), []
    if not meant.is_of_rows:
        return None
    for model in models:
        assert model.rows is not None
        each = of_rows(meant, model.rows.fields_of_rows, model.policy)
        is_one = each.value == 1.0
        left_out = each.undefined if model.policy == "exclude" else False
        if not (is_one | (each.value == 0.0)).all() or np.any(left_out):
            return None
        right.append(is_one if meant.better != "lower" else ~is_one)
    return PairedShare.of_rows(right, is_of_wrong_rows=meant.better == "lower")

"""Metrics of scores of several models on rows with sets of labels: by the influence of each row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from karat.designs import units_of
from karat.designs.units import Sample, Units, kish
from karat.inference.comparison.families import Largest, ManyTests, statistic_of
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged
from karat.inference.comparison.records import Difference, ModelValue
from karat.inference.comparison.scored import ScoredModel, compared_models, settled_influence
from karat.inference.comparison.set_labels import LabelDifference, judged_labels, of_one_label
from karat.inference.comparison.set_swaps import n_replicates
from karat.inference.comparison.shares import PairedShare, with_share
from karat.inference.comparison.sides import DIFFERENT_ROWS, contrasted
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate, least_variance
from karat.inference.limits import Floats
from karat.inference.set_moves import Moves, NotTested
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.metrics import Metric
from karat.metrics._of_set_scores import is_of_rows
from karat.metrics._of_sets import meant_on_sets
from karat.metrics.reasons import undefined_of_scores
from karat.tally import ClusteredCells

_PAIR: Final = (0, 1)
_BLOCK: Final = 1 << 21


def compared_scores(
    models: Sequence[SetScoreIntervals],
    metrics: Sequence[Metric],
    spec: ComparisonSpec,
    *,
    is_paired: bool,
) -> list[tuple[Measured, list[ModelValue]]]:
    """Every metric of scores of models, and what is known of each model alone.

    Args:
        models: with intervals at the level of the spec; of the same rows, in the same order and
            with the same truth, where they are paired.
    """
    for model in models:
        model.prepare(m for m in metrics if model.scores.has_all)
    return [_compared(models, metric, spec, is_paired=is_paired) for metric in metrics]


def _compared(
    models: Sequence[SetScoreIntervals], metric: Metric, spec: ComparisonSpec, *, is_paired: bool
) -> tuple[Measured, list[ModelValue]]:
    confidence = Confidence(spec.level)
    estimates = [_estimate(model, metric, spec.level) for model in models]
    shown = [ModelValue.of_estimate(estimate, confidence) for estimate in estimates]
    units = [_units(models[0], metric)]
    # Models on the same rows have the same units.
    units = units * len(models) if is_paired else [_units(model, metric) for model in models]
    moves = [_moves(model, metric, x.value) for model, x in zip(models, estimates, strict=True)]
    remark = None if is_paired else DIFFERENT_ROWS
    untested = [each.reason for each in moves if isinstance(each, NotTested)]
    if untested:
        remark = untested[0]
    else:
        each = zip(estimates, moves, units, strict=True)
        estimates = [_moved(*one, is_paired=is_paired) for one in each]
    if not is_paired and not untested:
        quantile = confidence.quantile(min(each.df for each in estimates))
        estimates = [
            replace(each, least=least_variance(each.distances, quantile)) for each in estimates
        ]
    measured = contrasted(
        metric,
        estimates,
        spec.pairs,
        "influence t" if is_paired else "unpaired t",
        units[0] if is_paired else None,
        kind_of_limits="still",
        remark=remark,
    )
    shares = _shares(models, metric) if is_paired and measured.spread is not None else None
    if shares is not None:
        measured = with_share(measured, shares, units[0].weights, spec.pairs, is_plain=True)
    return measured, shown


def _estimate(model: SetScoreIntervals, metric: Metric, level: float) -> Estimate:
    """The value of a metric with its interval."""
    value = model.scores.value(metric)
    undefined = _undefined(model, metric, value)
    interval = Interval() if undefined is not None else model.of(metric, value)
    return Estimate(value, model.scores.rows.n, undefined, interval=interval, level=level)


def _moved(
    estimate: Estimate, moves: Moves | NotTested, units: Units, *, is_paired: bool
) -> Estimate:
    """The estimate with what moves its value."""
    assert isinstance(moves, Moves)
    phi = settled_influence(units.influence_of(moves.phi), estimate.interval)
    variance = float(units.covariance(phi[None])[0, 0])
    estimate = replace(estimate, n_effective=units.n_effective)
    if not is_paired:
        df = units.degrees_of_value(phi)
        return replace(estimate, variance=variance + moves.growth, df=df)
    return replace(estimate, influence=phi, variance=variance, growth=moves.growth)


def _undefined(model: SetScoreIntervals, metric: Metric, value: float) -> str | None:
    """Reason why the rows of a model do not define a metric, or None."""
    meant = meant_on_sets(metric)
    # Scores of labels alone have no number for what is undefined.
    if not is_of_rows(meant) and math.isfinite(value):
        return None
    undefined = model.scores.values(metric).undefined
    if not undefined.all() and math.isfinite(value):
        return None
    return undefined_of_scores(meant, model.scores.rows.classes, undefined) or ""


def _moves(model: SetScoreIntervals, metric: Metric, value: float) -> Moves | NotTested:
    if not math.isfinite(value):
        return NotTested("the value is undefined or infinite")
    return model.compared_moves(metric, value)


def _units(model: SetScoreIntervals, metric: Metric) -> Units:
    """The rows; what few of them do not show is in their influence."""
    scores = model.scores
    w, clusters = scores.weights, scores.rows.clusters
    if clusters is not None:
        groups = ClusteredCells.of(clusters, np.arange(len(w)), w)
        return units_of(model.asked.design, Sample.of_rows(w, len(w)), groups)
    mass = scores.mean(meant_on_sets(metric)).gain * w if is_of_rows(meant_on_sets(metric)) else w
    n = float(kish(mass.sum(), (mass**2).sum()))
    return units_of(model.asked.design, Sample.of_rows(w, len(w), max(n - 1.0, 1.0)))


def _shares(models: Sequence[SetScoreIntervals], metric: Metric) -> PairedShare | None:
    """The share of independent rows that a metric is; None of other ones."""
    meant = meant_on_sets(metric)
    if not is_of_rows(meant):
        return None
    is_of_wrong_rows, right = meant.better == "lower", []
    for model in models:
        mean, rows = model.scores.mean(meant), model.scores.rows
        is_plain = rows.weights is None and rows.clusters is None and bool((mean.gain == 1.0).all())
        if not is_plain or not np.isin(mean.value, (0.0, 1.0)).all():
            return None
        right.append(mean.value == (0.0 if is_of_wrong_rows else 1.0))
    return PairedShare.of_rows(right, is_of_wrong_rows=is_of_wrong_rows)


def scored_label_differences(
    models: tuple[SetScoreIntervals, SetScoreIntervals],
    metric: Metric,
    names: tuple[str, str],
    spec: ComparisonSpec,
) -> list[LabelDifference]:
    """Every label of two models on the same rows, each as of two classes.

    For all labels at once whole rows are exchanged between the models: to first order that turns
    the sign of what the row moves in the difference of every label, whatever the scales of scores.

    Errors:
        K219 the metric is not of one label; K224 rows list the scores of some labels only.

    Cost: a sort of the scores of each label, and replicates × rows × labels.
    """
    plain, level = of_one_label(metric), spec.level
    for model in models:
        model.scores.check_whole(plain)
    scores = models[0].scores
    k, labels = scores.k, scores.rows.classes.labels
    alone = replace(spec, adjust="none", margin={}, pairs=(_PAIR,))
    measured = [_of_label(models, plain, names, alone, label) for label in range(k)]
    found = [None if one is None else judged(one[0], names, alone)[0] for one in measured]
    p = np.array([1.0 if one is None or one.p is None else one.p for one in found])
    largest = _largest([None if one is None else one[1] for one in measured], spec)
    if largest is None:
        tests = ManyTests.by_holm(p, level)
    else:
        z = np.array([statistic_of(float(each)) for each in p])
        tests = ManyTests.by_largest(p, z, largest, level)
    wide = replace(alone, level=tests.level_of_all(level))
    differences, own, of_all = [], [], []
    for label, n, one, part in zip(labels, scores.label_weights, found, measured, strict=True):
        facts = (math.nan,) * 3 if one is None else (one.value_a, one.value_b, one.difference)
        each = LabelDifference(str(plain), label, *names, *facts, float(n), level=level)
        together = None
        if one is not None and part is not None:
            each = replace(each, p=one.p, method=one.method)
            together = None if one.low is None else judged(part[0], names, wide)[0]
        differences.append(each)
        own.append(_ends(one))
        of_all.append(_ends(together))
    return judged_labels(differences, tests, own, of_all)


def _ends(one: Difference | None) -> tuple[float, float] | None:
    return None if one is None or one.low is None or one.high is None else (one.low, one.high)


def _of_label(
    models: tuple[SetScoreIntervals, SetScoreIntervals],
    plain: Metric,
    names: tuple[str, str],
    spec: ComparisonSpec,
    label: int,
) -> tuple[Measured, Floats] | None:
    """A label as of two classes, and what each row, or cluster, moves in its difference.

    The latter is in standard errors, float64[u]; zeros where no row moves it. None: it is not
    known in any row.
    """
    scores = models[0].scores
    known, codes = scores.columns.known(label), scores.rows.clusters
    own = codes if codes is None or known is None else codes[known]
    weights = scores.weights if known is None else scores.weights[known]
    if not weights.any() or (own is not None and len(np.unique(own[weights > 0.0])) < 2):
        return None
    groups = None if own is None else own.astype(np.int64)
    sides = {
        name: ScoredModel.of(
            model.scores.columns.column(label), [plain], scores.policy, spec.level, groups
        )
        for name, model in zip(names, models, strict=True)
    }
    ((found, _),) = compared_models(sides, [plain], spec, is_paired=True)
    moved = np.zeros(scores.rows.n)
    phi = [side.influence(plain) for side in sides.values()]
    error = math.nan if found.spread is None else math.sqrt(found.spread.variance(*_PAIR))
    if phi[0] is not None and phi[1] is not None and error > 0.0:
        units = next(iter(sides.values())).units(plain)
        part = units.errors_of_rows(phi[0] - phi[1]) / error
        moved[slice(None) if known is None else known] = part
    return found, moved if codes is None else np.asarray(np.bincount(codes, moved), np.float64)


def _largest(moved: Sequence[Floats | None], spec: ComparisonSpec) -> Largest | None:
    """The largest of all differences, in standard errors, of equal models.

    None where that takes too long.
    """
    known = [one for one in moved if one is not None and one.any()]
    n_drawn = n_replicates(spec.n_permutations, sum(map(len, known)))
    if not known or not n_drawn:
        return None
    table, rng = np.stack(known, axis=1), np.random.default_rng([spec.seed])
    step, found = max(1, _BLOCK // max(table.shape)), []
    for start in range(0, n_drawn, step):
        size = min(step, n_drawn - start), len(table)
        signs = 2.0 * rng.integers(0, 2, size) - 1.0
        found.append(np.abs(signs @ table).max(axis=1))
    return Largest(np.sort(np.concatenate(found)))

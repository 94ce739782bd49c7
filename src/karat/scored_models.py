"""Metrics of scores of several models, from the influence of each row on each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from karat.comparison.judging import Measured
from karat.comparison.records import Estimate
from karat.comparison.spreads import Apart, Paired, Spread, Units
from karat.engines.scores import ScoreTally
from karat.errors import KaratError
from karat.metrics import Losses, Metric
from karat.metrics._influence import Rows, influence
from karat.metrics._lift import Policy
from karat.metrics._measure import measure
from karat.tally import ClusteredCells

__all__ = ["row_influence", "scored_metrics", "values_of_scores"]

Floats = npt.NDArray[np.float64]

_NO_INFLUENCE = "it has no influence function, so that no standard error is known"


def row_influence(rows: ScoreTally, metric: Metric) -> Floats | None:
    """float64[n]: influence of each row on a metric of scores; None where it has none."""
    values = np.asarray(rows.scores.values, np.float64)
    positive = rows.classes.positive
    if values.ndim == 1:
        # Half of the score on either side has the softmax of 0 and the score, and ranks as it.
        pair = (1.0 - values, values) if rows.is_prob else (-values / 2.0, values / 2.0)
        values = np.stack(pair[:: 1 if positive == 1 else -1], axis=1)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    given = Rows(rows.codes, values, weights, rows.is_prob, positive)
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            return influence(metric, given)
    except KaratError:
        return None


def values_of_scores(
    scored: Mapping[str, ScoreTally], metrics: Sequence[Metric], policy: Policy
) -> dict[str, dict[Metric, float]]:
    """What every metric of scores gave for every model."""
    return {
        name: {m: float(found.value) for m, found in measure(rows, metrics, policy).items()}
        for name, rows in scored.items()
    }


def scored_metrics(
    scored: Mapping[str, ScoreTally],
    metrics: Sequence[Metric],
    policy: Policy,
    clusters: Mapping[str, npt.NDArray[np.int64] | None],
    *,
    is_paired: bool,
) -> list[tuple[Measured, dict[str, Estimate]]]:
    """Every metric of scores of models, and what is known of each model alone.

    Args:
        clusters: the cluster int64[n] of each row, of each model; all alike where paired.
        is_paired: whether the models scored the same rows.
    """
    values = values_of_scores(scored, metrics, policy)
    done = []
    for metric in metrics:
        phi = {name: row_influence(rows, metric) for name, rows in scored.items()}
        of_models = [values[name][metric] for name in scored]
        units = {name: _units(rows, metric, clusters[name]) for name, rows in scored.items()}
        estimates, variances = {}, []
        for name, value in zip(scored, of_models, strict=True):
            variance = _variance(phi[name], units[name])
            variances.append(variance)
            error = math.sqrt(variance) if math.isfinite(variance) else None
            estimates[name] = Estimate(value, standard_error=error)
        first = next(iter(units.values()))
        spread: Spread | None = None
        if all(part is not None for part in phi.values()):
            if is_paired:
                spread = Paired(np.array(list(phi.values())), first)
            else:
                df = min(unit.df for unit in units.values())
                spread = Apart(np.array(variances), df)
        n = [rows.n_rows for rows in scored.values()]
        method = _method(metric, first, is_paired=is_paired)
        remark = None if spread else _NO_INFLUENCE
        done.append(
            (Measured(metric, of_models, n, spread, method, {}, {}, {}, remark=remark), estimates)
        )
    return done


def _is_area(metric: Metric) -> bool:
    return metric.record.name in ("roc_auc", "gini") and metric.lift == "plain"


def _method(metric: Metric, units: Units, *, is_paired: bool) -> str:
    if not is_paired:
        return "unpaired z" if math.isinf(units.df) else "unpaired t"
    if _is_area(metric) and units.clusters is None:
        return "DeLong"
    return "influence z" if math.isinf(units.df) else "influence t"


def _units(rows: ScoreTally, metric: Metric, clusters: npt.NDArray[np.int64] | None) -> Units:
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    squares = weights * weights
    if clusters is not None:
        by_cluster = ClusteredCells.of(clusters, np.arange(rows.n_rows), rows.weights)
        return Units(weights, squares, by_cluster, df=by_cluster.n_clusters - 1.0)
    if _is_area(metric):
        # Placements of each class vary about a mean of their own (DeLong et al. 1988).
        sums, of_squares = (np.bincount(rows.codes, part) for part in (weights, squares))
        with np.errstate(invalid="ignore", divide="ignore"):
            each = sums**2 / of_squares
            factors = np.where(each > 1.0, each / (each - 1.0), 1.0)[rows.codes]
        return Units(weights, squares, factors=factors)
    n = float(weights.sum()) ** 2 / float(squares.sum())
    factor = n / (n - 1.0) if n > 1.0 else 1.0
    is_mean = metric.record.reads is Losses
    df = max(n - 1.0, 1.0) if is_mean else math.inf
    return Units(weights, squares, factors=np.full(rows.n_rows, factor), df=df)


def _variance(phi: Floats | None, units: Units) -> float:
    if phi is None or not np.isfinite(phi).all():
        return math.nan
    return float(units.covariance(phi[None])[0, 0])

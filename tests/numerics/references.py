"""Which exact computation is that of which metric of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import mpmath
import numpy as np

from karat.metrics import Metric
from karat.tally import CumulativeCounts, quantile_edges
from tests.numerics import exact_calibration as cal
from tests.numerics import exact_scores as ex
from tests.numerics.exact_scores import Number, Row, Scored, high

COLUMNS: Final[dict[str, Callable[..., Any]]] = {
    "roc_auc": ex.area,
    "gini": lambda rows: None if (found := ex.area(rows)) is None else 2 * found - 1,
    "average_precision": ex.step_area,
    "pr_auc_trapezoid": ex.trapezoid_area,
    "ks_statistic": ex.largest_gap,
    "max_informedness": ex.max_informedness,
    "equal_error_rate": ex.equal_errors,
    "gain_at": ex.gain,
    "lift_at": ex.lift,
    "precision_at_k": ex.precision_at_k,
    "recall_at_k": ex.recall_at_k,
    "recall_at_precision": ex.recall_at_precision,
    "max_f_beta": ex.largest_f_beta,
    "min_cost": ex.smallest_cost,
}
"""Of one class against the rest, by its score."""

LINE_BITS: Final = 500


def _line(rows: list[Row], *, slope: bool) -> Any:
    with mpmath.workprec(LINE_BITS):
        return cal.line(rows, slope=slope)


OF_CLASSES: Final[dict[str, Callable[..., Any]]] = {
    "class_calibration_error": lambda rows, bins, scheme, closed, norm: cal.expected(
        cal.binned(rows, bins, closed), norm
    ),
    "brier_miscalibration": lambda rows: cal.brier_parts(rows)[0],
    "brier_discrimination": lambda rows: cal.brier_parts(rows)[1],
    "brier_uncertainty": lambda rows: cal.brier_parts(rows)[2],
    "log_loss_miscalibration": lambda rows: cal.log_parts(rows)[0],
    "log_loss_discrimination": lambda rows: cal.log_parts(rows)[1],
    "log_loss_uncertainty": lambda rows: cal.log_parts(rows)[2],
    "calibration_slope": lambda rows: _line(rows, slope=True)[1],
    "calibration_intercept": lambda rows: _line(rows, slope=True)[0],
    "calibration_in_the_large": lambda rows: _line(rows, slope=False)[0],
}
"""Of one class against the rest, by its probability."""


def _by_quantiles(rows: list[Row], bins: int, closed: Any, norm: str) -> Any:
    """The edges are karat's: they are confidences that occur, and no sums are in them."""
    scores, own = [float(p) for p, *_ in rows], [hit for _, hit, _ in rows]
    cumulative = CumulativeCounts.of(scores, own, [float(w) for *_, w in rows])
    edges = quantile_edges(cumulative, bins, closed).tolist()
    held: dict[int, list[Row]] = {}
    for row in rows:
        place = sum(row[0] > x if closed == "right" else row[0] >= x for x in edges[1:-1])
        held.setdefault(place, []).append(row)
    return cal.expected(list(held.values()), norm)


def _p(rows: list[Row]) -> Any:
    z, _ = cal.spiegelhalter(rows)
    return None if z is None else mpmath.erfc(abs(z) / mpmath.sqrt(2))


OF_CONFIDENCES: Final[dict[str, Callable[..., Any]]] = {
    "expected_calibration_error": lambda rows, bins, scheme, closed, norm: cal.expected(
        cal.binned(rows, bins, closed), norm
    ),
    "adaptive_calibration_error": _by_quantiles,
    "maximum_calibration_error": lambda rows, bins, scheme, closed: cal.largest(
        cal.binned(rows, bins, closed)
    ),
    "debiased_calibration_error": lambda rows, bins, scheme, closed: cal.debiased(
        cal.binned(rows, bins, closed)
    ),
    "expected_calibration_error_if_calibrated": lambda rows, bins, scheme, closed: cal.by_chance(
        cal.binned(rows, bins, closed)
    ),
    "spiegelhalter_z": lambda rows: cal.spiegelhalter(rows)[0],
    "spiegelhalter_p": _p,
}


def _best(rows: list[Row], gain: Callable[[Any, Any, Any, Any], Any]) -> Any:
    """Every threshold with its gain, highest threshold first."""
    pos, neg = ex.sides(rows)
    return [(s, gain(t, f, pos, neg)) for s, t, f in ex.steps(rows)[1:]]


THRESHOLDS: Final[dict[str, Callable[..., Any]]] = {
    "f_beta_threshold": lambda rows, beta: _best(
        rows, lambda t, f, pos, neg: 2 * t / (pos + t + f)
    ),
    "informedness_threshold": lambda rows: _best(
        rows, lambda t, f, pos, neg: t / pos - f / neg if pos and neg else None
    ),
    "cost_threshold": lambda rows, costs: _best(
        rows, lambda t, f, pos, neg: -(pos - t + f) / (pos + neg)
    ),
}
"""Metrics whose value is a threshold, with what makes it the best."""


def _brier(scored: Scored) -> Number:
    values = scored.values if scored.is_prob else [ex.softmax(v) for v in scored.values]
    soft = Scored(scored.truth, values, scored.weights, scored.kind)
    return soft.mean_loss(ex.squared_error)


def _log_loss(scored: Scored, eps: float | None = None) -> Number:
    loss = ex.negative_log_probability if scored.is_prob else ex.soft_negative_log_probability
    if eps is None:
        return scored.mean_loss(loss)
    least, most = -mpmath.log(1 - mpmath.mpf(eps)), -mpmath.log(mpmath.mpf(eps))
    return scored.mean_loss(lambda v, t: min(max(high(loss(v, t)), least), most))


def _one_vs_all_of_logits(logits: Sequence[Fraction], t: int) -> Number:
    return ex.soft_binary_negative_log_probability(ex.exact_odds(logits), t)


def _base(scored: Scored) -> Any:
    return -sum(high(x) * mpmath.log(high(x)) for x in scored.shares if x)


def _d2_log_loss(scored: Scored) -> Any:
    base = _base(scored)
    return 1 - high(_log_loss(scored)) / base if base else None


def _d2_brier(scored: Scored) -> Any:
    base = sum(x * (1 - x) for x in scored.shares)
    value = high(_brier(scored)) * (2 if scored.k == 2 else 1)
    return 1 - value / high(base) if base else None


def _within(scored: Scored, k: int) -> Number:
    return scored.mean_loss(lambda v, t: Fraction(int(ex.place(v, t) < k)))


WHOLE: Final[dict[str, Callable[..., Any]]] = {
    "log_loss": _log_loss,
    "one_vs_all_log_loss": lambda s: s.mean_loss(
        ex.binary_negative_log_probability if s.is_prob else _one_vs_all_of_logits
    ),
    "brier": _brier,
    "hinge_loss": lambda s: s.mean_loss(ex.margin),
    "top_k_accuracy": _within,
    "d2_log_loss": _d2_log_loss,
    "d2_brier": _d2_brier,
    "roc_auc_ovo_macro": lambda s: ex.ovo(s, by_rows=False),
    "roc_auc_ovo_weighted": lambda s: ex.ovo(s, by_rows=True),
    "roc_auc_mu": lambda s, cost: ex.mu(s),
}

SMALL: Final = {"expected_calibration_error_if_calibrated": 10}
"""Metrics whose reference tries everything that might come true: so many rows at most."""


def measure(metric: Metric, scored: Scored) -> Number | None:
    """The exact value; None where the data do not define it."""
    name, params = metric.record.name, dict(metric.params)
    with mpmath.workprec(ex.BITS):
        if name in WHOLE:
            return WHOLE[name](scored, **params)
        if name in OF_CONFIDENCES:
            return OF_CONFIDENCES[name](scored.confidences(), **params)
        of = COLUMNS | OF_CLASSES
        assert name in of, f"write the exact computation of {name} into a table of this file"
        if metric.lift == "plain":
            return of[name](scored.column(1), **params) if scored.k == 2 else None
        if metric.lift == "micro":
            return of[name](scored.pooled(), **params)
        each = [of[name](scored.column(i), **params) for i in range(scored.k)]
        weights = scored.shares if metric.lift == "weighted" else [Fraction(1)] * scored.k
        return ex.mean_of(list(zip(each, weights, strict=True)))


def scale_of(words: str, metric: Metric, scored: Scored) -> float:
    """The number that the words of a bound stand for."""
    own = [min(x for x in scored.shares if x)] if metric.lift != "plain" else [scored.shares[-1]]
    share = float(dict(metric.params).get("share", 1.0))
    if words == "all rows ÷ those of the class":
        return float(1 / own[0])
    if words == "all rows ÷ those of the class ÷ share":
        return float(1 / own[0]) / share
    if words == "the larger of 1 and k ÷ rows of the class":
        k = dict(metric.params)["k"]
        return max(1.0, float(k / (own[0] * sum(scored.weights))))
    if words == "Σ|terms| ÷ standard deviation":
        with mpmath.workprec(ex.BITS):
            return float(cal.spiegelhalter(scored.confidences())[1])
    if words == "the log-loss, at least 1":
        with mpmath.workprec(ex.BITS):
            return max(1.0, float(_log_loss(scored)))
    if words == "(1 + |slope| + |intercept|) × condition of the information":
        with mpmath.workprec(LINE_BITS):
            a, b, condition = cal.line(scored.column(1), slope=True)
            return float((1 + abs(a) + abs(b)) * condition)
    return 1.0 if words in ("1", "the largest cost, without its sign") else np.nan

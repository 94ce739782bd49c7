"""Influence of each row in plain NumPy: the oracle of what is added up natively."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Metric

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """Rows whose influence is asked for.

    Attributes:
        codes: int[n], true class of each row.
        values: float64[n, k], probabilities or scores as given.
        weights: float64[n].
        is_prob: whether the values are probabilities.
        positive: the positive class of two, else None.
    """

    codes: npt.NDArray[Any]
    values: Floats
    weights: Floats
    is_prob: bool
    positive: int | None = None

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(self.values.shape[1])

    @property
    def total(self) -> float:
        """Σw."""
        return float(self.weights.sum())

    @property
    def totals(self) -> Floats:
        """float64[k], weight of each class."""
        return np.bincount(self.codes, self.weights, minlength=self.k).astype(np.float64)


def ranked(rows: Rows) -> Floats:
    """float64[n, k], what ranks rows: of two scores each less the other."""
    if rows.k != 2 or rows.is_prob:
        return rows.values
    return rows.values - rows.values[:, ::-1]


def of_area(own: Flags, scores: Floats, weights: Floats) -> tuple[Floats, float]:
    """Influence on the area under the ROC curve, and the area."""
    distinct, place = np.unique(scores, return_inverse=True)
    u = len(distinct)
    pos = np.bincount(place, weights * own, minlength=u)
    neg = np.bincount(place, weights * ~own, minlength=u)
    n_pos, n_neg = pos.sum(), neg.sum()
    if not (n_pos and n_neg):
        return np.full(len(scores), np.nan), np.nan
    below = (np.cumsum(neg) - neg / 2) / n_neg
    above = (n_pos - np.cumsum(pos) + pos / 2) / n_pos
    value = float((pos * below).sum() / n_pos)
    placement = np.where(own, below[place], above[place])
    share = np.where(own, n_pos, n_neg) / (n_pos + n_neg)
    return (placement - value) / share, value


def of_gini(own: Flags, scores: Floats, weights: Floats) -> tuple[Floats, float]:
    """Influence on the Gini coefficient, and the coefficient."""
    phi, value = of_area(own, scores, weights)
    return 2 * phi, 2 * value - 1


def of_step_area(own: Flags, scores: Floats, weights: Floats) -> tuple[Floats, float]:
    """Influence on the average precision, and the average precision."""
    distinct, place = np.unique(scores, return_inverse=True)
    u = len(distinct)
    total = weights.sum()
    pos = np.bincount(place, weights * own, minlength=u) / total
    both = np.bincount(place, weights, minlength=u) / total
    share = pos.sum()
    if not share:
        return np.full(len(scores), np.nan), np.nan
    at_least = np.cumsum(both[::-1])[::-1]
    precision = np.cumsum(pos[::-1])[::-1] / at_least
    value = float((pos * precision).sum() / share)
    h = np.cumsum(pos / at_least)
    j = np.cumsum(precision * pos / at_least)
    phi = own * (precision + h)[place] - j[place] - share * value - value * (own - share)
    return phi / share, value


def of_pairs(rows: Rows, *, by_support: bool = False) -> Floats:
    """Influence on the mean over ordered pairs of classes (Hand & Till)."""
    totals = rows.totals
    present = [i for i in range(rows.k) if totals[i] > 0]
    pairs = [(i, j) for i in present for j in present if i != j]
    found = {(i, j): _pair(rows, i, j, ranked(rows)[:, i]) for i, j in pairs}
    phi = np.zeros(len(rows.codes))
    if by_support:
        whole = sum(totals[i] + totals[j] for i, j in pairs)
        mean = sum((totals[i] + totals[j]) * found[i, j][2] for i, j in pairs) / whole
        for inside, own, value in found.values():
            phi[inside] += (own + value - mean) * rows.total / whole
        return phi
    for (i, j), (inside, own, _) in found.items():
        phi[inside] += own * rows.total / (totals[i] + totals[j]) / len(pairs)
    return phi


def of_pairs_by_support(rows: Rows) -> Floats:
    """Influence on the mean over pairs of classes weighted by their support."""
    return of_pairs(rows, by_support=True)


def of_mu(rows: Rows, *, cost: Any) -> Floats:
    """Influence on AUC-mu."""
    totals = rows.totals
    present = [i for i in range(rows.k) if totals[i] > 0]
    matrix = 1.0 - np.eye(rows.k) if cost is None else np.asarray(cost, np.float64)
    costs = rows.values @ matrix.T
    pairs = [(i, j) for i in present for j in present if i < j]
    phi = np.zeros(len(rows.codes))
    for i, j in pairs:
        sign = np.sign(matrix[i, j] + matrix[j, i])
        score = rows.values[:, i] - rows.values[:, j]
        if cost is not None:
            score = sign * (costs[:, j] - costs[:, i])
        inside, own, _ = _pair(rows, i, j, score)
        phi[inside] += own * rows.total / (totals[i] + totals[j]) / len(pairs)
    return phi


def _pair(rows: Rows, i: int, j: int, score: Floats) -> tuple[Flags, Floats, float]:
    inside = (rows.codes == i) | (rows.codes == j)
    phi, value = of_area(rows.codes[inside] == i, score[inside], rows.weights[inside])
    return inside, phi, value


def row_losses(rows: Rows, name: str) -> Floats:
    """float64[n]: one loss of each row, by its name in the tally of losses."""
    values, at = rows.values, np.arange(len(rows.codes))
    if name == "margin":
        others = values.copy()
        others[at, rows.codes] = -np.inf
        return np.asarray(np.maximum(0.0, 1.0 - values[at, rows.codes] + others.max(axis=1)))
    if name == "binary_negative_log_probability":
        hit = np.arange(rows.k) == rows.codes[:, None]
        if rows.is_prob:
            return np.asarray(-np.log(np.where(hit, values, 1.0 - values)).mean(axis=1))
        return np.asarray((np.logaddexp(0.0, values) - hit * values).mean(axis=1))
    shifted = values - values.max(axis=1, keepdims=True)
    normal = np.log(np.exp(shifted).sum(axis=1))
    if name == "negative_log_probability":
        if rows.is_prob:
            return np.asarray(-np.log(values[at, rows.codes]))
        return np.asarray(normal - shifted[at, rows.codes])
    p = values if rows.is_prob else np.exp(shifted - normal[:, None])
    hit = np.arange(rows.k) == rows.codes[:, None]
    return np.asarray(((p - hit) ** 2).sum(axis=1))


def of_mean(name: str, *, halved: bool = False) -> Callable[..., Floats]:
    """Influence on the mean of a loss; `halved` for two classes where the sum counts both."""

    def closed_form(rows: Rows, *, eps: float | None = None) -> Floats:
        loss = row_losses(rows, name) / (2.0 if halved and rows.k == 2 else 1.0)
        if eps is not None:
            loss = -np.log(np.clip(np.exp(-loss), eps, 1.0 - eps))
        return np.asarray(loss - np.average(loss, weights=rows.weights))

    return closed_form


def of_places(rows: Rows, *, k: int) -> Floats:
    """Influence on the share of rows whose true class is among the k largest scores."""
    own = rows.values[np.arange(len(rows.codes)), rows.codes][:, None]
    earlier = np.arange(rows.k) < rows.codes[:, None]
    place = ((rows.values > own) | ((rows.values == own) & earlier)).sum(axis=1)
    inside = place < k
    return np.asarray(inside - np.average(inside, weights=rows.weights))


def of_skill(name: str) -> Callable[[Rows], Floats]:
    """Influence on 1 − loss ÷ loss of the class shares."""

    def closed_form(rows: Rows) -> Floats:
        loss = row_losses(rows, name)
        mean = np.average(loss, weights=rows.weights)
        shares = rows.totals / rows.total
        own = shares[rows.codes]
        if name == "negative_log_probability":
            base = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
            moved = -np.log(own) - base
        else:
            base = float((shares * (1.0 - shares)).sum())
            moved = 2.0 * ((shares**2).sum() - own)
        return np.asarray(-(loss - mean) / base + mean / base**2 * moved)

    return closed_form


def of_straight_area(own: Flags, scores: Floats, weights: Floats) -> tuple[Floats, float]:
    """Influence on the area under precision by recall in straight lines, by score level and row."""
    if not (weights * own).any():
        return np.full(len(scores), np.nan), np.nan
    kept = weights > 0
    levels = np.unique(scores[kept])[::-1]
    p = np.array([weights[own & (scores == s)].sum() for s in levels])
    all_here = np.array([weights[scores == s].sum() for s in levels])
    n, share = np.cumsum(all_here), np.cumsum(p) / np.cumsum(all_here)
    before = np.concatenate([[1.0], share[:-1]])
    value = float((p * (share + before)).sum() / 2.0 / p.sum())
    pull = (p + np.append(p[1:], 0.0)) / 2.0
    phi = np.full(len(scores), np.nan)
    for row in np.flatnonzero(kept):
        q = int(np.flatnonzero(levels == scores[row])[0])
        moved = (pull[q:] * (float(own[row]) - share[q:]) / n[q:]).sum()
        phi[row] = own[row] * ((share[q] + before[q]) / 2.0 - value) + moved
    return phi * weights.sum() / p.sum(), value


def of_line(part: str) -> Callable[..., tuple[Floats, float]]:
    """Influence on a logistic recalibration, by a general solver."""

    def closed_form(own: Flags, p: Floats, weights: Floats) -> tuple[Floats, float]:
        x = np.log(p / (1.0 - p))
        design = np.stack([np.ones_like(x), x], axis=1)
        free = design[:, :1] if part == "shift" else design
        fixed = x if part == "shift" else np.zeros_like(x)
        at = np.zeros(free.shape[1])
        for _ in range(100):
            chance = 1.0 / (1.0 + np.exp(-(fixed + free @ at)))
            bend = (free * (weights * chance * (1.0 - chance))[:, None]).T @ free
            at = at + np.linalg.solve(bend, free.T @ (weights * (own - chance)))
        phi = np.linalg.solve(bend / weights.sum(), (free * (own - chance)[:, None]).T)
        which = 1 if part == "slope" else 0
        return phi[which], float(at[which])

    return closed_form


def of_proportion(value: Callable[[float], float]) -> Callable[..., tuple[Floats, float]]:
    """Influence on a function of the share of the class, by a difference."""

    def closed_form(own: Flags, p: Floats, weights: Floats) -> tuple[Floats, float]:
        share = float((weights * own).sum() / weights.sum())
        slope = (value(share + 1e-6) - value(share - 1e-6)) / 2e-6
        return slope * (own - share), value(share)

    return closed_form


def _entropy(r: float) -> float:
    return float(-r * np.log(r) - (1.0 - r) * np.log(1.0 - r))


OF_CLASS: dict[str, Any] = {
    "roc_auc": of_area,
    "gini": of_gini,
    "average_precision": of_step_area,
    "pr_auc_trapezoid": of_straight_area,
    "calibration_slope": of_line("slope"),
    "calibration_intercept": of_line("intercept"),
    "calibration_in_the_large": of_line("shift"),
    "brier_uncertainty": of_proportion(lambda r: r * (1.0 - r)),
    "log_loss_uncertainty": of_proportion(_entropy),
}
OF_ALL: dict[str, Any] = {
    "roc_auc_ovo_macro": of_pairs,
    "roc_auc_ovo_weighted": of_pairs_by_support,
    "roc_auc_mu": of_mu,
    "log_loss": of_mean("negative_log_probability"),
    "one_vs_all_log_loss": of_mean("binary_negative_log_probability"),
    "brier": of_mean("squared_error", halved=True),
    "hinge_loss": of_mean("margin"),
    "top_k_accuracy": of_places,
    "d2_log_loss": of_skill("negative_log_probability"),
    "d2_brier": of_skill("squared_error"),
}
OF_PROBABILITIES = ("calibration", "brier_unc", "log_loss_unc")


def influence(metric: Metric, rows: Rows) -> Floats:
    """float64[n], or float64[k, n] of a metric of each class."""
    name, params = metric.record.name, dict(metric.params)
    if name in OF_ALL:
        found: Floats = OF_ALL[name](rows, **params)
        return found
    params.pop("max_fpr", None)
    values = ranked(rows)
    if name.startswith(OF_PROBABILITIES) and not rows.is_prob:
        values = np.exp(rows.values - rows.values.max(axis=1, keepdims=True))
        values = values / values.sum(axis=1, keepdims=True)
    if metric.lift == "micro":
        own = (np.arange(rows.k) == rows.codes[:, None]).ravel()
        phi, _ = OF_CLASS[name](own, values.ravel(), np.repeat(rows.weights, rows.k), **params)
        return np.asarray(phi.reshape(-1, rows.k).mean(axis=1))
    each = [
        OF_CLASS[name](rows.codes == i, values[:, i], rows.weights, **params) for i in range(rows.k)
    ]
    if metric.lift == "plain":
        assert rows.positive is not None
        return np.asarray(each[rows.positive][0])
    if metric.lift == "per_class":
        return np.stack([phi for phi, _ in each])
    measured = [i for i, (_, value) in enumerate(each) if np.isfinite(value)]
    if metric.lift == "macro":
        return np.asarray(sum(each[i][0] for i in measured) / len(measured))
    shares = rows.totals[measured] / rows.totals[measured].sum()
    values_of = np.array([each[i][1] for i in measured])
    phi = sum(share * each[i][0] for share, i in zip(shares, measured, strict=True))
    # The shares move with the weights too.
    moved = np.zeros(rows.k)
    moved[measured] = (values_of - shares @ values_of) * rows.total / rows.totals[measured].sum()
    return np.asarray(phi + moved[rows.codes])

"""Influence of each row on a metric of scores: φ with T(w + ε·e_i) = T(w) + ε·φ_i / Σw + o(ε).

Closed forms, vectorised: the standard error of a metric, a paired difference or a clustered
variance all follow from φ alone.
`influence` makes the φ of an average from the φ of one class, once for every metric.

Sources: LeDell, Petersen, van der Laan (2015) for the area; Hand, Till (2001) and Kleiman, Page
(2019) for the means of pairs; Hampel (1974) for the method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.metrics._metric import Metric

__all__ = ["Rows", "influence"]

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


def influence(metric: Metric, rows: Rows) -> Floats:
    """float64[n]: the influence of each row on a metric of scores.

    Its mean by weight is 0.

    Errors:
        K120 the metric has no influence function: it is not smooth in the weights.

    Cost: O(n log n) for each column that the metric ranks by.
    """
    record, params = metric.record, dict(metric.params)
    closed_form = record.influence
    if closed_form is None or (metric.lift == "micro"):
        raise error(
            "K120",
            found=f"{metric} has no influence function",
            do="Use the bootstrap for metrics that are a maximum, a quantile or a share of bins.",
        )
    if not record.is_per_class:
        found: Floats = closed_form(rows, **params)
        return found
    if metric.lift == "plain":
        assert rows.positive is not None
        return _of_class(closed_form, rows, rows.positive, params)[0]
    each = [_of_class(closed_form, rows, i, params) for i in range(rows.k)]
    measured = [i for i, (_, value) in enumerate(each) if np.isfinite(value)]
    if metric.lift == "macro":
        return np.asarray(sum(each[i][0] for i in measured) / len(measured))
    shares = rows.totals[measured] / rows.totals[measured].sum()
    values = np.array([each[i][1] for i in measured])
    phi = sum(share * each[i][0] for share, i in zip(shares, measured, strict=True))
    # The shares move with the weights too.
    moved = np.zeros(rows.k)
    moved[measured] = (values - shares @ values) * rows.total / rows.totals[measured].sum()
    return np.asarray(phi + moved[rows.codes])


def _of_class(
    closed_form: Callable[..., Any], rows: Rows, i: int, params: dict[str, Any]
) -> tuple[Floats, float]:
    found: tuple[Floats, float] = closed_form(
        rows.codes == i, rows.values[:, i], rows.weights, **params
    )
    return found


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


def of_whole_area(
    own: Flags, scores: Floats, weights: Floats, *, max_fpr: float | None
) -> tuple[Floats, float]:
    """Influence on the area under the whole ROC curve; part of it has a quantile, hence none.

    Errors:
        K120 only a part of the curve is asked for.
    """
    if max_fpr is not None and max_fpr < 1.0:
        raise error(
            "K120",
            found=f"The area up to max_fpr={max_fpr} has no influence function",
            do="Use the bootstrap for a part of the curve.",
        )
    return of_area(own, scores, weights)


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
    found = {(i, j): _pair(rows, i, j, rows.values[:, i]) for i, j in pairs}
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
    if name == "binary_surprise":
        hit = np.arange(rows.k) == rows.codes[:, None]
        if rows.is_prob:
            return np.asarray(-np.log(np.where(hit, values, 1.0 - values)).mean(axis=1))
        return np.asarray((np.logaddexp(0.0, values) - hit * values).mean(axis=1))
    shifted = values - values.max(axis=1, keepdims=True)
    normal = np.log(np.exp(shifted).sum(axis=1))
    if name == "surprise":
        if rows.is_prob:
            return np.asarray(-np.log(values[at, rows.codes]))
        return np.asarray(normal - shifted[at, rows.codes])
    p = values if rows.is_prob else np.exp(shifted - normal[:, None])
    hit = np.arange(rows.k) == rows.codes[:, None]
    return np.asarray(((p - hit) ** 2).sum(axis=1))


def of_mean(name: str, *, halved: bool = False) -> Callable[[Rows], Floats]:
    """Influence on the mean of a loss; `halved` for two classes where the sum counts both."""

    def closed_form(rows: Rows) -> Floats:
        loss = row_losses(rows, name) / (2.0 if halved and rows.k == 2 else 1.0)
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
    """Influence on 1 − loss ÷ loss of the class shares, for "surprise" or "quadratic"."""

    def closed_form(rows: Rows) -> Floats:
        loss = row_losses(rows, name)
        mean = np.average(loss, weights=rows.weights)
        shares = rows.totals / rows.total
        own = shares[rows.codes]
        if name == "surprise":
            base = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
            moved = -np.log(own) - base
        else:
            base = float((shares * (1.0 - shares)).sum())
            moved = 2.0 * ((shares**2).sum() - own)
        return np.asarray(-(loss - mean) / base + mean / base**2 * moved)

    return closed_form

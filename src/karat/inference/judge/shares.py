"""Proportions of the classes: prediction-powered, and by the judge's confusion (Rogan–Gladen)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from karat.designs.judge import Both
from karat.inference.confidence import Confidence, Interval
from karat.inference.judge.labels import Codes, Powered, is_wider, rows_of_equal_weight, two_sided
from karat.inference.limits import Floats
from karat.inference.value_limits import limits_of_share, textbook, within

_LEAST_CONTRAST = 1e-6
"""Smallest singular value of a confusion of a judge that is inverted."""
_UNIT = 0.0, 1.0


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Labels of the gold rows by a person and by the judge, and of the reference rows by the judge.

    Attributes:
        k: number of classes.
        both: weights of the rows, or of cells of equal ones.
        gold, judge: int64[g], classes of the gold rows.
        reference: int64[r], the judge's classes of the reference rows.
    """

    k: int
    both: Both
    gold: Codes
    judge: Codes
    reference: Codes

    def share(self, place: int, confidence: Confidence) -> Powered:
        """Return the prediction-powered proportion of one class, with Wilson limits."""
        both = self.both
        of_gold, of_judge, of_rest = (
            (codes == place).astype(np.float64) for codes in (self.gold, self.judge, self.reference)
        )
        alone = both.gold.mean(of_gold)
        tuned = both.tuned(of_gold, of_judge, of_rest)
        value = alone
        if tuned.weight:
            value += tuned.weight * (both.reference.mean(of_rest) - both.gold.mean(of_judge))
        value = min(max(value, 0.0), 1.0)
        n = rows_of_equal_weight(both, of_gold, tuned) * tuned.gain
        limits = limits_of_share(value, n, tuned.df, confidence)
        without = self.gold_share(place, two_sided(confidence))
        if tuned.weight and is_wider(Interval(*limits), without.interval):
            return self.gold_share(place, confidence)
        low, high = confidence.one_sided(*limits, _UNIT)
        return Powered(value, Interval(low, high, "wilson", math.sqrt(tuned.variance)), tuned, n)

    def gold_share(self, place: int, confidence: Confidence) -> Powered:
        """Return the proportion of one class by the gold rows alone."""
        both = self.both
        of_gold = (self.gold == place).astype(np.float64)
        tuned = both.tuned(of_gold, 0.0 * of_gold, np.zeros(len(self.reference)))
        alone = both.gold.mean(of_gold)
        n = rows_of_equal_weight(both, of_gold, tuned)
        limits = confidence.one_sided(*limits_of_share(alone, n, tuned.df, confidence), _UNIT)
        return Powered(alone, Interval(*limits, "wilson", math.sqrt(tuned.variance)), tuned, n)

    def judged_share(self, place: int) -> float:
        """Return the proportion of one class by the judge alone."""
        return self.both.reference.mean((self.reference == place).astype(np.float64))

    def corrected(self, confidence: Confidence) -> list[tuple[float, Interval]]:
        """Return the proportion of every class by the judge's labels and its confusion.

        With M the judge's labels by true class, on the gold rows, and q the judge's proportions on
        the reference rows, it is the solution p of Mᵀp = q. Errors of M and of q count (delta
        method).

        Ref: Rogan, Gladen (1978). American Journal of Epidemiology 107.
        """
        k, both = self.k, self.both
        joint = np.bincount(self.gold * k + self.judge, both.gold.shares, k * k).reshape(k, k)
        own = joint.sum(axis=1)
        none = [(math.nan, Interval(remark=_why_not(own))) for _ in range(k)]
        if not (own > 0.0).all():
            return none
        judged = joint / own[:, None]
        if np.linalg.svd(judged, compute_uv=False).min() < _LEAST_CONTRAST:
            return none
        seen = np.bincount(self.reference, both.reference.shares, k)
        inverse = np.linalg.inv(judged.T)
        found = inverse @ seen
        # δp = M⁻ᵀ(δq − δMᵀp): what each row adds to q, or to the row of M of its true class.
        one = np.eye(k)
        of_gold = -(one[self.judge] - judged[self.gold]) * (found / own)[self.gold][:, None]
        of_rest = one[self.reference] - seen
        shares = []
        for place in range(k):
            moves = of_gold @ inverse[place], of_rest @ inverse[place]
            error = math.sqrt(both.variance(*moves, n_fitted=k))
            shares.append(_limited(float(found[place]), error, confidence))
        return shares


def _limited(value: float, error: float, confidence: Confidence) -> tuple[float, Interval]:
    method = "logit" if 0.0 < value < 1.0 and error > 0.0 else "wald"
    limits = textbook(value, error, confidence.quantile(), _UNIT, method)
    value = min(max(value, 0.0), 1.0)
    return value, within(replace(limits, standard_error=error), value, _UNIT, confidence)


def _why_not(own: Floats) -> str:
    if not (own > 0.0).all():
        return "a class has no gold label"
    return "the judge's labels do not depend on the class"

"""Decompositions of scores: miscalibration, discrimination and uncertainty.

Three parts of a mean score S, after isotonic recalibration of the probabilities of a class: S =
miscalibration − discrimination + uncertainty, each at least 0, without tuning parameters.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import ClassProbabilities, score_metric
from karat.metrics._bounds import unmoved
from karat.metrics._influence.forms import ISOTONIC, ShareInfluence
from karat.metrics._regression import Recalibrated, recalibrated
from karat.metrics._rounding import linear
from karat.metrics._scored import by_hand
from karat.metrics._views import dot

DIMITRIADIS_2021 = (
    "Dimitriadis, Gneiting, Jordan (2021). Stable reliability diagrams for probabilistic "
    "classifiers. PNAS 118."
)
MURPHY_1973 = "Murphy (1973). A new vector partition of the probability score. J. Appl. Met. 12."

INFINITE = "the true side of a row has probability 0, so the log-loss is infinite"

Floats: TypeAlias = npt.NDArray[np.float64]


# 0.2 false, 0.3 true, 0.4 and 0.6 false, 0.9 true: the middle three fall, so that all of them are
# recalibrated to 1/3.
five = partial(by_hand, y_true=(0, 1, 0, 0, 1), y_prob=(0.2, 0.3, 0.4, 0.6, 0.9))
weighted = partial(five, weights=(2, 1, 1, 1, 3))

_BRIER = "(0.04 + 0.49 + 0.16 + 0.36 + 0.01)/5"
_LOG = "-(log(0.8) + log(0.3) + log(0.6) + log(0.4) + log(0.9))/5"
_LEFT = "-(log(1/3) + 2*log(2/3))"

_brier = partial(
    score_metric, averages=("macro",), references=(DIMITRIADIS_2021, MURPHY_1973), since="0.2"
)
_log_loss = partial(
    score_metric, averages=("macro",), references=(DIMITRIADIS_2021,), since="0.2", in_report=False
)


@_brier(
    formula="mean (p − y)² − mean (x − y)², x: the isotonic recalibration of p",
    latex=r"\overline{(p - y)^2} - \overline{(x - y)^2}",
    aliases=("brier_mcb", "brier_reliability"),
    cases=[
        five(gives=f"{_BRIER} - 2/15"),
        weighted(gives="(2*0.04 + 0.49 + 0.16 + 0.36 + 3*0.01 - 2/3)/8"),
    ],
    no_influence=ISOTONIC,
    is_extreme=True,
    rounding=linear(absolute=(4, 64)),
    better="lower",
    perfect=0.0,
)
def brier_miscalibration(c: ClassProbabilities) -> float:
    """Part of the Brier score that isotonic recalibration of the probabilities removes.

    The reliability term of Murphy's decomposition, without bins. It is fitted to the rows that it
    is measured on: on few rows, chance makes it positive.
    """
    # (p − y)² − (x − y)² = (p − x)(p + x − 2y), summed over the rows of a score level.
    fit = c.made(recalibrated)
    gain = 0.0
    for p, misses, hits, x in fit.walk():
        gain += float(((p - x) * (misses * (p + x) + hits * (p + x - 2.0))).sum())
    return max(gain / _weight(fit), 0.0)


@_brier(
    formula="mean (r − y)² − mean (x − y)², x: the isotonic recalibration of p, "
    "r: the fraction of the class",
    latex=r"\overline{(r - y)^2} - \overline{(x - y)^2}",
    aliases=("brier_dsc", "brier_resolution"),
    range=(0.0, 0.25),
    better="higher",
    cases=[five(gives="0.24 - 2/15"), weighted(gives="0.25 - 2/24")],
    no_influence=ISOTONIC,
    is_extreme=True,
    rounding=linear(absolute=(4, 64)),
)
def brier_discrimination(c: ClassProbabilities) -> float:
    """Difference in Brier score between the class proportion and the recalibrated probabilities.

    The resolution term of Murphy's decomposition, without bins: the ability to separate the
    classes, independent of calibration.
    """
    # The mean of x over a block is its proportion of hits, so that the cross term vanishes.
    fit = c.made(recalibrated)
    share = fit.n_hits / _weight(fit)
    weight = fit.block_hits + fit.block_misses
    return dot(weight, (fit.block_values - share) ** 2) / _weight(fit)


@_brier(
    formula="fraction of the class × fraction of the others",
    latex=r"r (1 - r)",
    aliases=("brier_unc",),
    range=(0.0, 0.25),
    cases=[five(gives="0.24"), weighted(gives="4/8*(4/8)")],
    influence=ShareInfluence(
        value=lambda own, rest: own * rest, slope=lambda own, rest: rest - own
    ),
    bounds=unmoved,
    rounding=linear(relative=(2, 8)),
)
def brier_uncertainty(c: ClassProbabilities) -> float:
    """Brier score of predicting the class proportion for every row: a property of the data."""
    fit = c.made(recalibrated)
    return fit.n_hits * fit.n_misses / _weight(fit) ** 2


@_log_loss(
    formula="log-loss of p − log-loss of x, x: the isotonic recalibration of p",
    latex=r"\overline{\ell(p, y)} - \overline{\ell(x, y)}",
    aliases=("log_loss_mcb",),
    range=(0.0, math.inf),
    undefined=INFINITE,
    cases=[five(gives=f"{_LOG} - ({_LEFT})/5")],
    no_influence=ISOTONIC,
    is_extreme=True,
    rounding=linear(relative=(1, 16), absolute=(2, 32), scale="the log-loss, at least 1"),
    better="lower",
    perfect=0.0,
)
def log_loss_miscalibration(c: ClassProbabilities) -> float:
    """Part of the log-loss that isotonic recalibration of the probabilities removes.

    It refers to the class against the rest.
    """
    fit = c.made(recalibrated)
    best = _least_negative_log_probability(fit.block_misses, fit.block_hits)
    return max((_negative_log_probability(fit) - best) / _weight(fit), 0.0)


@_log_loss(
    formula="log-loss of r − log-loss of x, x: the isotonic recalibration of p, "
    "r: the fraction of the class",
    latex=r"\overline{\ell(r, y)} - \overline{\ell(x, y)}",
    aliases=("log_loss_dsc",),
    range=(0.0, math.log(2.0)),
    better="higher",
    cases=[five(gives=f"-(0.4*log(0.4) + 0.6*log(0.6)) - ({_LEFT})/5")],
    no_influence=ISOTONIC,
    is_extreme=True,
    rounding=linear(absolute=(2, 32)),
)
def log_loss_discrimination(c: ClassProbabilities) -> float:
    """Difference in log-loss between the class proportion and the recalibrated probabilities.

    It refers to the class against the rest.
    """
    fit = c.made(recalibrated)
    best = _least_negative_log_probability(fit.block_misses, fit.block_hits) / _weight(fit)
    return max(_entropy(fit) - best, 0.0)


@_log_loss(
    formula="−r·ln r − (1 − r)·ln(1 − r), r: the fraction of the class",
    latex=r"-r \ln r - (1 - r) \ln (1 - r)",
    aliases=("log_loss_unc",),
    range=(0.0, math.log(2.0)),
    cases=[five(gives="-(0.4*log(0.4) + 0.6*log(0.6))")],
    influence=ShareInfluence(
        value=lambda own, rest: -own * math.log(own) - rest * math.log(rest),
        slope=lambda own, rest: math.log(rest / own),
    ),
    bounds=unmoved,
    rounding=linear(relative=(3, 16)),
)
def log_loss_uncertainty(c: ClassProbabilities) -> float:
    """Log-loss of predicting the class proportion for every row: a property of the data."""
    return _entropy(c.made(recalibrated))


def _weight(fit: Recalibrated) -> float:
    return fit.n_hits + fit.n_misses


def _negative_log_probability(fit: Recalibrated) -> float:
    """Log-loss of the probabilities as given, summed over the rows."""
    total = 0.0
    for p, misses, hits, _ in fit.walk():
        of_hits, of_misses = hits > 0, misses > 0
        with np.errstate(divide="ignore"):
            total += dot(hits[of_hits], np.log(p[of_hits]))
            total += dot(misses[of_misses], np.log1p(-p[of_misses]))
    return 0.0 - total


def _least_negative_log_probability(misses: Floats, hits: Floats) -> float:
    """Log-loss of predicting the proportion of hits in each block, summed over the rows."""
    of_hits, of_misses = hits > 0, misses > 0
    in_hits = dot(hits[of_hits], _log_share(hits[of_hits], misses[of_hits]))
    in_misses = dot(misses[of_misses], _log_share(misses[of_misses], hits[of_misses]))
    return 0.0 - (in_hits + in_misses)


def _log_share(part: Floats, rest: Floats) -> Floats:
    """Ln of part ÷ (part + rest), which does not round away a small rest."""
    whole, is_most = part + rest, part > rest
    found = np.log(part / whole)
    found[is_most] = np.log1p(-(rest / whole)[is_most])
    return found


def _entropy(fit: Recalibrated) -> float:
    misses, hits = np.array([fit.n_misses]), np.array([fit.n_hits])
    return _least_negative_log_probability(misses, hits) / _weight(fit)

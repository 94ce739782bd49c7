"""Designs of simultaneous bands: how often one contains the whole curve of the population."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import karat
from benchmarks.coverage.tests import Trial

__all__ = ["curves"]

FAMILY = "bands"
CONTAINS = "contains the whole curve"
N_BINS = 15
SAMPLES = 500
_SLACK = 1e-9
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Scores:
    """Rows whose scores are normal, with variance 1 where they are not of the class.

    Attributes:
        n, share: rows of a sample, and how many of them are of the class, by chance.
        shift, spread: mean and standard deviation of the scores of the class.
        n_levels: tied levels that scores are rounded to; 0: none.
    """

    n: int
    share: float
    shift: float
    spread: float = 1.0
    n_levels: int = 0

    @property
    def borders(self) -> Floats:
        """Above each, scores are called positive: best first."""
        if self.n_levels:
            inner = np.linspace(-1.5, self.shift + 1.5, self.n_levels - 1)[::-1]
            return np.array([np.inf, *inner, -np.inf])
        return np.linspace(self.shift + 6.0 * self.spread, min(-6.0, -6.0 * self.spread), 3000)

    def rates(self, borders: Floats) -> tuple[Floats, Floats]:
        """False and true positive rate at scores above each border."""
        from scipy.special import ndtr

        return ndtr(-borders), ndtr((self.shift - borders) / self.spread)

    def whole(self) -> tuple[Floats, Floats]:
        """The ROC curve of the population at many points; ties are straight lines."""
        fpr, tpr = self.rates(self.borders)
        if not self.n_levels:
            return fpr, tpr
        places = np.arange(len(fpr))
        at = np.linspace(0.0, len(fpr) - 1.0, 40 * (len(fpr) - 1) + 1)
        return np.interp(at, places, fpr), np.interp(at, places, tpr)

    def probability(self, scores: Floats) -> Floats:
        """What a model of equal spreads gives."""
        odds = np.log(self.share / (1.0 - self.share)) - self.shift**2 / 2.0
        return np.asarray(1.0 / (1.0 + np.exp(-odds - self.shift * scores)))

    def proportions(self) -> Floats:
        """float64[b]: how many rows of each bin of probabilities are of the class."""
        inner = np.arange(1, N_BINS) / N_BINS
        odds = np.log(inner / (1.0 - inner)) - np.log(self.share / (1.0 - self.share))
        borders = (odds + self.shift**2 / 2.0) / self.shift
        if self.n_levels:
            # The whole level lies where its score does.
            levels = self.borders[::-1]
            borders = levels[np.searchsorted(self.rounded(levels[1:-1] + 1e-9), borders) + 1]
        fpr, tpr = self.rates(np.concatenate([[-np.inf], borders, [np.inf]]))
        others, own = -np.diff(fpr) * (1.0 - self.share), -np.diff(tpr) * self.share
        with np.errstate(invalid="ignore"):
            return np.asarray(own / (own + others))

    def rounded(self, scores: Floats) -> Floats:
        """Scores as they are, or the middle of their level."""
        if not self.n_levels:
            return scores
        inner = self.borders[-2:0:-1]
        step = float(np.diff(inner)[0])
        return np.asarray(inner[0] + step * (np.searchsorted(inner, scores) - 0.5))

    def drawn(self, rng: np.random.Generator) -> tuple[npt.NDArray[np.int64], Floats]:
        """Truth and probabilities of a sample with rows of both kinds."""
        y = np.zeros(self.n, np.int64)
        while not 0 < y.sum() < self.n:
            y = (rng.random(self.n) < self.share).astype(np.int64)
        scores = np.where(y, self.shift + self.spread * rng.normal(size=self.n), 0.0)
        return y, self.probability(self.rounded(np.where(y, scores, rng.normal(size=self.n))))


def curves(rng: np.random.Generator) -> Iterator[Trial]:
    """Nine populations, each with the bands of three curves."""
    del rng
    for told, scores in (
        ("normal scores, shift 1", _Scores(100, 0.5, 1.0)),
        ("few positives, shift 2", _Scores(300, 0.05, 2.0)),
        ("well separated, shift 3", _Scores(250, 0.2, 3.0)),
        ("weak, shift 0.3", _Scores(1100, 0.1, 0.3)),
        ("6 tied levels, shift 1.2", _Scores(240, 1 / 3, 1.2, n_levels=6)),
        ("unequal spread, shift 1", _Scores(4000, 0.25, 1.0, 1.5)),
        ("few rows, shift 1.5", _Scores(40, 0.5, 1.5)),
        ("20 tied levels, shift 1.5", _Scores(600, 0.2, 1.5, n_levels=20)),
        ("no concave curve, shift 0.5", _Scores(400, 0.3, 0.5, 0.4)),
    ):
        name = f"{told}, {scores.share:.0%} positive, n={scores.n}"
        yield Trial(FAMILY, name, _source(scores), {CONTAINS: "94 to 97"}, most=SAMPLES)


def _source(scores: _Scores) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    fpr, tpr = scores.whole()
    proportions = scores.proportions()
    is_found = tpr > 0.0
    recall, odds = tpr[is_found], scores.share / (1.0 - scores.share)
    precision = 1.0 / (1.0 + fpr[is_found] / (recall * odds))

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        y, p = scores.drawn(rng)
        found = {}
        for name, x, truth in (
            ("roc", fpr, tpr),
            ("precision_recall", recall, precision),
            ("reliability", None, proportions),
        ):
            band = getattr(karat.curves, name)(y, y_prob=p).band()
            low, high = band.low, band.high
            if x is not None:
                low, high = np.interp(x, band.x, low), np.interp(x, band.x, high)
            is_in = (truth >= low - _SLACK) & (truth <= high + _SLACK)
            found[name, CONTAINS] = bool((is_in | np.isnan(low)).all())
        return found

    return source

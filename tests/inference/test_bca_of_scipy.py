"""BCa intervals of metrics of labels and scores are those of SciPy, but for Monte-Carlo error.

A limit by BCa is a quantile of the replicates, of a level that follows from the share of replicates
below the value. Both shares are of B replicates, so that the level at which a limit lies in the
replicates of another generator differs by a normal number, whose variance `level_error` derives.

Karat draws rows of scores as Poisson numbers, SciPy as many as there are: the standard error of its
replicates is larger by 1 ÷ 2n, which so many of them hardly show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import karat
from tests.optional import optional

stats = optional("scipy.stats")
special = optional("scipy.special")

Floats = npt.NDArray[np.float64]
N_REPLICATES: Final = 20_000
MOST: Final = 4.0
"""Standard errors of the simulation between two runs: of 28 limits one is farther in 600 tries."""


@dataclass(frozen=True)
class Rows:
    """Rows of two classes with probabilities, none of which is equal to another."""

    y: npt.NDArray[np.int64]
    p: Floats

    @classmethod
    def drawn(cls, n: int, share: float, seed: int) -> Rows:
        """Some positives look like negatives: losses are skewed, and areas rest on few rows."""
        rng = np.random.default_rng(seed)
        y = (np.arange(n) < round(share * n)).astype(np.int64)
        z = rng.normal(size=n) + 2.4 * y * (rng.random(n) > 0.12) - 1.0
        return cls(y, 1.0 / (1.0 + np.exp(-1.5 * z)))

    def counted(self, name: str, counts: Floats) -> Floats:
        """A metric of samples that hold each row so many times: counts [b, n]."""
        y, said = self.y == 1, self.p >= 0.5
        tp, fp, fn, tn = (
            counts[:, side].sum(axis=1) for side in (y & said, ~y & said, y & ~said, ~y & ~said)
        )
        if name == "accuracy":
            return np.asarray((tp + tn) / (tp + fp + fn + tn))
        if name == "f1":
            return np.asarray(2.0 * tp / (2.0 * tp + fp + fn))
        if name == "matthews_correlation":
            below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
            return np.asarray((tp * tn - fp * fn) / np.sqrt(below))
        if name == "brier":
            return np.asarray(counts @ (self.p - self.y) ** 2 / counts.sum(axis=1))
        if name == "log_loss":
            losses = -np.log(np.where(y, self.p, 1.0 - self.p))
            return np.asarray(counts @ losses / counts.sum(axis=1))
        order = np.argsort(-self.p)
        own, rest = counts[:, order] * y[order], counts[:, order] * ~y[order]
        own_above, rest_above = own.cumsum(axis=1), rest.cumsum(axis=1)
        n_own = own_above[:, -1:]
        if name == "average_precision":
            seen = np.maximum(own_above + rest_above, 1.0)
            return np.asarray((own * own_above / seen).sum(axis=1) / n_own[:, 0])
        assert name == "roc_auc"
        return np.asarray((rest * own_above).sum(axis=1) / (n_own[:, 0] * rest_above[:, -1]))

    def value(self, name: str) -> float:
        return float(self.counted(name, np.ones((1, len(self.y))))[0])

    def acceleration(self, name: str) -> float:
        """By leaving out each row."""
        values = self.counted(name, 1.0 - np.eye(len(self.y)))
        u = values.mean() - values
        return float((u**3).sum() / (6.0 * (u**2).sum() ** 1.5))

    def scipy(self, name: str, seed: int) -> Any:
        """What SciPy's bootstrap finds."""
        n = len(self.y)

        def statistic(places: Any, axis: int = -1) -> Any:
            at = np.moveaxis(places, axis, -1).astype(np.intp)
            flat = at.reshape(-1, at.shape[-1])
            keys = flat + n * np.arange(len(flat))[:, None]
            counts = np.bincount(keys.ravel(), minlength=n * len(flat)).reshape(-1, n)
            return self.counted(name, counts.astype(np.float64)).reshape(at.shape[:-1])

        return stats.bootstrap(
            (np.arange(n),), statistic, n_resamples=N_REPLICATES, method="BCa", vectorized=True,
            batch=4000, rng=np.random.default_rng(seed),
        )  # fmt: skip

    def karat(self, name: str, seed: int = 0) -> tuple[float, float]:
        found = karat.evaluate(
            self.y,
            y_prob=self.p,
            metrics=[name],
            interval=karat.Interval(method="bca", n_replicates=N_REPLICATES, seed=seed),
        )[name]
        assert found.method == "bca"
        assert found.value == pytest.approx(self.value(name), rel=1e-12)
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high


NAMES: Final = (
    "accuracy",
    "f1",
    "matthews_correlation",
    "roc_auc",
    "average_precision",
    "brier",
    "log_loss",
)
DESIGNS: Final = {"100 rows": Rows.drawn(100, 0.3, 1), "60 rows": Rows.drawn(60, 0.4, 2)}


def below(replicates: Floats, value: float) -> float:
    """The share of replicates below a value; of those that are equal, half."""
    return float(((replicates < value).mean() + (replicates <= value).mean()) / 2.0)


def level(tail: float, bias: float, acceleration: float) -> float:
    """At which level of the replicates the limit with this tail lies (Efron 1987)."""
    moved = bias + special.ndtri(tail)
    return float(special.ndtr(bias + moved / (1.0 - acceleration * moved)))


def level_error(tail: float, bias: float, acceleration: float) -> float:
    """Standard error, times √B, of the share of replicates below a limit at that level.

    It moves by c·δp less the error δq of the share at the level itself, where p is the share below
    the value and c the derivative of the level by p; both shares are of the same replicates.
    """
    moved = bias + special.ndtri(tail)
    stretched = 1.0 - acceleration * moved
    at = special.ndtri(level(tail, bias, acceleration))
    density = np.exp(-0.5 * (at**2 - bias**2))
    c = density * (1.0 + 1.0 / stretched**2)
    p, q = special.ndtr(bias), special.ndtr(at)
    both = min(p, q) - p * q
    return float(np.sqrt(c**2 * p * (1 - p) + q * (1 - q) - 2.0 * c * both))


def band(replicates: Floats, tail: float, bias: float, acceleration: float) -> tuple[float, float]:
    """The limits that two runs of so many replicates may differ by."""
    middle = level(tail, bias, acceleration)
    error = level_error(tail, bias, acceleration) * np.sqrt(2.0 / len(replicates))
    low, high = (min(max(middle + way * MOST * error, 0.0), 1.0) for way in (-1.0, 1.0))
    return (
        float(np.quantile(replicates, low, method="lower")),
        float(np.quantile(replicates, high, method="higher")),
    )


Sabotage = Callable[[float, float], tuple[float, float]]
"""From bias and acceleration to those of an interval that lacks one."""


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", NAMES)
def test_limits_are_those_of_scipy_but_for_chance(name: str, design: str) -> None:
    rows = DESIGNS[design]
    theirs = rows.scipy(name, 5)
    replicates = theirs.bootstrap_distribution
    bias = float(special.ndtri(below(replicates, rows.value(name))))
    acceleration = rows.acceleration(name)
    for tail, limit, scipy in zip(
        (0.025, 0.975), rows.karat(name), theirs.confidence_interval, strict=True
    ):
        # The level is understood: SciPy's limit is the quantile there.
        at = float(np.quantile(replicates, level(tail, bias, acceleration)))
        assert scipy == pytest.approx(at, rel=1e-9)
        least, most = band(replicates, tail, bias, acceleration)
        assert least <= limit <= most
        # The band is narrower than the standard error, also in the thin tail of skewed losses.
        assert most - least < 0.8 * float(theirs.standard_error) + 2.0 / len(rows.y)


@pytest.mark.parametrize(
    ("name", "sabotage"),
    [
        ("log_loss", lambda bias, acceleration: (bias, 0.0)),
        ("brier", lambda bias, acceleration: (bias, 0.0)),
        ("average_precision", lambda bias, acceleration: (0.0, acceleration)),
        ("log_loss", lambda bias, acceleration: (0.0, acceleration)),
        ("log_loss", lambda bias, acceleration: (0.0, 0.0)),
    ],
)
def test_without_bias_or_acceleration_a_limit_is_farther(name: str, sabotage: Sabotage) -> None:
    rows = DESIGNS["100 rows"]
    replicates = rows.scipy(name, 5).bootstrap_distribution
    bias = float(special.ndtri(below(replicates, rows.value(name))))
    acceleration = rows.acceleration(name)
    is_near = []
    for tail in (0.025, 0.975):
        least, most = band(replicates, tail, bias, acceleration)
        wrong = np.quantile(replicates, level(tail, *sabotage(bias, acceleration)))
        is_near.append(bool(least <= wrong <= most))
    assert not all(is_near)


def test_the_error_of_a_level_is_what_runs_show() -> None:
    rows = DESIGNS["100 rows"]
    ratios = []
    for name in ("log_loss", "roc_auc"):
        runs = np.array([rows.karat(name, seed) for seed in range(12)])
        replicates = rows.scipy(name, 5).bootstrap_distribution
        bias = float(special.ndtri(below(replicates, rows.value(name))))
        for tail, limits in zip((0.025, 0.975), runs.T, strict=True):
            levels = [below(replicates, limit) for limit in limits]
            error = level_error(tail, bias, rows.acceleration(name)) / np.sqrt(N_REPLICATES)
            ratios.append(np.var(levels, ddof=1) / error**2)
    # Of 44 degrees of freedom the root is known to a tenth.
    assert 0.7 < float(np.sqrt(np.mean(ratios))) < 1.35

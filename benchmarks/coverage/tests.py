"""Designs of comparisons: how often equal models are called different, and unequal ones are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

import karat

__all__ = [
    "Models",
    "Rate",
    "Trial",
    "comparisons",
    "gaps",
    "labelled",
    "made_equal",
    "scored",
    "tried",
]

SIZE = 60_000
LABELS = ("accuracy", "macro_f1", "balanced_accuracy", "kappa")
MOST = 2000
"""Samples of a comparison at most: each is dear."""
ENOUGH, FEW = 20, 8


@dataclass(frozen=True)
class Rate:
    """How often something happened.

    Attributes:
        family, design, metric: what was tried.
        quantity: what is counted.
        rate: the share of the samples.
        n_samples: how many there were.
        aim: what the rate ought to be, in words.
    """

    family: str
    design: str
    metric: str
    quantity: str
    rate: float
    n_samples: int
    aim: str


@dataclass(frozen=True)
class Trial:
    """Samples, and what is counted in each.

    Attributes:
        family, design: what is tried.
        source: from random numbers to what was seen in one sample: (metric, quantity) → yes or no.
        aims: quantity → what its rate ought to be.
        most: so many samples at most.
    """

    family: str
    design: str
    source: Callable[[np.random.Generator], dict[tuple[str, str], bool]]
    aims: dict[str, str] = field(default_factory=dict)
    most: int | None = None

    @property
    def name(self) -> str:
        """What is drawn, in words."""
        return self.design


def tried(trial: Trial, n_samples: int, seed: list[int]) -> list[Rate]:
    """One rate for each metric and quantity."""
    rng = np.random.default_rng(seed)
    count = min(n_samples, trial.most or MOST)
    seen: dict[tuple[str, str], int] = {}
    for _ in range(count):
        for key, is_so in trial.source(rng).items():
            seen[key] = seen.get(key, 0) + bool(is_so)
    return [
        Rate(trial.family, trial.design, metric, quantity, n / count, count, trial.aims[quantity])
        for (metric, quantity), n in seen.items()
    ]


@dataclass(frozen=True)
class Models:
    """A finite population: true classes, and what each model says."""

    true: npt.NDArray[Any]
    said: npt.NDArray[Any]
    kind: str = "y_pred"

    def drawn(self, rng: np.random.Generator, n: int) -> tuple[Any, dict[str, Any]]:
        at = rng.integers(len(self.true), size=n)
        return self.true[at], self.named(self.said[:, at])

    def named(self, said: npt.NDArray[Any]) -> dict[str, Any]:
        return dict(zip("abcdefghij", said, strict=False))

    def values(self, metrics: tuple[str, ...]) -> dict[str, list[float]]:
        """The true value of each metric and model."""
        found: dict[str, list[float]] = {metric: [] for metric in metrics}
        for one in self.said:
            report = karat.evaluate(self.true, metrics=metrics, level=None, **{self.kind: one})
            for metric in metrics:
                found[metric].append(report[metric].value)
        return found


def labelled(
    rng: np.random.Generator, k: int, errors: tuple[float, ...], together: float
) -> Models:
    """Models that err as often as told, on rows that are hard for all or for one."""
    shares = rng.gamma(4.0, size=k) + 1.0
    size = SIZE if len(set(errors)) > 1 else SIZE // 2
    true = rng.choice(k, size=size, p=shares / shares.sum())
    hard, wrong = rng.random(size), (true + 1 + rng.integers(k - 1, size=size)) % k
    said = []
    for share in errors:
        u = np.where(rng.random(size) < together, hard, rng.random(size))
        own = (true + 1 + rng.integers(k - 1, size=size)) % k
        which = np.where(rng.random(size) < together, wrong, own)
        said.append(np.where(u < share, which, true))
    return Models(true, np.array(said))


def scored(rng: np.random.Generator, share: float, shifts: tuple[float, ...]) -> Models:
    size = SIZE if len(set(shifts)) > 1 else SIZE // 2
    true = (rng.random(size) < share).astype(int)
    both = rng.normal(size=size)
    said = [0.8 * both + 0.6 * rng.normal(size=size) + shift * true for shift in shifts]
    return Models(true, np.array(said), "y_score")


def made_equal(models: Models) -> Models:
    """The population with every order of the models: no metric tells them apart."""
    m = len(models.said)
    orders = (
        list(permutations(range(m))) if m == 2 else [np.roll(np.arange(m), i) for i in range(m)]
    )
    said = np.concatenate([models.said[list(order)] for order in orders], axis=1)
    return Models(np.tile(models.true, len(orders)), said, models.kind)


def _of_two(
    models: Models, n: int, metrics: tuple[str, ...], **options: Any
) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    truth = {name: each[1] - each[0] for name, each in models.values(metrics).items()}
    quantity = "size" if all(abs(one) < 1e-12 for one in truth.values()) else "power"

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        true, said = models.drawn(rng, n)
        found = karat.compare(
            true,
            metrics=metrics,
            **{models.kind: said},
            **options,
            interval=karat.Interval(seed=int(rng.integers(1 << 31))),
        )
        seen = {}
        for name, one in zip(metrics, found.differences, strict=True):
            seen[name, quantity] = one.p is not None and one.p < 0.05
            is_held = one.low is not None and one.low <= truth[name] <= one.high
            seen[name, "coverage of the difference"] = is_held
        return seen

    return source


_AIMS = {
    "size": "5.0",
    "power": "high",
    "coverage of the difference": "95.0",
    "equivalent at the margin": "5.0 at most",
    "equivalent when equal": "high",
    "any false difference": "5.0 at most",
    "interval excludes 0": "5.0",
}


def comparisons(rng: np.random.Generator) -> Iterator[Trial]:
    """Two models, then four."""
    family = "comparisons"
    for n in (120, 400, 1200):
        equal = made_equal(labelled(rng, 4, (0.2, 0.2), 0.6))
        yield Trial(family, f"equal, K=4, n={n}", _of_two(equal, n, LABELS), _AIMS)
        better = labelled(rng, 4, (0.28, 0.2), 0.6)
        yield Trial(
            family, f"28 % against 20 % errors, K=4, n={n}", _of_two(better, n, LABELS), _AIMS
        )
    for n in (48, 80):
        equal = made_equal(labelled(rng, 4, (0.2, 0.2), 0.6))
        trial = _of_two(equal, n, LABELS[1:], n_permutations=499)
        yield Trial(family, f"equal, a small class, K=4, n={n}", trial, _AIMS)
    for share, n in ((0.3, 80), (0.3, 300), (0.1, 300)):
        metrics = ("roc_auc", "average_precision")
        equal = made_equal(scored(rng, share, (1.4, 1.4)))
        told = f"{share:.0%} positive, n={n}"
        yield Trial(family, f"equal scores, {told}", _of_two(equal, n, metrics), _AIMS)
        better = scored(rng, share, (1.1, 1.5))
        yield Trial(family, f"shift 1.1 against 1.5, {told}", _of_two(better, n, metrics), _AIMS)
    for n in (200, 800):
        yield _at_margin(rng, n)
        yield _equivalent(rng, n)
    for adjust in ("holm", "maxt"):
        yield _of_four(rng, adjust)
    yield from _unlike_scores()
    yield from _unlike_profiles()
    yield _at_margin(rng, 600)


Scores = npt.NDArray[np.float64]


def _pair(rng: np.random.Generator, n: int, share: float) -> tuple[Scores, Scores]:
    """Two columns of normal numbers that have this share of their variance in common."""
    both, own = rng.normal(size=n), rng.normal(size=(2, n))
    found = np.sqrt(share) * both + np.sqrt(1.0 - share) * own
    return found[0], found[1]


def _unlike_scores() -> Iterator[Trial]:
    """Few positives: unequal spread of their scores, ties, weak scores. The areas are equal."""
    for told, m, n, shift, spreads, share, width in (
        ("spread .35 and 2 of positives", 15, 200, 1.0, (0.35, 2.0), 0.0, 0.0),
        ("spread .5 and 2 of positives", 20, 220, 1.0, (0.5, 2.0), 0.0, 0.0),
        ("tied levels", 30, 300, 1.2, (1.0, 1.0), 0.5, 1.2),
        ("tied levels", 15, 150, 1.6, (1.0, 1.0), 0.5, 1.2),
        ("weak scores", 12, 120, 0.3, (1.0, 1.0), 0.0, 0.0),
        ("strongly correlated", 12, 240, 0.8, (1.0, 1.0), 0.8, 0.0),
        ("strongly correlated", 300, 1000, 1.0, (1.0, 1.0), 0.6, 0.0),
    ):
        source = _areas(m, n, shift, spreads, share, width)
        name = f"equal areas, {told}, {m} positives, n={n}"
        yield Trial("comparisons", name, source, _AIMS, most=2000)


def _areas(
    m: int, n: int, shift: float, spreads: tuple[float, float], share: float, width: float
) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    true = np.repeat([1, 0], [m, n - m])

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        said = {}
        for name, spread, noise in zip("ab", spreads, _pair(rng, n, share), strict=True):
            # Of all spreads the shift keeps the area.
            own = shift * np.sqrt((1.0 + spread**2) / 2.0) + spread * noise
            scores = np.where(true == 1, own, noise)
            said[name] = np.floor(scores / width) if width else scores
        found = karat.compare(true, y_score=said, metrics="roc_auc", positive=1)["roc_auc"]
        return {
            ("roc_auc", "size"): found.p is not None and found.p < 0.05,
            ("roc_auc", "coverage of the difference"): (
                found.low is not None and found.high is not None and found.low <= 0.0 <= found.high
            ),
        }

    return source


def _unlike_profiles() -> Iterator[Trial]:
    """Small classes: balanced accuracy is equal, recall and specificity are exchanged."""
    for prevalence, first, second, n in (
        (0.1, 0.9, 0.7, 100),
        (0.12, 0.95, 0.8, 100),
        (0.15, 0.6, 0.9, 80),
        (0.15, 0.92, 0.75, 100),
        (0.1, 0.9, 0.7, 250),
        (0.1, 0.97, 0.9, 300),
    ):
        name = f"recall {first:g} and {second:g}, exchanged, {prevalence:.0%} positive, n={n}"
        source = _exchanged(prevalence, first, second, n)
        yield Trial("comparisons", name, source, _AIMS, most=2000)


def _exchanged(
    prevalence: float, first: float, second: float, n: int
) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    metrics = ("balanced_accuracy", "g_mean")

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        true = (rng.random(n) < prevalence).astype(int)
        hard, own = rng.random((2, n))
        shared = np.where(rng.random(n) < 0.4, hard, own)
        a = np.where(hard < np.where(true == 1, first, second), true, 1 - true)
        b = np.where(shared < np.where(true == 1, second, first), true, 1 - true)
        found = karat.compare(
            true,
            {"a": a, "b": b},
            metrics=metrics,
            labels=[0, 1],
            interval=karat.Interval(n_replicates=499, seed=int(rng.integers(1 << 31))),
        )
        return {(one.metric, "size"): one.p is not None and one.p < 0.05 for one in found}

    return source


def _at_margin(rng: np.random.Generator, n: int) -> Trial:
    """A true difference as large as the margin."""
    models = labelled(rng, 3, (0.25, 0.2), 0.7)
    metrics = ("accuracy", "macro_f1")
    truth = {name: abs(each[1] - each[0]) for name, each in models.values(metrics).items()}

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        true, said = models.drawn(rng, n)
        found = karat.compare(true, said, metrics=metrics, margin=truth)
        what = "equivalent at the margin"
        return {(one.metric, what): one.verdict == "equivalent" for one in found}

    return Trial("comparisons", f"a true difference of the margin, K=3, n={n}", source, _AIMS)


def _equivalent(rng: np.random.Generator, n: int) -> Trial:
    models = made_equal(labelled(rng, 3, (0.2, 0.2), 0.7))

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        true, said = models.drawn(rng, n)
        found = karat.compare(true, said, metrics=("accuracy", "macro_f1"), margin=0.05)
        what = "equivalent when equal"
        return {(one.metric, what): one.verdict == "equivalent" for one in found}

    return Trial("comparisons", f"equal, margin 0.05, K=3, n={n}", source, _AIMS)


def _of_four(rng: np.random.Generator, adjust: str) -> Trial:
    models = made_equal(labelled(rng, 3, (0.2,) * 4, 0.6))
    metrics = ("accuracy", "macro_f1")

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        true, said = models.drawn(rng, 300)
        found = karat.compare(true, said, metrics=metrics, adjust=adjust)
        seen = {(metric, "any false difference"): False for metric in metrics}
        for one in found:
            seen[one.metric, "any false difference"] |= one.verdict != "inconclusive"
        return seen

    return Trial("comparisons", f"4 equal models, {adjust}, n=300", source, _AIMS)


N_DRAWN = 500


def gaps(rng: np.random.Generator) -> Iterator[Trial]:
    """Groups that are equally well predicted: what is said of the largest gap between them."""
    del rng
    for n_groups, n in ((4, 50), (4, 200), (10, 50), (10, 200)):
        yield Trial("gaps between groups", f"{n_groups} equal groups of {n}, accuracy 0.9",
                    _gap(n_groups, n), _AIMS, most=200)  # fmt: skip


def _gap(n_groups: int, n: int) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    names = [f"group {i}" for i in range(n_groups)]

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        true = rng.integers(2, size=(n_groups, n))
        is_right = rng.random((n_groups, n)) < 0.9
        said = np.where(is_right, true, 1 - true)
        again = rng.binomial(n, is_right.mean(axis=1), size=(N_DRAWN, n_groups)) / n
        percentile = float(np.quantile(np.ptp(again, axis=1), 0.025))
        found = karat.compare(
            dict(zip(names, true, strict=True)),
            dict(zip(names, said, strict=True)),
            metrics="accuracy", adjust="maxt", labels=[0, 1],
        )  # fmt: skip
        excluded = any(one.low > 0.0 or one.high < 0.0 for one in found)
        return {
            ("largest gap, percentiles of replicates", "interval excludes 0"): percentile > 0.0,
            ("all pairs, simultaneous intervals of karat", "interval excludes 0"): excluded,
        }

    return source

"""The main jobs, everything they print included, beside the few bare numbers of scikit-learn."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn

import karat
from benchmarks.case import KARAT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import many_classes, two_classes

MILLION = 1_000_000
ROUNDED = 1e-9
MODELS = ("first", "second", "third")
NAMES = {
    True: ("accuracy", "f1", "log_loss", "roc_auc"),
    False: ("accuracy", "macro_f1", "log_loss", "roc_auc_ovr_macro"),
}


def rows(n: int, k: int) -> tuple[Any, Any]:
    """True classes, and probabilities: of the positive class alone where there are two."""
    return two_classes(n) if k == 2 else many_classes(n, k)


def bare(y: Any, p: Any) -> list[float]:
    """The four numbers of scikit-learn, none with an interval."""
    if p.ndim == 1:
        guess = (p > 0.5).astype(np.int64)
        found = sklearn.f1_score(y, guess), sklearn.log_loss(y, p), sklearn.roc_auc_score(y, p)
    else:
        guess = p.argmax(axis=1)
        f1 = sklearn.f1_score(y, guess, average="macro")
        found = f1, sklearn.log_loss(y, p), sklearn.roc_auc_score(y, p, multi_class="ovr")
    return [sklearn.accuracy_score(y, guess), *map(float, found)]


def four(report: Any, k: int) -> list[float]:
    """The same numbers of a report."""
    return [report[name].value for name in NAMES[k == 2]]


def models(p: Any) -> dict[str, Any]:
    """Three models: each but the first is a little worse."""
    rng = np.random.default_rng(1)
    found = {}
    for i, name in enumerate(MODELS):
        q = p + 0.05 * i * rng.random(p.shape)
        found[name] = q / (1.0 + 0.05 * i if p.ndim == 1 else q.sum(axis=1, keepdims=True))
    return found


def report(n: int, k: int) -> Candidates:
    y, p = rows(n, k)

    def printed() -> list[float]:
        made = karat.evaluate(y, y_prob=p)
        str(made)
        return four(made, k)

    return {KARAT: printed, PEER: lambda: bare(y, p)}


def named(n: int, k: int) -> Candidates:
    y, p = rows(n, k)
    names = NAMES[k == 2]

    def with_intervals() -> list[float]:
        made = karat.evaluate(y, y_prob=p, metrics=names)
        assert all(made[name].high is not None for name in names)
        return four(made, k)

    return {KARAT: with_intervals, PEER: lambda: bare(y, p)}


def compared(n: int, k: int) -> Candidates:
    y, p = rows(n, k)
    given = models(p)

    def printed() -> list[float]:
        made = karat.compare(y, y_prob=given, metrics="all")
        str(made)
        return [made.values[metric][name].value for metric in NAMES[k == 2] for name in MODELS]

    def each() -> list[float]:
        found = [bare(y, given[name]) for name in MODELS]
        return [values[i] for i in range(4) for values in found]

    return {KARAT: printed, PEER: each}


def gated(n: int, k: int) -> Candidates:
    y, p = rows(n, k)

    def printed() -> list[float]:
        made = karat.gate(y, y_prob=p, min=dict.fromkeys(NAMES[k == 2], 0.0))
        str(made)
        return [rule.value for rule in made.rules]

    return {KARAT: printed, PEER: lambda: bare(y, p)}


def sliced(n: int, k: int, n_slices: int) -> Candidates:
    y, p = rows(n, k)
    guess = (p > 0.5).astype(np.int64) if k == 2 else p.argmax(axis=1)
    groups = np.random.default_rng(2).integers(0, n_slices, n).astype(str)
    keys = sorted(set(groups))

    def printed() -> list[float]:
        made = karat.evaluate(y, guess, by={"group": groups})
        str(made)
        return [made.slices["group"][key]["accuracy"].value for key in keys]

    def each() -> list[float]:
        return [sklearn.accuracy_score(y[groups == key], guess[groups == key]) for key in keys]

    return {KARAT: printed, PEER: each}


def page(n: int, k: int) -> Candidates:
    y, p = rows(n, k)

    def written() -> list[float]:
        made = karat.evaluate(y, y_prob=p)
        made.to_html()
        return four(made, k)

    return {KARAT: written, PEER: lambda: bare(y, p)}


def case(name: str, make: Any, goal: Goal, *sizes: int) -> Case:
    n, k = sizes[:2]
    rounds = 3 if n * k >= MILLION else 9
    shown = f"{name}, n={n:.0e}, K={k}".replace("e+0", "e")
    return Case(shown, partial(make, *sizes), goal, ROUNDED, rounds)


CASES = (
    case("report, printed", report, Goal(1, 3), 1000, 2),
    case("report, printed", report, Goal(1, 3), 1000, 10),
    case("report, printed", report, Goal(), 100_000, 2),
    case("report, printed", report, Goal(2, 5), MILLION, 2),
    case("report, printed", report, Goal(3, 6), MILLION, 10),
    case("report, printed", report, Goal(), 100_000, 100),
    case("four metrics with intervals", named, Goal(), 1000, 2),
    case("four metrics with intervals", named, Goal(15, 30), MILLION, 2),
    case("four metrics with intervals", named, Goal(15, 25), MILLION, 10),
    case("comparison of three models, all metrics", compared, Goal(), 1000, 2),
    case("comparison of three models, all metrics", compared, Goal(), 100_000, 10),
    case("gate of four bounds", gated, Goal(), 1000, 2),
    case("gate of four bounds", gated, Goal(), 1000, 100),
    case("gate of four bounds", gated, Goal(), 100_000, 10),
    case("gate of four bounds", gated, Goal(), MILLION, 10),
    case("accuracy of 1000 slices, printed", sliced, Goal(), 100_000, 10, 1000),
    case("report as a page (HTML)", page, Goal(), 1000, 2),
    case("report as a page (HTML)", page, Goal(), MILLION, 10),
)

"""Coverage of intervals over folds: four learners on four populations.

Run ``python -m benchmarks.coverage.folds --page benchmarks/results/folds/folds.md``. For each
sample, two truths: the error of the model that was fitted to all rows (Err_XY), on fresh rows, and
its mean over samples (Err), the error of the procedure. Models are fitted to all sets of left-out
folds at once.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("KARAT_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from benchmarks import machine
from benchmarks.coverage import published_folds
from benchmarks.coverage.splits import Floats, Splits, map_jobs
from benchmarks.marks import between
from karat.designs.folds import FoldUnits, nested_estimate
from karat.inference.limits import student_quantile, wilson_limits_of_one

RESULTS = Path(__file__).parents[1] / "results" / "folds" / "folds.json"
SEED = 43
N_FRESH = 10_000
MARKS = ("<!-- folds -->", "<!-- end of folds -->")
PUBLISHED_MARKS = ("<!-- published folds -->", "<!-- end of published folds -->")


@dataclass(frozen=True)
class Population:
    """Rows of two classes: ``draw(rng, n)`` gives features and labels."""

    name: str
    n: int
    draw: Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def logistic(n_features: int, slopes: list[float]) -> Callable[..., tuple[Floats, Floats]]:
    beta = np.zeros(n_features)
    beta[: len(slopes)] = slopes

    def draw(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        x = rng.normal(size=(n, n_features))
        return x, (rng.random(n) < 1 / (1 + np.exp(-x @ beta))).astype(np.int64)

    return draw


def unequal(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Two normal classes with one mean in all but one feature and unequal spread; 30 % positive."""
    y = (rng.random(n) < 0.3).astype(np.int64)
    x = rng.normal(size=(n, 4)) * np.where(y, 2.0, 1.0)[:, None]
    x[:, 0] += y
    return x, y


def crossed(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """The class is the sign of a product of two features, with 10 % of labels flipped."""
    x = rng.normal(size=(n, 3))
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int64)
    return x, np.where(rng.random(n) < 0.1, 1 - y, y)


POPULATIONS = (
    Population("logistic, 5 features, n = 100", 100, logistic(5, [1.0, 1.0])),
    Population("logistic, 20 features, n = 100", 100, logistic(20, [0.8] * 4)),
    Population("unequal variances, n = 60", 60, unequal),
    Population("product of two features, n = 200", 200, crossed),
)


# Each learner: training masks bool[b, n], features, labels and rows to predict → bool[b, m].


def logistic_regression(kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
    """Logistic regression by Newton's method, with a ridge of 0.1 that separation needs."""
    one = np.column_stack([np.ones(len(x)), x])
    d = one.shape[1]
    ridge = 0.1 * np.eye(d)
    ridge[0, 0] = 1e-6
    outer = (one[:, :, None] * one[:, None, :]).reshape(len(x), -1)
    beta = np.zeros((len(kept), d))
    for _ in range(8):
        p = 1 / (1 + np.exp(-np.clip(beta @ one.T, -30, 30)))
        gradient = (kept * (y - p)) @ one - beta @ ridge
        hessian = ((kept * p * (1 - p)) @ outer).reshape(-1, d, d) + ridge
        beta += np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
    return beta @ np.column_stack([np.ones(len(at)), at]).T > 0


def naive_bayes(kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
    """Gaussian naive Bayes, variances of each class and feature."""
    total = 0.0
    for label, sign in ((1, 1.0), (0, -1.0)):
        weight = kept * (y == label)
        n = np.maximum(weight.sum(axis=1), 1.0)[:, None]
        mean = weight @ x / n
        spread = np.maximum(weight @ x**2 / n - mean**2, 1e-3)
        # Σ (a − m)²/s as three products.
        far = (1 / spread) @ (at**2).T - 2 * (mean / spread) @ at.T
        far += (mean**2 / spread).sum(axis=1)[:, None]
        total = total + sign * (np.log(n) - 0.5 * (far + np.log(spread).sum(axis=1)[:, None]))
    return total > 0


def neighbors(kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
    """Majority of the five nearest training rows."""
    far = (at**2).sum(axis=1)[:, None] - 2 * at @ x.T + (x**2).sum(axis=1)
    # The nearest rows suffice: of each of them, some are left out.
    most = min(len(x), 5 + int((~kept).sum(axis=1).max()))
    order = np.argsort(far, axis=1)[:, :most]
    found = np.empty((len(kept), len(at)), bool)
    for i, mask in enumerate(kept):
        there = mask[order]
        chosen = there & (np.cumsum(there, axis=1) <= 5)
        found[i] = (chosen & (y[order] == 1)).sum(axis=1) > 2
    return found


def stump(kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
    """The one split of one feature with the fewest training errors."""
    n_all = kept.sum(axis=1)
    ones = (kept * y).sum(axis=1)
    best = np.full(len(kept), np.inf)
    feature, cut = np.zeros(len(kept), np.int64), np.zeros(len(kept))
    is_up = np.zeros(len(kept), bool)
    for j in range(x.shape[1]):
        order = np.argsort(x[:, j])
        values = x[order, j]
        there = kept[:, order]
        n_left = np.cumsum(there, axis=1)
        ones_left = np.cumsum(there * y[order], axis=1)
        # Above the cut is class 1: errors are ones below and zeros above it.
        up = ones_left + (n_all[:, None] - n_left) - (ones[:, None] - ones_left)
        for errors, direction in ((up, True), (n_all[:, None] - up, False)):
            place = np.argmin(np.where(there, errors, len(x)), axis=1)
            least = errors[np.arange(len(kept)), place]
            is_better = least < best
            best = np.where(is_better, least, best)
            feature = np.where(is_better, j, feature)
            following = values[np.minimum(place + 1, len(values) - 1)]
            cut = np.where(is_better, (values[place] + following) / 2, cut)
            is_up = np.where(is_better, direction, is_up)
    return (cut[:, None] < at[:, feature].T) == is_up[:, None]


LEARNERS = {
    "logistic regression": logistic_regression,
    "naive Bayes": naive_bayes,
    "5 neighbors": neighbors,
    "stump": stump,
}


@dataclass(frozen=True)
class Figure:
    """Coverage of one method: of the procedure's error, and of the fitted model's."""

    learner: str
    population: str
    method: str
    of_procedure: float
    of_model: float
    width: float
    bias: float
    n_samples: int


METHODS = (
    "pooled (test rows)",
    "naive t over folds",
    "Nadeau–Bengio, one repeat",
    "Nadeau–Bengio, all repeats",
    "nested",
)


def limits_of(
    losses: Floats, repeat: Floats, fold: Floats, other: Floats, n: int, level: float = 0.95
) -> dict[str, tuple[float, float]]:
    """Limits of the mean loss by each method, as reports compute them."""
    tail = (1 - level) / 2
    is_outer = other < 0
    k, r = int(fold.max()) + 1, int(repeat.max()) + 1
    at = (repeat * k + fold)[is_outer]
    values = np.bincount(at, losses[is_outer], k * r) / np.bincount(at, minlength=k * r)
    ratio = 1 / (k - 1)

    def corrected(values: Floats) -> tuple[float, float]:
        units = FoldUnits.of(len(values), ratio)
        error = math.sqrt(np.nan_to_num(units.variance(values)))
        far, mean = student_quantile(units.df, tail) * error, float(values.mean())
        return mean - far, mean + far

    single = values[:k]
    far = student_quantile(k - 1, tail) * float(single.std(ddof=1)) / math.sqrt(k)
    first = losses[is_outer & (repeat == 0)]
    nested = nested_estimate(losses, repeat, fold, other, n)
    z = student_quantile(math.inf, tail)
    pooled = wilson_limits_of_one(float(first.mean()), n, z)
    limits = (
        pooled,
        (float(single.mean()) - far, float(single.mean()) + far),
        corrected(single),
        corrected(values),
        nested.limits(z),
    )
    return dict(zip(METHODS, limits, strict=True))


def studied(
    population: Population, learner: str, n_samples: int, n_folds: int, n_repeats: int, seed: Any
) -> list[Figure]:
    """Draw samples, cross-validate and count."""
    rng = np.random.default_rng(seed)
    fit, n = LEARNERS[learner], population.n
    x_fresh, y_fresh = population.draw(rng, N_FRESH)
    truth = np.empty(n_samples)
    found = np.empty((n_samples, len(METHODS), 2))
    for i in range(n_samples):
        x, y = population.draw(rng, n)
        splits = Splits.of(rng, n, n_folds, n_repeats)
        # Distances to all fresh rows would take most of the time.
        some = x_fresh[: N_FRESH // (5 if fit is neighbors else 1)]
        whole = fit(np.ones((1, n), bool), x, y, some)
        truth[i] = np.mean(whole[0] != (y_fresh[: whole.shape[1]] == 1))
        losses = (fit(splits.kept, x, y, x) != (y == 1)).astype(np.float64)
        limits = limits_of(*splits.tested(losses), n)
        found[i] = [limits[name] for name in METHODS]
    low, high = found[:, :, 0], found[:, :, 1]
    mean = truth.mean()
    of_procedure = ((low <= mean) & (mean <= high)).mean(axis=0)
    of_model = ((low <= truth[:, None]) & (truth[:, None] <= high)).mean(axis=0)
    width, bias = (high - low).mean(axis=0), ((low + high) / 2 - mean).mean(axis=0)
    each = zip(METHODS, of_procedure, of_model, width, bias, strict=True)
    return [
        Figure(learner, population.name, name, *map(float, numbers), n_samples)
        for name, *numbers in each
    ]


def design(task: tuple[int, int, int, int, int]) -> list[Figure]:
    """Study one learner on one population, each with its own seed."""
    seed, n_samples, n_folds, n_repeats, number = task
    place, learner = divmod(number, len(LEARNERS))
    how = (n_samples, n_folds, n_repeats, [seed, place, learner])
    return studied(POPULATIONS[place], list(LEARNERS)[learner], *how)


def every_design(options: argparse.Namespace) -> list[Figure]:
    """Study each learner on each population."""
    settings = (options.seed, options.replicates, options.folds, options.repeats)
    tasks = [(*settings, number) for number in range(len(POPULATIONS) * len(LEARNERS))]
    found = map_jobs(design, tasks, options.jobs)
    for each in found:
        covered = [f"{100 * x.of_procedure:.1f}/{100 * x.of_model:.1f}" for x in each]
        print(f"{each[0].learner}, {each[0].population}: {'  '.join(covered)}", flush=True)
    return [figure for each in found for figure in each]


def cpu_seconds() -> float:
    """Processor time of this process and its ended children."""
    return sum(os.times()[:4])


def main(arguments: list[str]) -> int:
    """Run the study and write its results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.folds")
    parser.add_argument("--replicates", type=int, default=1000, help="samples of each design")
    parser.add_argument("--folds", type=int, default=5, help="folds of the designs")
    parser.add_argument("--repeats", type=int, default=10, help="repeats of the designs")
    parser.add_argument(
        "--published-repeats", type=int, default=200, help="repeats of the published settings"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes; results are the same")
    parser.add_argument("--seed", type=int, default=SEED)
    parts = ("all", "designs", "published", "none")
    parser.add_argument("--part", choices=parts, default="all", help="what to run; the rest stays")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file to write")
    parser.add_argument("--page", type=Path, help="put the tables into this page")
    options = parser.parse_args(arguments)
    content: dict[str, Any] = {"figures": [], "published": {}, "facts": {}}
    if options.out.exists():
        content = json.loads(options.out.read_text(encoding="utf-8"))
    if options.part in ("all", "designs"):
        start = cpu_seconds()
        content["figures"] = [asdict(x) for x in every_design(options)]
        facts = {"folds": options.folds, "repeats": options.repeats}
        content["facts"]["designs"] = ran(options, start) | facts
    if options.part in ("all", "published"):
        start = cpu_seconds()
        how = (options.replicates, options.published_repeats, options.seed, options.jobs)
        content["published"] = published_folds.simulate(*how)
        facts = {"folds": published_folds.N_FOLDS, "repeats": options.published_repeats}
        content["facts"]["published"] = ran(options, start) | facts
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if options.page:
        between(options.page, *MARKS, tables(content).splitlines())
        published = published_folds.beside(content["published"])
        between(options.page, *PUBLISHED_MARKS, published.splitlines())
    print(f"see {options.out}")
    return 0


def ran(options: argparse.Namespace, start: float) -> dict[str, Any]:
    """Facts of a run that began at this processor time."""
    return machine.facts() | {
        "seed": options.seed,
        "replicates": options.replicates,
        "cpu_seconds": cpu_seconds() - start,
    }


def tables(content: dict[str, Any]) -> str:
    """Return the table of coverage in Markdown."""
    by_design: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in content["figures"]:
        by_design.setdefault((one["learner"], one["population"]), []).append(one)
    lines = ["| learner | population | " + " | ".join(METHODS) + " |"]
    lines.append("|---|---|" + "---:|" * len(METHODS))
    for (learner, population), found in by_design.items():
        cells = [f"{100 * x['of_procedure']:.1f} / {100 * x['of_model']:.1f}" for x in found]
        lines.append(f"| {learner} | {population} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

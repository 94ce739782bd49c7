"""Coverage of intervals over folds: four learners on four populations.

Run ``python -m benchmarks.coverage.folds --page docs/folds.md``. For each sample, two truths: the
error of the model that was fitted to all rows (Err_XY), on fresh rows, and its mean over samples
(Err), the error of the procedure. Models are fitted to all sets of left-out folds at once.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("KARAT_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from benchmarks import machine
from karat.inference.folds import MeanOfFolds, nested_estimate
from karat.inference.limits import student_quantile, wilson_limits_of_one

Floats = np.ndarray
RESULTS = Path(__file__).parents[1] / "results" / "folds" / "folds.json"
SEED = 43
N_FRESH = 10_000
MARKS = ("<!-- folds -->", "<!-- end of folds -->")


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
class Splits:
    """Left-out folds of nested cross-validation.

    Attributes:
        fold: int[r, n], fold of each row in each repeat.
        kept: bool[b, n], training rows of each model.
        repeat, first, second: int[b], the repeat and the left-out folds of it; −1: one fold alone.
    """

    fold: Floats
    kept: Floats
    repeat: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, rng: np.random.Generator, n: int, n_folds: int, n_repeats: int) -> Splits:
        fold = np.stack([rng.permutation(np.arange(n) % n_folds) for _ in range(n_repeats)])
        sets = [(k, -1) for k in range(n_folds)] + list(combinations(range(n_folds), 2))
        first, second = np.tile(np.array(sets), (n_repeats, 1)).T
        repeat = np.repeat(np.arange(n_repeats), len(sets))
        rows = fold[repeat]
        kept = (rows != first[:, None]) & (rows != second[:, None])
        return cls(fold, kept, repeat, first, second)

    def tested(self, losses: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Loss, repeat, fold and other left-out fold of each prediction."""
        model, row = np.nonzero(~self.kept)
        fold = self.fold[self.repeat[model], row]
        other = np.where(fold == self.first[model], self.second[model], self.first[model])
        other = np.where(self.second[model] < 0, -1, other)
        return losses[model, row], self.repeat[model], fold, other


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
    single = MeanOfFolds.of(values[:k], ratio)
    far = student_quantile(k - 1, tail) * single.sd / math.sqrt(k)
    first = losses[is_outer & (repeat == 0)]
    nested = nested_estimate(losses, repeat, fold, other, n)
    z = student_quantile(math.inf, tail)
    pooled = wilson_limits_of_one(float(first.mean()), n, z)
    limits = (
        pooled,
        (single.mean - far, single.mean + far),
        single.limits(tail),
        MeanOfFolds.of(values, ratio).limits(tail),
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


def least_squares(kept: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Predictions float[b, n] and coefficients of least squares without an intercept."""
    d = x.shape[1]
    outer = (x[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    gram = (kept.astype(np.float64) @ outer).reshape(-1, d, d)
    beta = np.linalg.solve(gram, ((kept * y) @ x)[:, :, None])[:, :, 0]
    return beta @ x.T, beta


def published(n_samples: int, n_repeats: int, seed: int) -> dict[str, Any]:
    """Settings of Bates, Hastie & Tibshirani: ten folds, intervals at 90 %."""
    z, found = student_quantile(math.inf, 0.05), {}
    rng = np.random.default_rng([seed, 1])
    n, d = 100, 20
    ratio, cv, truth = np.empty(n_samples), np.empty(n_samples), np.empty(n_samples)
    hits = np.zeros((2, 2))
    limits = np.empty((n_samples, 2, 2))
    for i in range(n_samples):
        x, y = rng.normal(size=(n, d)), rng.normal(size=n)
        splits = Splits.of(rng, n, 10, n_repeats)
        losses, repeat, fold, other = splits.tested((least_squares(splits.kept, x, y)[0] - y) ** 2)
        first = losses[(other < 0) & (repeat == 0)]
        nested = nested_estimate(losses, repeat, fold, other, n)
        naive = first.std(ddof=1) / math.sqrt(n)
        # Of fresh standard normal rows the mean squared error is known.
        beta = least_squares(np.ones((1, n), bool), x, y)[1][0]
        truth[i], cv[i] = 1 + float(beta @ beta), float(first.mean())
        ratio[i] = nested.standard_error / naive
        limits[i] = [(cv[i] - z * naive, cv[i] + z * naive), nested.limits(z)]
    for j, goal in enumerate((np.full(n_samples, truth.mean()), truth)):
        inside = (limits[:, :, 0] <= goal[:, None]) & (goal[:, None] <= limits[:, :, 1])
        hits[j] = 1 - inside.mean(axis=0)
    quantiles = np.quantile(ratio, [0.05, 0.5, 0.95]).tolist()
    found["least squares, n = 100, p = 20"] = {
        "miscoverage of Err": hits[0].tolist(),
        "miscoverage of Err_XY": hits[1].tolist(),
        "width ratio 5, 50, 95 %": quantiles,
        "correlation of the estimate with Err_XY": float(np.corrcoef(cv, truth)[0, 1]),
    }
    print(json.dumps(found), flush=True)
    for strength in (1.0, 2.0):
        draw = logistic(10, [strength])
        x_fresh, y_fresh = draw(rng, N_FRESH)
        truth, limits = np.empty(n_samples), np.empty((n_samples, 2, 2))
        for i in range(n_samples):
            x, y = draw(rng, n)
            splits = Splits.of(rng, n, 10, n_repeats)
            wrong = (logistic_regression(splits.kept, x, y, x) != (y == 1)).astype(np.float64)
            losses, repeat, fold, other = splits.tested(wrong)
            first = losses[(other < 0) & (repeat == 0)]
            nested = nested_estimate(losses, repeat, fold, other, n)
            naive = first.std(ddof=1) / math.sqrt(n)
            whole = logistic_regression(np.ones((1, n), bool), x, y, x_fresh)[0]
            truth[i], mean = np.mean(whole != (y_fresh == 1)), first.mean()
            limits[i] = [(mean - z * naive, mean + z * naive), nested.limits(z)]
            ratio[i] = nested.standard_error / naive
        for j, goal in enumerate((np.full(n_samples, truth.mean()), truth)):
            inside = (limits[:, :, 0] <= goal[:, None]) & (goal[:, None] <= limits[:, :, 1])
            hits[j] = 1 - inside.mean(axis=0)
        found[f"logistic regression, n = 100, p = 10, slope {strength:g}"] = {
            "mean error": float(truth.mean()),
            "miscoverage of Err": hits[0].tolist(),
            "miscoverage of Err_XY": hits[1].tolist(),
            "width ratio 5, 50, 95 %": np.quantile(ratio, [0.05, 0.5, 0.95]).tolist(),
        }
        print(json.dumps(found), flush=True)
    return found


def every_design(options: argparse.Namespace) -> list[Figure]:
    """Study each learner on each population."""
    figures: list[Figure] = []
    for place, population in enumerate(POPULATIONS):
        for number, learner in enumerate(LEARNERS):
            seed = [options.seed, place, number]
            how = (options.replicates, options.folds, options.repeats, seed)
            found = studied(population, learner, *how)
            figures += found
            covered = [f"{100 * x.of_procedure:.1f}/{100 * x.of_model:.1f}" for x in found]
            print(f"{learner}, {population.name}: {'  '.join(covered)}", flush=True)
    return figures


def main(arguments: list[str]) -> int:
    """Run the study and write its results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.folds")
    parser.add_argument("--replicates", type=int, default=1000, help="samples of each design")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=SEED)
    parts = ("all", "designs", "published")
    parser.add_argument("--part", choices=parts, default="all", help="what to run; the rest stays")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file to write")
    parser.add_argument("--page", type=Path, help="put the tables into this page")
    options = parser.parse_args(arguments)
    content: dict[str, Any] = {"figures": [], "published": {}}
    if options.out.exists():
        content = json.loads(options.out.read_text(encoding="utf-8"))
    start = time.process_time()
    if options.part != "published":
        content["figures"] = [asdict(x) for x in every_design(options)]
    if options.part != "designs":
        content["published"] = published(options.replicates, options.repeats, options.seed)
    facts = machine.facts() | {
        "seed": options.seed,
        "replicates": options.replicates,
        "folds": options.folds,
        "repeats": options.repeats,
        "cpu_seconds": time.process_time() - start,
    }
    content["facts"] = content.get("facts", {}) | {options.part: facts}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if options.page:
        refresh(options.page, content)
    print(f"see {options.out}")
    return 0


def refresh(page: Path, content: dict[str, Any]) -> None:
    """Put the tables of the study between their marks in a page."""
    text = page.read_text(encoding="utf-8")
    head, _, rest = text.partition(MARKS[0])
    _, _, tail = rest.partition(MARKS[1])
    page.write_text(f"{head}{MARKS[0]}\n{tables(content)}\n{MARKS[1]}{tail}", encoding="utf-8")


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

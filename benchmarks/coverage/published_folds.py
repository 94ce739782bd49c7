"""Published settings of nested cross-validation: Bates, Hastie & Tibshirani (2024) beside karat.

The study of `benchmarks.coverage.folds` runs it with ``--part published``. Ten folds, 200 repeats,
intervals at 90 %, 1000 samples, as in their paper and in the code of their experiments
(github.com/stephenbates19/nestedcv_experiments: lowd_logistic.R, ols.R, data_wrapper.R).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.coverage.splits import Floats, Splits, map_jobs
from karat.designs.folds import nested_estimate
from karat.inference.limits import student_quantile

N_FOLDS = 10
TAIL = 0.05
N_FRESH = 20_000
A_CHUNK = 20
A_BLOCK = 2_000
A_CERTAIN_LOGIT = 33.7

# Their Table 1 and section 7, as transcribed with page numbers in the reading notes
# cairn/references/bates2023.md of github.com/jmgirard/nestedtune: misses above and below, in
# percent, of cross-validation and of nested cross-validation, and the ratio of mean widths.
PAPER: dict[str, dict[str, Any]] = {
    "logistic regression, n = 100, p = 20, Bayes error 33.2 %": {
        "naive": [10, 8],
        "nested": [3, 5],
        "width": 1.23,
    },
    "logistic regression, n = 100, p = 20, Bayes error 22.5 %": {
        "naive": [11, 3],
        "nested": [4, 1],
        "width": 1.47,
    },
    "least squares, n = 200, p = 20": {"naive text": "about 15"},
}


@dataclass(frozen=True)
class Setting:
    """One of their simulations.

    Attributes:
        n, p: rows and features.
        slope: coefficient of the first feature, the others are 0.
        is_binary: classes by logistic regression; otherwise a normal outcome without signal.
    """

    name: str
    n: int
    p: int
    slope: float
    is_binary: bool

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        """Draw features and outcomes of n rows."""
        x = rng.normal(size=(n, self.p))
        if not self.is_binary:
            return x, rng.normal(size=n)
        return x, (rng.random(n) < 1 / (1 + np.exp(-self.slope * x[:, 0]))).astype(np.float64)

    def predictions(self, kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
        """float64[b, m]: predictions of the models that were fitted to the kept rows."""
        fit = logistic_fit if self.is_binary else least_squares
        return fit(kept, x, y, at)

    def loss(self, predicted: Floats, y: Floats) -> Floats:
        """Squared error; of classes, 1 for a wrong one."""
        return (predicted - y) ** 2


SETTINGS = (
    Setting("logistic regression, n = 100, p = 20, Bayes error 33.2 %", 100, 20, 1.0, True),
    Setting("logistic regression, n = 100, p = 20, Bayes error 22.5 %", 100, 20, 2.0, True),
    Setting("least squares, n = 100, p = 20", 100, 20, 0.0, False),
    Setting("least squares, n = 200, p = 20", 200, 20, 0.0, False),
)


def with_intercept(x: Floats) -> Floats:
    """float64[n, p + 1]: a column of ones before the features."""
    return np.column_stack([np.ones(len(x)), x])


def grams(weights: Floats, one: Floats) -> Floats:
    """float64[b, d, d]: Σ w·x·xᵀ over rows, for each row of weights."""
    d = one.shape[1]
    rows, columns = np.triu_indices(d)
    half = weights @ (one[:, rows] * one[:, columns])
    whole = np.empty((len(weights), d, d))
    whole[:, rows, columns] = half
    whole[:, columns, rows] = half
    return whole


def least_squares(kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
    """float64[b, m]: predictions of least squares with an intercept."""
    one, there = with_intercept(x), with_intercept(at)
    found = np.empty((len(kept), len(at)))
    for start in range(0, len(kept), A_BLOCK):
        block = slice(start, start + A_BLOCK)
        weights = kept[block].astype(np.float64)
        right = (weights * y) @ one
        found[block] = np.linalg.solve(grams(weights, one), right[:, :, None])[:, :, 0] @ there.T
    return found


def logistic_fit(kept: Floats, x: Floats, y: Floats, at: Floats) -> Floats:
    """float64[b, m]: classes by logistic regression of maximum likelihood.

    Where the classes are separated or a fitted probability is 0 or 1 in double precision, R's glm
    warns, and their code predicts class 0 for all rows.
    """
    one, there = with_intercept(x), with_intercept(at)
    whole, _ = newton(np.ones((1, len(x))), one, y, np.zeros((1, one.shape[1])), 25)
    found = np.empty((len(kept), len(at)))
    for start in range(0, len(kept), A_BLOCK):
        block = slice(start, start + A_BLOCK)
        weights = kept[block].astype(np.float64)
        beta, is_open = newton(weights, one, y, np.repeat(whole, len(weights), axis=0), 6)
        if is_open.any():
            # Newton's method from far off may overshoot: start these from 0.
            again = np.zeros((int(is_open.sum()), one.shape[1]))
            beta[is_open] = newton(weights[is_open], one, y, again, 25)[0]
        inside = beta @ one.T
        is_right = ((inside > 0) == (y == 1)) | (weights == 0)
        is_warned = is_right.all(axis=1) | (
            (np.abs(inside) * weights).max(axis=1) > A_CERTAIN_LOGIT
        )
        predicted = beta @ there.T > 0
        predicted[is_warned] = False
        found[block] = predicted
    return found


def newton(
    weights: Floats, one: Floats, y: Floats, beta: Floats, n_steps: int
) -> tuple[Floats, Floats]:
    """Maximize likelihoods by Newton's method.

    Returns:
        Coefficients float64[b, d], and bool[b]: where the last step was larger than 0.001.
    """
    beta = beta.copy()
    left = np.arange(len(beta))
    for _ in range(n_steps):
        w, b = weights[left], beta[left]
        p = 1 / (1 + np.exp(-np.clip(b @ one.T, -30, 30)))
        gradient = (w * (y - p)) @ one
        hessian = grams(w * (p * (1 - p)), one)
        # Of separated classes the curvature vanishes.
        hessian += 1e-8 * np.eye(one.shape[1])
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, 5.0 / np.maximum(size, 1e-300))[:, None]
        beta[left] += step
        left = left[size > 1e-3]
        if not len(left):
            break
    is_open = np.zeros(len(beta), bool)
    is_open[left] = True
    return beta, is_open


def chunk(task: tuple[int, int, int, int, int]) -> Floats:
    """Simulate some samples of a setting.

    Returns:
        float64[samples, 9]: error of the model that was fitted to all rows, naive estimate and
        its standard error, then by karat and by their code: nested estimate, its standard error
        and inflation.
    """
    seed, number, place, n_samples, n_repeats = task
    setting = SETTINGS[number]
    x_fresh, y_fresh = setting.draw(np.random.default_rng([seed, 2, number]), N_FRESH)
    rng = np.random.default_rng([seed, 3, number, place])
    found = np.empty((n_samples, 9))
    for i in range(n_samples):
        x, y = setting.draw(rng, setting.n)
        whole = setting.predictions(np.ones((1, setting.n)), x, y, x_fresh)
        splits = Splits.of(rng, setting.n, N_FOLDS, n_repeats)
        losses = setting.loss(setting.predictions(splits.kept, x, y, x), y)
        values, repeat, fold, other = splits.tested(losses)
        first = values[(other < 0) & (repeat == 0)]
        nested = nested_estimate(values, repeat, fold, other, setting.n)
        naive_error = first.std(ddof=1) / math.sqrt(setting.n)
        truth = setting.loss(whole, y_fresh).mean()
        found[i, :3] = truth, first.mean(), naive_error
        found[i, 3:6] = nested.value, nested.standard_error, nested.inflation
        found[i, 6:] = by_their_code(rng, values, repeat, fold, other, setting.n)
    return found


def by_their_code(
    rng: np.random.Generator, losses: Floats, repeat: Floats, fold: Floats, other: Floats, n: int
) -> tuple[float, float, float]:
    """Nested estimate, standard error and inflation as the R package nestedcv computes them.

    It differs from Algorithm 1 of the paper: the loss of a left-out fold is that of a model that
    was trained without another random fold, too, and variances are those of all losses.
    """
    k = N_FOLDS
    n_repeats = int(repeat.max()) + 1
    inner = other >= 0
    at = ((repeat * k + fold) * k + other)[inner]
    sums = np.bincount(at, losses[inner], n_repeats * k * k)
    sizes = np.bincount(at, minlength=n_repeats * k * k)
    # means[r, f, g]: mean loss of fold f by the model without folds f and g.
    means = (sums / np.maximum(sizes, 1)).reshape(n_repeats, k, k)
    chosen = rng.integers(0, k - 1, size=(n_repeats, k))
    chosen += chosen >= np.arange(k)
    held = np.take_along_axis(means, chosen[:, :, None], axis=2)[:, :, 0]
    pivots = means.sum(axis=1) / (k - 1) - held
    of_all = losses[inner]
    ratio = pivots.var(ddof=1) / of_all.var(ddof=1) * n / k
    inflation = math.sqrt(min(max((ratio - 1) * (k - 1), 1.0), k))
    factor = 1 + ((k - 2) / (k - 1)) ** 1.5
    bias = factor * (of_all.mean() - losses[~inner].mean())
    error = of_all.std(ddof=1) / math.sqrt(n) * inflation
    return float(of_all.mean() - bias), float(error), inflation


def misses(low: Floats, high: Floats, goal: Floats) -> list[float]:
    """Proportions of samples whose goal is below and above the interval."""
    return [float((goal < low).mean()), float((goal > high).mean())]


def arcsine(share: Floats) -> Floats:
    """Variance-stabilizing transform of a proportion."""
    return np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))


def figures(setting: Setting, found: Floats) -> dict[str, Any]:
    """Miscoverage and widths of one setting."""
    z = student_quantile(math.inf, TAIL)
    truth, naive, naive_error = found[:, :3].T
    ratios = found[:, 4] / naive_error
    content: dict[str, Any] = {
        "n_samples": len(found),
        "mean error": float(truth.mean()),
        "width ratio 5, 50, 95 %": np.quantile(ratios, [0.05, 0.5, 0.95]).tolist(),
        "correlation of the estimate with Err_XY": float(np.corrcoef(naive, truth)[0, 1]),
    }
    each = {
        "naive": (naive, naive_error, np.ones(len(found))),
        "nested": tuple(found[:, 3:6].T),
        "nested, their code": tuple(found[:, 6:].T),
    }
    for name, (value, error, inflation) in each.items():
        low, high, scale = value - z * error, value + z * error, _same
        content[name] = {
            "width": float(error.mean() / naive_error.mean()),
            **missed(low, high, truth, _same),
        }
        if setting.is_binary:
            # Their intervals of a misclassification rate are made on the arcsine scale.
            scale, half = arcsine, z * inflation / math.sqrt(4 * setting.n)
            low, high = arcsine(value) - half, arcsine(value) + half
        content[name]["as scored by their code"] = missed(low, high, truth, scale)
    return content


def missed(
    low: Floats, high: Floats, truth: Floats, scale: Callable[[Floats], Floats]
) -> dict[str, list[float]]:
    """Proportions of samples with the error of the procedure, of the model beside the interval."""
    of_procedure = np.full(len(truth), truth.mean())
    return {
        "Err": misses(low, high, scale(of_procedure)),
        "Err_XY": misses(low, high, scale(truth)),
    }


def _same(share: Floats) -> Floats:
    return share


def simulate(n_samples: int, n_repeats: int, seed: int, n_jobs: int) -> dict[str, Any]:
    """Simulate every setting; samples come in chunks, each with its own seed."""
    tasks = [
        (seed, number, place, min(A_CHUNK, n_samples - start), n_repeats)
        for number in range(len(SETTINGS))
        for place, start in enumerate(range(0, n_samples, A_CHUNK))
    ]
    parts = map_jobs(chunk, tasks, n_jobs)
    found = {}
    for number, setting in enumerate(SETTINGS):
        own = [part for task, part in zip(tasks, parts, strict=True) if task[1] == number]
        found[setting.name] = figures(setting, np.concatenate(own))
        print(setting.name, found[setting.name], flush=True)
    return found


def beside(content: dict[str, Any]) -> str:
    """Return the table of published figures beside karat's, in Markdown."""
    head = ["setting", "interval", "published", "their code", "karat, arcsine scale"]
    head += ["karat: Err_XY", "karat: Err", "width ÷ naive: published", "their code", "karat"]
    lines = [f"| {' | '.join(head)} |", "|---|---|" + "---:|" * (len(head) - 2)]
    for name, ours in content.items():
        paper = PAPER.get(name, {})
        for method in ("naive", "nested"):
            code = ours.get(f"{method}, their code", ours[method])
            cells = [name, method, _percent(paper.get(method), paper.get(f"{method} text", "–"))]
            for one in (code, ours[method]):
                sides = one["as scored by their code"]["Err_XY"]
                cells.append(_percent([100 * x for x in sides]))
            cells += [f"{100 * sum(ours[method][goal]):.1f}" for goal in ("Err_XY", "Err")]
            widths = [f"{one['width']:.2f}" for one in (code, ours[method])]
            published = f"{paper['width']:.2f}" if "width" in paper else "–"
            cells += [published, *widths] if method == "nested" else ["", "", ""]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _percent(sides: list[float] | None, text: str = "–") -> str:
    """The sum of both sides and each of them."""
    if sides is None:
        return text
    below, above = (f"{x:.3g}" for x in sides)
    return f"{sum(sides):.3g} ({below} + {above})"

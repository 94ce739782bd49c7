"""Gold weights that differ very much: `python -m benchmarks.judge_weights [--samples R]`.

Every sample draws new rows in strata with known sampling probabilities, and labels a fixed number
of each. A few gold rows stand for most of all rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

import karat

METRICS: Final = ("accuracy", "f1", "kappa", "log_loss")
# Weight of a gold row → number of gold rows, of 200.
DESIGNS: Final[dict[str, dict[int, int]]] = {
    "half of weight 20, half of 60": {20: 100, 60: 100},
    "1 % of weight 50": {1: 198, 50: 2},
    "10 % of weight 50": {1: 180, 50: 20},
    "5 % of weight 100": {1: 190, 100: 10},
    "2 % of weight 1000, others to 200": {1: 160, 10: 20, 50: 10, 200: 6, 1000: 4},
}
Floats: TypeAlias = npt.NDArray[np.float64]


def rows(rng: np.random.Generator, n: int, *, is_easy: bool) -> tuple[Any, Any, Floats]:
    """Truth, judge's labels and probabilities of rows; easy ones have few errors."""
    agreement, apart = (0.98, 2.0) if is_easy else (0.9, 1.0)
    truth = rng.integers(0, 2, n)
    judge = np.where(rng.random(n) < agreement, truth, 1 - truth)
    logit = 2.0 * apart * ((2 * truth - 1) * apart + rng.normal(0.0, 1.0, n))
    return truth, judge, np.clip(1.0 / (1.0 + np.exp(-logit)), 1e-6, 1.0 - 1e-6)


def population(rng: np.random.Generator, sizes: Sequence[int], *, is_easy: bool) -> list[Any]:
    """Rows of every stratum one after the other; the first is never easy."""
    parts = [rows(rng, n, is_easy=is_easy and i > 0) for i, n in enumerate(sizes)]
    return [np.concatenate(one) for one in zip(*parts, strict=True)]


def figures(design: str, samples: int, *, is_easy: bool) -> Iterator[str]:
    """Coverage of the values of the population, and median widths, as lines of a table."""
    drawn = DESIGNS[design]
    sizes = [weight * count for weight, count in drawn.items()]
    n, n_effective = sum(sizes), sum(sizes) ** 2 / sum(w * w * c for w, c in drawn.items())
    rng = np.random.default_rng([2829, n, is_easy])
    whole = population(rng, [int(1e6 * size / n) for size in sizes], is_easy=is_easy)
    true = karat.evaluate(whole[0], y_prob=whole[2], metrics=METRICS, level=None)
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in METRICS}
    weights, has_gold = np.full(n, np.nan), np.zeros(n, bool)
    for first, (weight, count) in zip(np.cumsum([0, *sizes]), drawn.items(), strict=False):
        has_gold[first : first + count] = True
        weights[first : first + count] = weight
    for _ in range(samples):
        truth, judge, prob = population(rng, sizes, is_easy=is_easy)
        gold = np.where(has_gold, truth, np.nan)
        report: Any = karat.evaluate(
            y_true=gold, design=karat.Judge(judge, weights=weights), y_prob=prob, metrics=METRICS
        )
        for name in METRICS:
            one, value = report[name], true[name].value
            limits = (one.low, one.high), (one.gold_low, one.gold_high)
            # Without limits nothing is covered.
            known = [(np.nan, np.nan) if a is None or b is None else (a, b) for a, b in limits]
            hits = [low <= value <= high for low, high in known]
            widths = [high - low for low, high in known]
            found[name].append((*hits, *widths))
    kind = "easier" if is_easy else "as others"
    for name, each in found.items():
        hits, alone = 100.0 * np.mean([one[:2] for one in each], axis=0)
        width, wide = np.nanmedian([one[2:] for one in each], axis=0)
        yield (
            f"| {design} | {kind} | {n_effective:.0f} | {name} | {hits:.1f} | {alone:.1f} "
            f"| {width:.2f} | {wide:.2f} |"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    given = parser.parse_args(arguments)
    print(
        "| weights of 200 gold rows | heavy rows | effective | metric | coverage | gold alone ",
        end="",
    )
    print("| width | of gold alone |\n|---|---|---:|---|---:|---:|---:|---:|")
    for is_easy in (False, True):
        for design in DESIGNS:
            for line in figures(design, given.samples, is_easy=is_easy):
                print(line)
                sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Windows of a monitor: `python -m benchmarks.windows [--samples R] [--page FILE]`.

Paths of 200 windows, each judged alone, with bounds at the true values: a decided rule is a false
alarm. Beside it, the verdicts of gates with limits of one look on the same windows.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final, TypeAlias

# Before karat is imported: samples are small, threads would cost more than they gain.
os.environ.setdefault("KARAT_NUM_THREADS", "1")

import numpy as np

import karat
from benchmarks.anytime import NEAR, RARE, THREE, label_design
from benchmarks.marks import between

RESULTS: Final = Path(__file__).parent / "results" / "windows.json"
SEED: Final = 2829
N_WINDOWS: Final = 200
Batch: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Design:
    """Rules at the true values, and windows of rows of one population.

    Attributes:
        name: of the population.
        rules: arguments of a monitor.
        n: rows of a window.
        batches: the arguments of each window.
    """

    name: str
    rules: dict[str, Any]
    n: int
    batches: Callable[[np.random.Generator, int], Batch]

    @property
    def metrics(self) -> str:
        """The metrics of the rules, as text."""
        return ", ".join(name for each in self.rules.values() for name in each)


@dataclass(frozen=True)
class Found:
    """Proportions of paths with a window that was decided wrongly.

    Attributes:
        design, metrics, n: what was measured.
        paths: number of paths.
        windows: of a monitor with windows.
        one_look: of limits of one look, on the first fifth of the paths.
        median_window: the first wrong one, in the median; None without any.
    """

    design: str
    metrics: str
    n: int
    paths: int
    windows: float
    one_look: float
    median_window: float | None


def designs() -> list[Design]:
    """The designs of the study."""
    found = [_of_probabilities(0.3, 1.5), _of_probabilities(0.03, 2.0)]
    for name, shares, metrics, n in (
        ("3 classes, accuracy 0.9", THREE, ("accuracy", "macro_f1", "matthews_correlation"), 200),
        ("accuracy 0.995", NEAR, ("accuracy", "balanced_accuracy"), 400),
        ("3 % positive", RARE, ("accuracy", "f1", "balanced_accuracy"), 300),
    ):
        found.append(_of_labels(name, shares, metrics, n))

    return [*found, _of_two(0.85, 0.06), _of_two(0.97, 0.01)]


def _of_two(accuracy: float, apart: float) -> Design:
    """Two equally good models, each of which alone has this proportion of rows right."""

    def paired(rng: np.random.Generator, n: int) -> Batch:
        y, u = rng.integers(0, 2, n), rng.random(n)
        both, first = u < accuracy - apart, (u >= accuracy - apart) & (u < accuracy)
        second = (u >= accuracy) & (u < accuracy + apart)
        return {
            "y_true": y,
            "y_pred": np.where(both | second, y, 1 - y),
            "baseline": np.where(both | first, y, 1 - y),
        }

    name = f"two models, accuracy {accuracy:g}, apart on {200 * apart:g} % of rows"
    return Design(name, {"max_drop": {"accuracy": 0.0, "macro_f1": 0.0}}, 300, paired)


def _of_probabilities(share: float, distance: float) -> Design:
    """Calibrated probabilities of normal scores, whose classes lie this distance apart."""

    def drawn(rng: np.random.Generator, n: int) -> Batch:
        y = (rng.random(n) < share).astype(np.int64)
        x = rng.standard_normal(n) + distance * y
        odds = share / (1.0 - share) * np.exp(distance * x - distance**2 / 2.0)
        return {"y_true": y, "y_prob": odds / (1.0 + odds)}

    metrics = ["log_loss", "brier"]
    whole = karat.evaluate(
        **drawn(np.random.default_rng(SEED), 2_000_000), metrics=metrics, level=None
    )
    area = NormalDist().cdf(distance / math.sqrt(2.0))
    rules = {"min": {"roc_auc": area}, "max": {name: whole[name].value for name in metrics}}
    return Design(f"probabilities, {100 * share:g} % positive", rules, 300, drawn)


def _of_labels(name: str, shares: Any, metrics: tuple[str, ...], n: int) -> Design:
    truths = label_design(name, shares, metrics).truths
    p = np.asarray(shares, np.float64)
    k = len(p)
    p = p.ravel() / p.sum()

    def labels(rng: np.random.Generator, n: int) -> Batch:
        cells = rng.choice(k * k, n, p=p)
        return {"y_true": cells // k, "y_pred": cells % k}

    return Design(name, {"min": dict(zip(metrics, truths, strict=True))}, n, labels)


def _first_wrong(batches: Iterator[Batch], decides: Callable[[Batch], bool]) -> int:
    """The first window that is decided, from 1; 0 for none."""
    return next((j for j, batch in enumerate(batches, 1) if decides(batch)), 0)


def false_alarms(design: Design, samples: int, seed: int, n_windows: int = N_WINDOWS) -> Found:
    """The false alarms of a design."""
    n_once = max(samples // 5, 1)
    wrong, once = [], []
    for path in range(samples):
        labels = [0, 1, 2] if design.name.startswith("3 classes") else [0, 1]
        monitor = karat.Monitor(windows=True, labels=labels, **design.rules)

        def drawn(path: int = path) -> Iterator[Batch]:
            rng = np.random.default_rng([seed, path])
            return (design.batches(rng, design.n) for _ in range(n_windows))

        def by_windows(batch: Batch, monitor: karat.Monitor = monitor) -> bool:
            return _is_decided(monitor.add(**batch, again=True))

        def by_gate(batch: Batch, labels: Any = labels) -> bool:
            asked: dict[str, Any] = {
                "rules": karat.Rules(evidence="low", adjust="none"),
                "labels": labels,
            }
            return _is_decided(karat.gate(**batch, **design.rules, **asked))

        wrong.append(_first_wrong(drawn(), by_windows))
        if path < n_once:
            once.append(_first_wrong(drawn(), by_gate))
    at = [one for one in wrong if one]
    median = float(np.median(at)) if at else None
    rates = len(at) / samples, float(np.mean([one > 0 for one in once]))
    return Found(design.name, design.metrics, design.n, samples, *rates, median)


def _is_decided(result: karat.GateResult) -> bool:
    return any(rule.verdict != "INCONCLUSIVE" for rule in result.rules)


def markdown(found: Sequence[dict[str, Any]]) -> str:
    """The table of the page."""
    lines = [
        "| design | metrics of the rules | rows a window | paths | windows | limits of one look |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for one in found:
        rates = f"{100 * one['windows']:.1f} % | {100 * one['one_look']:.0f} %"
        lines.append(
            f"| {one['design']} | {one['metrics']} | {one['n']} | {one['paths']} | {rates} |"
        )
    return "\n".join(lines) + "\n"


_START: Final = "<!-- written by python -m benchmarks.windows -->"
_END: Final = "<!-- end of windows -->"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and write its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, help="a page to write the table into")
    parser.add_argument("--tables-only", action="store_true", help="write the page from --out")
    given = parser.parse_args(arguments)
    if not given.tables_only:
        found = []
        for i, design in enumerate(designs()):
            start = time.process_time()
            found.append(asdict(false_alarms(design, given.samples, given.seed + i)))
            print(design.name, f"{time.process_time() - start:.0f} s", flush=True)
        whole = {"schema": "karat.windows-study/1", "seed": given.seed, "designs": found}
        given.out.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    table = markdown(json.loads(given.out.read_text(encoding="utf-8"))["designs"])
    print(table)
    if given.page is not None:
        between(given.page, _START, _END, table.splitlines())


if __name__ == "__main__":
    main()

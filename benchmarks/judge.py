"""Gold labels and a judge: `python -m benchmarks.judge [--samples R] [--jobs N] [--page FILE]`.

Coverage of prediction-powered intervals, their width beside that of the gold rows alone, and of how
many samples the interval is more than 3 % wider. Controls: gold rows that are not random.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

# Before karat is imported: samples are small, threads would cost more than they gain.
os.environ.setdefault("KARAT_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

import karat
from benchmarks.marks import between
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.scores.rows import InMemoryScores
from karat.designs.judge import Both, Weighed
from karat.inference.confidence import Confidence, Interval
from karat.inference.judge.estimates import JudgedLabels
from karat.inference.judge.labels import Powered, powered
from karat.inference.judge.scores import powered_scores
from karat.inference.label_intervals import label_interval
from karat.inference.score_intervals import measured_with_influence
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.metrics._measure import measure
from karat.tally import Cells, Classes, JointCells

RESULTS: Final = Path(__file__).parent / "results" / "judge.json"
SEED: Final = 2828
GOLD: Final = (100, 500)
AGREEMENT: Final = (0.7, 0.9)
N_REST: Final = 5000
N_REST_OF_SCORES: Final = 2000
TWO: Final = Classes.of([0, 1])
Floats: TypeAlias = npt.NDArray[np.float64]
Limits: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Figures:
    """One metric of one design.

    Attributes:
        design, metric: what was measured.
        gold: number of gold rows.
        judge: agreement of the judge with the truth.
        samples: number of samples.
        coverage, gold_coverage: of the interval, and of that of the gold rows alone.
        width: mean width ÷ mean width of the gold rows alone.
        wider: proportion of samples whose interval is more than 3 % wider.
        weight: mean λ.
    """

    design: str
    metric: str
    gold: int
    judge: float
    samples: int
    coverage: float
    gold_coverage: float
    width: float
    wider: float
    weight: float


@dataclass
class Tally:
    """Sums over samples of one metric."""

    truth: float
    found: list[tuple[float, ...]]

    def add(self, one: Limits, alone: Limits, weight: float = 0.0) -> None:
        """Add one sample."""
        width, wide = one[1] - one[0], alone[1] - alone[0]
        hits = [float(low <= self.truth <= high) for low, high in (one, alone)]
        self.found.append((*hits, width, wide, float(width > 1.03 * wide), weight))

    def figures(self, design: str, metric: str, gold: int, judge: float) -> Figures:
        """Return the means."""
        means = np.mean(self.found, axis=0)
        ratio = float(means[2] / means[3])
        n, numbers = len(self.found), [float(means[i]) for i in (0, 1)]
        return Figures(
            design, metric, gold, judge, n, *numbers, ratio, float(means[4]), float(means[5])
        )


def limits_of(interval: Interval) -> Limits:
    """Return both limits; the whole range where there are none."""
    if interval.low is None or interval.high is None:
        return 0.0, 1.0
    return interval.low, interval.high


@dataclass(frozen=True)
class LabelDesign:
    """A population of gold label × judge × prediction.

    Attributes:
        name: what it is called.
        prior: proportions of the classes.
        accuracy: of the model.
        metrics: those that are measured.
        shared: proportion of rows on which the judge repeats the model.
    """

    name: str
    prior: tuple[float, ...]
    accuracy: float
    metrics: tuple[str, ...]
    shared: float = 0.0

    def joint(self, agreement: float) -> Floats:
        """float64[k, k, k]: probabilities of truth, judge and prediction."""
        k, prior = len(self.prior), np.array(self.prior)
        eye = np.eye(k)
        of_model, of_judge = (
            share * eye + (1 - share) / (k - 1) * (1 - eye) for share in (self.accuracy, agreement)
        )
        own = np.einsum("t,tj,tp->tjp", prior, of_judge, of_model)
        same = np.einsum("t,tp,pj->tjp", prior, of_model, eye)
        return np.asarray((1 - self.shared) * own + self.shared * same)


_OF_TWO: Final = ("accuracy", "f1", "macro_f1", "kappa", "matthews_correlation")
_OF_FOUR: Final = ("accuracy", "macro_f1", "kappa", "balanced_accuracy")
DESIGNS: Final = (
    LabelDesign("two classes", (0.65, 0.35), 0.85, _OF_TWO),
    LabelDesign("two classes, accuracy .95", (0.65, 0.35), 0.95, _OF_TWO),
    LabelDesign("two classes, the judge repeats the model", (0.65, 0.35), 0.85, _OF_TWO, 0.3),
    LabelDesign("four classes", (0.4, 0.3, 0.2, 0.1), 0.8, _OF_FOUR),
)


def counted(classes: Classes, gold: Floats, rest: Floats) -> JudgedLabels:
    """Labels of counts of truth × judge × prediction, and of judge × prediction."""
    own, others = np.nonzero(gold), np.nonzero(rest)
    numbers = int(gold.sum()), int(rest.sum())
    of_gold = JointCells(
        classes, ("judge", "prediction"), np.array(own), gold[own].astype(np.int64), numbers[0]
    )
    of_rest = JointCells(
        classes, ("prediction",), np.array(others), rest[others].astype(np.int64), numbers[1]
    )
    return JudgedLabels.of_cells(of_gold, of_rest)


def label_figures(
    design: LabelDesign, n: int, agreement: float, samples: int, seed: list[int]
) -> list[Figures]:
    """Measure one population of labels."""
    rng, k = np.random.default_rng(seed), len(design.prior)
    classes = TWO if k == 2 else Classes.of(range(k))
    joint, asked = design.joint(agreement), Confidence()
    whole = Cells.dense(joint.sum(axis=1) * 1e12, classes=classes)
    metrics = {name: get(name) for name in design.metrics}
    tallies = {name: Tally(float(m.values(whole).value), []) for name, m in metrics.items()}
    share, corrected = (Tally(design.prior[-1], []) for _ in range(2))
    for _ in range(samples):
        gold = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
        rest = rng.multinomial(N_REST, joint.sum(axis=0).ravel()).reshape(k, k)
        labels = counted(classes, gold, rest)
        cells = Cells.dense(gold.sum(axis=1), classes=classes)
        table = TableVariance(cells)
        for name, metric in metrics.items():
            one = powered(metric, labels.table, asked)
            alone = label_interval(metric, float(metric.values(cells).value), table, asked)
            tallies[name].add(limits_of(one.interval), limits_of(alone), one.tuned.weight)
        verdicts = labels.verdicts
        one, alone_ = verdicts.share(k - 1, asked), verdicts.gold_share(k - 1, asked)
        share.add(limits_of(one.interval), limits_of(alone_.interval), one.tuned.weight)
        corrected.add(limits_of(verdicts.corrected(asked)[-1][1]), limits_of(alone_.interval))
    found = [x.figures(design.name, name, n, agreement) for name, x in tallies.items()]
    if design == DESIGNS[0] or k > 2:
        found.append(share.figures(design.name, "share of a class", n, agreement))
        found.append(corrected.figures(design.name, "Rogan–Gladen", n, agreement))
    return found


_OF_SCORES: Final = ("roc_auc", "log_loss", "brier", "average_precision")


def _drawn(rng: np.random.Generator, m: int, agreement: float) -> tuple[Any, Any, Floats]:
    """Truth, judge and probabilities of rows."""
    z = rng.normal(-0.6, 1.6, m)
    truth = (rng.random(m) < 1 / (1 + np.exp(-z))).astype(np.int32)
    judge = np.where(rng.random(m) < agreement, truth, 1 - truth).astype(np.int32)
    return truth, judge, 1 / (1 + np.exp(-(0.9 * z + rng.normal(0, 0.5, m))))


def _rows(truth: Any, prob: Floats) -> InMemoryScores:
    return InMemoryScores.of(Rows(TWO, truth, None, Scores("y_prob", prob, None)), None, 1)


def score_figures(n: int, agreement: float, samples: int, seed: list[int]) -> list[Figures]:
    """Measure metrics of probabilities."""
    rng, asked = np.random.default_rng(seed), Confidence()
    metrics = {name: get(name) for name in _OF_SCORES}
    truth, _, prob = _drawn(np.random.default_rng(SEED), 2_000_000, agreement)
    values = measure(_rows(truth, prob), list(metrics.values()), "zero")
    tallies = {name: Tally(float(values[m].value), []) for name, m in metrics.items()}
    both = Both(Weighed.of(np.ones(n)), Weighed.of(np.ones(N_REST_OF_SCORES)))
    for _ in range(samples):
        truth, judge, prob = _drawn(rng, n + N_REST_OF_SCORES, agreement)
        own, rest = slice(0, n), slice(n, None)
        gold = _rows(truth[own], prob[own])
        three = gold, _rows(judge[own], prob[own]), _rows(judge[rest], prob[rest])
        found: Mapping[Any, Powered] = powered_scores(list(metrics.values()), three, both, asked)
        _, alone, _ = measured_with_influence(gold, list(metrics.values()), "zero", asked)
        for name, metric in metrics.items():
            one = found[metric]
            limits = limits_of(alone.intervals[metric])
            tallies[name].add(limits_of(one.interval), limits, one.tuned.weight)
    return [x.figures("probabilities", name, n, agreement) for name, x in tallies.items()]


def chosen_figures(samples: int, seed: list[int]) -> list[Figures]:
    """Gold rows that are no random part: stated to be one (a control), and with weights."""
    rng, n, n_gold = np.random.default_rng(seed), 4000, 200
    kinds: dict[str, Callable[..., Any]] = {
        "gold rows where judge and model differ, called random": _differing,
        "gold rows of karat.rows_to_label, with weights": _sampled,
        "gold rows of karat.rows_to_label, weights left out": _unweighed,
        "gold rows at random": _random,
    }
    tallies = {kind: Tally(0.85, []) for kind in kinds}
    for i in range(samples):
        sure = np.where(rng.random(n) < 0.8, 0.98, 0.6)
        truth = (rng.random(n) < 0.35).astype(int)
        judge = np.where(rng.random(n) < sure, truth, 1 - truth)
        pred = np.where(rng.random(n) < 0.85, truth, 1 - truth)
        for kind, choose in kinds.items():
            rows, weights = choose(rng, judge, pred, sure, n_gold, i)
            gold = np.full(n, np.nan)
            gold[rows] = truth[rows]
            report = karat.evaluate(
                y_true=gold,
                design=karat.Judge(judge, weights=weights, is_random=weights is None),
                y_pred=pred,
                metrics="accuracy",
            )
            one = report["accuracy"]
            tallies[kind].add((one.low, one.high), (one.gold_low, one.gold_high), one.judge_weight)
    return [tally.figures(kind, "accuracy", n_gold, 0.9) for kind, tally in tallies.items()]


def _differing(rng: np.random.Generator, judge: Any, pred: Any, _: Any, m: int, __: int) -> Any:
    share = np.where(judge == pred, 1.0, 4.0)
    return rng.choice(len(judge), m, replace=False, p=share / share.sum()), None


def _sampled(_: Any, judge: Any, __: Any, sure: Floats, m: int, seed: int) -> Any:
    found = karat.rows_to_label(judge, m, confidence=sure, seed=seed)
    return found.rows, found.gold_weights


def _unweighed(_: Any, judge: Any, __: Any, sure: Floats, m: int, seed: int) -> Any:
    return karat.rows_to_label(judge, m, confidence=sure, seed=seed).rows, None


def _random(rng: np.random.Generator, judge: Any, _: Any, __: Any, m: int, ___: int) -> Any:
    return rng.choice(len(judge), m, replace=False), None


def compared_figures(n_gold: int, agreement: float, samples: int, seed: list[int]) -> list[Figures]:
    """Difference of two equally good systems: coverage of 0, and width beside gold rows alone."""
    rng, n, tally = np.random.default_rng(seed), 4000, Tally(0.0, [])
    for _ in range(samples):
        truth = rng.integers(0, 2, n)
        judge, a, b = (
            np.where(rng.random(n) < share, truth, 1 - truth) for share in (agreement, 0.85, 0.85)
        )
        gold = np.full(n, np.nan)
        gold[:n_gold] = truth[:n_gold]
        models = {"a": a, "b": b}
        one = karat.compare(
            y_true=gold,
            design=karat.Judge(judge, is_random=True),
            y_pred=models,
            metrics="accuracy",
        )["accuracy"]
        own = {name: x[:n_gold] for name, x in models.items()}
        alone = karat.compare(truth[:n_gold], own, metrics="accuracy")["accuracy"]
        tally.add(*((x.low or 0.0, x.high or 0.0) for x in (one, alone)))
    metric = "accuracy, difference"
    return [tally.figures("two systems, equally good", metric, n_gold, agreement)]


def markdown(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables of a page."""
    head = "| population | metric | gold | judge | coverage | gold alone | width ÷ gold alone "
    lines = [f"{head}| > 3 % wider |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {one['design']} | {one['metric']} | {one['gold']} | {one['judge']:g} "
        f"| {100 * one['coverage']:.1f} | {100 * one['gold_coverage']:.1f} "
        f"| {one['width']:.2f} | {100 * one['wider']:.1f} % |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


_START: Final = "<!-- written by python -m benchmarks.judge -->"
_END: Final = "<!-- end of what was written -->"


def parts(samples: int, seed: int) -> list[Callable[[], list[Figures]]]:
    """Return the parts of the study, each with a seed of its own."""
    cells = [(j, n, share) for j, (n, share) in enumerate((n, a) for n in GOLD for a in AGREEMENT)]
    quarter = samples // 4
    return [
        *(partial(label_figures, DESIGNS[0], n, a, samples, [seed, 0, j]) for j, n, a in cells),
        *(partial(score_figures, n, a, samples, [seed, 1, j]) for j, n, a in cells),
        *(partial(compared_figures, n, a, quarter, [seed, 2, j]) for j, n, a in cells),
        partial(chosen_figures, samples // 8, [seed, 3]),
        *(
            partial(label_figures, design, n, a, quarter, [seed, 0, i, j])
            for i, design in enumerate(DESIGNS[1:], 1)
            for j, n, a in cells
        ),
    ]


def measured(part: Callable[[], list[Figures]]) -> tuple[list[Figures], float]:
    """Return the figures of a part, and the seconds of processor time that they took."""
    start = time.process_time()
    return part(), time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and write its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1, help="processes; no figure depends on it")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, help="a page to write the tables into")
    parser.add_argument("--tables-only", action="store_true", help="write the page from --out")
    given = parser.parse_args(arguments)
    if not given.tables_only:
        done: list[dict[str, Any]] = []
        with ProcessPoolExecutor(given.jobs) as pool:
            for figures, seconds in pool.map(measured, parts(given.samples, given.seed)):
                done += map(asdict, figures)
                print(figures[0].design, figures[0].gold, f"{seconds:.0f} s", flush=True)
        whole = {"schema": "karat.judge-study/1", "seed": given.seed, "figures": done}
        given.out.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    found = json.loads(given.out.read_text(encoding="utf-8"))["figures"]
    tables = markdown(found)
    print(tables)
    if given.page is not None:
        between(given.page, _START, _END, tables.splitlines())


if __name__ == "__main__":
    main()

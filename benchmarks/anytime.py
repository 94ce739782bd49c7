"""Confidence sequences: `python -m benchmarks.anytime [--samples R] [--part PART] [--page FILE]`.

False alarms over looks at every row from 10 to 10 000, beside the interval of one look; rows until
a drop is shown, beside the rows that a test of one look needs; widths beside those of one look.

karat is asked at 40 fixed looks, and at every other look at which the value is at least 0.8
times as many standard errors from its true value as the boundary. Values at every look come from
cumulative sums. Limits of one look are tried at the fixed looks alone.
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
import numpy.typing as npt

import karat
from benchmarks.marks import between
from karat.designs.looks import boundary
from karat.metrics import get
from karat.tally import Cells, Classes

RESULTS: Final = Path(__file__).parent / "results" / "anytime.json"
SEED: Final = 2827
PLANNED: Final = 10_000
FIRST: Final = 10
ALPHA: Final = 0.05
_SCREEN: Final = 0.8
_FIXED: Final = np.unique(
    np.concatenate([np.arange(FIRST, 30, 2), np.geomspace(30, PLANNED, 30).astype(int)])
)
THREE: Final = ((0.3, 0.02, 0.01), (0.02, 0.3, 0.02), (0.01, 0.02, 0.3))
RARE: Final = ((0.95, 0.02), (0.01, 0.02))
NEAR: Final = ((0.45, 0.003), (0.002, 0.545))
"""Proportions of true × predicted classes."""
Floats: TypeAlias = npt.NDArray[np.float64]
Interval: TypeAlias = tuple[float | None, float | None]


@dataclass(frozen=True)
class Alarms:
    """False alarms of one metric: paths on which the true value left the limits at some look.

    Attributes:
        design, metric: what was measured.
        truth: the true value; None of several.
        paths: number of paths.
        anytime: proportion with a false alarm of limits for every look.
        median_look: rows of the median first false alarm, or None.
        one_look: the same proportion of limits for one look, at 40 looks; None: not measured.
    """

    design: str
    metric: str
    truth: float | None
    paths: int
    anytime: float
    median_look: float | None
    one_look: float | None = None


@dataclass(frozen=True)
class Walk:
    """One path: the value at every look, and what karat gives at one.

    Attributes:
        values: float64[looks] of each metric, from 10 rows on.
        limits: those of every metric at a number of rows; for every look, or for one.
    """

    values: Sequence[Floats]
    limits: Callable[[int, bool], Sequence[Interval]]


@dataclass(frozen=True)
class Design:
    """A population, its metrics with true values and standard errors of one row, and its paths."""

    name: str
    metrics: tuple[str, ...]
    truths: tuple[float, ...]
    errors: tuple[float, ...]
    paths: Callable[[np.random.Generator], Iterator[Walk]]


def _alarms(design: Design, samples: int, seed: Sequence[int], *, anytime: bool) -> list[int]:
    """First false alarm of each metric of each path, 0 for none: metric after metric."""
    n = np.arange(FIRST, PLANNED + 1)
    z = np.array([boundary(x, PLANNED, ALPHA) for x in n.tolist()])
    found = []
    paths = design.paths(np.random.default_rng(seed))
    for _ in range(samples):
        path = next(paths)
        known: dict[int, Sequence[Interval]] = {}
        for i, truth in enumerate(design.truths):
            far = np.abs(path.values[i] - truth) > _SCREEN * z * design.errors[i] / np.sqrt(n)
            far &= anytime
            far[_FIXED - FIRST] = True
            first = 0
            for at in n[far].tolist():
                if at not in known:
                    known[at] = path.limits(at, anytime)
                low, high = known[at][i]
                if low is not None and high is not None and not low <= truth <= high:
                    first = at
                    break
            found.append(first)
    return found


def false_alarms(design: Design, samples: int, seed: int) -> list[Alarms]:
    """The alarms of a design; those of one look on a fifth of the paths."""
    m = len(design.metrics)
    every = np.array(_alarms(design, samples, [seed, 1], anytime=True)).reshape(-1, m)
    fewer = max(samples // 5, 5)
    once = np.array(_alarms(design, fewer, [seed, 2], anytime=False)).reshape(-1, m)
    done = []
    for i, metric in enumerate(design.metrics):
        hits = every[:, i][every[:, i] > 0]
        median = float(np.median(hits)) if len(hits) else None
        rates = float((every[:, i] > 0).mean()), float((once[:, i] > 0).mean())
        done.append(
            Alarms(design.name, metric, design.truths[i], samples, rates[0], median, rates[1])
        )
    return done


def label_design(name: str, shares: Any, metrics: tuple[str, ...]) -> Design:
    """Rows of labels with these proportions of true × predicted classes."""
    p = np.asarray(shares, np.float64)
    p = p / p.sum()
    k = len(p)
    classes = Classes(tuple(range(k)), positive=1 if k == 2 else None)
    big = Cells.dense(np.rint(p * 1e9).astype(np.int64), classes=classes)
    records = [get(metric) for metric in metrics]
    truths = tuple(float(one.values(big).value) for one in records)
    errors = []
    for one in records:
        g = one.gradient(big).at_cells().reshape(k, k) * float(big.n_rows)
        errors.append(math.sqrt(float((p * g * g).sum() - (p * g).sum() ** 2)))
    n_looks = PLANNED - FIRST + 1

    def paths(rng: np.random.Generator) -> Iterator[Walk]:
        while True:
            cells = rng.choice(k * k, PLANNED, p=p.ravel())
            counts = np.zeros((PLANNED, k * k), np.int64)
            counts[np.arange(PLANNED), cells] = 1
            tables = counts.cumsum(axis=0).reshape(-1, k, k)
            stack = Cells.dense(
                tables[FIRST - 1 :], classes=classes, n_rows=np.arange(FIRST, PLANNED + 1)
            )
            values = [one.values(stack).value for one in records]
            assert all(len(each) == n_looks for each in values)

            def limits(n: int, anytime: bool, tables: Any = tables) -> list[Interval]:
                cells = Cells.dense(tables[n - 1], classes=classes)
                return _of(karat.Report(cells, confidence=_confidence(anytime)), metrics)

            yield Walk(values, limits)

    return Design(name, metrics, truths, tuple(errors), paths)


def _of(report: karat.Report, metrics: Sequence[str]) -> list[Interval]:
    results = [report[metric] for metric in metrics]
    return [(one.low, one.high) for one in results]


def _confidence(anytime: bool) -> Any:
    from karat.inference.confidence import Confidence

    return Confidence(anytime=PLANNED if anytime else None)


def scored(rng: np.random.Generator, n: int) -> tuple[Any, Floats]:
    """Labels, 30 % positive, and calibrated probabilities of normal scores."""
    y = (rng.random(n) < 0.3).astype(np.int64)
    x = rng.standard_normal(n) + 1.5 * y
    odds = 0.3 / 0.7 * np.exp(1.5 * x - 1.5**2 / 2.0)
    return y, odds / (1.0 + odds)


def score_design() -> Design:
    """Area under ROC, log loss and Brier score of calibrated probabilities."""
    metrics = ("roc_auc", "log_loss", "brier")
    y, p = scored(np.random.default_rng(SEED), 2_000_000)
    area = NormalDist().cdf(1.5 / math.sqrt(2.0))
    losses = -np.log(np.where(y == 1, p, 1.0 - p)), (p - y) ** 2
    some = karat.evaluate(y[:100_000], y_prob=p[:100_000], metrics=["roc_auc"])["roc_auc"]
    errors = [(some.standard_error or 0.0) * math.sqrt(100_000)]
    errors += [float(loss.std()) for loss in losses]
    truths = (area, *(float(loss.mean()) for loss in losses))

    def paths(rng: np.random.Generator) -> Iterator[Walk]:
        n = np.arange(1, PLANNED + 1)
        while True:
            y, p = scored(rng, PLANNED)
            loss, square = -np.log(np.where(y == 1, p, 1.0 - p)), (p - y) ** 2
            means = [each.cumsum() / n for each in (loss, square)]
            values = [_areas(y, p), *means]

            def limits(n: int, anytime: bool, y: Any = y, p: Any = p) -> list[Interval]:
                asked: dict[str, Any] = {"metrics": metrics, "labels": [0, 1]}
                planned = PLANNED if anytime else None
                return _of(
                    karat.evaluate(y[:n], y_prob=p[:n], design=karat.Looks(planned), **asked),
                    metrics,
                )

            yield Walk([each[FIRST - 1 :] for each in values], limits)

    return Design("probabilities, 30 % positive", metrics, truths, tuple(errors), paths)


def _areas(y: Any, p: Floats) -> Floats:
    """float64[n]: the area under ROC of the first rows, for every number of them."""
    won = np.zeros(len(y))
    for i in range(1, len(y)):
        before = p[:i][y[:i] != y[i]]
        won[i] = (before < p[i]).sum() if y[i] else (before > p[i]).sum()
    pos = y.cumsum()
    pairs = np.maximum(pos * (np.arange(1, len(y) + 1) - pos), 1)
    return np.asarray(won.cumsum() / pairs)


def paired_design(accuracy: float, apart: float) -> Design:
    """Two equally good models of three classes that disagree on some rows: differences are 0."""
    metrics = ("accuracy", "macro_f1")
    errors = (math.sqrt(2.0 * apart), math.sqrt(2.0 * apart) * 1.2)

    def drawn(rng: np.random.Generator) -> tuple[Any, Any, Any]:
        y = rng.integers(0, 3, PLANNED)
        wrong = (y + rng.integers(1, 3, PLANNED)) % 3
        u = rng.random(PLANNED)
        both = u < accuracy - apart
        a = np.where(both | ((u >= accuracy - apart) & (u < accuracy)), y, wrong)
        b = np.where(both | ((u >= accuracy) & (u < accuracy + apart)), y, wrong)
        return y, a, b

    def paths(rng: np.random.Generator) -> Iterator[Walk]:
        n = np.arange(1, PLANNED + 1)
        while True:
            y, a, b = drawn(rng)
            gap = ((b == y).astype(np.int64) - (a == y)).cumsum() / n
            values = [gap, _macro_f1(y, b) - _macro_f1(y, a)]

            def limits(n: int, anytime: bool, y: Any = y, a: Any = a, b: Any = b) -> list[Interval]:
                asked: dict[str, Any] = {"metrics": metrics, "labels": [0, 1, 2]}
                planned = PLANNED if anytime else None
                found = karat.compare(
                    y[:n], {"a": a[:n], "b": b[:n]}, design=karat.Looks(planned), **asked
                )
                return [(one.low, one.high) for one in found.differences]

            yield Walk([each[FIRST - 1 :] for each in values], limits)

    name = f"two models, accuracy {accuracy:g}, apart on {100 * 2 * apart:g} % of rows"
    return Design(name, metrics, (0.0, 0.0), errors, paths)


def _macro_f1(y: Any, pred: Any) -> Floats:
    found = np.zeros(len(y))
    for c in range(3):
        tp = ((y == c) & (pred == c)).cumsum()
        total = (y == c).cumsum() + (pred == c).cumsum()
        found += 2.0 * tp / np.maximum(total, 1)
    return found / 3.0


def monitors(samples: int, seed: int) -> Alarms:
    """Monitors whose three rules are bounds at the true values, in batches of 100 rows."""
    design = label_design("monitor", THREE, MONITORED)
    rng = np.random.default_rng([seed, 3])
    k, bounds = 3, dict(zip(MONITORED, design.truths, strict=True))
    p = np.array(THREE)
    p = p / p.sum()
    hits = []
    for _ in range(samples):
        monitor = karat.Monitor(min=bounds, labels=[0, 1, 2])
        first = 0
        for _look in range(PLANNED // 100):
            cells = rng.choice(k * k, 100, p=p.ravel())
            result = monitor.add(cells // k, cells % k, again=True)
            if any(rule.verdict != "INCONCLUSIVE" for rule in result.rules):
                first = result.n
                break
        hits.append(first)
    at = [one for one in hits if one]
    median = float(np.median(at)) if at else None
    return Alarms(OF_MONITORS, "any rule", None, samples, len(at) / samples, median)


OF_MONITORS: Final = "karat.Monitor, 100 looks at 3 rules whose bounds are the true values"
MONITORED: Final = ("accuracy", "macro_f1", "matthews_correlation")


@dataclass(frozen=True)
class Delay:
    """Rows until a drop is shown, beside those that a test of one look needs for 80 % power."""

    rule: str
    truth: str
    one_look: int
    median: float
    mean: float
    most: float
    never: float


def delays(samples: int, seed: int) -> list[Delay]:
    """Delays of a bound of accuracy, and of a drop from another model on the same rows."""
    rng = np.random.default_rng([seed, 4])
    normal = NormalDist()
    a, b = normal.inv_cdf(0.975), normal.inv_cdf(0.8)
    found = []
    for p in (0.88, 0.87, 0.85, 0.80):
        p0 = 0.9
        root = a * math.sqrt(p0 * (1 - p0)) + b * math.sqrt(p * (1 - p))
        needed = math.ceil((root / (p0 - p)) ** 2)
        # The Wilson limit lies below the bound where its score statistic passes the quantile.
        spread = p0 * (1 - p0)
        rows = _first_rows(rng, samples, 12 * needed, (p, 1.0 - p), (1.0 - p0, -p0), spread)
        found.append(_delay("accuracy ≥ 0.9", f"accuracy {p:g}", needed, rows))
    for drop in (0.02, 0.03, 0.05):
        lost, won = 0.05 + drop / 2.0, 0.05 - drop / 2.0
        root = a * math.sqrt(0.1) + b * math.sqrt(0.1 - drop**2)
        needed = math.ceil((root / drop) ** 2)
        rows = _first_rows(rng, samples, 12 * needed, (won, lost), (1.0, -1.0), None)
        truth = f"{drop:g} lower, the models apart on 10 % of rows"
        found.append(_delay("accuracy not worse than another model's", truth, needed, rows))
    return found


def _first_rows(
    rng: np.random.Generator,
    samples: int,
    most: int,
    shares: tuple[float, float],
    steps: tuple[float, float],
    spread: float | None,
) -> Floats:
    """float64[samples]: rows at which the sum of steps lies below the boundary; inf for never.

    Its variance is `spread` for each row, or the number of steps (McNemar).
    """
    n = np.arange(1, most + 1)
    z = np.array([boundary(x, PLANNED, ALPHA) for x in n.tolist()])
    found = np.full(samples, np.inf)
    for i in range(samples):
        u = rng.random(most)
        up, down = u < shares[0], (u >= shares[0]) & (u < sum(shares))
        total = np.where(up, steps[0], np.where(down, steps[1], 0.0)).cumsum()
        variance = spread * n if spread is not None else (up | down).cumsum()
        below = (total < -z * np.sqrt(variance)) & (n >= FIRST)
        if below.any():
            found[i] = n[below.argmax()]
    return found


def _delay(rule: str, truth: str, needed: int, rows: Floats) -> Delay:
    shown = rows[np.isfinite(rows)]
    figures = np.median(rows), shown.mean(), np.quantile(rows, 0.9, method="higher")
    median, mean, most = map(float, figures)
    return Delay(rule, truth, needed, median, mean, most, float(np.isinf(rows).mean()))


@dataclass(frozen=True)
class Width:
    """Width of limits for every look relative to those of one look."""

    metric: str
    n: int
    ratio: float


def widths(seed: int) -> list[Width]:
    """Widths at several numbers of rows of one sample, planned for 10 000."""
    rng = np.random.default_rng([seed, 5])
    y, p = scored(rng, 40_000)
    old = np.where(rng.random(40_000) < 0.95, p > 0.5, p > 0.3).astype(np.int64)
    names = ["accuracy", "macro_f1", "matthews_correlation", "roc_auc", "log_loss", "brier"]
    found = []
    for n in (500, 1_000, 3_000, 10_000, 40_000):
        once, every = (
            karat.evaluate(y[:n], y_prob=p[:n], metrics=names, design=karat.Looks(planned))
            for planned in (None, PLANNED)
        )
        found += [Width(name, n, _width(every[name]) / _width(once[name])) for name in names]
        new = (p[:n] > 0.5).astype(np.int64)
        pair = [
            karat.compare(
                y[:n], {"a": old[:n], "b": new}, metrics=["accuracy"], design=karat.Looks(planned)
            )
            for planned in (None, PLANNED)
        ]
        sides = [_width(one.differences[0]) for one in pair]
        found.append(Width("difference of accuracy", n, sides[1] / sides[0]))
    return found


def _width(one: Any) -> float:
    assert one.low is not None
    assert one.high is not None
    return float(one.high - one.low)


def designs() -> list[Design]:
    """The designs of false alarms."""
    return [
        score_design(),
        paired_design(0.85, 0.06),
        label_design("3 classes, accuracy 0.9", THREE, ("accuracy", "macro_f1")),
        label_design("accuracy 0.995", NEAR, ("accuracy", "balanced_accuracy")),
        paired_design(0.97, 0.01),
        label_design("3 % positive", RARE, ("accuracy", "f1", "balanced_accuracy")),
    ]


def markdown(found: dict[str, Any]) -> str:
    """The tables of the page."""
    lines = [
        "| design | metric | paths | every look | interval of one look | median first look |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for one in found["alarms"]:
        once = "" if one["one_look"] is None else f"{100 * one['one_look']:.0f} %"
        median = "" if one["median_look"] is None else f"{one['median_look']:.0f}"
        lines.append(
            f"| {one['design']} | {one['metric']} | {one['paths']} | {100 * one['anytime']:.1f} % "
            f"| {once} | {median} |"
        )
    lines += [
        "",
        "| rule | truth | rows for 80 % power, one look | median | mean | 90 % of paths |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for one in found["delays"]:
        lines.append(
            f"| {one['rule']} | {one['truth']} | {one['one_look']} | {one['median']:.0f} "
            f"| {one['mean']:.0f} | {one['most']:.0f} |"
        )
    sizes = list(dict.fromkeys(one["n"] for one in found["widths"]))
    lines += [
        "",
        f"| width relative to one look | {' | '.join(f'{n} rows' for n in sizes)} |",
        f"|---|{'---:|' * len(sizes)}",
    ]
    for name in dict.fromkeys(one["metric"] for one in found["widths"]):
        each = [one["ratio"] for one in found["widths"] if one["metric"] == name]
        lines.append(f"| {name} | {' | '.join(f'{ratio:.2f}' for ratio in each)} |")
    return "\n".join(lines) + "\n"


_START: Final = "<!-- written by python -m benchmarks.anytime -->"
_END: Final = "<!-- end of what was written -->"


def _run(out: Path, samples: int, seed: int) -> None:
    """Measure what the file does not hold yet, and write it after each part."""
    whole: dict[str, Any] = {
        "schema": "karat.anytime-study/1",
        "seed": seed,
        "samples": samples,
        "planned": PLANNED,
        "alarms": [],
    }
    if out.exists():
        found = json.loads(out.read_text(encoding="utf-8"))
        if (found["seed"], found["samples"]) == (seed, samples):
            whole = found

    def write() -> None:
        out.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")

    if "delays" not in whole:
        whole["delays"] = [asdict(one) for one in delays(2 * samples, seed)]
        whole["widths"] = [asdict(one) for one in widths(seed)]
        write()
    start = time.process_time()
    done = {one["design"] for one in whole["alarms"]}
    for i, design in enumerate(designs()):
        if design.name not in done:
            whole["alarms"] += map(asdict, false_alarms(design, samples, seed + i))
            write()
            print(design.name, f"{time.process_time() - start:.0f} s", flush=True)
    if OF_MONITORS not in done:
        whole["alarms"].append(asdict(monitors(samples, seed)))
        write()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and write its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, help="a page to write the tables into")
    parser.add_argument("--tables-only", action="store_true", help="write the page from --out")
    given = parser.parse_args(arguments)
    if not given.tables_only:
        _run(given.out, given.samples, given.seed)
    found = json.loads(given.out.read_text(encoding="utf-8"))
    tables = markdown(found)
    print(tables)
    if given.page is not None:
        between(given.page, _START, _END, tables.splitlines())


if __name__ == "__main__":
    main()

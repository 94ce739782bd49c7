"""Planted weak slices: `python -m benchmarks.weak_slices`.

Designs with a crossed culprit, and designs of noise, through `karat.find_weak_slices`. Columns are
of text and of numbers, some of them correlated; tables have 2,000 to 20,000 rows, 4 to 12 columns
and a base error of 5 to 15 %. A culprit is a cross of two columns: values, or numbers above or
below a limit that need not be one of the search. Its error is 3 to 6 times the base, and lies at
least 7 standard errors from it. How often

- it is found exactly: the first of the list, of the same columns, with limits so near that at most
  5 % of the rows of either are not in both (Jaccard index of at least 0.95),
- a parent is blamed: a slice of one of its columns that holds most of the culprit is in the list,
- a slice of one column, worse as a whole, is found as that slice, and its parts are not,
- anything is found in noise, also where rows of a cluster are wrong together.

`--rows 10000 100000 1000000` times the search of 12 columns with a culprit instead, each in a
process of its own, and asserts that the culprit is found.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import karat
from karat.inference.limits import wilson_limits

Columns = dict[str, Any]


@dataclass(frozen=True)
class Planted:
    """A design with a culprit.

    Attributes:
        columns: values of each column.
        wrong: float64[n], 1 where a row is wrong.
        culprit: bool[n].
        names: its columns.
    """

    columns: Columns
    wrong: np.ndarray[Any, Any]
    culprit: np.ndarray[Any, Any]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of one design."""

    seed: int
    n: int
    n_columns: int
    is_found: bool
    is_first: bool
    is_exact: bool
    is_parent_blamed: bool
    jaccard: float
    n_listed: int
    seconds: float


def table(rng: np.random.Generator, n: int, n_columns: int) -> Columns:
    """Columns of text, of whole and of real numbers; every third follows one before it."""
    found: Columns = {}
    kinds = rng.permutation(["text", "whole", "real", "text"] * 3)[:n_columns]
    latent = rng.normal(size=n)
    for i, kind in enumerate(kinds):
        own = rng.normal(size=n)
        if i % 3 == 2:
            own = 0.7 * latent + 0.714 * own
        latent = own
        if kind == "text":
            k = int(rng.integers(2, 9))
            shares = np.cumsum(rng.dirichlet(np.full(k, 3.0)))[:-1]
            cuts = np.quantile(own, shares)
            letters = rng.permutation(list("abcdefgh"))[:k]
            found[f"text{i}"] = letters[np.searchsorted(cuts, own)]
        elif kind == "whole":
            ranks = np.argsort(np.argsort(own)) / n
            found[f"whole{i}"] = (18 + 73 * ranks).astype(int)
        else:
            found[f"real{i}"] = np.round(np.exp(own) * 20.0, 2)
    return found


def condition(rng: np.random.Generator, values: Any) -> np.ndarray[Any, Any]:
    """Rows of one value, or above or up to a number: 12 to 45 % of all."""
    if values.dtype.kind in "US":
        names, counts = np.unique(values, return_counts=True)
        share = counts / len(values)
        fit = names[(share > 0.08) & (share < 0.6)]
        return values == (rng.choice(fit) if len(fit) else names[counts.argmax()])
    share = rng.uniform(0.12, 0.45)
    if rng.random() < 0.5:
        return values > np.quantile(values, 1.0 - share, method="lower")
    return values <= np.quantile(values, share, method="lower")


def planted(seed: int, depth: int = 2) -> Planted:
    """A design with a culprit: a cross of two columns, or a slice of one."""
    for attempt in range(100):
        rng = np.random.default_rng([seed, attempt])
        n = int(np.exp(rng.uniform(np.log(2000), np.log(20_000))))
        columns = table(rng, n, int(rng.integers(4, 13)))
        first, second = (str(x) for x in rng.choice(list(columns), 2, replace=False))
        parents = condition(rng, columns[first]), condition(rng, columns[second])
        culprit = parents[0] if depth == 1 else parents[0] & parents[1]
        m = int(culprit.sum())
        # Both parents hold twice as many rows: else culprit and parent are nearly one.
        if m < 80 or (depth == 2 and any(m > 0.5 * parent.sum() for parent in parents)):
            continue
        base = rng.uniform(0.05, 0.15)
        error = base * rng.uniform(3.0, 6.0)
        # So many standard errors its rows lie from the base.
        if error > 0.7 or (error - base) < 7.0 * np.sqrt(base * (1.0 - base) / m):
            continue
        wrong = (rng.random(n) < np.where(culprit, error, base)).astype(float)
        return Planted(columns, wrong, culprit, (first, second)[:depth])
    raise RuntimeError("no design fits")


def rows_of(one: karat.WeakSlice | Any, columns: Columns) -> np.ndarray[Any, Any]:
    """bool[n], the rows of a slice, by its name alone."""
    rows = np.ones(len(next(iter(columns.values()))), bool)
    for name, key, limits in zip(one.columns, one.key, one.limits, strict=True):
        values = columns[name]
        if limits is None:
            rows &= values.astype(str) == key
            continue
        low, high = limits
        rows &= np.ones(len(rows), bool) if low is None else values > low
        rows &= np.ones(len(rows), bool) if high is None else values <= high
    return rows


def jaccard(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Rows of both, of the rows of either."""
    return float((a & b).sum() / max((a | b).sum(), 1))


def outcome(seed: int, n_permutations: int, depth: int = 2) -> Outcome:
    """What a search finds of one planted design."""
    made = planted(seed, depth)
    start = time.perf_counter()
    found = karat.find_weak_slices(
        by=made.columns,
        loss=made.wrong,
        interval=karat.Interval(n_replicates=n_permutations, seed=seed),
    )
    seconds = time.perf_counter() - start
    names = set(made.names)
    places, best = [], 0.0
    blamed = False
    for place, one in enumerate(found):
        rows = rows_of(one, made.columns)
        near = jaccard(rows, made.culprit)
        best = max(best, near) if set(one.columns) == names else best
        if set(one.columns) == names and near >= 0.95:
            places.append(place)
        elif set(one.columns) < names:
            # A slice of one of its columns that holds most of the culprit.
            blamed |= bool((rows & made.culprit).sum() > 0.5 * made.culprit.sum())
    is_first = bool(places) and places[0] == 0
    return Outcome(
        seed,
        len(made.wrong),
        len(made.columns),
        bool(places),
        is_first,
        is_first and len(found) == 1,
        blamed,
        best,
        len(found),
        seconds,
    )


def noise(seed: int, n_permutations: int, *, clusters: bool) -> bool:
    """Whether anything is found where errors do not depend on the columns.

    With clusters of 1 to 30 rows, their error rates vary, and half of the columns are constant in
    each cluster.
    """
    rng = np.random.default_rng([seed, 1 + clusters])
    n = int(np.exp(rng.uniform(np.log(2000), np.log(8000))))
    columns = table(rng, n, int(rng.integers(4, 9)))
    base = rng.uniform(0.05, 0.15)
    if not clusters:
        wrong = (rng.random(n) < base).astype(float)
        of_rows = None
    else:
        sizes = rng.integers(1, 31, n)
        of_rows = np.repeat(np.arange(n), sizes)[:n]
        first = np.searchsorted(of_rows, np.arange(of_rows.max() + 1))
        for name in list(columns)[::2]:
            columns[name] = columns[name][first][of_rows]
        rates = rng.beta(2.0, 2.0 / base - 2.0, of_rows.max() + 1)
        wrong = (rng.random(n) < rates[of_rows]).astype(float)
    found = karat.find_weak_slices(
        by=columns,
        loss=wrong,
        clusters=of_rows,
        interval=karat.Interval(n_replicates=n_permutations, seed=seed),
    )
    return bool(found)


def told(name: str, hits: int, n: int) -> str:
    """A rate with its 95 % interval."""
    low, high = (100 * float(x) for x in wilson_limits(hits / n, n, 1.96))
    return f"{name:<44}{hits:>4} of {n}  {100 * hits / n:5.1f} % [{low:.1f}, {high:.1f}]"


def timed(n: int) -> dict[str, float]:
    """Seconds, processor seconds and MB of a search of 12 columns of n rows.

    The MB are the most of the process during the search, less what it held before.
    """
    rng = np.random.default_rng(1)
    columns: Columns = {f"x{i}": rng.normal(size=n) for i in range(8)}
    columns |= {f"text{i}": rng.integers(0, 8, n).astype(str) for i in range(4)}
    y_true = rng.integers(0, 2, n)
    culprit = (columns["x0"] > 1.0) & (columns["text1"] == "2")
    wrong = rng.random(n) < np.where(culprit, 0.4, 0.1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, processor = time.perf_counter(), time.process_time()
    found = karat.find_weak_slices(y_true, np.where(wrong, 1 - y_true, y_true), by=columns)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    assert len(found) == 1, found
    assert jaccard(rows_of(found.slices[0], columns), culprit) > 0.95, found
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "processor": processor, "mb": (most - before) / 1024}


def print_times(rows: list[int]) -> int:
    """Print the time and the memory of a search of each number of rows."""
    print(f"{'rows':>10}  {'seconds':>8}  {'processor':>9}  {'MB':>6}")
    for n in rows:
        code = f"import json, benchmarks.weak_slices as b; print(json.dumps(b.timed({n})))"
        text = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
        cost = json.loads(text)
        print(f"{n:>10}  {cost['seconds']:8.2f}  {cost['processor']:9.2f}  {cost['mb']:6.0f}")
    return 0


def main() -> int:
    """Print every rate; the exit code says whether all keep their limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=200)
    parser.add_argument("--noise", type=int, default=400)
    parser.add_argument("--depth", type=int, default=2, choices=(1, 2), help="of the culprit")
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--json", action="store_true", help="a line for each planted design")
    parser.add_argument("--rows", type=int, nargs="+", help="numbers of rows to time")
    given = parser.parse_args()
    if given.rows:
        return print_times(given.rows)
    outcomes = []
    for seed in range(given.designs):
        outcomes.append(outcome(seed, given.permutations, given.depth))
        if given.json:
            print(json.dumps(asdict(outcomes[-1])), flush=True)
    n = len(outcomes)
    good = True
    if n:
        first = sum(one.is_first for one in outcomes)
        blamed = sum(one.is_parent_blamed for one in outcomes)
        print(told("culprit first, exactly", first, n))
        print(told("culprit first, and nothing else", sum(o.is_exact for o in outcomes), n))
        print(told("culprit anywhere in the list", sum(o.is_found for o in outcomes), n))
        print(told("a parent blamed", blamed, n))
        exact = sum(one.jaccard == 1.0 for one in outcomes)
        print(told("its rows to the last one", exact, n))
        seconds = sorted(one.seconds for one in outcomes)
        print(f"seconds of a search: median {seconds[n // 2]:.1f}, most {seconds[-1]:.1f}")
        good &= first >= 0.8 * n and blamed <= 0.1 * n
    for name, clusters in (("noise: anything found", False), ("noise in clusters", True)):
        if given.noise:
            hits = sum(
                noise(seed, given.permutations, clusters=clusters) for seed in range(given.noise)
            )
            print(told(name, hits, given.noise), flush=True)
            # 5 %, and what chance adds to it in so many data sets, two standard errors.
            good &= hits <= given.noise * (0.05 + 2.0 * (0.05 * 0.95 / given.noise) ** 0.5)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

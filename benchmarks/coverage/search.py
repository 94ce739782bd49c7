"""Look for the designs of a box whose intervals hold the true value least often.

Places spread over the whole box are measured on few samples, the lowest again on more, then places
around these, twice. The worst of all are measured on samples of their own: what is reported is not
chosen by its luck.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Before karat is imported: samples are small, threads would cost more than they gain.
os.environ.setdefault("KARAT_NUM_THREADS", "1")

import numpy as np
from scipy.stats import qmc

from benchmarks import machine
from benchmarks.coverage.spaces import FOUND, SPACES, Place, Space
from benchmarks.coverage.study import Figure, measured

__all__ = ["Worst", "search"]

SEED: Final = 2711
_N_KEPT: Final = 4
_STEP: Final = 0.12
"""How far a place around another one is, as a share of the box."""


@dataclass(frozen=True)
class Worst:
    """What the search found in one box.

    Attributes:
        place, seed: make the design again.
        figure: of the worst metric, on samples that the search did not see.
        n_places: how many designs were looked at.
    """

    place: Place
    seed: int
    figure: Figure
    n_places: int


@dataclass
class _Seen:
    """A place as shares of the box, and what so many samples showed of it."""

    shares: np.ndarray
    seed: int
    n: int
    coverage: float


def _worst(figures: Sequence[Figure]) -> Figure:
    """The metric that is held least often, of those that most samples have."""
    known = [one for one in figures if one.n_samples and one.without < 0.5]
    return min(known or figures, key=lambda one: one.coverage)


def search(
    space: Space, *, n_places: int, n_samples: int, n_final: int, seed: int = SEED
) -> list[Worst]:
    """The worst designs of a box, the worst first.

    Args:
        n_places: places that are spread over the box; about as many follow around the worst.
        n_samples: samples of each.
        n_final: samples of those that are measured again.
    """
    rng = np.random.default_rng([seed, len(space.name)])
    names = list(space.axes)
    sobol = qmc.Sobol(len(names), seed=rng)
    spread = sobol.random_base2(int(np.ceil(np.log2(n_places))))[:n_places]
    seen: list[_Seen] = []

    def look(places: np.ndarray) -> None:
        for shares in places:
            seen.append(_Seen(shares, int(rng.integers(1 << 31)), 0, 1.0))
            again(seen[-1], n_samples)
        seen.sort(key=lambda one: one.coverage)
        # The lowest of many are the unlucky ones too.
        for one in seen[: 2 * _N_KEPT]:
            again(one, 2 * n_samples)
        seen.sort(key=lambda one: one.coverage)

    def again(one: _Seen, n: int) -> None:
        design = space.design(_place(space, one.shares), one.seed)
        coverage = _worst(measured(design, n, [one.seed, one.n])).coverage
        one.coverage = (one.coverage * one.n + coverage * n) / (one.n + n)
        one.n += n

    look(spread)
    for _ in range(2):
        n_around = n_places // (2 * _N_KEPT)
        around = [
            np.clip(one.shares + rng.normal(0.0, _STEP, (n_around, len(names))), 0.0, 1.0)
            for one in seen[:_N_KEPT]
        ]
        look(np.concatenate(around))
    found = []
    for one in seen[:_N_KEPT]:
        place = _place(space, one.shares)
        found.append(_again(space, place, one.seed, n_final, len(seen)))
    return sorted(found, key=lambda one: one.figure.coverage)


def _again(space: Space, place: Place, seed: int, n_final: int, n_places: int) -> Worst:
    """A place on samples that the search does not see."""
    figure = _worst(measured(space.design(place, seed), n_final, [seed, n_final, 1]))
    return Worst(place, seed, figure, n_places)


def _place(space: Space, shares: np.ndarray) -> dict[str, float]:
    return {
        name: float(f"{axis.at(share):.3g}")
        for (name, axis), share in zip(space.axes.items(), shares.tolist(), strict=True)
    }


def main(arguments: list[str]) -> int:
    """Search the chosen boxes, and keep what was found."""
    names = [space.name for space in SPACES]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.search")
    parser.add_argument("--box", action="append", choices=names, help="all by default")
    parser.add_argument("--places", type=int, default=32, help="designs spread over a box")
    parser.add_argument("--samples", type=int, default=500, help="samples of each design")
    parser.add_argument("--final", type=int, default=4000, help="samples of the worst")
    parser.add_argument("--seed", type=int, default=SEED, help="of places and samples")
    parser.add_argument("--again", action="store_true", help="measure what is kept, do not search")
    parser.add_argument("--out", type=Path, default=FOUND, help="keep the worst designs here")
    options = parser.parse_args(arguments)
    before = json.loads(options.out.read_text("utf-8")) if options.out.exists() else []
    found = {one["name"]: one for one in before}
    date = machine.facts()["date"]
    for space in SPACES:
        if space.name not in (options.box or names) or (options.again and space.name not in found):
            continue
        n_samples, seed = options.samples, options.seed
        if options.again:
            kept = found[space.name]
            n_samples, seed = (kept["measured"][name] for name in ("samples", "seed"))
            worst = [_again(space, kept["place"], kept["seed"], options.final, kept["n_places"])]
        else:
            worst = search(
                space,
                n_places=options.places,
                n_samples=options.samples,
                n_final=options.final,
                seed=options.seed,
            )
        for one in worst:
            rate = f"{one.figure.metric} {100 * one.figure.coverage:.1f}"
            print(f"{space.name}: {rate} {one.figure.design}", flush=True)
        first = worst[0]
        found[space.name] = {
            "name": space.name,
            "about": space.about(),
            "place": first.place,
            "seed": first.seed,
            "n_places": first.n_places,
            "measured": {"date": date, "seed": seed, "samples": n_samples, "final": options.final},
            "figure": {
                name: getattr(first.figure, name)
                for name in ("metric", "design", "coverage", "below", "above", "warned")
            },
        }
        kept = [found[name] for name in names if name in found]
        options.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

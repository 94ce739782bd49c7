"""Run the coverage study: draw, ask karat, count and write."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

# Before karat is imported: samples are small, threads would cost more than they gain.
os.environ.setdefault("KARAT_NUM_THREADS", "1")

import numpy as np

from benchmarks import machine
from benchmarks.coverage import (
    bands,
    best,
    equal_slices,
    hard,
    labels,
    peers,
    render,
    scores,
    tests,
)
from benchmarks.coverage.spaces import designs_found
from benchmarks.coverage.study import FAMILIES, PEERS, Design, measured

RESULTS = Path(__file__).parents[1] / "results" / "coverage"
SEED = 2711
MAKERS = (
    labels.shares,
    labels.agreement,
    labels.means_of_classes,
    labels.ratios,
    labels.odd_samples,
    scores.areas,
    scores.areas_of_many,
    scores.means,
    scores.bootstrapped,
    tests.comparisons,
    tests.gaps,
    hard.near_the_end,
    hard.rare_classes,
    hard.uneven_clusters,
    hard.clustered_comparisons,
    hard.pilots,
    equal_slices.slices,
    best.best_of_models,
    bands.curves,
    peers.peers,
)
"""The designs of each family, and of other packages."""


def _measured(
    design: Any, replicates: int, seed: list[int]
) -> tuple[Sequence[render.Found], list[str]]:
    """What a design gives, and a few words on each figure."""
    if isinstance(design, Design):
        figures = measured(design, replicates, seed)
        return figures, [f"{one.metric} {100 * one.coverage:.1f}" for one in figures]
    if isinstance(design, best.Contest):
        chosen = best.chosen(design, replicates, seed)
        return chosen, [
            f"{one.metric} {one.bias:+.3f} {one.corrected:+.3f} "
            f"{100 * one.corrected_coverage:.1f} (each model {100 * one.each:.1f})"
            for one in chosen
        ]
    if isinstance(design, peers.Samples):
        beside = peers.measured_with_peers(design, replicates, seed)
        return beside, [
            f"{one.metric}, {one.method} {100 * one.coverage:.1f} {one.width:.3f}" for one in beside
        ]
    rates = tests.tried(design, replicates, seed)
    return rates, [f"{one.metric}, {one.quantity} {100 * one.rate:.1f}" for one in rates]


def main(arguments: list[str]) -> int:
    """Run the chosen families."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--family", action="append", choices=FAMILIES, help="all by default")
    parser.add_argument("--peers", action="store_true", help="other packages, on the same samples")
    parser.add_argument("--replicates", type=int, default=4000, help="samples of each design")
    parser.add_argument("--seed", type=int, default=SEED, help="of populations and samples")
    parser.add_argument("--designs", type=int, default=None, help="so many of each family at most")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder to write into")
    parser.add_argument("--page", type=Path, help="put the summary of the folder into a page")
    options = parser.parse_args(arguments)
    families = options.family or ([] if options.peers else [*FAMILIES])
    families = [*families, PEERS] if options.peers else families
    for family in families:
        place = (*FAMILIES, PEERS).index(family)
        rng = np.random.default_rng([options.seed, place])
        found: list[render.Found] = []
        start = time.process_time()
        designs = chain(MAKERS[place](rng), designs_found(family))
        for i, design in enumerate(designs):
            if options.designs is not None and i >= options.designs:
                break
            seed = [options.seed, place, 1 + i]
            lines, texts = _measured(design, options.replicates, seed)
            found += lines
            print(f"{design.name}: {'  '.join(texts)}", flush=True)
        facts = machine.facts() | {
            "family": family,
            "seed": options.seed,
            "replicates": options.replicates,
            "cpu_seconds": time.process_time() - start,
        }
        facts |= peers.versions() if family == PEERS else {}
        render.write(options.out, family, facts, found)
    if options.page:
        render.refresh(options.page, options.out)
    print(f"see {options.out / 'coverage.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

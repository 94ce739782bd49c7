"""Two runs of the coverage study on the same samples, beside each other.

python -m benchmarks.coverage.beside BEFORE AFTER
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from benchmarks.coverage.render import read
from benchmarks.coverage.study import FAMILIES, Figure

__all__ = ["lines"]

HELD = 0.93
"""What a design held before whose widths are compared."""


def lines(before: Path, after: Path) -> list[str]:
    """One line for each family: coverage of both, and widths where the intervals held before.

    Args:
        before, after: folders that the study wrote, with the same seed and number of samples.
    """
    header = (
        "| family | intervals | median before | after | lowest before | after "
        "| of those that held before | median width ÷ before | largest |"
    )
    found = [header, "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    sides = [_figures(folder) for folder in (before, after)]
    ratios_of_all: list[float] = []
    for family in FAMILIES:
        keys = [key for key in sides[0].keys() & sides[1].keys() if key[0] == family]
        if not keys:
            continue
        covered = [[side[key].coverage for key in keys] for side in sides]
        ratios = [
            sides[1][key].width / sides[0][key].width
            for key in keys
            if sides[0][key].coverage >= HELD and 0.0 < sides[0][key].width < float("inf")
        ]
        ratios_of_all += ratios
        told = [f"{100 * rule(one):.1f}" for rule in (median, min) for one in covered]
        widths = [f"{rule(ratios):.3f}" if ratios else "–" for rule in (median, max)]
        row = [family, str(len(keys)), *told, str(len(ratios)), *widths]
        found.append(f"| {' | '.join(row)} |")
    found.append(
        f"\nAll that held before: {len(ratios_of_all)}, median {median(ratios_of_all):.3f}"
    )
    return found


def _figures(folder: Path) -> dict[tuple[str, str, str], Figure]:
    """By family, design and metric."""
    every = [one for path in folder.glob("*.json") for one in read(path)[1]]
    figures = [one for one in every if isinstance(one, Figure) and one.n_samples]
    return {(one.family, one.design, one.metric): one for one in figures}


if __name__ == "__main__":
    print("\n".join(lines(Path(sys.argv[1]), Path(sys.argv[2]))))

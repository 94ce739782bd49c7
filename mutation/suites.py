"""The files of tests that a mutant may be run against: those that test these packages closely.

Left out are tests of hosts, files, clusters, pages and the command line, which run the same lines
from far away and slowly, and tests of memory, which a limit on memory would end.
"""

from __future__ import annotations

from pathlib import Path

PATTERNS = (
    "uncertainty/*",
    "tally/*",
    "laws/*",
    "calibration/*",
    "curves/*",
    "comparison/*",
    "slices/*",
    "meaning/*",
    "streams/*",
    "oracles/*sklearn*",
    "oracles/*exact_scores",
    "oracles/*torchmetrics*",
    "oracles/*pycm",
    "engines/*arrays",
    "engines/*ranking",
    "engines/*scores",
    "engines/*plain_counts",
    "architecture/*stub",
)
LEFT_OUT = {"uncertainty/test_memory.py", "comparison/test_simulations.py"}


def test_files(root: Path) -> list[Path]:
    """Every file of tests to measure, those of the packages' own folders first."""
    tests = root / "tests"
    found = [
        path
        for pattern in PATTERNS
        for path in sorted(tests.glob(f"{pattern}.py"))
        if path.name.startswith("test_") and path.relative_to(tests).as_posix() not in LEFT_OUT
    ]
    return list(dict.fromkeys(found))

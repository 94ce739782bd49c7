"""The files of tests that a mutant may be run against: those that test these packages closely.

Left out are tests of hosts, files, clusters, pages and the command line, which run the same lines
from far away and slowly, and tests of memory, which a limit on memory would end. The recorded calls
are among them, and cost so much that they come last.
"""

from __future__ import annotations

from pathlib import Path

PATTERNS = (
    "designs/*",
    "folds/*",
    "inference/*",
    "tally/*",
    "laws/*",
    "calibration/*",
    "gate/*",
    "meaning/*",
    "oracles/*",
    "streams/*bytes",
    "streams/*stream",
    "streams/*sets",
    "curves/*sklearn_curves",
    "curves/*formulas_of_curves",
    "curves/*bands",
    "comparison/*",
    "slices/*",
    "numerics/*stated_bounds",
    "sources/*arrays",
    "sources/*axes_of_parts",
    "sources/*clusters_of_tables",
    "sources/*ranking",
    "sources/test_scores",
    "sources/*plain_counts",
    "sources/*sets",
    "sources/*of_sets",
    "compat/*_sets",
    "errors/*catalogue",
    "architecture/*stub",
    "cli/*catalogue",
    "corpus/*corpus",
)
LEFT_OUT = {"inference/test_memory.py"}
"""Memory is measured there, which the limit of a child bounds."""


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

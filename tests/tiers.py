"""Which tests a tier runs: `make check`, `make test`, `make test-all`; each holds those before it.

`costs.json` holds what each test function costs, in seconds of processor time, and how many cases
it has. A tier gives every function the same budget: a cheap one runs whole, a dear one runs as many
of its cases as the budget pays, spread over all, and one whose single case is too dear waits for a
later tier. `python -m tests.tiers FOLDER` writes the costs again, from a run with `--costs=FOLDER`.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import pytest

__all__ = ["TIERS", "chosen", "costs_of"]

TIERS: Final = ("check", "test", "all")
BUDGETS: Final = {"check": (0.03, 0.1), "test": (0.06, 0.2)}
"""Tier → seconds for the cases of a function, and for its only case."""
FORMULAS: Final = tuple(
    f"tests/{folder}/"
    for folder in ("calibration", "comparison", "curves", "inference", "laws", "slices", "tally")
)
"""Where wrong digits of metrics and intervals are found: `make test` has more time there."""
TIMES: Final = 2.0
OWN: Final = {
    "tests/browser/test_rows.py": ("all", 0.0),
    "tests/benchmarks/test_pins": ("test", 3.0),
    "tests/renaming": ("test", 4.0),
    "tests/architecture/test_completion.py": ("test", 10.0),
    "tests/architecture/test_import_directions.py": ("test", 10.0),
    "tests/compat/test_sklearn_weight_types.py": ("all", 0.0),
    "tests/compat/test_torchmetrics_curves.py::test_random": ("all", 0.0),
    "tests/compat/test_torchmetrics_sets.py::test_random": ("all", 0.0),
    "tests/corpus": ("test", 25.0),
    "tests/corpus/test_corpus.py::test_the_outcomes_of_sources": ("test", 8.0),
    "tests/corpus/test_corpus.py::test_the_outcomes_of_spark": ("all", 0.0),
    "tests/corpus/test_sabotage.py": ("test", 8.0),
    "tests/corpus/test_types.py": ("test", 10.0),
    "tests/corpus/test_types.py::test_the_lies_of_other_groups": ("all", 0.0),
    "tests/conformance": ("test", 0.5),
    "tests/conformance/test_files.py::TestBounded": ("test", 2.5),
    "tests/conformance/test_files.py::TestExact": ("test", 2.5),
    "tests/conformance/test_partitions.py::TestSpark": ("all", 0.0),
    "tests/clusters/test_spark": ("all", 0.0),
    "tests/compat/test_sklearn_sets.py::test_a_wrong": ("test", 1.5),
    "tests/compat/test_sklearn_sets.py::test_every_call": ("all", 0.0),
    "tests/laws/test_records.py": ("test", 7.0),
    "tests/laws/test_interval_laws.py": ("test", 7.0),
    "tests/docs/test_cookbook.py": ("test", 6.0),
    "tests/docs/test_cookbook.py::test_the_cells": ("all", 0.0),
    "tests/hostile/test_no_code.py": ("check", 10.0),
    "tests/hostile/test_patterns.py::test_every_pattern_takes_time": ("all", 0.0),
    "tests/kernels/test_sanitizers.py": ("all", 0.0),
    "tests/messages/test_advice.py": ("test", 3.5),
    "tests/messages/test_advice.py::test_every_example": ("test", 8.0),
    "tests/messages/test_names.py": ("test", 4.0),
    "tests/output/test_kernels.py": ("test", 10.0),
    "tests/sources/test_listed_rows.py": ("test", 0.8),
    "tests/oracles/test_sets_by_chance.py": ("all", 0.0),
    "tests/oracles/test_catboost_sets.py::test_many_more": ("all", 0.0),
    "tests/oracles/test_sklearn_scorers_shipped.py": ("all", 0.0),
    "tests/oracles/test_sklearn_shipped.py": ("test", 40.0),
    "tests/oracles/test_sklearn_shipped.py::test_a_slightly_wrong": ("test", 8.0),
    "tests/oracles/test_sklearn_shipped.py::test_every_exclusion": ("all", 0.0),
}
"""Path → the first tier that runs its tests, and the seconds for each of its functions there.

The last path that fits decides. Of Spark the time of its Java is not measured, of notebooks that
of their kernel.
"""
_COSTS: Final = Path(__file__).with_name("costs.json")
_GOLDEN: Final = (5**0.5 - 1.0) / 2.0
"""Multiples of it, modulo 1, lie evenly however many there are."""
_LEAST: Final = 0.1
"""What costs less is not worth a line."""


def chosen(items: Sequence[pytest.Item], tier: str) -> list[pytest.Item]:
    """The tests that a tier runs, in their order."""
    if tier == TIERS[-1]:
        return list(items)
    costs: dict[str, tuple[float, int]] = json.loads(_COSTS.read_text(encoding="utf-8"))
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[_function(item.nodeid)].append(item)
    kept = {
        id(of_function[place])
        for name, of_function in cases.items()
        for place in _places(len(of_function), _n_kept(name, costs.get(name), tier))
    }
    return [item for item in items if id(item) in kept]


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _n_kept(name: str, cost: tuple[float, int] | None, tier: str) -> int:
    """How many cases of a function a tier pays for; those it has, where it is cheap."""
    budget, alone = BUDGETS[tier]
    if tier == "test" and name.startswith(FORMULAS):
        budget, alone = budget * TIMES, alone * TIMES
    for path, (first, seconds) in OWN.items():
        if name.startswith(path):
            if TIERS.index(tier) < TIERS.index(first):
                return 0
            budget = alone = seconds
    if cost is None or cost[0] <= budget:
        return sys.maxsize
    each = cost[0] / cost[1]
    return int(budget / each) or int(each <= alone)


def _places(n: int, n_kept: int) -> Iterable[int]:
    """So many of n places, spread over all of them; fewer are always some of more."""
    return sorted(range(n), key=lambda place: place * _GOLDEN % 1.0)[:n_kept]


def costs_of(lines: Iterable[str]) -> dict[str, tuple[float, int]]:
    """Function → seconds and cases, from lines of seconds, a tab and the repr of a test's name."""
    seconds: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    for line in lines:
        spent, _, nodeid = line.rstrip("\n").partition("\t")
        name = _function(ast.literal_eval(nodeid))
        seconds[name] += float(spent)  # type: ignore[assignment]
        cases[name] += 1
    return {
        name: (round(spent, 2), cases[name])
        for name, spent in sorted(seconds.items())
        if spent > _LEAST
    }


def main(folder: str) -> None:
    """Write the costs that a run left in a folder; cases not run cost as others."""
    files = sorted(Path(folder).glob("*.tsv"))
    found = costs_of(line for file in files for line in file.read_text("utf-8").splitlines())
    known: dict[str, tuple[float, int]] = json.loads(_COSTS.read_text(encoding="utf-8"))
    for name, (seconds, n) in found.items():
        cases = max(n, known.get(name, (0.0, 0))[1])
        known[name] = (round(seconds / n * cases, 2), cases)
    here = {name: cost for name, cost in known.items() if Path(name.partition("::")[0]).exists()}
    lines = [f"  {json.dumps(name)}: {json.dumps(cost)}" for name, cost in sorted(here.items())]
    _COSTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

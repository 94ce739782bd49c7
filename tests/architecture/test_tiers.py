"""A tier pays every test function the same, and each tier holds those before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import tiers
from tests.tiers import TIERS, chosen, costs_of


@dataclass(frozen=True)
class Item:
    """What a tier reads of a test."""

    nodeid: str


def items(**cases: int) -> list[Any]:
    """Tests of a file: the name of each function and how many cases it has."""
    return [Item(f"tests/x.py::{name}[{i}]") for name, n in cases.items() for i in range(n)]


@pytest.fixture(autouse=True)
def costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"cheap": (0.2, 8), "dear": (8.0, 16), "whole": (1.5, 1), "endless": (30.0, 1)}
    path = tmp_path / "costs.json"
    path.write_text(json.dumps({f"tests/x.py::{name}": cost for name, cost in found.items()}))
    monkeypatch.setattr(tiers, "_COSTS", path)
    monkeypatch.setattr(tiers, "BUDGETS", {"check": (0.3, 0.5), "test": (1.0, 2.0)})


def names(tier: str, given: list[Any]) -> list[str]:
    return [item.nodeid.partition("::")[2] for item in chosen(given, tier)]


def test_a_cheap_function_runs_whole_and_a_new_one_too() -> None:
    given = items(cheap=8, unmeasured=3)
    for tier in TIERS:
        assert chosen(given, tier) == given


def test_a_dear_function_runs_some_cases() -> None:
    assert len(names("test", items(dear=16))) == 2
    assert len(names("check", items(dear=16))) == 1
    assert len(names("all", items(dear=16))) == 16


def test_a_single_case_waits_for_the_tier_that_pays_it() -> None:
    given = items(whole=1, endless=1)
    assert names("check", given) == []
    assert names("test", given) == ["whole[0]"]
    assert names("all", given) == ["whole[0]", "endless[0]"]


def test_some_paths_have_a_budget_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "OWN", {"tests/x.py": ("test", 6.0)})
    assert names("check", items(cheap=8, dear=16)) == []
    assert len(names("test", items(dear=16))) == 12


def test_every_tier_holds_those_before_it() -> None:
    given = items(cheap=8, dear=16, whole=1, endless=1)
    check, test, whole = (set(names(tier, given)) for tier in TIERS)
    assert check < test < whole


@pytest.mark.parametrize("n", [1, 2, 7, 30, 101])
def test_fewer_cases_are_some_of_more_and_lie_apart(n: int) -> None:
    places = [set(tiers._places(n, n_kept)) for n_kept in range(1, n + 1)]
    assert all(few < more for few, more in pairwise(places))
    for found in places:
        gaps = [b - a for a, b in pairwise([*sorted(found), n])]
        assert max(gaps) <= 3 * n / len(found) + 1


def test_costs_are_added_up_by_function() -> None:
    names = ("a.py::f[x]", "a.py::f[y[1\n]]", "a.py::g")
    lines = [f"{s}\t{name!r}" for s, name in zip((0.25, 0.5, 0.001), names, strict=True)]
    assert costs_of(lines) == {"a.py::f": (0.75, 2)}

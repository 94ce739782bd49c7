"""The search finds the designs of a box where intervals are too sure; two runs are compared."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.architecture.tracked import ROOT
from tests.optional import optional

optional("sklearn")

from benchmarks.coverage import beside, render  # noqa: E402
from benchmarks.coverage.populations import tables  # noqa: E402
from benchmarks.coverage.search import main, search  # noqa: E402
from benchmarks.coverage.spaces import FOUND, SPACES, Axis, Place, Space  # noqa: E402
from benchmarks.coverage.study import Design, Figure, measured  # noqa: E402


def _lying(rng: np.random.Generator, at: Place) -> Design:
    """Samples are of another population than the truth, the more so the nearer (0.8, 0.2)."""
    del rng
    off = 0.1 * max(0.0, 1.0 - 2.0 * np.hypot(at["x"] - 0.8, at["y"] - 0.2))
    real, drawn = (np.array([[0.4 + d, 0.1 - d], [0.1, 0.4]]) for d in (0.0, off))
    return Design("shares", "", ("accuracy",), {"confusion": real}, tables(drawn, 400))


def test_the_worst_corner_of_a_box_is_found() -> None:
    space = Space("shares", {"x": Axis(0.0, 1.0), "y": Axis(0.0, 1.0)}, _lying)
    found = search(space, n_places=24, n_samples=60, n_final=300)
    best = found[0]
    assert np.hypot(best.place["x"] - 0.8, best.place["y"] - 0.2) < 0.2
    assert best.figure.coverage < 0.2
    # Where nothing is wrong the figure on samples of its own is that of the level.
    honest = Space("shares", space.axes, lambda rng, at: _lying(rng, {"x": 0.0, "y": 1.0}))
    assert search(honest, n_places=24, n_samples=60, n_final=2000)[0].figure.coverage > 0.93


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_every_place_of_a_box_is_a_design(space: Space, share: float) -> None:
    design = space.design({name: axis.at(share) for name, axis in space.axes.items()}, 3)
    found = measured(design, 4, [1])
    assert {one.family for one in found} == {space.family}
    assert any(one.n_samples for one in found)


def test_what_is_found_is_kept_and_shown(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    given = ["--places", "8", "--samples", "5", "--final", "10", "--out", str(out)]
    for name in ("shares", "ratios"):
        assert main([*given, "--box", name]) == 0
    kept = json.loads(out.read_text())
    assert [one["name"] for one in kept] == ["shares", "ratios"]
    # What is kept is measured again, on the same samples, without a search.
    assert main([*given, "--samples", "7", "--again"]) == 0
    assert json.loads(out.read_text()) == kept
    text = "\n".join(render.of_search(kept))
    assert all(one["figure"]["design"] in text for one in kept)
    assert text.count("5 samples per design searched, 10 different samples") == 1
    # Boxes that were searched on other samples say so.
    kept[1]["measured"] |= {"samples": 9}
    text = "\n".join(render.of_search(kept))
    for n_samples, name in ((5, "shares"), (9, "ratios")):
        told = f"{n_samples} samples per design searched, 10 different samples of the worst design"
        assert f"{told} ({name})." in text


def test_the_page_of_all_designs_lists_what_was_found(tmp_path: Path) -> None:
    kept = json.loads(FOUND.read_text("utf-8"))
    assert {one["name"] for one in kept} == {space.name for space in SPACES}

    def missing(text: str) -> list[str]:
        lines = text.partition("## Search for the lowest coverage")[2].splitlines()
        names = []
        for one in kept:
            figure = one["figure"]
            first = f"| {one['name']} | {one['n_places']} designs: "
            then = f"| `{figure['metric']}` | {100 * figure['coverage']:.1f} |"
            found = [x for x in lines if x.startswith(first) and then in x]
            names += [one["name"]] * (not any(x.endswith(f"{figure['design']} |") for x in found))
        return names

    results = ROOT / "benchmarks" / "results" / "coverage"
    assert missing(render.every_design(results, FOUND)) == []
    other = [*kept[:-1], kept[-1] | {"figure": kept[-1]["figure"] | {"coverage": 0.123}}]
    (tmp_path / "found.json").write_text(json.dumps(other))
    text = render.every_design(results, tmp_path / "found.json")
    assert missing(text) == [kept[-1]["name"]]


def test_two_runs_are_compared(tmp_path: Path) -> None:
    one = Figure("shares", "d", "f1", False, 0.5, 9, 0.0, 0.95, 0.0, 0.05, 0.2, 0, 0, ("w",), 1)
    runs = {
        "before": [one, replace(one, metric="recall", coverage=0.9)],
        "after": [replace(one, width=0.21), replace(one, metric="recall", width=0.5)],
    }
    for name, found in runs.items():
        render.write(tmp_path / name, "shares", {"date": "", "seed": 1, "replicates": 9,
                     "family": "shares", "cpu_seconds": 1}, found)  # fmt: skip
    told = beside.lines(tmp_path / "before", tmp_path / "after")
    # Coverage of both runs; the width of the one that did not hold before is not compared.
    assert "| shares | 2 | 92.5 | 95.0 | 90.0 | 95.0 | 1 | 1.050 | 1.050 |" in told
    assert told[-1].endswith("median 1.050")
    assert asdict(one)["width"] == 0.2


def test_remarks_are_counted_where_they_ought_to_be(tmp_path: Path) -> None:
    one = Figure("shares", "d", "f1", False, 0.5, 9, 0.0, 0.95, 0.0, 0.05, 0.2, 0, 0.1, ("w",), 1)
    found = [one, replace(one, metric="recall", coverage=0.9, warned=0.8)]
    facts = {"date": "", "seed": 1, "replicates": 9, "family": "shares", "cpu_seconds": 1}
    render.write(tmp_path, "shares", facts, found)
    text = (tmp_path / "coverage.md").read_text()
    assert "| shares | 1 | 80 | 1 | 10 |" in text
    assert "| shares | `recall` | d | 90.0 | 80 |" in text
    assert "| shares | `f1` | d | 95.0 |" not in text

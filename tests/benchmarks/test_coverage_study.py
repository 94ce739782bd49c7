"""The coverage study runs, and counts right."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.architecture.tracked import ROOT
from tests.optional import optional

optional("sklearn")

from benchmarks.coverage import peers, render  # noqa: E402
from benchmarks.coverage.__main__ import main  # noqa: E402
from benchmarks.coverage.best import Chosen, Contest, chosen  # noqa: E402
from benchmarks.coverage.populations import table_of, tables  # noqa: E402
from benchmarks.coverage.spaces import FOUND  # noqa: E402
from benchmarks.coverage.study import FAMILIES, PEERS, Design, Figure, Sample, measured  # noqa: E402
from benchmarks.coverage.tests import labelled, made_equal  # noqa: E402


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_runs_and_is_written(family: str, tmp_path: Path) -> None:
    given = ["--family", family, "--replicates", "2", "--designs", "1", "--out", str(tmp_path)]
    assert main(given) == 0
    (written,) = tmp_path.glob("*.json")
    facts, found = render.read(written)
    assert (facts["family"], facts["replicates"]) == (family, 2)
    assert found
    assert json.loads(written.read_text())["schema"] == "karat.coverage/1"
    assert f"## {family.capitalize()}" in (tmp_path / "coverage.md").read_text()


def test_the_same_seed_draws_the_same_samples() -> None:
    shares = table_of(0.3, 0.8, 0.9)
    design = Design("f", "d", ("accuracy", "f1"), {"confusion": shares}, tables(shares, 50))

    def told(seed: int) -> list[float]:
        return [one.width for one in measured(design, 20, [seed])]

    assert told(1) == told(1)
    assert told(1) != told(2)


def test_misses_are_counted_on_their_side() -> None:
    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        del rng
        # A truth of one half: far below, far above, and one that holds it.
        for right in (5, 95, 50)[:count]:
            yield {"confusion": [[right, 100 - right], [100 - right, right]]}

    design = Design("f", "d", ("accuracy",), {"confusion": [[1, 1], [1, 1]]}, source)
    (found,) = measured(design, 3, [0])
    assert found.truth == 0.5
    assert [found.below, found.above, found.coverage] == pytest.approx([1 / 3] * 3)
    assert found.methods == ("wilson",)


def test_the_worst_design_stands_in_the_table() -> None:
    shares = table_of(0.3, 0.8, 0.9)
    design = Design("f", "one", ("accuracy",), {"confusion": shares}, tables(shares, 50))
    (good,) = measured(design, 5, [0])
    bad = Figure(**{**{n: getattr(good, n) for n in good.__dataclass_fields__},
                    "design": "the bad one", "coverage": 0.25})  # fmt: skip
    lines = render.table([good, bad], "20 rows")
    assert lines[-1].endswith("accuracy: the bad one |")
    assert " 25.0 |" in lines[-1]


PAGE = ROOT / "docs" / "coverage.md"
RESULTS = ROOT / "benchmarks" / "results" / "coverage"


def refreshed(folder: Path, out: Path) -> str:
    """The page of docs with the summary of a folder."""
    page = out / "page.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    render.refresh(page, folder)
    return page.read_text(encoding="utf-8")


def test_the_page_shows_the_figures_that_were_written(tmp_path: Path) -> None:
    assert {path.stem for path in RESULTS.glob("*.json")} >= {"shares", "bands", "other-packages"}
    assert refreshed(RESULTS, tmp_path) == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("family", "field", "value"),
    [
        ("shares", "coverage", 0.5),
        ("replicates", "warned", 1.0),
        ("bands", "rate", 0.111),
        ("best-of-models", "corrected_coverage", 0.222),
        ("other-packages", "coverage", 0.333),
    ],
)
def test_a_figure_that_changes_makes_the_page_stale(
    family: str, field: str, value: float, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    shutil.copytree(RESULTS, folder)
    path = folder / f"{family}.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    # The lowest coverage, of which the summary says whether it was warned.
    least = min(written["found"], key=lambda one: one.get("coverage", 0.0))
    least[field] = value
    path.write_text(json.dumps(written), encoding="utf-8")
    assert refreshed(folder, tmp_path) != PAGE.read_text(encoding="utf-8")


def missing_on(text: str) -> list[str]:
    """Stored figures whose line a page has not, each line once for each figure."""
    lines = Counter(line for line in text.splitlines() if line.startswith("| "))
    lines.subtract(
        f"| {one.design} | `{one.metric}` | {cells} |"
        if isinstance(one, (Figure, peers.PeerFigure, Chosen))
        else f"| `{one.metric}` | {one.quantity} | {one.design} | {cells} |"
        for path in RESULTS.glob("*.json")
        for one in render.read(path)[1]
        for cells in [cells_of(one)]
    )
    return [line for line, count in lines.items() if count < 0]


def cells_of(one: render.Found) -> str:
    """The figures of a line, from the record alone."""
    if isinstance(one, Figure):
        rates = [f"{100 * x:.1f}" for x in (one.coverage, one.below, one.above)]
        width, warned = f"{one.width:.3g}", f"{100 * one.warned:.0f}"
        if not one.n_samples:
            rates, width, warned = ["–"] * 3, "–", "–"
        return " | ".join((str(one.n_samples), *rates, width, warned, ", ".join(one.methods)))
    if isinstance(one, peers.PeerFigure):
        rates = [f"{100 * x:.1f}" for x in (one.coverage, one.below, one.above)]
        told = (one.method, str(one.n_samples), *rates, f"{one.width:.3g}")
        return " | ".join((*told, f"{100 * one.without:.1f}"))
    if isinstance(one, Chosen):
        return render._of_chosen(one).split("` | ")[1][:-2]
    return f"{100 * one.rate:.1f} | {one.aim}"


def test_the_page_of_all_designs_has_every_stored_figure() -> None:
    text = render.every_design(RESULTS, FOUND)
    assert missing_on(text) == []
    # A line that goes is missed.
    lines = text.splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("| normal, shift"))
    assert missing_on("\n".join(lines[:last] + lines[last + 1 :])) == [lines[last]]


def test_the_choice_of_the_best_adds_what_the_correction_takes() -> None:
    models = made_equal(labelled(np.random.default_rng(0), 2, (0.2,) * 5, 0.2))
    contest = Contest("five equal ones", models, 300, ("accuracy", "error_rate"))
    gain, loss = chosen(contest, 60, [1])
    assert (gain.n_models, gain.n_samples) == (5, 60)
    assert 0.9 < gain.bias < 1.4
    assert abs(gain.corrected) < 4.0 * gain.error < 0.5
    assert gain.corrected_coverage > gain.coverage
    assert gain.corrected_coverage + gain.below + gain.above == pytest.approx(1.0)
    assert gain.width > 1.0
    # The intervals of models that were not chosen for their values need no correction.
    assert gain.coverage < gain.each < 1.0
    assert 0.0 < gain.optimistic <= 1.0 - gain.each
    assert [loss.each, loss.optimistic] == pytest.approx([gain.each, gain.optimistic])
    # A loss has its sign turned, and its intervals.
    assert [loss.bias, loss.corrected] == pytest.approx([gain.bias, gain.corrected], rel=1e-6)
    assert [loss.below, loss.above] == pytest.approx([gain.above, gain.below])


def few(name: str) -> peers.Samples:
    """Few samples of a design of labels, or of scores with ties."""
    found = peers.peers(np.random.default_rng([2711, 0]))
    return next(one for one in found if one.name.startswith(name))


def test_other_packages_get_the_same_samples(tmp_path: Path) -> None:
    given = ["--peers", "--replicates", "2", "--designs", "1", "--out", str(tmp_path)]
    assert main(given) == 0
    facts, found = render.read(tmp_path / "other-packages.json")
    assert facts["family"] == PEERS
    assert facts["scipy"]
    assert {one.method for one in found} >= {"karat", "SciPy, percentile", "SciPy, BCa"}  # type: ignore[union-attr]
    page = (tmp_path / "coverage.md").read_text(encoding="utf-8")
    assert "| `accuracy` | karat | 1 | " in page
    assert " | 1.00 | " in page


@pytest.mark.parametrize("name", ["prevalence 0.3", "K=3", "6 tied levels, 40%"])
def test_values_of_other_packages_are_those_of_karat(name: str) -> None:
    samples = few(name)
    found = peers.measured_with_peers(samples, 3, [0])
    assert {one.metric for one in found} == set(samples.metrics)
    for one in found:
        assert one.n_samples == 3
        assert one.width > 0.0


def test_a_value_that_differs_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = peers._of_tables
    monkeypatch.setattr(peers, "_of_tables", lambda *given: plain(*given) + 1e-4)
    with pytest.raises(AssertionError, match="SciPy, percentile has"):
        peers.measured_with_peers(few("prevalence 0.3"), 1, [0])

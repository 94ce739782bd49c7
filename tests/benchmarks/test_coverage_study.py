"""The coverage study runs, and counts right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.architecture.tracked import ROOT
from tests.optional import optional

optional("sklearn")

from benchmarks.coverage import render  # noqa: E402
from benchmarks.coverage.__main__ import main  # noqa: E402
from benchmarks.coverage.populations import table_of, tables  # noqa: E402
from benchmarks.coverage.study import FAMILIES, Design, Figure, Sample, measured  # noqa: E402


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


def test_the_page_shows_the_figures_that_were_written(tmp_path: Path) -> None:
    page = tmp_path / "coverage.md"
    page.write_text((ROOT / "docs" / "coverage.md").read_text(encoding="utf-8"), encoding="utf-8")
    folder = ROOT / "benchmarks" / "results" / "coverage"
    assert {path.name for path in folder.glob("*.json")}
    assert len(render.tables(folder)) > 20
    render.refresh(page, folder)
    assert page.read_text(encoding="utf-8") == (ROOT / "docs" / "coverage.md").read_text(
        encoding="utf-8"
    )

"""The study of confidence sequences runs, and counts right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import anytime
from benchmarks.anytime import (
    FIRST,
    PLANNED,
    Alarms,
    Design,
    Walk,
    Width,
    delays,
    false_alarms,
    label_design,
)


def test_an_alarm_is_a_look_at_which_the_true_value_is_outside() -> None:
    n = np.arange(FIRST, PLANNED + 1)

    def paths(rng: np.random.Generator) -> Iterator[Walk]:
        del rng
        while True:
            # Far away at 777 rows alone, which is no fixed look.
            values = [np.where(n == 777, 0.9, 0.5)]

            def limits(at: int, is_anytime: bool) -> Sequence[Any]:
                del is_anytime
                return [(0.8, 1.0) if at == 777 else (0.4, 0.6)]

            yield Walk(values, limits)

    design = Design("one", ("accuracy",), (0.5,), (0.5,), paths)
    (found,) = false_alarms(design, 10, 1)
    assert (found.anytime, found.median_look, found.paths) == (1.0, 777.0, 10)
    # Limits of one look are tried at the fixed looks alone.
    assert found.one_look == 0.0


def test_a_design_of_labels_has_the_values_of_its_population() -> None:
    shares = [[0.6, 0.1], [0.1, 0.2]]
    design = label_design("two", shares, ("accuracy", "f1"))
    assert design.truths == pytest.approx((0.8, 2 / 3))
    assert design.errors[0] == pytest.approx((0.8 * 0.2) ** 0.5)
    path = next(design.paths(np.random.default_rng(2)))
    assert [each[-1] for each in path.values] == pytest.approx(design.truths, abs=0.03)
    (low, high), _ = path.limits(5000, True)
    (inner_low, inner_high), _ = path.limits(5000, False)
    assert low < inner_low < path.values[0][5000 - FIRST] < inner_high < high


def test_rows_until_a_drop_is_shown_are_near_those_of_one_look() -> None:
    for one in delays(20, 3):
        assert one.never == 0.0
        assert 0.8 * one.one_look < one.median < 5.0 * one.one_look


def test_figures_are_written_into_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before\n\n{anytime._START}old\n{anytime._END}\nAfter\n")
    one = Alarms("coins", "accuracy", 0.5, 10, 0.1, 777.0, 0.6)
    found = {
        "alarms": [asdict(one)],
        "delays": [asdict(each) for each in delays(5, 4)],
        "widths": [asdict(Width("accuracy", 500, 1.5))],
    }
    out = tmp_path / "figures.json"
    out.write_text(json.dumps(found))
    anytime.main(["--tables-only", "--out", str(out), "--page", str(page)])
    text = page.read_text()
    assert text.startswith("Before")
    assert text.endswith("After\n")
    assert "old" not in text
    assert "| coins | accuracy | 10 | 10.0 % | 60 % | 777 |" in text
    assert "| accuracy | 1.50 |" in text

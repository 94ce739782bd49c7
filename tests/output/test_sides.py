"""Limits on one side are called so wherever a level is told."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import karat


def report(**more: object) -> karat.Report:
    rng = np.random.default_rng(0)
    true, by = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    pred = np.where(rng.random(300) < 0.8, true, 1 - true)
    return karat.evaluate(true, pred, by={"site": by}, metrics=["accuracy"], **more)


@pytest.mark.parametrize("side", ["low", "high"])
def test_every_face_says_that_limits_are_on_one_side(side: str) -> None:
    found = report(interval=karat.Interval(side=side), level=0.9)
    ax = karat.plot.intervals(found, ax=Figure().subplots())
    assert ax.get_xlabel() == "value (one-sided 90 % interval)"
    text, page = str(found), found.to_html()
    assert text.count("one-sided 90 % interval") == 2
    assert found.to_markdown().count("| one-sided 90 % interval |") == 2
    assert found.to_latex().count(r"one-sided 90 \% interval") == 2
    assert page.count('<th scope="col">one-sided 90 % interval</th>') == 2
    assert "bars are one-sided 90 % intervals" in page
    # Those of differences have both limits.
    assert "90 % simultaneous" in text


def test_limits_on_both_sides_need_no_word() -> None:
    assert "one-sided" not in str(report()) + report().to_html()


def test_without_intervals_no_column_is_headed_by_a_level() -> None:
    found = report(level=None)
    assert "% interval" not in str(found) + found.to_html() + found.to_markdown()

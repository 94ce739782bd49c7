"""Pictures that cannot be drawn are refused: none is empty or twisted, none leaves a report out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import karat
from tests.optional import optional

figures = optional("matplotlib.figure")

REPORT = karat.evaluate([0, 1, 0, 1, 1], y_prob=[0.2, 0.7, 0.6, 0.4, 0.9])
COMPARISON = karat.compare([0, 1] * 10, {"a": [0, 1] * 10, "b": [1, 1] * 10}, metrics="accuracy")


def refused(draw: Any, *given: Any, **options: Any) -> str:
    ax = options.pop("ax", None)
    with pytest.raises(karat.KaratError) as caught:
        draw(*given, ax=figures.Figure().subplots() if ax is None else ax, **options)
    return f"{caught.value.code} {caught.value}"


@pytest.mark.parametrize("projection", ["3d", "polar"])
@pytest.mark.parametrize("draw", [karat.plot.roc, karat.plot.confusion, karat.plot.intervals])
def test_axes_without_plain_x_and_y_are_refused(draw: Any, projection: str) -> None:
    ax = figures.Figure().add_subplot(projection=projection)
    assert refused(draw, REPORT, ax=ax).startswith("K701")
    assert not ax.lines


@pytest.mark.parametrize("metrics", [3, [], (), {}, 2.5, True, np.array([])])
@pytest.mark.parametrize(
    ("draw", "given"),
    [
        (karat.plot.threshold, REPORT),
        (karat.plot.intervals, REPORT),
        (karat.plot.compare, COMPARISON),
    ],
)
def test_metrics_that_name_none_are_refused(draw: Any, given: Any, metrics: Any) -> None:
    assert re.match("K702.*metrics= is ", refused(draw, given, metrics=metrics), re.DOTALL)


def test_metrics_of_an_array_are_names() -> None:
    ax = karat.plot.intervals(
        REPORT, metrics=np.array(["f1", "accuracy"]), ax=figures.Figure().subplots()
    )
    assert [text.get_text() for text in ax.get_yticklabels()] == ["f1", "accuracy"]


def test_reports_of_one_name_are_refused() -> None:
    assert "one name as text" in refused(karat.plot.roc, {1: REPORT, "1": REPORT})

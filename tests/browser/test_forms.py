"""Forms of notebooks in Chromium: text of the page's color, nothing fetched, no overflow."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from tests.browser.opening import browser, opened
from tests.output.test_forms import gated, of_classes, of_scores, weak

DARK = "color:rgb(204, 204, 204);background:rgb(31, 31, 31)"
LIGHT = "color:rgb(33, 33, 33);background:rgb(255, 255, 255)"


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_a_form_takes_the_colors_of_its_page(look: str, tmp_path: Path) -> None:
    report = of_scores()
    found = [report, report.calibration, report.thresholds, report.slices, of_classes(100)]
    found += [gated(), weak(), karat.evaluate([0, 1, 1], [0, 1, 0]), karat.Stream()]
    body = "".join(one._repr_html_() for one in found)
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body style='{look}'>{body}", "utf-8")
    policy = "e => getComputedStyle(e).fill"
    with browser() as chromium, opened(chromium, path) as seen:
        inks = set(seen.page.locator("svg text").evaluate_all(f"all => all.map({policy})"))
        assert inks == {look.partition(";")[0].removeprefix("color:")}
        overlap = "all => all.filter(e => e.getBBox().x + e.getBBox().width > 562).length"
        assert seen.page.locator("svg text").evaluate_all(overlap) == 0
        seen.page.set_viewport_size({"width": 360, "height": 800})
        widths = seen.page.locator("svg").evaluate_all("all => all.map(e => e.clientWidth)")
        assert widths
        assert max(widths) <= 360
        assert seen.asked == [path.as_uri()]
        assert seen.said == []

"""A click on a cell, a bin or a slice of a page lists its rows; so do keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from tests.browser.opening import Seen, browser, opened, violations
from tests.optional import optional

optional("jinja2")
optional("matplotlib")
WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def report() -> Report:
    rng = np.random.default_rng(5)
    is_bad = rng.random(1500) < 0.3
    prob = np.clip(0.3 * is_bad + 0.7 * rng.random(1500), 0, 1)
    names = [f"<b>{i}</b>" for i in range(1500)]
    return karat.evaluate(
        np.where(is_bad, "bad", "good"),
        y_prob=prob,
        positive="bad",
        labels=["good", "bad"],
        ids=names,
        by={"country": np.array(["NO", "SE", "<i>"])[rng.integers(0, 3, 1500)]},
    )


@pytest.fixture(scope="module")
def page(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "report.html"
    report.to_html(path)
    return path


def listed(seen: Seen) -> tuple[str, list[str]]:
    """The heading of the dialog, and the ids that it lists."""
    seen.page.locator("#rows").wait_for(state="visible")
    heading = seen.page.locator("#rows-h").inner_text().replace("\xa0", "")
    return heading, seen.page.locator("#rows tbody th").all_inner_texts()


def test_a_cell_lists_its_rows_by_mouse_and_by_keyboard(
    chrome: Any, page: Path, report: Report
) -> None:
    want = report.rows(true="bad", pred="good")
    with opened(chrome, page, viewport=WIDE) as seen:
        cells = seen.page.locator("#matrix tbody tr").nth(1).locator("td")
        cells.nth(0).click()
        heading = f"{len(want)} of {want.n} rows truly bad, predicted good"
        assert listed(seen) == (heading, want.ids)
        cell = seen.page.locator("#rows tbody tr").first.locator("td").all_inner_texts()
        assert cell == ["bad", "good", f"{want[0]['prob']:.4f}", want[0]["country"]]
        seen.page.locator("#rows-close").click()
        seen.page.locator("#matrix td[tabindex='0']").focus()
        seen.page.keyboard.press("ArrowRight")
        assert "press Enter, to list its rows" in seen.page.locator("#words").inner_text()
        seen.page.keyboard.press("Enter")
        assert listed(seen)[1] == report.rows(true="bad", pred="bad").ids
        seen.page.keyboard.press("Escape")
        assert not seen.page.locator("#rows").is_visible()
        # The focus is where it was.
        assert seen.focused().startswith("TD ")
        # In another order of the classes, a cell is that of its classes.
        seen.page.select_option("#order", "name")
        seen.page.locator("#matrix tbody tr").nth(0).locator("td").nth(1).click()
        assert listed(seen)[1] == want.ids
        assert seen.said == []


def test_slices_and_bins_list_their_rows(chrome: Any, page: Path, report: Report) -> None:
    with opened(chrome, page, viewport=WIDE) as seen:
        for name in ("NO", "<i>"):
            row = seen.page.locator("#slices-1 tbody tr", has_text=name)
            row.locator("button.list").focus()
            seen.page.keyboard.press("Enter")
            want = report.rows(by={"country": name})
            heading = f"{len(want)} of {want.n} rows with country {name}"
            assert listed(seen) == (heading, want.ids)
            seen.page.keyboard.press("Escape")
        # Of one class, both drawings have a table of bins.
        for figure in ("reliability", "scores"):
            seen.page.locator(f"#{figure} summary").click()
            bins = seen.page.locator(f"#{figure} tbody tr")
            low, high = (bins.nth(2).locator("td").nth(i).inner_text() for i in (0, 1))
            edges = [round(15 * float(end)) / 15 for end in (low, high)]
            want = report.rows(between=(edges[0], edges[1]))
            bins.nth(2).locator("button.list").click()
            assert listed(seen)[1] == want.ids
            seen.page.keyboard.press("Escape")
        assert seen.said == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_dialog_is_accessible_and_fits(
    chrome: Any, page: Path, scheme: str, width: int
) -> None:
    size = {"width": width, "height": 900}
    with opened(chrome, page, color_scheme=scheme, viewport=size) as seen:
        seen.page.locator("#matrix tbody td").first.focus()
        seen.page.keyboard.press("Enter")
        assert listed(seen)[1]
        assert violations(seen) == []
        box = seen.page.locator("#rows").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        wide = seen.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width


def test_rows_of_another_cell_are_seen(
    chrome: Any, page: Path, tmp_path: Path, report: Report
) -> None:
    """The sabotage of the tests above: true and predicted classes are swapped in the data."""
    text = page.read_text(encoding="utf-8")
    text = text.replace('"true":[', '"other":[', 1).replace('"pred":[', '"true":[', 1)
    path = tmp_path / "swapped.html"
    path.write_text(text.replace('"other":[', '"pred":[', 1), encoding="utf-8")
    with opened(chrome, path, viewport=WIDE) as seen:
        seen.page.locator("#matrix tbody tr").nth(1).locator("td").nth(0).click()
        assert listed(seen)[1] != report.rows(true="bad", pred="good").ids


def test_a_page_without_rows_opens_nothing(chrome: Any, tmp_path: Path) -> None:
    path = tmp_path / "plain.html"
    karat.evaluate([0, 1, 1], [0, 1, 0]).to_html(path)
    with opened(chrome, path, viewport=WIDE) as seen:
        seen.page.locator("#matrix tbody td").first.click()
        assert "list its rows" not in seen.page.locator("#words").inner_text()
        assert seen.page.locator("dialog, button.list").count() == 0

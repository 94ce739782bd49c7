"""A threshold that is shown can be given again: it calls the same rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import karat
from karat.output.sections import thresholds_section
from tests.browser.opening import browser, opened
from tests.optional import optional

optional("jinja2")
optional("matplotlib")


def crowded() -> tuple[np.ndarray, np.ndarray]:
    """Truth, and probabilities of which many are nearly 1, or nearly alike."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, 60)
    prob = 1.0 - 10.0 ** -rng.uniform(6.0, 9.0, 60)
    prob[:30] = 1 / 3 + 1e-9 * rng.permutation(30)
    return true, prob


def test_a_threshold_on_the_page_calls_the_rows_that_it_counts(tmp_path: Path) -> None:
    true, prob = crowded()
    path = tmp_path / "page.html"
    karat.evaluate(true, y_prob=prob).to_html(path)
    with browser() as chrome, opened(chrome, path) as seen:
        for place in range(1, int(seen.page.locator("#slide").get_attribute("max")) + 1):
            seen.page.locator("#slide").evaluate(
                "(slide, at) => { slide.value = at; slide.dispatchEvent(new Event('input')); }",
                place,
            )
            called = prob >= float(seen.page.locator("#at").text_content())
            assert seen.number("#tp") + seen.number("#fp") == called.sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_best_threshold_of_a_report_gives_its_value_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, 80)
    prob = np.clip(0.3 * true + 0.7 * rng.random(80), 0, 1)
    report = karat.evaluate(true, y_prob=prob)
    table = thresholds_section(report)
    row = next(row for row in table.rows if "f1" in row[0].text.lower())
    again = karat.evaluate(true, y_prob=prob, threshold=float(row[1].text))
    assert again["f1"].value == pytest.approx(report.thresholds["f1"]["value"])

"""Open pages in the Chromium of the system, and keep what they say and ask for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.optional import REQUIRED, is_required, optional

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Seen:
    """A page in the browser.

    Attributes:
        page: the page of Playwright.
        said: errors and warnings of the console, and exceptions of scripts.
        asked: addresses that were requested, the page itself among them.
    """

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def number(self, selector: str) -> float:
        """The whole number behind a shown one."""
        return float(self.page.locator(selector).get_attribute("data-value"))

    def column(self, table: str, place: int) -> list[str]:
        """The texts of a column of a table, as they stand."""
        cells = self.page.locator(f"#{table} > tbody > tr > :nth-child({place + 1})")
        return [text.strip() for text in cells.all_text_contents()]

    def focused(self) -> str:
        """What has the focus: tag, and id or text."""
        found: str = self.page.evaluate(
            "() => { const e = document.activeElement;"
            " return `${e.tagName} ${e.id || e.getAttribute('href') || e.textContent}`; }"
        )
        return found


def chromium() -> str:
    """Where the browser is; without one the test is skipped, or fails where all are required."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        if is_required():
            pytest.fail(f"there is no Chromium and {REQUIRED} is set", pytrace=False)
        pytest.skip(
            "there is no Chromium: `make browser` installs it, as root", allow_module_level=True
        )
    return found


@contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window and without a network."""
    playwright = optional("playwright.sync_api")
    options = ["--disable-background-networking", "--disable-component-update", "--no-first-run"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium(), args=options)
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Seen]:
    """A page from disk, offline."""
    context = browser.new_context(offline=True, **options)
    try:
        seen = Seen(context.new_page())
        seen.page.on(
            "console",
            lambda told: told.type in ("error", "warning") and seen.said.append(told.text),
        )
        seen.page.on("pageerror", lambda problem: seen.said.append(str(problem)))
        seen.page.on("request", lambda request: seen.asked.append(request.url))
        seen.page.goto(path.as_uri())
        yield seen
    finally:
        context.close()


def violations(seen: Seen) -> list[str]:
    """What axe-core finds on a page, all folded parts open."""
    axe = optional("axe_playwright_python.sync_playwright").Axe()
    seen.page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true })")
    found = axe.run(seen.page).response["violations"]
    return [f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:90]}" for one in found]

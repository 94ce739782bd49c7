"""Write the pictures of docs/html-report.md again.

python -m tests.browser.pictures
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import karat
from tests.architecture.tracked import ROOT
from tests.browser.opening import browser, opened

FOLDER = ROOT / "docs" / "html"
DATA = ROOT / "examples" / "predictions"
STILL = {"reduced_motion": "reduce"}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as chrome:
        digits, cancer = Path(folder, "digits.html"), Path(folder, "cancer.html")
        for name, positive, path in (
            ("digits_logreg", None, digits),
            ("breast_cancer_logreg", "malignant", cancer),
        ):
            source = str((DATA / f"{name}.parquet").relative_to(ROOT))
            karat.evaluate(source, positive=positive).to_html(path)
        with opened(chrome, digits, viewport={"width": 1000, "height": 740}, **STILL) as seen:
            seen.page.locator("#confusion").evaluate("(section) => section.scrollIntoView()")
            seen.page.hover("#matrix tbody tr:nth-child(9) td:nth-child(3)")
            seen.page.screenshot(path=FOLDER / "digits-light.png")
        dark = {"width": 1000, "height": 620}
        with opened(chrome, cancer, viewport=dark, color_scheme="dark", **STILL) as seen:
            seen.page.locator("#threshold").evaluate("(section) => section.scrollIntoView()")
            seen.page.locator("#slide").focus()
            for _ in range(12):
                seen.page.keyboard.press("ArrowRight")
            seen.page.screenshot(path=FOLDER / "cancer-dark.png")
        desktop = {"width": 1280, "height": 960}
        with opened(chrome, cancer, viewport=desktop, **STILL) as seen:
            seen.page.screenshot(path=FOLDER / "report.png")
        with opened(chrome, cancer, viewport={"width": 390, "height": 780}, **STILL) as seen:
            seen.page.screenshot(path=FOLDER / "cancer-phone.png")


if __name__ == "__main__":
    main()

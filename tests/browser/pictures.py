"""Write the pictures of docs/html-report.md and docs/html-pages.md again.

python -m tests.browser.pictures
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import karat
from tests.architecture.tracked import ROOT
from tests.browser.opening import browser, opened

FOLDER = ROOT / "docs" / "html"
DATA = ROOT / "examples" / "predictions"
STILL = {"reduced_motion": "reduce"}
FORMS: dict[str, tuple[int, int, dict[str, Any]]] = {
    "desktop": (1280, 2600, {}),
    "dark": (1280, 1500, {"color_scheme": "dark"}),
    "phone": (390, 2600, {}),
    "print": (794, 2246, {}),
}
"""Form → width and largest height in pixels, and settings of the browser; A4 is 794 by 1123."""
N_COLORS = 200


def rare() -> Any:
    """20,000 payments of which 1 % are fraud, in four channels."""
    rng = np.random.default_rng(27)
    is_fraud = rng.random(20_000) < 0.01
    logit = 1.3 * (rng.normal(size=len(is_fraud)) + 2.8 * is_fraud) - 5.2
    return karat.evaluate(
        np.where(is_fraud, "fraud", "ok"),
        y_prob=1 / (1 + np.exp(-logit)),
        positive="fraud",
        labels=["ok", "fraud"],
        by={"channel": np.array(["app", "branch", "phone", "web"])[rng.integers(0, 4, 20_000)]},
        ids=[f"payment {i}" for i in range(20_000)],
    )


def of_classes(names: list[str], n: int) -> Any:
    """Rows of k classes; each is sometimes taken for the next one."""
    rng, k = np.random.default_rng(27), len(names)
    true = rng.integers(0, k, n)
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), true] += 3 if k > 20 else 2
    scores[np.arange(n), (true + 1) % k] += 1
    prob = np.exp(1.4 * scores)
    return karat.evaluate(
        np.array(names)[true], y_prob=prob / prob.sum(axis=1, keepdims=True), labels=names
    )


def compared() -> Any:
    """Three models on the same 800 rows."""
    rng = np.random.default_rng(27)
    true = rng.integers(0, 2, 800)
    new = 1 / (1 + np.exp(-(rng.normal(size=800) + 1.5 * (2 * true - 1))))
    old, small = (
        np.clip(new + rng.normal(size=800) * width, 0.001, 0.999) for width in (0.15, 0.3)
    )
    names = np.where(true == 1, "spam", "mail")
    return karat.compare(names, y_prob={"old": old, "new": new, "small": small}, positive="spam")


PAGES: dict[str, Callable[[], Any]] = {
    "rare": rare,
    "three": lambda: of_classes(["cat", "dog", "fox"], 3000),
    "ten": lambda: of_classes([str(i) for i in range(10)], 3000),
    "hundred": lambda: of_classes([f"class {i}" for i in range(100)], 10_000),
    "compare": compared,
}


def write_pages() -> None:
    """Write each page in each form, with few colors."""
    (FOLDER / "pages").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as chrome:
        for name, made in PAGES.items():
            path = Path(folder, f"{name}.html")
            made().to_html(path)
            for form, (width, height, settings) in FORMS.items():
                size = {"width": width, "height": 900}
                with opened(chrome, path, viewport=size, **settings, **STILL) as seen:
                    if form == "print":
                        seen.page.emulate_media(media="print")
                    file = FOLDER / "pages" / f"{name}-{form}.png"
                    seen.page.screenshot(path=file, full_page=True)
                with Image.open(file) as image:
                    whole = image.convert("RGB")
                part = whole.crop((0, 0, width, min(height, whole.height)))
                part.quantize(N_COLORS, dither=Image.Dither.NONE).save(file, optimize=True)


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
    write_pages()

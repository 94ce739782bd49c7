"""The values at a point of a curve: by pointer, keys and touch, in one drawing and in panels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors.text import value
from tests.browser.opening import Seen, browser, opened
from tests.optional import optional

optional("jinja2")
optional("matplotlib")
WIDE = {"viewport": {"width": 1280, "height": 900}}
SPOTS = ((0.2, 0.3), (0.5, 0.5), (0.85, 0.2))


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as found:
        yield found


def rows(k: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Truth and probabilities of k classes."""
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, n)
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), truth] += 1.5
    odds = np.exp(scores)
    return truth, odds / odds.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The pages of two classes, of two of which one is rare (1), and of four in panels."""
    folder = tmp_path_factory.mktemp("curves")
    found = {k: folder / f"{k}.html" for k in (1, 2, 4)}
    for k in (2, 4):
        karat.evaluate(rows(k)[0], y_prob=rows(k)[1]).to_html(found[k])
    rare().to_html(found[1])
    return found


def rare() -> karat.Report:
    rng = np.random.default_rng(9)
    truth = (rng.random(3_000) < 0.03).astype(int)
    return karat.evaluate(truth, y_prob=1 / (1 + np.exp(4.0 - rng.normal(size=3_000) - 2 * truth)))


def told(seen: Seen, figure: str) -> dict[str, str]:
    """What is shown at a point: names and values, and the class under "class"."""
    tip = seen.page.locator(f"#{figure} .tip")
    names, values = (tip.locator(tag).all_text_contents() for tag in ("dt", "dd"))
    return {"class": tip.locator("bdi").text_content(), **dict(zip(names, values, strict=True))}


def point_at(seen: Seen, figure: str, spot: tuple[float, float], panel: int = 0) -> dict[str, str]:
    """Move the pointer to a place of a drawing; what is then shown."""
    svg = seen.page.locator(f"#{figure} svg[data-axes]").nth(panel)
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    seen.page.mouse.move(box["x"] + spot[0] * box["width"], box["y"] + spot[1] * box["height"])
    return told(seen, figure)


def rates(truth: np.ndarray, scores: np.ndarray, c: int, threshold: float) -> dict[str, float]:
    """What curves show of a class at a threshold, counted from the rows."""
    is_class, is_called = truth == c, scores[:, c] >= threshold
    tp, called = (is_class & is_called).sum(), is_called.sum()
    precision = tp / called if called else np.nan
    recall = tp / is_class.sum()
    return {
        "true positive rate": recall,
        "false positive rate": (called - tp) / (~is_class).sum(),
        "recall": recall,
        "precision": precision,
        "proportion of rows": called / len(truth),
        "proportion of the class found": recall,
        "f1": 2 * tp / (called + is_class.sum()),
    }


def wrong(found: dict[str, str], k: int) -> list[str]:
    """The values that are not those of the rows at the threshold that is shown with them."""
    threshold = float(found["threshold"].replace("∞", "inf"))
    expected = rates(*rows(k), int(found["class"]), threshold)
    names = found.keys() - {"class", "threshold"}
    return [name for name in names if found[name] != value(float(expected[name]))]


CURVES = ("roc", "precision_recall", "gain", "metrics-by-threshold")


def test_a_point_shows_the_values_of_the_rows_at_its_threshold(
    chrome: Any, pages: dict[int, Path], tmp_path: Path
) -> None:
    for k, figures in ((2, CURVES), (4, CURVES[:3])):
        with opened(chrome, pages[k], **WIDE) as seen:
            shown = {
                (figure, panel, spot): point_at(seen, figure, spot, panel)
                for figure in figures
                for panel in ((0,) if k == 2 else (0, 3))
                for spot in SPOTS
            }
            assert seen.said == []
        assert [key for key, found in shown.items() if wrong(found, k)] == []
        # Points are told apart, and a panel shows its own class.
        assert len({found["threshold"] for found in shown.values()}) >= len(SPOTS)
        if k == 4:
            assert {(panel, found["class"]) for (_, panel, _), found in shown.items()} == {
                (0, "0"),
                (3, "3"),
            }
    # A script that takes one rate for the other is found out.
    text = pages[2].read_text(encoding="utf-8")
    assert "fp / neg" in text
    text = text.replace("fp / neg", "tp / neg").replace("http-equiv=", "data-none=", 1)
    text = text.replace('data-none="Content-Security-Policy"', 'name="none"')
    damaged = tmp_path / "damaged.html"
    damaged.write_text(text, encoding="utf-8")
    with opened(chrome, damaged, **WIDE) as seen:
        assert "false positive rate" in wrong(point_at(seen, "roc", (0.5, 0.5)), 2)


def test_the_point_stands_on_its_values_and_leaves_with_the_pointer(
    chrome: Any, pages: dict[int, Path]
) -> None:
    with opened(chrome, pages[4], **WIDE) as seen:
        found = point_at(seen, "roc", (0.4, 0.3), 2)
        svg = seen.page.locator("#roc svg[data-axes]").nth(2)
        x0, y0, x1, y1 = map(float, svg.get_attribute("data-axes").split())
        place = [float(svg.locator(".at").get_attribute(key)) for key in ("cx", "cy")]
        x, y = (float(found[name]) for name in ("false positive rate", "true positive rate"))
        assert place == pytest.approx([x0 + x * (x1 - x0), y0 + y * (y1 - y0)], abs=0.02)
        assert seen.page.locator("#roc .at").count() == 1
        # The tip is in the window, also beside the last panel, and on paper it is not.
        point_at(seen, "roc", (0.9, 0.3), 3)
        box = seen.page.locator("#roc .tip").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280
        seen.page.emulate_media(media="print")
        assert not seen.page.locator("#roc .tip").is_visible()
        seen.page.emulate_media(media="screen")
        seen.page.mouse.move(1, 1)
        assert seen.page.locator("#roc .at").count() == 0
        assert not seen.page.locator("#roc .tip").is_visible()


def test_panels_are_as_many_as_classes_and_have_the_same_axes(
    chrome: Any, pages: dict[int, Path]
) -> None:
    with opened(chrome, pages[4], **WIDE) as seen:
        for figure in ("roc", "precision_recall", "reliability", "scores", "gain"):
            svgs = seen.page.locator(f"#{figure} .panel svg")
            assert svgs.count() == 4
            axes = {svgs.nth(i).get_attribute("data-axes") for i in range(4)}
            assert len(axes) == 1
            names = seen.page.locator(f"#{figure} .panel bdi").all_text_contents()
            assert names == ["0", "1", "2", "3"]
            # Each draws its own line over those of all, which the panels share.
            lines = seen.page.locator(f"#{figure} .panel use[stroke*=series]")
            hrefs = {lines.nth(i).get_attribute("href") for i in range(lines.count())}
            assert len(hrefs) == (0 if figure == "scores" else 4)
            assert all(seen.page.locator(f"#{figure} path{href}").count() == 1 for href in hrefs)
        areas = seen.page.locator("#roc .panel .quiet").all_text_contents()
        report = karat.evaluate(rows(4)[0], y_prob=rows(4)[1])
        shown = [f"{row['roc_auc']:.4f}" for row in report.per_class]
        assert [area.split()[1] for area in areas] == shown
    with opened(chrome, pages[2], **WIDE) as seen:
        assert seen.page.locator(".panel").count() == 0


def test_the_bins_of_a_reliability_diagram_are_those_of_the_report(
    chrome: Any, pages: dict[int, Path]
) -> None:
    report = karat.evaluate(rows(4)[0], y_prob=rows(4)[1])
    for page, panel, curve in (
        (4, 1, report.curves.reliability[1]),
        (1, 0, rare().curves.reliability_by_quantile[1]),
    ):
        held = curve.weight > 0
        bins = zip(curve.mean_confidence[held], curve.share[held], curve.weight[held], strict=True)
        known = [(value(float(x)), value(float(y)), f"{int(n)}") for x, y, n in bins]
        with opened(chrome, pages[page], **WIDE) as seen:
            found = [point_at(seen, "reliability", spot, panel) for spot in SPOTS]
        names = ("mean probability", "observed proportion of the class", "rows")
        shown = {tuple(one[name] for name in names) for one in found}
        assert len(shown) > 1
        assert shown <= set(known)
        assert not shown <= set(known[:1])


def test_keys_move_along_the_curve_and_between_classes(chrome: Any, pages: dict[int, Path]) -> None:
    with opened(chrome, pages[4], **WIDE) as seen:
        plot = seen.page.locator("#roc .plot")
        assert plot.get_attribute("aria-label").endswith("between classes.")
        plot.focus()
        shown = []
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowDown", "ArrowUp"):
            seen.page.keyboard.press(key)
            shown.append(told(seen, "roc"))
        assert [wrong(found, 4) for found in shown] == [[]] * 7
        thresholds = [float(found["threshold"].replace("∞", "inf")) for found in shown]
        assert thresholds[0] > thresholds[1] > thresholds[2]
        assert shown[3] == shown[1]
        assert shown[4]["true positive rate"] == "1.0000"
        assert [found["class"] for found in shown] == ["0"] * 5 + ["1", "0"]
        assert seen.page.locator("#roc .tip").get_attribute("aria-live") == "polite"
        seen.page.keyboard.press("Escape")
        assert not seen.page.locator("#roc .tip").is_visible()


def test_a_finger_shows_values_on_a_phone(chrome: Any, pages: dict[int, Path]) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "has_touch": True}
    with opened(chrome, pages[2], **phone) as seen:
        svg = seen.page.locator("#roc svg[data-axes]")
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        seen.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
        assert wrong(told(seen, "roc"), 2) == []
        assert seen.page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_labels_of_sets_and_scores_in_buckets_show_values_too(chrome: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random((300, 4)) < 0.4).astype(int)
    scores = np.clip(0.3 * truth + 0.7 * rng.random((300, 4)), 0, 1)
    karat.evaluate(truth, y_prob=scores).to_html(tmp_path / "sets.html")
    stream = karat.Stream(labels=[0, 1], reading=karat.Reading(max_memory=1 << 20))
    many, p = rng.integers(0, 2, 100_000), rng.random(100_000)
    stream.update(many, y_prob=np.clip(0.6 * p + 0.4 * many, 0, 1))
    stream.report().to_html(tmp_path / "buckets.html")
    with opened(chrome, tmp_path / "sets.html", **WIDE) as seen:
        found = point_at(seen, "roc", (0.5, 0.4), 2)
        is_class, is_called = truth[:, 2] == 1, scores[:, 2] >= float(found["threshold"])
        assert found["class"] == "2"
        assert found["true positive rate"] == value(float(is_called[is_class].mean()))
        assert found["false positive rate"] == value(float(is_called[~is_class].mean()))
    with opened(chrome, tmp_path / "buckets.html", **WIDE) as seen:
        found = point_at(seen, "roc", (0.5, 0.4))
        assert found["true positive rate"].startswith("≈ ")
        assert seen.said == []

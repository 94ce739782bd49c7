"""Pictures for a page: the same bytes every time, few of them, nothing foreign, text as text."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import karat
from karat.output.plots.svg import _short_path, as_svg, coarser
from karat.plot import PALETTE
from tests.optional import optional
from tests.plot.reports import compared, lacking, of_classes
from tests.plot.test_axes import OF_REPORTS

SVG = "{http://www.w3.org/2000/svg}"


def picture(name: str, report: Any, **options: Any) -> str:
    return as_svg(lambda ax: getattr(karat.plot, name)(report, ax=ax), 4.2, 3.4, **options)


def elements(text: str) -> Iterator[ET.Element]:
    return ET.fromstring(text).iter()


def words(text: str) -> list[str]:
    return [one.text or "" for one in elements(text) if one.tag == f"{SVG}text"]


def faults(text: str) -> list[str]:
    """What a page with a strict content security policy would refuse, or a reader miss."""
    found = []
    for one in elements(text):
        if one.tag.removeprefix(SVG) in ("script", "style", "metadata", "foreignObject", "a"):
            found.append(one.tag)
        for key, value in one.attrib.items():
            is_inside = value.startswith(("#", "url(#", "data:image/png;base64,"))
            if key == "style" or key.startswith("on") or ("href" in key and not is_inside):
                found.append(f"{key}={value[:40]}")
            if key in ("fill", "stroke") and value not in {"none", *PALETTE.values()}:
                found.append(f"{key}={value}")
    ids = [one.get("id") for one in elements(text) if one.get("id")]
    references = re.findall(r"(?:href=\"#|url\(#)([^\")]+)", text)
    found += [name for name in ids if ids.count(name) > 1]
    found += sorted(set(references) ^ set(filter(None, ids)))
    return found


@pytest.mark.parametrize("k", [2, 10])
@pytest.mark.parametrize("name", OF_REPORTS)
def test_a_picture_is_small_and_holds_nothing_foreign(name: str, k: int) -> None:
    text = picture(name, of_classes(k, 2_000))
    if name == "confusion":
        # Its cells keep their colours in every theme, and so does the text on them.
        text = re.sub(r'fill="#(?:000000|fefefe)"', 'fill="none"', text)
    assert faults(text) == []
    assert len(text) < 20_000
    assert text.startswith("<svg ")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("name", OF_REPORTS)
def test_of_a_hundred_classes_it_stays_small(name: str) -> None:
    assert len(picture(name, of_classes(100, 1_000))) < 30_000


def test_a_fault_would_be_found() -> None:
    text = picture("roc", of_classes(2))
    for old, new in (
        ("<title>", '<script href="//x"></script><title>'),
        ('role="img"', 'role="img" onload="x()"'),
        ('fill="none"', 'fill="#123456"'),
        ('fill="none"', 'style="fill: none"'),
        (' href="#', ' href="https://example.org/#'),
        ('id="', 'id="z'),
    ):
        assert old in text
        assert faults(text.replace(old, new, 1)) != []


@pytest.mark.parametrize("name", OF_REPORTS)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    assert picture(name, of_classes(10)) == picture(name, of_classes(10))


def test_it_does_not_depend_on_the_style_in_use_nor_change_it() -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    plain = picture("roc", of_classes(2))
    with plt.style.context("dark_background"):
        settings = dict(mpl.rcParams)
        assert picture("roc", of_classes(2)) == plain
        assert dict(mpl.rcParams) == settings
    assert plt.get_fignums() == []


def test_two_pictures_share_no_identifier() -> None:
    both = [picture("roc", of_classes(2)), picture("gain", of_classes(2))]
    ids = [{one.get("id") for one in elements(text)} - {None} for text in both]
    assert all(ids)
    assert not ids[0] & ids[1]


def test_text_is_text_and_foreign_text_is_escaped() -> None:
    report = of_classes(6, 300, hostile=True)
    text = picture("roc", report)
    shown = " ".join(words(text))
    for part in ("$\\frac{x", "'_hidden'", "<script>alert(1)</script>"[:8], "$x$ & y_z"):
        assert part in shown
    assert "<script" not in text
    assert "true positive rate" in words(text)
    report = karat.evaluate(
        [0, 1], y_prob=[0.2, 0.9], labels=karat.Labels(names=["😀", "שלום \u202e"])
    )
    assert "\\u202e" in " ".join(words(picture("roc", report)))


def test_it_is_told_in_words() -> None:
    text = picture("roc", of_classes(2))
    head = ET.fromstring(text)
    assert (head.get("role"), head[0].tag, head[1].tag) == ("img", f"{SVG}title", f"{SVG}desc")
    assert head[0].text == "ROC curve of 1 · 400 rows"
    assert "area under the curve [95 % interval]; 1  0." in str(head[1].text)
    bare = as_svg(lambda ax: karat.plot.roc(of_classes(2), heading=False, ax=ax), 4.2, 3.4)
    assert ET.fromstring(bare)[0].text == "true positive rate by false positive rate"
    text = picture("roc", of_classes(2), title="How <good>", description="$5 & more")
    head = ET.fromstring(text)
    assert (head[0].text, head[1].text) == ("How <good>", "$5 & more")


def test_colours_can_be_given_by_name() -> None:
    inks = {name: f"var(--{name})" for name in PALETTE}
    text = picture("roc", of_classes(10), colors=inks)
    used = set(re.findall(r'(?:fill|stroke)="([^"]+)"', text)) - {"none"}
    assert used <= set(inks.values())
    assert {"var(--ink)", "var(--series-1)", "var(--paper)", "var(--muted)"} <= used


def test_a_comparison_is_drawn_too() -> None:
    text = as_svg(lambda ax: karat.plot.compare(compared(), ax=ax), 4.2, 3.4)
    assert faults(text) == []
    assert "accuracy" in words(text)


def test_a_class_that_lacks_is_named() -> None:
    assert any("no row is truly of the class" in text for text in words(picture("roc", lacking())))


@pytest.mark.parametrize("tolerance", [0.01, 0.5])
def test_a_coarser_line_stays_near_every_point(tolerance: float) -> None:
    rng = np.random.default_rng(0)
    x, y = np.cumsum(rng.uniform(size=800)), np.cumsum(rng.normal(size=800))
    x[300] = y[301] = np.nan
    kept = coarser(x, y, tolerance)
    assert len(kept) < 800
    assert {0, 299, 300, 301, 302, 799} <= set(kept.tolist())
    far = 0.0
    for a, b in pairwise(kept):
        if np.isnan([x[a], y[a], x[b], y[b]]).any():
            continue
        start, end = np.array([x[a], y[a]]), np.array([x[b], y[b]])
        for i in range(a + 1, b):
            point, span = np.array([x[i], y[i]]) - start, end - start
            along = np.clip(point @ span / (span @ span), 0.0, 1.0)
            far = max(far, float(np.hypot(*(point - along * span))))
    assert 0 < far <= tolerance


def test_a_path_of_steps_ends_where_the_path_ends() -> None:
    rng = np.random.default_rng(1)
    points = np.cumsum(rng.uniform(-1, 1, (500, 2)), axis=0) + 100
    text = "M " + " L ".join(f"{x:.6f} {y:.6f}" for x, y in points)
    short = _short_path(text)
    assert len(short) < len(text) / 2
    numbers = [float(one) for one in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", short)]
    steps = np.array(numbers).reshape(-1, 2)
    # The first point is where the path starts, all others are steps; points that coincide with
    # the one before are left out.
    ends = np.cumsum(steps, axis=0)
    near = np.abs(points[:, None] - ends[None]).max(axis=2).min(axis=1)
    assert near.max() <= 0.051
    assert np.abs(ends[-1] - points[-1]).max() <= 0.051


def test_threads_that_draw_leave_the_settings_of_matplotlib_as_they_were() -> None:
    mpl = optional("matplotlib")
    before = dict(mpl.rcParams)
    in_first, in_second, after_first = (threading.Event() for _ in range(3))

    def first(ax: Any) -> None:
        in_first.set()
        in_second.wait(0.5)

    def second(ax: Any) -> None:
        in_second.set()
        after_first.wait(5.0)

    def draw_first() -> None:
        as_svg(first, 2, 2)
        after_first.set()

    def draw_second() -> None:
        in_first.wait(5.0)
        as_svg(second, 2, 2)

    threads = [threading.Thread(target=target) for target in (draw_first, draw_second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = dict(mpl.rcParams)
    mpl.rcParams.update(before)
    assert found == before

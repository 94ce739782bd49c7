"""HTML of notebooks: known elements only, every text as it is, colours that both pages bear."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

import karat
from karat.api.results import ClassReport
from karat.errors.text import harmless, safe, shortened, value
from karat.output.notebook import MOST_OPAQUE, RIGHT, WRONG
from karat.output.paper import NAME_MAX
from karat.tally import Cells, Classes
from tests.output.hostile_names import NAMES, hostile_comparison, hostile_report
from tests.output.reports import REPORTS

ELEMENTS = {
    "div", "span", "strong", "bdi", "table", "caption", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ATTRIBUTES = {"style", "scope"}
DRAWN = {"svg", "path", "circle", "text", "title"}
LOOKS = {
    "xmlns", "viewbox", "width", "height", "role", "aria-label", "style", "font-size", "fill",
    "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
    "stroke-linejoin", "d", "cx", "cy", "r", "x", "y", "text-anchor", "transform",
}  # fmt: skip
"""What pictures are made of: nothing that runs, and nothing that refers to anything."""
STYLE = re.compile(
    r"(?:(?:max-width|overflow-x|opacity|font-size|font-weight|font-variant-numeric|margin|padding"
    r"|border|border-top|border-bottom|border-collapse|text-align|overflow-wrap|caption-side|white-space"
    r"|color:inherit|background|display|height|min-width):?[-a-z0-9 .%,()#]*;?)*"
)


class Page(HTMLParser):
    """What a page is made of; refuses what no report may hold."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open_ones: list[str] = []
        self.cells: list[str] = []
        self.rows: list[list[str]] = []
        self.text = self.drawn = ""
        self.feed(html)
        self.close()
        assert self.open_ones == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS | DRAWN, tag
        for name, text in attrs:
            assert name in (LOOKS if tag in DRAWN else ATTRIBUTES), name
            assert "url(" not in (text or "")
            assert name != "style" or STYLE.fullmatch(text or ""), text
            assert name != "scope" or text in ("row", "col")
        self.open_ones.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open_ones.pop() == tag

    def handle_data(self, data: str) -> None:
        if "svg" in self.open_ones:
            self.drawn += data
            return
        self.text += data
        if {"th", "td"} & set(self.open_ones):
            self.rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def html_of(found: Any) -> str:
    text: str = found._repr_html_()
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_tables_with_its_numbers(name: str) -> None:
    report = REPORTS[name]()
    page = Page(html_of(report))
    shown = {row[0]: row[1] for row in page.rows if 2 <= len(row) <= 3 and row[0] in report}
    assert shown
    for metric, text in shown.items():
        assert text.rstrip("*~") == value(report[metric].value)
    assert len(html_of(report)) < 150_000


@pytest.mark.parametrize("k", [2, 10, 30, 40, 100])
def test_a_matrix_is_drawn_while_it_is_readable(k: int) -> None:
    matrix = [[9 if i == j else int((i + j) % 3 == 0) for j in range(k)] for i in range(k)]
    report = ClassReport(Cells.dense(matrix, classes=Classes.of(range(k))))
    for found in (report, report.confusion):
        page = Page(html_of(found))
        if k <= 30:
            rows = [row for row in page.rows if len(row) == k + 1][-k:]
            assert [[int(t.replace("·", "0")) for t in row[1:]] for row in rows] == matrix
            assert [row[0] for row in rows] == [str(i) for i in range(k)]
        else:
            assert "Most confused" in page.text
            assert len(html_of(found)) < 30_000


def test_a_confusion_without_cells_says_so() -> None:
    assert "no cells" in Page(html_of(REPORTS["totals"]().confusion)).text


@pytest.mark.parametrize("n_classes", [2, 5, 20, len(NAMES)])
def test_hostile_names_stay_text(n_classes: int) -> None:
    report = hostile_report(NAMES[:n_classes])
    full = [shortened(safe(name), NAME_MAX) for name in NAMES[:n_classes]]
    page = Page(html_of(report))
    tables = page.rows[[row[:1] for row in page.rows].index(["class"]) + 1 :]
    listed = [row[0] for row in tables[: n_classes if n_classes <= 24 else 10]]
    assert set(listed) <= set(full)
    assert n_classes > 24 or listed == full
    for name in NAMES[:n_classes]:
        assert f"Seen: {harmless(name)}" in page.text
    page = Page(html_of(report.confusion))
    if n_classes > 30:
        pairs = [(row[0], row[2]) for row in page.rows[1:]]
        assert len(pairs) == 10
        assert all(full.index(b) == (full.index(a) + 1) % n_classes for a, b in pairs)
        return
    heads = [row[0] for row in page.rows[-n_classes:]]
    # Long names are numbered.
    assert heads == [f"{i} {name}" for i, name in enumerate(full, start=1)]


def test_a_name_that_is_not_escaped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.output.notebook.escape", lambda text: text)
    with pytest.raises((AssertionError, IndexError)):
        Page(html_of(hostile_report()))


def test_a_result_says_what_is_known_of_it() -> None:
    report = REPORTS["undefined"]()
    text = Page(html_of(report["precision"])).text
    assert text.startswith("precision 0.0000 ")
    assert "undefined: nothing was predicted as the class" in text
    assert report["precision"].definition in text
    text = Page(html_of(REPORTS["ten_prob"]()["macro_f1"])).text
    assert "95 % interval [0.8850, 0.9115] (mover) · 2 000 rows" in text
    assert "not exact: within [" in Page(html_of(REPORTS["bucketed"]()["roc_auc"])).text
    assert "true_positives 351" not in Page(html_of(REPORTS["two"]()["true_positives"])).text
    assert "true_positives 201 " in Page(html_of(REPORTS["two"]()["true_positives"])).text


def test_a_comparison_with_hostile_models() -> None:
    page = Page(html_of(hostile_comparison()))
    assert any(row[1:] == [harmless(NAMES[i]) for i in (0, 3, 11)] for row in page.rows)
    long = karat.compare([0, 1] * 20, {"x" * 400: [0, 1] * 20, "b": [0, 0] * 20})
    assert max(len(cell) for row in Page(html_of(long)).rows for cell in row) <= 160


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [c / 255 for c in colour]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


PAGES = {
    "JupyterLab light": ((33, 33, 33), (255, 255, 255)),
    "JupyterLab dark": ((224, 224, 224), (17, 17, 17)),
    "VS Code dark": ((204, 204, 204), (31, 31, 31)),
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("shade", [RIGHT, WRONG])
def test_text_on_a_shade_can_be_read(shade: tuple[int, ...], page: str) -> None:
    text, ground = PAGES[page]
    mixed = tuple(
        MOST_OPAQUE * s + (1 - MOST_OPAQUE) * g for s, g in zip(shade, ground, strict=True)
    )
    dim = tuple(0.75 * t + 0.25 * g for t, g in zip(text, ground, strict=True))
    assert contrast(text, mixed) >= 4.5
    assert contrast(dim, ground) >= 4.5


def test_a_shade_that_hides_its_text_is_found() -> None:
    assert contrast((224, 224, 224), WRONG) < 4.5
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)


@pytest.mark.parametrize(
    "text", ["<script>", "<b>x</b>", "<p onclick=x>", "<!-- x -->", "<div id=x>"]
)
def test_what_may_not_stand_in_a_page_is_found(text: str) -> None:
    with pytest.raises(AssertionError):
        Page(text)

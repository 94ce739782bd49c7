"""The pages of reports in a browser: offline, silent, by mouse and by keyboard, and true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.errors.text import harmless
from karat.metrics import get
from karat.output.html.decisions import METRICS
from tests.architecture.tracked import ROOT
from tests.browser.opening import Seen, browser, opened, violations
from tests.optional import optional
from tests.output.pages import HOSTILE
from tests.output.reports import hundred

optional("jinja2")
optional("matplotlib")
optional("duckdb")
DATA = ROOT / "examples" / "predictions"


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def cancer() -> Report:
    return karat.evaluate(str(DATA / "breast_cancer_logreg.parquet"), positive="malignant")


@pytest.fixture(scope="module")
def digits() -> Report:
    return karat.evaluate(str(DATA / "digits_logreg.parquet"))


@pytest.fixture(scope="module")
def pages(
    cancer: Report, digits: Report, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(2)
    truth = np.tile(np.arange(len(HOSTILE)), 20)
    prob = rng.random((len(truth), len(HOSTILE))) + np.eye(len(HOSTILE))[truth]
    reports = {
        "cancer": cancer,
        "digits": digits,
        "hundred": hundred(),
        "hostile": karat.evaluate(
            truth, y_prob=prob / prob.sum(axis=1, keepdims=True), labels=karat.Labels(names=HOSTILE)
        ),
    }
    found = {name: folder / f"{name}.html" for name in (*reports, "compare")}
    for name, report in reports.items():
        report.to_html(found[name])
    labels = rng.integers(0, 2, 200)
    karat.compare(
        labels,
        {"<i>old</i>": labels ^ (rng.random(200) < 0.2), "new": labels ^ (rng.random(200) < 0.1)},
    ).to_html(found["compare"])
    return found


NAMES = ["cancer", "digits", "hundred", "hostile", "compare"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_silent_and_asks_for_nothing(
    chrome: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    with opened(chrome, pages[name], color_scheme=scheme) as seen:
        assert seen.page.title().endswith((" · karat report", " · karat compare"))
        seen.page.wait_for_load_state("networkidle")
        assert seen.said == []
        assert seen.asked == [pages[name].as_uri()]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("<script>console.error('said')</script>", "script-src"),
        ('<img src="https://example.org/x.png" alt="">', "img-src"),
        ('<p style="color: red">red</p>', "style-src"),
        ('<b onclick="x()">b</b>', "script-src"),
    ],
)
def test_what_a_page_must_not_do_is_stopped_and_seen(
    chrome: Any, pages: dict[str, Path], tmp_path: Path, damage: str, told: str
) -> None:
    path = tmp_path / "damaged.html"
    text = pages["cancer"].read_text(encoding="utf-8")
    path.write_text(text.replace("<h1>", damage + "<h1>"), encoding="utf-8")
    with opened(chrome, path) as seen:
        assert any(told in line for line in seen.said)


def test_a_request_would_be_seen(chrome: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text('<img src="https://example.org/x.png" alt="">', encoding="utf-8")
    with opened(chrome, path) as seen:
        seen.page.wait_for_load_state("networkidle")
        assert "https://example.org/x.png" in seen.asked


# Accessibility.


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing(
    chrome: Any, pages: dict[str, Path], name: str, scheme: str, width: int
) -> None:
    size = {"width": width, "height": 900}
    with opened(chrome, pages[name], color_scheme=scheme, viewport=size) as seen:
        assert violations(seen) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("--quiet:#4e5a68", "--quiet:#b9c0c8", "color-contrast"),
        ('<html lang="en">', "<html>", "html-has-lang"),
    ],
)
def test_what_axe_must_find_is_found(
    chrome: Any, pages: dict[str, Path], tmp_path: Path, old: str, new: str, told: str
) -> None:
    text = pages["cancer"].read_text(encoding="utf-8")
    assert old in text
    # A style that was changed has another hash: without the policy it is in force.
    text = text.replace(old, new).replace('http-equiv="Content-Security-Policy"', 'name="none"')
    path = tmp_path / "damaged.html"
    path.write_text(text, encoding="utf-8")
    with opened(chrome, path, viewport={"width": 1280, "height": 900}) as seen:
        assert any(one.startswith(told) for one in violations(seen))


# The threshold.


def moved(seen: Seen, place: int) -> dict[str, float]:
    """Move the threshold to a place; what the page then shows."""
    seen.page.locator("#slide").evaluate(
        "(slide, at) => { slide.value = at; slide.dispatchEvent(new Event('input')); }", place
    )
    return {name: seen.number(f"#{name}") for name in ("at", "tp", "fp", "fn", "tn")}


def table_of(shown: dict[str, float]) -> list[list[int]]:
    return [[int(shown["tn"]), int(shown["fp"])], [int(shown["fn"]), int(shown["tp"])]]


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The truth and the probabilities of a file, read by another reader."""
    duckdb = optional("duckdb")
    path = DATA / f"{name}.parquet"
    rows = duckdb.sql(f"SELECT * FROM '{path}'").fetchnumpy()
    columns = [column for column in rows if column.startswith("proba_")]
    return np.asarray(rows["label"]), np.stack([np.asarray(rows[c]) for c in columns], axis=1)


def test_the_threshold_tells_the_numbers_of_karat(chrome: Any, pages: dict[str, Path]) -> None:
    truth, prob = rows_of("breast_cancer_logreg")
    is_positive = truth == "malignant"
    with opened(chrome, pages["cancer"]) as seen:
        n = int(seen.page.locator("#slide").get_attribute("max")) + 1
        assert 256 <= n <= 1000
        for place in sorted({0, 1, n - 1, *range(0, n, 23)}):
            shown = moved(seen, place)
            is_called = prob[:, 1] >= shown["at"]
            assert shown["tp"] == (is_called & is_positive).sum()
            assert shown["fp"] == (is_called & ~is_positive).sum()
            own = karat.evaluate(confusion=table_of(shown), level=None)
            for at, name in enumerate(METRICS):
                cell = seen.page.locator(f'#moved [data-metric="{at}"]')
                value = cell.get_attribute("data-value")
                expected = own[name].value
                if np.isnan(expected):
                    assert value == ""
                else:
                    assert float(value) == pytest.approx(expected, rel=1e-14, abs=1e-15), name
                assert ("*" in cell.text_content()) == bool(own[name].undefined), name


@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.97, 1.0])
def test_a_threshold_is_chosen_by_its_recall(
    chrome: Any, pages: dict[str, Path], wanted: float
) -> None:
    truth, columns = rows_of("breast_cancer_logreg")
    true, prob = truth == "malignant", columns[:, 1]
    with opened(chrome, pages["cancer"]) as seen:
        seen.page.locator("#wanted").fill(str(wanted))
        at = float(seen.page.locator("#at").get_attribute("data-value"))
        reaches = [one for one in prob if true[prob >= one].sum() >= wanted * true.sum() - 1e-9]
        found = true[prob >= at].sum() / true.sum()
        # A page holds some of the thresholds: the largest of them that reaches it.
        assert found >= wanted - 1e-9
        assert at <= max(reaches) + 1e-12
        assert found - wanted < 0.03
        seen.page.locator("#wanted").fill("1.5")
        assert seen.page.locator("#reached").text_content() == "not reached"


def test_the_threshold_begins_where_the_report_stands(
    chrome: Any, pages: dict[str, Path], cancer: Report
) -> None:
    with opened(chrome, pages["cancer"]) as seen:
        shown = {name: seen.number(f"#{name}") for name in ("at", "tp", "fp", "fn", "tn")}
        assert shown["at"] == 0.5
        assert table_of(shown) == cancer.confusion.tolist()


@pytest.mark.parametrize("labels", [["fraud", "ok"], ["ok", "fraud"]])
def test_both_matrices_list_the_classes_in_one_order(
    chrome: Any, tmp_path: Path, labels: list[str]
) -> None:
    true, p = ["ok", "ok", "fraud", "fraud"], [0.1, 0.6, 0.4, 0.9]
    report = karat.evaluate(true, y_prob=p, positive="fraud", labels=labels)
    report.to_html(tmp_path / "page.html")
    with opened(chrome, tmp_path / "page.html") as seen:
        for table in ("matrix", "cells"):
            assert seen.column(table, 0) == labels
        matrix, cells = ([seen.column(x, i) for i in (1, 2)] for x in ("matrix", "cells"))
        assert matrix == [["1", "1"], ["1", "1"]] == cells
        assert seen.number("#tp") == 1


def test_a_class_against_the_rest_is_chosen(chrome: Any, pages: dict[str, Path]) -> None:
    truth, prob = rows_of("digits_logreg")
    with opened(chrome, pages["digits"]) as seen:
        for c in (0, 8, 3):
            seen.page.select_option("#which", str(c))
            last = int(seen.page.locator("#slide").get_attribute("max"))
            for place in (last // 3, last // 2, last):
                shown = moved(seen, place)
                is_called, is_class = prob[:, c] >= shown["at"], truth == c
                expected = [
                    [(~is_called & ~is_class).sum(), (is_called & ~is_class).sum()],
                    [(~is_called & is_class).sum(), (is_called & is_class).sum()],
                ]
                assert table_of(shown) == expected


def test_the_threshold_moves_by_keys_and_says_where_it_is(
    chrome: Any, pages: dict[str, Path]
) -> None:
    with opened(chrome, pages["cancer"]) as seen:
        before = moved(seen, 100)
        seen.page.locator("#slide").focus()
        seen.page.keyboard.press("ArrowRight")
        after = seen.number("#at")
        assert after < before["at"]
        told = seen.page.locator("#slide").get_attribute("aria-valuetext")
        assert told.startswith("probability 0.")
        assert "of 212 rows found" in told


def test_every_metric_that_moves_is_a_formula_that_the_script_knows() -> None:
    from karat.output.html.decisions import tree

    assert all(tree(get(name).traced("zero").raw) for name in METRICS)


@pytest.mark.parametrize(("name", "which"), [("cancer", 0), ("digits", 8)])
def test_the_threshold_is_marked_on_the_curves(
    chrome: Any, pages: dict[str, Path], name: str, which: int
) -> None:
    with opened(chrome, pages[name]) as seen:
        if which:
            seen.page.select_option("#which", str(which))
        shown = moved(seen, 40)
        n_true, n_other = shown["tp"] + shown["fn"], shown["fp"] + shown["tn"]
        n_called = shown["tp"] + shown["fp"]
        expected = {
            "roc": (shown["fp"] / n_other, shown["tp"] / n_true),
            "precision_recall": (shown["tp"] / n_true, shown["tp"] / n_called),
            "gain": (n_called / (n_true + n_other), shown["tp"] / n_true),
        }
        for figure, (x, y) in expected.items():
            # Of ten classes each has a drawing, and the mark stands on that of its class.
            assert seen.page.locator(f"#{figure} .now").count() == 1
            svg = seen.page.locator(f"#{figure} svg[data-axes]").nth(which)
            x0, y0, x1, y1 = map(float, svg.get_attribute("data-axes").split())
            ring = svg.locator(".now")
            place = [float(ring.get_attribute(key)) for key in ("cx", "cy")]
            assert place == pytest.approx([x0 + x * (x1 - x0), y0 + y * (y1 - y0)])
            # The ring stands on the tick of its number, as it does on the curve.
            assert 0 < x0 < x1 < 346
            assert 0 < y1 < y0 < 274
        if name == "cancer":
            line = seen.page.locator("#metrics-by-threshold .now")
            assert float(line.get_attribute("x1")) == float(line.get_attribute("x2"))


def test_each_sentence_of_the_finding_leads_to_its_evidence(
    chrome: Any, pages: dict[str, Path]
) -> None:
    for name in ("cancer", "digits", "hundred", "hostile"):
        with opened(chrome, pages[name]) as seen:
            links = seen.page.locator(".story a")
            assert 2 <= links.count() <= 7
            for place in range(links.count()):
                target = links.nth(place).get_attribute("href")
                assert seen.page.locator(target).count() == 1, target
            assert 4 <= seen.page.locator(".tiles li").count() <= 6


# Tables.


def test_tables_are_sorted_by_a_click(chrome: Any, pages: dict[str, Path], digits: Report) -> None:
    with opened(chrome, pages["digits"]) as seen:
        head = seen.page.locator("#per-class thead th", has_text="f1")
        assert head.get_attribute("aria-sort") == "none"
        by_f1 = sorted(digits.per_class, key=lambda row: -row["f1"])
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert seen.column("per-class", 0) == [row["name"] for row in by_f1]
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert seen.column("per-class", 0) == [row["name"] for row in by_f1[::-1]]
        seen.page.locator("#per-class thead th", has_text="class").locator("button").click()
        assert head.get_attribute("aria-sort") == "none"
        assert seen.column("per-class", 0) == [str(i) for i in range(10)]


def test_a_table_of_a_hundred_classes_is_searched(chrome: Any, pages: dict[str, Path]) -> None:
    with opened(chrome, pages["hundred"]) as seen:
        names = seen.page.locator("#per-class tbody th").all_text_contents()
        seen.page.locator("#classes input").fill(wanted := names[9].upper())
        left = seen.page.locator("#per-class tbody tr:visible th").all_text_contents()
        assert left == [name for name in names if wanted.lower() in name.lower()]
        assert 0 < len(left) < len(names)
        told = seen.page.locator("#classes output").text_content()
        assert told == f"{len(left)} of {len(names)}"
        # Paper holds every row.
        seen.page.emulate_media(media="print")
        assert seen.page.locator("#per-class tbody tr:visible").count() == len(names)
        assert not seen.page.locator("#classes .search").is_visible()
    with opened(chrome, pages["digits"]) as seen:
        assert seen.page.locator("#classes .search").count() == 0


def test_the_matrix_shows_shares_and_orders(
    chrome: Any, pages: dict[str, Path], digits: Report
) -> None:
    matrix = digits.confusion.matrix
    with opened(chrome, pages["digits"]) as seen:
        assert seen.column("matrix", 2)[8] == "7"
        seen.page.check("input[value=row]")
        assert seen.column("matrix", 2)[8] == f"{100 * matrix[8, 1] / matrix[8].sum():.1f}"
        seen.page.check("input[value=column]")
        assert seen.column("matrix", 2)[8] == f"{100 * matrix[8, 1] / matrix[:, 1].sum():.1f}"
        seen.page.select_option("#order", "error")
        errors = 1 - np.diag(matrix) / matrix.sum(axis=1)
        expected = [str(i) for i in np.argsort(-errors, kind="stable")]
        assert seen.column("matrix", 0) == expected
        seen.page.select_option("#order", "clustered")
        assert sorted(seen.column("matrix", 0)) == [str(i) for i in range(10)]
        seen.page.select_option("#order", "given")
        assert seen.column("matrix", 0) == [str(i) for i in range(10)]


def test_a_cell_is_told_in_words_when_pointed_at_or_reached_by_keys(
    chrome: Any, pages: dict[str, Path]
) -> None:
    with opened(chrome, pages["digits"]) as seen:
        cell = seen.page.locator("#matrix tbody tr:nth-child(9) td:nth-child(3)")
        cell.hover()
        words = (
            "7 of 174 rows truly 8 predicted as 1: 4.0 % of true 8, 3.6 % of the 192 predicted 1."
        )
        assert seen.page.locator("#words").text_content() == _plain(words, seen)
        seen.page.locator("#matrix td[tabindex='0']").focus()
        for key in ("ArrowDown", "ArrowRight", "ArrowUp"):
            seen.page.keyboard.press(key)
        assert seen.focused() == "TD ·"
        assert "truly \u20680\u2069 predicted as \u20681\u2069" in (
            seen.page.locator("#words").text_content()
        )


def _plain(words: str, seen: Seen) -> str:
    """The words with the marks that keep foreign names apart."""
    import re

    return re.sub(
        r"(?<=truly |.true |ed as )(\d)|(?<=predicted )(\d)(?=\.)", "\u2068\\g<0>\u2069", words
    )


def test_a_matrix_of_a_hundred_classes_is_there_and_fits(
    chrome: Any, pages: dict[str, Path]
) -> None:
    with opened(chrome, pages["hundred"], viewport={"width": 1280, "height": 900}) as seen:
        assert seen.page.locator("#matrix tbody td").count() == 10_000
        box = seen.page.locator("#matrix").bounding_box()
        assert box["width"] < 1280
        seen.page.locator("#matrix tbody tr:nth-child(18) td:nth-child(20)").hover()
        assert "truly \u206817\u2069 predicted as \u206818\u2069" in (
            seen.page.locator("#words").text_content()
        )


def test_rows_within_the_other_classes_are_not_called_right(chrome: Any, tmp_path: Path) -> None:
    counts = np.full((130, 130), 0)
    np.fill_diagonal(counts, 3)
    counts[:50, 0] += 9
    # Of the classes that have no row of their own, two thirds are taken for the next one.
    for i in range(60, 129):
        counts[i, i + 1] = 6
    path = tmp_path / "many.html"
    karat.evaluate(confusion=counts, metrics=["accuracy"], level=None).to_html(path)
    with opened(chrome, path) as seen:
        corner = seen.page.locator("#matrix tbody tr:last-child td:last-child")
        corner.hover()
        words = seen.page.locator("#words").text_content()
        assert "truly \u206880 other classes\u2069 predicted as" in words
        assert corner.get_attribute("class") in (None, "")
        right = seen.page.locator("#matrix tbody tr:first-child td:nth-child(2)")
        assert "diagonal" in right.get_attribute("class")


# Keyboard, colours, paper, phones.


def test_tab_goes_through_the_page_in_order_and_shows_where_it_is(
    chrome: Any, pages: dict[str, Path]
) -> None:
    with opened(chrome, pages["cancer"]) as seen:
        stops = []
        for _ in range(60):
            seen.page.keyboard.press("Tab")
            if seen.focused().startswith("BODY"):
                break
            stops.append(seen.focused())
            outline = seen.page.evaluate(
                "() => getComputedStyle(document.activeElement).outlineStyle"
            )
            assert outline != "none", stops[-1]
        assert stops[0] == "A #main"
        wanted = ["BUTTON theme", "A #summary", "BUTTON metric", "SELECT order", "INPUT slide"]
        places = [stops.index(stop) for stop in wanted]
        assert places == sorted(places)
        assert sum(stop.startswith("TD") for stop in stops) == 1


def background(seen: Seen) -> str:
    found: str = seen.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return found


def test_dark_follows_the_system_and_the_switch(chrome: Any, pages: dict[str, Path]) -> None:
    light, dark = "rgb(255, 255, 255)", "rgb(18, 23, 29)"
    for scheme, first, second in (("light", light, dark), ("dark", dark, light)):
        with opened(chrome, pages["cancer"], color_scheme=scheme) as seen:
            assert background(seen) == first
            seen.page.click("#theme")
            assert background(seen) == second
            assert seen.page.locator("#theme").text_content().startswith(scheme.capitalize())
            seen.page.click("#theme")
            assert background(seen) == first


def test_paper_is_light_and_without_controls(chrome: Any, pages: dict[str, Path]) -> None:
    sheet = {"width": 794, "height": 1123}  # A4 at 96 dots an inch
    with opened(chrome, pages["cancer"], color_scheme="dark", viewport=sheet) as seen:
        seen.page.emulate_media(media="print", color_scheme="dark")
        assert background(seen) == "rgb(255, 255, 255)"
        for control in ("#theme", "nav", "#slide", "#matrix-controls"):
            assert not seen.page.locator(control).is_visible()
        assert seen.page.locator("#matrix").is_visible()
        width = seen.page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= 794
        assert seen.page.pdf()[:5] == b"%PDF-"


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_scrolls_tables_not_the_page(
    chrome: Any, pages: dict[str, Path], name: str
) -> None:
    with opened(chrome, pages[name], viewport={"width": 360, "height": 740}) as seen:
        width = seen.page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= 360


CUT = """() => [...document.querySelectorAll(".scroll")]
    .filter((holder) => holder.offsetParent && holder.scrollWidth > holder.clientWidth + 1)
    .map((holder) => holder.textContent.slice(0, 60))"""


@pytest.mark.parametrize("name", ["cancer", "digits", "hundred", "compare"])
def test_tables_are_whole_on_a_phone(chrome: Any, pages: dict[str, Path], name: str) -> None:
    phone = {"width": 390, "height": 844}
    with opened(chrome, pages[name], viewport=phone) as seen:
        assert seen.page.evaluate(CUT) == []
        for details in seen.page.locator("details").all():
            details.evaluate("(one) => { one.open = true; }")
        seen.page.wait_for_function(f"() => !({CUT})().length")
        if name != "compare":
            cells = seen.page.locator("#per-class tbody tr").first.locator("td[data-label]")
            labels = [cell.get_attribute("data-label") for cell in cells.all()]
            assert labels[0] == "support"
            assert "f1" in labels
        # On a wider screen they are tables again.
        seen.page.set_viewport_size({"width": 1280, "height": 800})
        seen.page.wait_for_function("() => !document.querySelector('.cards')")
    # Without the script a table keeps its form, and is scrolled.
    with opened(chrome, pages[name], viewport=phone, java_script_enabled=False) as seen:
        assert seen.page.locator(".cards").count() == 0


def test_a_finding_is_text_and_its_links_look_like_links(
    chrome: Any, pages: dict[str, Path]
) -> None:
    look = "(one) => [getComputedStyle(one).color, getComputedStyle(one).textDecorationLine]"
    with opened(chrome, pages["cancer"]) as seen:
        story = seen.page.locator(".story")
        links = story.locator("a")
        assert links.all_text_contents()[0] == "Metrics"
        plain, _ = story.evaluate(look)
        for link in [links.first, seen.page.locator("#metrics tbody a").first]:
            color, line = link.evaluate(look)
            assert (color != plain, line) == (True, "underline")


def test_a_comparison_opens_with_a_picture_of_its_differences(
    chrome: Any, pages: dict[str, Path]
) -> None:
    with opened(chrome, pages["compare"]) as seen:
        picture = seen.page.locator("#finding .picture svg")
        assert picture.count() == 1
        assert "accuracy" in picture.text_content()
        assert picture.get_attribute("aria-label").startswith("Differences: ")
        # A style of its own would be blocked by the page's policy.
        assert picture.get_attribute("style") is None


def test_without_script_the_tables_are_there(chrome: Any, pages: dict[str, Path]) -> None:
    with opened(chrome, pages["digits"], java_script_enabled=False) as seen:
        assert seen.column("matrix", 2)[8] == "7"
        assert not seen.page.locator("#matrix-controls").is_visible()
        assert not seen.page.locator("#theme").is_visible()
        assert "moved by the script" in seen.page.locator("#threshold").inner_text()


def test_hostile_names_stay_text(chrome: Any, pages: dict[str, Path]) -> None:
    shown = [harmless(name) for name in HOSTILE]
    with opened(chrome, pages["hostile"]) as seen:
        assert seen.page.title().startswith(shown[0])
        assert seen.page.locator("script").count() == 2
        assert seen.page.locator("main b").count() == 0
        assert seen.column("matrix", 0) == shown
        assert seen.column("per-class", 0) == shown
        heads = seen.page.locator("#matrix thead bdi").all_text_contents()
        assert heads == shown
        assert seen.page.locator("#which option").all_text_contents() == shown
        for i, name in enumerate(shown):
            seen.page.select_option("#which", str(i))
            assert seen.page.locator("#cells thead .is-class").text_content() == name
            seen.page.locator(f"#matrix tbody tr:nth-child({i + 1}) td:nth-child({i + 2})").hover()
            assert name in seen.page.locator("#words").text_content()
        assert seen.said == []
        assert seen.asked == [pages["hostile"].as_uri()]

"""The page of a report: one file, escaped, under a policy, small, and whole without its script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.api.results import ClassReport
from karat.errors import KaratError
from karat.errors.text import harmless
from karat.output.html.colours import N_SHADES, palette
from karat.output.html.confusion import PLAIN, clustered
from karat.output.html.page import page, read
from karat.tally import to_marginals
from tests.optional import optional
from tests.output.page_sizes import LIMIT, size_of
from tests.output.pages import HOSTILE, data_of, faults, parsed
from tests.output.reports import hundred, of_matrix, ten, two

optional("jinja2")
optional("matplotlib")


def scored(names: list[str] | None = None, k: int = 2, n: int = 200) -> Report:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, k, n)
    truth[:k] = np.arange(k)
    prob = rng.random((n, k)) + 1.5 * np.eye(k)[truth] * rng.random((n, 1))
    prob /= prob.sum(axis=1, keepdims=True)
    return karat.evaluate(truth, y_prob=prob, labels=karat.Labels(names=names))


@pytest.fixture(scope="module")
def hostile() -> str:
    return scored(HOSTILE, len(HOSTILE)).to_html()


# The file.


def test_a_page_loads_nothing_and_runs_only_its_own_script(hostile: str) -> None:
    assert faults(hostile) == []
    assert faults(two().to_html()) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<h1>", '<img src="https://example.org/x.png"><h1>'),
        ("<h1>", '<h1 onclick="go()">'),
        ("<h1>", '<h1 style="color:red">'),
        ("<h1>", "<script>go()</script><h1>"),
        ("<h1>", '<a href="https://example.org">x</a><h1>'),
        ("body {", "@import 'x';body {"),
        ('"use strict";', '"use strict";go();'),
        ("default-src &#39;none", "default-src &#39;unsafe-inline"),
    ],
)
def test_what_a_page_must_not_hold_is_found(hostile: str, old: str, new: str) -> None:
    assert old in hostile
    assert faults(hostile.replace(old, new, 1)) != []


def test_hostile_names_stay_text(hostile: str) -> None:
    document = parsed(hostile)
    shown = {harmless(name) for name in HOSTILE}
    assert shown <= {one.text for one in document.all("bdi")}
    assert data_of(hostile)["matrix"]["names"] == [harmless(name) for name in HOSTILE]
    assert len(document.all("script")) == 2
    assert not document.all("b")
    assert "\u202e" not in hostile
    assert "49" not in {one.text for one in document.all("bdi")}


def test_hostile_columns_and_files_stay_text() -> None:
    foul = "<img src=x onerror=alert(1)>"
    text = of_matrix(
        [[3, 1], [2, 4]],
        mapping={"y_true": foul, "y_pred": foul},
        source={"files": [foul]},
        warnings=(foul,),
    ).to_html()
    assert faults(text) == []
    assert not parsed(text).all("img")
    assert foul in parsed(text).all("dd")[0].text


def test_the_same_report_is_the_same_page_and_is_written_whole(tmp_path: Path) -> None:
    report = ten()
    text = report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == text
    assert text == ten().to_html()
    assert Report.from_json(report.to_json()).to_html() == text


def test_without_jinja_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from karat.output.html import page as module

    module._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(KaratError, match=r"K501.*\n.*jinja2.*\n.*karat\[cli\]"):
        page("report.html", {})


@pytest.mark.parametrize("source", ["small", "hundred"])
def test_a_page_is_small(source: str) -> None:
    n_bytes, _ = size_of(150, 3) if source == "small" else size_of(20_000, 100)
    assert n_bytes < LIMIT


def test_no_script_and_no_style_has_a_size_without_reason() -> None:
    assert len(read("script.js")) < 20_000
    assert len(read("curves.js")) < 10_000
    assert len(read("style.css")) < 13_500


# What it holds.


def test_every_metric_of_the_report_is_there_with_its_interval() -> None:
    report = scored()
    rows = parsed(report.to_html()).all("tr")
    told = {row.text for row in rows}
    for name, result in report.metrics.items():
        assert any(text.startswith(name) for text in told), name
        if result.low is not None and name == "f1":
            low = f"[{result.low:.4f}, {result.high:.4f}]"
            assert any(text.startswith(name) and low in text for text in told)


def test_headings_of_tables_have_a_scope_and_tables_a_caption(hostile: str) -> None:
    document = parsed(hostile)
    assert {one.attributes.get("scope") for one in document.all("th")} == {"row", "col"}
    assert len(document.all("caption")) == len(document.all("table"))
    assert all(one.text.strip() for one in document.all("caption"))


def test_every_drawing_has_its_table() -> None:
    document = parsed(scored().to_html())
    figures = document.all("figure")
    ids = ["roc", "metrics-by-threshold", "precision_recall", "reliability", "scores", "gain"]
    assert [one.attributes["id"] for one in figures] == ids
    assert all("as a table" in one.text for one in figures)


def test_figures_of_one_curve_show_its_band_and_list_it() -> None:
    banded = ("roc", "precision_recall", "reliability")
    for report, expected in (
        (scored(), banded),
        (scored(k=3), ()),
        (karat.evaluate([0, 1] * 9, y_prob=np.arange(18) / 18, level=None), ()),
        (karat.evaluate([0, 1] * 9, y_prob=np.arange(18) / 18, clusters=np.arange(18) // 2), ()),
    ):
        figures = parsed(report.to_html()).all("figure")
        found = {one.attributes["id"]: one.text for one in figures}
        assert tuple(x for x in found if "95 % simultaneous band" in found[x]) == expected
        assert (
            tuple(x for x in found if "simultaneous confidence band of the whole curve" in found[x])
            == expected
        )
        assert tuple(x for x in found if "upper limit" in found[x]) == expected


def test_rows_of_few_classes_are_in_the_page_without_script() -> None:
    (table,) = (
        one for one in parsed(ten().to_html()).all("table") if one.attributes.get("id") == "matrix"
    )
    assert "0178········" in table.text
    assert "8·71211··162·174" in table.text


def test_many_classes_are_one_array() -> None:
    report = hundred()
    text = report.to_html()
    found = data_of(text)["matrix"]
    assert found["cells"] == report.confusion.matrix.ravel().tolist()
    assert len(found["names"]) > PLAIN
    assert "is drawn by the script" in text


def test_of_too_many_classes_those_with_most_errors_are_kept_and_no_row_is_lost() -> None:
    rng = np.random.default_rng(3)
    matrix = np.diag(rng.integers(5, 50, 300))
    for i in rng.integers(0, 300, 900):
        matrix[i, rng.integers(0, 300)] += 1
    report = of_matrix(matrix)
    found = data_of(report.to_html())["matrix"]
    cells = np.array(found["cells"]).reshape(len(found["names"]), -1)
    assert cells.sum() == matrix.sum()
    assert found["names"][-1] == "250 other classes"
    kept = [int(name) for name in found["names"][:-1]]
    wrong = matrix - np.diag(np.diag(matrix))
    errors = wrong.sum(axis=0) + wrong.sum(axis=1)
    assert min(errors[kept]) >= max(np.delete(errors, kept))
    assert (cells[:-1, :-1] == matrix[np.ix_(kept, kept)]).all()


def test_clustering_puts_together_what_is_confused() -> None:
    rng = np.random.default_rng(1)
    place = rng.permutation(12)
    matrix = np.full((12, 12), 0) + 50 * np.eye(12, dtype=int)
    for group in (place[:4], place[4:8], place[8:]):
        matrix[np.ix_(group, group)] += 5
    order = clustered(matrix)
    assert sorted(order) == list(range(12))
    groups = [{*order[i : i + 4]} for i in (0, 4, 8)]
    assert sorted(map(sorted, groups)) == sorted(
        sorted(map(int, group)) for group in (place[:4], place[4:8], place[8:])
    )


def test_classes_that_nothing_joins_keep_their_order() -> None:
    assert clustered(np.diag([3, 4, 5])) == [0, 1, 2]
    assert clustered(np.zeros((1, 1))) == [0]


@pytest.mark.parametrize(
    "report",
    [
        of_matrix([[5]], ["only"]),
        of_matrix([[0, 0], [0, 0]]),
        karat.evaluate([0, 1, 1], [0, 0, 1], weights=[0.5, 1.25, 2]),
        karat.evaluate([0, 1, 1, 0], [0, 0, 1, 1], level=None),
        karat.evaluate([0, 1, 1, 0], [0, 0, 1, 1], metrics=["f1"]),
        karat.evaluate([0, 1, 1, 0], y_score=[-1.0, 0.3, 2.0, 0.1]),
        karat.evaluate([0, 1, 2, 0], y_prob=np.eye(3)[[0, 1, 2, 1]]),
        karat.evaluate([0, 1, 1, 0], y_prob=[0.1, 0.6, 0.7, 0.2], threshold=0.6),
        karat.evaluate([1, 1], y_prob=[0.1, 0.6], labels=[0, 1]),
    ],
)
def test_awkward_reports_have_a_page(report: Report) -> None:
    text = report.to_html()
    assert faults(text) == []
    assert not re.search(r"\b(nan|None|inf)\b", parsed(text).all("main")[0].text)


def test_without_cells_there_is_no_matrix_and_the_page_stands() -> None:
    report = ClassReport(to_marginals(ten().cells))
    text = report.to_html()
    assert faults(text) == []
    assert data_of(text)["matrix"] is None
    assert "matrix" not in {one.attributes.get("id") for one in parsed(text).all("table")}
    assert f"{report['macro_f1'].value:.4f}" in text


def test_a_comparison_has_a_page_side_by_side(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    models = {
        name: np.where(rng.random(300) < share, truth, 1 - truth)
        for name, share in (("<b>one</b>", 0.8), ("two", 0.9), ("three", 0.85))
    }
    found = karat.compare(truth, models)
    text = found.to_html(tmp_path / "compare.html")
    assert (tmp_path / "compare.html").read_text(encoding="utf-8") == text
    assert faults(text) == []
    document = parsed(text)
    assert not document.all("b")
    tables = {one.attributes.get("id") for one in document.all("table")}
    assert {"pair-0", "pair-1", "pair-2", "side", "flips-0", "flips-1", "flips-2"} <= tables
    for i, (pair, flips) in enumerate(found.flips.items()):
        (one,) = (x for x in document.all("table") if x.attributes.get("id") == f"flips-{i}")
        first, second = sorted(pair, key=found.models.index)
        group = flips.groups[0]
        said = {pair[0]: group.said_a, pair[1]: group.said_b}
        cells = f"\n{group.true}{said[first]}{said[second]}{group.n}\n"
        assert f"true{first}{second}rows\n{cells}" in one.text
    head = document.all("table")[0].text
    assert re.search(r"(?s)metric\s*<b>one</b>\s*two\s*diff", head), head
    # The best of three, corrected for selection.
    assert "Best of 3, corrected for selection" in text
    (side,) = (one.text for one in document.all("table") if one.attributes.get("id") == "side")
    for model in found.models:
        assert f"{found.values['accuracy'][model].value:.4f}" in side


# Its colours.

TEXT = [
    ("ink", "paper"), ("ink", "panel"), ("ink", "note"), ("quiet", "paper"), ("quiet", "panel"),
    ("accent", "paper"), ("accent", "panel"), ("on-accent", "accent"), ("right", "paper"),
    ("wrong", "paper"), ("right", "panel"), ("wrong", "panel"), ("edge", "paper"),
    *(("ink", f"{kind}-{step}") for kind in ("right", "wrong") for step in range(1, N_SHADES + 1)),
]  # fmt: skip
"""Text and what it stands on; `edge` is of signs that are seen, not read."""
SEEN = [
    ("edge", "paper"), ("edge", "panel"), ("muted", "paper"),
    *((f"series-{i}", "paper") for i in range(1, 7)),
]  # fmt: skip


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """WCAG 2.2, contrast ratio."""
    low, high = sorted(map(luminance, (first, second)))
    return (high + 0.05) / (low + 0.05)


def _of_gold() -> karat.Report:
    judge = np.arange(300) % 2
    gold = [int(x) if place < 60 else None for place, x in enumerate(judge)]
    return karat.evaluate(gold, judge, design=karat.Judge(judge))


@pytest.mark.parametrize(
    "make",
    [
        two,
        lambda: karat.evaluate([{"a"}, {"b"}, {"a", "b"}], [{"a"}, {"a"}, {"a", "b"}]),
        lambda: karat.compare([0, 1, 1, 0], {"a": [0, 1, 1, 0], "b": [0, 1, 0, 0]}),
        _of_gold,
    ],
)
def test_a_title_replaces_that_of_the_data(make: Any, tmp_path: Path) -> None:
    found = make()
    for title in ("Model 7, <May>", "  Model 7, <May> "):
        text = found.to_html(tmp_path / "page.html", title=title)
        assert parsed(text).all("h1")[0].text == "Model 7, <May>"
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    assert parsed(found.to_html()).all("h1")[0].text != "Model 7, <May>"
    for wrong in ("", " ", 7):
        with pytest.raises(karat.KaratError, match="K122"):
            found.to_html(title=wrong)


def test_differences_of_proportions_are_in_percentage_points() -> None:
    y = np.tile([0, 1], 200)
    prob = {"a": np.where(np.arange(400) % 5 == 0, 1 - y, y) * 0.8 + 0.1, "b": y * 0.6 + 0.2}
    comparison = karat.compare(y, y_prob=prob, metrics=["accuracy", "log_loss", "roc_auc"])
    (table,) = (
        one.text
        for one in parsed(comparison.to_html()).all("table")
        if one.attributes.get("id") == "pair-0"
    )
    rows = {line.split("0.")[0]: line for line in table.splitlines() if "0." in line}
    accuracy, log_loss = comparison["accuracy"], comparison["log_loss"]
    assert f"{100 * accuracy.difference:+.2f} pp" in rows["accuracy"]
    assert f"[{100 * accuracy.low:.2f}, {100 * accuracy.high:.2f}]" in rows["accuracy"]
    assert f"{log_loss.difference:+.4f}" in rows["log_loss"]
    assert "pp" not in rows["log_loss"] + rows["roc_auc"]
    # Text keeps the unit of the values.
    assert "pp" not in str(comparison)


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_read_on_what_it_stands_on(theme: str) -> None:
    colours = palette(theme)
    pairs = [pair for pair in TEXT if pair[0] != "edge"]
    pale = {pair: contrast(*map(colours.__getitem__, pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in pale.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_and_marks_are_seen(theme: str) -> None:
    colours = palette(theme)
    pale = {pair: contrast(*map(colours.__getitem__, pair)) for pair in SEEN}
    assert {pair: ratio for pair, ratio in pale.items() if ratio < 3} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_darker_shade_is_a_larger_share(theme: str) -> None:
    colours = palette(theme)
    for kind in ("right", "wrong"):
        steps = [contrast(colours[f"{kind}-{i}"], colours["paper"]) for i in range(1, N_SHADES + 1)]
        assert steps == sorted(steps)
        assert steps[0] > 1.1


def test_the_style_sheet_has_no_colour_of_its_own_and_knows_all_it_names() -> None:
    style = re.sub(r"#[a-z-]+(?=[\s,.{\[:>])", "", read("style.css"))
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", style) == []
    named = set(re.findall(r"var\(--([\w-]+)\)", style))
    assert named
    assert named <= set(palette("light"))
    assert set(palette("light")) == set(palette("dark"))


def test_only_differences_on_one_scale_have_a_bar() -> None:
    rng = np.random.default_rng(8)
    true = rng.integers(0, 2, 300)
    old, new = (np.clip(true * 0.4 + rng.uniform(0, 0.6, 300), 0.01, 0.99) for _ in range(2))
    text = karat.compare(
        true, y_prob={"old": old, "new": new}, metrics=["accuracy", "log_loss"]
    ).to_html()
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', text.split('id="values"')[0])
    assert {name: "<svg" in row for name, row in rows} == {"accuracy": True, "log_loss": False}

"""One naming of classes for a whole document: unique texts, and a legend that resolves each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import karat
from karat.errors import text as texts
from karat.errors.text import cells, safe
from karat.output import naming
from karat.output.latex import escaped
from karat.output.layout import plain_ascii
from tests.optional import optional

PARTS = st.sampled_from(
    (
        "species Saccharomyces customer_intent _v1 _v2 _v10 0 1 - _ \u00a0of\u00a0 refund "
        f"日本語の É e\u0301 longname_of_it {'x' * 90}"
    ).split(" ")
)
NAMES = st.builds(
    lambda head, middles, tail: [f"{head}{middle}{tail}".strip() or "x" for middle in middles],
    st.lists(PARTS, max_size=3).map("".join),
    st.lists(st.lists(PARTS, min_size=1, max_size=4).map("".join), min_size=2, max_size=18),
    st.lists(PARTS, max_size=3).map("".join),
).map(lambda names: list(dict.fromkeys(names)))
"""Names with one beginning and one end, and with parts in common."""
FEW = settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


def report_of(names: Sequence[str]) -> karat.Report:
    k = len(names)
    matrix = np.arange(k * k).reshape(k, k) % 7 + 3 * np.eye(k, dtype=int)
    return karat.evaluate(confusion=matrix, labels=list(names), level=None)


def legend_of(lines: Sequence[str]) -> dict[str, str]:
    """Name in full → its text, of the lines of a legend; both without blanks."""
    pairs = ["".join(line.split()).split("=", 1) for line in lines if "=" in line]
    found = {full: short for short, full in pairs}
    assert len(found) == len(pairs), "a name has two texts"
    assert len(set(found.values())) == len(found), "a text has two names"
    return found


def unwrapped(text: str, indent: int) -> list[str]:
    """The entries of a legend whose lines hang."""
    return re.sub(rf"\n {{{indent},}}", "", text).splitlines()


def solid(text: str) -> str:
    return "".join(text.split())


def check(names: Sequence[str], listed: Sequence[str], legend: dict[str, str]) -> None:
    """What stands in a list of all classes is each class, by its name or by the legend."""
    full = {solid(safe(name)) for name in names}
    assert set(legend) <= full, "the legend has a name that is no class"
    assert not set(legend.values()) & full, "a text is the name of another class"
    expected = [legend.get(solid(safe(name)), solid(safe(name))) for name in names]
    assert list(map(solid, listed)) == expected


def of_text(report: karat.Report, width: int) -> tuple[list[str], dict[str, str]]:
    """The names in the table of classes of a text, and its legend."""
    body, _, rest = report.text(width).partition("\n\nNames\n")
    table = body.partition("\nClasses\n")[2].partition("\n  ─")[0].splitlines()[1:]
    listed = [re.split(r" {2,}", line.strip())[0] for line in table]
    return listed, legend_of(unwrapped(rest, 3))


@FEW
@given(NAMES, st.sampled_from([40, 80, 132]))
def test_every_short_name_of_a_text_is_one_class(names: list[str], width: int) -> None:
    check(names, *of_text(report_of(names), width))


@FEW
@given(NAMES)
def test_every_table_of_a_text_has_the_same_name_for_a_class(names: list[str]) -> None:
    text = report_of(names).text(80)
    body, _, rest = text.partition("\n\nNames\n")
    shorts = set(legend_of(unwrapped(rest, 3)).values())
    # Doubts and reasons quote names in full, up to some length.
    tables = body.partition("\nMetrics\n")[2].partition("\nUndefined")[0]
    for token in re.findall(r"[^ ]*…[^ ]*", tables):
        assert solid(token) in shorts, token


@FEW
@given(NAMES)
def test_every_short_name_in_markdown_is_one_class(names: list[str]) -> None:
    text = report_of(names).to_markdown()
    body, _, rest = text.partition("### Names\n")
    table = body.partition("### Classes")[2].split("\n\n")[1].splitlines()[2 : 2 + len(names)]
    lines = [line.removeprefix("- ").replace("\\", "") for line in rest.strip().splitlines()]
    legend = legend_of(lines)
    shown = [line.split(" | ")[0].removeprefix("| ") for line in table]
    check(names, [cell.strip("`") for cell in shown], legend)


@FEW
@given(NAMES)
def test_every_short_name_in_latex_is_one_class(names: list[str]) -> None:
    text = report_of(names).to_latex()
    body, _, rest = text.partition(r"\paragraph{Names}")
    lines = [line.strip().removeprefix(r"\item ") for line in rest.splitlines() if r"\item" in line]
    legend = legend_of(lines)
    table = body.partition(r"\caption{Classes}")[2].partition(r"\midrule")[2]
    shown = [line.split(" & ")[0].strip() for line in table.strip().splitlines()[: len(names)]]
    expected = [solid(escaped(safe(name))) for name in names]
    assert list(map(solid, shown)) == [legend.get(name, name) for name in expected]


class _Cells(HTMLParser):
    """The texts of the first cells of rows, and of the elements of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag in ("div", "text", "title"):
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data
        if self.texts:
            self.texts[-1] += data


@FEW
@given(NAMES)
def test_every_short_name_in_a_notebook_is_one_class(names: list[str]) -> None:
    html = report_of(names)._repr_html_()
    page = _Cells(html)
    start = next(i for i, row in enumerate(page.rows) if row[0] == "class")
    legend = legend_of(page.texts[page.texts.index("Names") :] if "Names" in page.texts else [])
    check(names, [row[0] for row in page.rows[start + 1 : start + 1 + len(names)]], legend)


@FEW
@given(NAMES)
def test_a_heat_map_names_every_class(names: list[str]) -> None:
    optional("matplotlib")
    from matplotlib.figure import Figure

    ax = karat.plot.confusion(report_of(names), ax=Figure((8, 8)).subplots())
    ticks = [label.get_text() for label in ax.get_yticklabels()][: len(names)]
    key = [text.get_text() for text in ax.texts if text.get_gid() == "names"]
    legend = legend_of(unwrapped(key[0].replace("'", "") if key else "", 2))
    check(names, [text.strip("'") for text in ticks], legend)


def test_a_picture_and_its_tables_have_the_same_names() -> None:
    names = [f"a_species_that_has_a_rather_long_name_{i}_and_an_end_that_is_long" for i in range(5)]
    rng = np.random.default_rng(1)
    y = np.arange(300) % len(names)
    scores = rng.random((300, len(names))) + np.eye(len(names))[y]
    prob = scores / scores.sum(axis=1, keepdims=True)
    report = karat.evaluate(y, y_prob=prob, labels=karat.Labels(names=names), level=None)
    page = _Cells(report.thresholds._repr_html_())
    legend = legend_of([text for text in page.texts if " = " in text])
    assert set(legend) == set(names)
    for short in legend.values():
        assert short in page.texts, "beside its curve"
        assert any(row and row[0] == short for row in page.rows)


def test_models_and_classes_share_one_naming() -> None:
    rng = np.random.default_rng(2)
    classes = [f"kind_of_request_number_{i}_of_customers" for i in range(3)]
    y = rng.integers(0, 3, 200)
    truth = [classes[i] for i in y]
    models = {
        f"experiments/model_{i}_of_the_second_kind.parquet": [
            classes[j] for j in np.where(rng.random(200) < 0.8, y, (y + i) % 3)
        ]
        for i in range(1, 3)
    }
    text = karat.compare(truth, models).text(80)
    body, _, rest = text.partition("\n\nNames\n")
    legend = legend_of(unwrapped(rest, 3))
    assert set(legend) == {solid(name) for name in classes}
    # The facts have the models in full.
    assert ", ".join(models) in " ".join(body.split())
    tables = body.partition("\n\n")[2]
    for token in re.findall(r"[^\s/]*…[^\s]*", tables):
        pattern = ".+".join(map(re.escape, token.split("…")))
        is_model = sum(bool(re.search(pattern + "$", name)) for name in models) == 1
        assert is_model != (token in legend.values()), token


def test_names_that_read_the_same_are_told_apart() -> None:
    names = ["a\nb", "a\\nb", "c"]
    listed, _ = of_text(report_of(names), 80)
    assert len(set(listed)) == 3


def test_the_dots_of_a_terminal_of_ascii_are_no_other_name() -> None:
    names = ["abcdefghijklmnopqrstuvwxyz", "abcd.xyz", "abcdefghijklm.opqrstuvwxyz"]
    found = naming.Naming(names, 8, is_ascii=True)
    shown = [plain_ascii(found.short(name)) for name in names]
    assert len(set(shown)) == 3


@given(st.lists(st.text(max_size=40), unique=True, max_size=60), st.integers(8, 24))
def test_aliases_are_unique_and_fit(names: list[str], limit: int) -> None:
    found = texts.aliases(names, limit)
    assert len(set(found.values())) == len(names)
    for name, short in found.items():
        assert cells(short) <= limit
        assert short == name or short not in names
        assert short == name or cells(name) > limit or ", " in name


LONG = [f"species_with_{'very_' * 8}{i:02}_{'very_' * 8}long_names" for i in range(12)]


def test_a_naming_that_is_not_unique_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        naming,
        "aliases",
        lambda names, limit, taken: {name: texts.shortened(name, limit) for name in names},
    )
    for test, arguments in _OF_NAMES.items():
        with pytest.raises(AssertionError):
            test.hypothesis.inner_test(LONG, *arguments)


def test_a_legend_that_leaves_a_name_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = naming.Naming.legend
    monkeypatch.setattr(naming.Naming, "legend", lambda self, *known: whole(self, *known)[:-1])
    for test, arguments in _OF_NAMES.items():
        if test is not test_a_heat_map_names_every_class:
            with pytest.raises(AssertionError):
                test.hypothesis.inner_test(LONG, *arguments)


_OF_NAMES: dict[Any, tuple[int, ...]] = {
    test_every_short_name_of_a_text_is_one_class: (80,),
    test_every_table_of_a_text_has_the_same_name_for_a_class: (),
    test_every_short_name_in_markdown_is_one_class: (),
    test_every_short_name_in_latex_is_one_class: (),
    test_every_short_name_in_a_notebook_is_one_class: (),
    test_a_heat_map_names_every_class: (),
}

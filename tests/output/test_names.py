"""Foreign text: harmless, measured in cells, shortened so that names stay apart."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat
from karat.errors.text import (
    cells,
    contrasted,
    distinct,
    harmless,
    padded,
    safe,
    shortened,
    wrapped,
)
from tests.optional import optional


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat", "cat"),
        ("", "''"),
        (" cat", "' cat'"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\tand\r", "two\\nlines\\tand\\r"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202etfel", "\\u202etfel"),
        ("\u2028", "\\u2028"),
        ("\ufeffbom", "\\ufeffbom"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("日本", "日本"),
        ("é", "é"),
    ],
)
def test_foreign_text_is_made_harmless(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_ascii_escapes_the_rest() -> None:
    assert safe("naïve 日", is_ascii=True) == "na\\xefve \\u65e5"


@given(st.text())
def test_no_control_or_format_character_survives(text: str) -> None:
    for char in harmless(text):
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert char in "\u200c\u200d" or unicodedata.category(char) != "Cf"
    assert harmless(text, is_ascii=True).isascii()


@pytest.mark.parametrize(
    ("text", "width"), [("cat", 3), ("日本", 4), ("e\u0301", 1), ("a\u200db", 2), ("", 0)]
)
def test_cells_of_a_text(text: str, width: int) -> None:
    assert cells(text) == width


def test_cells_agree_with_the_terminal_library() -> None:
    rich_cells = optional("rich.cells")
    for text in ("plain", "naïve", "日本語", "한국어", "Ω≤·…─→–×", "ﬃ"):
        assert cells(text) == rich_cells.cell_len(text)


@given(st.text(), st.integers(0, 30))
def test_shortened_text_fits(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert cells(short) <= max(limit, 1)
    assert short == text or "…" in short


def test_the_middle_is_left_out() -> None:
    assert shortened("Saccharomyces cerevisiae", 11) == "Sacch…isiae"
    assert shortened("abcdef", 2) == "a…"
    assert shortened("abcdef", 1) == "…"
    assert shortened("日本語の名前", 7) == "日本…前"


@given(st.lists(st.text("ab", min_size=0, max_size=12), unique=True), st.integers(6, 12))
def test_shortened_names_stay_apart(names: list[str], limit: int) -> None:
    short = distinct(names, limit)
    assert len(set(short)) == len(names)
    assert all(cells(name) <= limit for name in short)


def test_names_with_the_same_ends_show_what_differs() -> None:
    names = ["abcdeXfghij", "abcdeYfghij", "abcdeZfghij"]
    assert distinct(names, 7) == ["ab…X…ij", "ab…Y…ij", "ab…Z…ij"]
    assert distinct(["same", "same"], 8) == ["same", "same"]
    # Words that differ are whole.
    species = [f"species_{i:02}_longname_of_it" for i in range(12)]
    assert distinct(species, 16)[7] == "specie…07…_of_it"
    # One name has one text, however often it stands in a list.
    assert distinct([*names, *names[::-1]], 7) == [*distinct(names, 7), *distinct(names, 7)[::-1]]


def test_names_that_differ_too_much_to_be_shown_are_numbered() -> None:
    names = ["abcdeXfghij", "abcdeYfghij"]
    assert distinct(names, 4) == ["ab…j", "a…~2"]
    # The text of one name is not another name.
    assert distinct(["ab…ij", "abcdefghij"], 5) == ["ab…ij", "a…j~2"]


@pytest.mark.parametrize(
    ("names", "limit", "shown"),
    [
        (["digits_rf", "digits_logreg"], 13, ["digits_rf", "digits_logreg"]),
        (["digits_rf", "digits_logreg"], 8, ["…rf", "…logreg"]),
        (["run-1.preds.csv", "run-12.preds.csv"], 8, ["…1…", "…12…"]),
        (["model_a_v1", "model_b_v1", "model_b_v2"], 8, ["…a_v1", "…b_v1", "…b_v2"]),
        (["random_forest", "boosting"], 8, ["rand…est", "boosting"]),
        (["same words", "same words too"], 8, ["…words", "…wor…too"]),
        # What separates the words is all that tells these apart.
        (["model_x_preds", "model_x-preds"], 8, ["…x_preds", "…x-preds"]),
        (["a_rather_long_name"], 8, ["a_ra…ame"]),
        ([], 8, []),
    ],
)
def test_words_that_all_names_share_are_left_out(
    names: list[str], limit: int, shown: list[str]
) -> None:
    assert contrasted(names, limit) == shown


NAMES_ALIKE = st.lists(st.text("ab_- é日", max_size=14), max_size=8)


@given(NAMES_ALIKE, st.integers(8, 12))
def test_contrasted_names_stay_apart(names: list[str], limit: int) -> None:
    short = contrasted(names, limit)
    assert len(set(short)) == len(set(names))
    assert len(short) == len(names)
    assert all(cells(text) <= limit for text in short)


def test_padding_counts_cells() -> None:
    assert padded("日", 4) == "日  "
    assert padded("日", 4, "right") == "  日"
    assert padded("long", 2) == "long"


@given(st.text("ab c日"), st.integers(8, 30), st.integers(0, 3), st.integers(0, 3))
def test_wrapped_text_fits_and_loses_nothing(text: str, width: int, indent: int, hang: int) -> None:
    lines = wrapped(text, width, indent=indent, hang=hang)
    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert lines[0].startswith(" " * indent)
    assert all(line.startswith(" " * (indent + hang)) for line in lines[1:])


@pytest.mark.parametrize(
    ("names", "limit", "short"),
    [
        (["[0.1234, 313.92]", "(313.92, 2.75e+08]"], 12, ["[0.12, 310]", "(310, 2.8e8]"]),
        (
            ["[0.1234, 313.92]", "(313.92, 2.75e+08]"],
            40,
            ["[0.1234, 313.92]", "(313.92, 2.75e+08]"],
        ),
        (["[1.5, 2.25]", "(2.25, 2.26]", "x"], 9, ["[1.5….25]", "(2.2….26]", "x"]),
        (["sex=f, age=(0.123456, 5.5]"], 22, ["sex=f, age=(0.12, 5.5]"]),
        (["a name of a class that is long"], 12, ["a name… long"]),
    ],
)
def test_ranges_are_rounded_where_that_is_enough(
    names: list[str], limit: int, short: list[str]
) -> None:
    assert distinct(names, limit) == short


def test_slices_of_numbers_are_not_cut_within_a_number() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 500)
    pred = np.where(rng.random(500) < 0.8, true, 1 - true)
    by = {"amount": rng.lognormal(0, 2, 500)}
    text = str(karat.evaluate(true, pred, by=by, metrics="accuracy"))
    table, _, legend = text.partition("Slices by amount")[2].partition("Names")
    names = re.findall(r"^  ([\[(][^\])]*\])", table, re.MULTILINE)
    assert len(names) == 5
    assert all(re.fullmatch(r"[\[(][0-9.e]+, [0-9.e]+\]", name) for name in names)
    assert "…" not in text
    # The whole names stand below.
    assert all(f"{name} = " in legend for name in names)

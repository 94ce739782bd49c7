"""What a report looks like, exactly: at 80 columns, and where space is short.

KARAT_UPDATE_GOLDEN=1 writes the files anew; look at them before you commit.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from karat.api.results import ClassReport
from karat.errors.text import cells
from karat.metrics import get
from karat.output.layout import report_as_text
from karat.output.terminal import print_report
from karat.tally import Cells, Classes
from tests.optional import optional
from tests.output.reports import REPORTS

optional("rich")

GOLDEN = Path(__file__).with_name("golden")
CASES = [
    ("two", 80, ""),
    ("ten", 80, ""),
    ("hundred", 80, ""),
    ("two", 40, ""),
    ("ten", 40, ""),
    ("hundred", 40, ""),
    ("thirty", 200, ""),
    ("long", 80, ""),
    ("long", 40, ""),
    ("hostile", 80, ""),
    ("hostile", 80, "ascii"),
    ("weighted", 80, ""),
    ("undefined", 80, ""),
    ("one_class", 80, ""),
    ("huge", 80, ""),
    ("huge", 40, ""),
    ("two", 80, "all"),
    ("ten", 80, "all"),
    ("two_prob", 80, ""),
    ("two_prob", 40, ""),
    ("two_prob", 80, "ascii"),
    ("ten_prob", 80, ""),
    ("ten_prob", 120, ""),
    ("ten_prob", 80, "all"),
    ("hundred_prob", 80, ""),
    ("absent_prob", 80, ""),
    ("logits", 80, ""),
    ("never_cheap", 80, ""),
    ("bucketed", 80, ""),
    ("bucketed", 40, ""),
    ("bucketed", 80, "ascii"),
    ("three_bucketed", 80, ""),
]
EVERY = """
accuracy kappa correct_count precision macro_precision micro_precision recall macro_recall f1
macro_f1 macro_f_beta(beta=2) diagnostic_odds_ratio macro_diagnostic_odds_ratio true_positives
"""
EVERY_OF_SCORES = """
log_loss brier top_k_accuracy roc_auc_ovo_macro roc_auc_ovr_macro roc_auc_ovr_weighted
mean_average_precision weighted_average_precision expected_calibration_error
"""
CATALOGUE = re.compile(r"\d+(?= more metrics:| metrics? not listed here:)")
"""Counts that change when a metric is added; nothing else in a report does."""


def compared(name: str, text: str) -> None:
    text = CATALOGUE.sub("N", text)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("KARAT_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "width", "mode"), CASES)
def test_plain_text_is_as_it_was(name: str, width: int, mode: str) -> None:
    report = REPORTS[name]()
    if mode == "all":
        wanted = [
            get(text) for text in (EVERY + EVERY_OF_SCORES * (report.scores is not None)).split()
        ]
        fitting = [
            m for m in wanted if report.is_binary or m.lift != "plain" or not m.record.is_per_class
        ]
        report = replace(report, requested=tuple(fitting))
    text = report_as_text(
        report, width, is_ascii=mode == "ascii", metrics="all" if mode == "all" else "headline"
    )
    compared("_".join(filter(None, ["plain", name, str(width), mode])), text + "\n")


@pytest.mark.parametrize("name", ["two", "ten", "hundred"])
def test_the_terminal_without_colour_is_as_it_was(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    print_report(REPORTS[name](), stream, width=80)
    compared(f"terminal_{name}_80", stream.getvalue())


@pytest.mark.parametrize("width", [10, 30, 40, 57, 80, 120, 200])
@pytest.mark.parametrize("name", REPORTS)
def test_no_line_is_wider_than_the_page(name: str, width: int) -> None:
    report = REPORTS[name]()
    text = report_as_text(report, width)
    # A table is never narrower than its first column and its last.
    limit = max(width, 42)
    for line in text.splitlines():
        assert cells(line) <= limit, line
        assert line == line.rstrip()
    assert report_as_text(report, width) == text


@pytest.mark.parametrize("name", REPORTS)
def test_ascii_is_ascii_and_no_control_character_survives(name: str) -> None:
    report = REPORTS[name]()
    plain = report_as_text(report, is_ascii=True)
    assert plain.isascii()
    for text in (plain, report_as_text(report), str(report)):
        assert all(char.isprintable() or char == "\n" for char in text)


def test_many_undefined_classes_are_counted() -> None:
    tally = Cells.dense(np.diag([0] * 20 + [5] * 20), classes=Classes.of(range(40)))
    report = ClassReport(tally, undefined="nan")
    assert "30 classes not listed: f1 1.0000 to 1.0000, median 1.0000, 10 undefined" in str(report)
    nothing = ClassReport(Cells.empty(Classes.of(range(40))), undefined="nan")
    assert "30 classes not listed: f1 30 undefined" in str(nothing)


def test_print_shows_the_text_of_80_columns() -> None:
    report = REPORTS["ten"]()
    assert str(report) == report.text() == report.text(80) == report_as_text(report)

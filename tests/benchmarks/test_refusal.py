"""A benchmark whose answers differ prints no number; one that agrees prints the right ones."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.case import KARAT, PEER, Case, Goal, Row, run
from benchmarks.memory import Peak, is_bounded
from benchmarks.page import Page
from benchmarks.render import as_json, markdown, markdown_peaks, markdown_row
from benchmarks.timing import Time, alternate

HONEST = np.array([[8, 1], [2, 9]])
SABOTAGES = {
    "one row lost": HONEST - np.array([[1, 0], [0, 0]]),
    "transposed": HONEST.T,
    "a class lost": HONEST[:1, :1],
    "not a number": np.full((2, 2), np.nan),
}


def case_with(answer: object) -> Case:
    """A case whose karat is instant and gives that answer."""
    return Case(
        "sabotage", lambda: {KARAT: lambda: answer, PEER: lambda: HONEST}, Goal(2), rounds=2
    )


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_wrong_answer_gets_no_time_and_no_ratio(name: str) -> None:
    row = run(case_with(SABOTAGES[name]))
    assert row.disagreement is not None
    assert row.times == {}
    assert row.ratio is None
    assert not row.is_met
    line = markdown_row(row)
    assert "no figure: karat" in line
    assert "x |" not in line
    assert json.loads(as_json(Page({}, [row])))["cases"][0]["ratio"] is None


def test_the_honest_case_is_timed() -> None:
    row = run(case_with(HONEST.copy()))
    assert row.disagreement is None
    assert row.ratio is not None
    assert row.ratio > 0
    assert {time.n_samples > 1 for time in row.times.values()} == {True}


def test_a_difference_within_rounding_is_an_agreement_only_where_the_case_says_so() -> None:
    case = case_with(HONEST * (1 + 1e-13))
    assert run(case).disagreement is not None
    assert run(replace(case, within=1e-12)).disagreement is None


def test_the_ratio_is_of_cpu_time() -> None:
    row = Row("x", Goal(70, 100), {KARAT: Time(2e6, 9e6, 5), PEER: Time(1.5e8, 1.6e8, 5)})
    assert row.ratio == 75
    assert row.is_met
    assert "| 75x | 70x | 100x |" in markdown_row(row)
    assert not replace(row, goal=Goal(76)).is_met
    assert not replace(row, goal=Goal(70, most_us=1999)).is_met
    assert "**below floor**" in markdown_row(replace(row, goal=Goal(76)))


def test_time_is_measured_per_call() -> None:
    times = alternate({"sleep": lambda: time.sleep(0.004), "nothing": lambda: None}, rounds=2)
    assert times["sleep"].wall_ns >= 4e6
    assert times["sleep"].cpu_ns < 4e6
    assert times["nothing"].wall_ns < 1e5


def test_memory_that_grows_with_the_rows_is_not_bounded() -> None:
    small = Peak(10, 1, 100 << 20, 1.0, 1.0)
    assert is_bounded(small, replace(small, n_rows=100, peak_bytes=120 << 20))
    assert not is_bounded(small, replace(small, n_rows=100, peak_bytes=900 << 20))
    wrong = replace(small, disagreement="different cells")
    assert not is_bounded(small, wrong)
    assert "MB" not in markdown_peaks([wrong])[-1]


def test_the_page_names_the_machine_facts() -> None:
    page = markdown(Page({"numpy": "2.4.6"}, [run(case_with(HONEST.copy()))]))
    assert "- numpy: 2.4.6" in page
    assert "| sabotage |" in page

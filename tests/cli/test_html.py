"""`karat report` and `karat compare` write pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Karat
from tests.optional import optional
from tests.output.pages import data_of, faults, parsed
from tests.sources.writing import write_csv

optional("jinja2")
optional("matplotlib")


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Karat:
    monkeypatch.chdir(tmp_path)
    label = ["no", "yes", "yes", "no", "yes", "no"] * 5
    write_csv(
        Path("a.csv"),
        {"label": label, "pred": ["no", "yes", "no", "no", "yes", "yes"] * 5,
         "prob": [0.1, 0.9, 0.4, 0.2, 0.8, 0.7] * 5},
    )  # fmt: skip
    write_csv(
        Path("b.csv"),
        {"label": label, "pred": ["no", "yes", "yes", "no", "yes", "yes"] * 5,
         "prob": [0.2, 0.8, 0.6, 0.1, 0.9, 0.6] * 5},
    )  # fmt: skip
    return Karat(capsys)


def test_a_report_is_written_as_a_page_with_its_curves(karat: Karat) -> None:
    ran = karat("report", "a.csv", "--positive", "yes", "-o", "report.html")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.endswith("Wrote report.html.\n")
    text = Path("report.html").read_text(encoding="utf-8")
    assert faults(text) == []
    assert data_of(text)["decisions"]["classes"][0]["name"] == "yes"
    assert {one.attributes["id"] for one in parsed(text).all("figure")} >= {"roc", "scores"}


def test_a_page_is_printed_where_it_is_asked_for(karat: Karat) -> None:
    ran = karat("report", "a.csv", "--format", "html", "--prob", "")
    assert ran.code == 0
    assert ran.out.startswith("<!doctype html>")
    assert not parsed(ran.out).all("figure")


def test_a_comparison_is_written_as_a_page(karat: Karat) -> None:
    ran = karat("compare", "a.csv", "b.csv", "--positive", "yes", "-o", "compare.html")
    assert (ran.code, ran.out) == (0, "")
    text = Path("compare.html").read_text(encoding="utf-8")
    assert faults(text) == []
    assert "b against a" in parsed(text).all("h3")[0].text
    printed = karat("compare", "a.csv", "b.csv", "--positive", "yes", "--format", "html")
    assert printed.out.strip() == text.strip()


def test_a_page_has_the_title_that_is_asked_for(karat: Karat) -> None:
    yes = ("--positive", "yes")
    for command in (("report", "a.csv"), ("compare", "a.csv", "b.csv")):
        ran = karat(*command, *yes, "-o", "page.html", "--title", "Churn <May>")
        assert ran.code == 0
        text = Path("page.html").read_text(encoding="utf-8")
        assert faults(text) == []
        assert parsed(text).all("h1")[0].text == "Churn <May>"
        assert parsed(text).all("title")[0].text.startswith("Churn <May> · karat")
    ran = karat("report", "a.csv", *yes, "--title", "Churn")
    assert (ran.code, "Only an HTML page has a title" in ran.err) == (2, True)
    ran = karat("report", "a.csv", *yes, "-o", "page.html", "--title", " ")
    assert (ran.code, "K122" in ran.err) == (2, True)

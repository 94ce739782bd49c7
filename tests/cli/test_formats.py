"""`-o FILE` and `--format`: what each writes is what the method of the result gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.api.report import Report
from karat.cli.outputs import FORMATS
from karat.errors.options import on_the_command_line
from tests.cli.running import Karat, in_process
from tests.sources.writing import TEN, write_csv

TWO_FILES = ("old.csv", "new.csv")
TRUE = ["ant", "bee", "cat", "ant", "bee", "cat"] * 10
OLD = ["ant", "bee", "bee", "ant", "cat", "cat"] * 10
NEW = ["ant", "bee", "cat", "ant", "cat", "cat"] * 10


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Karat]:
    monkeypatch.chdir(tmp_path)
    write_csv(Path("ten.csv"), TEN)
    write_csv(Path("old.csv"), {"label": TRUE, "pred": OLD})
    write_csv(Path("new.csv"), {"label": TRUE, "pred": NEW})
    return Karat(capsys)


@pytest.fixture
def report(karat: Karat) -> Report:
    return Report.from_json(karat("report", "ten.csv", "--format", "json").out)


def test_the_ending_says_how_a_report_is_written(karat: Karat, report: Report) -> None:
    # A command names columns by its own options.
    with on_the_command_line():
        texts = {
            "out.md": report.to_markdown(),
            "out.markdown": report.to_markdown(),
            "out.tex": report.to_latex(),
            "OUT.CSV": report.to_csv(),
            "out.json": report.to_json(),
            "out.txt": str(report),
        }
    assert "true=label, pred=pred" in texts["out.md"]
    assert "y_true=label, y_pred=pred" in report.to_markdown()
    for name, text in texts.items():
        ran = karat("report", "ten.csv", "-o", name)
        assert (ran.code, ran.out) == (0, "")
        assert ran.err.endswith(f"Wrote {name}.\n")
        assert Path(name).read_text(encoding="utf-8") == text + "\n"


def test_the_option_says_how_a_report_is_printed(karat: Karat, report: Report) -> None:
    with on_the_command_line():
        texts = {x: getattr(report, f"to_{x}")() for x in ("markdown", "latex", "csv")}
    for name, text in texts.items():
        ran = karat("report", "ten.csv", "--format", name)
        assert (ran.code, ran.out) == (0, text + "\n")
    assert karat("report", "ten.csv", "-o", "out.dat", "--format", "csv").code == 0
    assert Path("out.dat").read_text(encoding="utf-8") == report.to_csv() + "\n"


def test_every_metric_is_listed_when_all_are_asked_for(karat: Karat, report: Report) -> None:
    with on_the_command_line():
        texts = {x: getattr(report, f"to_{x}")(metrics="all") for x in ("markdown", "latex")}
    for name, text in texts.items():
        ran = karat("report", "ten.csv", "--metrics", "all", "--format", name)
        assert ran.out == text + "\n"
        assert ran.out != karat("report", "ten.csv", "--format", name).out


@pytest.mark.parametrize("name", FORMATS)
def test_a_comparison_is_written_in_every_format(name: str, karat: Karat) -> None:
    asked = ("compare", *TWO_FILES, "--metrics", "accuracy,macro_f1")
    assert karat(*asked, "-o", f"out{FORMATS[name][0]}").code == 0
    text = Path(f"out{FORMATS[name][0]}").read_text(encoding="utf-8")
    opens = {
        "json": "{",
        "markdown": "## karat compare",
        "latex": "% In the",
        "csv": "metric,a,b",
        "html": "<!doctype html>",
    }
    assert text.startswith(opens.get(name, "karat compare"))
    if name != "text":  # on a screen it has another width
        assert karat(*asked, "--format", name).out == text


def test_an_ending_that_says_nothing_is_told_before_the_files_are_read(karat: Karat) -> None:
    for asked in (("report", "none.csv"), ("compare", "none.csv", "nil.csv")):
        ran = karat(*asked, "-o", "out.pdf")
        assert ran.code == 2
        told = " ".join(ran.err.split())
        assert "'.pdf' is not the extension of a format; use .txt, .json, .md, .tex" in told
        assert "or give --format." in told
        assert karat(*asked, "-o", "out.pdf", "--format", "latex").err.count("K401") == 1


@pytest.mark.parametrize("command", [("report", "ten.csv"), ("compare", *TWO_FILES)])
def test_junit_is_the_business_of_the_gate(command: tuple[str, ...], karat: Karat) -> None:
    ran = karat(*command, "-o", "out.junit.xml")
    assert ran.code == 2
    assert "karat gate --junit FILE writes it" in " ".join(ran.err.split())
    assert not Path("out.junit.xml").exists()


@pytest.mark.parametrize("command", [("report", "ten.csv"), ("compare", *TWO_FILES)])
def test_a_dash_is_no_file_to_write(command: tuple[str, ...], karat: Karat) -> None:
    done = karat(*command, "-o", "-", "--format", "json")
    assert done.code == 2
    assert "for standard output leave it out" in " ".join(done.err.split())
    assert not Path("-").exists()


def test_names_and_endings_are_of_one_format_each() -> None:
    endings = [ending for each in FORMATS.values() for ending in each]
    assert len(set(endings)) == len(endings)
    assert all(ending == ending.lower() and ending.startswith(".") for ending in endings)


def test_a_pipe_that_knows_ascii_alone_is_no_error(karat: Karat) -> None:
    write_csv(Path("odd.csv"), {"label": ["ä", "b→"], "pred": ["b→", "ä"]})
    for name in ("markdown", "latex", "csv"):
        ran = in_process("report", "odd.csv", "--format", name,
                         environment={"PYTHONIOENCODING": "ascii"})  # fmt: skip
        assert "Traceback" not in ran.err
        assert (ran.code, bool(ran.out)) == (0, True), ran.err

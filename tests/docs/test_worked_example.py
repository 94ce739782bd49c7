"""The worked example of CONTRIBUTING.md is one file, and everything it promises follows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.tracked import ROOT
from tests.docs.blocks import blocks_of

NAME = "gilbert_skill"
GOLDEN = (28 - 5100 / 2803) / (123 - 5100 / 2803)
FINLEY = [[2680, 72], [23, 28]]


@dataclass(frozen=True)
class Example:
    """A folder that holds one more family of metrics, and a way to run karat with it."""

    folder: Path

    def run(self, program: str) -> str:
        """What a program prints when the folder is part of the catalogue."""
        done = self.start([sys.executable, "-c", f"import more_metrics\n{program}"])
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run_laws(self) -> subprocess.CompletedProcess[str]:
        """The law tests of the example's metric."""
        options = ["-p", "more_metrics", "-p", "no:cacheprovider", "-q", "-k", NAME]
        return self.start([sys.executable, "-m", "pytest", *options, "tests/laws"])

    def start(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(self.folder), "COLUMNS": "80", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )


def example_with(text: str, folder: Path) -> Example:
    """Write the file of the example, and a module that puts its folder into the catalogue.

    A module in the package's own folder would be found the same way;
    a test that runs beside others may not write there.
    """
    (folder / "families").mkdir()
    (folder / "families" / "forecasts.py").write_text(text, encoding="utf-8")
    (folder / "more_metrics.py").write_text(
        f"import karat.metrics\nkarat.metrics.__path__.append({str(folder / 'families')!r})\n",
        encoding="utf-8",
    )
    return Example(folder)


@pytest.fixture(scope="module")
def text() -> str:
    """The file that CONTRIBUTING.md shows."""
    return shown_files()[0]


def shown_files() -> list[str]:
    """The files of CONTRIBUTING.md: a metric of labels, a metric of scores."""
    blocks = [item for item in blocks_of(ROOT / "CONTRIBUTING.md") if item.title]
    for block in blocks:
        assert block.title is not None
        assert block.title.startswith("src/karat/metrics/")
    return [block.text for block in blocks]


@pytest.fixture(scope="module")
def example(text: str, tmp_path_factory: pytest.TempPathFactory) -> Example:
    """Everything karat is, and the example."""
    return example_with(text, tmp_path_factory.mktemp("example"))


def test_the_guide_opens_with_it() -> None:
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("## ")]
    assert headings[:2] == ["## The inner loop", "## Add a metric in one file"]


def test_the_file_is_written_in_the_style_of_the_project(example: Example) -> None:
    ruff = str(Path(sys.executable).parent / "ruff")
    path = str(example.folder / "families" / "forecasts.py")
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for command in (["check", *config, path], ["format", "--check", *config, path]):
        done = example.start([ruff, *command])
        assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_a_function_with_averages_and_aliases(example: Example) -> None:
    program = f"""
import karat, json
y_true, y_pred = [0, 1, 2, 2, 1, 0, 2], [0, 1, 2, 1, 1, 2, 2]
print(json.dumps([
    karat.{NAME}(confusion={FINLEY}),
    karat.ets(confusion={FINLEY}),
    karat.{NAME}(y_true, y_pred, average="macro"),
    karat.{NAME}(y_true, y_pred, average=None).mean(),
    karat.evaluate(y_true, y_pred)["macro_{NAME}"].value,
    ["{NAME}" in dir(karat), "macro_{NAME}" in dir(karat), hasattr(karat, "macro_{NAME}")],
]))"""
    plain, by_alias, macro, mean, reported, is_listed = json.loads(example.run(program))
    assert plain == by_alias == pytest.approx(GOLDEN, rel=1e-12)
    assert macro == reported == pytest.approx(mean, rel=1e-12)
    assert is_listed == [True, False, True], "names of averages are found, and not listed"


def test_it_is_in_the_catalogue_with_its_formula(example: Example) -> None:
    program = """
import karat
metric = karat.metrics.get("ets")
print(metric.name, str(karat.metrics.parse(str(metric))) == str(metric), "frac" in metric.latex)
print([found.name for found in karat.metrics.search("beyond those of chance")])
print(metric.undefined_when)"""
    lines = example.run(program).splitlines()
    assert lines[0] == f"{NAME} True True"
    assert NAME in lines[1]
    assert lines[2].startswith(
        "the class is in no row at all, or true and predicted in every row ("
    )


def test_it_is_in_every_report(example: Example) -> None:
    program = f"""
import karat
report = karat.evaluate(confusion={FINLEY})
print(report.to_json())"""
    metrics = json.loads(example.run(program))["metrics"]
    assert metrics[NAME]["value"] == pytest.approx(GOLDEN, rel=1e-12)
    assert f"macro_{NAME}" in metrics


def test_it_is_on_the_command_line(example: Example) -> None:
    program = f"""
import sys
from karat.cli import main
sys.argv = ["karat", "metrics", "{NAME}"]
main()"""
    printed = example.run(program)
    assert NAME in printed
    assert "Share of hits beyond those of chance" in " ".join(printed.split())


def test_it_is_in_the_type_stub(example: Example) -> None:
    stub = example.run("from karat.metrics._stub import functions_text\nprint(functions_text())")
    assert f"\n@overload\ndef {NAME}(\n" in stub
    assert f"\ndef macro_{NAME}(\n" in stub
    assert "Share of hits beyond those of chance" in stub


def test_it_is_on_the_reference_page(example: Example) -> None:
    program = "import runpy\nprint(runpy.run_path('docs/build.py')['page']())"
    page = example.run(program)
    assert f"### `{NAME}`" in page
    assert f"`weighted_{NAME}`" in page


def test_it_meets_every_law_and_its_mutants_die(example: Example) -> None:
    done = example.run_laws()
    assert done.returncode == 0, done.stdout
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 5


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("c.fn - by_chance)", "c.fn)"),
        ("/ c.n", "/ (c.n + 1)"),
        ("perfect=1.0", "perfect=0.5"),
        ("range=(-1 / 3, 1)", "range=(0.5, 1)"),
    ],
)
def test_a_wrong_example_fails_its_laws(text: str, right: str, wrong: str, tmp_path: Path) -> None:
    assert right in text
    done = example_with(text.replace(right, wrong), tmp_path).run_laws()
    assert done.returncode == 1, done.stdout
    assert "failed" in done.stdout


def test_the_metric_of_scores_works_as_it_stands(tmp_path: Path) -> None:
    _, text = shown_files()
    example = example_with(text, tmp_path)
    path = str(tmp_path / "families" / "forecasts.py")
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    ruff = str(Path(sys.executable).parent / "ruff")
    for command in (["check", *config, path], ["format", "--check", *config, path]):
        done = example.start([ruff, *command])
        assert done.returncode == 0, done.stdout + done.stderr
    program = """
import karat
from karat.testing import SCORE_LAWS
record = karat.metrics.get("recall_without_false_positives").record
for law in SCORE_LAWS:
    law(record)
y, p = [0, 1, 2, 1], [[.8, .1, .1], [.1, .7, .2], [.2, .3, .5], [.4, .35, .25]]
report = karat.evaluate(y, y_prob=p)
print(report["macro_recall_without_false_positives"].value)
print(karat.recall_without_false_positives(y, y_prob=p, average=None).tolist())
"""
    macro, each = example.run(program).splitlines()
    assert (float(macro), each) == (1.0, "[1.0, 1.0, 1.0]")

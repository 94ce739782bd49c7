"""The tasks of the cookbook run: their Python, their files and the lines of their workflows."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.architecture.tracked import ROOT
from tests.docs.blocks import blocks_of, run_python
from tests.notebooks import outputs
from tests.optional import optional

yaml = optional("yaml")
optional("duckdb")
optional("pandas")

COOKBOOK = ROOT / "docs" / "cookbook"
PAGES = sorted(page for page in COOKBOOK.glob("*.md") if page.name != "index.md")
PREDICTIONS = ROOT / "examples" / "predictions"
# As in mlflow.utils.validation of MLflow 3.
KEY = re.compile(r"^[/\w.\- :]{1,250}$")


def labels_of(model: str, folder: Path) -> None:
    """Write `predictions.parquet` of three classes without scores, of which pages are quick."""
    import duckdb

    rows = PREDICTIONS / f"iris_{model}.parquet"
    path = folder / "predictions.parquet"
    duckdb.sql(f"COPY (SELECT id, label, pred FROM '{rows}') TO '{path}'")


def file_of(page: str, name: str) -> str:
    """The text of a file that a page shows."""
    (found,) = [block.text for block in blocks_of(COOKBOOK / page) if block.title == name]
    return found


def test_the_tasks_stand_in_the_index_and_are_short() -> None:
    index = (COOKBOOK / "index.md").read_text(encoding="utf-8")
    assert len(PAGES) >= 10
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert f"]({page.name})" in index
        assert "\n## Decision\n" in text or page.name in ("ci-gate.md", "notebook.md")
        assert 60 <= text.count("\n") <= 150, page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_of_a_task_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    run_python(page)


def steps_of_github() -> Iterator[str]:
    workflow = yaml.safe_load(file_of("ci-gate.md", ".github/workflows/quality.yml"))
    # YAML 1.1 reads the key `on` as true.
    assert workflow[True] == "pull_request"
    (job,) = workflow["jobs"].values()
    assert job["runs-on"]
    for step in job["steps"]:
        assert len({"uses", "run"} & set(step)) == 1
        if "run" in step:
            yield step["run"]


def lines_of_gitlab() -> Iterator[str]:
    (job,) = yaml.safe_load(file_of("ci-gate.md", ".gitlab-ci.yml")).values()
    assert job["allow_failure"] == {"exit_codes": 3}
    assert job["artifacts"]["reports"] == {"junit": "gate.xml"}
    yield from job["script"]


def gate_of(lines: Iterator[str]) -> tuple[list[str], list[str]]:
    """The words of the gate and of the report among the lines of a workflow."""
    ours = [shlex.split(line) for line in lines if line.startswith("karat ")]
    gate, report = sorted(ours, key=lambda words: words[1])
    assert gate[1] == "gate"
    assert report[1:5] == ["report", "predictions.parquet", "-o", "report.html"]
    return gate[1:], report[1:]


@pytest.mark.parametrize("lines", [steps_of_github, lines_of_gitlab], ids=["GitHub", "GitLab"])
def test_the_gate_of_a_workflow_stops_a_worse_model(
    lines: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from karat.cli import main

    gate, _ = gate_of(lines())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    predictions = tmp_path / "predictions.parquet"
    (baseline,) = [
        block.text for block in blocks_of(COOKBOOK / "ci-gate.md")
        if block.language == "sh" and "--with-rows" in block.text and "--max-drop" not in block.text
    ]  # fmt: skip
    shutil.copyfile(PREDICTIONS / "digits_logreg.parquet", predictions)
    assert main(shlex.split(baseline)[1:]) == 0
    for model, code in {"rf": 0, "nb": 1}.items():
        shutil.copyfile(PREDICTIONS / f"digits_{model}.parquet", predictions)
        assert main(gate) == code
        suite = ET.parse(tmp_path / "gate.xml").getroot()
        assert len(suite.findall(".//failure")) == (2 if code else 0)
        assert ("::error" in capsys.readouterr().err) == bool(code)
    assert "drop of accuracy" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_the_report_and_the_next_baseline_of_a_workflow_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.cli import main

    _, report = gate_of(steps_of_github())
    assert gate_of(lines_of_gitlab())[1] == report
    (after_a_merge,) = [
        shlex.split(block.text.replace("\\\n", " "))[1:]
        for block in blocks_of(COOKBOOK / "ci-gate.md")
        if block.language == "sh" and "--max-drop" in block.text
    ]  # fmt: skip
    monkeypatch.chdir(tmp_path)
    labels_of("nb", tmp_path)
    assert main(report) == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    # Six of the 150 rows are wrong.
    assert len((tmp_path / "errors.csv").read_text(encoding="utf-8").splitlines()) == 7
    first = ["gate", "predictions.parquet", "--update-baseline", "baseline.json", "--with-rows"]
    assert main(first) == 0
    before = (tmp_path / "baseline.json").read_bytes()
    assert main(after_a_merge) == 0
    labels_of("rf", tmp_path)
    assert main(after_a_merge) == 3
    assert (tmp_path / "baseline.json").read_bytes() == before


def names_in(entry: Any) -> list[str]:
    """The paths of an entry of `dvc.yaml`: text, or a map from a path to its options."""
    return [path for item in entry for path in ([item] if isinstance(item, str) else item)]


def test_the_files_of_dvc_are_what_its_yaml_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = yaml.safe_load(file_of("dvc.md", "dvc.yaml"))
    (stage,) = config["stages"].values()
    assert stage["cmd"].split() == ["python", "evaluate.py"]
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(PREDICTIONS / "breast_cancer_rf.csv", tmp_path / "predictions.csv")
    program = file_of("dvc.md", "evaluate.py")
    exec(compile(program, "evaluate.py", "exec"), {"__name__": "__main__"})  # noqa: S102 (our page)
    (tmp_path / "evaluate.py").write_text(program, encoding="utf-8")
    made = {*names_in(stage["metrics"]), *names_in(stage["outs"])}
    assert {path.name for path in tmp_path.iterdir()} == made | set(stage["deps"])
    metrics = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert all(type(value) is float and math.isfinite(value) for value in metrics.values())
    assert {"accuracy", "accuracy_low", "accuracy_high"} <= set(metrics)
    for path, options in (pair for plot in config["plots"] for pair in plot.items()):
        heading = (tmp_path / path).read_text(encoding="utf-8").splitlines()[0].split(",")
        assert {options["x"], options["y"]} <= set(heading), path
        assert path in made | set(stage["deps"])


@contextmanager
def stand_in_for_mlflow(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A module `mlflow` that keeps what is logged, by the rules that MLflow documents."""
    logged: dict[str, Any] = {}

    @contextmanager
    def start_run(run_name: str) -> Iterator[None]:
        logged["run"] = run_name
        yield

    def log_metrics(metrics: dict[str, float], step: int | None = None) -> None:
        for key, value in metrics.items():
            assert "run" in logged
            assert KEY.match(key), key
            assert type(value) is float
            assert math.isfinite(value)
        logged["metrics"] = metrics

    def log_text(text: str, artifact_file: str) -> None:
        assert isinstance(text, str)
        assert ".." not in artifact_file
        assert not artifact_file.startswith("/")
        logged[artifact_file] = text

    def set_tag(key: str, value: object) -> None:
        assert KEY.match(key), key
        logged[key] = value

    module = types.ModuleType("mlflow")
    for function in (start_run, log_metrics, log_text, set_tag):
        setattr(module, function.__name__, function)
    monkeypatch.setitem(sys.modules, "mlflow", module)
    yield logged


def test_the_run_of_mlflow_has_metrics_and_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels_of("rf", tmp_path)
    monkeypatch.chdir(tmp_path)
    with stand_in_for_mlflow(monkeypatch) as logged:
        program = file_of("mlflow.md", "log_run.py")
        exec(compile(program, "log_run.py", "exec"), {"__name__": "__main__"})  # noqa: S102
    assert logged["metrics"]["test/accuracy"] == pytest.approx(0.94)
    assert logged["karat/report.html"].startswith("<!doctype html>")
    assert json.loads(logged["karat/report.json"])["schema"] == "karat.report/2"
    assert logged["karat.n_rows"] == 150


def test_the_stand_in_refuses_what_mlflow_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    with stand_in_for_mlflow(monkeypatch):
        import mlflow

        with mlflow.start_run("x"), pytest.raises(AssertionError):
            mlflow.log_metrics({"f1": float("nan")})
        with pytest.raises(AssertionError):
            mlflow.log_metrics({"f1*": 1.0})


def test_the_cells_of_the_notebook_show_what_the_page_states() -> None:
    for package in ("ipykernel", "ipywidgets", "nbclient", "matplotlib"):
        optional(package)
    cells = [block.text for block in blocks_of(COOKBOOK / "notebook.md") if block.language == "py"]
    shown = outputs(cells, ROOT)
    found = {
        cell.strip().splitlines()[-1]: [key for one in of_cell for key in one.get("data", {})]
        for cell, of_cell in zip(cells, shown, strict=True)
    }
    assert len(found) == len(cells)
    for cell in ("forest", "forest.confusion", "forest.thresholds", "compared", "curve"):
        assert "text/html" in found[cell], cell
    assert "image/png" in found['karat.plot.reliability(models["logreg"], band=True, ax=axes[1])']
    (html,) = [one["data"]["text/html"] for one in shown[0]]
    assert "<svg" in "".join(html)
    assert "<script" not in "".join(html)
    assert all(one["output_type"] != "error" for cell in shown for one in cell)

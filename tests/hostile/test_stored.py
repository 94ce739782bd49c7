"""Files that an earlier version wrote are read as what they hold; those of a later one are told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat import metrics
from karat.api.gate.baseline import gate_schema, read_baseline
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading
from karat.data.sources.files.large import Checkpoint
from karat.errors import KaratError
from karat.output.json import judged, report, sets
from karat.output.json.codec import Part
from karat.output.json.words import NEWEST, in_words_of_today
from karat.tally import JointCells
from tests.hostile.make_stored import (
    OTHER,
    PRED,
    PROB,
    TRUE,
    TWO,
    WEIGHTS,
    empty,
    monitors,
    reports,
    reports_of_sets,
)
from tests.hostile.make_stored import STORED as HERE
from tests.hostile.mutations import opened, sealed
from tests.hostile.targets import targets
from tests.optional import optional

LIFTS = ("precision_lift", "macro_precision_lift", "weighted_precision_lift")
ADDED = {".doubts", *(f".metrics.{name}" for name in LIFTS)}
"""Fields that this version has, and reports of its first release do not."""
OF_ROWS = {"expected_calibration_error"}
"""Metrics of scores whose limits have another method since then (decisions/04-intervals.md)."""
LIMITS = re.compile(
    r"\.rules\[\d+\]\.(p|low|high|difference_low|difference_high)"
    r"|\.differences\[\d+\]\.(p|p_adjusted|low|high)"
    r"|\.values\.\w+\.\w+\.(low|high)"
)
"""Limits of differences, and p-values, that are others since then (0030, 0032)."""
REPORTS = sorted(path.name.split(".")[0].removeprefix("v1-") for path in HERE.glob("*.report.json"))


def same_numbers(found: Any, wanted: Any, where: str = "", *, is_later: bool | None = None) -> None:
    """Equal at every depth, numbers to rounding; a later version may add fields."""
    if is_later is None:
        is_later = isinstance(wanted, dict) and found.get("karat") != wanted.get("karat")
    assert type(found) is type(wanted) or isinstance(found, int | float), where
    if isinstance(wanted, dict):
        more = {name for name in found.keys() - wanted.keys() if f"{where}.{name}" not in ADDED}
        assert found.keys() >= wanted.keys(), where
        assert is_later or not more, where
        for key, value in wanted.items():
            if where or key != "karat" or not is_later:
                same_numbers(found[key], value, f"{where}.{key}", is_later=is_later)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for i, value in enumerate(wanted):
            same_numbers(found[i], value, f"{where}[{i}]", is_later=is_later)
    elif isinstance(wanted, float) and LIMITS.fullmatch(where):
        assert found == pytest.approx(wanted, abs=0.01), where
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True), where
    elif where.startswith(".notes[") or (where.endswith(".remark") and is_later):
        # Notes and remarks are prose: a later version may word them differently.
        assert isinstance(found, type(wanted)), where
    else:
        assert found == wanted, where


@pytest.mark.parametrize("name", REPORTS)
def test_a_stored_report_is_the_one_that_was_written(name: str) -> None:
    text = (HERE / f"v1-{name}.report.json").read_text("utf-8")
    report, wanted = karat.Report.from_json(text), reports()[name]
    assert report.labels == wanted.labels
    assert report.confusion.matrix.tolist() == wanted.confusion.matrix.tolist()
    stored = json.loads(text)
    # Their order of classes was alphabetical.
    unordered = {"kappa_linear", "kappa_quadratic"} - wanted.metrics.keys()
    assert stored["metrics"].keys() - unordered <= wanted.metrics.keys()
    assert not unordered & report.metrics.keys()
    for metric, text_of in stored["metrics"].items():
        if metric in unordered:
            continue
        found, result = report.metrics[metric], wanted.metrics[metric]
        same_numbers(found.value, result.value)
        if name != "clusters" and not metrics.get(metric).needs_scores:
            # These follow from the tally: they are of this version.
            same_numbers([found.low, found.high], [result.low, result.high])
            continue
        # A metric that came later has no interval there, as that takes the rows.
        ends = [text_of["low"], text_of["high"]]
        if text_of.get("method"):
            ends = [
                x if y is None else y for x, y in zip(metrics.get(metric).range, ends, strict=True)
            ]
        same_numbers([found.low, found.high], ends)
        if found.low is None or metric in OF_ROWS or not np.isfinite(ends).all():
            continue
        width = found.high - found.low
        assert [found.low, found.high] == pytest.approx([result.low, result.high], abs=0.05 * width)
    if stored["karat"] == karat.__version__:
        same_numbers(report.to_dict(), stored, is_later=True)


def test_every_kind_of_report_is_stored() -> None:
    assert sorted(reports()) == REPORTS


@pytest.mark.parametrize("name", ["labels", "rows", "scores"])
def test_a_stored_baseline_is_read(name: str) -> None:
    path = HERE / f"v1-{name}.baseline.json"
    found = read_baseline(path)
    assert found.n == len(TRUE)
    if name == "scores":
        assert found.rows is not None
        assert found.rows.values is not None
        np.testing.assert_allclose(found.rows.values, PROB.astype(np.float32))
        np.testing.assert_array_equal(found.rows.weights, WEIGHTS)
        gated = karat.gate({"label": TWO, "prob": PROB, "w": WEIGHTS}, baseline=path, weights="w")
    else:
        assert found.cells.matrix().tolist() == karat.confusion_matrix(TRUE, PRED).tolist()
        same = {"id": np.arange(len(TRUE)), "label": TRUE, "pred": PRED}
        gated = karat.gate(same, baseline=path)
        assert gated.is_paired == (name == "rows")
    assert gated.passed


@pytest.mark.parametrize("name", ["labels", "scores"])
def test_a_stored_checkpoint_is_read(name: str) -> None:
    path = HERE / f"v1-{name}.karat-checkpoint"
    n_units, found = Checkpoint(path, "of these files").load(empty())
    if name == "labels":
        assert (n_units, found.n_dropped) == (3, 1)
        assert found.cells is not None
        assert found.cells.matrix().tolist() == karat.confusion_matrix(TRUE, PRED).tolist()
    else:
        assert (n_units, found.n_dropped) == (5, 0)
        assert found.scores is not None
        assert found.scores.n_rows == len(TWO)


def test_stored_partials_are_read() -> None:
    read = {
        name: Partial.from_bytes((HERE / f"v1-{name}.karat-partial").read_bytes(), empty())
        for name in ("labels", "scores", "problem")
    }
    assert read["labels"].partitions == ((0, 1), (4, 4))
    assert (read["labels"].n_rows, read["labels"].n_dropped) == (len(TRUE), 2)
    assert read["labels"].tallies.cells is not None
    assert (
        read["labels"].tallies.cells.matrix().tolist()
        == karat.confusion_matrix(TRUE, PRED).tolist()
    )
    assert read["scores"].tallies.scores is not None
    assert read["scores"].tallies.scores.n_rows == len(TWO)
    assert read["problem"].problem is not None
    assert read["problem"].problem.code == "K402"


def test_stored_joint_cells_and_a_task_are_read() -> None:
    joint = JointCells.from_bytes((HERE / "v1.karat-joint").read_bytes())
    assert joint.names == ("old", "new")
    for model, pred in enumerate((PRED, OTHER)):
        wanted = karat.confusion_matrix(TRUE, pred)
        assert joint.cells(model).matrix().tolist() == wanted.tolist()
    task = Reading.from_bytes((HERE / "v1.task.json").read_bytes())
    assert task.found == {"true": "label", "pred": "pred"}
    assert task.labels == ("a", "b")


def test_what_others_read_keeps_its_form() -> None:
    """Nothing of karat reads these two; what other programs found in them is still there."""
    gate = json.loads((HERE / "v1.gate.json").read_text("utf-8"))
    # The second version has another word for looks, which this one has none of.
    gate["schema"] = "karat.gate/2"
    optional("jsonschema").Draft202012Validator(gate_schema()).validate(gate)
    now = json.loads(karat.gate(TRUE, PRED, baseline=OTHER, min={"accuracy": 0.5}).to_json())
    same_numbers(now, gate, is_later=True)
    again = json.loads(karat.compare(TRUE, {"old": PRED, "new": OTHER}).to_json())
    # So has the third of a comparison.
    text = (HERE / "v2.comparison.json").read_text("utf-8")
    same_numbers(again, json.loads(text.replace("comparison/2", "comparison/3")), is_later=True)
    # The second version has another word for one verdict, and is the first one otherwise.
    first = (HERE / "v1.comparison.json").read_text("utf-8")
    assert "not resolved" in first
    renamed = first.replace("not resolved", "inconclusive").replace("comparison/1", "comparison/3")
    same_numbers(again, json.loads(renamed), is_later=True)


def test_stored_reports_of_sets_and_of_a_judge_are_read() -> None:
    for name, wanted in reports_of_sets().items():
        text = (HERE / f"v1-{name}.multilabel.json").read_text("utf-8")
        again = karat.MultilabelReport.from_json(text)
        same_numbers(again.to_dict(), _of_today(json.loads(text), sets.SCHEMA), is_later=True)
        assert again.n_rows == wanted.n_rows
    text = (HERE / "v1.judged.json").read_text("utf-8")
    again = karat.JudgedReport.from_json(text).to_dict()
    stored = _of_today(json.loads(text), judged.SCHEMA)
    for side in ("gold", "judge"):
        stored[side] = _of_today(stored[side], report.SCHEMA)
    same_numbers(again, stored, is_later=True)


def _of_today(stored: Any, schema: str) -> Any:
    return in_words_of_today(Part(stored, ""), schema).value | {"schema": schema}


@pytest.mark.parametrize("name", ["labels", "scores"])
def test_a_stored_monitor_is_read_and_goes_on(name: str) -> None:
    monitor = karat.Monitor.from_bytes((HERE / f"v1-{name}.karat-monitor").read_bytes())
    wanted = monitors()[name]
    assert [(x.n, x.digest) for x in monitor.looks] == [(x.n, x.digest) for x in wanted.looks]
    assert str(monitor.result) == str(wanted.result)


def test_a_newer_version_is_told(tmp_path: Path) -> None:
    """Of every format: the message says that it is newer, what is read, and what to do."""
    for target in targets(tmp_path):
        if target.name.endswith((".comparison.json", ".gate.json")):
            continue  # nothing of karat reads these
        if target.data.startswith(b"KARATALY"):
            newer = sealed(*opened(target.data), version=2)
        elif target.name.startswith("v1.task"):
            newer = target.data.replace(b'"version": 1', b'"version": 2')
        else:
            kind = target.name.split(".")[1].encode()
            later = b"karat.%s/%d" % (kind, 2 if kind == b"baseline" else NEWEST + 1)
            newer = target.data.replace(b"karat.%s/1" % kind, later)
        assert newer != target.data, target.name
        with pytest.raises(KaratError, match=r"K206|K414") as caught:
            target.read(newer)
        told = str(caught.value)
        assert "newer karat" in told, told
        assert "Upgrade karat" in told, told


def test_a_version_before_the_first_is_damage() -> None:
    data = (HERE / "v1.karat-joint").read_bytes()
    with pytest.raises(KaratError, match=r"K205.*\n.*version is 0"):
        JointCells.from_bytes(sealed(*opened(data), version=0))

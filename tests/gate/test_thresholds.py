"""Both sides of a gate predict from one threshold on, or it says so; bounds on the wrong side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from tests.cli.running import Karat
from tests.gate.test_baselines import signed

SCHEMA = '"schema":"karat.baseline/1",'

N = 300
_RNG = np.random.default_rng(8)
TRUE = _RNG.integers(0, 2, N)
PROB = np.round(np.clip(0.5 + 0.3 * (2 * TRUE - 1) + _RNG.normal(0, 0.25, N), 0.01, 0.99), 1)
DROP = {"accuracy": 0.3}


def codes(found: karat.GateResult) -> list[str]:
    return [one.code for one in found.doubts]


def altered(path: Path, **settings: Any) -> None:
    content = json.loads(path.read_text())
    content["settings"] = {**content["settings"], **settings}
    content["settings"] = {name: x for name, x in content["settings"].items() if x != "gone"}
    # The kind of file is visible at its start.
    path.write_text(signed(content).replace(SCHEMA, "").replace("{", "{" + SCHEMA, 1))


def made(folder: Path, threshold: float | None = None, **given: Any) -> Path:
    path = folder / "base.json"
    given = {"y_prob": PROB, "threshold": threshold, **given}
    karat.gate(TRUE, **given).save_baseline(path)
    return path


def gated(path: Any, threshold: float | None = None, **given: Any) -> karat.GateResult:
    given = {"y_prob": PROB, "max_drop": DROP, **given}
    return karat.gate(TRUE, baseline=path, threshold=threshold, **given)


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        (None, 0.1, "is 0.1 here, and the largest score in the baseline"),
        (0.1, None, "is the largest score here, and 0.1 in the baseline"),
        (0.2, 0.7, "is 0.7 here, and 0.2 in the baseline"),
        (0.2, 0.2, ""),
        (None, None, ""),
        # The largest of two probabilities is one from 0.5 on.
        (None, 0.5, ""),
    ],
)
def test_values_of_another_threshold_are_a_doubt(
    tmp_path: Path, then: float | None, now: float | None, told: str
) -> None:
    path = made(tmp_path, then)
    assert json.loads(path.read_text())["settings"]["threshold"] == then
    found = gated(path, now)
    assert codes(found) == (["D117"] if told else [])
    assert told in str(found)
    # Curves do not depend on it, and a bound compares nothing.
    assert codes(gated(path, now, max_drop={"roc_auc": 0.3})) == []


def test_stored_rows_are_predicted_with_the_threshold_of_the_gate(tmp_path: Path) -> None:
    path = made(tmp_path, reading=karat.Reading(keep_rows=True))
    rows = pd.DataFrame({"label": TRUE, "prob": PROB})
    for threshold in (0.1, 0.3, 0.7, None):
        found = gated(path, threshold)
        assert codes(found) == []
        (rule,) = found.rules
        # The same scores: with one threshold nothing changes, also beside its float32.
        assert (rule.difference, rule.before) == (0.0, rule.value)
        files = karat.gate(rows, baseline=rows, max_drop=DROP, threshold=threshold, y_prob="prob")
        assert files.rules[0].before == rule.before
    stored = gated(made(tmp_path, 0.3, reading=karat.Reading(keep_rows=True)))
    assert stored.rules[0].difference == 0.0


def test_what_says_no_threshold_raises_no_doubt(tmp_path: Path) -> None:
    path = made(tmp_path)
    altered(path, threshold="gone")
    assert codes(gated(path, 0.1)) == []
    guess = (PROB > 0.5).astype(int)
    for path in (made(tmp_path, y_prob=None, y_pred=guess), made(tmp_path, y_pred=guess)):
        assert "threshold" not in json.loads(path.read_text())["settings"]
        assert codes(gated(path, 0.1)) == []
    path = made(tmp_path, 0.1)
    assert codes(gated(path, y_prob=None, y_pred=guess)) == []
    altered(path, threshold="0.1")
    with pytest.raises(KaratError, match=r"threshold='0\.1'"):
        gated(path)


def test_a_report_as_the_baseline_says_its_threshold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = karat.evaluate(TRUE, y_prob=PROB, threshold=0.1)
    assert codes(gated(report)) == ["D117"]
    assert codes(gated(report, 0.1)) == []
    assert codes(karat.gate(report, baseline=made(tmp_path), max_drop=DROP)) == ["D117"]
    run = Karat(capsys)
    rows, stored = tmp_path / "rows.csv", tmp_path / "report.json"
    pd.DataFrame({"label": TRUE, "prob": PROB}).to_csv(rows, index=False)
    assert run("report", rows, "-o", stored).code == 0
    done = run("gate", rows, "--baseline", stored, "--threshold", "0.1")
    assert "Doubt D117" in done.err
    assert "--update-baseline" in done.err
    assert "D117" not in run("gate", rows, "--baseline", stored).err


@pytest.mark.parametrize(
    ("rules", "option"),
    [
        ({"min": {"log_loss": 0.15}}, "max={'log_loss': 0.15}"),
        ({"max": {"roc_auc": 0.9}}, "min={'roc_auc': 0.9}"),
        ({"max": {"f1": 0.9}, "min": {"accuracy": 0.1}}, "min={'f1': 0.9}"),
        ({"max": {"log_loss": 0.9}}, ""),
        ({"min": {"roc_auc": 0.2}}, ""),
        # Both bounds are a band, and a rate of predictions has no better side.
        ({"min": {"log_loss": 0.1}, "max": {"log_loss": 2.0}}, ""),
        ({"min": {"roc_auc": 0.1}, "max": {"roc_auc": 0.99}}, ""),
        ({"max": {"prevalence": 0.9}}, ""),
    ],
)
def test_a_bound_on_the_better_side_is_a_doubt(rules: dict[str, Any], option: str) -> None:
    found = karat.gate(TRUE, y_prob=PROB, **rules)
    assert codes(found) == (["D118"] if option else [])
    if option:
        assert found.doubts[0].option.endswith(f"give {option}.")
        assert "are better." in found.doubts[0].evidence


def test_the_command_line_names_the_other_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame({"label": TRUE, "prob": PROB}).to_csv(path, index=False)
    done = Karat(capsys)("gate", path, "--min", "log_loss=0.15")
    assert "Doubt D118: The bound of log_loss is on the wrong side." in done.err
    assert "--max log_loss=0.15" in done.err

"""What a gate writes for others: names that would break it, or act in it, do neither."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.output.gate import (
    MOST_BYTES,
    junit_of_gate,
    markdown_of_gate,
    summary,
    workflow_commands,
)
from karat.results.gate.result import GateResult
from tests.gate.rows import two_models

TRUE, OLD, NEW = two_models(300, lost=12)
HOSTILE = (
    "</testcase><x>", "a|b", "`code` **bold** <img src=x onerror=alert(1)>", "line\nbreak\r\ttab",
    "\x1b[31mred\x00\x07", "::error::gotcha", "]]>", "&amp; &lt;", "@everyone #1 https://evil.example",
    "\u202eright to left\u200b", "\ud800", "100%0A::error::x", "![x](javascript:1)", "\\|", "",
)  # fmt: skip


def gate_of(slices: tuple[str, ...]) -> GateResult:
    by = np.arange(len(TRUE)) % len(slices)
    found = karat.gate(TRUE, NEW, min={"accuracy": 0.99}, by=by, rules=karat.Rules(min_n=1))
    names = {f"slice={i}": f"country={name}" for i, name in enumerate(slices)}
    rules = tuple(
        replace(rule, slice=names.get(rule.slice or ""), reason=f"told {rule.slice}: {name}")
        for rule, name in zip(found.rules, ("", *slices), strict=True)
    )
    return replace(found, rules=rules, notes=slices)


def test_junit_is_xml_with_a_case_for_each_rule() -> None:
    drop = {"baseline": OLD, "max_drop": {"accuracy": 0.035}}
    for result, failures, skipped in (
        (karat.gate(TRUE, NEW, min={"accuracy": 0.99, "macro_f1": 0.5}), 1, 0),
        (karat.gate(TRUE, NEW, **drop), 1, 0),
        (karat.gate(TRUE, NEW, **drop, rules=karat.Rules(inconclusive="pass")), 0, 1),
        (karat.gate(TRUE, NEW, baseline=OLD, no_worse_than={"accuracy": 0.035}), 1, 0),
    ):
        (suite,) = ET.fromstring(junit_of_gate(result))
        assert suite.attrib["tests"] == str(len(result.rules))
        assert suite.attrib["failures"] == str(failures) == str(len(suite.findall(".//failure")))
        assert suite.attrib["skipped"] == str(skipped) == str(len(suite.findall(".//skipped")))
        assert str(suite.findtext("system-out")).startswith(result.verdict or "")
        types = {case.attrib["type"] for case in suite.iter("failure")}
        assert types <= {result.verdict}


def test_hostile_names_stay_text_in_junit() -> None:
    result = gate_of(HOSTILE)
    text = junit_of_gate(result)
    suites = ET.fromstring(text.encode("utf-8"))
    cases = suites.findall(".//testcase")
    assert len(cases) == len(result.rules)
    names = [case.attrib["name"] for case in cases]
    assert any("</testcase><x>" in name for name in names)
    assert "\x1b" not in text
    assert "\x00" not in text


def cells(line: str) -> list[str]:
    """The cells of a row of a table: a bar behind a backslash does not end one."""
    parts, start, i = [], 0, 0
    while i < len(line):
        if line[i] == "\\":
            i += 1
        elif line[i] == "|":
            parts.append(line[start:i])
            start = i + 1
        i += 1
    return parts[1:]


def test_hostile_names_stay_text_in_markdown() -> None:
    result = gate_of(HOSTILE)
    text = markdown_of_gate(result)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(result.rules)
    assert {len(cells(row)) for row in rows} == {8}
    for active in ("<img", "**bold**", "https://", "@everyone", "](javascript", "\x1b", "\u202e"):
        assert active not in text.replace("\\@", "").replace("\\:", ""), active
    assert "\\@everyone" in text


def test_workflow_commands_are_one_line_each_and_name_no_other_command() -> None:
    result = gate_of(HOSTILE)
    lines = list(workflow_commands(result))
    assert len(lines) == sum(rule.verdict != "PASS" for rule in result.rules)
    for line in lines:
        assert "\n" not in line
        assert "\r" not in line
        assert line.startswith("::error title=karat gate%3A FAIL::")
    assert any("100%250A" in line for line in lines)
    warned = list(workflow_commands(replace(result, warns_only=True)))
    assert all(line.startswith("::warning ") for line in warned)


def test_a_summary_stays_below_what_github_takes() -> None:
    result = gate_of(HOSTILE)
    many = replace(result, rules=result.rules * 2000)
    text = summary(many)
    assert 100_000 < len(text.encode("utf-8", "replace")) < MOST_BYTES
    assert "more rules are not shown" in text
    assert summary(many, MOST_BYTES - 5000) == ""
    half = summary(many, MOST_BYTES // 2)
    assert len(half.encode("utf-8", "replace")) < MOST_BYTES // 2
    assert summary(result).startswith("### karat gate: FAIL")


def test_failures_stand_first_in_markdown() -> None:
    found = karat.gate(TRUE, NEW, min={"accuracy": 0.1, "macro_f1": 0.99})
    first, second = markdown_of_gate(found).splitlines()[4:6]
    assert "macro_f1" in first
    assert "❌" in first
    assert "✅" in second


def test_json_is_whole(tmp_path: Path) -> None:
    found = karat.gate([0, 0, 1, 1], [0, 0, 0, 0], min={"precision": 0.0, "mcc": -1})
    path = tmp_path / "gate.json"
    text = found.to_json(path)
    content = json.loads(text)
    assert json.loads(path.read_text("utf-8")) == content == found.to_dict()
    assert content["schema"] == "karat.gate/2"
    assert content["passed"] is False
    assert {rule["verdict"] for rule in content["rules"]} <= {"PASS", "FAIL", "INCONCLUSIVE"}


PASSING = """
def test_model(karat_gate):
    found = karat_gate([0, 1, 1, 0], [0, 1, 1, 0], min={"accuracy": 0.9})
    assert found.passed
"""
FAILING = """
def test_model(karat_gate):
    karat_gate([0, 1, 1, 0], [0, 1, 0, 0], min={"accuracy": 0.9})
"""


UNDECIDED = """
import karat
def test_model(karat_gate):
    rules = karat.Rules(evidence="low"PASS)
    karat_gate([0, 1] * 10, [0, 1] * 10, min={"accuracy": 0.9}, rules=rules)
"""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (PASSING, None),
        (FAILING, "FAIL          accuracy ≥ 0.9: 0.75"),
        (UNDECIDED.replace("PASS", ', inconclusive="fail"'), "INCONCLUSIVE  accuracy ≥ 0.9: 1 ["),
        (UNDECIDED.replace("PASS", ""), None),
    ],
)
def test_the_fixture_fails_a_test_with_the_rules_in_its_message(
    text: str, shown: str | None, tmp_path: Path
) -> None:
    import subprocess
    import sys

    path = tmp_path / "test_of_a_model.py"
    path.write_text(text, "utf-8")
    # Named, since an environment built before the entry point was there does not know it.
    options = ["-p", "no:karat", "-p", "karat.pytest_gate", "-p", "no:cacheprovider", "-q"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(path)],
        capture_output=True, check=False, cwd=tmp_path, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == (shown is not None), run.stdout + run.stderr
    if shown is not None:
        assert shown in run.stdout
        assert "Traceback" not in run.stdout


def test_the_name_of_a_slice_makes_no_line_of_its_own() -> None:
    by = ["a\n::error::x", "b"] * 40
    found = karat.gate([0, 1] * 40, [0, 1] * 40, min={"accuracy": 0.9}, by=by)
    lines = str(found).splitlines()
    assert len(lines) == 4
    assert not any(line.startswith("::") for line in lines)
    assert "slice=a\\n::error::x" in str(found)


REFUSED = """
def test_model(karat_gate):
    karat_gate("there_is_no_such_file.csv", min={"accuracy": 0.9})
"""


def test_the_fixture_tells_what_was_wrong_without_the_inside_of_karat(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = tmp_path / "test_of_a_model.py"
    path.write_text(REFUSED, "utf-8")
    options = ["-p", "no:karat", "-p", "karat.pytest_gate", "-p", "no:cacheprovider", "-q"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(path)],
        capture_output=True, check=False, cwd=tmp_path, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    assert "K401  There is no such file or folder." in run.stdout
    assert "paths.py" not in run.stdout

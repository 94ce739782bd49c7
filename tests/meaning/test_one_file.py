"""A metric added in one new file is there everywhere, and no other file is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NEW_FILE = '''
"""A family of one."""

from __future__ import annotations

from karat.metrics import Node, OneVsRest, case, metric


@metric(
    aliases=("bias_ratio",),
    range=(0.0, float("inf")),
    better=None,
    undefined="no row is truly of the class",
    constant_averages=("micro", "weighted"),
    cases=[case(tp=231, fp=32, fn=27, tn=54, gives="263/258", source="arithmetic")],
    since="0.1",
)
def zephyr_ratio(c: OneVsRest) -> Node:
    """Rows predicted as the class over rows truly of it."""
    return c.pred_pos / c.pos
'''
PRELUDE = """
import karat.metrics, sys
karat.metrics.__path__.append(sys.argv[1])
import karat
"""
CHECKS = """
from karat.testing import LAWS, unlisted
import inspect, json

record = karat.metrics.get("zephyr_ratio").record
assert "zephyr_ratio" in karat.metrics.names() and "macro_zephyr_ratio" in karat.metrics.names()
assert karat.metrics.get("macro_bias_ratio").name == "macro_zephyr_ratio"
assert karat.metrics.search("zephyr")[0].formula == "(TP + FP) / (TP + FN)"
for law in LAWS:
    law(record)
assert unlisted(record) == []
assert karat.zephyr_ratio([0, 1, 1], [1, 1, 1]) == 1.5
assert karat.macro_zephyr_ratio([0, 1, 1], [1, 1, 0]) == 1.0
doc = inspect.getdoc(karat.zephyr_ratio)
assert "Rows predicted as the class over rows truly of it." in doc
assert "TP + FN = 0" in doc and "karat.zephyr_ratio(confusion=" in doc
from karat.metrics._stub import functions_text
assert "def zephyr_ratio(" in functions_text()
report = karat.evaluate([0, 1, 2, 2], [0, 1, 1, 2])
assert report["macro_zephyr_ratio"].value == (1 + 2 + 1 / 2) / 3
found = json.loads(report.to_json())["metrics"]
assert found["weighted_zephyr_ratio"]["value"] == (1 * 1 + 1 * 2 + 2 * 0.5) / 4
assert "zephyr_ratio" in karat.evaluate([0, 1], [0, 1]).metrics
print("all there")
"""
CLI = """
from karat.cli import main
sys.argv = ["karat", "metrics", *sys.argv[2:]]
main()
"""


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("family")
    (folder / "zephyrs.py").write_text(NEW_FILE, encoding="utf-8")
    return folder


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_catalogue_laws_sabotage_functions_docs_stub_and_report(family: Path) -> None:
    assert run(CHECKS, str(family)).strip() == "all there"


def test_command_line(family: Path) -> None:
    assert "zephyr_ratio" in run(CLI, str(family))
    shown = run(CLI, str(family), "zephyr_ratio")
    for part in ("Rows predicted as the class over rows truly of it", "bias_ratio", "TP + FN = 0"):
        assert part in shown


def test_without_the_file_it_is_not_there() -> None:
    code = "import karat; assert 'zephyr_ratio' not in karat.metrics.names(); print(1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == 1

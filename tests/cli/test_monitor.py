"""`karat monitor` on the command line: states, settings, exit codes, locks."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from karat import Monitor
from karat.api.monitors.monitor import locked_state
from tests.cli.running import Karat
from tests.gate.rows import table, two_models, write

WINE = Path(__file__).parents[2] / "examples/predictions/breast_cancer_logreg.csv"
TRUE, OLD, NEW = two_models(1500, lost=120)


@pytest.fixture
def karat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Karat:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return Karat(capsys)


def test_batches_are_added_and_the_settings_stay(karat: Karat, tmp_path: Path) -> None:
    state = tmp_path / "cancer.karat"
    rules = ["--min", "accuracy=0.85,recall=0.5", "--positive", "malignant"]
    first = karat("monitor", state, WINE, "--where", "fold = 0", *rules)
    assert first.code == 0
    assert "Note: Look 1: 114 new rows, 114 rows in all." in first.out
    for fold in (1, 2, 3, 4):
        last = karat("monitor", state, WINE, "--where", f"fold = {fold}")
        assert last.code == 0
    assert last.out.splitlines()[0] == "karat monitor  PASS: 2 of 2 rules passed"
    shown = karat("monitor", state, "--format", "json")
    found = json.loads(shown.out)
    assert (found["schema"], found["look"], found["n"]) == ("karat.monitor/2", 5, 569)
    assert [rule["decided"]["look"] for rule in found["rules"]] == [2, 1] or all(
        rule["decided"] for rule in found["rules"]
    )
    markdown = karat("monitor", state, "--format", "markdown").out
    assert markdown.startswith("### karat monitor: PASS")


def test_what_contradicts_the_first_call_changes_nothing(karat: Karat, tmp_path: Path) -> None:
    state = tmp_path / "s.karat"
    assert "There is no state" in karat("monitor", state).err
    assert karat("monitor", state, WINE).code == 2
    assert not state.exists()
    karat("monitor", state, WINE, "--min", "accuracy=0.9", "--positive", "malignant")
    before = state.read_bytes()
    for given in (
        ["--level", "0.9"],
        ["--anytime", "500"],
        ["--min", "accuracy=0.8"],
        ["--positive", "benign"],
        ["--true", "label"],
    ):
        wrong = karat("monitor", state, WINE, *given)
        assert (wrong.code, wrong.err.startswith("K240")) == (2, True)
    assert "--true is label here" in wrong.err
    blank = karat("monitor", state, WINE, "--weights", "")
    assert "--weights is '' here" in blank.err
    again = karat("monitor", state, WINE)
    assert (again.code, "K241" in again.err, "--again" in again.err) == (2, True, True)
    assert state.read_bytes() == before
    same = karat("monitor", state, "--min", "accuracy=0.9", "--level", "0.95")
    assert same.code == 2 if "K240" in same.err else same.code == 0
    assert karat("monitor", state, WINE, "--again").code == 0


def test_another_model_is_a_file_or_a_column(karat: Karat, tmp_path: Path) -> None:
    new = write(tmp_path / "new.parquet", table(TRUE, NEW, older=OLD))
    old = write(tmp_path / "old.parquet", table(TRUE, OLD))
    rule = ["--max-drop", "accuracy=0.02"]
    by_file = karat("monitor", tmp_path / "a.karat", new, "--baseline", old, *rule)
    by_column = karat("monitor", tmp_path / "b.karat", new, "--baseline-pred", "older", *rule)
    assert (by_file.code, by_column.code) == (1, 1)
    assert by_file.out == by_column.out
    assert "FAIL          drop of accuracy ≤ 0.02" in by_file.out
    both = karat("monitor", tmp_path / "a.karat", new, "--baseline", old, "--again")
    assert both.code == 1
    assert karat("monitor", tmp_path / "c.karat", new, *rule).code == 2


def test_a_damaged_state_and_one_in_use_are_left_as_they_are(karat: Karat, tmp_path: Path) -> None:
    state = tmp_path / "s.karat"
    karat("monitor", state, WINE, "--min", "accuracy=0.9", "--positive", "malignant")
    whole = state.read_bytes()
    state.write_bytes(whole[:-20])
    damaged = karat("monitor", state, WINE, "--again")
    assert (damaged.code, damaged.err.startswith("K205")) == (2, True)
    assert state.read_bytes() == whole[:-20]
    state.write_bytes(whole)
    with locked_state(state):
        used = karat("monitor", state, WINE, "--again")
        assert (used.code, used.err.startswith("K239")) == (2, True)
        assert f"process {os.getpid()} on " in used.err
        assert "--wait 60" in used.err
        # What only reads needs no lock.
        assert karat("monitor", state).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["s.karat"]
    # A file that another version or a killed process left locks nothing.
    for left in ("s.karat.lock", ".karat-s.karat.lock"):
        (tmp_path / left).write_text("1 elsewhere")
    assert karat("monitor", state, WINE, "--again").code == 0


def test_a_command_waits_for_the_process_that_writes(karat: Karat, tmp_path: Path) -> None:
    state = tmp_path / "s.karat"
    begun, ended = threading.Event(), threading.Event()

    def hold() -> None:
        with locked_state(state):
            begun.set()
            ended.wait(0.4)

    holder = threading.Thread(target=hold)
    holder.start()
    assert begun.wait(10)
    rule = ("--min", "accuracy=0.5", "--positive", "malignant")
    assert karat("monitor", state, WINE, *rule, "--wait", "0.05").code == 2
    assert karat("monitor", state, WINE, *rule, "--wait", "60").code == 0
    holder.join()


def test_settings_are_those_of_the_first_call_in_any_form(karat: Karat, tmp_path: Path) -> None:
    for name, of_class in (("numbers", str), ("booleans", lambda label: ("false", "true")[label])):
        state, files = tmp_path / f"{name}.karat", []
        for batch in range(3):
            files.append(tmp_path / f"{name}{batch}.csv")
            rows = [f"{of_class(i % 2)},{of_class(i % 3 % 2)}" for i in range(10 + batch)]
            files[-1].write_text("\n".join(["label,pred", *rows]), "utf-8")
        positive, labels = of_class(1), f"{of_class(0)},{of_class(1)}"
        typed = ("--positive", positive, "--labels", labels)
        assert karat("monitor", state, files[0], *typed, "--min", "recall=0.1").code == 0
        assert karat("monitor", state, files[1]).code == 0
        assert karat("monitor", state, files[2], *typed).code == 0
        other = karat("monitor", state, files[2], "--positive", of_class(0), "--again")
        assert (other.code, other.err[:4]) == (2, "K240")
        # The same state in Python, where labels are numbers.
        again = Monitor.load(state)
        assert again.settings.positive == (1 if name == "numbers" else True)
        assert again.add([0, 1, 1], [0, 1, 0]).n == 36


def test_the_line_of_columns_states_the_threshold_of_the_first_call(
    karat: Karat, tmp_path: Path
) -> None:
    for i, probability in enumerate((0.3, 0.4)):
        (tmp_path / f"{i}.csv").write_text(f"label,prob\n0,0.2\n1,{probability}\n", "utf-8")
    state, rule = tmp_path / "s.karat", ("--min", "accuracy=0.1")
    karat("monitor", state, tmp_path / "0.csv", *rule, "--threshold", "0.25")
    second = karat("monitor", state, tmp_path / "1.csv")
    assert "pred=probability ≥ 0.25" in second.err


def test_rows_whose_ids_were_added_are_refused(karat: Karat, tmp_path: Path) -> None:
    def file(name: str, ids: Sequence[int]) -> Path:
        rows = "".join(f"{i},{i % 2},1\n" for i in ids)
        (tmp_path / name).write_text(f"id,label,pred\n{rows}", "utf-8")
        return tmp_path / name

    state, rule = tmp_path / "s.karat", ("--min", "accuracy=0.1")
    assert karat("monitor", state, file("a.csv", range(10)), *rule).code == 0
    reversed_ = karat("monitor", state, file("b.csv", range(9, -1, -1)))
    assert (reversed_.code, reversed_.err[:4]) == (2, "K241")
    half = karat("monitor", state, file("c.csv", [3, 4, 40]))
    assert (half.code, half.err[:4]) == (2, "K430")
    assert "2 of 3 ids were added before, as '3', '4'." in half.err
    assert karat("monitor", state, file("d.csv", [40, 41])).code == 0
    assert karat("monitor", state, tmp_path / "c.csv", "--again").code == 0


def test_windows_are_judged_alone_and_annotate_a_job(
    karat: Karat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "w.karat"
    weak = write(tmp_path / "weak.parquet", table(TRUE[:400], (TRUE[:400] + 1) % 3))
    good = write(tmp_path / "good.parquet", table(TRUE, TRUE))
    rule = ["--windows", "--min", "accuracy=0.85"]
    assert karat("monitor", state, good, *rule).code == 0
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    failed = karat("monitor", state, weak, "--again")
    assert (failed.code, "Window 2: 400 rows; 1 900 rows in all windows." in failed.out) == (
        1,
        True,
    )
    assert "::error title=karat monitor%3A FAIL::accuracy ≥ 0.85" in failed.err
    assert (tmp_path / "summary.md").read_text("utf-8").startswith("### karat monitor: FAIL")
    monkeypatch.delenv("GITHUB_ACTIONS")
    again = karat("monitor", state, good, "--again")
    assert (again.code, "it failed in window 2" in again.out) == (0, True)
    assert "--anytime" in karat("monitor", tmp_path / "x.karat", good, *rule, "--anytime", "50").err
    every = tmp_path / "every.karat"
    karat("monitor", every, good, "--min", "accuracy=0.85")
    mixed = karat("monitor", every, weak, "--windows")
    assert (mixed.code, mixed.err.startswith("K240")) == (2, True)

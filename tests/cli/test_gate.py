"""`karat gate` on the command line: verdicts, exit codes, files written, GitHub Actions."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.api.gate.baseline import read_baseline
from tests.cli.running import Karat, Ran, in_process
from tests.gate.rows import shuffled, table, two_models, write

DIGITS = Path(__file__).parents[2] / "src/karat/cli/demo_data"
LOGREG, FOREST = DIGITS / "digits_logreg.parquet", DIGITS / "digits_rf.parquet"
TRUE, OLD, NEW = two_models(1000, lost=40, won=4)


@pytest.fixture
def karat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Karat:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return Karat(capsys)


@pytest.fixture
def old(tmp_path: Path) -> str:
    return write(tmp_path / "old.parquet", table(TRUE, OLD))


@pytest.fixture
def new(tmp_path: Path) -> str:
    return write(tmp_path / "new.parquet", shuffled(table(TRUE, NEW)))


def test_a_bound_that_is_met_exits_0_and_one_that_is_not_exits_1(karat: Karat, old: str) -> None:
    passed = karat("gate", old, "--min", "accuracy=0.8", "--max", "error_rate=0.2")
    assert (passed.code, passed.err) == (0, "true=label, pred=pred, weights=none\n")
    assert passed.out.splitlines()[0] == "karat gate  PASS: 2 of 2 rules passed"
    failed = karat("gate", old, "--min", "accuracy=0.8", "--min", "macro_f1=0.95")
    assert failed.code == 1
    assert "  FAIL          macro_f1 ≥ 0.95: 0.89" in failed.out


def test_the_evidence_of_a_bound_is_chosen(karat: Karat, old: str) -> None:
    bound = ["--min", "accuracy=0.885"]
    assert karat("gate", old, *bound).code == 0
    low = karat("gate", old, *bound, "--evidence", "low")
    assert (low.code, "INCONCLUSIVE" in low.out) == (0, True)
    assert karat("gate", old, *bound, "--evidence", "low", "--inconclusive", "fail").code == 3
    assert karat("gate", old, *bound, "--evidence", "low", "--inconclusive", "fail").code == 3
    assert karat("gate", old, "--min", "accuracy=0.95", "--evidence", "low").code == 1


def test_a_baseline_of_predictions_in_another_order(karat: Karat, old: str, new: str) -> None:
    worse = karat("gate", new, "--baseline", old)
    assert worse.code == 1
    assert worse.out.count("significantly worse") == 2
    assert "(Holm, 2 rules)" in worse.out
    assert "detectable" in worse.out
    assert karat("gate", old, "--baseline", new).code == 0
    assert karat("gate", old, "--baseline", old).code == 0
    assert karat("gate", new, "--baseline", old, "--warn-only").code == 0
    drop = karat("gate", new, "--baseline", old, "--max-drop", "accuracy=0.1")
    assert (drop.code, "a drop of more than 0.1 is ruled out" in drop.out) == (0, True)
    shown = karat("gate", new, "--baseline", old, "--no-worse-than", "accuracy=0.035")
    assert (shown.code, "not shown" in shown.out) == (3, True)


@pytest.mark.parametrize("with_rows", [True, False])
def test_a_baseline_that_a_gate_wrote(
    karat: Karat, old: str, tmp_path: Path, with_rows: bool
) -> None:
    slightly = two_models(1000, lost=16, won=1)[2]
    new = write(tmp_path / "new.parquet", shuffled(table(TRUE, slightly)))
    base = tmp_path / "base.json"
    rows = ["--with-rows"] if with_rows else []
    made = karat("gate", old, "--update-baseline", base, *rows)
    assert made.code == 0
    assert (read_baseline(base).rows is not None) == with_rows
    found = karat("gate", new, "--baseline", base)
    assert ("Unpaired" in found.out) != with_rows
    # Unpaired, so small a drop is not shown.
    assert found.code == int(with_rows)
    text = base.read_text("utf-8")
    assert karat("gate", new, "--baseline", base, "--min", "accuracy=0.99",
                 "--update-baseline", base).code == 1  # fmt: skip
    assert base.read_text("utf-8") == text
    assert karat("gate", old, "--baseline", base, "--update-baseline", base).code == 0


@pytest.mark.parametrize("option", ["--max-drop", "--no-worse-than"])
def test_what_the_rows_do_not_decide_has_its_own_exit_code(
    karat: Karat, old: str, new: str, option: str
) -> None:
    # Measured 0.036 worse, with an interval on both sides of 0.03.
    asked = ["gate", new, "--baseline", old, option, "accuracy=0.03"]
    found = karat(*asked)
    assert (found.code, found.out.splitlines()[0]) == (
        3, "karat gate  INCONCLUSIVE: 1 of 1 rule not decided",
    )  # fmt: skip
    assert karat(*asked, "--inconclusive", "fail").code == 3
    assert karat(*asked, "--warn-only").code == 0
    passed = karat(*asked, "--inconclusive", "pass")
    assert (passed.code, passed.out.splitlines()[0]) == (
        0, "karat gate  PASS: 0 of 1 rule passed, 1 inconclusive",
    )  # fmt: skip
    # A rule that fails counts for more than one that is not decided.
    both = karat(*asked, "--min", "accuracy=0.99")
    assert (both.code, both.out.splitlines()[0]) == (
        1, "karat gate  FAIL: 1 of 2 rules failed, 1 inconclusive",
    )  # fmt: skip


def test_exit_codes_and_the_choice_are_in_the_help(karat: Karat) -> None:
    text = " ".join(karat("gate", "--help").out.split())
    for words in ("1: FAIL", "3: INCONCLUSIVE", "--inconclusive [pass|fail]"):
        assert words in text
    assert "--strict-inconclusive" not in text


def test_a_baseline_is_written_without_a_verdict(karat: Karat, old: str, tmp_path: Path) -> None:
    base, xml, page = tmp_path / "base.json", tmp_path / "gate.xml", tmp_path / "gate.md"
    alone = karat("gate", old, "--update-baseline", base, "--junit", xml, "--markdown", page)
    assert (alone.code, alone.out) == (0, f"karat gate  baseline written: {base}\n")
    assert base.exists()
    (suite,) = ET.parse(xml).getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("0", "0")
    line, _, subject = page.read_text("utf-8").splitlines()
    assert subject == r"old\.parquet"
    assert line.replace("\\", "") == f"### karat gate: baseline written: {base}"
    both = karat("gate", old, "--update-baseline", base, "--min", "accuracy=0.5")
    assert both.out.splitlines()[0] == "karat gate  PASS: 1 of 1 rule passed"
    assert f"Note: Wrote {base}." in both.out


def test_nothing_asked_names_the_rules(karat: Karat, old: str) -> None:
    found = karat("gate", old)
    assert (found.code, found.out) == (2, "")
    for option in ("--min", "--max", "--max-drop", "--no-worse-than", "--baseline",
                   "--update-baseline"):  # fmt: skip
        assert option in found.err


def test_a_baseline_without_these_slices_is_wrong_usage(karat: Karat, tmp_path: Path) -> None:
    channel = np.array(["app", "web"])[np.arange(len(TRUE)) % 2]
    old, new = (
        write(tmp_path / f"{name}.parquet", table(TRUE, said, channel=channel, sex=channel))
        for name, said in (("old", OLD), ("new", NEW))
    )
    base = tmp_path / "base.json"
    for made in ([], ["--by", "sex"]):
        assert karat("gate", old, "--update-baseline", base, *made).code == 0
        found = karat("gate", new, "--baseline", base, "--by", "channel")
        assert (found.code, found.out) == (2, "")
        assert "The baseline holds no slices by channel." in found.err
        assert "Make it with --by channel" in found.err
        assert ("slices by sex" in found.err) == bool(made)
        # With rows, those of the baseline are in the slices of these.
        karat("gate", old, "--update-baseline", base, "--with-rows", *made)
        rows = karat("gate", new, "--baseline", base, "--by", "channel", "--format", "json")
        slices = {rule["slice"] for rule in json.loads(rows.out)["rules"]}
        assert slices == {None, "channel=app", "channel=web"}
    assert karat("gate", old, "--update-baseline", base, "--by", "channel").code == 0
    assert karat("gate", old, "--baseline", base, "--by", "channel").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["--min", "nope=1"], ["--min", "accuracy"], ["--min", "accuracy=high"],
        ["--max-drop", "accuracy=0.1"], ["--baseline", "missing.parquet"],
        ["--min", "roc_auc_mu=0.5"], ["--min", "accuracy=0.5", "--by", "country"],
        ["--min", "accuracy=0.5", "--level", "2"], ["--min", "accuracy=0.5", "--ids", "nothing"],
        ["--min", "accuracy=0.5", "--with-rows"], ["--min", "accuracy=0.5", "--junit", "no/x.xml"],
        ["--evidence", "high"], ["--min", "accuracy=0.5", "--min-n", "0"],
        ["--min", "accuracy=0.5", "--inconclusive", "maybe"],
        ["--min", "accuracy=0.5", "--inconclusive", "pass", "--strict-inconclusive"],
    ],
)  # fmt: skip
def test_wrong_usage_exits_2(karat: Karat, old: str, arguments: list[str]) -> None:
    found = karat("gate", old, *arguments)
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err


def test_an_output_never_takes_the_place_of_an_input(karat: Karat, old: str) -> None:
    content = Path(old).read_bytes()
    for option in ("--junit", "--markdown", "--update-baseline"):
        assert karat("gate", old, "--min", "accuracy=0.1", option, old).code == 2
    assert Path(old).read_bytes() == content


def test_no_two_outputs_are_one_file(karat: Karat, old: str, tmp_path: Path) -> None:
    path, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to(path)
    for pair in (
        ["--junit", path, "--update-baseline", path], ["--junit", path, "--markdown", link],
        ["--markdown", link, "--update-baseline", path],
    ):  # fmt: skip
        ran = karat("gate", old, "--min", "accuracy=0.1", *pair)
        assert (ran.code, ran.out) == (2, "")
        assert "name one file" in ran.err
    assert not path.exists()


def test_the_json_of_a_report_is_an_unpaired_baseline(
    karat: Karat, old: str, new: str, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    assert karat("report", old, "-o", report).code == 0
    ran = karat("gate", new, "--baseline", report)
    assert ran.code == 1
    assert "significantly worse, unpaired" in ran.out
    assert "Note: Unpaired: the baseline holds no rows" in ran.out


def test_a_damaged_baseline_exits_2(karat: Karat, old: str, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    karat("gate", old, "--update-baseline", base, "--with-rows")
    text = base.read_text("utf-8")
    base.write_text(text.replace('"n":1000', '"n":1001', 1), "utf-8")
    found = karat("gate", old, "--baseline", base)
    assert found.code == 2
    assert "K205  This is not a valid baseline of a gate." in found.err


def test_rows_that_do_not_match_exit_2_unless_that_is_allowed(
    karat: Karat, old: str, tmp_path: Path
) -> None:
    part = {name: values[:900] for name, values in table(TRUE, NEW).items()}
    some = write(tmp_path / "some.parquet", part)
    refused = karat("gate", some, "--baseline", old)
    assert refused.code == 2
    assert "100 of 1000 rows are in" in refused.err
    allowed = karat("gate", some, "--baseline", old, "--allow-mismatch")
    assert allowed.code == 1
    assert "have no matching row and were left out" in allowed.out
    assert "n = 900" in allowed.out


def test_an_undefined_metric_exits_1(karat: Karat, tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", table(np.array([0, 0, 1, 1]), np.zeros(4, int)))
    found = karat("gate", path, "--min", "precision=0")
    assert found.code == 1
    assert "undefined" in found.out


def test_slices_and_too_few_rows(karat: Karat, tmp_path: Path) -> None:
    country = np.array(["NO"] * 980 + ["evil\x1b[31m|</x>"] * 20)
    path = write(tmp_path / "a.parquet", table(TRUE, OLD, country=country))
    xml, page = tmp_path / "gate.xml", tmp_path / "gate.md"
    found = karat("gate", path, "--min", "accuracy=0.85", "--by", "country", "--junit", xml,
                  "--markdown", page)  # fmt: skip
    assert found.code == 0
    assert "too few rows (20 of at least 30)" in found.out
    assert "\x1b" not in found.out
    assert "country=evil\\x1b[31m|</x>" in found.out
    (suite,) = ET.parse(xml).getroot()
    assert (suite.attrib["tests"], suite.attrib["skipped"]) == ("3", "1")
    assert "\x1b" not in page.read_text("utf-8")


def test_json_goes_to_standard_output_alone(karat: Karat, old: str, new: str) -> None:
    found = karat("gate", new, "--baseline", old, "--format", "json")
    content = json.loads(found.out)
    assert (found.code, content["exit_code"], content["passed"]) == (1, 1, False)
    assert content["paired"] is True
    assert [rule["metric"] for rule in content["rules"]] == ["accuracy", "macro_f1"]


def test_scores_are_gated(karat: Karat) -> None:
    rules = ["--min", "roc_auc_ovr_macro=0.9", "--max", "log_loss=1"]
    found = karat("gate", LOGREG, *rules)
    assert found.code == 0, found.out + found.err
    against = karat("gate", FOREST, "--baseline", LOGREG, "--max-drop", "log_loss=0.05")
    assert "rise of log_loss ≤ 0.05" in against.out
    assert against.code in (0, 1)


def github(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))


def test_github_actions_get_annotations_and_a_summary(
    karat: Karat, old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "summary.md"
    path.write_text("# Before\n", "utf-8")
    github(monkeypatch, path)
    found = karat("gate", old, "--min", "accuracy=0.99", "--format", "json")
    assert json.loads(found.out)["passed"] is False
    assert "::error title=karat gate%3A FAIL%2C old.parquet::accuracy ≥ 0.99" in found.err
    text = path.read_text("utf-8")
    assert text.startswith("# Before\n### karat gate: FAIL")
    warned = karat("gate", old, "--min", "accuracy=0.99", "--warn-only")
    assert (warned.code, "::warning title" in warned.err) == (0, True)
    path.write_text("x" * (1 << 20), "utf-8")
    assert karat("gate", old, "--min", "accuracy=0.99").code == 1
    assert path.stat().st_size == 1 << 20


def test_an_error_of_the_input_is_written_to_every_output(
    karat: Karat, old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    xml, page = tmp_path / "gate.xml", tmp_path / "gate.md"
    outputs = ("--junit", xml, "--markdown", page)
    assert karat("gate", old, "--min", "accuracy=0.1", *outputs).code == 0
    assert ET.parse(xml).getroot().attrib["errors"] == "0"
    github(monkeypatch, tmp_path / "summary.md")
    wrong = karat("gate", old, "--min", "accuracy=0.1", "--true", "none_such", *outputs)
    assert wrong.code == 2
    (suite,) = ET.parse(xml).getroot()
    (case,) = suite
    assert (suite.attrib["errors"], suite.attrib["name"]) == ("1", "karat gate: old.parquet")
    problem = case.find("error")
    assert problem is not None
    assert "K404" in problem.attrib["message"]
    assert "none_such" in str(problem.text)
    assert "no verdict" in page.read_text("utf-8")
    assert "::error title=karat gate%2C old.parquet::K404" in wrong.err


def test_a_summary_that_cannot_be_written_is_a_warning(
    karat: Karat, old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    github(monkeypatch, tmp_path)
    found = karat("gate", old, "--min", "accuracy=0.1")
    assert found.code == 0
    assert "the summary of the job was not written" in found.err


def test_nothing_is_told_to_github_elsewhere(karat: Karat, old: str) -> None:
    assert "::" not in karat("gate", old, "--min", "accuracy=0.99").err


def test_an_interrupt_exits_130(karat: Karat, old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("karat.api.gate.verb.gated", interrupted)
    assert karat("gate", old, "--min", "accuracy=0.1").code == 130


def test_the_process_exits_with_the_code(old: str, tmp_path: Path) -> None:
    def ran(*arguments: object) -> Ran:
        return in_process("gate", old, *arguments, folder=tmp_path)

    assert ran("--min", "accuracy=0.1").code == 0
    assert ran("--min", "accuracy=0.99").code == 1
    assert ran("--min", "nope=0.99").code == 2


def test_markdown_is_printed_as_it_is_written(karat: Karat, tmp_path: Path) -> None:
    rows, page = tmp_path / "rows.csv", tmp_path / "gate.md"
    rows.write_text("label,pred\n" + "0,0\n1,1\n" * 20)
    done = karat("gate", rows, "--min", "accuracy=0.5", "--format", "markdown", "--markdown", page)
    assert done.code == 0
    assert done.out == page.read_text()
    assert "| PASS |" in done.out

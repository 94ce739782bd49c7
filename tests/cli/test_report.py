"""`karat report`: result on stdout, the rest on stderr, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.api.report import Report
from karat.cli.demo import bundled
from karat.cli.options import labels_of, listed
from karat.errors.options import on_the_command_line
from karat.output.json import report_schema
from karat.output.layout import report_as_text
from tests.cli.running import Karat, in_process
from tests.optional import optional
from tests.sources.writing import MATRIX, TEN, write_csv, write_parquet

jsonschema = optional("jsonschema")


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Karat]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    write_csv(Path("ten.csv"), TEN)
    write_csv(Path("two.csv"), {"label": ["no", "yes", "yes"], "pred": ["no", "no", "yes"]})
    return Karat(capsys)


def test_the_worked_example(karat: Karat) -> None:
    ran = karat("report", "ten.csv", "--format", "json")
    assert ran.code == 0
    assert ran.err == "true=label, pred=pred, weights=none (10 rows)\n"
    found = json.loads(ran.out)
    jsonschema.Draft202012Validator(report_schema()).validate(found)
    assert found["confusion"] == MATRIX
    values = {name: result["value"] for name, result in found["metrics"].items()}
    expected = {
        "macro_precision": 0.4375,
        "macro_recall": 0.475,
        "macro_f1": (1 / 3 + 4 / 7 + 2 / 3) / 4,
        "weighted_precision": 0.65,
        "weighted_recall": 0.5,
        "weighted_f1": (2 / 3 + 20 / 7 + 4 / 3) / 10,
        "micro_f1": 0.5,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert [row["precision"] for row in found["per_class"]] == [0.25, 1.0, 0.5, 0.0]
    assert [row["recall"] for row in found["per_class"]] == [0.5, 0.4, 1.0, 0.0]
    assert found["source"]["files"] == ["ten.csv"]
    assert found["mapping"] == {"y_true": "label", "y_pred": "pred", "weights": None}


def test_text_is_the_default_and_plain_in_a_pipe(karat: Karat) -> None:
    ran = karat("report", "ten.csv")
    report = Report.from_json(karat("report", "ten.csv", "--format", "json").out)
    # Standard error has the line of columns.
    columns = "Columns\n  true=label, pred=pred, weights=none\n\n"
    with on_the_command_line():
        text = report_as_text(report)
    assert columns in text
    assert ran.out == text.replace(columns, "") + "\n"
    assert columns.splitlines()[1].strip() in ran.err
    assert "macro_precision       0.4375*" in ran.out


def test_the_result_goes_to_a_file(karat: Karat) -> None:
    ran = karat("report", "ten.csv", "-o", "out.json")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.endswith("Wrote out.json.\n")
    report = Report.from_json(Path("out.json").read_text())
    assert karat("report", "ten.csv", "-o", "out.txt").code == 0
    with on_the_command_line():
        assert Path("out.txt").read_text() == report_as_text(report) + "\n"
    assert karat("report", "ten.csv", "-o", "out.dat", "--format", "json").code == 0
    assert Path("out.dat").read_text() == Path("out.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ten.csv", "-o", "out.pdf"], "'.pdf' is not the extension of a format"),
        (["ten.csv", "-o", "out"], "'no extension' is not"),
        (["ten.csv", "-o", "nowhere/out.json"], "nowhere/out.json"),
        (["none.csv"], "K401  There is no such file"),
        (["none*.csv"], "K409  No file matches"),
        (["ten.csv", "--true", "lable"], "Nearest: 'label'"),
        (["ten.csv", "--metrics", "macro_f1,makro_f2"], "Nearest: macro_f1"),
        (["ten.csv", "--metrics", "f_beta(beta=-1)"], "K302"),
        (["ten.csv", "--where", "lable = 1"], "K408  The SQL query failed"),
        (["ten.csv", "--labels", "0,1,2"], "K109"),
        (["ten.csv", "--positive", "1"], "K112"),
        (["ten.csv", "--threads", "0"], "--threads"),
        (["ten.csv", "--undefined", "one"], "--undefined"),
        (["ten.csv", "--nulls", "keep"], "--nulls"),
        (["ten.csv", "--format", "pdf"], "--format"),
        (["ten.csv", "--frobnicate"], "--frobnicate"),
        (["SELECT 1 AS label"], "K406"),
        ([], "PREDICTIONS"),
        ([""], "One of PREDICTIONS is empty"),
        (["ten.csv", " "], "One of PREDICTIONS is empty"),
    ],
)
def test_what_is_wrong_is_one_message_and_exit_2(
    arguments: list[str], told: str, karat: Karat
) -> None:
    ran = karat("report", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_an_unknown_metric_is_told_before_the_data_is_read(karat: Karat) -> None:
    ran = karat("report", "none.csv", "--metrics", "accurracy")
    assert "K301" in ran.err
    assert "accuracy" in ran.err


def test_columns_filter_and_classes_are_options(karat: Karat) -> None:
    write_csv(
        Path("odd.csv"), {"a": [1, 0, 1, 1], "b": [1, 0, 0, 1], "sample_weight": [1, 1, 2, 5]}
    )
    ran = karat("report", "odd.csv", "--true", "a", "--pred", "b", "--where", "sample_weight < 5",
                "--labels", "1,0", "--positive", "1", "--format", "json")  # fmt: skip
    assert ran.err == "true=a, pred=b, weights=sample_weight (3 rows)\n"
    found = json.loads(ran.out)
    assert found["classes"]["labels"] == [1, 0]
    assert found["classes"]["positive"] == 1
    assert found["confusion"] == [[1, 2], [0, 1]]
    ran = karat("report", "odd.csv", "--true", "a", "--pred", "b", "--weights", "")
    assert ran.err == "true=a, pred=b, weights=none (4 rows)\n"


def test_metrics_are_chosen(karat: Karat) -> None:
    ran = karat("report", "ten.csv", "--metrics", "mcc, f_beta(beta=2, average=macro)",
                "--format", "json")  # fmt: skip
    assert list(json.loads(ran.out)["metrics"]) == ["macro_f_beta(beta=2)", "matthews_correlation"]
    shown = karat("report", "ten.csv", "--metrics", "mcc").out
    assert "matthews_correlation  0.3693  [" in shown
    assert "accuracy" not in shown
    every = karat("report", "ten.csv", "--metrics", "all").out
    assert "diagnostic_odds_ratio" in every
    assert "normalized_mutual_information" in every


def test_undefined_values_follow_the_policy(karat: Karat) -> None:
    def value(policy: str) -> float | None:
        ran = karat("report", "ten.csv", "--undefined", policy, "--format", "json")
        found: float | None = json.loads(ran.out)["metrics"]["macro_precision"]["value"]
        return found

    assert value("zero") == 1.75 / 4
    assert value("exclude") == 1.75 / 3
    assert value("nan") is None


def test_dropped_rows_and_doubtful_classes_are_warnings(karat: Karat) -> None:
    Path("gaps.csv").write_text("label,pred\ncat,Cat\n,dog\ndog,dog\n")
    assert karat("report", "gaps.csv").code == 2
    ran = karat("report", "gaps.csv", "--nulls", "drop")
    assert ran.code == 0
    assert "Warning: 1 of 3 rows have a missing label and were dropped." in ran.err
    assert "Doubt D111: Classes 'Cat' and 'cat' differ only in blanks or case." in ran.err
    assert "Warnings\n  1 of 3 rows have a missing label" in ran.out


def test_messages_name_options_as_they_are_typed(karat: Karat) -> None:
    err = karat("report", "ten.csv", "--where", "label < 2 AND pred < 2", "--positive", "maybe").err
    assert "K111  --positive is not one of the classes.\n      --positive 'maybe'; the" in err
    words = ["report", "words.csv"]
    Path("words.csv").write_text("label,p\nfraud,0.9\nok,0.1\nok,0.2\n")
    err = karat(*words).err
    assert "K190  Column 'p', one number for each row, needs to know which class is" in err
    assert "Give --positive fraud or --positive ok, the class that the column is of" in err
    assert karat(*words, "--positive", "fraud").code == 0
    Path("scores.csv").write_text("label,score\n1,0.9\n0,0.1\n0,0.2\n")
    err = karat("report", "scores.csv").err
    assert "State what it holds: --prob score or --score score; --score '' leaves it out." in err
    assert karat("report", "scores.csv", "--prob", "score").code == 0
    assert (
        "Doubt D102: The scores may be probabilities."
        in karat("report", "scores.csv", "--score", "score").err
    )


def test_several_files_and_a_query(karat: Karat) -> None:
    ran = karat("report", "ten.csv", bundled("digits_rf.parquet"))
    told, warning = ran.err.splitlines()
    assert told == "true=label, pred=pred, weights=none, folds=none (--folds auto) (1 807 rows)"
    assert warning.startswith(
        "Doubt D108: proba_* (10), found by name, were not read. "
        "The files do not hold the same columns."
    )
    assert "ten.csv and 1 more · 1 807 rows" in ran.out
    ran = karat("report", "FROM 'ten.csv' WHERE label > 0")
    assert "SQL query · 8 rows" in ran.out


def test_standard_input_and_pipes(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "p.parquet", TEN)
    ran = in_process("report", "-", stdin=path.read_bytes())
    assert ran.code == 0
    assert "standard input · 10 rows · 4 classes" in ran.out
    ran = in_process("report", "-", stdin=b"")
    assert ran.code == 2
    assert ran.err.startswith("K402")


def test_hostile_names_reach_no_terminal(karat: Karat) -> None:
    write_csv(Path("a\x1b[2J.csv"), {"label": ["\x1b[31mred", "b"], "pred": ["b", "\x1b[31mred"]})
    for arguments in (["report", "a\x1b[2J.csv"], ["report", "no\x1b[2J.csv"],
                      ["report", "a\x1b[2J.csv", "--labels", "b"], ["columns", "a\x1b[2J.csv"],
                      ["report", "a\x1b[2J.csv", "--format", "json"]):  # fmt: skip
        ran = karat(*arguments)
        assert "\x1b" not in ran.out + ran.err
        assert "\\x1b" in ran.out + ran.err or "\\u001b" in ran.out


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (None, None),
        ("a", ["a"]),
        ("a, b,c", ["a", "b", "c"]),
        ("f_beta(beta=2, average=macro),mcc", ["f_beta(beta=2, average=macro)", "mcc"]),
        ("expected_cost(costs=[[0,1],[1,0]]),mcc", ["expected_cost(costs=[[0,1],[1,0]])", "mcc"]),
        ("", [""]),
    ],
)
def test_lists_in_one_word(text: str | None, items: list[str] | None) -> None:
    assert listed(text) == items


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (None, None),
        ("no,yes", ["no", "yes"]),
        ('["a, b", "c"]', ["a, b", "c"]),
        ("[1, 0]", ["1", "0"]),
        ("[true, false]", ["true", "false"]),
        ("[UNK],word", ["[UNK]", "word"]),
        ("[[1], 2]", ["[[1], 2]"]),
    ],
)
def test_labels_with_commas_are_a_json_list(text: str | None, labels: list[str] | None) -> None:
    assert labels_of(text) == labels


def test_classes_whose_labels_hold_commas(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": ["a, b", "c"], "pred": ["a, b", "a, b"]})
    ran = karat("report", "p.csv", "--labels", '["c", "a, b"]', "--format", "json")
    assert json.loads(ran.out)["classes"]["labels"] == ["c", "a, b"]


def test_on_a_screen_a_warning_is_said_once(karat: Karat, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("gaps.csv").write_text("label,pred\ncat,Cat\n,dog\ndog,dog\n")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    ran = karat("report", "gaps.csv", "--nulls", "drop")
    assert (ran.out + ran.err).count("have a missing label") == 1
    told = karat("report", "gaps.csv", "--nulls", "drop", "--format", "json")
    assert "Warning: 1 of 3 rows" in told.err

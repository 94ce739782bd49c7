"""Gold labels and a judge on the command line: bundled data in one line."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest

from karat.output.json import report_schema
from tests.architecture.tracked import ROOT
from tests.cli.running import Karat

PREDICTIONS = ROOT / "examples" / "predictions"
DIGITS = str(PREDICTIONS / "digits_judged.csv")
COLUMNS = "--true", "gold", "--judge", "judge"


@pytest.fixture
def karat(capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


def test_a_report_covers_the_truth_and_has_every_form(tmp_path: Path, karat: Karat) -> None:
    whole = pq.read_table(PREDICTIONS / "digits_nb.parquet")
    right = sum(
        a == b for a, b in zip(*(whole[x].to_pylist() for x in ("label", "pred")), strict=True)
    )
    found = karat("report", DIGITS, *COLUMNS, "--format", "json")
    report = json.loads(found.out)
    assert report["schema"] == "karat.judged/2"
    assert report["source"] == {"files": [DIGITS]}
    jsonschema.validate(report, report_schema("judged"))
    one = report["metrics"]["accuracy"]
    assert one["low"] <= right / 1797 <= one["high"]
    assert one["high"] - one["low"] < 0.6 * (one["gold_high"] - one["gold_low"])
    assert "true=gold, judge=judge, pred=pred (1 797 rows)" in found.err
    for form in ("text", "markdown", "latex", "csv"):
        assert "accuracy" in karat("report", DIGITS, *COLUMNS, "--format", form).out
    page = tmp_path / "judge.html"
    assert karat("report", DIGITS, *COLUMNS, "-o", str(page)).code == 0
    text = page.read_text(encoding="utf-8")
    assert "the judge makes 300 gold labels worth 943" in text
    assert "Judge  against the gold labels" in text


def test_the_truth_may_hold_the_gold_labels(karat: Karat) -> None:
    given = karat("report", DIGITS, *COLUMNS, "--format", "json").out
    assert karat("report", DIGITS, "--judge", "judge", "--format", "json").out == given


def test_missing_truth_names_the_judge(karat: Karat) -> None:
    found = karat("report", DIGITS)
    assert found.code == 2
    assert "give --judge judge" in found.err


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--by", "pred"), "K243"),
        (("--nulls", "drop"), "K243"),
        (("--method", "bootstrap"), "K243"),
        (("--level", "none"), "K243"),
        (("--metrics", "support"), "K247"),
        (("--gold-weights", "judge_confidence"), None),
    ],
)
def test_what_a_judge_does_not_have_is_refused(
    more: tuple[str, ...], code: str | None, karat: Karat
) -> None:
    found = karat("report", DIGITS, *COLUMNS, *more)
    assert found.code == (0 if code is None else 2)
    assert code is None or code in found.err


def test_systems_are_compared(tmp_path: Path, karat: Karat) -> None:
    rows = list(csv.DictReader(io.StringIO(Path(DIGITS).read_text(encoding="utf-8"))))
    for name in ("nb", "logreg"):
        pred = pq.read_table(PREDICTIONS / f"digits_{name}.parquet")["pred"].to_pylist()
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows({**row, "pred": p} for row, p in zip(rows, pred, strict=True))
    files = [str(tmp_path / f"{name}.csv") for name in ("nb", "logreg")]
    found = json.loads(karat("compare", *files, *COLUMNS, "--format", "json").out)
    one = next(x for x in found["differences"] if x["metric"] == "accuracy")
    assert one["low"] <= 0.9694 - 0.8509 <= one["high"]
    assert "prediction-powered t" in one["method"]
    assert "K104" in karat("compare", *files, "--true", "gold").err
    assert "K242" in karat("compare", *files, "--true", "gold", "--gold-is-random").err


def test_rows_to_label_are_drawn(karat: Karat) -> None:
    given = "label", DIGITS, "--judge", "judge", "--confidence", "judge_confidence", "-n", "50"
    found = karat(*given)
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert len(rows) == 50
    assert list(rows[0]) == ["id", "judge", "gold", "gold_weight"]
    assert abs(sum(float(row["gold_weight"]) for row in rows) - 1797) < 1e-6
    assert karat(*given).out == found.out
    assert karat(*given, "--seed", "1").out != found.out
    assert "K248" in karat("label", DIGITS, "--judge", "judge", "-n", "5").err


def test_rows_to_label_do_not_replace_a_file(tmp_path: Path, karat: Karat) -> None:
    target = tmp_path / "to_label.csv"
    words = ("label", DIGITS, "--judge", "judge", "-n", "20", "-o", str(target))
    assert karat(*words).code == 0
    target.write_text("labels of people", encoding="utf-8")
    again = karat(*words)
    assert again.code == 2
    assert "may hold labels" in again.err
    assert target.read_text(encoding="utf-8") == "labels of people"


def test_one_file_with_a_column_for_each_system_leads_to_a_query(karat: Karat) -> None:
    found = karat("compare", DIGITS, "--pred", "pred,judge", *COLUMNS)
    assert found.code == 2
    assert f"judge AS pred FROM '{DIGITS}'\" --true gold --judge judge" in found.err
    called = "karat.compare(table['gold'], table[['pred', 'judge']], "
    assert f"{called}design=karat.Judge(table['judge']))" in found.err


@pytest.mark.parametrize("has_ids", [True, False])
def test_the_command_that_label_prints_reads_the_labels_of_people(
    has_ids: bool, tmp_path: Path, karat: Karat
) -> None:
    whole = pq.read_table(PREDICTIONS / "digits_nb.parquet").to_pylist()
    with open(DIGITS, encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    source, target = tmp_path / "the answers.csv", tmp_path / "to label.csv"
    names = ["id", "judge", "judge_confidence", "pred"] if has_ids else ["judge", "pred"]
    _write(source, [{name: row[name] for name in names} for row in rows])
    found = karat("label", source, "--judge", "judge", "-n", 120, "--seed", 3, "-o", target)
    assert "Fill in its column gold" in found.err
    with target.open(encoding="utf-8") as lines:
        drawn = list(csv.DictReader(lines))
    for row in drawn:
        row["gold"] = str(whole[int(row["id" if has_ids else "row"])]["label"])
    _write(target, drawn)
    words = shlex.split(found.err.strip().splitlines()[-1])
    assert words[:2] == ["karat", "report"]
    report = json.loads(karat(*words[1:], "--format", "json").out)
    assert (report["n"], report["n_gold"]) == (1797, 120)
    right = sum(row["label"] == row["pred"] for row in whole) / 1797
    one = report["metrics"]["accuracy"]
    assert one["low"] <= right <= one["high"]
    assert report["doubts"] == []
    # Some are left: they count as rows that were not drawn.
    for row in drawn[::4]:
        row["gold"] = ""
    _write(target, drawn)
    report = json.loads(karat(*words[1:], "--format", "json").out)
    assert report["n_gold"] == 90
    assert [one["code"] for one in report["doubts"]] == ["D125"]
    assert "30 of 120" in report["doubts"][0]["evidence"]


def test_gold_columns_of_the_file_give_way_to_the_labels(tmp_path: Path, karat: Karat) -> None:
    target = tmp_path / "labels.csv"
    found = karat("label", DIGITS, "--judge", "judge", "-n", 60, "-o", target)
    with target.open(encoding="utf-8") as lines:
        drawn = list(csv.DictReader(lines))
    _write(target, [row | {"gold": row["judge"]} for row in drawn])
    words = shlex.split(found.err.strip().splitlines()[-1])
    report = json.loads(karat(*words[1:], "--format", "json").out)
    assert report["n_gold"] == 60
    assert report["judge"]["metrics"]["accuracy"]["value"] == 1.0


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("report", DIGITS, "--true", "judge", "--judge", "judge"), "names the same column"),
        (
            ("report", DIGITS, "--true", "judge", "--judge", "gold"),
            "Every row needs a judge's label",
        ),
        (("report", DIGITS, "--true", "pred", "--judge", "judge"), "give the labels as --true"),
        (
            ("label", DIGITS, "--judge", "judge", "-n", "50", "--ids", "nope"),
            "There is no column 'nope' for id",
        ),
    ],
)
def test_columns_that_do_not_fit_are_named(
    words: tuple[str, ...], shown: str, karat: Karat
) -> None:
    found = karat(*words)
    assert found.code != 0
    assert shown in found.err

"""`karat compare` on the command line: the table, the flips, and the exit code 0."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

import karat as library
from karat.cli.compare import _names
from karat.errors.text import interval, value
from tests.cli.running import Karat
from tests.gate.rows import shuffled, table, two_models, write

DIGITS = Path(__file__).parents[2] / "src/karat/cli/demo_data"
LOGREG, FOREST = DIGITS / "digits_logreg.parquet", DIGITS / "digits_rf.parquet"
TRUE, OLD, NEW = two_models(1000, lost=40, won=4)
LABELS = np.array(["ant", "bee", "cat"])


@pytest.fixture
def karat(capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [
        write(tmp_path / "old.parquet", table(LABELS[TRUE], LABELS[OLD])),
        write(tmp_path / "new.parquet", shuffled(table(LABELS[TRUE], LABELS[NEW]))),
    ]


def test_two_models_are_compared_by_id(karat: Karat, files: list[str]) -> None:
    found = karat("compare", *files)
    assert found.code == 0
    assert "new against old  4 worse" in found.out
    assert "worse" in found.out
    assert "Rows were matched by their ids." in found.err


def test_json_is_that_of_the_function(karat: Karat, files: list[str], tmp_path: Path) -> None:
    found = karat("compare", *files, "--metrics", "accuracy,mcc", "--format", "json")
    expected = library.compare(TRUE, {"old": OLD, "new": NEW}, metrics=["accuracy", "mcc"])
    content = json.loads(found.out)
    assert content["differences"] == expected.to_dict()["differences"]
    assert content["labels"] == ["ant", "bee", "cat"]
    out = tmp_path / "out.json"
    assert karat("compare", *files, "--metrics", "accuracy,mcc", "-o", out).code == 0
    assert json.loads(out.read_text("utf-8")) == content


def test_flips_are_written_with_ids_and_labels(
    karat: Karat, files: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "flips.csv"
    assert karat("compare", *files, "--flips", out).code == 0
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 44
    for row in rows:
        i = int(row["id"])
        assert row["true"] == LABELS[TRUE[i]]
        assert (row["a"], row["said_a"]) == ("new", LABELS[NEW[i]])
        assert (row["b"], row["said_b"]) == ("old", LABELS[OLD[i]])
        assert row["right"] == ("new" if NEW[i] == TRUE[i] else "old")


def test_three_models_of_the_demo_and_scores(karat: Karat) -> None:
    found = karat("compare", LOGREG, FOREST, LOGREG, "--adjust", "maxt", "--margin", "0.05")
    assert found.code == 0
    assert "log_loss" in found.out
    assert "digits_rf" in found.out
    first = karat("compare", LOGREG, FOREST, LOGREG, "--against-first", "--format", "json")
    pairs = {(one["a"], one["b"]) for one in json.loads(first.out)["differences"]}
    assert len(pairs) == 2


def test_rows_without_ids_are_matched_by_order_and_that_is_told(
    karat: Karat, tmp_path: Path
) -> None:
    paths = []
    for name, said in (("a", OLD), ("b", NEW)):
        path = tmp_path / f"{name}.csv"
        lines = [f"{t},{p}" for t, p in zip(TRUE.tolist(), said.tolist(), strict=True)]
        path.write_text("\n".join(["label,pred", *lines]) + "\n", "utf-8")
        paths.append(path)
    found = karat("compare", *paths)
    assert found.code == 0
    assert "matched by their order in the files" in found.err


@pytest.mark.parametrize(
    "arguments",
    [["--metrics", "nope"], ["--margin", "-1"], ["--level", "0"], ["--adjust", "bonferroni"],
     ["--metrics", "roc_auc_mu"], ["--ids", "nothing"], ["-o", "no/folder.json"]],
)  # fmt: skip
def test_wrong_usage_exits_2(karat: Karat, files: list[str], arguments: list[str]) -> None:
    found = karat("compare", *files, *arguments)
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err


def test_one_model_is_no_comparison(karat: Karat, files: list[str]) -> None:
    assert karat("compare", files[0]).code == 2


def test_rows_that_do_not_match_exit_2_unless_that_is_allowed(
    karat: Karat, files: list[str], tmp_path: Path
) -> None:
    part = {name: values[:900] for name, values in table(LABELS[TRUE], LABELS[NEW]).items()}
    some = write(tmp_path / "some.parquet", part)
    refused = karat("compare", files[0], some)
    assert refused.code == 2
    assert "K172" in refused.err
    allowed = karat("compare", files[0], some, "--allow-mismatch")
    assert allowed.code == 0
    assert "have no matching row and were left out" in allowed.err


def test_what_both_files_warn_of_is_said_once(karat: Karat, tmp_path: Path) -> None:
    true, old, new = two_models(200, lost=8)
    of = {"user_id": np.arange(200) % 50}
    paths = [write(tmp_path / f"{name}.parquet", table(true, said, **of))
             for name, said in (("old", old), ("new", new))]  # fmt: skip
    ran = karat("compare", *paths)
    assert (ran.code, ran.err.count("Rows may belong together.")) == (0, 1)


def test_eighty_columns_keep_both_values_and_the_difference(
    karat: Karat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = karat("compare", LOGREG, FOREST).out.splitlines()
    content = json.loads(karat("compare", LOGREG, FOREST, "--format", "json").out)
    assert max(map(len, lines)) <= 80
    start = next(i for i, line in enumerate(lines) if " against " in line)
    assert lines[start] == "digits_rf against digits_logreg  2 worse, 5 inconclusive"
    # The names of the models head their values, and the rows are in the order of the metrics.
    rows = [re.split(r" {2,}", line.strip()) for line in lines[start + 1 :]]
    assert rows[0] == ["metric", "…logreg", "…rf", "diff", "95 % interval", "p"]
    # The line above names both models in full.
    assert not any(" = digits" in line for line in lines)
    assert [row[0] for row in rows[1:8]] == [
        "accuracy", "macro_f1", "balanced_accuracy", "matthews_correlation",
        "roc_auc_ovr_macro", "log_loss", "brier",
    ]  # fmt: skip
    for row, one in zip(rows[1:8], content["differences"], strict=True):
        assert row[:3] == [one["metric"], value(one["value_b"]), value(one["value_a"])]
        assert row[3].lstrip("+") == value(one["difference"])
        assert row[4] == interval(one["low"], one["high"])
    told = " ".join(lines[start + 9 :])
    assert told.lstrip().startswith("verdict  ")
    for one in content["differences"]:
        assert re.search(rf"{one['verdict']}: [^;:]*\b{one['metric']}\b", told)


def test_columns_that_do_not_fit_are_named(karat: Karat, files: list[str]) -> None:
    ran = karat("compare", *files)
    (told,) = (line for line in ran.out.splitlines() if "not shown at this width: " in line)
    assert "detectable" in told


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("a.csv", "b.csv"), ["a", "b"]),
        (("lr/preds.csv", "rf/preds.csv"), ["lr", "rf"]),
        (("/runs/7/out/preds.csv", "/runs/8/out/preds.csv"), ["7", "8"]),
        (("preds.csv", "old/preds.csv"), ["preds", "old/preds"]),
        (("a/p.csv", "b/p.csv", "q.csv"), ["a/p", "b/p", "q"]),
        (("a.csv", "a.parquet"), ["a.csv", "a.parquet"]),
        (("a.csv", "a.csv"), ["a.csv (1)", "a.csv (2)"]),
        (("SELECT 1/2", "SELECT 3/2"), ["query 1", "query 2"]),
        ((".", "b.csv"), [".", "b"]),
    ],
)
def test_models_are_called_by_what_tells_their_files_apart(
    files: tuple[str, ...], names: list[str]
) -> None:
    assert _names(files) == names

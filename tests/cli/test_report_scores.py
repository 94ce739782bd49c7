"""`karat report` on files with probabilities and scores: options, mapping, every bad input."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat as library
from karat.cli.demo import bundled
from karat.cli.options import columns_of, shown_mapping
from karat.output.json import report_schema
from karat.output.layout import report_as_text
from tests.cli.running import Karat, in_process
from tests.optional import optional
from tests.sources.writing import write_csv, write_parquet

jsonschema = optional("jsonschema")

TWO = {
    "label": ["ham", "spam", "spam", "ham", "spam"],
    "p_ham": [0.75, 0.25, 0.5, 0.625, 0.375],
    "p_spam": [0.25, 0.75, 0.5, 0.375, 0.625],
    "margin": [-1.0, 2.0, 0.25, -0.5, 1.0],
}
SPAM = ("--positive", "spam")
DIGITS = (
    "proba_0…proba_9 (10), true=label, pred=pred, weights=none, folds=none (--folds auto) "
    "(1 797 rows)"
)


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Karat]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    write_csv(Path("two.csv"), TWO)
    return Karat(capsys)


def values(karat: Karat, *arguments: object) -> dict[str, Any]:
    ran = karat("report", *arguments, "--format", "json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_the_digits_show_rankings_losses_and_calibration(karat: Karat) -> None:
    shutil.copy(bundled("digits_logreg.parquet"), "p.parquet")
    ran = karat("report", "p.parquet")
    assert (ran.code, ran.err) == (0, f"prob={DIGITS}\n")
    assert "p.parquet · 1 797 rows · 10 classes · probabilities\n" in ran.out
    for name in ("roc_auc_ovr_macro", "roc_auc_ovo_macro", "mean_average_precision", "log_loss",
                 "brier", "expected_calibration_error"):  # fmt: skip
        assert f"{name} " in ran.out.partition("Classes")[0]
    heading = ran.out.partition("\nClasses\n")[2].splitlines()[0]
    assert heading.split() == [
        "class", "support", "predicted", "precision", "recall", "specificity", "f1", "roc_auc",
    ]  # fmt: skip
    head, _, rest = report_as_text(library.evaluate("p.parquet")).partition("Columns\n")
    # Standard error has the line of columns.
    assert ran.out == head + rest.partition("\n\n")[2] + "\n"


def test_the_json_of_scores_follows_its_schema(karat: Karat) -> None:
    found = values(karat, bundled("digits_logreg.parquet"))
    jsonschema.Draft202012Validator(report_schema()).validate(found)
    assert found["mapping"]["y_prob"] == [f"proba_{i}" for i in range(10)]
    assert found["scores"]["kind"] == "probabilities"
    assert [set(row) for row in found["thresholds"]] == [
        {"label", "name", "f1", "informedness", "cost"}
    ] * 10
    assert 0.999 < found["metrics"]["roc_auc_ovr_macro"]["value"] < 1
    assert all(0.9 < row["roc_auc"] <= 1 for row in found["per_class"])


@pytest.mark.parametrize("named", [["--prob", "p_*"], ["--prob", "p_ham,p_spam"], [],
                                   ["--prob", '["p_ham", "p_spam"]']])  # fmt: skip
def test_probabilities_are_named_by_pattern_and_by_list(named: list[str], karat: Karat) -> None:
    ran = karat("report", "two.csv", *named, *SPAM)
    assert ran.err == (
        "prob=p_ham…p_spam (2), true=label, pred=largest probability, weights=none (5 rows)\n"
    )
    found = values(karat, "two.csv", *named, *SPAM)
    assert found["metrics"]["roc_auc"]["value"] == 1.0
    assert found["metrics"]["log_loss"]["value"] == pytest.approx(
        -np.mean(np.log([0.75, 0.75, 0.5, 0.625, 0.625])), rel=1e-12
    )
    assert found["confusion"] == [[2, 0], [1, 2]]


def test_one_column_is_the_positive_class(karat: Karat) -> None:
    whole = values(karat, "two.csv", *SPAM)["metrics"]
    # The name of one column names the positive class.
    assert values(karat, "two.csv", "--prob", "p_spam")["metrics"] == whole
    ran = karat("report", "two.csv", "--prob", "p_spam")
    assert ran.err.startswith("prob=p_spam, true=label, pred=largest probability,")
    flipped = values(karat, "two.csv", "--prob", "p_ham", "--positive", "ham")["metrics"]
    assert flipped["log_loss"] == whole["log_loss"]
    ran = karat("report", "two.csv", "--prob", "p_ham", *SPAM)
    assert (ran.code, "K137" in ran.err) == (2, True)
    assert "positive class ham" in karat("report", "two.csv", "--prob", "p_ham").out


def test_scores_are_not_probabilities(karat: Karat) -> None:
    ran = karat("report", "two.csv", "--score", "margin")
    assert (ran.code, "K190" in ran.err) == (2, True)
    assert "Give --positive ham or --positive spam, the class that the column is of" in ran.err
    ran = karat("report", "two.csv", "--score", "margin", *SPAM)
    assert ran.err.startswith("score=margin, true=label, pred=none, weights=none")
    assert "positive class spam · scores · no class predicted\n" in ran.out
    found = values(karat, "two.csv", "--score", "margin", *SPAM)["metrics"]
    assert found["roc_auc"]["value"] == 1.0
    assert "hinge_loss" in found
    assert "hinge_loss" not in values(karat, "two.csv")["metrics"]
    ran = karat("report", "two.csv", "--prob", "margin", *SPAM)
    assert (ran.code, "K132" in ran.err, "--score" in ran.err) == (2, True, True)


def test_an_empty_name_leaves_scores_out(karat: Karat) -> None:
    write_csv(Path("three.csv"), {**TWO, "pred": ["ham"] * 5})
    found = values(karat, "three.csv", "--prob", "", "--score", "")
    assert found["scores"] is None
    assert "roc_auc" not in found["metrics"]
    assert karat("report", "three.csv", "--prob", "", *SPAM).err == (
        "true=label, pred=pred, weights=none (5 rows)\n"
    )


def test_a_threshold_decides_what_is_predicted(karat: Karat) -> None:
    ran = karat("report", "two.csv", "--threshold", "0.375", *SPAM)
    assert "pred=probability ≥ 0.375, weights=none" in ran.err
    assert "probabilities\npredicted at probability ≥ 0.375\n" in ran.out
    found = values(karat, "two.csv", "--threshold", "0.375", *SPAM)
    assert found["confusion"] == [[1, 1], [0, 3]]
    assert found["scores"]["threshold"] == 0.375
    # Predictions that were only found give way, and the report does not claim to read them.
    write_csv(Path("three.csv"), {**TWO, "pred": ["ham"] * 5})
    assert karat("report", "three.csv").err.count("pred=pred") == 1
    found = values(karat, "three.csv", "--threshold", "0.375", *SPAM)
    assert (found["confusion"], found["mapping"]["y_pred"]) == ([[1, 1], [0, 3]], None)


def test_metrics_of_scores_are_chosen(karat: Karat) -> None:
    ran = karat("report", "two.csv", *SPAM, "--metrics", "auc,roc_auc(max_fpr=0.5),log_loss")
    assert ran.code == 0
    assert "roc_auc               1.0000  [0.0205, 1.0000]\n" in ran.out
    assert "Thresholds" not in ran.out
    every = karat("report", "two.csv", *SPAM, "--metrics", "all").out
    assert "pr_auc_trapezoid" in every
    assert "spiegelhalter_z" in every


def test_labels_of_a_file_are_put_in_order(karat: Karat) -> None:
    found = values(karat, "two.csv", "--labels", "spam,ham", "--positive", "ham")
    assert found["classes"]["labels"] == ["spam", "ham"]
    assert found["mapping"]["y_prob"] == ["p_spam", "p_ham"]
    assert found["metrics"]["roc_auc"]["value"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--prob", "q_*"], "K404"),
        (["--prob", "p_ham,p_ham"], "named twice"),
        (["--prob", "label"], "K406"),
        (["--prob", "label", "--true", "p_ham"], "K130"),
        (["--prob", "p_ham", "--score", "margin"], "K129"),
        (["--true", "p_ham", "--prob", "p_ham"], "K157"),
        (["--threshold", "nan"], "K136"),
        (["--threshold", "inf"], "K136"),
        (["--threshold", "half"], "--threshold"),
        (["--threshold", "0.5", "--pred", "label"], "K140"),
        (["--threshold", "0.5", "--prob", "", "--score", ""], "K406"),
        (["--metrics", "roc_auc_ovr_makro"], "K301"),
        (["--metrics", "top_k_accuracy(k=3)"], "K302"),
        (["--metrics", "top_k_accuracy(k=0)"], "K302"),
        (["--labels", "ham,spam,egg"], "K137"),
        (["--labels", "ham"], "K109"),
        (["--positive", "egg"], "K111"),
        (["--weights", "margin"], "K113"),
        (["--where", "label = 'egg'"], "K402"),
    ],
)
def test_what_is_wrong_is_one_message_and_exit_2(
    arguments: list[str], told: str, karat: Karat
) -> None:
    ran = karat("report", "two.csv", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("row", "column", "value", "told"),
    [
        (3, "p_spam", "nan", "K131"),
        (2, "p_ham", "", "K131"),
        (2, "p_ham", "inf", "K131"),
        (1, "p_spam", "1.5", "K132"),
        (4, "p_ham", "0.9", "K133"),
    ],
)
def test_a_bad_value_is_told_with_its_row_and_column(
    row: int, column: str, value: str, told: str, karat: Karat
) -> None:
    changed = {name: list(map(str, found)) for name, found in TWO.items()}
    changed[column][row] = value
    write_csv(Path("bad.csv"), changed)
    ran = karat("report", "bad.csv")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(told)
    assert f"First at row {row}" in ran.err
    assert column in ran.err or told == "K133"


def test_metrics_of_scores_of_a_file_without_scores_are_an_error(karat: Karat) -> None:
    write_csv(Path("labels.csv"), {"label": [0, 1], "pred": [0, 1]})
    ran = karat("report", "labels.csv", "--metrics", "roc_auc")
    assert (ran.code, ran.out) == (2, "")
    assert "\nK210  roc_auc cannot be computed from labels." in ran.err
    ran = karat("report", "labels.csv", "--threshold", "0.5")
    assert (ran.code, "K136" in ran.err) == (2, True)


def test_columns_of_lists_and_queries(karat: Karat) -> None:
    lists = [list(pair) for pair in zip(TWO["p_ham"], TWO["p_spam"], strict=True)]
    write_parquet(Path("lists.parquet"), {"label": TWO["label"], "probs": lists})
    ran = karat("report", "lists.parquet")
    assert ran.err.startswith("prob=probs, true=label, pred=largest probability")
    assert values(karat, "lists.parquet")["metrics"] == values(karat, "two.csv")["metrics"]
    query = "SELECT label AS y, p_spam FROM 'two.csv'"
    found = values(karat, query, "--prob", "p_spam")
    assert found["metrics"] == values(karat, "two.csv", *SPAM)["metrics"]


def test_a_terminal_that_shows_only_ascii(tmp_path: Path) -> None:
    path = bundled("digits_logreg.parquet")
    ran = in_process("report", path, environment={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert (ran.out + ran.err).isascii()
    assert ran.err.startswith("prob=proba_0~proba_9 (10), true=label")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (None, None),
        ("", ""),
        ("p_*", "p_*"),
        ("a,b", ["a", "b"]),
        ('["a, b", "c"]', ["a, b", "c"]),
        ('["a, b"]', "a, b"),
    ],
)
def test_columns_in_one_word(text: str | None, columns: str | list[str] | None) -> None:
    assert columns_of(text) == columns


def test_a_mapping_in_one_line() -> None:
    assert shown_mapping({"y_true": "y", "y_pred": "p"}) == "y_true=y, y_pred=p, weights=none"
    mapping = {"y_true": "y", "y_pred": None, "weights": "w", "y_score": ["z"]}
    told = "y_score=z, y_true=y, y_pred=none, weights=w"
    assert shown_mapping(mapping) == shown_mapping(mapping, of_sets=True) == told
    assert shown_mapping(mapping, has_predictions=True) == told.replace("none", "largest score")
    assert shown_mapping(mapping, of_sets=True, has_predictions=True) == told.replace(
        "none", "each label at its threshold"
    )
    assert shown_mapping(mapping, 0.5) == told.replace("none", "score ≥ 0.5")


@pytest.mark.parametrize("size", ["500", "0", "1023KiB", "-1", "five", "1e9"])
def test_a_size_that_is_too_small_or_none_is_refused(size: str, karat: Karat) -> None:
    write_parquet(Path("two.parquet"), TWO)
    ran = karat("report", "two.parquet", "--prob", "p_ham", "p_spam", f"--max-memory={size}")
    assert (ran.code, ran.out) == (2, "")
    assert "K122" in ran.err
    assert "500MB or 2GiB" in ran.err

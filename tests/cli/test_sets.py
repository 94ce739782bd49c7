"""Sets of labels on the command line: the report of `karat.evaluate`, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from karat import Labels, MultilabelReport, evaluate
from tests.cli.running import Karat

TEXTS = {"true": ["a | c", "b", "", "a|b|d", "c", ""], "pred": ["a", "b|c", "", "a|d", "", "b"]}
LABELS = list("abcd")


def wide() -> pd.DataFrame:
    return pd.DataFrame(
        {
            f"{side}_{label}": [int(label in text) for text in texts]
            for side, texts in TEXTS.items()
            for label in LABELS
        }
    )


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Karat:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    pd.DataFrame(TEXTS).to_csv("tags.csv", index=False)
    lists = {x: [[y.strip() for y in z.split("|") if y] for z in zs] for x, zs in TEXTS.items()}
    pd.DataFrame(lists).to_parquet("tags.parquet")
    wide().to_csv("wide.csv", index=False)
    return Karat(capsys)


def test_three_forms_give_one_report(karat: Karat) -> None:
    known = evaluate(wide().iloc[:, :4].to_numpy(), wide().iloc[:, 4:].to_numpy(), labels=LABELS)
    for command in (
        ("tags.csv", "--separator", "|"),
        ("tags.parquet",),
        ("wide.csv",),
        ("wide.csv", "--true", "true_*", "--pred", "pred_*"),
    ):
        done = karat("report", *command, "--labels", "a,b,c,d", "--format", "json")
        assert done.code == 0, done.err
        told = json.loads(done.out)
        for part in ("tally", "metrics", "per_class", "transfers"):
            assert told[part] == json.loads(known.to_json())[part], part


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((), "subset_accuracy  0.1667"),
        (("--format", "markdown"), "| subset_accuracy "),
        (("--format", "latex"), "subset\\_accuracy"),
        (("--format", "csv"), "subset_accuracy,"),
        (("--metrics", "micro_f1"), "micro_f1  0.6154"),
        (("--metrics", "all"), "jaccard"),
    ],
)
def test_every_format(karat: Karat, given: tuple[str, ...], wanted: str) -> None:
    done = karat("report", "tags.csv", "--separator", "|", *given)
    assert done.code == 0, done.err
    assert wanted in done.out
    assert "separator '|': true labels of the first rows: a and c; b; none" in done.err


def test_files_are_written_and_columns_are_shown(karat: Karat) -> None:
    for name in ("report.html", "report.txt", "report.json"):
        done = karat("report", "tags.parquet", "-o", name)
        assert done.code == 0, done.err
        assert "subset_accuracy" in Path(name).read_text(encoding="utf-8")
    found = MultilabelReport.from_json(Path("report.json").read_text(encoding="utf-8"))
    assert (
        found["micro_f1"].value
        == evaluate("tags.csv", labels=Labels(separator="|"))["micro_f1"].value
    )
    shown = karat("columns", "tags.csv", "--separator", "|")
    assert shown.code == 0
    assert "averages over labels and over rows" in shown.out
    assert "true labels of the first rows: a and c; b; none" in " ".join(shown.out.split())
    refused = karat("report", "tags.parquet", "--separator", "|")
    assert refused.code == 2
    assert "Leave --separator out" in refused.err


def test_slices_of_columns(karat: Karat) -> None:
    table = pd.DataFrame({**TEXTS, "country": list("aabbab"), "sex": list("mfmfmf")})
    table.to_csv("sliced.csv", index=False)
    given = ("sliced.csv", "--separator", "|", "--by", "country", "--by", "country,sex")
    done = karat("report", *given)
    assert done.code == 0, done.err
    for told in ("Slices by country\n", "Slices by country × sex\n", "a, f"):
        assert told in done.out
    assert karat("report", *given, "-o", "page.html").code == 0
    assert "country × sex" in Path("page.html").read_text()
    wrong = karat("report", "sliced.csv", "--separator", "|", "--by", "land")
    assert (wrong.code, "land" in wrong.err) == (2, True)

"""What a gate reads and writes beside rows: reports as baselines, order of slices, bad paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.gate.baseline import read_baseline
from karat.errors import KaratError
from tests.cli.running import Karat
from tests.gate.rows import table, two_models, write

TRUE, OLD, NEW = two_models(600, lost=20, won=4)


def report_file(path: Path, encoding: str = "utf-8", **options: Any) -> Path:
    target = path / "report.json"
    text = karat.evaluate(TRUE, OLD, **options).to_json()
    target.write_text(text, encoding)
    return target


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_report_as_json_is_an_unpaired_baseline(tmp_path: Path, encoding: str) -> None:
    path = report_file(tmp_path, encoding)
    by_file = karat.gate(table(TRUE, NEW), baseline=path, max_drop={"accuracy": 0.2})
    by_report = karat.gate(
        table(TRUE, NEW), baseline=karat.evaluate(TRUE, OLD), max_drop={"accuracy": 0.2}
    )
    assert by_file.is_paired is False
    assert any(note.startswith("Unpaired") for note in by_file.notes)
    assert "unpaired" in by_file.rules[0].reason
    assert by_file.rules == by_report.rules


def test_a_report_as_one_line_of_json_is_one_too(tmp_path: Path) -> None:
    path = report_file(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), "utf-8")
    assert karat.gate(TRUE, OLD, baseline=path).passed


def test_a_damaged_report_is_said_to_be_one(tmp_path: Path) -> None:
    path = report_file(tmp_path)
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")
    with pytest.raises(KaratError, match="report") as caught:
        karat.gate(TRUE, NEW, baseline=path)
    assert caught.value.code == "K205"


def test_other_json_of_karat_is_no_baseline_and_that_is_told(tmp_path: Path) -> None:
    for name, text in (
        ("comparison", karat.compare(TRUE, {"old": OLD, "new": NEW}).to_json()),
        ("gate", karat.gate(TRUE, NEW, min={"accuracy": 0.5}).to_json()),
    ):
        path = tmp_path / f"{name}.json"
        path.write_text(text, "utf-8")
        with pytest.raises(KaratError, match=rf"JSON of karat \({name}\)") as caught:
            karat.gate(TRUE, NEW, baseline=path)
        assert caught.value.code == "K176"


def test_rows_as_lines_of_json_stay_rows(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    lines = [json.dumps({"id": i, "label": int(t), "pred": int(p)}) for i, (t, p) in
             enumerate(zip(TRUE, OLD, strict=True))]  # fmt: skip
    path.write_text("\n".join(lines), "utf-8")
    assert karat.gate(table(TRUE, NEW), baseline=path).is_paired


def test_a_baseline_with_a_mark_of_byte_order_is_read(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    karat.gate(TRUE, OLD).save_baseline(path)
    plain = read_baseline(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_baseline(path).metrics == plain.metrics
    assert karat.gate(TRUE, OLD, baseline=path).passed


@pytest.mark.parametrize(
    ("path", "code"), [("no/base.json", "K413"), (".", "K413"), ("a\x00b", "K413"), (7, "K122")]
)
def test_a_baseline_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Any, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KaratError) as caught:
        karat.gate(TRUE, OLD).save_baseline(path)
    assert caught.value.code == code


def test_a_folder_that_is_not_there_is_told_before_the_rows_are_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command writes the baseline of its own gate; `save_baseline` comes after the rows."""
    rule = ("--min", "accuracy=0.5")
    done = Karat(capsys)("gate", "missing.parquet", *rule, "--update-baseline", "no/base.json")
    assert done.code == 2
    assert "'no/base.json'" in done.err
    assert "missing.parquet" not in done.err


@pytest.mark.parametrize("n_threads", [0, -1, 1.5, True])
def test_a_number_of_threads_that_is_none_is_refused(n_threads: Any) -> None:
    with pytest.raises(KaratError, match="n_threads") as caught:
        karat.gate(TRUE, OLD, min={"accuracy": 0.5}, reading=karat.Reading(n_threads=n_threads))
    assert caught.value.code == "K122"


def slices_of(result: Any) -> list[str]:
    return [rule.slice.partition("=")[2] for rule in result.rules if rule.slice]


def test_slices_of_numbers_are_in_their_order_and_as_given(tmp_path: Path) -> None:
    year = np.array([2023, 900, 12000, 1000])[np.arange(600) % 4]
    columns = table(TRUE, OLD, year=year)
    path = tmp_path / "base.json"
    wanted: dict[str, Any] = {"min": {"accuracy": 0.5}, "by": "year"}
    for source in (columns, write(tmp_path / "a.parquet", columns)):
        found = karat.gate(source, **wanted).save_baseline(path)
        assert slices_of(found) == ["900", "1000", "2023", "12000"]
    assert slices_of(karat.gate(columns, baseline=path, **wanted))[::3] == [
        "900", "1000", "2023", "12000",
    ]  # fmt: skip
    mixed = table(TRUE, OLD, year=np.where(year == 900, "nan", year.astype(str)))
    assert slices_of(karat.gate(mixed, **wanted)) == ["1000", "12000", "2023", "nan"]


def test_slices_of_arrays_are_named_as_a_report_names_them(tmp_path: Path) -> None:
    country = np.where(np.arange(600) % 4 < 3, "NO", "SE")
    base = tmp_path / "base.json"
    named: dict[str, Any] = {"by": {"country": country}, "min": {"accuracy": 0.5}}
    found = karat.gate(TRUE, OLD, **named).save_baseline(base)
    assert [rule.slice for rule in found.rules] == [None, "country=NO", "country=SE"]
    assert karat.gate(TRUE, OLD, baseline=base, **named).passed
    of_table = karat.gate(table(TRUE, OLD, country=country), by="country", min={"accuracy": 0.5})
    assert [rule.value for rule in of_table.rules] == [rule.value for rule in found.rules]
    plain = karat.gate(TRUE, OLD, by=country, min={"accuracy": 0.5})
    assert [rule.slice for rule in plain.rules] == [None, "slice=NO", "slice=SE"]
    for by in ({}, {"a": country, "b": country}, {("a", "b"): (country, country)}):
        with pytest.raises(KaratError, match="one column") as caught:
            karat.gate(TRUE, OLD, by=by, min={"accuracy": 0.5})
        assert caught.value.code == "K181"


# What is told of p


def test_p_is_said_to_be_one_sided_and_only_of_what_is_worse_than_allowed() -> None:
    from karat.output.gate import markdown_of_gate

    worse = karat.gate(TRUE, NEW, baseline=OLD)
    assert "one-sided p = " in worse.rules[0].line
    assert "| one-sided p |" in markdown_of_gate(worse)
    better = karat.gate(TRUE, OLD, baseline=NEW)
    allowed = karat.gate(TRUE, NEW, baseline=OLD, max_drop={"accuracy": 0.1})
    for result in (better, allowed):
        assert result.passed
        assert result.rules[0].p is not None
        assert result.rules[0].p > 0.9
        assert "p = " not in result.rules[0].line
        assert "0.99" not in markdown_of_gate(result)


def test_a_minus_is_that_of_comparisons() -> None:
    worse = karat.gate(TRUE, NEW, baseline=OLD)
    assert "difference -0." in worse.rules[0].line
    assert "−" not in str(worse)


def test_a_p_value_that_underflows_is_not_0() -> None:
    from karat.output.gate import markdown_of_gate

    truth = np.arange(2000) % 2
    found = karat.gate(truth, 1 - truth, baseline=truth, max_drop={"accuracy": 0.01})
    assert found.rules[0].p == 0.0
    assert "one-sided p < 1e-16, n" in found.rules[0].line
    assert "| < 1e-16 |" in markdown_of_gate(found)

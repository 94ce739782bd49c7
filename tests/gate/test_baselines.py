"""Baselines as files: written and read back, paired by what they keep, never trusted."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.gate.baseline import (
    DamagedError,
    hashed,
    is_baseline,
    packed,
    read_baseline,
    unpacked,
)
from karat.errors import KaratError
from tests.gate.rows import shuffled, table, two_models, write

TRUE, OLD, NEW = two_models(600, lost=20, won=4)
PROB = np.where(OLD[:, None] == np.arange(3), 0.7, 0.15)
COUNTRY = np.array(["NO", "SE", "DK"])[np.arange(600) % 3]


def made(path: Path, columns: Any = None, **options: Any) -> str:
    target = path / "base.json"
    source = table(TRUE, OLD) if columns is None else columns
    result = karat.gate(source, min={"accuracy": 0.5}, **options).save_baseline(target)
    assert result.passed, result
    assert any("Wrote" in note for note in result.notes)
    return str(target)


def differences(result: Any) -> list[Any]:
    return [(r.difference, r.difference_low, r.difference_high, r.p, r.n) for r in result.rules]


def test_rows_of_a_baseline_give_what_the_predictions_give(tmp_path: Path) -> None:
    path = made(tmp_path, reading=karat.Reading(keep_rows=True))
    assert is_baseline(path)
    new = shuffled(table(TRUE, NEW))
    by_rows = karat.gate(new, baseline=path)
    by_file = karat.gate(new, baseline=write(tmp_path / "old.parquet", table(TRUE, OLD)))
    assert by_rows.is_paired
    assert differences(by_rows) == differences(by_file)
    assert not by_rows.passed
    missing = {name: values[:500] for name, values in table(TRUE, NEW).items()}
    with pytest.raises(KaratError) as caught:
        karat.gate(missing, baseline=path)
    assert caught.value.code == "K172"


def test_scores_of_a_baseline_are_paired_too(tmp_path: Path) -> None:
    columns = table(TRUE, OLD, **{f"proba_{i}": PROB[:, i] for i in range(3)})
    path = made(tmp_path, columns, reading=karat.Reading(keep_rows=True))
    noisy = np.roll(PROB, 1, axis=1) * 0.2 + PROB * 0.8
    new = table(TRUE, OLD, **{f"proba_{i}": noisy[:, i] for i in range(3)})
    by_rows = karat.gate(new, baseline=path, max_drop={"log_loss": 0.0})
    by_table = karat.gate(new, baseline=columns, max_drop={"log_loss": 0.0})
    assert by_rows.rules[0].difference == pytest.approx(by_table.rules[0].difference, rel=1e-6)
    assert by_rows.rules[0].verdict == by_table.rules[0].verdict == "FAIL"
    assert karat.gate(columns, baseline=path, max_drop={"accuracy": 0.0}).passed


def test_without_rows_the_comparison_is_unpaired_and_says_so(tmp_path: Path) -> None:
    path = made(tmp_path)
    apart = karat.gate(table(TRUE, NEW), baseline=path)
    paired = karat.gate(table(TRUE, NEW), baseline=table(TRUE, OLD))
    assert apart.is_paired is False
    assert any(note.startswith("Unpaired") for note in apart.notes)
    for wide, narrow in zip(apart.rules, paired.rules, strict=True):
        assert wide.difference == pytest.approx(narrow.difference)
        assert wide.difference_low is not None
        assert narrow.difference_low is not None
        assert wide.difference_low < narrow.difference_low
        assert "unpaired" in wide.reason
    kept = read_baseline(path)
    assert kept.rows is None
    assert kept.n == 600
    report = karat.evaluate(TRUE, OLD)
    assert kept.metrics["macro_f1"].value == report["macro_f1"].value
    assert kept.metrics["macro_f1"].low == report["macro_f1"].low
    assert np.array_equal(kept.cells.matrix(), report.cells.matrix())


def test_a_metric_that_the_baseline_does_not_hold_does_not_pass(tmp_path: Path) -> None:
    path = made(tmp_path)
    found = karat.gate(
        table(TRUE, OLD), baseline=path, max_drop={"macro_f_beta(beta=3)": 0.5, "accuracy": 0.5}
    )
    assert [rule.verdict for rule in found.rules] == ["FAIL", "PASS"]
    assert "does not contain this metric" in found.rules[0].reason


@pytest.mark.parametrize("with_rows", [False, True])
def test_a_slice_that_is_gone_fails(tmp_path: Path, with_rows: bool) -> None:
    columns = table(TRUE, OLD, country=COUNTRY)
    path = made(tmp_path, columns, by="country", reading=karat.Reading(keep_rows=with_rows))
    same = karat.gate(columns, baseline=path, by="country")
    assert same.passed
    assert {rule.slice for rule in same.rules} == {
        None, "country=DK", "country=NO", "country=SE",
    }  # fmt: skip
    renamed = {**columns, "country": np.where(COUNTRY == "DK", "NO", COUNTRY)}
    gone = karat.gate(renamed, baseline=path, by="country")
    told = [rule for rule in gone.rules if rule.slice == "country=DK"]
    assert [rule.verdict for rule in told] == ["FAIL", "FAIL"]
    assert not gone.passed


def test_a_slice_of_predictions_that_is_gone_fails(tmp_path: Path) -> None:
    columns = table(TRUE, OLD, country=COUNTRY)
    renamed = {**columns, "country": np.where(COUNTRY == "DK", "NO", COUNTRY)}
    found = karat.gate(renamed, baseline=columns, by="country")
    assert not found.passed
    # A baseline without the column has no slices to lose.
    assert karat.gate(renamed, baseline=table(TRUE, OLD), by="country").passed


def test_a_baseline_is_not_written_where_the_gate_fails(tmp_path: Path) -> None:
    target = tmp_path / "base.json"
    with pytest.raises(KaratError, match=r"(?s)K178.*is not written.*The gate failed") as caught:
        karat.gate(TRUE, OLD, min={"accuracy": 0.99}).save_baseline(target)
    assert caught.value.code == "K178"
    assert not target.exists()
    assert karat.gate(TRUE, OLD).save_baseline(target).passed
    assert target.exists()


def test_other_classes_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path)
    with pytest.raises(KaratError) as caught:
        karat.gate(table(TRUE + 1, NEW + 1), baseline=path)
    assert caught.value.code == "K174"
    path = made(tmp_path, reading=karat.Reading(keep_rows=True))
    with pytest.raises(KaratError) as caught:
        karat.gate(table(TRUE + 1, NEW + 1), baseline=path)
    assert caught.value.code == "K174"


def test_other_settings_are_told(tmp_path: Path) -> None:
    path = made(tmp_path)
    found = karat.gate(table(TRUE, OLD), baseline=path, undefined="exclude")
    assert any("undefined='zero'" in note for note in found.notes)
    with pytest.raises(KaratError, match=r"at 0\.95; the gate asks for both limits at 0\.9"):
        karat.gate(table(TRUE, OLD), baseline=path, level=0.9)
    one_sided = karat.evaluate(TRUE, OLD, interval=karat.Interval(side="low"))
    with pytest.raises(KaratError, match="limits on one side"):
        karat.gate(TRUE, OLD, baseline=one_sided)
    assert karat.gate(
        table(TRUE, OLD), baseline=made(tmp_path, reading=karat.Reading(keep_rows=True)), level=0.9
    ).passed


def signed(content: dict[str, Any]) -> str:
    """The text of a baseline whose checksum fits what it says."""
    from karat.api.gate.baseline import _canonical, _checksum

    content.pop("sha256", None)
    return _canonical({**content, "sha256": _checksum(content)})


def altered(change: Callable[[dict[str, Any]], Any]) -> Callable[[str], str]:
    """An alteration whose checksum was made to fit."""

    def alter(text: str) -> str:
        content = json.loads(text)
        change(content)
        return signed(content)

    return alter


def put(*path: str, value: Any) -> Callable[[str], str]:
    def change(content: dict[str, Any]) -> None:
        *names, last = path
        for name in names:
            content = content[name]
        content[last] = value

    return altered(change)


DEEP = "[" * 10**5 + "]" * 10**5
BOMB = base64.b64encode(zlib.compress(b"\0" * 50_000_000)).decode()

DAMAGE: dict[str, Callable[[str], str]] = {
    "cut off": lambda text: text[: len(text) // 2],
    "a digit": lambda text: text.replace('"n":600', '"n":601', 1),
    "a value": lambda text: text.replace('"value":0.', '"value":1.', 1),
    "a byte of rows": lambda text: text.replace('"true":"eJ', '"true":"eK', 1),
    "huge rows": put("rows", "n", value=2**31),
    "huge n": put("n", value=10**30),
    "negative n": put("n", value=-1),
    "no n": put("n", value="600"),
    "bomb": put("rows", "true", value=BOMB),
    "no base64": put("rows", "true", value="!!!"),
    "no zlib": put("rows", "true", value="AAAA"),
    "no text": put("rows", "true", value=[1, 2]),
    "other columns": put("rows", "scores", value=packed(np.zeros(600), "<f4")),
    "a class that is none": put("rows", "true", value=packed(np.full(600, 7), "<i4")),
    "a negative weight": put("rows", "weights", value=packed(np.full(600, -1.0), "<f8")),
    "no metrics": put("metrics", value=[]),
    "a reason that is none": put("metrics", "accuracy", "undefined", value=3),
    "a value that is none": put("metrics", "accuracy", "value", value="0.9"),
    "no tally": put("tally", value="AAAA"),
    "other labels": put("classes", "labels", value=["a", "b", "c"]),
    "an unknown positive": put("classes", "positive", value=99),
    "no slices": put("slices", value=None),
    "a name that is none": put("by", value=7),
    "no settings": put("settings", value="none"),
    "without rows": altered(lambda content: content.pop("rows")),
    "no checksum": lambda text: text.replace('"sha256":"', '"sha512":"'),
    "NaN": lambda text: text.replace('"level":0.95', '"level":NaN'),
    "deep": lambda text: text.replace('"settings":{', f'"settings":{{"x":{DEEP},', 1),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_baseline_is_refused(
    damage: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(made(tmp_path, reading=karat.Reading(keep_rows=True)))
    text = path.read_text("utf-8")
    path.write_text(damage(text), "utf-8")
    assert path.read_text("utf-8") != text
    with pytest.raises(KaratError) as caught:
        read_baseline(path)
    assert caught.value.code == "K205", caught.value
    assert "baseline of a gate" in str(caught.value)


def test_a_newer_baseline_is_told(tmp_path: Path) -> None:
    path = Path(made(tmp_path))
    path.write_text(path.read_text("utf-8").replace("karat.baseline/1", "karat.baseline/2"))
    with pytest.raises(KaratError) as caught:
        karat.gate(TRUE, OLD, baseline=path)
    assert caught.value.code == "K206"


def test_what_starts_otherwise_is_no_baseline(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text('[{"label": 0, "pred": 0}]', "utf-8")
    assert not is_baseline(path)
    assert not is_baseline(tmp_path / "nothing.json")
    path.write_text('\n { "schema": "karat.baseline/1"', "utf-8")
    assert is_baseline(path)


def test_an_array_takes_no_more_memory_than_its_text_can_hold() -> None:
    values = np.arange(1000)
    for dtype in ("<i4", "<u8", "<f4", "<f8"):
        again = unpacked(packed(values, dtype), dtype, (1000,))
        assert np.array_equal(again, values)
    for shape in ((999,), (1001,), (2**40,), (2**20, 2**20)):
        with pytest.raises(DamagedError):
            unpacked(packed(values, "<i4"), "<i4", shape)


def test_hashes_tell_ids_apart() -> None:
    found = hashed(tuple(map(str, range(100_000))))
    assert found.dtype == np.uint64
    assert len(np.unique(found)) == 100_000
    assert hashed(("a",))[0] == hashed(("a",))[0]


def test_slices_make_no_rule_of_all_rows_easier_to_pass() -> None:
    slices = np.array([f"s{i}" for i in range(7)])[np.arange(600) % 7]
    alone = karat.gate(table(TRUE, NEW), baseline=table(TRUE, OLD))
    sliced = karat.gate(
        table(TRUE, NEW, part=slices), baseline=table(TRUE, OLD, part=slices), by="part"
    )
    whole = [rule for rule in sliced.rules if rule.slice is None]
    assert [rule.p_adjusted for rule in whole] == [rule.p_adjusted for rule in alone.rules]
    assert [rule.n_tests for rule in whole] == [2, 2]
    # Slices are adjusted among themselves: one family would be of 16 rules.
    assert {rule.n_tests for rule in sliced.rules if rule.slice is not None} == {14}

"""Files and conditions made to mislead: a right answer or one clear error, never a wrong number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.cli.running import Karat
from tests.optional import optional

optional("duckdb")


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("true", "pred", "labels"),
    [
        ("1234567890123456789", "1234567890123456788", (1234567890123456788, 1234567890123456789)),
        ("9223372036854775807", "5", (5, 9223372036854775807)),
        ("1_2", "1-2", ("1-2", "1_2")),
        # A form such as 1e18 is a code.
        ("1000000000000000001.0", "1e18", ("1000000000000000001.0", "1e18")),
    ],
)
def test_long_numbers_and_odd_spellings_stay_apart(
    tmp_path: Path, true: str, pred: str, labels: Any
) -> None:
    path = written(tmp_path / "a.csv", f"label,pred\n{true},{pred}\n{true},{true}\n")
    report = karat.evaluate(path)
    assert report.labels == labels
    assert report.accuracy.value == 0.5


def test_numbers_beyond_64_bits_are_not_mixed_up() -> None:
    rows = "(18446744073709551615::UBIGINT, 18446744073709551614::UBIGINT)"
    both = "(18446744073709551614::UBIGINT, 18446744073709551614::UBIGINT)"
    report = karat.evaluate(f"SELECT * FROM (VALUES {rows}, {both}) t(label, pred)")
    assert report.labels == (2**64 - 2, 2**64 - 1)
    assert report["accuracy"].value == 0.5


@pytest.mark.parametrize(
    "where",
    [
        "true) UNION ALL SELECT 'z', 'z' FROM range(5) WHERE (true",
        "true); SELECT 1; SELECT (1",
        "true; SELECT 1",
        "",
        "1 FROM range(3)",
        "true UNION ALL SELECT 1",
    ],
)
def test_a_condition_is_one_expression(tmp_path: Path, where: str) -> None:
    from tests.sources.counting import tally_files

    path = written(tmp_path / "a.csv", "label,pred\n1,1\n0,1\n")
    with pytest.raises(KaratError) as caught:
        tally_files(path, where=where)
    assert caught.value.code in ("K403", "K408")
    assert int(tally_files(path, where="label = 1 -- only these").cells.n_rows) == 1


def test_a_csv_of_a_thousand_scores_is_read(tmp_path: Path) -> None:
    names = ",".join(f"proba_{i}" for i in range(1000))
    row = ",".join(["0.1"] * 1000)
    path = written(tmp_path / "w.csv", f"label,pred,{names}\na,b,{row}\nb,b,{row}\n")
    assert karat.evaluate(path).labels == ("a", "b")


def test_a_report_does_not_replace_its_predictions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.json"
    written(path, json.dumps({"label": 1, "pred": 1}) + "\n")
    before = path.read_text(encoding="utf-8")
    done = Karat(capsys)("report", path, "-o", path)
    assert done.code == 2
    assert path.read_text(encoding="utf-8") == before


def test_any_byte_but_zero_is_true() -> None:
    mask = np.array([0, 255, 255, 0], np.uint8).view(bool)
    other = np.array([False, True, True, False])
    assert karat.accuracy(mask, other) == 1.0
    assert karat.confusion_matrix(mask, other).tolist() == [[2, 0], [0, 2]]
    assert karat.evaluate(mask, other).labels == (False, True)


def test_a_frame_with_reordered_rows_is_no_confusion_matrix() -> None:
    pandas = optional("pandas")
    frame = pandas.DataFrame([[2, 0], [1, 1]])
    assert karat.accuracy(confusion=frame) == 0.75
    with pytest.raises(KaratError, match="K119"):
        karat.accuracy(confusion=frame.loc[[1, 0]])
    with pytest.raises(KaratError, match="K119"):
        karat.accuracy(confusion=frame[[1, 0]])


def test_masked_cells_are_not_counted_in_silence() -> None:
    with pytest.raises(KaratError, match="K119"):
        karat.accuracy(confusion=np.ma.array([[5, 100], [1, 5]], mask=[[0, 1], [0, 0]]))


@pytest.mark.parametrize("scale", [1e-100, 1e-82, 1e80, 1e100, 1e139])
def test_correlation_does_not_depend_on_the_scale_of_weights(scale: float) -> None:
    value = karat.mcc([0, 0, 1, 1], [0, 1, 1, 1], weights=[scale] * 4)
    assert value == pytest.approx(1 / np.sqrt(3), rel=1e-12)


def test_heavy_weights_are_written_as_json() -> None:
    report = karat.evaluate([0, 0, 1, 1], [0, 1, 1, 1], weights=[1e139] * 4)
    assert karat.Report.from_json(report.to_json()).accuracy.value == 0.75


def test_weights_beyond_the_limit_name_their_column(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "label,pred,sample_weight\n1,1,1e200\n0,1,1\n")
    with pytest.raises(KaratError, match=r"(?s)K125  Column 'sample_weight'"):
        karat.evaluate(path)


def test_class_names_need_an_order() -> None:
    with pytest.raises(KaratError, match="K117"):
        karat.evaluate([0, 1], [0, 1], labels=karat.Labels(names={"neg", "pos"}))  # type: ignore[arg-type]

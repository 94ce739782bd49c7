"""Parquet files larger than what may be held: units, tables, checkpoints, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.sources.files import units as unit_cuts
from karat.errors import KaratError
from tests.grouping import grouped
from tests.sources.big_sets import LEAST, same, write_files
from tests.sources.writing import write_rows


@pytest.mark.parametrize("kind", ["BIGINT", "VARCHAR"])
@pytest.mark.parametrize("weights", ["", "w"])
@pytest.mark.parametrize("n_unit", [1 << 22, 45_000, 7000])
def test_units_give_the_report_of_all_rows(
    kind: str, weights: str, n_unit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_cuts, "N_UNIT", n_unit)
    files = write_files(tmp_path, n=20_000, kind=kind)
    whole = karat.evaluate(files, weights=weights)
    units = karat.evaluate(files, weights=weights, reading=karat.Reading(max_memory=LEAST))
    assert "Not computed: roc_auc_mu" in units.warnings[-1]
    same(units, whole)


def test_a_broken_control_is_seen(tmp_path: Path) -> None:
    files = write_files(tmp_path, n=20_000)
    whole = karat.evaluate(files, weights="w")
    other = karat.evaluate(files, weights="", reading=karat.Reading(max_memory=LEAST))
    with pytest.raises(AssertionError):
        same(other, whole)


def test_rows_are_filtered_and_dropped(tmp_path: Path) -> None:
    write_files(tmp_path, 3, 20_000)
    rows = (
        "SELECT NULL::BIGINT AS label, 1::BIGINT AS pred, 0.2::DOUBLE AS proba_0, "
        "0.2::DOUBLE AS proba_1, 0.6::DOUBLE AS proba_2, 1.0::DOUBLE AS w FROM range(7)"
    )
    write_rows(tmp_path / "part_9.parquet", rows)
    files = str(tmp_path / "*.parquet")
    whole = karat.evaluate(files, reading=karat.Reading(nulls="drop"))
    units = karat.evaluate(files, reading=karat.Reading(nulls="drop", max_memory=LEAST))
    assert units.source["n_dropped"] == 7
    told = "7 of 60007 rows have a missing label and were dropped."
    assert told in units.warnings
    assert told in whole.warnings
    same(units, whole)
    with pytest.raises(KaratError) as problem:
        karat.evaluate(files, reading=karat.Reading(max_memory=LEAST))
    assert problem.value.code == "K104"


def with_a_bad_row(label: str) -> str:
    """Nine rows, of which number 5 has probabilities that do not add up to 1."""
    return (
        f"SELECT ({label})::BIGINT AS label, 1::BIGINT AS pred, 0.2::DOUBLE AS proba_0, "
        "0.2::DOUBLE AS proba_1, (CASE WHEN i = 5 THEN 0.9 ELSE 0.6 END)::DOUBLE AS proba_2, "
        "1.0::DOUBLE AS w FROM range(9) t(i)"
    )


def test_errors_name_the_row_of_the_whole_read(tmp_path: Path) -> None:
    write_files(tmp_path, 3, 20_000)
    write_rows(tmp_path / "part_9.parquet", with_a_bad_row("1"))
    with pytest.raises(KaratError) as problem:
        karat.evaluate(str(tmp_path / "*.parquet"), reading=karat.Reading(max_memory=LEAST))
    assert problem.value.context["row"] == 60_005


def test_labels_alone_are_read_in_units(tmp_path: Path) -> None:
    files = write_files(tmp_path)
    whole = karat.evaluate(files, metrics="macro_f1", y_prob="", y_score="")
    path = tmp_path / "read.checkpoint"
    units = karat.evaluate(
        files, metrics="macro_f1", y_prob="", y_score="", reading=karat.Reading(checkpoint=path)
    )
    assert units.macro_f1 == whole.macro_f1
    assert units.source == whole.source
    assert path.exists()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"reading": karat.Reading(checkpoint="nowhere/at/all")}, "K413"),
        ({"max_memory": 10}, "K122"),
        ({"max_memory": 2.5e9}, "K122"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], code: str, tmp_path: Path) -> None:
    files = write_files(tmp_path, 1)
    with pytest.raises(KaratError) as problem:
        karat.evaluate(files, **grouped(given))
    assert problem.value.code == code


def test_a_bad_value_behind_dropped_rows_is_named(tmp_path: Path) -> None:
    """Rows that were left out are counted, and so are those of the files before."""
    write_files(tmp_path, 3, 20_000)
    bad = with_a_bad_row("CASE WHEN i = 1 THEN NULL ELSE 1 END")
    write_rows(tmp_path / "part_9.parquet", bad)
    with pytest.raises(KaratError) as problem:
        karat.evaluate(
            str(tmp_path / "*.parquet"), reading=karat.Reading(nulls="drop", max_memory=LEAST)
        )
    assert problem.value.context["row"] == 60_005


def test_weights_that_are_numbers_of_rows(tmp_path: Path) -> None:
    files = write_files(tmp_path, n=20_000)
    given = {"weights": karat.Frequency("w")}
    whole, units = (
        karat.evaluate(files, **given),
        karat.evaluate(files, **given, reading=karat.Reading(max_memory=LEAST)),
    )
    for name in ("accuracy", "log_loss", "roc_auc_ovr_macro", "mean_average_precision"):
        one, two = whole[name], units[name]
        np.testing.assert_allclose((two.low, two.high), (one.low, one.high), rtol=1e-9)
    plain = karat.evaluate(files, weights="w", reading=karat.Reading(max_memory=LEAST))
    assert plain["log_loss"].high - plain["log_loss"].low > 1.05 * (
        units["log_loss"].high - units["log_loss"].low
    )


def test_a_column_may_be_called_as_that_of_the_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_cuts, "N_UNIT", 7000)
    for f in range(3):
        rows = (
            f"SELECT (hash(i + {10 * f}) % 2)::BIGINT AS label, i AS file_row_number, "
            f"(hash(i + {f}) % 1001 / 1000.0)::DOUBLE AS p FROM range(60000) t(i)"
        )
        write_rows(tmp_path / f"part_{f}.parquet", rows)
    files = str(tmp_path / "*.parquet")
    whole = karat.evaluate(files, y_prob="p")
    assert karat.evaluate(files, y_prob="p", reading=karat.Reading(max_memory=LEAST))[
        "roc_auc"
    ].value == pytest.approx(whole["roc_auc"].value, rel=1e-12)

"""Files larger than memory that do not go together: found before they are read, as in one read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karat
from karat.errors import KaratError
from tests.optional import optional
from tests.sources.big_sets import LEAST

pa = optional("pyarrow")
pq = optional("pyarrow.parquet")

N = 100_000
ROWS = {"label": np.arange(N) % 2, "pred": np.arange(N) // 2 % 2, "sample_weight": np.full(N, 2.0)}
ROWS |= {"prob": np.random.default_rng(3).random(N)}
Columns = dict[str, Any]


def write_two(folder: Path, first: Columns, second: Columns) -> str:
    # The same truth in the same order would be that of two models.
    turned = {name: column[::-1] for name, column in second.items()}
    for name, columns in (("a", first), ("b", turned)):
        pl.DataFrame(columns).write_parquet(folder / f"{name}.parquet")
    return str(folder / "*.parquet")


def without(*names: str) -> Columns:
    return {name: column for name, column in ROWS.items() if name not in names}


def both(source: Any, **given: Any) -> tuple[karat.Report, karat.Report]:
    """The report of the whole read, and that of units."""
    whole, units = (
        karat.evaluate(source, reading=karat.Reading(max_memory=n), **given)
        for n in (1 << 30, LEAST)
    )
    return whole, units


@pytest.mark.parametrize(
    ("second", "given"),
    [
        (without("sample_weight"), {"weights": "sample_weight"}),
        (without("prob"), {"y_prob": "prob"}),
        (without("pred"), {"y_pred": "pred"}),
        (without("label"), {"y_true": "label"}),
        ({**ROWS, "label": ROWS["label"].astype(str)}, {}),
        ({**ROWS, "pred": ROWS["pred"].astype(str)}, {"y_pred": "pred"}),
    ],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_unlike_files_are_named(
    second: Columns, given: Columns, is_turned: bool, tmp_path: Path
) -> None:
    files = write_two(tmp_path, *((second, ROWS) if is_turned else (ROWS, second)))
    told = []
    for n_bytes in (1 << 30, LEAST):
        with pytest.raises(KaratError) as problem:
            karat.evaluate(
                files,
                reading=karat.Reading(max_memory=n_bytes),
                **{"y_prob": "prob", "weights": "", **given},
            )
        assert problem.value.code == "K410"
        told.append(str(problem.value))
    assert told[0] == told[1]
    assert "a.parquet" in told[0]
    assert "b.parquet" in told[0]


def test_scores_that_nobody_named_and_one_file_lacks_are_told(tmp_path: Path) -> None:
    """Labels are read instead, which fit into memory: a checkpoint has them read in units."""
    files = write_two(tmp_path, ROWS, without("prob"))
    whole = karat.evaluate(files, weights="")
    units = karat.evaluate(
        files, weights="", reading=karat.Reading(checkpoint=tmp_path / "read.karat")
    )
    assert "'prob', found by name, was not read." in whole.warnings[0]
    assert units.warnings == whole.warnings
    assert units.to_json() == whole.to_json()


def test_what_the_whole_read_tells_of_columns_is_told(tmp_path: Path) -> None:
    files = write_two(tmp_path, *[{**ROWS, "user_id": np.arange(N) // 7}] * 2)
    whole, units = both(files, y_prob="prob")
    of_ids = [[one for one in read.warnings if "user_id" in one] for read in (whole, units)]
    assert of_ids[0] == of_ids[1]
    assert len(of_ids[0]) == 1
    texts = write_two(tmp_path, *[{**without("sample_weight"), "sample_weights": ["x"] * N}] * 2)
    with pytest.raises(KaratError) as problem:
        karat.evaluate(texts, y_prob="prob", reading=karat.Reading(max_memory=LEAST))
    assert problem.value.code == "K116"


def test_numbers_of_16_bits_may_add_up_to_less(tmp_path: Path) -> None:
    first = (0.1 + 0.8 * np.random.default_rng(4).random(N)).astype(np.float16)
    second = (1.004 - first.astype(float)).astype(np.float16)
    table = {"label": pa.array(ROWS["label"]), "p_0": pa.array(second), "p_1": pa.array(first)}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    pq.write_table(pa.table(table).take(np.arange(N)[::-1]), tmp_path / "b.parquet")
    whole, units = both(tmp_path, y_prob="p_*")
    np.testing.assert_allclose(units["brier"].value, whole["brier"].value, rtol=1e-12)

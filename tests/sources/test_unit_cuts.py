"""How Parquet files become units of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karat
from karat.data.sources.files import units as unit_cuts
from karat.data.sources.files.units import units_of_files
from karat.errors import KaratError
from tests.sources.big_sets import LEAST


def write(path: Path, n: int, seed: int = 0, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    every = {"label": rng.integers(0, 2, n), "prob": rng.random(n), **columns}
    pl.DataFrame({name: c for name, c in every.items() if c is not None}).write_parquet(path)


def cuts(folder: Path, **given: Any) -> list[tuple[list[str], int, int]]:
    units = units_of_files(str(folder), prob="prob", **given)
    assert units is not None
    return [([Path(path).stem for path in paths], first, n) for paths, first, n in units.cuts]


def test_small_files_are_read_together_and_large_ones_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_cuts, "N_UNIT", 1000)
    for name, n in {"a": 600, "b": 400, "c": 0, "d": 1, "e": 2300, "f": 5, "g": 7}.items():
        write(tmp_path / f"{name}.parquet", n)
    assert cuts(tmp_path) == [
        (["a", "b"], 0, 1000),
        (["d"], 0, 1),
        (["e"], 0, 1000),
        (["e"], 1000, 1000),
        (["e"], 2000, 300),
        (["f", "g"], 0, 12),
    ]


def test_rows_of_many_scores_make_shorter_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a unit takes in memory has a bound too."""
    monkeypatch.setattr(unit_cuts, "N_LEAST", 10)
    monkeypatch.setattr(unit_cuts, "N_BYTES", 100 * 2 * 8)
    lists = pl.Series([[0.5, 0.5]] * 250)
    write(tmp_path / "a.parquet", 250, prob=lists)
    assert [n for _, _, n in cuts(tmp_path)] == [100, 100, 50]


@pytest.mark.parametrize("n_unit", [1 << 22, 100_000, 30_000])
@pytest.mark.parametrize("names", [("1", "a"), ("01", "1"), ("2024-01-01", "x"), ("0", "1")])
def test_folders_say_the_same_in_every_unit(
    names: tuple[str, str], n_unit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, name in enumerate(names):
        write(tmp_path / f"label={name}" / "rows[1].parquet", 80_000, seed, label=None)
    given = {"y_true": "label", "y_prob": "prob"}
    if names != ("0", "1"):  # which folders hold as numbers
        given["positive"] = names[1]
    whole = karat.evaluate(tmp_path, **given)
    monkeypatch.setattr(unit_cuts, "N_UNIT", n_unit)
    units = karat.evaluate(tmp_path, reading=karat.Reading(max_memory=LEAST), **given)
    assert not units["roc_auc"].exact
    assert units.classes.labels == whole.classes.labels
    assert units.confusion.matrix.tolist() == whole.confusion.matrix.tolist()


@pytest.mark.parametrize(
    "given",
    [{"y_prob": ""}, {"y_prob": "prob"}, {"y_prob": "prob", "y_pred": ""}, {"y_pred": "pred"}],
)
def test_a_unit_may_weigh_nothing_and_leave_predictions_out(
    given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_cuts, "N_UNIT", 1000)
    data = tmp_path / "data"
    for i in range(3):
        pred = np.arange(1000) // 3 % 2
        write(data / f"{i}.parquet", 1000, i, pred=pred, w=np.full(1000, i % 2 * 2.0))
    whole = karat.evaluate(data, weights="w", **given)
    units = karat.evaluate(
        data, weights="w", reading=karat.Reading(checkpoint=tmp_path / "read.karat"), **given
    )
    assert units.confusion.matrix.tolist() == whole.confusion.matrix.tolist()
    assert units.n_rows == whole.n_rows
    for name in ("0", "2"):
        (data / f"{name}.parquet").unlink()
    write(data / "1.parquet", 1000, pred=pred, w=np.zeros(1000))
    with pytest.raises(KaratError) as problem:
        karat.evaluate(
            data, weights="w", reading=karat.Reading(checkpoint=tmp_path / "other.karat"), **given
        )
    assert problem.value.code == "K115"

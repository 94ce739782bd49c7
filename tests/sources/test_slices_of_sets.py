"""Slices, numbers of rows and names of sets of labels in tables and files: those of memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import karat
from karat.errors import KaratError
from karat.tally import Classes
from karat.tally.held_sets import HeldSets
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.grouping import grouped

LABELS = list("abcd")
N = 120
BY: Any = ["country", "age", ("country", "age")]


def drawn(n: int = N) -> dict[str, Any]:
    """Lists of labels, a column of text with rows without one, numbers, weights and groups."""
    rng = np.random.default_rng(7)
    true = [[x for x in LABELS if rng.random() < 0.4] for _ in range(n)]
    pred = [[x for x in LABELS if (x in row) != (rng.random() < 0.2)] for row in true]
    country = [None if i % 17 == 0 else ["NO", "SE", "DK"][i % 3] for i in range(n)]
    age = rng.integers(20, 80, n)
    weights = rng.integers(0, 4, n).astype(float)
    return {
        "true": true,
        "pred": pred,
        "country": country,
        "age": age,
        "sample_weight": weights,
        "who": np.arange(n) // 3,
    }


ROWS = drawn()
TEXTS = {**ROWS, **{side: ["|".join(row) for row in ROWS[side]] for side in ("true", "pred")}}
WIDE = {
    f"{side}_{label}": [int(label in row) for row in ROWS[side]]
    for side in ("true", "pred")
    for label in LABELS
} | {name: ROWS[name] for name in ("country", "age", "sample_weight", "who")}


def parquet(folder: Path, rows: Mapping[str, Any] = ROWS) -> Path:
    pq.write_table(pa.table(dict(rows)), folder / "rows.parquet")
    return folder / "rows.parquet"


def csv(folder: Path, rows: Mapping[str, Any]) -> Path:
    pd.DataFrame(rows).to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def json_lines(folder: Path) -> Path:
    pd.DataFrame(ROWS).to_json(folder / "rows.jsonl", orient="records", lines=True)
    return folder / "rows.jsonl"


class Batches:
    """Rows that come in parts."""

    column_names = tuple(ROWS)

    def read_batches(self, columns: Any) -> Any:
        table = pa.table(ROWS).select(list(columns))
        return iter(table.to_batches(max_chunksize=50))


SPLIT = {"separator": "|"}
SOURCES: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "a dict": (lambda _: ROWS, {}),
    "pandas": (lambda _: pd.DataFrame(ROWS), {}),
    "Polars": (lambda _: pl.DataFrame(ROWS), {}),
    "Arrow": (lambda _: pa.table(ROWS), {}),
    "DuckDB": (lambda _: duckdb.from_arrow(pa.table(ROWS)), {}),
    "batches": (lambda _: Batches(), {}),
    "text": (lambda _: TEXTS, SPLIT),
    "wide": (lambda _: pd.DataFrame(WIDE), {}),
    "Parquet": (parquet, {}),
    "CSV": (lambda folder: csv(folder, TEXTS), SPLIT),
    "wide CSV": (lambda folder: csv(folder, WIDE), {}),
    "JSON": (json_lines, {}),
    "a query": (lambda folder: f"SELECT * FROM '{parquet(folder)}'", {}),
}
NAMES = {"a": "Ant", "b": "Bee", "c": "Cat", "d": "Dog"}


def in_memory(**options: Any) -> Any:
    country, age = ROWS["country"], ROWS["age"]
    by = {"country": country, "age": age, ("country", "age"): (country, age)}
    return karat.evaluate(
        ROWS["true"], ROWS["pred"], by=by, **grouped({"labels": LABELS, **options})
    )


def assert_same(found: Any, known: Any) -> None:
    """The same report with the same slices, rests and differences."""
    told, wanted = found.to_dict(), known.to_dict()
    for part in ("metrics", "tally", "per_class", "transfers"):
        assert told[part] == wanted[part], part
    assert list(found.slices) == list(known.slices)
    for columns, table in known.slices.items():
        own = found.slices[columns]
        assert list(own) == list(table)
        for name in list(table)[:3]:
            assert own[name]["macro_f1"] == table[name]["macro_f1"]
            assert own.rest[name]["micro_f1"] == table.rest[name]["micro_f1"]
    one, other = (each.slices["country"].difference("micro_f1") for each in (found, known))
    assert one == other


@pytest.mark.parametrize("name", SOURCES)
def test_slices_of_every_source_are_those_of_memory(name: str, tmp_path: Path) -> None:
    make, given = SOURCES[name]
    options: Any = {"class_names": NAMES, "weights_are": "frequency"}
    known = in_memory(weights=ROWS["sample_weight"], **options)
    given = {"by": BY, "weights": "sample_weight", "labels": LABELS, **given}
    found: Any = karat.evaluate(make(tmp_path), **grouped({**options, **given}))
    assert_same(found, known)
    assert found.classes.display == tuple(NAMES.values())
    # The control: weights that say how much rows count are another report.
    other: Any = karat.evaluate(make(tmp_path), **grouped({"class_names": NAMES, **given}))
    with pytest.raises(AssertionError):
        assert_same(other, known)


def test_clusters_dropped_rows_and_scores_beside_slices(tmp_path: Path) -> None:
    known = in_memory(clusters=ROWS["who"], weights=ROWS["sample_weight"])
    for table in (ROWS, parquet(tmp_path), csv(tmp_path, {**WIDE, "id": range(N)})):
        assert_same(karat.evaluate(table, by=BY, clusters="who", labels=LABELS), known)
    # A slice whose rows are left out is none.
    lacking = {**ROWS, "pred": [None, *ROWS["pred"][1:]], "country": ["XX", *ROWS["country"][1:]]}
    rest = {name: values[1:] for name, values in ROWS.items()}
    by = {"country": rest["country"]}
    only: Any = karat.evaluate(rest["true"], rest["pred"], by=by, weights=rest["sample_weight"])
    for table in (lacking, parquet(tmp_path, lacking)):
        found: Any = karat.evaluate(table, by="country", reading=karat.Reading(nulls="drop"))
        assert_same(found, only)
        assert "XX" not in found.slices["country"]
    scores = {f"proba_{x}": np.random.default_rng(3).random(N) for x in LABELS}
    prob = np.stack(list(scores.values()), axis=1)
    metrics = ["micro_f1", "roc_auc_ovr_macro"]
    known = karat.evaluate(
        ROWS["true"], y_prob=prob, labels=LABELS, metrics=metrics, by={"country": ROWS["country"]}
    )
    rows = {**{k: v for k, v in ROWS.items() if k != "pred"}, **scores}
    for table in (rows, parquet(tmp_path, rows)):
        found = karat.evaluate(table, by="country", metrics=metrics, weights="")
        for name, part in known.slices["country"].items():
            assert found.slices["country"][name].metrics == part.metrics


def test_whole_numbers_as_labels_keep_clusters_and_slices(tmp_path: Path) -> None:
    number = dict(zip(LABELS, (1, 2, 10, 4), strict=True))
    read = {side: [[number[x] for x in row] for row in ROWS[side]] for side in ("true", "pred")}
    numbers = {**ROWS, **{side: ["|".join(map(str, row)) for row in read[side]] for side in read}}
    known: Any = karat.evaluate(
        read["true"], read["pred"], clusters=ROWS["who"], by={"country": ROWS["country"]}
    )
    path = csv(tmp_path, numbers)
    assert_same(
        karat.evaluate(path, by="country", clusters="who", weights="", **grouped(SPLIT)), known
    )
    assert known.labels == (1, 2, 4, 10)


def test_rows_that_do_not_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
    path = parquet(tmp_path)
    with pytest.raises(KaratError, match="by country has 4 values") as caught:
        karat.evaluate(path, by="country", reading=karat.Reading(max_memory=64))
    assert caught.value.code == "K148"
    # Rows of a sample that stand for several have the variance of as many.
    whole = karat.evaluate(path, weights=karat.Frequency("sample_weight"))
    part = karat.evaluate(
        path, weights=karat.Frequency("sample_weight"), reading=karat.Reading(max_memory=1 << 13)
    )
    assert part.tally.n == whole.tally.n
    assert part["micro_f1"] == whole["micro_f1"]
    errors = [report["macro_f1"].standard_error for report in (part, whole)]
    assert errors[0] == pytest.approx(errors[1], rel=0.3)


def test_numbers_of_rows_are_kept_in_bytes() -> None:
    true = Sets.of_matrix(np.eye(4, dtype=int))
    rows = SetRows(Classes.of(LABELS), true, true, weights=np.array([1.0, 2, 0, 3]))
    for is_frequency in (False, True):
        held = HeldSets.of(SetRows(**{**vars(rows), "is_frequency": is_frequency}))
        for each in (held, held.sampled(1 << 10)):
            read = HeldSets.from_bytes(each.to_bytes())
            assert read.rows.is_frequency is is_frequency
            assert read.tally.to_bytes() == each.tally.to_bytes()
    halves = SetRows(Classes.of(LABELS), true, true, weights=np.full(4, 0.5), is_frequency=True)
    with pytest.raises(KaratError, match="not numbers of rows"):
        HeldSets.from_bytes(HeldSets.of(halves).to_bytes())


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        ({"by": "land"}, "K404", "'land'"),
        ({"by": ["country", "land"]}, "K404", "'land'"),
        ({"by": 1.5}, "K181", "1.5"),
        ({"labels": karat.Labels(names=["A", "B"])}, "K117", "2 names for 4 classes"),
        ({"labels": karat.Labels(names={"z": "Z"})}, "K117", "'z'"),
        ({"weights": karat.Frequency("share")}, "K150", "whole numbers"),
        ({"positive": "a"}, "K222", "positive="),
    ],
)
def test_what_is_refused(options: Any, code: str, told: str, tmp_path: Path) -> None:
    rows = {**ROWS, "share": np.full(N, 0.5)}
    for table in (rows, parquet(tmp_path, rows)):
        with pytest.raises(KaratError, match=told) as caught:
            karat.evaluate(table, **grouped(options))
        assert caught.value.code == code

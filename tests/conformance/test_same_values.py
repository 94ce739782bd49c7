"""The same rows give the same slices, labels and ids in every container."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import karat
from karat.data.labels import arrays
from karat.data.slices import codes
from tests.optional import optional

dd = optional("dask.dataframe")
duckdb = optional("duckdb")
pl = optional("polars")

N: Final = 24
N_SEEDS: Final = 3
Random = np.random.Generator
Table = Any


def leading_zeros(rng: Random) -> list[str]:
    """Codes, one of them with a leading zero."""
    made = [f"{x:05d}" if x % 2 else str(x) for x in rng.integers(0, 10**4, 4)]
    return ["007", *made]


def written_forms(rng: Random) -> list[str]:
    """Codes of diseases: one number in two forms."""
    return ["250.0", "250.00", *(f"{x}.{x % 10}" for x in rng.integers(300, 900, 3))]


def days(rng: Random) -> list[dt.date]:
    return [dt.date(2024, 1, 1) + dt.timedelta(int(x)) for x in rng.integers(0, 400, 4)]


def moments(rng: Random) -> list[dt.datetime]:
    """Moments of a day, to the second."""
    start = dt.datetime(2024, 1, 31, 0, 0, 1)
    return [start + dt.timedelta(seconds=int(x)) for x in rng.integers(0, 80_000, 4)]


def booleans(_: Random) -> list[bool]:
    return [False, True]


def words(rng: Random) -> list[str]:
    return [f"{word}{rng.integers(0, 9)}" for word in ("a", "B", "ü", "x y")]


def whole_numbers(rng: Random) -> list[int]:
    return sorted({*rng.integers(-5, 90, 5).tolist()})


KINDS: Final[tuple[Callable[[Random], list[Any]], ...]] = (
    leading_zeros,
    written_forms,
    days,
    moments,
    booleans,
    words,
    whole_numbers,
)


def drawn(kind: Callable[[Random], list[Any]], seed: int) -> pd.DataFrame:
    """Rows with a column of slices, one of labels and one of ids of that kind."""
    rng = np.random.default_rng(seed)
    values = kind(rng)
    at = np.r_[np.arange(len(values)), rng.integers(0, len(values), N - len(values))]
    guess = np.where(rng.random(N) < 0.7, at, rng.integers(0, len(values), N))
    columns = {"label": at, "pred": guess, "g": rng.permutation(at), "id": at}
    return pd.DataFrame({name: [values[i] for i in of] for name, of in columns.items()})


def containers(rows: pd.DataFrame, folder: Path) -> dict[str, Table]:
    """The same rows in every container."""
    arrow = pa.table({name: pa.array(rows[name].tolist()) for name in rows})
    csv, parquet = str(folder / "rows.csv"), str(folder / "rows.parquet")
    rows.to_csv(csv, index=False)
    pa.parquet.write_table(arrow, parquet)
    (folder / "parts").mkdir(exist_ok=True)
    # Files that share ids are a question.
    is_first = rows["id"] == rows["id"][0]
    for i, part in enumerate((rows[is_first], rows[~is_first])):
        part.to_csv(folder / "parts" / f"{i}.csv", index=False)
    return {
        "pandas": rows,
        "arrow": arrow,
        "dict": {name: rows[name].tolist() for name in rows},
        "csv": csv,
        "csv in parts": str(folder / "parts"),
        "parquet": parquet,
        "query": f"SELECT * FROM '{parquet}'",
        "polars": pl.from_arrow(arrow),
        "duckdb": duckdb.connect().from_arrow(arrow),
    }


def answer(table: Table, **options: Any) -> tuple[Any, ...]:
    """Slices, labels, number of repeated ids and accuracy; or the code of the question."""
    try:
        report = karat.evaluate(
            table, y_true="label", y_pred="pred", by="g", ids="id", level=None, **options
        )
    except karat.KaratError as problem:
        return (problem.code,)
    repeated = [doubt.evidence for doubt in report.doubts if doubt.code == "D105"]
    counts = [evidence.partition(" have an id")[0] for evidence in repeated]
    slices = report.slices["g"]
    accuracy = [slices[key[0]]["accuracy"].value for key in slices.slice_keys]
    return slices.slice_keys, report.classes.labels, counts, accuracy


def differing(kind: Callable[[Random], list[Any]], seed: int, folder: Path) -> dict[str, Any]:
    """The containers whose answer is another than that of pandas."""
    found = {name: answer(each) for name, each in containers(drawn(kind, seed), folder).items()}
    assert len(found["pandas"]) == 4
    return {name: each for name, each in found.items() if each != found["pandas"]}


@pytest.mark.parametrize("seed", range(N_SEEDS))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_container_gives_the_same_slices_labels_and_ids(
    kind: Callable[[Random], list[Any]], seed: int, tmp_path: Path
) -> None:
    assert differing(kind, seed, tmp_path) == {}


def test_codes_that_are_read_as_numbers_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "are_codes", lambda _: False)
    monkeypatch.setattr("karat.data.sources.files.readers.CODE", "never")
    assert set(differing(leading_zeros, 0, tmp_path)) == {"csv", "csv in parts"}


def test_dates_that_are_read_as_numbers_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "texts_of_numbers", lambda numbers, _: list(map(str, numbers)))
    assert {"arrow", "polars", "duckdb"} <= set(differing(days, 0, tmp_path))


ORDER: Final = ("<25", "25-32", "33-60", ">60")


def _ordered(folder: Path) -> dict[str, Table]:
    """Ordered categories of slices and of labels in containers that declare an order."""
    texts = [ORDER[i % 4] for i in range(N)]
    guesses = [ORDER[i % 3] for i in range(N)]
    columns = {"label": texts, "pred": guesses, "g": texts}
    own = {name: pd.Categorical(values, ORDER, ordered=True) for name, values in columns.items()}
    frame = pd.DataFrame(own)
    arrow = pa.Table.from_pandas(frame).replace_schema_metadata(None)
    enums = {name: pl.Series(values, dtype=pl.Enum(ORDER)) for name, values in columns.items()}
    paths = {name: str(folder / f"{name}.parquet") for name in ("pandas", "arrow", "polars")}
    frame.to_parquet(paths["pandas"], row_group_size=5)
    pa.parquet.write_table(arrow, paths["arrow"])
    pl.DataFrame(enums).write_parquet(paths["polars"])
    (folder / "many").mkdir()
    for place in range(0, N, 5):
        part = frame[place : place + 5].apply(lambda own: own.cat.remove_unused_categories())
        part.to_parquet(folder / "many" / f"{place:02d}.parquet")
    kind = f"ENUM({', '.join(map(repr, ORDER))})"
    casts = ", ".join(f"{name}::{kind} AS {name}" for name in columns)
    return {
        "pandas": frame,
        "arrow": arrow,
        "polars": pl.DataFrame(enums),
        "dict": own,
        "dask": dd.from_pandas(frame, npartitions=3),
        "dask, categories unknown": dd.from_pandas(frame, npartitions=3).map_partitions(
            lambda part: part, meta=frame.assign(g=frame["g"].astype("category"))[:0]
        ),
        "parquet in parts": str(folder / "many"),
        **{f"parquet of {name}": path for name, path in paths.items()},
        "enum": f"SELECT {casts} FROM '{paths['polars']}'",
    }


HOSTS: Final = ("pandas", "arrow", "polars", "dict", "dask", "dask, categories unknown", "enum")
FILES: Final = ("parquet of pandas", "parquet of arrow", "parquet of polars", "parquet in parts")


@pytest.mark.parametrize("name", [*HOSTS, *FILES])
def test_ordered_categories_keep_their_order(name: str, tmp_path: Path) -> None:
    table = _ordered(tmp_path)[name]
    report = karat.evaluate(table, y_true="label", y_pred="pred", by="g", level=None)
    assert [key for (key,) in report.slices["g"].slice_keys] == list(ORDER)
    assert report.labels == ORDER
    at = [(i % 4, i % 3) for i in range(N)]
    wanted = karat.kappa_quadratic(*map(list, zip(*at, strict=True)))
    assert report["kappa_quadratic"].value == wanted


@pytest.mark.parametrize("name", FILES)
def test_an_order_of_a_file_that_is_not_read_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sabotage: and where pyarrow is not installed, an order is asked for."""
    path = _ordered(tmp_path)[name]
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "pyarrow.parquet", None)
        report = karat.evaluate(path, y_true="label", y_pred="pred", by="g", level=None)
    assert [key for (key,) in report.slices["g"].slice_keys] == sorted(ORDER)
    with pytest.raises(karat.InputError, match="K316"):
        _ = report["kappa_quadratic"]


@pytest.mark.parametrize("has_dictionary", [False, True])
def test_a_file_without_its_categories_declares_no_order(
    has_dictionary: bool, tmp_path: Path
) -> None:
    """pyarrow takes categories from a dictionary page; without one, as they come."""
    table = _ordered(tmp_path)["arrow"]
    path = tmp_path / "plain.parquet"
    pa.parquet.write_table(table, path, use_dictionary=has_dictionary)
    report = karat.evaluate(path, y_true="label", y_pred="pred", by="g", level=None)
    assert (report.labels == ORDER) is has_dictionary
    wanted = list(ORDER) if has_dictionary else sorted(ORDER)
    assert [key for (key,) in report.slices["g"].slice_keys] == wanted


def test_chunks_of_a_column_have_the_order_that_contains_all() -> None:
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.int8()), pa.array(own), ordered=True)
        for own in (ORDER[1:3], ORDER, ORDER[2:])
    ]
    column = pa.chunked_array(chunks)
    report = karat.evaluate(column, column, level=None)
    assert report.labels == ORDER
    last = pa.array([0], pa.int8()), pa.array(ORDER[::-1])
    backwards = pa.chunked_array([*chunks, chunks[0].from_arrays(*last, ordered=True)])
    assert karat.evaluate(backwards, backwards, level=None).labels == tuple(sorted(ORDER))


def test_a_label_outside_the_order_of_a_file_undoes_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    frame = pd.DataFrame({"label": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)})
    frame.assign(pred=["b", "c"]).to_parquet(path)
    assert karat.evaluate(path, level=None).labels == ("a", "b", "c")


def test_damaged_metadata_declares_no_order(tmp_path: Path) -> None:
    table = _ordered(tmp_path)["arrow"].cast(
        pa.schema([(x, pa.string()) for x in ("label", "pred", "g")])
    )
    for key in ("ARROW:schema", "pandas"):
        for value in ("", "!", "AAAA", '{"columns": 7}', "[]"):
            path = tmp_path / "damaged.parquet"
            kept = table.replace_schema_metadata({key: value})
            pa.parquet.write_table(kept, path, store_schema=False)
            assert karat.evaluate(path, level=None).labels == tuple(sorted(ORDER))


def test_ordered_numbers_are_categories_and_not_binned() -> None:
    numbers = list(range(40, 0, -1))
    ages = pd.Series(pd.Categorical(numbers * 2, numbers, ordered=True))
    report = karat.evaluate([0, 1] * 40, [0, 1] * 40, by={"age": ages}, level=None)
    assert [key for (key,) in report.slices["age"].slice_keys] == list(map(str, numbers))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Copenhagen"])
def test_moments_are_the_same_text_in_every_unit_and_host(unit: str, zone: str | None) -> None:
    naive = [dt.datetime(2024, 1, 31, 9, 30), dt.datetime(2024, 2, 1)]
    aware = [moment.replace(tzinfo=dt.UTC) for moment in naive]
    values = aware if zone else naive
    end = "+00:00" if zone else ""
    wanted = [f"2024-01-31 09:30:00{end}", "2024-02-01 00:00:00+00:00" if zone else "2024-02-01"]
    arrow = pa.array(values, pa.timestamp(unit, zone))
    for given in (arrow, arrow.to_pandas(), values):
        labels = karat.evaluate(given, given, level=None).classes.labels
        assert list(labels) == wanted


def test_fractions_of_a_second_have_as_many_digits_as_needed() -> None:
    moments = np.array(["2024-01-31T09:30:00.120", "2024-01-31T09:30:00"], "M8[ns]")
    labels = karat.evaluate(moments, moments, level=None).classes.labels
    assert labels == ("2024-01-31 09:30:00", "2024-01-31 09:30:00.12")
    assert karat.evaluate(list(moments), moments, level=None).classes.labels == labels


def test_a_missing_date_is_missing() -> None:
    days = pd.Series(pd.to_datetime(["2024-01-31", None, "2024-01-31"]))
    for given in (days, pa.array(days.to_numpy(), from_pandas=True), list(days)):
        with pytest.raises(karat.InputError, match="K104"):
            karat.evaluate(given, given)
        report = karat.evaluate([0, 1, 1], [0, 1, 0], by={"day": given}, level=None)
        assert [key for (key,) in report.slices["day"].slice_keys] == ["2024-01-31", "(missing)"]


def test_durations_are_no_labels() -> None:
    with pytest.raises(karat.InputError, match="K106"):
        karat.evaluate(np.array([1, 2], "m8[s]"), np.array([1, 2], "m8[s]"))

"""`Reading(text=, decimal=)`: columns that are text as written, and the decimal mark of a CSV."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.data.sources.files import readers
from karat.errors import KaratError
from tests.cli.running import Karat
from tests.optional import optional

N = 60
TRUE = [0, 1, 1, 0] * (N // 4)
PRED = [0, 1, 0, 0] * (N // 4)
STORE = list(range(100, 130)) * 2
P = [0.125, 0.75, 0.5, 0.25] * (N // 4)
TABLE = {"label": TRUE, "pred": PRED, "store": STORE, "p": P}
TEXT = karat.Reading(text=["store"])


def csv(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def rows_as_csv(path: Path, mark: str = ".", separator: str = ",", **more: list[Any]) -> str:
    columns = {**TABLE, **more}
    rows = [
        separator.join(str(x).replace(".", mark) for x in row)
        for row in zip(*columns.values(), strict=True)
    ]
    return csv(path, separator.join(columns), *rows)


def keys(report: Any, column: str = "store") -> list[str]:
    return [key for (key,) in report.slices[column].slice_keys]


def fails(code: str, call: Callable[[], object]) -> str:
    with pytest.raises(KaratError) as problem:
        call()
    assert problem.value.code == code
    return str(problem.value)


def sources(folder: Path) -> dict[str, Any]:
    frame = pl.DataFrame(TABLE)
    frame.write_parquet(folder / "rows.parquet")
    frame.write_ndjson(folder / "rows.ndjson")
    rows_as_csv(folder / "rows.csv")
    for place, part in enumerate((frame[: N // 2], frame[N // 2 :])):
        part.write_csv(folder / f"part_{place}.csv")
    (folder / "mixed").mkdir()
    frame[: N // 2].write_csv(folder / "mixed" / "a.csv")
    frame[N // 2 :].write_parquet(folder / "mixed" / "b.parquet")
    return {
        "Parquet": str(folder / "rows.parquet"),
        "JSON": str(folder / "rows.ndjson"),
        "CSV": str(folder / "rows.csv"),
        "CSV files": str(folder / "part_*.csv"),
        "CSV and Parquet": str(folder / "mixed"),
        "a query": f"SELECT * FROM '{folder / 'rows.parquet'}'",
        "a dict": TABLE,
        "Polars": frame,
        "pandas": frame.to_pandas(),
        "floats of pandas": frame.to_pandas().astype({"store": float}),
        "Arrow": frame.to_arrow(),
    }


@pytest.fixture
def karat_(capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


KINDS = (
    *("Parquet", "JSON", "CSV", "CSV files", "CSV and Parquet", "a query"),
    *("a dict", "Polars", "pandas", "floats of pandas", "Arrow"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_whole_number_ids_named_as_text_are_not_binned(kind: str, tmp_path: Path) -> None:
    source = sources(tmp_path)[kind]
    binned = karat.evaluate(source, y_pred="pred", by="store", level=None)
    assert len(keys(binned)) == 5
    found = karat.evaluate(source, y_pred="pred", by="store", level=None, reading=TEXT)
    assert keys(found) == [str(x) for x in range(100, 130)]
    assert found["accuracy"].value == binned["accuracy"].value


@pytest.mark.parametrize("kind", KINDS)
def test_labels_named_as_text_are_text(kind: str, tmp_path: Path) -> None:
    source = sources(tmp_path)[kind]
    named = {"y_true": "label", "y_pred": "pred", "level": None}
    assert karat.evaluate(source, **named).classes.labels == (0, 1)
    reading = karat.Reading(text=["label", "pred"])
    found = karat.evaluate(source, **named, reading=reading)
    assert found.classes.labels == ("0", "1")
    assert karat.check(source, y_pred="pred", reading=reading).problem is None


def test_what_a_csv_writes_stays_as_written(tmp_path: Path) -> None:
    written = ["01234", "1234", "250.0", "250", "1e5", "100000"]
    path = csv(tmp_path / "a.csv", "label,pred,code", *(f"{x},{x},{x}" for x in written))
    reading = karat.Reading(text=["label", "code"])
    found = karat.evaluate(path, by="code", level=None, reading=reading)
    assert sorted(found.classes.labels) == sorted(written)
    assert sorted(keys(found, "code")) == sorted(written)
    plain = csv(tmp_path / "b.csv", "label,pred,code", *(f"{x},{x},{x}" for x in written[2:4]))
    found = karat.evaluate(plain, by="code", level=None, reading=reading)
    assert found.classes.labels == ("250", "250.0")
    assert keys(found, "code") == ["250", "250.0"]


def test_a_dash_among_numbers_is_a_label_of_text(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "label,pred", "1,1", "2,-", "-,2", "1,1")
    fails("K104", lambda: karat.evaluate(path, level=None))
    found = karat.evaluate(path, level=None, reading=karat.Reading(text=["label"]))
    assert found.classes.labels == ("-", "1", "2")


def test_conditions_read_text(tmp_path: Path, karat_: Any) -> None:
    # The first rows look like numbers, and later ones are codes.
    rows = [f"{i % 2},{i % 2},{7 if i < 20_001 else '007'}" for i in range(20_010)]
    path = csv(tmp_path / "a.csv", "label,pred,zip", *rows)
    where = ("report", path, "--metrics", "accuracy", "--where", "zip = '007'")
    assert "K408" in karat_(*where).err
    assert "9 rows" in karat_(*where, "--text", "zip").out


def test_folders_keep_the_text_of_their_names(tmp_path: Path) -> None:
    for name in ("01", "02"):
        folder = tmp_path / f"site={name}"
        folder.mkdir()
        pl.DataFrame(TABLE).write_parquet(folder / "rows.parquet")
    given: dict[str, Any] = {"y_pred": "pred", "by": "site", "ids": "", "level": None}
    found = karat.evaluate(str(tmp_path), **given, reading=karat.Reading(text=["site"]))
    assert keys(found, "site") == ["01", "02"]


def test_partitioned_tables_are_read_alike() -> None:
    dask = optional("dask.dataframe")
    frame = dask.from_pandas(pl.DataFrame(TABLE).to_pandas(), npartitions=3)
    named = {"y_pred": "pred", "by": "store", "level": None}
    assert len(keys(karat.evaluate(frame, **named))) == 5
    found = karat.evaluate(frame, **named, reading=TEXT)
    assert keys(found) == [str(x) for x in range(100, 130)]
    reading = karat.Reading(text=["label", "pred"])
    assert karat.evaluate(frame, **named, reading=reading).classes.labels == ("0", "1")


def test_every_verb_reads_them(tmp_path: Path) -> None:
    frame = pl.DataFrame(TABLE)
    reading = karat.Reading(text=["label", "pred", "store"])
    labels = ["0", "1"]
    compared = karat.compare(
        frame,
        y_true="label",
        y_pred={"a": "pred", "b": "store"},
        labels=[*labels, *map(str, range(100, 130))],
        reading=reading,
    )
    assert compared.classes.labels[:2] == ("0", "1")
    two = karat.compare({"a": frame, "b": frame}, labels=labels, reading=reading)
    assert two.classes.labels == ("0", "1")
    gate = karat.gate(frame, y_pred="pred", min={"accuracy": 0.1}, labels=labels, reading=reading)
    assert gate.passed
    data = karat.read(frame, y_pred="pred", by="store", reading=reading)
    assert data.options["reading"] == reading
    assert keys(karat.evaluate(data)) == [str(x) for x in range(100, 130)]
    # Stores have two rows each, too few to test; bins have more.
    assert karat.find_weak_slices(frame, y_pred="pred", by="store", reading=TEXT).n_tested == 0
    assert karat.find_weak_slices(frame, y_pred="pred", by="store").n_tested > 0
    stream = karat.Stream()
    stream.update(frame, y_true="label", y_pred="pred", reading=reading)
    assert stream.report().classes.labels == ("0", "1")
    monitor = karat.Monitor(min={"accuracy": 0.1}, labels=labels)
    monitor.add(frame, y_true="label", y_pred="pred", reading=reading)
    fails("K261", lambda: stream.update(frame, reading=karat.Reading(keep_rows=3)))


def test_text_that_cannot_be_is_refused(tmp_path: Path) -> None:
    assert "'store'" in fails(
        "K404", lambda: karat.evaluate(TABLE, y_pred="pred", reading=karat.Reading(text=["stor"]))
    )
    path = rows_as_csv(tmp_path / "a.csv")
    for source in (TABLE, path):
        fails(
            "K455",
            lambda s=source: karat.evaluate(s, y_prob="p", reading=karat.Reading(text=["p"])),
        )
        fails(
            "K404",
            lambda s=source: karat.evaluate(s, y_pred="pred", reading=karat.Reading(text="x")),
        )
    lists = pl.DataFrame({"label": [[1], [2]], "pred": [[1], [2]]})
    lists.write_parquet(tmp_path / "lists.parquet")
    for source in (lists, str(tmp_path / "lists.parquet")):
        fails("K455", lambda s=source: karat.evaluate(s, reading=karat.Reading(text=["label"])))
    fails("K455", lambda: karat.evaluate(TRUE, PRED, reading=TEXT))
    fails("K455", lambda: karat.evaluate(TRUE, PRED, reading=karat.Reading(decimal=",")))
    fails("K122", lambda: karat.Reading(decimal=";"))
    fails("K122", lambda: karat.Reading(text=[3.5]))
    # The default says nothing, and is refused nowhere.
    karat.evaluate(TRUE, PRED, reading=karat.Reading(text=[], decimal="."))


def test_texts_of_numbers_of_every_type(tmp_path: Path) -> None:
    columns = {
        "int8": pa.array([1, 2, None], pa.int8()),
        "uint64": pa.array([1, 1 << 63, None], pa.uint64()),
        "float": pa.array([250.0, 401.9, None], pa.float32()),
        "double": pa.array([250.0, 401.9, None], pa.float64()),
        "decimal": pa.array([250, None, None], pa.decimal128(7, 2)),
        "bool": pa.array([True, False, None]),
        "date": pa.array([0, 1, None], pa.date32()),
    }
    table = pa.table({"label": [0, 1, 1], "pred": [0, 1, 1], **columns})
    pl.from_arrow(table).write_parquet(tmp_path / "a.parquet")
    reading = karat.Reading(text=[*columns])
    seen = {
        kind: {
            name: keys(karat.evaluate(source, by=name, level=None, reading=reading), name)
            for name in columns
        }
        for kind, source in (("memory", table), ("file", str(tmp_path / "a.parquet")))
    }
    assert seen["memory"] == seen["file"]
    assert seen["file"]["double"] == seen["file"]["float"] == ["250", "401.9", "(missing)"]
    assert seen["file"]["uint64"] == ["1", "9223372036854775808", "(missing)"]
    assert seen["file"]["bool"] == ["false", "true", "(missing)"]


def test_ids_are_matched_as_written(tmp_path: Path) -> None:
    left = csv(tmp_path / "a.csv", "id,label,pred", *(f"{i:03},{i % 2},1" for i in range(40)))
    right = csv(tmp_path / "b.csv", "id,label,pred", *(f"{i:03},{i % 2},0" for i in range(40)))
    given = {"ids": "id", "reading": karat.Reading(text=["id"])}
    assert "40 rows" in str(karat.compare({"a": left, "b": right}, **given))


def test_sets_of_codes(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "label,pred", "1|02,1", "2|1,2|1", "02|2,02")
    labels = karat.Labels(separator="|")
    found = karat.evaluate(path, labels=labels, level=None, reading=karat.Reading(text=["label"]))
    assert found.labels == ("02", "1", "2")


# Decimal commas.


@pytest.fixture
def commas(tmp_path: Path) -> str:
    weights = [1.5, 1.0, 2.25, 1.0] * (N // 4)
    part = [float(x) for x in STORE]
    return rows_as_csv(
        tmp_path / "commas.csv", ",", ";", w=weights, part=part, dose=[x / 8 for x in range(N)]
    )


@pytest.fixture
def points(tmp_path: Path) -> str:
    weights = [1.5, 1.0, 2.25, 1.0] * (N // 4)
    part = [float(x) for x in STORE]
    return rows_as_csv(
        tmp_path / "points.csv", w=weights, part=part, dose=[x / 8 for x in range(N)]
    )


COMMA = karat.Reading(decimal=",")
NAMED = {"y_true": "label", "y_prob": "p", "weights": "w", "by": ["dose", "store"]}


def numbers(report: Any) -> dict[str, Any]:
    table = report.to_dict()
    slices = {name: keys(report, name) for name in ("dose", "store")}
    return {"metrics": table["metrics"], "slices": slices, "n": report.n_rows}


def test_commas_are_read_as_points(commas: str, points: str) -> None:
    right = karat.evaluate(points, **NAMED, positive=1)
    assert numbers(karat.evaluate(commas, **NAMED, positive=1, reading=COMMA)) == numbers(right)
    # Without the option the numbers are text, and the error says what reads them.
    of_scores = {**NAMED, "weights": "", "by": None}
    message = fails("K130", lambda: karat.evaluate(commas, **of_scores, positive=1))
    assert "reading=karat.Reading(decimal=',')" in message
    given = {**NAMED, "y_prob": None, "y_pred": "pred"}
    message = fails("K116", lambda: karat.evaluate(commas, **given))
    assert "reading=karat.Reading(decimal=',')" in message


def test_the_doubt_about_commas_names_the_option(commas: str, karat_: Any) -> None:
    (doubt,) = [
        x
        for x in karat.evaluate(commas, y_true="label", y_pred="pred", weights="").doubts
        if x.code == "D108"
    ]
    assert "reading=karat.Reading(decimal=',')" in str(doubt)
    ran = karat_("report", commas, "--pred", "pred", "--weights", "")
    assert "--decimal ," in ran.out + ran.err


def test_the_command_reads_commas(commas: str, points: str, karat_: Any) -> None:
    given = ("--prob", "p", "--weights", "w", "--by", "dose", "--positive", "1", "--format", "json")
    right = karat_("report", points, *given)
    found = karat_("report", commas, *given, "--decimal", ",")
    assert right.code == found.code == 0
    as_points = found.out.replace(commas, points)
    drop = ('"n_bytes"',)
    lines = [
        [line for line in text.splitlines() if not any(x in line for x in drop)]
        for text in (as_points, right.out)
    ]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("where", ["dose > 3.4", "p >= 0.5 AND store < 120", "part = 101"])
def test_conditions_read_commas(commas: str, points: str, karat_: Any, where: str) -> None:
    given = ("--pred", "pred", "--weights", "", "--where", where, "--metrics", "accuracy")
    found = karat_("report", commas, *given, "--decimal", ",")
    right = karat_("report", points, *given)
    # A long path is broken where the line ends.
    shown = [ran.out.partition("Metrics")[2] for ran in (found, right)]
    assert shown[0] == shown[1]
    assert "accuracy" in shown[0]
    assert (found.code, right.code) == (0, 0)


def test_whole_labels_ids_and_percent_have_commas_too(tmp_path: Path) -> None:
    rows = [f"{i % 2},0;{i % 2};{i},0;{i % 9 * 12.5} %".replace(".", ",") for i in range(40)]
    path = csv(tmp_path / "a.csv", "label;pred;id;p", *rows)
    found = karat.evaluate(
        path, y_pred="pred", y_prob="p", ids="id", positive=1, level=None, reading=COMMA
    )
    assert found.classes.labels == (0, 1)
    assert found["accuracy"].value == 1.0
    share = np.array([i % 9 / 8 for i in range(40)])
    right = karat.roc_auc([i % 2 for i in range(40)], y_score=share)
    assert found["roc_auc"].value == pytest.approx(right)
    assert "D108" not in [doubt.code for doubt in found.doubts]


def test_a_point_among_commas_is_no_number(tmp_path: Path) -> None:
    rows = [f"{i % 2};{i % 2};0,{i % 7};1,5;{i},25" for i in range(20_001)]
    named = {"y_true": "label", "y_pred": "pred"}
    for column, code in (("y_prob", "K130"), ("w", "K116"), ("dose", "K181")):
        cells = {"y_prob": "0,5", "w": "1,5", "dose": "3,5", column: "0.5"}
        last = ";".join(["1", "1", cells["y_prob"], cells["w"], cells["dose"]])
        path = csv(tmp_path / f"{column}.csv", "label;pred;y_prob;w;dose", *rows, last)
        given: dict[str, Any] = {"y_prob": ""}
        given |= {"y_prob": {"y_prob": "y_prob"}, "w": {"weights": "w"}, "dose": {"by": "dose"}}[
            column
        ]
        given = {"weights": "", **given}
        assert "0.5" in fails(
            code, lambda p=path, g=given: karat.evaluate(p, **named, **g, level=None, reading=COMMA)
        )
    thousands = csv(tmp_path / "t.csv", "label;pred;w", "1;1;1.234,5", "0;0;2,5")
    fails("K116", lambda: karat.evaluate(thousands, weights="w", reading=COMMA))


def test_a_decimal_comma_needs_a_csv(tmp_path: Path) -> None:
    pl.DataFrame(TABLE).write_parquet(tmp_path / "a.parquet")
    for source in (TABLE, str(tmp_path / "a.parquet"), f"SELECT * FROM '{tmp_path}/a.parquet'"):
        fails("K455", lambda s=source: karat.evaluate(s, y_pred="pred", reading=COMMA))
    # Beside a CSV, other files are read as they are.
    pl.DataFrame(TABLE).write_parquet(tmp_path / "mixed_1.parquet")
    rows_as_csv(tmp_path / "mixed_2.csv", ",", ";")
    given: dict[str, Any] = {"y_true": "label", "y_prob": "p", "positive": 1, "ids": ""}
    found = karat.evaluate(str(tmp_path / "mixed_*"), **given, reading=COMMA)
    twice = karat.evaluate(pl.concat([pl.DataFrame(TABLE)] * 2), **given)
    assert found["log_loss"].value == pytest.approx(twice["log_loss"].value)


def test_streams_and_judges_read_commas(commas: str, points: str, tmp_path: Path) -> None:
    reports = []
    for path, given in ((commas, {"reading": COMMA}), (points, {})):
        stream = karat.Stream(positive=1)
        stream.update(path, y_true="label", y_prob="p", weights="w", **given)
        reports.append(stream.report()["log_loss"])
    assert reports[0] == reports[1]


def test_rows_beyond_memory_and_standard_input(
    commas: str, monkeypatch: pytest.MonkeyPatch, points: str
) -> None:
    lines = Path(commas).read_text(encoding="utf-8").splitlines()
    many = csv(Path(commas).with_name("many.csv"), lines[0], *(lines[1:] * 4_000))
    given = {"y_true": "label", "y_prob": "p", "positive": 1, "weights": "", "level": None}
    small = karat.evaluate(many, **given, reading=karat.Reading(decimal=",", max_memory=1 << 20))
    right = karat.evaluate(points, **given)
    assert small["roc_auc"].value == pytest.approx(right["roc_auc"].value)


def test_text_is_part_of_a_checkpoint(tmp_path: Path) -> None:
    pl.DataFrame(TABLE).write_parquet(tmp_path / "a.parquet")
    source, path = str(tmp_path / "a.parquet"), tmp_path / "progress"

    def read(**options: Any) -> Any:
        reading = karat.Reading(checkpoint=path, **options)
        return karat.evaluate(source, y_pred="pred", by="store", level=None, reading=reading)

    assert keys(read(text=["store"])) == [str(x) for x in range(100, 130)]
    assert keys(read(text=["store"])) == [str(x) for x in range(100, 130)]
    fails("K414", read)


def test_ids_binned_name_the_way_to_keep_them(tmp_path: Path, karat_: Any) -> None:
    path = rows_as_csv(tmp_path / "a.csv")
    (doubt,) = [
        x for x in karat.evaluate(TABLE, y_pred="pred", by="store").doubts if x.code == "D140"
    ]
    assert "reading=karat.Reading(text=['store'])" in str(doubt)
    ran = karat_("report", path, "--pred", "pred", "--by", "store")
    assert "--text store" in ran.err + ran.out
    ran = karat_("report", path, "--pred", "pred", "--by", "store", "--text", "store,label")
    assert ran.code == 0
    assert "D140" not in ran.err + ran.out


def test_sabotaged_readers_are_noticed(commas: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that takes a comma for nothing gives other numbers, or none."""
    monkeypatch.setattr(readers, "with_point", lambda column: f"replace({column}, ',', '')")
    found = karat.evaluate(commas, **NAMED, positive=1, reading=COMMA)
    assert not keys(found, "dose")[0].startswith("[")

"""Sets of labels in tables and files of every form: the same report, or an error that names a row.

The rows are those of `tests/six_rows.py`; what they give as a matrix is stated elsewhere.
"""

from __future__ import annotations

import json
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
from tests.grouping import grouped
from tests.six_rows import KNOWN, PRED, TRUE, WEIGHTS

LABELS = list("abcd")


def lists(matrix: np.ndarray) -> list[list[str]]:
    return [[LABELS[j] for j in np.flatnonzero(row)] for row in matrix]


def texts(matrix: np.ndarray) -> list[str]:
    return [" | ".join(row) for row in lists(matrix)]


def columns(make: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    return {"y": make(TRUE), "pred": make(PRED), "sample_weight": WEIGHTS}


def wide(kind: Any = int) -> pd.DataFrame:
    found = {
        f"{side}_{label}": matrix[:, place].astype(kind)
        for side, matrix in (("true", TRUE), ("pred", PRED))
        for place, label in enumerate(LABELS)
    }
    return pd.DataFrame({"id": range(6), **found, "sample_weight": WEIGHTS})


def parquet(table: Any, folder: Path) -> Path:
    path = folder / "rows.parquet"
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), path)
    return path


def csv(table: pd.DataFrame, folder: Path) -> Path:
    table.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def json_lines(table: pd.DataFrame, folder: Path) -> Path:
    table.to_json(folder / "rows.jsonl", orient="records", lines=True)
    return folder / "rows.jsonl"


def of_lists(**changed: Any) -> pa.Table:
    return pa.table({**columns(lists), **changed})


SPLIT: dict[str, Any] = {"separator": "|"}
STARS: dict[str, Any] = {"y_true": "true_*", "y_pred": "pred_*"}
SOURCES: dict[str, tuple[Callable[[Path], Any], Mapping[str, Any]]] = {
    "Arrow": (lambda _: of_lists(), {}),
    "large lists": (lambda _: of_lists(y=pa.array(lists(TRUE), pa.large_list(pa.string()))), {}),
    "pandas": (lambda _: pd.DataFrame(columns(lists)), {}),
    "pandas of sets": (lambda _: pd.DataFrame(columns(lambda m: list(map(set, lists(m))))), {}),
    "Polars": (lambda _: pl.DataFrame(columns(lists)), {}),
    "lazy Polars": (lambda _: pl.DataFrame(columns(lists)).lazy(), {}),
    "a dict": (lambda _: columns(lists), {}),
    "DuckDB": (lambda _: duckdb.from_arrow(of_lists()), {}),
    "Parquet": (lambda f: parquet(of_lists(), f), {}),
    "a query": (lambda f: f"SELECT * FROM '{parquet(of_lists(), f)}'", {}),
    "JSON lines": (lambda f: json_lines(pd.DataFrame(columns(lists)), f), {}),
    "text in pandas": (lambda _: pd.DataFrame(columns(texts)), SPLIT),
    "categories": (lambda _: pd.DataFrame(columns(texts)).astype({"y": "category"}), SPLIT),
    "text in Arrow": (lambda _: pa.table(columns(texts)), SPLIT),
    "text in Polars": (lambda _: pl.DataFrame(columns(texts)), SPLIT),
    "text in Parquet": (lambda f: parquet(columns(texts), f), SPLIT),
    "text in JSON": (lambda f: json_lines(pd.DataFrame(columns(texts)), f), SPLIT),
    "CSV": (lambda f: csv(pd.DataFrame(columns(texts)), f), SPLIT),
    "lists beside text": (lambda f: parquet(of_lists(pred=texts(PRED)), f), SPLIT),
    "wide": (lambda _: wide(), {}),
    "wide booleans": (lambda _: pl.from_pandas(wide(bool)), STARS),
    "wide CSV": (lambda f: csv(wide(bool), f), STARS),
    "wide Parquet": (lambda f: parquet(pa.Table.from_pandas(wide(float)), f), {}),
    "wide JSON": (lambda f: json_lines(wide(bool), f), {}),
}


@pytest.fixture(scope="module")
def of_matrix() -> karat.MultilabelReport:
    return karat.evaluate(TRUE, PRED, labels=LABELS, weights=WEIGHTS)


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_report_from_every_source(name: str, of_matrix: Any, tmp_path: Path) -> None:
    make, options = SOURCES[name]
    found = karat.evaluate(make(tmp_path), **grouped({"labels": LABELS, **options}))
    told, known = found.to_dict(), of_matrix.to_dict()
    for part in ("metrics", "tally", "per_class", "transfers", "label_counts"):
        assert told[part] == known[part], part
    assert found.mapping["weights"] == "sample_weight"
    assert ("separator" in found.source) == ("separator" in options)
    # Labels that are discovered are those.
    alone = karat.evaluate(make(tmp_path), metrics="micro_f1", level=None, **grouped(options))
    assert alone.classes.labels == tuple(LABELS)


def test_rows_and_cells_that_are_not_known(tmp_path: Path) -> None:
    cells = wide(float)
    for place, label in enumerate(LABELS):
        cells.loc[KNOWN[:, place] == 0, f"true_{label}"] = np.nan
    known = karat.evaluate(np.where(KNOWN, TRUE, np.nan), PRED, labels=LABELS, weights=WEIGHTS)
    for found in (karat.evaluate(cells), karat.evaluate(csv(cells, tmp_path))):
        assert found.to_dict()["tally"] == known.to_dict()["tally"]
    truth = [None if place == 2 else row for place, row in enumerate(lists(TRUE))]
    for table in (of_lists(y=truth), pd.DataFrame(of_lists(y=truth).to_pandas())):
        assert karat.evaluate(table).n_unknown == 1
    (tmp_path / "na.csv").write_text("true,pred\nNA,a\na|b,\n")
    found = karat.evaluate(tmp_path / "na.csv", labels=karat.Labels(separator="|"))
    assert (found.n_unknown, found.n_rows, found["micro_recall"].value) == (1, 2, 0.0)


@pytest.mark.parametrize("separator", ["|", " | ", ", ", ";;", "\t"])
def test_text_is_split_as_the_rule_says(separator: str) -> None:
    mark = separator.strip() or separator
    rows = [f"a{separator}b c", "", f"{separator.join(['  b c ', 'ü'])} ", "  ", f"a\\{mark}x\\y"]
    rows += [f"a\\\\{mark}b c", "\\"]
    wanted = [["a", "b c"], [], ["b c", "ü"], [], [f"a{mark}x\\y"], ["a\\", "b c"], ["\\"]]
    for given in (rows, pa.array(rows), pl.Series(rows), pd.Series(rows)):
        found = karat.evaluate(given, wanted, labels=karat.Labels(separator=separator))
        assert found["subset_accuracy"].value == 1.0
    # Without a separator text is one label, also where a doubt is raised.
    plain = karat.evaluate(["a|b", "b|a", "a", "b"], ["a|b", "a", "a", "b"])
    assert [one.code for one in plain.doubts] == ["D119"]
    assert "separator='|'" in plain.doubts[0]
    with pytest.raises(karat.InputError, match="K453"):
        karat.evaluate(["['a']", "['a', 'b']", "[]"], ["['a']", "['a']", "[]"])
    for texts in (["('a', 'b')", "('a',)", "()"], ["{'a', 'b'}", "{'a'}", "set()"]):
        with pytest.raises(karat.InputError, match="K453"):
            karat.evaluate(texts, texts)
    many = [f"['a{i}', 'b']" for i in range(12_000)]
    with pytest.raises(karat.InputError, match="K453"):
        karat.evaluate(many, many, metrics="accuracy")
    bins = ["(0, 10]", "(10, 20]", "(20, inf)", "(-inf, 0]"]
    assert karat.evaluate(bins, bins)["accuracy"].value == 1.0
    declared = karat.evaluate(["['a']", "[]"], ["['a']", "['a']"], labels=["['a']", "[]"])
    assert declared["accuracy"].value == 0.5
    intervals = karat.evaluate(["[0, 9]", "[10, 19]"], ["[0, 9]", "[0, 9]"])
    assert intervals["accuracy"].value == 0.5


def test_labels_of_a_csv_are_numbers_where_all_are(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("true,pred\n0|2,0\n1,1 | 2\n,\n")
    found = karat.evaluate(path, labels=karat.Labels(separator="|"))
    assert found.classes.labels == (0, 1, 2)
    assert found.source["first_sets"] == [["0", "2"], ["1"], []]
    listed = karat.evaluate(path, labels=karat.Labels([2, 1, 0, 5], separator="|"))
    assert listed.classes.labels == (2, 1, 0, 5)
    assert listed["micro_f1"].value == found["micro_f1"].value
    path.write_text("true,pred\n0|x,0\nx,x\n")
    assert karat.evaluate(path, labels=karat.Labels(separator="|")).classes.labels == ("0", "x")


def test_more_rows_than_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
    rng = np.random.default_rng(3)
    common = rng.random((6000, 1)) < 0.5
    true = (rng.random((6000, 4)) < 0.3) | (common & (rng.random((6000, 4)) < 0.3))
    pred = true ^ ((rng.random((6000, 4)) < 0.1) | (common & (rng.random((6000, 4)) < 0.2)))
    path = parquet({"true": lists(true), "pred": lists(pred)}, tmp_path)
    whole, part = (
        karat.evaluate(path, reading=karat.Reading(max_memory=most)) for most in (1 << 30, 1 << 17)
    )
    assert part.encoded is None
    assert part.transfers is None
    assert part.sample.n == 1 << 9
    assert part.to_dict()["tally"] == whole.to_dict()["tally"]
    # What follows from the tally alone is the same; averages over labels ask the sample.
    for name in ("micro_f1", "samples_f1", "hamming_loss"):
        assert part[name].to_dict() == whole[name].to_dict()
    widths = [report["macro_f1"].high - report["macro_f1"].low for report in (part, whole)]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)
    assert "512 rows of 6 000 were kept" in part.cautions[-1]
    assert (
        part["macro_f1"].to_dict()
        == karat.evaluate(path, reading=karat.Reading(max_memory=1 << 17))["macro_f1"].to_dict()
    )
    drawn = karat.evaluate(
        path,
        reading=karat.Reading(max_memory=1 << 17),
        interval=karat.Interval(method="bootstrap", n_replicates=100),
    )
    assert "kept no rows" in drawn["macro_f1"].remark


def written(text: str, name: str = "rows.csv") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return write


def objects(*rows: Any) -> Callable[[Path], Path]:
    return written("".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")


def stored(**given: Any) -> Callable[[Path], Path]:
    return lambda folder: parquet(given, folder)


FINE = {"true": ["a"], "pred": ["a"]}
SOME = stored(true=[["a"], ["b"]], pred=[["a"], []], sample_weight=[1.0, 2.0])
REFUSED: dict[str, tuple[Callable[[Path], Any], Mapping[str, Any], str, str]] = {
    "a null prediction": (
        objects(FINE, {"true": ["b"], "pred": None}),
        {},
        "K104",
        "row 1; 1 of 2",
    ),
    "a null label": (objects(FINE, {"true": ["b", None], "pred": []}), {}, "K104", "row 1; 1 of 2"),
    "an object": (objects(FINE, {"true": [{"q": 1}], "pred": []}), {}, "K106", "Row 1"),
    "half a label": (
        objects({"true": [1], "pred": [1]}, {"true": [1.5], "pred": []}),
        {},
        "K407",
        "row 1: 1.5",
    ),
    "no list": (objects(FINE, {"true": "b", "pred": []}), {}, "K106", '"b"'),
    "text and numbers": (objects(FINE, {"true": [1], "pred": []}), {}, "K107", "Row 1 holds 1"),
    "a label twice": (objects(FINE, {"true": ["b", "b"], "pred": []}), {}, "K196", "row 1: 'b'"),
    "one label beside lists": (stored(true=[["a"]], pred=["a"]), {}, "K221", "Column 'pred'"),
    "lists with a separator": (SOME, SPLIT, "K227", "and no text"),
    "numbers with a separator": (stored(true=[1], pred=["1"]), SPLIT, "K106", "splits text"),
    "an empty label": (
        written("true,pred\na,a\nb||c,b\n"),
        SPLIT,
        "K227",
        "Row 1 of column 'true' is 'b||c'",
    ),
    "no labels": (written("true,pred\n,\n,\n"), SPLIT, "K223", "column 'true'"),
    "a label not listed": (
        written("true,pred\na,a\nb|c,b\n"),
        {**SPLIT, "labels": ["a", "b"]},
        "K109",
        "row 1: 'c'; 1 of 2",
    ),
    "labels of another kind": (
        written("true,pred\n1,1\n"),
        {**SPLIT, "labels": ["a"]},
        "K108",
        "labels=",
    ),
    "numbers written twice": (written("true,pred\n1|2,1.0\n"), SPLIT, "K229", "'1', '1.0'"),
    "a fraction": (written("true,pred\n1|2,1\n1.5,2\n"), SPLIT, "K407", "row 1: 1.5"),
    "one side alone": (written("true_a,true_b,pred_a\n1,0,1\n"), STARS, "K228", "'true_b'"),
    "one pattern": (
        written("true_a,true_b,pred_a\n1,0,1\n"),
        {"y_true": "true_*"},
        "K228",
        "pred='pred_*'",
    ),
    "no match": (written("true_a,pred_a\n1,0\n"), {**STARS, "y_true": "x_*"}, "K404", "'x_*'"),
    "a cell of 2": (
        written("true_a,true_b,pred_a,pred_b\n1,0,1,0\n1,2,1,0\n"),
        {},
        "K197",
        "row 1, column 'true_b': 2.0",
    ),
    "a cell of text": (written("true_a,pred_a\n1,0\nyes,0\n"), STARS, "K106", "'yes'"),
    "a null cell": (written("true_a,pred_a\n1,0\n1,\n"), STARS, "K104", "row 1"),
    "other labels": (lambda _: wide(), {"labels": ["a", "z"]}, "K228", "'z'"),
    "one column of scores": (SOME, {"y_prob": "sample_weight"}, "K137", "does not name the labels"),
    "one cluster": (
        stored(true=[["a"], ["b"]], pred=[["a"], []], who=["x", "x"]),
        {"clusters": "who"},
        "K145",
        "2 rows have",
    ),
    "a null cluster": (
        stored(true=[["a"], ["b"]], pred=[["a"], []], who=["x", None]),
        {"clusters": "who"},
        "K104",
        "row 1",
    ),
    "slices by lists": (SOME, {"by": "pred"}, "K106", "Column 'pred'"),
    "a threshold": (SOME, {"threshold": 0.5}, "K136", "no probabilities"),
    "names": (SOME, {"labels": karat.Labels(names=["x"])}, "K117", "1 names for 2 classes"),
    "a checkpoint": (
        SOME,
        {"reading": karat.Reading(checkpoint="read.karat")},
        "K222",
        "checkpoint=",
    ),
    "weights below 0": (
        stored(true=[["a"]], pred=[["a"]], sample_weight=[-1.0]),
        {},
        "K113",
        "row 0",
    ),
    "weights of 0": (
        stored(true=[["a"]], pred=[["a"]], sample_weight=[0.0]),
        {},
        "K115",
        "column 'sample_weight'",
    ),
    "no rows": (
        stored(true=pa.array([], pa.list_(pa.string())), pred=pa.array([], pa.list_(pa.string()))),
        {},
        "K402",
        "0 rows",
    ),
    "a later batch": (
        lambda _: (
            "SELECT ['a'] AS true, CASE WHEN i = 150000 THEN NULL ELSE ['a'] END AS pred "
            "FROM range(160000) t(i)"
        ),
        {},
        "K104",
        "row 150000",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_its_row(name: str, tmp_path: Path) -> None:
    make, options, code, told = REFUSED[name]
    with pytest.raises(KaratError) as caught:
        karat.evaluate(make(tmp_path), **grouped(options))
    assert caught.value.code == code
    assert told in str(caught.value)


def test_clusters_of_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
    who = ["x", "y", "x", "y", "z", "z"]
    path = parquet(of_lists(who=who), tmp_path)
    known = karat.evaluate(TRUE, PRED, labels=LABELS, weights=WEIGHTS, clusters=who)
    for table in (path, of_lists(who=who), pd.DataFrame({**columns(lists), "who": who})):
        found = karat.evaluate(table, clusters="who", labels=LABELS)
        assert found.to_dict()["metrics"] == known.to_dict()["metrics"]
        assert found.mapping["clusters"] == "who"
    assert (
        karat.evaluate(of_lists(), clusters=np.array(who), labels=LABELS)["micro_f1"]
        == known["micro_f1"]
    )
    # A column called like groups is a doubt, and is not used.
    doubted = karat.evaluate(of_lists(user_id=who))
    assert [one.code for one in doubted.doubts] == ["D107"]
    # Rows that go together are all kept, or refused.
    with pytest.raises(KaratError) as caught:
        karat.evaluate(path, clusters="who", reading=karat.Reading(max_memory=64))
    assert caught.value.code == "K148"


def test_rows_may_be_left_out(tmp_path: Path) -> None:
    table = stored(
        true=[["a"], ["b"], ["b"]], pred=[["a"], None, []], sample_weight=[1.0, 2.0, None]
    )(tmp_path)
    found = karat.evaluate(table, reading=karat.Reading(nulls="drop"))
    assert (found.n_rows, found.source["n_dropped"]) == (1, 2)
    assert "2 of 3 rows have a missing label" in found.warnings[0]
    assert (
        karat.evaluate(pq.read_table(table), reading=karat.Reading(nulls="drop")).to_dict()["tally"]
        == found.to_dict()["tally"]
    )


def test_columns_of_one_label_each() -> None:
    table = {"y_0": [1, 0], "y_1": [1, 1], "y_pred_1": [1, 1], "y_pred_0": [1, 0]}
    # Those that match both patterns are of the longer one; endings that are numbers are numbers.
    found = karat.evaluate(table, y_true="y_*", y_pred="y_pred_*")
    assert found.classes.labels == (0, 1)
    assert found["subset_accuracy"].value == 1.0
    assert karat.evaluate(table, y_true="y_*", y_pred="y_pred_*", labels=[1, 0]).classes.labels == (
        1,
        0,
    )
    # Two readings are none: nothing is found by name.
    both = {**wide().to_dict("list"), **{f"label_{x}": [0] * 6 for x in LABELS}}
    with pytest.raises(KaratError) as caught:
        karat.evaluate(both)
    assert caught.value.code == "K406"
    # Beside scores the truth is named; the error says how.
    scored = {"true_a": [0, 1], "true_b": [1, 0], "proba_a": [0.1, 0.8], "proba_b": [0.7, 0.2]}
    with pytest.raises(KaratError, match=r"for each label y_true='true_\*'") as caught:
        karat.evaluate(scored)
    assert caught.value.code == "K406"
    assert karat.evaluate(scored, y_true="true_*")["subset_accuracy"].value == 1.0


def test_blank_fields_that_pandas_read_as_nan() -> None:
    table = pd.DataFrame({"true": ["a|b", "a"], "pred": ["a", np.nan]})
    with pytest.raises(KaratError, match="keep_default_na=False") as caught:
        karat.evaluate(table, labels=karat.Labels(separator="|"))
    assert caught.value.code == "K104"


def test_what_a_check_shows(tmp_path: Path) -> None:
    path = csv(pd.DataFrame(columns(texts)), tmp_path)
    found = karat.check(path, labels=karat.Labels(separator="|"))
    assert found.has_sets
    assert "separator '|': true labels of the first rows: a and c; b; none" in str(found)


def test_a_long_table_becomes_sets_by_one_query(tmp_path: Path) -> None:
    """The recipe of docs/multilabel.md."""
    pairs = {
        "truth": [(row, label) for row, labels in enumerate(lists(TRUE)) for label in labels],
        "predictions": [(row, label) for row, labels in enumerate(lists(PRED)) for label in labels],
    }
    for name, rows in pairs.items():
        pd.DataFrame(rows, columns=["id", "label"]).to_parquet(tmp_path / f"{name}.parquet")
    pd.DataFrame({"id": range(6)}).to_parquet(tmp_path / "rows.parquet")
    found = karat.evaluate(
        f"""
        SELECT r.id, coalesce(t.labels, []) AS true, coalesce(p.labels, []) AS pred
        FROM '{tmp_path}/rows.parquet' r
        LEFT JOIN (SELECT id, list(label) AS labels FROM '{tmp_path}/truth.parquet' GROUP BY id) t
            USING (id)
        LEFT JOIN (
            SELECT id, list(label) AS labels FROM '{tmp_path}/predictions.parquet' GROUP BY id
        ) p USING (id)
        """
    )
    known = karat.evaluate(TRUE, PRED, labels=LABELS)
    assert found.tally.counts.tolist() == known.tally.counts.tolist()
    assert found["samples_f1"].value == known["samples_f1"].value

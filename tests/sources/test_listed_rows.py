"""The rows behind a number are the same from every source, and the errors written are all of them.

The reference sorts all rows with pandas.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.cli.app import run
from karat.data.sources.files import ids as file_ids
from tests.grouping import grouped
from tests.optional import optional

optional("duckdb")
AT = 0.4
GIVEN: dict[str, Any] = {
    "y_true": "label",
    "y_prob": "prob_bad",
    "positive": "bad",
    "threshold": AT,
}
STREAMED: dict[str, Any] = {"max_memory": 1 << 20}
N_STREAMED = 150_000
"""Scores and labels of so many rows do not fit."""


def table_of(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    is_bad = rng.random(n) < 0.2
    prob = np.clip(0.3 * is_bad + 0.6 * rng.random(n), 0, 1)
    columns = {
        "row_id": [f"r{i}" for i in rng.permutation(n)],
        "label": np.where(is_bad, "bad", "good"),
        "prob_bad": prob,
        "pred": np.where(prob >= AT, "bad", "good"),
        "seg": rng.choice(["a", "b"], n),
    }
    found = pd.DataFrame(columns)
    # Rows that are left out move the numbers of the others.
    found.loc[10:20, "label"] = None
    return found


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[pd.DataFrame, Path]]:
    """A table of so many rows, and the folder of its files; each is made once."""
    known: dict[int, tuple[pd.DataFrame, Path]] = {}

    def made(n: int) -> tuple[pd.DataFrame, Path]:
        if n not in known:
            folder, table = tmp_path_factory.mktemp("rows"), table_of(n)
            table.to_csv(folder / "rows.csv", index=False)
            table.to_parquet(folder / "rows.parquet")
            known[n] = table, folder
        return known[n]

    return made


def wrong_rows(table: pd.DataFrame) -> pd.DataFrame:
    known = table[table.label.notna()]
    return known[known.label != known.pred]


def most_wrong(table: pd.DataFrame, n: int) -> pd.DataFrame:
    """Bad rows that were predicted good, the smallest probability first."""
    missed = wrong_rows(table).query("label == 'bad'")
    return missed.sort_values("prob_bad", kind="stable").head(n)


IN_MEMORY: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda table, _: table,
    "polars": lambda table, _: pl.from_pandas(table),
    "arrow": lambda table, _: pa.Table.from_pandas(table),
    "csv": lambda _, folder: str(folder / "rows.csv"),
    "parquet": lambda _, folder: str(folder / "rows.parquet"),
}
CASES = [
    *((name, 3000, {}) for name in IN_MEMORY),
    *((x, N_STREAMED, STREAMED) for x in ("csv", "parquet")),
]


@pytest.mark.parametrize(("name", "n", "more"), CASES)
def test_every_source_lists_the_same_rows(
    tables: Any, name: str, n: int, more: dict[str, Any]
) -> None:
    table, folder = tables(n)
    options = {**GIVEN, "reading": karat.Reading(nulls="drop", keep_rows=20), "level": None, **more}
    source, want = IN_MEMORY[name](table, folder), most_wrong(table, 20)
    report = karat.evaluate(source, ids="row_id", **grouped(options))
    found = report.rows(true="bad", pred="good")
    assert found.ids == want.row_id.tolist()
    assert [row["prob"] for row in found] == want.prob_bad.tolist()
    n_missed = len(wrong_rows(table).query("label == 'bad'"))
    assert found.n == report.confusion.matrix[0, 1] == n_missed > 20
    assert report.rows(wrong=True).n == len(wrong_rows(table))
    # Without ids, rows have their numbers in the source.
    report = karat.evaluate(source, ids="", **grouped(options))
    assert report.rows(true="bad", pred="good").ids == want.index.tolist()


def test_ids_of_other_rows_are_seen(tables: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotage of the test above: ids of the rows before."""
    table, folder = tables(3000)
    texts = file_ids._texts
    monkeypatch.setattr(file_ids, "_texts", lambda column, at: texts(column, np.maximum(at, 1) - 1))
    report = karat.evaluate(
        str(folder / "rows.csv"),
        **grouped({"reading": karat.Reading(nulls="drop"), **GIVEN}),
        ids="row_id",
        level=None,
    )
    assert report.rows(true="bad", pred="good").ids != most_wrong(table, 20).row_id.tolist()


@pytest.mark.parametrize(("n", "memory"), [(3000, "2GB"), (N_STREAMED, "1MiB")])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_every_wrong_row_is_written_in_the_order_of_the_file(
    tables: Any, kind: str, n: int, memory: str, tmp_path: Path
) -> None:
    table, folder = tables(n)
    path, output, source = tmp_path / "e.csv", tmp_path / "r.json", str(folder / f"rows.{kind}")
    given = ["--true", "label", "--positive", "bad", "--nulls", "drop", "--level", "none"]
    given += ["--errors", str(path), "--max-memory", memory, "-o", str(output)]
    scored = ["--pred", "", "--prob", "prob_bad", "--threshold", str(AT)]
    assert run(["report", source, *given, *scored]) == 0
    found, want = pd.read_csv(path), wrong_rows(table)
    assert found.columns.tolist() == ["id", "true", "pred", "prob"]
    assert found["id"].tolist() == want.row_id.tolist()
    assert found.prob.tolist() == want.prob_bad.tolist()
    assert found.true.tolist() == want.label.tolist()
    assert found.pred.tolist() == want.pred.tolist()
    labels = ["--pred", "pred", "--prob", "", "--by", "seg", "--ids", ""]
    assert run(["report", source, *given, *labels]) == 0
    found = pd.read_csv(path)
    assert found.columns.tolist() == ["row", "true", "pred", "seg"]
    assert found.row.tolist() == want.index.tolist()
    assert found.seg.tolist() == want.seg.tolist()
    assert '"rows"' not in output.read_text()


def test_a_page_of_the_command_line_lists_rows(tables: Any, tmp_path: Path) -> None:
    optional("jinja2")
    optional("matplotlib")
    source = str(tables(3000)[1] / "rows.parquet")
    page, other = tmp_path / "report.html", tmp_path / "report.json"
    given = ["--pred", "pred", "--nulls", "drop", "--positive", "bad", "--level", "none"]
    given += ["--metrics", "accuracy,f1"]
    assert run(["report", source, *given, "-o", str(page)]) == 0
    assert '"head":"id","ids":["r' in page.read_text()
    assert run(["report", source, *given, "-o", str(other)]) == 0
    assert '"rows"' not in other.read_text()
    assert run(["report", source, *given, "-o", str(other), "--keep-rows", "3"]) == 0
    assert karat.Report.from_json(other.read_text()).rows(wrong=True, limit=3).ids
    assert run(["report", source, *given, "-o", str(page), "--keep-rows", "0"]) == 0
    assert '"ids":[' not in page.read_text()


def test_sets_of_labels_list_what_is_missed_and_added(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    labels = ["sea", "sky", "a|b"]
    true, scores = (rng.random((80, 3)) < 0.5).astype(int), rng.random((80, 3))
    names = [f"i{i}" for i in range(80)]
    report = karat.evaluate(true, y_prob=scores, labels=labels, ids=names)
    pred = scores > 0.5
    missed = [i for i in np.argsort(scores[:, 0], kind="stable") if true[i, 0] and not pred[i, 0]]
    found = report.wrong_rows(missed="sea", limit=100)
    assert found.ids == [names[i] for i in missed]
    assert found.n == len(missed) == report.fields.fn[0]
    n_wrong = int((true != pred).any(axis=1).sum())
    assert report.wrong_rows().n == n_wrong
    # Names of rows are no number of the report.
    assert report.to_json() == karat.evaluate(true, y_prob=scores, labels=labels).to_json()
    sets = [[[labels[j] for j in np.flatnonzero(row)] for row in side] for side in (true, pred)]
    table = pl.DataFrame({"id": names, "true": sets[0], "pred": sets[1]})
    table.write_parquet(tmp_path / "sets.parquet")
    path = tmp_path / "errors.csv"
    assert run(["report", str(tmp_path / "sets.parquet"), "--errors", str(path)]) == 0
    written = pd.read_csv(path, keep_default_na=False)
    assert written.columns.tolist() == ["id", "true", "pred", "missed", "added"]
    assert written["id"].tolist() == [names[i] for i in np.flatnonzero((true != pred).any(axis=1))]
    of_table = karat.evaluate(table, y_true="true", y_pred="pred", ids="id")
    assert {*of_table.wrong_rows(limit=100).ids} == {*written["id"]}

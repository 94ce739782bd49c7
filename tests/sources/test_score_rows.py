"""Rows with probabilities from tables and files: the same everywhere, in the order of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.data.rows import Counted
from karat.data.scores import matrix as score_matrix
from karat.data.sources.files.duck import connected
from karat.data.sources.files.rows import rows_of_files
from karat.data.sources.tables.rows import rows_of_frame
from karat.errors import KaratError
from tests.optional import optional
from tests.sources.score_sources import (
    WRITERS,
    pa,
    parquet,
    pd,
    pl,
    pq,
    rows,
    sources,
    write_csv,
    write_json,
    write_parquet,
)  # fmt: skip

duckdb = optional("duckdb")

EXAMPLES = Path(__file__).parents[2] / "examples" / "predictions"
DIGITS = EXAMPLES / "digits_logreg.parquet"
NAMES = [f"proba_{i}" for i in range(10)]


def digits() -> Any:
    return pq.read_table(DIGITS)


def expected_matrix() -> np.ndarray[Any, Any]:
    table = digits()
    return np.column_stack([table[name].to_numpy() for name in NAMES])


FRAMES: dict[str, Callable[[Any], Any]] = {
    "arrow": lambda table: table,
    "arrow chunks": lambda table: pa.concat_tables([table[:100], table[100:100], table[100:]]),
    "arrow reader": lambda table: table.to_reader(max_chunksize=97),
    "pandas": lambda table: table.to_pandas(),
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "dict": lambda table: {name: table[name].to_numpy() for name in table.column_names},
    "duckdb": duckdb.from_arrow,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_the_digits_are_the_same_in_every_table(make: Any) -> None:
    found = rows(rows_of_frame(make(digits())))
    assert found.classes.labels == tuple(range(10))
    assert found.true.dtype == np.int32
    assert found.true.tolist() == digits()["label"].to_pylist()
    assert found.pred is not None
    assert found.pred.tolist() == digits()["pred"].to_pylist()
    assert found.scores.values.dtype == np.float32
    assert found.scores.values.tobytes() == expected_matrix().tobytes()
    assert found.scores.columns == tuple(NAMES)
    assert found.scores.argument == "y_prob"
    assert found.weights is None
    assert found.n == 1797
    # The column of folds is recognized, and not read.
    roles = {"true": "label", "pred": "pred", "weights": None, "prob": NAMES, "folds": None}
    assert found.mapping == roles


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("options", [{}, {"prob": "proba_*"}, {"prob": NAMES}, {"where": "true"}])
def test_the_digits_are_the_same_in_every_file(ending: str, options: Any, tmp_path: Path) -> None:
    path = WRITERS[ending](tmp_path / f"digits.{ending}", digits())
    found = rows(rows_of_files(path, **options))
    assert found.classes.labels == tuple(range(10))
    assert found.true.tolist() == digits()["label"].to_pylist()
    assert found.pred is not None
    assert found.pred.tolist() == digits()["pred"].to_pylist()
    assert found.scores.values.dtype == (np.float32 if ending == "parquet" else np.float64)
    # Every float32 is written with digits that give it back.
    assert found.scores.values.astype(np.float32).tobytes() == expected_matrix().tobytes()
    assert found.mapping["prob"] == NAMES
    assert found.source["format"] == [ending.removesuffix("l")]


def test_rows_of_many_files_and_formats_keep_their_order(tmp_path: Path) -> None:
    table = digits()
    write_parquet(tmp_path / "a.parquet", table[:700])
    write_csv(tmp_path / "b.csv", table[700:1500])
    write_json(tmp_path / "c.jsonl", table[1500:])
    found = rows(rows_of_files(str(tmp_path / "*")))
    assert found.true.tolist() == table["label"].to_pylist()
    assert found.scores.values.astype(np.float32).tobytes() == expected_matrix().tobytes()
    write_parquet(tmp_path / "z" / "d.parquet", table[:3]) if (tmp_path / "z").is_dir() else None
    found = rows(rows_of_files([str(tmp_path / "c.jsonl"), str(tmp_path / "a.parquet")]))
    assert found.true.tolist() == [
        *table["label"].to_pylist()[1500:],
        *table["label"].to_pylist()[:700],
    ]


def test_a_changed_value_is_told_apart(tmp_path: Path) -> None:
    table = digits()
    column = table["proba_3"].to_numpy().copy()
    column[1000] = np.nextafter(column[1000], np.float32(1))
    place = table.schema.get_field_index("proba_3")
    path = write_parquet(
        tmp_path / "a.parquet", table.set_column(place, "proba_3", pa.array(column))
    )
    found = rows(rows_of_files(path))
    assert (found.scores.values != expected_matrix()).sum() == 1


@pytest.mark.parametrize("labels", [list(range(9, -1, -1)), [3, 1, 4, 0, 5, 9, 2, 6, 8, 7]])
def test_columns_are_put_in_the_order_of_labels(labels: list[int]) -> None:
    expected = expected_matrix()[:, labels]
    for read, source in ((rows_of_frame, digits()), (rows_of_files, DIGITS)):
        found = rows(read(source, labels=labels))  # type: ignore[operator]
        assert found.classes.labels == tuple(labels)
        assert found.scores.values.tobytes() == np.ascontiguousarray(expected).tobytes()
        assert found.mapping["prob"] == [f"proba_{label}" for label in labels]
        true = digits()["label"].to_pylist()
        assert [labels[code] for code in found.true] == true


@pytest.mark.parametrize("options", [{}, {"labels": range(10)}])
def test_a_list_in_another_order_is_put_in_that_of_the_classes(options: Any) -> None:
    for read, source in ((rows_of_frame, digits()), (rows_of_files, DIGITS)):
        found = rows(read(source, prob=NAMES[::-1], **options))  # type: ignore[operator]
        assert found.scores.values.tobytes() == expected_matrix().tobytes()


SMALL = {
    "label": ["dog", "cat", "dog", "bird"],
    "guess": ["cat", "cat", "dog", "bird"],
    "sample_weight": [1.0, 2.0, 0.5, 1.0],
    "s_dog": [0.5, 0.25, 0.75, 0.0],
    "s_cat": [0.25, 0.5, 0.125, 0.0],
    "s_bird": [0.25, 0.25, 0.125, 1.0],
    "lists": [[0.25, 0.25, 0.5], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [1.0, 0.0, 0.0]],
}
SORTED = np.array(SMALL["lists"])


def test_columns_by_pattern_and_lists_of_text_labels(tmp_path: Path) -> None:
    for options in ({"score": "s_*"}, {"score": "lists"}, {"prob": ["s_dog", "s_bird", "s_cat"]}):
        for name, read in sources(tmp_path, SMALL).items():
            found = rows(read(**options))
            assert found.classes.labels == ("bird", "cat", "dog"), name
            assert found.true.tolist() == [2, 1, 2, 0], name
            assert found.pred is None
            assert found.scores.values.tobytes() == SORTED.tobytes(), name
            assert found.weights is not None
            assert found.weights.tolist() == SMALL["sample_weight"]
            assert found.mapping["weights"] == "sample_weight"


def test_where_leaves_rows_out_of_labels_and_scores_alike(tmp_path: Path) -> None:
    for name, read in sources(tmp_path, SMALL).items():
        if name not in (*WRITERS, "query"):
            continue
        found = rows(read(score="s_*", where="sample_weight >= 1", pred="guess"))
        assert found.scores.values.tolist() == SORTED[[0, 1, 3]].tolist(), name
        assert found.true.tolist() == [2, 1, 0]
        assert found.pred is not None
        assert found.pred.tolist() == [1, 1, 0]
        assert found.source["where"] == "sample_weight >= 1"


def test_one_column_of_the_positive_class(tmp_path: Path) -> None:
    columns = {"label": [0, 1, 1], "p": [0.25, 0.5, 0.75]}
    for name, read in sources(tmp_path, columns).items():
        found = rows(read())
        assert found.scores.values.tolist() == [0.25, 0.5, 0.75], name
        assert found.scores.values.ndim == 1
        assert found.scores.is_prob
        assert found.classes.positive == 1
        assert found.mapping == {"true": "label", "pred": None, "weights": None, "prob": ["p"]}
        assert rows(read(positive=0)).classes.positive == 0
        found = rows(read(score="p", labels=[1, 0]))
        assert (found.classes.labels, found.classes.positive) == ((1, 0), 0)
        assert found.true.tolist() == [1, 0, 0]


HOLES = {
    "label": ["a", None, "b", "b", "a"],
    "pred": ["a", "a", None, "b", "b"],
    "p_b": [0.25, None, 0.5, 0.75, 1.0],
    "p_a": [0.75, 0.5, 0.5, 0.25, 0.0],
}


def test_rows_without_labels_are_dropped_with_their_scores(tmp_path: Path) -> None:
    for name, read in sources(tmp_path, HOLES).items():
        with pytest.raises(KaratError) as caught:
            read()
        assert caught.value.code in ("K104", "K131"), name
        found = rows(read(nulls="drop"))
        assert found.n_dropped == 2, name
        assert found.true.tolist() == [0, 1, 0]
        assert found.scores.values.tolist() == [[0.75, 0.25], [0.25, 0.75], [0.0, 1.0]]
        assert found.kept is not None
        assert found.kept.tolist() == [True, False, False, True, True]
        assert found.source["n_dropped"] == 2
        assert found.warnings[0] == "2 of 5 rows have a missing label and were dropped."


def test_texts_that_stand_for_null_are_dropped_with_their_scores(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,proba_0,proba_1\n0,0.5,0.5\nNA,1,0\n1,0.25,0.75\n,0,1\n", "utf-8")
    found = rows(rows_of_files(path, nulls="drop"))
    assert found.true.tolist() == [0, 1]
    assert found.scores.values.tolist() == [[0.5, 0.5], [0.25, 0.75]]
    assert found.kept is not None
    assert found.kept.tolist() == [True, False, True, False]


def test_a_missing_score_is_an_error_whatever_nulls_says(tmp_path: Path) -> None:
    columns = {**HOLES, "p_b": [0.25, None, 0.5, None, 1.0]}
    for name, read in sources(tmp_path, columns).items():
        if name == "pandas":
            continue  # Its column of floats knows no null: the NaN is refused where it is read.
        with pytest.raises(KaratError) as caught:
            read(nulls="drop")
        assert caught.value.code == "K131", name
        assert "First at row 3, column 'p_b'" in str(caught.value), name


def test_numbers_of_16_bits_in_parquet_are_known(tmp_path: Path) -> None:
    halves = [pa.array(SORTED[:, i].astype(np.float16)) for i in range(3)]
    path = parquet(
        tmp_path, label=SMALL["label"], p_bird=halves[0], p_cat=halves[1], p_dog=halves[2]
    )
    found = rows(rows_of_files(path))
    assert (found.scores.tolerance, found.scores.values.dtype) == (1e-2, np.float32)
    assert found.scores.values.tolist() == SORTED.tolist()


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "decimal", "float32 and float64"])
def test_every_number_type_of_parquet(kind: str, tmp_path: Path) -> None:
    types = {"decimal": pa.decimal128(25, 2), "float32 and float64": pa.float32()}
    first = pa.array([1, 0, 1, 0]).cast(types.get(kind) or kind)
    second = pa.array([0.1, 0.2, 0.3, 0.4]) if " and " in kind else first
    path = parquet(tmp_path, label=[0, 1, 1, 0], s_0=first, s_1=second)
    found = rows(rows_of_files(path, score="s_*"))
    assert found.scores.values.dtype == np.float64
    assert found.scores.values[:, 0].tolist() == [1, 0, 1, 0]
    assert found.scores.values[:, 1].tolist() == [float(x) for x in second.to_pylist()]


def test_without_scores_labels_are_tallied(tmp_path: Path) -> None:
    columns = {"label": SMALL["label"], "pred": SMALL["guess"]}
    for read in sources(tmp_path, columns).values():
        found = read()
        assert isinstance(found, Counted | Counted)
        assert found.cells.matrix().tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
        assert found.warnings == ()


def test_columns_that_only_look_like_scores_are_left_out_and_told(tmp_path: Path) -> None:
    labels = {"label": SMALL["label"], "pred": SMALL["guess"]}
    for extra, words in (
        ({"p_value": [0.5] * 4, "p_adj": [0.5] * 4}, "p_* (2), found by name, were not read."),
        ({"score": [0.5] * 4}, "'score', found by name, was not read."),
        ({"confidence": [0.5] * 4}, "'confidence' was not read"),
        ({"class_x": [0.5] * 4, "class_y": [0.5] * 4}, "class_* (2) were not read"),
    ):
        for name, read in sources(tmp_path, {**labels, **extra}).items():
            found = read()
            assert isinstance(found, Counted | Counted), name
            assert words in found.warnings[-1]
            assert found.cells.n_rows == 4
        with pytest.raises(KaratError) as caught:
            rows_of_frame({"label": labels["label"], **extra})
        assert caught.value.code in ("K134", "K137", "K406")


def test_labels_are_text_reads_declared_labels_as_the_file_has_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,proba_0,proba_1\n1,0.5,0.5\n0,1,0\n", "utf-8")
    found = rows(rows_of_files(path, labels=["1", "0"], labels_are_text=True))
    assert found.classes.labels == (1, 0)
    assert found.scores.values.tolist() == [[0.5, 0.5], [0.0, 1.0]]


def test_progress_is_told_and_a_generator_of_labels_is_read_once(tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    found = rows(
        rows_of_files(
            DIGITS, labels=(i for i in range(10)), progress=lambda n, total: told.append((n, total))
        )
    )
    assert told[-1] == (1797, 1797)
    assert found.n == 1797


def test_a_thousand_columns_of_a_csv_are_found(tmp_path: Path) -> None:
    k = 1000
    matrix = np.random.default_rng(0).random((7, k))
    columns = {f"proba_{i}": matrix[:, i] for i in range(k)}
    path = write_csv(tmp_path / "wide.csv", pa.table({"label": list(range(7)), **columns}))
    found = rows(rows_of_files(path))
    assert found.scores.values.tobytes() == matrix.tobytes()
    assert found.classes.k == k


def test_the_matrix_grows_without_loss_over_many_batches(tmp_path: Path) -> None:
    n = 300_000
    path = str(tmp_path / "many.parquet")
    sql = "SELECT range % 3 AS label, range::FLOAT AS s_0, -range::FLOAT AS s_1, 0.5::FLOAT AS s_2"
    duckdb.connect().execute(
        f"COPY ({sql} FROM range({n})) TO '{path}' (FORMAT parquet)"
    ).fetchall()

    for where, growth in (
        (None, score_matrix.GROWTH_BYTES),
        ("true", 4096),
        ("s_0 % 7 <> 3", 1 << 20),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(score_matrix, "GROWTH_BYTES", growth)
            found = rows(rows_of_files(path, score="s_*", where=where, labels=[2, 1, 0]))
        kept = (
            np.arange(n)
            if where is None or "7" not in where
            else np.arange(n)[np.arange(n) % 7 != 3]
        )
        assert found.scores.values.dtype == np.float32
        assert (found.scores.values[:, 2] == kept.astype(np.float32)).all()
        assert (found.scores.values[:, 1] == -kept.astype(np.float32)).all()
        assert (found.true == 2 - kept % 3).all()


def test_duckdb_writes_no_progress_of_its_own() -> None:
    with connected() as connection:
        setting = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    assert setting == [(False,)]

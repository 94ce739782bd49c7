"""The files engine: every format, name and size gives the tally that the rows have."""

from __future__ import annotations

import io
import os
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import karat
from karat.data.sources.arrays.labels import tally_labels
from karat.data.sources.files import counted as files
from karat.data.sources.files import row_blocks
from karat.data.sources.files.counted import survey_files
from karat.errors import KaratError
from karat.tally import Cells, to_marginals
from tests.same import assert_same
from tests.sources.counting import tally_files
from tests.sources.writing import (
    MATRIX,
    PRED,
    TEN,
    TRUE,
    Columns,
    compress,
    write_csv,
    write_json,
    write_parquet,
    write_rows,
)

TEXT: Columns = {"label": ["cat", "dog", "naïve"], "pred": ["dog", "dog", "naïve"]}


def counted(true: list[object], pred: list[object]) -> dict[tuple[object, object], int]:
    """The slow reference."""
    return dict(Counter(zip(true, pred, strict=True)))


def as_dict(cells: Cells) -> dict[tuple[object, object], int]:
    rows, cols, counts = cells.occupied()
    labels = cells.classes.labels
    return {
        (labels[i], labels[j]): int(c)
        for i, j, c in zip(rows.tolist(), cols.tolist(), counts.tolist(), strict=True)
    }


def csv_of(path: Path) -> Path:
    return write_csv(path / "p.csv", TEN)


FORMATS: dict[str, Callable[[Path], Path]] = {
    "csv": csv_of,
    "semicolons": lambda path: write_csv(path / "p.csv", TEN, ";"),
    "bars": lambda path: write_csv(path / "p.csv", TEN, "|"),
    "tsv": lambda path: write_csv(path / "p.tsv", TEN, "\t"),
    "csv.gz": lambda path: compress(csv_of(path), "gz"),
    "csv.zst": lambda path: compress(csv_of(path), "zst"),
    "jsonl": lambda path: write_json(path / "p.jsonl", TEN),
    "ndjson": lambda path: write_json(path / "p.ndjson", TEN),
    "jsonl.gz": lambda path: compress(write_json(path / "p.jsonl", TEN), "gz"),
    "json": lambda path: write_json(path / "p.json", TEN, is_array=True),
    "parquet": lambda path: write_parquet(path / "p.parquet", TEN),
    "parquet of bytes": lambda path: write_parquet(
        path / "p.parquet", TEN, label="UTINYINT", pred="SMALLINT"
    ),
    "parquet of floats": lambda path: write_parquet(
        path / "p.parquet", TEN, label="DOUBLE", pred="FLOAT"
    ),
    "parquet of decimals": lambda path: write_parquet(
        path / "p.parquet", TEN, label="DECIMAL(38,0)", pred="DECIMAL(9,2)"
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_worked_example(name: str, tmp_path: Path) -> None:
    found = tally_files(FORMATS[name](tmp_path))
    assert found.cells.classes.labels == (0, 1, 2, 3)
    assert found.cells.matrix().tolist() == MATRIX
    assert found.mapping == {"true": "label", "pred": "pred", "weights": None}
    assert found.n_dropped == 0
    assert found.warnings == ()


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_csv(path / "p.csv", TEXT),
        lambda path: write_json(path / "p.jsonl", TEXT),
        lambda path: write_parquet(path / "p.parquet", TEXT),
        lambda path: write_parquet(path / "p.parquet", TEXT, label="BLOB"),
    ],
    ids=["csv", "jsonl", "parquet", "bytes"],
)
def test_text_labels_in_every_format(write: Callable[[Path], Path], tmp_path: Path) -> None:
    cells = tally_files(write(tmp_path)).cells
    assert cells.classes.labels == ("cat", "dog", "naïve")
    assert cells.matrix().tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("compression", ["none", "gz"])
@pytest.mark.parametrize("name", ["csv", "jsonl", "json", "parquet"])
def test_standard_input_is_recognised_by_its_first_bytes(
    name: str, compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FORMATS[name](tmp_path)
    if compression == "gz" and name != "parquet":
        path = compress(path, "gz")
    stdin = SimpleNamespace(buffer=io.BytesIO(path.read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    found = tally_files("-")
    assert found.cells.matrix().tolist() == MATRIX
    assert found.source["files"] == ["standard input"]


def test_standard_input_in_zstd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = FORMATS["csv.zst"](tmp_path).read_bytes()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert tally_files("-").cells.matrix().tolist() == MATRIX


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    pipe, content = tmp_path / "pipe", csv_of(tmp_path).read_bytes()
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    found = tally_files(pipe)
    writer.join()
    assert found.cells.matrix().tolist() == MATRIX


def test_globs_lists_and_folders_add_up(tmp_path: Path) -> None:
    first = write_csv(tmp_path / "a.csv", {"label": TRUE[:4], "pred": PRED[:4]})
    second = write_csv(tmp_path / "b.csv", {"pred": PRED[4:], "label": TRUE[4:]})
    (tmp_path / "notes.txt").write_text("not data")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("no")
    for source in (tmp_path, str(tmp_path / "*.csv"), str(tmp_path / "*"), [first, second]):
        found = tally_files(source)
        assert found.cells.matrix().tolist() == MATRIX
        assert found.source["files"] == [str(first), str(second)]


def test_folders_of_partitions_hold_columns(tmp_path: Path) -> None:
    for day, part in (("2026-01-01", slice(0, 5)), ("2026-01-02", slice(5, None))):
        folder = tmp_path / f"day={day}" / "model=a"
        folder.mkdir(parents=True)
        write_parquet(folder / "p.parquet", {"label": TRUE[part], "pred": PRED[part]})
    assert tally_files(tmp_path).cells.matrix().tolist() == MATRIX
    second = tally_files(tmp_path, where="day > '2026-01-01' AND model = 'a'").cells
    assert as_dict(second) == counted(TRUE[5:], PRED[5:])


def test_a_partition_may_be_the_label(tmp_path: Path) -> None:
    for name in ("cat", "dog"):
        (tmp_path / f"label={name}").mkdir()
        write_csv(tmp_path / f"label={name}" / "p.csv", {"pred": ["cat", "cat", "dog"]})
    assert tally_files(tmp_path).cells.matrix().tolist() == [[2, 1], [2, 1]]


def test_files_of_several_formats_add_up(tmp_path: Path) -> None:
    paths = [
        write_csv(tmp_path / "a.csv", {"label": TRUE[:3], "pred": PRED[:3]}),
        write_parquet(tmp_path / "b.parquet", {"label": TRUE[3:6], "pred": PRED[3:6]}),
        write_json(tmp_path / "c.jsonl", {"label": TRUE[6:], "pred": PRED[6:]}),
    ]
    assert tally_files(paths).cells.matrix().tolist() == MATRIX


def test_integers_of_several_widths_are_one_kind(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet", {"label": [1], "pred": [1]}, label="TINYINT")
    write_parquet(tmp_path / "b.parquet", {"label": [70_000], "pred": [1]}, label="BIGINT")
    assert tally_files(tmp_path).cells.classes.labels == (1, 70_000)


def test_a_query_is_read(tmp_path: Path) -> None:
    path = csv_of(tmp_path)
    query = f"SELECT label AS truth, pred AS estimate FROM '{path}' WHERE label > 0;"
    found = tally_files(query)
    assert as_dict(found.cells) == counted(TRUE[2:], PRED[2:])
    assert found.mapping == {"true": "truth", "pred": "estimate", "weights": None}
    assert found.source == {"query": query}


@pytest.mark.parametrize("path", [csv_of, FORMATS["jsonl"], FORMATS["parquet"]])
def test_a_filter_sees_typed_columns(path: Callable[[Path], Path], tmp_path: Path) -> None:
    found = tally_files(path(tmp_path), where="label > 0 AND pred <> 2 -- a comment")
    kept = [(t, p) for t, p in zip(TRUE, PRED, strict=True) if t > 0 and p != 2]
    assert as_dict(found.cells) == dict(Counter(kept))
    assert found.source["where"] == "label > 0 AND pred <> 2 -- a comment"


def test_columns_are_named_by_the_caller(tmp_path: Path) -> None:
    columns = {'a "b"': TRUE, "SELECT": PRED, "label": PRED, "pred": TRUE}
    path = write_csv(tmp_path / "p.csv", columns)
    found = tally_files(path, true='a "b"', pred="SELECT")
    assert found.cells.matrix().tolist() == MATRIX


def test_columns_that_differ_in_case_are_told_apart(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", {"Label": PRED, "label": TRUE, "pred": PRED})
    with pytest.raises(KaratError, match="K405"):
        tally_files(path)
    assert tally_files(path, true="label").cells.matrix().tolist() == MATRIX


def test_a_file_name_is_no_pattern(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "it's [1] *.csv", TEN)
    write_csv(tmp_path / "it's 1 b.csv", TEN)
    assert tally_files(path).cells.matrix().tolist() == MATRIX


def test_weights_add_up(tmp_path: Path) -> None:
    weights = [0.5, 0, 1, 2, 0.25, 1, 1, 3, 0, 1]
    path = write_csv(tmp_path / "p.csv", {**TEN, "sample_weight": weights})
    expected = tally_labels(TRUE, PRED, weights=weights)
    for found in (tally_files(path), tally_files(path, weights="sample_weight")):
        assert_same(found.cells.matrix(), expected.matrix())
        assert_same(found.cells.squares, expected.squares)
    assert tally_files(path, weights="").mapping["weights"] is None
    assert tally_files(path, weights="").cells.matrix().tolist() == MATRIX


def test_labels_and_positive_are_kept(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", TEXT)
    cells = tally_files(path, labels=["dog", "naïve", "fox", "cat"]).cells
    assert cells.classes.labels == ("dog", "naïve", "fox", "cat")
    assert cells.classes.is_declared
    two = write_csv(tmp_path / "q.csv", {"label": ["no", "yes"], "pred": ["no", "no"]})
    assert tally_files(two, positive="no").cells.classes.positive == 0


def test_labels_given_as_text_are_read_as_the_columns_are(tmp_path: Path) -> None:
    path = csv_of(tmp_path)
    cells = tally_files(path, labels=["3", "2", "1", "0"], labels_are_text=True).cells
    assert cells.classes.labels == (3, 2, 1, 0)
    text = write_parquet(tmp_path / "t.parquet", {"label": ["1", "0"], "pred": ["1", "1"]})
    cells = tally_files(text, labels=["1", "0"], positive="0", labels_are_text=True).cells
    assert (cells.classes.labels, cells.classes.positive) == (("1", "0"), 1)


def test_class_totals_when_cells_are_not_wanted(tmp_path: Path) -> None:
    for path in (csv_of(tmp_path), FORMATS["parquet"](tmp_path)):
        cells = to_marginals(tally_files(path).cells)
        assert cells.storage == "marginals"
        assert cells.counts.tolist() == [[1, 2, 2, 0], [3, 0, 2, 0], [1, 3, 0, 1]]


def test_rows_without_a_label_are_dropped_on_request(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("label,pred,sample_weight\n1,1,1\n,1,1\n0,,1\n0,1,\n1,0,2\n")
    found = tally_files(path, nulls="drop")
    assert found.cells.matrix().tolist() == [[0.0, 0.0], [2.0, 1.0]]
    assert found.n_dropped == found.source["n_dropped"] == 3
    assert found.warnings == ("3 of 5 rows have a missing label and were dropped.",)


def test_nan_among_float_labels_is_missing(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "p.parquet",
        "SELECT * FROM (VALUES (1::DOUBLE, 1), ('nan'::DOUBLE, 0)) AS t(label, pred)",
    )
    assert tally_files(path, nulls="drop").n_dropped == 1


def test_look_alike_classes_are_told(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", {"label": ["cat", "dog"], "pred": ["cat ", "Dog"]})
    with pytest.raises(KaratError, match="K191"):
        karat.evaluate(path)
    path = write_csv(
        tmp_path / "q.csv", {"label": ["cat", "dog", "cat "], "pred": ["cat ", "Dog", "cat "]}
    )
    assert [one.noticed for one in karat.evaluate(path).doubts] == [
        "Classes 'cat' and 'cat ' differ only in blanks or case.",
        "Classes 'Dog' and 'dog' differ only in blanks or case.",
    ]


@pytest.mark.parametrize(
    ("other", "label", "told"),
    [
        ("caf\u00e9", "cafe\u0301", r"'cafe\u0301' and 'caf\xe9' differ only in blanks, case, un"),
        ("a b", "a\u00a0b", r"'a b' and 'a\xa0b' differ only in blanks, case, unseen"),
        ("a", "a\u200b", r"'a' and 'a\u200b' differ only in blanks, case, unseen"),
        ("x1", "x\u00b9", None),
        ("a", "\u00e4", None),
        ("x", "12345678901234567890", None),
        ("12345678901234567890", "12345678901234567891", None),
        ("0.1", "0.10000000000000001", None),
        ("1e99999999999999999999", "1e99999999999999999998", None),
        ("1e9999", "10e9998", "'10e9998' and '1e9999' differ only in how a number is written."),
    ],
)
def test_labels_that_look_the_same_are_told_and_no_others(
    other: str, label: str, told: str | None
) -> None:
    found = karat.evaluate({"label": [other, label, "y"], "pred": [other, label, "y"]}).warnings
    if told is None:
        assert found == ()
    else:
        (one,) = found
        assert told in one


def test_progress_counts_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_blocks, "N_BLOCK", 4)
    seen: list[tuple[int, int | None]] = []
    tally_files(FORMATS["parquet"](tmp_path), progress=lambda *read: seen.append(read))
    assert seen == [(4, 10), (8, 10), (10, 10)]
    seen.clear()
    tally_files(csv_of(tmp_path), progress=lambda *read: seen.append(read))
    assert seen == [(4, None), (8, None), (10, None)]


@pytest.mark.parametrize("n_block", [1, 3, 7, 10, 11])
def test_the_size_of_blocks_changes_nothing(
    n_block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_blocks, "N_BLOCK", n_block)
    weights = [0, 0, 0, 0, 1, 1, 1, 3, 2, 1]
    text = [f"class {label}" for label in TRUE]
    columns = {
        "label": text,
        "pred": [f"class {label}" for label in PRED],
        "sample_weight": weights,
    }
    expected = tally_labels(text, columns["pred"], weights=weights)
    for path in (
        write_csv(tmp_path / "p.csv", columns),
        write_parquet(tmp_path / "p.parquet", columns),
    ):
        found = tally_files(path).cells
        assert found.classes.labels == expected.classes.labels
        assert_same(found.matrix(), expected.matrix())


def test_weighted_sums_do_not_depend_on_threads(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "p.parquet",
        "SELECT (hash(i) % 3)::INT AS label, (hash(i + 1) % 3)::INT AS pred, "
        "(hash(i) % 1000) / 7 AS sample_weight FROM range(300000) AS t(i)",
    )
    alone = tally_files(path, where="hash(sample_weight) % 2 = 0", n_threads=1).cells
    many = tally_files(path, where="hash(sample_weight) % 2 = 0", n_threads=4).cells
    assert_same(alone.matrix(), many.matrix())
    assert_same(alone.squares, many.squares)


def test_many_classes_are_kept_sparse(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "p.parquet",
        "SELECT 'id ' || i AS label, 'id ' || ((i + 1) % 5000) AS pred FROM range(5000) AS t(i)",
    )
    cells = tally_files(path).cells
    assert (cells.storage, cells.k, int(cells.n_rows)) == ("sparse", 5000, 5000)
    assert as_dict(cells) == {(f"id {i}", f"id {(i + 1) % 5000}"): 1 for i in range(5000)}


def test_too_many_classes_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "N_CLASSES_MAX", 3)
    with pytest.raises(KaratError, match="More than 3 labels differ"):
        tally_files(csv_of(tmp_path))


def test_a_survey_counts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,label,target,pred,score,proba_a,proba_b,w\n1,a,b,a,0.5,0.1,0.9,x\n")
    survey = survey_files(path)
    assert survey.columns[:2] == (("id", "BIGINT"), ("label", "VARCHAR"))
    assert survey.roles.candidates["true"] == ("label", "target")
    # A column of text cannot be weights, whatever its name.
    assert survey.roles.candidates["weights"] == ()
    assert [str(family) for family in survey.roles.families] == ["proba_* (2)"]
    assert survey.n_rows is None
    assert survey_files(FORMATS["parquet"](tmp_path)).n_rows == 10


def test_the_same_rows_give_the_tally_of_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    true, pred = rng.integers(-3, 40, 5000), rng.integers(-3, 40, 5000)
    path = write_parquet(tmp_path / "p.parquet", {"y": true.tolist(), "y_pred": pred.tolist()})
    found, expected = tally_files(path).cells, tally_labels(true, pred)
    assert found.classes == expected.classes
    assert_same(found.matrix(), expected.matrix())

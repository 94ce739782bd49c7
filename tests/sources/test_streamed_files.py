"""CSV, JSON lines, queries and standard input beyond `max_memory` are read in pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.sources.files.rows import FileStream
from karat.errors import KaratError
from tests.grouping import grouped

N = 200_000
"""More rows than a batch of the reader has."""
LEAST = 1 << 20
METRICS = ["accuracy", "macro_f1", "log_loss", "brier", "roc_auc_ovr_macro", "top_k_accuracy(k=2)"]
KINDS = ("csv", "jsonl", "query")


def columns() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    parts = rng.integers(1, 1000, (N, 3))
    prob = np.round(parts / parts.sum(axis=1, keepdims=True), 6)
    prob[:, 2] = np.round(1.0 - prob[:, 0] - prob[:, 1], 6)
    animals = np.array(["cat", "dog", "eel"])
    return {
        "animal": animals[rng.integers(0, 3, N)],
        "guess": animals[rng.integers(0, 3, N)],
        **{f"p_{name}": prob[:, i] for i, name in enumerate(animals)},
        "sample_weight": rng.integers(1, 5, N),
        "user": rng.integers(0, 300, N),
        "site": np.array(["north", "south"])[rng.integers(0, 2, N)],
    }


ROWS = columns()


def written(folder: Path, kind: str, rows: dict[str, Any], n: int = N) -> Any:
    names = list(rows)
    values = list(zip(*(np.asarray(rows[name])[:n].tolist() for name in names), strict=True))
    path = folder / ("rows.jsonl" if kind == "jsonl" else "rows.csv")
    with path.open("w", encoding="utf-8") as file:
        if kind == "jsonl":
            file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in values)
        else:
            file.write(",".join(names) + "\n")
            file.writelines(
                ",".join("" if x is None else str(x) for x in row) + "\n" for row in values
            )
    return f"SELECT * FROM read_csv('{path}')" if kind == "query" else path


@pytest.fixture(name="streams")
def counted_streams(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pieces each stream gave."""
    found: list[int] = []
    batches = FileStream.batches

    def counting(self: FileStream, first: int = 0) -> Any:
        found.append(0)
        for batch in batches(self, first):
            found[-1] += 1
            yield batch

    monkeypatch.setattr(FileStream, "batches", counting)
    return found


def assert_near(found: karat.Report, wanted: karat.Report) -> None:
    assert found.confusion.matrix.tolist() == wanted.confusion.matrix.tolist()
    for name in wanted:
        one, other = found[name], wanted[name].value
        if one.bound is None:
            assert one.value == pytest.approx(other, rel=1e-12), name
        else:
            assert one.bound[0] <= other <= one.bound[1], name


@pytest.mark.parametrize("kind", KINDS)
def test_scores_that_do_not_fit_are_counted_in_pieces(
    kind: str, tmp_path: Path, streams: list[int]
) -> None:
    source = written(tmp_path, kind, ROWS)
    call: dict[str, Any] = {
        "y_true": "animal",
        "y_prob": "p_*",
        "metrics": METRICS,
        "weights": "sample_weight",
    }
    wanted = karat.evaluate(source, **grouped(call))
    assert streams == []
    found = karat.evaluate(source, **grouped({"reading": karat.Reading(max_memory=LEAST), **call}))
    assert len(streams) == 1
    assert streams[0] > 1
    assert_near(found, wanted)
    assert not found["roc_auc_ovr_macro"].exact
    assert found.mapping == wanted.mapping
    assert found.source == wanted.source
    assert found.warnings[-1:] != wanted.warnings[-1:]
    exact = karat.evaluate(
        source, **grouped({"reading": karat.Reading(max_memory=LEAST, exact=True), **call})
    )
    assert exact["roc_auc_ovr_macro"].value == pytest.approx(
        wanted["roc_auc_ovr_macro"].value, rel=1e-12
    )


def test_standard_input_is_read_in_pieces(
    tmp_path: Path, streams: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "csv", ROWS)
    call: dict[str, Any] = {"y_true": "animal", "y_prob": "p_*", "metrics": METRICS}
    wanted = karat.evaluate(path, **grouped(call))
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": file}))
        assert_near(
            karat.evaluate("-", **grouped({"reading": karat.Reading(max_memory=LEAST), **call})),
            wanted,
        )
    assert streams[0] > 1


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_and_slices_of_labels_are_axes_of_every_file(
    kind: str, tmp_path: Path, streams: list[int]
) -> None:
    source = written(tmp_path, kind, ROWS)
    call: dict[str, Any] = {
        "y_true": "animal",
        "y_pred": "guess",
        "metrics": ["accuracy", "macro_f1"],
        "clusters": "user",
        "by": "site",
    }
    wanted = karat.evaluate(source, **grouped(call))
    found = karat.evaluate(source, **grouped({"reading": karat.Reading(max_memory=LEAST), **call}))
    assert streams
    assert streams[0] > 1
    for name in wanted:
        assert (found[name].low, found[name].high) == (wanted[name].low, wanted[name].high)
    for site in ("north", "south"):
        one, other = found.slices["site"][site], wanted.slices["site"][site]
        assert one["accuracy"].value == other["accuracy"].value
        assert one["accuracy"].low == other["accuracy"].low


@pytest.mark.parametrize("axes", [{"by": "site"}, {"clusters": "user"}], ids=str)
def test_scores_with_axes_that_do_not_fit_are_refused(axes: dict[str, Any], tmp_path: Path) -> None:
    source = written(tmp_path, "csv", ROWS)
    with pytest.raises(KaratError, match="K148"):
        karat.evaluate(
            source,
            y_true="animal",
            y_prob="p_*",
            **grouped({"reading": karat.Reading(max_memory=LEAST), **axes}),
        )


def test_labels_alone_are_wanted_of_scores(tmp_path: Path, streams: list[int]) -> None:
    source = written(tmp_path, "csv", {k: v for k, v in ROWS.items() if k != "guess"})
    call: dict[str, Any] = {
        "y_true": "animal",
        "y_prob": "p_*",
        "metrics": ["accuracy"],
        "by": "site",
    }
    wanted = karat.evaluate(source, **grouped(call))
    found = karat.evaluate(source, **grouped({"reading": karat.Reading(max_memory=LEAST), **call}))
    assert streams[0] > 1
    assert found["accuracy"].value == wanted["accuracy"].value
    assert found.slices["site"]["north"]["accuracy"].value == pytest.approx(
        wanted.slices["site"]["north"]["accuracy"].value, rel=1e-15
    )


def changed(name: str, row: int, value: Any) -> dict[str, Any]:
    found = {key: np.asarray(values, dtype=object).copy() for key, values in ROWS.items()}
    found[name][row] = value
    return found


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("animal", None, "K104"),
        ("p_dog", None, "K131"),
        ("p_dog", 1.5, "K13"),
        ("sample_weight", -1, "K113"),
    ],
)
@pytest.mark.parametrize("row", [7, N - 3])
def test_an_error_names_the_row_of_the_whole_read(
    name: str, value: Any, code: str, row: int, tmp_path: Path
) -> None:
    source = written(tmp_path, "csv", changed(name, row, value))
    call: dict[str, Any] = {"y_true": "animal", "y_prob": "p_*", "weights": "sample_weight"}
    with pytest.raises(KaratError, match=code) as caught:
        karat.evaluate(
            source, level=None, **grouped({"reading": karat.Reading(max_memory=LEAST), **call})
        )
    assert f"{row}" in str(caught.value).replace(",", "").replace(" ", " ").replace("\u202f", "")
    with pytest.raises(KaratError) as whole:
        karat.evaluate(source, level=None, **grouped(call))
    assert whole.value.code == caught.value.code
    assert whole.value.context.get("row") == caught.value.context.get("row")


def test_rows_without_a_label_are_dropped_in_every_piece(
    tmp_path: Path, streams: list[int]
) -> None:
    rows = changed("animal", 3, "NA")
    rows["animal"][N - 4] = None
    source = written(tmp_path, "csv", rows)
    call: dict[str, Any] = {
        "y_true": "animal",
        "y_prob": "p_*",
        "metrics": METRICS,
        "nulls": "drop",
    }
    wanted = karat.evaluate(source, **grouped(call))
    found = karat.evaluate(source, **grouped({"reading": karat.Reading(max_memory=LEAST), **call}))
    assert streams[0] > 1
    assert_near(found, wanted)
    assert found.warnings[0] == wanted.warnings[0]


def test_columns_that_are_no_scores_are_left_out_as_in_memory(tmp_path: Path) -> None:
    rows = {k: v for k, v in ROWS.items() if k != "p_eel"}
    source = written(tmp_path, "csv", rows)
    reports: list[karat.Report] = []
    problems: list[str] = []
    read: Callable[..., karat.Report] = karat.evaluate
    for memory in (None, LEAST):
        try:
            reports.append(
                read(
                    source,
                    y_true="animal",
                    y_pred="guess",
                    reading=karat.Reading(max_memory=memory),
                )
            )
        except KaratError as problem:
            problems.append(problem.code)
    if problems:
        assert problems[0] == problems[1]
    else:
        assert reports[0].warnings == reports[1].warnings
        assert reports[0]["accuracy"].value == reports[1]["accuracy"].value

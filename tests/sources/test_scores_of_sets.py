"""Scores of sets of labels in tables and files: the report of arrays, from every source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.errors import KaratError
from karat.tally import Axis, Classes
from karat.tally.held_sets import HeldSets
from karat.tally.label_scores import LabelScores
from karat.tally.serialization import framed, unframed
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.six_rows import PRED, SCORES, TRUE, WEIGHTS
from tests.sources.test_sets import LABELS, csv, json_lines, lists, parquet, texts, wide

COLUMNS = {f"proba_{label}": SCORES[:, place] for place, label in enumerate(LABELS)}
OF_LISTS = {"y": lists(TRUE), "sample_weight": WEIGHTS, **COLUMNS}
WIDE = wide().drop(columns=[f"pred_{label}" for label in LABELS]).assign(**COLUMNS)
STAR = {"y_true": "true_*"}
NUMBERS = {"y": lists(TRUE), "sample_weight": WEIGHTS, "prob": SCORES.tolist()}
LISTED = {"labels": LABELS}


class Batches:
    """A source of a few rows each."""

    def __init__(self, table: pa.Table) -> None:
        self.table, self.column_names = table, tuple(table.column_names)

    def read_batches(self, columns: Any) -> Iterator[Any]:
        yield from (self.table.slice(start, 2) for start in range(0, 6, 2))


SOURCES: dict[str, tuple[Callable[[Path], Any], Mapping[str, Any]]] = {
    "Arrow": (lambda _: pa.table(OF_LISTS), {}),
    "pandas": (lambda _: pd.DataFrame(OF_LISTS), {}),
    "Polars": (lambda _: pl.DataFrame(OF_LISTS), {}),
    "Parquet": (lambda f: parquet(OF_LISTS, f), {}),
    "CSV": (
        lambda f: csv(pd.DataFrame({**OF_LISTS, "y": texts(TRUE)}), f),
        {"labels": karat.Labels(separator="|")},
    ),
    "JSON": (lambda f: json_lines(pd.DataFrame(OF_LISTS), f), {}),
    "batches": (lambda _: Batches(pa.table(OF_LISTS)), {}),
    "wide": (lambda _: WIDE, STAR),
    "wide CSV": (lambda f: csv(WIDE, f), {**STAR, "y_prob": "proba_*"}),
    "wide batches": (lambda _: Batches(pa.Table.from_pandas(WIDE)), STAR),
    "lists of numbers": (lambda _: pa.table(NUMBERS), LISTED),
    "lists of numbers in Parquet": (lambda f: parquet(NUMBERS, f), LISTED),
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_report_from_every_source(name: str, tmp_path: Path) -> None:
    make, options = SOURCES[name]
    for threshold in (None, 0.3, [0.7, 0.4, 0.3, 0.6]):
        known = karat.evaluate(
            TRUE, y_prob=SCORES, labels=LABELS, weights=WEIGHTS, threshold=threshold
        ).to_dict()
        found = karat.evaluate(make(tmp_path), threshold=threshold, **options)
        for part in ("metrics", "tally", "per_class"):
            assert found.to_dict()[part] == known[part], part
        assert found.scores == "probabilities"
        assert found.mapping["y_pred"] is None


def test_scores_beside_predictions(tmp_path: Path) -> None:
    both = {**OF_LISTS, "pred": lists(PRED)}
    known = karat.evaluate(TRUE, PRED, y_prob=SCORES, labels=LABELS, weights=WEIGHTS).to_dict()
    reversed_columns = dict(reversed(both.items()))
    for table in (both, wide().assign(**COLUMNS), parquet(both, tmp_path)):
        found = karat.evaluate(table)
        assert found.to_dict()["metrics"] == known["metrics"]
    # Columns in another order give labels in another order, and the same numbers.
    other = karat.evaluate(reversed_columns)
    assert other.classes.labels == ("d", "c", "b", "a")
    assert other["roc_auc_ovr_macro"].value == pytest.approx(
        known["metrics"]["roc_auc_ovr_macro"]["value"]
    )
    # A threshold decides, and labels alone read no scores.
    decided = karat.evaluate(both, threshold=0.3)
    of_arrays = karat.evaluate(TRUE, y_prob=SCORES, threshold=0.3)
    assert decided.mapping["y_pred"] is None
    assert np.array_equal(decided.tally.counts, of_arrays.tally.counts)
    assert karat.evaluate(both, metrics="micro_f1").scores is None
    scores = {
        **both,
        **{f"logit_{x}": np.log(p / (1 - p)) for x, p in zip(LABELS, SCORES.T, strict=True)},
    }
    given = karat.evaluate(scores, y_score="logit_*")
    assert given.scores == "scores"
    assert given["roc_auc_ovr_macro"].value == pytest.approx(0.799375)


REFUSED: dict[str, tuple[Mapping[str, Any], Mapping[str, Any], str, str]] = {
    "a label without a column": (
        {name: column for name, column in OF_LISTS.items() if name != "proba_a"},
        {},
        "K109",
        "Columns of scores: 'b', 'c', 'd'",
    ),
    "lists without labels": (NUMBERS, {}, "K137", "does not name the labels"),
    "too few numbers": (
        NUMBERS,
        {"labels": [*LABELS, "e"]},
        "K134",
        "for 4 classes; the labels have 5",
    ),
    "other labels": (OF_LISTS, {"labels": list("abce"), "y_prob": "proba_*"}, "K137", "'e'"),
    "above 1": ({**OF_LISTS, "proba_b": [2.0] * 6}, {}, "K132", "column 'proba_b'"),
    "a null": ({**OF_LISTS, "proba_b": [0.1] * 4 + [None, 0.2]}, {}, "K131", "row 4"),
    "a threshold above 1": (OF_LISTS, {"threshold": 1.5}, "K136", "from 0 to 1"),
    "a threshold beside pred=": (
        {**OF_LISTS, "pred": lists(PRED)},
        {"threshold": 0.5, "y_pred": "pred"},
        "K140",
        "predictions",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    table, options, code, told = REFUSED[name]
    for source in (pa.table(dict(table)), parquet(dict(table), tmp_path)):
        with pytest.raises(KaratError) as caught:
            karat.evaluate(source, **options)
        assert caught.value.code == code
        assert told in str(caught.value)


def test_scores_that_are_too_many_to_keep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
    many = {name: np.tile(np.asarray(column, object), 1000) for name, column in OF_LISTS.items()}
    many |= {
        name: np.tile(column, 1000)
        for name, column in {**COLUMNS, "sample_weight": WEIGHTS}.items()
    }
    path = parquet(pa.table({name: list(column) for name, column in many.items()}), tmp_path)
    whole, part = (
        karat.evaluate(path),
        karat.evaluate(path, reading=karat.Reading(max_memory=1 << 17)),
    )
    assert part.to_dict()["tally"] == whole.to_dict()["tally"]
    assert part.scores is None
    assert "metrics of scores are left out" in part.warnings[-1]
    assert "roc_auc_ovr_macro" in whole.metrics
    assert "roc_auc_ovr_macro" not in part.metrics
    with pytest.raises(KaratError) as caught:
        karat.evaluate(path, reading=karat.Reading(max_memory=1 << 17), metrics="roc_auc_ovr_macro")
    assert caught.value.code == "K211"


def test_rows_with_scores_as_bytes() -> None:
    scores = LabelScores(SCORES, "probabilities")
    sides = Sets.of_matrix(TRUE), Sets.of_matrix(PRED)
    rows = SetRows(Classes(tuple(LABELS)), *sides, weights=WEIGHTS, scores=scores)
    codes = np.array([[0, 1, 0, 1, 1, 0]], np.int32)
    together = replace(rows, axes=(Axis("clusters", ("x", "y")),), codes=codes)
    again = HeldSets.from_bytes(HeldSets.of(together).to_bytes()).rows
    assert again.axes == together.axes
    assert np.array_equal(again.codes, codes)
    for wrong in (codes[:, :5], codes + 5, codes.astype(np.int64), np.empty((0, 6), np.int32)):
        with pytest.raises(KaratError) as caught:
            HeldSets.from_bytes(HeldSets.of(replace(together, codes=wrong)).to_bytes())
        assert caught.value.code == "K205"
    held = HeldSets.of(rows)
    read = HeldSets.from_bytes(held.to_bytes())
    assert isinstance(read.rows.scores, LabelScores)
    assert np.array_equal(read.rows.scores.values, SCORES)
    assert read.merge(read, 1 << 20).rows.n == 12
    few = held.within(1).merge(held, 1)
    assert few.has_scores
    assert few.rows.scores is None
    assert HeldSets.from_bytes(few.to_bytes()).has_scores
    without = HeldSets.of(SetRows(rows.classes, *sides, weights=WEIGHTS))
    for left, right in ((held, without), (without, few)):
        with pytest.raises(KaratError) as caught:
            left.merge(right, 1 << 20)
        assert caught.value.code == "K202"
    names = ("true_starts", "true_items", "pred_starts", "pred_items", "weights", "scores")

    def altered(change: Callable[[dict, dict], None]) -> bytes:
        def again(header: dict, arrays: dict) -> bytes:
            change(header, arrays)
            return framed({k: v for k, v in header.items() if k != "arrays"}, arrays)

        return unframed(held.to_bytes(), names, again, names)

    changes: list[Callable[[dict, dict], None]] = [
        lambda header, _: header.update(has_scores=False),
        lambda header, _: header.update(kind=1),
        lambda _, arrays: arrays.update(scores=SCORES[:, :3]),
        lambda _, arrays: arrays.update(scores=SCORES + 1),
        lambda _, arrays: arrays.update(scores=SCORES * np.nan),
    ]
    for change in changes:
        with pytest.raises(KaratError) as caught:
            HeldSets.from_bytes(altered(change))
        assert caught.value.code == "K205"

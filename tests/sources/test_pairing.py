"""Rows of two models are matched by id or by position, and what does not match is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.data.clusters import RowNames
from karat.data.pairing import pair_rows
from karat.data.rows import Rows
from karat.data.sources.columns import TableRequest
from karat.data.sources.tables.rows import read_rows
from karat.errors import KaratError
from tests.sources.score_sources import WRITERS, pa

IDS = ["b", "a", "d", "c"]
TRUE = ["cat", "dog", "cat", "ant"]
PRED = ["cat", "cat", "cat", "ant"]


def rows(columns: Any, name: str = "A", **options: Any) -> Rows:
    return read_rows(columns, name, TableRequest(**options))


def at(order: list[int], **columns: list[Any]) -> dict[str, list[Any]]:
    return {name: [values[i] for i in order] for name, values in columns.items()}


def labels(found: Rows) -> tuple[list[Any], list[Any]]:
    known = found.classes.labels
    return [known[i] for i in found.true], [known[i] for i in found.pred]


@pytest.mark.parametrize("kind", ["dict", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("of_numbers", [False, True])
def test_rows_are_matched_by_id_in_any_order_and_format(
    kind: str, of_numbers: bool, tmp_path: Path
) -> None:
    ids: list[Any] = [3, 10, 4, 2] if of_numbers else IDS
    first = rows({"id": ids, "label": TRUE, "pred": PRED})
    other: Any = at([3, 1, 0, 2], id=ids, label=TRUE, pred=["ant", "dog", "dog", "cat"])
    if kind != "dict":
        other = WRITERS[kind](tmp_path / f"b.{kind}", pa.table(other))
    second = rows(other, "B")
    matched = pair_rows([first, second])
    assert matched.by == "id"
    assert matched.notes == ()
    assert labels(matched.models[0]) == (TRUE, PRED)
    assert labels(matched.models[1]) == (TRUE, ["ant", "dog", "dog", "cat"])


def test_scores_and_slices_move_with_their_rows() -> None:
    prob = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]])
    columns = {
        "id": IDS, "label": TRUE, "pred": PRED, "c": ["x", "y", "x", "y"],
        "proba_ant": prob[:, 0], "proba_cat": prob[:, 1], "proba_dog": prob[:, 2],
    }  # fmt: skip
    order = [2, 0, 3, 1]
    first = rows(columns, by="c")
    second = rows({name: np.asarray(values)[order] for name, values in columns.items()}, by="c")
    matched = pair_rows([first, second])
    for model in matched.models:
        assert model.scores is not None
        assert np.array_equal(model.values, prob)
        assert model.slices is not None
        assert [model.slices.text(row) for row in range(4)] == ["x", "y", "x", "y"]


def test_without_ids_rows_are_matched_by_position() -> None:
    first, second = rows({"label": TRUE, "pred": PRED}), rows({"label": TRUE, "pred": TRUE})
    assert pair_rows([first, second]).by == "row order"
    # An id of one alone matches nothing.
    with_id = rows({"id": IDS, "label": TRUE, "pred": PRED})
    assert pair_rows([with_id, second]).by == "row order"
    with pytest.raises(KaratError) as caught:
        pair_rows([first, rows({"label": TRUE[:3], "pred": PRED[:3]}, "B")])
    assert caught.value.code == "K175"


def test_a_column_of_ids_is_named_where_none_has_a_usual_name() -> None:
    first = rows({"file": IDS, "label": TRUE, "pred": PRED}, ids="file")
    second = rows(at([1, 0, 3, 2], file=IDS, label=TRUE, pred=PRED), ids="file")
    assert labels(pair_rows([first, second]).models[1]) == (TRUE, PRED)
    with pytest.raises(KaratError, match="K404"):
        rows({"label": TRUE, "pred": PRED}, ids="file")
    with pytest.raises(KaratError, match="K405"):
        rows({"id": IDS, "sample_id": IDS, "label": TRUE, "pred": PRED})


def problem(other: dict[str, list[Any]]) -> KaratError:
    first = rows({"id": IDS, "label": TRUE, "pred": PRED})
    with pytest.raises(KaratError) as caught:
        pair_rows([first, rows(other, "B")])
    return caught.value


def test_ids_that_are_repeated_or_missing_are_told_with_counts_and_an_example() -> None:
    twice = problem({"id": ["b", "a", "a", "c"], "label": TRUE, "pred": PRED})
    assert twice.code == "K171"
    assert "In B, 1 of 4 rows" in str(twice)
    assert "row 2: 'a'" in str(twice)
    other = problem({"id": ["b", "a", "x", "y"], "label": TRUE, "pred": PRED})
    assert other.code == "K172"
    assert "2 of 4 rows are in A alone (first: 'd')" in str(other)
    assert "2 of 4 rows are in B alone (first: 'x')" in str(other)
    fewer = problem(at([0, 1, 2], id=IDS, label=TRUE, pred=PRED))
    assert fewer.code == "K172"
    assert "1 of 4 rows are in A alone (first: 'c')" in str(fewer)
    none = problem({"id": list("wxyz"), "label": TRUE, "pred": PRED})
    assert none.code == "K172"


def test_another_truth_or_other_classes_are_told() -> None:
    truth = problem({"id": IDS, "label": ["cat", "ant", "cat", "ant"], "pred": PRED})
    assert truth.code == "K174"  # dog is true in A, and unknown to B
    known = problem({"id": IDS, "label": ["dog", "dog", "cat", "ant"], "pred": PRED})
    assert known.code == "K173"
    assert (
        "1 of 4 rows differ between A and B, matched by id; first id 'b': 'cat' and 'dog'"
        in str(known)
    )
    numbers = problem({"id": IDS, "label": [1, 2, 1, 0], "pred": [1, 2, 1, 0]})
    assert numbers.code == "K174"


def test_a_class_that_only_one_model_predicts_joins_the_axis() -> None:
    first = rows({"id": IDS, "label": TRUE, "pred": PRED})
    second = rows({"id": IDS, "label": TRUE, "pred": ["bee", *PRED[1:]]}, "B")
    matched = pair_rows([first, second])
    assert matched.models[0].classes.labels == ("ant", "bee", "cat", "dog")
    assert labels(matched.models[0]) == (TRUE, PRED)
    assert labels(matched.models[1])[1][0] == "bee"


def test_what_is_common_is_compared_where_that_is_allowed() -> None:
    first = rows({"id": IDS, "label": TRUE, "pred": PRED})
    second = rows(
        {"id": ["a", "b", "x", "d", "x"], "label": ["dog", "cat", "ant", "ant", "dog"],
         "pred": ["dog", "cat", "ant", "ant", "ant"]}, "B",
    )  # fmt: skip
    matched = pair_rows([first, second], allow_mismatch=True)
    assert labels(matched.models[0]) == (["cat", "dog"], ["cat", "cat"])
    assert labels(matched.models[1]) == (["cat", "dog"], ["cat", "dog"])
    assert matched.notes == (
        "2 rows of B share their ids and were left out.",
        "1 of 4 rows of A have no matching row and were left out.",
        "1 of 3 rows have different true labels and were left out.",
    )
    apart = rows({"id": list("wxyz"), "label": TRUE, "pred": PRED}, "B")
    with pytest.raises(KaratError, match="K172"):
        pair_rows([first, apart], allow_mismatch=True)


def test_three_models_are_matched_at_once() -> None:
    orders = ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2])
    models = [rows(at(order, id=IDS, label=TRUE, pred=PRED)) for order in orders]
    for model in pair_rows(models).models:
        assert labels(model) == (TRUE, PRED)
    short = rows(at([0, 2], id=IDS, label=TRUE, pred=PRED), "C")
    matched = pair_rows([*models, short], allow_mismatch=True)
    assert {model.n for model in matched.models} == {2}


def test_ids_that_are_written_alike_are_one_id() -> None:
    # Two codes of a dictionary, one text.
    names = rows({"id": IDS, "label": TRUE, "pred": PRED})
    assert names.ids is not None
    twice = RowNames("ids", np.array([0, 1, 2, 3], np.int32), ("a", "b", "a", "c"))
    with pytest.raises(KaratError, match="K171"):
        pair_rows([replace(names, ids=twice), names])
    extra = RowNames("ids", np.array([2, 1, 4, 3], np.int32), ("b", "a", "b", "c", "d"))
    assert labels(pair_rows([replace(names, ids=extra), names]).models[1])[0] == TRUE

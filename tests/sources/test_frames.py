"""Tables in memory: roles, weights and missing rows, tallied like arrays."""

from __future__ import annotations

from typing import Any

import pytest

from karat.errors import KaratError
from karat.tally import to_marginals
from tests.data.hosts import CONFUSION, PRED, TRUE, pd, pl
from tests.data.test_frames import TABLES
from tests.ids import named
from tests.sources.counting import tally_frame

HOLES: dict[str, list[Any]] = {
    "label": ["a", None, "b", "b", "a"],
    "pred": ["a", "b", None, "a", "a"],
    "sample_weight": [1.0, 1.0, 1.0, 2.0, None],
}


@pytest.mark.parametrize("kind", TABLES)
def test_any_table_is_tallied(kind: str) -> None:
    found = tally_frame(TABLES[kind]())
    assert found.mapping == {"true": "label", "pred": "pred", "weights": "sample_weight"}
    assert found.cells.classes.labels == ("a", "b")
    assert found.cells.matrix().tolist() == [[4.5, 0], [2, 1]]
    assert found.n_dropped == 0
    assert found.warnings == ()


def test_columns_are_taken_as_named() -> None:
    frame = pd.DataFrame({"label": PRED, "truth": TRUE, "guess": PRED})
    found = tally_frame(frame, true="truth", pred="guess")
    assert found.cells.matrix().tolist() == CONFUSION
    assert found.source == {"table": "pandas"}


@pytest.mark.parametrize("weights", ["", [1, 1, 1, 1], pl.Series([1, 1, 1, 1])], ids=named)
def test_weights_given_otherwise_leave_the_column_alone(weights: Any) -> None:
    found = tally_frame(TABLES["polars"](), weights=weights)
    assert found.mapping["weights"] is None
    assert found.cells.matrix().tolist() == [[2, 0], [1, 1]]
    assert found.cells.is_weighted == (not isinstance(weights, str))


def test_labels_and_positive_are_those_of_arrays() -> None:
    found = tally_frame(TABLES["dict"](), labels=["b", "a"], positive="b")
    assert found.cells.classes.labels == ("b", "a")
    assert found.cells.classes.positive == 0
    assert to_marginals(found.cells).storage == "marginals"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_rows_with_a_hole_are_refused_or_dropped(make: Any) -> None:
    with pytest.raises(KaratError) as caught:
        tally_frame(make(HOLES))
    assert caught.value.code == "K104"
    assert caught.value.context["argument"] == "Column 'label'"
    found = tally_frame(make(HOLES), nulls="drop")
    assert found.cells.matrix().tolist() == [[1, 0], [2, 0]]
    assert found.n_dropped == 3
    assert found.source["n_dropped"] == 3
    assert found.warnings == ("3 of 5 rows have a missing label and were dropped.",)


def test_errors_name_rows_of_the_table_although_some_were_dropped() -> None:
    with pytest.raises(KaratError) as caught:
        tally_frame(HOLES, nulls="drop", labels=["a"])
    assert (caught.value.code, caught.value.context["row"]) == ("K109", 3)
    with pytest.raises(KaratError) as caught:
        tally_frame({**HOLES, "sample_weight": [1, 1, 1, 1, -1]}, nulls="drop")
    assert (caught.value.code, caught.value.context["row"]) == ("K113", 4)
    assert caught.value.context["argument"] == "Column 'sample_weight'"


def test_errors_without_a_row_pass_unchanged() -> None:
    with pytest.raises(KaratError) as caught:
        tally_frame(HOLES, nulls="drop", labels=[])
    assert caught.value.code == "K110"


@pytest.mark.parametrize(
    ("table", "options", "code"),
    [
        ({"label": [0, 1], "score": [0.1, 0.2]}, {}, "K406"),
        ({"label": [0, 1], "target": [0, 1], "pred": [0, 1]}, {}, "K405"),
        ({"label": [0, 1], "prediction": [0.1, 0.2]}, {}, "K407"),
        ({"label": [0, 1], "pred": [0, 1]}, {"true": "lable"}, "K404"),
        ({"label": [0, 1], "pred": [0, 1, 1]}, {}, "K102"),
        ({"label": [0, 1], "pred": ["0", "1"]}, {}, "K108"),
        (
            {"label": [0, 1], "pred": [0, 1], "sample_weight": ["x", "y"]},
            {"weights": "sample_weight"},
            "K116",
        ),
        ({"label": [None], "pred": [1]}, {"nulls": "drop"}, "K101"),
        (object(), {}, "K412"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_table_is_said(table: Any, options: dict[str, Any], code: str) -> None:
    with pytest.raises(KaratError) as caught:
        tally_frame(table, **options)
    assert caught.value.code == code

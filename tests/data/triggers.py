"""One call for each error of inputs and of the arrays engine: code → the call that raises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from karat import _native
from karat.data.labels.align import align
from karat.data.labels.arrays import encode_dictionary
from karat.data.labels.containers import encode
from karat.data.labels.sets import align_sets, encode_sets
from karat.data.roles import find_roles
from karat.data.scores.containers import as_scores, refuse_scores
from karat.data.scores.order import ColumnNames, place_columns
from karat.data.sources.arrays.labels import tally_labels, tally_matrix
from karat.data.sources.tables.frames import encode_role, open_frame


def _ordered(argument: str, categories: list[str], codes: list[int]) -> Any:
    return encode_dictionary(np.array(codes), categories, argument, "error", is_ordered=True)


def _refused(values: Any, *problem: Any) -> Any:
    kind, row, column = problem
    refuse_scores(as_scores(values, "y_prob"), _native.Rejected(kind, 1, row, column))


def _placed(true: Any, names: list[str], labels: Any = None) -> Any:
    truth = encode(true, "y_true")
    return place_columns(truth, None, len(names), named=ColumnNames("y_prob", names), labels=labels)


def _sets(true: Any, pred: Any, labels: Any = None) -> Any:
    sides = encode_sets(true, "y_true", labels), encode_sets(pred, "y_pred", labels)
    return align_sets(*sides, labels)


def _column_of_dask() -> Any:
    kind = type("Series", (), {"__module__": "dask.dataframe.dask_expr._collection"})
    return tally_labels(kind(), [0, 1])


TRIGGERS: dict[str, Callable[[], object]] = {
    "K101": lambda: tally_labels([], []),
    "K102": lambda: tally_labels([0, 1, 1], [0, 1]),
    "K103": lambda: tally_labels(np.zeros((4, 3), int), np.zeros(4, int)),
    "K104": lambda: tally_labels([0, 1, None, 1, None], [0, 1, 1, 1, 0]),
    "K105": lambda: tally_labels([0, 1, 1], [0.25, 1.0, 0.75]),
    "K106": lambda: tally_labels(np.array([1j, 2j]), [1, 2]),
    "K107": lambda: tally_labels([0, 1, 1], [0, "1", 1]),
    "K108": lambda: tally_labels([0, 1], ["0", "1"]),
    "K109": lambda: tally_labels(["a", "b", "b"], ["a", "a", "c"], labels=["a", "b"]),
    "K110": lambda: tally_labels([0, 1], [1, 0], labels=[0, 1, True]),
    "K111": lambda: tally_labels(["no", "yes"], ["no", "no"], positive="maybe"),
    "K112": lambda: tally_labels([0, 1, 2], [0, 1, 2], positive=2),
    "K113": lambda: tally_labels([0, 1, 1], [0, 1, 0], weights=[1.0, -0.5, -2.0]),
    "K114": lambda: tally_labels([0, 1, 1], [0, 1, 0], weights=[1.0, float("nan"), 2.0]),
    "K115": lambda: tally_labels([0, 1, 1], [0, 1, 0], weights=[0.0, 0.0, 0.0]),
    "K116": lambda: tally_labels([0, 1, 1], [0, 1, 0], weights=["1", "2", "3"]),
    "K118": lambda: align(
        _ordered("y_true", ["low", "high"], [0, 1]), _ordered("y_pred", ["high", "low"], [0, 1])
    ),
    "K119": lambda: tally_matrix([[5, -1], [2, 3]]),
    "K124": lambda: align(
        _ordered("y_true", ["low", "high"], [0, 1]),
        encode_dictionary(np.array([0, 0]), ["medium"], "y_pred", "error"),
    ),
    "K125": lambda: tally_labels([0, 1, 1], [0, 1, 0], weights=[1e200, 1e200, 1e200]),
    "K130": lambda: as_scores([[0.25, 0.75], [0.5, "0.5"]], "y_prob"),
    "K131": lambda: as_scores([[0.25, 0.75], [0.5, None], [0.0, 1.0]], "y_prob"),
    "K132": lambda: _refused([[0.25, 0.75], [-1.5, 2.5]], "below_zero", 1, 0),
    "K133": lambda: _refused([[0.25, 0.75], [0.5, 0.25]], "row_sum", 1, 0),
    "K134": lambda: _placed(["a", "b"], ["x", "y", "z"]),
    "K135": lambda: _placed(["a", "b"], ["prob", "proa"], labels=["a", "b"]),
    "K137": lambda: _placed(["a", "b"], ["proba_a", "proba_c"]),
    "K404": lambda: open_frame({"label": [0, 1], "prediction": [0, 1]}).columns(["lable"]),
    "K405": lambda: find_roles(["label", "target", "pred"]),
    "K406": lambda: find_roles(["id", "label", "size"]),
    "K407": lambda: encode_role(np.array([0.1, 0.9]), "prediction", is_prediction=True),
    "K412": lambda: open_frame(object()).columns(["label"]),
    "K416": _column_of_dask,
    "K195": lambda: _sets([[1, 0], [0, 1]], [[1, 0], [0, 0]]),
    "K196": lambda: _sets([["cat", "cat"], ["dog"]], [["cat"], []]),
    "K197": lambda: _sets(np.array([[1, 0], [0, 2]]), np.array([[1, 0], [0, 1]])),
    "K198": lambda: _sets(np.eye(3), np.eye(3), ["cat", "dog"]),
    "K199": lambda: _sets(np.eye(3), [["cat"], [], []]),
    "K223": lambda: _sets([set(), set()], [set(), set()]),
}

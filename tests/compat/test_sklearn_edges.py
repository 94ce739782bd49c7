"""Labels, decisions and points at the edges of their types: as scikit-learn reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat.compat.sklearn as karat_sklearn
from tests.compat.test_sklearn_weights import assert_same
from tests.optional import optional

metrics = optional("sklearn.metrics")

NAN = np.nan
SCORES = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.9], [2.0, 1.0, 0.0]])


FLOAT_LABELS = {
    "large float32": np.array([123456789, 123456789, 2, 3e9], np.float32),
    "large float16": np.array([1000, 1001, 2, 1000], np.float16),
    "float64": np.array([1e8, 1e16, 0.0, 1e17]),
    "-0.0": np.array([-0.0, 1.0, -0.0, 1.0]),
    "-0.0 and 0.0": np.array([-0.0, 1.0, 0.0, -0.0]),
    "0.0 and -0.0": np.array([0.0, 1.0, -0.0, 0.0]),
    "-0.0 of float32": np.array([1.0, -0.0, 2.0, 0.0], np.float32),
}


@pytest.mark.parametrize("given", FLOAT_LABELS)
def test_names_of_float_labels_in_a_report(given: str) -> None:
    labels = FLOAT_LABELS[given]
    for other in (labels, labels[::-1].copy(), abs(labels)):
        for output_dict in (False, True):
            assert_same("classification_report", labels, other, output_dict=output_dict)
            assert_same("classification_report", other, labels, output_dict=output_dict)
    assert_same("classification_report", labels, labels, labels=np.unique(labels))


def test_names_of_large_float_labels_are_short() -> None:
    y = np.array([123456789, 2], np.float32)
    assert "1.2345679e+08" in karat_sklearn.classification_report(y, y)


@pytest.mark.parametrize("y", [["a", 1], [1, "a"], ["a", 1.5], [True, "a"], ["a", NAN], ("a", 1)])
def test_text_beside_numbers_is_no_target_of_probabilities(y: Any) -> None:
    matrix = np.array([[0.5, 0.5], [0.3, 0.7]])
    for name in ("log_loss", "d2_log_loss_score", "brier_score_loss", "d2_brier_score"):
        assert_same(name, y, matrix)
        assert_same(name, y, matrix[:, 1])
        with pytest.raises(ValueError, match="Mix of label input types"):
            getattr(karat_sklearn, name)(y, matrix)


@pytest.mark.parametrize(
    "labels",
    [
        [[0, 1, 2]],
        [[0], [1], [2]],
        [0, 1, 2, 2],
        [2, 1, 0],
        [0, 1],
        [0.0, 1.0, NAN],
        ["a", "b", "c"],
    ],
    ids=str,
)
def test_hinge_loss_checks_its_labels(labels: Any) -> None:
    assert_same("hinge_loss", [0, 1, 2], SCORES, labels=labels)
    assert_same("hinge_loss", [0, 1, 1], SCORES[0], labels=labels)


@pytest.mark.parametrize("dtype", ["bool", "M8[s]", "m8[s]", "object", "int64", "uint8"])
def test_hinge_loss_of_odd_decisions(dtype: str) -> None:
    decision = np.array([[0, 2, 3], [3, 0, 9], [20, 10, 0]]).astype(dtype)
    for y in ([0, 1, 1], ["a", "b", "b"], [1, 0, 1]):
        assert_same("hinge_loss", y, decision[0])
    if dtype != "uint8":  # that wraps round there
        assert_same("hinge_loss", [0, 1, 2], decision)
        assert_same("hinge_loss", [0, 1, 1], decision, labels=[0, 1, 2])


@pytest.mark.parametrize(
    "y", [[0, 1, NAN], [NAN, 1, 0], [NAN, NAN, 1.0], [NAN] * 3, [0.0, NAN, NAN]]
)
def test_hinge_loss_of_a_truth_with_nan(y: list[float]) -> None:
    assert_same("hinge_loss", y, SCORES)
    assert_same("hinge_loss", y, SCORES[0])
    assert_same("hinge_loss", y, SCORES, labels=[0.0, 1.0, 2.0])
    assert_same("hinge_loss", y, SCORES, labels=[0.0, 1.0, NAN])


@pytest.mark.parametrize("x", [[False, True], [True, False], [True], [False, True, False]], ids=str)
def test_points_that_are_booleans(x: list[bool]) -> None:
    numbers = [0.0, 1.0, 2.0][: len(x)]
    assert_same("auc", x, numbers)
    assert_same("auc", numbers, x)
    assert_same("auc", x, x)
    if len(x) > 1:
        with pytest.raises(TypeError):
            karat_sklearn.auc(x, numbers)


def test_wanted_labels_of_another_whole_type_are_exact() -> None:
    y = np.array([2**53, 2**53 + 1, 2**53 + 1])
    for a, b in ((np.int64, np.uint64), (np.uint64, np.int64)):
        labels = np.array([2**53, 2**53 + 1], b)
        assert_same("confusion_matrix", y.astype(a), y.astype(a), labels=labels)
        assert_same("recall_score", y.astype(a), y.astype(a), labels=labels, average=None)


@pytest.mark.parametrize(
    ("positional", "named"),
    [
        (([0, 1], [0, 1], 5), {"normalize": True}),
        (([0, 1], [0, 1], "macro"), {}),
        (([0, 1],), {"sample_weight": 3}),
        (([0, 1], [0, 1]), {"averag": "macro", "sample_weight": 3}),
        ((), {}),
    ],
)
def test_a_call_that_python_refuses_is_a_type_error_whatever_its_values(
    positional: tuple[Any, ...], named: dict[str, Any]
) -> None:
    for module in (metrics, karat_sklearn):
        with pytest.raises(TypeError) as caught:
            module.accuracy_score(*positional, **named)
        assert not isinstance(caught.value, ValueError)
    assert str(caught.value).startswith("accuracy_score() ")

"""What short paths could take for something else goes the long way, which says what it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.data.arguments import as_ndarray
from karat.errors import KaratError
from karat.metrics import all_records

FIXED = ("roc_auc_ovr_macro", "roc_auc_ovr_weighted", "mean_average_precision", "macro_f1")
TRUTH = np.array([0, 1, 1, 0, 1])
SCORES = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7], [0.1, 0.9]])


def code_of(call: Any) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value.code


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("name", FIXED)
def test_a_name_that_carries_its_average_takes_no_other(name: str, average: str) -> None:
    given: dict[str, Any] = {"y_prob": SCORES}
    if name == "macro_f1":
        given = {"y_pred": TRUTH}
    for truth in (TRUTH, TRUTH.tolist()):
        assert code_of(lambda t=truth: getattr(karat, name)(t, average=average, **given)) == "K306"


def test_metrics_of_one_number_take_no_average() -> None:
    for record in all_records():
        if record.is_traced or record.is_per_class or record.parameters:
            continue
        for average in ("macro", "weighted"):
            call = getattr(karat, record.name)
            assert code_of(lambda c=call, a=average: c(TRUTH, y_prob=SCORES, average=a)) == "K306"


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("raw", [[0, 1, 2, 0, 1], [2, 1, 1, 2, 1], [255, 1, 3, 255, 1]])
@pytest.mark.parametrize("k", [2, 3])
def test_booleans_are_two_classes_whatever_their_bytes(raw: list[int], k: int) -> None:
    odd = np.array(raw, np.uint8).view(np.bool_)
    values = np.full((5, k), 1 / k)
    values[:, 0] += np.linspace(-0.2, 0.2, 5)
    values[:, 1] -= np.linspace(-0.2, 0.2, 5)
    for name in ("log_loss", "roc_auc_ovr_macro", "brier", "mean_average_precision"):
        call = getattr(karat, name)
        found, expected = outcome(call, odd, values), outcome(call, odd.tolist(), values)
        assert found == expected, name


def outcome(call: Any, truth: Any, values: Any) -> str:
    try:
        return repr(call(truth, y_prob=values))
    except KaratError as problem:
        return str(problem)


@pytest.mark.parametrize("inside", [[1, 0], "10", 5, None, np.ma.array([1, 0])], ids=type)
def test_what_only_looks_like_a_tensor_is_no_array(inside: Any) -> None:
    kind = type("Tensor", (), {"__module__": "torch", "numpy": lambda _: inside})
    assert as_ndarray(kind()) is None
    assert code_of(lambda: karat.accuracy(kind(), TRUTH)) == "K106"
    assert code_of(lambda: karat.log_loss(TRUTH, y_prob=kind())) == "K130"

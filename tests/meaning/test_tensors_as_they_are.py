"""Tensors of the host are counted where they lie, with the results and errors of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.api import functions
from karat.data.arguments import as_ndarray
from karat.errors import KaratError
from tests.optional import optional

torch = optional("torch")

TRUE, PRED = [0, 1, 2, 2, 1, 0, 2], [0, 2, 2, 2, 1, 1, 2]
METRICS = ("accuracy", "macro_f1", "matthews_correlation", "kappa", "confusion_matrix")


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint8"])
@pytest.mark.parametrize("name", METRICS)
def test_a_tensor_is_the_array_it_is(name: str, dtype: str) -> None:
    call = getattr(karat, name)
    kind = getattr(torch, dtype)
    of_tensors = call(torch.tensor(TRUE, dtype=kind), torch.tensor(PRED, dtype=kind))
    np.testing.assert_array_equal(of_tensors, call(np.array(TRUE), np.array(PRED)))


SCORES = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4],
                   [0.5, 0.25, 0.25], [0.4, 0.4, 0.2], [0.2, 0.2, 0.6]])  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", ["log_loss", "brier_score", "roc_auc_ovr_macro"])
def test_a_tensor_of_probabilities_is_the_array_it_is(name: str, dtype: str) -> None:
    call, tensor = getattr(karat, name), torch.tensor(SCORES).to(getattr(torch, dtype))
    the_long_way = call(TRUE, y_prob=tensor)
    assert call(torch.tensor(TRUE), y_prob=tensor) == the_long_way
    assert the_long_way == pytest.approx(call(TRUE, y_prob=SCORES.tolist()), rel=2e-2)


def test_it_is_not_copied() -> None:
    tensor = torch.arange(10)
    array = as_ndarray(tensor)
    assert array.ctypes.data == tensor.data_ptr()


def test_the_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: Any, **named: Any) -> Any:
        raise AssertionError("the long way")

    monkeypatch.setattr(functions, "tallied", refused)
    assert karat.accuracy(torch.tensor(TRUE), torch.tensor(PRED)) == 5 / 7
    assert karat.accuracy(torch.tensor(TRUE), np.array(PRED)) == 5 / 7
    with pytest.raises(AssertionError, match="the long way"):
        karat.accuracy(TRUE, PRED)


@pytest.mark.parametrize(
    "given",
    [
        torch.tensor(TRUE, dtype=torch.float32),
        torch.tensor(TRUE, dtype=torch.float32).requires_grad_(),
        torch.tensor(TRUE, dtype=torch.bfloat16),
        torch.tensor(TRUE)[:, None],
        torch.tensor([label for label in TRUE for _ in range(2)])[::2],
    ],
    ids=["float32", "with a gradient", "bfloat16", "a column", "strided"],
)
def test_other_tensors_go_the_long_way(given: Any) -> None:
    assert karat.accuracy(given, torch.tensor(PRED)) == 5 / 7


def test_what_is_wrong_with_a_tensor_is_told_as_ever() -> None:
    with pytest.raises(KaratError, match="K102"):
        karat.accuracy(torch.tensor(TRUE), torch.tensor(PRED[:-1]))
    with pytest.raises(KaratError, match="K101"):
        karat.f1(torch.tensor([], dtype=torch.int64), torch.tensor([], dtype=torch.int64))
    with pytest.raises(KaratError, match="K103"):
        karat.accuracy(torch.ones(2, 2, dtype=torch.int64), torch.tensor(PRED))

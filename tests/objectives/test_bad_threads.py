"""Threads of objectives are a number of them, or None."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.errors import KaratError
from karat.objectives import (
    LightGBMObjective,
    XGBoostObjective,
    multiclass,
    multiclass_one_vs_all,
    multilabel,
)

SCORES, LABELS = np.zeros((3, 2)), np.array([0, 1, 1])


@pytest.mark.parametrize("n_threads", [0, -1, 4097, 2**31, 2**70, True, 1.0, "2", np.array([2])])
def test_what_is_no_number_of_threads_is_refused(n_threads: Any) -> None:
    calls = [
        lambda: multiclass(SCORES, LABELS, n_threads=n_threads),
        lambda: multiclass_one_vs_all(SCORES, LABELS, n_threads=n_threads),
        lambda: multilabel(SCORES, SCORES, n_threads=n_threads),
        lambda: XGBoostObjective(n_threads=n_threads),
        lambda: LightGBMObjective(n_threads=n_threads),
    ]
    for call in calls:
        with pytest.raises(KaratError) as caught:
            call()
        assert caught.value.code == "K122"
        assert "n_threads" in str(caught.value)


def test_numbers_of_threads_are_taken() -> None:
    expected = multiclass(SCORES, LABELS)
    for n_threads in (1, 4096, np.int64(2), None):
        found = multiclass(SCORES, LABELS, n_threads=n_threads)
        assert found.gradient.tolist() == expected.gradient.tolist()

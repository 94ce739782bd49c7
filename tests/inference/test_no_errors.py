"""Where nothing is predicted wrongly, the caution fits the limits that stand beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

CLASSES = [0, 1] * 30
SETS = np.arange(60).reshape(20, 3) % 2
GROUPS = np.arange(60) // 3


@pytest.mark.parametrize("method", ["default", "wald", "logit", "bootstrap", "bca", "bayesian"])
@pytest.mark.parametrize("clusters", [None, GROUPS], ids=["rows", "clusters"])
@pytest.mark.parametrize("rows", [CLASSES, SETS], ids=["classes", "sets"])
def test_the_number_of_rows_alone_is_no_caution_of_limits_without_width(
    method: str, clusters: Any, rows: Any
) -> None:
    few = {"n_replicates": 100} if method in ("bootstrap", "bca", "bayesian") else {}
    options: dict[str, Any] = {"interval": karat.Interval(method=method, **few)}
    if clusters is not None:
        options["clusters"] = clusters[: len(rows)]
    report = karat.evaluate(rows, rows, metrics=["micro_f1"], **options)
    found = report["micro_f1"]
    (caution,) = (one for one in report.cautions if "is predicted wrongly" in one)
    assert ("number of rows alone" in caution) is (found.low is not None and found.low < 1.0)
    assert ("have no width" in caution) is (found.low == 1.0)
    assert ("no logit limits" in caution) is (found.low is None)

"""Calibration errors against torchmetrics, where the definitions agree.

Known differences, each with its reason:

- Bins: torchmetrics closes them on the left, [lo, hi), and gives a confidence of exactly 1 a bin of
  its own; karat's default is (lo, hi], and the last bin of closed="left" holds 1.
- Edges: steps of 1/b added up there; compared on confidences that lie on no edge.
- Numbers: confidences of more than two classes are rounded to float32 there.
- Two classes: BinaryCalibrationError reads the probability of the positive class, as
  class_calibration_error does; expected_calibration_error reads that of the predicted class.
- Weights: none there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.optional import optional
from tests.same import assert_same

torch = optional("torch")
theirs = optional("torchmetrics.functional.classification")

NORMS = {
    "l1": lambda f, m: f,
    "l2": lambda f, m: lambda *args, **given: f(*args, **given, norm="l2"),
    "max": lambda f, m: m,
}


def rows(k: int, number: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([k, number])
    p = rng.dirichlet(np.full(k, rng.choice([0.2, 1.0])), size=int(rng.choice([10, 300])))
    # No confidence that is 1, or that float32 makes 1.
    p = p[p.max(axis=1) < 1 - 1e-6]
    return np.array([rng.choice(k, p=row) for row in p]), p


@pytest.mark.parametrize("bins", [5, 15])
@pytest.mark.parametrize("norm", NORMS)
def test_many_classes(norm: str, bins: int) -> None:
    ours = NORMS[norm](karat.expected_calibration_error, karat.maximum_calibration_error)
    for k in (3, 10):
        for number in range(20):
            y, p = rows(k, number)
            wanted = theirs.multiclass_calibration_error(
                torch.from_numpy(p), torch.from_numpy(y), k, n_bins=bins, norm=norm
            )
            given = {"y_prob": p, "labels": range(k), "bins": bins}
            assert_same(ours(y, **given, closed="left"), wanted.item(), within=2e-6)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_two_classes(norm: str) -> None:
    for number in range(40):
        y, p = rows(2, number)
        wanted = theirs.binary_calibration_error(
            torch.from_numpy(p[:, 1].copy()), torch.from_numpy(y), n_bins=15, norm=norm
        )
        found = karat.class_calibration_error(y, y_prob=p, labels=[0, 1], norm=norm, closed="left")
        assert_same(found, wanted.item(), within=1e-12)


def test_the_listed_differences_are_there() -> None:
    y, p = [0, 1, 1, 2], np.array([[0.9, 0.1, 0.0], [0, 1, 0], [0, 0.95, 0.05], [0, 1, 0]])
    other = theirs.multiclass_calibration_error(
        torch.from_numpy(p), torch.tensor(y), 3, n_bins=10
    ).item()
    given = {"y_prob": p, "labels": range(3), "bins": 10}
    # Theirs: 0.9 and 0.95 in one bin, the two of 1 in another.
    assert_same(other, (0.15 + 1.0) / 4, within=1e-6)
    assert_same(karat.expected_calibration_error(y, **given, closed="left"), 0.85 / 4, within=1e-12)
    assert_same(karat.expected_calibration_error(y, **given), (0.1 + 0.95) / 4, within=1e-12)
    with pytest.raises(AssertionError):
        assert_same(karat.expected_calibration_error(y, **given), other, within=2e-6)

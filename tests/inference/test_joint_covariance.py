"""The joint covariance of metrics of labels: of one table, of weighted rows, of clusters."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.errors import KaratError

NAMES = ["accuracy", "macro_f1", "kappa", "macro_recall"]
RNG = np.random.default_rng(8)
TRUE = RNG.integers(0, 3, 400)
PRED = np.where(RNG.random(400) < 0.7, TRUE, RNG.integers(0, 3, 400))


@pytest.mark.parametrize(
    "given", [{}, {"weights": RNG.random(400)}, {"clusters": np.arange(400) // 4}]
)
def test_its_diagonal_is_the_square_of_the_standard_errors(given: dict[str, object]) -> None:
    report = karat.evaluate(TRUE, PRED, **given)  # type: ignore[arg-type]
    found = report.covariance(NAMES)
    errors = [report[name].standard_error for name in NAMES]
    np.testing.assert_allclose(np.sqrt(np.diag(found)), errors, rtol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-15


def test_it_is_that_of_replicates() -> None:
    from karat.inference.resampling import replicate_tables
    from karat.metrics import get

    report = karat.evaluate(TRUE, PRED)
    tables = replicate_tables(report.cells, 20_000, seed=3)
    drawn = np.stack([get(name).values(tables).value for name in NAMES])
    found, expected = report.covariance(NAMES), np.cov(drawn)
    assert np.abs(found / expected - 1.0).max() < 0.1
    # A covariance that forgot how errors go together would be far away.
    assert np.abs(np.diag(np.diag(found)) / expected - 1.0).max() > 0.9


def test_metrics_of_scores_say_where_their_rows_are() -> None:
    report = karat.evaluate([0, 1, 1], y_prob=[0.2, 0.7, 0.4])
    with pytest.raises(KaratError, match="K211"):
        report.covariance(["roc_auc"])

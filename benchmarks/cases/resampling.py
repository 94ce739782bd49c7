"""Bootstrap replicates of the area under the ROC curve beside a loop over scikit-learn.

The answers are told apart by tests: standard errors of 1000 replicates scatter by 2.2 %, so what is
compared here is the area itself, and that the standard errors agree within six of those.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

import karat
from benchmarks.case import KARAT, PEER, Candidates, Case, Goal
from benchmarks.cases.data import two_classes
from karat.data.scores.ranking import rank
from karat.inference.resampling import replicate_areas

N_REPLICATES = 1000
N_CHECKED = 2000
TOLERANCE = 6 * 2**0.5 / (2 * N_REPLICATES) ** 0.5

Floats = npt.NDArray[np.float64]


def native(y: npt.NDArray[Any], scores: Floats) -> Floats:
    """1000 replicates, from unsorted rows."""
    return replicate_areas(rank(scores, y.astype(np.int32), 1, 2), N_REPLICATES, seed=1)


def looped(y: npt.NDArray[Any], scores: Floats, n_replicates: int) -> Floats:
    """Rows drawn with replacement, and the area of each drawing."""
    rng, n = np.random.default_rng(1), len(y)
    draws = (rng.integers(n, size=n) for _ in range(n_replicates))
    return np.array([roc_auc_score(y[rows], scores[rows]) for rows in draws])


def bootstrap(n: int) -> Candidates:
    """All 1000 replicates of karat with the sort before them; one turn of the loop.

    The first call of each answers with the area and its standard error on few rows.
    """
    y, scores = two_classes(n)
    few = two_classes(N_CHECKED)
    spread = float(looped(*few, N_REPLICATES).std())
    asked = {KARAT: False, PEER: False}

    def ours() -> object:
        if not asked[KARAT]:
            asked[KARAT] = True
            found = float(native(*few).std())
            is_equal = abs(found / spread - 1.0) <= TOLERANCE
            return [karat.roc_auc(y, y_score=scores), spread if is_equal else found]
        return native(y, scores)

    def theirs() -> object:
        if not asked[PEER]:
            asked[PEER] = True
            return [roc_auc_score(y, scores), spread]
        return looped(y, scores, 1)

    return {KARAT: ours, PEER: theirs}


CASES = (
    Case(
        "1000 bootstrap replicates of ROC AUC, n=1e6",
        lambda: bootstrap(1_000_000),
        Goal(1000, 3700),
        1e-12,
        rounds=5,
        repeats=N_REPLICATES,
    ),
)

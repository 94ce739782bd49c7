"""Rows with sets of labels in `karat.compat.sklearn`: as scikit-learn measures them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat.compat.sklearn as karat_sklearn
from karat import _native
from tests.compat.sklearn_sets import DRAWN, set_call_of
from tests.compat.test_sklearn_differences import KNOWN, difference, reworded, silent
from tests.optional import optional
from tests.oracles.shipped_plugin import damaged
from tests.six_rows import PRED, TRUE

sparse = optional("scipy.sparse")
metrics = optional("sklearn.metrics")

QUICK = 3 * len(DRAWN)
CALLS = 1250
"""Calls of each of 8 seeds: 10 000 in all."""
CONTROLS = 500
WARNS_OF_NOTHING = {"coverage_error", "multilabel_confusion_matrix"}
ONE_CLASS = {
    "balanced_accuracy_score", "class_likelihood_ratios", "cohen_kappa_score", "confusion_matrix",
    "matthews_corrcoef",
}  # fmt: skip
"""They refuse sets of labels: only what they raise can be wrong."""


def unexplained(seed: int, n: int) -> list[str | None]:
    found: Counter[str | None] = Counter()
    for number in range(n):
        call = set_call_of(seed, number)
        found[difference(call, getattr(karat_sklearn, call.name))] += 1
    return [shown for shown in found if shown is not None and shown not in KNOWN]


def test_some_calls_do_what_scikit_learn_does() -> None:
    assert unexplained(100, QUICK) == []


@pytest.mark.parametrize("seed", range(8))
def test_every_call_does_what_scikit_learn_does(seed: int) -> None:
    assert unexplained(seed, CALLS) == []


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_a_wrong_answer_is_found(name: str) -> None:
    function = getattr(karat_sklearn, name)
    wrong: dict[str, Callable[..., Any]] = {
        "value": lambda *args, **kwargs: damaged(function(*args, **kwargs), 1),
        "silent": lambda *args, **kwargs: silent(function, *args, **kwargs),
        "text": lambda *args, **kwargs: reworded(function, *args, **kwargs),
    }
    for kind in ("value", "silent") if name in ONE_CLASS else ():
        del wrong[kind]
    if name in WARNS_OF_NOTHING:
        del wrong["silent"]
    first, step = sorted(DRAWN).index(name), len(DRAWN)
    for turn in range(CONTROLS):
        call = set_call_of(0, first + step * turn)
        shown = {kind: difference(call, sabotaged) for kind, sabotaged in wrong.items()}
        wrong = {kind: wrong[kind] for kind in wrong if shown[kind] is None or shown[kind] in KNOWN}
        if not wrong:
            return
    assert not wrong


def test_labels_are_counted_natively(monkeypatch: pytest.MonkeyPatch) -> None:
    """No number of labels is made of a matrix of n × k cells, nor by scikit-learn."""
    seen: list[str] = []

    def noted(name: str) -> Callable[..., Any]:
        own = getattr(_native, name)

        def called(*given: Any) -> Any:
            seen.append(name)
            return own(*given)

        return called

    for name in ("read_sets", "count_sets"):
        monkeypatch.setattr(_native, name, noted(name))
    karat_sklearn.precision_recall_fscore_support(TRUE, PRED, average="samples", zero_division=0)
    assert seen == ["read_sets", "read_sets", "count_sets"]
    seen.clear()
    rows = sparse.csr_array(np.asarray(TRUE)), sparse.csr_array(np.asarray(PRED))
    karat_sklearn.classification_report(*rows, zero_division=0)
    assert seen == ["count_sets"]


def test_many_labels_take_no_matrix() -> None:
    n, k = 2_000, 200_000
    rng = np.random.default_rng(3)
    sides = []
    for _side in range(2):
        items = rng.integers(0, 50, (n, 3)) * (k // 50)
        cells = np.ones(3 * n, np.int8), (np.repeat(np.arange(n), 3), items.ravel())
        matrix = sparse.coo_array(cells, shape=(n, k)).tocsr()
        matrix.data[:] = 1
        sides.append(matrix)
    for average in ("macro", "micro", "samples"):
        ours, theirs = (
            module.f1_score(*sides, average=average, zero_division=0)
            for module in (karat_sklearn, metrics)
        )
        assert ours == pytest.approx(theirs, rel=1e-12)

"""Every metric that scikit-learn knows, against scikit-learn, live."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics import Oracle, Record, all_records
from tests.optional import optional
from tests.same import assert_same

sklearn_metrics = optional("sklearn.metrics")

RECORDS = [r for r in all_records() if r.oracle is not None and r.is_traced]


def labels(k: int, n: int, seed: int, *, noise: float = 0.4) -> tuple[Any, Any, Any]:
    """True and predicted labels with unequal class shares, and weights."""
    rng = np.random.default_rng([seed, k, n])
    shares = rng.dirichlet(np.full(k, 1.5))
    y_true = rng.choice(k, size=n, p=shares)
    y_pred = np.where(rng.random(n) < noise, rng.integers(0, k, n), y_true)
    return y_true, y_pred, rng.lognormal(size=n)


def theirs(oracle: Oracle, y_true: Any, y_pred: Any, **extra: Any) -> Any:
    function = getattr(sklearn_metrics, oracle.function)
    accepted = inspect.signature(function).parameters
    given = {**oracle.params, **extra}
    if oracle.transform is not None:
        # 1 − recall of a class that never occurs is no 1: compare what is defined.
        given["zero_division"] = np.nan
    if "sample_weight" in given and "sample_weight" not in accepted:
        pytest.skip(f"{oracle.function} takes no weights")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = function(y_true, y_pred, **given)
    if oracle.item is not None:
        value = value[oracle.item]
    return value if oracle.transform is None else oracle.transform(value)


def ours(record: Record, y_true: Any, y_pred: Any, **extra: Any) -> Any:
    assert record.oracle is not None
    params = {item.name: record.oracle.params[item.name] for item in record.parameters
              if item.name in record.oracle.params}  # fmt: skip
    if record.oracle.transform is not None:
        extra["undefined"] = "exclude"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        return getattr(karat, record.name)(y_true, y_pred, **params, **extra)


def takes_weights(oracle: Oracle) -> bool:
    function = getattr(sklearn_metrics, oracle.function)
    return "sample_weight" in inspect.signature(function).parameters


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
@pytest.mark.parametrize("seed", range(5))
def test_two_classes(record: Record, seed: int) -> None:
    assert record.oracle is not None
    y_true, y_pred, weights = labels(2, 300, seed)
    assert_same(ours(record, y_true, y_pred), theirs(record.oracle, y_true, y_pred), within=1e-12)
    if takes_weights(record.oracle):
        assert_same(
            ours(record, y_true, y_pred, weights=weights),
            theirs(record.oracle, y_true, y_pred, sample_weight=weights),
            within=1e-12,
        )


def has_averages(record: Record) -> bool:
    oracle = record.oracle
    assert oracle is not None
    return record.is_per_class and "average" in inspect.signature(
        getattr(sklearn_metrics, oracle.function)
    ).parameters and "pos_label" not in oracle.params  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
@pytest.mark.parametrize("k", [3, 4, 17])
@pytest.mark.parametrize("n", [6, 25, 400])
def test_many_classes(record: Record, k: int, n: int) -> None:
    oracle = record.oracle
    assert oracle is not None
    for seed in range(4):
        # At n = 6 some classes have no truth and some no prediction.
        y_true, y_pred, weights = labels(k, n, seed)
        if record.is_per_class and not has_averages(record):
            return
        for average in (None, "macro", "micro", "weighted") if record.is_per_class else ("",):
            extra = {"average": average} if average != "" else {}
            expected = theirs(oracle, y_true, y_pred, **extra)
            if record.name == "normalized_mutual_information" and len({*y_true, *y_pred}) == 1:
                continue
            about = f"{record.name} {average} seed {seed}"
            assert_same(ours(record, y_true, y_pred, **extra), expected, within=1e-11, about=about)
            if takes_weights(oracle):
                assert_same(
                    ours(record, y_true, y_pred, weights=weights, **extra),
                    theirs(oracle, y_true, y_pred, sample_weight=weights, **extra),
                    within=1e-11,
                    about=about,
                )


def test_the_oracle_notices_a_shifted_value() -> None:
    y_true, y_pred, _ = labels(2, 300, 0)
    record = next(record for record in RECORDS if record.name == "f1")
    assert record.oracle is not None
    expected = theirs(record.oracle, y_true, y_pred)
    with pytest.raises(AssertionError):
        assert_same(ours(record, y_true, y_pred) + 1e-9, expected, within=1e-12)


def test_the_ten_rows_of_the_documentation() -> None:
    y_true, y_pred = [0, 0, 1, 1, 1, 1, 1, 2, 2, 3], [0, 2, 1, 1, 2, 0, 0, 2, 2, 0]
    assert karat.confusion_matrix(y_true, y_pred).tolist() == [
        [1, 0, 1, 0],
        [2, 2, 1, 0],
        [0, 0, 2, 0],
        [1, 0, 0, 0],
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        per_class = [
            getattr(karat, name)(y_true, y_pred, average=None)
            for name in ("precision", "recall", "f1")
        ]
        averages = {
            average: [
                getattr(karat, name)(y_true, y_pred, average=average)
                for name in ("precision", "recall", "f1")
            ]
            for average in ("macro", "weighted", "micro")
        }
    assert_same(
        per_class,
        [[1 / 4, 1, 1 / 2, 0], [1 / 2, 2 / 5, 1, 0], [1 / 3, 4 / 7, 2 / 3, 0]],
        within=1e-15,
    )
    assert_same(averages["macro"], [0.4375, 0.475, 11 / 28], within=1e-15)
    assert_same(averages["weighted"], [0.65, 0.5, 17 / 35], within=1e-15)
    assert_same(averages["micro"], [0.5, 0.5, 0.5], within=1e-15)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_confusion_matrix(k: int, is_weighted: bool) -> None:
    y_true, y_pred, weights = labels(k, 500, 3)
    given = {"weights": weights} if is_weighted else {}
    expected = sklearn_metrics.confusion_matrix(
        y_true, y_pred, sample_weight=weights if is_weighted else None
    )
    assert_same(karat.confusion_matrix(y_true, y_pred, **given), expected, within=1e-13)

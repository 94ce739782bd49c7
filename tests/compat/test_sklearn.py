"""Behaviour of `karat.compat.sklearn` that random calls say nothing about."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import karat.compat.sklearn as karat_sklearn
from tests.architecture.tracked import ROOT
from tests.compat.test_sklearn_differences import KNOWN, theirs
from tests.optional import optional

metrics = optional("sklearn.metrics")

NAMES = [name for name in karat_sklearn.__all__ if name[0].islower() and "install" not in name]


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_the_same(name: str) -> None:
    ours, other = inspect.signature(getattr(karat_sklearn, name)), inspect.signature(theirs(name))
    # nan, a default, does not equal itself.
    assert str(ours) == str(other)
    assert [item.kind for item in ours.parameters.values()] == [
        item.kind for item in other.parameters.values()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_function_says_which_it_repeats(name: str) -> None:
    text = inspect.getdoc(getattr(karat_sklearn, name)) or ""
    assert f"``sklearn.calibration.{name}``" in text or f"``sklearn.metrics.{name}``" in text
    assert "Example:" in text


def test_the_page_lists_every_function_and_every_known_difference() -> None:
    page = (ROOT / "docs" / "compat-sklearn.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in page] == []
    assert [difference for difference in KNOWN if difference not in page] == []


def test_defects_are_repeated() -> None:
    y_true, nested = [0, 1, 2], [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        karat_sklearn.average_precision_score(y_true, nested)
    with pytest.warns(match="Only one class is present"):
        area = karat_sklearn.roc_auc_score([0, 1, 1], nested, multi_class="ovr", labels=[0, 1, 2])
    assert np.isnan(area)
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        karat_sklearn.roc_auc_score(y_true, nested, multi_class="ovo", sample_weight=[1, 1, 1])
    with pytest.raises(NotImplementedError):
        karat_sklearn.roc_auc_score(y_true, nested, multi_class="ovo", average=None)
    with pytest.raises(ValueError, match="'zero_division' parameter of jaccard_score"):
        karat_sklearn.jaccard_score([0, 1], [0, 1], zero_division=np.nan)
    with pytest.warns(RuntimeWarning), pytest.warns(match="not in y_true|single label"):
        assert karat_sklearn.balanced_accuracy_score([0, 0], [0, 1], adjusted=True) == -np.inf


def test_results_are_plain_and_owned() -> None:
    y_true, y_pred = np.array([0, 1, 1]), np.array([0, 1, 0])
    assert type(karat_sklearn.f1_score(y_true, y_pred)) is float
    matrix = karat_sklearn.confusion_matrix(y_true, y_pred)
    matrix += 1
    assert karat_sklearn.confusion_matrix(y_true, y_pred).tolist() == [[1, 0], [1, 1]]


def test_any_byte_but_0_is_true() -> None:
    y_true = np.array([0, 255, 1, 0], np.uint8).view(np.bool_)
    y_pred = np.array([False, True, True, True])
    assert karat_sklearn.f1_score(y_true, y_pred) == metrics.f1_score(y_true != 0, y_pred)
    assert karat_sklearn.confusion_matrix(y_true, y_true).tolist() == [[2, 0], [0, 2]]
    assert karat_sklearn.roc_auc_score(y_true, [0.1, 0.3, 0.4, 0.2]) == 1.0


@pytest.mark.parametrize("n", [100_000])
def test_long_columns_agree(n: int) -> None:
    rng = np.random.default_rng(7)
    y_true, y_pred = rng.integers(0, 2, n), rng.integers(0, 2, n)
    scores, weights = np.round(rng.random(n), 3), rng.random(n)
    for name, other in {"f1_score": y_pred, "roc_auc_score": scores, "log_loss": scores}.items():
        for sample_weight in (None, weights):
            ours, expected = (
                getattr(module, name)(y_true, other, sample_weight=sample_weight)
                for module in (karat_sklearn, metrics)
            )
            assert ours == pytest.approx(expected, rel=1e-12)
    for drop_intermediate in (True, False):
        for sample_weight in (None, weights):
            ours, expected = (
                module.roc_curve(
                    y_true, scores, sample_weight=sample_weight, drop_intermediate=drop_intermediate
                )
                for module in (karat_sklearn, metrics)
            )
            for part, same in zip(ours, expected, strict=True):
                np.testing.assert_allclose(part, same, rtol=1e-12)

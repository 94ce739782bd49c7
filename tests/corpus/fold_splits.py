"""Folds of scikit-learn: `from_cross_validate`, `fold_of_rows`, `NestedFolds`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import ANIMALS

KEPT: dict[str, Any] = {"return_indices": True, "return_estimator": True}
OF_TWO = ["accuracy", "f1", "brier"]


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of whole numbers: the proportion of each class beside the value of a row."""

    def fit(self, X: Any, y: Any) -> Counting:  # noqa: N803
        self.classes_ = np.unique(y)
        values = np.asarray(X)[:, 0]
        self.counts_ = np.array(
            [
                [int(((values == v) & (y == label)).sum()) for label in self.classes_]
                for v in range(8)
            ]
        )
        return self

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        counts = self.counts_[np.asarray(X)[:, 0]] + 1
        return counts / counts.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Deciding(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with a score alone: the value of a row less the mean of training rows."""

    def fit(self, X: Any, y: Any) -> Deciding:  # noqa: N803
        self.classes_ = np.unique(y)
        self.mean_ = int(np.asarray(X)[:, 0].sum()) / len(y)
        return self

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        return np.asarray(X)[:, 0] - self.mean_

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with labels alone: the most frequent class of training rows."""

    def fit(self, X: Any, y: Any) -> Constant:  # noqa: N803
        labels, counts = np.unique(y, return_counts=True)
        self.classes_, self.label_ = labels, labels[counts.argmax()]
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.full(len(X), self.label_)


@cache
def _rows(k: int = 2, n: int = 60, seed: int = 35) -> tuple[Any, Any]:
    """Whole numbers from 0 to 7, and a class that depends on them."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, k, n)
    values = np.clip(rng.integers(0, 5, n) + 3 * code, 0, 7)
    return np.column_stack([values, rng.integers(0, 3, n)]), code


def _results(cv: Any, model: Any = None, k: int = 2, **options: Any) -> dict[str, Any]:
    features, labels = _rows(k)
    return dict(cross_validate(model or Counting(), features, labels, cv=cv, **{**KEPT, **options}))


def _table(cv: Any, model: Any = None, **options: Any) -> dict[str, Any]:
    return karat.from_cross_validate(_results(cv, model), *_rows(), **options)


def calls() -> Iterator[Call]:
    yield from _tables()
    yield from _refused()
    yield from _splits()


def _call(name: str, run: Any, verb: str = "from_cross_validate") -> Call:
    return Call(f"{verb}: {name}", verb, "scikit-learn", run)


def _tables() -> Iterator[Call]:
    features, labels = _rows()
    three_features, three = _rows(3)
    names = [f"row {i}" for i in range(60)]
    tables: dict[str, Any] = {
        "folds": lambda: _table(KFold(4)),
        "shuffled folds": lambda: _table(KFold(3, shuffle=True, random_state=0)),
        "stratified folds": lambda: _table(StratifiedKFold(3)),
        "repeats": lambda: _table(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)),
        "random splits": lambda: _table(ShuffleSplit(4, test_size=0.25, random_state=0)),
        "nested folds": lambda: _table(karat.NestedFolds(3, seed=1)),
        "nested repeats": lambda: _table(karat.NestedFolds(3, n_repeats=2, seed=1)),
        "a score alone": lambda: _table(KFold(3), Deciding()),
        "labels alone": lambda: _table(KFold(3), Constant()),
        "labels of a model with probabilities": lambda: _table(KFold(3), method="predict"),
        "probabilities by name": lambda: _table(KFold(3), method="predict_proba"),
        "ids": lambda: _table(KFold(3), ids=names),
        "groups": lambda: _table(list(GroupKFold(3).split(features, labels, np.arange(60) // 5))),
        "pandas": lambda: karat.from_cross_validate(
            _results(KFold(3)), pd.DataFrame(features), pd.Series(labels)
        ),
        "three classes": lambda: karat.from_cross_validate(
            _results(KFold(3), k=3), three_features, three
        ),
        "text": lambda: karat.from_cross_validate(
            cross_validate(Counting(), three_features, ANIMALS[three], cv=KFold(3), **KEPT),
            three_features,
            ANIMALS[three],
        ),
        "a class that some models lack": lambda: karat.from_cross_validate(
            cross_validate(Counting(), three_features, np.sort(three), cv=KFold(3), **KEPT),
            three_features,
            np.sort(three),
        ),
        "a list of rows": lambda: karat.from_cross_validate(
            _results(KFold(3)), features.tolist(), labels.tolist()
        ),
        "results by hand": lambda: karat.from_cross_validate(_by_hand(), features, labels),
    }
    for name, run in tables.items():
        yield _call(name, run)
    reports: dict[str, Any] = {
        "folds": lambda: karat.evaluate(
            _table(KFold(4)), design=karat.Folds("fold"), metrics=OF_TWO
        ),
        "repeats": lambda: karat.evaluate(
            _table(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)),
            design=karat.Folds("fold"),
            metrics=OF_TWO,
        ),
        "random splits": lambda: karat.evaluate(
            _table(ShuffleSplit(4, test_size=0.25, random_state=0)),
            design=karat.Folds("fold"),
            metrics=OF_TWO,
        ),
        "nested repeats": lambda: karat.evaluate(
            _table(karat.NestedFolds(4, n_repeats=2, seed=1)), design=karat.Folds(), metrics=OF_TWO
        ),
        "scores": lambda: karat.evaluate(
            _table(KFold(3), Deciding()),
            y_score="score",
            design=karat.Folds("fold"),
            metrics=["roc_auc"],
        ),
        "labels": lambda: karat.evaluate(
            _table(KFold(3), Constant()), design=karat.Folds("fold"), metrics=["accuracy"]
        ),
        "labels of rows": lambda: karat.evaluate(
            labels,
            cross_val_predict(Counting(), features, labels, cv=KFold(5)),
            design=karat.Folds(karat.fold_of_rows(KFold(5).split(features), 60)),
            metrics=["accuracy", "f1"],
        ),
    }
    for name, run in reports.items():
        yield Call(f"a report of scikit-learn: {name}", "evaluate", "dict", run)


def _by_hand() -> dict[str, Any]:
    """Results in the form of scikit-learn: two splits, each with its model."""
    features, labels = _rows()
    tests = [list(range(30)), list(range(30, 60))]
    models = [Counting().fit(features[rest], labels[rest]) for rest in tests[::-1]]
    return {"indices": {"train": tests[::-1], "test": tests}, "estimator": models}


def _refused() -> Iterator[Call]:
    features, labels = _rows()
    hand = _by_hand()
    train, test = hand["indices"]["train"], hand["indices"]["test"]

    def read(change: dict[str, Any]) -> Any:
        return karat.from_cross_validate({**hand, **change}, features, labels)

    wrong: dict[str, Any] = {
        "no dict": lambda: karat.from_cross_validate("results", features, labels),
        "no indices": lambda: karat.from_cross_validate(
            cross_validate(Counting(), features, labels, cv=KFold(3)), features, labels
        ),
        "no estimators": lambda: karat.from_cross_validate(
            cross_validate(Counting(), features, labels, cv=KFold(3), return_indices=True),
            features,
            labels,
        ),
        "indices without tests": lambda: read({"indices": {"train": train}}),
        "one split": lambda: read({"indices": {"train": train[:1], "test": test[:1]}}),
        "tests that were trained on": lambda: read({"indices": {"train": test, "test": test}}),
        "rows outside": lambda: read({"indices": {"train": [[0], [1]], "test": [[99], [2]]}}),
        "no test row": lambda: read({"indices": {"train": train, "test": [[], test[1]]}}),
        "indices of text": lambda: read({"indices": {"train": ["a", "b"], "test": ["c", "d"]}}),
        "other data": lambda: karat.from_cross_validate(hand, features[:20], labels[:20]),
        "a time series": lambda: _table(TimeSeriesSplit(3)),
        "no such method": lambda: _table(KFold(3), method="predict_log_proba"),
        "a method that models lack": lambda: _table(KFold(3), Deciding(), method="predict_proba"),
        "scores of other classes": lambda: karat.from_cross_validate(
            cross_validate(Deciding(), features, np.repeat([0, 1, 2], 20), cv=KFold(3), **KEPT),
            features,
            np.repeat([0, 1, 2], 20),
        ),
    }
    for name, run in wrong.items():
        yield _call(f"refused: {name}", run)


def _splits() -> Iterator[Call]:
    features, labels = _rows()

    def split(folds: Any, *rows: Any) -> Any:
        return [[part.tolist() for part in pair] for pair in folds.split(*rows)]

    splits: dict[str, Any] = {
        "three folds": lambda: split(karat.NestedFolds(3), np.zeros((12, 1))),
        "repeats": lambda: split(karat.NestedFolds(3, n_repeats=2, seed=3), np.zeros((9, 1))),
        "stratified": lambda: split(
            karat.NestedFolds(3, stratified=True), features[:18], labels[:18]
        ),
        "a list of rows": lambda: split(karat.NestedFolds(3), [[x] for x in range(6)]),
        "their number": lambda: [
            karat.NestedFolds(10).get_n_splits(),
            karat.NestedFolds(5, n_repeats=4).get_n_splits(features, labels),
        ],
        "repr": lambda: repr(karat.NestedFolds(5, n_repeats=2, seed=1)),
        "refused: two folds": lambda: karat.NestedFolds(2),
        "refused: no repeat": lambda: karat.NestedFolds(3, n_repeats=0),
        "refused: a wrong seed": lambda: karat.NestedFolds(3, seed=-1),
        "refused: few rows": lambda: split(karat.NestedFolds(5), np.zeros((3, 1))),
        "refused: groups": lambda: split(karat.NestedFolds(3), features, labels, labels),
    }
    for name, run in splits.items():
        yield _call(name, run, "NestedFolds")
    rows: dict[str, Any] = {
        "folds": lambda: karat.fold_of_rows(KFold(4).split(features), 60),
        "pairs": lambda: karat.fold_of_rows([([2, 3], [0, 1]), ([0, 1], [2, 3])], 4),
        "results": lambda: karat.fold_of_rows(_results(KFold(3)), 60),
        "refused: random splits": lambda: karat.fold_of_rows(
            ShuffleSplit(3, random_state=0).split(features), 60
        ),
        "refused: rows without a test": lambda: karat.fold_of_rows(
            [([2, 3], [0]), ([0, 1], [2])], 4
        ),
        "refused: no pairs": lambda: karat.fold_of_rows([1, 2, 3], 4),
        "refused: one split": lambda: karat.fold_of_rows([([1], [0])], 2),
    }
    for name, run in rows.items():
        yield _call(name, run, "fold_of_rows")

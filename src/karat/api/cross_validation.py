"""Folds of scikit-learn: a splitter for nested cross-validation, and tables of its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.api.options import one_of, whole_number
from karat.errors import error, short

Places = npt.NDArray[np.int64]
Split = tuple[Places, Places]

_METHODS: Final = ("predict_proba", "decision_function", "predict")
_RETURN: Final = (
    "Run cross_validate(model, X, y, cv=…, return_indices=True, return_estimator=True)."
)


class NestedFolds:
    """Splitter of scikit-learn for nested cross-validation.

    Each repeat has K splits with one fold left out, and K(K − 1)/2 with two. Their predictions are
    the outer and inner ones of Bates, Hastie & Tibshirani (2024). Give it to ``cross_validate`` as
    `cv`, and the results to `from_cross_validate`.

    Args:
        n_folds: number of folds, K, at least 3.
        n_repeats: number of repeats with other folds; the standard error needs some, best 20 or
            more.
        stratified: whether folds have the proportions of the classes of y.
        seed: seed of the folds.

    Cost: K + K(K − 1)/2 fits for each repeat: 55 of ten folds, 15 of five.

    Example:
        >>> import karat
        >>> splitter = karat.NestedFolds(3, n_repeats=2)
        >>> splitter.get_n_splits()
        12
        >>> [len(test) for train, test in splitter.split([[x] for x in range(6)])][:6]
        [2, 2, 2, 4, 4, 4]
    """

    def __init__(
        self, n_folds: int = 10, *, n_repeats: int = 1, stratified: bool = False, seed: int = 0
    ) -> None:
        do = "Nested cross-validation needs three folds, best ten."
        self.n_folds: int = whole_number("n_folds", n_folds, do, 3)
        self.n_repeats: int = whole_number("n_repeats", n_repeats, "Give at least 1.", 1)
        self.stratified: bool = bool(stratified)
        self.seed: int = whole_number("seed", seed, "The same seed makes the same folds.", 0)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        """Return the number of splits."""
        del X, y, groups
        return self.n_repeats * (self.n_folds + self.n_folds * (self.n_folds - 1) // 2)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: N803
        """Yield training and test rows of each split.

        Errors:
            K250 fewer rows than folds, or groups.
        """
        shape = getattr(X, "shape", None)
        n = len(X) if shape is None else int(shape[0])
        if groups is not None:
            do = "Rows of a group are dependent: use GroupKFold, and clusters= for intervals."
            raise error("K250", found="groups= was given to NestedFolds", do=do)
        if n < self.n_folds:
            do = f"Give at least {self.n_folds} rows, or fewer folds."
            raise error("K250", found=f"There are {n} rows for {self.n_folds} folds", do=do)
        rng = np.random.default_rng(self.seed)
        rows = np.arange(n)
        classes = np.zeros(n, np.int64)
        if self.stratified and y is not None:
            classes = np.unique(np.asarray(y), return_inverse=True)[1].reshape(-1)
        for _ in range(self.n_repeats):
            order = rng.permutation(n)
            order = order[np.argsort(classes[order], kind="stable")]
            fold = np.empty(n, np.int64)
            fold[order] = rows % self.n_folds
            left_out = [(k,) for k in range(self.n_folds)]
            left_out += combinations(range(self.n_folds), 2)  # type: ignore[arg-type]
            for folds in left_out:
                is_test = np.isin(fold, folds)
                yield rows[~is_test], rows[is_test]

    def __repr__(self) -> str:
        return f"NestedFolds({self.n_folds}, n_repeats={self.n_repeats}, seed={self.seed})"


@dataclass(frozen=True, slots=True)
class _Tested:
    """Rows that one model tested, as one fold of a repeat.

    Attributes:
        split: place of the split, and thus of its model.
        repeat, fold: numbers of the repeat and of the fold.
        holdout: the other fold that was left out, or None.
        rows: int64[m].
    """

    split: int
    repeat: int
    fold: int
    holdout: int | None
    rows: Places


def from_cross_validate(
    results: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    method: str | None = None,
    ids: Any = None,
) -> dict[str, Any]:
    """Return predictions of scikit-learn's ``cross_validate`` as a table with folds.

    Repeats and the pairs of folds of `NestedFolds` are recognized by the test rows of the splits.
    Test sets of one repeat that overlap, as of ``ShuffleSplit``, are one repeat each.

    Args:
        results: what ``cross_validate`` returned with ``return_indices=True`` and
            ``return_estimator=True``.
        X, y: the data that it was called with.
        method: ``"predict_proba"``, ``"decision_function"`` or ``"predict"``; default: the first
            of them that the models have.
        ids: name of each row, [n]; default: its number.

    Returns:
        Columns by name, for ``karat.evaluate(table, design=karat.Folds())`` or a file: ``id``,
        ``repeat``, ``fold``, ``holdout`` of nested folds, ``train_size``, ``label``, and ``pred``,
        ``pred`` and ``score`` of margins, or one column ``proba_…`` for each class.

    Errors:
        K257 indices or estimators were not returned, test rows are not those of X, or training sets
        grow from split to split, as of a time series.

    Cost: one prediction by each model.

    Example:
        >>> import karat
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> cv = karat.NestedFolds(5, n_repeats=2)
        >>> kept = {"return_indices": True, "return_estimator": True}
        >>> results = cross_validate(GaussianNB(), X, y, cv=cv, **kept)
        >>> report = karat.evaluate(
        ...     karat.from_cross_validate(results, X, y), design=karat.Folds("fold")
        ... )
        >>> report.folds["accuracy"].n_folds
        10
    """
    if not isinstance(results, Mapping):
        raise error("K257", found=f"It is {short(results)}", do=_RETURN)
    splits = _splits_of(results, len(y))
    models = results.get("estimator")
    if models is None:
        raise error("K257", found="There are no estimators", do=_RETURN)
    tested = _tested(splits, len(y))
    wanted = _METHODS if method is None else (one_of("method", method, _METHODS, "See its docs."),)
    chosen = next((name for name in wanted if all(hasattr(m, name) for m in models)), None)
    if chosen is None:
        raise error("K257", found=f"The models have no {wanted[0]}", do="Choose another method=.")
    labels = np.asarray(y)
    classes = np.unique(labels)
    outputs: list[Any] = []
    for one in tested:
        output = np.asarray(getattr(models[one.split], chosen)(_taken(X, one.rows)))
        if chosen != "predict":
            output = _on_classes(output, np.asarray(models[one.split].classes_), classes, chosen)
        outputs.append(output)
    rows = np.concatenate([one.rows for one in tested])
    sizes = [len(one.rows) for one in tested]
    names = rows if ids is None else np.asarray(ids)[rows]
    table: dict[str, Any] = {
        "id": names,
        "repeat": np.repeat([one.repeat for one in tested], sizes),
        "fold": np.repeat([one.fold for one in tested], sizes),
    }
    if any(one.holdout is not None for one in tested):
        held = np.repeat([-1 if one.holdout is None else one.holdout for one in tested], sizes)
        table["holdout"] = [None if fold < 0 else fold for fold in held.tolist()]
    else:
        table["train_size"] = np.repeat([len(splits[one.split][0]) for one in tested], sizes)
    table["label"] = labels[rows]
    output = np.concatenate(outputs)
    if chosen == "predict":
        return table | {"pred": output}
    stem = "proba" if chosen == "predict_proba" else "score"
    if output.ndim == 1:
        # Of margins the second class is predicted above 0.
        return table | {"pred": classes[(output > 0).astype(np.intp)], "score": output}
    each = zip(classes.tolist(), output.T, strict=True)
    return table | {f"{stem}_{label}": column for label, column in each}


def fold_of_rows(splits: Any, n: int) -> Places:
    """Return the fold that tested each row, for predictions of ``cross_val_predict``.

    Args:
        splits: pairs of training and test rows, as of ``cv.split(X, y)``, or what
            ``cross_validate`` returned with ``return_indices=True``.
        n: number of rows.

    Returns:
        int64[n]: for ``karat.evaluate(y, predictions, design=karat.Folds(...))``.

    Errors:
        K257 a row is in no test set or in several.

    Example:
        >>> import karat
        >>> from sklearn.model_selection import KFold
        >>> karat.fold_of_rows(KFold(3).split([[0]] * 6), 6).tolist()
        [0, 0, 1, 1, 2, 2]
    """
    found = np.full(n, -1, np.int64)
    tests = [test for _, test in _splits_of(splits, n)]
    counts = np.bincount(np.concatenate(tests), minlength=n)
    if (counts != 1).any():
        row = int(np.flatnonzero(counts != 1)[0])
        what = "in no test set" if counts[row] == 0 else f"in {counts[row]} test sets"
        do = "Repeated splits have several predictions of a row: use karat.from_cross_validate."
        raise error("K257", found=f"Row {row} is {what}", do=do)
    for fold, test in enumerate(tests):
        found[test] = fold
    return found


def _splits_of(given: Any, n: int) -> list[Split]:
    """Return pairs of training and test rows (K257)."""
    if isinstance(given, Mapping):
        indices = given.get("indices")
        if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
            raise error("K257", found="There are no indices", do=_RETURN)
        pairs: Iterable[Any] = zip(indices["train"], indices["test"], strict=True)
    else:
        pairs = given
    try:
        splits = [(np.asarray(a, np.int64), np.asarray(b, np.int64)) for a, b in pairs]
    except (TypeError, ValueError):
        do = "Give the results of cross_validate, or the pairs of cv.split(X, y)."
        raise error("K257", found=f"It is {short(given)}", do=do) from None
    if len(splits) < 2:
        do = "Cross-validation has at least two."
        raise error("K257", found=f"The number of splits is {len(splits)}", do=do)
    for place, (train, test) in enumerate(splits):
        each = np.concatenate([train, test])
        if not len(test) or each.min() < 0 or each.max() >= n:
            found = f"Split {place} has rows outside the {n} rows of the data, or no test row"
            raise error("K257", found=found, do="Give the X and y of cross_validate.")
        if len(np.intersect1d(train, test)):
            do = "Test each model on rows that it was not trained on."
            raise error("K257", found=f"Split {place} tests rows that it was trained on", do=do)
    sizes = [len(train) for train, _ in splits]
    ends = [int(train.max()) < int(test.min()) for train, test in splits if len(train)]
    if len(sizes) > 1 and all(ends) and (np.diff(sizes) > 0).all():
        raise error(
            "K257",
            found="Training sets grow, and test rows follow them, as of a time series",
            do="Folds of a time series are not exchangeable: report each fold with by=.",
        )
    return splits


def _tested(splits: Sequence[Split], n: int) -> list[_Tested]:
    """Return the repeat and the fold of each tested set of rows."""
    found: list[_Tested] = []
    folds: list[tuple[int, Places]] = []
    fold_of = np.full(n, -1, np.int64)
    repeat = 0
    for place, (_, test) in enumerate(splits):
        is_whole = bool(folds) and bool((fold_of >= 0).all())
        pair = np.unique(fold_of[test]) if is_whole else np.empty(0, np.int64)
        if len(pair) == 2 and len(test) == sum(len(folds[k][1]) for k in pair.tolist()):
            for fold, other in (pair.tolist(), pair.tolist()[::-1]):
                found.append(_Tested(place, repeat, fold, other, folds[fold][1]))
            continue
        if is_whole:
            folds, repeat = [], repeat + 1
            fold_of[:] = -1
        if (fold_of[test] >= 0).any():
            # Random test sets overlap: each split is a repeat of its own.
            each = enumerate(splits)
            return [_Tested(place, place, 0, None, rows) for place, (_, rows) in each]
        fold_of[test] = len(folds)
        found.append(_Tested(place, repeat, len(folds), None, test))
        folds.append((place, test))
    return found


def _taken(X: Any, rows: Places) -> Any:  # noqa: N803
    """Return some rows of features in any container."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows.tolist()]


def _on_classes(output: Any, known: Any, classes: Any, method: str) -> Any:
    """Return columns in the order of all classes; probability 0 where a model learned one not."""
    if output.ndim == 1 and len(classes) == len(known) == 2:
        return output
    # No score says that a class was not learned.
    if output.ndim == 1 or (len(known) < len(classes) and method != "predict_proba"):
        do = "Choose method='predict'."
        raise error("K257", found="Some models learned other classes than others", do=do)
    found = np.zeros((len(output), len(classes)))
    found[:, np.searchsorted(classes, known)] = output
    return found

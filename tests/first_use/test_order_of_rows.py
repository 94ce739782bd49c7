"""Rows of pandas objects are paired by position; another order of the same index is a doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat

N = 60
_RNG = np.random.default_rng(5)
TRUE = pd.Series(_RNG.integers(0, 2, N), index=[f"row {i}" for i in range(N)])
PROB = pd.Series(_RNG.random(N), index=TRUE.index)
PRED = pd.Series((PROB > 0.5).astype(int), index=TRUE.index)
PLACES = np.r_[1, 0, 2:N]
SITE = np.where(np.arange(N) % 2, "a", "b")


SITES = pd.Series(SITE, TRUE.index)
ROWS = pd.Series(np.arange(N) // 2, TRUE.index)


def streamed(**given: Any) -> karat.Report:
    stream = karat.Stream()
    stream.update(TRUE, **given)
    return stream.report()


def moved(values: Any) -> Any:
    return values.iloc[PLACES]


def of_order(found: Any) -> list[Any]:
    return [one for one in found.doubts if one.code == "D113"]


def both_columns(values: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({0: 1.0 - values, 1: values})


@pytest.mark.parametrize(
    "called",
    [
        lambda f: karat.evaluate(TRUE, y_prob=f(PROB)),
        lambda f: karat.evaluate(TRUE, y_prob=f(both_columns(PROB))),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, y_pred=f(PRED)),
        lambda f: karat.evaluate(TRUE, f(PRED)),
        lambda f: karat.evaluate(TRUE, f(PRED), by=SITE),
        lambda f: karat.evaluate(TRUE, PRED, by=f(pd.Series(SITE, TRUE.index))),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, by=f(SITES)),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, y_pred=PRED, by=f(SITES.to_frame("site"))),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, by={"site": f(SITES)}),
        lambda f: karat.evaluate(TRUE, PRED, by={"site": f(SITES)}),
        lambda f: karat.evaluate(TRUE, PRED, by={("a", "b"): (SITES, f(SITES))}),
        lambda f: karat.evaluate(TRUE, PRED, by=SITES, weights=f(PROB)),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, by=SITES, clusters=f(ROWS)),
        lambda f: karat.evaluate(TRUE, PRED, weights=PROB, clusters=f(ROWS)),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, weights=f(PROB)),
        lambda f: karat.evaluate(TRUE, PRED, design=karat.Folds(f(ROWS % 3))),
        lambda f: karat.evaluate(TRUE, y_prob=PROB, design=karat.Folds(f(ROWS % 3))),
        lambda f: karat.evaluate(TRUE, PRED, ids=f(pd.Series(range(N), TRUE.index))),
        lambda f: karat.compare(TRUE, {"old": PRED, "new": PRED}, design=karat.Folds(f(ROWS % 3))),
        lambda f: karat.compare(TRUE, {"old": PRED, "new": f(PRED)}),
        lambda f: karat.compare(TRUE, y_prob={"old": PROB, "new": f(PROB)}),
        lambda f: karat.compare({"old": TRUE, "new": TRUE}, {"old": PRED, "new": f(PRED)}),
        lambda f: karat.gate(TRUE, f(PRED), min={"accuracy": 0.1}),
        lambda f: karat.find_weak_slices(
            TRUE, f(PRED), by={"site": SITE}, interval=karat.Interval(n_replicates=99)
        ),
        lambda f: karat.find_weak_slices(
            TRUE, PRED, by={"site": f(SITES)}, interval=karat.Interval(n_replicates=99)
        ),
        lambda f: streamed(y_pred=f(PRED)),
        lambda f: streamed(y_prob=f(PROB)),
        lambda f: streamed(y_pred=PRED, weights=f(PROB)),
        lambda f: streamed(y_pred=PRED, y_prob=PROB, weights=f(PROB)),
        lambda f: karat.find_weak_slices(
            TRUE,
            PRED,
            by=f(pd.DataFrame({"site": SITE}, TRUE.index)),
            interval=karat.Interval(n_replicates=99),
        ),
        lambda f: karat.find_weak_slices(
            loss=PROB,
            by=f(pd.DataFrame({"site": SITE}, TRUE.index)),
            interval=karat.Interval(n_replicates=99),
        ),
    ],
)
def test_a_permuted_index_is_a_doubt_and_changes_no_number(called: Any) -> None:
    (found,) = of_order(called(moved))
    assert "2 of 60 rows differ: row 0 is 'row 0' in " in found.evidence
    assert ".reindex(" in found.option
    # Neither the same order nor the values alone raise it.
    assert of_order(called(lambda values: values)) == []
    if type(called(moved)).__name__ == "Report":
        by_position = called(lambda values: moved(values).set_axis(values.index, axis=0))
        assert by_position["accuracy"] == called(moved)["accuracy"]


def test_the_doubt_names_what_settles_it() -> None:
    (found,) = of_order(karat.evaluate(TRUE, y_prob=moved(PROB)))
    assert found.noticed == "The rows of y_prob are in another order than those of y_true."
    assert "give y_prob.reindex(y_true.index)" in found.option
    assert "if the position is right, give y_prob.to_numpy()." in found.option
    assert of_order(karat.evaluate(TRUE, y_prob=moved(PROB).reindex(TRUE.index))) == []
    assert of_order(karat.evaluate(TRUE, y_prob=moved(PROB).to_numpy())) == []
    # Columns keep the names of their classes.
    (found,) = of_order(karat.evaluate(TRUE, y_prob=moved(both_columns(PROB))))
    assert found.option.endswith("give y_prob.set_axis(y_true.index).")
    (found,) = of_order(karat.compare(TRUE, {"old": PRED, "new": moved(PRED)}))
    assert "give y_pred['new'].reindex(y_true.index)" in found.option


@pytest.mark.parametrize(
    ("left", "right", "is_permuted"),
    [
        ([1, 2, 3], [3, 1, 2], True),
        (["a", "b", "c"], ["b", "a", "c"], True),
        (range(3), [2, 1, 0], True),
        (
            pd.date_range("2026-01-01", periods=3),
            pd.date_range("2026-01-01", periods=3)[::-1],
            True,
        ),
        (pd.MultiIndex.from_tuples([(1, 2), (2, 1)]), [(2, 1), (1, 2)], True),
        ([1, 2, 3], [1, 2, 3], False),
        (range(3), range(3), False),
        # Other rows, of which some are the same.
        ([1, 2, 3], [0, 2, 4], True),
        (["a", "b", "c"], ["b", "a", "d"], True),
        (range(1, 21), range(20), True),
        # Other rows, of which some sums are alike; a part of a table, and its rows counted.
        ([1, 2, 3], [0, 6, 7], False),
        ([7, 2, 5, 9], range(4), False),
        # Names that do not name one row.
        (["a", "a", "b"], ["a", "b", "a"], False),
        ([[1], [2]], [[2], [1]], False),
    ],
)
def test_only_another_order_of_the_same_names_is_one(
    left: Any, right: Any, is_permuted: bool
) -> None:
    kinds = [
        x if isinstance(x, pd.Index) else pd.Index(x, tupleize_cols=False) for x in (left, right)
    ]
    if isinstance(left, pd.MultiIndex):
        kinds[1] = pd.MultiIndex.from_tuples(right)
    true, pred = (pd.Series(np.arange(len(index)) % 2, index=index) for index in kinds)
    found = karat.evaluate(true, y_prob=np.full(len(true), 0.5), y_pred=pred)
    assert bool(of_order(found)) is is_permuted


def test_a_stream_keeps_the_doubt_once_with_merge_and_bytes() -> None:
    def stream(pred: pd.Series) -> karat.Stream:
        found = karat.Stream()
        found.update(TRUE, pred)
        return found

    whole = stream(PRED)
    assert of_order(whole.report()) == []
    part = karat.Stream.from_bytes(stream(moved(PRED)).to_bytes())
    part.update(TRUE, moved(PRED))
    whole.merge(part)
    (found,) = of_order(whole.report())
    noticed = "In a batch: The rows of y_pred are in another order than those of y_true."
    assert found.noticed == noticed
    assert of_order(whole.subtract(stream(PRED)).report()) == [found]
    whole.reset()
    whole.update(TRUE, PRED)
    assert of_order(whole.report()) == []

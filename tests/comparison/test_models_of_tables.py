"""Models as columns of one table or file, and models with tables or files of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from tests.grouping import grouped

_RNG = np.random.default_rng(5)
N = 240
TRUTH = _RNG.choice(["cat", "dog", "eel"], N)
OLD = np.where(_RNG.random(N) < 0.6, TRUTH, "cat")
NEW = np.where(_RNG.random(N) < 0.8, TRUTH, "dog")
P = _RNG.dirichlet([1, 1, 1], N)
Q = _RNG.dirichlet([2, 1, 1], N)
FRAME = pd.DataFrame(
    {
        "id": np.arange(N),
        "label": TRUTH,
        "old": OLD,
        "new": NEW,
        "mass": _RNG.integers(1, 4, N),
        "user": _RNG.integers(0, 40, N),
        "part": np.arange(N) % 5,
        # In the order of the table, which is not that of the classes.
        **{f"p_{name}": P[:, place] for name, place in (("eel", 2), ("cat", 0), ("dog", 1))},
        **{f"q_{name}": Q[:, place] for name, place in (("dog", 1), ("eel", 2), ("cat", 0))},
    }
)
MODELS = {"old": OLD, "new": NEW}


def without_doubts(found: karat.Comparison) -> Any:
    """What a comparison says of its models, whatever its rows came from."""
    return [
        (one.metric, one.a, one.b, one.difference, one.low, one.high, one.p)
        for one in found.differences
    ]


def _written(write: Callable[[Path], None], path: Path) -> Path:
    write(path)
    return path


CONTAINERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "arrow": lambda frame, _: pa.Table.from_pandas(frame),
    "dict": lambda frame, _: {name: list(frame[name]) for name in frame},
    "parquet": lambda frame, folder: _written(frame.to_parquet, folder / "a.parquet"),
    "csv": lambda frame, folder: _written(partial(frame.to_csv, index=False), folder / "a.csv"),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_models_side_by_side_are_those_of_their_columns(container: str, tmp_path: Path) -> None:
    data = CONTAINERS[container](FRAME, tmp_path)
    expected = without_doubts(karat.compare(TRUTH, MODELS))
    for call in (
        lambda: karat.compare(data, y_true="label", y_pred={"old": "old", "new": "new"}),
        lambda: karat.compare(data, y_pred=["old", "new"]),
        lambda: karat.compare(data, ["old", "new"]),
    ):
        assert without_doubts(call()) == expected
    beside = {"weights": "mass", "clusters": "user"}
    values = {name: FRAME[column] for name, column in beside.items()}
    found = karat.compare(
        data, y_true="label", y_pred=["old", "new"], **grouped(beside, ("adjust",))
    )
    assert without_doubts(found) == without_doubts(
        karat.compare(TRUTH, MODELS, **grouped(values, ("adjust",)))
    )


def test_columns_of_scores_are_those_of_the_classes_in_their_names() -> None:
    expected = karat.compare(TRUTH, y_prob={"p": P, "q": Q}, metrics=["log_loss", "macro_f1"])
    for columns in ("p_*", "q_*"), (["p_dog", "p_cat", "p_eel"], ["q_eel", "q_dog", "q_cat"]):
        named = dict(zip("pq", columns, strict=True))
        found = karat.compare(FRAME, y_true="label", y_prob=named, metrics=["log_loss", "macro_f1"])
        assert without_doubts(found) == without_doubts(expected)


def test_folds_are_a_column_too() -> None:
    found = karat.compare(
        FRAME, y_pred=["old", "new"], design=karat.Folds("part"), metrics="accuracy"
    )
    expected = karat.compare(TRUTH, MODELS, design=karat.Folds(FRAME["part"]), metrics="accuracy")
    assert found.folds is not None
    assert expected.folds is not None
    assert str(found.folds) == str(expected.folds)


@pytest.mark.parametrize("container", ["pandas", "arrow", "parquet", "csv"])
def test_tables_of_their_own_are_matched_by_their_ids(container: str, tmp_path: Path) -> None:
    each = {}
    for name in MODELS:
        rows = FRAME[["id", "label", name]].rename(columns={name: "pred"})
        folder = tmp_path / name
        folder.mkdir()
        each[name] = CONTAINERS[container](rows.sample(frac=1, random_state=1), folder)
    found = karat.compare(each)
    assert found.is_paired
    assert without_doubts(found) == without_doubts(karat.compare(TRUTH, MODELS))
    again = karat.compare(each, y_true="label", y_pred="pred", baseline="new")
    assert {(one.a, one.b) for one in again.differences} == {("old", "new")}


@pytest.mark.parametrize(
    ("call", "code", "told"),
    [
        (lambda: karat.compare(FRAME, FRAME), "K128", "Give a dict of them: karat.compare({"),
        (lambda: karat.compare("a.csv", "b.csv"), "K128", "Give a dict of them: karat.compare({"),
        (lambda: karat.compare(FRAME, y_true="label", y_pred="old"), "K162", "Name the column"),
        (lambda: karat.compare(FRAME, y_pred={"a": "old", "b": "odd"}), "K404", "'odd'"),
        (lambda: karat.compare(FRAME, y_true="lable", y_pred=["old", "new"]), "K404", "'lable'"),
        (lambda: karat.compare({"a": FRAME}), "K161", "There is one, 'a'"),
        (lambda: karat.compare({"a": FRAME, "b": FRAME}, weights=[1.0] * N), "K421", "weights="),
        (
            lambda: karat.compare({"a": FRAME, "b": FRAME}, y_pred="old", baseline="c"),
            "K164",
            "'a', 'b'",
        ),
        (lambda: karat.compare(y_true="label", y_pred=MODELS), "K143", "without data"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(call: Callable[[], Any], code: str, told: str) -> None:
    with pytest.raises(karat.KaratError) as caught:
        call()
    assert caught.value.code == code
    assert told in str(caught.value)


def test_a_column_of_weights_is_found_as_in_evaluate() -> None:
    data = FRAME.rename(columns={"mass": "sample_weight"})
    expected = karat.compare(TRUTH, MODELS, weights=FRAME["mass"])
    assert without_doubts(karat.compare(data, y_pred=["old", "new"])) == without_doubts(expected)
    found = karat.compare(data, y_pred=["old", "new"], weights="")
    assert without_doubts(found) == without_doubts(karat.compare(TRUTH, MODELS))


def test_every_option_counts_for_tables_of_their_own() -> None:
    each = {
        name: FRAME[["id", "label", name, "mass"]].rename(columns={name: "pred"}) for name in MODELS
    }
    options: list[dict[str, Any]] = [
        {"paired": False},
        {"labels": karat.Labels(names=["a cat", "a dog", "an eel"])},
        {"baseline": "new"},
        {"margin": 0.05},
    ]
    for option in options:
        found, expected = (
            karat.compare(each, **grouped(option, ("adjust",))),
            karat.compare(TRUTH, MODELS, **grouped(option, ("adjust",))),
        )
        assert without_doubts(found) == without_doubts(expected), option
        assert (found.is_paired, found.classes.names) == (
            expected.is_paired,
            expected.classes.names,
        )
    beside = {"weights_are": "frequency", "metrics": "accuracy"}
    found = karat.compare(each, weights="mass", **grouped(beside, ("adjust",)))
    expected = karat.compare(TRUTH, MODELS, weights=FRAME["mass"], **grouped(beside, ("adjust",)))
    assert without_doubts(found) == without_doubts(expected)
    with pytest.raises(karat.InputError, match="K421"):
        karat.compare(each, design=karat.Folds(FRAME["part"]))

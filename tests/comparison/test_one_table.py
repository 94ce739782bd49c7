"""Models side by side in one table: read as `evaluate` reads a table, with its doubts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.errors import KaratError

RNG = np.random.default_rng(8)
N = 200
TRUTH = RNG.choice(["cat", "dog", "eel"], N)
FRAME = pd.DataFrame(
    {
        "label": TRUTH,
        "old": np.where(RNG.random(N) < 0.6, TRUTH, "cat"),
        "new": np.where(RNG.random(N) < 0.8, TRUTH, "dog"),
        "user_id": RNG.integers(0, 30, N),
        "weight": RNG.random(N),
    }
)
CELLS = {
    f"{side}_{label}": RNG.integers(0, 2, N)
    for side in ("true", "lr", "nb")
    for label in ("sea", "sky", "sun")
}
SETS = pd.DataFrame({**CELLS, **{f"p_{x}": RNG.random(N) for x in ("sea", "sky", "sun")}})
MODELS = ["old", "new"]


def _parquet(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


HOSTS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "arrow": lambda frame, _: pa.Table.from_pandas(frame),
    "arrow reader": lambda frame, _: pa.Table.from_pandas(frame).to_reader(),
    "parquet": _parquet,
}


def numbers(found: karat.Comparison) -> Any:
    return [
        (x.metric, x.a, x.b, x.difference, x.low, x.high, x.p, x.verdict) for x in found.differences
    ]


def codes(found: Any) -> list[str]:
    return [one.code for one in found.doubts]


@pytest.mark.parametrize("host", HOSTS)
def test_columns_that_are_not_used_are_doubts(host: str, tmp_path: Path) -> None:
    found = karat.compare(HOSTS[host](FRAME, tmp_path), y_pred=MODELS)
    (weights,) = (one for one in found.doubts if one.code == "D104")
    assert weights.noticed.startswith("Column 'weight' is not used")
    assert codes(found) == ["D107", "D104"] or codes(found) == ["D104", "D107"]
    settled = karat.compare(
        HOSTS[host](FRAME, tmp_path), y_pred=MODELS, weights="weight", clusters="user_id"
    )
    assert codes(settled) == []
    left_out = karat.compare(HOSTS[host](FRAME, tmp_path), y_pred=MODELS, weights="", clusters="")
    assert codes(left_out) == []
    assert numbers(left_out) == numbers(found)


def test_columns_of_the_other_models_are_used() -> None:
    frame = FRAME[["label"]].assign(pred_old=FRAME["old"], pred_new=FRAME["new"])
    assert codes(karat.compare(frame, y_pred=["pred_old", "pred_new"])) == []


@pytest.mark.parametrize("host", HOSTS)
def test_folds_are_found_by_their_name(host: str, tmp_path: Path) -> None:
    frame = FRAME[["label", "old", "new"]].assign(fold=np.arange(N) % 5)
    found = karat.compare(HOSTS[host](frame, tmp_path), y_pred=MODELS, design=karat.Folds())
    named = karat.compare(frame, y_pred=MODELS, design=karat.Folds("fold"))
    arrays = karat.compare(TRUTH, dict(frame[MODELS]), design=karat.Folds(frame["fold"]))
    assert found.folds is not None
    assert str(found.folds["accuracy"]) == str(named.folds["accuracy"])
    assert str(found.folds["accuracy"]) == str(arrays.folds["accuracy"])
    with pytest.raises(KaratError, match="K406  No column could be found for the folds"):
        karat.compare(FRAME, y_pred=MODELS, design=karat.Folds())


def test_repeats_of_folds_need_ids() -> None:
    half = N // 2
    frame = FRAME[["label", "old", "new"]].assign(
        repeat=np.repeat([0, 1], half),
        fold=np.arange(N) % 5,
        label=np.tile(TRUTH[:half], 2),
        row=np.tile(np.arange(half), 2),
    )
    found = karat.compare(frame, y_pred=MODELS, ids="row", design=karat.Folds())
    folds = {"repeat": frame["repeat"], "fold": frame["fold"]}
    arrays = karat.compare(
        frame["label"], dict(frame[MODELS]), ids=frame["row"], design=karat.Folds(folds)
    )
    clusters = karat.compare(
        frame["label"], dict(frame[MODELS]), clusters=frame["row"], design=karat.Folds(folds)
    )
    assert numbers(found) == numbers(arrays) == numbers(clusters)
    assert str(found.folds["accuracy"]) == str(arrays.folds["accuracy"])
    with pytest.raises(KaratError, match="K251"):
        karat.compare(frame.drop(columns="row"), y_pred=MODELS, design=karat.Folds())


@pytest.mark.parametrize("host", HOSTS)
def test_sets_are_patterns(host: str, tmp_path: Path) -> None:
    def side(name: str) -> pd.DataFrame:
        held = SETS.filter(regex=f"^{name}_")
        return held.rename(columns=lambda column: column.removeprefix(f"{name}_"))

    source = HOSTS[host](SETS, tmp_path)
    found = karat.compare(source, y_true="true_*", y_pred={"lr": "lr_*", "nb": "nb_*"})
    expected = karat.compare(side("true"), {"lr": side("lr"), "nb": side("nb")})
    assert found.is_of_sets
    assert numbers(found) == numbers(expected)


def test_scores_of_sets_are_patterns() -> None:
    frame = SETS.assign(**{f"q_{x}": 1 - SETS[f"p_{x}"] for x in ("sea", "sky", "sun")})
    few = {"metrics": ["macro_f1", "mean_average_precision"]}
    found = karat.compare(frame, y_true="true_*", y_prob={"p": "p_*", "q": "q_*"}, **few)
    truth = frame.filter(regex="^true_").set_axis(["sea", "sky", "sun"], axis=1)
    scores = {
        name: frame.filter(regex=f"^{name}_").set_axis(["sea", "sky", "sun"], axis=1)
        for name in "pq"
    }
    assert numbers(found) == numbers(karat.compare(y_true=truth, y_prob=scores, **few))
    cut = karat.compare(
        frame, y_true="true_*", y_prob={"p": "p_*", "q": "q_*"}, threshold={"p": 0.3, "q": 0.7}
    )
    assert numbers(cut) != numbers(found)


def test_a_table_alone_lacks_the_columns_of_models() -> None:
    for data in (FRAME, pl.from_pandas(FRAME), "rows.parquet"):
        with pytest.raises(KaratError, match="K128") as caught:
            karat.compare(data)
        assert "karat.compare(table, y_pred={'old': 'p1', 'new': 'p2'})" in str(caught.value)
    with pytest.raises(KaratError, match="K128") as caught:
        karat.compare({name: FRAME[name] for name in FRAME})
    assert "y_pred={'old': 'p1', 'new': 'p2'}" in str(caught.value)


def test_ids_match_the_rows_of_tables() -> None:
    tables = {
        name: FRAME[["label", name]].rename(columns={name: "pred"}).assign(key=np.arange(N))
        for name in MODELS
    }
    tables["new"] = tables["new"].sample(frac=1, random_state=2)
    found = karat.compare(tables, ids="key")
    assert numbers(found) == numbers(karat.compare(FRAME, y_pred=MODELS))
    # Without ids the rows of both are in another order.
    with pytest.raises(KaratError, match="K173"):
        karat.compare(tables)
    twice = {name: table.assign(key=table["key"] // 2) for name, table in tables.items()}
    with pytest.raises(KaratError, match="K171"):
        karat.compare(twice, ids="key")


def test_ids_of_arrays_are_checked() -> None:
    models = dict(FRAME[MODELS])
    plain = karat.compare(TRUTH, models)
    assert numbers(karat.compare(TRUTH, models, ids=np.arange(N))) == numbers(plain)
    assert "D105" in codes(karat.compare(TRUTH, models, ids=np.arange(N) // 2))
    with pytest.raises(KaratError, match="K102"):
        karat.compare(TRUTH, models, ids=np.arange(N - 1))
    with pytest.raises(KaratError, match="K143  ids= names a column"):
        karat.compare(TRUTH, models, ids="id")
    with pytest.raises(KaratError, match="K455  ids="):
        karat.compare({"old": TRUTH, "new": TRUTH}, models, ids=np.arange(N))


def test_logits_of_each_model_are_columns_as_arrays_are() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, N)
    frame = pd.DataFrame(
        {"label": truth, "z1": rng.normal(size=N) + truth, "z2": rng.normal(size=N)}
    )
    frame["p"] = 1 / (1 + np.exp(-frame.z1))
    columns = {"old": "z2", "new": "z1"}
    arrays = {model: frame[name].to_numpy() for model, name in columns.items()}
    expected = numbers(karat.compare(truth, y_logit=arrays, metrics=["log_loss", "accuracy"]))
    named = karat.compare(frame, y_true="label", y_logit=columns, metrics=["log_loss", "accuracy"])
    described = karat.read(frame, y_true="label", y_logit=columns)
    assert numbers(named) == expected
    assert numbers(karat.compare(described, metrics=["log_loss", "accuracy"])) == expected
    mixed = karat.compare(
        frame, y_true="label", y_prob={"new": "p"}, y_logit={"old": "z2"}, metrics="accuracy"
    )
    (accuracy,) = mixed.differences
    (same,) = [x for x in named.differences if x.metric == "accuracy"]
    assert (accuracy.a, accuracy.b) == (same.b, same.a)
    assert accuracy.a != accuracy.b


def test_a_pattern_of_a_model_leaves_the_columns_of_other_roles_to_the_others() -> None:
    rng = np.random.default_rng(4)
    truth, p, q = rng.integers(0, 2, N), rng.random(N), rng.random(N)
    frame = pd.DataFrame({"p_true": truth, "p_0": 1 - p, "p_1": p, "q_0": 1 - q, "q_1": q})
    patterns = karat.compare(frame, y_true="p_true", y_prob={"a": "p_?", "b": "q_*"})
    lists = karat.compare(frame, y_true="p_true", y_prob={"a": ["p_0", "p_1"], "b": ["q_0", "q_1"]})
    assert numbers(patterns) == numbers(lists)
